"""How often the interval of a corrected value holds the mean of the population, and how wide it is.

Each collection has 200 topics, drawn from a population whose mean is known. People judge n of them, a model judges all.
Five judges: good, noisy, generous, biased towards one of two systems, and useless. The last table is about the biased
judge: by its judgments alone the worse system wins, and the corrected difference of the two must tell the right one as
often as the power of its t-test says.

    python benchmarks/checked.py             10,000 collections, a minute
    python benchmarks/checked.py 500         fewer
"""

import sys
from collections.abc import Callable

import numpy as np

from assay.evaluation.checked import corrected_mean, mean_of_sample

TOPICS, CHECKED, COLLECTIONS, SEED = 200, (15, 40, 100), 10_000, 0
# Values of topics by people: of a measure such as AP, with many low values.
SHAPE = 1.2, 1.8
MEAN = SHAPE[0] / sum(SHAPE)
# The better system by people is so much better; the standard deviations of the differences, and of what the model adds.
BETTER, APART, ADDED, BIAS = 0.05, 0.15, 0.1, -0.1

Judge = Callable[[np.random.Generator, np.ndarray], np.ndarray]
JUDGES: dict[str, Judge] = {
    "good": lambda draw, h: within(h + draw.normal(0, 0.1, h.shape)),
    "noisy": lambda draw, h: within(h + draw.normal(0, 0.35, h.shape)),
    "generous": lambda draw, h: within(0.3 + 0.7 * h + draw.normal(0, 0.1, h.shape)),
    # of the system that it prefers
    "biased": lambda draw, h: within(h + 0.15 + draw.normal(0, 0.25, h.shape)),
    "useless": lambda draw, h: draw.beta(*SHAPE, h.shape),
}


def within(values: np.ndarray) -> np.ndarray:
    """Values of a measure are between 0 and 1."""
    return np.clip(values, 0, 1)


def coverage(judge: str, n: int, collections: int = COLLECTIONS, seed: int = SEED) -> tuple[float, float, float]:
    """How often the 95% interval holds the mean of the population, its mean width as a share of people's alone, and the
    greatest share in any collection.
    """
    draw = np.random.default_rng([seed, n, list(JUDGES).index(judge)])
    held, widths, alone, widest = 0, 0.0, 0.0, 0.0
    for _ in range(collections):
        h = draw.beta(*SHAPE, TOPICS)
        m = JUDGES[judge](draw, h)
        estimate, _ = corrected_mean(h[:n], m[:n], m[n:])
        low, high = estimate.interval()
        held += low <= MEAN <= high
        widths += high - low
        below, above = mean_of_sample(h[:n]).interval()
        alone += above - below
        widest = max(widest, (high - low) / (above - below))
    return held / collections, widths / alone, widest


def caught(n: int, collections: int = COLLECTIONS, seed: int = SEED) -> tuple[float, float, float]:
    """How often the biased judge alone swaps two systems, how often the corrected difference tells the right one with
    p at most 0.05, and how often it should: the power of a t-test with the standard error of the formula.
    """
    from scipy import stats

    draw = np.random.default_rng([seed, n])
    swapped = found = 0
    for _ in range(collections):
        h = draw.normal(BETTER, APART, TOPICS)
        m = h + BIAS + draw.normal(0, ADDED, TOPICS)
        swapped += m.mean() < 0
        estimate, _ = corrected_mean(h[:n], m[:n], m[n:])
        found += estimate.value > 0 and estimate.p() <= 0.05
    others = TOPICS - n
    explained = APART**2 / (APART**2 + ADDED**2) * others / TOPICS
    error = APART * np.sqrt((1 - explained) / n)
    power = stats.nct(n - 1, BETTER / error).sf(stats.t(n - 1).ppf(0.975))
    return swapped / collections, found / collections, float(power)


def main() -> None:
    """Print both tables."""
    collections = int(sys.argv[1]) if len(sys.argv) > 1 else COLLECTIONS
    print(f"{collections:,} collections of {TOPICS} topics; 95% intervals: share that holds the population's mean,")
    print("width as a share of people's alone, and the greatest such share in any collection")
    print("judge     " + "".join(f"{f'n = {n}':>26}" for n in CHECKED))
    for judge in JUDGES:
        cells = [coverage(judge, n, collections) for n in CHECKED]
        print(f"{judge:<10}" + "".join(f"{held:>10.3f}{width:>8.2f}{most:>8.2f}" for held, width, most in cells))
    print("\ntwo systems that the biased judge swaps: by the model alone, found by the corrected difference, by theory")
    for n in CHECKED:
        swapped, found, power = caught(n, collections)
        print(f"n = {n:<6}{swapped:>10.3f}{found:>10.3f}{power:>10.3f}")


if __name__ == "__main__":
    main()
