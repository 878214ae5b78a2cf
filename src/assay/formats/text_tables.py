"""Runs and judgments that carry texts -> tables with places, and what was decided about these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from assay.errors import InputError
from assay.formats.chosen_columns import lacking_column
from assay.formats.format import NOTHING_MORE
from assay.formats.memory_spans import table_of_rows
from assay.formats.memory_texts import ORDER, text_rows
from assay.formats.readable import Readable
from assay.formats.text_places import NO_SPELLING, placed_rows
from assay.formats.text_rows import TextRows
from assay.tables.judgments import Judgments
from assay.tables.run import Run
from assay.vocabulary import FileKind, Texts


def in_memory(
    given: Any,
    kind: FileKind,
    label: str,
    collection: Any,
    policy: Texts = "check",
    spelling: Mapping[str, str] = NO_SPELLING,
    columns: Mapping[str, str] = NO_SPELLING,
) -> tuple[Any, list[str]]:
    """A table of an object that carries texts, and notes; the object itself where it does not, or is a table with all
    places, which are then compared with the texts.
    """
    rows = text_rows(given, kind, label, collection, columns)
    if rows is None:
        return given, []
    if not rows.are_objects and policy in ("check", "ignore") and len(list(rows.placed())) == len(rows):
        return given, placed_rows(rows, collection, policy).notes
    return table_of_texts(rows, collection, policy, spelling)


def table_of_texts(
    rows: TextRows, collection: Any, policy: Texts = "check", spelling: Mapping[str, str] = NO_SPELLING
) -> tuple[Run | Judgments, list[str]]:
    """The table of some rows, and notes."""
    refuse_without_order(rows)
    placed = placed_rows(rows, documents_for(rows, collection), policy, spelling)
    if not placed.records:
        raise InputError(f"is empty; expected {rows.expected}", rows.label)
    return table_of_rows(placed.records, rows.kind, placed.places, NOTHING_MORE), [*rows.notes, *placed.notes]


def refuse_without_order(rows: TextRows) -> None:
    """The rows of a run must tell their order; what they lack is said of the columns that the user sees."""
    if rows.kind == "judgments" or rows.columns is None:
        return
    if not any(name in record for record in rows.records for name in ORDER):
        raise lacking_column("score or rank", rows.columns, rows.label)


def readable_rows(rows: TextRows, collection: Any) -> Readable[Any]:
    """What some rows hold, for a check; whether the texts stand where the rows say is another question."""
    try:
        table, _ = table_of_texts(rows, collection, "ignore" if len(list(rows.placed())) == len(rows) else "drop")
    except InputError as error:
        return Readable(rows.kind, None, rows.places, [error])
    if rows.kind == "run":
        return Readable("run", cast(Run, table), rows.places, [])
    judgments = cast(Judgments, table)
    assert judgments.highlights is not None
    first = np.unique(judgments.highlights.row, return_index=True)[1]
    return Readable("judgments", judgments, rows.places, [], first, np.arange(len(judgments.highlights.row)))


def documents_for(rows: TextRows, collection: Any) -> Any:
    """The documents in which the texts of some rows are looked for: those that are given, unless the rows have their
    own, of which none is among them.
    """
    if not rows.documents or (
        collection is not None and any(collection.own_id(name) is not None for name in rows.documents)
    ):
        return collection
    from assay.documents.in_memory import TextsInMemory

    return TextsInMemory(rows.documents)
