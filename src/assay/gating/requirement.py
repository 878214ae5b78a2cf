"""What is demanded of a run by itself: `R(chars=2000) >= 0.70`."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.errors import UsageError, quoted
from assay.measures.base import Measure
from assay.measures.notation import parse

# Values that differ by less differ by rounding alone.
ROUNDING = 1e-12
RELATIONS: dict[str, Callable[[float, float], bool]] = {
    ">=": lambda value, bound: value >= bound - ROUNDING,
    "<=": lambda value, bound: value <= bound + ROUNDING,
    ">": operator.gt,
    "<": operator.lt,
}
WRITTEN = re.compile(r"\s*(?P<measure>.+?)\s*(?P<relation>>=|<=|≥|≤|>|<)\s*(?P<bound>\S+)\s*")
SIGNS = {"≥": ">=", "≤": "<="}


@dataclass(frozen=True)
class Requirement:
    """A value over all topics, and the number that it must reach, or must not."""

    measure: Measure
    relation: str
    bound: str

    def __str__(self) -> str:
        return f"{self.measure} {self.relation} {self.bound}"

    def holds(self, value: float) -> bool:
        """Whether a value is as it must be; a difference by rounding alone is none."""
        return RELATIONS[self.relation](value, float(self.bound))


def requirement(asked: str) -> Requirement:
    """The requirement that a text states."""
    parts = WRITTEN.fullmatch(asked)
    if parts is None or not is_finite_number(parts["bound"]):
        expected = "expected a measure, a relation and a number, as 'R@5 >= 0.7'"
        raise UsageError(f"{quoted(asked)} is no requirement; {expected}")
    relation = SIGNS.get(parts["relation"], parts["relation"])
    return Requirement(parse(parts["measure"]), relation, parts["bound"])


def requirements(asked: str | Sequence[str]) -> list[Requirement]:
    """One or several requirements."""
    return [requirement(each) for each in ([asked] if isinstance(asked, str) else asked)]


def is_finite_number(text: str) -> bool:
    """Whether a text is a finite number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
