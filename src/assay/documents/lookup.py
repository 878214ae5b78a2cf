"""A collection of documents: their texts, and conversion between the paths of elements and spans of the text.

The names and offsets of a document's nodes are kept in the user's cache folder, and used again as long as the file of
the document is unchanged.
"""

import json
import os
import re
import secrets
import struct
import threading
import time
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from itertools import accumulate
from mmap import ACCESS_READ, mmap
from typing import Any, Literal, NoReturn

import numpy as np

from assay.documents import xml as xml_tree
from assay.documents.collection import Collection, Content, DocumentElements, Folder, JsonLines, Tar, Zip
from assay.documents.names import without_ending
from assay.errors import PASS_CHUNKS, InputError, list_names, quote
from assay.files.source import Source, archive_of, refuse_text
from assay.files.writing import cache_folder, is_regular_file, make_own_folder
from assay.tables.ids import Ints

# The cache: one file per collection in the user's cache folder.
#
# Assay never writes beside the documents. All files together take at most LIMIT bytes; Assay deletes those of the
# collections that were not used for the longest time.

LIMIT = 1 << 30
MAGIC = b"Assay documents 2\n"
HEAD = struct.Struct("<Q")
OURS = re.compile("[0-9a-f]{32}(-[0-9a-f]{16})?")
# What the cache has about a document: the mark of its file when it was read, and some bytes. It is a plain tuple
# because there may be millions.
Entry = tuple[str, bytes]
# The mark of a document, and the offset, size and checksum of its bytes in the cache file.
Kept = tuple[str, int, int, int]
# A draft older than this was left behind by a program that was stopped.
DRAFT_SECONDS = 3600


def cache_path(collection: str) -> str | None:
    """Return the path of a collection's cache file; None if caching is off or there is no folder for it."""
    folder = cache_folder("documents")
    return folder and os.path.join(folder, sha256(os.fsencode(os.path.realpath(collection))).hexdigest()[:32])


class Cache:
    """A file with some bytes for each document of a collection; the cache does not know what they mean.

    The file is never changed, only replaced, so a reader sees the old file or the new one. If two programs write at
    once, the work of one is lost, which does no harm. A damaged or foreign file counts as no file.
    """

    def __init__(self, path: str, is_current: Callable[[str, str], bool]):
        self.path, self.is_current = path, is_current
        self._new: dict[str, Entry] = {}
        self._known = 0
        # the marks that files had when they were requested, so that `write` need not compute them again
        self._current: dict[str, str] = {}
        # the index of the file, as it was read last
        self._packed_index = b""
        self._index: dict[str, Kept] = {}

    def read(self, marks: dict[str, str]) -> dict[str, bytes]:
        """Return the bytes kept for those documents whose marks have not changed."""
        self._current |= marks
        kept = {key: data for key, (_, data) in self._entries(lambda key, mark: marks[key] == mark, marks)}
        # the file's time is the time of its last use
        if is_regular_file(self.path):
            with suppress(OSError):
                os.utime(self.path)
        return kept

    def _entries(
        self, is_wanted: Callable[[str, str], bool], keys: Iterable[str] | None = None
    ) -> list[tuple[str, Entry]]:
        """Return the entries of the file that are wanted, among some documents or all."""
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
        """Add what is known of some more documents; write the file as soon as that is worth it."""
        self._new |= new
        if len(self._new) * 8 > self._known:
            self.write()

    def write(self) -> None:
        """Write the new entries, and drop the entries of documents that have changed."""
        if not self._new:
            return
        kept = dict(self._entries(self._is_kept)) | self._new
        self._new, self._known = {}, len(kept)
        columns = packed_index(kept)
        if len(columns) + sum(len(data) for _, data in kept.values()) > LIMIT:
            return
        draft = f"{self.path}-{secrets.token_hex(8)}"
        # without a home folder, free space or permission to write, nothing is kept
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
        """Return whether to write an old entry again: there is no newer one, and the file is unchanged."""
        return key not in self._new and (self._current.get(key) == mark or self.is_current(key, mark))


