"""Spans that are in memory already, in dicts and in records; and what else may stand in the lists of a dict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.formats import frames
from assay.formats.cells import cell_series, python_text
from assay.formats.chosen_columns import fields_of
from assay.formats.format import NOTHING_MORE, Request
from assay.formats.line_fields import WHOLE
from assay.formats.objects import is_scored
from assay.formats.plain_values import plain_value
from assay.tables.column_names import LABEL_FIELDS, TableColumns
from assay.tables.judgments import Judgments
from assay.tables.places import Place, Places
from assay.tables.run import Run
from assay.vocabulary import FileKind

NOTHING_TOLD: Mapping[str, str] = {}
RECORDS = {"run": ("topic", "document", "start", "end", "score"), "judgments": ("topic", "document", "start", "end")}
# What stands in a list of results or of judged spans.
LISTED = {
    "run": "(document, start, end), best first, or (document, start, end, score)",
    "judgments": "(document, start, end)",
}


def refuse_same_topics(topics: Iterable[Any], label: str) -> None:
    """Keys of a dict must be different topics, which 1 and "1" are not."""
    topics = list(topics)
    texts = {topic for topic in topics if isinstance(topic, str)}
    # numbers with more digits are refused as ids
    numbers = [topic for topic in topics if isinstance(topic, int | np.integer) and abs(int(topic)) < WHOLE]
    if same := next((number for number in numbers if str(number) in texts), None):
        raise InputError(f"topics {same} and '{same}' are one topic; expected each once", label)


def has_spans(dicts: Mapping[Any, Any], kind: FileKind) -> bool:
    """Whether the dict of a run or of judgments tells spans: tuples where
    documents would be, or lists where grades would be.
    """
    for of_topic in dicts.values():
        inner: Iterable[Any] = of_topic if isinstance(of_topic, list | tuple) else ()
        if isinstance(of_topic, set | frozenset) and kind == "judgments":
            inner = of_topic
        if isinstance(of_topic, Mapping) and kind == "judgments":
            inner = of_topic.values()
        first = next(iter(inner), None)
        if isinstance(first, list | tuple) and not (kind == "run" and is_scored(first)):
            return True
    return False


def valued_documents(results: Any, kind: FileKind, topic: Any, label: str) -> Any:
    """Documents with values where only documents were given: a list is a ranking, and what is judged so is relevant.

    They are a dict, or pairs where a document stands twice.
    """
    if isinstance(results, set | frozenset) and kind == "judgments":
        return dict.fromkeys(results, 1)
    if not isinstance(results, list | tuple):
        return results
    if kind == "judgments":
        pairs = [(document, 1) for document in results]
    elif all(map(is_scored, results)):
        pairs = list(results)
    else:
        pairs = [(document, -rank) for rank, document in enumerate(results)]
    try:
        valued = dict(pairs)
    except TypeError:
        pairs = [(_hashable(document, topic, label), score) for document, score in pairs]
        valued = dict(pairs)
    return valued if len(valued) == len(pairs) else pairs


def _hashable(document: Any, topic: Any, label: str) -> Any:
    """What may be the id of a document, and can be looked up."""
    document = plain_value(document)
    try:
        hash(document)
    except TypeError:
        what = f"topic {topic} has {python_text(document)}"
        raise InputError(f"{what}; expected a document, or a chunk of one", label) from None
    return document


def is_span(record: Any, kind: FileKind, told: Mapping[str, str] = NOTHING_TOLD) -> bool:
    """Whether a record tells a span."""
    if isinstance(record, Mapping):
        return tells_span(tuple(record), tuple(told.items()))
    return isinstance(record, tuple | list) and len(record) == len(RECORDS[kind])


@lru_cache
def tells_span(names: tuple[Any, ...], told: tuple[tuple[str, str], ...]) -> bool:
    """Whether a record with some names tells a span; most records have the names of the one before."""
    return bool(TableColumns([name for name in names if isinstance(name, str)], dict(told)).spans)


def is_labelled(record: Any, kind: FileKind, told: Mapping[str, str]) -> bool:
    """Whether a record of judgments tells a set of evidence, an annotator, a subtopic or a stratum."""
    if kind == "run" or not isinstance(record, Mapping):
        return False
    names = [name for name in record if isinstance(name, str)]
    return any(TableColumns(names, told).column(field) for field in (*LABEL_FIELDS, "subtopic", "stratum"))


def has_iterations(records: list[Any], kind: FileKind, told: Mapping[str, str]) -> bool:
    """Whether records of judgments have different iterations, which may be subtopics."""
    first = next((record for record in records if isinstance(record, Mapping)), {})
    column = TableColumns([name for name in first if isinstance(name, str)], told).column("iteration")
    if kind == "run" or column is None:
        return False
    return any(isinstance(record, Mapping) and record.get(column) != first[column] for record in records)


def span_records(records: list[Any], kind: FileKind, label: str, request: Request) -> Run | Judgments:
    """A run or judgments from records of spans: dicts, or tuples with their values in order."""
    rows = [_row(record, kind, number, label) for number, record in enumerate(records, 1)]
    return table_of_rows(rows, kind, Places(label, noun="record"), request)


def table_of_rows(rows: list[dict[str, Any]], kind: FileKind, places: Places, request: Request) -> Run | Judgments:
    """A run or judgments from rows, each with values under the names of columns."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: [row.get(name) for row in rows] for name in names}
    return _table(columns, kind, places, request)


