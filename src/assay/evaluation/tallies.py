"""What one run scored, and what was noticed on the way, as numbers and a few names: tallies of parts add up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import compress
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import shortened
from assay.evaluation.meeting import Meeting, documents_among
from assay.ranking.noticed import Counts, Noticed
from assay.ranking.pool import Pool
from assay.tables.ids import Bools, Floats

if TYPE_CHECKING:
    from assay.ranking.gold_standards import GoldStandards
    from assay.tables.id_forms import Grouped

# So many names, and pairs of a topic and a document, are kept of the parts of an evaluation that are added up.
MOST = 1000
# So many names are shown.
SHOWN = 5


@dataclass(eq=False, repr=False)
class Outcome:
    """What one run scored: values[measure, topic] in the pool's order of topics, and what was noticed.

    `notes` were made when it was read. `in_run` are the topics that the run has, `empty` those of them for which it has
    no results, `kept` is what was kept of each of its blocks.
    """

    name: str
    values: Floats
    in_run: Bools
    empty: Bools
    has_parts: bool = False
    unjudged: list[str] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)
    meeting: Meeting = field(default_factory=Meeting)
    notes: dict[str, None] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)

    @classmethod
    def begun(cls, name: str, measures: int, pool: Pool, empty: Iterable[str] = ()) -> Outcome:
        """The outcome of a run of which nothing is known yet but the topics for which it has no results."""
        topics, without = len(pool.topics), set(empty)
        is_empty = np.array([topic in without for topic in pool.topics], bool) if without else np.zeros(topics, bool)
        return cls(name, np.full((measures, topics), np.nan), np.zeros(topics, bool), is_empty)

    def has_any(self, noticed: Noticed) -> bool:
        """Whether a topic of a block has been met before."""
        return bool(self.in_run[noticed.topics].any()) or not set(self.unjudged).isdisjoint(noticed.unjudged)

    @property
    def is_plain(self) -> bool:
        """Whether nothing is to be said of the run: it has the judged topics and no others, enough of it is judged,
        nothing had to be decided, and no value is infinite.
        """
        if self.notes or self.unjudged or not self.counts.is_plain or not self.meeting.is_plain:
            return False
        topics = len(self.in_run)
        return bool(
            np.count_nonzero(self.in_run) == topics
            and not np.count_nonzero(self.empty)
            and not np.count_nonzero(np.isinf(self.values))
        )

    def add(self, noticed: Noticed, values: Floats, sample: list[Grouped]) -> None:
        """The values of a block's topics, and what was noticed in it."""
        self.values[:, noticed.topics] = values
        self.in_run[noticed.topics] = True
        self.has_parts |= noticed.has_parts
        self.unjudged += noticed.unjudged
        self.counts = self.counts.plus(noticed.counts)
        self.notes |= dict.fromkeys(noticed.notes)
        self.meeting.add(noticed, sample)


@dataclass(eq=False, repr=False)
class SomeNames:
    """Some names of which the number is known; all of them are kept, or the first."""

    number: int = 0
    kept: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, names: list[str], which: Bools | None = None) -> SomeNames:
        """All of some names, or those of them that are marked."""
        if which is not None and not np.count_nonzero(which):
            return cls()
        kept = names if which is None else list(compress(names, which.tolist()))
        return cls(len(kept), kept)

    def __str__(self) -> str:
        return ", ".join([*map(shortened, self.kept[:SHOWN]), *["…"] * (self.number > SHOWN)])

    def add(self, other: SomeNames, most: int = MOST) -> None:
        """The names of another part, of which the first of both are kept."""
        self.number += other.number
        self.kept = sorted([*self.kept, *other.kept], key=natural)[:most]


def natural(name: str) -> tuple[bool, int, str]:
    """What tells the order of names: numbers by their value, and before all others."""
    return (False, len(name.lstrip("0")), name.lstrip("0")) if name.isdecimal() else (True, 0, name)


@dataclass(eq=False, repr=False)
class Tally:
    """What was noticed of one run.

    `in_run` is the number of judged topics that it has. `judged` are documents that are judged for the topics of the
    sample in `meeting`, of which so many are `known` documents, where that can be asked. Of each measure: the topics in
    which it is infinite, and how many count.
    """

    name: str
    infinite: list[SomeNames]
    counted: list[int]
    in_run: int = 0
    missing: SomeNames = field(default_factory=SomeNames)
    empty: SomeNames = field(default_factory=SomeNames)
    unjudged: SomeNames = field(default_factory=SomeNames)
    has_parts: bool = False
    counts: Counts = field(default_factory=Counts)
    notes: dict[str, None] = field(default_factory=dict)
    meeting: Meeting = field(default_factory=Meeting)
    judged: list[Grouped] = field(default_factory=list)
    known: int | None = None

    @classmethod
    def begun(cls, name: str, measures: int) -> Tally:
        """What was noticed of a run before anything was seen of it."""
        return cls(name, [SomeNames() for _ in range(measures)], [0] * measures)

    def add(self, other: Tally, most: int = MOST) -> None:
        """What was noticed of another part of the run."""
        self.in_run += other.in_run
        self.counts = self.counts.plus(other.counts)
        self.has_parts |= other.has_parts
        self.notes |= other.notes
        for ours, theirs in ((self.missing, other.missing), (self.empty, other.empty), (self.unjudged, other.unjudged)):
            ours.add(theirs, most)
        for ours, theirs in zip(self.infinite, other.infinite, strict=True):
            ours.add(theirs, most)
        self.counted = [ours + theirs for ours, theirs in zip(self.counted, other.counted, strict=True)]
        self.meeting.join(other.meeting, most)
        self.judged += other.judged[: most - len(self.judged)]
        if other.known is not None:
            self.known = (self.known or 0) + other.known


