"""chart: runs x judgments -> a picture of their scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.charts.chart_kinds import BY_DEFAULT, KINDS
from assay.errors import UsageError
from assay.evaluation.evaluated import evaluated
from assay.evaluation.named_runs import named_runs
from assay.formats.reading import opened_documents, read_judgments
from assay.measures.notation import measures_of
from assay.public.scores import Scores, scores_of_evaluation
from assay.ranking.kinds import kinds_of

if TYPE_CHECKING:
    import altair as alt


def chart(
    judgments: Any,
    runs: Any,
    kind: str | None = None,
    measures: Sequence[Any] = (),
    *,
    theme: str = "light",
    **rules: Any,
) -> tuple[alt.LayerChart, Scores]:
    """A chart of runs, and the scores that it shows.

    kind: curve (one measure over rank or recall), differences (of two runs, topic by topic), distribution (over
    topics), scatter (runs by two measures), heatmap (how alike measures rank runs) or budget (recall of text, or P or
    F, against the characters read, with bands of 95 % over topics). Without kind and measures: the budget for text,
    precision over recall for documents, nxCG for assessed elements. rules: as of `assay.evaluate`.
    """
    if kind is not None and kind not in KINDS:
        raise UsageError(f"unknown kind of chart {kind!r}; expected one of {', '.join(KINDS)}")
    if kind is None and not measures:
        collection = rules["documents"] = opened_documents(rules.get("documents"))
        judgments = read_judgments(judgments, rules.get("format"), collection, rules.get("pools"))
        kind, measures = BY_DEFAULT[kinds_of(judgments)[0]]
    name = kind or "curve"
    drawing = KINDS[name]
    drawing.refuse_other_numbers(name, len(measures))
    if name == "differences" and len(named_runs(runs)) != 2:
        raise UsageError(f"a chart of differences takes two runs, found {len(named_runs(runs))}")
    asked = measures_of(measures or drawing.usual) if measures or drawing.usual else []
    evaluation = evaluated(judgments, runs, drawing.measured(asked) or None, keep=drawing.keep, **rules)
    return drawing.draw(evaluation, asked, theme), scores_of_evaluation(evaluation)
