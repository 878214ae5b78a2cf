"""Runs in which the rows of a topic do not stand together: all rows are dealt out by a hash of their topic, in packed
columns, and then come back some whole topics at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from assay.tables.ids import PAD, Bools, Ids, Ints, Keys
from assay.tables.run import COLUMNS, Run, no_ids
from assay.tables.words import WORD

# Rows are dealt out by the first eight bits of a hash, and within those sorted by the next sixteen.
HASHES = 256
FIRST_BITS, NEXT_BITS = np.uint64(56), np.uint64(40)


class SpreadIds(Ids):
    """Ids that take the same number of words each, so that where they begin and end need not be held; a buffer in which
    they can be found is made only if it is asked for.
    """

    def __init__(self, words: Keys, lengths: Any):
        self.words, self.lengths = words, lengths

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, rows: Ints | Bools | slice) -> SpreadIds:
        return SpreadIds(self.words[rows], self.lengths[rows])

    def __getattr__(self, name: str) -> Any:
        if name not in ("buffer", "start", "end"):
            raise AttributeError(name)
        rows, width = self.words.shape
        self.buffer = b"".join((PAD, self.words.tobytes(), PAD))
        self.start = np.arange(rows) * (width * WORD) + len(PAD)
        self.end = self.start + self.length
        return getattr(self, name)

    @cached_property
    def length(self) -> Ints:
        """The number of bytes of each id."""
        return self.lengths.astype(np.int64)

    def first_words(self) -> Keys:
        """The first eight bytes of each id, or fewer where it is shorter, as one number."""
        return self._word(0)

    def _word(self, number: int) -> Keys:
        return self.words[:, number] if number < self.words.shape[1] else np.zeros(len(self), np.uint64)


def held_ids(ids: Ids, order: Ints) -> SpreadIds | Ids:
    """Ids in some order: spread over words, unless one of them is so long that this would take much memory."""
    if ids.length.max(initial=0) > WORD * WORD:
        return ids.packed(order)
    return SpreadIds(ids.spread(), ids.length.astype(np.uint16))[order]


class DealtRows:
    """Rows of a run by the hash of their topic: those with hash h stand from `starts[h]` on, in their order."""

    def __init__(self, run: Run):
        hashes = (run.topic.keys() >> FIRST_BITS).astype(np.uint8)
        order = np.argsort(hashes, kind="stable")
        self.starts: Ints = np.concatenate(([0], np.cumsum(np.bincount(hashes, minlength=HASHES))))
        self.columns: dict[str, Any] = {
            name: held_ids(column, order) if isinstance(column, Ids) else column[order]
            for name in COLUMNS if (column := getattr(run, name)) is not None
        }  # fmt: skip
        # without the columns as they were read
        nothing: dict[str, Any] = dict.fromkeys(self.columns)
        self.run = replace(run, **nothing)

    def stretch(self, name: str, begin: int, end: int) -> Any:
        """The rows of a column from one up to another; empty ids where the column is not there."""
        if name not in self.columns:
            return no_ids(end - begin)
        column = self.columns[name]
        has_places = isinstance(column, Ids) and not isinstance(column, SpreadIds)
        return column.stretch(begin, end) if has_places else column[begin:end]


def whole_topics(dealt: list[DealtRows], rows: int) -> Iterator[Callable[[], Run]]:
    """All rows in runs of whole topics, each of about as many rows as are asked for, and made when it is called."""
    # ranks that are not needed are left out where one is wrong; ranges of elements may be only in some of the rows
    names = [name for name in COLUMNS if (any if name == "last" else all)(name in part.columns for part in dealt)]
    starts: Ints = np.sum([part.starts for part in dealt], axis=0)
    first = 0
    while first < HASHES and dealt:
        # as many hashes as have no more rows than that, but at least one
        last = max(int(np.searchsorted(starts, starts[first] + rows, side="right")) - 1, first + 1)
        bounds = [(part, *part.starts[[first, last]].tolist()) for part in dealt]
        some = [(part, begin, end) for part, begin, end in bounds if begin < end]
        if some:
            yield partial(together, dealt[0].run, names, some)
        first = last


def joined(stretches: list[Any]) -> Any:
    """Stretches of a column, one behind the other."""
    if isinstance(stretches[0], np.ndarray):
        return np.concatenate(stretches)
    spread = [each for each in stretches if isinstance(each, SpreadIds)]
    if len(spread) < len(stretches) or len({each.words.shape[1] for each in spread}) > 1:
        return Ids.concatenated(stretches)
    words, lengths = ([getattr(each, name) for each in spread] for name in ("words", "lengths"))
    return SpreadIds(np.concatenate(words), np.concatenate(lengths))


def together(run: Run, names: list[str], stretches: list[tuple[DealtRows, int, int]]) -> Run:
    """Stretches of dealt rows as one run, those of a topic next to each other, unless there is one whose hash is alike.
    """
    columns = {name: joined([part.stretch(name, begin, end) for part, begin, end in stretches]) for name in names}
    order = np.argsort((columns["topic"].keys() >> NEXT_BITS).astype(np.uint16), kind="stable")
    in_order: dict[str, Any] = {name: column[order] for name, column in columns.items()}
    return replace(run, **in_order)
