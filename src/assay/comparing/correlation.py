"""How far measures agree on which systems are better: correlations between their rankings of systems, and the upsets,
which are the systems that two measures rank most differently."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import combinations
from typing import Any

import numpy as np

from assay.comparing.coefficients import COEFFICIENTS, OF_SCORES
from assay.errors import UsageError, counted, listed
from assay.evaluation.score_table import ScoreTable
from assay.measures.base import Measure
from assay.measures.notation import measures_of
from assay.showing.layout import render
from assay.tables.ids import Floats, Ints


@dataclass(frozen=True)
class Upset:
    """A system that two measures rank differently; `task` names the rankings, if there are several."""

    system: str
    first: str
    first_rank: int
    second: str
    second_rank: int
    task: str = ""

    @property
    def by(self) -> int:
        """How many ranks lie between the two."""
        return abs(self.first_rank - self.second_rank)

    def __str__(self) -> str:
        ranks = f"{ordinal(self.first_rank)} by {self.first}, {ordinal(self.second_rank)} by {self.second}"
        return f"{self.system}: {ranks}{f' ({self.task})' if self.task else ''}"


@dataclass(frozen=True, eq=False)
class Rankings:
    """The same systems, of one task, ranked in several ways: each by a row of scores[way, system]."""

    task: str
    ways: list[str]
    systems: list[str]
    scores: Floats

    @property
    def tied(self) -> Floats:
        """The scores to 12 decimals, so that those that differ by rounding alone are tied."""
        return np.round(self.scores, 12)

    def by(self, way: str, exact: bool) -> Floats:
        """The scores by which one of the ways ranks the systems: all digits, where they are not all tied, or tied ones.
        """
        number = self.ways.index(way)
        tied = self.tied[number]
        return self.scores[number] if exact and np.ptp(tied) > 0 else tied

    def ranks(self) -> Ints:
        """The rank of each system in each way; tied ones all have the first of their ranks."""
        return (self.tied[:, None, :] > self.tied[:, :, None]).sum(axis=2) + 1


@dataclass(frozen=True, eq=False, repr=False)
class Correlation:
    """How far ways to rank systems agree: values[first, second] is the mean of the coefficient over `rankings`.

    The ways are measures, or values of a parameter. The table that is shown is the lower triangle.
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
                raise UsageError(f"{name} is not in the table; there are {listed(self.ways, 12)}")
        first, second = (self.ways.index(name) for name in names)
        return float(self.values[first, second])

    def upsets(self, most: int = 5) -> list[Upset]:
        """The systems whose ranks differ most between two ways, the greatest difference first."""
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
        """What was correlated, in one line."""
        numbers = sorted({len(ranked.systems) for ranked in self.rankings})
        systems = counted(numbers[0], "system") if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]} systems"
        name = f"rbo (p = {self.p:g})" if self.coefficient == "rbo" else self.coefficient
        several = f", mean of {len(self.rankings)}" if len(self.rankings) > 1 else ""
        what = "scores" if self.coefficient in OF_SCORES else "rankings"
        return f"{name} between {what} of {systems}{several}"

    @property
    def notes(self) -> list[str]:
        """The greatest upsets, a line each."""
        return [str(upset) for upset in self.upsets()]

    def show(self, layout: str = "text", digits: int = 4) -> str:
        """The lower triangle as text, tsv, csv, json, md, latex or html."""
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

    def __repr__(self) -> str:
        return "\n".join([self.show().rstrip(), *self.notes])

    def _repr_html_(self) -> str:
        return self.show("html") + "".join(f"<p><small>{escape(note)}</small></p>" for note in self.notes)


def of_either_overlap(scores: ScoreTable) -> ScoreTable:
    """The scores with every measure named as if its task counted overlap, so that it has one name in all tasks.

    Scores that have a measure both with and without overlap are left as they are.
    """
    measures = [
        replace(measure, overlap="on") if hasattr(measure, "overlap") else measure  # type: ignore[call-arg]
        for measure in scores.measures
    ]
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
    """How far measures agree on the order of systems.

    Of several scores, one for each task, it is the mean over the tasks; a measure that counts overlap in one task and
    not in another is the same measure there. `over` names a parameter, such as quant, over whose values the mean is
    taken as well (INEX 2005, table 1). `by` names a parameter whose values are compared instead of measures; the mean
    is then taken over the measures (table 2). `p` is that of rbo.
    """
    if coefficient not in COEFFICIENTS:
        raise UsageError(f"unknown coefficient {coefficient!r}; there are {', '.join(COEFFICIENTS)}")
    if by is not None and over is not None:
        raise UsageError("by and over exclude each other: a parameter is compared, or averaged over")
    tasks = by_task(scores)
    if not tasks:
        raise UsageError("no scores to correlate")
    if len(tasks) > 1:
        tasks = {task: of_either_overlap(of_task) for task, of_task in tasks.items()}
    asked = next(iter(tasks.values())).measures if measures is None else measures_of(measures)
    rankings = [ranked for task, of_task in tasks.items() for ranked in _rankings(task, of_task, asked, by, over)]
    ways = list(dict.fromkeys(way for ranked in rankings for way in ranked.ways))
    if len(ways) < 2:
        what = f"values of {by}" if by else "measures"
        raise UsageError(f"a correlation needs two {what} or more; there is {listed(ways)}")
    values = np.eye(len(ways))
    for a, b in combinations(range(len(ways)), 2):
        values[a, b] = values[b, a] = _mean(rankings, ways[a], ways[b], coefficient, p)
    return Correlation(coefficient, ways, values, rankings, p)


def by_task(scores: ScoreTable | Sequence[ScoreTable] | Mapping[str, ScoreTable]) -> dict[str, ScoreTable]:
    """Scores by the name of their task: task 1, task 2 and on where they have none, an empty one for a task alone."""
    if isinstance(scores, ScoreTable):
        return {"": scores}
    if isinstance(scores, Mapping):
        return dict(scores)
    return {f"task {number}": of_task for number, of_task in enumerate(scores, 1)}


def _mean(rankings: list[Rankings], first: str, second: str, coefficient: str, p: float) -> float:
    """The mean of a coefficient over the rankings that have both ways."""
    both, exact = [ranked for ranked in rankings if {first, second} <= {*ranked.ways}], coefficient in OF_SCORES
    values = [COEFFICIENTS[coefficient](ranked.by(first, exact), ranked.by(second, exact), p) for ranked in both]
    return math.fsum(values) / len(values) if values else math.nan


def _rankings(
    task: str, scores: ScoreTable, measures: list[Measure], by: str | None, over: str | None
) -> list[Rankings]:
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
    rankings = []
    for group, ways in groups.items():
        values = np.array([[scores[system, measure] for system in scores.systems] for measure in ways.values()])
        rankings.append(Rankings(", ".join(filter(None, [task, group])), list(ways), scores.systems, values))
    return rankings


def _without(measure: Measure, name: str) -> tuple[str, str]:
    """The name of a measure without one of its parameters, and the value of that parameter."""
    if name not in measure.parameters():
        raise UsageError(f"{measure} has no parameter {name!r}; it has {listed(list(measure.parameters()), 12)}")
    default: Any = {name: measure.parameters()[name][0]}
    return str(replace(measure, **default)), str(getattr(measure, name))


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th, 21st."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
