"""The order of rows by columns of whole numbers, found by counting instead of comparing."""

from __future__ import annotations

import numpy as np

from assay.tables.ids import Ints, Keys

# numpy counts numbers of so many bits, and compares longer ones
COUNTED_BITS = 16


def ascending(*columns: Ints | Keys) -> Ints:
    """The rows by columns of numbers from 0 on, of which the first counts most; equal rows stay as they stand.

    np.lexsort gives the same order, and takes several times as long.
    """
    order = None
    for column in reversed(columns):
        for shift in range(0, max(int(column.max(initial=0)).bit_length(), 1), COUNTED_BITS):
            digits = (column >> column.dtype.type(shift)).astype(np.uint16)
            if order is None:
                order = np.argsort(digits, kind="stable")
            else:
                order = order[np.argsort(digits[order], kind="stable")]
    assert order is not None
    return order
