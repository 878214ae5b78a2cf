"""Evaluate on a Spark cluster: tables of judgments and runs become values of each topic, and means."""

from __future__ import annotations

import os
import pickle
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import compress
from typing import TYPE_CHECKING, Any, Unpack
from weakref import WeakSet

import numpy as np

from assay import __version__
from assay.errors import AssayError, UsageError, shorten
from assay.evaluation.evaluate import AskedMeasures, Options, Origin, refuse_unknown_policy, resolve_measures
from assay.evaluation.groups import grouping_by
from assay.evaluation.ignore_whitespace import whitespace_ignored
from assay.evaluation.notes import (
    OF_GOLD,
    OF_JUDGMENTS,
    Choices,
    add_whitespace,
    add_words,
    notes_on,
    notes_on_grades,
    refuse_apart,
    sentences,
)
from assay.evaluation.provenance import Provenance, provenance_of
from assay.evaluation.score_table import MeanTable, records_in_json
from assay.measures.base import Measure, MeasureLike, MeasuresLike, adds_up, exact_sum
from assay.options import GroupedOptions, of_evaluation, refuse_on_spark, shows
from assay.ranking.gold_standards import refuse_unknown_annotators, select_annotators
from assay.ranking.order import Rules
from assay.ranking.pool import natural_order
from assay.reading.format import Request
from assay.reading.given import given_inputs, refuse_unknown_columns
from assay.reading.text_locator import TextLocator
from assay.scores import Scores
from assay.spark.inputs import Inputs, JudgedTable, SparkTable, as_text, quoted_name, refuse_no_spark
from assay.spark.worker import LACKED, PART, SUMMARY, TOPIC_KEY, Summary, Work
from assay.tables.ids import Floats, Ids, Ints
from assay.tables.notes import sort_names

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from assay.reading.input_types import JudgmentsLike, RunsLike

# ClusterScores: the means, the notes, and the values of topics, which stay on the cluster.

# How many names, and pairs of a topic and a document, to keep over all partitions.
MOST = 1000
# What begins a Python traceback, how Spark says why a task was lost, and the names of Java errors.
TRACEBACK = "Traceback (most recent call last):\n"
LOST_TASK = re.compile(r"most recent failure: Lost task .*?\): (.*)")
JAVA_NAME = re.compile(r"^(?:[a-z]\w*\.)+\w+: ")
# Sessions in which a worker was already asked whether it has Assay.
ASKED: WeakSet[Any] = WeakSet()


