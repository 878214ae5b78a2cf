"""The rows of a file that can be read, what is wrong with the others, and on which lines they all are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Generic, TypeVar

import numpy as np

from assay.checking.summary import Kind
from assay.errors import InputError
from assay.files.source import Source
from assay.formats import TREC, frames, lines, read_judgments, read_run, trec
from assay.formats.highlighting import highlighted
from assay.tables.ids import Ints
from assay.tables.judgments import Judgments, by_document
from assay.tables.run import Run, Table

Read = TypeVar("Read", Run, Judgments)
# Lines that are read at once, and one by one only where that fails.
CHUNK = 1 << 13


class Places:
    """Where the rows of a table are in their file: on lines, or, where it has none, in rows or results. Found when asked for."""

    def __init__(self, label: str, find: Callable[[], Sequence[int | None]], unit: str = "line"):
        self.label, self.find, self.unit = label, find, unit

    @cached_property
    def _numbers(self) -> Sequence[int | None]:
        return self.find()

    def __call__(self, row: int) -> int | None:
        """The line, or the number, of a row."""
        return self._numbers[row]

    def of(self, rows: Ints) -> Places:
        """The places of some of the rows."""
        return Places(self.label, lambda: [self(row) for row in rows.tolist()], self.unit)

    def fault(self, row: int, what: str) -> InputError:
        """The error about a row."""
        place = self(row)
        return InputError(what if place is None or self.unit == "line" else f"{self.unit} {place}: {what}", self.label,
                          place if self.unit == "line" else None)  # fmt: skip

    def named(self, row: int) -> str:
        """How another row is spoken of."""
        return f"{'on' if self.unit == 'line' else 'in'} {self.unit} {self(row)}"


@dataclass(eq=False)
class Readable(Generic[Read]):
    """What of a file can be read, None where that is nothing, where its rows are, and the faults of the others.

    Of judgments also which row of the file each judgment begins in, and which each highlighted span stands in.
    """

    table: Read | None
    places: Places
    faults: list[InputError]
    rows: Ints | None = None
    span_rows: Ints | None = None


class Held(Source):
    """Some lines of a source."""

    def __init__(self, source: Source, held: list[bytes]):
        super().__init__(source.path)
        self._label, self._held = source.label, b"\n".join(held)

    @property
    def label(self) -> str:
        """How messages name it."""
        return self._label

    def blocks(self, size: int | None = None) -> Iterator[bytes]:
        """The lines, all at once."""
        if self._held:
            yield self._held


def line_format(form: str, kind: Kind) -> lines.LineFormat:
    """How the lines of a format are made up."""
    from assay.formats import elements, fol, genomics

    of_run, of_judgments = {
        TREC: (trec.RUN, trec.QRELS),
        "fol": (fol.RUN, fol.QRELS),
        "elements": (elements.RANGES, elements.RANGES),
        "genomics": (genomics.RUN, genomics.GOLD),
    }[form]
    return of_run if kind == "run" else of_judgments


def readable_lines(source: Source, form: str, kind: Kind) -> Readable[Any]:
    """A file of lines, of which those that cannot be read are left out."""
    read: Callable[[Source], Any] = partial(read_run if kind == "run" else read_judgments, form=form)
    kept, faults = kept_lines(source, line_format(form, kind), read)
    table = read(Held(source, [line for _, line in kept]) if faults else source) if kept else None
    found: Readable[Any] = Readable(table, Places(source.label, lambda: [number for number, _ in kept]), faults)
    if isinstance(table, Judgments) and table.highlights is not None:
        # a line has all of a document, but in the files of Genomics a span
        of_span = np.arange(len(table.highlights.row)) if form == "genomics" else table.highlights.row
        first = np.unique(table.highlights.row, return_index=True)[1] if form == "genomics" else np.arange(len(table))
        return replace(found, rows=first, span_rows=of_span)
    return found


def numbered(source: Source) -> list[tuple[int, bytes]]:
    """Every line that is neither blank nor a comment, and its number."""
    content = source.whole().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return [(at, line) for at, line in enumerate(content.split(b"\n"), 1) if not line.startswith(b"#") and line.strip()]


def kept_lines(
    source: Source, form: lines.LineFormat, read: Callable[[Source], Any]
) -> tuple[list[tuple[int, bytes]], list[InputError]]:
    """The lines that can be read, with their numbers, and the faults of the others."""
    given, kept, faults = numbered(source), [], []
    for begin in range(0, len(given), CHUNK):
        chunk = given[begin : begin + CHUNK]
        try:
            # a reader that refuses something looks for it from the first line on
            read(Held(source, [line for _, line in chunk]))
            kept += chunk
        except InputError:
            for number, line in chunk:
                fields = [field.decode(errors="surrogateescape") for field in line.split()]
                if wrong := misfit(fields, form):
                    faults.append(source.fault(wrong + (lines.look_alike(fields, form) if number == given[0][0] else ""), number))
                else:
                    kept.append((number, line))
    return kept, faults


def misfit(fields: list[str], form: lines.LineFormat) -> str | None:
    """What is wrong with a line, if anything: one of the other kind of parts is told as such."""
    wrong = form.misfit(fields, form.fields)
    if not wrong or form.name not in ("a run of passages", "a run of elements"):
        return wrong
    from assay.formats import elements, fol

    other: lines.LineFormat = elements.RANGES if form is fol.RUN else fol.RUN
    what = "an element in a run that begins with a passage" if form is fol.RUN else "a passage in a run that begins with an element"
    return wrong if other.misfit(fields, other.fields) else f"{what}; one or the other is allowed"


def readable_run(frame: Any, line: Any, label: str) -> Readable[Run]:
    """A run of spans from a table."""
    good, places, faults = sorted_out(frame, "run", line, label)
    table = replace(frames.run(frame[good], frames.Where(label)), unit=places.unit) if len(good) else None
    return Readable(table, places, faults)


def readable_judgments(frame: Any, line: Any, label: str) -> Readable[Judgments]:
    """Judgments with highlighted spans from a table."""
    good, places, faults = sorted_out(frame, "judgments", line, label)
    if not len(good):
        return Readable(None, places, faults)
    found = frames.columns(frame[good], "judgments", label)
    column = {field: one.values.astype(np.int64) for field, one in found.items() if field not in ("topic", "document")}
    rows = frames.Where(label).table(found)
    first, group = by_document(rows.topic, rows.document)
    facts = [column.get(field) for field in ("document_length", "bep")]
    table = highlighted(rows, column["start"], column["end"], column.get("grade"), *facts)
    assert table.highlights is not None
    for name, told, values in zip(
        ("length", "best entry point"), (table.highlights.length, table.highlights.entry), facts, strict=True
    ):
        faults += differences(name, told[group], values, rows, places) if values is not None else []
    span_rows = np.flatnonzero(column["grade"] >= 1) if "grade" in column else np.arange(len(good))
    return Readable(table, places, faults, first, span_rows)


def differences(name: str, told: Ints, values: Ints, rows: Table, places: Places) -> Iterator[InputError]:
    """Rows of a document that tell another length or best entry point than the greatest."""
    for row in np.flatnonzero((values >= 0) & (values != told)).tolist():
        (document,) = rows.document[row : row + 1].texts()
        yield places.fault(row, f"the {name} of document {document} is {values[row]} here and {told[row]} in another row")


def sorted_out(frame: Any, kind: Kind, line: Any, label: str) -> tuple[Ints, Places, list[InputError]]:
    """The rows of a table that can be read, their places, and the faults of the others."""
    wrong = dict(frames.faults(frames.columns(frame, kind, label, ranks=True)))
    good = np.delete(np.arange(len(frame)), list(wrong))
    find = (lambda: [line(row) for row in range(len(frame))]) if line else (lambda: range(1, len(frame) + 1))
    places = Places(label, find, "line" if line else "row")
    return good, places.of(good), [places.fault(row, what) for row, what in wrong.items()]
