"""What is wrong with a file, all of it, and what is in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from assay.checking.highlights import check_highlights, count_unresolved
from assay.checking.parts import Asked, check_parts, check_whole
from assay.checking.summary import Report, distinct
from assay.checking.text_faults import check_texts, rows_with_texts
from assay.checking.whole import judged, names_in, summed
from assay.documents.evidence import WINDOWS
from assay.errors import InputError, UsageError, counted, listed
from assay.evaluation.tasks import TASKS, task_named
from assay.files.source import Source
from assay.formats.chosen_columns import unused_columns
from assay.formats.file_texts import tells_places
from assay.formats.format import Format
from assay.formats.readable import Readable
from assay.formats.reading import (
    asked_format,
    format_of_folder,
    is_file,
    opened_documents,
    refuse_columns,
    source_of,
)
from assay.formats.recognition import recognise
from assay.formats.text_tables import readable_rows
from assay.ranking.gold_standards import (
    annotators_of,
    checked_standards,
    with_several_annotators,
    with_several_sets,
)
from assay.ranking.judged_subtopics import refuse_faulty_subtopics
from assay.tables.column_names import TableColumns, told_columns
from assay.tables.judgments import Judgments, Subtopics
from assay.tables.run import Run, not_empty
from assay.vocabulary import FileKind


def check(
    path: Any,
    kind: FileKind | None = None,
    format: str | None = None,
    task: str | None = None,
    documents: Any = None,
    lengths: Mapping[str, int] | None = None,
    columns: Mapping[str, str] | None = None,
) -> Report:
    """Every fault of a run or of judgments, and a summary of what is in it.

    task: one of INEX; where a run does not keep to it that is a fault. documents: a folder, an archive or a JSONL file,
    where element paths and lengths are looked up, and with which texts of rows are compared. lengths: those of
    documents by their names, as a report of judgments has them. columns: which column of a table holds what, as
    {"document": "chunk_id"}, where the usual names do not tell.

    A file of which nothing can be read, as it is not there, empty or no text, is an InputError.
    """
    if task is not None:
        refuse_unknown(task)
    asked = Asked(task, opened_documents(documents), lengths, told_columns(columns))
    if not is_file(path):
        raise UsageError(f"a check is of a file; expected its path, found an object of type {type(path).__name__}")
    source = source_of(path)
    if in_folder := format_of_folder(path):
        only = "judgments" if in_folder.folders_hold == ("judgments",) else kind
        return checked_file(source, only, in_folder, asked)
    if not any(block.strip() for block in source.blocks()):
        raise source.fault("is empty; expected a run or judgments")
    chosen = chosen_format(source, kind, asked_format(format))
    refuse_columns(source, chosen, asked.request)
    try:
        return checked_file(source, kind, chosen, asked)
    except InputError as error:
        # arithmetic on spans does not know what file they are of
        if error.path is None:
            raise source.fault(error.what) from None
        raise


def refuse_unknown(task: str) -> None:
    """A task must be one that has rules for runs."""
    try:
        task_named(task)
    except UsageError:
        raise UsageError(f"unknown task {task!r}; expected one of {', '.join(TASKS)}") from None


def chosen_format(source: Source, kind: FileKind | None, told: Format | None) -> Format:
    """The format of a file; where that of runs is told and these are judgments it is recognised."""
    if told is not None and ("judgments" in told.holds or kind == "run"):
        return told
    recognised = recognise(source, kind)
    return recognised if told is None or kind or recognised.kind_of(source) == "judgments" else told


def checked_file(source: Source, kind: FileKind | None, format: Format, asked: Asked) -> Report:
    """The report of a file of a format."""
    if format.only_documents:
        kind = kind or format.kind_of(source, asked.request)
        names: set[str] | None = set() if asked.documents is not None else None
        at_once = Report(source.label, kind, format.name)
        if (kind == "judgments" or not asked.task) and summed(at_once, source, format, names):
            return with_missing(at_once, names, asked)
    rows = rows_with_texts(source, kind, format, asked.request.columns, asked.documents)
    columns = asked.request.columns
    placed = rows is not None and asked.documents is not None and not tells_places(rows, source, format, columns)
    if rows is not None and placed:
        readable = readable_rows(rows, asked.documents)
    else:
        readable = format.readable(source, kind, asked.request)
    report = Report(source.label, readable.kind, format.name)
    report.notes += readable.table.notes if readable.table is not None else ()
    report = check_run(report, readable, asked) if readable.kind == "run" else check_judgments(report, readable, asked)
    report = report if rows is None else check_texts(report, rows, asked.documents)
    report.notes += unused(source, readable.kind, format, asked)
    if not report.faults and not placed and readable.unresolved is None:
        report.add_faults(filter(None, [refusal_of(source, readable.kind, format, asked)]))
    # texts tell by themselves whether the offsets are right
    report.notes += line_ends(readable, asked) if rows is None else ()
    return with_missing(report, document_names(readable), asked)


def line_ends(readable: Readable[Any], asked: Asked) -> list[str]:
    """That documents have the line ends of Windows, where offsets are told: programs often count these as one."""
    table = readable.table
    if table is None or asked.documents is None:
        return []
    if (table.highlights if readable.kind == "judgments" else table.start) is None:
        return []
    try:
        are_of_windows = [WINDOWS in text for _, text in asked.documents.texts(names_in(table))]
    except InputError:
        # that the collection cannot be read is a fault already, where it is needed
        return []
    number = sum(are_of_windows)
    of_all = f"{number:,} of {counted(len(are_of_windows), 'document')}"
    told = "of two characters each; offsets of Python's text files count one, and need documents with line feeds alone"
    return [f"line ends: those of Windows in {of_all}, {told}"] if number else []


def unused(source: Source, kind: FileKind, format: Format, asked: Asked) -> list[str]:
    """The columns of a table from which nothing is taken, if there are any: one may have been meant for something."""
    names = format.column_names(source) if format.has_columns else []
    left = unused_columns(TableColumns(names, asked.request.columns), kind)
    return [f"columns not used: {listed(left, 12)}"] if left else []


def refusal_of(source: Source, kind: FileKind, format: Format, asked: Asked) -> InputError | None:
    """Why an evaluation refuses a file of which each row is right by itself."""
    try:
        if kind == "judgments":
            not_empty(format.judgments(source, asked.request))
        # every block is read, as a fault may stand in any of them
        elif not sum(block() is not None for block in format.run_blocks(source, asked.request)):
            return source.fault("is empty; expected a run")
    except InputError as error:
        return error
    return None


def document_names(readable: Readable[Any]) -> set[str]:
    """The documents of a file, as far as it can be read."""
    if readable.table is None:
        return set(readable.unresolved.documents if readable.unresolved is not None else ())
    return names_in(readable.table)


def with_missing(report: Report, names: Collection[str] | None, asked: Asked) -> Report:
    """The report, with the documents that the collection does not have, where there is one."""
    if asked.documents is None or not names:
        return report
    try:
        missing = sorted(name for name in names if name not in asked.documents)
    except InputError:
        # that the collection cannot be read is a fault already, where it is needed
        return report
    if missing:
        number = f"{len(missing):,} of {counted(len(names), 'document')}"
        report.notes.append(f"not in {asked.documents.label}: {number} ({listed(missing)})")
    return report


def check_run(report: Report, readable: Readable[Run], asked: Asked) -> Report:
    """The report of a run: of parts of documents, or of whole ones."""
    run = readable.table
    if run is not None and run.start is None and run.path is None:
        return check_whole(judged(report, readable), readable, asked)
    return check_parts(report, readable, asked)


def check_judgments(report: Report, readable: Readable[Judgments], asked: Asked) -> Report:
    """The report of judgments: of highlighted text, or of grades."""
    judgments, unresolved = readable.table, readable.unresolved
    if unresolved is not None:
        report = count_unresolved(report, unresolved)
    elif judgments is not None and judgments.highlights is not None:
        report = check_highlights(report, readable, asked)
    else:
        report = judged(report, readable)
    if judgments is not None and judgments.elements is not None:
        rows = np.unique(judgments.elements.row)
        documents = distinct(len(np.unique(judgments.document[rows].keys())), len(rows))
        report.notes.append(f"elements: {len(judgments.elements.path):,} assessed in {documents}")
    if judgments is not None and judgments.labels is not None:
        check_labels(report, judgments)
    if judgments is not None and judgments.subtopics is not None:
        check_subtopics(report, judgments, judgments.subtopics)
    if judgments is not None and judgments.strata is not None:
        number = len(judgments.strata.numbered()[0])
        sampled = f"{np.count_nonzero(judgments.grade >= 0):,} of {counted(len(judgments), 'document')} were judged"
        report.notes.append(f"strata of a sample: {number:,}; {sampled}")
    return report


def check_labels(report: Report, judgments: Judgments) -> None:
    """Adds how many annotators and sets of evidence there are, or why that cannot be told."""
    try:
        by_topic = checked_standards(judgments)
    except InputError as fault:
        report.add_faults([fault])
        return
    topics = f"of {counted(len(by_topic), 'topic')}"
    if annotators := annotators_of(judgments):
        several = f"several in {with_several_annotators(by_topic):,} {topics}"
        report.notes.append(f"annotators: {len(annotators):,} ({listed(annotators)}), {several}")
    if alternatives := with_several_sets(by_topic):
        report.notes.append(f"sets of evidence: several in {alternatives:,} {topics}")


def check_subtopics(report: Report, judgments: Judgments, told: Subtopics) -> None:
    """Adds how many subtopics there are, or why they cannot be told."""
    try:
        refuse_faulty_subtopics(judgments, told)
    except InputError as fault:
        report.add_faults([fault])
        return
    topics = judgments.topic[told.row].texts()
    pairs = {pair for pair in zip(topics, told.subtopic.texts(), strict=True) if pair[1]}
    of_topics = sorted(Counter(topic for topic, _ in pairs).values())
    spread = f"{of_topics[0]:,}" if of_topics[0] == of_topics[-1] else f"{of_topics[0]:,} to {of_topics[-1]:,}"
    report.notes.append(f"subtopics: {len(pairs):,} in {counted(len(of_topics), 'topic')}, {spread} a topic")
