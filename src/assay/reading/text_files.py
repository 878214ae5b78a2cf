"""Files whose rows carry a text: formats that are made for that, and tables with a column of texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from assay.errors import InputError, listed
from assay.files.source import STDIN, Source
from assay.reading.cells import python_text
from assay.reading.format import NOTHING_MORE, Format
from assay.reading.formats.json import FORMAT as JSON
from assay.reading.formats.json import JsonByTopic
from assay.reading.heads import Head
from assay.reading.memory import table_behind
from assay.reading.objects import DOCUMENTS, METADATA, STARTS, TEXTS, Chunk, chunk_of, holds_chunk, quotations_in, whole
from assay.reading.text_format import TextFormat, in_memory, table_of_texts
from assay.reading.text_objects import (
    VALUES,
    columns_of,
    records_in_memory,
    records_of,
    text_rows,
    topic_under_name,
    with_comparable_names,
    without_words,
)
from assay.reading.texts import CHUNK, NO_SPELLING, TextRows, placed_rows, told_without_documents
from assay.tables.column_names import TEXT_COLUMNS, TableColumns
from assay.tables.places import LINE, Place
from assay.tables.run import Run
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


# The chunks of a corpus, however they are given: a list of objects, texts or spans, or a file with a row for each.
#
# They are what a run could return, without a topic and a score.

EXPECTED = "expected a document with start and end, or a text"
GIVEN = "expected a file, a frame, a list of chunks, or a dict from documents to lists of chunks"
COLUMNS = "expected columns such as doc_id, start and end, or text, as all chunks of a corpus have, and no run"
KNOWN = {*TEXTS, *STARTS, *DOCUMENTS, *METADATA}
# Chunks are of no topic; the table that they become has one all the same.
RECORD = {"query_id": CHUNK, "score": 0.0}


def chunk_rows(given: Any, label: str, columns: Mapping[str, str] = NO_SPELLING) -> TextRows:
    """The chunks of a corpus. `columns` are those that a user tells of a file or a frame, by field."""
    given = by_document(given) or given if isinstance(given, Source) else given
    is_table = isinstance(given, Source) or hasattr(type(given), "columns") or hasattr(given, "__arrow_c_stream__")
    rows = TextRows("run", label, "row" if is_table else CHUNK, of_corpus=True)
    in_list = ((None, chunk) for chunk in chunks_in_memory(given, label))
    numbered = chunks_in_table(given, columns) if is_table else in_list
    for number, (line, chunk) in enumerate(numbered, 1):
        rows.noun = LINE if line is not None else rows.noun
        add_chunk(rows, chunk, line or number)
    if not len(rows):
        raise InputError("is empty; expected chunks", label)
    return rows


def by_document(source: Source) -> dict[str, Any] | None:
    """The chunks of each document, where a file is a JSON object that has them under their names."""
    if not JSON.recognises(Head(source.head()), None):
        return None
    value = JSON.value(source)
    return None if KNOWN.intersection(value) else value


def known_columns(given: Any) -> list[str]:
    """The names of the columns of chunks in a file or a frame; none where they have no columns."""
    if isinstance(given, Source):
        return [] if given.path == STDIN else list(next(iter(records_of(Source(given.path))), (None, {}))[1])
    return [str(name) for name in given.columns] if hasattr(type(given), "columns") else []


def add_chunk(rows: TextRows, chunk: Chunk | None, number: int) -> None:
    """A further chunk, which tells where it is or what it says."""
    place = Place(rows.label, number, rows.noun)
    is_placed = chunk is not None and bool(chunk.documents) and chunk.start is not None and chunk.end is not None
    if chunk is None or not (is_placed or chunk.text is not None):
        raise place.fault(f"has neither a place nor a text; {EXPECTED}")
    if chunk.text is not None and not chunk.text.strip():
        raise place.fault("has an empty text; expected some")
    if chunk.start is not None and chunk.end is not None and chunk.end < chunk.start:
        raise place.fault(f"start {chunk.start} lies behind end {chunk.end}")
    if is_placed and chunk.end == chunk.start:
        raise place.fault(f"the text from {chunk.start} to {chunk.end} is empty; expected some")
    rows.add(RECORD, chunk, number)


def chunks_in_table(given: Any, columns: Mapping[str, str]) -> Iterator[tuple[int | None, Chunk | None]]:
    """The chunks of a file, with the lines on which they begin, or of a frame."""
    numbered = records_of(given) if isinstance(given, Source) else ((None, each) for each in records_in_memory(given))
    for number, (line, record) in enumerate(numbered):
        told = with_comparable_names(record, columns)
        if not number and isinstance(given, Source) and not KNOWN.intersection(told):
            raise given.fault(f"has no column that is known, but {listed(list(record))}; {COLUMNS}", 1)
        yield line, chunk_of({name: value for name, value in told.items() if value is not None and value != ""})


def chunks_in_memory(given: Any, label: str) -> Iterator[Chunk | None]:
    """The chunks of a list, or of a dict with a list for each document."""
    if isinstance(given, Run):
        if given.start is None or given.end is None:
            raise InputError("returns whole documents; expected chunks", label)
        spans = zip(given.document.texts(), given.start.tolist(), given.end.tolist(), strict=True)
        yield from (Chunk(None, (document,), start, end) for document, start, end in spans)
    elif isinstance(given, Mapping):
        for document, chunks in given.items():
            if not is_list(chunks):
                raise InputError(f"document {document} has {python_text(chunks)}; expected a list of chunks", label)
            yield from (with_document(str(document), chunk_in_list(each, str(document))) for each in chunks)
    elif is_list(given):
        yield from map(chunk_in_list, given)
    else:
        raise InputError(f"is {python_text(given)}; {GIVEN}", label)


def is_list(given: Any) -> bool:
    """Whether something can be a list of chunks."""
    return isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping)


def chunk_in_list(given: Any, document: str = "") -> Chunk | None:
    """A chunk: a text, (document, start, end), where the document is known (start, end), or an object."""
    if isinstance(given, str):
        return Chunk(given)
    if isinstance(given, tuple | list) and not hasattr(given, "_asdict"):
        name, *places = (document, *given) if document and len(given) == 2 else given or ("",)
        start, end = map(whole, places) if len(places) == 2 else (None, None)
        if start is not None and end is not None and isinstance(name, str | int):
            return Chunk(None, (str(name),), start, end)
    return chunk_of(given)


def with_document(document: str, chunk: Chunk | None) -> Chunk | None:
    """A chunk that stands in the list of a document."""
    return chunk if chunk is None or chunk.documents else chunk._replace(documents=(document,))
