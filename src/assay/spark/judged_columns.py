"""What is asked of Spark about all judgments before anything is measured, as a worker sees only some of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.formats.chosen_columns import ChosenColumns
from assay.formats.format import Request
from assay.formats.frames import OF_SAMPLE, both_told
from assay.formats.subtopic_rows import left_out, taken_for_subtopic
from assay.tables.column_names import LABEL_FIELDS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

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
