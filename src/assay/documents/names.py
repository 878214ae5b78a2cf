"""What documents are called: the names of files, and the ids that they may have.

A document's id is its path below the folder without its ending, `co/2000/r7108` for co/2000/r7108.xml; the last parts
of that path, as `r7108`, will do where no other file has them, and so will the id with its ending.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain

from assay.errors import InputError, list_names

XML_ENDINGS = (".xml", ".nxml", ".xhtml")
TEXT_ENDINGS = (".txt", ".text", ".md", ".html", ".htm")
ENDINGS = XML_ENDINGS + TEXT_ENDINGS


def without_ending(name: str) -> str:
    """A file's name without the ending of XML or text."""
    ending = os.path.splitext(name)[1]
    return name[: -len(ending)] if ending.lower() in ENDINGS else name


def without_folders(name: str) -> Iterator[str]:
    """A name, which may be a path, and what is left of it without the first of its folders, the first two, and so on.
    """
    yield name
    folders = name.replace("\\", "/").split("/")
    yield from filter(None, ("/".join(folders[first:]) for first in range(1, len(folders))))


def is_text_by_name(name: str) -> bool:
    """Whether a file may be a document by its ending: that of XML or text, or none."""
    ending = os.path.splitext(name)[1]
    return not ending or ending.lower() in ENDINGS


def is_shown(name: str) -> bool:
    """Whether a name in an archive is that of a file below it, and not hidden."""
    return all(part and not part.startswith(".") for part in name.split("/"))


class Names:
    """The files of a collection, to be found by the ids that they may have."""

    def __init__(self, label: str, names: Iterable[str] = ()):
        self.label = label
        # a tuple if there is one name: unlike a list it costs the garbage collector nothing, and there may be
        # millions
        self._names: dict[str, tuple[str] | list[str]] = {}
        # the files of the documents that were asked for
        self._files: dict[str, str | None] = {}
        self.extend(names)

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self._names.values())

    def not_empty(self) -> Names:
        """The same names, unless there are none: a folder may be the wrong one."""
        if not self._names:
            raise InputError("there are no documents here; expected text or XML files", self.label)
        return self

    def extend(self, names: Iterable[str]) -> None:
        """Some more files."""
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
        """What all names of a document have in common."""
        return without_ending(name.rpartition("/")[2]) if is_like_a_file(name) else name

    @classmethod
    def keys(cls, document: str) -> set[str]:
        """The keys of the files that may be a document."""
        return {document.rpartition("/")[2], cls.key(document)} if is_like_a_file(document) else {document}

    @classmethod
    def by_key(cls, documents: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """For each key of a file that may be one of the documents, those that it may be."""
        wanted: dict[str, tuple[str, ...]] = {}
        for document in documents:
            for key in cls.keys(document) if is_like_a_file(document) else (document,):
                wanted[key] = (*wanted.get(key, ()), document)
        return wanted

    def lacks(self, document: str) -> bool:
        """Whether no file is a document."""
        # a name without folder and ending is that of every file with its key
        return self.find(document) is None if is_like_a_file(document) else document not in self._names

    def find(self, document: str) -> str | None:
        """The file that a document is; None if there is none."""
        # most often the name is the id, and no other file has a name like it
        if self._names.get(self.key(document)) == (document,):
            return document
        if document not in self._files:
            self._files[document] = self._best_file(document)
        return self._files[document]

    def _best_file(self, document: str) -> str | None:
        """The file whose name fits a document's id best."""
        near = [name for key in self.keys(document) for name in self._names.get(key, ())]
        if len(near) == 1:
            return near[0] if fitting(near[0], document) is not None else None
        fits = sorted((fit, name) for name in near if (fit := fitting(name, document)) is not None)
        best = [name for fit, name in fits if fit == fits[0][0]]
        if len(best) > 1 and best[0] == best[-1]:
            raise InputError(f"document {document} appears {len(best)} times; expected it once", self.label)
        if len(best) > 1:
            what = f"document {document} could be {len(best)} files: {list_names(best)}"
            raise InputError(f"{what}; expected one", self.label)
        return best[0] if best else None


def is_like_a_file(name: str) -> bool:
    """Whether a name may be that of a folder's file, or of one with an ending."""
    return "/" in name or "." in name


def fitting(name: str, document: str) -> int | None:
    """How well a file's name fits an id: 0 if it is the same, None if it does not."""
    if name == document:
        return 0
    bare = without_ending(name)
    pairs = (document, name), (document, bare), (document.removesuffix(".xml"), bare)
    for number, (asked, there) in enumerate(pairs):
        if asked == there:
            return number
    for number, (asked, there) in enumerate(pairs, len(pairs)):
        if asked and there.endswith("/" + asked):
            return number
    return None
