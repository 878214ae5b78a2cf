"""SampledRanking: the ranking of documents of which only a stratified sample was judged. A row is a result of the pool.

topic            0
rank             1     2     4     7
grade            2     -1    0     -1       -1 is in its stratum, and was not sampled
stratum          0     1     1     2
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields

import numpy as np

from assay.ranking.document_ranking import Ranking, Values, ratio
from assay.ranking.judged_strata import JudgedStrata
from assay.ranking.pool import Pool
from assay.tables.ids import Bools, Floats, Ints


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SampledRanking(Ranking):
    """The results of some topics that are in the pool, best first; `topics` tells which of all."""

    topics: Ints
    strata: JudgedStrata

    def top(self, k: Ints | int | None) -> SampledRanking:
        """The first k results."""
        return super().top(k)  # type: ignore[return-value]

    @property
    def weight(self) -> Floats:
        """For how many documents of its stratum each row stands; 0 where it was not judged."""
        assert self.judgment is not None
        return self.strata.weight[self.judgment]

    def each_stratum(self) -> Iterator[Bools]:
        """Which rows are of the first stratum of their topic, of the second, and so on."""
        assert self.judgment is not None
        place = self.strata.place[self.judgment]
        return (place == number for number in range(self.strata.most))

    def estimated(self, summed: Callable[[Values], Values], worth: Values, prior: float = 0.0) -> Floats:
        """What the documents of the pool are worth, estimated in each stratum by the mean of those that were judged.

        `summed` is total, or above, for what stands above each row. `prior` is what is added to the sum of a stratum,
        and three times to the number of those judged, so that a stratum without any has a mean.
        """
        total = summed(np.zeros(len(self.rank)))
        # stratum by stratum: np.sum would add those of one row in another order than those of many
        for inside in self.each_stratum():
            known = inside & self.judged()
            mean = ratio(summed(worth * known) + prior, summed(known.astype(np.int64)) + 3 * prior)
            total = total + summed(inside.astype(np.int64)) * mean
        return np.asarray(total, np.float64)


def with_strata(ranking: Ranking, topics: Ints, pool: Pool) -> SampledRanking:
    """The ranking of some of the topics with the strata of the pool."""
    columns = {column.name: getattr(ranking, column.name) for column in fields(ranking)}
    return SampledRanking(**columns, topics=topics, strata=pool.strata)
