"""Line charts: a measure over recall, over ranks, or over the characters read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Unpack

import altair as alt
import numpy as np

from assay.charts import style
from assay.comparing.paired import bootstrap_means
from assay.errors import UsageError, count_noun, list_names
from assay.evaluation.evaluate import Evaluation
from assay.evaluation.measuring import Measuring
from assay.measures.base import Linear, Measure, MeasureLike
from assay.measures.curves import curve as curve_measures
from assay.measures.curves import plot_of
from assay.measures.graded import DCG, cumulated_gain, nDCG
from assay.measures.notation import one_measure
from assay.measures.sets import F, P, R
from assay.measures.xcg import CG
from assay.ranking.align import Aligned
from assay.ranking.documents import Ranking, Values, ratio
from assay.ranking.elements import ElementRanking
from assay.ranking.kinds import DOCUMENTS, ELEMENTS, TEXT, Kind
from assay.tables.ids import Floats, Ints

if TYPE_CHECKING:
    from assay.charts.style import Data
    from assay.evaluation.score_table import ScoreTable
    from assay.ranking.text import TextRanking


# The lengths of the lists of runs, so that an axis of ranks can end where the lists end.


@dataclass(frozen=True, kw_only=True)
class ListLength(Linear):
    """The number of results of a topic, of any kind. It is measured beside others, but not shown."""

    kinds = (DOCUMENTS, TEXT, ELEMENTS)

    def __call__(self, ranking: Ranking) -> Values:
        """Return the number of results, judged or not."""
        return ranking.retrieved.astype(float)


def longest_list(scores: ScoreTable) -> int | None:
    """Return the length of the longest list of any run; None if that was not measured."""
    places = [number for number, measure in enumerate(scores.measures) if isinstance(measure, ListLength)]
    return int(np.nanmax(scores.values[:, places], initial=0)) if places else None


# The ideal ranking, which is drawn beside the runs for measures without a largest value.


@dataclass(frozen=True, kw_only=True)
class IdealCG(CG):
    """The cumulated gain of the ideal ranking, xCI[k]. It is measured beside others, and drawn as a line of its own."""

    def __call__(self, ranking: Ranking) -> Values:
        """Return the gain of the ideal ranking."""
        if isinstance(ranking, ElementRanking):
            return self.gained(ranking).gainable(self.k)
        return cumulated_gain(ranking.ideal.top(self.k))


@dataclass(frozen=True, kw_only=True)
class IdealDCG(nDCG):
    """The discounted cumulated gain of the ideal ranking. It is measured and drawn like IdealCG."""

    def __call__(self, ranking: Ranking) -> Values:
        """Return the gain of the ideal ranking."""
        return DCG.__call__(self, self.best(ranking.ideal))

    def expected(self, ranking: Ranking) -> Values:
        """Return the same: ties in a run do not change the ideal ranking."""
        return self(ranking)


IDEALS: dict[type[Measure], type[Measure]] = {CG: IdealCG, DCG: IdealDCG}
# The name of the ideal ranking in a chart, and the largest number of runs for which the area between run and ideal is
# shaded.
IDEAL = "ideal"
MOST_SHADED = 3


def ideal_measures(measure: Measure) -> list[Measure]:
    """Return the measures of the ideal ranking at each point of a curve; none for a measure whose best value is 1."""
    if (ideal := IDEALS.get(type(measure))) is None:
        return []
    return [
        ideal(**{each.name: getattr(point, each.name) for each in fields(point)}) for point in curve_measures(measure)
    ]


def ideal_values(scores: ScoreTable, measure: Measure, points: int) -> list[float]:
    """Return the values of the ideal ranking at the first points of a curve; empty if they were not measured."""
    needed = ideal_measures(measure)[:points]
    measured = {str(each) for each in scores.measures}
    if not needed or any(str(each) not in measured for each in needed):
        return []
    first = scores.systems[0]
    return [value for run, _, value in means_over_all(scores, needed) if run == first]


# The opacity of the band around a line.
BAND = 0.16
# Up to this many ranks the axis is linear; with more it is logarithmic, unless points are evenly spaced.
CLOSE = 20
# The layer that only shows tooltips; a picture leaves it out.
HOVER = "hover"


@dataclass(frozen=True)
class LineKind:
    """What a line chart shows, without its values.

    `name` is the name of the chart. The lines run over the field `field` of the data, at `points`; `over` is the title
    of that axis. `shows` says what the measure is.
    """

    title: str
    name: str
    field: str
    over: str
    points: Sequence[Any]
    shows: str
    measure: str


def curve(scores: ScoreTable, measure: MeasureLike, **look: Unpack[style.LookAsked]) -> alt.LayerChart:
    """Draw a measure at the points of its curve: interpolated precision over recall, nxCG over ranks.

    `assay.curve` returns these points. Ranks end at the cut-off of the measure, or where the longest list ends, if that
    was measured.
    """
    asked = one_measure(measure)
    kind, needed = curve_kind(asked), curve_measures(asked)
    refuse_missing(scores, needed, kind.measure, f"assay.curve({kind.measure!r})")
    if not getattr(asked, asked.cutoff):
        kind = ranks_until_longest(kind, longest_list(scores))
    ideal = ideal_values(scores, asked, len(kind.points))
    return curve_lines(scores, kind, needed[: len(kind.points)], style.look_of(look), ideal)


def ranks_until_longest(kind: LineKind, longest: int | None) -> LineKind:
    """Let ranks end where the longest list ends, if its length is known."""
    if kind.over != "rank" or longest is None:
        return kind
    # a line needs at least two points
    last = next((number for number, rank in enumerate(kind.points, 1) if rank >= max(longest, 2)), None)
    return replace(kind, points=kind.points[:last])


def curve_kind(measure: Measure) -> LineKind:
    """Return the line chart of a measure's curve."""
    how = plot_of(measure)
    name = str(measure @ how.at[0]).rpartition("@")[0]
    return LineKind(f"{name} over {how.over}", f"curve_{name}", how.over, how.over, how.at, how.shows, name)


