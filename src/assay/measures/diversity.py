"""Measures of novelty and diversity: a topic has subtopics, and a document gains by what it adds to those above it.

TREC's web track used them for its diversity task, 2009 to 2012; Assay follows its program ndeval. A document
is relevant to a subtopic or not. A subtopic that nothing is relevant to does not count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.measures.base import Measure, cut, parameter, rel
from assay.measures.graded import DEEPEST, log2_discount
from assay.ranking.documents import Ranking, Values, ratio
from assay.ranking.kinds import SUBTOPICS
from assay.ranking.subtopics import SubtopicRanking
from assay.tables.ids import Floats


def alpha() -> Any:
    """Declare the share of its gain that a subtopic loses each time it occurs."""
    must = "expected a number from 0 to 1"
    return parameter(0.5, "share of its gain that a subtopic loses each time it occurs", least=0, most=1, must=must)


def beta() -> Any:
    """Declare the probability that the reader goes on."""
    must = "expected a probability between 0 and 1, both excluded"
    return parameter(0.5, "probability that the reader goes on to the next result", above=0, below=1, must=must)


def of_subtopics(ranking: Ranking, measure: Measure) -> SubtopicRanking:
    """Return the ranking; raise an error if it has no subtopics."""
    if not isinstance(ranking, SubtopicRanking):
        raise UsageError(f"{measure} needs judgments with subtopics")
    return ranking


def depth_of_list(measure: alpha_DCG | ERR_IA) -> int | None:
    """Return the cut-off; raise an error if it is too deep to compute the best possible gain down to it."""
    depth: int | None = measure.k
    if depth is not None and depth > DEEPEST:
        raise UsageError(f"{measure}: expected a cut-off of at most {DEEPEST:,}")
    return depth


def reciprocal(rank: Floats) -> Floats:
    """Return 1 / rank."""
    return 1 / rank


def discounted_gain(ranking: SubtopicRanking, alpha: float, rel: float, weight: Callable[[Floats], Floats]) -> Floats:
    """Return the gain of new subtopics of each topic, weighted by rank."""
    novelty = ranking.column("gain", ranking.novelty(alpha, rel))
    total: Floats = ranking.total(novelty * weight(ranking.rank.astype(np.float64)), "gain · weight")
    return total


def greatest(
    ranking: SubtopicRanking, alpha: float, rel: float, weight: Callable[[Floats], Floats], k: int | None
) -> Floats:
    """Return the same if every document down to k, or to the end of the list, were relevant to all subtopics."""
    depth = np.asarray(ranking.extent(k))
    ranks = np.arange(1.0, depth.max(initial=0) + 1)
    down = np.append(0.0, np.cumsum((1 - alpha) ** (ranks - 1) * weight(ranks)))
    return ranking.number(rel) * down[depth]


@dataclass(frozen=True, kw_only=True)
class alpha_DCG(Measure):
    """Discounted gain of new subtopics: a subtopic gains less each time it occurs again.

        alpha_DCG@k = Σ_{i≤k} G_i / log2(i+1)  /  n Σ_{i≤k} (1−alpha)^(i−1) / log2(i+1)
        G_i = Σ_s [i is relevant to s] (1−alpha)^c

    c documents above i are also relevant to subtopic s, and n subtopics have relevant documents: it is 1 if each
    document is relevant to all subtopics, whether or not such documents exist. Without k it goes to the end of the
    list. Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008; ndeval's alpha-DCG.
    """

    kinds = (SUBTOPICS,)
    worked = "{Σ gain · weight} / {greatest}"
    alpha: float = alpha()
    rel: float = rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        return share_of_greatest(of_subtopics(ranking, self), self.alpha, self.rel, log2_discount, depth_of_list(self))


@dataclass(frozen=True, kw_only=True)
class alpha_nDCG(Measure):
    """Novelty-biased nDCG: discounted gain of new subtopics, divided by that of the ideal ranking.

        alpha_nDCG@k = Σ_{i≤k} G_i / log2(i+1)  /  the same of the ideal ranking
        G_i = Σ_s [i is relevant to s] (1−alpha)^c

    c documents above i are also relevant to subtopic s. The ideal ranking is greedy: it takes next the document that
    adds most, and of equal ones the one with the last id, as ndeval does. A ranking can be slightly better than that
    and exceed 1. Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008.
    """

    kinds = (SUBTOPICS,)
    worked = "{Σ gain · weight} / {ideal Σ gain · weight}"
    alpha: float = alpha()
    rel: float = rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        return share_of_best(of_subtopics(ranking, self), self.alpha, self.rel, log2_discount, self.k)


@dataclass(frozen=True, kw_only=True)
class ERR_IA(Measure):
    """Intent-aware expected reciprocal rank: the gain of new subtopics, weighted by reciprocal rank.

        ERR_IA@k = Σ_{i≤k} G_i / i  /  n Σ_{i≤k} (1−alpha)^(i−1) / i
        G_i = Σ_s [i is relevant to s] (1−alpha)^c

    c documents above i are also relevant to subtopic s, and n subtopics have relevant documents: a reader interested
    in a subtopic stops at a relevant document with probability alpha. Without k it goes to the end of the list.
    Chapelle, Metzler, Zhang and Grinspan, Expected reciprocal rank for graded relevance, CIKM 2009; ndeval's ERR-IA,
    which does not divide if k is 1.
    """

    kinds = (SUBTOPICS,)
    worked = "{Σ gain · weight} / {greatest}"
    alpha: float = alpha()
    rel: float = rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        return share_of_greatest(of_subtopics(ranking, self), self.alpha, self.rel, reciprocal, depth_of_list(self))


@dataclass(frozen=True, kw_only=True)
class nERR_IA(Measure):
    """Intent-aware expected reciprocal rank, divided by that of the ideal ranking.

        nERR_IA@k = Σ_{i≤k} G_i / i  /  the same of the ideal ranking
        G_i = Σ_s [i is relevant to s] (1−alpha)^c

    c documents above i are also relevant to subtopic s; the ideal ranking is that of alpha_nDCG. Chapelle, Metzler,
    Zhang and Grinspan, Expected reciprocal rank for graded relevance, CIKM 2009; ndeval's nERR-IA.
    """

    kinds = (SUBTOPICS,)
    worked = "{Σ gain · weight} / {ideal Σ gain · weight}"
    alpha: float = alpha()
    rel: float = rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        return share_of_best(of_subtopics(ranking, self), self.alpha, self.rel, reciprocal, self.k)


@dataclass(frozen=True, kw_only=True)
class NRBP(Measure):
    """Novelty- and rank-biased precision: the gain of new subtopics for a reader who goes on with probability beta.

        NRBP = (1 − (1−alpha) beta) / n · Σ_i G_i beta^(i−1)
        G_i = Σ_s [i is relevant to s] (1−alpha)^c

    c documents above i are also relevant to subtopic s, and n subtopics have relevant documents. Clarke, Kolla and
    Vechtomova, An effectiveness measure for ambiguous and underspecified queries, ICTIR 2009.
    """

    kinds = (SUBTOPICS,)
    worked = "{Σ gain · weight} · (1 − (1 − {alpha}) · {beta}) / {subtopics}"
    alpha: float = alpha()
    beta: float = beta()
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        whole = of_subtopics(ranking, self)
        gained = discounted_gain(whole, self.alpha, self.rel, lambda rank: self.beta ** (rank - 1))
        return ratio((1 - (1 - self.alpha) * self.beta) * gained, whole.number(self.rel))


@dataclass(frozen=True, kw_only=True)
class nNRBP(Measure):
    """Novelty- and rank-biased precision, divided by that of the ideal ranking.

        nNRBP = Σ_i G_i beta^(i−1)  /  the same of the ideal ranking
        G_i = Σ_s [i is relevant to s] (1−alpha)^c

    c documents above i are also relevant to subtopic s; the ideal ranking is that of alpha_nDCG. Clarke, Kolla and
    Vechtomova, An effectiveness measure for ambiguous and underspecified queries, ICTIR 2009.
    """

    kinds = (SUBTOPICS,)
    worked = "{Σ gain · weight} / {ideal Σ gain · weight}"
    alpha: float = alpha()
    beta: float = beta()
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        whole = of_subtopics(ranking, self)
        return share_of_best(whole, self.alpha, self.rel, lambda rank: self.beta ** (rank - 1), None)


@dataclass(frozen=True, kw_only=True)
class AP_IA(Measure):
    """Intent-aware average precision: the mean of the average precision of each subtopic.

        AP_IA = (1/n) Σ_s AP_s

    AP_s is the AP if only documents relevant to subtopic s count as relevant; n subtopics have relevant documents.
    Agrawal, Gollapudi, Halverson and Ieong, Diversifying search results, WSDM 2009; ndeval's MAP-IA.
    """

    kinds = (SUBTOPICS,)
    worked = "{Σ P@i of its subtopics} / {subtopics}"
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        whole = of_subtopics(ranking, self)
        row, subtopic, before = whole.hits(self.rel)
        precision = (before + 1) / whole.rank[row] / whole.subtopics.relevant(self.rel)[subtopic]
        by_row = np.bincount(row, precision, minlength=len(whole.rank))
        return ratio(whole.total(by_row, "P@i of its subtopics"), whole.number(self.rel))


@dataclass(frozen=True, kw_only=True)
class P_IA(Measure):
    """Intent-aware precision: the mean of the precision of each subtopic.

        P_IA@k = (1/n) Σ_s |relevant to s among the first k| / k

    n subtopics have relevant documents. Agrawal, Gollapudi, Halverson and Ieong, Diversifying search results, WSDM
    2009.
    """

    kinds = (SUBTOPICS,)
    worked = "{Σ subtopics met} / ({|retrieved|} · {subtopics})"
    rel: float = rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = of_subtopics(ranking, self).top(self.k)
        row, _, _ = top.hits(self.rel)
        met = top.total(np.bincount(row, minlength=len(top.rank)), "subtopics met")
        return ratio(met, top.extent(self.k) * top.number(self.rel))


@dataclass(frozen=True, kw_only=True)
class StRecall(Measure):
    """Subtopic recall: the share of the subtopics that the first k results cover.

        StRecall@k = |subtopics that one of the first k is relevant to| / n

    n subtopics have relevant documents. Zhai, Cohen and Lafferty, Beyond independent relevance, SIGIR 2003; ndeval's
    strec.
    """

    kinds = (SUBTOPICS,)
    worked = "{Σ new subtopics} / {subtopics}"
    rel: float = rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = of_subtopics(ranking, self).top(self.k)
        row, _, before = top.hits(self.rel)
        new = np.bincount(row[before == 0], minlength=len(top.rank))
        return ratio(top.total(new, "new subtopics"), top.number(self.rel))


def share_of_greatest(
    ranking: SubtopicRanking, alpha: float, rel: float, weight: Callable[[Floats], Floats], k: int | None
) -> Floats:
    """Return the gain of the first k results, divided by the gain if each were relevant to all subtopics."""
    top = ranking.top(k)
    best = top.quantity("greatest", greatest(top, alpha, rel, weight, k))
    return ratio(discounted_gain(top, alpha, rel, weight), best)


def share_of_best(
    ranking: SubtopicRanking, alpha: float, rel: float, weight: Callable[[Floats], Floats], k: int | None
) -> Floats:
    """Return the gain of the first k results, divided by that of the ideal ranking."""
    best = ranking.best(alpha, rel, k)
    return ratio(discounted_gain(ranking.top(k), alpha, rel, weight), discounted_gain(best, alpha, rel, weight))
