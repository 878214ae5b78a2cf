"""The distribution of the studentised range, by which Tukey's HSD tells what chance alone makes of many means."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from assay.comparing.resampling import scipy, slices_of_rows
from assay.tables.ids import Floats

# The range is computed for so many differences at most; for more, it is interpolated between so many points.
POINTS = 2000
# What is less probable than exp(-NEGLIGIBLE) is left out of the integrals.
NEGLIGIBLE = 45.0
# The points of the integrals are so far apart: those over logarithms in widths of the curve, but never farther than
# the second, and those over values of a normal distribution, of which no mean is farther out than the last.
WIDTHS, FARTHEST, STEP, OUTERMOST = 0.5, 0.1, 0.1, 10.0


def studentised_range(q: Floats, systems: int, free: int) -> Floats:
    """The probability that the greatest difference of so many means is q standard errors or more by chance.

        P(Q ≥ q) = ∫ f(s) ∫ m(z) · (1 − (1 − Φ(−z − q·s) / Φ(−z))^(k−1)) dz ds

    m is the density of the lowest of k normal values, beside which the others lie within a range of q·s with the
    probability that is taken from 1; f is that of the estimated over the true standard error, with so many degrees of
    freedom. Exact to ten digits where it is above 1e-9, and to six where it is above 1e-15, or for many different q.

    Lund and Lund, Algorithm AS 190, Applied Statistics 32, 1983.
    """
    different, where = np.unique(q, return_inverse=True)
    if len(different) <= POINTS:
        return _exceeded(different, systems, free)[where]
    points = np.linspace(different[0], different[-1], POINTS)
    # far out the probability is less than any number
    exact = np.maximum(_exceeded(points, systems, free), np.finfo(float).tiny)
    return np.exp(scipy("interpolate").PchipInterpolator(points, np.log(exact))(different))[where]


@lru_cache(100)
def critical_range(confidence: float, systems: int, free: int) -> float:
    """The q that is not reached by chance with so much confidence."""

    def is_reached(q: float) -> bool:
        return float(_exceeded(np.array([q]), systems, free)[0]) > 1 - confidence

    low, high = 0.0, 1.0
    while is_reached(high):
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if is_reached(middle) else (low, middle)
    return high


def _exceeded(q: Floats, systems: int, free: int) -> Floats:
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

    The logarithm u of one has the density exp(free · (u − exp(2u) / 2)), but for a constant.
    """
    far = NEGLIGIBLE / free
    # below 0 the exponent falls from its highest value by u² / (1 − u) at least, above 0 by u²
    lowest, highest = -(far + np.sqrt(far**2 + 4 * far)) / 2, np.sqrt(far)
    step = min(WIDTHS / np.sqrt(2 * free), FARTHEST)
    logarithm = np.arange(lowest, highest + step, step)
    density = np.exp(free * (logarithm - np.exp(2 * logarithm) / 2 + 0.5))
    return np.exp(logarithm), density / density.sum()


def _lowest_values(systems: int) -> tuple[Floats, Floats]:
    """Values of which one is the lowest of so many normal ones, and how probable they are."""
    value = np.arange(-OUTERMOST, OUTERMOST, STEP)
    density = np.exp((systems - 1) * scipy("special").log_ndtr(-value) - value**2 / 2)
    probable = density > density.max() * np.exp(-NEGLIGIBLE)
    return value[probable], density[probable] / density[probable].sum()
