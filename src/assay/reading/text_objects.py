"""Chunks and quotations that are in memory already: {question: [chunks, best first]}, and records with a text."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from assay.documents.line_index import lines_of
from assay.errors import InputError, UsageError, quoted
from assay.files.json_lines import array_objects, json_object
from assay.files.line_blocks import line_blocks
from assay.files.source import Source
from assay.reading.cells import python_text
from assay.reading.columns import its_columns
from assay.reading.formats.parquet import parquet_parts, refusing_parquet
from assay.reading.formats.separated import (
    FEW,
    CountedLines,
    numbers_with_commas,
    refuse_title,
    tells_separator,
    with_point,
)
from assay.reading.heads import Head
from assay.reading.memory import NOTHING_TOLD, refuse_same_topics
from assay.reading.numbers import is_number
from assay.reading.objects import (
    TEXTS,
    USUAL_TEXT,
    Chunk,
    are_strings,
    bare,
    chunk_of,
    is_missing,
    is_name,
    is_writable,
    may_have_text,
    order_noted,
    plain_value,
    quotations_in,
    score_beside,
    values_of,
)
from assay.reading.texts import OBJECTS, TextRows
from assay.tables.column_names import (
    DOCUMENT_IDS,
    EVIDENCE,
    LABEL_FIELDS,
    LISTS,
    NAMES,
    QUERY_IDS,
    TableColumns,
    comparable_name,
)
from assay.tables.places import Place
from assay.vocabulary import FileKind

# Texts that are to be located, however they are given: strings, records, a frame, or a file with a table.

TEXT = ("text", "content", "page_content", "quote", "chunk", "excerpt")
# The most characters of a value between commas or tabs.
LONGEST_VALUE = 1 << 26
# What names the topic for which a text was returned or is judged, and nothing else.
TOPIC_IDS = NAMES["topic"][0]
EXPECTED_TEXTS = "expected a file, a frame, strings, or records with a text"
# The names that come before all others, where a field has several.
USUAL = {
    "topic": "query_id", "document": "ref_doc_id", "start": "start_index", "end": "end_index", "text": USUAL_TEXT,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class GivenTexts:
    """Records with a text each: the text, the document it is of if that is told, where it is said to start, and the
    topic for which it was returned or is judged; topics are None where no record has one.
    """

    records: list[dict[str, Any]]
    texts: list[str]
    documents: list[str | None]
    starts: list[int | None]
    topics: list[str | None] | None


def given_texts(given: Any, told: Mapping[str, str] = NOTHING_TOLD) -> GivenTexts:
    """The texts of a file, a frame or an iterable, in their order; `told` are columns by field, as a user tells them.
    """
    label = "texts"
    if isinstance(given, str | os.PathLike | Source):
        source = given if isinstance(given, Source) else Source(given)
        label = source.label
        numbered = list(records_of(source))
    else:
        numbered = [(None, record) for record in records_in_memory(given)]
    if not numbered:
        raise InputError("is empty; expected texts", label)
    names = list(dict.fromkeys(name for _, record in numbered for name in record))
    chosen = TableColumns(names, told).chosen_by_user
    if lacking := [name for field, name in told.items() if field not in chosen]:
        raise InputError(f"has no column {quoted(lacking[0])}; {its_columns(names)}", label)
    usual_text = next((name for usual in (*TEXT, *EVIDENCE) for name in names if comparable_name(name) == usual), None)
    text = chosen.get("text", usual_text)
    if text is None:
        what = f"has no column with a text; expected one of {', '.join(TEXT)}"
        likely = likely_text(names, [record for _, record in numbered[:FEW]])
        hint = f"; give columns=, as in text={likely}" if likely else ""
        raise InputError(f"{what}; {its_columns(names)}{hint}", label)
    document = chosen.get("document") or TableColumns([name for name in names if name != text]).whole_document
    start = TableColumns(names, told).column("start")
    # chunks of a corpus may have a topic or a question of their own, and still come in the order of their document
    topic = chosen.get("topic") or next((name for name in names if comparable_name(name) in TOPIC_IDS), None)
    texts: list[str] = []
    records: list[dict[str, Any]] = []
    for row, (line, record) in enumerate(numbered, 1):
        value = record.get(text)
        quotes = [value] if isinstance(value, str) else value
        if not are_strings(quotes):
            at = f"row {row}: " if line is None else ""
            raise InputError(f"{at}{text} is {quoted(str(value))}; expected a text", label, line)
        texts += quotes
        records += [record | {text: quote} for quote in quotes]
    documents, topics = ([_id(record.get(name)) if name else None for record in records] for name in (document, topic))
    starts = [_whole(record.get(start)) if start else None for record in records]
    return GivenTexts(records, texts, documents, starts, topics if any(topics) else None)


def likely_text(names: list[str], records: list[dict[str, Any]]) -> str | None:
    """The column that most likely has texts: one with blanks or lists in it, or else one that is not known; None where
    there are none.
    """
    used = TableColumns(names).used

    def has_texts(name: str) -> bool:
        return any(are_strings(record.get(name)) or " " in str(record.get(name)) for record in records)

    unknown = [name for name in names if name not in used]
    return next(chain(filter(has_texts, unknown), unknown, names), None)


def _id(given: Any) -> str | None:
    value = plain_value(given)
    return None if is_missing(value) or (isinstance(value, str) and not value) else str(value)


def _whole(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return None


def records_in_memory(given: Any) -> Iterator[dict[str, Any]]:
    """The records of a frame, or of an iterable of texts, dicts or chunks."""
    if isinstance(given, Mapping | bytes) or (
        not isinstance(given, Iterable) and not hasattr(given, "__arrow_c_stream__")
    ):
        raise UsageError(f"texts are of type {type(given).__name__}; {EXPECTED_TEXTS}")
    if type(given).__module__.startswith("pandas"):
        # None, NaN and NA are all missing
        given = given.astype(object).where(given.notna(), None).to_dict("records")
    elif hasattr(given, "__arrow_c_stream__"):
        import polars as pl

        given = pl.DataFrame(given).to_dicts()
    for record in given:
        if isinstance(record, str):
            yield {"text": record}
        elif isinstance(record, Mapping):
            yield {str(name): value for name, value in record.items()}
        elif (chunk := chunk_of(record)) is not None and chunk.text is not None:
            yield {"text": chunk.text, "doc_id": next(iter(chunk.documents), None), "start": chunk.start}
        else:
            raise UsageError(f"a text is of type {type(record).__name__}; expected a string, or a dict with a text")


def records_of(source: Source) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """The records of a file with the lines on which they begin, as far as there are lines."""
    parts = parquet_parts(source.path)
    head = b"" if parts else source.head()
    if parts or head.startswith(b"PAR1"):
        import polars as pl

        with refusing_parquet(source):
            records = pl.read_parquet(parts or source.whole()).to_dicts()
        yield from ((None, record) for record in records)
    elif head.lstrip().startswith(b"{"):
        for number, line in enumerate(lines_of(source), 1):
            if line.strip():
                yield number, json_object(line, number, source)
    elif head.lstrip().startswith(b"["):
        yield from array_objects(source, EXPECTED_TEXTS)
    else:
        yield from _separated(source, "\t" if b"\t" in head.split(b"\n")[0] else Head(head).comma)


def _separated(source: Source, separator: str) -> Iterator[tuple[int, dict[str, Any]]]:
    lines = CountedLines(source, line_blocks(source, "a table with named columns"))
    try:
        reader = with_long_values(csv.reader(lines, delimiter=separator, strict=True))
        names = next(reader, [])
        names = next(reader, []) if tells_separator(names) else names
        lines.first = 0
        numbers = numbers_with_commas(names, separator, NOTHING_TOLD)
        for number, values in enumerate(reader):
            if number < FEW:
                refuse_title(source, names, values, lines.first)
            # spreadsheets write rows of separators alone
            values = values if any(map(str.strip, values)) else []
            if values and len(values) != len(names):
                raise source.fault(f"has {len(values)} values; expected {len(names)}: {', '.join(names)}", lines.first)
            if values:
                told = zip(names, values, strict=True)
                yield lines.first, {name: with_point(value) if name in numbers else value for name, value in told}
            lines.first = 0
    except csv.Error as error:
        raise source.fault(f"cannot be read: {error}", lines.last) from None


def with_long_values(rows: Iterator[list[str]]) -> Iterator[list[str]]:
    """Rows whose values may be long. The limit counts for all that is read, so it is moved only while a row is."""
    while True:
        before = csv.field_size_limit(LONGEST_VALUE)
        try:
            row = next(rows, None)
        finally:
            csv.field_size_limit(before)
        if row is None:
            return
        yield row


def with_comparable_names(record: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    """A record with the names of columns as they are compared, and those that a user tells under the usual names."""
    values = {comparable_name(name): value for name, value in record.items()}
    told = {field: comparable_name(name) for field, name in columns.items()}
    return values | {USUAL.get(field, field): values[name] for field, name in told.items() if name in values}


# What the topic of a record is called, also where it is the question itself.
TOPICS = (*QUERY_IDS, "topic", "topic_id", "question_id", "query", "question", "user_input")
# What names a part of a document, and may be all that is judged.
PART_IDS = ("passage_id", "chunk_id", "pid")
# What is taken over from a record beside its text and its place.
LABELS = tuple(name for field in LABEL_FIELDS for group in NAMES[field] for name in group)
ORDER = ("score", "similarity", "sim", "rank")
GRADES = tuple(name for group in NAMES["grade"] for name in group if name not in ORDER)
VALUES = (*ORDER, *GRADES, "document_length", "doc_length", "bep", *LABELS)
EXPECTED = {
    "run": "expected a list of chunks, best first",
    "judgments": "expected a list of chunks or quotations",
}
# So many strings are looked at to tell texts from ids.
SAMPLE = 20
# So many words no title has that is the id of a document.
MANY_WORDS = 12


def text_rows(
    given: Any, kind: FileKind, label: str, collection: Any, columns: Mapping[str, str] = NOTHING_TOLD
) -> TextRows | None:
    """The rows of an object that carries texts; None where it does not, and is to be read otherwise.

    `columns` are those that a user tells of a frame or of records, by field.
    """
    if isinstance(given, Mapping) and columns:
        given = {
            topic: by_usual_names(each, columns) if isinstance(each, list) else each for topic, each in given.items()
        }
    if isinstance(given, Mapping) and kind == "judgments":
        given = {topic: evidence_of(each) for topic, each in given.items()}
    if isinstance(given, Mapping):
        return in_lists(given, kind, label) if holds_chunks(given, kind, collection) else None
    records = told_records(given, collection, columns)
    if not records or topic_of_record(records[0]) is None:
        return None
    numbered = list(enumerate(records, 1))
    if kind == "judgments":
        numbered = [(number, quote) for number, each in numbered for quote in quotations_in(each)]
    # without documents to look in, the text beside an id is what the reader makes of it
    has_one = is_text_alone if collection is None else has_text
    if not any(has_one(each) for _, each in numbered):
        return None
    rows = in_records(numbered, kind, label)
    rows.columns = columns_of(given, columns)
    if kind == "judgments":
        rows.without_gold_among(str(topic_of_record(each)) for each in records)
    return rows


def told_records(given: Any, collection: Any, columns: Mapping[str, str]) -> Sequence[Any]:
    """The records of a frame that may have texts, or of a list, by the usual names where a user tells others; nothing
    of other objects.
    """
    is_frame = hasattr(type(given), "columns")
    if collection is not None and columns and (is_frame or isinstance(given, list | tuple)):
        return by_usual_names(records_in_memory(given) if is_frame else given, columns)
    if collection is not None and is_frame:
        names = {comparable_name(str(name)) for name in given.columns}
        has_texts = names & set(TEXTS) or TableColumns(list(names)).text
        return list(records_in_memory(given)) if has_texts and names & set(TOPICS) else ()
    return given if isinstance(given, list | tuple) else ()


def columns_of(given: Any, told: Mapping[str, str]) -> TableColumns | None:
    """The columns of a frame, or of the first records; None where they have no names. `told` are those that a user
    tells, by field.
    """
    if hasattr(type(given), "columns"):
        names = given.columns
    else:
        names = (name for each in islice(given, SAMPLE) if isinstance(each, Mapping) for name in each)
    known = list(dict.fromkeys(map(str, names)))
    return TableColumns(known, told) if known else None


def evidence_of(given: Any) -> Any:
    """The evidence of a topic as a list of quotations, where it is one alone, or {document: quotations}; else as it is.
    """
    if isinstance(given, str):
        return [given]
    if isinstance(given, list):
        return [quote for each in given for quote in quotations_in(each)]
    if not isinstance(given, Mapping):
        return given
    quotes = {document: quotations_under(some) for document, some in given.items()}
    if not quotes or not all(quotes.values()):
        return given
    return [{"doc_id": str(document), "text": text} for document, texts in quotes.items() for text in texts]


def by_usual_names(given: Iterable[Any], columns: Mapping[str, str]) -> list[Any]:
    """Records or chunks, the dicts among them by the usual names where a user tells others."""
    return [with_comparable_names(each, columns) if isinstance(each, Mapping) else each for each in given]


def quotations_under(given: Any) -> list[str]:
    """The quotations that stand under a document: strings in a list, or one of several words, which is no grade."""
    if isinstance(given, str):
        return [given] if len(given.split()) > 1 else []
    is_list = isinstance(given, list | tuple)
    return list(given) if is_list and all(isinstance(each, str) for each in given) else []


def holds_chunks(given: Mapping[Any, Any], kind: FileKind, collection: Any) -> bool:
    """Whether a dict has lists of chunks, or of texts, by topic."""
    lists = {
        topic: each
        for topic, each in given.items()
        if isinstance(each, Sequence) and not isinstance(each, str | bytes)
    }
    if not lists:
        return False
    sample = list(islice(((topic, each) for topic, chunks in lists.items() for each in chunks), SAMPLE))
    if strings := [text for _, each in sample if isinstance(text := bare(each), str)]:
        return are_long(strings) if collection is None else are_texts(strings, collection)
    return any(is_chunk(each, topic) for topic, each in sample)


def is_chunk(given: Any, topic: Any) -> bool:
    """Whether an object is a chunk or another part of a document, and no record of a whole run.

    A record that tells a topic is one of a run, unless that is the topic under which it stands.
    """
    return chunk_of(given) is not None and str(topic_of_record(given)) in ("None", str(topic))


def has_text(given: Any) -> bool:
    """Whether a record has a text."""
    chunk = chunk_of(given) if may_have_text(given) else None
    return chunk is not None and chunk.text is not None


def is_text_alone(given: Any) -> bool:
    """Whether a record tells a topic and a text, but no document and no part of one."""
    chunk = chunk_of(given) if may_have_text(given) else None
    if chunk is None or chunk.text is None or chunk.documents or topic_of_record(given) is None:
        return False
    return all(values_of(given)(name) is None for name in PART_IDS)


def are_long(strings: list[str]) -> bool:
    """Whether strings are surely no ids, as half of them or more have many words."""
    return 2 * sum(len(string.split()) >= MANY_WORDS for string in strings) >= len(strings)


def are_texts(strings: list[str], collection: Any) -> bool:
    """Whether strings are texts, and not the ids of documents: half of them or more have blanks, and none is an id."""
    blank = sum(len(string.split()) > 1 for string in strings)
    return 2 * blank >= len(strings) and not any(collection.own_id(string) is not None for string in strings)


def topic_of_record(given: Any) -> Any:
    """The topic of a record, if it has one."""
    values = values_of(given)
    named = [name for name in TOPICS if name not in TEXTS]
    return next((topic for name in named if (topic := as_topic(values(name))) is not None), None)


def topic_under_name(record: Mapping[str, Any]) -> Any:
    """The topic of a record of a file or a log, as it stands there; None where it has none."""
    return next((record[name] for name in TOPICS if is_name(record.get(name))), None)


def as_topic(value: Any) -> str | int | None:
    """A value as the name of a topic, if it can be one; pandas makes 7.0 of 7 where another value is missing."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int):
        return value if is_writable(value) else None
    return value if isinstance(value, str) and value != "" else None


