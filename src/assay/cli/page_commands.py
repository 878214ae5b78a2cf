"""The commands that draw runs: chart and report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli import options
from assay.cli.command import Command, chart_names, command, option
from assay.cli.common import given_scores, load_measures, print_notes, refuse_output, separate
from assay.cli.compare_commands import SEED, TESTING
from assay.cli.suggestions import nearest
from assay.errors import InputError, UsageError
from assay.options import OPTIONS
from assay.vocabulary import CHARTS, THEMES, TOPICS

if TYPE_CHECKING:
    from assay.charts.style import LookAsked


def refuse_unknown_chart(what: object) -> None:
    """Refuse a first word that is neither the name of a chart nor a file."""
    from os.path import exists

    from assay.files.source import STDIN

    if not isinstance(what, str) or what in CHARTS or what == STDIN or ":" in what or exists(what):
        return
    if near := nearest(what, CHARTS):
        raise UsageError(f"unknown chart {what!r}; did you mean {near!r}?")
    raise InputError(f"no such file, and not a kind of chart; choose from {', '.join(CHARTS)}", what)


class ChartCommand(Command):
    """A command whose optional first word is the kind of chart."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put an empty word before the files if the kind of chart was left out."""
        given, _, _ = self.make_parser(ctx).parse_args(args=list(args))
        if not ctx.resilient_parsing:
            refuse_unknown_chart(given.get("what"))
        # while a shell completes the first word, nothing has been typed yet
        is_open = ctx.resilient_parsing and not isinstance(given.get("what"), str)
        return super().parse_args(ctx, args if is_open or given.get("what") in CHARTS else ["", *args])


@command(cls=ChartCommand)
@click.argument("what", metavar="[WHAT]", shell_complete=chart_names)
@options.taking(options.EVALUATION)
@options.CHECKED
@option(
    "-o",
    "--output",
    type=click.Path(),
    required=True,
    help="The file to write: .svg, .png, .pdf, .html or .json.",
    group="Output",
)
@option("--baseline", help="The run with which a forest compares the others; all pairs by default.", group="Chart")
@option(
    "--theme",
    type=click.Choice(THEMES),
    default="light",
    show_default=True,
    help="Colours of the chart.",
    group="Chart",
)
@option("--width", type=click.IntRange(1), help="Width of the plot area in pixels.", group="Chart")
@option("--height", type=click.IntRange(1), help="Height of the plot area in pixels.", group="Chart")
@option("--title", help="A title instead of the default.", group="Chart")
@option("--no-title", is_flag=True, help="No title, for a figure with a caption.", group="Chart")
@option("--font-size", type=click.FloatRange(1), help="Font size of labels in pixels; 11 by default.", group="Chart")
def chart(
    what: str,
    output: str,
    baseline: str | None,
    theme: str,
    width: int | None,
    height: int | None,
    title: str | None,
    no_title: bool,
    font_size: float | None,
    judgments: str | None,
    runs: tuple[Any, ...],
    measures: tuple[str, ...],
    scores: tuple[Any, ...],
    lower_is_better: tuple[str, ...],
    format: str | None,
    define: tuple[str, ...],
    quiet: bool,
    **rules: Any,
) -> None:
    """Draw a chart of the RUNs. WHAT is the kind of chart (write ./budget for a file of that name):

    \b
    curve          a measure over rank or recall
    budget         recall of text, or P or F, against the characters read
    means          the value of each run, with 95% confidence intervals
    forest         differences from the --baseline or of all pairs, with intervals
    differences    of two runs, topic by topic
    distribution   of each run over topics
    topic-heatmap  runs by topics
    scatter        runs by two measures
    heatmap        correlation of the rankings by several measures
    history        a measure over versions, from files of `assay evaluate --save`

    Without WHAT, Assay draws the curve of the measure up to its cut-off, or the means if the measure has no curve.
    Without a measure it takes those of the task, or the usual ones. Without both it draws the budget for text, and a
    curve for documents and elements.

    \b
    assay chart gold.jsonl chunks.tsv -o budget.png
    assay chart inex.qrels a.fol b.fol --task focused -o curve.svg
    assay chart qrels.txt *.run -m nDCG@10 -o ndcg.pdf --no-title --width 300
    assay chart differences qrels.txt bm25.run dense.run -m AP -o difference.pdf
    assay chart forest qrels.txt *.run -m AP --baseline bm25 -o forest.pdf
    assay chart scatter qrels.txt *.run -m AP -m RR -o scatter.svg
    assay chart means model.qrels a.run --checked people.qrels -o means.svg
    assay chart history saved/*.json -m nDCG@10 -o history.svg
    """
    from assay.api import evaluate_beside
    from assay.charts.drawing import (
        HISTORY,
        ChartOptions,
        chart_of_history,
        chart_of_runs,
        chart_of_scores,
        saved_versions,
    )
    from assay.charts.saving import save
    from assay.measures.notation import measures_of

    refuse_output(output, judgments, runs, scores, define, rules["documents"], rules["chunks"], rules["checked"])
    given = None if what == HISTORY else given_scores(judgments, runs, scores, lower_is_better)
    load_measures(define)
    rules["format"] = format
    look: LookAsked = {"theme": theme, "width": width, "height": height, "font_size": font_size}
    look["title"] = "" if no_title else title
    wishes = ChartOptions(look, baseline)
    asked = separate(measures)
    notes: list[str] = []
    if what == HISTORY:
        refuse_beside_history(judgments)
        drawing = chart_of_history(saved_versions([judgments or "", *runs]), asked, wishes)
    elif given is None:
        drawing, notes = chart_of_runs(judgments or "", list(runs), what or None, asked, wishes, rules)
    else:
        both = evaluate_beside(given, judgments, list(runs), asked or None, **rules)
        drawn = both.only(measures_of(asked, both.measures)) if asked else both
        drawing = chart_of_scores(drawn, both.given, what or "means", asked and drawn.measures, wishes)
        notes = both.notes
    save(drawing, output)
    print_notes([] if quiet else notes)


