"""chart: runs x judgments, or scores -> a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.charts.chart_kinds import Wishes
from assay.charts.drawing import chart_of_runs
from assay.measures.notation import measures_of
from assay.public.scores import Scores
from assay.vocabulary import CHARTS

if TYPE_CHECKING:
    import altair as alt


def chart(
    judgments: Any,
    runs: Any = None,
    what: Any = None,
    measures: Any = (),
    *,
    baseline: str | None = None,
    theme: str = "light",
    width: int | None = None,
    height: int | None = None,
    title: str | None = None,
    font_size: float | None = None,
    **rules: Any,
) -> alt.LayerChart:
    """A chart of runs: `chart(judgments, runs, what, measures)`, or of scores: `chart(scores, what, measures)`.

    what: curve (one measure over rank or recall), budget (recall of text, or P or F, against the characters read, with
    bands of 95 % over topics), means (of each run, with 95 % intervals), forest (differences from the baseline, or of
    all pairs, with 95 % intervals), differences (of two runs, topic by topic), distribution (over topics),
    topic-heatmap (runs by topics), scatter (runs by two measures) or heatmap (how alike measures rank runs).
    Without what: the curve of the measure, to its cut-off, or the means, where it has no curve or there are several.
    Without measures: those of the task, or the usual ones. Without both: the curve of the task, or the budget for text,
    precision over recall for documents, nxCG for assessed elements.
    width and height are those of what the axes enclose, font_size that of labels, all in pixels. title: in place of the
    chart's own; where it is empty, there is none. theme: light or dark. rules: as of `assay.evaluate`.
    """
    wishes = Wishes(
        {"theme": theme, "width": width, "height": height, "title": title, "font_size": font_size}, baseline
    )
    if isinstance(judgments, Scores):
        # what stands behind scores are the word and the measures, unless they are named
        is_named = runs is None and (what is None or (isinstance(what, str) and what in CHARTS))
        told, named = (what, measures) if is_named else (runs, measures if what is None else what)
        return judgments.chart(told, named, baseline=baseline, **wishes.look)
    return chart_of_runs(judgments, runs, what, measures_of(measures) if measures else (), wishes, rules)[0]
