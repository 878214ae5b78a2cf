"""chart: runs x judgments -> a chart. What a kind of chart needs is evaluated, and drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.charts.chart_kinds import KINDS
from assay.errors import UsageError
from assay.evaluation.named_runs import named_runs
from assay.measures.notation import measures_of
from assay.public.evaluate import evaluate
from assay.public.scores import Scores

if TYPE_CHECKING:
    import altair as alt


def chart(
    judgments: Any, runs: Any, kind: str = "curve", measures: Sequence[Any] = (), *, theme: str = "light", **rules: Any
) -> tuple[alt.LayerChart, Scores]:
    """A chart of runs, and the scores that it shows.

    kind: curve (one measure over rank or recall), differences (of two runs, topic by topic), distribution (over
    topics), scatter (runs by two measures), heatmap (how alike measures rank runs) or budget (recall of text against
    characters read). rules: as of `assay.evaluate`.
    """
    if kind not in KINDS:
        raise UsageError(f"unknown kind of chart {kind!r}; expected one of {', '.join(KINDS)}")
    number = KINDS[kind].measures
    if number is not None and len(measures) != number:
        raise UsageError(f"a chart of kind {kind} takes {number} measures, found {len(measures)}")
    if kind == "differences" and len(named_runs(runs)) != 2:
        raise UsageError(f"a chart of differences takes two runs, found {len(named_runs(runs))}")
    asked = measures_of(measures) if measures else []
    scores = evaluate(judgments, runs, KINDS[kind].measured(asked) or None, **rules)
    return KINDS[kind].draw(scores, asked, theme), scores
