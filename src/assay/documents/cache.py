"""What was found out about documents, kept for the next time in the user's cache folder: a file for each collection.

The folder is the one that the platform has for such things (~/.cache/assay on Linux), or the one that ASSAY_CACHE names; where that
is set but empty nothing is kept. Nothing is ever written beside the documents. All files of the folder may be deleted at any time.
Together they take at most LIMIT bytes: the collections that were not used for the longest time are dropped.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import struct
import sys
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from itertools import accumulate
from typing import Any, NamedTuple

from assay.documents.stamps import Stamp

VARIABLE = "ASSAY_CACHE"
LIMIT = 1 << 30
MAGIC = b"Assay documents 2\n"
HEAD = struct.Struct("<Q")
OURS = re.compile("[0-9a-f]{32}(-[0-9a-f]{16})?")
# A draft that is older than this was left by a program that was stopped.
DRAFT_SECONDS = 3600


def cache_path(collection: str) -> str | None:
    """The file that is kept for the collection at a path; None where nothing shall be, or there is no place for it."""
    folder = _folder()
    return folder and os.path.join(folder, "documents", sha256(os.fsencode(os.path.realpath(collection))).hexdigest()[:32])


def _folder() -> str | None:
    named = os.environ.get(VARIABLE)
    if named is not None:
        return os.path.abspath(named) if named else None
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return os.path.join(local, "assay", "Cache") if local else None
    given = os.environ.get("XDG_CACHE_HOME", "")
    if sys.platform != "darwin" and os.path.isabs(given):
        return os.path.join(given, "assay")
    home = os.path.expanduser("~")
    if not os.path.isdir(home):
        return None
    return os.path.join(home, *(("Library", "Caches") if sys.platform == "darwin" else (".cache",)), "assay")


class Place(NamedTuple):
    """Where in the file the bytes of a document are, and their checksum."""

    at: int
    size: int
    check: int


class Cache:
    """A file with what is known of the documents of a collection: for each some bytes, of which it knows nothing.

    It is never changed but always replaced, so that who reads it sees the old or the new one; of two that are written at once one
    is lost, which does no harm. A file that is damaged, or none of ours, is as good as none.
    """

    def __init__(self, path: str, is_current: Callable[[Stamp], bool]):
        self.path, self.is_current = path, is_current
        self._new: dict[Stamp, bytes] = {}
        self._known = 0

    def read(self, stamps: set[Stamp]) -> dict[Stamp, bytes]:
        """The bytes kept for those of the documents that are the same as they were."""
        kept = {}
        with suppress(OSError, ValueError), self._opened() as file:
            for stamp, place in index(file).items():
                if stamp in stamps:
                    file.seek(place.at)
                    if zlib.crc32(data := file.read(place.size)) == place.check:
                        kept[stamp] = data
            # the time of its last use is the time of the file
            os.utime(self.path)
        return kept

    def _opened(self) -> Any:
        # a pipe would wait for somebody to write
        if not os.path.isfile(self.path):
            raise FileNotFoundError(self.path)
        return open(self.path, "rb")

    def add(self, new: dict[Stamp, bytes]) -> None:
        """Keeps some more bytes; in the file as soon as that is worth while."""
        self._new |= new
        if len(self._new) * 8 > self._known:
            self.write()

    def write(self) -> None:
        """Writes what is new, and drops what is known of documents that are no longer the same."""
        if not self._new:
            return
        old: set[Stamp] = set()
        with suppress(OSError, ValueError), self._opened() as file:
            old = {stamp for stamp in index(file) if stamp not in self._new and self.is_current(stamp)}
        kept = (self.read(old) if old else {}) | self._new
        self._new, self._known = {}, len(kept)
        columns = packed_index(kept)
        if len(columns) + sum(map(len, kept.values())) > LIMIT:
            return
        draft = f"{self.path}-{secrets.token_hex(8)}"
        # no home, no room, no leave to write: then nothing is kept
        with suppress(OSError):
            os.makedirs(os.path.dirname(self.path), 0o700, exist_ok=True)
            try:
                with open(draft, "xb") as file:
                    file.writelines([MAGIC, HEAD.pack(len(columns)), columns, *kept.values()])
                os.replace(draft, self.path)
            finally:
                with suppress(OSError):
                    os.unlink(draft)
            drop_oldest(os.path.dirname(self.path))


def drop_oldest(folder: str) -> None:
    """Deletes the files of the collections that were not used for the longest time, so that the others are within the limit."""
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


def packed_index(kept: dict[Stamp, bytes]) -> bytes:
    """The documents that a cache knows, in columns: name, number of the mark of the file, and size and checksum of the bytes."""
    marks = {mark: number for number, mark in enumerate(dict.fromkeys(stamp.mark for stamp in kept))}
    columns = {
        "marks": list(marks),
        "names": [stamp.name for stamp in kept],
        "mark": [marks[stamp.mark] for stamp in kept],
        "size": [len(data) for data in kept.values()],
        "check": [zlib.crc32(data) for data in kept.values()],
    }
    return zlib.compress(json.dumps(columns).encode(), 1)


def index(file: Any) -> dict[Stamp, Place]:
    """The documents that a cache knows, and where it has their bytes; a ValueError where it is none."""
    whole = os.fstat(file.fileno()).st_size
    head = file.read(len(MAGIC) + HEAD.size)
    if len(head) < len(MAGIC) + HEAD.size or not head.startswith(MAGIC):
        raise ValueError("no cache")
    (length,) = HEAD.unpack_from(head, len(MAGIC))
    at = len(head) + length
    try:
        columns = json.loads(zlib.decompress(file.read(length) if at <= whole else b""))
        marks, sizes = columns["marks"], columns["size"]
        if not all(isinstance(size, int) and size >= 0 for size in sizes) or at + sum(sizes) != whole:
            raise ValueError("no cache")
        stamps = [Stamp(name, marks[number]) for name, number in zip(columns["names"], columns["mark"], strict=True)]
        places = map(Place, accumulate(sizes[:-1], initial=at), sizes, columns["check"])
        return dict(zip(stamps, places, strict=True))
    except (zlib.error, TypeError, LookupError, OverflowError, RecursionError) as error:
        raise ValueError(str(error)) from None
