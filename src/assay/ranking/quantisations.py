"""What assessed elements are worth by themselves: quantisations of their exhaustivity and specificity."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from assay.errors import UsageError
from assay.tables.ids import Floats, Ints
from assay.tables.judgments import AssessedElements

Quantisation: TypeAlias = "str | Callable[[float, float], float]"
GEN = {
    (3, 3): 1.0, (2, 3): 0.75, (3, 2): 0.75, (3, 1): 0.75,
    (1, 3): 0.5, (2, 2): 0.5, (2, 1): 0.5, (1, 2): 0.25, (1, 1): 0.25,
}  # fmt: skip
SOG = {
    (3, 3): 1.0, (2, 3): 0.9, (1, 3): 0.75, (3, 2): 0.75,
    (2, 2): 0.5, (1, 2): 0.25, (3, 1): 0.25, (2, 1): 0.1, (1, 1): 0.1,
}  # fmt: skip
# By scale and name: what arrays of exhaustivities (-1 is `?`, too small) and of specificities are worth.
QUANTISATIONS: dict[str, dict[str, Callable[[Ints, Floats], Floats]]] = {
    "2003": {
        "strict": lambda e, s: ((e == 3) & (s == 3)).astype(np.float64),
        "gen": lambda e, s: looked_up(GEN, e, s),
        "sog": lambda e, s: looked_up(SOG, e, s),
    },
    "2005": {
        "strict": lambda e, s: ((e == 2) & (s == 1)).astype(np.float64),
        "gen": lambda e, s: np.maximum(e, 0) * s,
        "genLifted": lambda e, s: np.where((e != 0) & (s > 0), (np.maximum(e, 0) + 1) * s, 0.0),
    },
}
# inex-2003 quantises exhaustivity and specificity apart, as shares of the highest grade.
APART: dict[str, Callable[[Floats, float], Floats]] = {
    "strict": lambda grade, highest: (grade == highest).astype(np.float64),
    "gen": lambda grade, highest: np.maximum(grade, 0) / highest,
}
HIGHEST = {"2003": (3, 3), "2005": (2, 1)}


def looked_up(table: dict[tuple[int, int], float], e: Ints, s: Floats) -> Floats:
    """The value of each pair of grades; 0 of those that are not in the table."""
    pairs = zip(e.tolist(), s.tolist(), strict=True)
    return np.array([table.get(pair, 0.0) for pair in pairs], np.float64)


def quantised(quant: Quantisation, elements: AssessedElements) -> Floats:
    """What elements are worth by a quantisation: one of the scale's, or a function of exhaustivity and specificity."""
    if callable(quant):
        pairs = zip(np.maximum(elements.exhaustivity, 0).tolist(), elements.specificity.tolist(), strict=True)
        worth = np.array([quant(e, s) for e, s in pairs], np.float64)
        if not (np.isfinite(worth).all() and np.all(worth >= 0)):
            raise UsageError("a quantisation must give a number of at least 0 for each exhaustivity and specificity")
        return worth
    known = QUANTISATIONS[elements.scale]
    if quant not in known:
        names = ", ".join(known)
        unknown = f"unknown quantisation {quant!r} for assessments as of {elements.scale}"
        raise UsageError(f"{unknown}; expected one of {names}")
    return known[quant](elements.exhaustivity, elements.specificity)