def in_lists(given: Mapping[Any, Any], kind: FileKind, label: str) -> TextRows:
    """Rows from {question: [chunks]}: the order of a list is the ranking, whatever the scores are."""
    rows = TextRows(kind, label, OBJECTS[kind])
    refuse_same_topics(given, label)
    for topic, chunks in given.items():
        if not isinstance(chunks, Sequence) or isinstance(chunks, str | bytes):
            raise InputError(f"topic {topic} has {python_text(chunks)}; {EXPECTED[kind]}", label)
        for place, each in enumerate(chunks):
            text = bare(each)
            chunk = Chunk(text) if isinstance(text, str) else chunk_of(each)
            where = f"topic {topic}, {rows.noun} {place + 1}"
            if chunk is None:
                raise InputError(f"{where} is {python_text(each)}; {EXPECTED[kind]}", label)
            refuse_empty(chunk, where, label)
            refuse_endless(score_beside(each), where, label)
            further = {"score": -place} if kind == "run" else values_under(LABELS, each) | grade_in(each)
            rows.keys |= keys_without_place(len(rows), each, chunk)
            rows.add({"query_id": str(topic), **further}, chunk, place + 1)
    if kind == "run":
        rows.notes += order_noted(given, label)
    elif any("grade" in record for record in rows.records):
        # what is told without a grade is relevant
        rows.records = [{"grade": 1} | record for record in rows.records]
    return rows


