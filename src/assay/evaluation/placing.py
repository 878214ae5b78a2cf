"""Texts as places: what judgments and runs that carry texts tell, before they are read as any others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

from assay.errors import UsageError, counted
from assay.files.source import Source
from assay.formats.reading import asked_format, format_of_folder, is_file
from assay.formats.recognition import recognise
from assay.tables.judgments import Judgments
from assay.tables.run import Run
from assay.vocabulary import TEXTS, FileKind, Texts


@dataclass(eq=False)
class Placing:
    """How texts become places in some documents, and what was noticed on the way."""

    collection: Any
    format: str | None = None
    policy: Texts = "check"
    columns: Mapping[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.policy not in TEXTS:
            raise UsageError(f"unknown policy for texts {self.policy!r}; expected one of {', '.join(TEXTS)}")

    def anew(self) -> Placing:
        """The same, with nothing noticed yet."""
        return Placing(self.collection, self.format, self.policy, self.columns)

    def judgments(self, given: Any) -> Any:
        """Judgments with places, where they carry texts; others as they are."""
        if isinstance(given, list | tuple) and len(given) > 1 and all(map(is_file, given)):
            raise UsageError(f"judgments are {counted(len(given), 'file')}; expected one, as topics may be in several")
        return self._placed(given, "judgments", "judgments", {})

    def run(self, given: Any, name: str, judgments: Judgments) -> Any:
        """A run with places, where it carries texts and text is judged; others as they are."""
        if judgments.highlights is None:
            return self._whole_documents(given, name)
        spelling = {} if isinstance(given, Run) else self.spelling(judgments)
        return self._placed(given, "run", name, spelling)

    def chunks(self, given: Any, judgments: Judgments) -> Run:
        """All chunks of a corpus with their places, as a run of one topic; documents are called as in the judgments."""
        from assay.formats.corpus_chunks import chunk_rows
        from assay.formats.text_tables import table_of_texts

        label = given.label if isinstance(given, Source) else "chunks"
        rows = chunk_rows(given, label, self.columns)
        table, notes = table_of_texts(rows, self.collection, self.policy, self.spelling(judgments))
        self.notes += notes
        return cast(Run, table)

    def spelling(self, judgments: Judgments) -> Mapping[str, str]:
        """What judgments call the documents of the collection."""
        if self.collection is None:
            return {}
        judged = dict.fromkeys(judgments.document.texts())
        return {own: each for each in judged if (own := self._own_id(each)) is not None}

    def _own_id(self, document: str) -> str | None:
        from assay.formats.text_places import name_there

        own: str | None = self.collection.own_id(name_there(document, self.collection) or document)
        return own

    def _placed(self, given: Any, kind: FileKind, label: str, spelling: Mapping[str, str]) -> Any:
        if isinstance(given, Run | Judgments):
            return given
        if not isinstance(given, Source):
            from assay.formats.text_tables import in_memory

            table, notes = in_memory(given, kind, label, self.collection, self.policy, spelling, self.columns)
            table = self._respelt(given, spelling) if table is given and spelling else table
        else:
            format = format_of_folder(given) or (
                asked_format(self.format, kind) or recognise(given, kind) if given.head() else None
            )
            if format is None or kind not in format.holds or not format.may_have_texts:
                return given
            from assay.formats.file_texts import in_file

            table, notes = in_file(given, kind, format, self.collection, self.policy, spelling, self.columns)
        self.notes += notes
        return table

    def _respelt(self, given: Any, spelling: Mapping[str, str]) -> Any:
        """Spans in the lists of a dict, with the names that the judgments have for their documents; others as they are.
        """
        from assay.formats.memory_spans import has_spans
        from assay.formats.text_places import name_there, spelt

        if not isinstance(given, Mapping) or not has_spans(given, "run"):
            return given
        known = set(spelling.values())

        @cache
        def named(name: str) -> str:
            there = None if name in known else name_there(name, self.collection)
            return name if there is None else spelt(there, self.collection, spelling)

        def respelt(result: Any) -> Any:
            is_span = isinstance(result, list | tuple) and result and isinstance(result[0], str)
            return (named(result[0]), *result[1:]) if is_span else result

        return {
            topic: list(map(respelt, results)) if isinstance(results, list | tuple) else results
            for topic, results in given.items()
        }

    def _whole_documents(self, given: Any, name: str) -> Any:
        """Where whole documents are judged, the documents of chunks, each at its first place; others as they are."""
        if isinstance(given, Run | Source) or (
            isinstance(given, dict) and all(isinstance(results, dict) for results in given.values())
        ):
            return given
        from assay.formats.memory_texts import text_rows

        rows = text_rows(given, "run", name, None)
        if rows is None or not rows.are_objects or not all(chunk.documents for chunk in rows.chunks):
            return given
        ranking: dict[str, dict[str, float]] = {}
        for record, chunk in zip(rows.records, rows.chunks, strict=True):
            ranking.setdefault(record["query_id"], {}).setdefault(chunk.documents[0], record["score"])
        documents = sum(map(len, ranking.values()))
        if documents < len(rows):
            became = f"{counted(len(rows), 'chunk')} became {counted(documents, 'document')}"
            self.notes.append(f"{name}: {became}, ranked by their first result")
        return ranking
