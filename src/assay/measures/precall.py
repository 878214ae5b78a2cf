"""The recall-precision metrics of INEX 2002 and 2003, for elements with grades of exhaustivity and specificity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import UsageError
from assay.measures.base import parameter
from assay.measures.elements import Curve
from assay.ranking.documents import Values, ratio
from assay.ranking.element_trees import APART, HIGHEST
from assay.ranking.elements import ElementRanking
from assay.tables.ids import Floats, Ints


@dataclass(frozen=True, kw_only=True)
class inex2002(Curve):
    """The metric of INEX 2002, precall: the probability that an element read before a recall level is relevant.

        P(x) = x n / (x n + esl),  esl = j + s i / (r + 1)

    n is the sum of the quantised scores of the full recall-base. Results with equal scores form a level. For the level
    that reaches x n, j is the non-relevant amount before it, r and i are the relevant and the non-relevant amount in
    it, and s is what is still needed from it. P is 0 beyond what was retrieved, unless the number of elements in the
    collection is given: then all other elements form one last level. Kazai, Lalmas and de Vries, SIGIR 2004, eq. 1;
    Raghavan, Bollmann and Jung, ACM TOIS 7, 1989.
    """

    collection: int = parameter(0, "number of elements in the collection")

    def at(self, ranking: ElementRanking, levels: Floats) -> Floats:
        worth, number = (
            ranking.worth(self.quant),
            np.bincount(
                ranking.places[ranking.base.topic], ranking.base.quantised(self.quant), minlength=len(ranking) + 1
            ),
        )
        if np.any(ranking.base.quantised(self.quant) > 1):
            what = f"relevance must be a share from 0 to 1, but {self.quant} gives these assessments more"
            raise UsageError(f"{self}: {what}")
        ranking.column("quant", worth)
        ranking.quantity("n", number[:-1])
        needed = np.outer(number[:-1], levels)
        esl = np.full(needed.shape, np.inf)
        for topic in range(len(ranking)):
            here = slice(ranking.starts[topic], ranking.starts[topic + 1])
            if number[topic] > 0:
                esl[topic] = self._search_length(worth[here], ranking.tied[here], float(number[topic]), needed[topic])
        if len(levels) == 1:
            ranking.quantity("x n", needed[:, 0])
            ranking.quantity("esl", esl[:, 0])
        return needed / (needed + esl)

    def _search_length(self, worth: Floats, tied: Values, number: float, needed: Floats) -> Floats:
        """Return the non-relevant amount read until the needed relevance is found; infinite if it never is."""
        starts = np.flatnonzero(~tied)
        good = np.add.reduceat(worth, starts) if len(starts) else np.zeros(0)
        bad = np.add.reduceat(1 - worth, starts) if len(starts) else np.zeros(0)
        if self.collection:
            rest = number - worth.sum()
            others = self.collection - len(worth) - rest
            # rounding may make a collection of just these elements seem too small
            if others < -1e-9:
                raise UsageError(f"{self}: the collection has fewer elements than were retrieved or are relevant")
            good, bad = np.append(good, rest), np.append(bad, max(others, 0.0))
        reached = np.cumsum(good)
        level = np.searchsorted(reached, needed * (1 - 1e-12))
        there = level < len(good)
        level = np.minimum(level, max(len(good) - 1, 0))
        if not len(good):
            return np.full(len(needed), np.inf)
        still = needed - (reached[level] - good[level])
        esl = (np.cumsum(bad) - bad)[level] + still * bad[level] / (good[level] + 1)
        return np.where(there, esl, np.inf)


@dataclass(frozen=True, kw_only=True)
class inex2003(Curve):
    """The metric of INEX 2003: recall and precision of exhaustive and specific text, counting each character once.

        recall = Σ e(c_i) |c'_i| / |c_i|  /  Σ e(c)        precision = Σ s(c_i) |c'_i|  /  Σ |c'_i|

    |c'| is the part of an element that was not seen before; e and s are quantised separately: strict takes only the
    highest grade, gen the share of it. Precision at a recall level is the highest at that recall or any higher one.
    Kazai, Lalmas and de Vries, SIGIR 2004, eq. 4 and 5; Gövert, Kazai, Fuhr and Lalmas, 2003.
    """

    def at(self, ranking: ElementRanking, levels: Floats) -> Floats:
        e, s = self.apart(ranking)
        unseen, size = ranking.unseen(), np.maximum(ranking.size, 1)
        element = ranking.element
        some = element >= 0
        exhaustive, specific = (
            np.where(some, grade[element], 0.0) if len(grade) else np.zeros(len(some)) for grade in (e, s)
        )
        total = np.bincount(ranking.places[ranking.base.topic], e, minlength=len(ranking) + 1)[: len(ranking)]
        recall = ratio(ranking.running(exhaustive * unseen / size), ranking.each(total))
        precision = ratio(ranking.running(specific * unseen), ranking.running(unseen))
        best = ranking.best_from(precision)
        columns = {"e": exhaustive, "s": specific, "unseen": unseen, "recall": recall, "precision": precision}
        for name, column in columns.items():
            ranking.column(name, column)
        values = np.zeros((len(ranking), len(levels)))
        for topic in range(len(ranking)):
            here = slice(ranking.starts[topic], ranking.starts[topic + 1])
            at = np.searchsorted(recall[here], levels * (1 - 1e-12))
            values[topic] = np.append(best[here], 0.0)[at]
        return values

    def apart(self, ranking: ElementRanking) -> tuple[Floats, Floats]:
        """Return the quantised exhaustivity and specificity of the assessed elements."""
        elements = ranking.base.elements
        if self.quant not in APART:
            raise UsageError(f"{self}: exhaustivity and specificity are quantised separately; choose from strict, gen")
        grades: tuple[Ints, Floats] = elements.exhaustivity, elements.specificity
        e, s = (
            APART[self.quant](np.maximum(grade, 0), most)
            for grade, most in zip(grades, HIGHEST[elements.scale], strict=True)
        )
        return e, s
