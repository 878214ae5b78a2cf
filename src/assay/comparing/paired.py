"""The tests of a difference of means over topics: each is a function of pairs of systems and of a question."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from assay.comparing.resampling import (
    LEAST_DRAWN,
    SAME,
    bootstrapped_p,
    randomised_p,
    scipy,
    shuffled_ranges,
    slices_of_rows,
)
from assay.errors import InputError
from assay.tables.ids import Floats, Ints

# The distribution of the studentised range, by which Tukey's HSD says what chance alone makes of many means.

# The range is computed for this many differences at most; for more, it is interpolated between this many points.
POINTS = 2000
# What is less probable than exp(-NEGLIGIBLE) is left out of the integrals.
NEGLIGIBLE = 45.0
# The points of the integrals are so far apart: those over logarithms in widths of the curve, but never farther than
# the second, and those over values of a normal distribution, of which no mean is farther out than the last.
WIDTHS, FARTHEST, STEP, OUTERMOST = 0.5, 0.1, 0.1, 10.0


def studentised_range(q: Floats, systems: int, free: int) -> Floats:
    """The probability that the greatest difference of this many means is q standard errors or more by chance.

        P(Q ≥ q) = ∫ f(s) ∫ m(z) · (1 − (1 − Φ(−z − q·s) / Φ(−z))^(k−1)) dz ds

    m is the density of the lowest of k normal values, beside which the others lie within a range of q·s with the
    probability that is taken from 1; f is that of the estimated over the true standard error, with this many degrees of
    freedom. Exact to ten digits where it is above 1e-9, and to six where it is above 1e-15, or for many different q.

    Lund and Lund, Algorithm AS 190, Applied Statistics 32, 1983.
    """
    different, where = np.unique(q, return_inverse=True)
    if len(different) <= POINTS:
        return _upper_tail(different, systems, free)[where]
    points = np.linspace(different[0], different[-1], POINTS)
    # far out the probability is less than any number
    exact = np.maximum(_upper_tail(points, systems, free), np.finfo(float).tiny)
    return np.exp(scipy("interpolate").PchipInterpolator(points, np.log(exact))(different))[where]


@lru_cache(100)
def critical_range(confidence: float, systems: int, free: int) -> float:
    """The q that is not reached by chance with so much confidence."""

    def is_reached(q: float) -> bool:
        return float(_upper_tail(np.array([q]), systems, free)[0]) > 1 - confidence

    low, high = 0.0, 1.0
    while is_reached(high):
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if is_reached(middle) else (low, middle)
    return high


def _upper_tail(q: Floats, systems: int, free: int) -> Floats:
    """As `studentised_range`; the integrals are sums over points at equal distances, as the curves are smooth."""
    normal = scipy("special").ndtr
    error, weight_of_error = _standard_errors(free)
    lowest, weight_of_lowest = _lowest_values(systems)
    above = normal(-lowest)
    probability = np.empty(len(q))
    for some in slices_of_rows(len(q), len(error) * len(lowest)):
        span = q[some, None, None] * error[:, None]
        with np.errstate(divide="ignore"):
            # none lies within a range of 0, of which the logarithm is then that of 0
            all_within = (systems - 1) * np.log1p(-normal(-lowest - span) / above)
        probability[some] = -np.expm1(all_within) @ weight_of_lowest @ weight_of_error
    return np.where(q > 0, np.minimum(probability, 1), 1.0)


def _standard_errors(free: int) -> tuple[Floats, Floats]:
    """Estimates of a standard error that is 1, and how probable they are.

    The logarithm u of one has the density exp(free · (u − exp(2u) / 2)), except for a constant.
    """
    far = NEGLIGIBLE / free
    # below 0 the exponent falls from its highest value by u² / (1 − u) at least, above 0 by u²
    lowest, highest = -(far + np.sqrt(far**2 + 4 * far)) / 2, np.sqrt(far)
    step = min(WIDTHS / np.sqrt(2 * free), FARTHEST)
    logarithm = np.arange(lowest, highest + step, step)
    density = np.exp(free * (logarithm - np.exp(2 * logarithm) / 2 + 0.5))
    return np.exp(logarithm), density / density.sum()


def _lowest_values(systems: int) -> tuple[Floats, Floats]:
    """Values of which one is the lowest of this many normal ones, and how probable they are."""
    value = np.arange(-OUTERMOST, OUTERMOST, STEP)
    density = np.exp((systems - 1) * scipy("special").log_ndtr(-value) - value**2 / 2)
    probable = density > density.max() * np.exp(-NEGLIGIBLE)
    return value[probable], density[probable] / density[probable].sum()


# Up to this many differences the distribution of Wilcoxon's statistic is exact; beyond, it is taken to be normal. It
# takes 6 ms to count out 200, and the time grows with the cube of their number.
COUNTED_OUT = 200


@dataclass(frozen=True, eq=False)
class Sample:
    """Pairs of systems with the same number of topics: pair i are rows first[i] and second[i] of values[row, topic].

    A system that shares different topics with different systems has a row for each set of topics.
    """

    values: Floats
    first: Ints
    second: Ints

    @property
    def topics(self) -> int:
        """How many topics the two of each pair share."""
        return self.values.shape[1]

    def better_first(self) -> Sample:
        """The same pairs, each with the greater mean first."""
        means = self.values.mean(axis=1)
        swap = np.round(means[self.first] - means[self.second], 12) < 0
        return Sample(self.values, np.where(swap, self.second, self.first), np.where(swap, self.first, self.second))

    def differences(self) -> Iterator[tuple[slice, Floats]]:
        """The differences of all pairs, one row per pair, some pairs at a time."""
        for pairs in slices_of_rows(len(self.first), self.topics):
            # to 12 decimals, so that values that differ by rounding alone are equal
            yield pairs, np.round(self.values[self.first[pairs]] - self.values[self.second[pairs]], 12)

    @cached_property
    def _sums(self) -> tuple[Floats, Floats, Ints, Ints]:
        mean, sd = np.empty(len(self.first)), np.empty(len(self.first))
        wins, losses = np.empty(len(self.first), np.int64), np.empty(len(self.first), np.int64)
        for pairs, differences in self.differences():
            wins[pairs], losses[pairs] = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
            exact = self.values[self.first[pairs]] - self.values[self.second[pairs]]
            exact[(differences == 0).all(axis=1)] = 0
            mean[pairs], sd[pairs] = exact.mean(axis=1), exact.std(axis=1, ddof=1)
            # what is left of differences that cancel out is rounding alone
            mean[pairs][np.abs(mean[pairs]) <= SAME * np.abs(exact).max(axis=1)] = 0
        sd[sd <= SAME * np.abs(mean)] = 0
        return mean, sd, wins, losses

    @property
    def mean(self) -> Floats:
        """The mean difference of each pair."""
        return self._sums[0]

    @property
    def sd(self) -> Floats:
        """The standard deviation of the differences of each pair, 0 if all are the same."""
        return self._sums[1]

    @property
    def wins(self) -> Ints:
        """On how many topics the first is better."""
        return self._sums[2]

    @property
    def losses(self) -> Ints:
        """On how many topics the second is better."""
        return self._sums[3]


@dataclass(frozen=True)
class Question:
    """What is asked of each pair; `tails` is 1 if the first is asked to be better."""

    tails: int
    samples: int
    seed: int
    confidence: float


@dataclass(frozen=True, eq=False)
class PairTests:
    """What a test says of each pair.

    p; which system the test's own statistic favours (`way`: above 0 the first, below 0 the second); the confidence
    interval of the mean difference; and the standard deviation that is the unit of the effect size.
    """

    p: Floats
    way: Floats
    low: Floats
    high: Floats
    unit: Floats


def _by_t(sample: Sample, question: Question, p: Floats | None = None, way: Floats | None = None) -> PairTests:
    """Student's t. Tests that have a p of their own, and no interval, take its interval."""
    special, free, error = scipy("special"), sample.topics - 1, sample.sd / np.sqrt(sample.topics)
    if p is None:
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(error == 0, np.sign(sample.mean) * np.inf, sample.mean / error)
        t[np.isnan(t)] = 0 if question.tails == 2 else -np.inf
        p = 2 * special.stdtr(free, -np.abs(t)) if question.tails == 2 else special.stdtr(free, -t)
    half = special.stdtrit(free, (1 + question.confidence) / 2) * error
    return PairTests(p, sample.mean if way is None else way, sample.mean - half, sample.mean + half, sample.sd)


