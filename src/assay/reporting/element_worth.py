"""What an element was worth to the measures of a page, which may value elements in more than one way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.measures.base import Measure
from assay.measures.of_elements import Curve, OfElements
from assay.ranking.element_gains import View
from assay.ranking.element_ranking import ElementRanking
from assay.tables.ids import Floats

# How elements are valued, and whether it is their articles that give something.
Valuation = tuple[View, bool]


def valuations(measures: Sequence[Measure]) -> list[Valuation]:
    """The different ways in which some measures value elements, in their order."""
    return list(dict.fromkeys(valuation for measure in measures if (valuation := valuation_of(measure))))


def valuation_of(measure: Measure) -> Valuation | None:
    """How a measure values elements; the metrics of 2002 and 2003 take their quantised scores. None if it does not."""
    if isinstance(measure, Curve):
        return View(measure.quant, "off"), False
    if not isinstance(measure, OfElements) or measure.unit:
        return None
    return measure.view, getattr(measure, "level", "") == "article"


def worth(ranking: ElementRanking, valuation: Valuation) -> Floats:
    """What each result gave; an article gives something at its first result."""
    view, of_articles = valuation
    gained = ranking.gains(view, "article" if of_articles else "")
    # the results that can give something, topic by topic: the rank of a gain is its place among them
    able = np.flatnonzero(ranking.first_of) if of_articles else np.arange(len(ranking.rank))
    starts = np.searchsorted(able, ranking.starts)
    gain = np.zeros(len(ranking.rank))
    gain[able[gained.each(starts[:-1]) + gained.rank - 1]] = gained.xG
    return gain
