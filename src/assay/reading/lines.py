"""Line formats: fields between blanks, told by a declaration from which the reader and the error texts are made.

The places of all blanks of a block are found at once and laid out a line a row. Where that is a table, each line has
the same number of fields and the columns are spans of the block; where it is not, the block is made tidy and looked at
again. Only when that fails too is the file walked line by line, to say where and why.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from assay.errors import InputError, quote
from assay.files.line_blocks import LineBlock, is_utf8, line_blocks, sound_blocks, whole_lines
from assay.files.source import Source, not_utf8
from assay.reading.numbers import is_number, numbers
from assay.tables.ids import WORD, Bools, Buffers, Floats, Ids, Ints, StreakIds, encoded_text
from assay.tables.judgments import whole_if_all
from assay.tables.places import Finder, Place
from assay.vocabulary import GRADE_WORDS, TO_JUDGE

# What the lines of a format are declared to have, and why a value is refused, in lines as in other formats.

WHOLE = 10**15
# An id is hashed eight bytes at a time; so long a one is a file of another kind.
LONGEST = (1 << 16) - 1


class LineFields(NamedTuple):
    """The fields of a line, in order, and which of them are numbers; what follows the last one is left out.

    `naturals` are whole numbers that count something, and so are not negative; `grades` are whole if all of them are.
    `like_judgments`: lines of a run that begin as those of judgments do, so that one may be taken for the other.
    `complete`: nothing is known that could follow the last field, so that a line with more fields and a word for a
    number may have an id with blanks; and so may one with more fields of which that called `word` is a number, behind
    a whole number, as where an id is `Apollo 13`.
    """

    name: str
    fields: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    wholes: tuple[str, ...] = ()
    naturals: tuple[str, ...] = ()
    grades: tuple[str, ...] = ()
    like_judgments: bool = False
    complete: bool = False
    word: str = ""

    def misfit(self, values: list[str], wanted: tuple[str, ...]) -> str | None:
        """What is wrong with the fields of one line, if anything."""
        if stray := next((letter for field in values for letter in field if "\udc80" <= letter <= "\udcff"), None):
            return not_utf8(ord(stray) - 0xDC00)
        if len(values) < len(self.fields):
            expected = f"expected {len(self.fields)} fields ({' '.join(self.fields)})"
            return f"{expected}, found {len(values)}: {quote(' '.join(values))}"
        more = self.complete and len(values) > len(self.fields)
        # where an id has blanks, a part of it stands in the place of a number, which need not be one that is asked for
        asked = {*wanted, *self.wholes} if more else wanted
        named = zip(self.fields, values, strict=False)
        wrong = next((text for name, value in named if name in asked and (text := self.wrong_value(name, value))), None)
        if more and not wrong and self.is_shifted(values):
            wrong = f"{self.word} {quote(values[self.fields.index(self.word)])} is a number"
        number = f"expected {len(self.fields)} fields, found {len(values)}"
        return f"{wrong}; {number}: does an id contain whitespace?" if wrong and more else wrong

    def is_shifted(self, values: list[str]) -> bool:
        """Whether a number stands in the place of the word, and a whole one before it."""
        if not self.word:
            return False
        at = self.fields.index(self.word)
        return is_number(values[at]) and not wrong_whole(values[at - 1])

    def wrong_value(self, field: str, value: str) -> str | None:
        """What is wrong with the value of a field, if anything."""
        for fields, why in (
            (self.numbers, wrong_number),
            (self.wholes, wrong_whole),
            (self.naturals, wrong_natural),
            (self.grades, refused_grade),
        ):
            if field in fields:
                wrong = why(value)
                return f"{field} {quote(value)} is {wrong}" if wrong else None
        return refused_id(field, len(value.encode()))


def wrong_number(value: str) -> str | None:
    """Why a text is no finite number, if it is none."""
    if is_number(value):
        return None if np.isfinite(float(value)) else "too large for a number"
    return "not a finite number" if value.lower().lstrip("+-") in ("nan", "inf", "infinity") else "not a number"


def wrong_whole(value: str) -> str | None:
    """Why a text is no whole number, also written as 2.0, of at most 15 digits, if it is none."""
    if is_number(value) and abs(float(value)) >= WHOLE:
        return "too large; expected at most 15 digits"
    return None if is_number(value) and float(value).is_integer() else "not a whole number"


def refused_grade(value: str) -> str | None:
    """Why a text is no number of at most 15 digits before the point, and no word for a grade, if it is none."""
    if value.lower() in GRADE_WORDS:
        return None
    if value == TO_JUDGE:
        return "not given yet; expected the grade that people gave"
    if is_number(value) and abs(float(value)) >= WHOLE:
        return "too large; expected at most 15 digits"
    return wrong_number(value)


def wrong_natural(value: str) -> str | None:
    """Why a text is no whole number from 0, if it is none."""
    return wrong_whole(value) or ("negative" if float(value) < 0 else None)


def refused_id(field: str, length: int) -> str | None:
    """Why an id is refused, if it is."""
    return f"{field} has {length:,} bytes; expected an id of at most {LONGEST:,}" if length > LONGEST else None


def is_whole(values: Floats) -> Bools:
    """Which numbers are whole and have at most 15 digits."""
    return (np.abs(values) < WHOLE) & (np.rint(values) == values)


# Lines one by one, which takes long: what is wrong with one, and where a row stands.


def walk(source: Source, passed_over: Callable[[bytes], bool] | None = None) -> Iterator[tuple[int, list[str]]]:
    """Every line that is neither blank nor a comment: its number and its fields. Blocks of lines may be passed over."""
    for block in line_blocks(source):
        if passed_over and passed_over(block.content):
            continue
        for number, line in block.lines():
            if not line.startswith(b"#"):
                yield number, [field.decode(errors="surrogateescape") for field in line.split()]


def line_faults(
    source: Source,
    declared: LineFields,
    wanted: tuple[str, ...],
    are_sound: Callable[[bytes], bool] | None = None,
) -> Iterator[InputError]:
    """Everything that is wrong with the lines of a file, in order; `are_sound` tells of many lines at once whether
    nothing is.
    """
    for number, fields in walk(source, are_sound):
        if wrong := declared.misfit(fields, wanted):
            is_first = next(walk(source))[0] == number
            yield source.fault(wrong + (look_alike(fields, declared) if is_first else ""), number)


def first_fault(
    source: Source,
    declared: LineFields,
    wanted: tuple[str, ...],
    are_sound: Callable[[bytes], bool] | None = None,
) -> InputError:
    """The first thing that is wrong with the lines of a file, where something is."""
    what = "the file changed while Assay read it"
    return next(line_faults(source, declared, wanted, are_sound), source.fault(f"{what}; run the command again"))


def look_alike(fields: list[str], declared: LineFields) -> str:
    """A word of help where the first line of a file belongs to the other kind of file."""
    if declared.like_judgments and ((len(fields) == 4 and not refused_grade(fields[3])) or is_highlighted(fields)):
        return "; these look like judgments: pass judgments first, then the runs"
    if len(fields) == 1 and fields[0].count(",") > 1:
        return "; this looks like CSV without column names: begin with a line such as topic,document,score"
    if len(fields) == 1 and fields[0].count("|") > 1:
        return "; this looks like a table separated by |; expected commas, semicolons or tabs"
    return ""


def is_highlighted(fields: list[str]) -> bool:
    """Whether a line is one of judgments with highlighted passages: topic
    Q0 document rsize length bep offset:length ...
    """
    return (
        len(fields) > 6
        and not any(map(wrong_whole, fields[3:6]))
        and re.fullmatch("[0-9]+:[0-9]+", fields[6]) is not None
    )


def finder(source: Source, declared: LineFields) -> Finder:
    """A function that finds the lines on which a topic and a document stand together."""
    at_topic, at_document = declared.fields.index("topic"), declared.fields.index("document")
    at_tag = declared.fields.index("tag") if "tag" in declared.fields else None

    def tag_of(row: list[str]) -> str:
        return row[at_tag] if at_tag is not None and len(row) > at_tag else ""

    def find(topic: str, document: str) -> list[Place]:
        name = encoded_text(document)
        walked = walk(source, lambda content: name not in content)
        rows = ((number, row) for number, row in walked if len(row) > at_document)
        found = ((number, row) for number, row in rows if (row[at_topic], row[at_document]) == (topic, document))
        return [Place(source.label, number, tag=tag_of(row)) for number, row in found]

    return find


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


def pad(*parts: bytes | memoryview) -> bytes:
    """Parts of a file, joined, with line feeds around them, so that eight bytes can be read from any place in it."""
    return b"".join((PAD, *parts, PAD))


def read_joined(read: Callable[[bytes], Read], parts: Parts) -> Read:
    """What is read of a block that is told in its parts: they are joined by who reads it, and not by who goes on."""
    return read(pad(*parts))


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


def field_ends(block: bytes, exactly: bool = False, separator: bytes = b" ") -> Ints | None:
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


def collapse_whitespace(block: bytes) -> bytes:
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
    return pad(characters[~again].tobytes())


def truncate_fields(block: bytes, fields: int | None = None) -> bytes:
    """A padded block without comments, blank lines, blanks that are not needed and fields that do not count."""
    most = -1 if fields is None else fields
    lines = (b" ".join(line.split(None, most)[:fields]) for line in block.split(b"\n") if not line.startswith(b"#"))
    return pad(b"".join(line + b"\n" for line in lines if line))


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
    ends = field_ends(block) if is_tidy else None
    if ends is None:
        given, block = block, collapse_whitespace(block)
        if len(block) == 2 * len(PAD):
            return None
        ends = field_ends(block, exactly=True)
    has_more = declared.complete and (ends is None or ends.shape[1] > len(declared.fields))
    if ends is None:
        # lines with fields that do not count, and others without
        block = truncate_fields(given, len(declared.fields))
        ends = field_ends(block, exactly=True)
    if ends is not None and ends.shape[1] >= len(declared.fields):
        read = {name: take_column(block, ends, declared, name) for name in wanted}
        if has_more and not all(is_good(take_column(block, ends, declared, name)) for name in declared.wholes):
            refuse_ids_with_blanks(source, declared, wanted)
        if has_more and declared.word and any(map(is_number, column_of_words(block, ends, declared))):
            refuse_ids_with_blanks(source, declared, wanted)
        if all(map(is_good, read.values())):
            return {name: as_declared(values, declared, name) for name, values in read.items()}
    raise first_fault(source, declared, wanted, partial(are_sound, declared=declared, wanted=wanted))


def are_sound(content: bytes, declared: LineFields, wanted: tuple[str, ...]) -> bool:
    """Whether lines have the fields that are declared and no more, and nothing is wrong with those that are wanted."""
    block = pad(content)
    ends = field_ends(block) if is_utf8(block) else None
    if ends is None or ends.shape[1] != len(declared.fields):
        return False
    return all(is_good(take_column(block, ends, declared, name)) for name in wanted)


def column_of_words(block: bytes, ends: Ints, declared: LineFields) -> list[str]:
    """The texts of the field that is a word."""
    return column_at(block, ends, declared.fields.index(declared.word)).texts()


def refuse_ids_with_blanks(source: Source, declared: LineFields, wanted: tuple[str, ...]) -> None:
    """A rank that is no number is passed over where nobody asks for ranks; but a part of an id in its place makes the
    rank the score.
    """
    if fault := next(line_faults(source, declared, wanted), None):
        raise fault


def as_declared(values: Floats, declared: LineFields, name: str) -> Any:
    """The values of a column, whole numbers as such."""
    if name in declared.grades:
        return whole_if_all(values)
    return values.astype(np.int64) if name in declared.wholes + declared.naturals else values


def without_tabs(block: bytes, declared: LineFields, wanted: tuple[str, ...], source: Source) -> bytes:
    """A block with blanks for tabs; refused where it is not text."""
    if not is_utf8(block) and (fault := next(line_faults(source, declared, wanted), None)):
        raise fault
    return block.replace(b"\t", b" ") if b"\t" in block else block


def is_good(column: Ids | Floats) -> bool:
    """Whether every row of a column could be read."""
    if isinstance(column, Ids):
        return int(column.length.max()) <= LONGEST
    return not np.isnan(column).any()


def take_column(block: bytes, ends: Ints, declared: LineFields, name: str) -> Any:
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
    values = numbers(column)
    return declared_numbers(with_grade_words(values, column) if name in declared.grades else values, declared, name)


def with_grade_words(values: Floats, column: Ids) -> Floats:
    """Grades in which some words stand for numbers; those of other words stay NaN."""
    unread = np.flatnonzero(np.isnan(values))
    if not len(unread):
        return values
    words = [GRADE_WORDS.get(text.lower(), np.nan) for text in column[unread].texts()]
    values = values.copy()
    values[unread] = words
    return values


def declared_numbers(values: Floats, declared: LineFields, name: str) -> Floats:
    """Numbers, NaN where they are not as it is declared."""
    good = np.isfinite(values) if name in declared.numbers else is_whole(values)
    if name in declared.grades:
        good = np.abs(values) < WHOLE
    if name in declared.naturals:
        good &= values >= 0
    return values if good.all() else np.where(good, values, np.nan)


# The columns of all lines of a file.


def all_columns(
    source: Source,
    declared: LineFields,
    wanted: tuple[str, ...],
    refuse: Callable[[LineBlock, Source], None] | None = None,
    in_streaks: tuple[str, ...] = (),
) -> dict[str, Any] | None:
    """The wanted columns of a file; None where it has no line. `refuse` raises what is wrong with a block beside that.

    Of the columns `in_streaks` equal neighbours are told once.
    """

    def columns(block: LineBlock) -> dict[str, Any] | None:
        if refuse:
            refuse(block, source)
        read = block_columns(pad(block.content), declared, wanted, source)
        return read and read | {name: StreakIds(*read[name].streak_ids()) for name in in_streaks}

    return joined_columns(list(filter(None, map(columns, line_blocks(source, declared.name)))))


def joined_columns(blocks: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The columns of several blocks of rows as one; None where there are none."""
    if len(blocks) < 2:
        return blocks[0] if blocks else None
    buffers = Buffers()
    parts = {name: [block[name] for block in blocks] for name in blocks[0]}
    return {
        name: Ids.concatenate(each, buffers) if isinstance(each[0], Ids) else np.concatenate(each)
        for name, each in parts.items()
    }
