"""What no ranking of chunks surpasses: against all rankings, tried one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.ranking import chunks as best_chunks
from assay.ranking import chunks as every_set
from assay.ranking.chunks import BestChunks
from assay.tables.intervals import Spans
from helpers import naive_ceilings as naive


@st.composite
def spans(draw, most):
    start = draw(st.integers(0, 16))
    return start, start + draw(st.integers(1, most))


cases = st.tuples(
    st.lists(spans(9), min_size=1, max_size=5, unique=True), st.lists(spans(6), min_size=1, max_size=3)
)


def on_line(pairs):
    start, end = np.array(pairs, np.int64).T
    return Spans(np.zeros(len(start), np.int64), start, end)


def best_of(chunks, gold, overlap):
    relevant = {at for start, end in gold for at in range(start, end)}
    useful = [(start, end) for start, end in chunks if relevant & set(range(start, end))]
    return BestChunks.on_line(on_line(useful), on_line(gold), overlap == "paid") if useful else None


CUTS = [(None, None), (1, None), (2, None), (3, None), (None, 3), (None, 7), (None, 12), (2, 7)]


@pytest.mark.parametrize("fit", ["cut", "stop", "skip"])
@pytest.mark.parametrize("overlap", ["paid", "new"])
@given(case=cases)
def test_no_ranking_surpasses_what_is_called_the_best_and_one_reaches_what_is_called_exact(overlap, fit, case):
    chunks, gold = case
    relevant = {("d", at) for start, end in gold for at in range(start, end)}
    placed = [("d", start, end) for start, end in chunks]
    best = best_of(chunks, gold, overlap)
    for k, chars in CUTS:
        tried = {name: naive.best(name, placed, relevant, overlap, k, chars, fit) for name in ("R", "P", "F")}
        if best is None:
            assert set(tried.values()) == {0.0}
            continue
        most = best.most(k, chars, fit)
        densest, both = (best.ratio(base, k, chars, fit) for base in (0, len(relevant)))
        told = {
            "R": (most.value / len(relevant), most.exact),
            "P": (densest.value, densest.exact),
            "F": (2 * both.value, both.exact),
        }
        for name, (value, exact) in told.items():
            assert value >= tried[name] - 1e-12, (name, k, chars)
            assert value <= 1 + 1e-12
            assert not exact or value <= tried[name] + 1e-12, (name, k, chars)
            assert exact or fit == "cut" or (k and chars), (name, k, chars)


@pytest.mark.parametrize("overlap", ["paid", "new"])
@given(case=cases)
def test_without_overlap_and_with_either_limit_alone_the_best_is_exact(overlap, case):
    chunks, gold = case
    apart = [chunk for number, chunk in enumerate(chunks) if all(chunk[0] >= b or a >= chunk[1] for a, b in chunks[:number])]
    best = best_of(apart, gold, overlap)
    if best is not None:
        for k, chars in CUTS[:-1]:
            assert best.most(k, chars).exact and best.ratio(0, k, chars).exact and best.ratio(5, k, chars).exact


@pytest.mark.parametrize(("overlap", "cuts"), [("paid", CUTS[:-1]), ("new", CUTS[:4])])
@given(case=cases)
def test_with_overlap_the_best_is_exact_too_within_a_budget_where_it_is_paid_for(overlap, cuts, case):
    best = best_of(*case, overlap)
    if best is not None:
        assert all(best.most(*cut).exact and best.ratio(0, *cut).exact and best.ratio(9, *cut).exact for cut in cuts)


def test_with_many_sets_to_try_there_is_a_bound(monkeypatch):
    chunks, gold = [(0, 10), (8, 18), (16, 26)], [(0, 26)]
    # the last chunk, the middle one, of which eight characters are new, and six of the first
    assert best_of(chunks, gold, "paid").most(None, 26) == (24, True)
    monkeypatch.setattr(every_set, "SETS", 3)
    assert best_of(chunks, gold, "paid").most(None, 26) == (26, False)


def test_with_large_budgets_sizes_are_rounded_and_the_bound_holds(monkeypatch):
    chunks, gold = [(0, 10), (20, 30), (40, 53)], [(0, 9), (20, 27), (40, 50)]
    # the first chunk has 9, and the first 11 characters of the last have 10
    assert best_of(chunks, gold, "paid").most(None, 21) == (19, True)
    monkeypatch.setattr(best_chunks, "ROOM", 20)
    rounded = best_of(chunks, gold, "paid").most(None, 21)
    assert rounded.value >= 19
    assert not rounded.exact
