"""What a run scored, and what was decided on the user's behalf: topics left out, ties broken, overlap resolved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from assay.errors import InputError, counted, listed
from assay.evaluation.meeting import Meeting, topic_note
from assay.measures.base import Measure
from assay.ranking.align import Aligned
from assay.ranking.gold_standards import GoldStandards, barren_topics
from assay.ranking.pool import Pool
from assay.ranking.rules import Rules
from assay.tables.ids import Bools, Floats
from assay.vocabulary import Topics

TIES = {
    "docno": "ties broken by document id",
    "input": "ties left in input order",
    "rank": "ties broken by rank",
    "expected": "ties averaged over all orders",
}
# The parts of a document stand in order too.
TIES_OF_PARTS = TIES | {"docno": "ties broken by document id, within a document by position"}
OVERLAP = {
    "paid": "text that was seen before is paid for: read again, and gains nothing",
    "new": "text counts where it is seen first",
    "drop": "left out",
}

# What is said of judged documents whose highlighted text is not as their file says.
HIGHLIGHTS = (
    "with overlapping highlighted spans, each character counted once",
    "whose rsize is not the sum of its spans, which are counted",
    "with text highlighted beyond its end, counted all the same",
)


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
    tied: list[int] = field(default_factory=list)
    overlapping: int = 0
    too_long: int = 0
    beyond: int = 0
    disputed: int = 0
    meeting: Meeting = field(default_factory=Meeting)
    misranked: int = 0
    notes: dict[str, None] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)

    def has_any(self, aligned: Aligned) -> bool:
        """Whether a topic of a block has been met before."""
        return bool(self.in_run[aligned.topics].any()) or not set(self.unjudged).isdisjoint(aligned.unjudged)

    def add(self, aligned: Aligned, values: Floats) -> None:
        """The values of a block's topics, and what was noticed in it."""
        self.values[:, aligned.topics] = values
        self.in_run[aligned.topics] = True
        self.has_parts |= aligned.has_parts
        self.unjudged += aligned.unjudged
        self.tied += aligned.tied.tolist()
        self.overlapping += aligned.overlapping
        self.too_long += aligned.too_long
        self.beyond += aligned.beyond
        self.disputed += aligned.disputed
        self.misranked += aligned.misranked
        self.notes |= dict.fromkeys(aligned.notes)


class Remark(NamedTuple):
    """What is said of a run; `{}` in it stands for a number of things, which may differ from run to run."""

    what: str
    number: int = 0
    noun: str = ""


def decided(
    outcomes: list[Outcome],
    pool: Pool,
    topics: Topics,
    rules: Rules,
    in_reading: Sequence[str] = (),
    standards: GoldStandards | None = None,
) -> tuple[Floats, list[str]]:
    """The values of the topics that count, and a line for each thing that was decided on the user's behalf.

    First of all stands what is said of runs of which little or nothing is judged, and then what was decided in reading.
    """
    barren = barren_topics(pool)
    notes = merged_remarks((outcome.name, remark) for outcome in outcomes for remark in apart(outcome, pool))
    notes += in_reading
    notes += [f"{pool.judgments.name}: {note}" for note in pool.judgments.notes]
    notes += merged_remarks((outcome.name, Remark(note)) for outcome in outcomes for note in outcome.notes)
    if barren.any():
        fate = "left out" if topics == "relevant" else "scored 0"
        what = f"{_of_all(barren)} topics with nothing relevant, {fate}"
        notes.append(f"{pool.judgments.name}: {what}: {_names(barren, pool)}")
    notes += absent_documents(pool)
    notes += highlight_notes(standards.pools if standards else [pool])
    remarks: list[tuple[str, Remark]] = []
    for outcome in outcomes:
        missing = ~outcome.in_run
        if topics == "error" and (missing.any() or outcome.unjudged):
            which = f"lacks {_names(missing, pool)}" if missing.any() else f"has unjudged {listed(outcome.unjudged)}"
            raise InputError(f"the topics of {outcome.name} and {pool.judgments.name} differ: the run {which}")
        decisions = *topics_noted(outcome, pool, topics), *of_results(outcome, rules)
        remarks += [(outcome.name, remark) for remark in decisions]
        if topics == "common":
            outcome.values[:, missing] = np.nan
        if topics == "relevant":
            outcome.values[:, barren] = np.nan
    return np.stack([outcome.values for outcome in outcomes]), notes + merged_remarks(remarks)


def apart(outcome: Outcome, pool: Pool) -> Iterator[Remark]:
    """That little of a run and of the judgments meets."""
    if note := outcome.meeting.note(pool):
        yield Remark(note)
    missing = [pool.topics[number] for number in np.flatnonzero(~outcome.in_run)]
    yield from map(Remark, topic_note(missing, outcome.unjudged, int(outcome.in_run.sum())))


