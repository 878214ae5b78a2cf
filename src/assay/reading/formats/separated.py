"""The base class of CSV and TSV: values separated by commas or tabs, one row per line.

Polars reads many rows at once. If it refuses them, or finds values missing, these rows are read again one by one: to
skip blank lines, and to say on which line something is wrong.
"""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, cached_property, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from assay.errors import InputError
from assay.files.csv_rows import csv_rows
from assay.files.line_blocks import LONGEST_LINE, TABLE, LineBlock, is_utf8, line_blocks, line_feeds
from assay.files.source import Source
from assay.reading import frames, lines
from assay.reading.format import NOTHING_MORE, Block, Columns, Head, Request, are_too_many, encode, records, refuse
from assay.reading.frames import Broken, TableFile, TableRows, Told, refusing
from assay.reading.lines import LineFields
from assay.reading.schema import ChosenColumns, schema_of, usual_name
from assay.reading.uniform import UniformRun, pair_places
from assay.reading.values import BLANKS
from assay.tables.column_names import EVIDENCE, PART_TEXTS, TEXTS, WHOLE_TEXTS
from assay.tables.ids import Ids
from assay.tables.places import Places
from assay.tables.run import Run
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    import polars as pl

# In how many rows below the first Assay looks for column names, to report a title above them.
FEW = 5
# Values that are quoted as a whole or not at all. The possessive quantifiers (`++`) prevent backtracking, which takes
# memory.
WELL_QUOTED = r'(?:(?:"(?:[^"]++|"")*+"|[^"{0}\n]*+)[{0}\n])*+'
BLANK_LINES = re.compile(rb"\n(?:[ \t\v\f]*+\n)++")
# The fields that may have a decimal comma, and the pattern of such a number.
NUMBERS = ("score", "grade")
COMMA = r"^([-+]?[0-9]*),([0-9]+(?:[eE][-+]?[0-9]+)?)$"


# The values of a row, and the line on which it ends.
Row = tuple[int, list[str | None]]


