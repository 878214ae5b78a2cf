"""Scores -> a chart of one of the kinds that there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from assay.charts.line_charts import budget, curve
from assay.charts.system_charts import heatmap, scatter
from assay.charts.topic_charts import differences, distribution
from assay.comparing.correlation import correlate
from assay.evaluation.score_table import ScoreTable

if TYPE_CHECKING:
    import altair as alt

CHARTS: dict[str, Callable[..., alt.LayerChart]] = {
    "curve": curve,
    "differences": differences,
    "distribution": distribution,
    "scatter": scatter,
    "heatmap": heatmap,
    "budget": budget,
}
# How many measures each kind of chart takes; None is any number, the usual ones where none are given.
KINDS = {"curve": 1, "differences": 1, "distribution": 1, "scatter": 2, "heatmap": None, "budget": 0}


def drawn(kind: str, scores: ScoreTable, measures: Sequence[Any], theme: str) -> alt.LayerChart:
    """A kind of chart of scores."""
    if kind == "heatmap":
        found = correlate(scores)
        return heatmap(found.ways, found.values, title=found.about(), theme=theme)
    if kind == "budget":
        return budget(scores, theme=theme)
    if kind == "scatter":
        return scatter(scores, measures[0], measures[1], theme=theme)
    if kind == "differences":
        return differences(scores, scores.systems[0], scores.systems[1], measures[0], theme=theme)
    return (curve if kind == "curve" else distribution)(scores, measures[0], theme=theme)
