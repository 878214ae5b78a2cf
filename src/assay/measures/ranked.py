"""Measures of a ranking in which a document is relevant or not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.measures.base import (
    Geometric,
    Linear,
    Measure,
    budget,
    cut,
    first_hit,
    fit,
    parameter,
    rel,
    token_budget,
)
from assay.ranking.documents import Ranking, Values, ratio
from assay.ranking.kinds import DOCUMENTS, TEXT
from assay.vocabulary import Fit


@dataclass(frozen=True, kw_only=True)
class AP(Measure):
    """Average precision: precision at each relevant result, averaged over all relevant documents. Its mean is MAP.

        AP = (1/|rel|) Σ_i [g_i ≥ rel] · P@i
        of text: AP = (1/n) Σ_i [rsize(p_i) > 0] · P@i · R

    n is the number of results with relevant text, R the recall of all results. Both are the same formula: for
    documents n = R |rel|. Buckley and Voorhees, Retrieval System Evaluation, in TREC, MIT Press 2005, ch. 3; Pehcevski
    et al., INEX 2007, eq. 3.
    """

    kinds = (DOCUMENTS, TEXT)
    worked = "{Σ relevant · P@i} / {|relevant|}"
    worked_on_text = "{Σ relevant · P@i} / {Σ relevant} · {R}"
    rel: float = rel()
    k: int | None = cut()
    chars: int | None = budget()
    tokens: int | None = token_budget()
    fit: Fit = fit()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k).within(self.chars, self.tokens, self.fit)
        hit, gain = top.relevant(self.rel), top.gain(self.rel)
        hits, found, base = top.total(hit, "relevant"), top.total(gain), ranking.recall_base(self.rel)
        precision = top.column("P@i", ratio(top.running(gain), top.read))
        if top.trace is not None:
            top.quantity("R", ratio(found, base))
        return ratio(top.total(hit * precision, "relevant · P@i") * ratio(found, hits), base)

    def expected(self, ranking: Ranking) -> Values:
        """Return AP averaged over all orders of tied results (McSherry and Najork, ECIR 2008).

        A tie has n results from rank f on, r of them relevant, and c relevant results are above the tie. A relevant
        result at rank i of the tie has on average c + 1 + (i−f) b relevant results down to it, where b = (r−1)/(n−1).
        So its precision is (c + 1 − f b)/i + b, averaged over i.
        """
        top = ranking.top(self.k).within(self.chars, self.tokens, self.fit)
        hit = top.relevant(self.rel)
        assert top.first is not None and top.last is not None
        beside = ratio(top.in_tie(hit) - 1, top.last - top.first)
        precision = (top.before_tie(hit) + 1 - top.first * beside) * top.discount(lambda rank: 1 / rank) + beside
        top.column("relevant", hit)
        top.column("P@i", precision)
        return ratio(top.total(hit * top.share * precision, "relevant · P@i"), ranking.recall_base(self.rel))


@dataclass(frozen=True, kw_only=True)
class GMAP(Geometric):
    """Geometric-mean AP: average precision, combined over topics by the geometric mean, which stresses bad topics.

        GMAP = exp( (1/|topics|) Σ_t ln max(AP_t, 0.00001) )

    The value of a topic is its AP. Robertson, On GMAP: and other transformations, CIKM 2006.
    """

    kinds = (DOCUMENTS, TEXT)
    worked, worked_on_text = AP.worked, AP.worked_on_text
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        return AP(rel=self.rel)(ranking)


@dataclass(frozen=True, kw_only=True)
class RR(Measure):
    """Reciprocal rank of the first relevant result; 0 if there is none. Its mean is MRR.

        RR = 1 / min{ i : g_i ≥ rel }

    Kantor and Voorhees, The TREC-5 Confusion Track, Information Retrieval 2, 2000.
    """

    kinds = (DOCUMENTS, TEXT)
    worked = "{max relevant/i}"
    rel: float = rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k)
        return top.highest(top.relevant(self.rel) / top.rank, "relevant/i")

    def expected(self, ranking: Ranking) -> Values:
        """Σ_i (1/i) · chance that the first relevant result is at rank i of the first tie with a relevant one."""
        return first_hit(ranking.top(self.k), self.rel, lambda ranks, chance: float((chance / ranks).sum()))


@dataclass(frozen=True, kw_only=True)
class Rprec(Linear):
    """R-precision: precision at the rank that equals the number of relevant documents.

        Rprec = P@R, R = |relevant|        Rprec(mult=x) = P@c, c = ⌊x R + 0.9⌋

    With mult it is trec_eval's Rprec_mult. Buckley and Voorhees, Retrieval System Evaluation, in TREC, MIT Press 2005,
    ch. 3.
    """

    worked = "{Σ gain} / {R}"
    rel: float = rel()
    mult: float = parameter(1.0, "cut at this multiple of the number of relevant documents")

    def __call__(self, ranking: Ranking) -> Values:
        place = (self.mult * ranking.recall_base(self.rel) + 0.9).astype(np.int64)
        top = ranking.top(place)
        return ratio(top.total(top.gain(self.rel), "gain"), top.quantity("R", place))


@dataclass(frozen=True, kw_only=True)
class YAAP(Measure):
    """Yet another average precision: AP as log odds, whose distribution over topics is closer to normal.

        YAAP = ln( (1 + S) / (1 + R − S) ),  S = Σ_i [g_i ≥ rel] · P@i

    trec_eval 9.0, measure yaap; Robertson, On GMAP: and other transformations, CIKM 2006.
    """

    worked = "ln( (1 + {S}) / (1 + {|relevant|} − {S}) )"
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        base = ranking.recall_base(self.rel)
        total = ranking.quantity("S", AP(rel=self.rel)(ranking) * base)
        return np.log((1 + total) / (1 + base - total))


@dataclass(frozen=True, kw_only=True)
class PairAccuracy(Measure):
    """Accuracy of ir_measures: the share of the pairs of a relevant and another result that are in the right order.

        PairAccuracy = 1 − Σ_i [g_i ≥ rel] · |others above i| / (|relevant retrieved| · |others retrieved|)

    1 if all results are relevant, and 0 if none is; ir_measures leaves such topics out. MacAvaney, Macdonald and Ounis,
    Streamlining evaluation with ir-measures, ECIR 2022; its version 0.4.
    """

    worked = "{any relevant} − {share of wrong pairs}"
    rel: float = rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k)
        hit = top.relevant(self.rel)
        hits = top.total(hit, "relevant")
        pairs = top.quantity("pairs", hits * (top.retrieved - hits))
        others = top.column("others above", top.rank - top.running(hit))
        wrong = top.quantity("share of wrong pairs", ratio(top.total(hit * others, "relevant · others above"), pairs))
        return np.where(top.quantity("any relevant", hits > 0), 1 - wrong, 0.0)
