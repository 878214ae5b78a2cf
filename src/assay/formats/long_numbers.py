"""Whole numbers divided by powers of ten, all rows at once: what a decimal number is, if its point is passed over.

One that has up to 53 bits is a float, as are the powers up to 10 ** 22, and their quotient is rounded once. One of up
to 64 bits is taken as the sum of two floats. The quotient is computed in twice the precision of a float and then
rounded. Where its exact value lies so near to the middle between two floats that even that could round it to the wrong
one, the row is left to others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.tables.ids import Bools, Floats, Ints, Keys
from assay.tables.words import WORD

# Powers of ten that a float holds exactly.
POWERS: Floats = np.array([10.0**n for n in range(23)])
EIGHT_DIGITS = np.uint64(10**WORD)
# Up to this whole numbers are floats.
EXACT = np.uint64(1 << 53)
# Splits a float into two halves of its digits.
SPLITTER = float((1 << 27) + 1)
# How near to the middle between two floats a quotient may be, as a share of their distance.
NEAR = 2.0**-40


def divided(number: Keys, places: Ints) -> tuple[Floats, Bools]:
    """Whole numbers divided by ten so many times, which may be one number for all; and which of the quotients are sure
    to be rounded as they should be.
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
