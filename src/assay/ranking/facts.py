"""TopicFacts: what the excerpts of a topic tell, and how much of it was read.

passage        0    1    2    3        the highlighted spans as they are listed
part           0    1    2    3        text of which each character counts once
alternative    0    1    1    2        a quotation with an ellipsis has several parts
fact           0    0    0    1        of its alternatives one is enough
topic          0    0    0    0
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from assay.tables.ids import Bools, Ids, Ints
from assay.tables.intervals import Marks, Spans
from assay.tables.judgments import Facts, Highlights

NONE = np.zeros(0, np.int64)
# Makes offsets in judged documents such that do not count whitespace: of documents, starts and ends.
Solid: TypeAlias = Callable[[Ints, Ints, Ints], tuple[Ints, Ints]]


class TopicFacts:
    """The facts of all topics, with their alternatives; `passages` are in the offsets in which text is read.

    `topic` has the topic of each judged document, of which there are this many `topics`. Passages without a fact are a
    fact each, those without a quotation an alternative each. `copies` has a number for each passage, if copies of a
    text are as good as it is: they are one part, in whichever document they are.
    """

    def __init__(
        self, passages: Spans, topic: Ints, topics: int, facts: Facts | None = None, copies: Ints | None = None
    ):
        self.passages = passages
        self.documents = len(topic)
        own = np.arange(len(passages)) if copies is None else copies
        fact, quotation = (name_numbers(ids, len(passages)) for ids in facts or Facts(None, None))
        # what tells them apart is their name, or if they have none what they are made of
        of_quotation = np.where(quotation < 0, 2 * own, 2 * quotation + 1)
        of_fact = np.where(fact < 0, 2 * of_quotation, 2 * fact + 1)
        of_topic = topic[passages.document]
        # of each passage
        self.fact = pair_numbers(of_topic, of_fact)
        self.alternative = pair_numbers(self.fact, of_quotation)
        self.part = pair_numbers(self.alternative, passages.document if copies is None else copies)
        # of each part, alternative and fact
        self.alternative_of_part = first_of(self.part, self.alternative)
        self.fact_of_alternative = first_of(self.alternative, self.fact)
        self.topic_of_fact = first_of(self.fact, of_topic)
        self.number = np.bincount(self.topic_of_fact, minlength=topics)
        # where the part of each passage begins
        self.origin = np.zeros(len(passages), np.int64) if copies is None else passages.start
        self.first_passage = np.unique(self.alternative, return_index=True)[1]
        self.size = self._characters(np.arange(len(passages)), passages.start, passages.end)

    @property
    def several(self) -> int:
        """How many facts have several alternatives."""
        return int(np.count_nonzero(np.bincount(self.fact_of_alternative) > 1))

    def read(self, text: Spans) -> Ints:
        """How many characters of each alternative are in the text that was read; its documents are those judged."""
        marks = Marks(Highlights(text.document, text.start, text.end, NONE, NONE, NONE), self.documents)
        return self._characters(*marks.shared(self.passages))

    def of_stretches(self, passage: Ints, start: Ints, end: Ints, solid: Solid) -> Ints:
        """How many characters of each alternative some stretches of passages have, in the offsets of the documents."""
        return self._characters(passage, *solid(self.passages.document[passage], start, end))

    def _characters(self, passage: Ints, start: Ints, end: Ints) -> Ints:
        """How many characters of each alternative some stretches of passages have, each counted once."""
        part, origin, parts = self.part[passage], self.origin[passage], len(self.alternative_of_part)
        union = Spans(part, start - origin, end - origin).union(parts)
        size = np.bincount(self.alternative_of_part[union.document], union.size, len(self.fact_of_alternative))
        return size.astype(np.int64)

    def known(self, read: Ints, cover: float) -> Bools:
        """Which facts have an alternative of which at least such a share is read, compared exactly."""
        share = Fraction(str(cover))
        enough = (read > 0) & (read * share.denominator >= self.size * share.numerator)
        return np.bincount(self.fact_of_alternative, enough, len(self.topic_of_fact)) > 0


def name_numbers(ids: Ids | None, rows: int) -> Ints:
    """The number of each name; -1 if there is none."""
    return np.full(rows, -1) if ids is None else np.where(ids.length > 0, ids.number()[1], -1)


def pair_numbers(first: Ints, second: Ints) -> Ints:
    """The number of each pair of numbers."""
    return np.unique(first * (second.max(initial=0) + 1) + second, return_inverse=True)[1]


def first_of(number: Ints, values: Ints) -> Ints:
    """What all rows with a number have in common, by that number."""
    return values[np.unique(number, return_index=True)[1]]
