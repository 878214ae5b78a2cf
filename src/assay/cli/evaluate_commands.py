"""The commands that measure: evaluate, why, misses, audit, ceiling, and measures, which tells what can be measured."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from assay.cli import command_options as options
from assay.cli.command import command, option
from assay.cli.common import (
    default_layout,
    given_scores,
    in_options,
    load_measures,
    noted,
    refuse_output,
    say,
    scores_of,
    separate,
)
from assay.errors import UsageError, quoted, shortened
from assay.files.silence import STANDARD_ERROR
from assay.options import refuse_on_spark
from assay.vocabulary import ENGINES, Overlap

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from assay.spark.cluster import ClusterScores

# What measures: this machine, or a Spark cluster.

# What a command takes that may be measured on a cluster.
ENGINE = [
    option(
        "--engine",
        type=click.Choice(ENGINES),
        default="local",
        show_default=True,
        help="What measures: this machine, or Apache Spark, which reads Parquet from any store.",
        group="Cluster",
    ),
    option(
        "--master",
        metavar="URL",
        help="The cluster of --engine spark, as spark://host:7077, yarn or local[4]; by default as Spark is set up.",
        group="Cluster",
    ),
    option(
        "--partitions",
        type=click.IntRange(1),
        help="Into how many parts --engine spark divides the topics; by default as Spark is set up.",
        group="Cluster",
    ),
]


def refuse_cluster_options(**given: Any) -> None:
    """What is told of a cluster needs one."""
    for name, value in given.items():
        if value is not None:
            raise UsageError(f"--{name} goes with --engine spark")


def scores_on_spark(
    judgments: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    define: tuple[str, ...],
    quiet: bool,
    master: str | None,
    **rules: Any,
) -> ClusterScores:
    """The scores of some runs, measured by Spark; what was decided is printed when the command has printed its own."""
    given_scores(judgments, runs, (), ())
    refuse_on_spark(rules)
    from assay.spark.cluster import evaluate

    load_measures(define)
    scores = evaluate(judgments or "", list(runs), separate(measures) or None, spark=session_at(master), **rules)
    if not quiet:
        notes = scores.notes
        click.get_current_context().call_on_close(lambda: noted(notes))
    return scores


# A Spark session: on the cluster of an address, or as Spark is set up on this machine.


def session_at(master: str | None) -> SparkSession:
    """A session that says nothing but what Assay says.

    master: as Spark names clusters, spark://host:7077, yarn or local[4]; by default the one that Spark is set up for.
    """
    from assay.spark.inputs import refuse_no_spark

    refuse_no_spark()
    refuse_absent_master(master or "")
    from pyspark.sql import SparkSession

    if master is None or master.startswith("local"):
        # workers on this machine are of the Python that is running
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # pandas 3 is as good for what is asked of it here
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    builder = SparkSession.builder.appName("assay").config("spark.log.level", "OFF")
    builder = builder.config("spark.ui.showConsoleProgress", False)
    # Spark starts a worker for each core
    builder = builder.config("spark.executorEnv.POLARS_MAX_THREADS", 1)
    try:
        with silent():
            return (builder if master is None else builder.master(master)).getOrCreate()
    except Exception as error:
        # whatever Spark, Java or the network says
        why = shortened((str(error).splitlines() or [type(error).__name__])[0], 200)
        raise UsageError(f"Spark does not start: {why}; expected Java 17, and a cluster where master= says") from None


# Seconds that a master may take to answer; Spark itself would wait for a minute and a half.
PATIENCE = 10


def refuse_absent_master(master: str) -> None:
    """Somebody must listen where the master of a standalone cluster is said to be, or one of several."""
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
            what = f"{quoted(master)} is no address of a cluster"
            raise UsageError(f"{what}; expected one like spark://host:7077") from None
        except OSError as error:
            why = error.strerror or str(error)
    raise UsageError(f"nobody answers at {master}: {why}; is the cluster running, and is this its address?")


@contextmanager
def silent() -> Iterator[None]:
    """Show nothing of what is printed on standard error meanwhile, and ever after by programs started meanwhile."""
    with open(os.devnull, "w") as nowhere:
        try:
            shown = os.dup(STANDARD_ERROR)
        except OSError:
            # it is closed
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
@options.taking(options.GROUPS)
@option("--per-topic", "-q", is_flag=True, help="Show every topic before the values over all topics.", group="Output")
@option(
    "--save",
    type=click.Path(),
    help="Also write the values of every topic in full to a JSON file, for `assay gate`.",
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

    Files may be those of TREC and INEX, CSV, TSV, JSONL or Parquet, compressed or not; - is standard input. Where text
    is highlighted characters are counted, else documents.

    \b
    assay evaluate qrels.txt bm25.run dense.run
    assay evaluate qrels.txt bm25.run -m AP -m nDCG@10 --per-topic
    assay evaluate highlights.jsonl chunks.jsonl -m R@5 -m "R(chars=2000)"
    assay evaluate gold.jsonl chunks.jsonl -m R@5 --by corpus_id --topics-file queries.jsonl
    assay evaluate inex2009.qrels run.fol --task focused
    assay evaluate gold.jsonl chunks.jsonl -m "R(chars=2000)" --save baseline.json
    assay evaluate model.qrels bm25.run dense.run -m nDCG@10 --checked people.qrels
    assay evaluate qrels.txt BM25=runs/input.bm25 -m AP -m latency --scores latency.csv --lower-is-better latency
    assay evaluate s3a://logs/judged s3a://logs/run --engine spark --master spark://host:7077
    """
    layout = layout or default_layout()
    if save:
        read = ("judgments", "runs", "scores", "documents", "chunks", "topics_file", "checked", "define")
        refuse_output(save, *(given[name] for name in read))
    if engine == "spark":
        if given.pop("scores") or given.pop("lower_is_better"):
            raise UsageError("--scores works only with --engine local")
        on_cluster = scores_on_spark(**given, master=master, partitions=partitions)
        collected = on_cluster.collect() if save or per_topic else None
        if collected and save:
            collected.save(save)
        shown = collected.show(layout, per_topic, digits) if collected else on_cluster.show(layout, digits)
    else:
        refuse_cluster_options(master=master, partitions=partitions)
        scores = scores_of(**given)
        if save:
            scores.save(save)
        shown = scores.show(layout, per_topic, digits)
    say(shown, layout, nl=layout == "json")


