"""Documents that are in memory already: a dict from ids to texts, asked as a collection of documents is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Literal, NoReturn

import numpy as np

from assay.documents.names import Names
from assay.errors import InputError, listed, quoted
from assay.tables.ids import Ints


class TextsInMemory:
    """A dict from ids to texts. An id may be a path, and is found as that of a file is: without folders or ending."""

    label = "documents"

    def __init__(self, given: Mapping[Any, str]):
        if not given:
            raise InputError("has no documents; expected a dict from ids to texts", self.label)
        self.given: dict[str, str] = {}
        for name, text in given.items():
            if not isinstance(text, str):
                raise InputError(f"document {name} is {quoted(str(text))}; expected its text", self.label)
            if str(name) in self.given:
                raise InputError(f"has document {quoted(str(name))} twice, as a number and as a text", self.label)
            self.given[str(name)] = text

    def __repr__(self) -> str:
        return f"<{len(self.given):,} documents in memory>"

    def __contains__(self, document: str) -> bool:
        return self.own_id(document) is not None

    @cached_property
    def _names(self) -> Names:
        """The ids, made ready when the first is asked for that is not there as it is."""
        return Names(self.label, self.given)

    def own_id(self, document: str) -> str | None:
        """What a document is called in the dict, whatever way its id is written; None where there is none."""
        return document if document in self.given else self._names.find(document)

    def lacks(self, document: str) -> bool:
        """Whether a document is not there."""
        return self.own_id(document) is None

    def text(self, document: str) -> str:
        """The text of a document."""
        if (own := self.own_id(document)) is None:
            raise self._lacking([document])
        return self.given[own]

    def texts(self, documents: Iterable[str] | None = None) -> Iterator[tuple[str, str]]:
        """The ids and texts of some documents, or of all; those that are missing are left out."""
        asked = self.given if documents is None else documents
        return ((name, self.given[own]) for name in asked if (own := self.own_id(name)) is not None)

    def lengths(self, documents: Iterable[str], missing: Literal["error", "unknown"] = "error") -> Ints:
        """The number of characters of each document; -1 for those that are missing, where that is no error."""
        documents = list(documents)
        own_ids = list(map(self.own_id, documents))
        if missing == "error" and None in own_ids:
            lacking = dict.fromkeys(name for name, own in zip(documents, own_ids, strict=True) if own is None)
            raise self._lacking(list(lacking))
        return np.array([-1 if own is None else len(self.given[own]) for own in own_ids], np.int64)

    def spans(self, *_: Any) -> NoReturn:
        """Where elements begin and end is not known of texts."""
        raise InputError("are texts without elements; expected a folder, an archive or a JSONL file", self.label)

    path = points = point = elements = span = spans

    def _lacking(self, documents: list[str]) -> InputError:
        return InputError(f"has no document {listed(documents)}", self.label)
