"""What is wrong with a file, all of it, and what is in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.checking.highlights import check_highlights, count_unresolved
from assay.checking.parts import Asked, check_parts, check_whole
from assay.checking.summary import Report
from assay.checking.whole import judged, summed
from assay.errors import InputError, UsageError, counted
from assay.evaluation.tasks import TASKS, task_named
from assay.files.source import Source
from assay.formats.format import Format
from assay.formats.readable import Readable
from assay.formats.reading import format_of_folder, named, opened_documents
from assay.formats.recognition import recognise
from assay.tables.judgments import Judgments
from assay.tables.run import Run
from assay.vocabulary import FileKind


def check(
    path: Any,
    kind: FileKind | None = None,
    format: str | None = None,
    task: str | None = None,
    documents: Any = None,
    lengths: Mapping[str, int] | None = None,
) -> Report:
    """Every fault of a run or of judgments, and a summary of what is in it.

    task: one of INEX; where a run does not keep to it that is a fault. documents: a folder, an archive or a JSONL file,
    where element paths and lengths are looked up. lengths: those of documents by their names, as a report of judgments
    has them.

    A file of which nothing can be read, as it is not there, empty or no text, is an InputError.
    """
    if task is not None:
        refuse_unknown(task)
    asked = Asked(task, opened_documents(documents), lengths)
    source = Source(path)
    if in_folder := format_of_folder(path):
        return checked(source, "judgments", in_folder, asked)
    if not any(block.strip() for block in source.blocks()):
        raise source.fault("is empty; expected a run or judgments")
    chosen = chosen_format(source, kind, named(format))
    try:
        return checked(source, kind, chosen, asked)
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


def checked(source: Source, kind: FileKind | None, format: Format, asked: Asked) -> Report:
    """The report of a file of a format."""
    if format.only_documents:
        kind = kind or format.kind_of(source)
        if (kind == "judgments" or not asked.task) and (
            report := summed(Report(source.label, kind, format.name), source, format)
        ):
            return report
    readable = format.readable(source, kind, asked.documents)
    report = Report(source.label, readable.kind, format.name)
    return check_run(report, readable, asked) if readable.kind == "run" else check_judgments(report, readable, asked)


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
        number, documents = len(judgments.elements.path), len(set(judgments.elements.row.tolist()))
        report.notes.append(f"elements: {number:,} assessed in {counted(documents, 'document')}")
    return report
