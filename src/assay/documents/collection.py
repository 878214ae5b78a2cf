"""Read documents from a folder, a .zip or .tar archive, or a JSONL file; only those that someone asks for.

Files and folders whose names begin with a dot are left out.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import struct
import tarfile
import zipfile
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
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
    document_name,
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
from assay.tables.ids import Ints

if TYPE_CHECKING:
    from lxml import etree


# A document before it is parsed: XML or text.

# The text of a document, and the offsets of its elements in it.
#
# The text is what an XML parser returns between the tags, from the start of the root element. All whitespace counts, a
# line end is one character, and CDATA sections and character references count as the characters that they stand for.
# Tags, attributes, comments and processing instructions are not text. An entity counts as one character: the one that
# it stands for, or U+FFFD if it stands for several. If the document itself does not define the entity (its DTD does),
# Assay uses the HTML entity with the same name. Assay never opens a DTD or any other file that a document names.
#
# Text nodes are those of XPath: all characters between two tags, comments or processing instructions are one node.

UNKNOWN = "\ufffd"


def read_xml(content: bytes | str) -> tuple[Tree, str]:
    """Parse an XML document; return its nodes and its text."""
    from lxml import etree

    # The parser does not expand entities, so a hostile document can neither open files nor grow.
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
    # the elements that are still open, and their node numbers
    opened: list[Any] = []
    numbers: list[int] = []
    # whether the next text continues the last text node
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
    """Return a function that takes an entity node and returns the text it stands for."""
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
        # the parser already refused entities that refer to themselves or expand to too much text
        resolved = re.sub("&([^;]+);", lambda reference: text(reference[1], line), content)
        return resolved if len(resolved) == 1 else UNKNOWN

    return lambda node: text(node.name, node.getparent().sourceline)


XML_STARTS = (b"<?xml", MARK + b"<?xml", "\ufeff<?xml".encode("utf-16-le"), "\ufeff<?xml".encode("utf-16-be"))


PDF = b"%PDF-"


class Content(NamedTuple):
    """A document before it is parsed: how messages name it, its data, and its line number if the file is JSONL."""

    label: str
    data: bytes | str
    is_xml: bool
    line: int | None = None

    def read(self) -> tuple[xml_tree.Tree, str]:
        """Return its nodes and its text."""
        try:
            return read_xml(self.data) if self.is_xml else xml_tree.text_tree(self._decode())
        except Unreadable as error:
            what = error.what
            if error.column is not None:
                line = f"line {error.line}, " if self.line else ""
                what += f" at {line}column {error.column}: {error.why}"
            raise InputError(what, self.label, self.line or error.line) from None

    def packed(self) -> bytes:
        """Return its nodes in a few bytes, for the cache; of plain text only the length."""
        return self.read()[0].packed() if self.is_xml else xml_tree.packed_plain(len(self._decode()))

    def _decode(self) -> str:
        if isinstance(self.data, str):
            return self.data
        data = self.data.removeprefix(MARK)
        if data.startswith(PDF):
            raise InputError("this is a PDF, not text; save the text of each PDF as a .txt file", self.label)
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            if b"\0" in data and not data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
                raise InputError("this is not text; save the text of each file as a .txt file", self.label) from None
            line = data.count(b"\n", 0, error.start) + 1
            what = not_utf8(data[error.start])
            raise InputError(what, self.label, line) from None


def content_of(label: str, name: str, data: bytes) -> Content:
    """Return a file's content: XML by its ending, or by its first bytes if the ending does not decide; else text."""
    if len(data) > LARGEST:
        raise InputError(f"more than {LARGEST >> 20} MB; expected one document per file", label)
    ending = os.path.splitext(name)[1].lower()
    return Content(
        label, data, ending in XML_ENDINGS or (ending not in TEXT_ENDINGS[:3] and data.startswith(XML_STARTS))
    )


@dataclass(frozen=True, eq=False, repr=False)
class DocumentElements:
    """All elements of a document, in document order: their paths, and the start and end of each one's text."""

    paths: list[str]
    start: Ints
    end: Ints


class DocumentCollection(Protocol):
    """What every collection of documents can do: `Documents` (in files) and `TextsInMemory` (in a dict)."""

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


# Marks: fingerprints that tell whether a file has changed since Assay read it.

