"""Runs that return ids of chunks, as vector databases do, and the table that says where each chunk is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, count_noun, list_names, quote
from assay.reading.corpus import are_by_id, chunks_by_run, known_columns, names_a_file
from assay.reading.format import Block, Request
from assay.reading.given import Given, GivenFile, GivenFrame, GivenObjects, GivenRows, is_file, source_or_object
from assay.reading.schema import Schema, usual_name
from assay.tables.ids import Ints
from assay.tables.run import DocumentRun, Run, SpanRun, SurroundedSpanRun

if TYPE_CHECKING:
    from assay.reading.input_types import ChunksLike
    from assay.reading.rows import Rows
    from assay.tables.judgments import Judgments

# How many rows are looked at to know which column has the ids of chunks.
MANY = 1000
# What a result has beside the chunk.
ORDERED = ("topic", "score", "rank")
OTHER_COLUMN = "if another column has the ids, pass columns=, for example chunk=key"
NO_IDS = f"expected a column chunk_id or id; {OTHER_COLUMN}"
# FAISS numbers chunks from 0, and has this where a list of results is too short.
NO_RESULT = "-1"
BY_NUMBER = "if an id is the number of a chunk in this list, as with FAISS, pass chunks=dict(enumerate(chunks))"


@dataclass(eq=False, repr=False)
class ChunkTable:
    """All chunks of a corpus with their places, as a run of one topic, and the row of each by the id of the chunk.

    A text that was found in parts has several rows, one after the other; parts says how many, by the first of them.
    """

    spans: SpanRun
    rows: Mapping[str, int]
    parts: Mapping[int, int]
    notes: list[str]

    @property
    def label(self) -> str:
        """What messages call the table."""
        return self.spans.name

    def look_up(self, run: Run) -> Run:
        """A run of ids with the places of its chunks; one that has places is as it was."""
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
        """The error about ids that the table lacks."""
        if len(unknown) == len(names):
            ours, theirs = (", ".join(map(quote, islice(each, 2))) for each in (names, self.rows))
            what = f"none of the chunk ids in {run} is in {self.label}: {ours} vs {theirs}"
            return InputError(f"{what}; are these results of another set of chunks, or document ids?")
        what = f"{len(unknown):,} of {count_noun(len(names), 'chunk id')} missing from {self.label}: "
        return InputError(f"{what}{list_names(list(map(quote, unknown)), 3)}; expected a table of all chunks", run)


def rows_of(run: Run, rows: Ints) -> Run:
    """Some rows of a run of ids."""
    rank = None if run.rank is None else run.rank[rows]
    return replace(run, topic=run.topic[rows], document=run.document[rows], score=run.score[rows], rank=rank)


def chunk_table(located: Rows, spans: SpanRun, notes: list[str]) -> ChunkTable:
    """The table of some located chunks; an id may come again only for the same chunk."""
    rows: dict[str, int] = {}
    parts: dict[int, int] = {}
    numbers, records = located.numbers, located.records
    for row, record in enumerate(records) if located.has("own") else ():
        if "own" not in record:
            raise located.places[row].fault(f"this chunk has no id, but others do; {NO_IDS}")
        if (first := rows.setdefault(record["own"][0], row)) == row:
            continue
        if numbers[first] == numbers[row]:
            parts[first] = row - first + 1
        elif not same_place(record, records[first]):
            what = f"chunk {quote(record['own'][0])} is {in_words(record)}"
            there = f"{in_words(records[first])} at {located.noun} {numbers[first]}"
            hint = f"expected a different id for each chunk; {OTHER_COLUMN}"
            raise located.places[row].fault(f"{what}, but {there}; {hint}")
    return ChunkTable(spans, rows, parts, notes)


def same_place(record: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two rows tell the same place, with the same text around it."""
    return all(record.get(name) == other.get(name) for name in ("document", "start", "end", "before", "after"))


def in_words(record: Mapping[str, Any]) -> str:
    """The place of a chunk."""
    return f"{record['document']} {record['start']}-{record['end']}"


