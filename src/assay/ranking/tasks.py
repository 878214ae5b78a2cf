"""The ad hoc tasks of INEX: what a valid run is, and which measures are reported.

Those of 2007 to 2010 count highlighted text; those of 2005 assessed elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assay.errors import InputError, UsageError
from assay.ranking.order import OrderedResults
from assay.tables.ids import Bools, Ints
from assay.tables.intervals import Line, overlapping, seen_first
from assay.vocabulary import Overlap


@dataclass(frozen=True)
class Task:
    """A task: its measures, what becomes of overlapping results, and what else a run must keep to.

    together: the results of a document stand together. single: one result a document. topic_chars, document_chars: how many
    characters may be returned for a topic, of a document. most_results: how many results a topic may have.
    """

    measures: tuple[str, ...]
    overlap: Overlap = "reject"
    together: bool = False
    single: bool = False
    topic_chars: int | None = None
    document_chars: int | None = None
    most_results: int | None = 1500


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


@dataclass(frozen=True)
class GradedTask:
    """A task of assessed elements: with overlap or without, or both; FetchBrowse has scores of articles and of their elements."""

    overlaps: tuple[str, ...]
    fetch: bool = False

    def measures(self, quants: Sequence[str], alpha: float) -> tuple[str, ...]:
        """The measures that are reported, by quantisation."""
        views = [f"quant={quant}, overlap={overlap}, alpha={alpha:g}" for quant in quants for overlap in self.overlaps]
        of_list = [f"{name}({{view}})@{rank}" for name in ("nxCG", "MAnxCG") for rank in (10, 25, 50)]
        of_list += ["Aep({view})", "iAep({view})", "Q({view})", "Rmeasure({view})"]
        of_levels = [f"{name}({{view}}, level={level})" for level in ("article", "element") for name in ("Aep", "iAep")]
        return tuple(measure.format(view=view) for view in views for measure in (of_levels if self.fetch else of_list))


GRADED = {
    "CO.Focussed": GradedTask(("on",)), "COS.Focussed": GradedTask(("on",)),
    "CO.Thorough": GradedTask(("off",)), "COS.Thorough": GradedTask(("off",)),
    "CO.FetchBrowse": GradedTask(("on", "off"), fetch=True), "COS.FetchBrowse": GradedTask(("on", "off"), fetch=True),
    **{name: GradedTask(("off",)) for name in ("SSCAS", "SVCAS", "VSCAS", "VVCAS")},
}


def task_named(name: str) -> Task:
    """The task of a name, in any case of letters and with or without what stands between them: RelevantInContext."""
    spelt = {letters(known): task for known, task in TASKS.items()}
    if letters(name) not in spelt:
        raise UsageError(f"unknown task {name!r}; expected one of {', '.join([*TASKS, *GRADED])}")
    return spelt[letters(name)]


def graded_task(name: str) -> GradedTask | None:
    """The task of assessed elements of a name, if it is one."""
    return {letters(known): task for known, task in GRADED.items()}.get(letters(name))


def letters(name: str) -> str:
    """The letters of a name."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def violations(results: OrderedResults, task: Task, lengths: Ints | None = None) -> Iterator[InputError]:
    """Everything in which a run does not keep to a task; `lengths` of the results' documents where they are known, else -1."""
    if task.most_results is not None:
        yield from too_many(results, task.most_results)
    yield from mixed(results)
    if task.overlap == "reject":
        yield from overlaps(results)
    if task.single:
        yield from repetitions(results)
    elif task.together:
        yield from interleaved(results)
    yield from too_long(results, task)
    if lengths is not None:
        for row in np.flatnonzero(past_the_end(results, lengths)).tolist():
            what = f"result {span(results, row)} of document {{document}} in topic {{topic}} goes beyond its end"
            yield results.fault(f"{what}; the document has {lengths[row]:,} characters", row)


def past_the_end(results: OrderedResults, lengths: Ints) -> Bools:
    """Which results go beyond the end of their document, as far as its length is known."""
    return (lengths >= 0) & (results.end > lengths)


