"""Read runs and judgments that are in memory (dicts, records, frames), and turn Rows into tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError
from assay.reading import frames
from assay.reading.cells import cell_series, text_of_value
from assay.reading.dicts import plain_scores
from assay.reading.faults import grade_of_word, no_offsets_or_text, plain_id, python_text, value_fault
from assay.reading.format import NOTHING_MORE, Request
from assay.reading.lines import LONGEST
from assay.reading.lists import rows_by_topic, told_number
from assay.reading.records import RecordReader, rows_of_records
from assay.reading.rows import FEW, Rows, empty
from assay.reading.schema import (
    ASSESSED,
    RUN_NAMES,
    SIZE,
    ChosenColumns,
    choices,
    chosen_columns,
    comparable_name,
    fields_of,
    lacking_column,
    page_notes,
    refuse_half_spans,
    refuse_ranks,
    refuse_scored_spans,
    schema_of,
    several_runs,
    texts_named,
    usual_name,
    whole_document_notes,
    without_others,
)
from assay.reading.values import NO_NAMES, plain_value
from assay.tables.ids import Ids, RepeatedIds
from assay.tables.judgments import DocumentJudgments, Judgments, whole_if_all
from assay.tables.places import Places
from assay.tables.run import ChunkRun, DocumentRun, Run, SpanRun, SurroundedSpanRun
from assay.vocabulary import FileKind, Texts

if TYPE_CHECKING:
    import polars as pl

EXPECTED = "expected a file, a dict of dicts, a frame or records (topic, document, {}), found {}"
# Rows with only these fields become tables without a frame, so polars is not imported.
PLAIN = {"topic", "document", "score", "grade"}


def rows_in_memory(
    given: Any, kind: FileKind, label: str, collection: Any, told: Mapping[str, str], whole: bool = False
) -> Rows:
    """Return the rows of a dict by topic, or of records. `whole`: whole documents are judged, so texts are not read."""
    # a numpy array without dimensions is an Iterable, but cannot be iterated
    given = plain_value(given)
    if isinstance(given, Mapping):
        return rows_by_topic(given, kind, label, collection, told, whole)
    if isinstance(given, Iterable) and not isinstance(given, str | bytes | bytearray):
        return rows_of_records(enumerate(given, 1), kind, label, "record", collection, told, whole)
    value = "grade" if kind == "judgments" else "score"
    raise InputError(EXPECTED.format(value, python_text(given)), label)


def locate_rows(
    rows: Rows,
    collection: Any,
    policy: Texts = "check",
    spelling: Mapping[str, str] = NO_NAMES,
    request: Request = NOTHING_MORE,
    of_text: bool = False,
) -> Rows:
    """Convert the values of the rows to ids and numbers, locate their texts, and return the rows.

    `of_text`: text is judged, so a text without a place must not count as the whole document.
    """
    are_quotes = rows.kind == "judgments" and rows.has("text") and not rows.texts
    if are_quotes and collection is None and not rows.has("start") and (rows.has("grade") or not rows.by_topic):
        # without documents they cannot be located, so they must be grades of documents
        refuse_lacking_columns(rows, ("document", "grade") if rows.by_topic else ("topic", "document", "grade"))
        rows = as_whole(rows)
        read_values(rows, request)
        return rows
    has_starts = rows.has("start")
    are_alone = collection is None and not rows.texts and not has_starts and not of_text
    if are_alone and rows.kind == "run" and rows.has("text") and not rows.has("document") and rows.given:
        # ids of parts name the results if there is nothing to search their texts in
        whole = as_whole(rows)
        rows = whole if whole.has("document") else rows
    if collection is not None and rows.has("text_fault"):
        # what is no text is reported with its row, not as a missing column
        rows.read_spans()
    read_values(rows, request)
    is_evidence = of_text if rows.kind == "run" else not rows.has("grade")
    if is_evidence and not rows.has_parts:
        refuse_unusable_parts(rows)
    if not rows.has("text"):
        return rows
    if collection is None and has_starts and rows.schema is not None and not rows.by_topic:
        # a table is refused for the column that it lacks
        refuse_lacking_columns(rows, ("document",))
    needed = {"document", "grade"} if rows.kind == "judgments" else {"document"}
    if are_alone and all(needed <= record.keys() for record in rows.records):
        # without documents to search, the document next to a text is what is judged or retrieved
        return rows.without_texts()
    from assay.reading.locate import locate

    return locate(rows, collection, policy, spelling)


def as_whole(rows: Rows) -> Rows:
    """Return rows as results or grades of whole documents, which are read as if they had no texts."""
    schema = rows.schema or schema_of([])
    reader = RecordReader(rows.given, rows.kind, schema.told, None, whole=True)
    # the topic and the order of an item in a list are not in its record
    listed = ("topic",) if rows.kind == "judgments" else ("topic", "score", "rank")
    told = [{what: each[what] for what in listed if rows.by_topic and what in each} for each in rows.records]
    records = [reader.take(each) | more for each, more in zip(rows.given, told, strict=True)]
    return replace(rows, records=records, schema=reader.schema)


def refuse_lacking_columns(rows: Rows, fields: Sequence[str]) -> None:
    """Raise an error if a table has no column for one of these fields."""
    schema = rows.schema or schema_of([])
    for what in fields:
        if what not in schema.fields:
            are_named = rows.kind == "judgments" and what != "topic"
            raise lacking_column(what, schema, rows.label, texts_named(schema, rows.is_text) if are_named else "")


def lacking(rows: Rows, fields: Sequence[str]) -> InputError:
    """Return the error about a missing column, or else about the first row that lacks one of these fields."""
    refuse_lacking_columns(rows, fields)
    faults = ((row, what) for row, record in enumerate(rows.records) for what in fields if what not in record)
    row, what = next(faults)
    return rows.places[row].fault(f"{what} is missing")


def refuse_unusable_parts(rows: Rows) -> None:
    """Raise an error if there is a column of texts or starts without any value: the rows are not whole documents."""
    schema = rows.schema
    if schema is not None and schema.text:
        raise rows.places[0].fault(rows.without_text)
    if schema is not None and schema.column("start"):
        raise rows.places[0].fault("start is missing")


def read_values(rows: Rows, request: Request = NOTHING_MORE) -> None:
    """Convert the values of rows to ids and numbers; raise an error if there are no rows or a field is missing."""
    if not len(rows):
        raise empty(rows)
    refuse_lacking_names(rows, request)
    if rows.has("grade") and rows.has("start") and are_scored(rows):
        refuse_scored_spans(any(value_fault(each, "grade", is_span=True) for each in rows.records), rows.label)
    rows.read_spans()


def refuse_lacking_names(rows: Rows, request: Request) -> None:
    """Raise an error if a table lacks a column that a run or judgments need; the error lists its own column names."""
    schema = rows.schema
    if schema is None or rows.of_corpus:
        return
    if rows.by_topic:
        if rows.kind == "judgments":
            refuse_ranks(schema, rows.label)
        return
    if not rows.has("text"):
        choice_notes(rows, request)
    elif not rows.has("topic"):
        raise lacking(rows, ("topic",))
    elif rows.kind == "judgments":
        refuse_ranks(schema, rows.label)
    elif rows.kind == "run" and not rows.has("score") and not rows.has("rank"):
        column = next((what for what in ("score", "rank") if what in schema.fields), "score or rank")
        raise lacking(rows, (column,))


def table_of(rows: Rows, request: Request = NOTHING_MORE) -> Run | Judgments:
    """Return the run or judgments of rows that have ids and spans."""
    table = table_of_rows(rows, request)
    if isinstance(table, Run):
        return table
    return replace(table, unanswerable=tuple(dict.fromkeys(rows.unanswerable)))


def table_of_rows(rows: Rows, request: Request) -> Run | Judgments:
    """Return the run or judgments of the rows alone, without the questions that have no row."""
    notes = choice_notes(rows, request)
    names = dict.fromkeys(chain.from_iterable(rows.records))
    fields = [name for name in (*fields_of(rows.kind), *ASSESSED, SIZE) if name in names]
    if rows.kind == "judgments" and not {"grade", "start", "exhaustivity"} & names.keys():
        if not rows.by_topic:
            raise lacking(rows, ("grade",))
        if rows.unused:
            raise rows.places[0].fault(no_offsets_or_text(rows.schema.names if rows.schema else ()))
        # a document in a list of judgments is relevant
        for record in rows.records:
            record["grade"] = 1
        fields.append("grade")
    if PLAIN.issuperset(fields):
        return replace(from_records(rows), notes=notes)
    import polars as pl

    columns = {name: [record.get(name) for record in rows.records] for name in fields}
    frame = pl.DataFrame([cell_series(name, values) for name, values in columns.items()])
    if rows.kind == "judgments" and are_scored(rows):
        frame = frame.rename({"grade": "score"}, strict=False)
    of_chunks = rows.schema is not None and rows.schema.of_chunks
    chosen = ChosenColumns(rows.kind, dict(zip(fields, frame.columns, strict=True)), notes, of_chunks)
    if rows.kind == "run":
        return with_surroundings(frames.frame_run(frame, chosen, rows.places, request.ranks), rows)
    return frames.frame_judgments(frame, chosen, rows.places, request)


def with_surroundings(run: Run, rows: Rows) -> Run:
    """Return the run with the text before and after each passage, if its texts hold more than the passage found."""
    if not rows.has("before") or not isinstance(run, SpanRun):
        return run
    before, after = (Ids.of([record.get(name, "") for record in rows.records]) for name in ("before", "after"))
    return SurroundedSpanRun(**vars(run), before=before, after=after)


def are_scored(rows: Rows) -> bool:
    """Return whether the column of grades in judgments is called score, as in a run."""
    column = rows.schema.column("grade") if rows.schema is not None else None
    return column is not None and usual_name(column)[1] == "score"


def choice_notes(rows: Rows, request: Request) -> tuple[str, ...]:
    """Return notes on the columns that were chosen; raise an error if a column is missing, as for a table in a file."""
    schema = rows.schema
    if schema is None or rows.of_corpus:
        return ()

    def starts(name: str) -> Iterable[tuple[Any, Any, Any]]:
        pairs = zip(rows.records, rows.given, strict=True)
        return ((record.get("document"), record.get("start"), given.get(name)) for record, given in pairs)

    of_pages = () if rows.are_compared else page_notes(schema, starts)
    # texts may tell the places, or the documents beside offsets
    if rows.has("text") and not (schema.spans and "document" in schema.fields):
        return tuple(of_pages)
    if rows.has("documents"):
        # texts are looked for under one name after the other
        schema = without_others(schema)

    def runs_named(name: str) -> list[str]:
        values = (plain_value(record.get(name)) for record in rows.given)
        return list(dict.fromkeys(text_of_value(value) or "" for value in values))

    if rows.by_topic:
        refuse_half_spans(schema, rows.label)
        # topic and order come from the lists, not from columns
        fields = [what for what in fields_of(rows.kind) if what not in ("topic", "score", "rank")]
        names = {what: schema.fields[what] for what in fields if what in schema.fields}
        told = choices(schema, names, rows.is_text)
        whole = whole_document_notes(schema, request.of_parts, rows.is_text)
        return (*told, *whole, *several_runs(schema, rows.kind, runs_named), *of_pages)
    chosen = chosen_columns(schema, rows.kind, rows.label, rows.is_text, request.every_column, request.of_parts)
    return (*chosen.notes, *several_runs(schema, rows.kind, runs_named), *of_pages)


def from_records(rows: Rows) -> Run | Judgments:
    """Return a run or judgments of whole documents, without making a frame."""
    value = "score" if rows.kind == "run" else "grade"
    records = rows.records
    topics, documents, values = ([record.get(name) for record in records] for name in ("topic", "document", value))
    return from_lists(topics, documents, list(map(told_number, values)), rows)


def frame_of(given: Any, label: str, request: Request) -> pl.DataFrame:
    """Return a frame of any package as a polars frame."""
    module = type(given).__module__.split(".")[0]
    import polars as pl

    try:
        if isinstance(given, pl.DataFrame):
            fields = used_columns(given.columns, request)
            objects = [each for each in given.get_columns() if each.dtype == pl.Object and each.name in fields]
            return given.with_columns(
                cell_series(each.name, each.to_list(), fields[each.name] in frames.ID_FIELDS) for each in objects
            )
        return _from_pandas(given, label, request) if module == "pandas" else pl.DataFrame(given)
    except InputError:
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        # another library may raise anything for its own object
        raise InputError(f"cannot read this object as a frame: {python_text(error)}", label) from None


def _from_pandas(given: Any, label: str, request: Request) -> pl.DataFrame:
    import polars as pl

    if not hasattr(type(given), "columns"):
        raise InputError(f"a pandas {type(given).__name__} is not a table; expected a DataFrame", label)
    names = [str(name) for name in given.columns]
    levels = [str(name) for name in given.index.names if name is not None]
    for field in ("topic", "document"):
        if not schema_of(names, request.columns).column(field) and (level := schema_of(levels).column(field)):
            what = f"no {field} column, but the index has {level}; call reset_index() to make it a column"
            raise InputError(what, label)
    # convert column by column: this does not need pyarrow, and None, NaN and NA all become missing
    fields = used_columns(names, request)
    columns = zip(names, given.columns, strict=True)
    return pl.DataFrame(
        [
            _from_pandas_column(name, given[key], fields[name]) if name in fields else _first_values(name, given[key])
            for name, key in columns
        ]
    )


def used_columns(names: Iterable[str], request: Request) -> dict[str, str]:
    """Return the field of each column that may be used."""
    return {name: field for field, name in reversed(schema_of(names, request.columns).fields.items())}


def _first_values(name: str, given: Any) -> pl.Series:
    """Return a column that no field uses with only its first values; the rest is None.

    The first values tell if it has texts or names several runs.
    """
    import polars as pl

    given_first = given.drop_duplicates() if comparable_name(name) in RUN_NAMES else given
    values = map(plain_value, given_first.head(FEW).tolist())
    first = [text_of_value(value) if isinstance(value, str | int | float) else None for value in values]
    return pl.Series(name, first, pl.String).extend_constant(None, len(given) - len(first))


def _from_pandas_column(name: str, given: Any, field: str) -> pl.Series:
    import polars as pl

    if isinstance(given.dtype, np.dtype) and given.dtype.kind in "iufb":
        return pl.Series(name, given.to_numpy(), nan_to_null=True)
    return cell_series(name, given.astype(object).where(given.notna(), None).tolist(), field in frames.ID_FIELDS)


def from_lists(topics: list[Any], documents: list[Any], values: list[Any], rows: Rows) -> Run | Judgments:
    """Return a run or judgments of whole documents from lists, without a frame and so without polars."""
    label, document = rows.label, _ids(documents, rows.places)
    sizes: list[int] = []
    names: list[str] = []
    for topic in topics:
        if names and names[-1] == topic:
            sizes[-1] += 1
        else:
            names.append(topic)
            sizes.append(1)
    if len(set(names)) == len(names):
        topic_ids: Ids = RepeatedIds(names, sizes)
    else:
        topic_ids = Ids.of(names)[np.repeat(np.arange(len(names)), sizes)]
    find = rows.places.finder(topic_ids, document)
    made = ChunkRun if rows.schema is not None and rows.schema.of_chunks else DocumentRun
    if rows.kind == "run" and (scores := plain_scores(values)) is not None:
        return made(label, topic_ids, document, find, score=scores)
    values = list(map(plain_value, values))
    if rows.kind == "judgments":
        numbers = (grade_of_word(value) if isinstance(value, str) else float(value) for value in values)
        grade = whole_if_all(np.fromiter(numbers, np.float64, len(values)))
        return DocumentJudgments(label, topic_ids, document, find, grade=grade)
    return made(label, topic_ids, document, find, score=np.fromiter(map(float, values), np.float64, len(values)))


def _ids(given: list[Any], places: Places) -> Ids:
    """Return a column of documents; only the longest id is checked, because almost all are strings."""
    ids = Ids.of(given)
    if ids.length.max(initial=0) > LONGEST:
        row = int(np.argmax(ids.length))
        raise places[row].fault(plain_id(given[row], "document")[1] or "document is too long")
    return ids
