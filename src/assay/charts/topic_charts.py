"""Topics: how two runs differ on each of them, and how the values of each run are spread over them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.charts.style import BESIDE, HEIGHT, NUMBER, WIDTH, Look, chosen, coloured, drawn, faded, inline, short, titled
from assay.errors import UsageError, counted
from assay.measures.base import Measure
from assay.measures.notation import measures_of

if TYPE_CHECKING:
    import altair as alt

    from assay.evaluation.score_table import ScoreTable
    from assay.tables.ids import Floats

# A bar narrower than this has no room for the name of its topic.
NARROWEST = 12
# The height of a run in pixels where there are many.
STEP = 18
# One after another they fill an interval evenly, however many there are.
GOLDEN = (5**0.5 - 1) / 2


def differences(
    scores: ScoreTable, a: str, b: str, measure: Any, *, theme: str = "light", width: int = WIDTH, height: int = HEIGHT
) -> alt.LayerChart:
    """What a scores more than b on each topic that counts for both, the largest difference first."""
    import altair as alt

    if a == b:
        raise UsageError(f"{a!r} is compared with itself; expected two runs")
    (one,) = measures_of([measure])
    found = paired(scores, a, b, one)
    rows: list[dict[str, Any]] = [
        {"topic": topic, "difference": first - second, "first": first, "second": second, "run": higher(a, b, first - second)}
        for topic, first, second in sorted(found, key=lambda row: row[2] - row[1])
    ]
    more, less = (sum(row["run"] == run for row in rows) for run in (a, b))
    mean = sum(row["difference"] for row in rows) / len(rows)
    labels = len(rows) * NARROWEST <= width
    selection = chosen()
    bars = alt.Chart().mark_bar().encode(
        x=alt.X("topic:N", sort=None, title=f"{counted(len(rows), 'topic')}, by difference",
                axis=alt.Axis(labels=labels, ticks=labels, labelAngle=-90, labelLimit=90, labelOverlap=False)),
        y=alt.Y("difference:Q", title=f"difference of {one}"),
        color=alt.Color("run:N", scale=alt.Scale(domain=[a, b]), legend=alt.Legend(title="higher", labelLimit=200)),
        opacity=faded(selection),
        tooltip=[
            alt.Tooltip("topic:N"),
            alt.Tooltip("difference:Q", format=f"+{NUMBER}"),
            alt.Tooltip("first:Q", title=f"{one} of {a}", format=NUMBER),
            alt.Tooltip("second:Q", title=f"{one} of {b}", format=NUMBER),
        ],
    ).add_params(selection)  # fmt: skip
    # all rows as one: else a rule would be drawn for each of them, one upon the other
    level = alt.Chart().transform_aggregate(topics="count()")
    zero = level.mark_rule(style="reference").encode(y=alt.datum(0))
    average = level.mark_rule(style="reference", strokeDash=[4, 3]).encode(y=alt.datum(mean))
    about = f"{short(a)} is higher on {more}, {short(b)} on {less}, equal on {len(rows) - more - less}"
    on_average = f"mean difference {mean:+.4f} (dashed)".replace("-", "−")
    title = titled(f"{one} by topic: {short(a)} − {short(b)}", width, about, on_average)
    name = f"differences_{one}_{scores.systems.index(a) + 1}_{scores.systems.index(b) + 1}"
    return drawn({"bars": bars, "zero": zero, "mean": average}, name, title, Look(theme, width, height), inline(rows))


def higher(a: str, b: str, difference: float) -> str | None:
    """The run that has more, if one has."""
    return a if difference > 0 else b if difference < 0 else None


def paired(scores: ScoreTable, a: str, b: str, measure: Measure) -> list[tuple[str, float, float]]:
    """The values of two runs on each topic that counts for both."""
    first, second = (dict(by_topic(scores, run, measure)) for run in (a, b))
    both = [(topic, first[topic], second[topic]) for topic in first if topic in second]
    if not both:
        raise UsageError(f"{a!r} and {b!r} have no topic in common")
    return both


def by_topic(scores: ScoreTable, run: str, measure: Measure) -> list[tuple[str, float]]:
    """The topics that count for a run, and its values there."""
    scores[run, measure]  # refuses what is not there
    values = scores.values[scores.systems.index(run), [str(one) for one in scores.measures].index(str(measure))]
    return [(topic, value) for topic, value in zip(scores.topics, values.tolist(), strict=True) if value == value]


def distribution(
    scores: ScoreTable, measure: Any, *, theme: str = "light", width: int = WIDTH, height: int | None = None
) -> alt.LayerChart:
    """The values of each run over its topics: each of them, their quartiles and their mean; the highest median first."""
    import altair as alt

    (one,) = measures_of([measure])
    found = {run: values for run in scores.systems if (values := by_topic(scores, run, one))}
    if not found:
        raise UsageError(f"no topic has a value of {one}")
    boxes = [box(run, np.array([value for _, value in values]), scores[run, one]) for run, values in found.items()]
    boxes.sort(key=lambda row: (-row["median"], -row["mean"]))
    rows = [
        {"run": run, "topic": topic, "value": value, "spread": 0.15 + 0.7 * (number * GOLDEN % 1)}
        for run, values in found.items() for number, (topic, value) in enumerate(values)
    ]  # fmt: skip
    height = height or len(boxes) * (STEP if len(boxes) > BESIDE else 2 * STEP)
    selection, colour, thick = chosen(in_legend=False), coloured(scores.systems, None), 0.6 * height / len(boxes)
    place = alt.Chart(inline(boxes, "quartiles")).encode(
        y=alt.Y("run:N", sort=[row["run"] for row in boxes], title=None),
        yOffset=alt.YOffset(datum=0.5),
        opacity=faded(selection),
        tooltip=[alt.Tooltip("run:N"), *(alt.Tooltip(f"{name}:Q", format=NUMBER) for name in ("mean", "median", "q1", "q3"))],
    )
    strip = alt.Chart(inline(rows)).mark_circle(size=12).encode(
        x=alt.X("value:Q", title=str(one), scale=alt.Scale(nice=False)),
        y=alt.Y("run:N", sort=[row["run"] for row in boxes], title=None),
        yOffset=alt.YOffset("spread:Q", scale=alt.Scale(domain=[0, 1])),
        color=colour,
        opacity=faded(selection, 0.45),
        tooltip=[alt.Tooltip("run:N"), alt.Tooltip("topic:N"), alt.Tooltip("value:Q", title=str(one), format=NUMBER)],
    ).add_params(selection)  # fmt: skip
    layers = {
        "topics": strip,
        "whiskers": place.mark_rule(strokeWidth=1).encode(x=alt.X("low:Q"), x2="high:Q", color=colour),
        "quartiles": place.mark_rule(strokeWidth=thick).encode(
            x=alt.X("q1:Q"), x2="q3:Q", color=colour, opacity=faded(selection, 0.35)
        ),
        "median": place.mark_tick(style="summary", thickness=2, size=thick).encode(x=alt.X("median:Q")),
        "mean": place.mark_point(style="summary", shape="diamond", filled=True, size=40).encode(x=alt.X("mean:Q")),
    }
    how = "a dot a topic; box: quartiles; line: median; diamond: over all topics; whiskers: within 1.5 boxes"
    return drawn(layers, f"distribution_{one}", titled(f"{one} by topic", width, how), Look(theme, width, height))


def box(run: str, values: Floats, mean: float) -> dict[str, Any]:
    """What a box plot shows: quartiles, and the last values within one and a half times their distance."""
    q1, median, q3 = (float(one) for one in np.quantile(values, [0.25, 0.5, 0.75]))
    near = values[(values >= q1 - 1.5 * (q3 - q1)) & (values <= q3 + 1.5 * (q3 - q1))]
    return {"run": run, "low": float(near.min()), "q1": q1, "median": median, "q3": q3, "high": float(near.max()), "mean": mean}
