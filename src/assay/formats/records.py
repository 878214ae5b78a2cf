"""Files with named columns as frames: CSV, TSV, JSONL and Parquet.

Polars reads them, all rows at once. Where it refuses a CSV or JSONL file, or finds values missing, the file is read again row by
row: to pass over blank lines, and to say on which line something is wrong.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, quoted
from assay.files.source import Source
from assay.formats.cells import plain
from assay.formats.column_names import columns_of
from assay.formats.frames import Line, Rows, known_columns, rows_of

if TYPE_CHECKING:
    import polars as pl

Broken = list[InputError]
PARQUET = b"PAR1"
# Blanks at the ends of a value do not count; other white space may belong to an id.
BLANKS = " \t\n\r\v\f"
# Values in quotes from end to end, or without any; the plus signs forbid to look back, which takes memory.
WELL_QUOTED = r'(?:(?:"(?:[^"]++|"")*+"|[^"{0}\n]*+)[{0}\n])*+'
# The columns of spans without names, by their number.
SPANS = {6: ("topic", "rank", "document", "start", "end", "score"), 4: ("topic", "document", "start", "end")}
# How the csv module begins to say it, and what is meant.
CSV_FAULTS = {
    "unexpected": "a quote is not closed",
    "field larg": f"a value has more than {csv.field_size_limit():,} characters; is a quote not closed?",
}


def rows(source: Source, form: str) -> Rows:
    """The rows of a file with named columns; those of Parquet are read when they are needed."""
    if form == "parquet":
        return parquet_rows(source)
    frame, line = READERS[form](source, None)
    return rows_of(frame, source.label, line)


def names_of(source: Source, form: str) -> list[str]:
    """The names of a file's columns."""
    return rows(source, form).names


def read_parquet(source: Source, broken: Broken | None = None) -> tuple[pl.DataFrame, None]:
    """A Parquet file as a frame; columns that are not used have nothing but their names."""
    import polars as pl

    given = parquet_rows(source)
    used = known_columns(given.names) or given.names
    frame = given.take(used, 0, None)
    return frame.select(pl.col(name) if name in used else pl.lit(None).alias(name) for name in given.names), None


def parquet_rows(source: Source) -> Rows:
    """The rows of a Parquet file, of which only the columns are read that are asked for."""
    import polars as pl

    with refusing_parquet(source):
        # a file that is not compressed as a whole need not be in memory as a whole
        frame = pl.scan_parquet(source.path if source.is_plain(PARQUET) else io.BytesIO(source.whole()), glob=False)
        names = frame.collect_schema().names()

    def take(columns: list[str], begin: int, rows: int | None) -> pl.DataFrame:
        with refusing_parquet(source):
            return frame.select(columns).slice(begin, rows).collect()

    return Rows(names, take, source.label)


@contextmanager
def refusing_parquet(source: Source) -> Iterator[None]:
    """Whatever polars says of a Parquet file is a fault of the file."""
    import polars as pl

    try:
        yield
    except InputError:
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        # polars says it with the file's name, or without
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise source.fault(f"cannot be read as Parquet: {quoted(why, 100)}") from None


def read_csv(source: Source, broken: Broken | None = None) -> tuple[pl.DataFrame, Line]:
    """A file of values between commas."""
    return read_separated(source, ",", broken)


def read_tsv(source: Source, broken: Broken | None = None) -> tuple[pl.DataFrame, Line]:
    """A file of values between tabs."""
    return read_separated(source, "\t", broken)


def read_spans(source: Source, broken: Broken | None = None) -> tuple[pl.DataFrame, Line]:
    """A file of spans between tabs, without the names of its columns: six of a run, four of judgments."""
    content = text_of(source)
    first = next((line for line in content.split("\n") if line.strip()), "").split("\t")
    names = SPANS.get(len(first))
    if names is None:
        expected = " or ".join(f"{len(names)} values ({', '.join(names)})" for names in SPANS.values())
        raise source.fault(f"expected {expected} between tabs, found {len(first)}: {quoted(chr(9).join(first))}")
    return read_separated(source, "\t", broken, names)


