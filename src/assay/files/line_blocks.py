"""Text in blocks of whole lines, so that memory does not depend on what a file looks like: stretches of blank lines are
skipped, and a line that is longer than any that means something is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import AnyStr, NamedTuple

import numpy as np

from assay.errors import InputError
from assay.files.source import Source, archive_of, not_utf8

# The text of a file, with one kind of line ends.

# The most bytes of a file that has to be held in memory as a whole, as JSON that is one value.
LARGEST = 1 << 28
# The most values of such a file: as objects of Python they take some hundred megabytes, however small the file is.
MOST_VALUES = 1 << 22
SPLIT = "Assay reads this format at once, so split the file or use JSONL"
STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


def values_in(content: bytes) -> int:
    """About how many values JSON has: each is the first in its brackets, or after a comma."""
    return content.count(b",") + content.count(b"{") + content.count(b"[")


def with_line_feeds(content: AnyStr) -> AnyStr:
    """Text or its bytes with line feeds for the line ends of Windows and old Macs."""
    if isinstance(content, str):
        return content.replace("\r\n", "\n").replace("\r", "\n") if "\r" in content else content
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in content else content


def text_of(source: Source, is_json: bool = False) -> str:
    """A file's text, with line feeds at the ends of lines; it must be one that can be held in memory, and so must be
    what becomes of it if it is JSON.
    """
    parts, size, values, most = [], 0, 0, MOST_VALUES
    for block in source.blocks():
        parts.append(block)
        size += len(block)
        if size > LARGEST:
            raise source.fault(f"more than {LARGEST:,} bytes; {SPLIT}")
        values += values_in(block) if is_json else 0
        if values > most:
            # texts may have brackets and commas too
            if values_in(STRING.sub(b"", b"".join(parts))) > MOST_VALUES:
                raise source.fault(f"more than {MOST_VALUES:,} values; {SPLIT}")
            most = 2 * values
    content = b"".join(parts)
    del parts
    if b"\0" in content:
        line = with_line_feeds(content[: content.index(b"\0")]).count(b"\n") + 1
        raise source.fault("not a text file (it has a zero byte here); expected a table with named columns", line)
    try:
        return with_line_feeds(content.decode())
    except UnicodeDecodeError as error:
        line = with_line_feeds(content[: error.start]).count(b"\n") + 1
        raise source.fault(not_utf8(content[error.start]), line) from None


def is_utf8(content: bytes) -> bool:
    """Whether the bytes are UTF-8 text."""
    try:
        return content.isascii() or bool(content.decode())
    except UnicodeDecodeError:
        return False


# The most bytes of a line; blocks are smaller, so that only a line that goes on in another block can have more.
LONGEST_LINE = 1 << 22


class LineBlock(NamedTuple):
    """Some whole lines of a file, with a line feed after each but perhaps the last, and the number of the first."""

    line: int
    content: bytes

    def line_at(self, place: int) -> int:
        """The number of the line that a byte of the block is on."""
        return self.line + self.content.count(b"\n", 0, place)

    def text(self, source: Source) -> str:
        """The lines as text, which UTF-8 must be."""
        try:
            return self.content.decode()
        except UnicodeDecodeError as error:
            what = not_utf8(self.content[error.start])
            raise source.fault(what, self.line_at(error.start)) from None

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Each line that is not blank, and its number."""
        for number, line in enumerate(self.content.removesuffix(b"\n").split(b"\n"), self.line):
            if line.strip():
                yield number, line


def line_feeds(content: bytes) -> int:
    """How many lines end in some bytes, in a fifth of the time that the method of bytes takes."""
    return int(np.count_nonzero(np.frombuffer(content, np.uint8) == ord("\n")))


def text_blocks(source: Source) -> Iterator[bytes]:
    """The bytes of a file with line feeds at the ends of lines, block by block."""
    held = b""
    for block in source.blocks():
        block, held = held + block, b""
        if block.endswith(b"\r"):
            # a line feed may follow in the next block
            block, held = block[:-1], b"\r"
        yield with_line_feeds(block)
    if held:
        yield b"\n"


def line_blocks(source: Source, expected: str | None = None) -> Iterator[LineBlock]:
    """The lines of a file, many at a time, without those blocks that are blank.

    Where it is told what is `expected`, bytes that no text has are refused.
    """
    line = 1
    for content in whole_lines(source, expected):
        if not content.isspace():
            yield LineBlock(line, content)
        line += line_feeds(content)


def whole_lines(source: Source, expected: str | None = None) -> Iterator[bytes]:
    """The lines of a file, many at a time, whose numbers are not given, as to count them takes long."""
    begun = b""
    for block in sound_blocks(source, expected):
        cut = block.rfind(b"\n") + 1
        if cut:
            yield joined_lines(begun, block, cut)
        begun = block[cut:] if cut else begun + block
    if begun:
        yield begun


def sound_blocks(source: Source, expected: str | None = None) -> Iterator[bytes]:
    """The text of a file, block by block, wherever a line ends: no line is too long, and where it is told what is
    `expected` there is no byte that no text has. Of a blank line, one that fills a block counts as one blank.
    """
    begun, is_blank = 0, True
    for number, block in enumerate(text_blocks(source)):
        if expected and b"\0" in block:
            raise byte_of_no_text(source, LineBlock(line_behind(source, number), block), expected)
        end = block.find(b"\n")
        if end < 0 and is_blank and block.isspace():
            block = block[:1]
        first = begun + (len(block) if end < 0 else end)
        last = block[block.rfind(b"\n") + 1 :]
        is_blank = (end >= 0 or is_blank) and not last.strip()
        begun = first if end < 0 else len(last)
        if max(first, begun) > LONGEST_LINE:
            what = f"the line has more than {LONGEST_LINE:,} bytes"
            raise source.fault(f"{what}; is this a text file with one row per line?", line_behind(source, number))
        if block:
            yield block


def joined_lines(begun: bytes, block: bytes, cut: int) -> bytes:
    """A line that was begun in the block before, and the lines of a block that end in it; copied once, if at all."""
    return b"".join((begun, memoryview(block)[:cut])) if begun or cut < len(block) else block


def line_behind(source: Source, blocks: int) -> int:
    """The number of the line that some blocks of a text end in."""
    return 1 + sum(map(line_feeds, islice(text_blocks(source), blocks)))


def byte_of_no_text(source: Source, block: LineBlock, expected: str) -> InputError:
    """The error about a byte that no text has."""
    if archived := archive_fault(source, source.head()):
        return archived
    what = "not a text file (it has a zero byte here)"
    return source.fault(f"{what}; expected {expected}", block.line_at(block.content.index(b"\0")))


def archive_fault(source: Source, head: bytes) -> InputError | None:
    """The error about an archive in the place of a file of text, which begins so; None if it is none."""
    kind = archive_of(head)
    if not kind:
        return None
    workbook = ", or if it is a spreadsheet, save it as CSV" if kind == "ZIP" else ""
    return source.fault(f"this is a {kind} archive; unpack it and pass one of its files{workbook}")


def text_lines(source: Source, expected: str) -> Iterator[tuple[int, str]]:
    """Each line of a file that is not blank as text, and its number."""
    for block in line_blocks(source, expected):
        for number, line in enumerate(block.text(source).removesuffix("\n").split("\n"), block.line):
            if line.strip():
                yield number, line


def numbered_lines(source: Source, expected: str | None = None) -> Iterator[tuple[int, bytes]]:
    """Each line of a file that is not blank, and its number."""
    for block in line_blocks(source, expected):
        yield from block.lines()
