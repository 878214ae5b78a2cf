"""runs x judgments -> a chart: what a kind of chart needs is evaluated, and drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from assay.charts.line_charts import budget, budget_measures, curve
from assay.charts.system_charts import heatmap, scatter
from assay.charts.topic_charts import differences, distribution
from assay.comparing.correlation import correlate
from assay.errors import UsageError
from assay.evaluation.evaluate import evaluate, named_runs
from assay.evaluation.scores import Scores
from assay.measures.curves import curve as at_points
from assay.measures.notation import measures_of

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


def chart(
    judgments: Any, runs: Any, kind: str = "curve", measures: Sequence[Any] = (), *, theme: str = "light", **rules: Any
) -> tuple[alt.LayerChart, Scores]:
    """A chart of runs, and the scores that it shows.

    kind: curve (one measure over rank or recall), differences (of two runs, topic by topic), distribution (over topics), scatter
    (runs by two measures), heatmap (how alike measures rank runs) or budget (recall of text against characters read).
    rules: as of `assay.evaluate`.
    """
    if kind not in KINDS:
        raise UsageError(f"unknown kind of chart {kind!r}; expected one of {', '.join(KINDS)}")
    if KINDS[kind] is not None and len(measures) != KINDS[kind]:
        raise UsageError(f"a chart of kind {kind} takes {KINDS[kind]} measures, found {len(measures)}")
    if kind == "differences" and len(named_runs(runs)) != 2:
        raise UsageError(f"a chart of differences takes two runs, found {len(named_runs(runs))}")
    asked = measures_of(measures) if measures else None
    needed = at_points(measures[0]) if kind == "curve" else budget_measures() if kind == "budget" else asked
    scores = evaluate(judgments, runs, needed, **rules)
    return drawn(kind, scores, asked or [], theme), scores


def drawn(kind: str, scores: Scores, measures: Sequence[Any], theme: str) -> alt.LayerChart:
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
