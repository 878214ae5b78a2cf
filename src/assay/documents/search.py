"""Find all places of texts in documents: verbatim, or without differences in whitespace, Unicode form, marks and case.

Documents are searched in blocks, several small ones together and a large one in pieces, so memory does not grow with
them.
"""

from __future__ import annotations

import sys
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from assay.files.threads import in_threads
from assay.tables.ids import Bools, Ints, Keys

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Folding: make texts alike by removing the tolerated differences: whitespace, Unicode form, quotation marks and dashes,
# soft hyphens, case. Each folded character has the number of the original character it comes from.

Codes: TypeAlias = "NDArray[np.uint32]"

SINGLE_QUOTES = "‘’‚‛′`´ʹʻʼʽˈ‹›＇"
DOUBLE_QUOTES = "“”„‟″«»❝❞〝〞〟＂"
DASHES = "‐‑‒–—―−⁃﹘﹣－"
ALIKE = str.maketrans(
    {**dict.fromkeys(SINGLE_QUOTES, "'"), **dict.fromkeys(DOUBLE_QUOTES, '"'), **dict.fromkeys(DASHES, "-")}
)
# The soft hyphen and other characters without width: zero width space, word joiner, byte order mark.
UNSEEN = dict.fromkeys((0xAD, 0x200B, 0x2060, 0xFEFF))
BLANK = ord(" ")

# The differences that can be tolerated, in the order in which they are tried.
TOLERANCES = ("whitespace", "Unicode form", "quotes and dashes", "soft hyphens", "case")
EVERY = range(len(TOLERANCES))


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
# Characters without width go first. Characters are decomposed before they are compared, and again after case folding.
# Whitespace comes last, because other characters may have become whitespace.
_ORDER = (3, 2, 1, 2, 4, 1, 0)


def folded_text(text: str, tolerated: frozenset[int] | set[int] | range) -> str:
    """Return a text without the tolerated differences, which are numbers in TOLERANCES."""
    for number in _ORDER:
        if number in tolerated:
            text = _FOLDS[number](text)
    return text


def tolerances_needed(first: str, second: str) -> tuple[int, ...] | None:
    """Return the numbers of the tolerances that make two texts equal, the earliest that suffice; None if none do."""
    level = next((level for level in range(len(TOLERANCES)) if are_alike(first, second, range(level + 1))), None)
    if level is None:
        return None
    needed = set(range(level + 1))
    for number in range(level):
        if are_alike(first, second, needed - {number}):
            needed.discard(number)
    return tuple(sorted(needed))


def are_alike(first: str, second: str, tolerated: set[int] | range = EVERY) -> bool:
    """Return whether two texts are equal if the tolerated differences are removed, by default all."""
    return folded_text(first, tolerated) == folded_text(second, tolerated)


def codes_of(text: str) -> Codes:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _folded_character(code: int) -> Codes:
    text = folded_text(chr(code), range(1, len(TOLERANCES)))
    return codes_of("".join(" " if character.isspace() else character for character in text))