def topics_noted(outcome: Outcome, pool: Pool, topics: Topics | None = None) -> Iterator[Remark]:
    """The topics that only the run or only the judgments have; and what became of them, where some are to count."""
    missing, empty = ~outcome.in_run, outcome.empty
    left_out, as_if = (", left out", ", scored as if nothing was retrieved") if topics else ("", "")
    if missing.any():
        fate = left_out if topics == "common" else as_if
        yield Remark(f"{_of_all(missing)} judged topics not in the run{fate}: {_names(missing, pool)}")
    if empty.any():
        yield Remark(f"{_of_all(empty)} judged topics with no results in the run{as_if}: {_names(empty, pool)}")
    if outcome.unjudged:
        number = counted(len(outcome.unjudged), "topic")
        yield Remark(f"{number} without judgments{left_out}: {listed(outcome.unjudged)}")


def of_results(outcome: Outcome, rules: Rules) -> Iterator[Remark]:
    """What was done to the results of a run."""
    ties = (TIES_OF_PARTS if outcome.has_parts else TIES)[rules.ties]
    for remark in (
        Remark("tied scores could change a value in {}; " + ties, len(outcome.tied), "topic"),
        Remark("{} overlapping an earlier one; " + OVERLAP.get(rules.overlap, ""), outcome.overlapping, "result"),
        Remark("{} beyond the end of their documents, counted all the same", outcome.beyond, "result"),
        Remark("the scores do not descend with the ranks in {}; the ranks tell the order", outcome.disputed, "topic"),
        Remark("the scores do not descend with the ranks in {}; the scores tell the order", outcome.misranked, "topic"),
        Remark("{} with more results than the task allows; all of them count", outcome.too_long, "topic"),
    ):
        if remark.number:
            yield remark


def merged_remarks(remarks: Iterable[tuple[str, Remark]]) -> list[str]:
    """Remarks on runs as lines; what is said of several, but for a number, is one line."""
    by_what: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for name, remark in remarks:
        by_what.setdefault((remark.what, remark.noun), []).append((name, remark.number))
    lines = []
    for (what, noun), runs in by_what.items():
        names, numbers = [name for name, _ in runs], [number for _, number in runs]
        who = names[0] if len(names) == 1 else f"{len(names)} systems ({listed(names)})"
        between = f"{min(numbers):,} to " if min(numbers) < max(numbers) else ""
        lines.append(f"{who}: {what.replace('{}', between + counted(max(numbers), noun)) if noun else what}")
    return lines


def never_reached(systems: list[str], measures: list[Measure], topics: list[str], values: Floats) -> list[str]:
    """The topics in which a measure is infinite, which a median over topics does not show."""
    remarks = []
    for system, of_system in zip(systems, values, strict=True):
        for measure, row in zip(measures, of_system, strict=True):
            infinite = np.flatnonzero(np.isinf(row))
            if len(infinite):
                of_all = f"{len(infinite):,} of {np.count_nonzero(~np.isnan(row)):,}"
                names = listed([topics[number] for number in infinite])
                what = f"{measure} is never reached in {of_all} topics, and infinite there: {names}"
                remarks.append((system, Remark(what)))
    return merged_remarks(remarks)


def absent_documents(pool: Pool) -> Iterator[str]:
    """That documents with highlighted text are not among those that are given."""
    if pool.documents is None or pool.judgments.highlights is None:
        return
    marked = pool.text.marks.size > 0
    absent = dict.fromkeys(pool.judgments.document[marked & (pool.text.length < 0)].texts())
    if absent:
        number = counted(len(set(pool.judgments.document[marked].texts())), "document")
        what = f"{len(absent):,} of {number} with highlighted text not in {pool.documents.label}"
        yield f"{pool.judgments.name}: {what}: {listed(list(absent))}"


def highlight_notes(pools: list[Pool]) -> Iterator[str]:
    """What was made of highlighted text that is not as its file says."""
    for what, numbers in zip(HIGHLIGHTS, zip(*map(unlike_the_file, pools), strict=True), strict=True):
        if sum(numbers):
            yield f"{pools[0].judgments.name}: {counted(sum(numbers), 'judged document')} {what}"


def unlike_the_file(pool: Pool) -> tuple[int, int, int]:
    """How many judged documents there are of which each of HIGHLIGHTS is to be said."""
    highlights = pool.judgments.highlights
    if highlights is None:
        return 0, 0, 0
    size = pool.text.marks.size
    in_file = np.bincount(highlights.row, highlights.end - highlights.start, minlength=len(size)).astype(np.int64)
    shared = np.count_nonzero(in_file > size)
    told = np.count_nonzero((highlights.rsize >= 0) & (highlights.rsize != in_file))
    beyond = np.count_nonzero((pool.text.length >= 0) & (pool.text.marks.line.last > pool.text.length))
    return int(shared), int(told), int(beyond)


def _of_all(which: Bools) -> str:
    return f"{int(which.sum()):,} of {len(which):,}"


def _names(which: Bools, pool: Pool) -> str:
    return listed([pool.topics[number] for number in np.flatnonzero(which)])
