"""What was decided on the user's behalf: topics left out, ties broken, overlap resolved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from assay.errors import InputError, counted, listed
from assay.evaluation.tallies import (
    OTHER_TEXT,
    Outcome,
    PoolTally,
    SomeNames,
    Tally,
    Unlike,
    other_topics,
    topics_apart,
)
from assay.measures.base import Measure
from assay.ranking.align import MANY
from assay.ranking.kinds import SUBTOPICS, kinds_of
from assay.ranking.pool import Pool
from assay.ranking.rules import Rules
from assay.tables.ids import Bools
from assay.tables.judgments import Judgments
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

REPEATED = "{} of a document that stands in its topic already, left out; "
DUPLICATES = {"first": "the first counts", "best": "the best score counts"}
OF_PARTS = "{} of a document that stands in its topic already; whole documents are counted, each at its first result"
RISING = (
    f"the scores rise from row to row in {{}}, all that have {MANY} results or more; the highest counts as the best; "
    "if they are distances, give them with a minus"
)
ABSENT = "{} of documents that are neither judged nor among those given; are their ids right?"

# What is said of judged documents whose highlighted text is not as their file says.
HIGHLIGHTS = (
    "with overlapping highlighted spans, each character counted once",
    "whose rsize is not the sum of its spans, which are counted",
    "with text highlighted beyond its end, counted all the same",
)


class Remark(NamedTuple):
    """What is said of a run; `{}` in it stands for a number of things, which may differ from run to run."""

    what: str
    number: int = 0
    noun: str = ""


def settled(outcome: Outcome, pool: Pool, barren: Bools, topics: Topics) -> None:
    """Topics that do not count have no value; `barren` are those with nothing relevant."""
    missing = ~outcome.in_run
    if topics == "error" and (missing.any() or outcome.unjudged):
        lacking = SomeNames.of(pool.topics, missing)
        which = f"lacks {lacking}" if lacking.number else f"has unjudged {SomeNames.of(outcome.unjudged)}"
        raise InputError(f"the topics of {outcome.name} and {pool.judgments.name} differ: the run {which}")
    if topics == "common":
        outcome.values[:, missing] = np.nan
    if topics == "relevant":
        outcome.values[:, barren] = np.nan


def notes_on(
    runs: list[Tally],
    judged: PoolTally,
    measures: list[Measure],
    topics: Topics,
    rules: Rules,
    in_reading: Sequence[str] = (),
) -> list[str]:
    """A line for each thing that was decided on the user's behalf.

    First of all stands what is said of runs of which little or nothing is judged, and then what was decided in reading.
    """
    notes = merged_remarks((run.name, remark) for run in runs for remark in apart(run, judged.name))
    notes += in_reading
    notes += merged_remarks((run.name, Remark(note)) for run in runs for note in run.notes)
    if judged.barren.number:
        fate = "left out" if topics == "relevant" else "scored 0"
        what = f"{_of_all(judged.barren, judged.topics.number)} topics with nothing relevant, {fate}"
        notes.append(f"{judged.name}: {what}: {judged.barren}")
    if judged.absent.number:
        what = f"{judged.absent.number:,} of {counted(judged.marked, 'document')} with highlighted text"
        notes.append(f"{judged.name}: {what} not in {judged.documents}: {judged.absent}")
    notes += highlight_notes(judged.name, judged.unlike)
    decisions: list[tuple[str, Remark]] = []
    for run in runs:
        remarks = *topics_noted(run, judged.topics.number, topics), *of_results(run, rules)
        decisions += [(run.name, remark) for remark in remarks]
    return notes + merged_remarks(decisions) + merged_remarks(never_reached(runs, measures))


def highlight_notes(name: str, unlike: Unlike) -> Iterator[str]:
    """What was made of highlighted text that is not as its file says."""
    for what, number in zip(HIGHLIGHTS, unlike, strict=True):
        if number:
            yield f"{name}: {counted(number, 'judged document')} {what}"


def apart(run: Tally, judgments: str) -> Iterator[Remark]:
    """That little of a run and of the judgments meets."""
    if note := run.meeting.note(judgments, run.judged, run.known):
        yield Remark(note)
    # fewer topics meet than would without a difference in their names
    if min(run.missing.number, run.unjudged.number) > run.in_run and (
        differ := topics_apart(run.unjudged.kept, run.missing.kept)
    ):
        number = f"only {run.in_run:,} of {counted(run.in_run + run.missing.number, 'judged topic')}"
        yield Remark(f"{number} in the run; perhaps the names of the others differ by {differ} alone: {differ.pair}")


def refuse_apart(label: str, run: Tally, judged: PoolTally) -> None:
    """A run must have topics of the judgments, and their ids must not be of another form."""
    if not run.in_run and not run.unjudged.number:
        raise InputError("is empty; expected a run", label)
    if not run.in_run:
        raise other_topics(label, run.unjudged.kept, judged.name, judged.topics.kept)
    if fault := run.meeting.fault(label, judged.name, run.judged):
        raise InputError("; ".join([str(fault), *run.notes]))


def topics_noted(run: Tally, total: int, topics: Topics | None = None) -> Iterator[Remark]:
    """The topics that only the run or only the judgments, `total` in all, have; and what became of them, where some are
    to count.
    """
    missing, empty = run.missing, run.empty
    left_out, as_if = (", left out", ", scored as if nothing was retrieved") if topics else ("", "")
    if missing.number:
        fate = left_out if topics == "common" else as_if
        yield Remark(f"{_of_all(missing, total)} judged topics not in the run{fate}: {missing}")
    if empty.number:
        yield Remark(f"{_of_all(empty, total)} judged topics with no results in the run{as_if}: {empty}")
    if run.unjudged.number:
        yield Remark(f"{counted(run.unjudged.number, 'topic')} without judgments{left_out}: {run.unjudged}")


def of_results(run: Tally, rules: Rules) -> Iterator[Remark]:
    """What was done to the results of a run."""
    counts = run.counts
    repeated = OF_PARTS if run.has_parts else REPEATED + DUPLICATES.get(rules.duplicates, "")
    ties = (TIES_OF_PARTS if run.has_parts else TIES)[rules.ties]
    for remark in (
        Remark("tied scores could change a value in {}; " + ties, counts.tied, "topic"),
        Remark("{} overlapping an earlier one; " + OVERLAP.get(rules.overlap, ""), counts.overlapping, "result"),
        Remark("{} with the same place as an earlier one; are several runs in one?", counts.same, "result"),
        Remark(f"{{}} beyond the end of their documents, counted all the same; {OTHER_TEXT}", counts.beyond, "result"),
        Remark(ABSENT, counts.absent, "result"),
        Remark("the scores do not descend with the ranks in {}; the ranks tell the order", counts.disputed, "topic"),
        Remark("the scores do not descend with the ranks in {}; the scores tell the order", counts.misranked, "topic"),
        Remark(RISING, 0 if counts.falling else counts.rising, "topic"),
        Remark(repeated, counts.repeats, "result"),
        Remark("{} with more results than the task allows; all of them count", counts.too_long, "topic"),
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


def never_reached(runs: list[Tally], measures: list[Measure]) -> Iterator[tuple[str, Remark]]:
    """The topics in which a measure is infinite, which a median over topics does not show."""
    for run in runs:
        for measure, infinite, number in zip(measures, run.infinite, run.counted, strict=True):
            if infinite.number:
                of_all = f"{_of_all(infinite, number)} topics"
                yield run.name, Remark(f"{measure} is never reached in {of_all}, and infinite there: {infinite}")


def _of_all(some: SomeNames, total: int) -> str:
    return f"{some.number:,} of {total:,}"


# What measures make of grades that can be taken in two ways: of those for subtopics, and of those between 0 and 1.


def notes_on_grades(measures: list[Measure], judgments: Judgments) -> list[str]:
    """A line for each thing that was decided about grades."""
    notes = *on_subtopics(measures, judgments), *on_fractions(measures, judgments)
    return [f"{judgments.name}: {note}" for note in notes]


def on_subtopics(measures: list[Measure], judgments: Judgments) -> Iterator[str]:
    """What measures of documents make of documents that are judged by subtopics."""
    others = [str(measure) for measure in measures if SUBTOPICS not in measure.kinds]
    if others and SUBTOPICS in kinds_of(judgments):
        takes = "takes" if len(others) == 1 else "take"
        yield f"{listed(others)} {takes} the highest of a document's grades for the subtopics"


def on_fractions(measures: list[Measure], judgments: Judgments) -> Iterator[str]:
    """What measures that know only relevant and not relevant make of grades between 0 and 1, where nobody said."""
    between = judgments.grade[(judgments.grade > 0) & (judgments.grade < 1)]
    if len(between):
        yield from between_0_and_1(measures, len(between), between.min().item())


def between_0_and_1(measures: list[Measure], number: int, lowest: float) -> Iterator[str]:
    """The same of so many documents with such grades, of which one is the lowest."""
    binary = (measure for measure in measures if not getattr(measure, "graded", False))
    usual: list[Any] = [measure for measure in binary if getattr(measure, "rel", None) == 1]
    if usual:
        have, them = ("has a grade", "it") if number == 1 else ("have grades", "them")
        named, instead = listed([str(measure) for measure in usual]), replace(usual[0], rel=lowest)
        what = f"{counted(number, 'document')} {have} between 0 and 1, not relevant to {named}"
        yield f"{what}; {instead} would count {them}"
