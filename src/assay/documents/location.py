"""Where texts are in documents: chunks without places, or quotations.

A text is looked for as it is, then with blanks, Unicode forms, quotation marks and dashes, soft hyphens and case folded
away, and if it has an ellipsis then part by part. Nothing is placed by guess: a text is in one place, in several of
which one is taken and the choice is told, or in none. The texts of a document come in the order in which they stand
there: of several places the first is taken that is not before the text before it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.documents.search import TOLERANCES, Search, TextPlaces, text_and_document
from assay.errors import InputError, count_noun, quote
from assay.files.line_blocks import with_line_feeds
from assay.tables.ids import Ints

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

EXACT, NORMALIZED, AMBIGUOUS, MISSING = "exact", "normalized", "ambiguous", "missing"
# How a count of texts that were found in these ways reads: `3 after normalizing whitespace or case`.
HOW_FOUND = {
    EXACT: "verbatim",
    NORMALIZED: "after normalizing whitespace or case",
    AMBIGUOUS: "in several places",
    MISSING: "not found",
}
SAID, AFTER, FIRST = "the one at the given start", "the first after the previous text", "the first"
NEXT = "the first not taken by an earlier text"
ELLIPSIS = re.compile(r"(?:(?<!\s)\s++)?(?:\[\s*(?:\.{3,}|…)\s*\]|\(\s*(?:\.{3,}|…)\s*\)|\.(?: \.){2,}|\.{3,}|…)\s*")


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
        return AMBIGUOUS if self.places > 1 and self.why != SAID else NORMALIZED if self.tolerated else EXACT


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
    """Find each text in its document, or where it has none in all.

    `some` gives the names and texts of the documents asked for, as far as they are there, `every` those of all. Where
    it is said that a text `starts` at one of several places, that is taken. `rankings` tell for each text of which
    ranking it is: then the texts of a document come in no order, and a text that comes again in its ranking takes
    another place. `sequences` tell in which sequence it comes, if there are several, as one for each topic.
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
        """Find all places: first of the texts as they are, then folded those that were not found."""
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
                spans.append((chooser.choose(whole, start),))
            else:
                parts = between_ellipses(text)
                of_parts = {part: places(part, document) for part in dict.fromkeys(parts)}
                spans.append(chooser.in_turn([of_parts[part] for part in parts]))
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


def unreadable_note(unreadable: dict[str, InputError]) -> str:
    """That some documents could not be read, and so nothing was found in them; nothing if all could."""
    if not unreadable:
        return ""
    number = count_noun(len(unreadable), "document")
    return f"Assay could not read {number} and did not search there: {next(iter(unreadable.values()))}"


def _search(texts: list[str], pairs: Ints) -> Search:
    anywhere = np.zeros(len(texts), np.bool_)
    anywhere[(pairs >> 32)[pairs & ANYWHERE == ANYWHERE]] = True
    return Search(texts, pairs, anywhere)


def _documents(pairs: Ints) -> Ints | None:
    """The documents of some pairs in their order; None if that is any."""
    documents = np.unique(pairs & ANYWHERE)
    return None if len(documents) and documents[-1] == ANYWHERE else documents


def between_ellipses(text: str) -> list[str]:
    """The parts of a text between ellipses; none if it has no ellipsis."""
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

    def choose(self, places: list[Span], said: int | None) -> Span:
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
        """A place for each part after that of the part before it, all in one document; none if that cannot be."""
        if not parts or not all(parts):
            return ()
        # parts may be the same text again and again
        by_document = {id(places): spans_by_document(places) for places in parts}
        documents = list(by_document[id(parts[0])])
        for document in sorted(documents, key=lambda document: document != self.document):
            here = [by_document[id(places)].get(document, []) for places in parts]
            behind = next((place for place in here[0] if self._is_behind(place)), here[0][0])
            # if there is no room for the other parts after one place, there is none after later ones
            for first in dict.fromkeys((behind, here[0][0])):
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

    def choose(self, places: list[Span], said: int | None) -> Span:
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
        at = bisect_left(places, spans[-1].end, key=lambda place: place.start)
        if at == len(places):
            return ()
        behind = len(places) - at
        spans.append(places[at]._replace(places=behind, why=AFTER if behind > 1 else ""))
    return tuple(spans)


def spans_by_document(places: list[Span]) -> dict[int, list[Span]]:
    """Places in the documents that they are in."""
    found: dict[int, list[Span]] = {}
    for place in places:
        found.setdefault(place.document, []).append(place)
    return found


