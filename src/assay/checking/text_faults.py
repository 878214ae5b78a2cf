"""Texts of rows, compared with what the documents have at their offsets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.checking.summary import Report
from assay.documents.evidence import compared
from assay.errors import InputError, counted
from assay.files.source import Source
from assay.formats.file_texts import text_rows_of
from assay.formats.format import Format, Request
from assay.formats.text_places import (
    OF_PARENT,
    contradiction_words,
    contradictions,
    document_of_row,
    found_places,
    is_comparable,
    length_fault,
)
from assay.formats.text_rows import TextRows
from assay.formats.text_tables import documents_for
from assay.vocabulary import FileKind

# How many wrong rows are told one by one.
FEW = 5


def rows_with_texts(
    source: Source, kind: FileKind | None, format: Format, columns: Mapping[str, str], documents: Any
) -> TextRows | None:
    """The rows of a file that carries texts; None where it does not, or cannot be read, which is told elsewhere."""
    try:
        kind = kind or format.kind_of(source, Request(columns=columns))
        return text_rows_of(source, kind, format, columns, documents)
    except InputError:
        return None


def check_texts(report: Report, rows: TextRows, documents: Any) -> Report:
    """The report, with how many texts stand where the offsets say; without documents their lengths can be compared."""
    collection = documents_for(rows, documents)
    placed = [row for row in rows.placed() if rows.chunks[row].text is not None]
    if collection is None:
        return lengths_compared(report, rows, placed)
    names = {row: document_of_row(rows, row, collection) for row in range(len(rows))}
    placed = [row for row in placed if is_comparable(rows, row, names[row], collection)]
    if placed:
        evidence = compared(rows.said(placed, [str(names[row]) for row in placed]), collection)
        if evidence.wrong:
            first = (rows.places[placed[each.row]].fault(str(each)) for each in evidence.wrong[:FEW])
            causes = "".join(f"; {cause}" for cause in evidence.causes())
            number = f"{len(evidence.wrong):,} of {counted(evidence.compared, 'text')}"
            summary = InputError(f"the offsets of {number} are wrong{causes}", report.path)
            report.add_faults([*first, summary])
        report.notes.append(
            f"texts: {counted(evidence.compared, 'text')} compared with the documents: {evidence.summary()}"
        )
    told = set(rows.placed())
    unplaced = [row for row in range(len(rows)) if row not in told and rows.chunks[row].text is not None]
    if unplaced:
        report = found_texts(report, rows, unplaced, names, collection)
    return report


def found_texts(
    report: Report, rows: TextRows, which: list[int], names: dict[int, str | None], collection: Any
) -> Report:
    """The report, with how many texts without offsets were found; those that were not are faults."""
    spans, notes = found_places(rows, which, [names[row] for row in range(len(rows))], collection, "drop")
    missing = [row for row in which if row not in spans]
    report.add_faults(
        rows.places[row].fault(f"{rows.chunks[row].text!r:.60} was not found in {collection.label}")
        for row in missing[:FEW]
    )
    if len(missing) > FEW:
        report.add_faults(
            [InputError(f"{len(missing):,} of {counted(len(which), 'text')} were not found", report.path)]
        )
    report.notes.extend(f"texts: {note.partition(': ')[2]}" for note in notes)
    return report


def lengths_compared(report: Report, rows: TextRows, placed: list[int]) -> Report:
    """The report, with the texts that are not as long as their places, or differ from others of the same place."""
    wrong = [row for row in placed if rows.chunks[row].length_differs]
    report.add_faults(rows.places[row].fault(length_fault(rows, row).partition(": ")[2]) for row in wrong[:FEW])
    if len(wrong) > FEW:
        number = f"{len(wrong):,} of {counted(len(placed), 'text')}"
        report.add_faults([InputError(f"the offsets of {number} do not fit the lengths", report.path)])
    unlike = contradictions(rows, placed)
    words = (contradiction_words(rows, row, before).partition(": ")[2] for row, before in unlike[:FEW])
    report.add_faults(rows.places[row].fault(each) for (row, _), each in zip(unlike, words, strict=False))
    if unlike:
        number = f"{len(unlike):,} of {counted(len(placed), 'text')}"
        report.add_faults([InputError(f"{number} differ from another of the same place; {OF_PARENT}", report.path)])
    return report