class _Table:
    """What each character is folded to, computed when the character is first seen."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.known: Bools = np.zeros(sys.maxunicode + 1, np.bool_)
        self.length = np.zeros(sys.maxunicode + 1, np.uint8)
        self.at = np.zeros(sys.maxunicode + 1, np.int32)
        self.folded: Codes = np.zeros(0, np.uint32)
        self.learn(np.arange(256, dtype=np.uint32))

    def learn(self, codes: Codes) -> None:
        """Compute the folding of some characters."""
        folded = [_folded_character(code) for code in codes.tolist()]
        lengths = np.array(list(map(len, folded)), np.int64)
        with self.lock:
            self.at[codes] = len(self.folded) + np.cumsum(lengths) - lengths
            self.length[codes] = lengths
            self.folded = np.concatenate([self.folded, *folded])
            # last, because another thread may be reading
            self.known[codes] = True


@lru_cache(1)
def _folding_table() -> _Table:
    return _Table()


@dataclass(frozen=True, eq=False)
class Folded:
    """The folded characters of a text, and for each the index of the original character it comes from."""

    codes: Codes
    origin: Ints

    def begins(self, places: Ints) -> Bools:
        """Return whether each place is the start of an original character (or the end of the text), not its middle."""
        origin = np.concatenate(([-1], self.origin, [-1]))
        return origin[places] != origin[places + 1]


def folded_codes(codes: Codes) -> Folded:
    """Fold all differences away; a run of whitespace becomes one space."""
    table = _folding_table()
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


# Find every place of many texts in one pass over the documents, however many texts there are.
#
# The hash of a window of characters is a polynomial modulo 2^64 (Karp and Rabin, Efficient randomized pattern-matching
# algorithms, IBM J. Res. Dev. 31, 1987); running sums give the hash of any window at once. Each text has an anchor, a
# short window of it, that is looked up at every place of the documents. Where the anchor matches, the hash of the whole
# text decides. Texts with equal hashes count as equal here; a caller that must be sure compares them.

BASE = 0x9E3779B97F4A7C15
INVERSE = pow(BASE, -1, 1 << 64)
LONGEST_ANCHOR = 32
# How many characters to hash at a time, and how many candidate places to compare at a time.
BLOCK = 1 << 20
MOST_PAIRS = 1 << 20


class _Powers:
    """The powers of BASE and of its inverse, as many as were needed so far."""

    def __init__(self) -> None:
        self.up = self.down = np.ones(1, np.uint64)

    def need(self, count: int) -> None:
        """Compute at least this many powers."""
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
    """The hashes of all windows of a text."""

    def __init__(self, codes: Codes):
        _POWERS.need(len(codes) + 1)
        self.sums = np.zeros(len(codes) + 1, np.uint64)
        np.cumsum((codes + np.uint64(1)) * _POWERS.up[: len(codes)], out=self.sums[1:])

    def of_length(self, length: int) -> Keys:
        """Return the hashes of all windows of this length."""
        return (self.sums[length:] - self.sums[:-length]) * _POWERS.down[: len(self.sums) - length]

    def at(self, start: Ints, end: Ints) -> Keys:
        """Return the hashes of the windows with these starts and ends."""
        return (self.sums[end] - self.sums[start]) * _POWERS.down[start]


class Anchors(NamedTuple):
    """The anchors of one length: their sorted hashes, the texts of each hash, and a bitmap of hashes that may match.

    The texts of hash i are texts[first[i]:first[i + 1]]. `may_be` is indexed by the top bits of a hash: hash >> shift.
    """

    length: int
    hashes: Keys
    first: Ints
    texts: Ints
    may_be: Bools
    shift: np.uint64


class Occurrences(NamedTuple):
    """Where texts occur: the number of the text, and the offset at which it begins."""

    text: Ints
    start: Ints


@dataclass(frozen=True, eq=False)
class TextsToSearch:
    """Texts to search for, none of them empty: their lengths, their hashes, and the offset of the anchor in each."""

    length: Ints
    hash: Keys
    anchor_at: Ints
    anchors: list[Anchors]

    @classmethod
    def of(cls, texts: Iterable[Codes]) -> TextsToSearch:
        """Prepare the search for some texts."""
        parts = [_hashes(codes, lengths) for codes, lengths in _blocks_of_pieces(texts)]
        length, whole, places, hashes = (np.concatenate(column) for column in zip(*parts, strict=True))
        size = _anchor_length(length)
        anchor_at, anchor = np.zeros(len(length), np.int64), np.zeros(len(length), np.uint64)
        anchors = []
        for anchor_length in np.unique(size).tolist():
            rows = np.flatnonzero(size == anchor_length)
            best = _rarest(hashes[rows])
            anchor_at[rows], anchor[rows] = places[rows, best], hashes[rows, best]
            anchors.append(_anchors(anchor_length, rows, anchor[rows]))
        return cls(length, whole, anchor_at, anchors)

    def within(self, codes: Codes, full: Bools) -> Iterator[Occurrences]:
        """Yield every occurrence in some characters, those of each text in order.

        Texts that are `full` have enough occurrences and are skipped; the caller may mark more texts as full meanwhile.
        """
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
                if full[anchors.texts].all():
                    break
                yield self._verified(windows, anchors, near[some], group[some], count[some], full)

    def _verified(
        self, windows: Windows, anchors: Anchors, near: Ints, group: Ints, count: Ints, full: Bools
    ) -> Occurrences:
        member = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        text = anchors.texts[np.repeat(anchors.first[group], count) + member]
        near = np.repeat(near, count)
        if full.any():
            text, near = text[~full[text]], near[~full[text]]
        start = near - self.anchor_at[text]
        end = start + self.length[text]
        inside = (start >= 0) & (end < len(windows.sums))
        text, start, end = text[inside], start[inside], end[inside]
        same = windows.at(start, end) == self.hash[text]
        return Occurrences(text[same], start[same])


def _blocks_of_pieces(texts: Iterable[Codes]) -> Iterator[tuple[Codes, Ints]]:
    """Yield the concatenated texts, as many as are hashed at a time, and their lengths."""
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
    """Return for each text its length, its hash, the three places its anchor may have, and their hashes.

    The anchor may be at the start, in the middle or at the end.
    """
    windows, size = Windows(codes), _anchor_length(lengths)
    end = np.cumsum(lengths)
    start = end - lengths
    places = np.stack([np.zeros_like(size), (lengths - size) // 2, lengths - size], axis=1)
    at = start[:, None] + places
    return lengths, windows.at(start, end), places, windows.at(at, at + size[:, None])


def _anchor_length(lengths: Ints) -> Ints:
    """Return the length of each text's anchor: the largest power of two that fits, at most LONGEST_ANCHOR."""
    return np.minimum(LONGEST_ANCHOR, 1 << (np.frexp(lengths.astype(np.float64))[1] - 1)).astype(np.int64)


