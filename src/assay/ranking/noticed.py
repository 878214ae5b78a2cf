"""What is noticed when a run is ranked, as numbers that add up over its parts."""

from __future__ import annotations

from operator import add
from typing import NamedTuple

from assay.tables.ids import Ints


class Met(NamedTuple):
    """How many results of judged topics there are, how many are of judged documents, and how many could have been.

    `apart` are the topics with results of which none is of a judged document. Where text is counted also how many are
    of documents with highlighted text, and how many have any of it; else None.
    """

    results: int
    judged: int
    possible: int
    apart: Ints
    in_marked: int | None = None
    marked: int | None = None


class Counts(NamedTuple):
    """In how many topics, or of how many results, something had to be decided; `falling` is as it should be."""

    tied: int = 0
    overlapping: int = 0
    same: int = 0
    too_long: int = 0
    beyond: int = 0
    disputed: int = 0
    misranked: int = 0
    repeats: int = 0
    rising: int = 0
    falling: int = 0
    absent: int = 0

    def plus(self, other: Counts) -> Counts:
        """The counts of two parts."""
        return Counts(*map(add, self, other))

    @property
    def is_plain(self) -> bool:
        """Whether nothing had to be decided."""
        return not any(self._replace(falling=0))


class Noticed(NamedTuple):
    """Which of the pool's topics some results are of, and what was noticed when they were ranked."""

    topics: Ints
    unjudged: list[str]
    met: Met
    counts: Counts = Counts()
    has_parts: bool = False
    notes: tuple[str, ...] = ()
