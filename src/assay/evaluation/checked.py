"""Correct values by a model's judgments with judgments of people; the intervals hold although the model errs.

There are two kinds of samples. Either people judged everything that a measure needs for some topics, drawn at random
(CheckedTopics), or they judged single pairs of a topic and a document, drawn from strata (CheckedPairs). Both give the
corrected value of a run, and the corrected difference of two runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from assay.errors import InputError, UsageError, count_noun
from assay.measures.base import Count, Measure, exact_sum, is_mean
from assay.showing.layout import Cell
from assay.tables.ids import Bools, Floats, Ints

CONFIDENCE = 0.95
# With fewer checked topics, a mean by people is too uncertain to correct anything.
LEAST = 10
# Values that differ by less than this share of the largest differ only by rounding.
SAME = 1e-12


class Estimate(NamedTuple):
    """An estimated mean, its standard error, and the degrees of freedom of Student's t."""

    value: float
    error: float
    free: int

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """Return the confidence interval by Student's t."""
        half = quantile_of_t((1 + confidence) / 2, self.free) * self.error
        return self.value - half, self.value + half

    def p(self, tails: int = 2, bound: float = 0.0) -> float:
        """Return p, by Student's t, for a mean equal to the bound; with one tail, for a mean not above the bound."""
        above = self.value - bound
        if not self.error:
            is_apart = (abs(above) if tails == 2 else above) > SAME
            return 0.0 if is_apart else 1.0
        t = above / self.error
        return 2 * chance_of_t(-abs(t), self.free) if tails == 2 else chance_of_t(-t, self.free)


def quantile_of_t(chance: float, free: int) -> float:
    """Return the number that Student's t is below with this probability."""
    from scipy.special import stdtrit

    return float(stdtrit(free, chance))


def chance_of_t(t: float, free: int) -> float:
    """Return the probability that Student's t is at most `t`."""
    from scipy.special import stdtr

    return float(stdtr(free, t))


def mean(values: Floats) -> float:
    """Return the mean, summed without rounding errors, as in an evaluation."""
    return exact_sum(values) / len(values)


def variance(values: Floats) -> float:
    """Return the sample variance, divisor n − 1; 0 if all values are the same but for rounding."""
    if len(values) < 2:
        return 0.0
    found = float(values.var(ddof=1))
    return found if found > (SAME * float(np.abs(values).max())) ** 2 else 0.0


def mean_of_sample(values: Floats) -> Estimate:
    """Return the mean of a random sample: se² = var / n."""
    return Estimate(mean(values), math.sqrt(variance(values) / len(values)), len(values) - 1)


# Prediction-powered inference: Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, Science 382, 2023; with the weight of
# Angelopoulos, Duchi and Zrnic, PPI++: Efficient prediction-powered inference, 2023.


def weight_of_model(h: Floats, m: Floats, u: Floats) -> float:
    """Return how far to rely on the model: the weight that makes the variance of the corrected mean least.

        λ* = cov(h, m) / ((1 + n/N) · var(m and u together)), cut to [0, 1]

    h, m: the values by people and by the model for the n topics that people checked; u: the model's values for the N
    other topics. The weight is 0 if N < 2, because var(u) does not exist, and if the model's values are all the same,
    because then they say nothing.
    """
    n, others = len(h), len(u)
    spread = variance(np.concatenate([m, u]))
    if others < 2 or not spread or not variance(m):
        return 0.0
    together = float(np.cov(h, m, ddof=1)[0, 1])
    return min(1.0, max(0.0, together / ((1 + n / others) * spread)))


def corrected_mean(h: Floats, m: Floats, u: Floats) -> tuple[Estimate, float]:
    """Return the mean of the population that the topics come from, and the weight λ of the model.

        θ(λ) = λ · mean(u) + mean(h − λ m)
        se²  = var(h − λ m) / n + λ² · var(u) / N,   interval by t with n − 1 degrees of freedom
    """
    weight = weight_of_model(h, m, u)
    if not weight:
        return mean_of_sample(h), 0.0
    corrections = h - weight * m
    value = weight * mean(u) + mean(corrections)
    error = math.sqrt(variance(corrections) / len(h) + weight**2 * variance(u) / len(u))
    return Estimate(value, error, len(h) - 1), weight


