"""The results of a run in their order, where they are parts of documents: which are tied, and which are of the same document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.errors import AssayError, InputError
from assay.ranking.ranking import Values
from assay.tables.ids import Bools, Ints, Keys, pair_keys
from assay.tables.intervals import Spans
from assay.tables.run import Run


@dataclass(frozen=True, eq=False, repr=False)
class OrderedResults:
    """Some results of a run, best first, topic by topic: the row of the run that each is, and the number of its topic.

    `tied` are those that only the rule for ties puts behind the one above. `pairs` are keys of topic and document. `line` tells the
    line of a row of the run, where that is known without a look into the file for each.
    """

    run: Run
    origin: Ints
    code: Ints
    pairs: Keys
    tied: Bools
    line: Callable[[int], int | None] | None = None

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
        order = np.argsort(self.pairs)
        new = np.append(True, self.pairs[order[1:]] != self.pairs[order[:-1]])[: len(order)]
        several = ~new | ~np.append(new[1:], True)[: len(order)]
        rows, begin = order[several], np.flatnonzero(new[several])
        number = np.cumsum(new[several]) - 1
        first = np.minimum.reduceat(rows, begin) if len(rows) else rows
        documents = self.run.document[self.origin[rows]]
        if not np.all(documents.same(documents[begin[number]])):
            raise AssayError("two different documents share a 64-bit key; please report this")
        return rows, number, first

    @property
    def again(self) -> Ints:
        """The results whose document another result of the topic is of too, by document."""
        return self._by_document[0]

    @property
    def shared(self) -> Spans:
        """The spans of those results; their documents are numbered."""
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
        return np.unique(self.code[(self.tied | np.append(self.tied[1:], False)[: len(self.tied)]) & relevant])

    def disputed_topics(self) -> int:
        """The number of topics in which ranks tell the order and scores another one."""
        score = self.run.score[self.origin] if self.run.by_rank else np.zeros(len(self.code))
        rising = (self.code[1:] == self.code[:-1]) & (score[1:] > score[:-1])
        return len(np.unique(self.code[1:][rising]))

    def fault(self, what: str, result: int, other: int | None = None) -> InputError:
        """The error about a result, with its line; `{other}` in the text is replaced by the place of another result."""
        rows = self.origin[[result, result if other is None else other]]
        (topic, _), (document, _) = self.run.topic[rows].texts(), self.run.document[rows].texts()
        what = what.replace("{topic}", topic).replace("{document}", document)
        line, before = self._lines(topic, document, rows.tolist())
        unit = self.run.unit
        what = what.replace(" {other}", f" ({unit} {before})" if before is not None else "")
        if line is not None and unit != "line":
            return InputError(f"{unit} {line}: {what}", self.run.name)
        return InputError(what, self.run.name, line)

    def _lines(self, topic: str, document: str, rows: list[int]) -> list[int | None]:
        """The lines of some rows of the run that have one topic and one document."""
        if self.line is not None:
            return [self.line(row) for row in rows]
        lines = self.run.places(topic, document) if self.run.places else []
        places = dict(zip(self._alike(topic, rows[0]), lines, strict=False))
        return [places.get(row) for row in rows]

    def _alike(self, topic: str, row: int) -> list[int]:
        """The rows of the run with a topic and the document of a row."""
        names, starts = self.run.topic.streaks()
        of_topic = np.repeat([name == topic for name in names], np.diff(starts))
        rows = np.flatnonzero(of_topic)
        return rows[self.run.document[rows].same(self.run.document[np.full(len(rows), row)])].tolist()


def ordered(run: Run) -> tuple[list[str], OrderedResults]:
    """The names of a run's topics as they come in it, and all its results in the order in which they are measured by default."""
    streaks, starts = run.topic.streaks()
    number = {name: at for at, name in enumerate(dict.fromkeys(streaks))}
    code = np.repeat([number[name] for name in streaks], np.diff(starts))
    return list(number), in_order(run, code, pair_keys(np.arange(len(number)), code, run.document), "docno")


def in_order(run: Run, code: Ints, pairs: Keys, ties: str) -> OrderedResults:
    """All results of a run in order of topic and rank.

    Results with one score, or one rank where that tells the order, stand as the rule for ties says: by document id as whole
    documents do, and within a document as its text does.
    """
    keys: list[Values] = [run.rank, -run.score] if run.by_rank and run.rank is not None else [-run.score]
    if ties == "rank" and not run.by_rank:
        if run.rank is None:
            raise InputError("has no rank column; ties cannot be broken by rank", run.name)
        keys.append(run.rank)
    origin = np.arange(len(code))
    down, same = steps(code, *keys)
    if down.any():
        origin = np.lexsort((*reversed(keys), code))
        _, same = steps(code[origin], *(key[origin] for key in keys))
    tied = np.append(False, same)
    if ties == "docno" and same.any():
        places = np.flatnonzero(tied | np.append(same, False))
        rows = origin[places]
        order = run.document[rows].descending(np.cumsum(~tied[places]), *within_document(run, rows))
        origin[places] = rows[order]
    return OrderedResults(run, origin, code[origin], pairs[origin], tied)


def within_document(run: Run, rows: Ints) -> list[Ints]:
    """What tells the order of the results of one document: where they begin and end, or their paths."""
    if run.start is not None and run.end is not None:
        return [run.start[rows], run.end[rows]]
    if run.path is None:
        return []
    place = np.empty(len(rows), np.int64)
    place[run.path[rows].ascending()] = np.arange(len(rows))
    return [place]


def steps(code: Ints, *keys: Values) -> tuple[Bools, Bools]:
    """Of each row but the first: whether it should stand before the one above it, and whether it is equal to that."""
    down, same = code[1:] < code[:-1], code[1:] == code[:-1]
    for key in keys:
        down |= same & (key[1:] < key[:-1])
        same &= key[1:] == key[:-1]
    return down, same
