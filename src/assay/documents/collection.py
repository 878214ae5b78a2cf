"""Where documents come from: a folder, a .zip or .tar archive, or a JSONL file. Only those asked for are read.

Files and folders whose names begin with a point are left out.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import struct
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import blake2b
from html.entities import html5
from itertools import chain
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np

from assay.documents import xml as xml_tree
from assay.documents.line_index import LineIndex, lines_of
from assay.documents.names import (
    TEXT_ENDINGS,
    XML_ENDINGS,
    Names,
    fitting,
    is_like_a_file,
    is_shown,
    is_text_by_name,
    without_ending,
)
from assay.documents.xml import DOCUMENT_NAME, TEXT, TEXT_NAME, Tree, Unreadable, unreadable
from assay.errors import InputError, quote
from assay.files.json_lines import json_object
from assay.files.line_blocks import LARGEST
from assay.files.source import LONGEST_MAGIC, MARK, Source, not_utf8, opened_by_content
from assay.tables.column_names import DOCUMENT_IDS
from assay.tables.ids import Ints

if TYPE_CHECKING:
    from lxml import etree


# A document as it is found, before it is read: XML or text.

# The text of a document, and where in it its elements are.
#
# The text is what an XML parser hands over between the tags, from the start of the root element: every blank counts, a
# line end is one character, a CDATA section is text as any other, and so are the characters that references stand for.
# Tags, attributes, comments and processing instructions are no text. An entity is one character: the one that it stands
# for, or U+FFFD if that is more than one; where the document does not define it itself, because its DTD does, the
# one of that name in HTML. No DTD, and no other file that a document names, is ever opened.
#
# Text nodes are those of XPath: between two tags, comments or processing instructions all characters are one node.

UNKNOWN = "\ufffd"


def read_xml(content: bytes | str) -> tuple[Tree, str]:
    """An XML document, and its text."""
    from lxml import etree

    # entities are left as they stand: whatever they are defined as, nothing is opened and nothing grows
    secure = {"resolve_entities": False, "load_dtd": False, "no_network": True, "huge_tree": False}
    if isinstance(content, str):
        parser, content = etree.XMLParser(encoding="utf-8", **secure), content.encode("utf-8", "surrogatepass")
    else:
        parser = etree.XMLParser(**secure)
    try:
        return _build_tree(etree.fromstring(content, parser), etree)
    except etree.XMLSyntaxError as error:
        raise unreadable(error) from None


def _build_tree(root: etree._Element, etree: ModuleType) -> tuple[Tree, str]:
    names = {"": DOCUMENT_NAME, TEXT: TEXT_NAME}
    codes = {etree.Comment: -1, etree.ProcessingInstruction: -1, etree.Entity: -2}
    name, behind, at, pieces = [DOCUMENT_NAME], [0], [0], [""]
    # the elements that are not closed yet, and their numbers
    opened: list[Any] = []
    numbers: list[int] = []
    # whether text goes on in the text node before it
    joined = False
    entities: Callable[[Any], str] | None = None
    for node in chain(root.iter(), (None,)):
        parent = None if node is None else node.getparent()
        while opened and opened[-1] is not parent:
            behind[numbers.pop()] = len(name)
            joined = False
            if text := opened.pop().tail:
                name.append(TEXT_NAME)
                at.append(len(pieces))
                behind.append(len(name))
                pieces.append(text)
                joined = True
        if node is None:
            break
        code = codes.get(tag := node.tag)
        if code is None:
            code = codes[tag] = names.setdefault(tag.rpartition("}")[2], len(names))
        if code > 0:
            joined = False
            opened.append(node)
            numbers.append(len(name))
            name.append(code)
            at.append(len(pieces))
            behind.append(0)
            text = node.text
        elif code == -1:
            joined = False
            text = node.tail
        else:
            entities = entities or _entities(root)
            text = entities(node) + (node.tail or "")
        if text:
            if not joined:
                name.append(TEXT_NAME)
                at.append(len(pieces))
                behind.append(len(name))
                joined = True
            pieces.append(text)
    behind[0] = len(name)
    at.append(len(pieces))
    lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
    places = np.concatenate(([0], np.cumsum(lengths)))[np.array(at)]
    return Tree(list(names), np.array(name), np.array(behind), places), "".join(pieces)


def _entities(root: etree._Element) -> Callable[[Any], str]:
    """A function from a reference to the text that it stands for."""
    dtd = root.getroottree().docinfo.internalDTD
    defined = {} if dtd is None else {entity.name: entity.content for entity in dtd.iterentities()}

    def text(name: str, line: int) -> str:
        if name.startswith("#"):
            return chr(int(name[2:], 16) if name[1] == "x" else int(name[1:]))
        if name not in defined:
            known = html5.get(name + ";", UNKNOWN)
            return known if len(known) == 1 else UNKNOWN
        content = defined[name]
        if content is None:
            what = f"the entity &{name}; refers to another file, which Assay does not open"
            raise Unreadable(f"{what}; expected all of the text in this file", line)
        if "<" in content:
            raise Unreadable(f"the entity &{name}; contains XML elements; expected only characters", line)
        # the parser has refused those that are for themselves, or for a lot
        resolved = re.sub("&([^;]+);", lambda reference: text(reference[1], line), content)
        return resolved if len(resolved) == 1 else UNKNOWN

    return lambda node: text(node.name, node.getparent().sourceline)


XML_STARTS = (b"<?xml", MARK + b"<?xml", "\ufeff<?xml".encode("utf-16-le"), "\ufeff<?xml".encode("utf-16-be"))


class Content(NamedTuple):
    """A document as it was found: how messages name the place, the line in a file of many, and what is there."""

    label: str
    data: bytes | str
    is_xml: bool
    line: int | None = None

    def read(self) -> tuple[xml_tree.Tree, str]:
        """Its nodes and its text."""
        try:
            return read_xml(self.data) if self.is_xml else xml_tree.text_tree(self._decode())
        except Unreadable as error:
            what = error.what
            if error.column is not None:
                line = f"line {error.line}, " if self.line else ""
                what += f" at {line}column {error.column}: {error.why}"
            raise InputError(what, self.label, self.line or error.line) from None

    def packed(self) -> bytes:
        """What there is to know of it, in few bytes."""
        return self.read()[0].packed() if self.is_xml else xml_tree.packed_plain(len(self._decode()))

    def _decode(self) -> str:
        if isinstance(self.data, str):
            return self.data
        data = self.data.removeprefix(MARK)
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            what = not_utf8(data[error.start])
            raise InputError(what, self.label, line) from None


def content_of(label: str, name: str, data: bytes) -> Content:
    """The content of a file: XML by its ending or, where that may be of anything, by its first bytes; else text."""
    if len(data) > LARGEST:
        raise InputError(f"more than {LARGEST >> 20} MB; expected one document per file", label)
    ending = os.path.splitext(name)[1].lower()
    return Content(
        label, data, ending in XML_ENDINGS or (ending not in TEXT_ENDINGS[:3] and data.startswith(XML_STARTS))
    )


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
        """Return the document's id in the collection, however it is written; None if there is no such document."""

    def lacks(self, document: str) -> bool:
        """Return whether a document is certainly missing, without reading any."""

    def text(self, document: str) -> str:
        """Return the text of a document."""

    def texts(self, documents: Iterable[str] | None = None) -> Iterator[tuple[str, str]]:
        """Yield the ids and texts of some documents, or of all; missing documents are left out."""

    def readable_texts(self, unreadable: dict[str, InputError]) -> Iterator[tuple[str, str]]:
        """Yield the ids and texts of all readable documents; `unreadable` gets the errors of the others."""

    def lengths(self, documents: Iterable[str], missing: Literal["error", "unknown"] = "error") -> Ints:
        """Return the number of characters of each document; -1 if it is missing and `missing` allows that."""

    def span(self, document: str, path: str, last: str = "") -> tuple[int, int]:
        """Return the start and end of an element's text, or of the text from one path to the end of another."""

    def spans(
        self, documents: Sequence[str], paths: Sequence[str], lasts: Sequence[str] | None = None
    ) -> tuple[Ints, Ints]:
        """Return the start and end of each row's text: of its path, or from there to the end of `lasts`."""

    def points(self, documents: Sequence[str], paths: Sequence[str]) -> Ints:
        """Return the offset of each point; for an element, its start."""

    def path(self, document: str, start: int, end: int) -> str:
        """Return the path of the smallest element that contains a span."""

    def point(self, document: str, offset: int) -> str:
        """Return the path of the place before a character of the text, or of its end."""

    def elements(self, document: str) -> DocumentElements:
        """Return all elements of a document; a document without elements is one element."""


