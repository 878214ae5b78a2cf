"""Measures of the order of the results where a document is relevant or not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import UsageError
from assay.ids import Floats, Ints
from assay.measures.base import Linear, Measure, cut, first_relevant, parameter, rel
from assay.ranking import Ranking, Values, ratio

LOWEST = 1e-5


@dataclass(frozen=True)
class AP(Measure):
    """Average precision: precision at each relevant result, averaged over all relevant documents. Its mean is MAP.

        AP = (1/|rel|) Σ_i [g_i ≥ rel] · P@i

    Buckley and Voorhees, Retrieval System Evaluation, in TREC, MIT Press 2005, ch. 3.
    """

    rel: int = rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k)
        hit = top.relevant(self.rel)
        return ratio(top.total(hit * top.running(hit) / top.read), ranking.recall_base(self.rel))

    def expected(self, ranking: Ranking) -> Values:
        """A relevant result at rank i of a tie of n from rank f, r of them relevant and c above it, has on average
        c + 1 + (i−f)(r−1)/(n−1) relevant results down to it (McSherry and Najork, ECIR 2008).
        """
        top = ranking.top(self.k)
        hit = top.relevant(self.rel)
        above, others = top.before_tie(hit), top.in_tie(hit) - 1
        size = top.last - top.first  # type: ignore[operator]

        def precision(rank: Floats, row: Ints) -> Floats:
            beside = ratio((rank - top.first[row]) * others[row], size[row])  # type: ignore[index]
            return (above[row] + 1 + beside) / rank

        return ratio(top.total(hit * top.share * top.mean_over_tie(precision)), ranking.recall_base(self.rel))


@dataclass(frozen=True)
class GMAP(Measure):
    """Geometric-mean AP: average precision, combined over topics by the geometric mean, so that bad topics weigh more.

        GMAP = exp( (1/|topics|) Σ_t ln max(AP_t, 0.00001) )

    The value of a topic is its AP. Robertson, On GMAP: and other transformations, CIKM 2006.
    """

    rel: int = rel()

    def __call__(self, ranking: Ranking) -> Values:
        return AP(self.rel)(ranking)

    def over_topics(self, values: Floats) -> float:
        """The geometric mean, no value below 0.00001."""
        return geometric_mean(values)


def geometric_mean(values: Floats) -> float:
    """The geometric mean, no value below 0.00001."""
    return float(np.exp(np.mean(np.log(np.maximum(values, LOWEST))))) if len(values) else 0.0


@dataclass(frozen=True)
class RR(Measure):
    """Reciprocal rank of the first relevant result; 0 where there is none. Its mean is MRR.

        RR = 1 / min{ i : g_i ≥ rel }

    Kantor and Voorhees, The TREC-5 Confusion Track, Information Retrieval 2, 2000.
    """

    rel: int = rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k)
        return top.highest(top.relevant(self.rel) / top.rank)

    def expected(self, ranking: Ranking) -> Values:
        """Σ_i (1/i) · chance that the first relevant result stands at rank i of the first tie with a relevant one."""
        return first_relevant(ranking.top(self.k), self.rel, lambda ranks, chance: float((chance / ranks).sum()))


@dataclass(frozen=True)
class Rprec(Linear):
    """R-precision: precision at the rank that equals the number of relevant documents.

        Rprec = P@R, R = |relevant|        Rprec(mult=x) = P@c, c = ⌊x R + 0.9⌋

    mult makes it trec_eval's Rprec_mult. Buckley and Voorhees, Retrieval System Evaluation, in TREC, MIT Press 2005, ch. 3.
    """

    rel: int = rel()
    mult: float = parameter(1.0, "the rank is this many times the number of relevant documents")

    def __call__(self, ranking: Ranking) -> Values:
        place = (self.mult * ranking.recall_base(self.rel) + 0.9).astype(np.int64)
        top = ranking.top(place)
        return ratio(top.total(top.gain(self.rel)), place)


@dataclass(frozen=True)
class IPrec(Measure):
    """Interpolated precision at a recall level: the highest precision at that recall or any higher one.

        IPrec@x = max{ P@i : |relevant among the first i| ≥ c(x) },  0 if recall x is never reached

    c(x), the number of relevant documents that recall x asks for out of R: count='trec9' (default, trec_eval 9 and everything
    built on it) ⌊x R + 0.9⌋ in floating point; 'trec10' x R rounded; 'exact' ⌈x R⌉. Manning, Raghavan and Schütze, Introduction to
    Information Retrieval, Cambridge 2008, sec. 8.4.
    """

    cutoff = "recall"
    recall: float = parameter(0.0, "recall level, from 0 to 1")
    rel: int = rel()
    count: str = parameter("trec9", "how many relevant documents a recall level asks for: trec9, trec10 or exact")

    def __post_init__(self) -> None:
        if not 0 <= self.recall <= 1:
            raise UsageError(f"IPrec@{self.recall:g}: a recall level lies between 0 and 1")
        if self.count not in COUNTS:
            raise UsageError(f"IPrec(count={self.count}): expected one of {', '.join(COUNTS)}")

    def __call__(self, ranking: Ranking) -> Values:
        hit = ranking.relevant(self.rel)
        found = ranking.running(hit)
        needed = ranking.each(COUNTS[self.count](self.recall, ranking.recall_base(self.rel)))
        return ranking.highest(np.where(hit & (found >= needed), found / ranking.read, 0.0))


def _exact(recall: float, base: Ints) -> Ints:
    hundredths = recall * 100
    if abs(hundredths - round(hundredths)) < 1e-9:
        return -(-round(hundredths) * base // 100)
    return np.ceil(recall * base).astype(np.int64)


COUNTS = {
    "trec9": lambda recall, base: (recall * base + 0.9).astype(np.int64),
    "trec10": lambda recall, base: np.floor(recall * base + 0.5).astype(np.int64),
    "exact": _exact,
}
ELEVEN = tuple(level / 10 for level in range(11))


@dataclass(frozen=True)
class IPrec11(Measure):
    """Eleven-point average: interpolated precision at recall 0, 0.1 … 1, averaged (trec_eval's 11pt_avg).

        IPrec11 = (1/11) Σ_x IPrec@x

    Manning, Raghavan and Schütze, Introduction to Information Retrieval, Cambridge 2008, sec. 8.4.
    """

    rel: int = rel()
    count: str = parameter("trec9", "how many relevant documents a recall level asks for: trec9, trec10 or exact")
    levels: tuple[float, ...] = parameter(ELEVEN, "the recall levels averaged")

    def __call__(self, ranking: Ranking) -> Values:
        points = [IPrec(level, self.rel, self.count)(ranking) for level in self.levels]
        # added one by one: how numpy would sum them depends on how many topics there are
        return sum(points[1:], points[0]) / len(points)


@dataclass(frozen=True)
class bpref(Measure):
    """Binary preference: how seldom judged non-relevant documents stand above relevant ones; unjudged ones are passed over.

        bpref = (1/R) Σ_r ( 1 − min(n_r, R) / min(N, R) )

    over the relevant documents r retrieved; n_r judged non-relevant documents stand above r, N are judged non-relevant in all; a
    term with n_r = 0 is 1. Buckley and Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004.
    """

    rel: int = rel()

    def __call__(self, ranking: Ranking) -> Values:
        hit = ranking.relevant(self.rel)
        base = ranking.recall_base(self.rel)
        bad = ranking.judged() & ~hit
        all_bad = ranking.ideal.total(ranking.ideal.judged()) - base
        above = np.minimum(ranking.running(bad), ranking.each(base))
        return ratio(ranking.total(hit * (1 - ratio(above, ranking.each(np.minimum(all_bad, base))))), base)


@dataclass(frozen=True)
class GMbpref(Measure):
    """Geometric-mean bpref: binary preference, combined over topics by the geometric mean (trec_eval's gm_bpref).

        GMbpref = exp( (1/|topics|) Σ_t ln max(bpref_t, 0.00001) )

    The value of a topic is its bpref. trec_eval 9.0.
    """

    rel: int = rel()

    def __call__(self, ranking: Ranking) -> Values:
        return bpref(self.rel)(ranking)

    def over_topics(self, values: Floats) -> float:
        """The geometric mean, no value below 0.00001."""
        return geometric_mean(values)


@dataclass(frozen=True)
class infAP(Measure):
    """Inferred AP: average precision estimated where only a sample of the pool was judged.

        infAP = (1/R) Σ_i [g_i ≥ rel] · ( 1/i + (i−1)/i · (d/(i−1)) · (r + ε)/(r + n + 2ε) )

    above rank i stand r judged relevant, n judged non-relevant and d documents of the pool in all (negative grades are pooled but
    not judged); ε = 0.00001. Yilmaz and Aslam, Estimating average precision with incomplete and imperfect judgments, CIKM 2006.
    """

    rel: int = rel()

    def __call__(self, ranking: Ranking) -> Values:
        hit = ranking.relevant(self.rel)
        good = ranking.above(hit.astype(np.int64))
        bad = ranking.above((ranking.judged() & ~hit).astype(np.int64))
        pooled = ranking.above(np.ones(len(hit), np.int64))
        above = ranking.rank - 1
        estimate = ratio(pooled, above) * (good + LOWEST) / (good + bad + 2 * LOWEST)
        precision = np.where(above == 0, 1.0, 1 / ranking.rank + above / ranking.rank * estimate)
        return ratio(ranking.total(hit * precision), ranking.recall_base(self.rel))


@dataclass(frozen=True)
class YAAP(Measure):
    """Yet another average precision: AP as log odds, so that its distribution over topics is nearer to normal.

        YAAP = ln( (1 + S) / (1 + R − S) ),  S = Σ_i [g_i ≥ rel] · P@i

    trec_eval 9.0, measure yaap; Robertson, On GMAP: and other transformations, CIKM 2006.
    """

    rel: int = rel()

    def __call__(self, ranking: Ranking) -> Values:
        base = ranking.recall_base(self.rel)
        total = AP(self.rel)(ranking) * base
        return np.log((1 + total) / (1 + base - total))
