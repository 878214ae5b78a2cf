"""How charts look: hues, dashes and shapes that can be told apart by the colour-blind and in print, and two themes.

Every colour stands in a theme, which is the `config` of a chart: to change the theme of a chart, change its config.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.errors import UsageError

if TYPE_CHECKING:
    import altair as alt

    # The rows of a chart, or only the name by which it gets them.
    Data = alt.InlineData | alt.NamedData

WIDTH, HEIGHT = 560, 340
# Up to so many runs have their legend beside the chart; more have it below the chart, in columns.
BESIDE = 10
# How numbers are shown: with up to four decimals, and none for counts.
NUMBER = ",.4~f"
# How many runs stand out in a chart whose legend is below it.
FEW = 5
# The palette of Okabe and Ito, the darkest first; each theme leaves out what is hard to see on its background.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, YELLOW = "#E69F00", "#56B4E9", "#F0E442"
# Runs take the 7 hues and the 9 dashes or shapes in turn: no two of 63 look the same, and neighbours differ in both.
HUES = {
    "light": [BLUE, VERMILION, GREEN, "#000000", PURPLE, ORANGE, SKY],
    "dark": [SKY, VERMILION, GREEN, "#FFFFFF", PURPLE, ORANGE, YELLOW],
}
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
    """The theme of a chart, and the size of what its axes enclose."""

    theme: str
    width: int
    height: int


def config(theme: str = "light") -> dict[str, Any]:
    """The config that gives a chart its theme, light or dark."""
    if theme not in TONES:
        raise UsageError(f"unknown theme {theme!r}; expected one of {', '.join(TONES)}")
    background, text, faint, grid, middle, on_weak, on_strong, low, high = TONES[theme]
    small = {"labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal"}
    return {
        "background": background,
        "font": "sans-serif",
        "padding": 12,
        "view": {"stroke": None, "continuousWidth": WIDTH, "continuousHeight": HEIGHT},
        "axis": {
            **small, "labelColor": faint, "titleColor": text, "gridColor": grid, "domainColor": faint,
            "tickColor": faint, "labelLimit": 180, "titlePadding": 8, "labelFlush": False,
        },
        "legend": {**small, "labelColor": text, "titleColor": text, "symbolStrokeWidth": 2, "symbolSize": 90},
        "title": {
            "color": text, "subtitleColor": faint, "anchor": "start", "frame": "group", "fontSize": 14,
            "subtitleFontSize": 11, "subtitlePadding": 4, "offset": 12,
        },
        "range": {"category": HUES[theme], "diverging": [low, middle, high]},
        "text": {"color": text, "fontSize": 11},
        "style": {
            "reference": {"color": faint},
            "summary": {"color": text},
            "on-weak": {"color": on_weak},
            "on-strong": {"color": on_strong},
        },
    }  # fmt: skip


def inline(rows: list[dict[str, Any]], name: str = "scores") -> alt.InlineData:
    """Rows as the data of a chart, which must all be finite numbers; Altair leaves data with a name where it is."""
    import altair as alt

    for row in rows:
        for field, value in row.items():
            if isinstance(value, float) and not math.isfinite(value):
                whose = ", ".join(dict.fromkeys(text for text in row.values() if isinstance(text, str)))
                raise UsageError(f"the {field} of {whose} is {value}, which cannot be drawn")
    return alt.InlineData(values=rows, name=name)


def unfilled(name: str = "scores") -> alt.NamedData:
    """Data of which only the name is known: whoever shows the chart has the rows."""
    import altair as alt

    return alt.NamedData(name=name)


def layered(
    layers: dict[str, alt.Chart], name: str, title: alt.TitleParams, look: Look, data: Data | None = None
) -> alt.LayerChart:
    """A chart of layers, each by its name. The name of the chart itself depends only on what it shows."""
    import altair as alt

    named = [layer.properties(name=part) for part, layer in layers.items()]
    chart = alt.LayerChart(layer=named, data=alt.Undefined if data is None else data)
    size = {"width": look.width, "height": look.height}
    return chart.properties(name=identifier(name), title=title, config=config(look.theme), **size)


def chart_title(text: str, width: int, *lines: str) -> alt.TitleParams:
    """A title, and smaller lines below it; what is too long for the chart is cut."""
    import altair as alt

    return alt.TitleParams(text, limit=width, subtitle=list(lines)) if lines else alt.TitleParams(text, limit=width)


def identifier(name: str) -> str:
    """The name with underscores for all that is no letter and no digit."""
    return re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")


def cut_to_fit(text: str, most: int = 30) -> str:
    """The text, with its end cut off where it is longer than there is room for in a title or a label."""
    return text if len(text) <= most else text[: most - 1] + "…"


def legend(order: list[str], width: int, of: str, beside: bool = True) -> alt.Legend:
    """The legend of all runs, of lines or of points: beside the chart, or below it in columns where there are many."""
    import altair as alt

    symbol: dict[str, Any] = {"symbolSize": 80, "rowPadding": 3}
    if of == "lines":
        # A symbol has to be large to show the dashes of its line, and a row of the legend is as high as its symbol is
        # large: less padding brings the rows together again.
        symbol = {"symbolType": "stroke", "symbolSize": 600, "rowPadding": -8}
    # without a limit of its own a legend shows 30 runs
    every = {"title": "run", "values": order, "symbolLimit": len(order), **symbol}
    if beside and len(order) <= BESIDE:
        return alt.Legend(orient="right", labelLimit=200, **every)
    label = min(6 * max(map(len, order)), 180)
    columns = max(1, min(len(order), (width + 60) // (label + 45)))
    return alt.Legend(orient="bottom", columns=columns, labelLimit=label + 10, columnPadding=14, **every)


# Every object of JavaScript has something under these names, and Vega mistakes it for a run of that name. With a blank
# behind it a name is only a name.
OBJECTS = {
    "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
    "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
}  # fmt: skip
NO_BREAK = "\u00a0"


def coloured(systems: list[str], shown: alt.Legend | None) -> alt.Color:
    """Each run in its hue, which is the same in every chart of the same scores."""
    import altair as alt

    return alt.Color("run:N", scale=alt.Scale(domain=systems), legend=shown)


def dashed(systems: list[str], shown: alt.Legend | None) -> alt.StrokeDash:
    """Each run in its dashes."""
    import altair as alt

    return alt.StrokeDash("run:N", scale=alt.Scale(domain=systems, range=DASHES), legend=shown)


def shaped(systems: list[str], shown: alt.Legend | None) -> alt.Shape:
    """Each run in its shape."""
    import altair as alt

    return alt.Shape("run:N", scale=alt.Scale(domain=systems, range=SHAPES), legend=shown)


def chosen(in_legend: bool = True) -> alt.Parameter:
    """The runs that were clicked: in the legend, or where there is none, in the chart."""
    import altair as alt

    return alt.selection_point(name="chosen", fields=["run"], bind="legend" if in_legend else alt.Undefined)


def faded(chosen: alt.Parameter, full: float = 1.0) -> Any:
    """Full opacity for what is chosen, and for everything while nothing is; the rest fades."""
    import altair as alt

    return alt.when(chosen).then(alt.value(full)).otherwise(alt.value(0.08 * full))
