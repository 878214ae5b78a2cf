"""Read the chunks of a corpus from any input, and look up runs that return chunk ids, as vector databases do."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from assay.errors import InputError, UsageError, count_noun, list_names, quote
from assay.files.source import STDIN, Source
from assay.reading.faults import python_text
from assay.reading.format import Block, Head, Request
from assay.reading.formats.json import FORMAT as JSON
from assay.reading.given import Given, GivenFile, GivenObjects, GivenRows, is_file, source_or_object
from assay.reading.memory import read_values
from assay.reading.records import (
    KNOWN,
    RecordReader,
    flat,
    flat_as_told,
    is_record,
    is_scored,
    refuse_missing_paths,
)
from assay.reading.rows import CHUNK, Rows
from assay.reading.schema import Schema, schema_of, usual_name
from assay.reading.texts import records_in_memory, records_of, rows_of_table
from assay.reading.values import NO_NAMES, id_of, is_there
from assay.tables.column_names import OWN_IDS, PART_IDS
from assay.tables.ids import Ints
from assay.tables.places import LINE
from assay.tables.run import DocumentRun, Run, SpanRun, SurroundedSpanRun

if TYPE_CHECKING:
    from assay.reading.input_types import ChunksLike
    from assay.tables.judgments import Judgments


# The chunks of a corpus: a list of objects, texts or spans, or a file with one row per chunk. They are what a run could
# retrieve, without a topic and a score.

EXPECTED = "expected a document, start and end, or a text"
GIVEN = "expected a file, a frame, a list of chunks, or a dict from documents to lists of chunks"
BY_NAME = "expected a dict by document id, a dict by run name, or one list of all chunks"
COLUMNS = "expected all chunks of a corpus, with columns such as doc_id, start and end, or text"
# How many chunks are checked for their names.
FEW = 20
# The field for the key of a chunk in a dict {id: chunk}. No other name for an id is better.
CHUNK_ID = PART_IDS[0][1]
# Chunks have no topic, but the table that they become needs one.
RECORD = {"topic": CHUNK, "score": 0.0}


def chunks_by_run(
    chunks: ChunksLike, runs: Collection[str], is_document: Callable[[str], bool] | None = None
) -> dict[str, Any]:
    """Return the chunks of each run: those that a dict has under the name of the run, or else all for every run.

    The keys of a dict are names of runs or of documents. A name that could be either is an error; `is_document` says
    which names are documents, if that is known already.
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
    """Return whether something is a file, not the text of a chunk."""
    if not isinstance(given, str):
        return is_file(given)
    try:
        return os.path.exists(given) or (not any(map(str.isspace, given)) and "." in given)
    except (OSError, ValueError):
        return False


def chunk_rows(given: ChunksLike, label: str, columns: Mapping[str, str] = NO_NAMES) -> Rows:
    """Return the chunks of a corpus as Rows; `columns` are the columns that the user named, by field."""
    given = by_document(given) or given if isinstance(given, Source) else given
    is_table = isinstance(given, Source) or hasattr(type(given), "columns") or hasattr(given, "__arrow_c_stream__")
    rows = Rows("run", label, "row" if is_table else CHUNK, of_corpus=True)
    names: list[str] = []
    in_memory = ((None, each) for each in chunks_in_memory(given, label, names))
    numbered = list(chunks_in_table(given) if is_table else in_memory)
    flats = [flat_as_told(chunk, columns) if is_record(chunk) else {} for _, chunk in numbered]
    taker = RecordReader(flats, "run", columns, None, known=("topic", "score", "rank"))
    # one list may have chunks of several splitters, with different names; a chunk's own id is not its document if it
    # names a document too
    own = {*taker.own, taker.text}
    taker.documents = [name for name in taker.schema.documents if name not in own] or taker.documents
    if is_table and isinstance(given, Source) and numbered and not (taker.documents or taker.text or taker.has_place):
        raise given.fault(f"none of the columns is known: {list_names(list(flats[0]))}; {COLUMNS}", 1)
    taker.schema.refuse_equals(["start", "end"], label, taker.are_alike, anywhere=True)
    rows.noun = LINE if any(line is not None for line, _ in numbered) else rows.noun
    # `origin`: a chunk whose text was found in parts becomes several rows
    rows.records = [taker.take(record) | RECORD | {"origin": number} for number, record in enumerate(flats)]
    rows.numbers = [line or number for number, (line, _) in enumerate(numbered, 1)]
    refuse_missing_paths(rows, flats, columns)
    refuse_other_names(names, rows)
    if not len(rows):
        raise InputError("the input is empty; expected chunks", label)
    for row, record in enumerate(rows.records):
        if not record.keys() & {"text", "text_fault"} and not ("document" in record and "start" in record):
            raise rows.places[row].fault(f"the chunk has no offsets and no text; {EXPECTED}")
    rows.read_spans()
    for row, record in enumerate(rows.records):
        if "document" in record and "start" in record and record["start"] == record.get("end"):
            start, end = record["start"], record["end"]
            raise rows.places[row].fault(f"the text from {start} to {end} is empty; expected at least one character")
    return rows


