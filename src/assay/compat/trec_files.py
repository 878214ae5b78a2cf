"""Runs and qrels as trec_eval reads them: white space is C's, numbers are what C's atof and atol make of any text.

Ids are the bytes of the file, one letter a byte, so that any encoding is kept and text compares as the bytes do.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from assay.errors import InputError, quoted
from assay.files.source import Source
from assay.formats.lines import PAD, fences, padded
from assay.formats.numbers import numbers
from assay.tables.ids import Ids

BLOCK = 4 << 20
LONGEST = 2**63 - 1
LINE_END = b"\0"
FLOAT = re.compile(
    rb"[+-]?(?:0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?\d+)?|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|nan)", re.I
)
WHOLE = re.compile(rb"([+-]?)0*(\d*)")


@dataclass(frozen=True)
class Layout:
    """A line's fields, where the number stands, and how it is read: quickly, or as C does.

    A lenient layout lets lines be blank and have more fields than it names.
    """

    fields: str
    number: int
    quick: Callable[[bytes], float]
    exact: Callable[[bytes], float]
    kind: type[np.generic]
    lenient: bool
    values: Callable[[Ids], Any]

    @property
    def width(self) -> int:
        """How many fields a line has."""
        return len(self.fields.split())


@dataclass
class Columns:
    """A file's rows: topic, document and number of each, and the last field of the last line read."""

    name: str
    topic: Ids
    document: Ids
    numbers: Any
    tag: str

    @cached_property
    def topics(self) -> list[str]:
        """The topic of each row."""
        return self.topic.texts()

    @cached_property
    def documents(self) -> list[str]:
        """The document of each row."""
        return self.document.texts()

    @cached_property
    def names(self) -> set[str]:
        """The topics, each once."""
        return set(self.topic.streaks()[0])

    def only(self, kept: Iterable[int]) -> Columns:
        """Some of the rows."""
        rows = np.array(list(kept), np.int64)
        return Columns(self.name, self.topic[rows], self.document[rows], self.numbers[rows], self.tag)

    def doubled(self) -> dict[str, str]:
        """The topics in which a document stands twice, and the first that does."""
        seen: set[tuple[str, str]] = set()
        again: dict[str, str] = {}
        for pair in zip(self.topics, self.documents, strict=True):
            if pair in seen:
                again.setdefault(*pair)
            seen.add(pair)
        return again


def latin(data: bytes) -> str:
    """Bytes as text, one letter a byte."""
    return data.decode("latin-1")


def readable(text: str) -> str:
    """The same for a message: the letters that the bytes stand for."""
    return os.fsdecode(text.encode("latin-1"))


def atof(text: bytes) -> float:
    """The number that a text begins with, 0 where there is none: C's atof."""
    found = FLOAT.match(text)
    if not found:
        return 0.0
    number = found.group().decode()
    try:
        return float.fromhex(number) if "x" in number.lower() else float(number)
    except OverflowError:
        return float("-inf") if number.startswith("-") else float("inf")


def atol(text: bytes) -> int:
    """The whole number that a text begins with, 0 where there is none: C's atol."""
    sign, digits = WHOLE.match(text).groups()  # type: ignore[union-attr]
    size = int(digits or b"0") if len(digits) < 20 else LONGEST
    return min(size, LONGEST) * (-1 if sign == b"-" else 1)


def scores(column: Ids) -> Any:
    """The numbers that C's atof makes of a column: of most of them what any reader does."""
    values = numbers(column)
    odd = np.flatnonzero(np.isnan(values))
    values[odd] = [atof(text.encode()) for text in column[odd].texts()]
    return values


def grades(column: Ids) -> Any:
    """The whole numbers that C's atol makes of a column."""
    return converted([text.encode() for text in column.texts()], QRELS)


RUN = Layout("topic Q0 document rank score tag", 4, float, atof, np.float64, True, scores)
QRELS = Layout("topic 0 document grade", 3, int, atol, np.int64, False, grades)


