"""Blocks of whole topics, cut from batches of any size."""

import pyarrow as pa
import pytest

from assay.errors import AssayError
from assay.spark.worker import TOPIC_KEY, whole_topics


def batches(*keys):
    return iter([pa.record_batch({TOPIC_KEY: pa.array(each, pa.int64())}) for each in keys])


def blocks(rows, *keys):
    return [block.column(TOPIC_KEY).to_pylist() for block in whole_topics(batches(*keys), rows)]


def test_a_topic_that_spans_batches_stays_together():
    assert blocks(3, [1, 1], [1, 2], [2, 2, 2], [2, 3, 3], [4]) == [[1, 1, 1], [2, 2, 2, 2, 2], [3, 3, 4]]


def test_a_topic_that_ends_with_its_batch_is_not_held_for_the_next_one():
    assert blocks(2, [1, 1], [2, 2], [3]) == [[1, 1], [2, 2], [3]]


def test_small_topics_share_a_block():
    assert blocks(100, [1, 2], [], [3], [4, 5]) == [[1, 2, 3, 4, 5]]


def test_a_partition_without_rows_has_no_blocks():
    assert blocks(3) == blocks(3, []) == []


@pytest.mark.parametrize("keys", [([2, 1],), ([1, 2], [1])])
def test_rows_that_are_not_sorted_are_refused(keys):
    with pytest.raises(AssayError, match="the rows of a partition are not sorted by topic; please report this"):
        blocks(100, *keys)
