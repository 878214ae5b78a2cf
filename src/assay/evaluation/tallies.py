"""What one run scored, and what was noticed on the way, as numbers and a few names: tallies of parts add up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import InputError, counted, listed, quoted, shortened
from assay.ranking.align import Counts, Noticed
from assay.ranking.pool import Pool
from assay.tables.ids import Bools, Floats, HeldIds, Ids, Ints
from assay.tables.judgments import Judgments
from assay.tables.run import Run

if TYPE_CHECKING:
    from assay.ranking.gold_standards import GoldStandards
    from assay.reading.topics import OfTopics
    from assay.tables.id_forms import Difference, Grouped

# Whether the ids of a run and of judgments meet.
#
# A zero may be right, or nonsense where the two name the same things differently. What can be known to be a mistake is
# an error: nothing meets, and something would without a difference in the form of the ids. What only looks like one is
# a note. Ids are looked at only where nothing meets, or little does, in all topics or in some, and then only a sample
# of them.

# Little meets where at most one in so many documents is judged that could be.
LITTLE = 20
# So many words few ids have, and most quotations.
WORDS = 4
# And so many hardly any; so many documents are looked at.
WORDS_OF_TEXTS, FIRST = 7, 20
# What is asked where places make no sense in their documents.
OTHER_TEXT = "are they places in another text, or not counted in characters from 0?"
# What is said of ids that none of the documents has.
QUOTATIONS = ', which no document has; if these are quotations, give each as {"quote": …}'
# The sample: so many topics, of each so many results, and so many judged documents.
TOPICS, RESULTS, JUDGED = 50, 100, 1000
# Of topics in which nothing meets, where much does in others: so many, and so many results of each.
FEW = 20
# Of topics of a block in which ids may be spelt otherwise: so many, of each so many results, and so many judged
# documents.
OF_SPELLINGS = 5, 100, 200


@dataclass(eq=False, repr=False)
class Meeting:
    """What is known, block by block, of how a run and judgments meet; the numbers are those of `Met`.

    `apart` is the number of topics in which nothing meets, `in_run` that of judged topics that the run has, `sample`
    has some of its topics and documents.
    """

    results: int = 0
    judged: int = 0
    possible: int = 0
    apart: int = 0
    in_marked: int = 0
    marked: int = 0
    of_text: bool = False
    in_run: int = 0
    sample: list[Grouped] = field(default_factory=list)

    @property
    def little(self) -> bool:
        """Whether nothing meets, or little does."""
        return self.judged * LITTLE <= self.possible and self.possible > 0

    @property
    def is_plain(self) -> bool:
        """Whether nothing is to be said of it: much meets, and it does so in all topics."""
        return not self.little and not self.of_text and not self.sample

    def add(self, noticed: Noticed, sample: list[Grouped]) -> None:
        """What is known of a block."""
        met = noticed.met
        self.results += met.results
        self.judged += met.judged
        self.possible += met.possible
        self.apart += len(met.apart)
        self.in_marked += met.in_marked or 0
        self.marked += met.marked or 0
        self.of_text |= met.in_marked is not None
        self.in_run += len(noticed.topics)
        self.sample += sample[: TOPICS * RESULTS - len(self.sample)]

    def join(self, other: Meeting, most: int) -> None:
        """What is known of another part of the run; of its sample only so much that at most so many pairs are kept."""
        for name in ("results", "judged", "possible", "apart", "in_marked", "marked", "in_run"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.of_text |= other.of_text
        self.sample += other.sample[: max(most - len(self.sample), 0)]

    def fault(self, label: str, judgments: str, judged: list[Grouped]) -> InputError | None:
        """The error where nothing meets, and would without a difference that is certain, or where quotations were taken
        for ids.

        `judgments` is the name of these, `judged` are documents that are judged for the topics of the sample.
        """
        if self.judged or not self.results:
            return None
        what = f"no document of {label} is judged in {judgments}"
        apart = self.difference(judged)
        if apart is not None and not apart.guess:
            return InputError(f"{what}: {apart.pair}; they would meet without {apart}")
        if are_quotations([document for _, document in judged], [document for _, document in self.sample]):
            ours, theirs = quoted(self.sample[0][1]), quoted(judged[0][1])
            hint = "these look like quotations: give documents= to have them found"
            return InputError(f"{what}: {ours} against {theirs}; {hint}")
        return None

    def note(self, judgments: str, judged: list[Grouped], known: int | None = None) -> str | None:
        """What is said where little meets; of `judgments` and `judged` as in `fault`.

        `known` is how many of those judged are among the documents, None where that cannot be asked.
        """
        if self.is_plain:
            return None
        results, in_topics = counted(self.results, "result"), f"in {counted(self.in_run, 'topic')}"
        if self.little and not self.judged:
            return f"no document of {results} {in_topics} is judged in {judgments}{self.cause(judged, known)}"
        if self.little:
            what = "is of a judged document" if self.judged == 1 else "are of judged documents"
            return f"only {self.judged:,} of {results} {in_topics} {what}{self.cause(judged)}"
        if (differing := self.difference(judged)) and differing.is_likely:
            what = f"no result of {self.apart:,} of {counted(self.in_run, 'topic')} is of a judged document"
            what = what if self.apart else "some results are of no judged document"
            return f"{what}; perhaps the ids differ by {differing} alone: {differing.pair}"
        if self.of_text and not self.in_marked:
            return f"no result of {self.results:,} {in_topics} is of a document with highlighted text"
        if self.of_text and not self.marked:
            what = f"{counted(self.in_marked, 'result')} of documents with highlighted text, and none has any of it"
            return f"{what}; {OTHER_TEXT}"
        return None

    def cause(self, judged: list[Grouped], known: int | None = None) -> str:
        """Why little may meet, or ids of both; of `known` as in `note`."""
        apart = self.difference(judged)
        if apart is not None:
            return f"; perhaps the ids differ by {apart} alone: {apart.pair}"
        if self.judged or not self.sample:
            return ""
        here = dict.fromkeys(document for _, document in self.sample)
        there = [document for _, document in judged]
        if not here.keys().isdisjoint(there):
            return "; some are judged for other topics"
        from assay.tables.id_forms import difference

        if apart := difference([("", document) for document in here], [("", document) for document in there]):
            return f"; perhaps the ids differ by {apart} alone: {apart.pair}"
        ours, theirs = quoted(self.sample[0][1]), quoted(there[0])
        hint = QUOTATIONS if known == 0 and any(" " in name or name.isalpha() for name in there) else ""
        return f"; its ids are such as {ours}, and those of the judgments such as {theirs}{hint}"

    def difference(self, judged: list[Grouped]) -> Difference | None:
        """What the documents of the run differ by from those judged for the same topics."""
        known = set(judged)
        from assay.tables.id_forms import difference

        return difference([pair for pair in self.sample if pair not in known], judged)

    def judged_sample(self, pool: Pool) -> list[Grouped]:
        """Documents that are judged for the topics of the sample."""
        return pool.judged_of(list(dict.fromkeys(topic for topic, _ in self.sample)), JUDGED)


def sampled(run: Run, noticed: Noticed, pool: Pool) -> list[Grouped]:
    """Some documents of judged topics, where little of a block of a run meets; else of topics in which nothing does,
    and those that are spelt otherwise.
    """
    met = noticed.met
    is_little = met.judged * LITTLE <= met.possible
    if is_little:
        return results_of(noticed.topics[:TOPICS], RESULTS, run, pool)[: TOPICS * RESULTS]
    return results_of(met.apart[:FEW], FEW, run, pool) + spelt_otherwise(noticed.topics, run, pool)


def results_of(topics: Ints, most: int, run: Run, pool: Pool) -> list[Grouped]:
    """The first results of some topics of the pool, of each at most so many."""
    if not len(topics):
        return []
    known = {pool.topics[number] for number in topics.tolist()}
    sample: list[Grouped] = []
    streaks, starts = run.topic.streak_ids()
    for at, name in names_like(known, streaks):
        if name in known:
            start, end = starts[at : at + 2].tolist()
            sample += [(name, document) for document in documents_at(run, start, min(end, start + most))]
    return sample


def names_like(known: set[str], ids: Ids) -> Iterator[tuple[int, str]]:
    """The rows of ids that may be some that are known, and their texts; most are told by their keys to be others."""
    if ids.known_texts is not None:
        return enumerate(ids.known_texts)
    keys, wanted = ids.keys(), np.sort(Ids.of(known).keys())
    near = np.flatnonzero(wanted[np.minimum(np.searchsorted(wanted, keys), len(wanted) - 1)] == keys)
    return zip(near.tolist(), ids[near].texts(), strict=True)


def documents_at(run: Run, start: int, end: int) -> list[str]:
    """The documents of some rows; those that are texts in memory are not laid out for that."""
    column = run.document
    return column.held[start:end] if isinstance(column, HeldIds) else column[start:end].texts()


def spelt_otherwise(topics: Ints, run: Run, pool: Pool) -> list[Grouped]:
    """Results of some topics whose ids are those of judged documents but for leading zeros, percent signs or the
    Unicode form.

    A program that takes ids for numbers, addresses or names of files changes only some of them, so that most of the
    others meet.
    """
    few, most, most_judged = OF_SPELLINGS
    first = "\n".join(["", *documents_at(run, 0, most)])
    if first.isascii() and "\n0" not in first and "%" not in first and not pool.has_odd_spellings:
        return []
    from assay.tables.id_forms import spelt_plainly

    results = results_of(topics[:few], most, run, pool)
    judged = set(pool.judged_of(list(dict.fromkeys(topic for topic, _ in results)), most_judged))
    # one that was returned as it is judged, too, is another document
    lacking = {(topic, spelt_plainly(name)) for topic, name in judged.difference(results)}
    return [
        (topic, name)
        for topic, name in results
        if (topic, name) not in judged and (topic, spelt_plainly(name)) in lacking
    ]


def are_quotations(judged: list[str], returned: list[str]) -> bool:
    """Whether what was judged is quotations, as most of it has many words, and what was returned is ids, which have
    few.
    """
    with_words = sum(len(document.split()) >= WORDS for document in judged)
    return with_words * 2 > len(judged) and all(len(document.split()) < WORDS for document in returned)


def documents_among(judged: list[Grouped], pool: Pool) -> int | None:
    """How many of the judged documents are among those given; None where none are given, or parts of them judged, or a
    name is that of several.
    """
    table = pool.judgments
    if pool.documents is None or table.highlights is not None or table.elements is not None:
        return None
    try:
        return sum(pool.documents.own_id(document) is not None for document in {document for _, document in judged})
    except InputError:
        return None


def texts_as_ids_noted(judgments: Judgments) -> list[str]:
    """That what is judged looks like texts, which are ids here and nothing else."""
    if judgments.highlights is not None or judgments.elements is not None:
        return []
    first = judgments.document[:FIRST].texts()
    if 2 * sum(len(document.split()) >= WORDS_OF_TEXTS for document in first) <= len(first):
        return []
    what = f"what is judged looks like texts, as {quoted(first[0])}"
    return [f"{judgments.name}: {what}, and is compared as ids, whole; give documents= to have texts found"]


def other_topics(label: str, ours: Sequence[str], judgments: str, theirs: Sequence[str]) -> InputError:
    """The error about a run that has no topic of the judgments."""
    apart = topics_apart(ours, theirs)
    why = f"; they would meet without {apart}" if apart else ""
    ours, theirs = listed(list(ours), 2), listed(list(theirs), 2)
    return InputError(f"{label} and {judgments} have no topic in common ({ours} against {theirs}){why}")


def refuse_other_titles(file: str, titles: OfTopics, judgments: str, topics: Sequence[str]) -> None:
    """A file with the titles of topics must have that of a judged topic."""
    if not any(titles.of(topic) for topic in topics):
        raise other_topics(file, list(titles.topics), judgments, topics)


def topics_apart(ours: Sequence[str], theirs: Sequence[str]) -> Difference | None:
    """What the names of topics differ by."""
    most = TOPICS * RESULTS
    from assay.tables.id_forms import difference

    in_run, judged = ([("", topic) for topic in topics[:most]] for topics in (ours, theirs))
    return difference(in_run, judged, of_chunks=False)


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
