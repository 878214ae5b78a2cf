"""TextRanking: a ranking of parts of documents, counted in characters. A row is a result, judged or not.

topic            0                          1
rank             1     2     3     4        1
size             200   120   90    500      80      characters that are read
found            50    0     0     310      80      highlighted characters among them that were not seen before
read             200   320   410   910      80
document         7     -     7     9        12      the judgment of the result's document, if there is one
base             400                        80      all highlighted characters of the topic
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.documents.tokens import TokenEnds
from assay.errors import InputError, UsageError, list_names
from assay.ranking.documents import Ranking, Values
from assay.ranking.facts import Solid, TopicFacts
from assay.ranking.judged_subtopics import JudgedSubtopics
from assay.tables.ids import Bools, Grades, Ids, Ints
from assay.tables.intervals import Line, ListedText, Marks, Spans, in_pieces
from assay.tables.judgments import Facts
from assay.tables.sorting import ascending
from assay.vocabulary import Fit

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection


# CopiedText: evidence that is in several places, any one of which is enough.
#
# The highlighted characters of all documents are numbered, one document after the other. Each character has the number
# of its original: the character that it is a copy of, or itself. Of the characters with the same original, the first
# that is read counts. So a reader may see the beginning of a sentence in one place and its end in another.
#
#     highlighted      A fine bridge.   fine        A fine bridge.     of one topic, in three places
#     number           0          13    14          18
#     a copy of        0 1 2 … … 13     2 3 4 5     0 1 2 … … 13
#
# Copies of a text may overlap: `cdcdcd` contains `cdcd` twice. In such a place only one of them counts, the one of
# which most is read. First the listed text, then each copy that overlaps no copy before it is laid on the characters.
# Each remaining copy can be laid over them instead, and replaces those that it overlaps. What counts as found is what
# the best of these layings finds. It grows by one or by nothing with each character that is read.
#
#     highlighted      c d c d     c d c d c d           the evidence, and elsewhere two copies of it
#     a copy of        0 1 2 3     0 1 2 3 - -
#     or                               0 1 2 3


class LaidCopy(NamedTuple):
    """A copy that can be laid over others.

    `start` is its first character, `copy_of` the originals of its characters, and `freed` the characters that are then
    copies of nothing.
    """

    start: int
    copy_of: Ints
    freed: Ints


class CopiedText:
    """Which highlighted characters are copies of which.

    `passages` are the highlighted spans, `copies` is the number of the text of each span, and `topic` is the topic of
    each document. Spans of a topic with the same text are copies of one another, character by character.
    """

    def __init__(self, marks: Marks, passages: Spans, copies: Ints, topic: Ints):
        self._marks, self._topic = marks, topic
        self._copy_of = np.full(int(marks.size.sum()), -1)
        starts = marks.upto(passages.document, passages.start)
        sizes = passages.size
        # a text that is part of another comes before it, because it is wherever the other is; a text that is in one
        # place only comes last, so that it does not split the copies of others
        order = np.lexsort((copies, topic[passages.document], sizes))
        order = order[sizes[order] > 0]
        group = np.stack((sizes, topic[passages.document], copies))[:, order]
        is_first = np.append(True, (group[:, 1:] != group[:, :-1]).any(axis=0))[: len(order)]
        by_place = np.argsort(stand_alone(starts[order], is_first), kind="stable")
        order, is_first = order[by_place], is_first[by_place]
        overlapped = overlapped_by_earlier(starts[order], sizes[order], np.cumsum(is_first))
        by = np.full(len(self._copy_of), -1)
        others: list[tuple[int, Ints, list[int]]] = []
        columns = starts[order].tolist(), sizes[order].tolist(), is_first.tolist()
        for number, (start, size, begins) in enumerate(zip(*columns, strict=True)):
            here = self._copy_of[start : start + size]
            if begins:
                first = here
            if number not in overlapped:
                unknown = here < 0
                by[start : start + size][unknown] = number
                here[unknown] = np.arange(start, start + size)[unknown] if begins else first[unknown]
            if not np.array_equal(here, first):
                others.append((start, first, overlapped.get(number, [])))
        self._layings = [
            LaidCopy(start, copy_of, freed_by(start, len(copy_of), [(each, starts[order[each]]) for each in under], by))
            for start, copy_of, under in others
        ]

    @property
    def _is_original(self) -> Bools:
        return self._copy_of == np.arange(len(self._copy_of))

    @cached_property
    def _components(self) -> tuple[Ints, list[list[LaidCopy]], list[int]]:
        """The component of each character, and the layings and the number of originals of each component.

        Characters with only one laying are in component -1. Two components share neither characters nor originals.
        """
        parent = np.arange(len(self._copy_of))

        def root(original: int) -> int:
            while parent[original] != original:
                parent[original] = parent[parent[original]]
                original = int(parent[original])
            return original

        for start, copy_of, _ in self._layings:
            here = self._copy_of[start : start + len(copy_of)]
            roots = sorted({root(each) for each in np.unique(np.append(copy_of, here[here >= 0])).tolist()})
            parent[roots] = roots[0]
        numbers: dict[int, int] = {}
        layings: list[list[LaidCopy]] = []
        for laying in self._layings:
            number = numbers.setdefault(root(int(laying.copy_of[0])), len(numbers))
            layings += [[] for _ in range(number + 1 - len(layings))]
            layings[number].append(laying)
        of_original = np.array([numbers.get(root(each), -1) for each in range(len(parent))], np.int64)
        component = np.where(self._copy_of >= 0, of_original[self._copy_of], -1)
        for number, some in enumerate(layings):
            for start, copy_of, _ in some:
                component[start : start + len(copy_of)] = number
        originals = np.bincount(of_original[self._is_original & (of_original >= 0)], minlength=len(layings))
        return component, layings, originals.tolist()

    def totals(self, topics: int) -> Ints:
        """Return for each topic the number of characters that are not copies of others."""
        before = np.append(0, np.cumsum(self._is_original))
        spans = self._marks.spans
        first, last = (self._marks.upto(spans.document, place) for place in (spans.start, spans.end))
        number = before[last] - before[first]
        return np.bincount(self._topic[spans.document], number, minlength=topics).astype(np.int64)

    def first_seen(self, stretches: Spans) -> tuple[Ints, Ints, Ints]:
        """Return the parts of highlighted stretches that are seen for the first time, in reading order.

        Each part is the number of its stretch, its start and its end. The stretches must be in reading order.
        """
        size = stretches.size
        which = np.repeat(np.arange(len(stretches)), size)
        offset = np.arange(len(which)) - np.repeat(np.cumsum(size) - size, size)
        number = np.repeat(self._marks.upto(stretches.document, stretches.start), size) + offset
        seen = first_of_each(self._copy_of[number])
        if self._layings:
            seen = self._seen_by_best_laying(number, seen)
        begins = np.append(True, (np.diff(seen) > 1) | (np.diff(which[seen]) > 0))[: len(seen)]
        first = seen[begins]
        last = np.append(seen[np.flatnonzero(begins)[1:] - 1], seen[-1:])
        start = stretches.start[which[first]] + offset[first]
        return which[first], start, start + last - first + 1

    def _seen_by_best_laying(self, number: Ints, seen: Ints) -> Ints:
        """Return the places of the characters that find one more original under the best laying, in reading order.

        `seen` are those places under the first laying.
        """
        component, layings, originals = self._components
        here = component[number]
        gains = [seen[here[seen] < 0]]
        for each in np.unique(here[here >= 0]).tolist():
            places = np.flatnonzero(here == each)
            gains.append(places[self._gains(number[places], layings[each], originals[each])])
        return np.sort(np.concatenate(gains))

    def _gains(self, number: Ints, layings: list[LaidCopy], originals: int) -> Ints:
        """Return which of some characters of a component find one more original, in reading order."""
        bounds = np.array([(start, start + len(copy_of)) for start, copy_of, _ in layings]).T
        # try a short beginning first, because it usually finds everything
        length = min(4 * originals, len(number))
        while True:
            read = number[:length]
            found = found_with(self._copy_of[read])
            by_number = np.argsort(read)
            low, high = np.searchsorted(read[by_number], bounds)
            for at in np.flatnonzero(low < high).tolist():
                start, copy_of, freed = layings[at]
                laid, places = self._copy_of[read], by_number[low[at] : high[at]]
                laid[np.isin(read, freed)] = -1
                laid[places] = copy_of[read[places] - start]
                found = np.maximum(found, found_with(laid))
            if length == len(number) or found[-1] == originals:
                return np.flatnonzero(np.diff(found, prepend=0))
            length = min(2 * length, len(number))


def first_of_each(copy_of: Ints) -> Ints:
    """Return the places at which each original is first read, in order; -1 is not an original."""
    originals, first = np.unique(copy_of, return_index=True)
    return np.sort(first[originals >= 0])


def found_with(copy_of: Ints) -> Ints:
    """Return how many originals were read down to each character."""
    new = np.zeros(len(copy_of), np.int64)
    new[first_of_each(copy_of)] = 1
    return np.cumsum(new)


def overlapped_by_earlier(starts: Ints, sizes: Ints, group: Ints) -> dict[int, list[int]]:
    """Return the passages that overlap earlier copies of the same text, each with those copies.

    `group` is the number of each passage's text. Earlier copies that overlap others themselves do not count.
    """
    order = np.lexsort((starts, group))
    near = np.diff(starts[order])
    close = (np.diff(group[order]) == 0) & (near > 0) & (near < sizes[order][1:])
    overlapped: dict[int, list[int]] = {}
    for some in np.unique(group[order][1:][close]).tolist():
        laid: list[int] = []
        numbers: dict[int, int] = {}
        # the passages of a group are next to each other
        for number in np.flatnonzero(group == some).tolist():
            start, size = int(starts[number]), int(sizes[number])
            at = bisect_left(laid, start)
            under = [each for each in laid[max(at - 1, 0) : at + 1] if 0 < abs(each - start) < size]
            if under:
                overlapped[number] = [numbers[each] for each in under]
            elif start not in numbers:
                laid.insert(at, start)
                numbers[start] = number
    return overlapped


def freed_by(start: int, size: int, under: list[tuple[int, int]], by: Ints) -> Ints:
    """Return the characters outside a passage that are no longer copies once it replaces the passages `under` it.

    `under` has the number and the start of each of these; `by` is the passage that made each character a copy.
    """
    freed = [first + np.flatnonzero(by[first : first + size] == number) for number, first in under]
    outside = np.concatenate([np.zeros(0, np.int64), *freed])
    return outside[(outside < start) | (outside >= start + size)]


def stand_alone(starts: Ints, is_first: Bools) -> Bools:
    """Return which passages belong to a group that is all in one place; `is_first` marks the first of each group."""
    if not len(starts):
        return is_first
    first = np.flatnonzero(is_first)
    alone = np.minimum.reduceat(starts, first) == np.maximum.reduceat(starts, first)
    return np.repeat(alone, np.diff(first, append=len(starts)))


# The texts of spans, if there are documents; most measures do not need them.

READING = threading.Lock()


class SpanTexts:
    """Reads the texts of spans; `names` is the document of each row of a table."""

    def __init__(self, documents: DocumentCollection, names: Ids):
        self._documents, self._names = documents, names

    def of(self, row: Ints, start: Ints, end: Ints) -> list[str]:
        """Return the texts of spans in the documents of some rows; each document is read once."""
        names = self._names[row].texts()
        # several threads measure runs and read the same documents
        with READING:
            texts = dict(self._documents.texts(dict.fromkeys(names)))
        if lacking := [name for name in dict.fromkeys(names) if name not in texts]:
            what = f"there is no document {list_names(lacking, 3)}; comparing texts needs all documents"
            raise InputError(what, self._documents.label)
        places = zip(names, start.tolist(), end.tolist(), strict=True)
        return [texts[name][first:last] for name, first, last in places]


def require_texts(source: SpanTexts | None) -> SpanTexts:
    """Return the texts, or raise a UsageError if there are none."""
    if source is None:
        raise UsageError("to compare texts, pass documents=")
    return source


# HighlightedText: the judged documents of a ranking of text.


def no_tokenizer() -> HighlightedText:
    """Raise the error about a missing tokenizer."""
    raise UsageError("to count tokens, pass tokenizer= and documents=")


def as_they_are(document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Return offsets unchanged."""
    return start, end


