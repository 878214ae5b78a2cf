"""The rows of scattered topics come back together: all of them, in runs of whole topics, each topic in its order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.tables.ids import Ids
from assay.tables.run import DocumentRun, ElementRun, HashPartition, no_ids, whole_topics

TOPICS = [*"abcdefghijklmnop", "", "topic", "日本", "a topic of more than sixteen letters", "long " * 20]
ROWS = st.tuples(st.sampled_from(TOPICS), st.text("ab日", max_size=20))


def run_of(rows, number):
    """A block of a run; the scores are the places of its rows in the whole."""
    score = np.arange(float(len(rows))) + number
    return DocumentRun("run", Ids.of(topic for topic, _ in rows), Ids.of(document for _, document in rows), score=score)


def rows_of(run):
    return list(zip(run.topic.texts(), run.document.texts(), run.score.tolist(), strict=True))


@given(st.lists(st.lists(ROWS, min_size=1, max_size=30), min_size=1, max_size=4), st.integers(1, 20))
def test_rows_come_back_in_whole_topics(blocks, rows):
    starts = np.cumsum([0, *map(len, blocks)]).tolist()
    runs = [run_of(block, start) for block, start in zip(blocks, starts, strict=False)]
    parts = [rows_of(part()) for part in whole_topics([HashPartition(run) for run in runs], rows)]
    given_rows = [row for run in runs for row in rows_of(run)]
    assert sorted(row for part in parts for row in part) == sorted(given_rows)
    topics = [{topic for topic, *_ in part} for part in parts]
    assert sum(map(len, topics)) == len({topic for topic, *_ in given_rows})
    for part in parts:
        for topic in {topic for topic, *_ in part}:
            own = [row for row in part if row[0] == topic]
            assert own == [row for row in given_rows if row[0] == topic]


def test_ranks_are_left_out_where_a_block_has_none():
    first, second = run_of([("a", "x"), ("b", "y")], 0), run_of([("a", "z")], 2)
    ranked = DocumentRun("run", first.topic, first.document, score=first.score, rank=np.array([1, 1]))
    assert all(part().rank is None for part in whole_topics([HashPartition(ranked), HashPartition(second)], 10))
    (part,) = whole_topics([HashPartition(ranked)], 10)
    assert part().rank.tolist() == [1, 1]


def test_elements_without_a_last_one_stand_beside_ranges():
    first, second = run_of([("a", "x")], 0), run_of([("a", "y")], 1)
    path, last = Ids.of(["/p[1]"]), Ids.of(["/p[3]"])
    runs = (
        ElementRun("run", first.topic, first.document, score=first.score, path=path, last=last),
        ElementRun("run", second.topic, second.document, score=second.score, path=path, last=no_ids(1)),
    )
    (part,) = whole_topics([HashPartition(run) for run in runs], 10)
    run = part()
    assert (run.path.texts(), run.last.texts()) == (["/p[1]", "/p[1]"], ["/p[3]", ""])


def test_no_rows_make_no_runs():
    assert list(whole_topics([], 10)) == []
