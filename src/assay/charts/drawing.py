"""A chart of judgments and runs, or of scores: what is drawn where nothing is told, and what is measured for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.charts.chart_kinds import KINDS, Wishes
from assay.charts.choosing import (
    Choice,
    choice_by_kind,
    choice_by_measures,
    choice_by_task,
    refuse_other_words,
    usual_of_scores,
)
from assay.errors import UsageError
from assay.evaluation.evaluated import evaluated
from assay.evaluation.given_inputs import GivenInputs
from assay.evaluation.named_runs import named_runs
from assay.evaluation.score_table import ScoreTable
from assay.formats.foreign import held
from assay.formats.reading import opened_documents, read_judgments
from assay.ranking.kinds import kinds_of

if TYPE_CHECKING:
    import altair as alt


def chart_of_runs(
    judgments: Any, runs: Any, what: str | None, measures: Sequence[Any], wishes: Wishes, rules: dict[str, Any]
) -> tuple[alt.LayerChart, list[str]]:
    """A chart of runs, and what was decided on the way."""
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
    runs = held(runs)
    refuse_other_pairs(choice.name, len(named_runs(runs)))
    measured = [*drawing.measured(choice.measures), *drawing.beside(choice.measures)]
    evaluation = evaluated(judgments, runs, measured, keep=drawing.keep, **choice.rules)
    return drawing.drawn(evaluation, choice.measures, wishes), evaluation.scores.notes


def chart_of_scores(
    scores: ScoreTable, given: GivenInputs | None, what: str | None, measures: Sequence[Any], wishes: Wishes
) -> alt.LayerChart:
    """A chart of scores; where more must be known than their values, that of what they were made of."""
    refuse_other_words(what, wishes.baseline)
    if measures:
        name, asked = choice_by_measures(what, measures)
    else:
        name, asked = what or "", usual_of_scores(what, scores.measures) if what else []
    if asked and (drawing := KINDS[name]).draw is not None:
        drawing.refuse_other_numbers(name, len(asked))
        refuse_other_pairs(name, len(scores.systems))
        if {*map(str, drawing.measured(asked))} <= {*map(str, scores.measures)}:
            return drawing.draw(scores, asked, wishes)
    if given is None:
        raise UsageError("these scores do not know what they were made of; give chart the judgments and the runs")
    return chart_of_runs(given.judgments, given.runs, what, asked, wishes, dict(given.rules))[0]


def refuse_other_pairs(name: str, runs: int) -> None:
    """Differences are of two runs."""
    if name == "differences" and runs != 2:
        raise UsageError(f"a differences chart takes two runs, found {runs}")
