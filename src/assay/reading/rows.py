"""Rows: the input as values by field, and the place of each row.

Every list, dict, record, object and file with texts becomes Rows before anything is decided about it. A table without
texts is read column by column instead, with the same names and the same faults.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, count_noun, list_names, quote, shorten
from assay.reading.faults import FURTHER, RowCheck, no_offsets_or_text, python_text
from assay.reading.schema import Schema, schema_of, usual_name
from assay.reading.values import have_spaces, id_of, is_there
from assay.tables.column_names import CLASSES
from assay.tables.places import Places
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.documents.location import StatedPlace

# The word in messages for an item in the list of a topic.
OBJECTS: dict[FileKind, str] = {"run": "result", "judgments": "quote"}
# The word in messages for a chunk of a corpus, which was not retrieved for any topic.
CHUNK = "chunk"
# How many rows are checked to tell whether a column holds texts.
FEW = 100


@dataclass(eq=False)
class Rows:
    """Rows of a run or of judgments: `records` has the values of each row by field; missing values have no key.

    Besides the fields of the schema a record may have:
        documents: all names that its document may have, best first; made_up: a framework made these names up.
        own: ids of the chunk itself. in_parent: its offsets count from the start of another chunk.
        end_of_text: the row has no end; it was computed from the length of the text.
        order_fault: why the score or rank of an item in a list is wrong, although the list gives the ranking.
        by_document: messages name the row by its document, because it comes from a dict or a tuple.

    `texts` are documents that are in the same file. `by_topic`: the rows are items in the lists of their topics.
    `of_corpus`: the rows are chunks of a corpus and have no topic. `unused` are names that no field uses.
    """

    kind: FileKind
    label: str
    noun: str = "row"
    by_topic: bool = False
    unused: Sequence[str] = ()
    of_corpus: bool = False
    records: list[dict[str, Any]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    schema: Schema | None = None
    # topics with no results
    empty_topics: list[str] = field(default_factory=list)
    # questions that the gold marks as having no answer
    unanswerable: list[str] = field(default_factory=list)
    # the flat records of the input, including values that no field uses
    given: Sequence[Mapping[str, Any]] = ()
    # whether texts were compared with the documents at their offsets
    are_compared: bool = False
    # how many offsets the texts showed to be wrong, and of how many; 0, 0 if none was wrong
    wrong_offsets: tuple[int, int] = 0, 0

    def add(self, number: int | None = None, **values: Any) -> None:
        """Add a row with its line number, or its position if `number` is None; values that are None are dropped."""
        self.records.append({name: value for name, value in values.items() if value is not None})
        self.numbers.append(len(self.records) if number is None else number)

    def __len__(self) -> int:
        return len(self.records)

    def having(self, records: list[dict[str, Any]], rows: list[int]) -> Rows:
        """Return these Rows with other records, each at the place of one of `rows`."""
        given = [self.given[row] for row in rows] if self.given else ()
        return replace(self, records=records, numbers=[self.numbers[row] for row in rows], given=given)

    def without_texts(self) -> Rows:
        """Return these Rows without their texts."""
        records = [{name: value for name, value in record.items() if name != "text"} for record in self.records]
        return replace(self, records=records)

    def has(self, name: str) -> bool:
        """Return whether any row has a value for a field."""
        return any(name in record for record in self.records)

    def is_text(self, name: str) -> bool:
        """Return whether the first values of a column look like texts, not like ids."""
        return have_spaces(record.get(name) for record in self.given[:FEW])

    @property
    def has_parts(self) -> bool:
        """Whether the rows are parts of documents: any has a start or a text."""
        return self.has("start") or self.has("text")

    def without_gold(self, topics: Iterable[str]) -> None:
        """Add a note on the topics that have no rows, if these are judgments: such topics cannot be measured."""
        without = dict.fromkeys(topics)
        with_gold = {id_of(record.get("topic")) for record in self.records} if without else set()
        lacking = [quote(topic) for topic in without if topic not in with_gold]
        if lacking and self.kind == "judgments":
            self.notes.append(f"{self.label}: left out {count_noun(len(lacking), 'question')} without gold: "
                              f"{list_names(lacking, 3)}")  # fmt: skip

    @property
    def things(self) -> str:
        """The word that errors use to count the rows."""
        return CHUNK if self.of_corpus else {"run": "result", "judgments": "span"}[self.kind]

    @property
    def expected(self) -> str:
        """What an error about an empty input says was expected."""
        return "chunks" if self.of_corpus else {"run": "a run", "judgments": "judgments"}[self.kind]

    @property
    def places(self) -> Places:
        """The places of the rows, for messages."""
        return Places(self.label, self.numbers.__getitem__, self.noun, self.in_words if self.by_topic else None)

    def in_words(self, row: int) -> str:
        """Return the place of a row in words: `line 3`, or for an item its topic and its number in the list."""
        if not self.by_topic:
            return f"{self.noun} {self.numbers[row]}"
        record = self.records[row]
        if "by_document" in record and isinstance(document := record.get("document"), str | int):
            return f"topic {record['topic']}, document {python_text(document).strip(chr(39))}"
        return f"topic {record['topic']}, {self.noun} {self.numbers[row]}"

    def read_spans(self) -> None:
        """Convert starts and ends to numbers, and topics and documents to ids; raise the first fault."""
        for row, what in self.faults():
            raise self.places[row].fault(what)

    def faults(self) -> Iterator[tuple[int, str]]:
        """Yield each faulty row and what is wrong; the values of all other rows become ids and numbers."""
        check = self.check
        if check.convert_plain_rows(self.records):
            return
        for row, record in enumerate(self.records):
            what = check.fault(record)
            if what is not None:
                yield row, what

    @property
    def check(self) -> RowCheck:
        """What each of these rows needs."""
        names = set(chain.from_iterable(self.records))
        # columns of offsets without any value are missing offsets, not whole documents
        has_starts = "start" in names or (self.schema is not None and bool(self.schema.spans))
        fields = ("score", "rank", "grade")
        value = next((name for name in fields if name in names or self.is_empty_column(name)), None)
        return RowCheck(
            self.kind,
            values=() if value is None else (value,),
            has_starts=has_starts,
            are_parts=has_starts or "text" in names,
            end=self.end_field,
            further=tuple(name for name in FURTHER if name in names and name != value),
            without_document=self.without_document,
            without_text=self.without_text,
        )

    def is_empty_column(self, value: str) -> bool:
        """Return whether there is a column of scores, ranks or grades without any value.

        A list of results by topic needs no scores, a quotation is relevant without a grade, and a span without a label.
        """
        schema, is_run = self.schema, self.kind == "run"
        if schema is None or value not in schema.fields or self.of_corpus or (value == "grade") == is_run:
            return False
        if self.by_topic if is_run else self.has("text") and not schema.spans:
            return False
        column = schema.fields[value]
        if value == "grade" and schema.spans and usual_name(column)[1] in CLASSES:
            return False
        return not any(is_there(record.get(column)) for record in self.given)

    @property
    def end_field(self) -> str:
        """The field that should give the end of each row."""
        schema = self.schema or schema_of([])
        return "length" if schema.column("length") and not schema.column("end") else "end"

    @property
    def without_document(self) -> str:
        """The message about a row that names no document."""
        schema = self.schema
        keys = f"; the keys are {list_names(schema.names, 12)}" if schema and "document" not in schema.fields else ""
        return f"document is missing{keys if schema and schema.names else ''}"

    @property
    def without_text(self) -> str:
        """The message about a row that has neither a text nor a place, if others have texts."""
        if self.schema is None or not self.schema.text:
            return no_offsets_or_text(())
        return f"column {shorten(self.schema.text)} has no text here; expected a text or a list of texts"

    def placed_rows(self) -> Iterator[int]:
        """Yield the rows that have a document, a start and an end."""
        for row, record in enumerate(self.records):
            if "document" in record and "start" in record and "end" in record:
                yield row

    def quotes_of_rows(self, rows: list[int], names: list[str]) -> list[StatedPlace]:
        """Return the texts of some rows with the places that they state; `names` are their documents."""
        from assay.documents.location import StatedPlace

        some = [self.records[row] for row in rows]
        return [
            StatedPlace(each["text"], name, each["start"], each["end"], "in_parent" in each)
            for each, name in zip(some, names, strict=True)
        ]


def empty(rows: Rows) -> InputError:
    """Return the error about an input without rows."""
    return InputError(f"the input is empty; expected {rows.expected}", rows.label)
