"""Files whose rows carry a text: formats that are made for that, and tables with a column of texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from assay.errors import InputError
from assay.files.source import Source
from assay.formats.format import NOTHING_MORE, Format
from assay.formats.given_texts import records_of, with_comparable_names
from assay.formats.json import JsonByTopic
from assay.formats.memory import table_behind
from assay.formats.memory_texts import VALUES, columns_of, text_rows, topic_under_name, without_words
from assay.formats.objects import chunk_of, holds_chunk
from assay.formats.quotation_lists import quotations_in
from assay.formats.text_format import TextFormat
from assay.formats.text_places import NO_SPELLING, placed_rows, told_without_documents
from assay.formats.text_rows import TextRows
from assay.formats.text_tables import in_memory, table_of_texts
from assay.tables.column_names import TEXT_COLUMNS, TableColumns
from assay.tables.places import Place
from assay.vocabulary import FileKind, Texts

# So many rows are looked at to know the columns.
SAMPLE = 20
# So many rows are looked at where there are no documents to compare texts with.
FIRST = 1000


def text_rows_of(
    source: Source,
    kind: FileKind,
    format: Format,
    columns: Mapping[str, str] = NO_SPELLING,
    collection: Any = None,
    most: int | None = None,
) -> TextRows | None:
    """The rows of a file with texts, all or at most so many; None where it has none. `columns` are those that a user
    tells, by field; the `collection` has the documents, where they are given.
    """
    if isinstance(format, TextFormat):
        return format.text_rows(source, kind)
    if isinstance(format, JsonByTopic):
        return text_rows(format.lists(source, kind), kind, source.label, collection)
    if not format.may_have_texts:
        return None
    numbered = islice(records_of(source), most)
    first = list(islice(numbered, SAMPLE))
    without: list[str] = []
    told = records_by_quotation(chain(first, numbered), kind, columns, without)
    sample = list(islice(told, SAMPLE))
    seen = columns_of((record for _, record in first), columns)
    quotations = seen.text if seen is not None and kind == "judgments" else None
    if quotations is None and not any(has_text_within(record) for _, record in sample):
        return None
    rows = TextRows(kind, source.label, "line" if first[0][0] is not None else "row")
    rows.columns = seen
    for number, record in chain(sample, told):
        chunk = chunk_of({name: value for name, value in record.items() if value != ""})
        topic = topic_under_name(record)
        if chunk is None or topic is None:
            there, place = TableColumns(list(record)), Place(rows.label, number, rows.noun)
            if topic is None and there.column("topic") and not there.spans:
                raise place.fault("topic is missing")
            if topic is not None and quotations and not there.column("document"):
                raise place.fault(f"column {quotations} has no text here; expected one, or a list of them")
            # what else is wrong with it is told when the table is read
            return None
        values = without_words({name: record[name] for name in VALUES if record.get(name) not in (None, "")})
        rows.add({"query_id": str(topic), **values}, chunk, number)
    rows.without_gold_among(without)
    return rows


def records_by_quotation(
    numbered: Iterable[tuple[int | None, dict[str, Any]]],
    kind: FileKind,
    columns: Mapping[str, str],
    without: list[str],
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of a file by the usual names, with their lines, or their numbers where there are none; those of
    judgments once for each quotation. The topics of those that have no quotation are put into `without`.
    """
    for row, (line, record) in enumerate(numbered, 1):
        told = with_comparable_names(record, columns)
        each = quotations_in(told) if kind == "judgments" else [told]
        if not each:
            without.append(str(topic_under_name(told)))
        yield from ((line or row, part) for part in each)


def has_text_within(record: Mapping[str, Any]) -> bool:
    """Whether a record has a text, or holds something that has one."""
    return any(name in record for name in TEXT_COLUMNS) or holds_chunk(record)


def in_file(
    source: Source,
    kind: FileKind,
    format: Format,
    collection: Any,
    policy: Texts,
    spelling: Mapping[str, str] = NO_SPELLING,
    columns: Mapping[str, str] = NO_SPELLING,
) -> tuple[Any, list[str]]:
    """A table of a file that carries texts without places, and notes; the file itself where there are none of these.

    Places that are told are compared with the texts.
    """
    if isinstance(format, TextFormat):
        return table_of_texts(format.text_rows(source, kind), collection, policy, spelling)
    if isinstance(format, JsonByTopic):
        value = format.lists(source, kind)
        table, notes = in_memory(value, kind, source.label, collection, policy, spelling)
        return (table_behind(value, kind, source.label, NOTHING_MORE) if table is value else table), notes
    is_nested = format.name == "jsonl" and tells_places_within(source)
    if collection is None and not is_nested:
        return source, [] if policy == "ignore" else told_of_first_rows(source, kind, format, columns)
    rows = None if policy == "ignore" and not is_nested else text_rows_of(source, kind, format, columns)
    if rows is None:
        return source, []
    if policy == "check" and tells_places(rows, source, format, columns):
        return source, placed_rows(rows, collection, policy).notes
    return table_of_texts(rows, collection, policy, spelling)


def told_of_first_rows(source: Source, kind: FileKind, format: Format, columns: Mapping[str, str]) -> list[str]:
    """What can be said of the texts of a file where there are no documents; a mistake shows in the first rows.

    Texts of Parquet are not read, as they would all be.
    """
    if not format.has_columns or format.name == "parquet":
        return []
    names = TableColumns(format.column_names(source), columns)
    if names.text is None or not names.spans:
        return []
    try:
        rows = text_rows_of(source, kind, format, columns, most=FIRST)
    except InputError:
        # what is wrong with it is told when the table is read
        return []
    return [] if rows is None else told_without_documents(rows)


def tells_places_within(source: Source) -> bool:
    """Whether the first record tells its place, not itself, but in something that it holds."""
    try:
        _, record = next(records_of(source), (None, {}))
    except InputError:
        return False
    plain = [name for name, value in record.items() if not isinstance(value, Mapping)]
    chunk = chunk_of(record) if holds_chunk(record) else None
    return chunk is not None and bool(chunk.documents) and chunk.start is not None and not TableColumns(plain).spans


def tells_places(rows: TextRows, source: Source, format: Format, columns: Mapping[str, str]) -> bool:
    """Whether a file tells the places of all its rows: a table in columns, and not in the metadata of a chunk."""
    in_columns = not format.has_columns or bool(TableColumns(format.column_names(source), columns).spans)
    return in_columns and len(list(rows.placed())) == len(rows)
