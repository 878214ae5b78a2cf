"""A scatter chart: systems by two measures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import cos, hypot, pi, sin
from typing import TYPE_CHECKING, Any, Unpack

import altair as alt
import numpy as np

from assay.charts import style
from assay.comparing.correlation import tau_b
from assay.errors import count_noun
from assay.measures.notation import one_measure
from assay.tables.ids import Floats

if TYPE_CHECKING:
    from assay.evaluation.score_table import ScoreTable
    from assay.measures.base import MeasureLike

# Where to put the names of points, so that no name covers another name or a point.

# How many letters of a name are shown, unless more are needed to tell it from others.
LONGEST = 24
# The width of a wide letter and the height of a line, as shares of the font size.
LETTER, LINE = 0.58, 1.2
# The distance of a label from the middle of its point, and half the side of a point, which no label may cover.
AWAY, POINT = 8.0, 4.5
# Around a point, a name is tried in this many directions, first to the right, in rings this many pixels apart.
DIRECTIONS, STEP = 16, 9.0

# Left, top, right and bottom, in pixels from the top left corner.
Box = tuple[float, float, float, float]
# x and y of one end, and of the other.
Segment = tuple[float, float, float, float]


@dataclass(frozen=True)
class PointLabel:
    """The name of a point, and its position in units of the axes, at the middle of its height.

    `align` says whether the position is the left end, the middle or the right end of the name: the end of its box that
    is next to the point, because a name is mostly narrower than its box. If the name is `far` from its point, a line
    leads from the point to `end_x` and `end_y`.
    """

    label: str
    align: str
    label_x: float
    label_y: float
    far: bool
    end_x: float
    end_y: float


def point_labels(
    points: list[tuple[str, float, float]], ranges: list[list[float]], look: style.Look
) -> list[PointLabel]:
    """Place the names of points, each given as (name, x, y); points with the highest values choose first."""
    (left, right), (bottom, top) = ranges
    across, down = look.width / (right - left), look.height / (top - bottom)
    spots = [((x - left) * across, (top - y) * down) for _, x, y in points]
    taken = np.array([(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in spots])
    texts = names_apart(style.short_names([name for name, _, _ in points]), LONGEST)
    labels: dict[int, PointLabel] = {}
    leaders: list[Segment] = []
    for number in sorted(range(len(spots)), key=lambda each: spots[each][1] - spots[each][0]):
        text, (x, y) = texts[number], spots[number]
        box, far = free_place(x, y, text, taken, len(spots), leaders, look)
        taken = np.vstack((taken, box))
        end = nearest(x, y, box)
        leaders += [(x, y, *end)] if far else []
        align, edge = next_to(x, box)
        place = edge, (box[1] + box[3]) / 2
        (label_x, label_y), (end_x, end_y) = ((left + x / across, top - y / down) for x, y in (place, end))
        labels[number] = PointLabel(text, align, label_x, label_y, far, end_x, end_y)
    return [labels[number] for number in range(len(points))]


def next_to(x: float, box: Box) -> tuple[str, float]:
    """Return which part of a box is next to a point, `left`, `right` or `center`, and its x."""
    if x < box[0]:
        return "left", box[0]
    return ("right", box[2]) if x > box[2] else ("center", (box[0] + box[2]) / 2)


def names_apart(names: list[str], most: int) -> list[str]:
    """Shorten names to at most this many letters; what all names begin or end with is left out first.

    Names that would become the same stay whole.
    """
    if len(names) < 2:
        return [name if len(name) <= most else f"{name[: most - 1]}…" for name in names]
    before = letters_shared(names)
    after = letters_shared([name[before:][::-1] for name in names])
    short = [name if len(name) <= most else without_alike(name, before, after, most) for name in names]
    return [name if short.count(cut) > 1 else cut for name, cut in zip(names, short, strict=True)]


def letters_shared(names: list[str]) -> int:
    """Return how many letters all names share at their beginning."""
    places = enumerate(zip(*names, strict=False))
    return next((place for place, letters in places if len({*letters}) > 1), min(map(len, names)))


def without_alike(name: str, before: int, after: int, most: int) -> str:
    """Shorten a name whose first `before` and last `after` letters are shared by all names."""
    head, own, tail = name[:before], name[before : len(name) - after], name[len(name) - after :]
    if len(own) > most - 2:
        # names differ at their ends more often than in the middle
        return f"{own[: most // 2]}…{own[most // 2 + 1 - most :]}"
    tail = "…" if len(tail) > 1 else tail
    room = most - len(own) - len(tail)
    return (head if len(head) <= room else f"{head[: room - 1]}…") + own + tail


def free_place(
    x: float, y: float, text: str, taken: Floats, points: int, leaders: list[Segment], look: style.Look
) -> tuple[Box, bool]:
    """Return the first box for a name that covers nothing, and whether it is far from its point at pixels x and y.

    `taken` are the boxes of `points`, followed by those of names. `leaders` are the lines to names: if possible, no
    line runs through a name. If there is no free place, the name is beside its point all the same.
    """
    crossed = None
    width, height = LETTER * look.font_size * max(len(text), 1), LINE * look.font_size
    for box, far in places_around(x, y, width, height, hypot(look.width, look.height)):
        inside = box[0] >= 0 and box[1] >= 0 and box[2] <= look.width and box[3] <= look.height
        if not inside or covers(box, taken):
            continue
        crossed = crossed or (box, far)
        if any(crosses(line, np.array([box])) for line in leaders):
            continue
        if not far or not crosses((x, y, *nearest(x, y, box)), taken[points:]):
            return box, far
    if crossed:
        return crossed
    return around(x + AWAY + width / 2, y, width, height), False


def nearest(x: float, y: float, box: Box) -> tuple[float, float]:
    """Return the place of a box that is nearest to a point."""
    return min(max(x, box[0]), box[2]), min(max(y, box[1]), box[3])


def crosses(line: Segment, boxes: Floats) -> bool:
    """Tell whether a line runs through one of the boxes: some of it remains after clipping it to the box."""
    x, y, end_x, end_y = line
    first, last = np.zeros(len(boxes)), np.ones(len(boxes))
    for start, way, low, high in ((x, end_x - x, 0, 2), (y, end_y - y, 1, 3)):
        if abs(way) < 1e-9:
            outside = (start <= boxes[:, low]) | (start >= boxes[:, high])
            first = np.where(outside, 1.0, first)
            last = np.where(outside, 0.0, last)
        else:
            ends = np.sort(np.stack(((boxes[:, low] - start) / way, (boxes[:, high] - start) / way)), axis=0)
            first, last = np.maximum(first, ends[0]), np.minimum(last, ends[1])
    return bool((first < last - 1e-9).any())


def covers(box: Box, others: Floats) -> bool:
    """Tell whether a box overlaps one of the others."""
    across = (box[0] < others[:, 2]) & (others[:, 0] < box[2])
    return bool((across & (box[1] < others[:, 3]) & (others[:, 1] < box[3])).any())


def places_around(x: float, y: float, width: float, height: float, farthest: float) -> Iterator[tuple[Box, bool]]:
    """Yield places for a name and whether each is far from the point: beside, above, below, then in wider rings."""
    beside, above = AWAY + width / 2, AWAY + height / 2
    for right, down in ((beside, 0.0), (-beside, 0.0), (0.0, -above), (0.0, above)):
        yield around(x + right, y + down, width, height), False
    rings = range(1, int(farthest / STEP) + 1)
    for ring, direction in product(rings, range(DIRECTIONS)):
        angle = 2 * pi * direction / DIRECTIONS
        away = AWAY + ring * STEP
        yield around(x + (away + width / 2) * cos(angle), y - away * sin(angle), width, height), True


def around(x: float, y: float, width: float, height: float) -> Box:
    """Return the box of this size around its middle."""
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


@style.skip_schema_check
def scatter(scores: ScoreTable, x: MeasureLike, y: MeasureLike, **asked: Unpack[style.LookAsked]) -> alt.LayerChart:
    """Draw each run by two measures; the subtitle has Kendall's tau between the two rankings.

    Each run has its name beside its point, or farther away at the end of a thin line if there is no room.
    """
    across, up = one_measure(x, scores.measures), one_measure(y, scores.measures)
    systems, look = scores.systems, style.look_of(asked, style.WIDTH, style.WIDTH)
    xs, ys = ([float(scores[run, measure]) for run in systems] for measure in (across, up))
    points = [{"run": run, "x": x, "y": y} for run, x, y in zip(systems, xs, ys, strict=True)]
    style.inline(points)  # refuses what has no place
    ranges = [reach(xs), reach(ys)]
    labels = point_labels(list(zip(systems, xs, ys, strict=True)), ranges, look)
    rows = style.inline([point | vars(label) for point, label in zip(points, labels, strict=True)])
    # every point has its name, so the chart needs no legend
    selection, shown = style.clicked_runs(in_legend=False), None
    place = alt.Chart().encode(
        x=alt.X("x:Q", title=str(across), scale=alt.Scale(domain=ranges[0], nice=False)),
        y=alt.Y("y:Q", title=str(up), scale=alt.Scale(domain=ranges[1], nice=False)),
        opacity=style.opacity(selection, 0.85),
    )
    marks = place.mark_point(filled=True, size=style.in_proportion(70, look)).encode(
        color=style.colour_of_runs(systems, shown),
        shape=style.shapes_of_runs(systems, shown),
        tooltip=[alt.Tooltip("run:N"), alt.Tooltip("x:Q", title=str(across), format=style.NUMBER),
                 alt.Tooltip("y:Q", title=str(up), format=style.NUMBER)],
    )  # fmt: skip
    lines = place.mark_rule(style="reference", strokeWidth=0.6).encode(x2=alt.X2("end_x:Q"), y2=alt.Y2("end_y:Q"))
    named = place.encode(x=alt.X("label_x:Q"), y=alt.Y("label_y:Q"), text=alt.Text("label:N"))
    where: dict[str, Any] = {"align": alt.expr("datum.align"), "baseline": "middle"}
    layers = {
        "leaders": lines.transform_filter("datum.far"),
        "points": marks.add_params(selection),
        # a halo hides a line that has to pass behind the letters of a name
        "halos": named.mark_text(style="halo", **where),
        "labels": named.mark_text(**where),
    }
    # if lower is better, the lowest comes first, as in `correlate`
    ordered = [
        [-value for value in values] if measure.less_is_better else values
        for measure, values in ((across, xs), (up, ys))
    ]
    about = f"Kendall's τ-b {agreement(*ordered)}, {count_noun(len(systems), 'run')}{style.without_beginning(systems)}"
    return style.layered_chart(layers, f"scatter_{across}_{up}", [f"{up} against {across}", about], look, rows)


def agreement(xs: list[float], ys: list[float]) -> str:
    """Return Kendall's tau with three decimals; values that differ only by rounding are tied, as in `correlate`."""
    tau = tau_b(*([round(value, 12) for value in values] for values in (xs, ys))) if len(xs) > 1 else math.nan
    return f"{tau:.3f}".replace("-", "−") if tau == tau else "undefined"


def reach(values: list[float]) -> list[float]:
    """Return the lowest and the highest value with a small margin."""
    low, high = min(values), max(values)
    margin = (high - low) * 0.06 or 0.05
    return [low - margin, high + margin]
