"""trec_eval's preferences: of two documents a group of judgments prefers one, and a run fulfils that if it has this one
first.

The judged documents of a topic are numbered by place: first those retrieved, by rank, then the others. A preference is
of one of three kinds: both documents were retrieved; one was, so that the run is taken to prefer it to the other;
neither was.

    scope      counts preferences of which        a preference is fulfilled if
    RETRIEVED  both documents were retrieved      the preferred document is first
    IMPLIED    at least one was                   ... or is the only one retrieved
    ALL        all of them                        the same; where neither was retrieved it is not
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from assay.compat.trec_files import Refused, decoded_for_message
from assay.ranking.documents import Values
from assay.tables.ids import Bools, Floats, Ints

Scope: TypeAlias = Literal["retrieved", "implied", "all"]
RETRIEVED: Scope = "retrieved"
IMPLIED: Scope = "implied"
ALL: Scope = "all"


class Preferred(NamedTuple):
    """A line of preferences: within a subgroup of a group, a document of a higher level is preferred."""

    group: str
    subgroup: str
    document: str
    level: float


@dataclass(frozen=True, eq=False, repr=False)
class PreferenceGroup:
    """What a group of judgments prefers. Its documents have places and levels; the first `retrieved` places are those
    retrieved.

    `better[i, j]` counts how often the document at place i is preferred to that at place j.
    """

    place: Ints
    level: Floats
    better: Ints
    retrieved: int

    def relevant(self, scope: Scope) -> int:
        """The number of documents with a level above 0."""
        return int(np.count_nonzero((self.level > 0) & self._within(scope)))

    def others(self, scope: Scope) -> int:
        """The number of documents without."""
        return int(np.count_nonzero((self.level <= 0) & self._within(scope)))

    def _within(self, scope: Scope) -> Bools:
        return self.place < (self.retrieved if scope == RETRIEVED else len(self.better))

    def fulfilled(self, scope: Scope) -> tuple[int, int]:
        """How many preferences are fulfilled, and how many there are."""
        return count_fulfilled(self.better, self.retrieved, scope)

    def balanced(self, scope: Scope) -> tuple[int, int]:
        """The same with as many documents that are not relevant as there are relevant ones, R.

        If there are fewer, N, each relevant document is preferred to R - N more of them, and these preferences are
        fulfilled if it was retrieved. If there are more, only the first R count.
        """
        relevant, others = self.relevant(scope), self.others(scope)
        if others > relevant:
            return self.with_few_others(scope)
        done, possible = self.fulfilled(scope)
        added = relevant - others
        return done + self.relevant(RETRIEVED) * added, possible + self.relevant(ALL) * added

    def with_few_others(self, scope: Scope) -> tuple[int, int]:
        """How many preferences are fulfilled, and how many there are, if only the first R that are not relevant count.
        """
        raise NotImplementedError


class CompleteGroup(PreferenceGroup):
    """A group with one subgroup: any two documents of different levels are in order."""

    @classmethod
    def of(cls, lines: list[Preferred], places: dict[str, int], retrieved: int) -> CompleteGroup:
        """The group of some lines; a document that stands several times counts so often."""
        level = np.array([line.level for line in lines])
        place = np.array([places[line.document] for line in lines], np.int64)
        order = np.lexsort((place, -level))
        level, place = level[order], place[order]
        if (torn := two_levels(place, level)) is not None:
            name = next(document for document, at in places.items() if at == torn)
            raise Refused(4, f"document {decoded_for_message(name)} has two levels in a subgroup")
        better = np.zeros((len(places), len(places)), np.int64)
        higher, lower = np.nonzero(level[:, None] > level)
        np.add.at(better, (place[higher], place[lower]), 1)
        return cls(place, level, better, retrieved)

    def with_few_others(self, scope: Scope) -> tuple[int, int]:
        """As the original counts: each of the first R is compared with all documents, those of its own level and itself
        too.

        They are sought in the lowest level. Where levels below 0, which the format does not know, leave fewer than R
        there, the original reads beyond them, whatever that is; here those count that there are.
        """
        last = self.level == self.level.min()
        few = np.flatnonzero(last)[: self.relevant(scope)]
        compared = (self.level[:, None] > self.level) & ~last
        compared[:, few] = True
        within = self._within(scope)
        compared &= within[:, None] & within
        done = compared & (self.place[:, None] < self.place) & (self.place < self.retrieved)[:, None]
        return int(done.sum()), int(compared.sum())


class PartialGroup(PreferenceGroup):
    """A group with several subgroups: what is preferred to a document is preferred to whatever that is preferred to."""

    @classmethod
    def of(cls, lines: list[Preferred], places: dict[str, int], retrieved: int) -> PartialGroup:
        """The group of some lines."""
        better = np.zeros((len(places), len(places)), bool)
        levels = np.full(len(places), -1.0)
        for _, subgroup in groupby(
            sorted(lines, key=lambda line: (line.subgroup, -line.level)), lambda line: line.subgroup
        ):
            members = list(subgroup)
            place = np.array([places[line.document] for line in members])
            level = np.array([line.level for line in members])
            for line, at in zip(members, place, strict=True):
                if (levels[at] > 0 and line.level == 0) or (levels[at] == 0 and line.level > 0):
                    raise Refused(
                        4, f"document {decoded_for_message(line.document)} has level 0 and another level in a group"
                    )
                levels[at] = line.level
            higher, lower = np.nonzero(level[:, None] > level)
            better[place[higher], place[lower]] = True
        better = transitive_closure(better)
        if np.any(better & better.T):
            raise Refused(4, f"the preferences of group {decoded_for_message(lines[0].group)} contradict one another")
        place = np.flatnonzero(levels >= 0)
        return cls(place, levels[place], better.astype(np.int64), retrieved)

    def with_few_others(self, scope: Scope) -> tuple[int, int]:
        """The others beyond the first R of all are left out."""
        kept = np.ones(len(self.better), bool)
        kept[self.place[self.level == 0][self.relevant(ALL) :]] = False
        return count_fulfilled(self.better * kept[:, None] * kept, self.retrieved, scope)


def two_levels(place: Ints, level: Floats) -> int | None:
    """A place that has two levels, if there is one."""
    order = np.lexsort((level, place))
    torn = np.flatnonzero((np.diff(place[order]) == 0) & (np.diff(level[order]) != 0))
    return int(place[order][torn[0]]) if len(torn) else None


def transitive_closure(better: Bools) -> Bools:
    """The preferences and all that follow from them."""
    reached = better | np.eye(len(better), dtype=bool)
    while True:
        further = (reached.astype(np.float32) @ reached.astype(np.float32)) > 0
        if np.array_equal(further, reached):
            return reached & ~np.eye(len(better), dtype=bool)
        reached = further


def count_fulfilled(better: Ints, retrieved: int, scope: Scope) -> tuple[int, int]:
    """How many of some preferences are fulfilled, and how many there are."""
    both = better[:retrieved, :retrieved]
    done, possible = np.triu(both).sum(), both.sum()
    if scope != RETRIEVED:
        done += better[:retrieved, retrieved:].sum()
        possible = better.sum() if scope == ALL else better.sum() - better[retrieved:, retrieved:].sum()
    return int(done), int(possible)


@dataclass(frozen=True, eq=False, repr=False)
class TopicPreferences:
    """The preferences of the groups of a topic, and how many of its judged documents were retrieved."""

    groups: list[PreferenceGroup]
    retrieved: int

    @classmethod
    def of(cls, lines: list[Preferred], ranked: Iterable[str]) -> TopicPreferences:
        """The preferences of a topic's lines, given what was retrieved, best first."""
        judged = {line.document for line in lines}
        places = {
            document: place for place, document in enumerate(document for document in ranked if document in judged)
        }
        retrieved = len(places)
        places |= {document: retrieved + place for place, document in enumerate(sorted(judged - places.keys()))}
        groups: list[PreferenceGroup] = []
        for _, group in groupby(sorted(lines, key=lambda line: line.group), lambda line: line.group):
            members = list(group)
            kind = PartialGroup if len({line.subgroup for line in members}) > 1 else CompleteGroup
            groups.append(kind.of(members, places, retrieved))
        return cls(groups, retrieved)

    def fulfilled(self, scope: Scope) -> tuple[int, int]:
        """How many preferences are fulfilled in all groups, and how many there are."""
        counts = [group.fulfilled(scope) for group in self.groups]
        return sum(done for done, _ in counts), sum(possible for _, possible in counts)

    @cached_property
    def better(self) -> Ints:
        """How often each place is preferred to each other, all groups together."""
        return np.sum([group.better for group in self.groups], axis=0)

    def shares(self, scope: Scope) -> Floats:
        """Of each two documents that a preference is about, the share of the preferences about them that is fulfilled.
        """
        end = self.retrieved
        blocks = [
            (slice(None, end), slice(None, end)),
            (slice(None, end), slice(end, None)),
            (slice(end, None), slice(end, None)),
        ]
        shares = []
        for number, (rows, columns) in enumerate(blocks[: {RETRIEVED: 1, IMPLIED: 2, ALL: 3}[scope]]):
            right, wrong = self.better[rows, columns], self.better.T[rows, columns]
            about = (right + wrong > 0) & (np.triu(np.ones(right.shape, bool)) if number != 1 else True)
            shares.append(right[about] / (right + wrong)[about] if number < 2 else np.zeros(np.count_nonzero(about)))
        return np.concatenate(shares)


