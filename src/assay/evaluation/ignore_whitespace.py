"""Runs and judgments whose characters are counted without blanks."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from assay.documents.folding import codes_of
from assay.errors import InputError, UsageError
from assay.evaluation.notes import OF_GOLD, sentences
from assay.tables.ids import Bools, Ids, Ints
from assay.tables.judgments import HighlightJudgments, Highlights, Judgments
from assay.tables.notes import Notes
from assay.tables.run import ElementRun, Run, SpanRun, SurroundedSpanRun
from assay.vocabulary import BLANKS, Blanks

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection


class BlanksIgnored:
    """Makes of runs and judgments such that count only characters that are not blank."""

    def __init__(self, collection: DocumentCollection | None):
        if collection is None:
            raise UsageError("blanks are known only from the documents: give documents=")
        self.counting = WithoutBlanks(collection)

    def judgments(self, judgments: Judgments) -> tuple[Judgments, str]:
        """The judgments, and a note on what that changes."""
        if not isinstance(judgments, HighlightJudgments):
            raise InputError("has no highlighted text; blanks=ignore is for text that is highlighted", judgments.name)
        highlights, documents = judgments.highlights, judgments.document
        start, end = self.counting.offsets(documents[highlights.row], highlights.start, highlights.end)
        (entry,) = self.counting.offsets(documents, highlights.entry)
        lengths = self.counting.lengths(documents)
        told = Highlights(highlights.row, start, end, lengths, entry, np.full(len(judgments), -1))
        before, after = characters(highlights.start, highlights.end), characters(start, end)
        notes = Notes()
        notes.add("blanks", low=after, high=before)
        (note,) = sentences(OF_GOLD, [(judgments.name, notes)])
        return replace(judgments, highlights=told), note

    def run(self, run: Run) -> Run:
        """The run; where it returns whole documents these have their lengths without blanks."""
        if isinstance(run, SpanRun):
            return self.spans(run)
        if isinstance(run, ElementRun):
            return run
        return SpanRun(**vars(run), start=np.zeros(len(run), np.int64), end=self.counting.lengths(run.document))

    def spans(self, run: SpanRun) -> SpanRun:
        """A run of spans."""
        start, end = self.counting.offsets(run.document, run.start, run.end)
        if isinstance(run, SurroundedSpanRun):
            before, after = (Ids.of(["".join(text.split()) for text in ids.texts()]) for ids in (run.before, run.after))
            run = replace(run, before=before, after=after)
        return replace(run, start=start, end=end)


def characters(start: Ints, end: Ints) -> int:
    """How many characters some spans have."""
    return int((end - start).sum())


def blanks_ignored(blanks: Blanks, collection: DocumentCollection | None, is_shown: bool) -> BlanksIgnored | None:
    """What leaves blanks out, where that is asked for; not where the text is shown, which has its blanks."""
    if blanks not in BLANKS:
        raise UsageError(f"unknown policy for blanks {blanks!r}; expected one of {', '.join(BLANKS)}")
    if blanks == "count":
        return None
    if is_shown:
        raise UsageError("a report shows text with its blanks; blanks=ignore is for evaluate, compare and correlate")
    return BlanksIgnored(collection)


# Offsets that count only characters that are not blank: as many as stand before a place.

# So many characters of documents are kept counted: some hundred megabytes.
MOST_COUNTED = 50_000_000


@cache
def blank_codes() -> Bools:
    """For each character whether it is blank."""
    blanks = np.zeros(sys.maxunicode + 1, bool)
    blanks[[code for code in range(0x3001) if chr(code).isspace()]] = True
    return blanks


def counts_of(text: str) -> Ints:
    """How many characters before each place, and before the end, are not blank."""
    return np.append(0, np.cumsum(~blank_codes()[codes_of(text)], dtype=np.int64))


class WithoutBlanks:
    """Documents whose characters are counted without blanks."""

    def __init__(self, collection: DocumentCollection):
        self.collection = collection
        self._counts: dict[str, Ints] = {}
        self._kept = 0

    def offsets(self, documents: Ids, *places: Ints) -> list[Ints]:
        """Places in documents, counted without blanks; what lies behind the end lies as far behind it."""
        names = documents.texts()
        rows: dict[str, list[int]] = {}
        for row, name in enumerate(names):
            rows.setdefault(name, []).append(row)
        counted = [place.copy() for place in places]
        self._load(list(rows))
        for name, here in rows.items():
            counts = self._counts_of(name)
            at = np.array(here)
            for place, result in zip(places, counted, strict=True):
                within = np.minimum(place[at], len(counts) - 1)
                result[at] = np.where(place[at] < 0, place[at], counts[within] + place[at] - within)
        return counted

    def lengths(self, documents: Ids) -> Ints:
        """The lengths of documents without blanks."""
        whole = self.collection.lengths(documents.texts())
        return self.offsets(documents, whole)[0]

    def _load(self, names: list[str]) -> None:
        new = [name for name in names if name not in self._counts]
        # all that are not there are told at once
        self.collection.lengths(new)
        for name, text in self.collection.texts(new):
            if self._kept < MOST_COUNTED:
                self._counts[name] = counts_of(text)
                self._kept += len(text)

    def _counts_of(self, name: str) -> Ints:
        known = self._counts.get(name)
        return counts_of(self.collection.text(name)) if known is None else known
