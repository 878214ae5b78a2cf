"""Find texts in documents: chunks without offsets, or quotes.

Assay first searches for the text verbatim. If that fails, it ignores differences in whitespace, Unicode form, quotation
marks and dashes, soft hyphens and case. If the text has an ellipsis, it then searches for the parts between ellipses.
Assay does not guess: a text is found in one place, in several places, or not at all. If there are several, Assay takes
one and reports the choice. It assumes that the texts of a document come in document order, so it takes the first place
that is not before the previous text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.documents.search import (
    BLANK,
    TOLERANCES,
    Search,
    TextPlaces,
    are_alike,
    codes_of,
    folded_codes,
    strip_blanks,
    text_and_document,
)
from assay.errors import InputError, count_noun, quote
from assay.files.line_blocks import with_line_feeds
from assay.tables.ids import Ints

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

EXACT, NORMALIZED, AMBIGUOUS, MISSING = "exact", "normalized", "ambiguous", "missing"
# The words for each way in a summary: `3 after normalizing whitespace or case`.
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
    """A place where a text was found.

    `tolerated` has one bit for each of TOLERANCES that was needed to match. `places` is how many places matched, and
    `why` says why this one was taken.
    """

    document: int
    start: int
    end: int
    tolerated: int = 0
    places: int = 1
    why: str = ""

    @property
    def how(self) -> str:
        """How the text was found: exact, normalized or ambiguous."""
        return AMBIGUOUS if self.places > 1 and self.why != SAID else NORMALIZED if self.tolerated else EXACT


@dataclass(frozen=True, eq=False)
class Located:
    """The spans of each text: one, none, or several if the text was found only in parts.

    `in_parts` is true for a text that was searched for by the parts between its ellipses, because no document has it as
    a whole. `names` are the documents by number.
    """

    spans: list[tuple[Span, ...]]
    names: list[str]
    in_parts: list[bool]


def tolerances(bits: int) -> list[str]:
    """Return the names of the tolerances whose bits are set."""
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
    """Find each text in its document, or in all documents if it names none.

    `some` yields the names and texts of the requested documents that exist, `every` those of all documents. `starts`
    are the offsets that the rows give; if one of several places starts there, it is taken. `rankings` is the ranking of
    each text. If given, the texts of a document are in no particular order, and a text that appears again in its
    ranking takes another place. `sequences` is the sequence of each text, if there are several, for example one per
    topic.
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
    """The texts to find, and the number of the document to find each in; -1 means any document."""

    texts: Sequence[str]
    documents: list[int]
    # the texts and the parts between ellipses, each with a number; and each with the document to find it in
    patterns: dict[str, int] = field(default_factory=dict)
    pairs: list[int] = field(default_factory=list)
    exact: TextPlaces = field(default_factory=lambda: TextPlaces.gathered([]))
    folded: TextPlaces = field(default_factory=lambda: TextPlaces.gathered([]))

    def __post_init__(self) -> None:
        for text, document in zip(self.texts, self.documents, strict=True):
            for pattern in (text, *between_ellipses(text)):
                if pattern.strip():
                    number = self.patterns.setdefault(pattern, len(self.patterns))
                    self.pairs.append(number << 32 | (ANYWHERE if document < 0 else document))

    def answer(self, stream: Callable[[Ints | None], Iterable[tuple[int, str]]]) -> None:
        """Find all places: first verbatim, then normalized for the texts that were not found."""
        pairs = np.unique(np.array(self.pairs, np.int64))
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

    def spans(
        self, starts: Sequence[int | None], rankings: Sequence[object] | None, sequences: Sequence[object] | None
    ) -> tuple[list[tuple[Span, ...]], list[bool]]:
        """Return the spans of each text, and whether they are those of its parts.

        Of several places, the one at the given start is taken, or else the first after the previous text of the same
        sequence. Within a ranking there is no order, so it is the first place that no earlier text took.
        """
        exact, folded = SpansByText(self.exact), SpansByText(self.folded)

        def places(pattern: str, document: int) -> list[Span]:
            """Return the places of a text that need the fewest tolerances."""
            if (number := self.patterns.get(pattern)) is None:
                return []
            return exact.spans(number, document) or most_alike(folded.spans(number, document))

        in_order: dict[object, Chooser] = defaultdict(Chooser)
        spans, in_parts, last, chooser = list[tuple[Span, ...]](), list[bool](), object(), Chooser()
        numbers = [self.patterns.get(text, -1) for text in self.texts]
        verbatim, tolerant = (each.of_each(numbers, self.documents) for each in (exact, folded))
        for row, (text, document, start) in enumerate(zip(self.texts, self.documents, starts, strict=True)):
            if rankings is None:
                chooser = in_order[sequences[row] if sequences else None]
            elif rankings[row] != last:
                chooser, last = RankingChooser(), rankings[row]
            as_it_is, normalized = next(verbatim), next(tolerant)
            if whole := as_it_is or most_alike(normalized):
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
        self.pairs = text_and_document(places.text, places.document)
        # memoryviews, because numbers are read one by one
        self.columns = [column.data for column in places[1:]]

    def spans(self, text: int, document: int) -> list[Span]:
        """Return the places of a text in a document, or in any document if that is -1."""
        first, last = (text << 32, (text << 32) + ANYWHERE) if document < 0 else (text << 32 | document,) * 2
        return self._rows(bisect_left(self.pairs.data, first), bisect_right(self.pairs.data, last))

    def of_each(self, texts: list[int], documents: list[int]) -> Iterator[list[Span]]:
        """Yield what `spans` returns for each text and its document; this finds all at once, which is faster."""
        text, document = np.array(texts, np.int64), np.array(documents, np.int64)
        first = text_and_document(text, np.maximum(document, 0))
        last = text_and_document(text, np.where(document < 0, ANYWHERE, document))
        begin, end = self.pairs.searchsorted(first), self.pairs.searchsorted(last, "right")
        return map(self._rows, begin.tolist(), end.tolist())

    def _rows(self, begin: int, end: int) -> list[Span]:
        document, start, end_of, tolerated = self.columns
        return [Span(document[row], start[row], end_of[row], tolerated[row]) for row in range(begin, end)]