def budget(lines: BudgetLines, **look: Unpack[style.LookAsked]) -> alt.LayerChart:
    """Draw recall, or another measure, against the characters read, until the lists end."""
    rows = []
    totals = []
    for run, line in zip(lines.systems, lines.lines, strict=True):
        totals += [(run, number, value) for number, value in enumerate(line.values)]
        band = zip(line.low or line.values, line.high or line.values, strict=True)
        for characters, value, (low, high) in zip(line.points, line.values, band, strict=True):
            rows.append({"run": run, "characters": characters, "value": value, "low": low, "high": high})
    order, best, about = by_height(totals, lines.systems, lines.topics)
    for row in rows:
        row["best"] = row["run"] in best
    kind, with_bands = budget_kind(lines.measure, lines.points), bool(lines.about())
    about_bands = filter(None, [about, lines.about()])
    beginning = style.shared_beginning(lines.systems)
    return line_chart(
        kind, lines.systems, order, list(about_bands), style.look_of(look), style.inline(rows), with_bands,
        beginning=beginning,
    )  # fmt: skip


def budget_kind(measure: Measure, points: Sequence[int]) -> LineKind:
    """Return the line chart of a measure over the characters read."""
    title = f"{measure} within a budget of characters"
    shows = description(measure)
    return LineKind(title, f"budget_{measure}", "characters", "characters read", points, shows, str(measure))


def description(measure: Measure) -> str:
    """Return the first words of a measure's docstring, without a capital."""
    words = type(measure).sentence().partition(":")[0]
    return words if words[1:2] == " " else words[:1].lower() + words[1:]