def drop_oldest(folder: str) -> None:
    """Delete the cache files that were not used for the longest time, until the others are within the limit."""
    files = []
    for entry in os.scandir(folder):
        # another program may have deleted it meanwhile
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
    """Return the packed index of a cache: name, number of the mark, size and checksum of each document's bytes."""
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
    """Return the packed index in the content of a cache file; raise a ValueError if there is none."""
    start = len(MAGIC) + HEAD.size
    if len(content) < start or content[: len(MAGIC)] != MAGIC:
        raise ValueError("no cache")
    return bytes(content[start : start + HEAD.unpack_from(content, len(MAGIC))[0]])


def unpacked_index(packed: bytes, length: int) -> dict[str, Kept]:
    """Unpack the index of a cache file with this length; raise a ValueError if it is not valid."""
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
    """Yield the entries of some documents that are wanted; damaged ones are left out."""
    for key in keys:
        if (kept := index.get(key)) is None:
            continue
        mark, begin, size, check = kept
        if is_wanted(key, mark) and zlib.crc32(data := content[begin : begin + size]) == check:
            yield key, (mark, data)


# Documents in memory: a dict from ids to texts that works like a collection in files.


class TextsInMemory:
    """Documents in a dict from ids to texts."""

    label = "documents"

    def __init__(self, given: Mapping[Any, str]):
        if not given:
            expected = "expected a dict from ids to texts, or objects with an id and a text"
            raise InputError(f"there are none; {expected}", self.label)
        self.given: dict[str, str] = {}
        for name, text in given.items():
            if not isinstance(text, str):
                raise InputError(f"document {name} is {quote(str(text))}; expected a string with its text", self.label)
            if str(name) in self.given:
                what = f"document {quote(str(name))} appears twice, as a number and as a string"
                raise InputError(f"{what}; expected it once", self.label)
            self.given[str(name)] = text

    def __repr__(self) -> str:
        return f"<{len(self.given):,} documents in memory>"

    def __contains__(self, document: str) -> bool:
        return self.own_id(document) is not None

    def own_id(self, document: str) -> str | None:
        """Return the id of a document, which may be named with a file ending; None if it is missing."""
        if document in self.given:
            return document
        return bare if (bare := without_ending(document)) in self.given else None

    def lacks(self, document: str) -> bool:
        """Return whether a document is missing."""
        return self.own_id(document) is None

    def text(self, document: str) -> str:
        """Return the text of a document."""
        if (own := self.own_id(document)) is None:
            raise self._lacking([document], [document])
        return self.given[own]

    def texts(self, documents: Iterable[str] | None = None) -> Iterator[tuple[str, str]]:
        """Yield the ids and texts of some documents, or of all; missing documents are left out."""
        return (
            (name, self.given[name]) for name in (self.given if documents is None else documents) if name in self.given
        )

    def readable_texts(self, unreadable: dict[str, InputError]) -> Iterator[tuple[str, str]]:
        """Yield the ids and texts of all documents; none of them is unreadable."""
        return self.texts()

    def lengths(self, documents: Iterable[str], missing: Literal["error", "unknown"] = "error") -> Ints:
        """Return the number of characters of each document; -1 if it is missing and `missing` allows that."""
        documents = list(documents)
        own = {name: self.own_id(name) for name in dict.fromkeys(documents)}
        lacking = [name for name, each in own.items() if each is None]
        if lacking and missing == "error":
            raise self._lacking(lacking, documents)
        length = {name: -1 if each is None else len(self.given[each]) for name, each in own.items()}
        return np.array([length[name] for name in documents], np.int64)

    def spans(self, *_: Any, **__: Any) -> NoReturn:
        """Raise an error: texts have no XML elements."""
        what = "these documents are texts without XML elements"
        raise InputError(f"{what}; expected a folder, an archive or a JSONL file with XML", self.label)

    path = points = point = elements = span = spans

    def _lacking(self, documents: list[str], asked: Sequence[str]) -> InputError:
        hint = chunk_hint(documents[0], asked, self)
        return InputError(f"there is no document {list_names(documents)}{hint}", self.label)


