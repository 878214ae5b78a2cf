"""chart: runs x judgments, or scores -> a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.charts.drawing import chart_of_runs
from assay.measures.notation import measures_of
from assay.public.scores import Scores
from assay.vocabulary import CHARTS

if TYPE_CHECKING:
    import altair as alt


def chart(
    judgments: Any,
    runs: Any = None,
    kind: Any = None,
    measures: Any = (),
    *,
    theme: str = "light",
    **rules: Any,
) -> alt.LayerChart:
    """A chart of runs: `chart(judgments, runs, kind, measures)`, or of scores: `chart(scores, kind, measures)`.

    kind: curve (one measure over rank or recall), differences (of two runs, topic by topic), distribution (over
    topics), scatter (runs by two measures), heatmap (how alike measures rank runs) or budget (recall of text, or P or
    F, against the characters read, with bands of 95 % over topics). Without kind and measures: the budget for text,
    precision over recall for documents, nxCG for assessed elements. rules: as of `assay.evaluate`.
    """
    if isinstance(judgments, Scores):
        # what stands behind scores are the kind and the measures, unless they are named
        is_named = runs is None and (kind is None or (isinstance(kind, str) and kind in CHARTS))
        told, named = (kind, measures) if is_named else (runs, measures if kind is None else kind)
        return judgments.chart(told, named, theme=theme)
    return chart_of_runs(judgments, runs, kind, measures_of(measures) if measures else (), theme, rules)[0]