PreferenceColumn: TypeAlias = "Callable[[list[TopicPreferences]], Values]"


def topic_values(value: Callable[[TopicPreferences], float]) -> PreferenceColumn:
    """A value of each topic."""
    return lambda topics: np.array([value(topic) for topic in topics], np.float64)


def number_fulfilled(scope: Scope) -> PreferenceColumn:
    """The number of preferences fulfilled."""
    return topic_values(lambda topic: topic.fulfilled(scope)[0])


def number_possible() -> PreferenceColumn:
    """The number of preferences."""
    return topic_values(lambda topic: topic.fulfilled(ALL)[1])


def simple(scope: Scope) -> PreferenceColumn:
    """The share of preferences that is fulfilled."""
    return topic_values(lambda topic: fulfilled_share(*topic.fulfilled(scope)))


def over_pairs(scope: Scope) -> PreferenceColumn:
    """The mean over pairs of documents of the share of preferences that is fulfilled."""
    return topic_values(
        lambda topic: summed_in_turn(shares) / len(shares) if len(shares := topic.shares(scope)) else 0.0
    )


def over_groups(scope: Scope) -> PreferenceColumn:
    """The mean over groups of the share of preferences that is fulfilled."""
    return topic_values(
        lambda topic: (
            summed_in_turn([fulfilled_share(*group.fulfilled(scope)) for group in topic.groups]) / len(topic.groups)
        )
    )


def over_balanced_groups(scope: Scope) -> PreferenceColumn:
    """The same of balanced groups; 0 if a group has no preferences."""

    def value(topic: TopicPreferences) -> float:
        counts = [group.balanced(scope) for group in topic.groups]
        if not all(possible for _, possible in counts):
            return 0.0
        return summed_in_turn([fulfilled_share(*count) for count in counts]) / len(counts)

    return topic_values(value)


def fulfilled_share(done: int, possible: int) -> float:
    """done / possible, 0 if nothing is possible."""
    return done / possible if possible else 0.0


def summed_in_turn(values: Iterable[float]) -> float:
    """The sum, one value after the other: in another order the last digit may be another."""
    return float(np.cumsum([0.0, *values])[-1])
