"""A collection of documents: their texts, and the way from an element's path to its span of the text and back.

What was found out about a document, the names and places of its nodes, is kept in the user's cache folder, and used
again as long as the document's file is the same.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal

import numpy as np

from assay.documents import xml as xml_tree
from assay.documents.cache import Cache, cache_path
from assay.documents.collection import Collection, DocumentElements, Folder, JsonLines, Tar, Zip
from assay.documents.content import Content
from assay.documents.xml import NONE, Finder, Forest, NoSuchPath
from assay.errors import InputError, list_names
from assay.files.source import Source, archive_of
from assay.tables.ids import Ints

# Which kind of collection is at a path.


def open_collection(path: str) -> Collection:
    """The collection that is at a path, recognised by its content."""
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


# What is kept of a document that is not there, so that the whole collection need not be searched for it again.
ABSENT = b"absent"
# How many nodes of trees are ready to be asked: some hundred megabytes.
MOST_NODES = 3_000_000
# Rows that are worth to be looked up all at once.
MANY_ROWS = 200


class BadPath(InputError):
    """A path that leads to nothing in its document, and the row in which it was asked for."""

    def __init__(self, what: str, path: str, row: int):
        super().__init__(what, path)
        self.row = row


class Documents:
    """A collection of documents, read when needed: a folder, a .zip or .tar archive, or a JSONL file.

    Assay keeps what it computes about them in the user's cache folder, unless `cache` is false.
    """

    def __init__(self, path: str | os.PathLike[str], cache: bool = True):
        self.label = os.fspath(path)
        self._cached = cache
        # what is known of documents that are there, those of which it is kept that they are not, and trees unpacked
        self._packed: dict[str, bytes] = {}
        self._absent: set[str] = set()
        self._finders: dict[str, Finder] = {}
        self._nodes = 0
        self._forest = Forest()
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
        raise self._lacking([document], 1)

    def texts(self, documents: Iterable[str] | None = None) -> Iterator[tuple[str, str]]:
        """The ids and texts of some documents, or of all; those that are missing are left out. Each is read when its
        turn comes.
        """
        if documents is None:
            yield from ((document, content().read()[1]) for document, _, content in self._collection.all())
            return
        yield from ((document, text) for document, (_, text) in self._trees_and_texts(documents))

    def tree_and_text(self, document: str) -> tuple[xml_tree.Tree, str]:
        """Return the nodes of a document, and its text."""
        for _, read in self._trees_and_texts([document]):
            return read
        raise self._lacking([document], 1)

    def _trees_and_texts(self, documents: Iterable[str]) -> Iterator[tuple[str, tuple[xml_tree.Tree, str]]]:
        asked = list(dict.fromkeys(documents))
        self._collection.look_for(asked)
        for document, name, content in self._collection.contents(asked):
            if self._collection.find(document) == name:
                yield document, content().read()

    def readable_texts(self, unreadable: dict[str, InputError]) -> Iterator[tuple[str, str]]:
        """The ids and texts of all documents that can be read; what is wrong with others is put into `unreadable`.

        Where none can be read, that is an error.
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
        for row in np.flatnonzero(start == NONE).tolist():
            rows.setdefault(documents[row], []).append(row)
        faults: list[tuple[int, str]] = []
        for document, here in rows.items():
            find = self._finder(document).span
            for row in here:
                try:
                    start[row], end[row] = find(paths[row], lasts[row] if lasts is not None else "")
                except NoSuchPath as error:
                    faults.append((row, f"document {document} has no {error}"))
                    break
        if faults:
            row, what = min(faults)
            raise BadPath(what, self.label, row)
        return start, end

    def _spans_at_once(
        self, documents: Sequence[str], paths: Sequence[str], lasts: Sequence[str] | None
    ) -> tuple[Ints, Ints]:
        """The spans of many rows; NONE of those that are too few for that, lead nowhere, or are not so simple."""
        start, end = np.full(len(documents), NONE), np.full(len(documents), NONE)
        if len(documents) < MANY_ROWS:
            return start, end
        with self._lock:
            if self._forest.size > MOST_NODES:
                self._forest = Forest()
            new = [document for document in dict.fromkeys(documents) if document not in self._forest]
            if new:
                self._forest.add((document, self._tree(document)) for document in new)
            if self._forest.has_too_many_names:
                self._forest = Forest()
                return start, end
            start, end = self._forest.spans(documents, paths)
            ranges = np.array([row for row, last in enumerate(lasts or ()) if last], np.int64)
            if lasts is not None and len(ranges):
                ended = ranges.tolist()
                last_end = self._forest.spans([documents[row] for row in ended], [lasts[row] for row in ended])[1]
                end[ranges] = last_end
                start[ranges[last_end < start[ranges]]] = NONE
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

    def _finder(self, document: str, start: int = 0, end: int = 0) -> Finder:
        with self._lock:
            finder = self._finders.get(document) or self._new_finder(document)
        if not 0 <= start <= end <= finder.at[-1]:
            what = f"the span {start}-{end} is outside document {document}, which has {finder.at[-1]:,} characters"
            raise InputError(what, self.label)
        return finder

    def _new_finder(self, document: str) -> Finder:
        finder = Finder(self._tree(document))
        self._finders[document] = finder
        self._nodes += len(finder.tree.name)
        # those made first make room
        while self._nodes > MOST_NODES and len(self._finders) > 1:
            self._nodes -= len(self._finders.pop(next(iter(self._finders))).tree.name)
        return finder

    def _tree(self, document: str) -> xml_tree.Tree:
        if document not in self._packed:
            self._load([document])
        try:
            return xml_tree.Tree.unpacked(self._packed[document])
        except ValueError:
            # somebody else's idea of a cache
            self._cache = None
            del self._packed[document]
            return self._tree(document)

    def _load(self, documents: Iterable[str], missing: Literal["error", "unknown"] = "error") -> None:
        """Reads those documents that were not read before."""
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
            raise self._lacking(lacking, len(asked))

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
        # not in threads, which would only wait for each other: most of the time nodes are counted
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

    def _lacking(self, documents: list[str], asked: int) -> InputError:
        hint = self._of_chunks(documents[0])
        if len(documents) == 1:
            return InputError(f"there is no document {documents[0]}{hint}", self.label)
        what = f"{len(documents):,} of {asked:,} documents are missing"
        return InputError(f"{what}: {list_names(documents)}{hint}", self.label)

    def _of_chunks(self, document: str) -> str:
        """What is said of a document that is not there, where it would be without the number of a chunk."""
        from assay.tables.id_forms import CHUNK_NUMBERS

        wholes = (whole for change in CHUNK_NUMBERS if (whole := change.made(document)) != document)
        there = next((whole for whole in wholes if self.own_id(whole) is not None), None)
        return "" if there is None else f"; document {there} exists: are these chunk ids?"


def _packed(candidate: tuple[str, str, Callable[[], Content]]) -> tuple[tuple[str, str], bytes | InputError]:
    document, name, content = candidate
    try:
        return (document, name), content().packed()
    except InputError as error:
        return (document, name), error
