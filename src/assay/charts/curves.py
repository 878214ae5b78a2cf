"""Lines: a measure over recall, over ranks, or over the characters that were read."""

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


# How long the lists of runs are, so that an axis of ranks can end where they end.


@dataclass(frozen=True, kw_only=True)
class ListLength(Linear):
    """The number of results of a topic, whatever these are. It is measured beside others, and shown nowhere."""

    kinds = (DOCUMENTS, TEXT, ELEMENTS)

    def __call__(self, ranking: Ranking) -> Values:
        """As many as were returned, judged or not."""
        return ranking.retrieved.astype(float)


def longest_list(scores: ScoreTable) -> int | None:
    """The number of results of the longest list of any run; None if that was not measured."""
    places = [number for number, measure in enumerate(scores.measures) if isinstance(measure, ListLength)]
    return int(np.nanmax(scores.values[:, places], initial=0)) if places else None


# The best that any ranking could have, for measures whose values have no end: it is drawn beside the runs.


@dataclass(frozen=True, kw_only=True)
class IdealCG(CG):
    """The cumulated gain of the best ranking, xCI[k]. It is measured beside others, and drawn as a line of its own."""

    def __call__(self, ranking: Ranking) -> Values:
        """What can be gained."""
        if isinstance(ranking, ElementRanking):
            return self.gained(ranking).gainable(self.k)
        return cumulated_gain(ranking.ideal.top(self.k))


@dataclass(frozen=True, kw_only=True)
class IdealDCG(nDCG):
    """The discounted cumulated gain of the best ranking. It is measured beside others, and drawn as CG's."""

    def __call__(self, ranking: Ranking) -> Values:
        """What can be gained."""
        return DCG.__call__(self, self.best(ranking.ideal))

    def expected(self, ranking: Ranking) -> Values:
        """The same, as no ties of a run change the best ranking."""
        return self(ranking)


IDEALS: dict[type[Measure], type[Measure]] = {CG: IdealCG, DCG: IdealDCG}
# The name of the ideal ranking in a chart, and up to how many runs the area between each and the ideal is shaded.
IDEAL = "ideal"
MOST_SHADED = 3


def ideal_measures(measure: Measure) -> list[Measure]:
    """What the best ranking has at each point of a curve; nothing for a measure whose best value is 1."""
    if (ideal := IDEALS.get(type(measure))) is None:
        return []
    return [
        ideal(**{each.name: getattr(point, each.name) for each in fields(point)}) for point in curve_measures(measure)
    ]


def ideal_values(scores: ScoreTable, measure: Measure, points: int) -> list[float]:
    """What the best ranking has at each of some points; nothing if it was not measured."""
    needed = ideal_measures(measure)[:points]
    measured = {str(each) for each in scores.measures}
    if not needed or any(str(each) not in measured for each in needed):
        return []
    first = scores.systems[0]
    return [value for run, _, value in means_over_all(scores, needed) if run == first]


# How much of its colour the band around a line has.
BAND = 0.16
# Up to this many ranks are drawn as they are, and more by their logarithm, if there are fewer and fewer points.
CLOSE = 20
# The layer that only shows tooltips, which a printed picture does not need.
HOVER = "hover"


@dataclass(frozen=True)
class LineKind:
    """What a chart of lines shows, whatever the values are.

    `name` is that of the chart, `field` the field of its data that the lines run over, at `points`, and `over` what
    that is called. `shows` says what the measure is.
    """

    title: str
    name: str
    field: str
    over: str
    points: Sequence[Any]
    shows: str
    measure: str


def curve(scores: ScoreTable, measure: MeasureLike, **look: Unpack[style.LookAsked]) -> alt.LayerChart:
    """A measure at the points of its curve: interpolated precision over recall, nxCG over ranks. See `assay.curve`.

    Ranks end at the cut-off of the measure, or where the longest list ends, if that was measured.
    """
    asked = one_measure(measure)
    kind, needed = curve_kind(asked), curve_measures(asked)
    refuse_missing(scores, needed, kind.measure, f"assay.curve({kind.measure!r})")
    if not getattr(asked, asked.cutoff):
        kind = ranks_until_longest(kind, longest_list(scores))
    ideal = ideal_values(scores, asked, len(kind.points))
    return curve_lines(scores, kind, needed[: len(kind.points)], style.look_of(look), ideal)


def ranks_until_longest(kind: LineKind, longest: int | None) -> LineKind:
    """The same, with ranks until all results of the longest list are there, if it is known how long that is."""
    if kind.over != "rank" or longest is None:
        return kind
    # a line has two ends at least
    last = next((number for number, rank in enumerate(kind.points, 1) if rank >= max(longest, 2)), None)
    return replace(kind, points=kind.points[:last])


def curve_kind(measure: Measure) -> LineKind:
    """The curve of a measure."""
    how = plot_of(measure)
    name = str(measure @ how.at[0]).rpartition("@")[0]
    return LineKind(f"{name} over {how.over}", f"curve_{name}", how.over, how.over, how.at, how.shows, name)


