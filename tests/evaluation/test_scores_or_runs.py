"""What is asked of scores, or at once of judgments and runs."""

from __future__ import annotations

import inspect
import pydoc

import pytest

import assay
from assay.vocabulary import FAMILIES
from helpers.places import EXAMPLES

QRELS = EXAMPLES / "judgments.qrels"
RUNS = [EXAMPLES / f"{name}.run" for name in ("bm25", "dense", "hybrid")]


@pytest.fixture(scope="module")
def scores():
    return assay.evaluate(QRELS, RUNS, ["AP", "nDCG@10", "P@10"])


def test_scores_compare_all_pairs(scores):
    compared = scores.compare()
    assert str(compared.measure) == "AP"
    assert {frozenset((pair.first, pair.second)) for pair in compared.pairs} == {
        frozenset(pair) for pair in (("bm25", "dense"), ("bm25", "hybrid"), ("dense", "hybrid"))
    }


def test_scores_compare_two_systems_or_each_with_a_baseline(scores):
    (pair,) = scores.compare("dense", "bm25", "nDCG@10").pairs
    assert (pair.first, pair.second) == ("dense", "bm25")
    assert {(pair.first, pair.second) for pair in scores.compare(baseline="bm25").pairs} == {
        ("dense", "bm25"), ("hybrid", "bm25"),
    }  # fmt: skip
    with pytest.raises(assay.UsageError) as refused:
        scores.compare("dense")
    what = "cannot compare one run; name two runs, or pass baseline= to compare all runs with it"
    assert str(refused.value) == what


def test_a_measure_in_the_place_of_a_run_is_told_where_it_belongs(scores):
    with pytest.raises(assay.UsageError) as refused:
        scores.compare("nDCG@10")
    assert str(refused.value) == "'nDCG@10' is not a run; name two runs, or pass measure="


@pytest.mark.parametrize(
    ("of_scores", "at_once"),
    [
        (lambda s: assay.compare(s, "nDCG@10"), lambda: assay.compare(QRELS, RUNS, "nDCG@10")),
        (lambda s: s.compare(measure="nDCG@10", test="t"), lambda: assay.compare(QRELS, RUNS, "nDCG@10", test="t")),
        (lambda s: s.table(["AP", "P@10"]), lambda: assay.significance_table(QRELS, RUNS, ["AP", "P@10"])),
        (lambda s: assay.significance_table(s), lambda: assay.significance_table(QRELS, RUNS, ["AP", "nDCG@10", "P@10"])),
        (lambda s: s.correlate(), lambda: assay.correlate(QRELS, RUNS, ["AP", "nDCG@10", "P@10"])),
        (lambda s: assay.correlate(s, ["AP", "P@10"]), lambda: assay.correlate(QRELS, RUNS, ["AP", "P@10"])),
    ],
)
def test_of_scores_is_answered_as_of_judgments_and_runs(scores, of_scores, at_once):
    assert repr(of_scores(scores)) == repr(at_once())


def test_rules_of_an_evaluation_do_not_go_with_scores(scores):
    with pytest.raises(assay.UsageError) as refused:
        assay.compare(scores, "AP", depth=3)
    assert str(refused.value) == "these scores are already evaluated; depth= requires judgments and runs"


@pytest.mark.parametrize("kind", ["distribution", "scatter", "heatmap", "curve", None])
def test_charts_come_bare(scores, kind):
    measures = {"curve": ["IPrec"], "scatter": ["AP", "P@10"], "heatmap": ["AP", "P@10"], None: ()}.get(kind, ["AP"])
    from_scores, at_once = scores.chart(kind, measures), assay.chart(QRELS, RUNS, kind, measures)
    assert from_scores.to_dict(validate=False) == at_once.to_dict(validate=False)
    assert assay.chart(scores, kind, measures).to_dict(validate=False) == at_once.to_dict(validate=False)


def test_a_chart_of_scores_takes_their_first_measure(scores):
    assert scores.chart("distribution").to_dict(validate=False) == scores.chart("distribution", "AP").to_dict(validate=False)


def test_scores_write_the_report_of_their_runs(scores, monkeypatch):
    asked = []

    def written(judgments, runs, output, measures, **options):
        asked.append((judgments, runs, output, [str(measure) for measure in measures], options))
        return output

    # to write a page takes seconds, and is tested where it is written
    monkeypatch.setattr("assay.reporting.report.report", written)
    assert scores.report("a.html", title="Bread") == "a.html"
    assert assay.report(scores, "b.html") == "b.html"
    assert assay.report(QRELS, RUNS, "c.html", ["AP"], depth=5) == "c.html"
    (first, second, third), rules = asked, scores.given.rules
    assert first == (QRELS, RUNS, "a.html", ["AP", "nDCG@10", "P@10"], {**rules, "title": "Bread"})
    assert second == (QRELS, RUNS, "b.html", ["AP", "nDCG@10", "P@10"], dict(rules))
    assert third == (QRELS, RUNS, "c.html", ["AP"], {"depth": 5})


def test_scores_that_do_not_know_their_runs_say_so(scores):
    alone = assay.Scores(scores.systems, scores.measures, scores.topics, scores.values)
    with pytest.raises(assay.UsageError) as refused:
        alone.report("report.html")
    what = "these scores lack their judgments and runs; use assay.report(judgments, runs, output)"
    assert str(refused.value) == what


def test_help_is_a_page_that_names_every_function():
    page = pydoc.plain(pydoc.render_doc(assay))
    assert len(page.splitlines()) < 90
    functions = [name for name in dir(assay) if inspect.isfunction(getattr(assay, name))]
    # it is for those who write a measure
    assert [name for name in functions if name not in page] == ["ratio"]


def test_all_measures_can_be_imported_at_once():
    names: dict[str, object] = {}
    exec("from assay.measures import *", names)
    assert names["nDCG"] is assay.nDCG
    assert names["AP"] is assay.AP


def test_what_is_checked_or_explained_shows_itself():
    assert repr(assay.explain("AP")).startswith("AP\n\nAverage precision: ")
    assert repr(assay.check(RUNS[0])) == str(assay.check(RUNS[0]))


def test_a_star_imports_the_measures_and_the_functions():
    names: dict[str, object] = {}
    exec("from assay import *", names)
    assert all(names[name] is getattr(assay, name) for name in ("AP", "nDCG", "gP", "evaluate", "read_scores", "compare"))
    assert names["__version__"] == assay.__version__
    assert {name for family in FAMILIES.values() for name in family} <= names.keys()
