"""Line formats: fields between whitespace. One declaration of the fields drives both the reader and the error texts.

The reader finds all whitespace of a block at once and arranges it with one row per line. If that is a table, each line
has the same number of fields, and the columns are slices of the block. If not, the reader collapses whitespace and
tries again. Only if that fails too does it walk the file line by line, to say where and why.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from assay.errors import ORDER_OF_INPUTS, InputError, list_names, quote
from assay.files.line_blocks import LineBlock, is_utf8, line_blocks, sound_blocks, whole_lines
from assay.files.source import PIECES, Source, not_utf8, piece_size
from assay.files.threads import in_threads
from assay.reading.numbers import is_number, numbers
from assay.tables.ids import WORD, Bools, Buffers, Floats, Ids, Ints, encoded_text
from assay.tables.judgments import whole_if_all
from assay.tables.places import Finder, Place
from assay.vocabulary import GRADE_WORDS, TO_JUDGE

# The declaration of a line, and why a value is refused. Other formats refuse values by the same rules.

WHOLE = 10**15
# The most bytes of an id. A longer one means that this is another kind of file.
LONGEST = (1 << 16) - 1
# An id of more characters may have more bytes than that.
MAY_BE_LONG = LONGEST // 4
BLANK_IN_ID = "does an id contain whitespace?"


class LineFields(NamedTuple):
    """The fields of a line, in order, and which of them are numbers; anything after the last one is ignored.

    `naturals` are whole numbers that are not negative; `grades` become whole numbers if all of them are whole.
    `like_judgments`: a line of this run begins like one of judgments, so the user may have swapped the files.
    `complete`: no variant of this format has further fields. So if a line has more fields and a word where a number
    should be, an id probably contains whitespace. The same is true if the field `word` is a number after a whole
    number, as with an id `Apollo 13`.
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
        """Return what is wrong with the fields of one line; None if nothing is."""
        if stray := next((letter for field in values for letter in field if "\udc80" <= letter <= "\udcff"), None):
            return not_utf8(ord(stray) - 0xDC00)
        if len(values) < len(self.fields):
            expected = f"expected {len(self.fields)} fields ({' '.join(self.fields)})"
            return f"{expected}, found {len(values)}: {quote(' '.join(values))}"
        more = self.complete and len(values) > len(self.fields)
        # if an id contains whitespace, its second part is where a number should be, maybe one that is not wanted
        asked = {*wanted, *self.wholes} if more else wanted
        named = zip(self.fields, values, strict=False)
        wrong = next((text for name, value in named if name in asked and (text := self.wrong_value(name, value))), None)
        if more and not wrong and self.is_shifted(values):
            wrong = f"{self.word} {quote(values[self.fields.index(self.word)])} is a number"
        if wrong and more:
            number = f"expected {len(self.fields)} fields, found {len(values)}"
            return f"{wrong}; {number}: {BLANK_IN_ID}"
        return wrong and wrong + self.misplaced(values)

    def misplaced(self, values: list[str]) -> str:
        """Return a hint if values of a wrong line fit other fields than their own; else an empty string."""
        if self.is_shifted(values):
            return f"; {self.word} {quote(values[self.fields.index(self.word)])} is a number: {BLANK_IN_ID}"
        if "rank" in self.wholes and "score" in self.fields:
            rank, score = (values[self.fields.index(name)] for name in ("rank", "score"))
            if is_number(rank) and wrong_whole(rank) and not wrong_whole(score):
                return f"; expected {' '.join(self.fields)}: are rank and score swapped?"
        return ""

    def is_shifted(self, values: list[str]) -> bool:
        """Return whether the field `word` is a number, and the one before it a whole number."""
        if not self.word:
            return False
        at = self.fields.index(self.word)
        return is_number(values[at]) and not wrong_whole(values[at - 1])

    def wrong_value(self, field: str, value: str) -> str | None:
        """Return what is wrong with the value of a field; None if nothing is."""
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
    """Return why a string is not a finite number; None if it is one."""
    if is_number(value):
        return None if np.isfinite(float(value)) else "too large for a number"
    return "not a finite number" if value.lower().lstrip("+-") in ("nan", "inf", "infinity") else "not a number"


def wrong_whole(value: str) -> str | None:
    """Return why a string is not a whole number of at most 15 digits; None if it is one. 2.0 is a whole number."""
    if is_number(value) and abs(float(value)) >= WHOLE:
        return "too large; expected at most 15 digits"
    return None if is_number(value) and float(value).is_integer() else "not a whole number"


