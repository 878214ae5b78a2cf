"""What is drawn where no chart or no measure is asked for: that depends on judgments, tasks and measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from assay.charts.chart_kinds import KINDS
from assay.errors import UsageError
from assay.evaluation.asked import of_task
from assay.evaluation.tasks import graded_task
from assay.measures.base import Measure
from assay.measures.curves import has_curve, is_plotted, without_cut
from assay.measures.notation import measures_of, parse
from assay.ranking.kinds import DOCUMENTS, ELEMENTS, SAMPLED, SUBTOPICS, TEXT, Kind

# What is drawn where nothing is asked for, and the curve that belongs to the judgments.
BY_DEFAULT = {TEXT: "budget", ELEMENTS: "curve", DOCUMENTS: "curve", SUBTOPICS: "curve", SAMPLED: "curve"}
CURVES = {TEXT: "iP", ELEMENTS: "nxCG", DOCUMENTS: "IPrec", SUBTOPICS: "IPrec", SAMPLED: "IPrec"}
# The measure whose curve a mean summarises.
SUMMARISED = {"Aep": "ep", "AiP": "iP", "AgP": "gP"}


@dataclass(frozen=True)
class Choice:
    """A chart by its name, the measures that it shows, and the rules that are left for the evaluation."""

    name: str
    measures: list[Measure]
    rules: dict[str, Any]


def refuse_other_words(what: str | None, baseline: str | None = None) -> None:
    """Refuses a chart that is not known, and a baseline where there is nothing to compare with it."""
    if what is not None and what not in KINDS:
        raise UsageError(f"unknown chart {what!r}; expected one of {', '.join(KINDS)}")
    if baseline is not None and not (what and KINDS[what].has_baseline):
        raise UsageError("a baseline is for a forest chart, which shows differences from it")


def choice_by_measures(what: str | None, given: Sequence[Any]) -> tuple[str, list[Measure]]:
    """The chart of some measures: the curve of one that has a curve, or else their means."""
    measures = measures_of(given)
    suited = "curve" if len(measures) == 1 and has_curve(measures[0]) else "means"
    return what or suited, measures


def choice_by_task(what: str | None, rules: dict[str, Any]) -> Choice:
    """The chart of a task, by its measures: without a word the curve that they are points of."""
    _, reported = of_task(rules["task"], rules.get("quant"), rules.get("alpha"))
    measures = measures_of(reported)
    # a task of assessed elements is its measures and nothing else, and an evaluation by others refuses it
    own = graded_task(rules["task"]) is not None
    left = {name: value for name, value in rules.items() if not (own and name in ("task", "quant", "alpha"))}
    name = what or "curve"
    return Choice(name, usual(name, measures, curve_among(measures)), left)


def choice_by_kind(what: str | None, judged: Kind, rules: dict[str, Any]) -> Choice:
    """The chart that suits what is judged."""
    name = what or BY_DEFAULT[judged]
    return Choice(name, usual(name, measures_of(judged.default_measures), parse(CURVES[judged])), rules)


def usual(name: str, measures: list[Measure], curved: Measure) -> list[Measure]:
    """Of some measures as many as a chart takes; `curved` is for a curve."""
    if name == "curve":
        return [curved]
    return measures_of(["R"]) if name == "budget" else measures[: KINDS[name].measures]


def usual_of_scores(name: str, measures: list[Measure]) -> list[Measure]:
    """Of the measures of scores those that a chart takes: for a curve the first that has one, and none for a budget."""
    if name == "curve":
        return [without_cut(measure) for measure in measures if is_plotted(measure)][:1]
    return [] if name == "budget" else measures[: KINDS[name].measures]


def curve_among(measures: list[Measure]) -> Measure:
    """The measure whose curve some measures are points or means of."""
    for measure in measures:
        cut = getattr(measure, measure.cutoff, None)
        if cut is not None and has_curve(without_cut(measure)):
            return without_cut(measure)
    summary = next(measure for measure in measures if type(measure).__name__ in SUMMARISED)
    plain = parse(SUMMARISED[type(summary).__name__])
    shared = {field.name for field in fields(plain)} & {field.name for field in fields(summary)} - {plain.cutoff}
    return replace(plain, **{name: getattr(summary, name) for name in shared})
