"""How charts look: colours, dashes and shapes that colour-blind people can tell apart, also in print; and two themes.

Every colour is in a theme, which is the `config` of a chart: to change the theme of a chart, change its config.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypedDict

import altair as alt

from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.evaluation.score_table import ScoreTable
    from assay.measures.base import Measure

    Data = alt.InlineData | alt.NamedData

Given = ParamSpec("Given")
WIDTH, HEIGHT = 560, 340
# The longest name that is shown whole. A longer name loses its middle, because names mostly differ at their ends.
LONGEST_NAME = 30
# The largest width and height of a picture, in pixels.
LARGEST = 20_000
# The size of labels in pixels; titles are larger in proportion.
FONT_SIZE = 11
# The width in pixels that a title may have even if the chart below it is narrower.
TITLE_WIDTH = 420
# The mean width of a letter in a subtitle, and in a title, which is bold, as a share of the size of labels.
LETTER, BOLD_LETTER = 0.5, 0.65
# Up to this many runs have their legend beside the chart; more have it below the chart, in columns.
BESIDE = 10
# How numbers are shown: with up to four decimals, and none for counts.
NUMBER = ",.4~f"
# How many runs stand out in a chart whose legend is below it.
FEW = 5
# The palette of Okabe and Ito, darkest first; each theme leaves out colours that are hard to see on its background.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, YELLOW = "#E69F00", "#56B4E9", "#F0E442"
# Colour-blind people can tell the first seven apart; the others are darker or paler than these. Runs take the 14 hues
# and the 9 dashes or shapes in turn: no two of 126 runs look the same, and neighbours differ in both.
HUES = {
    "light": [
        BLUE, VERMILION, GREEN, "#000000", PURPLE, ORANGE, SKY,
        "#7A3E9D", "#8C510A", "#8A8A8A", "#B30059", "#5E7A00", "#003B73", "#0AA5A5",
    ],
    "dark": [
        SKY, VERMILION, GREEN, "#FFFFFF", PURPLE, ORANGE, YELLOW,
        "#B79CED", "#C49A6C", "#9AA0A8", "#FF7FB0", "#A8C545", "#5C8DFF", "#5FE0E0",
    ],
}  # fmt: skip
DASHES = [[1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [10, 4], [3, 4], [6, 2, 2, 2, 2, 2], [4, 2, 1, 2], [9, 2, 4, 2]]
STAR = "M0,-1L0.25,-0.25L1,0L0.25,0.25L0,1L-0.25,0.25L-1,0L-0.25,-0.25Z"
SHAPES = [
    "circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", STAR, "triangle-left",
]  # fmt: skip
# The colours of each theme: background, text, faint text, grid; then for heat maps: a correlation of 0, text on weak
# and on strong colours, a correlation of -1, and a correlation of 1.
TONES = {
    "light": ("#FFFFFF", "#1A1A1A", "#555555", "#E4E4E4", "#F7F7F7", "#1A1A1A", "#FFFFFF", "#B35806", "#2166AC"),
    "dark": ("#16181D", "#ECECEC", "#A8ABB2", "#33363D", "#24272E", "#ECECEC", "#101216", "#E08A3C", "#4C9BE0"),
}


class Look(NamedTuple):
    """The theme of a chart, the size of its plot area, and the size of its labels.

    `title` replaces the chart's own title; an empty title removes it.
    """

    theme: str
    width: int
    height: int
    title: str | None = None
    font_size: float = FONT_SIZE


class LookAsked(TypedDict, total=False):
    """The look that the user asked for; the chart decides what is missing."""

    theme: str
    width: int | None
    height: int | None
    title: str | None
    font_size: float | None


def look_of(asked: LookAsked, width: int = WIDTH, height: int = HEIGHT) -> Look:
    """Return the look of a chart, with a default width and height."""
    sizes = asked.get("width") or width, asked.get("height") or height
    font_size = asked.get("font_size") or FONT_SIZE
    for name, size in zip(("width", "height", "font size"), (*sizes, font_size), strict=True):
        if not 1 <= size <= LARGEST:
            raise UsageError(f"the {name} of a chart is {size:g}; expected 1 to {LARGEST:,} pixels")
    return Look(asked.get("theme", "light"), *sizes, asked.get("title"), font_size)


def config(theme: str = "light", font_size: float = FONT_SIZE) -> dict[str, Any]:
    """Return the config that gives a chart its theme, light or dark, and the size of its labels."""
    if theme not in TONES:
        raise UsageError(f"unknown theme {theme!r}; choose from {', '.join(TONES)}")
    background, text, faint, grid, middle, on_weak, on_strong, low, high = TONES[theme]
    label, axis_title, title = (round(font_size * size / FONT_SIZE, 1) for size in (FONT_SIZE, 12, 14))
    limit = round(180 * font_size / FONT_SIZE)
    small = {"labelFontSize": label, "titleFontSize": axis_title, "titleFontWeight": "normal"}
    return {
        "background": background,
        "font": "sans-serif",
        "padding": 12,
        "view": {"stroke": None, "continuousWidth": WIDTH, "continuousHeight": HEIGHT},
        "axis": {
            **small, "labelColor": faint, "titleColor": text, "gridColor": grid, "domainColor": faint,
            "tickColor": faint, "labelLimit": limit, "titlePadding": 8, "labelFlush": False, "labelSeparation": 5,
        },
        "legend": {**small, "labelColor": text, "titleColor": text, "symbolStrokeWidth": 2, "symbolSize": 90},
        "title": {
            "color": text, "subtitleColor": faint, "anchor": "start", "frame": "group", "fontSize": title,
            "subtitleFontSize": label, "subtitlePadding": 4, "offset": 12,
        },
        "range": {"category": HUES[theme], "diverging": [low, middle, high], "heatmap": [middle, high]},
        "text": {"color": text, "fontSize": label},
        "style": {
            "reference": {"color": faint},
            "faint": {"color": faint},
            "halo": {"stroke": background, "strokeWidth": 3},
            "summary": {"color": text},
            "on-weak": {"color": on_weak},
            "on-strong": {"color": on_strong},
        },
    }  # fmt: skip


def inline(rows: list[dict[str, Any]], name: str = "scores") -> alt.InlineData:
    """Return rows as the data of a chart; refuse numbers that are not finite.

    Altair does not move data that has a name.
    """
    for row in rows:
        for field, value in row.items():
            if isinstance(value, float) and not math.isfinite(value):
                whose = ", ".join(dict.fromkeys(text for text in row.values() if isinstance(text, str)))
                raise UsageError(f"the {field} of {whose} is {value}, which cannot be drawn")
    return alt.InlineData(values=rows, name=name)


def named_data(name: str = "scores") -> alt.NamedData:
    """Return data with a name but without rows: the page that shows the chart has the rows."""
    return alt.NamedData(name=name)


def layered_chart(
    layers: dict[str, alt.Chart], name: str, title: list[str], look: Look, data: Data | None = None
) -> alt.LayerChart:
    """Make a chart of named layers, below a title and smaller lines.

    The name of the chart itself depends only on what it shows.
    """
    for part, layer in layers.items():
        layer.name = part
    return alt.LayerChart(
        layer=list(layers.values()),
        data=alt.Undefined if data is None else data,
        name=identifier(name),
        config=config(look.theme, look.font_size),
        width=look.width,
        height=look.height,
        title=alt.Undefined if look.title == "" else chart_title(title, look),
    )


def chart_title(texts: list[str], look: Look) -> alt.TitleParams:
    """Return a title with smaller lines below it; lines that are too long are wrapped."""
    own, *lines = texts
    heading = look.title or own
    room = max(look.width, TITLE_WIDTH) / look.font_size
    text = wrap_lines(heading, int(room / BOLD_LETTER))
    below = [part for line in lines for part in wrap_lines(line, int(room / LETTER))]
    return alt.TitleParams(text[0] if len(text) == 1 else text, subtitle=below or alt.Undefined)


def wrap_lines(text: str, most: int) -> list[str]:
    """Wrap a text into lines of at most this many letters; a longer word is broken."""
    return textwrap.wrap(text, max(most, 1), break_on_hyphens=False) or [text]


def identifier(name: str) -> str:
    """Replace everything in a name but letters and digits by underscores."""
    return re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")


def cut_to_fit(text: str) -> str:
    """Shorten the name of a run for a title: leave out its middle if it is too long."""
    tail = LONGEST_NAME // 2
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - tail - 1]}…{text[-tail:]}"


# Names of runs often begin alike, for example with a year or a lab. The shared beginning ends at one of these, but not
# at the point of a number: k1=0.11.
SEPARATOR = re.compile(r"[-_/ ]|(?<!\d)\.|\.(?!\d)")


def best_first(scores: ScoreTable, measure: Measure) -> list[str]:
    """Return the runs, best first; equal runs stay in the order of the scores."""
    sign = 1 if measure.less_is_better else -1
    return sorted(scores.systems, key=lambda run: sign * scores[run, measure])


def shared_beginning(names: list[str]) -> str:
    """Return the beginning that all names share, up to the last separator after which every name still has a letter."""
    alike = itertools.takewhile(lambda letters: len({*letters}) == 1, zip(*names, strict=False))
    shared = "".join(letters[0] for letters in alike) if len(names) > 1 else ""
    ends = [found.end() for found in SEPARATOR.finditer(names[0]) if found.end() <= len(shared)] if shared else []
    # a number alone is not a name
    named = [end for end in ends if all(any(letter.isalpha() for letter in name[end:]) for name in names)]
    return shared[: max(named, default=0)]


def short_names(names: list[str]) -> list[str]:
    """Return names without the beginning that all of them share."""
    return [name[len(shared_beginning(names)) :] for name in names]


def without_beginning(names: list[str]) -> str:
    """Return what a chart says about the shared beginning of names that it leaves out; empty if there is none."""
    return f"; all names begin with {cut_to_fit(shared)}" if (shared := shared_beginning(names)) else ""


def in_proportion(area: float, look: Look) -> float:
    """Return the area of a point, which grows and shrinks with the letters."""
    return round(area * (look.font_size / FONT_SIZE) ** 2, 1)


def cut_where_drawn(text: str = "datum.label", most: int = LONGEST_NAME, beginning: str = "") -> str:
    """Return a Vega expression that shortens a name in an axis or a legend, as `cut_to_fit` does.

    The data keep the whole name. The expression leaves out `beginning`. It contains no names, so that a name can never
    run as code.
    """
    tail = most // 2
    if beginning:
        # Vega counts UTF-16 code units
        text = f"slice({text}, {len(beginning.encode('utf-16-le')) // 2})"
    return f"(length({text}) > {most} ? slice({text}, 0, {most - tail - 1}) + '…' + slice({text}, -{tail}) : {text})"


def run_axis(look: Look, beginning: str = "", **more: Any) -> alt.Axis:
    """Return an axis of runs, with room for wide letters, without the beginning that all names share."""
    label = cut_where_drawn(beginning=beginning)
    return alt.Axis(labelExpr=label, labelLimit=round(240 * look.font_size / FONT_SIZE), **more)


def legend(order: list[str], look: Look, beginning: str = "") -> alt.Legend:
    """Return the legend of the lines of runs: beside the chart, or below it in columns if there are many.

    It leaves out the beginning that all names share.
    """
    # A symbol must be large to show the dashes of its line, and a row of the legend is as high as its symbol. Less
    # padding brings the rows together again.
    symbol: dict[str, Any] = {"symbolType": "stroke", "symbolSize": 600, "rowPadding": -8}
    # without symbolLimit a legend shows only 30 runs
    names = cut_where_drawn(beginning=beginning)
    every = {"title": "run", "values": order, "symbolLimit": len(order), "labelExpr": names, **symbol}
    if len(order) <= BESIDE:
        return alt.Legend(orient="right", labelLimit=round(200 * look.font_size / FONT_SIZE), **every)
    label = round(min(6 * (max(map(len, order)) - len(beginning)), 180) * look.font_size / FONT_SIZE)
    columns = max(1, min(len(order), (look.width + 60) // (label + 45)))
    return alt.Legend(orient="bottom", columns=columns, labelLimit=label + 10, columnPadding=14, **every)


# Every JavaScript object has properties with these names, and Vega mistakes them for runs with these names. A no-break
# space after the name prevents that.
OBJECTS = {
    "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
    "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
}  # fmt: skip
NO_BREAK = "\u00a0"


def colour_of_runs(systems: list[str], shown: alt.Legend | None) -> alt.Color:
    """Give each run its colour, which is the same in every chart of the same scores."""
    return alt.Color("run:N", scale=alt.Scale(domain=systems), legend=shown)


def dashes_of_runs(systems: list[str], shown: alt.Legend | None) -> alt.StrokeDash:
    """Give each run its dashes."""
    return alt.StrokeDash("run:N", scale=alt.Scale(domain=systems, range=DASHES), legend=shown)


def shapes_of_runs(systems: list[str], shown: alt.Legend | None) -> alt.Shape:
    """Give each run its shape."""
    return alt.Shape("run:N", scale=alt.Scale(domain=systems, range=SHAPES), legend=shown)


def clicked_runs(in_legend: bool = True) -> alt.Parameter:
    """Return the selection of runs by clicks: in the legend, or in the chart if it has no legend."""
    return alt.selection_point(name="chosen", fields=["run"], bind="legend" if in_legend else alt.Undefined)


def opacity(chosen: alt.Parameter, full: float = 1.0) -> alt.OpacityValue:
    """Return full opacity for selected runs, and for all runs if none is selected; other runs fade."""
    return alt.OpacityValue(**alt.when(chosen).then(alt.value(full)).otherwise(alt.value(0.08 * full)))


def skip_schema_check(make: Callable[Given, alt.LayerChart]) -> Callable[Given, alt.LayerChart]:
    """Make a chart without checking each of its parts against the schema, which takes longer than everything else."""

    @functools.wraps(make)
    def made(*given: Given.args, **named: Given.kwargs) -> alt.LayerChart:
        from altair.utils.schemapi import debug_mode

        with debug_mode(False):
            return make(*given, **named)

    return made