# How many bytes at the start and at the end of a file go into its mark.
END = 4 << 10
FACTS = struct.Struct("<4Q")


def mark_of(path: str) -> str:
    """Return the mark of a file, which changes with its size, times, inode, first bytes or last bytes.

    A program can reset the time of the last change to the content (mtime), but not the time of the last change of any
    kind (ctime). A file that replaces another has a different inode. If a file system has neither, the first and last
    bytes still show most changes.
    """
    with open(path, "rb", buffering=0) as file:
        facts = os.fstat(file.fileno())
        numbers = facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino
        ends = file.read(END)
        if facts.st_size > END:
            file.seek(max(END, facts.st_size - END))
            ends += file.read(END)
    return blake2b(FACTS.pack(*(number % (1 << 64) for number in numbers)) + ends, digest_size=12).hexdigest()


# A document's id, the name of a file that may be that document, and a function that reads the file.
Candidate = tuple[str, str, Callable[[], Content]]


class Collection:
    """Documents in one place. By default that is one file, and its mark is the mark of every document in it."""

    def __init__(self, path: str):
        self.path = path

    @cached_property
    def names(self) -> Names:
        """All file names, without reading the files."""
        raise NotImplementedError

    def find(self, document: str) -> str | None:
        """Return the name of the file of a document; None if there is none."""
        return self.names.find(document)

    def contents(self, documents: list[str]) -> Iterator[Candidate]:
        """Yield every file that may be one of the documents: document id, file name, and a function that reads it."""
        for document in documents:
            if name := self.find(document):
                yield document, name, partial(self.content, name)

    def content(self, name: str) -> Content:
        """Return the content of a file."""
        raise NotImplementedError

    def all(self) -> Iterator[Candidate]:
        """Yield every file that may be a document, judged by its ending; raise an error if no file is text."""
        some, other = False, None
        for name, content in self.all_files():
            if is_text_by_name(name):
                some = True
                yield self.own_id(name), name, content
            else:
                other = other or content
        if other and not some:
            other().read()

    def refuse_no_text(self) -> None:
        """Raise an error if no file is text."""
        next(self.all(), None)

    def own_id(self, name: str) -> str:
        """Return the document id of a file: its name without the ending, if no other file has the same short name."""
        short = without_ending(name)
        return short if self._short_names[short] == 1 else name

    @cached_property
    def _short_names(self) -> Counter[str]:
        return Counter(map(without_ending, self.names))

    def look_for(self, documents: list[str]) -> None:
        """Find out in one pass which documents exist, if the collection is slow to ask for them one by one."""

    def all_files(self) -> Iterator[tuple[str, Callable[[], Content]]]:
        """Yield the name of every file, and a function that reads it."""
        return ((name, partial(self.content, name)) for name in self.names)

    @cached_property
    def _mark(self) -> str:
        with as_input_errors(self.path):
            return mark_of(self.path)

    def lacks(self, document: str) -> bool:
        """Return whether the document is certainly missing; a tar or JSONL file knows only after it was read."""
        return self.names.lacks(document)

    def key(self, document: str) -> str:
        """Return the name under which the cache keeps the document."""
        return self.find(document) or document

    def mark(self, key: str) -> str:
        """Return the mark of a document, which changes when its file changes."""
        return self._mark

    def is_current(self, key: str, mark: str) -> bool:
        """Return whether a document is unchanged since it had this mark."""
        return mark == self._mark


