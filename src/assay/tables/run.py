"""Run: what a system returned, columns of equal length; and Table, what runs and judgments share.

The type of a run tells what its results are; each type has only columns that are always there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
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
    """What runs and judgments share: a name, a topic and a document for each row, and a way to say where a row is.

    `notes` say what was decided when the table was read, as which of two columns was taken.
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
        """Return the error about a document that is in a topic twice."""
        places = self.places(topic, document) if self.places else []
        first, again = places[:2] if len(places) > 1 else [Place(self.name)] * 2
        return twice(topic, document, verb, first, again, hint)


@dataclass(eq=False, repr=False, kw_only=True)
class Run(Table):
    """The results of a system, one row each, with a score, and a rank if the file has one.

    If `by_rank` is true, the rank gives the order and the score orders equal ranks, as in the files of INEX.
    """

    printed_as = "Run"

    score: Floats
    rank: Ints | None = None
    by_rank: bool = False

    def named(self, name: str) -> Run:
        """Return the same run under another name."""
        return replace(self, name=name)

    def columns_by_name(self) -> dict[str, Any]:
        """Return the columns of the run by their names."""
        return {name: column for name in COLUMNS if (column := getattr(self, name, None)) is not None}

    def result_ids(self) -> dict[str, Ids]:
        """Return the id columns that identify a result: its document, and the path of an element."""
        return {name: ids for name, ids in self.columns_by_name().items() if name in RESULT and isinstance(ids, Ids)}

    def frame(self) -> Any:
        """Return the rows as a polars frame, in their order here, with the columns that the run has."""
        return frame_of(self._shown())

    def _shown(self) -> dict[str, Any]:
        """The columns of the frame: the ends of ranges only if a result is a range."""
        return {name: each for name, each in self.columns_by_name().items() if name != "last" or each.length.any()}

    def _repr_html_(self) -> str:
        from html import escape

        first = frame_of({name: column[:SHOWN] for name, column in self._shown().items()})
        notes = "".join(f"<p><small>{escape(note)}</small></p>" for note in self.notes)
        return f"<p>{escape(repr(self))}</p>{first._repr_html_()}{notes}"

    def packed(self) -> Run:
        """Return the same run in less memory, without the bytes between its ids."""
        streaks, starts = self.topic.streak_ids()
        ids: dict[str, Any] = {name: closed_up(column) for name, column in self.result_ids().items()}
        return replace(self, topic=StreakIds(closed_up(streaks), starts), **ids)


class DocumentRun(Run):
    """A run of whole documents."""


@dataclass(eq=False, repr=False, kw_only=True)
class SpanRun(Run):
    """A run of parts of documents: spans [start, end) of a document's text, counted in characters from 0."""

    start: Ints
    end: Ints


@dataclass(eq=False, repr=False, kw_only=True)
class SurroundedSpanRun(SpanRun):
    """A run of spans whose texts had more around them that no document has: what was before and after each, if any,
    which is read and paid for, and finds nothing.
    """

    before: Ids
    after: Ids


@dataclass(eq=False, repr=False, kw_only=True)
class ElementRun(Run):
    """A run of elements, each with its path; of a range of elements, or a passage between two points, `last` is the
    path of its end, and of others it is empty.
    """

    path: Ids
    last: Ids


@dataclass(eq=False, repr=False, kw_only=True)
class PlacedElementRun(SpanRun, ElementRun):
    """A run of elements whose characters are known."""


RUNS = {
    (): DocumentRun,
    ("start",): SpanRun,
    ("start", "before"): SurroundedSpanRun,
    ("path",): ElementRun,
    ("start", "path"): PlacedElementRun,
}


def make_run(*table: Any, **columns: Any) -> Run:
    """Make a run of the type that has these columns; those that are None are left out, and `last` need not be there."""
    columns = {name: column for name, column in columns.items() if column is not None}
    if "path" in columns:
        columns.setdefault("last", no_ids(len(columns["path"])))
    return RUNS[tuple(name for name in ("start", "before", "path") if name in columns)](*table, **columns)


def frame_of(columns: dict[str, Any]) -> Any:
    """Columns as a polars frame."""
    import polars as pl

    return pl.DataFrame({name: each.texts() if isinstance(each, Ids) else each for name, each in columns.items()})


