"""Qrels of several assessors: a measure is computed for the judgments of each group, and averaged over the groups of a
topic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from assay.compat.trec_columns import Column
from assay.ranking.document_ranking import Ranking, Values
from assay.tables.ids import Ints


@dataclass(frozen=True, eq=False, repr=False)
class GroupedRankings:
    """The rankings of some topics as each group judged them: which of the topics a group judged, and their ranking."""

    topics: int
    groups: list[tuple[Ints, Ranking]]


GroupedColumn: TypeAlias = "Callable[[GroupedRankings], Values]"


def averaged(column: Column) -> GroupedColumn:
    """The mean of a measure over the groups of each topic."""

    def mean(rankings: GroupedRankings) -> Values:
        total, count = np.zeros(rankings.topics), np.zeros(rankings.topics)
        for topics, ranking in rankings.groups:
            total[topics] += column(ranking)
            count[topics] += 1
        return total / count

    return mean