def most_alike(places: list[Span]) -> list[Span]:
    """Return the places that need the fewest tolerances."""
    least = min((span.tolerated.bit_length() for span in places), default=0)
    return [span for span in places if span.tolerated.bit_length() == least]


# The number of a document that stands for any document.
ANYWHERE = (1 << 32) - 1


def unreadable_note(unreadable: dict[str, InputError]) -> str:
    """Return a note that Assay could not read some documents and did not search them; empty if it read all."""
    if not unreadable:
        return ""
    number = count_noun(len(unreadable), "document")
    return f"Assay could not read {number} and did not search there: {next(iter(unreadable.values()))}"


def _search(texts: list[str], pairs: Ints) -> Search:
    anywhere = np.zeros(len(texts), np.bool_)
    anywhere[(pairs >> 32)[pairs & ANYWHERE == ANYWHERE]] = True
    return Search(texts, pairs, anywhere)


def _documents(pairs: Ints) -> Ints | None:
    """Return the numbers of the documents in some pairs, sorted; None if a pair means any document."""
    documents = np.unique(pairs & ANYWHERE)
    return None if len(documents) and documents[-1] == ANYWHERE else documents


def between_ellipses(text: str) -> list[str]:
    """Return the parts of a text between ellipses; none if it has no ellipsis."""
    if "…" not in text and "..." not in text and ". ." not in text:
        return []
    between = [part for part in ELLIPSIS.split(text) if part.strip()]
    return [] if between == [text] else between


class Chooser:
    """Chooses one of several places: the one at the given start, or the first after the previous text."""

    def __init__(self) -> None:
        self.last: dict[int, Span] = {}
        self.document = -1

    def choose(self, places: list[Span], said: int | None) -> Span:
        """Return the place to take, with the reason if there are several."""
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
        """Return a place for each part, each after the part before and all in one document; none if impossible."""
        if not parts or not all(parts):
            return ()
        # a part may occur many times, and then its list of places is the same object
        by_document = {id(places): spans_by_document(places) for places in parts}
        documents = list(by_document[id(parts[0])])
        for document in sorted(documents, key=lambda document: document != self.document):
            here = [by_document[id(places)].get(document, []) for places in parts]
            behind = next((place for place in here[0] if self._is_behind(place)), here[0][0])
            # if the other parts do not fit after one place, they do not fit after a later one either
            for first in dict.fromkeys((behind, here[0][0])):
                if spans := _behind(first, here):
                    self.document, self.last[document] = document, spans[0]
                    return spans
        return ()


class RankingChooser(Chooser):
    """Chooses one of several places for a text of a ranking: the one at the given start, or the first not yet taken."""

    def __init__(self) -> None:
        super().__init__()
        self.used: set[tuple[int, int, int]] = set()

    def choose(self, places: list[Span], said: int | None) -> Span:
        """Return the place to take, with the reason if there are several."""
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
    """Group places by document."""
    found: dict[int, list[Span]] = {}
    for place in places:
        found.setdefault(place.document, []).append(place)
    return found


