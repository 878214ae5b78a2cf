"""Decimal numbers of 16 to 19 digits, all rows at once: such a number is a whole number W divided by a power of ten.

W fits into 64 bits but not into a float, and so is taken as the sum of two floats. The quotient is computed in twice
the precision of a float and then rounded. Where its exact value lies so near to the middle between two floats that even
that could round it to the wrong one, the row is left to others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.tables.ids import WORD, Bools, Floats, Ints, Keys

# Powers of ten that a float holds exactly, and those that 64 bits hold.
EXACT_POWERS: Floats = np.array([10.0**n for n in range(23)])
WHOLE_POWERS = np.array([10**n for n in range(20)], np.uint64)
EIGHT_DIGITS = WHOLE_POWERS[WORD]
# Splits a float into two halves of its digits.
SPLITTER = float((1 << 27) + 1)
# W must stay below 2 ** 64.
LARGEST = 1.8e19
HIGHEST_WORD = np.uint64(1800)
# How near to the middle between two floats a quotient may be, as a share of their distance.
NEAR = 2.0**-40


def joined_words(words: list[Keys], good: Bools, length: Ints) -> tuple[Keys, Bools]:
    """The number that three words of eight digits write, the last ones first, and where it fits into 64 bits."""
    low, middle, high = words
    fits = good & (length <= 3 * WORD) & (high < HIGHEST_WORD)
    high = np.where(fits, high, np.uint64(0))
    return low + (middle + high * EIGHT_DIGITS) * EIGHT_DIGITS, fits


def divided(whole: Keys, part: Keys, fraction: Ints) -> tuple[Floats, Bools]:
    """The numbers of which `whole` stands before the decimal point and `part`, of `fraction` digits, behind it; and
    which of them are sure to be rounded as they should be.
    """
    sure = (fraction < len(EXACT_POWERS)) & ((fraction < len(WHOLE_POWERS)) | (whole == 0))
    power = EXACT_POWERS[np.minimum(fraction, len(EXACT_POWERS) - 1)]
    sure &= whole.astype(np.float64) * power + part.astype(np.float64) < LARGEST
    nothing = np.uint64(0)
    scaled = np.where(sure, whole, nothing) * WHOLE_POWERS[np.minimum(fraction, len(WHOLE_POWERS) - 1)]
    value, near = rounded_quotient(scaled + np.where(sure, part, nothing), power)
    return value, sure & ~near


def rounded_quotient(number: Keys, power: Floats) -> tuple[Floats, Bools]:
    """Whole numbers divided by powers of ten, and which of the quotients lie near to the middle between two floats."""
    high = number.astype(np.float64)
    # high may be rounded up, and then the rest is negative
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
    """The product of floats, and what was lost by rounding it."""
    product = first * second
    (high, low), (other_high, other_low) = halves(first), halves(second)
    error = ((high * other_high - product) + high * other_low + low * other_high) + low * other_low
    return product, error


def halves(number: Floats) -> tuple[Floats, Floats]:
    """Two floats of half as many digits that add up to a float."""
    scaled = SPLITTER * number
    high = scaled - (scaled - number)
    return high, number - high
