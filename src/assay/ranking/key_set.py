"""Keys that are looked up among many."""

from __future__ import annotations

import numpy as np

from assay.tables.ids import Ints, Keys
from assay.tables.sorting import ascending

# So many marks there are for each key.
MARKS = 16
HALF = np.uint64(32)
# The one group that all keys are in, where none are told.
ONE_GROUP = np.zeros(1, np.int64)


class KeySet:
    """A set of keys in groups, as those of documents in topics; a key tells its group too. What is known of a group
    stands together, so that the keys of one group are found without a look far away.

    The keys are spread evenly. A group has as many slots as keys, and a key is in one of the few places of its slot.
    Most of those that are not in the set are turned away by a table of marks, which tells each part of a slot in which
    there is a key. `repeats` says that a key is in a group twice.
    """

    def __init__(self, keys: Keys, group: Ints | None = None, groups: int = 1):
        rows = np.array([len(keys)]) if group is None else np.bincount(group, minlength=groups)
        # behind all others is a group without keys
        self._marks_of = np.append(rows * MARKS, 0).astype(np.uint64)
        self._first_mark: Keys = np.append(np.uint64(0), np.cumsum(self._marks_of[:-1], dtype=np.uint64))
        mark = self._mark(keys, ONE_GROUP if group is None else np.arange(groups), group)
        slot = mark // MARKS
        self._order = ascending(slot)
        alike = np.bincount(slot, minlength=len(keys) + 1)
        self._begin, self._most = np.cumsum(alike) - alike, int(alike.max())
        in_order = keys[self._order]
        self.repeats = any(bool(np.any(in_order[step:] == in_order[:-step])) for step in range(1, self._most))
        self._keys = np.append(in_order, np.full(self._most, np.iinfo(np.uint64).max))
        self._marks = np.zeros(len(keys) * MARKS + 1, bool)
        self._marks[mark] = True

    def _mark(self, keys: Keys, groups: Ints, code: Ints | None) -> Ints:
        """The mark of each key; `code` tells which of some groups it is in, None that there is but one."""
        of_groups = self._marks_of.take(groups, mode="clip"), self._first_mark.take(groups, mode="clip")
        marks, first = of_groups if code is None else (column.take(code) for column in of_groups)
        mark = keys >> HALF
        mark *= marks
        mark >>= HALF
        mark += first
        return mark.view(np.int64)

    def find(self, keys: Keys, groups: Ints = ONE_GROUP, code: Ints | None = None) -> tuple[Ints, Ints]:
        """The rows of the keys that are in the set, and where in the set they are.

        `code` tells which of some groups each key is in; groups that the set has not have greater numbers.
        """
        mark = self._mark(keys, groups, code)
        rows = np.flatnonzero(self._marks.take(mark))
        wanted = keys.take(rows)
        near = self._begin.take(mark.take(rows) // MARKS)
        for _ in range(self._most - 1):
            near += self._keys.take(near) != wanted
        hit = (self._keys.take(near) == wanted) & (near < len(self._order))
        return rows[hit], self._order[near[hit]]
