"""Means and differences of means with confidence intervals, also over saved versions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Unpack

import altair as alt
import numpy as np

from assay.charts import style
from assay.comparing.paired import bootstrap_means
from assay.comparing.significance import compare
from assay.errors import InputError, UsageError, count_noun, list_names
from assay.measures.base import Count, Measure, MeasureLike, MeasuresLike, is_mean
from assay.measures.notation import measures_of, one_measure

if TYPE_CHECKING:
    from assay.comparing.comparison import Comparison
    from assay.evaluation.provenance import MeasureFacts, Provenance
    from assay.evaluation.score_table import ScoreTable


SAMPLES, CONFIDENCE, SEED, LEVEL = 10_000, 0.95, 0, 0.05
# The height of a row in pixels: ROW for up to MANY rows, LOW_ROW for more.
ROW, LOW_ROW, MANY = 30, 18, 12
# The sign between the two names of a pair, and how many letters of each name are shown.
MINUS, LETTERS = " − ", 25
# How many pairs fit into a chart; more runs need a baseline.
MOST_PAIRS = 60


@dataclass(frozen=True)
class Mean:
    """The value of a run over topics with its confidence interval; without one, low and high equal the value."""

    run: str
    measure: str
    value: float
    low: float
    high: float


@style.skip_schema_check
def means(scores: ScoreTable, measures: MeasuresLike, **asked: Unpack[style.LookAsked]) -> alt.LayerChart:
    """Draw the value of each run by one or more measures, with 95% bootstrap confidence intervals over topics."""
    wanted = measures_of(measures, scores.measures)
    several, systems = len(wanted) > 1, scores.systems
    every = [mean_of(scores, run, measure) for measure in wanted for run in systems]
    best = style.best_first(scores, wanted[0])
    rows = style.inline([vars(mean) for mean in every])
    # each measure has a row per run, and above them a row for its name if there are several measures
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

# The distance from the name of a run to the axis, in pixels.
BEFORE = 8


def in_panels(every: list[Mean], measures: list[str], best: list[str]) -> list[dict[str, Any]]:
    """Return the means as rows of data, each with the number of its row and of the row with the name of its measure."""
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
    """Return the y-encoding of a row of the panels, by its number."""
    return alt.Y(f"{field}:O", axis=None, scale=alt.Scale(domain=list(range(rows)), padding=0))


def panel_names(rows: int, look: style.Look) -> dict[str, alt.Chart]:
    """Return layers with the names of runs before their rows, and the names of measures above them."""
    limit = round(240 * look.font_size / style.FONT_SIZE)
    run = alt.Chart().mark_text(align="right", baseline="middle", style="faint", limit=limit, fontSize=look.font_size)
    measure = alt.Chart().transform_filter("datum.row == datum.panel + 1")
    measure = measure.mark_text(align="left", baseline="middle", fontWeight="bold", fontSize=look.font_size)
    return {
        "names": run.encode(x=alt.value(-BEFORE), y=panel_row("row", rows), text=alt.Text("name:N")),
        "measures": measure.encode(x=alt.value(4), y=panel_row("panel", rows), text=alt.Text("measure:N")),
    }


def row_height(rows: int, asked: style.LookAsked) -> int:
    """Return the height of a row: lower if there are many, and in proportion to the letters."""
    size = asked.get("font_size") or style.FONT_SIZE
    return max(1, round((ROW if rows <= MANY else LOW_ROW) * size / style.FONT_SIZE))


def mean_of(scores: ScoreTable, run: str, measure: Measure) -> Mean:
    """Return the value of a run over its topics, with its bootstrap or corrected confidence interval."""
    value = float(scores[run, measure])
    if (correction := scores._correction(scores._system(run), scores._measure(measure))) is not None:
        return Mean(run, str(measure), value, *correction.corrected.interval(CONFIDENCE))
    names = [str(known) for known in scores.measures]
    values = scores.values[scores.systems.index(run), names.index(str(measure))]
    values = values[~np.isnan(values)]
    if len(values) < 2 or not is_mean(measure) or not np.isfinite(values).all():
        return Mean(run, str(measure), value, value, value)
    drawn = bootstrap_means(values[None], SAMPLES, SEED)[0] * (len(values) if isinstance(measure, Count) else 1)
    low, high = np.quantile(drawn, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]).tolist()
    return Mean(run, str(measure), value, low, high)


def interval_layers(place: alt.Chart, field: str, across: str, look: style.Look) -> dict[str, alt.Chart]:
    """Return layers with a line from `low` to `high`, and a point on it."""
    axis = alt.X(f"{field}:Q", title=across, scale=alt.Scale(zero=False, nice=True))
    line = place.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title=across), x2=alt.X2("high:Q"))
    point = place.mark_point(filled=True, size=style.in_proportion(60, look), opacity=1).encode(x=axis)
    return {"intervals": line, "points": point}


@style.skip_schema_check
def forest(
    scores: ScoreTable, measure: MeasureLike, baseline: str | None = None, **asked: Unpack[style.LookAsked]
) -> alt.LayerChart:
    """Draw the difference of each run from the baseline, or of each pair, with 95% confidence intervals.

    A significant difference has a filled point.
    """
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
    """Return an axis of runs, or of pairs with a minus between the names; each name is shortened by itself."""
    label, names = style.cut_where_drawn(most=2 * LETTERS, beginning=beginning), f"split(datum.label, '{MINUS}')"
    if pairs:
        first, second = (style.cut_where_drawn(f"{names}[{number}]", LETTERS, beginning) for number in (0, 1))
        label = f"length({names}) == 2 ? {first} + '{MINUS}' + {second} : {label}"
    return alt.Axis(labelExpr=label, labelLimit=round(330 * look.font_size / style.FONT_SIZE))


def refuse_many_pairs(runs: int, baseline: str | None) -> None:
    """Refuse more pairs than fit into a chart."""
    pairs = runs * (runs - 1) // 2
    if baseline is None and pairs > MOST_PAIRS:
        what = f"{runs} runs have {pairs:,} pairs, too many for a chart"
        raise UsageError(f"{what}; pass baseline=, or choose fewer runs")


def difference_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """Return the pairs as rows of data, largest difference first; a pair has the colour of its first run."""
    significant = {(pair.first, pair.second) for pair in comparison.significant(LEVEL)}
    name = (lambda pair: pair.first) if comparison.baseline else (lambda pair: f"{pair.first}{MINUS}{pair.second}")
    return [
        {
            "pair": name(pair), "run": pair.first, "difference": pair.difference, "low": pair.low, "high": pair.high,
            "p": pair.corrected, "significant": (pair.first, pair.second) in significant,
        }
        for pair in sorted(comparison.pairs, key=lambda pair: -pair.difference)
    ]  # fmt: skip


# The history of a measure over versions of a system: saved scores, one after the other.

# The least width of a version, in pixels.
STEP = 24
# The name of the run if each version has only one run, whatever that is called.
ONLY = "run"


@dataclass(frozen=True, eq=False)
class Version:
    """Saved scores, their name in the chart, and their provenance."""

    name: str
    scores: ScoreTable
    made_of: Provenance

    def facts(self, measure: Measure) -> MeasureFacts | None:
        """Return the facts that tell the measure from others of the same name; None if the scores lack it."""
        return next((each for each in self.made_of.measures if each.name == str(measure)), None)


def shared_measure(versions: list[Version], asked: MeasureLike | None) -> Measure:
    """Return the measure that was asked for, which every version must have; by default the first that all have."""
    first = versions[0].scores.measures
    measure = None if asked is None else one_measure(asked, [each for one in versions for each in one.scores.measures])
    for choice in first if measure is None else [measure]:
        lacking = [version for version in versions if str(choice) not in map(str, version.scores.measures)]
        if not lacking:
            return choice
    if measure is None:
        raise UsageError("no measure is in all of these scores; a history shows one measure")
    what = f"no {measure} in these scores"
    raise InputError(f"{what}; choose from {list_names(list(map(str, lacking[0].scores.measures)))}", lacking[0].name)


def changes(before: Version, after: Version, measure: Measure) -> list[str]:
    """Return what changed from one version to the next, so that their values cannot be compared."""
    first, second = before.made_of, after.made_of
    pairs = {
        "judgments": (first.gold, second.gold),
        "documents": (first.documents, second.documents),
        "measure": (before.facts(measure), after.facts(measure)),
        "rules": (first.rules, second.rules),
    }
    return [name for name, (old, new) in pairs.items() if old != new]


def history_rows(versions: list[Version], measure: Measure) -> Iterator[dict[str, Any]]:
    """Yield the value of each run in each version with its interval; `part` counts up if values cannot be compared."""
    alone = all(len(version.scores.systems) == 1 for version in versions)
    changed = [[], *(changes(*pair, measure) for pair in pairwise(versions))]
    part = 0
    for version, told in zip(versions, changed, strict=True):
        part += bool(told)
        for number, system in enumerate(version.scores.systems):
            mean = mean_of(version.scores, system, measure)
            yield {
                "version": version.name, "run": ONLY if alone else system, "system": system, "value": mean.value,
                "low": mean.low, "high": mean.high, "part": part, "changed": ", ".join(told) if not number else "",
            }  # fmt: skip


@style.skip_schema_check
def history(
    versions: list[Version], measure: MeasureLike | None = None, **asked: Unpack[style.LookAsked]
) -> alt.LayerChart:
    """Draw the value of each run over versions, in the order given, with 95% bootstrap confidence intervals.

    A dashed line marks where judgments, documents, the measure or the rules changed; no line of a run crosses it.
    """
    if len(versions) < 2:
        raise UsageError(f"a history needs at least two saved scores; found {len(versions)}")
    wanted = shared_measure(versions, measure)
    rows = list(history_rows(versions, wanted))
    systems = list(dict.fromkeys(row["run"] for row in rows))
    names = [version.name for version in versions]
    look = style.look_of(asked, max(style.WIDTH, STEP * len(names)))
    shown = style.legend(systems, look) if len(systems) > 1 else None
    beside = alt.XOffset("run:N", sort=systems) if shown else alt.Undefined
    place = alt.Chart().encode(x=version_axis(names, look), xOffset=beside, color=style.colour_of_runs(systems, shown))
    value = alt.Y("value:Q", title=str(wanted), scale=alt.Scale(zero=False, nice=True))
    tooltip = [
        alt.Tooltip("version:N"), alt.Tooltip("system:N", title="run"),
        *(alt.Tooltip(f"{name}:Q", format=style.NUMBER) for name in ("value", "low", "high")),
    ]  # fmt: skip
    layers = {
        **change_layers(names, look),
        "intervals": place.mark_rule(strokeWidth=1.5, opacity=0.6).encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        "lines": place.mark_line(strokeWidth=1.5).encode(
            y=value, detail=alt.Detail("part:N"), strokeDash=style.dashes_of_runs(systems, shown)
        ),
        "points": place.mark_point(filled=True, size=style.in_proportion(50, look), opacity=1).encode(
            y=value, tooltip=tooltip
        ),
    }
    bars = f"{CONFIDENCE:.0%} confidence intervals, from {SAMPLES:,} bootstrap samples, seed {SEED}"
    about = [f"{count_noun(len(names), 'version')}; bars: {bars}"]
    if any(row["changed"] for row in rows):
        about.append("dashed: this changed, so values before and after cannot be compared")
    return style.layered_chart(
        layers, f"history_{wanted}", [f"{wanted} over versions", *about], look, style.inline(rows)
    )


def version_axis(names: list[str], look: style.Look, **more: Any) -> alt.X:
    """Return the axis of versions, with their names below; the names are vertical if there is no room."""
    room = look.width / len(names)
    upright = max(map(len, names)) * style.LETTER * look.font_size * 1.15 > room
    axis = alt.Axis(
        labelAngle=-90 if upright else 0, labelLimit=150, labelOverlap=False, labelExpr=style.cut_where_drawn()
    )
    return alt.X("version:O", sort=names, title=None, axis=axis, scale=alt.Scale(domain=names), **more)


def change_layers(names: list[str], look: style.Look) -> dict[str, alt.Chart]:
    """Return layers with a dashed line before each version in which something changed, and beside it what changed."""
    changed = alt.Chart().transform_filter("datum.changed != ''")
    before = version_axis(names, look, bandPosition=0)
    line = changed.mark_rule(style="reference", strokeDash=[4, 3]).encode(x=before)
    text = changed.mark_text(
        style="faint", angle=270, align="right", baseline="top", dx=-2, dy=3, fontSize=look.font_size
    )
    return {"changes": line, "changed": text.encode(x=before, y=alt.value(0), text=alt.Text("changed:N"))}
