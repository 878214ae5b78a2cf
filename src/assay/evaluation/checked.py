"""Values by a model's judgments, corrected by judgments of people: means whose intervals hold although the model errs.

Two samples are known. Either people judged all that a measure needs of some topics, drawn at random (CheckedTopics); or
they judged single pairs of a topic and a document, drawn from strata (CheckedPairs). Both answer the same questions:
the corrected value of a run, and the corrected difference of two runs.
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
# With fewer checked topics a mean by people is no ground for anything.
LEAST = 10
# Values that differ by less than this share of the greatest differ by rounding alone.
SAME = 1e-12


class Estimate(NamedTuple):
    """An estimated mean, its standard error, and the degrees of freedom."""

    value: float
    error: float
    free: int

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """Return the confidence interval by Student's t."""
        half = quantile_of_t((1 + confidence) / 2, self.free) * self.error
        return self.value - half, self.value + half

    def p(self, tails: int = 2, bound: float = 0.0) -> float:
        """The p of Student's t that the mean is the bound; with one tail, that it is not above the bound."""
        above = self.value - bound
        if not self.error:
            is_apart = (abs(above) if tails == 2 else above) > SAME
            return 0.0 if is_apart else 1.0
        t = above / self.error
        return 2 * chance_of_t(-abs(t), self.free) if tails == 2 else chance_of_t(-t, self.free)


def quantile_of_t(chance: float, free: int) -> float:
    """The number below which Student's t is with this chance."""
    from scipy.special import stdtrit

    return float(stdtrit(free, chance))


def chance_of_t(t: float, free: int) -> float:
    """The chance that Student's t is at most a number."""
    from scipy.special import stdtr

    return float(stdtr(free, t))


def mean(values: Floats) -> float:
    """The mean, added up without rounding errors, as that of an evaluation."""
    return exact_sum(values) / len(values)


def variance(values: Floats) -> float:
    """The sample variance, divisor n − 1; 0 where all values are the same but for rounding."""
    if len(values) < 2:
        return 0.0
    found = float(values.var(ddof=1))
    return found if found > (SAME * float(np.abs(values).max())) ** 2 else 0.0


def mean_of_sample(values: Floats) -> Estimate:
    """The mean of a random sample: se² = var / n."""
    return Estimate(mean(values), math.sqrt(variance(values) / len(values)), len(values) - 1)


# Prediction-powered inference: Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, Science 382, 2023; with the weight of
# Angelopoulos, Duchi and Zrnic, PPI++: Efficient prediction-powered inference, 2023.


def weight_of_model(h: Floats, m: Floats, u: Floats) -> float:
    """How far the model is relied on: the weight for which the variance of the corrected mean is least.

        λ* = cov(h, m) / ((1 + n/N) · var(m and u together)), cut to [0, 1]

    h, m: the values by people and by the model of the n topics that people checked; u: those by the model of the N
    others. Where N < 2 there is no var(u), and where the model's values are all the same they tell nothing: 0.
    """
    n, others = len(h), len(u)
    spread = variance(np.concatenate([m, u]))
    if others < 2 or not spread or not variance(m):
        return 0.0
    together = float(np.cov(h, m, ddof=1)[0, 1])
    return min(1.0, max(0.0, together / ((1 + n / others) * spread)))


def corrected_mean(h: Floats, m: Floats, u: Floats) -> tuple[Estimate, float]:
    """The mean of the population that the topics come from, and the weight λ of the model.

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

    `corrected` and `people` are estimates, with and without the model; `model` is the value by the model alone. `bias`
    is how much higher the model is than people, where both judged. `weight` is λ. Of the `total` of topics, or of pairs
    of a topic and a document, people judged `checked`.
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
    """What a row shows of a corrected value, by column; of a value that nobody checked the value alone."""
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
    """What people checked of some scores; `model[system, measure, topic]` are the values by the model's judgments."""

    model: Floats

    # what people checked, and the form that saved scores have for it
    noun = "topic"

    def corrects(self, measure: int) -> bool:
        """Whether the values of a measure are corrected: others may be beside them, of which people judged nothing."""
        raise NotImplementedError

    def correction(self, system: int, measure: int, minus: int | None = None, among: Bools | None = None) -> Correction:
        """The corrected value of a system, or that of its difference from another; among: of some topics."""
        raise NotImplementedError

    def only(self, measures: list[int]) -> Checked:
        """What was checked of some measures."""
        raise NotImplementedError

    def of_topics(self, kept: Bools) -> Checked:
        """What was checked of some topics."""
        raise NotImplementedError

    def beside(self, values: Floats) -> Checked:
        """The same with the values of further measures, of which nothing was checked."""
        raise NotImplementedError

    def in_order(self, topics: list[int]) -> Checked:
        """The same with the topics in another order."""
        raise NotImplementedError

    def and_another(self, system: int, other: Checked, other_system: int, measures: tuple[int, int]) -> Checked:
        """A system of these and one of others as two systems by one measure, which has a place in each."""
        raise NotImplementedError

    @property
    def about(self) -> str:
        """What people checked, in a few words."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class CheckedTopics(Checked):
    """`people[system, measure, topic]` are the values by people's judgments, NaN where they did not judge."""

    people: Floats

    def corrects(self, measure: int) -> bool:
        """Whether people judged anything of it."""
        return not bool(np.isnan(self.people[:, measure]).all())

    def correction(self, system: int, measure: int, minus: int | None = None, among: Bools | None = None) -> Correction:
        """θ, λ and se of the values h, m and u; of two systems, of the differences of these."""
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
        """The values by topic: people's where they judged, and the model's elsewhere."""
        return np.where(np.isnan(self.people), self.model, self.people)

    def only(self, measures: list[int]) -> CheckedTopics:
        """What was checked of some measures."""
        return CheckedTopics(self.model[:, measures], self.people[:, measures])

    def of_topics(self, kept: Bools) -> CheckedTopics:
        """What was checked of some topics."""
        return CheckedTopics(self.model[:, :, kept], self.people[:, :, kept])

    def beside(self, values: Floats) -> CheckedTopics:
        """The same with the values of further measures, of which nothing was checked."""
        unchecked = np.full(values.shape, np.nan)
        together = [np.concatenate(both, axis=1) for both in ((self.model, values), (self.people, unchecked))]
        return CheckedTopics(*together)

    def in_order(self, topics: list[int]) -> CheckedTopics:
        """The same with the topics in another order."""
        return CheckedTopics(self.model[:, :, topics], self.people[:, :, topics])

    def and_another(self, system: int, other: Checked, other_system: int, measures: tuple[int, int]) -> CheckedTopics:
        """Two systems of two scores."""
        assert isinstance(other, CheckedTopics)
        places = ((self, system, measures[0]), (other, other_system, measures[1]))
        rows = [np.array([getattr(of, name)[s, m] for of, s, m in places])[:, None] for name in ("model", "people")]
        return CheckedTopics(*rows)

    @cached_property
    def is_checked(self) -> Bools:
        """Which topics people checked, of any system and measure."""
        return np.asarray(~np.isnan(self.people).all(axis=(0, 1)))

    @property
    def about(self) -> str:
        """How many topics people checked."""
        return f"{int(self.is_checked.sum()):,} of {count_noun(len(self.is_checked), 'topic')} checked by people"


