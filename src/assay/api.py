"""The functions that users call: evaluate, Evaluator, why, compare and others, chart, ceiling and read_scores."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from assay.errors import InputError, UsageError, list_names
from assay.evaluation.score_table import GivenInputs, ScoreTable
from assay.measures.notation import measures_of
from assay.options import EvaluationOptions, GroupedOptions, accepts_old_names, of_evaluation, shows
from assay.reading.given import given_judgments, given_runs
from assay.reading.other_packages import materialize
from assay.reading.schema import comparable_name, told_columns
from assay.reading.text_locator import TextLocator
from assay.scores import Scores, are_scores, scores_of_evaluation
from assay.tables.judgments import HighlightJudgments, Judgments
from assay.vocabulary import CHARTS, Overlap, Texts, Topics, Whitespace

if TYPE_CHECKING:
    import altair as alt

    from assay.checking.audit import Audit
    from assay.comparing.agreement import Agreement
    from assay.comparing.comparison import Comparison
    from assay.comparing.correlation import Correlation
    from assay.comparing.grade_agreement import GradeAgreement
    from assay.comparing.significance import ChanceOfBest, GroupedComparison
    from assay.comparing.tables import BaselineTable, SignificanceTable
    from assay.evaluation.ceilings import CeilingTable
    from assay.evaluation.misses import Misses
    from assay.evaluation.provenance import Provenance
    from assay.evaluation.why import Why
    from assay.measures.base import Measure, MeasuresLike
    from assay.reading.input_types import ChunksLike, DocumentsLike, JudgmentsLike, RunsLike, ScoresLike
    from assay.tables.run import Run, SpanRun


@shows(GroupedOptions, last=("progress",))
def evaluate(
    judgments: JudgmentsLike,
    runs: RunsLike,
    measures: MeasuresLike | None = None,
    *,
    progress: Callable[[int], None] | None = None,
    **options: Unpack[GroupedOptions],
) -> Scores:
    """Evaluate one or several runs, and return their scores.

    judgments, runs: paths (`-` is standard input), dicts of dicts, pandas, polars or Arrow frames, or records; several
    runs as a list, or as a dict that names them. A run may be {question: [chunks, best first]}, objects of LangChain,
    LlamaIndex, Haystack or Chonkie, dicts, named tuples or dataclasses; judgments {question: [chunks or quotes]}.
    measures: names such as "nDCG@10", measures, or classes of measures.
    {options}
    """
    from assay.evaluation.evaluate import evaluate_runs

    rules = of_evaluation(options)
    # charts and reports read the input again, so a generator must become a list
    judgments, runs = materialize(judgments), materialize(runs)
    if "chunks" in rules:
        rules["chunks"] = materialize(rules["chunks"])
    by, topics_file, checked = options.get("by"), options.get("topics_file"), materialize(options.get("checked"))
    grouping = None
    if by is not None or topics_file is not None:
        from assay.evaluation.groups import grouping_by

        grouping = grouping_by(by, topics_file)
    evaluation = evaluate_runs(judgments, runs, measures, progress=progress, **rules)
    given: Mapping[str, Any] = rules
    if checked is not None:
        from assay.evaluation.check_by_people import checked_evaluation

        evaluation, given = checked_evaluation(evaluation, checked, runs, rules), {**rules, "checked": checked}
    groups, notes = grouping.of(evaluation.scores.topics) if grouping else (None, [])
    scores = scores_of_evaluation(evaluation, groups, notes, GivenInputs(judgments, runs, given))
    refuse_small_groups(scores)
    return scores


def refuse_small_groups(scores: Scores) -> None:
    """Refuse groups of topics in which people checked too few topics to correct the value."""
    if scores.checked is None or scores.groups is None:
        return
    for group in scores.groups.names:
        try:
            scores._over_topics(0, 0, group)
        except InputError as error:
            raise InputError(f"{scores.groups.name} {group}: {error}; leave out by= or checked=") from None


def evaluate_beside(
    given: Scores,
    judgments: JudgmentsLike | None,
    runs: RunsLike | None,
    measures: MeasuresLike | None = None,
    **options: Any,
) -> Scores:
    """Join given scores to those of an evaluation, or return them alone if there are no judgments and runs.

    measures: measures of the given scores by name, and other measures, which are evaluated; by default all of both. If
    none of them is in the given scores, all measures of the given scores are joined.
    """
    from assay.evaluation.given_scores import split_measures

    ours, theirs = split_measures(given, measures)
    if judgments is None or runs is None:
        if ours:
            what = f"{ours[0]} is not in the scores; choose from {list_names([*map(str, given.measures)], 12)}"
            raise UsageError(f"{what}, or pass judgments and runs to measure it")
        return given.only(theirs)
    if ours == []:
        raise UsageError("the scores have all these measures already; leave out the judgments and runs")
    evaluated = evaluate(judgments, runs, ours, **options)
    both = evaluated.join(given.only(theirs)) if theirs else evaluated
    if measures is None:
        return both
    asked = measures_of(measures, given.measures)
    return both.only([*asked, *(measure for measure in theirs if measure not in asked)])


# Evaluator: judgments and measures are prepared once, and then used for one run after another.


class Evaluator:
    """Judgments and measures, prepared once to evaluate many runs: `Evaluator(judgments, measures)(run)`.

    Use it in loops, for example over training steps or settings of a system: it prepares the judgments only once.
    judgments, measures and rules are the same as for `assay.evaluate`, and the values are equal.
    """

    @shows(EvaluationOptions)
    def __init__(
        self, judgments: JudgmentsLike, measures: MeasuresLike | None = None, **rules: Unpack[EvaluationOptions]
    ):
        from assay.evaluation.evaluate import Options, prepare

        self._given, self._rules = materialize(judgments), rules
        judged = given_judgments(self._given, rules.get("format"))
        self._prepared = prepare(judged, measures, Options(**rules))
        self._prepared.pool.is_for_many_runs = True

    @property
    def measures(self) -> list[Measure]:
        """The measures that are evaluated."""
        return self._prepared.everything

    @property
    def topics(self) -> list[str]:
        """The judged topics."""
        return self._prepared.pool.topics

    def __call__(self, runs: RunsLike) -> Scores:
        """Return the scores of a run, or of several runs in a list, or in a dict that names them."""
        runs = materialize(runs)
        named = given_runs(runs, self._rules.get("format"))
        given = GivenInputs(self._given, runs, self._rules)
        return scores_of_evaluation(self._prepared.evaluation(named), given=given)

    def __repr__(self) -> str:
        return f"<Evaluator of {self._prepared.pool.judgments!r} by {', '.join(map(str, self.measures))}>"


@shows(EvaluationOptions)
def why(
    judgments: JudgmentsLike,
    run: RunsLike,
    measures: MeasuresLike | None = None,
    *,
    topic: str | int | None = None,
    **rules: Unpack[EvaluationOptions],
) -> Why:
    """Show how the values of a topic are computed: its ranking, one row per result, with the terms of each formula.

    Each measure has a table: rank, document, what was judged, the columns that its formula names, what the row adds to
    the value, and the ideal ranking beside it. Below are the sums and the formula with the numbers filled in; its value
    equals that of `assay.evaluate`, bit for bit. Print the result, or use `show("tsv")`, json, md, csv, latex or html.
    topic: the topic to show; it may be left out if there is only one.
    judgments, run, measures and rules: as for `assay.evaluate`, but only one run.
    """
    from assay.evaluation.why import why as worked_out

    return worked_out(judgments, run, measures, topic=topic, **rules)


# compare, significance_table, correlate, report and others: each takes scores, or judgments and runs, which it
# evaluates first by the rules of `assay.evaluate`.


@shows(GroupedOptions)
def compare(
    judgments: JudgmentsLike | ScoreTable,
    runs: RunsLike | MeasuresLike | None = None,
    measure: MeasuresLike | None = None,
    *,
    baseline: str | None = None,
    test: str | None = None,
    correct: str = "holm",
    tails: int = 2,
    samples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
    systems: Sequence[str] | None = None,
    **rules: Unpack[GroupedOptions],
) -> Comparison:
    """Compare systems with paired significance tests.

    Call `compare(judgments, runs, measure)` or `compare(scores, measure)`.

    Assay compares all pairs, or each system with the baseline, over the topics that both systems of a pair have. The
    first system of a pair has the greater mean; with a baseline, the second is the baseline. A one-tailed test asks
    whether the first is better. Tukey's tests use the topics for which all systems have a value, and need no
    correction. For scores, systems= names the systems to compare.

    test: randomisation (default), bootstrap, t, wilcoxon, sign, tukey or random-tukey; with checked= differences are
    corrected, and only the t-test applies. correct: holm, bonferroni, bh or none.
    rules: as for `assay.evaluate`.
    """
    how: dict[str, Any] = {
        "baseline": baseline, "test": test, "correct": correct, "tails": tails, "samples": samples, "seed": seed,
        "confidence": confidence, "systems": systems,
    }  # fmt: skip
    scores, by = _scores(judgments, runs, measure, rules)
    from assay.comparing.significance import compare as compared

    return compared(scores, scores.measures[0] if by is None else by, **how)


@shows(GroupedOptions)
def compare_groups(
    judgments: JudgmentsLike | ScoreTable,
    runs: RunsLike | MeasuresLike | None = None,
    measure: MeasuresLike | None = None,
    **options: Any,
) -> GroupedComparison:
    """Compare systems in each group of topics, and over all topics, as `compare` does.

    `compare_groups(judgments, runs, measure, by=…)`, or `compare_groups(scores, measure)` with scores of
    `assay.evaluate(..., by=…)`. A group in which two systems share fewer than two topics is left
    out, and a note says so.
    """
    how, rules = _split(options)
    scores, by = _scores(judgments, runs, measure, rules)
    from assay.comparing.significance import compared_by_group

    return compared_by_group(scores, scores.measures[0] if by is None else by, **how)


@shows(GroupedOptions)
def significance_table(
    judgments: JudgmentsLike | ScoreTable,
    runs: RunsLike | MeasuresLike | None = None,
    measures: MeasuresLike | None = None,
    **options: Any,
) -> SignificanceTable:
    """Return a table for a paper: systems x measures, with a letter for each system that is significantly worse.

    `significance_table(judgments, runs, measures)`, or `significance_table(scores, measures)`; options are those of
    `compare`. The correction covers the pairs of one measure, not all measures together.
    """
    how, rules = _split(options)
    scores, asked = _scores(judgments, runs, measures, rules)
    from assay.comparing.significance import with_letters

    return with_letters(scores, asked, **how)


@shows(GroupedOptions)
def baseline_table(
    judgments: JudgmentsLike | ScoreTable,
    runs: RunsLike | MeasuresLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    baseline: str,
    **options: Any,
) -> BaselineTable:
    """Return a table for a paper: each system compared with a baseline.

    It has the value of each system, the difference in percent, a mark if that is significant, wins and losses over
    topics, and p.

    `baseline_table(judgments, runs, measures, baseline=…)`, or `baseline_table(scores, measures, baseline=…)`; options
    are those of `compare`, and sort=True puts the best system first. The correction covers the systems for one measure,
    not all measures together.
    """
    how, rules = _split(options)
    scores, asked = _scores(judgments, runs, measures, rules)
    from assay.comparing.significance import beside_baseline

    return beside_baseline(scores, baseline, asked, **how)


@shows(GroupedOptions)
def chance_of_best(
    judgments: JudgmentsLike | ScoreTable,
    runs: RunsLike | MeasuresLike | None = None,
    measure: MeasuresLike | None = None,
    **options: Any,
) -> ChanceOfBest:
    """Estimate the probability that each system is the best, and how many more topics would decide.

    `chance_of_best(judgments, runs, measure)`, or `chance_of_best(scores, measure)`; options are systems=, samples= and
    seed=, and the rules of `assay.evaluate`.
    """
    how, rules = _split(options)
    scores, by = _scores(judgments, runs, measure, rules)
    from assay.comparing.significance import drawn_best

    return drawn_best(scores, scores.measures[0] if by is None else by, **how)


@shows(EvaluationOptions)
def correlate(
    judgments: JudgmentsLike | ScoreTable,
    runs: RunsLike | MeasuresLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    coefficient: str = "tau-b",
    by: str | None = None,
    over: str | None = None,
    p: float = 0.9,
    **rules: Unpack[EvaluationOptions],
) -> Correlation:
    """Correlate system rankings across measures.

    `correlate(judgments, runs, measures)`, or `correlate(scores, measures)`. For several scores, one per task, in a
    list or in a dict that names them, it is the mean over the tasks; a measure that counts overlap in one task but not
    in another counts as the same measure. `over` names a parameter, such as quant, over whose values the mean is taken
    as well (INEX 2005, table 1). `by` names a parameter whose values are compared instead of measures; the mean is then
    taken over the measures (table 2). `p` is the parameter of rbo. coefficient: tau-b, tau-ap, rbo, pearson
    or spearman.
    """
    scores, asked = _scores(judgments, runs, measures, rules)
    from assay.comparing.correlation import correlate as correlated

    return correlated(scores, asked, coefficient=coefficient, by=by, over=over, p=p)


@shows(GroupedOptions)
def report(
    judgments: JudgmentsLike | Scores,
    runs: Any,
    output: str | os.PathLike[str] | None = None,
    measures: MeasuresLike | None = None,
    **options: Any,
) -> str:
    """Write an HTML report on runs, and return its path: values with significance, charts, rankings of all topics.

    `report(judgments, runs, "report.html", measures)`, or `report(scores, "report.html")`. It accepts all rules
    of `assay.evaluate`. If documents are given, the page shows the text itself: found, missed, and not relevant.
    topics_file has the titles of topics, and with by= the groups, as for `assay.evaluate`.
    baseline, test, correct, seed: as for `assay.compare`. title, date and command are shown if they are given; without
    a date, the same input makes the same bytes.
    """
    if isinstance(judgments, Scores):
        return judgments.report(runs if output is None else output, **options)
    from assay.reporting.report import report as written

    if not isinstance(output, str | os.PathLike):
        raise UsageError("a report needs a file to write to, for example report(judgments, runs, 'report.html')")
    return written(judgments, runs, output, measures, **options)


@shows(EvaluationOptions)
def misses(
    judgments: JudgmentsLike,
    runs: RunsLike,
    measure: MeasuresLike | None = None,
    *,
    stages: bool = False,
    top: int | None = 10,
    topics_file: str | os.PathLike[str] | None = None,
    **rules: Unpack[EvaluationOptions],
) -> Misses:
    """List the questions that lost most, and the cause of each missed fact.

    If judgments name no facts, each excerpt is a fact. A fact is missed if less than the `cover` of the measure, by
    default all of it, is read before the cut-off of the measure, without whitespace. The cause is the first that holds:
    no chunk (chunks have too little of it), document not returned, not returned (results of its document have none
    of it), too low (with the rank of the result that completes it), cut (the budget ends within that result), list
    ended (all results together have too little of it). Print the result, or use `show("md")`, json, tsv, csv, latex
    or html; `assay.chart(misses)` draws the causes.

    measure: one measure; its values decide which questions lost most, and its cut-off ends the reading; by default
    FactRecall@5. top: the number of questions; None for all. chunks: all chunks of the corpus, as for `assay.ceiling`,
    to find facts that no chunk contains.
    stages: the runs are the stages of one pipeline, in order, for example candidates, reranked, prompt. Then the cause
    is the stage that lost a fact: not in the corpus, no chunk, not a candidate, reranked away, or beyond the budget of
    the measure in the last run. topics_file: the texts of the questions.
    judgments, runs and rules: as for `assay.evaluate`; without stages only one run.
    """
    from assay.evaluation.misses import misses as told

    how: dict[str, Any] = {"stages": stages, "top": top, "topics_file": topics_file}
    return told(judgments, runs, measure, **how, **rules)


@shows(EvaluationOptions)
def audit(
    judgments: JudgmentsLike,
    runs: RunsLike | None = None,
    measure: MeasuresLike | None = None,
    *,
    top: int = 10,
    **rules: Unpack[EvaluationOptions],
) -> Audit:
    """Audit a test set: check its judgments, its documents and the runs of some systems.

    It reports topics with nothing relevant, and whether anything was judged not relevant. With documents: judged
    documents that are not in the collection, and documents with the same text. With runs: topics that every run solves
    or misses, unjudged documents among the first `top` results, and which judgments would help most. With two runs or
    more: topics that decide nothing, how much the order of the runs depends on single topics and on ties, and the
    smallest difference that these topics can detect. A check that is not possible says why.

    measure: one measure, by default the first default measure. rules: as for `assay.evaluate`.
    """
    from assay.checking.audit import audit as audited

    return audited(judgments, runs, measure, top=top, **rules)


# The options of a comparison; all others are options of the evaluation.
HOW = ("baseline", "systems", "test", "correct", "tails", "samples", "seed", "confidence", "sort")


def _split(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split options into those of a comparison and those of an evaluation."""
    how = {name: value for name, value in options.items() if name in HOW}
    return how, {name: value for name, value in options.items() if name not in HOW}


