"""Systems: by two measures at once, and how measures or systems agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.charts.style import (
    NUMBER,
    WIDTH,
    Look,
    chart_title,
    chosen,
    coloured,
    cut_to_fit,
    faded,
    inline,
    layered,
    legend,
    shaped,
)
from assay.comparing.coefficients import tau_b
from assay.errors import UsageError, counted
from assay.measures.notation import measures_of

if TYPE_CHECKING:
    import altair as alt

    from assay.evaluation.score_table import ScoreTable

# The pixels that a label takes: the width of a letter, the height of a line, and the distance from its point.
LETTER, LINE, AWAY = 6.5, 12, 9
# A cell narrower than this has no room for its number.
NARROWEST = 28
# The size of a cell where there is room, and where it is only as high as the name beside it.
ROOMY, LOWEST = 48, 13
# From this correlation on a cell is so dark, or in the dark theme so bright, that its number has the opposite colour.
STRONG = 0.75


def scatter(
    scores: ScoreTable, x: Any, y: Any, *, theme: str = "light", width: int = WIDTH, height: int = WIDTH
) -> alt.LayerChart:
    """Each run by two measures, and in the title Kendall's tau: how far the two order the runs alike."""
    import altair as alt

    (across,), (up,) = measures_of([x]), measures_of([y])
    systems = scores.systems
    xs, ys = ([float(scores[run, measure]) for run in systems] for measure in (across, up))
    ranges = [reach(xs), reach(ys)]
    points = list(zip(systems, xs, ys, strict=True))
    labels = point_labels(points, ranges, width, height)
    rows = inline([{"run": run, "x": x, "y": y, "label": labels.get(run, "")} for run, x, y in points])
    selection, shown = chosen(), legend(systems, width, "points", beside=False)
    place = alt.Chart().encode(
        x=alt.X("x:Q", title=str(across), scale=alt.Scale(domain=ranges[0], nice=False)),
        y=alt.Y("y:Q", title=str(up), scale=alt.Scale(domain=ranges[1], nice=False)),
        opacity=faded(selection, 0.85),
    )
    marks = place.mark_point(filled=True, size=70).encode(
        color=coloured(systems, shown),
        shape=shaped(systems, shown),
        tooltip=[alt.Tooltip("run:N"), alt.Tooltip("x:Q", title=str(across), format=NUMBER),
                 alt.Tooltip("y:Q", title=str(up), format=NUMBER)],
    )  # fmt: skip
    text = place.mark_text(align="left", baseline="middle", dx=AWAY).encode(text="label:N")
    layers = {"points": marks.add_params(selection), "labels": text}
    about = f"Kendall's τ-b {agreement(xs, ys)}, {counted(len(systems), 'run')}"
    title = chart_title(f"{up} against {across}", width, about)
    return layered(layers, f"scatter_{across}_{up}", title, Look(theme, width, height), rows)


def agreement(xs: list[float], ys: list[float]) -> str:
    """Kendall's tau with three decimals; values that differ by rounding alone are tied, as in `correlate`."""
    tau = tau_b(*([round(value, 12) for value in values] for values in (xs, ys))) if len(xs) > 1 else math.nan
    return f"{tau:.3f}".replace("-", "−") if tau == tau else "undefined"


def reach(values: list[float]) -> list[float]:
    """From the lowest to the highest value, and a little more on both sides."""
    low, high = min(values), max(values)
    margin = (high - low) * 0.06 or 0.05
    return [low - margin, high + margin]


def point_labels(
    points: list[tuple[str, float, float]], ranges: list[list[float]], width: int, height: int
) -> dict[str, str]:
    """Names for as many runs as have room beside their point, those with the highest values first."""
    (left, right), (bottom, top) = ranges
    spots = [(run, (x - left) / (right - left) * width, (top - y) / (top - bottom) * height) for run, x, y in points]
    taken = [(x - AWAY / 2, y - AWAY / 2, x + AWAY / 2, y + AWAY / 2) for _, x, y in spots]
    given = {}
    for run, x, y in sorted(spots, key=lambda spot: spot[2] - spot[1]):
        label = cut_to_fit(run, 24)
        box = (x + AWAY / 2 + 1, y - LINE / 2, x + AWAY + LETTER * len(label), y + LINE / 2)
        if not any(boxes_overlap(box, other) for other in taken):
            taken.append(box)
            given[run] = label
    return given


def boxes_overlap(first: tuple[float, ...], second: tuple[float, ...]) -> bool:
    """Whether two boxes, each (left, top, right, bottom), have anything in common."""
    across = first[0] < second[2] and second[0] < first[2]
    return across and first[1] < second[3] and second[1] < first[3]


def heatmap(
    names: Sequence[Any], matrix: Any, *, title: str = "Correlation", theme: str = "light",
    width: int | None = None, height: int | None = None,
) -> alt.LayerChart:  # fmt: skip
    """A square of correlations, from -1 to 1, of measures or of systems; one that is undefined is left empty."""
    import altair as alt
    import numpy as np

    names, values = [str(name) for name in names], np.asarray(matrix, dtype=float)
    if values.shape != (len(names), len(names)) or not names:
        given = f"{counted(len(names), 'name')} and a matrix of shape {values.shape}"
        raise UsageError(f"{given}; expected a row and a column a name")
    if len(set(names)) < len(names):
        raise UsageError("two rows of the matrix have the same name")
    if (wrong := values[np.abs(values) > 1 + 1e-9]).size:
        raise UsageError(f"{wrong[0]} is no correlation; expected values from -1 to 1")
    fitting = max(LOWEST * len(names), min(ROOMY * len(names), WIDTH))
    width, height = width or fitting, height or fitting
    rows = [
        {"row": row, "column": column, "value": value, "strong": abs(value) > STRONG}
        for row, line in zip(names, values.tolist(), strict=True)
        for column, value in zip(names, line, strict=True) if value == value
    ]  # fmt: skip
    squeezed = LOWEST * len(names) > min(width, height)
    place = alt.Chart().encode(
        x=alt.X("column:N", title=None, scale=alt.Scale(domain=names),
                axis=alt.Axis(labelAngle=-90, labelOverlap=squeezed)),
        y=alt.Y("row:N", title=None, scale=alt.Scale(domain=names), axis=alt.Axis(labelOverlap=squeezed)),
        tooltip=[alt.Tooltip("row:N"), alt.Tooltip("column:N"), alt.Tooltip("value:Q", format=NUMBER)],
    )  # fmt: skip
    scale = alt.Scale(domain=[-1, 1], domainMid=0, interpolate="rgb")
    colour = alt.Color("value:Q", scale=scale, legend=alt.Legend(title=None, gradientLength=160))
    layers = {"cells": place.mark_rect().encode(color=colour)}
    if NARROWEST * len(names) <= width:
        text = alt.Text("value:Q", format=".2f")
        layers["weak"] = place.mark_text(style="on-weak").encode(text=text).transform_filter("!datum.strong")
        layers["strong"] = place.mark_text(style="on-strong").encode(text=text).transform_filter("datum.strong")
    look, data = Look(theme, width, height), inline(rows, "correlations")
    return layered(layers, f"heatmap_{title}", chart_title(title, width), look, data)
