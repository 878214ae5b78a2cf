"""Tables with named columns: CSV, TSV, JSONL and Parquet files, and frames in memory. Columns may have any of the usual names."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, listed, quoted
from assay.formats import column
from assay.formats.lines import whole, wrong_number
from assay.formats.source import Source
from assay.ids import Ids
from assay.tables import Judgments, Run, judgments_from_lists, run_from_lists

if TYPE_CHECKING:
    import polars as pl

Line = Callable[[int], int]


def run(frame: pl.DataFrame, label: str, line: Line | None = None) -> Run:
    """A run from a frame with columns topic, document, and score or rank."""
    fields = _required(frame, label, ("topic", "document"))
    score, rank = column(frame.columns, "score"), column(frame.columns, "rank")
    if not (score or rank):
        raise InputError(_missing("score or rank", frame), label)
    ranks = _wholes(frame[rank], "rank", label, line) if rank else None
    scores = _numbers(frame[score], "score", label, line) if score else -ranks.astype(np.float64)  # type: ignore[union-attr]
    topic, document = (_ids(frame[name], field, label, line) for field, name in fields.items())
    return Run(label, Ids.of(topic), Ids.of(document), _places(topic, document, line), score=scores, rank=ranks)


def judgments(frame: pl.DataFrame, label: str, line: Line | None = None) -> Judgments:
    """Judgments from a frame with columns topic, document and grade."""
    fields = _required(frame, label, ("topic", "document", "grade"))
    grade = _wholes(frame[fields.pop("grade")], "grade", label, line)
    topic, document = (_ids(frame[name], field, label, line) for field, name in fields.items())
    return Judgments(label, Ids.of(topic), Ids.of(document), _places(topic, document, line), grade=grade)


def _required(frame: pl.DataFrame, label: str, fields: tuple[str, ...]) -> dict[str, str]:
    found = {field: column(frame.columns, field) for field in fields}
    if lacking := [field for field, name in found.items() if name is None]:
        raise InputError(_missing(lacking[0], frame), label)
    return {field: name for field, name in found.items() if name is not None}


def _missing(field: str, frame: pl.DataFrame) -> str:
    return f"has no column {field}; its columns are {listed(frame.columns, 12)}"


def _fault(what: str, label: str, row: int, line: Line | None) -> InputError:
    return InputError(what, label, line(row)) if line else InputError(f"row {row + 1}: {what}", label)


def _ids(series: pl.Series, field: str, label: str, line: Line | None) -> pl.Series:
    import polars as pl

    if series.null_count():
        raise _fault(f"{field} is missing", label, int(series.is_null().arg_max() or 0), line)
    if series.dtype.is_float():
        wholes = series.cast(pl.Int64, strict=False)
        uneven = (wholes.cast(series.dtype) != series).fill_null(True)
        if uneven.any():
            at_row = int(uneven.arg_max() or 0)
            raise _fault(f"{field} {series[at_row]} is neither text nor a whole number", label, at_row, line)
        series = wholes
    elif not (series.dtype.is_integer() or series.dtype in (pl.String, pl.Categorical, pl.Enum)):
        raise InputError(f"column {series.name} is {series.dtype}; expected text or whole numbers", label)
    texts = series.cast(pl.String)
    empty = texts.str.len_bytes() == 0
    if empty.any():
        raise _fault(f"{field} is empty", label, int(empty.arg_max() or 0), line)
    return texts


def _numbers(series: pl.Series, field: str, label: str, line: Line | None) -> Any:
    import polars as pl

    if series.dtype in (pl.List, pl.Struct, pl.Array, pl.Object, pl.Binary):
        raise InputError(f"column {series.name} is {series.dtype}; expected numbers", label)
    numbers = series.cast(pl.Float64, strict=False)
    bad = ~numbers.is_finite().fill_null(False)
    if bad.any():
        at_row = int(bad.arg_max() or 0)
        value = series[at_row]
        if isinstance(value, str) and not (wrong := wrong_number(value.strip())):
            return _numbers(pl.Series(series.name, [_float(v) for v in series.to_list()]), field, label, line)
        wrong = "missing" if value is None else wrong if isinstance(value, str) else "not a finite number"
        raise _fault(f"{field} is missing" if value is None else f"{field} {quoted(str(value))} is {wrong}", label, at_row, line)
    return numbers.to_numpy()


def _float(value: Any) -> float | None:
    return float(value) if value is not None and not wrong_number(str(value).strip()) else None


def _wholes(series: pl.Series, field: str, label: str, line: Line | None) -> Any:
    numbers = _numbers(series, field, label, line)
    uneven = numbers != np.rint(numbers)
    if uneven.any():
        at_row = int(np.argmax(uneven))
        raise _fault(f"{field} {quoted(str(series[at_row]))} is not a whole number", label, at_row, line)
    return numbers.astype(np.int64)


def _places(topics: pl.Series, documents: pl.Series, line: Line | None) -> Any:
    def find(topic: str, document: str) -> list[int]:
        rows = ((topics == topic) & (documents == document)).arg_true().to_list()
        return [line(row) if line else row + 1 for row in rows]

    return find


def read_parquet(source: Source) -> tuple[pl.DataFrame, None]:
    """A Parquet file as a frame."""
    import polars as pl

    try:
        return pl.read_parquet(io.BytesIO(source.whole())), None
    except InputError:
        raise
    except Exception as error:
        raise source.fault(f"cannot be read as Parquet: {quoted(str(error).splitlines()[0])}") from None


def read_csv(source: Source) -> tuple[pl.DataFrame, Line]:
    """A file of values between commas."""
    return read_separated(source, ",")


def read_tsv(source: Source) -> tuple[pl.DataFrame, Line]:
    """A file of values between tabs."""
    return read_separated(source, "\t")


def read_separated(source: Source, separator: str) -> tuple[pl.DataFrame, Line]:
    """A CSV or TSV file as a frame of text, and the line on which each of its rows ends."""
    import polars as pl

    content = _utf8(source)

    def line(row: int) -> int:
        rows = csv.reader(io.StringIO(content.decode(), newline=""), delimiter=separator)
        return next(rows.line_num for number, found in enumerate(filter(None, rows), -1) if number == row)

    header = next(csv.reader(io.StringIO(content.decode(), newline=""), delimiter=separator), [])
    if doubled := [name for name in header if header.count(name) > 1]:
        raise source.fault(f"two columns are named {doubled[0]}", 1)
    try:
        frame = pl.read_csv(content, separator=separator, infer_schema=False, encoding="utf8")
    except pl.exceptions.PolarsError as error:
        raise source.fault(_uneven_row(content, separator, len(header)) or quoted(str(error).splitlines()[0])) from None
    return frame.with_columns(pl.all().str.strip_chars()).rename(str.strip), line


def _utf8(source: Source) -> bytes:
    content = source.whole()
    try:
        content.decode()
    except UnicodeDecodeError as error:
        raise source.fault("is not UTF-8 text", content.count(b"\n", 0, error.start) + 1) from None
    return content


def _uneven_row(content: bytes, separator: str, width: int) -> str:
    rows = csv.reader(io.StringIO(content.decode(), newline=""), delimiter=separator)
    return next((f"line {rows.line_num} has {len(row)} columns; expected {width}" for row in rows if len(row) > width), "")


def read_json_lines(source: Source) -> tuple[pl.DataFrame, Line]:
    """A JSONL file, an object a line, as a frame, and the line of each of its rows."""
    import polars as pl

    content = _utf8(source)
    filled = [number for number, line in enumerate(content.split(b"\n"), 1) if line.strip()]
    try:
        frame = pl.read_ndjson(io.BytesIO(content), infer_schema_length=None)
    except pl.exceptions.PolarsError:
        frame = None
    if frame is None or len(frame) != len(filled):
        frame = _objects(source, content)
    return frame, filled.__getitem__


def _objects(source: Source, content: bytes) -> pl.DataFrame:
    import polars as pl

    rows = []
    for number, line in enumerate(content.decode().split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise source.fault(f"is not JSON: {error}: {quoted(line)}", number) from None
        if not isinstance(row, dict):
            raise source.fault(f"expected an object with named values, found {quoted(line)}", number)
        rows.append(row)
    names = dict.fromkeys(name for row in rows for name in row)
    return pl.DataFrame({n: [None if row.get(n) is None else str(row[n]) for row in rows] for n in names})


def from_columns(topic: list[Any], document: list[Any], value: list[Any], kind: str, label: str) -> Run | Judgments:
    """A run or judgments from three lists, without a frame and so without polars."""
    topics, documents = [_id(t, label) for t in topic], [_id(d, label) for d in document]
    for row, one in enumerate(value):
        if wrong := _wrong_value(one, kind):
            raise InputError(f"topic {topics[row]}, document {documents[row]}: {wrong}", label)
    if kind == "judgments":
        return judgments_from_lists(label, topics, documents, np.fromiter(map(int, value), np.int64, len(value)))
    return run_from_lists(label, topics, documents, np.fromiter(map(float, value), np.float64, len(value)))


def _id(value: Any, label: str) -> str:
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    if isinstance(value, str | int | np.integer) and value != "":
        return str(value)
    raise InputError(f"{quoted(repr(value))} is neither text nor a whole number; expected an id", label)


def _wrong_value(value: Any, kind: str) -> str | None:
    field = "grade" if kind == "judgments" else "score"
    if isinstance(value, str) or not isinstance(value, int | float | np.integer | np.floating):
        return f"{field} {quoted(repr(value))} is not a number"
    if not np.isfinite(value):
        return f"{field} {value} is not a finite number"
    return f"grade {value} is not a whole number" if kind == "judgments" and whole(repr(float(value))) is None else None

