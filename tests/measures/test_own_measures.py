"""Measures that a user makes: they count whole documents, unless their class says that the formula holds for text too.
"""

import sys
from dataclasses import dataclass, replace

import pytest

import assay
from assay.measures.notation import measures_of
from helpers.places import EXAMPLES

GRADED, TEXT = {"1": {"a": 1, "b": 1}, "2": {"a": 1}}, {"1": [("a", 0, 10), ("b", 0, 10)], "2": [("a", 0, 10)]}
DOCUMENTS_RUN, TEXT_RUN = (
    {"1": ["a", "c"], "2": ["a"]},
    {"1": [("a", 0, 10), ("c", 0, 9)], "2": [("a", 0, 5), ("a", 5, 10)]},
)


def own_measures():
    """Measures of a user's, by name; made when they are asked for, as every other test would know them too."""

    @dataclass(frozen=True)
    class RowsAgainstBase(assay.Measure):
        """Whether the relevant rows are as many as what is relevant, which are characters where text is counted."""

        k: int | None = None

        def __call__(self, ranking):
            top = ranking.top(self.k)
            return 1.0 * (top.total(top.relevant(1)) == ranking.recall_base(1))

    @dataclass(frozen=True, kw_only=True)
    class OwnPrecision(assay.P):
        """A formula of its own in place of one that holds for text."""

        def __call__(self, ranking):
            return 1.0 * ranking.total(ranking.relevant(1))

    @dataclass(frozen=True, kw_only=True)
    class Renamed(assay.P):
        """The formula of P, which holds for text."""

    return {cls.__name__: cls for cls in (RowsAgainstBase, OwnPrecision, Renamed)}


def refused(judgments, run, measure):
    with pytest.raises(assay.UsageError) as caught:
        assay.evaluate(judgments, run, measure)
    return str(caught.value)


@pytest.mark.parametrize("name", ["RowsAgainstBase", "OwnPrecision"])
def test_a_measure_refuses_text_unless_its_class_says_that_the_formula_holds_for_it(name):
    measure = own_measures()[name] @ 5
    documents = replace(measure, unit="document")
    assert str(documents) == f"{name}(unit=document)@5"
    assert refused(TEXT, TEXT_RUN, measure) == (
        f"{measure} counts documents, but judgments has highlighted text; write {documents}, "
        "or add kinds = (DOCUMENTS, TEXT) to its class if its formula holds for characters"
    )  # fmt: skip
    assert assay.evaluate(TEXT, TEXT_RUN, documents).values.shape == (1, 1, 2)
    assert assay.evaluate(GRADED, DOCUMENTS_RUN, measure).values.shape == (1, 1, 2)


def test_a_formula_that_is_inherited_holds_for_what_it_held():
    renamed = own_measures()["Renamed"]
    assert assay.evaluate(TEXT, TEXT_RUN, renamed)[renamed] == assay.evaluate(TEXT, TEXT_RUN, "P")["P"]


def test_the_score_of_a_document_must_hold_for_text():
    with pytest.raises(assay.UsageError) as caught:
        measures_of(assay.AgP(score=own_measures()["RowsAgainstBase"]()))
    assert str(caught.value) == (
        "AgP(score=RowsAgainstBase): RowsAgainstBase counts documents, but score= needs a measure that counts text; "
        "add kinds = (DOCUMENTS, TEXT) to its class if its formula holds for characters"
    )
    with pytest.raises(assay.UsageError) as caught:
        measures_of("AgP(score=nDCG)")
    assert str(caught.value) == "AgP(score=nDCG): nDCG counts documents, but score= needs a measure that counts text"


def test_the_example_is_right_for_documents_and_for_text(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    from own_measure import Complete

    monkeypatch.delitem(sys.modules, "own_measure")
    assert assay.evaluate(GRADED, DOCUMENTS_RUN, Complete @ 2).values[0, 0].tolist() == [0, 1]
    assert assay.evaluate(TEXT, TEXT_RUN, Complete @ 2).values[0, 0].tolist() == [0, 1]
    assert assay.evaluate(TEXT, TEXT_RUN, Complete @ 1)[Complete @ 1] == 0
