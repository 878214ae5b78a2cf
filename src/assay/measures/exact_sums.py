"""Sums that do not depend on the order of what is added: one machine and many get the same bits."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from assay.tables.ids import Floats


def exact_sum(values: Floats | Iterable[float]) -> float:
    """The sum of all values, rounded once; infinite where it is too large for a number."""
    numbers = values.tolist() if isinstance(values, np.ndarray) else list(values)
    try:
        return math.fsum(numbers)
    except (OverflowError, ValueError):
        # beyond the largest number there is, or infinities of both signs
        with np.errstate(all="ignore"):
            return float(np.sum(numbers))


def sum_in_parts(values: Floats | Iterable[float]) -> list[float]:
    """A few numbers whose sum is exactly that of all values: the rounded sum, what is left of it rounded, and so on.

    The parts of several sums, taken together, are again numbers with the exact sum of all of them.
    """
    numbers = values.tolist() if isinstance(values, np.ndarray) else list(values)
    parts: list[float] = []
    while part := exact_sum([*numbers, *(-part for part in parts)]):
        parts.append(part)
        if not math.isfinite(part):
            return [part]
    return parts
