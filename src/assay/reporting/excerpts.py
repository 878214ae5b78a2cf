"""What a report keeps of a run while it is measured: the first results of each topic, the ranks of judged documents."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from assay.charts.budget_curves import BudgetReading, reading
from assay.evaluation.measuring import Measuring
from assay.ranking.align import Aligned
from assay.ranking.document_ranking import Values
from assay.ranking.kinds import Kind
from assay.ranking.pool import Pool
from assay.reporting.findings import as_written
from assay.reporting.losses import cut_offs, losses
from assay.reporting.rankings import Listing, listed_results
from assay.tables.ids import Ints

# So many results of a ranking are shown where there is room for them; with many systems and topics fewer.
STEPS = (100, 50, 20, 10, 5)
ROOM = 75_000


def shown_results(systems: int, topics: int) -> int:
    """How many results of each ranking the page has room for."""
    return next((step for step in STEPS if systems * topics * step <= ROOM), STEPS[-1])


@dataclass(frozen=True, eq=False, repr=False)
class FirstResults:
    """The first results of a topic: their documents, the judgments of these or -1, and further columns of the page."""

    documents: list[str]
    judged: list[int]
    columns: dict[str, Any]


@dataclass(eq=False, repr=False)
class Coverage:
    """How much of what a run returned was judged: of all results, and of the first ten of each topic."""

    topics: int = 0
    results: int = 0
    judged: int = 0
    first: int = 0
    first_judged: int = 0

    def __add__(self, other: Coverage) -> Coverage:
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Coverage(*(mine + theirs for mine, theirs in pairs))


@dataclass(frozen=True, eq=False, repr=False)
class Excerpt:
    """What is kept of a block of a run: the first results of each of its topics, by the number of the topic.

    `judged` are the judged documents that were returned, `rank` is where each stands first, and `gain` what its
    results gave, None where that means nothing. Of text `losses` tells what was found and lost at each cut-off, in the
    order of `numbers`, those of the topics, and `reading` when it was found.
    """

    topics: dict[int, FirstResults]
    judged: Ints
    rank: Ints
    gain: Values | None
    coverage: Coverage
    numbers: Ints
    losses: list[Ints]
    reading: BudgetReading | None


def excerpt(measuring: Measuring, kind: Kind, aligned: Aligned) -> Excerpt:
    """What is kept of a block."""
    most = shown_results(len(measuring.systems), len(measuring.pool.topics))
    results = listed_results(aligned, kind, measuring.measures)
    rows = np.flatnonzero(results.judged >= 0)
    judged, first, number = np.unique(results.judged[rows], return_index=True, return_inverse=True)
    gain = None if results.gain is None else np.bincount(number, results.gain[rows], minlength=len(judged))
    bounds = pairwise(results.starts.tolist())
    topics = {
        topic: first_results(results, begin, end, most)
        for topic, (begin, end) in zip(results.topics.tolist(), bounds, strict=True)
    }  # fmt: skip
    pairs = len(measuring.systems) * len(measuring.pool.topics)
    read = reading(measuring, kind, aligned)
    ranking: Any = aligned.ranking
    lost = [losses(ranking, cut) for cut in cut_offs(measuring.measures, pairs)] if read else []
    coverage = covered(results, measuring.pool)
    return Excerpt(topics, judged, results.rank[rows[first]], gain, coverage, aligned.topics, lost, read)


def first_results(results: Listing, begin: int, end: int, most: int) -> FirstResults:
    """The first results of a topic, whose rows are those from `begin` to `end`."""
    top = slice(begin, min(end, begin + most))
    # the numbers of the documents are known when the pages are made
    columns: dict[str, Any] = {"results": end - begin, "document": []}
    if results.start is not None and results.end is not None:
        columns |= {"start": results.start[top].tolist(), "length": (results.end - results.start)[top].tolist()}
    if results.path is not None:
        columns["path"] = results.path[top]
    if results.gain is not None:
        columns["gain"] = short_numbers(results.gain[top])
    if results.relevant is not None and results.worth is not None:
        columns["relevant"] = results.relevant[top].astype(int).tolist()
        columns["gave"] = [[as_written(value) for value in worth[top].tolist()] for worth in results.worth]
    if results.size is not None:
        size = results.size[top].tolist()
        columns |= {"size": size} if size != columns.get("length") else {}
    if results.pieces is not None:
        columns |= counted_pieces(results, top)
    return FirstResults(results.document[top].texts(), results.judged[top].tolist(), columns)


def counted_pieces(results: Listing, top: slice) -> dict[str, Any]:
    """The text that counts of results of which not all counts: starts and lengths in turn, by number of the result."""
    assert results.pieces is not None and results.start is not None and results.end is not None
    first, last = np.searchsorted(results.pieces.document, [top.start, top.stop])
    pieces: dict[int, list[int]] = {}
    inside = results.pieces[first:last]
    for row, start, end in zip(inside.document.tolist(), inside.start.tolist(), inside.end.tolist(), strict=True):
        pieces.setdefault(row, []).extend((start, end - start))
    spans = zip(results.start[top].tolist(), (results.end - results.start)[top].tolist(), strict=True)
    rows = (row for row, span in enumerate(spans, top.start) if pieces.get(row) != [*span])
    cut = {row - top.start: pieces.get(row, []) for row in rows}
    return {"pieces": cut} if cut else {}


def covered(results: Listing, pool: Pool) -> Coverage:
    """How much of a block is judged, and of the first ten results of each of its topics."""
    judged, first = pool.is_graded(results.judged), results.rank <= 10
    counts = (len(judged), judged.sum(), first.sum(), (judged & first).sum())
    return Coverage(int(np.count_nonzero(np.diff(results.starts))), *(int(count) for count in counts))


def short_numbers(values: Values) -> list[Any]:
    """Numbers, whole ones without a point and others to six digits."""
    return [int(value) if value == int(value) else float(f"{value:.6g}") for value in values.tolist()]
