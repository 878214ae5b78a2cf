"""Corrected means a second time, with plain sums, as the formulas are printed."""

import math


def mean(values):
    return sum(values) / len(values)


def covariance(xs, ys):
    return sum((x - mean(xs)) * (y - mean(ys)) for x, y in zip(xs, ys, strict=True)) / (len(xs) - 1)


def weight(h, m, u):
    """λ*, cut to [0, 1]."""
    together = [*m, *u]
    spread = covariance(together, together)
    if len(u) < 2 or spread < 1e-20 or covariance(m, m) < 1e-20:
        return 0.0
    return min(1.0, max(0.0, covariance(h, m) / ((1 + len(h) / len(u)) * spread)))


def corrected(h, m, u):
    """θ, se and λ."""
    lam = weight(h, m, u)
    rest = [a - lam * b for a, b in zip(h, m, strict=True)]
    theta = mean(rest) + (lam * mean(u) if lam else 0)
    square = covariance(rest, rest) / len(h) + (lam**2 * covariance(u, u) / len(u) if lam else 0)
    return theta, math.sqrt(square), lam


def corrected_by_pairs(model, human, machine, strata, sizes):
    """θ and se: `model` has the value of each topic, the others an entry for each sampled pair."""
    topics, theta, square = len(model), sum(model), 0.0
    for name, size in sizes.items():
        d = [a - b for a, b, s in zip(human, machine, strata, strict=True) if s == name]
        theta += sum(d) / (len(d) / size)
        square += size**2 * (1 - len(d) / size) * (covariance(d, d) if len(d) > 1 else 0) / len(d)
    return theta / topics, math.sqrt(square) / topics