# Check the offsets of rows against their texts: does the document have the text there, and if not, where?

# If a larger share of the texts is elsewhere, Assay believes none of the offsets.
TOLERABLE = 0.1
# The Windows line end, and what to do if offsets count it as one character.
WINDOWS = "\r\n"
LINE_ENDS = "the documents have two, so convert them to Unix line ends (\\n)"
# JavaScript and Java count UTF-16 units: a character after this one, for example an emoji, has two.
UTF_16, LAST_OF_ONE_UNIT = "utf-16-le", "\uffff"
# Assay names a cause if it explains this share of the wrong offsets.
MOST = 0.8
STRIPS = str.lstrip, str.rstrip
PREVIEWS = "Assay counts only the text; if these texts are previews and the offsets are right, pass texts=ignore"


class StatedPlace(NamedTuple):
    """A text, and the offsets that its row gives for it.

    `in_parent` is true if the offsets are known to count from the start of another chunk.
    """

    text: str
    document: str
    start: int
    end: int
    in_parent: bool = False


class WrongOffset(NamedTuple):
    """A text that its document does not have at the given offsets, and the places where the document does have it.

    `length` is the number of characters of the document; None if there is no such document.
    """

    row: int
    said: StatedPlace
    spans: tuple[Span, ...]
    length: int | None
    likely: str = ""

    @property
    def how(self) -> str:
        """Whether the text is at the given start with another end, was moved, is ambiguous or was not found."""
        if not self.spans:
            return "not found"
        if len(self.spans) == 1 and self.spans[0].start == self.said.start:
            return "end"
        return "ambiguous" if any(span.places > 1 for span in self.spans) else "moved"

    @property
    def by(self) -> int | None:
        """By how many characters the text was moved, if it is in exactly one other place."""
        return self.spans[0].start - self.said.start if self.how == "moved" and len(self.spans) == 1 else None

    @property
    def is_beyond(self) -> bool:
        """Whether the given end is after the end of the document."""
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
    """What the texts of some rows show about their offsets.

    A text is short if it is at the given start, but ends earlier, for example because it is a preview.
    """

    compared: int
    wrong: list[WrongOffset]
    short: list[WrongOffset] = field(default_factory=list)

    def summary(self) -> str:
        """Return how many texts are at their offsets, and how many are short, were moved, ambiguous or not found."""
        how = Counter(misplaced.how for misplaced in self.wrong)
        by = Counter(misplaced.by for misplaced in self.wrong if misplaced.by is not None)
        shift, times = by.most_common(1)[0] if by else (0, 0)
        most = f" ({times:,} by {shift})" if 2 * times > how["moved"] else ""
        short = f", {len(self.short):,} shorter than the offsets" if self.short else ""
        end = f", {how['end']:,} with a wrong end" if how["end"] else ""
        return (
            f"{self.compared - len(self.wrong) - len(self.short):,} exact{short}{end}, {how['moved']:,} moved{most}, "
            f"{how['ambiguous']:,} in several places, {how['not found']:,} not found"
        )

    def short_texts(self, example: str = "") -> str:
        """Say how many texts are shorter than their offsets say, what Assay does, and what to do about it."""
        number = f"{len(self.short):,} of {count_noun(self.compared, 'text')}"
        verb = "is shorter than its" if len(self.short) == 1 else "are shorter than their"
        return f"{number} {verb} offsets say{f' ({example})' if example else ''}; {PREVIEWS}"

    def causes(self) -> Iterator[str]:
        """Yield what has probably gone wrong with the offsets, if that can be named."""
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
        """Return whether the offsets are too small, and more so the further on in a document.

        This happens if they count a copy of the text with fewer characters.
        """
        shifts = {(misplaced.said.document, misplaced.said.start, by) for misplaced in self.wrong
                  if (by := misplaced.by)}  # fmt: skip
        places = {(document, start) for document, start, _ in shifts}
        in_order = [(name, by) for name, _, by in sorted(shifts)]
        return (
            sum(bool(misplaced.by) for misplaced in self.wrong) >= MOST * len(self.wrong)
            and all(by > 0 for _, by in in_order)
            # a place has only one shift, and no later place has a smaller one
            and len(places) == len(shifts)
            and in_order == sorted(in_order)
            and len(set(in_order)) > len({name for name, _ in in_order})
        )

    def _look_nested(self) -> bool:
        """Return whether offsets start again several times per document: many rows share a positive shift."""
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


