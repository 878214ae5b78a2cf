"""OrderedResults: the results of a run in their order, with all ties broken, and what is asked of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import AssayError, InputError
from assay.tables.ids import Bools, Ints, Keys, each_once
from assay.tables.places import Place, Places
from assay.tables.run import Run
from assay.tables.sorting import ascending_keys

# What only parts of documents need is imported where it is used.
if TYPE_CHECKING:
    from assay.tables.intervals import Spans


@dataclass(eq=False, repr=False)
class OrderedResults:
    """Some results of a run, best first, topic by topic: the row of the run that each is, and the number of its topic.

    `tied` are those that only the rule for ties puts behind the one above. `pairs` are keys of topic and document.
    `places` are those of the rows of the run, where they are known without a look into the file for each.
    """

    run: Run
    origin: Ints
    code: Ints
    pairs: Keys
    tied: Bools
    places: Places | None = None

    @cached_property
    def start(self) -> Ints:
        """Where each begins."""
        assert self.run.start is not None
        return self.run.start[self.origin]

    @cached_property
    def end(self) -> Ints:
        """Where each ends."""
        assert self.run.end is not None
        return self.run.end[self.origin]

    @cached_property
    def _by_document(self) -> tuple[Ints, Ints, Ints]:
        order = ascending_keys(self.pairs)
        pairs = self.pairs[order]
        new = np.append(True, pairs[1:] != pairs[:-1])[: len(order)]
        several = np.flatnonzero(~new | ~np.append(new[1:], True)[: len(order)])
        rows, new = order[several], new[several]
        begin, number = np.flatnonzero(new), np.cumsum(new) - 1
        first = rows[begin]
        documents = self.run.document[self.origin[rows]]
        # those of one key are neighbours
        if not np.all(new[documents.breaks()[:-1]]):
            raise AssayError("two different documents share a 64-bit key; please report this")
        return rows, number, first

    @property
    def again(self) -> Ints:
        """The results whose document another result of the topic is of too, by document, each document's in order."""
        return self._by_document[0]

    @property
    def shared(self) -> Spans:
        """The spans of those results; their documents are numbered."""
        from assay.tables.intervals import Spans

        return Spans(self._by_document[1], self.start[self.again], self.end[self.again])

    @property
    def documents(self) -> int:
        """How many documents those are."""
        return len(self._by_document[2])

    @cached_property
    def first_of(self) -> Bools:
        """Whether each result is the first of its document in its topic."""
        first = np.ones(len(self.code), bool)
        first[self.again] = False
        first[self._by_document[2]] = True
        return first

    def of_topics(self, wanted: Bools) -> OrderedResults:
        """The results of some topics, which are numbered anew."""
        if wanted.all():
            return self
        kept = wanted[self.code]
        code = (np.cumsum(wanted) - 1)[self.code[kept]]
        return OrderedResults(self.run, self.origin[kept], code, self.pairs[kept], self.tied[kept])

    def tied_topics(self, relevant: Bools) -> Ints:
        """The topics in which a relevant result is tied with another, so that their order could matter."""
        return each_once(self.code[(self.tied | np.append(self.tied[1:], False)[: len(self.tied)]) & relevant])

    def disputed_topics(self) -> int:
        """The number of topics in which ranks tell the order and scores another one."""
        score = self.run.score[self.origin] if self.run.by_rank else np.zeros(len(self.code))
        rising = (self.code[1:] == self.code[:-1]) & (score[1:] > score[:-1])
        return len(each_once(self.code[1:][rising]))

    def misranked_topics(self, ties: str) -> int:
        """The number of topics in which scores tell the order and ranks another one."""
        return misranked(self.run, ties, self.origin, self.code, self.tied[1:])

    def fault(self, what: str, result: int, other: int | None = None) -> InputError:
        """The error about a result, with its place; `{other}` in the text becomes the place of another result."""
        rows = self.origin[[result, result if other is None else other]]
        (topic, _), (document, _) = self.run.topic[rows].texts(), self.run.document[rows].texts()
        what = what.replace("{topic}", topic).replace("{document}", document)
        place, before = self._places(topic, document, rows.tolist())
        return place.fault(what.replace(" {other}", f" ({before.words})" if before.number is not None else ""))

    def _places(self, topic: str, document: str, rows: list[int]) -> list[Place]:
        """The places of some rows of the run that have one topic and one document."""
        if self.places is not None:
            return [self.places[row] for row in rows]
        places = self.run.places(topic, document) if self.run.places else []
        of_row = dict(zip(self._alike(topic, rows[0]), places, strict=False))
        return [of_row.get(row, Place(self.run.name)) for row in rows]

    def _alike(self, topic: str, row: int) -> list[int]:
        """The rows of the run with a topic and the document of a row."""
        names, starts = self.run.topic.streaks()
        of_topic = np.repeat([name == topic for name in names], np.diff(starts))
        rows = np.flatnonzero(of_topic)
        return rows[self.run.document[rows].same(self.run.document[np.full(len(rows), row)])].tolist()


def misranked(run: Run, ties: str, origin: Ints | slice, code: Ints, equal: Bools) -> int:
    """The number of topics in which results of a lower score have a better rank; none where the ranks are asked for, or
    tell the order themselves.
    """
    if run.rank is None or run.by_rank or ties == "rank" or not len(code):
        return 0
    rank = run.rank[origin]
    first = np.append(0, np.flatnonzero(~equal) + 1)
    worst, best, topic = np.maximum.reduceat(rank, first), np.minimum.reduceat(rank, first), code[first]
    return len(each_once(topic[1:][(topic[1:] == topic[:-1]) & (worst[:-1] > best[1:])]))