@command()
@options.JUDGMENTS
@click.argument("runs", nargs=-1, metavar="[RUN]...", shell_complete=options.file_names)
@options.taking(options.RULES)
@option(
    "--top", type=click.IntRange(1), default=10, show_default=True, help="How many results of a topic are near the top."
)
@option(
    "--judge-next",
    type=click.IntRange(1),
    metavar="N",
    help="Print the N unjudged documents that most runs rank highest, instead of the page.",
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
    """Tell how far JUDGMENTS can be trusted, with the RUNs of some systems: a page to read before a benchmark is used.

    Judged documents that are not in the --documents, or whose text other documents have too; topics with nothing
    relevant, that every run solves or misses, or that decide nothing; unjudged documents near the top of runs; how far
    the order of the runs depends on single topics and on ties; the smallest difference that these topics can show; and
    which judgments would be worth most next. What cannot be checked without runs or documents says so.

    \b
    assay audit qrels.txt *.run --documents corpus.jsonl
    assay audit qrels.txt *.run -m nDCG@10 --as md > audit.md
    assay audit qrels.txt *.run --judge-next 50 > pool.tsv
    """
    from assay.api import audit as library

    load_measures(define)
    found = library(judgments, list(runs) or None, separate(measures) or None, top=top, **rules)
    layout = layout or default_layout()
    say(in_options(found.next(layout, judge_next) if judge_next else found.show(layout)), layout)
    noted([] if quiet else found.notes)


@command()
@options.taking(options.OF_ONE_RUN)
@option("--topic", help="The topic to show; needed unless there is only one.")
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
    """Show where a value comes from: the ranking of one topic, row by row, and the formula with the numbers put in.

    For each measure there is a row for each result of the RUN: what was judged, the columns that the formula names,
    what the row adds to the value, and the ideal ranking beside it. The last line is the value, as evaluate prints it.

    \b
    assay why qrels.txt bm25.run -m AP -m nDCG@10 --topic 7
    assay why gold.jsonl chunks.jsonl -m AiP --topic q14 --as md
    """
    from assay.api import why as library

    load_measures(define)
    worked = library(judgments, run, separate(measures) or None, topic=topic, **rules)
    layout = layout or default_layout()
    say(worked.show(layout, digits), layout)
    noted([] if quiet else worked.notes)


@command()
@options.taking([options.JUDGMENTS, options.RUNS, options.NAMING, *options.RULES])
@option("--stages", is_flag=True, help="The RUNs are the stages of one pipeline, in order.")
@option("--top", type=click.IntRange(1), default=10, show_default=True, help="So many questions.")
@option("--all", "everything", is_flag=True, help="All questions that missed a fact.")
@options.TYPED["topics_file"]
@option("--chart", "drawing", type=click.Path(), help="Draw what became of all facts: .svg, .png, .pdf or .html.")
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
    """Tell which questions lost most, and for each fact that was missed why.

    A fact is what a column `fact` of JUDGMENTS names, or else an excerpt. Of each that was not read before the cut-off
    of the measure, FactRecall@5 by default, the first cause that holds is told: no chunk, document not returned, not
    returned, too low, cut (by the budget), list ended. With --stages the cause is the stage that lost it: not in the
    corpus, no chunk, not a candidate, reranked away, beyond the budget.

    \b
    assay misses gold.jsonl run.jsonl --documents documents --topics-file questions.jsonl
    assay misses gold.jsonl run.jsonl -m "FactRecall(tokens=2000, fit=stop)" --tokenizer words --documents documents
    assay misses gold.jsonl --stages candidates.run reranked.run prompt.run --chart waterfall.svg
    """
    from assay.api import misses as library

    if drawing is not None:
        refuse_output(drawing, judgments, runs, define, rules["documents"], rules["chunks"], rules["topics_file"])
    load_measures(define)
    told = library(judgments, list(runs), separate(measures) or None, top=None if everything else top, **rules)
    if drawing is not None:
        from assay.api import chart
        from assay.charts.saving import save

        save(chart(told), drawing)
    layout = layout or default_layout()
    say(told.show(layout, digits), layout)
    noted([] if quiet else told.notes)


@command()
@click.argument("judgments", metavar="GOLD", shell_complete=options.file_names)
@click.argument("chunks", shell_complete=options.file_names)
@click.argument("runs", nargs=-1, metavar="[RUN]...", callback=options.named_files, shell_complete=options.file_names)
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
    """Tell the best recall, precision and F that any ranking of the CHUNKS could reach against GOLD, how many excerpts
    no single chunk holds, and how long the chunks are.

    GOLD has spans or quotations, as for evaluate. CHUNKS has all chunks of the corpus, whether any system returned them
    or not: a JSONL, CSV, TSV or Parquet file with a document, start and end in each row, or a text that is looked for
    in the --documents. Of each RUN over these chunks it is told what was lost by the retriever, by its list, where that
    ends before the cut-off, by the chunker and by the budget. A ceiling is exact where a ranking reaches it; else at
    most, a bound that none surpasses. Measures are R, P, F and IoU, as R@5 or "F(chars=2000)".

    \b
    assay ceiling gold.jsonl chunks.jsonl
    assay ceiling gold.jsonl chunks.jsonl run.jsonl -m R@5 -m "R(chars=2000)"
    """
    from assay.api import ceiling as library

    asked = separate(measures) or None
    table = library(judgments, chunks, list(runs), asked, overlap=overlap or "paid", **rules)
    layout = layout or default_layout()
    say(table.show(layout, digits), layout)
    noted([] if quiet else table.notes)


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

    load_measures(define)
    columns = shutil.get_terminal_size().columns if default_layout() == "text" else 0
    say(explain(name) if name else listing(columns))
