"""Convert the columns of a frame to ids and numbers, and tell which rows are wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.reading.faults import INEXACT, grade_of_word, plain_id, refused_cell
from assay.reading.lines import BLANK, LONGEST, WHOLE, is_whole
from assay.reading.numbers import numbers
from assay.reading.values import BLANKS, is_blank, is_missing, is_no_number, plain_value
from assay.tables.ids import Bools, Ids

if TYPE_CHECKING:
    import polars as pl

# Values of these types need no check one by one: the column that they become finds what is wrong with them.
KINDS = {str, int, float, type(None)}
# A column with fewer ids is packed by way of Python strings.
FEW = 100


@dataclass(frozen=True, eq=False)
class Column:
    """One field of every row: its values (Ids or numbers), and which rows are wrong. faults.py says why."""

    values: Any
    bad: Bools


def column_of(series: pl.Series, read: Callable[[pl.Series], Column]) -> Column:
    """Read a column of a frame. If its type is neither text nor number, each value is checked."""
    import polars as pl

    if is_plain(series):
        return read(series)
    refused = refused_in(series, are_ids=read in (ids, optional_ids))
    values = map(plain_value, map(value_in, series.to_list()))
    texts = [None if bad else text_of_value(value) for value, bad in zip(values, refused, strict=True)]
    column = read(pl.Series(series.name, texts, pl.String))
    return Column(column.values, column.bad | refused)


def refused_in(series: pl.Series, are_ids: bool = False) -> Bools:
    """Return which values of a column are neither text nor a number, or not an id in a column of ids."""
    if is_plain(series):
        return np.zeros(len(series), bool)
    values = map(plain_value, map(value_in, series.to_list()))
    return np.array([is_refused(value, are_ids) for value in values], bool)


def is_refused(value: Any, is_id: bool) -> bool:
    """Return whether a plain value is neither missing, nor text, nor a number; or not an id, if it must be one."""
    return value is not None and (refused_cell(value) is not None or (is_id and plain_id(value, "")[1] is not None))


def is_plain(series: pl.Series) -> bool:
    """Return whether a column has only text and numbers."""
    import polars as pl

    return series.dtype.is_numeric() or series.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null)


def ids(series: pl.Series) -> Column:
    """Read ids: strings or whole numbers."""
    import polars as pl

    if series.dtype.is_float() or series.dtype.is_decimal():
        whole = series.cast(pl.Int64, strict=False)
        is_inexact = (whole.abs() >= int(INEXACT)) if series.dtype.is_float() else False
        series = whole.set((whole.cast(series.dtype) != series) | is_inexact, None)
    values = pack_ids(series.cast(pl.String))
    lengths = values.length
    return Column(values, (lengths == 0) | (lengths > LONGEST) | are_blank(values))


def are_blank(values: Ids) -> Bools:
    """Return which ids are only whitespace, which files with fields cannot contain."""
    may_be = np.flatnonzero(values.length > 0)
    may_be = may_be[np.frombuffer(values.buffer, np.uint8)[values.start[may_be]] <= BLANK]
    blank = np.zeros(len(values), bool)
    blank[may_be] = [is_blank(each) for each in values[may_be].texts()]
    return blank


def optional_ids(series: pl.Series) -> Column:
    """Read ids of which some may be missing; those become empty."""
    import polars as pl

    blank = series.str.replace(r"^\s+$", "") if series.dtype == pl.String else series
    name = ids(blank)
    missing = name.values.length == 0
    if series.dtype.is_float() or series.dtype.is_decimal():
        missing &= (blank.is_null() | blank.is_nan() if series.dtype.is_float() else blank.is_null()).to_numpy()
    return Column(name.values, name.bad & ~missing)


def pack_ids(texts: pl.Series) -> Ids:
    """Return the ids in a series of strings; a missing one is empty.

    Of many ids it makes no Python strings; for a few, that is faster than three expressions of polars.
    """
    if len(texts) < FEW:
        return Ids.of(text or "" for text in texts.to_list())
    joined = texts.str.join("").item() or ""
    texts = texts.fill_null("") if texts.null_count() else texts
    return Ids.from_bytes(joined.encode(), texts.str.len_bytes().to_numpy())


def decimals(series: pl.Series) -> Column:
    """Read finite numbers."""
    import polars as pl

    if series.dtype in (pl.String, pl.Categorical, pl.Enum):
        series = series.cast(pl.String)
        # Polars rounds as Python does, but accepts other spellings of infinity and rejects whitespace around a number.
        values = series.cast(pl.Float64, strict=False).to_numpy()
        if not np.isfinite(values).all():
            series = series.str.strip_chars(BLANKS)
            values = numbers(pack_ids(series))
    else:
        values = series.cast(pl.Float64).to_numpy()
    return Column(values, ~np.isfinite(values))


def wholes(series: pl.Series) -> Column:
    """Read whole numbers of at most 15 digits."""
    values = decimals(series).values
    return Column(values, ~is_whole(values))


def grade_numbers(series: pl.Series) -> Column:
    """Read grades: numbers of at most 15 digits before the point, or words for them."""
    values = decimals(series).values
    unread = np.flatnonzero(np.isnan(values))
    if len(unread) and any(isinstance(series[int(row)], str) for row in unread):
        values = values.copy()
        values[unread] = [grade_of_word(series[int(row)]) for row in unread]
    return Column(values, ~(np.abs(values) < WHOLE))


def span_grades(series: pl.Series) -> Column:
    """Read grades of spans: whole numbers or words. A span is highlighted or not, so half a grade counts as one."""
    whole = wholes(series)
    values, unread = whole.values, np.flatnonzero(whole.bad)
    if len(unread) and any(isinstance(series[int(row)], str) for row in unread):
        values = values.copy()
        words = np.ceil([grade_of_word(series[int(row)]) for row in unread])
        values[unread] = np.where(np.isnan(words), values[unread], words)
    return Column(values, ~is_whole(values))


def naturals(series: pl.Series) -> Column:
    """Read whole numbers from 0."""
    whole = wholes(series)
    return Column(whole.values, whole.bad | (whole.values < 0))


def optional(series: pl.Series) -> Column:
    """Read whole numbers from 0 of which some may be missing; those become -1."""
    import polars as pl

    natural = naturals(series)
    missing = natural.bad.copy()
    missing[natural.bad] = [is_no_number(value) for value in series.filter(pl.Series(natural.bad))]
    return Column(np.where(missing, -1, natural.values), natural.bad & ~missing)


def text_of_value(value: object) -> str | None:
    """Return a value as a string, for a column that has both strings and numbers: 7.0 becomes 7."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return None if is_missing(value) else str(value)


