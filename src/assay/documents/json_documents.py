"""Documents in a JSONL file, an object a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from assay.documents.collection import Candidate, Collection
from assay.documents.content import Content
from assay.documents.line_index import LineIndex, lines_of
from assay.documents.names import Names, fitting, is_like_a_file
from assay.errors import InputError, quoted
from assay.files.json_lines import json_object
from assay.files.source import Source
from assay.tables.column_names import DOCUMENT_IDS

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
                raise self._source.fault(f"has document {name} twice; expected it once", number)
            seen.add(name)
            yield name, name, partial(self._content, number, name, record)

    def find(self, document: str) -> str | None:
        """The name that a document has, once all like it are known; None where there is none."""
        self.look_for([document])
        return self._near.find(document)

    def look_for(self, documents: list[str]) -> None:
        """Finds out which of the documents are there, in one pass."""
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
        what = "has no id; expected an object with one, as id or doc_id"
        raise self._source.fault(f"{what}: {quoted(line.decode(errors='replace'))}", number)

    def _content(self, number: int, document: str, record: dict[str, Any]) -> Content:
        there = [name for name in CONTENT_NAMES & record.keys() if isinstance(record[name], str)]
        if len(there) != 1:
            in_order = [name for name in (*TEXT_NAMES, "xml") if name in there]
            what = f"has {' and '.join(in_order) or 'no text'}; expected its text or its xml"
            raise InputError(f"document {document} {what}", self.path, number)
        return Content(self.path, record[there[0]], there[0] == "xml", number)