# The texts of rows as evidence of their offsets: whether each stands where its row says, and if not, where it does.

# What share of texts may be elsewhere before nothing is believed.
TOLERABLE = 0.1
# What ends a line on Windows, and what to do where offsets do not know it.
WINDOWS = "\r\n"
LINE_ENDS = "the documents have two, so convert them to Unix line ends (\\n)"
# How JavaScript and Java count: a character after this one, as an emoji, has two units.
UTF_16, LAST_OF_ONE_UNIT = "utf-16-le", "\uffff"
# A cause is named where it explains this many of the wrong offsets.
MOST = 0.8


class StatedPlace(NamedTuple):
    """A text and the place that its row says it has; `in_parent`: an object that is known to count from another chunk.
    """

    text: str
    document: str
    start: int
    end: int
    in_parent: bool = False


class WrongOffset(NamedTuple):
    """A text that does not stand where its row says: the places where it does, and how long its document is.

    A length of None: there is no such document.
    """

    row: int
    said: StatedPlace
    spans: tuple[Span, ...]
    length: int | None
    likely: str = ""

    @property
    def how(self) -> str:
        """moved, ambiguous or not found."""
        if not self.spans:
            return "not found"
        return "ambiguous" if any(span.places > 1 for span in self.spans) else "moved"

    @property
    def by(self) -> int | None:
        """By how many characters it was moved, where it is in one other place."""
        return self.spans[0].start - self.said.start if self.how == "moved" and len(self.spans) == 1 else None

    @property
    def is_beyond(self) -> bool:
        """Whether the place ends after the document."""
        return self.length is not None and self.said.end > self.length

    def __str__(self) -> str:
        text, place = quote(self.said.text, 40), f"{self.said.start}-{self.said.end}"
        if self.length is None:
            return f"{text}: there is no document {self.said.document}"
        here = f"document {self.said.document} does not have {text} at {place}"
        beyond = f" (it has {self.length:,} characters)" if self.is_beyond else ""
        if not self.spans:
            return f"{here}{beyond}, nor anywhere else"
        if self.how == "ambiguous":
            return f"{here}{beyond}, but in {self.spans[0].places:,} other places"
        parts = ", ".join(f"{span.start}-{span.end}" for span in self.spans)
        return f"{here}{beyond}, but at {parts}"


@dataclass(frozen=True, eq=False)
class TextEvidence:
    """What the texts of some rows tell of their offsets."""

    compared: int
    wrong: list[WrongOffset]

    def summary(self) -> str:
        """How many texts stand where they should, and how the others do not."""
        how = Counter(misplaced.how for misplaced in self.wrong)
        by = Counter(misplaced.by for misplaced in self.wrong if misplaced.by is not None)
        shift, times = by.most_common(1)[0] if by else (0, 0)
        most = f" ({times:,} by {shift})" if 2 * times > how["moved"] else ""
        return (
            f"{self.compared - len(self.wrong):,} exact, {how['moved']:,} moved{most}, "
            f"{how['ambiguous']:,} in several places, {how['not found']:,} not found"
        )

    def causes(self) -> Iterator[str]:
        """What is likely to have gone wrong, if it can be named."""
        if not self.wrong:
            return
        number = len(self.wrong)
        in_parent = sum(misplaced.said.in_parent for misplaced in self.wrong)
        likely, times = Counter(misplaced.likely for misplaced in self.wrong).most_common(1)[0]
        if not in_parent and likely and times >= MOST * number:
            yield likely
        elif not in_parent and self._drift():
            yield (
                "these offsets seem to count a changed copy of the document, for example without line breaks or "
                "double spaces"
            )
        elif in_parent or self._look_nested():
            of = f"{in_parent:,} of " if 0 < in_parent < number else ""
            yield f"{of}these offsets count from a parent chunk, not from the start of the document"
        beyond = sum(misplaced.is_beyond for misplaced in self.wrong)
        if beyond:
            yield f"{count_noun(beyond, 'row')} {'ends' if beyond == 1 else 'end'} after the end of the document"
        absent = len({misplaced.said.document for misplaced in self.wrong if misplaced.length is None})
        if absent:
            yield f"{count_noun(absent, 'document')} {'is' if absent == 1 else 'are'} missing"

    def _drift(self) -> bool:
        """Whether the offsets fall behind, and the further on in a document the more, as where the text that they are
        of has fewer characters.
        """
        shifts = {(misplaced.said.document, misplaced.said.start, by) for misplaced in self.wrong
                  if (by := misplaced.by)}  # fmt: skip
        places = {(document, start) for document, start, _ in shifts}
        in_order = [(name, by) for name, _, by in sorted(shifts)]
        return (
            sum(bool(misplaced.by) for misplaced in self.wrong) >= MOST * len(self.wrong)
            and all(by > 0 for _, by in in_order)
            # a place has one shift, and none after it has a smaller one
            and len(places) == len(shifts)
            and in_order == sorted(in_order)
            and len(set(in_order)) > len({name for name, _ in in_order})
        )

    def _look_nested(self) -> bool:
        """Whether the offsets start again and again, so that many rows are wrong by the same number, and all by
        positive ones.
        """
        shifts = [(misplaced.said.document, misplaced.by) for misplaced in self.wrong if misplaced.by]
        forward = sum(by > 0 for _, by in shifts if by is not None)
        distinct = len(set(shifts))
        of_parents = distinct - len({document for document, _ in shifts})
        return (
            len(shifts) >= MOST * len(self.wrong)
            and forward == len(shifts)
            and of_parents > 0
            and 2 * distinct <= len(shifts)
        )


