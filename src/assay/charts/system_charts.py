"""Systems by two measures at once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Unpack

from assay.charts.point_labels import point_labels
from assay.charts.style import (
    NUMBER,
    WIDTH,
    LookAsked,
    chosen,
    coloured,
    faded,
    inline,
    layered,
    legend,
    look_of,
    shaped,
    unchecked,
)
from assay.comparing.coefficients import tau_b
from assay.errors import counted
from assay.measures.notation import measures_of

if TYPE_CHECKING:
    import altair as alt

    from assay.evaluation.score_table import ScoreTable


@unchecked
def scatter(scores: ScoreTable, x: Any, y: Any, **asked: Unpack[LookAsked]) -> alt.LayerChart:
    """Each run by two measures, and in the title Kendall's tau: how far the two order the runs alike.

    Every run has its name beside its point, or where there is no room, farther away, at the end of a thin line.
    """
    import altair as alt

    (across,), (up,) = measures_of([x]), measures_of([y])
    systems, look = scores.systems, look_of(asked, WIDTH, WIDTH)
    xs, ys = ([float(scores[run, measure]) for run in systems] for measure in (across, up))
    points = [{"run": run, "x": x, "y": y} for run, x, y in zip(systems, xs, ys, strict=True)]
    inline(points)  # refuses what has no place
    ranges = [reach(xs), reach(ys)]
    labels = point_labels(list(zip(systems, xs, ys, strict=True)), ranges, look)
    rows = inline([point | vars(label) for point, label in zip(points, labels, strict=True)])
    selection, shown = chosen(), legend(systems, look, "points", beside=False)
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
    lines = place.mark_rule(style="reference", strokeWidth=0.6).encode(x2=alt.X2("end_x:Q"), y2=alt.Y2("end_y:Q"))
    text = place.mark_text(align=alt.expr("datum.align"), baseline="middle").encode(
        x=alt.X("label_x:Q"), y=alt.Y("label_y:Q"), text=alt.Text("label:N")
    )
    layers = {
        "leaders": lines.transform_filter("datum.far"),
        "points": marks.add_params(selection),
        "labels": text,
    }
    about = f"Kendall's τ-b {agreement(xs, ys)}, {counted(len(systems), 'run')}"
    return layered(layers, f"scatter_{across}_{up}", [f"{up} against {across}", about], look, rows)


def agreement(xs: list[float], ys: list[float]) -> str:
    """Kendall's tau with three decimals; values that differ by rounding alone are tied, as in `correlate`."""
    tau = tau_b(*([round(value, 12) for value in values] for values in (xs, ys))) if len(xs) > 1 else math.nan
    return f"{tau:.3f}".replace("-", "−") if tau == tau else "undefined"


def reach(values: list[float]) -> list[float]:
    """From the lowest to the highest value, and a little more on both sides."""
    low, high = min(values), max(values)
    margin = (high - low) * 0.06 or 0.05
    return [low - margin, high + margin]
