"""Columns of ids against lists of bytes."""

from __future__ import annotations

import random
from collections import Counter
from itertools import groupby

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from assay.tables.ids import PAD, HeldIds, Ids, RepeatedIds, StreakIds, repeated_rows
from assay.tables.run import closed_up, cut_out

TEXTS = st.lists(st.text(st.sampled_from("ab日\x01"), max_size=20) | st.text(min_size=1), max_size=30)


def among_others(texts: list[str]) -> Ids:
    """The ids of texts in a buffer in which they stand among others, as in a file."""
    return Ids.of([part for text in texts for part in ("9", text, "9")])[1::3]


def keyed(texts):
    return dict(zip(texts, Ids.of(texts).keys().tolist(), strict=True))


@given(TEXTS)
@example(["x" * n for n in range(70)])
@example([word * times + letter for word in ("x" * 8, "é" * 4) for times in (1, 2, 3) for letter in "abc"])
def test_ids_keep_their_texts_and_have_keys_of_their_own(texts):
    ids = Ids.of(texts)
    assert ids.texts() == texts and len(ids) == len(texts)
    assert ids[::-1].texts() == texts[::-1]
    assert len(set(keyed(texts).values())) == len(set(texts))
    assert keyed(texts) == {text: int(among_others([text]).keys()[0]) for text in texts}


@given(TEXTS, TEXTS, st.randoms())
@example(["a", "a", "x" * 8], ["a\0", "b", "x" * 9], random.Random(0))
def test_ids_are_compared_row_by_row(one, other, rng):
    one, other = one[: len(other)], other[: len(one)]
    other = [a if rng.random() < 0.5 else b for a, b in zip(one, other, strict=True)]
    assert Ids.of(one).same(among_others(other)).tolist() == [a == b for a, b in zip(one, other, strict=True)]


NEIGHBOURS = st.sampled_from(["a", "b", "x" * 8, "x" * 9, "x" * 20, "x" * 19 + "y", "", "a\0"])


@given(st.lists(st.tuples(NEIGHBOURS, st.integers(1, 3)), max_size=9))
def test_streaks_are_groups_of_neighbours(groups):
    texts = [text for text, times in groups for _ in range(times)]
    names, starts = Ids.of(texts).streaks()
    expected = [(name, len(list(group))) for name, group in groupby(texts)]
    assert list(zip(names, np.diff(starts).tolist(), strict=True)) == expected
    assert starts[0] == 0 and starts[-1] == len(texts)


@given(TEXTS, st.randoms())
def test_descending_is_by_group_and_then_by_bytes(texts, rng):
    texts = [text for text in texts if "\0" not in text]
    group = [rng.randrange(3) for _ in texts]
    order = Ids.of(texts).descending(np.array(group, np.int64)).tolist()
    expected = sorted(range(len(texts)), key=lambda row: texts[row].encode(), reverse=True)
    expected.sort(key=lambda row: group[row])
    assert [(group[row], texts[row]) for row in order] == [(group[row], texts[row]) for row in expected]
    assert sorted(order) == list(range(len(texts)))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=60))
def test_repeated_keys_are_found_among_those_that_share_a_slot(pairs):
    keys = [high << 60 | low for high, low in pairs]
    times = Counter(keys)
    expected = [row for row, key in enumerate(keys) if times[key] > 1]
    assert sorted(set(repeated_rows(np.array(keys, np.uint64)).tolist())) == expected


@given(TEXTS)
@example(["x" * n for n in range(70)])
def test_ids_that_are_closed_up_have_nothing_between_them(texts):
    ids = closed_up(among_others(texts))
    assert ids.texts() == texts
    assert ids.buffer == PAD + "".join(texts).encode() + PAD


@given(st.lists(st.tuples(st.text(min_size=1), st.integers(0, 3)), unique_by=lambda pair: pair[0]))
def test_texts_that_are_repeated_are_a_column_with_known_streaks(pairs):
    ids = RepeatedIds([text for text, _ in pairs], [times for _, times in pairs])
    assert ids.streaks()[0] == [text for text, times in pairs if times]
    assert np.diff(ids.streaks()[1]).tolist() == [times for _, times in pairs if times]
    assert len(ids) == sum(times for _, times in pairs)
    assert ids.texts() == [text for text, times in pairs for _ in range(times)]


@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_columns_with_nothing_between_their_ids_are_joined_as_such(columns):
    texts = [text for column in columns for text in column]
    joined = Ids.concatenate([closed_up(among_others(column)) for column in columns])
    assert joined.texts() == texts
    assert joined.buffer == PAD + "".join(texts).encode() + PAD
    assert Ids.concatenate([joined, among_others(texts)]).texts() == texts + texts


@given(TEXTS)
def test_ids_that_are_cut_out_are_the_same_with_little_beside_them(texts):
    far_apart = Ids.of(["9" * 5_000, *texts, "9" * 5_000, *texts, "9" * 5_000])
    together, again = np.arange(1, len(texts) + 1), np.arange(len(texts) + 2, 2 * len(texts) + 2)
    for rows in (together, np.append(together, again)):
        ids = far_apart[rows]
        assert cut_out(ids).texts() == ids.texts()
        assert not len(ids) or len(cut_out(ids).buffer) < 5_000


@given(TEXTS, st.randoms())
def test_ids_are_compared_with_others_of_the_column(texts, rng):
    rows = [rng.randrange(len(texts)) for _ in texts]
    expected = [text == texts[row] for text, row in zip(texts, rows, strict=True)]
    assert among_others(texts).same_as(np.array(rows, np.int64)).tolist() == expected


def test_texts_that_are_held_are_not_laid_out_to_be_shown():
    ids = HeldIds(["b", "日"])
    assert ids.texts() == ["b", "日"] and "buffer" not in vars(ids)


PARTS = st.lists(st.lists(st.sampled_from(["a", "b", "a topic of more than eight bytes"]), min_size=1), min_size=1)


@given(PARTS)
@example([["a", "a"], ["a"], ["b"]])
@example([["a"], ["b", "a"]])
def test_joined_streaks_are_the_rows_of_all_parts(parts):
    texts = [text for part in parts for text in part]
    joined = Ids.concatenate([StreakIds(*Ids.of(part).streak_ids()) for part in parts])
    names, starts = Ids.of(texts).streaks()
    assert (joined.streaks()[0], joined.streaks()[1].tolist()) == (names, starts.tolist())
    assert joined.texts() == texts and len(joined) == len(texts)
    assert joined[np.arange(len(texts))[::-1]].texts() == texts[::-1]
    assert joined.keys().tolist() == Ids.of(texts).keys().tolist()
