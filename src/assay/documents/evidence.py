"""The texts of rows as evidence of their offsets: whether each stands where its row says, and if not, where it does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from assay.documents.locating import Span, found_in_documents
from assay.errors import counted, quoted
from assay.files.plain_text import with_line_feeds

# What share of texts may stand elsewhere before nothing is believed.
TOLERABLE = 0.1
# What ends a line on Windows, and what to do where offsets do not know it.
WINDOWS = "\r\n"
LINE_ENDS = "the documents have two: give documents with line feeds alone, as Python reads text files"
# How JavaScript and Java count: a character behind this one, as an emoji, has two units.
UTF_16, LAST_OF_ONE_UNIT = "utf-16-le", "\uffff"
# A cause is named where it explains so many of the wrong offsets.
MOST = 0.8


class Said(NamedTuple):
    """A text and the place that its row says it has; `in_parent`: an object that is known to count from another chunk.
    """

    text: str
    document: str
    start: int
    end: int
    in_parent: bool = False


class Misplaced(NamedTuple):
    """A text that does not stand where its row says: the places where it does, and how long its document is.

    A length of None: there is no such document.
    """

    row: int
    said: Said
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
        """By how many characters it was moved, where it stands in one other place."""
        return self.spans[0].start - self.said.start if self.how == "moved" and len(self.spans) == 1 else None

    @property
    def is_beyond(self) -> bool:
        """Whether the place ends behind the document."""
        return self.length is not None and self.said.end > self.length

    def __str__(self) -> str:
        text, place = quoted(self.said.text, 40), f"{self.said.start}-{self.said.end}"
        if self.length is None:
            return f"{text}: there is no document {self.said.document}"
        here = f"{text} is not what document {self.said.document} has at {place}"
        beyond = f"; it has {self.length:,} characters" if self.is_beyond else ""
        if not self.spans:
            return f"{here}{beyond}; it was not found there"
        if self.how == "ambiguous":
            return f"{here}{beyond}; it stands there in {self.spans[0].places:,} places"
        parts = ", ".join(f"{span.start}-{span.end}" for span in self.spans)
        return f"{here}{beyond}; it stands at {parts}"


@dataclass(frozen=True, eq=False)
class TextEvidence:
    """What the texts of some rows tell of their offsets."""

    compared: int
    wrong: list[Misplaced]

    @property
    def is_bad(self) -> bool:
        """Whether so many are wrong that the others cannot be believed either."""
        return len(self.wrong) > TOLERABLE * self.compared

    def summary(self) -> str:
        """How many texts stand where they should, and how the others do not."""
        how = Counter(misplaced.how for misplaced in self.wrong)
        by = Counter(misplaced.by for misplaced in self.wrong if misplaced.by is not None)
        shift, times = by.most_common(1)[0] if by else (0, 0)
        most = f" ({times:,} by {shift})" if 2 * times > how["moved"] else ""
        return (
            f"{self.compared - len(self.wrong):,} exact, {how['moved']:,} moved{most}, {how['ambiguous']:,} ambiguous, "
            f"{how['not found']:,} not found"
        )

    def causes(self) -> Iterator[str]:
        """What is likely to have gone wrong, where it can be named."""
        if not self.wrong:
            return
        number = len(self.wrong)
        in_parent = sum(misplaced.said.in_parent for misplaced in self.wrong)
        likely, times = Counter(misplaced.likely for misplaced in self.wrong).most_common(1)[0]
        if not in_parent and likely and times >= MOST * number:
            yield likely
        elif not in_parent and self._drift():
            yield "these offsets are of another text, as one without line breaks or double blanks"
        elif in_parent or self._look_nested():
            of = f"{in_parent:,} of " if 0 < in_parent < number else ""
            yield f"{of}these offsets count from a parent chunk, not from the start of the document"
        beyond = sum(misplaced.is_beyond for misplaced in self.wrong)
        if beyond:
            yield f"{counted(beyond, 'row')} {'ends' if beyond == 1 else 'end'} beyond the document"
        absent = len({misplaced.said.document for misplaced in self.wrong if misplaced.length is None})
        if absent:
            yield f"{counted(absent, 'document')} {'is' if absent == 1 else 'are'} not there"

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
            # a place has one shift, and none behind it has a smaller one
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


def compared(rows: Sequence[Said], collection: Any) -> TextEvidence:
    """Compares each text with what its document has at the place that is said; those that differ are looked for."""
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
    return TextEvidence(len(rows), list(misplaced(rows, differing, own, collection)))


def misplaced(
    rows: Sequence[Said], differing: dict[int, tuple[int | None, str]], own: dict[str, str | None], collection: Any
) -> Iterator[Misplaced]:
    """The rows whose texts stand elsewhere; a text that stands where it is said but for blanks, quotes or the like is
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
        yield Misplaced(number, said, spans, *differing[number])


def likely_cause(text: str, encoded: bytes, units: bytes, translated: str, said: Said) -> str:
    """What else than characters up to the end the offsets may count, if they fit that; `encoded` has the bytes of the
    document, `units` those of its UTF-16, where some characters have two units, and `translated` its text with line
    feeds for the line ends of Windows, where it has these.
    """
    if text[said.start : said.end + 1] == said.text:
        return "the ends are those of the last character, and should be one more"
    if encoded[said.start : said.end] == said.text.encode("utf-8", "replace"):
        return "these offsets count bytes, not characters"
    if units[2 * said.start : 2 * said.end] == said.text.encode(UTF_16, "replace"):
        return "these offsets count units of UTF-16, as JavaScript and Java do, not characters"
    if translated[said.start : said.end] == with_line_feeds(said.text):
        return f"these offsets count a line end of Windows as one character, and {LINE_ENDS}"
    return ""
