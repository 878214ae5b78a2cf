"""How many topics tell a difference from chance, and how small a difference a number of topics can tell."""

from __future__ import annotations

import math

from assay.comparing.resampling import scipy
from assay.errors import UsageError


def topics_needed(difference: float, sd: float, alpha: float = 0.05, power: float = 0.8, tails: int = 2) -> int:
    """The number of topics with which a paired t-test finds a mean difference with this power.

    `sd` is the standard deviation of the differences over topics. The number is the smallest n for which a t of n − 1
    degrees of freedom and noncentrality √n · difference/sd exceeds the critical value with probability `power`. Cohen,
    Statistical Power Analysis for the Behavioral Sciences, 1988, ch. 2.
    """
    if not difference or not sd >= 0:
        apart = f"a difference of {difference:g} from 0 where differences spread by {sd:g}"
        raise UsageError(f"no number of topics tells {apart}")
    for name, share in (("alpha", alpha), ("power", power)):
        if not 0 < share < 1:
            raise UsageError(f"{name} is {share:g}; expected a number between 0 and 1")
    check_tails(tails)
    effect = abs(difference) / sd if sd else math.inf
    low, high = 1, 2
    while _power(high, effect, alpha, tails) < power:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _power(middle, effect, alpha, tails) >= power else (middle, high)
    return high


def _power(topics: int, effect: float, alpha: float, tails: int) -> float:
    special, free = scipy("special"), topics - 1
    shift, critical = effect * math.sqrt(topics), special.stdtrit(free, 1 - alpha / tails)
    # so far out the distribution cannot be computed; the power is 1 to all digits
    if shift > 30 + critical:
        return 1.0
    wrong_way = special.nctdtr(free, shift, -critical) if tails == 2 and shift < 5 else 0.0
    return float(1 - special.nctdtr(free, shift, critical) + wrong_way)


def check_tails(tails: int) -> None:
    """Refuses anything but one or two tails."""
    if tails not in (1, 2):
        raise UsageError(f"tails is {tails!r}; expected 1 (is the first better?) or 2 (do they differ?)")


def least_difference(topics: int, sd: float, alpha: float = 0.05, power: float = 0.8, tails: int = 2) -> float:
    """The smallest true difference that a paired t-test finds with this power, over so many topics.

    `sd` is the standard deviation of the differences over topics. It is what `topics_needed` tells the other way round.
    """
    low, high = 0.0, 1.0
    while _power(topics, high, alpha, tails) < power:
        low, high = high, high * 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if _power(topics, middle, alpha, tails) >= power else (middle, high)
    return high * sd
