"""What the formats of gold evidence and of chunks have in common: rows with texts, often beside the documents."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, cast

import numpy as np

from assay.errors import InputError, quoted
from assay.files.line_blocks import text_of
from assay.files.source import Source
from assay.reading.columns import lacking_column
from assay.reading.format import NOTHING_MORE, Block, Format, Readable, Request
from assay.reading.memory import table_of_rows
from assay.reading.text_objects import ORDER, text_rows
from assay.reading.texts import NO_SPELLING, TextRows, placed_rows
from assay.tables.judgments import Judgments
from assay.tables.run import Run
from assay.vocabulary import FileKind, Texts

# Runs and judgments that carry texts -> tables with places, and what was decided about these.


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


class TextFormat(Format):
    """A format of rows with texts."""

    holds: ClassVar[tuple[FileKind, ...]] = ("judgments",)
    may_have_texts = True

    def text_rows(self, source: Source, kind: FileKind) -> TextRows:
        """The rows of a file."""
        raise NotImplementedError

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Judgments, unless a format says otherwise."""
        return "judgments"

    def run_blocks(self, source: Source, request: Request = NOTHING_MORE) -> Iterator[Block]:
        """A run, all of it at once."""
        if "run" not in self.holds:
            raise source.fault(f"holds judgments ({self.title}); expected a run")
        yield lambda: cast(Run, table_of_texts(self.text_rows(source, "run"), request.documents)[0])

    def judgments(self, source: Source, request: Request = NOTHING_MORE) -> Judgments:
        """The judgments of a file."""
        return cast(Judgments, table_of_texts(self.text_rows(source, "judgments"), request.documents)[0])

    def readable(self, source: Source, kind: FileKind | None = None, request: Request = NOTHING_MORE) -> Readable[Any]:
        """What a file holds; whether the texts stand where it says is another question."""
        return readable_rows(self.text_rows(source, kind or self.kind_of(source)), request.documents)


def json_of(source: Source) -> Any:
    """The value of a JSON file."""
    text = text_of(source)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise source.fault(f"is not JSON ({error.msg} at column {error.colno})", error.lineno) from None
    except (ValueError, RecursionError):
        raise source.fault("has too many digits or brackets") from None


def needed(record: Any, name: str, type_: type, where: str, source: Source) -> Any:
    """A value of a record, which must be there and of a type."""
    value = record.get(name) if isinstance(record, dict) else None
    if isinstance(value, bool) or not isinstance(value, type_):
        what = {str: "a text", int: "a whole number", list: "a list", dict: "an object"}[type_]
        raise source.fault(f"{where}: {name} is {quoted(json.dumps(value, ensure_ascii=False))}; expected {what}")
    return value


def objects_in(value: Any, where: str, source: Source) -> list[dict[str, Any]]:
    """A list of objects, which may not be there."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise source.fault(f"{where} is {quoted(json.dumps(value, ensure_ascii=False))}; expected a list of objects")
    return value


# What the exports of annotation tools call topics and documents.

QUESTIONS = ("query_id", "question_id", "topic_id", "topic", "question", "query")
DOCUMENTS = (
    "doc_id",
    "document_id",
    "docno",
    "docid",
    "document",
    "source",
    "file_path",
    "file_name",
    "filename",
    "file",
)


def topic_of_label(data: dict[str, Any], labels: list[str]) -> list[str]:
    """The topics of a labelled region: the question of its task, or its labels."""
    asked = next((data[name] for name in QUESTIONS if isinstance(data.get(name), str | int) and data[name] != ""), None)
    return labels if asked is None else [str(asked)]


def document_of_task(data: dict[str, Any], otherwise: str) -> str:
    """The document that a task shows."""
    named = next(
        (data[name] for name in DOCUMENTS if isinstance(data.get(name), str | int) and data[name] != ""), otherwise
    )
    return str(named)
