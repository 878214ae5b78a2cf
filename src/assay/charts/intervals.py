"""Means and their differences, each with the interval in which other topics would put it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from assay.charts import style
from assay.comparing.resampling import bootstrap_means
from assay.comparing.significance import compare
from assay.errors import UsageError, count_noun
from assay.measures.base import Count, Measure, MeasureLike, MeasuresLike, is_mean
from assay.measures.notation import measures_of, one_measure

if TYPE_CHECKING:
    import altair as alt

    from assay.comparing.comparison import Comparison
    from assay.evaluation.checked import Correction
    from assay.evaluation.score_table import ScoreTable

SAMPLES, CONFIDENCE, SEED, LEVEL = 10_000, 0.95, 0, 0.05
# The height of a row in pixels, and if there are many.
ROW, LOW_ROW, MANY = 30, 18, 12
# What is between the names of a pair, and the letters that each of them has room for.
MINUS, LETTERS = " − ", 25
# How many pairs have room in a chart; of more runs each is compared with a baseline.
MOST_PAIRS = 60


@dataclass(frozen=True)
class Mean:
    """The value of a run over topics, and the ends of its interval; both are the value if there is no interval."""

    run: str
    measure: str
    value: float
    low: float
    high: float


@style.skip_schema_check
def means(scores: ScoreTable, measures: MeasuresLike, **asked: Unpack[style.LookAsked]) -> alt.LayerChart:
    """The value of each run by one measure or several, with the 95% interval of bootstrap samples of the topics."""
    import altair as alt

    wanted = measures_of(measures, scores.measures)
    several, systems = len(wanted) > 1, scores.systems
    every = [mean_of(scores, run, measure) for measure in wanted for run in systems]
    best = sorted(systems, key=lambda run: -scores[run, wanted[0]])
    rows = style.inline([vars(mean) for mean in every])
    # a measure has a row for its name, if there are several, and below it one for each run
    number = len(every) + (len(wanted) if several else 0)
    look = style.look_of(asked, style.WIDTH, row_height(number, asked) * number)
    across = f"{wanted[0]}" if not several else "value over topics"
    place = alt.Chart().encode(
        y=panel_row("row", number) if several
        else alt.Y("run:N", sort=best, title=None, axis=style.run_axis(look, style.shared_beginning(systems))),
        color=style.colour_of_runs(systems, None),
        tooltip=[alt.Tooltip("run:N"), alt.Tooltip("measure:N"),
                 *(alt.Tooltip(f"{name}:Q", format=style.NUMBER) for name in ("value", "low", "high"))],
    )  # fmt: skip
    layers = interval_layers(place, "value", across, look)
    if several:
        rows = style.inline(in_panels(every, [str(measure) for measure in wanted], best))
        layers = {**panel_names(number, look), **layers}
    about = f"{count_noun(len(scores.topics), 'topic')}, {count_noun(len(systems), 'run')}"
    about += style.without_beginning(systems)
    how = f"bars: {CONFIDENCE:.0%} confidence intervals, from {SAMPLES:,} bootstrap samples of the topics, seed {SEED}"
    if scores.checked is not None:
        how = f"bars: {CONFIDENCE:.0%} confidence intervals of corrected values, {scores.checked.about}"
    without = [str(measure) for measure in wanted if not is_mean(measure)]
    told = [how] if len(without) < len(wanted) and len(scores.topics) > 1 else []
    told += [f"no interval: {', '.join(without)} (not a mean over topics)"] if without else []
    name = "_".join(map(str, wanted))
    heading = f"{wanted[0]} over topics" if not several else "Values over topics"
    return style.layered_chart(layers, f"means_{name}", [heading, about, *told], look, rows)


# Several measures in one chart: a panel each, with its name above its runs, and the name of each run before its row.

# How far the name of a run stands from the axis, in pixels.
BEFORE = 8


def in_panels(every: list[Mean], measures: list[str], best: list[str]) -> list[dict[str, Any]]:
    """The means, each with the number of its row, and that of the row which has the name of its measure."""
    names = dict(zip(best, style.short_names(best), strict=True))
    panel = len(best) + 1
    return [
        vars(mean)
        | {
            "name": names[mean.run],
            "panel": measures.index(mean.measure) * panel,
            "row": measures.index(mean.measure) * panel + best.index(mean.run) + 1,
        }
        for mean in every
    ]


def panel_row(field: str, rows: int) -> alt.Y:
    """A row of the panels, by its number."""
    import altair as alt

    return alt.Y(f"{field}:O", axis=None, scale=alt.Scale(domain=list(range(rows)), padding=0))


def panel_names(rows: int, look: style.Look) -> dict[str, alt.Chart]:
    """The names of runs before their rows, and those of measures above them."""
    import altair as alt

    limit = round(240 * look.font_size / style.FONT_SIZE)
    run = alt.Chart().mark_text(align="right", baseline="middle", style="faint", limit=limit, fontSize=look.font_size)
    measure = alt.Chart().transform_filter("datum.row == datum.panel + 1")
    measure = measure.mark_text(align="left", baseline="middle", fontWeight="bold", fontSize=look.font_size)
    return {
        "names": run.encode(x=alt.value(-BEFORE), y=panel_row("row", rows), text=alt.Text("name:N")),
        "measures": measure.encode(x=alt.value(4), y=panel_row("panel", rows), text=alt.Text("measure:N")),
    }


def row_height(rows: int, asked: style.LookAsked) -> int:
    """The height of a row, lower if there are many, and in proportion to the letters."""
    size = asked.get("font_size") or style.FONT_SIZE
    return max(1, round((ROW if rows <= MANY else LOW_ROW) * size / style.FONT_SIZE))


def mean_of(scores: ScoreTable, run: str, measure: Measure) -> Mean:
    """The value of a run over its topics, and the interval of what drawn topics give."""
    value = float(scores[run, measure])
    if (correction := corrected_value(scores, run, measure)) is not None:
        return Mean(run, str(measure), value, *correction.corrected.interval(CONFIDENCE))
    names = [str(known) for known in scores.measures]
    values = scores.values[scores.systems.index(run), names.index(str(measure))]
    values = values[~np.isnan(values)]
    if len(values) < 2 or not is_mean(measure) or not np.isfinite(values).all():
        return Mean(run, str(measure), value, value, value)
    drawn = bootstrap_means(values[None], SAMPLES, SEED)[0] * (len(values) if isinstance(measure, Count) else 1)
    low, high = np.quantile(drawn, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]).tolist()
    return Mean(run, str(measure), value, low, high)


def corrected_value(scores: ScoreTable, run: str, measure: Measure) -> Correction | None:
    """The corrected value of a run, where people checked it."""
    return scores._correction(scores._system(run), scores._measure(measure))


def interval_layers(place: alt.Chart, field: str, across: str, look: style.Look) -> dict[str, alt.Chart]:
    """A line from `low` to `high`, and a point on it."""
    import altair as alt

    axis = alt.X(f"{field}:Q", title=across, scale=alt.Scale(zero=False, nice=True))
    line = place.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title=across), x2=alt.X2("high:Q"))
    point = place.mark_point(filled=True, size=style.in_proportion(60, look), opacity=1).encode(x=axis)
    return {"intervals": line, "points": point}


@style.skip_schema_check
def forest(
    scores: ScoreTable, measure: MeasureLike, baseline: str | None = None, **asked: Unpack[style.LookAsked]
) -> alt.LayerChart:
    """How much each run is above the baseline, or each pair apart, with the 95% interval of the difference.

    A difference that is significant has a filled point.
    """
    import altair as alt

    wanted = one_measure(measure, scores.measures)
    refuse_many_pairs(len(scores.systems), baseline)
    comparison = compare(scores, wanted, baseline=baseline, seed=SEED, confidence=CONFIDENCE)
    rows = difference_rows(comparison)
    look = style.look_of(asked, style.WIDTH, row_height(len(rows), asked) * len(rows))
    beginning = style.shared_beginning(scores.systems)
    against = f"difference in {wanted}" + (f" from {style.cut_to_fit(baseline)}" if baseline else "")
    place = alt.Chart().encode(
        y=alt.Y("pair:N", sort=None, title=None, axis=pair_axis(look, baseline is None, beginning)),
        color=style.colour_of_runs(scores.systems, None),
        tooltip=[alt.Tooltip("pair:N", title="runs"), alt.Tooltip("difference:Q", format=f"+{style.NUMBER}"),
                 *(alt.Tooltip(f"{end}:Q", format=f"+{style.NUMBER}") for end in ("low", "high")),
                 alt.Tooltip("p:Q", title="corrected p", format=".4~f")],
    )  # fmt: skip
    layers = interval_layers(place, "difference", against, look)
    points = layers.pop("points")
    hollow = points.mark_point(filled=False, size=style.in_proportion(60, look), opacity=1, strokeWidth=2)
    zero = alt.Chart().transform_aggregate(pairs="count()").mark_rule(style="reference").encode(x=alt.XDatum(0))
    layers = {
        "zero": zero, **layers,
        "significant": points.transform_filter("datum.significant"),
        "open": hollow.transform_filter("!datum.significant"),
    }  # fmt: skip
    heading = f"{wanted}: {f'each run − {style.cut_to_fit(baseline)}' if baseline else 'each pair of runs'}"
    about = f"{CONFIDENCE:.0%} confidence intervals; filled: significant at {LEVEL:g}"
    about += style.without_beginning(scores.systems)
    return style.layered_chart(
        layers, f"forest_{wanted}", [heading, about, comparison.about()], look, style.inline(rows)
    )


def pair_axis(look: style.Look, pairs: bool, beginning: str) -> alt.Axis:
    """An axis of runs, or of two runs with a minus between them, of which each name is cut by itself."""
    import altair as alt

    label, names = style.cut_where_drawn(most=2 * LETTERS, beginning=beginning), f"split(datum.label, '{MINUS}')"
    if pairs:
        first, second = (style.cut_where_drawn(f"{names}[{number}]", LETTERS, beginning) for number in (0, 1))
        label = f"length({names}) == 2 ? {first} + '{MINUS}' + {second} : {label}"
    return alt.Axis(labelExpr=label, labelLimit=round(330 * look.font_size / style.FONT_SIZE))


def refuse_many_pairs(runs: int, baseline: str | None) -> None:
    """More pairs than have room are refused."""
    pairs = runs * (runs - 1) // 2
    if baseline is None and pairs > MOST_PAIRS:
        what = f"{runs} runs have {pairs:,} pairs, too many for a chart"
        raise UsageError(f"{what}; pass baseline=, or choose fewer runs")


def difference_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """The pairs, the greatest difference first; the run that they are coloured by is the first of each."""
    significant = {(pair.first, pair.second) for pair in comparison.significant(LEVEL)}
    name = (lambda pair: pair.first) if comparison.baseline else (lambda pair: f"{pair.first}{MINUS}{pair.second}")
    return [
        {
            "pair": name(pair), "run": pair.first, "difference": pair.difference, "low": pair.low, "high": pair.high,
            "p": pair.corrected, "significant": (pair.first, pair.second) in significant,
        }
        for pair in sorted(comparison.pairs, key=lambda pair: -pair.difference)
    ]  # fmt: skip
