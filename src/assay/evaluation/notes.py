"""What a run scored, and what was decided on the user's behalf: topics left out, ties broken, overlap resolved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.errors import InputError, counted, listed
from assay.measures.base import Measure
from assay.ranking.align import Aligned
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
OVERLAP = {
    "paid": "text that was seen before is paid for: read again, and gains nothing",
    "new": "text counts where it is seen first",
    "drop": "left out",
}


@dataclass(eq=False, repr=False)
class Outcome:
    """What one run scored: values[measure, topic] in the pool's order of topics, and what was noticed.

    `in_run` are the topics that the run has, `kept` is what was kept of each of its blocks.
    """

    name: str
    values: Floats
    in_run: Bools
    unjudged: list[str] = field(default_factory=list)
    tied: list[int] = field(default_factory=list)
    overlapping: int = 0
    too_long: int = 0
    beyond: int = 0
    disputed: int = 0
    kept: list[Any] = field(default_factory=list)

    def has_any(self, aligned: Aligned) -> bool:
        """Whether a topic of a block has been met before."""
        return bool(self.in_run[aligned.topics].any()) or not set(self.unjudged).isdisjoint(aligned.unjudged)

    def add(self, aligned: Aligned, values: Floats) -> None:
        """The values of a block's topics, and what was noticed in it."""
        self.values[:, aligned.topics] = values
        self.in_run[aligned.topics] = True
        self.unjudged += aligned.unjudged
        self.tied += aligned.tied.tolist()
        self.overlapping += aligned.overlapping
        self.too_long += aligned.too_long
        self.beyond += aligned.beyond
        self.disputed += aligned.disputed


def decided(outcomes: list[Outcome], pool: Pool, topics: Topics, rules: Rules) -> tuple[Floats, list[str]]:
    """The values of the topics that count, and a line for each thing that was decided on the user's behalf."""
    everything = pool.ideal(np.arange(len(pool.topics)))
    barren = everything.total(everything.relevant(1)) == 0
    notes = []
    if barren.any():
        fate = "left out" if topics == "relevant" else "scored 0"
        what = f"{_of_all(barren)} topics with nothing relevant, {fate}"
        notes.append(f"{pool.judgments.name}: {what}: {_names(barren, pool)}")
    notes += highlight_notes(pool)
    for outcome in outcomes:
        missing = ~outcome.in_run
        if topics == "error" and (missing.any() or outcome.unjudged):
            which = f"lacks {_names(missing, pool)}" if missing.any() else f"has unjudged {listed(outcome.unjudged)}"
            raise InputError(f"the topics of {outcome.name} and {pool.judgments.name} differ: the run {which}")
        if missing.any():
            fate = "left out" if topics == "common" else "scored as if nothing was retrieved"
            what = f"{_of_all(missing)} judged topics not in the run, {fate}"
            notes.append(f"{outcome.name}: {what}: {_names(missing, pool)}")
        if outcome.unjudged:
            number = counted(len(outcome.unjudged), "topic")
            notes.append(f"{outcome.name}: {number} without judgments, left out: {listed(outcome.unjudged)}")
        for times, noun, what in (
            (len(outcome.tied), "topic", "tied scores could change a value in {}; " + TIES[rules.ties]),
            (outcome.overlapping, "result", "{} overlapping an earlier one; " + OVERLAP.get(rules.overlap, "")),
            (outcome.beyond, "result", "{} beyond the end of their documents, counted all the same"),
            (outcome.disputed, "topic", "the scores do not descend with the ranks in {}; the ranks tell the order"),
            (outcome.too_long, "topic", "{} with more results than the task allows; all of them count"),
        ):
            if times:
                notes.append(f"{outcome.name}: {what.format(counted(times, noun))}")
        if topics == "common":
            outcome.values[:, missing] = np.nan
        if topics == "relevant":
            outcome.values[:, barren] = np.nan
    return np.stack([outcome.values for outcome in outcomes]), notes


def never_reached(systems: list[str], measures: list[Measure], topics: list[str], values: Floats) -> Iterator[str]:
    """The topics in which a measure is infinite, which a median over topics does not show."""
    for system, of_system in zip(systems, values, strict=True):
        for measure, row in zip(measures, of_system, strict=True):
            infinite = np.flatnonzero(np.isinf(row))
            if len(infinite):
                of_all = f"{len(infinite):,} of {np.count_nonzero(~np.isnan(row)):,}"
                names = listed([topics[number] for number in infinite])
                yield f"{system}: {measure} is never reached in {of_all} topics, and infinite there: {names}"


def highlight_notes(pool: Pool) -> Iterator[str]:
    """What was made of highlighted text that is not as its file says."""
    highlights = pool.judgments.highlights
    if highlights is None:
        return
    size = pool.text.marks.size
    in_file = np.bincount(highlights.row, highlights.end - highlights.start, minlength=len(size)).astype(np.int64)
    shared = np.count_nonzero(in_file > size)
    told = np.count_nonzero((highlights.rsize >= 0) & (highlights.rsize != in_file))
    beyond = np.count_nonzero((highlights.length >= 0) & (pool.text.marks.line.last > highlights.length))
    for number, what in (
        (shared, "with overlapping highlighted spans, each character counted once"),
        (told, "whose rsize is not the sum of its spans, which are counted"),
        (beyond, "with text highlighted beyond its end, counted all the same"),
    ):
        if number:
            yield f"{pool.judgments.name}: {counted(int(number), 'judged document')} {what}"


def _of_all(which: Bools) -> str:
    return f"{int(which.sum()):,} of {len(which):,}"


def _names(which: Bools, pool: Pool) -> str:
    return listed([pool.topics[number] for number in np.flatnonzero(which)])
