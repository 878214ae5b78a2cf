"""Recognise the format of a file from its first bytes."""

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
from assay.tables.column_names import NAMES

# Each format is the object FORMAT in the module of its name, and is imported when it is first needed.


def format_named(name: str) -> Format:
    """Return the format with this name."""
    if name not in vocabulary.FORMATS:
        raise UsageError(f"unknown format {name!r}; choose from {', '.join(vocabulary.FORMATS)}")
    loaded: Format = import_module(f"assay.reading.formats.{name}").FORMAT
    return loaded


def every_format() -> Iterator[Format]:
    """Yield all formats, in the order of the vocabulary."""
    return map(format_named, vocabulary.FORMATS)


# Two lines as nearly all files begin. Only TREC's files begin so, unless a colon further down belongs to a passage. If
# they match, the modules of other formats need not be imported.
TREC_LINES: dict[vocabulary.FileKind, re.Pattern[bytes]] = {
    "run": re.compile(rb'(?:[\w.-]+ +Q0 +[^\s,"]+ +[0-9]+ +[-+.0-9eE]+ +[^\s,"]+ *\r?\n){2}'),
    "judgments": re.compile(rb'(?:[\w.-]+ +(?:0|Q0) +[^\s,"]+ +-?[0-9]+ *\r?\n){2}'),
}

# Formats in JSON, whose files begin with a bracket. For other files their modules need not be imported.
BRACKETS = b"{", b"["
JSON = {
    "jsonl", "json", "doccano", "label_studio", "ragas", "clapnq", "legalbench", "squad", "kilt", "hotpot", "qasper",
    "bioasq", "nuggets", "trec_rag", "web_annotation",
}  # fmt: skip


# How files begin that are neither runs nor judgments, what they are, and what to do with them. They are compiled when a
# file is not in one of the usual formats.
EXPORT = "save a table as CSV, or a text as plain text"
SAVED_SCORES = rb'\s*\{\s*"assay"\s*:'
# A column whose values have the numbers of rows as names, as df.to_json() of pandas writes it.
COLUMNS = "|".join(name for what in ("topic", "document", "text", "start") for group in NAMES[what] for name in group)
BY_COLUMN = rb'\s*\{\s*"(?:%s)"\s*:\s*\{\s*"0"\s*:' % COLUMNS.encode()
OTHER_FILES = (
    (rb"%PDF-", "a PDF", "extract its text, for example with pdftotext"),
    (rb"(?s)PK\x03\x04.*\[Content_Types\]\.xml", "a file of Microsoft Office", EXPORT),
    (rb"(?s)PK\x03\x04.{26}mimetypeapplication/vnd\.oasis", "a file of LibreOffice", EXPORT),
    (rb'\s*\{\s*"cells"\s*:', "a Jupyter notebook", "pass a run, judgments or texts"),
    (rb"\x89PNG|\xff\xd8\xff|GIF8", "a picture", "pass a text"),
    (rb"(?i)\s*<(?:!doctype html|html|svg)", "an HTML page or a drawing", "pass a run, judgments or texts"),
    (BY_COLUMN, "a frame of pandas by columns", 'write it with df.to_json(orient="records")'),
    (SAVED_SCORES, "a file of saved scores", "pass it as scores="),
)


def fault_of_other_file(head: bytes) -> str:
    """Return why a file that begins like this is neither a run nor judgments; empty if it may be one."""
    known = (f"this is {what}; {instead}" for begins, what, instead in OTHER_FILES if re.match(begins, head))
    return next(known, "")


def recognise(source: Source, kind: vocabulary.FileKind | None = None) -> Format:
    """Return the format of a file or folder; `kind` is the kind expected there. The answer is cached in the source."""
    known = ("format", kind)
    if known not in source.known:
        source.known[known] = recognise_anew(source, kind)
    return cast(Format, source.known[known])


def recognise_anew(source: Source, kind: vocabulary.FileKind | None) -> Format:
    """Return the format of a file or folder, without the cache."""
    if in_folder := recognise_folder(source.path, kind):
        return in_folder
    content = source.head()
    if kind and b":" not in content and TREC_LINES[kind].match(content):
        return format_named("trec")
    if other := fault_of_other_file(content):
        raise source.fault(other)
    if archived := archive_fault(source, content):
        raise archived
    head = Head(content)
    is_json = head.stripped.startswith(BRACKETS)
    formats = (format_named(name) for name in reversed(vocabulary.FORMATS) if is_json or name not in JSON)
    told = next((each for each in formats if each.recognises(head, kind)), format_named(vocabulary.FORMATS[0]))
    named = source.table_by_name
    return format_named(named) if told.layouts and named and is_sheet(head, named) else told


def is_sheet(head: Head, named: str) -> bool:
    """Return whether a `csv` or `tsv` file begins like the table of a spreadsheet, maybe with unknown column names.

    The lines of other formats have a number among their fields.
    """
    if any(map(is_number, head.fields)):
        return False
    # a title may be above the column names; the reader reports it
    below = Head("\n".join(head.first_lines[1:]).encode())
    comma, comma_below = (head.comma, below.comma) if named == "csv" else ("\t", "\t")
    return len(head.fields) == 1 or bool(head.names_between(comma)) or below.has_header(comma_below)


def recognise_folder(path: str, kind: vocabulary.FileKind | None = None) -> Format | None:
    """Return the format of the files in a folder; None if the path is not a folder or no format knows its files."""
    if path == STDIN or not os.path.isdir(path):
        return None
    known = (each for each in every_format() if kind is None or kind in each.folders_hold)
    return next((each for each in known if each.is_folder(path)), None)
