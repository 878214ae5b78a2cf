"""The kinds of chart: how many measures each takes, what has to be measured for it, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.charts.budget_curves import budget_lines, reading
from assay.charts.line_charts import budget, curve
from assay.charts.system_charts import heatmap, scatter
from assay.charts.topic_charts import differences, distribution
from assay.comparing.correlation import correlate
from assay.errors import InputError, UsageError
from assay.evaluation.measuring import Keep
from assay.evaluation.score_table import ScoreTable
from assay.measures.base import Measure
from assay.measures.curves import curve as curve_measures
from assay.ranking.kinds import DOCUMENTS, ELEMENTS, SAMPLED, SUBTOPICS, TEXT, Kind

if TYPE_CHECKING:
    import altair as alt

    from assay.evaluation.evaluated import Evaluation

    Draw = Callable[[ScoreTable, list[Measure], str], alt.LayerChart]
    DrawReadings = Callable[[Evaluation, list[Measure], str], alt.LayerChart]


@dataclass(frozen=True)
class ChartKind:
    """A kind of chart. `draw` makes it of scores, the measures that were asked for and a theme.

    `measures` is the number of measures it takes: None for any number, or for the usual ones where none are given;
    `usual` are taken where none are given. `measured` tells what has to be measured to draw it, where that is more
    than what was asked for. Where scores do not suffice, `keep` makes of each block of a run what else is needed, and
    `draw_readings` draws what was kept.
    """

    measures: int | None
    draw: Draw | None
    measured: Callable[[list[Measure]], list[Measure]] = list
    usual: tuple[str, ...] = ()
    keep: Keep | None = None
    draw_readings: DrawReadings | None = None

    def drawn(self, evaluation: Evaluation, measures: list[Measure], theme: str) -> alt.LayerChart:
        """The chart of an evaluation."""
        if self.draw_readings is not None:
            return self.draw_readings(evaluation, measures, theme)
        assert self.draw is not None
        return self.draw(evaluation.scores, measures, theme)

    def refuse_other_numbers(self, name: str, measures: int) -> None:
        """Refuses too many or too few measures."""
        if self.measures is not None and measures != self.measures and (measures or not self.usual):
            wanted = f"{self.measures} measure{'s' if self.measures != 1 else ''}"
            raise UsageError(f"a chart of kind {name} takes {wanted}, found {measures}")


def _curve(scores: ScoreTable, measures: list[Measure], theme: str) -> alt.LayerChart:
    return curve(scores, measures[0], theme=theme)


def _differences(scores: ScoreTable, measures: list[Measure], theme: str) -> alt.LayerChart:
    first, second = scores.systems
    return differences(scores, first, second, measures[0], theme=theme)


def _distribution(scores: ScoreTable, measures: list[Measure], theme: str) -> alt.LayerChart:
    return distribution(scores, measures[0], theme=theme)


def _scatter(scores: ScoreTable, measures: list[Measure], theme: str) -> alt.LayerChart:
    return scatter(scores, measures[0], measures[1], theme=theme)


def _heatmap(scores: ScoreTable, measures: list[Measure], theme: str) -> alt.LayerChart:
    correlation = correlate(scores, measures or None)
    return heatmap(correlation.ways, correlation.values, title=correlation.about(), theme=theme)


def _budget(evaluation: Evaluation, measures: list[Measure], theme: str) -> alt.LayerChart:
    if evaluation.shown is not TEXT:
        what = "a chart of kind budget needs highlighted text, and these judgments have none"
        raise InputError(what, evaluation.pool.judgments.name)
    return budget(budget_lines(evaluation, evaluation.kept, measures[0]), theme=theme)


KINDS = {
    "curve": ChartKind(1, _curve, lambda measures: curve_measures(measures[0])),
    "differences": ChartKind(1, _differences),
    "distribution": ChartKind(1, _distribution),
    "scatter": ChartKind(2, _scatter),
    "heatmap": ChartKind(None, _heatmap),
    "budget": ChartKind(1, None, usual=("R",), keep=reading, draw_readings=_budget),
}
# What is drawn where neither a kind nor a measure is asked for, by the kind of the judgments.
BY_DEFAULT: dict[Kind, tuple[str, tuple[str, ...]]] = {
    TEXT: ("budget", ("R",)),
    ELEMENTS: ("curve", ("nxCG",)),
    DOCUMENTS: ("curve", ("IPrec",)),
    SUBTOPICS: ("curve", ("IPrec",)),
    SAMPLED: ("curve", ("IPrec",)),
}
