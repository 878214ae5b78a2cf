"""Turn judgments and runs into Spark DataFrames with the needed columns; Assay reads here what Spark does not."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from assay.errors import InputError, UsageError
from assay.ranking.gold_standards import annotators_of
from assay.reading import frames
from assay.reading.columns import judgment_columns
from assay.reading.format import Columns, Request
from assay.reading.given import Given, GivenFile, GivenFrame
from assay.reading.read import whole_run
from assay.reading.rows import FEW
from assay.reading.schema import RUN_NAMES, ChosenColumns, comparable_name
from assay.reading.subtopics import left_out, taken_for_subtopic
from assay.reading.text_locator import TextLocator
from assay.spark.worker import DECIDED, PLACE, TablePart
from assay.tables.column_names import CLASSES, DENIALS, FACT_FIELDS, LABEL_FIELDS
from assay.tables.column_names import TEXTS as TEXT_NAMES
from assay.tables.judgments import ElementJudgments, HighlightJudgments, Judgments
from assay.tables.places import Places
from assay.tables.run import ChunkRun, Run, not_empty
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    import polars as pl
    from pyspark.sql import Column, DataFrame, SparkSession

# Facts about all judgments that Spark computes first, because a worker sees only some of them.

# Columns that matter only if some row has a name in them.
NAMED = (*LABEL_FIELDS, *FACT_FIELDS, "subtopic", "stratum")
# Columns whose meaning depends on all rows.
UNSURE = ("subtopic", "iteration", "stratum")


@dataclass(frozen=True)
class JudgedFacts:
    """What is known of all judgments.

    The highest and lowest grade; the highest grade of the chosen annotator; how many grades are between 0 and 1, and
    the lowest of these; the annotators; which columns have any name in them; and the number of iterations.
    """

    highest: float | None
    lowest: float
    of_annotator: float | None
    fractions: int
    lowest_fraction: float
    annotators: list[str]
    named: frozenset[str]
    iterations: int


def facts_of(rows: DataFrame, fields: Mapping[str, str], annotator: str | None, name: str) -> JudgedFacts:
    """Let Spark compute the facts in one pass over the judgments; raise an error if there are none."""
    from pyspark.sql import functions

    asked: dict[str, Any] = {"rows": functions.count(functions.lit(1))}
    for field in NAMED:
        if field in fields:
            asked[field] = functions.count(functions.when(functions.length(field) > 0, 1))
    if "annotator" in fields:
        asked["annotators"] = functions.collect_set("annotator")
    if "iteration" in fields:
        asked["iterations"] = functions.count_distinct(functions.coalesce("iteration", functions.lit("")))
    if "grade" in fields:
        grade = functions.col("grade")
        is_between = functions.when((grade > 0) & (grade < 1), grade)
        asked |= {"highest": functions.max("grade"), "lowest": functions.min("grade")}
        asked |= {"fractions": functions.count(is_between), "lowest_fraction": functions.min(is_between)}
        if annotator and "annotator" in fields:
            is_own = functions.col("annotator") == annotator
            asked["of_annotator"] = functions.max(functions.when(is_own, grade))
    known = rows.agg(*(column.alias(what) for what, column in asked.items())).collect()[0].asDict()
    if not known["rows"]:
        raise InputError("the input is empty; expected judgments", name)
    return JudgedFacts(
        highest=known.get("highest"),
        lowest=known.get("lowest") or 0.0,
        of_annotator=known.get("of_annotator"),
        fractions=known.get("fractions", 0),
        lowest_fraction=known.get("lowest_fraction") or 0.0,
        annotators=sorted(set(known.get("annotators") or ()) - {""}),
        named=frozenset(field for field in NAMED if known.get(field)),
        iterations=known.get("iterations", 0),
    )


def as_meant(chosen: ChosenColumns, rows: DataFrame, facts: JudgedFacts, request: Request, name: str) -> ChosenColumns:
    """Return the columns of judgments that matter, decided as on one machine from the whole table.

    Strata count only in a sample, and the iteration may be the subtopic.
    """
    whole, has_subtopics = "start" not in chosen.fields, "subtopic" in facts.named
    further: dict[str, str] = {}
    notes: tuple[str, ...] = ()
    if facts.named >= {"fact", "set"}:
        raise frames.facts_beside_sets(name)
    if facts.named & set(LABEL_FIELDS):
        if has_subtopics:
            raise frames.both_told(name)
    elif whole and "stratum" in facts.named and (request.strata or facts.lowest < 0):
        further, notes = {"stratum": chosen["stratum"]}, (frames.OF_SAMPLE,)
    elif has_subtopics:
        further = {"subtopic": chosen["subtopic"]}
    elif whole and facts.iterations > 1:
        notes = (left_out("column iteration"),)
        if (several := in_several_iterations(rows)) or request.subtopics:
            further, notes = {"subtopic": chosen["iteration"]}, (taken_for_subtopic("column iteration", several),)
    plain = {field: column for field, column in chosen.fields.items() if field not in UNSURE}
    return replace(chosen, fields=plain | further, notes=(*chosen.notes, *notes))


def in_several_iterations(rows: DataFrame) -> int:
    """Return how many documents are in several iterations of the same topic."""
    from pyspark.sql import functions

    iterations = functions.count_distinct(functions.coalesce("iteration", functions.lit("")))
    return rows.groupBy("topic", "document").agg(iterations.alias("iterations")).where("iterations > 1").count()


PARQUET = b"PAR1"
FRACTIONS = ("float", "double")


@dataclass(frozen=True, eq=False)
class SparkTable:
    """A table in Spark, and what workers must know about it."""

    frame: DataFrame
    part: TablePart


@dataclass(frozen=True, eq=False)
class JudgedTable(SparkTable):
    """Judgments in Spark, with their highest grade and the names of the annotators.

    `like` are judgments with the same columns, perhaps without rows. If they have none, `fractions` is how many grades
    are between 0 and 1, and `lowest` the lowest of these.
    """

    top_grade: float
    annotators: list[str]
    like: Judgments
    fractions: int = 0
    lowest: float = 0.0

    def collect(self) -> Judgments:
        """Return all judgments, on this machine."""
        return self.like if len(self.like) else self.part.judgments(in_polars(self.frame))


@dataclass(frozen=True, eq=False)
class Inputs:
    """Makes tables of judgments and runs; `placing` collects the notes."""

    spark: SparkSession
    placing: TextLocator
    request: Request

    def judgments(self, opened: Given, name: str, annotators: str | None) -> JudgedTable:
        """Return the table of opened judgments; `name` is used for a DataFrame."""
        if isinstance(opened, GivenFrame) and is_frame(opened.frame):
            return self.judged_frame(opened.frame, name, annotators)
        read = not_empty(self.placing.read_judgments(opened, self.request))
        columns: Columns = {"topic": list(dict.fromkeys(read.topic.streaks()[0]))}
        held = None
        has_sizes = isinstance(read, HighlightJudgments) and np.any(read.highlights.rsize >= 0)
        if isinstance(read, ElementJudgments) or has_sizes:
            # assessed elements may come with highlighted text, whose size a file may state itself
            held = replace(read, places=None)
        else:
            columns = judgment_columns(read)
            columns[PLACE] = list(range(len(columns["topic"])))
        table = self.table(columns, "judgments", read)
        labels, known = read.labels, annotators_of(read)
        grades = read.grade
        if labels is not None and labels.annotators is not None and annotators in known:
            own = np.array([name == annotators for name in labels.annotators.texts()])
            grades = labels.grade[own]
        top = 1 if isinstance(read, HighlightJudgments) else max(grades.max().item(), 1)
        return JudgedTable(table.frame, replace(table.part, held=held), top, known, read)

    def run(self, opened: Given, name: str, judged: Judgments) -> SparkTable:
        """Return the table of an opened run."""
        if isinstance(opened, GivenFrame) and is_frame(opened.frame):
            return self.run_frame(opened.frame, name, judged)
        read = whole_run(self.placing.run(opened, name, judged), self.of_run(judged)._replace(gather=True))
        table = self.table(not_empty(read).frame(), "run", read)
        empty = frozenset(opened.empty_topics)
        return replace(table, part=replace(table.part, name=name, by_rank=read.by_rank, empty=empty))

    def of_run(self, judged: Judgments) -> Request:
        """Return the request for a run, which depends on the kind of judgments."""
        is_text, is_elements = isinstance(judged, HighlightJudgments), isinstance(judged, ElementJudgments)
        return self.request._replace(of_parts=is_text, of_elements=is_elements)

    def table(self, columns: Any, kind: FileKind, read: Run | Judgments) -> SparkTable:
        """Return the table of columns that Assay read; each column has the name of its field."""
        import polars as pl

        rows = pl.DataFrame(columns)
        frame = self.spark.createDataFrame(rows.to_arrow())
        fields = {name: name for name in rows.columns}
        further = {PLACE: fields.pop(PLACE)} if PLACE in fields else {}
        chosen = ChosenColumns(kind, fields, read.notes, isinstance(read, ChunkRun))
        return columns_to_send(frame, chosen, read.name, further)

    def opened(self, given: Given) -> Given:
        """Open what Spark can read as a DataFrame; return other input unchanged."""
        if isinstance(given, GivenFile) and ("://" in given.path or is_parquet(given.path)):
            return GivenFrame(given.kind, given.label, self.spark.read.parquet(given.path))
        return given

    def judged_frame(self, frame: DataFrame, name: str, annotators: str | None) -> JudgedTable:
        """Return the table of judgments in a DataFrame, with the facts that only all rows together show."""
        chosen = table_rows(frame, name).chosen("judgments", self.request)
        none = in_polars(frame.select(*map(quoted_name, chosen.names)).limit(0))
        if "exhaustivity" in chosen.fields:
            scale = scale_of(frame, chosen, name)
            like = frames.assessed_judgments(none, chosen, Places(name), scale)
            table = columns_to_send(frame, chosen, name)
            return JudgedTable(table.frame, replace(table.part, scale=scale), 1, [], like)
        chosen = without_classes(frame, chosen)
        rows = names_and_grades(frame, chosen)
        facts = facts_of(rows, chosen.fields, annotators, name)
        chosen = as_meant(chosen, rows, facts, self.request, name)
        table = columns_to_send(frame, chosen, name)
        highest = facts.of_annotator if annotators in facts.annotators else facts.highest
        like = frames.frame_judgments(none, chosen, Places(name), DECIDED)
        has_spans = "start" in chosen.fields
        top = 1 if has_spans or highest is None else highest
        top = int(top) if top == int(top) else top
        fractions = 0 if has_spans else facts.fractions
        return JudgedTable(table.frame, table.part, top, facts.annotators, like, fractions, facts.lowest_fraction)

    def run_frame(self, frame: DataFrame, name: str, judged: Judgments) -> SparkTable:
        """Return the table of a run in a DataFrame."""
        chosen = table_rows(frame, name).chosen("run", self.of_run(judged))
        texts = [column for column in frame.columns if comparable_name(column) in TEXT_NAMES]
        if isinstance(judged, HighlightJudgments) and "start" not in chosen.fields and texts:
            what = f"column {texts[0]} has texts without offsets"
            raise InputError(f"{what}; Spark does not locate texts: run `assay locate` first", name)
        return columns_to_send(frame, chosen, name)


def table_rows(frame: DataFrame, name: str) -> frames.TableRows:
    """Return the rows of a DataFrame; only its first rows can be read."""

    def blocks(names: list[str]) -> Iterator[pl.DataFrame]:
        of_runs = any(comparable_name(name) in RUN_NAMES for name in names)
        yield in_polars(frame.select(*map(quoted_name, names)).limit(frames.ROWS if of_runs else FEW))

    return frames.TableRows(list(frame.columns), Places(name), blocks)


def in_polars(frame: DataFrame) -> pl.DataFrame:
    """Collect the rows of a DataFrame on this machine."""
    import polars as pl

    return cast("pl.DataFrame", pl.from_arrow(frame.toArrow()))


def is_frame(given: object) -> bool:
    """Return whether something is a Spark DataFrame."""
    from pyspark.sql import DataFrame

    return isinstance(given, DataFrame)


def is_parquet(path: str) -> bool:
    """Return whether a local path is a Parquet file or a folder that has some."""
    if os.path.isdir(path):
        return any(name.endswith(".parquet") for _, _, names in os.walk(path) for name in names)
    try:
        with open(path, "rb") as file:
            return file.read(len(PARQUET)) == PARQUET
    except OSError:
        return False


def columns_to_send(
    frame: DataFrame, chosen: ChosenColumns, name: str, further: Mapping[str, str] | None = None
) -> SparkTable:
    """Select the columns that workers need, unchanged, under names with the field and the type.

    So tables with the same fields share columns if the types are equal. Workers read them as one machine does.
    """
    from pyspark.sql import functions

    types = dict(frame.dtypes)
    fields = {column: field for field, column in reversed((chosen.fields | dict(further or {})).items())}
    columns = {column: f"{field}:{types[column]}" for column, field in fields.items()}
    select = (functions.col(quoted_name(column)).alias(wire) for column, wire in columns.items())
    return SparkTable(frame.select(*select), TablePart(name, chosen, columns))


def names_and_grades(frame: DataFrame, chosen: ChosenColumns) -> DataFrame:
    """Select the names and grades of judgments so that Spark can compare them; workers report faulty ones."""
    from pyspark.sql import functions

    types = dict(frame.dtypes)
    select = []
    for field, name in chosen.fields.items():
        column = functions.col(quoted_name(name))
        select.append((column.try_cast("double") if field == "grade" else as_text(column, types[name])).alias(field))
    return frame.select(*select)


def as_text(column: Column, type_name: str) -> Column:
    """Cast a column of ids to strings; floating-point ids must be whole numbers."""
    return (column.cast("bigint") if type_name in FRACTIONS else column).cast("string")


def scale_of(frame: DataFrame, chosen: ChosenColumns, name: str) -> str:
    """Return the scale of assessed elements, which depends on all specificities; raise an error if there are none."""
    from pyspark.sql import functions

    column = functions.col(quoted_name(chosen["specificity"]))
    is_text = dict(frame.dtypes)[chosen["specificity"]] == "string"
    decisive = ~column.rlike(frames.WHOLE_TEXT) if is_text else column > 1
    # take a row that decides, or else any row
    one = in_polars(frame.orderBy(decisive.desc()).select(column.alias("specificity")).limit(1))
    if not len(one):
        raise InputError("the input is empty; expected judgments", name)
    return frames.scale_of(one["specificity"])


def without_classes(frame: DataFrame, chosen: ChosenColumns) -> ChosenColumns:
    """Drop the labels of spans if none is a grade or says "not relevant", because then they name something else.

    This is what `frames.is_class` does on one machine.
    """
    from pyspark.sql import functions

    label = chosen.fields.get("grade", "")
    if "start" not in chosen.fields or comparable_name(label) not in CLASSES:
        return chosen
    column = functions.col(quoted_name(label))
    if dict(frame.dtypes)[label] == "string":
        word = functions.lower(functions.regexp_replace(column, r"[^\p{L}\p{N}]", ""))
        is_grade = column.try_cast("double").isNotNull() | word.isin(*DENIALS)
    else:
        is_grade = column.isNotNull() & (column.cast("string") != "NaN")
    if frame.where(is_grade).first():
        return chosen
    return replace(chosen, fields={field: name for field, name in chosen.fields.items() if field != "grade"})


def quoted_name(column: str) -> str:
    """Quote a column name for Spark, whatever characters it has."""
    return "`" + column.replace("`", "``") + "`"


def refuse_no_spark() -> None:
    """Refuse to continue if Spark is not installed."""
    try:
        import pyspark  # noqa: F401
    except ModuleNotFoundError:
        raise UsageError("Spark is not installed; run pip install 'assay-ir[spark]' and install Java 17") from None
