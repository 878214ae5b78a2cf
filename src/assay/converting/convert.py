"""Runs and judgments from one format into another. What a format cannot hold is refused, never left out in silence."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, UsageError, quoted
from assay.files.source import Source
from assay.formats import Kind, is_file, is_folder_of_xml, kind_of, known, opened_documents, read_judgments, read_run, recognise
from assay.formats.records import SPANS
from assay.ranking.order import ordered
from assay.tables.ids import Ids, Ints
from assay.tables.intervals import Spans, overlapping
from assay.tables.judgments import Highlights, Judgments
from assay.tables.run import Run

if TYPE_CHECKING:
    from assay.documents.documents import Documents
    from assay.formats.writing import Columns

# Formats of runs that hold whole documents, and those that hold elements.
OF_DOCUMENTS = ("trec", "csv", "tsv", "jsonl", "parquet")
OF_ELEMENTS = ("elements", "inex")
GIVE_DOCUMENTS = "known only from the documents: give documents="


def convert(
    given: Any, to: str, *, documents: Any = None, kind: Kind | None = None, form: str | None = None, notes: list[str] | None = None
) -> bytes:
    """The content of a file of format `to` with a run or judgments, which may be a file, a table or an object in memory.

    Results are written best first, with ranks from 1. documents: where characters, elements or lengths have to be looked up.
    kind: what is given, run or judgments, where its content does not tell. form: its format, where that should not be recognised.
    notes: a list that takes a line for each thing that was decided.
    """
    known(to)
    documents = opened_documents(documents)
    if (kind or kind_of_given(given, form)) == "run":
        return written_run(read_run(given, form=form, documents=documents), to, documents, [] if notes is None else notes)
    return written_judgments(read_judgments(given, form, documents), to, documents)


def kind_of_given(given: Any, form: str | None) -> Kind:
    """Whether something is a run or judgments."""
    if isinstance(given, Run | Judgments):
        return "run" if isinstance(given, Run) else "judgments"
    if is_file(given):
        if is_folder_of_xml(given):
            return "judgments"
        source = given if isinstance(given, Source) else Source(given)
        return kind_of(source, known(form) or recognise(source))
    if hasattr(type(given), "columns"):
        from assay.formats.recognition import kind_of_columns

        return kind_of_columns([str(name) for name in given.columns])
    raise UsageError("whether this is a run or judgments cannot be told; expected kind='run' or kind='judgments'")


# Runs


def written_run(run: Run, to: str, documents: Documents | None, notes: list[str]) -> bytes:
    """A run in a format."""
    from assay.formats import writing

    run = run_for(run, to, documents, notes)
    columns = run_columns(run, ordered(run)[1].origin)
    if to in writing.RUNS:
        return writing.RUNS[to](columns, run.name, tag_of(run.name))
    fields = SPANS[6] if to == "spans" else ("topic", "document", "start", "end", "rank", "score")
    return writing.TABLES[to]({field: columns[field] for field in fields if field in columns}, run.name)


def run_for(run: Run, to: str, documents: Documents | None, notes: list[str]) -> Run:
    """The run with the columns that a format needs."""
    whole = run.start is None and run.path is None
    if to == "trec" and not whole:
        return documents_of(run, notes)
    if (whole and to in OF_DOCUMENTS) or (run.path is not None and to in OF_ELEMENTS):
        return run
    run = with_spans(run, to, documents)
    return with_paths(run, documents, notes) if to == "elements" else run


def documents_of(run: Run, notes: list[str]) -> Run:
    """The documents of a run of their parts, ranked by their first result; where ranks told the order, they become the scores."""
    results = ordered(run)[1]
    rows = results.origin[results.first_of]
    score = -np.arange(1.0, len(rows) + 1) if run.by_rank else run.score[rows]
    notes.append(f"{run.name}: {len(run):,} parts of documents became {len(rows):,} documents, ranked by their first result")
    return Run(run.name, run.topic[rows], run.document[rows], score=score)


def with_spans(run: Run, to: str, documents: Documents | None) -> Run:
    """The run with the characters of its results: a whole document is [0, length)."""
    if run.start is not None:
        return run
    if run.path is not None:
        raise InputError(f"returns elements; where they are is {GIVE_DOCUMENTS}", run.name)
    if documents is None:
        raise InputError(f"returns whole documents; their lengths, which {to} needs, are {GIVE_DOCUMENTS}", run.name)
    return replace(run, start=np.zeros(len(run), np.int64), end=documents.lengths(run.document.texts()))


def with_paths(run: Run, documents: Documents | None, notes: list[str]) -> Run:
    """The run with the smallest element that holds each of its spans, which may be larger than they are."""
    assert run.start is not None and run.end is not None
    if documents is None:
        raise InputError(f"returns spans; the elements that hold them are {GIVE_DOCUMENTS}", run.name)
    names = run.document.texts()
    paths = [documents.path(*row) for row in zip(names, run.start.tolist(), run.end.tolist(), strict=True)]
    start, end = documents.spans(names, paths)
    if larger := int(np.count_nonzero((start != run.start) | (end != run.end))):
        notes.append(f"{run.name}: {larger:,} of {len(run):,} results are no elements; each became the smallest element around it")
    return replace(run, path=Ids.of(paths))


def run_columns(run: Run, order: Ints) -> Columns:
    """The columns of a run in an order of its rows."""
    names, starts = run.topic[order].streaks()
    rows = np.diff(starts)
    columns: Columns = {
        "topic": [name for name, number in zip(names, rows.tolist(), strict=True) for _ in range(number)],
        "document": run.document[order].texts(),
        "rank": (np.arange(len(order)) - np.repeat(starts[:-1], rows) + 1).tolist(),
        "score": run.score[order].tolist(),
    }
    if run.start is not None and run.end is not None:
        columns |= {"start": run.start[order].tolist(), "end": run.end[order].tolist()}
        columns["length"] = (run.end - run.start)[order].tolist()
    for field, ids in (("path", run.path), ("last", run.last)):
        if ids is not None:
            columns[field] = ids[order].texts()
    return columns


def tag_of(name: str) -> str:
    """The tag of a run: the name of its file, or its own."""
    return re.sub(r"\s+", "_", Source(name).stem) or "run"


# Judgments


def written_judgments(judgments: Judgments, to: str, documents: Documents | None) -> bytes:
    """Judgments in a format."""
    from assay.formats import writing

    if to not in writing.JUDGMENTS and (to not in writing.TABLES or to == "spans"):
        expected = ", ".join([*writing.JUDGMENTS, *(name for name in writing.TABLES if name != "spans")])
        raise UsageError(f"judgments cannot be written as {to}; expected one of {expected}")
    if judgments.elements is not None and judgments.highlights is None:
        raise InputError(f"has grades of elements, which {to} cannot hold", judgments.name)
    columns: Columns = {"topic": judgments.topic.texts(), "document": judgments.document.texts(), "grade": judgments.grade.tolist()}
    if to == "fol":
        return writing.fol_judgments(columns | passages_of(judgments, documents), judgments.name)
    if to == "trec":
        return writing.trec_judgments(columns, judgments.name)
    if to == "genomics":
        if judgments.highlights is None:
            raise InputError("has grades of documents but no highlighted text, which genomics needs", judgments.name)
        return writing.genomics_judgments(span_columns(columns, judgments.highlights), judgments.name)
    return writing.TABLES[to](span_columns(columns, judgments.highlights) if judgments.highlights else columns, judgments.name)


def passages_of(judgments: Judgments, documents: Documents | None) -> Columns:
    """What FOL tells of each document: how much of it is highlighted, its length, its best entry point, and the passages."""
    if judgments.highlights is None:
        raise InputError("has grades of documents but no highlighted text, which fol needs", judgments.name)
    length = lengths(judgments, judgments.highlights, documents)
    row, start, end, rsize = disjoint(judgments.highlights)
    passages: list[list[tuple[int, int]]] = [[] for _ in range(len(judgments))]
    for one, first, behind in zip(row.tolist(), start.tolist(), end.tolist(), strict=True):
        passages[one].append((first, behind))
    bep = judgments.highlights.entry.tolist()
    return {"rsize": rsize.tolist(), "length": length.tolist(), "bep": bep, "passages": passages}


def lengths(judgments: Judgments, highlights: Highlights, documents: Documents | None) -> Ints:
    """The lengths of all judged documents."""
    unknown = np.flatnonzero(highlights.length < 0)
    if not len(unknown):
        return highlights.length
    names = judgments.document[unknown].texts()
    if documents is None:
        raise InputError(f"the length of document {quoted(names[0])}, which fol needs, is {GIVE_DOCUMENTS}", judgments.name)
    found = highlights.length.copy()
    found[unknown] = documents.lengths(names)
    return found


def disjoint(highlights: Highlights) -> tuple[Ints, Ints, Ints, Ints]:
    """Passages that do not overlap, and how much they highlight of each document; what a file says of that is left as it is."""
    documents = len(highlights.rsize)
    spans = Spans(highlights.row, highlights.start, highlights.end)
    told = highlights.rsize >= 0
    merged = spans.union(documents)
    rsize = np.where(told, highlights.rsize, np.bincount(merged.document, merged.size, minlength=documents).astype(np.int64))
    double = overlapping(spans, documents) & ~told
    kept, new = spans[~double[spans.document]], merged[double[merged.document]]
    row, start, end = (np.concatenate(pair) for pair in
                       ((kept.document, new.document), (kept.start, new.start), (kept.end, new.end)))  # fmt: skip
    return row, start, end, rsize


def span_columns(columns: Columns, highlights: Highlights) -> Columns:
    """A row for each highlighted span; a document without any has an empty one of grade 0."""
    lone = np.setdiff1d(np.arange(len(highlights.length)), highlights.row)
    zeros = np.zeros(len(lone), np.int64)
    row = np.concatenate((highlights.row, lone))
    order = np.argsort(row, kind="stable")
    start, end = (np.concatenate(pair)[order].tolist() for pair in ((highlights.start, zeros), (highlights.end, zeros)))
    row = row[order]
    names = {field: [columns[field][one] for one in row.tolist()] for field in ("topic", "document")}
    facts = {"document_length": highlights.length, "bep": highlights.entry}
    told = {name: values[row].tolist() for name, values in facts.items() if np.any(values >= 0)}
    further = {name: [None if value < 0 else value for value in values] for name, values in told.items()}
    grade = np.concatenate((np.ones(len(highlights.row), np.int64), zeros))[order].tolist()
    return names | {"start": start, "end": end, "grade": grade} | further


# Files


def write(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file, whole or not at all: who reads it sees the old content or the new one, never a part."""
    label = os.fspath(path)
    target = os.path.realpath(label)
    folder = os.path.dirname(target)
    if os.path.isdir(target):
        raise InputError("is a folder; expected a file", label)
    if not os.path.isdir(folder):
        raise InputError(f"cannot be written: there is no folder {os.path.dirname(label)}", label)
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            with open(target, "wb") as device:
                device.write(content)
        else:
            _replace(target, content)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", label) from None


def _replace(target: str, content: bytes) -> None:
    draft = os.path.join(os.path.dirname(target), f".{secrets.token_hex(8)}.part")
    try:
        with open(draft, "xb") as file:
            file.write(content)
        if os.path.exists(target):
            os.chmod(draft, os.stat(target).st_mode & 0o7777)
        os.replace(draft, target)
    finally:
        with suppress(OSError):
            os.unlink(draft)
