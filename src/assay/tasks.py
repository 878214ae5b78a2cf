"""The ad hoc tasks of INEX: what a valid run is, and which measures are reported."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.errors import InputError, UsageError
from assay.ids import Ints
from assay.results import Results
from assay.spans import kept_apart, overlapping

Overlap = Literal["reject", "new", "drop"]
MOST_RESULTS = 1500


@dataclass(frozen=True)
class Task:
    """A task: its measures, what becomes of overlapping results, and what else a run must keep to.

    together: the results of a document stand together. single: one result a document. topic_chars, document_chars: how many
    characters may be returned for a topic, of a document.
    """

    measures: tuple[str, ...]
    overlap: Overlap = "reject"
    together: bool = False
    single: bool = False
    topic_chars: int | None = None
    document_chars: int | None = None


def in_context(score: str) -> tuple[str, ...]:
    """The measures of the in-context tasks with a score of documents."""
    return (*(f"gP(score={score})@{rank}" for rank in (5, 10, 25, 50)), f"AgP(score={score})")


FOCUSED = ("iP@0", "iP@0.01", "iP@0.05", "iP@0.1", "AiP")
TASKS = {
    "focused": Task(FOCUSED),
    "thorough": Task(FOCUSED, overlap="new"),
    "relevant-in-context": Task(in_context("F(beta=0.25)"), together=True),
    "best-in-context": Task(in_context("Window(n=500)"), together=True, single=True),
    "restricted-focused": Task(("P", "R", *FOCUSED), topic_chars=1000),
    "restricted-relevant-in-context": Task(in_context("T2I"), together=True, document_chars=500),
}


def task_named(name: str) -> Task:
    """The task of a name, also as INEX wrote it: RelevantInContext."""
    spelt = {known.replace("-", ""): known for known in TASKS}
    found = spelt.get("".join(letter for letter in name.lower() if letter.isalnum()))
    if found is None:
        raise UsageError(f"unknown task {name!r}; expected one of {', '.join(TASKS)}")
    return TASKS[found]


def violations(results: Results, task: Task, lengths: Ints | None = None) -> Iterator[InputError]:
    """Everything in which a run does not keep to a task; `lengths` of the results' documents where they are known, else -1."""
    yield from too_many(results)
    yield from mixed(results)
    if task.overlap == "reject":
        yield from overlaps(results)
    if task.single:
        yield from repetitions(results)
    elif task.together:
        yield from interleaved(results)
    yield from too_long(results, task)
    if lengths is not None:
        for row in np.flatnonzero((lengths >= 0) & (results.end > lengths)).tolist():
            what = f"result {span(results, row)} of document {{document}} in topic {{topic}} goes beyond its end"
            yield results.fault(f"{what}; the document has {lengths[row]:,} characters", row)


def too_many(results: Results) -> Iterator[InputError]:
    """Topics with more results than are allowed."""
    counts = np.bincount(results.code)
    for topic in np.flatnonzero(counts > MOST_RESULTS).tolist():
        row = int(np.searchsorted(results.code, topic)) + MOST_RESULTS
        yield results.fault(f"topic {{topic}} has {counts[topic]:,} results; at most {MOST_RESULTS:,} are allowed", row)


def mixed(results: Results) -> Iterator[InputError]:
    """Elements and passages in one run."""
    run = results.run
    if run.path is None or run.last is None:
        return
    passage = run.last.length[results.origin] > 0
    if passage.any() and not passage.all():
        kinds = ("an element", "a passage")
        row = int(np.flatnonzero(passage != passage[0])[0])
        what = f"{kinds[passage[row]]} in a run that begins with {kinds[passage[0]]}; one or the other is allowed"
        yield results.fault(what, row)


def overlaps(results: Results) -> Iterator[InputError]:
    """Results that share text with one of an earlier rank."""
    inside = overlapping(results.shared, results.documents)[results.shared.document]
    rows = results.again[inside]
    apart, against = kept_apart(results.shared[inside], rows)
    late = np.flatnonzero(~apart)
    for at in late[np.argsort(rows[late])].tolist():
        yield overlap_fault(results, int(rows[at]), int(rows[against[at]]))


def overlap_fault(results: Results, row: int, earlier: int) -> InputError:
    """The error about a result that overlaps one of an earlier rank."""
    what = f"result {span(results, row)} of document {{document}} in topic {{topic}} overlaps {span(results, earlier)} {{other}}"
    return results.fault(f"{what}; text may be returned once", row, earlier)


def repetitions(results: Results) -> Iterator[InputError]:
    """Results beyond the first of a document."""
    for row in np.flatnonzero(~results.first_of).tolist():
        yield results.fault("document {document} is returned again in topic {topic}; one result a document is allowed", row)


def interleaved(results: Results) -> Iterator[InputError]:
    """Results that stand apart from the others of their document."""
    document, again = results.shared.document, results.again
    order = np.lexsort((again, document))
    document, rows = document[order], again[order]
    apart = np.flatnonzero((document[1:] == document[:-1]) & (rows[1:] > rows[:-1] + 1))
    for at in apart[np.argsort(rows[apart + 1])].tolist():
        what = "document {document} is returned again in topic {topic} after others {other}; its results must stand together"
        yield results.fault(what, int(rows[at + 1]), int(rows[at]))


def too_long(results: Results, task: Task) -> Iterator[InputError]:
    """Topics and documents of which more characters are returned than are allowed."""
    size = results.end - results.start
    if task.topic_chars is not None:
        for row, total in beyond(results.code, size, task.topic_chars):
            yield results.fault(f"topic {{topic}} has {total:,} characters; at most {task.topic_chars:,} are allowed", row)
    if task.document_chars is not None:
        document = np.unique(results.pairs, return_inverse=True)[1]
        for row, total in beyond(document, size, task.document_chars):
            what = f"document {{document}} has {total:,} characters in topic {{topic}}"
            yield results.fault(f"{what}; at most {task.document_chars:,} are allowed", row)


def beyond(group: Ints, size: Ints, most: int) -> Iterator[tuple[int, int]]:
    """Of each group with too many characters the first result that goes beyond, and the characters of the group."""
    totals = np.bincount(group, size).astype(np.int64)
    for number in np.flatnonzero(totals > most).tolist():
        rows = np.flatnonzero(group == number)
        yield int(rows[np.argmax(np.cumsum(size[rows]) > most)]), int(totals[number])


def span(results: Results, row: int) -> str:
    """How a result's span is written in messages."""
    return f"{results.start[row]}-{results.end[row]}"