@dataclass(eq=False, repr=False)
class ChunkTables:
    """The tables of chunks that runs return by their ids: one for all runs, or one for each by its name.

    Each is read once, by `read`, when a run asks for it. for_more: they are not given for the ids of chunks alone, so
    that nothing is said of a run that has places.
    """

    given: ChunksLike
    for_more: bool = False
    _read: dict[int, ChunkTable] = field(default_factory=dict)

    @staticmethod
    def of(given: ChunksLike | ChunkTables | None) -> ChunkTables | None:
        """The tables, if any were given."""
        return given if given is None or isinstance(given, ChunkTables) else ChunkTables(given)

    def of_run(
        self,
        name: str,
        runs: Collection[str],
        is_document: Callable[[str], bool],
        read: Callable[[Any, str], ChunkTable],
    ) -> ChunkTable | None:
        """The table of a run; None if there are tables for others alone."""
        chunks = chunks_by_run(self.given, runs, is_document).get(name)
        if chunks is None:
            return None
        if id(chunks) not in self._read:
            label = "chunks" if chunks is self.given else f"chunks of {name}"
            self._read[id(chunks)] = read(source_or_object(chunks), label)
        return self._read[id(chunks)]

    def column_names(self) -> list[str]:
        """The names of the columns of the tables, or of the keys of records, before the tables are read."""
        if not isinstance(self.given, Mapping) or are_by_id(self.given):
            return known_columns(source_or_object(self.given))
        tables = [each for each in self.given.values() if not is_file(each) or names_a_file(each)]
        return [name for each in tables for name in known_columns(source_or_object(each))]


@dataclass(eq=False, repr=False)
class GivenChunkIds(Given):
    """A run whose documents are ids of chunks; its results are where a table says."""

    inner: Given
    table: ChunkTable
    columns: Mapping[str, str]

    @property
    def path(self) -> str | None:
        """The path of a file; None of anything else."""
        return self.inner.path

    @property
    def done(self) -> int:
        """How many bytes of a file were read."""
        return self.inner.done

    @property
    def empty_topics(self) -> set[str]:
        """The topics that are there, but with no results."""
        return self.inner.empty_topics

    def refuse_more_fields(self) -> None:
        """If text is measured, a run of whole documents must not look as if it returned parts of them."""
        self.inner.refuse_more_fields()

    def run_blocks(self, request: Request) -> Iterator[Block]:
        """A run, all of it at once, so that an error counts all ids that the table lacks."""
        asked = request._replace(gather=True, in_pieces=False, of_parts=False)
        asked = asked._replace(columns={**request.columns, **self.columns})

        def placed(block: Block) -> Run | None:
            run = block()
            return None if run is None else self.table.look_up(run)

        for block in self.inner.run_blocks(asked):
            yield lambda block=block: placed(block)  # type: ignore[misc]


def by_chunk_ids(given: Given, table: ChunkTable, columns: Mapping[str, str], documents: Any) -> Given | None:
    """A run that returns chunks by their ids, of which a table gives the places; None if it has places or texts of
    its own, and no ids that the table knows. The documents tell ids from short texts.
    """
    given = given.opened()
    if isinstance(given, GivenObjects) and not given.is_plain:
        if "chunk" in columns and Schema(given.names(), columns).chosen_by_user.get("chunk"):
            columns = {**columns, "document": columns["chunk"]}
        others = {field: name for field, name in columns.items() if field != "chunk"}
        rows = given.rows(documents, others, whole=True)
        named = ids_of_rows(rows, table)
        return None if named is None else GivenChunkIds(given.kind, given.label, GivenRows.of(named), table, {})
    has_columns = isinstance(given, GivenFrame) or (isinstance(given, GivenFile) and given.format.has_columns)
    if isinstance(given, GivenFile) and (given.is_empty or given.folder):
        return None
    if not has_columns:
        # lines without names have documents, or places
        is_log = isinstance(given, GivenFile) and given.format.may_have_texts
        return None if is_log else GivenChunkIds(given.kind, given.label, given, table, {})
    assert isinstance(given, GivenFile | GivenFrame)
    return ids_of_table(given, table, columns)


