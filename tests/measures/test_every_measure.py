"""What must hold for every measure, once for all."""

from __future__ import annotations

import dataclasses
import inspect
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.measures.base import Measure
from assay.measures.notation import ALIASES, explain, listing, parse
from assay.vocabulary import FAMILIES
from helpers.measures import OURS

EVERY = [parse(f"{cls.__name__}(collection=1000)" if cls.__name__ == "Accuracy" else cls.__name__) for cls in OURS]
OF_OTHER_KINDS = ("best_entry_point", "facts", "passages", "budgets", "snippets", "xcg", "precall", "diversity", "sampled_pools")
OF_OTHERS = (name for family in ("published", "ragas_contexts") for name in FAMILIES[family])
OF_CHUNKS = (name for name in OF_OTHERS if name.startswith(("Chroma", "LegalBench", "RagasText")))
NEED_MORE = {"gP", "AgP", *OF_CHUNKS, *(name for family in OF_OTHER_KINDS for name in FAMILIES[family])} - {"CG"}
ALL = [*EVERY, *(measure @ 3 for measure in EVERY if "k" in type(measure).parameters())]
EVERY = [measure for measure in EVERY if type(measure).__name__ not in NEED_MORE]
CUT = [measure @ 3 for measure in EVERY if "k" in type(measure).parameters()]
of_documents = pytest.mark.parametrize("measure", [*EVERY, *CUT], ids=str)
UNBOUNDED = {"DCG", "CG", "Utility", "YAAP", "NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonRelJudgedRet"}
RESIDUALS = {name for name in FAMILIES["user_models"] if name.endswith("residual")}
COUNTS = {"Unjudged", "NumNonRelJudgedRet", "NumQ", "NumRet", "NumRel", "Judged"}
NOT_BETTER_WHEN_HIGHER = {"RBPresidual", *RESIDUALS, *COUNTS}

scale = st.integers(-1, 3) | st.sampled_from([0.5, 1.5])
grades = st.dictionaries(st.sampled_from("abcdefgh"), scale, min_size=1)
# with less than 1 a document gains something, and is not relevant
relevant_or_not = st.dictionaries(st.sampled_from("abcdefgh"), scale.filter(lambda grade: grade != 0.5), min_size=1)
runs = st.lists(st.sampled_from("abcdefghxyz"), min_size=1, unique=True)


def scored(order):
    return {document: -rank for rank, document in enumerate(order)}


def test_prints_as_it_is_typed():
    for measure in ALL:
        assert parse(str(measure)) == measure
        assert repr(measure) == str(measure)


def test_is_a_value():
    for measure in ALL:
        assert measure == dataclasses.replace(measure) and hash(measure) == hash(dataclasses.replace(measure))
        with pytest.raises(dataclasses.FrozenInstanceError):
            measure.rel = 3


def test_has_a_sentence_a_formula_a_reference_and_documented_parameters():
    listed = listing()
    for cls in OURS:
        doc = inspect.getdoc(cls)
        assert cls.sentence().endswith((".", ")"))
        assert any(line.startswith("    ") and "=" in line for line in doc.split("\n")), f"no formula: {cls}"
        assert any(char.isdigit() for char in doc.split("\n\n")[-1]), f"no reference: {cls}"
        assert all(meaning for _, meaning in cls.parameters().values()), cls
        assert cls.__name__ in listed and doc.split("\n")[0] in explain(cls.__name__)


def test_every_class_of_the_families_is_in_the_list():
    from importlib import import_module

    for family, listed in FAMILIES.items():
        module = import_module(f"assay.measures.{family}")
        classes = [c for c in vars(module).values() if isinstance(c, type) and issubclass(c, Measure)]
        assert {c.__name__ for c in classes if c.__module__ == module.__name__} == set(listed)
    assert all(parse(alias) == parse(name) for alias, name in ALIASES.items())


@given(grades, runs, st.integers(0, 2**32))
def test_the_order_of_lines_does_not_matter(judged, order, seed):
    judgments = [(t, d, g) for t in ("1", "2") for d, g in judged.items()]
    results = [(t, d, s) for t in ("1", "2") for d, s in scored(order).items()]
    before = assay.evaluate(judgments, results_as_tuples(results), [*EVERY, *CUT]).values
    random.Random(seed).shuffle(judgments)
    random.Random(seed).shuffle(results)
    after = assay.evaluate(judgments, results_as_tuples(results), [*EVERY, *CUT]).values
    assert before.tobytes() == after.tobytes()


def results_as_tuples(results):
    return {"run": iter(results)}


@given(grades, runs)
def test_values_are_finite_and_within_their_bounds(judged, order):
    scores = assay.evaluate({"t": judged}, {"t": scored(order)}, [*EVERY, *CUT])
    assert np.isfinite(scores.values).all()
    for number, measure in enumerate(scores.measures):
        if type(measure).__name__ not in UNBOUNDED:
            assert -1e-12 <= scores.values[0, number, 0] <= 1 + 1e-12, str(measure)


@given(relevant_or_not, runs)
def test_the_ideal_ranking_scores_best(judged, order):
    relevant = sorted((d for d in judged if judged[d] > 0), key=lambda d: -judged[d])
    better = [m for m in EVERY + CUT if type(m).__name__ not in NOT_BETTER_WHEN_HIGHER]
    given_run, ideal = {"t": scored(order)}, {"t": scored(relevant or ["nothing"])}
    both = assay.evaluate({"t": judged}, {"given": given_run, "ideal": ideal}, better)
    for number, measure in enumerate(better):
        # RnDCG also looks past the end of the ideal ranking, where a longer one may have caught up
        assert both.values[0, number, 0] <= both.values[1, number, 0] + 1e-12, str(measure)


@given(grades, runs)
def test_a_topic_does_not_depend_on_its_neighbours(judged, order):
    alone = assay.evaluate({"5": judged}, {"5": scored(order)}, [*EVERY, *CUT])
    other = {"a": 3, "q": 2, "r": 1, "s": 0} if max(judged.values()) >= 3 else {"q": 1, "r": 1, "s": 0}
    judgments = {"3": other, "5": judged, "7": other}
    among = assay.evaluate(judgments, {t: scored(order if t == "5" else "sqrtuv") for t in judgments}, [*EVERY, *CUT])
    assert alone.values[0, :, 0].tobytes() == among.values[0, :, 1].tobytes()


@pytest.mark.parametrize("measure", [measure for measure in ALL if type(measure).__name__ in NEED_MORE], ids=str)
def test_a_measure_of_more_than_documents_says_what_it_needs(measure):
    with pytest.raises(assay.UsageError, match=r"text|score of a document|assessed elements|subtopics|strata"):
        assay.evaluate({"1": {"a": 1}}, {"1": {"a": 1}}, measure)


@of_documents
def test_a_topic_with_nothing_relevant_or_nothing_retrieved_is_a_number(measure):
    scores = assay.evaluate({"1": {"a": 0}, "2": {"a": 1}}, {"1": {"a": 1, "b": 0}}, measure)
    assert np.isfinite(scores.values).all()
    if type(measure).__name__ in {
        "AP",
        "P",
        "R",
        "nDCG",
        "RR",
        "bpref",
        "ERR",
        "RBP",
        "Q",
        "Rprec",
        "Success",
        "infAP",
        "F",
    }:
        assert scores.values.tolist() == [[[0.0, 0.0]]]