def compare_texts(rows: Sequence[StatedPlace], collection: DocumentCollection) -> TextEvidence:
    """Compare each text with what its document has at the place that is said; those that differ are looked for."""
    by_document: dict[str, list[int]] = {}
    own: dict[str, str | None] = {}
    for number, row in enumerate(rows):
        if row.document not in own:
            own[row.document] = collection.own_id(row.document)
        by_document.setdefault(own[row.document] or "", []).append(number)
    differing: dict[int, tuple[int | None, str]] = dict.fromkeys(by_document.pop("", ()), (None, ""))
    for name, text in collection.texts(list(by_document)):
        wrong = [
            number for number in by_document[name] if text[rows[number].start : rows[number].end] != rows[number].text
        ]
        encoded = b"" if text.isascii() or not wrong else text.encode("utf-8", "replace")
        units = text.encode(UTF_16, "replace") if encoded and max(text) > LAST_OF_ONE_UNIT else b""
        translated = with_line_feeds(text) if wrong and WINDOWS in text else ""
        for number in wrong:
            differing[number] = len(text), likely_cause(text, encoded, units, translated, rows[number])
    return TextEvidence(len(rows), list(find_misplaced(rows, differing, own, collection)))


def find_misplaced(
    rows: Sequence[StatedPlace],
    differing: dict[int, tuple[int | None, str]],
    own: dict[str, str | None],
    collection: DocumentCollection,
) -> Iterator[WrongOffset]:
    """The rows whose texts are elsewhere; a text that stands where it is said but for blanks, quotes or the like is
    none, nor is one with an ellipsis whose place is that of one of its parts.
    """
    numbers = sorted(number for number in differing if differing[number][0] is not None)
    texts = [rows[number].text for number in numbers]
    names = [own[rows[number].document] for number in numbers]
    starts: list[int | None] = [rows[number].start for number in numbers]
    places = (
        found_in_documents(texts, names, collection.texts, collection.texts, starts, numbers).spans if numbers else []
    )
    spans_of = dict(zip(numbers, places, strict=True))
    for number in sorted(differing):
        said, spans = rows[number], spans_of.get(number, ())
        if (said.start, said.end) in [(span.start, span.end) for span in spans]:
            continue
        yield WrongOffset(number, said, spans, *differing[number])


def likely_cause(text: str, encoded: bytes, units: bytes, translated: str, said: StatedPlace) -> str:
    """What else than characters up to the end the offsets may count, if they fit that; `encoded` has the bytes of the
    document, `units` those of its UTF-16, where some characters have two units, and `translated` its text with line
    feeds for the line ends of Windows, where it has these.
    """
    if text[said.start : said.end + 1] == said.text:
        return "each end is the offset of the last character; it must be one more"
    if encoded[said.start : said.end] == said.text.encode("utf-8", "replace"):
        return "these offsets count bytes, not characters"
    if units[2 * said.start : 2 * said.end] == said.text.encode(UTF_16, "replace"):
        return "these offsets count UTF-16 units, as JavaScript and Java do, not characters"
    if translated[said.start : said.end] == with_line_feeds(said.text):
        return f"these offsets count a Windows line end (\\r\\n) as one character; {LINE_ENDS}"
    return ""
