"""Offsets that do not count whitespace: the number of other characters before a place."""

from __future__ import annotations

import sys
import threading
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from assay.documents.search import codes_of
from assay.tables.ids import Bools, Ids, Ints

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

# How many characters of documents to keep counts for: at 8 bytes each, some hundred megabytes.
MOST_COUNTED = 50_000_000


@cache
def blank_codes() -> Bools:
    """Return for each Unicode code point whether it is whitespace."""
    whitespace = np.zeros(sys.maxunicode + 1, bool)
    whitespace[[code for code in range(0x3001) if chr(code).isspace()]] = True
    return whitespace


def counts_of(text: str) -> Ints:
    """Return for each offset, including the end, how many characters before it are not whitespace."""
    return np.append(0, np.cumsum(~blank_codes()[codes_of(text)], dtype=np.int64))


class WithoutWhitespace:
    """Converts offsets in documents to offsets that do not count whitespace."""

    def __init__(self, collection: DocumentCollection):
        self.collection = collection
        self._counts: dict[str, Ints] = {}
        self._kept = 0
        self._lock = threading.Lock()

    def offsets(self, documents: Ids, *places: Ints) -> list[Ints]:
        """Convert offsets; an offset after the end of its document stays as far after the end. Negative ones stay."""
        names = documents.texts()
        rows: dict[str, list[int]] = {}
        for row, name in enumerate(names):
            rows.setdefault(name, []).append(row)
        counted = [place.copy() for place in places]
        # several threads evaluate runs and need the same documents
        with self._lock:
            self._load(list(rows))
        for name, here in rows.items():
            counts = self._counts_of(name)
            at = np.array(here)
            for place, result in zip(places, counted, strict=True):
                within = np.minimum(place[at], len(counts) - 1)
                result[at] = np.where(place[at] < 0, place[at], counts[within] + place[at] - within)
        return counted

    def lengths(self, documents: Ids) -> Ints:
        """Return the lengths of documents without whitespace."""
        whole = self.collection.lengths(documents.texts())
        return self.offsets(documents, whole)[0]

    def _load(self, names: list[str]) -> None:
        new = [name for name in names if name not in self._counts]
        # reports all missing documents in one error
        self.collection.lengths(new)
        for name, text in self.collection.texts(new):
            if self._kept < MOST_COUNTED:
                self._counts[name] = counts_of(text)
                self._kept += len(text)

    def _counts_of(self, name: str) -> Ints:
        known = self._counts.get(name)
        return counts_of(self.collection.text(name)) if known is None else known
