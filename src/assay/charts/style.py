"""How charts look: hues, dashes and shapes that can be told apart by the colour-blind and in print, and two themes.

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
    Data = alt.InlineData | alt.NamedData

Given = ParamSpec("Given")
WIDTH, HEIGHT = 560, 340
# A name has room for 30 letters: of a longer one the beginning and the end are shown, where names mostly differ.
LONGEST_NAME = 30
# No picture is larger than this, in pixels each way.
LARGEST = 20_000
# The size of labels in pixels; titles are larger in proportion.
FONT_SIZE = 11
# A title may be so wide, in pixels, also where the chart below it is narrower.
TITLE_WIDTH = 420
# The mean width of a letter below a title, and in a title, which is bold, as a share of the size of labels.
LETTER, BOLD_LETTER = 0.5, 0.65
# Up to this many runs have their legend beside the chart; more have it below the chart, in columns.
BESIDE = 10
# How numbers are shown: with up to four decimals, and none for counts.
NUMBER = ",.4~f"
# How many runs stand out in a chart whose legend is below it.
FEW = 5
# The palette of Okabe and Ito, the darkest first; each theme leaves out what is hard to see on its background.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, YELLOW = "#E69F00", "#56B4E9", "#F0E442"
# The first seven are told apart by the colour-blind; those that follow are none of them, darker or paler. Runs take the
# 14 hues and the 9 dashes or shapes in turn: no two of 126 look the same, and neighbours differ in both.
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
# Of each theme: background, text, faint text, grid; then of a heat map the colour of a correlation of 0, text on weak
# and on strong colours, and the colours of a correlation of -1 and of 1.
TONES = {
    "light": ("#FFFFFF", "#1A1A1A", "#555555", "#E4E4E4", "#F7F7F7", "#1A1A1A", "#FFFFFF", "#B35806", "#2166AC"),
    "dark": ("#16181D", "#ECECEC", "#A8ABB2", "#33363D", "#24272E", "#ECECEC", "#101216", "#E08A3C", "#4C9BE0"),
}


class Look(NamedTuple):
    """The theme of a chart, the size of what its axes enclose, and that of its labels.

    `title` is in place of the chart's own; if it is empty, there is none.
    """

    theme: str
    width: int
    height: int
    title: str | None = None
    font_size: float = FONT_SIZE


class LookAsked(TypedDict, total=False):
    """What was asked for of the look of a chart; the chart decides the rest."""

    theme: str
    width: int | None
    height: int | None
    title: str | None
    font_size: float | None


def look_of(asked: LookAsked, width: int = WIDTH, height: int = HEIGHT) -> Look:
    """The look of a chart that is of that size where no other is asked for."""
    sizes = asked.get("width") or width, asked.get("height") or height
    font_size = asked.get("font_size") or FONT_SIZE
    for name, size in zip(("width", "height", "font size"), (*sizes, font_size), strict=True):
        if not 1 <= size <= LARGEST:
            raise UsageError(f"the {name} of a chart is {size:g}; expected 1 to {LARGEST:,} pixels")
    return Look(asked.get("theme", "light"), *sizes, asked.get("title"), font_size)


def config(theme: str = "light", font_size: float = FONT_SIZE) -> dict[str, Any]:
    """The config that gives a chart its theme, light or dark, and the size of its labels."""
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
    """Rows as the data of a chart, which must all be finite numbers; Altair leaves data with a name where it is."""
    for row in rows:
        for field, value in row.items():
            if isinstance(value, float) and not math.isfinite(value):
                whose = ", ".join(dict.fromkeys(text for text in row.values() if isinstance(text, str)))
                raise UsageError(f"the {field} of {whose} is {value}, which cannot be drawn")
    return alt.InlineData(values=rows, name=name)


def named_data(name: str = "scores") -> alt.NamedData:
    """Data of which only the name is known: whoever shows the chart has the rows."""
    return alt.NamedData(name=name)


def layered_chart(
    layers: dict[str, alt.Chart], name: str, title: list[str], look: Look, data: Data | None = None
) -> alt.LayerChart:
    """A chart of layers, each by its name, below a title and smaller lines.

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
    """A title, and smaller lines below it; what is too long for a line goes on in the next."""
    own, *lines = texts
    heading = look.title or own
    room = max(look.width, TITLE_WIDTH) / look.font_size
    text = wrap_lines(heading, int(room / BOLD_LETTER))
    below = [part for line in lines for part in wrap_lines(line, int(room / LETTER))]
    return alt.TitleParams(text[0] if len(text) == 1 else text, subtitle=below or alt.Undefined)


def wrap_lines(text: str, most: int) -> list[str]:
    """A text in lines of at most this many letters; a word that is longer is broken."""
    return textwrap.wrap(text, max(most, 1), break_on_hyphens=False) or [text]


def identifier(name: str) -> str:
    """The name with underscores for all that is not a letter or a digit."""
    return re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")


def cut_to_fit(text: str) -> str:
    """The name of a run, of which the middle is left out where it is longer than there is room for in a title."""
    tail = LONGEST_NAME // 2
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - tail - 1]}…{text[-tail:]}"


# Names of runs often have one beginning, for example a year or a lab. It ends at one of these.
SEPARATORS = "-_./ "


