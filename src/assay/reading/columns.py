"""Turn judgments into the columns in which they are written, and rows of spans or grades into judgments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from assay.errors import InputError, quote
from assay.reading.format import Columns
from assay.tables import judgments as tables
from assay.tables.ids import Grades, Ids, Ints
from assay.tables.intervals import Spans, overlapping
from assay.tables.places import Place, Places
from assay.tables.run import ElementRun, PlacedElementRun, Run, Table
from assay.vocabulary import UNSCORED

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection


GIVE_DOCUMENTS = "pass documents="


def graded_columns(judgments: tables.Judgments) -> Columns:
    """Return one row per judged document, with its grade."""
    return {"topic": judgments.topic.texts(), "document": judgments.document.texts(), "grade": judgments.grade.tolist()}


def with_highlights(judgments: tables.Judgments, format_name: str) -> tables.HighlightJudgments:
    """Return the judgments; raise an error if they have no highlighted text, which the format needs."""
    if not isinstance(judgments, tables.HighlightJudgments):
        what = "these judgments are grades of documents"
        raise InputError(f"{what}; {format_name} needs highlighted text", judgments.name)
    return judgments


def nothing_relevant(name: str, format_name: str) -> InputError:
    """Return the error about judgments without anything relevant, for a format that lists only relevant text."""
    return InputError(f"nothing is relevant in these judgments, and {format_name} lists only what is relevant", name)


def passage_columns(judgments: tables.Judgments, documents: DocumentCollection | None, format_name: str) -> Columns:
    """Return one row per document: its highlighted size, its length, its best entry point, and the passages."""
    highlights = with_highlights(judgments, format_name).highlights
    length = judged_lengths(judgments, highlights, documents, format_name)
    row, start, end, rsize = disjoint(highlights)
    passages: list[list[tuple[int, int]]] = [[] for _ in range(len(judgments))]
    for judged, first, behind in zip(row.tolist(), start.tolist(), end.tolist(), strict=True):
        passages[judged].append((first, behind))
    entries = highlights.entry.tolist()
    told = {"rsize": rsize.tolist(), "length": length.tolist(), "bep": entries, "passages": passages}
    return graded_columns(judgments) | told


def judged_lengths(
    judgments: tables.Judgments, highlights: tables.Highlights, documents: DocumentCollection | None, format_name: str
) -> Ints:
    """Return the lengths of all judged documents; the documents give those that are not known."""
    unknown = np.flatnonzero(highlights.length < 0)
    if not len(unknown):
        return highlights.length
    names = judgments.document[unknown].texts()
    if documents is None:
        what = f"{format_name} needs the length of document {quote(names[0])}; {GIVE_DOCUMENTS}"
        raise InputError(what, judgments.name)
    known = highlights.length.copy()
    known[unknown] = documents.lengths(names)
    return known


def disjoint(highlights: tables.Highlights) -> tuple[Ints, Ints, Ints, Ints]:
    """Return passages that do not overlap, and how much of each document they highlight.

    If the file states a document's highlighted size, its passages stay as they are.
    """
    documents = len(highlights.rsize)
    spans = Spans(highlights.row, highlights.start, highlights.end)
    told = highlights.rsize >= 0
    merged = spans.union(documents)
    rsize = np.where(
        told, highlights.rsize, np.bincount(merged.document, merged.size, minlength=documents).astype(np.int64)
    )
    double = overlapping(spans, documents) & ~told
    kept, new = spans[~double[spans.document]], merged[double[merged.document]]
    row, start, end = (np.concatenate(pair) for pair in
                       ((kept.document, new.document), (kept.start, new.start), (kept.end, new.end)))  # fmt: skip
    return row, start, end, rsize


def span_columns_of(judgments: tables.HighlightJudgments) -> Columns:
    """Return one row per highlighted span; a document without any gets one empty span of grade 0."""
    columns, highlights = graded_columns(judgments), judgments.highlights
    lone = np.setdiff1d(np.arange(len(highlights.length)), highlights.row)
    zeros = np.zeros(len(lone), np.int64)
    row = np.concatenate((highlights.row, lone))
    order = np.argsort(row, kind="stable")
    start, end = (np.concatenate(pair)[order].tolist() for pair in ((highlights.start, zeros), (highlights.end, zeros)))
    row = row[order]
    names = {field: [columns[field][judged] for judged in row.tolist()] for field in ("topic", "document")}
    grade = np.concatenate((np.ones(len(highlights.row), np.int64), zeros))[order].tolist()
    span = np.append(np.arange(len(highlights.row)), zeros - 1)[order]
    told = document_facts(highlights, row) | fact_columns(judgments, span)
    return names | {"start": start, "end": end, "grade": grade} | told


def fact_columns(judgments: tables.HighlightJudgments, span: Ints) -> Columns:
    """Return the facts and quotations of some highlighted spans; -1 means no span."""
    facts = judgments.facts or tables.Facts(None, None)
    told = {name: ids.texts() for name, ids in facts._asdict().items() if ids is not None}
    return {name: [names[at] or None if at >= 0 else None for at in span.tolist()] for name, names in told.items()}


def document_facts(highlights: tables.Highlights, row: Ints) -> Columns:
    """Return the lengths and best entry points of the documents in some rows, if they are known."""
    facts = {"document_length": highlights.length, "bep": highlights.entry}
    told = {name: values[row].tolist() for name, values in facts.items() if np.any(values >= 0)}
    return {name: [None if value < 0 else value for value in values] for name, values in told.items()}


def judgment_columns(judgments: tables.Judgments) -> Columns:
    """Return judgments as a table: one row per highlighted span, or per judged document if they have no highlights."""
    if judgments.labels is not None:
        columns = labelled_columns(judgments, judgments.labels)
    elif isinstance(judgments, tables.SubtopicJudgments):
        columns = subtopic_columns(judgments)
    elif isinstance(judgments, tables.HighlightJudgments):
        columns = span_columns_of(judgments)
    else:
        columns = graded_columns(judgments)
    if isinstance(judgments, tables.SampleJudgments):
        columns["stratum"] = judgments.strata.texts()
    return with_unanswerable(columns, judgments.unanswerable) if judgments.unanswerable else columns


def with_unanswerable(columns: Columns, topics: Sequence[str]) -> Columns:
    """Return the columns with a row for each question without an answer, which has only its topic and a mark."""
    rows, nothing = len(columns["topic"]), [None] * len(topics)
    return {name: [*values, *(topics if name == "topic" else nothing)] for name, values in columns.items()} | {
        "no_answer": [*[None] * rows, *[True] * len(topics)]
    }


def subtopic_columns(judgments: tables.SubtopicJudgments) -> Columns:
    """Return the rows as they were read, each with its subtopic."""
    told = judgments.subtopics
    return columns_as_told(judgments, told) | {"subtopic": [name or None for name in told.subtopic.texts()]}


def labelled_columns(judgments: tables.Judgments, labels: tables.Labels) -> Columns:
    """Return the rows as they were read, each with its set, its annotator, and whether a program assisted."""
    columns = columns_as_told(judgments, labels)
    for name, ids in (("set", labels.sets), ("annotator", labels.annotators)):
        if ids is not None:
            columns[name] = [label or None for label in ids.texts()]
    return columns if labels.assisted is None else columns | {"assisted": labels.assisted.tolist()}


def columns_as_told(judgments: tables.Judgments, told: tables.Labels | tables.Subtopics) -> Columns:
    """Return the rows as they were read; several of them may have the same document or span."""
    topics, documents = judgments.topic.texts(), judgments.document.texts()
    columns: Columns = {
        "topic": [topics[row] for row in told.row.tolist()], "document": [documents[row] for row in told.row.tolist()]
    }
    if isinstance(judgments, tables.HighlightJudgments):
        highlights, is_text = judgments.highlights, told.span >= 0
        for name, offsets in (("start", highlights.start), ("end", highlights.end)):
            # a row that highlights nothing gets an empty span
            columns[name] = np.where(is_text, np.append(offsets, 0)[told.span], 0).tolist()
        columns |= {"grade": told.grade.tolist()} | document_facts(highlights, told.row)
        columns |= fact_columns(judgments, told.span)
    else:
        columns["grade"] = told.grade.tolist()
    return columns


# From rows of spans or grades to judgments with one row per document.

# The set and the annotator of each row.
Labelled: TypeAlias = "tuple[Ids | None, Ids | None]"


def highlight_judgments(
    rows: Table,
    start: Ints,
    end: Ints,
    grade: Ints | None = None,
    length: Ints | None = None,
    entry: Ints | None = None,
    places: Places | None = None,
    labelled: Labelled = (None, None),
    subtopic: Ids | None = None,
    facts: tables.Facts | None = None,
) -> tables.HighlightJudgments:
    """Return judgments from rows of spans; a span is highlighted if its grade is 1 or more, or if there are no grades.

    `length` and `entry` describe the whole document. If its rows disagree, that is an error, provided that the `places`
    of the rows are passed.
    """
    first, group = tables.by_document(rows.topic, rows.document)
    kept = slice(None) if grade is None else np.flatnonzero(grade >= 1)
    row = group[kept]
    relevant = np.bincount(row, minlength=len(first)) > 0
    lengths = of_document(length, "length", rows.document, len(first), group, places)
    entries = of_document(entry, "best entry point", rows.document, len(first), group, places)
    highlights = tables.Highlights(row, start[kept], end[kept], lengths, entries, np.full(len(first), -1))
    topic, document = rows.topic[first], rows.document[first]
    span = np.full(len(rows), -1)
    span[kept] = np.arange(len(row))
    told = (span >= 0).astype(np.int64) if grade is None else grade
    labels = labels_of(group, span, told, labelled)
    judged = tables.HighlightJudgments(
        rows.name, topic, document, rows.places, (*rows.notes, *unscored_spans(told)), grade=relevant.astype(np.int64),
        highlights=highlights, labels=labels, facts=None if facts is None else facts.at(np.arange(len(rows))[kept]),
    )  # fmt: skip
    if subtopic is None:
        return judged
    return tables.HighlightSubtopicJudgments(**vars(judged), subtopics=tables.Subtopics(group, span, told, subtopic))


def unscored_spans(grade: Ints) -> tuple[str, ...]:
    """Return a note on the spans that could not be scored, if there are any."""
    unscored = int(np.count_nonzero(grade == UNSCORED))
    are = "is" if unscored == 1 else "are"
    return (f"{unscored:,} of {len(grade):,} spans {are} unscored; Assay leaves them out",) if unscored else ()


def graded_judgments(rows: Table, grade: Grades, labelled: Labelled) -> tables.Judgments:
    """Return judgments whose rows are grades. If rows have labels, the highest grade of a document counts."""
    if labelled == (None, None):
        return tables.DocumentJudgments(**vars(rows), grade=grade)
    first, group = tables.by_document(rows.topic, rows.document)
    highest = grade[first]
    np.maximum.at(highest, group, grade)
    labels = labels_of(group, np.full(len(rows), -1), grade, labelled)
    return tables.DocumentJudgments(
        rows.name, rows.topic[first], rows.document[first], rows.places, rows.notes, grade=highest, labels=labels
    )


def labels_of(row: Ints, span: Ints, grade: Grades, labelled: Labelled) -> tables.Labels | None:
    """Return the labels of rows; None if they have none."""
    return None if labelled == (None, None) else tables.Labels(row, span, grade, *labelled)


def of_document(
    values: Ints | None, name: str, document: Ids, documents: int, group: Ints, places: Places | None
) -> Ints:
    """Return the value that the rows of each document give for it (the highest); -1 if none does."""
    told = np.full(documents, -1)
    if values is None:
        return told
    np.maximum.at(told, group, values)
    differs = np.flatnonzero((values >= 0) & (values != told[group]))
    if len(differs) and places:
        row = int(differs[0])
        (which,) = document[row : row + 1].texts()
        what = f"the {name} of document {which} is {values[row]} here but {told[group[row]]} in another row"
        raise places[row].fault(what)
    return told


# Highlighted spans with the texts of their documents, for writing the formats of gold evidence.


def spans_by_document(
    judgments: tables.Judgments, documents: DocumentCollection | None, title: str
) -> Iterator[tuple[str, str, dict[str, list[tuple[int, int]]]]]:
    """Yield each judged document with its text, and its spans by topic."""
    highlights = with_highlights(judgments, title).highlights
    if documents is None:
        raise InputError(f"{title} needs the texts of the documents; {GIVE_DOCUMENTS}", judgments.name)
    if not len(highlights.row):
        raise nothing_relevant(judgments.name, title)
    names, topics = judgments.document.texts(), judgments.topic.texts()
    spans_of: dict[str, dict[str, list[tuple[int, int]]]] = {}
    for name, topic in zip(names, topics, strict=True):
        spans_of.setdefault(name, {}).setdefault(topic, [])
    for row, start, end in zip(
        highlights.row.tolist(), highlights.start.tolist(), highlights.end.tolist(), strict=True
    ):
        spans_of[names[row]][topics[row]].append((start, end))
    for name, by_topic in spans_of.items():
        yield name, documents.text(name), by_topic


# From element paths to characters, which only the documents give.

ONE_AT_A_TIME = Lock()


def with_characters(run: Run, documents: DocumentCollection | None, places: Places | None = None) -> Run:
    """Return the run with the characters of its elements if there are documents; `places` are those of its rows."""
    if documents is None or not isinstance(run, ElementRun) or isinstance(run, PlacedElementRun):
        return run
    places = places or Places(run.name, noun="result")
    start, end = resolve_places(documents.spans, places, *(ids.texts() for ids in (run.document, run.path, run.last)))
    return PlacedElementRun(**vars(run), start=start, end=end)


def resolve_places(find: Callable[..., Any], places: Places | list[Place], *columns: list[str]) -> Any:
    """Look up some rows in the documents; an error about a row names its place."""
    from assay.documents.lookup import BadPath

    try:
        # threads read blocks of a run at the same time, but only one may look up documents
        with ONE_AT_A_TIME:
            return find(*columns)
    except BadPath as error:
        raise places[error.row].fault(error.what) from None
