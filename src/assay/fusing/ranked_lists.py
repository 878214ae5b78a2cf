"""The results of several runs as lists, best first: one list for each run and topic."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from assay.converting.convert import unit_of
from assay.errors import InputError, UsageError
from assay.ranking.order import order_of
from assay.reading.format import Unit
from assay.tables.ids import Floats, Ids, Ints, Keys, each_once, pair_keys, scramble
from assay.tables.run import COLUMNS, RESULT, Run, SpanRun, cut_out, joined_columns, make_run, no_ids

# Normalisations make the scores of different runs comparable. Each works on the results of a run for a topic.


class Lists:
    """Lists of scores, best first, joined: each list is the results of a run for a topic.

    `starts` is where each list begins, then the number of scores.
    """

    def __init__(self, score: Floats, starts: Ints):
        self.score, self.starts = score, starts
        self.sizes = np.diff(starts)

    def spread(self, values: Floats | Ints) -> Floats:
        """Repeat a value of each list for each of its scores."""
        return np.repeat(values.astype(np.float64), self.sizes)

    @property
    def least(self) -> Floats:
        """The smallest score of each list."""
        return np.minimum.reduceat(self.score, self.starts[:-1])

    @property
    def greatest(self) -> Floats:
        """The greatest score of each list."""
        return np.maximum.reduceat(self.score, self.starts[:-1])

    def total(self, values: Floats) -> Floats:
        """Sum the values of each list."""
        return np.add.reduceat(values, self.starts[:-1])

    @property
    def constant(self) -> Ints:
        """The lists whose scores are all equal."""
        return np.flatnonzero(self.least == self.greatest)


def min_max(lists: Lists) -> Floats:
    """(s − min) / (max − min); 1 if all scores of the list are equal."""
    least, width = lists.least, lists.greatest - lists.least
    above = lists.score - lists.spread(least)
    return np.where(lists.spread(width) > 0, above / lists.spread(np.where(width > 0, width, 1.0)), 1.0)


def z(lists: Lists) -> Floats:
    """(s − mean) / standard deviation, of the whole list; 0 if all scores of the list are equal."""
    centred = lists.score - lists.spread(lists.total(lists.score) / lists.sizes)
    deviation = np.sqrt(lists.total(centred**2) / lists.sizes)
    # squares that overflow must give NaN, not 0
    deviation[np.isinf(deviation)] = np.nan
    deviation[lists.constant] = np.inf
    return centred / lists.spread(deviation)


def to_sum(lists: Lists) -> Floats:
    """(s − min) / Σ (s − min); 1 / n if all n scores of the list are equal."""
    above = lists.score - lists.spread(lists.least)
    above[np.isin(lists.spread(np.arange(len(lists.sizes))), lists.constant)] = 1.0
    return above / lists.spread(lists.total(above))


def by_rank(lists: Lists) -> Floats:
    """1 − (i − 1) / n at rank i of n."""
    return 1 - (np.arange(len(lists.score)) - lists.spread(lists.starts[:-1])) / lists.spread(lists.sizes)


def as_they_are(lists: Lists) -> Floats:
    """Return the scores of the run unchanged."""
    return lists.score


NORMALISATIONS: Mapping[str, Callable[[Lists], Floats]] = {
    "min-max": min_max,
    "z": z,
    "sum": to_sum,
    "rank": by_rank,
    "none": as_they_are,
}
# What notes say about lists whose scores are all equal.
EQUAL_SCORES = {"min-max": "each result counts 1", "z": "each result counts 0", "sum": "each result counts the same"}


def normalisation_named(name: str) -> Callable[[Lists], Floats]:
    """Return the normalisation with this name."""
    if name not in NORMALISATIONS:
        raise UsageError(f"unknown normalisation {name!r}; choose from {', '.join(NORMALISATIONS)}")
    return NORMALISATIONS[name]


# Blocks of topics that are fused at once have about this many results.
BLOCK = 1 << 17
# A key for callers that need only the order of results, not which ones have the same document.
NO_KEY = np.uint64(0)
NO_SCORES = np.zeros(0)


class TopicResults(NamedTuple):
    """The results of some topics as a table, run by run, each list best first.

    Each result has the number of its topic, from 0, the number of its run, its rank and, if the method uses scores, its
    score.
    """

    table: Run
    topic: Ints
    system: Ints
    rank: Ints
    score: Floats | None

    def keys(self, unit: Unit) -> Keys:
        """Return a hash for each result of its topic and document and, for elements, its path.

        Results with equal hashes may be one candidate.
        """
        keys = pair_keys(np.arange(self.topic.max() + 1), self.topic, self.table.document)
        if unit == "elements":
            for name in ("path", "last"):
                keys = scramble(keys ^ scramble(self.table.result_ids()[name].keys()))
        return keys


@dataclass(frozen=True, eq=False, repr=False)
class RunLists:
    """The lists of one run: its results for each topic, best first.

    `origin` is the row of each result in the run, or None if the run is in this order already. `starts` is where each
    list begins, then the number of results. `tied` is the number of lists in which ties were broken.
    """

    run: Run
    origin: Ints | None
    starts: Ints
    tied: int

    def scores(self) -> Lists:
        """Return the scores of the results."""
        return Lists(self.run.score if self.origin is None else self.run.score[self.origin], self.starts)

    def rows(self, places: Ints) -> Ints | slice:
        """Return the rows of the run at some places."""
        if self.origin is not None:
            return self.origin[places]
        is_stretch = len(places) and places[-1] - places[0] == len(places) - 1 and (places[1:] > places[:-1]).all()
        return slice(int(places[0]), int(places[-1]) + 1) if is_stretch else places


@dataclass(frozen=True, eq=False, repr=False)
class RankedLists:
    """All results of all runs in lists; a list is the results of a run for a topic.

    `topic` and `system` are the numbers of each list's topic and run. Lists are sorted by run, and those of a run are
    in the order of the run. `score` is the normalised scores of each run, if the method uses scores.
    """

    runs: list[RunLists]
    topic_ids: Ids
    unit: Unit
    topic: Ints
    system: Ints
    score: list[Floats] | None = None

    @property
    def names(self) -> list[str]:
        """The names of the runs."""
        return [lists.run.name for lists in self.runs]

    @cached_property
    def topics(self) -> list[str]:
        """The names of all topics, in the order in which they first appear in the runs."""
        return self.topic_ids.texts()

    @cached_property
    def sizes(self) -> Ints:
        """The number of results of each list."""
        return np.concatenate([np.diff(lists.starts) for lists in self.runs])

    @cached_property
    def _first_lists(self) -> Ints:
        """The number of the first list of each run."""
        return np.searchsorted(self.system, np.arange(len(self.runs)))

    def blocks(self) -> Iterator[Ints]:
        """Yield the numbers of the lists of some whole topics at a time, topic by topic."""
        by_topic = np.argsort(self.topic, kind="stable")
        results = np.bincount(self.topic, self.sizes)
        block = ((np.cumsum(results) - results) // BLOCK)[self.topic[by_topic]]
        yield from np.split(by_topic, np.flatnonzero(block[1:] != block[:-1]) + 1)

    def results(self, numbers: Ints) -> TopicResults:
        """Return the results of some lists."""
        topics = each_once(self.topic[numbers])
        tables: list[Run] = []
        scores: list[Floats] = []
        columns: list[tuple[Ints, Ints, Ints]] = []
        for system, lists in enumerate(self.runs):
            own = numbers[self.system[numbers] == system]
            if not len(own):
                continue
            sizes = self.sizes[own]
            ends = np.cumsum(sizes)
            rank = np.arange(1, ends[-1] + 1) - np.repeat(ends - sizes, sizes)
            places = rank - 1 + np.repeat(lists.starts[own - self._first_lists[system]], sizes)
            tables.append(some_rows(lists.run, lists.rows(places)))
            topic = np.repeat(np.searchsorted(topics, self.topic[own]), sizes)
            columns.append((topic, np.full(len(rank), system), rank))
            if self.score is not None:
                scores.append(self.score[system][places])
        table = replace(tables[0], **joined_columns(tables, COLUMNS[1:]))
        topic, system_of, rank = (np.concatenate(parts) for parts in zip(*columns, strict=True))
        return TopicResults(table, topic, system_of, rank, np.concatenate(scores) if scores else None)


def some_rows(run: Run, rows: Ints | slice) -> Run:
    """Return some rows of a run without topics and scores."""
    columns = {name: column[rows] for name, column in run.columns_by_name().items() if name in RESULT}
    columns |= {name: cut_out(ids) for name, ids in columns.items() if isinstance(ids, Ids)}
    return replace(run, name="", topic=no_ids(0), places=None, score=NO_SCORES, **columns)


def ranked_lists(runs: list[Run]) -> RankedLists:
    """Return the lists of some runs; their scores must give the order."""
    runs, unit = of_one_unit(runs)
    streaks = [run.topic.streak_ids()[0] for run in runs]
    topic_ids = Ids.concatenate([cut_out(ids) for ids in streaks])
    first_streak, topic = topic_ids.number()
    bounds = np.cumsum([len(ids) for ids in streaks])[:-1]
    lists, topics = zip(*map(lists_of, runs, np.split(topic, bounds)), strict=True)
    system = np.repeat(np.arange(len(runs)), list(map(len, topics)))
    return RankedLists(list(lists), topic_ids[first_streak], unit, np.concatenate(topics), system)


def lists_of(run: Run, topic: Ints) -> tuple[RunLists, Ints]:
    """Return the lists of a run and the topic of each; `topic` is the number of the topic of each streak of rows."""
    # lists are numbered as they first appear, so that a run that is in order need not be sorted
    first, number = in_turn(topic)
    code = np.repeat(number, np.diff(run.topic.breaks()))
    order = order_of(run, code, "docno")
    starts = np.append(0, np.cumsum(np.bincount(order.code)))
    if not order.has_ties:
        return RunLists(run, order.origin, starts, 0), topic[first]
    results = order.results(np.broadcast_to(NO_KEY, len(run)))
    tied = int(np.count_nonzero(np.add.reduceat(results.tied, starts[:-1], dtype=np.int64)))
    return RunLists(run, results.origin, starts, tied), topic[first]


def in_turn(numbers: Ints) -> tuple[Ints, Ints]:
    """Return the first index of each different number, in order of appearance, and for each number which one it is."""
    _, first, number = np.unique(numbers, return_index=True, return_inverse=True)
    place = np.empty(len(first), np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    return np.sort(first), place[number]


def of_one_unit(runs: list[Run]) -> tuple[list[Run], Unit]:
    """Return the runs with the columns that all of them have, and what their results are.

    Elements and spans together count as spans, if the positions of the elements are known.
    """
    units = {unit_of(run): run.name for run in reversed(runs)}
    has_places = all(isinstance(run, SpanRun) for run in runs)
    unit = next(iter(units)) if len(units) == 1 else "spans"
    if len(units) > 1 and not has_places:
        returned = [
            f"{name} returns {'whole documents' if each == 'documents' else each}" for each, name in units.items()
        ]
        hint = "; pass documents= to fuse all of them as spans of text"
        raise InputError(f"{' and '.join(reversed(returned))}; fused runs must return the same kind of results{hint}")
    plain: dict[str, Any] = {"rank": None, "by_rank": False, "notes": (), "before": None, "after": None}
    plain |= {} if has_places else {"start": None, "end": None}
    plain |= {} if unit == "elements" else {"path": None, "last": None}
    return [make_run(**vars(run) | plain) for run in runs], unit
