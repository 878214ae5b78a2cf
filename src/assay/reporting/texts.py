"""The texts that the page has room for: documents as a whole, and of long ones what is around gold and hits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, zip_longest

from assay.documents.lookup import Documents

# Characters of a document that is shown as a whole, of the pieces in which a longer one is, and of the text on each
# side of what is asked for.
LONGEST = 30_000
PIECE = 1_000
AROUND = 500
# Bytes of the whole page, if that can be; and bytes of all texts, however large the rest.
WHOLE = 4_700_000
LEAST, MOST = 500_000, 3_000_000
FIRST_LOOK = 200


@dataclass(frozen=True)
class Need:
    """Characters of a document that a reader will want to see; those from its beginning where no end is known."""

    document: str
    start: int = 0
    end: int = LONGEST


@dataclass(frozen=True)
class Text:
    """What the page has of a document: the start and the text of each window; and how long it is as a whole."""

    windows: list[tuple[int, str]]
    length: int

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the document is left out."""
        return sum(len(text) for _, text in self.windows) == self.length


def room_beside(others: int) -> int:
    """The bytes that texts may have in a page with so many others."""
    return min(max(WHOLE - others, LEAST), MOST)


def texts_for(documents: Documents, needs: list[list[Need]], room: int) -> tuple[dict[str, Text], int]:
    """The texts that there is room for, and how many documents were left out for want of it.

    `needs` has what is wanted for each topic, the most urgent first; each topic has its turn.
    """
    there = {name: name in documents for name in dict.fromkeys(need.document for needed in needs for need in needed)}
    wanted = [need for need in dict.fromkeys(topics_in_turn(needs)) if there[need.document]]
    chosen = pieces_that_fit(documents, wanted, room)
    texts: dict[str, Text] = {}
    contents = dict(documents.texts(chosen))
    for name, pieces in chosen.items():
        if name not in contents:
            continue
        text = Text(windows(contents[name], pieces), len(contents[name]))
        room -= sum(len(part.encode("utf-8", "surrogatepass")) for _, part in text.windows)
        if room < 0:
            break
        texts[name] = text
    return texts, sum(there.values()) - len(texts)


def topics_in_turn(needs: list[list[Need]]) -> Iterator[Need]:
    """The first need of each topic, then the second of each, and on."""
    for turn in zip_longest(*needs):
        yield from (need for need in turn if need is not None)


def pieces_that_fit(documents: Documents, wanted: list[Need], room: int) -> dict[str, set[int]]:
    """The pieces of documents that may fit, by their numbers, in the order in which they are wanted."""
    chosen: dict[str, set[int]] = {}
    for need, length in with_lengths(documents, wanted):
        pieces = needed_pieces(need, length) - chosen.get(need.document, set())
        room -= min(len(pieces) * PIECE, max(length, 0))
        if room < 0:
            break
        chosen.setdefault(need.document, set()).update(pieces)
    return chosen


def with_lengths(documents: Documents, wanted: list[Need]) -> Iterator[tuple[Need, int]]:
    """Needs with the lengths of their documents, which are looked up for more and more of them."""
    names = list(dict.fromkeys(need.document for need in wanted))
    lengths: dict[str, int] = {}
    for need in wanted:
        if need.document not in lengths:
            some = names[len(lengths) : 2 * len(lengths) + FIRST_LOOK]
            lengths |= zip(some, documents.lengths(some, missing="unknown").tolist(), strict=True)
        yield need, lengths[need.document]


def needed_pieces(need: Need, length: int) -> set[int]:
    """The pieces that are needed: all of a short document, of a long one those around what is asked for."""
    if length <= LONGEST:
        return set(range(-(-max(length, 1) // PIECE)))
    first, last = max(need.start - AROUND, 0), min(need.end + AROUND, length)
    return set(range(first // PIECE, -(-last // PIECE)))


def windows(text: str, pieces: set[int]) -> list[tuple[int, str]]:
    """The start and the text of each stretch of pieces that follow each other."""
    stretches = []
    for _, stretch in groupby(enumerate(sorted(pieces)), key=lambda item: item[1] - item[0]):
        numbers = [number for _, number in stretch]
        start = numbers[0] * PIECE
        stretches.append((start, text[start : (numbers[-1] + 1) * PIECE]))
    return stretches
