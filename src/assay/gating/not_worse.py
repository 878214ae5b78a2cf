"""Whether a run is not worse than another: a paired test over topics, never means alone unless these are asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.comparing.best import POWER, check_level
from assay.comparing.comparison import TESTS
from assay.comparing.paired import METHODS, Question, Sample
from assay.comparing.resampling import few, least_difference, topics_needed
from assay.comparing.significance import check_samples
from assay.errors import InputError, UsageError, counted
from assay.measures.base import Measure, is_mean
from assay.tables.ids import Floats
from assay.vocabulary import GATE_TESTS


@dataclass(frozen=True)
class Demand:
    """How a run must not be worse. Without a margin: no significant loss; with one: a loss of the margin is ruled out.

    With `means_only` no test is made: the mean may be lower by no more than the margin.
    """

    margin: float | None = None
    level: float = 0.05
    test: str = "randomisation"
    means_only: bool = False
    samples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        check_level(self.level)
        check_samples(self.samples, self.seed)
        if self.test not in GATE_TESTS:
            raise UsageError(f"unknown test {self.test!r}; those of a gate are {', '.join(GATE_TESTS)}")
        if self.margin is not None and not 0 <= self.margin < np.inf:
            raise UsageError(f"margin is {self.margin:g}; expected 0 or more, in the unit of the measure")
        if self.level >= 0.5:
            raise UsageError(f"level is {self.level:g}; expected less than 0.5, as 0.05")

    def __str__(self) -> str:
        """What is demanded, in a few words."""
        if self.means_only:
            return "mean not lower" + (f" by more than {self.margin:g}" if self.margin else "")
        if self.margin is None:
            return "no significant loss"
        return f"loss less than {self.margin:g}" if self.margin else "a gain"


@dataclass(frozen=True)
class PairedLoss:
    """What the values of a run and of a baseline tell of a loss: `difference` is the mean of run − baseline.

    `low` and `high` are its confidence interval, `p` is None where no test was made, `about` says how it was decided.
    `could_fail`: whether any loss in the topics that differ would have been significant.
    """

    topics: int
    difference: float
    low: float
    high: float
    p: float | None
    passed: bool
    about: str
    could_fail: bool = True


def paired_loss(measure: Measure, before: Floats, after: Floats, demand: Demand) -> PairedLoss:
    """Whether a run is as demanded, by its values and those of the baseline for the same topics."""
    refuse_what_has_no_mean(measure, before, after, demand)
    # a gain is always above 0
    sign = -1.0 if measure.less_is_better else 1.0
    question = Question(1, demand.samples, demand.seed, 1 - 2 * demand.level)
    observed = Sample(np.array([sign * after, sign * before]), np.array([0]), np.array([1]))
    difference, sd = float(observed.mean[0]), float(observed.sd[0])
    answer = METHODS[demand.test](observed, question)
    low, high = sorted((sign * float(answer.low[0]), sign * float(answer.high[0])))
    p: float
    could_fail = True
    if demand.margin is None:
        loss = Sample(observed.values, observed.second, observed.first)
        p = float(METHODS[demand.test](loss, question).p[0])
        passed = p > demand.level
        differing = int(np.count_nonzero(before != after))
        about = undecidable(differing, demand) if passed else ""
        could_fail = not about
        about = about or f"{'no' if passed else 'a'} significant loss; {noticed(len(after), differing, sd, demand)}"
    else:
        moved = Sample(observed.values + np.array([[demand.margin], [0]]), observed.first, observed.second)
        p = float(METHODS[demand.test](moved, question).p[0])
        passed = p <= demand.level
        about = ruled_out(passed, len(after), difference + demand.margin, sd, demand)
    about = f"{about}; {how(len(after), demand)}"
    return PairedLoss(len(after), sign * difference, low, high, p, passed, about, could_fail)


def refuse_what_has_no_mean(measure: Measure, before: Floats, after: Floats, demand: Demand) -> None:
    """A test compares means of two topics or more, and a loss must be able to be significant."""
    if not is_mean(measure):
        raise UsageError(f"{measure} is no mean over topics, and the test compares means; give means_only=")
    if infinite := int((np.isinf(before) | np.isinf(after)).sum()):
        raise InputError(f"{measure} is infinite for {counted(infinite, 'topic')}; it has no mean that could be tested")
    if len(after) < 2:
        raise InputError(f"{measure} has {counted(len(after), 'topic')}; a test needs 2 or more")
    least = least_p(len(after), demand)
    if demand.margin is None and least > demand.level:
        what = f"with {counted(len(after), 'topic')} no loss can be significant at {demand.level:g}"
        by = f"by the {TESTS[demand.test]}, so that nothing could fail"
        raise InputError(f"{what} {by}; give margin=, or means_only=")


def least_p(topics: int, demand: Demand) -> float:
    """The smallest p that there can be."""
    if demand.test == "t":
        return 0.0
    every = demand.test == "randomisation" and few(topics, demand.samples)
    return 1 / 2**topics if every else 1 / (demand.samples + 1)


def undecidable(differing: int, demand: Demand) -> str:
    """That a run passes because so few topics differ that no loss could be significant; empty where one could be.

    A topic with the same value before and after changes no sign.
    """
    if not differing or least_p(differing, demand) <= demand.level:
        return ""
    enough = next(number for number in range(differing, differing + 100) if least_p(number, demand) <= demand.level)
    differ = f"only {counted(differing, 'topic')} {'differs' if differing == 1 else 'differ'}"
    what = f"where fewer than {enough} do no loss is significant at {demand.level:g}, however great it is"
    return f"passed because nothing could fail: {differ}, and {what}; ask for a margin to have a loss ruled out"


def noticed(topics: int, differing: int, sd: float, demand: Demand) -> str:
    """How small a loss would have been seen, if any topic differs."""
    if not differing:
        return "no topic differs"
    least = least_difference(topics, sd, demand.level, POWER, tails=1)
    return f"one of {least:.4f} or more is noticed with a chance of {POWER:g}"


def ruled_out(passed: bool, topics: int, above: float, sd: float, demand: Demand) -> str:
    """Whether a loss of the margin is ruled out, and if not, with how many topics it would be.

    `above` is by how much the difference is better than a loss of the margin.
    """
    # where no loss at all is allowed, a gain must be shown
    loss = f"a loss of {demand.margin:g} or more" if demand.margin else "that nothing was gained"
    if passed:
        return f"{loss} is ruled out"
    if (least := least_p(topics, demand)) > demand.level:
        return f"{loss} is not ruled out; with {counted(topics, 'topic')} no p can be less than {least:.4g}"
    if above <= 0:
        return f"{loss} is what is seen"
    more = max(topics_needed(above, sd, demand.level, POWER, tails=1) - topics, 1)
    return f"{loss} is not ruled out; {counted(more, 'more topic')} would decide, if the difference is the true one"


def how(topics: int, demand: Demand) -> str:
    """The test, in a few words."""
    parts = [f"{TESTS[demand.test]}, one-tailed at {demand.level:g}, over {counted(topics, 'topic')}"]
    if demand.test == "randomisation" and few(topics, demand.samples):
        parts.append("all changes of signs")
    elif demand.test != "t":
        parts.append(f"{counted(demand.samples, 'sample')}, seed {demand.seed}")
    return ", ".join(parts)


def compared_means(measure: Measure, before: float, after: float, topics: int, demand: Demand) -> PairedLoss:
    """Whether a value over all topics is lower by more than the margin; no test is made."""
    if not np.isfinite([before, after]).all():
        raise InputError(f"{measure} has no value that could be compared: {before:g} before, {after:g} now")
    sign = -1.0 if measure.less_is_better else 1.0
    lost = sign * (before - after) - (demand.margin or 0.0)
    about = f"means alone, over {counted(topics, 'topic')}; no test tells whether a difference is by chance"
    return PairedLoss(topics, after - before, np.nan, np.nan, None, bool(lost <= 1e-12), about)
