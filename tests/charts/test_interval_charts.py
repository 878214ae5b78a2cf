"""Means and differences with intervals: the numbers are those of the topics, and intervals those of drawn topics."""

import numpy as np
import pytest

import assay
from assay.charts.intervals import forest, means
from assay.errors import UsageError
from assay.measures.notation import measures_of
from assay.scores import Scores

RNG = np.random.default_rng(3)


def scores_of(measure="AP", **values):
    """Scores of some systems by a measure, each with a value a topic."""
    table = np.array(list(values.values()))[:, None]
    return Scores(list(values), measures_of([measure]), [str(topic) for topic in range(table.shape[2])], table)


def rows(chart):
    return chart.to_dict(validate=False)["data"]["values"]


def test_an_interval_is_that_of_the_normal_distribution_where_topics_are_many():
    values = RNG.random(400)
    (row,) = rows(means(scores_of(a=values), "AP"))
    half = 1.96 * values.std(ddof=1) / np.sqrt(400)
    assert row["value"] == pytest.approx(values.mean(), abs=1e-15)
    assert (row["low"], row["high"]) == pytest.approx((values.mean() - half, values.mean() + half), abs=2e-3)


def test_of_two_topics_the_interval_ends_at_their_values():
    """Each is drawn twice in a quarter of the samples, which is more than the 2.5 % beyond an end."""
    (row,) = rows(means(scores_of(a=[0.2, 0.6]), "AP"))
    assert (row["low"], row["value"], row["high"]) == pytest.approx((0.2, 0.4, 0.6))


def test_a_sum_over_topics_has_an_interval_of_sums():
    (row,) = rows(means(scores_of("NumRet", a=[10, 30]), "NumRet"))
    assert (row["low"], row["value"], row["high"]) == pytest.approx((20, 40, 60))


def test_what_is_no_mean_has_no_interval_and_the_chart_says_so():
    chart = means(scores_of("GMAP", a=[0.2, 0.8], b=[0.4, 0.4]), "GMAP")
    assert [(row["low"], row["high"]) for row in rows(chart)] == [(pytest.approx(0.4),) * 2] * 2
    assert chart.to_dict(validate=False)["title"]["subtitle"] == [
        "2 topics, 2 runs", "GMAP: no mean over topics, without an interval",
    ]  # fmt: skip


def test_of_one_topic_there_is_no_interval():
    chart = means(scores_of(a=[0.5]), "AP")
    assert rows(chart) == [{"run": "a", "measure": "AP", "value": 0.5, "low": 0.5, "high": 0.5}]
    assert chart.to_dict(validate=False)["title"]["subtitle"] == ["1 topic, 1 run"]


def test_runs_of_one_measure_are_rows_the_best_first_and_of_several_they_stand_together():
    judgments, runs = {"1": {"d": 1}, "2": {"e": 1}}, {"low": {"1": {"d": 1.0}}, "high": {"1": {"d": 1.0}, "2": {"e": 1.0}}}
    scores = assay.evaluate(judgments, runs, ["AP", "RR"])
    alone, both = (means(scores, measures).to_dict(validate=False)["layer"][0]["encoding"] for measures in (["AP"], ["AP", "RR"]))
    assert (alone["y"]["field"], alone["y"]["sort"]) == ("run", ["high", "low"])
    assert (both["y"]["field"], both["yOffset"]["field"]) == ("measure", "run")


def test_differences_from_a_baseline_are_those_of_the_means_and_clear_ones_are_filled():
    base = RNG.random(30) / 2
    scores = scores_of(base=base, above=base + 0.2 + RNG.normal(0, 0.01, 30), near=base + RNG.normal(0, 0.01, 30))
    chart = forest(scores, "AP", "base")
    by_run = {row["run"]: row for row in rows(chart)}
    assert list(by_run) == ["above", "near"]
    for run, row in by_run.items():
        difference = scores.values[scores.systems.index(run), 0] - base
        half = 2.045 * difference.std(ddof=1) / np.sqrt(30)
        assert row["pair"] == run
        assert row["difference"] == pytest.approx(difference.mean(), abs=1e-12)
        assert row["high"] - row["low"] == pytest.approx(2 * half, rel=0.1)
    assert [row["significant"] for row in by_run.values()] == [True, False]
    title = chart.to_dict(validate=False)["title"]
    assert title["text"] == "AP: each run − base"
    assert title["subtitle"][0] == "95% intervals; filled where significant at 0.05"


def test_without_a_baseline_there_is_a_row_for_each_pair():
    scores = scores_of(a=[0.1, 0.2, 0.3], b=[0.5, 0.4, 0.6], c=[0.9, 0.8, 0.6])
    assert [(row["pair"], round(row["difference"], 12)) for row in rows(forest(scores, "AP"))] == [
        ("c − a", round(1.7 / 3, 12)), ("b − a", 0.3), ("c − b", round(0.8 / 3, 12)),
    ]  # fmt: skip


def test_too_many_pairs_are_refused():
    scores = scores_of(**{f"run{number}": [0.1, 0.2] for number in range(12)})
    with pytest.raises(UsageError) as error:
        forest(scores, "AP")
    assert str(error.value) == "12 runs have 66 pairs, too many for a chart; give baseline=, or fewer runs"
