"""assay gate: what it prints and writes, and its exit status: 0 passed, 1 failed, 2 not decided."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from helpers.commands import invoke
from helpers.files import windows, written

QRELS = "".join(f"q{topic} 0 d{number} 1\n" for topic in range(6) for number in (1, 2))
GOOD = "".join(f"q{topic} Q0 d{number} {number} {9 - number} t\n" for topic in range(6) for number in (1, 2))
BAD = GOOD.replace("d2", "d7")


@pytest.fixture
def files(folder):
    written(QRELS, "qrels")
    written(GOOD, "good.run")
    written(BAD, "bad.run")
    done = invoke("evaluate", "qrels", "good.run", "-m", "R@2", "-m", "AP", "--save", "baseline.json", "--as", "tsv")
    assert (done.stdout, done.stderr) == ("run\tR@2\tAP\ngood\t1.0\t1.0\n", "")


@pytest.mark.parametrize(
    ("words", "status", "first"),
    [
        (["good.run", "--not-worse-than", "baseline.json"], 0, "good passed: 2 of 2 checks"),
        (["bad.run", "--not-worse-than", "baseline.json"], 1, "bad failed: 2 of 2 checks"),
        (
            ["bad.run", "--not-worse-than", "baseline.json", "-m", "AP", "--require", "R@2 >= .5"],
            1,
            "bad failed: 1 of 2 checks",
        ),
        (["bad.run", "--require", "R@2>=.5", "--as", "md"], 0, "### ✅ bad passed: 1 of 1 check"),
        (["bad.run", "--not-worse-than", "baseline.json", "--margin", "0.6"], 0, "bad passed: 2 of 2 checks"),
        (
            ["bad.run", "--not-worse-than", "baseline.json", "--margin", "0.6", "--means-only"],
            0,
            "bad passed: 2 of 2 checks",
        ),
    ],
)
def test_the_exit_status_tells_whether_a_run_passes(files, words, status, first):
    done = invoke("gate", "qrels", *words)
    assert (done.exit_code, done.stdout.splitlines()[0], done.stderr) == (status, first, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["qrels", "good.run"], "nothing to check; pass --require with a condition, for example 'R@5 >= 0.7', or pass --not-worse-than with saved scores"),
        (
            ["qrels", "good.run", "--baseline", "baseline.json"],
            "--baseline names a run in saved scores; to compare with baseline.json, pass the file as --not-worse-than",
        ),
        (["qrels", "no.run", "--require", "AP > 0"], "no.run: no such file"),
        (["qrels", "good.run", "--not-worse-than", "no.json"], "no.json: no such file"),
        (
            ["qrels", "good.run", "--not-worse-than", "qrels"],
            "qrels:1: this line is a judgment (topic 0 document grade); expected scores: a file of `assay evaluate --save`, a table with the columns system, topic, measure "
            "and value (or system, topic and a column for each measure), or lines with `measure topic value` (trec_eval -q), `topic measure value` or `run topic measure value`",
        ),
        (
            ["qrels", "good.run", "--require", "APP >= 1"],
            "unknown measure 'APP'; did you mean AP? `assay measures` lists all\n"
            "did you mean: assay gate qrels good.run --require 'AP >= 1'",
        ),
        (
            ["qrels", "good.run", "--not-worse-than", "baseline.json", "--ties", "input"],
            "baseline.json: this baseline was measured with ties=docno, the run with input; pass --ties docno, "
            "or save a new baseline",
        ),
        (
            ["qrels", "good.run", "--require", "AP > 0", "--junit", "no/gate.xml"],
            "no/gate.xml: cannot write the file: there is no folder no; create it first",
        ),
        (
            ["qrels", "good.run", "--require", "AP > 0", "--junit", "qrels"],
            "qrels: the output is the same file as the input qrels; choose another file",
        ),
        (
            ["qrels", "half.run", "--require", "AP > 0"],
            "half.run: no results for 3 of 6 topics: q3, q4, q5; pass --allow-missing to score them 0",
        ),
    ],
)
def test_what_cannot_be_decided_has_a_status_of_its_own(files, words, message):
    written(GOOD[: len(GOOD) // 2], "half.run")
    done = invoke("gate", *words)
    assert (done.exit_code, done.stderr, done.stdout) == (2, message + "\n", "")


def test_as_markdown_what_cannot_be_decided_is_told_on_both_streams(files):
    done = invoke("gate", "qrels", "no|.run", "--require", "AP > 0", "--as", "md")
    head = "### ⚠️ assay gate decided nothing: the run neither passed nor failed"
    assert (done.exit_code, done.stdout, done.stderr) == (
        2,
        f"{head}\n\nno\\|.run: no such file\n",
        "no|.run: no such file\n",
    )
    asked = invoke("gate", "qrels", "good.run", "--as", "md")
    assert asked.stdout == f"{head}\n\nnothing to check; pass --require with a condition, for example 'R@5 >= 0.7', or pass --not-worse-than with saved scores\n"


def test_questions_of_other_topics_are_refused(files):
    written("topic\ttitle\n7\twhat else\n8\tand more\n9\tno\n", "topics.tsv")
    done = invoke("gate", "qrels", "good.run", "--require", "AP > 0", "--topics-file", "topics.tsv")
    assert (done.exit_code, done.stdout, done.stderr) == (
        2,
        "",
        "topics.tsv and qrels share no topic: 7, 8, … vs q0, q1, …\n",
    )


def test_a_bad_option_has_the_same_status(files):
    assert invoke("gate", "qrels", "good.run", "--level", "2", "--require", "AP>0").exit_code == 2


def test_junit_has_a_case_for_each_check(files):
    invoke(
        "gate", "qrels", "bad.run", "--not-worse-than", "baseline.json", "--require", "AP >= 0.1", "--junit", "gate.xml"
    )
    suite = ElementTree.parse("gate.xml").getroot()[0]
    assert (suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("errors")) == (
        "assay gate",
        "3",
        "2",
        "0",
    )
    cases = {case.get("name"): case for case in suite}
    assert list(cases) == ["AP >= 0.1", "R@2: no significant loss", "AP: no significant loss"]
    assert len(cases["AP >= 0.1"]) == 0
    failure = cases["R@2: no significant loss"][0]
    assert (failure.tag, failure.get("message")) == ("failure", "R@2 is 0.5000 (baseline: 1.0000)")
    assert "q0      1.0000   0.5000" in failure.text


def test_junit_has_an_error_where_nothing_was_decided(files):
    done = invoke(
        "gate", "qrels", "bad.run", "--not-worse-than", "baseline.json", "--overlap", "new", "--junit", "gate.xml"
    )
    suite = ElementTree.parse("gate.xml").getroot()[0]
    assert (suite.get("failures"), suite.get("errors")) == ("0", "1")
    assert suite[0][0].get("message") == done.stderr.rstrip()
    assert done.exit_code == 2


def test_json_has_everything(files):
    done = invoke("gate", "qrels", "bad.run", "--not-worse-than", "baseline.json", "-m", "R@2", "--as", "json")
    told = json.loads(done.stdout)
    assert (told["passed"], told["run"], told["level"]) == (False, "bad", 0.05)
    assert told["checks"][0]["worst"][0] == {"topic": "q0", "question": "", "before": 1.0, "after": 0.5}
    assert told["checks"][0]["best"]["winner"] == "the baseline"


def test_files_of_windows_and_questions_in_other_scripts(files):
    written(windows(QRELS), "w.qrels")
    written("".join(f"q{topic}\tWie lange hält Brot — 面包 {topic}?\r\n" for topic in range(6)), "topics.tsv")
    done = invoke(
        "gate", "w.qrels", "bad.run", "--not-worse-than", "baseline.json", "-m", "R@2", "--topics-file", "topics.tsv"
    )
    assert done.exit_code == 1
    assert "q0      Wie lange hält Brot — 面包 0?   1.0000   0.5000" in done.stdout.splitlines()


def test_a_baseline_is_not_written_over_an_input(files):
    done = invoke("evaluate", "qrels", "good.run", "--save", "good.run")
    assert (done.exit_code, done.stderr) == (1, "good.run: the output is the same file as the input good.run; choose another file\n")
    assert Path("good.run").read_text("utf-8") == GOOD


def test_compare_shows_the_chance_of_being_best(files):
    done = invoke("compare", "qrels", "good.run", "bad.run", "-m", "R@2", "--show", "best")
    lines = done.stdout.splitlines()
    assert lines[0] == "measure\trun\tR@2\ttopics\tchance of best\tbehind\tsd\ttopics needed"
    assert lines[1].startswith("R@2\tgood\t1.0\t6\t1.0\t")
    assert done.stderr.startswith("note: R@2: good is the best with probability 1.00; 10,000 draws of 6 topics")
