"""Values as Python's own texts and numbers, whatever package they come from; and what of them can be written."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

PLAIN = (str, int, float, bool, type(None))
# What pandas calls its values that are missing; pandas need not be installed.
MISSING = ("NaTType", "NAType")
# Blanks at the ends of a value do not count in a file with fields; other white space may belong to an id.
BLANKS = " \t\n\r\v\f"
# More digits no offset has, and more Python does not like to write.
LONGEST_NUMBER = 15
LARGEST = 10**4000
LONGEST_EXPONENT = 4000


def plain_value(value: object) -> Any:
    """A text or a number as Python's own, also if it is numpy's, or an array without dimensions holds it.

    A UUID or a path is its text, and a Decimal a number. What pandas has for a missing value is None; anything else is
    as it was given.
    """
    if type(value) in PLAIN:
        return value
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        value = value.item()
    if type(value).__name__ in MISSING:
        return None
    if isinstance(value, str):
        # of an Enum that is a text, too
        return str.__str__(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value)
    if type(value).__name__ == "Decimal":
        return number_of_decimal(value)
    # by its name, as most programs need no UUIDs
    return str(value) if isinstance(value, os.PathLike) or type(value).__name__ == "UUID" else value


def number_of_decimal(value: Any) -> Any:
    """A Decimal, as databases have them, as a number; as it is where that has too many digits."""
    if value.is_nan():
        return math.nan
    if value.is_finite() and value == value.to_integral_value():
        return int(value) if value.adjusted() < LONGEST_EXPONENT else value
    return float(value)


def is_missing(value: Any) -> bool:
    """Whether a plain value is none: None, or NaN, which stands for one in numbers."""
    return value is None or (isinstance(value, float) and value != value)


def is_blank(value: Any) -> bool:
    """Whether a value is a text of blanks alone, which is as good as none: files with fields cannot give it."""
    return isinstance(value, str) and not value.strip(BLANKS)


def is_writable(number: int) -> bool:
    """Whether Python writes a whole number, which it does not where that has thousands of digits."""
    return -LARGEST < number < LARGEST


def is_whole_text(text: str) -> bool:
    """Whether a text has no half of a character, which no file can hold."""
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def whole(value: object) -> int | None:
    """A whole number, also if it is written as a text; None if it is none."""
    if type(value) is int:
        return value
    value = plain_value(value)
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        digits = value.strip().removeprefix("-")
        return int(value) if digits.isdecimal() and len(digits) <= LONGEST_NUMBER else None
    if not isinstance(value, Real):
        return None
    number = float(value)
    return int(value) if math.isfinite(number) and number.is_integer() else None  # type: ignore[call-overload]


def is_name(value: object) -> bool:
    """Whether a value can be an id."""
    if isinstance(value, int):
        return not isinstance(value, bool) and is_writable(value)
    return isinstance(value, str) and not is_blank(value)


def is_frame(given: Any) -> bool:
    """Whether an object is a frame of pandas, polars or Arrow, or has the columns of one."""
    package = type(given).__module__.partition(".")[0]
    return package in ("pandas", "polars", "pyarrow") or hasattr(given, "__arrow_c_stream__")


def is_empty(results: Any) -> bool:
    """Whether a topic has no results."""
    return isinstance(results, Mapping | list | tuple) and not results
