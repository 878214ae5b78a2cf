"""Means and differences with intervals: the numbers are those of the topics, and intervals those of drawn topics."""

import numpy as np
import pytest

import assay
from assay.charts.intervals import forest, means
from assay.charts.style import short_names
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
        "2 topics, 2 runs", "no interval: GMAP (not a mean over topics)",
    ]  # fmt: skip


def test_of_one_topic_there_is_no_interval():
    chart = means(scores_of(a=[0.5]), "AP")
    assert rows(chart) == [{"run": "a", "measure": "AP", "value": 0.5, "low": 0.5, "high": 0.5}]
    assert chart.to_dict(validate=False)["title"]["subtitle"] == ["1 topic, 1 run"]


def test_a_run_is_a_row_with_its_name_and_a_measure_a_panel():
    judgments, runs = {"1": {"d": 1}, "2": {"e": 1}}, {"low": {"1": {"d": 1.0}}, "high": {"1": {"d": 1.0}, "2": {"e": 1.0}}}
    scores = assay.evaluate(judgments, runs, ["AP", "RR"])
    alone = means(scores, ["AP"]).to_dict(validate=False)["layer"][0]["encoding"]
    assert (alone["y"]["field"], alone["y"]["sort"]) == ("run", ["high", "low"])
    both = means(scores, ["AP", "RR"])
    names, measures, *drawn = both.to_dict(validate=False)["layer"]
    assert (names["encoding"]["text"]["field"], measures["encoding"]["text"]["field"]) == ("name", "measure")
    # no legend: each row has its name, and each panel that of its measure above it
    assert all(layer["encoding"]["color"]["legend"] is None for layer in drawn)
    placed = {(row["measure"], row["name"]): (row["panel"], row["row"]) for row in rows(both)}
    assert placed == {("AP", "high"): (0, 1), ("AP", "low"): (0, 2), ("RR", "high"): (3, 4), ("RR", "low"): (3, 5)}


def test_a_beginning_that_all_names_share_is_left_out_and_said():
    long = ["inex-2005-bm25", "inex-2005-dense"]
    chart = means(assay.evaluate({"1": {"d": 1}}, {name: {"1": {"d": 1.0}} for name in long}, ["AP", "RR"]), ["AP", "RR"])
    assert {row["name"] for row in rows(chart)} == {"bm25", "dense"}
    assert {row["run"] for row in rows(chart)} == set(long)
    about = chart.to_dict(validate=False)["title"]["subtitle"][0]
    assert about == "1 topic, 2 runs; all names begin with inex-2005-"
    # what would leave numbers, or no separator, is not left out
    assert short_names(["bm25-200", "bm25-400"]) == ["bm25-200", "bm25-400"]
    assert short_names(["lab.bm25-200", "lab.bm25-400"]) == ["bm25-200", "bm25-400"]
    assert short_names(["dense", "dent"]) == ["dense", "dent"]
    assert short_names(["a-b"]) == ["a-b"]
    # numbers stay whole
    tuned = [f"msmarco_bm25_k1=0.{digits}_b=0.75" for digits in (11, 12)]
    assert short_names(tuned) == ["k1=0.11_b=0.75", "k1=0.12_b=0.75"]
    assert short_names(["lab2.2005-a", "lab2.2005-b", "lab2.2006-a"]) == ["lab2.2005-a", "lab2.2005-b", "lab2.2006-a"]


def test_points_and_rows_grow_with_the_letters():
    scores = scores_of(a=[0.2, 0.6], b=[0.1, 0.3])
    small, usual = (means(scores, "AP", font_size=size).to_dict(validate=False) for size in (5.5, 11))
    assert (small["height"], usual["height"]) == (30, 60)
    sizes = [next(layer for layer in spec["layer"] if layer["name"] == "points")["mark"]["size"] for spec in (small, usual)]
    assert sizes == [15, 60]


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
    assert title["subtitle"][0] == "95% confidence intervals; filled: significant at 0.05"


def test_without_a_baseline_there_is_a_row_for_each_pair():
    scores = scores_of(a=[0.1, 0.2, 0.3], b=[0.5, 0.4, 0.6], c=[0.9, 0.8, 0.6])
    assert [(row["pair"], round(row["difference"], 12)) for row in rows(forest(scores, "AP"))] == [
        ("c − a", round(1.7 / 3, 12)), ("b − a", 0.3), ("c − b", round(0.8 / 3, 12)),
    ]  # fmt: skip


def test_too_many_pairs_are_refused():
    scores = scores_of(**{f"run{number}": [0.1, 0.2] for number in range(12)})
    with pytest.raises(UsageError) as error:
        forest(scores, "AP")
    assert str(error.value) == "12 runs have 66 pairs, too many for a chart; pass baseline=, or choose fewer runs"
