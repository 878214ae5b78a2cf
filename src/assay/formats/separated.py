"""Values between commas or tabs, a row a line.

Polars reads them, all rows at once. Where it refuses a file, or finds values missing, the file is read again row by
row: to pass over blank lines, and to say on which line something is wrong.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

from assay.files.plain_text import text_of
from assay.files.source import Source
from assay.formats.contents import encoded, records, refuse
from assay.formats.format import Columns
from assay.formats.frames import known_columns
from assay.formats.heads import Head
from assay.formats.table_files import Broken, TableFile, refusing
from assay.tables.column_names import columns_of
from assay.tables.places import Places
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    import polars as pl

# Blanks at the ends of a value do not count; other white space may belong to an id.
BLANKS = " \t\n\r\v\f"
NOT_IN_TABLES = re.compile(rf"^[{BLANKS}]|[{BLANKS}]\Z|[\r\0]")
# Values in quotes from end to end, or without any; the plus signs forbid to look back, which takes memory.
WELL_QUOTED = r'(?:(?:"(?:[^"]++|"")*+"|[^"{0}\n]*+)[{0}\n])*+'
# How the csv module begins to say it, and what is meant.
CSV_FAULTS = {
    "unexpected": "a quote is not closed",
    "field larg": f"a value has more than {csv.field_size_limit():,} characters; is a quote not closed?",
}


class SeparatedFile(TableFile):
    """A format of values between commas or tabs; the first line has the names of the columns."""

    separator: ClassVar[str]
    # Whether the names of the columns stand in the first line.
    has_header: ClassVar[bool] = True

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """A first line with names of columns."""
        return head.has_header(self.separator)

    def frame(self, source: Source, broken: Broken | None = None) -> tuple[pl.DataFrame, Places]:
        """All rows of a file, and the lines on which they end."""
        content = text_of(source)
        rows = Separated(source, content, self.separator, self.column_names(source, content))
        frame = rows.at_once()
        return (rows.one_by_one(broken) if frame is None else frame), Places(source.label, rows.line)

    def column_names(self, source: Source, content: str) -> tuple[str, ...]:
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


class Separated:
    """The rows of a CSV or TSV file."""

    def __init__(self, source: Source, content: str, separator: str, names: tuple[str, ...] = ()):
        self.source, self.content, self.separator = source, content, separator
        # a line of names that the file does not have is put before it, and does not count
        self._added = bool(names)
        if names:
            self.content = separator.join(names) + "\n" + content
        self.names = self._header()
        self._lines: list[int] = []

    def _header(self) -> list[str]:
        line, names = next(self.rows(), (1, []))
        if doubled := [name for name in known_columns(names) if names.count(name) > 1]:
            raise self.source.fault(f"two columns are named {doubled[0]}", line)
        # columns that are not used may have the same name, but not in a frame
        return [name if names.count(name) == 1 else f"{name} {number}" for number, name in enumerate(names, 1)]

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Each row that is not blank, the names first, and the line on which it ends."""
        reader = csv.reader(io.StringIO(self.content), delimiter=self.separator, strict=True, skipinitialspace=True)
        begin = 1
        try:
            for row in reader:
                if any(values := [value.strip(BLANKS) for value in row]):
                    yield reader.line_num - self._added, values
                begin = reader.line_num + 1 - self._added
        except csv.Error as error:
            what = CSV_FAULTS.get(str(error)[:10], "a quote is followed by more than the end of the value")
            raise self.source.fault(what, begin) from None

    def at_once(self) -> pl.DataFrame | None:
        """All rows as a frame of text; None where they have to be read one by one."""
        import polars as pl

        # of quotes in other places polars makes what it likes
        if '"' in self.content and not re.fullmatch(WELL_QUOTED.format(self.separator), self.content + "\n"):
            return None
        try:
            frame = pl.read_csv(self.content.encode(), separator=self.separator, infer_schema=False, encoding="utf8")
        except pl.exceptions.PolarsError:
            return None
        if frame.width != len(self.names):
            return None
        frame = frame.rename(dict(zip(frame.columns, self.names, strict=True))).with_columns(
            pl.all().str.strip_chars(BLANKS)
        )
        # what is missing may be missing from a row that is blank
        needed = [name for field, name in columns_of(self.names).items() if field not in ("document_length", "bep")]
        missing = any(frame[name].null_count() or (frame[name] == "").any() for name in needed)
        return None if missing else frame

    def one_by_one(self, broken: Broken | None) -> pl.DataFrame:
        """All rows that can be read as a frame of text."""
        import polars as pl

        body, width = [], len(self.names)
        with refusing(broken):
            for line, row in islice(self.rows(), 1, None):
                if len(row) > width:
                    with refusing(broken):
                        raise self.source.fault(
                            f"expected {width} values ({', '.join(self.names)}), found {len(row)}", line
                        )
                else:
                    body.append([*row, *[None] * (width - len(row))])
                    self._lines.append(line)
        return pl.DataFrame(body, schema=dict.fromkeys(self.names, pl.String), orient="row")

    def line(self, row: int) -> int:
        """The line on which a row of the frame ends."""
        if not self._lines:
            self._lines = [line for line, _ in self.rows()][1:]
        return self._lines[row]
