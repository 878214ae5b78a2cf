"""What is found against what is read: every point of a line is what the measure says of that budget."""

import random
from dataclasses import replace

import numpy as np
import pytest

import assay
from assay.charts import curves as budget_curves
from assay.charts.curves import budget, budget_lines, reading, thin_points
from assay.errors import InputError, UsageError
from assay.evaluation.evaluate import evaluate_runs
from assay.measures.notation import parse
from helpers.places import DATA, EXAMPLES

CHROMA = DATA / "spans" / "chroma-chunking-eval"


def spans(seed, topics=4, results=8):
    """Judgments and a run of parts of documents that overlap."""
    rng = random.Random(seed)
    judged, run = [], []
    for topic in range(topics):
        for document in range(3):
            start = rng.randrange(60)
            judged.append(
                {"topic": topic, "document": f"d{document}", "start": start, "end": start + rng.randrange(1, 50)}
            )
        for rank in range(results):
            start = rng.randrange(80)
            span = {"start": start, "end": start + rng.randrange(1, 60)}
            run.append({"topic": topic, "document": f"d{rng.randrange(5)}", **span, "score": 100 - rank})
    return judged, run


def lines(judged, runs, measure="R", **rules):
    evaluation = evaluate_runs(judged, runs, [measure], keep=reading, **rules)
    return budget_lines(evaluation, evaluation.kept, parse(measure))


@pytest.mark.parametrize("overlap", ["paid", "new", "drop"])
@pytest.mark.parametrize("measure", ["R", "P", "F(beta=2)", "R(fit=stop)", "P(fit=skip)", "F(beta=2, fit=skip)"])
def test_every_point_is_the_value_within_that_budget(overlap, measure):
    judged, run = spans(3)
    run = [row for row in run if row["topic"] != 3]
    if "skip" in measure and overlap == "new":
        return
    drawn = lines(judged, {"some": run}, measure, overlap=overlap)
    (line,) = drawn.lines
    measures = [str(replace(parse(measure), chars=chars)) for chars in line.points]
    scores = assay.evaluate(judged, {"some": run}, measures, overlap=overlap)
    assert line.values == pytest.approx([scores["some", name] for name in measures], abs=1e-12)


def test_points_are_where_results_end_and_the_last_is_where_the_longest_list_ends():
    judged = [
        {"topic": "1", "document": "a", "start": 0, "end": 10},
        {"topic": "2", "document": "a", "start": 0, "end": 10},
    ]
    parts = {"1": [("a", 0, 4), ("b", 0, 30), ("a", 5, 25)], "2": [("b", 0, 7)]}
    drawn = lines(judged, {"longer": parts, "shorter": {"1": parts["1"][:2]}})
    assert drawn.points == [4, 7, 34, 54]
    assert [line.points for line in drawn.lines] == [[4, 7, 34, 54], [4, 7, 34]]
    assert drawn.lines[0].values == pytest.approx([0.2, 0.2, 0.2, 0.45])


@pytest.mark.parametrize(("parts", "points"), [([("a", 0, 10)], [0, 10]), ([("a", 3, 3)], [0])])
def test_a_single_result_makes_a_line(parts, points):
    judged = [{"topic": "1", "document": "a", "start": 0, "end": 10}]
    drawn = lines(judged, {"some": {"1": parts}})
    assert drawn.points == points
    assert budget(drawn).to_dict(validate=False)["layer"][0]["encoding"]["x"]["scale"] == {"domain": [0, points[-1]]}


def test_topics_that_do_not_count_are_left_out():
    judged, run = spans(5)
    run = [row for row in run if row["topic"] < 2]
    everything, common = (lines(judged, {"some": run}, topics=topics) for topics in ("judged", "common"))
    assert [drawn.topics for drawn in (everything, common)] == [4, 2]
    assert np.array(common.lines[0].values) == pytest.approx(2 * np.array(everything.lines[0].values))


def test_bands_enclose_the_line_and_the_seed_tells_them():
    judged, run = spans(7, topics=30)
    drawn = [lines(judged, {"some": run}) for _ in range(2)]
    line = drawn[0].lines[0]
    assert all(low <= value <= high for low, value, high in zip(line.low, line.values, line.high, strict=True))
    assert line.high[50] - line.low[50] > 0.05
    assert (line.low, line.high) == (drawn[1].lines[0].low, drawn[1].lines[0].high)
    assert drawn[0].about() == "bands: 95% confidence intervals, from 1,000 bootstrap samples of the topics, seed 0"


