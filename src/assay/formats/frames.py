"""Frames with named columns -> runs and judgments. Columns may have any of the usual names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import InputError, listed
from assay.formats import cells
from assay.formats.cells import Column
from assay.formats.highlighting import Labelled, graded, highlighted
from assay.formats.numbers import numbers
from assay.tables.column_names import LABEL_FIELDS, NAMES, SPAN_FIELDS, column, columns_of, span_columns
from assay.tables.ids import Ids, Ints
from assay.tables.judgments import Judgments
from assay.tables.places import Places
from assay.tables.run import Run, Table, not_empty
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    import polars as pl

# Rows of a block, about: few enough for memory to stay small, many enough for threads not to wait.
ROWS = 1 << 19
MAKERS = {
    "topic": cells.ids, "document": cells.ids, "score": cells.decimals, "rank": cells.wholes, "grade": cells.wholes,
    "start": cells.naturals, "end": cells.naturals, "length": cells.naturals,
    "document_length": cells.optional, "bep": cells.optional, "set": cells.names, "annotator": cells.names,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class TableRows:
    """The rows of a table that need not be read at once: the names of its columns, and some of these of some rows."""

    names: list[str]
    take: Callable[[list[str], int, int | None], pl.DataFrame]
    places: Places


def rows_of(frame: pl.DataFrame, places: Places) -> TableRows:
    """The rows of a frame."""
    return TableRows(frame.columns, lambda names, begin, rows: frame.select(names).slice(begin, rows), places)


def run_blocks(given: TableRows, ranks: bool = False, gather: bool = False) -> Iterator[Callable[[], Run]]:
    """A run, some whole topics at a time, each to be read by calling it."""
    names = chosen_columns(given.names, "run", given.places.name, ranks)
    topic = names["topic"]
    cuts = [] if gather else list(topic_bounds(given.take([topic], 0, None)[topic]))
    for begin, end in pairwise([0, *cuts, None]):
        rows = None if end is None else end - (begin or 0)
        yield partial(block_of, given, list(names.values()), begin or 0, rows, ranks)


def block_of(given: TableRows, names: list[str], begin: int, rows: int | None, ranks: bool) -> Run:
    """The part of a run that some rows of a table hold."""
    return not_empty(run(given.take(names, begin, rows), given.places.behind(begin), ranks))


def topic_bounds(topic: pl.Series) -> Iterator[int]:
    """Where to cut between topics, found by halving: rows of one topic stand together."""
    last = 0
    for place in range(ROWS, len(topic) - ROWS // 2, ROWS):
        low, high, here = last, place, topic[place]
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if topic[middle] == here else (middle + 1, high)
        if high > last:
            yield high
            last = high


def run(frame: pl.DataFrame, places: Places, ranks: bool = True) -> Run:
    """A run from a frame with columns topic, document, and score or rank; a
    rank beside a score where `ranks` are asked for.

    Of spans a rank tells the order, also where there is a score.
    """
    taken = columns(frame, "run", places.name, ranks)
    refuse_faults(taken, places)
    rank = taken["rank"].values.astype(np.int64) if "rank" in taken else None
    score = taken["score"].values if "score" in taken else -taken["rank"].values
    spans = {field: taken[field].values.astype(np.int64) for field in ("start", "end") if field in taken}
    by_rank = bool(spans) and rank is not None
    return Run(**vars(table(taken, places)), score=score, rank=rank, **spans, by_rank=by_rank)


def judgments(frame: pl.DataFrame, places: Places) -> Judgments:
    """Judgments from a frame with columns topic, document and grade; or start and end, and then perhaps a grade."""
    taken = columns(frame, "judgments", places.name)
    refuse_faults(taken, places)
    rows = table(taken, places)
    wholes, labelled = whole_numbers(taken), labels(taken)
    if "start" not in taken:
        return graded(rows, wholes["grade"], labelled)
    grade, length, entry = (wholes.get(field) for field in ("grade", "document_length", "bep"))
    return highlighted(rows, wholes["start"], wholes["end"], grade, length, entry, places, labelled)


def whole_numbers(taken: dict[str, Column]) -> dict[str, Ints]:
    """The columns of judgments that are numbers."""
    names = ("topic", "document", *LABEL_FIELDS)
    return {field: column.values.astype(np.int64) for field, column in taken.items() if field not in names}


def labels(taken: dict[str, Column]) -> Labelled:
    """The set and the annotator of each row of judgments; None where no row has any."""
    named = (taken[field].values if field in taken else None for field in LABEL_FIELDS)
    sets, annotators = (None if ids is None or not ids.length.any() else ids for ids in named)
    return sets, annotators


def table(taken: dict[str, Column], places: Places) -> Table:
    """The topics and documents of the rows."""
    topics: Ids = taken["topic"].values
    documents: Ids = taken["document"].values
    return Table(places.name, topics, documents, places.finder(topics, documents))


def chosen_columns(names: list[str], kind: FileKind, label: str, ranks: bool = False) -> dict[str, str]:
    """The columns of a run or of judgments by the names of their fields."""
    there = columns_of(names)
    fields = ["topic", "document", "grade"] if kind == "judgments" else ["topic", "document", "score", "rank"]
    optional = {"score", "rank"} | ({"grade"} if "start" in there else set())
    chosen = {field: there[field] for field in fields if field in there}
    if lacking := [field for field in fields if field not in chosen and field not in optional]:
        raise _lacking(lacking[0], names, label)
    if kind == "run" and not chosen.keys() & {"score", "rank"}:
        raise _lacking("score or rank", names, label)
    if kind == "judgments" and "rank" in there and chosen.get("grade") == there.get("score"):
        raise InputError("this looks like a run, with a score and a rank; expected judgments, with a grade", label)
    refuse_start_alone(names, label)
    if "score" in chosen and not ranks and "start" not in there:
        chosen.pop("rank", None)
    further = (*SPAN_FIELDS, *LABEL_FIELDS) if kind == "judgments" else ("start", "end", "length")
    return chosen | {field: there[field] for field in further if field in there}


def columns(frame: pl.DataFrame, kind: FileKind, label: str, ranks: bool = False) -> dict[str, Column]:
    """The columns of a run or of judgments by the names of their fields; of spans always start and end."""
    names = chosen_columns(frame.columns, kind, label, ranks)
    if "start" in names and names.get("grade", "").lower().strip() == "label" and is_class(frame[names["grade"]]):
        del names["grade"]
    taken = {field: MAKERS[field](frame[name], field, label) for field, name in names.items()}
    return with_ends(taken, kind) if "start" in taken else taken


def refuse_start_alone(names: list[str], label: str) -> None:
    """Where a table tells where text begins it must tell where it ends too, or it would be read as whole documents."""
    start = column(names, "start")
    if start and "start" in start.lower() and not span_columns(names):
        ends = ", ".join((*NAMES["end"], *NAMES["length"]))
        raise InputError(f"has a column {start} but none that tells where the text ends; expected one of {ends}", label)


def is_class(labels: pl.Series) -> bool:
    """Whether the labels of spans are no grades but names of something: none of them is a number."""
    import polars as pl

    return labels.dtype == pl.String and bool(np.isnan(numbers(cells.packed(labels))).all())


def with_ends(taken: dict[str, Column], kind: FileKind) -> dict[str, Column]:
    """Columns with the end of each span, which is not before its start; highlighted text is not empty."""
    start, length = taken["start"], taken.pop("length", None)
    given = length or taken["end"]
    end = start.values + given.values if length else given.values
    empty = end < start.values
    if kind == "judgments":
        empty |= (end == start.values) & (taken["grade"].values >= 1 if "grade" in taken else True)

    def why(row: int) -> str:
        if given.bad[row]:
            return given.why(row)
        first, last = int(start.values[row]), int(end[row])
        return f"start {first} lies behind end {last}" if last < first else f"the text from {first} to {last} is empty"

    return taken | {"end": Column(end, given.bad | empty, why)}


def _lacking(field: str, names: list[str], label: str) -> InputError:
    there = f"its columns are {listed(names, 12)}" if names else "it has no columns at all"
    hint = "; these look like judgments: they are given first, the runs after them" if column(names, "grade") else ""
    return InputError(f"has no column {field}; {there}{hint if field == 'score or rank' else ''}", label)


def known_columns(names: list[str]) -> list[str]:
    """The columns of a table that may be used."""
    return list(dict.fromkeys(columns_of(names).values()))


def faults(taken: dict[str, Column]) -> Iterator[tuple[int, str]]:
    """Each row that is wrong, and why."""
    for row in np.flatnonzero(np.logical_or.reduce([each.bad for each in taken.values()])).tolist():
        yield row, next(each.why(row) for each in taken.values() if each.bad[row])


def refuse_faults(taken: dict[str, Column], places: Places) -> None:
    """No row may be wrong: the first that is."""
    for row, what in faults(taken):
        raise places[row].fault(what)