def budget(lines: BudgetLines, **look: Unpack[style.LookAsked]) -> alt.LayerChart:
    """Recall, or another measure, against the characters that were read, until the lists end."""
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
    """A measure over the characters that are read."""
    title = f"{measure} within a budget of characters"
    shows = description(measure)
    return LineKind(title, f"budget_{measure}", "characters", "characters read", points, shows, str(measure))


def description(measure: Measure) -> str:
    """What a measure is, in the first words of its documentation, without a capital."""
    words = type(measure).sentence().partition(":")[0]
    return words if words[1:2] == " " else words[:1].lower() + words[1:]


def means_over_all(scores: ScoreTable, measures: list[Measure]) -> Iterator[tuple[str, int, float]]:
    """The value over all topics of each run and of each of the measures, which is told by its number."""
    names = [str(measure) for measure in scores.measures]
    columns = [names.index(str(measure)) for measure in measures]
    numbers = {str(measure): number for number, measure in enumerate(measures)}
    for record in replace(scores, measures=measures, values=scores.values[:, columns]).records():
        yield record["run"], numbers[record["measure"]], record["value"]


def refuse_missing(scores: ScoreTable, needed: list[Measure], name: str, how: str) -> None:
    """Refuse scores that lack a point of a curve, and say how to get them all."""
    measured = {str(measure) for measure in scores.measures}
    missing = [str(measure) for measure in needed if str(measure) not in measured]
    if missing:
        what = f"the curve of {name} needs {list_names(missing, 3)}, which these scores lack"
        raise UsageError(f"{what}; evaluate {how} first")