def refused_grade(value: str) -> str | None:
    """Return why a string is not a grade; None if it is one.

    A grade is a number of at most 15 digits before the point, or a word for one.
    """
    if value.lower() in GRADE_WORDS:
        return None
    if value == TO_JUDGE:
        return "not given yet; expected the grade that people gave"
    if is_number(value) and abs(float(value)) >= WHOLE:
        return "too large; expected at most 15 digits"
    return wrong_number(value)


def wrong_natural(value: str) -> str | None:
    """Return why a string is not a whole number from 0; None if it is one."""
    return wrong_whole(value) or ("negative" if float(value) < 0 else None)


def refused_id(field: str, length: int) -> str | None:
    """Return why an id of this many bytes is refused; None if it is not."""
    return f"{field} has {length:,} bytes; expected an id of at most {LONGEST:,}" if length > LONGEST else None


def is_whole(values: Floats) -> Bools:
    """Return which numbers are whole and have at most 15 digits."""
    return (np.abs(values) < WHOLE) & (np.rint(values) == values)


# Walking line by line, which is slow: to say what is wrong with a line, and where a row is.


def walk(source: Source, passed_over: Callable[[bytes], bool] | None = None) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the fields of every line that is neither blank nor a comment.

    Blocks for which `passed_over` returns true are skipped.
    """
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
    """Yield everything that is wrong with the lines of a file, in order.

    `are_sound` says for a block of lines at once that nothing is wrong with it, so that it can be skipped.
    """
    for number, fields in walk(source, are_sound):
        if wrong := declared.misfit(fields, wanted):
            is_first = next(walk(source))[0] == number
            yield source.fault(wrong + (look_alike(fields, declared, source.label) if is_first else ""), number)


def first_fault(
    source: Source,
    declared: LineFields,
    wanted: tuple[str, ...],
    are_sound: Callable[[bytes], bool] | None = None,
) -> InputError:
    """Return the first fault of a file that is known to have one."""
    what = "the file changed while Assay read it"
    return next(line_faults(source, declared, wanted, are_sound), source.fault(f"{what}; run the command again"))


def look_alike(fields: list[str], declared: LineFields, path: str) -> str:
    """Return a hint if the first line of a file belongs to another kind of file; else an empty string."""
    if names := names_of_columns(fields, declared):
        import shlex

        header = "\\t".join(names)
        command = f"(printf '{header}\\n'; tr -s ' ' '\\t' < {shlex.quote(path)}) > named.tsv"
        return f"; if these are {' '.join(names)}, put these names above them: {command}"
    if declared.like_judgments and ((len(fields) == 4 and not refused_grade(fields[3])) or is_highlighted(fields)):
        return f"; these look like judgments: {ORDER_OF_INPUTS}"
    if len(fields) == 1 and fields[0].count(",") > 1:
        import csv

        known, number = OF_RUNS if declared.like_judgments else OF_JUDGMENTS, len(next(csv.reader(fields)))
        first = next((f"the line {each}" for each in known if each.count(",") == number - 1), None)
        first = first or f"a line that names the {number} columns, among them {list_names(known[0].split(','))}"
        return f"; this looks like CSV without column names: begin with {first}"
    if len(fields) == 1 and fields[0].count("|") > 1:
        return "; this looks like a table separated by |; expected commas, semicolons or tabs"
    return ""


# The columns of CSV that its number of fields tells, in judgments and in runs.
OF_JUDGMENTS = ("topic,document,grade", "topic,Q0,document,grade", "topic,document,start,end,grade")
OF_RUNS = ("topic,document,score", "topic,document,start,end,score", "topic,Q0,document,rank,score,tag")


def names_of_columns(fields: list[str], declared: LineFields) -> list[str]:
    """Return names for the fields of a line that has too few; an empty list if it is something else.

    Runs of MS MARCO have topic, document and rank; other programs write topic, document, rank and score.
    """
    if not declared.complete or len(fields) not in (3, 4) or wrong_whole(fields[2]):
        return []
    if not declared.like_judgments:
        return ["query_id", "doc_id", "grade"] if len(fields) == 3 else []
    if len(fields) == 4 and not (is_number(fields[3]) and wrong_whole(fields[3])):
        return []
    return ["query_id", "doc_id", "rank", "score"][: len(fields)]


def is_highlighted(fields: list[str]) -> bool:
    """Return whether a line is a judgment with highlighted passages.

    Its fields are topic Q0 document rsize length bep offset:length ...
    """
    return (
        len(fields) > 6
        and not any(map(wrong_whole, fields[3:6]))
        and re.fullmatch("[0-9]+:[0-9]+", fields[6]) is not None
    )


def finder(source: Source, declared: LineFields) -> Finder:
    """Return a function that finds the lines which have a topic and a document."""
    at_topic, at_document = declared.fields.index("topic"), declared.fields.index("document")
    at_tag = declared.fields.index("tag") if "tag" in declared.fields else None

    def tag_of(row: list[str]) -> str:
        return row[at_tag] if at_tag is not None and len(row) > at_tag else ""

    def find(topic: str, document: str) -> Iterator[Place]:
        name = encoded_text(document)
        walked = walk(source, lambda content: name not in content)
        rows = ((number, row) for number, row in walked if len(row) > at_document)
        found = ((number, row) for number, row in rows if (row[at_topic], row[at_document]) == (topic, document))
        return (Place(source.label, number, tag=tag_of(row)) for number, row in found)

    return find


BLANK, LINE_FEED = b" \n"
PAD = b"\n" * (WORD + 1)
COMMENT = re.compile(rb"(?m)^#.*\n?")
# The parts from which a block is joined, once: what an iterator has yielded does not stay in memory.
Parts: TypeAlias = Iterator[bytes]
Read = TypeVar("Read")
# How many bytes are checked to tell whether fields are separated by more than one space.
FEW = 1 << 10


def topic_blocks(source: Source, gather: bool = False) -> Iterator[Parts]:
    """Yield the bytes of a file in blocks that end where a topic ends, or all in one block to `gather` all topics."""
    if gather:
        yield iter((source.whole(),))
    else:
        yield from cut_by_topic(source.blocks(piece_size()), pieces=PIECES)


def first_field(line: bytes) -> list[bytes]:
    """Return the first field of a line, its topic, in a list; an empty list if the line is blank."""
    return line.split(None, 1)[:1]


def cut_by_topic(
    blocks: Iterator[bytes],
    settled: Callable[[bytes], bytes] | None = None,
    topic_of: Callable[[bytes], list[bytes]] = first_field,
    pieces: int = 1,
) -> Iterator[Parts]:
    """Regroup blocks of a file so that each ends where a topic ends; one block if there is only one topic.

    Each result is the parts of a block, which the thread that reads it joins and pads; it is made of at least `pieces`
    input blocks. These may end within a line. Lines of a topic that goes on are kept; `settled` checks them and returns
    only those to keep.
    """
    # lines that were checked, and the parts after them, the first of which begins at the start of a line
    kept, rest = list[bytes](), list[bytes]()
    block, taken = next(blocks, b""), 0
    while following := next(blocks, b""):
        taken += 1
        if taken < pieces:
            rest.append(block)
            block = following
            continue
        if not (cut := end_of_topic(block, topic_of)) and rest:
            block, rest = b"".join((*rest, block)), []
            cut = end_of_topic(block, topic_of)
        if cut:
            parts = iter((*kept, *rest, block[:cut]))
            # what is yielded must not stay in memory
            kept, rest, block, taken = [], [block[cut:]], following, 0
            yield parts
        else:
            end = block.rfind(b"\n") + 1
            kept.append(settled(block[:end]) if settled and end else block[:end])
            rest, block, taken = [block[end:]], following, 0
    if block:
        yield iter((*kept, *rest, block))


def pad(*parts: bytes | memoryview) -> bytes:
    """Join parts of a file and put line feeds around them, so that eight bytes can be read at any position."""
    return b"".join((PAD, *parts, PAD))


def read_joined(read: Callable[[bytes], Read], parts: Parts) -> Read:
    """Join the parts of a block and read it. This runs in the thread that reads, not in the one that cuts blocks."""
    return read(pad(*parts))


def end_of_topic(block: bytes, topic_of: Callable[[bytes], list[bytes]]) -> int:
    """Return where the last line's topic begins, by binary search, because the lines of a topic are together.

    0 if all lines have the same topic, except the first, which may have begun before the block.
    """
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
    return high if high > block.find(b"\n") + 1 else 0


def field_ends(block: bytes, exactly: bool = False, separator: bytes = b" ") -> Ints | None:
    """Return the ends of the fields of a padded block as an array: one row per line, one column per field.

    None unless exactly one separator is between fields, one line feed is after each line, and each line has as many
    fields as the first. By default every control character counts as whitespace: that is faster, and at worst no table
    is found. `exactly` looks only for the separator and line feeds.
    """
    characters = np.frombuffer(block, np.uint8)
    is_end = characters == ord(separator) if exactly else characters <= BLANK
    if exactly:
        is_end |= characters == LINE_FEED
    inside = is_end[len(PAD) - 1 : len(block) - len(PAD) + (block[-len(PAD) - 1] != LINE_FEED)]
    if np.any(inside[1:] & inside[:-1]):
        return None
    ends = np.flatnonzero(inside)
    ends += len(PAD) - 1
    # reuse the memory of is_end
    separators = np.count_nonzero(np.equal(characters, ord(separator), out=is_end))
    fields = block.count(separator, len(PAD), block.index(b"\n", len(PAD))) + 1
    if len(ends) < 2 or (len(ends) - 1) % fields:
        return None
    table = ends[1:].reshape(-1, fields)
    del is_end, inside
    # each row must end in a line feed, and all other ends must be separators
    others = len(table) * (fields - 1)
    has_feeds = separators == others and np.all(characters.take(table[:, -1]) == LINE_FEED)
    return table if has_feeds else None


def without_idle_lines(block: bytes) -> bytes:
    """Return a block without comments and blank lines."""
    return re.sub(rb"\n(?:[ \t\v\f]*+\n)++", b"\n", without_comments(block)).lstrip()


def without_comments(block: bytes) -> bytes:
    """Return a block without lines that begin with #."""
    return COMMENT.sub(b"", block) if b"#" in block and (block.startswith(b"#") or b"\n#" in block) else block


