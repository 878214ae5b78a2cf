"""Judgments with highlighted text: whether what they tell of a document fits together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from assay.checking.parts import CheckRequest
from assay.checking.summary import HighlightedSummary, Report
from assay.errors import InputError
from assay.reading.format import Readable, Unresolved
from assay.tables.ids import Bools, Ints
from assay.tables.intervals import Line, Marks
from assay.tables.judgments import HighlightJudgments, Highlights, Judgments, by_document, group_keys
from assay.tables.places import Places

# A judgment, the row of the file in which it is wrong, and what is.
Wrong = tuple[int, int, str]


def check_highlights(report: Report, readable: Readable[Judgments], asked: CheckRequest) -> Report:
    """The report with what is in judgments with highlighted text, and what does not fit."""
    report.add_faults(readable.faults)
    judgments, rows, span_rows = readable.table, readable.rows, readable.span_rows
    assert isinstance(judgments, HighlightJudgments) and rows is not None and span_rows is not None
    told = judgments.highlights.length
    length = np.where(told >= 0, told, asked.lengths_of(judgments.document, report))
    first, group = by_document(judgments.topic, judgments.document)
    if readable.once:
        add_duplicates(report, judgments, readable.places.of(rows), first, group)
    else:
        report.duplicates = repeated_spans(judgments.highlights)
    wrong = [
        *check_sizes(judgments.highlights, length, rows),
        *ends(judgments.highlights, length, span_rows, readable.once),
    ]
    wrong += check_lengths(judgments, rows, readable.places, asked)
    wrong += check_overlaps(judgments.highlights, span_rows) if readable.once else ()
    report.add_faults(faults_of(wrong, judgments, readable.places))
    summed_up(report, judgments, length, first)
    return report


def count_unresolved(report: Report, unresolved: Unresolved) -> Report:
    """The report of judgments whose characters are not known: what is highlighted is counted."""
    topics, relevant = unresolved.topics, set(unresolved.passages)
    report.sizes.update(topics)
    report.relevant.update(topics[row] for row in relevant)
    report.text = HighlightedSummary(
        judged=len(topics),
        documents=len({unresolved.documents[row] for row in relevant}),
        relevant=len(relevant),
        spans=len(unresolved.passages),
        characters=None,
        median=0.0,
        empty=0,
        overlapping=0,
        # which they are is not known, but that they are
        entries=Counter(row for row in unresolved.entries if row in relevant),
        lengths=0,
    )
    return report


def faults_of(wrong: list[Wrong], judgments: Judgments, places: Places) -> Iterator[InputError]:
    """The errors about judgments; `{document}` and `{topic}` in a text are replaced by what they are."""
    row = np.array([row for row, _, _ in wrong], np.int64)
    named = zip(wrong, judgments.topic[row].texts(), judgments.document[row].texts(), strict=True)
    for (_, place, what), topic, document in named:
        yield places[place].fault(what.replace("{topic}", topic).replace("{document}", document))


def add_duplicates(report: Report, judgments: Judgments, places: Places, first: Ints, group: Ints) -> None:
    """Documents that are judged twice for a topic."""
    again = np.delete(np.arange(len(judgments)), first)
    names = zip(judgments.topic[again].texts(), judgments.document[again].texts(), strict=True)
    report.add_duplicates(
        (*pair, places[int(first[group[row]])], places[row]) for row, pair in zip(again.tolist(), names, strict=True)
    )


def repeated_spans(highlights: Highlights) -> int:
    """How many spans stand there again, as they do where several people highlighted the same."""
    columns = highlights.row, highlights.start, highlights.end
    order = np.lexsort(columns)
    return int(np.count_nonzero(np.logical_and.reduce([column[order][1:] == column[order][:-1] for column in columns])))


def check_sizes(highlights: Highlights, length: Ints, rows: Ints) -> Iterator[Wrong]:
    """What is told to be highlighted is the sum of the passages, and no more
    than the document has; the entry is within it.
    """
    rsize, entry = highlights.rsize, highlights.entry
    sums = np.bincount(highlights.row, highlights.end - highlights.start, minlength=len(rsize)).astype(np.int64)
    for row in np.flatnonzero((rsize >= 0) & (rsize != sums)).tolist():
        what = f"rsize {rsize[row]} of document {{document}} in topic {{topic}} is not the sum of its passages"
        yield row, int(rows[row]), f"{what}; expected {sums[row]}"
    for row in np.flatnonzero((length >= 0) & (rsize > length)).tolist():
        what = f"rsize {rsize[row]} of document {{document}} in topic {{topic}} is more than its length"
        yield row, int(rows[row]), f"{what}; expected at most {length[row]}"
    for row in np.flatnonzero((length >= 0) & (entry >= length)).tolist():
        what = f"best entry point {entry[row]} of document {{document}} in topic {{topic}} is after its end"
        yield row, int(rows[row]), f"{what}; the document has {length[row]:,} characters"


def ends(highlights: Highlights, length: Ints, span_rows: Ints, by_length: bool) -> Iterator[Wrong]:
    """Spans end where the document does, or before."""
    limit = length[highlights.row]
    for at in np.flatnonzero((limit >= 0) & (highlights.end > limit)).tolist():
        start, end = int(highlights.start[at]), int(highlights.end[at])
        which = f"passage {start}:{end - start}" if by_length else f"span {start}-{end}"
        what = f"{which} of document {{document}} in topic {{topic}} goes beyond its end"
        yield int(highlights.row[at]), int(span_rows[at]), f"{what}; the document has {limit[at]:,} characters"


def check_overlaps(highlights: Highlights, span_rows: Ints) -> Iterator[Wrong]:
    """Passages of a document share no text."""
    later, earlier = clashes(highlights)
    shown = [
        f"{start}:{end - start}" for start, end in zip(highlights.start.tolist(), highlights.end.tolist(), strict=True)
    ]
    for at, other in zip(later.tolist(), earlier.tolist(), strict=True):
        what = f"passage {shown[at]} of document {{document}} in topic {{topic}} overlaps {shown[other]}"
        yield int(highlights.row[at]), int(span_rows[at]), f"{what}; expected passages that do not overlap"


def clashes(highlights: Highlights) -> tuple[Ints, Ints]:
    """Spans that share text with one before them in the text of their
    document, and for each the one that reaches farthest.
    """
    filled = np.flatnonzero(highlights.end > highlights.start)
    order = filled[np.lexsort((highlights.start[filled], highlights.row[filled]))]
    start, end, row = highlights.start[order], highlights.end[order], highlights.row[order]
    begin = Line(row, end, int(row.max(initial=-1)) + 1).begin[row]
    reach = np.maximum.accumulate(end + begin)
    farthest = np.maximum.accumulate(np.where(end + begin == reach, np.arange(len(order)), 0))
    later = np.flatnonzero((start + begin)[1:] < reach[:-1]) + 1
    return order[later], order[farthest[later - 1]]


def check_lengths(judgments: HighlightJudgments, rows: Ints, places: Places, asked: CheckRequest) -> Iterator[Wrong]:
    """A document has one length, also in other topics, and that of the documents where these are given."""
    told = judgments.highlights.length
    known = np.flatnonzero(told >= 0)
    first, group = group_keys(judgments.document[known].keys())
    first_told = known[first[group]]
    for row, other in zip(known.tolist(), first_told.tolist(), strict=True):
        if told[row] != told[other]:
            elsewhere = f"{told[other]} {places[int(rows[other])].elsewhere}"
            what = f"the length of document {{document}} is {told[row]} here and {elsewhere}"
            yield row, int(rows[row]), f"{what}; expected one length"
    if asked.documents is None:
        return
    there = CheckRequest(documents=asked.documents).lengths_of(judgments.document, Report("", "judgments", ""))
    for row in np.flatnonzero((told >= 0) & (there >= 0) & (told != there)).tolist():
        what = f"the length of document {{document}} is {told[row]} here and {there[row]} in {asked.documents.label}"
        yield row, int(rows[row]), f"{what}; expected the same text"


def summed_up(report: Report, judgments: HighlightJudgments, length: Ints, first: Ints) -> None:
    """Add the numbers of the judged documents, of which each counts once."""
    highlights = judgments.highlights
    counts = np.zeros(len(judgments), bool)
    counts[first] = True
    names = judgments.topic[first].texts()
    relevant = judgments.grade[first] > 0
    report.sizes.update(names)
    report.relevant.update(name for name, good in zip(names, relevant.tolist(), strict=True) if good)
    spans = kept_spans(highlights, counts)
    marked = Marks(spans, len(judgments)).size[first]
    entries = highlights.entry[first][relevant]
    report.text = HighlightedSummary(
        judged=len(first),
        documents=len(np.unique(judgments.document[first[relevant]].keys())),
        relevant=int(np.count_nonzero(relevant)),
        spans=len(spans.row),
        characters=int(marked.sum()),
        median=float(np.median(marked[relevant])) if relevant.any() else 0.0,
        empty=int(np.count_nonzero(spans.start == spans.end)),
        overlapping=len(clashes(spans)[0]),
        entries=Counter(entries[entries >= 0].tolist()),
        lengths=int(np.count_nonzero(length[first] >= 0)),
    )
    known = first[highlights.length[first] >= 0]
    for name, number in zip(judgments.document[known].texts(), highlights.length[known].tolist(), strict=True):
        report.lengths[name] = max(number, report.lengths.get(name, 0))


def kept_spans(highlights: Highlights, counts: Bools) -> Highlights:
    """The spans of the judgments that count."""
    kept = counts[highlights.row]
    return Highlights(
        highlights.row[kept],
        highlights.start[kept],
        highlights.end[kept],
        highlights.length,
        highlights.entry,
        highlights.rsize,
    )
