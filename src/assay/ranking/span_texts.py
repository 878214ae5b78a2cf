"""The texts of spans, where the documents are given: most measures need none."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from assay.errors import InputError, UsageError, listed
from assay.tables.ids import Ids, Ints

if TYPE_CHECKING:
    from assay.documents.lookup import Documents


READING = threading.Lock()


class SpanTexts:
    """The texts of spans of documents; `names` has the document of each row of a table."""

    def __init__(self, documents: Documents, names: Ids):
        self._documents, self._names = documents, names

    def of(self, row: Ints, start: Ints, end: Ints) -> list[str]:
        """The texts of some spans of the documents of rows; each document is read once."""
        names = self._names[row].texts()
        # runs are measured side by side, and read the same documents
        with READING:
            texts = dict(self._documents.texts(dict.fromkeys(names)))
        if lacking := [name for name in dict.fromkeys(names) if name not in texts]:
            what = f"has no document {listed(lacking, 3)}; to compare texts takes them"
            raise InputError(what, self._documents.label)
        places = zip(names, start.tolist(), end.tolist(), strict=True)
        return [texts[name][first:last] for name, first, last in places]


def given_source(source: SpanTexts | None) -> SpanTexts:
    """The texts, which must be there."""
    if source is None:
        raise UsageError("to compare texts, give documents=")
    return source
