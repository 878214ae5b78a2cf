"""How the values of a measure are combined over topics, where that is no plain mean; and what can be known of it."""

from __future__ import annotations

import numpy as np

from assay.measures.base import LOWEST, Count, Measure
from assay.tables.ids import Floats


class Geometric(Measure):
    """A measure whose values are combined over topics by the geometric mean, no value below 0.00001."""

    def added(self, values: Floats) -> Floats:
        """Logarithms."""
        return np.log(np.maximum(values, LOWEST))

    def of_sum(self, total: float, topics: int) -> float:
        """The number whose logarithm is the mean of theirs."""
        return float(np.exp(total / topics))


def adds_up(measure: Measure) -> bool:
    """Whether the number for all topics is made of a sum over topics, and so of sums over some topics each."""
    return type(measure).over_topics is Measure.over_topics


def is_mean(measure: Measure) -> bool:
    """Whether the number for all topics is the mean or the sum of their values, which is what tests compare."""
    own = type(measure)
    is_plain = (own.added, own.of_sum) == (Measure.added, Measure.of_sum)
    return adds_up(measure) and (is_plain or isinstance(measure, Count))
