"""The cost of reading: how much text is read twice, and how far a reader must go."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from assay.measures.base import Measure, budget, cut, fit, parameter, token_budget
from assay.ranking.documents import Ranking, Values, ratio
from assay.ranking.kinds import TEXT
from assay.ranking.text import of_text
from assay.tables.ids import Floats, Ints
from assay.vocabulary import Fit

EULER = 0.57721566490153286


@dataclass(frozen=True, kw_only=True)
class Redundancy(Measure):
    """Redundancy: the share of the returned text that was returned before, at an earlier rank.

        Redundancy@k = 1 − |p_1 ∪ … ∪ p_k| / Σ |p_i|        Redundancy(chars=c): of the first c characters

    It is a property of the chunks, not of the reader: it counts repeated text even if the reader skips it
    (overlap=new). If overlapping results are dropped (overlap=drop), it is 0. After Zhang, Callan and Minka, Novelty
    and redundancy detection in adaptive filtering, SIGIR 2002.
    """

    kinds = (TEXT,)
    less_is_better = True
    worked = "{Σ repeated} / {Σ returned}"
    k: int | None = cut()
    chars: int | None = budget()
    tokens: int | None = token_budget()
    fit: Fit = fit()

    def __call__(self, ranking: Ranking) -> Values:
        top = of_text(ranking, self).top(self.k).within(self.chars, self.tokens, self.fit)
        return ratio(top.total(top.repeated, "repeated"), top.total(top.returned, "returned"))


@dataclass(frozen=True, kw_only=True)
class Budget(Measure):
    """Budget: the number of characters to read until a given share of the highlighted text was seen.

        Budget@x = min{ c : R(chars=c) ≥ x },  ∞ if recall x is never reached

    Recall is compared exactly, in whole numbers. Over topics it is the median. Topics that never reach the recall have
    an infinite budget, and a note names them; if they are more than half, the median is infinite too. A topic with
    nothing relevant never reaches any recall. Less is better. After Cooper, Expected search length, American
    Documentation 19(1), 1968.
    """

    kinds = (TEXT,)
    cutoff = "recall"
    may_be_infinite = True
    less_is_better = True
    recall: float = parameter(
        0.8, "recall level, from 0 to 1", least=0, most=1, must="expected a recall level between 0 and 1"
    )

    def __call__(self, ranking: Ranking) -> Values:
        ranking = of_text(ranking, self)
        level = Fraction(str(self.recall))
        base = ranking.recall_base(1)
        needed = ranking.quantity("needed", -(-level.numerator * base // level.denominator))
        topic, before, size = ranking.newly_found
        gained = np.append(0, np.cumsum(size))
        bounds = np.searchsorted(topic, np.arange(len(ranking) + 1))
        # the piece in which the reader sees the last character needed
        at = np.searchsorted(gained, gained[bounds[:-1]] + needed) - 1
        reached = (base > 0) & (needed > 0) & (at < bounds[1:])
        read = np.where((base > 0) & (needed == 0), 0.0, np.inf)
        at = at[reached]
        read[reached] = before[at] + (gained[bounds[:-1]] + needed)[reached] - gained[at]
        return read

    def over_topics(self, values: Floats) -> float:
        """Return the median."""
        return float(np.median(values)) if len(values) else 0.0


@dataclass(frozen=True, kw_only=True)
class RecallArea(Measure):
    """The area under recall: the mean recall over all budgets up to a number of characters.

        RecallArea(chars=n) = (1/n) Σ_c R(chars=c),  c = 1 … n
        scale=log: Σ_c R(chars=c)/c / Σ_c 1/c, as on a logarithmic axis, where small budgets weigh as much as large ones

    It is exact, at every character. No list reaches 1, because reading the first relevant characters uses budget.
    Recall over effort is after Cormack and Grossman, Evaluation of machine-learning protocols for technology-assisted
    review, SIGIR 2014.
    """

    kinds = (TEXT,)
    chars: int = parameter(10_000, "the largest budget, in characters")
    scale: str = parameter("linear", "weights of budgets: linear (all equal) or log", choices=("linear", "log"))

    def __call__(self, ranking: Ranking) -> Values:
        ranking = of_text(ranking, self)
        topic, before, size = ranking.newly_found
        inside = before < self.chars
        first, last = before[inside], np.minimum(before + size, self.chars)[inside]
        # the p-th character that is read counts in the budgets p … n
        if self.scale == "linear":
            counted, whole = (last - first) * (self.chars - (first + last - 1) / 2), float(self.chars)
        else:
            whole = float(harmonic(np.array(self.chars)))
            counted = (last - first) * whole - (last * (harmonic(last) - 1) - first * (harmonic(first) - 1))
        return ratio(np.bincount(topic[inside], counted, minlength=len(ranking)), ranking.recall_base(1) * whole)


def harmonic(number: Ints) -> Floats:
    """Return 1 + 1/2 + … + 1/n."""
    first = np.append(0.0, np.cumsum(1 / np.arange(1.0, 100)))
    n = np.maximum(number, 1).astype(np.float64)
    # from n = 100 on, the terms left out are below the last digit
    series = np.log(n) + EULER + 1 / (2 * n) - 1 / (12 * n**2) + 1 / (120 * n**4)
    return np.where(number < 100, first[np.minimum(number, 99)], series)
