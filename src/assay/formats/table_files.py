"""What the formats of tables have in common: columns with names, the same in all of them.

A file is read into a frame, all rows at once. What its columns mean is told by their names, in frames.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from assay.errors import InputError
from assay.files.source import Source
from assay.formats import frames
from assay.formats.format import Block, Columns, Format, Unit
from assay.formats.highlighting import highlighted
from assay.formats.judgment_columns import graded_columns, labelled_columns, span_columns_of
from assay.formats.readable import Readable
from assay.tables.column_names import kind_of_columns
from assay.tables.ids import Ints
from assay.tables.judgments import Judgments, by_document
from assay.tables.places import Places
from assay.tables.run import Run, Table
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    import polars as pl

    from assay.documents.lookup import Documents

# The faults of rows that cannot be read, where they are wanted.
Broken = list[InputError]
# The columns of a run that is written, as far as it has them.
RUN_COLUMNS = ("topic", "document", "start", "end", "rank", "score")


class TableFile(Format):
    """A format with named columns."""

    writes_runs_of: ClassVar[tuple[Unit, ...]] = ("documents", "spans")
    writes_judgments = True
    writes_labels = True

    def frame(self, source: Source, broken: Broken | None = None) -> tuple[pl.DataFrame, Places]:
        """All rows of a file, and where they stand. The faults of others are
        put into `broken`, or raised where that is None.
        """
        raise NotImplementedError

    def content(self, columns: Columns, name: str) -> bytes:
        """A file with some columns."""
        raise NotImplementedError

    def rows(self, source: Source) -> frames.TableRows:
        """The rows of a file, to be taken when they are needed."""
        return frames.rows_of(*self.frame(source))

    def kind_of(self, source: Source) -> FileKind:
        """Whether a file holds a run or judgments: by the names of its columns."""
        return kind_of_columns(self.rows(source).names)

    def run_blocks(
        self, source: Source, documents: Documents | None = None, ranks: bool = False, gather: bool = False
    ) -> Iterator[Block]:
        """A run, some whole topics at a time."""
        yield from frames.run_blocks(self.rows(source), ranks, gather)

    def judgments(self, source: Source, documents: Documents | None = None, pools: Any = None) -> Judgments:
        """The judgments of a file."""
        return frames.judgments(*self.frame(source))

    def readable(self, source: Source, kind: FileKind | None, documents: Documents | None) -> Readable[Any]:
        """The rows that can be read."""
        broken: Broken = []
        frame, places = self.frame(source, broken)
        if broken and not len(frame):
            raise broken[0]
        kind = kind or kind_of_columns(frame.columns)
        wrong = dict(frames.faults(frames.columns(frame, kind, places.name, ranks=True)))
        good = np.delete(np.arange(len(frame)), list(wrong))
        faults = [*broken, *(places[row].fault(what) for row, what in wrong.items())]
        read = readable_run if kind == "run" else readable_judgments
        return read(frame[good], places.of(good), faults)

    def run_content(self, columns: Columns, name: str, tag: str) -> bytes:
        """A run."""
        return self.content({field: columns[field] for field in RUN_COLUMNS if field in columns}, name)

    def judgments_content(self, judgments: Judgments, documents: Documents | None) -> bytes:
        """Judgments: a row a highlighted span, or a judged document where text was not highlighted."""
        highlights = judgments.highlights
        if judgments.labels is not None:
            columns = labelled_columns(judgments, judgments.labels)
        else:
            columns = graded_columns(judgments) if highlights is None else span_columns_of(judgments, highlights)
        return self.content(columns, judgments.name)


def readable_run(frame: pl.DataFrame, places: Places, faults: list[InputError]) -> Readable[Run]:
    """A run, of rows that can all be read."""
    return Readable("run", frames.run(frame, places) if len(frame) else None, places, faults)


def readable_judgments(frame: pl.DataFrame, places: Places, faults: list[InputError]) -> Readable[Judgments]:
    """Judgments, of rows that can all be read; where the rows of a
    document tell different facts of it, that is a fault.
    """
    if not len(frame):
        return Readable("judgments", None, places, faults)
    taken = frames.columns(frame, "judgments", places.name)
    if "start" not in taken:
        return Readable("judgments", frames.judgments(frame, places), places, faults)
    columns = frames.whole_numbers(taken)
    rows = frames.table(taken, places)
    first, group = by_document(rows.topic, rows.document)
    facts = [columns.get(field) for field in ("document_length", "bep")]
    grade, labelled = columns.get("grade"), frames.labels(taken)
    table = highlighted(rows, columns["start"], columns["end"], grade, facts[0], facts[1], labelled=labelled)
    assert table.highlights is not None
    told = table.highlights.length, table.highlights.entry
    for name, of_document, values in zip(("length", "best entry point"), told, facts, strict=True):
        faults = [*faults, *(differences(name, of_document[group], values, rows, places) if values is not None else ())]
    span_rows = np.flatnonzero(columns["grade"] >= 1) if "grade" in columns else np.arange(len(frame))
    return Readable("judgments", table, places, faults, first, span_rows)


def differences(name: str, told: Ints, values: Ints, rows: Table, places: Places) -> Iterator[InputError]:
    """Rows of a document that tell another length or best entry point than the greatest."""
    for row in np.flatnonzero((values >= 0) & (values != told)).tolist():
        (document,) = rows.document[row : row + 1].texts()
        yield places[row].fault(
            f"the {name} of document {document} is {values[row]} here and {told[row]} in another row"
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
