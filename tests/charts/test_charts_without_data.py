"""Charts without data: the same specification as with data, but for what depends on values."""

from itertools import pairwise

import numpy as np
import pytest

from assay.charts.curves import curve, curve_kind
from assay.charts.topics import (
    PAGE_FONT_SIZE,
    curve_outline,
    difference_outline,
    differences,
    distribution,
    distribution_outline,
    quartiles,
    spread,
)
from assay.evaluation.score_table import ScoreTable
from assay.measures.curves import curve as curve_measures
from assay.measures.notation import measures_of, parse

SYSTEMS, WIDTH = ["bm25", "dense"], 700
LOOK = {"width": WIDTH, "font_size": PAGE_FONT_SIZE}
MEASURES = [*measures_of(["AP"]), *curve_measures("IPrec")]
SCORES = ScoreTable(SYSTEMS, MEASURES, ["1", "2", "3"], np.random.default_rng(1).random((2, len(MEASURES), 3)))
# The page sets these: they say something of values, or name the systems that were chosen.
FILLED = ("config", "title", "name", "sort", "domain", "datum", "tooltip")


def bare(part):
    """A specification without what depends on values, and with the names of its data in place of the rows."""
    if isinstance(part, dict):
        kept = {key: bare(value) for key, value in part.items() if key not in FILLED}
        return {**kept, "data": part["data"]["name"]} if "data" in part else kept
    return [bare(value) for value in part] if isinstance(part, list) else part


@pytest.mark.parametrize(
    ("outline", "chart"),
    [
        (curve_outline(SYSTEMS, curve_kind(parse("IPrec")), WIDTH), curve(SCORES, "IPrec", **LOOK)),
        (distribution_outline(SYSTEMS, WIDTH), distribution(SCORES, "AP", **LOOK)),
        (difference_outline(WIDTH), differences(SCORES, "bm25", "dense", "AP", **LOOK)),
    ],
    ids=["curve", "distribution", "differences"],
)
def test_an_outline_is_the_chart_without_data_and_theme(outline, chart):
    assert bare(outline) == bare(chart.to_dict(validate=False))
    assert "config" not in outline
    assert not any("values" in part["data"] for part in (outline, *outline["layer"]) if "data" in part)


def test_an_outline_tells_the_names_of_its_data():
    assert curve_outline(SYSTEMS, curve_kind(parse("IPrec")), WIDTH)["data"] == {"name": "scores"}
    layers = distribution_outline(SYSTEMS, WIDTH)["layer"]
    assert [layer["data"]["name"] for layer in layers] == ["scores", *["quartiles"] * 4]


def test_whiskers_reach_the_last_value_within_one_and_a_half_boxes():
    assert quartiles(np.array([0.0, 4.0, 5.0, 6.0, 10.0])) == {"low": 4, "q1": 4, "median": 5, "q3": 6, "high": 6}


def test_dots_that_follow_each_other_are_apart():
    places = [spread(number) for number in range(100)]
    assert min(places) >= 0.15
    assert max(places) <= 0.85
    assert min(abs(a - b) for a, b in pairwise(places)) > 0.2