def read_separated(
    source: Source, separator: str, broken: Broken | None, names: tuple[str, ...] = ()
) -> tuple[pl.DataFrame, Line]:
    """A CSV or TSV file as a frame of text, and the line on which each of its rows ends.

    The faults of rows that cannot be read are put into `broken`, or the first is raised where that is None. `names` are those of
    the columns where the file does not have them.
    """
    rows = Separated(source, text_of(source), separator, names)
    frame = rows.at_once()
    return (rows.one_by_one(broken) if frame is None else frame), rows.line


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
        frame = frame.rename(dict(zip(frame.columns, self.names, strict=True))).with_columns(pl.all().str.strip_chars(BLANKS))
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
                        raise self.source.fault(f"expected {width} values ({', '.join(self.names)}), found {len(row)}", line)
                else:
                    body.append([*row, *[None] * (width - len(row))])
                    self._lines.append(line)
        return pl.DataFrame(body, schema=dict.fromkeys(self.names, pl.String), orient="row")

    def line(self, row: int) -> int:
        """The line on which a row of the frame ends."""
        if not self._lines:
            self._lines = [line for line, _ in self.rows()][1:]
        return self._lines[row]


@contextmanager
def refusing(broken: Broken | None) -> Iterator[None]:
    """Faults are raised, or put into a list if there is one."""
    try:
        yield
    except InputError as fault:
        if broken is None:
            raise
        broken.append(fault)


def text_of(source: Source) -> str:
    """A file's text, with line feeds for the line ends of Windows and old Macs."""
    content = source.whole()
    if b"\0" in content:
        raise source.fault("is not text; expected a table with named columns")
    try:
        found = content.decode()
    except UnicodeDecodeError as error:
        before = content[: error.start].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        wrong = content[error.start]
        raise source.fault(f"is not UTF-8 text, which has no byte {wrong:#x} here", before.count(b"\n") + 1) from None
    return found.replace("\r\n", "\n").replace("\r", "\n") if "\r" in found else found


def read_json_lines(source: Source, broken: Broken | None = None) -> tuple[pl.DataFrame, Line]:
    """A JSONL file, an object a line, as a frame, and the line of each of its rows."""
    import polars as pl

    content = text_of(source)
    filled = [number for number, line in enumerate(content.split("\n"), 1) if line.strip()]
    try:
        frame = pl.read_ndjson(io.BytesIO(content.encode()), infer_schema_length=None)
        if len(frame) == len(filled):
            return frame, filled.__getitem__
    except (pl.exceptions.PolarsError, RecursionError):
        pass
    rows = {}
    for number, line in enumerate(content.split("\n"), 1):
        if line.strip():
            with refusing(broken):
                rows[number] = _object(source, number, line)
    names = dict.fromkeys(name for row in rows.values() for name in row)
    columns = [pl.Series(name, [plain(row.get(name)) for row in rows.values()], pl.String) for name in names]
    return pl.DataFrame(columns), list(rows).__getitem__


def _object(source: Source, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        if line.lstrip().startswith("["):
            raise source.fault("begins an array; expected JSONL, one object a line", number) from None
        raise source.fault(f"is not JSON ({error.msg} at column {error.colno}): {quoted(line)}", number) from None
    except (ValueError, RecursionError):
        raise source.fault(f"has too many digits or brackets: {quoted(line)}", number) from None
    if not isinstance(row, dict):
        raise source.fault(f"expected an object with named values, found {quoted(line)}", number)
    for name in known_columns(list(row)):
        if isinstance(row[name], bool | list | dict):
            raise source.fault(f"{name} {json.dumps(row[name])} is neither text nor a number", number)
    return row


READERS = {"csv": read_csv, "tsv": read_tsv, "jsonl": read_json_lines, "spans": read_spans}