class ClusterScores(MeanTable):
    """Scores of runs whose values stay on the cluster; Spark computes them when they are first used.

    `systems` are the names of the runs. Spark keeps the values of all topics, in memory or on disk, until you call
    `unpersist`.
    """

    def __init__(self, values: DataFrame, work: Work, in_reading: list[str], provenance: Origin):
        self._values, self._work, self._in_reading, self._provenance = values, work, in_reading, provenance
        self.systems = [part.name for part in work.parts[1:]]
        self.measures = work.measures
        self._known: dict[tuple[int, int, str | None], float] = {}

    @property
    def per_topic(self) -> DataFrame:
        """A Spark DataFrame: one row per run and topic that counts, one column per measure. Nothing is collected."""
        from pyspark.sql import functions

        counts = ~functions.isnan(quoted_name(str(self.measures[0])))
        return self._topics.where(counts).drop(LACKED, SUMMARY)

    @property
    def _topics(self) -> DataFrame:
        """The rows of all topics; in topics that do not count the values are NaN. Raises the errors of workers."""
        _ = self._summary
        return self._values.where(f"{SUMMARY} is null")

    @cached_property
    def _summary(self) -> Summary:
        """The combined summaries of all partitions; raises errors of workers, and of runs that cannot be measured."""
        with plain_errors():
            rows = self._values.where(f"{SUMMARY} is not null").select(SUMMARY).collect()
        summary = self._work.nothing_noticed()
        for row in rows:
            summary.add(pickle.loads(row[0]), MOST)
        if summary.faults:
            self.unpersist()
            # workers finish in any order, so take the first by its text
            raise min(summary.faults, key=str)
        judgments, topics = self._work.parts[0].name, summary.judged.examples("topics")
        for name, run in zip(self.systems, summary.runs, strict=True):
            refuse_apart(name, run, judgments, topics)
        if self._work.grouping:
            # raises an error if no judged topic has a group
            self._work.grouping.sentences(summary.judged)
        return summary

    @property
    def _group_label(self) -> str | None:
        return self._work.grouping.name if self._work.grouping else None

    @cached_property
    def _group_names(self) -> list[str]:
        names = {group for sums in self._summary.sums for group in sums} - {""}
        return sort_names(names)

    def _over_topics(self, system: int, measure: int, group: str | None = None) -> float:
        if (system, measure, group) not in self._known:
            self._known[system, measure, group] = self._plain(self._combined(system, measure, group), measure)
        return self._known[system, measure, group]

    def _combined(self, system: int, measure: int, group: str | None) -> float:
        asked, sums = self.measures[measure], self._summary.sums[system][group or ""]
        if not adds_up(asked):
            values = self._values_of(system, measure, group)
            return asked.over_topics(values[~np.isnan(values)])
        topics = sums.counted[measure]
        return asked.of_sum(exact_sum(sums.parts[measure]), topics) if topics else 0.0

    def _values_of(self, system: int, measure: int, group: str | None) -> Floats:
        """Return all values of a measure that is not a sum, for example a median.

        This collects eight bytes per topic, and for a single group also the names of the topics.
        """
        name, labels = quoted_name(str(self.measures[measure])), [] if group is None else ["topic"]
        with plain_errors():
            table = self._topics.where(self._topics["run"] == self.systems[system]).select(name, *labels).toArrow()
        values: Floats = table.column(0).to_numpy()
        if group is None or self._work.grouping is None:
            return values
        return values[np.array(self._work.grouping.of_topics(table.column("topic").to_pylist())) == group]

    @cached_property
    def notes(self) -> list[str]:
        """What Assay decided on the user's behalf."""
        work, judged, name = self._work, self._summary.judged, self._work.parts[0].name
        choices = Choices(name, judged.count("topics"), work.options.topics, work.rules, work.measures)
        in_reading = [
            *self._in_reading,
            *sentences(OF_GOLD, [(name, judged)], choices),
            *(f"{name}: {note}" for note in work.parts[0].chosen.notes),
        ]
        runs = list(zip(self.systems, self._summary.runs, strict=True))
        notes = notes_on(runs, sentences(OF_JUDGMENTS, [(name, judged)], choices), choices, in_reading)
        return notes + (work.grouping.sentences(judged) if work.grouping else [])

    def __getitem__(self, asked: MeasuresLike | tuple[str, MeasureLike]) -> float:
        """`scores["bm25", "AP"]` is the value over all topics; if there is only one run, you may leave out its name."""
        system, measure = asked if isinstance(asked, tuple) else (self._only_system(), asked)
        return self._over_topics(self._system(system), self._measure(measure))

    __iter__ = None

    def collect(self) -> Scores:
        """Collect all values on this machine, if they fit: to compare runs, draw charts, or show single topics."""
        notes = self.notes
        with plain_errors():
            table = self._topics.drop(SUMMARY).toArrow()
        names = table.column("topic").unique().to_pylist()
        topics = [names[at] for at in natural_order(Ids.of(names), names).tolist()]
        topic, system = index(table.column("topic"), topics), index(table.column("run"), self.systems)
        values = np.full((len(self.systems), len(self.measures), len(topics)), np.nan)
        for number, measure in enumerate(self.measures):
            values[system, number, topic] = table.column(str(measure)).to_numpy()
        lacked = np.zeros((len(self.systems), len(topics)), bool)
        lacked[system, topic] = table.column(LACKED).to_numpy()
        missing = {name: list(compress(topics, row)) for name, row in zip(self.systems, lacked, strict=True)}
        groups = self._work.grouping.of(topics)[0] if self._work.grouping else None
        return Scores(self.systems, self.measures, topics, values, notes, groups, None, missing, self._provenance)

    def unpersist(self) -> None:
        """Free the values that Spark keeps."""
        self._values.unpersist()

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield a `{"run", "measure", "topic", "value"}` per value; the topic is `all`, and groups add a `group`."""
        for system in range(len(self.systems)):
            for measure in range(len(self.measures)):
                yield from self._records_of(system, measure)

    def show(self, layout: str = "text", digits: int = 4) -> str:
        """Return the values over all topics, and over each group, as text, tsv, csv, json, md, latex or html."""
        return records_in_json(self.records()) if layout == "json" else self._shown_means(layout, digits)


def index(column: Any, names: list[str]) -> Ints:
    """Return the index of each value of a column in a list of names."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.index_in(column, pa.array(names)).to_numpy()


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn errors of Spark into an AssayError of one line that names the cause."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise AssayError(f"the Spark job failed: {shorten(cause_of(error), 200)}") from error


