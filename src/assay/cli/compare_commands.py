"""The commands that compare systems: compare and correlate."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from assay.cli.command import command, option
from assay.cli.common import default_layout, load_measures, print_notes, say, scores_of, separate
from assay.cli.options import BY_GROUP, EVALUATION, PRINTING, TASK, TASK_NAMES, named_files, taking
from assay.errors import UsageError
from assay.vocabulary import COEFFICIENTS, CORRECTIONS, MARKS, TESTS, VIEWS

if TYPE_CHECKING:
    from assay.comparing.comparison import Comparison
    from assay.scores import Scores

SEED = option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Random seed of tests that draw samples.",
    group="Significance tests",
)
TESTING = [
    option(
        "--test",
        type=click.Choice(TESTS),
        show_default="randomisation",
        help="The test, paired by topic; with --checked always a t-test of corrected differences.",
        group="Significance tests",
    ),
    option(
        "--correct",
        type=click.Choice(CORRECTIONS),
        default="holm",
        show_default=True,
        help="Correction for multiple comparisons: Holm, Bonferroni, Benjamini-Hochberg, or none.",
        group="Significance tests",
    ),
    option("--baseline", help="Compare each run only with this one.", group="Significance tests"),
    option(
        "--tails",
        type=click.IntRange(1, 2),
        default=2,
        show_default=True,
        help="Two-sided test, or one-sided: is the first of a pair better?",
        group="Significance tests",
    ),
    option(
        "--samples",
        type=click.IntRange(100),
        default=10_000,
        show_default=True,
        help="Number of samples of tests that draw them.",
        group="Significance tests",
    ),
    SEED,
    option(
        "--level",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.05,
        show_default=True,
        help="The significance level: the largest p of a significant difference.",
        group="Significance tests",
    ),
]


def paper_columns(context: click.Context, option: click.Parameter, given: str | None) -> list[str] | None:
    """Split the columns at commas."""
    return given and [column.strip() for column in given.split(",")]  # type: ignore[return-value]


# The views of a comparison that are tables for a paper.
FOR_A_PAPER = ("baseline", "letters")


@command()
@taking(EVALUATION)
@taking(BY_GROUP)
@taking(TESTING)
@taking(PRINTING)
@option(
    "--show",
    type=click.Choice(VIEWS),
    help="All pairs (default); each run beside the --baseline, for a paper (default with one); a triangle of "
    "stars, best run first; runs by measures with letters, for a paper; how many topics each pair needs; "
    "or the chance of each run to be the best.",
    group="Tables for a paper",
)
@option(
    "--number-by",
    metavar="MEASURE",
    help="With --show stars: number the runs by their ranks by this measure, which -m must name too.",
    group="Tables for a paper",
)
@option(
    "--sort",
    is_flag=True,
    help="Sort the runs by the first measure, best first.",
    group="Tables for a paper",
)
@option(
    "--marks",
    type=click.Choice(MARKS),
    default="arrows",
    show_default=True,
    help="Marks beside a baseline: arrows, filled at a fifth of the --level, or one and two daggers.",
    group="Tables for a paper",
)
@option(
    "--caption",
    default="",
    help="The caption of the table, in plain text: LaTeX prints \\ and $ as they are.",
    group="Tables for a paper",
)
@option("--label", default="", help="The label of a LaTeX table, for example tab:results.", group="Tables for a paper")
@option(
    "--columns",
    "paper_columns",
    callback=paper_columns,
    help="Columns beside a baseline: any of value, mark, percent, wins and p, separated by commas; by default "
    "value,mark in LaTeX and all elsewhere.",
    group="Tables for a paper",
)
@option(
    "--wide/--narrow",
    default=None,
    help="A LaTeX table over two columns of a page (table*) or over one; by default whatever fits.",
    group="Tables for a paper",
)
def compare(
    test: str | None,
    correct: str,
    baseline: str | None,
    tails: int,
    samples: int,
    seed: int,
    level: float,
    layout: str | None,
    digits: int,
    show: str | None,
    number_by: str | None,
    sort: bool,
    marks: str,
    caption: str,
    label: str,
    paper_columns: list[Any] | None,
    wide: bool | None,
    **given: Any,
) -> None:
    """Compare RUNs pair by pair with paired tests: difference, confidence interval, effect size, wins, losses and p.

    \b
    assay compare qrels.txt bm25.run dense.run hybrid.run -m AP
    assay compare qrels.txt *.run -m AP --baseline bm25 --test t --correct bh
    assay compare qrels.txt *.run -m AP -m nDCG@10 --baseline bm25 --as latex
    assay compare qrels.txt *.run -m AP -m nDCG@10 --show letters --as latex
    assay compare qrels.txt *.run -m AP --show best
    assay compare qrels.txt *.run -m AgP -m iP@0.01 --show stars --number-by AgP
    assay compare model.qrels *.run -m nDCG@10 --checked people.qrels
    assay compare gold.jsonl *.jsonl --by corpus_id --topics-file queries.jsonl
    """
    from assay.comparing.significance import beside_baseline, with_letters
    from assay.comparing.significance import compare as library

    show = show or ("baseline" if baseline and not given["by"] else "pairs")
    if show not in FOR_A_PAPER and (sort or caption or label):
        options = "--sort, --caption and --label apply only to tables for a paper"
        raise UsageError(f"{options}; use --show {' or '.join(FOR_A_PAPER)}, not {show}")
    if paper_columns and show != "baseline":
        raise UsageError(f"--columns requires --show baseline, not {show}")
    if number_by and show != "stars":
        raise UsageError(f"--number-by requires --show stars, not {show}")
    if show == "baseline" and not baseline:
        raise UsageError("no baseline to compare with; pass --baseline NAME")
    scores = scores_of(**given)
    how: dict[str, Any] = {
        "baseline": baseline,
        "test": test,
        "correct": correct,
        "tails": tails,
        "samples": samples,
        "seed": seed,
    }
    layout = layout or default_layout()
    if scores.groups is not None:
        echo_groups(scores, show, layout, level, digits, quiet=given["quiet"], **how)
        return
    if show == "best":
        echo_best(scores, layout, level, digits, quiet=given["quiet"], samples=samples, seed=seed)
        return
    if show == "letters":
        table = with_letters(scores, sort=sort, **how)
        shown = table.show(layout, level, digits, caption=caption, label=label, wide=wide)
        say(shown.rstrip("\n"), layout, nl=True)
        return
    if show == "baseline":
        beside = beside_baseline(scores, sort=sort, **how)
        looks: dict[str, Any] = {"marks": marks, "caption": caption, "label": label}
        shown = beside.show(layout, level, digits, columns=paper_columns, wide=wide, **looks)
        say(shown.rstrip("\n"), layout, nl=True)
        print_notes([beside.about(level, marks)] if layout in ("tsv", "csv") and not given["quiet"] else [])
        return
    comparisons = [library(scores, measure, **how) for measure in scores.measures]
    numbered_by = library(scores, number_by, **how) if number_by else None
    views: dict[str, Callable[[Comparison], str]] = {
        "pairs": lambda comparison: comparison.show(layout, level, digits),
        "stars": lambda comparison: comparison.stars(level, layout, numbered_by),
        "needed": lambda comparison: comparison.needed(layout, level, digits=digits),
    }
    tables = [views[show](comparison).rstrip() for comparison in comparisons]
    form = layout if show != "stars" else "text"
    say(tables_as_text(form, [str(comparison.measure) for comparison in comparisons], tables), layout, nl=True)
    if layout in ("tsv", "csv") and not given["quiet"]:
        for comparison in comparisons:
            significant = f"{len(comparison.significant(level))} of {len(comparison.pairs)} pairs"
            print_notes([f"{comparison.measure}: {significant}; {comparison.about(level)}"])


def echo_best(scores: Scores, layout: str, level: float, digits: int, quiet: bool, **how: Any) -> None:
    """Print the chance of each run to be the best, by each measure."""
    from assay.comparing.significance import drawn_best

    chances = [drawn_best(scores, measure, **how) for measure in scores.measures]
    tables = [chance.show(layout, level, digits).rstrip() for chance in chances]
    say(tables_as_text(layout, [str(chance.measure) for chance in chances], tables), layout, nl=True)
    if layout in ("tsv", "csv") and not quiet:
        print_notes([f"{chance.measure}: {chance.about(level)}" for chance in chances])


def echo_groups(scores: Scores, show: str, layout: str, level: float, digits: int, quiet: bool, **how: Any) -> None:
    """Print the pairs of each group of topics."""
    from assay.comparing.significance import compared_by_group

    if show != "pairs":
        raise UsageError(f"groups can be shown only as pairs, not as {show}; leave out --show or --by")
    comparisons = [compared_by_group(scores, measure, **how) for measure in scores.measures]
    tables = [comparison.show(layout, level, digits).rstrip() for comparison in comparisons]
    say(tables_as_text(layout, [str(comparison.measure) for comparison in comparisons], tables), layout, nl=True)
    if quiet:
        return
    for comparison in comparisons:
        about = [f"{comparison.measure}: {comparison.about(level)}"] if layout in ("tsv", "csv") else []
        print_notes([*about, *comparison.notes])


def tables_as_text(layout: str, names: list[str], tables: list[str]) -> str:
    """Join the tables of several measures: a list in JSON, one table with a measure column in TSV and CSV."""
    if layout == "json":
        return tables[0] if len(tables) == 1 else f"[{', '.join(tables)}]"
    if layout not in ("tsv", "csv"):
        return "\n\n".join(tables)
    separator = "\t" if layout == "tsv" else ","
    lines = ["measure" + separator + tables[0].splitlines()[0]]
    for name, table in zip(names, tables, strict=True):
        quoted = f'"{name}"' if separator in name else name
        lines += [quoted + separator + line for line in table.splitlines()[1:] if line]
    return "\n".join(lines)


@command()
@taking([option for option in EVALUATION if option is not TASK])
@taking(PRINTING)
@option(
    "--task",
    "tasks",
    multiple=True,
    type=TASK_NAMES,
    metavar="TASK",
    help="A task of INEX whose measures to correlate; repeatable, then the mean over tasks is shown.",
    group="INEX",
)
@option(
    "--coefficient",
    type=click.Choice(COEFFICIENTS),
    default="tau-b",
    show_default=True,
    help="Kendall's tau-b, tau_AP (weighs the top more), rank-biased overlap, Pearson's r of the values, or "
    "Spearman's rho.",
)
@option(
    "--task-scores",
    multiple=True,
    metavar="[NAME=]FILE",
    callback=named_files,
    help="Scores of one task that `assay evaluate --save` wrote, instead of JUDGMENTS and RUNs; repeatable, "
    "then the mean over tasks is shown.",
)
@option("--by", help="Correlate by this parameter of the measures, for example quant, instead of by measure.")
@option("--over", help="Take the mean over this parameter of the measures, for example quant.")
def correlate(
    coefficient: str,
    by: str | None,
    over: str | None,
    tasks: tuple[str, ...],
    task_scores: tuple[Any, ...],
    layout: str | None,
    digits: int,
    **given: Any,
) -> None:
    """Correlate the rankings of the RUNs by several measures, as a matrix, and name the runs on which measures disagree
    most.

    \b
    assay correlate qrels.txt *.run -m AP -m nDCG@10 -m P@10
    assay correlate assessments *.xml --task CO.Focussed --by quant
    assay correlate --task-scores focussed.json --task-scores thorough.json
    """
    from assay.comparing.correlation import correlate as library

    asked: list[str] | None = None
    scores: Scores | dict[str, Scores]
    if task_scores:
        scores, asked = scores_of_tasks(task_scores, tasks, given), separate(given["measures"]) or None
    else:
        scores = {task: scores_of(task=task, **given) for task in tasks} or scores_of(task=None, **given)
    correlation = library(scores, asked, coefficient=coefficient, by=by, over=over)
    layout = layout or default_layout()
    say(correlation.show(layout, digits).rstrip(), layout, nl=True)
    print_notes([] if given["quiet"] else correlation.notes)


def scores_of_tasks(files: tuple[Any, ...], tasks: tuple[str, ...], given: dict[str, Any]) -> dict[str, Scores]:
    """Read the scores of tasks, one file each, by the names of the tasks."""
    from assay.api import read_scores
    from assay.reading.given import source_of

    if given["judgments"] is not None or given["scores"] or tasks:
        raise UsageError("--task-scores takes the place of JUDGMENTS, RUNs, --task and --scores")
    load_measures(given["define"])
    named: dict[str, Scores] = {}
    for file in files:
        name = source_of(file).stem
        if name in named:
            raise UsageError(f"task {name} was given twice; name each file, for example NAME=FILE")
        # NAME=FILE names the task here, not the run
        named[name] = read_scores(source_of(file).path)
    return named
