"""Whether the scores of a run rise from result to result, as distances do, of which the smallest is the best."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from assay.tables.ids import Ints
from assay.tables.run import Run

# Fewer results may stand in any order.
MANY = 5


def rising_topics(run: Run, code: Ints) -> tuple[int, int]:
    """In how many topics the scores rise as the rows go, and in how many they fall anywhere; one of these is enough.

    `code` has the number of the topic of each row. Where ranks are told too, they are compared with the scores.
    """
    if run.rank is not None:
        return 0, 0
    rising, new = 0, np.flatnonzero(code[1:] != code[:-1]) + 1
    for start, end in pairwise([0, *new.tolist(), len(code)]):
        if end - start < MANY:
            continue
        steps = np.diff(run.score[start:end])
        if np.any(steps < 0):
            return 0, 1
        rising += bool(np.any(steps > 0))
    return rising, 0
