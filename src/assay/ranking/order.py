"""The order of results, best first, and how ties are broken: decided here and nowhere else.

Results stand by topic. Within a topic the highest score is first; where a format's ranks give the order, the lowest
rank, and of equal ranks the highest score. Results that are equal in this are tied, and the rule for ties puts them in
order:

    docno      the greater document id first, compared by bytes, as trec_eval does; within a document as its text goes
    input      as in the file
    rank       by the rank column, and then as in the file
    expected   left open: measures average over all orders; where results are listed they stand as by docno

Whoever needs the order asks for it here: the measures, the report, conversions and checks. To break all ties of a long
run takes longer than to measure it. So `Order` breaks ties only around the places that it is asked about, and
`OrderedResults` has them all.
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


# What is decided on the way from a run to its ranking: ties, overlap, depth, unjudged results.

DEEPEST = 10**9


class Limits(NamedTuple):
    """What a valid run of a task keeps to: whether results may overlap, how much may be returned, and in which order.

    together: the results of a document are together. single: one result a document. topic_chars, document_chars: how
    many characters may be returned for a topic, of a document. most_results: how many results a topic may have.
    """

    overlap: Overlap = "reject"
    together: bool = False
    single: bool = False
    topic_chars: int | None = None
    document_chars: int | None = None
    most_results: int | None = 1500


@dataclass(eq=False, repr=False)
class Rules:
    """What is decided on the way from a run to its ranking.

    ties: docno = as trec_eval, by document id, descending bytes; input = as in the file; rank = by the rank column;
    expected = left open: measures give their mean over all orders of the tied results.
    overlap, of parts of documents: paid = text that was seen at an earlier rank is read again, and gains nothing; new =
    it is skipped; drop = a result that overlaps an earlier one is left out; reject = refused.
    limits: those of a task, where runs must keep to one.
    duplicates, of whole documents: refuse = no document may be twice in a topic; first = its first row in the run
    counts; best = the one with the best score.
    """

    ties: Ties = "docno"
    depth: int | None = None
    judged_only: bool = False
    single_precision: bool = False
    overlap: Overlap = "paid"
    limits: Limits | None = None
    duplicates: Duplicates = "refuse"

    def refuse_open_ties(self) -> None:
        """Parts of documents have no expected value over ties."""
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
    """Refuse a word that is not a policy for documents that are in a topic again."""
    if duplicates not in DUPLICATES:
        expected = ", ".join(DUPLICATES)
        raise UsageError(f"unknown value {duplicates!r} of duplicates; choose from {expected}")


# OrderedResults: the results of a run in their order, with all ties broken, and what is asked of them.


# What only parts of documents need is imported where it is used.


@dataclass(eq=False, repr=False)
class OrderedResults:
    """Some results of a run, best first, topic by topic: the row of the run that each is, and the number of its topic.

    `tied` are those that only the rule for ties puts after the one above. `pairs` are keys of topic and document.
    `places` are those of the rows of the run, if they are known without a look into the file for each.
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
        assert isinstance(self.run, SpanRun)
        return self.run.start[self.origin]

    @cached_property
    def end(self) -> Ints:
        """Where each ends."""
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
        """The number of topics in which ranks give the order and scores another one."""
        score = self.run.score[self.origin] if self.run.by_rank else np.zeros(len(self.code))
        rising = (self.code[1:] == self.code[:-1]) & (score[1:] > score[:-1])
        return len(each_once(self.code[1:][rising]))

    def misranked_topics(self, ties: str) -> int:
        """The number of topics in which scores give the order and ranks another one."""
        return count_misranked(self.run, ties, self.origin, self.code, self.tied[1:])

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


def count_misranked(run: Run, ties: str, origin: Ints | slice, code: Ints, equal: Bools) -> int:
    """The number of topics in which results of a lower score have a better rank; none if the ranks are asked for, or
    give the order themselves.
    """
    if run.rank is None or run.by_rank or ties == "rank" or not len(code):
        return 0
    rank = run.rank[origin]
    first = np.append(0, np.flatnonzero(~equal) + 1)
    worst, best, topic = np.maximum.reduceat(rank, first), np.minimum.reduceat(rank, first), code[first]
    return len(each_once(topic[1:][(topic[1:] == topic[:-1]) & (worst[:-1] > best[1:])]))


# The rules by which document ids give the order.
BY_DOCUMENT = ("docno", "expected")


