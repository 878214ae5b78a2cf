"""Give the documents of runs the names that the judgments use, if the given documents show that both are the same.

Folders and file endings may give one document several names: `corpus/faq/readme.md`, `faq/readme.md` and `readme`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from assay.documents.names import AmbiguousDocument, Names, without_folders
from assay.errors import InputError, quote
from assay.reading.locate import name_there, own_name, spell_document_name
from assay.tables.ids import Bools, Ids
from assay.tables.judgments import Judgments
from assay.tables.run import Run, SpanRun, Table

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

# How many names that need no change are cached: some hundred megabytes.
MOST = 1_000_000


class Spelling(Mapping[str, str]):
    """The names that judgments use for the documents of a collection, by their ids there.

    It is computed when it is first needed, because finding the names among millions takes longer than measuring a run.
    """

    def __init__(self, judgments: Judgments, collection: DocumentCollection):
        self._judgments, self._collection = judgments, collection

    @cached_property
    def _names(self) -> dict[str, str]:
        judged = dict.fromkeys(self._judgments.document.texts())
        own_ids = {each: own_name_of(each, self._judgments, self._collection) for each in judged}
        names = {own: each for each, own in own_ids.items() if own is not None}
        # two names may mean the same document; the document's own id wins
        return names | {each: each for each, own in own_ids.items() if own == each}

    def __getitem__(self, own: str) -> str:
        return self._names[own]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def own_name_of(name: str, table: Table, collection: DocumentCollection) -> str | None:
    """Return the collection's own id of a document; raise an error about its row in a table if it could be several."""
    try:
        return own_name(name, collection)
    except AmbiguousDocument as error:
        raise error.in_table(table, name) from None


def refuse_several_names(judgments: Judgments, collection: DocumentCollection) -> None:
    """Raise an error if the judgments have two names for one document, because its judgments would be split."""
    by_end: dict[str, list[str]] = {}
    for name in dict.fromkeys(judgments.document.texts()):
        by_end.setdefault(end_of(name), []).append(name)
    # most names differ in their last part, so they need no lookup
    for names in by_end.values():
        first: dict[str, str] = {}
        for name in names if len(names) > 1 else ():
            own = own_name_of(name, judgments, collection)
            if own is not None and (other := first.setdefault(own, name)) != name:
                what = f"{quote(other)} and {quote(name)} both mean document {own} of {collection.label}"
                raise InputError(f"{what}; use one name for it", judgments.name)


class Respelling:
    """Gives the documents of runs the names that the judgments use, and says which documents nobody has.

    A document that is not judged gets one name in each block of a run.
    """

    def __init__(self, judgments: Judgments, collection: DocumentCollection):
        self.collection, self.spelling = collection, Spelling(judgments, collection)
        # cache of names that need no change and whose documents exist, which is true of most, with their last parts
        self._plain: dict[str, str] = {}
        self.known = set(judgments.document.texts())
        # all last parts that the names of judged documents may have; this needs no lookup in the given documents
        self.possible_ends = {end for name in self.known for end in possible_ends(name)}
        self.note = "some document names have folders that the given documents do not have; Assay ignored these folders"

    @cached_property
    def ends(self) -> set[str]:
        """The last parts of the names of judged documents, in the judgments and in the collection.

        They rule out most documents of a run without a lookup.
        """
        return {end_of(name) for pair in self.spelling.items() for name in pair}

    def run(self, run: Run) -> Run:
        """Return the run with the names of the judgments; a note says if the documents know only part of a name."""
        return self.respell(run)[0]

    def respell(self, run: Run) -> tuple[Run, Bools | None]:
        """Return the run as `run` does, and which results are parts of documents that nobody has; None if none are.

        Nobody has a document if neither the judgments nor the given documents do.
        """
        first, number = run.document.number()
        names = run.document[first].texts()
        new = [name for name in names if name not in self._plain]
        ends = {name: end_of(name) for name in new}
        # the last part of a name rules out most without a lookup
        likely = {name for name, end in ends.items() if name not in self.known and end in self.possible_ends}
        likely = {name for name in likely if ends[name] in self.ends}
        there = {name: name if name in self.known else self.there(name, run, name in likely) for name in new}
        absent = {name for name, part in there.items() if part is None}
        called = {
            name: spell_document_name(part, self.collection, self.spelling) if name in likely else part
            for name, part in there.items()
            if part is not None
        }
        changed = {name: other for name, other in called.items() if other != name}
        if len(self._plain) > MOST:
            self._plain.clear()
        self._plain.update((name, end) for name, end in ends.items() if name not in changed and name not in absent)
        changed |= self.same_documents(names, changed, run)
        are_parts = absent and isinstance(run, SpanRun)
        is_absent = np.array([name in absent for name in names], bool)[number] if are_parts else None
        if not changed:
            return run, is_absent
        in_part = any(part not in (name, None) for name, part in there.items())
        notes = (*run.notes, self.note) if in_part else run.notes
        document = Ids.of([changed.get(name, name) for name in names])[number]
        return replace(run, document=document, notes=notes), is_absent

    def there(self, name: str, run: Run, may_be_judged: bool) -> str | None:
        """Return a name, or the part of it that the given documents know; None if nobody has such a document.

        A name that may not be judged is looked up without reading any document.
        """
        lacks = self.collection.lacks
        try:
            if may_be_judged and (part := name_there(name, self.collection)) is not None:
                return part
            # most documents exist under exactly this name
            if not lacks(name):
                return name
            return None if all(map(lacks, without_folders(name))) else name_there(name, self.collection)
        except AmbiguousDocument as error:
            if may_be_judged:
                raise error.in_table(run, name) from None
            return name
        except InputError:
            # a document that is there twice is reported when it is read
            return name

    def same_documents(self, names: list[str], changed: Mapping[str, str], run: Run) -> dict[str, str]:
        """Return the names of unjudged documents that an earlier name means too, with that name.

        `changed` are the names that were changed already.
        """
        by_end: dict[str, list[str]] = {}
        for name in names:
            by_end.setdefault(self._plain.get(name) or end_of(name), []).append(name)
        same: dict[str, str] = {}
        for alike in by_end.values():
            first: dict[str, str] = {}
            for name in alike if len(alike) > 1 else ():
                new = changed.get(name, name)
                # all names of a judged document were changed to the one in the judgments
                own = None if new in self.known else own_name_of(name, run, self.collection)
                if own is not None and (other := first.setdefault(own, new)) != new:
                    same[name] = other
        return same


def end_of(name: str) -> str:
    """Return the last part of a name that may be a path, without its ending."""
    return Names.key(name.replace("\\", "/"))


def possible_ends(name: str) -> set[str]:
    """Return the last parts of all names that a name may mean; a name may have several endings."""
    keys = Names.keys(name.replace("\\", "/"))
    return keys | set(map(Names.key, keys))
