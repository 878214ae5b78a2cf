"""Judgments and runs -> Spark DataFrames with the columns of rows.py; what Spark does not read, Assay reads here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from assay.errors import InputError, UsageError
from assay.ranking.gold_standards import annotators_of
from assay.reading import frames
from assay.reading.format import Request
from assay.reading.frames import OF_SAMPLE, both_told
from assay.reading.given import Given, GivenFile, GivenFrame
from assay.reading.placing import Placing
from assay.reading.read import whole_run
from assay.reading.schema import ChosenColumns, Schema, chosen_columns, comparable_name, its_columns
from assay.reading.subtopics import left_out, taken_for_subtopic
from assay.spark.rows import (
    ASSESSED,
    DECIDED,
    DECIMALS,
    OF_GRADES,
    OF_SHARES,
    OPTIONAL,
    RETURNED,
    TEXTS,
    TablePart,
    judgments_of_rows,
    no_elements_yet,
    rows_of_judgments,
    rows_of_run,
)
from assay.tables.column_names import LABEL_FIELDS
from assay.tables.column_names import TEXTS as TEXT_NAMES
from assay.tables.judgments import ElementJudgments, HighlightJudgments, Judgments
from assay.tables.places import Places
from assay.tables.run import not_empty
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

# What is asked of Spark about all judgments before anything is measured, as a worker sees only some of them.

# Columns that tell something only where a row has a name in them.
NAMED = (*LABEL_FIELDS, "subtopic", "stratum")
# Columns of which it depends on all rows whether they are taken for what they are called.
UNSURE = ("subtopic", "iteration", "stratum")


@dataclass(frozen=True)
class JudgedFacts:
    """What is known of all judgments: the highest and the lowest grade, the highest of the annotator that is asked for,
    how many grades lie between 0 and 1 and the lowest of these, the annotators, which columns have any name, and how
    many iterations there are.
    """

    highest: float | None
    lowest: float
    of_annotator: float | None
    fractions: int
    lowest_fraction: float
    annotators: list[str]
    named: frozenset[str]
    iterations: int


def facts_of(rows: DataFrame, fields: tuple[str, ...], annotator: str | None, name: str) -> JudgedFacts:
    """The facts of judgments, which Spark finds out by going through them once; there must be some."""
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
        raise InputError("is empty; expected judgments", name)
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
    """The columns of judgments without those that tell nothing, as one machine decides it of a whole table: strata
    count in a sample, and an iteration may be taken for the subtopic.
    """
    whole, has_subtopics = "start" not in chosen.fields, "subtopic" in facts.named
    further: dict[str, str] = {}
    notes: tuple[str, ...] = ()
    if facts.named & set(LABEL_FIELDS):
        if has_subtopics:
            raise both_told(name)
    elif whole and "stratum" in facts.named and (request.strata or facts.lowest < 0):
        further, notes = {"stratum": chosen["stratum"]}, (OF_SAMPLE,)
    elif has_subtopics:
        further = {"subtopic": chosen["subtopic"]}
    elif whole and facts.iterations > 1:
        notes = (left_out("column iteration"),)
        if (several := in_several_iterations(rows)) or request.subtopics:
            further, notes = {"subtopic": chosen["iteration"]}, (taken_for_subtopic("column iteration", several),)
    plain = {field: column for field, column in chosen.fields.items() if field not in UNSURE}
    return replace(chosen, fields=plain | further, notes=(*chosen.notes, *notes))


def in_several_iterations(rows: DataFrame) -> int:
    """How many documents stand in a topic with several iterations."""
    from pyspark.sql import functions

    iterations = functions.count_distinct(functions.coalesce("iteration", functions.lit("")))
    return rows.groupBy("topic", "document").agg(iterations.alias("iterations")).where("iterations > 1").count()


PARQUET = b"PAR1"
WHOLE_TYPES = ("tinyint", "smallint", "int", "bigint")
DECIMAL_TYPES = ("float", "double", "decimal")


@dataclass(frozen=True, eq=False)
class SparkTable:
    """A table as Spark holds it, and what workers must know of it."""

    frame: DataFrame
    part: TablePart


@dataclass(frozen=True, eq=False)
class JudgedTable(SparkTable):
    """Judgments as Spark holds them: with the highest grade, the names of the annotators, and `like`, judgments with
    the same columns, of which none need be there. Where they are not, `fractions` tells how many grades lie between 0
    and 1, and `lowest` the lowest of these.
    """

    top_grade: float
    annotators: list[str]
    like: Judgments
    fractions: int = 0
    lowest: float = 0.0

    def collected(self) -> Judgments:
        """All judgments, on this machine."""
        import polars as pl

        if len(self.like):
            return self.like
        return judgments_of_rows(cast("pl.DataFrame", pl.from_arrow(self.frame.toArrow())), self.part)


@dataclass(frozen=True, eq=False)
class Inputs:
    """What makes tables of judgments and runs, and what was noticed on the way."""

    spark: SparkSession
    placing: Placing
    told: Mapping[str, str]
    request: Request

    def judgments(self, opened: Given, name: str, annotators: str | None) -> JudgedTable:
        """The judgments, which were opened; `name` is that of a DataFrame."""
        if isinstance(opened, GivenFrame) and is_frame(opened.frame):
            return self.judged_frame(opened.frame, name, annotators)
        read = not_empty(self.placing.judgments(opened).judgments(self.request))
        columns, by_document = rows_of_judgments(read)
        scale = read.elements.scale if isinstance(read, ElementJudgments) else ""
        part = TablePart(read.name, "judgments", (), read.notes, scale=scale, by_document=by_document)
        table = self.table(columns, part)
        labels, known = read.labels, annotators_of(read)
        grades = read.grade
        if labels is not None and labels.annotators is not None and annotators in known:
            own = np.array([name == annotators for name in labels.annotators.texts()])
            grades = labels.grade[own]
        top = 1 if isinstance(read, HighlightJudgments) else max(grades.max().item(), 1)
        return JudgedTable(table.frame, table.part, top, known, read)

    def run(self, opened: Given, name: str, judged: Judgments) -> SparkTable:
        """A run, which was opened."""
        if isinstance(opened, GivenFrame) and is_frame(opened.frame):
            return self.run_frame(opened.frame, name, judged)
        read = whole_run(self.placing.run(opened, name, judged), self.request._replace(gather=True))
        empty = frozenset(opened.empty_topics)
        part = TablePart(name, "run", (), read.notes, read.by_rank, empty=empty)
        return self.table(rows_of_run(not_empty(read)), part)

    def table(self, columns: dict[str, Any], part: TablePart) -> SparkTable:
        """The table of columns that Assay read."""
        import pyarrow as pa

        arrays = {name: pa.array(values, arrow_type(name)) for name, values in columns.items()}
        return SparkTable(self.spark.createDataFrame(pa.table(arrays)), replace(part, fields=tuple(columns)))

    def opened(self, given: Given) -> Given:
        """What Spark can read as a DataFrame; anything else as it is."""
        if isinstance(given, GivenFile) and ("://" in given.path or is_parquet(given.path)):
            return GivenFrame(given.kind, given.label, self.spark.read.parquet(given.path))
        return given

    def judged_frame(self, frame: DataFrame, name: str, annotators: str | None) -> JudgedTable:
        """Judgments in a DataFrame, with the facts of all of them that a part of them does not tell."""
        if set(ASSESSED) <= set(frame.columns):
            return self.assessed_frame(frame, name)
        chosen = without_classes(frame, self.chosen(frame, "judgments", name))
        rows = canonical(frame, chosen, name).frame
        facts = facts_of(rows, tuple(chosen.fields), annotators, name)
        chosen = as_meant(chosen, rows, facts, self.request, name)
        table = canonical(frame, chosen, name)
        highest = facts.of_annotator if annotators in facts.annotators else facts.highest
        like = frames.frame_judgments(frames.no_rows(chosen.names), chosen, Places(name), DECIDED)
        has_spans = "start" in chosen.fields
        top = 1 if has_spans or highest is None else max(highest, 1)
        top = int(top) if top == int(top) else top
        fractions = 0 if has_spans else facts.fractions
        return JudgedTable(table.frame, table.part, top, facts.annotators, like, fractions, facts.lowest_fraction)

    def assessed_frame(self, frame: DataFrame, name: str) -> JudgedTable:
        """Assessed elements in a DataFrame, a row each."""
        known = Schema(list(frame.columns), self.told)
        fields = {field: column for field in ("topic", "document") if (column := known.column(field))}
        if lacking := {"topic", "document"} - fields.keys():
            raise InputError(f"has no column {min(lacking)}; {its_columns(list(frame.columns))}", name)
        fields |= {field: field for field in (*ASSESSED, *OPTIONAL) if field in frame.columns}
        table = canonical(frame, ChosenColumns("judgments", fields), name)
        if table.frame.isEmpty():
            raise InputError("is empty; expected judgments", name)
        scale = OF_GRADES if dict(frame.dtypes)["specificity"] in WHOLE_TYPES else OF_SHARES
        return JudgedTable(table.frame, replace(table.part, scale=scale), 1, [], no_elements_yet(name, scale))

    def run_frame(self, frame: DataFrame, name: str, judged: Judgments) -> SparkTable:
        """A run in a DataFrame."""
        chosen = self.chosen(frame, "run", name)
        if isinstance(judged, ElementJudgments) and "path" in frame.columns:
            paths = {field: field for field in RETURNED if field in frame.columns}
            chosen = replace(chosen, fields=chosen.fields | paths)
        texts = [column for column in frame.columns if comparable_name(column) in TEXT_NAMES]
        if isinstance(judged, HighlightJudgments) and "start" not in chosen.fields and texts:
            what = f"has texts in column {texts[0]}, and no offsets"
            raise InputError(f"{what}; where they stand is not found on a cluster: use assay locate before", name)
        return canonical(frame, chosen, name)

    def chosen(self, frame: DataFrame, kind: FileKind, name: str) -> ChosenColumns:
        """The columns that hold what a run or judgments need."""
        from pyspark.sql import functions

        def is_text(column: str) -> bool:
            if dict(frame.dtypes)[column] != "string":
                return False
            few = frame.select(functions.col(quoted_name(column)).alias("text")).limit(frames.FEW)
            blanks = few.select(functions.avg(functions.regexp_count("text", functions.lit(r"\s")))).first()
            return float(blanks[0] or 0) >= 1

        return chosen_columns(Schema(list(frame.columns), self.told), kind, name, is_text, every_column=False)


def is_frame(given: object) -> bool:
    """Whether something is a DataFrame of Spark."""
    from pyspark.sql import DataFrame

    return isinstance(given, DataFrame)


def is_parquet(path: str) -> bool:
    """Whether a path on this machine is a Parquet file, or a folder with some."""
    if os.path.isdir(path):
        return any(name.endswith(".parquet") for _, _, names in os.walk(path) for name in names)
    try:
        with open(path, "rb") as file:
            return file.read(len(PARQUET)) == PARQUET
    except OSError:
        return False


def canonical(frame: DataFrame, chosen: ChosenColumns, name: str) -> SparkTable:
    """A DataFrame with the columns of rows.py."""
    types = dict(frame.dtypes)
    columns = [cast_column(column, field, types[column], name).alias(field) for field, column in chosen.fields.items()]
    return SparkTable(frame.select(*columns), TablePart(name, chosen.kind, tuple(chosen.fields), chosen.notes))


def cast_column(name: str, field: str, type_name: str, label: str) -> Column:
    """A column of a DataFrame as the workers need it; what is no text or no number is refused."""
    from pyspark.sql import functions

    column, type_name = functions.col(quoted_name(name)), type_name.split("(")[0]
    if field in TEXTS:
        if type_name not in ("string", "char", "varchar", *WHOLE_TYPES):
            raise InputError(f"column {name} is of type {type_name}; expected text or whole numbers", label)
        return column.cast("string")
    if type_name not in (*WHOLE_TYPES, *DECIMAL_TYPES):
        raise InputError(f"column {name} is of type {type_name}; expected numbers", label)
    # a grade of 1.5 is refused where rows are read, and must not become 1 on the way
    return column.cast("bigint" if type_name in WHOLE_TYPES and field not in DECIMALS else "double")


def without_classes(frame: DataFrame, chosen: ChosenColumns) -> ChosenColumns:
    """The columns of judgments without labels of spans that are no grades but names of something."""
    from pyspark.sql import functions

    label = chosen.fields.get("grade", "")
    if "start" not in chosen.fields or comparable_name(label) != "label" or dict(frame.dtypes)[label] != "string":
        return chosen
    if frame.where(functions.col(quoted_name(label)).try_cast("double").isNotNull()).first():
        return chosen
    return replace(chosen, fields={field: name for field, name in chosen.fields.items() if field != "grade"})


def quoted_name(column: str) -> str:
    """The name of a column as Spark takes it, whatever letters it has."""
    return "`" + column.replace("`", "``") + "`"


def arrow_type(field: str) -> Any:
    """The type of a column that Assay read."""
    import pyarrow as pa

    return pa.string() if field in TEXTS else pa.float64() if field in DECIMALS else pa.int64()


def refuse_no_spark() -> None:
    """Spark must be installed."""
    try:
        import pyspark  # noqa: F401
    except ModuleNotFoundError:
        raise UsageError("Spark is not installed; expected pip install 'assay-ir[spark]', and Java 17") from None
