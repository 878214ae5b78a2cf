"""Names that other programs and papers print, and the measures that they are here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import assay
from assay.cli.common import separate
from assay.measures.notation import explain, measures_of
from helpers.commands import invoke

PAGE = (Path(__file__).parents[2] / "docs" / "measures.md").read_text("utf-8")
ROWS = re.findall(r"^\| (`.*`) \| (`.*`) \| (.*) \|$", PAGE.partition("## Names of others")[2].partition("\n## ")[0], re.M)


def quoted(cell: str) -> list[str]:
    return re.findall("`(.+?)`", cell)


@pytest.mark.parametrize(("written", "measured", "source"), ROWS)
def test_each_name_of_the_table_in_the_docs_is_the_measure_beside_it(written, measured, source):
    names, ours = quoted(written), quoted(measured)
    assert [str(measure) for name in names for measure in measures_of(separate((name,)))] == ours


def test_the_table_of_the_docs_has_the_names_that_the_papers_print():
    written = {name for row in ROWS for name in quoted(row[0])}
    assert written >= {"MAep", "iMAep", "MAiP", "iAP", "MAgP", "ep/gr", "nxCG[10]", "iP[0.01]", "gP[5]"}


@pytest.mark.parametrize(
    ("typed", "ours"),
    [
        ("nxCG(quant=strict)[10]", "nxCG(quant=strict)@10"),
        ("gP(score=F(beta=0.25))[5]", "gP(score=F(beta=0.25))@5"),
        ("alpha-nDCG(alpha=0.3)@10", "alpha_nDCG(alpha=0.3)@10"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("gr", "gr"),
        ("gR", "gR"),
    ],
)
def test_parameters_and_other_forms_stay_as_they_are(typed, ours):
    assert str(assay.parse(typed)) == ours


@pytest.mark.parametrize(
    ("typed", "ours"),
    [
        ("ep/gr(quant=strict)", ["Aep(quant=strict)", "iAep(quant=strict)"]),
        ("nxCG[10,25],AP,P(rel=2)@5,10", ["nxCG@10", "nxCG@25", "AP", "P(rel=2)@5", "P(rel=2)@10"]),
    ],
)
def test_one_name_may_be_several_measures(typed, ours):
    assert [str(measure) for measure in measures_of(separate((typed,)))] == ours


def test_where_one_measure_is_expected_a_name_of_several_is_refused():
    scores = assay.evaluate({"1": {"a": 1}}, {"1": {"a": 1}}, "P@5,10")
    with pytest.raises(assay.UsageError) as refused:
        scores["P@5,10"]
    assert str(refused.value) == "expected one measure, found 2: P@5, P@10"


def test_a_hit_on_text_is_any_character_of_the_evidence():
    gold = [{"topic": "q", "document": "d", "start": 10, "end": 20}]
    run = {"q": [("d", 0, 5), ("d", 19, 30)]}
    scores = assay.evaluate(gold, run, ["hit@1", "hit@2", "Success(unit=document)@1"])
    assert [scores[name] for name in ("Success@1", "Success@2", "Success(unit=document)@1")] == [0, 1, 1]


def test_an_explanation_finds_the_measure_by_the_name_of_others():
    assert explain("nxCG[10]").startswith("nxCG\n")
    assert explain("alpha-nDCG@10").startswith("alpha_nDCG\n")


@pytest.mark.parametrize("task", ["RelevantInContext", "relevant_in_context", "RELEVANT-IN-CONTEXT"])
def test_a_task_is_named_with_or_without_hyphens(task, tmp_path):
    (tmp_path / "gold.csv").write_text("topic,document,start,end\nq,d,10,20\n")
    (tmp_path / "run.csv").write_text("topic,document,start,end,rank\nq,d,10,20,1\n")
    result = invoke("evaluate", tmp_path / "gold.csv", tmp_path / "run.csv", "--task", task, "--as", "tsv", "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[0].endswith("AgP(score=F(beta=0.25))")
