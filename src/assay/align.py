"""Run + judgments -> Ranking. Ties, unjudged documents, duplicates and missing topics are decided here and nowhere else.

Documents are looked up by 64-bit keys of (topic, document), and the ids compared where keys agree; so nothing depends on chance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from assay.errors import AssayError, InputError, UsageError
from assay.ids import Bools, Floats, Ids, Ints, Keys, pair_keys, repeated
from assay.ranking import Ranking
from assay.tables import Highlights, Judgments, Overlap, Run, Table

# What only parts of documents need is imported where it is used: whole documents are measured in less time than that takes.
if TYPE_CHECKING:
    from assay.documents import Documents
    from assay.elements import Base
    from assay.tasks import Task
    from assay.text import Highlighted

Ties = Literal["docno", "input", "rank", "expected"]
DEEPEST = 10**9


@dataclass(frozen=True, eq=False, repr=False)
class Rules:
    """What is decided on the way from a run to its ranking.

    ties: docno = as trec_eval, by document id, descending bytes; input = as in the file; rank = by the rank column;
    expected = left open: measures give their mean over all orders of the tied results.
    overlap, of parts of documents: reject = refused; new = only text counts that was not seen at an earlier rank; drop = a result
    that overlaps an earlier one is left out.
    """

    ties: Ties = "docno"
    depth: int | None = None
    judged_only: bool = False
    single_precision: bool = False
    overlap: Overlap = "new"
    task: Task | None = None

    def __post_init__(self) -> None:
        if self.ties not in get_args(Ties):
            raise UsageError(f"unknown rule for ties {self.ties!r}; expected one of {', '.join(get_args(Ties))}")
        if self.overlap not in get_args(Overlap):
            raise UsageError(f"unknown policy for overlap {self.overlap!r}; expected one of {', '.join(get_args(Overlap))}")
        if self.depth is not None and not (isinstance(self.depth, int) and 1 <= self.depth <= DEEPEST):
            raise UsageError(f"depth {self.depth} is wrong; expected a rank from 1 to {DEEPEST:,}")
        if self.ties == "expected" and self.depth and self.judged_only:
            raise UsageError("the expected value over ties is not known for judged-only lists cut at a depth")


@dataclass(eq=False, repr=False)
class Aligned:
    """The ranking of some topics, which of the pool's topics they are, and what was noticed on the way."""

    topics: Ints
    ranking: Ranking
    unjudged: list[str]
    tied: Ints
    overlapping: int = 0
    too_long: int = 0
    beyond: int = 0
    disputed: int = 0


