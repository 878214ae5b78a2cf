"""Blocks of whole topics, cut from the Arrow batches of a partition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import AssayError
from assay.formats.frames import ROWS

if TYPE_CHECKING:
    import pyarrow as pa

# The column with a 64-bit number of each topic, by which the rows of a partition are sorted.
TOPIC_KEY = "topic_key"


def whole_topics(batches: Iterator[pa.RecordBatch], rows: int = ROWS) -> Iterator[pa.Table]:
    """Tables of whole topics, of so many rows or a batch more; a topic may span batches, and then stays together.

    Batches are cut where the key of the topic changes, not where the topic does: two topics with one key have their
    rows in any order, and stay in one block.
    """
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    number, last = 0, None
    for batch in batches:
        if not batch.num_rows:
            continue
        keys = batch.column(TOPIC_KEY).to_numpy()
        if np.any(keys[1:] < keys[:-1]) or (last is not None and keys[0] < last):
            raise AssayError("the rows of a partition are not sorted by topic; please report this")
        cut = int(np.searchsorted(keys, keys[-1])) if number + batch.num_rows >= rows else 0
        if cut:
            yield pa.Table.from_batches([*held, batch.slice(0, cut)])
            held, number = [], 0
        elif held and number >= rows and keys[0] != last:
            yield pa.Table.from_batches(held)
            held, number = [], 0
        held.append(batch.slice(cut))
        number += batch.num_rows - cut
        last = keys[-1]
    if held:
        yield pa.Table.from_batches(held)
