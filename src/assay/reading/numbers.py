"""Parse numbers from bytes, all rows at once.

A decimal of up to 15 digits is a whole number divided by a power of ten. Both are exact floats, so the quotient is
rounded once, as `float` does. `divide_by_tens` also divides longer numbers; all others are parsed one by one.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from assay.tables.ids import WORD, Bools, Bytes, Floats, Ids, Ints, Keys

# Divide whole numbers by powers of ten, all rows at once: a decimal number is such a quotient if its point is left out.
# A whole number of up to 53 bits is an exact float, and so are the powers up to 10 ** 22, so their quotient is rounded
# once. A number of up to 64 bits is split into the sum of two floats, and the quotient is computed in twice the
# precision of a float and then rounded. If the exact value is so close to the middle between two floats that even this
# could round it the wrong way, the row is parsed by `float` instead.

# Powers of ten that a float holds exactly.
POWERS: Floats = np.array([10.0**n for n in range(23)])
EIGHT_DIGITS = np.uint64(10**WORD)
# Up to this, every whole number is an exact float.
EXACT = np.uint64(1 << 53)
# Splits a float into two of half as many bits (Veltkamp).
SPLITTER = float((1 << 27) + 1)
# How close to the middle between two floats a quotient counts as unsure, as a share of their distance.
NEAR = 2.0**-40


def divide_by_tens(number: Keys, places: Ints) -> tuple[Floats, Bools]:
    """Divide whole numbers by ten `places` times; also return which quotients are surely rounded correctly.

    `places` may be one number for all rows.
    """
    power = POWERS.take(places, mode="clip")
    value, sure = number / power, np.broadcast_to(places < len(POWERS), number.shape)
    long = np.flatnonzero(number > EXACT)
    if len(long):
        sure = sure.copy()
        value[long], near = rounded_quotient(number[long], np.broadcast_to(power, number.shape)[long])
        sure[long] &= ~near
    return value, sure


def rounded_quotient(number: Keys, power: Floats) -> tuple[Floats, Bools]:
    """Divide whole numbers by powers of ten; also return which quotients are close to the middle between two floats."""
    high = number.astype(np.float64)
    # if high was rounded up, the rest is negative
    rest = (number - high.astype(np.uint64)).view(np.int64).astype(np.float64)
    first = high / power
    product, error = exact_product(first, power)
    second = (((high - product) - error) + rest) / power
    value = first + second
    left = np.abs(second - (value - first))
    gap = np.spacing(value)
    near: Any = (np.abs(left - gap / 2) < gap * NEAR) | (np.abs(left - gap / 4) < gap * NEAR)
    return value, near


def exact_product(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Return the product of floats, and its rounding error."""
    product = first * second
    (high, low), (other_high, other_low) = halves(first), halves(second)
    error = ((high * other_high - product) + high * other_low + low * other_high) + low * other_low
    return product, error


def halves(number: Floats) -> tuple[Floats, Floats]:
    """Return two floats of half as many bits that add up to a float."""
    scaled = SPLITTER * number
    high = scaled - (scaled - number)
    return high, number - high


# The most words of eight digits that a number may have, and a bound on the third word so that all fit into 64 bits.
MOST_WORDS = 3
GREATEST_THIRD = np.uint64(1800)
_LAST_BYTES = np.array([((1 << 64) - 1) << (8 * (WORD - n)) & ((1 << 64) - 1) for n in range(WORD + 1)], np.uint64)
# How many rows are parsed at once: what is computed for them takes little memory.
ROWS = 1 << 15
POINT, MINUS, PLUS, ZERO = b".-+0"
ZEROS = np.uint64(0x3030303030303030)


