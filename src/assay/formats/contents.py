"""What files are written with: text that a format can hold. Numbers are written so
that they are read as the same numbers again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from assay.errors import InputError, quoted
from assay.formats.format import Columns

# What a line of blanks and fields cannot hold.
NOT_IN_LINES = re.compile(r"[ \t\n\r\v\f\0]")


def refuse(texts: Iterable[str], what: str, field: str, strange: re.Pattern[str], name: str) -> None:
    """No text may hold what the format cannot."""
    for text in texts:
        if strange.search(text):
            raise InputError(f"{field} {quoted(text)} has blanks or other characters that {what} cannot hold", name)


def refuse_in_lines(columns: Columns, what: str, name: str) -> None:
    """Ids must be one field each, and no line may look like a comment."""
    for field in ("topic", "document", "path", "last"):
        refuse(columns.get(field, ()), what, field, NOT_IN_LINES, name)
    for text in columns["topic"]:
        if text.startswith(("#", "\ufeff")):
            raise InputError(f"topic {quoted(text)} begins as a comment does, which {what} cannot hold", name)


def content_of_lines(lines: Iterable[str], name: str) -> bytes:
    """Lines as the content of a file."""
    return encoded("".join(f"{line}\n" for line in lines), name)


def encoded(text: str, name: str) -> bytes:
    """Text as the content of a file."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InputError("has ids with halves of characters, which cannot be written", name) from None


def run_lines(columns: Columns, name: str, tag: str, what: str, places: Iterable[str]) -> bytes:
    """A run with the fields of TREC in each line, and behind them the place of the result."""
    refuse_in_lines(columns, what, name)
    rows = zip(*(columns[field] for field in ("topic", "document", "rank", "score")), places, strict=False)
    return content_of_lines(
        (f"{topic} Q0 {document} {rank} {score!r} {tag}{place}" for topic, document, rank, score, place in rows), name
    )


def records(columns: Columns) -> Iterator[tuple[object, ...]]:
    """The rows of some columns."""
    return zip(*columns.values(), strict=True)
