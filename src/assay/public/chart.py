"""chart: runs x judgments -> a picture of their scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.charts.chart_kinds import Wishes
from assay.charts.drawing import chart_of_runs
from assay.public.scores import Scores, scores_of_evaluation

if TYPE_CHECKING:
    import altair as alt


def chart(
    judgments: Any,
    runs: Any,
    what: str | None = None,
    measures: Sequence[Any] = (),
    *,
    baseline: str | None = None,
    theme: str = "light",
    width: int | None = None,
    height: int | None = None,
    title: str | None = None,
    font_size: float | None = None,
    **rules: Any,
) -> tuple[alt.LayerChart, Scores]:
    """A chart of runs, and the scores that it shows.

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
    drawing, evaluation = chart_of_runs(judgments, runs, what, measures, wishes, rules)
    return drawing, scores_of_evaluation(evaluation)
