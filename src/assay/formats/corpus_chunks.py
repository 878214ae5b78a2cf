"""The chunks of a corpus, however they are given: a list of objects, texts or spans, or a file with a row for each.

They are what a run could return, without a topic and a score.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assay.errors import InputError, listed
from assay.files.source import STDIN, Source
from assay.formats.cells import python_text
from assay.formats.given_texts import records_in_memory, records_of, with_comparable_names
from assay.formats.heads import Head
from assay.formats.json import FORMAT as JSON
from assay.formats.objects import DOCUMENTS, METADATA, STARTS, TEXTS, Chunk, chunk_of, whole
from assay.formats.text_places import NO_SPELLING
from assay.formats.text_rows import CHUNK, TextRows
from assay.tables.places import LINE, Place
from assay.tables.run import Run

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
