"""All places at which texts stand in documents: as they are, or with blanks, Unicode forms, marks and case folded away.

Documents are searched a block at a time, some small ones together, a large one in pieces, so that memory does not grow
with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from assay.documents.folding import BLANK, Codes, Folded, codes_of, folded_codes, tolerances_needed
from assay.documents.occurrences import BLOCK, Occurrences, Wanted
from assay.files.threads import in_threads
from assay.tables.ids import Bools, Ints

# So many places of a text in a document are told apart; of more than that none is better than another.
MOST_PLACES = 1000
# What no text has.
NOWHERE = np.array([0xFFFFFFFF], np.uint32)
# A folded text may have stood in so many times its length.
STRETCH = 4


class TextPlaces(NamedTuple):
    """Where texts stand, by text, document and place: the numbers of the text and of the document, where it begins and
    ends there, and what had to be tolerated, a bit for each of TOLERANCES."""

    text: Ints
    document: Ints
    start: Ints
    end: Ints
    tolerated: Ints

    @classmethod
    def gathered(cls, blocks: Iterable[TextPlaces]) -> TextPlaces:
        """The places of all blocks, which come in the order of the texts of each document."""
        columns = stacked(blocks, len(cls._fields))
        order = np.argsort(text_and_document(columns[0], columns[1]), kind="stable")
        return cls(*(column[order] for column in columns))


class Piece(NamedTuple):
    """A piece of a document: where in the document it begins, its text, and how much of it is its own, where a place
    may begin.
    """

    document: int
    at: int
    text: str
    own: int


@dataclass(frozen=True, eq=False)
class Search:
    """Texts, none of them empty, and where each is looked for: in the documents of its `pairs`, or in all if it is
    `anywhere`.

    A pair is one number, made by `text_and_document`; they are sorted. Of a text in a piece of a document at most so
    many places are told.
    """

    texts: Sequence[str]
    pairs: Ints
    anywhere: Bools
    most_places: int = MOST_PLACES

    def exact(self, documents: Iterable[tuple[int, str]]) -> TextPlaces:
        """The places of each text as it is."""
        wanted = Wanted.of(codes_of(text) for text in self.texts)
        blocks = _blocks(documents, int(wanted.length.max()))
        return TextPlaces.gathered(in_threads(lambda pieces: self._exact(wanted, Block(pieces)), blocks))

    def _exact(self, wanted: Wanted, block: Block) -> TextPlaces:
        kept = [self._kept(occurrences, wanted.length, block) for occurrences in wanted.within(codes_of(block.text))]
        text, piece, start = by_text_and_place(kept, self.most_places)
        # equal hashes are no proof
        same = map(block.text.startswith, map(self.texts.__getitem__, text.tolist()), start.tolist())
        proven = np.fromiter(same, np.bool_, len(text))
        text, piece, start = text[proven], piece[proven], start[proven] + block.moved[piece[proven]]
        return TextPlaces(
            text, block.document[piece], start, start + wanted.length[text], np.zeros(len(text), np.int64)
        )

    def _kept(self, occurrences: Occurrences, length: Ints, block: Block) -> tuple[Ints, Ints, Ints]:
        """The text, piece and place of occurrences within one piece that begin in its own part and are wanted in its
        document.
        """
        text, start = occurrences
        piece = np.searchsorted(block.begins, start, "right") - 1
        kept = (start + length[text] <= block.begins[piece + 1]) & (start < block.owned[piece])
        text, piece, start = text[kept], piece[kept], start[kept]
        kept = self.anywhere[text] | is_in(text_and_document(text, block.document[piece]), self.pairs)
        return text[kept], piece[kept], start[kept]

    def folded(self, documents: Iterable[tuple[int, str]]) -> TextPlaces:
        """The places of each text with all that can be tolerated, and what each place needs of that."""
        # a text of soft hyphens, say, has nothing that could be found
        patterns = [stripped(folded_codes(codes_of(text)).codes) for text in self.texts]
        wanted = Wanted.of(codes if len(codes) else NOWHERE for codes in patterns)
        blocks = _blocks(documents, STRETCH * int(wanted.length.max()) + 1000)
        return TextPlaces.gathered(in_threads(lambda pieces: self._folded(wanted, Block(pieces)), blocks))

    def _folded(self, wanted: Wanted, block: Block) -> TextPlaces:
        folded = folded_codes(codes_of(block.text))
        folded_block = block.at(folded)
        kept = [self._kept(occurrences, wanted.length, folded_block) for occurrences in wanted.within(folded.codes)]
        text, piece, start = by_text_and_place(kept, self.most_places)
        last = start + wanted.length[text] - 1
        # no part of a character: of a ligature, say, the first letter alone
        whole = folded.begins(start) & folded.begins(last + 1)
        text, piece, start, end = text[whole], piece[whole], folded.origin[start[whole]], folded.origin[last[whole]] + 1
        rows = zip(text.tolist(), start.tolist(), end.tolist(), strict=True)
        needed = [tolerances_needed(self.texts[number], block.text[begin:behind]) for number, begin, behind in rows]
        tolerated = np.array([-1 if kinds is None else sum(1 << kind for kind in kinds) for kinds in needed], np.int64)
        moved = block.moved[piece]
        columns = text, block.document[piece], start + moved, end + moved, tolerated
        return TextPlaces(*(column[tolerated >= 0] for column in columns))


class Block:
    """Some pieces one after the other: the document of each, where it begins, where what is its own ends, and how far
    it is from its place in the document."""

    def __init__(self, pieces: list[Piece]):
        self.text = "".join(piece.text for piece in pieces)
        self.begins = np.array(list(accumulate((len(piece.text) for piece in pieces), initial=0)), np.int64)
        self.document, at, own = np.array([(piece.document, piece.at, piece.own) for piece in pieces], np.int64).T
        self.owned = self.begins[:-1] + own
        self.moved = at - self.begins[:-1]

    def at(self, folded: Folded) -> Block:
        """The same pieces, with their places in the folded text."""
        block = copy(self)
        block.begins, block.owned = (np.searchsorted(folded.origin, places) for places in (self.begins, self.owned))
        return block


def text_and_document(text: Ints, document: Ints) -> Ints:
    """One number for a text and a document."""
    return (text << 32) | document


def stacked(parts: Iterable[Sequence[Ints]], count: int) -> list[Ints]:
    """Columns one below the other; so many empty ones where there are none."""
    columns = list(zip(*parts, strict=True)) or [()] * count
    return [np.concatenate([np.zeros(0, np.int64), *column]) for column in columns]


def by_text_and_place(parts: list[tuple[Ints, Ints, Ints]], most: int) -> tuple[Ints, Ints, Ints]:
    """Occurrences by text and then by place; of a text in a piece at most so many."""
    text, piece, start = stacked(parts, 3)
    order = np.lexsort((start, text))
    pair = text_and_document(text[order], piece[order])
    few = order[np.arange(len(pair)) - np.searchsorted(pair, pair) < most]
    return text[few], piece[few], start[few]


def is_in(values: Ints, ordered: Ints) -> Bools:
    """Which values are among some that are sorted."""
    if not len(ordered):
        return np.zeros(len(values), np.bool_)
    return ordered[np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)] == values


def stripped(codes: Codes) -> Codes:
    """Folded characters without a blank at either end."""
    places = np.flatnonzero(codes != BLANK)
    return codes[places[0] : places[-1] + 1] if len(places) else codes[:0]


def _blocks(documents: Iterable[tuple[int, str]], longest: int) -> Iterator[list[Piece]]:
    """The documents in blocks; a piece goes on beyond what is its own as far as the longest text that may begin there.
    """
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
