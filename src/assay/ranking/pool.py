"""Pool: judgments prepared for lookup.

Documents are looked up by 64-bit hashes of (topic, document). Where hashes match, the ids are compared, so that results
never depend on chance.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import AssayError, InputError
from assay.ranking.documents import Ranking
from assay.tables import judgments as tables
from assay.tables.ids import Bools, Grades, Ids, Ints, Keys, each_once, pair_keys, repeated_rows, scramble
from assay.tables.run import Table
from assay.tables.sorting import ascending

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection
    from assay.documents.tokens import TokenEnds
    from assay.documents.whitespace import WithoutWhitespace
    from assay.ranking.element_trees import Base
    from assay.ranking.judged_subtopics import JudgedStrata, JudgedSubtopics
    from assay.ranking.order import OrderedResults
    from assay.ranking.text import HighlightedText



def highest_first(topic: Ints, grade: Grades) -> Ints:
    """Return the order of judgments by topic, then by grade, highest first; equal ones keep their order."""
    if grade.dtype == np.int64:
        return ascending(topic, grade.max() - grade)
    return np.lexsort((-grade, topic))


def natural_order(topics: Ids, names: list[str]) -> Ints:
    """Return the order of topics that people expect: by number if all names are numbers, otherwise by text."""
    if not all(name.isdecimal() for name in names):
        return topics.ascending()
    if any(name[0] == "0" or not name.isascii() for name in names):
        digits = [name.lstrip("0") for name in names]
        by_number = sorted(range(len(names)), key=lambda at: (len(digits[at]), digits[at], names[at]))
        return np.array(by_number, np.int64)
    return topics.ascending(topics.length)


# Lookup of many keys in a set.

# The number of marks per key.
MARKS = 16
HALF = np.uint64(32)
# The only group, if there are no groups.
ONE_GROUP = np.zeros(1, np.int64)


class KeySet:
    """A hash set of keys in groups, for example of documents in topics; the key already depends on the group.

    The entries of a group are next to each other in memory, so that looking up the keys of one group is fast. A group
    has as many slots as keys, and a key is at one of a few places of its slot. Keys must be spread evenly over 64 bits.
    A table of marks, MARKS for each slot, rejects most keys that are not in the set. `repeats` is true if a key occurs
    twice.
    """

    def __init__(self, keys: Keys, group: Ints | None = None, groups: int = 1):
        rows = np.array([len(keys)]) if group is None else np.bincount(group, minlength=groups)
        # the last group has no keys
        self._marks_of = np.append(rows * MARKS, 0).astype(np.uint64)
        self._first_mark: Keys = np.append(np.uint64(0), np.cumsum(self._marks_of[:-1], dtype=np.uint64))
        mark = self._mark(keys, ONE_GROUP if group is None else np.arange(groups), group)
        slot = mark // MARKS
        self._order = ascending(slot)
        alike = np.bincount(slot, minlength=len(keys) + 1)
        self._begin, self._most = np.cumsum(alike) - alike, int(alike.max())
        in_order = keys[self._order]
        self.repeats = any(bool(np.any(in_order[step:] == in_order[:-step])) for step in range(1, self._most))
        self._keys = np.append(in_order, np.full(self._most, np.iinfo(np.uint64).max))
        self._marks = np.zeros(len(keys) * MARKS + 1, bool)
        self._marks[mark] = True

    def _mark(self, keys: Keys, groups: Ints, code: Ints | None) -> Ints:
        """Return the mark of each key; `code` says which of `groups` it is in, or is None if there is only one."""
        of_groups = self._marks_of.take(groups, mode="clip"), self._first_mark.take(groups, mode="clip")
        marks, first = of_groups if code is None else (column.take(code) for column in of_groups)
        mark = keys >> HALF
        mark *= marks
        mark >>= HALF
        mark += first
        return mark.view(np.int64)

    def find(self, keys: Keys, groups: Ints = ONE_GROUP, code: Ints | None = None) -> tuple[Ints, Ints]:
        """Return the rows of the keys that are in the set, and their places in the set.

        `code` says which of `groups` each key is in. Numbers above those of the set's groups stand for groups without
        keys.
        """
        mark = self._mark(keys, groups, code)
        rows = np.flatnonzero(self._marks.take(mark))
        wanted = keys.take(rows)
        near = self._begin.take(mark.take(rows) // MARKS)
        for _ in range(self._most - 1):
            near += self._keys.take(near) != wanted
        hit = (self._keys.take(near) == wanted) & (near < len(self._order))
        return rows[hit], self._order[near[hit]]


# Documents that a topic has twice are an error.

# The hint for a document that a run has twice, if the user may choose.
CHOOSE_ONE = "; pass duplicates=first or duplicates=best to keep one"


def refuse_repeated_documents(table: Table, verb: str, hint: str = "") -> None:
    """Refuse a table of whole documents in which a topic has a document twice."""
    topics, number = numbered_topics(table)
    refuse_duplicates(table, pair_keys(topics, number, table.document), verb, hint)


def numbered_topics(table: Table) -> tuple[Ints, Ints]:
    """Return the numbers of a table's topics as they first appear, and the number of each row's topic."""
    starts = table.topic.breaks()
    first, number = table.topic[starts[:-1]].number()
    return np.arange(len(first)), np.repeat(number, np.diff(starts))


def refuse_duplicates(table: Table, pairs: Keys, verb: str, hint: str = "") -> None:
    """Refuse a table in which a topic has a document twice: whichever row counted, the score would be a guess."""
    suspects = repeated_rows(pairs)
    if not len(suspects):
        return
    seen = set()
    for pair in zip(table.topic[suspects].texts(), table.document[suspects].texts(), strict=True):
        if pair in seen:
            raise table.twice(*pair, verb, hint)
        seen.add(pair)
    if verb == "judged":
        raise AssayError(f"{table.name}: two different documents share a 64-bit key; please report this")


# Modules that only parts of documents need are imported inside functions, because importing them takes longer than
# measuring whole documents.


class Pool:
    """Judgments prepared for lookup: topics in their natural order, and the ideal ranking of each.

    If `is_for_many_runs`, a dict of one topic is looked up by name, which takes longer to prepare.
    `documents` give lengths that neither the judgments nor the run have; `tokens` are their tokens, if there is a
    tokenizer. `top_grade` is the highest grade of all judgments, of which these may be a part. `has_whitespace`:
    whether offsets count whitespace.
    """

    def __init__(
        self,
        judgments: tables.Judgments,
        documents: DocumentCollection | None = None,
        tokens: TokenEnds | None = None,
        top_grade: float | None = None,
        has_whitespace: bool = True,
    ):
        self.judgments, self.documents, self.tokens, self.has_whitespace = judgments, documents, tokens, has_whitespace
        self.is_for_many_runs = False
        streaks, starts = judgments.topic.streak_ids()
        first, number = streaks.number()
        names = streaks[first].texts()
        order = natural_order(streaks[first], names)
        self._names = streaks[first[order]]
        self.topics = [names[at] for at in order.tolist()]
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        topic = np.repeat(place[number], np.diff(starts))
        pairs = pair_keys(np.arange(len(self.topics)), topic, judgments.document)
        self._lookup = KeySet(pairs, topic, len(self.topics))
        if self._lookup.repeats:
            refuse_duplicates(judgments, pairs, "judged")
        self._grade = np.maximum(judgments.grade, -1)
        self._order = highest_first(topic, self._grade)
        self._starts = np.searchsorted(topic[self._order], np.arange(len(self.topics) + 1))
        self._ideal_grade = self._grade[self._order]
        highest = judgments.grade.max().item() if top_grade is None else top_grade
        # if nothing is relevant, gains are 0 on any scale
        self.top_grade = highest if highest > 0 else 1
        self._topic = topic
        if isinstance(judgments, tables.SubtopicJudgments):
            from assay.ranking.judged_subtopics import refuse_faulty_subtopics

            refuse_faulty_subtopics(judgments)

    @cached_property
    def text(self) -> HighlightedText:
        """The highlighted text; empty if the judgments are of whole documents."""
        from assay.ranking.text import HighlightedText, SpanTexts
        from assay.tables.intervals import Marks, Spans

        if isinstance(self.judgments, tables.HighlightJudgments):
            highlights, copies = self.judgments.highlights, self.judgments.copies
        else:
            none, unknown = np.zeros(0, np.int64), np.full(len(self.judgments), -1)
            highlights, copies = tables.Highlights(none, none, none, unknown, unknown, unknown), None
        length = highlights.length
        if self.documents is not None and np.any(length < 0):
            from assay.documents.names import AmbiguousDocument

            try:
                known = self.documents.lengths(self.judgments.document.texts(), missing="unknown")
            except AmbiguousDocument as error:
                raise error.in_table(self.judgments, error.document) from None
            length = np.where(length < 0, known, length)
        marks = Marks(highlights, len(self.judgments))
        passages = Spans(highlights.row, highlights.start, highlights.end)
        total = np.bincount(self._topic, marks.size, minlength=len(self.topics)).astype(np.int64)
        of_documents = self._grade, length, highlights.entry, self._topic
        source = None if self.documents is None else SpanTexts(self.documents, self.judgments.document)
        subtopics = self.subtopics if isinstance(self.judgments, tables.SubtopicJudgments) else None
        text = HighlightedText(
            self.judgments.name, marks, passages, *of_documents, total, source=source, subtopics=subtopics,
            told_facts=getattr(self.judgments, "facts", None), copies=copies,
        )  # fmt: skip
        if self._whitespace is not None:
            text = replace(text, solid=self._solid)
        if copies is not None:
            from assay.ranking.text import CopiedText

            copied = CopiedText(marks, passages, copies, self._topic)
            text = replace(text, copied=copied, total=copied.totals(len(self.topics)))
        return text if self.tokens is None else replace(text, in_tokens=lambda: self._text_in_tokens)

    @cached_property
    def _whitespace(self) -> WithoutWhitespace | None:
        """What removes whitespace from offsets.

        None if there are no documents, or if the offsets do not count whitespace.
        """
        if self.documents is None or not self.has_whitespace:
            return None
        from assay.documents.whitespace import WithoutWhitespace

        return WithoutWhitespace(self.documents)

    @cached_property
    def _is_there(self) -> Bools:
        """Which judged documents are in the documents that were given."""
        assert self.documents is not None
        return self.documents.lengths(self.judgments.document.texts(), missing="unknown") >= 0

    def _solid(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Return offsets in judged documents without whitespace; offsets in documents that are not given stay."""
        assert self._whitespace is not None
        there = np.flatnonzero(self._is_there[document])
        start, end = start.copy(), end.copy()
        names = self.judgments.document[document[there]]
        start[there], end[there] = self._whitespace.offsets(names, start[there], end[there])
        return start, end

    @cached_property
    def _text_in_tokens(self) -> HighlightedText:
        """The highlighted text, counted in tokens: an offset is the number of tokens that end there or before."""
        from assay.ranking.text import TokenCounts, as_they_are
        from assay.tables.intervals import Marks, Spans

        assert self.tokens is not None
        text, passages = self.text, self.text.passages
        # read only the documents with highlighted text
        marked = each_once(passages.document)
        upto = TokenCounts(self.tokens, self.judgments.document, marked).upto
        length, entry = np.full((2, len(self.judgments)), -1)
        for told, counted in ((text.length, length), (text.entry, entry)):
            known = marked[told[marked] >= 0]
            counted[known] = upto(known, told[known])
        passages = Spans(passages.document, *(upto(passages.document, at) for at in (passages.start, passages.end)))
        columns = passages.document, passages.start, passages.end, length, entry, np.full(len(length), -1)
        marks = Marks(tables.Highlights(*columns), len(length))
        total = np.bincount(self._topic, marks.size, minlength=len(self.topics)).astype(np.int64)
        return replace(
            text, marks=marks, passages=passages, length=length, entry=entry, total=total, solid=as_they_are
        )

    @property
    def has_more(self) -> bool:
        """Whether the judgments of whole documents have more than grades: subtopics or strata."""
        return isinstance(self.judgments, tables.SubtopicJudgments | tables.SampleJudgments)

    @cached_property
    def strata(self) -> JudgedStrata:
        """The strata of a sample."""
        from assay.ranking.judged_subtopics import JudgedStrata

        assert isinstance(self.judgments, tables.SampleJudgments)
        return JudgedStrata(self.judgments.strata, self._grade, self._topic, len(self.topics))

    @cached_property
    def subtopics(self) -> JudgedSubtopics:
        """What was judged for subtopics: passages if text is highlighted, otherwise whole documents."""
        from assay.ranking.judged_subtopics import JudgedSubtopics

        assert isinstance(self.judgments, tables.SubtopicJudgments)
        told, document = self.judgments.subtopics, self.judgments.document
        if not isinstance(self.judgments, tables.HighlightJudgments):
            return JudgedSubtopics(told, told.row, self._topic, len(self.topics), document)
        row = self.judgments.highlights.row
        return JudgedSubtopics(told, told.span, self._topic[row], len(self.topics), document[row])

    @cached_property
    def shortest(self) -> int:
        """The length of the shortest document of known length; the greatest integer if no length is known."""
        return int(np.min(self.text.length, where=self.text.length >= 0, initial=np.iinfo(np.int64).max))

    @cached_property
    def _lengths(self) -> tuple[Ints, KeySet]:
        """For each document, the judgment with its greatest known length, and a set to look documents up in."""
        known = np.flatnonzero(self.text.length >= 0)
        known = known[np.argsort(-self.text.length[known], kind="stable")]
        rows = known[self.judgments.document[known].number()[0]]
        return rows, KeySet(scramble(self.judgments.document[rows].keys()))

    def lengths(self, documents: Ids) -> Ints:
        """Return the lengths of documents as far as the judgments of any topic give them; -1 means unknown."""
        length = np.full(len(documents), -1)
        if len(documents):
            rows, lookup = self._lengths
            place, at = lookup.find(scramble(documents.keys()))
            same = documents[place].same(self.judgments.document[rows[at]])
            length[place[same]] = self.text.length[rows[at[same]]]
        return length

    def ideal_of_topic(self, topic: int) -> Ranking:
        """Return the ideal ranking of one topic, which is computed only once."""
        if topic not in self._ideals:
            self._ideals[topic] = self.ideal(np.array([topic]))
        return self._ideals[topic]

    @cached_property
    def _ideals(self) -> dict[int, Ranking]:
        return {}

    def ideal(self, topics: Ints) -> Ranking:
        """Return the ideal ranking of some topics: all judged documents, highest grade first."""
        if len(topics) == len(self.topics) and (topics[1:] > topics[:-1]).all():
            return self._whole_ideal
        return self._ideal(topics)

    @cached_property
    def _whole_ideal(self) -> Ranking:
        """The ideal ranking of all topics."""
        return self._ideal(np.arange(len(self.topics)))

    def _ideal(self, topics: Ints) -> Ranking:
        rows = self._starts[topics + 1] - self._starts[topics]
        starts = np.concatenate(([0], np.cumsum(rows)))
        place = np.arange(starts[-1]) - np.repeat(starts[:-1], rows)
        grade = self._ideal_grade[np.repeat(self._starts[topics], rows) + place]
        return Ranking(starts, place + 1, grade, rows, self.top_grade)

    def most_judged(self, topics: Ints, results: Ints) -> int:
        """Return how many results can be judged at most, if `results` has the number of results of each topic."""
        return int(np.minimum(results, self._starts[topics + 1] - self._starts[topics]).sum())

    def judged_names(self, topic: str) -> Iterable[str]:
        """Return the documents that are judged for a topic."""
        place = self._topic_places[topic]
        if self.is_for_many_runs:
            return self.rows_by_name[place]
        rows = self._order[self._starts[place] : self._starts[place + 1]]
        return self.judgments.document[rows].texts()

    def judged_of(self, topics: list[str], most: int) -> list[tuple[str, str]]:
        """Return pairs of a topic and a judged document, relevant documents first, at most `most` for each topic."""
        places = self.places(Ids.of(topics))
        bounds = zip(self._starts[places].tolist(), self._starts[places + 1].tolist(), strict=True)
        # begin with no rows, because there may be no topics
        rows = [self._order[:0], *(self._order[start : min(end, start + most)] for start, end in bounds)]
        names = [topic for topic, own in zip(topics, rows[1:], strict=True) for _ in own]
        return list(zip(names, self.judgments.document[np.concatenate(rows)].texts(), strict=True))

    def places(self, names: Ids) -> Ints:
        """Return the index of each name among the topics; names without judgments get higher numbers."""
        if names.known_texts is not None:
            behind = enumerate(names.known_texts, len(self.topics))
            return np.array([self._topic_places.get(name, place) for place, name in behind], np.int64)
        places = len(self.topics) + np.arange(len(names))
        row, place = self._topic_lookup.find(names.keys())
        same = names[row].same(self._names[place])
        places[row[same]] = place[same]
        return places

    def place_of(self, name: str) -> int | None:
        """Return the index of a name among the topics, or None if it is not one of them."""
        return self._topic_places.get(name)

    @cached_property
    def rows_by_name(self) -> list[dict[str, int]]:
        """For each topic, the rows of its judgments by document: the fastest lookup for a dict of one topic."""
        by_topic: list[dict[str, int]] = [{} for _ in self.topics]
        judged = zip(self._topic.tolist(), self.judgments.document.texts(), strict=True)
        for row, (topic, document) in enumerate(judged):
            by_topic[topic][document] = row
        return by_topic

    @cached_property
    def _topic_places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.topics)}

    @cached_property
    def topics_without_relevant(self) -> Bools:
        """Whether each topic has nothing relevant."""
        return np.asarray(self._whole_ideal.total(self._whole_ideal.grade > 0) == 0)

    def topics_below(self, grade: float) -> Bools:
        """Return whether each topic has no document of this grade or a higher one."""
        return np.asarray(self._whole_ideal.total(self._whole_ideal.grade >= grade) == 0)

    @cached_property
    def _topic_lookup(self) -> KeySet:
        return KeySet(self._names.keys())

    def judged_documents(self, results: OrderedResults, topics: Ints) -> Ints:
        """Return the row of the judgment of each result's document, or -1. `topics` are the topics of the results."""
        judgment = np.full(len(results.pairs), -1)
        place, judged = self.judged(results.pairs, topics, results.code, results.run.document, results.origin)
        judgment[place] = judged
        return judgment

    def is_graded(self, judged: Ints) -> Bools:
        """Return whether each judgment has a grade.

        -1 stands for no judgment. A document that was only pooled has no grade.
        """
        return (judged >= 0) & (self._grade[np.maximum(judged, 0)] >= 0)

    def is_relevant(self, judged: Ints) -> Bools:
        """Return whether each judgment's document has anything relevant; -1 stands for no judgment."""
        return (judged >= 0) & (self._grade[np.maximum(judged, 0)] > 0)

    @cached_property
    def base(self) -> Base:
        """The assessed elements; sizes that the judgments lack come from the documents."""
        from assay.ranking.element_trees import Base

        if not isinstance(self.judgments, tables.ElementJudgments):
            raise InputError("these judgments have no assessed elements; the measures need them", self.judgments.name)
        elements = self.judgments.elements
        if self.documents is not None and np.any(elements.size < 0):
            names = self.judgments.document.texts()
            start, end = self.documents.spans([names[row] for row in elements.row.tolist()], elements.path)
            elements = elements._replace(size=np.where(elements.size < 0, end - start, elements.size))
        return Base(self.judgments.name, elements, self._topic, len(self.topics), self.judgments.document.texts())

    def nothing_for(self, topics: Ints) -> Ranking:
        """Return the ranking of topics for which nothing was retrieved."""
        none, zeros = np.zeros(0, np.int64), np.zeros(len(topics), np.int64)
        starts = np.zeros(len(topics) + 1, np.int64)
        ends: dict[str, Any] = {"first": none, "last": none, "judgment": none if self.has_more else None}
        return Ranking(starts, none, none, zeros, self.top_grade, **ends, ideal=self.ideal(topics))

    def grades(self, judged: Ints) -> Grades:
        """Return the grades of some judgments."""
        return self._grade[judged]

    def judged(
        self, pairs: Keys, topics: Ints, code: Ints, documents: Ids, origin: Ints | None = None
    ) -> tuple[Ints, Ints]:
        """Return which pairs of a topic and a document are judged, and the rows of their judgments.

        `code` says which of `topics` each pair has. `origin` is the row of each pair in `documents`, if they are in
        another order.
        """
        place, judged = self._lookup.find(pairs, topics, code)
        same = documents[place if origin is None else origin[place]].same(self.judgments.document[judged])
        return place[same], judged[same]
