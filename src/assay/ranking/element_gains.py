"""Gained: what the results of a ranking of elements give, next to the best that can be had; and View, how they are
valued.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.ranking.document_ranking import Ranking, Values, ratio
from assay.ranking.element_trees import RULES, Base
from assay.ranking.element_values import Discounted, Independent, Recursive, SeenElements, UnseenSize
from assay.ranking.quantisations import Quantisation
from assay.tables.ids import Bools, Floats, Ints

Value = Callable[[Base, list[float], int, SeenElements, int], float]


@dataclass(frozen=True)
class View:
    """How elements are valued: by which quantisation, with or without overlap, by which function of what was seen."""

    quant: Quantisation = "gen"
    overlap: str = "on"
    alpha: float = 1.0
    rv: Any = "recursive"
    rule: str = "2005"

    def __post_init__(self) -> None:
        if self.overlap not in ("on", "off"):
            raise UsageError(f"overlap={self.overlap} is wrong; expected on or off")
        if not 0 <= self.alpha <= 1:
            raise UsageError(f"alpha={self.alpha:g} is wrong; expected a number from 0 to 1")
        if self.rule not in RULES:
            raise UsageError(f"rule={self.rule} is wrong; expected one of {', '.join(RULES)}")
        if isinstance(self.rv, str) and self.rv not in VALUES:
            raise UsageError(f"rv={self.rv} is wrong; expected one of {', '.join(VALUES)}")

    @property
    def value(self) -> Value:
        """The relevance value function."""
        return VALUES[self.rv](self.alpha) if isinstance(self.rv, str) else self.rv


VALUES: dict[str, Callable[[float], Value]] = {
    "recursive": lambda alpha: Recursive(alpha),
    "size": lambda alpha: UnseenSize(),
    "independent": lambda alpha: Independent(),
    "discounted": lambda alpha: Discounted(),
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Gained(Ranking):
    """The results that give something, at their ranks, with what each gives; `ideal` is the same of the best ranking.

    `missed` is the number of elements behind the ideal vector that were never returned.
    """

    xG: Floats
    missed: Ints | None = None
    cluster: Ints | None = None
    topics: int = 0

    def keep(self, kept: Bools) -> Gained:
        """What some of the rows give."""
        return replace(super().keep(kept), xG=self.xG[kept])  # type: ignore[call-arg, return-value]

    def over_clusters(self, values: Values) -> Values:
        """The mean of the articles of each topic, where each article was a topic of its own."""
        if self.cluster is None:
            return values
        sums = np.bincount(self.cluster, values, minlength=self.topics)
        return ratio(sums, np.bincount(self.cluster, minlength=self.topics))

    @property
    def to_find(self) -> Ints:
        """The number of elements behind the ideal vector that were never returned."""
        assert self.missed is not None
        return self.missed

    @property
    def xCG(self) -> Floats:
        """What was gained down to each row; no more than there is to be gained."""
        return np.minimum(self.running(self.xG), self.each(self.xCI))

    @property
    def xCI(self) -> Floats:
        """All that can be gained in each topic."""
        return self.ideal.total(self._ideal_gain)

    @property
    def _ideal_gain(self) -> Floats:
        assert isinstance(self.ideal, Gained)
        return self.ideal.xG

    def gained(self, k: int | None) -> Floats:
        """What was gained in the first k results of each topic."""
        return np.minimum(self.total(self.xG if k is None else np.where(self.rank <= k, self.xG, 0.0)), self.xCI)

    def gainable(self, k: int | None) -> Floats:
        """What can be gained in the first k results of each topic."""
        ideal = self._ideal_gain
        return self.ideal.total(ideal if k is None else np.where(self.ideal.rank <= k, ideal, 0.0))


def sorted_gains(group: Ints, value: Floats, groups: int, view: View | None = None) -> Gained:
    """The best ranking of some elements: the highest score first."""
    order = np.lexsort((-value, group))
    starts = np.searchsorted(group[order], np.arange(groups + 1))
    rows = np.diff(starts)
    rank = np.arange(len(order)) - np.repeat(starts[:-1], rows) + 1
    gain = value[order] * (discount(view, rank) if view else 1.0)
    return Gained(starts, rank, np.zeros(len(rank), np.int64), rows, xG=gain)


def discount(view: View, rank: Values) -> Values:
    """What is left of a score at each rank: all of it, unless the view discounts."""
    value = view.value
    if not isinstance(value, Discounted):
        return np.ones(len(rank))
    return np.array([value.discount(int(place)) for place in rank])


def with_gain(ranking: Ranking, gain: Floats, ideal: Gained, missed: Ints) -> Gained:
    """The rows of a ranking that give something."""
    kept = gain > 0
    starts = np.append(0, np.cumsum(kept))[ranking.starts]
    none = np.zeros(int(kept.sum()), np.int64)
    return Gained(starts, ranking.rank[kept], none, ranking.retrieved, xG=gain[kept], ideal=ideal, missed=missed)
