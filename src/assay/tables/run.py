"""Run: the results of a system, as columns of equal length. Table: what runs and judgments have in common.

The type of a run says what its results are (documents, spans, elements). Every column of a type is always present.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from assay.errors import InputError, count_noun
from assay.tables.ids import PAD, WORD, Bools, Buffers, Floats, Ids, Ints, Keys, StreakIds
from assay.tables.places import Finder, Place, twice

if TYPE_CHECKING:
    from numpy.typing import NDArray

Rows = TypeVar("Rows", bound="Table")


@dataclass(eq=False, repr=False)
class Table:
    """What runs and judgments have in common: a name, a topic and a document for each row, and a way to find a row.

    `places` finds the rows of a topic and a document, for error messages. `notes` say what Assay decided when it read
    the table, for example which of two columns it used.
    """

    printed_as: ClassVar[str] = "Table"

    name: str
    topic: Ids
    document: Ids
    places: Finder | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.document)

    def __repr__(self) -> str:
        topics = len(set(self.topic.streaks()[0]))
        return f"<{self.printed_as} {self.name}: {count_noun(topics, 'topic')}, {count_noun(len(self), 'row')}>"

    def twice(self, topic: str, document: str, verb: str, hint: str = "") -> InputError:
        """Return the error about a document that a topic has twice."""
        places = list(islice(self.places(topic, document), 2)) if self.places else []
        first, again = places if len(places) > 1 else [Place(self.name)] * 2
        return twice(topic, document, verb, first, again, hint)


@dataclass(eq=False, repr=False, kw_only=True)
class Run(Table):
    """The results of a system, one row each, with a score, and a rank if the file has ranks.

    If `by_rank` is true, the rank gives the order and the score breaks ties between equal ranks, as in the files of
    INEX.
    """

    printed_as = "Run"

    score: Floats
    rank: Ints | None = None
    by_rank: bool = False

    def named(self, name: str) -> Run:
        """Return the same run under another name."""
        return replace(self, name=name)

    def columns_by_name(self) -> dict[str, Any]:
        """Return the columns that the run has, by name."""
        return {name: column for name in COLUMNS if (column := getattr(self, name, None)) is not None}

    def result_ids(self) -> dict[str, Ids]:
        """Return the id columns that identify a result: its document and, if it is an element, its path."""
        return {name: ids for name, ids in self.columns_by_name().items() if name in RESULT and isinstance(ids, Ids)}

    def frame(self) -> Any:
        """Return the rows as a polars frame: in the same order, with the columns that the run has."""
        return frame_of(self._shown())

    def _shown(self) -> dict[str, Any]:
        """Return the columns for the frame; `last` is among them only if some result is a range of elements."""
        return {name: each for name, each in self.columns_by_name().items() if name != "last" or each.length.any()}

    def _repr_html_(self) -> str:
        from html import escape

        first = frame_of({name: column[:SHOWN] for name, column in self._shown().items()})
        notes = "".join(f"<p><small>{escape(note)}</small></p>" for note in self.notes)
        return f"<p>{escape(repr(self))}</p>{first._repr_html_()}{notes}"

    def packed(self) -> Run:
        """Return the same run in less memory: its buffers hold only the ids, without the bytes between them."""
        streaks, starts = self.topic.streak_ids()
        ids: dict[str, Any] = {name: closed_up(column) for name, column in self.result_ids().items()}
        return replace(self, topic=StreakIds(closed_up(streaks), starts), **ids)


class DocumentRun(Run):
    """A run of whole documents."""


class ChunkRun(DocumentRun):
    """A run of chunks with texts but without offsets. A document counts once, at the best of its chunks."""


@dataclass(eq=False, repr=False, kw_only=True)
class SpanRun(Run):
    """A run of parts of documents: spans [start, end) of a document's text, counted in characters from 0."""

    start: Ints
    end: Ints


@dataclass(eq=False, repr=False, kw_only=True)
class SurroundedSpanRun(SpanRun):
    """A run of spans whose retrieved texts have extra text around them that is in no document.

    `before` and `after` are that extra text, empty if there is none. It counts as read, so it uses up the budget, but
    it is never relevant.
    """

    before: Ids
    after: Ids


@dataclass(eq=False, repr=False, kw_only=True)
class ElementRun(Run):
    """A run of elements, each with its path.

    If a result is a range of elements, or a passage between two points, `last` is the path of its end; otherwise `last`
    is empty.
    """

    path: Ids
    last: Ids


