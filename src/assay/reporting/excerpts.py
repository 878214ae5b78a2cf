"""What a report keeps of a run while it is measured: the first results of each topic, the ranks of judged documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.charts.curves import BudgetReading, reading
from assay.checking.audit import AuditedBlock, audited_block
from assay.errors import count_noun
from assay.evaluation.measuring import Measuring
from assay.evaluation.misses import Reach, reach_of
from assay.measures.base import Measure
from assay.ranking.align import Aligned, Returned
from assay.ranking.documents import Values
from assay.ranking.kinds import DOCUMENTS, ELEMENTS, SAMPLED, SUBTOPICS, TEXT, Kind
from assay.ranking.pool import Pool
from assay.reporting.findings import as_written, valuations, worth
from assay.reporting.workings import Workings, workings
from assay.tables.ids import Bools, Floats, Ids, Ints
from assay.tables.intervals import Spans
from assay.tables.run import ElementRun, Run, SpanRun
from assay.vocabulary import Fit

if TYPE_CHECKING:
    from assay.ranking.text import TextRanking


# What a run returned, best first, with what is known of each result by the kind of its ranking.


@dataclass(frozen=True, eq=False, repr=False)
class Listing:
    """The results of some topics, best first: one row per result, those of the n-th of `topics` from `starts[n]` on.

    `judged` is the judgment of the document, -1 if there is none. What is not known of a run, or means nothing for
    it, is None: `gain` and `size` in characters; `pieces`, the text that was not seen before; of elements whether they
    are `relevant`, and `worth`, what they gave in each way in which the measures value them.
    """

    topics: Ints
    starts: Ints
    document: Ids
    judged: Ints
    start: Ints | None = None
    end: Ints | None = None
    path: list[str] | None = None
    gain: Values | None = None
    size: Ints | None = None
    pieces: Spans | None = None
    relevant: Bools | None = None
    worth: list[Floats] | None = None

    @cached_property
    def rank(self) -> Ints:
        """The rank of each result."""
        return np.arange(self.starts[-1]) - np.repeat(self.starts[:-1], np.diff(self.starts)) + 1


def listed_results(aligned: Aligned, kind: Kind, measures: list[Measure]) -> Listing:
    """The results that were measured, with what is known of each by the ranking of its kind."""
    returned = aligned.returned()
    known = FACTS[kind](returned, aligned.ranking, measures)
    return Listing(aligned.topics, returned.starts, returned.run.document[returned.row], returned.judged, **known)


def of_documents(returned: Returned, ranking: Any, measures: list[Measure]) -> dict[str, Any]:
    """Of documents nothing more is known."""
    return {}


def text_columns(returned: Returned, ranking: Any, measures: list[Measure]) -> dict[str, Any]:
    """The characters that count, and how many of them are highlighted, as the measures have them."""
    places = {"start": ranking.start, "end": ranking.end, "path": paths(returned.run, returned.row)}
    return places | {"gain": ranking.found, "size": ranking.size, "pieces": ranking.pieces[ranking.fresh]}


def element_columns(returned: Returned, ranking: Any, measures: list[Measure]) -> dict[str, Any]:
    """Whether each element is relevant, what it gave to the measures, and its characters if they are known."""
    run, row = returned.run, returned.row
    start, end = (run.start[row], run.end[row]) if isinstance(run, SpanRun) else (None, None)
    gave = [worth(ranking, valuation) for valuation in valuations(measures)]
    known = {"path": ranking.path, "size": ranking.size, "relevant": ranking.worth("gen") > 0, "worth": gave}
    return {"start": start, "end": end, **known}


FACTS: dict[Kind, Callable[[Returned, Any, list[Measure]], dict[str, Any]]] = {
    DOCUMENTS: of_documents,
    SUBTOPICS: of_documents,
    SAMPLED: of_documents,
    TEXT: text_columns,
    ELEMENTS: element_columns,
}


def paths(run: Run, rows: Ints) -> list[str] | None:
    """The paths of some results; a passage runs from one to another."""
    if not isinstance(run, ElementRun):
        return None
    ends = zip(run.path[rows].texts(), run.last[rows].texts(), strict=True)
    return [" to ".join(filter(None, pair)) for pair in ends]


# What was found at the cut-offs of the measures, and by what the rest was lost: budget, rank, or search.

# With more pairs of a system and a topic the page has the losses at the first cut-off only.
MANY = 20_000
# The columns of losses, in characters: read and found until the cut-off, in the rest of the result that the budget
# cuts, and in results below the cut-off.
COLUMNS = ("read", "found", "cut", "low")


WHOLE: dict[Fit, list[str]] = {"cut": [], "stop": ["whole results"], "skip": ["results that fit"]}


@dataclass(frozen=True)
class CutOff:
    """Where a reader stops: after some results, characters or tokens, or at the end; and whether a result is cut."""

    k: int | None = None
    chars: int | None = None
    tokens: int | None = None
    fit: Fit = "cut"

    def words(self) -> str:
        """The cut-off as the page names it."""
        nouns = {"result": self.k, "character": self.chars, "token": self.tokens}
        limits = [count_noun(limit, noun) for noun, limit in nouns.items() if limit is not None]
        return ", ".join([*limits, *WHOLE[self.fit]]) or "all results"

    @property
    def is_budget(self) -> bool:
        """Whether a result may be cut."""
        return self.fit == "cut" and (self.chars is not None or self.tokens is not None)


def cut_off_of(measure: Measure) -> CutOff | None:
    """Where a measure of text stops; None if it has no place to."""
    if measure.unit == "document" or not {"k", "chars"} <= type(measure).parameters().keys():
        return None
    k, chars, tokens = (getattr(measure, name, None) for name in ("k", "chars", "tokens"))
    return CutOff(k, chars, tokens, getattr(measure, "fit", "cut"))


def cut_offs(measures: Sequence[Measure], pairs: int) -> list[CutOff]:
    """The cut-offs of some measures as they come, and last the end; the first alone if there are many pairs."""
    known = [cut for measure in measures if (cut := cut_off_of(measure)) and cut != CutOff()]
    every = list(dict.fromkeys([*known, CutOff()]))
    return every if pairs <= MANY else every[:1]


def losses(ranking: TextRanking, cut: CutOff) -> Ints:
    """What was read, found and lost in each topic of a ranking: one row per topic, one column for each of COLUMNS."""
    top = ranking.top(cut.k)
    within = top.within(cut.chars, cut.tokens, cut.fit)
    # what a result has whose end the budget cuts off is lost by the budget, not by the rank
    begun = top.top(np.diff(within.starts)) if cut.is_budget else within
    read, in_begun, in_all = (part.total(part.found) for part in (within, begun, ranking))
    return np.stack((within.total(within.size), read, in_begun - read, in_all - in_begun), axis=1)


# How many results of a ranking are shown if there is room for them; with many systems and topics fewer.
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

    `judged` are the judged documents that were returned, `rank` is where each is first, and `gain` what its
    results gave, None if that means nothing. Of text `losses` says what was found and lost at each cut-off, in the
    order of `numbers`, those of the topics, `reading` when it was found, and `reach` how far each fact was reached.
    `workings` says how values come about, and `audited` what the audit of the test set asks of the block.
    """

    topics: dict[int, FirstResults]
    judged: Ints
    rank: Ints
    gain: Values | None
    coverage: Coverage
    numbers: Ints
    losses: list[Ints]
    reading: BudgetReading | None
    workings: dict[int, Workings]
    audited: AuditedBlock | None
    reach: Reach | None


