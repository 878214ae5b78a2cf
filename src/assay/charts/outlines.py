"""Charts without data, for a page that has the values and makes the rows of its charts of them.

An outline has no theme, which is chosen on the page, and what depends on values is left for the page to fill in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.charts.line_charts import LineKind, budget_kind, line_chart
from assay.charts.style import HEIGHT, Look, unfilled
from assay.charts.topic_charts import difference_chart, distribution_chart, distribution_height
from assay.measures.base import Measure

if TYPE_CHECKING:
    import altair as alt

THEME = "light"
# The size of letters on a page, in pixels: they can be read on paper too, where charts are smaller.
PAGE_FONT_SIZE = 13
# What stands in an outline where the page shows the name of a measure.
MEASURE = "measure"


def curve_outline(systems: list[str], kind: LineKind, width: int) -> dict[str, Any]:
    """A curve, with a line for each system."""
    look = page_look(width, HEIGHT)
    return without_theme(line_chart(kind, systems, systems, [], look, unfilled()))


def budget_outline(systems: list[str], measure: Measure, points: list[int], width: int, bands: bool) -> dict[str, Any]:
    """A measure over the characters that are read, with a line for each system, and a band around it."""
    look = page_look(width, HEIGHT)
    kind = budget_kind(measure, points)
    return without_theme(line_chart(kind, systems, systems, [], look, unfilled(), bands))


def distribution_outline(systems: list[str], width: int) -> dict[str, Any]:
    """A distribution over topics, with a row for each system; the page fills in the name of the measure."""
    look = page_look(width, distribution_height(len(systems)))
    return without_theme(distribution_chart(systems, systems, MEASURE, look, unfilled(), unfilled("quartiles")))


def difference_outline(width: int) -> dict[str, Any]:
    """The differences between two systems, whose names the page fills in with that of the measure."""
    pair, look = ("first", "second"), page_look(width, HEIGHT)
    return without_theme(difference_chart(pair, MEASURE, 0, 0.0, [], "differences", look, unfilled()))


def page_look(width: int, height: int) -> Look:
    """How a chart of a page looks that is of some size."""
    return Look(THEME, width, height, font_size=PAGE_FONT_SIZE)


def without_theme(chart: alt.LayerChart) -> dict[str, Any]:
    """The specification of a chart, which any theme may be given to."""
    spec: dict[str, Any] = chart.to_dict(validate=False)
    del spec["config"]
    return spec
