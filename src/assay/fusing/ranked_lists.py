"""The results of several runs as lists, best first: one for each run and topic."""

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

# The normalisations of scores, of the results that a run has for a topic: they make those of several runs alike.


class Lists:
    """Lists of scores, best first, one after the other: the results of a run for a topic each.

    `starts` has the place where each list begins, and the number of scores at the end.
    """

    def __init__(self, score: Floats, starts: Ints):
        self.score, self.starts = score, starts
        self.sizes = np.diff(starts)

    def spread(self, values: Floats | Ints) -> Floats:
        """A value a list, for each of its scores."""
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
        """The sum over each list."""
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
    # squares that are too large make no number, and not 0
    deviation[np.isinf(deviation)] = np.nan
    deviation[lists.constant] = np.inf
    return centred / lists.spread(deviation)


def to_sum(lists: Lists) -> Floats:
    """(s − min) / Σ (s − min); 1 / n where all scores of the list, n of them, are equal."""
    above = lists.score - lists.spread(lists.least)
    above[np.isin(lists.spread(np.arange(len(lists.sizes))), lists.constant)] = 1.0
    return above / lists.spread(lists.total(above))


def by_rank(lists: Lists) -> Floats:
    """1 − (i − 1) / n at rank i of n."""
    return 1 - (np.arange(len(lists.score)) - lists.spread(lists.starts[:-1])) / lists.spread(lists.sizes)


def as_they_are(lists: Lists) -> Floats:
    """The scores of the run."""
    return lists.score


NORMALISATIONS: Mapping[str, Callable[[Lists], Floats]] = {
    "min-max": min_max,
    "z": z,
    "sum": to_sum,
    "rank": by_rank,
    "none": as_they_are,
}
# What is said of lists whose scores are all equal.
EQUAL_SCORES = {"min-max": "each result counts 1", "z": "each result counts 0", "sum": "each result counts the same"}


def normalisation_named(name: str) -> Callable[[Lists], Floats]:
    """A normalisation."""
    if name not in NORMALISATIONS:
        raise UsageError(f"unknown normalisation {name!r}; choose from {', '.join(NORMALISATIONS)}")
    return NORMALISATIONS[name]


# How many results at least make a block of topics, which are fused at once.
BLOCK = 1 << 17
# Where only the order of results is asked for, and not which are of one document.
NO_KEY = np.uint64(0)
NO_SCORES = np.zeros(0)


class TopicResults(NamedTuple):
    """The results of the lists of some topics, run by run, each list best first: a table of them, and of each result
    the number of its topic, from 0, that of its run, its rank, and its score where scores are compared.
    """

    table: Run
    topic: Ints
    system: Ints
    rank: Ints
    score: Floats | None

    def keys(self, unit: Unit) -> Keys:
        """A number for each result, equal for what may be one candidate: of the topic and the document; of elements the
        path too.
        """
        keys = pair_keys(np.arange(self.topic.max() + 1), self.topic, self.table.document)
        if unit == "elements":
            for name in ("path", "last"):
                keys = scramble(keys ^ scramble(self.table.result_ids()[name].keys()))
        return keys


@dataclass(frozen=True, eq=False, repr=False)
class RunLists:
    """The lists of one run: what it has for each topic, best first.

    `origin` is the row of each result, None if they stand so in the run already. `starts` has the place where each
    list begins, with the number of results at the end. `tied` is the number of lists in which only the rule for ties
    puts a result after the one above.
    """

    run: Run
    origin: Ints | None
    starts: Ints
    tied: int

    def scores(self) -> Lists:
        """The scores of the results."""
        return Lists(self.run.score if self.origin is None else self.run.score[self.origin], self.starts)

    def rows(self, places: Ints) -> Ints | slice:
        """The rows of the run at some places."""
        if self.origin is not None:
            return self.origin[places]
        is_stretch = len(places) and places[-1] - places[0] == len(places) - 1 and (places[1:] > places[:-1]).all()
        return slice(int(places[0]), int(places[-1]) + 1) if is_stretch else places


@dataclass(frozen=True, eq=False, repr=False)
class RankedLists:
    """All results of all runs, list by list; a list is what a run has for a topic.

    `topic` and `system` have the numbers of the topic and of the run of each list; the lists of a run stand as they do
    in it, after those of the runs before. `score` has the scores of each run, made comparable, if they are needed.
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
        """The names of all topics, as they come in the runs."""
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
        """The numbers of the lists of some whole topics at a time, topic by topic."""
        by_topic = np.argsort(self.topic, kind="stable")
        results = np.bincount(self.topic, self.sizes)
        block = ((np.cumsum(results) - results) // BLOCK)[self.topic[by_topic]]
        yield from np.split(by_topic, np.flatnonzero(block[1:] != block[:-1]) + 1)

    def results(self, numbers: Ints) -> TopicResults:
        """The results of some lists."""
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
    """Some rows of a run, without their topics and scores."""
    columns = {name: column[rows] for name, column in run.columns_by_name().items() if name in RESULT}
    columns |= {name: cut_out(ids) for name, ids in columns.items() if isinstance(ids, Ids)}
    return replace(run, name="", topic=no_ids(0), places=None, score=NO_SCORES, **columns)


def ranked_lists(runs: list[Run]) -> RankedLists:
    """The lists of some runs whose scores give their order."""
    runs, unit = of_one_unit(runs)
    streaks = [run.topic.streak_ids()[0] for run in runs]
    topic_ids = Ids.concatenate([cut_out(ids) for ids in streaks])
    first_streak, topic = topic_ids.number()
    bounds = np.cumsum([len(ids) for ids in streaks])[:-1]
    lists, topics = zip(*map(lists_of, runs, np.split(topic, bounds)), strict=True)
    system = np.repeat(np.arange(len(runs)), list(map(len, topics)))
    return RankedLists(list(lists), topic_ids[first_streak], unit, np.concatenate(topics), system)


def lists_of(run: Run, topic: Ints) -> tuple[RunLists, Ints]:
    """The lists of a run, and the topic of each; `topic` has the number of that of each streak of rows."""
    # lists are numbered as they come, so that a run which is in order need not be sorted
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
    """Where each different number is first, as they come, and of each which of those it is."""
    _, first, number = np.unique(numbers, return_index=True, return_inverse=True)
    place = np.empty(len(first), np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    return np.sort(first), place[number]


def of_one_unit(runs: list[Run]) -> tuple[list[Run], Unit]:
    """Runs with the columns that all of them have, and what their results are: elements and spans together are spans
    if it is known where the elements are.
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
    plain: dict[str, Any] = {"rank": None, "by_rank": False, "notes": ()}
    plain |= {} if has_places else {"start": None, "end": None}
    plain |= {} if unit == "elements" else {"path": None, "last": None}
    return [make_run(**vars(run) | plain) for run in runs], unit
