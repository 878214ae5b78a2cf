"""Systems beside a baseline: values, differences in per cent, marks by level, wins and losses, p."""

import json

import numpy as np
import pytest
import scipy.stats

import assay
from assay.comparing.tables import MARKS
from assay.errors import UsageError
from assay.measures.notation import measures_of
from assay.scores import Scores
from helpers.commands import invoke
from helpers.places import ROOT

TOPICS = [str(number) for number in range(12)]
RNG = np.random.default_rng(5)
BASE = RNG.uniform(0.2, 0.6, 12)
# far above the baseline, a little below it everywhere, and much the same
VALUES = {"base": BASE, "above": BASE + RNG.uniform(0.1, 0.2, 12), "below": BASE - RNG.uniform(0.001, 0.1, 12),
          "same": BASE + RNG.normal(0, 0.1, 12)}  # fmt: skip
QRELS = str(ROOT / "examples/judgments.qrels")
RUNS = [str(ROOT / f"examples/{name}.run") for name in ("bm25", "dense", "hybrid")]


def scores(measures=("AP",)):
    values = np.stack([np.stack([row] * len(measures)) for row in VALUES.values()])
    return Scores(list(VALUES), measures_of(list(measures)), TOPICS, values)


def records(**how):
    shown = assay.baseline_table(scores(), baseline="base", test="t", **how).show("json")
    return {record["run"]: record for record in json.loads(shown)}


def test_differences_are_per_cent_of_the_baseline_and_p_is_that_of_the_test():
    found = records(correct="none")
    for name, values in VALUES.items():
        assert found[name]["value"] == pytest.approx(values.mean())
        if name != "base":
            assert found[name]["percent"] == pytest.approx(100 * (values.mean() / BASE.mean() - 1))
            assert found[name]["p"] == pytest.approx(scipy.stats.ttest_rel(values, BASE).pvalue)
            assert found[name]["wins"] == (values > BASE).sum()
            assert found[name]["losses"] == (values < BASE).sum()
    assert [found["base"][field] for field in ("percent", "wins", "losses", "p", "mark")] == [None, None, None, None, ""]


@pytest.mark.parametrize("marks", MARKS)
def test_marks_tell_the_level_and_the_side(marks):
    (above, below), (far_above, far_below) = MARKS[marks]
    table = assay.baseline_table(scores(), baseline="base", test="t", correct="none")
    p = {pair.first: pair.p for pair in table.comparisons[0].pairs}
    assert p["above"] < p["below"] < 0.05 < p["same"]

    def marked(alpha):
        return {record["run"]: record["mark"] for record in json.loads(table.show("json", alpha, marks=marks))}

    assert marked(p["below"]) | {"above": ""} == {"base": "", "above": "", "below": below, "same": ""}
    assert marked(p["below"] * 5) == {"base": "", "above": far_above, "below": far_below, "same": ""}
    assert marked(p["above"]) == {"base": "", "above": above, "below": "", "same": ""}


def test_one_table_holds_all_measures():
    shown = assay.baseline_table(scores(("AP", "gP(score=F(beta=0.25))@5")), baseline="base", test="t").show(digits=3)
    head, _, *rows = shown.splitlines()
    assert head.split() == ["run", "AP", "%", "W/L", "corrected", "p", "gP@5", "%", "W/L", "corrected", "p"]
    assert [row.split()[0] for row in rows[:4]] == ["base", "above", "below", "same"]
    assert "▲" in rows[1]
    assert rows[1].split()[3].startswith("+")
    assert rows[2].split()[3].startswith("-")
    assert rows[-1] == (
        "Difference from base in percent, wins/losses over topics, and corrected p; △▽ p ≤ 0.05, ▲▼ p ≤ 0.01. paired t-test, two-tailed; "
        "over 12 topics; Holm's correction for 3 pairs. gP@5: score=F(beta=0.25)"
    )


def test_sorted_the_best_comes_first_and_the_best_is_bold():
    table = assay.baseline_table(scores(), baseline="base", sort=True, test="t")
    assert table.systems == sorted(VALUES, key=lambda name: -VALUES[name].mean())
    lines = table.show("md").splitlines()
    assert lines[2].startswith("| above | **")
    assert sum("**" in line for line in lines) == 1


def test_sorted_letters_are_given_in_the_order_of_the_rows():
    ranked = sorted(VALUES, key=lambda name: -VALUES[name].mean())
    table = assay.significance_table(scores(), sort=True, test="t")
    rows = [line.split("\t") for line in table.show("tsv").splitlines()[1:]]
    assert [row[:2] for row in rows] == [list(pair) for pair in zip("abcd", ranked, strict=True)]
    # the first is better than all, and nothing is better than the last
    assert (rows[0][3], rows[3][3]) == ("bcd", "")
    told = json.loads(table.show("json"))
    assert [(record["letter"], record["run"]) for record in told] == list(zip("abcd", ranked, strict=True))
    # by a second measure the rows stay where the first has put them
    both = assay.significance_table(scores(("AP", "P@5")), sort=True, test="t")
    assert [comparison.systems for comparison in both.comparisons] == [ranked, ranked]


