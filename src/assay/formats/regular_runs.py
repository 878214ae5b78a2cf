"""Runs in tables whose lines all look alike: a block of lines is a table of bytes, as lines.py lays it out, and need
not become a frame to be read.

A block that is no such table, as it has blank lines or lacks a value, becomes a frame as all others do; and so does all
that follows a block of which it is not known where rows end. What is wrong with a file is told by the reader of frames.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any, Protocol

import numpy as np

from assay.errors import InputError
from assay.files.line_blocks import LineBlock
from assay.files.source import Source
from assay.formats import frames, lines
from assay.formats.chosen_columns import ChosenColumns
from assay.formats.format import Block, Request
from assay.formats.frames import TableRows
from assay.tables.places import Place, Places
from assay.tables.run import Run

# What a run of whole documents may have.
FIELDS = {"topic", "document", "score", "rank"}


class BlockRows(Protocol):
    """Rows of a file that are read from blocks of lines."""

    source: Source
    names: list[str]

    def row_blocks(self) -> Iterator[LineBlock]:
        """Blocks of whole rows."""

    def frames(self, names: list[str], blocks: Iterator[LineBlock] | None = None) -> Iterator[Any]:
        """Some columns of all rows, or of those in some blocks, as frames."""

    def line(self, row: int, since: int = 0) -> int:
        """The line of a row, counted among those on some line or behind it."""

    def pairs(self, topic: str, document: str) -> Iterator[tuple[int, tuple[Any, Any]]]:
        """The values of two columns of each row, and its line."""

    def table(self) -> TableRows:
        """All rows, and their lines."""


class RegularRun:
    """A run of whole documents in a file of which at least the first block of lines is a table of bytes."""

    def __init__(self, rows: BlockRows, chosen: ChosenColumns, request: Request):
        self.rows, self.chosen, self.request = rows, chosen, request
        self._rest: Iterator[LineBlock] | None = None

    def at_once(self, block: bytes) -> dict[str, Any] | None:
        """The columns of a padded block by field; None where it is no table, or something may be wrong with it."""
        raise NotImplementedError

    def topic_of(self, line: bytes) -> list[bytes]:
        """The topic of a line; the same of any two lines that have the same."""
        raise NotImplementedError

    def can_be_cut(self, block: LineBlock) -> bool:
        """Whether each line of a block is a row."""
        return True

    @property
    def is_possible(self) -> bool:
        """Whether the results are whole documents, and the first rows can be read in this way."""
        fields = self.chosen.fields.keys()
        if self.request.gather or not fields <= FIELDS or len(self.chosen.names) < len(fields):
            return False
        first = next(self.rows.row_blocks(), None)
        return first is not None and self.can_be_cut(first) and self.at_once(lines.padded(first.content)) is not None

    def blocks(self) -> Iterator[Block]:
        """The run, some whole topics at a time; or, if it is asked for in pieces, as it is read."""
        if not self.is_possible:
            yield from frames.chosen_blocks(self.rows.table(), self.chosen, self.request)
            return
        blocks = self._regular()
        whole = ((block,) for block in blocks)
        for parts in whole if self.request.in_pieces else lines.cut_by_topic(blocks, self._settled, self.topic_of):
            yield partial(lines.read_joined, self.run_of, parts)
        if self._rest is not None:
            first = next(self._rest)
            places = Places(self.rows.source.label, partial(self.rows.line, since=first.line))
            rest = TableRows(self.rows.names, places, partial(self.rows.frames, blocks=chain([first], self._rest)))
            yield from frames.chosen_blocks(rest, self.chosen, self.request)

    def _regular(self) -> Iterator[bytes]:
        """The blocks of which each line is a row; the first that is not, and those behind it, are the rest."""
        blocks = self.rows.row_blocks()
        for block in blocks:
            if not self.can_be_cut(block):
                self._rest = chain([block], blocks)
                return
            yield block.content

    def _settled(self, block: bytes) -> bytes:
        """A block that has to be held, if nothing is wrong with it."""
        self.run_of(lines.padded(block))
        return block

    def run_of(self, block: bytes) -> Run | None:
        """The part of the run that a padded block holds; None where all its rows are blank."""
        columns = self.at_once(block)
        if columns is None:
            return self._run_by_frame(block)
        rank = columns["rank"].astype(np.int64) if "rank" in columns else None
        score = columns["score"] if "score" in columns else -columns["rank"]
        topic, document, notes = columns["topic"], columns["document"], self.chosen.notes
        return Run(self.rows.source.label, topic, document, self._find, notes, score=score, rank=rank)

    def _run_by_frame(self, block: bytes) -> Run | None:
        try:
            # which line it is on does not matter, as the file is read again where something is wrong
            content = LineBlock(0, block[len(lines.PAD) : -len(lines.PAD)])
            made = [frame for frame in self.rows.frames(self.chosen.names, iter([content])) if len(frame)]
            places = Places(self.rows.source.label)
            run = frames.frame_run(frames.one_frame(made), self.chosen, places, self.request.ranks) if made else None
        except InputError:
            for each in frames.chosen_blocks(self.rows.table(), self.chosen, self.request):
                each()
            raise
        return run and Run(**{**vars(run), "places": self._find})

    def _find(self, topic: str, document: str) -> list[Place]:
        """The lines on which a topic and a document stand together."""
        pairs = self.rows.pairs(self.chosen["topic"], self.chosen["document"])
        return [Place(self.rows.source.label, line) for line, pair in pairs if pair == (topic, document)]
