"""Keys in groups, looked up against plain dicts."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from assay.ranking.pool import KeySet

# Keys are spread evenly, but a few may be alike in their first or in their last bits.
KEYS = st.integers(0, 2**64 - 1) | st.integers(0, 30) | st.integers(2**64 - 30, 2**64 - 1)
GROUPS = 5


def groups_of(keys):
    """The group of each key; the last one is not in the set."""
    return np.array([key % GROUPS for key in keys], np.int64)


@given(st.lists(KEYS, min_size=1, max_size=60, unique=True), st.lists(KEYS, max_size=60))
@example([2**64 - 1], [2**64 - 1, 0])
@example([0, 5, 10, 15, 20], [20, 15, 15, 4, 0, 6])
def test_keys_are_found_in_their_groups(held, wanted):
    held = [key for key in held if key % GROUPS < GROUPS - 1] or [0]
    in_set = KeySet(np.array(held, np.uint64), groups_of(held), GROUPS - 1)
    # the groups of the rows are told as places among some groups
    rows, places = in_set.find(np.array(wanted, np.uint64), np.arange(GROUPS)[::-1], GROUPS - 1 - groups_of(wanted))
    expected = {row: held.index(key) for row, key in enumerate(wanted) if key in held}
    assert dict(zip(rows.tolist(), places.tolist(), strict=True)) == expected
    assert not in_set.repeats


@given(st.lists(KEYS, min_size=1, max_size=60, unique=True), st.lists(KEYS, max_size=60))
def test_without_groups_all_keys_are_in_one(held, wanted):
    rows, places = KeySet(np.array(held, np.uint64)).find(np.array(wanted, np.uint64))
    expected = {row: held.index(key) for row, key in enumerate(wanted) if key in held}
    assert dict(zip(rows.tolist(), places.tolist(), strict=True)) == expected


@given(st.lists(KEYS, min_size=1, max_size=60))
@example([5, 10, 5])
def test_a_key_that_is_there_twice_is_noticed(keys):
    in_set = KeySet(np.array(keys, np.uint64), groups_of(keys), GROUPS)
    assert in_set.repeats == (len(set(keys)) < len(keys))
