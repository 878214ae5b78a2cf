"""Runs in CSV and TSV files without quotes: each block of lines is a table of bytes, as lines.py lays it out, and need
not become a frame to be read.

A block that is no such table, as it has blank lines or lacks a value, becomes a frame as blocks with quotes do; and so
does all that follows the first quote. What is wrong with a file is told by the reader of frames.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.files.line_blocks import LineBlock
from assay.files.plain_text import is_utf8
from assay.formats import frames, lines
from assay.formats.chosen_columns import ChosenColumns
from assay.formats.format import Block, Request
from assay.formats.frames import TableRows
from assay.formats.separated_rows import BLANKS, SeparatedRows
from assay.tables.ids import Ids
from assay.tables.places import Place, Places
from assay.tables.run import Run


class UnquotedRun:
    """A run in a file of which at least the first rows have no quotes."""

    def __init__(self, rows: SeparatedRows, chosen: ChosenColumns, request: Request):
        self.rows, self.chosen, self.request = rows, chosen, request
        fields = {name: field for field, name in chosen.fields.items()}
        self.declared = lines.LineFields(
            "a table", tuple(fields.get(name, "") for name in rows.names), numbers=("score",), wholes=("rank",)
        )
        self.separator = rows.separator.encode()
        self.at_topic, self.at_document = (rows.names.index(chosen[field]) for field in ("topic", "document"))
        self._rest: Iterator[LineBlock] | None = None

    @property
    def is_possible(self) -> bool:
        """Whether the results are whole documents, and the first rows can be read in this way."""
        fields = set(self.chosen.fields)
        if not fields <= {"topic", "document", "score", "rank"} or len(self.chosen.names) < len(fields):
            return False
        first = next(self.rows.row_blocks(), None)
        return first is not None and b'"' not in first.content and self.at_once(lines.padded(first.content)) is not None

    def blocks(self) -> Iterator[Block]:
        """The run, some whole topics at a time; or, if it is asked for in pieces, as it is read."""
        blocks = self._without_quotes()
        whole = (
            map(lines.padded, blocks)
            if self.request.in_pieces
            else lines.cut_by_topic(blocks, self._settled, self._topic_of)
        )
        for block in whole:
            yield partial(self.run_of, block)
        if self._rest is not None:
            first = next(self._rest)
            places = Places(self.rows.source.label, partial(self.rows.line, since=first.line))
            rest = TableRows(self.rows.names, places, partial(self.rows.frames, blocks=chain([first], self._rest)))
            yield from frames.chosen_blocks(rest, self.chosen, self.request)

    def _without_quotes(self) -> Iterator[bytes]:
        """The blocks before the first with a quote; the others are the rest."""
        blocks = self.rows.row_blocks()
        for block in blocks:
            if b'"' in block.content:
                self._rest = chain([block], blocks)
                return
            yield block.content

    def _topic_of(self, line: bytes) -> list[bytes]:
        return line.split(self.separator, self.at_topic + 1)[self.at_topic : self.at_topic + 1]

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

    def at_once(self, block: bytes) -> dict[str, Any] | None:
        """The columns of a padded block; None where it is no table, or where something may be wrong with it."""
        ends = lines.fences(block, exactly=True, separator=self.separator) if is_utf8(block) else None
        if ends is None or ends.shape[1] != len(self.rows.names):
            return None
        columns = {field: lines.taken(block, ends, self.declared, field) for field in self.chosen.fields}
        good = all(map(lines.is_good, columns.values())) and not self._may_have_margins(block, columns)
        return columns if good else None

    def _may_have_margins(self, block: bytes, columns: dict[str, Any]) -> bool:
        """Whether blanks stand before or behind an id, which do not belong to it."""
        if not any(blank.encode() in block for blank in BLANKS.replace("\n", "").replace(self.rows.separator, "")):
            return False
        characters = np.frombuffer(block, np.uint8)
        outer = (place for ids in columns.values() if isinstance(ids, Ids) for place in (ids.start, ids.end - 1))
        return any(np.any(characters[place] <= lines.BLANK) for place in outer)

    def _run_by_frame(self, block: bytes) -> Run | None:
        try:
            # which line it is on does not matter, as the file is read again where something is wrong
            content = LineBlock(0, block[len(lines.PAD) : -len(lines.PAD)])
            made = [frame for frame in self.rows.frames(self.chosen.names, iter([content])) if len(frame)]
            places = Places(self.rows.source.label)
            runs = [frames.frame_run(frames.one_frame(made), self.chosen, places, self.request.ranks)] if made else []
        except InputError:
            for each in frames.chosen_blocks(self.rows.table(), self.chosen, self.request):
                each()
            raise
        return next((Run(**{**vars(run), "places": self._find}) for run in runs), None)

    def _find(self, topic: str, document: str) -> list[Place]:
        """The lines on which a topic and a document stand together."""
        pair = [topic, document]
        rows = ((line, row) for line, row in self.rows.values() if len(row) > max(self.at_topic, self.at_document))
        found = (line for line, row in rows if [row[self.at_topic], row[self.at_document]] == pair)
        return [Place(self.rows.source.label, line) for line in found]
