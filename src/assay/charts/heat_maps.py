"""Heat maps: correlations of system rankings between measures, and the value of each system on each topic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

import altair as alt
import numpy as np

from assay.charts import style
from assay.errors import UsageError, count_noun
from assay.measures.notation import one_measure

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from assay.evaluation.score_table import ScoreTable
    from assay.measures.base import MeasureLike
    from assay.tables.ids import Floats

# A cell narrower than this has no room for its number.
NARROWEST = 28
# The size of a cell if there is room, and the least size: as high as the name beside it.
ROOMY, LOWEST = 48, 13
# The height of a row of a system, and the greatest width of a map that shows the names of topics.
ROW, WIDEST = 26, 900
# A value above this share of the scale has a strong colour, dark or in the dark theme bright, so its number has the
# opposite colour.
STRONG = 0.75
HEADING = "Correlation of system rankings between measures"


@style.skip_schema_check
def heatmap(
    names: Sequence[Any], matrix: ArrayLike, heading: str = HEADING, about: str = "", **asked: Unpack[style.LookAsked]
) -> alt.LayerChart:
    """Draw a square of correlations from -1 to 1, of measures or of systems; an undefined correlation is left empty.

    If none is negative, the colours range from just below the lowest correlation to 1, so that they can be told apart.
    """
    names, values = [str(name) for name in names], np.asarray(matrix, dtype=float)
    refuse_other_matrices(names, values)
    side = max(LOWEST * len(names), min(ROOMY * len(names), style.WIDTH))
    look = style.look_of(asked, side, side)
    lowest = float(np.nanmin(values, initial=1))
    # one step of 0.1 below the lowest, so that the lowest has a colour too
    low = -1.0 if lowest < 0 else max(0.0, math.floor(lowest * 10 - 1e-9) / 10)
    rows = [
        {"row": row, "column": column, "value": value, "strong": strong(value, low, 1.0)}
        for row, line in zip(names, values.tolist(), strict=True)
        for column, value in zip(names, line, strict=True) if value == value
    ]  # fmt: skip
    squeezed = LOWEST * len(names) > min(look.width, look.height)
    place = alt.Chart().encode(
        x=alt.X("column:N", title=None, scale=alt.Scale(domain=names),
                axis=alt.Axis(labelAngle=-90, labelOverlap=squeezed)),
        y=alt.Y("row:N", title=None, scale=alt.Scale(domain=names), axis=alt.Axis(labelOverlap=squeezed)),
        tooltip=[alt.Tooltip("row:N"), alt.Tooltip("column:N"), alt.Tooltip("value:Q", format=style.NUMBER)],
    )  # fmt: skip
    scale = alt.Scale(domain=[low, 1], interpolate="rgb", domainMid=0 if low < 0 else alt.Undefined)
    layers = cells(place, scale, look, len(names), len(names), ".2f")
    title = [heading, about] if about else [heading]
    return style.layered_chart(layers, f"heatmap_{heading}", title, look, style.inline(rows, "correlations"))


def refuse_other_matrices(names: list[str], values: Floats) -> None:
    """Refuse anything but a square of correlations with a name for each row."""
    if values.shape != (len(names), len(names)) or not names:
        given = f"{count_noun(len(names), 'name')} and a matrix of shape {values.shape}"
        raise UsageError(f"{given}; expected a row and a column per name")
    if len(set(names)) < len(names):
        raise UsageError("two rows of the matrix have the same name")
    if (wrong := values[np.abs(values) > 1 + 1e-9]).size:
        raise UsageError(f"{wrong[0]} is not a correlation; expected values from -1 to 1")


@style.skip_schema_check
def topic_heatmap(scores: ScoreTable, measure: MeasureLike, **asked: Unpack[style.LookAsked]) -> alt.LayerChart:
    """Draw the value of each run on each topic: the best run at the top, topics with the highest mean first."""
    measured = one_measure(measure, scores.measures)
    scores[scores.systems[0], measured]  # refuses what was not measured
    values = scores.values[:, [str(known) for known in scores.measures].index(str(measured))]
    if np.isnan(values).all():
        raise UsageError(f"no topic has a value of {measured}, so there is nothing to draw")
    kept = np.flatnonzero((values == values).any(axis=0)).tolist()
    topics, values = [scores.topics[place] for place in kept], values[:, kept]
    systems = style.best_first(scores, measured)
    easiest = np.argsort(-np.nanmean(values, axis=0), kind="stable").tolist()
    look = style.look_of(asked, *map_size(len(topics), len(systems)))
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    rows = [
        {"run": run, "topic": topics[place], "value": value, "strong": strong(value, low, high)}
        for run in systems
        for place in easiest
        if (value := float(values[scores.systems.index(run), place])) == value
    ]
    labels = len(topics) * LOWEST <= look.width
    place = alt.Chart().encode(
        x=alt.X("topic:N", sort=None, title=f"{count_noun(len(topics), 'topic')}, highest mean first",
                scale=alt.Scale(domain=[topics[place] for place in easiest]),
                axis=alt.Axis(labels=labels, ticks=labels, labelAngle=-90, labelLimit=90, labelOverlap=False)),
        y=alt.Y("run:N", title=None, scale=alt.Scale(domain=systems),
                axis=style.run_axis(look, style.shared_beginning(systems),
                                    labelOverlap=LOWEST * len(systems) > look.height)),
        tooltip=[alt.Tooltip("run:N"), alt.Tooltip("topic:N"),
                 alt.Tooltip("value:Q", title=str(measured), format=style.NUMBER)],
    )  # fmt: skip
    scale = alt.Scale(domain=[low, high] if low < high else [min(low, 0), max(high, 1)], interpolate="rgb")
    whole = bool((values[~np.isnan(values)] % 1 == 0).all()) and high > 1
    layers = cells(place, scale, look, len(topics), len(systems), ",d" if whole else ".2f")
    about = f"{count_noun(len(systems), 'run')}, best first{style.without_beginning(systems)}"
    title = [f"{measured} by topic and run", about]
    return style.layered_chart(layers, f"topic_heatmap_{measured}", title, look, style.inline(rows))


def map_size(topics: int, systems: int) -> tuple[int, int]:
    """Return the size of a map with this many columns and rows: names are shown unless the map would be too wide."""
    width = max(min(ROOMY * topics, style.WIDTH), min((LOWEST + 1) * topics, WIDEST))
    return width, systems * (ROW if systems <= ROW else LOWEST)


def strong(value: float, low: float, high: float) -> bool:
    """Tell whether a value has a strong colour on the scale; if the scale goes below 0, it is measured from 0."""
    ends = (0.0, max(-low, high)) if low < 0 else (low, high)
    return ends[1] > ends[0] and (abs(value) - ends[0]) / (ends[1] - ends[0]) > STRONG


def cells(
    place: alt.Chart, scale: alt.Scale, look: style.Look, columns: int, rows: int, written: str
) -> dict[str, alt.Chart]:
    """Return layers with the coloured cells, and their numbers if there is room."""
    legend = alt.Legend(title=None, gradientLength=min(160, max(look.height, 60)))
    layers = {"cells": place.mark_rect().encode(color=alt.Color("value:Q", scale=scale, legend=legend))}
    larger = look.font_size / style.FONT_SIZE
    if NARROWEST * larger * columns <= look.width and LOWEST * larger * rows <= look.height:
        text = alt.Text("value:Q", format=written)
        layers["weak"] = place.mark_text(style="on-weak").encode(text=text).transform_filter("!datum.strong")
        layers["strong"] = place.mark_text(style="on-strong").encode(text=text).transform_filter("datum.strong")
    return layers
