"""Curves: one measure at many cut-offs, as the papers plot it."""

from __future__ import annotations

from typing import Any

from assay.errors import UsageError
from assay.measures import find, measures_of
from assay.measures.base import Measure

LONGEST = 1500
# The cut-offs at which each measure is plotted, and what they are.
ELEVEN = [level / 10 for level in range(11)]
HUNDREDTHS = [level / 100 for level in range(1, 101)]
POINTS: dict[str, tuple[str, list[Any]]] = {
    "IPrec": ("recall", ELEVEN),
    "iP": ("recall", [0.0, *HUNDREDTHS]),
    "gP": ("rank", list(range(1, 51))),
    "nxCG": ("rank", [LONGEST * percent // 100 for percent in range(1, 101)]),
    "ep": ("gain-recall", HUNDREDTHS),
    "inex2002": ("recall", HUNDREDTHS),
    "inex2003": ("recall", HUNDREDTHS),
}


def curve(measure: Any) -> list[Measure]:
    """A measure at the cut-offs at which it is plotted: nxCG at 1, 2 … 100 % of 1,500 ranks, ep and iP at levels of recall."""
    (one,) = measures_of([measure])
    return [one @ point for point in points(one)[1]]


def points(measure: Measure) -> tuple[str, list[Any]]:
    """What a curve of a measure runs over, and its points."""
    known = next((POINTS[name] for name in POINTS if type(measure) is find(name)), None)
    if known is None:
        raise UsageError(f"{measure} has no curve; those of {', '.join(POINTS)} are known")
    return known
