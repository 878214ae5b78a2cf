"""Ignore whitespace: convert the offsets of runs and judgments so that whitespace characters do not count."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from assay.documents.whitespace import WithoutWhitespace
from assay.errors import InputError, UsageError
from assay.evaluation.notes import OF_GOLD, sentences
from assay.tables.ids import Ids
from assay.tables.judgments import HighlightJudgments, Highlights, Judgments
from assay.tables.notes import Notes
from assay.tables.run import ElementRun, Run, SpanRun, SurroundedSpanRun
from assay.vocabulary import WHITESPACE, Whitespace

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection


class WhitespaceIgnored:
    """Converts runs and judgments to offsets that do not count whitespace."""

    def __init__(self, collection: DocumentCollection | None):
        if collection is None:
            raise UsageError("whitespace can be ignored only if the texts are known; pass documents=")
        self.counting = WithoutWhitespace(collection)

    def judgments(self, judgments: Judgments) -> tuple[Judgments, str]:
        """Return the judgments with converted offsets, and a note on how many characters remain."""
        if not isinstance(judgments, HighlightJudgments):
            raise InputError("no highlighted text; leave out whitespace=ignore", judgments.name)
        highlights, documents = judgments.highlights, judgments.document
        start, end = self.counting.offsets(documents[highlights.row], highlights.start, highlights.end)
        (entry,) = self.counting.offsets(documents, highlights.entry)
        lengths = self.counting.lengths(documents)
        told = Highlights(highlights.row, start, end, lengths, entry, np.full(len(judgments), -1))
        before, after = (int(each.sum()) for each in (highlights.end - highlights.start, end - start))
        notes = Notes()
        notes.add("ignored_whitespace", low=after, high=before)
        (note,) = sentences(OF_GOLD, [(judgments.name, notes)])
        # a document whose highlighted text is only whitespace has none
        grade = judgments.grade.copy()
        grade[highlights.row[end == start]] = 0
        grade[highlights.row[end > start]] = judgments.grade[highlights.row[end > start]]
        return replace(judgments, highlights=told, grade=grade), note

    def run(self, run: Run) -> Run:
        """Return the run with converted offsets; a whole document becomes a span of its length without whitespace."""
        if isinstance(run, SpanRun):
            return self.spans(run)
        if isinstance(run, ElementRun):
            return run
        return SpanRun(**vars(run), start=np.zeros(len(run), np.int64), end=self.counting.lengths(run.document))

    def spans(self, run: SpanRun) -> SpanRun:
        """Return a run of spans with converted offsets."""
        start, end = self.counting.offsets(run.document, run.start, run.end)
        if isinstance(run, SurroundedSpanRun):
            before, after = (Ids.of(["".join(text.split()) for text in ids.texts()]) for ids in (run.before, run.after))
            run = replace(run, before=before, after=after)
        return replace(run, start=start, end=end)


def whitespace_ignored(
    whitespace: Whitespace, collection: DocumentCollection | None, is_shown: bool
) -> WhitespaceIgnored | None:
    """Return the converter, or None if whitespace counts.

    Raise an error if text is shown, because a report shows text with its whitespace.
    """
    if whitespace not in WHITESPACE:
        raise UsageError(f"unknown value {whitespace!r} of whitespace; choose from {' and '.join(WHITESPACE)}")
    if whitespace == "count":
        return None
    if is_shown:
        raise UsageError("a report shows text with its whitespace; leave out whitespace=ignore")
    return WhitespaceIgnored(collection)
