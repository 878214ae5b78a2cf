"""CopiedText: evidence that stands in several places, of which one is enough.

The highlighted characters of all documents are numbered, one document after the other. Each character is told by the
number of the one that it is a copy of, be it itself: of those with the same number the first that is read counts. So a
reader may see the beginning of a sentence in one place and its end in another.

    highlighted      A fine bridge.   fine        A fine bridge.     of one topic, in three places
    number           0          13    14          18
    a copy of        0 1 2 … … 13     2 3 4 5     0 1 2 … … 13
"""

from __future__ import annotations

import numpy as np

from assay.tables.ids import Bools, Ints
from assay.tables.intervals import Marks, Spans


class CopiedText:
    """Which highlighted characters are copies of which.

    `passages` are the highlighted spans, `copies` has for each the number of its text, and `topic` is that of each
    document. Spans of a topic with the same text are copies of one another, character by character.
    """

    def __init__(self, marks: Marks, passages: Spans, copies: Ints, topic: Ints):
        self._marks, self._topic = marks, topic
        self._copy_of = np.full(int(marks.size.sum()), -1)
        starts = marks.upto(passages.document, passages.start)
        sizes = passages.size
        # a text that is part of another comes before it: wherever the other stands, it stands there too; and what is in
        # one place only comes last, so that it does not part the copies of others
        order = np.lexsort((copies, topic[passages.document], sizes))
        order = order[sizes[order] > 0]
        group = np.stack((sizes, topic[passages.document], copies))[:, order]
        is_first = np.append(True, (group[:, 1:] != group[:, :-1]).any(axis=0))[: len(order)]
        by_place = np.argsort(stand_alone(starts[order], is_first), kind="stable")
        order, is_first = order[by_place], is_first[by_place]
        for start, size, begins in zip(starts[order].tolist(), sizes[order].tolist(), is_first.tolist(), strict=True):
            here = self._copy_of[start : start + size]
            unknown = here < 0
            if begins:
                first = here
                here[unknown] = np.arange(start, start + size)[unknown]
            else:
                here[unknown] = first[unknown]

    @property
    def _is_original(self) -> Bools:
        return self._copy_of == np.arange(len(self._copy_of))

    def totals(self, topics: int) -> Ints:
        """How many characters there are of each topic that are no copies of others."""
        before = np.append(0, np.cumsum(self._is_original))
        spans = self._marks.spans
        first, last = (self._marks.upto(spans.document, place) for place in (spans.start, spans.end))
        number = before[last] - before[first]
        return np.bincount(self._topic[spans.document], number, minlength=topics).astype(np.int64)

    def first_seen(self, stretches: Spans) -> tuple[Ints, Ints, Ints]:
        """What is seen for the first time in highlighted stretches, in the order in which they are read: parts of them,
        each with the number of its stretch, start and end.
        """
        size = stretches.size
        which = np.repeat(np.arange(len(stretches)), size)
        offset = np.arange(len(which)) - np.repeat(np.cumsum(size) - size, size)
        number = np.repeat(self._marks.upto(stretches.document, stretches.start), size) + offset
        seen = np.sort(np.unique(self._copy_of[number], return_index=True)[1])
        begins = np.append(True, (np.diff(seen) > 1) | (np.diff(which[seen]) > 0))[: len(seen)]
        first = seen[begins]
        last = np.append(seen[np.flatnonzero(begins)[1:] - 1], seen[-1:])
        start = stretches.start[which[first]] + offset[first]
        return which[first], start, start + last - first + 1


def stand_alone(starts: Ints, is_first: Bools) -> Bools:
    """Which passages are of a group, told by the first of each, that is all in one place."""
    if not len(starts):
        return is_first
    first = np.flatnonzero(is_first)
    alone = np.minimum.reduceat(starts, first) == np.maximum.reduceat(starts, first)
    return np.repeat(alone, np.diff(first, append=len(starts)))
