"""Which columns of a table hold what a run or judgments need: as the user tells, or by their usual names. Ids win over
texts; what was taken is noted where another column could be meant, and two that are equally good are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from assay.errors import InputError, listed, quoted, shortened
from assay.reading.format import Columns
from assay.tables.column_names import (
    LABEL_FIELDS,
    LISTS,
    NAMES,
    SPAN_FIELDS,
    SUBTOPIC_FIELDS,
    TableColumns,
    comparable_name,
)
from assay.tables.ids import Grades, Ids, Ints
from assay.tables.intervals import Spans, overlapping
from assay.tables.judgments import Highlights, Judgments, Labels, Subtopics, by_document
from assay.tables.places import Places
from assay.tables.run import Table
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.documents.lookup import Documents

# What a table of each kind may have, beside spans.
FIELDS = {"run": ("topic", "document", "score", "rank"), "judgments": ("topic", "document", "grade")}
# What may be a topic, and may be something else.
QUESTIONS = ("user_input",)
# What is the better the lower it is.
DISTANCES = ("distance", "_distance", "dist", "cosine_distance", "l2_distance")
# What a column is called that numbers parts of documents.
PART_NUMBERS = (
    "chunk", "chunk_index", "chunk_idx", "chunk_no", "chunk_number", "chunk_num", "page", "page_index", "page_number",
    "page_no", "passage_index", "paragraph_index", "segment_index",
)  # fmt: skip
# What a column is called that tells the run of each row.
RUN_NAMES = ("run", "run_id", "runid", "run_name", "system", "system_id", "tag")
# How names of columns may tell where something starts and ends; and that it is no text.
STARTS_AND_ENDS = (("start", "end"), ("begin", "end"), ("start", "stop"), ("from", "to"))
TIMES = re.compile("time|date|year|day")
SPANS = {"run": ("start", "end", "length"), "judgments": (*SPAN_FIELDS, *LABEL_FIELDS, *SUBTOPIC_FIELDS, "stratum")}


def fields_of(kind: FileKind) -> tuple[str, ...]:
    """What a table of a run or of judgments may have."""
    return (*FIELDS[kind], *SPANS[kind])


@dataclass(frozen=True)
class ChosenColumns:
    """The columns of a run or of judgments by field, and what is to be said of the choice."""

    kind: FileKind
    fields: dict[str, str]
    notes: tuple[str, ...] = ()

    def __getitem__(self, field: str) -> str:
        return self.fields[field]

    @property
    def names(self) -> list[str]:
        """The names of the columns, each once."""
        return list(dict.fromkeys(self.fields.values()))


def chosen_columns(
    columns: TableColumns,
    kind: FileKind,
    label: str,
    is_text: Callable[[str], bool],
    every_column: bool = True,
    of_parts: bool = False,
) -> ChosenColumns:
    """The columns of a run or of judgments; `is_text` tells whether the values of a column look like texts.

    Columns that the user tells must be there if that is asked of `every_column`; else what is taken instead is noted.
    `of_parts`: parts of documents are judged, so that it matters whether the table tells them.
    """
    there = columns.fields
    chosen = {field: there[field] for field in fields_of(kind) if field in there}
    notes = []
    for field in (field for field in fields_of(kind) if field in columns.told):
        if field in columns.chosen_by_user:
            continue
        lacking = f"has no column {quoted(columns.told[field])}"
        if every_column:
            raise InputError(f"{lacking}; {its_columns(columns.names)}", label)
        if field in chosen:
            notes.append(f"{lacking}; {field}s from column {shortened(chosen[field])}")
    refuse_lacking(columns, chosen, kind, label, is_text)
    for field in chosen:
        if equals := columns.equals(field):
            both = " and ".join(map(shortened, equals[:2]))
            raise InputError(
                f"columns {both} could both be the {field}; give columns=, as in {field}={equals[0]}", label
            )
    return ChosenColumns(kind, chosen, (*notes, *choices(columns, chosen, is_text), *parts_not_told(columns, of_parts)))


def parts_not_told(columns: TableColumns, of_parts: bool) -> Iterator[str]:
    """That a table is taken to be of whole documents, where some of its columns may tell parts of them."""
    if columns.spans:
        return
    by_name = {comparable_name(name): name for name in columns.names}
    for name, start in by_name.items():
        words = ((begin, end) for begin, end in STARTS_AND_ENDS if begin in name)
        ends = [by_name[other] for begin, end in words if (other := name.replace(begin, end)) in by_name]
        if ends and not TIMES.search(name):
            what = f"whole documents, as columns {shortened(start)} and {shortened(ends[0])} are not known"
            yield f"{what}; if they count characters, give columns=, as in start={start} and end={ends[0]}"
            return
    if not of_parts or columns.text:
        return
    for name in (name for key, name in by_name.items() if key in PART_NUMBERS and name not in columns.fields.values()):
        what = f"whole documents, as column {shortened(name)} alone does not tell where a part of one stands"
        yield f"{what}; that is told by start and end, or by a text"
        return


def choices(columns: TableColumns, chosen: dict[str, str], is_text: Callable[[str], bool]) -> Iterator[str]:
    """What is to be said of columns that were taken where others could be meant."""
    for field, name in chosen.items():
        if others := list(columns.others(field)):
            texts = [other for other in others if is_text(other)]
            why = f"; {shortened(texts[0])} looks like a text" if texts else f", not {listed(others)}"
            yield f"{field}s from column {shortened(name)}{why}"


def several_runs(columns: TableColumns, kind: FileKind, values: Callable[[str], list[str]]) -> Iterator[str]:
    """That the rows of several runs are taken for one, where a column, whose different `values` can be asked, names
    several.
    """
    for name in unused_columns(columns, "run") if kind == "run" else []:
        if comparable_name(name) in RUN_NAMES and len(runs := values(name)) > 1:
            yield f"column {shortened(name)} names several runs, {listed(runs)}; all rows are taken for one run"


def refuse_scored_spans(chosen: ChosenColumns, has_wrong_grades: bool, label: str) -> None:
    """Spans with a score that is no grade are a run, which was given in the place of judgments."""
    if "start" in chosen.fields and comparable_name(chosen.fields.get("grade", "")) == "score" and has_wrong_grades:
        what = "this looks like a run, with a score for each span"
        raise InputError(f"{what}; expected judgments, which are given first, the runs after them", label)


def unused_columns(columns: TableColumns, kind: FileKind) -> list[str]:
    """The columns of a run or of judgments from which nothing is taken; a text is compared with the documents."""
    used = {name for field, name in columns.fields.items() if field in fields_of(kind)} | {columns.text}
    # the document of a text may be told by its file
    used |= {columns.whole_document} if columns.text and "document" not in columns.fields else set()
    return [name for name in columns.names if name not in used]


def refuse_lacking(
    columns: TableColumns, chosen: dict[str, str], kind: FileKind, label: str, is_text: Callable[[str], bool]
) -> None:
    """A table must have all that is needed, and must not be one of the other kind."""
    there = columns.fields
    optional = {"score", "rank"} | ({"grade"} if "start" in there else set())
    if lacking := [field for field in FIELDS[kind] if field not in chosen and field not in optional]:
        quotations = texts_named(columns, is_text) if kind == "judgments" and lacking[0] != "topic" else ""
        raise lacking_column(lacking[0], columns, label, quotations)
    if kind == "run" and not chosen.keys() & {"score", "rank"}:
        raise lacking_column("score or rank", columns, label)
    if kind == "judgments" and "rank" in there and chosen.get("grade") == there.get("score"):
        raise InputError("this looks like a run, with a score and a rank; expected judgments, with a grade", label)
    start = columns.column("start")
    # it would be read as whole documents
    if start and "start" in start.lower() and not columns.spans:
        ends = ", ".join(name for field in ("end", "length") for group in NAMES[field] for name in group)
        raise InputError(f"has a column {start} but none that tells where the text ends; expected one of {ends}", label)


def texts_named(columns: TableColumns, is_text: Callable[[str], bool]) -> str:
    """What to do where a column that nobody knows may have the quotations of judgments; nothing where none has."""
    others = unused_columns(columns, "judgments")
    # what is no text may be a list of texts
    only = others[:1] if len(others) == 1 or columns.chosen_by_user else []
    for name in [*filter(is_text, others), *only][:1]:
        return f"; if column {shortened(name)} has quotations, give columns=, as in text={name}, and give documents="
    return ""


def texts_to_find(columns: TableColumns) -> str:
    """What to do where a column has texts; nothing where none is called so."""
    return f"; to have the texts of column {shortened(columns.text)} found, give documents=" if columns.text else ""


def lacking_column(field: str, columns: TableColumns, label: str, quotations: str = "") -> InputError:
    """The error about a table that lacks a column, with what may be done about it; of `quotations` as above."""
    hint = ""
    if field == "score or rank" and columns.column("grade"):
        hint = "; these look like judgments: they are given first, the runs after them"
    elif field == "score or rank":
        judgments = "; if these are judgments, they are given first, the runs after them"
        hint = _without_order(columns) + (judgments if columns.kind == "judgments" else "")
    elif field in ("grade", "document") and columns.text and not columns.spans:
        hint = texts_to_find(columns)
    elif field == "document" and (lists := [name for name in columns.names if comparable_name(name) in LISTS]):
        write = "write a line for each, or one JSON object of all topics, as {topic: [chunks]}"
        hint = f"; if column {lists[0]} has all chunks of a topic, {write}"
    elif field == "topic" and (questions := [name for name in columns.names if comparable_name(name) in QUESTIONS]):
        hint = f"; if column {questions[0]} has the topics, give columns=, as in topic={questions[0]}"
    elif field == "topic" and columns.kind == "judgments" and columns.column("document"):
        chunks = "chunks of a corpus that nobody returned are for `assay ceiling`"
        hint = f"; {chunks if columns.spans else 'if these are the documents, give documents='}"
    elif len(columns.names) > 1 and not columns.fields and not columns.chosen_by_user:
        hint = f"; give columns=, as in {field}={columns.names[0]}"
    else:
        hint = quotations
    return InputError(f"has no column {field}; {its_columns(columns.names)}{hint}", label)


def _without_order(columns: TableColumns) -> str:
    """What to do where neither scores nor ranks tell the order of results."""
    if distances := [name for name in columns.names if comparable_name(name) in DISTANCES]:
        return f"; where the lowest {distances[0]} is the best, write it with a minus as the score, or a rank"
    if scores := [name for name in unused_columns(columns, "run") if "score" in comparable_name(name)]:
        return f"; if the highest {scores[0]} is the best, give columns=, as in score={scores[0]}"
    return "; where the rows stand best first, give each its rank"


def its_columns(names: list[str]) -> str:
    """What an error says of the columns that a table has."""
    return f"its columns are {listed(names, 12)}" if names else "it has no columns at all"


# Judgments -> the columns in which they are written.

GIVE_DOCUMENTS = "known only from the documents: give documents="


def graded_columns(judgments: Judgments) -> Columns:
    """A row for each judged document, with its grade."""
    return {"topic": judgments.topic.texts(), "document": judgments.document.texts(), "grade": judgments.grade.tolist()}


def highlights_for(judgments: Judgments, format_name: str) -> Highlights:
    """The highlighted text, which some formats cannot do without."""
    if judgments.highlights is None:
        raise InputError(f"has grades of documents but no highlighted text, which {format_name} needs", judgments.name)
    return judgments.highlights


def nothing_relevant(name: str, format_name: str) -> InputError:
    """The error about judgments that a format which tells relevant text alone would make an empty file of."""
    return InputError(f"has nothing relevant, and a file of {format_name} holds nothing else", name)


def passage_columns(judgments: Judgments, documents: Documents | None, format_name: str) -> Columns:
    """A row for each document: how much of it is highlighted, its length, its best entry point, and the passages."""
    highlights = highlights_for(judgments, format_name)
    length = judged_lengths(judgments, highlights, documents, format_name)
    row, start, end, rsize = disjoint(highlights)
    passages: list[list[tuple[int, int]]] = [[] for _ in range(len(judgments))]
    for judged, first, behind in zip(row.tolist(), start.tolist(), end.tolist(), strict=True):
        passages[judged].append((first, behind))
    entries = highlights.entry.tolist()
    told = {"rsize": rsize.tolist(), "length": length.tolist(), "bep": entries, "passages": passages}
    return graded_columns(judgments) | told


def judged_lengths(judgments: Judgments, highlights: Highlights, documents: Documents | None, format_name: str) -> Ints:
    """The lengths of all judged documents."""
    unknown = np.flatnonzero(highlights.length < 0)
    if not len(unknown):
        return highlights.length
    names = judgments.document[unknown].texts()
    if documents is None:
        what = f"the length of document {quoted(names[0])}, which {format_name} needs, is {GIVE_DOCUMENTS}"
        raise InputError(what, judgments.name)
    known = highlights.length.copy()
    known[unknown] = documents.lengths(names)
    return known


def disjoint(highlights: Highlights) -> tuple[Ints, Ints, Ints, Ints]:
    """Passages that do not overlap, and how much they highlight of each
    document; what a file says of that is left as it is.
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


