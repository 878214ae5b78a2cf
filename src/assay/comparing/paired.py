"""The paired significance tests: p-values of a difference of means over topics, by chance or by formula."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any

import numpy as np

from assay.errors import InputError, UsageError
from assay.tables.ids import Floats, Ints

# Resampling: the distribution of a difference of means under chance. Chance flips the signs of differences, draws
# topics with replacement, or shuffles the values of systems within each topic. All pairs share the draws: the effect of
# a draw on every system is one matrix product, and a pair is the difference of two of its rows. So the p-value of a
# pair depends on its own values, the seed and the number of samples, but on no other system.

# How many numbers are computed at a time: enough to keep the processor busy, few enough for its caches.
BLOCK = 1 << 21
# Means that differ by less than this share of the largest value differ only by rounding, and count as equal.
SAME = 1e-12
# With fewer topics than the first number, the bootstrap is refused: if all n topics favour one system, its p is close
# to 0, although chance does that with probability 2^(1 - n), which is above 0.05 for n = 5. With fewer than the second,
# it errs more often than its p says, by more than a fifth: see docs/statistics.md.
LEAST_DRAWN, ENOUGH_DRAWN = 6, 50


def scipy(module: str) -> Any:
    """Import a module of scipy, only when it is used."""
    try:
        return import_module(f"scipy.{module}")
    except ModuleNotFoundError:
        raise UsageError("comparing systems needs scipy: pip install scipy") from None


def generator(seed: int) -> np.random.Generator:
    """Return the random generator of a seed."""
    return np.random.Generator(np.random.PCG64(seed))


def few(topics: int, samples: int) -> bool:
    """Return whether there are at most as many sign permutations as samples; then each is used once."""
    return topics < samples.bit_length() and 2**topics <= samples


def randomised_means(values: Floats, samples: int, seed: int) -> Floats:
    """Return the mean of each system (rows) for each random flip of signs; for all flips if they are few."""
    topics = values.shape[1]
    if few(topics, samples):
        every = np.arange(2**topics)[:, None] >> np.arange(topics) & 1
        return values @ (1.0 - 2.0 * every).T / topics
    return _means(values, samples, seed, lambda rng, shape: rng.integers(0, 2, shape, np.int8) * 2.0 - 1.0)


def bootstrap_means(values: Floats, samples: int, seed: int) -> Floats:
    """Return the mean of each system (rows) over as many topics as there are, drawn with replacement."""
    return _means(values, samples, seed, _draw_topics)


def _draw_topics(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    samples, topics = shape
    cells = rng.integers(0, topics, shape) + np.arange(samples)[:, None] * topics
    return np.bincount(cells.ravel(), minlength=samples * topics).reshape(shape).astype(np.float64)


def _means(
    values: Floats, samples: int, seed: int, weights: Callable[[np.random.Generator, tuple[int, int]], Floats]
) -> Floats:
    rng, topics = generator(seed), values.shape[1]
    means = np.empty((len(values), samples))
    for part in slices_of_rows(samples, topics):
        means[:, part] = values @ weights(rng, (part.stop - part.start, topics)).T / topics
    return means


def slices_of_rows(rows: int, width: int) -> Iterator[slice]:
    """Yield slices of the rows of a table of that width; each slice fits in a block."""
    step = max(1, BLOCK // max(1, width))
    for start in range(0, rows, step):
        yield slice(start, min(rows, start + step))


def randomised_p(values: Floats, first: Ints, second: Ints, tails: int, samples: int, seed: int) -> Floats:
    """Return p of each pair: how often the mean difference is as large when chance decides the sign on each topic."""
    means = randomised_means(values, samples, seed)
    observed = values.mean(axis=1)
    same = SAME * np.abs(values).max(initial=0)
    counts = np.empty(len(first), np.int64)
    for pairs in slices_of_rows(len(first), means.shape[1]):
        by_chance = means[first[pairs]] - means[second[pairs]]
        difference = observed[first[pairs]] - observed[second[pairs]]
        counts[pairs] = _count_extreme(by_chance, difference, tails, same)
    return counts / means.shape[1] if few(values.shape[1], samples) else (counts + 1) / (samples + 1)


def bootstrapped_p(
    values: Floats, first: Ints, second: Ints, tails: int, samples: int, seed: int, confidence: float
) -> tuple[Floats, Floats, Floats]:
    """Return p of each pair, and the lower and upper end of its confidence interval.

    p is how often a resampled difference of means is as far above the observed one as that is above 0, or with two
    tails as far from it. Between the ends lies the middle share `confidence` of the resampled differences.
    """
    means = bootstrap_means(values, samples, seed)
    observed = values.mean(axis=1)
    same = SAME * np.abs(values).max(initial=0)
    counts, ends = np.empty(len(first), np.int64), np.empty((2, len(first)))
    for pairs in slices_of_rows(len(first), samples):
        drawn = means[first[pairs]] - means[second[pairs]]
        ends[:, pairs] = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2], axis=1)
        difference = observed[first[pairs]] - observed[second[pairs]]
        counts[pairs] = _count_extreme(drawn - difference[:, None], difference, tails, same)
    return (counts + 1) / (samples + 1), ends[0], ends[1]


def _count_extreme(by_chance: Floats, difference: Floats, tails: int, same: float) -> Ints:
    """Count how often chance made the difference of each pair as large; with two tails, on either side of 0."""
    if tails == 2:
        by_chance, difference = np.abs(by_chance), np.abs(difference)
    return np.count_nonzero(by_chance >= difference[:, None] - same, axis=1)


def shuffled_ranges(values: Floats, samples: int, seed: int) -> Floats:
    """Return the largest difference of two means in each shuffle of systems within topics, in ascending order."""
    rng, by_topic = generator(seed), values.T
    ranges = np.empty(samples)
    for part in slices_of_rows(samples, values.size):
        tables = np.repeat(by_topic[None], part.stop - part.start, axis=0)
        rng.permuted(tables, axis=2, out=tables)
        ranges[part] = np.ptp(tables.mean(axis=1), axis=1)
    return np.sort(ranges)


# Power: how many topics a test needs to detect a difference, and how small a difference it can detect.


def topics_needed(difference: float, sd: float, alpha: float = 0.05, power: float = 0.8, tails: int = 2) -> int:
    """Return the number of topics with which a paired t-test finds a mean difference with this power.

    sd: the standard deviation of the differences over topics. The number is the smallest n for which a t of n − 1
    degrees of freedom and noncentrality √n · difference/sd exceeds the critical value with probability `power`. Cohen,
    Statistical Power Analysis for the Behavioral Sciences, 1988, ch. 2.
    """
    if not difference or not sd >= 0:
        what = f"no number of topics can detect a difference of {difference:g} with standard deviation {sd:g}"
        raise UsageError(f"{what}; expected a difference other than 0, and a standard deviation of 0 or more")
    for name, share in (("alpha", alpha), ("power", power)):
        if not 0 < share < 1:
            raise UsageError(f"{name} is {share:g}; expected a number between 0 and 1")
    check_tails(tails)
    effect = abs(difference) / sd if sd else math.inf
    low, high = 1, 2
    while _power(high, effect, alpha, tails) < power:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _power(middle, effect, alpha, tails) >= power else (middle, high)
    return high


def _power(topics: int, effect: float, alpha: float, tails: int) -> float:
    special, free = scipy("special"), topics - 1
    shift, critical = effect * math.sqrt(topics), special.stdtrit(free, 1 - alpha / tails)
    # scipy cannot compute the distribution this far out; the power is 1 to all digits
    if shift > 30 + critical:
        return 1.0
    wrong_way = special.nctdtr(free, shift, -critical) if tails == 2 and shift < 5 else 0.0
    return float(1 - special.nctdtr(free, shift, critical) + wrong_way)


def check_tails(tails: int) -> None:
    """Raise an error unless `tails` is 1 or 2."""
    if tails not in (1, 2):
        raise UsageError(f"tails is {tails!r}; expected 1 (is the first better?) or 2 (do they differ?)")


def least_difference(topics: int, sd: float, alpha: float = 0.05, power: float = 0.8, tails: int = 2) -> float:
    """Return the smallest true difference that a paired t-test detects with this power over this many topics.

    sd: the standard deviation of the differences over topics. This is the inverse of `topics_needed`.
    """
    low, high = 0.0, 1.0
    while _power(topics, high, alpha, tails) < power:
        low, high = high, high * 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if _power(topics, middle, alpha, tails) >= power else (middle, high)
    return high * sd


# The distribution of the studentised range, which Tukey's HSD needs.

# At most this many values of q are computed; if there are more, p is interpolated between this many points.
POINTS = 2000
# Parts of the integrals with a density below exp(-NEGLIGIBLE) are left out.
NEGLIGIBLE = 45.0
# The distances between the points of the integrals. Over logarithms: WIDTHS, in widths of the curve, but at most
# FARTHEST. Over values of a normal distribution: STEP, from -OUTERMOST to OUTERMOST.
WIDTHS, FARTHEST, STEP, OUTERMOST = 0.5, 0.1, 0.1, 10.0


def studentised_range(q: Floats, systems: int, free: int) -> Floats:
    """Return the probability that the largest difference of this many means is q standard errors or more by chance.

        P(Q ≥ q) = ∫ f(s) ∫ m(z) · (1 − (1 − Φ(−z − q·s) / Φ(−z))^(k−1)) dz ds

    m is the density of the lowest of k normal values. The power is the probability that the others lie within q·s above
    it. f is the density of the estimated over the true standard error, with `free` degrees of freedom. Exact to ten
    digits if the result is above 1e-9, and to six digits if it is above 1e-15, or if there are many different q.

    Lund and Lund, Algorithm AS 190, Applied Statistics 32, 1983.
    """
    different, where = np.unique(q, return_inverse=True)
    if len(different) <= POINTS:
        return _upper_tail(different, systems, free)[where]
    points = np.linspace(different[0], different[-1], POINTS)
    # far out the probability underflows to 0, which has no logarithm
    exact = np.maximum(_upper_tail(points, systems, free), np.finfo(float).tiny)
    return np.exp(scipy("interpolate").PchipInterpolator(points, np.log(exact))(different))[where]


@lru_cache(100)
def critical_range(confidence: float, systems: int, free: int) -> float:
    """Return the q that chance stays below with probability `confidence`."""

    def is_reached(q: float) -> bool:
        return float(_upper_tail(np.array([q]), systems, free)[0]) > 1 - confidence

    low, high = 0.0, 1.0
    while is_reached(high):
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if is_reached(middle) else (low, middle)
    return high


def _upper_tail(q: Floats, systems: int, free: int) -> Floats:
    """Compute `studentised_range`; the curves are smooth, so the integrals are sums over equidistant points."""
    normal = scipy("special").ndtr
    error, weight_of_error = _standard_errors(free)
    lowest, weight_of_lowest = _lowest_values(systems)
    above = normal(-lowest)
    probability = np.empty(len(q))
    for some in slices_of_rows(len(q), len(error) * len(lowest)):
        span = q[some, None, None] * error[:, None]
        with np.errstate(divide="ignore"):
            # a range of 0 contains no other value: log(0)
            all_within = (systems - 1) * np.log1p(-normal(-lowest - span) / above)
        probability[some] = -np.expm1(all_within) @ weight_of_lowest @ weight_of_error
    return np.where(q > 0, np.minimum(probability, 1), 1.0)


def _standard_errors(free: int) -> tuple[Floats, Floats]:
    """Return estimates of a standard error that is 1, and their probabilities.

    The logarithm u of an estimate has the density exp(free · (u − exp(2u) / 2)), except for a constant.
    """
    far = NEGLIGIBLE / free
    # below 0 the exponent is at least u² / (1 − u) less than its highest value, above 0 at least u² less
    lowest, highest = -(far + np.sqrt(far**2 + 4 * far)) / 2, np.sqrt(far)
    step = min(WIDTHS / np.sqrt(2 * free), FARTHEST)
    logarithm = np.arange(lowest, highest + step, step)
    density = np.exp(free * (logarithm - np.exp(2 * logarithm) / 2 + 0.5))
    return np.exp(logarithm), density / density.sum()


def _lowest_values(systems: int) -> tuple[Floats, Floats]:
    """Return values of the lowest of this many normal variables, and their probabilities."""
    value = np.arange(-OUTERMOST, OUTERMOST, STEP)
    density = np.exp((systems - 1) * scipy("special").log_ndtr(-value) - value**2 / 2)
    probable = density > density.max() * np.exp(-NEGLIGIBLE)
    return value[probable], density[probable] / density[probable].sum()


# Up to this many differences, the distribution of Wilcoxon's statistic is exact; beyond, it is approximated by the
# normal distribution. Counting 200 takes 6 ms, and the time grows with the cube of their number.
COUNTED_OUT = 200


@dataclass(frozen=True, eq=False)
class Sample:
    """Pairs of systems with the same number of topics: pair i is rows first[i] and second[i] of values[row, topic].

    A system that shares different topics with different systems has a row for each set of topics.
    """

    values: Floats
    first: Ints
    second: Ints

    @property
    def topics(self) -> int:
        """How many topics the systems of each pair have in common."""
        return self.values.shape[1]

    def better_first(self) -> Sample:
        """Return the same pairs, each with the larger mean first."""
        means = self.values.mean(axis=1)
        swap = np.round(means[self.first] - means[self.second], 12) < 0
        return Sample(self.values, np.where(swap, self.second, self.first), np.where(swap, self.first, self.second))

    def differences(self) -> Iterator[tuple[slice, Floats]]:
        """Yield the differences of all pairs, one row per pair, in blocks of pairs."""
        for pairs in slices_of_rows(len(self.first), self.topics):
            # round to 12 decimals, so that values that differ only by rounding are equal
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
            # differences that cancel out leave only a rounding error
            mean[pairs][np.abs(mean[pairs]) <= SAME * np.abs(exact).max(axis=1)] = 0
        sd[sd <= SAME * np.abs(mean)] = 0
        return mean, sd, wins, losses

    @property
    def mean(self) -> Floats:
        """The mean difference of each pair."""
        return self._sums[0]

    @property
    def sd(self) -> Floats:
        """The standard deviation of the differences of each pair; 0 if all are the same."""
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
    """How to test each pair; with `tails` 1, the question is whether the first is better."""

    tails: int
    samples: int
    seed: int
    confidence: float


@dataclass(frozen=True, eq=False)
class PairTests:
    """What a test says about each pair.

    `way` is which system the test's own statistic favours: above 0 the first, below 0 the second. `low` and `high` are
    the confidence interval of the mean difference. `unit` is the standard deviation in which the effect size is
    measured.
    """

    p: Floats
    way: Floats
    low: Floats
    high: Floats
    unit: Floats


def _by_t(sample: Sample, question: Question, p: Floats | None = None, way: Floats | None = None) -> PairTests:
    """Student's t-test. Tests with their own p but no interval pass their p, and get the interval of t."""
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
        # P(as many wins or more) equals P(as many losses or fewer)
        p = special.bdtr(losses.astype(float), wins + losses, 0.5)
    return _by_t(sample, question, p, (wins - losses).astype(np.float64))


def _by_wilcoxon(sample: Sample, question: Question) -> PairTests:
    p, way = np.ones(len(sample.first)), np.zeros(len(sample.first))
    for pairs, differences in sample.differences():
        for number, row in enumerate(differences, pairs.start):
            p[number], way[number] = _wilcoxon(row[row != 0], question.tails)
    return _by_t(sample, question, p, way)


def _wilcoxon(differences: Floats, tails: int) -> tuple[float, float]:
    """Return p, and by how much the ranks of positive differences exceed those of negative ones. No difference is 0."""
    number = len(differences)
    if not number:
        return 1.0, 0.0
    _, place, equal = np.unique(np.abs(differences), return_inverse=True, return_counts=True)
    # equal differences share the mean of their ranks; doubled ranks stay whole numbers
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
    """Return in how many ways subsets of the ranks add up to each number."""
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
    """Return the variance that neither system nor topic explains: two-way analysis of variance without replication."""
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
