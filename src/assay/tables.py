"""The tables that carry everything: Run and Judgments, columns of equal length.

Ids are text. A column of ids is a polars Series, or a numpy array of str where polars was not needed to read it: importing
polars takes longer than reading a small file without it. `keys` turns either into the 64-bit numbers that `align` works on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from assay.errors import InputError

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

Ids: TypeAlias = "pl.Series | NDArray[np.object_]"
Floats: TypeAlias = "NDArray[np.float64]"
Ints: TypeAlias = "NDArray[np.int64]"
Keys: TypeAlias = "NDArray[np.uint64]"
Bools: TypeAlias = "NDArray[np.bool_]"
Values: TypeAlias = "NDArray[Any]"
Places: TypeAlias = Callable[[str, str], "list[int]"]


@dataclass(frozen=True, eq=False)
class Table:
    """What runs and judgments share: a name, a topic and a document for each row, and a way to say where a row is."""

    name: str
    topic: Ids
    document: Ids
    places: Places | None = None

    def __len__(self) -> int:
        return len(self.document)

    def fault(self, what: str, topic: str, document: str) -> InputError:
        """The error about a pair that stands in the table twice; `{first}` in the text is replaced by the first place."""
        at = self.places(topic, document) if self.places else []
        if len(at) < 2:
            return InputError(what.format(first=""), self.name)
        return InputError(what.format(first=f" (first on line {at[0]})"), self.name, at[1])


@dataclass(frozen=True, eq=False)
class Run(Table):
    """What a system returned: a row a result, with its score, and its rank where the file has one."""

    score: Floats = None  # type: ignore[assignment]
    rank: Ints | None = None

    def named(self, name: str) -> Run:
        """The same run under another name."""
        return replace(self, name=name)


@dataclass(frozen=True, eq=False)
class Judgments(Table):
    """What is relevant: a row a judged document, with its grade; a negative grade is in the pool but not judged."""

    grade: Ints = None  # type: ignore[assignment]


def is_series(ids: Any) -> bool:
    """Whether the ids are a polars Series, asked without importing polars."""
    return not isinstance(ids, np.ndarray)


def polars_loaded() -> bool:
    """Whether polars is there already, so that using it costs nothing."""
    return "polars" in sys.modules


def text(ids: Any) -> Ids:
    """A column of ids as text: a list of str or numbers, or a polars Series of either."""
    if isinstance(ids, list):
        column = np.empty(len(ids), dtype=object)
        column[:] = [one if isinstance(one, str) else str(one) for one in ids]
        return column
    return ids  # type: ignore[no-any-return]


def as_series(ids: Ids) -> pl.Series:
    """The ids as a polars Series."""
    import polars as pl

    return pl.Series(ids.tolist(), dtype=pl.String) if isinstance(ids, np.ndarray) else ids


def keys(ids: Ids, series: bool) -> Keys:
    """A 64-bit number for each id, equal for equal ids; by polars or by Python, which do not agree with each other."""
    if series:
        return as_series(ids).hash().to_numpy()
    return np.fromiter(map(hash, ids), np.int64, len(ids)).view(np.uint64)


def at(ids: Ids, rows: Ints) -> list[str]:
    """The ids of some rows."""
    return ids[rows].tolist() if isinstance(ids, np.ndarray) else ids.gather(rows).to_list()


def streaks(ids: Ids) -> tuple[list[str], Ints]:
    """Runs of equal neighbours: the id of each, and the row where each starts, with the number of rows at the end."""
    if not len(ids):
        return [], np.zeros(1, np.int64)
    if isinstance(ids, np.ndarray):
        starts = np.concatenate(([0], np.flatnonzero(ids[1:] != ids[:-1]) + 1, [len(ids)]))
        return ids[starts[:-1]].tolist(), starts
    pieces = ids.rle().struct.unnest()
    starts = np.concatenate(([0], np.cumsum(pieces["len"].to_numpy(), dtype=np.int64)))
    return pieces["value"].to_list(), starts
