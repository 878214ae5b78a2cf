"""Arithmetic with spans [start, end) in columns: union, gaps, overlap, highlighted text, text seen first.

The documents are laid end to end on one line, so that one sorted column serves all documents at once.
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
    """Documents laid end to end, with one character between neighbours; `begin` is where each document begins."""

    def __init__(self, document: Ints, end: Ints, documents: int):
        self.last = np.zeros(documents, np.int64)
        np.maximum.at(self.last, document, end)
        if float(self.last.sum(dtype=np.float64)) + documents > LONGEST_LINE:
            raise InputError("the offsets are too large to add up over the documents; do they count characters?")
        self.begin = np.concatenate(([0], np.cumsum(self.last + 1)))

    def place(self, document: Ints, offset: Ints) -> Ints:
        """Return the position on the line of an offset in a document; offsets after the last known end are at that end.
        """
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
            # find the rows once instead of once per column
            rows = np.flatnonzero(rows)
        return Spans(self.document[rows], self.start[rows], self.end[rows])

    def sharing_with(self, row: int) -> Bools:
        """Return which spans overlap one of them; that span overlaps itself unless it is empty."""
        first, last = np.maximum(self.start, self.start[row]), np.minimum(self.end, self.end[row])
        return (self.document == self.document[row]) & (first < last)

    @property
    def size(self) -> Ints:
        """The number of characters of each span."""
        return self.end - self.start

    def not_empty(self) -> Spans:
        """Return the spans that are not empty."""
        return self if np.all(self.end > self.start) else self[self.end > self.start]

    def on_line(self, documents: int) -> tuple[Spans, Ints]:
        """Return the non-empty spans by document and start, and the position on the line where each document begins."""
        spans = self.not_empty()
        begin = Line(spans.document, spans.end, documents).begin[spans.document]
        place = spans.start + begin
        if np.all(place[1:] >= place[:-1]):
            return spans, begin
        order = ascending(place)
        return spans[order], begin[order]

    def union(self, documents: int) -> Spans:
        """Return the union of the spans: in order, and without spans that overlap or touch."""
        spans, begin = self.on_line(documents)
        reach = np.maximum.accumulate(spans.end + begin)
        new = np.append(True, (spans.start + begin)[1:] > reach[:-1])[: len(spans)]
        first = np.flatnonzero(new)
        last = np.append(first[1:], len(spans))[: len(first)] - 1
        return Spans(spans.document[first], spans.start[first], (reach - begin)[last])


class Marks:
    """The highlighted text of documents: how much of it comes before an offset, and how much other text."""

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
        """Return the number of highlighted characters on the line before an offset in a document."""
        place = self.line.place(document, offset)
        begun = np.searchsorted(self._start, place)
        return self._upto[begun] - np.maximum(self._ends[begun] - place, 0)

    def within(self, spans: Spans) -> Ints:
        """Return the number of highlighted characters in each span."""
        return self.upto(spans.document, spans.end) - self.upto(spans.document, spans.start)

    def shared(self, spans: Spans) -> tuple[Ints, Ints, Ints]:
        """Return each highlighted stretch within the spans, in order: the number of its span, its start and its end."""
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
        """Return where a reader who begins at `start` has read `number` characters that are not highlighted."""
        # characters that are not highlighted, on the line before each highlighted span
        others = self._start - self._upto[:-1]
        place = self.line.begin[document] + start
        before = place - self.upto(document, start)
        wanted = before + number
        passed = np.searchsorted(others, wanted)
        # after the last highlighted span of the document, every character counts
        end = np.searchsorted(self.spans.document, document, side="right")
        return wanted + self._upto[np.minimum(passed, end)] - self.line.begin[document]


class ListedText:
    """Text of documents that counts as often as it is listed: text in two spans counts twice."""

    def __init__(self, spans: Spans, documents: int):
        self.line = Line(spans.document, spans.end, documents)
        places = [column + self.line.begin[spans.document] for column in (spans.start, spans.end)]
        self._bounds, bound = np.unique(np.concatenate([np.zeros(1, np.int64), *places]), return_inverse=True)
        step = np.repeat([0, 1, -1], [1, len(spans), len(spans)])
        # how many spans cover the text after each bound, and how much text was listed before that bound
        self._times = np.cumsum(np.bincount(bound, step)).astype(np.int64)
        self._upto = np.append(0, np.cumsum(self._times[:-1] * np.diff(self._bounds)))

    def upto(self, document: Ints, offset: Ints) -> Ints:
        """Return the number of listed characters on the line before an offset in a document."""
        place = self.line.place(document, offset)
        bound = np.searchsorted(self._bounds, place, side="right") - 1
        return self._upto[bound] + self._times[bound] * (place - self._bounds[bound])

    def within(self, spans: Spans) -> Ints:
        """Return the number of listed characters in each span."""
        return self.upto(spans.document, spans.end) - self.upto(spans.document, spans.start)


def gaps(spans: Spans, length: Ints) -> Spans:
    """Return the text of each document that is in none of the spans. The spans are in order and do not overlap."""
    document = np.concatenate((spans.document, np.arange(len(length))))
    start = np.concatenate((spans.end, np.zeros(len(length), np.int64)))
    order = np.lexsort((start, document))
    document, start = document[order], start[order]
    end = length[document]
    # a gap ends where the next span begins; spans and the gaps before them are in the same order
    followed = np.append(document[1:] == document[:-1], False)[: len(document)]
    end[followed] = np.minimum(end[followed], spans.start)
    between = Spans(document, start, end)
    return between[between.size > 0]


# Overlapping spans of one document: which overlap, which span shows which text first, and which to keep.

# In each of this many rounds, one span of every document is kept; the remaining spans are checked one by one.
ROUNDS = 64


def seen_first(spans: Spans, order: Ints, documents: int) -> tuple[Ints, Spans]:
    """Return the pieces of each span that are in no span before it in `order`, and the row of the span of each piece.

    Between neighbouring bounds, the text belongs to the first span that covers it. To find that span for all bounds at
    once, each span hands its place in the order to two stretches of 2^k bounds that together cover it, and stretches
    hand it down to their halves.
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
    """Return all bounds, each once and in order, and for each start and each end the index of its bound."""
    places = np.concatenate((start, end))
    order = ascending(places)
    places = places[order]
    new = np.append(True, places[1:] != places[:-1])[: len(places)]
    which = np.empty(len(places), np.int64)
    which[order] = np.cumsum(new) - 1
    return places[new], which[: len(start)], which[len(start) :]