def means_over_all(scores: ScoreTable, measures: list[Measure]) -> Iterator[tuple[str, int, float]]:
    """Yield the run, the number of the measure, and the value over all topics, for each run and measure."""
    names = [str(measure) for measure in scores.measures]
    columns = [names.index(str(measure)) for measure in measures]
    numbers = {str(measure): number for number, measure in enumerate(measures)}
    for record in replace(scores, measures=measures, values=scores.values[:, columns]).records():
        yield record["run"], numbers[record["measure"]], record["value"]


def refuse_missing(scores: ScoreTable, needed: list[Measure], name: str, how: str) -> None:
    """Refuse scores that lack a point of a curve, and say how to get all points."""
    measured = {str(measure) for measure in scores.measures}
    missing = [str(measure) for measure in needed if str(measure) not in measured]
    if missing:
        what = f"the curve of {name} needs {list_names(missing, 3)}, which these scores lack"
        raise UsageError(f"{what}; evaluate {how} first")


def curve_lines(
    scores: ScoreTable, kind: LineKind, measures: list[Measure], look: style.Look, ideal: Sequence[float] = ()
) -> alt.LayerChart:
    """Draw a line for each run through the values of a measure at each point, and one for the ideal ranking.

    If there are many runs, the legend lists the highest first, and the first few are thick.
    """
    systems, values = scores.systems, list(means_over_all(scores, measures))
    beginning = style.shared_beginning(systems)
    order, best, about = by_height(values, systems, len(scores.topics))
    rows = [
        {"run": run, kind.field: kind.points[number], "value": value, "best": run in best}
        for run, number, value in values
    ]
    if not ideal:
        return line_chart(kind, systems, order, [about], look, style.inline(rows), beginning=beginning)
    rows = [
        row | {IDEAL: ideal[number], "first": run == systems[0]}
        for row, (run, number, _) in zip(rows, values, strict=True)
    ]
    about = f"{about}; dotted: the ideal ranking"
    return line_chart(kind, systems, order, [about], look, style.inline(rows), ideal=True, beginning=beginning)


def by_height(
    values: list[tuple[str, int, float]], systems: list[str], topics: int
) -> tuple[list[str], list[str], str]:
    """Return the runs in the order of the legend, the runs to draw thick, and what the chart says about both."""
    about = f"{count_noun(topics, 'topic')}, {count_noun(len(systems), 'run')}{style.without_beginning(systems)}"
    if len(systems) <= style.BESIDE:
        return systems, systems, about
    order = highest_first(values, systems)
    return order, order[:style.FEW], f"{about}; legend: highest first, the first {style.FEW} are thick"


@style.skip_schema_check
def line_chart(
    kind: LineKind,
    systems: list[str],
    order: list[str],
    about: list[str],
    look: style.Look,
    data: Data,
    bands: bool = False,
    ideal: bool = False,
    beginning: str = "",
) -> alt.LayerChart:
    """Make the line chart of some data; the legend lists the systems in `order`.

    Names are without the beginning that all of them share. With `bands`, each line has a band around it, from `low` to
    `high`. With `ideal`, there is also a line of the ideal ranking, and if there are few runs, the area between each
    run and the ideal is shaded.
    """
    shown, selection = style.legend(order, look, beginning), style.clicked_runs()
    place = alt.Chart().encode(
        x=alt.X(f"{kind.field}:Q", title=kind.over, scale=scale(kind.points), axis=axis(kind.points)),
        y=alt.Y("value:Q", title=f"{kind.shows} ({kind.measure})"),
    )
    line = place.mark_line(strokeCap="butt").encode(
        color=style.colour_of_runs(systems, shown),
        strokeDash=style.dashes_of_runs(systems, shown),
        strokeWidth=alt.StrokeWidth("best:O", scale=alt.Scale(domain=[False, True], range=[1, 2.2]), legend=None),
        strokeOpacity=alt.StrokeOpacity("best:O", scale=alt.Scale(domain=[False, True], range=[0.6, 1]), legend=None),
        opacity=style.opacity(selection),
    )
    value = alt.Tooltip("value:Q", title=kind.measure, format=style.NUMBER)
    whole = isinstance(kind.points[0], int)
    point = alt.Tooltip(f"{kind.field}:Q", title=kind.over, format=",d" if whole else ".2f")
    # a line has only one tooltip, so invisible points show those of its points
    hover = place.mark_point(size=80, opacity=0).encode(tooltip=[alt.Tooltip("run:N"), point, value])
    layers = {"lines": line.add_params(selection), HOVER: hover}
    if bands:
        # the legend takes its opacity from all layers, but not from the opacity of a fill
        band = place.mark_area(opacity=1, strokeOpacity=0).encode(
            y=alt.Y("low:Q"),
            y2=alt.Y2("high:Q"),
            color=style.colour_of_runs(systems, shown),
            fillOpacity=style.opacity(selection, BAND),
        )
        layers = {"bands": band, **layers}
    if ideal:
        layers = {**ideal_layers(place, systems, shown, selection, look), **layers}
    return style.layered_chart(layers, kind.name, [kind.title, *about], look, data)


