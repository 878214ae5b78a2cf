"""Spans of documents, a row each -> judgments, a row a document."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

import numpy as np

from assay.tables.ids import Grades, Ids, Ints
from assay.tables.judgments import Highlights, Judgments, Labels, Subtopics, by_document
from assay.tables.places import Places
from assay.tables.run import Table

# The set and the annotator of each row.
Labelled: TypeAlias = "tuple[Ids | None, Ids | None]"


def highlighted(
    rows: Table,
    start: Ints,
    end: Ints,
    grade: Ints | None = None,
    length: Ints | None = None,
    entry: Ints | None = None,
    places: Places | None = None,
    labelled: Labelled = (None, None),
    subtopic: Ids | None = None,
) -> Judgments:
    """Judgments of which each row tells a span: highlighted where its grade is 1 or more, or where there are no grades.

    `length` and `entry` are of the whole document; where its rows tell different ones, that is refused
    if the `places` of the rows are given.
    """
    first, group = by_document(rows.topic, rows.document)
    kept = slice(None) if grade is None else np.flatnonzero(grade >= 1)
    row = group[kept]
    relevant = np.bincount(row, minlength=len(first)) > 0
    lengths = of_document(length, "length", rows.document, len(first), group, places)
    entries = of_document(entry, "best entry point", rows.document, len(first), group, places)
    highlights = Highlights(row, start[kept], end[kept], lengths, entries, np.full(len(first), -1))
    topic, document = rows.topic[first], rows.document[first]
    span = np.full(len(rows), -1)
    span[kept] = np.arange(len(row))
    told = (span >= 0).astype(np.int64) if grade is None else grade
    labels = labels_of(group, span, told, labelled)
    subtopics = None if subtopic is None else Subtopics(group, span, told, subtopic)
    judged = Judgments(rows.name, topic, document, rows.places, grade=relevant.astype(np.int64), highlights=highlights)
    return replace(judged, labels=labels, subtopics=subtopics)


def graded(rows: Table, grade: Grades, labelled: Labelled) -> Judgments:
    """Judgments of which each row tells a grade. Where rows have labels, the highest grade of a document counts."""
    if labelled == (None, None):
        return Judgments(**vars(rows), grade=grade)
    first, group = by_document(rows.topic, rows.document)
    highest = grade[first]
    np.maximum.at(highest, group, grade)
    labels = labels_of(group, np.full(len(rows), -1), grade, labelled)
    return Judgments(
        rows.name, rows.topic[first], rows.document[first], rows.places, rows.notes, grade=highest, labels=labels
    )


def labels_of(row: Ints, span: Ints, grade: Grades, labelled: Labelled) -> Labels | None:
    """The labels of rows, if they have any."""
    return None if labelled == (None, None) else Labels(row, span, grade, *labelled)


def of_document(
    values: Ints | None, name: str, document: Ids, documents: int, group: Ints, places: Places | None
) -> Ints:
    """What the rows of each document tell of it; -1 where none does."""
    told = np.full(documents, -1)
    if values is None:
        return told
    np.maximum.at(told, group, values)
    differs = np.flatnonzero((values >= 0) & (values != told[group]))
    if len(differs) and places:
        row = int(differs[0])
        (which,) = document[row : row + 1].texts()
        what = f"the {name} of document {which} is {values[row]} here and {told[group[row]]} in another row"
        raise places[row].fault(what)
    return told
