"""Texts without what is tolerated when one is looked for in another: blanks, Unicode forms, quotation marks and dashes,
soft hyphens, case. Each folded character knows the original one that it comes from."""

from __future__ import annotations

import sys
import threading
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from assay.tables.ids import Bools, Ints

if TYPE_CHECKING:
    from numpy.typing import NDArray

Codes: TypeAlias = "NDArray[np.uint32]"

SINGLE_QUOTES = "‘’‚‛′`´ʹʻʼʽˈ‹›＇"
DOUBLE_QUOTES = "“”„‟″«»❝❞〝〞〟＂"
DASHES = "‐‑‒–—―−⁃﹘﹣－"
ALIKE = str.maketrans(
    {**dict.fromkeys(SINGLE_QUOTES, "'"), **dict.fromkeys(DOUBLE_QUOTES, '"'), **dict.fromkeys(DASHES, "-")}
)
# The soft hyphen, and what else takes no room: zero width space, word joiner, byte order mark.
UNSEEN = dict.fromkeys((0xAD, 0x200B, 0x2060, 0xFEFF))
BLANK = ord(" ")

# What may be tolerated, in the order in which it is tried.
TOLERANCES = ("blanks", "Unicode form", "quotes and dashes", "soft hyphens", "case")


def _without_blanks(text: str) -> str:
    return " ".join(text.split())


def _decompose(text: str) -> str:
    return unicodedata.normalize("NFKD", text)


_FOLDS: tuple[Callable[[str], str], ...] = (
    _without_blanks,
    _decompose,
    lambda text: text.translate(ALIKE),
    lambda text: text.translate(UNSEEN),
    str.casefold,
)
# What goes unseen is left out before anything is compared, a character is decomposed before it is looked at, and what
# case folding makes is decomposed again; blanks come last, as others may have become blanks.
_ORDER = (3, 2, 1, 2, 4, 1, 0)


def folded_text(text: str, tolerated: frozenset[int] | set[int] | range) -> str:
    """A text without the differences that are tolerated, told by their numbers in TOLERANCES."""
    for number in _ORDER:
        if number in tolerated:
            text = _FOLDS[number](text)
    return text


def tolerances_needed(first: str, second: str) -> tuple[int, ...] | None:
    """The numbers of the tolerances that two texts need to be the same, the first ones that will do; None if none
    will.
    """
    level = next((level for level in range(len(TOLERANCES)) if _are_alike(first, second, range(level + 1))), None)
    if level is None:
        return None
    needed = set(range(level + 1))
    for number in range(level):
        if _are_alike(first, second, needed - {number}):
            needed.discard(number)
    return tuple(sorted(needed))


def _are_alike(first: str, second: str, tolerated: set[int] | range) -> bool:
    return folded_text(first, tolerated) == folded_text(second, tolerated)


def codes_of(text: str) -> Codes:
    """The characters of a text as numbers."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _folded_character(code: int) -> Codes:
    text = folded_text(chr(code), range(1, len(TOLERANCES)))
    return codes_of("".join(" " if character.isspace() else character for character in text))


class _Table:
    """What each character is folded to; a character is worked out when it is first seen."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.known: Bools = np.zeros(sys.maxunicode + 1, np.bool_)
        self.length = np.zeros(sys.maxunicode + 1, np.uint8)
        self.at = np.zeros(sys.maxunicode + 1, np.int32)
        self.folded: Codes = np.zeros(0, np.uint32)
        self.learn(np.arange(256, dtype=np.uint32))

    def learn(self, codes: Codes) -> None:
        """Works out some characters."""
        folded = [_folded_character(code) for code in codes.tolist()]
        lengths = np.array(list(map(len, folded)), np.int64)
        with self.lock:
            self.at[codes] = len(self.folded) + np.cumsum(lengths) - lengths
            self.length[codes] = lengths
            self.folded = np.concatenate([self.folded, *folded])
            # last, as another thread may be reading
            self.known[codes] = True


@lru_cache(1)
def _table() -> _Table:
    return _Table()


@dataclass(frozen=True, eq=False)
class Folded:
    """The folded characters of a text, and for each the number of the original character that it comes from."""

    codes: Codes
    origin: Ints

    def begins(self, places: Ints) -> Bools:
        """Whether the character at each place is the first that its original was folded to; so is the end of the text.
        """
        origin = np.concatenate(([-1], self.origin, [-1]))
        return origin[places] != origin[places + 1]


def folded_codes(codes: Codes) -> Folded:
    """Characters with all differences folded away: a run of blanks is one blank."""
    table = _table()
    known = table.known[codes]
    if not known.all():
        table.learn(np.unique(codes[~known]))
    length = table.length[codes]
    at = table.at[codes]
    if np.all(length == 1):
        origin = np.arange(len(codes), dtype=np.int64)
    else:
        origin = np.repeat(np.arange(len(codes), dtype=np.int64), length)
        ends = np.cumsum(length, dtype=np.int64)
        at = np.repeat(at, length) + (np.arange(len(origin)) - np.repeat(ends - length, length))
    folded = table.folded[at]
    is_blank = folded == BLANK
    kept = ~(is_blank[1:] & is_blank[:-1])
    if kept.all():
        return Folded(folded, origin)
    kept = np.concatenate(([True], kept))
    return Folded(folded[kept], origin[kept])
