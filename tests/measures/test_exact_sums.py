"""Sums over topics do not depend on their order, nor on how topics are divided among workers."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.measures.base import exact_sum, sum_in_parts

NUMBERS = st.lists(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300), max_size=30)


@given(st.lists(NUMBERS, max_size=5))
def test_parts_of_sums_add_up_to_the_sum_of_everything(groups):
    exact = sum((Fraction(number) for numbers in groups for number in numbers), Fraction(0))
    parts = [part for numbers in groups for part in sum_in_parts(np.array(numbers))]
    assert sum(map(Fraction, parts)) == exact
    assert sum(map(Fraction, sum_in_parts(parts))) == exact
    assert exact_sum(parts) == float(exact)


def test_a_sum_is_rounded_once():
    assert exact_sum([1e16, 1.0, -1e16]) == 1.0
    assert sum_in_parts([0.1] * 10) == [1.0, float(Fraction(0.1) * 10 - 1)]


def test_no_values_have_no_parts():
    assert sum_in_parts([]) == sum_in_parts([0.0, -0.0]) == []


@pytest.mark.parametrize("values", [[math.inf, 1.0], [1e308] * 3])
def test_a_sum_that_is_no_number_is_infinite(values):
    assert exact_sum(values) == math.inf
    assert sum_in_parts(values) == [math.inf]


@pytest.mark.parametrize("name", ["AP", "GMAP", "NumRel"])
def test_the_value_over_topics_does_not_depend_on_their_order(name):
    values = np.random.default_rng(5).random(999)
    measure = assay.parse(name)
    assert len({measure.over_topics(np.roll(values, turn)) for turn in range(50)}) == 1