class SeparatedRows:
    """The rows of a CSV or TSV file."""

    def __init__(self, source: Source, separator: str, names: tuple[str, ...], told: Told):
        self.source, self.separator, self.told = source, separator, told
        # whitespace that separates values, so it is never part of one
        self.not_blank = ("\n", separator)
        # the line on which the column names end; 0 if the file has none
        self._header = 0
        known = ("names", separator, *told.items())
        if not names and known not in source.known:
            source.known[known] = self._names(), self._header
        self.names: list[str] = list(names)
        if not names:
            self.names, self._header = source.known[known]

    def _names(self) -> list[str]:
        rows = rows_of(self.source, line_blocks(self.source, TABLE), self.separator)
        self._header, names = next(rows, (0, []))
        if tells_separator(names):
            self._header, names = next(rows, (0, []))
        if not self.told and not schema_of(names).fields:
            for line, row in islice(rows, FEW):
                refuse_title(self.source, names, row, line)
        times = Counter(names)
        doubled = [name for name in names if name and times[name] > 1]
        if doubled and schema_of(names, self.told).fields:
            raise self.source.fault(f"two columns are named {doubled[0]}", self._header)
        # columns may lack a name, or the first line may be a row, but a frame does not allow that names are equal
        return [name if times[name] == 1 else f"{name} (column {number})" for number, name in enumerate(names, 1)]

    def table(self) -> TableRows:
        """Return all rows, with the lines on which they end."""
        return TableRows(self.names, Places(self.source.label, self.line), self.frames)

    def frames(self, names: list[str], blocks: Iterator[LineBlock] | None = None) -> Iterator[pl.DataFrame]:
        """Yield some columns of all rows, or of the rows in some blocks, as frames of strings.

        If there are no rows, it yields an empty frame.
        """
        blocks, some = self.row_blocks() if blocks is None else blocks, False
        for block in blocks:
            frame = self.at_once(block, names)
            if frame is not None:
                made = iter([frame])
            elif self._is_well_quoted(block):
                made = self.made(self.one_by_one(self.rows_in([block])), names)
            else:
                # where a row ends depends on the quotes in the rows before it, so all later blocks are read this way
                # too
                made = self.made(self.one_by_one(self.rows_in(chain([block], blocks))), names)
            for each in made:
                some = True
                yield each
        if not some:
            yield self.frame([], names)

    def with_points(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return rows with decimal points in scores and grades; these may have a comma if the separator is `;`."""
        numbers = [name for name in numbers_with_commas(self.names, self.separator, self.told) if name in frame.columns]
        if not numbers:
            return frame
        import polars as pl

        return frame.with_columns(pl.col(numbers).str.replace(COMMA, "${1}.${2}"))

    def row_blocks(self) -> Iterator[LineBlock]:
        """Yield blocks of whole rows: each ends at a line before which all quotes are closed."""
        held: LineBlock | None = None
        for block in self._blocks():
            block = joined_blocks(held, block) if held else block
            cut = end_of_rows(block.content)
            if cut == 0 and len(block.content) > LONGEST_LINE:
                cut = len(block.content)
            if cut:
                yield LineBlock(block.line, block.content[:cut])
            held = LineBlock(block.line_at(cut), block.content[cut:]) if cut < len(block.content) else None
        if held:
            yield held

    def _blocks(self, keep_returns: bool = False) -> Iterator[LineBlock]:
        """Yield blocks of lines, without the line of column names."""
        for block in line_blocks(self.source, TABLE, keep_returns=keep_returns):
            if block.line > self._header:
                yield block
                continue
            begin = 0
            for _ in range(self._header + 1 - block.line):
                begin = block.content.find(b"\n", begin) + 1 or len(block.content)
            if begin < len(block.content):
                yield LineBlock(self._header + 1, block.content[begin:])

    def _is_well_quoted(self, block: LineBlock) -> bool:
        return b'"' not in block.content or bool(well_quoted(self.separator).fullmatch(block.content + b"\n"))

    def at_once(self, block: LineBlock, names: list[str]) -> pl.DataFrame | None:
        """Return some columns of a block as a frame of strings; None if the rows have to be read one by one."""
        import polars as pl

        # polars does not handle quotes within a value reliably
        if not self._is_well_quoted(block):
            return None
        if not block.content.isascii():
            block.text(self.source)
        content, is_quoted = block.content, b'"' in block.content
        has_blanks = is_quoted or any(blank.encode() in content for blank in BLANKS if blank not in self.not_blank)
        places = [self.names.index(name) for name in names]
        header = self.separator.join(map(str, range(len(self.names)))).encode()
        try:
            frame = pl.read_csv(
                b"\n".join((header, content)),
                separator=self.separator,
                infer_schema=False,
                columns=places,
            )
        except pl.exceptions.PolarsError:
            return None
        frame.columns = [self.names[int(name)] for name in frame.columns]
        fields = schema_of(names, self.told).fields
        needed = {name for field, name in fields.items() if field not in ("document_length", "bep")}
        if any(frame[name].null_count() for name in needed):
            # the missing values may be those of a blank line
            without = content if is_quoted else BLANK_LINES.sub(b"\n", content)
            return self.at_once(LineBlock(block.line, without), names) if len(without) < len(content) else None
        if has_blanks:
            frame = frame.with_columns(pl.col(pl.String).str.strip_chars(BLANKS))
            if any((frame[name] == "").any() for name in needed):
                return None
        return self.with_points(frame)

    def values(self) -> Iterator[tuple[int, list[str]]]:
        """Yield each row that is not blank, with the line on which it ends."""
        return self.rows_in(self._blocks())

    def records(self) -> Iterator[tuple[int, dict[str, str | None]]]:
        """Yield the record of each row, with the line on which it begins.

        In texts, blanks around them and the line ends of Windows are characters, too; other values come without.
        """
        others = [name for name in self.names if not is_for_texts(name) and name != self.told.get("text")]
        numbers = numbers_with_commas(self.names, self.separator, self.told)
        rows = csv_rows(self.source, self._blocks(keep_returns=True), self.separator)
        for row in rows:
            if len(row.values) != len(self.names):
                raise self._wrong_width(row.values, row.first)
            record = dict(zip(self.names, row.values, strict=True))
            for name in others:
                record[name] = with_point(record[name]) if name in numbers else record[name].strip(BLANKS)
            # an empty value is a missing one
            yield row.first, {name: value or None for name, value in record.items()}

    def _wrong_width(self, values: list[str], line: int) -> InputError:
        what = f"expected {len(self.names)} values ({', '.join(self.names)}), found {len(values)}"
        return self.source.fault(what, line)

    def pairs(self, topic: str, document: str) -> Iterator[tuple[int, tuple[str | None, str | None]]]:
        """Yield the line of each row that is not blank, and its values in two columns."""
        first, second = self.names.index(topic), self.names.index(document)
        return ((line, (row[first], row[second])) for line, row in self.one_by_one(self.values()))

    def rows_in(self, blocks: Iterable[LineBlock]) -> Iterator[tuple[int, list[str]]]:
        """Yield each row of some blocks that is not blank, with the line on which it ends."""
        return rows_of(self.source, blocks, self.separator)

    def one_by_one(self, rows: Iterator[tuple[int, list[str]]], broken: Broken | None = None) -> Iterator[Row]:
        """Yield the rows that can be read, filled up with None to the number of columns."""
        width = len(self.names)
        with refusing(broken):
            for line, row in rows:
                if are_too_many(broken, self.source, line):
                    return
                if len(row) > width:
                    with refusing(broken):
                        raise self._wrong_width(row, line)
                else:
                    yield line, [*row, *[None] * (width - len(row))]

    def made(self, rows: Iterator[Row], names: list[str], lines: array[int] | None = None) -> Iterator[pl.DataFrame]:
        """Yield some columns of rows as frames of strings; append the line of each row to `lines`."""
        while some := list(islice(rows, frames.ROWS)):
            if lines is not None:
                lines.extend(line for line, _ in some)
            yield self.frame([values for _, values in some], names)

    def frame(self, rows: list[list[str | None]], names: list[str]) -> pl.DataFrame:
        """Return some columns of rows as a frame of strings."""
        import polars as pl

        columns = (pl.Series(name, [row[self.names.index(name)] for row in rows], pl.String) for name in names)
        return self.with_points(pl.DataFrame(columns))

    def run_blocks(self, table: TableRows, chosen: ChosenColumns, request: Request) -> Iterator[Block]:
        """Yield a run that is read as frames; each block finds the places of its rows in the whole file."""
        for block in frames.chosen_blocks(table, chosen, request):
            yield block if request.gather else partial(with_places, block, self, chosen)

    def line(self, row: int, since: int = 0) -> int:
        """Return the line on which a row ends; rows are counted from the line `since`."""
        return next(islice((line for line, _ in self.values() if line >= since), row, None))


def is_for_texts(name: str) -> bool:
    """Return whether a column of this name may have texts."""
    return usual_name(name)[1] in (*TEXTS, *EVIDENCE, *PART_TEXTS, *WHOLE_TEXTS)


def numbers_with_commas(names: list[str], separator: str, told: Told) -> list[str]:
    """Return the columns of scores and grades if the separator is `;`: then their numbers may have a comma."""
    fields = schema_of(names, told).fields if separator == ";" else {}
    return [fields[field] for field in NUMBERS if field in fields]


def with_point(value: str) -> str:
    """Return a number with a decimal point instead of a comma; anything else only stripped."""
    return re.sub(COMMA, r"\1.\2", value.strip(BLANKS))


def tells_separator(values: list[str]) -> bool:
    """Return whether a row is the line `sep=;`, which tells spreadsheets the separator."""
    return bool(values) and values[0].lower().startswith("sep=") and not any(values[1:])


def refuse_title(source: Source, names: list[str], row: list[str], line: int) -> None:
    """Raise an error if this row looks like the column names, because a title is in the first line."""
    below = schema_of(row)
    if not schema_of(names).fields and below.column("topic") and (below.column("document") or below.text):
        what = f"these look like the column names ({', '.join(row)})"
        raise source.fault(f"{what}; expected them in the first line: remove the lines above", line)


@cache
def well_quoted(separator: str) -> re.Pattern[bytes]:
    """Return the pattern of rows whose quotes enclose whole values."""
    return re.compile(WELL_QUOTED.format(re.escape(separator)).encode())


def joined_blocks(first: LineBlock, second: LineBlock) -> LineBlock:
    """Join two blocks, with the blank lines that were skipped between them, up to the longest line that is allowed."""
    passed = second.line - first.line - line_feeds(first.content)
    return LineBlock(first.line, first.content + b"\n" * min(passed, LONGEST_LINE) + second.content)


def end_of_rows(content: bytes) -> int:
    """Return the end of the last line before which all quotes are closed; 0 if there is none."""
    # searching for a quote is faster than counting them
    opened, end = content.count(b'"') % 2 if b'"' in content else 0, len(content)
    while opened and end:
        begin = content.rfind(b"\n", 0, end - 1) + 1
        opened, end = (opened - content.count(b'"', begin, end)) % 2, begin
    return end


def with_places(block: Block, rows: SeparatedRows, chosen: ChosenColumns) -> Run | None:
    """Read a block of a run that finds the places of its rows in the whole file."""
    run = block()
    return run and replace(run, places=partial(pair_places, rows, chosen))


def rows_of(source: Source, blocks: Iterable[LineBlock], separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row of some blocks that is not blank, without blanks around its values, and its last line."""
    rows = csv_rows(source, blocks, separator, skip_blanks=True)
    return ((row.last, [value.strip(BLANKS) for value in row.values]) for row in rows)


class UnquotedRun(UniformRun):
    """A run of whole documents in a file without quotes; from the first block with a quote on it is read as frames."""

    rows: SeparatedRows
    # the blocks from the first one with a quote on, where a row may have several lines
    rest: Iterator[LineBlock] = iter(())

    def topic_of(self, line: bytes) -> list[bytes]:
        """Return the topic of a line, in a list."""
        return line.split(self._separator, self._at_topic + 1)[self._at_topic : self._at_topic + 1]

    @cached_property
    def _separator(self) -> bytes:
        return self.rows.separator.encode()

    @cached_property
    def _at_topic(self) -> int:
        return self.rows.names.index(self.chosen["topic"])

    @cached_property
    def _declared(self) -> LineFields:
        fields = {name: field for field, name in self.chosen.fields.items()}
        given = tuple(fields.get(name, "") for name in self.rows.names)
        return LineFields("a table", given, numbers=("score",), wholes=("rank",))

    def at_once(self, block: bytes) -> dict[str, Any] | None:
        """Return the columns of a padded block by field; None if it is not a table, or a value may be wrong."""
        is_plain = b'"' not in block and is_utf8(block)
        ends = lines.field_ends(block, exactly=True, separator=self._separator) if is_plain else None
        if ends is None or ends.shape[1] != len(self.rows.names):
            return None
        columns = {field: lines.take_column(block, ends, self._declared, field) for field in self.chosen.fields}
        return columns if all(map(lines.is_good, columns.values())) and not has_margins(columns) else None

    def line_blocks(self) -> Iterator[LineBlock]:
        """Yield the blocks before the first one with a quote."""
        blocks = super().line_blocks()
        for block in blocks:
            if b'"' in block.content:
                self.rest = chain([block], blocks)
                return
            yield block

    def blocks(self) -> Iterator[Block]:
        """Yield the run as blocks of whole topics."""
        yield from super().blocks()
        if first := next(self.rest, None):
            places = Places(self.rows.source.label, partial(self.rows.line, since=first.line))
            blocks = partial(self.rows.frames, blocks=chain([first], self.rest))
            yield from self.rows.run_blocks(TableRows(self.rows.names, places, blocks), self.chosen, self.request)


def has_margins(columns: dict[str, Any]) -> bool:
    """Return whether an id begins or ends with whitespace, which is not part of it."""
    for ids in columns.values():
        if isinstance(ids, Ids):
            characters = np.frombuffer(ids.buffer, np.uint8)
            if np.any(characters[ids.start] <= lines.BLANK) or np.any(characters[ids.end - 1] <= lines.BLANK):
                return True
    return False


NOT_IN_TABLES = re.compile(rf"^[{BLANKS}]|[{BLANKS}]\Z|[\r\0]")


class SeparatedFile(TableFile):
    """A format of values separated by commas or tabs; the first line has the column names."""

    separator: ClassVar[str]
    # Whether the first line has the column names.
    has_header: ClassVar[bool] = True

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise a first line with column names."""
        return head.has_header(self.separator_in(head))

    def separator_in(self, head: Head) -> str:
        """Return the separator of a file that begins like this."""
        return self.separator

    def rows(self, source: Source, told: Told) -> TableRows:
        """Return the rows of a file, with the lines on which they end."""
        return SeparatedRows(source, self.separator_in(Head(source.head())), self.names_of(source), told).table()

    def run_blocks(self, source: Source, request: Request = NOTHING_MORE) -> Iterator[Block]:
        """Yield a run as blocks of whole topics."""
        rows = SeparatedRows(source, self.separator_in(Head(source.head())), self.names_of(source), request.columns)
        table = rows.table()
        chosen = table.chosen("run", request)
        run = UnquotedRun(rows, chosen, request)
        yield from run.blocks() if run.is_possible else rows.run_blocks(table, chosen, request)

    def sound_rows(self, source: Source, told: Told, broken: Broken) -> TableRows:
        """Return the rows of a file that can be read, read one by one."""
        rows = SeparatedRows(source, self.separator_in(Head(source.head())), self.names_of(source), told)
        lines = array("q")

        def blocks(names: list[str]) -> Iterator[pl.DataFrame]:
            broken.clear()
            del lines[:]
            yield from rows.made(rows.one_by_one(rows.values(), broken), names, lines)

        return TableRows(rows.names, Places(source.label, lines.__getitem__), blocks)

    def names_of(self, source: Source) -> tuple[str, ...]:
        """Return the column names if they are not in the first line."""
        return ()

    def content(self, columns: Columns, name: str) -> bytes:
        """Return the bytes of a file with these columns."""
        for field in ("topic", "document"):
            refuse(filter(None, columns[field]), "CSV", field, NOT_IN_TABLES, name)
        out = io.StringIO()
        writer = csv.writer(out, delimiter=self.separator, lineterminator="\n")
        if self.has_header:
            writer.writerow(columns)
        writer.writerows(
            [repr(value) if isinstance(value, float) else value for value in row] for row in records(columns)
        )
        return encode(out.getvalue(), name)
