"""Draw a chart of judgments and runs, or of scores: choose a chart if none is named, and evaluate what it needs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import altair as alt

from assay.charts.curves import ListLength, budget, budget_lines, curve, ideal_measures, reading
from assay.charts.heat_maps import heatmap, topic_heatmap
from assay.charts.intervals import Version, forest, history, means
from assay.charts.saving import for_notebooks
from assay.charts.scatter import scatter
from assay.charts.style import LookAsked
from assay.charts.topics import differences, distribution
from assay.comparing.correlation import correlate
from assay.errors import InputError, UsageError
from assay.evaluation.check_by_people import checked_evaluation
from assay.evaluation.evaluate import Evaluation, evaluate_runs, of_task
from assay.evaluation.measuring import Keep
from assay.evaluation.score_files import saved_scores
from assay.evaluation.score_table import GivenInputs, ScoreTable
from assay.evaluation.tasks import graded_task
from assay.files.source import Source
from assay.measures.base import Measure
from assay.measures.curves import curve as curve_measures
from assay.measures.curves import has_curve, is_plotted, without_cut
from assay.measures.notation import measures_of, parse
from assay.ranking.kinds import DOCUMENTS, ELEMENTS, SAMPLED, SUBTOPICS, TEXT, Kind, kinds_of
from assay.reading.given import given_runs
from assay.reading.read import opened_documents, read_judgments

if TYPE_CHECKING:
    from assay.evaluation.provenance import Provenance

    Draw = Callable[["ScoreTable", list[Measure], "ChartOptions"], alt.LayerChart]
    DrawReadings = Callable[["Evaluation", list[Measure], "ChartOptions"], alt.LayerChart]
    from assay.reading.input_types import JudgmentsLike, RunsLike


# The charts: how many measures each takes, what must be evaluated for it, and how it is drawn.


@dataclass(frozen=True)
class ChartOptions:
    """How a chart should look, and the baseline to compare with, if there is one."""

    look: LookAsked
    baseline: str | None = None


@dataclass(frozen=True)
class ChartKind:
    """A kind of chart. `draw` makes the chart from scores, the measures that were asked for, and options.

    `measures` is the number of measures that the chart takes; None for any number. `measured` returns the measures that
    the chart needs. `beside` returns further measures that runs are evaluated by; scores may lack them. If scores are
    not enough, `keep` keeps what else is needed from each block of a run, and `draw_readings` draws it. `has_baseline`:
    whether runs can be compared with a baseline.
    """

    measures: int | None
    draw: Draw | None
    measured: Callable[[list[Measure]], list[Measure]] = list
    beside: Callable[[list[Measure]], list[Measure]] = lambda measures: []
    keep: Keep | None = None
    draw_readings: DrawReadings | None = None
    has_baseline: bool = False

    def drawn(self, evaluation: Evaluation, measures: list[Measure], options: ChartOptions) -> alt.LayerChart:
        """Return the chart of an evaluation."""
        if self.draw_readings is not None:
            return self.draw_readings(evaluation, measures, options)
        assert self.draw is not None
        return self.draw(evaluation.scores, measures, options)

    def refuse_other_numbers(self, name: str, measures: int) -> None:
        """Refuse too many or too few measures."""
        if self.measures is not None and measures != self.measures:
            wanted = f"{self.measures} measure{'s' if self.measures != 1 else ''}"
            raise UsageError(f"a {name} chart takes {wanted}, found {measures}")


def _of_measures(chart: Callable[..., alt.LayerChart]) -> Draw:
    """Return how to draw a chart that takes nothing but the scores and its measures."""
    return lambda scores, measures, options: chart(scores, *measures, **options.look)


def _differences(scores: ScoreTable, measures: list[Measure], options: ChartOptions) -> alt.LayerChart:
    first, second = scores.systems
    return differences(scores, first, second, measures[0], **options.look)


def _heatmap(scores: ScoreTable, measures: list[Measure], options: ChartOptions) -> alt.LayerChart:
    correlation = correlate(scores, measures or None)
    return heatmap(correlation.ways, correlation.values, about=correlation.about(), **options.look)


def _means(scores: ScoreTable, measures: list[Measure], options: ChartOptions) -> alt.LayerChart:
    return means(scores, measures or scores.measures, **options.look)


def _forest(scores: ScoreTable, measures: list[Measure], options: ChartOptions) -> alt.LayerChart:
    return forest(scores, measures[0], options.baseline, **options.look)


def _budget(evaluation: Evaluation, measures: list[Measure], options: ChartOptions) -> alt.LayerChart:
    if evaluation.shown is not TEXT:
        what = "a budget chart needs highlighted text, but these judgments have none"
        raise InputError(what, evaluation.pool.judgments.name)
    return budget(budget_lines(evaluation, evaluation.kept, measures[0]), **options.look)


def _lengths(measures: list[Measure]) -> list[Measure]:
    """Return the measures for the lengths of lists, which end an axis of ranks, and for the ideal ranking."""
    return [ListLength(unit=measures[0].unit), *ideal_measures(measures[0])]


KINDS = {
    "curve": ChartKind(1, _of_measures(curve), lambda measures: curve_measures(measures[0]), _lengths),
    "budget": ChartKind(1, None, keep=reading, draw_readings=_budget),
    "means": ChartKind(None, _means),
    "forest": ChartKind(1, _forest, has_baseline=True),
    "differences": ChartKind(1, _differences),
    "distribution": ChartKind(1, _of_measures(distribution)),
    "topic-heatmap": ChartKind(1, _of_measures(topic_heatmap)),
    "scatter": ChartKind(2, _of_measures(scatter)),
    "heatmap": ChartKind(None, _heatmap),
}
# The chart of several saved scores; it is drawn neither from runs nor from one table of scores.
HISTORY = "history"


# What to draw if no chart or no measure is named: that depends on judgments, tasks and measures.

# The chart if nothing is named, and the curve, by what is judged.
BY_DEFAULT = {TEXT: "budget", ELEMENTS: "curve", DOCUMENTS: "curve", SUBTOPICS: "curve", SAMPLED: "curve"}
CURVES = {TEXT: "iP", ELEMENTS: "nxCG", DOCUMENTS: "iP", SUBTOPICS: "iP", SAMPLED: "iP"}
# The measure whose curve each of these means summarises.
SUMMARISED = {"Aep": "ep", "AiP": "iP", "AgP": "gP"}


@dataclass(frozen=True)
class Choice:
    """The name of a chart, the measures that it shows, and the remaining rules of the evaluation."""

    name: str
    measures: list[Measure]
    rules: dict[str, Any]


def refuse_other_words(what: str | None, baseline: str | None = None) -> None:
    """Refuse an unknown chart, and a baseline for a chart that does not compare with one."""
    if what == HISTORY:
        raise UsageError("a history chart shows several saved scores; expected a list of them, or of their files")
    if what is not None and what not in KINDS:
        raise UsageError(f"unknown chart {what!r}; choose from {', '.join([*KINDS, HISTORY])}")
    if baseline is not None and not (what and KINDS[what].has_baseline):
        raise UsageError("a baseline works only with a forest chart")


def choice_by_measures(what: str | None, given: Sequence[Any]) -> tuple[str, list[Measure]]:
    """Choose the chart for some measures: the curve if there is one measure and it has a curve, otherwise the means."""
    measures = measures_of(given)
    suited = "curve" if len(measures) == 1 and has_curve(measures[0]) else "means"
    return what or suited, measures


def choice_by_task(what: str | None, rules: dict[str, Any]) -> Choice:
    """Choose the chart of a task by its measures; by default the curve on which their cut-offs are points."""
    _, reported = of_task(rules["task"], rules.get("quant"), rules.get("alpha"), rules.get("year"))
    measures = measures_of(reported)
    # a task of assessed elements consists only of its measures, and refuses to evaluate others
    own = graded_task(rules["task"]) is not None
    left = {name: value for name, value in rules.items() if not (own and name in ("task", "quant", "alpha"))}
    name = what or "curve"
    return Choice(name, usual(name, measures, curve_among(measures)), left)


def choice_by_kind(what: str | None, judged: Kind, rules: dict[str, Any]) -> Choice:
    """Choose the chart that suits what is judged."""
    name = what or BY_DEFAULT[judged]
    return Choice(name, usual(name, measures_of(judged.default_measures), parse(CURVES[judged])), rules)


def usual(name: str, measures: list[Measure], curved: Measure) -> list[Measure]:
    """Return as many of the measures as a chart takes; `curved` for a curve, and R for a budget."""
    if name == "curve":
        return [curved]
    return measures_of(["R"]) if name == "budget" else measures[: KINDS[name].measures]


def usual_of_scores(name: str, measures: list[Measure]) -> list[Measure]:
    """Return the measures of scores that a chart takes: the first with a curve for a curve, none for a budget."""
    if name == "curve":
        return [without_cut(measure) for measure in measures if is_plotted(measure)][:1]
    return [] if name == "budget" else measures[: KINDS[name].measures]


def curve_among(measures: list[Measure]) -> Measure:
    """Return the measure whose curve has some measures as points, or as means."""
    for measure in measures:
        cut = getattr(measure, measure.cutoff, None)
        if cut is not None and has_curve(without_cut(measure)):
            return without_cut(measure)
    summary = next(measure for measure in measures if type(measure).__name__ in SUMMARISED)
    plain = parse(SUMMARISED[type(summary).__name__])
    shared = {field.name for field in fields(plain)} & {field.name for field in fields(summary)} - {plain.cutoff}
    return replace(plain, **{name: getattr(summary, name) for name in shared})


def chart_of_runs(
    judgments: JudgmentsLike,
    runs: RunsLike,
    what: str | None,
    measures: Sequence[Any],
    options: ChartOptions,
    rules: dict[str, Any],
) -> tuple[alt.LayerChart, list[str]]:
    """Evaluate runs and draw the chart; return it with the notes of the evaluation."""
    refuse_other_words(what, options.baseline)
    checked = rules.pop("checked", None)
    what = what or ("means" if checked is not None else None)
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
    if checked is not None:
        refuse_corrected(choice.name)
    named = given_runs(runs, rules.get("format"))
    refuse_other_pairs(choice.name, len(named))
    measured = [*drawing.measured(choice.measures), *drawing.beside(choice.measures)]
    evaluation = evaluate_runs(judgments, named, measured, keep=drawing.keep, **choice.rules)
    if checked is not None:
        evaluation = checked_evaluation(evaluation, checked, named, choice.rules)
    return for_notebooks(drawing.drawn(evaluation, choice.measures, options)), evaluation.scores.notes


def refuse_corrected(name: str) -> None:
    """Refuse charts that people's judgments do not correct: curves and budgets."""
    if not name or KINDS[name].draw is None or name == "curve":
        what = f"a {name or 'budget'} chart cannot show values corrected by people's judgments"
        raise UsageError(f"{what}; draw means or forest, or leave out checked=")


