"""How long the lists of runs are, so that an axis of ranks can end where they end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.measures.base import Linear
from assay.ranking.document_ranking import Ranking, Values
from assay.ranking.kinds import DOCUMENTS, ELEMENTS, TEXT

if TYPE_CHECKING:
    from assay.evaluation.score_table import ScoreTable


@dataclass(frozen=True, kw_only=True)
class ListLength(Linear):
    """The number of results of a topic, whatever these are. It is measured beside a curve, and shown nowhere."""

    kinds = (DOCUMENTS, TEXT, ELEMENTS)

    def __call__(self, ranking: Ranking) -> Values:
        """As many as were returned, judged or not."""
        return ranking.retrieved.astype(float)


def longest_list(scores: ScoreTable) -> int | None:
    """The number of results of the longest list of any run; None where that was not measured."""
    places = [number for number, measure in enumerate(scores.measures) if isinstance(measure, ListLength)]
    return int(np.nanmax(scores.values[:, places], initial=0)) if places else None
