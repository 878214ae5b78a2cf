"""Measures of the retrieved set, in any order: precision, recall and others, of all results or of the first k."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.measures.base import Linear, Measure, budget, cut, first_hit, fit, parameter, rel, token_budget
from assay.ranking.documents import Ranking, Values, ratio
from assay.ranking.kinds import DOCUMENTS, TEXT
from assay.vocabulary import Fit


@dataclass(frozen=True, kw_only=True)
class P(Linear):
    """Precision: the share of the retrieved results that is relevant.

        P = |relevant retrieved| / |retrieved|        P@k = |relevant among the first k| / k
        of text: P@k = Σ rsize(p_i) / Σ size(p_i), i = 1 … k        P(chars=c): of the first c characters

    P@k divides by k even if fewer documents were retrieved, as trec_eval does; for text it divides by the retrieved
    text. van Rijsbergen, Information Retrieval, 2nd ed., Butterworths 1979, ch. 7; Pehcevski et al., INEX 2007, eq. 1.
    """

    kinds = (DOCUMENTS, TEXT)
    worked = "{Σ gain} / {|retrieved|}"
    rel: float = rel()
    k: int | None = cut()
    chars: int | None = budget()
    tokens: int | None = token_budget()
    fit: Fit = fit()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k).within(self.chars, self.tokens, self.fit)
        return ratio(top.total(top.gain(self.rel), "gain"), top.extent(self.k))


@dataclass(frozen=True, kw_only=True)
class R(Linear):
    """Recall: the share of what is relevant that was retrieved.

        R = |relevant retrieved| / |relevant|        R@k = |relevant among the first k| / |relevant|
        of text: R@k = Σ rsize(p_i) / Trel, i = 1 … k        R(chars=c): of the first c characters

    van Rijsbergen, Information Retrieval, 2nd ed., Butterworths 1979, ch. 7; Pehcevski et al., INEX 2007, eq. 2.
    """

    kinds = (DOCUMENTS, TEXT)
    worked = "{Σ gain} / {|relevant|}"
    rel: float = rel()
    k: int | None = cut()
    chars: int | None = budget()
    tokens: int | None = token_budget()
    fit: Fit = fit()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k).within(self.chars, self.tokens, self.fit)
        return ratio(top.total(top.gain(self.rel), "gain"), ranking.recall_base(self.rel))


@dataclass(frozen=True, kw_only=True)
class F(Measure):
    """F measure: the harmonic mean of precision and recall, with recall weighted beta times as much.

        F = (1 + β²) P R / (β² P + R)        F@k: of P@k and R@k        F(chars=c): of the first c characters

    As the score of a document (for AgP) it is computed over the results in that document. van Rijsbergen, Information
    Retrieval, 2nd ed., Butterworths 1979, ch. 7; Pehcevski et al., INEX 2007, eq. 4-6.
    """

    kinds = (DOCUMENTS, TEXT)
    worked = "(1 + {beta}²) · {P} · {R} / ({beta}² · {P} + {R})"
    beta: float = parameter(1.0, "weight of recall relative to precision")
    rel: float = rel()
    k: int | None = cut()
    chars: int | None = budget()
    tokens: int | None = token_budget()
    fit: Fit = fit()

    def __call__(self, ranking: Ranking) -> Values:
        limits: Any = {"k": self.k, "chars": self.chars, "tokens": self.tokens, "fit": self.fit}
        precision, recall = P(rel=self.rel, **limits)(ranking), R(rel=self.rel, **limits)(ranking)
        precision, recall = ranking.quantity("P", precision), ranking.quantity("R", recall)
        return ratio((1 + self.beta**2) * precision * recall, self.beta**2 * precision + recall)

    def expected(self, ranking: Ranking) -> Values:
        """With |retrieved| fixed, F = (1 + β²) |relevant retrieved| / (β² |relevant| + |retrieved|): linear."""
        top = ranking.top(self.k).within(self.chars, self.tokens, self.fit)
        length = top.retrieved if self.k is None else self.k
        hits = top.total(top.gain(self.rel), "gain")
        ranking.quantity("P", ratio(hits, length))
        ranking.quantity("R", ratio(hits, ranking.recall_base(self.rel)))
        return ratio((1 + self.beta**2) * hits, self.beta**2 * ranking.recall_base(self.rel) + length)


@dataclass(frozen=True, kw_only=True)
class IoU(Measure):
    """Intersection over union: what is both relevant and retrieved, over what is either (the Jaccard coefficient).

        IoU = |relevant retrieved| / (|retrieved| + |relevant| − |relevant retrieved|) = F / (2 − F)
        of text: Σ rsize(p_i) / (Σ size(p_i) + Trel − Σ rsize(p_i))

    IoU@k is of the first k results, IoU(chars=c) of the first c characters. As for P@k, k documents count as retrieved
    even if there are fewer, and repeated text counts again. Jaccard, The distribution of the flora in the alpine zone,
    New Phytologist 11(2), 1912.
    """

    kinds = (DOCUMENTS, TEXT)
    worked = "{Σ gain} / ({|retrieved|} + {|relevant|} − {Σ gain})"
    rel: float = rel()
    k: int | None = cut()
    chars: int | None = budget()
    tokens: int | None = token_budget()
    fit: Fit = fit()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k).within(self.chars, self.tokens, self.fit)
        hits = top.total(top.gain(self.rel), "gain")
        return ratio(hits, top.extent(self.k) + ranking.recall_base(self.rel) - hits)


@dataclass(frozen=True, kw_only=True)
class SetP(Linear):
    """Precision of the whole set retrieved (trec_eval's set_P).

        SetP = |relevant retrieved| / |retrieved|

    van Rijsbergen, Information Retrieval, 2nd ed., Butterworths 1979, ch. 7.
    """

    kinds = (DOCUMENTS, TEXT)
    worked = P.worked
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        return P(rel=self.rel)(ranking)


@dataclass(frozen=True, kw_only=True)
class SetR(Linear):
    """Recall of the whole set retrieved (trec_eval's set_recall).

        SetR = |relevant retrieved| / |relevant|

    van Rijsbergen, Information Retrieval, 2nd ed., Butterworths 1979, ch. 7.
    """

    kinds = (DOCUMENTS, TEXT)
    worked = R.worked
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        return R(rel=self.rel)(ranking)


@dataclass(frozen=True, kw_only=True)
class SetF(Measure):
    """F measure of the whole set retrieved. (trec_eval's set_F.x takes x = β².)

        SetF = (1 + β²) P R / (β² P + R)

    van Rijsbergen, Information Retrieval, 2nd ed., Butterworths 1979, ch. 7.
    """

    kinds = (DOCUMENTS, TEXT)
    worked = F.worked
    beta: float = parameter(1.0, "weight of recall relative to precision")
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        return F(beta=self.beta, rel=self.rel)(ranking)

    def expected(self, ranking: Ranking) -> Values:
        """As for F."""
        return F(beta=self.beta, rel=self.rel).expected(ranking)


@dataclass(frozen=True, kw_only=True)
class SetAP(Measure):
    """Precision times recall of the whole set retrieved (trec_eval's set_map).

        SetAP = |relevant retrieved|² / (|retrieved| · |relevant|)

    trec_eval 9.0, measure set_map.
    """

    kinds = (DOCUMENTS, TEXT)
    worked = "{Σ gain}² / ({|retrieved|} · {|relevant|})"
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        hits = ranking.total(ranking.gain(self.rel), "gain")
        return ratio(hits * hits, ranking.extent(None) * ranking.recall_base(self.rel))


@dataclass(frozen=True, kw_only=True)
class RelativeP(Linear):
    """Relative precision: precision divided by the highest possible precision.

        RelativeP@k = |relevant among the first k| / min(k, |relevant|)

    Without a cut-off k is the number retrieved (trec_eval's relative_P and set_relative_P). trec_eval 9.0.
    """

    worked = "{Σ gain} / min({|retrieved|}, {|relevant|})"
    rel: float = rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k)
        best = np.minimum(top.extent(self.k), ranking.recall_base(self.rel))
        return ratio(top.total(top.gain(self.rel), "gain"), best)


@dataclass(frozen=True, kw_only=True)
class Accuracy(Linear):
    """Accuracy: the share of the whole collection that was correctly retrieved or correctly left out.

        Accuracy = (TP + TN) / (TP + TN + FP + FN) = (N − |retrieved| − |relevant| + 2 |relevant retrieved|) / N

    N is the size of the collection and must be given. Magdy, IR Evaluation, Text Technologies for Data Science,
    Edinburgh 2017.
    """

    worked = "({collection} − {|retrieved|} − {|relevant|} + 2 · {Σ gain}) / {collection}"
    collection: int = parameter(0, "number of documents in the collection; required")
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        if self.collection < 1:
            what = "Accuracy needs the size of the collection, for example Accuracy(collection=528155)"
            raise UsageError(f"{what}; the Accuracy of ir_measures is PairAccuracy")
        hits, base = ranking.total(ranking.gain(self.rel), "gain"), ranking.recall_base(self.rel)
        different = ranking.extent(None) + base - hits
        refuse_small_collection(self, ranking, hits, base)
        return (self.collection - different + hits) / self.collection


def refuse_small_collection(measure: Any, ranking: Ranking, hits: Values, base: Values) -> None:
    """Raise an error if a topic has more documents than the collection."""
    different = ranking.extent(None) + base - hits
    if np.any(different > measure.collection):
        at = np.argmax(different)
        counts = f"{ranking.retrieved[at]:,} retrieved and {base[at]:,} relevant, {hits[at]:,.10g} of them both"
        documents = f"{different[at]:,.10g} documents ({counts})"
        raise UsageError(f"{measure}: a topic has {documents}, more than the collection")


@dataclass(frozen=True, kw_only=True)
class Utility(Linear):
    """Utility: a value for each kind of document, added up (trec_eval's utility).

        Utility = a |relevant retrieved| + b |other retrieved| + c |relevant missed| + d |other missed|

    The last term needs the size of the collection. trec_eval 9.0; Lewis, The TREC-4 Filtering Track, TREC 1995.
    """

    worked = (
        "{a} · {Σ gain} + {b} · ({|retrieved|} − {Σ gain}) + {c} · ({|relevant|} − {Σ gain})"
        " + {d} · ({collection} − {|relevant|} − {|retrieved|} + {Σ gain})"
    )
    a: float = parameter(1.0, "value of a relevant document retrieved")
    b: float = parameter(-1.0, "value of a non-relevant document retrieved")
    c: float = parameter(0.0, "value of a relevant document not retrieved")
    d: float = parameter(0.0, "value of a non-relevant document not retrieved")
    collection: int = parameter(0, "number of documents in the collection")
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        if self.d:
            if self.collection < 1:
                named = replace(self, collection=528155)
                raise UsageError(f"{self}: d needs the size of the collection, for example {named}")
            untraced = ranking.traced(None)
            hits, base = untraced.total(untraced.gain(self.rel)), untraced.recall_base(self.rel)
            refuse_small_collection(self, untraced, hits, base)
        return self.of_any_collection(ranking)

    def of_any_collection(self, ranking: Ranking) -> Values:
        """Return the value even if the size of the collection cannot be right, as trec_eval does."""
        hits, base = ranking.total(ranking.gain(self.rel), "gain"), ranking.recall_base(self.rel)
        others = ranking.extent(None) - hits
        missed = base - hits
        return self.a * hits + self.b * others + self.c * missed + self.d * (self.collection - base - others)


@dataclass(frozen=True, kw_only=True)
class Success(Measure):
    """Success: whether anything relevant is among the first k.

        Success@k = 1 if |relevant among the first k| > 0, else 0

    Its mean is the share of topics with a hit. trec_eval 9.0, measure success; Craswell and Hawking, TREC 2002 Web
    track.
    """

    kinds = (DOCUMENTS, TEXT)
    worked = "{max relevant}"
    rel: float = rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k)
        return (top.highest(top.relevant(self.rel), "relevant") > 0).astype(np.float64)

    def expected(self, ranking: Ranking) -> Values:
        """1 − Π (n−r−i)/(n−i), i = 0 … m−1, for the first tie with r relevant of n, m of its ranks before the cut."""
        return first_hit(ranking.top(self.k), self.rel, lambda ranks, chance: float(chance.sum()))
