"""Where the documents of a file with one a line begin, in a few bytes for each: what is asked for later need not be
searched.
"""

from array import array
from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np

from assay.files.line_blocks import LARGEST
from assay.files.source import LONGEST_MAGIC, MARK, Source, opened_by_content
from assay.tables.ids import Ints


class LineIndex:
    """For each document a hash of its name's key, the number of its line, and the byte where that begins.

    Two keys may have the same hash: who looks a document up finds the lines in which it may be.
    """

    def __init__(self) -> None:
        self._hashes, self._numbers, self._starts = array("q"), array("q"), array("q")

    def add(self, key: str, number: int, start: int) -> None:
        """One more document."""
        self._hashes.append(hash(key))
        self._numbers.append(number)
        self._starts.append(start)

    @cached_property
    def _sorted(self) -> tuple[Ints, Ints]:
        hashes = np.array(self._hashes, np.int64)
        order = np.argsort(hashes, kind="stable")
        return hashes[order], order

    def rows(self, keys: Iterable[str]) -> Ints:
        """The rows of all documents that may have one of the keys, in the order of the file."""
        hashes, order = self._sorted
        asked = np.unique(np.fromiter(map(hash, keys), np.int64))
        first, behind = np.searchsorted(hashes, asked), np.searchsorted(hashes, asked, "right")
        lengths = behind - first
        places = np.repeat(first - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths) + np.arange(lengths.sum())
        return np.sort(order[places])

    def lines(self, source: Source, rows: Ints) -> Iterator[tuple[int, bytes]]:
        """The number and the bytes of the lines of some rows, which are in the order of the file."""
        # of a million lines few are asked for at a time
        numbers, starts = ([column[row] for row in rows.tolist()] for column in (self._numbers, self._starts))
        with open(source.path, "rb") as file:
            head = file.read(LONGEST_MAGIC)
            if not opened_by_content(head, file)[0]:
                marked = len(MARK) if head.startswith(MARK) else 0
                for number, start in zip(numbers, starts, strict=True):
                    file.seek(marked + start)
                    yield number, file.readline().rstrip(b"\n")
                return
        # of a compressed file nothing can be read but all from its start
        wanted = set(numbers)
        yield from ((number, line) for number, line in enumerate(lines_of(source), 1) if number in wanted)


def lines_of(source: Source) -> Iterator[bytes]:
    """The lines of a file, without their ends, in bounded memory."""
    begun: list[bytes] = []
    for block in source.blocks():
        first, *more = block.split(b"\n")
        begun.append(first)
        if more:
            yield b"".join(begun)
            yield from more[:-1]
            begun = more[-1:]
        elif sum(map(len, begun)) > LARGEST:
            raise source.fault(f"a line has more than {LARGEST >> 20} MB; expected JSONL, with one document per line")
    yield b"".join(begun)
