"""How the value of a measure went over versions of a system: saved scores, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Unpack

from assay.charts import style
from assay.charts.intervals import CONFIDENCE, SAMPLES, SEED, mean_of
from assay.errors import InputError, UsageError, count_noun, list_names
from assay.measures.base import Measure, MeasureLike
from assay.measures.notation import one_measure

if TYPE_CHECKING:
    import altair as alt

    from assay.evaluation.provenance import MeasureFacts, Provenance
    from assay.evaluation.score_table import ScoreTable

# How many pixels each version has at least.
STEP = 24
# The run of a history of which each version has one run, whatever its name.
ONLY = "run"


@dataclass(frozen=True, eq=False)
class Version:
    """Saved scores, the name by which the chart shows them, and what they were made of."""

    name: str
    scores: ScoreTable
    made_of: Provenance

    def facts(self, measure: Measure) -> MeasureFacts | None:
        """What tells the measure from others of its name."""
        return next((each for each in self.made_of.measures if each.name == str(measure)), None)


def shared_measure(versions: list[Version], asked: MeasureLike | None) -> Measure:
    """The measure that is asked for, which every version must have; else the first that all have."""
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
    """What changed from one version to the next, so that their values cannot be compared."""
    first, second = before.made_of, after.made_of
    pairs = {
        "judgments": (first.gold, second.gold),
        "documents": (first.documents, second.documents),
        "measure": (before.facts(measure), after.facts(measure)),
        "rules": (first.rules, second.rules),
    }
    return [name for name, (old, new) in pairs.items() if old != new]


def history_rows(versions: list[Version], measure: Measure) -> Iterator[dict[str, Any]]:
    """The value of each run in each version with its interval; `part` counts up where values cannot be compared."""
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
    """The value of each run over versions, in the order given, with the 95% interval of bootstrap samples of topics.

    A dashed line stands where judgments, documents, the measure or the rules changed, and no line crosses it.
    """
    import altair as alt

    if len(versions) < 2:
        raise UsageError(f"a history needs at least two saved scores; found {len(versions)}")
    wanted = shared_measure(versions, measure)
    rows = list(history_rows(versions, wanted))
    systems = list(dict.fromkeys(row["run"] for row in rows))
    names = [version.name for version in versions]
    look = style.look_of(asked, max(style.WIDTH, STEP * len(names)))
    shown = style.legend(systems, look, "lines") if len(systems) > 1 else None
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
    """The versions from left to right, with their names below, upright if they have no room."""
    import altair as alt

    room = look.width / len(names)
    upright = max(map(len, names)) * style.LETTER * look.font_size * 1.15 > room
    axis = alt.Axis(
        labelAngle=-90 if upright else 0, labelLimit=150, labelOverlap=False, labelExpr=style.cut_where_drawn()
    )
    return alt.X("version:O", sort=names, title=None, axis=axis, scale=alt.Scale(domain=names), **more)


def change_layers(names: list[str], look: style.Look) -> dict[str, alt.Chart]:
    """A dashed line before each version in which something changed, and beside it what."""
    import altair as alt

    changed = alt.Chart().transform_filter("datum.changed != ''")
    before = version_axis(names, look, bandPosition=0)
    line = changed.mark_rule(style="reference", strokeDash=[4, 3]).encode(x=before)
    text = changed.mark_text(
        style="faint", angle=270, align="right", baseline="top", dx=-2, dy=3, fontSize=look.font_size
    )
    return {"changes": line, "changed": text.encode(x=before, y=alt.value(0), text=alt.Text("changed:N"))}
