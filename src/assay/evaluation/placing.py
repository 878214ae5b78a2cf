"""Texts as places: what judgments and runs that carry texts tell, before they are read as any others."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from assay.errors import InputError, UsageError, counted
from assay.evaluation.named_runs import opened_file
from assay.files.source import Source
from assay.reading.format import Request
from assay.reading.read import asked_format, format_of_folder, is_file
from assay.reading.recognition import recognise
from assay.reading.rows import Rows
from assay.reading.values import is_frame
from assay.tables.judgments import Judgments
from assay.tables.run import Run
from assay.vocabulary import TEXTS, FileKind, Texts

if TYPE_CHECKING:
    from assay.reading.schema import Schema

# So many judged documents are looked at to know how lines end, and so many rows to know which ids are judged.
FEW, MANY = 20, 1000
# Columns that a user tells need not be in each input.
ANY_COLUMN = Request(every_column=False)


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
        """Judgments with places, where they carry texts; others as they are, or their rows."""
        if isinstance(given, list | tuple) and len(given) > 1 and all(map(is_file, given)):
            raise UsageError(f"judgments are {counted(len(given), 'file')}; expected one, as topics may be in several")
        found = self._placed(given, "judgments", "judgments", {})
        self.are_found = self.collection is not None and found is not given and has_places(found)
        return found

    def run(self, given: Any, name: str, judgments: Judgments) -> Any:
        """A run with places, where it carries texts and text is judged; others as they are, or their rows."""
        if judgments.highlights is None:
            return self._whole_documents(given, name, judgments)
        spelling = {} if isinstance(given, Run) else self.spelling(judgments)
        found = self._placed(given, "run", name, spelling)
        if self.are_found and (found is given or (isinstance(found, Rows) and not found.has("text"))):
            self.notes += line_ends_noted(name, judgments, self.collection)
        return found

    def chunks(self, given: Any, judgments: Judgments, name: str = "chunks") -> Run:
        """All chunks of a corpus with their places, as a run of one topic; documents are called as in the judgments."""
        from assay.reading.corpus import chunk_rows
        from assay.reading.locate import locate
        from assay.reading.memory import table_of

        label = given.label if isinstance(given, Source) else name
        rows = chunk_rows(given, label, self.columns)
        found = locate(rows, self.collection, self.policy, self.spelling(judgments))
        self.notes += found.notes
        return cast(Run, table_of(found))

    def chunks_of_runs(self, given: Any, runs: Collection[str], judgments: Judgments) -> dict[str, Run]:
        """The chunks of each run with their places: all for every run, or those that a dict has under its name."""
        from assay.reading.corpus import chunks_by_run

        judged, documents = set(judgments.document.texts()), self.collection

        def is_document(name: str) -> bool:
            return name in judged or (documents is not None and documents.own_id(name) is not None)

        by_run, read = chunks_by_run(given, runs, is_document), dict[int, Run]()
        for run, chunks in by_run.items():
            # one list for all runs is read once
            if id(chunks) not in read:
                name = "chunks" if chunks is given else f"chunks of {run}"
                read[id(chunks)] = self.chunks(opened_file(chunks), judgments, name)
        return {run: read[id(chunks)] for run, chunks in by_run.items()}

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
        if isinstance(given, Run | Judgments) or is_plain_run(given, kind):
            return given
        if not isinstance(given, Source) and not is_frame(given):
            from assay.reading.memory import placed

            of_text = kind == "run"
            rows = self._rows(given, kind, label)
            rows = placed(rows, self.collection, self.policy, spelling, ANY_COLUMN, of_text)
            self.notes += rows.notes
            return rows
        if isinstance(given, Source):
            format = format_of_folder(given) or (
                asked_format(self.format, kind) or recognise(given, kind) if given.head() else None
            )
            if format is None or kind not in format.holds or not format.may_have_texts:
                return given
            from assay.reading.texts import of_file

            table, notes = of_file(given, kind, format, self.collection, self.policy, spelling, self.columns)
        else:
            names = [str(name) for name in given.columns] if hasattr(type(given), "columns") else []
            if doubled := next((name for name in names if names.count(name) > 1), None):
                raise InputError(f"two columns are named {doubled}", label)
            from assay.reading.texts import of_table, records_of_frame

            table, notes = of_table(
                names, lambda: records_of_frame(given), kind, label, self.collection, self.policy, spelling,
                self.columns,
            )  # fmt: skip
        self.notes += notes
        return given if table is None else table

    def _rows(self, given: Any, kind: FileKind, label: str, whole: bool = False) -> Rows:
        from assay.reading.memory import rows_in_memory

        return rows_in_memory(given, kind, label, self.collection, self.columns, whole)

    def _whole_documents(self, given: Any, name: str, judgments: Judgments) -> Any:
        """Where whole documents are judged, the documents of chunks, each at its first place; others as they are.

        Where the ids of chunks are judged, these.
        """
        rows = self._rows_of_json(given) if isinstance(given, Source) else None
        if rows is None:
            if isinstance(given, Run) or is_plain_run(given, "run"):
                return given
            if isinstance(given, Source) or is_frame(given):
                return self._by_judged_ids(given, name, judgments)
            rows = self._rows(given, "run", name, whole=True)
        return self._whole_documents_of(rows, name, judgments)

    def _whole_documents_of(self, rows: Rows, name: str, judgments: Judgments) -> Rows:
        """The documents, or the chunks by their own ids, that some rows return."""
        from assay.reading.memory import placed, read_values

        read_values(rows, ANY_COLUMN)
        if not rows.has_parts and not rows.has("own"):
            return rows
        is_table = not rows.by_topic
        names = self._judged_names(rows, name, judgments)
        if is_table and names == [record.get("document", "") for record in rows.records]:
            return rows
        if not all(names):
            found = placed(rows, self.collection, self.policy, request=ANY_COLUMN)
            self.notes += found.notes
            return found
        order = range(len(rows))
        first: dict[tuple[str, str], int] = {}
        for row in sorted(order, key=lambda row: -order_of(rows.records[row])) if is_table else order:
            first.setdefault((rows.records[row]["topic"], names[row]), row)
        if len(first) < len(rows):
            became = f"{counted(len(rows), 'chunk')} became {counted(len(first), 'document')}"
            self.notes.append(f"{rows.label}: {became}, ranked by their first result")
        kept = sorted(first.values())
        fields = ("topic", "score", "rank")
        records = [
            {what: value for what in fields if (value := rows.records[row].get(what)) is not None}
            | {"document": names[row]}
            for row in kept
        ]
        return rows.having(records, kept)

    def _by_judged_ids(self, given: Any, name: str, judgments: Judgments) -> Any:
        """A table as it is, unless it has ids of chunks beside those of documents, and these are judged."""
        format = None
        if isinstance(given, Source):
            format = None if format_of_folder(given) else asked_format(self.format, "run") or recognise(given, "run")
            if format is None or not format.has_columns:
                return given
        from assay.reading.records import rows_of_records
        from assay.reading.schema import Schema
        from assay.tables.column_names import OWN_IDS, PART_IDS

        names = format.column_names(given) if format else [str(each) for each in getattr(given, "columns", ())]
        schema = Schema(names, self.columns)
        own = [each for group in schema.among((*PART_IDS, *OWN_IDS)) for each in group]
        if "document" not in schema.fields or not own or schema.fields["document"] in own:
            return given
        from assay.reading.text_records import records_of
        from assay.reading.texts import records_of_frame

        def numbered() -> Iterator[tuple[int, Any]]:
            found = records_of(given) if isinstance(given, Source) else records_of_frame(given)
            return ((line or row, record) for row, (line, record) in enumerate(found, 1))

        judged = set(judgments.document.texts())
        first = [record for _, record in islice(numbered(), MANY)]
        by_own = max(sum(str(record.get(each)) in judged for record in first) for each in own)
        if by_own <= sum(str(record.get(schema.fields["document"])) in judged for record in first):
            return given
        label, noun = (given.label, "line") if format else (name, "row")
        rows = rows_of_records(numbered(), "run", label, noun, None, self.columns, whole=True)
        return self._whole_documents_of(rows, name, judgments)

    def _judged_names(self, rows: Rows, name: str, judgments: Judgments) -> list[str]:
        """What chunks are called where whole documents are judged, or chunks by their own ids: as more of them are
        judged; nothing where that is not told.
        """
        judged = set(judgments.document.texts())
        documents = [record.get("document", "") for record in rows.records]
        ids = [record.get("own", ()) for record in rows.records]
        own = [next((each for each in some if each in judged), next(iter(some), "")) for some in ids]
        if sum(each in judged for each in own) <= sum(each in judged for each in documents):
            return documents
        if any(documents):
            self.notes.append(
                f"{rows.label}: chunks are taken by their own ids, which are judged, not by their documents"
            )
            # what else could be the document is not to be said once more
            rows.schema = without_others(rows.schema)
        return own

    def _rows_of_json(self, source: Source) -> Rows | None:
        """The rows of a file of JSON by topic; None of other files."""
        if format_of_folder(source) or not source.head():
            return None
        format = asked_format(self.format, "run") or recognise(source, "run")
        if format.name != "json":
            return None
        from assay.reading.texts import rows_of_file

        return rows_of_file(source, "run", format, self.columns, self.collection)


def without_others(schema: Schema | None) -> Schema | None:
    """A schema that takes the column of documents as told."""
    if schema is None or (column := schema.fields.get("document")) is None:
        return schema
    return replace(schema, told={**schema.told, "document": column})


def order_of(record: Mapping[str, Any]) -> float:
    """What orders the rows of a table: their scores, or else their ranks."""
    from assay.reading.cells import wrong_score
    from assay.reading.records import told_number
    from assay.reading.values import plain_value

    value = told_number(plain_value(record.get("score", record.get("rank", 0))))
    # what is no number is refused when the table is made
    number = float(value) if wrong_score(value) is None else 0.0
    return number if "score" in record else -number


def has_places(given: Any) -> bool:
    """Whether judgments were located by their texts."""
    return isinstance(given, Judgments) or (isinstance(given, Rows) and given.has("text"))


def is_plain_run(given: Any, kind: FileKind) -> bool:
    """Whether a run is a dict of dicts, which has no texts."""
    return (
        kind == "run"
        and isinstance(given, dict)
        and all(isinstance(results, dict) for results in given.values())
    )


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
