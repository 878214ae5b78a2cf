"""Chunks and quotations that are in memory already: {question: [chunks, best first]}, and records with a text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from assay.errors import InputError, quoted
from assay.formats.cells import python_text
from assay.formats.given_texts import records_in_memory, with_comparable_names
from assay.formats.list_order import order_noted
from assay.formats.memory_spans import NOTHING_TOLD, refuse_same_topics
from assay.formats.numbers import is_number
from assay.formats.objects import TEXTS, Chunk, bare, chunk_of, is_name, may_have_text, score_beside, values_of
from assay.formats.plain_values import is_writable, plain_value
from assay.formats.quotation_lists import quotations_in
from assay.formats.text_rows import OBJECTS, TextRows
from assay.tables.column_names import LABEL_FIELDS, NAMES, QUERY_IDS, TableColumns, comparable_name
from assay.vocabulary import FileKind

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
