"""Frames with named columns -> runs and judgments. Columns may have any of the usual names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, listed, quoted
from assay.formats import NAMES, column
from assay.formats.lines import LONGEST, WHOLE, too_long, wrong_number, wrong_whole
from assay.formats.numbers import numbers
from assay.ids import Bools, Ids
from assay.tables import Judgments, Run

if TYPE_CHECKING:
    import polars as pl

Line = Callable[[int], int]


@dataclass(frozen=True, eq=False)
class Column:
    """One field of every row: its values (Ids or numbers), which rows are wrong, and why a row is."""

    values: Any
    bad: Bools
    why: Callable[[int], str]


def run(frame: pl.DataFrame, label: str, line: Line | None = None, ranks: bool = True) -> Run:
    """A run from a frame with columns topic, document, and score or rank; a rank beside a score where `ranks` are asked for."""
    found = columns(frame, "run", label, ranks)
    refuse_faults(found, label, line)
    rank = found["rank"].values.astype(np.int64) if "rank" in found else None
    score = found["score"].values if "score" in found else -found["rank"].values
    topic, document = found["topic"].values, found["document"].values
    return Run(label, topic, document, places(topic, document, line), unit(line), score=score, rank=rank)


def judgments(frame: pl.DataFrame, label: str, line: Line | None = None) -> Judgments:
    """Judgments from a frame with columns topic, document and grade."""
    found = columns(frame, "judgments", label)
    refuse_faults(found, label, line)
    topic, document, grade = (found[field].values for field in ("topic", "document", "grade"))
    return Judgments(label, topic, document, places(topic, document, line), unit(line), grade=grade.astype(np.int64))


def columns(frame: pl.DataFrame, kind: str, label: str, ranks: bool = False) -> dict[str, Column]:
    """The columns of a run or of judgments by the names of their fields."""
    fields = ["topic", "document", "grade"] if kind == "judgments" else ["topic", "document", "score", "rank"]
    found = {field: name for field in fields if (name := column(frame.columns, field))}
    if lacking := [field for field in fields if field not in found and field not in ("score", "rank")]:
        raise _lacking(lacking[0], frame, label)
    if kind == "run" and not found.keys() & {"score", "rank"}:
        raise _lacking("score or rank", frame, label)
    if kind == "judgments" and column(frame.columns, "rank") and found["grade"] == column(frame.columns, "score"):
        raise InputError("this looks like a run, with a score and a rank; expected judgments, with a grade", label)
    if "score" in found and not ranks:
        found.pop("rank", None)
    makers = {"topic": _ids, "document": _ids, "score": _numbers, "rank": _wholes, "grade": _wholes}
    return {field: makers[field](frame[name], field, label) for field, name in found.items()}


def _lacking(field: str, frame: pl.DataFrame, label: str) -> InputError:
    there = f"its columns are {listed(frame.columns, 12)}" if frame.columns else "it has no columns at all"
    hint = "; these look like judgments: they are given first, the runs after them" if column(frame.columns, "grade") else ""
    return InputError(f"has no column {field}; {there}{hint if field == 'score or rank' else ''}", label)


def known_columns(names: list[str]) -> list[str]:
    """The columns of a table that may be used."""
    return [name for field in NAMES if (name := column(names, field))]


def faults(found: dict[str, Column]) -> Iterator[tuple[int, str]]:
    """Each row that is wrong, and why."""
    for row in np.flatnonzero(np.logical_or.reduce([one.bad for one in found.values()])).tolist():
        yield row, next(one.why(row) for one in found.values() if one.bad[row])


def refuse_faults(found: dict[str, Column], label: str, line: Line | None) -> None:
    """No row may be wrong: the first that is."""
    for row, what in faults(found):
        raise placed(what, label, row, line)


def placed(what: str, label: str, row: int, line: Line | None) -> InputError:
    """The error about a row: with its line where the table is a text file, else with its number."""
    return InputError(what, label, line(row)) if line else InputError(f"row {row + 1}: {what}", label)


def unit(line: Line | None) -> str:
    """In what the rows of a table are counted."""
    return "line" if line else "row"


def _ids(series: pl.Series, field: str, label: str) -> Column:
    import polars as pl

    def why(row: int) -> str:
        value = series[row]
        if value is None or value == "":
            return f"{field} is missing"
        return too_long(field, int(lengths[row])) or f"{field} {value} is neither text nor a whole number"

    if series.dtype.is_float():
        whole = series.cast(pl.Int64, strict=False)
        texts = whole.set(whole.cast(series.dtype) != series, None).cast(pl.String)
    elif series.dtype.is_integer() or series.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null):
        texts = series.cast(pl.String)
    else:
        raise InputError(f"column {series.name} is of type {series.dtype}; expected text or whole numbers", label)
    lengths = texts.str.len_bytes().fill_null(0).to_numpy()
    return Column(packed(texts), (lengths == 0) | (lengths > LONGEST), why)


def packed(texts: pl.Series) -> Ids:
    """The ids in a series of text, without making a text of each; a missing one is empty."""
    joined = texts.str.join("").item() or ""
    return Ids.joined(joined.encode(), texts.str.len_bytes().fill_null(0).cast(int).to_numpy())


def _numbers(series: pl.Series, field: str, label: str) -> Column:
    import polars as pl

    def why(row: int) -> str:
        value = series[row]
        if value is None or value == "":
            return f"{field} is missing"
        return f"{field} {quoted(str(value))} is {wrong_number(str(value))}"

    if series.dtype in (pl.String, pl.Categorical, pl.Enum):
        series = series.cast(pl.String).str.strip_chars()
        values = numbers(packed(series))
    elif series.dtype.is_numeric() or series.dtype == pl.Null:
        values = series.cast(pl.Float64).to_numpy()
    else:
        raise InputError(f"column {series.name} is of type {series.dtype}; expected numbers", label)
    return Column(values, ~np.isfinite(values), why)


def _wholes(series: pl.Series, field: str, label: str) -> Column:
    found = _numbers(series, field, label)

    def why(row: int) -> str:
        value = series[row]
        reason = wrong_whole(str(value).strip())
        return f"{field} {quoted(str(value))} is {reason}" if reason and value not in (None, "") else found.why(row)

    good = (np.abs(found.values) < WHOLE) & (np.rint(found.values) == found.values)
    return Column(found.values, ~good, why)


def places(topics: Ids, documents: Ids, line: Line | None) -> Callable[[str, str], list[int]]:
    """A function that finds the lines, or the rows, in which a topic and a document stand together."""

    def find(topic: str, document: str) -> list[int]:
        pairs = enumerate(zip(topics.texts(), documents.texts(), strict=True))
        return [line(row) if line else row + 1 for row, pair in pairs if pair == (topic, document)]

    return find


def plain(value: Any) -> str | None:
    """A value as text, for a column that holds both texts and numbers: 7.0 is 7."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return None if value is None else str(value)