def shared_beginning(names: list[str]) -> str:
    """The beginning that all names share, to the last separator in it after which they are still names."""
    alike = itertools.takewhile(lambda letters: len({*letters}) == 1, zip(*names, strict=False))
    shared = "".join(letters[0] for letters in alike) if len(names) > 1 else ""
    ends = [place + 1 for place, letter in enumerate(shared) if letter in SEPARATORS]
    # a number alone does not name a run
    named = [end for end in ends if all(any(letter.isalpha() for letter in name[end:]) for name in names)]
    return shared[: max(named, default=0)]


def short_names(names: list[str]) -> list[str]:
    """Names without the beginning that all share."""
    return [name[len(shared_beginning(names)) :] for name in names]


def without_beginning(names: list[str]) -> str:
    """What a chart says where it leaves out the beginning that all names share."""
    return f"; all names begin with {cut_to_fit(shared)}" if (shared := shared_beginning(names)) else ""


def in_proportion(area: float, look: Look) -> float:
    """The area of a point that grows and shrinks with the letters."""
    return round(area * (look.font_size / FONT_SIZE) ** 2, 1)


def cut_where_drawn(text: str = "datum.label", most: int = LONGEST_NAME, beginning: str = "") -> str:
    """The same as an expression of Vega, which shows a name in an axis or a legend, and leaves it whole in the data.

    A beginning that all names share is left out. The expression has no names in it, which are never code.
    """
    tail = most // 2
    if beginning:
        # Vega counts in units of UTF-16
        text = f"slice({text}, {len(beginning.encode('utf-16-le')) // 2})"
    return f"(length({text}) > {most} ? slice({text}, 0, {most - tail - 1}) + '…' + slice({text}, -{tail}) : {text})"


def run_axis(look: Look, beginning: str = "", **more: Any) -> alt.Axis:
    """An axis of runs, with room for names of wide letters, without the beginning that all names share."""
    label = cut_where_drawn(beginning=beginning)
    return alt.Axis(labelExpr=label, labelLimit=round(240 * look.font_size / FONT_SIZE), **more)


def legend(order: list[str], look: Look, of: str, beside: bool = True, beginning: str = "") -> alt.Legend:
    """The legend of all runs, of lines or of points: beside the chart, or below it in columns if there are many.

    It leaves out the beginning that all names share.
    """
    symbol: dict[str, Any] = {"symbolSize": 80, "rowPadding": 3}
    if of == "lines":
        # A symbol has to be large to show the dashes of its line, and a row of the legend is as high as its symbol is
        # large: less padding brings the rows together again.
        symbol = {"symbolType": "stroke", "symbolSize": 600, "rowPadding": -8}
    # without a limit of its own a legend shows 30 runs
    names = cut_where_drawn(beginning=beginning)
    every = {"title": "run", "values": order, "symbolLimit": len(order), "labelExpr": names, **symbol}
    if beside and len(order) <= BESIDE:
        return alt.Legend(orient="right", labelLimit=round(200 * look.font_size / FONT_SIZE), **every)
    label = round(min(6 * (max(map(len, order)) - len(beginning)), 180) * look.font_size / FONT_SIZE)
    columns = max(1, min(len(order), (look.width + 60) // (label + 45)))
    return alt.Legend(orient="bottom", columns=columns, labelLimit=label + 10, columnPadding=14, **every)


# Every object of JavaScript has something under these names, and Vega mistakes it for a run of that name. With a blank
# after it a name is only a name.
OBJECTS = {
    "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
    "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
}  # fmt: skip
NO_BREAK = "\u00a0"


def colour_of_runs(systems: list[str], shown: alt.Legend | None) -> alt.Color:
    """Each run in its hue, which is the same in every chart of the same scores."""
    return alt.Color("run:N", scale=alt.Scale(domain=systems), legend=shown)


def dashes_of_runs(systems: list[str], shown: alt.Legend | None) -> alt.StrokeDash:
    """Each run in its dashes."""
    return alt.StrokeDash("run:N", scale=alt.Scale(domain=systems, range=DASHES), legend=shown)


def shapes_of_runs(systems: list[str], shown: alt.Legend | None) -> alt.Shape:
    """Each run in its shape."""
    return alt.Shape("run:N", scale=alt.Scale(domain=systems, range=SHAPES), legend=shown)


def clicked_runs(in_legend: bool = True) -> alt.Parameter:
    """The runs that were clicked: in the legend, or if there is none, in the chart."""
    return alt.selection_point(name="chosen", fields=["run"], bind="legend" if in_legend else alt.Undefined)


def opacity(chosen: alt.Parameter, full: float = 1.0) -> alt.OpacityValue:
    """Full opacity for what is chosen, and for everything while nothing is; the rest fades."""
    return alt.OpacityValue(**alt.when(chosen).then(alt.value(full)).otherwise(alt.value(0.08 * full)))


def skip_schema_check(make: Callable[Given, alt.LayerChart]) -> Callable[Given, alt.LayerChart]:
    """Make a chart without holding each of its parts against the schema, which takes longer than all the rest.

    The whole chart is still held against it where it is saved.
    """

    @functools.wraps(make)
    def made(*given: Given.args, **named: Given.kwargs) -> alt.LayerChart:
        from altair.utils.schemapi import debug_mode

        with debug_mode(False):
            return make(*given, **named)

    return made
