"""The pages of topics, as the browser gets them: documents, rankings, and what is highlighted, in few numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby, pairwise, zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.evaluation.evaluate import Evaluation
from assay.ranking.kinds import TEXT
from assay.ranking.pool import Pool
from assay.reporting.excerpts import COLUMNS, Coverage, Excerpt, FirstResults, short_numbers
from assay.reporting.workings import Workings, WorkingsOfTopic
from assay.tables.ids import Ints

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

# The texts that the page has room for: documents as a whole, and of long ones what is around gold and hits.

# Characters of a document that is shown as a whole, of the pieces in which a longer one is, and of the text on each
# side of what is asked for.
LONGEST = 30_000
PIECE = 1_000
AROUND = 500
# Bytes of the whole page, if that can be; and bytes of all texts, however large the rest.
WHOLE = 4_700_000
LEAST, MOST = 500_000, 3_000_000
FIRST_LOOK = 200


@dataclass(frozen=True)
class Need:
    """Characters of a document that a reader will want to see; those from its beginning where no end is known."""

    document: str
    start: int = 0
    end: int = LONGEST


@dataclass(frozen=True)
class Text:
    """What the page has of a document: the start and the text of each window; and how long it is as a whole."""

    windows: list[tuple[int, str]]
    length: int

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the document is left out."""
        return sum(len(text) for _, text in self.windows) == self.length


def room_beside(others: int) -> int:
    """The bytes that texts may have in a page with this many others."""
    return min(max(WHOLE - others, LEAST), MOST)


def texts_for(documents: DocumentCollection, needs: list[list[Need]], room: int) -> tuple[dict[str, Text], int]:
    """The texts that there is room for, and how many documents were left out for want of it.

    `needs` has what is wanted for each topic, the most urgent first; each topic has its turn.
    """
    there = {name: name in documents for name in dict.fromkeys(need.document for needed in needs for need in needed)}
    wanted = [need for need in dict.fromkeys(topics_in_turn(needs)) if there[need.document]]
    chosen = pieces_that_fit(documents, wanted, room)
    texts: dict[str, Text] = {}
    contents = dict(documents.texts(chosen))
    for name, pieces in chosen.items():
        if name not in contents:
            continue
        text = Text(windows(contents[name], pieces), len(contents[name]))
        room -= sum(len(part.encode("utf-8", "surrogatepass")) for _, part in text.windows)
        if room < 0:
            break
        texts[name] = text
    return texts, sum(there.values()) - len(texts)


def topics_in_turn(needs: list[list[Need]]) -> Iterator[Need]:
    """The first need of each topic, then the second of each, and on."""
    for turn in zip_longest(*needs):
        yield from (need for need in turn if need is not None)


def pieces_that_fit(documents: DocumentCollection, wanted: list[Need], room: int) -> dict[str, set[int]]:
    """The pieces of documents that may fit, by their numbers, in the order in which they are wanted."""
    chosen: dict[str, set[int]] = {}
    for need, length in with_lengths(documents, wanted):
        pieces = needed_pieces(need, length) - chosen.get(need.document, set())
        room -= min(len(pieces) * PIECE, max(length, 0))
        if room < 0:
            break
        chosen.setdefault(need.document, set()).update(pieces)
    return chosen


def with_lengths(documents: DocumentCollection, wanted: list[Need]) -> Iterator[tuple[Need, int]]:
    """Needs with the lengths of their documents, which are looked up for more and more of them."""
    names = list(dict.fromkeys(need.document for need in wanted))
    lengths: dict[str, int] = {}
    for need in wanted:
        if need.document not in lengths:
            some = names[len(lengths) : 2 * len(lengths) + FIRST_LOOK]
            lengths |= zip(some, documents.lengths(some, missing="unknown").tolist(), strict=True)
        yield need, lengths[need.document]


