"""Read tables, records and files whose rows have texts into Rows, and make tables of Rows whose texts are located."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeGuard, cast

import numpy as np

from assay.documents.collection import TEXT_NAMES
from assay.documents.names import document_name
from assay.errors import InputError, UsageError, quote, type_name
from assay.files.json_lines import array_objects, json_object
from assay.files.line_blocks import numbered_lines
from assay.files.parquet import parquet_parts, refusing_parquet
from assay.files.source import Source, refuse_text
from assay.reading.faults import python_text
from assay.reading.format import Format, Head, Readable, Request
from assay.reading.formats.separated import FEW as FEW_ROWS
from assay.reading.formats.separated import SeparatedRows
from assay.reading.locate import refuse_unplaced, told_without_documents
from assay.reading.memory import locate_rows, read_values, table_of
from assay.reading.records import (
    RecordReader,
    flat,
    flat_as_told,
    has_records,
    is_record,
    record_of,
    rows_of_records,
    says_no_answer,
    value_at_path,
)
from assay.reading.rows import Rows
from assay.reading.schema import comparable_name, its_columns, may_be_told, schema_of, usual_name
from assay.reading.values import NO_NAMES, is_missing, is_there, plain_value
from assay.tables.column_names import EVIDENCE, NAMES, NO_ANSWER, PART_TEXTS, TEXTS, WHOLE_TEXTS
from assay.tables.judgments import HighlightJudgments, Judgments
from assay.tables.places import LINE, Place
from assay.tables.run import Run
from assay.vocabulary import FileKind, Texts

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection
    from assay.reading.input_types import TextsLike


# Texts to locate, from any input: strings, records, a frame, or a file with a table.

# How many rows of Parquet are read first, for callers that need only a few.
FIRST_ROWS = 1000
# Column names that can only be the id of a topic.
TOPIC_IDS = NAMES["topic"][0]
EXPECTED = "expected a file, a frame, strings, or records with a text"


@dataclass(frozen=True, eq=False)
class GivenTexts:
    """Records with a text each, and what the records say of these texts.

    `documents` are the documents they are from, `starts` and `ends` their offsets, None if a record does not say.
    `topics` are the topics for which they were retrieved or judged, or None if no record has one. `column` holds the
    texts;
    `numbers` are the lines or rows of the records in the file `label`. `without_text` are the records of questions
    without an answer, by the number of texts before them. `empty` names the rows whose list of texts is empty.
    """

    records: list[dict[str, Any]]
    texts: list[str]
    documents: list[str | None]
    starts: list[int | None]
    ends: list[int | None]
    topics: list[str | None] | None
    column: str
    numbers: list[int]
    noun: str
    label: str = "texts"
    without_text: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    empty: list[str] = field(default_factory=list)


def given_texts(given: TextsLike, told: Mapping[str, str] = NO_NAMES) -> GivenTexts:
    """Return the texts of a file, a frame or an iterable; `told` are the columns that the user named, by field."""
    label = GivenTexts.label
    if isinstance(given, str | os.PathLike | Source):
        if isinstance(given, str):
            refuse_text(given, "[text]")
        source = given if isinstance(given, Source) else Source(given)
        label = source.label
        numbered = list(records_of(source, told))
    else:
        numbered = [(None, record) for record in records_in_memory(given)]
    if not numbered:
        raise InputError("the input is empty; expected texts", label)
    names = list(dict.fromkeys(name for _, record in numbered for name in record))
    # a path leads into the values of a column
    paths = {each for each in told.values() if any(value_at_path(record, each) is not None for _, record in numbered)}
    names += [each for each in paths if each not in names]
    chosen = schema_of(names, told).chosen_by_user
    if lacking := [name for field, name in told.items() if field not in chosen]:
        raise InputError(f"no column {quote(lacking[0])}; {its_columns(names)}", label)
    schema = schema_of(names, told)
    others = (*PART_TEXTS, *EVIDENCE)
    text = schema.text or next((name for name in names if comparable_name(name) in others), None)
    if text is None and schema.column("start"):
        what = "the rows have offsets but no texts; Assay finds spans in changed documents by their texts"
        raise InputError(f"{what}: add a column text with the text of each span in the old documents", label)
    if text is None:
        what = f"no text column; expected one of {', '.join(TEXTS)}"
        likely = likely_text(names, [record for _, record in numbered[:FEW_ROWS]])
        hint = f"; pass columns=, for example text={likely}" if likely else ""
        raise InputError(f"{what}; {its_columns(names)}{hint}", label)
    document = chosen.get("document") or schema_of([name for name in names if name != text]).whole_document
    # only ids of topics count: chunks of a corpus may have a question of their own and still follow their document's
    # order
    topic = chosen.get("topic") or next((name for name in names if comparable_name(name) in TOPIC_IDS), None)
    texts: list[str] = []
    records: list[dict[str, Any]] = []
    numbers: list[int] = []
    without_text: dict[int, list[dict[str, Any]]] = {}
    empty: list[str] = []
    for row, (line, record) in enumerate(numbered, 1):
        value = value_at_path(record, text)
        value = value.tolist() if hasattr(value, "tolist") else value
        place = Place(label, line or row, "row" if line is None else LINE)
        if (not is_there(value) or value == []) and says_no_answer(record, place):
            nothing = {text: None} if text in record else {}
            without_text.setdefault(len(texts), []).append(record | nothing)
            continue
        quotes = [value] if isinstance(value, str) else value
        if not are_strings(quotes):
            at = f"row {row}: " if line is None else ""
            what = f"{text} is {quote(str(value))}; expected a text"
            if is_missing(plain_value(value)):
                what = f"{text} is missing (null); add the text, or remove the {'line' if line else 'row'}"
            raise InputError(f"{at}{what}", label, line)
        if not quotes:
            named = _id(value_at_path(record, topic)) if topic else None
            empty.append(quote(named) if named else f"{place.noun} {line or row}")
        texts += quotes
        records += [record | {text: quote} if text in record else record for quote in quotes]
        numbers += [line or row] * len(quotes)
    documents, topics = (
        [_id(value_at_path(each, name)) if name else None for each in records] for name in (document, topic)
    )
    starts, ends, lengths = (
        [_whole(value_at_path(each, name)) if (name := schema.column(field)) else None for each in records]
        for field in ("start", "end", "length")
    )
    for row, (begin, length) in enumerate(zip(starts, lengths, strict=True)):
        if ends[row] is None and begin is not None and length is not None:
            ends[row] = begin + length
    noun = "row" if numbered[0][0] is None else "line"
    told_topics = topics if any(topics) else None
    places = documents, starts, ends
    return GivenTexts(records, texts, *places, told_topics, text, numbers, noun, label, without_text, empty)


def likely_text(names: list[str], records: list[dict[str, Any]]) -> str | None:
    """Return the column that most likely has texts: one with spaces or lists, else any with an unknown name."""
    used = schema_of(names).used

    def values(name: str) -> list[Any]:
        return [value for record in records if not is_missing(value := plain_value(record.get(name)))]

    def has_texts(name: str) -> bool:
        return any(are_strings(value) or (isinstance(value, str) and " " in value) for value in values(name))

    def may_have_texts(name: str) -> bool:
        return may_be_told(name) and all(isinstance(value, str) or are_strings(value) for value in values(name))

    unknown = [name for name in names if name not in used and may_have_texts(name)]
    return next(chain(filter(has_texts, unknown), unknown), None)


def _id(given: object) -> str | None:
    value = plain_value(given)
    return None if is_missing(value) or (isinstance(value, str) and not value) else str(value)


def _whole(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return None


def records_in_memory(given: Any) -> Iterator[dict[str, Any]]:
    """Yield the records of a frame, or of an iterable of strings, dicts or chunks."""
    if isinstance(given, Mapping | bytes) or (
        not isinstance(given, Iterable)
        and not hasattr(given, "__arrow_c_stream__")
        and not hasattr(type(given), "collect_schema")
    ):
        raise UsageError(f"the texts have type {type_name(given)}; {EXPECTED}")
    if type(given).__module__.startswith("pandas"):
        # None, NaN and NA are all missing
        given = given.astype(object).where(given.notna(), None).to_dict("records")
    elif hasattr(given, "__arrow_c_stream__") or hasattr(type(given), "collect_schema"):
        import polars as pl

        given = given.collect() if isinstance(given, pl.LazyFrame) else pl.DataFrame(given)
        # a caller that needs only the first rows does not read the others
        given = given.iter_rows(named=True)
    for record in given:
        if isinstance(record, str):
            yield {"text": record}
        elif isinstance(record, Mapping):
            yield {str(name): value for name, value in record.items()}
        elif "text" in (taken := record_of(record)):
            yield {"text": taken["text"], "doc_id": taken.get("document")} | {
                name: taken.get(name) for name in ("start", "end")
            }
        else:
            raise UsageError(f"a text has type {type_name(record)}; expected a string, or a dict with a text")


def records_of(source: Source, told: Mapping[str, str] = NO_NAMES) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """Yield the records of a file, each with the line on which it begins; None if the format has no lines.

    told: the columns that the user named, by field.
    """
    parts = parquet_parts(source.path)
    head = b"" if parts else source.head()
    if parts or head.startswith(b"PAR1"):
        import polars as pl

        content = parts or source.whole()
        with refusing_parquet(source):
            # a caller that needs only the first rows does not read the others
            first = pl.read_parquet(content, n_rows=FIRST_ROWS)
        yield from ((None, record) for record in first.to_dicts())
        if len(first) == FIRST_ROWS:
            with refusing_parquet(source):
                records = pl.read_parquet(content)[FIRST_ROWS:].to_dicts()
            yield from ((None, record) for record in records)
    elif head.lstrip().startswith(b"{"):
        for number, content in numbered_lines(source):
            yield number, json_object(content, number, source)
    elif head.lstrip().startswith(b"["):
        yield from array_objects(source, EXPECTED)
    else:
        separator = "\t" if "\t" in Head(head).header else Head(head).comma
        yield from SeparatedRows(source, separator, (), told).records()


def are_strings(given: object) -> TypeGuard[list[str]]:
    """Return whether something is a list of strings."""
    return isinstance(given, list) and all(isinstance(each, str) for each in given)


# Documents in a list of objects or in a frame, as loaders of frameworks return them: each has an id and a text.

LABEL = "documents"


def hold_documents(given: object) -> bool:
    """Return whether an object is a frame, or a list of objects that are not plain strings."""
    if hasattr(type(given), "columns"):
        return True
    return isinstance(given, list | tuple) and not any(isinstance(each, str | bytes) for each in given)


def texts_by_id(given: Any) -> dict[str, str]:
    """Return the texts of some objects, or of the rows of a frame, by id."""
    texts: dict[str, str] = {}
    for number, each in enumerate(records_in_memory(given) if hasattr(type(given), "columns") else given, 1):
        taken, record = record_of(each), flat(each) if is_record(each) else {}
        text = taken.get("text", next((record[each] for each in TEXT_NAMES if isinstance(record.get(each), str)), None))
        outer: dict[str, Any] = {}
        inner: dict[str, Any] = {}
        for key, value in record.items():
            depth, usual = usual_name(key)
            if value is not text:
                (inner if depth else outer).setdefault(usual, plain_value(value))
        name = document_name(outer, [inner])
        if text is None or not name:
            what = f"record {number} is {python_text(each)}"
            raise InputError(f"{what}; expected a document with an id and a text", LABEL)
        several = [key for key in TEXT_NAMES if isinstance(record.get(key), str) and record[key] != text]
        if several:
            what = f"document {name} has a text and another one in {several[0]}"
            raise InputError(f"{what}; expected one text", LABEL)
        if name in texts:
            what = f"document {name} appears twice"
            raise InputError(f"{what}; expected one record per document, not one per chunk", LABEL)
        texts[name] = text
    return texts


# How many rows are checked to learn the columns.
SAMPLE = 20
# Names of columns that may hold ids or texts; their values tell.
TOLD_BY_VALUES = {*PART_TEXTS, *WHOLE_TEXTS}
# How many rows are checked if there are no documents to compare texts with.
FIRST = 1000


def table_of_texts(rows: Rows, collection: DocumentCollection | None, policy: Texts = "check") -> Run | Judgments:
    """Locate the texts of some rows and return their table, with the notes made when they were read."""
    noted = [note.removeprefix(f"{rows.label}: ") for note in rows.notes]
    table = table_of(locate_rows(rows, collection, policy), Request(ranks=True))
    return replace(table, notes=(*table.notes, *noted))


def readable_rows(rows: Rows, collection: DocumentCollection | None) -> Readable[Any]:
    """Return the table of some rows and their faults, for a check.

    It does not check whether the texts match their offsets.
    """
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
    first: dict[tuple[str, str], int] = {}
    for row, record in enumerate(rows.records):
        first.setdefault((record["topic"], record.get("document", "")), row)
    judged = zip(judgments.topic.texts(), judgments.document.texts(), strict=True)
    # the name of a document may have become the one that the collection uses
    in_rows = np.array([first.get(pair, 0) for pair in judged], np.int64)
    return Readable("judgments", judgments, rows.places, [], in_rows, np.arange(len(judgments.highlights.row)))


def rows_of_table(
    records: Iterable[tuple[int | None, Any]],
    kind: FileKind,
    label: str,
    columns: Mapping[str, str],
    collection: DocumentCollection | None,
    whole: bool = False,
) -> Rows:
    """Return the rows of a table from its records, each with its line, or None if it has no lines."""
    records = iter(records)
    first = list(islice(records, 1))
    noun = "line" if first and first[0][0] is not None else "row"
    counted = ((line or row, record) for row, (line, record) in enumerate(chain(first, records), 1))
    return rows_of_records(counted, kind, label, noun, collection, columns, whole)


def says_no_answers(names: Iterable[str], kind: FileKind) -> bool:
    """Return whether judgments have a column that may mark questions as having no answer."""
    return kind == "judgments" and not NO_ANSWER.keys().isdisjoint(names)


def sample_of(
    records: Iterable[tuple[int | None, Any]],
    names: Iterable[str],
    kind: FileKind,
    columns: Mapping[str, str],
    collection: DocumentCollection | None,
) -> RecordReader:
    """Return a RecordReader for the first records of a table, which also knows all other `names` of the table.

    If the first records lack values of a column that may hold ids or texts, later ones tell.
    """
    flats = (flat_as_told(record, columns) for _, record in records if is_record(record))
    first: list[Mapping[str, Any]] = list(islice(flats, SAMPLE))
    held = {each for record in first for name in record for each in (name, name.partition(".")[0])}
    further = dict.fromkeys(name for name in names if name not in held)
    by_values = {name for record in (*first, further) for name in record if usual_name(name)[1] in TOLD_BY_VALUES}
    lacking = Counter({name: SAMPLE - sum(is_there(each.get(name)) for each in first) for name in by_values})
    for record in flats if +lacking and len(first) == SAMPLE else ():
        found = {name: record[name] for name in +lacking if is_there(record.get(name))}
        if found:
            first.append(found)
            lacking.subtract(found.keys())
        if not +lacking:
            break
    return RecordReader([*first, further], kind, columns, collection)


def needs_rows(sample: RecordReader) -> bool:
    """Return whether a table is read row by row.

    A field has its values inside a column or in the quotations of a list, a text alone gives the end of a span, or
    chunks were cut from other chunks.
    """
    quotations = {*sample.texts, *(name for name in sample.schema.names if comparable_name(name) in EVIDENCE)}
    if any(has_records(each.get(name)) for each in sample.flats for name in quotations):
        return True
    has_span = sample.has_place and bool(sample.fields.keys() & {"end", "length"})
    if sample.text is not None and not has_span and (sample.has_place or usual_name(sample.text)[0] > 0):
        return True
    if sample.parents and sample.has_place:
        # offsets count from there
        return True
    used = [*chain.from_iterable(sample.fields.values()), *sample.documents, *sample.schema.ids]
    chosen = sample.schema.chosen_by_user.values()
    return any(usual_name(name)[0] > 0 or ("." in name and name in chosen) for name in used)


def first_notes(
    records: Iterable[tuple[int | None, Any]],
    kind: FileKind,
    label: str,
    columns: Mapping[str, str],
    collection: DocumentCollection | None,
    policy: Texts,
) -> list[str] | None:
    """Return the notes on the first texts of a table and their spans, if these are not compared with documents.

    None if the table has to be read row by row, because a span ends where its text does, or is where its text is found.
    """
    try:
        rows = rows_of_table(islice(records, FIRST), kind, label, columns, collection)
    except InputError:
        # a faulty row is reported when the table is read
        return []
    if not len(rows):
        return []
    read_values(rows, Request(every_column=False))
    unplaced = [row for row, record in enumerate(rows.records) if "start" not in record]
    if collection is None:
        refuse_unplaced(rows, unplaced)
    if unplaced or has_ends_of_texts(rows):
        return None
    with_text = [row for row in rows.placed_rows() if "text" in rows.records[row]]
    return [] if policy == "ignore" else told_without_documents(rows, with_text)


def has_ends_of_texts(rows: Rows) -> bool:
    """Return whether the text of one of the first rows gives the end of its span."""
    return any("end_of_text" in record for record in rows.records[:FIRST])


def tells_places(rows: Rows, source: Source, format: Format, columns: Mapping[str, str]) -> bool:
    """Return whether a file gives the places of all its rows in its own columns, not in the metadata of chunks."""
    in_columns = not format.has_columns or bool(schema_of(format.column_names(source), columns).spans)
    return in_columns and len(list(rows.placed_rows())) == len(rows) and not has_ends_of_texts(rows)
