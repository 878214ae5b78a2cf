"""Where documents come from: a folder, a .zip or .tar archive, or a JSONL file. Only those asked for are read.

A document's id is its path below the folder without its ending, `co/2000/r7108` for co/2000/r7108.xml; the last parts of that path,
as `r7108`, will do where no other file has them, and so will the id with its ending. In JSONL it is what each object calls its id.
Files and folders whose names begin with a point are left out. Nothing of an archive is ever written to disk.
"""

from __future__ import annotations

import json
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from assay.documents import xml_tree
from assay.documents.stamps import Stamp, stamp_of
from assay.errors import InputError, listed, quoted
from assay.files.source import LONGEST_MAGIC, MARK, Source, opened_by_content

XML_ENDINGS = (".xml", ".nxml", ".xhtml")
TEXT_ENDINGS = (".txt", ".text", ".md", ".html", ".htm")
XML_STARTS = (b"<?xml", MARK + b"<?xml", "\ufeff<?xml".encode("utf-16-le"), "\ufeff<?xml".encode("utf-16-be"))
LARGEST = 256 << 20
ID_NAMES = ("id", "_id", "doc_id", "docid", "docno", "document", "document_id", "doc", "pmcid", "pmid")
TEXT_NAMES = ("text", "contents", "content", "body", "page_content")


@dataclass(frozen=True, eq=False, repr=False)
class Content:
    """A document as it was found: how messages name the place, the line in a file of many, and what stands there."""

    label: str
    data: bytes | str
    is_xml: bool
    line: int | None = None

    def read(self) -> tuple[xml_tree.Tree, str]:
        """Its nodes and its text."""
        try:
            return xml_tree.read(self.data) if self.is_xml else xml_tree.plain(self._decoded())
        except xml_tree.Unreadable as error:
            what = error.what
            if error.column is not None:
                line = f"line {error.line}, " if self.line else ""
                what += f" at {line}column {error.column}: {error.why}"
            raise InputError(what, self.label, self.line or error.line) from None

    def _decoded(self) -> str:
        if isinstance(self.data, str):
            return self.data
        data = self.data.removeprefix(MARK)
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            what = f"is not UTF-8 text, which has no byte {data[error.start]:#x} here"
            raise InputError(what, self.label, line) from None


Found = tuple[str, str, Callable[[], Content]]


def opened(path: str) -> Collection:
    """The collection that is at a path, recognised by its content."""
    if os.path.isdir(path):
        return Folder(path)
    source = Source(path)
    if not os.path.exists(path):
        raise source.fault("no such file or folder; expected documents")
    head = source.head()
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return Zip(path)
    if head[257:262] == b"ustar":
        return Tar(path)
    if head.lstrip().startswith(b"{"):
        return JsonLines(path)
    raise source.fault("is no collection of documents; expected a folder, a .zip or .tar archive, or JSONL")


def without_ending(name: str) -> str:
    """A file's name without the ending of XML or text."""
    ending = os.path.splitext(name)[1]
    return name[: -len(ending)] if ending.lower() in XML_ENDINGS + TEXT_ENDINGS else name


def is_shown(name: str) -> bool:
    """Whether a name in an archive is that of a file below it, and not hidden."""
    return all(part and not part.startswith(".") for part in name.split("/"))


def content_of(label: str, name: str, data: bytes) -> Content:
    """The content of a file: XML by its ending or, where that may be of anything, by its first bytes; else text."""
    if len(data) > LARGEST:
        raise InputError(f"has more than {LARGEST >> 20} MB; expected one document", label)
    ending = os.path.splitext(name)[1].lower()
    return Content(label, data, ending in XML_ENDINGS or (ending not in TEXT_ENDINGS[:3] and data.startswith(XML_STARTS)))


