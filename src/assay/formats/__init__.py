"""Reading runs and judgments: from files of any known format, recognised by their content, or from objects in memory."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, TypeVar

from assay.errors import InputError, UsageError, listed
from assay.formats import lines, trec
from assay.formats.numbers import is_number
from assay.formats.source import STDIN, Source
from assay.tables import Judgments, Run

Block = Callable[[], Run | None]
Rows = TypeVar("Rows", Run, Judgments)
TREC = "trec"
FORMATS = {"csv": "read_csv", "tsv": "read_tsv", "jsonl": "read_json_lines", "parquet": "read_parquet"}
# The usual names of columns, the same in every format that has names.
NAMES = {
    "topic": ("topic", "topic_id", "query", "query_id", "query-id", "qid", "q_id"),
    "document": ("document", "document_id", "doc", "doc_id", "docno", "docid", "did", "corpus-id", "corpus_id", "pid",
                 "passage", "passage_id", "chunk", "chunk_id"),
    "score": ("score", "sim", "similarity"),
    "rank": ("rank",),
    "grade": ("grade", "relevance", "rel", "label", "judgment", "score"),
}


def column(names: list[str], field: str) -> str | None:
    """Which of a table's columns holds a field, whatever its usual name there."""
    known = {name.lower().strip(): name for name in reversed(names)}
    return next((known[name] for name in NAMES[field] if name in known), None)


def recognise(source: Source) -> str:
    """The format of a file, from its first bytes."""
    head = source.head()
    # text may begin with these four letters too
    if head.startswith(b"PAR1") and b"\0" in head:
        return "parquet"
    head = head.lstrip()
    if head.startswith(b"#"):
        return TREC
    if re.match(rb'[{[]\s*["{[]', head):
        return "jsonl"
    first = head.split(b"\n", 1)[0].split(b"\r", 1)[0].decode(errors="replace")
    return next((name for name, separator in (("csv", ","), ("tsv", "\t")) if is_header(first.split(separator))), TREC)


def is_header(parts: list[str]) -> bool:
    """Whether the parts of a line are the names of columns: some are known, and none is a number."""
    names = [part.strip().strip('"') for part in parts]
    return len(names) > 1 and any(column(names, field) for field in NAMES) and not any(map(is_number, names))


def run_blocks(given: Any, name: str | None = None, form: str | None = None, **options: bool) -> Iterator[Block]:
    """A run, some whole topics at a time, each read when it is called: a path, `-` for standard input, or an object in memory."""
    if isinstance(given, Run):
        yield lambda: given.named(name) if name else given
    elif not is_file(given):
        yield lambda: not_empty(lazily("memory").table(given, "run", name or "run", options.get("ranks", False)))
    else:
        source, form = given if isinstance(given, Source) else Source(given), known(form)
        if not source.head():
            raise source.fault("is empty; expected a run")
        yield from _file_blocks(source, form or recognise(source), **options)


def _file_blocks(source: Source, form: str, ranks: bool = False, gather: bool = False) -> Iterator[Block]:
    if form == TREC:
        yield from trec.run_blocks(source, ranks, gather)
    else:
        yield lambda: not_empty(lazily("frames").run(*read_frame(source, form), ranks))


def read_run(given: Any, name: str | None = None, form: str | None = None) -> Run:
    """A whole run in one table, with its rank column where it has one."""
    run = next(run_blocks(given, name, form, ranks=True, gather=True))()
    if run is None:
        raise (given if isinstance(given, Source) else Source(given)).fault("is empty; expected a run")
    return run.named(name) if name else run


def read_judgments(given: Any, form: str | None = None) -> Judgments:
    """Judgments: a path, `-` for standard input, or an object in memory."""
    if isinstance(given, Judgments):
        return given
    if not is_file(given):
        in_memory: Judgments = lazily("memory").table(given, "judgments", "judgments")
        return not_empty(in_memory)
    source, form = given if isinstance(given, Source) else Source(given), known(form)
    if not source.head():
        raise source.fault("is empty; expected judgments")
    form = form or recognise(source)
    if form == TREC:
        return trec.judgments(source)
    in_columns: Judgments = lazily("frames").judgments(*read_frame(source, form))
    return not_empty(in_columns)


def read_frame(source: Source, form: str, broken: list[InputError] | None = None) -> tuple[Any, str, Any]:
    """A file with named columns as a frame, its name, and the line of each of its rows; `broken` takes the faults of the others."""
    frame, line = getattr(lazily("records"), FORMATS[form])(source, broken)
    return frame, source.label, line


def not_empty(table: Rows) -> Rows:
    """The table, unless it has no rows."""
    if not len(table):
        raise InputError("is empty; expected " + ("a run" if isinstance(table, Run) else "judgments"), table.name)
    return table


def lazily(module: str) -> Any:
    """A module of this package, loaded where it is used: TREC's files, the most common, need no other."""
    return import_module(f"assay.formats.{module}")


def is_file(given: Any) -> bool:
    """Whether a run or judgments were given by path."""
    return isinstance(given, str | os.PathLike | Source)


def known(form: str | None) -> str | None:
    """A format's name, if it is one."""
    if form is not None and form not in (TREC, *FORMATS):
        raise UsageError(f"unknown format {form!r}; known are {listed([TREC, *FORMATS])}")
    return form


__all__ = [
    "FORMATS",
    "NAMES",
    "STDIN",
    "TREC",
    "Block",
    "Source",
    "column",
    "is_file",
    "known",
    "lines",
    "read_frame",
    "read_judgments",
    "read_run",
    "recognise",
    "run_blocks",
    "trec",
]
