"""Documents that are in memory already: a dict from ids to texts, asked as a collection of documents is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NoReturn

import numpy as np

from assay.errors import InputError, list_names, quote
from assay.tables.ids import Ints


class TextsInMemory:
    """A dict from ids to texts."""

    label = "documents"

    def __init__(self, given: Mapping[Any, str]):
        if not given:
            raise InputError("the dict is empty; expected a dict from document ids to texts", self.label)
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
        return document in self.given

    def own_id(self, document: str) -> str | None:
        """The id itself, if there is such a document."""
        return document if document in self.given else None

    def lacks(self, document: str) -> bool:
        """Whether a document is not there."""
        return self.own_id(document) is None

    def text(self, document: str) -> str:
        """Return the text of a document."""
        if document not in self.given:
            raise self._lacking([document])
        return self.given[document]

    def texts(self, documents: Iterable[str] | None = None) -> Iterator[tuple[str, str]]:
        """Yield the ids and texts of some documents, or of all; missing documents are left out."""
        return (
            (name, self.given[name]) for name in (self.given if documents is None else documents) if name in self.given
        )

    def readable_texts(self, unreadable: dict[str, InputError]) -> Iterator[tuple[str, str]]:
        """The ids and texts of all documents, which can all be read."""
        return self.texts()

    def lengths(self, documents: Iterable[str], missing: Literal["error", "unknown"] = "error") -> Ints:
        """Return the number of characters of each document; -1 if it is missing and `missing` allows that."""
        documents = list(documents)
        lacking = [document for document in dict.fromkeys(documents) if document not in self.given]
        if lacking and missing == "error":
            raise self._lacking(lacking)
        return np.array([len(self.given[name]) if name in self.given else -1 for name in documents], np.int64)

    def spans(self, *_: Any, **__: Any) -> NoReturn:
        """Where elements begin and end is not known of texts."""
        what = "these documents are texts without XML elements"
        raise InputError(f"{what}; expected a folder, an archive or a JSONL file with XML", self.label)

    path = points = point = elements = span = spans

    def _lacking(self, documents: list[str]) -> InputError:
        return InputError(f"there is no document {list_names(documents)}", self.label)
