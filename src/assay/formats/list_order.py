"""Whether the scores and ranks of chunks agree with the order of the list in which they stand, which is the ranking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from numbers import Real
from typing import Any

from assay.errors import counted
from assay.formats.objects import is_scored, score_beside, values_of


def order_noted(lists: Mapping[Any, Sequence[Any]], label: str) -> list[str]:
    """That the order of the list counts, where scores or ranks tell another: of scores it may be either way round, as
    those of distances rise.
    """
    scores = [numbers(map(score_beside, chunks)) for chunks in lists.values()]
    ranks = [numbers(map(rank_of, chunks)) for chunks in lists.values()]
    # those that are all alike do neither
    rising = sum(rises(each) and not rises(each[::-1]) for each in scores)
    falling = sum(rises(each[::-1]) and not rises(each) for each in scores)
    torn = sum(not rises(each) and not rises(each[::-1]) for each in scores)
    misranked = sum(not rises(each) for each in ranks)
    told = {
        f"the scores neither fall nor rise in {counted(torn, 'topic')}": torn,
        f"the scores fall in {counted(falling, 'topic')} and rise in {rising:,}": not torn and falling and rising,
        f"the ranks do not rise in {counted(misranked, 'topic')}": misranked,
    }
    return [f"{label}: {what}; the order of the list counts" for what, is_so in told.items() if is_so]


def rank_of(given: Any) -> Any:
    """The rank that a chunk tells; None where it tells none."""
    return None if isinstance(given, str) or is_scored(given) else values_of(given)("rank")


def numbers(values: Iterable[Any]) -> list[Any]:
    """Values that are all numbers; none where any is not."""
    listed = list(values)
    return listed if all(isinstance(value, Real) for value in listed) else []


def rises(values: Sequence[Any]) -> bool:
    """Whether no value is lower than the one before it."""
    return all(before <= after for before, after in pairwise(values))
