"""Measures for graded relevance: the gain of a document depends on its grade and its rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.measures.base import Linear, Measure, cut, number, parameter, rel
from assay.ranking.documents import Ranking, Values, ratio
from assay.tables.ids import Floats, Ints

HIGHEST, DEEPEST = 1000, 10**6


def gains(ranking: Ranking, chosen: tuple[tuple[float, float], ...] = ()) -> Values:
    """Return the gain of each row: its grade, or the gain chosen for that grade; a negative grade gains nothing."""
    if not chosen:
        return np.maximum(ranking.grade, 0)
    worth = np.maximum(ranking.grade, 0).astype(np.float64)
    for grade, gain in chosen:
        worth[ranking.grade == grade] = gain
    return worth


def log2_discount(rank: Floats) -> Floats:
    """Return 1 / log2(rank + 1)."""
    return 1 / log2_of_next(rank)


def log2_of_next(rank: Floats) -> Floats:
    """Return log2(rank + 1)."""
    return np.log2(rank + 1)


@dataclass(frozen=True, kw_only=True)
class DCG(Linear):
    """Discounted cumulated gain: the sum of the gains of the results, discounted by rank.

        dcg='log2' (default):  DCG = Σ_i g_i / log2(i+1)
        dcg='jk':              DCG = Σ_{i<b} g_i + Σ_{i≥b} g_i / log_b(i)
        dcg='exp':             DCG = Σ_i (2^g_i − 1) / log2(i+1)

    log2 is trec_eval's; jk is Järvelin and Kekäläinen, Cumulated gain-based evaluation, TOIS 20(4), 2002;
    exp is Burges et al., Learning to rank using gradient descent, ICML 2005.
    """

    worked = "{Σ gain/discount}"
    dcg: str = parameter("log2", "formula of DCG: log2, jk or exp", choices=("log2", "jk", "exp"))
    b: float = parameter(
        2.0,
        "base of the logarithm of jk; ranks below it are not discounted",
        above=1,
        must="expected a base above 1",
    )
    gains: tuple[tuple[float, float], ...] = parameter(
        (), "gains of grades, for example 1:3;2:9; without it the gain of a grade is the grade"
    )
    k: int | None = cut()

    def __post_init__(self) -> None:
        given: Any = self.gains.items() if isinstance(self.gains, dict) else self.gains
        try:
            chosen = tuple(sorted((number(grade), float(gain)) for grade, gain in given))
        except (TypeError, ValueError):
            name = type(self).__name__
            raise UsageError(f"{name}: expected a gain for each grade, for example gains=1:3;2:9") from None
        if any(grade < 0 for grade, _ in chosen):
            raise UsageError(f"{type(self).__name__}: a negative grade means unjudged and has no gain")
        object.__setattr__(self, "gains", chosen)

    def gain(self, ranking: Ranking) -> Values:
        """Return the gain of each row."""
        worth = gains(ranking, self.gains)
        if self.dcg != "exp":
            return worth
        with np.errstate(over="ignore"):
            return 2.0**worth - 1

    def divisor(self, rank: Floats) -> Floats:
        """Return what a gain at a rank is divided by."""
        if self.dcg == "jk":
            return np.maximum(1, np.log(np.maximum(rank, self.b)) / np.log(self.b))
        return log2_of_next(rank)

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k)
        # a gain that is too large for a float is infinite
        with np.errstate(over="ignore"):
            gain = top.column("gain", top.shared(self.gain(top)))
            discounted = top.divided(gain, self.divisor)
            if top.trace is not None:
                top.column("discount", 1 / top.discount(lambda rank: 1 / self.divisor(rank)))
            total = top.total(discounted, "gain/discount")
        if np.count_nonzero(np.isfinite(total)) < len(total):
            highest = f"{gains(top, self.gains).max():.15g}"
            what = f"gains of up to 2^{highest} − 1 are too large to be added"
            raise UsageError(f"{self}: {what}; dcg=log2 takes {highest} itself")
        return total


@dataclass(frozen=True, kw_only=True)
class nDCG(DCG):
    """Normalised discounted cumulated gain: DCG divided by the DCG of the ideal ranking.

        nDCG = DCG / IDCG        nDCG@k = DCG@k / IDCG@k

    There are three formulas for DCG:

        dcg='log2' (default):  DCG = Σ_i g_i / log2(i+1)
        dcg='jk':              DCG = Σ_{i<b} g_i + Σ_{i≥b} g_i / log_b(i)
        dcg='exp':             DCG = Σ_i (2^g_i − 1) / log2(i+1)

    log2 is trec_eval's; jk is Järvelin and Kekäläinen, Cumulated gain-based evaluation, TOIS 20(4), 2002;
    exp is Burges et al., Learning to rank using gradient descent, ICML 2005.
    """

    worked = "{Σ gain/discount} / {ideal Σ gain/discount}"

    def __call__(self, ranking: Ranking) -> Values:
        ideal = ranking.ideal
        best = ideal.once(("DCG", self), lambda: DCG.__call__(self, self.best(ideal)))
        return ratio(super().__call__(ranking), best)

    def best(self, ideal: Ranking) -> Ranking:
        """Return the documents with a gain, highest gain first; chosen gains need not be in the order of the grades."""
        if not self.gains:
            return ideal
        worth = self.gain(ideal)
        order = np.lexsort((-worth, ideal.each(np.arange(len(ideal)))))
        return ideal.with_grades(ideal.grade[order]).keep(worth[order] > 0)


@dataclass(frozen=True, kw_only=True)
class nCG(Linear):
    """Normalised cumulated gain: the sum of the grades of the first k results, divided by that of the ideal ranking.

        nCG@k = Σ_{i≤k} g_i / Σ_{i≤k} ideal_i

    CG@k is the numerator; nxCG is the same for assessed elements. Järvelin and Kekäläinen, Cumulated gain-based
    evaluation, TOIS 20(4), 2002; Kazai, Lalmas and de Vries, SIGIR 2004, sec. 5.2.
    """

    worked = "{Σ gain} / {ideal Σ gain}"
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        return ratio(cumulated_gain(ranking.top(self.k)), cumulated_gain(ranking.ideal.top(self.k)))


def cumulated_gain(ranking: Ranking) -> Values:
    """Return the sum of the gains of each topic."""
    return ranking.total(ranking.shared(gains(ranking)), "gain")


@dataclass(frozen=True, kw_only=True)
class nDCGrel(Measure):
    """nDCG averaged over the ranks of the documents with a gain (trec_eval's ndcg_rel).

        nDCGrel = (1/R) ( Σ_i [g_i > 0] · DCG@i / IDCG@i  +  m · DCG / IDCG )

    R documents have a gain, and m of them were not retrieved. trec_eval 9.0.
    """

    worked = "({Σ nDCG@i} + {missed} · {Σ gain/discount} / {ideal Σ gain/discount}) / {R}"

    def __call__(self, ranking: Ranking) -> Values:
        gain, ideal = gains(ranking), ranking.ideal
        base = ranking.quantity("R", ideal.total(gains(ideal) > 0))
        gained = ranking.column("DCG@i", ranking.running(ranking.divided(gain, log2_of_next)))
        best = ranking.column("IDCG@i", ranking.ideally(ideal.divided(gains(ideal), log2_of_next)))
        hits = gain > 0
        so_far = ranking.total(hits * ratio(gained, best), "nDCG@i")
        missed = ranking.quantity("missed", base - ranking.total(hits)) * DCG()(ranking)
        return ratio(so_far + ratio(missed, DCG()(ideal)), base)


@dataclass(frozen=True, kw_only=True)
class RnDCG(Measure):
    """nDCG averaged over the ranks at which the ideal ranking passes from one gain to a lower one (trec_eval's Rndcg).

        RnDCG = (1/|L|) Σ_{i ∈ L} DCG@i / IDCG@i

    L contains the last rank of each gain > 0 of the ideal ranking, and the length of the ranking if it is longer by
    two or more. It is 0 if nothing is relevant. trec_eval 9.0.
    """

    worked = "{sum of nDCG@i} / {|L|}"
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        ideal = ranking.ideal
        gain, best = (each.divided(each.column("gain", gains(each)), log2_of_next) for each in (ranking, ideal))
        topic = ideal.each(np.arange(len(ideal)))
        last = np.append((ideal.grade[1:] != ideal.grade[:-1]) | (topic[1:] != topic[:-1]), True)[: len(topic)]
        last &= ideal.grade > 0
        levels = ideal.total(last)
        gained = ranking.down_to(ranking.column("gain/discount", gain), ideal.rank[last], levels)
        steps = np.zeros(len(topic))
        steps[last] = gained / ideal.running(best)[last]
        longer = ranking.retrieved > ideal.total(ideal.grade > 0) + 1
        at_end = longer * ratio(ranking.total(gain), ideal.total(best))
        total = (ranking.recall_base(self.rel) > 0) * (ideal.total(steps) + at_end)
        return ratio(ranking.quantity("sum of nDCG@i", total), ranking.quantity("|L|", levels + longer))


@dataclass(frozen=True, kw_only=True)
class G(Measure):
    """Gain discounted by wasted effort (trec_eval's G).

        G = Σ_i g_i / log2(2 + cost_i − got_i) / Σ_j ideal_j,  cost_i = Σ_{j≤i} max(ideal_j, 1),  got_i = Σ_{j≤i} g_j

    trec_eval 9.0.
    """

    worked = "{Σ gain/log2(2 + cost − got)} / {ideal Σ gain}"

    def __call__(self, ranking: Ranking) -> Values:
        gain, ideal = gains(ranking), ranking.ideal
        beyond = np.maximum(ranking.rank - ranking.each(ideal.rows), 0)
        cost = ranking.column("cost", ranking.ideally(np.maximum(gains(ideal), 1)) + beyond)
        got = ranking.column("got", ranking.running(ranking.column("gain", gain)))
        discounted = ranking.total(gain / np.log2(2 + cost - got), "gain/log2(2 + cost − got)")
        return ratio(discounted, ideal.total(gains(ideal), "gain"))


@dataclass(frozen=True, kw_only=True)
class binG(Measure):
    """The relevant results, each discounted by the number of non-relevant results above it (trec_eval's binG).

        binG = (1/R) Σ_i [g_i ≥ rel] / log2(2 + |non-relevant above i|)

    trec_eval 9.0.
    """

    worked = "{Σ relevant/log2(2 + non-relevant above)} / {|relevant|}"
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        hit = ranking.relevant(self.rel)
        wasted = ranking.column("non-relevant above", np.where(hit, ranking.rank - ranking.running(hit), 0))
        discounted = ranking.total(hit / np.log2(2 + wasted), "relevant/log2(2 + non-relevant above)")
        return ratio(discounted, ranking.recall_base(self.rel))


@dataclass(frozen=True, kw_only=True)
class ERR(Measure):
    """Expected reciprocal rank of the result at which a reader stops; a higher grade makes stopping more likely.

        ERR = Σ_i (1/i) · p_i · Π_{j<i} (1 − p_j),  p_i = (2^g_i − 1) / 2^max

    max is the highest grade in the judgments, unless it is given (gdeval: 4). Chapelle, Metzler, Zhang and Grinspan,
    Expected reciprocal rank for graded relevance, CIKM 2009.
    """

    worked = "{Σ stops · gets here / i}"
    max: int | None = parameter(
        None, "highest grade of the scale; without it the highest grade of the judgments"
    )
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        highest = ranking.top_grade if self.max is None else self.max
        if highest > HIGHEST:
            raise UsageError(f"{self}: max is {highest}; expected at most {HIGHEST}")
        if highest < ranking.top_grade:
            raise UsageError(f"{self}: the judgments have grade {ranking.top_grade}, above the scale")
        top = ranking.top(self.k)
        least = 2.0**-highest
        stops = top.column("stops", 2.0 ** (gains(top) - highest) - least)
        gets_here = np.exp(top.above(np.log(1 - 2.0 ** (gains(top) - highest) + least)))
        return top.total(stops * top.column("gets here", gets_here) / top.rank, "stops · gets here / i")


def persistence(default: float) -> Any:
    """Declare the probability that the reader goes on."""
    must = "expected a probability between 0 and 1, both excluded"
    return parameter(default, "probability that the reader goes on to the next result", above=0, below=1, must=must)


@dataclass(frozen=True, kw_only=True)
class RBP(Linear):
    """Rank-biased precision: the gain per result of a reader who goes on to the next result with probability p.

        RBP = (1 − p) Σ_i r_i · p^(i−1)

    r_i is 1 if g_i ≥ rel, else 0; with graded=True it is g_i / the topic's highest grade. RBPresidual is what unjudged
    documents could add. Moffat and Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS
    27(1), 2008.
    """

    worked = "{Σ gain · p^(i−1)} · (1 − {p})"
    p: float = persistence(0.8)
    rel: float = rel()
    graded: bool = parameter(False, "gain is the grade as a share of the topic's highest grade")
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k)
        highest = ranking.ideal.highest(ranking.ideal.grade)
        highest = np.where(highest > 0, highest, 1)
        worth = top.column("gain", gains(top) / top.each(highest) if self.graded else top.relevant(self.rel))
        weight = top.column("p^(i−1)", top.discount(lambda rank: self.p ** (rank - 1)))
        if top.trace is not None:
            top.quantity("residual", RBPresidual(p=self.p, k=self.k)(ranking.traced(None)))
        return (1 - self.p) * top.total(worth * top.share * weight, "gain · p^(i−1)")


@dataclass(frozen=True, kw_only=True)
class RBPresidual(Linear):
    """The residual of RBP: how much higher it could be if all unjudged and all further documents were relevant.

        RBPresidual = p^n + (1 − p) Σ_{i unjudged} p^(i−1),  n = |retrieved|

    Moffat and Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 27(1), 2008.
    """

    less_is_better = True
    worked = "1 − (1 − {p}) · {Σ judged · p^(i−1)}"
    p: float = persistence(0.8)
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k)
        weight = top.share * top.discount(lambda rank: self.p ** (rank - 1))
        known = top.total(top.judged() * weight, "judged · p^(i−1)")
        return 1 - (1 - self.p) * known


@dataclass(frozen=True, kw_only=True)
class Compatibility(Measure):
    """Compatibility: rank-biased overlap of the ranking with the most similar ideal ranking.

        Compatibility = max_I RBO(ranking, I) / RBO(I, I),  RBO(A, B) ∝ Σ_{i ≤ depth} p^(i−1) |A_i ∩ B_i| / i

    I ranges over the ideal rankings: relevant documents by falling grade, equal grades in any order; A_i are the first
    i of A. RBO is an infinite sum; it is computed to depth 1,000 as its authors do; ir_measures stops at the end of
    the longer list. Clarke, Vtyurina and Smucker, Assessing top-k preferences, TOIS 39(3), 2021.
    """

    p: float = persistence(0.95)
    normalise: bool = parameter(True, "divide by the overlap of the ideal ranking with itself")
    depth: int = parameter(
        1000,
        "depth to which the rankings are compared; 0: to the end of the longer one, as ir_measures does",
        least=0,
        most=DEEPEST,
        must=f"expected a rank from 1 to {DEEPEST:,}, or 0",
    )

    def __call__(self, ranking: Ranking) -> Values:
        if self.depth == 0:
            return self.to_the_end(ranking)
        # A document adds to the overlap at every depth from the lower of its two ranks on.
        ranks = np.arange(1, self.depth + 1)
        weight = self.p ** (ranks - 1.0) / ranks
        from_here_on = np.append(np.cumsum(weight[::-1])[::-1], 0.0)
        hit = ranking.grade > 0
        both = np.maximum(ranking.rank, ranking.column("ideal rank", ideal_rank(ranking)))
        overlap = ranking.total(hit * from_here_on[np.minimum(both - 1, self.depth)], "overlap")
        if not self.normalise:
            return overlap / np.sum(self.p ** (ranks - 1.0))
        base = np.minimum(ranking.ideal.total(ranking.ideal.grade > 0), self.depth)
        return ratio(overlap, np.append(0.0, np.cumsum(from_here_on[:-1]))[base])

    def to_the_end(self, ranking: Ranking) -> Values:
        """Return the same, for each topic down to the end of the longer of its two lists."""
        ideal, hit = ranking.ideal, ranking.grade > 0
        relevant = ideal.grade > 0
        depth = np.maximum(ranking.retrieved, ideal.total(relevant))
        ranks = np.arange(1, depth.max(initial=1) + 1)
        down_to = np.append(0.0, np.cumsum(self.p ** (ranks - 1.0) / ranks))
        # only the ranks of relevant documents count, and these are within the depth
        both = np.where(hit, np.maximum(ranking.rank, ideal_rank(ranking)), 1)
        overlap = ranking.total(hit * (ranking.each(down_to[depth]) - down_to[both - 1]))
        if not self.normalise:
            return ratio(overlap, np.append(0.0, np.cumsum(self.p ** (ranks - 1.0)))[depth])
        best = ideal.total(relevant * (ideal.each(down_to[depth]) - down_to[np.where(relevant, ideal.rank, 1) - 1]))
        return ratio(overlap, best)


def ideal_rank(ranking: Ranking) -> Ints:
    """Return each row's rank in the nearest ideal ranking, which has equal grades as they are ranked, missing last."""
    ideal = ranking.ideal
    place = np.empty(len(ranking.rank), np.int64)
    for grade in np.unique(ranking.grade):
        same = ranking.grade == grade
        place[same] = (ranking.each(ideal.total(ideal.grade > grade)) + ranking.running(same))[same]
    return place