def collapse_whitespace(block: bytes) -> bytes:
    """Return a padded block without comments and blank lines, and with one space between fields."""
    content = without_comments(block)
    for other in (b"\v", b"\f"):
        content = content.replace(other, b" ")
    start, end = len(content) - len(content.lstrip(b" \n")), len(content.rstrip(b" \n"))
    # a view, because copies of the block and arrays as long as the block take much memory
    characters = np.frombuffer(content, np.uint8)[start:end]
    is_white = characters == BLANK
    is_white |= characters == LINE_FEED
    again = np.zeros(len(characters), bool)
    np.logical_and(is_white[1:], is_white[:-1], out=again[1:])
    del is_white
    is_feed = characters == LINE_FEED
    if np.any(again & is_feed) or np.any(again[1:] & is_feed[:-1]):
        # if whitespace contains a line feed, keep the line feed
        starts = np.flatnonzero((is_feed | (characters == BLANK)) & ~again)
        characters = characters.copy()
        characters[starts[np.searchsorted(starts, np.flatnonzero(is_feed), side="right") - 1]] = LINE_FEED
    del is_feed
    kept = characters[np.logical_not(again, out=again)]
    del content, characters, again
    return pad(kept.data)


def truncate_fields(block: bytes, fields: int | None = None) -> bytes:
    """Return a padded block without comments, blank lines, extra whitespace, and fields after the first `fields`."""
    most = -1 if fields is None else fields
    kept = (line for line in block.split(b"\n") if line and not line.startswith(b"#"))
    lines = (b" ".join(line.split(None, most)[:fields]) for line in kept)
    return pad(b"".join(line + b"\n" for line in lines if line))


