"""Take over measures that are objects of ir_measures, with the meaning that they have there.

Each is one of our measures with some parameters, or such a measure of the list without its unjudged results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

from assay.errors import UsageError
from assay.measures.base import ForeignMeasure, Measure, parameter
from assay.measures.spellings import RENAMED
from assay.ranking.documents import Ranking, Values
from assay.ranking.kinds import DOCUMENTS
from assay.tables.ids import Floats

# gdeval assumes grades from 0 to 4, whatever the judgments have.
HIGHEST_OF_GDEVAL = 4


@dataclass(frozen=True, kw_only=True)
class JudgedOnly(Measure):
    """A measure of the list without its unjudged results (judged_only=True of ir_measures).

        JudgedOnly(M) = M of the condensed list

    Sakai, Alternatives to bpref, SIGIR 2007.
    """

    of: Measure = parameter(None, "the measure")

    def __call__(self, ranking: Ranking) -> Values:
        return self.of(ranking.condensed())

    def expected(self, ranking: Ranking) -> Values:
        """Return the expected value of the measure."""
        return self.of.expected(ranking.condensed())

    @property
    def inner(self) -> Measure:
        """The measure."""
        return self.of

    def over_topics(self, values: Floats) -> float:
        """Combine the values as the measure does."""
        return self.of.over_topics(values)

    def __str__(self) -> str:
        name, bracket, rest = str(self.of).partition("(")
        if bracket:
            return f"{name}(judged_only=True, {rest}"
        name, at, k = name.partition("@")
        return f"{name}(judged_only=True){at}{k}"

    __repr__ = __str__


# Measures of ir_measures whose parameters mean something else than those of our measure with that name.
TAKEN: dict[str, Callable[[dict[str, Any]], tuple[str, dict[str, Any]]]] = {
    "ERR": lambda given: ("ERR", {"max": HIGHEST_OF_GDEVAL, **given}),
    "SetF": lambda given: ("SetF", {**given, "beta": sqrt(given.get("beta", 1.0))}),
    "SetP": lambda given: ("RelativeP" if given.pop("relative", False) else "SetP", given),
    "NumRet": lambda given: ("NumRelRet" if "rel" in given else "NumRet", given),
    "nDCG": lambda given: ("nDCG", {**given, "dcg": {"exp-log2": "exp"}.get(given.get("dcg", ""), "log2")}),
    "Compat": lambda given: ("Compatibility", {"depth": 0, **given}),
    "RBP": lambda given: ("RBP", given if "rel" in given else {"graded": True, **given}),
    "Accuracy": lambda given: ("PairAccuracy", given),
}


def from_ir_measures(given: ForeignMeasure, find: Callable[[str], type[Measure] | None]) -> Measure:
    """Return our measure for an object of ir_measures; `find` returns our measure by name."""
    name = str(given.NAME)
    told = {RENAMED.get(key, key): value for key, value in given.params.items()}
    condensed = told.pop("judged_only", False)
    ours, parameters = TAKEN[name](told) if name in TAKEN else (name, told)
    cls = find(ours)
    if cls is None:
        raise UsageError(f"{given} of ir_measures has no equivalent in Assay; `assay measures` lists all")
    if unknown := next((key for key in parameters if key not in cls.parameters()), None):
        takes = ", ".join(cls.parameters()) or "no parameters"
        raise UsageError(f"{given} of ir_measures: {cls.__name__} has no parameter {unknown!r} here; it takes {takes}")
    measure: Measure = cls(**parameters)
    return of_judged(measure, f"{given} of ir_measures") if condensed else measure


def of_judged(measure: Measure, called: str) -> Measure:
    """Return the measure of the list without its unjudged results."""
    if DOCUMENTS not in measure.kinds:
        raise UsageError(f"{called}: pass judged_only=True to the evaluation, not to the measure")
    return JudgedOnly(of=measure)