def in_records(given: Iterable[tuple[int, Any]], kind: FileKind, label: str) -> TextRows:
    """Rows from records with a topic and a text each, and the numbers of these."""
    rows = TextRows(kind, label, "record")
    for number, each in given:
        chunk, topic = chunk_of(each), topic_of_record(each)
        if chunk is None or topic is None:
            raise InputError(
                f"record {number} is {python_text(each)}; expected a topic and a text, as other records have", label
            )
        refuse_empty(chunk, f"record {number}", label)
        rows.keys |= keys_without_place(len(rows), each, chunk)
        rows.add({"query_id": str(topic)} | without_words(values_under(VALUES, each)), chunk, number)
    return rows


def keys_without_place(row: int, given: Any, chunk: Chunk) -> dict[int, list[str]]:
    """The keys of a dict by its row, where it tells neither a text nor a place in a document; else nothing."""
    is_told = chunk.text is not None or (chunk.documents and chunk.start is not None and chunk.end is not None)
    return {} if is_told or not isinstance(given, Mapping) else {row: list(map(str, given))}


def grade_in(given: Any) -> dict[str, Any]:
    """The grade that stands beside a quotation in a dict, a whole number; anything else may mean anything."""
    told = [plain_value(given.get(name)) for name in NAMES["grade"][0]] if isinstance(given, Mapping) else []
    return next(({"grade": grade} for grade in told if type(grade) is int), {})


