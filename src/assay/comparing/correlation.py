"""Correlate rankings of systems: how far measures agree on which systems are better.

Upsets are the systems that two measures rank most differently.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from assay.errors import UsageError, count_noun, list_names
from assay.evaluation.score_table import ScoreTable
from assay.measures.base import Measure, MeasuresLike
from assay.measures.notation import measures_of
from assay.showing.layout import render
from assay.showing.shown import Shown
from assay.tables.ids import Floats, Ints

# The coefficients: Kendall's tau-b, the AP correlation and rank-biased overlap of rankings, Pearson's correlation of
# scores, and Spearman's correlation of ranks.

SMALLEST = np.finfo(np.float64).tiny


def tau_b(a: Sequence[float], b: Sequence[float]) -> float:
    """Kendall's tau-b of two scores of each system: pairs in the same order less those in the opposite one.

        tau-b = Σ sgn(a_i − a_j) · sgn(b_i − b_j) / √( pairs untied in a · pairs untied in b )

    NaN if all of a or all of b are equal. Kendall, The treatment of ties in ranking problems, Biometrika 33, 1945.
    """
    x, y = (np.sign(scores[:, None] - scores) for scores in _scores(a, b))
    untied = float(np.abs(x).sum() * np.abs(y).sum())
    return float((x * y).sum()) / math.sqrt(untied) if untied else math.nan


def tau_ap(a: Sequence[float], b: Sequence[float], *, symmetric: bool = False) -> float:
    """The AP correlation of b with the reference a: as Kendall's tau, but the upper ranks of b weigh more.

        tau_ap = 2/(n − 1) · Σ_{i=2…n} C_i/(i − 1) − 1

    C_i systems are above rank i in b and are better in a too. With ties it is the mean over all orders of tied
    systems, in a and in b. `symmetric` is the mean of b with the reference a and of a with the reference b, where ties
    are counted otherwise (tau_ap,b): a pair tied in the ranking that is correlated with the reference does not count,
    so that a ranking correlates with itself by 1; a pair tied only in the reference is a disagreement. NaN if all
    of a or all of b are equal. Yilmaz, Aslam and Robertson, SIGIR 2008; on ties: Urbano and Marrero, The treatment of
    ties in AP correlation, ICTIR 2017.
    """
    x, y = _scores(a, b)
    return (_tau_ap_b(x, y) + _tau_ap_b(y, x)) / 2 if symmetric else _over_orders(x, y)


def pearson(a: Sequence[float], b: Sequence[float]) -> float:
    """Pearson's r of two scores of each system: how far one is a straight line of the other.

        r = Σ (a_i − mean a)(b_i − mean b) / √( Σ (a_i − mean a)² · Σ (b_i − mean b)² )

    NaN if all of a or all of b are equal. Pearson, Proceedings of the Royal Society of London 58, 1895.
    """
    x, y = (scores - scores.mean() for scores in _scores(a, b))
    # scale by the largest difference, so that no square underflows
    x, y = (apart / max(float(np.abs(apart).max()), SMALLEST) for apart in (x, y))
    spread = math.sqrt(float((x * x).sum())) * math.sqrt(float((y * y).sum()))
    return min(1.0, max(-1.0, float((x * y).sum()) / spread)) if _differ(a) and _differ(b) else math.nan


def spearman(a: Sequence[float], b: Sequence[float]) -> float:
    """Spearman's rho: Pearson's r of the ranks of each system; tied ones have the mean of their ranks.

        rho = r(rank a, rank b)

    NaN if all of a or all of b are equal. Spearman, American Journal of Psychology 15, 1904.
    """
    x, y = _scores(a, b)
    return pearson(_mean_ranks(x).tolist(), _mean_ranks(y).tolist())


def _mean_ranks(scores: Floats) -> Floats:
    return (scores > scores[:, None]).sum(axis=1) + ((scores == scores[:, None]).sum(axis=1) + 1) / 2


def _differ(scores: Sequence[float]) -> bool:
    return min(scores) < max(scores)


def _over_orders(a: Floats, b: Floats) -> float:
    """Return tau_ap as the mean over all orders of tied systems."""
    above = b > b[:, None]
    agree = (above * (np.sign(a - a[:, None]) + 1) / 2).sum(axis=1)
    total = 0.0
    counts = above.sum(axis=1).tolist(), (b == b[:, None]).sum(axis=1).tolist()
    for higher, tied, agreeing in zip(*counts, agree, strict=True):
        # Over all orders, a system comes equally often after 0, 1, 2 … of the systems that it is tied with, and on
        # average half of these are better in a.
        total += sum((agreeing + before / 2) / (higher + before) for before in range(tied) if higher + before) / tied
    return float(2 * total / (len(a) - 1) - 1)


def _tau_ap_b(a: Floats, b: Floats) -> float:
    """Return one direction of the symmetric tau_ap,b; a is the reference."""
    above = b > b[:, None]
    higher = above.sum(axis=1)
    share = (above & (a > a[:, None])).sum(axis=1)[higher > 0] / higher[higher > 0]
    return float(2 * share.mean() - 1) if len(share) else math.nan


def _scores(a: Sequence[float], b: Sequence[float]) -> tuple[Floats, Floats]:
    x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise UsageError(f"expected two scores for each system; found {x.size} and {y.size}")
    if len(x) < 2:
        raise UsageError(f"a correlation needs at least two systems; found {'one' if len(x) else 'none'}")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise UsageError("a score is not a number (NaN); expected a score for every system")
    return x, y


def rbo(a: Sequence[Any], b: Sequence[Any], p: float = 0.9) -> float:
    """Rank-biased overlap of two rankings, best first, extrapolated beyond their ends; lengths and items may differ.

        RBO_ext = (1 − p)/p · Σ_{d=1…l} A_d · p^d + A_l · p^l,   A_d = 2 X_d / (|a_d| + |b_d|)

    X_d is the number of items that the first d ranks have in common, l the length of the longer and s that of the
    shorter ranking. Beyond its end the shorter one is taken to agree as much as it does there: X_d + (d − s) A_s. Tied
    items are given as a set and all are at the first of their ranks, so that |a_d| may exceed d. Webber, Moffat and
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
                raise UsageError(f"{item!r} is in a ranking twice")
            ranks[item] = rank
    return ranks