@pytest.mark.parametrize(("correct", "p"), [("holm", "corrected p"), ("none", "p")])
def test_the_column_of_p_says_whether_it_is_corrected(correct, p):
    table = assay.baseline_table(scores(), baseline="base", test="t", correct=correct)
    assert table.show().splitlines()[0].split("   ")[-1].strip() == p
    latex = table.show("latex", columns=["value", "mark", "percent", "wins", "p"])
    assert f"wins/losses over topics, and {p};" in latex
    assert "& p \\\\" in latex or "{p} \\\\" in latex


@pytest.mark.parametrize(("caption", "begins"), [("Results", "Results. "), ("Results.", "Results. "), ("What?", "What? ")])
def test_a_caption_is_a_sentence_of_its_own(caption, begins):
    letters, beside = assay.significance_table(scores()), assay.baseline_table(scores(), baseline="base")
    assert letters.show(caption=caption).splitlines()[-1].startswith(f"{begins}A letter marks")
    assert beside.show("md", caption=caption).splitlines()[-1].startswith(f"{begins}Difference from base")


@pytest.mark.parametrize("layout", ["tsv", "csv", "json"])
def test_a_caption_is_refused_where_there_is_no_place_for_it(layout):
    for table in (assay.significance_table(scores()), assay.baseline_table(scores(), baseline="base")):
        with pytest.raises(UsageError) as refused:
            table.show(layout, caption="Results")
        assert str(refused.value) == f"caption works only with text, md, latex and html, not with {layout}"


def test_a_baseline_of_0_has_no_per_cent():
    none = Scores(["a", "b"], measures_of(["AP"]), ["1", "2"], np.array([[[0.0, 0.0]], [[0.5, 0.25]]]))
    table = assay.baseline_table(none, baseline="a", test="t")
    assert table.show("csv").splitlines()[2].startswith("b,0.375,,2,0,")


def test_a_caption_and_a_label_stand_in_latex():
    table = assay.baseline_table(scores(), baseline="base", test="t")
    lines = table.show("latex", caption="Results", label="tab:r").splitlines()
    assert lines[5:7] == [r"\caption{Results}", r"\label{tab:r}"]
    assert lines[-2].startswith(r"{\footnotesize $\vartriangle$$\triangledown$ p $\leq$ 0.05")
    assert "\\label" not in table.show("latex")
    assert table.show("text", caption="Results.").splitlines()[-1].startswith("Results. Difference from base")


def test_the_command_shows_one_table_with_a_baseline():
    words = ["compare", QRELS, *RUNS, "-m", "AP", "-m", "P@5", "--baseline", "bm25", "--quiet", "--sort"]
    done = invoke(*words, "--as", "md")
    expected = assay.baseline_table(assay.evaluate(QRELS, RUNS, ["AP", "P@5"]), baseline="bm25", sort=True).show("md")
    assert (done.exit_code, done.stdout, done.stderr) == (0, expected, "")
    told = invoke(*words[:-2], "--as", "tsv")
    assert "note: Difference from bm25 in percent" in told.stderr
    pairs = invoke(*words[:-1], "--as", "tsv", "--show", "pairs").stdout
    assert pairs.splitlines()[0].split("\t")[:3] == ["measure", "run", "against"]


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--show", "baseline"], "no baseline to compare with; pass --baseline NAME"),
        (["--sort"], "--sort, --caption and --label apply only to tables for a paper; use --show baseline or letters, not pairs"),
        (["--baseline", "bm25", "--label", "x", "--as", "md"], "label works only with latex, not with md"),
        (["--baseline", "nope"], "no run 'nope'; choose from bm25, dense, hybrid"),
    ],
)
def test_the_command_refuses_what_means_nothing(words, what):
    done = invoke("compare", QRELS, *RUNS, "-m", "AP", "--quiet", *words)
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", what + "\n")


def test_unknown_marks_are_refused():
    with pytest.raises(UsageError) as refused:
        assay.baseline_table(scores(), baseline="base").show(marks="stars")
    assert str(refused.value) == "unknown marks 'stars'; choose from arrows, daggers"


def test_differences_are_over_the_topics_that_both_runs_have():
    judged = {"1": {"d": 1}, "2": {"d": 1}, "3": {"d": 1}}
    base = {"1": {"d": 2, "x": 1}, "2": {"x": 2, "d": 1}, "3": {"d": 2}}
    other = {"1": {"d": 2}, "2": {"d": 2}}
    scores = assay.evaluate(judged, {"base": base, "other": other}, "RR", topics="common")
    table = assay.baseline_table(scores, baseline="base", test="t")
    record = json.loads(table.show("json"))[1]
    # base has 1, 1/2 and 1 (a mean of 5/6), but 3/4 over the two topics of the other run, which has 1 and 1
    assert (record["run"], record["value"], record["percent"]) == ("other", 1, pytest.approx(100 / 3))
    assert table.about().startswith(
        "Difference from base in percent over the topics that both have (values are over each run's own topics), "
        "wins/losses over topics, and corrected p"
    )
    same = assay.baseline_table(assay.evaluate(judged, {"base": base, "other": other}, "RR"), baseline="base", test="t")
    # without topic 3 the other run scores 0 there: a mean of 2/3
    assert json.loads(same.show("json"))[1]["percent"] == pytest.approx(100 * (2 / 3 - 5 / 6) / (5 / 6))
    assert same.about().startswith("Difference from base in percent, wins/losses over topics, and corrected p")