def _row(record: Any, kind: FileKind, number: int, label: str) -> dict[str, Any]:
    if isinstance(record, Mapping):
        return {name: value for name, value in record.items() if isinstance(name, str)}
    if is_span(record, kind):
        return dict(zip(RECORDS[kind], record, strict=True))
    what = f"expected {', '.join(RECORDS[kind])}, as other records have, found {python_text(record)}"
    raise Place(label, number, "record").fault(what)


def span_dicts(dicts: Mapping[Any, Any], kind: FileKind, label: str) -> Run | Judgments:
    """A run or judgments from a dict of spans: {topic: [(document, start,
    end), ...]}, a ranking, or with a score in each.

    Judgments also {topic: {document: [(start, end), ...]}}, where a document
    without spans is judged, with nothing highlighted.
    """
    names = ("topic", "document", "start", "end", "score" if kind == "run" else "grade")
    rows = [row for topic, results in dicts.items() for row in _of_topic(topic, results, kind, label)]
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}

    def key(row: int) -> str:
        return in_dict(columns["topic"][row], columns["document"][row])

    return _table(columns, kind, Places(label, noun="result", key=key), NOTHING_MORE)


def has_subtopics(dicts: Mapping[Any, Any]) -> bool:
    """Whether the dict of judgments tells grades by subtopic: dicts where grades would be."""
    inner = (grade for of_topic in dicts.values() if isinstance(of_topic, Mapping) for grade in of_topic.values())
    return isinstance(next(inner, None), Mapping)


def subtopic_dicts(dicts: Mapping[Any, Any], label: str) -> Run | Judgments:
    """Judgments from a dict of grades by subtopic: {topic: {document: {subtopic: grade}}}."""
    rows = []
    for topic, documents in dicts.items():
        for document, grades in documents.items() if isinstance(documents, Mapping) else [(None, documents)]:
            if not isinstance(grades, Mapping):
                place = Place(label, key=in_dict(topic, document) if document is not None else f"topic {topic}")
                raise place.fault(f"expected a dict of subtopic: grade, found {python_text(grades)}")
            rows += [(topic, document, subtopic, grade) for subtopic, grade in grades.items()]
    names = ("topic", "document", "subtopic", "grade")
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}

    def key(row: int) -> str:
        return in_dict(columns["topic"][row], columns["document"][row])

    return _table(columns, "judgments", Places(label, noun="result", key=key), NOTHING_MORE)


def in_dict(topic: Any, document: Any) -> str:
    """How an error tells the place of a row in a dict."""
    return f"topic {topic}, document {document}"


def _of_topic(topic: Any, results: Any, kind: FileKind, label: str) -> Iterator[tuple[Any, ...]]:
    if isinstance(results, Mapping) and kind == "judgments":
        for document, spans in results.items():
            yield from _of_document(topic, document, spans, label)
        return
    if isinstance(results, set | frozenset) and kind == "judgments":
        results = list(results)
    if not isinstance(results, list | tuple):
        raise InputError(f"topic {topic} has {python_text(results)}; expected a list of {LISTED[kind]}", label)
    sizes = (3, 4) if kind == "run" else (3,)
    for place, result in enumerate(results):
        if not isinstance(result, list | tuple) or len(result) not in sizes:
            raise InputError(f"topic {topic} has {python_text(result)}; expected a list of {LISTED[kind]}", label)
        # some with a score and others without would have no order
        sizes = (len(result),)
        document, start, end, *score = result
        yield topic, document, start, end, (score[0] if score else -place) if kind == "run" else 1


def _of_document(topic: Any, document: Any, spans: Any, label: str) -> Iterator[tuple[Any, ...]]:
    if not isinstance(spans, list | tuple) or not all(
        isinstance(span, list | tuple) and len(span) == 2 for span in spans
    ):
        raise Place(label, key=in_dict(topic, document)).fault(
            f"expected a list of (start, end), found {python_text(spans)}"
        )
    for start, end in spans or [(0, 0)]:
        yield topic, document, start, end, 1 if spans else 0


def _table(columns: dict[str, list[Any]], kind: FileKind, places: Places, request: Request) -> Run | Judgments:
    """A run or judgments from columns of values, which may be anything; columns that this kind has not are not read."""
    import polars as pl

    fields = TableColumns(list(columns), request.columns).fields
    of_kind = {fields[field] for field in fields_of(kind) if field in fields}
    frame = pl.DataFrame([
        cell_series(name, columns[name], places.counted)
        if name in of_kind
        else pl.Series(name, [None] * len(columns[name]), pl.String)
        for name in dict.fromkeys(fields.values())
    ])
    rows = frames.frame_rows(frame, places)
    chosen = rows.chosen(kind, request)
    if kind == "run":
        return frames.frame_run(frame, chosen, places)
    return frames.frame_judgments(frame, chosen, places, request)
