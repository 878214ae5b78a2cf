"""An index of a JSONL file: where the line of each document begins, in a few bytes per document.

With it, later requests need not search the whole file again.
"""

from array import array
from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np

from assay.files.line_blocks import LARGEST
from assay.files.source import LONGEST_MAGIC, MARK, Source, opened_by_content, piece_size
from assay.tables.ids import Ints


class LineIndex:
    """For each document, the hash of its key, its line number, and the byte at which the line begins.

    Different keys may have the same hash, so a lookup returns lines in which the document may be.
    """

    def __init__(self) -> None:
        self._hashes, self._numbers, self._starts = array("q"), array("q"), array("q")

    def add(self, key: str, number: int, start: int) -> None:
        """Add a document."""
        self._hashes.append(hash(key))
        self._numbers.append(number)
        self._starts.append(start)

    @cached_property
    def _sorted(self) -> tuple[Ints, Ints]:
        hashes = np.array(self._hashes, np.int64)
        order = np.argsort(hashes, kind="stable")
        return hashes[order], order

    def rows(self, keys: Iterable[str]) -> Ints:
        """Return the rows of all documents that may have one of the keys, in file order."""
        hashes, order = self._sorted
        asked = np.unique(np.fromiter(map(hash, keys), np.int64))
        first, behind = np.searchsorted(hashes, asked), np.searchsorted(hashes, asked, "right")
        lengths = behind - first
        places = np.repeat(first - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths) + np.arange(lengths.sum())
        return np.sort(order[places])

    def lines(self, source: Source, rows: Ints) -> Iterator[tuple[int, bytes]]:
        """Yield the number and the bytes of the lines of some rows, which must be in file order."""
        # few of perhaps a million lines are needed, so the columns do not become numpy arrays
        numbers, starts = ([column[row] for row in rows.tolist()] for column in (self._numbers, self._starts))
        with open(source.path, "rb") as file:
            head = file.read(LONGEST_MAGIC)
            if not opened_by_content(head, file)[0]:
                marked = len(MARK) if head.startswith(MARK) else 0
                for number, start in zip(numbers, starts, strict=True):
                    file.seek(marked + start)
                    yield number, file.readline().rstrip(b"\n")
                return
        # a compressed file can only be read from its start
        wanted = set(numbers)
        yield from ((number, line) for number, line in enumerate(lines_of(source), 1) if number in wanted)


def lines_of(source: Source) -> Iterator[bytes]:
    """Yield the lines of a file without their line ends, in bounded memory."""
    begun: list[bytes] = []
    for block in source.blocks(piece_size()):
        first, *more = block.split(b"\n")
        begun.append(first)
        if more:
            yield b"".join(begun)
            yield from more[:-1]
            begun = more[-1:]
        elif sum(map(len, begun)) > LARGEST:
            raise source.fault(f"a line has more than {LARGEST >> 20} MB; expected JSONL, with one document per line")
    yield b"".join(begun)