def cell_series(name: str, values: list[Any], are_ids: bool = False) -> pl.Series:
    """Return a polars column of values of any types; the ids 7, 7.0 and "7" become the same.

    If a value is neither text nor a number, or not an id in a column of ids, the column holds the values as they are.
    """
    import polars as pl

    if set(map(type, values)) <= KINDS and (column := uniform_series(name, values)) is not None:
        return column
    cells = list(map(plain_value, values))
    if any(is_refused(cell, are_ids) for cell in cells):
        return object_series(name, cells)
    column = uniform_series(name, cells)
    return pl.Series(name, list(map(text_of_value, cells)), pl.String) if column is None else column


def object_series(name: str, values: Iterable[Any]) -> pl.Series:
    """Return a column that keeps values as they are; each is in a tuple, because polars changes some objects."""
    import polars as pl

    return pl.Series(name, [(value,) for value in values], pl.Object)


def value_in(cell: Any) -> Any:
    """Return the value of a cell, also if it is from a column made by `object_series`."""
    return cell[0] if isinstance(cell, tuple) else cell


def uniform_series(name: str, values: list[Any]) -> pl.Series | None:
    """Return a polars column of values of one type; None if they have several, or if polars cannot hold one of them."""
    import polars as pl

    if len(set(map(type, values)) - {type(None)}) > 1:
        return None
    try:
        column = pl.Series(name, values, strict=False)
        # polars turns a number that is too large into a missing value
        is_whole = column.null_count() == values.count(None) and column.dtype != pl.Object
        return column if is_whole else None
    except (Exception, pl.exceptions.PanicException):
        # polars does not document which exceptions it raises here
        return None
