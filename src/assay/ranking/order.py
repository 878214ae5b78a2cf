"""The order of results, best first, and how ties are broken. No other module decides this.

Results are sorted by topic. Within a topic the highest score is first. If a format's ranks give the order, the lowest
rank is first, and of equal ranks the highest score. Results that are equal in this are tied, and the rule for ties
orders them:

    docno      the greater document id first, compared by bytes, as in trec_eval; within a document in text order
    input      as in the file
    rank       by the rank column, and then as in the file
    expected   left open: measures average over all orders; lists of results show them as docno does

All of Assay gets the order from here: measures, reports, conversions and checks. Breaking all ties of a long run takes
longer than measuring it. So `Order` breaks ties only around the places that a caller asks about; `OrderedResults` has
all ties broken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from assay.errors import AssayError, InputError, UsageError
from assay.ranking.documents import Values
from assay.tables.ids import Bools, Floats, Ints, Keys, each_once, pair_keys
from assay.tables.places import Place, Places
from assay.tables.run import ElementRun, Run, SpanRun
from assay.tables.sorting import ascending_keys
from assay.vocabulary import DUPLICATES, OVERLAPS, TIES, Duplicates, Overlap, Ties

if TYPE_CHECKING:
    from assay.tables.intervals import Spans


# The rules from a run to its ranking: ties, overlap, depth, unjudged results.

DEEPEST = 10**9


class Limits(NamedTuple):
    """The limits that a task sets for valid runs: overlap, amount of text and order of results.

    together: the results of a document must be next to each other. single: only one result per document. topic_chars,
    document_chars: how many characters a run may return for a topic, or from a document. most_results: how many results
    a topic may have.
    """

    overlap: Overlap = "reject"
    together: bool = False
    single: bool = False
    topic_chars: int | None = None
    document_chars: int | None = None
    most_results: int | None = 1500


@dataclass(eq=False, repr=False)
class Rules:
    """The choices that turn a run into its ranking.

    ties: docno = by document id, descending bytes, as in trec_eval; input = as in the file; rank = by the rank column;
    expected = left open: measures give their mean over all orders of the tied results.
    depth: how many results of each topic count. judged_only: leave out unjudged results.
    single_precision: compare scores as 32-bit floats.
    overlap, for parts of documents: paid = text that was seen at an earlier rank is read again and gains nothing;
    new = it is skipped; drop = a result that overlaps an earlier one is left out; reject = it is an error.
    limits: those of the task, if runs must keep to them.
    duplicates: refuse = a document that a topic has twice is an error; first = its first row in the run counts;
    best = the row with the best score counts. The last two apply to spans with the same offsets, too.
    """

    ties: Ties = "docno"
    depth: int | None = None
    judged_only: bool = False
    single_precision: bool = False
    overlap: Overlap = "paid"
    limits: Limits | None = None
    duplicates: Duplicates = "refuse"

    def refuse_open_ties(self) -> None:
        """Refuse ties=expected, because rankings of parts of documents have no expected value over ties."""
        if self.ties == "expected":
            what = "expected values over ties are possible only for whole documents"
            raise UsageError(f"{what}; pass ties=docno or ties=input or ties=rank")

    def __post_init__(self) -> None:
        if self.ties not in TIES:
            raise UsageError(f"unknown value {self.ties!r} of ties; choose from {', '.join(TIES)}")
        if self.overlap not in OVERLAPS:
            raise UsageError(f"unknown value {self.overlap!r} of overlap; choose from {', '.join(OVERLAPS)}")
        check_duplicates(self.duplicates)
        if self.depth is not None and not (isinstance(self.depth, int) and 1 <= self.depth <= DEEPEST):
            raise UsageError(f"depth is {self.depth}; expected a rank from 1 to {DEEPEST:,}")
        if self.ties == "expected" and self.depth and self.judged_only:
            raise UsageError("ties=expected does not work with judged_only= and depth= together; leave out one of them")


def check_duplicates(duplicates: str) -> None:
    """Refuse a value of `duplicates` that does not exist."""
    if duplicates not in DUPLICATES:
        expected = ", ".join(DUPLICATES)
        raise UsageError(f"unknown value {duplicates!r} of duplicates; choose from {expected}")


# OrderedResults: the results of a run in order, with all ties broken.


# Modules that only parts of documents need are imported inside functions.


@dataclass(eq=False, repr=False)
class OrderedResults:
    """Some results of a run, best first, topic by topic.

    `origin` is the row of each result in the run, and `code` the number of its topic. `tied` are the results that only
    the rule for ties puts after the result above. `pairs` are hashes of topic and document. `places` are the places of
    the run's rows, if they are known without reading the file again.
    """

    run: Run
    origin: Ints
    code: Ints
    pairs: Keys
    tied: Bools
    places: Places | None = None

    @cached_property
    def start(self) -> Ints:
        """The offset where each result begins."""
        assert isinstance(self.run, SpanRun)
        return self.run.start[self.origin]

    @cached_property
    def end(self) -> Ints:
        """The offset where each result ends."""
        assert isinstance(self.run, SpanRun)
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
        # rows with the same key are next to each other
        if not np.all(new[documents.breaks()[:-1]]):
            raise AssayError("two different documents share a 64-bit key; please report this")
        return rows, number, first

    @property
    def again(self) -> Ints:
        """The results whose document has several results in the topic, grouped by document, each group in order."""
        return self._by_document[0]

    @property
    def shared(self) -> Spans:
        """The spans of the results in `again`; their documents are numbered."""
        from assay.tables.intervals import Spans

        return Spans(self._by_document[1], self.start[self.again], self.end[self.again])

    @property
    def documents(self) -> int:
        """The number of documents that have several results in a topic."""
        return len(self._by_document[2])

    @cached_property
    def first_of(self) -> Bools:
        """Whether each result is the first of its document in its topic."""
        first = np.ones(len(self.code), bool)
        first[self.again] = False
        first[self._by_document[2]] = True
        return first

    def of_topics(self, wanted: Bools) -> OrderedResults:
        """Return the results of some topics, with the topics numbered anew."""
        if wanted.all():
            return self
        kept = wanted[self.code]
        code = (np.cumsum(wanted) - 1)[self.code[kept]]
        return OrderedResults(self.run, self.origin[kept], code, self.pairs[kept], self.tied[kept])

    def tied_topics(self, relevant: Bools) -> Ints:
        """Return the topics in which a relevant result is tied with another, so that the order could matter."""
        return each_once(self.code[(self.tied | np.append(self.tied[1:], False)[: len(self.tied)]) & relevant])

    def disputed_topics(self) -> int:
        """Return the number of topics in which the scores disagree with the ranks, if the ranks give the order."""
        score = self.run.score[self.origin] if self.run.by_rank else np.zeros(len(self.code))
        rising = (self.code[1:] == self.code[:-1]) & (score[1:] > score[:-1])
        return len(each_once(self.code[1:][rising]))

    def misranked_topics(self, ties: str) -> tuple[int, int]:
        """Return in how many topics ranks disagree with scores, if scores give the order; and whether any agree."""
        return count_misranked(self.run, ties, self.origin, self.code, self.tied[1:])

    def fault(self, what: str, result: int, other: int | None = None) -> InputError:
        """Return the error about a result, with its place.

        `{other}` in the text becomes the place of another result, `{topic}` and `{document}` the ids of this one.
        """
        rows = self.origin[[result, result if other is None else other]]
        (topic, _), (document, _) = self.run.topic[rows].texts(), self.run.document[rows].texts()
        what = what.replace("{topic}", topic).replace("{document}", document)
        place, before = self._places(topic, document, rows.tolist())
        return place.fault(what.replace(" {other}", f" ({before.words})" if before.number is not None else ""))

    def _places(self, topic: str, document: str, rows: list[int]) -> list[Place]:
        """Return the places of some rows of the run, all with the same topic and document."""
        if self.places is not None:
            return [self.places[row] for row in rows]
        places = self.run.places(topic, document) if self.run.places else []
        alike = (row for row in self._alike(topic, rows[0]) if row <= max(rows))
        of_row = dict(zip(alike, places, strict=False))
        return [of_row.get(row, Place(self.run.name)) for row in rows]

    def _alike(self, topic: str, row: int) -> list[int]:
        """Return the rows of the run that have a topic and the same document as `row`."""
        names, starts = self.run.topic.streaks()
        of_topic = np.repeat([name == topic for name in names], np.diff(starts))
        rows = np.flatnonzero(of_topic)
        return rows[self.run.document[rows].same(self.run.document[np.full(len(rows), row)])].tolist()


def count_misranked(run: Run, ties: str, origin: Ints | slice, code: Ints, equal: Bools) -> tuple[int, int]:
    """Return in how many topics a lower score has a better rank, and whether any lower score has a worse rank (0 or 1).

    Returns 0, 0 if the ranks give the order or break the ties, because then they do not disagree with it.
    """
    if run.rank is None or run.by_rank or ties == "rank" or not len(code):
        return 0, 0
    rank = run.rank[origin]
    first = np.append(0, np.flatnonzero(~equal) + 1)
    worst, best, topic = np.maximum.reduceat(rank, first), np.minimum.reduceat(rank, first), code[first]
    same = topic[1:] == topic[:-1]
    agree = bool(np.any(same & (best[:-1] < worst[1:])))
    return len(each_once(topic[1:][same & (worst[:-1] > best[1:])])), int(agree)


# The rules for ties that order results by document id.
BY_DOCUMENT = ("docno", "expected")


@dataclass(eq=False, repr=False)
class Order:
    """The results of a run by topic and score; ties are broken only when a caller asks for it.

    `origin` is the row of the run at each place, or None if the rows are in this order already. `code` is the number of
    the topic at each place. `equal` says for each place but the first whether it is tied with the place above: same
    topic, and same score or, if ranks give the order, same rank and score.
    """

    run: Run
    ties: str
    origin: Ints | None
    code: Ints
    equal: Bools

    def rows(self, places: Ints) -> Ints:
        """Return the rows of the run at some places."""
        return places if self.origin is None else self.origin[places]

    @cached_property
    def has_ties(self) -> bool:
        """Whether any results are tied."""
        return bool(self.equal.any())

    def tie_around(self, places: Ints) -> tuple[Ints, Ints]:
        """Return the first and the last place of the tie around each place; both are the place itself if it has no tie.
        """
        if not self.has_ties:
            return places, places
        bounds = np.concatenate(([0], np.flatnonzero(~self.equal) + 1, [len(self.code)]))
        behind = np.searchsorted(bounds, places, side="right")
        return bounds[behind - 1], bounds[behind] - 1

    def break_ties(self, places: Ints, first: Ints, last: Ints) -> Ints:
        """Return the new places of the results at some places after their ties are broken.

        `first` and `last` are the ends of the tie around each place, as `tie_around` returns them.
        """
        in_tie = first < last
        if self.ties not in BY_DOCUMENT or not in_tie.any():
            return places
        begin, end = (ends[np.append(True, ends[1:] != ends[:-1])] for ends in (first[in_tie], last[in_tie]))
        sizes = end - begin + 1
        tie = np.repeat(np.arange(len(begin)), sizes)
        tied = np.arange(len(tie)) + np.repeat(begin - np.cumsum(sizes) + sizes, sizes)
        moved = np.empty(len(tied), np.int64)
        moved[self._by_document(tied, tie)] = tied
        settled = places.copy()
        settled[in_tie] = moved[np.searchsorted(tied, places[in_tie])]
        return settled

    def results(self, pairs: Keys) -> OrderedResults:
        """Return all results with all ties broken; `pairs` are hashes of the topic and document of each row."""
        origin = np.arange(len(self.code)) if self.origin is None else self.origin.copy()
        equal = self.equal
        if self.ties == "rank":
            rank = ranks(self.run)[origin]
            equal = equal & (rank[1:] == rank[:-1])
        tied = np.append(False, equal)[: len(origin)]
        if self.ties in BY_DOCUMENT and equal.any():
            places = np.flatnonzero(tied | np.append(equal, False))
            origin[places] = origin[places][self._by_document(places, np.cumsum(~tied[places]))]
        return OrderedResults(self.run, origin, self.code, pairs[origin], tied)

    def misranked_topics(self) -> tuple[int, int]:
        """Return in how many topics ranks disagree with scores, if scores give the order; and whether any agree."""
        return count_misranked(
            self.run, self.ties, slice(None) if self.origin is None else self.origin, self.code, self.equal
        )

    def _by_document(self, places: Ints, tie: Ints) -> Ints:
        """Return the order of the results at some places by the number of their tie, then by the rule docno."""
        rows = self.rows(places)
        return self.run.document[rows].descending(tie, *within_document(self.run, rows))


def in_single_precision(score: Floats) -> Any:
    """Return scores as 32-bit floats, as C programs hold them; scores that are too large become infinite."""
    with np.errstate(over="ignore"):
        return score.astype(np.float32)


def order_of(run: Run, code: Ints, ties: str, single_precision: bool = False) -> Order:
    """Return the order of a run. `code` is the number of each row's topic."""
    score = in_single_precision(run.score).astype(np.float64) if single_precision else run.score
    keys: list[Values] = [run.rank, -score] if run.by_rank and run.rank is not None else [-score]
    breaking = [ranks(run)] if ties == "rank" else []
    falling, equal = steps(code, *keys, breaking=breaking)
    if not falling.any():
        return Order(run, ties, None, code, equal)
    if len(keys) == 1 and not breaking and not np.any(code[1:] < code[:-1]):
        origin = ascending_in_topics(keys[0], code)
        code = code[origin]
        _, equal = steps(code, keys[0][origin])
        if equal.any():
            # equal scores must keep the order of the run, which takes a slower, stable sort
            origin = ascending_in_topics(keys[0], code, "stable")
    else:
        origin = np.lexsort((*breaking, *reversed(keys), code))
        code = code[origin]
        _, equal = steps(code, *(key[origin] for key in keys))
    return Order(run, ties, origin, code, equal)