def _running(ranks: Iterable[int], depth: int) -> Ints:
    return np.cumsum(np.bincount(np.array(list(ranks), np.int64), minlength=depth + 1)[1 : depth + 1])


def _rbo_of_scores(a: Floats, b: Floats, p: float) -> float:
    def ranking(scores: Floats) -> list[set[int]]:
        return [set(np.flatnonzero(scores == score).tolist()) for score in sorted(set(scores.tolist()), reverse=True)]

    return rbo(ranking(a), ranking(b), p)


# The coefficients that depend on scores, not only on their order.
OF_SCORES = ("pearson",)
COEFFICIENTS: dict[str, Callable[[Floats, Floats, float], float]] = {
    "tau-b": lambda a, b, p: tau_b(a.tolist(), b.tolist()),
    "tau-ap": lambda a, b, p: tau_ap(a.tolist(), b.tolist(), symmetric=True),
    "rbo": _rbo_of_scores,
    "pearson": lambda a, b, p: pearson(a.tolist(), b.tolist()),
    "spearman": lambda a, b, p: spearman(a.tolist(), b.tolist()),
}


@dataclass(frozen=True)
class Upset:
    """A system that two measures rank differently; `task` names the scores if there are several."""

    system: str
    first: str
    first_rank: int
    second: str
    second_rank: int
    task: str = ""

    @property
    def by(self) -> int:
        """How many ranks the two differ."""
        return abs(self.first_rank - self.second_rank)

    def __str__(self) -> str:
        ranks = f"{ordinal(self.first_rank)} by {self.first}, {ordinal(self.second_rank)} by {self.second}"
        return f"{self.system}: {ranks}{f' ({self.task})' if self.task else ''}"


@dataclass(frozen=True, eq=False)
class Rankings:
    """The systems of one task, ranked in several ways: each way by a row of scores[way, system]."""

    task: str
    ways: list[str]
    systems: list[str]
    scores: Floats

    @property
    def tied(self) -> Floats:
        """The scores to 12 decimals, so that scores that differ only by rounding are tied."""
        return np.round(self.scores, 12)

    def by(self, way: str, exact: bool) -> Floats:
        """Return the scores of one way: with all digits if `exact` and not all are tied, else to 12 decimals."""
        number = self.ways.index(way)
        tied = self.tied[number]
        return self.scores[number] if exact and np.ptp(tied) > 0 else tied

    def ranks(self) -> Ints:
        """Return the rank of each system in each way; tied systems all have the first of their ranks."""
        return (self.tied[:, None, :] > self.tied[:, :, None]).sum(axis=2) + 1