def id_or_name(name: str, collection: DocumentCollection) -> str:
    """Return the collection's own id of a document; the name itself if the collection does not have it."""
    return collection.own_id(name) or name


def compare_texts(rows: Sequence[StatedPlace], collection: DocumentCollection) -> TextEvidence:
    """Compare each text with its document at the given offsets; search for those that differ.

    A difference that a search would tolerate, for example in whitespace or case, does not make offsets wrong.
    """
    by_document: dict[str, list[int]] = {}
    own: dict[str, str | None] = {}
    for number, row in enumerate(rows):
        if row.document not in own:
            own[row.document] = collection.own_id(row.document)
        by_document.setdefault(own[row.document] or "", []).append(number)
    differing: dict[int, tuple[int | None, str]] = dict.fromkeys(by_document.pop("", ()), (None, ""))
    short: dict[int, WrongOffset] = {}
    for name, text in collection.texts(list(by_document)):
        wrong = [number for number in by_document[name] if not is_there(text, rows[number])]
        encoded = b"" if text.isascii() or not wrong else text.encode("utf-8", "replace")
        units = text.encode(UTF_16, "replace") if encoded and max(text) > LAST_OF_ONE_UNIT else b""
        translated = with_line_feeds(text) if wrong and WINDOWS in text else ""
        for number in wrong:
            said = rows[number]
            cause = likely_cause(text, encoded, units, translated, said)
            if not cause and (span := beginning_there(text, said)):
                short[number] = WrongOffset(number, said, (span,), len(text))
            else:
                differing[number] = len(text), cause
    wrong_offsets = list(find_misplaced(rows, differing, own, collection))
    return TextEvidence(len(rows), wrong_offsets, [short[number] for number in sorted(short)])


def is_there(text: str, said: StatedPlace) -> bool:
    """Return whether a document has the text of a row at the given offsets, apart from what a search tolerates."""
    if said.end > len(text):
        return False
    there = text[said.start : said.end]
    if there == said.text:
        return True
    # a text may have been stripped, but whitespace that it has is part of it
    is_cut = len(said.text) > len(there)
    if is_cut and (text.startswith(said.text, said.start) or text.endswith(said.text, 0, said.end)):
        return False
    # more whitespace before the text than at its place, and less after it, or the reverse: the offsets are shifted
    before, after = (len(there) - len(strip(there)) - len(said.text) + len(strip(said.text)) for strip in STRIPS)
    return before * after >= 0 and are_alike(there, said.text)


def beginning_there(text: str, said: StatedPlace) -> Span | None:
    """Return where the text of a row is, if what the document has at the given offsets begins with it and goes on.

    An ellipsis at the end of the text does not count.
    """
    parts = between_ellipses(said.text) or [said.text]
    if len(parts) > 1 or len(parts[0]) >= said.end - said.start:
        return None
    there = folded_codes(codes_of(text[said.start : said.end]))
    wanted = strip_blanks(folded_codes(codes_of(parts[0])).codes)
    first = int(there.codes[:1].tolist() == [BLANK])
    last = first + len(wanted)
    is_there = 0 < len(wanted) < len(there.codes) - first and np.array_equal(there.codes[first:last], wanted)
    # not if it ends in the middle of a character, for example of a ligature
    if not is_there or not there.begins(np.array([last]))[0]:
        return None
    return Span(-1, said.start + int(there.origin[first]), said.start + int(there.origin[last - 1]) + 1)


def find_misplaced(
    rows: Sequence[StatedPlace],
    differing: dict[int, tuple[int | None, str]],
    own: dict[str, str | None],
    collection: DocumentCollection,
) -> Iterator[WrongOffset]:
    """Yield the rows whose texts are elsewhere.

    A text with an ellipsis is not, if the offsets are those of one of its parts.
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
    """Return what the offsets count instead of characters up to an exclusive end, if that explains them.

    `encoded` is the document as UTF-8 and `units` as UTF-16; each is empty if it would count the same as characters.
    `translated` is the text with line feeds instead of Windows line ends, and is empty if it has none of those.
    """
    if said.end < len(text) and text[said.start : said.end + 1] == said.text:
        return "each end is the offset of the last character; it must be one more"
    if encoded[said.start : said.end] == said.text.encode("utf-8", "replace"):
        return "these offsets count bytes, not characters"
    if units[2 * said.start : 2 * said.end] == said.text.encode(UTF_16, "replace"):
        return "these offsets count UTF-16 units, as JavaScript and Java do, not characters"
    if translated[said.start : said.end] == with_line_feeds(said.text):
        return f"these offsets count a Windows line end (\\r\\n) as one character; {LINE_ENDS}"
    return ""