def _rarest(hashes: Keys) -> Ints:
    """Return the window of each text that the fewest texts share, because many may begin with the same words."""
    _, group, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    return np.argmin(counts[group].reshape(hashes.shape), axis=1)


def _anchors(length: int, rows: Ints, anchor: Keys) -> Anchors:
    order = np.argsort(anchor, kind="stable")
    hashes, first = np.unique(anchor[order], return_index=True)
    bits = min(max(len(hashes).bit_length() + 5, 12), 26)
    shift = np.uint64(64 - bits)
    may_be = np.zeros(1 << bits, np.bool_)
    may_be[hashes >> shift] = True
    return Anchors(length, hashes, np.append(first, len(rows)), rows[order], may_be, shift)


def _slices(count: Ints) -> Iterator[slice]:
    """Yield slices with at most MOST_PAIRS pairs each, or with a single place if that has more."""
    total = np.cumsum(count)
    start = 0
    while start < len(count):
        before = total[start] - count[start]
        end = max(start + 1, int(np.searchsorted(total, before + MOST_PAIRS, "right")))
        yield slice(start, end)
        start = end


# How many places of a text in a document to keep; if there are more, none is better than another.
MOST_PLACES = 1000
# How many places of all texts in a block to keep in memory.
MOST_HELD = 1 << 21
# A character that no text contains.
NOWHERE = np.array([0xFFFFFFFF], np.uint32)
# The original of a folded text may be this many times as long.
STRETCH = 4


class TextPlaces(NamedTuple):
    """Places of texts, sorted by text, document and offset.

    `tolerated` has one bit for each of TOLERANCES that was needed to match.
    """

    text: Ints
    document: Ints
    start: Ints
    end: Ints
    tolerated: Ints

    @classmethod
    def gathered(cls, blocks: Iterable[TextPlaces]) -> TextPlaces:
        """Combine the places of all blocks; the blocks come in the order of the documents."""
        columns = stack_columns(blocks, len(cls._fields))
        order = np.argsort(text_and_document(columns[0], columns[1]), kind="stable")
        return cls(*(column[order] for column in columns))


