"""TextRanking: the ranking of parts of documents, counted in characters. A row is a result, judged or not.

topic            0                          1
rank             1     2     3     4        1
size             200   120   90    500      80      characters that are read
found            50    0     0     310      80      highlighted characters among them that were not seen before
read             200   320   410   910      80
document         7     -     7     9        12      the judgment of the result's document, none where there is none
base             400                        80      all highlighted characters of the topic
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import UsageError
from assay.ranking.document_ranking import Ranking, Values
from assay.ranking.highlighted_text import HighlightedText
from assay.ranking.span_texts import SpanTexts, given_source
from assay.tables.ids import Bools, Ints
from assay.tables.intervals import Spans
from assay.tables.sorting import ascending

if TYPE_CHECKING:
    from assay.ranking.token_counts import TokenCounts

# The columns of a TextRanking that have a value for each result.
COLUMNS = ("rank", "grade", "row", "document", "start", "end", "first_of")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TextRanking(Ranking):
    """The results of some topics, parts of documents, best first.

    `row` is the row of the run that each is. `pieces` is the text of the results, by the row of its result in this
    ranking; a result of which part was seen before has several, and `fresh` tells the pieces that were not. `marked` is
    how much highlighted text each piece is the first to show. Text that was seen before is read again where it is
    `paid` for, else passed over. `tokens` are those of the results' documents, where a tokenizer was given; where the
    ranking `counts_tokens`, all that is else in characters is in tokens. `source` has the texts, where documents were
    given.
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
    paid: bool = True
    of_documents: bool = False
    counts_tokens: bool = False
    tokens: TokenCounts | None = None
    source: SpanTexts | None = None
    judgments: HighlightedText

    # Columns

    @cached_property
    def size(self) -> Ints:
        """How much text of each row is read."""
        return self._of_pieces(self._cost)

    @cached_property
    def _cost(self) -> Ints:
        """How much text of each piece is read."""
        return self.pieces.size if self.paid else self.pieces.size * self.fresh

    @cached_property
    def _read_before(self) -> Ints:
        """How much was read of the topic before each piece."""
        return replace(self, starts=self.piece_starts).above(self._cost)

    @cached_property
    def found(self) -> Ints:
        """How much of that is highlighted and was not seen before."""
        return self._of_pieces(self.marked)

    @cached_property
    def _is_whole(self) -> bool:
        """Whether each row has one piece."""
        return len(self.pieces) == len(self.rank) and np.array_equal(self.pieces.document, np.arange(len(self.rank)))

    def _of_pieces(self, x: Ints) -> Ints:
        if self._is_whole:
            return x
        return np.bincount(self.pieces.document, x, minlength=len(self.rank)).astype(np.int64)

    @cached_property
    def read(self) -> Ints:
        """How much was read down to each row, the row itself included."""
        return self.running(self.size)

    @cached_property
    def returned(self) -> Ints:
        """How much text each row has, whether it is read or passed over."""
        return self._of_pieces(self.pieces.size)

    @cached_property
    def repeated(self) -> Ints:
        """How much of that was seen before."""
        return self._of_pieces(self.pieces.size * ~self.fresh)

    @cached_property
    def first_shown(self) -> tuple[Ints, Ints, Ints]:
        """The highlighted stretches in the order in which they are seen first: the number of the piece, start and end.
        """
        return self.judgments.first_shown(self.pieces, self.fresh, self.document)

    @cached_property
    def newly_found(self) -> tuple[Ints, Ints, Ints]:
        """The same stretches: the topic of each, how much was read before it, and its size."""
        piece, start, end = self.first_shown
        topic = np.repeat(np.arange(len(self)), np.diff(self.piece_starts))
        return topic[piece], self._read_before[piece] + start - self.pieces.start[piece], end - start

    # Parts

    def top(self, k: Ints | int | None) -> TextRanking:
        """The first k results; measures that are cut at one rank share them."""
        first: Callable[[Ints | int], Any] = super()._top
        return self if k is None else self.once(("top", k), lambda: first(k)) if isinstance(k, int) else first(k)

    def keep(self, kept: Bools) -> TextRanking:
        """The ranking with only some of its rows."""
        return self.at(np.flatnonzero(kept), np.append(0, np.cumsum(kept))[self.starts])

    def at(self, rows: Ints, starts: Ints) -> TextRanking:
        """The ranking of some rows, in another order."""
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
            **{name: getattr(self, name)[rows] for name in COLUMNS},
        )

    def within(self, chars: int | None, tokens: int | None = None) -> TextRanking:
        """What a reader of so many characters, or tokens, has read: the last result is cut."""
        if self.counts_tokens:
            chars, tokens = tokens, None
        part = self if chars is None else self._until(chars, self._cost, lambda part, piece, left: left)
        return part if tokens is None else part._until(tokens, part._token_cost, TextRanking._size_of_tokens)

    def _until(self, budget: int, cost: Ints, size_of: Callable[[TextRanking, Ints, Ints], Ints]) -> TextRanking:
        """What is read for a budget, where each piece has a cost.

        `size_of` tells how many characters of some pieces, in which the budget ends, are read for what is left of it.
        """
        begun = self.above(self._of_pieces(cost)) < budget
        part, cost = self.keep(begun), cost[begun[self.pieces.document]]
        left = np.maximum(budget - replace(part, starts=part.piece_starts).above(cost), 0)
        # what costs nothing is passed over, or read, as long as anything is left
        read = np.where(left > 0, part.pieces.size, 0)
        last = np.flatnonzero((cost > 0) & (cost >= left) & (left > 0))
        read[last] = size_of(part, last, left[last])
        pieces = replace(part.pieces, end=part.pieces.start + read)
        return replace(part, pieces=pieces, marked=self.judgments.newly_highlighted(pieces, part.fresh, part.document))

    def texts(self) -> list[str]:
        """The text of each row, as it was returned."""
        return given_source(self.source).of(self.row, self.start, self.end)

    # Tokens

    @property
    def _token_counts(self) -> TokenCounts:
        if self.tokens is None:
            raise UsageError("to count tokens, give tokenizer=, and give documents=")
        return self.tokens

    @property
    def _token_cost(self) -> Ints:
        """How many tokens of each piece are read."""
        row = self.row[self.pieces.document]
        count = self._token_counts.upto(row, self.pieces.end) - self._token_counts.upto(row, self.pieces.start)
        return count if self.paid else count * self.fresh

    def _size_of_tokens(self, piece: Ints, count: Ints) -> Ints:
        """The characters from the beginning of some pieces to the end of so many tokens."""
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
        """Whether there is highlighted text in each row."""
        return self.gain(rel) > 0

    def judged(self) -> Bools:
        """Whether each row's document was judged: a negative grade says that others judged it."""
        return (self.document >= 0) & (self.judgments.grade[np.maximum(self.document, 0)] >= 0)

    def gain(self, rel: float) -> Values:
        """What each row gives: highlighted characters."""
        if rel != 1:
            raise UsageError(f"rel={rel} means nothing here: text is highlighted or not, and has no grades")
        return self.found

    def recall_base(self, rel: float) -> Ints:
        """All highlighted characters of each topic, retrieved or not."""
        return self.base

    def extent(self, k: int | None) -> Ints:
        """How much text was retrieved: that of the first k results where the ranking was cut there."""
        return self.total(self.size)

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
            retrieved=self.total(self.first_of),
            top_grade=self.top_grade,
            ideal=self.ideal,
            judgment=self.document[kept],
        )

    @cached_property
    def by_document(self) -> TextRanking:
        """The results of each document that `documents` has a row of, as if it were a topic of its own."""
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
        )

    # What a document score asks of each topic that is a document

    @property
    def entered(self) -> Ints:
        """Where the first result begins."""
        return self.start[self.starts[:-1]]

    @property
    def entry(self) -> Ints:
        """The best entry point."""
        return self.judgments.known(self.judgments.entry, "the best entry point of a document", self.first_document)

    @property
    def length(self) -> Ints:
        """The length of the document."""
        what, advice = "the length of a document", "; give documents="
        return self.judgments.known(self.judgments.length, what, self.first_document, advice)

    @property
    def first_document(self) -> Ints:
        """The judgment of the document of each topic that is a document."""
        return self.document[self.starts[:-1]]

    @cached_property
    def piece_starts(self) -> Ints:
        """Where the pieces of each topic begin, and their number at the end."""
        return np.searchsorted(self.pieces.document, self.starts)
