"""The findings for the browser: values, means, significant differences, and outlines of charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import groupby
from typing import Any
from unicodedata import category

import numpy as np

from assay.charts import topics
from assay.charts.curves import BudgetLines, ListLength, curve_kind, longest_list, ranks_until_longest
from assay.charts.style import BESIDE, DASHES, FEW, HUES, NO_BREAK, OBJECTS, config
from assay.comparing.significance import compare
from assay.errors import InputError
from assay.evaluation.score_table import ScoreTable
from assay.measures.base import Count, Measure, is_mean
from assay.measures.curves import curve as at_all_points
from assay.measures.curves import plot_of, without_cut
from assay.measures.elements import Curve, OfElements
from assay.measures.notation import parse
from assay.ranking.elements import ElementRanking, View
from assay.ranking.kinds import DOCUMENTS
from assay.showing.layout import Cell
from assay.tables.ids import Floats

# The gain of an element for the measures of a page, which may value elements in more than one way.

# How elements are valued, and whether their articles gain instead.
Valuation = tuple[View, bool]


def valuations(measures: Sequence[Measure]) -> list[Valuation]:
    """Return the different ways in which some measures value elements, in their order."""
    return list(dict.fromkeys(valuation for measure in measures if (valuation := valuation_of(measure))))


def valuation_of(measure: Measure) -> Valuation | None:
    """Return how a measure values elements; None if it does not. The metrics of 2002 and 2003 use quantised scores."""
    if isinstance(measure, Curve):
        return View(measure.quant, "off"), False
    if not isinstance(measure, OfElements) or measure.unit:
        return None
    return measure.view, getattr(measure, "level", "") == "article"


def worth(ranking: ElementRanking, valuation: Valuation) -> Floats:
    """Return the gain of each result; an article gains at its first result."""
    view, of_articles = valuation
    gained = ranking.gains(view, "article" if of_articles else "")
    # the results that can gain, topic by topic: the rank of a gain is its position among them
    able = np.flatnonzero(ranking.first_of) if of_articles else np.arange(len(ranking.rank))
    starts = np.searchsorted(able, ranking.starts)
    gain = np.zeros(len(ranking.rank))
    gain[able[gained.each(starts[:-1]) + gained.rank - 1]] = gained.xG
    return gain


ALPHA = 0.05


def six_digits(value: float) -> float | int | None:
    """Round a number of a chart to six significant digits, a whole one without a point; None if it is not finite."""
    return digits_of(value, 6) if np.isfinite(value) else None


def as_written(value: float) -> float | int | str | None:
    """Return a number of a table with nine significant digits, or more if it would be printed differently otherwise.

    JSON has no infinity, so that is written as a word. NaN becomes None.
    """
    if value != value:
        return None
    if np.isinf(value):
        return Cell(value).text()
    numbers = (digits_of(value, digits) for digits in (9, 12, 17))
    return next(number for number in numbers if Cell(float(number)).text() == Cell(value).text())


def digits_of(value: float, digits: int) -> float | int:
    """Round a number to some significant digits; a whole one has no point."""
    number = float(f"{value:.{digits}g}")
    return int(number) if number.is_integer() else number


def values_for_page(scores: ScoreTable) -> dict[str, Any]:
    """Return systems, measures and topics with their values, and the values over all topics."""
    return {
        "systems": scores.systems,
        "measures": [describe_measure(measure, scores.measures) for measure in scores.measures],
        "topics": scores.topics,
        "means": [[as_written(value) for value in row] for row in values_over_topics(scores)],
        "values": [[[as_written(value) for value in row] for row in system] for system in scores.values.tolist()],
    }


def corrections_of(scores: ScoreTable) -> list[list[dict[str, Any] | None]] | None:
    """Return the facts about each corrected value; None if people checked nothing."""
    if scores.checked is None:
        return None

    def known(system: int, measure: int) -> dict[str, Any] | None:
        correction = scores._correction(system, measure)
        if correction is None:
            return None
        record = correction.record(scores.measures[measure].less_is_better)
        return {name: as_written(value) if isinstance(value, float) else value for name, value in record.items()}

    return [[known(s, m) for m in range(len(scores.measures))] for s in range(len(scores.systems))]


def groups_of(scores: ScoreTable) -> dict[str, Any] | None:
    """Return the values over the topics of each group, and the number of topics; None if there are no groups."""
    if scores.groups is None:
        return None
    rows = []
    for group in scores.groups.names:
        part = scores.of_group(group)
        means = [[as_written(value) for value in row] for row in values_over_topics(part)]
        rows.append({"group": group, "topics": len(part.topics), "means": means})
    return {"name": scores.groups.name, "rows": rows}


def describe_measure(measure: Measure, measures: list[Measure]) -> dict[str, Any]:
    """Return what the page says about a measure; `values_by` is the number of its valuation of elements."""
    facts: dict[str, Any] = {"name": str(measure), "about": measure.sentence(), "count": isinstance(measure, Count)}
    facts |= {"less": True} if measure.less_is_better else {}
    facts |= {"infinite": True} if measure.may_be_infinite else {}
    valuation = valuation_of(measure)
    return facts | ({} if valuation is None else {"values_by": valuations(measures).index(valuation)})


def values_over_topics(scores: ScoreTable) -> list[list[float]]:
    """Return the value of each system and measure over the topics that count."""
    numbers = range(len(scores.measures))
    return [[float(scores._over_topics(system, number)) for number in numbers] for system in range(len(scores.systems))]


def significance_of(scores: ScoreTable, **how: Any) -> tuple[dict[str, Any] | None, list[str]]:
    """Return which systems each value significantly outperforms, the tests, and notes on what was not tested.

    `beats` has a list for each system and measure: the numbers of the systems that are significantly worse. `baseline`
    is the number of the system that all others were compared with, if there is one.
    """
    if len(scores.systems) < 2:
        return None, []
    beats: list[list[list[int] | None]] = [[None] * len(scores.measures) for _ in scores.systems]
    about: dict[str, list[str]] = {}
    notes, names = [], {}
    for number, measure in enumerate(scores.measures):
        if not is_mean(measure):
            notes.append(f"differences in {measure} were not tested: it is not an arithmetic mean over topics")
            continue
        try:
            comparison = compare(scores, measure, **how)
        except InputError as error:
            notes.append(f"differences in {measure} were not tested: {error}")
            continue
        names = comparison.names()
        about.setdefault(comparison.about(ALPHA), []).append(str(measure))
        for winner, loser in comparison.winners(ALPHA):
            better, worse = scores.systems.index(winner), scores.systems.index(loser)
            beats[better][number] = sorted([*(beats[better][number] or []), worse])
    if not about:
        return None, notes
    lines = [line[0].upper() + line[1:] for line in about]
    if len(lines) > 1:
        lines = [f"{', '.join(measures)}: {line}" for line, measures in about.items()]
    tested = {"letters": [names[system] for system in scores.systems], "beats": beats, "about": lines}
    baseline = how.get("baseline")
    return tested | ({} if baseline is None else {"baseline": scores.systems.index(baseline)}), notes


def some(scores: ScoreTable, measures: list[Measure]) -> ScoreTable:
    """Return the scores of some of the measures."""
    names = [str(measure) for measure in scores.measures]
    places = [names.index(str(measure)) for measure in measures]
    return ScoreTable(scores.systems, measures, scores.topics, scores.values[:, places], scores.notes)


def counted_topics(scores: ScoreTable) -> int:
    """Return how many topics count for at least one system."""
    return int(np.count_nonzero(~np.isnan(scores.values).all(axis=(0, 1))))


# The charts of the page: outlines without data, and what the browser needs to fill them with values.

# Unicode categories of characters that are invisible, or end a line.
UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
# How many curves the page shows at most.
MOST_CURVES = 2
# The width of charts on the page in pixels, which decides how many columns a legend has.
WIDTH = 1000


def figures(scores: ScoreTable, lines: ScoreTable) -> dict[str, Any]:
    """Return what the browser needs to draw distributions and differences by any measure, and curves if there are any.

    With more than `beside` systems a chart is crowded, and the best `few` of them are thick. A bar must be `narrowest`
    pixels wide to have a label.
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
    """Return names of systems or topics that a chart can show, all different."""
    different: dict[str, None] = {}
    for name in names:
        label = "".join("\ufffd" if category(letter) in UNSEEN else letter for letter in name)
        while label in OBJECTS or label in different:
            label += NO_BREAK
        different[label] = None
    return list(different)


