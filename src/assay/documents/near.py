"""Find the passage of some documents that is most similar to a text that no document has verbatim.

    likeness = 1 - edit distance / length of the longer        after whitespace, case, quotes and dashes are made alike

Words, pairs and triples of words that a text shares with a document point at passages; rare ones count more. The
passages with the most votes are compared character by character. So the result is nearly always the best passage, but
not always: a passage that shares no words with the text is not seen.
"""

from __future__ import annotations

import html
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from assay.documents.search import Block, Codes, Piece, Windows, blocks_of, codes_of, folded_codes
from assay.files.threads import in_threads
from assay.tables.ids import Bools, Floats, Ints, Keys

# Less similar passages are not shown. If the named document has nothing as good as GOOD, all documents are searched.
SHOWN, GOOD = 0.6, 0.9
# How many places to keep of a word, pair or triple, and how many passages to compare with each text.
MOST_PLACES, COMPARED = 64, 4
# Longer texts are not compared, because that takes a second or more each.
LONGEST = 5_000
# If a text differs in at most one of FEW_EDITS characters, or is longer than LONG, one end is tried; else MOST_ENDS.
FEW_EDITS, MOST_ENDS, LONG = 5, 8, 500
# The most words in a group, and the factors by which the hashes of its words are multiplied.
GROUP = 3
FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)
# From this code point on a character may be a word of its own, as in Chinese and Japanese.
IDEOGRAPHS = 0x2E80
# The first code point beyond those of the first plane, which has nearly all characters in use.
PLANE = 0x10000


class NearPassage(NamedTuple):
    """A passage of a document, [start, end) of its text, and its likeness to a text.

    `markup` names the markup that the passage has and the text does not; `unmarked` is the passage without it.
    """

    document: str
    start: int
    end: int
    likeness: float
    text: str
    markup: str = ""
    unmarked: str = ""
    unmarked_likeness: float = 0.0

    @property
    def best_likeness(self) -> float:
        """The likeness of the passage, or of the passage without markup if that is greater."""
        return max(self.likeness, self.unmarked_likeness)

    @property
    def rounded(self) -> float:
        """The likeness with two digits, rounded down, so that a user who asks for that likeness gets the passage."""
        return int(self.likeness * 100 + 1e-9) / 100


def nearest_passages(
    texts: Sequence[str],
    documents: Sequence[str | None],
    some: Callable[[list[str]], Iterator[tuple[str, str]]],
    every: Callable[[], Iterator[tuple[str, str]]],
) -> list[NearPassage | None]:
    """Return the passage most similar to each text, or None if nothing is similar.

    A text is searched for in its document; in all documents if it names none or its document has nothing good. `some`
    yields the names and texts of the requested documents that exist, `every` those of all documents.
    """
    patterns = [Pattern.of(text if len(text) <= LONGEST else "") for text in texts]
    best: list[NearPassage | None] = [None] * len(texts)
    by_name: dict[str, list[int]] = {}
    for row, name in enumerate(documents):
        if name is not None:
            by_name.setdefault(name, []).append(row)
    for name, text in some(list(by_name)):
        rows = by_name[name]
        hits = Hits.of([patterns[row] for row in rows], [(0, text)])
        for row, guesses in zip(rows, hits, strict=True):
            best[row] = best_of(patterns[row], name, text, guesses)
    left = [row for row, passage in enumerate(best) if passage is None or passage.best_likeness < GOOD]
    if not left:
        return best
    names: list[str] = []
    found = Hits.of([patterns[row] for row in left], number_documents(every(), names))
    wanted: dict[str, list[tuple[int, list[Guess]]]] = {}
    for row, guesses in zip(left, found, strict=True):
        for name, of_document in by_document(guesses, names):
            wanted.setdefault(name, []).append((row, of_document))
    for name, text in some(list(wanted)):
        for row, guesses in wanted[name]:
            passage = best_of(patterns[row], name, text, guesses)
            if is_better(passage, best[row]):
                best[row] = passage
    return best


