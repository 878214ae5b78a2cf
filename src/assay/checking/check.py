"""What is wrong with a file, all of it, and what is in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.checking.highlights import check_highlights, graded
from assay.checking.parts import Asked, check_parts, check_whole
from assay.checking.readable import readable_judgments, readable_lines, readable_run
from assay.checking.submissions import readable_assessments, readable_submission, unresolved
from assay.checking.summary import HighlightedSummary, Kind, Parts, Report
from assay.checking.whole import frame_rows, judged, summed, trec_kind, trec_rows
from assay.errors import InputError, UsageError, counted
from assay.evaluation.tasks import TASKS, task_named
from assay.files.source import Latin, Source
from assay.formats import OF_RUNS, TABLES, TREC, is_folder_of_xml, kind_of, known, lines, opened_documents, read_frame, recognise
from assay.formats.column_names import span_columns
from assay.formats.recognition import kind_of_columns


def check(
    path: Any,
    kind: Kind | None = None,
    form: str | None = None,
    task: str | None = None,
    documents: Any = None,
    lengths: Mapping[str, int] | None = None,
) -> Report:
    """Every fault of a run or of judgments, and a summary of what is in it.

    task: one of INEX; where a run does not keep to it that is a fault. documents: a folder, an archive or a JSONL file, where
    element paths and lengths are looked up. lengths: those of documents by their names, as a report of judgments has them.

    A file of which nothing can be read, as it is not there, empty or no text, is an InputError.
    """
    if task is not None:
        refuse_unknown(task)
    asked = Asked(task, opened_documents(documents), lengths)
    source = Source(path)
    if is_folder_of_xml(path):
        return check_assessments(source, asked)
    if not any(block.strip() for block in source.blocks()):
        raise source.fault("is empty; expected a run or judgments")
    form = chosen_format(source, kind, known(form))
    try:
        return checked(source, kind, form, asked)
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


def chosen_format(source: Source, kind: Kind | None, form: str | None) -> str:
    """The format of a file; where that of runs is told and these are judgments it is recognised."""
    if form is None or (form in OF_RUNS and kind != "run"):
        found = recognise(source, kind)
        return found if form is None or kind or kind_of(source, found) == "judgments" else form
    return form


def checked(source: Source, kind: Kind | None, form: str, asked: Asked) -> Report:
    """The report of a file of a format."""
    if form in TABLES:
        return check_table(source, kind, form, asked)
    if form == "inex":
        return check_xml(source, kind, asked)
    refuse_other_than_text(source)
    if form == TREC:
        report = check_trec(source, kind or trec_kind(source))
        return check_whole(report, readable_lines(source, form, "run"), asked) if asked.task and report.kind == "run" else report
    kind = kind or kind_of(source, form)
    if kind == "run":
        return check_parts(Report(source.label, kind, form), readable_lines(source, form, kind), asked)
    if form == "genomics" and not lines.is_utf8(source.whole()):
        source = Latin(source)
    return check_highlights(Report(source.label, kind, form), readable_lines(source, form, kind), asked, apart=form == "fol")


def refuse_other_than_text(source: Source) -> None:
    """A file of lines has no NUL in it."""
    if any(b"\0" in block for block in source.blocks()):
        raise source.fault("is not text; expected a run or judgments")


def check_trec(source: Source, kind: Kind) -> Report:
    """The report of a TREC file."""
    at_once = summed(Report(source.label, kind, TREC), source)
    return at_once or judged(Report(source.label, kind, TREC), trec_rows(source, kind))


def check_table(source: Source, kind: Kind | None, form: str, asked: Asked) -> Report:
    """The report of a table with columns."""
    broken: list[InputError] = []
    frame, label, line = read_frame(source, form, broken)
    if broken and not len(frame):
        raise broken[0]
    kind = kind or kind_of_columns(frame.columns)
    report = Report(label, kind, form, unit="line" if line else "row")
    if span_columns(frame.columns) and kind == "judgments":
        report = check_highlights(report, readable_judgments(frame, line, label), asked, apart=False)
    elif span_columns(frame.columns):
        report = check_parts(report, readable_run(frame, line, label), asked)
    else:
        report = judged(report, frame_rows(frame, kind, line, label))
        if asked.task and kind == "run":
            report = check_whole(report, readable_run(frame, line, label), asked)
    report.add_faults(broken)
    return report


def check_xml(source: Source, kind: Kind | None, asked: Asked) -> Report:
    """The report of a file of INEX's XML."""
    if (kind or kind_of(source, "inex")) == "judgments":
        return check_assessments(source, asked)
    return check_parts(Report(source.label, "run", "inex"), readable_submission(source), asked)


def check_assessments(source: Source, asked: Asked) -> Report:
    """The report of INEX's assessments, in a file or in a folder."""
    report = Report(source.label, "judgments", "inex")
    found = readable_assessments(source, asked.documents)
    judgments = found.table if found else None
    if found is None or judgments is None or judgments.highlights is None:
        report = unresolved(report, source) or (graded(report, judgments) if judgments is not None else report)
    else:
        report = check_highlights(report, found, asked, apart=False)
    if judgments is not None and judgments.elements is not None:
        number, documents = len(judgments.elements.path), len(set(judgments.elements.row.tolist()))
        report.notes.append(f"elements: {number:,} assessed in {counted(documents, 'document')}")
    return report


__all__ = ["HighlightedSummary", "Kind", "Parts", "Report", "check", "judged", "summed", "trec_rows"]