def boxes(scores: ScoreTable) -> list[list[dict[str, float | int | None] | None]]:
    """Return the quartiles of each system and measure over the topics with a finite value; None if there is none."""
    return [[box(row[np.isfinite(row)]) for row in system] for system in scores.values]


def box(values: Floats) -> dict[str, float | int | None] | None:
    """Return the quartiles of some values, rounded for the page; None if there are no values."""
    return {name: six_digits(value) for name, value in topics.quartiles(values).items()} if len(values) else None


def curve_of(lines: ScoreTable, names: list[str], longest: int | None) -> dict[str, Any]:
    """Return the curve of all systems: its points, and the value of each system there; ranks end with the lists."""
    measure = without_cut(lines.measures[0])
    how, kind = plot_of(measure), ranks_until_longest(curve_kind(measure), longest)
    spec = topics.curve_outline(names, kind, WIDTH)
    values = [[six_digits(value) for value in row[: len(kind.points)]] for row in values_over_topics(lines)]
    return {"name": how.shows, "over": how.over, "at": kind.points, "values": values, "spec": spec}


def budget_of(lines: BudgetLines, names: list[str]) -> dict[str, Any]:
    """Return recall over the characters read: the points, and the values of each system until its lists end."""
    columns = [
        {
            name: [six_digits(value) for value in getattr(line, name)]
            for name in ("values", "low", "high")
            if getattr(line, name) is not None
        }
        for line in lines.lines
    ]
    spec = topics.budget_outline(names, lines.measure, lines.points, WIDTH, bands=bool(lines.about()))
    return {"at": lines.points, "lines": columns, "about": lines.about(), "spec": spec}


def curve_measures(measures: list[Measure], ties: str) -> list[Measure]:
    """Return the measures of the curves that suit the measures of a page, each at all of its points.

    There are none with ties="expected", because the order of ties is open. For ranks the lengths of lists are measured
    too.
    """
    if ties == "expected":
        return []
    if any(DOCUMENTS not in measure.kinds for measure in measures):
        curves = [point for curve in curves_of_elements(measures) for point in at_all_points(curve)]
        return [*curves, ListLength()] if curves else []
    unit = "document" if all(measure.unit for measure in measures) else ""
    return at_all_points(replace(parse("iP"), unit=unit))


def curves_of_elements(measures: list[Measure]) -> list[Measure]:
    """Return the curves for measures of elements: those of 2002 and 2003, or nxCG and ep.

    nxCG and ep value elements as the first measure does.
    """
    earlier = [without_cut(measure) for measure in measures if isinstance(measure, Curve)]
    if earlier:
        return list(dict.fromkeys(earlier))[:MOST_CURVES]
    first = next((measure for measure in measures if isinstance(measure, OfElements)), None)
    if first is None:
        return []
    valued = {field.name: getattr(first, field.name) for field in fields(OfElements)}
    return [replace(parse(name), **valued) for name in ("nxCG", "ep")]