@dataclass(frozen=True)
class Correction:
    """A value over topics by a model's judgments, corrected by people's judgments.

    `corrected` and `people` are estimates with and without the model; `model` is the value by the model alone. `bias`
    is how much higher the model's values are than people's for what both judged. `weight` is λ. People judged `checked`
    of the `total` topics, or pairs of a topic and a document.
    """

    corrected: Estimate
    people: Estimate
    model: float
    bias: Estimate
    weight: float
    checked: int
    total: int

    @property
    def value(self) -> float:
        """The corrected value."""
        return self.corrected.value

    @property
    def worth(self) -> float:
        """How many more topics or pairs people would have to judge without the model: n · se_people² / se² − n."""
        if not self.corrected.error:
            return math.inf if self.people.error else 0.0
        return self.checked * (self.people.error / self.corrected.error) ** 2 - self.checked

    def judge(self, less_is_better: bool = False) -> str:
        """Return the bias in words; it is not clear if its 95% interval contains 0."""
        low, high = self.bias.interval()
        if low <= 0 <= high:
            return f"no clear bias: {self.bias.value:+.2f}"
        generous = (self.bias.value > 0) != less_is_better
        return f"the model is {'generous' if generous else 'strict'}: {self.bias.value:+.2f}"

    def record(self, less_is_better: bool = False) -> dict[str, Any]:
        """Return everything as a record for JSON."""
        low, high = self.corrected.interval()
        people_low, people_high = self.people.interval()
        return {
            "value": self.value, "low": low, "high": high, "model": self.model, "people": self.people.value,
            "people_low": people_low, "people_high": people_high, "lambda": self.weight,
            "worth": self.worth if math.isfinite(self.worth) else None, "bias": self.bias.value,
            "judge": self.judge(less_is_better), "checked": self.checked, "total": self.total,
        }  # fmt: skip


# The columns of a table of corrected values; a file of rows has those of the records.
EXACT_COLUMNS = ("value", "low", "high", "model", "people", "people_low", "people_high", "lambda", "worth", "judge")


def shown_cells(record: Mapping[str, Any], is_exact: bool, digits: int) -> dict[str, Any]:
    """Return the cells of a row by column; a value that nobody checked has no other cells."""
    if is_exact:
        return {name: "" if record.get(name) is None else record[name] for name in EXACT_COLUMNS}

    def ends(low: str, high: str) -> str:
        return f"{record[low]:.{digits}f} / {record[high]:.{digits}f}" if low in record else ""

    is_checked = "model" in record
    return {
        "value": record["value"],
        "95% CI, low / high": ends("low", "high"),
        "model": record.get("model", ""),
        "people": record.get("people", ""),
        "people's CI, low / high": ends("people_low", "people_high"),
        "λ": Cell(record["lambda"], 2) if is_checked else "",
        "worth": Cell(record["worth"], 0) if is_checked and record["worth"] is not None else "",
        "judge": record.get("judge", ""),
    }


