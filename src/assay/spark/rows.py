"""Runs and judgments as the rows that are sent to workers, and back: one table for all of them, with these columns."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.documents.xml import normal
from assay.errors import InputError
from assay.reading import cells, frames
from assay.reading.cells import packed
from assay.reading.columns import labelled_columns, subtopic_columns
from assay.reading.format import Request
from assay.reading.frames import refuse_faults
from assay.reading.schema import ChosenColumns
from assay.tables.column_names import LABEL_FIELDS, SUBTOPIC_FIELDS
from assay.tables.ids import Ints
from assay.tables.judgments import (
    AssessedElements,
    ElementJudgments,
    HighlightJudgments,
    Highlights,
    Judgments,
    SampleJudgments,
    SubtopicJudgments,
    by_document,
    make_judgments,
    whole_if_all,
)
from assay.tables.places import Places
from assay.tables.run import Run, make_run
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    import polars as pl

# Assessed elements as the rows of a table: which columns they have, and what a worker makes of the rows.

# The columns of assessed elements, beside the topic and the document, and those that need not be there.
ASSESSED, OPTIONAL = ("path", "exhaustivity", "specificity"), ("size",)
# The columns of a run of elements; the second is the end of a range, and need not be there.
RETURNED = ("path", "last")
# The years of which a table can be: its specificities are shares of the text, or grades, which are whole numbers.
OF_SHARES, OF_GRADES = "2005", "2003"


def judged_elements(frame: pl.DataFrame, name: str, scale: str, places: Places) -> Judgments:
    """Judgments of which each row is an assessed element, in any order; a document with a relevant one is relevant."""
    frame = frame.sort("topic", "document", "path")
    makers = {"topic": cells.ids, "document": cells.ids, "path": cells.ids, "exhaustivity": cells.wholes}
    makers |= {"specificity": cells.decimals, **({"size": cells.optional} if "size" in frame.columns else {})}
    taken = {field: make(frame[field], field, name) for field, make in makers.items()}
    refuse_faults(taken, places)
    topic, document = taken["topic"].values, taken["document"].values
    first, group = by_document(topic, document)
    paths = [full(path, name) for path in frame["path"].to_list()]
    seen = set()
    for row, pair in enumerate(zip(group.tolist(), paths, strict=True)):
        if pair in seen:
            raise places[row].fault(f"element {pair[1]} is assessed twice")
        seen.add(pair)
    exhaustivity = taken["exhaustivity"].values.astype(np.int64)
    specificity = taken["specificity"].values
    size = taken["size"].values.astype(np.int64) if "size" in taken else np.full(len(paths), -1)
    relevant = np.zeros(len(first), bool)
    relevant[group[(exhaustivity != 0) & (specificity > 0)]] = True
    elements = AssessedElements(group, paths, exhaustivity, specificity, size, scale)
    finder = places.finder(topic, document)
    grade = relevant.astype(np.int64)
    return ElementJudgments(name, topic[first], document[first], finder, grade=grade, elements=elements)


def full(path: str, name: str) -> str:
    """A path with the number of each of its steps."""
    try:
        return normal(path)
    except ValueError:
        raise InputError(f"{path!r} is no path of an element; expected one like /article[1]/sec[2]", name) from None


def no_elements_yet(name: str, scale: str) -> Judgments:
    """Judgments of assessed elements, of which none is there."""
    import polars as pl

    rows = pl.DataFrame(schema={"topic": pl.String, "document": pl.String, "path": pl.String,
                                "exhaustivity": pl.Int64, "specificity": pl.Float64})  # fmt: skip
    return judged_elements(rows, name, scale, Places(name))


# Which table a row is of, 0 for the judgments.
PART = "part"
PATHS = ("path", "last")
TEXTS = ("topic", "document", *LABEL_FIELDS, *SUBTOPIC_FIELDS, "stratum", *PATHS)
DECIMALS = ("score", "grade", "specificity")
# What columns are taken for was decided by all rows.
DECIDED = Request(decided=True)


@dataclass(frozen=True)
class TablePart:
    """What a worker must know of one of the tables: its name, what it holds, and in which columns.

    `by_rank` is that of a run, `scale` that of assessed elements. `by_document` tells that the rows are those that
    `rows_by_document` made of judgments, and not as any table has them. `empty` are the topics to which a run in memory
    gives an empty list.
    """

    name: str
    kind: FileKind
    fields: tuple[str, ...]
    notes: tuple[str, ...] = ()
    by_rank: bool = False
    scale: str = ""
    by_document: bool = False
    empty: frozenset[str] = frozenset()


def places_of(frame: pl.DataFrame, name: str) -> Places:
    """Where rows stand that have no numbers, as they come in any order: by topic and document."""

    def key(row: int) -> str:
        return f"topic {frame['topic'][row]}, document {frame['document'][row]}"

    return Places(name, lambda row: None, "row", key)


def run_of_rows(frame: pl.DataFrame, part: TablePart, ranks: bool) -> Run:
    """A run, of its rows."""
    named = {name: name for name in part.fields if name not in PATHS}
    chosen = ChosenColumns("run", named, part.notes)
    run = frames.frame_run(frame, chosen, places_of(frame, part.name), ranks)
    paths: dict[str, Any] = {name: packed(frame[name].fill_null("")) for name in PATHS if name in part.fields}
    return make_run(**vars(run) | paths | {"by_rank": part.by_rank})


def judgments_of_rows(frame: pl.DataFrame, part: TablePart) -> Judgments:
    """Judgments, of their rows."""
    if "place" in part.fields:
        frame = frame.sort("place")
    elif "start" in part.fields:
        # some measures take the first passage that is touched, and rows come in any order
        frame = frame.sort([name for name in ("topic", "document", "start", "end", "length") if name in part.fields])
    if part.by_document:
        return judgments_by_document(frame, part)
    if "exhaustivity" in part.fields:
        return judged_elements(frame.select(part.fields), part.name, part.scale, places_of(frame, part.name))
    chosen = ChosenColumns("judgments", {name: name for name in part.fields if name != "place"}, part.notes)
    return frames.frame_judgments(frame, chosen, places_of(frame, part.name), DECIDED)


def rows_of_run(run: Run) -> dict[str, Any]:
    """The rows of a run that Assay read."""
    columns: dict[str, Any] = {"topic": run.topic.texts(), "document": run.document.texts(), "score": run.score}
    numbers = {name: values for name, values in run.columns_by_name().items() if name in ("rank", "start", "end")}
    paths = {name: ids.texts() for name, ids in run.result_ids().items() if name in PATHS}
    return columns | numbers | paths


def rows_of_judgments(judgments: Judgments) -> tuple[dict[str, Any], bool]:
    """The rows of judgments that Assay read, whose `place` is the order in which they were read; and whether they are
    by document. Where judgments have labels or subtopics, the rows are those that were told.
    """
    if judgments.labels is not None:
        columns = labelled_columns(judgments, judgments.labels)
    elif isinstance(judgments, SubtopicJudgments):
        columns = subtopic_columns(judgments)
    else:
        return rows_by_document(judgments), True
    return columns | {"place": list(range(len(columns["topic"])))}, False


def rows_by_document(judgments: Judgments) -> dict[str, Any]:
    """A row for each judged document, then one for each highlighted span and one for each assessed element."""
    number, none = len(judgments), np.zeros(0, np.int64)
    spans = judgments.highlights.row if isinstance(judgments, HighlightJudgments) else none
    parts = judgments.elements.row if isinstance(judgments, ElementJudgments) else none
    row = np.concatenate((np.arange(number), spans, parts))
    behind = {"documents": 0, "spans": number, "elements": number + len(spans)}

    def column(values: Collection[object], of: str) -> list[Any]:
        told: list[Any] = [None] * len(row)
        told[behind[of] : behind[of] + len(values)] = list(values)
        return told

    columns: dict[str, Any] = {"topic": judgments.topic[row].texts(), "document": judgments.document[row].texts()}
    columns |= {"place": list(range(len(row))), "grade": column(judgments.grade.tolist(), "documents")}
    if isinstance(judgments, SampleJudgments):
        columns["stratum"] = column(judgments.strata.texts(), "documents")
    if isinstance(judgments, HighlightJudgments):
        highlights = judgments.highlights
        facts = {"document_length": highlights.length, "bep": highlights.entry, "rsize": highlights.rsize}
        columns |= {name: column(values.tolist(), "documents") for name, values in facts.items()}
        columns |= {name: column(getattr(highlights, name).tolist(), "spans") for name in ("start", "end")}
    if isinstance(judgments, ElementJudgments):
        elements = judgments.elements
        columns["path"] = column(elements.path, "elements")
        numbers = ("exhaustivity", "specificity", "size")
        columns |= {name: column(getattr(elements, name).tolist(), "elements") for name in numbers}
    return columns


def judgments_by_document(frame: pl.DataFrame, part: TablePart) -> Judgments:
    """Judgments, of the rows that `rows_by_document` made of them."""
    topic, document = packed(frame["topic"]), packed(frame["document"])
    first, group = by_document(topic, document)

    def numbers(name: str, rows: Ints) -> Any:
        return frame[name].to_numpy()[rows].astype(np.float64 if name in DECIMALS else np.int64)

    highlights = elements = None
    if "start" in part.fields:
        spans = np.flatnonzero(frame["start"].is_not_null().to_numpy())
        places = (numbers(name, spans) for name in ("start", "end"))
        facts = (numbers(name, first) for name in ("document_length", "bep", "rsize"))
        highlights = Highlights(group[spans], *places, *facts)
    if "path" in part.fields:
        parts = np.flatnonzero(frame["path"].is_not_null().to_numpy())
        values = {name: numbers(name, parts) for name in ("exhaustivity", "specificity", "size")}
        elements = AssessedElements(group[parts], frame["path"].gather(parts).to_list(), **values, scale=part.scale)
    finder = places_of(frame, part.name).finder(topic, document)
    return make_judgments(
        part.name,
        topic[first],
        document[first],
        finder,
        part.notes,
        grade=whole_if_all(numbers("grade", first)),
        highlights=highlights,
        elements=elements,
        strata=packed(frame["stratum"].gather(first)) if "stratum" in part.fields else None,
    )
