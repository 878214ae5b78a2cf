"""Charts by topic: how two runs differ on each topic, and how the values of each run are distributed over topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import altair as alt
import numpy as np

from assay.charts import style
from assay.charts.curves import LineKind, budget_kind, line_chart
from assay.errors import UsageError, count_noun
from assay.measures.base import Measure, MeasureLike
from assay.measures.notation import one_measure

if TYPE_CHECKING:
    from assay.charts.style import Data
    from assay.evaluation.score_table import ScoreTable
    from assay.tables.ids import Floats

# The least width of a bar with the name of its topic, and the width to which a chart may grow to show the names.
NARROWEST, WIDEST = 12, 900
# The height of a run in pixels if there are many.
STEP = 18
# Free pixels at both ends of the axis, so that a topic at 0 is not drawn on the line of the axis.
BESIDE_AXIS = 6
# The fractional parts of multiples of the golden ratio fill the interval from 0 to 1 evenly, for any number of dots.
GOLDEN = (5**0.5 - 1) / 2


def differences(
    scores: ScoreTable, a: str, b: str, measure: MeasureLike, **look: Unpack[style.LookAsked]
) -> alt.LayerChart:
    """Draw the difference a − b on each topic that counts for both runs, largest first."""
    if a == b:
        raise UsageError(f"{a!r} is compared with itself; expected two runs")
    asked = one_measure(measure, scores.measures)
    rows: list[dict[str, Any]] = [
        {
            "topic": topic, "difference": first - second, "first": first, "second": second,
            "run": higher(a, b, first - second),
        }
        for topic, first, second in sorted(values_of_two(scores, a, b, asked), key=lambda row: row[2] - row[1])
    ]  # fmt: skip
    more, less = (sum(row["run"] == run for row in rows) for run in (a, b))
    corrected = scores.corrected_difference(a, b, asked)
    mean = sum(row["difference"] for row in rows) / len(rows) if corrected is None else corrected.value
    equal = len(rows) - more - less
    about = f"{style.cut_to_fit(a)} is higher on {more}, {style.cut_to_fit(b)} on {less}, equal on {equal}"
    on_average = f"{'' if corrected is None else 'corrected '}mean difference {mean:+.4f} (dashed)".replace("-", "−")
    name = f"differences_{asked}_{scores.systems.index(a) + 1}_{scores.systems.index(b) + 1}"
    told = [about, on_average]
    size = style.look_of(look, differences_width(len(rows)))
    return difference_chart((a, b), str(asked), len(rows), mean, told, name, size, style.inline(rows))


@style.skip_schema_check
def difference_chart(
    pair: tuple[str, str],
    measure: str,
    topics: int,
    mean: float,
    about: list[str],
    name: str,
    look: style.Look,
    data: Data,
) -> alt.LayerChart:
    """Make the chart of differences from its data: a bar for each topic, and a line for the mean."""
    first, second = pair
    labels = topics * NARROWEST <= look.width
    selection = style.clicked_runs()
    bars = alt.Chart().mark_bar().encode(
        x=alt.X("topic:N", sort=None, title=f"{count_noun(topics, 'topic')}, sorted by difference",
                axis=alt.Axis(labels=labels, ticks=labels, labelAngle=-90, labelLimit=90, labelOverlap=False)),
        y=alt.Y("difference:Q", title=f"difference in {measure}"),
        color=alt.Color("run:N", scale=alt.Scale(domain=[first, second]),
                        legend=alt.Legend(title="higher", labelExpr=style.cut_where_drawn(), labelLimit=200)),
        opacity=style.opacity(selection),
        tooltip=[
            alt.Tooltip("topic:N"),
            alt.Tooltip("difference:Q", format=f"+{style.NUMBER}"),
            alt.Tooltip("first:Q", title=f"{measure} of {first}", format=style.NUMBER),
            alt.Tooltip("second:Q", title=f"{measure} of {second}", format=style.NUMBER),
        ],
    ).add_params(selection)  # fmt: skip
    # aggregate all rows into one; otherwise a line would be drawn for each of them
    level = alt.Chart().transform_aggregate(topics="count()")
    zero = level.mark_rule(style="reference").encode(y=alt.YDatum(0))
    average = level.mark_rule(style="reference", strokeDash=[4, 3]).encode(y=alt.YDatum(mean))
    title = [f"{measure} by topic: {style.cut_to_fit(first)} − {style.cut_to_fit(second)}", *about]
    return style.layered_chart({"bars": bars, "zero": zero, "mean": average}, name, title, look, data)


def differences_width(topics: int) -> int:
    """Return the width of a chart of differences: wider to show the names of topics, unless it would be too wide."""
    named = topics * NARROWEST
    return named if style.WIDTH < named <= WIDEST else style.WIDTH


def higher(a: str, b: str, difference: float) -> str | None:
    """Return the run with the higher value; None if they are equal."""
    return a if difference > 0 else b if difference < 0 else None


def values_of_two(scores: ScoreTable, a: str, b: str, measure: Measure) -> list[tuple[str, float, float]]:
    """Return the values of two runs on each topic that counts for both."""
    first, second = (dict(counting_topics(scores, run, measure)) for run in (a, b))
    both = [(topic, first[topic], second[topic]) for topic in first if topic in second]
    if not both:
        raise UsageError(f"{a!r} and {b!r} have no topic in common")
    return both


def counting_topics(scores: ScoreTable, run: str, measure: Measure) -> list[tuple[str, float]]:
    """Return the topics that count for a run, with its values."""
    scores[run, measure]  # refuses what is not there
    names = [str(known) for known in scores.measures]
    values = scores.values[scores.systems.index(run), names.index(str(measure))]
    return [(topic, value) for topic, value in zip(scores.topics, values.tolist(), strict=True) if value == value]


def distribution(scores: ScoreTable, measure: MeasureLike, **look: Unpack[style.LookAsked]) -> alt.LayerChart:
    """Draw the values of each run over topics: each value, the quartiles and the mean; highest mean first."""
    asked = one_measure(measure, scores.measures)
    by_run = {run: values for run in scores.systems if (values := counting_topics(scores, run, asked))}
    if not by_run:
        raise UsageError(f"no topic has a value of {asked}, so there is nothing to draw")
    boxes: list[dict[str, Any]] = [
        {"run": run, **quartiles(np.array([value for _, value in values])), "mean": scores[run, asked]}
        for run, values in by_run.items()
    ]
    boxes.sort(key=lambda row: -row["mean"])
    rows = [
        {"run": run, "topic": topic, "value": value, "spread": spread(number)}
        for run, values in by_run.items() for number, (topic, value) in enumerate(values)
    ]  # fmt: skip
    order = [row["run"] for row in boxes]
    size = style.look_of(look, style.WIDTH, distribution_height(len(order)))
    data = style.inline(rows), style.inline(boxes, "quartiles")
    return distribution_chart(scores.systems, order, str(asked), size, *data, style.shared_beginning(order))


@style.skip_schema_check
def distribution_chart(
    systems: list[str],
    order: list[str],
    measure: str,
    look: style.Look,
    topics: Data,
    boxes: Data,
    beginning: str = "",
) -> alt.LayerChart:
    """Make the chart from the values of topics and their quartiles: a row for each run, in the given order."""
    selection, colour, thick = (
        style.clicked_runs(in_legend=False),
        style.colour_of_runs(systems, None),
        0.6 * look.height / len(order),
    )
    summary = ("mean", "median", "q1", "q3")
    place = alt.Chart(boxes).encode(
        y=alt.Y("run:N", sort=order, title=None, axis=style.run_axis(look, beginning)),
        yOffset=alt.YOffset(datum=0.5),
        opacity=style.opacity(selection),
        tooltip=[alt.Tooltip("run:N"), *(alt.Tooltip(f"{name}:Q", format=style.NUMBER) for name in summary)],
    )
    strip = alt.Chart(topics).mark_circle(size=12).encode(
        x=alt.X("value:Q", title=measure, scale=alt.Scale(nice=False, padding=BESIDE_AXIS)),
        y=alt.Y("run:N", sort=order, title=None, axis=style.run_axis(look, beginning)),
        yOffset=alt.YOffset("spread:Q", scale=alt.Scale(domain=[0, 1])),
        color=colour,
        opacity=style.opacity(selection, 0.45),
        tooltip=[
            alt.Tooltip("run:N"), alt.Tooltip("topic:N"), alt.Tooltip("value:Q", title=measure, format=style.NUMBER),
        ],
    ).add_params(selection)  # fmt: skip
    layers = {
        "topics": strip,
        "whiskers": place.mark_rule(strokeWidth=1).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), color=colour),
        "quartiles": place.mark_rule(strokeWidth=thick).encode(
            x=alt.X("q1:Q"), x2=alt.X2("q3:Q"), color=colour, opacity=style.opacity(selection, 0.35)
        ),
        "median": place.mark_tick(style="summary", thickness=2, size=thick).encode(x=alt.X("median:Q")),
        "mean": place.mark_point(style="summary", shape="diamond", filled=True, size=40).encode(x=alt.X("mean:Q")),
    }
    order_by = "diamond: value over all topics, highest first"
    order_by += style.without_beginning(order) if beginning else ""
    how = "one dot per topic; box: quartiles; line: median; whiskers: 1.5 IQR"
    return style.layered_chart(layers, f"distribution_{measure}", [f"{measure} by topic", order_by, how], look)


def distribution_height(runs: int) -> int:
    """Return the height of the distributions of this many runs, which are closer together if there are many."""
    return runs * (STEP if runs > style.BESIDE else 2 * STEP)


def quartiles(values: Floats) -> dict[str, float]:
    """Return what a box plot shows: the quartiles, and the outermost values within 1.5 IQR of the box.

    Infinite values, of topics that never reach what a measure asks for, are left out.
    """
    values = values[np.isfinite(values)]
    if not len(values):
        return dict.fromkeys(("low", "q1", "median", "q3", "high"), np.nan)
    q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    near = values[(values >= q1 - 1.5 * (q3 - q1)) & (values <= q3 + 1.5 * (q3 - q1))]
    return {"low": float(near.min()), "q1": q1, "median": median, "q3": q3, "high": float(near.max())}


def spread(number: int) -> float:
    """Return the height of a topic's dot in the row of its run, from 0 to 1; consecutive dots are far apart."""
    return 0.15 + 0.7 * (number * GOLDEN % 1)