@dataclass(frozen=True, eq=False)
class Checked:
    """What people checked of some scores; model[system, measure, topic] are the values by the model's judgments."""

    model: Floats

    # what people checked: topics or pairs
    noun = "topic"

    def corrects(self, measure: int) -> bool:
        """Return whether the values of a measure are corrected; scores can have measures that people did not check."""
        raise NotImplementedError

    def correction(self, system: int, measure: int, minus: int | None = None, among: Bools | None = None) -> Correction:
        """Return the corrected value of a system, or of its difference from another.

        minus: the number of the other system. among: use only these topics.
        """
        raise NotImplementedError

    def only(self, measures: list[int]) -> Checked:
        """Return a copy with only some measures."""
        raise NotImplementedError

    def of_topics(self, kept: Bools) -> Checked:
        """Return a copy with only some topics."""
        raise NotImplementedError

    def beside(self, values: Floats) -> Checked:
        """Return a copy with the values of more measures, which people did not check."""
        raise NotImplementedError

    def in_order(self, topics: list[int]) -> Checked:
        """Return a copy with the topics in another order."""
        raise NotImplementedError

    def and_another(self, system: int, other: Checked, other_system: int, measures: tuple[int, int]) -> Checked:
        """Combine one of these systems with one of other scores; `measures` has the place of the measure in each."""
        raise NotImplementedError

    @property
    def about(self) -> str:
        """What people checked, in a few words."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class CheckedTopics(Checked):
    """Topics that people checked; people[system, measure, topic] are the values by their judgments, else NaN."""

    people: Floats

    def corrects(self, measure: int) -> bool:
        """Return whether people judged anything for this measure."""
        return not bool(np.isnan(self.people[:, measure]).all())

    def correction(self, system: int, measure: int, minus: int | None = None, among: Bools | None = None) -> Correction:
        """Return θ, λ and se of the values h, m and u, or of their differences between two systems."""
        h, m = self.people[system, measure], self.model[system, measure]
        if minus is not None:
            h, m = h - self.people[minus, measure], m - self.model[minus, measure]
        if among is not None:
            h, m = h[among], m[among]
        is_checked = ~np.isnan(h)
        h, m, u = h[is_checked], m[is_checked], m[~is_checked & ~np.isnan(m)]
        if len(h) < LEAST:
            raise InputError(f"people checked {count_noun(len(h), 'topic')}; a corrected value needs at least {LEAST}")
        corrected, weight = corrected_mean(h, m, u)
        by_people, of_model, total = mean_of_sample(h), mean(np.concatenate([m, u])), len(h) + len(u)
        return Correction(corrected, by_people, of_model, mean_of_sample(m - h), weight, len(h), total)

    @property
    def values(self) -> Floats:
        """The values by topic: by people's judgments if they judged the topic, else by the model's."""
        return np.where(np.isnan(self.people), self.model, self.people)

    def only(self, measures: list[int]) -> CheckedTopics:
        """Return a copy with only some measures."""
        return CheckedTopics(self.model[:, measures], self.people[:, measures])

    def of_topics(self, kept: Bools) -> CheckedTopics:
        """Return a copy with only some topics."""
        return CheckedTopics(self.model[:, :, kept], self.people[:, :, kept])

    def beside(self, values: Floats) -> CheckedTopics:
        """Return a copy with the values of more measures, which people did not check."""
        unchecked = np.full(values.shape, np.nan)
        together = [np.concatenate(both, axis=1) for both in ((self.model, values), (self.people, unchecked))]
        return CheckedTopics(*together)

    def in_order(self, topics: list[int]) -> CheckedTopics:
        """Return a copy with the topics in another order."""
        return CheckedTopics(self.model[:, :, topics], self.people[:, :, topics])

    def and_another(self, system: int, other: Checked, other_system: int, measures: tuple[int, int]) -> CheckedTopics:
        """Combine one of these systems with a system of other scores."""
        assert isinstance(other, CheckedTopics)
        places = ((self, system, measures[0]), (other, other_system, measures[1]))
        rows = [np.array([getattr(of, name)[s, m] for of, s, m in places])[:, None] for name in ("model", "people")]
        return CheckedTopics(*rows)

    @cached_property
    def is_checked(self) -> Bools:
        """Which topics people checked, for any system and measure."""
        return np.asarray(~np.isnan(self.people).all(axis=(0, 1)))

    @property
    def about(self) -> str:
        """How many topics people checked, for a legend."""
        return f"{int(self.is_checked.sum()):,} of {count_noun(len(self.is_checked), 'topic')} checked by people"


@dataclass(frozen=True, eq=False)
class CheckedPairs(Checked):
    """Pairs of a topic and a document that people checked, drawn from strata.

    A measure is the mean over topics of Σ w · gain. `human` and `machine[system, measure, pair]` are w · gain by
    people's grade and by the model's grade. `stratum` is the number of each pair's stratum, and `sizes` the number of
    pairs in each stratum, checked or not. `values[system, measure, topic]` use people's grades for pairs that they
    judged, and the model's grades for the others.
    """

    values: Floats
    human: Floats
    machine: Floats
    stratum: Ints
    sizes: Ints

    noun = "pair"

    def corrects(self, measure: int) -> bool:
        """Return whether people judged anything for this measure."""
        return not bool(np.isnan(self.human[:, measure]).all())

    def correction(self, system: int, measure: int, minus: int | None = None, among: Bools | None = None) -> Correction:
        """θ = (1/T) [Σ w m + Σ_sampled w (h − m) / π], with the model's values over all T topics."""
        if among is not None:
            self.of_topics(among)
        h, m, by_model = self.human[system, measure], self.machine[system, measure], self.model[system, measure]
        if minus is not None:
            h, m = h - self.human[minus, measure], m - self.machine[minus, measure]
            by_model = by_model - self.model[minus, measure]
        topics, of_model = len(by_model), mean(by_model)
        corrections = self._total(h - m, topics)
        corrected = Estimate(of_model + corrections.value, corrections.error, corrections.free)
        bias = Estimate(-corrections.value, corrections.error, corrections.free)
        return Correction(
            corrected, self._total(h, topics), of_model, bias, 1.0, len(self.stratum), int(self.sizes.sum())
        )

    def _total(self, values: Floats, topics: int) -> Estimate:
        """Estimate the total over all pairs of all strata, per topic, from the sampled pairs.

            Σ_s N_s · mean_s,   variance Σ_s N_s² (1 − n_s/N_s) s_s² / n_s
        """
        total = spread = 0.0
        for number, size in enumerate(self.sizes.tolist()):
            sampled = values[self.stratum == number]
            total += size * mean(sampled)
            spread += size**2 * (1 - len(sampled) / size) * variance(sampled) / len(sampled)
        return Estimate(total / topics, math.sqrt(spread) / topics, max(len(values) - len(self.sizes), 1))

    def only(self, measures: list[int]) -> CheckedPairs:
        """Return a copy with only some measures."""
        names = ("model", "values", "human", "machine")
        return replace(self, **{name: getattr(self, name)[:, measures] for name in names})

    def of_topics(self, kept: Bools) -> CheckedPairs:
        """Raise an error: strata span all topics, so pairs cannot be split by topic."""
        raise UsageError("checked pairs sample all topics together; to correct groups of topics, check whole topics")

    def beside(self, values: Floats) -> CheckedPairs:
        """Return a copy with the values of more measures, which people did not check."""
        unchecked = np.full((*values.shape[:2], len(self.stratum)), np.nan)
        further = {"model": values, "values": values, "human": unchecked, "machine": unchecked}
        return replace(self, **{name: np.concatenate([getattr(self, name), x], axis=1) for name, x in further.items()})

    def in_order(self, topics: list[int]) -> CheckedPairs:
        """Return a copy with the topics in another order."""
        return replace(self, model=self.model[:, :, topics], values=self.values[:, :, topics])

    def and_another(self, system: int, other: Checked, other_system: int, measures: tuple[int, int]) -> CheckedPairs:
        """Combine one of these systems with a system of other scores."""
        assert isinstance(other, CheckedPairs)
        places = ((self, system, measures[0]), (other, other_system, measures[1]))
        names = ("model", "values", "human", "machine")
        rows = {name: np.array([getattr(of, name)[s, m] for of, s, m in places])[:, None] for name in names}
        return replace(self, **rows)

    @property
    def about(self) -> str:
        """How many pairs people checked, for a legend."""
        return f"{len(self.stratum):,} of {count_noun(int(self.sizes.sum()), 'pair')} checked by people"


def refuse_other_means(measures: list[Measure]) -> None:
    """Raise an error for measures that are not arithmetic means."""
    for measure in measures:
        if not is_mean(measure) or isinstance(measure, Count):
            how = "is a sum over topics" if isinstance(measure, Count) else "is not an arithmetic mean over topics"
            what = f"{measure} {how}; people's judgments correct only arithmetic means such as AP"
            raise UsageError(f"{what}; leave out {measure}")
