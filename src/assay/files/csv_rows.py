"""Read the rows of CSV and TSV, each with its lines; a value in quotes may go over several of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from assay.files.line_blocks import LineBlock
from assay.files.source import Source

# The most characters that a value may have.
LONGEST_VALUE = 1 << 26
# How messages of the csv module begin, and what they mean.
FAULTS = {
    "unexpected": "a quote is not closed",
    "field larg": f"a value has more than {LONGEST_VALUE:,} characters; is a quote not closed?",
    "new-line c": "a carriage return in a value without quotes; expected the value in quotes",
}
AFTER_QUOTE = "text after a closing quote; expected a separator or the line end"


class CsvRow(NamedTuple):
    """The values of a row, and the lines on which it begins and ends."""

    first: int
    last: int
    values: list[str]


class CountedLines:
    """The lines of some blocks, for the csv reader, which may take several lines for a row.

    `first` is the number of the first line taken since the last row, and `last` that of the last line.
    """

    def __init__(self, source: Source, blocks: Iterable[LineBlock]):
        self.source, self.blocks = source, blocks
        self.first = self.last = 0

    def __iter__(self) -> Iterator[str]:
        for block in self.blocks:
            # line by line, because a list of all lines takes ten times the memory of the text
            for number, line in enumerate(io.StringIO(block.text(self.source), newline="\n"), block.line):
                self.first, self.last = self.first or number, number
                yield line if line.endswith("\n") else line + "\n"


def csv_rows(
    source: Source, blocks: Iterable[LineBlock], separator: str, skip_blanks: bool = False
) -> Iterator[CsvRow]:
    """Yield each row of some blocks that has a value.

    Spreadsheets write rows of separators alone, which have none. skip_blanks: blanks before a value are not part of it,
    so a quote may follow them.
    """
    lines = CountedLines(source, blocks)
    rows = with_long_values(csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=skip_blanks))
    try:
        for values in rows:
            if any(map(str.strip, values)):
                yield CsvRow(lines.first, lines.last, values)
            lines.first = 0
    except csv.Error as error:
        raise source.fault(FAULTS.get(str(error)[:10], AFTER_QUOTE), lines.first) from None


def with_long_values(rows: Iterator[list[str]]) -> Iterator[list[str]]:
    """Yield CSV rows whose values may be long.

    The csv module has one limit for the whole process, so it is raised only while a row is read.
    """
    while True:
        before = csv.field_size_limit(LONGEST_VALUE)
        try:
            row = next(rows, None)
        finally:
            csv.field_size_limit(before)
        if row is None:
            return
        yield row
