"""Columns of ids that are texts in memory; their bytes are laid out only where they are needed."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np

from assay.tables.ids import Ids


class HeldIds(Ids):
    """Ids that are texts in memory, those of a topic all different."""

    def __init__(self, texts: list[str]):
        self.held = texts

    def __len__(self) -> int:
        return len(self.held)

    def __getattr__(self, name: str) -> Any:
        if name not in ("buffer", "start", "end"):
            raise AttributeError(name)
        laid_out = self._laid_out()
        self.buffer, self.start, self.end = laid_out.buffer, laid_out.start, laid_out.end
        return getattr(laid_out, name)

    def texts(self) -> list[str]:
        """The ids as text."""
        return self.held

    def _laid_out(self) -> Ids:
        return Ids.of(self.held)


class ScoredIds(HeldIds):
    """The documents of a single topic, with the score of each in the dict in which they were given."""

    def __init__(self, texts: list[str], scores: dict[str, Any]):
        super().__init__(texts)
        self.scores = scores


class RepeatedIds(HeldIds):
    """The ids of some texts, all of them different, each so many times."""

    def __init__(self, texts: list[str], times: list[int]):
        if 0 in times:
            texts = [text for text, number in zip(texts, times, strict=True) if number]
            times = [number for number in times if number]
        super().__init__(texts)
        starts = np.array([0, *accumulate(times)], np.int64)
        streaks = HeldIds(self.held)
        streaks.known_texts = self.held
        self.known_streaks = streaks, starts

    def __len__(self) -> int:
        assert self.known_streaks is not None
        return int(self.known_streaks[1][-1])

    def texts(self) -> list[str]:
        """The ids as text."""
        return Ids.texts(self)

    def _laid_out(self) -> Ids:
        assert self.known_streaks is not None
        streaks, starts = self.known_streaks
        rows = np.diff(starts)
        return Ids(streaks.buffer, np.repeat(streaks.start, rows), np.repeat(streaks.end, rows))
