"""Read text in blocks of whole lines, so that memory does not depend on the shape of the file.

Stretches of blank lines are skipped, and a line of more than LONGEST_LINE bytes is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import AnyStr, NamedTuple

import numpy as np

from assay.errors import InputError
from assay.files.source import Source, archive_of, not_utf8

# The maximum size in bytes of a file that must be in memory as a whole, for example JSON that is a single value.
LARGEST = 1 << 28
# The maximum number of values in such a file. As Python objects they take some hundred megabytes, however small the
# file.
MOST_VALUES = 1 << 22
# What is wrong with a file that is not text, and what Assay expects of a table.
ZERO_BYTE = "not a text file (it has a zero byte here)"
TABLE = "a table with named columns"
SPLIT = "Assay reads this format at once, so split the file or use JSONL"
STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


# The first line end of a file, and the line end of old Macs.
LINE_END = re.compile(rb"\r?\n|\r")
LONE_RETURN = re.compile(rb"\r(?!\n)")


def values_in(content: bytes) -> int:
    """Estimate the number of values in JSON: each is the first in its brackets, or follows a comma."""
    return content.count(b",") + content.count(b"{") + content.count(b"[")


def with_line_feeds(content: AnyStr) -> AnyStr:
    """Return text or bytes with the line ends of Windows and old Macs replaced by line feeds."""
    if isinstance(content, str):
        return content.replace("\r\n", "\n").replace("\r", "\n") if "\r" in content else content
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in content else content


def without_lone_returns(content: bytes) -> bytes:
    """Return bytes with the line ends of old Macs replaced by line feeds; those of Windows stay."""
    return LONE_RETURN.sub(b"\n", content) if b"\r" in content else content


def text_of(source: Source, is_json: bool = False) -> str:
    """Return a file's text, with line feeds as line ends.

    Refuse a file that is too large to hold in memory, and JSON with so many values that parsing it would take too much.
    """
    parts, size, values, most = [], 0, 0, MOST_VALUES
    for block in source.blocks():
        parts.append(block)
        size += len(block)
        if size > LARGEST:
            raise source.fault(f"more than {LARGEST:,} bytes; {SPLIT}")
        values += values_in(block) if is_json else 0
        if values > most:
            # brackets and commas inside strings do not count
            if values_in(STRING.sub(b"", b"".join(parts))) > MOST_VALUES:
                raise source.fault(f"more than {MOST_VALUES:,} values; {SPLIT}")
            most = 2 * values
    content = b"".join(parts)
    del parts
    if b"\0" in content:
        line = with_line_feeds(content[: content.index(b"\0")]).count(b"\n") + 1
        raise source.fault(f"{ZERO_BYTE}; expected {TABLE}", line)
    try:
        return with_line_feeds(content.decode())
    except UnicodeDecodeError as error:
        line = with_line_feeds(content[: error.start]).count(b"\n") + 1
        raise source.fault(not_utf8(content[error.start]), line) from None


def is_utf8(content: bytes) -> bool:
    """Return whether the bytes are UTF-8 text."""
    try:
        return content.isascii() or bool(content.decode())
    except UnicodeDecodeError:
        return False


# The maximum length of a line in bytes. Blocks are smaller, so only a line that spans several blocks can exceed it.
LONGEST_LINE = 1 << 22


class LineBlock(NamedTuple):
    """Some whole lines of a file and the number of the first one. Only the last line may lack its line feed."""

    line: int
    content: bytes

    def line_at(self, place: int) -> int:
        """Return the number of the line that contains a byte of the block."""
        return self.line + self.content.count(b"\n", 0, place)

    def text(self, source: Source) -> str:
        """Return the lines as text, or raise an InputError if they are not UTF-8."""
        try:
            return self.content.decode()
        except UnicodeDecodeError as error:
            what = not_utf8(self.content[error.start])
            raise source.fault(what, self.line_at(error.start)) from None

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield each line that is not blank, with its number."""
        for number, line in enumerate(self.content.removesuffix(b"\n").split(b"\n"), self.line):
            if line.strip():
                yield number, line


def line_feeds(content: bytes) -> int:
    """Count the line feeds in some bytes, five times as fast as bytes.count."""
    return int(np.count_nonzero(np.frombuffer(content, np.uint8) == ord("\n")))


