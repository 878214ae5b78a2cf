"""What is drawn where little is asked for, and how a chart looks where more is."""

import pytest

import assay
from assay.charts.curves import curve
from assay.errors import UsageError
from helpers.places import EXAMPLES

GRADED = EXAMPLES / "graded" / "assessments", sorted((EXAMPLES / "graded" / "runs").glob("*.xml"))
TEXT = [{"topic": "1", "document": "a", "start": 0, "end": 10}], {"some": {"1": [("a", 0, 4), ("b", 0, 30)]}}
WHOLE = {"1": {"a": 1, "b": 1}, "2": {"c": 1}}, {"x": {"1": {"a": 2.0, "d": 1.0}}, "y": {"1": {"b": 1.0}, "2": {"c": 1.0}}}


def heading(given, what=None, measures=(), **rules):
    """The title of a chart on one line."""
    text = assay.chart(*given, what, measures, **rules).to_dict(validate=False)["title"]["text"]
    return text if isinstance(text, str) else " ".join(text)


@pytest.mark.parametrize(
    ("given", "what", "measures", "task", "title"),
    [
        (WHOLE, None, [], None, "iP over recall"),
        (TEXT, None, [], None, "R within a budget of characters"),
        (GRADED, None, [], None, "nxCG over rank"),
        (TEXT, "curve", [], None, "iP over recall"),
        (WHOLE, "distribution", [], None, "AP by topic"),
        (WHOLE, "differences", [], None, "AP by topic: x − y"),
        (WHOLE, "forest", [], None, "AP: each pair of runs"),
        (WHOLE, "topic-heatmap", [], None, "AP by topic and run"),
        (WHOLE, "scatter", [], None, "nDCG@10 against AP"),
        (WHOLE, "means", [], None, "Values over topics"),
        (WHOLE, "heatmap", [], None, "Correlation of system rankings between measures"),
        (WHOLE, None, ["AP"], None, "AP over topics"),
        (WHOLE, None, ["AP", "RR"], None, "Values over topics"),
        (WHOLE, None, ["nDCG@10"], None, "nDCG over rank"),
        # of one rank there is no line
        (WHOLE, None, ["P@1"], None, "P@1 over topics"),
        (TEXT, None, ["R(chars=20)"], None, "R(chars=20) over topics"),
        (TEXT, None, [], "focused", "iP over recall"),
        (TEXT, None, [], "relevant-in-context", "gP(score=F(beta=0.25)) over rank"),
        (TEXT, None, [], "restricted-focused", "iP over recall"),
        (TEXT, "distribution", [], "focused", "iP@0 by topic"),
        (TEXT, "means", ["AiP"], "focused", "AiP over topics"),
        (GRADED, None, [], "CO.Thorough", "nxCG(overlap=off) over rank"),
        (GRADED, None, [], "CO.FetchBrowse", "ep over gain-recall"),
        (GRADED, "means", [], "CO.Focussed", "Values over topics"),
    ],
)
def test_what_is_drawn_suits_the_judgments_the_measures_and_the_task(given, what, measures, task, title):
    assert heading(given, what, measures, **({"task": task} if task else {})) == title


@pytest.mark.parametrize(
    ("measure", "points"),
    [
        ("nDCG@10", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
        ("P@6", [1, 2, 3, 4, 5, 6]),
        ("iP@0.03", [0.0, 0.01, 0.02, 0.03]),
        ("nxCG@20", [1, 2, 3, 4, 5, 7, 10, 15, 20]),
        ("gP@3", [1, 2, 3]),
    ],
)
def test_a_curve_ends_at_the_cut_off_of_its_measure(measure, points):
    name = measure.partition("@")[0]
    assert [str(each) for each in assay.curve(measure)] == [f"{name}@{point:.15g}" for point in points]


def test_ranks_are_drawn_to_where_the_longest_list_ends():
    judgments, run = {"1": {"d3": 1}, "2": {"d1": 1}}, {str(topic): {f"d{n}": 100.0 - n for n in range(12 * topic)} for topic in (1, 2)}
    spec = assay.chart(judgments, {"some": run}, None, ["P"]).to_dict(validate=False)
    ranks = [row["rank"] for row in spec["data"]["values"]]
    assert ranks == list(range(1, 25))
    assert spec["layer"][0]["encoding"]["x"]["scale"] == {"domain": [1, 24]}
    few = assay.chart(judgments, {"some": run}, None, ["P@10"]).to_dict(validate=False)["layer"][0]["encoding"]["x"]["scale"]
    assert few == {"domain": [1, 10]}


def test_nxcg_shows_the_first_ranks():
    scores = assay.evaluate(*GRADED, assay.curve("nxCG"))
    across = curve(scores, "nxCG").to_dict(validate=False)["layer"][0]["encoding"]["x"]
    assert across["scale"] == {"type": "log", "domain": [1, 1500]}
    assert across["axis"]["values"][:5] == [1, 2, 5, 10, 20]


def test_size_title_and_letters_are_as_asked_for():
    look = {"width": 300, "height": 150, "title": "Figure 1", "font_size": 22}
    spec = assay.chart(*WHOLE, "means", ["AP"], **look).to_dict(validate=False)
    assert (spec["width"], spec["height"]) == (300, 150)
    assert spec["title"]["text"] == "Figure 1"
    assert spec["config"]["axis"]["labelFontSize"] == spec["config"]["text"]["fontSize"] == 22
    assert spec["config"]["title"]["fontSize"] == 28
    assert "title" not in assay.chart(*WHOLE, "means", ["AP"], title="").to_dict(validate=False)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"what": "pie"}, "unknown chart 'pie'; choose from curve, budget, means, forest, differences, distribution, "
         "topic-heatmap, scatter, heatmap, history"),
        ({"what": "scatter", "measures": ["AP"]}, "a scatter chart takes 2 measures, found 1"),
        ({"what": "means", "baseline": "x"}, "a baseline works only with a forest chart"),
        ({"what": "forest", "baseline": "z"}, "no run 'z'; choose from x, y"),
        ({"width": 0.5}, "the width of a chart is 0.5; expected 1 to 20,000 pixels"),
        ({"font_size": 99999}, "the font size of a chart is 99999; expected 1 to 20,000 pixels"),
        ({"what": "curve", "measures": ["AP"]}, "AP has no curve; choose from IPrec, iP, P, R, F, Success, nDCG, nCG, gP, gR, "
         "DCG, CG, nxCG, MAnxCG, ep, gr, inex2002, inex2003"),
    ],
)  # fmt: skip
def test_mistakes_are_told(call, message):
    with pytest.raises(UsageError) as error:
        assay.chart(*WHOLE, **call)
    assert str(error.value) == message


def test_scores_draw_the_same_with_a_baseline_and_a_look():
    scores = assay.evaluate(*WHOLE, ["AP", "RR"])
    look = {"baseline": "x", "title": "", "width": 200, "font_size": 9}
    spec = scores.chart("forest", **look).to_dict(validate=False)
    assert spec == assay.chart(*WHOLE, "forest", ["AP"], **look).to_dict(validate=False) == assay.chart(scores, "forest", **look).to_dict(validate=False)
    assert (spec["name"], spec["width"]) == ("forest_AP", 200)


def test_scores_of_a_curve_draw_it_without_another_evaluation():
    judgments, runs = WHOLE
    scores = assay.evaluate(judgments, runs, assay.curve("nDCG"))
    alone = type(scores)(scores.systems, scores.measures, scores.topics, scores.values)
    assert alone.chart("curve").to_dict(validate=False)["name"] == "curve_nDCG"
