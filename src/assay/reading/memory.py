"""Runs and judgments that are in memory already: dicts of dicts, pandas,
polars and Arrow frames, iterables of records.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from assay.errors import InputError
from assay.reading import frames
from assay.reading.cells import cell_series, python_text, series
from assay.reading.columns import RUN_NAMES, chosen_columns, fields_of, several_runs, texts_named, texts_to_find
from assay.reading.dicts import plain_run, plain_scores
from assay.reading.format import NOTHING_MORE, Request
from assay.reading.lines import LONGEST, WHOLE, refused_id
from assay.reading.numbers import is_number
from assay.reading.objects import is_missing, is_scored, plain_value
from assay.tables.column_names import LABEL_FIELDS, TableColumns, comparable_name
from assay.tables.ids import Ids, RepeatedIds, encoded_text
from assay.tables.judgments import Judgments, whole_if_all
from assay.tables.places import Place, Places
from assay.tables.run import Run, not_empty
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    import polars as pl

# Spans that are in memory already, in dicts and in records; and what else may stand in the lists of a dict.

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


EXPECTED = "expected a file, a dict of dicts, a frame or records (topic, document, {}), found {}"


def table_behind(given: Any, kind: FileKind, label: str, request: Request) -> Run | Judgments:
    """The table behind an object."""
    value = "grade" if kind == "judgments" else "score"
    # an array without dimensions cannot be iterated, though it looks so
    given = plain_value(given)
    if isinstance(given, Mapping):
        refuse_same_topics(given, label)
    if isinstance(given, Mapping) and kind == "judgments" and has_subtopics(given):
        return subtopic_dicts(given, label)
    if isinstance(given, Mapping):
        return span_dicts(given, kind, label) if has_spans(given, kind) else _from_dicts(given, kind, value, label)
    if (frame := _frame(given, label, request)) is not None:
        rows = frames.frame_rows(frame, Places(label))
        chosen = rows.chosen(kind, request)
        if kind == "judgments":
            return frames.frame_judgments(frame, chosen, rows.places, request)
        return frames.frame_run(frame, chosen, rows.places, request.ranks)
    if isinstance(given, Iterable) and not isinstance(given, bytes | bytearray):
        return _from_records(given, kind, value, label, request)
    raise InputError(EXPECTED.format(value, python_text(given)), label)


def judgments_in_memory(given: Any, label: str, request: Request) -> Judgments:
    """Judgments in memory."""
    return cast(Judgments, table_behind(given, "judgments", label, request))


def blocks_in_memory(given: Any, label: str, request: Request) -> Iterator[Callable[[], Any]]:
    """A run in memory, some whole topics at a time if it is a frame that can be read again."""
    if (frame := _frame(given, label, request)) is not None:
        asked = request if hasattr(type(given), "columns") else request._replace(gather=True)
        yield from frames.frame_blocks(frames.frame_rows(frame, Places(label)), asked)
    else:
        yield lambda: not_empty(cast(Run, table_behind(given, "run", label, request)))


def _frame(given: Any, label: str, request: Request) -> pl.DataFrame | None:
    module = type(given).__module__.split(".")[0]
    if module not in ("pandas", "polars", "pyarrow") and not hasattr(given, "__arrow_c_stream__"):
        return None
    import polars as pl

    try:
        if isinstance(given, pl.DataFrame):
            return given
        if isinstance(given, pl.LazyFrame):
            return given.collect()
        return _from_pandas(given, label, request) if module == "pandas" else pl.DataFrame(given)
    except InputError:
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        # whatever another library says of its own object
        raise InputError(f"cannot be read as a frame: {python_text(error)}", label) from None


def _from_pandas(given: Any, label: str, request: Request) -> pl.DataFrame:
    import polars as pl

    if not hasattr(type(given), "columns"):
        raise InputError(f"a pandas {type(given).__name__} is no frame; expected a DataFrame", label)
    names = [str(name) for name in given.columns]
    if doubled := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"two columns are named {doubled}", label)
    levels = [str(name) for name in given.index.names if name is not None]
    for field in ("topic", "document"):
        if not TableColumns(names, request.columns).column(field) and (level := TableColumns(levels).column(field)):
            what = f"has no column {field}, but an index {level}; reset_index() makes columns of an index"
            raise InputError(what, label)
    # column by column, so that pyarrow is not needed and None, NaN and NA are all missing
    used = TableColumns(names, request.columns).used
    columns = zip(names, given.columns, strict=True)
    return pl.DataFrame([(_from_pandas_column if name in used else _first_values)(name, given[key], label)
                         for name, key in columns])  # fmt: skip


def _first_values(name: str, given: Any, label: str) -> pl.Series:
    """A column that is not used, of which a few values tell whether it has texts, or names several runs."""
    import polars as pl

    given_first = given.drop_duplicates() if comparable_name(name) in RUN_NAMES else given
    first = [value if isinstance(value, str) else None for value in given_first.head(frames.FEW).tolist()]
    return pl.Series(name, first, pl.String).extend_constant(None, len(given) - len(first))


def _from_pandas_column(name: str, given: Any, label: str) -> pl.Series:
    import polars as pl

    if isinstance(given.dtype, np.dtype) and given.dtype.kind in "iufb":
        return pl.Series(name, given.to_numpy(), nan_to_null=True)
    return series(name, given.astype(object).where(given.notna(), None).tolist(), Places(label))


def _from_dicts(dicts: Mapping[Any, Any], kind: FileKind, value: str, label: str) -> Run | Judgments:
    given = {topic: valued_documents(results, kind, topic, label) for topic, results in dicts.items()}
    for topic, results in given.items():
        if not isinstance(results, Mapping | list):
            raise InputError(f"topic {topic} has {python_text(results)}; expected a dict of document: {value}", label)
    if kind == "run" and (run := plain_run(given, label)) is not None:
        return run
    documents: list[Any] = []
    values: list[Any] = []
    for results in given.values():
        # what has a document twice is no dict, but pairs
        names, theirs = (results, results.values()) if isinstance(results, Mapping) else zip(*results, strict=True)
        documents.extend(names)
        values.extend(theirs)
    if kind == "judgments":
        values = list(map(_told_grade, values))
    sizes = list(map(len, given.values()))
    return from_lists(list(given), sizes, documents, values, kind, Places(label, not_numbered))


def _told_grade(value: Any) -> Any:
    """A grade as a number, where a text tells one, as it does in a JSON file whose values are all texts."""
    if not isinstance(value, str) or not is_number(value.strip()):
        return value
    number = float(value)
    return int(number) if number.is_integer() else number


def _from_records(given: Iterable[Any], kind: FileKind, value: str, label: str, request: Request) -> Run | Judgments:
    records = list(given)
    named = [_named(record) for record in records]
    is_told = [is_span(record, kind, request.columns) or is_labelled(record, kind, request.columns) for record in named]
    if any(is_told) or has_iterations(named, kind, request.columns):
        return span_records(named, kind, label, request)
    names, notes = _columns_of_records(named, kind, value, label, request)
    rows = [_triple(record, named[number - 1], number, value, label, names) for number, record in enumerate(records, 1)]
    topics, documents, values = ([row[i] for row in rows] for i in range(3))
    places = Places(label, noun="record")
    return replace(from_lists(topics, [1] * len(rows), documents, values, kind, places), notes=notes)


def _columns_of_records(
    named: list[Any], kind: FileKind, value: str, label: str, request: Request
) -> tuple[list[str], tuple[str, ...]]:
    """The names under which records have a topic, a document and a value, where they have names; and notes on them."""
    records = [record for record in named if isinstance(record, Mapping)]
    names = list(dict.fromkeys(name for record in records for name in record if isinstance(name, str)))
    columns = TableColumns(names, request.columns)
    if not all(map(columns.column, ("topic", "document", value))):
        # the first record that lacks one is told
        return [], ()

    def is_text(name: str) -> bool:
        return any(" " in str(record.get(name)) for record in records[: frames.FEW])

    def runs_named(name: str) -> list[str]:
        return list(dict.fromkeys(str(record[name]) for record in records if name in record))

    chosen = chosen_columns(columns, kind, label, is_text, request.every_column, request.of_parts)
    notes = (*chosen.notes, *several_runs(columns, kind, runs_named))
    return [chosen[field] for field in ("topic", "document", value)], notes


def _named(record: Any) -> Any:
    """A record as a dict, if its values have names."""
    if hasattr(record, "_asdict"):
        return record._asdict()
    if hasattr(record, "__dataclass_fields__"):
        return {name: getattr(record, name) for name in record.__dataclass_fields__}
    return record


def _triple(record: Any, named: Any, number: int, value: str, label: str, names: list[str]) -> tuple[Any, Any, Any]:
    triple: tuple[Any, ...] = ()
    if isinstance(named, Mapping):
        if names and all(name in named for name in names):
            triple = tuple(named[name] for name in names)
    elif isinstance(named, tuple | list) and len(named) == 3:
        triple = tuple(named)
    if not triple:
        hint = _texts_in(named) if value == "grade" else ""
        what = f"expected topic, document and {value}, found {python_text(record)}{hint}"
        raise Place(label, number, "record").fault(what)
    for field, given in zip(("topic", "document"), triple, strict=False):
        # most are texts, and are not looked at again
        if type(given) is not str and is_missing(plain_value(given)):
            raise Place(label, number, "record").fault(f"{field} is missing")
    return cast(tuple[Any, Any, Any], triple)


def _texts_in(named: Any) -> str:
    """What to do where a record of judgments may have quotations."""
    if not isinstance(named, Mapping):
        return ""
    columns = TableColumns([name for name in named if isinstance(name, str)])
    return texts_to_find(columns) or texts_named(columns, lambda name: " " in str(named[name]))


def not_numbered(row: int) -> None:
    """The number of what stands in a dict, which has none."""


def from_lists(
    topics: list[Any], sizes: list[int], documents: list[Any], values: list[Any], kind: FileKind, places: Places
) -> Run | Judgments:
    """A run or judgments from lists, without a frame and so without polars; each topic has so many of the documents."""
    label, document = places.name, _ids(documents, places)
    names = [_id(topic, "topic", places[at]) for at, topic in enumerate(topics)]
    if len(set(names)) == len(names):
        topic: Ids = RepeatedIds(names, sizes)
    else:
        topic = Ids.of(names)[np.repeat(np.arange(len(names)), sizes)]
    if kind == "run" and (scores := plain_scores(values)) is not None:
        return Run(label, topic, document, score=scores)
    values = list(map(plain_value, values))
    wrong: Callable[[Any], str | None] = wrong_grade if kind == "judgments" else wrong_score
    for row, value in enumerate(values):
        if what := wrong(value):
            at = np.array([row])
            raise Place(label, key=in_dict(*topic[at].texts(), *document[at].texts())).fault(what)
    if kind == "judgments":
        return Judgments(label, topic, document, grade=whole_if_all(np.fromiter(map(float, values), np.float64)))
    return Run(label, topic, document, score=np.fromiter(map(float, values), np.float64, len(values)))


def _ids(given: list[Any], places: Places) -> Ids:
    """A column of documents; texts, which they mostly are, are not looked at one by one."""
    try:
        ids = Ids.of(given)
    except TypeError:
        ids = None
    if ids is not None and ids.length.min(initial=1) > 0 and ids.length.max(initial=0) <= LONGEST // 4:
        return ids
    return Ids.of([_id(each, "document", places[at]) for at, each in enumerate(given)])


def _id(given: Any, field: str, place: Place) -> str:
    value = plain_value(given)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise place.fault(f"{field} {python_text(given)} is neither text nor a whole number")
    try:
        text = str(value)
    except ValueError:
        raise place.fault(f"{field} {python_text(value)} has too many digits for an id") from None
    if not text:
        raise place.fault(f"{field} '' is empty; expected an id")
    if len(text) > LONGEST // 4 and (what := refused_id(field, len(encoded_text(text)))):
        raise place.fault(what)
    return text


def wrong_score(value: Any) -> str | None:
    """Why an object is no score, if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"score {python_text(value)} is not a number"
    try:
        return None if math.isfinite(value) else f"score {value} is not a finite number"
    except OverflowError:
        return f"score {python_text(value)} is too large for a number"


def wrong_grade(value: Any) -> str | None:
    """Why an object is no grade, if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"grade {python_text(value)} is not a number"
    if value != value:
        return f"grade {value} is not a finite number"
    return None if -WHOLE < value < WHOLE else f"grade {python_text(value)} is too large; expected at most 15 digits"