@dataclass(frozen=True, eq=False, repr=False)
class Correlation(Shown):
    """Correlation of system rankings: values[first, second] is the mean of the coefficient over `rankings`.

    `ways` are the measures, or the values of a parameter, that rank the systems. `show` prints the lower triangle.
    """

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
                raise UsageError(f"{name} is not in the table; choose from {list_names(self.ways, 12)}")
        first, second = (self.ways.index(name) for name in names)
        return float(self.values[first, second])

    def upsets(self, most: int = 5) -> list[Upset]:
        """Return the systems whose ranks differ most between two ways, greatest difference first."""
        upsets: list[Upset] = []
        for ranked in self.rankings:
            task = ranked.task if len(self.rankings) > 1 else ""
            for (a, first), (b, second) in combinations(enumerate(ranked.ranks()), 2):
                for system in np.argsort(-np.abs(first - second), kind="stable")[:most]:
                    ranks = int(first[system]), int(second[system])
                    name = ranked.systems[system]
                    upsets.append(Upset(name, ranked.ways[a], ranks[0], ranked.ways[b], ranks[1], task))
        upsets.sort(key=lambda upset: (-upset.by, upset.system))
        return [upset for upset in upsets[:most] if upset.by]

    def about(self) -> str:
        """Return what was correlated, in one line."""
        numbers = sorted({len(ranked.systems) for ranked in self.rankings})
        systems = count_noun(numbers[0], "system") if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]} systems"
        name = f"rbo (p = {self.p:g})" if self.coefficient == "rbo" else self.coefficient
        several = f", mean of {len(self.rankings)}" if len(self.rankings) > 1 else ""
        what = "scores" if self.coefficient in OF_SCORES else "rankings"
        return f"{name} between {what} of {systems}{several}"

    @property
    def notes(self) -> list[str]:
        """The ways that give all systems the same value, so that their correlation is undefined, and the top upsets."""
        return [*self._tied(), *(str(upset) for upset in self.upsets())]

    def _tied(self) -> Iterator[str]:
        """Yield a line for each way that ties all systems, if the coefficient is undefined for that."""
        for ranked in self.rankings if np.isnan(self.values).any() else []:
            for way in ranked.ways:
                values = ranked.by(way, exact=False)
                if np.all(values == values[0]):
                    where = f" in {ranked.task}" if ranked.task else ""
                    tied = f"{way} gives all systems the same value{where}"
                    yield f"{tied}, so {self.coefficient} with it is undefined (nan)"

    def show(self, layout: str = "text", digits: int = 4) -> str:
        """Return the lower triangle as text, tsv, csv, json, md, latex or html."""
        if layout == "json":
            pairs = [(b, a) for a, b in combinations(range(len(self.ways)), 2)]
            values = [(self.ways[b], self.ways[a], float(self.values[b, a])) for b, a in sorted(pairs)]
            records = [
                {"first": first, "second": second, self.coefficient: value if math.isfinite(value) else None}
                for first, second, value in values
            ]
            return json.dumps(records, indent=1, ensure_ascii=False)
        rows: list[list[Any]] = []
        for number, way in enumerate(self.ways[1:], 1):
            blank = [""] * (len(self.ways) - 1 - number)
            rows.append([way, *self.values[number, :number].tolist(), *blank])
        return render(layout, [self.coefficient, *self.ways[:-1]], rows, 1, digits, self.about())


def of_either_overlap(scores: ScoreTable) -> ScoreTable:
    """Give every measure the same name in all tasks, by setting its parameter `overlap` to on.

    Scores that have a measure both with and without overlap stay unchanged.
    """
    measures = [
        replace(measure, overlap="on") if hasattr(measure, "overlap") else measure  # type: ignore[call-arg]
        for measure in scores.measures
    ]
    if len(set(measures)) < len(measures):
        return scores
    return replace(scores, measures=measures, groups=None)