# What says whether a file is still the one that was read.

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
        """Return the name of the file of a document; None if there is none."""
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
        """Find out which of the documents are there, where it takes less time to do so for all at once."""

    def all_files(self) -> Iterator[tuple[str, Callable[[], Content]]]:
        """The name of every file, and a function that reads it."""
        return ((name, partial(self.content, name)) for name in self.names)

    @cached_property
    def _mark(self) -> str:
        with as_input_errors(self.path):
            return mark_of(self.path)

    def lacks(self, document: str) -> bool:
        """Whether a document is known not to be there; of some collections that is known only when all of it was read.
        """
        return self.names.lacks(document)

    def key(self, document: str) -> str:
        """What a document that may be there is called where something is kept about it."""
        return self.find(document) or document

    def mark(self, key: str) -> str:
        """What says whether a document has changed."""
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
            with as_input_errors(self._at(folder)):
                here = os.stat(self._at(folder))
                # a link may lead to a folder that holds it
                if (here.st_dev, here.st_ino) in seen:
                    continue
                seen.add((here.st_dev, here.st_ino))
                with os.scandir(self._at(folder)) as entries:
                    shown = [entry for entry in entries if not entry.name.startswith(".")]
            for entry in shown:
                # a link that leads to itself leads to no file, as one does that leads nowhere
                with as_input_errors(entry.path), suppress_loops():
                    if entry.is_dir():
                        below.append(f"{folder}{entry.name}/")
                    elif entry.is_file():
                        yield folder + entry.name

    def _at(self, name: str) -> str:
        return os.path.join(self.path, name)

    def content(self, name: str) -> Content:
        """A file's content."""
        with as_input_errors(self._at(name)), open(self._at(name), "rb") as file:
            # to ask for this many bytes at most is to reserve room for them
            is_small = 0 < os.fstat(file.fileno()).st_size < LARGEST
            return content_of(self._at(name), name, file.read() if is_small else file.read(LARGEST + 1))

    def mark(self, key: str) -> str:
        """The mark of a document's file."""
        with as_input_errors(self._at(key)):
            return mark_of(self._at(key))

    def is_current(self, key: str, mark: str) -> bool:
        """Whether the file is there as it was."""
        try:
            return mark == mark_of(self._at(key))
        except (OSError, ValueError):
            return False