def test_of_one_topic_or_of_many_runs_there_are_no_bands():
    judged, run = spans(1, topics=1)
    assert lines(judged, {"some": run}).about() == ""
    judged, run = spans(1)
    many = lines(judged, {f"run {number}": run for number in range(11)})
    assert {line.low for line in many.lines} == {None}
    assert [layer["name"] for layer in budget(many).to_dict(validate=False)["layer"]] == ["lines", "hover"]


def test_where_many_results_end_points_are_spread_and_the_last_of_each_run_is_there(monkeypatch):
    monkeypatch.setattr(budget_curves, "MOST_POINTS", 10)
    ends = [np.arange(1, 1000), np.arange(1, 700), np.zeros(0, int)]
    points = thin_points(ends)
    assert len(points) == 11
    assert (points[0], points[-1]) == (1, 999)
    assert 699 in points
    assert thin_points([np.array([0, 3, 5])]).tolist() == [3, 5]


def test_the_chart_has_a_line_and_a_band_of_each_run():
    judged, run = spans(9, topics=5)
    chart = budget(lines(judged, {"a": run, "b": run[:20]})).to_dict(validate=False)
    assert [layer["name"] for layer in chart["layer"]] == ["bands", "lines", "hover"]
    assert chart["title"]["text"] == "R within a budget of characters"
    assert chart["title"]["subtitle"] == [
        "5 topics, 2 runs", "bands: 95% confidence intervals, from 1,000 bootstrap samples of the topics, seed 0",
    ]  # fmt: skip
    encoding = chart["layer"][1]["encoding"]
    assert (encoding["x"]["title"], encoding["y"]["title"]) == ("characters read", "recall (R)")
    rows = chart["data"]["values"]
    assert {row["run"] for row in rows} == {"a", "b"}
    assert max(row["characters"] for row in rows if row["run"] == "a") == encoding["x"]["scale"]["domain"][1]


@pytest.mark.parametrize("measure", ["RR", "R@5", "R(chars=9)", "P(unit=document)"])
def test_other_measures_are_refused(measure):
    judged, run = spans(1)
    with pytest.raises(UsageError) as error:
        assay.chart(judged, {"some": run}, "budget", [measure])
    if measure != "RR":
        assert str(error.value) == f"a budget chart cannot show {measure}; choose from R, P and F, without a cut-off"


def test_judgments_of_documents_are_refused():
    with pytest.raises(InputError) as error:
        assay.chart({"1": {"a": 1}}, {"some": {"1": {"a": 1.0}}}, "budget")
    assert str(error.value) == "judgments: a budget chart needs highlighted text, but these judgments have none"


def test_what_is_drawn_by_default_depends_on_the_judgments():
    judged, run = spans(1)
    drawings = [
        assay.chart(judged, {"some": run}),
        assay.chart({"1": {"a": 1}}, {"some": {"1": {"a": 1.0}}}),
        assay.chart(EXAMPLES / "graded" / "assessments", sorted((EXAMPLES / "graded" / "runs").glob("*.xml"))),
    ]
    assert [drawing.to_dict(validate=False)["title"]["text"] for drawing in drawings] == [
        "R within a budget of characters", "iP over recall", "nxCG over rank",
    ]  # fmt: skip
    assert [len(drawing.to_dict(validate=False)["data"]["values"]) for drawing in drawings[1:]] == [101, 16]


@pytest.mark.shared("spans/chroma-chunking-eval")
def test_the_lines_of_published_chunks():
    """Recall within 2,000 characters as counted by hand-written code: .6819, .7507, .7518."""
    runs = [CHROMA / "runs" / f"bm25-rec{name}.tsv" for name in ("400-0", "800-0", "800-400")]
    drawn = lines(CHROMA / "gold.jsonl", runs)
    near = [np.interp(2000, line.points, line.values) for line in drawn.lines]
    assert near == pytest.approx([0.6819, 0.7507, 0.7518], abs=3e-3)
    assert all(len(line.points) <= 203 for line in drawn.lines)
    assert [line.points[-1] for line in drawn.lines] == sorted(line.points[-1] for line in drawn.lines)
