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
    """Return whether two rows have the same 64-bit hash.

    Each row writes its number into a slot that its key chooses. A row that then finds another number there shares its
    slot with that row; only these few rows are compared.
    """
    # small integers, so that more slots fit into the processor's cache
    numbers = np.uint16 if len(keys) < 1 << 16 else np.uint32
    slots = np.empty(1 << max(10, len(keys).bit_length() + 2), numbers)
    slot = (keys >> np.uint64(64 - (len(slots).bit_length() - 1))).view(np.int64)
    rows = np.arange(len(keys), dtype=numbers)
    slots[slot] = rows
    beaten = np.flatnonzero(slots.take(slot) != rows)
    if np.any(keys[beaten] == keys[slots[slot[beaten]]]):
        return True
    rest = np.sort(keys[beaten])
    return bool(np.any(rest[1:] == rest[:-1]))


def each_in_turn(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return what `number_values` returns, for 64-bit hashes, but numbered in the order in which they first appear.

    Each row writes its number into a slot that its key chooses, the first row last. Rows that find the number of a row
    with another key try again with other bits of their keys.
    """
    bits = max(10, len(keys).bit_length())
    rows = np.arange(len(keys), dtype=np.int32)
    first, left = rows.copy(), rows
    for shift in range(64 - bits, -1, -bits):
        own = keys if len(left) == len(keys) else keys[left]
        slot = ((own >> np.uint64(shift)) & np.uint64((1 << bits) - 1)).view(np.int64)
        slots = np.empty(1 << bits, np.int32)
        slots[slot[::-1]] = left[::-1]
        there = slots[slot]
        first[left] = there
        left = left[keys[there] != own]
        if not len(left):
            break
    else:
        example, number = number_values(keys[left])
        first[left] = left[example[number]]
    new = first == rows
    return np.flatnonzero(new), (np.cumsum(new) - 1)[first]
