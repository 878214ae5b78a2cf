"""Every place at which any of many texts stands in others, in one pass over those, however many are looked for.

The hash of a window of characters is a polynomial modulo 2^64 (Karp and Rabin, Efficient randomized pattern-matching
algorithms, IBM J. Res. Dev. 31, 1987); from running sums that of any window is known at once. Of each text that is
looked for a short window, its anchor, is looked up at every place; where it stands the hash of the whole text decides.
Texts with the same hash are taken for the same: who must be sure compares them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.documents.folding import Codes
from assay.tables.ids import Bools, Ints, Keys

BASE = 0x9E3779B97F4A7C15
INVERSE = pow(BASE, -1, 1 << 64)
LONGEST_ANCHOR = 32
# So many characters are hashed at a time, and so many places compared.
BLOCK = 1 << 20
MOST_PAIRS = 1 << 22


class _Powers:
    """The powers of the base and of its inverse, as many as were ever needed."""

    def __init__(self) -> None:
        self.up = self.down = np.ones(1, np.uint64)

    def need(self, count: int) -> None:
        """Have at least so many powers."""
        if len(self.up) < count:
            count = max(count, BLOCK + 1)
            self.down = _cumulative_product(INVERSE, count)
            self.up = _cumulative_product(BASE, count)


def _cumulative_product(factor: int, count: int) -> Keys:
    factors = np.full(count, factor, np.uint64)
    factors[0] = 1
    return np.multiply.accumulate(factors)


_POWERS = _Powers()


class Windows:
    """The hashes of all windows of some characters."""

    def __init__(self, codes: Codes):
        _POWERS.need(len(codes) + 1)
        self.sums = np.zeros(len(codes) + 1, np.uint64)
        np.cumsum((codes + np.uint64(1)) * _POWERS.up[: len(codes)], out=self.sums[1:])

    def of_length(self, length: int) -> Keys:
        """The hashes of all windows of a length."""
        return (self.sums[length:] - self.sums[:-length]) * _POWERS.down[: len(self.sums) - length]

    def at(self, start: Ints, end: Ints) -> Keys:
        """The hashes of some windows."""
        return (self.sums[end] - self.sums[start]) * _POWERS.down[start]


class Anchors(NamedTuple):
    """The anchors of one length: their hashes, for each the first of its texts, those in their order, and where hashes
    may be.
    """

    length: int
    hashes: Keys
    first: Ints
    texts: Ints
    may_be: Bools
    shift: np.uint64


class Occurrences(NamedTuple):
    """Where texts stand: the number of the text, and the place at which it begins."""

    text: Ints
    start: Ints


@dataclass(frozen=True, eq=False)
class Wanted:
    """Texts that are looked for, none of them empty: their lengths, their hashes, and where in each its anchor is."""

    length: Ints
    hash: Keys
    anchor_at: Ints
    anchors: list[Anchors]

    @classmethod
    def of(cls, texts: Iterable[Codes]) -> Wanted:
        """Makes ready to look for some texts."""
        parts = [_hashes(codes, lengths) for codes, lengths in _blocks_of_pieces(texts)]
        length, whole, places, hashes = (np.concatenate(column) for column in zip(*parts, strict=True))
        size = _anchor_length(length)
        anchor_at, anchor = np.zeros(len(length), np.int64), np.zeros(len(length), np.uint64)
        anchors = []
        for anchor_length in np.unique(size).tolist():
            rows = np.flatnonzero(size == anchor_length)
            best = _rarest(hashes[rows])
            anchor_at[rows], anchor[rows] = places[rows, best], hashes[rows, best]
            anchors.append(_table(anchor_length, rows, anchor[rows]))
        return cls(length, whole, anchor_at, anchors)

    def within(self, codes: Codes) -> Iterator[Occurrences]:
        """Every occurrence in some characters."""
        windows = Windows(codes)
        for anchors in self.anchors:
            if anchors.length > len(codes):
                continue
            hashes = windows.of_length(anchors.length)
            near = np.flatnonzero(anchors.may_be[hashes >> anchors.shift])
            group = np.searchsorted(anchors.hashes, hashes[near])
            there = anchors.hashes[np.minimum(group, len(anchors.hashes) - 1)] == hashes[near]
            near, group = near[there], group[there]
            count = anchors.first[group + 1] - anchors.first[group]
            for some in _slices(count):
                yield self._verified(windows, anchors, near[some], group[some], count[some])

    def _verified(self, windows: Windows, anchors: Anchors, near: Ints, group: Ints, count: Ints) -> Occurrences:
        member = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        text = anchors.texts[np.repeat(anchors.first[group], count) + member]
        start = np.repeat(near, count) - self.anchor_at[text]
        end = start + self.length[text]
        inside = (start >= 0) & (end < len(windows.sums))
        text, start, end = text[inside], start[inside], end[inside]
        same = windows.at(start, end) == self.hash[text]
        return Occurrences(text[same], start[same])


def _blocks_of_pieces(texts: Iterable[Codes]) -> Iterator[tuple[Codes, Ints]]:
    """The texts one after the other, as many as are hashed at a time, and their lengths."""
    block: list[Codes] = []
    size = 0
    for codes in texts:
        if size and size + len(codes) > BLOCK:
            yield np.concatenate(block), np.array(list(map(len, block)))
            block, size = [], 0
        block.append(codes)
        size += len(codes)
    if block:
        yield np.concatenate(block), np.array(list(map(len, block)))


def _hashes(codes: Codes, lengths: Ints) -> tuple[Ints, Keys, Ints, Keys]:
    """Of each text its length, its hash, where its anchor may be (at the start, in the middle, at the end), and those
    hashes.
    """
    windows, size = Windows(codes), _anchor_length(lengths)
    end = np.cumsum(lengths)
    start = end - lengths
    places = np.stack([np.zeros_like(size), (lengths - size) // 2, lengths - size], axis=1)
    at = start[:, None] + places
    return lengths, windows.at(start, end), places, windows.at(at, at + size[:, None])


def _anchor_length(lengths: Ints) -> Ints:
    """The largest power of two that fits into each text, or the longest anchor."""
    return np.minimum(LONGEST_ANCHOR, 1 << (np.frexp(lengths.astype(np.float64))[1] - 1)).astype(np.int64)


def _rarest(hashes: Keys) -> Ints:
    """Of the windows of each text the one that the fewest texts have: many may begin with the same words."""
    _, group, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    return np.argmin(counts[group].reshape(hashes.shape), axis=1)


def _table(length: int, rows: Ints, anchor: Keys) -> Anchors:
    order = np.argsort(anchor, kind="stable")
    hashes, first = np.unique(anchor[order], return_index=True)
    bits = min(max(len(hashes).bit_length() + 5, 12), 26)
    shift = np.uint64(64 - bits)
    may_be = np.zeros(1 << bits, np.bool_)
    may_be[hashes >> shift] = True
    return Anchors(length, hashes, np.append(first, len(rows)), rows[order], may_be, shift)


def _slices(count: Ints) -> Iterator[slice]:
    """Slices of which each has some pairs, and not too many."""
    total = np.cumsum(count)
    start = 0
    while start < len(count):
        before = total[start] - count[start]
        end = max(start + 1, int(np.searchsorted(total, before + MOST_PAIRS, "right")))
        yield slice(start, end)
        start = end
