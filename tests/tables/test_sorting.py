"""Orders that are found by counting are those that comparing gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tables.sorting import ascending, ascending_keys, has_repeated, number_in_turn, number_values

few = st.integers(0, 3)
many = st.integers(0, 2**62)
rows = st.lists(st.tuples(few, many | few), max_size=30)


@given(rows)
def test_rows_stand_by_the_first_column_then_by_the_next_and_else_as_before(table):
    first, second = (np.array([row[column] for row in table], np.int64) for column in range(2))
    expected = sorted(range(len(table)), key=lambda row: table[row])
    assert ascending(first, second).tolist() == expected


@given(st.lists(st.integers(0, 2**64 - 1) | few, max_size=30))
def test_numbers_of_64_bits_are_grouped_by_value(values):
    first, number = number_values(np.array(values, np.uint64))
    different = sorted(set(values))
    assert first.tolist() == [values.index(value) for value in different]
    assert number.tolist() == [different.index(value) for value in values]


@given(st.lists(st.tuples(few, few | st.integers(0, 2**32 - 1)), max_size=30))
def test_keys_with_the_same_first_half_are_ordered_by_the_other_and_equal_ones_stay(halves):
    keys = [(first << 32) + second for first, second in halves]
    assert ascending_keys(np.array(keys, np.uint64)).tolist() == sorted(range(len(keys)), key=keys.__getitem__)


@pytest.mark.parametrize("rows", [0, 1, 2, 5_000])
def test_a_repeated_key_is_seen_wherever_it_stands(rows):
    keys = np.random.default_rng(rows).integers(0, 2**64 - 1, rows, dtype=np.uint64)
    assert not has_repeated(keys)
    for row in {0, rows // 2, rows - 1} if rows else set():
        assert has_repeated(np.append(keys, keys[row]))


@given(st.lists(st.integers(0, 2**64 - 1) | few, max_size=30))
def test_keys_are_numbered_as_they_come(values):
    first, number = number_in_turn(np.array(values, np.uint64))
    different = list(dict.fromkeys(values))
    assert first.tolist() == [values.index(value) for value in different]
    assert number.tolist() == [different.index(value) for value in values]


def test_many_keys_are_numbered_as_they_come():
    keys = np.random.default_rng(1).integers(0, 2**64 - 1, 3_000, dtype=np.uint64)[np.arange(9_000) % 3_000]
    first, number = number_in_turn(keys)
    assert first.tolist() == list(range(3_000))
    assert number.tolist() == list(range(3_000)) * 3
