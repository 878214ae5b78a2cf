"""Convert the columns of a frame to ids and numbers, and say which rows are wrong and why."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, quote, shorten
from assay.reading.lines import BLANK, LONGEST, WHOLE, is_whole, refused_grade, refused_id, wrong_number, wrong_whole
from assay.reading.numbers import numbers
from assay.reading.values import is_blank, is_missing, is_no_number, is_whole_text, is_writable, plain_value
from assay.tables.ids import Bools, Ids, encoded_text
from assay.tables.places import Places
from assay.vocabulary import GRADE_WORDS

if TYPE_CHECKING:
    import polars as pl

# Values of these types need no check one by one: the column that they become finds what is wrong with them.
KINDS = {str, int, float, type(None)}
# A column with fewer ids is packed by way of Python strings.
FEW = 100


@dataclass(frozen=True, eq=False)
class Column:
    """One field of every row: its values (Ids or numbers), which rows are wrong, and a function that says why."""

    values: Any
    bad: Bools
    why: Callable[[int], str]


def ids(series: pl.Series, field: str, label: str) -> Column:
    """Read ids: strings or whole numbers."""
    import polars as pl

    def why(row: int) -> str:
        value = series[row]
        if is_missing(value) or is_blank(value):
            return f"{field} is missing"
        return refused_id(field, int(lengths[row])) or f"{field} {value} is neither text nor a whole number"

    if series.dtype.is_float() or series.dtype.is_decimal():
        whole = series.cast(pl.Int64, strict=False)
        texts = whole.set(whole.cast(series.dtype) != series, None).cast(pl.String)
    elif series.dtype.is_integer() or series.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null):
        texts = series.cast(pl.String)
    else:
        raise InputError(f"column {series.name} has type {series.dtype}; expected text or whole numbers", label)
    values = pack_ids(texts)
    lengths = values.length
    return Column(values, (lengths == 0) | (lengths > LONGEST) | are_blank(values), why)


def are_blank(values: Ids) -> Bools:
    """Return which ids are only whitespace, which files with fields cannot contain."""
    may_be = np.flatnonzero(values.length > 0)
    may_be = may_be[np.frombuffer(values.buffer, np.uint8)[values.start[may_be]] <= BLANK]
    blank = np.zeros(len(values), bool)
    blank[may_be] = [is_blank(each) for each in values[may_be].texts()]
    return blank


def optional_ids(series: pl.Series, field: str, label: str) -> Column:
    """Read ids of which some may be missing; those become empty."""
    import polars as pl

    name = ids(series.str.replace(r"^\s+$", "") if series.dtype == pl.String else series, field, label)
    return Column(name.values, name.bad & (name.values.length > 0), name.why)


def pack_ids(texts: pl.Series) -> Ids:
    """Return the ids in a series of strings; a missing one is empty.

    Of many ids it makes no Python strings; for a few, that is faster than three expressions of polars.
    """
    if len(texts) < FEW:
        return Ids.of(text or "" for text in texts.to_list())
    joined = texts.str.join("").item() or ""
    texts = texts.fill_null("") if texts.null_count() else texts
    return Ids.from_bytes(joined.encode(), texts.str.len_bytes().to_numpy())


def decimals(series: pl.Series, field: str, label: str) -> Column:
    """Read finite numbers."""
    import polars as pl

    def why(row: int) -> str:
        value = series[row]
        if value is None or is_blank(value):
            return f"{field} is missing"
        return f"{field} {quote(str(value))} is {wrong_number(str(value))}"

    if series.dtype in (pl.String, pl.Categorical, pl.Enum):
        series = series.cast(pl.String)
        # Polars rounds as Python does, but accepts other spellings of infinity and rejects whitespace around a number.
        values = series.cast(pl.Float64, strict=False).to_numpy()
        if not np.isfinite(values).all():
            series = series.str.strip_chars()
            values = numbers(pack_ids(series))
    elif series.dtype.is_numeric() or series.dtype == pl.Null:
        values = series.cast(pl.Float64).to_numpy()
    else:
        raise InputError(f"column {series.name} has type {series.dtype}; expected numbers", label)
    return Column(values, ~np.isfinite(values), why)


def wholes(series: pl.Series, field: str, label: str) -> Column:
    """Read whole numbers of at most 15 digits."""
    decimal = decimals(series, field, label)

    def why(row: int) -> str:
        value = series[row]
        reason = wrong_whole(write_value(value).strip())
        if is_no_number(value):
            return f"{field} is missing"
        return f"{field} {quote(write_value(value))} is {reason}" if reason else decimal.why(row)

    return Column(decimal.values, ~is_whole(decimal.values), why)


def grade_numbers(series: pl.Series, field: str, label: str) -> Column:
    """Read grades: numbers of at most 15 digits before the point, or words for them."""
    decimal = decimals(series, field, label)
    values, unread = decimal.values, np.flatnonzero(np.isnan(decimal.values))
    if len(unread) and any(isinstance(series[int(row)], str) for row in unread):
        values = values.copy()
        values[unread] = [grade_of_word(series[int(row)]) for row in unread]

    def why(row: int) -> str:
        value = series[row]
        reason = refused_grade(str(value).strip())
        if reason and value is not None and not is_blank(value):
            return f"{field} {quote(str(value))} is {reason}"
        return decimal.why(row)

    return Column(values, ~(np.abs(values) < WHOLE), why)


def span_grades(series: pl.Series, field: str, label: str) -> Column:
    """Read grades of spans: whole numbers or words. A span is highlighted or not, so half a grade counts as one."""
    whole = wholes(series, field, label)
    values, unread = whole.values, np.flatnonzero(whole.bad)
    if len(unread) and any(isinstance(series[int(row)], str) for row in unread):
        values = values.copy()
        words = np.ceil([grade_of_word(series[int(row)]) for row in unread])
        values[unread] = np.where(np.isnan(words), values[unread], words)
    return Column(values, ~is_whole(values), whole.why)


def grade_of_word(value: object) -> float:
    """Return the grade that a word means; NaN for anything else."""
    return GRADE_WORDS.get(value.strip().lower(), math.nan) if isinstance(value, str) else math.nan


def naturals(series: pl.Series, field: str, label: str) -> Column:
    """Read whole numbers from 0."""
    whole = wholes(series, field, label)

    def why(row: int) -> str:
        return whole.why(row) if whole.bad[row] else f"{field} {quote(write_value(series[row]))} is negative"

    return Column(whole.values, whole.bad | (whole.values < 0), why)


def optional(series: pl.Series, field: str, label: str) -> Column:
    """Read whole numbers from 0 of which some may be missing; those become -1."""
    import polars as pl

    natural = naturals(series, field, label)
    missing = natural.bad.copy()
    missing[natural.bad] = [is_no_number(value) for value in series.filter(pl.Series(natural.bad))]
    return Column(np.where(missing, -1, natural.values), natural.bad & ~missing, natural.why)


def write_value(value: object) -> str:
    """Return a value as an error writes it: 7.0, which a column made of 7, is 7."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < WHOLE else str(value)


