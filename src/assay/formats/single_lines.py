"""Lines one by one, which takes long: what is wrong with one, and where a row stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from assay.errors import InputError
from assay.files.line_blocks import line_blocks
from assay.files.source import Source
from assay.formats.line_fields import LineFields, refused_grade, wrong_whole
from assay.tables.ids import encoded_text
from assay.tables.places import Finder, Place


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
    return next(line_faults(source, declared, wanted, are_sound), source.fault("changed while it was read"))


def look_alike(fields: list[str], declared: LineFields) -> str:
    """A word of help where the first line of a file belongs to the other kind of file."""
    if declared.like_judgments and ((len(fields) == 4 and not refused_grade(fields[3])) or is_highlighted(fields)):
        return "; these look like judgments: they are given first, the runs after them"
    if len(fields) == 1 and fields[0].count(",") > 1:
        return "; this looks like CSV, whose first line must name its columns, as in topic,document,score"
    if len(fields) == 1 and fields[0].count("|") > 1:
        return "; this looks like a table with | between values; expected commas, semicolons or tabs"
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
