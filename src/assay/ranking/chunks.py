"""ChunkedCorpus: all chunks of a corpus, and how much of what is highlighted they hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from assay.ranking.pool import Pool
from assay.tables.ids import Bools, Floats, Ids, Ints
from assay.tables.intervals import Line, Marks, Spans
from assay.tables.judgments import Highlights
from assay.tables.run import SpanRun, SurroundedSpanRun
from assay.vocabulary import Fit

# All sets of a few chunks, tried one by one: the most relevant text of those after which a budget cuts a chunk.

# How many sets are tried at most.
SETS = 5_000


def most_with_cut(before: Ints, until: Ints, cost: Ints, begun: list[Ints], budget: int) -> int | None:
    """The most relevant text of whole chunks and the beginning of another, where that goes beyond the budget.

    Each chunk has the relevant characters from number `before` up to `until`, and `begun` tells up to which its first
    0, 1, … characters or tokens have. Text that two chunks share is read twice. None if there are too many sets.
    """
    sizes = cost.tolist()
    held = [between(*bounds) for bounds in zip(before.tolist(), until.tolist(), strict=True)]
    waiting: list[tuple[int, int, int, int]] = [(0, 0, 0, 0)]
    most = tried = 0
    while waiting:
        first, chosen, spent, text = waiting.pop()
        tried += 1
        if tried > SETS:
            return None
        left = budget - spent
        for chunk, mask in enumerate(held):
            if chosen >> chunk & 1:
                continue
            if 0 < left < sizes[chunk]:
                beginning = between(int(before[chunk]), int(begun[chunk][left]))
                most = max(most, (text | beginning).bit_count())
            if chunk >= first and sizes[chunk] <= left:
                waiting.append((chunk + 1, chosen | 1 << chunk, spent + sizes[chunk], text | mask))
    return most


def between(first: int, last: int) -> int:
    """A number with a bit for each of some characters."""
    return (1 << last) - (1 << first)


# The best that any ranking of the chunks of a topic can reach: after k results, within a budget, or both.
#
# Only chunks with relevant text matter, and of two chunks, one of which lies in the other, a best ranking has one at
# most. So a best set of chunks can be put together from left to right: what a chunk adds depends on the one before it
# alone. A ranking may be as short as it likes, so that precision can be that of its best chunk.

# How many numbers may be in the tables of a budget. With more, sizes are counted in larger units, rounded down.
ROOM = 4_000_000
# How many numbers may be looked at to leave out each chunk in turn, as the one that the budget cuts.
WORK = 60_000_000
NONE = np.zeros(0, np.int64)


class Reached(NamedTuple):
    """What no ranking surpasses, and whether one reaches it."""

    value: float
    exact: bool


class Sets(NamedTuple):
    """Sets of chunks by their last one: how much relevant text they have, how much is read, and what that is worth."""

    gain: Ints
    size: Ints
    worth: Floats


@dataclass(frozen=True, eq=False)
class WithinBudget:
    """What can be read for a budget.

    `gains` has the most relevant text in whole chunks, by how much they cost in units; `cut` the most that there is
    where the last chunk is cut, and `cut_reached` what a ranking reaches so.
    """

    gains: Ints
    unit: int
    cut: int
    cut_reached: int


class BestChunks:
    """The chunks of a topic that have relevant text, on a line on which documents stand apart, by their ends.

    Text that two chunks share is `paid` for twice, or read once. A budget is in characters, or in tokens, if it is
    known where on the line these end.
    """

    def __init__(self, chunks: Spans, marks: Marks, paid: bool, token_ends: Ints | None = None):
        self.start, self.end, self.marks, self.paid, self.token_ends = chunks.start, chunks.end, marks, paid, token_ends
        self.size = chunks.size
        self.cost = self._counted(self.end) - self._counted(self.start)
        self.before = self._upto(self.start)
        self.until = self._upto(self.end)
        self.gain = self.until - self.before
        # the chunks from `first` on, of those before it, share text with a chunk
        self.first = np.searchsorted(self.end, self.start, side="right")
        self.most_shared = int((np.arange(len(self)) - self.first).max(initial=0))
        self.none_in_another = bool(np.all(np.diff(self.start) > 0))
        self._most, self._sets = [0], self._single(0.0)
        self._readings: dict[tuple[int, bool], WithinBudget] = {}

    def in_tokens(self, ends: Ints) -> BestChunks:
        """The same chunks, read for a budget of tokens, which end at some places of the line."""
        return BestChunks(Spans(self.first, self.start, self.end), self.marks, self.paid, ends)

    def _counted(self, place: Ints) -> Ints:
        """How much is read up to a place of the line, in the unit of the budget."""
        return place if self.token_ends is None else np.searchsorted(self.token_ends, place, side="right")

    def _after(self, chunk: int, cost: Ints) -> Ints:
        """The place at which a reader of a chunk has read so much of it."""
        start = self.start[chunk]
        if self.token_ends is None:
            return start + cost
        ends = np.append(start, self.token_ends[self._counted(start) :])
        return ends[cost]

    @classmethod
    def on_line(cls, chunks: Spans, gold: Spans, paid: bool) -> BestChunks:
        """The different chunks among some, of which each has relevant text; both lie on the line."""
        start, end = np.unique(np.stack((chunks.start, chunks.end)), axis=1)
        order = np.lexsort((start, end))
        zeros = np.zeros(len(order), np.int64)
        marks = Marks(Highlights(np.zeros(len(gold), np.int64), gold.start, gold.end, NONE, NONE, NONE), 1)
        return cls(Spans(zeros, start[order], end[order]), marks, paid)

    def __len__(self) -> int:
        return len(self.size)

    def _upto(self, place: Ints) -> Ints:
        return self.marks.upto(np.zeros(len(place), np.int64), place)

    def _without(self, left_out: Bools) -> BestChunks:
        """The chunks but for some."""
        kept = ~left_out
        spans = Spans(self.first[kept], self.start[kept], self.end[kept])
        return BestChunks(spans, self.marks, self.paid, self.token_ends)

    @cached_property
    def union(self) -> Spans:
        """The text of all chunks, each character once."""
        return Spans(np.zeros(len(self), np.int64), self.start, self.end).union(1)

    @cached_property
    def everything(self) -> int:
        """The relevant text of all chunks together."""
        return int(self.marks.within(self.union).sum())

    def fits(self, k: int | None, budget: int | None) -> bool:
        """Whether any k of the chunks can be read within a budget."""
        if budget is None:
            return True
        if k is not None and k < len(self):
            return int(np.sort(self.cost)[-k:].sum()) <= budget
        cost = self.cost if self.paid else self._counted(self.union.end) - self._counted(self.union.start)
        return int(cost.sum()) <= budget

    # What is asked

    def most(self, k: int | None, budget: int | None, fit: Fit = "cut") -> Reached:
        """The most relevant text that k results and a budget can have."""
        if self.fits(k, budget):
            return Reached(self._most_of(k), True)
        assert budget is not None
        reading = self.reading(budget, fit)
        above = min(max(int(reading.gains[-1]), reading.cut), self.everything)
        reached = max(int(reading.gains[-1]) if reading.unit == 1 else 0, reading.cut_reached)
        if k is None or k >= len(self):
            return Reached(above, above == reached)
        return Reached(min(above, self._most_of(k)), False)

    def ratio(self, base: float, k: int | None, budget: int | None, fit: Fit = "cut") -> Reached:
        """The most that relevant text can be as a share of what is read and a base that is added to it."""
        if self.fits(k, budget):
            whole = self._ratio_of(base, k)
            if self.token_ends is None or budget is None or fit != "cut":
                return Reached(whole, True)
            # results without relevant text use up tokens, so that the last chunk may be cut if that is more precise;
            # each token that has no relevant text has a character
            others = budget - int((self._counted(self.union.end) - self._counted(self.union.start)).sum())
            cut = self.everything / (base + self.everything + max(others, 0)) if self.everything else 0.0
            return Reached(max(whole, cut), whole >= cut)
        assert budget is not None
        reading = self.reading(budget, fit)
        if self.token_ends is not None:
            # how many characters the best sets have is not known: no fewer than are relevant
            gain = max(int(reading.gains[-1]), reading.cut)
            above = gain / (base + gain) if gain else 0.0
            return Reached(above if fit == "cut" else min(above, self._ratio_of(base, k)), False)
        size = np.maximum(np.arange(len(reading.gains)) * reading.unit, reading.gains)
        uncut = float(np.divide(reading.gains, base + size, out=np.zeros(len(size)), where=size > 0).max())
        above, reached = max(uncut, reading.cut / (base + budget)), max(uncut, reading.cut_reached / (base + budget))
        # whole chunks alone are no bound: one that is cut may be the better for it
        return Reached(above, (k is None or k >= len(self)) and reading.unit == 1 and above == reached)

    # After k results

    def _most_of(self, k: int | None) -> int:
        """The most relevant text of k chunks."""
        if k is None or k >= len(self):
            return self.everything
        while len(self._most) <= k and self._most[-1] < self.everything:
            self._most.append(int(self._sets.gain[np.argmax(self._sets.worth)]))
            self._sets = self._longer(self._sets, 0.0)
        return self._most[min(k, len(self._most) - 1)]

    def _ratio_of(self, base: float, k: int | None) -> float:
        """Dinkelbach's way to the greatest ratio: what beats a ratio is a set whose gain less its price is greatest."""
        if not len(self):
            return 0.0
        ratio = float((self.gain / (base + self.size)).max())
        while True:
            gain, size = self._worthiest(ratio, k)
            better = gain / (base + size)
            if better <= ratio * (1 + 1e-14):
                return ratio
            ratio = better

    def _worthiest(self, price: float, k: int | None) -> tuple[int, int]:
        """Gain and size of a set of at most k chunks whose gain less its price is greatest."""
        sets = self._single(price)
        best, worth = (0, 0), -np.inf
        for _ in range(min(k or len(self), len(self))):
            at = int(np.argmax(sets.worth))
            if sets.worth[at] == -np.inf:
                break
            if sets.worth[at] > worth:
                best, worth = (int(sets.gain[at]), int(sets.size[at])), float(sets.worth[at])
            elif self.paid and self.none_in_another:
                # then each further chunk adds less than the one before
                break
            sets = self._longer(sets, price)
        return best

    def _single(self, price: float) -> Sets:
        """Each chunk alone."""
        return Sets(self.gain, self.size, self.gain - price * self.size)

    def _longer(self, sets: Sets, price: float) -> Sets:
        """The best sets with one chunk more."""
        most = np.maximum.accumulate(sets.worth)
        best = np.maximum.accumulate(np.where(sets.worth == most, np.arange(len(self)), 0))
        before = best[np.maximum(self.first - 1, 0)]
        gain, size = sets.gain[before] + self.gain, sets.size[before] + self.size
        worth = np.where(self.first > 0, sets.worth[before] + self.gain - price * self.size, -np.inf)
        for step in range(1, self.most_shared + 1):
            here = np.flatnonzero(np.arange(len(self)) - step >= self.first)
            here = here[self.start[here - step] < self.start[here]]
            there = here - step
            added = self.until[here] - self.until[there]
            cost = self.size[here] if self.paid else self.end[here] - self.end[there]
            value = sets.worth[there] + added - price * cost
            better = value > worth[here]
            here, there = here[better], there[better]
            gain[here], size[here] = sets.gain[there] + added[better], sets.size[there] + cost[better]
            worth[here] = value[better]
        return Sets(gain, size, worth)

    # Within a budget

    def reading(self, budget: int, fit: Fit = "cut") -> WithinBudget:
        """What can be read for a budget that is less than all of it."""
        asked = budget, fit == "cut"
        if asked not in self._readings:
            self._readings[asked] = self._read(*asked)
        return self._readings[asked]

    def _read(self, budget: int, cuts: bool) -> WithinBudget:
        unit = -(-budget * len(self) // ROOM)
        gains = self._gains(budget, unit)
        if not cuts or gains[-1] == self.everything:
            return WithinBudget(gains, unit, 0, 0)
        cut = cut_reached = 0
        leaves_out = len(self) ** 2 * (budget // unit) * (1 + self.most_shared) <= WORK
        for chunk in range(len(self)):
            shares = (self.start < self.end[chunk]) & (self.end > self.start[chunk])
            alone = bool(shares.sum() == 1)
            others = self._without(np.arange(len(self)) == chunk)._gains(budget, unit) if leaves_out else gains
            above = self._with_cut(others, unit, chunk, budget, alone)
            cut = max(cut, above)
            if leaves_out and unit == 1 and above > cut_reached:
                apart = others if alone else self._without(shares)._gains(budget, unit)
                cut_reached = max(cut_reached, self._with_cut(apart, unit, chunk, budget, True))
        cut = min(cut, self.everything)
        if self.paid and unit == 1 and cut > max(cut_reached, int(gains[-1])):
            cut, cut_reached = self._try_all_sets(budget, cut, cut_reached)
        return WithinBudget(gains, unit, cut, cut_reached)

    def _try_all_sets(self, budget: int, cut: int, cut_reached: int) -> tuple[int, int]:
        """The bounds of what chunks have of which the last is cut; both are the same where all sets could be tried."""
        begun = [self._upto(self._after(chunk, np.arange(cost))) for chunk, cost in enumerate(self.cost.tolist())]
        most = most_with_cut(self.before, self.until, self.cost, begun, budget)
        return (cut, cut_reached) if most is None else (most, most)

    def _gains(self, budget: int, unit: int) -> Ints:
        """The most relevant text in whole chunks, by what these cost at most."""
        costs, ends = budget // unit + 1, self._counted(self.end)
        # best[n] is of sets of the first n chunks; ending[n] of those with chunk n as the last
        best: list[Ints] = [np.zeros(costs, np.int64)]
        ending: list[Ints] = []
        for chunk in range(len(self)):
            first = int(self.first[chunk])
            gains = shift_gains(best[first], int(self.cost[chunk]) // unit, int(self.gain[chunk]))
            for before in range(first, chunk):
                if self.start[before] < self.start[chunk]:
                    cost = int(self.cost[chunk] if self.paid else ends[chunk] - ends[before]) // unit
                    added = int(self.until[chunk] - self.until[before])
                    gains = np.maximum(gains, shift_gains(ending[before], cost, added))
            ending.append(gains)
            best.append(np.maximum(best[-1], gains))
        return best[-1]

    def _with_cut(self, gains: Ints, unit: int, chunk: int, budget: int, alone: bool) -> int:
        """The most relevant text where a chunk is read after others, and cut where the budget ends.

        Where it is not `alone`, others may share text with it: that makes its beginning no better, unless they are
        skipped, and all that is left of it may be relevant.
        """
        left = np.minimum(budget - np.arange(len(gains)) * unit, self.cost[chunk])
        if alone or self.paid:
            beginning = self._upto(self._after(chunk, left)) - self.before[chunk]
        else:
            beginning = np.minimum(left if self.token_ends is None else self.gain[chunk], self.gain[chunk])
        return int((gains + beginning).max())


def shift_gains(gains: Ints, cost: int, added: int) -> Ints:
    """Gains by cost, with something added that has a cost itself; what is not available is far below zero."""
    if cost >= len(gains):
        return np.full(len(gains), -(1 << 60))
    return np.concatenate((np.full(cost, -(1 << 60)), gains[: len(gains) - cost] + added))


@dataclass(frozen=True)
class ChunkSizes:
    """How many different chunks there are, how long they are, and how much of their text is in an earlier one."""

    chunks: int
    documents: int
    least: int
    median: float
    mean: float
    most: int
    characters: int
    repeated: int


@dataclass(frozen=True)
class GoldInChunks:
    """Where the excerpts that are highlighted stand: whole in one chunk, in pieces of several only, or in none.

    `characters` are the highlighted ones of all topics; `cut` are those of excerpts that no single chunk holds, as
    far as excerpts are listed, and `in_no_chunk` those that no chunk has.
    """

    excerpts: int
    whole: int
    in_pieces: int
    nowhere: int
    characters: int
    in_no_chunk: int
    listed: int
    cut: int


class ChunkedCorpus:
    """The different chunks of a corpus, by document and start."""

    def __init__(self, chunks: SpanRun):
        first, number = chunks.document.number()
        self.name, self.documents = chunks.name, chunks.document[first].texts()
        columns = np.unique(np.stack((number, chunks.start, chunks.end)), axis=1)
        self.spans = Spans(*columns)
        # texts around the passages of chunks are not charged, so that what they cost is only a bound
        self.is_surrounded = isinstance(chunks, SurroundedSpanRun)
        self._bounds = np.searchsorted(self.spans.document, np.arange(len(first) + 1))
        self._number = {name: at for at, name in enumerate(self.documents)}

    def places(self) -> set[tuple[str, int, int]]:
        """The document, the start and the end of each chunk."""
        columns = self.spans.document.tolist(), self.spans.start.tolist(), self.spans.end.tolist()
        return {(self.documents[number], start, end) for number, start, end in zip(*columns, strict=True)}

    def numbers(self, documents: Ids) -> Ints:
        """The numbers of documents by their names; -1 of those without chunks."""
        first, number = documents.number()
        names = documents[first].texts()
        return np.array([self.number(name) for name in names], np.int64)[number]

    def number(self, document: str) -> int:
        """The number of a document by its name; -1 of one without chunks."""
        return self._number.get(document, -1)

    @cached_property
    def _text(self) -> Marks:
        """The text that is in any chunk."""
        return Marks(
            Highlights(self.spans.document, self.spans.start, self.spans.end, NONE, NONE, NONE), len(self.documents)
        )

    @cached_property
    def sizes(self) -> ChunkSizes:
        """What there is to say of the chunks alone."""
        size, all_of_it = self.spans.size, int(self.spans.size.sum())
        least, most, median = int(size.min()), int(size.max()), float(np.median(size))
        repeated = all_of_it - int(self._text.size.sum())
        return ChunkSizes(len(size), len(self.documents), least, median, float(size.mean()), most, all_of_it, repeated)

    def is_in_one_chunk(self, passages: Spans) -> Bools:
        """Whether each passage is whole in a single chunk; a document is its number here, or -1."""
        known = np.flatnonzero(passages.document >= 0)
        some = passages[known]
        ends = np.concatenate((self.spans.end, some.end))
        line = Line(np.concatenate((self.spans.document, some.document)), ends, len(self.documents))
        begin = line.begin[self.spans.document]
        reach = np.append(-1, np.maximum.accumulate(self.spans.end + begin))
        begun = np.searchsorted(self.spans.start + begin, some.start + line.begin[some.document], side="right")
        whole = np.zeros(len(passages), bool)
        whole[known] = reach[begun] >= some.end + line.begin[some.document]
        return whole

    def has(self, passages: Spans) -> Ints:
        """How many characters of each passage are in any chunk; a document is its number here, or -1."""
        known = np.flatnonzero(passages.document >= 0)
        number = np.zeros(len(passages), np.int64)
        number[known] = self._text.within(passages[known])
        return number

    def gold(self, pool: Pool) -> GoldInChunks:
        """Where the highlighted text of all topics stands."""
        documents = self.numbers(pool.judgments.document)
        listed = spans_of_documents(pool.text.passages, documents)
        passages = spans_of_documents(pool.text.marks.spans, documents)
        whole, there = self.is_in_one_chunk(listed), self.has(listed) > 0
        nowhere = int(np.count_nonzero(~there))
        total, cut = int(passages.size.sum()), int(listed.size[~whole].sum())
        in_no_chunk = total - int(self.has(passages).sum())
        number = int(whole.sum())
        pieces = len(listed) - number - nowhere
        return GoldInChunks(len(listed), number, pieces, nowhere, total, in_no_chunk, int(listed.size.sum()), cut)

    def shared(self, pool: Pool) -> tuple[Ints, Ints, Ints]:
        """The stretches of excerpts that chunks have: the number of the excerpt, start and end."""
        passages = spans_of_documents(pool.text.passages, self.numbers(pool.judgments.document))
        known = np.flatnonzero(passages.document >= 0)
        passage, start, end = self._text.shared(passages[known])
        return known[passage], start, end

    def in_no_chunk(self, pool: Pool) -> Ints:
        """How many highlighted characters of each topic no chunk has."""
        passages = spans_of_documents(pool.text.marks.spans, self.numbers(pool.judgments.document))
        missing = passages.size - self.has(passages)
        topic = pool.text.topic[pool.text.marks.spans.document]
        return np.bincount(topic, missing, minlength=len(pool.topics)).astype(np.int64)

    def by_topic(self, pool: Pool, paid: bool) -> Iterator[tuple[int, BestChunks, BestChunks | None]]:
        """The chunks with highlighted text of each topic that has any; and the same in tokens, where these are known.
        """
        gold = pool.text.marks.spans
        rows = np.flatnonzero(pool.text.marks.size > 0)
        document = self.numbers(pool.judgments.document)[rows]
        rows, document = rows[document >= 0], document[document >= 0]
        rows, document = (column[np.argsort(pool.text.topic[rows], kind="stable")] for column in (rows, document))
        topics = pool.text.topic[rows]
        for topic in np.unique(topics).tolist():
            here = slice(*np.searchsorted(topics, [topic, topic + 1]).tolist())
            near = self._near(pool, rows[here], document[here])
            if len(near):
                own = [gold[slice(*np.searchsorted(gold.document, [row, row + 1]).tolist())] for row in rows[here]]
                ends = None if pool.tokens is None else pool.tokens.of(pool.judgments.document[rows[here]].texts())
                yield topic, *best_of(near, own, paid, ends)

    def _near(self, pool: Pool, rows: Ints, document: Ints) -> Spans:
        """The chunks that have text which some judgments highlight; a document is the place of its judgment."""
        number = (self._bounds[1:] - self._bounds[:-1])[document]
        place = np.repeat(np.arange(len(rows)), number)
        chunk = np.arange(len(place)) + np.repeat(self._bounds[document] - np.cumsum(number) + number, number)
        spans = Spans(place, self.spans.start[chunk], self.spans.end[chunk])
        within = pool.text.marks.within(Spans(rows[place], spans.start, spans.end))
        return spans[within > 0]


def spans_of_documents(spans: Spans, document: Ints) -> Spans:
    """Spans of judgments as spans of their documents."""
    return Spans(document[spans.document], spans.start, spans.end)


def best_of(
    chunks: Spans, gold: list[Spans], paid: bool, token_ends: list[Ints] | None = None
) -> tuple[BestChunks, BestChunks | None]:
    """The chunks of a topic and its highlighted text, by document, all on one line; and in tokens, if it is known
    where those of each document end.
    """
    of_gold = np.repeat(np.arange(len(gold)), [len(each) for each in gold])
    start, end = (np.concatenate([getattr(each, name) for each in gold]) for name in ("start", "end"))
    documents, ends = np.concatenate((chunks.document, of_gold)), np.concatenate((chunks.end, end))
    line = Line(documents, ends, len(gold))
    begin = line.begin
    laid = Spans(chunks.document, *(column + begin[chunks.document] for column in (chunks.start, chunks.end)))
    best = BestChunks.on_line(laid, Spans(of_gold, start + begin[of_gold], end + begin[of_gold]), paid)
    if token_ends is None:
        return best, None
    places = [of_one[of_one <= line.last[at]] + begin[at] for at, of_one in enumerate(token_ends)]
    return best, best.in_tokens(np.concatenate(places))
