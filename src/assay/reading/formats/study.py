"""Studies of `assay assess` as judgments: an SQLite file."""

from typing import Any, cast

import numpy as np

from assay.files.source import Source
from assay.reading.format import NOTHING_MORE, Format, Head, Readable, Request
from assay.reading.rows import Rows
from assay.tables.judgments import HighlightJudgments, Judgments
from assay.tables.places import Places
from assay.vocabulary import FileKind

SQLITE = b"SQLite format 3\0"


class StudyFile(Format):
    """A study that `assay pool` or `assay assess` made. Documents that an assessor validated are judgments; if several
    people judged a document, each is an annotator, and `--annotators` also takes `main` and `majority`. A study of
    questions is read as its gold: evidence with its facts, and questions without an answer. `assay convert` writes both
    in other formats."""

    name = "study"
    title = "Studies of Assay"
    holds = ("judgments",)
    may_have_texts = True

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise the first bytes of an SQLite file."""
        return head.unix.startswith(SQLITE)

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Return "judgments"."""
        return "judgments"

    def rows_with_texts(self, source: Source, kind: FileKind, request: Request) -> Rows | None:
        """Return the rows of a study of questions, as in its gold; None for other studies."""
        from assay.reading.records import rows_of_records
        from assay.studies.export import MAIN, question_records
        from assay.studies.study import open_study

        is_main = request.annotators == MAIN
        with open_study(source.path) as study:
            if study.settings.mode != "questions":
                return None
            records = question_records(study, only_main=is_main)
        if is_main:
            records = [record | {"annotator": MAIN} for record in records]
        if not records:
            raise source.fault("no evidence yet; find some with `assay assess`")
        return rows_of_records(enumerate(records, 1), kind, source.label, "record", request.documents, request.columns)

    def judgments(self, source: Source, request: Request = NOTHING_MORE) -> Judgments:
        """Return the judgments of everyone; if strata are wanted, those of the main assessors with their strata."""
        from assay.reading.texts import table_of_texts
        from assay.studies.export import DECIDED, EVERYONE, study_judgments
        from assay.studies.study import open_study

        if (rows := self.rows_with_texts(source, "judgments", request)) is not None:
            return cast(Judgments, table_of_texts(rows, request.documents))
        with open_study(source.path) as study:
            asked = request.annotators
            by = asked if asked in DECIDED else EVERYONE
            return study_judgments(
                study, by, request.documents, as_sample=request.strata, as_annotator=by != EVERYONE
            )

    def readable(self, source: Source, kind: FileKind | None = None, request: Request = NOTHING_MORE) -> Readable[Any]:
        """Return all judgments, for a check."""
        from assay.reading.texts import readable_rows

        if (rows := self.rows_with_texts(source, "judgments", request)) is not None:
            return readable_rows(rows, request.documents)
        judgments = self.judgments(source, request)
        spans = judgments.highlights.row if isinstance(judgments, HighlightJudgments) else None
        places = Places(source.label, lambda row: None)
        return Readable("judgments", judgments, places, [], np.arange(len(judgments)), spans, once=True)


FORMAT = StudyFile()
