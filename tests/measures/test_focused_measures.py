"""Every focused measure against one that counts characters one by one, on random judgments and runs under every policy.
"""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import evaluate
from assay.errors import InputError
from helpers import naive_focused as naive
from helpers.focused_tables import judgments_of, run_of


def scored(score):
    return {
        "AgP(score={})": lambda judged, run, topic, policy: naive.agp(judged, run, topic, score, policy=policy),
        "gP(score={})@2": lambda judged, run, topic, policy: naive.gp_at(judged, run, topic, 2, score, policy=policy),
        "gP(score={})@5": lambda judged, run, topic, policy: naive.gp_at(judged, run, topic, 5, score, policy=policy),
    }


def cut(name, *where, **options):
    return lambda judged, run, topic, policy: getattr(naive, name)(judged, run, topic, *where, policy=policy, **options)


def unruled(name, *where):
    return lambda judged, run, topic, policy: getattr(naive, name)(judged, run, topic, *where)


MEASURES = {
    "P": cut("precision_at"),
    "P@2": cut("precision_at", 2),
    "P(chars=7)": cut("precision_at", chars=7),
    "P(chars=7)@2": cut("precision_at", 2, chars=7),
    "R": cut("recall_at"),
    "R@3": cut("recall_at", 3),
    "R(chars=11)": cut("recall_at", chars=11),
    "F": cut("f_at"),
    "F(beta=2)@3": cut("f_at", 3, beta=2),
    "F(chars=5)": cut("f_at", chars=5),
    "AP": cut("average_precision"),
    "AP@3": cut("average_precision", 3),
    "AP(chars=9)": cut("average_precision", chars=9),
    "iP@0": cut("interpolated_precision", Fraction(0)),
    "iP@0.01": cut("interpolated_precision", Fraction(1, 100)),
    "iP@0.29": cut("interpolated_precision", Fraction(29, 100)),
    "iP@0.5": cut("interpolated_precision", Fraction(1, 2)),
    "iP@1": cut("interpolated_precision", Fraction(1)),
    "AiP": cut("average_interpolated_precision"),
    "IoU": cut("iou_at"),
    "IoU@2": cut("iou_at", 2),
    "IoU(chars=8)": cut("iou_at", chars=8),
    "NumRet": cut("size_at"),
    "NumRet@2": cut("size_at", 2),
    "NumRet(chars=8)@3": cut("size_at", 3, chars=8),
    "Redundancy": cut("redundancy_at"),
    "Redundancy@2": cut("redundancy_at", 2),
    "Redundancy(chars=9)": cut("redundancy_at", chars=9),
    "Redundancy(chars=9)@3": cut("redundancy_at", 3, chars=9),
    "Budget@0": cut("budget_for", Fraction(0)),
    "Budget@0.29": cut("budget_for", Fraction(29, 100)),
    "Budget(recall=0.8)": cut("budget_for", Fraction(4, 5)),
    "Budget@1": cut("budget_for", Fraction(1)),
    "RecallArea(chars=1)": cut("recall_area", 1, lambda budget: 1),
    "RecallArea(chars=12)": cut("recall_area", 12, lambda budget: 1),
    "RecallArea(chars=70)": cut("recall_area", 70, lambda budget: 1),
    "RecallArea(chars=12, scale=log)": cut("recall_area", 12, lambda budget: Fraction(1, budget)),
    "RecallArea(chars=70, scale=log)": cut("recall_area", 70, lambda budget: Fraction(1, budget)),
    **{name.format("F"): value for name, value in scored(naive.f_score()).items()},
    **{name.format("F(beta=0.25)"): value for name, value in scored(naive.f_score(Fraction(1, 4))).items()},
    **{name.format("BEP"): value for name, value in scored(naive.bep_score(Fraction(1, 10))).items()},
    **{name.format("BEP(A=10)"): value for name, value in scored(naive.bep_score(10)).items()},
    **{name.format("Window(n=8)"): value for name, value in scored(naive.window_score(8)).items()},
    **{name.format("T2I(irr=3)"): value for name, value in scored(naive.t2i_score(3)).items()},
    **{name.format("T2I(irr=25)"): value for name, value in scored(naive.t2i_score(25)).items()},
    "gR@2": unruled("document_recall_at", 2),
    "P(unit=document)@2": unruled("document_precision_at", 2),
    "R(unit=document)@2": unruled("document_recall_at", 2),
    "AP(unit=document)": unruled("document_average_precision"),
    "RR(unit=document)": unruled("document_reciprocal_rank"),
}
ELSEWHERE = {
    f"{name}{at}": unruled(naive_name, *cut_at)
    for name, naive_name in {
        "ChromaRecall": "chroma_recall", "ChromaPrecision": "chroma_precision", "ChromaIoU": "chroma_iou",
        "LegalBenchPrecision": "legalbench_precision", "LegalBenchRecall": "legalbench_recall",
    }.items()
    for at, cut_at in (("", ()), ("@2", (2,)))
}
ELSEWHERE |= {"ChromaOmega": unruled("chroma_omega")}
ELSEWHERE |= {
    f"BioASQ{name}{at}": lambda judged, run, topic, policy, number=number, r=r: naive.bioasq(judged, run, topic, r)[number]
    for number, name in enumerate(("Precision", "Recall", "F1"))
    for at, r in (("", None), ("@2", 2))
}
ELSEWHERE |= {
    f"BioASQAP(edition={edition}, relevant={relevant}){at}": unruled("bioasq_ap", r, edition, relevant == "overlap")
    for edition in (2, 5, 8)
    for relevant in ("document", "overlap")
    for at, r in (("", None), ("@3", 3))
}
GENOMICS = {"PASSAGE": unruled("passage"), "PASSAGE2": unruled("passage2")}


