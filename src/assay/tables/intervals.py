"""[start, end) arithmetic on columns: union, gaps, highlighted text, what is read until enough was in vain.

The documents are laid end to end on one line, so that one sorted column answers for all of them at once.
"""

from __future__ import annotations

from bisect import bisect_left
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
            raise InputError("the offsets are too large to add up over the documents; do they count characters?")
        self.begin = np.concatenate(([0], np.cumsum(self.last + 1)))

    def place(self, document: Ints, offset: Ints) -> Ints:
        """The place on the line of an offset in a document; what lies after the last known end is at that end."""
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

    def not_empty(self) -> Spans:
        """The spans that have any text."""
        return self if np.all(self.end > self.start) else self[self.end > self.start]

    def on_line(self, documents: int) -> tuple[Spans, Ints]:
        """The spans that are not empty by document and start, and the place
        on the line where the document of each begins.
        """
        spans = self.not_empty()
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
        """Where a reader who begins at `start` has read this many characters that are not highlighted."""
        # such characters before the beginning of each highlighted span, on the line
        others = self._start - self._upto[:-1]
        place = self.line.begin[document] + start
        before = place - self.upto(document, start)
        wanted = before + number
        passed = np.searchsorted(others, wanted)
        # after the last highlighted span of the document everything counts
        end = np.searchsorted(self.spans.document, document, side="right")
        return wanted + self._upto[np.minimum(passed, end)] - self.line.begin[document]


class ListedText:
    """Text of documents as it is listed: where spans overlap, their common text counts as often as it is listed."""

    def __init__(self, spans: Spans, documents: int):
        self.line = Line(spans.document, spans.end, documents)
        places = [column + self.line.begin[spans.document] for column in (spans.start, spans.end)]
        self._bounds, bound = np.unique(np.concatenate([np.zeros(1, np.int64), *places]), return_inverse=True)
        step = np.repeat([0, 1, -1], [1, len(spans), len(spans)])
        # how many spans are over the text after each bound, and how much text was listed before it
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
    # a gap ends where the next span begins; the spans and the gaps before them are in the same order
    followed = np.append(document[1:] == document[:-1], False)[: len(document)]
    end[followed] = np.minimum(end[followed], spans.start)
    between = Spans(document, start, end)
    return between[between.size > 0]


# Spans of one document that share text: which do, which text is seen first in which, and which are kept apart.

# How many spans of each document are kept at once; those after them one by one.
ROUNDS = 64


def seen_first(spans: Spans, order: Ints, documents: int) -> tuple[Ints, Spans]:
    """Of each span the text that is in no span before it in `order`: pieces, and the row of the span that each is of.

    Between neighbouring bounds the text belongs to the first span over it. It is found for all at once: a span hands
    its place in the order to two stretches of 2^k bounds that together are the span, and stretches hand it down to
    their halves.
    """
    line = Line(spans.document, spans.end, documents)
    bounds, left, right = bounds_of(*(column + line.begin[spans.document] for column in (spans.start, spans.end)))
    filled = np.flatnonzero(right > left)
    level = np.frexp((right - left)[filled])[1] - 1
    nobody = len(spans)
    owner = np.full(len(bounds), nobody)
    # the places in the order are all different
    which = np.full(int(order.max(initial=-1)) + 1, nobody)
    which[order] = np.arange(len(spans))
    by_rank = which[which < nobody]
    rank = np.empty(len(spans), np.int64)
    rank[by_rank] = np.arange(len(spans))
    for k in range(int(level.max(initial=0)), -1, -1):
        here = filled[level == k]
        np.minimum.at(owner, left[here], rank[here])
        np.minimum.at(owner, right[here] - (1 << k), rank[here])
        if k:
            half = 1 << (k - 1)
            handed = owner.copy()
            handed[half:] = np.minimum(handed[half:], owner[:-half])
            owner = handed
    stretch = np.flatnonzero(owner[:-1] < nobody)
    new = np.append(True, (owner[stretch][1:] != owner[stretch][:-1]) | (np.diff(stretch) > 1))[: len(stretch)]
    first = stretch[new]
    last = np.append(stretch[np.flatnonzero(new)[1:] - 1], stretch[-1:])
    row = by_rank[owner[first]]
    document = spans.document[row]
    begin = line.begin[document]
    return row, Spans(document, bounds[first] - begin, bounds[last + 1] - begin)


