"""Runs and judgments that are in memory already: dicts of dicts, pandas, polars and Arrow frames, iterables of records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import assay.formats.records as records
from assay.errors import InputError, quoted
from assay.formats import column
from assay.tables import Judgments, Run

if TYPE_CHECKING:
    import polars as pl

EXPECTED = "expected a file, a dict of dicts, a frame or records (topic, document, {})"


def table(given: Any, kind: str, label: str) -> Run | Judgments:
    """The table behind an object; `kind` is "run" or "judgments"."""
    value = "grade" if kind == "judgments" else "score"
    if isinstance(given, Mapping):
        return _from_dicts(given, kind, value, label)
    if (frame := _frame(given)) is not None:
        return getattr(records, kind)(frame, label)
    if isinstance(given, Iterable):
        return _from_records(given, kind, value, label)
    raise InputError(f"{type(given).__name__} is no {kind}; " + EXPECTED.format(value), label)


def _frame(given: Any) -> pl.DataFrame | None:
    module = type(given).__module__.split(".")[0]
    if module not in ("pandas", "polars", "pyarrow") and not hasattr(given, "__arrow_c_stream__"):
        return None
    import polars as pl

    if isinstance(given, pl.LazyFrame):
        return given.collect()
    if isinstance(given, pl.DataFrame):
        return given
    if module == "pandas":
        # column by column, so that pyarrow is not needed and None, NaN and NA are all missing
        filled = {str(name): given[name].astype(object).where(given[name].notna(), None).tolist() for name in given}
        return pl.DataFrame({name: pl.Series(name, values, strict=False) for name, values in filled.items()})
    return pl.DataFrame(given)


def _from_dicts(given: Mapping[Any, Any], kind: str, value: str, label: str) -> Run | Judgments:
    if strange := next((topic for topic, found in given.items() if not isinstance(found, Mapping)), None):
        found = quoted(repr(given[strange]))
        raise InputError(f"topic {strange} has {found}; expected a dict of document: {value}", label)
    topics = [topic for topic, found in given.items() for _ in found]
    documents = [document for found in given.values() for document in found]
    values = [one for found in given.values() for one in found.values()]
    return records.from_columns(topics, documents, values, kind, label)


def _from_records(given: Iterable[Any], kind: str, value: str, label: str) -> Run | Judgments:
    rows = [_triple(record, value, label) for record in given]
    topics, documents, values = ([row[i] for row in rows] for i in range(3))
    return records.from_columns(topics, documents, values, kind, label)


def _triple(record: Any, value: str, label: str) -> tuple[Any, Any, Any]:
    if hasattr(record, "_asdict"):
        record = record._asdict()
    elif hasattr(record, "__dataclass_fields__"):
        record = {name: getattr(record, name) for name in record.__dataclass_fields__}
    if isinstance(record, Mapping):
        names = list(map(str, record))
        found = [column(names, field) for field in ("topic", "document", value)]
        if None not in found:
            return tuple(record[name] for name in found if name is not None)
    elif isinstance(record, tuple | list) and len(record) == 3:
        return tuple(record)
    raise InputError(f"{quoted(repr(record))} is no record; expected topic, document and {value}", label)
