"""Measures defined by a model of the reader (C/W/L): the probability to go on, the weight of a rank, the gain.

C_i is the probability that the reader goes on from rank i. It determines the weight of each rank,
W_i = Π_{j<i} C_j / Σ_i Π_{j<i} C_j. The measure is the expected gain per result read, Σ_i W_i r_i. The gain r_i of a
grade is its share of the scale, (g_i − min_rel) / (max_rel − min_rel); unjudged and missing results gain 0. A residual
says how much higher the measure could be, if all unjudged results and all results after the end of the list gained 1.
RBP and RBPresidual are measures of this kind too; they are listed with the graded measures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.measures.base import Linear, Measure, cut, parameter
from assay.measures.graded import log2_discount
from assay.ranking.documents import Ranking, Values
from assay.tables.ids import Floats, Ints

# The depth to which cwl_eval looks by default; lower ranks have almost no weight.
DEEP, DEEPEST = 1000, 10**5
# How many gains to process at a time, in rows of topics.
TOGETHER = 1 << 18
# The sum of the weights of all ranks, as `assay.why` names it, and formulas with it.
ALL_WEIGHTS = "weight of all ranks"
WEIGHED = f"{{Σ gain · weight}} / ({{highest gain}} · {{{ALL_WEIGHTS}}})"
READ = f"{{Σ gain · weight}} / {{{ALL_WEIGHTS}}}"
RESIDUAL = "{highest possible value} − {value}"
UNKNOWN = f"1 − {{Σ judged · weight}} / {{{ALL_WEIGHTS}}}"

TARGET = "gain that the reader wants, in documents of the highest grade"


def above_zero() -> Any:
    """Declare a target of any size."""
    return parameter(1.0, TARGET, above=0, most=DEEPEST, must=f"expected a number above 0, at most {DEEPEST:,}")


def half_or_more() -> Any:
    """Declare the target of INST: below 0.5, the probability of going on could exceed 1."""
    return parameter(1.0, TARGET, least=0.5, most=DEEPEST, must=f"expected a number from 0.5 to {DEEPEST:,}")


def min_rel() -> Any:
    """Declare the highest grade without gain."""
    return parameter(0.0, "highest grade without gain", least=0, must="expected a grade, at least 0")


def max_rel() -> Any:
    """Declare the grade that gains 1."""
    meaning = "grade that gains 1, the highest of the scale; without it the highest grade of the judgments"
    return parameter(None, meaning, above=0, must="expected a grade above 0")


def depth() -> Any:
    """Declare how deep the reader may go."""
    must = f"expected a rank from 1 to {DEEPEST:,}"
    return parameter(DEEP, "depth to which the reader may go", least=1, most=DEEPEST, must=must)


def depth_of(measure: Any) -> int:
    """Return how deep a reader goes who stops at a cut-off."""
    if measure.k is not None and measure.k > DEEPEST:
        raise UsageError(f"{measure}: expected a cut-off of at most {DEEPEST:,}")
    deep: int = measure.k or DEEP
    return deep


def scale_of_grades(ranking: Ranking, measure: Any) -> tuple[float, float]:
    """Return the highest grade without gain, and the grade that gains 1."""
    highest = ranking.top_grade if measure.max_rel is None else measure.max_rel
    if highest <= measure.min_rel:
        raise UsageError(f"{measure}: max_rel is {highest:g}; expected a grade above min_rel")
    return measure.min_rel, highest


def cumulable(ranking: Ranking, measure: Any) -> Values:
    """Return the gain of each row before dividing by that of the highest grade: an integer if the grades are."""
    lowest, highest = scale_of_grades(ranking, measure)
    return np.clip(ranking.grade, lowest, highest) - lowest


def weighed_gain(ranking: Ranking, measure: Any, weight: Callable[[Floats], Floats], deep: int) -> Values:
    """Return Σ W_i r_i, if the weight of a rank depends only on the rank."""
    lowest, highest = scale_of_grades(ranking, measure)
    top = ranking.top(deep)
    gain = top.column("gain", cumulable(top, measure) * top.share)
    gained = top.total(gain * top.column("weight", top.discount(weight)), "gain · weight")
    most = top.quantity("highest gain", np.full(len(top), highest - lowest))
    return gained / most / sum_of_weights(top, weight, deep)


def unknown_weight(ranking: Ranking, weight: Callable[[Floats], Floats], deep: int) -> Values:
    """Return Σ W_i over all ranks whose results are unjudged or missing."""
    top = ranking.top(deep)
    is_judged = top.column("judged", top.judged() * top.share)
    known = top.total(is_judged * top.column("weight", top.discount(weight)), "judged · weight")
    return 1 - known / sum_of_weights(top, weight, deep)


def sum_of_weights(ranking: Ranking, weight: Callable[[Floats], Floats], deep: int) -> Values:
    """Return the sum of the weights of all ranks down to a depth, for each topic."""
    return ranking.quantity(ALL_WEIGHTS, np.full(len(ranking), weight(np.arange(1.0, deep + 1)).sum()))


def read_down(ranking: Ranking, measure: Any, deep: int, others: bool = False) -> Floats:
    """Return the values of a measure that uses all gains down to a depth; with `others`, all unjudged ranks gain 1."""
    top = ranking.top(deep)
    lowest, highest = scale_of_grades(ranking, measure)
    gain, is_judged = cumulable(top, measure), top.judged()
    values, weights = [np.zeros(0)], [np.zeros((0, deep))]
    topics = max(TOGETHER // deep, 1)
    for begin in range(0, len(top), topics):
        end = min(begin + topics, len(top))
        rows = slice(top.starts[begin], top.starts[end])
        gains = np.full((end - begin, deep), highest - lowest if others else 0.0)
        topic = np.repeat(np.arange(end - begin), top.rows[begin:end])[is_judged[rows]]
        gains[topic, top.rank[rows][is_judged[rows]] - 1] = gain[rows][is_judged[rows]]
        values.append(measure.rate(gains, highest - lowest))
        if top.trace is not None:
            weights.append(measure.weights(gains, highest - lowest))
    if top.trace is not None:
        show_weights(top, gain / (highest - lowest), np.concatenate(weights))
    return np.concatenate(values)


def read_until_satisfied(ranking: Ranking, measure: Any, goes_on: Callable[[Floats, Floats], Floats]) -> Values:
    """Return Σ W_i r_i to depth 1,000, if the probability of going on depends on the rank and the gain of a result."""
    lowest, highest = scale_of_grades(ranking, measure)
    top = ranking.top(DEEP)
    gains, gain = np.zeros((len(top), DEEP)), cumulable(top, measure) / (highest - lowest)
    gains[top.each(np.arange(len(top))), top.rank - 1] = gain
    reached = chance_to_reach(goes_on(np.arange(1.0, DEEP + 1), gains))
    if top.trace is not None:
        show_weights(top, gain, reached)
    return (reached * gains).sum(axis=1) / reached.sum(axis=1)


def chance_to_reach(goes_on: Floats) -> Floats:
    """Return the probability that the reader reaches each rank, from the probability of going on at each rank."""
    first = np.ones((len(goes_on), 1))
    return np.cumprod(np.concatenate((first, goes_on[:, :-1]), axis=1), axis=1, dtype=np.float64)


def show_weights(ranking: Ranking, gain: Values, weights: Floats) -> None:
    """Show the gain of each row, and the weight of its rank; `weights` has one row per topic, down to a depth."""
    weight = weights[ranking.each(np.arange(len(ranking))), ranking.rank - 1]
    ranking.total(ranking.column("gain", gain) * ranking.column("weight", weight), "gain · weight")
    ranking.quantity(ALL_WEIGHTS, weights.sum(axis=1))


def residual(ranking: Ranking, model: Any, deep: int) -> Values:
    """Return how much higher the value of a model could be if all unjudged results gained 1."""
    ranking.top(deep).column("judged", ranking.top(deep).judged())
    # the two values have columns of the same names
    untraced = ranking.traced(None)
    most = ranking.quantity("highest possible value", read_down(untraced, model, deep, others=True))
    return most - ranking.quantity("value", read_down(untraced, model, deep))


@dataclass(frozen=True, kw_only=True)
class INST(Measure):
    """Gain per result of a reader who wants T relevant results, and is less likely to go on the more were found.

        INST = Σ_i W_i r_i,  C_i = ( (i + T + T_i − 1) / (i + T + T_i) )²,  T_i = T − Σ_{j≤i} r_j

    W_i is the weight of rank i that follows from the probabilities C of going on. Moffat, Bailey, Scholer and Thomas,
    INST: an adaptive metric for information retrieval evaluation, ADCS 2015; to depth 1,000 as cwl_eval.
    """

    worked = READ
    T: float = half_or_more()
    min_rel: float = min_rel()
    max_rel: float | None = max_rel()
    depth: int = depth()

    def __call__(self, ranking: Ranking) -> Values:
        return read_down(ranking, self, self.depth)

    def rate(self, gains: Floats, highest: float) -> Floats:
        """Return the gain per result read; `gains` has one row per topic, as parts of the highest."""
        weight = self.weights(gains, highest)
        rates: Floats = (weight * (gains / highest)).sum(axis=1) / weight.sum(axis=1)
        return rates

    def weights(self, gains: Floats, highest: float) -> Floats:
        """Return the probability that the reader reaches each rank."""
        so_far = np.arange(1, gains.shape[1] + 1) + 2 * self.T - np.cumsum(gains / highest, axis=1)
        return chance_to_reach(((so_far - 1) / so_far) ** 2)


@dataclass(frozen=True, kw_only=True)
class INSTresidual(Measure):
    """The residual of INST: how much higher it could be if all unjudged and all further documents were relevant.

        INSTresidual = INST with r_i = 1 for what is not judged − INST

    Moffat, Bailey, Scholer and Thomas, INST: an adaptive metric for information retrieval evaluation, ADCS 2015.
    """

    less_is_better = True
    worked = RESIDUAL
    T: float = half_or_more()
    min_rel: float = min_rel()
    max_rel: float | None = max_rel()
    depth: int = depth()

    def __call__(self, ranking: Ranking) -> Values:
        model = INST(T=self.T, min_rel=self.min_rel, max_rel=self.max_rel, depth=self.depth)
        return residual(ranking, model, self.depth)


@dataclass(frozen=True, kw_only=True)
class INSQ(Linear):
    """Gain per result of a reader who wants T relevant results, and is more likely to go on the deeper the rank.

        INSQ = Σ_i W_i r_i,  C_i = ( (i + 2T − 1) / (i + 2T) )²,  so that W_i ∝ 1 / (i + 2T − 1)²

    Moffat, Scholer and Thomas, Models and metrics: IR evaluation as a user process, ADCS 2012; to depth 1,000 as
    cwl_eval.
    """

    worked = WEIGHED
    T: float = above_zero()
    min_rel: float = min_rel()
    max_rel: float | None = max_rel()
    depth: int = depth()

    def __call__(self, ranking: Ranking) -> Values:
        return weighed_gain(ranking, self, lambda rank: (rank + 2 * self.T - 1) ** -2, self.depth)


@dataclass(frozen=True, kw_only=True)
class INSQresidual(Linear):
    """The residual of INSQ: how much higher it could be if all unjudged and all further documents were relevant.

        INSQresidual = 1 − Σ_{i judged} W_i

    W_i is the weight of rank i of INSQ. Moffat, Scholer and Thomas, Models and metrics: IR evaluation as a user
    process, ADCS 2012.
    """

    less_is_better = True
    worked = UNKNOWN
    T: float = above_zero()
    depth: int = depth()

    def __call__(self, ranking: Ranking) -> Values:
        return unknown_weight(ranking, lambda rank: (rank + 2 * self.T - 1) ** -2, self.depth)


@dataclass(frozen=True, kw_only=True)
class BPM(Measure):
    """Bejeweled player model: the gain per result of a reader who stops at a gain of T, or at rank k.

        BPM@k = (1/n) Σ_{i≤n} r_i,  n = min( k, the first rank with Σ_{j≤n} r_j ≥ T )

    It is the static model, with gains as shares of the highest grade as in cwl_eval; k is 1,000 unless it is given.
    Zhang et al., Evaluating web search with a Bejeweled player model, SIGIR 2017.
    """

    worked = READ
    T: float = above_zero()
    min_rel: float = min_rel()
    max_rel: float | None = max_rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        return read_down(ranking, self, depth_of(self))

    def rate(self, gains: Floats, highest: float) -> Floats:
        """Return the gain per result read; `gains` has one row per topic, as parts of the highest."""
        so_far, last = np.cumsum(gains, axis=1), self.last_read(gains, highest)
        rates: Floats = so_far[np.arange(len(gains)), last] / highest / (last + 1)
        return rates

    def last_read(self, gains: Floats, highest: float) -> Ints:
        """Return the last rank that the reader of each topic reads, counted from 0."""
        enough = np.cumsum(gains, axis=1) >= self.T * highest
        return np.where(enough.any(axis=1), enough.argmax(axis=1), gains.shape[1] - 1)

    def weights(self, gains: Floats, highest: float) -> Floats:
        """Return 1 for each rank that the reader reads, else 0."""
        read = np.arange(gains.shape[1]) <= self.last_read(gains, highest)[:, None]
        return read.astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class BPMresidual(Measure):
    """The residual of BPM: how much higher it could be if all unjudged and all further documents were relevant.

        BPMresidual@k = BPM@k with r_i = 1 for what is not judged − BPM@k

    Zhang et al., Evaluating web search with a Bejeweled player model, SIGIR 2017.
    """

    less_is_better = True
    worked = RESIDUAL
    T: float = above_zero()
    min_rel: float = min_rel()
    max_rel: float | None = max_rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        model = BPM(T=self.T, min_rel=self.min_rel, max_rel=self.max_rel, k=self.k)
        return residual(ranking, model, depth_of(self))


@dataclass(frozen=True, kw_only=True)
class SDCG(Linear):
    """Scaled discounted cumulated gain: nDCG@k as if there were k documents of the highest grade.

        SDCG@k = Σ_{i≤k} r_i / log2(i+1) / Σ_{i≤k} 1 / log2(i+1)

    k is 1,000 unless it is given. Järvelin and Kekäläinen, Cumulated gain-based evaluation, TOIS 20(4), 2002; Moffat
    and Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 27(1), 2008.
    """

    worked = WEIGHED
    min_rel: float = min_rel()
    max_rel: float | None = max_rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        return weighed_gain(ranking, self, log2_discount, depth_of(self))


@dataclass(frozen=True, kw_only=True)
class SDCGresidual(Linear):
    """The residual of SDCG: how much higher it could be if all unjudged and all further documents were relevant.

        SDCGresidual@k = 1 − Σ_{i≤k, judged} 1 / log2(i+1) / Σ_{i≤k} 1 / log2(i+1)

    Moffat and Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 27(1), 2008.
    """

    less_is_better = True
    worked = UNKNOWN
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        return unknown_weight(ranking, log2_discount, depth_of(self))


@dataclass(frozen=True, kw_only=True)
class NERR8(Measure):
    """Nearly ERR, by equation 8 of its paper: the reader goes on unless a result satisfies, down to rank k.

        NERR8 = Σ_i W_i r_i,  C_i = 1 − r_i for i < k, C_k = 0

    W_i is the weight of rank i that follows from the probabilities C of going on; to depth 1,000 as cwl_eval.
    Azzopardi, Mackenzie and Moffat, ERR is not C/W/L, ICTIR 2021.
    """

    worked = READ
    min_rel: float = min_rel()
    max_rel: float | None = max_rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        return read_until_satisfied(ranking, self, lambda rank, gain: (1 - gain) * (rank < (self.k or DEEP)))


@dataclass(frozen=True, kw_only=True)
class NERR9(Measure):
    """Nearly ERR, by equation 9 of its paper: like NERR8, but a reader stops earlier at high ranks.

        NERR9 = Σ_i W_i r_i,  C_i = i / (i + 1) · (1 − r_i) for i < k, C_k = 0

    W_i is the weight of rank i that follows from the probabilities C of going on; to depth 1,000 as cwl_eval.
    Azzopardi, Mackenzie and Moffat, ERR is not C/W/L, ICTIR 2021.
    """

    worked = READ
    min_rel: float = min_rel()
    max_rel: float | None = max_rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        return read_until_satisfied(
            ranking, self, lambda rank, gain: rank / (rank + 1) * (1 - gain) * (rank < (self.k or DEEP))
        )


@dataclass(frozen=True, kw_only=True)
class NERR10(Measure):
    """Nearly ERR, by equation 10 of its paper: the reader goes on with probability p unless a result satisfies.

        NERR10 = Σ_i W_i r_i,  C_i = p (1 − r_i)

    W_i is the weight of rank i that follows from the probabilities C of going on; to depth 1,000 as cwl_eval.
    Azzopardi, Mackenzie and Moffat, ERR is not C/W/L, ICTIR 2021.
    """

    worked = READ
    min_rel: float = min_rel()
    max_rel: float | None = max_rel()
    p: float = parameter(0.9, "probability of going on after a result without gain", least=0, most=1)

    def __call__(self, ranking: Ranking) -> Values:
        return read_until_satisfied(ranking, self, lambda rank, gain: self.p * (1 - gain))


@dataclass(frozen=True, kw_only=True)
class NERR11(Measure):
    """Nearly ERR, by equation 11 of its paper: the reader wants T relevant results, and goes on unless one satisfies.

        NERR11 = Σ_i W_i r_i,  C_i = ((i + 2T − 1) / (i + 2T))² (1 − r_i)

    W_i is the weight of rank i that follows from the probabilities C of going on; to depth 1,000 as cwl_eval.
    Azzopardi, Mackenzie and Moffat, ERR is not C/W/L, ICTIR 2021.
    """

    worked = READ
    min_rel: float = min_rel()
    max_rel: float | None = max_rel()
    T: float = above_zero()

    def __call__(self, ranking: Ranking) -> Values:
        return read_until_satisfied(
            ranking, self, lambda rank, gain: ((rank + 2 * self.T - 1) / (rank + 2 * self.T)) ** 2 * (1 - gain)
        )
