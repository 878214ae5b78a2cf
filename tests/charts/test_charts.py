"""Charts: what is in a specification is what was measured, whatever it is called; and files are what their endings say.
"""

import json
import math
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from lxml import etree

import assay
from assay.charts.curves import BudgetLine, BudgetLines, budget, curve
from assay.charts.drawing import KINDS
from assay.charts.heat_maps import heatmap, topic_heatmap
from assay.charts.intervals import forest, means
from assay.charts.saving import save
from assay.charts.scatter import scatter
from assay.charts.style import DASHES, HUES, SHAPES, TONES, config
from assay.charts.topics import differences, distribution
from assay.comparing.correlation import correlate
from assay.errors import InputError, UsageError
from assay.measures.curves import POINTS
from assay.measures.notation import measures_of
from assay.scores import Scores
from helpers.places import ROOT

HOSTILE = [
    "it's \"quoted\" \\ twice", "</script><script>document.title = 'taken'</script>", "<img src=x onerror=alert(1)>", "x" * 300,
    "Größe 日本語 🦊 עברית", "a.b[0]['c']", "datum.run", "null", "  ", "tab\tline\nbell\x07", "half\udc80", "${1} {{x}} &amp;",
]  # fmt: skip
MEASURES = ["AP", "nDCG@10", "NumRet", *map(str, assay.curve("IPrec"))]


def made(systems, measures=MEASURES, topics=7):
    """Scores of some systems, seeded."""
    names = [str(topic) for topic in range(301, 301 + topics)]
    values = np.random.default_rng(len(systems)).random((len(systems), len(measures), topics))
    return Scores(list(systems), measures_of(measures), names, values)


SMALL = Scores(["a", "b", "c"], measures_of(["AP", "P@5"]), ["1", "2", "3", "4"], np.array([
    [[0.5, 0.25, 1.0, 0.75], [0.2, 0.2, 0.2, 0.2]],
    [[0.75, 0.25, 0.5, math.nan], [0.6, 0.6, 0.6, 0.6]],
    [[0.0, 0.0, 0.0, 0.0], [0.4, 0.4, 0.4, 0.4]],
]))  # fmt: skip


def budget_of(systems):
    """Lines of some systems over characters that are read, seeded."""
    points = [100, 150, 400, 1000]
    values = np.random.default_rng(len(systems)).random((len(systems), 4))
    lines = [BudgetLine(points, row.tolist(), (row / 2).tolist(), (row / 2 + 0.5).tolist()) for row in values]
    return BudgetLines(list(systems), measures_of(["R"])[0], points, lines, 7, 0)


def drawn(kind, scores, **look):
    """A chart by its name."""
    if kind == "heatmap":
        return heatmap(scores.systems, np.eye(len(scores.systems)), **look)
    if kind == "budget":
        return budget(budget_of(scores.systems), **look)
    function, *given = {
        "curve": [curve, "IPrec"],
        "differences": [differences, *scores.systems[:2], "AP"],
        "distribution": [distribution, "AP"],
        "scatter": [scatter, "AP", "nDCG@10"],
        "means": [means, ["AP", "nDCG@10"]],
        "forest": [forest, "AP", scores.systems[0]],
        "topic-heatmap": [topic_heatmap, "AP"],
    }[kind]
    return function(scores, *given, **look)


FEW, MANY = made(["bm25", "dense", "hybrid"]), made([f"run {number:02}" for number in range(60)])
STRANGE = made(HOSTILE)
SCORES = {"3": FEW, "60": MANY, "hostile": STRANGE}


@cache
def specification(kind, runs):
    """What a chart of some scores is, held against its schema: drawn once for all tests that only look at it."""
    return drawn(kind, SCORES[runs]).to_dict()


def unchecked(chart):
    """A specification that altair does not hold against its schema, which takes long; one test of each kind of chart
    does."""
    return chart if isinstance(chart, dict) else chart.to_dict(validate=False)


def rows(chart, name="scores"):
    """The data of a name in a specification."""
    spec = unchecked(chart)
    return next(part["data"]["values"] for part in (spec, *spec["layer"]) if part.get("data", {}).get("name") == name)


def layer(chart, name):
    return next(one for one in unchecked(chart)["layer"] if one["name"] == name)


