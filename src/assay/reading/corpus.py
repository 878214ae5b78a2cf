"""The chunks of a corpus, however they are given: a list of objects, texts or spans, or a file with a row for each.

They are what a run could return, without a topic and a score.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeGuard

from assay.errors import InputError, UsageError, list_names, quote
from assay.files.source import STDIN, Source
from assay.reading.cells import python_text
from assay.reading.formats.json import FORMAT as JSON
from assay.reading.given import is_file
from assay.reading.heads import Head
from assay.reading.memory import NO_SPELLING
from assay.reading.records import KNOWN, Taker, flat, flat_as_told, is_record, is_scored, refuse_missing_paths
from assay.reading.rows import CHUNK, Rows
from assay.reading.schema import Schema
from assay.reading.text_records import records_in_memory, records_of
from assay.tables.column_names import PART_IDS
from assay.tables.places import LINE
from assay.tables.run import Run, SpanRun

if TYPE_CHECKING:
    from assay.reading.input_types import ChunksLike

EXPECTED = "expected a document, start and end, or a text"
GIVEN = "expected a file, a frame, a list of chunks, or a dict from documents to lists of chunks"
BY_NAME = "expected a dict by document id, a dict by run name, or one list of all chunks"
COLUMNS = "expected all chunks of a corpus, with columns such as doc_id, start and end, or text"
# So many chunks are looked at to know their names.
FEW = 20
# Where a chunk has its id that is given in a dict by its id: no other name is better.
CHUNK_ID = PART_IDS[0][1]
# Chunks are of no topic; the table that they become has one all the same.
RECORD = {"topic": CHUNK, "score": 0.0}


def chunks_by_run(
    chunks: ChunksLike, runs: Collection[str], is_document: Callable[[str], bool] | None = None
) -> dict[str, Any]:
    """Return the chunks of each run: those that a dict has under the name of the run, or else all for every run.

    A dict with the names of runs has the chunks of each, a dict with other names those of documents. Names that could
    be either are refused; `is_document` tells the names of documents, where they are known already.
    """
    if not isinstance(chunks, Mapping):
        return dict.fromkeys(runs, chunks)
    by_name = {str(name): given for name, given in chunks.items()}
    if not by_name.keys() & set(runs) and not any(map(names_a_file, by_name.values())):
        return dict.fromkeys(runs, chunks)
    if unknown := next((name for name in by_name if name not in runs), None):
        raise UsageError(f"chunks= has chunks for an unknown run {unknown!r}; choose from {list_names(list(runs))}")
    if is_document is not None and (both := next(filter(is_document, by_name), None)):
        what = f"chunks= has chunks for {both!r}, which names both a run and a document"
        raise UsageError(f"{what}; rename the run, or pass one list of all chunks")
    return by_name


def names_a_file(given: object) -> bool:
    """Whether something is a file, and not the text of a chunk."""
    if not isinstance(given, str):
        return is_file(given)
    try:
        return os.path.exists(given) or (not any(map(str.isspace, given)) and "." in given)
    except (OSError, ValueError):
        return False


def chunk_rows(given: ChunksLike, label: str, columns: Mapping[str, str] = NO_SPELLING) -> Rows:
    """The chunks of a corpus. `columns` are those that a user tells of a file or a frame, by field."""
    given = by_document(given) or given if isinstance(given, Source) else given
    is_table = isinstance(given, Source) or hasattr(type(given), "columns") or hasattr(given, "__arrow_c_stream__")
    rows = Rows("run", label, "row" if is_table else CHUNK, of_corpus=True)
    names: list[str] = []
    in_memory = ((None, each) for each in chunks_in_memory(given, label, names))
    numbered = list(chunks_in_table(given) if is_table else in_memory)
    flats = [flat_as_told(chunk, columns) if is_record(chunk) else {} for _, chunk in numbered]
    # chunks of several splitters may be in one list, each with its own names
    taker = Taker(flats, "run", columns, None, known=("topic", "score", "rank"), of_objects=True)
    # its own id is no document of a chunk that names another
    taker.documents = [name for name in taker.documents if name not in taker.own] or taker.documents
    if is_table and isinstance(given, Source) and numbered and not (taker.documents or taker.text or taker.has_place):
        raise given.fault(f"none of the columns is known: {list_names(list(flats[0]))}; {COLUMNS}", 1)
    taker.schema.refuse_equals(["start", "end"], label, taker.are_alike, anywhere=True)
    rows.noun = LINE if any(line is not None for line, _ in numbered) else rows.noun
    rows.records = [taker.take(record) | RECORD for record in flats]
    rows.numbers = [line or number for number, (line, _) in enumerate(numbered, 1)]
    refuse_missing_paths(rows, flats, columns)
    refuse_other_names(names, rows)
    if not len(rows):
        raise InputError("the input is empty; expected chunks", label)
    for row, record in enumerate(rows.records):
        if "text" not in record and not ("document" in record and "start" in record):
            raise rows.places[row].fault(f"the chunk has no offsets and no text; {EXPECTED}")
    rows.read_spans()
    for row, record in enumerate(rows.records):
        if "document" in record and "start" in record and record["start"] == record.get("end"):
            start, end = record["start"], record["end"]
            raise rows.places[row].fault(f"the text from {start} to {end} is empty; expected at least one character")
    return rows


def refuse_other_names(names: list[str], rows: Rows) -> None:
    """Names under which chunks are given are those of documents: each has chunks of one, and no other name has any of
    it. Else they could be the names of chunkings, which are not to be pooled.
    """
    by_name: dict[str, str] = {}
    by_document: dict[str, str] = {}
    for name, record in zip(names, rows.records, strict=False):
        document = name if record.get("made_up") else str(record.get("document", name))
        if (other := by_name.setdefault(name, document)) != document:
            what = f"{quote(name)} has chunks of several documents ({list_names([other, document])})"
            raise InputError(f"{what}; {BY_NAME}", rows.label)
        if (other := by_document.setdefault(document, name)) != name:
            what = f"{quote(other)} and {quote(name)} both have chunks of document {document}"
            raise InputError(f"{what}; {BY_NAME}", rows.label)


def by_document(source: Source) -> dict[str, Any] | None:
    """The chunks of each document, where a file is a JSON object that has them under their names."""
    if not JSON.recognises(Head(source.head()), None):
        return None
    value = JSON.value(source)
    return None if set(KNOWN).intersection(value) else value


def known_columns(given: Any) -> list[str]:
    """The names of the columns of chunks in a file or a frame, or of the keys of the first records; none where there
    are none.
    """
    if isinstance(given, Source):
        return [] if given.path == STDIN else list(next(iter(records_of(Source(given.path))), (None, {}))[1])
    if hasattr(type(given), "columns"):
        return [str(name) for name in given.columns]
    items = given.values() if isinstance(given, Mapping) else given if isinstance(given, list | tuple) else ()
    return [name for each in islice(items, FEW) if is_record(each) for name in flat(each)]


def chunks_in_table(given: object) -> Iterator[tuple[int | None, Any]]:
    """The chunks of a file, with the lines on which they begin, or of a frame."""
    numbered = records_of(given) if isinstance(given, Source) else ((None, each) for each in records_in_memory(given))
    return ((line, without_blanks(each)) for line, each in numbered)


def without_blanks(record: dict[str, Any]) -> dict[str, Any]:
    """A record without the values that are empty texts."""
    for value in record.values():
        if value is None or (type(value) is str and not value):
            return {name: value for name, value in record.items() if not isinstance(value, str) or value}
    return record


def chunks_in_memory(given: object, label: str, names: list[str]) -> Iterator[Any]:
    """The chunks of a list, or of a dict with a list for each document, whose name is added to `names` for each."""
    if isinstance(given, Run):
        if not isinstance(given, SpanRun):
            raise InputError("this run returns whole documents; expected chunks with start and end", label)
        spans = zip(given.document.texts(), given.start.tolist(), given.end.tolist(), strict=True)
        yield from ({"document": document, "start": start, "end": end} for document, start, end in spans)
    elif isinstance(given, Mapping) and are_by_id(given):
        for name, chunk in given.items():
            record = chunk_in_list(chunk)
            # what is no chunk is refused by its place
            yield {**flat(record), CHUNK_ID: str(name)} if is_record(record) else record
    elif isinstance(given, Mapping):
        for document, chunks in given.items():
            if not is_list(chunks):
                what = f"the chunks of document {document} are {python_text(chunks)}"
                raise InputError(f"{what}; expected a list of chunks", label)
            for each in chunks:
                names.append(str(document))
                yield chunk_in_list(each, str(document))
    elif is_list(given):
        yield from map(chunk_in_list, given)
    else:
        raise InputError(f"is {python_text(given)}; {GIVEN}", label)


def are_by_id(given: Mapping[Any, Any]) -> bool:
    """Whether a dict has one chunk under each name, the id of the chunk, and not the chunks of a document."""
    first = next(iter(given.values()), None)
    if isinstance(first, tuple | list) and not is_record(first):
        return len(first) == 3 and isinstance(first[0], str) and all(isinstance(each, int) for each in first[1:])
    return isinstance(first, str) or (is_record(first) and not is_list(first) and not hasattr(first, "ndim"))


def is_list(given: object) -> TypeGuard[Iterable[Any]]:
    """Whether something can be a list of chunks."""
    is_number = getattr(given, "ndim", 1) == 0
    return isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping) and not is_number


def chunk_in_list(given: object, document: str = "") -> Any:
    """A chunk as a record: a text, (document, start, end), where the document is known (start, end), or an object."""
    known = {"document": document} if document else {}
    if is_scored(given) and not isinstance(given[0], int):
        given = given[0]
    if isinstance(given, str):
        return {"text": given, **known}
    if isinstance(given, tuple | list) and not hasattr(given, "_asdict"):
        values = (document, *given) if document and len(given) == 2 else tuple(given)
        return dict(zip(("document", "start", "end"), values, strict=True)) if len(values) == 3 else None
    if document and is_record(given):
        record = flat(given)
        return record if Schema(list(record)).documents else {**record, **known}
    return given