def in_pieces(spans: Spans, order: Ints, documents: int) -> tuple[Spans, Bools]:
    """Cut each span where text begins or ends that is in a span before it in `order`.

    Return the pieces and which of them are in no earlier span. The `document` of a piece is the row of its span; the
    pieces of a row are sorted by start.
    """
    row, seen = seen_first(spans, order, documents)
    by_row = ascending(row)
    row, seen = row[by_row], seen[by_row]
    # The edges of a span are its start, the start and end of each new piece, and its end. The text between two new
    # pieces was seen before.
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
    """Return which documents have spans that overlap.

    If the spans of a document are longer together than the text from the first start to the last end, they overlap; if
    they are not and there are only two, they do not. Only the remaining documents need a look at their spans in order.
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
    """Return which spans are kept: those that overlap no span kept before them in `order`."""
    kept = np.ones(len(spans), bool)
    rows = ascending(spans.document, order)
    rows = rows[spans.size[rows] > 0]
    for _ in range(ROUNDS):
        if not len(rows):
            return kept
        # keep the first span of each document, and drop those that overlap it
        document = spans.document[rows]
        is_first = np.append(True, document[1:] != document[:-1])
        first = rows[is_first][np.cumsum(is_first) - 1]
        shares = (spans.start[rows] < spans.end[first]) & (spans.end[rows] > spans.start[first])
        kept[rows[shares & ~is_first]] = False
        rows = rows[~shares]
    kept[rows] = first_disjoint_one_by_one(spans[rows])
    return kept


def first_disjoint_one_by_one(spans: Spans) -> Bools:
    """Return which spans are kept: those that overlap no span kept before them."""
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
