"""The text of a file, with one kind of line ends."""

from __future__ import annotations

from typing import AnyStr

from assay.files.source import Source

# The most bytes of a file that has to be held in memory as a whole, as JSON that is one value.
LARGEST = 1 << 28


def with_line_feeds(content: AnyStr) -> AnyStr:
    """Text or its bytes with line feeds for the line ends of Windows and old Macs."""
    if isinstance(content, str):
        return content.replace("\r\n", "\n").replace("\r", "\n") if "\r" in content else content
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in content else content


def text_of(source: Source) -> str:
    """A file's text, with line feeds at the ends of lines; it must be one that can be held in memory."""
    parts, size = [], 0
    for block in source.blocks():
        parts.append(block)
        size += len(block)
        if size > LARGEST:
            raise source.fault(f"has more than {LARGEST:,} bytes; expected a file that can be read at once")
    content = b"".join(parts)
    if b"\0" in content:
        line = with_line_feeds(content[: content.index(b"\0")]).count(b"\n") + 1
        raise source.fault("is not text; expected a table with named columns", line)
    try:
        return with_line_feeds(content.decode())
    except UnicodeDecodeError as error:
        line = with_line_feeds(content[: error.start]).count(b"\n") + 1
        raise source.fault(f"is not UTF-8 text, which has no byte {content[error.start]:#x} here", line) from None


def is_utf8(content: bytes) -> bool:
    """Whether the bytes are UTF-8 text."""
    try:
        return content.isascii() or bool(content.decode())
    except UnicodeDecodeError:
        return False