def cause_of(error: Exception) -> str:
    """Return the line of a Spark error that names the cause.

    It is the last line of a Python traceback, or the reason why a task was lost, or else the first line.
    """
    text = str(error).strip() or type(error).__name__
    _, is_python, traceback = text.rpartition(TRACEBACK)
    lines = [line.strip() for line in traceback.splitlines() if line.strip() and not line.startswith(" ")]
    if is_python and lines:
        return lines[0]
    if lost := LOST_TASK.search(text):
        return JAVA_NAME.sub("", lost[1])
    first, *further = text.splitlines()
    # py4j says which call failed, and on the next line why
    return JAVA_NAME.sub("", further[0].lstrip(": ")) if further and further[0].startswith(":") else first


@shows(GroupedOptions, last=("clustered", "partitions", "spark"))
def evaluate(
    judgments: JudgmentsLike | DataFrame,
    runs: RunsLike | DataFrame,
    measures: MeasuresLike | None = None,
    *,
    clustered: bool = False,
    partitions: int | None = None,
    spark: SparkSession | None = None,
    **given: Unpack[GroupedOptions],
) -> ClusterScores:
    """Evaluate one or many runs on a Spark cluster; the values equal those of `assay.evaluate` to the last bit.

    judgments, runs: Spark DataFrames, or paths of Parquet files on any store that Spark can read, with the columns that
    `assay.evaluate` takes. Other input, for example TREC and INEX files, is read on this machine and sent to the
    workers. Spark computes nothing until you use the result. documents: a path that all workers can read, or a dict.
    ties: as for `assay.evaluate`, but not input, because rows on a cluster have no order. texts: applies only to what
    is read on this machine; Spark's tables have offsets. by, topics_file: as for `assay.evaluate`; the groups are read
    on this machine and sent to the workers. clustered: all tables are bucketed by topic, into the same number of
    buckets; then Spark shuffles nothing. partitions: into how many partitions to shuffle the topics; by default
    spark.sql.shuffle.partitions. spark: the session; by default the active one, or a new one. All other parameters are
    those of `assay.evaluate`; a cluster refuses chunks, copies and checked.
    """
    options = Options(**of_evaluation(given))
    refuse_on_spark(given)
    refuse_no_spark()
    by, topics_file = given.get("by"), given.get("topics_file")
    refuse_unknown_policy(options.topics)
    grouping = None if by is None and topics_file is None else grouping_by(by, topics_file)
    documents, whitespace = options.documents, options.whitespace
    asked = resolve_measures(measures, options)
    # refuse an unknown policy before anything is read
    whitespace_ignored(whitespace, options.collection, is_shown=False)
    with plain_errors():
        session = spark or active_session()
        if clustered:
            refuse_remote(session)
        refuse_other_workers(session)
        tables = tables_of(judgments, runs, asked, options, session)
        judged, everything = tables.judged, [tables.judged, *tables.runs]
        has_tokenizer = options.tokens is not None
        chosen = asked.measures_for(judged.like, options.collection, whitespace, has_tokenizer=has_tokenizer)
        # workers run in other folders, so send an absolute path
        there = os.path.abspath(documents) if isinstance(documents, str | os.PathLike) else documents
        sent = Options(**options.all | {"documents": there})
        work = Work([table.part for table in everything], chosen, asked.rules, sent, judged.top_grade, grouping)
        send_own_measures(chosen)
        values = together(everything, partitions, clustered).mapInArrow(work.partition, schema(work)).persist()
        if clustered:
            refuse_not_clustered(values)
    notes = [*tables.notes, *filter(None, [asked.note]), *notes_on_judgments(judged, chosen, options)]
    origin = Origin(lambda: provenance_on_cluster(judged, chosen, asked.rules, options))
    return ClusterScores(values, work, notes, origin)


