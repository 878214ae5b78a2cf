"""ChunkedCorpus: all chunks of a corpus, and how much of what is highlighted they hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.ranking.best_chunks import BestChunks
from assay.ranking.pool import Pool
from assay.tables.ids import Bools, Ids, Ints
from assay.tables.intervals import Line, Marks, Spans
from assay.tables.judgments import Highlights
from assay.tables.run import Run

NONE = np.zeros(0, np.int64)


@dataclass(frozen=True)
class ChunkSizes:
    """How many different chunks there are, how long they are, and how much of their text stands in an earlier one."""

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
    """Where the excerpts that are highlighted stand: whole in a chunk, in pieces of several only, or in none.

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

    def __init__(self, chunks: Run):
        assert chunks.start is not None and chunks.end is not None
        first, number = chunks.document.numbered()
        self.name, self.documents = chunks.name, chunks.document[first].texts()
        columns = np.unique(np.stack((number, chunks.start, chunks.end)), axis=1)
        self.spans = Spans(*columns)
        self._bounds = np.searchsorted(self.spans.document, np.arange(len(first) + 1))
        self._number = {name: at for at, name in enumerate(self.documents)}

    def places(self) -> set[tuple[str, int, int]]:
        """The document, the start and the end of each chunk."""
        columns = self.spans.document.tolist(), self.spans.start.tolist(), self.spans.end.tolist()
        return {(self.documents[number], start, end) for number, start, end in zip(*columns, strict=True)}

    def numbers(self, documents: Ids) -> Ints:
        """The numbers of documents by their names; -1 of those without chunks."""
        first, number = documents.numbered()
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

    def held(self, passages: Spans) -> Bools:
        """Whether each passage stands whole in a single chunk; a document is its number here, or -1."""
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
        whole, there = self.held(listed), self.has(listed) > 0
        nowhere = int(np.count_nonzero(~there))
        total, cut = int(passages.size.sum()), int(listed.size[~whole].sum())
        in_no_chunk = total - int(self.has(passages).sum())
        number = int(whole.sum())
        pieces = len(listed) - number - nowhere
        return GoldInChunks(len(listed), number, pieces, nowhere, total, in_no_chunk, int(listed.size.sum()), cut)

    def in_no_chunk(self, pool: Pool) -> Ints:
        """How many highlighted characters of each topic no chunk has."""
        passages = spans_of_documents(pool.text.marks.spans, self.numbers(pool.judgments.document))
        missing = passages.size - self.has(passages)
        topic = pool.text.topic[pool.text.marks.spans.document]
        return np.bincount(topic, missing, minlength=len(pool.topics)).astype(np.int64)

    def by_topic(self, pool: Pool, paid: bool) -> Iterator[tuple[int, BestChunks]]:
        """The chunks with highlighted text of each topic that has any."""
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
                yield topic, best_of(near, own, paid)

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


def best_of(chunks: Spans, gold: list[Spans], paid: bool) -> BestChunks:
    """The chunks of a topic and its highlighted text, by document, all on one line."""
    of_gold = np.repeat(np.arange(len(gold)), [len(each) for each in gold])
    start, end = (np.concatenate([getattr(each, name) for each in gold]) for name in ("start", "end"))
    documents, ends = np.concatenate((chunks.document, of_gold)), np.concatenate((chunks.end, end))
    begin = Line(documents, ends, len(gold)).begin
    laid = Spans(chunks.document, *(column + begin[chunks.document] for column in (chunks.start, chunks.end)))
    return BestChunks.on_line(laid, Spans(of_gold, start + begin[of_gold], end + begin[of_gold]), paid)