def blocks_of(source: Source, declared: LineFields) -> Iterator[bytes]:
    """Yield blocks of whole lines of a file, except those with only whitespace."""
    for content in whole_lines(source, declared.name):
        if not content.isspace():
            yield content


def blocks_within_lines(source: Source, declared: LineFields) -> Iterator[bytes]:
    """Yield blocks of a file, which may begin and end within a line."""
    for block in sound_blocks(source, declared.name, piece_size()):
        yield b"\n" if block.isspace() and b"\n" in block else block


def block_columns(block: bytes, declared: LineFields, wanted: tuple[str, ...], source: Source) -> dict[str, Any] | None:
    """Return the wanted columns of a padded block: ids as Ids, others as numpy arrays; None if it has no line."""
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
        # some lines have extra fields at the end
        block = truncate_fields(given, len(declared.fields))
        ends = field_ends(block, exactly=True)
    if ends is not None and ends.shape[1] >= len(declared.fields):
        if has_more and not all(is_good(take_column(block, ends, declared, name)) for name in declared.wholes):
            refuse_ids_with_blanks(source, declared, wanted)
        if has_more and declared.word and any(map(is_number, column_of_words(block, ends, declared))):
            refuse_ids_with_blanks(source, declared, wanted)
        fields = {name: column_at(block, ends, declared.fields.index(name)) for name in wanted}
        # it takes much memory
        del ends
        read = {name: declared_values(column, declared, name) for name, column in fields.items()}
        if all(map(is_good, read.values())):
            return {name: as_declared(values, declared, name) for name, values in read.items()}
    raise first_fault(source, declared, wanted, partial(are_sound, declared=declared, wanted=wanted))


