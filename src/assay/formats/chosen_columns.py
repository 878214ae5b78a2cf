"""Which columns of a table hold what a run or judgments need: as the user tells, or by their usual names. Ids win over
texts; what was taken is noted where another column could be meant, and two that are equally good are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from assay.errors import InputError, listed, quoted, shortened
from assay.tables.column_names import (
    LABEL_FIELDS,
    LISTS,
    NAMES,
    SPAN_FIELDS,
    SUBTOPIC_FIELDS,
    TableColumns,
    comparable_name,
)
from assay.vocabulary import FileKind

# What a table of each kind may have, beside spans.
FIELDS = {"run": ("topic", "document", "score", "rank"), "judgments": ("topic", "document", "grade")}
# What may be a topic, and may be something else.
QUESTIONS = ("user_input",)
# What is the better the lower it is.
DISTANCES = ("distance", "_distance", "dist", "cosine_distance", "l2_distance")
# What a column is called that numbers parts of documents.
PART_NUMBERS = (
    "chunk", "chunk_index", "chunk_idx", "chunk_no", "chunk_number", "chunk_num", "page", "page_index", "page_number",
    "page_no", "passage_index", "paragraph_index", "segment_index",
)  # fmt: skip
# What a column is called that tells the run of each row.
RUN_NAMES = ("run", "run_id", "runid", "run_name", "system", "system_id", "tag")
# How names of columns may tell where something starts and ends; and that it is no text.
STARTS_AND_ENDS = (("start", "end"), ("begin", "end"), ("start", "stop"), ("from", "to"))
TIMES = re.compile("time|date|year|day")
SPANS = {"run": ("start", "end", "length"), "judgments": (*SPAN_FIELDS, *LABEL_FIELDS, *SUBTOPIC_FIELDS, "stratum")}


def fields_of(kind: FileKind) -> tuple[str, ...]:
    """What a table of a run or of judgments may have."""
    return (*FIELDS[kind], *SPANS[kind])


@dataclass(frozen=True)
class ChosenColumns:
    """The columns of a run or of judgments by field, and what is to be said of the choice."""

    kind: FileKind
    fields: dict[str, str]
    notes: tuple[str, ...] = ()

    def __getitem__(self, field: str) -> str:
        return self.fields[field]

    @property
    def names(self) -> list[str]:
        """The names of the columns, each once."""
        return list(dict.fromkeys(self.fields.values()))


def chosen_columns(
    columns: TableColumns,
    kind: FileKind,
    label: str,
    is_text: Callable[[str], bool],
    every_column: bool = True,
    of_parts: bool = False,
) -> ChosenColumns:
    """The columns of a run or of judgments; `is_text` tells whether the values of a column look like texts.

    Columns that the user tells must be there if that is asked of `every_column`; else what is taken instead is noted.
    `of_parts`: parts of documents are judged, so that it matters whether the table tells them.
    """
    there = columns.fields
    chosen = {field: there[field] for field in fields_of(kind) if field in there}
    notes = []
    for field in (field for field in fields_of(kind) if field in columns.told):
        if field in columns.chosen_by_user:
            continue
        lacking = f"has no column {quoted(columns.told[field])}"
        if every_column:
            raise InputError(f"{lacking}; {its_columns(columns.names)}", label)
        if field in chosen:
            notes.append(f"{lacking}; {field}s from column {shortened(chosen[field])}")
    refuse_lacking(columns, chosen, kind, label, is_text)
    for field in chosen:
        if equals := columns.equals(field):
            both = " and ".join(map(shortened, equals[:2]))
            raise InputError(
                f"columns {both} could both be the {field}; give columns=, as in {field}={equals[0]}", label
            )
    return ChosenColumns(kind, chosen, (*notes, *choices(columns, chosen, is_text), *parts_not_told(columns, of_parts)))


def parts_not_told(columns: TableColumns, of_parts: bool) -> Iterator[str]:
    """That a table is taken to be of whole documents, where some of its columns may tell parts of them."""
    if columns.spans:
        return
    by_name = {comparable_name(name): name for name in columns.names}
    for name, start in by_name.items():
        words = ((begin, end) for begin, end in STARTS_AND_ENDS if begin in name)
        ends = [by_name[other] for begin, end in words if (other := name.replace(begin, end)) in by_name]
        if ends and not TIMES.search(name):
            what = f"whole documents, as columns {shortened(start)} and {shortened(ends[0])} are not known"
            yield f"{what}; if they count characters, give columns=, as in start={start} and end={ends[0]}"
            return
    if not of_parts or columns.text:
        return
    for name in (name for key, name in by_name.items() if key in PART_NUMBERS and name not in columns.fields.values()):
        what = f"whole documents, as column {shortened(name)} alone does not tell where a part of one stands"
        yield f"{what}; that is told by start and end, or by a text"
        return


def choices(columns: TableColumns, chosen: dict[str, str], is_text: Callable[[str], bool]) -> Iterator[str]:
    """What is to be said of columns that were taken where others could be meant."""
    for field, name in chosen.items():
        if others := list(columns.others(field)):
            texts = [other for other in others if is_text(other)]
            why = f"; {shortened(texts[0])} looks like a text" if texts else f", not {listed(others)}"
            yield f"{field}s from column {shortened(name)}{why}"


def several_runs(columns: TableColumns, kind: FileKind, values: Callable[[str], list[str]]) -> Iterator[str]:
    """That the rows of several runs are taken for one, where a column, whose different `values` can be asked, names
    several.
    """
    for name in unused_columns(columns, "run") if kind == "run" else []:
        if comparable_name(name) in RUN_NAMES and len(runs := values(name)) > 1:
            yield f"column {shortened(name)} names several runs, {listed(runs)}; all rows are taken for one run"


def refuse_scored_spans(chosen: ChosenColumns, has_wrong_grades: bool, label: str) -> None:
    """Spans with a score that is no grade are a run, which was given in the place of judgments."""
    if "start" in chosen.fields and comparable_name(chosen.fields.get("grade", "")) == "score" and has_wrong_grades:
        what = "this looks like a run, with a score for each span"
        raise InputError(f"{what}; expected judgments, which are given first, the runs after them", label)


def unused_columns(columns: TableColumns, kind: FileKind) -> list[str]:
    """The columns of a run or of judgments from which nothing is taken; a text is compared with the documents."""
    used = {name for field, name in columns.fields.items() if field in fields_of(kind)} | {columns.text}
    # the document of a text may be told by its file
    used |= {columns.whole_document} if columns.text and "document" not in columns.fields else set()
    return [name for name in columns.names if name not in used]


def refuse_lacking(
    columns: TableColumns, chosen: dict[str, str], kind: FileKind, label: str, is_text: Callable[[str], bool]
) -> None:
    """A table must have all that is needed, and must not be one of the other kind."""
    there = columns.fields
    optional = {"score", "rank"} | ({"grade"} if "start" in there else set())
    if lacking := [field for field in FIELDS[kind] if field not in chosen and field not in optional]:
        quotations = texts_named(columns, is_text) if kind == "judgments" and lacking[0] != "topic" else ""
        raise lacking_column(lacking[0], columns, label, quotations)
    if kind == "run" and not chosen.keys() & {"score", "rank"}:
        raise lacking_column("score or rank", columns, label)
    if kind == "judgments" and "rank" in there and chosen.get("grade") == there.get("score"):
        raise InputError("this looks like a run, with a score and a rank; expected judgments, with a grade", label)
    start = columns.column("start")
    # it would be read as whole documents
    if start and "start" in start.lower() and not columns.spans:
        ends = ", ".join(name for field in ("end", "length") for group in NAMES[field] for name in group)
        raise InputError(f"has a column {start} but none that tells where the text ends; expected one of {ends}", label)


def texts_named(columns: TableColumns, is_text: Callable[[str], bool]) -> str:
    """What to do where a column that nobody knows may have the quotations of judgments; nothing where none has."""
    others = unused_columns(columns, "judgments")
    # what is no text may be a list of texts
    only = others[:1] if len(others) == 1 or columns.chosen_by_user else []
    for name in [*filter(is_text, others), *only][:1]:
        return f"; if column {shortened(name)} has quotations, give columns=, as in text={name}, and give documents="
    return ""


def texts_to_find(columns: TableColumns) -> str:
    """What to do where a column has texts; nothing where none is called so."""
    return f"; to have the texts of column {shortened(columns.text)} found, give documents=" if columns.text else ""


def lacking_column(field: str, columns: TableColumns, label: str, quotations: str = "") -> InputError:
    """The error about a table that lacks a column, with what may be done about it; of `quotations` as above."""
    hint = ""
    if field == "score or rank" and columns.column("grade"):
        hint = "; these look like judgments: they are given first, the runs after them"
    elif field == "score or rank":
        judgments = "; if these are judgments, they are given first, the runs after them"
        hint = _without_order(columns) + (judgments if columns.kind == "judgments" else "")
    elif field in ("grade", "document") and columns.text and not columns.spans:
        hint = texts_to_find(columns)
    elif field == "document" and (lists := [name for name in columns.names if comparable_name(name) in LISTS]):
        write = "write a line for each, or one JSON object of all topics, as {topic: [chunks]}"
        hint = f"; if column {lists[0]} has all chunks of a topic, {write}"
    elif field == "topic" and (questions := [name for name in columns.names if comparable_name(name) in QUESTIONS]):
        hint = f"; if column {questions[0]} has the topics, give columns=, as in topic={questions[0]}"
    elif field == "topic" and columns.kind == "judgments" and columns.column("document"):
        chunks = "chunks of a corpus that nobody returned are for `assay ceiling`"
        hint = f"; {chunks if columns.spans else 'if these are the documents, give documents='}"
    elif len(columns.names) > 1 and not columns.fields and not columns.chosen_by_user:
        hint = f"; give columns=, as in {field}={columns.names[0]}"
    else:
        hint = quotations
    return InputError(f"has no column {field}; {its_columns(columns.names)}{hint}", label)


def _without_order(columns: TableColumns) -> str:
    """What to do where neither scores nor ranks tell the order of results."""
    if distances := [name for name in columns.names if comparable_name(name) in DISTANCES]:
        return f"; where the lowest {distances[0]} is the best, write it with a minus as the score, or a rank"
    if scores := [name for name in unused_columns(columns, "run") if "score" in comparable_name(name)]:
        return f"; if the highest {scores[0]} is the best, give columns=, as in score={scores[0]}"
    return "; where the rows stand best first, give each its rank"


def its_columns(names: list[str]) -> str:
    """What an error says of the columns that a table has."""
    return f"its columns are {listed(names, 12)}" if names else "it has no columns at all"