def _by_sign(sample: Sample, question: Question) -> PairTests:
    special, wins, losses = scipy("special"), sample.wins, sample.losses
    if question.tails == 2:
        p = np.minimum(1, 2 * special.bdtr(np.minimum(wins, losses).astype(float), wins + losses, 0.5))
    else:
        # this many wins or more is the same as this many losses or fewer
        p = special.bdtr(losses.astype(float), wins + losses, 0.5)
    return _by_t(sample, question, p, (wins - losses).astype(np.float64))


def _by_wilcoxon(sample: Sample, question: Question) -> PairTests:
    p, way = np.ones(len(sample.first)), np.zeros(len(sample.first))
    for pairs, differences in sample.differences():
        for number, row in enumerate(differences, pairs.start):
            p[number], way[number] = _wilcoxon(row[row != 0], question.tails)
    return _by_t(sample, question, p, way)


def _wilcoxon(differences: Floats, tails: int) -> tuple[float, float]:
    """p, and by how much the ranks of positive differences exceed those of negative ones. No difference is 0."""
    number = len(differences)
    if not number:
        return 1.0, 0.0
    _, place, equal = np.unique(np.abs(differences), return_inverse=True, return_counts=True)
    # equal differences share the mean of their ranks; these are twice the ranks, which are whole numbers
    ranks = (2 * np.cumsum(equal) - equal + 1)[place]
    above = int(ranks[differences > 0].sum())
    way = 2 * above - int(ranks.sum())
    if number > COUNTED_OUT:
        z = way / np.sqrt((ranks.astype(np.float64) ** 2).sum())
        normal = scipy("special").ndtr
        return float(2 * normal(-abs(z)) if tails == 2 else normal(-z)), way / 2
    ways = _subset_sums(tuple(np.sort(ranks).tolist()))
    as_great, as_small = ways[above:].sum() / 2.0**number, ways[: above + 1].sum() / 2.0**number
    return float(min(1, 2 * min(as_great, as_small)) if tails == 2 else as_great), way / 2


