"""Values between commas or tabs, a row a line."""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from assay.files.source import Source
from assay.formats.contents import encoded, records, refuse
from assay.formats.format import NOTHING_MORE, Block, Columns, Request
from assay.formats.frames import TableRows
from assay.formats.heads import Head
from assay.formats.separated_rows import BLANKS, SeparatedRows
from assay.formats.table_files import Broken, TableFile, Told
from assay.formats.unquoted import UnquotedRun
from assay.tables.places import Places
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    import polars as pl

NOT_IN_TABLES = re.compile(rf"^[{BLANKS}]|[{BLANKS}]\Z|[\r\0]")


class SeparatedFile(TableFile):
    """A format of values between commas or tabs; the first line has the names of the columns."""

    separator: ClassVar[str]
    # Whether the names of the columns stand in the first line.
    has_header: ClassVar[bool] = True

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """A first line with names of columns."""
        return head.has_header(self.separator_in(head))

    def separator_in(self, head: Head) -> str:
        """What stands between the values of a file that begins so."""
        return self.separator

    def rows(self, source: Source, told: Told) -> TableRows:
        """The rows of a file, and the lines on which they end."""
        return SeparatedRows(source, self.separator_in(Head(source.head())), self.names_of(source), told).table()

    def run_blocks(self, source: Source, request: Request = NOTHING_MORE) -> Iterator[Block]:
        """A run, some whole topics at a time."""
        rows = SeparatedRows(source, self.separator_in(Head(source.head())), self.names_of(source), request.columns)
        yield from UnquotedRun(rows, rows.table().chosen("run", request), request).blocks()

    def sound_rows(self, source: Source, told: Told, broken: Broken) -> TableRows:
        """The rows of a file that can be read, one by one."""
        rows = SeparatedRows(source, self.separator_in(Head(source.head())), self.names_of(source), told)
        lines = array("q")

        def blocks(names: list[str]) -> Iterator[pl.DataFrame]:
            broken.clear()
            del lines[:]
            yield from rows.made(rows.one_by_one(rows.values(), broken), names, lines)

        return TableRows(rows.names, Places(source.label, lines.__getitem__), blocks)

    def names_of(self, source: Source) -> tuple[str, ...]:
        """The names of the columns, where they do not stand in the first line."""
        return ()

    def content(self, columns: Columns, name: str) -> bytes:
        """A file with some columns."""
        for field in ("topic", "document"):
            refuse(columns[field], "CSV", field, NOT_IN_TABLES, name)
        out = io.StringIO()
        writer = csv.writer(out, delimiter=self.separator, lineterminator="\n")
        if self.has_header:
            writer.writerow(columns)
        writer.writerows(
            [repr(value) if isinstance(value, float) else value for value in row] for row in records(columns)
        )
        return encoded(out.getvalue(), name)
