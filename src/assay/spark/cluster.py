"""evaluate on a cluster: judgments and runs that Spark holds or can read -> values of each topic, and means."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError
from assay.evaluation.asked import AskedMeasures, asked_for
from assay.evaluation.blanks_ignored import blanks_ignored
from assay.evaluation.grade_notes import between_0_and_1, notes_on_grades
from assay.evaluation.groups import grouping_by
from assay.evaluation.named_runs import named_runs, refuse_two_streams
from assay.evaluation.options import Options, refuse_unknown_policy
from assay.evaluation.origin import Origin
from assay.evaluation.placing import Placing
from assay.evaluation.provenance import Provenance, provenance_of
from assay.formats.foreign import judgments_given
from assay.formats.format import Request
from assay.formats.reading import refuse_unknown_columns
from assay.measures.base import Measure
from assay.ranking.gold_standards import refuse_unknown_annotators, told_by
from assay.ranking.rules import Rules
from assay.spark.cluster_scores import ClusterScores, plain_errors
from assay.spark.inputs import Inputs, JudgedTable, SparkTable, refuse_no_spark
from assay.spark.rows import PART
from assay.spark.topic_blocks import TOPIC_KEY
from assay.spark.worker import Work
from assay.vocabulary import Blanks, Duplicates, Overlap, Texts, Ties, Topics

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


def evaluate(
    judgments: Any,
    runs: Any,
    measures: Any = None,
    *,
    documents: Any = None,
    ties: Ties = "docno",
    overlap: Overlap | None = None,
    task: str | None = None,
    quant: str | Sequence[str] | None = None,
    alpha: float | None = None,
    pools: Collection[str] | None = None,
    topics: Topics = "judged",
    depth: int | None = None,
    judged_only: bool = False,
    texts: Texts = "check",
    blanks: Blanks = "count",
    duplicates: Duplicates = "refuse",
    annotators: str | None = None,
    by: Mapping[Any, Any] | str | None = None,
    topics_file: str | os.PathLike[str] | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    tokenizer: str | Callable[[str], Sequence[tuple[int, int]]] | None = None,
    clustered: bool = False,
    partitions: int | None = None,
    spark: SparkSession | None = None,
) -> ClusterScores:
    """Scores of one or many runs, measured by the workers of a Spark cluster, to the bit as `assay.evaluate` has them.

    judgments, runs: Spark DataFrames, or paths of Parquet on any store that Spark can read, with the columns that
    `assay.evaluate` takes. What else that takes, as TREC and INEX files, is read on this machine and sent to the
    workers. Nothing is measured before something is asked of the result.
    documents: a path that all workers can read, or a dict. ties: as of `assay.evaluate`, but not input: the rows of a
    table on a cluster have no order. texts: of what is read on this machine; Spark's tables have offsets.
    by, topics_file: as of `assay.evaluate`; the groups are read on this machine and sent to the workers.
    clustered: all tables are bucketed by their topic, into as many buckets each; then nothing is shuffled.
    partitions: how many parts the topics are shuffled into; by default as spark.sql.shuffle.partitions says.
    spark: the session; by default the one that is active, or a new one.
    All other parameters are those of `assay.evaluate`, of which copies are looked for on one machine only.
    """
    refuse_no_spark()
    if ties == "input":
        what = "rows of a table on a cluster have no order, and ties cannot be left in it"
        raise UsageError(f"{what}; break ties by docno or rank, or leave them open with expected")
    refuse_unknown_policy(topics)
    grouping = None if by is None and topics_file is None else grouping_by(by, topics_file)
    options = Options(
        documents=documents,
        ties=ties,
        overlap=overlap,
        task=task,
        quant=quant,
        alpha=alpha,
        pools=pools,
        topics=topics,
        depth=depth,
        judged_only=judged_only,
        texts=texts,
        blanks=blanks,
        duplicates=duplicates,
        annotators=annotators,
        format=format,
        columns=columns,
        tokenizer=tokenizer,
    )
    asked = asked_for(measures, options)
    # an unknown policy is refused before anything is read
    blanks_ignored(blanks, options.collection, is_shown=False)
    with plain_errors():
        tables = tables_of(judgments, runs, asked, options, spark or active_session())
        judged, everything = tables.judged, [tables.judged, *tables.runs]
        has_tokenizer = options.tokens is not None
        chosen = asked.measures_for(judged.like, options.collection, blanks, has_tokenizer=has_tokenizer)
        # the workers are in other folders
        there = os.path.abspath(documents) if isinstance(documents, str | os.PathLike) else documents
        sent = replace(options, documents=there)
        work = Work([table.part for table in everything], chosen, asked.rules, sent, judged.top_grade, grouping)
        send_own_measures(chosen)
        values = together(everything, partitions, clustered).mapInArrow(work.partition, schema(work)).persist()
        if clustered:
            refuse_not_clustered(values)
    notes = [*tables.notes, *notes_on_judgments(judged, chosen, blanks)]
    origin = Origin(lambda: provenance_on_cluster(judged, chosen, asked.rules, options))
    return ClusterScores(values, work, notes, origin)


@dataclass(frozen=True, eq=False)
class Tables:
    """Judgments and runs as Spark holds them, and what was decided in reading them."""

    judged: JudgedTable
    runs: list[SparkTable]
    notes: list[str]


def tables_of(judgments: Any, runs: Any, asked: AskedMeasures, options: Options, spark: SparkSession) -> Tables:
    """The tables of judgments and runs, however they were given."""
    collection, told, format = options.collection, options.told_columns, options.format
    placing = Placing(collection, format, options.texts, told)
    ranks, pools = options.ties == "rank", options.pools
    request = Request(collection, ranks, pools=pools, columns=told, every_column=False, **asked.of_judgments)
    inputs = Inputs(spark, placing, told, format, request)
    gold = inputs.opened(judgments_given(judgments))
    named = {name: inputs.opened(run) for name, run in named_runs(runs).items()}
    refuse_two_streams([gold, *named.values()])
    if told:
        refuse_unknown_columns([gold, *named.values()], format, told)
    is_path = isinstance(judgments, str | os.PathLike)
    judged = inputs.judgments(gold, os.fspath(judgments) if is_path else "judgments", options.annotators)
    tables = [inputs.run(run, name, judged.like) for name, run in named.items()]
    refuse_unknown_annotators(options.annotators, judged.annotators, judged.part.name)
    return Tables(judged, tables, placing.notes)


def notes_on_judgments(judged: JudgedTable, measures: list[Measure], blanks: Blanks) -> list[str]:
    """What is to be said of all judgments, which a worker does not see."""
    notes = [f"{judged.part.name}: blanks are not counted"] if blanks == "ignore" else []
    notes += notes_on_grades(measures, judged.like)
    between = between_0_and_1(measures, judged.fractions, judged.lowest) if judged.fractions else []
    return [*notes, *(f"{judged.part.name}: {note}" for note in between)]


def provenance_on_cluster(judged: JudgedTable, measures: list[Measure], rules: Rules, options: Options) -> Provenance:
    """What the scores were made of; all judgments come to this machine for it."""
    with plain_errors():
        gold = judged.collected()
    if without_blanks := blanks_ignored(options.blanks, options.collection, is_shown=False):
        gold, _ = without_blanks.judgments(gold)
    decisions = options.decisions(rules.overlap)
    return provenance_of(told_by(gold, options.annotators), options.collection, measures, decisions)


def active_session() -> SparkSession:
    """The session that is active, or a new one."""
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()


def together(tables: list[SparkTable], partitions: int | None, clustered: bool) -> DataFrame:
    """The rows of all tables, those of a topic in one partition, sorted by the 64-bit key of the topic.

    Numbers are sorted faster than names; what becomes of topics that share a key is told in topic_blocks.py.
    """
    from pyspark.sql import functions

    numbers = (functions.lit(number).cast("smallint") for number in range(len(tables)))
    parts = [table.frame.withColumn(PART, number) for table, number in zip(tables, numbers, strict=True)]
    rows = reduce(lambda ours, theirs: ours.unionByName(theirs, allowMissingColumns=True), parts)
    rows = rows.withColumn(TOPIC_KEY, topic_key())
    if not clustered:
        rows = rows.repartition(*([] if partitions is None else [partitions]), TOPIC_KEY)
    return rows.sortWithinPartitions(TOPIC_KEY)


def topic_key() -> Column:
    """A 64-bit number for each topic."""
    from pyspark.sql import functions

    return functions.xxhash64("topic")


def schema(work: Work) -> Any:
    """The columns of the values, as Spark types them."""
    from pyspark.sql.types import BinaryType, BooleanType, DoubleType, StringType, StructField, StructType

    run, topic, *measures, lacked, summary = work.names
    labels = [StructField(name, StringType()) for name in (run, topic)]
    values = [StructField(name, DoubleType()) for name in measures]
    return StructType([*labels, *values, StructField(lacked, BooleanType()), StructField(summary, BinaryType())])


def refuse_not_clustered(values: DataFrame) -> None:
    """Where nothing is shuffled, the plan must say that all rows of a topic are in one partition."""
    manager = values.sparkSession._jsparkSession.sharedState().cacheManager()
    plan = manager.lookupCachedData(values._jdf).get().cachedRepresentation().cacheBuilder().cachedPlan()
    if not plan.child().outputPartitioning().toString().startswith("hashpartitioning(topic#"):
        values.unpersist()
        what = "clustered=True is for tables that are bucketed by their topic, into as many buckets each"
        raise UsageError(f"{what}; Spark knows nothing of it here: write them with bucketBy, and read them as tables")


def send_own_measures(measures: list[Measure]) -> None:
    """Measures of the user's own are sent to the workers with their code, as their modules need not be there."""
    from pyspark.cloudpickle import register_pickle_by_value

    for home in {type(measure).__module__ for measure in measures}:
        if not home.startswith("assay.") and home in sys.modules:
            register_pickle_by_value(sys.modules[home])
