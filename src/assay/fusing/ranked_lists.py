"""The results of several runs as lists, best first: one for each run and topic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from assay.converting.convert import unit_of
from assay.errors import InputError
from assay.formats.format import Unit
from assay.ranking.order import order_of
from assay.tables.ids import Bools, Ids, Ints, Keys, pair_keys, scrambled
from assay.tables.places import Finder
from assay.tables.run import COLUMNS, Run, Table, joined_columns, no_ids

# So many results at least make a block of topics, which are fused at once.
BLOCK = 1 << 17
# Where only the order of results is asked for, and not which are of one document.
NO_KEY = np.uint64(0)


@dataclass(frozen=True, eq=False, repr=False)
class RankedLists:
    """All results of all runs, list by list; a list is what a run has for a topic.

    `run` is all runs as one table, but for the topics, which `topic_ids` names; `origin` is the row of each result in
    it. `tied` are those that only the rule for ties puts behind the one above. `begin` has the row where each run
    begins, `places` tell where its rows stand. `starts` has the place where each list begins, `topic` and `system` the
    numbers of its topic and of its run.
    """

    run: Run
    topic_ids: Ids
    names: list[str]
    places: list[Finder | None]
    unit: Unit
    begin: Ints
    origin: Ints
    tied: Bools
    starts: Ints
    topic: Ints
    system: Ints

    @cached_property
    def topics(self) -> list[str]:
        """The names of all topics, as they come in the runs."""
        return self.topic_ids.texts()

    def tables(self) -> Iterator[Table]:
        """The topics and documents of each run, as they stood in it."""
        topic = np.empty(len(self.run), np.int64)
        topic[self.origin] = np.repeat(self.topic, np.diff(self.starts))
        ends = np.append(self.begin[1:], len(self.run)).tolist()
        for name, places, begin, end in zip(self.names, self.places, self.begin.tolist(), ends, strict=True):
            yield Table(name, self.topic_ids[topic[begin:end]], self.run.document[begin:end], places)

    def keys(self, row: Ints, topic: Ints) -> Keys:
        """A number for each of some rows, equal for what may be one candidate: of the topic, which `topic` numbers, and
        the document; of elements the path too.
        """
        keys = pair_keys(np.arange(topic[-1] + 1), topic, self.run.document[row])
        if self.unit == "elements":
            for column in (self.run.path, self.run.last):
                keys = keys if column is None else scrambled(keys ^ scrambled(column[row].keys()))
        return keys

    def blocks(self) -> Iterator[Ints]:
        """The numbers of the lists of some whole topics at a time, topic by topic."""
        by_topic = np.argsort(self.topic, kind="stable")
        results = np.bincount(self.topic, np.diff(self.starts))
        block = ((np.cumsum(results) - results) // BLOCK)[self.topic[by_topic]]
        yield from np.split(by_topic, np.flatnonzero(block[1:] != block[:-1]) + 1)

    def systems_with(self, results: Bools) -> Iterator[tuple[str, int]]:
        """The runs, and in how many topics each has any of some results."""
        lists = np.add.reduceat(results, self.starts[:-1], dtype=np.int64) > 0
        number = np.bincount(self.system[lists], minlength=len(self.names))
        yield from zip(self.names, number.tolist(), strict=True)


def ranked_lists(runs: list[Run]) -> RankedLists:
    """The lists of some runs whose scores tell their order."""
    names, places = [run.name for run in runs], [run.places for run in runs]
    runs, unit = of_one_unit(runs)
    begin = np.cumsum([0, *map(len, runs)])
    streaks = [run.topic.streak_ids() for run in runs]
    rows = np.concatenate([np.diff(starts) for _, starts in streaks])
    system = np.repeat(np.arange(len(runs)), [len(ids) for ids, _ in streaks])
    topic_ids = Ids.concatenated([ids.packed(np.arange(len(ids))) for ids, _ in streaks])
    first_streak, topic = topic_ids.numbered()
    every = replace(runs[0], **joined_columns(runs, COLUMNS[1:]), topic=no_ids(0))
    # each run is held twice up to here
    del runs, streaks
    # lists are numbered as they come, so that runs which are in order need not be sorted
    _, first, number = np.unique(system * (topic.max() + 1) + topic, return_index=True, return_inverse=True)
    place = np.empty(len(first), np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    code = np.repeat(place[number], rows)
    results = order_of(every, code, "docno").results(np.broadcast_to(NO_KEY, len(every)))
    starts = np.append(0, np.cumsum(np.bincount(results.code)))
    first = np.sort(first)
    of_lists = starts, topic[first], system[first]
    of_runs = names, places, unit, begin[:-1]
    return RankedLists(every, topic_ids[first_streak], *of_runs, results.origin, results.tied, *of_lists)


def of_one_unit(runs: list[Run]) -> tuple[list[Run], Unit]:
    """Runs with the columns that all of them have, and what their results are: elements and spans together are spans
    where it is known where the elements are.
    """
    units = {unit_of(run): run.name for run in reversed(runs)}
    has_places = all(run.start is not None for run in runs)
    unit = next(iter(units)) if len(units) == 1 else "spans"
    if len(units) > 1 and not has_places:
        returned = [
            f"{name} returns {'whole documents' if each == 'documents' else each}" for each, name in units.items()
        ]
        hint = "; give documents= to have all of them as characters"
        raise InputError(f"{' and '.join(reversed(returned))}; runs that are fused must return the same{hint}")
    plain: dict[str, Any] = {"rank": None, "by_rank": False, "places": None, "notes": ()}
    plain |= {} if has_places else {"start": None, "end": None}
    plain |= {} if unit == "elements" else {"path": None, "last": None}
    return [replace(run, **plain) for run in runs], unit
