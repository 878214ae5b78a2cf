"""The eXtended Cumulated Gain measures of INEX 2005, for elements with grades of exhaustivity and specificity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.measures.base import cut, parameter
from assay.measures.elements import LEVELS, OfElements
from assay.measures.graded import cumulated_gain
from assay.ranking.documents import Ranking, Values, ratio
from assay.ranking.elements import ElementGains, ElementRanking
from assay.ranking.kinds import DOCUMENTS, ELEMENTS
from assay.tables.ids import Floats


def bound() -> Any:
    """Declare whether gains are bounded by the ideal recall-base."""
    return parameter(True, "if overlap is on: limit the gain of an ideal element to its score, of a run to the total")


@dataclass(frozen=True, kw_only=True)
class CG(OfElements):
    """Cumulated gain: the sum of the gains of the first i results.

        xCG[i] = Σ xG[j], j = 1 … i        of documents: CG[i] = Σ g_j, j = 1 … i

    The gain of a document is its grade. With bound=False the gain of an element is its relevance value (SIGIR 2004,
    5.1), without the limit of the ideal recall-base. Kazai and Lalmas, INEX 2005 Evaluation Measures, eq. 4; Järvelin
    and Kekäläinen, ACM TOIS 20, 2002.
    """

    kinds = (DOCUMENTS, ELEMENTS)
    worked = "{CG}"
    bound: bool = bound()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        if isinstance(ranking, ElementRanking):
            return self.gained(ranking).gained(self.k)
        return ranking.quantity("CG", cumulated_gain(ranking.top(self.k)))

    def expected(self, ranking: Ranking) -> Values:
        """Return the value of the formula itself, which holds for ties too."""
        return self(ranking)


@dataclass(frozen=True, kw_only=True)
class nxCG(OfElements):
    """Normalised cumulated gain: the gain of the first i results, divided by the gain of the best i.

        nxCG@i = xCG[i] / xCI[i]

    The ideal curve stays flat after its end, and no run gains more than there is. With alpha=1, when text counts once,
    nxCG is at most 1, even if one element contains two ideal elements and gains at once what they gain one by one.
    Kazai and Lalmas, INEX 2005, eq. 5.
    """

    worked = "{CG} / {ideal CG}"
    bound: bool = bound()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        gained = self.gained(ranking)
        return bound_nxcg(ratio(gained.gained(self.k), gained.gainable(self.k)), self)


@dataclass(frozen=True, kw_only=True)
class MAnxCG(OfElements):
    """Mean average nxCG: the mean of nxCG over the first i ranks.

        MAnxCG@i = (1/i) Σ nxCG@j, j = 1 … i

    Without a cut-off, i is the number of results. Kazai and Lalmas, INEX 2005, eq. 6.
    """

    worked = "{sum of nxCG@j} / {i}"
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        gained = self.gained(ranking)
        depth = gained.quantity("i", gained.retrieved if self.k is None else np.full(len(gained), self.k))
        values = np.zeros(len(gained))
        for topic, last in enumerate(depth.tolist()):
            curve, ideal = (cumulate(each, topic, last) for each in (gained, gained.ideal))
            values[topic] = (
                np.mean(bound_nxcg(ratio(np.minimum(curve, gained.xCI[topic]), ideal), self)) if last else 0.0
            )
        gained.quantity("sum of nxCG@j", values * depth)
        return values


def bound_nxcg(values: Floats, measure: OfElements) -> Floats:
    """Limit nxCG to 1 if text counts once."""
    once = measure.view.bound and measure.overlap == "on" and measure.rv == "recursive" and measure.alpha == 1
    return np.minimum(values, 1.0) if once else values


def cumulate(gained: Ranking, topic: int, last: int) -> Floats:
    """Return the cumulated gain of a topic at each rank down to the last."""
    assert isinstance(gained, ElementGains)
    rows = slice(gained.starts[topic], gained.starts[topic + 1])
    gain = np.zeros(last + 1)
    rank = gained.rank[rows]
    np.add.at(gain, rank[rank <= last], gained.xG[rows][rank <= last])
    return np.cumsum(gain)[1:]


def effort(gained: ElementGains) -> Floats:
    """Return effort-precision at each natural point: the ideal curve's rank for the same gain, divided by the rank."""
    reached, ideal = gained.xCG, gained.ideal
    assert isinstance(ideal, ElementGains)
    best = ideal.running(ideal.xG)
    rank = np.zeros(len(reached))
    for topic in range(len(gained)):
        here, there = (slice(curve_of.starts[topic], curve_of.starts[topic + 1]) for curve_of in (gained, ideal))
        # take the first rank that has this gain; after the last gain come articles without a gain of their own
        curve = np.append(0.0, best[there][ideal.xG[there] > 0])
        rank[here] = np.interp(reached[here], curve, np.arange(len(curve)))
    return ratio(rank, gained.rank)