def curve_lines(
    scores: ScoreTable, kind: LineKind, measures: list[Measure], look: style.Look, ideal: Sequence[float] = ()
) -> alt.LayerChart:
    """A line for each run, through the values of a measure at each of the points, and one for the ideal ranking.

    If there are many runs the legend has the highest first, and the first few stand out.
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
    """The runs as the legend has them, those that stand out, and what the chart says of both."""
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
    """The chart of lines that some data makes. The legend has the systems in an order of its own, without the beginning
    that all names share.

    With `bands` each line has one around it, from `low` to `high`. With `ideal` there is a line of the ideal ranking
    too, and what a run misses of it is shaded if there are few.
    """
    shown, selection = style.legend(order, look, "lines", beginning=beginning), style.clicked_runs()
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
    # a line can have one tooltip only: those of its points belong to points that cannot be seen
    hover = place.mark_point(size=80, opacity=0).encode(tooltip=[alt.Tooltip("run:N"), point, value])
    layers = {"lines": line.add_params(selection), HOVER: hover}
    if bands:
        # the legend takes its opacity from all layers but not from that of a filling
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
    """The line of the ideal ranking with its name, and the area between it and each of few runs."""
    # every run has the points of the ideal beside its own
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
    """The runs by the mean of their lines."""
    total = dict.fromkeys(systems, 0.0)
    for run, _, value in values:
        total[run] += value
    return sorted(systems, key=lambda run: -total[run])


def scale(points: Sequence[Any]) -> alt.Scale:
    """Recall from 0 to its last level; ranks and characters that are not evenly spaced by their logarithm."""
    if isinstance(points[0], float):
        return alt.Scale(domain=[0, points[-1]])
    if evenly_spaced(points) or points[-1] <= CLOSE:
        return alt.Scale(domain=[1 if points[0] == 1 else 0, points[-1]])
    return alt.Scale(type="log", domain=[points[0], points[-1]])


def axis(points: Sequence[Any]) -> alt.Axis:
    """Ticks at 0.1, 0.2 … of recall, at round ranks, and at 1, 2, 5, 10, 20 … of a logarithm."""
    if isinstance(points[0], float):
        return alt.Axis(format=".1f" if points[-1] == 1 else "~g")
    if evenly_spaced(points) or points[-1] <= CLOSE:
        return alt.Axis(format=",d", tickMinStep=1)
    ticks = [step * 10**power for power in range(len(str(points[-1]))) for step in (1, 2, 5)]
    return alt.Axis(format="~s", values=[tick for tick in ticks if points[0] <= tick <= points[-1]])


def evenly_spaced(points: Sequence[int]) -> bool:
    """Whether the last points are as far from each other as the first."""
    return len(points) < 3 or points[1] - points[0] == points[-1] - points[-2]


# What is found against what is read: exact at the end of every result, with bands of what other topics might give.

SAMPLES, CONFIDENCE = 1000, 0.95
# A line has no more points than can be told apart, spread evenly over the logarithm of what was read.
MOST_POINTS = 200


@dataclass(frozen=True, eq=False, repr=False)
class BudgetReading:
    """When a reader of some topics of a run comes upon highlighted text.

    `ends` is how much was read at the end of each result, `last` at the end of each topic's list. Of each stretch of
    highlighted text that was not seen before: `topic`, its place among the topics, `before`, how much was read before
    it, and `size`. `ranking` is that of the topics, if results are read whole or not at all.
    """

    topics: Ints
    ends: Ints
    last: Ints
    topic: Ints
    before: Ints
    size: Ints
    ranking: TextRanking | None = None

    def found(self, place: int, points: Ints) -> Floats:
        """How much highlighted text of a topic was seen when this many characters were read."""
        first, last = np.searchsorted(self.topic, [place, place + 1])
        before, size = self.before[first:last], self.size[first:last]
        if not len(size):
            return np.zeros(len(points))
        seen = np.append(0, np.cumsum(size))
        read = np.stack((before, before + size), axis=1).ravel()
        return np.interp(points, read, np.stack((seen[:-1], seen[1:]), axis=1).ravel())


def reading(measuring: Measuring, kind: Kind, aligned: Aligned) -> BudgetReading | None:
    """When the reader of a block comes upon highlighted text; None if whole documents were ranked."""
    from assay.ranking.text import TextRanking

    if not isinstance(aligned.ranking, TextRanking):
        return None
    read = of_ranking(aligned.ranking)
    drawn_whole = [each for each in measuring.measures if isinstance(each, R | P | F) and each.fit != "cut"]
    return replace(read, ranking=aligned.ranking) if any(each.chars is None for each in drawn_whole) else read


def of_ranking(ranking: TextRanking) -> BudgetReading:
    """When the reader of a ranking comes upon highlighted text."""
    return BudgetReading(ranking.topics, ranking.read, ranking.total(ranking.size), *ranking.newly_found)


@dataclass(frozen=True, eq=False, repr=False)
class BudgetLine:
    """The values of a run at numbers of characters; `low` and `high` enclose what other topics might give."""

    points: list[int]
    values: list[float]
    low: list[float] | None
    high: list[float] | None


@dataclass(frozen=True, eq=False, repr=False)
class BudgetLines:
    """A measure of all runs over the characters that are read."""

    systems: list[str]
    measure: Measure
    points: list[int]
    lines: list[BudgetLine]
    topics: int
    seed: int

    def about(self) -> str:
        """How the bands came about; nothing if there are none."""
        if all(line.low is None for line in self.lines):
            return ""
        samples = f"{SAMPLES:,} bootstrap samples of the topics, seed {self.seed}"
        return f"bands: {CONFIDENCE:.0%} confidence intervals, from {samples}"


def budget_lines(
    evaluation: Evaluation, readings: dict[str, list[BudgetReading]], measure: Measure, seed: int = 0
) -> BudgetLines:
    """The line of each run, from the end of the shortest first result to where its longest list ends."""
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
    """Of what is highlighted the share that was found."""
    return ratio(highlighted, base)


def precision(measure: Measure, highlighted: Floats, read: Ints, base: Ints) -> Floats:
    """Of what was read the share that is highlighted."""
    return ratio(highlighted, read)


def f_measure(measure: F, highlighted: Floats, read: Ints, base: Ints) -> Floats:
    """The harmonic mean of both."""
    return ratio((1 + measure.beta**2) * highlighted, measure.beta**2 * base + read)


FORMULAS: dict[type[Measure], Callable[[Any, Floats, Ints, Ints], Floats]] = {R: recall, P: precision, F: f_measure}


def refuse_other_measures(measure: Measure) -> None:
    """A measure that is drawn is told by what was found and what was read, and has no cut-off of its own."""
    plain = type(measure)(**{name: getattr(measure, name) for name in ("beta", "fit") if hasattr(measure, name)})
    if type(measure) not in FORMULAS or measure != plain:
        raise UsageError(f"a budget chart cannot show {measure}; choose from R, P and F, without a cut-off")


def thin_points(ends: list[Ints]) -> Ints:
    """The ends of results at which lines have points: all if they are few, and always the last of each run."""
    every = np.unique(np.concatenate(ends))
    every = every[every > 0]
    if len(every) < 2:
        # a line needs another end
        return np.append(0, every)
    if len(every) <= MOST_POINTS:
        return every
    near = np.searchsorted(every, np.geomspace(every[0], every[-1], MOST_POINTS)).clip(max=len(every) - 1)
    return np.unique(np.concatenate((every[near], [own.max() for own in ends if own.any()])))


def values_at(readings: list[BudgetReading], points: Ints, base: Ints, measure: Measure) -> Floats:
    """The values of all topics at some numbers of characters: values[topic, point]; 0 for what is not in the run."""
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
    """The mean over topics at each point, and where asked for the band in which the means of drawn topics lie."""
    mean = values.mean(axis=0) if len(values) else np.zeros(len(points))
    low = high = None
    if bands and len(values) > 1 and len(points):
        drawn = bootstrap_means(np.ascontiguousarray(values.T), SAMPLES, seed)
        low, high = np.quantile(drawn, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=1).tolist()
    return BudgetLine(points.tolist(), mean.tolist(), low, high)
