"""Line formats: fields between blanks, told by a declaration from which the reader and the error texts are made.

The places of all blanks of a block are found at once and laid out a line a row. Where that is a table, each line has
the same number of fields and the columns are spans of the block; where it is not, the block is made tidy and looked at
again. Only when that fails too is the file walked line by line, to say where and why.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias, TypeVar

import numpy as np

from assay.files.line_blocks import sound_blocks, whole_lines
from assay.files.plain_text import is_utf8
from assay.files.source import Source
from assay.formats.line_fields import LONGEST, WHOLE, LineFields, is_whole
from assay.formats.numbers import is_number, numbers
from assay.formats.single_lines import first_fault, line_faults
from assay.tables.ids import Floats, Ids, Ints
from assay.tables.judgments import whole_if_all
from assay.tables.words import WORD

BLANK, LINE_FEED = b" \n"
PAD = b"\n" * (WORD + 1)
COMMENT = re.compile(rb"(?m)^#.*\n?")
# What a block is joined of.
Parts: TypeAlias = tuple[bytes | memoryview, ...]
Read = TypeVar("Read")
# So many bytes are looked at to know whether blanks are doubled everywhere.
FEW = 1 << 10


def topic_blocks(source: Source, gather: bool = False) -> Iterator[Parts]:
    """The bytes of a file as they are in blocks that end where a topic ends; all in one to `gather` all topics."""
    if gather:
        yield (source.whole(),)
    else:
        yield from cut_by_topic(source.blocks())


def first_field(line: bytes) -> list[bytes]:
    """The first field of a line, which is its topic; nothing where the line is blank."""
    return line.split(None, 1)[:1]


def cut_by_topic(
    blocks: Iterator[bytes],
    settled: Callable[[bytes], bytes] | None = None,
    topic_of: Callable[[bytes], list[bytes]] = first_field,
) -> Iterator[Parts]:
    """Blocks of a file, cut anew where a topic ends; all in one where there is but one topic.

    Each is told in its parts, to be `padded` by who reads it. The blocks may end within a line. One of a topic that
    goes on in the next has to wait; meanwhile only what is `settled` of its lines is held.
    """
    # the last part begins with a line
    rest: list[bytes] = []
    block = next(blocks, b"")
    while following := next(blocks, b""):
        cut = last_topic(block, topic_of)
        if cut > block.find(b"\n") + 1:
            yield (*rest, memoryview(block)[:cut])
            rest = [block[cut:]]
        elif settled:
            end = block.rfind(b"\n") + 1
            ended = b"".join((*rest[-1:], block[:end]))
            rest[-1:] = [settled(ended), block[end:]] if end else [ended + block]
        else:
            rest.append(block)
        block = following
    if block:
        yield (*rest, block)


def padded(*parts: bytes | memoryview) -> bytes:
    """Parts of a file, joined, with line feeds around them, so that eight bytes can be read from any place in it."""
    return b"".join((PAD, *parts, PAD))


def read_joined(read: Callable[[bytes], Read], parts: Parts) -> Read:
    """What is read of a block that is told in its parts: they are joined by who reads it, and not by who goes on."""
    return read(padded(*parts))


def last_topic(block: bytes, topic_of: Callable[[bytes], list[bytes]]) -> int:
    """Where the last line's topic begins, found by halving: lines of one topic stand together."""
    end = block.rfind(b"\n")
    high = block.rfind(b"\n", 0, max(end, 0)) + 1
    low, topic = 0, topic_of(block[high:end])
    while low < high:
        middle = block.rfind(b"\n", low, (low + high) // 2) + 1 or low
        line_end = block.index(b"\n", middle)
        if topic_of(block[middle:line_end]) == topic:
            high = middle
        else:
            low = line_end + 1
    return high


def fences(block: bytes, exactly: bool = False, separator: bytes = b" ") -> Ints | None:
    """Where the fields of a padded block end: a row a line, a column a field.

    None unless one blank, or what else is the separator, stands between fields, one line feed after each line, and each
    line has as many fields as the first. It is quicker to take every control character for a blank, and so to find no
    table, unless told to look exactly.
    """
    characters = np.frombuffer(block, np.uint8)
    is_separator = characters == ord(separator)
    separators = np.count_nonzero(is_separator)
    is_end = is_separator | (characters == LINE_FEED) if exactly else characters <= BLANK
    inside = is_end[len(PAD) - 1 : len(block) - len(PAD) + (block[-len(PAD) - 1] != LINE_FEED)]
    # in memory that is at hand
    if np.any(np.logical_and(inside[1:], inside[:-1], out=is_separator[: len(inside) - 1])):
        return None
    ends = np.flatnonzero(inside)
    ends += len(PAD) - 1
    fields = block.count(separator, len(PAD), block.index(b"\n", len(PAD))) + 1
    if len(ends) < 2 or (len(ends) - 1) % fields:
        return None
    table = ends[1:].reshape(-1, fields)
    # as many line feeds as lines, each at the end of one, and nothing but separators between them
    others = len(table) * (fields - 1)
    has_feeds = separators == others and np.all(characters[table[:, -1]] == LINE_FEED)
    return table if has_feeds else None


def without_idle_lines(block: bytes) -> bytes:
    """A block without comments and blank lines."""
    return re.sub(rb"\n(?:[ \t\v\f]*+\n)++", b"\n", without_comments(block)).lstrip()


def without_comments(block: bytes) -> bytes:
    """A block without lines that begin with #."""
    return COMMENT.sub(b"", block) if b"#" in block and (block.startswith(b"#") or b"\n#" in block) else block


def collapsed(block: bytes) -> bytes:
    """A padded block without comments, blank lines and blanks that are not needed."""
    content = without_comments(block[len(PAD) : -len(PAD)])
    for other in (b"\v", b"\f"):
        content = content.replace(other, b" ")
    characters = np.frombuffer(content.strip(b" \n"), np.uint8)
    feed = characters == LINE_FEED
    is_white = feed | (characters == BLANK)
    again = np.append(False, is_white[1:] & is_white[:-1])[: len(characters)]
    if np.any(again[1:] & (feed[1:] | feed[:-1])):
        # of white space with a line feed in it that is left
        starts = np.flatnonzero(is_white & ~again)
        characters = characters.copy()
        characters[starts[np.searchsorted(starts, np.flatnonzero(feed), side="right") - 1]] = LINE_FEED
    return padded(characters[~again].tobytes())


def squeezed(block: bytes, fields: int | None = None) -> bytes:
    """A padded block without comments, blank lines, blanks that are not needed and fields that do not count."""
    most = -1 if fields is None else fields
    lines = (b" ".join(line.split(None, most)[:fields]) for line in block.split(b"\n") if not line.startswith(b"#"))
    return padded(b"".join(line + b"\n" for line in lines if line))


def blocks_of(source: Source, declared: LineFields) -> Iterator[bytes]:
    """The lines of a file, many at a time."""
    for content in whole_lines(source, declared.name):
        if not content.isspace():
            yield content


def blocks_within_lines(source: Source, declared: LineFields) -> Iterator[bytes]:
    """The text of a file, many lines at a time, of which the first and the last may be in two blocks."""
    for block in sound_blocks(source, declared.name):
        yield b"\n" if block.isspace() and b"\n" in block else block


def block_columns(block: bytes, declared: LineFields, wanted: tuple[str, ...], source: Source) -> dict[str, Any] | None:
    """The wanted columns of a padded block; None where it has no line. Ids are Ids, the others numpy arrays."""
    block = without_tabs(block, declared, wanted, source)
    is_tidy = not (b"#" in block and b"\n#" in block) and b"  " not in block[:FEW]
    ends = fences(block) if is_tidy else None
    if ends is None:
        given, block = block, collapsed(block)
        if len(block) == 2 * len(PAD):
            return None
        ends = fences(block, exactly=True)
    has_more = declared.complete and (ends is None or ends.shape[1] > len(declared.fields))
    if ends is None:
        # lines with fields that do not count, and others without
        block = squeezed(given, len(declared.fields))
        ends = fences(block, exactly=True)
    if ends is not None and ends.shape[1] >= len(declared.fields):
        read = {name: taken(block, ends, declared, name) for name in wanted}
        if has_more and not all(is_good(taken(block, ends, declared, name)) for name in declared.wholes):
            refuse_ids_with_blanks(source, declared, wanted)
        if has_more and declared.word and any(map(is_number, column_of_words(block, ends, declared))):
            refuse_ids_with_blanks(source, declared, wanted)
        if all(map(is_good, read.values())):
            return {name: as_declared(values, declared, name) for name, values in read.items()}
    raise first_fault(source, declared, wanted, partial(are_sound, declared=declared, wanted=wanted))


def are_sound(content: bytes, declared: LineFields, wanted: tuple[str, ...]) -> bool:
    """Whether lines have the fields that are declared and no more, and nothing is wrong with those that are wanted."""
    block = padded(content)
    ends = fences(block) if is_utf8(block) else None
    if ends is None or ends.shape[1] != len(declared.fields):
        return False
    return all(is_good(taken(block, ends, declared, name)) for name in wanted)


def column_of_words(block: bytes, ends: Ints, declared: LineFields) -> list[str]:
    """The texts of the field that is a word."""
    return column_at(block, ends, declared.fields.index(declared.word)).texts()


def refuse_ids_with_blanks(source: Source, declared: LineFields, wanted: tuple[str, ...]) -> None:
    """A rank that is no number is passed over where nobody asks for ranks; but a part of an id in its place makes the
    rank the score.
    """
    if fault := next(line_faults(source, declared, wanted), None):
        raise fault


def as_declared(values: Any, declared: LineFields, name: str) -> Any:
    """The values of a column, whole numbers as such."""
    if name in declared.grades:
        return whole_if_all(values)
    return values.astype(np.int64) if name in declared.wholes + declared.naturals else values


def without_tabs(block: bytes, declared: LineFields, wanted: tuple[str, ...], source: Source) -> bytes:
    """A block with blanks for tabs; refused where it is not text."""
    if not is_utf8(block) and (fault := next(line_faults(source, declared, wanted), None)):
        raise fault
    return block.replace(b"\t", b" ") if b"\t" in block else block


def is_good(column: Any) -> bool:
    """Whether every row of a column could be read."""
    if isinstance(column, Ids):
        return int(column.length.max()) <= LONGEST
    return not np.isnan(column).any()


def taken(block: bytes, ends: Ints, declared: LineFields, name: str) -> Any:
    """One column of a regular block; of numbers, NaN where there is none, or where it is not whole and should be."""
    return declared_values(column_at(block, ends, declared.fields.index(name)), declared, name)


def column_at(block: bytes, ends: Ints, at: int) -> Ids:
    """The column of a regular block that has some number."""
    start = ends[:, at - 1] + 1 if at else np.concatenate(([len(PAD)], ends[:-1, -1] + 1))
    return Ids(block, start, ends[:, at].copy())


def declared_values(column: Ids, declared: LineFields, name: str) -> Any:
    """The values of a column, as `taken` gives them."""
    if name not in declared.numbers + declared.wholes + declared.naturals + declared.grades:
        return column
    return declared_numbers(numbers(column), declared, name)


def declared_numbers(values: Floats, declared: LineFields, name: str) -> Floats:
    """Numbers, NaN where they are not as it is declared."""
    good = np.isfinite(values) if name in declared.numbers else is_whole(values)
    if name in declared.grades:
        good = np.abs(values) < WHOLE
    if name in declared.naturals:
        good &= values >= 0
    return values if good.all() else np.where(good, values, np.nan)
