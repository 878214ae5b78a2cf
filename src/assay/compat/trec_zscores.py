"""trec_eval's z-scores: a value becomes the number of standard deviations that it is above the mean of some other runs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.compat.trec_columns import Refused
from assay.compat.trec_files import Z_SCORES, atof, read_rows
from assay.errors import InputError
from assay.ranking.document_ranking import Values

UNKNOWN = -1_000_000.0


@dataclass(frozen=True)
class ZScores:
    """Mean and standard deviation of each measure and topic."""

    reference: dict[tuple[str, str], tuple[float, float]]

    @classmethod
    def read(cls, path: str) -> ZScores:
        """Those of a file."""
        try:
            rows = read_rows(path, Z_SCORES, comments=False).rows()
        except InputError as error:
            raise Refused(255, str(error)) from None
        return cls({(measure, topic): (atof(mean.encode()), deviation) for topic, measure, mean, deviation in rows})

    def of(self, measure: str, topics: list[str], values: Values) -> Values:
        """(value - mean) / deviation of each topic; what is not known, or should not differ from the mean and does, is
        -1000000.
        """
        return np.array([self._of(measure, topic, value) for topic, value in zip(topics, values.tolist(), strict=True)])

    def _of(self, measure: str, topic: str, value: float) -> float:
        mean, deviation = self.reference.get((measure, topic), (np.nan, 0.0))
        if deviation:
            return (value - mean) / deviation
        return 0.0 if value == mean else UNKNOWN
