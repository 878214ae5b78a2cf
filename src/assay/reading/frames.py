"""Turn frames with named columns into runs and judgments; the base class of files that are such tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from assay.errors import InputError, quote
from assay.files.source import Source
from assay.reading import cells, schema
from assay.reading import format as base
from assay.reading.cells import Column, column_of, text_of_value
from assay.reading.columns import Labelled, graded_judgments, highlight_judgments, judgment_columns, with_characters
from assay.reading.faults import FURTHER, RowCheck, python_text, write_value
from assay.reading.numbers import numbers
from assay.reading.rows import FEW
from assay.reading.subtopics import judged_by_subtopic, of_iterations
from assay.reading.values import denies, have_spaces
from assay.tables import judgments as tables
from assay.tables.column_names import CLASSES, FACT_FIELDS, LABEL_FIELDS, SUBTOPIC_FIELDS
from assay.tables.ids import Grades, Ids, Ints
from assay.tables.places import Place, Places
from assay.tables.run import ChunkRun, DocumentRun, Run, Table, concatenate_runs, make_run, not_empty
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    import polars as pl

    from assay.documents.collection import DocumentCollection


# About how many rows a block has: few enough to keep memory small, many enough to keep threads busy.
ROWS = 1 << 17
OF_SAMPLE = "Assay reads the column stratum as the strata of a sample"
MAKERS = {
    "topic": cells.ids, "document": cells.ids, "score": cells.decimals, "rank": cells.wholes,
    "grade": cells.grade_numbers, "start": cells.naturals, "end": cells.optional, "length": cells.optional,
    "document_length": cells.optional, "bep": cells.optional,
    **dict.fromkeys((*LABEL_FIELDS, *FACT_FIELDS, *SUBTOPIC_FIELDS, "stratum", "last"), cells.optional_ids),
    "path": cells.ids, "exhaustivity": cells.wholes, "specificity": cells.decimals, "size": cells.optional,
}  # fmt: skip
# The fields whose values are ids or names.
ID_FIELDS = {field for field, maker in MAKERS.items() if maker in (cells.ids, cells.optional_ids)}


@dataclass(frozen=True, eq=False)
class TableRows:
    """A table that is read in batches: column names, places of the rows, and a function that yields some columns.

    The function yields them batch by batch, in the order of the table.
    """

    names: list[str]
    places: Places
    blocks: Callable[[list[str]], Iterator[pl.DataFrame]]

    def chosen(self, kind: FileKind, request: base.Request) -> schema.ChosenColumns:
        """Return the columns that a run or judgments need."""
        columns = schema.schema_of(self.names, request.columns)
        chosen = schema.chosen_columns(
            columns, kind, self.places.name, self.is_text, request.every_column, request.of_parts, request.of_elements
        )
        pages = schema.page_notes(columns, partial(self.starts, chosen))
        return replace(chosen, notes=(*chosen.notes, *schema.several_runs(columns, kind, self.runs_named), *pages))

    def starts(self, chosen: schema.ChosenColumns, name: str) -> Iterator[tuple[Any, Any, Any]]:
        """Yield the document, the start, and the value of another column of the rows in the first batch."""
        if "start" in chosen.fields:
            block = next(self.blocks([chosen["document"], chosen["start"], name]))
            yield from (tuple(map(cells.value_in, row)) for row in block.iter_rows())

    def runs_named(self, name: str) -> list[str]:
        """Return the distinct values that a column has in the first batch."""
        values = next(self.blocks([name])).to_series().drop_nulls().unique(maintain_order=True)
        return [text_of_value(value) or "" for value in values]

    def is_text(self, name: str) -> bool:
        """Return whether the first values of a column look like texts, not like ids."""
        return have_spaces(next(self.blocks([name])).to_series().head(FEW))

    def find(self, chosen: schema.ChosenColumns, topic: str, document: str) -> Iterator[Place]:
        """Yield the places of a topic and a document in all rows."""
        before = 0
        for block in self.blocks([chosen["topic"], chosen["document"]]):
            topics, documents = (cells.ids(block[chosen[field]]).values for field in ("topic", "document"))
            yield from self.places.behind(before).finder(topics, documents)(topic, document)
            before += len(block)

    def whole(self, chosen: schema.ChosenColumns) -> pl.DataFrame:
        """Return the chosen columns of all rows.

        It stops after a batch in which a row has no id or a value is wrong, because that row will be refused.
        """
        ids = [chosen.fields[field] for field in ("topic", "document") if field in chosen.fields]
        read = []
        for block in self.blocks(chosen.names):
            read.append(block)
            if has_objects(block) or any(block[name].null_count() for name in ids):
                break
        return one_frame(read or [no_rows(chosen.names)])


def no_rows(names: list[str]) -> pl.DataFrame:
    """Return a frame with columns but without rows."""
    import polars as pl

    return pl.DataFrame(schema=dict.fromkeys(names, pl.String))


def frame_rows(frame: pl.DataFrame, places: Places) -> TableRows:
    """Return a frame as a table that is read in batches."""

    def blocks(names: list[str]) -> Iterator[pl.DataFrame]:
        for begin in range(0, max(len(frame), 1), ROWS):
            # with square brackets, which take far less time than `select` in a small frame
            yield frame[names].slice(begin, ROWS)

    return TableRows(frame.columns, places, blocks)


def frame_blocks(given: TableRows, request: base.Request) -> Iterator[Callable[[], Run]]:
    """Yield a run as blocks of whole topics. A block is read when it is called."""
    yield from chosen_blocks(given, given.chosen("run", request), request)


def chosen_blocks(given: TableRows, chosen: schema.ChosenColumns, request: base.Request) -> Iterator[Callable[[], Run]]:
    """Yield a run, whose columns are chosen already, as blocks of whole topics."""
    if request.gather:
        yield lambda: with_characters(gather_run(given, chosen, request.ranks), request.documents, given.places)
        return

    def block_of(frame: pl.DataFrame, before: int) -> Run:
        places = given.places.behind(before)
        run = not_empty(frame_run(frame, chosen, places, request.ranks))
        # a topic whose rows are not next to each other has some of them in other blocks
        run = replace(run, places=partial(given.find, chosen))
        return with_characters(run, request.documents, places)

    frames = given.blocks(chosen.names)
    cut = blocks_as_read(frames) if request.in_pieces else blocks_by_topic(frames, chosen["topic"], block_of)
    for frame, before in cut:
        yield partial(block_of, frame, before)


def gather_run(given: TableRows, chosen: schema.ChosenColumns, ranks: bool) -> Run:
    """Return a whole run in one table."""
    runs, before = [], 0
    for frame in given.blocks(chosen.names):
        runs.append(frame_run(frame, chosen, given.places.behind(before), ranks))
        before += len(frame)
    if any(part.rank is None for part in runs):
        runs = [replace(part, rank=None) for part in runs]
    whole = not_empty(concatenate_runs(runs))
    return replace(whole, places=given.places.finder(whole.topic, whole.document))


def blocks_by_topic(
    blocks: Iterator[pl.DataFrame], topic: str, check: Callable[[pl.DataFrame, int], object]
) -> Iterator[tuple[pl.DataFrame, int]]:
    """Regroup batches of rows so that each ends where a topic ends; yield each with the number of rows before it.

    A batch that ends within a topic is kept until the rest of the topic is read. `check` raises an error if its rows
    are wrong, so that a faulty file is refused before it fills the memory. A single batch stays whole: threads would
    take longer to begin than to share it.
    """
    first = list(islice(blocks, 2))
    if len(first) == 1:
        yield first[0], 0
        return
    # a batch is large and must not be held after its work, so it is taken out of the list
    blocks = chain((first.pop(0) for _ in range(len(first))), blocks)
    begun: list[pl.DataFrame] = []
    before = 0
    for block in blocks:
        held = sum(map(len, begun))
        if has_objects(block):
            check(block, before + held)
        if begun and len(block) and begun[-1][topic][-1] != block[topic][0]:
            yield one_frame(begun), before
            begun, before, held = [], before + held, 0
        others = (block[topic].ne_missing(block[topic][-1])).arg_true() if len(block) else []
        if len(others):
            cut = int(others[-1]) + 1
            yield one_frame([*begun, block[:cut]]), before
            begun, before = [block[cut:]], before + held + cut
        else:
            if len(begun) == 1:
                check(begun[0], before)
            if begun:
                check(block, before + held)
            begun.append(block)
    if begun:
        yield one_frame(begun), before


def blocks_as_read(blocks: Iterator[pl.DataFrame]) -> Iterator[tuple[pl.DataFrame, int]]:
    """Yield batches of rows unchanged, each with the number of rows before it; skip empty ones."""
    before = 0
    for block in blocks:
        if len(block):
            yield block, before
        before += len(block)


def one_frame(blocks: list[pl.DataFrame]) -> pl.DataFrame:
    """Concatenate batches of rows."""
    import polars as pl

    if len(blocks) == 1:
        return blocks[0]
    objects = {name for block in blocks for name in block.columns if block[name].dtype == pl.Object}
    if objects:
        blocks = [
            block.with_columns(cells.object_series(name, map(cells.value_in, block[name])) for name in objects)
            for block in blocks
        ]
    return pl.concat(blocks, how="vertical_relaxed")


def has_objects(block: pl.DataFrame) -> bool:
    """Return whether a column has Python objects, because a value in it is neither text nor a number."""
    import polars as pl

    return pl.Object in block.dtypes


def frame_run(frame: pl.DataFrame, chosen: schema.ChosenColumns, places: Places, ranks: bool = True) -> Run:
    """Return a run from a frame with a topic, a document, and a score or a rank.

    The scores give the order. A rank next to a score is kept for callers that ask for `ranks`, and to compare it with
    the scores.
    """
    taken = named_columns(frame, chosen)
    used = dict(taken)
    if "score" in taken and "rank" in taken and not ranks and taken["rank"].bad.any():
        taken["rank"] = Column(taken["rank"].values, cells.refused_in(frame[chosen["rank"]]))
        del used["rank"]
    refuse_faults(taken, frame, chosen, places, ranks)
    taken = used
    rank = taken["rank"].values.astype(np.int64) if "rank" in taken else None
    score = taken["score"].values if "score" in taken else -taken["rank"].values
    parts: dict[str, Any] = {field: taken[field].values for field in schema.RETURNED if field in taken}
    parts |= {field: taken[field].values.astype(np.int64) for field in ("start", "end") if field in taken}
    if "path" not in parts:
        parts.pop("last", None)
    run = make_run(**vars(topics_and_documents(taken, chosen, places)), score=score, rank=rank, **parts)
    return ChunkRun(**vars(run)) if chosen.of_chunks and isinstance(run, DocumentRun) else run


def frame_judgments(
    frame: pl.DataFrame, chosen: schema.ChosenColumns, places: Places, request: base.Request = base.NOTHING_MORE
) -> tables.Judgments:
    """Return judgments from a frame.

    Each row has a topic, a document, and a grade; or a start and an end, with or without a grade; or the assessment of
    an element.
    """
    if "exhaustivity" in chosen.fields:
        return assessed_judgments(frame, chosen, places)
    taken = named_columns(frame, chosen, request.decided)
    if "start" in taken and "grade" in taken and schema.comparable_name(chosen["grade"]) == "score":
        schema.refuse_scored_spans(bool(taken["grade"].bad.any()), places.name)
    refuse_faults(taken, frame, chosen, places)
    rows, wholes, labelled = topics_and_documents(taken, chosen, places), whole_numbers(taken), row_labels(taken)
    if labelled != (None, None) and has_names(taken, "subtopic"):
        raise both_told(places.name)
    if "start" not in taken:
        grades = tables.whole_if_all(taken["grade"].values)
        return (
            of_grades(taken, rows, grades, request)
            if labelled == (None, None)
            else graded_judgments(rows, grades, labelled)
        )
    grade, length, entry = (wholes.get(field) for field in ("grade", "document_length", "bep"))
    subtopic = taken["subtopic"].values if is_meant(taken, "subtopic", request) else None
    told: dict[str, Any] = {"labelled": labelled, "subtopic": subtopic, "facts": row_facts(taken, places.name)}
    return highlight_judgments(rows, wholes["start"], wholes["end"], grade, length, entry, places, **told)


def of_grades(taken: dict[str, Column], rows: Table, grade: Grades, request: base.Request) -> tables.Judgments:
    """Return judgments whose rows are grades: of documents, of documents in a sample, or of documents per subtopic."""
    if is_meant(taken, "stratum", request) and (request.decided or request.strata or np.any(grade < 0)):
        return sampled_judgments(rows, grade, taken["stratum"].values)
    if is_meant(taken, "subtopic", request):
        return judged_by_subtopic(rows, grade, taken["subtopic"].values)
    if "iteration" in taken:
        return of_iterations(rows, grade, taken["iteration"].values, request.subtopics, "column iteration")
    return tables.DocumentJudgments(**vars(rows), grade=grade)


# The scales of assessed elements, with the lowest and highest value of each field. In 2003 specificity is a grade; in
# 2005 it is a share of the text, and exhaustivity -1 is `?`, too small.
OF_GRADES, OF_SHARES = "2003", "2005"
GRADED = {
    OF_GRADES: {"exhaustivity": (0, 3), "specificity": (0, 3)},
    OF_SHARES: {"exhaustivity": (-1, 2), "specificity": (0, 1)},
}
# Matches a string that is a whole number.
WHOLE_TEXT = r"^\s*[0-9]+\s*$"


def assessed_judgments(
    frame: pl.DataFrame, chosen: schema.ChosenColumns, places: Places, scale: str = ""
) -> tables.Judgments:
    """Return judgments from a frame of assessed elements, in any order; a document with a relevant element is relevant.

    Without a `scale`, the specificities tell which one it is.
    """
    import polars as pl

    taken = named_columns(frame, chosen)
    refuse_faults(taken, frame, chosen, places)
    scale = scale or scale_of(frame[chosen["specificity"]])
    refuse_outside(taken, scale, places)
    paths = [full_path(path, places, row) for row, path in enumerate(taken["path"].values.texts())]
    refuse_repeated_elements(
        tables.by_document(taken["topic"].values, taken["document"].values)[1].tolist(), paths, places
    )
    # sort the elements, so that sums over them are the same to the last bit in whatever order the file has them
    order = frame.select(pl.arg_sort_by(*(chosen[field] for field in ("topic", "document", "path")))).to_series()
    values: dict[str, Any] = {field: column.values[order.to_numpy()] for field, column in taken.items()}
    topic, document, specificity = values["topic"], values["document"], values["specificity"]
    exhaustivity = values["exhaustivity"].astype(np.int64)
    size = values["size"].astype(np.int64) if "size" in values else np.full(len(paths), -1)
    first, row = tables.by_document(topic, document)
    grade = np.zeros(len(first), np.int64)
    grade[row[(exhaustivity != 0) & (specificity > 0)]] = 1
    elements = tables.AssessedElements(row, [paths[at] for at in order], exhaustivity, specificity, size, scale)
    finder = places.of(order.to_numpy()).finder(topic, document)
    rows = places.name, topic[first], document[first], finder, chosen.notes
    return tables.ElementJudgments(*rows, grade=grade, elements=elements)


def scale_of(specificity: pl.Series) -> str:
    """Return the scale of assessed elements: 2003 if specificities are whole numbers or one is above 1, else 2005.

    Whole numbers are a column of integers, or of strings that are all written as integers.
    """
    import polars as pl

    if specificity.dtype == pl.String:
        return OF_GRADES if specificity.str.contains(WHOLE_TEXT).all() else OF_SHARES
    is_above = specificity.dtype.is_float() and bool((specificity > 1).any())
    return OF_GRADES if is_above or specificity.dtype.is_integer() else OF_SHARES


def refuse_outside(taken: dict[str, Column], scale: str, places: Places) -> None:
    """Raise an error about the first assessment that is outside the range of its scale, or not whole if it must be."""
    outside: dict[int, str] = {}
    for field, (lowest, highest) in GRADED[scale].items():
        values, is_whole = taken[field].values, field == "exhaustivity" or scale == OF_GRADES
        wrong = (values < lowest) | (values > highest) | (is_whole & (np.rint(values) != values))
        if wrong.any():
            row = int(np.argmax(wrong))
            what = f"is not {'a whole number ' if is_whole else ''}from {lowest} to {highest}"
            outside.setdefault(row, f"{field} {write_value(values[row].item())} {what}")
    if outside:
        row = min(outside)
        raise places[row].fault(outside[row])


def full_path(path: str, places: Places, row: int) -> str:
    """Return an element path in which each step has its number."""
    from assay.documents.xml import normal

    try:
        return normal(path)
    except ValueError:
        what = f"{quote(path)} is not an element path; expected for example /article[1]/sec[2]"
        raise places[row].fault(what) from None


def refuse_repeated_elements(documents: list[int], paths: list[str], places: Places) -> None:
    """Raise an error if an element of a document is assessed twice."""
    seen = set()
    for row, element in enumerate(zip(documents, paths, strict=True)):
        if element in seen:
            raise places[row].fault(f"element {element[1]} is assessed twice")
        seen.add(element)


def has_names(taken: dict[str, Column], field: str) -> bool:
    """Return whether any row has a value in a column of names."""
    return field in taken and bool(taken[field].values.length.any())


def is_meant(taken: dict[str, Column], field: str, request: base.Request) -> bool:
    """Return whether to read a column as what its name says: if it has values, or if the caller has decided so."""
    return field in taken and (request.decided or has_names(taken, field))


def both_told(name: str) -> InputError:
    """Return the error about subtopics next to annotators or sets.

    Subtopics hold for all annotators together, and have no alternative sets.
    """
    what = "these judgments have both subtopics and annotators or sets of evidence"
    return InputError(f"{what}; expected only one of these", name)


def sampled_judgments(rows: Table, grade: Grades, strata: Ids) -> tables.Judgments:
    """Return judgments of which only a sample was made; each document is in a stratum."""
    if not strata.length.all():
        (document,) = rows.document[np.flatnonzero(strata.length == 0)[:1]].texts()
        what = f"document {document} has no stratum, but others do"
        raise InputError(f"{what}; expected a stratum for every document or for none", rows.name)
    return tables.SampleJudgments(**vars(replace(rows, notes=(*rows.notes, OF_SAMPLE))), grade=grade, strata=strata)


def whole_numbers(taken: dict[str, Column]) -> dict[str, Ints]:
    """Return the columns of judgments that are numbers."""
    names = ("topic", "document", *LABEL_FIELDS, *FACT_FIELDS, *SUBTOPIC_FIELDS, "stratum")
    return {field: column.values.astype(np.int64) for field, column in taken.items() if field not in names}


def row_labels(taken: dict[str, Column]) -> Labelled:
    """Return the set and the annotator of each row of judgments; None for either if no row has one."""
    sets, annotators = (taken[field].values if has_names(taken, field) else None for field in LABEL_FIELDS)
    return sets, annotators


def row_facts(taken: dict[str, Column], name: str) -> tables.Facts | None:
    """Return the fact and the quotation that each row of judgments belongs to; None if no row has any."""
    facts = tables.Facts(*(taken[field].values if has_names(taken, field) else None for field in FACT_FIELDS))
    if facts.fact is not None and has_names(taken, "set"):
        raise facts_beside_sets(name)
    return None if facts == (None, None) else facts


def facts_beside_sets(name: str) -> InputError:
    """Return the error about facts next to sets: both say what is an alternative to what."""
    return InputError("these judgments have both a fact and a set column; expected only one of these", name)


def topics_and_documents(taken: dict[str, Column], chosen: schema.ChosenColumns, places: Places) -> Table:
    """Return a table of the topics and documents of the rows."""
    topics: Ids = taken["topic"].values
    documents: Ids = taken["document"].values
    return Table(places.name, topics, documents, places.finder(topics, documents), chosen.notes)


def named_columns(frame: pl.DataFrame, chosen: schema.ChosenColumns, decided: bool = False) -> dict[str, Column]:
    """Return the columns of a run or of judgments by field; spans always get a start and an end.

    `decided`: the caller knows that the labels of spans are grades.
    """
    names = dict(chosen.fields)
    if (
        not decided
        and "start" in names
        and schema.comparable_name(names.get("grade", "")) in CLASSES
        and is_class(frame[names["grade"]])
    ):
        del names["grade"]
    # a span is highlighted or not, so its grade is rounded up to a whole number
    makers = MAKERS | {"grade": cells.span_grades} if "start" in names else MAKERS
    taken = {field: column_of(frame[name], makers[field]) for field, name in names.items()}
    return with_ends(taken, chosen.kind) if "start" in taken else taken


def is_class(labels: pl.Series) -> bool:
    """Return whether the labels of spans are class names, not grades: none is a number or says "not relevant"."""
    import polars as pl

    if labels.null_count() == len(labels) or (labels.dtype.is_float() and labels.is_nan().fill_null(True).all()):
        return True
    if labels.dtype != pl.String or not np.isnan(numbers(cells.pack_ids(labels))).all():
        return False
    return not any(map(denies, labels.unique()))


def with_ends(taken: dict[str, Column], kind: FileKind) -> dict[str, Column]:
    """Replace lengths by ends. Mark as wrong: spans that end before they start, or have no end, or another length than
    the row says, and highlighted text that is empty.
    """
    start, stated, bad = taken["start"].values, [], np.zeros(len(taken["start"].values), bool)
    for what in ("end", "length"):
        if column := taken.pop(what, None):
            ends = column.values if what == "end" else np.where(column.values < 0, -1, start + column.values)
            stated.append(ends)
            bad |= column.bad
    # a row may have an end, a length, or both; a missing one is -1
    end = np.where(stated[0] < 0, stated[-1], stated[0])
    bad |= (end < start) | ((stated[-1] >= 0) & (stated[-1] != end))
    if kind == "judgments":
        bad |= (end == start) & (taken["grade"].values >= 1 if "grade" in taken else True)
    return taken | {"end": Column(end, bad)}


def row_faults(
    taken: dict[str, Column], frame: pl.DataFrame, chosen: schema.ChosenColumns, ranks: bool = True
) -> Iterator[tuple[int, str]]:
    """Yield each faulty row, and what is wrong with it; `taken` are the columns that were read from the frame.

    `ranks`: ranks beside scores are needed.
    """
    wrong = np.flatnonzero(np.logical_or.reduce([each.bad for each in taken.values()]))
    has_starts = "start" in taken
    # a rank that is needed is checked as a score is
    values: tuple[str, ...] = tuple(field for field in ("score", "rank", "grade") if field in taken)
    values = values if ranks else values[:1]
    check = RowCheck(
        chosen.kind,
        values=values,
        has_starts=has_starts,
        are_parts=has_starts,
        end="end" if "end" in chosen.fields else "length",
        further=tuple(field for field in FURTHER if field in taken and field not in values),
    )
    columns = {field: chosen[field] for field in (*taken, "length") if field in chosen.fields}
    for row in wrong.tolist():
        cell = frame.row(row, named=True)
        given = {field: cells.value_in(cell[name]) for field, name in columns.items()}
        record = {field: value for field, value in given.items() if value is not None}
        # the columns decide which rows are wrong
        bad = next(field for field in taken if taken[field].bad[row])
        yield row, check.fault(record) or f"{bad} {python_text(record.get(bad))} cannot be read"


def refuse_faults(
    taken: dict[str, Column], frame: pl.DataFrame, chosen: schema.ChosenColumns, places: Places, ranks: bool = True
) -> None:
    """Raise an error about the first faulty row, if there is one."""
    for row, what in row_faults(taken, frame, chosen, ranks):
        raise places[row].fault(what)


# The base class of formats with named columns. A file is read as frames, some rows at a time; schema.py says what the
# columns mean by their names.

# The faults of rows that cannot be read.
Broken = list[InputError]
# The columns that a user names, by field.
Told = Mapping[str, str]
# The columns of a run in the order in which they are written.
RUN_COLUMNS = ("topic", "document", "start", "end", "rank", "score", "text")


class TableFile(base.Format):
    """A format with named columns."""

    writes_runs_of: ClassVar[tuple[base.Unit, ...]] = ("documents", "spans")
    writes_judgments = True
    writes_labels = True
    writes_subtopics = True
    writes_strata = True
    writes_unanswerable = True
    has_columns = True
    takes_columns = True
    may_have_texts = True

    def rows(self, source: Source, told: Told) -> TableRows:
        """Return the rows of a file, read in batches; `told` are the columns that the user named, by field."""
        raise NotImplementedError

    def sound_rows(self, source: Source, told: Told, broken: Broken) -> TableRows:
        """Return the rows of a file that can be read; append the faults of the others to `broken`."""
        return self.rows(source, told)

    def content(self, columns: base.Columns, name: str) -> bytes:
        """Return the bytes of a file with these columns."""
        raise NotImplementedError

    def kind_of(self, source: Source, request: base.Request = base.NOTHING_MORE) -> FileKind:
        """Tell from the names of its columns whether a file is a run or judgments."""
        return schema.schema_of(self.column_names(source), request.columns).kind

    def column_names(self, source: Source) -> list[str]:
        """Return the names of the columns of a file."""
        return self.rows(source, {}).names

    def run_blocks(self, source: Source, request: base.Request = base.NOTHING_MORE) -> Iterator[base.Block]:
        """Yield a run as blocks of whole topics."""
        yield from frame_blocks(self.rows(source, request.columns), request)

    def judgments(self, source: Source, request: base.Request = base.NOTHING_MORE) -> tables.Judgments:
        """Return the judgments of a file."""
        rows = self.rows(source, request.columns)
        chosen = rows.chosen("judgments", request)
        return frame_judgments(rows.whole(chosen), chosen, rows.places, request)

    def readable(
        self, source: Source, kind: FileKind | None = None, request: base.Request = base.NOTHING_MORE
    ) -> base.Readable[Any]:
        """Return the rows that can be read, and the faults of the others."""
        broken: Broken = []
        rows = self.sound_rows(source, request.columns, broken)
        kind = kind or schema.schema_of(rows.names, request.columns).kind
        chosen = rows.chosen(kind, request)
        kept, good, before = [], [np.zeros(0, np.int64)], 0
        faults: list[InputError] = []
        for frame in rows.blocks(chosen.names):
            wrong = dict(row_faults(named_columns(frame, chosen), frame, chosen))
            right = np.delete(np.arange(len(frame)), list(wrong))
            kept.append(frame[right])
            good.append(right + before)
            faults += [rows.places[row + before].fault(what) for row, what in islice(wrong.items(), base.MOST_FAULTS)]
            before += len(frame)
            if base.are_too_many(faults, source, rows.places[before - 1].number if before else None):
                break
        if broken and not before:
            raise broken[0]
        read = readable_run if kind == "run" else readable_judgments
        whole = one_frame(kept or [no_rows(chosen.names)])
        return read(whole, chosen, rows.places.of(np.concatenate(good)), [*broken, *faults])

    def run_content(self, columns: base.Columns, name: str, tag: str) -> bytes:
        """Return the bytes of a file with a run."""
        return self.content({field: columns[field] for field in RUN_COLUMNS if field in columns}, name)

    def judgments_content(self, judgments: tables.Judgments, documents: DocumentCollection | None) -> bytes:
        """Return the bytes of a file with judgments."""
        return self.content(judgment_columns(judgments), judgments.name)


def readable_run(
    frame: pl.DataFrame, chosen: schema.ChosenColumns, places: Places, faults: list[InputError]
) -> base.Readable[Run]:
    """Return a run from rows that can all be read."""
    return base.Readable("run", frame_run(frame, chosen, places) if len(frame) else None, places, faults)


def readable_judgments(
    frame: pl.DataFrame, chosen: schema.ChosenColumns, places: Places, faults: list[InputError]
) -> base.Readable[tables.Judgments]:
    """Return judgments from rows that can all be read.

    If the rows of a document give different lengths or best entry points, that is a fault.
    """
    if not len(frame):
        return base.Readable("judgments", None, places, faults)
    taken = named_columns(frame, chosen)
    if "start" not in taken:
        return base.Readable("judgments", frame_judgments(frame, chosen, places), places, faults)
    columns, rows = whole_numbers(taken), topics_and_documents(taken, chosen, places)
    first, group = tables.by_document(rows.topic, rows.document)
    facts = columns.get("document_length"), columns.get("bep")
    grade, labelled = columns.get("grade"), row_labels(taken)
    subtopic = taken["subtopic"].values if has_names(taken, "subtopic") else None
    marks: dict[str, Any] = {"labelled": labelled, "subtopic": subtopic, "facts": row_facts(taken, places.name)}
    table = highlight_judgments(rows, columns["start"], columns["end"], grade, *facts, **marks)
    told = table.highlights.length, table.highlights.entry
    for name, of_document, values in zip(("length", "best entry point"), told, facts, strict=True):
        faults = [
            *faults,
            *(differing_rows(name, of_document[group], values, rows, places) if values is not None else ()),
        ]
    span_rows = np.flatnonzero(columns["grade"] >= 1) if "grade" in columns else np.arange(len(frame))
    return base.Readable("judgments", table, places, faults, first, span_rows)


def differing_rows(name: str, told: Ints, values: Ints, rows: Table, places: Places) -> Iterator[InputError]:
    """Yield a fault for each row that gives another length or best entry point than the greatest for its document."""
    for row in np.flatnonzero((values >= 0) & (values != told)).tolist():
        (document,) = rows.document[row : row + 1].texts()
        yield places[row].fault(
            f"the {name} of document {document} is {values[row]} here but {told[row]} in another row"
        )


@contextmanager
def refusing(broken: Broken | None) -> Iterator[None]:
    """Append an InputError raised inside to `broken`; let it through if `broken` is None."""
    try:
        yield
    except InputError as fault:
        if broken is None:
            raise
        broken.append(fault)
