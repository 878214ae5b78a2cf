"""Studies of `assay assess` as judgments: a SQLite file."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.files.source import Source
from assay.reading.format import NOTHING_MORE, Format, Readable, Request
from assay.reading.heads import Head
from assay.tables.judgments import HighlightJudgments, Judgments
from assay.tables.places import Places
from assay.vocabulary import FileKind

SQLITE = b"SQLite format 3\0"


class StudyFile(Format):
    """A study made by `assay pool` or `assay assess`. Documents that an assessor validated are judgments; if several
    people judged a document, each of them is an annotator (`--annotators`). `assay convert` writes them in other
    formats.
    """

    name = "study"
    title = "Studies of Assay"
    holds = ("judgments",)

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """The first bytes of a SQLite file."""
        return head.unix.startswith(SQLITE)

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Always judgments."""
        return "judgments"

    def judgments(self, source: Source, request: Request = NOTHING_MORE) -> Judgments:
        """The judgments of everyone."""
        from assay.studies.export import study_judgments
        from assay.studies.study import open_study

        with open_study(source.path) as study:
            return study_judgments(study, documents=request.documents)

    def readable(self, source: Source, kind: FileKind | None = None, request: Request = NOTHING_MORE) -> Readable[Any]:
        """All judgments, for a check."""
        judgments = self.judgments(source, request)
        spans = judgments.highlights.row if isinstance(judgments, HighlightJudgments) else None
        places = Places(source.label, lambda row: None)
        return Readable("judgments", judgments, places, [], np.arange(len(judgments)), spans, once=True)


FORMAT = StudyFile()
