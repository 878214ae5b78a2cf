"""The normalisations of scores, of the results that a run has for a topic: they make those of several runs alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from assay.errors import UsageError
from assay.tables.ids import Floats, Ints


class Lists:
    """Lists of scores, best first, one behind the other: the results of a run for a topic each.

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
    """(s − min) / (max − min); 1 where all scores of the list are equal."""
    least, width = lists.least, lists.greatest - lists.least
    above = lists.score - lists.spread(least)
    return np.where(lists.spread(width) > 0, above / lists.spread(np.where(width > 0, width, 1.0)), 1.0)


def z(lists: Lists) -> Floats:
    """(s − mean) / standard deviation, of the whole list; 0 where all scores of the list are equal."""
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
        raise UsageError(f"unknown normalisation {name!r}; expected one of {', '.join(NORMALISATIONS)}")
    return NORMALISATIONS[name]
