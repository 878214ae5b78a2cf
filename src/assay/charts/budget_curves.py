"""What is found against what is read: exact at the end of every result, with bands of what other topics might give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.charts.style import BESIDE
from assay.comparing.resampling import bootstrapped
from assay.errors import UsageError
from assay.evaluation.evaluated import Evaluation
from assay.evaluation.measuring import Measuring
from assay.measures.base import Measure
from assay.measures.sets import F, P, R
from assay.ranking.align import Aligned
from assay.ranking.document_ranking import ratio
from assay.ranking.kinds import Kind
from assay.tables.ids import Floats, Ints

if TYPE_CHECKING:
    from assay.ranking.text_ranking import TextRanking

SAMPLES, CONFIDENCE = 1000, 0.95
# A line has no more points than can be told apart, spread evenly over the logarithm of what was read.
MOST_POINTS = 200


@dataclass(frozen=True, eq=False, repr=False)
class BudgetReading:
    """When a reader of some topics of a run comes upon highlighted text.

    `ends` is how much was read at the end of each result, `last` at the end of each topic's list. Of each stretch of
    highlighted text that was not seen before: `topic`, its place among the topics, `before`, how much was read before
    it, and `size`.
    """

    topics: Ints
    ends: Ints
    last: Ints
    topic: Ints
    before: Ints
    size: Ints

    def found(self, place: int, points: Ints) -> Floats:
        """How much highlighted text of a topic was seen when so many characters were read."""
        first, last = np.searchsorted(self.topic, [place, place + 1])
        before, size = self.before[first:last], self.size[first:last]
        if not len(size):
            return np.zeros(len(points))
        seen = np.append(0, np.cumsum(size))
        read = np.stack((before, before + size), axis=1).ravel()
        return np.interp(points, read, np.stack((seen[:-1], seen[1:]), axis=1).ravel())


def reading(measuring: Measuring, kind: Kind, aligned: Aligned) -> BudgetReading | None:
    """When the reader of a block comes upon highlighted text; None where whole documents were ranked."""
    from assay.ranking.text_ranking import TextRanking

    if not isinstance(aligned.ranking, TextRanking):
        return None
    return of_ranking(aligned.ranking)


def of_ranking(ranking: TextRanking) -> BudgetReading:
    """When the reader of a ranking comes upon highlighted text."""
    return BudgetReading(ranking.topics, ranking.read, ranking.total(ranking.size), *ranking.newly_found)


@dataclass(frozen=True, eq=False, repr=False)
class BudgetLine:
    """The values of a run at numbers of characters; `low` and `high` enclose what other topics might give."""

    points: list[int]
    values: list[float]
    low: list[float] | None
    high: list[float] | None


@dataclass(frozen=True, eq=False, repr=False)
class BudgetLines:
    """A measure of all runs over the characters that are read."""

    systems: list[str]
    measure: Measure
    points: list[int]
    lines: list[BudgetLine]
    topics: int
    seed: int

    def about(self) -> str:
        """How the bands came about; nothing where there are none."""
        if all(line.low is None for line in self.lines):
            return ""
        return f"bands: {CONFIDENCE:.0%} of {SAMPLES:,} bootstrap samples of the topics, seed {self.seed}"


def budget_lines(
    evaluation: Evaluation, readings: dict[str, list[BudgetReading]], measure: Measure, seed: int = 0
) -> BudgetLines:
    """The line of each run, from the end of the shortest first result to where its longest list ends."""
    refuse_other_measures(measure)
    scores, base = evaluation.scores, evaluation.pool.text.total
    ends = [np.concatenate([reading.ends for reading in readings[system]]) for system in scores.systems]
    points = thinned(ends)
    counts = ~np.isnan(scores.values[:, 0])
    bands = len(scores.systems) <= BESIDE
    lines = []
    for number, system in enumerate(scores.systems):
        own = points[points <= ends[number].max(initial=0)]
        values = values_at(readings[system], own, base, measure)
        lines.append(means_with_band(values[counts[number]], own, seed, bands))
    return BudgetLines(scores.systems, measure, points.tolist(), lines, int(counts.any(axis=0).sum()), seed)


def recall(measure: Any, highlighted: Floats, read: Ints, base: Ints) -> Floats:
    """Of what is highlighted the share that was found."""
    return ratio(highlighted, base)


def precision(measure: Any, highlighted: Floats, read: Ints, base: Ints) -> Floats:
    """Of what was read the share that is highlighted."""
    return ratio(highlighted, read)


def f_measure(measure: Any, highlighted: Floats, read: Ints, base: Ints) -> Floats:
    """The harmonic mean of both."""
    return ratio((1 + measure.beta**2) * highlighted, measure.beta**2 * base + read)


FORMULAS: dict[type[Measure], Callable[[Any, Floats, Ints, Ints], Floats]] = {R: recall, P: precision, F: f_measure}


def refuse_other_measures(measure: Measure) -> None:
    """A measure that is drawn is told by what was found and what was read, and has no cut-off of its own."""
    plain = type(measure)(beta=measure.beta) if isinstance(measure, F) else type(measure)()
    if type(measure) not in FORMULAS or measure != plain:
        raise UsageError(f"{measure} is not drawn against the characters that are read; expected R, P or F")


def thinned(ends: list[Ints]) -> Ints:
    """The ends of results at which lines have points: all where they are few, and always the last of each run."""
    every = np.unique(np.concatenate(ends))
    every = every[every > 0]
    if len(every) < 2:
        # a line needs another end
        return np.append(0, every)
    if len(every) <= MOST_POINTS:
        return every
    near = np.searchsorted(every, np.geomspace(every[0], every[-1], MOST_POINTS)).clip(max=len(every) - 1)
    return np.unique(np.concatenate((every[near], [own.max() for own in ends if own.any()])))


def values_at(readings: list[BudgetReading], points: Ints, base: Ints, measure: Measure) -> Floats:
    """The values of all topics at some numbers of characters: values[topic, point]; 0 for what is not in the run."""
    highlighted, last = np.zeros((len(base), len(points))), np.zeros(len(base), np.int64)
    for reading in readings:
        last[reading.topics] = reading.last
        for place, topic in enumerate(reading.topics.tolist()):
            highlighted[topic] = reading.found(place, points)
    read = np.minimum(points, last[:, None])
    return FORMULAS[type(measure)](measure, highlighted, read, np.broadcast_to(base[:, None], highlighted.shape))


def means_with_band(values: Floats, points: Ints, seed: int, bands: bool) -> BudgetLine:
    """The mean over topics at each point, and where asked for the band in which the means of drawn topics lie."""
    mean = values.mean(axis=0) if len(values) else np.zeros(len(points))
    low = high = None
    if bands and len(values) > 1 and len(points):
        drawn = bootstrapped(np.ascontiguousarray(values.T), SAMPLES, seed)
        low, high = np.quantile(drawn, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=1).tolist()
    return BudgetLine(points.tolist(), mean.tolist(), low, high)
