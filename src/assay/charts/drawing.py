"""A chart of judgments and runs: what is drawn where nothing is told, and what is measured for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.charts.chart_kinds import KINDS, Wishes
from assay.charts.choosing import Choice, choice_by_kind, choice_by_measures, choice_by_task, refuse_other_words
from assay.errors import UsageError
from assay.evaluation.evaluated import Evaluation, evaluated
from assay.evaluation.named_runs import named_runs
from assay.formats.reading import opened_documents, read_judgments
from assay.ranking.kinds import kinds_of

if TYPE_CHECKING:
    import altair as alt


def chart_of_runs(
    judgments: Any, runs: Any, what: str | None, measures: Sequence[Any], wishes: Wishes, rules: dict[str, Any]
) -> tuple[alt.LayerChart, Evaluation]:
    """A chart of runs, and the evaluation that it shows."""
    refuse_other_words(what, wishes.baseline)
    if measures:
        choice = Choice(*choice_by_measures(what, measures), rules)
    elif rules.get("task"):
        choice = choice_by_task(what, rules)
    else:
        collection = rules["documents"] = opened_documents(rules.get("documents"))
        judgments = read_judgments(judgments, rules.get("format"), collection, rules.get("pools"))
        choice = choice_by_kind(what, kinds_of(judgments)[0], rules)
    drawing = KINDS[choice.name]
    drawing.refuse_other_numbers(choice.name, len(choice.measures))
    refuse_other_pairs(choice.name, len(named_runs(runs)))
    measured = [*drawing.measured(choice.measures), *drawing.beside(choice.measures)]
    evaluation = evaluated(judgments, runs, measured, keep=drawing.keep, **choice.rules)
    return drawing.drawn(evaluation, choice.measures, wishes), evaluation


def refuse_other_pairs(name: str, runs: int) -> None:
    """Differences are of two runs."""
    if name == "differences" and runs != 2:
        raise UsageError(f"a differences chart takes two runs, found {runs}")