def places_in_ties(texts: list[str], falling: Values, asked: list[str], first: Ints, last: Ints, ties: str) -> Ints:
    """Return the places of some documents of a single topic after ties are broken.

    `texts` are all documents of the topic. `falling` are their negated scores: the lower, the better. `asked` are the
    documents to place, and `first` and `last` are the ends of the tie around each of them.
    """
    by_document = ties in BY_DOCUMENT
    rows = falling.argsort(kind="quicksort" if by_document else "stable").tolist()
    places, broken = [], dict[int, dict[str, int]]()
    for document, begin, end in zip(asked, first.tolist(), last.tolist(), strict=True):
        if begin < end and begin not in broken:
            tied = [texts[row] for row in rows[begin : end + 1]]
            if by_document:
                # comparing texts gives the same order as comparing their UTF-8 bytes
                tied.sort(reverse=True)
            broken[begin] = dict(zip(tied, range(begin, end + 1), strict=True))
        places.append(broken[begin][document] if begin < end else begin)
    return np.array(places, np.int64)


def ascending_in_topics(key: Values, code: Ints, sort: Literal["quicksort", "stable"] = "quicksort") -> Ints:
    """Return the order of rows, which are grouped by topic already, by a key within each topic.

    A stable sort keeps the order of equal rows. Topics with the same number of rows are sorted together as rows of a
    matrix, which is much faster than sorting all rows at once.
    """
    starts = np.concatenate(([0], np.flatnonzero(code[1:] != code[:-1]) + 1, [len(code)]))
    rows = np.diff(starts)
    if len(rows) == 1:
        return np.argsort(key, kind=sort)
    origin = np.empty(len(code), np.int64)
    for length in each_once(rows):
        first = starts[:-1][rows == length][:, None]
        places = first + np.arange(length)
        origin[places] = np.argsort(key[places], axis=1, kind=sort) + first
    return origin


