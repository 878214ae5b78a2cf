"""Measures for incomplete judgments: people judged only some of the retrieved or pooled documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.measures.base import LOWEST, Geometric, Measure, rel
from assay.ranking.documents import Ranking, Values, ratio


@dataclass(frozen=True, kw_only=True)
class bpref(Measure):
    """Binary preference: how rarely judged non-relevant documents rank above relevant ones; unjudged ones are ignored.

        bpref = (1/R) Σ_r ( 1 − min(n_r, R) / min(N, R) )

    The sum is over the relevant documents r that were retrieved; n_r judged non-relevant documents rank above r, N is
    the number of judged non-relevant documents; a term with n_r = 0 is 1. Buckley and Voorhees, Retrieval evaluation
    with incomplete information, SIGIR 2004.
    """

    worked = "{Σ 1 − n_r/min(N, R)} / {|relevant|}"
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        hit = ranking.column("relevant", ranking.relevant(self.rel))
        base = ranking.recall_base(self.rel)
        bad = ranking.judged() & ~hit
        all_bad = ranking.quantity("N", ranking.ideal.total(ranking.ideal.judged()) - base)
        above = np.minimum(ranking.column("n_r", ranking.running(bad)), ranking.each(base))
        preferred = hit * (1 - ratio(above, ranking.each(np.minimum(all_bad, base))))
        return ratio(ranking.total(preferred, "1 − n_r/min(N, R)"), base)


@dataclass(frozen=True, kw_only=True)
class GMbpref(Geometric):
    """Geometric-mean bpref: binary preference, combined over topics by the geometric mean (trec_eval's gm_bpref).

        GMbpref = exp( (1/|topics|) Σ_t ln max(bpref_t, 0.00001) )

    The value of a topic is its bpref. trec_eval 9.0.
    """

    worked = bpref.worked
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        return bpref(rel=self.rel)(ranking)


@dataclass(frozen=True, kw_only=True)
class infAP(Measure):
    """Inferred AP: average precision estimated from judgments of a sample of the pool.

        infAP = (1/R) Σ_i [g_i ≥ rel] · ( 1/i + (i−1)/i · (d/(i−1)) · (r + ε)/(r + n + 2ε) )

    Above rank i are r documents judged relevant, n judged non-relevant and d documents of the pool in all (a negative
    grade means pooled but not judged); ε = 0.00001. Yilmaz and Aslam, Estimating average precision with incomplete and
    imperfect judgments, CIKM 2006.
    """

    worked = "{Σ relevant · expected P} / {|relevant|}"
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        hit = ranking.column("relevant", ranking.relevant(self.rel))
        good = ranking.column("r", ranking.above(hit.astype(np.int64)))
        bad = ranking.column("n", ranking.above((ranking.judged() & ~hit).astype(np.int64)))
        pooled = ranking.column("d", ranking.above(np.ones(len(hit), np.int64)))
        above = ranking.rank - 1
        share = (good + LOWEST) / (good + bad + 2 * LOWEST)
        precision = np.where(above == 0, 1.0, 1 / ranking.rank + above / ranking.rank * ratio(pooled, above) * share)
        ranking.column("expected P", precision)
        return ratio(ranking.total(hit * precision, "relevant · expected P"), ranking.recall_base(self.rel))
