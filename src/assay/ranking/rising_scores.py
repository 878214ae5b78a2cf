"""Whether the scores of a run rise from result to result, as distances do, of which the smallest is the best."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from assay.tables.run import Run

# Fewer results may stand in any order.
MANY = 5


def rising_topics(run: Run) -> tuple[int, int]:
    """In how many topics the scores rise as the rows go, and in how many they fall anywhere; one of these is enough.

    Where ranks are told too, they are compared with the scores.
    """
    rising, starts = 0, run.topic.breaks().tolist()
    for start, end in pairwise(starts):
        if end - start < MANY or run.rank is not None:
            continue
        steps = np.diff(run.score[start:end])
        if np.any(steps < 0):
            return 0, 1
        rising += bool(np.any(steps > 0))
    return rising, 0
