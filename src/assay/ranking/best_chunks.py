"""The best that any ranking of the chunks of a topic can reach: after k results, within a budget, or both.

Only chunks with relevant text matter, and of two chunks, one of which lies in the other, a best ranking has one at
most. So a best set of chunks can be put together from left to right: what a chunk adds depends on the one before it
alone. A ranking may be as short as it likes, so that precision can be that of its best chunk.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from assay.ranking.every_set import most_with_cut
from assay.tables.ids import Bools, Floats, Ints
from assay.tables.intervals import Marks, Spans
from assay.tables.judgments import Highlights

# So many numbers may stand in the tables of a budget. With more, sizes are counted in larger units, rounded down.
ROOM = 4_000_000
# So many numbers may be looked at to leave out each chunk in turn, as the one that the budget cuts.
WORK = 60_000_000
NONE = np.zeros(0, np.int64)


class Reached(NamedTuple):
    """What no ranking surpasses, and whether one reaches it."""

    value: float
    exact: bool


class Sets(NamedTuple):
    """Sets of chunks by their last one: how much relevant text they have, how much is read, and what that is worth."""

    gain: Ints
    size: Ints
    worth: Floats


@dataclass(frozen=True, eq=False)
class WithinBudget:
    """What can be read for a budget.

    `gains` has the most relevant text in whole chunks, by how much they cost in units; `cut` the most that there is
    where the last chunk is cut, and `cut_reached` what a ranking reaches so.
    """

    gains: Ints
    unit: int
    cut: int
    cut_reached: int


class BestChunks:
    """The chunks of a topic that have relevant text, on a line on which documents stand apart, by their ends.

    Text that two chunks share is `paid` for twice, or read once.
    """

    def __init__(self, chunks: Spans, marks: Marks, paid: bool):
        self.start, self.end, self.marks, self.paid = chunks.start, chunks.end, marks, paid
        self.size = chunks.size
        self.before = self._upto(self.start)
        self.until = self._upto(self.end)
        self.gain = self.until - self.before
        # the chunks from `first` on, of those before it, share text with a chunk
        self.first = np.searchsorted(self.end, self.start, side="right")
        self.most_shared = int((np.arange(len(self)) - self.first).max(initial=0))
        self.none_in_another = bool(np.all(np.diff(self.start) > 0))
        self._most, self._sets = [0], self._single(0.0)
        self._readings: dict[int, WithinBudget] = {}

    @classmethod
    def on_line(cls, chunks: Spans, gold: Spans, paid: bool) -> BestChunks:
        """The different chunks among some, of which each has relevant text; both lie on the line."""
        start, end = np.unique(np.stack((chunks.start, chunks.end)), axis=1)
        order = np.lexsort((start, end))
        zeros = np.zeros(len(order), np.int64)
        marks = Marks(Highlights(np.zeros(len(gold), np.int64), gold.start, gold.end, NONE, NONE, NONE), 1)
        return cls(Spans(zeros, start[order], end[order]), marks, paid)

    def __len__(self) -> int:
        return len(self.size)

    def _upto(self, place: Ints) -> Ints:
        return self.marks.upto(np.zeros(len(place), np.int64), place)

    def _without(self, left_out: Bools) -> BestChunks:
        """The chunks but for some."""
        kept = ~left_out
        return BestChunks(Spans(self.first[kept], self.start[kept], self.end[kept]), self.marks, self.paid)

    @cached_property
    def union(self) -> Spans:
        """The text of all chunks, each character once."""
        return Spans(np.zeros(len(self), np.int64), self.start, self.end).union(1)

    @cached_property
    def everything(self) -> int:
        """The relevant text of all chunks together."""
        return int(self.marks.within(self.union).sum())

    def fits(self, k: int | None, chars: int | None) -> bool:
        """Whether any k of the chunks can be read within a budget."""
        if chars is None:
            return True
        if k is not None and k < len(self):
            return int(np.sort(self.size)[-k:].sum()) <= chars
        return int((self.size if self.paid else self.union.size).sum()) <= chars

    # What is asked

    def most(self, k: int | None, chars: int | None) -> Reached:
        """The most relevant text that k results and a budget can have."""
        if self.fits(k, chars):
            return Reached(self._most_of(k), True)
        assert chars is not None
        reading = self.reading(chars)
        above = min(max(int(reading.gains[-1]), reading.cut), self.everything)
        reached = max(int(reading.gains[-1]) if reading.unit == 1 else 0, reading.cut_reached)
        if k is None or k >= len(self):
            return Reached(above, above == reached)
        return Reached(min(above, self._most_of(k)), False)

    def ratio(self, base: float, k: int | None, chars: int | None) -> Reached:
        """The most that relevant text can be as a share of what is read and a base that is added to it."""
        if self.fits(k, chars):
            return Reached(self._ratio_of(base, k), True)
        assert chars is not None
        reading = self.reading(chars)
        size = np.maximum(np.arange(len(reading.gains)) * reading.unit, reading.gains)
        share = np.divide(reading.gains, base + size, out=np.zeros(len(size)), where=size > 0)
        whole = float(share.max())
        above, reached = max(whole, reading.cut / (base + chars)), max(whole, reading.cut_reached / (base + chars))
        # whole chunks alone are no bound: one that is cut may be the better for it
        return Reached(above, (k is None or k >= len(self)) and reading.unit == 1 and above == reached)

    # After k results

    def _most_of(self, k: int | None) -> int:
        """The most relevant text of k chunks."""
        if k is None or k >= len(self):
            return self.everything
        while len(self._most) <= k and self._most[-1] < self.everything:
            self._most.append(int(self._sets.gain[np.argmax(self._sets.worth)]))
            self._sets = self._longer(self._sets, 0.0)
        return self._most[min(k, len(self._most) - 1)]

    def _ratio_of(self, base: float, k: int | None) -> float:
        """Dinkelbach's way to the greatest ratio: what beats a ratio is a set whose gain less its price is greatest."""
        if not len(self):
            return 0.0
        ratio = float((self.gain / (base + self.size)).max())
        while True:
            gain, size = self._worthiest(ratio, k)
            better = gain / (base + size)
            if better <= ratio * (1 + 1e-14):
                return ratio
            ratio = better

    def _worthiest(self, price: float, k: int | None) -> tuple[int, int]:
        """Gain and size of a set of at most k chunks whose gain less its price is greatest."""
        sets = self._single(price)
        best, worth = (0, 0), -np.inf
        for _ in range(min(k or len(self), len(self))):
            at = int(np.argmax(sets.worth))
            if sets.worth[at] == -np.inf:
                break
            if sets.worth[at] > worth:
                best, worth = (int(sets.gain[at]), int(sets.size[at])), float(sets.worth[at])
            elif self.paid and self.none_in_another:
                # then each further chunk adds less than the one before
                break
            sets = self._longer(sets, price)
        return best

    def _single(self, price: float) -> Sets:
        """Each chunk alone."""
        return Sets(self.gain, self.size, self.gain - price * self.size)

    def _longer(self, sets: Sets, price: float) -> Sets:
        """The best sets with one chunk more."""
        most = np.maximum.accumulate(sets.worth)
        best = np.maximum.accumulate(np.where(sets.worth == most, np.arange(len(self)), 0))
        before = best[np.maximum(self.first - 1, 0)]
        gain, size = sets.gain[before] + self.gain, sets.size[before] + self.size
        worth = np.where(self.first > 0, sets.worth[before] + self.gain - price * self.size, -np.inf)
        for step in range(1, self.most_shared + 1):
            here = np.flatnonzero(np.arange(len(self)) - step >= self.first)
            here = here[self.start[here - step] < self.start[here]]
            there = here - step
            added = self.until[here] - self.until[there]
            cost = self.size[here] if self.paid else self.end[here] - self.end[there]
            value = sets.worth[there] + added - price * cost
            better = value > worth[here]
            here, there = here[better], there[better]
            gain[here], size[here] = sets.gain[there] + added[better], sets.size[there] + cost[better]
            worth[here] = value[better]
        return Sets(gain, size, worth)

    # Within a budget

    def reading(self, chars: int) -> WithinBudget:
        """What can be read for a budget that is less than all of it."""
        if chars not in self._readings:
            self._readings[chars] = self._read(chars)
        return self._readings[chars]

    def _read(self, chars: int) -> WithinBudget:
        unit = -(-chars * len(self) // ROOM)
        gains = self._gains(chars, unit)
        if gains[-1] == self.everything:
            return WithinBudget(gains, unit, 0, 0)
        cut = cut_reached = 0
        leaves_out = len(self) ** 2 * (chars // unit) * (1 + self.most_shared) <= WORK
        for chunk in range(len(self)):
            shares = (self.start < self.end[chunk]) & (self.end > self.start[chunk])
            alone = bool(shares.sum() == 1)
            others = self._without(np.arange(len(self)) == chunk)._gains(chars, unit) if leaves_out else gains
            above = self._with_cut(others, unit, chunk, chars, alone)
            cut = max(cut, above)
            if leaves_out and unit == 1 and above > cut_reached:
                apart = others if alone else self._without(shares)._gains(chars, unit)
                cut_reached = max(cut_reached, self._with_cut(apart, unit, chunk, chars, True))
        cut = min(cut, self.everything)
        if self.paid and unit == 1 and cut > max(cut_reached, int(gains[-1])):
            cut, cut_reached = self._tried(chars, cut, cut_reached)
        return WithinBudget(gains, unit, cut, cut_reached)

    def _tried(self, chars: int, cut: int, cut_reached: int) -> tuple[int, int]:
        """The bounds of what chunks have of which the last is cut; both are the same where all sets could be tried."""
        begun = [self._upto(start + np.arange(size)) for start, size in zip(self.start, self.size, strict=True)]
        most = most_with_cut(self.before, self.until, self.size, begun, chars)
        return (cut, cut_reached) if most is None else (most, most)

    def _gains(self, chars: int, unit: int) -> Ints:
        """The most relevant text in whole chunks, by what these cost at most."""
        costs = chars // unit + 1
        # best[n] is of sets of the first n chunks; ending[n] of those with chunk n as the last
        best: list[Ints] = [np.zeros(costs, np.int64)]
        ending: list[Ints] = []
        for chunk in range(len(self)):
            first = int(self.first[chunk])
            gains = moved(best[first], int(self.size[chunk]) // unit, int(self.gain[chunk]))
            for before in range(first, chunk):
                if self.start[before] < self.start[chunk]:
                    cost = int(self.size[chunk] if self.paid else self.end[chunk] - self.end[before]) // unit
                    added = int(self.until[chunk] - self.until[before])
                    gains = np.maximum(gains, moved(ending[before], cost, added))
            ending.append(gains)
            best.append(np.maximum(best[-1], gains))
        return best[-1]

    def _with_cut(self, gains: Ints, unit: int, chunk: int, chars: int, alone: bool) -> int:
        """The most relevant text where a chunk is read behind others, and cut where the budget ends.

        Where it is not `alone`, others may share text with it: that makes its beginning no better, unless they are
        passed over, and all that is left of it may be relevant.
        """
        left = np.minimum(chars - np.arange(len(gains)) * unit, self.size[chunk])
        if alone or self.paid:
            beginning = self._upto(self.start[chunk] + left) - self.before[chunk]
        else:
            beginning = np.minimum(left, self.gain[chunk])
        return int((gains + beginning).max())


def moved(gains: Ints, cost: int, added: int) -> Ints:
    """Gains by cost, with something added that has a cost itself; what cannot be had is far below zero."""
    if cost >= len(gains):
        return np.full(len(gains), -(1 << 60))
    return np.concatenate((np.full(cost, -(1 << 60)), gains[: len(gains) - cost] + added))
