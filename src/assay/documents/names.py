"""The names of document files, and the ids under which users may ask for them.

A document's id is its path below the folder without the file ending: `co/2000/r7108` for co/2000/r7108.xml. The id with
its ending works too, and so do the last parts of the path (`r7108`), if no other file has the same.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeGuard

from assay.errors import InputError, list_names
from assay.tables.column_names import DOCUMENT_IDS, FILES, METADATA, OWN_IDS, WHOLE_IDS
from assay.tables.places import Place

if TYPE_CHECKING:
    from assay.tables.run import Table

XML_ENDINGS = (".xml", ".nxml", ".xhtml")
TEXT_ENDINGS = (".txt", ".text", ".md", ".html", ".htm")
ENDINGS = XML_ENDINGS + TEXT_ENDINGS
# The names of a document's id, best first: ids of documents, ids of records, files.
ID_NAMES = tuple(dict.fromkeys(chain(chain(*WHOLE_IDS), DOCUMENT_IDS, *OWN_IDS, *FILES)))


def without_ending(name: str) -> str:
    """Return a file name without its ending, if that is an ending of XML or text."""
    ending = os.path.splitext(name)[1]
    return name[: -len(ending)] if ending.lower() in ENDINGS else name


def without_folders(name: str) -> Iterator[str]:
    """Yield a name, then the name without its first folder, without its first two folders, and so on."""
    yield name
    folders = name.replace("\\", "/").split("/")
    yield from filter(None, ("/".join(folders[first:]) for first in range(1, len(folders))))


def is_text_by_name(name: str) -> bool:
    """Return whether a file may be a document: its ending is one of XML or text, or it has none."""
    ending = os.path.splitext(name)[1]
    return not ending or ending.lower() in ENDINGS


def is_shown(name: str) -> bool:
    """Return whether a file in an archive should be read: no part of its path is empty or begins with a dot."""
    return all(part and not part.startswith(".") for part in name.split("/"))


# An id that a framework made up: a UUID or a checksum.
MADE_UP = re.compile(r"[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}|[0-9a-f]{40}|[0-9a-f]{64}", re.IGNORECASE)
SHORTEST_MADE_UP = 32


def document_name(record: Mapping[str, Any], inner: Sequence[Mapping[str, Any]] = ()) -> str:
    """Return the id of a document in a record, in its metadata, or in a record `inner` to it; empty if it has none.

    An id of the document wins over an id of the record, and that over its file. A made-up id is taken only if there is
    nothing else.
    """
    names, metadata = known_names(tuple(record))
    if names and not metadata and not inner and is_plain_name(value := record[names[0]]):
        return value
    values: Iterable[Any] = map(record.get, names)
    if metadata or inner:
        levels = [record, *(each for name in metadata if isinstance(each := record[name], dict)), *inner]
        values = (level[name] for name in ID_NAMES for level in levels if name in level)
    made_up = ""
    for value in values:
        if text := text_of_id(value):
            if len(text) < SHORTEST_MADE_UP or not MADE_UP.fullmatch(text):
                return text
            made_up = made_up or text
    return made_up


def is_plain_name(value: object) -> TypeGuard[str]:
    """Return whether a value is certainly an id that nobody made up, as nearly all are."""
    return type(value) is str and len(value) < SHORTEST_MADE_UP and not value.isspace() and value != ""


@lru_cache(maxsize=1000)
def known_names(names: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return which of a record's names are those of ids, best first, and which may hold metadata.

    This is cached because most records have the same names.
    """
    return [name for name in ID_NAMES if name in names], [name for name in METADATA if name in names]


def text_of_id(value: Any) -> str:
    """Return a value as an id; empty if it cannot be one."""
    if isinstance(value, str):
        return value if value.strip() else ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