class Folder(Collection):
    """The files in a folder and its subfolders."""

    @cached_property
    def names(self) -> Names:
        """All file names, without reading the files."""
        return Names(self.path, self._walk()).not_empty()

    def _walk(self) -> Iterator[str]:
        below, seen = [""], set()
        while below:
            folder = below.pop()
            with as_input_errors(self._at(folder)):
                here = os.stat(self._at(folder))
                # a link may lead back to a folder above it
                if (here.st_dev, here.st_ino) in seen:
                    continue
                seen.add((here.st_dev, here.st_ino))
                with os.scandir(self._at(folder)) as entries:
                    shown = [entry for entry in entries if not entry.name.startswith(".")]
            for entry in shown:
                # a link that leads to itself is skipped, like one that leads nowhere
                with as_input_errors(entry.path), suppress_loops():
                    if entry.is_dir():
                        below.append(f"{folder}{entry.name}/")
                    elif entry.is_file():
                        yield folder + entry.name

    def _at(self, name: str) -> str:
        return os.path.join(self.path, name)

    def content(self, name: str) -> Content:
        """Return the content of a file."""
        with as_input_errors(self._at(name)), open(self._at(name), "rb") as file:
            # read(n) allocates n bytes at once, so ask for the limit only if the file may exceed it
            is_small = 0 < os.fstat(file.fileno()).st_size < LARGEST
            return content_of(self._at(name), name, file.read() if is_small else file.read(LARGEST + 1))

    def mark(self, key: str) -> str:
        """Return the mark of a document's file."""
        with as_input_errors(self._at(key)):
            return mark_of(self._at(key))

    def is_current(self, key: str, mark: str) -> bool:
        """Return whether the file is still there and unchanged."""
        try:
            return mark == mark_of(self._at(key))
        except (OSError, ValueError):
            return False


@contextmanager
def suppress_loops() -> Iterator[None]:
    """Skip a link that leads to itself."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise


@contextmanager
def as_input_errors(label: str) -> Iterator[None]:
    """Turn errors of the operating system and of the archive libraries into an InputError."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except EOFError:
        raise InputError("the file is cut short", label) from None
    except OSError as error:
        raise InputError(f"cannot read the file: {error.strerror or error}", label) from None
    except Exception as error:
        # each library raises its own errors for damaged data
        raise InputError(f"cannot read the file: {error}", label) from None


# .zip and .tar archives. Assay never extracts them to disk.


class Zip(Collection):
    """The files of a zip archive."""

    @cached_property
    def _archive(self) -> zipfile.ZipFile:
        with as_input_errors(self.path):
            return zipfile.ZipFile(self.path)

    @cached_property
    def names(self) -> Names:
        """All file names, without reading the files."""
        files = (
            file
            for file in self._archive.infolist()
            if not file.is_dir() and not stat.S_ISLNK(file.external_attr >> 16)
        )
        return Names(self.path, (file.filename for file in files if is_shown(file.filename))).not_empty()

    def content(self, name: str) -> Content:
        """Return the content of a file."""
        label = f"{self.path}/{name}"
        with as_input_errors(label), self._archive.open(name) as file:
            return content_of(label, name, file.read(LARGEST + 1))


class Tar(Collection):
    """The files of a tar archive, compressed or not.

    A tar archive can only be read from start to end, so each request reads it once for all documents that it asks for.
    """

    def files(self) -> Iterator[tuple[str, Callable[[], Callable[[], Content]]]]:
        """Yield the name of each file that is not hidden, and a function that extracts it."""
        with as_input_errors(self.path), open(self.path, "rb") as raw:
            start = raw.read(LONGEST_MAGIC)
            raw.seek(0)
            compression, stream = opened_by_content(start, raw)
            with tarfile.open(fileobj=stream, mode="r|" if compression else "r:") as archive:
                for member in archive:
                    # links may lead anywhere, so they are not documents
                    if member.isreg() and is_shown(name := member.name.removeprefix("./")):
                        yield name, partial(self._extract, archive, member, name)
                    # otherwise tarfile keeps every member in memory
                    archive.members = []  # type: ignore[attr-defined]

    def _extract(self, archive: tarfile.TarFile, member: tarfile.TarInfo, name: str) -> Callable[[], Content]:
        with as_input_errors(self.path):
            file: Any = archive.extractfile(member)
            return partial(content_of, f"{self.path}/{name}", name, file.read(LARGEST + 1))

    @cached_property
    def names(self) -> Names:
        """All file names, without reading the files."""
        return Names(self.path, (name for name, _ in self.files())).not_empty()

    def lacks(self, document: str) -> bool:
        """Return whether the names are known and the document is not among them."""
        return "names" in vars(self) and super().lacks(document)

    def contents(self, documents: list[str]) -> Iterator[Candidate]:
        """Yield every file that may be one of the documents; the best match is known only after the last file."""
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
        """Return the document id itself, because the file name may not be known yet."""
        return document

    def all_files(self) -> Iterator[tuple[str, Callable[[], Content]]]:
        """Yield the name of every file, and a function that reads it."""
        return ((name, take()) for name, take in self.files())