def at_levels(gained: ElementGains, levels: Floats) -> Floats:
    """Return effort-precision at gain-recall levels: linear between natural points, before them flat, after them 0."""
    recall = gained.column("gr", ratio(gained.xCG, gained.each(gained.xCI)))
    precision = gained.column("ep", effort(gained))
    values = np.zeros((len(gained), len(levels)))
    for topic in range(len(gained)):
        here = slice(gained.starts[topic], gained.starts[topic + 1])
        if here.start < here.stop:
            # use only the first rank that reaches a level; once everything is gained, further results add nothing
            first = np.diff(recall[here], prepend=-1.0) > 1e-12
            gain, precise = recall[here][first], precision[here][first]
            # a level that is a natural point counts as reached, despite rounding
            reached = np.where(np.isclose(levels, gain[-1], rtol=1e-12, atol=0), gain[-1], levels)
            values[topic] = np.interp(reached, gain, precise, right=0.0)
    return values


@dataclass(frozen=True, kw_only=True)
class ep(OfElements):
    """Effort-precision at a gain-recall level: the ideal run's rank for that gain, divided by this run's rank.

        ep = i_ideal / i_run,  gr[i] = xCG[i] / xCI[n]

    i_ideal is the rank at which the ideal curve reaches xCG[i], linear between ranks. Natural points are the ranks
    with a gain: between them ep is linear, before the first it is flat, after the last it is 0. Kazai and Lalmas, INEX
    2005, eq. 11.
    """

    cutoff = "recall"
    recall: float = parameter(
        0.0, "gain-recall level, from 0 to 1", least=0, most=1, must="expected a gain-recall level between 0 and 1"
    )

    def __call__(self, ranking: Ranking) -> Values:
        return at_levels(self.gained(ranking), np.array([self.recall]))[:, 0]


@dataclass(frozen=True, kw_only=True)
class gr(OfElements):
    """Gain-recall: the gain of the first i results, divided by the gain of the whole ideal ranking.

        gr[i] = xCG[i] / xCI[n]

    Kazai and Lalmas, INEX 2005, eq. 12.
    """

    worked = "{CG} / {xCI[n]}"
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        gained = self.gained(ranking)
        return ratio(gained.gained(self.k), gained.quantity("xCI[n]", gained.xCI))


LEVEL = (
    "for FetchBrowse: `article`, or `element` (mean over articles); without it all elements of a topic together"
)


@dataclass(frozen=True, kw_only=True)
class Aep(OfElements):
    """Average effort-precision: ep at each natural point, averaged over all elements to find. Its mean is MAep.

        Aep = Σ ep[i] / (number of natural points + elements of the recall-base never retrieved)

    A natural point is a rank with a gain. Kazai and Lalmas, INEX 2005, sec. 3.3 and 6.3.
    """

    worked = "{Σ ep} / ({natural points} + {never retrieved})"
    level: str = parameter("", LEVEL)

    def __call__(self, ranking: Ranking) -> Values:
        gained = self.gained(ranking, checked_level(self))
        points = gained.quantity("natural points", gained.rows) + gained.quantity("never retrieved", gained.to_find)
        return gained.over_clusters(ratio(gained.total(effort(gained), "ep"), points))


@dataclass(frozen=True, kw_only=True)
class iAep(OfElements):
    """Interpolated average effort-precision: the mean of ep at 100 levels of gain-recall. Its mean is iMAep.

        iAep = (1/100) Σ ep@x,  x = 0.01, 0.02 … 1

    Kazai and Lalmas, INEX 2005, sec. 3.3 and 6.3.
    """

    worked = "{sum of ep@x} / 100"
    level: str = parameter("", LEVEL)

    def __call__(self, ranking: Ranking) -> Values:
        gained = self.gained(ranking, checked_level(self))
        values = at_levels(gained, LEVELS)
        gained.quantity("sum of ep@x", values.sum(axis=1))
        return gained.over_clusters(values.mean(axis=1))


def checked_level(measure: Aep | iAep) -> str:
    """Return the level of a measure; raise an error if it is unknown."""
    if measure.level not in ("", "article", "element"):
        raise UsageError(f"{measure}: unknown level; choose from article, element")
    return measure.level


@dataclass(frozen=True, kw_only=True)
class Rmeasure(OfElements):
    """R-measure: gain plus a bonus per gain up to rank R, divided by the best possible; R is the recall-base's size.

        Rmeasure = cbg(R) / (cig(R) + R)        as printed: cbg(R) / (cbg(R) + R)

    cbg is the sum of xG + 1 over the results with a gain, cig the sum of the ideal gains. Sakai, NTCIR-4 2004; Kazai
    and Lalmas, INEX 2005, eq. 14.
    """

    worked = "{Σ bonus gain} / ({best} + {R})"
    as_printed: bool = parameter(False, "use the formula as printed in the INEX 2005 paper")

    def __call__(self, ranking: Ranking) -> Values:
        gained = self.gained(ranking)
        size = gained.quantity("R", gained.ideal.rows)
        bonus = gained.total(np.where(gained.rank <= gained.each(size), gained.xG + 1, 0.0), "bonus gain")
        return ratio(bonus, gained.quantity("best", bonus if self.as_printed else gained.gainable(None)) + size)