@dataclass(frozen=True, eq=False)
class CheckedPairs(Checked):
    """Pairs of a topic and a document that people checked, drawn from strata.

    A measure is the mean over topics of Σ w · gain. `human` and `machine[system, measure, pair]` are w · gain by the
    grade of people and by that of the model; `stratum` is the number of each pair's stratum, and `sizes` has how many
    pairs each stratum has, checked or not. `values[system, measure, topic]` are by people's grades where they judged,
    and by the model's elsewhere.
    """

    values: Floats
    human: Floats
    machine: Floats
    stratum: Ints
    sizes: Ints

    noun = "pair"

    def corrects(self, measure: int) -> bool:
        """Whether people judged anything of it."""
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
        """What the pairs of all strata add up to, a topic, by what the sampled ones have.

            Σ_s N_s · mean_s,   variance Σ_s N_s² (1 − n_s/N_s) s_s² / n_s
        """
        total = spread = 0.0
        for number, size in enumerate(self.sizes.tolist()):
            sampled = values[self.stratum == number]
            total += size * mean(sampled)
            spread += size**2 * (1 - len(sampled) / size) * variance(sampled) / len(sampled)
        return Estimate(total / topics, math.sqrt(spread) / topics, max(len(values) - len(self.sizes), 1))

    def only(self, measures: list[int]) -> CheckedPairs:
        """What was checked of some measures."""
        names = ("model", "values", "human", "machine")
        return replace(self, **{name: getattr(self, name)[:, measures] for name in names})

    def of_topics(self, kept: Bools) -> CheckedPairs:
        """Strata reach over all topics."""
        raise UsageError("checked pairs sample all topics together; to correct groups of topics, check whole topics")

    def beside(self, values: Floats) -> CheckedPairs:
        """The same with the values of further measures, of which nothing was checked."""
        unchecked = np.full((*values.shape[:2], len(self.stratum)), np.nan)
        further = {"model": values, "values": values, "human": unchecked, "machine": unchecked}
        return replace(self, **{name: np.concatenate([getattr(self, name), x], axis=1) for name, x in further.items()})

    def in_order(self, topics: list[int]) -> CheckedPairs:
        """The same with the topics in another order."""
        return replace(self, model=self.model[:, :, topics], values=self.values[:, :, topics])

    def and_another(self, system: int, other: Checked, other_system: int, measures: tuple[int, int]) -> CheckedPairs:
        """Two systems of two scores."""
        assert isinstance(other, CheckedPairs)
        places = ((self, system, measures[0]), (other, other_system, measures[1]))
        names = ("model", "values", "human", "machine")
        rows = {name: np.array([getattr(of, name)[s, m] for of, s, m in places])[:, None] for name in names}
        return replace(self, **rows)

    @property
    def about(self) -> str:
        """How many pairs people checked."""
        return f"{len(self.stratum):,} of {count_noun(int(self.sizes.sum()), 'pair')} checked by people"


def refuse_other_means(measures: list[Measure]) -> None:
    """Raise an error for measures that are not arithmetic means."""
    for measure in measures:
        if not is_mean(measure) or isinstance(measure, Count):
            how = "is a sum over topics" if isinstance(measure, Count) else "is not an arithmetic mean over topics"
            what = f"{measure} {how}; people's judgments correct only arithmetic means such as AP"
            raise UsageError(f"{what}; leave out {measure}")
