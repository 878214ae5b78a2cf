"""Reading cost: budgets that are never reached, and what is told of them."""

import json
import math

import numpy as np
import pytest

import assay
from assay.measures.budgets import harmonic
from helpers.commands import invoke
from helpers.focused_tables import judgments_of, run_of

JUDGED = {topic: {"a": {"length": 100, "spans": [(10, 20)], "bep": 10}} for topic in "123"}
RUN = {"1": [("a", 0, 20)], "2": [("a", 5, 15), ("a", 0, 18)], "3": [("a", 10, 15), ("a", 30, 40)]}
# the half is seen with characters 14, 14 and 14 of a: the 15th, the 10th and the 5th to be read; eight tenths with character 17
HALF, MOST = [15, 10, 5], [18, 28, math.inf]


def test_a_budget_is_what_must_be_read():
    scores = assay.evaluate(judgments_of(JUDGED), run_of(RUN), ["Budget(recall=0.5)", "Budget@0.8"])
    assert scores.values[0].tolist() == [HALF, MOST]
    assert (scores["Budget@0.5"], scores["Budget@0.8"]) == (10, 28)
    merged = assay.evaluate(judgments_of(JUDGED), run_of(RUN), "Budget@0.8", overlap="new")
    assert merged.values[0].tolist() == [[18, 18, math.inf]]


def test_a_topic_that_never_reaches_a_recall_is_named_and_belongs_to_the_median():
    few = {topic: RUN[topic] for topic in "1"}
    scores = assay.evaluate(judgments_of(JUDGED), {"all": run_of(RUN), "few": run_of(few)}, "Budget@0.8")
    assert scores["few", "Budget@0.8"] == math.inf
    assert scores.notes[-2:] == [
        "all: Budget@0.8 is infinite in 1 of 3 topics because the run never reaches it: 3",
        "few: Budget@0.8 is infinite in 2 of 3 topics because the run never reaches it: 2, 3",
    ]
    left_out = assay.evaluate(judgments_of(JUDGED), run_of(few), "Budget@0.8", topics="common")
    assert left_out["Budget@0.8"] == 18 and not any("never" in note for note in left_out.notes)


def test_an_infinite_value_is_a_word_in_json_and_inf_elsewhere():
    scores = assay.evaluate(judgments_of(JUDGED), {"run": run_of({"3": RUN["3"]})}, "Budget@0.8")
    assert [record["value"] for record in json.loads(scores.show("json", per_topic=True))] == ["infinite"] * 4
    assert scores.show("tsv").splitlines()[1] == "run\tinf"


def test_budgets_are_not_compared_by_their_means():
    scores = assay.evaluate(judgments_of(JUDGED), {"a": run_of(RUN), "b": run_of(RUN)}, "Budget@0.5")
    expected = r"^significance tests compare arithmetic means over topics; Budget@0\.5 is not one, so choose another measure$"
    with pytest.raises(assay.UsageError, match=expected):
        scores.compare("a", "b")


def test_a_report_has_no_number_where_there_is_none(folder):
    rows = [{"topic": topic, "document": "a", "start": 10, "end": 20} for topic in "123"]
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = [
        {"topic": t, "document": d, "start": s, "end": e, "score": -n}
        for t in RUN
        for n, (d, s, e) in enumerate(RUN[t])
    ]
    (folder / "run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in run))
    done = invoke("report", "gold.jsonl", "run.jsonl", "-m", "Budget@0.8", "-o", "report.html")
    assert done.exit_code == 0, done.stderr
    assert '"values":[[[18,28,"inf"]]]' in (folder / "report.html").read_text()


def test_a_measure_of_text_does_not_count_documents():
    with pytest.raises(
        assay.UsageError, match=r"^Budget\(unit=document\)@0\.8: unknown unit; choose from token, or leave it out"
    ):
        assay.evaluate(judgments_of(JUDGED), run_of(RUN), "Budget(unit=document)")


def test_harmonic_numbers():
    exact = np.cumsum(1 / np.arange(1, 5001, dtype=np.longdouble))
    assert harmonic(np.array([0, 1, 2])).tolist() == [0, 1, 1.5]
    assert harmonic(np.arange(1, 5001)) == pytest.approx(exact.astype(float), rel=1e-15, abs=0)
