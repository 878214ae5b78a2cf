"""Locate the texts of runs and judgments in the documents, before the tables are made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from assay.errors import InputError, UsageError, count_noun, shorten
from assay.files.source import Source
from assay.reading.format import Request
from assay.reading.given import Given, GivenFile, GivenFrame, GivenObjects, GivenRows, GivenTable
from assay.reading.schema import Schema, may_carry_texts, schema_of, without_others
from assay.reading.values import NO_NAMES, id_of
from assay.tables.judgments import HighlightJudgments, Judgments
from assay.tables.run import SpanRun
from assay.vocabulary import TEXTS, Texts

if TYPE_CHECKING:
    from assay.reading.chunk_ids import ChunkTable, ChunkTables
    from assay.reading.records import RecordReader
    from assay.reading.rows import Rows

# How many judged documents are checked for Windows line ends.
FEW = 20
# A column that the user named need not be in every input.
ANY_COLUMN = Request(every_column=False)


@dataclass(eq=False, repr=False)
class TextLocator:
    """How to locate texts in the documents, and the notes that were made on the way."""

    collection: Any
    policy: Texts = "check"
    columns: Mapping[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    # whether the evidence was located by its texts, so that its offsets count characters of the documents
    are_found: bool = False
    # whether the offsets of the judgments have no texts to check them, and what texts showed about wrong offsets
    are_unchecked: bool = False
    wrong_offsets: str = ""
    # the chunks that runs return by id, and the names of the runs
    tables: ChunkTables | None = None
    runs: Collection[str] = ()
    # questions without an answer, and for each run the score of the first result in their lists of objects
    unanswerable: frozenset[str] = frozenset()
    first_scores: dict[str, dict[str, float | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.policy not in TEXTS:
            raise UsageError(f"unknown value {self.policy!r} of texts=; choose from {', '.join(TEXTS)}")

    def anew(self, runs: Collection[str] = ()) -> TextLocator:
        """Return a copy for some runs, without notes and scores."""
        return replace(self, notes=[], runs=runs, first_scores={})

    def judgments(self, given: Given) -> Given:
        """Return judgments with their texts located; judgments without texts unchanged, or as rows."""
        found = self.locate(given)
        has_texts = isinstance(found, GivenRows) and found.rows.has("text")
        self.are_found = self.collection is not None and has_texts
        # a table may have been checked when it was read
        self.are_unchecked = self.collection is not None and not has_texts and not isinstance(given, GivenTable)
        self.wrong_offsets = wrong_offsets(found)
        if isinstance(found, GivenRows):
            self.unanswerable = frozenset(found.rows.unanswerable)
        elif isinstance(found, GivenTable) and isinstance(found.table, Judgments):
            self.unanswerable = frozenset(found.table.unanswerable)
        return found

    def read_judgments(self, given: Given, request: Request) -> Judgments:
        """Read judgments with their texts located; raise an error if highlighted text is split between two names."""
        judgments = self.judgments(given).judgments(request)
        if self.collection is not None and isinstance(judgments, HighlightJudgments):
            from assay.reading.spelling import refuse_several_names

            refuse_several_names(judgments, self.collection)
        return judgments

    def run(self, given: Given, name: str, judgments: Judgments) -> Given:
        """Return a run with its texts located, or with the spans of the chunks that it names by id.

        Texts are located only if text is judged; if whole documents are judged, chunks become their documents. Other
        runs are returned unchanged, or as their rows.
        """
        if self.unanswerable:
            self.first_scores[name] = first_scores(given.opened(), self.unanswerable)
        if self.tables is not None and (by_ids := self._by_ids(given, name, judgments)) is not None:
            return by_ids
        if not isinstance(judgments, HighlightJudgments):
            return self._whole_documents(given, judgments)
        spelling = NO_NAMES if isinstance(given, GivenTable) else self.spelling(judgments)
        found = self.locate(given, spelling, of_text=True)
        has_texts = isinstance(found, GivenRows) and found.rows.has("text")
        if self.are_found and not has_texts:
            of_gold = self.wrong_offsets if self._has_offsets(found) else ""
            self.notes += notes_on_unchecked(name, of_gold, judgments, self.collection)
        elif self.are_unchecked and has_texts:
            further = notes_on_unchecked(judgments.name, wrong_offsets(found), judgments, self.collection)
            # several runs may show the same about the judgments
            self.notes += [note for note in further if note not in self.notes]
        return found

    def _has_offsets(self, run: Given) -> bool:
        """Return whether a run has offsets of its own. A table counts as having none: they may have been checked."""
        if isinstance(run, GivenRows):
            return run.rows.has("start")
        if run.has_columns:
            return bool(schema_of(run.names(), self.columns).spans)
        return isinstance(run, GivenFile) and not run.is_empty and "spans" in run.format.writes_runs_of

    def _by_ids(self, given: Given, name: str, judgments: Judgments) -> Given | None:
        """Return a run that names chunks by id, with the spans of these chunks; None if it does not."""
        from assay.reading.chunk_ids import by_chunk_ids, judged_by_ids, places_of_its_own

        assert self.tables is not None
        table = self.table_of_chunks(name, judgments)
        if table is None or (not isinstance(judgments, HighlightJudgments) and judged_by_ids(judgments, table)):
            return None
        if (found := by_chunk_ids(given, table, self.columns, self.collection)) is None:
            self.notes += [] if self.tables.for_more else [places_of_its_own(name)]
            return None
        self.notes += (note for note in table.notes if note not in self.notes)
        return found

    def table_of_chunks(self, name: str, judgments: Judgments) -> ChunkTable | None:
        """Return the chunks that a run may name by id; None if only chunks of other runs were passed."""
        judged, documents = set(judgments.document.texts()), self.collection

        def is_document(name: str) -> bool:
            return name in judged or (documents is not None and documents.own_id(name) is not None)

        def read(chunks: Any, label: str) -> ChunkTable:
            return self.chunks(chunks, judgments, label)

        assert self.tables is not None
        return self.tables.of_run(name, self.runs or [name], is_document, read)

    def chunks(self, given: Any, judgments: Judgments, name: str = "chunks") -> ChunkTable:
        """Return all chunks of a corpus with their spans; documents are named as in the judgments."""
        from assay.reading.chunk_ids import chunk_rows, chunk_table
        from assay.reading.locate import locate
        from assay.reading.memory import table_of

        label = given.label if isinstance(given, Source) else name
        rows = chunk_rows(given, label, self.columns)
        found = locate(rows, self.collection, self.policy, self.spelling(judgments))
        return chunk_table(found, cast(SpanRun, table_of(found)), found.notes)

    def chunks_of_runs(self, judgments: Judgments) -> dict[str, SpanRun]:
        """Return the chunks of each run with their spans: the same for all runs, or those under its name in a dict."""
        tables = {run: self.table_of_chunks(run, judgments) for run in self.runs}
        there = {run: table for run, table in tables.items() if table is not None}
        self.notes += (note for table in there.values() for note in table.notes if note not in self.notes)
        return {run: table.spans for run, table in there.items()}

    def spelling(self, judgments: Judgments) -> Mapping[str, str]:
        """Return the names that the judgments use for the documents of the collection."""
        if self.collection is None:
            return {}
        from assay.reading.spelling import Spelling

        spelling = Spelling(judgments, self.collection)
        # if all lengths are known, nothing else looks up the judged documents, so their faults are reported here
        is_asked_later = not isinstance(judgments, HighlightJudgments) or np.any(judgments.highlights.length < 0)
        return spelling if is_asked_later else dict(spelling)

    def locate(
        self,
        given: Given,
        spelling: Mapping[str, str] = NO_NAMES,
        of_text: bool = False,
        request: Request = ANY_COLUMN,
    ) -> Given:
        """Return the input as rows with their texts located; an input without texts unchanged, or as its rows.

        spelling: the names that the judgments use for documents. of_text: text is judged, so a text without a place
        must not count as the whole document.
        """
        given = given.opened()
        if isinstance(given, GivenObjects) and not given.is_plain:
            from assay.reading.memory import locate_rows

            rows = given.rows(self.collection, self.columns)
            found: Rows | None = locate_rows(rows, self.collection, self.policy, spelling, request, of_text)
            notes = found.notes if found else []
        elif isinstance(given, GivenFile) and (given.folder or given.source.head()):
            if given.kind not in given.format.holds or not given.format.may_have_texts:
                return given
            if given.format.has_columns:
                found, notes = self._locate_table(given, spelling, of_text)
            else:
                from assay.reading.memory import locate_rows

                request = Request(self.collection, columns=self.columns)
                unlocated = given.format.rows_with_texts(given.source, given.kind, request)
                if unlocated is None:
                    return given
                found = locate_rows(unlocated, self.collection, self.policy, spelling, of_text=of_text)
                notes = found.notes
        elif isinstance(given, GivenFrame):
            found, notes = self._locate_table(given, spelling, of_text)
        else:
            return given
        self.notes += notes
        return given if found is None else GivenRows.of(found)

    def _locate_table(self, given: Given, spelling: Mapping[str, str], of_text: bool) -> tuple[Rows | None, list[str]]:
        """Return the rows of a frame or file with columns, with their texts located, and notes.

        The rows are None if the table can be read by columns.
        """
        from assay.reading import texts
        from assay.reading.memory import locate_rows

        names, kind, collection = given.names(), given.kind, self.collection
        # a table of columns cannot hold questions without an answer
        if not texts.says_no_answers(names, kind):
            if not may_carry_texts(schema_of(names, self.columns)):
                return None, []
            try:
                sample = sample_of_table(given, self.columns, collection)
            except InputError:
                if collection is not None:
                    raise
                # a faulty row is reported when the table is read
                return None, []
            is_nested = texts.needs_rows(sample)
            if not is_nested and sample.text is None:
                return None, []
            if not is_nested and sample.has_place and (collection is None or self.policy == "ignore"):
                records = given.records(self.columns)
                noted = texts.first_notes(records, kind, given.label, self.columns, collection, self.policy)
                if noted is not None:
                    return None, noted
            elif not is_nested and collection is None and kind == "judgments":
                # the reader of columns says what the table lacks
                return None, []
        rows = texts.rows_of_table(given.records(self.columns), kind, given.label, self.columns, collection)
        found = locate_rows(rows, collection, self.policy, spelling, of_text=of_text)
        return found, found.notes

    def located_if_documents(self, given: Given) -> Given:
        """Locate the texts of an input that is read without judgments, if there are documents; else return it as is.

        Gold with questions that have no answer, and tables with values inside their columns, are read row by row even
        without documents. The lengths of texts are compared with their offsets.
        """
        opened = given.opened()
        if self.collection is not None or opened is not given or has_unanswerable(given):
            return self.locate(opened)
        if isinstance(given, GivenObjects):
            # the only input here, so a column that the user named must be in it
            return self.locate(given, request=Request(columns=self.columns))
        if (sample := sample_if_texts(given, self.columns, None)) is None:
            return given
        from assay.reading.texts import needs_rows

        has_lengths = sample.text is not None and bool(sample.schema.spans)
        return self.locate(given) if has_lengths or needs_rows(sample) else given

    def _whole_documents(self, given: Given, judgments: Judgments) -> Given:
        """Return a run of chunks as the documents they come from, each ranked by its first chunk; other runs unchanged.

        This is for judgments of whole documents. If the judgments name ids of chunks, the chunks are kept.
        """
        given, rows = given.opened(), None
        if isinstance(given, GivenObjects) and not given.is_plain:
            rows = given.rows(self.collection, self.columns, whole=True)
        elif given.has_columns:
            rows = self._rows_of_table(given, judgments)
        return given if rows is None else GivenRows.of(self._whole_documents_of(rows, judgments))

    def _whole_documents_of(self, rows: Rows, judgments: Judgments) -> Rows:
        """Return rows as whole documents, or as chunks by their own ids."""
        from assay.reading.memory import locate_rows, read_values

        read_values(rows, ANY_COLUMN)
        column = self._judged_column(rows, judgments)
        if column is None and not rows.has_parts:
            return rows
        is_table = not rows.by_topic
        names = [record.get("document", "") for record in rows.records] if column is None else ids_of(rows, column)
        has_starts = rows.has("start")
        are_alike = has_starts == all("start" in record for record in rows.records)
        if all(names) and are_alike and names == [record.get("document", "") for record in rows.records]:
            return rows if has_starts else rows.without_texts()
        if not all(names):
            found = locate_rows(rows, self.collection, self.policy, request=ANY_COLUMN)
            self.notes += found.notes
            return found
        order = range(len(rows))
        first: dict[tuple[str, str], int] = {}
        for row in sorted(order, key=lambda row: -order_of(rows.records[row])) if is_table else order:
            first.setdefault((rows.records[row]["topic"], names[row]), row)
        if len(first) < len(rows):
            became = f"{count_noun(len(rows), 'chunk')} became {count_noun(len(first), 'document')}"
            self.notes.append(f"{rows.label}: {became}, ranked by their first result")
        kept = sorted(first.values())
        fields = ("topic", "score", "rank")
        records = [
            {what: value for what in fields if (value := rows.records[row].get(what)) is not None}
            | {"document": names[row]}
            for row in kept
        ]
        return rows.having(records, kept)

    def _rows_of_table(self, given: Given, judgments: Judgments) -> Rows | None:
        """Return the rows of a table if it has values inside its columns, or chunk ids that are judged; else None."""
        # texts may tell documents that the table does not name
        is_read_in_rows = has_values_within(given, self.columns) or (
            self.collection is not None and has_texts(given, self.columns, self.collection)
        )
        if not is_read_in_rows and not self._are_judged(given, judgments):
            return None
        from assay.reading.texts import rows_of_table

        return rows_of_table(given.records(self.columns), "run", given.label, self.columns, self.collection, whole=True)

    def _are_judged(self, given: Given, judgments: Judgments) -> bool:
        """Return whether the judgments name the ids of another column of a table than that of its documents."""
        from assay.reading.records import flat

        try:
            schema = schema_of(given.all_names, self.columns)
            if len(schema.ids) < 2 or not {"topic", "document"} <= schema.fields.keys():
                return False
            flats = (flat(record) for _, record in given.records(self.columns))
            topic, document = schema.fields["topic"], schema.fields["document"]
            results = ((id_of(each.get(topic)), id_of(each.get(document)), each) for each in flats)
            return judged_column(schema, results, judgments) is not None
        except InputError:
            # a faulty row is reported when the table is read
            return False

    def _judged_column(self, rows: Rows, judgments: Judgments) -> str | None:
        """Return the column with the ids that the judgments name; None if that is the one of the documents."""
        schema = rows.schema
        if schema is None or not {*schema.ids} - {schema.fields.get("document")}:
            return None
        results = (
            (record.get("topic", ""), record.get("document", ""), each)
            for record, each in zip(rows.records, rows.given, strict=True)
        )
        column = judged_column(schema, results, judgments)
        if column is not None and rows.has("document"):
            other = schema.fields.get("document") or schema.documents[0]
            self.notes.append(
                f"{rows.label}: the judgments name the ids in column {shorten(column)}, not those in {shorten(other)}; "
                f"Assay compares column {shorten(column)}"
            )
            # no further note about other columns that could name the document
            rows.schema = without_others(schema)
        return column


def judged_column(
    schema: Schema, results: Iterable[tuple[str, str, Mapping[str, Any]]], judgments: Judgments
) -> str | None:
    """Return the column whose ids are judged most often, if no document is judged for its topic; else None.

    `results` have the topic, the document and the record of each.
    """
    judged = set(zip(judgments.topic.texts(), judgments.document.texts(), strict=True))
    counts = dict.fromkeys(schema.ids, 0)
    for topic, document, record in results:
        if (topic, document) in judged:
            return None
        for name in counts:
            counts[name] += (topic, id_of(record.get(name))) in judged
    best = max(counts, key=counts.__getitem__, default=None)
    return best if best is not None and counts[best] else None


def ids_of(rows: Rows, column: str) -> list[str]:
    """Return the id of each row in a column; raise an error if a row has none."""
    ids = [id_of(record.get(column)) for record in rows.given]
    if not all(ids):
        what = f"no {shorten(column)} here, but the judgments name the ids in this column"
        raise rows.places[ids.index("")].fault(f"{what}; expected one in each row")
    return ids


def first_scores(given: Given, topics: Collection[str]) -> dict[str, float | None]:
    """Return the score of the first result of some topics, if these are lists of objects; None if it has none.

    Such lists are ranked by their order, so their rows do not keep these scores.
    """
    if not isinstance(given, GivenObjects) or not isinstance(given.objects, Mapping):
        return {}
    from assay.reading.lists import first_score

    lists = {str(topic): each for topic, each in given.objects.items() if isinstance(each, list | tuple) and each}
    return {topic: first_score(lists[topic]) for topic in topics if topic in lists}


def order_of(record: Mapping[str, Any]) -> float:
    """Return the value that orders the rows of a table, higher first: the score, or else the negative rank."""
    from assay.reading.faults import wrong_score
    from assay.reading.lists import told_number
    from assay.reading.values import plain_value

    value = told_number(plain_value(record.get("score", record.get("rank", 0))))
    # a value that is not a number is refused when the table is made
    number = float(value) if wrong_score(value) is None else 0.0
    return number if "score" in record else -number


def line_ends_noted(name: str, judgments: Judgments, collection: Any) -> Iterator[str]:
    """Note that judged documents have Windows line ends, which offsets may count as one character or as two."""
    from assay.documents.location import WINDOWS

    judged = list(dict.fromkeys(judgments.document.texts()))[:FEW]
    own = [each for document in judged if (each := collection.own_id(document)) is not None]
    if document := next((each for each, text in collection.texts(own) if WINDOWS in text), None):
        what = f"document {document} has Windows line ends (\\r\\n), which count as two characters"
        counted_as_one = "if your offsets count one, as Python's text files do"
        yield f"{name}: {what}; {counted_as_one}, convert the documents to Unix line ends (\\n)"


def wrong_offsets(given: Given) -> str:
    """Say how many offsets of an input its texts showed to be wrong; empty if at most a tenth."""
    if not isinstance(given, GivenRows):
        return ""
    from assay.documents.location import TOLERABLE

    number, checked = given.rows.wrong_offsets
    if number <= TOLERABLE * checked:
        return ""
    were = "was" if number == 1 else "were"
    return f"{number:,} of {count_noun(checked, 'offset')} of {given.label} {were} wrong"


def notes_on_unchecked(name: str, wrong: str, judgments: Judgments, collection: Any) -> list[str]:
    """Note that offsets without texts may be wrong, too, if those of the other input are, and why they may be."""
    line_ends = list(line_ends_noted(name, judgments, collection))
    if not wrong:
        return line_ends
    what = f"Assay cannot check these offsets because they have no texts; {wrong}"
    return [f"{name}: {what}; if both count the same text, pass documents= with that text", *line_ends]


def sample_of_table(given: Given, columns: Mapping[str, str], collection: Any) -> RecordReader:
    """Return a RecordReader for the first records of a table, which tells whether it is read row by row.

    It looks for names inside all later rows only if the first rows do not tell.
    """
    from assay.reading import texts

    sample = texts.sample_of(given.records(columns), given.names(), given.kind, columns, collection)
    if texts.needs_rows(sample) or len(given.all_names) == len(given.names()):
        return sample
    return texts.sample_of(given.records(columns), given.all_names, given.kind, columns, collection)


def has_values_within(given: Given, columns: Mapping[str, str]) -> bool:
    """Return whether a table has values inside its columns, so that it is read row by row."""
    sample = sample_if_texts(given, columns, None)
    if sample is None:
        return False
    from assay.reading import texts

    return texts.needs_rows(sample)


def has_texts(given: Given, columns: Mapping[str, str], collection: Any) -> bool:
    """Return whether a table has texts, by the name of their column or by its values."""
    sample = sample_if_texts(given, columns, collection)
    return sample is not None and sample.text is not None


def sample_if_texts(given: Given, columns: Mapping[str, str], collection: Any) -> RecordReader | None:
    """Return a RecordReader for the first records of a table; None if it cannot have texts, or if it is faulty."""
    # most tables have none, so do not import the reader of texts for them
    if not given.has_columns or not may_carry_texts(schema_of(given.names(), columns)):
        return None
    try:
        return sample_of_table(given, columns, collection)
    except InputError:
        # a faulty row is reported when the table is read
        return None


def has_unanswerable(given: Given) -> bool:
    """Return whether a table of judgments may mark questions as having no answer."""
    if given.kind != "judgments" or not given.has_columns:
        return False
    from assay.reading.texts import says_no_answers

    return says_no_answers(given.names(), given.kind)