def without_words(values: dict[str, Any]) -> dict[str, Any]:
    """Values without a judgment that is told in words, which is no grade."""
    judgment = values.get("judgment")
    if not isinstance(judgment, str) or is_number(judgment):
        return values
    return {name: value for name, value in values.items() if name != "judgment"}


def values_under(names: Iterable[str], given: Any) -> dict[str, Any]:
    """What an object has under some names; an object that is a text has nothing."""
    if isinstance(given, str):
        return {}
    values = values_of(given)
    return {name: value for name in names if (value := values(name)) is not None}


def refuse_endless(score: Any, where: str, label: str) -> None:
    """A score is a finite number, though the order of a list tells the ranking: another one is a mistake."""
    score = plain_value(score)
    if isinstance(score, float) and not math.isfinite(score):
        raise InputError(f"{where}: score {quoted(str(score))} is not a finite number", label)


def refuse_empty(chunk: Chunk, where: str, label: str) -> None:
    """A chunk has some text, or a place that is not empty."""
    if chunk.text is not None and not chunk.text.strip():
        raise InputError(f"{where} has an empty text; expected some", label)
    if chunk.start is not None and chunk.end is not None and chunk.end < chunk.start:
        raise InputError(f"{where}: start {python_text(chunk.start)} lies behind end {python_text(chunk.end)}", label)


