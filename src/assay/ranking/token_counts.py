"""Tokens of the documents of a ranking: how many end within a span, and where the next so many end.

A token belongs to the text in which it ends. So the tokens of a span are never those of its neighbour too, and all that
is counted in characters can be counted in tokens: an offset becomes the number of tokens that end there or before.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from assay.documents.tokens import TokenEnds
from assay.tables.ids import Ids, Ints
from assay.tables.intervals import Line


class TokenCounts:
    """The tokens of the documents of some rows of a table; `documents` has the document of each of its rows."""

    def __init__(self, ends: TokenEnds, documents: Ids, rows: Ints):
        self._ends, self._documents, self._rows = ends, documents, rows

    @cached_property
    def _line(self) -> tuple[Ints, Line, Ints]:
        """The number of each row's document, the documents laid end to end, and the places where tokens end."""
        names = self._documents[self._rows]
        first, of_row = names.numbered()
        ends = self._ends.of(names[first].texts())
        document = np.repeat(np.arange(len(ends)), np.array([len(of_one) for of_one in ends], np.int64))
        every_end = np.concatenate([np.zeros(0, np.int64), *ends])
        line = Line(document, every_end, len(ends))
        number = np.full(len(self._documents), -1)
        number[self._rows] = of_row
        return number, line, every_end + line.begin[document]

    def upto(self, row: Ints, offset: Ints) -> Ints:
        """The tokens that end at an offset of a row's document, or before."""
        number, line, places = self._line
        document = number[row]
        first = np.searchsorted(places, line.begin[document])
        return np.searchsorted(places, line.place(document, offset), side="right") - first

    def end_after(self, row: Ints, offset: Ints, count: Ints) -> Ints:
        """Where the last of so many tokens ends that end behind an offset of a row's document."""
        number, line, places = self._line
        document = number[row]
        before = np.searchsorted(places, line.place(document, offset), side="right")
        return places[before + count - 1] - line.begin[document]
