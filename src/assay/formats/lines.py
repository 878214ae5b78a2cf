"""Line formats: fields between blanks, told by a declaration from which the reader and the error texts are made.

A block is first made tidy (one blank between fields, one line feed after each line, no comments), which costs nothing where it
is tidy already, and proven regular (each line with the same number of fields); then its columns are taken out at once. Only when
that fails is the file walked line by line, to say where and why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import InputError, quoted
from assay.formats.source import Source
from assay.tables import polars_loaded

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
SMALL = 4 << 20
_COMMENT = re.compile(rb"^#.*\n?", re.MULTILINE)


@dataclass(frozen=True)
class LineFormat:
    """The fields of a line, in order, and which of them are numbers; what follows the last one is left out."""

    name: str
    fields: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    wholes: tuple[str, ...] = ()

    def misfit(self, found: list[str], wanted: tuple[str, ...]) -> str | None:
        """What is wrong with the fields of one line, if anything."""
        if len(found) < len(self.fields):
            return f"expected {len(self.fields)} fields ({' '.join(self.fields)}), found {len(found)}: {quoted(' '.join(found))}"
        for field, value in zip(self.fields, found, strict=False):
            if field in wanted and field in self.numbers and (wrong := wrong_number(value)):
                return f"{field} {quoted(value)} is {wrong}"
            if field in wanted and field in self.wholes and whole(value) is None:
                return f"{field} {quoted(value)} is not a whole number"
        return None


def wrong_number(value: str) -> str | None:
    """Why a text is no finite number, if it is none."""
    if NUMBER.fullmatch(value):
        return None if np.isfinite(float(value)) else "too large for a number"
    return "not a finite number" if value.lower().lstrip("+-") in ("nan", "inf", "infinity") else "not a number"


def whole(value: str) -> int | None:
    """A whole number, also where it is written as 2.0; None where it is none, or has more than 15 digits."""
    if NUMBER.fullmatch(value) and abs(number := float(value)) < 1e15 and number.is_integer():
        return int(number)
    return None


def topic_blocks(source: Source, gather: bool = False) -> Iterator[bytes]:
    """The file in blocks that end where a topic ends; the whole of it in one where its topics are scattered."""
    if gather:
        yield source.whole()
        return
    rest = b""
    blocks = source.blocks()
    block = next(blocks, b"")
    while following := next(blocks, b""):
        cut = last_topic(block)
        if cut <= block.find(b"\n") + 1:
            rest += block
        else:
            yield b"".join((rest, memoryview(block)[:cut]))
            rest = block[cut:]
        block = following
    if rest or block:
        yield rest + block


def last_topic(block: bytes) -> int:
    """Where the last line's topic begins, found by halving: lines of one topic stand together."""
    end = block.rfind(b"\n")
    high = block.rfind(b"\n", 0, max(end, 0)) + 1
    low, topic = 0, block[high:end].split(None, 1)[:1]
    while low < high:
        middle = block.rfind(b"\n", low, (low + high) // 2) + 1 or low
        line_end = block.index(b"\n", middle)
        if block[middle:line_end].split(None, 1)[:1] == topic:
            high = middle
        else:
            low = line_end + 1
    return high


def tidy(block: bytes, comments: bool = True) -> bytes:
    """The block with line feeds, single blanks and nothing else between its fields."""
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\t" in block:
        block = block.replace(b"\t", b" ")
    if comments and b"#" in block:
        block = _COMMENT.sub(b"", block)
    if not block.endswith(b"\n"):
        block += b"\n"
    white = np.frombuffer(block, np.uint8) <= 32
    if white[0] or np.any(white[1:] & white[:-1]):
        lines = (b" ".join(line.split()) for line in block.split(b"\n"))
        block = b"".join(line + b"\n" for line in lines if line)
    return block


def width(block: bytes) -> int:
    """The number of fields of every line of a tidy block; 0 if they differ."""
    fields = block.count(b" ", 0, block.index(b"\n")) + 1
    characters = np.frombuffer(block, np.uint8)
    ends = characters[characters <= 32]
    if len(ends) % fields:
        return 0
    ends = ends.reshape(-1, fields)
    return fields if np.all(ends[:, :-1] == 32) and np.all(ends[:, -1] == 10) else 0


def mean_width(block: bytes) -> int:
    """The number of fields of the first line of a tidy block, if lines have as many on average; else 0."""
    fields = block.count(b" ", 0, block.index(b"\n")) + 1
    characters = np.frombuffer(block, np.uint8)
    blanks, ends = np.count_nonzero(characters == 32), np.count_nonzero(characters == 10)
    return fields if blanks == (fields - 1) * ends else 0


def trimmed(block: bytes, least: int) -> bytes:
    """The block with nothing after the fields that count."""
    return b"".join(b" ".join(line.split(b" ", least)[:least]) + b"\n" for line in block.splitlines())


def columns(block: bytes, form: LineFormat, wanted: tuple[str, ...], source: Source) -> dict[str, Any] | None:
    """The wanted columns of a block; None where it has no line. Ids are text, the others numpy arrays."""
    if b"\0" in block:
        raise source.fault("is not text; expected " + form.name)
    block = tidy(block)
    if not block:
        return None
    small = len(block) < SMALL and not polars_loaded() and block.isascii()
    read, fields_of = (_split, width) if small else (_scan, mean_width)
    least = len(form.fields)
    try:
        fields = fields_of(block)
        if fields < least:
            block = trimmed(block, least)
            fields = width(block)
        if fields >= least:
            found = read(block, fields, form, wanted)
            if all(np.isfinite(found[name]).all() for name in form.numbers if name in wanted):
                return found
    except (ValueError, OverflowError):
        pass
    except Exception as error:
        # polars' own errors cannot be named without importing it
        if not type(error).__module__.startswith("polars"):
            raise
    if fault := next(faults(source, form, wanted), None):
        raise fault
    return _convert([line.decode().split(" ") for line in block.splitlines()], form, wanted)


def _split(block: bytes, fields: int, form: LineFormat, wanted: tuple[str, ...]) -> dict[str, Any]:
    tokens = block.decode().split()
    taken = {name: tokens[form.fields.index(name) :: fields] for name in wanted}
    if any("_" in "".join(taken[name]) for name in (*form.numbers, *form.wholes) if name in wanted):
        raise ValueError("Python's 1_000 is no number in a file")
    return _typed(taken, form)


def _typed(taken: dict[str, list[str]], form: LineFormat) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, values in taken.items():
        if name in form.numbers:
            found[name] = np.fromiter(map(float, values), np.float64, len(values))
        elif name in form.wholes:
            found[name] = np.fromiter(map(int, values), np.int64, len(values))
        else:
            found[name] = np.array(values, dtype=object)
    return found


def _scan(block: bytes, fields: int, form: LineFormat, wanted: tuple[str, ...]) -> dict[str, Any]:
    import polars as pl

    names = [*form.fields, *(f"extra {i}" for i in range(len(form.fields), fields))]
    types = {name: pl.Float64 if name in form.numbers else pl.Int64 if name in form.wholes else pl.String for name in names}
    scan = pl.scan_csv(block, separator=" ", has_header=False, schema=types, quote_char=None)
    frame = scan.select(wanted).collect()
    if any(frame[name].null_count() for name in wanted):
        raise ValueError("an empty field")
    return {name: frame[name].to_numpy() if name in form.numbers + form.wholes else frame[name] for name in wanted}


def _convert(rows: list[list[str]], form: LineFormat, wanted: tuple[str, ...]) -> dict[str, Any]:
    taken = {name: [row[form.fields.index(name)] for row in rows] for name in wanted}
    for name in form.wholes:
        if name in taken:
            taken[name] = [str(whole(value)) for value in taken[name]]
    return _typed(taken, form)


def walk(source: Source) -> Iterator[tuple[int, list[str] | InputError]]:
    """Every line that is neither blank nor a comment: its number and its fields, or what makes it unreadable."""
    number = 0
    for block in topic_blocks(source):
        lines = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n").removesuffix(b"\n").split(b"\n")
        for number, line in enumerate(lines, number + 1):
            if line.startswith(b"#") or not line.strip():
                continue
            try:
                yield number, [field.decode() for field in line.split()]
            except UnicodeDecodeError:
                yield number, source.fault(f"is not UTF-8 text: {quoted(line.decode('latin-1'))}", number)


def faults(source: Source, form: LineFormat, wanted: tuple[str, ...]) -> Iterator[InputError]:
    """Everything that is wrong with the lines of a file, in order."""
    first = True
    for number, found in walk(source):
        if isinstance(found, InputError):
            yield found
        elif wrong := form.misfit(found, wanted):
            yield source.fault(wrong + (look_alike(found, form) if first else ""), number)
        first = False


def look_alike(found: list[str], form: LineFormat) -> str:
    """A word of help where the first line of a file belongs to the other kind of file."""
    if form.name == "a TREC run" and len(found) == 4 and whole(found[3]) is not None:
        return "; these look like judgments: they are given first, the runs after them"
    return ""


def places(source: Source, form: LineFormat) -> Any:
    """A function that finds the lines on which a topic and a document stand together."""
    at_topic, at_document = form.fields.index("topic"), form.fields.index("document")

    def find(topic: str, document: str) -> list[int]:
        rows = ((number, row) for number, row in walk(source) if isinstance(row, list) and len(row) > at_document)
        return [number for number, row in rows if (row[at_topic], row[at_document]) == (topic, document)]

    return find
