"""TopicFacts: the facts that the excerpts of a topic state, and how much of each was read.

passage        0    1    2    3        the highlighted spans as they are listed
part           0    1    2    3        text of which each character counts once
alternative    0    1    1    2        a quotation with an ellipsis has several parts
fact           0    0    0    1        one of its alternatives is enough
topic          0    0    0    0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from assay.tables.ids import Bools, Ids, Ints
from assay.tables.intervals import Marks, Spans
from assay.tables.judgments import Facts, Highlights

NONE = np.zeros(0, np.int64)
# Converts spans of judged documents (document, start, end) to offsets that do not count whitespace.
Solid: TypeAlias = Callable[[Ints, Ints, Ints], tuple[Ints, Ints]]


class TopicFacts:
    """The facts of all topics and their alternatives.

    `passages` have the same kind of offsets as the text that is read. `topic` is the topic of each judged document, and
    `topics` the number of topics. A passage without a fact is a fact of its own; one without a quotation is an
    alternative of its own. If copies of a text are as good as the text, `copies` has a number for each passage: copies
    are one part, whichever document they are in. `number` is how many facts each topic has that can be read: a fact of
    only whitespace has no characters, and would be read without any result.
    """

    def __init__(
        self, passages: Spans, topic: Ints, topics: int, facts: Facts | None = None, copies: Ints | None = None
    ):
        self.passages = passages
        self.documents = len(topic)
        own = np.arange(len(passages)) if copies is None else copies
        fact, quotation = (name_numbers(ids, len(passages)) for ids in facts or Facts(None, None))
        # a name identifies a fact or a quotation; without a name, its content does
        of_quotation = np.where(quotation < 0, 2 * own, 2 * quotation + 1)
        of_fact = np.where(fact < 0, 2 * of_quotation, 2 * fact + 1)
        of_topic = topic[passages.document]
        # for each passage
        self.fact = pair_numbers(of_topic, of_fact)
        self.alternative = pair_numbers(self.fact, of_quotation)
        self.part = pair_numbers(self.alternative, passages.document if copies is None else copies)
        # for each part, alternative and fact
        self.alternative_of_part = first_of(self.part, self.alternative)
        self.fact_of_alternative = first_of(self.alternative, self.fact)
        self.topic_of_fact = first_of(self.fact, of_topic)
        # where the part of each passage begins
        self.origin = np.zeros(len(passages), np.int64) if copies is None else passages.start
        self.first_passage = np.unique(self.alternative, return_index=True)[1]
        self.size = self._characters(np.arange(len(passages)), passages.start, passages.end)
        self.can_be_read = np.bincount(self.fact_of_alternative, self.size) > 0
        self.number = np.bincount(self.topic_of_fact[self.can_be_read], minlength=topics)

    @property
    def several(self) -> int:
        """The number of facts that have several alternatives."""
        return int(np.count_nonzero(np.bincount(self.fact_of_alternative) > 1))

    def read(self, text: Spans) -> Ints:
        """Return how many characters of each alternative were read; the documents of `text` are the judged ones."""
        marks = Marks(Highlights(text.document, text.start, text.end, NONE, NONE, NONE), self.documents)
        return self._characters(*marks.shared(self.passages))

    def of_stretches(self, passage: Ints, start: Ints, end: Ints, solid: Solid) -> Ints:
        """Return how many characters of each alternative some stretches of passages contain, not counting whitespace.

        `start` and `end` are offsets in the documents, which `solid` converts.
        """
        return self._characters(passage, *solid(self.passages.document[passage], start, end))

    def _characters(self, passage: Ints, start: Ints, end: Ints) -> Ints:
        """Return how many characters of each alternative some stretches of passages contain, each counted once."""
        part, origin, parts = self.part[passage], self.origin[passage], len(self.alternative_of_part)
        union = Spans(part, start - origin, end - origin).union(parts)
        size = np.bincount(self.alternative_of_part[union.document], union.size, len(self.fact_of_alternative))
        return size.astype(np.int64)

    def known(self, read: Ints, cover: float) -> Bools:
        """Return which facts have an alternative that is read to at least the share `cover`, compared exactly."""
        from fractions import Fraction

        share = Fraction(str(cover))
        enough = (read > 0) & (read * share.denominator >= self.size * share.numerator)
        return np.bincount(self.fact_of_alternative, enough, len(self.topic_of_fact)) > 0


def name_numbers(ids: Ids | None, rows: int) -> Ints:
    """Return the number of each name; -1 if it is empty."""
    return np.full(rows, -1) if ids is None else np.where(ids.length > 0, ids.number()[1], -1)


def pair_numbers(first: Ints, second: Ints) -> Ints:
    """Return a number for each pair of numbers; equal pairs have the same one."""
    return np.unique(first * (second.max(initial=0) + 1) + second, return_inverse=True)[1]


def first_of(number: Ints, values: Ints) -> Ints:
    """Return for each number the value that all its rows share."""
    return values[np.unique(number, return_index=True)[1]]
