"""The commands that measure: evaluate, why, misses, audit and ceiling; and measures, which lists the measures."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from assay.cli import command as options
from assay.cli import common
from assay.cli.command import command, option
from assay.errors import UsageError, quote, shorten
from assay.files.silence import STANDARD_ERROR
from assay.options import refuse_on_spark
from assay.vocabulary import ENGINES, Overlap

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from assay.spark.cluster import ClusterScores

# Where to measure: on this machine, or on a Spark cluster.

# For commands that can measure on a cluster.
ENGINE = [
    option(
        "--engine",
        type=click.Choice(ENGINES),
        default="local",
        show_default=True,
        help="Measure on this machine, or with Apache Spark, which reads Parquet from any store.",
        group="Cluster",
    ),
    option(
        "--master",
        metavar="URL",
        help="The Spark cluster, for example spark://host:7077, yarn or local[4]; by default the one that "
        "Spark's own settings name.",
        group="Cluster",
    ),
    option(
        "--partitions",
        type=click.IntRange(1),
        help="How many partitions Spark divides the topics into; by default the number in its settings.",
        group="Cluster",
    ),
]


def refuse_cluster_options(**given: Any) -> None:
    """Refuse options of a cluster without --engine spark."""
    for name, value in given.items():
        if value is not None:
            raise UsageError(f"--{name} requires --engine spark")


def scores_on_spark(
    judgments: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    define: tuple[str, ...],
    quiet: bool,
    master: str | None,
    **rules: Any,
) -> ClusterScores:
    """Evaluate runs with Spark; the notes follow after the command's own output."""
    common.given_scores(judgments, runs, (), ())
    refuse_on_spark(rules)
    from assay.spark.cluster import evaluate

    common.load_measures(define)
    scores = evaluate(judgments or "", list(runs), common.separate(measures) or None, spark=session_at(master), **rules)
    if not quiet:
        notes = scores.notes
        click.get_current_context().call_on_close(lambda: common.print_notes(notes))
    return scores


# A Spark session: on the cluster at an address, or as Spark is set up on this machine.


def session_at(master: str | None) -> SparkSession:
    """Start a Spark session that prints nothing of its own.

    master: the cluster as Spark names it, for example spark://host:7077, yarn or local[4]; by default the one that
    Spark's own settings name.
    """
    from assay.spark.inputs import refuse_no_spark

    refuse_no_spark()
    refuse_absent_master(master or "")
    from pyspark.sql import SparkSession

    if master is None or master.startswith("local"):
        # workers on this machine use the same Python
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # what Assay does with pandas works with pandas 3 too
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    builder = SparkSession.builder.appName("assay").config("spark.log.level", "OFF")
    builder = builder.config("spark.ui.showConsoleProgress", False)
    # Spark starts a worker for each core, so one thread in each is enough
    builder = builder.config("spark.executorEnv.POLARS_MAX_THREADS", 1)
    try:
        with silent():
            return (builder if master is None else builder.master(master)).getOrCreate()
    except Exception as error:
        # Spark, Java and the network can raise anything
        why = shorten((str(error).splitlines() or [type(error).__name__])[0], 200)
        raise UsageError(
            f"Spark does not start: {why}; check that Java 17 is installed and that the cluster runs at --master"
        ) from None


# How many seconds a master may take to answer; Spark itself would wait a minute and a half.
PATIENCE = 10


def refuse_absent_master(master: str) -> None:
    """Refuse a standalone cluster if nothing listens at its address, or at any of several."""
    import socket

    scheme, _, places = master.partition("://")
    if scheme != "spark":
        return
    for place in places.split(","):
        host, _, port = place.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
            return
        except ValueError:
            what = f"{quote(master)} is not the address of a cluster"
            raise UsageError(f"{what}; expected for example spark://host:7077") from None
        except OSError as error:
            why = error.strerror or str(error)
    raise UsageError(f"no answer from {master}: {why}; check that the cluster is running and that this is its address")


