"""fuse: several runs -> one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from assay.converting.convert import check_depth, reading_notes, scored_by_rank, whole_spans
from assay.errors import AssayError, InputError, UsageError, count_noun
from assay.evaluation.matching import notes_on_forms
from assay.evaluation.notes import OF_RUNS, TIES, Choices, sentences, sentences_on_counts
from assay.files.threads import in_threads
from assay.fusing import ranked_lists
from assay.ranking.align import duplicates_in, rising_topics, without_repeats
from assay.ranking.order import Rules, check_duplicates, order_of, within_document
from assay.ranking.pool import CHOOSE_ONE, numbered_topics, refuse_repeated_documents
from assay.reading.format import Request
from assay.reading.given import Given, given_runs
from assay.reading.read import opened_documents, whole_run
from assay.reading.schema import told_columns
from assay.reading.text_locator import TextLocator
from assay.tables.ids import Bools, Floats, Ids, Ints, Keys
from assay.tables.intervals import Line, Spans, seen_first
from assay.tables.notes import Note, Notes
from assay.tables.run import COLUMNS, RESULT, DocumentRun, Run, SpanRun, SurroundedSpanRun, closed_up, joined_columns
from assay.tables.sorting import number_in_turn
from assay.vocabulary import Duplicates, Fusion, Normalisation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.documents.collection import DocumentCollection
    from assay.reading.input_types import DocumentsLike, RunsLike


# The methods of fusion compute a score for each candidate from its ranks and scores in the runs (its votes).


@dataclass(frozen=True, eq=False, repr=False)
class Votes:
    """rank[candidate, run] and, for methods that use scores, score[candidate, run]; NaN if the run lacks the candidate.

    Candidates are grouped by topic. `topic` is the number of each candidate's topic, from 0; every topic has a
    candidate. Parts of one result have the same rank.
    """

    topic: Ints
    rank: Floats
    score: Floats | None

    @cached_property
    def starts(self) -> Ints:
        """Where the candidates of each topic begin, then the number of candidates."""
        return np.append(0, np.cumsum(np.bincount(self.topic)))

    @property
    def scores(self) -> Floats:
        """The scores, for methods that use them."""
        assert self.score is not None
        return self.score

    @cached_property
    def having(self) -> Ints:
        """How many runs have each candidate."""
        return np.count_nonzero(~np.isnan(self.rank), axis=1)

    @cached_property
    def places(self) -> Floats:
        """The place of each candidate in each run among all candidates of its topic, from 1.

        Candidates that share places get the mean of these places. The candidates that a run lacks share the last
        places.
        """
        lacking = np.isnan(self.rank)
        deepest = np.maximum.reduceat(np.where(lacking, 0, self.rank).max(axis=1), self.starts[:-1]).astype(np.int64)
        # one slot for each rank of each topic, then one for the candidates that a run lacks
        first_slot = np.concatenate(([0], np.cumsum(deepest + 2)))
        slot = np.where(lacking, deepest[self.topic][:, None] + 1, self.rank).astype(np.int64)
        slot += first_slot[self.topic][:, None]
        places = np.empty(self.rank.shape)
        for run in range(len(self.rank[0])):
            number = np.bincount(slot[:, run], minlength=first_slot[-1])
            shared = np.cumsum(number) - (number - 1) / 2
            places[:, run] = shared[slot[:, run]] - self.starts[self.topic]
        return places


def sum_over_runs(values: Floats) -> Floats:
    """Sum the values of each candidate over the runs; a run that lacks the candidate adds nothing.

    The values are added from the smallest to the greatest, so that equal values give equal sums, whichever runs they
    come from.
    """
    return np.sort(np.nan_to_num(values), axis=1).sum(axis=1)


# Condorcet fusion: an order in which a majority of runs prefers each candidate to the next.

Ranks: TypeAlias = "NDArray[np.int32]"
LACKING = np.iinfo(np.int32).max


def condorcet(votes: Votes) -> Floats:
    """The number of candidates from d on in an order in which at least as many runs prefer each candidate to the next
    as the other way round: merge sort by majority, which begins with the order of Borda. The candidates of a
    topic must be sorted by document id.

    Montague and Aslam, Condorcet fusion for improved retrieval, CIKM 2002.
    """
    ranks = np.where(np.isnan(votes.rank), LACKING, votes.rank).astype(np.int32)
    # an extra candidate fills up short topics; every run puts it last
    ranks = np.concatenate((ranks, np.full((1, ranks.shape[1]), LACKING, np.int32)))
    sizes = np.diff(votes.starts)
    by_borda = np.lexsort((votes.places.sum(axis=1), votes.topic))
    width = 1 << int(sizes.max() - 1).bit_length()
    topics = np.full((len(sizes), width), len(votes.topic))
    place = np.arange(len(votes.topic)) - np.repeat(votes.starts[:-1], sizes)
    topics[votes.topic, place] = by_borda
    order = sort_by_majority(topics, ranks)
    score = np.empty(len(votes.topic) + 1)
    score[order] = sizes[:, None] - np.arange(width)
    return score[:-1]


def sort_by_majority(topics: Ints, ranks: Ranks) -> Ints:
    """Sort the candidates of each topic by majority with merge sort; a tie of votes keeps their order."""
    width, merging = topics.shape[1], 1
    while merging < width:
        halves = topics.reshape(-1, 2 * merging)
        topics = merged_halves(halves, merging, ranks).reshape(topics.shape)
        merging *= 2
    return topics


def merged_halves(halves: Ints, size: int, ranks: Ranks) -> Ints:
    """Merge the two sorted halves of each list; all lists at once, one place at a time."""
    out = np.empty_like(halves)
    lists = np.arange(len(halves))
    left, right = np.zeros(len(halves), np.int64), np.full(len(halves), size)
    for place in range(2 * size):
        first, second = (halves[lists, np.minimum(at, end)] for at, end in ((left, size - 1), (right, 2 * size - 1)))
        takes_left = (right == 2 * size) | ((left < size) & has_majority(ranks[first], ranks[second]))
        out[:, place] = np.where(takes_left, first, second)
        left += takes_left
        right += ~takes_left
    return out


def has_majority(ranks: Ranks, others: Ranks) -> Bools:
    """Return whether at least as many runs rank the first candidate before the second as after it."""
    return np.count_nonzero(ranks < others, axis=1) >= np.count_nonzero(ranks > others, axis=1)


K, P = 60, 0.9


def combsum(votes: Votes) -> Floats:
    """Σ_r s_r(d). Fox and Shaw, Combination of multiple searches, TREC-2, 1994."""
    return sum_over_runs(votes.scores)


def combmnz(votes: Votes) -> Floats:
    """The number of runs that have d, times Σ_r s_r(d). Fox and Shaw, TREC-2, 1994."""
    return votes.having * sum_over_runs(votes.scores)


def combanz(votes: Votes) -> Floats:
    """Σ_r s_r(d) over the number of runs that have d. Fox and Shaw, TREC-2, 1994."""
    return sum_over_runs(votes.scores) / votes.having


def combmed(votes: Votes) -> Floats:
    """The median of s_r(d) over the runs that have d. Fox and Shaw, TREC-2, 1994."""
    # np.sort puts NaN last
    scores, rows = np.sort(votes.scores, axis=1), np.arange(len(votes.topic))
    return scores[rows, (votes.having - 1) // 2] / 2 + scores[rows, votes.having // 2] / 2


def rrf(votes: Votes, k: float = K) -> Floats:
    """Σ_r 1 / (k + i_r(d)), where i is the rank. Cormack, Clarke and Büttcher, Reciprocal rank fusion, SIGIR 2009."""
    return sum_over_runs(1 / (k + votes.rank))


def isr(votes: Votes) -> Floats:
    """The number of runs that have d, times Σ_r 1 / i_r(d)². Mourão, Martins and Magalhães, Multimodal medical
    information retrieval with unsupervised rank fusion, Computerized Medical Imaging and Graphics 39, 2015.
    """
    return votes.having * sum_over_runs(1 / votes.rank**2)


def rbc(votes: Votes, p: float = P) -> Floats:
    """Σ_r (1 − p) p^(i_r(d) − 1). Bailey, Moffat, Scholer and Thomas, Retrieval consistency in the presence of query
    variations, SIGIR 2017.
    """
    return sum_over_runs((1 - p) * p ** (votes.rank - 1))


def borda(votes: Votes) -> Floats:
    """Σ_r of a point for d itself, one for each candidate that r places after d, and half of one for each that it
    places equal. Aslam and Montague, Models for metasearch, SIGIR 2001.
    """
    candidates = np.repeat(np.diff(votes.starts), np.diff(votes.starts))
    return sum_over_runs(candidates[:, None] + 1 - votes.places)


@dataclass(frozen=True)
class Method:
    """A method of fusion: the formula that computes scores from votes, whether it uses scores, and its parameter."""

    formula: Callable[..., Floats]
    by_score: bool = False
    parameter: str | None = None
    # Whether the score grows with the number of runs that have the candidate; negative scores reverse that.
    rewards_many: bool = False
    # Whether candidates that a run lacks get a place in it too, after all others.
    places_all: bool = False
    # Whether candidates must be sorted by document id, which then decides between equal ones.
    by_document: bool = False


METHODS: Mapping[str, Method] = {
    "rrf": Method(rrf, parameter="k"),
    "combsum": Method(combsum, by_score=True, rewards_many=True),
    "combmnz": Method(combmnz, by_score=True, rewards_many=True),
    "combanz": Method(combanz, by_score=True),
    "combmed": Method(combmed, by_score=True),
    "isr": Method(isr),
    "rbc": Method(rbc, parameter="p"),
    "borda": Method(borda, places_all=True),
    "condorcet": Method(condorcet, places_all=True, by_document=True),
}


def method_named(name: str) -> Method:
    """Return the method of fusion with this name."""
    if name not in METHODS:
        raise UsageError(f"unknown fusion method {name!r}; choose from {', '.join(METHODS)}")
    return METHODS[name]


def parameters_of(name: str, k: float | None, p: float | None) -> dict[str, float]:
    """Return the parameters that were given, if the method has them and they are in range."""
    method = method_named(name)
    given = {parameter: value for parameter, value in (("k", k), ("p", p)) if value is not None}
    for parameter in given:
        if parameter != method.parameter:
            owner = next(other for other, each in METHODS.items() if each.parameter == parameter)
            raise UsageError(f"{parameter} is a parameter of {owner}, not of {name}")
    if k is not None and not 0 <= k < float("inf"):
        raise UsageError(f"k is {k}; expected a number, at least 0")
    if p is not None and not 0 < p < 1:
        raise UsageError(f"p is {p}; expected a number between 0 and 1")
    return given


# Candidates: what is fused as one result, and the result of each run that contains it.
#
# Documents with the same id are one candidate, and so are elements with the same path. Spans are fused by their text: a
# character has the rank and the score of the first result of a run that contains it, and neighbouring characters that
# are in the same results stay together. So equal chunks stay whole. If chunks overlap, the common text is a candidate
# of its own, because more runs have it.

NOWHERE = -1


@dataclass(frozen=True, eq=False, repr=False)
class Candidates:
    """result[candidate, run]: the number of the result that contains a candidate, or NOWHERE.

    `example` is a result that contains each candidate, and gives its topic and document. Candidates that are text also
    have `start` and `end`. `again` marks results that repeat something of an earlier result of their run.
    """

    result: Ints
    example: Ints
    again: Bools
    start: Ints | None = None
    end: Ints | None = None


def uncut(keys: Keys, ids: list[Ids], run: Ints, runs: int) -> Candidates:
    """Return the candidates if results are not cut: results with equal keys are one candidate.

    `ids` are the columns from which the keys were made; comparing them rules out hash collisions. If a run has equal
    results, the first counts.
    """
    example, number = keys_numbered(keys, ids)
    result = listed_in(len(example), runs, number, run, np.arange(len(keys)))
    return Candidates(result, example, result[number, run] != np.arange(len(keys)))


def pieces(keys: Keys, documents: Ids, spans: Spans, run: Ints, runs: int) -> Candidates:
    """Return the candidates if results are text: neighbouring characters that are in the same results of all runs.

    The results of each run must be best first. Empty results have no text; those at the same position are one
    candidate.
    """
    first, document = keys_numbered(keys, [documents])
    # each run counts as seeing each document separately
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
    """Return the first row of each different key, and for each row the number of its key."""
    first, number = number_in_turn(keys)
    example = first[number]
    if not all(np.all(column.same_as(example)) for column in ids):
        raise AssayError("two different results share a 64-bit key; please report this")
    return first, number


def listed_in(candidates: int, runs: int, number: Ints, run: Ints, result: Ints) -> Ints:
    """Return result[candidate, run] from results and the numbers of their candidates; the first result counts."""
    behind_all = np.iinfo(np.int64).max
    table = np.full(candidates * runs, behind_all)
    np.minimum.at(table, number * runs + run, result)
    return np.where(table == behind_all, NOWHERE, table).reshape(candidates, runs)


def shown_stretches(row: Ints, start: Ints, end: Ints, run: Ints, runs: int) -> tuple[Ints, Ints, Ints]:
    """Return the results that contain the text between neighbouring bounds, with its start and end.

    `row`, `start` and `end` are the text that results show first: the number of the result, and positions on the line.
    """
    bounds = np.unique(np.concatenate((start, end)))
    left, width = np.searchsorted(bounds, start), np.searchsorted(bounds, end) - np.searchsorted(bounds, start)
    stretch = np.arange(width.sum()) + np.repeat(left - np.cumsum(width) + width, width)
    shown = np.repeat(row, width)
    result = listed_in(len(bounds), runs, stretch, run[shown], shown)
    at = np.flatnonzero((result != NOWHERE).any(axis=1))
    return result[at], bounds[at], bounds[at + 1] if len(at) else bounds[at]


def entry_points(empty: Ints, place: Ints, run: Ints, runs: int) -> tuple[Ints, Ints, Ints]:
    """Return the empty results at each position, and that position as start and end."""
    places, number = np.unique(place, return_inverse=True)
    return listed_in(len(places), runs, number, run[empty], empty), places, places


# Topics are fused in blocks: their candidates, the votes on each, and the order that these give.


@dataclass(frozen=True, eq=False, repr=False)
class FusedBlock:
    """The fused results of some topics, in order, as a table without topics; `topic` is the number of each one's topic.

    `again` is for each run how many of its results repeat something of an earlier one. `cut` is how many fused results
    are no complete result of any run.
    """

    table: Run
    topic: Ints
    again: Ints
    cut: int


@dataclass(frozen=True, eq=False, repr=False)
class Fusing:
    """Fuses blocks of topics."""

    lists: ranked_lists.RankedLists
    formula: Callable[[Votes], Floats]
    by_document: bool

    def block(self, numbers: Ints) -> FusedBlock:
        """Return the fused results of the topics of some lists."""
        results = self.lists.results(numbers)
        candidates = self._candidates(results)
        by_topic = self._by_topic(candidates, results)
        result, example = candidates.result[by_topic], candidates.example[by_topic]
        lacking = result == NOWHERE
        votes = Votes(
            results.topic[example],
            np.where(lacking, np.nan, results.rank[result]),
            None if results.score is None else np.where(lacking, np.nan, results.score[result]),
        )
        start, end = (None if at is None else at[by_topic] for at in (candidates.start, candidates.end))
        # scores that are too large are refused below
        with np.errstate(over="ignore", invalid="ignore"):
            score = self.formula(votes)
        if not np.isfinite(score).all():
            raise InputError("scores are too large to add; pass normalise=rank")
        cut = number_cut(results.table, result, start, end)
        again = np.bincount(results.system[candidates.again], minlength=len(self.lists.runs))
        order = in_order(fused_table(results.table, example, score, start, end), votes.topic)
        start, end = (None if at is None else at[order] for at in (start, end))
        table = fused_table(results.table, example[order], score[order], start, end)
        topics = np.sort(self.lists.topic[numbers])
        names = topics[np.append(True, topics[1:] != topics[:-1])]
        return FusedBlock(closed_up_table(table), names[votes.topic[order]], again, cut)

    def _candidates(self, results: ranked_lists.TopicResults) -> Candidates:
        """Return the candidates among some results."""
        table, systems = results.table, len(self.lists.runs)
        keys = results.keys(self.lists.unit)
        if isinstance(table, SpanRun) and self.lists.unit == "spans":
            spans = Spans(results.system, table.start, table.end)
            return pieces(keys, table.document, spans, results.system, systems)
        return uncut(keys, list(table.result_ids().values()), results.system, systems)

    def _by_topic(self, candidates: Candidates, results: ranked_lists.TopicResults) -> Ints:
        """Return the order of candidates by topic, then by document id if the method needs that."""
        of_topic = results.topic[candidates.example]
        if not self.by_document:
            return np.argsort(of_topic, kind="stable")
        rows, then = candidates.example, (candidates.start, candidates.end)
        behind = within_document(results.table, rows) if then[0] is None else [at for at in then if at is not None]
        return results.table.document[rows].descending(of_topic, *behind)


def number_cut(table: Run, result: Ints, start: Ints | None, end: Ints | None) -> int:
    """Return how many fused results are no complete result of any run.

    result[candidate, run] is the result that contains each candidate, or NOWHERE.
    """
    if start is None or end is None or not isinstance(table, SpanRun):
        return 0
    is_whole = (result != NOWHERE) & (table.start[result] == start[:, None]) & (table.end[result] == end[:, None])
    return int(np.count_nonzero(~is_whole.any(axis=1)))


def in_order(fused: Run, topic: Ints) -> Ints:
    """Return the order in which fused results are measured: best first, with ties broken.

    `topic` is the number of each result's topic.
    """
    return order_of(fused, topic, "docno").results(np.broadcast_to(ranked_lists.NO_KEY, len(fused))).origin


def fused_table(table: Run, example: Ints, score: Floats, start: Ints | None, end: Ints | None) -> Run:
    """Return a table of candidates with their scores; `example` is a result that contains each of them.

    Candidates that are text have `start` and `end`.
    """
    columns = {name: column[example] for name, column in table.columns_by_name().items() if name in RESULT}
    columns |= {} if start is None else {"start": start, "end": end}
    return replace(table, **columns, score=score)


def closed_up_table(table: Run) -> Run:
    """Return the same table, with buffers that hold nothing but its ids."""
    ids: dict[str, Any] = {name: closed_up(column) for name, column in table.result_ids().items()}
    return replace(table, **ids)


def joined_blocks(lists: ranked_lists.RankedLists, parts: list[FusedBlock], name: str) -> Run:
    """Join all blocks into one run, with ranks."""
    columns = joined_columns([part.table for part in parts], COLUMNS[1:])
    topic = np.concatenate([part.topic for part in parts])
    starts = np.append(0, np.flatnonzero(topic[1:] != topic[:-1]) + 1)
    rank = np.arange(len(topic)) - np.repeat(starts, np.diff(np.append(starts, len(topic)))) + 1
    return replace(parts[0].table, **columns, name=name, topic=lists.topic_ids[topic], rank=rank)


def fuse(
    runs: RunsLike,
    method: Fusion = "rrf",
    *,
    normalise: Normalisation | None = None,
    k: float | None = None,
    p: float | None = None,
    depth: int | None = None,
    duplicates: Duplicates = "refuse",
    documents: DocumentsLike | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Run:
    """Fuse several runs into one.

    runs: as for `assay.evaluate`.

    method: rrf, isr, rbc, borda or condorcet use ranks; combsum, combmnz, combanz or combmed use scores. normalise:
    how scores are normalised within each run and topic: min-max (default), z, sum, rank, or none. k: parameter of rrf,
    60 by default; p: parameter of rbc, 0.9 by default. depth: how many fused results to keep for each topic.
    duplicates: if a run has a document twice in a topic, refuse it, or keep the first row or the best score (first,
    best). documents: needed to fuse runs of documents, elements and spans with one another. format: the format of the
    files, if it should not be recognised. columns: which column of a table holds what.

    Results are in the order in which they are measured. A result that a run lacks gets nothing from it; Borda shares
    the remaining points among such results, and Condorcet ranks them last. Documents with the same id are one result,
    and so are elements with the same path. Spans are fused character by character: a character has the rank and the
    score of the first result that contains it, and text that is in the same results of all runs stays together. So
    fused results never overlap. The notes of the run say what Assay decided.
    """
    chosen, parameters = method_named(method), parameters_of(method, k, p)
    if normalise is not None and not chosen.by_score:
        by_score = [name for name, each in METHODS.items() if each.by_score]
        raise UsageError(f"{method} uses ranks; scores are normalised only for {', '.join(by_score)}")
    normalisation = normalise or "min-max"
    normalised = ranked_lists.normalisation_named(normalisation)
    notes: list[str] = []
    check_duplicates(duplicates)
    tables = read_runs(runs, opened_documents(documents), format, columns, duplicates, notes)
    lists = ranked_lists.ranked_lists(tables)
    notes += [*lacking_topics(lists, chosen), *surrounded_results(tables)]
    if chosen.by_score:
        lists = replace(lists, score=comparable_scores(lists, normalised, normalisation))
        unscored = [run.name for run in tables if has_only_ranks(run)]
        instead = (
            f"{method} uses 0, -1, -2, … as scores; use a method by rank, for example rrf, or pass records with scores"
        )
        notes += sentences_on_counts(f"its lists have ranks, not scores; {instead}", ((name, 1) for name in unscored))
        notes += score_notes(lists, method, normalisation, unscored)
    else:
        notes += sentences_on_counts(TIED, zip(lists.names, (each.tied for each in lists.runs), strict=True))
    fusion = Fusing(lists, partial(chosen.formula, **parameters), chosen.by_document)
    parts = list(in_threads(fusion.block, lists.blocks()))
    if lists.unit == "documents" and any(part.again.any() for part in parts):
        for each in lists.runs:
            refuse_repeated_documents(each.run, "retrieved", CHOOSE_ONE)
    fused = joined_blocks(lists, parts, method)
    check_depth(depth)
    if depth is not None and fused.rank is not None:
        kept = fused.rank <= depth
        fewer: dict[str, Any] = {name: column[kept] for name, column in fused.columns_by_name().items()}
        fused = replace(fused, **fewer)
    return replace(fused, notes=(*notes, *repeated_results(lists, parts)))


TIED = "tied scores in {topics}; " + TIES["docno"]


def read_runs(
    runs: RunsLike,
    documents: DocumentCollection | None,
    format: str | None,
    columns: Mapping[str, str] | None,
    duplicates: Duplicates,
    notes: list[str],
) -> list[Run]:
    """Return the runs under their names, with scores that give their order; add a line to `notes` for each decision."""

    placing = TextLocator(documents, columns=told_columns(columns), notes=notes)
    request = Request(documents, gather=True, columns=placing.columns)

    def read(item: tuple[str, Given]) -> Run:
        name, given = item
        return whole_run(placing.located_if_documents(given), request).named(name)

    tables = list(in_threads(read, given_runs(runs, format).items()))
    notes += [note for run in tables for note in reading_notes(run)]
    notes += [*notes_on_forms(tables), *notes_on_rising_scores(tables)]
    tables = once_each(tables, duplicates, notes)
    if len(tables) == 1:
        notes.append(f"{tables[0].name}: only one run; fusion keeps its order")
    if documents is not None and len({isinstance(run, DocumentRun) for run in tables}) > 1:
        tables = [as_whole_spans(run, documents) if isinstance(run, DocumentRun) else run for run in tables]
    return [scored_by_rank(run, notes) if run.by_rank else run for run in tables]


def once_each(runs: list[Run], duplicates: Duplicates, notes: list[str]) -> list[Run]:
    """Return runs in which a topic has each whole document once; a note says how many results were left out.

    If duplicates are refused, they are found later, when the runs are fused.
    """
    tables, left_out = [], []
    for run in runs:
        fewer, number, policy = run, 0, duplicates_in(run, duplicates)
        if isinstance(run, DocumentRun) and policy != "refuse":
            topics, topic_of = numbered_topics(run)
            fewer, _, number = without_repeats(run, topic_of, topics, policy)
        tables.append(fewer)
        left_out.append((run.name, number))
    notes += sentences_on_counts(OF_RUNS["repeats"], left_out, Choices(rules=Rules(duplicates=duplicates)))
    return tables


def as_whole_spans(run: Run, documents: DocumentCollection) -> Run:
    """Return a run of whole documents as a run of spans."""
    refuse_repeated_documents(run, "retrieved", CHOOSE_ONE)
    return whole_spans(run, documents)


# Notes


def notes_on_rising_scores(runs: list[Run]) -> list[str]:
    """Return a note on runs whose scores rise down every list: they may be distances."""
    named = []
    for run in runs:
        if not run.by_rank:
            rising, falling = rising_topics(replace(run, rank=None), numbered_topics(run)[1])
            notes = Notes()
            notes.add("rising", rising)
            notes.add("falling", falling)
            named.append((run.name, notes))
    return sentences({"rising": OF_RUNS["rising"]}, named)


def lacking_topics(lists: ranked_lists.RankedLists, method: Method) -> list[str]:
    """Return a note for each run that lacks topics."""
    named = []
    adds = "so the run ranks all results equal there" if method.places_all else "so the run adds nothing there"
    for number, name in enumerate(lists.names):
        has = np.isin(np.arange(len(lists.topics)), lists.topic[lists.system == number])
        if not has.all():
            lacking = [lists.topics[topic] for topic in np.flatnonzero(~has)]
            named.append((name, Notes(lacking=Note("lacking", len(lacking), tuple(lacking)))))
    text = f"{{count}} of {len(lists.topics):,} topics {{are}} missing from the run, {adds}: {{names}}"
    return sentences({"lacking": text}, named)


def surrounded_results(runs: list[Run]) -> list[str]:
    """Return a note on runs whose texts have more around their passages, because a fused result has only a passage."""
    what = "{results|has|have} text around a passage; the fused run has only passages, which use up less of a budget"
    counts = ((run.name, int(np.count_nonzero(run.before.length + run.after.length)))
              for run in runs if isinstance(run, SurroundedSpanRun))  # fmt: skip
    return sentences_on_counts(what, counts)


def comparable_scores(
    lists: ranked_lists.RankedLists, normalised: Callable[[ranked_lists.Lists], Floats], normalisation: str
) -> list[Floats]:
    """Return the normalised scores of each run."""
    with np.errstate(over="ignore", invalid="ignore"):
        scores = [normalised(each.scores()) for each in lists.runs]
    if not all(np.isfinite(score).all() for score in scores):
        raise InputError(f"scores are too large for {normalisation} normalisation; pass normalise=rank")
    return scores


def has_only_ranks(run: Run) -> bool:
    """Return whether the scores of a run only count the results: 0, -1, -2 and so on, as Assay gives them to lists."""
    breaks = run.topic.breaks()
    place = np.arange(len(run)) - np.repeat(breaks[:-1], np.diff(breaks))
    return bool(place.any() and np.array_equal(run.score, -place))


def score_notes(lists: ranked_lists.RankedLists, method: str, normalise: str, unscored: list[str]) -> Iterator[str]:
    """Yield notes on equal and negative scores, which matter when scores are added.

    Other notes say that the runs named in `unscored` have no scores.
    """
    assert lists.score is not None
    if normalise in ranked_lists.EQUAL_SCORES:
        what = "all scores are equal in {topics}; " + ranked_lists.EQUAL_SCORES[normalise]
        constant = (len(each.scores().constant) for each in lists.runs)
        yield from sentences_on_counts(what, zip(lists.names, constant, strict=True))
    if METHODS[method].rewards_many:
        many = ", and multiplying a negative sum by more runs lowers it" if method == "combmnz" else ""
        what = f"scores below 0 in {{topics}}; a result that a run lacks counts 0, which is higher{many}"
        below = (
            (each.run.name, int(np.count_nonzero(np.logical_or.reduceat(score < 0, each.starts[:-1]))))
            for score, each in zip(lists.score, lists.runs, strict=True)
            if each.run.name not in unscored
        )
        yield from sentences_on_counts(what, below)


def repeated_results(lists: ranked_lists.RankedLists, parts: list[FusedBlock]) -> Iterator[str]:
    """Yield notes on results that repeat or overlap others."""
    number = np.sum([part.again for part in parts], axis=0).tolist()
    of_text = "{results|repeats|repeat} text of earlier results; text counts only the first time it appears"
    of_others = "{results|repeats|repeat} an earlier result of the topic; Assay keeps the first"
    what = of_text if lists.unit == "spans" else of_others
    yield from sentences_on_counts(what, zip(lists.names, number, strict=True))
    if cut := sum(part.cut for part in parts):
        fused = sum(len(part.topic) for part in parts)
        became = (
            f"{count_noun(int(lists.sizes.sum()), 'result')} became {count_noun(fused, 'result')} that do not overlap"
        )
        yield f"{became}; {cut:,} of them {'is' if cut == 1 else 'are'} only part of a result"
