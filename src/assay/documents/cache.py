"""What was found out about documents, kept for the next time in the user's cache folder: a file for each collection.

Nothing is ever written beside the documents. Together the files take at most LIMIT bytes: the collections that were
not used for the longest time are dropped.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import struct
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from itertools import accumulate
from mmap import ACCESS_READ, mmap

from assay.files.writing import cache_folder, is_regular_file, make_own_folder

LIMIT = 1 << 30
MAGIC = b"Assay documents 2\n"
HEAD = struct.Struct("<Q")
OURS = re.compile("[0-9a-f]{32}(-[0-9a-f]{16})?")
# What is known of a document: the mark of its file when it was read, and some bytes. It is a plain tuple as there may
# be millions.
Entry = tuple[str, bytes]
# The mark of a document, and of its bytes the place in the file, their number and their checksum.
Kept = tuple[str, int, int, int]
# A draft that is older than this was left by a program that was stopped.
DRAFT_SECONDS = 3600


def cache_path(collection: str) -> str | None:
    """The file that is kept for the collection at a path; None if nothing shall be, or there is no place for it."""
    folder = cache_folder("documents")
    return folder and os.path.join(folder, sha256(os.fsencode(os.path.realpath(collection))).hexdigest()[:32])


class Cache:
    """A file with what is known of the documents of a collection: for each some bytes, of which it knows nothing.

    It is never changed but always replaced, so that who reads it sees the old or the new one; of two that are written
    at once one is lost, which does no harm. A file that is damaged, or none of ours, is as good as none.
    """

    def __init__(self, path: str, is_current: Callable[[str, str], bool]):
        self.path, self.is_current = path, is_current
        self._new: dict[str, Entry] = {}
        self._known = 0
        # the marks that files had when they were asked for, so that they need not be looked at again
        self._current: dict[str, str] = {}
        # what stands where in the file, as it was read last
        self._packed_index = b""
        self._index: dict[str, Kept] = {}

    def read(self, marks: dict[str, str]) -> dict[str, bytes]:
        """The bytes kept for those of the documents whose marks are the same as they were."""
        self._current |= marks
        kept = {key: data for key, (_, data) in self._entries(lambda key, mark: marks[key] == mark, marks)}
        # the time of its last use is the time of the file
        if is_regular_file(self.path):
            with suppress(OSError):
                os.utime(self.path)
        return kept

    def _entries(
        self, is_wanted: Callable[[str, str], bool], keys: Iterable[str] | None = None
    ) -> list[tuple[str, Entry]]:
        """What the file has about those of some documents, or of all, that are wanted."""
        if not is_regular_file(self.path):
            return []
        with (
            suppress(OSError, ValueError),
            open(self.path, "rb") as file,
            mmap(file.fileno(), 0, access=ACCESS_READ) as content,
        ):
            packed = index_in(content)
            if packed != self._packed_index:
                self._index, self._packed_index = unpacked_index(packed, len(content)), packed
            return list(entries(content, self._index, self._index if keys is None else keys, is_wanted))
        return []

    def add(self, new: dict[str, Entry]) -> None:
        """Keep what is known of some more documents; in the file as soon as that is worth while."""
        self._new |= new
        if len(self._new) * 8 > self._known:
            self.write()

    def write(self) -> None:
        """Write what is new, and drop what is known of documents that are no longer the same."""
        if not self._new:
            return
        kept = dict(self._entries(self._is_kept)) | self._new
        self._new, self._known = {}, len(kept)
        columns = packed_index(kept)
        if len(columns) + sum(len(data) for _, data in kept.values()) > LIMIT:
            return
        draft = f"{self.path}-{secrets.token_hex(8)}"
        # no home, no room, no leave to write: then nothing is kept
        with suppress(OSError):
            make_own_folder(os.path.dirname(self.path))
            try:
                with open(draft, "xb") as file:
                    file.writelines([MAGIC, HEAD.pack(len(columns)), columns, *(data for _, data in kept.values())])
                os.replace(draft, self.path)
            finally:
                with suppress(OSError):
                    os.unlink(draft)
            drop_oldest(os.path.dirname(self.path))

    def _is_kept(self, key: str, mark: str) -> bool:
        """Whether what is known of a document is written again: nothing newer is, and its file is the same."""
        return key not in self._new and (self._current.get(key) == mark or self.is_current(key, mark))


def drop_oldest(folder: str) -> None:
    """Delete the files of the collections that were not used for the longest time, so that the others are within the
    limit.
    """
    files = []
    for entry in os.scandir(folder):
        # another program may have deleted it in the meantime
        with suppress(OSError):
            if OURS.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                facts = entry.stat()
                files.append((facts.st_mtime, facts.st_size, entry.path))
    files.sort(reverse=True)
    for (used, _, path), total in zip(files, accumulate(size for _, size, _ in files), strict=True):
        is_left_behind = "-" in os.path.basename(path) and used < time.time() - DRAFT_SECONDS
        if total > LIMIT or is_left_behind:
            with suppress(OSError):
                os.unlink(path)


def packed_index(kept: dict[str, Entry]) -> bytes:
    """The documents that a cache knows, in columns: name, number of the mark of the file, and size and checksum of the
    bytes.
    """
    numbers = {mark: number for number, mark in enumerate(dict.fromkeys(mark for mark, _ in kept.values()))}
    columns = {
        "marks": list(numbers),
        "names": list(kept),
        "mark": [numbers[mark] for mark, _ in kept.values()],
        "size": [len(data) for _, data in kept.values()],
        "check": [zlib.crc32(data) for _, data in kept.values()],
    }
    return zlib.compress(json.dumps(columns).encode(), 1)


def index_in(content: bytes | mmap) -> bytes:
    """The packed index that the content of a cache has; a ValueError where it is none."""
    start = len(MAGIC) + HEAD.size
    if len(content) < start or content[: len(MAGIC)] != MAGIC:
        raise ValueError("no cache")
    return bytes(content[start : start + HEAD.unpack_from(content, len(MAGIC))[0]])


def unpacked_index(packed: bytes, length: int) -> dict[str, Kept]:
    """What stands where in a cache of a length; a ValueError where the index is none, or not that of such a cache."""
    at = len(MAGIC) + HEAD.size + len(packed)
    try:
        columns = json.loads(zlib.decompress(packed))
        marks, sizes = columns["marks"], columns["size"]
        if not all(isinstance(size, int) and size >= 0 for size in sizes) or at + sum(sizes) != length:
            raise ValueError("no cache")
        begins = list(accumulate(sizes, initial=at))[:-1]
        rows = zip(columns["names"], columns["mark"], begins, sizes, columns["check"], strict=True)
        return {name: (marks[mark], begin, size, check) for name, mark, begin, size, check in rows}
    except (zlib.error, TypeError, LookupError, OverflowError, RecursionError) as error:
        raise ValueError(str(error)) from None


def entries(
    content: bytes | mmap, index: dict[str, Kept], keys: Iterable[str], is_wanted: Callable[[str, str], bool]
) -> Iterator[tuple[str, Entry]]:
    """What the content of a cache has about those of some documents that are wanted; what is damaged is left out."""
    for key in keys:
        if (kept := index.get(key)) is None:
            continue
        mark, begin, size, check = kept
        if is_wanted(key, mark) and zlib.crc32(data := content[begin : begin + size]) == check:
            yield key, (mark, data)