def are_sound(content: bytes, declared: LineFields, wanted: tuple[str, ...]) -> bool:
    """Return whether lines have exactly the declared fields, and the wanted ones are all valid."""
    block = pad(content)
    ends = field_ends(block) if is_utf8(block) else None
    if ends is None or ends.shape[1] != len(declared.fields):
        return False
    return all(is_good(take_column(block, ends, declared, name)) for name in wanted)


def column_of_words(block: bytes, ends: Ints, declared: LineFields) -> list[str]:
    """Return the strings of the field `word`."""
    return column_at(block, ends, declared.fields.index(declared.word)).texts()


def refuse_ids_with_blanks(source: Source, declared: LineFields, wanted: tuple[str, ...]) -> None:
    """Raise an error if an id contains whitespace.

    A rank that is not a number is ignored if ranks are not wanted. But if it is a part of an id, the rank would be read
    as the score.
    """
    if fault := next(line_faults(source, declared, wanted), None):
        raise fault


def as_declared(values: Floats, declared: LineFields, name: str) -> Any:
    """Return the values of a column, converted to whole numbers if they are declared so."""
    if name in declared.grades:
        return whole_if_all(values)
    return values.astype(np.int64) if name in declared.wholes + declared.naturals else values


def without_tabs(block: bytes, declared: LineFields, wanted: tuple[str, ...], source: Source) -> bytes:
    """Return a block with spaces instead of tabs; raise an error if it is not UTF-8."""
    if not is_utf8(block) and (fault := next(line_faults(source, declared, wanted), None)):
        raise fault
    return block.replace(b"\t", b" ") if b"\t" in block else block


def is_good(column: Ids | Floats) -> bool:
    """Return whether every row of a column could be read."""
    if isinstance(column, Ids):
        return column.longest <= LONGEST
    return not np.isnan(column).any()


def take_column(block: bytes, ends: Ints, declared: LineFields, name: str) -> Any:
    """Return one column of a regular block; a number that is invalid, or not whole if it must be, is NaN."""
    return declared_values(column_at(block, ends, declared.fields.index(name)), declared, name)


def column_at(block: bytes, ends: Ints, at: int) -> Ids:
    """Return the column of a regular block at this position, as Ids."""
    start = ends[:, at - 1] + 1 if at else np.concatenate(([len(PAD)], ends[:-1, -1] + 1))
    return Ids(block, start, ends[:, at].copy())


def declared_values(column: Ids, declared: LineFields, name: str) -> Any:
    """Return the values of a column as `take_column` does."""
    if name not in declared.numbers + declared.wholes + declared.naturals + declared.grades:
        return column
    values = numbers(column)
    return declared_numbers(with_grade_words(values, column) if name in declared.grades else values, declared, name)


def with_grade_words(values: Floats, column: Ids) -> Floats:
    """Return grades with words such as "vital" replaced by their numbers; other words stay NaN."""
    unread = np.flatnonzero(np.isnan(values))
    if not len(unread):
        return values
    words = [GRADE_WORDS.get(text.lower(), np.nan) for text in column[unread].texts()]
    values = values.copy()
    values[unread] = words
    return values


def declared_numbers(values: Floats, declared: LineFields, name: str) -> Floats:
    """Return numbers, with NaN for those that violate the declaration."""
    good = np.isfinite(values) if name in declared.numbers else is_whole(values)
    if name in declared.grades:
        good = np.abs(values) < WHOLE
    if name in declared.naturals:
        good &= values >= 0
    return values if good.all() else np.where(good, values, np.nan)


# Whole files.


def all_columns(
    source: Source,
    declared: LineFields,
    wanted: tuple[str, ...],
    refuse: Callable[[LineBlock, Source], None] | None = None,
    in_streaks: tuple[str, ...] = (),
) -> dict[str, Any] | None:
    """Return the wanted columns of a whole file; None if it has no line.

    `refuse` raises further errors about a block. In the columns `in_streaks`, equal neighbours are stored once.
    """

    def columns(block: LineBlock) -> dict[str, Any] | None:
        if refuse:
            refuse(block, source)
        read = block_columns(pad(block.content), declared, wanted, source)
        return read and read | {name: read[name].in_streaks() for name in in_streaks}

    # small blocks, because these fit into memory that was freed
    blocks = line_blocks(source, declared.name, piece_size())
    return joined_columns(list(filter(None, in_threads(columns, blocks))))


def joined_columns(blocks: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Concatenate the columns of several blocks; None if there are no blocks."""
    if len(blocks) < 2:
        return blocks[0] if blocks else None
    buffers = Buffers()
    parts = {name: [block[name] for block in blocks] for name in blocks[0]}
    return {
        name: Ids.concatenate(each, buffers) if isinstance(each[0], Ids) else np.concatenate(each)
        for name, each in parts.items()
    }
