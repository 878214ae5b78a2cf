"""INEX's runs of XML elements as text: `topic Q0 document rank score tag path`, or a range of elements with its last one behind.

What characters an element has is known from the documents only; where they are given, the results get their places too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, quoted
from assay.files.source import Source
from assay.formats import lines
from assay.tables.ids import Bools, Ids
from assay.tables.run import Run

if TYPE_CHECKING:
    from assay.documents.documents import Documents

# A file, a line of it if that is known, and the first words of an error there.
Where = tuple[str, int | None, str]
ONE_AT_A_TIME = Lock()
SLASH = ord("/")
NONE = "-"


class ElementLines(lines.LineFormat):
    """A run of elements. The last element of a range may be missing, which is an element alone."""

    def misfit(self, found: list[str], wanted: tuple[str, ...]) -> str | None:
        """What is wrong with the fields of one line, if anything."""
        alone = self is RANGES and len(found) < len(RANGES.fields)
        return ELEMENTS.misfit(found, wanted) if alone else super().misfit(found, wanted)

    def wrong_value(self, field: str, value: str) -> str | None:
        """What is wrong with the value of a field, if anything."""
        if field in ("path", "last") and not value.startswith("/") and (field, value) != ("last", NONE):
            what = "path" if field == "path" else "last path"
            return f"{what} {quoted(value)} does not begin with /, as in /article[1]/sec[2]"
        return super().wrong_value(field, value)


FIELDS = ("topic", "Q0", "document", "rank", "score", "tag", "path")
ELEMENTS = ElementLines("a run of elements", FIELDS, numbers=("score",), wholes=("rank",))
RANGES = ElementLines("a run of elements", (*FIELDS, "last"), numbers=("score",), wholes=("rank",))


def run_blocks(source: Source, gather: bool, documents: Documents | None = None) -> Iterator[Callable[[], Run | None]]:
    """A run, some whole topics at a time, each to be read by calling it."""
    for block in lines.topic_blocks(source, gather):
        yield partial(run_of, block, source, documents)


def run_of(block: bytes, source: Source, documents: Documents | None = None) -> Run | None:
    """The part of a run that a block holds; None where it has no line."""
    block = lines.plain(block, ELEMENTS, ELEMENTS.fields, source)
    table = None if b"\n#" in block else lines.fences(block)
    form = ELEMENTS if table is not None and table.shape[1] == len(FIELDS) else RANGES
    if table is None:
        block = widened(block)
    found = lines.columns(block, form, ("topic", "document", "rank", "score", *form.fields[6:]), source)
    if not found:
        return None
    last = found.get("last")
    if not (begins(found["path"]).all() and (last is None or np.all(begins(last) | is_none(last)))):
        raise next(lines.faults(source, form, form.fields), source.fault("changed while it was read"))
    if last is not None:
        found["last"] = Ids(last.buffer, last.start, np.where(is_none(last), last.start, last.end))
    run = Run(source.label, places=lines.places(source, ELEMENTS), **found, by_rank=True)
    return located(run, documents, partial(line_of, source))


def widened(block: bytes) -> bytes:
    """A padded block in which every line of an element has the mark of no last element, so that all lines are of one kind."""
    lines_of = (line.split(None, len(RANGES.fields)) for line in block.split(b"\n") if not line.startswith(b"#"))
    wide = ([*line, NONE.encode()] if len(line) == len(FIELDS) else line for line in lines_of if line)
    return lines.padded(b"".join(b" ".join(line) + b"\n" for line in wide))


def begins(paths: Ids) -> Bools:
    """Which of the paths begin with a slash."""
    return np.frombuffer(paths.buffer, np.uint8)[paths.start] == SLASH


def is_none(paths: Ids) -> Bools:
    """Which of the paths are the mark of no path."""
    return (np.frombuffer(paths.buffer, np.uint8)[paths.start] == ord(NONE)) & (paths.length == 1)


def line_of(source: Source, run: Run, row: int) -> int | None:
    """The line of a file on which a row of a run stands."""
    assert run.path is not None
    wanted = [ids[row : row + 1].texts()[0] for ids in (run.topic, run.document, run.path)]
    found = (number for number, fields in lines.walk(source) if [fields[0], fields[2], fields[6]] == wanted)
    return next(found, None)


def located(run: Run, documents: Documents | None, line: Callable[[Run, int], int | None]) -> Run:
    """The run with the characters of its elements, where the documents are given."""
    if documents is None or run.path is None or run.start is not None:
        return run
    lasts = () if run.last is None else (run.last.texts(),)
    where = Lines(run, line)
    start, end = resolved(documents.spans, where, run.document.texts(), run.path.texts(), *lasts)
    return replace(run, start=start, end=end)


class Lines:
    """Where the rows of a run are: the name of the run, the line of a row, or what else can be said of it."""

    def __init__(self, run: Run, line: Callable[[Run, int], int | None]):
        self.run, self.line = run, line

    def __getitem__(self, row: int) -> Where:
        number = self.line(self.run, row)
        return self.run.name, number, "" if number else f"result {row + 1}: "


def resolved(find: Callable[..., Any], where: Lines | list[Where], *columns: list[str]) -> Any:
    """What the documents tell of some rows; `where` tells the file, the line and the first words of an error about a row."""
    try:
        # blocks of a run are read in threads, the documents once
        with ONE_AT_A_TIME:
            return find(*columns)
    except InputError as error:
        row = getattr(error, "row", None)
        if row is None:
            raise
        label, line, words = where[row]
        raise InputError(words + error.what, label, line) from None
