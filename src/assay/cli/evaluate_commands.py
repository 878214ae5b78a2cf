"""The command that measures, evaluate; and measures, which lists the measures."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from assay.cli import common, options
from assay.cli.command import command, measure_names, option
from assay.errors import UsageError, quote, shorten
from assay.files.silence import STANDARD_ERROR
from assay.options import refuse_on_spark
from assay.vocabulary import ENGINES

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
@click.argument("name", required=False, shell_complete=measure_names)
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