class Names:
    """The files of a collection, to be found by the ids that they may have."""

    def __init__(self, label: str, names: Iterable[str] = ()):
        self.label = label
        self._names: dict[str, list[str]] = {}
        for name in names:
            self.add(name)

    def add(self, name: str) -> None:
        """One more file."""
        self._names.setdefault(self.key(name), []).append(name)

    @staticmethod
    def key(name: str) -> str:
        """What all names of a document have in common."""
        return without_ending(name.rpartition("/")[2])

    @classmethod
    def keys(cls, document: str) -> set[str]:
        """The keys of the files that may be a document."""
        return {document.rpartition("/")[2], cls.key(document)}

    def find(self, document: str) -> str | None:
        """The file that a document is; None where there is none."""
        near = [name for key in self.keys(document) for name in self._names.get(key, ())]
        fits = sorted((fit, name) for name in near if (fit := fitting(name, document)) is not None)
        best = [name for fit, name in fits if fit == fits[0][0]]
        if len(best) > 1 and best[0] == best[-1]:
            raise InputError(f"has document {document} {len(best)} times; expected it once", self.label)
        if len(best) > 1:
            raise InputError(f"has {len(best)} files for document {document}: {listed(best)}; expected one", self.label)
        return best[0] if best else None


def fitting(name: str, document: str) -> int | None:
    """How well a file's name fits an id: 0 where it is the same, None where it does not."""
    bare = without_ending(name)
    pairs = (document, name), (document, bare), (document.removesuffix(".xml"), bare)
    whole = (number for number, (asked, there) in enumerate(pairs) if asked == there)
    ends = (number for number, (asked, there) in enumerate(pairs, len(pairs)) if asked and there.endswith("/" + asked))
    return next(whole, next(ends, None))


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

    def contents(self, documents: list[str]) -> Iterator[Found]:
        """Of each document asked for every file that may be it: its id, the file's name, and a function that reads it."""
        for document in documents:
            if name := self.find(document):
                yield document, name, partial(self.content, name)

    def content(self, name: str) -> Content:
        """A file's content."""
        raise NotImplementedError

    @cached_property
    def _stamp(self) -> Stamp:
        with readable(self.path):
            return stamp_of("", self.path)

    def lacks(self, document: str) -> bool:
        """Whether a document is known not to be there; of some collections that is known only when all of it was read."""
        return self.find(document) is None

    def stamp(self, document: str) -> Stamp:
        """What tells whether a document has changed."""
        return self._stamp._replace(name=document)

    def is_current(self, stamp: Stamp) -> bool:
        """Whether a document, once read, is still the same."""
        return stamp.mark == self._stamp.mark


class Folder(Collection):
    """The files in a folder and in those within it."""

    @cached_property
    def names(self) -> Names:
        """All files, none of them read."""
        return Names(self.path, self._walk())

    def _walk(self) -> Iterator[str]:
        below, seen = [""], set()
        while below:
            folder = below.pop()
            with readable(self._at(folder)):
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
        with readable(self._at(name)), open(self._at(name), "rb") as file:
            return content_of(self._at(name), name, file.read(LARGEST + 1))

    def stamp(self, document: str) -> Stamp:
        """The mark of a document's file."""
        name = self.find(document) or ""
        with readable(self._at(name)):
            return stamp_of(name, self._at(name))

    def is_current(self, stamp: Stamp) -> bool:
        """Whether the file is there as it was."""
        try:
            return stamp == stamp_of(stamp.name, self._at(stamp.name))
        except (OSError, ValueError):
            return False


class Zip(Collection):
    """The files of a zip archive."""

    @cached_property
    def _archive(self) -> zipfile.ZipFile:
        with readable(self.path):
            return zipfile.ZipFile(self.path)

    @cached_property
    def names(self) -> Names:
        """All files, none of them read."""
        files = (file for file in self._archive.infolist() if not file.is_dir() and not stat.S_ISLNK(file.external_attr >> 16))
        return Names(self.path, (file.filename for file in files if is_shown(file.filename)))

    def content(self, name: str) -> Content:
        """A file's content."""
        label = f"{self.path}/{name}"
        with readable(label), self._archive.open(name) as file:
            return content_of(label, name, file.read(LARGEST + 1))


