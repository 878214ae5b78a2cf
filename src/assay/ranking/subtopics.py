"""SubtopicRanking: a ranking of documents, each relevant to any number of its topic's subtopics.

topic            0
rank             1     2     4
subtopics        a b   b     a c
seen before      0 0   1     1 0      how often each subtopic occurred above
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace

import numpy as np

from assay.ranking.documents import Ranking, Values, ratio
from assay.ranking.judged_subtopics import JudgedStrata, JudgedSubtopics
from assay.ranking.pool import Pool
from assay.tables.ids import Bools, Floats, Ints


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SubtopicRanking(Ranking):
    """The judged results of some topics, best first. `topics` are their numbers in the pool."""

    topics: Ints
    subtopics: JudgedSubtopics

    def top(self, k: Ints | int | None) -> SubtopicRanking:
        """Return the first k results."""
        return super().top(k)  # type: ignore[return-value]

    def hits(self, rel: float) -> tuple[Ints, Ints, Ints]:
        """Return each subtopic that a row is relevant to: the row, the subtopic, and how often it occurred above."""
        assert self.judgment is not None
        return self.subtopics.hits(self.judgment, rel)

    def novelty(self, alpha: float, rel: float) -> Floats:
        """Return what each row adds: 1 for each new subtopic, times 1 − alpha for each time it occurred above."""
        row, _, before = self.hits(rel)
        return np.bincount(row, (1 - alpha) ** before, minlength=len(self.rank)).astype(np.float64)

    def number(self, rel: float) -> Ints:
        """Return the number of subtopics of each topic that something is relevant to."""
        return self.quantity("subtopics", self.subtopics.number(rel)[self.topics])

    def best(self, alpha: float, rel: float, most: int | None) -> SubtopicRanking:
        """Return the greedy ideal ranking: next is always the document that adds most; at most `most` per topic."""
        orders = [self.subtopics.ideal(topic, alpha, rel, most) for topic in self.topics.tolist()]
        rows = np.array([len(order) for order in orders], np.int64)
        starts = np.append(0, np.cumsum(rows))
        judgment = np.concatenate([np.zeros(0, np.int64), *orders])
        rank = np.arange(len(judgment)) - np.repeat(starts[:-1], rows) + 1
        # no measure looks at the grades of this ranking
        columns = {"starts": starts, "rank": rank, "grade": np.ones(len(rank), np.int64), "retrieved": rows}
        trace = self.trace and replace(self.trace, rows="ideal")
        return SubtopicRanking(**columns, judgment=judgment, topics=self.topics, subtopics=self.subtopics, trace=trace)


def with_subtopics(ranking: Ranking, topics: Ints, pool: Pool) -> SubtopicRanking:
    """Return the ranking of some topics with their judged subtopics."""
    columns = {column.name: getattr(ranking, column.name) for column in fields(ranking)}
    return SubtopicRanking(**columns, topics=topics, subtopics=pool.subtopics)


# SampledRanking: a ranking of documents if only a stratified sample was judged. A row is a result in the pool.
#
# topic            0
# rank             1     2     4     7
# grade            2     -1    0     -1       -1 means: in its stratum, but not sampled
# stratum          0     1     1     2


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SampledRanking(Ranking):
    """The results of some topics that are in the pool, best first. `topics` are their numbers in the pool."""

    topics: Ints
    strata: JudgedStrata

    def top(self, k: Ints | int | None) -> SampledRanking:
        """Return the first k results."""
        return super().top(k)  # type: ignore[return-value]

    @property
    def weight(self) -> Floats:
        """The number of documents of its stratum that each row represents; 0 if it was not judged."""
        assert self.judgment is not None
        return self.strata.weight[self.judgment]

    def each_stratum(self) -> Iterator[Bools]:
        """Return for the first stratum of each topic, then the second, and so on, which rows are in it."""
        assert self.judgment is not None
        place = self.strata.place[self.judgment]
        return (place == number for number in range(self.strata.most))

    def estimate(self, summed: Callable[[Values], Values], worth: Values, prior: float = 0.0) -> Floats:
        """Estimate what the documents of the pool are worth, in each stratum by the mean of its judged documents.

        `summed` is `total`, or `above` to sum what is above each row. `prior` is added to the sum of a stratum, and
        three times to its number of judged documents, so that a stratum without judged documents has a mean too.
        """
        total = summed(np.zeros(len(self.rank)))
        # stratum by stratum, because np.sum would add one row's values in a different order than many rows' values
        for inside in self.each_stratum():
            known = inside & self.judged()
            mean = ratio(summed(worth * known) + prior, summed(known.astype(np.int64)) + 3 * prior)
            total = total + summed(inside.astype(np.int64)) * mean
        return np.asarray(total, np.float64)


def with_strata(ranking: Ranking, topics: Ints, pool: Pool) -> SampledRanking:
    """Return the ranking of some topics with the strata of the pool."""
    columns = {column.name: getattr(ranking, column.name) for column in fields(ranking)}
    return SampledRanking(**columns, topics=topics, strata=pool.strata)