def strings(part):
    """All texts in a specification, but not the names of its properties."""
    if isinstance(part, dict | list):
        for one in part.values() if isinstance(part, dict) else part:
            yield from strings(one)
    elif isinstance(part, str):
        yield part


# What is in a chart


def test_a_curve_has_every_value_to_the_last_digit():
    found = [(row["run"], row["recall"], row["value"]) for row in rows(curve(MANY, "IPrec"))]
    assert found == [(run, level / 10, MANY[run, f"IPrec@{level / 10}"]) for run in MANY.systems for level in range(11)]


@pytest.mark.parametrize("name", POINTS)
def test_every_curve_has_named_axes_and_all_of_its_points(name):
    measures = assay.curve(name)
    scores = made(["one", "two"], measures)
    chart = curve(scores, name)
    across, up = (layer(chart, "lines")["encoding"][axis] for axis in "xy")
    assert across["field"] == across["title"] == POINTS[name].over
    assert up["title"] == f"{POINTS[name].shows} ({name})"
    points = POINTS[name].at
    assert points == sorted(set(points))
    low, high = across["scale"]["domain"]
    assert low <= points[0] and high == points[-1]
    first = [(row[POINTS[name].over], row["value"]) for row in rows(chart) if row["run"] == "one"]
    assert first == [(point, scores["one", measure]) for point, measure in zip(points, measures, strict=True)]


def test_the_parameters_of_a_measure_stand_on_its_axis_and_in_the_tooltip():
    name = "nxCG(quant=strict, alpha=0.5)"
    chart = curve(made(["one", "two"], assay.curve(name)), f"{name}@10")
    assert layer(chart, "lines")["encoding"]["y"]["title"] == f"normalised cumulated gain ({name})"
    assert [tip.get("title", tip["field"]) for tip in layer(chart, "hover")["encoding"]["tooltip"]] == [
        "run",
        "rank",
        name,
    ]
    assert chart.to_dict(validate=False)["name"] == "curve_nxCG_quant_strict_alpha_0_5"


def test_ranks_that_spread_are_drawn_by_their_logarithm_with_round_ticks():
    across = layer(curve(made(["one"], assay.curve("P")), "P"), "lines")["encoding"]["x"]
    assert across["scale"] == {"type": "log", "domain": [1, 1000]}
    assert across["axis"]["values"] == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]


def test_a_curve_of_a_real_evaluation():
    judgments = {"1": {"d1": 1, "d2": 1}, "2": {"d3": 1}}
    run = {"1": {"d1": 3.0, "d9": 2.0, "d2": 1.0}, "2": {"d8": 2.0, "d3": 1.0}}
    scores = assay.evaluate(judgments, {"mine": run}, assay.curve("IPrec"))
    # topic 1: precision 1 until half of it is found and 2/3 then; topic 2: 1/2
    expected = [(1 + 1 / 2) / 2] * 6 + [(2 / 3 + 1 / 2) / 2] * 5
    assert [row["value"] for row in rows(curve(scores, "IPrec"))] == pytest.approx(expected, abs=1e-15)


def test_differences_are_sorted_and_of_the_topics_that_both_have():
    chart = differences(SMALL, "a", "b", "AP")
    assert rows(chart) == [
        {"topic": "3", "difference": 0.5, "first": 1.0, "second": 0.5, "run": "a"},
        {"topic": "2", "difference": 0.0, "first": 0.25, "second": 0.25, "run": None},
        {"topic": "1", "difference": -0.25, "first": 0.5, "second": 0.75, "run": "b"},
    ]
    spec = chart.to_dict(validate=False)
    assert spec["title"]["text"] == "AP by topic: a − b"
    # (0.5 + 0 - 0.25) / 3
    assert spec["title"]["subtitle"] == ["a is higher on 1, b on 1, equal on 1", "mean difference +0.0833 (dashed)"]
    assert layer(chart, "mean")["encoding"]["y"] == {"datum": pytest.approx(0.25 / 3)}
    assert spec["name"] == "differences_AP_1_2"


