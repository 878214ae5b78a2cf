"""The expected value over ties against brute force over all orders."""

from __future__ import annotations

from itertools import groupby, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.measures.base import Measure
from assay.measures.notation import parse
from assay.ranking.kinds import DOCUMENTS
from helpers.measures import OURS

CLOSED = [
    "CG",
    "CG@3",
    "nCG",
    "nCG@3",
    *(
        "AP",
        "AP@3",
        "AP(rel=2)",
        "RR",
        "RR@2",
        "Success@2",
        "Success@3",
        "P@2",
        "P",
        "R@3",
        "F@2",
        "F(beta=2)@3",
        "Rprec",
    ),
    *(
        "Rprec(mult=2)",
        "nDCG",
        "nDCG@3",
        "nDCG(dcg=exp)@2",
        "nDCG(dcg=jk)@3",
        "DCG@4",
        "RBP",
        "RBP(graded=True)@3",
        "RBPresidual",
    ),
    *(
        "RBPresidual@2",
        "Q",
        "Q@3",
        "Judged@2",
        "Unjudged@3",
        "SetP",
        "SetR",
        "SetF",
        "RelativeP@3",
        "Accuracy(collection=99)",
    ),
    *("INSQ", "INSQ(T=2, depth=3)", "INSQresidual", "INSQresidual(depth=2)", "SDCG", "SDCG@2", "SDCGresidual@3"),
    *("Utility", "NumRet", "NumRel", "NumRelRet", "NumNonRelJudgedRet", "NumQ"),
]
results = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([None, -1, 0, 1, 2, 3])), min_size=1, max_size=6)


def orders(scored):
    """Every order of the documents that keeps scores falling."""
    ties = [list(tie) for _, tie in groupby(sorted(scored, key=lambda d: -d[1]), key=lambda d: d[1])]
    for chosen in product(*(permutations(tie) for tie in ties)):
        yield [document for tie in chosen for document, _ in tie]


@given(results, st.lists(st.integers(0, 2), max_size=2))
def test_closed_forms_equal_the_mean_over_all_orders(rows, missing):
    judgments = {f"d{i}": grade for i, (_, grade) in enumerate(rows) if grade is not None} | {"other": 1}
    judgments |= {f"m{i}": grade for i, grade in enumerate(missing)}
    scored = [(f"d{i}", score) for i, (score, _) in enumerate(rows)]
    found = assay.evaluate({"t": judgments}, {"t": dict(scored)}, CLOSED, ties="expected")
    # each order is the ranking of a topic of its own
    run = {f"order {n}": {d: -i for i, d in enumerate(order)} for n, order in enumerate(orders(scored))}
    brute = assay.evaluate(dict.fromkeys(run, judgments), run, CLOSED)
    means = brute.values[0].mean(axis=1)
    np.testing.assert_allclose(found.values[0, :, 0], means, atol=1e-12, err_msg=str(CLOSED))


def test_depth_cuts_through_a_tie():
    judgments, run = {"t": {"a": 1}}, {"t": {"a": 1, "b": 1, "c": 1, "d": 1}}
    assert assay.evaluate(judgments, run, "R", ties="expected", depth=2)["R"] == 0.5
    assert assay.evaluate(judgments, run, "R@3", ties="expected", depth=2)["R@3"] == 0.5


def test_judged_only_lists_keep_their_ties():
    judgments, run = {"t": {"a": 1, "b": 0}}, {"t": {"a": 1, "b": 1, "c": 1, "d": 2}}
    assert assay.evaluate(judgments, run, "RR", ties="expected", judged_only=True)["RR"] == 0.75


def has_closed_form(cls: type[Measure]) -> bool:
    return cls.expected is not Measure.expected


def test_the_closed_forms_tested_are_all_there_are():
    assert {parse(name).__class__ for name in CLOSED} == {cls for cls in OURS if has_closed_form(cls)}


WITHOUT = [cls for cls in OURS if DOCUMENTS in cls.kinds and not has_closed_form(cls)]


@pytest.mark.parametrize("cls", WITHOUT, ids=lambda cls: cls.__name__)
def test_a_measure_without_a_closed_form_says_so(cls):
    with pytest.raises(assay.UsageError) as caught:
        assay.evaluate({"t": {"a": 1}}, {"t": {"a": 1}}, cls, ties="expected")
    assert str(caught.value) == (
        f"{cls()} has no closed form for the expected value over ties; pass ties=docno or ties=input or ties=rank"
    )