def text_blocks(source: Source, size: int | None = None, keep_returns: bool = False) -> Iterator[bytes]:
    """Yield the bytes of a file block by block, with line feeds as line ends.

    `keep_returns`: keep carriage returns, because a quoted value may contain them, unless the lines of the file end so.
    """
    held = b""
    converted: Callable[[bytes], bytes] = with_line_feeds
    if keep_returns:
        # a carriage return in a text counts, and only old Macs end lines with one
        first_end = LINE_END.search(source.head())
        converted = without_lone_returns if first_end and first_end[0] == b"\r" else bytes
    for block in source.blocks(size):
        block, held = held + block, b""
        if block.endswith(b"\r"):
            # the line feed may be in the next block
            block, held = block[:-1], b"\r"
        yield converted(block)
    if held:
        yield converted(held)


def line_blocks(
    source: Source, expected: str | None = None, size: int | None = None, keep_returns: bool = False
) -> Iterator[LineBlock]:
    """Yield the lines of a file, many at a time, without blocks that are all whitespace.

    If `expected` is given, a zero byte is an error; `expected` tells the user what the file should be. `size` is how
    many bytes are read at a time. `keep_returns` keeps the line ends of Windows.
    """
    line = 1
    for content in whole_lines(source, expected, size, keep_returns):
        if not content.isspace():
            yield LineBlock(line, content)
        line += line_feeds(content)


def whole_lines(
    source: Source, expected: str | None = None, size: int | None = None, keep_returns: bool = False
) -> Iterator[bytes]:
    """Yield the lines of a file, many at a time, without their numbers, because counting lines is slow."""
    begun = b""
    for block in sound_blocks(source, expected, size, keep_returns):
        cut = block.rfind(b"\n") + 1
        if cut:
            yield joined_lines(begun, block, cut)
        begun = block[cut:] if cut else begun + block
    if begun:
        yield begun


def sound_blocks(
    source: Source, expected: str | None = None, size: int | None = None, keep_returns: bool = False
) -> Iterator[bytes]:
    """Yield the text of a file in blocks that may end within a line, and refuse lines that are too long.

    If `expected` is given, a zero byte is an error. A block that is nothing but part of a blank line is shortened to
    one character.
    """
    begun, is_blank = 0, True
    for number, block in enumerate(text_blocks(source, size, keep_returns)):
        if expected and b"\0" in block:
            raise byte_of_no_text(source, LineBlock(line_behind(source, number, size), block), expected)
        end = block.find(b"\n")
        if end < 0 and is_blank and block.isspace():
            block = block[:1]
        first = begun + (len(block) if end < 0 else end)
        last = block[block.rfind(b"\n") + 1 :]
        is_blank = (end >= 0 or is_blank) and not last.strip()
        begun = first if end < 0 else len(last)
        if max(first, begun) > LONGEST_LINE:
            what = f"the line has more than {LONGEST_LINE:,} bytes"
            raise source.fault(f"{what}; is this a text file with one row per line?", line_behind(source, number, size))
        if block:
            yield block


def joined_lines(begun: bytes, block: bytes, cut: int) -> bytes:
    """Join a line that began in the block before and the lines that end in this block; copy the bytes at most once."""
    return b"".join((begun, memoryview(block)[:cut])) if begun or cut < len(block) else block


def line_behind(source: Source, blocks: int, size: int | None = None) -> int:
    """Return the number of the line in which the first `blocks` blocks of a text end."""
    return 1 + sum(map(line_feeds, islice(text_blocks(source, size), blocks)))


def byte_of_no_text(source: Source, block: LineBlock, expected: str) -> InputError:
    """Return the error about a zero byte."""
    if archived := archive_fault(source, source.head()):
        return archived
    return source.fault(f"{ZERO_BYTE}; expected {expected}", block.line_at(block.content.index(b"\0")))


def archive_fault(source: Source, head: bytes) -> InputError | None:
    """Return the error about an archive that is passed instead of a text file, or None if it is not an archive.

    `head` is the beginning of the file.
    """
    kind = archive_of(head)
    if not kind:
        return None
    workbook = ", or if it is a spreadsheet, save it as CSV" if kind == "ZIP" else ""
    return source.fault(f"this is a {kind} archive; unpack it and pass one of its files{workbook}")


def text_lines(source: Source, expected: str) -> Iterator[tuple[int, str]]:
    """Yield each line of a file that is not blank as text, with its number."""
    for block in line_blocks(source, expected):
        for number, line in enumerate(block.text(source).removesuffix("\n").split("\n"), block.line):
            if line.strip():
                yield number, line


def numbered_lines(source: Source, expected: str | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield each line of a file that is not blank as bytes, with its number."""
    for block in line_blocks(source, expected):
        yield from block.lines()
