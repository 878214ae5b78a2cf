"""Texts that are to be located, however they are given: strings, records, a frame, or a file with a table."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeGuard

from assay.errors import InputError, UsageError, quote, type_name
from assay.files.json_lines import array_objects, json_object
from assay.files.line_blocks import line_blocks, numbered_lines
from assay.files.source import Source
from assay.reading.cells import python_text
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
from assay.reading.records import flat, is_record, record_of, value_at_path
from assay.reading.schema import Schema, comparable_name, its_columns, may_be_told
from assay.reading.values import is_missing, is_name, plain_value
from assay.tables.column_names import DOCUMENT_IDS, EVIDENCE, NAMES, PART_TEXTS, TEXTS

if TYPE_CHECKING:
    from assay.reading.input_types import TextsLike

NOTHING_TOLD: Mapping[str, str] = {}
# How many rows of Parquet are read before the others.
FIRST_ROWS = 1000
# The most characters of a value between commas or tabs.
LONGEST_VALUE = 1 << 26
# What names the topic for which a text was returned or is judged, and nothing else.
TOPIC_IDS = NAMES["topic"][0]
EXPECTED = "expected a file, a frame, strings, or records with a text"


@dataclass(frozen=True, eq=False)
class GivenTexts:
    """Records with a text each: the text, the document it is of if that is told, where it is said to start, and the
    topic for which it was returned or is judged; topics are None if no record has one. `column` has the texts, and
    `numbers` are those of the lines or rows that they are from.
    """

    records: list[dict[str, Any]]
    texts: list[str]
    documents: list[str | None]
    starts: list[int | None]
    topics: list[str | None] | None
    column: str
    numbers: list[int]
    noun: str


def given_texts(given: TextsLike, told: Mapping[str, str] = NOTHING_TOLD) -> GivenTexts:
    """The texts of a file, a frame or an iterable, in their order; `told` are columns by field, as a user names them.
    """
    label = "texts"
    if isinstance(given, str | os.PathLike | Source):
        source = given if isinstance(given, Source) else Source(given)
        label = source.label
        numbered = list(records_of(source))
    else:
        numbered = [(None, record) for record in records_in_memory(given)]
    if not numbered:
        raise InputError("the input is empty; expected texts", label)
    names = list(dict.fromkeys(name for _, record in numbered for name in record))
    # a path leads into what a column holds
    paths = {each for each in told.values() if any(value_at_path(record, each) is not None for _, record in numbered)}
    names += [each for each in paths if each not in names]
    chosen = Schema(names, told).chosen_by_user
    if lacking := [name for field, name in told.items() if field not in chosen]:
        raise InputError(f"no column {quote(lacking[0])}; {its_columns(names)}", label)
    schema = Schema(names, told)
    others = (*PART_TEXTS, *EVIDENCE)
    text = schema.text or next((name for name in names if comparable_name(name) in others), None)
    if text is None and schema.column("start"):
        what = "the rows have offsets but no texts; Assay finds spans in changed documents by their texts"
        raise InputError(f"{what}: add a column text with the text of each span in the old documents", label)
    if text is None:
        what = f"no text column; expected one of {', '.join(TEXTS)}"
        likely = likely_text(names, [record for _, record in numbered[:FEW]])
        hint = f"; pass columns=, for example text={likely}" if likely else ""
        raise InputError(f"{what}; {its_columns(names)}{hint}", label)
    document = chosen.get("document") or Schema([name for name in names if name != text]).whole_document
    start = schema.column("start")
    # chunks of a corpus may have a topic or a question of their own, and still come in the order of their document
    topic = chosen.get("topic") or next((name for name in names if comparable_name(name) in TOPIC_IDS), None)
    texts: list[str] = []
    records: list[dict[str, Any]] = []
    numbers: list[int] = []
    for row, (line, record) in enumerate(numbered, 1):
        value = value_at_path(record, text)
        quotes = [value] if isinstance(value, str) else value
        if not are_strings(quotes):
            at = f"row {row}: " if line is None else ""
            raise InputError(f"{at}{text} is {quote(str(value))}; expected a text", label, line)
        texts += quotes
        records += [record | {text: quote} if text in record else record for quote in quotes]
        numbers += [line or row] * len(quotes)
    documents, topics = (
        [_id(value_at_path(each, name)) if name else None for each in records] for name in (document, topic)
    )
    starts = [_whole(value_at_path(record, start)) if start else None for record in records]
    noun = "row" if numbered[0][0] is None else "line"
    return GivenTexts(records, texts, documents, starts, topics if any(topics) else None, text, numbers, noun)


def likely_text(names: list[str], records: list[dict[str, Any]]) -> str | None:
    """The column that most likely has texts: one with blanks or lists in it, or else one that is not known; None if
    there are none.
    """
    used = Schema(names).used

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
    """The records of a frame, or of an iterable of texts, dicts or chunks."""
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
        # whoever looks at the first rows does not read the others
        given = given.iter_rows(named=True)
    for record in given:
        if isinstance(record, str):
            yield {"text": record}
        elif isinstance(record, Mapping):
            yield {str(name): value for name, value in record.items()}
        elif "text" in (taken := record_of(record)):
            yield {"text": taken["text"], "doc_id": taken.get("document"), "start": taken.get("start")}
        else:
            raise UsageError(f"a text has type {type_name(record)}; expected a string, or a dict with a text")


def records_of(source: Source) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """The records of a file with the lines on which they begin, as far as there are lines."""
    parts = parquet_parts(source.path)
    head = b"" if parts else source.head()
    if parts or head.startswith(b"PAR1"):
        import polars as pl

        content = parts or source.whole()
        with refusing_parquet(source):
            # whoever looks at the first rows does not read the others
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
        yield from _separated(source, "\t" if "\t" in Head(head).header else Head(head).comma)


def _separated(source: Source, separator: str) -> Iterator[tuple[int, dict[str, Any]]]:
    lines = CountedLines(source, line_blocks(source, "a table with named columns"))
    try:
        reader = with_long_values(csv.reader(lines, delimiter=separator, strict=True))
        filled = (row for row in reader if any(map(str.strip, row)))
        names = next(filled, [])
        names = [name.strip() for name in (next(filled, []) if tells_separator(names) else names)]
        lines.first = 0
        numbers = numbers_with_commas(names, separator, NOTHING_TOLD)
        for number, values in enumerate(reader):
            if number < FEW:
                refuse_title(source, names, values, lines.first)
            # spreadsheets write rows of separators alone
            values = values if any(map(str.strip, values)) else []
            if values and len(values) != len(names):
                what = f"expected {len(names)} values ({', '.join(names)}), found {len(values)}"
                raise source.fault(what, lines.first)
            if values:
                told = zip(names, values, strict=True)
                yield lines.first, {name: with_point(value) if name in numbers else value for name, value in told}
            lines.first = 0
    except csv.Error as error:
        raise source.fault(f"cannot read the file: {error}", lines.last) from None


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


def are_strings(given: object) -> TypeGuard[list[str]]:
    """Whether something is a list of strings."""
    return isinstance(given, list) and all(isinstance(each, str) for each in given)


# Documents in a list of objects or in a frame, as loaders of frameworks hand them over: an id and a text in each.

LABEL = "documents"


def hold_documents(given: object) -> bool:
    """Whether an object is a frame, or a list of objects that are not texts alone."""
    if hasattr(type(given), "columns"):
        return True
    return isinstance(given, list | tuple) and bool(given) and not any(isinstance(each, str | bytes) for each in given)


def texts_by_id(given: Any) -> dict[str, str]:
    """The texts of some objects, or of the rows of a frame, by their ids."""
    texts: dict[str, str] = {}
    for number, each in enumerate(records_in_memory(given) if hasattr(type(given), "columns") else given, 1):
        taken, record = record_of(each), flat(each) if is_record(each) else {}
        own = next((str(value) for name in DOCUMENT_IDS if is_name(value := record.get(name))), None)
        name = str(taken["document"]) if "document" in taken else own
        if "text" not in taken or name is None:
            what = f"record {number} is {python_text(each)}"
            raise InputError(f"{what}; expected a document with an id and a text", LABEL)
        if name in texts:
            what = f"document {name} appears twice"
            raise InputError(f"{what}; expected one record per document, not one per chunk", LABEL)
        texts[name] = taken["text"]
    return texts