# Outlines: charts without data, for a page that makes the rows of its charts from the values that it has.
#
# An outline has no theme, because the reader chooses it on the page. The page fills in what depends on values.

THEME = "light"
# The font size of charts on a page, in pixels: large enough for paper, where charts are smaller.
PAGE_FONT_SIZE = 13
# The placeholder in an outline for the name of a measure.
MEASURE = "measure"


def curve_outline(systems: list[str], kind: LineKind, width: int) -> dict[str, Any]:
    """Return the outline of a curve, with a line for each system."""
    look = page_look(width, style.HEIGHT)
    return without_theme(line_chart(kind, systems, systems, [], look, style.named_data()))


def budget_outline(systems: list[str], measure: Measure, points: list[int], width: int, bands: bool) -> dict[str, Any]:
    """Return the outline of a measure over the characters read, with a line and a band for each system."""
    look = page_look(width, style.HEIGHT)
    kind = budget_kind(measure, points)
    return without_theme(line_chart(kind, systems, systems, [], look, style.named_data(), bands))


def distribution_outline(systems: list[str], width: int) -> dict[str, Any]:
    """Return the outline of a distribution over topics, with a row for each system.

    The page fills in the name of the measure.
    """
    look = page_look(width, distribution_height(len(systems)))
    return without_theme(
        distribution_chart(systems, systems, MEASURE, look, style.named_data(), style.named_data("quartiles"))
    )


def difference_outline(width: int) -> dict[str, Any]:
    """Return the outline of differences between two systems; the page fills in their names and the measure."""
    pair, look = ("first", "second"), page_look(width, style.HEIGHT)
    return without_theme(difference_chart(pair, MEASURE, 0, 0.0, [], "differences", look, style.named_data()))


def page_look(width: int, height: int) -> style.Look:
    """Return the look of a chart of this size on a page."""
    return style.Look(THEME, width, height, font_size=PAGE_FONT_SIZE)


def without_theme(chart: alt.LayerChart) -> dict[str, Any]:
    """Return the specification of a chart without its config, so that a page can give it any theme."""
    spec: dict[str, Any] = chart.to_dict(validate=False)
    del spec["config"]
    return spec