# Documents in a list of objects or in a frame, as loaders of frameworks hand them over: an id and a text in each.

LABEL = "documents"


def hold_documents(given: Any) -> bool:
    """Whether an object is a frame, or a list of objects that are no texts alone."""
    if hasattr(type(given), "columns"):
        return True
    return isinstance(given, list | tuple) and bool(given) and not any(isinstance(each, str | bytes) for each in given)


def texts_by_id(given: Any) -> dict[str, str]:
    """The texts of some objects, or of the rows of a frame, by their ids."""
    texts: dict[str, str] = {}
    for number, each in enumerate(records_in_memory(given) if hasattr(type(given), "columns") else given, 1):
        chunk, values = chunk_of(each), values_of(each)
        own = next((str(value) for name in DOCUMENT_IDS if is_name(value := values(name))), None)
        name = chunk.documents[0] if chunk and chunk.documents else own
        if chunk is None or chunk.text is None or name is None:
            what = f"record {number} is {python_text(each)}"
            raise InputError(f"{what}; expected a document with an id and a text", LABEL)
        if name in texts:
            raise InputError(f"has document {name} twice; expected each once, and not a part of it in each", LABEL)
        texts[name] = chunk.text
    return texts


# Logs of what was returned: a record for each topic, with the list of its results, as a file or Python has them.