def test_a_distribution_has_every_value_and_its_quartiles():
    chart = distribution(SMALL, "AP")
    assert [(row["run"], row["topic"], row["value"]) for row in rows(chart)] == [
        ("a", "1", 0.5), ("a", "2", 0.25), ("a", "3", 1.0), ("a", "4", 0.75), ("b", "1", 0.75), ("b", "2", 0.25), ("b", "3", 0.5),
        ("c", "1", 0.0), ("c", "2", 0.0), ("c", "3", 0.0), ("c", "4", 0.0),
    ]  # fmt: skip
    # the quartiles of 4 values lie three quarters and a quarter of the way between two of them; those of 3 halfway
    assert rows(chart, "quartiles") == [
        {"run": "a", "low": 0.25, "q1": 0.4375, "median": 0.625, "q3": 0.8125, "high": 1.0, "mean": 0.625},
        {"run": "b", "low": 0.25, "q1": 0.375, "median": 0.5, "q3": 0.625, "high": 0.75, "mean": 0.5},
        {"run": "c", "low": 0.0, "q1": 0.0, "median": 0.0, "q3": 0.0, "high": 0.0, "mean": 0.0},
    ]


def test_the_runs_of_a_distribution_stand_by_their_means_as_in_other_charts():
    # the first has the higher median, and the second the higher mean
    values = np.array([[[0.5, 0.5, 0.5]], [[0.4, 0.4, 1.0]]])
    chart = distribution(Scores(["median", "mean"], measures_of(["AP"]), list("123"), values), "AP")
    assert [box["run"] for box in rows(chart, "quartiles")] == ["mean", "median"]
    assert layer(chart, "median")["encoding"]["y"]["sort"] == ["mean", "median"]
    assert chart.to_dict(validate=False)["title"]["subtitle"][0] == "diamond: value over all topics, highest first"


def test_whiskers_end_at_the_last_value_within_one_and_a_half_boxes():
    values = np.array([[[0.1, 0.2, 0.3, 0.4, 0.9]]])
    chart = distribution(Scores(["a"], measures_of(["AP"]), list("12345"), values), "AP")
    (box,) = rows(chart, "quartiles")
    # the box is [0.2, 0.4], so whiskers may reach from -0.1 to 0.7
    assert (box["low"], box["high"]) == (0.1, 0.4)


def test_a_legend_shows_both_ends_of_long_names(tmp_path):
    names = [f"{article}-experiment-of-the-year-2024-with-k={number}" for number, article in enumerate(("an", "no"), 1)]
    save(drawn("curve", made(names)), tmp_path / "curve.svg")
    # 14 letters, and the last 15
    assert [text for text in re.findall(r">([^<>]+)</text>", (tmp_path / "curve.svg").read_text()) if "…" in text] == [
        "an-experiment-…r-2024-with-k=1", "no-experiment-…r-2024-with-k=2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("means", ["an-experiment-…r-2024-with-k=1", "no-experiment-…r-2024-with-k=2"]),
        ("distribution", ["an-experiment-…r-2024-with-k=1", "no-experiment-…r-2024-with-k=2"]),
        ("topic-heatmap", ["an-experiment-…r-2024-with-k=1", "no-experiment-…r-2024-with-k=2"]),
        ("forest", ["an-experimen…024-with-k=1 − no-experimen…024-with-k=2"]),
    ],
)
def test_an_axis_shows_both_ends_of_long_names(kind, shown, tmp_path):
    names = [f"{article}-experiment-of-the-year-2024-with-k={number}" for number, article in enumerate(("an", "no"), 1)]
    scores = Scores(names, measures_of(["AP"]), list("123"), np.array([[[0.5, 0.7, 0.9]], [[0.0, 0.3, 0.6]]]))
    save(scores.chart(kind, "AP"), tmp_path / "chart.svg")
    drawn = (tmp_path / "chart.svg").read_text()
    assert [text for text in re.findall(r">([^<>]+)</text>", drawn) if "…" in text] == shown


@pytest.mark.parametrize("kind", ["curve", "means", "distribution", "topic-heatmap", "forest"])
def test_a_beginning_that_all_names_share_is_left_out_and_told(kind, tmp_path):
    names = ["läb.𝔸.bm25", "läb.𝔸.dense"]
    scores = made(names) if kind == "curve" else Scores(names, measures_of(["AP"]), list("123"), np.array([[[0.5, 0.7, 0.9]], [[0.0, 0.3, 0.6]]]))
    save(drawn("curve", scores) if kind == "curve" else scores.chart(kind, "AP"), tmp_path / "chart.svg")
    texts = re.findall(r">([^<>]+)</(?:text|tspan)>", (tmp_path / "chart.svg").read_text())
    assert re.findall(r"(?:all names begin with )?läb\.𝔸\.\S*", " ".join(texts)) == ["all names begin with läb.𝔸."]
    shown = [text for text in texts if text in ("bm25", "dense", "bm25 − dense")]
    assert sorted(shown) == (["bm25 − dense"] if kind == "forest" else ["bm25", "dense"])


