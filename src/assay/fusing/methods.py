"""The methods of fusion: what runs say of a candidate -> its score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from assay.errors import UsageError
from assay.tables.ids import Bools, Floats, Ints

if TYPE_CHECKING:
    from numpy.typing import NDArray


# What the runs say of the candidates of some topics: the rank and the score that each run gives to each of them.


@dataclass(frozen=True, eq=False, repr=False)
class Votes:
    """rank[candidate, run] and, for methods by scores, score[candidate, run]; NaN if the run lacks the candidate.

    Candidates stand topic by topic; `topic` has the number of the topic of each, from 0, and no topic is without any.
    Parts of one result have one rank.
    """

    topic: Ints
    rank: Floats
    score: Floats | None

    @cached_property
    def starts(self) -> Ints:
        """Where the candidates of each topic begin, with the number of candidates at the end."""
        return np.append(0, np.cumsum(np.bincount(self.topic)))

    @property
    def scores(self) -> Floats:
        """The scores, which a method by scores has asked for."""
        assert self.score is not None
        return self.score

    @cached_property
    def having(self) -> Ints:
        """How many runs have each candidate."""
        return np.count_nonzero(~np.isnan(self.rank), axis=1)

    @cached_property
    def places(self) -> Floats:
        """The place of each candidate in each run among all candidates of its topic, from 1; those that share places,
        as those that a run lacks share the last ones, have the mean of them.
        """
        lacking = np.isnan(self.rank)
        deepest = np.maximum.reduceat(np.where(lacking, 0, self.rank).max(axis=1), self.starts[:-1]).astype(np.int64)
        # a slot for each rank of each topic, and after them one for what a run lacks
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
    """The sum over runs for each candidate; what a run lacks adds nothing.

    Equal values give equal sums, whichever runs they are of: they are added from the smallest to the greatest.
    """
    return np.sort(np.nan_to_num(values), axis=1).sum(axis=1)


# Condorcet fusion: the order in which each candidate is preferred to the next by the majority of runs.

Ranks: TypeAlias = "NDArray[np.int32]"
LACKING = np.iinfo(np.int32).max


def condorcet(votes: Votes) -> Floats:
    """The number of candidates from d on in an order in which at least as many runs prefer each candidate to the next
    as the other way round: merge sort by majority, which begins with the order of Borda. The candidates of a
    topic stand by document id.

    Montague and Aslam, Condorcet fusion for improved retrieval, CIKM 2002.
    """
    ranks = np.where(np.isnan(votes.rank), LACKING, votes.rank).astype(np.int32)
    # beside the candidates stands nobody, whom every run puts last
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
    """The candidates of each topic, sorted by majorities; a tie of votes changes nothing."""
    width, merging = topics.shape[1], 1
    while merging < width:
        halves = topics.reshape(-1, 2 * merging)
        topics = merged_halves(halves, merging, ranks).reshape(topics.shape)
        merging *= 2
    return topics


def merged_halves(halves: Ints, size: int, ranks: Ranks) -> Ints:
    """Lists whose two halves are sorted, each merged into one; all lists at once, a step for each place."""
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
    """Whether at least as many runs put the first of two candidates before the second as after it."""
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
    # NaN is sorted after all numbers
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
    """How runs are fused: what makes scores of votes, whether that looks at the runs' scores, and its parameter."""

    formula: Callable[..., Floats]
    by_score: bool = False
    parameter: str | None = None
    # Whether the score depends on how many runs have the candidate, so that scores below 0 turn what that means round.
    rewards_many: bool = False
    # Whether what a run lacks has a place in it too, after all that it has.
    places_all: bool = False
    # Whether candidates must stand by document id, as those do whose scores are tied.
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
    """A method of fusion."""
    if name not in METHODS:
        raise UsageError(f"unknown fusion method {name!r}; choose from {', '.join(METHODS)}")
    return METHODS[name]


def parameters_of(name: str, k: float | None, p: float | None) -> dict[str, float]:
    """The parameters that were given, if the method has them and they are within their bounds."""
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