# A JSONL file, one object per line.

TEXT_NAMES = ("text", "contents", "content", "body", "page_content")
CONTENT_NAMES = frozenset((*TEXT_NAMES, "xml"))


class JsonLines(Collection):
    """A file with one JSON object per line, each with an id and either a text or an XML document.

    The first request reads the file from start to end and records where each line begins; later requests read only the
    lines they need. Only the names of requested documents are kept in memory.
    """

    def __init__(self, path: str):
        super().__init__(path)
        self._source = Source(path)
        self._index: LineIndex | None = None
        # the keys that were searched for, and all names that have one of these keys
        self._keys: set[str] = set()
        self._near = Names(path)

    def files(self) -> Iterator[tuple[int, str, str, dict[str, Any]]]:
        """Yield the line number, the id, its key and the object of each document; then the line index is complete."""
        index, start = LineIndex(), 0
        for number, line in enumerate(lines_of(self._source), 1):
            if line and not line.isspace():
                name, record = self._object(number, line)
                key = Names.key(name)
                index.add(key, number, start)
                yield number, name, key, record
            start += len(line) + 1
        self._index = index

    def _files_like(self, keys: Iterable[str]) -> Iterator[tuple[int, str, str, dict[str, Any]]]:
        """Yield all documents whose names have one of the keys, and possibly others."""
        if self._index is None:
            yield from self.files()
        else:
            for number, line in self._index.lines(self._source, self._index.rows(keys)):
                name, record = self._object(number, line)
                yield number, name, Names.key(name), record

    def contents(self, documents: list[str]) -> Iterator[Candidate]:
        """Yield every object that may be one of the documents; the best match is known only after the last line."""
        wanted = Names.by_key(documents)
        new, like = wanted.keys() - self._keys, []
        for number, name, key, record in self._files_like(wanted):
            if key in new:
                like.append(name)
            for document in wanted.get(key, ()):
                if fitting(name, document) is not None:
                    yield document, name, partial(self._content, number, name, record)
        self._keys |= new
        self._near.extend(like)

    def refuse_no_text(self) -> None:
        """Do nothing: each object has a text, or is refused when it is read."""

    def all(self) -> Iterator[Candidate]:
        """Yield every object under its id; raise an error if an id appears twice."""
        seen: set[str] = set()
        for number, name, _, record in self.files():
            if name in seen:
                raise self._source.fault(f"document {name} appears twice; expected it once", number)
            seen.add(name)
            yield name, name, partial(self._content, number, name, record)

    def find(self, document: str) -> str | None:
        """Return the id of a document in the file, or None if there is none; searches the file if necessary."""
        self.look_for([document])
        return self._near.find(document)

    def look_for(self, documents: list[str]) -> None:
        """Find out in one pass which of the documents exist."""
        if new := [document for document in documents if not self._knows(document)]:
            for _ in self.contents(new):
                pass

    def own_id(self, name: str) -> str:
        """Return the name, which already is an id."""
        return name

    def lacks(self, document: str) -> bool:
        """Return whether Assay already searched for the document and did not find it."""
        return self._knows(document) and self._near.find(document) is None

    def _knows(self, document: str) -> bool:
        return document in self._keys and (not is_like_a_file(document) or self._keys.issuperset(Names.keys(document)))

    def key(self, document: str) -> str:
        """Return the document id itself, because its name in the file may not be known yet."""
        return document

    def _object(self, number: int, line: bytes) -> tuple[str, dict[str, Any]]:
        """Return the id and the JSON object of a line."""
        record = json_object(line, number, self._source)
        if document := document_name(record):
            return document, record
        what = "the document has no id; expected a JSON object with a key such as id or doc_id"
        raise self._source.fault(f"{what}: {quote(line.decode(errors='replace'))}", number)

    def _content(self, number: int, document: str, record: dict[str, Any]) -> Content:
        there = [name for name in CONTENT_NAMES & record.keys() if isinstance(record[name], str)]
        if len(there) != 1:
            in_order = [name for name in (*TEXT_NAMES, "xml") if name in there]
            what = f"has {' and '.join(in_order) or 'no text'}; expected either a text or an xml"
            raise InputError(f"document {document} {what}", self.path, number)
        return Content(self.path, record[there[0]], there[0] == "xml", number)