def refuse_other_names(names: list[str], rows: Rows) -> None:
    """Raise an error unless the names under which chunks are listed are documents.

    Each name must have the chunks of one document, and no other name may have chunks of it. Otherwise the names may be
    those of different chunkings, which must not be mixed.
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
    """Return the chunks by document if a file is a JSON object {document: chunks}; else None."""
    if not JSON.recognises(Head(source.head()), None):
        return None
    value = JSON.value(source)
    return None if set(KNOWN).intersection(value) else value


def known_columns(given: Any) -> list[str]:
    """Return the column names of chunks in a file or a frame, or the keys of the first records."""
    if isinstance(given, Source):
        return [] if given.path == STDIN else list(next(iter(records_of(Source(given.path))), (None, {}))[1])
    if hasattr(type(given), "columns"):
        return [str(name) for name in given.columns]
    items = given.values() if isinstance(given, Mapping) else given if isinstance(given, list | tuple) else ()
    return [name for each in islice(items, FEW) if is_record(each) for name in flat(each)]


def chunk_columns(given: Any) -> list[str]:
    """Return the column names of the chunks of a corpus; raise an error if they are those of a run.

    A ceiling of retrieved chunks would mean nothing.
    """
    names = list(dict.fromkeys(known_columns(given)))
    schema = schema_of(names)
    topic, order = schema.column("topic"), schema.column("score") or schema.column("rank")
    if topic and order:
        what = f"this looks like a run, because it has the columns {topic} and {order}"
        label = given.label if isinstance(given, Source) else "chunks"
        raise InputError(f"{what}; expected all chunks of the corpus, whether or not a system returned them", label)
    return names


def chunks_in_table(given: object) -> Iterator[tuple[int | None, Any]]:
    """Yield the chunks of a file with the lines on which they begin, or of a frame."""
    return records_of(given) if isinstance(given, Source) else ((None, each) for each in records_in_memory(given))


def chunks_in_memory(given: object, label: str, names: list[str]) -> Iterator[Any]:
    """Yield the chunks of a list, or of a dict of lists by document; append the document's name to `names` for each."""
    if isinstance(given, Run):
        if not isinstance(given, SpanRun):
            raise InputError("this run returns whole documents; expected chunks with start and end", label)
        spans = zip(given.document.texts(), given.start.tolist(), given.end.tolist(), strict=True)
        yield from ({"document": document, "start": start, "end": end} for document, start, end in spans)
    elif isinstance(given, Mapping) and are_by_id(given):
        for name, chunk in given.items():
            record = chunk_in_list(chunk)
            # a value that is not a chunk is refused later, with its place
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
        raise InputError(f"{GIVEN}; found {python_text(given)}", label)


def are_by_id(given: Mapping[Any, Any]) -> bool:
    """Return whether a dict has one chunk under each chunk id, not the chunks of a document."""
    first = next(iter(given.values()), None)
    if isinstance(first, tuple | list) and not is_record(first):
        return len(first) == 3 and isinstance(first[0], str) and all(isinstance(each, int) for each in first[1:])
    return isinstance(first, str) or (is_record(first) and not is_list(first) and not hasattr(first, "ndim"))


def is_list(given: object) -> TypeGuard[Iterable[Any]]:
    """Return whether something can be a list of chunks."""
    is_number = getattr(given, "ndim", 1) == 0
    return isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping) and not is_number


def chunk_in_list(given: object, document: str = "") -> Any:
    """Return a chunk as a record, from a text, (document, start, end), (start, end) in a document, or an object."""
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
        return record if schema_of(record).documents else {**record, **known}
    return given