@contextmanager
def suppress_loops() -> Iterator[None]:
    """Pass over a link that leads to itself."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise


@contextmanager
def as_input_errors(label: str) -> Iterator[None]:
    """What the system and the libraries for archives say of files that they cannot read, as errors of the input."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except EOFError:
        raise InputError("the file is cut short", label) from None
    except OSError as error:
        raise InputError(f"cannot read the file: {error.strerror or error}", label) from None
    except Exception as error:
        # each library has errors of its own for data that is damaged
        raise InputError(f"cannot read the file: {error}", label) from None


# .zip and .tar archives. Nothing of an archive is ever written to disk.


class Zip(Collection):
    """The files of a zip archive."""

    @cached_property
    def _archive(self) -> zipfile.ZipFile:
        with as_input_errors(self.path):
            return zipfile.ZipFile(self.path)

    @cached_property
    def names(self) -> Names:
        """All files, none of them read."""
        files = (
            file
            for file in self._archive.infolist()
            if not file.is_dir() and not stat.S_ISLNK(file.external_attr >> 16)
        )
        return Names(self.path, (file.filename for file in files if is_shown(file.filename))).not_empty()

    def content(self, name: str) -> Content:
        """A file's content."""
        label = f"{self.path}/{name}"
        with as_input_errors(label), self._archive.open(name) as file:
            return content_of(label, name, file.read(LARGEST + 1))


class Tar(Collection):
    """The files of a tar archive, compressed or not: it can only be read from start to end, as it is once for all that
    is asked.
    """

    def files(self) -> Iterator[tuple[str, Callable[[], Callable[[], Content]]]]:
        """Each file that is none of the hidden ones."""
        with as_input_errors(self.path), open(self.path, "rb") as raw:
            start = raw.read(LONGEST_MAGIC)
            raw.seek(0)
            compression, stream = opened_by_content(start, raw)
            with tarfile.open(fileobj=stream, mode="r|" if compression else "r:") as archive:
                for member in archive:
                    # links are not documents: they may lead anywhere
                    if member.isreg() and is_shown(name := member.name.removeprefix("./")):
                        yield name, partial(self._extract, archive, member, name)
                    # they would all be kept
                    archive.members = []  # type: ignore[attr-defined]

    def _extract(self, archive: tarfile.TarFile, member: tarfile.TarInfo, name: str) -> Callable[[], Content]:
        with as_input_errors(self.path):
            file: Any = archive.extractfile(member)
            return partial(content_of, f"{self.path}/{name}", name, file.read(LARGEST + 1))

    @cached_property
    def names(self) -> Names:
        """All names, none of the documents read."""
        return Names(self.path, (name for name, _ in self.files())).not_empty()

    def lacks(self, document: str) -> bool:
        """Whether all names are known and the document's is none of them."""
        return "names" in vars(self) and super().lacks(document)

    def contents(self, documents: list[str]) -> Iterator[Candidate]:
        """Each file that may be one of the documents: which of several it is can only be told at the end."""
        names, wanted = Names(self.path), Names.by_key(documents)
        for name, take in self.files():
            names.extend([name])
            if near := [
                document for document in wanted.get(Names.key(name), ()) if fitting(name, document) is not None
            ]:
                content = take()
                yield from ((document, name, content) for document in near)
        self.names = names.not_empty()

    def key(self, document: str) -> str:
        """The document itself: where it is need not be known."""
        return document

    def all_files(self) -> Iterator[tuple[str, Callable[[], Content]]]:
        """The name of every file, and a function that reads it."""
        return ((name, take()) for name, take in self.files())


