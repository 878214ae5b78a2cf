"""Tables and files whose rows carry a text -> Rows, and Rows -> tables with places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from assay.errors import InputError
from assay.files.source import Source
from assay.reading.format import Format, Readable, Request
from assay.reading.locate import told_without_documents, unknown_places
from assay.reading.memory import NO_SPELLING, locate_rows, table_of
from assay.reading.records import Taker, flat_as_told, is_record, rows_of_records
from assay.reading.rows import Rows
from assay.reading.schema import Schema, may_carry_texts, usual_name
from assay.reading.text_records import records_in_memory, records_of
from assay.tables.column_names import NO_ANSWER
from assay.tables.judgments import HighlightJudgments, Judgments
from assay.tables.run import Run
from assay.vocabulary import FileKind, Texts

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

# How many rows are looked at to know the columns.
SAMPLE = 20
# How many rows are looked at if there are no documents to compare texts with.
FIRST = 1000


def table_of_texts(
    rows: Rows,
    collection: DocumentCollection | None,
    policy: Texts = "check",
    spelling: Mapping[str, str] = NO_SPELLING,
) -> Run | Judgments:
    """The table of some rows, whose texts are located, with what was noted when they were read."""
    noted = [note.removeprefix(f"{rows.label}: ") for note in rows.notes]
    table = table_of(locate_rows(rows, collection, policy, spelling), Request(ranks=True))
    return replace(table, notes=(*table.notes, *noted))


def readable_rows(rows: Rows, collection: DocumentCollection | None) -> Readable[Any]:
    """What some rows hold, for a check; whether the texts stand where the rows say is another question."""
    faults = [rows.places[row].fault(what) for row, what in rows.faults()]
    if faults:
        return Readable(rows.kind, None, rows.places, faults)
    try:
        table = table_of_texts(rows, collection, "ignore" if len(list(rows.placed_rows())) == len(rows) else "drop")
    except InputError as error:
        return Readable(rows.kind, None, rows.places, [error])
    if rows.kind == "run":
        return Readable("run", cast(Run, table), rows.places, [])
    judgments = cast(Judgments, table)
    if not isinstance(judgments, HighlightJudgments):
        return Readable("judgments", judgments, rows.places, [])
    first = np.unique(judgments.highlights.row, return_index=True)[1]
    return Readable("judgments", judgments, rows.places, [], first, np.arange(len(judgments.highlights.row)))


def rows_of_file(
    source: Source,
    kind: FileKind,
    format: Format,
    columns: Mapping[str, str] = NO_SPELLING,
    collection: DocumentCollection | None = None,
) -> Rows | None:
    """The rows of a file with texts; None if it has none, and is read in columns."""
    if not format.may_have_texts:
        return None
    if not format.has_columns:
        return format.rows_with_texts(source, kind, Request(collection, columns=columns))
    names = format.column_names(source)
    return rows_with_texts(names, lambda: records_of(source), kind, source.label, columns, collection)


def rows_with_texts(
    names: list[str],
    records: Callable[[], Iterable[tuple[int | None, Any]]],
    kind: FileKind,
    label: str,
    columns: Mapping[str, str],
    collection: DocumentCollection | None,
    most: int | None = None,
) -> Rows | None:
    """The rows of a table, all or at most this many; None if it has neither texts nor values within others."""
    numbered = iter(islice(records(), most))
    first = list(islice(numbered, SAMPLE))
    sample = sample_of(names, (record for _, record in first), kind, columns, collection)
    if sample.text is None and not has_values_within(sample) and not says_no_answers(names, kind):
        return None
    noun = "line" if first[0][0] is not None else "row"
    counted = ((line or row, record) for row, (line, record) in enumerate(chain(first, numbered), 1))
    return rows_of_records(counted, kind, label, noun, collection, columns)


def says_no_answers(names: Iterable[str], kind: FileKind) -> bool:
    """Whether a column of judgments may say that a question has no answer."""
    return kind == "judgments" and not NO_ANSWER.keys().isdisjoint(names)


def sample_of(
    names: list[str],
    records: Iterable[Any],
    kind: FileKind,
    columns: Mapping[str, str],
    collection: DocumentCollection | None,
) -> Taker:
    """What the first records of a table have, and further columns, which later records may have."""
    flats = [flat_as_told(record, columns) for record in islice(records, SAMPLE) if is_record(record)]
    held = {name.partition(".")[0] for record in flats for name in record}
    return Taker([*flats, dict.fromkeys(name for name in names if name not in held)], kind, columns, collection)


def has_values_within(sample: Taker) -> bool:
    """Whether a field has its values in something that records hold: in another column, or the end of a span in its
    text.
    """
    has_span = sample.has_place and bool(sample.fields.keys() & {"end", "length"})
    if sample.text is not None and not has_span and (sample.has_place or usual_name(sample.text)[0] > 0):
        return True
    used = [*chain.from_iterable(sample.fields.values()), *sample.documents[:1]]
    chosen = sample.schema.chosen_by_user.values()
    return any(usual_name(name)[0] > 0 or ("." in name and name in chosen) for name in used)


def tells_values_within(schema: Schema, records: Callable[[], Iterable[Any]], kind: FileKind) -> bool:
    """Whether a table whose columns have some names has values within these columns."""
    try:
        return has_values_within(sample_of(schema.names, records(), kind, schema.told, None))
    except InputError:
        # what is wrong with a row is reported when the table is read
        return False


def placed_table(
    schema: Taker,
    read: Callable[[], Rows | None],
    kind: FileKind,
    collection: DocumentCollection | None,
    policy: Texts,
    spelling: Mapping[str, str],
    told: Callable[[], list[str]],
) -> tuple[Rows | None, list[str]]:
    """The rows of a table that carries texts, with their places, and notes; None if it can be read in columns.

    `read` reads the rows, and `told` says what can be said of the first of them without documents.
    """
    is_nested, has_place = has_values_within(schema), schema.has_place
    if schema.text is None and not is_nested:
        return None, []
    if policy == "ignore" and has_place and not is_nested:
        return None, []
    if collection is None and not is_nested:
        if has_place:
            return None, told()
        if kind == "judgments":
            # what a table lacks is said of its columns
            return None, []
    rows = read()
    if rows is None:
        return None, []
    found = locate_rows(rows, collection, policy, spelling, of_text=kind == "run")
    return found, found.notes


def of_table(
    names: list[str],
    records: Callable[[], Iterable[tuple[int | None, Any]]],
    kind: FileKind,
    label: str,
    collection: DocumentCollection | None,
    policy: Texts,
    spelling: Mapping[str, str],
    columns: Mapping[str, str],
) -> tuple[Rows | None, list[str]]:
    """The rows of a frame or of a file with columns that carries texts, with their places, and notes.

    None if it can be read in columns.
    """
    if says_no_answers(names, kind):
        # questions without an answer have no place in a column
        numbered = list(records())
        noun = "line" if numbered and numbered[0][0] is not None else "row"
        counted = ((line or row, record) for row, (line, record) in enumerate(numbered, 1))
        found = locate_rows(
            rows_of_records(counted, kind, label, noun, collection, columns), collection, policy, spelling
        )
        return found, found.notes
    if not may_carry_texts(Schema(names, columns)):
        return None, []
    try:
        sample = sample_of(names, (record for _, record in islice(records(), SAMPLE)), kind, columns, collection)
    except InputError:
        if collection is not None:
            raise
        # what is wrong with a row is reported when the table is read
        return None, []

    def of_first_rows() -> list[str]:
        try:
            rows = rows_with_texts(names, records, kind, label, columns, None, FIRST)
            if rows is None:
                return []
        except InputError:
            # what is wrong with a row is reported when the table is read
            return []
        rows.read_spans()
        if unknown := [row for row in range(len(rows)) if "start" not in rows.records[row]]:
            raise unknown_places(rows, unknown)
        return told_without_documents(rows)

    def read() -> Rows | None:
        return rows_with_texts(names, records, kind, label, columns, collection)

    return placed_table(sample, read, kind, collection, policy, spelling, of_first_rows)


def records_of_frame(frame: object) -> Iterator[tuple[int | None, Any]]:
    """The records of a frame."""
    return ((None, record) for record in records_in_memory(frame))


def of_file(
    source: Source,
    kind: FileKind,
    format: Format,
    collection: DocumentCollection | None,
    policy: Texts,
    spelling: Mapping[str, str] = NO_SPELLING,
    columns: Mapping[str, str] = NO_SPELLING,
) -> tuple[Rows | None, list[str]]:
    """The rows of a file that carries texts, with their places, and notes; None if it can be read in columns."""
    if not format.has_columns:
        rows = rows_of_file(source, kind, format, columns, collection)
        if rows is None:
            return None, []
        found = locate_rows(rows, collection, policy, spelling, of_text=kind == "run")
        return found, found.notes
    return of_table(
        format.column_names(source), lambda: records_of(source), kind, source.label, collection, policy, spelling,
        columns,
    )  # fmt: skip


def tells_places(rows: Rows, source: Source, format: Format, columns: Mapping[str, str]) -> bool:
    """Whether a file gives the places of all its rows: a table in columns, and not in the metadata of a chunk."""
    in_columns = not format.has_columns or bool(Schema(format.column_names(source), columns).spans)
    return in_columns and len(list(rows.placed_rows())) == len(rows) and not rows.has("end_of_text")


