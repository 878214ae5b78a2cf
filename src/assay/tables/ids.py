"""Columns of ids as bytes: a buffer, and where in it each id starts and ends.

Ids are compared, hashed and sorted eight bytes (a word) at a time, all rows at once. Only the few ids that are shown
become text.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from assay.errors import AssayError
from assay.tables.sorting import has_repeated, number_in_turn

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Words: eight bytes of a buffer as one number, at any position.

WORD = 8


def words_at(buffer: bytes, places: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the eight bytes that start at each position of a buffer, as one number each."""
    return np.ndarray((len(buffer) - WORD + 1,), "<u8", buffer=buffer, strides=(1,))[places]


Floats: TypeAlias = "NDArray[np.float64]"
# Integers, or floats if at least one grade is not a whole number.
Grades: TypeAlias = "NDArray[np.int64] | NDArray[np.float64]"
Ints: TypeAlias = "NDArray[np.int64]"
Keys: TypeAlias = "NDArray[np.uint64]"
Bools: TypeAlias = "NDArray[np.bool_]"
Bytes: TypeAlias = "NDArray[np.uint8]"

PAD = b"\0" * WORD
_FIRST_BYTES = np.array([(1 << (8 * n)) - 1 for n in range(WORD + 1)], np.uint64)
_ODD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def scramble(keys: Keys) -> Keys:
    """Spread keys over all 64 bits; different keys stay different."""
    # in place where possible, which takes half the time
    keys = keys ^ (keys >> np.uint64(30))
    keys *= _ODD[1]
    keys ^= keys >> np.uint64(27)
    keys *= _ODD[2]
    keys ^= keys >> np.uint64(31)
    return keys


