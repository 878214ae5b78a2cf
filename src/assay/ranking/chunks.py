"""ChunkedCorpus: all chunks of a corpus, and how much of the highlighted text they contain."""

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

# Brute force over sets of few chunks: the most relevant text if the budget cuts one more chunk.

# The maximum number of sets to try.
SETS = 5_000


def most_with_cut(before: Ints, until: Ints, cost: Ints, begun: list[Ints], budget: int) -> int | None:
    """Return the most relevant text of whole chunks and the beginning of another one that exceeds the budget.

    Each chunk has the relevant characters with numbers from `before` up to `until`; `begun` has the numbers up to which
    its first 0, 1, … characters or tokens reach. Text that two chunks share is read twice. Returns None if there are
    too many sets to try.
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
    """Return a number with one bit for each of some characters."""
    return (1 << last) - (1 << first)


# The best value that any ranking of a topic's chunks can reach: after k results, within a budget, or both.
#
# Only chunks with relevant text matter. If one chunk lies within another, a best ranking has at most one of the two. So
# a best set of chunks can be built from left to right: what a chunk adds depends only on the one before it. A ranking
# may be as short as it likes, so its precision can be that of its best chunk.

# The maximum number of entries in the tables for a budget. Above it, sizes are counted in larger units, rounded down.
ROOM = 4_000_000
# The maximum number of steps to leave out each chunk in turn as the one that the budget cuts.
WORK = 60_000_000
NONE = np.zeros(0, np.int64)


class Reached(NamedTuple):
    """An upper bound for all rankings, and whether a ranking reaches it."""

    value: float
    exact: bool


class Sets(NamedTuple):
    """The best set of chunks for each last chunk: its relevant text, its size and its worth.

    The worth is the relevant text minus a price for each character that is read.
    """

    gain: Ints
    size: Ints
    worth: Floats


@dataclass(frozen=True, eq=False)
class WithinBudget:
    """What a reader can read within a budget.

    `gains` is the most relevant text in whole chunks, by their cost in units. `cut` is an upper bound if the last chunk
    is cut, and `cut_reached` is what a ranking reaches that way.
    """

    gains: Ints
    unit: int
    cut: int
    cut_reached: int


class BestChunks:
    """The chunks of a topic that have relevant text, sorted by end, on a line that has a gap between documents.

    If `paid`, text that two chunks share counts as read twice, otherwise once. A budget is in characters, or in tokens
    if `token_ends` says where on the line tokens end.
    """

    def __init__(self, chunks: Spans, marks: Marks, paid: bool, token_ends: Ints | None = None):
        self.start, self.end, self.marks, self.paid, self.token_ends = chunks.start, chunks.end, marks, paid, token_ends
        self.size = chunks.size
        self.cost = self._counted(self.end) - self._counted(self.start)
        self.before = self._upto(self.start)
        self.until = self._upto(self.end)
        self.gain = self.until - self.before
        # of the chunks before a chunk, those from `first` on overlap it
        self.first = np.searchsorted(self.end, self.start, side="right")
        self.most_shared = int((np.arange(len(self)) - self.first).max(initial=0))
        self.none_in_another = bool(np.all(np.diff(self.start) > 0))
        self._most, self._sets = [0], self._single(0.0)
        self._readings: dict[tuple[int, bool], WithinBudget] = {}

    def in_tokens(self, ends: Ints) -> BestChunks:
        """Return the same chunks for budgets of tokens, which end at these positions on the line."""
        return BestChunks(Spans(self.first, self.start, self.end), self.marks, self.paid, ends)

    def _counted(self, place: Ints) -> Ints:
        """Return how much is read up to a position on the line, in the unit of the budget."""
        return place if self.token_ends is None else np.searchsorted(self.token_ends, place, side="right")

    def _after(self, chunk: int, cost: Ints) -> Ints:
        """Return the position at which a reader has read `cost` of a chunk."""
        start = self.start[chunk]
        if self.token_ends is None:
            return start + cost
        ends = np.append(start, self.token_ends[self._counted(start) :])
        return ends[cost]

    @classmethod
    def on_line(cls, chunks: Spans, gold: Spans, paid: bool) -> BestChunks:
        """Make BestChunks from chunks on the line; duplicates are dropped. Each chunk must have relevant text."""
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
        """Return the chunks except those left out."""
        kept = ~left_out
        spans = Spans(self.first[kept], self.start[kept], self.end[kept])
        return BestChunks(spans, self.marks, self.paid, self.token_ends)

    @cached_property
    def union(self) -> Spans:
        """The text of all chunks, each character once."""
        return Spans(np.zeros(len(self), np.int64), self.start, self.end).union(1)

    @cached_property
    def everything(self) -> int:
        """The number of relevant characters in all chunks together."""
        return int(self.marks.within(self.union).sum())

    def fits(self, k: int | None, budget: int | None) -> bool:
        """Return whether any k of the chunks fit into a budget."""
        if budget is None:
            return True
        if k is not None and k < len(self):
            return int(np.sort(self.cost)[-k:].sum()) <= budget
        cost = self.cost if self.paid else self._counted(self.union.end) - self._counted(self.union.start)
        return int(cost.sum()) <= budget

    # Upper bounds

    def most(self, k: int | None, budget: int | None, fit: Fit = "cut") -> Reached:
        """Return the most relevant text that k results within a budget can have."""
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
        """Return the highest ratio of relevant text to the text that is read plus `base`."""
        if self.fits(k, budget):
            whole = self._ratio_of(base, k)
            if self.token_ends is None or budget is None or fit != "cut":
                return Reached(whole, True)
            # results without relevant text use up tokens, so the last chunk may be cut, which can raise precision; each
            # token without relevant text has at least one character
            others = budget - int((self._counted(self.union.end) - self._counted(self.union.start)).sum())
            cut = self.everything / (base + self.everything + max(others, 0)) if self.everything else 0.0
            return Reached(max(whole, cut), whole >= cut)
        assert budget is not None
        reading = self.reading(budget, fit)
        if self.token_ends is not None:
            # the number of characters of the best sets is unknown, but at least the relevant ones
            gain = max(int(reading.gains[-1]), reading.cut)
            above = gain / (base + gain) if gain else 0.0
            return Reached(above if fit == "cut" else min(above, self._ratio_of(base, k)), False)
        size = np.maximum(np.arange(len(reading.gains)) * reading.unit, reading.gains)
        uncut = float(np.divide(reading.gains, base + size, out=np.zeros(len(size)), where=size > 0).max())
        above, reached = max(uncut, reading.cut / (base + budget)), max(uncut, reading.cut_reached / (base + budget))
        # whole chunks alone are not a bound, because cutting a chunk may be better
        return Reached(above, (k is None or k >= len(self)) and reading.unit == 1 and above == reached)

    # After k results

    def _most_of(self, k: int | None) -> int:
        """Return the most relevant text of k chunks."""
        if k is None or k >= len(self):
            return self.everything
        while len(self._most) <= k and self._most[-1] < self.everything:
            self._most.append(int(self._sets.gain[np.argmax(self._sets.worth)]))
            self._sets = self._longer(self._sets, 0.0)
        return self._most[min(k, len(self._most) - 1)]

    def _ratio_of(self, base: float, k: int | None) -> float:
        """Return the highest ratio by Dinkelbach's algorithm.

        A set that beats a ratio is one whose gain minus that ratio times its size is highest.
        """
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
        """Return the gain and size of the set of at most k chunks whose gain minus price times size is highest."""
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
        """Return the sets of one chunk."""
        return Sets(self.gain, self.size, self.gain - price * self.size)

    def _longer(self, sets: Sets, price: float) -> Sets:
        """Return the best sets with one more chunk."""
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
        """Return what can be read within a budget into which not all chunks fit."""
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
        """Return bounds for sets whose last chunk is cut; they are equal if all sets could be tried."""
        begun = [self._upto(self._after(chunk, np.arange(cost))) for chunk, cost in enumerate(self.cost.tolist())]
        most = most_with_cut(self.before, self.until, self.cost, begun, budget)
        return (cut, cut_reached) if most is None else (most, most)

    def _gains(self, budget: int, unit: int) -> Ints:
        """Return the most relevant text in whole chunks for each maximum cost."""
        costs, ends = budget // unit + 1, self._counted(self.end)
        # best[n] is for sets of the first n chunks, ending[n] for sets whose last chunk is n
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
        """Return the most relevant text if a chunk is read after others and cut where the budget ends.

        If it is not `alone`, others may overlap it. Then its beginning gets no better if overlap is paid for; if
        overlap is skipped, all of the rest may be relevant.
        """
        left = np.minimum(budget - np.arange(len(gains)) * unit, self.cost[chunk])
        if alone or self.paid:
            beginning = self._upto(self._after(chunk, left)) - self.before[chunk]
        else:
            beginning = np.minimum(left if self.token_ends is None else self.gain[chunk], self.gain[chunk])
        return int((gains + beginning).max())


def shift_gains(gains: Ints, cost: int, added: int) -> Ints:
    """Return gains by cost after adding something that has a cost itself; impossible costs are far below zero."""
    if cost >= len(gains):
        return np.full(len(gains), -(1 << 60))
    return np.concatenate((np.full(cost, -(1 << 60)), gains[: len(gains) - cost] + added))


@dataclass(frozen=True)
class ChunkSizes:
    """The number and the lengths of different chunks, and how much of their text is also in an earlier chunk."""

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
    """How many highlighted excerpts are whole in one chunk, only in pieces in several, or in none.

    `characters` are the highlighted characters of all topics, and `in_no_chunk` those that no chunk contains. `listed`
    are the characters of the excerpts as listed, and `cut` those of excerpts that no single chunk contains.
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
    """The different chunks of a corpus, sorted by document and start."""

    def __init__(self, chunks: SpanRun):
        first, number = chunks.document.number()
        self.name, self.documents = chunks.name, chunks.document[first].texts()
        columns = np.unique(np.stack((number, chunks.start, chunks.end)), axis=1)
        self.spans = Spans(*columns)
        # the text around passages is not charged, so costs are only a lower bound
        self.is_surrounded = isinstance(chunks, SurroundedSpanRun)
        self._bounds = np.searchsorted(self.spans.document, np.arange(len(first) + 1))
        self._number = {name: at for at, name in enumerate(self.documents)}

    def places(self) -> set[tuple[str, int, int]]:
        """Return the document, start and end of each chunk."""
        columns = self.spans.document.tolist(), self.spans.start.tolist(), self.spans.end.tolist()
        return {(self.documents[number], start, end) for number, start, end in zip(*columns, strict=True)}

    def numbers(self, documents: Ids) -> Ints:
        """Return the numbers of documents by name; -1 if a document has no chunks."""
        first, number = documents.number()
        names = documents[first].texts()
        return np.array([self.number(name) for name in names], np.int64)[number]

    def number(self, document: str) -> int:
        """Return the number of a document by name; -1 if it has no chunks."""
        return self._number.get(document, -1)

    @cached_property
    def _text(self) -> Marks:
        """The text that is in any chunk."""
        return Marks(
            Highlights(self.spans.document, self.spans.start, self.spans.end, NONE, NONE, NONE), len(self.documents)
        )

    @cached_property
    def sizes(self) -> ChunkSizes:
        """The statistics of the chunks."""
        size, all_of_it = self.spans.size, int(self.spans.size.sum())
        least, most, median = int(size.min()), int(size.max()), float(np.median(size))
        repeated = all_of_it - int(self._text.size.sum())
        return ChunkSizes(len(size), len(self.documents), least, median, float(size.mean()), most, all_of_it, repeated)

    def is_in_one_chunk(self, passages: Spans) -> Bools:
        """Return whether a single chunk contains each passage; the passages' documents are numbers here, or -1."""
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
        """Return how many characters of each passage are in a chunk; a passage's document is a number here, or -1."""
        known = np.flatnonzero(passages.document >= 0)
        number = np.zeros(len(passages), np.int64)
        number[known] = self._text.within(passages[known])
        return number

    def gold(self, pool: Pool) -> GoldInChunks:
        """Return how the highlighted text of all topics is distributed over chunks."""
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
        """Return the stretches of excerpts that chunks contain: the number of the excerpt, start and end."""
        passages = spans_of_documents(pool.text.passages, self.numbers(pool.judgments.document))
        known = np.flatnonzero(passages.document >= 0)
        passage, start, end = self._text.shared(passages[known])
        return known[passage], start, end

    def in_no_chunk(self, pool: Pool) -> Ints:
        """Return how many highlighted characters of each topic no chunk contains."""
        passages = spans_of_documents(pool.text.marks.spans, self.numbers(pool.judgments.document))
        missing = passages.size - self.has(passages)
        topic = pool.text.topic[pool.text.marks.spans.document]
        return np.bincount(topic, missing, minlength=len(pool.topics)).astype(np.int64)

    def by_topic(self, pool: Pool, paid: bool) -> Iterator[tuple[int, BestChunks, BestChunks | None]]:
        """Yield for each topic its chunks with highlighted text, and the same in tokens if there is a tokenizer."""
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
        """Return the chunks with text that some judgments highlight; their `document` is the index of the judgment."""
        number = (self._bounds[1:] - self._bounds[:-1])[document]
        place = np.repeat(np.arange(len(rows)), number)
        chunk = np.arange(len(place)) + np.repeat(self._bounds[document] - np.cumsum(number) + number, number)
        spans = Spans(place, self.spans.start[chunk], self.spans.end[chunk])
        within = pool.text.marks.within(Spans(rows[place], spans.start, spans.end))
        return spans[within > 0]


def spans_of_documents(spans: Spans, document: Ints) -> Spans:
    """Return spans of judgments as spans of their documents."""
    return Spans(document[spans.document], spans.start, spans.end)


def best_of(
    chunks: Spans, gold: list[Spans], paid: bool, token_ends: list[Ints] | None = None
) -> tuple[BestChunks, BestChunks | None]:
    """Return a topic's chunks and highlighted text on one line, and the same in tokens if `token_ends` are given.

    `gold` and `token_ends` have one entry for each document.
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
