"""Base classes of the measures of assessed elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.errors import UsageError
from assay.measures.base import Measure, parameter
from assay.ranking.documents import Ranking, Values
from assay.ranking.elements import ElementGains, ElementRanking, View
from assay.ranking.kinds import ELEMENTS, Kind
from assay.tables.ids import Floats

POINTS = 100
LEVELS = np.arange(1, POINTS + 1) / POINTS


@dataclass(frozen=True, kw_only=True)
class OfElements(Measure):
    """Base class with the parameters that say how elements are valued."""

    kinds: ClassVar[tuple[Kind, ...]] = (ELEMENTS,)
    quant: Any = parameter(
        "gen",
        "quantisation: strict, gen, sog (2003), genLifted (2005), a .csv or .tsv file of e, s and value, or a function "
        "of (e, s)",
    )
    overlap: str = parameter(
        "on", "on: overlap and near misses count, compared with the ideal recall-base; off: each element by itself"
    )
    alpha: float = parameter(1.0, "penalty for text that was seen before: 0 (none) to 1 (worth nothing)")
    rv: Any = parameter(
        "recursive", "relevance value if overlap is on: recursive, size, independent, discounted, or a function"
    )
    rule: str = parameter(
        "2005", "how the ideal recall-base is chosen: 2005, by quantised score, or 2004, by specificity"
    )

    def __post_init__(self) -> None:
        # creating the view now refuses wrong parameters before any file is read
        _ = self.view

    @property
    def view(self) -> View:
        """How elements are valued."""
        return View(self.quant, self.overlap, self.alpha, self.rv, self.rule, getattr(self, "bound", True))

    def elements(self, ranking: Ranking) -> ElementRanking:
        """Return the ranking; raise an error if it is not one of elements."""
        if not isinstance(ranking, ElementRanking):
            raise UsageError(f"{self} needs assessed elements, but the judgments have none")
        return ranking

    def gained(self, ranking: Ranking, level: str = "") -> ElementGains:
        """Return the gains of the results."""
        return self.elements(ranking).gains(self.view, level)


@dataclass(frozen=True, kw_only=True)
class Curve(Measure):
    """Base class of inex2002 and inex2003: precision at recall levels, and its mean over 100 of them."""

    kinds: ClassVar[tuple[Kind, ...]] = (ELEMENTS,)
    cutoff = "recall"
    worked = "{sum of P(x)} / {levels}"
    quant: Any = parameter(
        "gen", "quantisation: strict or gen; for inex2002 also sog, genLifted, a file, or a function of (e, s)"
    )
    recall: float | None = parameter(
        None,
        "recall level, from 0 to 1; without it the mean over 0.01, 0.02 … 1",
        above=0,
        most=1,
        must="expected a recall level above 0, at most 1",
    )

    def __call__(self, ranking: Ranking) -> Values:
        if not isinstance(ranking, ElementRanking):
            raise UsageError(f"{self} needs assessed elements, but the judgments have none")
        levels = LEVELS if self.recall is None else np.array([self.recall])
        values = self.at(ranking, levels)
        ranking.quantity("sum of P(x)", values.sum(axis=1))
        ranking.quantity("levels", np.full(len(ranking), len(levels)))
        return values.mean(axis=1)

    def at(self, ranking: ElementRanking, levels: Floats) -> Floats:
        """Return the precision of each topic at each recall level."""
        raise NotImplementedError
