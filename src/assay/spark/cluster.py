"""evaluate on a cluster: judgments and runs that Spark holds or can read -> values of each topic, and means."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError
from assay.evaluation.asked import asked_for, refuse_unknown_policy
from assay.evaluation.blanks_ignored import blanks_ignored
from assay.evaluation.evaluated import tokens_of
from assay.evaluation.grade_notes import between_0_and_1, notes_on_grades
from assay.evaluation.named_runs import named_runs
from assay.evaluation.placing import Placing
from assay.formats.format import Request
from assay.formats.reading import opened_documents
from assay.measures.base import Measure
from assay.ranking.gold_standards import refuse_unknown_annotators
from assay.spark.cluster_scores import ClusterScores, plain_errors
from assay.spark.inputs import Inputs, SparkTable, refuse_no_spark
from assay.spark.rows import PART
from assay.spark.topic_blocks import TOPIC_KEY
from assay.spark.worker import Work
from assay.tables.column_names import told_columns
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
    asked = asked_for(measures, task, quant, alpha, ties, depth, judged_only, overlap, duplicates)
    told, collection = told_columns(columns), opened_documents(documents)
    placing = Placing(collection, format, texts, told)
    blanks_ignored(blanks, collection, is_shown=False)
    tokens = tokens_of(collection, tokenizer, blanks)
    request = Request(collection, ties == "rank", pools=pools, columns=told, every_column=False)
    with plain_errors():
        inputs = Inputs(spark or active_session(), placing, told, format, request)
        named = named_runs(runs)
        inputs.refuse_unknown_columns([judgments, *named.values()])
        judged = inputs.judgments(judgments, annotators)
        tables = [inputs.run(run, name, judged.like) for name, run in named.items()]
        refuse_unknown_annotators(annotators, judged.annotators, judged.part.name)
        chosen = asked.measures_for(judged.like, collection, blanks, has_tokenizer=tokens is not None)
        notes = notes_on_grades(chosen, judged.like)
        if judged.fractions:
            between = between_0_and_1(chosen, judged.fractions, judged.lowest)
            notes += [f"{judged.part.name}: {note}" for note in between]
        everything = [judged, *tables]
        work = Work([table.part for table in everything], chosen, asked.rules, topics, judged.top_grade)
        # the workers are in other folders
        work.documents = os.path.abspath(documents) if isinstance(documents, str | os.PathLike) else documents
        work.tokenizer, work.blanks, work.annotators = tokenizer, blanks, annotators
        send_own_measures(chosen)
        values = together(everything, partitions, clustered).mapInArrow(work.partition, schema(work)).persist()
        if clustered:
            refuse_not_clustered(values)
    return ClusterScores(values, work, [*placing.notes, *blanks_note(blanks, judged.part.name), *notes])


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
    """The columns of the values: the run, the topic, the measures, and what was noticed."""
    from pyspark.sql.types import BinaryType, DoubleType, StringType, StructField, StructType

    run, topic, *measures, summary = work.names
    labels = [StructField(name, StringType()) for name in (run, topic)]
    values = [StructField(name, DoubleType()) for name in measures]
    return StructType([*labels, *values, StructField(summary, BinaryType())])


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


def blanks_note(blanks: Blanks, name: str) -> list[str]:
    """That blanks are not counted."""
    return [f"{name}: blanks are not counted"] if blanks == "ignore" else []
