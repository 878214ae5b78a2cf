"""Runs in JSONL files whose lines have the same names in the same order, as programs write them.

Quotes cut each line into parts. Those that are names or stand between values are the same in all lines; a text is a
part of its own, and a number stands in a part between a colon and a comma, or the end of the object.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import numpy as np

from assay.files.line_blocks import LineBlock
from assay.files.plain_text import is_utf8
from assay.formats import lines
from assay.formats.chosen_columns import ChosenColumns
from assay.formats.format import Request
from assay.formats.line_fields import LineFields
from assay.formats.numbers import numbers
from assay.formats.regular_runs import BlockRows, RegularRun
from assay.formats.subtopic_rows import are_alike
from assay.tables.ids import Bools, Floats, Ids

MINUS, ZERO, NINE = b"-09"
# A number without an exponent, and what stands before and behind it.
NUMBER = re.compile(rb"(\s*:\s*)-?[0-9.]+(\s*[,}]\s*)")
# The most characters of an exponent.
EXPONENT = 6
NUMBERS = LineFields("a table", ("score", "rank"), numbers=("score",), wholes=("rank",))


class ValuePart(NamedTuple):
    """Which part of a line holds a value; and, if that is a number, how many bytes stand there before and behind it."""

    number: int
    before: int = 0
    behind: int = 0


class UniformJsonRun(RegularRun):
    """A run of which each line is an object with the same names."""

    def __init__(self, rows: BlockRows, chosen: ChosenColumns, request: Request):
        super().__init__(rows, chosen, request)
        first = next(rows.row_blocks(), LineBlock(1, b""))
        topic = (value_parts(first_line(lines.padded(first.content))) or {}).get(chosen["topic"])
        self.at_topic = topic.number if topic else 0

    def topic_of(self, line: bytes) -> list[bytes]:
        """The topic of a line, if it looks like the first line of the file."""
        return line.split(b'"', self.at_topic + 1)[self.at_topic : self.at_topic + 1]

    def at_once(self, block: bytes) -> dict[str, Any] | None:
        """The columns of a padded block by field; None where it is no table, or something may be wrong with it."""
        texts, values = uniform_values(block) or ({}, {})
        columns: dict[str, Any] = {}
        for field, name in self.chosen.fields.items():
            if field in NUMBERS.numbers + NUMBERS.wholes and name in values:
                columns[field] = lines.declared_numbers(values[name], NUMBERS, field)
            elif field in ("topic", "document") and name in texts:
                columns[field] = texts[name]
            else:
                return None
        return columns if all(map(lines.is_good, columns.values())) else None


def uniform_names(content: bytes) -> list[str] | None:
    """The names that all lines have, in their order; None where they do not all look alike."""
    block = lines.padded(content)
    return list(value_parts(first_line(block)) or ()) if uniform_values(block) else None


def uniform_values(block: bytes) -> tuple[dict[str, Ids], dict[str, Floats]] | None:
    """The texts and the numbers of a padded block by name; None where its lines do not all look alike."""
    characters = np.frombuffer(block, np.uint8)
    controls = np.count_nonzero(characters < lines.BLANK) - np.count_nonzero(characters == lines.LINE_FEED)
    parts = None if controls or b"\\" in block or not is_utf8(block) else value_parts(first_line(block))
    ends = lines.fences(block, exactly=True, separator=b'"') if parts else None
    if parts is None or ends is None:
        return None
    texts: dict[str, Ids] = {}
    decimals: dict[str, Floats] = {}
    behind = lines.column_at(block, ends, 0).start
    for name, part in parts.items():
        column = lines.column_at(block, ends, part.number)
        column = Ids(block, column.start + part.before, column.end - part.behind)
        # what stands between two values
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
    """The first line of a padded block."""
    return block[len(lines.PAD) : block.index(b"\n", len(lines.PAD))]


def value_parts(line: bytes) -> dict[str, ValuePart] | None:
    """Where the values of a line stand, by name; None where it is no object of texts and numbers, each with a name."""
    try:
        pairs = json.loads(line, object_pairs_hook=tuple) if b"\\" not in line else None
    except (ValueError, RecursionError):
        pairs = None
    if not isinstance(pairs, tuple):
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
    """The numbers of a column; None where one is none that JSON has, or has an exponent."""
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


def is_digit(characters: Any) -> Bools:
    """Which characters are digits."""
    return (characters >= ZERO) & (characters <= NINE)