def test_a_topic_at_0_does_not_stand_on_the_line_of_the_axis(tmp_path):
    scores = Scores(["a"], measures_of(["AP"]), list("123"), np.array([[[0.0, 0.5, 1.0]]]))
    save(distribution(scores, "AP", width=300), tmp_path / "chart.svg")
    drawn = (tmp_path / "chart.svg").read_text()
    places = [float(x) for x in re.findall(r'"circle" transform="translate\(([\d.]+),', drawn)]
    # six pixels from either end
    assert places == pytest.approx([6, 150, 294])


@pytest.mark.parametrize(("topics", "width"), [(3, 560), (46, 560), (47, 564), (50, 600), (75, 900), (76, 560)])
def test_differences_are_as_wide_as_the_names_of_75_topics_need(topics, width):
    names = [str(301 + number) for number in range(topics)]
    values = np.linspace(0, 1, 2 * topics).reshape(2, 1, topics)
    chart = differences(Scores(["a", "b"], measures_of(["AP"]), names, values), "a", "b", "AP")
    assert chart.width == width
    assert layer(chart, "bars")["encoding"]["x"]["axis"]["labels"] == (topics <= 75)


def test_a_scatter_has_both_values_of_every_run_and_tau():
    chart = scatter(SMALL, "AP", "P@5")
    assert [(row["run"], row["x"], row["y"]) for row in rows(chart)] == [
        ("a", 0.625, 0.2),
        ("b", 0.5, 0.6),
        ("c", 0.0, 0.4),
    ]
    # of the pairs ab, ac, bc only bc is in the same order: (1 - 2) / 3
    assert chart.to_dict(validate=False)["title"]["subtitle"] == ["Kendall's τ-b −0.333, 3 runs"]


def test_tau_is_that_of_correlate():
    tau = correlate(MANY, ["AP", "nDCG@10"])["AP", "nDCG@10"]
    shown = scatter(MANY, "AP", "nDCG@10").to_dict(validate=False)["title"]["subtitle"]
    assert shown == [f"Kendall's τ-b {tau:.3f}, 60 runs".replace("-0", "−0")]


@pytest.mark.parametrize("systems", [["a"], ["a", "c"]])
def test_where_tau_is_undefined_the_title_says_so(systems):
    scores = replace(SMALL, systems=systems, values=np.zeros((len(systems), 2, 4)))
    assert scatter(scores, "AP", "P@5").to_dict(validate=False)["title"]["subtitle"][0].startswith("Kendall's τ-b undefined, ")


def test_a_heat_map_has_every_correlation_and_leaves_out_what_is_undefined():
    chart = heatmap([assay.AP, "RR"], [[1, -0.5], [math.nan, 1]], "Of measures")
    found = [(row["row"], row["column"], row["value"], row["strong"]) for row in rows(chart, "correlations")]
    names = str(assay.AP), "RR"
    assert found == [(names[0], names[0], 1.0, True), (names[0], "RR", -0.5, False), ("RR", "RR", 1.0, True)]
    assert layer(chart, "cells")["encoding"]["color"]["scale"]["domain"] == [-1, 1]
    assert chart.to_dict(validate=False)["name"] == "heatmap_Of_measures"


def test_cells_without_room_for_a_number_have_none():
    assert [one["name"] for one in heatmap(MANY.systems, np.eye(60)).to_dict(validate=False)["layer"]] == ["cells"]
    assert [one["name"] for one in heatmap(["a", "b"], np.eye(2)).to_dict(validate=False)["layer"]] == ["cells", "weak", "strong"]


# What a chart is


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("runs", SCORES)
def test_a_chart_is_one_specification_that_needs_nothing_else(runs, kind):
    spec = specification(kind, runs)
    assert spec["$schema"].startswith("https://vega.github.io/schema/vega-lite/v6.")
    assert re.fullmatch(r"\w+", spec["name"], re.ASCII)
    assert "datasets" not in spec and '"url"' not in json.dumps(spec)


