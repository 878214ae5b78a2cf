"""Runs in CSV and TSV files, as far as these have no quotes."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.files.line_blocks import LineBlock
from assay.files.plain_text import is_utf8
from assay.formats import lines
from assay.formats.chosen_columns import ChosenColumns
from assay.formats.format import Request
from assay.formats.line_fields import LineFields
from assay.formats.regular_runs import RegularRun
from assay.formats.separated_rows import BLANKS, SeparatedRows
from assay.tables.ids import Ids


class UnquotedRun(RegularRun):
    """A run whose values stand between separators."""

    def __init__(self, rows: SeparatedRows, chosen: ChosenColumns, request: Request):
        super().__init__(rows, chosen, request)
        fields = {name: field for field, name in chosen.fields.items()}
        self.declared = LineFields(
            "a table", tuple(fields.get(name, "") for name in rows.names), numbers=("score",), wholes=("rank",)
        )
        self.separator = rows.separator.encode()
        self.at_topic = rows.names.index(chosen["topic"])
        self.blanks = [blank.encode() for blank in BLANKS if blank not in ("\n", rows.separator)]

    def can_be_cut(self, block: LineBlock) -> bool:
        """Whether no quote may hold several lines."""
        return b'"' not in block.content

    def topic_of(self, line: bytes) -> list[bytes]:
        """The topic of a line."""
        return line.split(self.separator, self.at_topic + 1)[self.at_topic : self.at_topic + 1]

    def at_once(self, block: bytes) -> dict[str, Any] | None:
        """The columns of a padded block by field; None where it is no table, or something may be wrong with it."""
        ends = lines.fences(block, exactly=True, separator=self.separator) if is_utf8(block) else None
        if ends is None or ends.shape[1] != len(self.rows.names):
            return None
        columns = {field: lines.taken(block, ends, self.declared, field) for field in self.chosen.fields}
        good = all(map(lines.is_good, columns.values())) and not self._have_margins(block, columns)
        return columns if good else None

    def _have_margins(self, block: bytes, columns: dict[str, Any]) -> bool:
        """Whether blanks stand before or behind ids, which do not belong to them."""
        if not any(blank in block for blank in self.blanks):
            return False
        characters = np.frombuffer(block, np.uint8)
        outer = (place for ids in columns.values() if isinstance(ids, Ids) for place in (ids.start, ids.end - 1))
        return any(np.any(characters[place] <= lines.BLANK) for place in outer)