@contextmanager
def silent() -> Iterator[None]:
    """Discard what is printed on standard error meanwhile; programs that start meanwhile stay silent for good."""
    with open(os.devnull, "w") as nowhere:
        try:
            shown = os.dup(STANDARD_ERROR)
        except OSError:
            # standard error is closed
            yield
            return
        os.dup2(nowhere.fileno(), STANDARD_ERROR)
        try:
            yield
        finally:
            os.dup2(shown, STANDARD_ERROR)
            os.close(shown)


@command()
@options.taking(options.EVALUATION)
@options.taking(options.BY_GROUP)
@option("--per-topic", "-q", is_flag=True, help="Show the value of each topic too.", group="Output")
@option(
    "--save",
    type=click.Path(),
    help="Also save the values of each topic to this JSON file, for example for `assay gate`.",
    group="Output",
)
@options.taking(options.PRINTING)
@options.taking(ENGINE)
def evaluate(
    per_topic: bool,
    layout: str | None,
    digits: int,
    save: str | None,
    engine: str,
    master: str | None,
    partitions: int | None,
    **given: Any,
) -> None:
    """Measure one or many RUNs against JUDGMENTS.

    Assay reads the formats of TREC and INEX, CSV, TSV, JSONL and Parquet, compressed or not; - is standard input. It
    counts characters if the judgments are highlighted text, otherwise documents.

    \b
    assay evaluate qrels.txt bm25.run dense.run
    assay evaluate qrels.txt bm25.run -m AP -m nDCG@10 --per-topic
    assay evaluate highlights.jsonl chunks.jsonl -m R@5 -m "R(chars=2000)"
    assay evaluate gold.jsonl run.jsonl --by corpus_id --topics-file queries.jsonl
    assay evaluate inex2009.qrels run.fol --task focused
    assay evaluate gold.jsonl run.jsonl -m "R(chars=2000)" --save baseline.json
    assay evaluate model.qrels bm25.run -m nDCG@10 --checked people.qrels
    assay evaluate qrels.txt BM25=runs/input.bm25 -m AP --scores latency.csv
    assay evaluate s3a://logs/judged s3a://logs/run --engine spark
    """
    layout = layout or common.default_layout()
    if save:
        read = ("judgments", "runs", "scores", "documents", "chunks", "topics_file", "checked", "define")
        common.refuse_output(save, *(given[name] for name in read))
    if engine == "spark":
        for name in ("scores", "lower_is_better"):
            if given.pop(name):
                raise UsageError(f"--{name.replace('_', '-')} works only with --engine local")
        on_cluster = scores_on_spark(**given, master=master, partitions=partitions)
        collected = on_cluster.collect() if save or per_topic else None
        if collected and save:
            collected.save(save)
        shown = collected.show(layout, per_topic, digits) if collected else on_cluster.show(layout, digits)
    else:
        refuse_cluster_options(master=master, partitions=partitions)
        scores = common.scores_of(**given)
        if save:
            scores.save(save)
        shown = scores.show(layout, per_topic, digits)
    common.say(shown, layout, nl=layout == "json")


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
@click.argument("judgments", metavar="GOLD", shell_complete=options.file_names)
@click.argument("chunks", shell_complete=options.file_names)
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


@command()
@click.argument("name", required=False, shell_complete=options.measure_names)
@option(
    "--define",
    type=click.Path(exists=True, dir_okay=False),
    multiple=True,
    help="A Python file with your own measures.",
    group="Measures",
)
def measures(name: str | None, define: tuple[str, ...]) -> None:
    """List all measures, or explain one: `assay measures nDCG`."""
    import shutil

    from assay.measures.notation import explain, listing

    common.load_measures(define)
    columns = shutil.get_terminal_size().columns if common.default_layout() == "text" else 0
    common.say(explain(name) if name else listing(columns))
