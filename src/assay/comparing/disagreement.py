"""Where two annotators disagree: by grade, by rank in the runs, by system, and by length of the text.

One of them may be a model. A model that is generous to the documents of one system shows here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from assay.tables.ids import Bools, Floats, Ints
from assay.tables.judgments import written_grade

# The ranks up to which documents are taken together, and how many results of a system are looked at.
RANKS = (1, 5, 10, 20, 50, 100)
TOP = 10
# Texts are divided into this many parts of the same number, by their length.
LENGTHS = 4

# A topic and a document.
TopicDocument = tuple[str, str]


class RanksAndLengths(NamedTuple):
    """What is known of documents beside their grades: their ranks in each run, and the lengths of their texts."""

    ranks: Mapping[str, Mapping[TopicDocument, int]] = {}
    lengths: Mapping[str, int] = {}


class DocumentKind(NamedTuple):
    """Documents of one kind that both graded: how many, the share with the same grade, and the mean of the
    annotator's grade − the other's.
    """

    by: str
    of: str
    documents: int
    agreed: float
    difference: float


def parts(documents: list[TopicDocument], first: Floats, second: Floats, places: RanksAndLengths) -> list[DocumentKind]:
    """Where the grades of two annotators differ; a kind without documents is left out."""
    apart = first - second
    return [
        DocumentKind(by, of, int(kept.sum()), float((apart[kept] == 0).mean()), float(apart[kept].mean()))
        for by, of, kept in kinds(documents, second, places)
        if kept.any()
    ]


def kinds(documents: list[TopicDocument], other: Floats, places: RanksAndLengths) -> Iterator[tuple[str, str, Bools]]:
    """The kinds of documents, and which of them are of each."""
    yield "all", "", np.ones(len(documents), bool)
    for grade in np.unique(other).tolist():
        yield "grade of other", written_grade(grade), other == grade
    if places.ranks:
        none = RANKS[-1] + 1
        best = np.array([min(of.get(each, none) for of in places.ranks.values()) for each in documents])
        for low, high in zip((0, *RANKS), RANKS, strict=False):
            yield "rank", str(high) if low + 1 == high else f"{low + 1} to {high}", (best > low) & (best <= high)
        yield "rank", f"beyond {RANKS[-1]}, or not retrieved", best > RANKS[-1]
    for system, ranks in places.ranks.items():
        yield f"first {TOP} of", system, np.array([ranks.get(each, TOP + 1) <= TOP for each in documents])
    length = np.array([places.lengths.get(document, -1) for _, document in documents])
    yield from lengths(length)


def lengths(length: Ints) -> Iterator[tuple[str, str, Bools]]:
    """Documents by the length of their text, -1 if it is not known."""
    known = np.sort(length[length >= 0])
    if not len(known):
        return
    ends = [int(known[(len(known) * part - 1) // LENGTHS]) for part in range(1, LENGTHS + 1)]
    for low, high in zip((-1, *ends), ends, strict=False):
        yield "length", f"{low + 1:,} to {high:,}", (length > low) & (length <= high)
