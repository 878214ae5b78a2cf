"""[start, end) arithmetic on columns: union, gaps, highlighted text, what is read until enough was in vain.

The documents are laid end to end on one line, so that one sorted column answers for all of them at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import InputError
from assay.tables.ids import Bools, Ints
from assay.tables.judgments import Highlights
from assay.tables.sorting import ascending

LONGEST_LINE = 1 << 62


class Line:
    """Documents laid end to end: where each begins, with a character between it and the next."""

    def __init__(self, document: Ints, end: Ints, documents: int):
        self.last = np.zeros(documents, np.int64)
        np.maximum.at(self.last, document, end)
        if float(self.last.sum(dtype=np.float64)) + documents > LONGEST_LINE:
            raise InputError("the documents are too long together to be counted; are the offsets characters?")
        self.begin = np.concatenate(([0], np.cumsum(self.last + 1)))

    def place(self, document: Ints, offset: Ints) -> Ints:
        """The place on the line of an offset in a document; what lies behind the last known end is at that end."""
        return self.begin[document] + np.minimum(offset, self.last[document])


@dataclass(frozen=True, eq=False, repr=False)
class Spans:
    """Spans of documents; `document` is a number."""

    document: Ints
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, rows: Ints | Bools | slice) -> Spans:
        if isinstance(rows, np.ndarray) and rows.dtype == bool:
            # which rows these are is then told once, and not for each column
            rows = np.flatnonzero(rows)
        return Spans(self.document[rows], self.start[rows], self.end[rows])

    def sharing_with(self, row: int) -> Bools:
        """Which spans share text with one of them; it does so itself, unless it is empty."""
        first, last = np.maximum(self.start, self.start[row]), np.minimum(self.end, self.end[row])
        return (self.document == self.document[row]) & (first < last)

    @property
    def size(self) -> Ints:
        """The number of characters of each."""
        return self.end - self.start

    def on_line(self, documents: int) -> tuple[Spans, Ints]:
        """The spans that are not empty by document and start, and the place
        on the line where the document of each begins.
        """
        spans = self if np.all(self.end > self.start) else self[self.end > self.start]
        begin = Line(spans.document, spans.end, documents).begin[spans.document]
        place = spans.start + begin
        if np.all(place[1:] >= place[:-1]):
            return spans, begin
        order = ascending(place)
        return spans[order], begin[order]

    def union(self, documents: int) -> Spans:
        """The text that is in any of the spans, as spans that neither overlap nor touch, in order."""
        spans, begin = self.on_line(documents)
        reach = np.maximum.accumulate(spans.end + begin)
        new = np.append(True, (spans.start + begin)[1:] > reach[:-1])[: len(spans)]
        first = np.flatnonzero(new)
        last = np.append(first[1:], len(spans))[: len(first)] - 1
        return Spans(spans.document[first], spans.start[first], (reach - begin)[last])


class Marks:
    """Highlighted text of documents: how much of it is before a place,
    and where the text is that is not highlighted.
    """

    def __init__(self, highlights: Highlights, documents: int):
        spans = Spans(highlights.row, highlights.start, highlights.end).union(documents)
        self.spans = spans
        self.line = Line(spans.document, spans.end, documents)
        self.size = np.bincount(spans.document, spans.size, minlength=documents).astype(np.int64)
        self._start, self._end = (
            spans.start + self.line.begin[spans.document],
            spans.end + self.line.begin[spans.document],
        )
        self._ends = np.append(0, self._end)
        self._upto = np.append(0, np.cumsum(spans.size))

    def upto(self, document: Ints, offset: Ints) -> Ints:
        """The highlighted characters on the line before an offset in a document."""
        place = self.line.place(document, offset)
        begun = np.searchsorted(self._start, place)
        return self._upto[begun] - np.maximum(self._ends[begun] - place, 0)

    def within(self, spans: Spans) -> Ints:
        """The highlighted characters in each span."""
        return self.upto(spans.document, spans.end) - self.upto(spans.document, spans.start)

    def shared(self, spans: Spans) -> tuple[Ints, Ints, Ints]:
        """The highlighted stretches in spans, in order: the number of the span, start and end."""
        first = np.searchsorted(self._end, self.line.place(spans.document, spans.start), side="right")
        stop = np.searchsorted(self._start, self.line.place(spans.document, spans.end))
        number = np.where(spans.end > spans.start, np.maximum(stop - first, 0), 0)
        span = np.repeat(np.arange(len(spans)), number)
        mark = np.arange(len(span)) + np.repeat(first - np.cumsum(number) + number, number)
        return (
            span,
            np.maximum(spans.start[span], self.spans.start[mark]),
            np.minimum(spans.end[span], self.spans.end[mark]),
        )

    def passing(self, document: Ints, start: Ints, number: Ints) -> Ints:
        """Where a reader who begins at `start` has read so many characters that are not highlighted."""
        # such characters before the beginning of each highlighted span, on the line
        others = self._start - self._upto[:-1]
        place = self.line.begin[document] + start
        before = place - self.upto(document, start)
        wanted = before + number
        passed = np.searchsorted(others, wanted)
        # behind the last highlighted span of the document everything counts
        end = np.searchsorted(self.spans.document, document, side="right")
        return wanted + self._upto[np.minimum(passed, end)] - self.line.begin[document]


class ListedText:
    """Text of documents as it is listed: where spans overlap, their common text counts as often as it is listed."""

    def __init__(self, spans: Spans, documents: int):
        self.line = Line(spans.document, spans.end, documents)
        places = [column + self.line.begin[spans.document] for column in (spans.start, spans.end)]
        self._bounds, bound = np.unique(np.concatenate([np.zeros(1, np.int64), *places]), return_inverse=True)
        step = np.repeat([0, 1, -1], [1, len(spans), len(spans)])
        # how many spans are over the text behind each bound, and how much text was listed before it
        self._times = np.cumsum(np.bincount(bound, step)).astype(np.int64)
        self._upto = np.append(0, np.cumsum(self._times[:-1] * np.diff(self._bounds)))

    def upto(self, document: Ints, offset: Ints) -> Ints:
        """The listed characters on the line before an offset in a document."""
        place = self.line.place(document, offset)
        bound = np.searchsorted(self._bounds, place, side="right") - 1
        return self._upto[bound] + self._times[bound] * (place - self._bounds[bound])

    def within(self, spans: Spans) -> Ints:
        """The listed characters in each span."""
        return self.upto(spans.document, spans.end) - self.upto(spans.document, spans.start)


def gaps(spans: Spans, length: Ints) -> Spans:
    """The text of each document that is in none of the spans, which are in order and apart."""
    document = np.concatenate((spans.document, np.arange(len(length))))
    start = np.concatenate((spans.end, np.zeros(len(length), np.int64)))
    order = np.lexsort((start, document))
    document, start = document[order], start[order]
    end = length[document]
    # a gap ends where the next span begins; the spans and the gaps before them stand in the same order
    followed = np.append(document[1:] == document[:-1], False)[: len(document)]
    end[followed] = np.minimum(end[followed], spans.start)
    between = Spans(document, start, end)
    return between[between.size > 0]