# How many rows are checked to find the column of chunk ids.
MANY = 1000
# The fields of a result besides its chunk.
ORDERED = ("topic", "score", "rank")
OTHER_COLUMN = "if another column has the ids, pass columns=, for example chunk=key"
NO_IDS = f"expected a column chunk_id or id; {OTHER_COLUMN}"
# FAISS numbers chunks from 0, and writes this if it finds fewer results than asked for.
NO_RESULT = "-1"
BY_NUMBER = "if an id is the number of a chunk in this list, as with FAISS, pass chunks=dict(enumerate(chunks))"


@dataclass(eq=False, repr=False)
class ChunkTable:
    """All chunks of a corpus with their spans, as a run of one topic, and the row of each chunk by its id.

    A text that was found in parts has several consecutive rows; `parts` maps the first of them to their number.
    """

    spans: SpanRun
    rows: Mapping[str, int]
    parts: Mapping[int, int]
    notes: list[str]

    @property
    def label(self) -> str:
        """The name of the table in messages."""
        return self.spans.name

    def look_up(self, run: Run) -> Run:
        """Return a run of chunk ids with the spans of these chunks; a run that has spans already unchanged."""
        if not isinstance(run, DocumentRun):
            return run
        first, number = run.document.number()
        names = run.document[first].texts()
        are_numbers = all(name.isdecimal() or name == NO_RESULT for name in names)
        if not self.rows:
            hint = f"; {BY_NUMBER}" if are_numbers else ""
            raise InputError(f"the chunks have no ids, but {run.name} returns ids; {NO_IDS}{hint}", self.label)
        if are_numbers and len(names) > 1 and NO_RESULT in names and NO_RESULT not in self.rows:
            return self.look_up(rows_of(run, np.flatnonzero(number != names.index(NO_RESULT))))
        if unknown := [name for name in names if name not in self.rows]:
            raise self._unknown(unknown, names, run.name)
        rows: Ints = np.fromiter(map(self.rows.__getitem__, names), np.int64, len(names))[number]
        if self.parts:
            parts = np.array([self.parts.get(row, 1) for row in rows.tolist()])
            again = np.repeat(np.arange(len(rows)), parts)
            rows = rows[again] + np.arange(len(again)) - np.repeat(np.cumsum(parts) - parts, parts)
            run = rows_of(run, again)
        told = vars(run) | {"document": self.spans.document[rows], "places": None}
        told |= {"start": self.spans.start[rows], "end": self.spans.end[rows]}
        if isinstance(self.spans, SurroundedSpanRun):
            return SurroundedSpanRun(**told, before=self.spans.before[rows], after=self.spans.after[rows])
        return SpanRun(**told)

    def _unknown(self, unknown: list[str], names: list[str], run: str) -> InputError:
        """Return the error about ids that are not in the table."""
        if len(unknown) == len(names):
            ours, theirs = (", ".join(map(quote, islice(each, 2))) for each in (names, self.rows))
            what = f"none of the chunk ids in {run} is in {self.label}: {ours} vs {theirs}"
            return InputError(f"{what}; are these results of another set of chunks, or document ids?")
        what = f"{len(unknown):,} of {count_noun(len(names), 'chunk id')} missing from {self.label}: "
        return InputError(f"{what}{list_names(list(map(quote, unknown)), 3)}; expected a table of all chunks", run)


def rows_of(run: Run, rows: Ints) -> Run:
    """Return some rows of a run of ids."""
    rank = None if run.rank is None else run.rank[rows]
    return replace(run, topic=run.topic[rows], document=run.document[rows], score=run.score[rows], rank=rank)


def chunk_table(located: Rows, spans: SpanRun, notes: list[str]) -> ChunkTable:
    """Return the table of some located chunks; an id may appear twice only for the same chunk."""
    rows: dict[str, int] = {}
    parts: dict[int, int] = {}
    records = located.records
    for row, record in enumerate(records) if located.has("own") else ():
        if "own" not in record:
            raise located.places[row].fault(f"this chunk has no id, but others do; {NO_IDS}")
        if (first := rows.setdefault(record["own"][0], row)) == row:
            continue
        if records[first]["origin"] == record["origin"]:
            parts[first] = row - first + 1
        elif not same_place(record, records[first]):
            what = f"chunk {quote(record['own'][0])} is {in_words(record)}"
            there = f"{in_words(records[first])} at {located.noun} {located.numbers[first]}"
            hint = f"expected a different id for each chunk; {OTHER_COLUMN}"
            raise located.places[row].fault(f"{what}, but {there}; {hint}")
    return ChunkTable(spans, rows, parts, notes)