def ideal_layers(
    place: alt.Chart, systems: list[str], shown: alt.Legend, selection: alt.Parameter, look: style.Look
) -> dict[str, alt.Chart]:
    """Return the line of the ideal ranking with its name, and the area between it and each run if there are few."""
    # the rows of every run contain the ideal values; those of the first run are enough
    of_ideal = place.transform_filter("datum.first")
    best = alt.Y(f"{IDEAL}:Q")
    line = of_ideal.mark_line(strokeDash=[1, 3], strokeWidth=2, style="summary").encode(y=best)
    x = place.encoding.x.shorthand.partition(":")[0]
    last = of_ideal.transform_window(at="row_number()", sort=[alt.SortField(x, order="descending")])
    name = last.transform_filter(alt.datum.at == 1)
    label = name.mark_text(align="right", baseline="bottom", dy=-4, text=IDEAL, fontSize=look.font_size)
    layers = {IDEAL: line, "name": label.encode(y=best)}
    if len(systems) > MOST_SHADED:
        return layers
    area = place.mark_area(opacity=1, strokeOpacity=0).encode(
        y2=alt.Y2(f"{IDEAL}:Q"),
        color=style.colour_of_runs(systems, shown),
        fillOpacity=style.opacity(selection, BAND / len(systems)),
    )
    return {"missed": area, **layers}


def highest_first(values: list[tuple[str, int, float]], systems: list[str]) -> list[str]:
    """Sort runs by the sum of their values, highest first."""
    total = dict.fromkeys(systems, 0.0)
    for run, _, value in values:
        total[run] += value
    return sorted(systems, key=lambda run: -total[run])


def scale(points: Sequence[Any]) -> alt.Scale:
    """Return the scale of the x-axis: recall from 0; ranks and characters logarithmic if they are not evenly spaced."""
    if isinstance(points[0], float):
        return alt.Scale(domain=[0, points[-1]])
    if evenly_spaced(points) or points[-1] <= CLOSE:
        return alt.Scale(domain=[1 if points[0] == 1 else 0, points[-1]])
    return alt.Scale(type="log", domain=[points[0], points[-1]])


def axis(points: Sequence[Any]) -> alt.Axis:
    """Return the x-axis: ticks at 0.1, 0.2 … of recall, at round ranks, and at 1, 2, 5, 10, 20 … of a logarithm."""
    if isinstance(points[0], float):
        return alt.Axis(format=".1f" if points[-1] == 1 else "~g")
    if evenly_spaced(points) or points[-1] <= CLOSE:
        return alt.Axis(format=",d", tickMinStep=1)
    ticks = [step * 10**power for power in range(len(str(points[-1]))) for step in (1, 2, 5)]
    return alt.Axis(format="~s", values=[tick for tick in ticks if points[0] <= tick <= points[-1]])


