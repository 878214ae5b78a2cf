"""What an assessed element is worth after others were seen."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.errors import InputError
from assay.ranking.element_trees import Base, ancestors


class SeenElements:
    """What someone has seen of a document: the elements returned so far."""

    def __init__(self) -> None:
        self.returned: set[str] = set()
        self.inside: dict[str, int] = {}
        self.vague: set[str] = set()

    def whole(self, path: str, size: int) -> bool:
        """Whether all of an element was seen: it was returned, or one around it, or parts that make up its size."""
        if path in self.returned or any(around in self.returned for around in ancestors(path)):
            return True
        return 0 <= size <= self.inside.get(path, -1)

    def part(self, path: str) -> bool:
        """Whether something within an element was seen."""
        return path in self.inside

    def unseen(self, path: str, size: int) -> int:
        """The characters of an element that were not seen."""
        return 0 if self.whole(path, size) else size - self.inside.get(path, 0)

    def add(self, path: str, size: int) -> None:
        """An element is returned. If its size is not known, nobody can say how much of those around it was seen."""
        if path in self.returned:
            return
        new = max(self.unseen(path, size), 0) if size >= 0 else 0
        for around in ancestors(path):
            self.inside[around] = self.inside.get(around, 0) + new
        if size < 0:
            self.vague.update(ancestors(path))
        self.returned.add(path)


@dataclass(frozen=True)
class Independent:
    """An element is worth its quantised score, whatever was seen before (SIGIR 2004, eq. 6)."""

    def __call__(self, base: Base, value: list[float], at: int, seen: SeenElements, rank: int) -> float:
        """The value of an element at a rank, after others were seen."""
        return value[at]


@dataclass(frozen=True)
class UnseenSize:
    """An element is worth its quantised score times the share of its text that is new (SIGIR 2004, eq. 8)."""

    def __call__(self, base: Base, value: list[float], at: int, seen: SeenElements, rank: int) -> float:
        """The value of an element at a rank, after others were seen."""
        size, path = known_size(base, at), base.elements.path[at]
        if path in seen.vague:
            what = f"how much of {path} was seen is not known, as the size of an element within it is not"
            raise InputError(f"{what}; give documents=", base.name)
        return value[at] * seen.unseen(path, size) / size if size else value[at]


@dataclass(frozen=True)
class Recursive:
    """An element seen in part is worth what its parts are worth that were not seen (INEX 2005, eq. 7).

        rv(c) = alpha · new(c) + (1 − alpha) · quant(c)
        new(c) = quant(c) if nothing of c was seen, 0 if all was, else Σ new(child) · |child| / |c|

    alpha is how little someone likes to see the same text again: at 1 it is worth nothing, at 0 as much as before.
    Parts that were seen are worth nothing in the sum: so the papers' own .025 comes out.
    """

    alpha: float = 1.0

    def __call__(self, base: Base, value: list[float], at: int, seen: SeenElements, rank: int) -> float:
        """The value of an element at a rank, after others were seen."""
        if value[at] == 0 or self.alpha == 0:
            return value[at]
        return self.alpha * self.new(base, value, at, seen) + (1 - self.alpha) * value[at]

    def new(self, base: Base, value: list[float], at: int, seen: SeenElements) -> float:
        """What of the value of an element was not seen."""
        path = base.elements.path[at]
        if seen.whole(path, int(base.size[at])):
            return 0.0
        if value[at] == 0 or not seen.part(path):
            return value[at]
        parts = sum(self.new(base, value, child, seen) * known_size(base, child) for child in base.children[at])
        return parts / known_size(base, at)


@dataclass(frozen=True)
class Discounted:
    """An element is worth its quantised score over log_b of its rank, from rank b on (SIGIR 2004, 5.2)."""

    b: float = 2.0

    def __call__(self, base: Base, value: list[float], at: int, seen: SeenElements, rank: int) -> float:
        """The value of an element at a rank, after others were seen."""
        return value[at] * self.discount(rank)

    def discount(self, rank: int) -> float:
        """What is left of a score at a rank."""
        return 1.0 if rank < self.b else 1 / math.log(rank, self.b)


def known_size(base: Base, at: int) -> int:
    """The size of an assessed element, if it is known."""
    size = int(base.size[at])
    if size < 0:
        document = base.names[int(base.elements.row[at])]
        what = f"the size of {base.elements.path[at]} of document {document} is not known"
        raise InputError(f"{what}, without which overlap cannot be measured; give documents=", base.name)
    return size
