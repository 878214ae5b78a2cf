"""Judged documents that are looked up by names that are texts: quickest where many runs are, which are dicts."""

from __future__ import annotations

from itertools import repeat

import numpy as np

from assay.tables.ids import Ids, Ints

NOTHING_JUDGED: dict[str, int] = {}


class JudgedNames:
    """For each topic the rows of its judgments, by document."""

    def __init__(self, topics: int, topic: Ints, documents: Ids):
        self.by_topic: list[dict[str, int]] = [{} for _ in range(topics)]
        for row, (number, document) in enumerate(zip(topic.tolist(), documents.texts(), strict=True)):
            self.by_topic[number][document] = row

    def find(self, texts: list[str], starts: Ints, topics: Ints, origin: Ints | None) -> tuple[Ints, Ints]:
        """Which of some documents are judged, and the rows of their judgments; those of the n-th of some topics stand
        from `starts[n]` on, and `origin` has the place of each in their order.
        """
        row = np.empty(len(texts), np.int64)
        bounds = starts.tolist()
        for topic, start, end in zip(topics.tolist(), bounds[:-1], bounds[1:], strict=True):
            judged = self.by_topic[topic] if topic < len(self.by_topic) else NOTHING_JUDGED
            row[start:end] = np.fromiter(map(judged.get, texts[start:end], repeat(-1)), np.int64, end - start)
        row = row if origin is None else row[origin]
        place = np.flatnonzero(row >= 0)
        return place, row[place]