def is_number(text: str) -> bool:
    """Return whether a string is a decimal number, maybe with an exponent."""
    return re.fullmatch(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?", text) is not None


def numbers(column: Ids) -> Floats:
    """Return the numbers in a column; NaN for anything that is not a number."""
    if not len(column):
        return np.zeros(0)
    characters = np.frombuffer(column.buffer, np.uint8)
    if column.longest == 1 == column.length.min():
        # grades mostly have one digit
        digit = characters.take(column.start) - np.uint8(ZERO)
        return np.where(digit < 10, digit, np.nan)
    pieces = [column[row : row + ROWS] for row in range(0, len(column), ROWS)]
    return np.concatenate([parsed_numbers(piece) for piece in pieces])


def parsed_numbers(column: Ids) -> Floats:
    """Return the numbers in a column of few rows."""
    characters = np.frombuffer(column.buffer, np.uint8)
    start, end = column.start, column.end
    first = characters.take(start)
    # signs come before the digits; most columns have none
    has_signs = np.any(first < ZERO)
    if has_signs:
        start = start + ((first == MINUS) | (first == PLUS))
    fraction, point = fraction_digits(characters, start, end)
    digits = end - start - point
    whole, is_whole = digits_only(column.buffer, end, digits, np.where(point, fraction, MOST_WORDS * WORD))
    value, is_sure = divide_by_tens(whole, fraction)
    if has_signs:
        value = np.where(first == MINUS, -value, value)
    good = is_whole & is_sure & (digits > 0)
    if not good.all():
        odd = np.flatnonzero(~good)
        # a field may be cut within a character, so decode as Latin-1; a number has only ASCII characters anyway
        spans = zip(column.start[odd].tolist(), column.end[odd].tolist(), strict=True)
        texts = (column.buffer[begin:end].decode("latin-1") for begin, end in spans)
        value[odd] = [float(text) if is_number(text) else np.nan for text in texts]
    return value


def fraction_digits(characters: Bytes, start: Ints, end: Ints) -> tuple[Ints, Bools]:
    """Return how many characters follow the decimal point of each row, and whether the row has a point.

    If all rows are alike, both are single values. A point with very many characters before it is not found.
    """
    first = bytes(characters[start[0] : end[0]])
    usual, before = len(first) - 1 - first.rfind(b"."), max(first.find(b"."), 0)
    if usual < len(first) and np.all((characters.take(end - 1 - usual) == POINT) & (start < end - usual)):
        return np.array(usual), np.array(True)
    fraction, point = np.zeros(len(start), np.int64), np.zeros(len(start), bool)
    rows, low, high = np.arange(len(start)), start, end
    longest = min(int((end - start).max(initial=0)), MOST_WORDS * WORD + 1)
    # most rows have about as many characters before the point as the first row
    for leading in sorted(range(longest), key=lambda leading: abs(leading - before)):
        here = (characters[np.minimum(low + leading, len(characters) - 1)] == POINT) & (low + leading < high)
        fraction[rows[here]] = (high - low)[here] - leading - 1
        point[rows[here]] = True
        rows, low, high = rows[~here], low[~here], high[~here]
        if not len(rows):
            break
    return fraction, point


def digits_only(buffer: bytes, end: Ints, digits: Ints, fraction: Ints) -> tuple[Keys, Bools]:
    """Return the whole numbers that the `digits` digits before `end` write, without the point, and which are valid.

    The point is before the last `fraction` digits. A row is valid if it has only digits and fits into 64 bits.
    """
    count = min(-(-int(digits.max()) // WORD), MOST_WORDS)
    # numpy reads the words that start at every eighth byte six times as fast as unaligned ones
    aligned = np.frombuffer(buffer, "<u8", len(buffer) // WORD)
    # the last nine bytes, one of which may be the point, and how many bits of their aligned word come before them
    place = end - WORD - 1
    number, bits = place >> 3, ((place & (WORD - 1)) << 3).view(np.uint64)
    high = aligned[1:].take(number, mode="wrap")
    value, beyond = np.zeros((2, len(end)), np.uint64)
    for at in range(count):
        # bytes from before the buffer are masked out, because they belong to no digits
        low = aligned.take(number, mode="wrap")
        word = without_point(low, high, bits, fraction - at * WORD)
        word ^= ZEROS
        word &= _LAST_BYTES.take(digits, mode="clip")
        # a byte above 9 gets its highest bit set when 0x76 is added, unless it is set already
        beyond |= word
        beyond |= word + np.uint64(0x7676767676767676)
        word = tens_and_ones(word)
        value += word * EIGHT_DIGITS**at if at else word
        number, digits, high = number - 1, digits - WORD, low
    beyond &= np.uint64(0x8080808080808080)
    good = beyond == 0
    if count == MOST_WORDS:
        good &= (digits <= 0) & (word < GREATEST_THIRD)
    return value, good


def shifted_words(low: Keys, high: Keys, bits: Keys) -> Keys:
    """Return the words that begin some bits after the start of `low`; `high` are the words that follow `low`."""
    word: Keys = low >> bits
    word |= high << (np.uint64(64) - bits)
    return word


def without_point(low: Keys, high: Keys, bits: Keys, fraction: Ints) -> Keys:
    """Return the last eight of nine bytes without the decimal point among them.

    The nine bytes begin `bits` after the start of `low`, and `high` is the next word. The point has `fraction` bytes
    after it; the bytes before it move one position to the right.
    """
    if fraction.ndim == 0 and fraction <= 0:
        return shifted_words(low, high, bits)
    behind = shifted_words(low, high, bits + np.uint64(8))
    if fraction.ndim == 0 and fraction >= WORD:
        return behind
    kept = _LAST_BYTES.take(fraction, mode="clip")
    before = shifted_words(low, high, bits)
    behind &= kept
    before &= ~kept
    behind |= before
    return behind


def tens_and_ones(word: Keys) -> Keys:
    """Return the number that eight digits make, one per byte, the first in the lowest byte.

    Tens and ones are joined first, then hundreds, then ten thousands.
    """
    for factor, shift, mask in (
        (10 * 256 + 1, 8, 0x00FF00FF00FF00FF),
        (100 * 65536 + 1, 16, 0x0000FFFF0000FFFF),
        (10000 * 4294967296 + 1, 32, 0x00000000FFFFFFFF),
    ):
        word = word * np.uint64(factor)
        word >>= np.uint64(shift)
        word &= np.uint64(mask)
    return word