def bounds_of(start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """The places where anything begins or ends, each once and in order, and for each start and each end which it is."""
    places = np.concatenate((start, end))
    order = ascending(places)
    places = places[order]
    new = np.append(True, places[1:] != places[:-1])[: len(places)]
    which = np.empty(len(places), np.int64)
    which[order] = np.cumsum(new) - 1
    return places[new], which[: len(start)], which[len(start) :]


def in_pieces(spans: Spans, order: Ints, documents: int) -> tuple[Spans, Bools]:
    """Each span cut where text begins or ends that is in a span before it in `order`.

    The pieces, by start for each row of the spans, which is told in the place of the document, and which of them are in
    no span before.
    """
    row, seen = seen_first(spans, order, documents)
    by_row = ascending(row)
    row, seen = row[by_row], seen[by_row]
    # The edges of a span are its start, the start and the end of each piece that is new, and its end: what lies between
    # two of these pieces was seen before.
    edges_of = 2 * np.bincount(row, minlength=len(spans)) + 2
    span_end = np.cumsum(edges_of) - 1
    new = 2 * (np.arange(len(row)) + row) + 1
    owner = np.repeat(np.arange(len(spans)), edges_of)
    edge, fresh = np.empty(len(owner), np.int64), np.zeros(len(owner), bool)
    edge[span_end - edges_of + 1], edge[span_end] = spans.start, spans.end
    edge[new], edge[new + 1] = seen.start, seen.end
    fresh[new] = True
    begin = np.flatnonzero((owner[1:] == owner[:-1]) & (edge[1:] > edge[:-1]))
    return Spans(owner[begin], edge[begin], edge[begin + 1]), fresh[begin]


def overlapping(spans: Spans, documents: int) -> Bools:
    """Which documents have spans that share text.

    Those that are longer together than the text from the first start to the last end do so, and two that are not do
    not. Only if there are more than two, and they are not longer, are they looked at one after the other.
    """
    spans = spans.not_empty()
    last = Line(spans.document, spans.end, documents).last
    first = last.copy()
    np.minimum.at(first, spans.document, spans.start)
    overlaps = np.bincount(spans.document, spans.size, minlength=documents) > last - first
    open_still = (np.bincount(spans.document, minlength=documents) > 2) & ~overlaps
    spans, begin = spans[open_still[spans.document]].on_line(documents)
    reach = np.maximum.accumulate(spans.end + begin)
    overlaps[spans.document[1:][(spans.start + begin)[1:] < reach[:-1]]] = True
    return overlaps


def first_disjoint(spans: Spans, order: Ints) -> Bools:
    """Which spans share no text with one kept before them in `order`."""
    kept = np.ones(len(spans), bool)
    rows = ascending(spans.document, order)
    rows = rows[spans.size[rows] > 0]
    for _ in range(ROUNDS):
        if not len(rows):
            return kept
        # the first span of each document is kept, and those that share text with it are not
        document = spans.document[rows]
        is_first = np.append(True, document[1:] != document[:-1])
        first = rows[is_first][np.cumsum(is_first) - 1]
        shares = (spans.start[rows] < spans.end[first]) & (spans.end[rows] > spans.start[first])
        kept[rows[shares & ~is_first]] = False
        rows = rows[~shares]
    kept[rows] = first_disjoint_one_by_one(spans[rows])
    return kept


def first_disjoint_one_by_one(spans: Spans) -> Bools:
    """Which spans share no text with one kept before them."""
    kept = np.ones(len(spans), bool)
    taken: dict[int, tuple[list[int], list[int]]] = {}
    columns = spans.document.tolist(), spans.start.tolist(), spans.end.tolist()
    for row, (document, start, end) in enumerate(zip(*columns, strict=True)):
        starts, ends = taken.setdefault(document, ([], []))
        at = bisect_left(starts, end)
        if at and ends[at - 1] > start:
            kept[row] = False
        else:
            starts.insert(at, start)
            ends.insert(at, end)
    return kept
