"""What a file is, told from its first bytes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from importlib import import_module
from typing import cast

from assay import vocabulary
from assay.errors import UsageError
from assay.files.line_blocks import archive_fault
from assay.files.source import STDIN, Source
from assay.reading.format import Format, Head
from assay.reading.numbers import is_number

# The formats of the vocabulary as objects: each is FORMAT in the module of its name, loaded when it is asked for.


def format_named(name: str) -> Format:
    """The format of a name."""
    if name not in vocabulary.FORMATS:
        raise UsageError(f"unknown format {name!r}; choose from {', '.join(vocabulary.FORMATS)}")
    loaded: Format = import_module(f"assay.reading.formats.{name}").FORMAT
    return loaded


def every_format() -> Iterator[Format]:
    """All formats, in the order of the vocabulary."""
    return map(format_named, vocabulary.FORMATS)


# Two lines as nearly all files begin, and none but TREC's, unless a colon tells of passages further down. The modules
# of other formats need not be loaded then.
TREC_LINES: dict[vocabulary.FileKind, re.Pattern[bytes]] = {
    "run": re.compile(rb'(?:[\w.-]+ +Q0 +[^\s,"]+ +[0-9]+ +[-+.0-9eE]+ +[^\s,"]+ *\r?\n){2}'),
    "judgments": re.compile(rb'(?:[\w.-]+ +(?:0|Q0) +[^\s,"]+ +-?[0-9]+ *\r?\n){2}'),
}

# Formats of JSON, whose files begin with a bracket. Of other files their modules need not be loaded.
BRACKETS = b"{", b"["
JSON = {
    "jsonl", "json", "doccano", "label_studio", "ragas", "clapnq", "legalbench", "squad", "kilt", "hotpot", "qasper",
    "bioasq", "nuggets", "trec_rag", "web_annotation",
}  # fmt: skip


def recognise(source: Source, kind: vocabulary.FileKind | None = None) -> Format:
    """The format of a file, from its first bytes, or of a folder; `kind` says what is expected there. It is found out
    once.
    """
    known = ("format", kind)
    if known not in source.known:
        source.known[known] = recognise_anew(source, kind)
    return cast(Format, source.known[known])


def recognise_anew(source: Source, kind: vocabulary.FileKind | None) -> Format:
    """The format of a file that was not looked at before."""
    if in_folder := recognise_folder(source.path, kind):
        return in_folder
    content = source.head()
    if kind and b":" not in content and TREC_LINES[kind].match(content):
        return format_named("trec")
    if archived := archive_fault(source, content):
        raise archived
    head = Head(content)
    is_json = head.stripped.startswith(BRACKETS)
    formats = (format_named(name) for name in reversed(vocabulary.FORMATS) if is_json or name not in JSON)
    told = next((each for each in formats if each.recognises(head, kind)), format_named(vocabulary.FORMATS[0]))
    return format_named("csv") if told.layouts and source.is_csv_by_name and is_sheet(head) else told


def is_sheet(head: Head) -> bool:
    """Whether a file begins as the table of a spreadsheet, whose columns may have names that nobody knows, and not with
    the fields of a line, of which one is a number.
    """
    if any(map(is_number, head.fields)):
        return False
    # a title may be above the names of the columns, which is reported when they are read
    return bool(head.names_between(head.comma)) or is_title(head)


def is_title(head: Head) -> bool:
    """Whether the first line has no columns, and the next has names of some."""
    below = Head("\n".join(head.first_lines[1:]).encode())
    return not head.names_between(head.comma) and below.has_header(below.comma)


def recognise_folder(path: str, kind: vocabulary.FileKind | None = None) -> Format | None:
    """The format of the files in a folder; None if the path is none of a folder, or nothing in it is known."""
    if path == STDIN or not os.path.isdir(path):
        return None
    known = (each for each in every_format() if kind is None or kind in each.folders_hold)
    return next((each for each in known if each.is_folder(path)), None)