def agree(judged, run, policy, measures):
    scores = evaluate(judgments_of(judged), run_of(run), list(measures), overlap=policy, ties="input")
    for name, value in measures.items():
        for topic in judged:
            exact = float(value(judged, run, topic, policy))
            assert scores["run", name, topic] == pytest.approx(exact, rel=1e-13, abs=1e-14), (name, topic)


@given(naive.cases(), st.sampled_from(["paid", "new", "drop"]))
def test_every_measure_agrees_where_results_overlap(case, policy):
    agree(*case, policy, MEASURES)


@given(naive.cases(overlapping=False), st.sampled_from(["paid", "reject", "new", "drop"]))
def test_every_measure_agrees_where_results_do_not_overlap(case, policy):
    agree(*case, policy, MEASURES)


@given(naive.cases(), st.sampled_from(["paid", "new"]))
def test_the_measures_of_genomics_agree(case, policy):
    agree(*case, policy, GENOMICS)


@given(naive.cases(), st.sampled_from(["paid", "new"]))
def test_others_formulas_agree(case, policy):
    agree(*case, policy, ELSEWHERE)


@given(naive.cases())
def test_text_is_paid_for_where_nothing_else_is_said(case):
    judged, run = case
    scores = [
        evaluate(judgments_of(judged), run_of(run), list(MEASURES), overlap=policy).values for policy in (None, "paid")
    ]
    assert scores[0].tobytes() == scores[1].tobytes()


@given(naive.cases())
def test_overlap_is_rejected_if_and_only_if_a_character_is_returned_twice(case):
    judged, run = case
    try:
        for results in run.values():
            naive.apply_policy(results, "reject")
    except naive.Overlap:
        with pytest.raises(
            InputError, match=r"^run: result \d+-\d+ of document \w+ in topic \d overlaps \d+-\d+; text may be "
        ):
            evaluate(judgments_of(judged), run_of(run), "P", overlap="reject", ties="input")
    else:
        evaluate(judgments_of(judged), run_of(run), "P", overlap="reject", ties="input")