class Pool:
    """Judgments made ready to be looked up: topics in their natural order, the ideal ranking of each.

    The documents tell lengths where the judgments or the run do not.
    """

    def __init__(self, judgments: Judgments, documents: Documents | None = None):
        self.judgments, self.documents = judgments, documents
        starts = judgments.topic.breaks()
        streaks = judgments.topic[starts[:-1]]
        first, number = streaks.numbered()
        names = streaks[first].texts()
        order = natural_order(streaks[first], names)
        self._names = streaks[first[order]]
        self.topics = [names[at] for at in order.tolist()]
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        topic = np.repeat(place[number], np.diff(starts))
        pairs = pair_keys(np.arange(len(self.topics)), topic, judgments.document)
        refuse_duplicates(judgments, pairs, "judged")
        self._lookup = Lookup(pairs)
        self._grade = np.maximum(judgments.grade, -1)
        order = np.lexsort((-self._grade, topic))
        self._starts = np.searchsorted(topic[order], np.arange(len(self.topics) + 1))
        self._ideal_grade = self._grade[order]
        self.top_grade = max(int(judgments.grade.max()), 1)
        self._topic = topic

    @property
    def has_text(self) -> bool:
        """Whether the judgments are of highlighted text."""
        return self.judgments.highlights is not None

    @cached_property
    def text(self) -> Highlighted:
        """The highlighted text; where the judgments are of whole documents there is none."""
        from assay.spans import Marks, Spans
        from assay.text import Highlighted

        none, unknown = np.zeros(0, np.int64), np.full(len(self.judgments), -1)
        found = self.judgments.highlights or Highlights(none, none, none, unknown, unknown, unknown)
        length = found.length
        if self.documents is not None and np.any(length < 0):
            known = self.documents.lengths(self.judgments.document.texts(), missing="unknown")
            length = np.where(length < 0, known, length)
        marks = Marks(found, len(self.judgments))
        passages = Spans(found.row, found.start, found.end)
        total = np.bincount(self._topic, marks.size, minlength=len(self.topics)).astype(np.int64)
        return Highlighted(self.judgments.name, marks, passages, self._grade, length, found.entry, self._topic, total)

    def ideal(self, topics: Ints) -> Ranking:
        """The best ranking there can be of some topics: all judged documents, highest grade first."""
        rows = self._starts[topics + 1] - self._starts[topics]
        starts = np.concatenate(([0], np.cumsum(rows)))
        place = np.arange(starts[-1]) - np.repeat(starts[:-1], rows)
        grade = self._ideal_grade[np.repeat(self._starts[topics], rows) + place]
        return Ranking(starts, place + 1, grade, rows, self.top_grade)

    def places(self, names: Ids) -> Ints:
        """The place of each name among the topics; those that are not have places behind all others."""
        found = len(self.topics) + np.arange(len(names))
        row, place = self._topic_lookup.find(names.keys())
        same = names[row].same(self._names[place])
        found[row[same]] = place[same]
        return found

    @cached_property
    def _topic_lookup(self) -> Lookup:
        return Lookup(self._names.keys())

    def judged_documents(self, pairs: Keys, documents: Ids, origin: Ints) -> Ints:
        """The row of the judgment of each result's document; -1 where it has none."""
        found = np.full(len(pairs), -1)
        place, judged = self.judged(pairs, documents, origin)
        found[place] = judged
        return found

    def is_relevant(self, judged: Ints) -> Bools:
        """Whether the documents of some judgments, -1 where there is none, have anything relevant."""
        return (judged >= 0) & (self._grade[np.maximum(judged, 0)] > 0)

    @cached_property
    def base(self) -> Base:
        """The assessed elements, with their sizes where those are known only from the documents."""
        from assay.elements import Base

        found = self.judgments.elements
        if found is None:
            raise InputError("has no assessed elements, which the measures need", self.judgments.name)
        if self.documents is not None and np.any(found.size < 0):
            names = self.judgments.document.texts()
            start, end = self.documents.spans([names[row] for row in found.row.tolist()], found.path)
            found = replace(found, size=np.where(found.size < 0, end - start, found.size))
        return Base(self.judgments.name, found, self._topic, len(self.topics), self.judgments.document.texts())

    def nothing_for(self, topics: Ints) -> Ranking:
        """The ranking of topics for which nothing was retrieved."""
        none, zeros = np.zeros(0, np.int64), np.zeros(len(topics), np.int64)
        starts = np.zeros(len(topics) + 1, np.int64)
        return Ranking(starts, none, none, zeros, self.top_grade, first=none, last=none, ideal=self.ideal(topics))

    def find(self, pairs: Keys, documents: Ids, origin: Ints | None) -> tuple[Ints, Ints]:
        """Which places of a ranking are judged, and their grades; `origin` tells the row of `documents` of each place."""
        place, judged = self.judged(pairs, documents, origin)
        return place, self._grade[judged]

    def judged(self, pairs: Keys, documents: Ids, origin: Ints | None = None) -> tuple[Ints, Ints]:
        """Which of some pairs of a topic and a document are judged, and the rows of their judgments."""
        place, judged = self._lookup.find(pairs)
        same = documents[place if origin is None else origin[place]].same(self.judgments.document[judged])
        return place[same], judged[same]


