"""The texts of documents that the page has room for: those that a reader will ask for first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from assay.documents.lookup import Documents
from assay.documents.opening import opened

# Characters of a document; bytes of the whole page, if that can be; and bytes of all texts, however large the rest.
LONGEST = 200_000
WHOLE = 4_700_000
LEAST, MOST = 500_000, 3_000_000
FIRST_LOOK = 200


@dataclass(frozen=True)
class Text:
    """The text of a document, or its beginning, and how long it is as a whole."""

    text: str
    length: int


def room_beside(others: int) -> int:
    """The bytes that texts may have in a page with so many others."""
    return min(max(WHOLE - others, LEAST), MOST)


def texts_for(documents: Documents, by_need: list[list[str]], room: int) -> tuple[dict[str, Text], int]:
    """The texts that there is room for, and how many documents were left out for want of it.

    `by_need` has the documents of each topic; each topic has its turn.
    """
    wanted = [name for name in dict.fromkeys(in_turn(by_need)) if name in documents]
    chosen = fitting(documents, wanted, room)
    contents = dict(read(documents, chosen))
    texts: dict[str, Text] = {}
    for name in chosen:
        room -= len(contents[name].text.encode("utf-8", "surrogatepass"))
        if room < 0:
            break
        texts[name] = contents[name]
    return texts, len(wanted) - len(texts)


def in_turn(by_need: list[list[str]]) -> Iterator[str]:
    """The first document of each topic, then the second of each, and on."""
    for turn in zip_longest(*by_need):
        yield from (name for name in turn if name is not None)


def fitting(documents: Documents, wanted: list[str], room: int) -> list[str]:
    """As many of the first documents as may fit, by their lengths, which are looked up for more and more of them."""
    chosen: list[str] = []
    look = FIRST_LOOK
    while wanted:
        lengths = documents.lengths(wanted[:look], missing="unknown").tolist()
        for name, length in zip(wanted, lengths, strict=False):
            room -= min(max(length, 0), LONGEST)
            if room < 0:
                return chosen
            chosen.append(name)
        wanted, look = wanted[look:], look * 2
    return chosen


def read(documents: Documents, names: Iterable[str]) -> Iterator[tuple[str, Text]]:
    """The text of each document, all read in one go."""
    collection = opened(documents.label)
    for document, name, content in list(collection.contents(list(names))):
        if collection.find(document) == name:
            text = content().read()[1]
            yield document, Text(text[:LONGEST], len(text))
