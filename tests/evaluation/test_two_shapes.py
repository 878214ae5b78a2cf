"""What is asked of scores can be asked of judgments and runs, with the same answer."""

import assay
from helpers.places import ROOT

QRELS = ROOT / "examples" / "judgments.qrels"
RUNS = [ROOT / "examples" / f"{name}.run" for name in ("bm25", "hybrid", "dense")]


def test_a_table_beside_a_baseline_is_made_of_scores_or_of_runs():
    scores = assay.evaluate(QRELS, RUNS, ["AP", "RR"])
    of_runs = assay.baseline_table(QRELS, RUNS, ["AP", "RR"], baseline="bm25", sort=True)
    assert of_runs.show("tsv") == assay.baseline_table(scores, baseline="bm25", sort=True).show("tsv")
    assert of_runs.show("tsv").splitlines()[1].startswith("hybrid\t")


def test_the_chance_to_be_the_best_is_told_of_scores_or_of_runs():
    scores = assay.evaluate(QRELS, RUNS, ["AP"])
    of_runs = assay.chance_of_best(QRELS, RUNS, "AP", seed=3, topics="judged")
    assert of_runs.contenders == assay.chance_of_best(scores, "AP", seed=3).contenders
