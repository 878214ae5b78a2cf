"""The distribution of a difference of means when chance decides.

Chance changes the signs of differences, draws topics anew, or shuffles the values of systems within each topic.
All pairs share the draws: what a draw does to each system is one product of matrices, and a pair is a difference of
two rows of it. So the p-value of a pair depends on its own values, the seed and the number of samples, and on no other
system.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.tables.ids import Floats, Ints

# Numbers that are computed at a time: enough to keep the processor busy, few enough to stay in its caches.
BLOCK = 1 << 21
# Means that differ by less than this share of the greatest value differ by rounding alone, and count as equal.
SAME = 1e-12
# With fewer topics the bootstrap is refused: if all n of them favour one system its p is next to 0, and chance does
# that with a probability of 2^(1 - n), which is above 0.05 for five. With fewer than the second it errs more often than
# its p says, by more than a fifth: see docs/statistics.md.
LEAST_DRAWN, ENOUGH_DRAWN = 6, 50


def scipy(module: str) -> Any:
    """A module of scipy, which is loaded only when it is used."""
    try:
        return import_module(f"scipy.{module}")
    except ModuleNotFoundError:
        raise UsageError("comparing systems needs scipy: pip install scipy") from None


def generator(seed: int) -> np.random.Generator:
    """The source of all chance."""
    return np.random.Generator(np.random.PCG64(seed))


def few(topics: int, samples: int) -> bool:
    """Whether there are no more ways to change signs than samples; then each way is taken once."""
    return topics < samples.bit_length() and 2**topics <= samples


def randomised_means(values: Floats, samples: int, seed: int) -> Floats:
    """The mean of each system, a row each, for each of many changes of signs; for all of them if they are few."""
    topics = values.shape[1]
    if few(topics, samples):
        every = np.arange(2**topics)[:, None] >> np.arange(topics) & 1
        return values @ (1.0 - 2.0 * every).T / topics
    return _means(values, samples, seed, lambda rng, shape: rng.integers(0, 2, shape, np.int8) * 2.0 - 1.0)


def bootstrap_means(values: Floats, samples: int, seed: int) -> Floats:
    """The mean of each system, a row each, over topics drawn with replacement, as many as there are."""
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
    """Slices of the rows of a table of that width, each of as many rows as fit in a block."""
    step = max(1, BLOCK // max(1, width))
    for start in range(0, rows, step):
        yield slice(start, min(rows, start + step))


def randomised_p(values: Floats, first: Ints, second: Ints, tails: int, samples: int, seed: int) -> Floats:
    """The p of each pair: how often its mean is as great when the sign of each difference is left to chance."""
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
    """The p of each pair, and the lower and upper end of its confidence interval.

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
    """How often chance made the difference of each pair as great as it is; with two tails, on either side of 0."""
    if tails == 2:
        by_chance, difference = np.abs(by_chance), np.abs(difference)
    return np.count_nonzero(by_chance >= difference[:, None] - same, axis=1)


def shuffled_ranges(values: Floats, samples: int, seed: int) -> Floats:
    """The greatest differences of two means, of many shuffles of the systems within each topic, in ascending order."""
    rng, by_topic = generator(seed), values.T
    ranges = np.empty(samples)
    for part in slices_of_rows(samples, values.size):
        tables = np.repeat(by_topic[None], part.stop - part.start, axis=0)
        rng.permuted(tables, axis=2, out=tables)
        ranges[part] = np.ptp(tables.mean(axis=1), axis=1)
    return np.sort(ranges)


# How many topics tell a difference from chance, and how small a difference a number of topics can tell.


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
    # so far out the distribution cannot be computed; the power is 1 to all digits
    if shift > 30 + critical:
        return 1.0
    wrong_way = special.nctdtr(free, shift, -critical) if tails == 2 and shift < 5 else 0.0
    return float(1 - special.nctdtr(free, shift, critical) + wrong_way)


def check_tails(tails: int) -> None:
    """Refuse anything but one or two tails."""
    if tails not in (1, 2):
        raise UsageError(f"tails is {tails!r}; expected 1 (is the first better?) or 2 (do they differ?)")


def least_difference(topics: int, sd: float, alpha: float = 0.05, power: float = 0.8, tails: int = 2) -> float:
    """The smallest true difference that a paired t-test finds with this power, over this many topics.

    `sd` is the standard deviation of the differences over topics. It is what `topics_needed` tells the other way round.
    """
    low, high = 0.0, 1.0
    while _power(topics, high, alpha, tails) < power:
        low, high = high, high * 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if _power(topics, middle, alpha, tails) >= power else (middle, high)
    return high * sd
