"""The charts: how many measures each takes, what has to be measured for it, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.charts.budget_curves import budget_lines, reading
from assay.charts.heat_maps import heatmap, topic_heatmap
from assay.charts.interval_charts import forest, means
from assay.charts.line_charts import budget, curve
from assay.charts.list_lengths import ListLength
from assay.charts.style import LookAsked
from assay.charts.system_charts import scatter
from assay.charts.topic_charts import differences, distribution
from assay.comparing.correlation import correlate
from assay.errors import InputError, UsageError
from assay.evaluation.measuring import Keep
from assay.evaluation.score_table import ScoreTable
from assay.measures.base import Measure
from assay.measures.curves import curve as curve_measures
from assay.ranking.kinds import TEXT

if TYPE_CHECKING:
    import altair as alt

    from assay.evaluation.evaluated import Evaluation

    Draw = Callable[["ScoreTable", list[Measure], "Wishes"], alt.LayerChart]
    DrawReadings = Callable[["Evaluation", list[Measure], "Wishes"], alt.LayerChart]


@dataclass(frozen=True)
class Wishes:
    """How a chart shall look, and the run that others are compared with, where there is one."""

    look: LookAsked
    baseline: str | None = None


@dataclass(frozen=True)
class ChartKind:
    """A chart. `draw` makes it of scores, the measures that were asked for, and wishes.

    `measures` is the number of measures it takes, None for any number. `measured` tells what has to be measured to draw
    it, where that is more than what was asked for, and `beside` what is measured too where runs are, and may be
    missing in scores. Where scores do not suffice, `keep` makes of each block of a run what else is needed, and
    `draw_readings` draws what was kept. `has_baseline` says whether runs can be compared with one of them.
    """

    measures: int | None
    draw: Draw | None
    measured: Callable[[list[Measure]], list[Measure]] = list
    beside: Callable[[list[Measure]], list[Measure]] = lambda measures: []
    keep: Keep | None = None
    draw_readings: DrawReadings | None = None
    has_baseline: bool = False

    def drawn(self, evaluation: Evaluation, measures: list[Measure], wishes: Wishes) -> alt.LayerChart:
        """The chart of an evaluation."""
        if self.draw_readings is not None:
            return self.draw_readings(evaluation, measures, wishes)
        assert self.draw is not None
        return self.draw(evaluation.scores, measures, wishes)

    def refuse_other_numbers(self, name: str, measures: int) -> None:
        """Refuses too many or too few measures."""
        if self.measures is not None and measures != self.measures:
            wanted = f"{self.measures} measure{'s' if self.measures != 1 else ''}"
            raise UsageError(f"a {name} chart takes {wanted}, found {measures}")


def _curve(scores: ScoreTable, measures: list[Measure], wishes: Wishes) -> alt.LayerChart:
    return curve(scores, measures[0], **wishes.look)


def _differences(scores: ScoreTable, measures: list[Measure], wishes: Wishes) -> alt.LayerChart:
    first, second = scores.systems
    return differences(scores, first, second, measures[0], **wishes.look)


def _distribution(scores: ScoreTable, measures: list[Measure], wishes: Wishes) -> alt.LayerChart:
    return distribution(scores, measures[0], **wishes.look)


def _scatter(scores: ScoreTable, measures: list[Measure], wishes: Wishes) -> alt.LayerChart:
    return scatter(scores, measures[0], measures[1], **wishes.look)


def _heatmap(scores: ScoreTable, measures: list[Measure], wishes: Wishes) -> alt.LayerChart:
    correlation = correlate(scores, measures or None)
    return heatmap(correlation.ways, correlation.values, about=correlation.about(), **wishes.look)


def _topic_heatmap(scores: ScoreTable, measures: list[Measure], wishes: Wishes) -> alt.LayerChart:
    return topic_heatmap(scores, measures[0], **wishes.look)


def _means(scores: ScoreTable, measures: list[Measure], wishes: Wishes) -> alt.LayerChart:
    return means(scores, measures or scores.measures, **wishes.look)


def _forest(scores: ScoreTable, measures: list[Measure], wishes: Wishes) -> alt.LayerChart:
    return forest(scores, measures[0], wishes.baseline, **wishes.look)


def _budget(evaluation: Evaluation, measures: list[Measure], wishes: Wishes) -> alt.LayerChart:
    if evaluation.shown is not TEXT:
        what = "a budget chart needs highlighted text, and these judgments have none"
        raise InputError(what, evaluation.pool.judgments.name)
    return budget(budget_lines(evaluation, evaluation.kept, measures[0]), **wishes.look)


def _lengths(measures: list[Measure]) -> list[Measure]:
    """The lengths of lists, which tell where an axis of ranks ends."""
    return [ListLength(unit=measures[0].unit)]


KINDS = {
    "curve": ChartKind(1, _curve, lambda measures: curve_measures(measures[0]), _lengths),
    "budget": ChartKind(1, None, keep=reading, draw_readings=_budget),
    "means": ChartKind(None, _means),
    "forest": ChartKind(1, _forest, has_baseline=True),
    "differences": ChartKind(1, _differences),
    "distribution": ChartKind(1, _distribution),
    "topic-heatmap": ChartKind(1, _topic_heatmap),
    "scatter": ChartKind(2, _scatter),
    "heatmap": ChartKind(None, _heatmap),
}
