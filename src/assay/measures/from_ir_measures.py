"""Take over measures that are objects of ir_measures, with the meaning that they have there.

Most are one of our measures with some parameters. The others are defined here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.measures.base import ForeignMeasure, Measure, cut, parameter, rel
from assay.measures.spellings import RENAMED
from assay.measures.user_models import READ, chance_to_reach, show_weights
from assay.ranking.documents import Ranking, Values, ratio
from assay.ranking.kinds import DOCUMENTS
from assay.tables.ids import Floats

# The depth to which cwl_eval looks.
DEEP = 1000
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


@dataclass(frozen=True, kw_only=True)
class PairAccuracy(Measure):
    """Accuracy of ir_measures: the share of the pairs of a relevant and another result that are in the right order.

        PairAccuracy = 1 − Σ_i [g_i ≥ rel] · |others above i| / (|relevant retrieved| · |others retrieved|)

    1 if all results are relevant, and 0 if none is; ir_measures leaves such topics out. ir_measures 0.4.
    """

    worked = "{any relevant} − {share of wrong pairs}"
    rel: int = rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k)
        hit = top.relevant(self.rel)
        hits = top.total(hit, "relevant")
        pairs = top.quantity("pairs", hits * (top.retrieved - hits))
        others = top.column("others above", top.rank - top.running(hit))
        wrong = top.quantity("share of wrong pairs", ratio(top.total(hit * others, "relevant · others above"), pairs))
        return np.where(top.quantity("any relevant", hits > 0), 1 - wrong, 0.0)


@dataclass(frozen=True, kw_only=True)
class NearlyERR(Measure):
    """A user model that is nearly ERR: the reader goes on by a chance that depends on the gain, and gains at a rate.

        Σ_i W_i r_i,  W_i = Π_{j<i} C_j / Σ_i Π_{j<i} C_j,  r_i from 0 (min_rel) to 1 (max_rel)

    To depth 1,000 as cwl_eval. Azzopardi, Mackenzie and Moffat, ERR is not C/W/L, ICTIR 2021.
    """

    worked = READ
    min_rel: float = parameter(0.0, "highest grade without gain")
    max_rel: float | None = parameter(None, "grade that gains 1; without it the highest grade of the judgments")

    def going_on(self, rank: Floats, gain: Floats) -> Floats:
        """Return the probability of going on to the next result."""
        raise NotImplementedError

    def __call__(self, ranking: Ranking) -> Values:
        highest = ranking.top_grade if self.max_rel is None else self.max_rel
        if highest <= self.min_rel:
            raise UsageError(f"{self}: max_rel is {highest:g}; expected a grade above min_rel")
        top = ranking.top(DEEP)
        gain = np.zeros((len(top), DEEP))
        share = (np.clip(top.grade, self.min_rel, highest) - self.min_rel) / (highest - self.min_rel)
        gain[top.each(np.arange(len(top))), top.rank - 1] = share
        reached = chance_to_reach(self.going_on(np.arange(1.0, DEEP + 1), gain))
        if top.trace is not None:
            show_weights(top, share, reached)
        return (reached * gain).sum(axis=1) / reached.sum(axis=1)


@dataclass(frozen=True, kw_only=True)
class NERR8(NearlyERR):
    """NERR by equation 8 of Azzopardi, Mackenzie and Moffat: C_i = 1 − r_i, and 0 at the cut-off."""

    k: int | None = cut()

    def going_on(self, rank: Floats, gain: Floats) -> Floats:
        return (1 - gain) * (rank < (self.k or DEEP))


@dataclass(frozen=True, kw_only=True)
class NERR9(NearlyERR):
    """NERR by equation 9 of Azzopardi, Mackenzie and Moffat: C_i = i / (i + 1) · (1 − r_i), and 0 at the cut-off."""

    k: int | None = cut()

    def going_on(self, rank: Floats, gain: Floats) -> Floats:
        return rank / (rank + 1) * (1 - gain) * (rank < (self.k or DEEP))


@dataclass(frozen=True, kw_only=True)
class NERR10(NearlyERR):
    """NERR by equation 10 of Azzopardi, Mackenzie and Moffat: C_i = p (1 − r_i)."""

    p: float = parameter(0.9, "probability of going on after a result without gain")

    def going_on(self, rank: Floats, gain: Floats) -> Floats:
        return self.p * (1 - gain)


@dataclass(frozen=True, kw_only=True)
class NERR11(NearlyERR):
    """NERR by equation 11 of Azzopardi, Mackenzie and Moffat: C_i = ((i + 2T − 1) / (i + 2T))² (1 − r_i)."""

    T: float = parameter(1.0, "gain that the reader wants")

    def going_on(self, rank: Floats, gain: Floats) -> Floats:
        return ((rank + 2 * self.T - 1) / (rank + 2 * self.T)) ** 2 * (1 - gain)


# Measures of ir_measures whose parameters mean something else than those of our measure with that name.
TAKEN: dict[str, Callable[[dict[str, Any]], tuple[str | type[Measure], dict[str, Any]]]] = {
    "ERR": lambda given: ("ERR", {"max": HIGHEST_OF_GDEVAL, **given}),
    "SetF": lambda given: ("SetF", {**given, "beta": sqrt(given.get("beta", 1.0))}),
    "SetP": lambda given: ("RelativeP" if given.pop("relative", False) else "SetP", given),
    "NumRet": lambda given: ("NumRelRet" if "rel" in given else "NumRet", given),
    "nDCG": lambda given: ("nDCG", {**given, "dcg": {"exp-log2": "exp"}.get(given.get("dcg", ""), "log2")}),
    "Compat": lambda given: ("Compatibility", {"depth": 0, **given}),
    "RBP": lambda given: ("RBP", given if "rel" in given else {"graded": True, **given}),
    "Accuracy": lambda given: (PairAccuracy, given),
    "NERR8": lambda given: (NERR8, given),
    "NERR9": lambda given: (NERR9, given),
    "NERR10": lambda given: (NERR10, given),
    "NERR11": lambda given: (NERR11, given),
}
# Those with a name of their own, which users can type.
BY_NAME: dict[str, type[Measure]] = {cls.__name__: cls for cls in (PairAccuracy, NERR8, NERR9, NERR10, NERR11)}


def from_ir_measures(given: ForeignMeasure, find: Callable[[str], type[Measure] | None]) -> Measure:
    """Return our measure for an object of ir_measures; `find` returns our measure by name."""
    name = str(given.NAME)
    told = {RENAMED.get(key, key): value for key, value in given.params.items()}
    condensed = told.pop("judged_only", False)
    ours, parameters = TAKEN[name](told) if name in TAKEN else (name, told)
    cls = find(ours) if isinstance(ours, str) else ours
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