def test_the_same_scores_make_the_same_chart_whatever_was_drawn_before():
    first, _, last = ([json.dumps(unchecked(drawn(kind, scores))) for kind in KINDS] for scores in (FEW, STRANGE, FEW))
    assert first == last


def test_a_chart_is_the_same_in_another_process():
    code = (
        "import json, sys; sys.path[:0] = ['tests', 'tests/charts']; import test_charts as t;"
        "print(json.dumps({kind: t.unchecked(t.drawn(kind, t.STRANGE)) for kind in t.KINDS}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert json.loads(done.stdout) == {kind: specification(kind, "hostile") for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_every_colour_stands_in_the_config_so_that_a_theme_is_one_change(kind):
    light, dark = specification(kind, "3"), unchecked(drawn(kind, FEW, theme="dark"))
    assert light["config"] == config("light") != config("dark") == dark["config"]
    assert {**light, "config": config("dark")} == dark
    assert [text for text in strings({**light, "config": {}}) if re.fullmatch("#[0-9A-Fa-f]{3,8}", text)] == []


@pytest.mark.parametrize("kind", KINDS)
def test_size_is_that_of_the_plot(kind):
    spec = drawn(kind, FEW, width=321, height=123).to_dict(validate=False)
    assert (spec["width"], spec["height"]) == (321, 123)


def test_nothing_heavy_is_imported_before_a_chart_is_asked_for():
    code = "import sys, assay.charts; print([one for one in ('altair', 'vl_convert', 'scipy') if one in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


# Many runs


def test_fourteen_runs_have_different_hues_no_two_of_126_look_alike_and_neighbours_differ_in_both():
    for theme, hues in HUES.items():
        assert len(set(hues)) == 14, theme
        for others in (DASHES, SHAPES):
            looks = [(hues[run % len(hues)], str(others[run % len(others)])) for run in range(126)]
            assert len(set(looks)) == 126, theme
            assert all(one[0] != other[0] and one[1] != other[1] for one, other in pairwise(looks))


@pytest.mark.parametrize(
    ("kind", "part", "too"),
    [("curve", "lines", "strokeDash"), ("budget", "lines", "strokeDash")],
)
def test_sixty_runs_have_a_whole_legend_below_in_columns(kind, part, too):
    encoding = layer(specification(kind, "60"), part)["encoding"]
    for channel in ("color", too):
        assert encoding[channel]["field"] == "run"
        assert encoding[channel]["scale"]["domain"] == MANY.systems
        shown = encoding[channel]["legend"]
        assert sorted(shown["values"]) == MANY.systems and shown["symbolLimit"] == 60
        assert shown["orient"] == "bottom" and shown["columns"] > 1
    few = layer(specification(kind, "3"), part)["encoding"]["color"]["legend"]
    assert few["values"] == FEW.systems


def test_of_many_runs_the_highest_come_first_in_the_legend_and_five_stand_out():
    values = np.zeros((12, 11, 1)) + np.array([3, 9, 1, 0, 5, 8, 7, 2, 11, 10, 4, 6])[:, None, None] / 20
    scores = Scores([f"r{number}" for number in range(12)], assay.curve("IPrec"), ["1"], values)
    chart = curve(scores, "IPrec")
    shown = layer(chart, "lines")["encoding"]["color"]["legend"]["values"]
    assert shown == ["r8", "r9", "r1", "r5", "r6", "r11", "r4", "r10", "r0", "r7", "r2", "r3"]
    assert {row["run"] for row in rows(chart) if row["best"]} == set(shown[:5])


def test_a_line_passes_behind_names_where_it_has_no_other_way():
    chart = specification("scatter", "60")
    assert [part["name"] for part in chart["layer"]] == ["leaders", "points", "halos", "labels"]
    halo = layer(chart, "halos")
    assert halo["mark"]["style"] == "halo"
    for theme in TONES:
        assert config(theme)["style"]["halo"] == {"stroke": TONES[theme][0], "strokeWidth": 3}


def test_points_that_have_names_need_no_legend():
    encoding = layer(specification("scatter", "60"), "points")["encoding"]
    assert (encoding["color"]["legend"], encoding["shape"]["legend"]) == (None, None)
    (parameter,) = specification("scatter", "60")["params"]
    assert "bind" not in parameter and parameter["select"] == {"type": "point", "fields": ["run"]}


@pytest.mark.parametrize("kind", ["curve", "budget", "differences"])
def test_a_click_in_the_legend_fades_the_other_runs(kind):
    (parameter,) = specification(kind, "60")["params"]
    assert parameter["name"] == "chosen" and parameter["bind"] == "legend"
    assert parameter["select"] == {"type": "point", "fields": ["run"]}


def luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", TONES)
def test_text_and_lines_can_be_seen_on_their_background(theme):
    background, text, faint, _, middle, on_weak, on_strong, low, high = TONES[theme]
    assert contrast(text, background) > 7 and contrast(faint, background) > 4.5
    assert contrast(on_weak, middle) > 7 and min(contrast(on_strong, low), contrast(on_strong, high)) > 4.5
    assert min(contrast(hue, background) for hue in HUES[theme]) > 2


# Strange names


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_is_only_ever_data(kind):
    """Runs are renamed to letters: then the specification differs in data, domains, legends and titles, and nowhere
    else."""
    plain = made([chr(ord("a") + number) for number in range(len(HOSTILE))])
    strange = [specification(kind, "hostile"), unchecked(drawn(kind, plain))]
    assert list(differing(*strange)) != []
    assert {path[-1] for path in differing(*strange)} <= {"run", "row", "column", "domain", "values", "sort", "title", "label", "name"} | {
        "columns", "labelLimit", "text", "subtitle", "pair", "align", "label_x", "label_y", "far", "end_x", "end_y",
    }  # fmt: skip


def differing(one, other, path=()):
    """The properties that differ, without numbers of items."""
    if isinstance(one, dict) and isinstance(other, dict):
        assert one.keys() == other.keys()
        for key in one:
            yield from differing(one[key], other[key], (*path, key))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for this, that in zip(one, other, strict=True):
            yield from differing(this, that, path)
    elif one != other:
        yield path


@pytest.mark.parametrize("kind", KINDS)
def test_strange_names_are_text_in_a_picture(kind, tmp_path):
    save(drawn(kind, STRANGE), tmp_path / "chart.svg")
    tree = etree.parse(tmp_path / "chart.svg")
    assert {etree.QName(one).localname for one in tree.iter()} <= {
        "svg", "g", "path", "rect", "line", "text", "tspan", "defs", "linearGradient", "stop", "clipPath",
    }  # fmt: skip
    assert not any(name.startswith("on") for one in tree.iter() for name in one.attrib)
    shown = " ".join(tree.getroot().itertext())
    # a legend cuts the middle of a long name, and so does a point
    assert "</script><sc" in shown
    if kind != "differences":
        assert "bell\\x07" in shown and "half\\udc80" in shown


def test_strange_names_do_not_end_the_script_of_a_page(tmp_path):
    save(differences(STRANGE, HOSTILE[1], HOSTILE[2], "AP"), tmp_path / "chart.html")
    page = (tmp_path / "chart.html").read_text("utf-8")
    assert page.count("<script>") == page.count("</script>") == 2
    assert "<img src=x" not in page
    spec = re.search(r'vegaEmbed\("#chart", (\{.*\}), \{actions: false\}\);</script>', page, re.DOTALL)
    assert json.loads(spec[1]) == differences(STRANGE, HOSTILE[1], HOSTILE[2], "AP").to_dict(validate=False)


def test_long_names_are_cut_in_titles_and_whole_in_data():
    chart = differences(STRANGE, "x" * 300, "null", "AP")
    assert chart.to_dict(validate=False)["title"]["text"] == f"AP by topic: {'x' * 14}…{'x' * 15} − null"
    assert layer(chart, "bars")["encoding"]["color"]["scale"]["domain"] == ["x" * 300, "null"]


# Files


@pytest.mark.parametrize(("ending", "begins"), [(".png", b"\x89PNG\r\n\x1a\n"), (".pdf", b"%PDF-"), (".svg", b"<svg ")])
def test_a_file_is_what_its_ending_says(ending, begins, tmp_path):
    save(drawn("curve", STRANGE), tmp_path / f"chart{ending}")
    assert (tmp_path / f"chart{ending}").read_bytes().startswith(begins)
    assert [one.name for one in tmp_path.iterdir()] == [f"chart{ending}"]


def test_endings_may_be_in_capitals_and_json_is_the_specification(tmp_path):
    chart = curve(STRANGE, "IPrec")
    save(chart, str(tmp_path / "CHART.JSON"))
    assert json.loads((tmp_path / "CHART.JSON").read_bytes()) == chart.to_dict(validate=False)


def test_a_page_needs_nothing_from_elsewhere(tmp_path):
    save(curve(FEW, "IPrec", theme="dark"), tmp_path / "chart.html")
    page = (tmp_path / "chart.html").read_text("utf-8")
    assert "<script src" not in page and "<link" not in page
    assert "window.vegaEmbed=" in page and "background: #16181D" in page
    assert "<title>IPrec over recall</title>" in page


def test_a_picture_leaves_out_what_only_a_mouse_finds_and_is_always_the_same(tmp_path):
    chart = curve(MANY, "IPrec")
    for name in ("one.svg", "two.svg"):
        save(chart, tmp_path / name)
    content = (tmp_path / "one.svg").read_bytes()
    assert content == (tmp_path / "two.svg").read_bytes()
    assert b'opacity="0"' not in content and len(content) < 200_000
    assert content.count(b'aria-roledescription="line mark"') == 60


# What is refused


def refused(call, *given, **named):
    with pytest.raises(UsageError) as error:
        call(*given, **named)
    return str(error.value)


def test_mistakes_are_told(tmp_path):
    assert refused(curve, FEW, "iP") == (
        "the curve of iP needs iP@0, iP@0.01, iP@0.02, …, which these scores lack; evaluate assay.curve('iP') first"
    )
    assert refused(curve, FEW, "AP") == f"AP has no curve; choose from {', '.join(POINTS)}"
    assert refused(curve, FEW, "IPrec", theme="sepia") == "unknown theme 'sepia'; choose from light, dark"
    assert refused(differences, SMALL, "a", "a", "AP") == "'a' is compared with itself; expected two runs"
    assert refused(differences, SMALL, "a", "z", "AP") == "no run 'z'; choose from a, b, c"
    assert refused(differences, SMALL, "a", "b", "RR") == "RR was not measured; choose from AP, P@5"
    assert refused(distribution, SMALL, "RR") == "RR was not measured; choose from AP, P@5"
    assert refused(scatter, SMALL, "AP", "RR") == "RR was not measured; choose from AP, P@5"
    assert (
        refused(heatmap, ["a", "b"], [[1, 0]])
        == "2 names and a matrix of shape (1, 2); expected a row and a column per name"
    )
    assert refused(heatmap, [], []) == "0 names and a matrix of shape (0,); expected a row and a column per name"
    assert refused(heatmap, ["a", "a"], np.eye(2)) == "two rows of the matrix have the same name"
    assert refused(heatmap, ["a", "b"], [[1, 2.5], [2.5, 1]]) == "2.5 is not a correlation; expected values from -1 to 1"


def test_what_has_no_number_is_not_drawn():
    nothing = replace(SMALL, values=np.full((3, 2, 4), math.nan))
    assert refused(distribution, nothing, "AP") == "no topic has a value of AP, so there is nothing to draw"
    assert refused(differences, nothing, "a", "b", "AP") == "'a' and 'b' have no topic in common"
    endless = replace(SMALL, values=np.full((3, 2, 4), math.inf))
    assert refused(scatter, endless, "AP", "P@5") == "the x of a is inf, which cannot be drawn"
    assert refused(differences, replace(SMALL, values=SMALL.values * [[[math.inf]], [[1]], [[1]]]), "a", "b", "AP") == (
        "the difference of 1, a is inf, which cannot be drawn"
    )


def test_a_path_that_cannot_be_written_is_told(tmp_path):
    chart = scatter(SMALL, "AP", "P@5")
    for ending in ("gif", "", "svgz"):
        path = tmp_path / f"chart.{ending}".rstrip(".")
        shown = f".{ending}" if ending else ""
        assert refused(save, chart, path) == (
            f"{path}: a chart cannot be written as {shown!r}; choose from .svg, .png, .pdf, .html, .json"
        )
    with pytest.raises(InputError) as error:
        save(chart, tmp_path / "none" / "chart.json")
    assert str(error.value) == f"{tmp_path}/none/chart.json: cannot write the file: there is no folder {tmp_path}/none; create it first"
    assert list(tmp_path.iterdir()) == []