def chart_of_scores(
    scores: ScoreTable, given: GivenInputs | None, what: str | None, measures: Sequence[Any], options: ChartOptions
) -> alt.LayerChart:
    """Draw a chart of scores; if it needs more than their values, evaluate their input again."""
    refuse_other_words(what, options.baseline)
    what = what or ("means" if scores.checked is not None else None)
    if measures:
        name, asked = choice_by_measures(what, measures)
    else:
        name, asked = what or "", usual_of_scores(what, scores.measures) if what else []
    if asked and (drawing := KINDS[name]).draw is not None:
        drawing.refuse_other_numbers(name, len(asked))
        refuse_other_pairs(name, len(scores.systems))
        if {*map(str, drawing.measured(asked))} <= {*map(str, scores.measures)}:
            return for_notebooks(drawing.draw(scores, asked, options))
    if scores.checked is not None:
        refuse_corrected(name)
    if given is None:
        what = "these scores do not keep the judgments and runs, which this chart needs"
        raise UsageError(f"{what}; call assay.chart(judgments, runs, …)")
    return chart_of_runs(given.judgments, given.runs, what, asked, options, dict(given.rules))[0]


def chart_of_history(
    saved: Mapping[str, tuple[ScoreTable, Provenance]], measures: Sequence[Any], options: ChartOptions
) -> alt.LayerChart:
    """Draw a chart of saved scores, in the order of their versions."""
    refuse_other_words(None, options.baseline)
    if len(measures) > 1:
        raise UsageError(f"a {HISTORY} chart takes 1 measure, found {len(measures)}")
    versions = [Version(name, *scores) for name, scores in saved.items()]
    return for_notebooks(history(versions, measures[0] if measures else None, **options.look))


def saved_versions(files: Iterable[str | os.PathLike[str] | Source]) -> dict[str, tuple[ScoreTable, Provenance]]:
    """Read saved scores by the names of their versions: a given name, or the file name.

    If two file names are the same, the versions have their paths as names.
    """
    sources = [file if isinstance(file, Source) else Source(file) for file in files]
    names = [source.stem.removesuffix(".json") for source in sources]
    names = [name if names.count(name) == 1 else source.label for name, source in zip(names, sources, strict=True)]
    if again := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"{again} is given twice; a history shows each version once")
    read = {name: saved_scores(source.path) for name, source in zip(names, sources, strict=True)}
    return {name: (table, made_of) for name, (table, _, made_of) in read.items()}


def refuse_other_pairs(name: str, runs: int) -> None:
    """Refuse a differences chart of other than two runs."""
    if name == "differences" and runs != 2:
        raise UsageError(f"a differences chart takes two runs, found {runs}")