def in_order(run: Run, code: Ints, pairs: Keys, ties: str) -> OrderedResults:
    """Return all results of a run, best first.

    `code` is the number of each row's topic, and `pairs` a hash of its topic and document.
    """
    return order_of(run, code, ties).results(pairs)


def order_run(run: Run) -> tuple[list[str], OrderedResults]:
    """Return the names of a run's topics as they first appear, and all its results in the default order."""
    streaks, starts = run.topic.streaks()
    number = {name: at for at, name in enumerate(dict.fromkeys(streaks))}
    code = np.repeat([number[name] for name in streaks], np.diff(starts))
    return list(number), in_order(run, code, pair_keys(np.arange(len(number)), code, run.document), "docno")


def within_document(run: Run, rows: Ints) -> list[Ints]:
    """Return the sort keys for results of the same document: start and end, or the order of the paths."""
    if isinstance(run, SpanRun):
        return [run.start[rows], run.end[rows]]
    if not isinstance(run, ElementRun):
        return []
    place = np.empty(len(rows), np.int64)
    place[run.path[rows].ascending()] = np.arange(len(rows))
    return [place]


def steps(code: Ints, *keys: Values, breaking: Sequence[Values] = ()) -> tuple[Bools, Bools]:
    """Return for each row but the first whether it must move before the row above, and whether it is tied with it.

    The keys in `breaking` order rows that are tied.
    """
    down, equal = code[1:] < code[:-1], code[1:] == code[:-1]
    for key in keys:
        down |= equal & (key[1:] < key[:-1])
        equal &= key[1:] == key[:-1]
    for key in breaking:
        down |= equal & (key[1:] < key[:-1])
    return down, equal


def ranks(run: Run) -> Ints:
    """Return the rank column, or raise an InputError if the run has none."""
    if run.rank is None:
        raise InputError("the run has no rank column; ties=rank requires it", run.name)
    return run.rank