@dataclass(frozen=True, eq=False, repr=False)
class HighlightedText:
    """The judged documents: their highlighted text, grade, length and best entry point; -1 means unknown.

    `passages` are the highlighted spans as they are listed. `topic` is the topic of each document, and `total` the
    number of highlighted characters of each topic. `in_tokens` returns the same, counted in tokens. `source` has the
    texts, if there are documents. `subtopics` and `told_facts` are those of the passages, if the judgments have them.
    If copies of the evidence count, `copied` says which characters are copies of which, and `copies` which passages
    are: a character that was seen elsewhere is then not new. `solid` converts offsets so that they do not count
    whitespace.
    """

    name: str
    marks: Marks
    passages: Spans
    grade: Grades
    length: Ints
    entry: Ints
    topic: Ints
    total: Ints
    in_tokens: Callable[[], HighlightedText] = no_tokenizer
    source: SpanTexts | None = None
    subtopics: JudgedSubtopics | None = None
    copied: CopiedText | None = None
    told_facts: Facts | None = None
    copies: Ints | None = None
    solid: Solid = as_they_are

    @cached_property
    def facts(self) -> TopicFacts:
        """The facts that the passages state, and which passages are alternatives, without whitespace if possible."""
        passages = self.passages
        start, end = self.solid(passages.document, passages.start, passages.end)
        solid = Spans(passages.document, start, end)
        return TopicFacts(solid, self.topic, len(self.total), self.told_facts, self.copies)

    def passage_texts(self) -> list[str]:
        """Return the text of each passage."""
        return require_texts(self.source).of(self.passages.document, self.passages.start, self.passages.end)

    @cached_property
    def number(self) -> Ints:
        """The number of different passages of each topic."""
        columns = self.passages.document, self.passages.start, self.passages.end
        document = np.unique(np.stack(columns), axis=1)[0]
        return np.bincount(self.topic[document], minlength=len(self.total))

    @cached_property
    def _listed(self) -> ListedText:
        return ListedText(self.passages, len(self.topic))

    @cached_property
    def listed_total(self) -> Ints:
        """The number of characters of each topic's passages as listed; text in two passages counts twice."""
        sizes = np.bincount(self.topic[self.passages.document], self.passages.size, minlength=len(self.total))
        return sizes.astype(np.int64)

    def as_listed(self, pieces: Spans, document: Ints) -> Ints:
        """Return how many characters of the passages each piece contains; text in two passages counts twice.

        `document` is the judgment of each result, -1 if none; pieces have the result they belong to as their document.
        """
        judged = np.flatnonzero(document[pieces.document] >= 0)
        shared = np.zeros(len(pieces), np.int64)
        shared[judged] = self._listed.within(replace(pieces[judged], document=document[pieces.document[judged]]))
        return shared

    def newly_highlighted(self, pieces: Spans, fresh: Bools, document: Ints) -> Ints:
        """Return how much highlighted text each piece is the first to show.

        `document` is the judgment of each result, -1 if none; pieces have the result they belong to as their document.
        """
        if self.copied is not None:
            piece, start, end = self.first_shown(pieces, fresh, document)
            return np.bincount(piece, end - start, minlength=len(pieces)).astype(np.int64)
        judged = np.flatnonzero(fresh & (document[pieces.document] >= 0))
        new = np.zeros(len(pieces), np.int64)
        new[judged] = self.marks.within(replace(pieces[judged], document=document[pieces.document[judged]]))
        return new

    def first_shown(self, pieces: Spans, fresh: Bools, document: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the highlighted stretches that pieces are the first to show: the number of the piece, start and end.

        The pieces must be in reading order; so are the stretches.
        """
        judged = np.flatnonzero(fresh & (document[pieces.document] >= 0))
        of_documents = replace(pieces[judged], document=document[pieces.document[judged]])
        piece, start, end = self.marks.shared(of_documents)
        if self.copied is not None:
            which, start, end = self.copied.first_seen(Spans(of_documents.document[piece], start, end))
            piece = piece[which]
        return judged[piece], start, end

    def known(self, column: Ints, what: str, document: Ints, advice: str = "") -> Ints:
        """Return a column for some documents, or raise a UsageError if it is unknown for one with highlighted text."""
        values = column[document]
        if np.any((values < 0) & (self.marks.size[document] > 0)):
            raise UsageError(f"{self.name}: {what} is unknown, but the measure needs it{advice}")
        return values


# The columns of a TextRanking with one value per result.
COLUMNS = ("rank", "grade", "row", "document", "start", "end", "first_of")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TextRanking(Ranking):
    """The results of some topics, parts of documents, best first.

    `row` is the row of each result in the run, and `names` are the documents of the run's rows. `pieces` is the text of
    the results; the document of a piece is the row of its result in this ranking. A result has several pieces if part
    of its text was seen before; `fresh` marks the pieces that were not. `marked` is how much highlighted text each
    piece is the first to show. Text that was seen before is read again if it is `paid` for, otherwise skipped. `tokens`
    are the tokens of the results' documents, if there is a tokenizer; if the ranking `counts_tokens`, all sizes and
    offsets are in tokens instead of characters. `source` has the texts, if there are documents. `around` is the size of
    the text around passages, which empty pieces represent.
    """

    row: Ints
    document: Ints
    start: Ints
    end: Ints
    first_of: Bools
    pieces: Spans
    fresh: Bools
    marked: Ints
    base: Ints
    topics: Ints
    names: Ids
    paid: bool = True
    of_documents: bool = False
    counts_tokens: bool = False
    tokens: TokenCounts | None = None
    source: SpanTexts | None = None
    around: TextAround | None = None
    judgments: HighlightedText

    # Columns

    @cached_property
    def size(self) -> Ints:
        """How much text of each row is read."""
        return self._of_pieces(self._cost)

    @cached_property
    def _cost(self) -> Ints:
        """How much text of each piece is read."""
        cost = self.pieces.size if self.paid else self.pieces.size * self.fresh
        return cost if self.around is None else cost + self.around.size(self.counts_tokens)

    @cached_property
    def _read_before(self) -> Ints:
        """How much was read of the topic before each piece."""
        return replace(self, starts=self.piece_starts).above(self._cost)

    @cached_property
    def found(self) -> Ints:
        """How much of the text that is read is highlighted and was not seen before."""
        return self._of_pieces(self.marked)

    @cached_property
    def _is_whole(self) -> bool:
        """Whether each row has exactly one piece."""
        return len(self.pieces) == len(self.rank) and np.array_equal(self.pieces.document, np.arange(len(self.rank)))

    def _of_pieces(self, x: Ints) -> Ints:
        if self._is_whole:
            return x
        return np.bincount(self.pieces.document, x, minlength=len(self.rank)).astype(np.int64)

    @cached_property
    def read(self) -> Ints:
        """How much was read down to each row, including the row itself."""
        return self.running(self.size)

    @cached_property
    def returned(self) -> Ints:
        """How much text each row has, whether it is read or skipped."""
        size = self.pieces.size
        return self._of_pieces(size if self.around is None else size + self.around.size(self.counts_tokens))

    @cached_property
    def repeated(self) -> Ints:
        """How much text of each row was seen before."""
        return self._of_pieces(self.pieces.size * ~self.fresh)

    @cached_property
    def first_shown(self) -> tuple[Ints, Ints, Ints]:
        """The highlighted stretches in the order in which they are first seen: number of the piece, start, end."""
        return self.judgments.first_shown(self.pieces, self.fresh, self.document)

    @cached_property
    def newly_found(self) -> tuple[Ints, Ints, Ints]:
        """The stretches of `first_shown`: the topic of each, how much was read before it, and its size."""
        piece, start, end = self.first_shown
        topic = np.repeat(np.arange(len(self)), np.diff(self.piece_starts))
        return topic[piece], self._read_before[piece] + start - self.pieces.start[piece], end - start

    def list_length(self, in_tokens: bool) -> Ints:
        """Return how many characters or tokens of each topic a reader reads who reads all results."""
        return self.total(self._of_pieces(self._token_cost)) if in_tokens else self.total(self.size)

    # Parts

    def top(self, k: Ints | int | None) -> TextRanking:
        """Return the first k results; measures with the same cut-off share them."""
        first: Callable[[Ints | int], Any] = super()._top
        return self if k is None else self.once(("top", k), lambda: first(k)) if isinstance(k, int) else first(k)

    def keep(self, kept: Bools) -> TextRanking:
        """Return the ranking with only these rows."""
        return self.at(np.flatnonzero(kept), np.append(0, np.cumsum(kept))[self.starts])

    def at(self, rows: Ints, starts: Ints) -> TextRanking:
        """Return the ranking of some rows, in another order."""
        if self._is_whole:
            pieces, order = replace(self.pieces[rows], document=np.arange(len(rows))), rows
        else:
            place = np.full(len(self.rank), -1)
            place[rows] = np.arange(len(rows))
            piece = place[self.pieces.document]
            kept = np.flatnonzero(piece >= 0)
            order = kept[ascending(piece[kept])]
            pieces = replace(self.pieces[order], document=piece[order])
        return replace(
            self,
            starts=starts,
            pieces=pieces,
            fresh=self.fresh[order],
            marked=self.marked[order],
            around=self.around and self.around.at(order),
            **{name: getattr(self, name)[rows] for name in COLUMNS},
        )

    def within(self, chars: int | None, tokens: int | None = None, fit: Fit = "cut") -> TextRanking:
        """Return the results that fit into a budget of characters or tokens.

        The reader cuts the last result, stops before it, or skips it and reads on.
        """
        if self.counts_tokens:
            chars, tokens = tokens, None
        if fit != "cut":
            part = self if chars is None else self._whole_within(chars, self.size, fit)
            return part if tokens is None else part._whole_within(tokens, part._of_pieces(part._token_cost), fit)
        in_tokens = self.counts_tokens
        part = self if chars is None else self._until(chars, self._cost, lambda part, piece, left: left, in_tokens)
        return part if tokens is None else part._until(tokens, part._token_cost, TextRanking._size_of_tokens, True)

    def _whole_within(self, budget: int, cost: Ints, fit: Fit) -> TextRanking:
        """Return the results that a reader with a budget reads completely; `cost` is what each result costs."""
        if fit == "stop":
            return self.keep(self.running(cost) <= budget)
        if not self.paid and not self.fresh.all():
            raise UsageError('fit=skip requires overlap="paid" if results overlap')
        left, read = np.full(len(self), budget), np.zeros(len(cost), bool)
        for place in range(self.rows.max(initial=0)):
            topic = np.flatnonzero(self.rows > place)
            row = self.starts[topic] + place
            read[row] = cost[row] <= left[topic]
            left[topic] -= cost[row] * read[row]
        return self.keep(read)._seen_anew()

    def _seen_anew(self) -> TextRanking:
        """Return the ranking with `fresh` and `marked` computed again from its own results.

        Results that were left out may have shown text first that is new now.
        """
        if self.fresh.all() and self.judgments.copied is None:
            return self
        first, number = self.names[self.row].number()
        document = self.each(np.arange(len(self))) * len(first) + number
        documents, document = np.unique(document, return_inverse=True)
        spans = Spans(document, self.start, self.end)
        pieces, fresh = in_pieces(spans, np.arange(len(spans)), len(documents))
        marked = self.judgments.newly_highlighted(pieces, fresh, self.document)
        around = self.around and self.around.on_first_pieces(self.pieces.document, pieces.document)
        return replace(self, pieces=pieces, fresh=fresh, marked=marked, around=around)

    def _until(
        self, budget: int, cost: Ints, size_of: Callable[[TextRanking, Ints, Ints], Ints], in_tokens: bool
    ) -> TextRanking:
        """Return what is read within a budget; `cost` is what each piece costs.

        `size_of` returns how many characters of the pieces in which the budget ends are read for the rest of the
        budget.
        """
        of_result = self._of_pieces(cost)
        # a result that fits is read to its end, also if that is within a token
        fits = self.running(of_result) <= (budget if in_tokens else -1)
        begun = fits | (self.above(of_result) < budget)
        part, cost = self.keep(begun), cost[begun[self.pieces.document]]
        fits = fits[begun][part.pieces.document]
        left = np.maximum(budget - replace(part, starts=part.piece_starts).above(cost), 0)
        # of the other results, pieces that cost nothing are skipped, or read, as long as some budget is left
        read = np.where(fits | (left > 0), part.pieces.size, 0)
        last = np.flatnonzero(~fits & (cost > 0) & (cost >= left) & (left > 0))
        if part.around is not None:
            last = last[part.pieces.size[last] > 0]
        read[last] = size_of(part, last, left[last])
        pieces = replace(part.pieces, end=part.pieces.start + read)
        marked = self.judgments.newly_highlighted(pieces, part.fresh, part.document)
        return replace(part, pieces=pieces, marked=marked, around=part.around and part.around.within(left, in_tokens))

    @cached_property
    def characters_of_facts(self) -> Ints:
        """How many characters of each alternative of the facts of all topics the results contain."""
        document = self.document[self.pieces.document]
        read = np.flatnonzero(self.fresh & (document >= 0) & (self.pieces.size > 0))
        read = read[self.judgments.marks.size[document[read]] > 0]
        document, pieces = document[read], self.pieces[read]
        return self.judgments.facts.read(Spans(document, *self.judgments.solid(document, pieces.start, pieces.end)))

    def facts_known(self, cover: float) -> Ints:
        """Return how many facts of each topic the results contain: at least the share `cover` of an alternative."""
        facts = self.judgments.facts
        known = facts.known(self.characters_of_facts, cover)
        return np.bincount(facts.topic_of_fact[known], minlength=len(facts.number))[self.topics]

    def facts_completed(self, cover: float) -> Ints:
        """Return how many facts each result is the first to complete."""
        known, before = np.zeros(len(self.rank), np.int64), np.zeros(len(self), np.int64)
        for place in range(self.rows.max(initial=0)):
            topic = np.flatnonzero(self.rows > place)
            upto = self.keep(np.arange(len(self.rank)) - self.each(self.starts[:-1]) <= place).facts_known(cover)
            known[self.starts[topic] + place] = (upto - before)[topic]
            before = upto
        return known

    def texts(self) -> list[str]:
        """Return the text of each row as the system returned it."""
        return require_texts(self.source).of(self.row, self.start, self.end)

    # Tokens

    @property
    def _token_counts(self) -> TokenCounts:
        if self.tokens is None:
            raise UsageError("to count tokens, pass tokenizer= and documents=")
        return self.tokens

    @property
    def _token_cost(self) -> Ints:
        """How many tokens of each piece are read."""
        row = self.row[self.pieces.document]
        count = self._token_counts.upto(row, self.pieces.end) - self._token_counts.upto(row, self.pieces.start)
        cost = count if self.paid else count * self.fresh
        return cost if self.around is None else cost + self.around.size(in_tokens=True)

    def _size_of_tokens(self, piece: Ints, count: Ints) -> Ints:
        """Return the number of characters from the start of some pieces to the end of `count` tokens."""
        row, start = self.row[self.pieces.document[piece]], self.pieces.start[piece]
        return self._token_counts.end_after(row, start, count) - start

    @cached_property
    def in_tokens(self) -> TextRanking:
        """The ranking counted in tokens: an offset is the number of tokens that end there or before."""
        upto, row = self._token_counts.upto, self.row[self.pieces.document]
        pieces = replace(self.pieces, start=upto(row, self.pieces.start), end=upto(row, self.pieces.end))
        judgments = self.judgments.in_tokens()
        return replace(
            self,
            start=upto(self.row, self.start),
            end=upto(self.row, self.end),
            pieces=pieces,
            marked=judgments.newly_highlighted(pieces, self.fresh, self.document),
            base=judgments.total[self.topics],
            judgments=judgments,
            counts_tokens=True,
        )

    # Relevance

    def relevant(self, rel: float) -> Bools:
        """Return whether each row finds highlighted text."""
        return self.gain(rel) > 0

    def judged(self) -> Bools:
        """Return whether each row's document was judged; a negative grade means that only other people judged it."""
        return (self.document >= 0) & (self.judgments.grade[np.maximum(self.document, 0)] >= 0)

    def gain(self, rel: float) -> Values:
        """Return the gain of each row: highlighted characters that were not seen before."""
        if rel != 1:
            raise UsageError(f"rel={rel} does not apply: highlighted text has no grades")
        return self.found

    def recall_base(self, rel: float) -> Ints:
        """Return the number of highlighted characters of each topic, retrieved or not."""
        return self.quantity("|relevant|", self.base)

    def extent(self, k: int | None) -> Ints:
        """Return how much text was retrieved; if the ranking has a cut-off, by the first k results."""
        return self.quantity("|retrieved|", self._reduced(np.add, self.size))

    # Documents

    @cached_property
    def documents(self) -> Ranking:
        """The documents of the results, in order of first appearance."""
        kept = self.first_of & self.judged()
        counts = np.append(0, np.cumsum(kept))
        return Ranking(
            starts=counts[self.starts],
            rank=self.running(self.first_of)[kept],
            grade=self.judgments.grade[self.document[kept]],
            retrieved=self._reduced(np.add, self.first_of),
            top_grade=self.top_grade,
            ideal=self.ideal,
            judgment=self.document[kept],
            trace=self.trace and replace(self.trace, rows="documents"),
        )

    @cached_property
    def by_document(self) -> TextRanking:
        """The results of each document that has a row in `documents`, as if each document were a topic."""
        judged = np.flatnonzero(self.judged())
        documents = self.document[self.first_of & self.judged()]
        place = np.empty(len(self.judgments.topic), np.int64)
        place[documents] = np.arange(len(documents))
        which = place[self.document[judged]]
        rows = np.bincount(which, minlength=len(documents))
        starts = np.append(0, np.cumsum(rows))
        parts = self.at(judged[ascending(which)], starts)
        return replace(
            parts,
            rank=np.arange(len(parts.rank)) - np.repeat(starts[:-1], rows) + 1,
            retrieved=rows,
            base=self.judgments.marks.size[documents],
            cut=None,
            of_documents=True,
            trace=None,
        )

    # What a document score needs; each topic is a document here

    @property
    def entered(self) -> Ints:
        """The offset where the first result begins."""
        return self.start[self.starts[:-1]]

    @property
    def entry(self) -> Ints:
        """The best entry point."""
        return self.judgments.known(self.judgments.entry, "the best entry point of a document", self.first_document)

    @property
    def length(self) -> Ints:
        """The length of the document."""
        what, advice = "the length of a document", "; pass documents="
        return self.judgments.known(self.judgments.length, what, self.first_document, advice)

    @property
    def first_document(self) -> Ints:
        """The judgment of each topic's document."""
        return self.document[self.starts[:-1]]

    @cached_property
    def piece_starts(self) -> Ints:
        """Where the pieces of each topic begin, then the number of pieces."""
        return np.searchsorted(self.pieces.document, self.starts)


# Retrieved texts may have more around the passages of documents: a header, or a context that a model wrote. It is read
# and counts against the budget, but finds nothing. An empty piece of the result represents it.


@dataclass(frozen=True, eq=False, repr=False)
class TextAround:
    """The size of the text around passages for each piece: in characters, and in tokens if there is a tokenizer."""

    chars: Ints
    tokens: Ints | None

    def size(self, in_tokens: bool) -> Ints:
        """Return the size in characters or tokens."""
        if not in_tokens:
            return self.chars
        if self.tokens is None:
            raise UsageError("to count tokens, pass tokenizer= and documents=")
        return self.tokens

    def at(self, pieces: Ints) -> TextAround:
        """Return the sizes for some pieces."""
        return TextAround(self.chars[pieces], None if self.tokens is None else self.tokens[pieces])

    def on_first_pieces(self, rows: Ints, new_rows: Ints) -> TextAround:
        """Return the sizes summed for each result, on the first of its new pieces.

        `rows` is the result of each old piece, and `new_rows` that of each new one.
        """
        is_first = np.append(True, new_rows[1:] != new_rows[:-1])[: len(new_rows)]
        number = int(new_rows.max(initial=-1)) + 1

        def moved(sizes: Ints) -> Ints:
            return np.bincount(rows, sizes, minlength=number).astype(np.int64)[new_rows] * is_first

        return TextAround(moved(self.chars), None if self.tokens is None else moved(self.tokens))

    def within(self, left: Ints, in_tokens: bool) -> TextAround:
        """Return how much of it is read if `left` of the budget is left before each piece."""
        size = self.size(in_tokens)
        read = np.minimum(size, left)
        share = read / np.maximum(size, 1)
        chars, tokens = (
            None if each is None else read if each is size else np.floor(each * share).astype(np.int64)
            for each in (self.chars, self.tokens)
        )
        assert chars is not None
        return TextAround(chars, tokens)


def with_surroundings(
    pieces: Spans, fresh: Bools, results: Spans, before: list[str], after: list[str], ends: TokenEnds | None
) -> tuple[Spans, Bools, TextAround]:
    """Return the pieces of results with empty pieces before and after each result, and the size of the text around it.

    `before` and `after` are the texts around each result.
    """
    row = np.concatenate((results.document, pieces.document, results.document))
    start = np.concatenate((results.start, pieces.start, results.end))
    end = np.concatenate((results.start, pieces.end, results.end))
    order = np.argsort(row, kind="stable")
    none = np.zeros(len(pieces), np.int64)
    chars, tokens = (
        None if sizes is None else np.concatenate((sizes(before), none, sizes(after)))[order]
        for sizes in (lengths_of, None if ends is None else ends.count)
    )
    assert chars is not None
    is_new = np.concatenate((np.ones(len(results), bool), fresh, np.ones(len(results), bool)))
    return Spans(row[order], start[order], end[order]), is_new[order], TextAround(chars, tokens)


def lengths_of(texts: list[str]) -> Ints:
    """Return the lengths of texts in characters."""
    return np.array(list(map(len, texts)), np.int64)


# The tokens of a ranking's documents: how many end within a span, and where the next n tokens end.
#
# A token belongs to the text in which it ends. So neighbouring spans never share a token, and everything that is
# counted in characters can be counted in tokens: an offset becomes the number of tokens that end there or before.


class TokenCounts:
    """The tokens of the documents of some rows of a table; `documents` is the document of each row of the table."""

    def __init__(self, ends: TokenEnds, documents: Ids, rows: Ints):
        self._ends, self._documents, self._rows = ends, documents, rows

    @cached_property
    def _line(self) -> tuple[Ints, Line, Ints]:
        """The number of each row's document, the documents laid end to end, and the positions where tokens end."""
        names = self._documents[self._rows]
        first, of_row = names.number()
        ends = self._ends.of(names[first].texts())
        document = np.repeat(np.arange(len(ends)), np.array([len(of_one) for of_one in ends], np.int64))
        every_end = np.concatenate([np.zeros(0, np.int64), *ends])
        line = Line(document, every_end, len(ends))
        number = np.full(len(self._documents), -1)
        number[self._rows] = of_row
        return number, line, every_end + line.begin[document]

    def upto(self, row: Ints, offset: Ints) -> Ints:
        """Return how many tokens end at an offset of a row's document or before."""
        number, line, places = self._line
        document = number[row]
        first = np.searchsorted(places, line.begin[document])
        return np.searchsorted(places, line.place(document, offset), side="right") - first

    def end_after(self, row: Ints, offset: Ints, count: Ints) -> Ints:
        """Return where the last of the next `count` tokens after an offset of a row's document ends."""
        number, line, places = self._line
        document = number[row]
        before = np.searchsorted(places, line.place(document, offset), side="right")
        return places[before + count - 1] - line.begin[document]


def of_text(ranking: Ranking, measure: object) -> TextRanking:
    """Return the ranking if it has parts of documents; otherwise raise the error for a measure that needs them."""
    if not isinstance(ranking, TextRanking):
        raise UsageError(f"{measure} needs highlighted text, but the judgments or the run have only whole documents")
    return ranking
