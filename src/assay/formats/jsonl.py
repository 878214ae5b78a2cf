"""JSONL: an object a line; or a JSON array of objects.

Polars reads the lines, many at once. Where it refuses them, or may have changed a value, these lines are read again one
by one: to keep all digits of ids, and to say on which line something is wrong.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, shortened
from assay.files.json_arrays import array_objects
from assay.files.json_lines import EXACT_DECODER, WrittenNumber, json_object
from assay.files.line_blocks import LineBlock, line_blocks, numbered_lines
from assay.files.source import Source
from assay.formats import frames
from assay.formats.cells import python_text
from assay.formats.contents import content_of_lines, records
from assay.formats.format import NOTHING_MORE, Block, Columns, Request
from assay.formats.frames import TableRows
from assay.formats.heads import Head
from assay.formats.plain_values import is_whole_text
from assay.formats.readable import are_too_many
from assay.formats.table_files import Broken, TableFile, Told, refusing
from assay.formats.uniform_json import UniformJsonRun, uniform_names
from assay.tables.column_names import TableColumns
from assay.tables.places import Places
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    import polars as pl

EXPECTED = "a table with named columns"
IDS = ("topic", "document")
# Half a character: the escape of the first of two without the second, or the other way round.
HALF = re.compile(rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]")
# A decimal number, and a whole one that a float may not hold, as text.
DECIMAL = r"^-?[0-9]+\.[0-9]+"
LONG_NUMBER = r"^-?[0-9]{16,}$"
LONG_DECIMAL = re.compile(rb"[0-9]{16}\.|[0-9.]{16}[eE]")
# What a number with an exponent may be at most to be an id.
LARGEST_ID = 1e30
# A name or a text is seen to its end, as the id of a topic may be a bracket and a quotation mark.
BEGINNING = re.compile(rb'\[\s*\{|[{[]\s*"[^"\n]*"\s*[:,\]]')


class JsonLinesTable(TableFile):
    """An object in each line, with its values under the [names of the columns](#names-of-columns); or an array of such
    objects."""

    name = "jsonl"
    title = "JSONL"

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """An object, or an array of them."""
        return BEGINNING.match(head.stripped) is not None

    def rows(self, source: Source, told: Told) -> TableRows:
        """The rows of a file, and their lines."""
        return JsonRows(source, told).table()

    def run_blocks(self, source: Source, request: Request = NOTHING_MORE) -> Iterator[Block]:
        """A run, some whole topics at a time."""
        rows = JsonRows(source, request.columns)
        yield from UniformJsonRun(rows, rows.table().chosen("run", request), request).blocks()

    def sound_rows(self, source: Source, told: Told, broken: Broken) -> TableRows:
        """The rows of a file that can be read, one by one."""
        rows = JsonRows(source, told)
        lines = array("q")

        def blocks(names: list[str]) -> Iterator[pl.DataFrame]:
            broken.clear()
            del lines[:]
            yield from rows.made(rows.objects(broken), names, lines)

        return TableRows(rows.names, Places(source.label, lines.__getitem__), blocks)

    def content(self, columns: Columns, name: str) -> bytes:
        """A file with some columns; values that are missing are left out."""
        rows = (zip(columns, row, strict=True) for row in records(columns))
        told = ({field: value for field, value in row if value is not None} for row in rows)
        return content_of_lines((json.dumps(record, ensure_ascii=False) for record in told), name)


class JsonRows:
    """The rows of a JSONL file, or of an array. The columns are those that the first rows have."""

    def __init__(self, source: Source, told: Told):
        self.source = source
        self._is_array = source.head().lstrip().startswith(b"[")
        self.names = self._names()
        self.fields = TableColumns(self.names, told).fields

    def _names(self) -> list[str]:
        if self._is_array:
            first: Iterator[Any] = (value for _, value in islice(self._array(), frames.ROWS))
        else:
            block = next(self.row_blocks(), LineBlock(1, b""))
            if names := uniform_names(block.content):
                return names
            import polars as pl

            try:
                return pl.read_ndjson(block.content, infer_schema_length=None).columns
            except (pl.exceptions.PolarsError, RecursionError):
                first = self._tolerant(block)
        return list(dict.fromkeys(name for row in first for name in row))

    def _tolerant(self, block: LineBlock) -> Iterator[dict[str, Any]]:
        """The first objects of a block that can be read; what is wrong with others is told when they become rows."""
        fault, some = None, False
        for number, line in islice(block.lines(), frames.ROWS):
            try:
                row = json_object(line, number, self.source)
            except InputError as error:
                fault = fault or error
            else:
                some = True
                yield row
        if fault is not None and not some:
            raise fault

    def _array(self) -> Iterator[tuple[int, dict[str, Any]]]:
        return array_objects(self.source, EXPECTED, EXACT_DECODER)

    def table(self) -> TableRows:
        """All rows, and their lines."""
        return TableRows(self.names, Places(self.source.label, self.line), self.frames)

    def row_blocks(self) -> Iterator[LineBlock]:
        """Blocks of lines."""
        return line_blocks(self.source, EXPECTED)

    def frames(self, names: list[str], blocks: Iterator[LineBlock] | None = None) -> Iterator[pl.DataFrame]:
        """Some columns of all rows, or of those in some blocks, some rows at a time; an empty frame where there are
        none.
        """
        if self._is_array:
            yield from self.made(self.objects(), names)
            return
        for block in self.row_blocks() if blocks is None else blocks:
            frame = self.at_once(block.content, names)
            if frame is None:
                lines = (
                    (number, json_object(line, number, self.source, EXACT_DECODER)) for number, line in block.lines()
                )
                yield from self.made(map(self.plain_row, lines), names)
            else:
                yield frame

    def at_once(self, content: bytes, names: list[str]) -> pl.DataFrame | None:
        """Some columns of some lines; None where they have to be read one by one."""
        import polars as pl

        if b"\\u" in content and HALF.search(content):
            return None
        ids = [self.fields.get(field) for field in IDS]
        frame = None
        for numbers in (pl.Float64, pl.String):
            schema = {name: pl.String if name in ids else numbers for name in names}
            try:
                frame = pl.read_ndjson(content, schema=schema)
                break
            except (pl.exceptions.PolarsError, RecursionError):
                continue
        if frame is None:
            return None
        texts = [frame[name] for name in names if frame[name].dtype == pl.String]
        further = content.count(b"{") != len(frame) or any(mark in content for mark in (b"[", b"true", b"false"))
        if (further and any(map(is_no_value, texts))) or any(is_rounded(values, content) for values in texts):
            return None
        return frame

    def objects(self, broken: Broken | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
        """Each row with plain values, and its line; the faults of others are put into `broken`, or raised."""
        if self._is_array:
            with refusing(broken):
                for line, row in self._array():
                    if are_too_many(broken, self.source, line):
                        return
                    with refusing(broken):
                        yield self.plain_row((line, row))
            return
        for number, content in numbered_lines(self.source, EXPECTED):
            if are_too_many(broken, self.source, number):
                return
            with refusing(broken):
                yield self.plain_row((number, json_object(content, number, self.source, EXACT_DECODER)))

    def plain_row(self, numbered: tuple[int, dict[str, Any]]) -> tuple[int, dict[str, Any]]:
        """The values of a row that are used, as texts; they must be texts or numbers, and ids of numbers whole ones."""
        line, row = numbered
        values = {}
        for field, name in self.fields.items():
            value = row.get(name)
            if isinstance(value, bool | list | dict):
                raise self.fault(f"{name} {shortened(json.dumps(value))} is neither text nor a number", line)
            values[name] = self.text(value, name, line) if field in IDS else None if value is None else str(value)
        return line, row | values

    def text(self, value: Any, name: str, line: int) -> str | None:
        """An id as text."""
        if isinstance(value, str) and not has_whole_characters(value):
            raise self.fault(f"{name} {python_text(value)} has half of a character, which is not UTF-8", line)
        if isinstance(value, float):
            if not value.is_integer() or abs(value) > LARGEST_ID:
                raise self.fault(f"{name} {value} is neither text nor a whole number", line)
            return str(int(Decimal(value.written if isinstance(value, WrittenNumber) else value)))
        return None if value is None else str(value)

    def fault(self, what: str, line: int) -> InputError:
        """The error about a line."""
        return self.source.fault(what, line)

    def made(
        self, rows: Iterator[tuple[int, dict[str, Any]]], names: list[str], lines: array[int] | None = None
    ) -> Iterator[pl.DataFrame]:
        """Some columns of rows as frames of text, some rows at a time; `lines` take the line of each."""
        import polars as pl

        while some := list(islice(rows, frames.ROWS)):
            if lines is not None:
                lines.extend(line for line, _ in some)
            columns = {name: [row.get(name) for _, row in some] for name in names}
            # columns that are only looked at may hold anything
            texts = {
                name: [value if has_whole_characters(value) else None for value in values]
                for name, values in columns.items()
            }
            yield pl.DataFrame([pl.Series(name, values, pl.String) for name, values in texts.items()])

    def line(self, row: int, since: int = 0) -> int:
        """The line of a row, counted among those on some line or behind it."""
        lines: Iterator[tuple[int, Any]] = self._array() if self._is_array else numbered_lines(self.source)
        return next(islice((line for line, _ in lines if line >= since), row, None))

    def pairs(self, topic: str, document: str) -> Iterator[tuple[int, tuple[Any, Any]]]:
        """The values of two columns of each row, and its line."""
        return ((line, (row[topic], row[document])) for line, row in self.objects())


def is_no_value(values: pl.Series) -> bool:
    """Whether some of the texts that polars made of values may have been Booleans, lists or objects."""
    return bool(values.str.contains(r"^(true$|false$|\[|\{)").any())


def is_rounded(values: pl.Series, content: bytes) -> bool:
    """Whether some of the texts that polars made of values may have been decimal numbers, or had more digits."""
    if values.str.contains(".", literal=True).any() and values.str.contains(DECIMAL).any():
        return True
    long = int(values.str.len_bytes().max() or 0) >= 16 and values.str.contains(LONG_NUMBER).any()  # type: ignore[arg-type]
    return long and LONG_DECIMAL.search(content) is not None


def has_whole_characters(value: Any) -> bool:
    """Whether a value is a text, and has no half of a character."""
    return isinstance(value, str) and is_whole_text(value)


FORMAT = JsonLinesTable()
