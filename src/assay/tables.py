"""The tables that carry everything: Run and Judgments, columns of equal length.

Parts of documents are spans [start, end) of a document's text, counted in characters from 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from assay.errors import AssayError, InputError, counted
from assay.ids import Floats, Ids, Ints, Keys, scrambled

# What becomes of results that overlap: refused, only new text counts, left out.
Overlap = Literal["reject", "new", "drop"]
Places: TypeAlias = "Callable[[str, str], list[int]]"


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """What runs and judgments share: a name, a topic and a document for each row, and a way to say where a row is."""

    name: str
    topic: Ids
    document: Ids
    places: Places | None = None
    unit: str = "line"

    def __len__(self) -> int:
        return len(self.document)

    def __repr__(self) -> str:
        topics = len(set(self.topic.streaks()[0]))
        return f"<{type(self).__name__} {self.name}: {counted(topics, 'topic')}, {counted(len(self), 'row')}>"

    def twice(self, topic: str, document: str, verb: str) -> InputError:
        """The error about a document that stands in a topic twice."""
        what = f"document {document} is {verb} twice for topic {topic}"
        lines = self.places(topic, document) if self.places else []
        if len(lines) < 2:
            return InputError(what, self.name)
        if self.unit != "line":
            return InputError(f"{self.unit} {lines[1]}: {what} (first in {self.unit} {lines[0]})", self.name)
        return InputError(f"{what} (first on line {lines[0]})", self.name, lines[1])


@dataclass(frozen=True, eq=False, repr=False)
class Run(Table):
    """What a system returned: a row a result, with its score, and its rank where the file has one.

    Of parts of documents there are `start` and `end`. An element has its `path`, a range of elements or a passage between two
    points also `last`, the path of its end (empty for the element alone); where the documents are known `start` and `end` too.
    `by_rank` says that the rank tells the order and the score only that of equal ranks, as in the files of INEX.
    """

    score: Floats = None  # type: ignore[assignment]
    rank: Ints | None = None
    start: Ints | None = None
    end: Ints | None = None
    path: Ids | None = None
    last: Ids | None = None
    by_rank: bool = False

    def named(self, name: str) -> Run:
        """The same run under another name."""
        return replace(self, name=name)


@dataclass(frozen=True, eq=False, repr=False)
class Highlights:
    """The highlighted text of judged documents: spans, each with the row of the judgment that it belongs to, in any order.

    Of each judged document: its length, its best entry point, and what the file says of how much is highlighted; -1 is not known.
    """

    row: Ints
    start: Ints
    end: Ints
    length: Ints
    entry: Ints
    rsize: Ints


@dataclass(frozen=True, eq=False, repr=False)
class Elements:
    """Assessed elements of judged documents: each with the row of the judgment that it belongs to, and its path in full.

    Exhaustivity -1 is `?`, too small; a size of -1 is not known. The scale is that of 2003, both grades from 0 to 3, or of 2005,
    exhaustivity from 0 to 2 and specificity a share of the text.
    """

    row: Ints
    path: list[str]
    exhaustivity: Ints
    specificity: Floats
    size: Ints
    scale: str


@dataclass(frozen=True, eq=False, repr=False)
class Judgments(Table):
    """What is relevant: a row a judged document, with its grade; a negative grade is in the pool but not judged.

    Where text was highlighted, the grade is 1 of the documents that have any, and 0 of the others.
    """

    grade: Ints = None  # type: ignore[assignment]
    highlights: Highlights | None = None
    elements: Elements | None = None


def by_document(topic: Ids, document: Ids) -> tuple[Ints, Ints]:
    """Rows that may tell of one document several times: the first row of each document of a topic, in order, and for each row the
    number of its document."""
    keys = scrambled(document.keys() + scrambled(topic.keys()))
    first, group = grouped(keys)
    again = np.delete(np.arange(len(keys)), first)
    told = first[group[again]]
    if not np.all(topic[again].same(topic[told]) & document[again].same(document[told])):
        raise AssayError("two different documents share a 64-bit key; please report this")
    return first, group


def grouped(keys: Keys) -> tuple[Ints, Ints]:
    """The first row of each key, in order, and for each row the number of its key; equal neighbours cost little."""
    new = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
    streak = np.flatnonzero(new)
    _, first, number = np.unique(keys[streak], return_index=True, return_inverse=True)
    is_first = np.zeros(len(streak), bool)
    is_first[first] = True
    place = np.cumsum(is_first)[first] - 1
    return streak[is_first], place[number][np.cumsum(new) - 1]
