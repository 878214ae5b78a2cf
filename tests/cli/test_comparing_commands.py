"""The commands that compare: what they print and write, and what they refuse."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.vocabulary import CHARTS
from helpers.commands import invoke
from helpers.files import written
from helpers.places import ROOT

QRELS, RUNS = (
    str(ROOT / "examples/judgments.qrels"),
    [str(ROOT / f"examples/{name}.run") for name in ("bm25", "dense", "hybrid")],
)


def said(*words):
    done = invoke(*words)
    return done.exit_code, done.stdout, done.stderr


def test_compare_gives_the_exact_p_of_all_changes_of_signs():
    done = invoke("compare", QRELS, *RUNS, "-m", "AP", "--as", "json", "--quiet", "--correct", "none")
    values = assay.evaluate(QRELS, RUNS, "AP").values[:, 0]
    by_name = dict(zip(("bm25", "dense", "hybrid"), values, strict=True))
    for pair in json.loads(done.stdout)["pairs"]:
        differences = by_name[pair["first"]] - by_name[pair["second"]]
        signed = [abs(np.dot(signs, differences)) for signs in product((-1, 1), repeat=6)]
        assert pair["difference"] == pytest.approx(differences.mean())
        assert pair["p"] == np.mean(np.array(signed) >= abs(differences.sum()) - 1e-12)


def test_scores_compare_two_systems_with_the_sign_asked_for():
    scores = assay.evaluate(QRELS, RUNS, ["AP", "RR"])
    one, other = (scores.compare(*pair, "AP").pairs[0] for pair in (("bm25", "hybrid"), ("hybrid", "bm25")))
    assert one.difference == -other.difference < 0
    assert one.p == other.p
    assert scores.compare("bm25", "dense").measure == assay.AP()


@pytest.mark.parametrize(
    ("words", "begins"),
    [
        (["--show", "stars"], "AP"),
        (["--show", "letters", "--as", "latex"], "% needs"),
        (["--show", "letters", "--as", "md"], "|"),
        (["--baseline", "bm25", "--test", "t", "--correct", "bonferroni"], "run\tAP\tAP %"),
        (["--test", "tukey"], "measure\trun\tagainst"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else "",
)
def test_compare_shows_itself_in_other_ways(words, begins):
    status, out, _ = said("compare", QRELS, *RUNS, "-m", "AP", "--quiet", *words)
    assert status == 0
    assert out.lstrip().startswith(begins)


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["compare", QRELS, RUNS[0], "-m", "AP"], 2, "a comparison needs at least two runs; found only bm25"),
        (
            ["compare", QRELS, *RUNS, "-m", "AP", "--baseline", "nope"],
            2,
            "no run 'nope'; choose from bm25, dense, hybrid",
        ),
        (["correlate", QRELS, RUNS[0]], 2, "a correlation needs at least two systems; found bm25"),
        (["chart", "curve", QRELS, RUNS[0], "-m", "AP", "-o", "x.gif"], 2, "AP has no curve; choose from {}"),
        (
            ["chart", "budgett", "q", "r", "-o", "x.svg"],
            2,
            "unknown chart 'budgett'; did you mean 'budget'?\ndid you mean: assay chart budget q r -o x.svg --quiet",
        ),
        (
            ["chart", QRELS, *RUNS, "--baseline", "bm25", "-o", "x.svg"],
            2,
            "a baseline works only with a forest chart",
        ),
        (
            ["chart", QRELS, RUNS[0], "-m", "P", "-o", "x.gif"],
            2,
            "x.gif: a chart cannot be written as '.gif'; choose from .svg, .png, .pdf, .html, .json",
        ),
        (
            ["chart", "differences", QRELS, RUNS[0], "-m", "AP", "-o", "x.svg"],
            2,
            "a differences chart takes two runs, found 1",
        ),
        (
            ["chart", "scatter", QRELS, RUNS[0], "-m", "AP", "-o", "x.svg"],
            2,
            "a scatter chart takes 2 measures, found 1",
        ),
        (
            ["report", QRELS, RUNS[0], "-o", "nowhere/r.html"],
            1,
            "nowhere/r.html: cannot write the file: there is no folder nowhere; create it first",
        ),
        (["report", QRELS, "nothing.run", "-o", "r.html"], 1, "nothing.run: no such file"),
    ],
    ids=lambda given: given[0] if isinstance(given, list) else None,
)
def test_what_cannot_be_compared_is_refused(words, status, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    from assay.measures.curves import POINTS

    found = said(*words, "--quiet")
    assert found == (status, "", message.replace("{}", ", ".join(POINTS)) + "\n")
    assert list(tmp_path.iterdir()) == []


def test_compare_tells_how_many_topics_it_would_take():
    _, out, _ = said("compare", QRELS, *RUNS[:2], "-m", "AP", "--as", "json", "--quiet", "--show", "needed")
    (pair,) = json.loads(out)
    differences = np.diff(assay.evaluate(QRELS, RUNS[:2], "AP").values[:, 0], axis=0)[0]
    assert pair["sd"] == pytest.approx(differences.std(ddof=1))
    # by the normal distribution it takes ((1.960 + 0.842) sd / difference)^2 topics, and by Student's a few more
    normal = ((1.959964 + 0.841621) * pair["sd"] / pair["difference"]) ** 2
    assert normal < int(pair["topics needed"]) < normal + 4
    assert int(pair["more"]) == int(pair["topics needed"]) - 6


def test_correlate_names_the_run_on_which_measures_disagree():
    _, out, err = said("correlate", QRELS, *RUNS, "-m", "AP", "-m", "RR", "--as", "text")
    # by AP hybrid, dense, bm25; by RR bm25, hybrid, dense: one pair of three is in the same order
    assert out.splitlines()[:3] == ["tau-b        AP", "───────────────", "RR      -0.3333"]
    assert out.splitlines()[3:] == ["", "tau-b between rankings of 3 systems"]
    assert "note: bm25: 3rd by AP, 1st by RR" in err.splitlines()
    assert "1st by" not in said("correlate", QRELS, *RUNS, "-m", "AP", "-m", "RR", "--quiet")[2]


def test_correlate_takes_the_mean_over_tasks():
    graded = ROOT / "examples/graded"
    runs = sorted((graded / "runs").glob("*.xml"))
    words = ["correlate", graded / "assessments", *runs, "--as", "json", "--quiet", "--task"]
    one, other, both = (
        {(pair["first"], pair["second"]): pair["tau-b"] for pair in json.loads(said(*words, *tasks)[1])}
        for tasks in (["CO.Focussed"], ["CO.Thorough"], ["CO.Focussed", "--task", "CO.Thorough"])
    )
    plain = {tuple(name.replace("(overlap=off)", "") for name in pair): value for pair, value in other.items()}
    assert both == {pair: pytest.approx((value + plain[pair]) / 2) for pair, value in one.items()}


def test_several_measures_are_one_table_for_programs():
    words = ["compare", QRELS, *RUNS[:2], "-m", "AP", "-m", "P@5", "--quiet", "--as"]
    assert [one["measure"] for one in json.loads(said(*words, "json")[1])] == ["AP", "P@5"]
    header, *rows = said(*words, "tsv")[1].splitlines()
    assert header.split("\t")[:3] == ["measure", "run", "against"]
    assert [row.split("\t")[0] for row in rows] == ["AP", "P@5"]


@pytest.mark.parametrize("what", [what for what in CHARTS if what not in ("budget", "history")])
def test_chart_writes_a_picture_whatever_the_runs_are_called(what, tmp_path):
    runs = []
    for name, source in zip(("constructor.run", "a\u2028<b>.run"), RUNS, strict=False):
        (tmp_path / name).write_bytes(Path(source).read_bytes())
        runs.append(tmp_path / name)
    measures = {"curve": ["P"], "scatter": ["AP", "RR"], "heatmap": ["AP", "RR"]}.get(what, ["AP"])
    chosen = [word for measure in measures for word in ("-m", measure)]
    assert said("chart", what, QRELS, *runs, *chosen, "-o", tmp_path / "c.svg", "--quiet") == (0, "", "")
    assert (tmp_path / "c.svg").read_text("utf-8").startswith("<svg")


def drawn(tmp_path, *words):
    """The specification that a chart command writes."""
    assert said("chart", *words, "-o", tmp_path / "c.json", "--quiet") == (0, "", "")
    return json.loads((tmp_path / "c.json").read_bytes())


def test_the_first_word_of_a_chart_says_what_to_draw_also_behind_options(tmp_path):
    assert drawn(tmp_path, "means", QRELS, *RUNS)["name"].startswith("means_")
    assert drawn(tmp_path, "-m", "AP", "distribution", QRELS, *RUNS)["name"] == "distribution_AP"
    assert drawn(tmp_path, QRELS, *RUNS, "-m", "nDCG@5")["name"] == "curve_nDCG"


def test_a_file_that_is_called_as_a_chart_is_given_with_its_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "means").write_bytes(Path(QRELS).read_bytes())
    assert drawn(tmp_path, "./means", *RUNS)["name"] == "curve_iP"
    assert drawn(tmp_path, "forest", "means", *RUNS, "--baseline", "bm25")["name"] == "forest_AP"


def test_a_chart_has_the_size_the_title_and_the_letters_that_are_asked_for(tmp_path):
    look = ["--width", "300", "--height", "200", "--title", "Figure 1", "--font-size", "14"]
    spec = drawn(tmp_path, QRELS, *RUNS, *look)
    assert (spec["width"], spec["height"], spec["title"]["text"]) == (300, 200, "Figure 1")
    assert spec["config"]["axis"]["labelFontSize"] == 14
    assert "title" not in drawn(tmp_path, QRELS, *RUNS, "--no-title")


def test_report_is_written_and_says_so(tmp_path):
    status, out, err = said(
        "report", QRELS, *RUNS, "-o", tmp_path / "r.html", "--topics-file", ROOT / "examples/topics.tsv"
    )
    assert (status, out, err) == (0, "", f"wrote {tmp_path / 'r.html'}\n")
    assert b"Content-Security-Policy" in (tmp_path / "r.html").read_bytes()


def page_of(tmp_path, *options):
    """The page of a report with some options, and what was said."""
    status, _, err = said("report", QRELS, *RUNS, "-o", tmp_path / "r.html", *options)
    assert status == 0
    return (tmp_path / "r.html").read_text("utf-8"), err


def test_topics_of_a_report_are_a_policy_and_topics_file_has_their_titles(tmp_path):
    titles = ROOT / "examples/topics.tsv"
    page, err = page_of(tmp_path, "--topics", "common", "--topics-file", titles)
    assert err == f"wrote {tmp_path / 'r.html'}\n"
    assert "common: topics that the run has too" in page
    assert page_of(tmp_path, "--which-topics", "common", "--topics-file", titles) == (page, err)


def test_topics_of_a_report_may_still_be_the_file_with_their_titles(tmp_path):
    titles = ROOT / "examples/topics.tsv"
    page, err = page_of(tmp_path, "--topics-file", titles)
    again, note = page_of(tmp_path, "--topics", titles)
    assert again == page
    assert note == f"note: pass the file with the titles of topics as --topics-file\n{err}"
    assert page_of(tmp_path, "--topics", titles, "--quiet") == (page, "")


# Tasks with runs of their own, and numbers of another measure.


def table_of(values: dict[str, tuple[float, float]]) -> str:
    rows = [
        f"{system},{topic},{measure},{value}\n"
        for system, pair in values.items()
        for measure, value in zip(("x", "y"), pair, strict=True)
        for topic in ("1", "2")
    ]
    return "system,topic,measure,value\n" + "".join(rows)


def test_correlate_takes_the_mean_over_tasks_with_different_runs(folder):
    # of three pairs two agree: tau is 1/3; of one pair it disagrees: tau is -1
    written(table_of({"a": (3, 3), "b": (2, 1), "c": (1, 2)}), "co.csv")
    written(table_of({"d": (1, 2), "e": (2, 1)}), "cas.csv")
    words = ["correlate", "--task-scores", "CO=co.csv", "--task-scores", "CAS=cas.csv", "--as", "json"]
    status, out, error = said(*words)
    assert (status, json.loads(out)) == (0, [{"first": "y", "second": "x", "tau-b": pytest.approx((1 / 3 - 1) / 2)}])
    assert "note: b: 2nd by x, 3rd by y (CO)\n" in error
    assert "note: d: 2nd by x, 1st by y (CAS)\n" in error


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["q", "r", "--task-scores", "co.csv"], "--task-scores takes the place of JUDGMENTS, RUNs, --task and --scores\n"),
        (["--task-scores", "co.csv", "--task-scores", "co.csv"], "task co was given twice; name each file, for example NAME=FILE\n"),
    ],
)  # fmt: skip
def test_scores_of_tasks_stand_alone_and_have_different_names(folder, words, message):
    written(table_of({"a": (3, 3), "b": (2, 1)}), "co.csv")
    assert said("correlate", *words) == (2, "", message)


def test_stars_of_one_measure_have_the_ranks_of_another_for_numbers(folder):
    rows = [(s, t, m, v + 0.001 * int(t)) for s, x, y in (("a", 3, 1), ("b", 2, 3), ("c", 1, 2)) for m, v in (("x", x), ("y", y)) for t in "123456789"]  # fmt: skip
    written("system,topic,measure,value\n" + "".join(f"{s},{t},{m},{v}\n" for s, t, m, v in rows), "t.csv")
    words = ["compare", "--scores", "t.csv", "--show", "stars", "--as", "csv", "--quiet", "--test", "sign"]
    assert said(*words, "-m", "x,y", "--number-by", "x")[1] == (
        "x,1,2,3\n1 a,,*,*\n2 b,,,*\n3 c,,,\n\ny,2,3,1\n2 b,,*,*\n3 c,,,*\n1 a,,,\n"
    )
    table = assay.read_scores("t.csv")
    text = table.compare(measure="y", test="sign").stars(numbered_by=table.compare(measure="x", test="sign"))
    assert text.splitlines()[0].split() == ["y", "2", "3", "1"]
    assert "numbers are ranks by x; 3 of 3 pairs are significant" in text


def test_numbers_are_for_stars_alone():
    said_to = said("compare", QRELS, *RUNS, "-m", "AP", "--number-by", "AP")
    assert said_to == (2, "", "--number-by requires --show stars, not pairs\n")
