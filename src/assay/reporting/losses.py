"""What was found at the cut-offs of the measures, and by what the rest was lost: budget, rank, or search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import counted
from assay.measures.base import Measure
from assay.tables.ids import Ints

if TYPE_CHECKING:
    from assay.ranking.text_ranking import TextRanking

# With more pairs of a system and a topic the page has the losses at the first cut-off only.
MANY = 20_000
# The columns of losses, in characters: read and found until the cut-off, in the rest of the result that the budget
# cuts, and in results below the cut-off.
COLUMNS = ("read", "found", "cut", "low")


@dataclass(frozen=True)
class CutOff:
    """Where a reader stops: after so many results, characters or tokens, or at the end."""

    k: int | None = None
    chars: int | None = None
    tokens: int | None = None

    def words(self) -> str:
        """The cut-off as the page names it."""
        nouns = {"result": self.k, "character": self.chars, "token": self.tokens}
        limits = [counted(limit, noun) for noun, limit in nouns.items() if limit is not None]
        return ", ".join(limits) or "all results"

    @property
    def is_budget(self) -> bool:
        """Whether a result may be cut."""
        return self.chars is not None or self.tokens is not None


def cut_off_of(measure: Measure) -> CutOff | None:
    """Where a measure of text stops; None where it has no place to."""
    if measure.unit == "document" or not {"k", "chars"} <= type(measure).parameters().keys():
        return None
    return CutOff(*(getattr(measure, name, None) for name in ("k", "chars", "tokens")))


def cut_offs(measures: Sequence[Measure], pairs: int) -> list[CutOff]:
    """The cut-offs of some measures as they come, and last the end; the first alone where there are many pairs."""
    known = [cut for measure in measures if (cut := cut_off_of(measure)) and cut != CutOff()]
    every = list(dict.fromkeys([*known, CutOff()]))
    return every if pairs <= MANY else every[:1]


def losses(ranking: TextRanking, cut: CutOff) -> Ints:
    """What was read, found and lost of each topic of a ranking: a row a topic, with a column for each of COLUMNS."""
    top = ranking.top(cut.k)
    within = top.within(cut.chars, cut.tokens)
    # what a result has whose end the budget cuts off is lost by the budget, not by the rank
    begun = top.top(np.diff(within.starts))
    read, in_begun, in_all = (part.total(part.found) for part in (within, begun, ranking))
    return np.stack((within.total(within.size), read, in_begun - read, in_all - in_begun), axis=1)
