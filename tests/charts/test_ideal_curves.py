"""Gain beside the ideal: the line of the best ranking, and the area between it and a run."""

from math import log2

import pytest

import assay
from helpers.places import EXAMPLES

ASSESSMENTS, RUNS = str(EXAMPLES / "graded/assessments"), EXAMPLES / "graded/runs"


def drawn(chart):
    """The layers of a chart by name, and its rows."""
    spec = chart.to_dict()
    return {layer["name"]: layer for layer in spec["layer"]}, spec["data"]["values"]


def ideal_of(rows, run):
    return [row["ideal"] for row in rows if row["run"] == run]


def test_the_ideal_gain_is_that_of_the_page_on_graded_elements():
    # docs/graded.md: for topic 1 the ideal recall-base gives xCI = 2, 7/2, 5; for topic 2 it has two elements, 2 and 1
    layers, rows = drawn(assay.chart(ASSESSMENTS, str(RUNS / "nested.xml"), "curve", ["CG"]))
    assert ideal_of(rows, "nested") == [2, (3.5 + 3) / 2, (5 + 3) / 2, (5 + 3) / 2]
    assert list(layers) == ["missed", "ideal", "name", "lines", "hover"]
    assert layers["missed"]["encoding"]["y2"] == {"field": "ideal"}


def test_the_ideal_dcg_is_that_of_the_grades_in_falling_order():
    qrels, run = EXAMPLES / "judgments.qrels", EXAMPLES / "bm25.run"
    _, rows = drawn(assay.chart(qrels, run, "curve", ["DCG"]))
    grades = {}
    for line in qrels.read_text().splitlines():
        topic, _, _, grade = line.split()
        grades.setdefault(topic, []).append(max(int(grade), 0))
    assert len(rows) > 3
    for row in rows:
        best = [
            sum(grade / log2(rank + 1) for rank, grade in enumerate(sorted(each, reverse=True)[: row["rank"]], 1))
            for each in grades.values()
        ]
        assert row["ideal"] == pytest.approx(sum(best) / len(best))


def test_with_more_than_three_runs_nothing_is_shaded_and_shares_have_no_ideal():
    layers, _ = drawn(assay.chart(ASSESSMENTS, [str(path) for path in sorted(RUNS.glob("*.xml"))], "curve", ["CG"]))
    assert list(layers) == ["ideal", "name", "lines", "hover"]
    layers, _ = drawn(assay.chart(ASSESSMENTS, str(RUNS / "nested.xml"), "curve", ["nxCG"]))
    assert list(layers) == ["lines", "hover"]


def test_a_mean_average_has_a_curve():
    _, rows = drawn(assay.chart(ASSESSMENTS, str(RUNS / "nested.xml"), "curve", ["MAnxCG"]))
    scores = assay.evaluate(ASSESSMENTS, str(RUNS / "nested.xml"), ["MAnxCG@3"])
    assert [row["value"] for row in rows if row["rank"] == 3] == [pytest.approx(scores["MAnxCG@3"])]


def test_saved_scores_without_the_ideal_are_drawn_without_it():
    scores = assay.evaluate(ASSESSMENTS, str(RUNS / "nested.xml"), assay.curve("CG@4"))
    layers, _ = drawn(scores.chart("curve", "CG@4"))
    assert list(layers) == ["lines", "hover"]


def test_the_ideal_gain_of_documents_is_the_sum_of_the_best_grades():
    judgments = {"1": {"a": 3, "b": 1, "c": 2, "d": 0}}
    _, rows = drawn(assay.chart(judgments, {"bm25": {"1": {"d": 4.0, "a": 3.0, "b": 2.0}}}, "curve", ["CG"]))
    assert ideal_of(rows, "bm25") == [3, 5, 6]