def _scores(judgments: Any, runs: Any, measures: MeasuresLike | None, rules: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the scores to work on, and the measures to use of them; judgments and runs are evaluated first.

    The measures are None if all measures of the scores count.
    """
    if not are_scores(judgments):
        return evaluate(judgments, runs, measures, **rules), None
    if rules:
        raise UsageError(f"these scores are already evaluated; {next(iter(rules))}= requires judgments and runs")
    if runs is not None and measures is not None:
        raise UsageError("expected scores and a measure, or judgments, runs and a measure")
    return judgments, measures if runs is None else runs


# chart: judgments x runs, or scores -> a chart.


@shows(EvaluationOptions)
def chart(
    judgments: JudgmentsLike | Scores | Sequence[Scores] | Mapping[str, Scores] | Misses | Agreement | GradeAgreement,
    runs: Any = None,
    what: Any = None,
    measures: MeasuresLike | None = (),
    *,
    baseline: str | None = None,
    theme: str = "light",
    width: int | None = None,
    height: int | None = None,
    title: str | None = None,
    font_size: float | None = None,
    checked: JudgmentsLike | None = None,
    **rules: Unpack[EvaluationOptions],
) -> alt.LayerChart:
    """Draw a chart of runs or scores: `chart(judgments, runs, what, measures)` or `chart(scores, what, measures)`.

    `chart(misses)` draws the fate of the facts of `assay.misses`, and `chart(agreement)` how far the annotators of
    `assay.agreement` agree.

    what: curve (one measure over rank or recall), budget (recall of text, or P or F, against the characters read, with
    95% confidence bands over topics), means (of each run, with 95% intervals), forest (differences from the baseline,
    or of all pairs, with 95% intervals), differences (of two runs, topic by topic), distribution (over topics),
    topic-heatmap (runs by topics), scatter (runs by two measures) or heatmap (correlation of measures).
    `chart(saved, "history", measure)` shows a measure over versions: saved is a list of files that `scores.save` wrote,
    or of scores, or a dict of scores by the names of their versions.
    Without what: the curve of the measure, to its cut-off, or the means if it has no curve or there are several.
    Without measures: the measures of the task, or the default ones. Without both: the curve of the task, or the budget
    for text, precision over recall for documents, nxCG for assessed elements.
    width and height: the size of the plot without labels, font_size: the size of labels, all in pixels. title: replaces
    the chart's own title; an empty title removes it. theme: light or dark. checked, rules: as for `assay.evaluate`.
    """
    from assay.charts.drawing import HISTORY, ChartOptions, chart_of_history, chart_of_runs
    from assay.comparing.agreement import Agreement
    from assay.comparing.grade_agreement import GradeAgreement
    from assay.evaluation.misses import Misses

    wishes = ChartOptions(
        {"theme": theme, "width": width, "height": height, "title": title, "font_size": font_size}, baseline
    )
    if isinstance(judgments, Misses):
        from assay.charts.waterfall import waterfall

        return waterfall(judgments, **wishes.look)
    if isinstance(judgments, Agreement | GradeAgreement):
        from assay.charts.heat_maps import heatmap

        is_text = isinstance(judgments, Agreement)
        about = "character F1, mean over documents" if is_text else "Cohen's kappa of grades"
        return heatmap(*judgments.matrix(), "Inter-annotator agreement", about, **wishes.look)
    if (isinstance(runs, str) and runs == HISTORY) or (isinstance(what, str) and what == HISTORY):
        if rules:
            raise UsageError(f"the scores of a history are already evaluated; {next(iter(rules))}= does not apply")
        behind = measures if what in (None, HISTORY) else what
        return chart_of_history(name_versions(judgments), measures_of(behind) if behind else (), wishes)
    if isinstance(judgments, Scores):
        # after scores come what and measures, so they are in runs and what unless they were passed by name
        is_named = runs is None and (what is None or (isinstance(what, str) and what in CHARTS))
        told, named = (what, measures) if is_named else (runs, measures if what is None else what)
        return judgments.chart(told, named, baseline=baseline, **wishes.look)
    how: dict[str, Any] = {**rules, "checked": checked}
    return chart_of_runs(judgments, runs, what, measures_of(measures) if measures else (), wishes, how)[0]


def name_versions(given: Any) -> Mapping[str, tuple[ScoreTable, Provenance]]:
    """Return the scores of a history by the names of their versions; scores in a list are numbered."""
    from assay.charts.drawing import saved_versions

    if isinstance(given, Sequence) and not isinstance(given, str) and are_scores(given):
        given = {str(number): scores for number, scores in enumerate(given, 1)}
    if isinstance(given, Mapping) and are_scores(given):
        return {str(name): (scores, scores.made_of()) for name, scores in given.items()}
    if not isinstance(given, list | tuple) or not all(isinstance(each, str | os.PathLike) for each in given):
        raise UsageError("a history chart shows several saved scores; expected a list of them, or of their files")
    return saved_versions(given)


# ceiling: gold x the chunks of a corpus -> the best that any ranking of these chunks could reach.


@accepts_old_names
def ceiling(
    judgments: JudgmentsLike,
    chunks: ChunksLike,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    documents: DocumentsLike | None = None,
    overlap: Overlap = "paid",
    topics: Topics = "judged",
    texts: Texts = "check",
    whitespace: Whitespace = "count",
    annotators: str | None = None,
    copies: bool = False,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    tokenizer: Any = None,
) -> CeilingTable:
    """Compute the best recall, precision and F that any ranking of these chunks can reach.

    judgments: spans or quotes, as for `assay.evaluate`. chunks: all chunks of the corpus, whether or not a system
    returned them: a JSONL, CSV, TSV or Parquet file or a frame with a document, start and end, or a text, in
    each row; a list of objects of LangChain, LlamaIndex, Haystack or Chonkie, dicts, (document, start, end) or texts;
    a dict from ids to chunks, or a dict from documents to lists of chunks, texts or (start, end). If chunks have
    ids, runs may return these ids, as with chunks= of `assay.evaluate`. Texts without offsets are located in the
    documents. If runs have different chunks, pass a dict with the chunks of each run, for example {"small": chunks,
    "large": chunks}: each run is then compared with the ceiling of its own chunks.
    runs: what systems returned of these chunks. The table then shows the value of each run and where it lost the rest:
    the retriever (a list of the same length could have better chunks), the list (it ends before the cut-off), the
    chunker (no ranking of these chunks has more) and the budget (no chunks could reach more).
    measures: R, P, F or IoU, with a cut-off such as R@5, R(chars=2000), R(tokens=500, fit=stop) or none; by default R,
    P and F at several cut-offs.

    A ceiling is exact if a ranking reaches it; otherwise it is an upper bound. It may be only a bound within a budget,
    if text of overlapping chunks is read once (overlap="new") or there are too many of them to try; for P, F and IoU
    within a budget of tokens; with both limits, for example R(chars=2000)@5; and if a value is the mean over
    annotators, because one ranking may not suit all. With fit=stop or fit=skip the best chunks are those that fit into
    the budget as a whole. A ranking may be short, so with overlap="paid" the best precision is that of the best chunk.
    overlap: paid or new. topics, texts, whitespace, annotators, copies, format, columns, documents, tokenizer: as for
    `assay.evaluate`. The facts about gold and chunks, for example how many excerpts are in one chunk, ignore copies.
    """
    from assay.evaluation import ceilings
    from assay.evaluation.copies import copies_counted
    from assay.evaluation.evaluate import Options, evaluate_runs, refuse_without_tokenizer, several_standards
    from assay.evaluation.ignore_whitespace import whitespace_ignored
    from assay.ranking.chunks import ChunkedCorpus
    from assay.ranking.gold_standards import of_annotators
    from assay.ranking.pool import Pool

    asked = measures_of(ceilings.MEASURES if measures is None else measures)
    ceilings.refuse_without_ceiling(asked)
    refuse_other_policies(overlap, topics)
    options = Options(documents=documents, tokenizer=tokenizer, whitespace=whitespace)
    collection, tokens = options.collection, options.tokens
    refuse_without_tokenizer(asked, collection, has_tokenizer=tokens is not None)
    placing = TextLocator(collection, texts, told_columns(columns))
    given = ceiling_inputs(judgments, chunks, runs, placing, format)
    notes = [
        note for name, run in given.runs.items() for note in ceilings.strangers(run, given.of_run(name), collection)
    ]
    without_whitespace = whitespace_ignored(whitespace, collection, is_shown=False)
    gold, with_copies = given.gold, given.gold
    if copies:
        with_copies, note = copies_counted(gold, collection, placing)
        placing.notes.append(note)
    if without_whitespace:
        gold, note = without_whitespace.judgments(gold)
        with_copies, _ = without_whitespace.judgments(with_copies)
        placing.notes.append(note)
    told = Pool(of_annotators(gold, annotators), collection, tokens)
    pool = Pool(of_annotators(with_copies, annotators), collection, tokens) if copies else told
    standards = several_standards(pool, annotators, topics, placing.notes, is_shown=False)
    rules: dict[str, Any] = {"overlap": overlap, "topics": topics, "whitespace": whitespace, "annotators": annotators}
    rules |= {"copies": copies, "documents": collection, "tokenizer": tokenizer}
    rules["further"] = lambda *_: ceilings.lengths_for(asked)
    scores = evaluate_runs(given.gold, given.runs, asked, **rules).scores if given.runs else None
    chunkings = []
    for table, of_runs in given.chunkings:
        corpus = ChunkedCorpus(without_whitespace.spans(table) if without_whitespace else table)
        notes += ceilings.without_chunks(corpus, pool)
        ends = [ceilings.list_ends(scores, run) for run in of_runs] if scores else []
        best = ceilings.ceilings(corpus, pool, asked, overlap == "paid", standards, ends)
        chunkings.append(ceilings.Chunking(of_runs, best, corpus.sizes, corpus.gold(told)))
    of_values = scores.notes if scores else ceilings.of_gold(pool, topics, asked, tokenizer)
    notes = list(dict.fromkeys([*notes, *placing.notes, *of_values, *ceilings.bounds(chunkings, asked)]))
    counts = ~pool.topics_without_relevant if topics == "relevant" else np.ones(len(pool.topics), bool)
    if scores:
        scores = replace(scores, measures=asked, values=scores.values[:, : len(asked)])
    return ceilings.CeilingTable(asked, pool.topics, chunkings, counts, scores, notes)


@dataclass(eq=False, repr=False)
class CeilingInputs:
    """The input of a ceiling: gold, runs by name, and each table of chunks with the names of its runs.

    A table of chunks is a run with one topic.
    """

    gold: Judgments
    runs: dict[str, Run]
    chunkings: list[tuple[SpanRun, list[str]]]

    def of_run(self, name: str) -> SpanRun:
        """Return the chunks of a run."""
        return next(chunks for chunks, runs in self.chunkings if name in runs)


def ceiling_inputs(
    judgments: JudgmentsLike, chunks: ChunksLike, runs: RunsLike | None, placing: TextLocator, format: str | None
) -> CeilingInputs:
    """Read gold, chunks and runs into tables, whatever type they have."""
    from assay.files.source import Source
    from assay.reading import given
    from assay.reading.chunk_ids import ChunkTables, chunk_columns, chunks_by_run
    from assay.reading.format import Request
    from assay.reading.read import whole_run
    from assay.reading.spelling import Respelling

    judged, all_chunks = given.given_judgments(judgments, format), given.source_or_object(chunks)
    has_none = runs is None or (isinstance(runs, list | tuple) and not runs)
    named = {} if runs is None or has_none else given.given_runs(runs, format)
    by_run = chunks_by_run(all_chunks, named) if named else {"": all_chunks}
    if lacking := next((name for name in named if name not in by_run), None):
        raise UsageError(f"no chunks for run {lacking!r}; expected chunks for each run, or one list for all runs")
    each = [given.source_or_object(one) for one in {id(one): one for one in by_run.values()}.values()]
    of_chunks = [one.path for one in each if isinstance(one, Source)]
    given.refuse_two_streams([judged.path, *of_chunks, *(run.path for run in named.values())])
    known = {comparable_name(name) for one in each for name in chunk_columns(one)}
    others = {field: name for field, name in placing.columns.items() if comparable_name(name) not in known}
    given.refuse_unknown_columns([judged, *named.values()], others)
    request = Request(placing.collection, ranks=True, gather=True, columns=placing.columns, every_column=False)
    gold = placing.read_judgments(judged, request)
    if not isinstance(gold, HighlightJudgments):
        raise InputError("these judgments have no highlighted text; a ceiling needs spans", gold.name)
    respelling = None if placing.collection is None else Respelling(gold, placing.collection)
    tables: dict[str, Run] = {}
    placing.runs, placing.tables = list(named), ChunkTables(all_chunks, for_more=True)
    for name, run in named.items():
        whole = whole_run(placing.run(run, name, gold), request)
        tables[name] = (respelling.run(whole) if respelling else whole).named(name)
    if not tables:
        table = placing.chunks(all_chunks, gold)
        placing.notes += table.notes
        return CeilingInputs(gold, tables, [(table.spans, [])])
    of_run = placing.chunks_of_runs(gold)
    chunkings = {id(table): (table, [run for run in of_run if of_run[run] is table]) for table in of_run.values()}
    return CeilingInputs(gold, tables, list(chunkings.values()))


def refuse_other_policies(overlap: str, topics: str) -> None:
    """Refuse policies that drop or refuse results: a ceiling must know which rankings are possible."""
    from assay.evaluation.evaluate import refuse_unknown_policy

    if overlap not in ("paid", "new"):
        what = f"overlap={overlap} drops or refuses results"
        raise UsageError(f"{what}; a ceiling needs rankings with overlapping chunks: choose from paid, new")
    refuse_unknown_policy(topics)


# read_scores: saved scores, and values that Assay did not compute.


def read_scores(given: ScoresLike, *, lower_is_better: str | Sequence[str] = ()) -> Scores:
    """Read scores from a file: scores that `scores.save(path)` wrote, or values that Assay did not compute.

    given: a CSV, TSV, JSONL, JSON or Parquet file, a frame or a list of records with the columns system (or run,
    run_id, name), topic (or qid, query_id), measure (or metric) and value; lines with `measure topic value`, as
    trec_eval -q prints them, `topic measure value` (ir_measures) or `run topic measure value`; a list of such files, or
    a dict of them by the names of their systems. If a file names no system, the system is named after it. Means over
    topics (topic `all`) are left out. A missing or NaN value does not count as 0; a note counts such values.
    lower_is_better: the measures for which lower values are better, such as latencies.

    `evaluate(...).join(read_scores("latency.csv"))` puts them beside the measures of an evaluation.
    """
    from assay import __version__
    from assay.evaluation.evaluate import Origin
    from assay.evaluation.given_scores import is_saved, opened, read_given_scores
    from assay.evaluation.provenance import Provenance
    from assay.evaluation.score_files import saved_scores

    given = opened(given)
    if is_saved(given) and not lower_is_better:
        table, missing, provenance = saved_scores(given)
    else:
        read, missing = read_given_scores(given, lower_is_better), {}
        table, provenance = read.table, Provenance(__version__, "", None, {}, read.facts)
    origin = Origin(lambda: provenance)
    held = table.systems, table.measures, table.topics, table.values, table.notes, table.groups, table.checked
    return Scores(*held, missing, origin)