def too_many(results: OrderedResults, most: int) -> Iterator[InputError]:
    """Topics with more results than are allowed."""
    counts = np.bincount(results.code)
    for topic in np.flatnonzero(counts > most).tolist():
        row = int(np.searchsorted(results.code, topic)) + most
        yield results.fault(f"topic {{topic}} has {counts[topic]:,} results; at most {most:,} are allowed", row)


def mixed(results: OrderedResults) -> Iterator[InputError]:
    """Elements and passages in one run."""
    run = results.run
    if run.path is None or run.last is None or not len(results.code):
        return
    passage = run.last.length[results.origin] > 0
    kinds = ("an element", "a passage")
    for row in np.flatnonzero(passage != passage[0]).tolist():
        what = f"{kinds[int(passage[row])]} in a run that begins with {kinds[int(passage[0])]}; one or the other is allowed"
        yield results.fault(what, row)


def overlaps(results: OrderedResults) -> Iterator[InputError]:
    """Results that share text with one of an earlier rank."""
    for row, earlier in zip(*returned_before(results), strict=True):
        yield overlap_fault(results, row, earlier)


def returned_before(results: OrderedResults) -> tuple[list[int], list[int]]:
    """The results that share text with one of an earlier rank, and for each the one that returns such text first."""
    inside = overlapping(results.shared, results.documents)[results.shared.document]
    rows, spans = results.again[inside], results.shared[inside]
    owner, pieces = seen_first(spans, rows, results.documents)
    late = np.flatnonzero(np.bincount(owner, pieces.size, minlength=len(rows)) < spans.size)
    line = Line(spans.document, spans.end, results.documents)
    # of the pieces over a result the last that is not its own; two of one result do not touch
    last = np.searchsorted(line.place(pieces.document, pieces.start), line.place(spans.document, spans.end)[late]) - 1
    last -= owner[last] == late
    in_order = np.argsort(rows[late])
    late, last = late[in_order], last[in_order]
    return rows[late].tolist(), rows[owner[last]].tolist()


def overlap_fault(results: OrderedResults, row: int, earlier: int) -> InputError:
    """The error about a result that overlaps one of an earlier rank."""
    what = f"result {span(results, row)} of document {{document}} in topic {{topic}} overlaps {span(results, earlier)} {{other}}"
    return results.fault(f"{what}; text may be returned once", row, earlier)


def repetitions(results: OrderedResults) -> Iterator[InputError]:
    """Results beyond the first of a document."""
    for row in np.flatnonzero(~results.first_of).tolist():
        yield results.fault("document {document} is returned again in topic {topic}; one result a document is allowed", row)


def interleaved(results: OrderedResults) -> Iterator[InputError]:
    """Results that stand apart from the others of their document."""
    for row, before in zip(*standing_apart(results), strict=True):
        what = "document {document} is returned again in topic {topic} after others {other}; its results must stand together"
        yield results.fault(what, row, before)


def standing_apart(results: OrderedResults) -> tuple[list[int], list[int]]:
    """The results that stand apart from the one before them of their document, and for each that one."""
    document, again = results.shared.document, results.again
    order = np.lexsort((again, document))
    document, rows = document[order], again[order]
    apart = np.flatnonzero((document[1:] == document[:-1]) & (rows[1:] > rows[:-1] + 1))
    apart = apart[np.argsort(rows[apart + 1])]
    return rows[apart + 1].tolist(), rows[apart].tolist()


def too_long(results: OrderedResults, task: Task) -> Iterator[InputError]:
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
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group))
    upto = np.append(0, np.cumsum(size[order]))
    before = upto[np.append(0, ends[:-1])]
    totals = upto[ends] - before
    first = np.searchsorted(upto, before + most, side="right") - 1
    for number in np.flatnonzero(totals > most).tolist():
        yield int(order[first[number]]), int(totals[number])


def span(results: OrderedResults, row: int) -> str:
    """How a result is written in messages: an element as its path, others as their characters."""
    run, at = results.run, results.origin[[row]]
    if run.path is None:
        return f"{results.start[row]}-{results.end[row]}"
    ends = [run.path, run.last] if run.last is not None else [run.path]
    return " to ".join(filter(None, (paths[at].texts()[0] for paths in ends)))
