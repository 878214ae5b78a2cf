"""Numbers out of bytes, all rows at once: a decimal of up to 15 digits is a whole number divided by a power of ten,
both exact, and so is rounded once, as by any careful reader. Longer ones are in long_numbers.py, and others are read
one by one.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from assay.formats.long_numbers import divided, joined_words
from assay.tables.ids import WORD, Bools, Floats, Ids, Ints, Keys, words

EXACT = 1 << 53
POWERS = 10.0 ** np.arange(23)
_LAST_BYTES = np.array([((1 << 64) - 1) << (8 * (WORD - n)) & ((1 << 64) - 1) for n in range(WORD + 1)], np.uint64)
POINT, MINUS, PLUS, ZERO = b".-+0"


def is_number(text: str) -> bool:
    """Whether a text is a decimal number, perhaps with an exponent."""
    return re.fullmatch(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?", text) is not None


def numbers(column: Ids) -> Floats:
    """The numbers a column holds; NaN where it holds something else."""
    if not len(column):
        return np.zeros(0)
    characters = np.frombuffer(column.buffer, np.uint8)
    if column.length.min() == column.length.max() == 1:
        # grades are mostly of one digit
        digit = characters[column.start] - np.uint8(ZERO)
        return np.where(digit < 10, digit, np.nan)
    is_long = column.length > 2 * WORD
    if not is_long.any():
        return short_numbers(column)
    value = np.empty(len(column))
    value[is_long] = odd_numbers(column[is_long])
    value[~is_long] = short_numbers(column[~is_long])
    return value


def short_numbers(column: Ids) -> Floats:
    """The numbers of a column whose values have up to 16 characters."""
    if not len(column):
        return np.zeros(0)
    characters = np.frombuffer(column.buffer, np.uint8)
    sign = characters[column.start]
    signed = (sign == MINUS) | (sign == PLUS)
    start, end = column.start + signed, column.end
    fraction, point = fraction_digits(characters, start, end)
    before = end - fraction - point
    whole, whole_ok = whole_digits(column.buffer, before, before - start)
    part, part_ok = whole_digits(column.buffer, end, fraction)
    value = whole * POWERS[fraction] + part
    good = whole_ok & part_ok & (end - start > point) & (value < EXACT)
    value /= POWERS[fraction]
    if signed.any():
        value = np.where(sign == MINUS, -value, value)
    if not good.all():
        odd = np.flatnonzero(~good)
        value[odd] = odd_numbers(column[odd])
    return value


def odd_numbers(column: Ids) -> Floats:
    """The numbers of a column that have many digits, or an exponent; NaN where it holds something else."""
    characters = np.frombuffer(column.buffer, np.uint8)
    sign = characters[column.start]
    start, end = column.start + ((sign == MINUS) | (sign == PLUS)), column.end
    fraction, point = fraction_digits(characters, start, end, 3 * WORD)
    whole, whole_ok = long_digits(column.buffer, start, end - fraction - point)
    part, part_ok = long_digits(column.buffer, end - fraction, end)
    value, good = divided(whole, part, fraction)
    value = np.where(sign == MINUS, -value, value)
    good &= whole_ok & part_ok & (end - start > point)
    rest = np.flatnonzero(~good)
    value[rest] = [float(text) if is_number(text) else np.nan for text in column[rest].texts()]
    return value


def long_digits(buffer: bytes, start: Ints, end: Ints) -> tuple[Keys, Bools]:
    """The whole numbers written from `start` to `end`, and which rows are digits only and fit into 64 bits."""
    length = end - start
    good = length >= 0
    longest = length.max(initial=0)
    parts: list[Any] = []
    for number in range(3):
        if longest <= number * WORD:
            parts.append(np.uint64(0))
            continue
        # what stands before the buffer is of no length
        place = np.maximum(end - number * WORD, WORD)
        value, digits_only = eight_digits(buffer, place, np.clip(length - number * WORD, 0, WORD))
        parts.append(value)
        good = good & digits_only
    return joined_words(parts, good, length)


def fraction_digits(characters: Any, start: Ints, end: Ints, most: int = 2 * WORD) -> tuple[Ints, Bools]:
    """How many characters follow the decimal point of each row, at most so many, and whether it has one; one number for
    all rows where they are alike.
    """
    longest = min(int((end - start).max(initial=0)), most + 1)
    first = bytes(characters[start[0] : end[0]])
    usual = len(first) - 1 - first.rfind(b".")
    if usual < longest and np.all((characters[end - 1 - usual] == POINT) & (start < end - usual)):
        return np.array(usual), np.array(True)
    fraction, point = np.zeros(len(start), np.int64), np.zeros(len(start), bool)
    rows, low, high = np.arange(len(start)), start, end
    # most rows have about as many as the first one
    for after in sorted(range(longest), key=lambda after: abs(after - usual)):
        here = (characters[np.maximum(high - 1 - after, 0)] == POINT) & (low < high - after)
        fraction[rows[here]] = after
        point[rows[here]] = True
        rows, low, high = rows[~here], low[~here], high[~here]
        if not len(rows):
            break
    return fraction, point


def whole_digits(buffer: bytes, end: Ints, length: Ints) -> tuple[Floats, Bools]:
    """The whole numbers that the last `length` bytes before `end` write, and which rows are digits only and no more
    than 16 of them.
    """
    digit, good = eight_digits(buffer, end, np.clip(length, 0, WORD))
    low = digit.astype(np.float64)
    if length.max(initial=0) > WORD:
        high, also_good = eight_digits(buffer, end - WORD, np.clip(length - WORD, 0, WORD))
        low, good = low + high.astype(np.float64) * 1e8, good & also_good
    return low, good & (length <= 2 * WORD)


def eight_digits(buffer: bytes, end: Ints, length: Ints) -> tuple[Keys, Bools]:
    """The number that the last `length` bytes before `end` write, at most eight, and whether they are digits."""
    kept = _LAST_BYTES[length]
    digit = (words(buffer)[end - WORD] & kept) ^ (np.uint64(0x3030303030303030) & kept)
    # a byte above 9 reaches its highest bit when 0x76 is added, if it has not reached it before
    beyond = (digit | (digit + np.uint64(0x7676767676767676))) & np.uint64(0x8080808080808080)
    return tens_and_ones(digit), beyond == 0


def tens_and_ones(word: Keys) -> Keys:
    """Eight digits, one a byte, the first in the lowest: tens and ones
    are joined, then hundreds, then ten thousands.
    """
    for factor, shift, mask in (
        (10 * 256 + 1, 8, 0x00FF00FF00FF00FF),
        (100 * 65536 + 1, 16, 0x0000FFFF0000FFFF),
        (10000 * 4294967296 + 1, 32, 0x00000000FFFFFFFF),
    ):
        word = (word * np.uint64(factor) >> np.uint64(shift)) & np.uint64(mask)
    return word
