"""The kinds of chart: how many measures each takes, what has to be measured for it, and how it is drawn of scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.charts.line_charts import budget, budget_measures, curve
from assay.charts.system_charts import heatmap, scatter
from assay.charts.topic_charts import differences, distribution
from assay.comparing.correlation import correlate
from assay.measures.base import Measure
from assay.measures.curves import curve as curve_measures

if TYPE_CHECKING:
    import altair as alt

    from assay.evaluation.score_table import ScoreTable

    Draw = Callable[[ScoreTable, list[Measure], str], alt.LayerChart]


@dataclass(frozen=True)
class ChartKind:
    """A kind of chart. `draw` makes it of scores, the measures that were asked for and a theme.

    `measures` is the number of measures it takes: None for any number, or for the usual ones where none are given.
    `measured` tells what has to be measured to draw it, where that is more than what was asked for.
    """

    measures: int | None
    draw: Draw
    measured: Callable[[list[Measure]], list[Measure]] = list


def _curve(scores: ScoreTable, measures: list[Measure], theme: str) -> alt.LayerChart:
    return curve(scores, measures[0], theme=theme)


def _differences(scores: ScoreTable, measures: list[Measure], theme: str) -> alt.LayerChart:
    return differences(scores, scores.systems[0], scores.systems[1], measures[0], theme=theme)


def _distribution(scores: ScoreTable, measures: list[Measure], theme: str) -> alt.LayerChart:
    return distribution(scores, measures[0], theme=theme)


def _scatter(scores: ScoreTable, measures: list[Measure], theme: str) -> alt.LayerChart:
    return scatter(scores, measures[0], measures[1], theme=theme)


def _heatmap(scores: ScoreTable, measures: list[Measure], theme: str) -> alt.LayerChart:
    correlation = correlate(scores)
    return heatmap(correlation.ways, correlation.values, title=correlation.about(), theme=theme)


def _budget(scores: ScoreTable, measures: list[Measure], theme: str) -> alt.LayerChart:
    return budget(scores, theme=theme)


KINDS = {
    "curve": ChartKind(1, _curve, lambda measures: curve_measures(measures[0])),
    "differences": ChartKind(1, _differences),
    "distribution": ChartKind(1, _distribution),
    "scatter": ChartKind(2, _scatter),
    "heatmap": ChartKind(None, _heatmap),
    "budget": ChartKind(0, _budget, lambda measures: budget_measures()),
}