@lru_cache(50)
def _subset_sums(ranks: tuple[int, ...]) -> Floats:
    """In how many ways some of the ranks add up to each number."""
    ways = np.zeros(sum(ranks) + 1)
    ways[0] = 1
    for rank in ranks:
        ways[rank:] += ways[:-rank].copy()
    return ways


def _by_randomisation(sample: Sample, question: Question) -> PairTests:
    p = randomised_p(sample.values, sample.first, sample.second, question.tails, question.samples, question.seed)
    return _by_t(sample, question, p)


def _by_bootstrap(sample: Sample, question: Question) -> PairTests:
    if sample.topics < LEAST_DRAWN:
        chance, topics = 2.0 ** (1 - sample.topics), sample.topics
        what = f"a bootstrap test needs {LEAST_DRAWN} topics or more, found {topics}"
        by_chance = f"all {topics} favour one system by chance with probability {chance:.3g}"
        raise InputError(f"{what}: {by_chance}, and then p is near 0; use randomisation")
    how = question.tails, question.samples, question.seed, question.confidence
    p, low, high = bootstrapped_p(sample.values, sample.first, sample.second, *how)
    return PairTests(p, sample.mean, low, high, sample.sd)


def residual_variance(values: Floats) -> float:
    """What neither the system nor the topic explains: two-way analysis of variance without replication."""
    left = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    systems, topics = values.shape
    variance = float((left**2).sum() / ((systems - 1) * (topics - 1)))
    return variance if variance > (1e-12 * np.abs(values).max()) ** 2 else 0.0


def _by_tukey(sample: Sample, question: Question) -> PairTests:
    systems, variance = len(sample.values), residual_variance(sample.values)
    free, error = (systems - 1) * (sample.topics - 1), np.sqrt(variance / sample.topics)
    half = 0.0
    if error:
        p = studentised_range(np.abs(sample.mean) / error, systems, free)
        half = critical_range(question.confidence, systems, free) * error
    else:
        p = np.where(sample.mean == 0, 1.0, 0.0)
    return PairTests(p, sample.mean, sample.mean - half, sample.mean + half, np.full(len(p), np.sqrt(variance)))


def _by_random_tukey(sample: Sample, question: Question) -> PairTests:
    ranges = shuffled_ranges(sample.values, question.samples, question.seed)
    same = 1e-12 * np.abs(sample.values).max(initial=0)
    reached = question.samples - np.searchsorted(ranges, np.abs(sample.mean) - same)
    half = np.quantile(ranges, question.confidence)
    unit = np.full(len(reached), np.sqrt(residual_variance(sample.values)))
    p = (reached + 1) / (question.samples + 1)
    return PairTests(p, sample.mean, sample.mean - half, sample.mean + half, unit)


METHODS: dict[str, Callable[[Sample, Question], PairTests]] = {
    "randomisation": _by_randomisation,
    "bootstrap": _by_bootstrap,
    "t": _by_t,
    "wilcoxon": _by_wilcoxon,
    "sign": _by_sign,
    "tukey": _by_tukey,
    "random-tukey": _by_random_tukey,
}