def correlate(
    scores: ScoreTable | Sequence[ScoreTable] | Mapping[str, ScoreTable],
    measures: MeasuresLike | None = None,
    *,
    coefficient: str = "tau-b",
    by: str | None = None,
    over: str | None = None,
    p: float = 0.9,
) -> Correlation:
    """Correlate the rankings of systems by several measures.

    If there are several scores, one per task, the result is the mean over the tasks; a measure with overlap in one task
    and without in another counts as the same measure. over: a parameter, for example quant; the mean is also taken over
    its values (INEX 2005, table 1). by: a parameter whose values are compared instead of measures; the mean is then
    taken over the measures (table 2). p: the parameter of rbo.
    """
    if coefficient not in COEFFICIENTS:
        raise UsageError(f"unknown coefficient {coefficient!r}; choose from {', '.join(COEFFICIENTS)}")
    if by is not None and over is not None:
        raise UsageError("pass by= or over=, not both; the values of a parameter are either compared or averaged")
    tasks = by_task(scores)
    if not tasks:
        raise UsageError("no scores to correlate")
    if len(tasks) > 1:
        tasks = {task: of_either_overlap(of_task) for task, of_task in tasks.items()}
    first = next(iter(tasks.values())).measures
    asked = first if measures is None else measures_of(measures, first)
    rankings = [ranked for task, of_task in tasks.items() for ranked in _rankings(task, of_task, asked, by, over)]
    ways = list(dict.fromkeys(way for ranked in rankings for way in ranked.ways))
    if len(ways) < 2:
        what = f"values of {by}" if by else "measures"
        raise UsageError(f"a correlation needs at least two {what}; found {list_names(ways)}")
    values = np.eye(len(ways))
    for a, b in combinations(range(len(ways)), 2):
        values[a, b] = values[b, a] = _mean(rankings, ways[a], ways[b], coefficient, p)
    return Correlation(coefficient, ways, values, rankings, p)


def by_task(scores: ScoreTable | Sequence[ScoreTable] | Mapping[str, ScoreTable]) -> dict[str, ScoreTable]:
    """Return the scores by task: task 1, task 2 and so on if they have no names; a single table has an empty name."""
    if isinstance(scores, ScoreTable):
        return {"": scores}
    if isinstance(scores, Mapping):
        return dict(scores)
    return {f"task {number}": of_task for number, of_task in enumerate(scores, 1)}


def _mean(rankings: list[Rankings], first: str, second: str, coefficient: str, p: float) -> float:
    """Return the mean of a coefficient over the rankings that have both ways."""
    both, exact = [ranked for ranked in rankings if {first, second} <= {*ranked.ways}], coefficient in OF_SCORES
    values = [COEFFICIENTS[coefficient](ranked.by(first, exact), ranked.by(second, exact), p) for ranked in both]
    return math.fsum(values) / len(values) if values else math.nan


def _rankings(
    task: str, scores: ScoreTable, measures: list[Measure], by: str | None, over: str | None
) -> list[Rankings]:
    if len(scores.systems) < 2:
        where = f"{task} has" if task else "found"
        raise UsageError(f"a correlation needs at least two systems; {where} {list_names(scores.systems) or 'none'}")
    groups: dict[str, dict[str, Measure]] = {}
    for measure in measures:
        group, way = "", str(measure)
        if by is not None:
            group, way = _without(measure, by)
        elif over is not None:
            way, group = _without(measure, over)
        groups.setdefault(group, {})[way] = measure
    rankings = []
    for group, ways in groups.items():
        # if less is better, the lowest value has the first rank
        signs = [-1.0 if measure.less_is_better else 1.0 for measure in ways.values()]
        values = np.array([[scores[system, measure] for system in scores.systems] for measure in ways.values()])
        values = values * np.array(signs)[:, None]
        rankings.append(Rankings(", ".join(filter(None, [task, group])), list(ways), scores.systems, values))
    return rankings


def _without(measure: Measure, name: str) -> tuple[str, str]:
    """Return the name of a measure without one of its parameters, and the value of that parameter."""
    if name not in measure.parameters():
        raise UsageError(f"{measure} has no parameter {name!r}; it has {list_names(list(measure.parameters()), 12)}")
    default: Any = {name: measure.parameters()[name][0]}
    return str(replace(measure, **default)), str(getattr(measure, name))


def ordinal(number: int) -> str:
    """Return 1st, 2nd, 3rd, 4th, 11th, 21st and so on."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
