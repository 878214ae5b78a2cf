"""Columns of ids of which equal neighbours are told once, as the topics of judgments are."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.tables.ids import Buffers, Ids, Ints


class StreakIds(Ids):
    """The ids of runs of equal neighbours, and the row where each starts, with the number of rows behind; where the id
    of each row stands is laid out only if that is asked for.
    """

    def __init__(self, streaks: Ids, starts: Ints):
        self.known_streaks = streaks, starts
        self.streak_starts = starts

    def __len__(self) -> int:
        return int(self.streak_starts[-1])

    def __getattr__(self, name: str) -> Any:
        if name not in ("buffer", "start", "end"):
            raise AttributeError(name)
        streaks, rows = self.streak_ids()[0], np.diff(self.streak_starts)
        self.buffer, self.start, self.end = streaks.buffer, np.repeat(streaks.start, rows), np.repeat(streaks.end, rows)
        return getattr(self, name)


def joined_streaks(columns: list[StreakIds], buffers: Buffers) -> StreakIds:
    """The ids of several columns, one column behind the other."""
    if len(columns) == 1:
        return columns[0]
    streaks = Ids.concatenated([column.streak_ids()[0] for column in columns], buffers)
    rows = np.concatenate([np.diff(column.streak_starts) for column in columns])
    starts = np.append(0, np.cumsum(rows))
    # a streak may go on in the next column
    breaks = streaks.breaks()
    return StreakIds(streaks[breaks[:-1]], starts[breaks])
