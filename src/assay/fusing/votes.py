"""What the runs say of the candidates of some topics: the rank and the score that each run gives to each of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.tables.ids import Floats, Ints


@dataclass(frozen=True, eq=False, repr=False)
class Votes:
    """rank[candidate, run] and, for methods by scores, score[candidate, run]; NaN where the run lacks the candidate.

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
        # a slot for each rank of each topic, and behind them one for what a run lacks
        first_slot = np.concatenate(([0], np.cumsum(deepest + 2)))
        slot = np.where(lacking, deepest[self.topic][:, None] + 1, self.rank).astype(np.int64)
        slot += first_slot[self.topic][:, None]
        places = np.empty(self.rank.shape)
        for run in range(len(self.rank[0])):
            number = np.bincount(slot[:, run], minlength=first_slot[-1])
            shared = np.cumsum(number) - (number - 1) / 2
            places[:, run] = shared[slot[:, run]] - self.starts[self.topic]
        return places


def added(values: Floats) -> Floats:
    """The sum over runs for each candidate; what a run lacks adds nothing.

    Equal values give equal sums, whichever runs they are of: they are added from the smallest to the greatest.
    """
    return np.sort(np.nan_to_num(values), axis=1).sum(axis=1)