class Piece(NamedTuple):
    """A piece of a document: the offset at which it begins, its text, and how many characters are its own.

    A place must begin in the own part; the rest overlaps the next piece.
    """

    document: int
    at: int
    text: str
    own: int


@dataclass(frozen=True, eq=False)
class Search:
    """Texts to search for, none of them empty, and the documents to search for each.

    A text is searched for in the documents of its `pairs`, or in all documents if it is `anywhere`. The pairs are
    sorted numbers made by `text_and_document`. A text gets at most `most_places` places per piece of a document.
    """

    texts: Sequence[str]
    pairs: Ints
    anywhere: Bools
    most_places: int = MOST_PLACES

    def exact(self, documents: Iterable[tuple[int, str]]) -> TextPlaces:
        """Return the places of each text, verbatim."""
        wanted = TextsToSearch.of(codes_of(text) for text in self.texts)
        blocks = blocks_of(documents, int(wanted.length.max()))
        return TextPlaces.gathered(in_threads(lambda pieces: self._exact(wanted, Block(pieces)), blocks))

    def _exact(self, wanted: TextsToSearch, block: Block) -> TextPlaces:
        text, piece, start = self._places(wanted, block, codes_of(block.text))
        # equal hashes do not prove equal texts
        same = map(block.text.startswith, map(self.texts.__getitem__, text.tolist()), start.tolist())
        proven = np.fromiter(same, np.bool_, len(text))
        text, piece, start = text[proven], piece[proven], start[proven] + block.moved[piece[proven]]
        return TextPlaces(
            text, block.document[piece], start, start + wanted.length[text], np.zeros(len(text), np.int64)
        )

    def _places(self, wanted: TextsToSearch, block: Block, codes: Codes) -> tuple[Ints, Ints, Ints]:
        """Return the text, piece and offset of the occurrences, sorted by text and offset.

        A text has at most `most_places` per piece; fewer if there are so many occurrences that more than MOST_HELD
        would be in memory.
        """
        full = np.zeros(len(wanted.length), np.bool_)
        parts: list[tuple[Ints, Ints, Ints]] = []
        most, size, held = self.most_places, 0, 0
        for occurrences in wanted.within(codes, full):
            parts.append(self._kept(occurrences, wanted.length, block))
            size += len(parts[-1][0])
            if size <= held + MOST_PAIRS:
                continue
            parts = [by_text_and_place(parts, most)]
            while len(parts[0][0]) > MOST_HELD and 1 < most <= MOST_PLACES:
                most //= 2
                parts = [by_text_and_place(parts, most)]
            size = held = len(parts[0][0])
            if len(block.document) == 1:
                full[np.bincount(parts[0][0], minlength=len(full)) >= most] = True
        return by_text_and_place(parts, most)

    def _kept(self, occurrences: Occurrences, length: Ints, block: Block) -> tuple[Ints, Ints, Ints]:
        """Return the occurrences that lie in one piece, begin in its own part, and are wanted in its document."""
        text, start = occurrences
        piece = np.searchsorted(block.begins, start, "right") - 1
        kept = (start + length[text] <= block.begins[piece + 1]) & (start < block.owned[piece])
        text, piece, start = text[kept], piece[kept], start[kept]
        kept = self.anywhere[text] | is_in(text_and_document(text, block.document[piece]), self.pairs)
        return text[kept], piece[kept], start[kept]

    def folded(self, documents: Iterable[tuple[int, str]]) -> TextPlaces:
        """Return the places of each text with all tolerances, and which of them each place needs."""
        # a text of soft hyphens, for example, has nothing to search for
        patterns = [strip_blanks(folded_codes(codes_of(text)).codes) for text in self.texts]
        wanted = TextsToSearch.of(codes if len(codes) else NOWHERE for codes in patterns)
        blocks = blocks_of(documents, STRETCH * int(wanted.length.max()) + 1000)
        return TextPlaces.gathered(in_threads(lambda pieces: self._folded(wanted, Block(pieces)), blocks))

    def _folded(self, wanted: TextsToSearch, block: Block) -> TextPlaces:
        folded = folded_codes(codes_of(block.text))
        folded_block = block.at(folded)
        text, piece, start = self._places(wanted, folded_block, folded.codes)
        last = start + wanted.length[text] - 1
        # drop matches of half a character, for example of the first letter of a ligature
        whole = folded.begins(start) & folded.begins(last + 1)
        text, piece, start, end = text[whole], piece[whole], folded.origin[start[whole]], folded.origin[last[whole]] + 1
        rows = zip(text.tolist(), start.tolist(), end.tolist(), strict=True)
        needed = [tolerances_needed(self.texts[number], block.text[begin:behind]) for number, begin, behind in rows]
        tolerated = np.array([-1 if kinds is None else sum(1 << kind for kind in kinds) for kinds in needed], np.int64)
        moved = block.moved[piece]
        columns = text, block.document[piece], start + moved, end + moved, tolerated
        return TextPlaces(*(column[tolerated >= 0] for column in columns))


