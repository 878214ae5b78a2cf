"""A chart of judgments and runs, or of scores: what is drawn where nothing is told, and what is measured for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.charts.chart_kinds import BY_DEFAULT, KINDS, ChartKind
from assay.errors import UsageError
from assay.evaluation.evaluated import evaluated
from assay.evaluation.given_inputs import GivenInputs
from assay.evaluation.named_runs import named_runs
from assay.evaluation.score_table import ScoreTable
from assay.formats.reading import opened_documents, read_judgments
from assay.measures.notation import measures_of
from assay.ranking.kinds import kinds_of

if TYPE_CHECKING:
    import altair as alt


def chart_of_runs(
    judgments: Any, runs: Any, kind: str | None, measures: Sequence[Any], theme: str, rules: dict[str, Any]
) -> tuple[alt.LayerChart, list[str]]:
    """A chart of runs, and what was decided on the way."""
    if kind is None and not measures:
        collection = rules["documents"] = opened_documents(rules.get("documents"))
        judgments = read_judgments(judgments, rules.get("format"), collection, rules.get("pools"))
        kind, measures = BY_DEFAULT[kinds_of(judgments)[0]]
    name, drawing = _kind(kind)
    drawing.refuse_other_numbers(name, len(measures))
    _refuse_other_pairs(name, len(named_runs(runs)))
    asked = measures_of(measures or drawing.usual) if measures or drawing.usual else []
    evaluation = evaluated(judgments, runs, drawing.measured(asked) or None, keep=drawing.keep, **rules)
    return drawing.drawn(evaluation, asked, theme), evaluation.scores.notes


def chart_of_scores(
    scores: ScoreTable, given: GivenInputs | None, kind: str | None, measures: Sequence[Any], theme: str
) -> alt.LayerChart:
    """A chart of scores; where more must be known than their values, that of what they were made of."""
    name, drawing = _kind(kind)
    asked = measures_of(measures) if measures else []
    if drawing.draw is not None and (kind is not None or asked):
        asked = asked or scores.measures[: drawing.measures]
        drawing.refuse_other_numbers(name, len(asked))
        _refuse_other_pairs(name, len(scores.systems))
        if {*map(str, drawing.measured(asked))} <= {*map(str, scores.measures)}:
            return drawing.draw(scores, asked, theme)
    if given is None:
        raise UsageError("these scores do not know what they were made of; give chart the judgments and the runs")
    return chart_of_runs(given.judgments, given.runs, kind, asked, theme, dict(given.rules))[0]


def _kind(name: str | None) -> tuple[str, ChartKind]:
    """A kind of chart by its name; a curve where none is told."""
    if name is not None and name not in KINDS:
        raise UsageError(f"unknown kind of chart {name!r}; expected one of {', '.join(KINDS)}")
    return name or "curve", KINDS[name or "curve"]


def _refuse_other_pairs(kind: str, runs: int) -> None:
    """Differences are of two runs."""
    if kind == "differences" and runs != 2:
        raise UsageError(f"a chart of differences takes two runs, found {runs}")
