"""Whether the parameters of a measure make sense together, beyond what each may be."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.measures.base import Measure, as_typed
from assay.ranking.kinds import DOCUMENTS, ELEMENTS, TEXT

# What a measure can be told to count, and the kind that it must be of.
UNITS = {"document": DOCUMENTS, "token": TEXT}


def check_cut(measure: Measure, k: Any) -> None:
    """A rank to cut at is a whole number of at least 1."""
    if k is not None and (isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= 10**9):
        raise UsageError(f"{type(measure).__name__}@{as_typed(k)}: a cut-off is a rank, 1 or more")


def check_unit(measure: Measure) -> None:
    """What is counted is as the judgments are, or documents, or tokens; and a budget is of what is counted."""
    possible = [unit for unit, kind in UNITS.items() if kind in measure.kinds]
    if measure.unit and not possible:
        what = "elements" if ELEMENTS in measure.kinds else "documents"
        raise UsageError(f"{type(measure).__name__} counts {what}; it has no unit")
    if measure.unit not in ("", *possible):
        expected = f"expected {' or '.join(possible)}, or nothing: then text is counted where it is highlighted"
        raise UsageError(f"{measure}: unit is wrong; {expected}")
    for name, what, other in (("chars", "characters", "no unit"), ("tokens", "tokens", "no unit or token")):
        budget = getattr(measure, name, None)
        whole = isinstance(budget, int) and not isinstance(budget, bool)
        fits = measure.unit in ("", "token" if name == "tokens" else "")
        if budget is not None and not (whole and fits and 1 <= budget <= 10**12):
            raise UsageError(f"{measure}: {name} is a number of {what}, 1 or more; it goes with {other}")


def check_numbers(measure: Measure) -> None:
    """A threshold is a number, and no parameter is infinite; those that weigh are not negative."""
    for name, (default, _) in type(measure).parameters().items():
        value = getattr(measure, name)
        if name == "rel" and (isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value)):
            raise UsageError(f"{measure}: rel is a grade, a number")
        numbers = [value] if isinstance(default, float) else [gain for _, gain in value] if name == "gains" else []
        if (
            not np.isfinite(numbers).all()
            or (name in ("beta", "mult") and value < 0)
            or (name == "mult" and value > 10**6)
        ):
            raise UsageError(f"{measure}: {name} is out of range")
