"""What a parameter of a measure may be: its choices and bounds stand beside it, and are checked when the measure is
made."""

from dataclasses import dataclass, replace

import pytest

import assay
from assay import (
    BEP,
    DCG,
    RBP,
    T2I,
    Compatibility,
    IPrec,
    Measure,
    RBPresidual,
    Window,
    ep,
    inex2002,
    iP,
    nDCG,
    parameter,
)

CHANCE = "expected a probability between 0 and 1, both excluded"


@pytest.mark.parametrize(
    ("measure", "given", "message"),
    [
        (BEP, {"A": 0}, "BEP(A=0): expected a number above 0"),
        (BEP, {"A": float("inf")}, "BEP(A=inf): expected a number above 0"),
        (Window, {"n": 0}, "Window(n=0): expected a number of characters, at least 1"),
        (T2I, {"irr": -1}, "T2I(irr=-1): expected a number of characters, at least 1"),
        (iP, {"recall": 1.5}, "iP@1.5: expected a recall level between 0 and 1"),
        (IPrec, {"recall": -0.1}, "IPrec@-0.1: expected a recall level between 0 and 1"),
        (IPrec, {"count": "trec8"}, "IPrec(count=trec8): choose from trec9, trec10, exact"),
        (ep, {"recall": 2}, "ep@2: expected a gain-recall level between 0 and 1"),
        (inex2002, {"recall": 0}, "inex2002@0: expected a recall level above 0, at most 1"),
        (nDCG, {"dcg": "ln"}, "nDCG(dcg=ln): choose from log2, jk, exp"),
        (DCG, {"b": 1.0}, "DCG(b=1): expected a base above 1"),
        (RBP, {"p": 1}, f"RBP(p=1): {CHANCE}"),
        (RBP, {"p": float("nan")}, f"RBP(p=nan): {CHANCE}"),
        (RBP, {"p": None}, f"RBP(p=None): {CHANCE}"),
        (RBPresidual, {"p": "often"}, f"RBPresidual(p=often): {CHANCE}"),
        (Compatibility, {"depth": 2_000_000}, "Compatibility(depth=2000000): expected a rank from 1 to 1,000,000, or 0"),
    ],
)
def test_a_value_that_a_parameter_may_not_have_is_refused_when_the_measure_is_made(measure, given, message):
    with pytest.raises(assay.UsageError) as refused:
        measure(**given)
    assert str(refused.value) == message
    with pytest.raises(assay.UsageError):
        replace(measure(), **given)


def test_the_bounds_themselves_are_allowed_where_they_belong_to_the_range():
    measures = (iP @ 0, iP @ 1, inex2002 @ 1, Window(n=1))
    assert [str(measure) for measure in measures] == ["iP@0", "iP@1", "inex2002@1", "Window(n=1)"]
    assert inex2002(recall=None).recall is None


def test_a_measure_of_ones_own_has_choices_and_bounds_too():
    @dataclass(frozen=True, kw_only=True)
    class Own(Measure):
        """A measure."""

        how: str = parameter("one", "how", choices=("one", "two"))
        share: float = parameter(0.5, "how much", least=0, most=1, must="share lies between 0 and 1")

    assert str(Own(how="two", share=1)) == "Own(how=two, share=1)"
    with pytest.raises(assay.UsageError, match=r"^Own\(how=three\): choose from one, two$"):
        Own(how="three")
    with pytest.raises(assay.UsageError, match=r"^Own\(share=2\): share lies between 0 and 1$"):
        Own(share=2)
