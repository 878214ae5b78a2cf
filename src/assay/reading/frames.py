"""Frames with named columns -> runs and judgments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from assay.errors import InputError, quote
from assay.files.source import Source
from assay.reading import cells, schema
from assay.reading.cells import Column
from assay.reading.columns import Labelled, graded_judgments, highlight_judgments
from assay.reading.element_places import with_characters
from assay.reading.format import NOTHING_MORE, Request
from assay.reading.numbers import numbers
from assay.reading.subtopics import judged_by_subtopic, of_iterations
from assay.tables.column_names import FACT_FIELDS, LABEL_FIELDS, SUBTOPIC_FIELDS
from assay.tables.ids import Grades, Ids, Ints
from assay.tables.judgments import (
    AssessedElements,
    DocumentJudgments,
    ElementJudgments,
    Facts,
    Judgments,
    SampleJudgments,
    by_document,
    whole_if_all,
)
from assay.tables.places import Place, Places
from assay.tables.run import Run, Table, concatenate_runs, make_run, not_empty
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    import polars as pl

# Rows of a block, about: few enough for memory to stay small, many enough for threads not to wait.
ROWS = 1 << 17
# Rows that are looked at to say whether a column holds texts.
FEW = 100
OF_SAMPLE = "Assay reads the column stratum as the strata of a sample"
MAKERS = {
    "topic": cells.ids, "document": cells.ids, "score": cells.decimals, "rank": cells.wholes,
    "grade": cells.grade_numbers, "start": cells.naturals, "end": cells.naturals, "length": cells.naturals,
    "document_length": cells.optional, "bep": cells.optional,
    **dict.fromkeys((*LABEL_FIELDS, *FACT_FIELDS, *SUBTOPIC_FIELDS, "stratum", "last"), cells.optional_ids),
    "path": cells.ids, "exhaustivity": cells.wholes, "specificity": cells.decimals, "size": cells.optional,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class TableRows:
    """The rows of a table that need not be read at once: the names of its columns, where the rows stand, and some of
    the columns, some rows at a time, in the order of the table.
    """

    names: list[str]
    places: Places
    blocks: Callable[[list[str]], Iterator[pl.DataFrame]]

    def chosen(self, kind: FileKind, request: Request) -> schema.ChosenColumns:
        """The columns that hold what a run or judgments need."""
        columns = schema.Schema(self.names, request.columns)
        chosen = schema.chosen_columns(
            columns, kind, self.places.name, self.is_text, request.every_column, request.of_parts, request.of_elements
        )
        return replace(chosen, notes=(*chosen.notes, *schema.several_runs(columns, kind, self.runs_named)))

    def runs_named(self, name: str) -> list[str]:
        """The different values that a column has in the first rows."""
        return list(map(str, next(self.blocks([name])).to_series().drop_nulls().unique(maintain_order=True)))

    def is_text(self, name: str) -> bool:
        """Whether the first values of a column look like texts, and not like ids."""
        import polars as pl

        values = next(self.blocks([name])).to_series().head(FEW)
        return values.dtype == pl.String and float(values.str.count_matches(r"\s").mean() or 0) >= 1  # type: ignore[arg-type]

    def whole(self, chosen: schema.ChosenColumns) -> pl.DataFrame:
        """The chosen columns of all rows, or of those up to a block in which a row has no id: it will be refused."""
        ids = [chosen.fields[field] for field in ("topic", "document") if field in chosen.fields]
        read = []
        for block in self.blocks(chosen.names):
            read.append(block)
            if any(block[name].null_count() for name in ids):
                break
        return one_frame(read or [no_rows(chosen.names)])


def no_rows(names: list[str]) -> pl.DataFrame:
    """A frame with columns but without rows."""
    import polars as pl

    return pl.DataFrame(schema=dict.fromkeys(names, pl.String))


def frame_rows(frame: pl.DataFrame, places: Places) -> TableRows:
    """The rows of a frame."""

    def blocks(names: list[str]) -> Iterator[pl.DataFrame]:
        for begin in range(0, max(len(frame), 1), ROWS):
            yield frame.select(names).slice(begin, ROWS)

    return TableRows(frame.columns, places, blocks)


def frame_blocks(given: TableRows, request: Request) -> Iterator[Callable[[], Run]]:
    """A run, some whole topics at a time, each to be read by calling it."""
    yield from chosen_blocks(given, given.chosen("run", request), request)


def chosen_blocks(given: TableRows, chosen: schema.ChosenColumns, request: Request) -> Iterator[Callable[[], Run]]:
    """A run, of which it is known which columns hold what, some whole topics at a time."""
    if request.gather:
        yield lambda: with_characters(gather_run(given, chosen, request.ranks), request.documents, given.places)
        return

    def block_of(frame: pl.DataFrame, before: int) -> Run:
        places = given.places.behind(before)
        return with_characters(not_empty(frame_run(frame, chosen, places, request.ranks)), request.documents, places)

    frames = given.blocks(chosen.names)
    cut = blocks_as_read(frames) if request.in_pieces else blocks_by_topic(frames, chosen["topic"], block_of)
    for frame, before in cut:
        yield partial(block_of, frame, before)


def gather_run(given: TableRows, chosen: schema.ChosenColumns, ranks: bool) -> Run:
    """A whole run in one table."""
    runs, before = [], 0
    for frame in given.blocks(chosen.names):
        runs.append(frame_run(frame, chosen, given.places.behind(before), ranks))
        before += len(frame)
    if any(part.rank is None for part in runs):
        runs = [replace(part, rank=None) for part in runs]
    whole = not_empty(concatenate_runs(runs))
    return replace(whole, places=given.places.finder(whole.topic, whole.document))


class RowsOfFile(Protocol):
    """Rows of a file that can be gone through again."""

    source: Source

    def pairs(self, topic: str, document: str) -> Iterator[tuple[int, tuple[str | None, str | None]]]:
        """The values of two columns of each row, and its line."""


def pair_places(rows: RowsOfFile, chosen: schema.ChosenColumns, topic: str, document: str) -> list[Place]:
    """The lines of a file on which a topic and a document are together."""
    pairs = rows.pairs(chosen["topic"], chosen["document"])
    return [Place(rows.source.label, line) for line, pair in pairs if pair == (topic, document)]


def blocks_by_topic(
    blocks: Iterator[pl.DataFrame], topic: str, check: Callable[[pl.DataFrame, int], object]
) -> Iterator[tuple[pl.DataFrame, int]]:
    """Blocks of rows, cut anew where a topic begins, each with the number of rows before it.

    A block within a topic has to wait for the rest of it, and only if a `check` finds nothing wrong with it.
    """
    begun: list[pl.DataFrame] = []
    before = 0
    for block in blocks:
        held = sum(map(len, begun))
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
    """Blocks of rows as they are, each with the number of rows before it."""
    before = 0
    for block in blocks:
        if len(block):
            yield block, before
        before += len(block)


def one_frame(blocks: list[pl.DataFrame]) -> pl.DataFrame:
    """Blocks of rows as one."""
    import polars as pl

    return blocks[0] if len(blocks) == 1 else pl.concat(blocks, how="vertical_relaxed")


def frame_run(frame: pl.DataFrame, chosen: schema.ChosenColumns, places: Places, ranks: bool = True) -> Run:
    """A run from a frame with a topic, a document, and a score or a rank.

    The scores give the order. The rank beside a score is for who asks for `ranks`, and to be compared with the scores.
    """
    taken = named_columns(frame, chosen, places.name)
    if "score" in taken and "rank" in taken and not ranks and taken["rank"].bad.any():
        del taken["rank"]
    refuse_faults(taken, places)
    rank = taken["rank"].values.astype(np.int64) if "rank" in taken else None
    score = taken["score"].values if "score" in taken else -taken["rank"].values
    parts: dict[str, Any] = {field: taken[field].values for field in schema.RETURNED if field in taken}
    parts |= {field: taken[field].values.astype(np.int64) for field in ("start", "end") if field in taken}
    if "path" not in parts:
        parts.pop("last", None)
    return make_run(**vars(topics_and_documents(taken, chosen, places)), score=score, rank=rank, **parts)


def frame_judgments(
    frame: pl.DataFrame, chosen: schema.ChosenColumns, places: Places, request: Request = NOTHING_MORE
) -> Judgments:
    """Judgments from a frame with a topic, a document and a grade; or a start and an end, and then perhaps a grade; or
    an assessed element.
    """
    if "exhaustivity" in chosen.fields:
        return assessed_judgments(frame, chosen, places)
    taken = named_columns(frame, chosen, places.name, request.decided)
    schema.refuse_scored_spans(chosen, "grade" in taken and bool(taken["grade"].bad.any()), places.name)
    refuse_faults(taken, places)
    rows, wholes, labelled = topics_and_documents(taken, chosen, places), whole_numbers(taken), row_labels(taken)
    if labelled != (None, None) and has_names(taken, "subtopic"):
        raise both_told(places.name)
    if "start" not in taken:
        grades = whole_if_all(taken["grade"].values)
        return (
            of_grades(taken, rows, grades, request)
            if labelled == (None, None)
            else graded_judgments(rows, grades, labelled)
        )
    grade, length, entry = (wholes.get(field) for field in ("grade", "document_length", "bep"))
    subtopic = taken["subtopic"].values if is_meant(taken, "subtopic", request) else None
    told: dict[str, Any] = {"labelled": labelled, "subtopic": subtopic, "facts": row_facts(taken, places.name)}
    return highlight_judgments(rows, wholes["start"], wholes["end"], grade, length, entry, places, **told)


def of_grades(taken: dict[str, Column], rows: Table, grade: Grades, request: Request) -> Judgments:
    """Judgments of which each row gives a grade: of a document, perhaps in a sample, or of one for a subtopic."""
    if is_meant(taken, "stratum", request) and (request.decided or request.strata or np.any(grade < 0)):
        return sampled_judgments(rows, grade, taken["stratum"].values)
    if is_meant(taken, "subtopic", request):
        return judged_by_subtopic(rows, grade, taken["subtopic"].values)
    if "iteration" in taken:
        return of_iterations(rows, grade, taken["iteration"].values, request.subtopics, "column iteration")
    return DocumentJudgments(**vars(rows), grade=grade)


# The scales of assessed elements, and the lowest and the highest grade: specificity is a grade too, or a share of the
# text; exhaustivity -1 is `?`, too small.
OF_GRADES, OF_SHARES = "2003", "2005"
GRADED = {
    OF_GRADES: {"exhaustivity": (0, 3), "specificity": (0, 3)},
    OF_SHARES: {"exhaustivity": (-1, 2), "specificity": (0, 1)},
}
# What a text is that is a whole number.
WHOLE_TEXT = r"^\s*[0-9]+\s*$"


def assessed_judgments(frame: pl.DataFrame, chosen: schema.ChosenColumns, places: Places, scale: str = "") -> Judgments:
    """Judgments of which each row is an assessed element, in any order; a document with a relevant one is relevant.

    Without a `scale` the specificities give it.
    """
    import polars as pl

    taken = named_columns(frame, chosen, places.name)
    scale = scale or scale_of(frame[chosen["specificity"]])
    for field, (lowest, highest) in GRADED[scale].items():
        taken[field] = within(taken[field], field, lowest, highest, whole=field == "exhaustivity" or scale == OF_GRADES)
    refuse_faults(taken, places)
    paths = [full_path(path, places, row) for row, path in enumerate(taken["path"].values.texts())]
    refuse_repeated_elements(by_document(taken["topic"].values, taken["document"].values)[1].tolist(), paths, places)
    # sums over elements are the same to the bit in whatever order they are told
    order = frame.select(pl.arg_sort_by(*(chosen[field] for field in ("topic", "document", "path")))).to_series()
    values: dict[str, Any] = {field: column.values[order.to_numpy()] for field, column in taken.items()}
    topic, document, specificity = values["topic"], values["document"], values["specificity"]
    exhaustivity = values["exhaustivity"].astype(np.int64)
    size = values["size"].astype(np.int64) if "size" in values else np.full(len(paths), -1)
    first, row = by_document(topic, document)
    grade = np.zeros(len(first), np.int64)
    grade[row[(exhaustivity != 0) & (specificity > 0)]] = 1
    elements = AssessedElements(row, [paths[at] for at in order], exhaustivity, specificity, size, scale)
    finder = places.of(order.to_numpy()).finder(topic, document)
    rows = places.name, topic[first], document[first], finder, chosen.notes
    return ElementJudgments(*rows, grade=grade, elements=elements)


def scale_of(specificity: pl.Series) -> str:
    """The scale of assessed elements: that of grades where specificities are whole numbers, by the type of their column
    or as all its texts are written, or where one is above 1.
    """
    import polars as pl

    if specificity.dtype == pl.String:
        return OF_GRADES if specificity.str.contains(WHOLE_TEXT).all() else OF_SHARES
    is_above = specificity.dtype.is_float() and bool((specificity > 1).any())
    return OF_GRADES if is_above or specificity.dtype.is_integer() else OF_SHARES


def within(column: Column, field: str, lowest: int, highest: int, whole: bool) -> Column:
    """A column of grades that lie between two numbers, and may have to be whole."""
    outside = (column.values < lowest) | (column.values > highest) | (whole & (np.rint(column.values) != column.values))

    def why(row: int) -> str:
        if column.bad[row]:
            return column.why(row)
        value = cells.write_value(column.values[row].item())
        return f"{field} {value} is not {'a whole number ' if whole else ''}from {lowest} to {highest}"

    return Column(column.values, column.bad | outside, why)


def full_path(path: str, places: Places, row: int) -> str:
    """A path with the number of each of its steps."""
    from assay.documents.xml import normal

    try:
        return normal(path)
    except ValueError:
        what = f"{quote(path)} is not an element path; expected for example /article[1]/sec[2]"
        raise places[row].fault(what) from None


def refuse_repeated_elements(documents: list[int], paths: list[str], places: Places) -> None:
    """No element of a document may be assessed twice."""
    seen = set()
    for row, element in enumerate(zip(documents, paths, strict=True)):
        if element in seen:
            raise places[row].fault(f"element {element[1]} is assessed twice")
        seen.add(element)


def has_names(taken: dict[str, Column], field: str) -> bool:
    """Whether any row has a name in a column."""
    return field in taken and bool(taken[field].values.length.any())


def is_meant(taken: dict[str, Column], field: str, request: Request) -> bool:
    """Whether a column is taken for what it is called."""
    return field in taken and (request.decided or has_names(taken, field))


def both_told(name: str) -> InputError:
    """The error about subtopics beside labels: they are told by all annotators together, and have no alternative sets.
    """
    what = "these judgments have both subtopics and annotators or sets of evidence"
    return InputError(f"{what}; expected only one of these", name)


def sampled_judgments(rows: Table, grade: Grades, strata: Ids) -> Judgments:
    """Judgments of which only a sample was made; each document is in a stratum."""
    if not strata.length.all():
        (document,) = rows.document[np.flatnonzero(strata.length == 0)[:1]].texts()
        what = f"document {document} has no stratum, but others do"
        raise InputError(f"{what}; expected a stratum for every document or for none", rows.name)
    return SampleJudgments(**vars(replace(rows, notes=(*rows.notes, OF_SAMPLE))), grade=grade, strata=strata)


def whole_numbers(taken: dict[str, Column]) -> dict[str, Ints]:
    """The columns of judgments that are numbers."""
    names = ("topic", "document", *LABEL_FIELDS, *FACT_FIELDS, *SUBTOPIC_FIELDS, "stratum")
    return {field: column.values.astype(np.int64) for field, column in taken.items() if field not in names}


def row_labels(taken: dict[str, Column]) -> Labelled:
    """The set and the annotator of each row of judgments; None if no row has any."""
    sets, annotators = (taken[field].values if has_names(taken, field) else None for field in LABEL_FIELDS)
    return sets, annotators


def row_facts(taken: dict[str, Column], name: str) -> Facts | None:
    """The fact of each row of judgments, and the quotation that it is a part of; None if no row has any."""
    facts = Facts(*(taken[field].values if has_names(taken, field) else None for field in FACT_FIELDS))
    if facts.fact is not None and has_names(taken, "set"):
        raise facts_beside_sets(name)
    return None if facts == (None, None) else facts


def facts_beside_sets(name: str) -> InputError:
    """The error about facts beside sets: both say what is an alternative to what."""
    return InputError("these judgments have both a fact and a set column; expected only one of these", name)


def topics_and_documents(taken: dict[str, Column], chosen: schema.ChosenColumns, places: Places) -> Table:
    """The topics and documents of the rows."""
    topics: Ids = taken["topic"].values
    documents: Ids = taken["document"].values
    return Table(places.name, topics, documents, places.finder(topics, documents), chosen.notes)


def named_columns(
    frame: pl.DataFrame, chosen: schema.ChosenColumns, label: str, decided: bool = False
) -> dict[str, Column]:
    """The columns of a run or of judgments by the names of their fields; of spans always start and end.

    `decided`: it is known that labels of spans are grades.
    """
    names = dict(chosen.fields)
    if (
        not decided
        and "start" in names
        and schema.comparable_name(names.get("grade", "")) == "label"
        and is_class(frame[names["grade"]])
    ):
        del names["grade"]
    # a span is highlighted or not
    makers = MAKERS | {"grade": cells.span_grades} if "start" in names else MAKERS
    taken = {field: makers[field](frame[name], field, label) for field, name in names.items()}
    return with_ends(taken, chosen.kind) if "start" in taken else taken


def is_class(labels: pl.Series) -> bool:
    """Whether the labels of spans are not grades but names of something: none of them is a number."""
    import polars as pl

    return labels.dtype == pl.String and bool(np.isnan(numbers(cells.pack_ids(labels))).all())


def with_ends(taken: dict[str, Column], kind: FileKind) -> dict[str, Column]:
    """Columns with the end of each span, which is not before its start; highlighted text is not empty."""
    start, length = taken["start"], taken.pop("length", None)
    given = length or taken["end"]
    end = start.values + given.values if length else given.values
    empty = end < start.values
    if kind == "judgments":
        empty |= (end == start.values) & (taken["grade"].values >= 1 if "grade" in taken else True)

    def why(row: int) -> str:
        if given.bad[row]:
            return given.why(row)
        first, last = int(start.values[row]), int(end[row])
        return f"start {first} is after end {last}" if last < first else f"the text from {first} to {last} is empty"

    return taken | {"end": Column(end, given.bad | empty, why)}


def row_faults(taken: dict[str, Column]) -> Iterator[tuple[int, str]]:
    """Each row that is wrong, and why."""
    for row in np.flatnonzero(np.logical_or.reduce([each.bad for each in taken.values()])).tolist():
        yield row, next(each.why(row) for each in taken.values() if each.bad[row])


def refuse_faults(taken: dict[str, Column], places: Places) -> None:
    """No row may be wrong: the first that is."""
    for row, what in row_faults(taken):
        raise places[row].fault(what)
