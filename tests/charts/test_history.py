"""A measure over saved scores: values and intervals, and where these cannot be compared."""

import json
from pathlib import Path

import pytest

import assay
from assay.errors import UsageError
from helpers.commands import invoke
from helpers.files import written

JUDGMENTS = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 1}, "3": {"c": 1}}
OTHERS = {"1": {"a": 0, "b": 1}, "2": {"a": 1, "b": 1}, "3": {"c": 1}}
WORSE = {topic: {"b": 3, "a": 2, "c": 1} for topic in "123"}
BETTER = {topic: {"a": 3, "c": 2, "b": 1} for topic in "123"}


def rows(chart):
    return chart.to_dict(validate=False)["data"]["values"]


def told(chart, *names):
    return [tuple(row[name] for name in names) for row in rows(chart)]


@pytest.mark.usefixtures("folder")
def test_values_and_intervals_are_those_of_the_means_chart():
    saved = [assay.evaluate(JUDGMENTS, {"retriever": run}, ["AP", "RR"]) for run in (WORSE, BETTER)]
    for number, scores in enumerate(saved):
        scores.save(f"v{number}.json")
    drawn = assay.chart(["v0.json", "v1.json"], "history", "AP")
    columns = ("value", "low", "high")
    assert told(drawn, *columns) == [told(scores.chart("means", "AP"), *columns)[0] for scores in saved]
    assert told(drawn, "version", "run", "changed") == [("v0", "run", ""), ("v1", "run", "")]
    # the first measure without one; scores that are not saved; names of versions
    assert rows(assay.chart(["v0.json", "v1.json"], "history")) == rows(drawn)
    assert told(assay.chart(saved, "history", "AP"), "version", "value") == [
        ("1", saved[0]["retriever", "AP"]), ("2", saved[1]["retriever", "AP"]),
    ]  # fmt: skip
    assert [version for (version,) in told(assay.chart({"old": saved[0], "new": saved[1]}, what="history"), "version")] == [
        "old", "new",
    ]  # fmt: skip


def test_a_change_of_what_scores_are_made_of_is_marked_and_ends_the_line():
    run = {"retriever": WORSE}
    documents = {"a": "one", "b": "two", "c": "three"}
    versions = {
        "1": assay.evaluate(JUDGMENTS, run, "AP"),
        "2": assay.evaluate(JUDGMENTS, run, "AP"),
        "3": assay.evaluate(OTHERS, run, "AP"),
        "4": assay.evaluate(OTHERS, run, "AP", documents=documents),
        "5": assay.evaluate(OTHERS, run, "AP", documents={**documents, "d": "four"}, ties="input"),
    }
    drawn = assay.chart(versions, "history")
    assert told(drawn, "version", "changed", "part") == [
        ("1", "", 0), ("2", "", 0), ("3", "judgments", 1), ("4", "documents", 2), ("5", "documents, rules", 3),
    ]  # fmt: skip
    assert drawn.to_dict(validate=False)["title"]["subtitle"] == [
        "5 versions; bars: 95% confidence intervals, from 10,000 bootstrap samples, seed 0",
        "dashed: this changed, so values before and after cannot be compared",
    ]


def test_several_runs_are_lines_by_name_and_a_change_is_marked_once():
    runs = {"a": WORSE, "b": BETTER}
    drawn = assay.chart([assay.evaluate(gold, runs, "AP") for gold in (JUDGMENTS, OTHERS)], "history")
    assert told(drawn, "version", "run", "changed") == [
        ("1", "a", ""), ("1", "b", ""), ("2", "a", "judgments"), ("2", "b", ""),
    ]  # fmt: skip


@pytest.mark.usefixtures("folder")
def test_the_command_draws_files_in_the_order_given():
    qrels = written("1 0 a 1\n2 0 b 1\n", "q.qrels")
    for name, first in (("v2", "b"), ("v1", "a")):
        written("".join(f"{topic} Q0 {document} 1 {2 - (document != first)} x\n" for topic in "12" for document in "ab"), "r.run")
        assert invoke("evaluate", qrels, "r.run", "-m", "AP", "-m", "RR", "--save", f"{name}.json").exit_code == 0
    done = invoke("chart", "history", "v2.json", "new=v1.json", "-m", "RR", "-o", "h.json")
    assert (done.exit_code, done.output) == (0, "")
    data = json.loads(Path("h.json").read_text())["data"]["values"]
    assert [row["version"] for row in data] == ["v2", "new"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "status", "what"),
    [
        (["v1.json"], 2, "a history needs at least two saved scores; found 1\n"),
        (["v1.json", "v1.json"], 2, "v1.json is given twice; a history shows each version once\n"),
        (["v1.json", "v2.json", "-m", "RR"], 1, "v1: no RR in these scores; choose from AP\n"),
        (["v1.json", "v2.json", "-m", "AP", "-m", "RR"], 2, "a history chart takes 1 measure, found 2\n"),
        (["v1.json", "q.qrels"], 1, "q.qrels: the file is not JSON; expected scores that scores.save() wrote\n"),
    ],
)
def test_what_cannot_be_a_history_is_refused(arguments, status, what):
    written("1 0 a 1\n2 0 b 1\n", "q.qrels")
    for name in ("v1", "v2"):
        assay.evaluate(JUDGMENTS, WORSE, "AP").save(f"{name}.json")
    done = invoke("chart", "history", *arguments, "-o", "h.svg")
    assert (done.exit_code, done.stderr) == (status, what)


def test_options_of_an_evaluation_do_not_apply(tmp_path):
    saved = tmp_path / "v1.json"
    scores = assay.evaluate(JUDGMENTS, WORSE, "AP")
    scores.save(saved)
    done = invoke("chart", "history", str(saved), str(saved), "--ties", "input", "-o", str(tmp_path / "h.svg"))
    assert done.exit_code == 2
    assert "Error: a history chart shows saved scores; --ties does not apply\n" in done.stderr
    expected = "a history chart shows several saved scores; expected a list of them, or of their files"
    for wrong in (lambda: scores.chart("history"), lambda: assay.chart(JUDGMENTS, WORSE, "history")):
        with pytest.raises(UsageError, match=f"^{expected}$"):
            wrong()
    with pytest.raises(UsageError, match=r"^the scores of a history are already evaluated; ties= does not apply$"):
        assay.chart([scores, scores], "history", ties="input")
