"""The base class of line formats; each format declares the fields of its lines."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from assay.errors import InputError
from assay.files.line_blocks import numbered_lines
from assay.files.source import PIECES, Source
from assay.files.threads import in_threads
from assay.reading import lines
from assay.reading.format import NOTHING_MORE, Block, Format, Head, Held, Readable, Request, are_too_many
from assay.reading.recognition import every_format
from assay.tables.ids import Ints
from assay.tables.judgments import HighlightJudgments, Judgments
from assay.tables.places import Places
from assay.tables.run import Run, concatenate_runs
from assay.vocabulary import FileKind

# How many lines a check reads at once; it reads them one by one only if that fails.
CHUNK = 1 << 13


class LineFile(Format):
    """A format with one row per line, and fields separated by whitespace."""

    run_fields: ClassVar[lines.LineFields]
    judgments_fields: ClassVar[lines.LineFields | None] = None
    # The word for a result of this format, for errors about a run that mixes formats; empty if there is none.
    result: ClassVar[str] = ""

    @property
    def layouts(self) -> list[str]:
        """The fields of a line of a run, and of judgments."""
        return [" ".join(declared.fields) for declared in (self.run_fields, self.judgments_fields) if declared]

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Tell from the first lines whether a file is a run or judgments."""
        head = Head(source.head())
        if not head.first:
            raise source.fault("the input is empty; expected a run or judgments")
        return "judgments" if self.are_judgments(head) else "run"

    def are_judgments(self, head: Head) -> bool:
        """Return whether the first lines of a file in this format are judgments."""
        raise NotImplementedError

    def run_of(self, block: bytes, source: Source, request: Request) -> Run | None:
        """Return the part of a run in a padded block of lines; None if it has no line."""
        raise NotImplementedError

    def run_blocks(self, source: Source, request: Request = NOTHING_MORE) -> Iterator[Block]:
        """Yield a run as blocks of whole topics."""
        if request.gather:
            yield partial(self.gather_run, source, request)
            return
        read = partial(self.run_of, source=source, request=request)
        if request.in_pieces:
            pieces = lines.blocks_of(source, self.run_fields)
            yield from (partial(lines.read_joined, read, iter((block,))) for block in pieces)
            return
        settled = partial(self.trim_block, source=source, request=request)
        topics = lines.cut_by_topic(lines.blocks_within_lines(source, self.run_fields), settled, pieces=PIECES)
        yield from (partial(lines.read_joined, read, parts) for parts in topics)

    def gather_run(self, source: Source, request: Request) -> Run | None:
        """Return a whole run in one table; None if it has no line."""

        def packed(block: bytes) -> Run | None:
            run = self.run_of(lines.pad(block), source, request)
            return run and run.packed()

        runs = list(filter(None, in_threads(packed, lines.blocks_of(source, self.run_fields))))
        return concatenate_runs(runs) if runs else None

    def trim_block(self, block: bytes, source: Source, request: Request) -> bytes:
        """Return a block without comments and blank lines, to keep it in memory; raise an error if a line is wrong."""
        block = lines.without_idle_lines(block)
        self.run_of(lines.pad(block), source, request)
        return block

    def table_of(self, source: Source, kind: FileKind) -> Run | Judgments | None:
        """Return the table of a whole file, for a check."""
        if kind == "judgments":
            return self.judgments(source)
        return next(self.run_blocks(source, Request(ranks=True, gather=True)))()

    def readable(self, source: Source, kind: FileKind | None = None, request: Request = NOTHING_MORE) -> Readable[Any]:
        """Return the lines that can be read, and the faults of the others."""
        kind = kind or self.kind_of(source)
        kept, faults = self.kept_lines(source, kind)
        table = self.table_of(Held(source, [line for _, line in kept]) if faults else source, kind) if kept else None
        places = Places(source.label, lambda row: kept[row][0])
        rows, span_rows = self.lines_of(table) if isinstance(table, HighlightJudgments) else (None, None)
        return Readable(kind, table, places, faults, rows, span_rows)

    def lines_of(self, judgments: HighlightJudgments) -> tuple[Ints, Ints]:
        """Return the line of each judgment and of each highlighted span, counted among the lines that were read."""
        return np.arange(len(judgments)), judgments.highlights.row

    def kept_lines(self, source: Source, kind: FileKind) -> tuple[list[tuple[int, bytes]], list[InputError]]:
        """Return the lines that can be read, with their numbers, and the faults of the others."""
        given, faults = lines_with_numbers(source), list[InputError]()
        kept: list[tuple[int, bytes]] = []
        first = True
        declared = self.run_fields if kind == "run" or self.judgments_fields is None else self.judgments_fields
        while chunk := list(islice(given, CHUNK)):
            if are_too_many(faults, source, chunk[0][0]):
                break
            try:
                # read a chunk at a time, because a reader that finds a fault walks its source from the first line to
                # locate it
                self.table_of(Held(source, [line for _, line in chunk]), kind)
                kept += chunk
                first = False
            except InputError:
                for number, line in chunk:
                    fields = [field.decode(errors="surrogateescape") for field in line.split()]
                    if wrong := self.misfit(fields, declared):
                        help_too = lines.look_alike(fields, declared, source.label) if first else ""
                        faults.append(source.fault(wrong + help_too, number))
                    else:
                        kept.append((number, line))
                    first = False
        return kept, faults

    def misfit(self, fields: list[str], declared: lines.LineFields) -> str | None:
        """Return what is wrong with a line, also if it is a result of another format; None if nothing is."""
        wrong = declared.misfit(fields, declared.fields)
        if wrong and self.result and declared is self.run_fields:
            for other in self._others:
                if not other.run_fields.misfit(fields, other.run_fields.fields):
                    what = f"{other.result} in a run that begins with {self.result}"
                    return f"{what}; expected only one of these in a run"
        return wrong

    @cached_property
    def _others(self) -> list[LineFile]:
        return [each for each in every_format() if isinstance(each, LineFile) and each.result and each is not self]


def lines_with_numbers(source: Source) -> Iterator[tuple[int, bytes]]:
    """Yield every line that is neither blank nor a comment, with its number."""
    given = numbered_lines(source, "a run or judgments")
    return ((number, line) for number, line in given if not line.startswith(b"#"))
