"""SubtopicRanking: the ranking of documents of which each may be relevant to several subtopics of its topic.

topic            0
rank             1     2     4
subtopics        a b   b     a c
seen before      0 0   1     1 0      how often each subtopic was met above
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from assay.ranking.document_ranking import Ranking
from assay.ranking.judged_subtopics import JudgedSubtopics
from assay.ranking.pool import Pool
from assay.tables.ids import Floats, Ints


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SubtopicRanking(Ranking):
    """The judged results of some topics, best first; `topics` tells which of all, `subtopics` what is judged."""

    topics: Ints
    subtopics: JudgedSubtopics

    def top(self, k: Ints | int | None) -> SubtopicRanking:
        """The first k results."""
        return super().top(k)  # type: ignore[return-value]

    def hits(self, rel: float) -> tuple[Ints, Ints, Ints]:
        """The row and the subtopic of each that a row is relevant to, and how often the subtopic was met above."""
        assert self.judgment is not None
        return self.subtopics.hits(self.judgment, rel)

    def novelty(self, alpha: float, rel: float) -> Floats:
        """What each row adds: 1 for each new subtopic, and 1 − alpha times as much each time that it was met above."""
        row, _, before = self.hits(rel)
        return np.bincount(row, (1 - alpha) ** before, minlength=len(self.rank)).astype(np.float64)

    def number(self, rel: float) -> Ints:
        """The number of subtopics of each topic that anything is relevant to."""
        return self.subtopics.number(rel)[self.topics]

    def best(self, alpha: float, rel: float, most: int | None) -> SubtopicRanking:
        """The ideal ranking, next always the document that adds the most; at most so many of each topic."""
        orders = [self.subtopics.ideal(topic, alpha, rel, most) for topic in self.topics.tolist()]
        rows = np.array([len(order) for order in orders], np.int64)
        starts = np.append(0, np.cumsum(rows))
        judgment = np.concatenate([np.zeros(0, np.int64), *orders])
        rank = np.arange(len(judgment)) - np.repeat(starts[:-1], rows) + 1
        # the grades of whole documents are not looked at
        columns = {"starts": starts, "rank": rank, "grade": np.ones(len(rank), np.int64), "retrieved": rows}
        return SubtopicRanking(**columns, judgment=judgment, topics=self.topics, subtopics=self.subtopics)


def with_subtopics(ranking: Ranking, topics: Ints, pool: Pool) -> SubtopicRanking:
    """The ranking of some of the topics with what is judged of their subtopics."""
    columns = {column.name: getattr(ranking, column.name) for column in fields(ranking)}
    return SubtopicRanking(**columns, topics=topics, subtopics=pool.subtopics)