@dataclass(frozen=True, eq=False)
class Tables:
    """Judgments and runs as Spark tables, and the notes from reading them."""

    judged: JudgedTable
    runs: list[SparkTable]
    notes: list[str]


def tables_of(
    judgments: JudgmentsLike | DataFrame,
    runs: RunsLike | DataFrame,
    asked: AskedMeasures,
    options: Options,
    spark: SparkSession,
) -> Tables:
    """Return the tables of judgments and runs, from any kind of input."""
    collection, told = options.collection, options.told_columns
    placing = TextLocator(collection, options.texts, told)
    ranks, pools = options.ties == "rank", options.pools
    annotators = options.annotators
    request = Request(
        collection, ranks, pools=pools, columns=told, every_column=False, annotators=annotators, **asked.of_judgments
    )
    inputs = Inputs(spark, placing, request)
    gold, named = given_inputs(judgments, runs, options.format)
    gold, named = inputs.opened(gold), {name: inputs.opened(run) for name, run in named.items()}
    refuse_unknown_columns([gold, *named.values()], told)
    label = os.fspath(judgments) if isinstance(judgments, str | os.PathLike) else "judgments"
    judged = inputs.judgments(gold, label, options.annotators)
    if placing.unanswerable:
        what = "Spark cannot report questions without an answer"
        raise UsageError(f"{what}; remove their rows from the judgments")
    tables = [inputs.run(run, name, judged.like) for name, run in named.items()]
    refuse_unknown_annotators(options.annotators, judged.annotators, judged.part.name)
    return Tables(judged, tables, placing.notes)


def notes_on_judgments(judged: JudgedTable, measures: list[Measure], options: Options) -> list[str]:
    """Return the notes on all judgments, which no single worker sees."""
    notes = notes_on_grades(measures, judged.like)
    notes.add("ignored_whitespace", options.whitespace == "ignore")
    add_words(notes, measures, options.tokenizer)
    add_whitespace(notes, measures, options.documents)
    notes.add("fractions", judged.fractions, low=judged.lowest)
    return sentences(OF_GOLD, [(judged.part.name, notes)], Choices(measures=measures))


def provenance_on_cluster(judged: JudgedTable, measures: list[Measure], rules: Rules, options: Options) -> Provenance:
    """Return what the scores were made of; this collects all judgments on this machine."""
    with plain_errors():
        gold = as_read = judged.collect()
    if without_whitespace := whitespace_ignored(options.whitespace, options.collection, is_shown=False):
        gold, _ = without_whitespace.judgments(gold)
    decisions = options.decisions(rules.overlap)
    return provenance_of(select_annotators(gold, options.annotators), as_read, options.collection, measures, decisions)


def active_session() -> SparkSession:
    """Return the active session, or a new one."""
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()


