"""Condorcet fusion: the order in which each candidate is preferred to the next by the majority of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from assay.fusing.votes import Votes
from assay.tables.ids import Bools, Floats, Ints

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    order = merged(topics, ranks)
    score = np.empty(len(votes.topic) + 1)
    score[order] = sizes[:, None] - np.arange(width)
    return score[:-1]


def merged(topics: Ints, ranks: Ranks) -> Ints:
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
        takes_left = (right == 2 * size) | ((left < size) & preferred(ranks[first], ranks[second]))
        out[:, place] = np.where(takes_left, first, second)
        left += takes_left
        right += ~takes_left
    return out


def preferred(ranks: Ranks, others: Ranks) -> Bools:
    """Whether at least as many runs put the first of two candidates before the second as behind it."""
    return np.count_nonzero(ranks < others, axis=1) >= np.count_nonzero(ranks > others, axis=1)