def span_columns_of(judgments: Judgments, highlights: Highlights) -> Columns:
    """A row for each highlighted span; a document without any has an empty one of grade 0."""
    columns = graded_columns(judgments)
    lone = np.setdiff1d(np.arange(len(highlights.length)), highlights.row)
    zeros = np.zeros(len(lone), np.int64)
    row = np.concatenate((highlights.row, lone))
    order = np.argsort(row, kind="stable")
    start, end = (np.concatenate(pair)[order].tolist() for pair in ((highlights.start, zeros), (highlights.end, zeros)))
    row = row[order]
    names = {field: [columns[field][judged] for judged in row.tolist()] for field in ("topic", "document")}
    grade = np.concatenate((np.ones(len(highlights.row), np.int64), zeros))[order].tolist()
    return names | {"start": start, "end": end, "grade": grade} | document_facts(highlights, row)


def document_facts(highlights: Highlights, row: Ints) -> Columns:
    """What is known of the documents of some rows: their lengths and best entry points."""
    facts = {"document_length": highlights.length, "bep": highlights.entry}
    told = {name: values[row].tolist() for name, values in facts.items() if np.any(values >= 0)}
    return {name: [None if value < 0 else value for value in values] for name, values in told.items()}


def subtopic_columns(judgments: Judgments, told: Subtopics) -> Columns:
    """The rows as they were told, each with its subtopic."""
    return columns_as_told(judgments, told) | {"subtopic": [name or None for name in told.subtopic.texts()]}


