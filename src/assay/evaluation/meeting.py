"""Whether the ids of a run and of judgments meet.

A zero may be right, or nonsense where the two name the same things differently. What can be known to be a mistake is an
error: nothing meets, and something would without a difference in the form of the ids. What only looks like one is a
note. Ids are looked at only where nothing meets, or little does, and then only a sample of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assay.errors import InputError, counted, listed, quoted
from assay.ranking.align import Aligned
from assay.ranking.pool import Pool
from assay.tables.id_forms import Difference, Grouped, difference
from assay.tables.run import Run

# Little meets where at most one in so many documents is judged that could be.
LITTLE = 20
# The sample: so many topics, of each so many results, and so many judged documents.
TOPICS, RESULTS, JUDGED = 50, 100, 1000


@dataclass(eq=False, repr=False)
class Meeting:
    """What is known, block by block, of how a run and judgments meet; the numbers are those of `Met`.

    `in_run` is the number of judged topics that the run has, `sample` some of its topics and documents.
    """

    results: int = 0
    judged: int = 0
    possible: int = 0
    in_marked: int = 0
    marked: int = 0
    of_text: bool = False
    in_run: int = 0
    sample: list[Grouped] = field(default_factory=list)

    @property
    def little(self) -> bool:
        """Whether nothing meets, or little does."""
        return self.judged * LITTLE <= self.possible and self.possible > 0

    def add(self, aligned: Aligned, sample: list[Grouped]) -> None:
        """What is known of a block."""
        met = aligned.met
        self.results += met.results
        self.judged += met.judged
        self.possible += met.possible
        self.in_marked += met.in_marked or 0
        self.marked += met.marked or 0
        self.of_text |= met.in_marked is not None
        self.in_run += len(aligned.topics)
        self.sample += sample[: TOPICS * RESULTS - len(self.sample)]

    def fault(self, label: str, pool: Pool) -> InputError | None:
        """The error where nothing meets, and would without a difference that is certain."""
        if self.judged or not self.results:
            return None
        apart = self.difference(pool)
        if apart is None or apart.guess:
            return None
        what = f"no document of {label} is judged in {pool.judgments.name}"
        return InputError(f"{what}: {apart.pair}; they would meet without {apart}")

    def note(self, pool: Pool) -> str | None:
        """What is said where little meets."""
        if not self.little and not (self.of_text and not self.marked):
            return None
        results, in_topics = counted(self.results, "result"), f"in {counted(self.in_run, 'topic')}"
        if self.little and not self.judged:
            return f"no document of {results} {in_topics} is judged in {pool.judgments.name}{self.cause(pool)}"
        if self.little:
            what = "is of a judged document" if self.judged == 1 else "are of judged documents"
            return f"only {self.judged:,} of {results} {in_topics} {what}{self.cause(pool)}"
        if self.of_text and not self.in_marked:
            return f"no result of {self.results:,} {in_topics} is of a document with highlighted text"
        if self.of_text and not self.marked:
            what = f"{counted(self.in_marked, 'result')} of documents with highlighted text, and none has any of it"
            return f"{what}; are they places in another text, or not counted in characters from 0?"
        return None

    def cause(self, pool: Pool) -> str:
        """Why little may meet, or ids of both."""
        apart = self.difference(pool)
        if apart is not None:
            return f"; perhaps the ids differ by {apart} alone: {apart.pair}"
        if self.judged or not self.sample:
            return ""
        here = dict.fromkeys(document for _, document in self.sample)
        there = [document for _, document in self.judged_sample(pool)]
        if not here.keys().isdisjoint(there):
            return "; some are judged for other topics"
        if apart := difference([("", document) for document in here], [("", document) for document in there]):
            return f"; perhaps the ids differ by {apart} alone: {apart.pair}"
        ours, theirs = quoted(self.sample[0][1]), quoted(there[0])
        return f"; its ids are such as {ours}, and those of the judgments such as {theirs}"

    def difference(self, pool: Pool) -> Difference | None:
        """What the documents of the run differ by from those judged for the same topics."""
        judged = self.judged_sample(pool)
        known = set(judged)
        return difference([pair for pair in self.sample if pair not in known], judged)

    def judged_sample(self, pool: Pool) -> list[Grouped]:
        """Documents that are judged for the topics of the sample."""
        topics = dict.fromkeys(topic for topic, _ in self.sample)
        return [(topic, document) for topic in topics for document in pool.judged_of(topic, JUDGED)]


def sampled(run: Run, aligned: Aligned, pool: Pool) -> list[Grouped]:
    """Some documents of judged topics, where little of a block of a run meets; else none."""
    met = aligned.met
    if met.judged * LITTLE > met.possible:
        return []
    known = {pool.topics[number] for number in aligned.topics[:TOPICS].tolist()}
    sample: list[Grouped] = []
    names, starts = run.topic.streaks()
    for name, start, end in zip(names, starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        if name in known:
            sample += [(name, document) for document in run.document[start : min(end, start + RESULTS)].texts()]
    return sample[: TOPICS * RESULTS]


def other_topics(label: str, topics: Sequence[str], pool: Pool) -> InputError:
    """The error about a run that has no topic of the judgments."""
    ours, theirs = listed(list(topics), 2), listed(pool.topics, 2)
    apart = topics_apart(topics, pool.topics)
    why = f"; they would meet without {apart}" if apart else ""
    return InputError(f"{label} and {pool.judgments.name} have no topic in common ({ours} against {theirs}){why}")


def topics_apart(ours: Sequence[str], theirs: Sequence[str]) -> Difference | None:
    """What the names of topics differ by."""
    most = TOPICS * RESULTS
    return difference([("", topic) for topic in ours[:most]], [("", topic) for topic in theirs[:most]])


def topic_note(missing: Sequence[str], unjudged: Sequence[str], in_run: int) -> Iterator[str]:
    """That fewer topics meet than would without a difference in their names."""
    if min(len(missing), len(unjudged)) <= in_run:
        return
    if apart := topics_apart(unjudged, missing):
        number = f"only {in_run:,} of {counted(in_run + len(missing), 'judged topic')}"
        yield f"{number} in the run; perhaps the names of the others differ by {apart} alone: {apart.pair}"
