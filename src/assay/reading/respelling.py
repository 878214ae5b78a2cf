"""Runs whose documents are called as the judgments call them, where the given documents say that both are the same.

A folder or an ending may make two names of one document: `corpus/faq/readme.md`, `faq/readme.md` and `readme`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from assay.documents.names import Names, without_folders
from assay.errors import InputError
from assay.reading.locate import name_there, own_name, spell_document_name
from assay.tables.ids import Bools, Ids
from assay.tables.judgments import Judgments
from assay.tables.run import Run, SpanRun

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

# How many names are known as not to be asked for again: some hundred megabytes.
MOST = 1_000_000


class Spelling(Mapping[str, str]):
    """What judgments call the documents of a collection, by what these are called there.

    It is found out when it is first asked for: to find the names among millions takes longer than to measure a run.
    """

    def __init__(self, judgments: Judgments, collection: DocumentCollection):
        self._judgments, self._collection = judgments, collection

    @cached_property
    def _names(self) -> dict[str, str]:
        judged = dict.fromkeys(self._judgments.document.texts())
        own_ids = {each: own_name(each, self._collection) for each in judged}
        names = {own: each for each, own in own_ids.items() if own is not None}
        # two of them may be of one document, and one of these its very name
        return names | {each: each for each, own in own_ids.items() if own == each}

    def __getitem__(self, own: str) -> str:
        return self._names[own]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Respelling:
    """Gives the documents of runs the names that the judgments have for them, and says which documents nobody has."""

    def __init__(self, judgments: Judgments, collection: DocumentCollection):
        self.collection, self.spelling = collection, Spelling(judgments, collection)
        # names that stay as they are, of documents that somebody has, as most do: what is known need not be asked again
        self._plain: set[str] = set()
        self.known = set(judgments.document.texts())
        # all that the names of judged documents may end in, which the given documents need not be asked for
        self.possible_ends = {end for name in self.known for end in possible_ends(name)}
        self.note = "some document names have folders that the given documents do not have; Assay ignored these folders"

    @cached_property
    def ends(self) -> set[str]:
        """What the names of judged documents end in, here or there: few documents of a run are looked for."""
        return {end_of(name) for pair in self.spelling.items() for name in pair}

    def run(self, run: Run) -> Run:
        """The run, with a note where the given documents know only a part of a name."""
        return self.respell(run)[0]

    def respell(self, run: Run) -> tuple[Run, Bools | None]:
        """The same, and which results are parts of documents that neither the judgments nor the given documents have;
        None if none is.
        """
        first, number = run.document.number()
        names = run.document[first].texts()
        new = [name for name in names if name not in self._plain]
        there = {name: part for name in new if (part := self.there(name)) is not None}
        absent = {name for name in new if name not in there and self.is_absent(name)}
        called = {name: spell_document_name(part, self.collection, self.spelling) for name, part in there.items()}
        changed = {name: other for name, other in called.items() if other != name}
        if len(self._plain) > MOST:
            self._plain.clear()
        self._plain.update(name for name in new if name not in changed and name not in absent)
        are_parts = absent and isinstance(run, SpanRun)
        is_absent = np.array([name in absent for name in names], bool)[number] if are_parts else None
        if not changed:
            return run, is_absent
        in_part = any(part != name for name, part in there.items())
        notes = (*run.notes, self.note) if in_part else run.notes
        document = Ids.of([changed.get(name, name) for name in names])[number]
        return replace(run, document=document, notes=notes), is_absent

    def there(self, name: str) -> str | None:
        """What the given documents know of a name that may be that of a judged document, but is not; None if nothing.
        """
        end = end_of(name)
        if name in self.known or end not in self.possible_ends or end not in self.ends:
            return None
        return name_there(name, self.collection)

    def is_absent(self, name: str) -> bool:
        """Whether neither the judgments nor the given documents have a document, as far as that is known without
        reading any.
        """
        lacks = self.collection.lacks
        try:
            # most are there as they are
            return name not in self.known and lacks(name) and all(map(lacks, without_folders(name)))
        except InputError:
            # it may be one of several
            return False


def end_of(name: str) -> str:
    """The last part of a name that may be a path, without its ending."""
    return Names.key(name.replace("\\", "/"))


def possible_ends(name: str) -> set[str]:
    """What the names of the documents that a name may mean end in, which may have one ending after another."""
    keys = Names.keys(name.replace("\\", "/"))
    return keys | set(map(Names.key, keys))