def evenly_spaced(points: Sequence[int]) -> bool:
    """Tell whether the last two points are as far apart as the first two."""
    return len(points) < 3 or points[1] - points[0] == points[-1] - points[-2]


# What is found against what is read: exact at the end of every result, with bands for the choice of topics.

SAMPLES, CONFIDENCE = 1000, 0.95
# The most points of a line, spread evenly over the logarithm of the characters read; more could not be told apart.
MOST_POINTS = 200


@dataclass(frozen=True, eq=False, repr=False)
class BudgetReading:
    """When a reader of some topics of a run finds highlighted text.

    `ends` is how much was read at the end of each result, and `last` at the end of each topic's list. For each stretch
    of highlighted text that was not seen before: `topic` is the position of its topic, `before` how much was read
    before it, and `size` its length. `ranking` is the ranking of the topics; it is kept only if results are read whole
    or not at all.
    """

    topics: Ints
    ends: Ints
    last: Ints
    topic: Ints
    before: Ints
    size: Ints
    ranking: TextRanking | None = None

    def found(self, place: int, points: Ints) -> Floats:
        """Return how much highlighted text of a topic was found after this many characters."""
        first, last = np.searchsorted(self.topic, [place, place + 1])
        before, size = self.before[first:last], self.size[first:last]
        if not len(size):
            return np.zeros(len(points))
        seen = np.append(0, np.cumsum(size))
        read = np.stack((before, before + size), axis=1).ravel()
        return np.interp(points, read, np.stack((seen[:-1], seen[1:]), axis=1).ravel())


def reading(measuring: Measuring, kind: Kind, aligned: Aligned) -> BudgetReading | None:
    """Return when the reader of a block finds highlighted text; None if whole documents were ranked."""
    from assay.ranking.text import TextRanking

    if not isinstance(aligned.ranking, TextRanking):
        return None
    read = of_ranking(aligned.ranking)
    drawn_whole = [each for each in measuring.measures if isinstance(each, R | P | F) and each.fit != "cut"]
    return replace(read, ranking=aligned.ranking) if any(each.chars is None for each in drawn_whole) else read


def of_ranking(ranking: TextRanking) -> BudgetReading:
    """Return when the reader of a ranking finds highlighted text."""
    return BudgetReading(ranking.topics, ranking.read, ranking.total(ranking.size), *ranking.newly_found)


@dataclass(frozen=True, eq=False, repr=False)
class BudgetLine:
    """The mean of a run at numbers of characters; `low` and `high` are the ends of the confidence interval."""

    points: list[int]
    values: list[float]
    low: list[float] | None
    high: list[float] | None


@dataclass(frozen=True, eq=False, repr=False)
class BudgetLines:
    """A measure of all runs over the characters read."""

    systems: list[str]
    measure: Measure
    points: list[int]
    lines: list[BudgetLine]
    topics: int
    seed: int

    def about(self) -> str:
        """Say how the bands were computed; empty if there are none."""
        if all(line.low is None for line in self.lines):
            return ""
        samples = f"{SAMPLES:,} bootstrap samples of the topics, seed {self.seed}"
        return f"bands: {CONFIDENCE:.0%} confidence intervals, from {samples}"


def budget_lines(
    evaluation: Evaluation, readings: dict[str, list[BudgetReading]], measure: Measure, seed: int = 0
) -> BudgetLines:
    """Return the line of each run, from the end of the shortest first result to the end of its longest list."""
    refuse_other_measures(measure)
    scores, base = evaluation.scores, evaluation.pool.text.total
    ends = [np.concatenate([reading.ends for reading in readings[system]]) for system in scores.systems]
    points = thin_points(ends)
    counts = ~np.isnan(scores.values[:, 0])
    bands = len(scores.systems) <= style.BESIDE
    lines = []
    for number, system in enumerate(scores.systems):
        own = points[points <= ends[number].max(initial=0)]
        values = values_at(readings[system], own, base, measure)
        lines.append(means_with_band(values[counts[number]], own, seed, bands))
    return BudgetLines(scores.systems, measure, points.tolist(), lines, int(counts.any(axis=0).sum()), seed)


