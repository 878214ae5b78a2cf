"""The order of results is as the rules at the top of order.py say, and ties are broken for some places as for all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.ranking.order import in_order, order_of
from assay.tables.ids import Ids, pair_keys
from assay.tables.run import DocumentRun, make_run

# topic, document, score, rank, start, length
results = st.tuples(
    st.integers(0, 2), st.sampled_from(["a", "B", "é", "ab", "d10", "d9"]), st.sampled_from([0.5, 1.0, 2.0]),
    st.integers(1, 3), st.integers(0, 3), st.integers(1, 2),
)  # fmt: skip


def run_of(rows, parts=False, by_rank=False):
    topic, document, score, rank, start, length = zip(*rows, strict=True)
    spans = {"start": np.array(start), "end": np.array(start) + np.array(length)} if parts else {}
    columns = {"score": np.array(score), "rank": np.array(rank), "by_rank": by_rank, **spans}
    return make_run("run", Ids.of(map(str, topic)), Ids.of(document), **columns)


def keys_of(rows):
    topics = np.array([row[0] for row in rows])
    return topics, pair_keys(np.arange(3), topics, Ids.of(row[1] for row in rows))


def backwards(document):
    """Sorts documents by their bytes, the greatest first; a beginning stands behind the whole."""
    return [*(255 - byte for byte in document.encode()), 256]


def told(row, ties, parts, by_rank):
    """What the rules say that a result is sorted by; what is equal in this stands as in the file."""
    topic, document, score, rank, start, length = row
    key = [topic, *([rank] if by_rank else []), -score]
    if ties == "rank":
        return [*key, rank]
    if ties in ("docno", "expected"):
        return [*key, backwards(document), *([start, start + length] if parts else [])]
    return key


@pytest.mark.parametrize("ties", ["docno", "input", "rank", "expected"])
@pytest.mark.parametrize(("parts", "by_rank"), [(False, False), (True, False), (True, True)])
@given(rows=st.lists(results, min_size=1, max_size=12))
def test_results_stand_as_the_rules_say(rows, ties, parts, by_rank):
    ordered = in_order(run_of(rows, parts, by_rank), *keys_of(rows), ties)
    expected = sorted(range(len(rows)), key=lambda row: told(rows[row], ties, parts, by_rank))
    assert ordered.origin.tolist() == expected
    assert ordered.code.tolist() == [rows[row][0] for row in expected]


@pytest.mark.parametrize("ties", ["docno", "input", "rank"])
@pytest.mark.parametrize("parts", [False, True])
@given(rows=st.lists(results, min_size=1, max_size=12), data=st.data())
def test_ties_are_broken_for_some_places_as_for_all(rows, ties, parts, data):
    run, (code, pairs) = run_of(rows, parts), keys_of(rows)
    order = order_of(run, code, ties)
    chosen = data.draw(st.sets(st.integers(0, len(rows) - 1)))
    places = np.array(sorted(chosen), np.int64)
    settled = order.break_ties(places, *order.tie_around(places))
    everything = order.results(pairs).origin
    assert everything[settled].tolist() == order.rows(places).tolist()


def test_a_run_in_order_is_not_sorted_again():
    rows = [(0, "b", 2.0, 1, 0, 1), (0, "a", 1.0, 2, 0, 1), (1, "a", 3.0, 1, 0, 1)]
    assert order_of(run_of(rows), keys_of(rows)[0], "docno").origin is None


def test_ties_cannot_be_broken_by_ranks_that_are_not_there():
    run = DocumentRun("some.run", Ids.of(["1"]), Ids.of(["d"]), score=np.ones(1))
    with pytest.raises(InputError) as caught:
        order_of(run, np.zeros(1, np.int64), "rank")
    assert str(caught.value) == "some.run: the run has no rank column; ties=rank requires it"
