"""Measures for stratified samples: people judged a sample of each stratum, and the rest is estimated.

xinfAP, infNDCG and infP are those of the program that TREC uses for such judgments, sample_eval; statAP is that of the
Million Query track.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import UsageError
from assay.measures.base import LOWEST, Measure, cut, rel
from assay.measures.graded import log2_discount
from assay.ranking.documents import Ranking, Values, ratio
from assay.ranking.kinds import SAMPLED
from assay.ranking.subtopics import SampledRanking


def of_sample(ranking: Ranking, measure: Measure) -> SampledRanking:
    """Return the ranking; raise an error if its judgments are not of a sample."""
    if not isinstance(ranking, SampledRanking):
        raise UsageError(f"{measure} needs judgments with strata of a sample")
    return ranking


@dataclass(frozen=True, kw_only=True)
class xinfAP(Measure):
    """Extended inferred AP: average precision estimated from judgments of a stratified sample of the pool.

        xinfAP = (1/R) Σ_i [g_i ≥ rel] (N_s/n_s) · (1/i) ( 1 + Σ_s d_s (r_s + ε) / (m_s + 3ε) ),  R = Σ_s rel_s N_s/n_s

    A stratum s has N_s documents, n_s of them judged and rel_s relevant; document i counts with the N_s/n_s of its own
    stratum. Above rank i are d_s documents of stratum s, m_s of them judged and r_s relevant; ε = 0.00001. Yilmaz,
    Kanoulas and Aslam, A simple and efficient sampling method for estimating AP and NDCG, SIGIR 2008; TREC's program
    calls it infAP.
    """

    kinds = (SAMPLED,)
    worked = "{Σ relevant · N/n · expected P} / {R}"
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        whole = of_sample(ranking, self)
        hit = whole.relevant(self.rel).astype(np.int64)
        precision = (1 + whole.estimate(whole.above, hit, LOWEST)) / whole.rank
        relevant = whole.quantity("R", whole.strata.relevant(self.rel)[whole.topics])
        weight = whole.column("N/n", whole.weight)
        whole.column("expected P", precision)
        return ratio(whole.total(hit * weight * precision, "relevant · N/n · expected P"), relevant)


@dataclass(frozen=True, kw_only=True)
class statAP(Measure):
    """AP estimated from a sample: a document that was judged with probability π counts as 1/π documents.

        statAP = (1/R) Σ_i [g_i ≥ rel] (1/π_i) · (1/i) ( 1 + Σ_{j<i} [g_j ≥ rel] 1/π_j ),  R = Σ_d [g_d ≥ rel] 1/π_d

    d is every judged document; π is n_s/N_s if a stratum has N_s documents, n_s of them judged. Unlike xinfAP it
    estimates nothing from what the run returned, so a value can exceed 1. Pavlu and Aslam, A practical sampling
    strategy for efficient retrieval evaluation, 2007; statAP_MQ_eval of TREC's Million Query track.
    """

    kinds = (SAMPLED,)
    worked = "{Σ 1/π · expected P} / {R}"
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        whole = of_sample(ranking, self)
        stands_for = whole.column("1/π", whole.relevant(self.rel) * whole.weight)
        precision = whole.column("expected P", (1 + whole.above(stands_for)) / whole.rank)
        relevant = whole.quantity("R", whole.strata.relevant(self.rel)[whole.topics])
        return ratio(whole.total(stands_for * precision, "1/π · expected P"), relevant)


@dataclass(frozen=True, kw_only=True)
class infNDCG(Measure):
    """Inferred nDCG: nDCG estimated from judgments of a stratified sample of the pool.

        infNDCG = Σ_s d_s · mean_{i judged in s} g_i / log2(i+1)  /  IDCG

    d_s results belong to stratum s, and the mean is over the judged ones among them. The ideal ranking has as many
    documents of each grade as the pool is estimated to have, rounded. Yilmaz, Kanoulas and Aslam, A simple and
    efficient sampling method for estimating AP and NDCG, SIGIR 2008.
    """

    kinds = (SAMPLED,)
    worked = "{estimated DCG} / {IDCG}"
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = of_sample(ranking, self).top(self.k)
        gain = np.maximum(top.grade, 0) * log2_discount(top.rank.astype(np.float64))
        estimated = top.estimate(top.traced(None).total, top.column("gain/discount", gain))
        return ratio(top.quantity("estimated DCG", estimated), top.quantity("IDCG", self.best(top)))

    def best(self, ranking: SampledRanking) -> Values:
        """Return the DCG of the ideal ranking of each topic."""
        last, ends = np.zeros(len(ranking), np.int64), []
        for grade, number in ranking.strata.by_grade():
            first, last = last, last + number[ranking.topics]
            ends.append((grade, first, last))
        deepest = int(last.max(initial=0))
        down = np.append(0.0, np.cumsum(log2_discount(np.arange(1.0, deepest + 1))))
        most = deepest if self.k is None else min(self.k, deepest)
        gained = [grade * (down[np.minimum(end, most)] - down[np.minimum(begin, most)]) for grade, begin, end in ends]
        return sum(gained, np.zeros(len(ranking)))


@dataclass(frozen=True, kw_only=True)
class infP(Measure):
    """Inferred precision: precision estimated from judgments of a stratified sample of the pool.

        infP@k = (1/k) Σ_s d_s (r_s + ε) / (m_s + 3ε)

    Of the first k results d_s belong to stratum s, m_s of them judged and r_s relevant; ε = 0.00001. If no result of a
    stratum is judged, each of its results counts 1/3. Yilmaz, Kanoulas and Aslam, A simple and efficient sampling
    method for estimating AP and NDCG, SIGIR 2008; iP10 and so on of TREC's program.
    """

    kinds = (SAMPLED,)
    worked = "{estimated relevant} / {results}"
    rel: float = rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = of_sample(ranking, self).top(self.k)
        hit = top.column("relevant", top.relevant(self.rel).astype(np.int64))
        estimated = top.quantity("estimated relevant", top.estimate(top.traced(None).total, hit, LOWEST))
        return ratio(estimated, top.quantity("results", top.extent(self.k)))