def labelled_columns(judgments: Judgments, labels: Labels) -> Columns:
    """The rows as they were told, each with its set and its annotator."""
    columns = columns_as_told(judgments, labels)
    for name, ids in (("set", labels.sets), ("annotator", labels.annotators)):
        if ids is not None:
            columns[name] = [label or None for label in ids.texts()]
    return columns


def columns_as_told(judgments: Judgments, told: Labels | Subtopics) -> Columns:
    """The rows as they were told, of which several may be of one document or of one span."""
    topics, documents = judgments.topic.texts(), judgments.document.texts()
    columns: Columns = {
        "topic": [topics[row] for row in told.row.tolist()], "document": [documents[row] for row in told.row.tolist()]
    }
    if (highlights := judgments.highlights) is not None:
        is_text = told.span >= 0
        for name, offsets in (("start", highlights.start), ("end", highlights.end)):
            # a row that highlights nothing is empty
            columns[name] = np.where(is_text, np.append(offsets, 0)[told.span], 0).tolist()
        columns |= {"grade": told.grade.tolist()} | document_facts(highlights, told.row)
    else:
        columns["grade"] = told.grade.tolist()
    return columns


# Spans of documents, a row each -> judgments, a row a document.

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


# Highlighted spans beside the texts of their documents, as the formats of gold evidence are written.


def spans_by_document(
    judgments: Judgments, documents: Documents | None, title: str
) -> Iterator[tuple[str, str, dict[str, list[tuple[int, int]]]]]:
    """Each judged document with its text, and its spans by topic."""
    highlights = highlights_for(judgments, title)
    if documents is None:
        raise InputError(f"the texts of documents, which {title} needs, are {GIVE_DOCUMENTS}", judgments.name)
    if not len(highlights.row):
        raise nothing_relevant(judgments.name, title)
    names, topics = judgments.document.texts(), judgments.topic.texts()
    by_document: dict[str, dict[str, list[tuple[int, int]]]] = {}
    for name, topic in zip(names, topics, strict=True):
        by_document.setdefault(name, {}).setdefault(topic, [])
    for row, start, end in zip(
        highlights.row.tolist(), highlights.start.tolist(), highlights.end.tolist(), strict=True
    ):
        by_document[names[row]][topics[row]].append((start, end))
    for name, by_topic in by_document.items():
        yield name, documents.text(name), by_topic