def recall(measure: Measure, highlighted: Floats, read: Ints, base: Ints) -> Floats:
    """Return the share of the highlighted text that was found."""
    return ratio(highlighted, base)


def precision(measure: Measure, highlighted: Floats, read: Ints, base: Ints) -> Floats:
    """Return the share of the text read that is highlighted."""
    return ratio(highlighted, read)


def f_measure(measure: F, highlighted: Floats, read: Ints, base: Ints) -> Floats:
    """Return the weighted harmonic mean of recall and precision."""
    return ratio((1 + measure.beta**2) * highlighted, measure.beta**2 * base + read)


FORMULAS: dict[type[Measure], Callable[[Any, Floats, Ints, Ints], Floats]] = {R: recall, P: precision, F: f_measure}


def refuse_other_measures(measure: Measure) -> None:
    """Refuse measures other than R, P and F, and measures with a cut-off of their own."""
    plain = type(measure)(**{name: getattr(measure, name) for name in ("beta", "fit") if hasattr(measure, name)})
    if type(measure) not in FORMULAS or measure != plain:
        raise UsageError(f"a budget chart cannot show {measure}; choose from R, P and F, without a cut-off")


def thin_points(ends: list[Ints]) -> Ints:
    """Return the ends of results at which lines have points: all if they are few, and always the last of each run."""
    every = np.unique(np.concatenate(ends))
    every = every[every > 0]
    if len(every) < 2:
        # a line needs two points
        return np.append(0, every)
    if len(every) <= MOST_POINTS:
        return every
    near = np.searchsorted(every, np.geomspace(every[0], every[-1], MOST_POINTS)).clip(max=len(every) - 1)
    return np.unique(np.concatenate((every[near], [own.max() for own in ends if own.any()])))


def values_at(readings: list[BudgetReading], points: Ints, base: Ints, measure: Measure) -> Floats:
    """Return values[topic, point] at some numbers of characters; 0 for topics that are not in the run."""
    highlighted, last = np.zeros((len(base), len(points))), np.zeros(len(base), np.int64)
    if isinstance(measure, R | P | F) and measure.fit != "cut":
        read = np.zeros(highlighted.shape, np.int64)
        for at, chars in enumerate(points.tolist()):
            for reading in readings:
                assert reading.ranking is not None
                part = reading.ranking.within(chars, fit=measure.fit)
                highlighted[reading.topics, at] = part.total(part.found)
                read[reading.topics, at] = part.total(part.size)
        return FORMULAS[type(measure)](measure, highlighted, read, np.broadcast_to(base[:, None], highlighted.shape))
    for reading in readings:
        last[reading.topics] = reading.last
        for place, topic in enumerate(reading.topics.tolist()):
            highlighted[topic] = reading.found(place, points)
    read = np.minimum(points, last[:, None])
    return FORMULAS[type(measure)](measure, highlighted, read, np.broadcast_to(base[:, None], highlighted.shape))


def means_with_band(values: Floats, points: Ints, seed: int, bands: bool) -> BudgetLine:
    """Return the mean over topics at each point, and, with `bands`, its bootstrap confidence interval."""
    mean = values.mean(axis=0) if len(values) else np.zeros(len(points))
    low = high = None
    if bands and len(values) > 1 and len(points):
        drawn = bootstrap_means(np.ascontiguousarray(values.T), SAMPLES, seed)
        low, high = np.quantile(drawn, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=1).tolist()
    return BudgetLine(points.tolist(), mean.tolist(), low, high)
