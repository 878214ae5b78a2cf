"""The commands that compare systems: compare, correlate, chart and report."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.common import (
    EVALUATION,
    GRADED,
    PRINTING,
    TASK,
    TASKS,
    TOPICS,
    default_form,
    load,
    main,
    noted,
    scores_of,
    separate,
    taking,
)

TESTS = ["randomisation", "bootstrap", "t", "wilcoxon", "sign", "tukey", "random-tukey"]
CORRECTIONS = ["holm", "bonferroni", "bh", "none"]
CHARTS = ["curve", "budget", "differences", "distribution", "scatter", "heatmap"]
COEFFICIENTS = ["tau-b", "tau-ap", "rbo"]
SEED = click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the tests that draw samples.")
TESTING = [
    click.option("--test", type=click.Choice(TESTS), default="randomisation", show_default=True, help="The test, paired by topic."),
    click.option("--correct", type=click.Choice(CORRECTIONS), default="holm", show_default=True,
                 help="Correction for many pairs: Holm, Bonferroni, Benjamini-Hochberg, or none."),
    click.option("--baseline", help="Compare each run with this one only."),
    click.option("--tails", type=click.IntRange(1, 2), default=2, show_default=True,
                 help="One tail asks whether the first of a pair is better."),
    click.option("--samples", type=click.IntRange(100), default=10_000, show_default=True,
                 help="Samples of the tests that draw them."),
    SEED,
    click.option("--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05, show_default=True,
                 help="The p up to which a difference is significant."),
]


@main.command(short_help="Tell which runs are better, and whether that is by chance.")
@taking(EVALUATION)
@taking(TESTING)
@taking(PRINTING)
@click.option("--show", type=click.Choice(["pairs", "stars", "letters", "needed"]), default="pairs", show_default=True,
              help="All pairs; the triangle of stars, best run first; runs by measures with letters, for a paper; or how many "
              "topics would tell each pair apart.")
def compare(
    test: str, correct: str, baseline: str | None, tails: int, samples: int, seed: int, level: float, form: str | None, digits: int,
    show: str, **given: Any,
) -> None:
    """Compare RUNs pair by pair over topics: difference, interval, effect size, wins and losses, and p.

    \b
    assay compare qrels.txt bm25.run dense.run hybrid.run -m AP
    assay compare qrels.txt *.run -m AP --baseline bm25 --test t --correct bonferroni
    assay compare qrels.txt *.run -m AP -m nDCG@10 --show letters --as latex
    """
    from assay.comparing.significance import compare as library
    from assay.comparing.significance import significance_table

    scores = scores_of(**given)
    how: dict[str, Any] = {"baseline": baseline, "test": test, "correct": correct, "tails": tails, "samples": samples, "seed": seed}
    form = form or default_form()
    if show == "letters":
        click.echo(significance_table(scores, **how).show(form, level, digits).rstrip())
        return
    found = [library(scores, measure, **how) for measure in scores.measures]
    views = {"stars": lambda one: one.stars(level, form), "needed": lambda one: one.needed(form, level, digits=digits)}
    shown = [views.get(show, lambda one: one.show(form, level, digits))(one).rstrip() for one in found]
    click.echo(joined(form if show != "stars" else "text", [str(one.measure) for one in found], shown))
    if form in ("tsv", "csv") and not given["quiet"]:
        noted([f"{one.measure}: {len(one.significant(level))} of {len(one.pairs)} pairs; {one.about(level)}" for one in found])


def joined(form: str, names: list[str], tables: list[str]) -> str:
    """Tables of several measures as one text: in JSON a list, and where lines are read by programs each with its measure."""
    if form == "json":
        return tables[0] if len(tables) == 1 else f"[{', '.join(tables)}]"
    if form not in ("tsv", "csv"):
        return "\n\n".join(tables)
    separator = "\t" if form == "tsv" else ","
    lines = ["measure" + separator + tables[0].splitlines()[0]]
    for name, table in zip(names, tables, strict=True):
        quoted = f'"{name}"' if separator in name else name
        lines += [quoted + separator + line for line in table.splitlines()[1:] if line]
    return "\n".join(lines)


@main.command(short_help="Tell how alike measures rank the runs.")
@taking([option for option in EVALUATION if option is not TASK])
@taking(PRINTING)
@click.option("--task", "tasks", multiple=True, type=click.Choice([*TASKS, *GRADED], case_sensitive=False), metavar="TASK",
              help="A task of INEX, whose measures are correlated; of several the mean. Repeatable.")
@click.option("--coefficient", type=click.Choice(COEFFICIENTS), default="tau-b", show_default=True,
              help="Kendall's tau-b, tau_AP, which weighs the top, or rank-biased overlap.")
@click.option("--by", help="Correlate by this parameter of the measures, as quant, instead of by measure.")
@click.option("--over", help="Take the mean over this parameter of the measures, as quant.")
def correlate(
    coefficient: str, by: str | None, over: str | None, tasks: tuple[str, ...], form: str | None, digits: int, **given: Any
) -> None:
    """Correlate the rankings of the RUNs by several measures, as a matrix; and name the runs on which measures disagree most.

    \b
    assay correlate qrels.txt *.run -m AP -m nDCG@10 -m P@10
    assay correlate assessments *.xml --task CO.Focussed --quant gen --quant strict --by quant
    """
    from assay.comparing.correlation import correlate as library

    scores = {task: scores_of(task=task, **given) for task in tasks} or scores_of(task=None, **given)
    found = library(scores, coefficient=coefficient, by=by, over=over)
    click.echo(found.show(form or default_form(), digits).rstrip())


@main.command(short_help="Draw a chart of the runs.")
@taking(EVALUATION)
@click.option("--kind", "chart", type=click.Choice(CHARTS), default="curve", show_default=True, help="What to draw.")
@click.option("-o", "--output", type=click.Path(), required=True, help="The file: .svg, .png, .pdf, .html or .json.")
@click.option("--theme", type=click.Choice(["light", "dark"]), default="light", show_default=True, help="Colours of the chart.")
def chart(
    chart: str, output: str, theme: str, judgments: str, runs: tuple[str, ...], measures: tuple[str, ...], kind: str | None,
    define: tuple[str, ...], quiet: bool, **rules: Any,
) -> None:
    """Draw the RUNs: a curve over rank or recall, the distribution over topics, the topics in which two runs differ, runs by two
    measures, how alike measures rank runs, or the recall of text against the characters read.

    \b
    assay chart inex.qrels a.fol b.fol -m iP -o curve.svg
    assay chart qrels.txt bm25.run dense.run -m AP --kind differences -o differences.pdf
    """
    from assay.charts.saving import save
    from assay.public.chart import chart as library

    for file in define:
        load(file)
    found, scores = library(judgments, list(runs), chart, separate(measures), theme=theme, format=kind, **rules)
    save(found, output)
    noted([] if quiet else scores.notes)


@main.command(short_help="Write a page about the runs, to be opened in a browser.")
@taking([option for option in EVALUATION if option is not TOPICS])
@taking([*TESTING[:3], SEED])
@click.option("-o", "--output", type=click.Path(), required=True, help="The HTML file to write.")
@click.option("--topics", "topics_file", type=click.Path(),
              help="A file with the topics' titles: INEX or TREC topics, TSV or JSONL.")
@click.option("--which-topics", "topics", type=click.Choice(["judged", "relevant", "common", "error"]), default="judged",
              show_default=True, help="Topics that count, as --topics of `assay evaluate`.")
@click.option("--title", default="Retrieval report", show_default=True, help="The title of the page.")
@click.option("--date", help="A date to be shown; without one the same input gives the same page.")
def report(
    judgments: str, runs: tuple[str, ...], measures: tuple[str, ...], kind: str | None, define: tuple[str, ...], quiet: bool,
    output: str, **given: Any,
) -> None:
    """Write one page about the RUNs that opens offline, from a mail too: the summary with significance, charts that answer, every
    topic with its rankings and, with --documents, the text itself: what was found, what was missed, what was returned in vain.

    \b
    assay report qrels.txt bm25.run dense.run -o report.html
    assay report highlights.qrels passages.run --documents documents --topics topics.tsv -o report.html
    """
    import sys

    from assay.reporting.report import report as library

    for file in define:
        load(file)
    command = " ".join(["assay", *sys.argv[1:]])
    library(judgments, list(runs), output, separate(measures) or None, format=kind, command=command, **given)
    if not quiet:
        click.echo(f"{output} is written", err=True)