def refuse_beside_history(judgments: str | None) -> None:
    """Refuse options of an evaluation for a history chart, which shows only saved scores."""
    context = click.get_current_context()
    if judgments is None:
        raise click.UsageError("no saved scores; expected files of `assay evaluate --save`", context)
    mine = ("what", "judgments", "runs", "measures", "define", "output", "baseline", "theme", "width", "height")
    look = ("title", "no_title", "font_size", "quiet", "names", "no_cache")
    for parameter in context.command.params:
        name = parameter.name or ""
        is_typed = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if is_typed and name not in (*mine, *look):
            raise click.UsageError(f"a history chart shows saved scores; {parameter.opts[0]} does not apply", context)


@command()
@options.taking([option for option in options.EVALUATION if option is not options.TOPICS_THAT_COUNT])
@options.taking([*TESTING[:3], SEED])
@option("-o", "--output", type=click.Path(), required=True, help="The HTML file to write.", group="Output")
@options.taking(options.BY_GROUP)
@option(
    "--topics",
    metavar=f"[{'|'.join(TOPICS)}]",
    default="judged",
    show_default=True,
    help=OPTIONS["topics"].help,
    group="Topics and ties",
)
@option("--which-topics", type=click.Choice(TOPICS), hidden=True, group="Topics and ties")
@option("--title", default="Retrieval report", show_default=True, help="The title of the page.", group="Chart")
@option("--date", help="A date to show; without it the same input gives the same page.", group="Output")
def report(
    judgments: str | None,
    runs: tuple[Any, ...],
    measures: tuple[str, ...],
    scores: tuple[Any, ...],
    lower_is_better: tuple[str, ...],
    format: str | None,
    define: tuple[str, ...],
    quiet: bool,
    output: str,
    topics: str,
    topics_file: str | None,
    which_topics: str | None,
    **given: Any,
) -> None:
    """Write one HTML page about the RUNs that opens offline, also from an e-mail.

    It has a summary with significance tests, interactive charts, and each topic with its rankings. With --documents it
    shows the text: what was found, what was missed, and what was returned but is not relevant.

    \b
    assay report qrels.txt bm25.run dense.run -o report.html
    assay report gold.jsonl run.jsonl --documents documents -o report.html
    assay report gold.jsonl a.jsonl --chunks a=chunks-a.jsonl -o report.html
    """
    import sys

    from assay.reporting.report import command_without_folders
    from assay.reporting.report import report as library

    file_of_topics = None if topics in TOPICS else topics
    read = given["documents"], given["chunks"], given["checked"], topics_file, file_of_topics
    refuse_output(output, judgments, runs, scores, define, *read)
    beside = given_scores(judgments, runs, scores, lower_is_better)
    if judgments is None:
        raise UsageError("a report needs JUDGMENTS and RUNs beside --scores")
    load_measures(define)
    # before there was --topics-file, --topics named the file with the titles, and --which-topics the topics that count
    if topics not in TOPICS:
        topics, topics_file = "judged", topics_file or topics
        print_notes([] if quiet else ["pass the file with the titles of topics as --topics-file"])
    given |= {"topics": which_topics or topics, "topics_file": topics_file, "scores": beside}
    command = command_without_folders(["assay", *sys.argv[1:]])
    library(judgments, list(runs), output, separate(measures) or None, format=format, command=command, **given)
    if not quiet:
        click.echo(f"wrote {output}", err=True)
