"""Columns of which equal neighbours are told once are as those of which each row is."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from assay.tables.ids import Buffers, Ids, StreakIds, joined_streaks

PARTS = st.lists(st.lists(st.sampled_from(["a", "b", "a topic of more than eight bytes"]), min_size=1), min_size=1)


@given(PARTS)
@example([["a", "a"], ["a"], ["b"]])
@example([["a"], ["b", "a"]])
def test_joined_streaks_are_the_rows_of_all_parts(parts):
    texts = [text for part in parts for text in part]
    joined = joined_streaks([StreakIds(*Ids.of(part).streak_ids()) for part in parts], Buffers())
    names, starts = Ids.of(texts).streaks()
    assert (joined.streaks()[0], joined.streaks()[1].tolist()) == (names, starts.tolist())
    assert joined.texts() == texts and len(joined) == len(texts)
    assert joined[np.arange(len(texts))[::-1]].texts() == texts[::-1]
    assert joined.keys().tolist() == Ids.of(texts).keys().tolist()
