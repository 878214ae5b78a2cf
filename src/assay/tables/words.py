"""Bytes of a buffer, eight at a time as one number, wherever they begin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORD = 8
ALL_BITS = np.uint64(64)
# To take words from the places of a few rows it is quicker not to look where they begin.
FEW = 4000


def words_at(buffer: bytes, places: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The eight bytes that begin at some places of a buffer, as one number each; of those that belong to no id, at the
    end of the buffer, some may be told wrongly.
    """
    if len(places) < FEW:
        return np.ndarray((len(buffer) - WORD + 1,), "<u8", buffer=buffer, strides=(1,))[places]
    # each is the end of an aligned word and the beginning of the next one
    aligned, number, bits = aligned_words(buffer), places >> 3, bits_before(places)
    word, following = aligned.take(number), aligned[1:].take(number, mode="wrap")
    word >>= bits
    following <<= ALL_BITS - bits
    word |= following
    return word


def bits_before(places: NDArray[np.int64]) -> NDArray[np.uint64]:
    """How many bits of the aligned word in which a place is stand before it."""
    bits = places & (WORD - 1)
    bits <<= 3
    return bits.view(np.uint64)


def aligned_words(buffer: bytes) -> NDArray[np.uint64]:
    """The words that begin at every eighth place: numpy takes these in a sixth of the time that any others need."""
    return np.frombuffer(buffer, "<u8", len(buffer) // WORD)