class Lookup:
    """A set of keys. Most of those that are not in it are turned away by a table of marks before anything is searched.

    The keys are spread evenly, so one that is in the set is among the few whose first bits it has.
    """

    def __init__(self, pairs: Keys):
        self._order = np.argsort(pairs)
        self._pairs = np.append(pairs[self._order], np.iinfo(np.uint64).max)
        bits = len(pairs).bit_length()
        self._first_bits, self._mark_bits = (np.uint64(64 - count) for count in (bits, max(16, min(24, bits + 4))))
        alike = np.bincount(self._bits(pairs, self._first_bits), minlength=1 << bits)
        self._begin, self._most = np.cumsum(alike) - alike, int(alike.max())
        self._marks = np.zeros(1 << (64 - int(self._mark_bits)), bool)
        self._marks[self._bits(pairs, self._mark_bits)] = True

    def _bits(self, pairs: Keys, shift: np.uint64) -> Ints:
        return (pairs >> shift).view(np.int64)

    def find(self, pairs: Keys) -> tuple[Ints, Ints]:
        """The rows of the pairs that are in the set, and where in the set they are."""
        rows = np.flatnonzero(self._marks[self._bits(pairs, self._mark_bits)])
        wanted = pairs[rows]
        near = self._begin[self._bits(wanted, self._first_bits)]
        for _ in range(self._most):
            near += self._pairs[near] < wanted
        hit = (self._pairs[near] == wanted) & (near < len(self._order))
        return rows[hit], self._order[near[hit]]


def natural_order(topics: Ids, names: list[str]) -> Ints:
    """The order of topics that people expect: by number where all are numbers, else by their text."""
    if not all(name.isdecimal() for name in names):
        return topics.ascending()
    if any(name[0] == "0" or not name.isascii() for name in names):
        by_number = sorted(range(len(names)), key=lambda at: (len(names[at].lstrip("0")), names[at].lstrip("0"), names[at]))
        return np.array(by_number, np.int64)
    return topics.ascending(topics.length)


def refuse_duplicates(table: Table, pairs: Keys, verb: str) -> None:
    """No document may stand twice in a topic: whichever place were taken, the number would be a guess."""
    suspects = repeated(pairs)
    seen = set()
    for pair in zip(table.topic[suspects].texts(), table.document[suspects].texts(), strict=True):
        if pair in seen:
            raise table.twice(*pair, verb)
        seen.add(pair)
    if len(suspects) and verb == "judged":
        raise AssayError(f"{table.name}: two different documents share a 64-bit key; please report this")


def align(run: Run, pool: Pool, rules: Rules) -> Aligned:
    """The ranking of the topics of a run of whole documents that have judgments."""
    names, code, topics = topics_of(run, pool)
    pairs = pair_keys(topics, code, run.document)
    refuse_duplicates(run, pairs, "retrieved")

    score = run.score.astype(np.float32).astype(np.float64) if rules.single_precision else run.score
    origin = ranking_order(code, score, run, rules)
    if origin is not None:
        code, score, pairs = code[origin], score[origin], pairs[origin]
    place, grade = pool.find(pairs, run.document, origin)
    bounds = np.searchsorted(code, np.arange(len(names) + 1))
    first, last = tie_around(place, score, code)
    matters = tied_topics(code[place], first, last, grade, first - bounds[code[place]] < (rules.depth or len(code)), rules)
    if rules.ties == "docno":
        place = by_document(place, first, last, run.document, origin)
        order = np.argsort(place)
        place, first, last, grade = place[order], first[order], last[order], grade[order]

    known = np.flatnonzero(topics < len(pool.topics))
    begin = bounds[code[place]] - 1
    ranking = Ranking(
        starts=np.searchsorted(code[place], np.append(known, len(names))),
        rank=np.full(len(place), np.nan) if rules.ties == "expected" else place - begin,
        grade=grade,
        retrieved=np.diff(bounds)[known],
        top_grade=pool.top_grade,
        first=first - begin if rules.ties == "expected" else None,
        last=last - begin if rules.ties == "expected" else None,
        ideal=pool.ideal(topics[known]),
    ).top(rules.depth)
    unjudged = names[topics >= len(pool.topics)].texts()
    return Aligned(topics[known], condensed(ranking) if rules.judged_only else ranking, unjudged, topics[matters])


