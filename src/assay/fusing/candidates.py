"""What is one candidate of a fusion, and in which result of each run it stands.

Whole documents of one id are one candidate, and elements of one path. Spans are fused as their text is: each character
has the rank and the score that the first result with it has in a run, and characters that follow one another and
stand in the same results stay together. So the same chunks stay whole, and of chunks that overlap the common text,
which more runs have, is a candidate of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import AssayError
from assay.tables.ids import Bools, Ids, Ints, Keys
from assay.tables.intervals import Line, Spans
from assay.tables.overlaps import seen_first
from assay.tables.sorting import each_in_turn

NOWHERE = -1


@dataclass(frozen=True, eq=False, repr=False)
class Candidates:
    """result[candidate, run]: the number of the result in which a candidate stands, or NOWHERE.

    `example` is a result with each candidate, which tells its topic and its document. Of text there are `start` and
    `end` too. `again` are the results of which something stands in an earlier result of their run.
    """

    result: Ints
    example: Ints
    again: Bools
    start: Ints | None = None
    end: Ints | None = None


def uncut(keys: Keys, ids: list[Ids], run: Ints, runs: int) -> Candidates:
    """The candidates that results are which are not cut: those of equal keys. `ids` are the columns of which the keys
    were made, so that nothing depends on chance. Of equal results of a run the first counts.
    """
    example, number = keys_numbered(keys, ids)
    result = listed_in(len(example), runs, number, run, np.arange(len(keys)))
    return Candidates(result, example, result[number, run] != np.arange(len(keys)))


def pieces(keys: Keys, documents: Ids, spans: Spans, run: Ints, runs: int) -> Candidates:
    """The candidates that text is: characters that follow one another and stand in the same results of all runs.

    The results of each run stand best first. An empty result has no text, and is one with those at the same place.
    """
    first, document = keys_numbered(keys, [documents])
    # every run reads each document by itself
    row, seen = seen_first(
        Spans(document * runs + run, spans.start, spans.end), np.arange(len(keys)), len(first) * runs
    )
    again = np.bincount(row, seen.size, minlength=len(keys)) < spans.size
    line = Line(document, spans.end, len(first))
    begin = line.begin[document]
    parts = [shown_stretches(row, seen.start + begin[row], seen.end + begin[row], run, runs)]
    if len(empty := np.flatnonzero(spans.size == 0)):
        parts.append(entry_points(empty, spans.start[empty] + begin[empty], run, runs))
    result, start, end = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    example = result.max(axis=1)
    return Candidates(result, example, again, start - begin[example], end - begin[example])


def keys_numbered(keys: Keys, ids: list[Ids]) -> tuple[Ints, Ints]:
    """The row where each different key stands first, and of each row the number of its key among those."""
    first, number = each_in_turn(keys)
    example = first[number]
    if not all(np.all(column.same_as(example)) for column in ids):
        raise AssayError("two different results share a 64-bit key; please report this")
    return first, number


def listed_in(candidates: int, runs: int, number: Ints, run: Ints, result: Ints) -> Ints:
    """result[candidate, run] of results and the numbers of the candidates that they have; the first counts."""
    behind_all = np.iinfo(np.int64).max
    table = np.full(candidates * runs, behind_all)
    np.minimum.at(table, number * runs + run, result)
    return np.where(table == behind_all, NOWHERE, table).reshape(candidates, runs)


def shown_stretches(row: Ints, start: Ints, end: Ints, run: Ints, runs: int) -> tuple[Ints, Ints, Ints]:
    """The results of text between neighbouring bounds, and its start and end, where the text is that results show
    first: from which place of the line to which, and the number of the result.
    """
    bounds = np.unique(np.concatenate((start, end)))
    left, width = np.searchsorted(bounds, start), np.searchsorted(bounds, end) - np.searchsorted(bounds, start)
    stretch = np.arange(width.sum()) + np.repeat(left - np.cumsum(width) + width, width)
    shown = np.repeat(row, width)
    result = listed_in(len(bounds), runs, stretch, run[shown], shown)
    at = np.flatnonzero((result != NOWHERE).any(axis=1))
    return result[at], bounds[at], bounds[at + 1] if len(at) else bounds[at]


def entry_points(empty: Ints, place: Ints, run: Ints, runs: int) -> tuple[Ints, Ints, Ints]:
    """The empty results at the same place, and that place, which is start and end."""
    places, number = np.unique(place, return_inverse=True)
    return listed_in(len(places), runs, number, run[empty], empty), places, places
