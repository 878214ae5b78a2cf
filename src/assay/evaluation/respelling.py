"""Runs whose documents are called as the judgments call them, where the given documents tell that both are the same.

A folder or an ending may make two names of one document: `corpus/faq/readme.md`, `faq/readme.md` and `readme`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assay.documents.names import Names
from assay.formats.text_places import name_there, spelt
from assay.tables.ids import Ids
from assay.tables.judgments import Judgments
from assay.tables.run import Run


def spelling_of(judgments: Judgments, collection: Any) -> Mapping[str, str]:
    """What judgments call the documents of the collection."""
    judged = dict.fromkeys(judgments.document.texts())
    own_ids = {each: collection.own_id(name_there(each, collection) or each) for each in judged}
    return {own: each for each, own in own_ids.items() if own is not None}


class Respelling:
    """Gives the documents of runs the names that the judgments have for them."""

    def __init__(self, judgments: Judgments, collection: Any):
        self.collection, self.spelling = collection, spelling_of(judgments, collection)
        self.known = set(judgments.document.texts())
        # most documents of a run are not judged, and few of them are looked for
        self.ends = {end_of(name) for pair in self.spelling.items() for name in pair}
        self.note = "folders before the names of some documents, which the given documents do not have, do not count"

    def run(self, run: Run) -> Run:
        """The run, with a note where the given documents know only a part of a name."""
        if not self.spelling:
            return run
        first, number = run.document.numbered()
        names = run.document[first].texts()
        there = [self.there(name) for name in names]
        called = [name if part is None else spelt(part, self.collection, self.spelling)
                  for name, part in zip(names, there, strict=True)]  # fmt: skip
        if called == names:
            return run
        in_part = any(part not in (None, name) for name, part in zip(names, there, strict=True))
        notes = (*run.notes, self.note) if in_part else run.notes
        return replace(run, document=Ids.of(called)[number], notes=notes)

    def there(self, name: str) -> str | None:
        """What the given documents know of a name that may be that of a judged document, but is not; None if nothing.
        """
        if name in self.known or end_of(name) not in self.ends:
            return None
        return name_there(name, self.collection)


def end_of(name: str) -> str:
    """The last part of a name that may be a path, without its ending."""
    return Names.key(name.replace("\\", "/"))