def closed_up(ids: Ids) -> Ids:
    """The same ids, one behind the other, with nothing else in the buffer."""
    count = max(-(-int(ids.length.max(initial=0)) // WORD), 1)
    if count > WORD:
        return ids.packed(np.arange(len(ids)))
    parts = (Ids(ids.buffer, np.minimum(ids.start + at, ids.end), ids.end) for at in range(0, count * WORD, WORD))
    letters = np.stack([part.first_words() for part in parts], axis=1).view(np.uint8)
    return Ids.from_bytes(letters[np.arange(letters.shape[1]) < ids.length[:, None]].tobytes(), ids.length)


def cut_out(ids: Ids) -> Ids:
    """The same ids, with little else in the buffer."""
    if not len(ids):
        return ids
    low, high = int(ids.start.min()) - WORD, int(ids.end.max()) + WORD
    if high - low > 2 * int(ids.length.sum()) + len(ids) * WORD:
        return closed_up(ids)
    return Ids(ids.buffer[low:high], ids.start - low, ids.end - low)


# The columns of a run, those of them that tell what a result is, and how many rows a notebook shows.
COLUMNS = ("topic", "document", "score", "rank", "start", "end", "before", "after", "path", "last")
RESULT, SHOWN = ("document", "start", "end", "path", "last"), 10


def concatenate_runs(runs: list[Run]) -> Run:
    """Parts of a run as one."""
    return runs[0] if len(runs) == 1 else replace(runs[0], **joined_columns(runs, COLUMNS))


def joined_columns(runs: list[Run], names: Sequence[str]) -> dict[str, Any]:
    """Some columns of all of the runs, those of one behind those of the other."""
    buffers = Buffers()
    columns: dict[str, Any] = {}
    for name in names:
        if name in runs[0].columns_by_name():
            parts = [getattr(run, name) for run in runs]
            columns[name] = Ids.concatenate(parts, buffers) if isinstance(parts[0], Ids) else np.concatenate(parts)
    return columns


def no_ids(rows: int) -> Ids:
    """A column of empty ids."""
    return Ids.from_bytes(b"", np.zeros(rows, np.int64))


def not_empty(table: Rows) -> Rows:
    """The table, unless it has no rows."""
    if not len(table):
        expected = "a run" if isinstance(table, Run) else "judgments"
        raise InputError(f"the input is empty; expected {expected}", table.name)
    return table


# Runs in which the rows of a topic do not stand together: all rows are dealt out by a hash of their topic, in packed
# columns, and then come back some whole topics at a time.

# Rows are dealt out by the first eight bits of a hash, and within those sorted by the next sixteen.
HASHES = 256
FIRST_BITS, NEXT_BITS = np.uint64(56), np.uint64(40)


class FixedWidthIds(Ids):
    """Ids that take the same number of words each, so that where they begin and end need not be held; a buffer in which
    they can be found is made only if it is asked for.
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
        """The first eight bytes of each id, or fewer where it is shorter, as one number."""
        return self._word(0)

    def _word(self, number: int) -> Keys:
        return self.words[:, number] if number < self.words.shape[1] else np.zeros(len(self), np.uint64)


def reorder_ids(ids: Ids, order: Ints) -> FixedWidthIds | Ids:
    """Ids in some order: spread over words, unless one of them is so long that this would take much memory."""
    if ids.length.max(initial=0) > WORD * WORD:
        return ids.packed(order)
    return FixedWidthIds(ids.spread(), ids.length.astype(np.uint16))[order]


class HashPartition:
    """Rows of a run by the hash of their topic: those with hash h stand from `starts[h]` on, in their order."""

    def __init__(self, run: Run):
        hashes = (run.topic.keys() >> FIRST_BITS).astype(np.uint8)
        order = np.argsort(hashes, kind="stable")
        self.starts: Ints = np.concatenate(([0], np.cumsum(np.bincount(hashes, minlength=HASHES))))
        self.columns: dict[str, Any] = {
            name: reorder_ids(column, order) if isinstance(column, Ids) else column[order]
            for name, column in run.columns_by_name().items()
        }
        # without the columns as they were read
        nothing: dict[str, Any] = {
            name: no_ids(0) if isinstance(column, Ids) else column[:0].copy() for name, column in self.columns.items()
        }
        self.run = replace(run, **nothing | {"rank": None})

    def __len__(self) -> int:
        return int(self.starts[-1])

    @property
    def bytes(self) -> int:
        """How much memory the columns take."""
        arrays: list[Any] = []
        for column in self.columns.values():
            if isinstance(column, FixedWidthIds):
                arrays += [column.words, column.lengths]
            else:
                arrays += [column.start, column.end] if isinstance(column, Ids) else [column]
        texts = sum(int(each.length.sum()) for each in self.columns.values() if type(each) is Ids)
        return texts + sum(each.nbytes for each in arrays)

    def stretch(self, name: str, begin: int, end: int) -> Any:
        """The rows of a column from one up to another."""
        column = self.columns[name]
        has_places = isinstance(column, Ids) and not isinstance(column, FixedWidthIds)
        return column.stretch(begin, end) if has_places else column[begin:end]


def whole_topics(dealt: list[HashPartition], rows: int) -> Iterator[Callable[[], Run]]:
    """All rows in runs of whole topics, each of about as many rows as are asked for, and made when it is called."""
    # ranks that are not needed are left out where one is wrong
    names = [name for name in COLUMNS if all(name in part.columns for part in dealt)]
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


def join_stretches(stretches: list[Any]) -> Any:
    """Stretches of a column, one behind the other."""
    if isinstance(stretches[0], np.ndarray):
        return np.concatenate(stretches)
    spread = [each for each in stretches if isinstance(each, FixedWidthIds)]
    if len(spread) < len(stretches) or len({each.words.shape[1] for each in spread}) > 1:
        return Ids.concatenate(stretches)
    words, lengths = ([getattr(each, name) for each in spread] for name in ("words", "lengths"))
    return FixedWidthIds(np.concatenate(words), np.concatenate(lengths))


def together(run: Run, names: list[str], stretches: list[tuple[HashPartition, int, int]]) -> Run:
    """Stretches of dealt rows as one run, those of a topic next to each other, unless there is one whose hash is alike.
    """
    columns = {
        name: join_stretches([part.stretch(name, begin, end) for part, begin, end in stretches]) for name in names
    }
    order = np.argsort((columns["topic"].keys() >> NEXT_BITS).astype(np.uint16), kind="stable")
    in_order: dict[str, Any] = {name: column[order] for name, column in columns.items()}
    return replace(run, **in_order)
