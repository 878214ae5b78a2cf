"""Read runs in tables whose lines all look alike, as blocks of bytes and without building a frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, Protocol

import numpy as np

from assay.errors import InputError
from assay.files.line_blocks import LineBlock
from assay.files.source import Source
from assay.reading import frames, lines
from assay.reading.format import Block, Request
from assay.reading.frames import TableRows
from assay.reading.schema import ChosenColumns
from assay.tables.places import Place, Places
from assay.tables.run import ChunkRun, DocumentRun, Run

# The fields of a run of whole documents.
FIELDS = {"topic", "document", "score", "rank"}


class BlockRows(Protocol):
    """Rows of a file that is read in blocks of lines, and can be read again."""

    source: Source
    names: list[str]

    def pairs(self, topic: str, document: str) -> Iterator[tuple[int, tuple[str | None, str | None]]]:
        """Yield the line of each row and its values in two columns."""

    def row_blocks(self) -> Iterator[LineBlock]:
        """Return blocks of whole rows."""

    def frames(self, names: list[str], blocks: Iterator[LineBlock] | None = None) -> Iterator[Any]:
        """Return some columns of all rows, or of the rows in some blocks, as frames."""

    def table(self) -> TableRows:
        """Return all rows with their line numbers."""


def pair_places(rows: BlockRows, chosen: ChosenColumns, topic: str, document: str) -> Iterator[Place]:
    """Return the lines of a file that have this topic and this document."""
    pairs = rows.pairs(chosen["topic"], chosen["document"])
    return (Place(rows.source.label, line) for line, pair in pairs if pair == (topic, document))


class UniformRun:
    """A run of whole documents in a file whose lines all look alike.

    If the lines of a block do not look alike, for example because one is blank or lacks a value, the block becomes a
    frame. The reader of frames also says what is wrong with a file.
    """

    # from how many of the blocks that are read a block of whole topics is put together
    pieces = 1

    def __init__(self, rows: BlockRows, chosen: ChosenColumns, request: Request):
        self.rows, self.chosen, self.request = rows, chosen, request
        # the first block decides whether this fast path is possible, and is then used instead of being read again
        self.read = self.row_blocks()
        self.first = next(self.read, LineBlock(1, b""))

    def row_blocks(self) -> Iterator[LineBlock]:
        """Return blocks of whole rows."""
        return self.rows.row_blocks()

    def at_once(self, block: bytes) -> dict[str, Any] | None:
        """Return the columns of a padded block by field; None if its lines differ, or a value may be wrong."""
        raise NotImplementedError

    def topic_of(self, line: bytes) -> list[bytes]:
        """Return the topic of a line."""
        raise NotImplementedError

    @property
    def is_possible(self) -> bool:
        """Whether the results are whole documents and the first block can be read this way."""
        fields = self.chosen.fields.keys()
        if self.request.gather or not fields <= FIELDS or len(self.chosen.names) < len(fields):
            return False
        return self.at_once(lines.pad(self.first.content)) is not None

    def line_blocks(self) -> Iterator[LineBlock]:
        """Return the blocks of lines, one row per line."""
        return chain([self.first], self.read)

    def blocks(self) -> Iterator[Block]:
        """Yield the run as blocks of whole topics, or block by block as it is read if the request says `in_pieces`."""
        blocks = (block.content for block in self.line_blocks())
        whole = (iter((block,)) for block in blocks)
        topics = lines.cut_by_topic(blocks, self._settled, self.topic_of, self.pieces)
        for parts in whole if self.request.in_pieces else topics:
            yield partial(lines.read_joined, self.run_of, parts)

    def _settled(self, block: bytes) -> bytes:
        """Return a block that has to be kept in memory, after checking that it can be read."""
        self.run_of(lines.pad(block))
        return block

    def run_of(self, block: bytes) -> Run | None:
        """Return the part of the run that a padded block holds; None if all its rows are blank."""
        columns = self.at_once(block)
        if columns is None:
            return self._run_by_frame(block)
        rank = columns["rank"].astype(np.int64) if "rank" in columns else None
        score = columns["score"] if "score" in columns else -columns["rank"]
        topic, document, notes = columns["topic"], columns["document"], self.chosen.notes
        find = partial(pair_places, self.rows, self.chosen)
        made = ChunkRun if self.chosen.of_chunks else DocumentRun
        return made(self.rows.source.label, topic, document, find, notes, score=score, rank=rank)

    def _run_by_frame(self, block: bytes) -> Run | None:
        try:
            # the line number does not matter: if something is wrong, the file is read again to report it
            content = LineBlock(0, block[len(lines.PAD) : -len(lines.PAD)])
            made = [frame for frame in self.rows.frames(self.chosen.names, iter([content])) if len(frame)]
            places = Places(self.rows.source.label)
            run = frames.frame_run(frames.one_frame(made), self.chosen, places, self.request.ranks) if made else None
        except InputError:
            for each in frames.chosen_blocks(self.rows.table(), self.chosen, self.request):
                each()
            raise
        return run and replace(run, places=partial(pair_places, self.rows, self.chosen))
