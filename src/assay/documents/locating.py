"""Where texts stand in documents: chunks without places, or quotations.

A text is looked for as it is, then with blanks, Unicode forms, quotation marks and dashes, soft hyphens and case folded
away, and if it has an ellipsis then part by part. Nothing is placed by guess: a text stands in one place, in several of
which one is taken and the choice is told, or in none. The texts of a document come in the order in which they stand
there: of several places the first is taken that is not before the text before it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from assay.documents.folding import TOLERANCES
from assay.documents.searching import Search, TextPlaces, text_and_document
from assay.tables.ids import Ints

EXACT, MOVED, AMBIGUOUS, MISSING = "exact", "moved", "ambiguous", "missing"
SAID, AFTER, FIRST = "the one that was said", "the first after the text before it", "the first of all"
NEXT = "the first that was not taken before"
ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:\.{3,}|…)\s*\]|\(\s*(?:\.{3,}|…)\s*\)|\.(?: \.){2,}|\.{3,}|…)\s*")


class Span(NamedTuple):
    """A place in a document, what it tolerates (a bit for each of TOLERANCES), and of how many it was taken and why."""

    document: int
    start: int
    end: int
    tolerated: int = 0
    places: int = 1
    why: str = ""

    @property
    def how(self) -> str:
        """How it was found."""
        return AMBIGUOUS if self.places > 1 and self.why != SAID else MOVED if self.tolerated else EXACT


@dataclass(frozen=True, eq=False)
class Located:
    """The spans of each text, by the number of the text: one, several where the text has ellipses, or none; and which
    texts do not stand there as a whole, but by the parts between their ellipses.
    """

    spans: list[tuple[Span, ...]]
    names: list[str]
    in_parts: list[bool]


def tolerances(bits: int) -> list[str]:
    """The names of what was tolerated."""
    return [name for number, name in enumerate(TOLERANCES) if bits >> number & 1]


def found_in_documents(
    texts: Sequence[str],
    documents: Sequence[str | None],
    some: Callable[[list[str]], Iterator[tuple[str, str]]],
    every: Callable[[], Iterator[tuple[str, str]]],
    starts: Sequence[int | None] | None = None,
    rankings: Sequence[object] | None = None,
    sequences: Sequence[object] | None = None,
) -> Located:
    """Finds each text in its document, or where it has none in all.

    `some` gives the names and texts of the documents asked for, as far as they are there, `every` those of all. Where
    it is said that a text `starts` at one of several places, that is taken. `rankings` tell for each text of which
    ranking it is: then the texts of a document come in no order, and a text that comes again in its ranking takes
    another place. `sequences` tell in which sequence it comes, where there are several, as one for each topic.
    """
    numbers = {
        name: number for number, name in enumerate(dict.fromkeys(name for name in documents if name is not None))
    }
    to_find = TextsToFind(texts, [-1 if name is None else numbers[name] for name in documents])

    def stream(wanted: Ints | None) -> Iterator[tuple[int, str]]:
        names = list(numbers)
        pairs = every() if wanted is None else some([names[number] for number in wanted.tolist()])
        for name, text in pairs:
            yield numbers.setdefault(name, len(numbers)), text

    if to_find.patterns:
        to_find.answer(stream)
    spans, in_parts = to_find.spans(starts or [None] * len(texts), rankings, sequences)
    return Located(spans, list(numbers), in_parts)


@dataclass(eq=False)
class TextsToFind:
    """Which texts are looked for in which documents, numbered; a document of -1 is any."""

    texts: Sequence[str]
    documents: list[int]
    patterns: dict[str, int] = field(default_factory=dict)
    exact: TextPlaces = field(default_factory=lambda: TextPlaces.gathered([]))
    folded: TextPlaces = field(default_factory=lambda: TextPlaces.gathered([]))

    def __post_init__(self) -> None:
        for row in range(len(self.texts)):
            for pattern in (self.texts[row], *between_ellipses(self.texts[row])):
                if pattern.strip():
                    self.patterns.setdefault(pattern, len(self.patterns))

    def answer(self, stream: Callable[[Ints | None], Iterable[tuple[int, str]]]) -> None:
        """Finds all places: first of the texts as they are, then folded those that were not found."""
        pairs = np.unique(np.array(list(self._pairs()), np.int64))
        every = list(self.patterns)
        self.exact = _search(every, pairs).exact(stream(_documents(pairs)))
        answered = np.concatenate(
            [text_and_document(self.exact.text, self.exact.document), self.exact.text << 32 | ANYWHERE]
        )
        missing = np.setdiff1d(pairs, answered)
        if len(missing):
            which = np.unique(missing >> 32)
            again = text_and_document(np.searchsorted(which, missing >> 32), missing & ANYWHERE)
            places = _search([every[number] for number in which.tolist()], again).folded(stream(_documents(missing)))
            self.folded = places._replace(text=which[places.text])

    def _pairs(self) -> Iterator[int]:
        for row, document in enumerate(self.documents):
            for pattern in (self.texts[row], *between_ellipses(self.texts[row])):
                if pattern in self.patterns:
                    yield self.patterns[pattern] << 32 | (int(ANYWHERE) if document < 0 else document)

    def spans(
        self, starts: Sequence[int | None], rankings: Sequence[object] | None, sequences: Sequence[object] | None
    ) -> tuple[list[tuple[Span, ...]], list[bool]]:
        """The places of all texts, each chosen after that of the text before it in its sequence, unless it is said
        where it `starts`, or in no order within `rankings`; and which are those of their parts.
        """
        exact, folded = SpansByText(self.exact), SpansByText(self.folded)

        def places(pattern: str, document: int) -> list[Span]:
            """Where a text stands, with as little tolerated as will do."""
            if (number := self.patterns.get(pattern)) is None:
                return []
            if as_it_is := exact.spans(number, document):
                return as_it_is
            tolerant = folded.spans(number, document)
            least = min((span.tolerated.bit_length() for span in tolerant), default=0)
            return [span for span in tolerant if span.tolerated.bit_length() == least]

        in_order: dict[object, Chooser] = defaultdict(Chooser)
        spans, in_parts, last, chooser = list[tuple[Span, ...]](), list[bool](), object(), Chooser()
        for row, (text, document, start) in enumerate(zip(self.texts, self.documents, starts, strict=True)):
            if rankings is None:
                chooser = in_order[sequences[row] if sequences else None]
            elif rankings[row] != last:
                chooser, last = RankingChooser(), rankings[row]
            if whole := places(text, document):
                spans.append((chooser.taken(whole, start),))
            else:
                spans.append(chooser.in_turn([places(part, document) for part in between_ellipses(text)]))
            in_parts.append(not whole)
        return spans, in_parts


class SpansByText:
    """The places of texts, by text and document."""

    def __init__(self, places: TextPlaces):
        # numbers are taken one by one
        self.pairs = text_and_document(places.text, places.document).data
        self.document, self.start, self.end, self.tolerated = (column.data for column in places[1:])

    def spans(self, text: int, document: int) -> list[Span]:
        """The places of a text in a document, or for -1 in any."""
        first, last = (text << 32, (text + 1 << 32) - 1) if document < 0 else (text << 32 | document,) * 2
        rows = range(bisect_left(self.pairs, first), bisect_right(self.pairs, last))
        return [Span(self.document[row], self.start[row], self.end[row], self.tolerated[row]) for row in rows]


ANYWHERE = np.int64((1 << 32) - 1)


def _search(texts: list[str], pairs: Ints) -> Search:
    anywhere = np.zeros(len(texts), np.bool_)
    anywhere[(pairs >> 32)[pairs & ANYWHERE == ANYWHERE]] = True
    return Search(texts, pairs, anywhere)


def _documents(pairs: Ints) -> Ints | None:
    """The documents of some pairs in their order; None where that is any."""
    documents = np.unique(pairs & ANYWHERE)
    return None if len(documents) and documents[-1] == ANYWHERE else documents


def between_ellipses(text: str) -> list[str]:
    """The parts of a text between ellipses; none where it has no ellipsis."""
    if not any(sign in text for sign in ("…", "...", ". .")):
        return []
    between = [part for part in ELLIPSIS.split(text) if part.strip()]
    return [] if between == [text] else between


class Chooser:
    """Takes one of several places: where it is said to be, or the first that is not before the text before it in its
    document.
    """

    def __init__(self) -> None:
        self.last: dict[int, Span] = {}
        self.document = -1

    def taken(self, places: list[Span], said: int | None) -> Span:
        """The place that is taken, with the reason if there are several."""
        span = places[0]
        if len(places) > 1:
            here = [place for place in places if place.document == self.document] or places
            there = next((place for place in here if place.start == said), None)
            behind = next((place for place in here if self._is_behind(place)), None)
            span = (there or behind or span)._replace(
                places=len(places), why=SAID if there else AFTER if behind else FIRST
            )
        self.document, self.last[span.document] = span.document, span
        return span

    def _is_behind(self, place: Span) -> bool:
        before = self.last.get(place.document)
        return before is not None and place.start >= before.start and place[1:3] != before[1:3]

    def in_turn(self, parts: list[list[Span]]) -> tuple[Span, ...]:
        """A place for each part behind that of the part before it, all in one document; none where that cannot be."""
        if not parts or not all(parts):
            return ()
        documents = dict.fromkeys(place.document for place in parts[0])
        for document in sorted(documents, key=lambda document: document != self.document):
            here = [[place for place in places if place.document == document] for places in parts]
            starts = [place for place in here[0] if self._is_behind(place)] + here[0]
            for first in starts:
                if spans := _behind(first, here):
                    self.document, self.last[document] = document, spans[0]
                    return spans
        return ()


class RankingChooser(Chooser):
    """Takes one of several places of a text in a ranking: where it is said to be, or the first that was not taken
    before.
    """

    def __init__(self) -> None:
        super().__init__()
        self.used: set[tuple[int, int, int]] = set()

    def taken(self, places: list[Span], said: int | None) -> Span:
        """The place that is taken, with the reason if there are several."""
        span = places[0]
        if len(places) > 1:
            there = next((place for place in places if place.start == said), None)
            fresh = next((place for place in places if place[:3] not in self.used), None)
            why = SAID if there else NEXT if fresh and fresh is not span else FIRST
            span = (there or fresh or span)._replace(places=len(places), why=why)
        self.used.add(span[:3])
        return span

    def _is_behind(self, place: Span) -> bool:
        return place[:3] not in self.used


def _behind(first: Span, parts: list[list[Span]]) -> tuple[Span, ...]:
    spans = [first._replace(places=len(parts[0]), why=FIRST if len(parts[0]) > 1 else "")]
    for places in parts[1:]:
        behind = [place for place in places if place.start >= spans[-1].end]
        if not behind:
            return ()
        spans.append(behind[0]._replace(places=len(behind), why=AFTER if len(behind) > 1 else ""))
    return tuple(spans)
