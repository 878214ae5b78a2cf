"""The pages of topics, as the browser gets them: documents, rankings, and what is highlighted; each as few numbers as can be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from assay.evaluation.evaluate import Work
from assay.ranking.document_ranking import Values
from assay.ranking.pool import Pool
from assay.reporting.rankings import Listing, known, listing

# So many results of a ranking are shown where there is room for them; with many systems and topics fewer.
STEPS = (100, 50, 20, 10, 5)
ROOM = 75_000


def counts_text(work: Work) -> bool:
    """Whether the page tells of highlighted characters."""
    return work.pool.has_text and True not in work.kinds


def shown_results(systems: int, topics: int) -> int:
    """How many results of each ranking the page has room for."""
    return next((step for step in STEPS if systems * topics * step <= ROOM), STEPS[-1])


@dataclass(eq=False, repr=False)
class TopicPage:
    """What the page tells of a topic. `documents` are numbered as they come, `worth` says how much of each is relevant.

    That is highlighted characters or a grade, -1 where the document was not judged.
    """

    total: int
    relevant: int
    documents: dict[str, int] = field(default_factory=dict)
    worth: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    highlights: dict[int, list[int]] = field(default_factory=dict)
    ranks: list[list[int]] = field(default_factory=list)
    found: list[list[int]] = field(default_factory=list)
    runs: list[dict[str, Any] | None] = field(default_factory=list)
    best_rank: dict[int, int] = field(default_factory=dict)

    def json(self) -> dict[str, Any]:
        """All of it; columns of a ranking that is not there are left out."""
        page = {
            "total": self.total, "documents": list(self.documents), "worth": self.worth, "lengths": self.lengths,
            "highlights": self.highlights, "relevant": self.relevant, "ranks": self.ranks, "runs": self.runs,
        }  # fmt: skip
        return page | ({"found": self.found} if any(self.found) else {})

    def by_need(self) -> list[str]:
        """The documents in the order in which a reader may ask for their text: relevant ones and those returned in vain in turn."""
        names, listed = list(self.documents), len(self.ranks[0]) if self.ranks else 0
        vain = sorted((rank, number) for number, rank in self.best_rank.items() if self.worth[number] <= 0)
        others = [number for _, number in vain]
        turns = [number for pair in zip(range(listed), others, strict=False) for number in pair]
        return [names[number] for number in [*turns, *range(len(turns) // 2, listed), *others[len(turns) // 2 :]]]


@dataclass(eq=False, repr=False)
class Coverage:
    """How much of what a run returned was judged."""

    run: str
    topics: int
    results: int
    judged: int
    first: int
    first_judged: int


class TopicPages:
    """The pages of all topics, filled run by run."""

    def __init__(self, work: Work, most: int):
        self.work, self.pool, self.most = work, work.pool, most
        self.coverage: list[Coverage] = []
        self._names = self.pool.judgments.document.texts()
        self._in_text = counts_text(work)
        text, grade = self.pool.text, self.pool.judgments.grade
        worth = text.marks.size if self._in_text else np.maximum(grade, -1)
        self._worth = worth.tolist()
        relevant = np.flatnonzero(grade > 0)
        order = relevant[np.lexsort((relevant, -worth[relevant], text.topic[relevant]))]
        starts = np.searchsorted(text.topic[order], np.arange(len(self.pool.topics) + 1))
        self._relevant = [order[a:b][:most] for a, b in pairwise(starts.tolist())]
        number = np.diff(starts)
        totals = text.total if self._in_text else number
        self.pages = [TopicPage(*counts) for counts in zip(totals.tolist(), number.tolist(), strict=True)]
        for page, rows in zip(self.pages, self._relevant, strict=True):
            for row in rows.tolist():
                self._number(page, self._names[row], row)

    def _number(self, page: TopicPage, name: str, judged: int) -> int:
        """The number of a document, new or not."""
        if name in page.documents:
            return page.documents[name]
        number = page.documents[name] = len(page.documents)
        page.worth.append(self._worth[judged] if judged >= 0 else -1)
        if self._in_text:
            page.lengths.append(int(self.pool.text.length[judged]) if judged >= 0 else -1)
            if judged >= 0 and self._worth[judged] > 0:
                page.highlights[number] = spans_of(self.pool, judged)
        return number

    def add(self, run: Any, name: str) -> None:
        """The results of one more run."""
        found = listing(run, name, self.work)
        self.coverage.append(covered(found, name, self.pool))
        first, gain = found.found(len(self._names))
        place = {topic: number for number, topic in enumerate(found.topics.tolist())}
        for topic, (page, rows) in enumerate(zip(self.pages, self._relevant, strict=True)):
            page.ranks.append(first[rows].tolist())
            page.found.append(whole(gain[rows]) if found.gain is not None else [])
            page.runs.append(self._ranking(page, found, place[topic]) if topic in place else None)

    def _ranking(self, page: TopicPage, found: Listing, at: int) -> dict[str, Any]:
        begin, end = found.starts[at : at + 2].tolist()
        top = slice(begin, min(end, begin + self.most))
        pairs = zip(found.document[top].texts(), found.judged[top].tolist(), strict=True)
        numbers = [self._number(page, name, judged) for name, judged in pairs]
        for rank, number in enumerate(numbers, 1):
            page.best_rank[number] = min(rank, page.best_rank.get(number, rank))
        columns: dict[str, Any] = {"results": end - begin, "document": numbers}
        if found.start is not None and found.end is not None:
            columns |= {"start": found.start[top].tolist(), "length": (found.end - found.start)[top].tolist()}
        if found.path is not None:
            columns["path"] = found.path[top]
        if found.gain is not None:
            columns |= {"gain": whole(found.gain[top]), "gained": whole(found.gain[begin:end].sum(keepdims=True))[0]}
        if found.size is not None:
            columns["read"] = int(found.size[begin:end].sum())
            size = found.size[top].tolist()
            columns |= {"size": size} if size != columns.get("length") else {}
        if found.pieces is not None:
            columns |= pieces_of(found, top)
        return columns


def pieces_of(found: Listing, top: slice) -> dict[str, Any]:
    """The text that counts of those results of which that is not all: starts and lengths in turn, by the number of the result."""
    assert found.pieces is not None and found.start is not None and found.end is not None
    first, last = np.searchsorted(found.pieces.document, [top.start, top.stop])
    pieces: dict[int, list[int]] = {}
    inside = found.pieces[first:last]
    for row, start, end in zip(inside.document.tolist(), inside.start.tolist(), inside.end.tolist(), strict=True):
        pieces.setdefault(row, []).extend((start, end - start))
    spans = zip(found.start[top].tolist(), (found.end - found.start)[top].tolist(), strict=True)
    cut = {row - top.start: pieces.get(row, []) for row, span in enumerate(spans, top.start) if pieces.get(row) != [*span]}
    return {"pieces": cut} if cut else {}


def spans_of(pool: Pool, judged: int) -> list[int]:
    """The highlighted text of a judged document: starts and lengths in turn."""
    spans = pool.text.marks.spans
    first, last = np.searchsorted(spans.document, [judged, judged + 1])
    return [int(x) for pair in zip(spans.start[first:last], spans.size[first:last], strict=True) for x in pair]


def covered(found: Listing, name: str, pool: Pool) -> Coverage:
    """How much of a run is judged, and of its first ten results of each topic."""
    judged, first = known(found.judged, pool), found.rank <= 10
    counts = (len(judged), judged.sum(), first.sum(), (judged & first).sum())
    return Coverage(name, int(np.count_nonzero(np.diff(found.starts))), *(int(count) for count in counts))


def whole(values: Values) -> list[Any]:
    """Numbers, whole ones without a point and others to six digits."""
    return [int(value) if value == int(value) else float(f"{value:.6g}") for value in values.tolist()]


def topic_pages(work: Work, runs: Iterable[tuple[str, Any]], most: int) -> TopicPages:
    """The pages of all topics with the results of all runs."""
    pages = TopicPages(work, most)
    for name, run in runs:
        pages.add(run, name)
    return pages
