"""Rows that are alike and good are checked all at once: the same records and faults as row by row."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.reading.faults import RowCheck
from assay.reading.rows import Rows

IDS = st.sampled_from(["q1", "d1", "é", "", "  ", "\ud800", "x" * 20_000, 7, 7.0, None])
NUMBERS = st.sampled_from([0, 3, 9, 2.5, -1, 1e300, 10**400, float("nan"), float("inf"), True, "4", None])
VALUES = {
    "topic": IDS, "document": IDS, "score": NUMBERS, "grade": NUMBERS, "start": NUMBERS, "end": NUMBERS,
    "text": st.sampled_from(["some text", "", " "]), "rank": NUMBERS, "length": NUMBERS,
}  # fmt: skip
GOOD = {"topic": "q1", "document": "d1", "score": 2.5, "grade": 1, "start": 3, "end": 9, "text": "some text", "rank": 1, "length": 6}


@given(st.sets(st.sampled_from(sorted(VALUES))), st.dictionaries(st.sampled_from(sorted(VALUES)), st.integers(0, 2)), st.data())
@pytest.mark.parametrize("kind", ["run", "judgments"])
def test_rows_checked_at_once_are_as_those_checked_one_by_one(kind, fields, odd, data):
    records = [{name: GOOD[name] for name in sorted(fields | {"topic", "document"})} for _ in range(3)]
    for name, row in odd.items():
        if name in records[row]:
            records[row][name] = data.draw(VALUES[name])
    at_once, one_by_one = copy.deepcopy(records), copy.deepcopy(records)
    check = Rows(kind, "r", records=at_once, numbers=[1, 2, 3]).check
    before = repr(at_once)
    faults = [check.fault(record) for record in one_by_one]
    if check.convert_plain_rows(at_once):
        assert (faults, one_by_one) == ([None] * 3, at_once)
    else:
        assert repr(at_once) == before


@pytest.mark.parametrize("kind", ["run", "judgments"])
@pytest.mark.parametrize("part", [(), ("start", "end"), ("start", "text"), ("start", "end", "text")])
def test_good_rows_are_checked_at_once(kind, part):
    values = {"run": ("score",), "judgments": () if part else ("grade",)}[kind]
    records = [{name: GOOD[name] for name in ("topic", "document", *values, *part)} for _ in range(3)]
    check = Rows(kind, "r", records=records, numbers=[1, 2, 3]).check
    assert isinstance(check, RowCheck) and check.convert_plain_rows(records)
