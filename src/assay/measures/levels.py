"""Precision at levels of recall."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import UsageError
from assay.measures.base import Measure, parameter, recall_level, rel
from assay.ranking.documents import Ranking, Values
from assay.tables.ids import Ints


def _exact(recall: float, base: Ints) -> Ints:
    from fractions import Fraction

    level = Fraction(str(recall))
    return -(-level.numerator * base // level.denominator)


COUNTS = {
    "trec9": lambda recall, base: (recall * base + 0.9).astype(np.int64),
    "trec10": lambda recall, base: np.floor(recall * base + 0.5).astype(np.int64),
    "exact": _exact,
}
COUNT = "number of relevant documents that a recall level requires: trec9, trec10 or exact"


@dataclass(frozen=True, kw_only=True)
class IPrec(Measure):
    """Interpolated precision at a recall level: the highest precision at that recall or any higher one.

        IPrec@x = max{ P@i : |relevant among the first i| ≥ c(x) },  0 if recall x is never reached

    c(x) is the number of relevant documents that recall x requires out of R: count='trec9' (default, trec_eval 9 and
    everything built on it) ⌊x R + 0.9⌋ in floating point; 'trec10' x R rounded; 'exact' ⌈x R⌉. Manning, Raghavan and
    Schütze, Introduction to Information Retrieval, Cambridge 2008, sec. 8.4.
    """

    cutoff = "recall"
    worked = "{max P@i from c(x) on}"
    recall: float = recall_level()
    rel: float = rel()
    count: str = parameter("trec9", COUNT, choices=COUNTS)

    def __call__(self, ranking: Ranking) -> Values:
        hit = ranking.relevant(self.rel)
        hits = ranking.column("relevant so far", ranking.running(hit))
        asked = ranking.quantity("c(x)", COUNTS[self.count](self.recall, ranking.recall_base(self.rel)))
        reached = hit & (hits >= ranking.each(asked))
        return ranking.highest(np.where(reached, hits / ranking.read, 0.0), "P@i from c(x) on")


ELEVEN = tuple(level / 10 for level in range(11))


@dataclass(frozen=True, kw_only=True)
class IPrec11(Measure):
    """Eleven-point average: interpolated precision at recall 0, 0.1 … 1, averaged (trec_eval's 11pt_avg).

        IPrec11 = (1/11) Σ_x IPrec@x

    Manning, Raghavan and Schütze, Introduction to Information Retrieval, Cambridge 2008, sec. 8.4.
    """

    rel: float = rel()
    count: str = parameter("trec9", COUNT)
    levels: tuple[float, ...] = parameter(ELEVEN, "recall levels to average over")

    def __post_init__(self) -> None:
        if not self.levels or not all(isinstance(level, int | float) for level in self.levels):
            raise UsageError("IPrec11: expected recall levels, for example levels=0.25;0.5;0.75")

    def __call__(self, ranking: Ranking) -> Values:
        points = [
            ranking.quantity(f"IPrec@{level:g}", IPrec(recall=level, rel=self.rel, count=self.count)(ranking))
            for level in self.levels
        ]
        # added one by one, because the way numpy sums them depends on the number of topics
        return sum(points[1:], points[0]) / len(points)
