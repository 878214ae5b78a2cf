"""Where a row comes from: its file or table, and the line, row, record or result in it. Every error uses it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from assay.errors import InputError
from assay.tables.ids import Ids, Ints

LINE = "line"
FRACTION = re.compile(r"[-+]?[0-9]*\.[0-9]+(?:[eE][-+]?[0-9]+)?")
# Finds the places of the rows with a topic and a document, one by one, because a place may take long to find.
Finder: TypeAlias = "Callable[[str, str], Iterator[Place]]"


class Place(NamedTuple):
    """Where a row comes from: the name of its file or table, and its line, or another number that `noun` names.

    The number is None if it is unknown. A row from a dict has a `key`, which says more than a number. `tag` is the name
    of the run in the row.
    """

    name: str
    number: int | None = None
    noun: str = LINE
    key: str = ""
    tag: str = ""

    def fault(self, what: str) -> InputError:
        """Return an error about the row."""
        if self.noun == LINE and not self.key:
            return InputError(what, self.name, self.number)
        at = self.key or (self.words if self.number is not None else "")
        return InputError(what, self.name, at=at, number=self.number)

    @property
    def words(self) -> str:
        """Such as `line 3` or `row 3`."""
        return f"{self.noun} {self.number}"

    @property
    def elsewhere(self) -> str:
        """The place as an error about another row names it: `on line 3`, `in row 3`."""
        return f"{'on' if self.noun == LINE else 'in'} {self.words}"

    @property
    def first(self) -> str:
        """What an error about a repetition adds: ` (first on line 3)`, or nothing if the number is unknown."""
        return f" (first {self.elsewhere})" if self.number is not None else ""


def twice(topic: str, document: str, verb: str, first: Place, again: Place, hint: str = "") -> InputError:
    """Return the error about a document that a topic has twice, with what to do about it."""
    tags = (first.tag, again.tag)
    if all(FRACTION.fullmatch(tag) for tag in tags):
        # the values are one field too far to the right
        hint = f"; the tags {' and '.join(tags)} look like scores: does an id contain whitespace?"
    elif all(tags) and first.tag != again.tag:
        hint = f"; the tags {first.tag} and {again.tag} suggest two runs in one file: split them{hint}"
    return again.fault(f"document {document} is {verb} twice for topic {topic}{first.first}{hint}")


class Places:
    """Where the rows of a table come from; each place is made when it is needed.

    `number` returns the line of a row, or the number that `noun` names; without it, rows count from 1. `key` returns
    the place of a row in a dict.
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
        """The same places without keys, for errors that name the topic and the document themselves."""
        return Places(self.name, self._number, self.noun)

    def of(self, rows: Ints) -> Places:
        """Return the places of some rows."""
        key = self._key
        return Places(
            self.name, lambda row: self._number(int(rows[row])), self.noun, key and (lambda row: key(int(rows[row])))
        )

    def behind(self, before: int) -> Places:
        """Return the places of rows that come after `before` other rows."""
        return Places(self.name, lambda row: self._number(row + before), self.noun)

    def finder(self, topics: Ids, documents: Ids) -> Finder:
        """Return a function that finds the places of a topic and a document in these columns."""
        places = self.counted

        def find(topic: str, document: str) -> Iterator[Place]:
            pairs = enumerate(zip(topics.texts(), documents.texts(), strict=True))
            return (places[row] for row, pair in pairs if pair == (topic, document))

        return find
