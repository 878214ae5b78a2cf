"""Sort rows by columns of integers with a radix sort, which counts instead of comparing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# numpy radix-sorts integers of up to this many bits, and sorts longer ones by comparing
COUNTED_BITS = 16
# The low bits of a key, which are compared only if two keys have the same high bits.
LAST_BITS = np.uint64(32)


def ascending(*columns: NDArray[Any]) -> NDArray[np.int64]:
    """Return the order of the rows by columns of integers from 0 up; rows with equal values keep their order.

    The first column counts most. np.lexsort returns the same order but takes several times as long.
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


def ascending_keys(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the order of the rows by 64-bit hashes; equal ones keep their order.

    The high half of the bits gives the order of nearly all rows; the few others are then sorted separately.
    """
    order = ascending(keys >> LAST_BITS)
    in_order = keys[order]
    wrong = np.flatnonzero(in_order[1:] < in_order[:-1])
    if len(wrong):
        first_bits = in_order >> LAST_BITS
        for bits in set(first_bits[wrong].tolist()):
            begin, end = (np.searchsorted(first_bits, np.uint64(bits), side) for side in ("left", "right"))
            rows = order[begin:end]
            order[begin:end] = rows[np.argsort(keys[rows], kind="stable")]
    return order


def number_values(values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first row of each different number, sorted by number, and for each row the index of its number.

    Values of type uint64 must be 64-bit hashes. np.unique returns the same, but first loads numpy's masked arrays,
    which is slow.
    """
    order = ascending_keys(values) if values.dtype == np.uint64 else ascending(values)
    in_order = values[order]
    new = np.append(True, in_order[1:] != in_order[:-1])[: len(order)]
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(new) - 1
    return order[np.flatnonzero(new)], number


def has_repeated(keys: NDArray[np.uint64]) -> bool:
    """Return whether two rows have the same 64-bit hash."""
    in_order = np.sort(keys)
    return bool(np.any(in_order[1:] == in_order[:-1]))


def number_in_turn(values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return what `number_values` returns, but numbered in the order in which the values first appear."""
    first, number = number_values(values)
    order = np.argsort(first)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return first[order], place[number]