class Unlike(NamedTuple):
    """How many judged documents have highlighted text that is not as their file says: spans that overlap, another size
    than the file tells, or text beyond the end of the document.
    """

    shared: int = 0
    told: int = 0
    beyond: int = 0


@dataclass(eq=False, repr=False)
class PoolTally:
    """What was noticed of judgments: the topics, and those with nothing relevant, several annotators or several sets of
    evidence. Of the documents with highlighted text: how many there are, and which are `absent` from the given ones,
    which are called `documents`; where judgments are added up, a document counts for each part that has it.
    """

    name: str
    topics: SomeNames = field(default_factory=SomeNames)
    barren: SomeNames = field(default_factory=SomeNames)
    unlike: Unlike = field(default_factory=Unlike)
    annotated: int = 0
    alternatives: int = 0
    documents: str = ""
    marked: int = 0
    absent: SomeNames = field(default_factory=SomeNames)

    def add(self, other: PoolTally, most: int = MOST) -> None:
        """What was noticed of another part of the judgments."""
        self.topics.add(other.topics, most)
        self.barren.add(other.barren, most)
        self.unlike = Unlike(*map(add, self.unlike, other.unlike))
        self.annotated += other.annotated
        self.alternatives += other.alternatives
        self.documents = self.documents or other.documents
        self.marked += other.marked
        self.absent.add(other.absent, most)


def tally_of(outcome: Outcome, pool: Pool) -> Tally:
    """What was noticed of a run, all of it or the part that some topics are."""
    infinite, counted = [SomeNames() for _ in outcome.values], [len(pool.topics)] * len(outcome.values)
    if np.count_nonzero(np.isfinite(outcome.values)) < outcome.values.size:
        infinite = [SomeNames.of(pool.topics, is_infinite) for is_infinite in np.isinf(outcome.values)]
        counted = np.count_nonzero(~np.isnan(outcome.values), axis=1).tolist()
    judged = outcome.meeting.judged_sample(pool) if outcome.meeting.sample else []
    return Tally(
        outcome.name,
        infinite,
        counted,
        int(np.count_nonzero(outcome.in_run)),
        SomeNames.of(pool.topics, ~outcome.in_run),
        SomeNames.of(pool.topics, outcome.empty),
        SomeNames.of(outcome.unjudged),
        outcome.has_parts,
        outcome.counts,
        outcome.notes,
        outcome.meeting,
        judged,
        documents_among(judged, pool) if judged and not outcome.meeting.judged else None,
    )


def pool_tally(pool: Pool, standards: GoldStandards | None) -> PoolTally:
    """What was noticed of judgments, and of their several gold standards where there are any."""
    pools = standards.pools if standards else [pool]
    unlike = Unlike(*map(sum, zip(*map(unlike_the_file, pools), strict=True)))
    documents, marked, absent = absent_documents(pool)
    return PoolTally(
        pool.judgments.name,
        SomeNames.of(pool.topics),
        SomeNames.of(pool.topics, pool.barren),
        unlike,
        *(standards.several if standards else (0, 0)),
        documents,
        marked,
        absent,
    )


def absent_documents(pool: Pool) -> tuple[str, int, SomeNames]:
    """What the given documents are called, how many documents have highlighted text, and which are not among them."""
    if pool.documents is None or pool.judgments.highlights is None:
        return "", 0, SomeNames()
    marked = pool.text.marks.size > 0
    absent = dict.fromkeys(pool.judgments.document[marked & (pool.text.length < 0)].texts())
    number = len(set(pool.judgments.document[marked].texts())) if absent else 0
    return str(pool.documents.label), number, SomeNames.of(list(absent))


def unlike_the_file(pool: Pool) -> Unlike:
    """How many judged documents have highlighted text that is not as their file says."""
    highlights = pool.judgments.highlights
    if highlights is None:
        return Unlike()
    size = pool.text.marks.size
    in_file = np.bincount(highlights.row, highlights.end - highlights.start, minlength=len(size)).astype(np.int64)
    # copies may overlap where the file has nothing that does
    shared = 0 if pool.judgments.copies is not None else np.count_nonzero(in_file > size)
    told = np.count_nonzero((highlights.rsize >= 0) & (highlights.rsize != in_file))
    beyond = np.count_nonzero((pool.text.length >= 0) & (pool.text.marks.line.last > pool.text.length))
    return Unlike(int(shared), int(told), int(beyond))
