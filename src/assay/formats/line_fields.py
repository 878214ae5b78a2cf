"""What the lines of a format are declared to have, and why a value is refused, in lines as in other formats."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.errors import quoted
from assay.formats.numbers import is_number
from assay.tables.ids import Bools, Floats

WHOLE = 10**15
# An id is hashed eight bytes at a time; so long a one is a file of another kind.
LONGEST = (1 << 16) - 1


class LineFields(NamedTuple):
    """The fields of a line, in order, and which of them are numbers; what follows the last one is left out.

    `naturals` are whole numbers that count something, and so are not negative; `grades` are whole if all of them are.
    `like_judgments`: lines of a run that begin as those of judgments do, so that one may be taken for the other.
    `complete`: nothing is known that could follow the last field, so that a line with more fields and a word for a
    number may have an id with blanks; and so may one with more fields of which that called `word` is a number, behind
    a whole number, as where an id is `Apollo 13`.
    """

    name: str
    fields: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    wholes: tuple[str, ...] = ()
    naturals: tuple[str, ...] = ()
    grades: tuple[str, ...] = ()
    like_judgments: bool = False
    complete: bool = False
    word: str = ""

    def misfit(self, values: list[str], wanted: tuple[str, ...]) -> str | None:
        """What is wrong with the fields of one line, if anything."""
        if stray := next((letter for field in values for letter in field if "\udc80" <= letter <= "\udcff"), None):
            return f"is not UTF-8 text, which has no byte {ord(stray) - 0xDC00:#x} here"
        if len(values) < len(self.fields):
            expected = f"expected {len(self.fields)} fields ({' '.join(self.fields)})"
            return f"{expected}, found {len(values)}: {quoted(' '.join(values))}"
        more = self.complete and len(values) > len(self.fields)
        # where an id has blanks, a part of it stands in the place of a number, which need not be one that is asked for
        asked = {*wanted, *self.wholes} if more else wanted
        named = zip(self.fields, values, strict=False)
        wrong = next((text for name, value in named if name in asked and (text := self.wrong_value(name, value))), None)
        if more and not wrong and self.is_shifted(values):
            wrong = f"{self.word} {quoted(values[self.fields.index(self.word)])} is a number"
        number = f"the line has {len(values)} fields, and {len(self.fields)} are expected"
        return f"{wrong}; {number}: perhaps an id has blanks" if wrong and more else wrong

    def is_shifted(self, values: list[str]) -> bool:
        """Whether a number stands in the place of the word, and a whole one before it."""
        if not self.word:
            return False
        at = self.fields.index(self.word)
        return is_number(values[at]) and not wrong_whole(values[at - 1])

    def wrong_value(self, field: str, value: str) -> str | None:
        """What is wrong with the value of a field, if anything."""
        for fields, why in (
            (self.numbers, wrong_number),
            (self.wholes, wrong_whole),
            (self.naturals, wrong_natural),
            (self.grades, refused_grade),
        ):
            if field in fields:
                wrong = why(value)
                return f"{field} {quoted(value)} is {wrong}" if wrong else None
        return refused_id(field, len(value.encode()))


def wrong_number(value: str) -> str | None:
    """Why a text is no finite number, if it is none."""
    if is_number(value):
        return None if np.isfinite(float(value)) else "too large for a number"
    return "not a finite number" if value.lower().lstrip("+-") in ("nan", "inf", "infinity") else "not a number"


def wrong_whole(value: str) -> str | None:
    """Why a text is no whole number, also written as 2.0, of at most 15 digits, if it is none."""
    if is_number(value) and abs(float(value)) >= WHOLE:
        return "too large; expected at most 15 digits"
    return None if is_number(value) and float(value).is_integer() else "not a whole number"


def refused_grade(value: str) -> str | None:
    """Why a text is no number of at most 15 digits before the point, if it is none."""
    if is_number(value) and abs(float(value)) >= WHOLE:
        return "too large; expected at most 15 digits"
    return wrong_number(value)


def wrong_natural(value: str) -> str | None:
    """Why a text is no whole number from 0, if it is none."""
    return wrong_whole(value) or ("negative" if float(value) < 0 else None)


def refused_id(field: str, length: int) -> str | None:
    """Why an id is refused, if it is."""
    return f"{field} has {length:,} bytes; expected an id of at most {LONGEST:,}" if length > LONGEST else None


def is_whole(values: Floats) -> Bools:
    """Which numbers are whole and have at most 15 digits."""
    return (np.abs(values) < WHOLE) & (np.rint(values) == values)
