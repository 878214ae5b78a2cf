"""What trec_eval computes a little differently from our measures: its quirks, each on top of its measure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from assay.compat.trec_files import atol
from assay.errors import AssayError
from assay.measures.counts import NumRelRet, Unjudged
from assay.measures.graded import DCG, RBP, RBPresidual, RnDCG, gains, nDCG
from assay.measures.levels import COUNTS, IPrec
from assay.measures.ranked import Rprec
from assay.measures.sets import SetP, SetR, Utility
from assay.ranking.document_ranking import Ranking, Values, ratio

Column: TypeAlias = "Callable[[Ranking], Values]"
Numbers: TypeAlias = "tuple[float, ...]"
Pairs: TypeAlias = "tuple[tuple[str, float], ...]"

# What 0/0 is in C, which writes it as -nan; a file's nan is written as nan.
NOT_A_NUMBER = -np.nan


class Refused(AssayError):
    """What trec_eval stops at, with its exit status."""

    def __init__(self, status: int, what: str):
        super().__init__(what)
        self.status = status


@dataclass(frozen=True)
class Settings:
    """What the command line says about all measures: the version to be like, -l and -N."""

    version: int = 9
    rel: int = 1
    collection: int = 0

    @property
    def count(self) -> str:
        """How many relevant documents a recall level asks for."""
        return f"trec{self.version}"


def interpolated_at(level: float, settings: Settings) -> Column:
    """Precision at a recall level, which may lie beyond 0 and 1.

    Not a number where nothing was retrieved and no relevant document is asked for: the original divides 0 by 0.
    """
    measure = IPrec(recall=min(max(level, 0.0), 1.0), rel=settings.rel, count=settings.count)

    def column(ranking: Ranking) -> Values:
        base = ranking.recall_base(settings.rel)
        needed = COUNTS[settings.count](level, base)
        values = np.where(needed > base, 0.0, measure(ranking))
        return np.where((needed <= 0) & (ranking.retrieved == 0), NOT_A_NUMBER, values)

    return column


def averaged_points(levels: Numbers, settings: Settings) -> Column:
    """The mean over recall levels, which are passed from the last to the first and taken to ascend.

    A level above one that was passed is never met again; it and all before it get the highest precision of all.
    """

    def column(ranking: Ranking) -> Values:
        base, retrieved = ranking.recall_base(settings.rel), NumRelRet(rel=settings.rel)(ranking)
        highest = interpolated_at(0.0, settings)(ranking)
        bound = np.full(len(ranking), np.iinfo(np.int64).max)
        beyond, lost, total = bound > 0, bound < 0, np.zeros(len(ranking))
        for level in reversed(levels):
            needed = COUNTS[settings.count](level, base)
            beyond = beyond & (needed > retrieved)
            lost = lost | (~beyond & (needed > bound))
            bound = np.where(beyond, bound, needed)
            total = total + np.where(beyond, 0.0, np.where(lost, highest, interpolated_at(level, settings)(ranking)))
        return total / len(levels)

    return column


def utility(coefficients: Numbers, settings: Settings) -> Column:
    """Utility, which must have four coefficients."""

    def column(ranking: Ranking) -> Values:
        if len(coefficients) != 4:
            raise Refused(4, f"utility has {len(coefficients)} coefficients; expected 4, as in utility.1,-1,0,0")
        a, b, c, d = coefficients
        return Utility(a=a, b=b, c=c, d=d, collection=settings.collection, rel=settings.rel)(ranking)

    return column


def relevance_string(lengths: Numbers, settings: Settings) -> Column:
    """The grades of the first results, a letter each."""
    length = max(int(lengths[0]), 0)

    def letter(grade: int) -> str:
        return ">" if grade > 9 else "." if grade < 0 else str(grade)

    def column(ranking: Ranking) -> Values:
        strings = np.empty(len(ranking), object)
        for topic, (begin, end) in enumerate(zip(ranking.starts[:-1], ranking.starts[1:], strict=True)):
            letters = ["-"] * min(length, int(ranking.retrieved[topic]))
            for rank, grade in zip(ranking.rank[begin:end].tolist(), ranking.grade[begin:end].tolist(), strict=True):
                if rank > len(letters):
                    break
                letters[rank - 1] = letter(grade)
            strings[topic] = f"'{''.join(letters)}'"
        return strings

    return column


def r_precision(multiple: float, settings: Settings) -> Column:
    """R-precision at a multiple of R, which is none below 0."""
    return Rprec(rel=settings.rel, mult=max(multiple, 0.0))


@dataclass(frozen=True)
class ChosenGains:
    """The gains of `level=gain` pairs. Of a level given twice a result gains the lower, and the best ranking has the
    first.

    Gains that differ by less than 1 are equal here, and the first of them is the lower.
    """

    results: tuple[tuple[int, float], ...]
    ideal: tuple[tuple[int, float], ...]

    @classmethod
    def of(cls, pairs: Pairs, settings: Settings) -> ChosenGains:
        """Version 9 makes a number of any level, 10 passes over what is none."""
        kept = [pair for pair in pairs if settings.version == 9 or re.fullmatch(r"[+-]?\d+", pair[0])]
        results: dict[int, float] = {}
        ideal: dict[int, float] = {}
        for level, gain in ((atol(level.encode("latin-1")), gain) for level, gain in kept):
            if level < 0:
                raise Refused(1, "gains of levels below 0 are not supported")
            ideal.setdefault(level, gain)
            results[level] = gain if results.get(level, gain) - gain >= 1 else results.get(level, gain)
        return cls(tuple(results.items()), tuple(ideal.items()))

    @property
    def all(self) -> list[float]:
        """The gains of all levels."""
        return [gain for _, gain in self.results + self.ideal]


def by_gain(measure: Column, pairs: Pairs, settings: Settings) -> Column:
    """A measure of the ranking in which each grade is replaced by its gain."""
    chosen = ChosenGains.of(pairs, settings)
    if any(gain < 0 for gain in chosen.all):
        raise Refused(1, "gains below 0 are supported for ndcg, dcg and ideal_dcg only")

    def column(ranking: Ranking) -> Values:
        ideal = ranking.ideal
        worth = gains(ideal, chosen.ideal)
        order = np.lexsort((-worth, ideal.each(np.arange(len(ideal)))))
        return measure(
            replace(ranking.with_grades(gains(ranking, chosen.results)), ideal=ideal.with_grades(worth[order]))
        )

    return column if chosen.results else measure


def dcg(pairs: Pairs, settings: Settings) -> Column:
    """The DCG of a ranking."""
    return DCG(gains=ChosenGains.of(pairs, settings).results)


def ideal_dcg(pairs: Pairs, settings: Settings) -> Column:
    """The DCG of the best ranking there can be."""
    measure = nDCG(gains=ChosenGains.of(pairs, settings).ideal)
    return lambda ranking: DCG(gains=measure.gains)(measure.best(ranking.ideal))


def ndcg(pairs: Pairs, settings: Settings) -> Column:
    """DCG as a share of the best."""
    part, whole = dcg(pairs, settings), ideal_dcg(pairs, settings)
    return lambda ranking: ratio(part(ranking), whole(ranking))


def r_ndcg(pairs: Pairs, settings: Settings) -> Column:
    """RnDCG; not a number where documents are relevant but none gains anything."""
    value = by_gain(RnDCG(rel=0), pairs, settings)
    best = by_gain(lambda ranking: ranking.ideal.highest(ranking.ideal.grade), pairs, settings)

    def column(ranking: Ranking) -> Values:
        values = np.where(best(ranking) > 0, value(ranking), NOT_A_NUMBER)
        return np.where(ranking.recall_base(settings.rel) > 0, values, 0.0)

    return column


def rbp_persistence(pairs: Pairs) -> float:
    """The p of rank-biased precision."""
    return dict(pairs).get("p", 0.9)


def rbp(pairs: Pairs, settings: Settings) -> Column:
    """Graded RBP; gains are a share of the highest gain, also of one that was given but that no document has."""
    measure = RBP(p=rbp_persistence(pairs), graded=True)
    highest = max(ChosenGains.of(pairs, settings).all, default=0.0)

    def column(ranking: Ranking) -> Values:
        own = np.maximum(ranking.ideal.highest(ranking.ideal.grade), 1)
        return measure(ranking) * own / np.maximum(own, highest)

    return by_gain(column, pairs, settings)


def rbp_residual(pairs: Pairs, settings: Settings) -> Column:
    """The residual of RBP, but 0 where nothing retrieved is unjudged."""
    measure = RBPresidual(p=rbp_persistence(pairs))
    return lambda ranking: np.where(Unjudged()(ranking) > 0, measure(ranking), 0.0)


def set_f(weights: Numbers, settings: Settings) -> Column:
    """SetF, whose parameter is the square of beta: taken as it is, for a root squared again may be another number."""

    def column(ranking: Ranking) -> Values:
        precision, recall = SetP(rel=settings.rel)(ranking), SetR(rel=settings.rel)(ranking)
        return ratio((weights[0] + 1) * precision * recall, weights[0] * precision + recall)

    return column
