"""Numbers of many digits are those that Python reads, to the last bit."""

import random

import numpy as np
import pytest

from assay.reading.numbers import numbers
from assay.tables.ids import Ids
from helpers.samples import sample

RANDOM = random.Random(7)
NUMBER = sample(8_000, 1_000_000)


def halfway():
    """A number in the middle between two floats."""
    odd, places = 2 * RANDOM.randrange(1 << 52, 1 << 53) + 1, RANDOM.randrange(0, 4)
    digits = str(odd * 5**places)
    return digits if not places else f"{digits[:-places]}.{digits[-places:]}"


KINDS = {
    "floats": lambda: repr(RANDOM.random()),
    "large and small floats": lambda: repr(RANDOM.random() * 10 ** RANDOM.randrange(-4, 16)),
    "decimals of one length": lambda: f"{RANDOM.uniform(-1e4, 1e4):.6f}",
    "whole numbers with a point": lambda: f"{RANDOM.randrange(10**9)}.",
    "negative floats": lambda: repr(-RANDOM.random() * 100),
    "whole numbers": lambda: str(RANDOM.randrange(1 << 53, 1 << 65)),
    "nineteen digits": lambda: f"{RANDOM.randrange(10**9)}.{RANDOM.randrange(10**10)}",
    "many digits": lambda: f"{RANDOM.randrange(10**8)}.{RANDOM.randrange(10**16)}",
    "many zeros": lambda: f"0.{'0' * RANDOM.randrange(9)}{RANDOM.randrange(10**15, 10**17)}",
    "halfway": halfway,
    "beside halfway": lambda: halfway().replace(".", "", 1) + "." + RANDOM.choice(["1", "00001", "9"]),
    "beside powers of two": lambda: repr(float(np.nextafter(2.0 ** RANDOM.randrange(-9, 60), RANDOM.choice([0, 1e30])))),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_long_numbers_are_those_of_python(kind):
    texts = [kind() for _ in range(NUMBER)]
    read, expected = numbers(Ids.of(texts)), np.array(list(map(float, texts)))
    wrong = np.flatnonzero(read.view(np.int64) != expected.view(np.int64))
    assert [texts[row] for row in wrong[:5]] == []
