"""Measures that blend gain and precision, for graded documents and for assessed elements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.measures.base import cut, parameter
from assay.measures.elements import OfElements
from assay.ranking.documents import Ranking, Values, ratio
from assay.ranking.elements import ElementGains, ElementRanking
from assay.ranking.kinds import DOCUMENTS, ELEMENTS
from assay.tables.ids import Floats, Ints


@dataclass(frozen=True, kw_only=True)
class Q(OfElements):
    """Q-measure: average precision, with precision blended with normalised cumulated gain.

        Q = (1/R) Σ_i [g_i > 0] · (|relevant among the first i| + β cg(i)) / (i + β cig(i))

    cg is the cumulated gain of the ranking, cig that of the ideal ranking. For assessed elements the gain is xG, as
    for nxCG. Sakai, On the reliability of information retrieval metrics based on graded relevance, Information
    Processing and Management 43(2), 2007; Kazai and Lalmas, INEX 2005, eq. 13, which as printed has the bonus in cig
    too. Near misses get the bonus but R counts only ideal elements, so with overlap it may exceed 1.
    """

    kinds = (DOCUMENTS, ELEMENTS)
    worked = "{Σ blended ratio} / {R}"
    beta: float = parameter(1.0, "weight of cumulated gain relative to precision")
    k: int | None = cut()
    as_printed: bool = parameter(False, "for elements: use the formula as printed in the INEX 2005 paper")

    def __call__(self, ranking: Ranking) -> Values:
        ranking = self.gained(ranking) if isinstance(ranking, ElementRanking) else ranking
        top, ideal = ranking.top(self.k), ranking.ideal
        gain = top.column("gain", blended_gains(top))
        hit = gain > 0
        blended = top.column("hits + β cg", top.running(hit) + self.beta * top.running(gain))
        best = top.ideally(blended_gains(ideal) + self.as_printed)
        divisor = top.column("i + β cig", top.rank + self.beta * best)
        base = top.quantity("R", ideal.total(blended_gains(ideal) > 0))
        return ratio(top.total(hit * blended / divisor, "blended ratio"), base)

    def expected(self, ranking: Ranking) -> Values:
        """As for AP: on average (i−f)/(n−1) of the other results in its tie are above a result at place i."""
        top, ideal = ranking.top(self.k), ranking.ideal
        gain = blended_gains(top)
        hit = gain > 0
        bonus = hit + self.beta * gain
        above, others = top.before_tie(bonus), top.in_tie(bonus) - bonus
        size = top.last - top.first  # type: ignore[operator]

        def ratio_at(rank: Floats, row: Ints) -> Floats:
            beside = ratio((rank - top.first[row]) * others[row], size[row])  # type: ignore[index]
            topic = top.each(np.arange(len(top)))[row]
            best = ideal.down_to(blended_gains(ideal), rank.astype(np.int64), np.bincount(topic, minlength=len(top)))
            return (above[row] + bonus[row] + beside) / (rank + self.beta * best)

        base = top.quantity("R", ideal.total(blended_gains(ideal) > 0))
        return ratio(top.total(hit * top.share * top.mean_over_tie(ratio_at), "blended ratio"), base)


def blended_gains(ranking: Ranking) -> Values:
    """Return the gain of each row: that of its element, or its grade; a negative grade gains nothing."""
    return ranking.xG if isinstance(ranking, ElementGains) else np.maximum(ranking.grade, 0)
