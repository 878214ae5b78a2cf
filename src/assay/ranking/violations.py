"""Where a run of parts of documents does not keep to the limits of a task."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.errors import InputError
from assay.ranking.order import OrderedResults
from assay.ranking.rules import Limits
from assay.tables.ids import Bools, Ints
from assay.tables.intervals import Line, overlapping, seen_first
from assay.tables.run import ElementRun


def violations(results: OrderedResults, limits: Limits, lengths: Ints | None = None) -> Iterator[InputError]:
    """Everything in which a run does not keep to some limits; `lengths` are those of its documents, -1 if not known."""
    if limits.most_results is not None:
        yield from too_many(results, limits.most_results)
    yield from mixed_results(results)
    if limits.overlap == "reject":
        yield from overlaps(results)
    if limits.single:
        yield from repetitions(results)
    elif limits.together:
        yield from interleaved_results(results)
    yield from too_much_text(results, limits)
    if lengths is not None:
        for row in np.flatnonzero(past_the_end(results, lengths)).tolist():
            what = (
                f"result {span_in_words(results, row)} of document {{document}} in topic {{topic}} extends past its end"
            )
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


def mixed_results(results: OrderedResults) -> Iterator[InputError]:
    """Elements and passages in one run."""
    run = results.run
    if not isinstance(run, ElementRun) or not len(results.code):
        return
    passage = run.last.length[results.origin] > 0
    kinds = ("an element", "a passage")
    for row in np.flatnonzero(passage != passage[0]).tolist():
        what = f"{kinds[int(passage[row])]} in a run that begins with {kinds[int(passage[0])]}"
        yield results.fault(f"{what}; expected only one of these in a run", row)


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
    what = f"result {span_in_words(results, row)} of document {{document}} in topic {{topic}}"
    return results.fault(
        f"{what} overlaps {span_in_words(results, earlier)} {{other}}; text may be returned only once", row, earlier
    )


def repetitions(results: OrderedResults) -> Iterator[InputError]:
    """Results beyond the first of a document."""
    for row in np.flatnonzero(~results.first_of).tolist():
        what = "document {document} is returned again in topic {topic}; only one result per document is allowed"
        yield results.fault(what, row)


def interleaved_results(results: OrderedResults) -> Iterator[InputError]:
    """Results that stand apart from the others of their document."""
    for row, before in zip(*standing_apart(results), strict=True):
        what = "document {document} is returned again in topic {topic} after others {other}"
        yield results.fault(f"{what}; the results of a document must be consecutive", row, before)


def standing_apart(results: OrderedResults) -> tuple[list[int], list[int]]:
    """The results that stand apart from the one before them of their document, and for each that one."""
    document, rows = results.shared.document, results.again
    apart = np.flatnonzero((document[1:] == document[:-1]) & (rows[1:] > rows[:-1] + 1))
    apart = apart[np.argsort(rows[apart + 1])]
    return rows[apart + 1].tolist(), rows[apart].tolist()


def too_much_text(results: OrderedResults, limits: Limits) -> Iterator[InputError]:
    """Topics and documents of which more characters are returned than are allowed."""
    size = results.end - results.start
    if limits.topic_chars is not None:
        for row, total in beyond(results.code, size, limits.topic_chars):
            what = f"topic {{topic}} has {total:,} characters"
            yield results.fault(f"{what}; at most {limits.topic_chars:,} are allowed", row)
    if limits.document_chars is not None:
        document = np.unique(results.pairs, return_inverse=True)[1]
        for row, total in beyond(document, size, limits.document_chars):
            what = f"document {{document}} has {total:,} characters in topic {{topic}}"
            yield results.fault(f"{what}; at most {limits.document_chars:,} are allowed", row)


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


def span_in_words(results: OrderedResults, row: int) -> str:
    """How a result is written in messages: an element as its path, others as their characters."""
    run, at = results.run, results.origin[[row]]
    if not isinstance(run, ElementRun):
        return f"{results.start[row]}-{results.end[row]}"
    return " to ".join(filter(None, (paths[at].texts()[0] for paths in (run.path, run.last))))