class Block:
    """Several pieces one after the other.

    For each piece: its document, where it begins in the block, where its own part ends, and what to add to get document
    offsets.
    """

    def __init__(self, pieces: list[Piece]):
        self.text = "".join(piece.text for piece in pieces)
        self.begins = np.array(list(accumulate((len(piece.text) for piece in pieces), initial=0)), np.int64)
        self.document, at, own = np.array([(piece.document, piece.at, piece.own) for piece in pieces], np.int64).T
        self.owned = self.begins[:-1] + own
        self.moved = at - self.begins[:-1]

    def at(self, folded: Folded) -> Block:
        """Return the same pieces, with offsets in the folded text."""
        block = copy(self)
        block.begins, block.owned = (np.searchsorted(folded.origin, places) for places in (self.begins, self.owned))
        return block


def text_and_document(text: Ints, document: Ints) -> Ints:
    """Return one number for a text and a document."""
    return (text << 32) | document


def stack_columns(parts: Iterable[Sequence[Ints]], count: int) -> list[Ints]:
    """Concatenate columns part by part; `count` empty columns if there are no parts."""
    columns = list(zip(*parts, strict=True)) or [()] * count
    return [np.concatenate([np.zeros(0, np.int64), *column]) for column in columns]


def by_text_and_place(parts: list[tuple[Ints, Ints, Ints]], most: int) -> tuple[Ints, Ints, Ints]:
    """Sort occurrences by text and offset; keep at most `most` of a text in a piece."""
    text, piece, start = stack_columns(parts, 3)
    order = np.lexsort((start, text))
    pair = text_and_document(text[order], piece[order])
    few = order[np.arange(len(pair)) - np.searchsorted(pair, pair) < most]
    return text[few], piece[few], start[few]


def is_in(values: Ints, ordered: Ints) -> Bools:
    """Return which values are among some sorted values."""
    if not len(ordered):
        return np.zeros(len(values), np.bool_)
    return ordered[np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)] == values


def strip_blanks(codes: Codes) -> Codes:
    """Remove a space at either end of folded characters."""
    places = np.flatnonzero(codes != BLANK)
    return codes[places[0] : places[-1] + 1] if len(places) else codes[:0]


def blocks_of(documents: Iterable[tuple[int, str]], longest: int) -> Iterator[list[Piece]]:
    """Split documents into blocks of pieces; each piece continues by `longest` characters beyond its own part."""
    block: list[Piece] = []
    size = 0
    for document, text in documents:
        for at in range(0, len(text), BLOCK):
            own = min(BLOCK, len(text) - at)
            if size and size + own > BLOCK:
                yield block
                block, size = [], 0
            piece = text if own == len(text) else text[at : at + own + longest]
            block.append(Piece(document, at, piece, own))
            size += own
    if block:
        yield block
