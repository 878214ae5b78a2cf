"""The first bytes of a file, from which its format is recognised."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from assay.files.line_blocks import with_line_feeds
from assay.reading.lines import wrong_whole
from assay.reading.numbers import is_number
from assay.reading.schema import Schema
from assay.tables.column_names import NAMES, SPAN_FIELDS

# The first line of a file that says what is between its values.
SEPARATOR_TOLD = re.compile(rb'(?i)"?sep=([,;|\t])"?[,; \t]*\n')


class Head:
    """The first bytes of a file, and the lines in them that are neither
    blank nor comments; the last may be cut short.
    """

    def __init__(self, content: bytes):
        self.content = content

    @cached_property
    def stripped(self) -> bytes:
        """The bytes without blanks before them."""
        return self.content.lstrip()

    @cached_property
    def unix(self) -> bytes:
        """The bytes without blanks before them, with line feeds at the ends of lines."""
        return with_line_feeds(self.stripped)

    def lines(self) -> Iterator[str]:
        """All lines."""
        for line in self.unix.split(b"\n"):
            if not line.startswith(b"#") and line.strip():
                yield line.decode(errors="replace")

    @cached_property
    def first_lines(self) -> list[str]:
        """The first two lines, or fewer."""
        return list(islice(self.lines(), 2))

    @property
    def first(self) -> str:
        """The first line; empty if there is none."""
        return next(iter(self.first_lines), "")

    @cached_property
    def fields(self) -> list[str]:
        """The fields of the first line, between blanks as a reader of bytes knows them."""
        return fields_of(self.first)

    @property
    def values(self) -> list[str]:
        """The values of the first line between tabs."""
        return self.first.split("\t")

    @cached_property
    def separator_told(self) -> str | None:
        """What a first line such as `sep=;`, which tells it to spreadsheets, says that is between values."""
        line = SEPARATOR_TOLD.match(self.unix)
        return line[1].decode() if line else None

    @cached_property
    def header(self) -> str:
        """The first line of all that may have the names of columns."""
        lines = self.unix.split(b"\n", 2)
        return lines[1 if self.separator_told and len(lines) > 1 else 0].decode(errors="replace")

    @property
    def comma(self) -> str:
        """What is between the values of CSV: what the file tells, or a semicolon where the first line has any and
        no comma, as spreadsheets write it where numbers have a comma.
        """
        if self.separator_told:
            return self.separator_told
        return ";" if ";" in self.header and "," not in self.header else ","

    def names_between(self, separator: str) -> list[str]:
        """What may be names of columns in the first line; nothing if one is a number, or there is only one."""
        names = [part.strip().strip('"') for part in self.header.split(separator)]
        are_names = not self.header.startswith("#") and len(names) > 1 and not any(map(is_number, names))
        return names if are_names else []

    def has_header(self, separator: str) -> bool:
        """Whether the first line has names of columns: some are known, and none is a number."""
        names = self.names_between(separator)
        return any(map(Schema(names).column, NAMES.keys() - SPAN_FIELDS))


def fields_of(line: str) -> list[str]:
    """The fields of a line, between blanks as a reader of bytes knows them."""
    return [field.decode() for field in line.encode().split()]


def reads_whole(text: str) -> bool:
    """Whether a text is a whole number."""
    return wrong_whole(text.strip()) is None


def reads_place(text: str) -> bool:
    """Whether a text is an offset or a length: a whole number, or an X if that is not known."""
    return text.upper() == "X" or reads_whole(text)


def is_document(text: str) -> bool:
    """Whether the second field of a line is a document, and not the Q0 or the iteration of a TREC file."""
    return text.upper() != "Q0" and text.strip("0") != ""
