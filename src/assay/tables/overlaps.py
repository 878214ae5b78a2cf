"""Spans of one document that share text: which do, which text is seen first in which, and which are kept apart."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from assay.tables.ids import Bools, Ints
from assay.tables.intervals import Line, Spans
from assay.tables.sorting import ascending

# So many spans of each document are kept at once; those behind them one by one.
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
    not. Only where there are more than two, and they are not longer, are they looked at one behind the other.
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


def kept_apart(spans: Spans, order: Ints) -> Bools:
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
    kept[rows] = kept_one_by_one(spans[rows])
    return kept


def kept_one_by_one(spans: Spans) -> Bools:
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