def number_documents(documents: Iterable[tuple[str, str]], names: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the numbers and texts of documents; append their names to `names`."""
    for name, text in documents:
        names.append(name)
        yield len(names) - 1, text


def by_document(guesses: list[Guess], names: list[str]) -> Iterator[tuple[str, list[Guess]]]:
    """Group the guesses by document name."""
    for number in dict.fromkeys(guess.document for guess in guesses):
        yield names[number], [guess for guess in guesses if guess.document == number]


class Guess(NamedTuple):
    """Where a passage may be: its document, and the first and last offset at which the text may begin there."""

    document: int
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class Pattern:
    """A text to search for, as it is and folded; the hashes of its word groups, and the offset of each group."""

    text: str
    folded: str
    groups: Keys
    offsets: Ints

    @classmethod
    def of(cls, text: str) -> Pattern:
        """Fold a text and hash its word groups."""
        codes = folded_codes(codes_of(text.strip())).codes
        hashes, starts = word_groups(codes)
        return cls(text, text_of(codes).strip(), hashes, starts)


def text_of(codes: Codes) -> str:
    """Return code points as a string."""
    return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


@cache
def letters(count: int) -> Bools:
    """Return for each of the first code points whether it is a letter or a digit."""
    return np.fromiter((chr(code).isalnum() for code in range(count)), np.bool_, count)


def word_groups(codes: Codes) -> tuple[Keys, Ints]:
    """Return the hashes of all words, pairs and triples of neighbouring words, and the offset of each."""
    # few texts have characters beyond the first 65,536, and the table of all takes long to make
    is_letter = letters(PLANE if codes.max(initial=0) < PLANE else sys.maxunicode + 1)[codes]
    alone = is_letter & (codes >= IDEOGRAPHS)
    begins = is_letter & ~np.concatenate(([False], (is_letter & ~alone)[:-1])) | alone
    start = np.flatnonzero(begins)
    if not len(start):
        return np.zeros(0, np.uint64), start
    # a word ends where the next word begins, or before the first character that is not a letter
    no_letter = np.append(np.flatnonzero(~is_letter), len(codes))
    behind = no_letter[np.searchsorted(no_letter, start)]
    end = np.minimum(behind, np.append(start[1:], len(codes)))
    word = Windows(codes).at(start, end)
    parts, starts = [word], [start]
    group = word
    for size in range(2, GROUP + 1):
        group = group[:-1] * FACTORS[size - 1] + word[size - 1 :] * FACTORS[0]
        parts.append(group)
        starts.append(start[: len(group)])
    return np.concatenate(parts), np.concatenate(starts)


class Hits:
    """The places of the patterns' word groups in documents."""

    def __init__(self, patterns: Sequence[Pattern]):
        self.patterns = patterns
        groups = np.concatenate([np.zeros(0, np.uint64), *(pattern.groups for pattern in patterns)])
        self.groups, self.number = np.unique(groups, return_inverse=True)
        self.shift = np.uint64(64 - 22)
        self.may_be = np.zeros(1 << 22, np.bool_)
        self.may_be[self.groups >> self.shift] = True

    @classmethod
    def of(cls, patterns: Sequence[Pattern], documents: Iterable[tuple[int, str]]) -> list[list[Guess]]:
        """Return for each pattern where similar passages may be, likeliest first; the documents have numbers."""
        hits = cls(patterns)
        count = np.zeros(len(hits.groups), np.int64)
        parts: list[tuple[Ints, Ints, Ints]] = []
        for group, document, start, found in in_threads(hits.within, blocks_of(documents, 0)):
            kept = count[group] < MOST_PLACES
            parts.append((group[kept], document[kept], start[kept]))
            count += found
        empty = np.zeros(0, np.int64)
        columns = [np.concatenate([empty, *column]) for column in zip(*parts, strict=True)] if parts else [empty] * 3
        return hits.guesses(columns[0], columns[1], columns[2], count)

    def within(self, pieces: list[Piece]) -> tuple[Ints, Ints, Ints, Ints]:
        """Return the word groups in a block, with the document and offset of each, and the total count of each group.

        Only the first few places of each group are returned.
        """
        block = Block(pieces)
        folded = folded_codes(codes_of(block.text))
        hashes, starts = word_groups(folded.codes)
        near = np.flatnonzero(self.may_be[hashes >> self.shift])
        number = np.minimum(np.searchsorted(self.groups, hashes[near]), len(self.groups) - 1)
        same = self.groups[number] == hashes[near] if len(self.groups) else np.zeros(len(near), np.bool_)
        number, place = number[same], folded.origin[starts[near[same]]]
        found = np.bincount(number, minlength=len(self.groups))
        order = np.argsort(number, kind="stable")
        number, place = number[order], place[order]
        few = np.arange(len(number)) - np.searchsorted(number, number) < MOST_PLACES
        number, place = number[few], place[few]
        piece = np.searchsorted(block.begins, place, "right") - 1
        return number, block.document[piece], place + block.moved[piece], found

    def guesses(self, group: Ints, document: Ints, start: Ints, count: Ints) -> list[list[Guess]]:
        """Return the likeliest places of each pattern: most of its groups point there, and rare groups count more."""
        order = np.argsort(group, kind="stable")
        document, start = document[order], start[order]
        first = np.searchsorted(group[order], np.arange(len(self.groups) + 1))
        weight = 1 / np.maximum(count, 1)
        guesses, at = [], 0
        for pattern in self.patterns:
            own = self.number[at : at + len(pattern.groups)]
            at += len(pattern.groups)
            guesses.append(likeliest(pattern, own, first, weight, document, start))
        return guesses


def likeliest(pattern: Pattern, own: Ints, first: Ints, weight: Floats, document: Ints, start: Ints) -> list[Guess]:
    """Return where most of the groups of a pattern say that it begins."""
    sizes = first[own + 1] - first[own]
    if not sizes.sum():
        return []
    rows = np.repeat(first[own] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    begin = start[rows] - np.repeat(pattern.offsets, sizes)
    width = max(len(pattern.folded) // 2, 32)
    # each group votes for two overlapping stretches, so that no passage is cut in two
    stretch = np.concatenate((begin // width, begin // width + 1))
    where, votes = np.tile(document[rows], 2), np.tile(np.repeat(weight[own], sizes), 2)
    # one number for document and stretch; shifted, because a text may begin before its document
    keys, key = np.unique((where << 32) + stretch + (1 << 31), return_inverse=True)
    total = np.bincount(key, votes)
    guesses: list[Guess] = []
    for best in np.argsort(-total, kind="stable")[: 2 * COMPARED].tolist():
        points = np.tile(begin, 2)[key == best]
        guess = Guess(int(keys[best]) >> 32, int(points.min()), int(points.max()))
        if guess not in guesses and len(guesses) < COMPARED:
            guesses.append(guess)
    return guesses


# Comparing characters.


def best_of(pattern: Pattern, name: str, text: str, guesses: list[Guess]) -> NearPassage | None:
    """Return the best passage near some guesses; None if none is worth showing."""
    best: NearPassage | None = None
    size = len(pattern.folded)
    for guess in guesses:
        around = size // 2 + 32
        low, high = max(guess.first - around, 0), guess.last + size + around
        passage = best_within(pattern, name, text, low, high, best.likeness if best else SHOWN)
        if passage.likeness < 1:
            plain = without_markup(pattern, name, text, low - size - TAGS, high + size + TAGS)
            passage = plain if plain and is_better(plain, passage) else passage
        if is_better(passage, best):
            best = passage
    return best if best and (best.likeness >= SHOWN or best.markup) else None


def is_better(passage: NearPassage | None, other: NearPassage | None) -> bool:
    """Return whether a passage is more similar than another; markup does not count against it."""
    if passage is None or other is None:
        return passage is not None
    return (passage.best_likeness, passage.likeness) > (other.best_likeness, other.likeness)


def best_within(pattern: Pattern, name: str, text: str, low: int, high: int, at_least: float) -> NearPassage:
    """Return the best passage in a range of a document; an empty one if none is similar enough."""
    folded = folded_codes(codes_of(text[low:high]))
    start, end, likeness = most_alike(pattern.folded, text_of(folded.codes), at_least)
    if start == end:
        return NearPassage(name, low, low, 0.0, "")
    first, last = low + int(folded.origin[start]), low + int(folded.origin[end - 1]) + 1
    return NearPassage(name, first, last, likeness, text[first:last])


def most_alike(pattern: str, text: str, at_least: float = 0) -> tuple[int, int, float]:
    """Return the part of a text most similar to a pattern, and its likeness; an empty part if below `at_least`."""
    distances = distances_to_ends(pattern, text)
    least = min(distances)
    if 1 - least / max(len(pattern) + least, 1) < at_least:
        return 0, 0, 0.0
    ends = [end for end, distance in enumerate(distances) if distance == least]
    if FEW_EDITS * least <= len(pattern) or len(pattern) > LONG:
        ends = [next((end for end in reversed(ends) if is_border(text, end)), ends[-1])]

    def rated(start: int, end: int) -> tuple[float, int, int, int]:
        part = text[start:end]
        start, end = end - len(part.lstrip()), start + len(part.rstrip())
        if end <= start:
            return 0.0, 0, 0, 0
        return alike_when_composed(pattern, text[start:end]), is_border(text, start) + is_border(text, end), start, end

    best = 0.0, 0, 0, 0
    for end in ends[-MOST_ENDS:]:
        backwards = distances_from_start(pattern[::-1], text[max(0, end - len(pattern) - least) : end][::-1])
        fewest = min(backwards)
        # of two with the same distance, the longer has the greater likeness
        begin = end - max(length for length, distance in enumerate(backwards) if distance == fewest)
        borders = [(start, last) for start in near_borders(text, begin) for last in near_borders(text, end)]
        best = max([best, *(rated(*each) for each in borders if each[0] < each[1])])
    likeness, _, start, last = best
    return start, last, likeness


def alike_when_composed(first: str, second: str) -> float:
    """Return the likeness of two folded texts, after composing letters and their accents again."""
    from rapidfuzz.distance import Levenshtein

    composed = (unicodedata.normalize("NFC", text) for text in (first, second))
    return float(Levenshtein.normalized_similarity(*composed))


def is_border(text: str, at: int) -> bool:
    """Return whether a word may begin or end at an offset."""
    return at in (0, len(text)) or not (text[at - 1].isalnum() and text[at].isalnum())


def near_borders(text: str, at: int) -> Iterator[int]:
    """Yield an offset, and the next word borders before and after it."""
    yield at
    yield next((each for each in range(at - 1, max(at - 30, -1), -1) if is_border(text, each)), at)
    yield next((each for each in range(at + 1, min(at + 30, len(text) + 1)) if is_border(text, each)), at)


def distances_to_ends(pattern: str, text: str) -> list[int]:
    """Return the edit distance of a pattern to the best part of a text that ends at each offset, from 0 on."""
    return _distances(pattern, text, 0)


def distances_from_start(pattern: str, text: str) -> list[int]:
    """Return the edit distance of a pattern to the beginning of a text up to each offset."""
    return _distances(pattern, text, 1)


def _distances(pattern: str, text: str, anchored: int) -> list[int]:
    """Return the edit distance of a pattern to a part of a text that ends at each offset.

    Myers, A fast bit-vector algorithm for approximate string matching based on dynamic programming, JACM 46, 1999,
    figure 3. All rows of a column are the bits of one number. `anchored` is the step of its first row: 1 if the part
    begins at 0.
    """
    size = len(pattern)
    every, last = (1 << size) - 1, 1 << size >> 1
    equal: dict[str, int] = {}
    for at, character in enumerate(pattern):
        equal[character] = equal.get(character, 0) | 1 << at
    plus, minus, score = every, 0, size
    scores = [size]
    for character in text:
        same = equal.get(character, 0)
        vertical = same | minus
        horizontal = (((same & plus) + plus) ^ plus) | same
        more = minus | (every & ~(horizontal | plus))
        fewer = plus & horizontal
        score += 1 if more & last else -1 if fewer & last else 0
        scores.append(score)
        more, fewer = (more << 1 | anchored) & every, fewer << 1 & every
        plus = fewer | (every & ~(vertical | more))
        minus = more & vertical
    return scores


# Differences.


def differences(quote: str, passage: str) -> list[tuple[str, str]]:
    """Return the words in which a text and a passage differ, in pairs; a side without words there is empty."""
    from rapidfuzz.distance import Indel

    ours, theirs = quote.split(), passage.split()
    first, second = ([text_of(folded_codes(codes_of(word)).codes) for word in words] for words in (ours, theirs))
    return [
        (" ".join(ours[change.src_start : change.src_end]), " ".join(theirs[change.dest_start : change.dest_end]))
        for change in joined_changes(Indel.opcodes(first, second))
    ]


class WordChange(NamedTuple):
    """Words of a text, and the words that another text has instead."""

    src_start: int
    src_end: int
    dest_start: int
    dest_end: int


def joined_changes(codes: Iterable[Any]) -> Iterator[WordChange]:
    """Yield the changes among the operations that turn one list of words into another; neighbours are one change."""
    change: WordChange | None = None
    for code in codes:
        if code.tag == "equal":
            if change:
                yield change
            change = None
        elif change is None:
            change = WordChange(code.src_start, code.src_end, code.dest_start, code.dest_end)
        else:
            change = change._replace(src_end=code.src_end, dest_end=code.dest_end)
    if change:
        yield change


# Markup: tags that a document has, but a text copied from the rendered page does not.

TAGS = 500
BLOCKS = re.compile("p|br|div|li|[uod]l|d[dt]|t[dhr]|table|section|article|h[1-6]|blockquote|pre", re.I)
HTML = re.compile(
    r"</?(?P<tag>[A-Za-z][A-Za-z0-9]*)\b[^<>]{0,500}>|<!--.{0,500}?-->"
    r"|&(?:#\d{1,7}|#x[0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});",
    re.S,
)
MARKDOWN = re.compile(
    r"!?\[(?P<words>[^\[\]]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)"
    r"|(?m:^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+|\d+[.)][ \t]+))"
    r"|\*{1,3}|~~|`{1,3}|(?<!\w)_{1,2}(?=\S)|(?<=\S)_{1,2}(?!\w)|\|"
)
MARKUP = {"HTML markup": HTML, "Markdown markup": MARKDOWN}


def without_markup(pattern: Pattern, name: str, text: str, low: int, high: int) -> NearPassage | None:
    """Return the passage in a range of a document that is similar to a pattern except for markup, or None.

    A pattern that has the same kind of markup itself is skipped.
    """
    low = max(low, 0)
    window = text[low:high]
    for markup, tags in MARKUP.items():
        if tags.search(pattern.text) or not tags.search(window):
            continue
        plain, origin = stripped_of(tags, window)
        folded = folded_codes(codes_of(plain))
        start, end, likeness = most_alike(pattern.folded, text_of(folded.codes), GOOD)
        if likeness < GOOD or start == end:
            continue
        begin, behind = int(folded.origin[start]), int(folded.origin[end - 1]) + 1
        first, last = low + int(origin[begin]), low + int(origin[behind - 1]) + 1
        if tags.search(text[first:last]):
            passage, unmarked = text[first:last], plain[begin:behind]
            alike = alike_when_composed(pattern.folded, folded_text_of(passage))
            return NearPassage(name, first, last, alike, passage, markup, unmarked, likeness)
    return None


def stripped_of(tags: re.Pattern[str], text: str) -> tuple[str, Ints]:
    """Return a text without markup, and the offset that each of its characters had."""
    kept: list[str] = []
    origin: list[Ints] = []
    at = 0
    for match in tags.finditer(text):
        named = match.groupdict()
        words = named.get("words")
        if words is not None:
            instead, come_from = words, np.arange(match.start("words"), match.end("words"))
        else:
            is_block = BLOCKS.fullmatch(named.get("tag") or "") is not None
            instead = " " if is_block else html.unescape(match[0]) if match[0].startswith("&") else ""
            come_from = np.full(len(instead), match.start())
        kept += [text[at : match.start()], instead]
        origin += [np.arange(at, match.start()), come_from]
        at = match.end()
    return "".join([*kept, text[at:]]), np.concatenate([*origin, np.arange(at, len(text))]).astype(np.int64)




# Texts that contain a passage of a document and more around it: a header, or a context that a model wrote.

# The fewest characters of a passage that is less than half of its text and reaches one of its ends; the fewest if it
# consists of whole lines; the most lines of a header or a footer.
LONG_PASSAGE, SHORT_PASSAGE, MOST_LINES = 100, 16, 4
LINE_BREAK = re.compile(r"\n\s*")
# How many texts that name no document to search for at a time.
TEXTS_AT_ONCE = 2000


class Surrounded(NamedTuple):
    """A passage of a document inside a text, and what the text has before and after it."""

    passage: str
    before: str
    after: str


def passages_within(
    texts: Sequence[str],
    documents: Sequence[str | None],
    some: Callable[[list[str]], Iterator[tuple[str, str]]],
    every: Callable[[], Iterator[tuple[str, str]]],
) -> list[Surrounded | None]:
    """Return the longest passage of each text that its document (or any, if it names none) contains; None if short."""
    found: list[Surrounded | None] = [None] * len(texts)
    by_name: dict[str | None, list[int]] = {}
    for row, name in enumerate(documents):
        by_name.setdefault(name, []).append(row)
    anywhere = by_name.pop(None, [])
    for name, text in some([name for name in by_name if name is not None]):
        rows, folded = by_name[name], folded_text_of(text)
        for row, guesses in zip(rows, Hits.of([Pattern.of(texts[row]) for row in rows], [(0, text)]), strict=True):
            found[row] = passage_within(texts[row], text, folded, guesses)
    for at in range(0, len(anywhere), TEXTS_AT_ONCE):
        rows = anywhere[at : at + TEXTS_AT_ONCE]
        names: list[str] = []
        hits = Hits.of([Pattern.of(texts[row]) for row in rows], number_documents(every(), names))
        wanted: dict[str, list[tuple[int, list[Guess]]]] = {}
        for row, guesses in zip(rows, hits, strict=True):
            # most of the text is in one place, so the likeliest guess is enough
            for name, of_document in by_document(guesses[:1], names):
                wanted.setdefault(name, []).append((row, of_document))
        for name, text in some(list(wanted)):
            folded = folded_text_of(text)
            for row, guesses in wanted[name]:
                before = found[row]
                passage = passage_within(texts[row], text, folded, guesses)
                if passage and (before is None or len(passage.passage) > len(before.passage)):
                    found[row] = passage
    return found


def folded_text_of(text: str) -> str:
    """Return a folded text: whitespace, case, quotes and dashes are made alike."""
    return text_of(folded_codes(codes_of(text)).codes).strip()


def passage_within(text: str, document: str, folded: str, guesses: list[Guess]) -> Surrounded | None:
    """Return the longest passage of a text that a document contains: whole lines, or a passage near the guesses."""
    lines = own_paragraphs(text, folded)
    if lines is not None and 2 * len(lines.passage) >= len(text):
        return lines
    longest = longest_passage(text, document, guesses)
    return max(filter(None, (lines, longest)), key=lambda each: len(each.passage), default=None)


def own_paragraphs(text: str, document: str) -> Surrounded | None:
    """Return the longest passage between a header and a footer of a few lines each; `document` is folded."""
    breaks = [match.span() for match in LINE_BREAK.finditer(text)]
    starts = [0, *(end for _, end in breaks[:MOST_LINES])]
    ends = [len(text), *(start for start, _ in breaks[-MOST_LINES:])]
    for size, start, end in sorted(((end - start, start, end) for start in starts for end in ends), reverse=True):
        if size >= SHORT_PASSAGE and folded_text_of(text[start:end]) in document:
            return Surrounded(text[start:end], text[:start], text[end:])
    return None


def longest_passage(text: str, document: str, guesses: list[Guess]) -> Surrounded | None:
    """Return the longest passage of a text that a document has near some guesses, if it is long enough."""
    ours = folded_codes(codes_of(text))
    best: tuple[int, int, int, int] | None = None
    for guess in guesses:
        low, high = max(guess.first, 0), guess.last + len(text) + len(text) // 2
        theirs = folded_codes(codes_of(document[low:high]))
        start, place, size = longest_common(ours.codes, theirs.codes)
        if size and (best is None or size > best[1] - best[0]):
            origin = theirs.origin[place : place + size]
            best = start, start + size, low + int(origin[0]), low + int(origin[-1]) + 1
        if 2 * size >= len(ours.codes):
            break
    if best is None:
        return None
    folded = text_of(ours.codes)
    first, last = best[:2]
    while first < last and not (is_border(folded, first) and folded[first] != " "):
        first += 1
    while last > first and not (is_border(folded, last) and folded[last - 1] != " "):
        last -= 1
    at_an_end = not folded[:first].strip() or not folded[last:].strip()
    if 2 * (last - first) < len(folded.strip()) and not (at_an_end and last - first >= LONG_PASSAGE):
        return None
    if last == first:
        return None
    begin, end = int(ours.origin[first]), int(ours.origin[last - 1]) + 1
    return Surrounded(text[begin:end], text[:begin], text[end:])


def longest_common(first: Codes, second: Codes) -> tuple[int, int, int]:
    """Return the longest stretch that two texts share: where it begins in each, and its size."""
    windows = Windows(first), Windows(second)
    low, high = 0, min(len(first), len(second))
    found = 0, 0
    while low < high:
        size = (low + high + 1) // 2
        hashes = windows[0].of_length(size), windows[1].of_length(size)
        common, ours, theirs = np.intersect1d(hashes[0], hashes[1], return_indices=True)
        if len(common):
            low, found = size, (int(ours.min()), int(theirs[ours.argmin()]))
        else:
            high = size - 1
    start, place = found
    # equal hashes do not prove equal texts
    return (start, place, low) if np.array_equal(first[start : start + low], second[place : place + low]) else (0, 0, 0)
