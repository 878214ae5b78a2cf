"""Rows: what was given, as values by field, and where each row stands.

Every list, dict, record, object and file with texts becomes Rows before anything is decided about it; a table without
texts is read in columns at once, by the same names and with the same faults.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, count_noun, list_names, quote, shorten
from assay.reading.lines import WHOLE
from assay.reading.schema import Schema
from assay.reading.values import BLANKS, is_blank, is_missing, is_whole_text, plain_value
from assay.tables.places import Places
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.documents.location import StatedPlace

# What an object in a list of a topic is called.
OBJECTS: dict[FileKind, str] = {"run": "result", "judgments": "quote"}
# What an object is called that is a chunk of a corpus, and was returned for no topic.
CHUNK = "chunk"


@dataclass(eq=False)
class Rows:
    """Rows of a run or of judgments: `records` has the values of each by field, as far as it has any.

    Beside the fields of the schema a record may have:
    documents: all names that its document may have, the best first; made_up: frameworks make such names up.
    own: ids of the chunk itself. in_parent: its offsets count from another chunk.
    end_of_text: it has no end of its own, but that of its text.
    by_document: it is known by its document, as it is from a dict or a tuple.

    `texts` are documents that are in the same file. Rows `by_topic` are items in the lists of their topics, those
    `of_corpus` are chunks of a corpus, and of no topic. `unused` are names that no field has.
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
    empty_topics: Sequence[str] = ()
    # the questions of which the gold says that they have no answer
    unanswerable: list[str] = field(default_factory=list)
    # the records as they were given, with the values that no field has
    given: Sequence[Mapping[str, Any]] = ()

    def add(self, number: int | None = None, **values: Any) -> None:
        """A further row, and the number of its line, or of what else it is; values that are None are not there."""
        self.records.append({name: value for name, value in values.items() if value is not None})
        self.numbers.append(len(self.records) if number is None else number)

    def __len__(self) -> int:
        return len(self.records)

    def having(self, records: list[dict[str, Any]], rows: list[int]) -> Rows:
        """Other records in the places of some of the rows."""
        return replace(self, records=records, numbers=[self.numbers[row] for row in rows])

    def has(self, name: str) -> bool:
        """Whether any row has a value for a field."""
        return any(name in record for record in self.records)

    @property
    def has_parts(self) -> bool:
        """Whether the rows are parts of documents: they have a place in one, or a text."""
        return self.has("start") or self.has("text")

    def without_gold(self, topics: Iterable[str]) -> None:
        """Notes which of some topics have no rows: of judgments they cannot be measured."""
        with_gold = {str(record["topic"]) for record in self.records}
        lacking = [quote(topic) for topic in dict.fromkeys(topics) if topic not in with_gold]
        if lacking and self.kind == "judgments":
            self.notes.append(f"{self.label}: left out {count_noun(len(lacking), 'question')} without gold: "
                              f"{list_names(lacking, 3)}")  # fmt: skip

    @property
    def things(self) -> str:
        """What the rows are, as they are counted in an error."""
        return CHUNK if self.of_corpus else {"run": "result", "judgments": "span"}[self.kind]

    @property
    def expected(self) -> str:
        """What rows were expected if there are none."""
        return "chunks" if self.of_corpus else {"run": "a run", "judgments": "judgments"}[self.kind]

    @property
    def places(self) -> Places:
        """Where the rows stand."""
        return Places(self.label, self.numbers.__getitem__, self.noun, self.in_words if self.by_topic else None)

    def in_words(self, row: int) -> str:
        """Where a row stands, in words: `line 3`, or of an object its topic and its number there."""
        if not self.by_topic:
            return f"{self.noun} {self.numbers[row]}"
        record = self.records[row]
        if "by_document" in record and isinstance(document := record.get("document"), str | int):
            from assay.reading.cells import python_text

            return f"topic {record['topic']}, document {python_text(document).strip(chr(39))}"
        return f"topic {record['topic']}, {self.noun} {self.numbers[row]}"

    def read_spans(self) -> None:
        """Make numbers of the starts and ends, and ids of topics and documents; the first fault is raised."""
        for row, what in self.faults():
            raise self.places[row].fault(what)

    def faults(self) -> Iterator[tuple[int, str]]:
        """Each row that is wrong, and why; the values of the others become ids and numbers on the way."""
        are_parts, has_starts = self.has_parts, self.has("start")
        for row, record in enumerate(self.records):
            what = next(record_faults(record), None)
            if what is None and "text" not in record:
                what = self.lacking(record, are_parts, has_starts)
            if what is not None:
                yield row, what

    def lacking(self, record: Mapping[str, Any], are_parts: bool, has_starts: bool) -> str | None:
        """What a row without a text lacks: a text if others have one, its document, or its place."""
        schema = self.schema
        if "start" in record or not are_parts:
            lacks = None
        elif has_starts:
            lacks = "start is missing"
        elif schema is not None and schema.text:
            return f"column {shorten(schema.text)} has no text here; expected a text or a list of texts"
        else:
            return no_offsets_or_text(())
        if "document" in record:
            return lacks
        keys = f"; the keys are {list_names(schema.names, 12)}" if schema and "document" not in schema.fields else ""
        return f"document is missing{keys if schema and schema.names else ''}"

    def placed_rows(self) -> Iterator[int]:
        """The rows that give a document and a place in it."""
        for row, record in enumerate(self.records):
            if "document" in record and "start" in record and "end" in record:
                yield row

    def quotes_of_rows(self, rows: list[int], names: list[str]) -> list[StatedPlace]:
        """What some rows say of their texts, whose documents have these names."""
        from assay.documents.location import StatedPlace

        some = [self.records[row] for row in rows]
        return [
            StatedPlace(each["text"], name, each["start"], each["end"], "in_parent" in each)
            for each, name in zip(some, names, strict=True)
        ]


