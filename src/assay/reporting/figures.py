"""The charts of the page: outlines without data, and what the browser needs to fill them with values."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any
from unicodedata import category

import numpy as np

from assay.charts import topics
from assay.charts.curves import BudgetLines, ListLength, curve_kind, longest_list, ranks_until_longest
from assay.charts.style import BESIDE, DASHES, FEW, HUES, NO_BREAK, OBJECTS, config
from assay.evaluation.score_table import ScoreTable
from assay.measures.base import Measure
from assay.measures.curves import curve as at_all_points
from assay.measures.curves import plot_of, without_cut
from assay.measures.elements import Curve, OfElements
from assay.measures.notation import parse
from assay.ranking.kinds import DOCUMENTS
from assay.reporting.findings import six_digits, some, values_over_topics

if TYPE_CHECKING:
    from assay.tables.ids import Floats

# Categories of characters that cannot be seen, or end a line.
UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
# So many curves have a place on the page.
MOST_CURVES = 2
# The width of the page in pixels: that of a chart tells how many columns its legend has.
WIDTH = 1000


def figures(scores: ScoreTable, lines: ScoreTable) -> dict[str, Any]:
    """What the browser needs to draw distributions and differences of any measure, and curves where there are any.

    With more than `beside` systems a chart is crowded, and the best `few` of them stand out. A bar has to be
    `narrowest` pixels wide to have a label.
    """
    names = chart_labels(scores.systems)
    charts: dict[str, Any] = {
        "labels": names,
        "topic_labels": chart_labels(scores.topics),
        "hues": HUES,
        "dashes": DASHES,
        "config": {theme: config(theme, topics.PAGE_FONT_SIZE) for theme in HUES},
        "beside": BESIDE,
        "few": FEW,
        "narrowest": topics.NARROWEST,
        "spread": [six_digits(topics.spread(number)) for number in range(len(scores.topics))],
        "boxes": boxes(scores),
        "distribution": topics.distribution_outline(names, WIDTH),
        "differences": topics.difference_outline(WIDTH),
    }
    curves = [measure for measure in lines.measures if not isinstance(measure, ListLength)]
    longest = longest_list(lines)
    charts["curves"] = [
        curve_of(some(lines, list(points)), names, longest) for _, points in groupby(curves, without_cut)
    ]
    return charts


def chart_labels(names: list[str]) -> list[str]:
    """Names of systems or topics as a chart can take them, all different."""
    different: dict[str, None] = {}
    for name in names:
        label = "".join("\ufffd" if category(letter) in UNSEEN else letter for letter in name)
        while label in OBJECTS or label in different:
            label += NO_BREAK
        different[label] = None
    return list(different)


def boxes(scores: ScoreTable) -> list[list[dict[str, float | int | None] | None]]:
    """The quartiles of each system and measure over the topics with a finite value; None where none has one."""
    return [[box(row[np.isfinite(row)]) for row in system] for system in scores.values]


def box(values: Floats) -> dict[str, float | int | None] | None:
    """The quartiles of some values, to as many digits as the page has."""
    return {name: six_digits(value) for name, value in topics.quartiles(values).items()} if len(values) else None


def curve_of(lines: ScoreTable, names: list[str], longest: int | None) -> dict[str, Any]:
    """The curve of all systems: its points, and the values of each system there; ranks end where the lists end."""
    measure = without_cut(lines.measures[0])
    how, kind = plot_of(measure), ranks_until_longest(curve_kind(measure), longest)
    spec = topics.curve_outline(names, kind, WIDTH)
    values = [[six_digits(value) for value in row[: len(kind.points)]] for row in values_over_topics(lines)]
    return {"name": how.shows, "over": how.over, "at": kind.points, "values": values, "spec": spec}


def budget_of(lines: BudgetLines, names: list[str]) -> dict[str, Any]:
    """Recall over the characters that are read: the points, and of each system as many values as its lists are long."""
    columns = [
        {
            name: chart_numbers(getattr(line, name))
            for name in ("values", "low", "high")
            if getattr(line, name) is not None
        }
        for line in lines.lines
    ]
    spec = topics.budget_outline(names, lines.measure, lines.points, WIDTH, bands=bool(lines.about()))
    return {"at": lines.points, "lines": columns, "about": lines.about(), "spec": spec}


def chart_numbers(values: list[float]) -> list[float | int | None]:
    """Numbers of a chart."""
    return [six_digits(value) for value in values]


def curve_measures(measures: list[Measure], ties: str) -> list[Measure]:
    """The measures of the curves that suit the measures of a page: each at all of its points.

    There are none where the order of ties is left open. For ranks the lengths of lists are measured too.
    """
    if ties == "expected":
        return []
    if any(DOCUMENTS not in measure.kinds for measure in measures):
        curves = [point for curve in curves_of_elements(measures) for point in at_all_points(curve)]
        return [*curves, ListLength()] if curves else []
    unit = "document" if all(measure.unit for measure in measures) else ""
    return at_all_points(replace(parse("iP"), unit=unit))


def curves_of_elements(measures: list[Measure]) -> list[Measure]:
    """The curves of measures of elements: nxCG and ep as the first of them values these, or those of 2002 and 2003."""
    earlier = [without_cut(measure) for measure in measures if isinstance(measure, Curve)]
    if earlier:
        return list(dict.fromkeys(earlier))[:MOST_CURVES]
    first = next((measure for measure in measures if isinstance(measure, OfElements)), None)
    if first is None:
        return []
    valued = {field.name: getattr(first, field.name) for field in fields(OfElements)}
    return [replace(parse(name), **valued) for name in ("nxCG", "ep")]
