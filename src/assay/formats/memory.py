"""Runs and judgments that are in memory already: dicts of dicts, pandas,
polars and Arrow frames, iterables of records.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from assay.errors import InputError
from assay.formats import frames
from assay.formats.cells import python_text, series
from assay.formats.chosen_columns import RUN_NAMES, chosen_columns, several_runs, texts_named, texts_to_find
from assay.formats.format import Request
from assay.formats.line_fields import LONGEST, WHOLE, refused_id
from assay.formats.memory_spans import (
    has_iterations,
    has_spans,
    has_subtopics,
    in_dict,
    is_labelled,
    is_span,
    refuse_same_topics,
    span_dicts,
    span_records,
    subtopic_dicts,
    valued_documents,
)
from assay.formats.numbers import is_number
from assay.formats.plain_dicts import plain_run, plain_scores
from assay.formats.plain_values import is_missing, plain_value
from assay.tables.column_names import TableColumns, comparable_name
from assay.tables.held_ids import RepeatedIds
from assay.tables.ids import Ids, encoded_text
from assay.tables.judgments import Judgments, whole_if_all
from assay.tables.places import Place, Places
from assay.tables.run import Run, not_empty
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    import polars as pl

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
