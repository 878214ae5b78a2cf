"""Columns of ids of which neighbours are mostly equal, as topics are: rows are laid out only where they are needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.tables.ids import Ids, Ints


class StreakIds(Ids):
    """The ids of runs of equal neighbours, and the row where each starts, with the number of rows at the end."""

    def __init__(self, streaks: Ids, starts: Ints):
        self.known_streaks = streaks, starts

    def __len__(self) -> int:
        return int(self._starts[-1])

    def __getattr__(self, name: str) -> Any:
        if name not in ("buffer", "start", "end"):
            raise AttributeError(name)
        streaks, rows = self._streaks, np.diff(self._starts)
        self.buffer, self.start, self.end = streaks.buffer, np.repeat(streaks.start, rows), np.repeat(streaks.end, rows)
        return getattr(self, name)

    @property
    def _streaks(self) -> Ids:
        assert self.known_streaks is not None
        return self.known_streaks[0]

    @property
    def _starts(self) -> Ints:
        assert self.known_streaks is not None
        return self.known_streaks[1]

    @classmethod
    def behind_one_another(cls, columns: Sequence[StreakIds]) -> StreakIds:
        """Several columns, one behind the other."""
        streaks = Ids.concatenated([column._streaks for column in columns])
        rows = np.concatenate([np.diff(column._starts) for column in columns])
        # a run may go on from the end of a column to the next
        new = streaks.breaks()[:-1]
        ends = np.append(0, np.cumsum(rows))
        return cls(streaks[new], np.append(ends[new], ends[-1]))
