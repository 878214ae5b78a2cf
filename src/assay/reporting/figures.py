"""The charts of the page: specifications without data, which the browser makes of the values that the page has anyway."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from unicodedata import category

import numpy as np

from assay.charts.line_charts import curve
from assay.charts.style import DASHES, HUES, NO_BREAK, OBJECTS, config
from assay.charts.topic_charts import differences, distribution
from assay.evaluation.score_table import ScoreTable
from assay.measures.base import Measure
from assay.measures.curves import curve as at_all_points
from assay.measures.curves import plotted, points
from assay.measures.notation import parse
from assay.ranking.kinds import DOCUMENTS
from assay.reporting.findings import overall

# They stand for the two systems of a difference, which are chosen in the browser.
FIRST, SECOND = "\ue000", "\ue001"
# Letters that cannot be seen, or end a line.
UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
# As wide as the page; it tells how many columns a legend has.
WIDTH = 1000


def labels(names: list[str]) -> list[str]:
    """Names of systems or topics as a chart can take them, all different."""
    found: dict[str, None] = {}
    for name in names:
        label = "".join("\ufffd" if category(letter) in UNSEEN else letter for letter in name)
        while label in OBJECTS or label in found:
            label += NO_BREAK
        found[label] = None
    return list(found)


def figures(scores: ScoreTable, lines: ScoreTable) -> dict[str, Any]:
    """What the browser needs to draw: themes, a distribution and a difference for each measure, and a curve where there is one."""
    names = labels(scores.systems)
    pair, everyone = outline(scores, [FIRST, SECOND]), outline(scores, names)
    found: dict[str, Any] = {
        "labels": names,
        "topic_labels": labels(scores.topics),
        "hues": HUES,
        "dashes": DASHES,
        "config": {theme: config(theme) for theme in HUES},
        "distributions": [bare(distribution(everyone, one, width=WIDTH)) for one in scores.measures],
        "differences": [bare(differences(pair, FIRST, SECOND, one, width=WIDTH)) for one in scores.measures],
    }
    if lines.measures:
        found["curve"] = curve_of(lines, names)
    return found


class Outline(ScoreTable):
    """Scores of one topic that are all 0: enough to make a chart of, whose data is replaced."""

    def __getitem__(self, asked: Any) -> float:
        return 0.0


def outline(scores: ScoreTable, systems: list[str]) -> ScoreTable:
    """The systems and measures of a chart without their values."""
    return Outline(systems, scores.measures, ["0"], np.zeros((len(systems), len(scores.measures), 1)))


def curve_of(lines: ScoreTable, names: list[str]) -> dict[str, Any]:
    """The curve of all systems: its points, and the values of each system there."""
    one = lines.measures[0]
    over, at = points(one)
    spec = bare(curve(outline(lines, names), one, width=WIDTH))
    return {"name": plotted(one).shows, "over": over, "at": at, "values": overall(lines), "spec": spec}


def bare(chart: Any) -> dict[str, Any]:
    """The specification of a chart without its data, of which the names are left, and without its theme."""
    spec: dict[str, Any] = chart.to_dict(validate=False)
    spec.pop("config", None)
    spec.pop("datasets", None)
    for part in (spec, *spec.get("layer", ())):
        if "data" in part:
            part["data"] = {"name": part["data"]["name"]}
    return spec


def curve_measures(measures: list[Measure], ties: str) -> list[Measure]:
    """The points of the curve that is drawn beside some measures; none beside those of elements, nor where ties are left open."""
    if ties == "expected" or any(DOCUMENTS not in measure.kinds for measure in measures):
        return []
    unit = "document" if all(measure.unit for measure in measures) else ""
    return at_all_points(replace(parse("iP"), unit=unit))