def read(path: str, layout: Layout, comments: bool) -> Columns:
    """The rows of a file; `comments` says whether lines that begin with # are passed over."""
    source = Source(path)
    data = source.whole()
    return at_once(data, source.label, layout, comments) or piecewise(data, source.label, layout, comments)


def at_once(data: bytes, name: str, layout: Layout, comments: bool) -> Columns | None:
    """The rows of a file that is as regular as they mostly are; None of any other."""
    if not data.isascii() or b"\r" in data or b"\0" in data or (comments and b"#" in data and b"\n#" in b"\n" + data):
        return None
    block = padded(data.replace(b"\t", b" "))
    ends = fences(block)
    if ends is None or ends.shape[1] < layout.width or (ends.shape[1] > layout.width and not layout.lenient):
        return None
    starts = [np.concatenate(([len(PAD)], ends[:-1, -1] + 1)), *(ends[:, place] + 1 for place in range(layout.width - 1))]
    topic, document, number = (Ids(block, starts[place], ends[:, place].copy()) for place in (0, 2, layout.number))
    tag = latin(block[starts[-1][-1] : ends[-1, layout.width - 1]])
    return Columns(name, topic, document, layout.values(number), tag)


def piecewise(data: bytes, name: str, layout: Layout, comments: bool) -> Columns:
    """The rows of any file."""
    topics: list[str] = []
    documents: list[str] = []
    numbers, tag = [], ""
    begin, line, step = 0, 1, layout.width + 1
    while begin < len(data):
        end = data.find(b"\n", begin + BLOCK) + 1 or len(data)
        block = data[begin:end] if data.endswith(b"\n", begin, end) else data[begin:end] + b"\n"
        fields = even(block, layout.width, comments)
        if fields is None:
            fields = ragged(block, layout, comments, name, line)
        if fields:
            for column, place in ((topics, 0), (documents, 2)):
                column += latin(b"\n".join(fields[place::step])).split("\n")
            tag = latin(fields[-2])
            numbers.append(converted(fields[layout.number :: step], layout))
        begin, line = end, line + block.count(b"\n")
    if not numbers:
        raise InputError(f"has no lines; expected {layout.fields}", name)
    return Columns(name, Ids.of(topics), Ids.of(documents), np.concatenate(numbers), tag)


def even(block: bytes, width: int, comments: bool) -> list[bytes] | None:
    """The fields of all lines, a line end after those of each; None where a line has more or fewer, or is a comment."""
    if LINE_END in block:
        return None
    fields = block.replace(b"\n", b" " + LINE_END + b" ").split()
    lines = block.count(b"\n")
    if len(fields) != lines * (width + 1) or fields[width :: width + 1].count(LINE_END) != lines:
        return None
    if comments and b"\n#" in b"\n" + b"\n".join(fields[:: width + 1]):
        return None
    return fields


def ragged(block: bytes, layout: Layout, comments: bool, name: str, first: int) -> list[bytes]:
    """The same, line by line: blank lines, comments and further fields are left out where they are allowed."""
    kept: list[bytes] = []
    for number, line in enumerate(block[:-1].split(b"\n"), first):
        fields = line.split()
        if comments and (line.lstrip() if layout.lenient else line).startswith(b"#"):
            continue
        if layout.lenient and not fields:
            continue
        if len(fields) < layout.width or (len(fields) > layout.width and not layout.lenient):
            expected = f"expected {layout.width} fields ({layout.fields}), found {len(fields)}"
            raise InputError(f"{expected}: {quoted(os.fsdecode(line))}", name, number)
        kept += [*fields[: layout.width], LINE_END]
    return kept


def converted(texts: list[bytes], layout: Layout) -> Any:
    """The numbers that some fields hold."""
    # Python reads 1_000 as a number and C does not.
    if b"_" not in b"\n".join(texts):
        try:
            return np.fromiter(map(layout.quick, texts), layout.kind, len(texts))
        except (ValueError, OverflowError):
            pass
    return np.fromiter(map(layout.exact, texts), layout.kind, len(texts))