def open_collection(path: str) -> Collection:
    """Return the collection at a path, recognised by its content."""
    if os.path.isdir(path):
        return Folder(path)
    source = Source(path)
    if not os.path.exists(path):
        raise source.fault("no such file or folder; expected documents")
    head = source.head()
    if archive := archive_of(head):
        return Zip(path) if archive == "ZIP" else Tar(path)
    if head.lstrip().startswith(b"{"):
        return JsonLines(path)
    raise source.fault("not a document collection; expected a folder, a .zip or .tar archive, or a JSONL file")


# The cache entry of a missing document, so that the whole collection need not be searched for it again.
ABSENT = b"absent"
# How many nodes of unpacked trees to keep in memory: some hundred megabytes.
MOST_NODES = 3_000_000
# From this many rows on, Assay looks up all paths at once.
MANY_ROWS = 200


class BadPath(InputError):
    """A path that does not exist in its document, and the row that has it."""

    def __init__(self, what: str, path: str, row: int):
        super().__init__(what, path)
        self.row = row


class Documents:
    """A collection of documents, read when needed: a folder, a .zip or .tar archive, or a JSONL file.

    Assay keeps what it computes about them in the user's cache folder, unless `cache` is false.
    """

    def __init__(self, path: str | os.PathLike[str], cache: bool = True):
        self.label = os.fspath(path)
        refuse_text(self.label, "{id: text}")
        self._cached = cache
        # packed trees of documents that exist, documents known to be missing, and unpacked trees
        self._packed: dict[str, bytes] = {}
        self._absent: set[str] = set()
        self._finders: dict[str, xml_tree.Finder] = {}
        self._nodes = 0
        self._forest = xml_tree.Forest()
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"<Documents {self.label}>"

    def __contains__(self, document: str) -> bool:
        return document in self._packed or (
            document not in self._absent and self._collection.find(document) is not None
        )

    @cached_property
    def _collection(self) -> Collection:
        return open_collection(self.label)

    @cached_property
    def _cache(self) -> Cache | None:
        is_current = self._collection.is_current
        path = cache_path(self.label) if self._cached else None
        if path is None:
            return None
        cache = Cache(path, is_current)
        weakref.finalize(self, cache.write)
        return cache

    def text(self, document: str) -> str:
        """Return the text of a document."""
        for _, text in self.texts([document]):
            return text
        raise self._lacking([document], [document])

    def texts(self, documents: Iterable[str] | None = None) -> Iterator[tuple[str, str]]:
        """Yield the ids and texts of some documents, or of all; missing documents are left out.

        Each document is read when its turn comes.
        """
        if documents is None:
            yield from ((document, content().read()[1]) for document, _, content in self._collection.all())
            return
        yield from ((document, text) for document, (_, text) in self._trees_and_texts(documents))

    def tree_and_text(self, document: str) -> tuple[xml_tree.Tree, str]:
        """Return the nodes of a document, and its text."""
        for _, read in self._trees_and_texts([document]):
            return read
        raise self._lacking([document], [document])

    def _trees_and_texts(self, documents: Iterable[str]) -> Iterator[tuple[str, tuple[xml_tree.Tree, str]]]:
        asked = list(dict.fromkeys(documents))
        self._collection.look_for(asked)
        for document, name, content in self._collection.contents(asked):
            if self._collection.find(document) == name:
                yield document, content().read()

    def readable_texts(self, unreadable: dict[str, InputError]) -> Iterator[tuple[str, str]]:
        """Yield the ids and texts of all readable documents; `unreadable` gets the errors of the others.

        If no document is readable, this raises the first error.
        """
        some = False
        for document, _, content in self._collection.all():
            try:
                text = content().read()[1]
            except InputError as error:
                unreadable[document] = error
            else:
                some = True
                yield document, text
        if unreadable and not some:
            raise next(iter(unreadable.values()))

    def own_id(self, document: str) -> str | None:
        """Return the document's id in the collection, however it is written; None if there is no such document."""
        name = self._collection.find(document)
        return None if name is None else self._collection.own_id(name)

    def lacks(self, document: str) -> bool:
        """Return whether a document is certainly missing, without reading any."""
        return self._collection.lacks(document)

    def lengths(self, documents: Iterable[str], missing: Literal["error", "unknown"] = "error") -> Ints:
        """Return the number of characters of each document; -1 if it is missing and `missing` allows that."""
        documents = list(documents)
        self._load(documents, missing)
        known = map(self._packed.get, documents)
        return np.array([-1 if packed is None else xml_tree.packed_length(packed) for packed in known], np.int64)

    def span(self, document: str, path: str, last: str = "") -> tuple[int, int]:
        """Return the start and end of an element's text, or of the text from one path to the end of another."""
        start, end = self.spans([document], [path], [last])
        return int(start[0]), int(end[0])

    def spans(
        self, documents: Sequence[str], paths: Sequence[str], lasts: Sequence[str] | None = None
    ) -> tuple[Ints, Ints]:
        """Return the start and end of each row's text: of its path, or from there to the end of `lasts` if not empty.

        Each document is read once. The first row that is wrong raises a BadPath, which has its number.
        """
        self._load(documents)
        start, end = self._spans_at_once(documents, paths, lasts)
        rows: dict[str, list[int]] = {}
        for row in np.flatnonzero(start == xml_tree.NONE).tolist():
            rows.setdefault(documents[row], []).append(row)
        faults: list[tuple[int, str]] = []
        for document, here in rows.items():
            find = self._finder(document).span
            for row in here:
                try:
                    start[row], end[row] = find(paths[row], lasts[row] if lasts is not None else "")
                except xml_tree.NoSuchPath as error:
                    faults.append((row, f"document {document} has no {error}"))
                    break
        if faults:
            row, what = min(faults)
            raise BadPath(what, self.label, row)
        return start, end

    def _spans_at_once(
        self, documents: Sequence[str], paths: Sequence[str], lasts: Sequence[str] | None
    ) -> tuple[Ints, Ints]:
        """Return the spans of many rows; NONE if rows are few, or a path does not exist or is not a simple one."""
        start, end = np.full(len(documents), xml_tree.NONE), np.full(len(documents), xml_tree.NONE)
        if len(documents) < MANY_ROWS:
            return start, end
        with self._lock:
            if self._forest.size > MOST_NODES:
                self._forest = xml_tree.Forest()
            new = [document for document in dict.fromkeys(documents) if document not in self._forest]
            if new:
                self._forest.add((document, self._tree(document)) for document in new)
            if self._forest.has_too_many_names:
                self._forest = xml_tree.Forest()
                return start, end
            start, end = self._forest.spans(documents, paths)
            ranges = np.array([row for row, last in enumerate(lasts or ()) if last], np.int64)
            if lasts is not None and len(ranges):
                ended = ranges.tolist()
                last_end = self._forest.spans([documents[row] for row in ended], [lasts[row] for row in ended])[1]
                end[ranges] = last_end
                start[ranges[last_end < start[ranges]]] = xml_tree.NONE
        return start, end

    def points(self, documents: Sequence[str], paths: Sequence[str]) -> Ints:
        """Return the offset of each point; for an element, its start."""
        return self.spans(documents, paths)[0]

    def path(self, document: str, start: int, end: int) -> str:
        """Return the path of the smallest element that contains a span."""
        return self._finder(document, start, end).holding(start, end)

    def point(self, document: str, offset: int) -> str:
        """Return the path of the place before a character, or of the text's end: `/article[1]/p[2]/text()[1].5`."""
        return self._finder(document, offset, offset).point(offset)

    def elements(self, document: str) -> DocumentElements:
        """Return all elements of a document; a document without elements is one element."""
        finder = self._finder(document)
        tree = finder.tree
        which = np.flatnonzero(tree.name > xml_tree.TEXT_NAME) if len(tree.names) > 2 else np.zeros(1, np.int64)
        paths = finder.paths()
        return DocumentElements([paths[node] for node in which.tolist()], tree.start[which], tree.end[which])

    def _finder(self, document: str, start: int = 0, end: int = 0) -> xml_tree.Finder:
        with self._lock:
            finder = self._finders.get(document) or self._new_finder(document)
        if not 0 <= start <= end <= finder.at[-1]:
            what = f"the span {start}-{end} is outside document {document}, which has {finder.at[-1]:,} characters"
            raise InputError(what, self.label)
        return finder

    def _new_finder(self, document: str) -> xml_tree.Finder:
        finder = xml_tree.Finder(self._tree(document))
        self._finders[document] = finder
        self._nodes += len(finder.tree.name)
        # drop the oldest first
        while self._nodes > MOST_NODES and len(self._finders) > 1:
            self._nodes -= len(self._finders.pop(next(iter(self._finders))).tree.name)
        return finder

    def _tree(self, document: str) -> xml_tree.Tree:
        if document not in self._packed:
            self._load([document])
        try:
            return xml_tree.Tree.unpacked(self._packed[document])
        except ValueError:
            # the cache file has something else in it
            self._cache = None
            del self._packed[document]
            return self._tree(document)

    def _load(self, documents: Iterable[str], missing: Literal["error", "unknown"] = "error") -> None:
        """Read those documents that were not read before, from the cache if possible."""
        asked = dict.fromkeys(documents)
        with self._lock:
            new = [document for document in asked if document not in self._packed]
            there = [
                document for document in new if document not in self._absent and not self._collection.lacks(document)
            ]
            keys: dict[str, str] = {}
            marks: dict[str, str] = {}
            if self._cache and there:
                keys = {document: self._collection.key(document) for document in there}
                marks = {key: self._collection.mark(key) for key in keys.values()}
                self._take(self._cache.read(marks), keys)
            unknown = [document for document in there if document not in self._packed and document not in self._absent]
            self._read(unknown, lambda news: self._keep(news, keys, marks))
        if missing == "error" and (lacking := [document for document in new if document not in self._packed]):
            raise self._lacking(lacking, list(asked))

    def _take(self, kept: dict[str, bytes], keys: dict[str, str]) -> None:
        for document, key in keys.items():
            data = kept.get(key, b"")
            if data == ABSENT:
                self._absent.add(document)
            elif xml_tree.is_packed(data):
                self._packed[document] = data

    def _keep(self, news: dict[str, bytes], keys: dict[str, str], marks: dict[str, str]) -> None:
        if self._cache:
            self._cache.add({keys[document]: (marks[keys[document]], data) for document, data in news.items()})

    def _read(self, documents: list[str], keep: Callable[[dict[str, bytes]], None]) -> None:
        if not documents:
            return
        # Not in threads: most of the time goes into counting nodes, for which threads would wait for each other.
        outcomes = dict(map(_packed, self._collection.contents(documents)))
        faults: list[InputError] = []
        news: dict[str, bytes] = {}
        for document in documents:
            name = self._collection.find(document)
            outcome = ABSENT if name is None else outcomes[document, name]
            if isinstance(outcome, InputError):
                faults.append(outcome)
                continue
            news[document] = outcome
            if name is not None:
                self._packed[document] = outcome
        keep(news)
        if faults:
            raise faults[0]

    def _lacking(self, documents: list[str], asked: Sequence[str]) -> InputError:
        self._collection.refuse_no_text()
        hint = chunk_hint(documents[0], asked, self)
        if len(documents) == 1:
            return InputError(f"there is no document {documents[0]}{hint}", self.label)
        what = f"{len(documents):,} of {len(asked):,} documents are missing"
        return InputError(f"{what}: {list_names(documents)}{hint}", self.label)


def chunk_hint(missing: str, asked: Sequence[str], documents: TextsInMemory | Documents) -> str:
    """Return a hint if a missing document may be a chunk; empty if it may not.

    Either the document exists without its chunk number, or all documents that were asked for are numbers, and none of
    them exists.
    """
    from assay.tables.id_forms import CHUNK_NUMBERS

    wholes = (whole for change in CHUNK_NUMBERS if (whole := change.made(missing)) != missing)
    there = next((whole for whole in wholes if documents.own_id(whole) is not None), None)
    if there is not None:
        return f"; document {there} exists; {PASS_CHUNKS}"
    are_numbers = len(asked) > 1 and all(map(str.isdecimal, asked))
    return f"; {PASS_CHUNKS}" if are_numbers and not any(documents.own_id(each) is not None for each in asked) else ""


def _packed(candidate: tuple[str, str, Callable[[], Content]]) -> tuple[tuple[str, str], bytes | InputError]:
    document, name, content = candidate
    try:
        return (document, name), content().packed()
    except InputError as error:
        return (document, name), error
