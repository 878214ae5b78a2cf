"""Keys that are looked up among many."""

from __future__ import annotations

import numpy as np

from assay.tables.ids import Ints, Keys
from assay.tables.sorting import ascending_keys


class KeySet:
    """A set of keys. Most of those that are not in it are turned away by a table of marks before anything is searched.

    The keys are spread evenly, so one that is in the set is among the few whose first bits it has. `repeats` says that
    a key is in it twice.
    """

    def __init__(self, pairs: Keys):
        self._order = ascending_keys(pairs)
        self._pairs = np.append(pairs[self._order], np.iinfo(np.uint64).max)
        in_order = self._pairs[:-1]
        self.repeats = bool(np.any(in_order[1:] == in_order[:-1]))
        bits = len(pairs).bit_length()
        self._first_bits, self._mark_bits = (np.uint64(64 - count) for count in (bits, max(16, min(24, bits + 4))))
        alike = np.bincount(self._bits(in_order, self._first_bits), minlength=1 << bits)
        self._begin = np.cumsum(alike) - alike
        self._marks = np.zeros(1 << (64 - int(self._mark_bits)), bool)
        self._marks[self._bits(in_order, self._mark_bits)] = True

    def _bits(self, pairs: Keys, shift: np.uint64) -> Ints:
        return (pairs >> shift).view(np.int64)

    def find(self, pairs: Keys) -> tuple[Ints, Ints]:
        """The rows of the pairs that are in the set, and where in the set they are."""
        rows = np.flatnonzero(self._marks[self._bits(pairs, self._mark_bits)])
        wanted = pairs[rows]
        near = self._begin[self._bits(wanted, self._first_bits)]
        before = np.flatnonzero(self._pairs[near] < wanted)
        while len(before):
            near[before] += 1
            before = before[self._pairs[near[before]] < wanted[before]]
        hit = (self._pairs[near] == wanted) & (near < len(self._order))
        return rows[hit], self._order[near[hit]]
