"""A page about runs that a model judged and people checked: the summary has corrected values with their intervals."""

import json
import re

import pytest

import assay
from helpers.places import ROOT

FOLDER = ROOT / "examples" / "checked"
RUNS = [FOLDER / "bm25.run", FOLDER / "dense.run"]


def data_of(path):
    """The data of a page."""
    page = path.read_text("utf-8")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1]), page


def test_the_summary_has_corrected_values_with_their_intervals_and_says_so(tmp_path):
    checked = {"checked": FOLDER / "people.qrels"}
    scores = assay.evaluate(FOLDER / "model.qrels", RUNS, ["P@5", "RR"], **checked)
    assay.report(FOLDER / "model.qrels", RUNS, tmp_path / "page.html", ["P@5", "RR"], **checked)
    data, page = data_of(tmp_path / "page.html")
    assert data["checked"] == {"about": "10 of 30 topics checked by people", "noun": "topic"}
    for s, run in enumerate(("bm25", "dense")):
        for m, measure in enumerate(("P@5", "RR")):
            found = scores.correction(run, measure)
            assert data["means"][s][m] == pytest.approx(found.value)
            known = data["corrections"][s][m]
            assert (known["low"], known["high"]) == pytest.approx(found.corrected.interval())
            assert (known["people_low"], known["people_high"]) == pytest.approx(found.people.interval())
            told = (found.model, found.people.value, found.weight, found.worth)
            assert tuple(known[name] for name in ("model", "people", "lambda", "worth")) == pytest.approx(told)
            assert known["judge"] == found.judge()
    assert data["significance"]["beats"][0][0] == [1]
    assert data["significance"]["about"][0].startswith("T-test of corrected differences, each with its own weight λ, two-tailed; 10")
    assert [row[:3] for row in data["files"]][:2] == [
        ["judgments", "", "model.qrels"],
        ["people's judgments", "", "people.qrels"],
    ]
    assert (
        "values over topics are corrected by people's judgments; the value of a topic is people's if they judged it, and "
        "the model's otherwise; curves, grades and texts are the model's"
    ) in data["notes"]
    assert "no clear bias: -0.02" in page[page.index("<noscript>") : page.index("</noscript>")]


def test_scores_report_themselves_corrected(tmp_path):
    assay.evaluate(FOLDER / "model.qrels", RUNS, ["P@5"], checked=FOLDER / "people.qrels").report(tmp_path / "page.html")
    assert data_of(tmp_path / "page.html")[0]["checked"]["about"] == "10 of 30 topics checked by people"


def test_a_page_without_checks_has_no_intervals(tmp_path):
    assay.report(FOLDER / "model.qrels", RUNS, tmp_path / "page.html", ["P@5"])
    data, _ = data_of(tmp_path / "page.html")
    assert (data["checked"], data["corrections"]) == (None, None)