class Streamed(Collection):
    """Documents that can only be read from start to end, as they are once for all that is asked."""

    def files(self) -> Iterator[tuple[str, Callable[[], Callable[[], Content]]]]:
        """Each document's name, and a function that takes it from the stream, to be read later."""
        raise NotImplementedError

    @cached_property
    def names(self) -> Names:
        """All names, none of the documents read."""
        return Names(self.path, (name for name, _ in self.files()))

    def lacks(self, document: str) -> bool:
        """Whether all names are known and the document's is none of them."""
        return "names" in vars(self) and super().lacks(document)

    def contents(self, documents: list[str]) -> Iterator[Found]:
        """Each file that may be one of the documents: which of several it is can only be told at the end."""
        names, wanted = Names(self.path), dict[str, list[str]]()
        for document in documents:
            for key in Names.keys(document):
                wanted.setdefault(key, []).append(document)
        for name, take in self.files():
            names.add(name)
            if near := [document for document in wanted.get(Names.key(name), ()) if fitting(name, document) is not None]:
                content = take()
                yield from ((document, name, content) for document in near)
        self.names = names


class Tar(Streamed):
    """The files of a tar archive, compressed or not."""

    def files(self) -> Iterator[tuple[str, Callable[[], Callable[[], Content]]]]:
        """Each file that is none of the hidden ones."""
        with readable(self.path), open(self.path, "rb") as raw:
            start = raw.read(LONGEST_MAGIC)
            raw.seek(0)
            compression, stream = opened_by_content(start, raw)
            with tarfile.open(fileobj=stream, mode="r|" if compression else "r:") as archive:
                for member in archive:
                    # links are no documents: they may lead anywhere
                    if member.isreg() and is_shown(name := member.name.removeprefix("./")):
                        yield name, partial(self._taken, archive, member, name)
                    # they would all be kept
                    archive.members = []  # type: ignore[attr-defined]

    def _taken(self, archive: tarfile.TarFile, member: tarfile.TarInfo, name: str) -> Callable[[], Content]:
        with readable(self.path):
            file: Any = archive.extractfile(member)
            return partial(content_of, f"{self.path}/{name}", name, file.read(LARGEST + 1))


class JsonLines(Streamed):
    """A file with a JSON object a line, each with an id and a text, or an id and an XML document."""

    def files(self) -> Iterator[tuple[str, Callable[[], Callable[[], Content]]]]:
        """Each line's document."""
        source = Source(self.path)
        for number, line in enumerate(_lines(source), 1):
            if not line.strip():
                continue
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                raise source.fault(f"is not JSON: {quoted(line.decode(errors='replace'))}", number) from None
            key = next((name for name in ID_NAMES if isinstance(found, dict) and isinstance(found.get(name), str | int)), None)
            if key is None:
                what = "has no id; expected an object with one, as id or doc_id"
                raise source.fault(f"{what}: {quoted(line.decode(errors='replace'))}", number)
            yield str(found[key]), partial(partial, self._content, number, str(found[key]), found)

    def _content(self, number: int, document: str, found: dict[str, Any]) -> Content:
        there = [name for name in (*TEXT_NAMES, "xml") if isinstance(found.get(name), str)]
        if len(there) != 1:
            what = f"has {' and '.join(there) or 'no text'}; expected its text or its xml"
            raise InputError(f"document {document} {what}", self.path, number)
        return Content(self.path, found[there[0]], there[0] == "xml", number)


def _lines(source: Source) -> Iterator[bytes]:
    begun: list[bytes] = []
    for block in source.blocks():
        first, *more = block.split(b"\n")
        begun.append(first)
        if more:
            yield b"".join(begun)
            yield from more[:-1]
            begun = more[-1:]
        elif sum(map(len, begun)) > LARGEST:
            raise source.fault(f"has a line of more than {LARGEST >> 20} MB; expected an object a line")
    yield b"".join(begun)


@contextmanager
def readable(label: str) -> Iterator[None]:
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