def ids_of_rows(rows: Rows, table: ChunkTable) -> Rows | None:
    """Rows that have the ids of chunks as their documents; None if they have places, or texts and no known ids."""
    from assay.reading.memory import read_values

    if rows.has("start"):
        return None
    if not rows.by_topic:
        # what a table lacks is said of its columns
        read_values(rows, Request(every_column=False))
    own = [record.get("own", ("",))[0] for record in rows.records]
    documents = [str(record.get("document", "")) for record in rows.records]
    by_own, by_document = (sum(each in table.rows for each in some) for some in (own, documents))
    has_texts = rows.has("text") or (rows.schema is not None and rows.schema.text is not None)
    if has_texts and not (by_own or by_document):
        return None
    names = own if by_own > by_document or not any(documents) else documents
    records = [
        {what: record[what] for what in ORDERED if what in record} | ({"document": name} if name else {})
        for record, name in zip(rows.records, names, strict=True)
    ]
    for row, record in enumerate(records):
        if "document" not in record:
            raise rows.places[row].fault(f"the result has no chunk id; {NO_IDS}")
    found = rows.having(records, list(range(len(rows))))
    # the names of columns were of documents, or of texts that nobody looks at
    found.schema = None
    read_values(found)
    return found


def ids_of_table(given: GivenFile | GivenFrame, table: ChunkTable, columns: Mapping[str, str]) -> Given | None:
    """A file or a frame with named columns, one of which has the ids of chunks; None as above."""
    from assay.reading.records import flat, is_record, rows_of_records
    from assay.reading.text_records import records_of
    from assay.reading.texts import records_of_frame
    from assay.tables.column_names import OWN_IDS, PART_IDS

    def numbered() -> Iterator[tuple[int, Any]]:
        found = records_of(given.source) if isinstance(given, GivenFile) else records_of_frame(given.frame)
        return ((line or row, record) for row, (line, record) in enumerate(found, 1))

    schema = Schema(given.names(), columns)
    own = [each for group in schema.among((*PART_IDS, *OWN_IDS)) for each in group]
    only = schema.chosen_by_user.get("chunk") or schema.chosen_by_user.get("document")
    if schema.spans:
        return None
    column = only or schema.fields.get("document")
    if not only and (own or schema.text or column is None):
        first = [flat(record) for _, record in islice(numbered(), MANY) if is_record(record)]
        whole = Schema(list(dict.fromkeys(name for record in first for name in record)), columns)
        if whole.spans:
            return None
        own = [each for group in whole.among((*PART_IDS, *OWN_IDS)) for each in group]
        names = list(dict.fromkeys(filter(None, [column, *own])))
        known = {name: sum(str(record.get(name)) in table.rows for record in first) for name in names}
        if whole.text and not any(known.values()):
            return None
        column = max(names, key=lambda name: known[name], default=None)
    if column is None:
        return None
    if usual_name(column)[0] == 0:
        return GivenChunkIds(given.kind, given.label, given, table, {"document": column})
    noun = "line" if isinstance(given, GivenFile) else "row"
    rows = rows_of_records(numbered(), "run", given.label, noun, None, {**columns, "document": column}, whole=True)
    found = ids_of_rows(rows, table)
    return None if found is None else GivenChunkIds(given.kind, given.label, GivenRows.of(found), table, {})


def places_of_its_own(name: str) -> str:
    """What a note says of a run that does not need the table of chunks."""
    return f"{name}: the results have their own offsets or texts; Assay does not use the table of chunks for this run"


def judged_by_ids(judgments: Judgments, table: ChunkTable) -> bool:
    """Whether the ids of chunks are judged themselves, and not documents or text."""
    judged = set(judgments.document.texts())
    documents = set(table.spans.document.texts())
    return sum(each in table.rows for each in judged) > sum(each in documents for each in judged)