class AmbiguousDocument(InputError):
    """The error that several files fit the name of a document equally well."""

    def __init__(self, document: str, files: list[str], label: str):
        self.document, self.files, self.label = document, files, label
        super().__init__(self.words(), label)

    def words(self, of_label: str = "") -> str:
        """Return what is wrong, and the name to write instead."""
        what = f"document {self.document} could be {len(self.files)} files{of_label}: {list_names(self.files)}"
        return f"{what}; write the whole name, for example {self.files[0]}"

    def of_row(self, place: Place) -> InputError:
        """Return the error about the row that names the document."""
        return place.fault(self.words(f" of {self.label}"))

    def in_table(self, table: Table, document: str) -> InputError:
        """Return the error about the first row of a table with this document."""
        names = table.document.texts()
        if document not in names:
            return self
        row = names.index(document)
        (topic,) = table.topic[row : row + 1].texts()
        places = table.places(topic, document) if table.places else iter(())
        return self.of_row(next(places, Place(table.name)))


class Names:
    """The file names of a collection, searchable by document id."""

    def __init__(self, label: str, names: Iterable[str] = ()):
        self.label = label
        # A single name is in a tuple, because there may be millions and the garbage collector does not track such
        # tuples.
        self._names: dict[str, tuple[str] | list[str]] = {}
        # the files that earlier calls of `find` returned
        self._files: dict[str, str | None] = {}
        self.extend(names)

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self._names.values())

    def not_empty(self) -> Names:
        """Return these names; raise an error if there are none, because the folder may be the wrong one."""
        if not self._names:
            raise InputError("there are no documents here; expected text or XML files", self.label)
        return self

    def extend(self, names: Iterable[str]) -> None:
        """Add file names."""
        self._files.clear()
        for name in names:
            same = self._names.get(key := self.key(name))
            if same is None:
                self._names[key] = (name,)
            elif isinstance(same, tuple):
                self._names[key] = [*same, name]
            else:
                same.append(name)

    @staticmethod
    def key(name: str) -> str:
        """Return what all spellings of a document's name share: the last part of the path, without its ending."""
        return without_ending(name.rpartition("/")[2]) if is_like_a_file(name) else name

    @classmethod
    def keys(cls, document: str) -> set[str]:
        """Return the keys of all files that may be this document."""
        return {document.rpartition("/")[2], cls.key(document)} if is_like_a_file(document) else {document}

    @classmethod
    def by_key(cls, documents: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Map each key of a possible file to the documents that the file may be."""
        wanted: dict[str, tuple[str, ...]] = {}
        for document in documents:
            for key in cls.keys(document) if is_like_a_file(document) else (document,):
                wanted[key] = (*wanted.get(key, ()), document)
        return wanted

    def lacks(self, document: str) -> bool:
        """Return whether no file is this document."""
        # a name without a folder and an ending matches every file with its key
        return self.find(document) is None if is_like_a_file(document) else document not in self._names

    def find(self, document: str) -> str | None:
        """Return the name of the document's file, or None; raise an error if several files fit equally well."""
        # usually the name is the id, and no other file has the same key
        if self._names.get(self.key(document)) == (document,):
            return document
        if document not in self._files:
            self._files[document] = self._best_file(document)
        return self._files[document]

    def _best_file(self, document: str) -> str | None:
        """Return the file whose name fits a document's id best."""
        near = [name for key in self.keys(document) for name in self._names.get(key, ())]
        if len(near) == 1:
            return near[0] if fitting(near[0], document) is not None else None
        fits = sorted((fit, name) for name in near if (fit := fitting(name, document)) is not None)
        best = [name for fit, name in fits if fit == fits[0][0]]
        if len(best) > 1 and best[0] == best[-1]:
            raise InputError(f"document {document} appears {len(best)} times; expected it once", self.label)
        if len(best) > 1:
            raise AmbiguousDocument(document, best, self.label)
        return best[0] if best else None


def is_like_a_file(name: str) -> bool:
    """Return whether a name may be a path or a file name with an ending."""
    return "/" in name or "." in name


def fitting(name: str, document: str) -> int | None:
    """Return how well a file name fits an id: 0 if they are equal, more if less well, None if not at all."""
    if name == document:
        return 0
    bare = without_ending(name)
    # the ids of a JSONL file may lack the ending of the files that its texts are from
    without = without_ending(document)
    pairs = (document, name), (document, bare), (document.removesuffix(".xml"), bare), (without, name)
    for number, (asked, there) in enumerate(pairs):
        if asked == there:
            return number
    for number, (asked, there) in enumerate(pairs, len(pairs)):
        if asked and there.endswith("/" + asked):
            return number
    return None
