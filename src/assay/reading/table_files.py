"""What the formats of tables have in common: columns with names, the same in all of them.

A file is read as frames, some rows at a time. What its columns mean is told by their names, in chosen_columns.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from assay.errors import InputError
from assay.files.source import Source
from assay.reading import frames
from assay.reading.columns import highlight_judgments, judgment_columns
from assay.reading.format import (
    MOST_FAULTS,
    NOTHING_MORE,
    Block,
    Columns,
    Format,
    Readable,
    Request,
    Unit,
    are_too_many,
)
from assay.reading.schema import ChosenColumns, Schema
from assay.tables.ids import Ints
from assay.tables.judgments import Judgments, by_document
from assay.tables.places import Places
from assay.tables.run import Run, Table
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    import polars as pl

    from assay.documents.collection import DocumentCollection

# The faults of rows that cannot be read.
Broken = list[InputError]
# The columns that a user names, by field.
Told = Mapping[str, str]
# The columns of a run that is written, as far as it has them.
RUN_COLUMNS = ("topic", "document", "start", "end", "rank", "score")


class TableFile(Format):
    """A format with named columns."""

    writes_runs_of: ClassVar[tuple[Unit, ...]] = ("documents", "spans")
    writes_judgments = True
    writes_labels = True
    writes_subtopics = True
    writes_strata = True
    has_columns = True
    takes_columns = True
    may_have_texts = True

    def rows(self, source: Source, told: Told) -> frames.TableRows:
        """The rows of a file, to be taken when they are needed; `told` are columns by field, as a user names them."""
        raise NotImplementedError

    def sound_rows(self, source: Source, told: Told, broken: Broken) -> frames.TableRows:
        """The rows of a file that can be read; the faults of others are put into `broken`."""
        return self.rows(source, told)

    def content(self, columns: Columns, name: str) -> bytes:
        """A file with some columns."""
        raise NotImplementedError

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Whether a file holds a run or judgments: by the names of its columns."""
        return Schema(self.column_names(source), request.columns).kind

    def column_names(self, source: Source) -> list[str]:
        """The names of the columns of a file."""
        return self.rows(source, {}).names

    def run_blocks(self, source: Source, request: Request = NOTHING_MORE) -> Iterator[Block]:
        """A run, some whole topics at a time."""
        yield from frames.frame_blocks(self.rows(source, request.columns), request)

    def judgments(self, source: Source, request: Request = NOTHING_MORE) -> Judgments:
        """The judgments of a file."""
        rows = self.rows(source, request.columns)
        chosen = rows.chosen("judgments", request)
        return frames.frame_judgments(rows.whole(chosen), chosen, rows.places, request)

    def readable(self, source: Source, kind: FileKind | None = None, request: Request = NOTHING_MORE) -> Readable[Any]:
        """The rows that can be read."""
        broken: Broken = []
        rows = self.sound_rows(source, request.columns, broken)
        kind = kind or Schema(rows.names, request.columns).kind
        chosen = rows.chosen(kind, request)
        kept, good, before = [], [np.zeros(0, np.int64)], 0
        faults: list[InputError] = []
        for frame in rows.blocks(chosen.names):
            wrong = dict(frames.row_faults(frames.named_columns(frame, chosen, rows.places.name)))
            right = np.delete(np.arange(len(frame)), list(wrong))
            kept.append(frame[right])
            good.append(right + before)
            faults += [rows.places[row + before].fault(what) for row, what in islice(wrong.items(), MOST_FAULTS)]
            before += len(frame)
            if are_too_many(faults, source, rows.places[before - 1].number if before else None):
                break
        if broken and not before:
            raise broken[0]
        read = readable_run if kind == "run" else readable_judgments
        whole = frames.one_frame(kept or [frames.no_rows(chosen.names)])
        return read(whole, chosen, rows.places.of(np.concatenate(good)), [*broken, *faults])

    def run_content(self, columns: Columns, name: str, tag: str) -> bytes:
        """A run."""
        return self.content({field: columns[field] for field in RUN_COLUMNS if field in columns}, name)

    def judgments_content(self, judgments: Judgments, documents: DocumentCollection | None) -> bytes:
        """Judgments."""
        return self.content(judgment_columns(judgments), judgments.name)


def readable_run(frame: pl.DataFrame, chosen: ChosenColumns, places: Places, faults: list[InputError]) -> Readable[Run]:
    """A run, of rows that can all be read."""
    return Readable("run", frames.frame_run(frame, chosen, places) if len(frame) else None, places, faults)


def readable_judgments(
    frame: pl.DataFrame, chosen: ChosenColumns, places: Places, faults: list[InputError]
) -> Readable[Judgments]:
    """Judgments, of rows that can all be read; where the rows of a
    document give different facts of it, that is a fault.
    """
    if not len(frame):
        return Readable("judgments", None, places, faults)
    taken = frames.named_columns(frame, chosen, places.name)
    if "start" not in taken:
        return Readable("judgments", frames.frame_judgments(frame, chosen, places), places, faults)
    columns, rows = frames.whole_numbers(taken), frames.topics_and_documents(taken, chosen, places)
    first, group = by_document(rows.topic, rows.document)
    facts = columns.get("document_length"), columns.get("bep")
    grade, labelled = columns.get("grade"), frames.row_labels(taken)
    subtopic = taken["subtopic"].values if frames.has_names(taken, "subtopic") else None
    marks: dict[str, Any] = {"labelled": labelled, "subtopic": subtopic, "facts": frames.row_facts(taken, places.name)}
    table = highlight_judgments(rows, columns["start"], columns["end"], grade, *facts, **marks)
    told = table.highlights.length, table.highlights.entry
    for name, of_document, values in zip(("length", "best entry point"), told, facts, strict=True):
        faults = [
            *faults,
            *(differing_rows(name, of_document[group], values, rows, places) if values is not None else ()),
        ]
    span_rows = np.flatnonzero(columns["grade"] >= 1) if "grade" in columns else np.arange(len(frame))
    return Readable("judgments", table, places, faults, first, span_rows)


def differing_rows(name: str, told: Ints, values: Ints, rows: Table, places: Places) -> Iterator[InputError]:
    """Rows of a document that give another length or best entry point than the greatest."""
    for row in np.flatnonzero((values >= 0) & (values != told)).tolist():
        (document,) = rows.document[row : row + 1].texts()
        yield places[row].fault(
            f"the {name} of document {document} is {values[row]} here but {told[row]} in another row"
        )


@contextmanager
def refusing(broken: Broken | None) -> Iterator[None]:
    """Faults are raised, or put into a list if there is one."""
    try:
        yield
    except InputError as fault:
        if broken is None:
            raise
        broken.append(fault)
