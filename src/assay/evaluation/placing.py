"""Texts as places: what judgments and runs that carry texts tell, before they are read as any others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from assay.errors import UsageError, counted
from assay.files.source import Source
from assay.reading.objects import Chunk
from assay.reading.read import asked_format, format_of_folder, is_file
from assay.reading.recognition import recognise
from assay.tables.judgments import Judgments
from assay.tables.run import Run
from assay.vocabulary import TEXTS, FileKind, Texts

# So many judged documents are looked at to know how lines end.
FEW = 20


@dataclass(eq=False, repr=False)
class Placing:
    """How texts become places in some documents, and what was noticed on the way."""

    collection: Any
    format: str | None = None
    policy: Texts = "check"
    columns: Mapping[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    # whether the evidence was found by its texts, and so counts the characters of the documents
    are_found: bool = False

    def __post_init__(self) -> None:
        if self.policy not in TEXTS:
            raise UsageError(f"unknown policy for texts {self.policy!r}; expected one of {', '.join(TEXTS)}")

    def anew(self) -> Placing:
        """The same, with nothing noticed yet."""
        return Placing(self.collection, self.format, self.policy, self.columns, are_found=self.are_found)

    def judgments(self, given: Any) -> Any:
        """Judgments with places, where they carry texts; others as they are."""
        if isinstance(given, list | tuple) and len(given) > 1 and all(map(is_file, given)):
            raise UsageError(f"judgments are {counted(len(given), 'file')}; expected one, as topics may be in several")
        placed = self._placed(given, "judgments", "judgments", {})
        self.are_found = self.collection is not None and placed is not given
        return placed

    def run(self, given: Any, name: str, judgments: Judgments) -> Any:
        """A run with places, where it carries texts and text is judged; others as they are."""
        if judgments.highlights is None:
            return self._whole_documents(given, name, judgments)
        spelling = {} if isinstance(given, Run) else self.spelling(judgments)
        placed = self._placed(given, "run", name, spelling)
        if self.are_found and placed is given:
            self.notes += line_ends_noted(name, judgments, self.collection)
        return placed

    def chunks(self, given: Any, judgments: Judgments) -> Run:
        """All chunks of a corpus with their places, as a run of one topic; documents are called as in the judgments."""
        from assay.reading.text_files import chunk_rows
        from assay.reading.text_format import table_of_texts

        label = given.label if isinstance(given, Source) else "chunks"
        rows = chunk_rows(given, label, self.columns)
        table, notes = table_of_texts(rows, self.collection, self.policy, self.spelling(judgments))
        self.notes += notes
        return cast(Run, table)

    def spelling(self, judgments: Judgments) -> Mapping[str, str]:
        """What judgments call the documents of the collection."""
        if self.collection is None:
            return {}
        from assay.evaluation.respelling import Spelling

        spelling, highlights = Spelling(judgments, self.collection), judgments.highlights
        # where all lengths are told nobody else asks for the judged documents, and what is wrong with them is told here
        is_asked_later = highlights is None or np.any(highlights.length < 0)
        return spelling if is_asked_later else dict(spelling)

    def _placed(self, given: Any, kind: FileKind, label: str, spelling: Mapping[str, str]) -> Any:
        if isinstance(given, Run | Judgments):
            return given
        if not isinstance(given, Source):
            from assay.reading.text_format import in_memory

            table, notes = in_memory(given, kind, label, self.collection, self.policy, spelling, self.columns)
        else:
            format = format_of_folder(given) or (
                asked_format(self.format, kind) or recognise(given, kind) if given.head() else None
            )
            if format is None or kind not in format.holds or not format.may_have_texts:
                return given
            from assay.reading.text_files import in_file

            table, notes = in_file(given, kind, format, self.collection, self.policy, spelling, self.columns)
        self.notes += notes
        return table

    def _whole_documents(self, given: Any, name: str, judgments: Judgments) -> Any:
        """Where whole documents are judged, the documents of chunks, each at its first place; others as they are.

        Where the ids of chunks are judged, these.
        """
        if isinstance(given, Source):
            value = self._by_topic(given)
            chunks = None if value is None else self._whole_documents(value, given.label, judgments)
            return given if chunks is value else chunks
        if isinstance(given, Run) or (
            isinstance(given, dict) and all(isinstance(results, dict) for results in given.values())
        ):
            return given
        from assay.reading.text_objects import text_rows

        rows = text_rows(given, "run", name, None)
        if rows is None or not rows.are_objects:
            return given
        names = self._judged_names(rows.chunks, name, judgments)
        if not all(names):
            return given
        ranking: dict[str, dict[str, float]] = {}
        for record, document in zip(rows.records, names, strict=True):
            ranking.setdefault(record["query_id"], {}).setdefault(document, record["score"])
        documents = sum(map(len, ranking.values()))
        if documents < len(rows):
            became = f"{counted(len(rows), 'chunk')} became {counted(documents, 'document')}"
            self.notes.append(f"{name}: {became}, ranked by their first result")
        return ranking

    def _judged_names(self, chunks: list[Chunk], name: str, judgments: Judgments) -> list[str]:
        """What chunks are called where whole documents are judged, or chunks by their own ids: as more of them are
        judged; nothing where that is not told.
        """
        judged = set(judgments.document.texts())
        documents = [next(iter(chunk.documents), "") for chunk in chunks]
        own = [next((each for each in chunk.own if each in judged), next(iter(chunk.own), "")) for chunk in chunks]
        if sum(each in judged for each in own) <= sum(each in judged for each in documents):
            return documents
        if any(documents):
            self.notes.append(f"{name}: chunks are taken by their own ids, which are judged, not by their documents")
        return own

    def _by_topic(self, source: Source) -> dict[str, Any] | None:
        """What a file of JSON by topic has for each of them; None of other files."""
        if format_of_folder(source) or not source.head():
            return None
        format = asked_format(self.format, "run") or recognise(source, "run")
        if format.name != "json":
            return None
        from assay.reading.formats.json import FORMAT

        return FORMAT.lists(source, "run")


def line_ends_noted(name: str, judgments: Judgments, collection: Any) -> Iterator[str]:
    """That nothing tells whether the offsets of a run count the line ends of Windows, which judged documents have, as
    one character or as two.
    """
    from assay.documents.location import WINDOWS

    judged = list(dict.fromkeys(judgments.document.texts()))[:FEW]
    own = [each for document in judged if (each := collection.own_id(document)) is not None]
    if document := next((each for each, text in collection.texts(own) if WINDOWS in text), None):
        what = f"document {document} has the line ends of Windows, of two characters each"
        counted_as_one = "where the offsets count one, as those of Python's text files do"
        yield f"{name}: {what}; {counted_as_one}, give documents with line feeds alone"
