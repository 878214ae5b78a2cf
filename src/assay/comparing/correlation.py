"""How far measures agree on which systems are better: correlations between the rankings of systems, and the upsets."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from assay.comparing.comparison import Written, captioned
from assay.errors import UsageError, counted, listed
from assay.evaluation.score_table import ScoreTable
from assay.measures.base import Measure
from assay.measures.notation import measures_of
from assay.showing.layout import EXACT, render
from assay.tables.ids import Floats, Ints


def tau_b(a: Sequence[float], b: Sequence[float]) -> float:
    """Kendall's tau-b of two scores of the same systems: pairs in the same order less those in the opposite one.

        tau-b = Σ sgn(a_i − a_j) · sgn(b_i − b_j) / √( pairs untied in a · pairs untied in b )

    NaN where all of a or all of b are equal. Kendall, The treatment of ties in ranking problems, Biometrika 33, 1945.
    """
    x, y = (np.sign(one[:, None] - one) for one in _scores(a, b))
    untied = float(np.abs(x).sum() * np.abs(y).sum())
    return float((x * y).sum()) / math.sqrt(untied) if untied else math.nan


def tau_ap(a: Sequence[float], b: Sequence[float], *, symmetric: bool = False) -> float:
    """The AP correlation of b with the reference a: as Kendall's tau, but the upper ranks of b weigh more.

        tau_ap = 2/(n − 1) · Σ_{i=2…n} C_i/(i − 1) − 1

    C_i systems stand above rank i in b and are better in a too. It is the mean over all orders of tied systems, in a and in b.
    `symmetric` is the mean of both directions; there pairs tied in the ranking that is walked down do not count, so that a ranking
    correlates with itself by 1, and pairs tied only in the other disagree (tau_ap,b); NaN where all of a or all of b are equal.
    Yilmaz, Aslam and Robertson, SIGIR 2008; of ties: Urbano and Marrero, The treatment of ties in AP correlation, ICTIR 2017.
    """
    x, y = _scores(a, b)
    return (_one_way(x, y) + _one_way(y, x)) / 2 if symmetric else _over_orders(x, y)


def _over_orders(a: Floats, b: Floats) -> float:
    above = b > b[:, None]
    agree = (above * (np.sign(a - a[:, None]) + 1) / 2).sum(axis=1)
    total = 0.0
    for higher, tied, agreeing in zip(above.sum(axis=1).tolist(), (b == b[:, None]).sum(axis=1).tolist(), agree, strict=True):
        # the system stands behind `before` of those it is tied with, half of which are better in a, for each number as often
        total += sum((agreeing + before / 2) / (higher + before) for before in range(tied) if higher + before) / tied
    return float(2 * total / (len(a) - 1) - 1)


def _one_way(a: Floats, b: Floats) -> float:
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

    X_d is what the first d ranks have in common, l the length of the longer and s that of the shorter ranking, which is taken to go
    on agreeing beyond its end as it does there: X_d + (d − s) A_s. Tied items are given as a set and all stand at the first of
    their ranks, so that |a_d| may exceed d. Webber, Moffat and Zobel, A similarity measure for indefinite rankings, ACM TOIS 28,
    2010, eq. 32; ties in rankings of different lengths: Corsi and Urbano, SIGIR 2024 (RBO^w).
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


COEFFICIENTS: dict[str, Callable[[Floats, Floats, float], float]] = {
    "tau-b": lambda a, b, p: tau_b(a.tolist(), b.tolist()),
    "tau-ap": lambda a, b, p: tau_ap(a.tolist(), b.tolist(), symmetric=True),
    "rbo": _rbo_of_scores,
}


@dataclass(frozen=True)
class Upset:
    """A system that stands elsewhere by one measure than by another; `task` tells where, if there are several rankings."""

    system: str
    first: str
    first_rank: int
    second: str
    second_rank: int
    task: str = ""

    def __str__(self) -> str:
        ranks = f"{ordinal(self.first_rank)} by {self.first}, {ordinal(self.second_rank)} by {self.second}"
        return f"{self.system}: {ranks}{f' ({self.task})' if self.task else ''}"


@dataclass(frozen=True, eq=False)
class Rankings:
    """The same systems ranked in several ways: scores[way, system], and the task they are of."""

    task: str
    ways: list[str]
    systems: list[str]
    scores: Floats

    def ranks(self) -> Ints:
        """The rank of each system in each way; tied ones all have the first of their ranks."""
        return (self.scores[:, None, :] > self.scores[:, :, None]).sum(axis=2) + 1


@dataclass(frozen=True, eq=False, repr=False)
class Correlation:
    """values[one, other]: how far two ways to rank systems agree, the mean over `rankings`. The table is its lower triangle."""

    coefficient: str
    ways: list[str]
    values: Floats
    rankings: list[Rankings]
    p: float

    def __getitem__(self, ways: tuple[Any, Any]) -> float:
        """`correlation["AP", "nDCG@10"]`."""
        names = [str(way) for way in ways]
        for name in names:
            if name not in self.ways:
                raise UsageError(f"{name} is not in the table; there are {listed(self.ways, 12)}")
        one, other = (self.ways.index(name) for name in names)
        return float(self.values[one, other])

    def upsets(self, most: int = 5) -> list[Upset]:
        """The systems whose ranks differ most between two ways, the greatest difference first."""
        found: list[tuple[int, Upset]] = []
        for one in self.rankings:
            task = one.task if len(self.rankings) > 1 else ""
            for (a, first), (b, second) in combinations(enumerate(one.ranks()), 2):
                for system in np.argsort(-np.abs(first - second), kind="stable")[:most]:
                    upset = Upset(one.systems[system], one.ways[a], int(first[system]), one.ways[b], int(second[system]), task)
                    found.append((abs(upset.first_rank - upset.second_rank), upset))
        return [upset for by, upset in sorted(found, key=lambda pair: (-pair[0], pair[1].system))[:most] if by]

    def about(self) -> str:
        """What was correlated, in one line."""
        numbers = sorted({len(one.systems) for one in self.rankings})
        systems = counted(numbers[0], "system") if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]} systems"
        name = f"rbo (p = {self.p:g})" if self.coefficient == "rbo" else self.coefficient
        several = f", mean of {len(self.rankings)}" if len(self.rankings) > 1 else ""
        return f"{name} between rankings of {systems}{several}"

    def show(self, form: str = "text", digits: int = 4) -> str:
        """The lower triangle as text, tsv, csv, json, md, latex or html, with the greatest upsets below it."""
        if form == "json":
            pairs = [(b, a) for a, b in combinations(range(len(self.ways)), 2)]
            values = [(self.ways[b], self.ways[a], float(self.values[b, a])) for b, a in sorted(pairs)]
            records = [
                {"first": first, "second": second, self.coefficient: value if math.isfinite(value) else None}
                for first, second, value in values
            ]
            return json.dumps(records, indent=1, ensure_ascii=False)
        rows: list[list[Any]] = []
        for number, way in enumerate(self.ways[1:], 1):
            blank = ["" if form in EXACT else Written("")] * (len(self.ways) - 1 - number)
            rows.append([way, *self.values[number, :number].tolist(), *blank])
        table = render(form, [self.coefficient, *self.ways[:-1]], rows, 1, digits)
        return captioned(form, table, "; ".join([self.about(), *map(str, self.upsets())]))

    def __repr__(self) -> str:
        return self.show().rstrip()

    def _repr_html_(self) -> str:
        return self.show("html")


def of_either_overlap(scores: ScoreTable) -> ScoreTable:
    """The scores with measures of one name whether a task counts overlap or not, unless it has both."""
    measures = [replace(one, overlap="on") if hasattr(one, "overlap") else one for one in scores.measures]  # type: ignore[call-arg]
    if len(set(measures)) < len(measures):
        return scores
    return ScoreTable(scores.systems, measures, scores.topics, scores.values, scores.notes)


def correlate(
    scores: ScoreTable | Sequence[ScoreTable] | Mapping[str, ScoreTable],
    measures: Any = None,
    *,
    coefficient: str = "tau-b",
    by: str | None = None,
    over: str | None = None,
    p: float = 0.9,
) -> Correlation:
    """How far measures agree on the order of systems. Of several scores, one for each task, it is the mean over them, whether a
    task counts overlap or not.

    `over` names a parameter, such as quant, over whose values the mean is taken as well (INEX 2005, table 1). `by` names one whose
    values are compared instead of measures, as the mean over the measures (table 2). `p` is that of rbo.
    """
    if coefficient not in COEFFICIENTS:
        raise UsageError(f"unknown coefficient {coefficient!r}; there are {', '.join(COEFFICIENTS)}")
    if by is not None and over is not None:
        raise UsageError("by and over exclude each other: a parameter is compared, or averaged over")
    if isinstance(scores, ScoreTable):
        tasks = {"": scores}
    else:
        tasks = dict(scores) if isinstance(scores, Mapping) else {f"task {n}": one for n, one in enumerate(scores, 1)}
    if not tasks:
        raise UsageError("no scores to correlate")
    if len(tasks) > 1:
        tasks = {task: of_either_overlap(of) for task, of in tasks.items()}
    asked = next(iter(tasks.values())).measures if measures is None else measures_of(measures)
    rankings = [one for task, of in tasks.items() for one in _rankings(task, of, asked, by, over)]
    ways = list(dict.fromkeys(way for one in rankings for way in one.ways))
    if len(ways) < 2:
        raise UsageError(f"a correlation needs two {f'values of {by}' if by else 'measures'} or more; there is {listed(ways)}")
    values = np.eye(len(ways))
    for a, b in combinations(range(len(ways)), 2):
        values[a, b] = values[b, a] = _mean(rankings, ways[a], ways[b], COEFFICIENTS[coefficient], p)
    return Correlation(coefficient, ways, values, rankings, p)


def _mean(
    rankings: list[Rankings], first: str, second: str, coefficient: Callable[[Floats, Floats, float], float], p: float
) -> float:
    both = [one for one in rankings if first in one.ways and second in one.ways]
    found = [coefficient(one.scores[one.ways.index(first)], one.scores[one.ways.index(second)], p) for one in both]
    return math.fsum(found) / len(found) if found else math.nan


def _rankings(task: str, scores: ScoreTable, measures: list[Measure], by: str | None, over: str | None) -> list[Rankings]:
    if len(scores.systems) < 2:
        where = f"{task} has" if task else "there is"
        raise UsageError(f"a correlation needs two systems or more; {where} {listed(scores.systems) or 'none'}")
    groups: dict[str, dict[str, Measure]] = {}
    for measure in measures:
        group, way = "", str(measure)
        if by is not None:
            group, way = _without(measure, by)
        elif over is not None:
            way, group = _without(measure, over)
        groups.setdefault(group, {})[way] = measure
    found = []
    for group, ways in groups.items():
        # to 12 decimals, so that means that differ by rounding alone are tied
        values = np.round([[scores[system, measure] for system in scores.systems] for measure in ways.values()], 12)
        found.append(Rankings(", ".join(filter(None, [task, group])), list(ways), scores.systems, values))
    return found


def _without(measure: Measure, name: str) -> tuple[str, str]:
    """What a measure is called without a parameter, and the value of that."""
    if name not in measure.parameters():
        raise UsageError(f"{measure} has no parameter {name!r}; it has {listed(list(measure.parameters()), 12)}")
    default: Any = {name: measure.parameters()[name][0]}
    return str(replace(measure, **default)), str(getattr(measure, name))


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th, 21st."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
