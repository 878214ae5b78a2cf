"""What the formats of lines have in common, each a declaration of the fields of a line."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from assay.errors import InputError
from assay.files.plain_text import with_line_feeds
from assay.files.source import Source
from assay.formats import lines
from assay.formats.format import Format
from assay.formats.heads import Head
from assay.formats.readable import Held, Readable
from assay.formats.registry import every_format
from assay.tables.ids import Ints
from assay.tables.judgments import Judgments
from assay.tables.places import Places
from assay.tables.run import Run
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.documents.lookup import Documents

# Lines that are read at once, and one by one only where that fails.
CHUNK = 1 << 13


class LineFile(Format):
    """A format with a row a line, and the fields of a row between blanks."""

    run_fields: ClassVar[lines.LineFields]
    judgments_fields: ClassVar[lines.LineFields | None] = None
    # What a result is called where one of another format stands in a run; nothing where that is not told.
    result: ClassVar[str] = ""

    @property
    def layouts(self) -> list[str]:
        """The fields of a line of a run, and of judgments."""
        return [" ".join(declared.fields) for declared in (self.run_fields, self.judgments_fields) if declared]

    def kind_of(self, source: Source) -> FileKind:
        """Whether a file holds a run or judgments: by its first lines."""
        head = Head(source.head())
        if not head.first:
            raise source.fault("is empty; expected a run or judgments")
        return "judgments" if self.are_judgments(head) else "run"

    def are_judgments(self, head: Head) -> bool:
        """Whether the first lines of a file of this format are those of judgments."""
        raise NotImplementedError

    def table_of(self, source: Source, kind: FileKind) -> Run | Judgments | None:
        """All of a file, for a check."""
        return (
            self.judgments(source) if kind == "judgments" else next(self.run_blocks(source, ranks=True, gather=True))()
        )

    def readable(self, source: Source, kind: FileKind | None, documents: Documents | None) -> Readable[Any]:
        """The lines that can be read."""
        if any(b"\0" in block for block in source.blocks()):
            raise source.fault("is not text; expected a run or judgments")
        kind = kind or self.kind_of(source)
        kept, faults = self.kept_lines(source, kind)
        table = self.table_of(Held(source, [line for _, line in kept]) if faults else source, kind) if kept else None
        places = Places(source.label, lambda row: kept[row][0])
        rows, span_rows = self.lines_of(table) if isinstance(table, Judgments) else (None, None)
        return Readable(kind, table, places, faults, rows, span_rows)

    def lines_of(self, judgments: Judgments) -> tuple[Ints | None, Ints | None]:
        """Of each judgment and of each highlighted span the line, counted among
        those that were read; None without highlights.
        """
        if judgments.highlights is None:
            return None, None
        return np.arange(len(judgments)), judgments.highlights.row

    def kept_lines(self, source: Source, kind: FileKind) -> tuple[list[tuple[int, bytes]], list[InputError]]:
        """The lines that can be read, with their numbers, and the faults of the others."""
        given, faults = numbered(source), list[InputError]()
        kept: list[tuple[int, bytes]] = []
        declared = self.run_fields if kind == "run" or self.judgments_fields is None else self.judgments_fields
        for begin in range(0, len(given), CHUNK):
            chunk = given[begin : begin + CHUNK]
            try:
                # a reader that refuses something looks for it from the first line on
                self.table_of(Held(source, [line for _, line in chunk]), kind)
                kept += chunk
            except InputError:
                for number, line in chunk:
                    fields = [field.decode(errors="surrogateescape") for field in line.split()]
                    if wrong := self.misfit(fields, declared):
                        help_too = lines.look_alike(fields, declared) if number == given[0][0] else ""
                        faults.append(source.fault(wrong + help_too, number))
                    else:
                        kept.append((number, line))
        return kept, faults

    def misfit(self, fields: list[str], declared: lines.LineFields) -> str | None:
        """What is wrong with a line, if anything: a result of another kind is told as such."""
        wrong = declared.misfit(fields, declared.fields)
        if wrong and self.result and declared is self.run_fields:
            for other in self._others:
                if not other.run_fields.misfit(fields, other.run_fields.fields):
                    return f"{other.result} in a run that begins with {self.result}; one or the other is allowed"
        return wrong

    @cached_property
    def _others(self) -> list[LineFile]:
        return [each for each in every_format() if isinstance(each, LineFile) and each.result and each is not self]


def numbered(source: Source) -> list[tuple[int, bytes]]:
    """Every line that is neither blank nor a comment, and its number."""
    content = with_line_feeds(source.whole())
    return [(at, line) for at, line in enumerate(content.split(b"\n"), 1) if not line.startswith(b"#") and line.strip()]