# A JSONL file, one object per line.

TEXT_NAMES = ("text", "contents", "content", "body", "page_content")
CONTENT_NAMES = frozenset((*TEXT_NAMES, "xml"))


class JsonLines(Collection):
    """A file with a JSON object a line, each with an id and a text, or an id and an XML document.

    It is read from start to end once, for what is asked first; then it is known where each document begins. Names are
    kept only of what is asked for.
    """

    def __init__(self, path: str):
        super().__init__(path)
        self._source = Source(path)
        self._index: LineIndex | None = None
        # the keys that were looked for, and all names that have them
        self._keys: set[str] = set()
        self._near = Names(path)

    def files(self) -> Iterator[tuple[int, str, dict[str, Any]]]:
        """Of each document the number of its line, its id, and the whole object; after the last it is known where each
        begins.
        """
        index, start = LineIndex(), 0
        for number, line in enumerate(lines_of(self._source), 1):
            if line.strip():
                name, record = self._object(number, line)
                index.add(Names.key(name), number, start)
                yield number, name, record
            start += len(line) + 1
        self._index = index

    def _files_like(self, keys: Iterable[str]) -> Iterator[tuple[int, str, dict[str, Any]]]:
        """Those documents, and perhaps others, whose names have one of the keys."""
        if self._index is None:
            yield from self.files()
        else:
            for number, line in self._index.lines(self._source, self._index.rows(keys)):
                yield number, *self._object(number, line)

    def contents(self, documents: list[str]) -> Iterator[Candidate]:
        """Each object that may be one of the documents: which of several it is can only be told at the end."""
        wanted = Names.by_key(documents)
        new, like = wanted.keys() - self._keys, []
        for number, name, record in self._files_like(wanted):
            key = Names.key(name)
            if key in new:
                like.append(name)
            for document in wanted.get(key, ()):
                if fitting(name, document) is not None:
                    yield document, name, partial(self._content, number, name, record)
        self._keys |= new
        self._near.extend(like)

    def all(self) -> Iterator[Candidate]:
        """Every object, under its id."""
        seen: set[str] = set()
        for number, name, record in self.files():
            if name in seen:
                raise self._source.fault(f"document {name} appears twice; expected it once", number)
            seen.add(name)
            yield name, name, partial(self._content, number, name, record)

    def find(self, document: str) -> str | None:
        """The name that a document has, once all like it are known; None if there is none."""
        self.look_for([document])
        return self._near.find(document)

    def look_for(self, documents: list[str]) -> None:
        """Find out which of the documents are there, in one pass."""
        if new := [document for document in documents if not self._knows(document)]:
            for _ in self.contents(new):
                pass

    def own_id(self, name: str) -> str:
        """The name, which is an id."""
        return name

    def lacks(self, document: str) -> bool:
        """Whether the document was looked for in vain."""
        return self._knows(document) and self._near.find(document) is None

    def _knows(self, document: str) -> bool:
        return document in self._keys and (not is_like_a_file(document) or self._keys.issuperset(Names.keys(document)))

    def key(self, document: str) -> str:
        """The document itself: where it is need not be known."""
        return document

    def _object(self, number: int, line: bytes) -> tuple[str, dict[str, Any]]:
        """The id and the object of a line."""
        record = json_object(line, number, self._source)
        for name in DOCUMENT_IDS:
            if isinstance(document := record.get(name), str | int):
                return str(document), record
        what = "the document has no id; expected a JSON object with a key such as id or doc_id"
        raise self._source.fault(f"{what}: {quote(line.decode(errors='replace'))}", number)

    def _content(self, number: int, document: str, record: dict[str, Any]) -> Content:
        there = [name for name in CONTENT_NAMES & record.keys() if isinstance(record[name], str)]
        if len(there) != 1:
            in_order = [name for name in (*TEXT_NAMES, "xml") if name in there]
            what = f"has {' and '.join(in_order) or 'no text'}; expected either a text or an xml"
            raise InputError(f"document {document} {what}", self.path, number)
        return Content(self.path, record[there[0]], there[0] == "xml", number)