def needed_pieces(need: Need, length: int) -> set[int]:
    """The pieces that are needed: all of a short document, of a long one those around what is asked for."""
    if length <= LONGEST:
        return set(range(-(-max(length, 1) // PIECE)))
    first, last = max(need.start - AROUND, 0), min(need.end + AROUND, length)
    return set(range(first // PIECE, -(-last // PIECE)))


def windows(text: str, pieces: set[int]) -> list[tuple[int, str]]:
    """The start and the text of each stretch of pieces that follow each other."""
    stretches = []
    for _, stretch in groupby(enumerate(sorted(pieces)), key=lambda item: item[1] - item[0]):
        numbers = [number for _, number in stretch]
        start = numbers[0] * PIECE
        stretches.append((start, text[start : (numbers[-1] + 1) * PIECE]))
    return stretches


@dataclass(eq=False, repr=False)
class TopicPage:
    """What the page tells of a topic.

    `documents` are numbered as they come. `worth` says how much of each is relevant: highlighted characters or a grade,
    -1 if the document was not judged. `split` has the passages that no single chunk holds, by run and document.
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
    split: dict[int, dict[int, list[int]]] = field(default_factory=dict)
    workings: WorkingsOfTopic = field(default_factory=WorkingsOfTopic)

    def json(self) -> dict[str, Any]:
        """All of it; columns of a ranking that is not there are left out."""
        page = {
            "total": self.total, "documents": list(self.documents), "worth": self.worth, "lengths": self.lengths,
            "highlights": self.highlights, "relevant": self.relevant, "ranks": self.ranks, "runs": self.runs,
        }  # fmt: skip
        page |= {"found": self.found} if any(self.found) else {}
        page |= {"workings": self.workings.json()} if any(self.workings.runs) else {}
        return page | ({"split": self.split} if self.split else {})

    def needs(self) -> list[Need]:
        """What a reader may want to see, the most urgent first: gold, hits by rank, or documents where these count."""
        hits = list(self._hits())
        gold = [
            Need(name, start, start + length)
            for name, number in self.documents.items()
            for start, length in zip(*[iter(self.highlights.get(number, []))] * 2, strict=True)
        ]
        return [*gold, *hits] if hits else self._documents_needed()

    def places_of(self, run: int) -> Iterator[tuple[str, int, int]]:
        """The document, the start and the end of each result of a run that is shown, where it returned parts."""
        listed, names = self.runs[run], list(self.documents)
        if listed and "start" in listed:
            columns = listed["document"], listed["start"], listed["length"]
            for number, start, length in zip(*columns, strict=True):
                yield names[number], start, start + length

    def _hits(self) -> Iterator[Need]:
        """The parts of documents that were returned, by rank."""
        names = list(self.documents)
        columns = [(run["document"], run["start"], run["length"]) for run in self.runs if run and "start" in run]
        by_rank = zip_longest(*(list(zip(*column, strict=True)) for column in columns))
        for number, start, length in (part for parts in by_rank for part in parts if part is not None):
            yield Need(names[number], start, start + length)

    def _documents_needed(self) -> list[Need]:
        """Relevant documents and those returned in vain, in turn."""
        names, listed = list(self.documents), len(self.ranks[0]) if self.ranks else 0
        vain = sorted((rank, number) for number, rank in self.best_rank.items() if self.worth[number] <= 0)
        others = [number for _, number in vain]
        turns = [number for pair in zip(range(listed), others, strict=False) for number in pair]
        rest = [*range(len(turns) // 2, listed), *others[len(turns) // 2 :]]
        return [Need(names[number]) for number in [*turns, *rest]]


class TopicPages:
    """The pages of all topics, filled run by run; `most` is how many results and relevant documents are shown.

    Relevant documents are in the order of the best rank at which a run has them, those that none has last.

    `losses` has for each run and cut-off the columns of what was found and lost of each topic, where text counts.
    """

    def __init__(self, evaluation: Evaluation, most: int):
        self.pool = evaluation.pool
        self.coverage: list[dict[str, Any]] = []
        self.losses: list[list[dict[str, list[int]]]] = []
        self._names = self.pool.judgments.document.texts()
        self._in_text = evaluation.shown is TEXT
        text, grade = self.pool.text, self.pool.judgments.grade
        worth = text.marks.size if self._in_text else np.maximum(grade, -1)
        self._worth = worth.tolist()
        relevant = np.flatnonzero(grade > 0)
        first = first_ranks(len(grade), evaluation.kept)[relevant]
        order = relevant[np.lexsort((relevant, -worth[relevant], first, text.topic[relevant]))]
        starts = np.searchsorted(text.topic[order], np.arange(len(self.pool.topics) + 1))
        self._relevant = [order[a:b][:most] for a, b in pairwise(starts.tolist())]
        number = np.diff(starts)
        totals = text.total if self._in_text else number
        self.pages = [TopicPage(*counts) for counts in zip(totals.tolist(), number.tolist(), strict=True)]
        for page, rows in zip(self.pages, self._relevant, strict=True):
            for row in rows.tolist():
                self._number(page, self._names[row], row)
        for name, excerpts in evaluation.kept.items():
            self._add(name, excerpts)

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

    def _add(self, name: str, excerpts: list[Excerpt]) -> None:
        """The results of one more run."""
        coverage = sum((excerpt.coverage for excerpt in excerpts), Coverage())
        self.coverage.append({"run": name, **vars(coverage)})
        self.losses.append(self._lost(excerpts))
        rank, gain = np.zeros(len(self._names), np.int64), np.zeros(len(self._names))
        topics: dict[int, FirstResults] = {}
        workings: dict[int, Workings] = {}
        for excerpt in excerpts:
            topics |= excerpt.topics
            workings |= excerpt.workings
            rank[excerpt.judged] = excerpt.rank
            if excerpt.gain is not None:
                gain[excerpt.judged] = excerpt.gain
        has_gain = any(excerpt.gain is not None for excerpt in excerpts)
        for topic, (page, rows) in enumerate(zip(self.pages, self._relevant, strict=True)):
            page.ranks.append(rank[rows].tolist())
            page.found.append(short_numbers(gain[rows]) if has_gain else [])
            page.runs.append(self._ranking(page, topics[topic]) if topic in topics else None)
            page.workings.add(workings.get(topic), topics[topic].documents if topic in topics else [])

    def _lost(self, excerpts: list[Excerpt]) -> list[dict[str, list[int]]]:
        """What was found and lost of each topic at each cut-off; nothing of topics that are not in the run."""
        at_cuts = []
        for cut in range(max((len(excerpt.losses) for excerpt in excerpts), default=0)):
            table = np.zeros((len(self.pages), len(COLUMNS)), np.int64)
            for excerpt in excerpts:
                if excerpt.losses:
                    table[excerpt.numbers] = excerpt.losses[cut]
            at_cuts.append({name: table[:, number].tolist() for number, name in enumerate(COLUMNS)})
        return at_cuts

    def _ranking(self, page: TopicPage, first: FirstResults) -> dict[str, Any]:
        numbers = [self._number(page, *document) for document in zip(first.documents, first.judged, strict=True)]
        for rank, number in enumerate(numbers, 1):
            page.best_rank[number] = min(rank, page.best_rank.get(number, rank))
        return first.columns | {"document": numbers}


def first_ranks(judged: int, kept: dict[str, list[Excerpt]]) -> Ints:
    """The best rank at which any run has each judged document; beyond all ranks where none has it."""
    first = np.full(judged, np.iinfo(np.int64).max)
    for excerpt in (excerpt for excerpts in kept.values() for excerpt in excerpts):
        first[excerpt.judged] = np.minimum(first[excerpt.judged], excerpt.rank)
    return first


def spans_of(pool: Pool, judged: int) -> list[int]:
    """The highlighted text of a judged document: starts and lengths in turn."""
    spans = pool.text.marks.spans
    first, last = np.searchsorted(spans.document, [judged, judged + 1])
    return [int(x) for pair in zip(spans.start[first:last], spans.size[first:last], strict=True) for x in pair]
