"""The order of rows by columns of whole numbers, found by counting instead of comparing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# numpy counts numbers of this many bits, and compares longer ones
COUNTED_BITS = 16
# How many bits of a key are not looked at, unless two keys have all others alike.
LAST_BITS = np.uint64(32)


def ascending(*columns: NDArray[Any]) -> NDArray[np.int64]:
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


def ascending_keys(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The rows by keys that are spread over all 64 bits; equal ones stay as they stand.

    The first half of the bits gives the order of nearly all rows; the few that it does not are ordered by themselves.
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
    """The row where each different number is first, by the numbers, and of each row which of them it has.

    Numbers of 64 bits without a sign are keys, spread over all bits. np.unique tells it too, but loads the module of
    masked arrays, which takes long.
    """
    order = ascending_keys(values) if values.dtype == np.uint64 else ascending(values)
    in_order = values[order]
    new = np.append(True, in_order[1:] != in_order[:-1])[: len(order)]
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(new) - 1
    return order[np.flatnonzero(new)], number


def has_repeated(keys: NDArray[np.uint64]) -> bool:
    """Whether two rows have the same key; keys are spread over all 64 bits.

    Each row leaves its number in a slot chosen by its key; rows that find another number there share the slot
    with that row, and the few that do are compared.
    """
    # small numbers, so that the slots of many rows are near to the processor
    numbers = np.uint16 if len(keys) < 1 << 16 else np.uint32
    slots = np.empty(1 << max(10, len(keys).bit_length() + 3), numbers)
    slot = (keys >> np.uint64(64 - (len(slots).bit_length() - 1))).view(np.int64)
    rows = np.arange(len(keys), dtype=numbers)
    slots[slot] = rows
    beaten = np.flatnonzero(slots.take(slot) != rows)
    if np.any(keys[beaten] == keys[slots[slot[beaten]]]):
        return True
    rest = np.sort(keys[beaten])
    return bool(np.any(rest[1:] == rest[:-1]))


def each_in_turn(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """As `numbered`, of keys that are spread over all 64 bits; they are numbered as they come.

    Each row leaves its number in a slot chosen by its key, the first row last. Rows that find there that of a row with
    another key, as some do, try again with other bits of their keys.
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
