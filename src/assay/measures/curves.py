"""Curves: one measure at many cut-offs, as the papers plot it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from assay.errors import UsageError
from assay.measures.base import Measure, MeasureLike
from assay.measures.notation import find, one_measure


class Plot(NamedTuple):
    """What a curve shows, the name of its x axis, and its points."""

    shows: str
    over: str
    at: list[Any]


LONGEST = 1500
# With fewer points than this, a line shows less than the values themselves.
FEWEST = 3
ELEVEN = [level / 10 for level in range(11)]
HUNDREDTHS = [level / 100 for level in range(1, 101)]
FIRST_FIFTY = list(range(1, 51))
FIRST_THOUSAND = [*FIRST_FIFTY, 70, 100, 150, 200, 300, 500, 700, 1000]
PERCENT_OF_LONGEST = [LONGEST * percent // 100 for percent in range(1, 101)]
# The papers plot each percent of 1,500 ranks; the first gains come before the first of these points.
FIRST_AND_PERCENT = [1, 2, 3, 4, 5, 7, 10, *PERCENT_OF_LONGEST]
POINTS = {
    "IPrec": Plot("interpolated precision", "recall", ELEVEN),
    "iP": Plot("interpolated precision", "recall", [0.0, *HUNDREDTHS]),
    "P": Plot("precision", "rank", FIRST_THOUSAND),
    "R": Plot("recall", "rank", FIRST_THOUSAND),
    "F": Plot("F measure", "rank", FIRST_THOUSAND),
    "Success": Plot("share of topics with a hit", "rank", FIRST_THOUSAND),
    "nDCG": Plot("normalised discounted cumulated gain", "rank", FIRST_THOUSAND),
    "nCG": Plot("normalised cumulated gain", "rank", FIRST_THOUSAND),
    "gP": Plot("generalised precision", "rank", FIRST_FIFTY),
    "gR": Plot("generalised recall", "rank", FIRST_FIFTY),
    "DCG": Plot("discounted cumulated gain", "rank", FIRST_THOUSAND),
    "CG": Plot("cumulated gain", "rank", FIRST_AND_PERCENT),
    "nxCG": Plot("normalised cumulated gain", "rank", FIRST_AND_PERCENT),
    "MAnxCG": Plot("mean average normalised cumulated gain", "rank", FIRST_AND_PERCENT),
    "ep": Plot("effort-precision", "gain-recall", HUNDREDTHS),
    "gr": Plot("gain-recall", "rank", FIRST_AND_PERCENT),
    "inex2002": Plot("precision", "recall", HUNDREDTHS),
    "inex2003": Plot("precision", "recall", HUNDREDTHS),
}


def curve(measure: MeasureLike) -> list[Measure]:
    """Return a measure at the points of its curve.

    CG, nxCG and MAnxCG are plotted at the first ranks and at 1, 2 … 100% of 1,500, ep and iP at recall levels. The
    curve of a measure with a cut-off, for example nDCG@10, ends there.
    """
    plain = one_measure(measure)
    return [plain @ point for point in points(plain)[1]]


def points(measure: Measure) -> tuple[str, list[Any]]:
    """Return the name of the x axis of a measure's curve, and its points."""
    curve = plot_of(measure)
    return curve.over, curve.at


def plot_of(measure: Measure) -> Plot:
    """Return how a measure is plotted, up to its cut-off if it has one."""
    known = next((POINTS[name] for name in POINTS if type(measure) is find(name)), None)
    if known is None:
        raise UsageError(f"{measure} has no curve; choose from {', '.join(POINTS)}")
    # the recall level is 0 if none is given
    end = getattr(measure, measure.cutoff)
    return known._replace(at=[*(point for point in known.at if point < end), end]) if end else known


def without_cut(measure: Measure) -> Measure:
    """Return the measure without its cut-off."""
    default: Any = type(measure).parameters()[measure.cutoff][0]
    return replace(measure, **{measure.cutoff: default})


def has_curve(measure: Measure) -> bool:
    """Return whether a measure has enough points for a line; a measure with a text budget has no ranks to plot."""
    budgets = (getattr(measure, name, None) for name in ("chars", "tokens"))
    return is_plotted(measure) and not any(budgets) and len(plot_of(measure).at) >= FEWEST


def is_plotted(measure: Measure) -> bool:
    """Return whether the points of a measure's curve are known."""
    return any(type(measure) is find(name) for name in POINTS)
