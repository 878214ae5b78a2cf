"""Notes: counts with examples, which add up over blocks, threads and partitions.

The sentence for each kind of note is in evaluation/notes.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, SupportsInt

# How many examples of a kind are kept.
MOST = 5000


@dataclass(slots=True)
class Note:
    """How often something was noticed, with examples, and the lowest and highest of a value if there is one.

    A kind is a word. Text after the word says what the note is about, for example a measure: `infinite RR`. Examples
    are names, or pairs of a topic and a document.
    """

    kind: str
    count: int
    examples: tuple[Any, ...] = ()
    low: float | None = None
    high: float | None = None

    @property
    def word(self) -> str:
        """The first word of the kind."""
        return self.kind.partition(" ")[0]

    @property
    def about(self) -> str:
        """What the note is about: the kind without its first word."""
        return self.kind.partition(" ")[2]

    def plus(self, other: Note, most: int = MOST) -> Note:
        """Add the note of another part, and keep the first `most` examples.

        Names are sorted; pairs keep their order.
        """
        examples = self.examples + other.examples
        if examples and isinstance(examples[0], str):
            examples = tuple(sorted(examples, key=natural))
        lows, highs = ([x for x in both if x is not None] for both in ((self.low, other.low), (self.high, other.high)))
        return Note(
            self.kind,
            self.count + other.count,
            examples[:most],
            min(lows, default=None),
            max(highs, default=None),
        )


class Notes(dict[str, Note]):
    """The note of each kind that was noticed."""

    def add(
        self,
        kind: str,
        count: SupportsInt = 1,
        examples: Iterable[Any] = (),
        low: float | None = None,
        high: float | None = None,
    ) -> None:
        """Add a note, unless its count is 0."""
        if count:
            note = Note(kind, int(count), tuple(examples), low, high)
            self[kind] = self[kind].plus(note) if kind in self else note

    def merge(self, other: Notes, most: int = MOST) -> None:
        """Add the notes of another part, and keep at most this many examples of each."""
        for kind, note in other.items():
            if kind in self or note.examples:
                note = self.get(kind, Note(kind, 0)).plus(note, most)
            self[kind] = note

    def count(self, kind: str) -> int:
        """Return how often something was noticed."""
        return self[kind].count if kind in self else 0

    def examples(self, kind: str) -> list[Any]:
        """Return the examples of a kind."""
        return list(self[kind].examples) if kind in self else []


def natural(name: str) -> tuple[bool, int, str]:
    """Return a sort key: numbers by their value, before all other names."""
    return (False, len(name.lstrip("0")), name.lstrip("0")) if name.isdecimal() else (True, 0, name)


def sort_names(names: Iterable[str]) -> list[str]:
    """Sort names by number if all are numbers, else by text."""
    names = sorted(names)
    return sorted(names, key=natural) if all(map(str.isdecimal, names)) else names
