"""How far two rankings of the same systems agree: Kendall's tau-b, the AP correlation, rank-biased overlap, and the
correlations of scores (Pearson) and of ranks (Spearman).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.tables.ids import Floats, Ints

SMALLEST = np.finfo(np.float64).tiny


def tau_b(a: Sequence[float], b: Sequence[float]) -> float:
    """Kendall's tau-b of two scores of each system: pairs in the same order less those in the opposite one.

        tau-b = Σ sgn(a_i − a_j) · sgn(b_i − b_j) / √( pairs untied in a · pairs untied in b )

    NaN where all of a or all of b are equal. Kendall, The treatment of ties in ranking problems, Biometrika 33, 1945.
    """
    x, y = (np.sign(scores[:, None] - scores) for scores in _scores(a, b))
    untied = float(np.abs(x).sum() * np.abs(y).sum())
    return float((x * y).sum()) / math.sqrt(untied) if untied else math.nan


def tau_ap(a: Sequence[float], b: Sequence[float], *, symmetric: bool = False) -> float:
    """The AP correlation of b with the reference a: as Kendall's tau, but the upper ranks of b weigh more.

        tau_ap = 2/(n − 1) · Σ_{i=2…n} C_i/(i − 1) − 1

    C_i systems stand above rank i in b and are better in a too. With ties it is the mean over all orders of tied
    systems, in a and in b. `symmetric` is the mean of b with the reference a and of a with the reference b, where ties
    are counted otherwise (tau_ap,b): a pair tied in the ranking that is correlated with the reference does not count,
    so that a ranking correlates with itself by 1; a pair tied only in the reference is a disagreement. NaN where all
    of a or all of b are equal. Yilmaz, Aslam and Robertson, SIGIR 2008; on ties: Urbano and Marrero, The treatment of
    ties in AP correlation, ICTIR 2017.
    """
    x, y = _scores(a, b)
    return (_tau_ap_b(x, y) + _tau_ap_b(y, x)) / 2 if symmetric else _over_orders(x, y)


def pearson(a: Sequence[float], b: Sequence[float]) -> float:
    """Pearson's r of two scores of each system: how far one is a straight line of the other.

        r = Σ (a_i − mean a)(b_i − mean b) / √( Σ (a_i − mean a)² · Σ (b_i − mean b)² )

    NaN where all of a or all of b are equal. Pearson, Proceedings of the Royal Society of London 58, 1895.
    """
    x, y = (scores - scores.mean() for scores in _scores(a, b))
    # as large as the largest difference, so that no square is lost
    x, y = (apart / max(float(np.abs(apart).max()), SMALLEST) for apart in (x, y))
    spread = math.sqrt(float((x * x).sum())) * math.sqrt(float((y * y).sum()))
    return min(1.0, max(-1.0, float((x * y).sum()) / spread)) if _differ(a) and _differ(b) else math.nan


def spearman(a: Sequence[float], b: Sequence[float]) -> float:
    """Spearman's rho: Pearson's r of the ranks of each system; tied ones have the mean of their ranks.

        rho = r(rank a, rank b)

    NaN where all of a or all of b are equal. Spearman, American Journal of Psychology 15, 1904.
    """
    x, y = _scores(a, b)
    return pearson(_mean_ranks(x).tolist(), _mean_ranks(y).tolist())


def _mean_ranks(scores: Floats) -> Floats:
    return (scores > scores[:, None]).sum(axis=1) + ((scores == scores[:, None]).sum(axis=1) + 1) / 2


def _differ(scores: Sequence[float]) -> bool:
    return min(scores) < max(scores)


def _over_orders(a: Floats, b: Floats) -> float:
    """tau_ap as the mean over all orders of tied systems."""
    above = b > b[:, None]
    agree = (above * (np.sign(a - a[:, None]) + 1) / 2).sum(axis=1)
    total = 0.0
    counts = above.sum(axis=1).tolist(), (b == b[:, None]).sum(axis=1).tolist()
    for higher, tied, agreeing in zip(*counts, agree, strict=True):
        # Over all orders, a system stands equally often behind 0, 1, 2 … of those that it is tied with, and on average
        # half of these are better in a.
        total += sum((agreeing + before / 2) / (higher + before) for before in range(tied) if higher + before) / tied
    return float(2 * total / (len(a) - 1) - 1)


def _tau_ap_b(a: Floats, b: Floats) -> float:
    """The part of each direction in the symmetric tau_ap,b; a is the reference."""
    above = b > b[:, None]
    higher = above.sum(axis=1)
    share = (above & (a > a[:, None])).sum(axis=1)[higher > 0] / higher[higher > 0]
    return float(2 * share.mean() - 1) if len(share) else math.nan


def _scores(a: Sequence[float], b: Sequence[float]) -> tuple[Floats, Floats]:
    x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise UsageError(f"expected two scores for each system; found {x.size} and {y.size}")
    if len(x) < 2:
        raise UsageError(f"a correlation needs two systems or more; there is {'one' if len(x) else 'none'}")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise UsageError("a score is not a number; a system without one has no rank")
    return x, y


def rbo(a: Sequence[Any], b: Sequence[Any], p: float = 0.9) -> float:
    """Rank-biased overlap of two rankings, best first, extrapolated beyond their ends; lengths and items may differ.

        RBO_ext = (1 − p)/p · Σ_{d=1…l} A_d · p^d + A_l · p^l,   A_d = 2 X_d / (|a_d| + |b_d|)

    X_d is the number of items that the first d ranks have in common, l the length of the longer and s that of the
    shorter ranking. Beyond its end the shorter one is taken to agree as much as it does there: X_d + (d − s) A_s. Tied
    items are given as a set and all stand at the first of their ranks, so that |a_d| may exceed d. Webber, Moffat and
    Zobel, A similarity measure for indefinite rankings, ACM TOIS 28, 2010, eq. 32; ties in rankings of different
    lengths: Corsi and Urbano, SIGIR 2024 (RBO^w).
    """
    if not 0 < p < 1:
        raise UsageError(f"p is {p:g}; expected a number between 0 and 1")
    short, long = sorted((_ranks(a), _ranks(b)), key=len)
    s, n = len(short), len(long)
    if not s:
        raise UsageError("a ranking is empty; expected at least one item")
    common = _running([max(rank, long[item]) for item, rank in short.items() if item in long], n)
    sizes = _running(list(short.values()), n), _running(list(long.values()), n)
    depth = np.arange(1, n + 1)
    at_end = 2 * common[s - 1] / (sizes[0][s - 1] + sizes[1][s - 1])
    beyond = np.maximum(depth - s, 0)
    agreement = 2 * (common + beyond * at_end) / (np.where(beyond, depth, sizes[0]) + sizes[1])
    return float((1 - p) / p * (agreement * p**depth).sum() + (common[-1] + (n - s) * at_end) / n * p**n)


def _ranks(ranking: Sequence[Any]) -> dict[Hashable, int]:
    ranks: dict[Hashable, int] = {}
    for entry in ranking:
        rank = len(ranks) + 1
        for item in entry if isinstance(entry, set | frozenset) else [entry]:
            if item in ranks:
                raise UsageError(f"{item!r} stands in a ranking twice")
            ranks[item] = rank
    return ranks


def _running(ranks: Iterable[int], depth: int) -> Ints:
    return np.cumsum(np.bincount(np.array(list(ranks), np.int64), minlength=depth + 1)[1 : depth + 1])


def _rbo_of_scores(a: Floats, b: Floats, p: float) -> float:
    def ranking(scores: Floats) -> list[set[int]]:
        return [set(np.flatnonzero(scores == score).tolist()) for score in sorted(set(scores.tolist()), reverse=True)]

    return rbo(ranking(a), ranking(b), p)


# Those that look at scores, and not at the order alone.
OF_SCORES = ("pearson",)
COEFFICIENTS: dict[str, Callable[[Floats, Floats, float], float]] = {
    "tau-b": lambda a, b, p: tau_b(a.tolist(), b.tolist()),
    "tau-ap": lambda a, b, p: tau_ap(a.tolist(), b.tolist(), symmetric=True),
    "rbo": _rbo_of_scores,
    "pearson": lambda a, b, p: pearson(a.tolist(), b.tolist()),
    "spearman": lambda a, b, p: spearman(a.tolist(), b.tolist()),
}
