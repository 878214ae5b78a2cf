"""Where a row stands: in which file or table, and there on which line, or in
which row, record or result. Every error uses it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from assay.errors import InputError
from assay.tables.ids import Ids, Ints

LINE = "line"
# Finds the places at which a topic and a document are together.
Finder: TypeAlias = "Callable[[str, str], list[Place]]"


class Place(NamedTuple):
    """Where a row stands: the name of its file or table, and the number of its line, or of what else `noun` says it is.

    The number is None if it is not known. A row that is in a dict has a
    `key` that gives the place better than a number. `tag` is the name that the row has for its run.
    """

    name: str
    number: int | None = None
    noun: str = LINE
    key: str = ""
    tag: str = ""

    def fault(self, what: str) -> InputError:
        """The error about the row."""
        if self.noun == LINE and not self.key:
            return InputError(what, self.name, self.number)
        at = self.key or (self.words if self.number is not None else "")
        return InputError(what, self.name, at=at, number=self.number)

    @property
    def words(self) -> str:
        """`line 3`, `row 3`."""
        return f"{self.noun} {self.number}"

    @property
    def elsewhere(self) -> str:
        """How an error about another row speaks of this one: `on line 3`, `in row 3`."""
        return f"{'on' if self.noun == LINE else 'in'} {self.words}"

    @property
    def first(self) -> str:
        """What an error about a repetition adds: ` (first on line 3)`, or nothing if that is not known."""
        return f" (first {self.elsewhere})" if self.number is not None else ""


def twice(topic: str, document: str, verb: str, first: Place, again: Place, hint: str = "") -> InputError:
    """Return the error about a document that is in a topic twice, with what to do about it."""
    if first.tag and again.tag and first.tag != again.tag:
        hint = f"; the tags {first.tag} and {again.tag} suggest two runs in one file: split them{hint}"
    return again.fault(f"document {document} is {verb} twice for topic {topic}{first.first}{hint}")


class Places:
    """Where the rows of a table stand, each found when it is asked for.

    `number` gives the line of a row, or the number of what else `noun` says; without it the rows are counted from 1.
    `key` gives the place of a row in a dict.
    """

    def __init__(
        self,
        name: str,
        number: Callable[[int], int | None] | None = None,
        noun: str = "",
        key: Callable[[int], str] | None = None,
    ):
        self.name, self.noun = name, noun or (LINE if number else "row")
        self._number, self._key = number or (lambda row: row + 1), key

    def __getitem__(self, row: int) -> Place:
        return Place(self.name, self._number(row), self.noun, self._key(row) if self._key else "")

    @property
    def counted(self) -> Places:
        """The same without keys, for errors that name the topic and the document themselves."""
        return Places(self.name, self._number, self.noun)

    def of(self, rows: Ints) -> Places:
        """The places of some of the rows."""
        key = self._key
        return Places(
            self.name, lambda row: self._number(int(rows[row])), self.noun, key and (lambda row: key(int(rows[row])))
        )

    def behind(self, before: int) -> Places:
        """The places of the rows after some others, which have been counted before."""
        return Places(self.name, lambda row: self._number(row + before), self.noun)

    def finder(self, topics: Ids, documents: Ids) -> Finder:
        """What finds the places of a topic and a document among these columns of all rows."""
        places = self.counted

        def find(topic: str, document: str) -> list[Place]:
            pairs = enumerate(zip(topics.texts(), documents.texts(), strict=True))
            return [places[row] for row, pair in pairs if pair == (topic, document)]

        return find
