"""Convert values of any package to Python's own strings and numbers, and tell which are missing or can be written."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from assay.tables.column_names import DENIALS

# No names of the user's own: of columns, by field, or of documents.
NO_NAMES: Mapping[str, str] = {}
PLAIN = (str, int, float, bool, type(None))
# The types of missing values in pandas, by name because pandas may not be installed.
MISSING = ("NaTType", "NAType")
# Whitespace that is stripped from the ends of a value in files with fields. Other whitespace may belong to an id.
BLANKS = " \t\n\r\v\f"
# No offset has more digits than LONGEST_NUMBER. Python refuses to write integers of more than 4300 digits.
LONGEST_NUMBER = 15
LARGEST = 10**4000
LONGEST_EXPONENT = 4000


def plain_value(value: object) -> Any:
    """Return a string or number as Python's own, also if it is numpy's or in an array without dimensions.

    A UUID or a path becomes a string, and a Decimal a number. A missing value of pandas becomes None; anything else is
    returned unchanged.
    """
    if type(value) in PLAIN:
        return value
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        value = value.item()
    if type(value).__name__ in MISSING:
        return None
    if isinstance(value, str):
        # also the value of an Enum that is a string
        return str.__str__(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value)
    if type(value).__name__ == "Decimal":
        return number_of_decimal(value)
    # by name, because most programs do not need to import uuid
    return str(value) if isinstance(value, os.PathLike) or type(value).__name__ == "UUID" else value


def number_of_decimal(value: Any) -> Any:
    """Return a Decimal as a number, or unchanged if it is a whole number with too many digits."""
    if value.is_nan():
        return math.nan
    if value.is_finite() and value == value.to_integral_value():
        return int(value) if value.adjusted() < LONGEST_EXPONENT else value
    return float(value)


def is_missing(value: Any) -> bool:
    """Return whether a plain value is missing: None, or NaN in a column of numbers."""
    return value is None or (isinstance(value, float) and value != value)


def is_blank(value: Any) -> bool:
    """Return whether a value is a string of whitespace only. It counts as missing, as it does in files with fields."""
    return isinstance(value, str) and not value.strip(BLANKS)


def is_there(value: Any) -> bool:
    """Return whether a value is neither None nor blank."""
    return value is not None and not is_blank(value)


def have_spaces(values: Iterable[Any]) -> bool:
    """Return whether values look like texts, not like ids: those that are not blank have a space or more on average."""
    texts = [value for value in values if isinstance(value, str) and not is_blank(value)]
    return bool(texts) and sum(letter.isspace() for text in texts for letter in text) >= len(texts)


def is_no_number(value: Any) -> bool:
    """Return whether a value is missing where a number is expected: None, NaN (also as files write it) or blank."""
    return is_missing(value) or (isinstance(value, str) and value.strip(BLANKS).lower() in ("", "nan"))


def is_writable(number: int) -> bool:
    """Return whether Python can write a whole number, which it refuses to do for thousands of digits."""
    return -LARGEST < number < LARGEST


def is_whole_text(text: str) -> bool:
    """Return whether a string has no lone surrogate, which no UTF-8 file can hold."""
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def whole(value: object) -> int | None:
    """Return a whole number, also from a string; None if the value is not one."""
    if type(value) is int:
        return value
    value = plain_value(value)
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        text = value.strip(BLANKS)
        digits = text.removeprefix("-")
        return int(text) if digits.isdecimal() and len(digits) <= LONGEST_NUMBER else None
    if not isinstance(value, Real):
        return None
    number = float(value)
    return int(value) if math.isfinite(number) and number.is_integer() else None  # type: ignore[call-overload]


def denies(label: object) -> bool:
    """Return whether the label of a span says that it is not relevant, for example `NOT_RELEVANT`."""
    return isinstance(label, str) and "".join(filter(str.isalnum, label.lower())) in DENIALS


def is_name(value: object) -> bool:
    """Return whether a value can be an id: a string that is not blank, or a whole number."""
    if isinstance(value, int):
        return not isinstance(value, bool) and is_writable(value)
    return isinstance(value, str) and not is_blank(value)


def id_of(value: object) -> str:
    """Return a value as an id, empty if it cannot be one; 7 and 7.0 are both 7, as in a column of numbers."""
    value = plain_value(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value) if is_name(value) else ""


def is_frame(given: Any) -> bool:
    """Return whether an object is a frame of pandas, polars or Arrow, or exports its columns as Arrow does."""
    package = type(given).__module__.partition(".")[0]
    # the named tuples that pandas makes of rows are no frames
    is_own = package in ("pandas", "polars", "pyarrow") and not isinstance(given, tuple)
    return is_own or hasattr(given, "__arrow_c_stream__")


def is_empty(results: Any) -> bool:
    """Return whether a topic has no results: an empty list or dict, or None."""
    return results is None or (isinstance(results, Mapping | list | tuple) and not results)
