"""Lines: a measure over recall, over ranks, or over the characters that were read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.charts.style import (
    BESIDE,
    FEW,
    HEIGHT,
    NUMBER,
    WIDTH,
    Look,
    chosen,
    coloured,
    dashed,
    drawn,
    faded,
    inline,
    legend,
    titled,
)
from assay.errors import UsageError, counted, listed
from assay.measures.base import Measure
from assay.measures.curves import curve as curve_measures
from assay.measures.curves import plotted
from assay.measures.notation import measures_of

if TYPE_CHECKING:
    import altair as alt

    from assay.evaluation.score_table import ScoreTable

# Characters read: from a snippet to what nobody reads.
LADDER = [step * 10**power for power in range(2, 6) for step in (1, 2, 5)] + [10**6]
# The layer that only shows tooltips: a picture on paper does without.
HOVER = "hover"


class Axes(NamedTuple):
    """The field that a chart runs over, what it is called, what is shown, and by which measure."""

    field: str
    over: str
    shows: str
    measure: str


def curve(scores: ScoreTable, measure: Any, *, theme: str = "light", width: int = WIDTH, height: int = HEIGHT) -> alt.LayerChart:
    """A measure at the points of its curve: interpolated precision over recall, nxCG over ranks. See `assay.curve`."""
    (one,) = measures_of([measure])
    how = plotted(one)
    name = str(one @ how.at[0]).rpartition("@")[0]
    needed = curve_measures(one)
    refuse_missing(scores, needed, name, f"assay.curve({name!r})")
    found = [(run, how.at[number], value) for run, number, value in over_topics(scores, needed)]
    axes = Axes(how.over, how.over, how.shows, name)
    return lines(scores, found, axes, f"{name} over {how.over}", f"curve_{name}", Look(theme, width, height))


def budget_measures(measure: Any = "R") -> list[Measure]:
    """Recall, or another measure that has `chars`, at the numbers of characters at which `budget` shows it."""
    return [within(measure, characters) for characters in LADDER]


def budget(
    scores: ScoreTable, measure: Any = "R", *, theme: str = "light", width: int = WIDTH, height: int = HEIGHT
) -> alt.LayerChart:
    """Recall, or another measure, against the characters that were read: at every `chars` at which it was measured."""
    one = within(measure, None)
    steps = {chars: within(one, chars) for known in scores.measures if (chars := getattr(known, "chars", None)) is not None}
    there = {str(known) for known in scores.measures}
    ladder = sorted(chars for chars, step in steps.items() if str(step) in there)
    if len(ladder) < 2:
        refuse_missing(scores, budget_measures(one), str(one), f"assay.charts.budget_measures({str(one)!r})")
    values = over_topics(scores, [steps[chars] for chars in ladder])
    found = [(run, ladder[number], value) for run, number, value in values]
    axes = Axes("characters", "characters read", what(one), str(one))
    return lines(scores, found, axes, f"{one} within a budget of characters", f"budget_{one}", Look(theme, width, height))


def within(measure: Any, characters: int | None) -> Measure:
    """The measure of the first so many characters."""
    (one,) = measures_of([measure])
    if "chars" not in type(one).parameters():
        raise UsageError(f"{one} has no budget of characters; expected a measure with chars, such as R, P or F")
    return replace(one, chars=characters)  # type: ignore[call-arg]


def what(measure: Measure) -> str:
    """What a measure is, in the words of its documentation."""
    said = type(measure).sentence().partition(":")[0]
    return said if said[1:2] == " " else said[:1].lower() + said[1:]


def over_topics(scores: ScoreTable, measures: list[Measure]) -> Iterator[tuple[str, int, float]]:
    """The value of each run over all topics, for each of some measures by its number."""
    names = [str(one) for one in scores.measures]
    columns = [names.index(str(one)) for one in measures]
    number = {str(one): number for number, one in enumerate(measures)}
    for record in replace(scores, measures=measures, values=scores.values[:, columns]).records():
        yield record["run"], number[record["measure"]], record["value"]


def refuse_missing(scores: ScoreTable, needed: list[Measure], name: str, how: str) -> None:
    """A curve has all of its points."""
    there = {str(one) for one in scores.measures}
    missing = [str(one) for one in needed if str(one) not in there]
    if missing:
        raise UsageError(f"the curve of {name} needs {listed(missing, 3)}, not measured here; evaluate {how} first")


def lines(
    scores: ScoreTable, found: list[tuple[str, Any, float]], axes: Axes, title: str, name: str, look: Look
) -> alt.LayerChart:
    """A line for each run; where there are many the legend has the highest first, and the first few stand out."""
    import altair as alt

    systems, points = scores.systems, sorted({point for _, point, _ in found})
    about, order, best = f"{counted(len(scores.topics), 'topic')}, {counted(len(systems), 'run')}", systems, systems
    if len(systems) > BESIDE:
        order = highest_first(found, systems)
        best = order[:FEW]
        about += f", the highest first in the legend, and the first {FEW} thick"
    rows = [{"run": run, axes.field: point, "value": value, "best": run in best} for run, point, value in found]
    shown, selection = legend(order, look.width, "lines"), chosen()
    place = alt.Chart().encode(
        x=alt.X(f"{axes.field}:Q", title=axes.over, scale=scale(points), axis=axis(points)),
        y=alt.Y("value:Q", title=f"{axes.shows}, {axes.measure}"),
    )
    line = place.mark_line(strokeCap="butt").encode(
        color=coloured(systems, shown),
        strokeDash=dashed(systems, shown),
        strokeWidth=alt.StrokeWidth("best:O", scale=alt.Scale(domain=[False, True], range=[1, 2.2]), legend=None),
        strokeOpacity=alt.StrokeOpacity("best:O", scale=alt.Scale(domain=[False, True], range=[0.6, 1]), legend=None),
        opacity=faded(selection),
    )
    value = alt.Tooltip("value:Q", title=axes.measure, format=NUMBER)
    point = alt.Tooltip(f"{axes.field}:Q", title=axes.over, format=",d" if isinstance(points[0], int) else ".2f")
    # a line has one tooltip, and each of its points another
    hover = place.mark_point(size=80, opacity=0).encode(tooltip=[alt.Tooltip("run:N"), point, value])
    layers = {"lines": line.add_params(selection), HOVER: hover}
    return drawn(layers, name, titled(title, look.width, about), look, inline(rows))


def highest_first(found: list[tuple[str, Any, float]], systems: list[str]) -> list[str]:
    """The runs by the mean of their lines."""
    total = dict.fromkeys(systems, 0.0)
    for run, _, value in found:
        total[run] += value
    return sorted(systems, key=lambda run: -total[run])


def scale(points: list[Any]) -> alt.Scale:
    """Recall from 0 to 1; ranks and characters that are not evenly spaced by their logarithm."""
    import altair as alt

    if isinstance(points[0], float):
        return alt.Scale(domain=[0, 1])
    if evenly(points):
        return alt.Scale(domain=[0, points[-1]])
    return alt.Scale(type="log", domain=[points[0], points[-1]])


def axis(points: list[Any]) -> alt.Axis:
    """Ticks at 0.1, 0.2 … of recall, at round ranks, and at 1, 2, 5, 10, 20 … of a logarithm."""
    import altair as alt

    if isinstance(points[0], float):
        return alt.Axis(format=".1f")
    if evenly(points):
        return alt.Axis(format=",d")
    ticks = [step * 10**power for power in range(len(str(points[-1]))) for step in (1, 2, 5)]
    return alt.Axis(format="~s", values=[tick for tick in ticks if points[0] <= tick <= points[-1]])


def evenly(points: list[int]) -> bool:
    """Whether the last points are as far from each other as the first."""
    return points[1] - points[0] == points[-1] - points[-2]