def refuse_other_workers(spark: SparkSession) -> None:
    """Refuse workers without Assay or with another version; one worker is asked, once per session."""
    if spark in ASKED:
        return

    # Spark sends this function with its code, because the worker may not have Assay
    def answer(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        list(batches)
        try:
            import assay.spark.worker

            version, why = assay.__version__, ""
        except Exception as error:
            version, why = "", f"{type(error).__name__}: {error}"
        yield pa.RecordBatch.from_pydict({"version": [version], "why": [why], "python": [sys.executable]})

    one = spark.range(1).coalesce(1).mapInArrow(answer, "version string, why string, python string")
    version, why, python = one.collect()[0]
    wanted = f"install assay-ir {__version__} in the Python that PYSPARK_PYTHON names for them"
    if why:
        raise AssayError(f"the workers cannot load Assay: {python} says {shorten(why, 200)}; {wanted}")
    if version != __version__:
        raise AssayError(f"the workers have Assay {version} ({python}), but this is Assay {__version__}; {wanted}")
    ASKED.add(spark)


def refuse_remote(spark: SparkSession) -> None:
    """Refuse clustered=True over Spark Connect, which does not show how tables are clustered."""
    if not hasattr(spark, "_jsparkSession"):
        what = "clustered=True cannot be checked over Spark Connect, which does not show where rows are"
        raise UsageError(f"{what}; leave out clustered=, or use a session on the cluster itself")


def together(tables: list[SparkTable], partitions: int | None, clustered: bool) -> DataFrame:
    """Return the rows of all tables, each topic in one partition, sorted by the 64-bit key of the topic.

    Numbers sort faster than names. Topics may share a key; worker.py explains what happens then.
    """
    from pyspark.sql import functions

    parts = []
    for number, table in enumerate(tables):
        topic = table.part.columns[table.part.chosen["topic"]]
        text = as_text(functions.col(quoted_name(topic)), dict(table.frame.dtypes)[topic])
        further = {PART: functions.lit(number).cast("smallint"), TOPIC_KEY: topic_key(text)}
        parts.append(table.frame.withColumns(further))
    rows = reduce(lambda ours, theirs: ours.unionByName(theirs, allowMissingColumns=True), parts)
    if not clustered:
        rows = rows.repartition(*([] if partitions is None else [partitions]), TOPIC_KEY)
    return rows.sortWithinPartitions(TOPIC_KEY)


def topic_key(topic: Column) -> Column:
    """Return a 64-bit hash of each topic."""
    from pyspark.sql import functions

    return functions.xxhash64(topic)


def schema(work: Work) -> Any:
    """Return the Spark types of the columns of values."""
    from pyspark.sql.types import BinaryType, BooleanType, DoubleType, StringType, StructField, StructType

    run, topic, *measures, lacked, summary = work.names
    labels = [StructField(name, StringType()) for name in (run, topic)]
    values = [StructField(name, DoubleType()) for name in measures]
    return StructType([*labels, *values, StructField(lacked, BooleanType()), StructField(summary, BinaryType())])


def refuse_not_clustered(values: DataFrame) -> None:
    """Refuse tables if Spark's plan does not show that all rows of a topic are in one partition."""
    manager = values.sparkSession._jsparkSession.sharedState().cacheManager()
    plan = manager.lookupCachedData(values._jdf).get().cachedRepresentation().cacheBuilder().cachedPlan()
    if not plan.child().outputPartitioning().toString().startswith("hashpartitioning(topic:"):
        values.unpersist()
        what = "clustered=True requires tables that are bucketed by topic, with the same number of buckets"
        raise UsageError(f"{what}; write them with bucketBy, and read them as tables")


def send_own_measures(measures: list[Measure]) -> None:
    """Send the user's own measures to the workers with their code, because workers may not have their modules."""
    from pyspark.cloudpickle import register_pickle_by_value

    for home in {type(measure).__module__ for measure in measures}:
        if not home.startswith("assay.") and home in sys.modules:
            register_pickle_by_value(sys.modules[home])
