"""Runs and judgments that carry texts, in files and in memory -> tables with places, and what was decided about these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from assay.errors import InputError
from assay.files.source import Source
from assay.formats import memory
from assay.formats.file_texts import text_rows_of
from assay.formats.format import NOTHING_MORE, Format, Request
from assay.formats.memory_texts import text_rows
from assay.formats.text_places import NO_SPELLING, placed_rows
from assay.formats.text_rows import TextRows
from assay.tables.judgments import Judgments
from assay.tables.run import Run
from assay.vocabulary import FileKind, Texts


def in_memory(
    given: Any, kind: FileKind, label: str, collection: Any, policy: Texts = "check", spelling: Mapping[str, str] = NO_SPELLING
) -> tuple[Any, list[str]]:
    """A table of an object that carries texts, and notes; the object itself where it does not."""
    rows = text_rows(given, kind, label, collection)
    return (given, []) if rows is None else table_of(rows, collection, policy, spelling)


def in_file(
    source: Source, kind: FileKind, format: Format, collection: Any, policy: Texts, spelling: Mapping[str, str] = NO_SPELLING
) -> tuple[Any, list[str]]:
    """A table of a file that carries texts without places, and notes; the file itself where all places are told, or no texts.

    Places that are told are compared with the texts.
    """
    if collection is None or policy == "ignore":
        return source, []
    rows = text_rows_of(source, kind, format)
    if rows is None:
        return source, []
    if policy == "check" and len(list(rows.placed())) == len(rows):
        return source, placed_rows(rows, collection, policy).notes
    return table_of(rows, collection, policy, spelling)


def table_of(
    rows: TextRows, collection: Any, policy: Texts = "check", spelling: Mapping[str, str] = NO_SPELLING
) -> tuple[Run | Judgments, list[str]]:
    """The table of some rows, and notes."""
    import polars as pl

    if rows.documents and collection is None:
        collection = memory_documents(rows)
    placed = placed_rows(rows, collection, policy, spelling)
    if not placed.records:
        raise InputError(f"is empty; expected {'a run' if rows.kind == 'run' else 'judgments'}", rows.label)
    frame = pl.DataFrame(placed.records, infer_schema_length=None)
    if rows.kind == "judgments":
        return replace(memory.judgments(frame, rows.label, NOTHING_MORE), name=rows.label), placed.notes
    (block,) = memory.run_blocks(frame, rows.label, Request(ranks=True, gather=True))
    return cast(Run, block()), placed.notes


def memory_documents(rows: TextRows) -> Any:
    """The documents that stand in the same file as some rows."""
    from assay.documents.in_memory import TextsInMemory

    return TextsInMemory(rows.documents)