def record_faults(record: dict[str, Any]) -> Iterator[str]:
    """What is wrong with the ids, the text and the place of a row, which become ids and numbers."""
    for name in ("topic", "document"):
        if name in record and (type(record[name]) is not str or not record[name].strip(BLANKS)):
            from assay.reading.cells import plain_id

            value, what = plain_id(record[name], name)
            if what:
                yield what
                return
            if value is None:
                del record[name]
            else:
                record[name] = value
        if name not in record or record[name].isascii() or not ("start" in record or "text" in record):
            continue
        if not is_whole_text(record[name]):
            yield f"{name} {record[name]!r} contains a lone surrogate, which is not valid Unicode"
    if "topic" not in record:
        yield "topic is missing"
    if fault := record.pop("text_fault", None):
        yield fault
    text = record.get("text")
    if text is not None and not text.strip():
        yield "the text is empty; expected at least one character"
    if "length" in record and "end" in record:
        # an end wins over a length
        del record["length"]
    for name in ("start", "end", "length"):
        if name in record and type(record[name]) is not int:
            yield from number_fault(record, name)
    yield from span_faults(record, text)


def number_fault(record: dict[str, Any], name: str) -> Iterator[str]:
    """Why an offset is none; one that is missing is not there."""
    value = plain_value(record[name])
    if is_missing(value) or is_blank(value):
        del record[name]
        return
    from assay.reading.cells import whole_fault

    if what := whole_fault(name, value):
        yield what
    else:
        record[name] = int(float(value))


def span_faults(record: dict[str, Any], text: str | None) -> Iterator[str]:
    """What is wrong with the place of a row, which gets its end."""
    start = record.get("start")
    if start == -1 and text is not None:
        # as LangChain writes it where it did not find a chunk
        del record["start"]
        record.pop("end", None)
        return
    for name in ("start", "end", "length"):
        value = record.get(name, 0)
        if not 0 <= value < WHOLE:
            from assay.reading.cells import offset_fault

            yield str(offset_fault(name, value))
            return
    length = record.pop("length", None)
    if start is None:
        if text is None and "end" in record:
            yield "start is missing"
        record.pop("end", None)
        return
    if "end" not in record:
        if length is None and text is None:
            yield "end is missing"
            return
        record["end"] = start + (len(text or "") if length is None else length)
        if length is None:
            record["end_of_text"] = True
    if record["end"] < start:
        yield f"start {start} is after end {record['end']}"


def no_offsets_or_text(keys: Iterable[str]) -> str:
    """What an error says of a row that has neither a text nor a place."""
    named = list(map(str, keys))
    of_keys = f"; the keys are {list_names(named, 12)}" if named else ""
    return f"no usable offsets and no text{of_keys}; expected a document, start and end, or a text"


def empty(rows: Rows) -> InputError:
    """The error about an input without rows."""
    return InputError(f"the input is empty; expected {rows.expected}", rows.label)