def same_place(record: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two rows have the same span, with the same text around it."""
    return all(record.get(name) == other.get(name) for name in ("document", "start", "end", "before", "after"))


def in_words(record: Mapping[str, Any]) -> str:
    """Return the span of a chunk in words."""
    return f"{record['document']} {record['start']}-{record['end']}"


@dataclass(eq=False, repr=False)
class ChunkTables:
    """The tables of chunks that runs return by id: one for all runs, or one per run by name.

    Each is read once, when a run needs it. `for_more`: the user passed chunks for other reasons too, so no note is
    needed if a run has offsets of its own.
    """

    given: ChunksLike
    for_more: bool = False
    _read: dict[int, ChunkTable] = field(default_factory=dict)

    @staticmethod
    def of(given: ChunksLike | ChunkTables | None) -> ChunkTables | None:
        """Return the tables; None if the user passed none."""
        return given if given is None or isinstance(given, ChunkTables) else ChunkTables(given)

    def of_run(
        self,
        name: str,
        runs: Collection[str],
        is_document: Callable[[str], bool],
        read: Callable[[Any, str], ChunkTable],
    ) -> ChunkTable | None:
        """Return the table of a run, which `read` reads when it is first needed; None if only other runs have one."""
        chunks = chunks_by_run(self.given, runs, is_document).get(name)
        if chunks is None:
            return None
        if id(chunks) not in self._read:
            label = "chunks" if chunks is self.given else f"chunks of {name}"
            self._read[id(chunks)] = read(source_or_object(chunks), label)
        return self._read[id(chunks)]

    def column_names(self) -> list[str]:
        """Return the column names of the tables, or the keys of their records, before the tables are read."""
        if not isinstance(self.given, Mapping) or are_by_id(self.given):
            return known_columns(source_or_object(self.given))
        tables = [each for each in self.given.values() if not is_file(each) or names_a_file(each)]
        return [name for each in tables for name in known_columns(source_or_object(each))]


@dataclass(eq=False, repr=False)
class GivenChunkIds(Given):
    """A run whose documents are chunk ids; a table gives the spans of its results."""

    inner: Given
    table: ChunkTable
    columns: Mapping[str, str]

    @property
    def path(self) -> str | None:
        """The path of a file; None for anything else."""
        return self.inner.path

    @property
    def done(self) -> int:
        """The number of bytes read so far from a file."""
        return self.inner.done

    @property
    def empty_topics(self) -> set[str]:
        """The topics that the input lists without any results."""
        return self.inner.empty_topics

    def refuse_more_fields(self) -> None:
        """Raise an error if text is measured and this run of whole documents looks as if it returned parts of them."""
        self.inner.refuse_more_fields()

    def run_blocks(self, request: Request) -> Iterator[Block]:
        """Yield the whole run as one block, so that an error can count all ids that are not in the table."""
        asked = request._replace(gather=True, in_pieces=False, of_parts=False)
        asked = asked._replace(columns={**request.columns, **self.columns})

        def placed(block: Block) -> Run | None:
            run = block()
            return None if run is None else self.table.look_up(run)

        for block in self.inner.run_blocks(asked):
            yield lambda block=block: placed(block)  # type: ignore[misc]


def by_chunk_ids(given: Given, table: ChunkTable, columns: Mapping[str, str], documents: Any) -> Given | None:
    """Return a run that names chunks by id, with the table of their spans.

    None if the run has offsets of its own, or texts and no ids that the table knows. The documents help to tell ids
    from short texts.
    """
    given = given.opened()
    if isinstance(given, GivenObjects) and not given.is_plain:
        if "chunk" in columns and schema_of(given.names(), columns).chosen_by_user.get("chunk"):
            columns = {**columns, "document": columns["chunk"]}
        others = {field: name for field, name in columns.items() if field != "chunk"}
        rows = given.rows(documents, others, whole=True)
        named = ids_of_rows(rows, table)
        return None if named is None else GivenChunkIds(given.kind, given.label, GivenRows.of(named), table, {})
    if isinstance(given, GivenFile) and (given.is_empty or given.folder):
        return None
    if not given.has_columns:
        # lines without column names have documents or offsets
        is_log = isinstance(given, GivenFile) and given.format.may_have_texts
        return None if is_log else GivenChunkIds(given.kind, given.label, given, table, {})
    return ids_of_table(given, table, columns)


def ids_of_rows(rows: Rows, table: ChunkTable) -> Rows | None:
    """Return rows with chunk ids as their documents; None if they have offsets, or texts and no known ids."""
    if rows.has("start"):
        return None
    schema = rows.schema or schema_of([])
    documents = [id_of(record.get("document")) for record in rows.records]
    has_texts = schema.text is not None or rows.has("text")
    column = known_column(schema, documents[:MANY], rows.given[:MANY], table, has_texts)
    if column is None and has_texts:
        return None
    names = [id_of(record.get(column)) for record in rows.given] if column else documents
    is_whole = any(names) and rows.has("topic") and (rows.has("score") or rows.has("rank"))
    if not rows.by_topic and not is_whole:
        # an error about a missing field lists the columns
        read_values(rows, Request(every_column=False))
    records = [
        {what: record[what] for what in ORDERED if what in record} | ({"document": name} if name else {})
        for record, name in zip(rows.records, names, strict=True)
    ]
    for row, record in enumerate(records):
        if "document" not in record:
            raise rows.places[row].fault(f"the result has no chunk id; {NO_IDS}")
    found = rows.having(records, list(range(len(rows))))
    # the column names of documents and texts do not apply to chunk ids
    found.schema = None
    read_values(found)
    return found


def known_column(
    schema: Schema,
    documents: Sequence[str],
    first: Sequence[Mapping[str, Any]],
    table: ChunkTable,
    has_texts: bool,
) -> str | None:
    """Return the column whose ids the table of chunks knows best; empty if that is the column of the documents.

    `documents` and `first` are the documents and the records of the first rows. None if they have no ids, or have texts
    and no ids that the table knows.
    """
    chosen = schema.chosen_by_user.get("chunk")
    if chosen or "document" in schema.chosen_by_user:
        return chosen or ""
    ids = {"": documents} if any(documents) else {}
    for group in schema.among((*PART_IDS, *OWN_IDS)):
        ids |= {name: [id_of(record.get(name)) for record in first] for name in group}
    known = {name: sum(each in table.rows for each in values) for name, values in ids.items()}
    best = max(known, key=known.__getitem__, default=None)
    return None if best is None or (has_texts and not known[best]) else best


def ids_of_table(given: Given, table: ChunkTable, columns: Mapping[str, str]) -> Given | None:
    """Return a file or frame with a column of chunk ids; None as in `ids_of_rows`."""
    schema = schema_of(given.all_names, columns)
    starts = [name for group in schema.candidates("start") for name in group]
    flats = (flat(record) for _, record in given.records(columns)) if starts else ()
    # a column of offsets may be empty
    if any(is_there(record.get(name)) for record in flats for name in starts):
        return None
    schema.refuse_equals(("topic", "document", "score", "rank"), given.label, lambda names: True)
    document = schema.fields.get("document")
    first = [flat(record) for _, record in islice(given.records(columns), MANY)]
    documents = [id_of(record.get(document)) for record in first] if document else []
    column = known_column(schema, documents, first, table, schema.text is not None)
    if column is None:
        return None
    column = column or str(document)
    if usual_name(column)[0] == 0 and not starts:
        return GivenChunkIds(given.kind, given.label, given, table, {"document": column})
    rows = rows_of_table(given.records(columns), "run", given.label, {**columns, "chunk": column}, None, whole=True)
    found = ids_of_rows(rows, table)
    return None if found is None else GivenChunkIds(given.kind, given.label, GivenRows.of(found), table, {})


def places_of_its_own(name: str) -> str:
    """Return the note on a run that does not need the table of chunks."""
    return f"{name}: the results have their own offsets or texts; Assay does not use the table of chunks for this run"


def judged_by_ids(judgments: Judgments, table: ChunkTable) -> bool:
    """Return whether the judgments name chunk ids, not documents or text."""
    judged = set(judgments.document.texts())
    documents = set(table.spans.document.texts())
    return sum(each in table.rows for each in judged) > sum(each in documents for each in judged)