class Ids:
    """A column of ids. The buffer begins and ends with at least eight bytes that belong to no id.

    Some columns know more from the start. `known_texts`: the ids as text, all different. `known_streaks`: the id of
    each streak of equal neighbours, and the row where each starts, with the number of rows at the end. `bounds`, if the
    ids have nothing between them: where each id starts, and where the last one ends.
    """

    known_texts: list[str] | None = None
    known_streaks: tuple[Ids, Ints] | None = None
    bounds: Ints | None = None

    def __init__(self, buffer: bytes, start: Ints, end: Ints):
        self.buffer, self.start, self.end = buffer, start, end

    @classmethod
    def of(cls, texts: Iterable[str]) -> Ids:
        """Make a column of ids from texts."""
        given = texts if isinstance(texts, list) else list(texts)
        together = "\0".join(given)
        if together.isascii():
            buffer = b"".join((PAD, together.encode(), PAD))
            # if no text contains a zero byte, there is exactly one after each text
            behind = np.flatnonzero(np.frombuffer(buffer, np.uint8)[len(PAD) : 1 - len(PAD)] == 0) + len(PAD)
            if len(behind) == len(given):
                return cls(buffer, np.append(len(PAD), behind[:-1] + 1)[: len(behind)], behind)
        encoded = [encoded_text(text) for text in given]
        return cls.from_bytes(b"".join(encoded), np.fromiter(map(len, encoded), np.int64, len(encoded)))

    @classmethod
    def from_bytes(cls, data: bytes, lengths: Ints) -> Ids:
        """Make a column from ids that follow each other without anything between them."""
        bounds = np.full(len(lengths) + 1, len(PAD))
        np.cumsum(lengths, out=bounds[1:])
        bounds[1:] += len(PAD)
        ids = cls(b"".join((PAD, data, PAD)), bounds[:-1], bounds[1:])
        ids.bounds = bounds
        return ids

    @classmethod
    def concatenate(cls, columns: list[Ids], buffers: Buffers | None = None) -> Ids:
        """Join several columns of ids."""
        if len(columns) == 1:
            return columns[0]
        in_streaks = [column for column in columns if isinstance(column, StreakIds)]
        if len(in_streaks) == len(columns):
            return StreakIds.behind_each_other(in_streaks, buffers)
        bounds = [column.bounds for column in columns if column.bounds is not None]
        if len(bounds) == len(columns):
            data = b"".join(column.buffer[len(PAD) : -len(PAD)] for column in columns)
            return cls.from_bytes(data, np.concatenate([np.diff(each) for each in bounds]))
        joined = (buffers or Buffers()).joined([column.buffer for column in columns])
        start, end = np.empty((2, sum(map(len, columns))), np.int64)
        row = shift = 0
        for column in columns:
            rows = slice(row, row + len(column))
            np.add(column.start, shift, out=start[rows])
            np.add(column.end, shift, out=end[rows])
            row, shift = rows.stop, shift + len(column.buffer)
        return cls(joined, start, end)

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, rows: Ints | Bools | slice) -> Ids:
        return Ids(self.buffer, self.start[rows], self.end[rows])

    def packed(self, rows: Ints) -> Ids:
        """Return some rows, with a buffer that holds nothing but their ids."""
        ids = self[rows]
        spans = zip(ids.start.tolist(), ids.end.tolist(), strict=True)
        return Ids.from_bytes(b"".join(self.buffer[start:end] for start, end in spans), ids.length)

    def spread(self) -> Keys:
        """Return the bytes of each id as a row of words, as many as the longest id needs, filled up with zeros."""
        return np.stack([self._word(number) for number in range(max(self._count, 1))], axis=1)

    def stretch(self, begin: int, end: int) -> Ids:
        """Return the rows from `begin` up to `end` of a packed column, without the bytes of the others."""
        low, high = int(self.start[begin]) - len(PAD), int(self.end[end - 1]) + len(PAD)
        return Ids(self.buffer[low:high], self.start[begin:end] - low, self.end[begin:end] - low)

    def texts(self) -> list[str]:
        """Return the ids as text."""
        if self.known_texts is not None:
            return self.known_texts
        spans = zip(self.start.tolist(), self.end.tolist(), strict=True)
        # decode the whole buffer at once if much of it is needed and all of it is ASCII
        if len(self) * WORD * WORD > len(self.buffer) and self.buffer.isascii():
            letters = self.buffer.decode()
            return [letters[start:end] for start, end in spans]
        return [text(self.buffer[start:end]) for start, end in spans]

    @cached_property
    def length(self) -> Ints:
        """The number of bytes of each id."""
        return self.end - self.start

    @cached_property
    def longest(self) -> int:
        """The number of bytes of the longest id; 0 if there is no id."""
        return int(self.length.max(initial=0))

    @property
    def _count(self) -> int:
        return -(-self.longest // WORD)

    def first_words(self) -> Keys:
        """Return the first eight bytes of each id as one number; a shorter id is filled up with zeros."""
        word = words_at(self.buffer, self.start)
        word &= _FIRST_BYTES.take(self.length, mode="clip")
        return word

    def _word(self, number: int) -> Keys:
        if number == 0:
            return self.first_words()
        left = np.minimum(np.maximum(self.length - number * WORD, 0), WORD)
        place = np.minimum(self.start + number * WORD, len(self.buffer) - WORD)
        return words_at(self.buffer, place) & _FIRST_BYTES.take(left)

    def keys(self) -> Keys:
        """Return a 64-bit hash of each id."""
        keys = self.length.view(np.uint64) * _ODD[1]
        longer: Ints | slice = slice(None)
        for number in range(self._count):
            if number == 1:
                longer = np.flatnonzero(self.length > WORD)
            elif number:
                # look only at the rows that are long enough, so that one long id among many short ones costs little
                longer = longer[self.length[longer] > number * WORD]  # type: ignore[index]
            mixed = keys[longer]
            mixed ^= self[longer]._word(number)
            mixed *= _ODD[0]
            mixed ^= mixed >> np.uint64(32)
            keys[longer] = mixed
        return keys

    def same(self, other: Ids) -> Bools:
        """Return for each row whether the two columns hold the same id."""
        same = self.length == other.length
        for number in range(self._count):
            same &= self._word(number) == other._word(number)
        return same

    def same_as(self, rows: Ints) -> Bools:
        """Return for each row whether its id equals the id of another row of the column, given by `rows`."""
        same = self.length == self.length[rows]
        for number in range(self._count):
            word = self._word(number)
            same &= word == word[rows]
        return same

    def streaks(self) -> tuple[list[str], Ints]:
        """Return each streak of equal neighbours: its id as text and the row where it starts; then the row count."""
        streaks, starts = self.streak_ids()
        return streaks.texts(), starts

    def streak_ids(self) -> tuple[Ids, Ints]:
        """Return the id of each streak of equal neighbours, and the row where each starts, then the number of rows."""
        if self.known_streaks is not None:
            return self.known_streaks
        starts = self.breaks()
        return self[starts[:-1]], starts

    def in_streaks(self) -> StreakIds:
        """Return the same ids, with equal neighbours stored once."""
        return StreakIds(*self.streak_ids())

    def breaks(self) -> Ints:
        """Return the row where each streak of equal neighbours starts, then the number of rows."""
        if self.known_streaks is not None:
            return self.known_streaks[1]
        new = self.length[1:] != self.length[:-1]
        for number in range(self._count):
            word = self._word(number)
            new |= word[1:] != word[:-1]
        return np.concatenate(([0], np.flatnonzero(new) + 1, [len(self)])) if len(self) else np.zeros(1, np.int64)

    def number(self) -> tuple[Ints, Ints]:
        """Return the first row of each different id, and for each row the number of its id among these."""
        if self.known_texts is not None:
            return np.arange(len(self)), np.arange(len(self))
        keys = self.keys()
        if not has_repeated(keys):
            return np.arange(len(self)), np.arange(len(self))
        first, number = number_in_turn(keys)
        if not np.all(self.same(self[first[number]])):
            raise AssayError("two different ids have the same 64-bit hash; please report this")
        return first, number

    def ascending(self, *before: Ints) -> Ints:
        """Return the order of the rows by other columns, then by id, smallest bytes first."""
        by_word = [self._word(number).byteswap() for number in reversed(range(self._count))]
        return np.lexsort((self.length, *by_word, *reversed(before)))

    def descending(self, group: Ints, *then: Ints) -> Ints:
        """Return the order of the rows by group, then by id, greatest bytes first, then by other columns."""
        by_word = [~self._word(number).byteswap() for number in reversed(range(self._count))]
        return np.lexsort((*reversed(then), *by_word, group))


class Buffers:
    """Joins buffers, and each sequence of them only once, because the columns of a table share their buffers."""

    def __init__(self) -> None:
        self._joined: dict[tuple[int, ...], bytes] = {}

    def joined(self, buffers: list[bytes]) -> bytes:
        """Return some buffers joined into one."""
        which = tuple(map(id, buffers))
        if which not in self._joined:
            self._joined[which] = b"".join(buffers)
        return self._joined[which]


def encoded_text(text: str) -> bytes:
    """Return the bytes of an id in UTF-8; lone surrogates, which Python allows and UTF-8 does not, are encoded too."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def text(data: bytes) -> str:
    """Return the text of an id."""
    return data.decode("utf-8", "surrogatepass")


def pair_keys(topics: Ints, code: Ints, documents: Ids) -> Keys:
    """Return a 64-bit hash of each document with its topic.

    `topics` are numbers, and `code` is the index in `topics` for each document.
    """
    keys = documents.keys()
    keys += (topics.astype(np.uint64) * _ODD[0]).take(code)
    return scramble(keys)


def each_once(values: Ints) -> Ints:
    """Return each number once, in order.

    np.unique does the same, but first loads numpy's masked arrays, which is slow.
    """
    ordered = np.sort(values)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]


def repeated_rows(keys: Keys) -> Ints:
    """Return the rows whose key another row has too; if there are none, it does not sort."""
    if not has_repeated(keys):
        return np.zeros(0, np.int64)
    order = np.argsort(keys)
    twins = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    among = np.zeros(len(keys), bool)
    among[order[twins]] = among[order[twins + 1]] = True
    return np.flatnonzero(among)


# Columns of ids that store equal neighbours once, for example the topics of judgments.


class StreakIds(Ids):
    """The id of each streak of equal neighbours, and the row where each starts, then the number of rows.

    The start and end of each row's id are made only when something asks for them. A run of 7 million rows takes a third
    less memory this way.
    """

    known_streaks: tuple[Ids, Ints]

    def __init__(self, streaks: Ids, starts: Ints):
        self.known_streaks = streaks, starts

    @classmethod
    def behind_each_other(cls, columns: list[StreakIds], buffers: Buffers | None) -> StreakIds:
        """Join several columns of ids."""
        streaks = Ids.concatenate([column.known_streaks[0] for column in columns], buffers)
        rows = np.concatenate([np.diff(column.known_streaks[1]) for column in columns])
        starts = np.append(0, np.cumsum(rows))
        # a streak may continue in the next column
        breaks = streaks.breaks()
        return cls(streaks[breaks[:-1]], starts[breaks])

    def __len__(self) -> int:
        return int(self.known_streaks[1][-1])

    def __getattr__(self, name: str) -> Any:
        if name not in ("buffer", "start", "end"):
            raise AttributeError(name)
        streaks, starts = self.known_streaks
        rows = np.diff(starts)
        self.buffer, self.start, self.end = streaks.buffer, np.repeat(streaks.start, rows), np.repeat(streaks.end, rows)
        return getattr(self, name)


# Columns of ids that are Python strings; their bytes are made only if needed.


class HeldIds(Ids):
    """Ids that are Python strings; those of a topic are all different."""

    def __init__(self, texts: list[str]):
        self.held = texts

    def __len__(self) -> int:
        return len(self.held)

    def __getattr__(self, name: str) -> Any:
        if name not in ("buffer", "start", "end"):
            raise AttributeError(name)
        laid_out = Ids.of(self.held)
        self.buffer, self.start, self.end = laid_out.buffer, laid_out.start, laid_out.end
        return getattr(laid_out, name)

    def texts(self) -> list[str]:
        """Return the ids as text."""
        return self.held


class ScoredIds(HeldIds):
    """The documents of a single topic, and the dict in which the caller passed their scores."""

    def __init__(self, texts: list[str], scores: dict[str, Any]):
        super().__init__(texts)
        self.scores = scores


class RepeatedIds(StreakIds):
    """The ids of different texts, each repeated a given number of times."""

    def __init__(self, texts: list[str], times: list[int]):
        if 0 in times:
            texts = [text for text, number in zip(texts, times, strict=True) if number]
            times = [number for number in times if number]
        streaks = HeldIds(texts)
        streaks.known_texts = texts
        super().__init__(streaks, np.array([0, *accumulate(times)], np.int64))