def is_log_record(record: Any) -> bool:
    """Whether an object has a topic and a list of what was returned for it, and is no row with one document or text."""
    if not isinstance(record, Mapping) or not any(isinstance(record.get(name), list) for name in LISTS):
        return False
    columns = TableColumns([name for name in record if isinstance(name, str)])
    return columns.column("topic") is not None and columns.column("document") is None and columns.text is None


def lists_by_topic(records: Iterable[tuple[Place, Any]]) -> dict[str, Any]:
    """The lists of a log, whose records stand at some places, by topic."""
    lists: dict[str, Any] = {}
    for place, given in records:
        record = given if isinstance(given, Mapping) else {}
        topic = topic_under_name(record)
        results = next((value for name in LISTS if isinstance(value := record.get(name), list)), None)
        if topic is None or results is None:
            lacking = "topic" if topic is None else "list of results"
            raise place.fault(f"has no {lacking}; expected one, as other objects have")
        if str(topic) in lists:
            raise place.fault(f"topic {topic} comes again; expected all its results in one list")
        lists[str(topic)] = whole_documents(results)
    return lists


def whole_documents(results: Any) -> Any:
    """The ids in a list of objects that name a document each, and no part of it, each another; else what is given."""
    if not isinstance(results, list) or not results or not all(isinstance(each, dict) for each in results):
        return results
    chunks = [chunk_of(each) for each in results]
    ids = [each.documents[0] for each in chunks if each and each.documents and each.text is None and each.start is None]
    return ids if len(set(ids)) == len(results) else results