@dataclass(eq=False, repr=False, kw_only=True)
class PlacedElementRun(SpanRun, ElementRun):
    """A run of elements whose spans in the document's text are known."""


RUNS = {
    (): DocumentRun,
    ("start",): SpanRun,
    ("start", "before"): SurroundedSpanRun,
    ("path",): ElementRun,
    ("start", "path"): PlacedElementRun,
}


def make_run(*table: Any, **columns: Any) -> Run:
    """Make a run of the type that has these columns. Columns that are None are left out; `last` is optional."""
    columns = {name: column for name, column in columns.items() if column is not None}
    if "path" in columns:
        columns.setdefault("last", no_ids(len(columns["path"])))
    return RUNS[tuple(name for name in ("start", "before", "path") if name in columns)](*table, **columns)


def frame_of(columns: dict[str, Any]) -> Any:
    """Return columns as a polars frame."""
    import polars as pl

    return pl.DataFrame({name: each.texts() if isinstance(each, Ids) else each for name, each in columns.items()})


def closed_up(ids: Ids) -> Ids:
    """Return the same ids, with a buffer that holds nothing but the ids, one after the other."""
    count = max(-(-int(ids.length.max(initial=0)) // WORD), 1)
    if count > WORD:
        return ids.packed(np.arange(len(ids)))
    parts = (Ids(ids.buffer, np.minimum(ids.start + at, ids.end), ids.end) for at in range(0, count * WORD, WORD))
    letters = np.stack([part.first_words() for part in parts], axis=1).view(np.uint8)
    return Ids.from_bytes(letters[np.arange(letters.shape[1]) < ids.length[:, None]].tobytes(), ids.length)


def cut_out(ids: Ids) -> Ids:
    """Return the same ids, with a buffer that holds little else.

    It slices the buffer if ids fill much of the slice, and copies the ids otherwise.
    """
    if not len(ids):
        return ids
    low, high = int(ids.start.min()) - WORD, int(ids.end.max()) + WORD
    if high - low > 2 * int(ids.length.sum()) + len(ids) * WORD:
        return closed_up(ids)
    return Ids(ids.buffer[low:high], ids.start - low, ids.end - low)


# COLUMNS: the columns of a run. RESULT: those that identify a result. SHOWN: how many rows a notebook shows.
COLUMNS = ("topic", "document", "score", "rank", "start", "end", "before", "after", "path", "last")
RESULT, SHOWN = ("document", "start", "end", "path", "last"), 10


def concatenate_runs(runs: list[Run]) -> Run:
    """Join parts of a run into one run."""
    return runs[0] if len(runs) == 1 else replace(runs[0], **joined_columns(runs, COLUMNS))


def joined_columns(runs: list[Run], names: Sequence[str]) -> dict[str, Any]:
    """Return some columns of all the runs, each joined in the order of the runs."""
    buffers = Buffers()
    columns: dict[str, Any] = {}
    for name in names:
        if name in runs[0].columns_by_name():
            parts = [getattr(run, name) for run in runs]
            columns[name] = Ids.concatenate(parts, buffers) if isinstance(parts[0], Ids) else np.concatenate(parts)
    return columns


def no_ids(rows: int) -> Ids:
    """Return a column of empty ids."""
    return Ids.from_bytes(b"", np.zeros(rows, np.int64))


def not_empty(table: Rows) -> Rows:
    """Return the table, or raise an InputError if it has no rows."""
    if not len(table):
        expected = "a run" if isinstance(table, Run) else "judgments"
        raise InputError(f"the input is empty; expected {expected}", table.name)
    return table


# Runs in which the rows of a topic are not next to each other: all rows are partitioned by a hash of their topic, in
# packed columns. Then they are read back, some whole topics at a time.

# The first 8 bits of the hash choose the partition; within it, the next 16 bits give the order.
HASHES = 256
FIRST_BITS, NEXT_BITS = np.uint64(56), np.uint64(40)


class FixedWidthIds(Ids):
    """Ids that each take the same number of 8-byte words, so that their starts and ends need not be stored.

    A buffer with starts and ends is made only when something asks for it.
    """

    def __init__(self, words: Keys, lengths: NDArray[np.uint16]):
        self.words, self.lengths = words, lengths

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, rows: Ints | Bools | slice) -> FixedWidthIds:
        return FixedWidthIds(self.words[rows], self.lengths[rows])

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
        """Return the first eight bytes of each id as one number; a shorter id is filled up with zeros."""
        return self._word(0)

    def _word(self, number: int) -> Keys:
        return self.words[:, number] if number < self.words.shape[1] else np.zeros(len(self), np.uint64)


def reorder_ids(ids: Ids, order: Ints) -> FixedWidthIds | Ids:
    """Return ids in another order, with a fixed width unless one id is so long that this would take much memory."""
    if ids.length.max(initial=0) > WORD * WORD:
        return ids.packed(order)
    return FixedWidthIds(ids.spread(), ids.length.astype(np.uint16))[order]


class HashPartition:
    """The rows of a run, grouped by a hash of their topic.

    The rows with hash h start at `starts[h]`, in the order in which they were read.
    """

    def __init__(self, run: Run):
        hashes = (run.topic.keys() >> FIRST_BITS).astype(np.uint8)
        order = np.argsort(hashes, kind="stable")
        self.starts: Ints = np.concatenate(([0], np.cumsum(np.bincount(hashes, minlength=HASHES))))
        self.columns: dict[str, Any] = {
            name: reorder_ids(column, order) if isinstance(column, Ids) else column[order]
            for name, column in run.columns_by_name().items()
        }
        # keep only empty columns, so that the columns of the run that was read can be freed
        nothing: dict[str, Any] = {
            name: no_ids(0) if isinstance(column, Ids) else column[:0].copy() for name, column in self.columns.items()
        }
        self.run = replace(run, **nothing | {"rank": None})

    def __len__(self) -> int:
        return int(self.starts[-1])

    @cached_property
    def bytes(self) -> int:
        """The memory that the columns take, in bytes."""
        arrays: list[Any] = []
        for column in self.columns.values():
            if isinstance(column, FixedWidthIds):
                arrays += [column.words, column.lengths]
            else:
                arrays += [column.start, column.end] if isinstance(column, Ids) else [column]
        texts = sum(int(each.length.sum()) for each in self.columns.values() if type(each) is Ids)
        return texts + sum(each.nbytes for each in arrays)

    def stretch(self, name: str, begin: int, end: int) -> Any:
        """Return the rows of a column from `begin` up to but without `end`."""
        column = self.columns[name]
        has_places = isinstance(column, Ids) and not isinstance(column, FixedWidthIds)
        return column.stretch(begin, end) if has_places else column[begin:end]


def whole_topics(dealt: list[HashPartition], rows: int) -> Iterator[Callable[[], Run]]:
    """Yield functions that make runs of whole topics, each with about `rows` rows; together the runs have all rows."""
    # a part without ranks was read from rows whose ranks were wrong but not needed
    names = [name for name in COLUMNS if all(name in part.columns for part in dealt)]
    starts: Ints = np.sum([part.starts for part in dealt], axis=0)
    first = 0
    while first < HASHES and dealt:
        # take as many hashes as have at most `rows` rows together, but at least one
        last = max(int(np.searchsorted(starts, starts[first] + rows, side="right")) - 1, first + 1)
        bounds = [(part, *part.starts[[first, last]].tolist()) for part in dealt]
        some = [(part, begin, end) for part, begin, end in bounds if begin < end]
        if some:
            yield partial(together, dealt[0].run, names, some)
        first = last


def join_stretches(stretches: list[Any]) -> Any:
    """Join stretches of a column."""
    if isinstance(stretches[0], np.ndarray):
        return np.concatenate(stretches)
    spread = [each for each in stretches if isinstance(each, FixedWidthIds)]
    if len(spread) < len(stretches) or len({each.words.shape[1] for each in spread}) > 1:
        return Ids.concatenate(stretches)
    words, lengths = ([getattr(each, name) for each in spread] for name in ("words", "lengths"))
    return FixedWidthIds(np.concatenate(words), np.concatenate(lengths))


def together(run: Run, names: list[str], stretches: list[tuple[HashPartition, int, int]]) -> Run:
    """Join stretches of partitioned rows into one run in which the rows of a topic are next to each other.

    Only if two topics share the bits of the hash that were compared, their rows may alternate.
    """
    columns = {
        name: join_stretches([part.stretch(name, begin, end) for part, begin, end in stretches]) for name in names
    }
    order = np.argsort((columns["topic"].keys() >> NEXT_BITS).astype(np.uint16), kind="stable")
    in_order: dict[str, Any] = {name: column[order] for name, column in columns.items()}
    return replace(run, **in_order)