@dataclass(eq=False, repr=False)
class Order:
    """The results of a run by topic and score, with ties that are broken if that is asked for.

    `origin` is the row of the run at each place, None if all rows stand so already, and `code` the number of its
    topic. `equal` says of each place but the first whether its topic and score, or rank where that gives the order,
    are those of the place above.
    """

    run: Run
    ties: str
    origin: Ints | None
    code: Ints
    equal: Bools

    def rows(self, places: Ints) -> Ints:
        """The rows of the run at some places."""
        return places if self.origin is None else self.origin[places]

    @cached_property
    def has_ties(self) -> bool:
        """Whether any results are tied."""
        return bool(self.equal.any())

    def tie_around(self, places: Ints) -> tuple[Ints, Ints]:
        """The first and the last place of the tie that each of some places is in; both its own if there is none."""
        if not self.has_ties:
            return places, places
        fences = np.concatenate(([0], np.flatnonzero(~self.equal) + 1, [len(self.code)]))
        behind = np.searchsorted(fences, places, side="right")
        return fences[behind - 1], fences[behind] - 1

    def break_ties(self, places: Ints, first: Ints, last: Ints) -> Ints:
        """Where the results at some places, with the ties that these are in, stand when ties are broken."""
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
        """All results with all ties broken; `pairs` are keys of the topic and the document of each row of the run."""
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

    def misranked_topics(self) -> int:
        """The number of topics in which scores give the order and ranks another one."""
        return count_misranked(
            self.run, self.ties, slice(None) if self.origin is None else self.origin, self.code, self.equal
        )

    def _by_document(self, places: Ints, tie: Ints) -> Ints:
        """The order of the results at some places: by the number of their tie, and within it by the rule docno."""
        rows = self.rows(places)
        return self.run.document[rows].descending(tie, *within_document(self.run, rows))


def in_single_precision(score: Floats) -> Any:
    """Scores as C holds them in a float; those that are too large are infinite there."""
    with np.errstate(over="ignore"):
        return score.astype(np.float32)


def order_of(run: Run, code: Ints, ties: str, single_precision: bool = False) -> Order:
    """The order of a run; `code` has the topic of each row, numbered. Scores may be compared in single precision."""
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
            # equal scores stay as they are in the run, which takes longer
            origin = ascending_in_topics(keys[0], code, "stable")
    else:
        origin = np.lexsort((*breaking, *reversed(keys), code))
        code = code[origin]
        _, equal = steps(code, *(key[origin] for key in keys))
    return Order(run, ties, origin, code, equal)


def places_in_ties(texts: list[str], falling: Values, asked: list[str], first: Ints, last: Ints, ties: str) -> Ints:
    """Where some documents of a single topic stand when ties are broken: by document, or as in the run.

    `texts` are all documents of the topic, and the lower a value in `falling` the better is the document. `first` and
    `last` are the ends of the tie that each of those `asked` about is in.
    """
    by_document = ties in BY_DOCUMENT
    rows = falling.argsort(kind="quicksort" if by_document else "stable").tolist()
    places, broken = [], dict[int, dict[str, int]]()
    for document, begin, end in zip(asked, first.tolist(), last.tolist(), strict=True):
        if begin < end and begin not in broken:
            tied = [texts[row] for row in rows[begin : end + 1]]
            if by_document:
                # texts compare as their bytes do
                tied.sort(reverse=True)
            broken[begin] = dict(zip(tied, range(begin, end + 1), strict=True))
        places.append(broken[begin][document] if begin < end else begin)
    return np.array(places, np.int64)


def ascending_in_topics(key: Values, code: Ints, sort: Literal["quicksort", "stable"] = "quicksort") -> Ints:
    """The rows by topic, which they stand by already, and within it by a key.

    A stable sort leaves equal ones as they stand.

    Topics of one length are sorted together, each by itself, which takes a fraction of the time that all rows take.
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
    """All results of a run, best first; `code` has the number of the topic of each row, `pairs` its key."""
    return order_of(run, code, ties).results(pairs)


def order_run(run: Run) -> tuple[list[str], OrderedResults]:
    """The names of a run's topics as they come in it, and all its results as they are measured by default."""
    streaks, starts = run.topic.streaks()
    number = {name: at for at, name in enumerate(dict.fromkeys(streaks))}
    code = np.repeat([number[name] for name in streaks], np.diff(starts))
    return list(number), in_order(run, code, pair_keys(np.arange(len(number)), code, run.document), "docno")


def within_document(run: Run, rows: Ints) -> list[Ints]:
    """What gives the order of the results of one document: where they begin and end, or their paths."""
    if isinstance(run, SpanRun):
        return [run.start[rows], run.end[rows]]
    if not isinstance(run, ElementRun):
        return []
    place = np.empty(len(rows), np.int64)
    place[run.path[rows].ascending()] = np.arange(len(rows))
    return [place]


def steps(code: Ints, *keys: Values, breaking: Sequence[Values] = ()) -> tuple[Bools, Bools]:
    """Of each row but the first: whether it should be before the one above it, and whether it is equal to that.

    The keys that break ties give the order of rows that are equal.
    """
    down, equal = code[1:] < code[:-1], code[1:] == code[:-1]
    for key in keys:
        down |= equal & (key[1:] < key[:-1])
        equal &= key[1:] == key[:-1]
    for key in breaking:
        down |= equal & (key[1:] < key[:-1])
    return down, equal


def ranks(run: Run) -> Ints:
    """The rank column."""
    if run.rank is None:
        raise InputError("the run has no rank column; ties=rank requires it", run.name)
    return run.rank
