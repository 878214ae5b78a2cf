"""JSONL: one object per line; or a JSON array of objects.

Polars reads many lines at once. If it refuses them, or may have changed a value, these lines are read again one by one:
to keep all digits of ids, and to say on which line something is wrong.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import InputError
from assay.files.json_lines import EXACT_DECODER, WrittenNumber, array_lines, array_objects, json_object
from assay.files.line_blocks import TABLE, LineBlock, is_utf8, line_blocks, numbered_lines
from assay.files.source import PIECES, Source, piece_size
from assay.reading import frames, lines, uniform
from assay.reading.cells import are_blank, object_series
from assay.reading.format import NOTHING_MORE, Block, Columns, Head, Request, are_too_many, content_of_lines, records
from assay.reading.frames import Broken, TableFile, TableRows, Told, refusing
from assay.reading.lines import LineFields
from assay.reading.numbers import numbers
from assay.reading.schema import Schema, may_carry_texts, schema_of
from assay.reading.subtopics import are_alike
from assay.reading.uniform import UniformRun
from assay.reading.values import is_missing, is_whole_text
from assay.tables.ids import Bools, Bytes, Floats, Ids
from assay.tables.judgments import Judgments
from assay.tables.places import Places
from assay.tables.run import Run
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    import polars as pl

# A fast path for runs in JSONL files whose lines have the same names in the same order, as programs write them. Quotes
# cut each line into parts. The parts that are names, or that are between values, are the same in all lines. A string is
# a part of its own; a number is in a part between a colon and a comma or the end of the object.

# With more names than this, the fast paths are not tried.
WIDE = 100
MINUS, ZERO, NINE = b"-09"
# A number without an exponent, and the characters before and after it.
NUMBER = re.compile(rb"(\s*:\s*)-?[0-9.]+(\s*[,}]\s*)")
# How many of the last characters of a number are checked for an exponent.
EXPONENT = 6
NUMBERS = LineFields("a table", ("score", "rank"), numbers=("score",), wholes=("rank",))


class ValuePart(NamedTuple):
    """The part of a line that holds a value, and for a number how many bytes of the part are before and after it."""

    number: int
    before: int = 0
    behind: int = 0


class UniformJsonRun(UniformRun):
    """A run of whole documents in a file whose lines are all objects with the same names."""

    rows: JsonRows
    pieces = PIECES

    def row_blocks(self) -> Iterator[LineBlock]:
        """Return blocks of lines: small ones, unless the request says `in_pieces`."""
        return self.rows.row_blocks(None if self.request.in_pieces else piece_size())

    def topic_of(self, line: bytes) -> list[bytes]:
        """Return the topic of a line that looks like the first line of the file, in a list."""
        return line.split(b'"', self.at_topic + 1)[self.at_topic : self.at_topic + 1]

    @cached_property
    def at_topic(self) -> int:
        """The number of the part of a line that is the topic."""
        topic = (value_parts(first_line(lines.pad(self.first.content))) or {}).get(self.chosen["topic"])
        return topic.number if topic else 0

    def at_once(self, block: bytes) -> dict[str, Any] | None:
        """Return the columns of a padded block by field; None if it is not a table, or a value may be wrong."""
        texts, values = uniform_values(block) or ({}, {})
        if texts.keys() | values.keys() != {*self.rows.names}:
            return None
        columns: dict[str, Any] = {}
        for field, name in self.chosen.fields.items():
            if field in NUMBERS.numbers + NUMBERS.wholes and name in values:
                columns[field] = lines.declared_numbers(values[name], NUMBERS, field)
            elif field in ("topic", "document") and name in texts:
                columns[field] = texts[name]
            else:
                return None
        good = all(map(lines.is_good, columns.values()))
        return columns if good and not any(are_blank(columns[field]).any() for field in IDS) else None

    def _run_by_frame(self, block: bytes) -> Run | None:
        self.refuse_late_names([block[len(lines.PAD) : -len(lines.PAD)]])
        return super()._run_by_frame(block)

    def refuse_late_names(self, contents: Iterable[bytes]) -> None:
        """Raise an error if rows in these lines have names that change what the names of the first rows mean."""
        names, told = self.rows.names, self.request.columns
        every = self.rows.names_in(contents, names)
        if meaning_of(schema_of(every, told)) == meaning_of(schema_of(names, told)):
            return
        # read it with all names, to say what is wrong with the rows
        self.rows.names = every
        table = self.rows.table()
        for each in frames.chosen_blocks(table, table.chosen("run", self.request), self.request):
            each()
        late = next(name for name in every if name not in names)
        what = f"the first rows lack {late}, which later rows have; write it in the first row too, if need be as null"
        raise self.rows.source.fault(what)


def uniform_names(content: bytes) -> list[str] | None:
    """Return the names that all lines have, in their order; None if the lines do not look alike."""
    block = lines.pad(content)
    return list(value_parts(first_line(block)) or ()) if uniform_values(block) else None


def uniform_values(block: bytes) -> tuple[dict[str, Ids], dict[str, Floats]] | None:
    """Return the strings and the numbers of a padded block by name; None if its lines do not look alike."""
    characters = np.frombuffer(block, np.uint8)
    controls = np.count_nonzero(characters < lines.BLANK) - np.count_nonzero(characters == lines.LINE_FEED)
    parts = None if controls or b"\\" in block or not is_utf8(block) else value_parts(first_line(block))
    ends = lines.field_ends(block, exactly=True, separator=b'"') if parts else None
    if parts is None or ends is None:
        return None
    texts: dict[str, Ids] = {}
    decimals: dict[str, Floats] = {}
    behind = lines.column_at(block, ends, 0).start
    for name, part in parts.items():
        column = lines.column_at(block, ends, part.number)
        column = Ids(block, column.start + part.before, column.end - part.behind)
        # the characters between two values
        if not are_alike(Ids(block, behind, column.start)):
            return None
        behind = column.end
        if not part.before:
            texts[name] = column
        elif (values := json_numbers(column)) is not None:
            decimals[name] = values
        else:
            return None
    return (texts, decimals) if are_alike(Ids(block, behind, ends[:, -1])) else None


def first_line(block: bytes) -> bytes:
    """Return the first line of a padded block."""
    return block[len(lines.PAD) : block.index(b"\n", len(lines.PAD))]


def value_parts(line: bytes) -> dict[str, ValuePart] | None:
    """Return the part of each value of a line by name; None if it is not an object of strings and numbers."""
    try:
        pairs = json.loads(line, object_pairs_hook=tuple) if b"\\" not in line else None
    except (ValueError, RecursionError):
        pairs = None
    if not isinstance(pairs, tuple) or len(pairs) > WIDE:
        return None
    pieces = line.split(b'"')
    parts: dict[str, ValuePart] = {}
    at = 1
    for name, value in pairs:
        if isinstance(value, str):
            parts[name], at = ValuePart(at + 2), at + 4
        elif number := NUMBER.fullmatch(pieces[at + 1]):
            parts[name], at = ValuePart(at + 1, len(number[1]), len(number[2])), at + 2
        else:
            return None
    return parts if len(parts) == len(pairs) and at == len(pieces) else None


def json_numbers(column: Ids) -> Floats | None:
    """Return the numbers of a column; None if one is not a number in JSON, or has an exponent."""
    if column.length.min() <= 0:
        return None
    characters = np.frombuffer(column.buffer, np.uint8)
    first = column.start + (characters[column.start] == MINUS)
    good = is_digit(characters[first]) & is_digit(characters[column.end - 1])
    good &= (characters[first] != ZERO) | ~is_digit(characters[first + 1])
    for behind in range(2, EXPONENT):
        good &= (column.end - behind < first) | (characters[column.end - behind] <= NINE)
    values = numbers(column)
    return values if np.all(good) and not np.isnan(values).any() else None


def is_digit(characters: Bytes) -> Bools:
    """Return which characters are digits."""
    return (characters >= ZERO) & (characters <= NINE)


def meaning_of(schema: Schema) -> tuple[Any, ...]:
    """Return what columns mean in a run of whole documents."""
    equals = [schema.equals(field) for field in sorted(uniform.FIELDS)]
    return schema.fields, schema.texts, may_carry_texts(schema), equals


def is_of_documents(schema: Schema) -> bool:
    """Return whether all columns that may be used are those of a run of whole documents."""
    columns = {name for field, name in schema.fields.items() if field in uniform.FIELDS}
    return columns.issuperset(schema.used) and "score" in schema.fields and not schema.texts


def has_only(names: list[str], content: bytes) -> bool:
    """Return whether objects certainly have no other names than these: every quote before a colon ends one of them."""
    if any(quote in content for quote in (b'" ', b'"\t', b'"\r', b'"\n')):
        return False
    found = content.count(b'":')
    return found > 0 and found == sum(content.count(f'"{name}":'.encode()) for name in names)


IDS = ("topic", "document")
# A lone surrogate: the escape of the first of two without the second, or the other way round.
HALF = re.compile(rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]")
# A decimal number, and a whole number that a float may not hold exactly, as text.
DECIMAL = r"^-?[0-9]+\.[0-9]+"
LONG_NUMBER = r"^-?[0-9]{16,}$"
LONG_DECIMAL = re.compile(rb"[0-9]{16}\.|[0-9.]{16}[eE]")
# The largest number with an exponent that may be an id.
LARGEST_ID = 1e30
# Matches the first name or string to its end, because a topic's id in a line of TREC may be a bracket and a quote.
BEGINNING = re.compile(rb'\[\s*\{|[{[]\s*"[^"\n]*"\s*[:,\]]')


class JsonLinesTable(TableFile):
    """One object per line, with its values under the [names of the columns](#names-of-columns); or an array of such
    objects.
    """

    name = "jsonl"
    title = "JSONL"

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise an object, or an array of objects."""
        return BEGINNING.match(head.stripped) is not None

    def rows(self, source: Source, told: Told) -> TableRows:
        """Return the rows of a file with their lines."""
        return JsonRows(source, told).table()

    def run_blocks(self, source: Source, request: Request = NOTHING_MORE) -> Iterator[Block]:
        """Yield a run as blocks of whole topics."""
        rows = JsonRows(source, request.columns)
        table = rows.table()
        chosen = table.chosen("run", request)
        run = UniformJsonRun(rows, chosen, request)
        if run.is_possible:
            yield from run.blocks()
            return
        if rows.are_of_first:
            run.refuse_late_names(block.content for block in rows.row_blocks())
        yield from frames.chosen_blocks(table, chosen, request)

    def judgments(self, source: Source, request: Request = NOTHING_MORE) -> Judgments:
        """Return the judgments in a file; those with scores for grades look like a run of whole documents."""
        JsonRows(source, request.columns).with_all_names()
        return super().judgments(source, request)

    def sound_rows(self, source: Source, told: Told, broken: Broken) -> TableRows:
        """Return the rows of a file that can be read, read one by one."""
        rows = JsonRows(source, told).with_all_names()
        lines = array("q")

        def blocks(names: list[str]) -> Iterator[pl.DataFrame]:
            broken.clear()
            del lines[:]
            made = rows.made(rows.objects(names, broken), names, lines)
            yield next(made, frames.no_rows(names))
            yield from made

        return TableRows(rows.names, Places(source.label, lines.__getitem__), blocks)

    def content(self, columns: Columns, name: str) -> bytes:
        """Return the bytes of a file with these columns; missing values are left out."""
        rows = (zip(columns, row, strict=True) for row in records(columns))
        told = ({field: value for field, value in row if value is not None} for row in rows)
        return content_of_lines((json.dumps(record, ensure_ascii=False) for record in told), name)


class JsonRows:
    """The rows of a JSONL file, or of a JSON array. The columns are the names of all objects.

    `are_of_first`: only the names of the first rows are known, because the file looks like one for `UniformJsonRun`,
    which checks those of all others.
    """

    def __init__(self, source: Source, told: Told):
        self.source = source
        self.is_array = source.head().lstrip().startswith(b"[")
        self._known, self._told = ("names", *told.items()), told
        if self._known not in source.known:
            source.known[self._known] = self._names(told)
        self.names: list[str]
        self.are_of_first: bool
        self.names, self.are_of_first = source.known[self._known]
        self.fields = schema_of(self.names, told).fields

    def with_all_names(self) -> JsonRows:
        """Return these rows with the names of all objects."""
        if self.are_of_first:
            names = self.names_in((block.content for block in self.row_blocks()), self.names)
            self.source.known[self._known] = names, False
            return JsonRows(self.source, self._told)
        return self

    def _names(self, told: Told) -> tuple[list[str], bool]:
        """Return the names, and whether they are only those of the first rows."""
        contents = (block.content for block in self.row_blocks())
        first = next(contents, b"")
        names = uniform_names(first)
        if names is None:
            return self.names_in(chain([first], contents), []), False
        if is_of_documents(schema_of(names, told)):
            return names, True
        return self.names_in(contents, names), False

    def names_in(self, contents: Iterable[bytes], names: list[str]) -> list[str]:
        """Return these names and all others of the objects in some lines.

        Objects that cannot be read are reported when they become rows; without names, the first ones must be readable.
        """
        import polars as pl

        for content in contents:
            if has_only(names, content):
                continue
            try:
                found = pl.read_ndjson(content, infer_schema_length=None).columns
            except (pl.exceptions.PolarsError, RecursionError):
                if self.is_array and not names:
                    objects: Iterator[Any] = (value for _, value in islice(self._array(), frames.ROWS))
                else:
                    objects = self._tolerant(LineBlock(1, content), is_first=not names)
                found = [name for row in objects for name in row]
            names = list(dict.fromkeys([*names, *found]))
        return names

    def _tolerant(self, block: LineBlock, is_first: bool) -> Iterator[dict[str, Any]]:
        """Yield the first objects of a block that can be read; the others are reported when they become rows.

        If none of the first block can be read, the file is refused.
        """
        fault, some = None, False
        for number, line in islice(block.lines(), frames.ROWS):
            if fault is not None and not line.lstrip().startswith(b"{"):
                # only the first fault is reported, and an error for each of very many lines would take long
                continue
            try:
                row = json_object(line, number, self.source)
            except InputError as error:
                fault = fault or error
            else:
                some = True
                yield row
        if fault is not None and is_first and not some:
            raise fault

    def _array(self) -> Iterator[tuple[int, dict[str, Any]]]:
        return array_objects(self.source, TABLE, EXACT_DECODER)

    def table(self) -> TableRows:
        """Return all rows with their lines."""
        return TableRows(self.names, Places(self.source.label, self.line), self.frames)

    def row_blocks(self, size: int | None = None) -> Iterator[LineBlock]:
        """Return blocks of lines. The objects of an array become lines without known numbers."""
        if self.is_array:
            return (LineBlock(0, content) for content in array_lines(self.source, TABLE, size))
        return line_blocks(self.source, TABLE, size)

    def frames(self, names: list[str], blocks: Iterator[LineBlock] | None = None) -> Iterator[pl.DataFrame]:
        """Yield some columns of all rows, or of the rows in some blocks, as frames."""
        for block in self.row_blocks() if blocks is None else blocks:
            frame = self.at_once(block.content, names)
            yield from self.one_by_one(block, names) if frame is None else [frame]

    def one_by_one(self, block: LineBlock, names: list[str]) -> Iterator[pl.DataFrame]:
        """Yield some columns of the rows in a block in which a row may be wrong."""
        lines = ((number, json_object(line, number, self.source, EXACT_DECODER)) for number, line in block.lines())
        try:
            yield from self.made((self.plain_row(*each, names) for each in lines), names)
        except InputError:
            if self.is_array:
                # the line is known only if the whole array is read, which raises the error with its line
                for _ in self.objects(names):
                    pass
            raise

    def at_once(self, content: bytes, names: list[str]) -> pl.DataFrame | None:
        """Return some columns of some lines; None if they have to be read one by one."""
        import polars as pl

        if len(self.names) > WIDE or (b"\\u" in content and HALF.search(content)):
            return None
        lines = content.count(b"\n") + (not content.endswith(b"\n"))
        if any(content.count(f'"{name}"'.encode()) > lines for name in self.names):
            # a name may appear twice in an object; polars would take the first
            return None
        ids = [self.fields.get(field) for field in frames.ID_FIELDS]
        frame = None
        for of_numbers in (pl.Float64, pl.String):
            schema = {name: pl.String if name in ids else of_numbers for name in names}
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

    def objects(self, names: list[str], broken: Broken | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield each row with plain values in some columns, and its line; append faults to `broken`, or raise them."""
        if self.is_array:
            with refusing(broken):
                for line, row in self._array():
                    if are_too_many(broken, self.source, line):
                        return
                    with refusing(broken):
                        yield self.plain_row(line, row, names)
            return
        for number, content in numbered_lines(self.source, TABLE):
            if are_too_many(broken, self.source, number):
                return
            with refusing(broken):
                yield self.plain_row(number, json_object(content, number, self.source, EXACT_DECODER), names)

    def plain_row(self, line: int, row: dict[str, Any], names: list[str]) -> tuple[int, dict[str, Any]]:
        """Return a row with its values in some columns as strings; values that are wrong stay as they are."""
        used = ((field, name) for field, name in self.fields.items() if name in names)
        values = {name: text_in(row.get(name), field in frames.ID_FIELDS) for field, name in used}
        return line, row | values

    def made(
        self, rows: Iterator[tuple[int, dict[str, Any]]], names: list[str], lines: array[int] | None = None
    ) -> Iterator[pl.DataFrame]:
        """Yield some columns of rows as frames of strings; append the line of each row to `lines`.

        A column in which a value is wrong has the values themselves.
        """
        import polars as pl

        used = {*self.fields.values()}
        while some := list(islice(rows, frames.ROWS)):
            if lines is not None:
                lines.extend(line for line, _ in some)
            made = []
            for name in names:
                values = [row.get(name) for _, row in some]
                texts = [value if has_whole_characters(value) else None for value in values]
                # columns that no field uses may hold anything
                is_wrong = name in used and texts != values
                made.append(object_series(name, values) if is_wrong else pl.Series(name, texts, pl.String))
            yield pl.DataFrame(made)

    def line(self, row: int) -> int:
        """Return the line of a row."""
        lines: Iterator[tuple[int, Any]] = self._array() if self.is_array else numbered_lines(self.source)
        return next(islice((line for line, _ in lines), row, None))

    def pairs(self, topic: str, document: str) -> Iterator[tuple[int, tuple[Any, Any]]]:
        """Yield the line of each row and its values in two columns."""
        return ((line, (row[topic], row[document])) for line, row in self.objects([topic, document]))


def text_in(value: Any, is_id: bool) -> Any:
    """Return a value of a JSON object as a string; None if it is missing, or the value itself if it is wrong."""
    if value is None or isinstance(value, str | bool | list | dict):
        return value
    if not is_id or isinstance(value, int):
        return str(value)
    if is_missing(value):
        return None
    # an id has all the digits that are in the file
    is_whole = value.is_integer() and abs(value) <= LARGEST_ID
    return str(int(Decimal(value.written if isinstance(value, WrittenNumber) else value))) if is_whole else float(value)


def is_no_value(values: pl.Series) -> bool:
    """Return whether some strings that polars made may have been Booleans, lists or objects."""
    return bool(values.str.contains(r"^(true$|false$|\[|\{)").any())


def is_rounded(values: pl.Series, content: bytes) -> bool:
    """Return whether some strings that polars made may have been decimal numbers, or had more digits."""
    if values.str.contains(".", literal=True).any() and values.str.contains(DECIMAL).any():
        return True
    long = int(values.str.len_bytes().max() or 0) >= 16 and values.str.contains(LONG_NUMBER).any()  # type: ignore[arg-type]
    return long and LONG_DECIMAL.search(content) is not None


def has_whole_characters(value: object) -> bool:
    """Return whether a value is a string without lone surrogates."""
    return isinstance(value, str) and is_whole_text(value)


FORMAT = JsonLinesTable()