def offset_fault(field: str, value: Any) -> str | None:
    """Return why a value is not an offset, a whole number from 0; None if it is one."""
    if what := whole_fault(field, value):
        return what
    return f"{field} {quote(write_value(value))} is negative" if float(value) < 0 else None


def whole_fault(field: str, value: object) -> str | None:
    """Return why a value is not a whole number; None if it is one."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return f"{field} {python_text(value)} is neither text nor a number"
    try:
        text = write_value(value)
        if reason := wrong_whole(text.strip()):
            return f"{field} {quote(text)} is {reason}"
    except (ValueError, OverflowError):
        return f"{field} {python_text(value)} is too large; expected at most 15 digits"
    return None


def wrong_score(value: object) -> str | None:
    """Return why an object is not a score; None if it is one."""
    return wrong_value("score", value, wrong_number)


def wrong_grade(value: object) -> str | None:
    """Return why an object is not a grade; None if it is one."""
    return wrong_value("grade", value, refused_grade)


def wrong_value(field: str, value: object, why: Callable[[str], str | None]) -> str | None:
    """Return why an object is not a number; `why` says it of a string."""
    if value is None or is_blank(value):
        return f"{field} is missing"
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return f"{field} {python_text(value)} is neither text nor a number"
    if isinstance(value, int) and not is_writable(value):
        return f"{field} {python_text(value)} is {why('1e999')}"
    reason = why(str(value).strip())
    return f"{field} {quote(str(value))} is {reason}" if reason else None


def plain_id(given: object, field: str) -> tuple[str | None, str | None]:
    """Return an id as a string, and why it is not one. Both are None if the id is missing."""
    value = plain_value(given)
    if is_missing(value) or is_blank(value):
        return None, None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None, f"{field} {python_text(given)} is neither text nor a whole number"
    if isinstance(value, int) and not is_writable(value):
        return None, f"{field} {python_text(value)} has too many digits for an id; expected text or a shorter number"
    return str(value), refused_id(field, len(encoded_text(str(value)))) if len(str(value)) > LONGEST // 4 else None


def text_of_value(value: object) -> str | None:
    """Return a value as a string, for a column that has both strings and numbers: 7.0 becomes 7."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return None if is_missing(value) else str(value)


def series(name: str, values: list[Any], places: Places) -> pl.Series:
    """Return a polars column of values of any types; the ids 7, 7.0 and "7" become the same."""
    import polars as pl

    kinds = {type(value) for value in values if value is not None}
    if len(kinds) < 2 and (column := uniform_series(name, values)) is not None:
        return column
    return pl.Series(name, [text_of_value(cell) for cell in plain_cells(name, values, places)], pl.String)


def uniform_series(name: str, values: list[Any]) -> pl.Series | None:
    """Return a polars column of values of one type; None if polars cannot hold one of them."""
    import polars as pl

    try:
        column = pl.Series(name, values, strict=False)
        # polars turns a number that is too large into a missing value
        is_whole = column.null_count() == values.count(None) and column.dtype != pl.Object
        return column if is_whole else None
    except (Exception, pl.exceptions.PanicException):
        # polars does not document which exceptions it raises here
        return None


def cell_series(name: str, values: list[Any], places: Places) -> pl.Series:
    """Return a polars column of values from records or lists; each must be a string, a number or missing."""
    if set(map(type, values)) <= KINDS:
        return series(name, values, places)
    return series(name, plain_cells(name, values, places), places)


def plain_cells(name: str, values: list[Any], places: Places) -> list[Any]:
    """Return values as Python's own; raise an error if one is neither a string nor a number."""
    cells = list(map(plain_value, values))
    for row, cell in enumerate(cells):
        if cell is not None and (what := refused_cell(cell)):
            raise places[row].fault(f"{name} {what}")
    return cells


def refused_cell(value: object) -> str | None:
    """Return why a column cannot hold a value; None if it can."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return f"{python_text(value)} is neither text nor a number"
    if isinstance(value, str) and not is_whole_text(value):
        return f"{python_text(value)} contains a lone surrogate, which is not valid Unicode"
    if isinstance(value, int) and not is_writable(value):
        return f"{python_text(value)} has too many digits"
    return None


def python_text(value: object) -> str:
    """Return the repr of a value, shortened."""
    try:
        text = repr(value)
    except Exception:  # an integer with too many digits, or a foreign object whose repr fails
        text = f"of type {type(value).__name__}"
    return shorten(text, 60)