def excerpt(measuring: Measuring, kind: Kind, aligned: Aligned, shown: int, audited_by: Measure | None) -> Excerpt:
    """What is kept of a block; the first `shown` measures are those of the page, and one of them is that of the audit.
    """
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
    coverage = count_judged(results, measuring.pool)
    worked = workings(measuring, kind, aligned, shown)
    audited = None if audited_by is None else audited_block(measuring, kind, aligned, measure=audited_by)
    select_annotators = misses_measure(measuring.measures)
    reach = reach_of(ranking, select_annotators) if read and select_annotators else None
    ranks = results.rank[rows[first]]
    return Excerpt(topics, judged, ranks, gain, coverage, aligned.topics, lost, read, worked, audited, reach)


def misses_measure(measures: Sequence[Measure]) -> Measure | None:
    """The measure that says which questions lost most: the first of text that has a cut-off."""
    of_text = (each for each in measures if cut_off_of(each) and TEXT in each.kinds)
    return next((each for each in of_text if not each.less_is_better), None)


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


def count_judged(results: Listing, pool: Pool) -> Coverage:
    """How much of a block is judged, and of the first ten results of each of its topics."""
    judged, first = pool.is_graded(results.judged), results.rank <= 10
    counts = (len(judged), judged.sum(), first.sum(), (judged & first).sum())
    return Coverage(int(np.count_nonzero(np.diff(results.starts))), *(int(count) for count in counts))


def short_numbers(values: Values) -> list[Any]:
    """Numbers, whole ones without a point and others to six digits."""
    return [int(value) if value == int(value) else float(f"{value:.6g}") for value in values.tolist()]
