"""Where documents come from, and a folder of them. Only those asked for are read.

Files and folders whose names begin with a point are left out.
"""

from __future__ import annotations

import os
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import blake2b
from typing import Literal, Protocol

from assay.documents.content import LARGEST, Content, content_of
from assay.documents.names import Names, is_text_by_name, without_ending
from assay.errors import InputError
from assay.tables.ids import Ints


@dataclass(frozen=True, eq=False, repr=False)
class DocumentElements:
    """All elements of a document in their order: their paths, and where the text of each begins and ends."""

    paths: list[str]
    start: Ints
    end: Ints


class DocumentCollection(Protocol):
    """What can be asked of documents, wherever they are: in files as `Documents`, or in memory as `TextsInMemory`."""

    label: str

    def __contains__(self, document: str, /) -> bool: ...

    def own_id(self, document: str) -> str | None:
        """What a document is called among all, whatever way its id is written; None where there is none."""

    def lacks(self, document: str) -> bool:
        """Whether a document is known not to be there, without reading any."""

    def text(self, document: str) -> str:
        """The text of a document."""

    def texts(self, documents: Iterable[str] | None = None) -> Iterator[tuple[str, str]]:
        """The ids and texts of some documents, or of all; those that are missing are left out."""

    def lengths(self, documents: Iterable[str], missing: Literal["error", "unknown"] = "error") -> Ints:
        """The number of characters of each document; -1 for those that are missing, where that is no error."""

    def span(self, document: str, path: str, last: str = "") -> tuple[int, int]:
        """Where the text of an element begins and ends, or that from one path to the end of another."""

    def spans(
        self, documents: Sequence[str], paths: Sequence[str], lasts: Sequence[str] | None = None
    ) -> tuple[Ints, Ints]:
        """Where the text of each row begins and ends: of its path, or from there to the end of `lasts`."""

    def points(self, documents: Sequence[str], paths: Sequence[str]) -> Ints:
        """The place of each point; of an element where it begins."""

    def path(self, document: str, start: int, end: int) -> str:
        """The path of the smallest element that holds a span."""

    def point(self, document: str, offset: int) -> str:
        """The path of the place before a character of the text, or of its end."""

    def elements(self, document: str) -> DocumentElements:
        """All elements of a document; one without any is an element itself."""


# What tells whether a file is still the one that was read.

# So much of the start and of the end of a file is looked at.
END = 4 << 10
FACTS = struct.Struct("<4Q")


def mark_of(path: str) -> str:
    """A file's mark: another one as soon as its size, its times, its place on the disk, its start or its end is
    another.

    The time of the last change of any kind (ctime) cannot be set back as that of the content can, and a file that
    replaces another has another place (inode); where a file system keeps neither, start and end still tell most
    changes.
    """
    with open(path, "rb", buffering=0) as file:
        facts = os.fstat(file.fileno())
        numbers = facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino
        ends = file.read(END)
        if facts.st_size > END:
            file.seek(max(END, facts.st_size - END))
            ends += file.read(END)
    return blake2b(FACTS.pack(*(number % (1 << 64) for number in numbers)) + ends, digest_size=12).hexdigest()


# A document's id, the name of a file that may be it, and a function that reads it.
Candidate = tuple[str, str, Callable[[], Content]]


class Collection:
    """Documents in one place; unless told otherwise in one file: if that is the same, so are they."""

    def __init__(self, path: str):
        self.path = path

    @cached_property
    def names(self) -> Names:
        """All files, none of them read."""
        raise NotImplementedError

    def find(self, document: str) -> str | None:
        """The name of the file that a document is; None where there is none."""
        return self.names.find(document)

    def contents(self, documents: list[str]) -> Iterator[Candidate]:
        """Of each document asked for every file that may be it: its id, the file's name, and a function that reads it.
        """
        for document in documents:
            if name := self.find(document):
                yield document, name, partial(self.content, name)

    def content(self, name: str) -> Content:
        """A file's content."""
        raise NotImplementedError

    def all(self) -> Iterator[Candidate]:
        """All files that may be documents by their endings."""
        for name, content in self.all_files():
            if is_text_by_name(name):
                yield self.own_id(name), name, content

    def own_id(self, name: str) -> str:
        """What a file is called as a document: its name without its ending, if no other file is called so."""
        short = without_ending(name)
        return short if self._short_names[short] == 1 else name

    @cached_property
    def _short_names(self) -> Counter[str]:
        return Counter(map(without_ending, self.names))

    def look_for(self, documents: list[str]) -> None:
        """Finds out which of the documents are there, where it takes less time to do so for all at once."""

    def all_files(self) -> Iterator[tuple[str, Callable[[], Content]]]:
        """The name of every file, and a function that reads it."""
        return ((name, partial(self.content, name)) for name in self.names)

    @cached_property
    def _mark(self) -> str:
        with told_as_input_errors(self.path):
            return mark_of(self.path)

    def lacks(self, document: str) -> bool:
        """Whether a document is known not to be there; of some collections that is known only when all of it was read.
        """
        return self.names.lacks(document)

    def key(self, document: str) -> str:
        """What a document that may be there is called where something is kept about it."""
        return self.find(document) or document

    def mark(self, key: str) -> str:
        """What tells whether a document has changed."""
        return self._mark

    def is_current(self, key: str, mark: str) -> bool:
        """Whether a document, once read, is still the same."""
        return mark == self._mark


class Folder(Collection):
    """The files in a folder and in those within it."""

    @cached_property
    def names(self) -> Names:
        """All files, none of them read."""
        return Names(self.path, self._walk()).not_empty()

    def _walk(self) -> Iterator[str]:
        below, seen = [""], set()
        while below:
            folder = below.pop()
            with told_as_input_errors(self._at(folder)):
                here = os.stat(self._at(folder))
                # a link may lead to a folder that holds it
                if (here.st_dev, here.st_ino) in seen:
                    continue
                seen.add((here.st_dev, here.st_ino))
                with os.scandir(self._at(folder)) as entries:
                    shown = [entry for entry in entries if not entry.name.startswith(".")]
                below += [f"{folder}{entry.name}/" for entry in shown if entry.is_dir()]
                yield from [folder + entry.name for entry in shown if entry.is_file()]

    def _at(self, name: str) -> str:
        return os.path.join(self.path, name)

    def content(self, name: str) -> Content:
        """A file's content."""
        with told_as_input_errors(self._at(name)), open(self._at(name), "rb") as file:
            # to ask for so many bytes at most is to reserve room for them
            is_small = 0 < os.fstat(file.fileno()).st_size < LARGEST
            return content_of(self._at(name), name, file.read() if is_small else file.read(LARGEST + 1))

    def mark(self, key: str) -> str:
        """The mark of a document's file."""
        with told_as_input_errors(self._at(key)):
            return mark_of(self._at(key))

    def is_current(self, key: str, mark: str) -> bool:
        """Whether the file is there as it was."""
        try:
            return mark == mark_of(self._at(key))
        except (OSError, ValueError):
            return False


@contextmanager
def told_as_input_errors(label: str) -> Iterator[None]:
    """What the system and the libraries for archives say of files that they cannot read, as errors of the input."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except EOFError:
        raise InputError("is cut short", label) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", label) from None
    except Exception as error:
        # each library has errors of its own for data that is damaged
        raise InputError(f"cannot be read: {error}", label) from None
