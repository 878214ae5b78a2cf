"""Span arithmetic against sets of characters."""

from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.tables import intervals as overlaps
from assay.tables.intervals import Marks, Spans, first_disjoint, gaps, in_pieces, overlapping, seen_first
from assay.tables.judgments import Highlights

DOCUMENTS = 3
span = st.tuples(st.integers(0, DOCUMENTS - 1), st.integers(0, 30), st.integers(0, 12)).map(
    lambda s: (s[0], s[1], s[1] + s[2])
)
listed = st.lists(span, max_size=12)


def spans(rows):
    return Spans(*(np.array([row[i] for row in rows], np.int64) for i in range(3)))


def characters(rows):
    return {(document, place) for document, start, end in rows for place in range(start, end)}


def marks(rows):
    none = np.full(DOCUMENTS, -1)
    columns = spans(rows)
    return Marks(Highlights(columns.document, columns.start, columns.end, none, none, none), DOCUMENTS)


def rows_of(columns):
    return list(zip(columns.document.tolist(), columns.start.tolist(), columns.end.tolist(), strict=True))


@given(listed)
def test_the_union_has_the_same_characters_in_spans_that_do_not_touch(rows):
    union = rows_of(spans(rows).union(DOCUMENTS))
    assert characters(union) == characters(rows)
    assert all(a[0] < b[0] or a[2] < b[1] for a, b in pairwise(union))


@given(listed, listed)
def test_highlighted_characters_are_counted_one_by_one(highlighted, asked):
    counts = marks(highlighted).within(spans(asked)).tolist()
    assert counts == [len(characters([one]) & characters(highlighted)) for one in asked]


@given(listed)
def test_the_size_of_the_marks_is_that_of_their_union(rows):
    assert marks(rows).size.tolist() == [len([c for c in characters(rows) if c[0] == d]) for d in range(DOCUMENTS)]


@given(listed, st.integers(0, DOCUMENTS - 1), st.integers(0, 40), st.integers(1, 20))
def test_a_reader_has_passed_so_many_characters_that_are_not_highlighted(rows, document, start, number):
    stop = int(marks(rows).passing(np.array([document]), np.array([start]), np.array([number]))[0])
    vain = [place for place in range(start, stop) if (document, place) not in characters(rows)]
    assert len(vain) == number
    assert vain[-1] == stop - 1


@given(listed, st.randoms())
def test_text_belongs_to_the_first_span_that_has_it(rows, random):
    order = list(range(len(rows)))
    random.shuffle(order)
    owner, pieces = seen_first(spans(rows), np.array(order, np.int64), DOCUMENTS)
    seen, expected = set(), {}
    for row in sorted(range(len(rows)), key=order.__getitem__):
        expected[row] = characters([rows[row]]) - seen
        seen |= expected[row]
    found = {row: set() for row in range(len(rows))}
    for row, piece in zip(owner.tolist(), rows_of(pieces), strict=True):
        assert not found[row] & characters([piece])
        found[row] |= characters([piece])
    assert found == expected


@given(listed, st.randoms())
def test_a_span_is_cut_into_what_was_seen_before_and_what_was_not(rows, random):
    order = list(range(len(rows)))
    random.shuffle(order)
    pieces, fresh = in_pieces(spans(rows), np.array(order, np.int64), DOCUMENTS)
    parts = [[[], []] for _ in rows]
    for (row, start, end), new in zip(rows_of(pieces), fresh.tolist(), strict=True):
        parts[row][new] += sorted(characters([(rows[row][0], start, end)]))
    seen = set()
    for row in sorted(range(len(rows)), key=order.__getitem__):
        whole = characters([rows[row]])
        assert [sorted(part) for part in parts[row]] == [sorted(whole & seen), sorted(whole - seen)]
        seen |= whole


@given(listed)
def test_documents_with_overlap_are_those_whose_spans_share_a_character(rows):
    found = overlapping(spans(rows), DOCUMENTS).tolist()
    mine = [[one for one in rows if one[0] == document] for document in range(DOCUMENTS)]
    assert found == [len(characters(own)) < sum(end - start for _, start, end in own) for own in mine]


@pytest.mark.parametrize("rounds", [0, 1, 64])
@given(listed, st.randoms())
def test_a_span_is_kept_if_it_shares_nothing_with_one_kept_before(rounds, rows, random):
    order = list(range(len(rows)))
    random.shuffle(order)
    with patch.object(overlaps, "ROUNDS", rounds):
        kept = first_disjoint(spans(rows), np.array(order, np.int64))
    taken = []
    for row in sorted(range(len(rows)), key=order.__getitem__):
        clash = [other for other in taken if characters([rows[other]]) & characters([rows[row]])]
        assert bool(kept[row]) == (not clash)
        if not clash:
            taken.append(row)


@given(listed, st.data())
def test_spans_that_share_text_with_one(rows, data):
    row = data.draw(st.integers(0, max(len(rows) - 1, 0)))
    if rows:
        shared = [bool(characters([other]) & characters([rows[row]])) for other in rows]
        assert spans(rows).sharing_with(row).tolist() == shared


@given(listed, st.lists(st.integers(0, 45), min_size=DOCUMENTS, max_size=DOCUMENTS))
def test_gaps_are_the_characters_of_the_documents_in_no_span(rows, length):
    found = rows_of(gaps(spans(rows).union(DOCUMENTS), np.array(length)))
    whole = characters([(document, 0, end) for document, end in enumerate(length)])
    assert characters(found) == whole - characters(rows)
    assert all(start < end for _, start, end in found)


def test_a_line_too_long_to_be_counted_is_refused():
    far = np.full(20_000, 10**15 - 1)
    with pytest.raises(InputError, match="the offsets are too large to add up over the documents; do they"):
        Spans(np.arange(20_000), far - 1, far).union(20_000)