def topics_of(run: Run, pool: Pool) -> tuple[Ids, Ints, Ints]:
    """The topics of a run in order of appearance, the number of each row's, and the place of each among the pool's topics.

    Those without judgments have places behind all others.
    """
    starts = run.topic.breaks()
    streaks = run.topic[starts[:-1]]
    first, number = streaks.numbered()
    return streaks[first], np.repeat(number, np.diff(starts)), pool.places(streaks[first])


def ranking_order(code: Ints, score: Floats, run: Run, rules: Rules) -> Ints | None:
    """The rows in order of topic and descending score; None where they stand so already."""
    if rules.ties == "rank":
        if run.rank is None:
            raise InputError("has no rank column; ties cannot be broken by rank", run.name)
        return np.lexsort((run.rank, -score, code))
    step = np.diff(code)
    if np.all((step > 0) | ((step == 0) & (score[1:] <= score[:-1]))):
        return None
    return np.lexsort((-score, code))


def tie_around(place: Ints, score: Floats, code: Ints) -> tuple[Ints, Ints]:
    """The first and the last place with the same score in the same topic, for each of some places."""
    same = (score[1:] == score[:-1]) & (code[1:] == code[:-1])
    if not same.any():
        return place, place
    changes = np.flatnonzero(~same) + 1
    fences = np.concatenate(([0], changes, [len(score)]))
    after = np.searchsorted(fences, place, side="right")
    return fences[after - 1], fences[after] - 1


def tied_topics(code: Ints, first: Ints, last: Ints, grade: Ints, counts: Bools, rules: Rules) -> Ints:
    """The topics in which a tie holds a relevant document and one of another grade, so that its order could matter.

    Only ties that begin within the depth count, and of judged-only lists only what was judged.
    """
    counts = counts & (grade >= 0) if rules.judged_only else counts
    code, first, last, grade = code[counts], first[counts], last[counts], grade[counts]
    starts = np.flatnonzero(np.concatenate(([True], first[1:] != first[:-1]))) if len(first) else np.zeros(0, np.int64)
    if not len(starts):
        return starts
    highest = np.maximum.reduceat(grade, starts)
    lowest = np.minimum.reduceat(grade, starts)
    rows = np.diff(np.append(starts, len(first)))
    lacking = rows < last[starts] - first[starts] + 1
    unequal = (lacking & (not rules.judged_only)) | (np.maximum(lowest, 0) != highest)
    return np.flatnonzero(np.bincount(code[starts[(highest > 0) & unequal]]))


def by_document(place: Ints, first: Ints, last: Ints, documents: Ids, origin: Ints | None) -> Ints:
    """The places after ties were broken as trec_eval does: the greater document id first, compared by bytes."""
    in_tie = first < last
    if not in_tie.any():
        return place
    starts, ends = (one[np.append(True, one[1:] != one[:-1])] for one in (first[in_tie], last[in_tie]))
    sizes = ends - starts + 1
    tie = np.repeat(np.arange(len(starts)), sizes)
    tied = np.arange(len(tie)) + np.repeat(starts - np.cumsum(sizes) + sizes, sizes)
    order = documents[tied if origin is None else origin[tied]].descending(tie)
    moved = np.empty(len(tied), np.int64)
    moved[order] = tied
    place = place.copy()
    place[in_tie] = moved[np.searchsorted(tied, place[in_tie])]
    return place


def condensed(ranking: Ranking) -> Ranking:
    """The list without its unjudged results, ranked anew."""
    kept = ranking.keep(ranking.judged())
    place = np.arange(len(kept.rank))
    begin = kept.each(kept.starts[:-1]) - 1
    if kept.first is None:
        return replace(kept, rank=place - begin, retrieved=kept.rows)
    tie = np.unique(kept.each(np.arange(len(kept))) * (place.size + kept.first.max(initial=0)) + kept.first, return_inverse=True)[1]
    first, last = np.searchsorted(tie, tie), np.searchsorted(tie, tie, side="right") - 1
    return replace(kept, first=first - begin, last=last - begin, retrieved=kept.rows)
