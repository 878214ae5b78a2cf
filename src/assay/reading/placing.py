"""Texts as places: what judgments and runs that carry texts tell, before they are read as any others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from assay.errors import InputError, UsageError, count_noun
from assay.files.source import Source
from assay.reading.format import Request
from assay.reading.given import Given, GivenFile, GivenFrame, GivenObjects, GivenRows, GivenTable
from assay.reading.schema import Schema, may_carry_texts
from assay.tables.judgments import HighlightJudgments, Judgments
from assay.tables.run import SpanRun
from assay.vocabulary import TEXTS, Texts

if TYPE_CHECKING:
    from assay.reading.chunk_ids import ChunkTable, ChunkTables
    from assay.reading.rows import Rows

# How many judged documents are looked at to know how lines end, or rows to know their names, and how many rows to know
# which ids are judged.
FEW, MANY = 20, 1000
NO_SPELLING: Mapping[str, str] = {}
# Columns that a user names need not be in each input.
ANY_COLUMN = Request(every_column=False)


@dataclass(eq=False, repr=False)
class Placing:
    """How texts become places in some documents, and what was noticed on the way."""

    collection: Any
    policy: Texts = "check"
    columns: Mapping[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    # whether the evidence was found by its texts, and so counts the characters of the documents
    are_found: bool = False
    # the chunks that runs return by their ids, and the names of the runs
    tables: ChunkTables | None = None
    runs: Collection[str] = ()
    # the questions that have no answer, and the scores of what lists of objects have first for them, by run
    unanswerable: frozenset[str] = frozenset()
    first_scores: dict[str, dict[str, float | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.policy not in TEXTS:
            raise UsageError(f"unknown value {self.policy!r} of texts=; choose from {', '.join(TEXTS)}")

    def anew(self, runs: Collection[str] = ()) -> Placing:
        """The same for some runs, with nothing noticed yet."""
        return replace(self, notes=[], runs=runs, first_scores={})

    def judgments(self, given: Given) -> Given:
        """Judgments with places, where they carry texts; others as they are, or their rows."""
        found = self.locate(given)
        has_texts = isinstance(found, GivenRows) and found.rows.has("text")
        self.are_found = self.collection is not None and has_texts
        self.unanswerable = frozenset(found.rows.unanswerable if isinstance(found, GivenRows) else ())
        return found

    def run(self, given: Given, name: str, judgments: Judgments) -> Given:
        """A run with places, where it carries texts and text is judged, or ids of chunks; others as they are, or their
        rows.
        """
        if self.unanswerable:
            self.first_scores[name] = first_scores(given.opened(), self.unanswerable)
        if self.tables is not None and (by_ids := self._by_ids(given, name, judgments)) is not None:
            return by_ids
        if not isinstance(judgments, HighlightJudgments):
            return self._whole_documents(given, judgments)
        spelling = NO_SPELLING if isinstance(given, GivenTable) else self.spelling(judgments)
        found = self.locate(given, spelling, of_text=True)
        if self.are_found and not (isinstance(found, GivenRows) and found.rows.has("text")):
            self.notes += line_ends_noted(name, judgments, self.collection)
        return found

    def _by_ids(self, given: Given, name: str, judgments: Judgments) -> Given | None:
        """A run that returns chunks by their ids, with their places; None if it does not."""
        from assay.reading.chunk_ids import by_chunk_ids, judged_by_ids, places_of_its_own

        assert self.tables is not None
        table = self.table_of_chunks(name, judgments)
        if table is None or (not isinstance(judgments, HighlightJudgments) and judged_by_ids(judgments, table)):
            return None
        if (found := by_chunk_ids(given, table, self.columns, self.collection)) is None:
            self.notes += [] if self.tables.for_more else [places_of_its_own(name)]
            return None
        self.notes += (note for note in table.notes if note not in self.notes)
        return found

    def table_of_chunks(self, name: str, judgments: Judgments) -> ChunkTable | None:
        """The chunks of a run, which may return them by their ids; None if those of others alone are given."""
        judged, documents = set(judgments.document.texts()), self.collection

        def is_document(name: str) -> bool:
            return name in judged or (documents is not None and documents.own_id(name) is not None)

        def read(chunks: Any, label: str) -> ChunkTable:
            return self.chunks(chunks, judgments, label)

        assert self.tables is not None
        return self.tables.of_run(name, self.runs or [name], is_document, read)

    def chunks(self, given: Any, judgments: Judgments, name: str = "chunks") -> ChunkTable:
        """All chunks of a corpus with their places; documents are called as in the judgments."""
        from assay.reading.chunk_ids import chunk_rows, chunk_table
        from assay.reading.locate import locate
        from assay.reading.memory import table_of

        label = given.label if isinstance(given, Source) else name
        rows = chunk_rows(given, label, self.columns)
        found = locate(rows, self.collection, self.policy, self.spelling(judgments))
        return chunk_table(found, cast(SpanRun, table_of(found)), found.notes)

    def chunks_of_runs(self, judgments: Judgments) -> dict[str, SpanRun]:
        """The chunks of each run with their places: all for every run, or those that a dict has under its name."""
        tables = {run: self.table_of_chunks(run, judgments) for run in self.runs}
        there = {run: table for run, table in tables.items() if table is not None}
        self.notes += (note for table in there.values() for note in table.notes if note not in self.notes)
        return {run: table.spans for run, table in there.items()}

    def spelling(self, judgments: Judgments) -> Mapping[str, str]:
        """What judgments call the documents of the collection."""
        if self.collection is None:
            return {}
        from assay.reading.respelling import Spelling

        spelling = Spelling(judgments, self.collection)
        # if all lengths are known, nobody else asks for the judged documents, and their faults are reported here
        is_asked_later = not isinstance(judgments, HighlightJudgments) or np.any(judgments.highlights.length < 0)
        return spelling if is_asked_later else dict(spelling)

    def locate(self, given: Given, spelling: Mapping[str, str] = NO_SPELLING, of_text: bool = False) -> Given:
        """What carries texts, with the places that they have in the documents; anything else as it is, or its rows.

        spelling: what the judgments call documents. of_text: text is judged, so that a text without a place is not the
        whole document.
        """
        given = given.opened()
        if isinstance(given, GivenObjects) and not given.is_plain:
            from assay.reading.memory import locate_rows

            rows = given.rows(self.collection, self.columns)
            found: Rows | None = locate_rows(rows, self.collection, self.policy, spelling, ANY_COLUMN, of_text)
            notes = found.notes if found else []
        elif isinstance(given, GivenFile) and (given.folder or given.source.head()):
            if given.kind not in given.format.holds or not given.format.may_have_texts:
                return given
            from assay.reading.texts import of_file

            found, notes = of_file(
                given.source, given.kind, given.format, self.collection, self.policy, spelling, self.columns
            )
        elif isinstance(given, GivenFrame):
            from assay.reading.texts import of_table, records_of_frame

            found, notes = of_table(
                given.names(), lambda: records_of_frame(given.frame), given.kind, given.label, self.collection,
                self.policy, spelling, self.columns,
            )  # fmt: skip
        else:
            return given
        self.notes += notes
        return given if found is None else GivenRows.of(found)

    def located_if_documents(self, given: Given) -> Given:
        """The same if nothing is judged: without documents a text beside a document is not looked at.

        Gold with questions that have no answer, and what has its values within columns, is read row by row, with
        documents or without.
        """
        opened = given.opened()
        is_read_in_rows = opened is not given or has_unanswerable(given) or has_values_within(given, self.columns)
        return self.locate(opened) if self.collection is not None or is_read_in_rows else given

    def _whole_documents(self, given: Given, judgments: Judgments) -> Given:
        """If whole documents are judged, the documents of chunks, each at its first place; others as they are.

        Where the ids of chunks are judged, these.
        """
        given, rows = given.opened(), None
        if isinstance(given, GivenObjects) and not given.is_plain:
            rows = given.rows(self.collection, self.columns, whole=True)
        elif has_columns(given):
            rows = self._rows_of_table(given, judgments)
        return given if rows is None else GivenRows.of(self._whole_documents_of(rows, judgments))

    def _whole_documents_of(self, rows: Rows, judgments: Judgments) -> Rows:
        """The documents, or the chunks by their own ids, that some rows return."""
        from assay.reading.memory import locate_rows, read_values

        read_values(rows, ANY_COLUMN)
        if not rows.has_parts and not rows.has("own"):
            return rows
        is_table = not rows.by_topic
        names = self._judged_names(rows, judgments)
        are_alike = rows.has("start") == all("start" in record for record in rows.records)
        if is_table and are_alike and names == [record.get("document", "") for record in rows.records]:
            return rows
        if not all(names):
            found = locate_rows(rows, self.collection, self.policy, request=ANY_COLUMN)
            self.notes += found.notes
            return found
        order = range(len(rows))
        first: dict[tuple[str, str], int] = {}
        for row in sorted(order, key=lambda row: -order_of(rows.records[row])) if is_table else order:
            first.setdefault((rows.records[row]["topic"], names[row]), row)
        if len(first) < len(rows):
            became = f"{count_noun(len(rows), 'chunk')} became {count_noun(len(first), 'document')}"
            self.notes.append(f"{rows.label}: {became}, ranked by their first result")
        kept = sorted(first.values())
        fields = ("topic", "score", "rank")
        records = [
            {what: value for what in fields if (value := rows.records[row].get(what)) is not None}
            | {"document": names[row]}
            for row in kept
        ]
        return rows.having(records, kept)

    def _rows_of_table(self, given: Given, judgments: Judgments) -> Rows | None:
        """The rows of a table that has values within its columns, or ids of chunks beside those of documents, if these
        are judged; else None.
        """
        from assay.reading.records import rows_of_records

        schema = Schema(given.names(), self.columns)

        def first() -> Iterator[Any]:
            return (record for _, record in islice(numbered_records(given), MANY))

        if not self._are_judged(schema, first, judgments) and not has_values_within(given, self.columns):
            return None
        noun = "line" if isinstance(given, GivenFile) else "row"
        return rows_of_records(numbered_records(given), "run", given.label, noun, None, self.columns, whole=True)

    def _are_judged(self, schema: Schema, first: Callable[[], Iterator[Any]], judgments: Judgments) -> bool:
        """Whether the ids of chunks in a table are judged, and not those of documents beside them."""
        from assay.reading.records import flat
        from assay.tables.column_names import OWN_IDS, PART_IDS

        ids = (*PART_IDS, *OWN_IDS)
        if "document" not in schema.fields or not (schema.among(ids) or may_carry_texts(schema)):
            return False
        try:
            # they may be within a column
            names = dict.fromkeys(name for record in islice(first(), FEW) for name in flat(record))
            schema = Schema([*dict.fromkeys([*schema.names, *names])], schema.told)
            own = [each for group in schema.among(ids) for each in group]
            if not own or schema.fields["document"] in own:
                return False
            judged, records = set(judgments.document.texts()), list(map(flat, first()))
        except InputError:
            # what is wrong with a row is reported when the table is read
            return False
        by_own = max(sum(str(record.get(each)) in judged for record in records) for each in own)
        return by_own > sum(str(record.get(schema.fields["document"])) in judged for record in records)

    def _judged_names(self, rows: Rows, judgments: Judgments) -> list[str]:
        """What chunks are called where whole documents are judged, or chunks by their own ids: as more of them are
        judged; nothing if that is not given.
        """
        judged = set(judgments.document.texts())
        documents = [record.get("document", "") for record in rows.records]
        ids = [record.get("own", ()) for record in rows.records]
        own = [next((each for each in some if each in judged), next(iter(some), "")) for some in ids]
        if sum(each in judged for each in own) <= sum(each in judged for each in documents):
            return documents
        if not all(own):
            row = own.index("")
            raise rows.places[row].fault("no chunk id here, but the judgments name chunk ids; expected one in each row")
        if any(documents):
            self.notes.append(
                f"{rows.label}: the judgments name chunk ids, so Assay compares chunk ids, not documents"
            )
            # what else could be the document is not to be said once more
            rows.schema = without_others(rows.schema)
        return own


def first_scores(given: Given, topics: Collection[str]) -> dict[str, float | None]:
    """The scores of the first results of some topics, where these are lists of objects; None if they have none.

    The order of such lists counts, and their rows have no scores.
    """
    if not isinstance(given, GivenObjects) or not isinstance(given.objects, Mapping):
        return {}
    from assay.reading.lists import numbers_under

    lists = {str(topic): each for topic, each in given.objects.items() if isinstance(each, list | tuple) and each}
    return {topic: next(iter(numbers_under("score", lists[topic][:1])), None) for topic in topics if topic in lists}


def without_others(schema: Schema | None) -> Schema | None:
    """A schema that takes the column of documents as given."""
    if schema is None or (column := schema.fields.get("document")) is None:
        return schema
    return replace(schema, told={**schema.told, "document": column})


def order_of(record: Mapping[str, Any]) -> float:
    """What orders the rows of a table: their scores, or else their ranks."""
    from assay.reading.cells import wrong_score
    from assay.reading.lists import told_number
    from assay.reading.values import plain_value

    value = told_number(plain_value(record.get("score", record.get("rank", 0))))
    # what is not a number is refused when the table is made
    number = float(value) if wrong_score(value) is None else 0.0
    return number if "score" in record else -number


def line_ends_noted(name: str, judgments: Judgments, collection: Any) -> Iterator[str]:
    """That nothing says whether the offsets of a run count the line ends of Windows, which judged documents have, as
    one character or as two.
    """
    from assay.documents.location import WINDOWS

    judged = list(dict.fromkeys(judgments.document.texts()))[:FEW]
    own = [each for document in judged if (each := collection.own_id(document)) is not None]
    if document := next((each for each, text in collection.texts(own) if WINDOWS in text), None):
        what = f"document {document} has Windows line ends (\\r\\n), which count as two characters"
        counted_as_one = "if your offsets count one, as Python's text files do"
        yield f"{name}: {what}; {counted_as_one}, convert the documents to Unix line ends (\\n)"


def has_columns(given: Given) -> bool:
    """Whether a run or judgments are a table: a frame, or a file with named columns."""
    if not isinstance(given, GivenFile):
        return isinstance(given, GivenFrame)
    return not given.folder and not given.is_empty and given.format.has_columns


def numbered_records(given: Given) -> Iterator[tuple[int, Any]]:
    """The records of a table, each with its line or its row."""
    from assay.reading.texts import records_of, records_of_frame

    if isinstance(given, GivenFile):
        found = records_of(given.source)
    else:
        found = records_of_frame(cast(GivenFrame, given).frame)
    return ((line or row, record) for row, (line, record) in enumerate(found, 1))


def has_values_within(given: Given, columns: Mapping[str, str]) -> bool:
    """Whether a table has values within its columns, and is read row by row."""
    # most tables have not, and need not load what reads texts
    if not has_columns(given) or not may_carry_texts(schema := Schema(given.names(), columns)):
        return False
    from assay.reading.texts import tells_values_within

    return tells_values_within(schema, lambda: (record for _, record in numbered_records(given)), given.kind)


def has_unanswerable(given: Given) -> bool:
    """Whether a table of judgments may say that a question has no answer."""
    if given.kind != "judgments" or not has_columns(given):
        return False
    from assay.reading.texts import says_no_answers

    return says_no_answers(given.names(), given.kind)
