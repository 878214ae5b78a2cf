"""INEX's files of passages: runs, and judgments with highlighted text.

A line of a run is `topic Q0 document rank score tag offset length`. A line of judgments is `topic Q0 document rsize
length`. If text is highlighted, the best entry point and the passages follow: `bep offset:length offset:length ...`.
FOL means file, offset, length. Offsets count the characters of a document from 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import quote
from assay.files.source import Source
from assay.reading import format as base
from assay.reading import lines
from assay.reading.columns import passage_columns
from assay.reading.line_files import LineFile
from assay.reading.numbers import numbers
from assay.tables.ids import Floats, Ids, Ints
from assay.tables.judgments import HighlightJudgments, Highlights, Judgments
from assay.tables.run import Run, SpanRun
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

COLON = ord(":")
HIGHLIGHTED = rb"(?m)^[ \t\v\f]*(\S+[ \t\v\f]+){3}(-?[0-9]+[ \t\v\f]+){3}[0-9]+:[0-9]+(\s|$)"
UNKNOWN = ("X", "x", "-1")
NOT_KNOWN = (
    "means that the result has no known offset; `assay inex_eval` counts such a result as 18 characters, "
    "as the official program does"
)


class PassageRun(lines.LineFields):
    """A line of a run of passages; an offset of X or -1 means that it is not known."""

    def wrong_value(self, field: str, value: str) -> str | None:
        """Return what is wrong with the value of a field; None if nothing is."""
        if field == "offset" and value in UNKNOWN:
            return f"{field} {quote(value)} {NOT_KNOWN}"
        return super().wrong_value(field, value)


class PassageJudgments(lines.LineFields):
    """A line of judgments that ends with any number of passages."""

    def misfit(self, values: list[str], wanted: tuple[str, ...]) -> str | None:
        """Return what is wrong with the fields of one line; None if nothing is."""
        if wrong := super().misfit(values, wanted):
            return wrong
        entry, passages = values[5:6], values[6:]
        if entry and entry != ["-1"] and (why := lines.wrong_natural(entry[0])):
            return f"bep {quote(entry[0])} is {why}"
        if wrong := next(filter(None, map(wrong_passage, passages)), None):
            return wrong
        has_text = any(float(passage.partition(":")[2]) for passage in passages)
        return None if has_text or float(values[3]) == 0 else f"rsize is {values[3]} but no passage is highlighted"


def wrong_passage(passage: str) -> str | None:
    """Return why a string is not a passage; None if it is one."""
    offset, colon, length = passage.partition(":")
    if not colon or lines.wrong_natural(offset) or lines.wrong_natural(length):
        return f"passage {quote(passage)} is not two whole numbers offset:length"
    return None


RUN = PassageRun(
    "a run of passages", ("topic", "Q0", "document", "rank", "score", "tag", "offset", "length"),
    numbers=("score",), wholes=("rank",), naturals=("offset", "length"), like_judgments=True,
)  # fmt: skip
QRELS = PassageJudgments(
    "judgments of passages", ("topic", "Q0", "document", "rsize", "length"), naturals=("rsize", "length")
)


class Fol(LineFile):
    """Passages of documents, in the format of INEX. A run of passages has eight fields.

    - Offsets count the characters of the text from 0; a result ends at offset + length. Assay refuses an offset of `X`
      or `-1`, which means that the offset is not known; `assay inex_eval` counts it as the official program does.
    - The rank gives the order; the score orders equal ranks.

    Judgments have one line per judged document: how many of its characters are highlighted (`rsize`), and its length.
    If any are highlighted, the best entry point and the passages follow: `bep offset:length offset:length ...`.
    """

    name = "fol"
    title = "Passages: file, offset, length"
    writes_runs_of = ("spans",)
    writes_judgments = True
    run_fields = RUN
    judgments_fields = QRELS
    result = "a passage"
    by_rank = True

    def recognises(self, head: base.Head, kind: FileKind | None) -> bool:
        """Recognise judgments with highlighted text, or a run with an offset and a length after the tag."""
        if not head.first:
            return False
        is_run = len(head.fields) > 7 and all(map(base.reads_place, head.fields[6:8]))
        return has_highlights(head) or (kind != "judgments" and is_run)

    def are_judgments(self, head: base.Head) -> bool:
        """Return whether text is highlighted."""
        return has_highlights(head)

    def run_of(self, block: bytes, source: Source, request: base.Request) -> Run | None:
        """Return the part of a run in a padded block of lines; None if it has no line."""
        return passages_of(block, source)

    def judgments(self, source: Source, request: base.Request = base.NOTHING_MORE) -> Judgments:
        """Return judgments with highlighted text, one row per line."""
        return highlighted_lines(source)

    def readable(
        self, source: Source, kind: FileKind | None = None, request: base.Request = base.NOTHING_MORE
    ) -> base.Readable[Any]:
        """Return the lines that can be read; a line has all judgments of a document."""
        return replace(super().readable(source, kind, request), once=True)

    def run_content(self, columns: base.Columns, name: str, tag: str) -> bytes:
        """Return the bytes of a file with a run of passages."""
        places = (f" {start} {length}" for start, length in zip(columns["start"], columns["length"], strict=True))
        return base.run_lines(columns, name, tag, RUN.name, places)

    def judgments_content(self, judgments: Judgments, documents: DocumentCollection | None) -> bytes:
        """Return the bytes of a file with judgments of passages."""
        columns = passage_columns(judgments, documents, self.name)
        base.refuse_in_lines(columns, QRELS.name, judgments.name)
        fields = ("topic", "document", "rsize", "length", "bep", "passages")
        return base.content_of_lines(map(judged_line, *(columns[field] for field in fields)), judgments.name)


def judged_line(topic: str, document: str, rsize: int, length: int, entry: int, passages: list[tuple[int, int]]) -> str:
    """Return the line of a judged document."""
    spans = "".join(f" {start}:{end - start}" for start, end in passages)
    return f"{topic} Q0 {document} {rsize} {length}" + (f" {entry}{spans}" if spans else "")


def has_highlights(head: base.Head) -> bool:
    """Return whether lines are judgments with highlighted text: one has a passage, or all say that nothing is."""
    if b":" in head.content and re.search(HIGHLIGHTED, head.unix):
        return True
    barren = list(takewhile(is_not_highlighted, head.lines()))
    # the last line may be cut off
    return bool(barren) and len(barren) >= sum(1 for _ in head.lines()) - 1


def is_not_highlighted(line: str) -> bool:
    """Return whether a line is a judgment which says that no text is highlighted."""
    fields = base.fields_of(line)
    return len(fields) == 5 and fields[1].upper() == "Q0" and fields[3] == "0" and base.reads_whole(fields[4])


def passages_of(block: bytes, source: Source, declared: lines.LineFields = RUN) -> SpanRun | None:
    """Return the part of a run of passages in a padded block of lines; None if it has no line."""
    taken = lines.block_columns(block, declared, ("topic", "document", "rank", "score", "offset", "length"), source)
    if not taken:
        return None
    start, length = taken.pop("offset"), taken.pop("length")
    return SpanRun(
        source.label, places=lines.finder(source, declared), **taken, start=start, end=start + length, by_rank=True
    )


@dataclass(frozen=True, eq=False, repr=False)
class Fields:
    """All fields of a block: their starts and ends, and for each line its first field and the number of its fields."""

    block: bytes
    start: Ints
    end: Ints
    first: Ints
    count: Ints

    def take(self, fields: Ints) -> Ids:
        """Return some of the fields as a column."""
        return Ids(self.block, self.start[fields], self.end[fields])


def highlighted_lines(source: Source) -> HighlightJudgments:
    """Return judgments with highlighted text, one row per line."""
    blocks, before = [], 0
    for content in lines.blocks_of(source, QRELS):
        if block := judged_of(lines.pad(content), source):
            blocks.append(block | {"row": block["row"] + before})
            before += len(block["grade"])
    taken = lines.joined_columns(blocks)
    if not taken:
        raise source.fault("the input is empty; expected judgments")
    highlights = Highlights(**{name: taken[name] for name in ("row", "start", "end", "length", "entry", "rsize")})
    judged = {name: taken[name] for name in ("topic", "document", "grade")}
    return HighlightJudgments(source.label, places=lines.finder(source, QRELS), **judged, highlights=highlights)


def judged_of(block: bytes, source: Source) -> dict[str, Any] | None:
    """Return the columns of the judgments in a padded block, and of their highlights; None if it has no line."""
    block = lines.without_tabs(block, QRELS, QRELS.fields, source)
    tidy = not any(mark in block for mark in (b"\n#", b"\v", b"\f"))
    fields = (ragged_fields(block) if tidy else None) or ragged_fields(lines.truncate_fields(block))
    if fields is None:
        return None
    taken = judgment_fields(fields) if fields.count.min() >= len(QRELS.fields) else None
    if taken is None:
        raise lines.first_fault(source, QRELS, QRELS.fields)
    return taken


def ragged_fields(block: bytes) -> Fields | None:
    """Return the fields of a padded block whose lines may have any number of them.

    None if it is empty, or if more than one space is between fields.
    """
    characters = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero((characters == lines.BLANK) | (characters == lines.LINE_FEED))
    pad = len(lines.PAD)
    ends = ends[pad - 1 : len(ends) - pad + (block[-pad - 1] != lines.LINE_FEED)]
    start, end = ends[:-1] + 1, ends[1:]
    if not len(start) or np.any(start == end):
        return None
    last = np.flatnonzero(characters[end] == lines.LINE_FEED)
    first = np.concatenate(([0], last[:-1] + 1))
    return Fields(block, start, end, first, last - first + 1)


def judgment_fields(fields: Fields) -> dict[str, Any] | None:
    """Return the columns of judgments; None if something is wrong."""
    topic, document = fields.take(fields.first), fields.take(fields.first + 2)
    rsize, length = (numbers(fields.take(fields.first + at)) for at in (3, 4))
    entry = np.full(len(topic), -1.0)
    has_entry = fields.count > 5
    entry[has_entry] = numbers(fields.take(fields.first[has_entry] + 5))
    passages = np.maximum(fields.count - 6, 0)
    row = np.repeat(np.arange(len(topic)), passages)
    place = np.arange(len(row)) - np.repeat(np.cumsum(passages) - passages, passages) + 6
    spans = split(fields.take(np.repeat(fields.first, passages) + place))
    if spans is None:
        return None
    start, size = spans
    good = [is_natural(column).all() for column in (rsize, length, entry + (entry == -1), start, size)]
    short = max(int(ids.length.max()) for ids in (topic, document)) <= lines.LONGEST
    # published files have passages of length 0, which highlight nothing
    has_text = size > 0
    row, start, size = row[has_text], start[has_text], size[has_text]
    grade = np.minimum(np.bincount(row, minlength=len(topic)), 1)
    if not (all(good) and short and np.all((rsize == 0) | (grade > 0))):
        return None
    first, behind, *facts = (column.astype(np.int64) for column in (start, start + size, length, entry, rsize))
    highlights = {
        "row": row,
        "start": first,
        "end": behind,
        **dict(zip(("length", "entry", "rsize"), facts, strict=True)),
    }
    return {"topic": topic, "document": document, "grade": grade} | highlights


def is_natural(values: Floats) -> Any:
    """Return which numbers are whole, not negative, and have at most 15 digits."""
    return lines.is_whole(values) & (values >= 0)


def split(passages: Ids) -> tuple[Any, Any] | None:
    """Return the numbers before and after the colon of each passage; None if one does not have exactly one colon."""
    characters = np.frombuffer(passages.buffer, np.uint8)
    colons = np.append(np.flatnonzero(characters == COLON), [len(characters)] * 2)
    nearest = np.searchsorted(colons, passages.start)
    colon = colons[nearest]
    if np.any(colon >= passages.end) or np.any(colons[nearest + 1] < passages.end):
        return None
    before, behind = Ids(passages.buffer, passages.start, colon), Ids(passages.buffer, colon + 1, passages.end)
    return numbers(before), numbers(behind)


FORMAT = Fol()
