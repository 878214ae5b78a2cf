"""The columns of all lines of a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.files.line_blocks import LineBlock, line_blocks
from assay.files.source import Source
from assay.formats import lines
from assay.formats.line_fields import LineFields
from assay.tables.ids import Buffers, Ids
from assay.tables.streak_ids import StreakIds, joined_streaks


def all_columns(
    source: Source,
    declared: LineFields,
    wanted: tuple[str, ...],
    refuse: Callable[[LineBlock, Source], None] | None = None,
    in_streaks: tuple[str, ...] = (),
) -> dict[str, Any] | None:
    """The wanted columns of a file; None where it has no line. `refuse` raises what is wrong with a block beside that.

    Of the columns `in_streaks` equal neighbours are told once.
    """

    def columns(block: LineBlock) -> dict[str, Any] | None:
        if refuse:
            refuse(block, source)
        read = lines.block_columns(lines.padded(block.content), declared, wanted, source)
        return read and read | {name: StreakIds(*read[name].streak_ids()) for name in in_streaks}

    return joined_columns(list(filter(None, map(columns, line_blocks(source, declared.name)))))


def joined_columns(blocks: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The columns of several blocks of rows as one; None where there are none."""
    if len(blocks) < 2:
        return blocks[0] if blocks else None
    buffers = Buffers()
    parts = {name: [block[name] for block in blocks] for name in blocks[0]}
    return {name: joined_column(each, buffers) for name, each in parts.items()}


def joined_column(parts: list[Any], buffers: Buffers) -> Any:
    """A column of several blocks of rows as one."""
    if isinstance(parts[0], StreakIds):
        return joined_streaks(parts, buffers)
    return Ids.concatenated(parts, buffers) if isinstance(parts[0], Ids) else np.concatenate(parts)
