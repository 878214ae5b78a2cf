"""The commands that explain values: audit, why, misses and ceiling."""

from __future__ import annotations

from typing import Any

import click

from assay.cli import common, options
from assay.cli.command import command, file_names, option
from assay.vocabulary import Overlap


@command()
@options.JUDGMENTS
@options.RUNS_OR_NONE
@options.taking(options.RULES)
@option(
    "--top",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="How many results of a topic count as near the top.",
)
@option(
    "--judge-next",
    type=click.IntRange(1),
    metavar="N",
    help="Print only the N unjudged documents that most runs rank highest.",
)
@options.LAYOUT
def audit(
    judgments: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    define: tuple[str, ...],
    quiet: bool,
    top: int,
    judge_next: int | None,
    layout: str | None,
    **rules: Any,
) -> None:
    """Check how far JUDGMENTS can be trusted, with the RUNs of some systems. Read this before you use a benchmark.

    The page lists judged documents that are missing from the --documents or have the same text as others; topics with
    nothing relevant, or that every run solves or misses; unjudged documents near the top; how far the order of the runs
    depends on single topics and on ties; the smallest difference that these topics can detect; and which documents to
    judge next. It says what cannot be checked without runs or documents.

    \b
    assay audit qrels.txt *.run --documents corpus.jsonl
    assay audit qrels.txt *.run -m nDCG@10 --as md > audit.md
    assay audit qrels.txt *.run --judge-next 50 > pool.tsv
    """
    from assay.api import audit as library

    common.load_measures(define)
    found = library(judgments, list(runs) or None, common.separate(measures) or None, top=top, **rules)
    layout = layout or common.default_layout()
    common.say(common.in_options(found.next(layout, judge_next) if judge_next else found.show(layout)), layout)
    common.print_notes([] if quiet else found.notes)


@command()
@options.taking(options.OF_ONE_RUN)
@option("--topic", help="The topic to show; required if there are several.")
@options.taking(options.PRINTING)
def why(
    judgments: str,
    run: str,
    measures: tuple[str, ...],
    define: tuple[str, ...],
    quiet: bool,
    topic: str | None,
    layout: str | None,
    digits: int,
    **rules: Any,
) -> None:
    """Show how the value of one topic is computed: the ranking, row by row, and the formula with its numbers.

    Each row is a result of the RUN: its judgment, the columns that the formula names, what it adds to the value, and
    the ideal ranking beside it. The last line is the value, as `assay evaluate` prints it.

    \b
    assay why qrels.txt bm25.run -m AP -m nDCG@10 --topic 7
    assay why gold.jsonl chunks.jsonl -m AiP --topic q14 --as md
    """
    from assay.api import why as library

    common.load_measures(define)
    worked = library(judgments, run, common.separate(measures) or None, topic=topic, **rules)
    layout = layout or common.default_layout()
    common.say(worked.show(layout, digits), layout)
    common.print_notes([] if quiet else worked.notes)


@command()
@options.taking([options.JUDGMENTS, options.RUNS, options.NAMING, *options.RULES])
@option("--stages", is_flag=True, help="Take the RUNs as the stages of one pipeline, in order.")
@option("--top", type=click.IntRange(1), default=10, show_default=True, help="How many questions to list.")
@option("--all", "everything", is_flag=True, help="List all questions that missed a fact.")
@options.TYPED["topics_file"]
@option(
    "--chart",
    "drawing",
    type=click.Path(),
    help="Also draw a waterfall of all facts to this .svg, .png, .pdf or .html file.",
)
@options.taking(options.PRINTING)
def misses(
    judgments: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    define: tuple[str, ...],
    quiet: bool,
    top: int,
    everything: bool,
    drawing: str | None,
    layout: str | None,
    digits: int,
    **rules: Any,
) -> None:
    """List the questions that lost most, and why each missed fact was missed.

    A fact is what a column `fact` of JUDGMENTS names, or else an excerpt. For each fact that was not read before the
    cut-off of the measure (FactRecall@5 by default), the first cause that applies is shown: no chunk, document not
    returned, not returned, too low, cut (by the budget), list ended. With --stages the cause is the stage that lost the
    fact: not in the corpus, no chunk, not a candidate, reranked away, beyond the budget.

    \b
    assay misses gold.jsonl run.jsonl --topics-file questions.jsonl
    assay misses gold.jsonl run.jsonl -m "FactRecall(chars=2000, fit=stop)"
    assay misses gold.jsonl --stages candidates.run prompt.run --chart losses.svg
    """
    from assay.api import misses as library

    if drawing is not None:
        common.refuse_output(
            drawing, judgments, runs, define, rules["documents"], rules["chunks"], rules["topics_file"]
        )
    common.load_measures(define)
    told = library(judgments, list(runs), common.separate(measures) or None, top=None if everything else top, **rules)
    if drawing is not None:
        from assay.api import chart
        from assay.charts.saving import save

        save(chart(told), drawing)
    layout = layout or common.default_layout()
    common.say(told.show(layout, digits), layout)
    common.print_notes([] if quiet else told.notes)


@command()
@click.argument("judgments", metavar="GOLD", shell_complete=file_names)
@click.argument("chunks", shell_complete=file_names)
@options.RUNS_OR_NONE
@options.taking([options.MEASURE, options.NAMING, *options.CEILING])
@options.taking(options.PRINTING)
@options.QUIET
def ceiling(
    judgments: str,
    chunks: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    overlap: Overlap | None,
    layout: str | None,
    digits: int,
    quiet: bool,
    **rules: Any,
) -> None:
    """Compute the best recall, precision and F that any ranking of the CHUNKS could reach against GOLD, how many
    excerpts no single chunk contains, and how long the chunks are.

    GOLD has spans or quotes. CHUNKS has all chunks of the corpus, returned or not: a JSONL, CSV, TSV or Parquet file
    with a document, start and end in each row, or a text that Assay finds in the --documents. For each RUN over these
    chunks the table shows what the retriever lost, what its list lost by ending before the cut-off, what the chunker
    lost, and what the budget lost. A ceiling is exact if a ranking reaches it; otherwise it is an upper bound ("at
    most"). The measures are R, P, F and IoU, for example R@5 or "F(chars=2000)".

    \b
    assay ceiling gold.jsonl chunks.jsonl
    assay ceiling gold.jsonl chunks.jsonl run.jsonl -m R@5 -m "R(chars=2000)"
    """
    from assay.api import ceiling as library

    asked = common.separate(measures) or None
    table = library(judgments, chunks, list(runs), asked, overlap=overlap or "paid", **rules)
    layout = layout or common.default_layout()
    common.say(table.show(layout, digits), layout)
    common.print_notes([] if quiet else table.notes)
