"""Schema: map names to fields, the same way for every input: files with named columns, frames, records and objects.

A name may be a path into a record, such as `metadata.source`. Names at the top win over names inside, and ids win over
texts. If another column could be meant, a note says which one was taken; if two are equally good, that is an error.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, islice, pairwise
from typing import Any

from assay.errors import ORDER_OF_INPUTS, InputError, UsageError, list_names, quote, shorten, type_name
from assay.reading.values import id_of, is_there, whole
from assay.tables import column_names as words
from assay.vocabulary import FileKind

# The fields of each kind of table, except those of spans.
FIELDS = {"run": ("topic", "document", "score", "rank"), "judgments": ("topic", "document", "grade")}
# Names of columns in which lower values are better.
DISTANCES = ("distance", "_distance", "dist", "cosine_distance", "l2_distance")
# Names of columns that number parts of documents.
PART_NUMBERS = (
    "chunk", "chunk_index", "chunk_idx", "chunk_no", "chunk_number", "chunk_num", "page", "page_index", "page_number",
    "page_no", "passage_index", "paragraph_index", "segment_index", "span", "spans", "char_span", "char_range",
    "offsets", "position",
)  # fmt: skip
# Names of columns that number pages; and in how many of the first rows their starts are compared.
PAGES, FIRST_ROWS = ("page", "page_number", "page_no", "page_num", "page_index"), 1000
# Names of columns that hold words, but not the text of a part.
NO_TEXTS = ("title", "name", "url", "uri", "link", "summary", "description", "answer", "response")
# Names of columns that name the run of each row.
RUN_NAMES = ("run", "run_id", "runid", "run_name", "system", "system_id", "tag")
# Words in column names for where something starts and ends; and words which show that it is a time, not a text.
STARTS_AND_ENDS = (("start", "end"), ("begin", "end"), ("start", "stop"), ("from", "to"))
STARTS = re.compile("start|begin|from|offset|pos")
TIMES = re.compile("time|date|year|day")
SPANS = {
    "run": ("start", "end", "length"),
    "judgments": (*words.SPAN_FIELDS, *words.LABEL_FIELDS, *words.FACT_FIELDS, *words.SUBTOPIC_FIELDS, "stratum"),
}
# The fields of an assessed element besides topic and document; the size is optional.
ASSESSED, SIZE = ("path", "exhaustivity", "specificity"), "size"
# The fields of a result that is an element: its path, and the path of the last element if it is a range.
RETURNED = ("path", "last")
# The names that a field may have.
KNOWN = {name for groups in (*words.NAMES.values(), words.DOCUMENT_ALONE) for group in groups for name in group}
# A title with this many words is not the id of a document.
MANY_WORDS = 12
WHOLE = "Assay reads whole documents"


@dataclass(eq=False, repr=False)
class Schema:
    """The names in one input, and the field that each of them holds; `schema_of` returns the schema of some names.

    Columns that the user passed (`told`, by field) win; the other fields are found by their usual names. A told name
    that is not in this input is ignored, because it may be meant for another input.
    """

    names: list[str]
    told: Mapping[str, str] = dataclasses.field(default_factory=dict)
    # the columns that may hold each field, as soon as somebody has asked
    _candidates: dict[str, list[list[str]]] = dataclasses.field(default_factory=dict, init=False)

    @cached_property
    def _by_name(self) -> dict[str, list[tuple[int, str]]]:
        """The depth and the full name of each column, by its usual name."""
        by_name: dict[str, list[tuple[int, str]]] = {}
        for name in self.names:
            depth, usual = usual_name(name)
            by_name.setdefault(usual, []).append((depth, name))
        return by_name

    @cached_property
    def depths(self) -> list[int]:
        """The depths at which names occur, outermost first."""
        return sorted({depth for found in self._by_name.values() for depth, _ in found})

    @cached_property
    def chosen_by_user(self) -> dict[str, str]:
        """The columns that the user passed and that are in this input, by field."""
        known = {comparable_name(name): name for name in reversed(self.names)}
        there = {
            what: name if name in self.names else known.get(comparable_name(name)) for what, name in self.told.items()
        }
        return {what: name for what, name in there.items() if name is not None}

    def among(self, groups: words.Groups) -> list[list[str]]:
        """Return the columns that match groups of names, best first; those of one group are equally good."""
        if self._by_name.keys().isdisjoint(chain.from_iterable(groups)):
            return []
        there = [[place for usual in group for place in self._by_name.get(usual, ())] for group in groups]
        taken = set(self.chosen_by_user.values())
        columns = (
            [name for at, name in group if at == depth and name not in taken]
            for depth in self.depths
            for group in there
        )
        return [in_order(group, self.names) for group in columns if group]

    def candidates(self, what: str) -> list[list[str]]:
        """Return the columns that may hold a field, best first; those of one group are equally good."""
        if what not in self._candidates:
            self._candidates[what] = self._search(what)
        return self._candidates[what]

    def _search(self, what: str) -> list[list[str]]:
        if what in self.chosen_by_user:
            return [[self.chosen_by_user[what]]]
        if what == "start" and not (self.column("end") or self.column("length") or self.column("text")):
            # without an end, a length or a text, names such as `offset` may mean anything
            return self.among(words.NAMES["start"][:1])
        # the fields of an element have no alternative names
        return self.among(
            words.DOCUMENT_OF_SPANS if what == "document" and self.spans else words.NAMES.get(what, ((what,),))
        )

    def column(self, what: str) -> str | None:
        """Return the column that holds a field; None if there is none."""
        return next((group[0] for group in self.candidates(what)), None)

    @property
    def own_topic(self) -> str | None:
        """The column that names the topic at the top of a record, not inside its metadata."""
        column = self.column("topic")
        return column if column is not None and usual_name(column)[0] == 0 else None

    @cached_property
    def texts(self) -> list[str]:
        """The columns that hold texts, best first, chosen by the user or by their names; rows may use different ones.

        Quotations count if no other column says what is judged or returned.
        """
        there = [name for group in self.candidates("text") for name in group]
        has_values = any(map(self.column, ("score", "rank"))) or all(map(self.column, ("document", "grade")))
        if "text" in self.chosen_by_user or has_values or self.spans:
            return there
        return [*there, *(name for name in self.names if comparable_name(name) in words.EVIDENCE and name not in there)]

    @property
    def text(self) -> str | None:
        """The best column that holds texts."""
        return next(iter(self.texts), None)

    @property
    def of_chunks(self) -> bool:
        """Whether the rows of a run are chunks: they have texts but no offsets."""
        return self.text is not None and "start" not in self.fields

    def text_by_values(self, has_words: Callable[[str, int], bool]) -> str | None:
        """Return the column that holds texts, by its name or by its values.

        A column such as `chunk` may hold ids or texts; it holds texts if its values have words. `has_words` says
        whether most values of a column have at least this many words.
        """
        if self.text is not None:
            return self.text
        ids = [name for group in self.among(words.WHOLE_DOCUMENTS) for name in group]
        for name in (name for group in self.among((words.PART_TEXTS, words.WHOLE_TEXTS)) for name in group):
            is_named_otherwise = "document" in self.chosen_by_user or any(other != name for other in ids)
            # if another column has the chunk's id, `chunk` holds its text
            has_id = bool(self.among((*words.PART_IDS, *words.OWN_IDS)))
            if has_words(name, 2 if is_named_otherwise or has_id else MANY_WORDS):
                return name
        return None

    @cached_property
    def documents(self) -> list[str]:
        """The columns that may name the document of a part or of a text, best first."""
        if "document" in self.chosen_by_user:
            return [self.chosen_by_user["document"]]
        return [
            name
            for group in self.among(words.DOCUMENT_OF_SPANS if self.spans else words.WHOLE_DOCUMENTS)
            for name in group
        ]

    @property
    def ids(self) -> list[str]:
        """The columns whose values may be judged as documents or chunks; none if the user chose the document."""
        if "document" in self.chosen_by_user:
            return []
        chunk = self.chosen_by_user.get("chunk")
        return [chunk] if chunk else [name for group in self.among(words.DOCUMENT_ALONE) for name in group]

    @property
    def whole_document(self) -> str | None:
        """The column that names the document to which the part in a row belongs."""
        return next((name for group in self.among(words.WHOLE_DOCUMENTS) for name in group), None)

    @cached_property
    def spans(self) -> dict[str, str]:
        """The columns of spans by field: start, and end or length or both; empty if the table has no spans.

        A length that is deeper inside the record than the end may be that of the document.
        """
        start, end, length = (self.column(what) for what in ("start", "end", "length"))
        if end and length and usual_name(length)[0] != usual_name(end)[0]:
            length = None
        spans = {"start": start, "end": end, "length": length}
        return {what: name for what, name in spans.items() if name} if start and (end or length) else {}

    @cached_property
    def fields(self) -> dict[str, str]:
        """The columns that may be used, by field."""
        used = {
            what: name
            for what in words.NAMES
            if what not in (*words.SPAN_FIELDS, "text") and (name := self.column(what))
        }
        if not self.spans and "document" not in used and used and self.record_id:
            used["document"] = self.record_id
        if self.assessed:
            return {what: used[what] for what in ("topic", "document") if what in used} | self.assessed
        if not self.spans:
            return used
        further = {what: name for what in ("document_length", "bep") if (name := self.column(what))}
        return used | self.spans | further

    @property
    def record_id(self) -> str | None:
        """The column that names the document if no other does: the file, also inside metadata, or the id of the hit."""
        return next((group[0] for group in [*self.among(words.FILES), *self.among(words.OWN_IDS)]), None)

    @property
    def used(self) -> list[str]:
        """The columns that may be used, each once."""
        return list(dict.fromkeys(self.fields.values()))

    @property
    def assessed(self) -> dict[str, str]:
        """The columns of assessed elements by field; empty if the table has none."""
        there = self._named((*ASSESSED, SIZE))
        return there if there.keys() >= {*ASSESSED} else {}

    @property
    def returned(self) -> dict[str, str]:
        """The columns with the paths of returned elements by field; empty if the run returns none."""
        there = self._named(RETURNED)
        return there if "path" in there and there["path"] != self.fields.get("document") else {}

    def _named(self, fields: Iterable[str]) -> dict[str, str]:
        """Return the columns whose names are exactly these fields."""
        known = {comparable_name(name): name for name in reversed(self.names)}
        return {what: known[what] for what in fields if what in known}

    @property
    def kind(self) -> FileKind:
        """Whether the columns are those of a run or of judgments.

        Judgments have a grade under any name but score, or assessed elements, or spans or texts with neither score nor
        rank.
        """
        if self.assessed:
            return "judgments"
        grade, score = self.column("grade"), self.column("score")
        if grade and grade != score:
            return "judgments"
        is_evidence = bool(self.spans) or self.text is not None
        return "judgments" if is_evidence and not (score or self.column("rank")) else "run"

    def equals(self, what: str) -> list[str]:
        """Return the columns that could equally well hold a field, if there are several."""
        best = next(iter(self.candidates(what)), [])
        # metadata names a document in several ways, and Assay looks them up one after the other
        is_lenient = what == "document" and best and usual_name(best[0])[0] > 0
        return best if len(best) > 1 and not is_lenient else []

    def refuse_equals(
        self, fields: Iterable[str], label: str, are_alike: Callable[[list[str]], bool], anywhere: bool = False
    ) -> None:
        """Raise an error if a field has two columns that are equally good.

        Columns inside metadata (or `anywhere`, if that is set) are allowed if no row has different values in them.
        """
        for what in fields:
            equals = self.equals(what)
            is_within = anywhere or (bool(equals) and usual_name(equals[0])[0] > 0)
            if equals and not (is_within and are_alike(equals)):
                both = " and ".join(map(shorten, equals[:2]))
                raise InputError(
                    f"columns {both} could both be the {what}; pass columns=, for example {what}={equals[0]}", label
                )

    def others(self, what: str) -> Iterator[str]:
        """Yield the columns that could also hold a field, but were not chosen and hold no other field.

        A column inside a record does not compete with one at the top.
        """
        used, groups = self.fields.values(), self.candidates(what)
        depth = usual_name(groups[0][0])[0] if groups else 0
        others = (name for group in groups[1:] for name in group if usual_name(name)[0] == depth)
        yield from (name for name in others if name not in used)


def schema_of(names: Iterable[str], told: Mapping[str, str] | None = None) -> Schema:
    """Return the schema of some names; it is worked out once for inputs with the same names."""
    return _schema(tuple(names), tuple((told or {}).items()))


@lru_cache(maxsize=64)
def _schema(names: tuple[str, ...], told: tuple[tuple[str, str], ...]) -> Schema:
    return Schema(list(names), dict(told))


def in_order(names: list[str], every: list[str]) -> list[str]:
    """Return some names in the order that they have in `every`."""
    return names if len(names) < 2 else [name for name in every if name in names]


@lru_cache(maxsize=1000)
def comparable_name(name: str) -> str:
    """Return a column's name in lower case and without whitespace around it, for comparison."""
    return name.lower().strip()


@lru_cache(maxsize=1000)
def usual_name(name: str) -> tuple[int, str]:
    """Return how deep a name is within a record, and its name there: `metadata.source` gives (1, `source`)."""
    first, dot, rest = name.partition(".")
    if not dot or comparable_name(first) not in (*words.METADATA, *words.INNER):
        return 0, comparable_name(name)
    depth, usual = usual_name(rest)
    return depth + 1, usual


def told_columns(given: Mapping[str, str] | None) -> dict[str, str]:
    """Return the columns that the user named, by field; raise an error if a field is unknown or a name is empty."""
    if given is not None and not isinstance(given, Mapping):
        expected = 'expected a dict, for example {"document": "doc_id"}'
        raise UsageError(f"columns= is a {type_name(given)}; {expected}")
    told: dict[Any, Any] = dict(given or {})
    for what, name in told.items():
        if what not in TOLD:
            raise UsageError(f"unknown field {quote(str(what))} in columns; choose from {', '.join(TOLD)}")
        if not isinstance(name, str) or not name:
            raise UsageError(f"columns names {name!r} for the {what}; expected the name of a column")
    return told


# The fields that `columns=` may name.
TOLD = (*(what for what in words.NAMES if what != "text"), "text", "chunk")


def fields_of(kind: FileKind) -> tuple[str, ...]:
    """Return the fields that a table of a run or of judgments may have."""
    return (*FIELDS[kind], *SPANS[kind])


@dataclass(eq=False, repr=False)
class ChosenColumns:
    """The columns of a run or of judgments by field, and notes on how they were chosen.

    `of_chunks`: a run has texts but no offsets, so several of its rows may belong to one document.
    """

    kind: FileKind
    fields: dict[str, str]
    notes: tuple[str, ...] = ()
    of_chunks: bool = False

    def __getitem__(self, field: str) -> str:
        return self.fields[field]

    @property
    def names(self) -> list[str]:
        """The names of the columns, each once."""
        return list(dict.fromkeys(self.fields.values()))


def chosen_columns(
    columns: Schema,
    kind: FileKind,
    label: str,
    is_text: Callable[[str], bool],
    every_column: bool = True,
    of_parts: bool = False,
    of_elements: bool = False,
) -> ChosenColumns:
    """Choose the columns of a run or of judgments. `is_text` says whether the values of a column look like texts.

    `every_column`: a column that the user named must be in this table; otherwise a note says which one was taken
    instead. `of_parts`: parts of documents are judged, so it matters whether the table has them. `of_elements`:
    elements are judged, so the paths of the results are taken too.
    """
    if kind == "judgments" and columns.assessed:
        return assessed_columns(columns, label)
    there = columns.fields
    chosen = {field: there[field] for field in fields_of(kind) if field in there}
    notes = []
    for what in fields_of(kind):
        if what not in columns.told or what in columns.chosen_by_user:
            continue
        lacking = f"no column {quote(columns.told[what])}"
        if every_column:
            raise InputError(f"{lacking}; {its_columns(columns.names)}", label)
        if what in chosen:
            notes.append(f"{lacking}; Assay reads the {what}s from column {shorten(chosen[what])}")
    refuse_lacking(columns, chosen, kind, label, is_text)
    columns.refuse_equals(chosen, label, lambda names: True)
    notes += [*choices(columns, chosen, is_text), *whole_document_notes(columns, of_parts, is_text)]
    elements = columns.returned if kind == "run" and of_elements else {}
    return ChosenColumns(kind, chosen | elements, tuple(notes), kind == "run" and columns.of_chunks)


def assessed_columns(columns: Schema, label: str) -> ChosenColumns:
    """Return the columns of a table of assessed elements."""
    ids = {field: column for field in ("topic", "document") if (column := columns.column(field))}
    for field in ("topic", "document"):
        if field not in ids:
            raise InputError(f"no {field} column; {its_columns(columns.names)}", label)
    columns.refuse_equals(ids, label, lambda names: True)
    return ChosenColumns("judgments", ids | columns.assessed)


def whole_document_notes(columns: Schema, of_parts: bool, is_text: Callable[[str], bool]) -> Iterator[str]:
    """Note that Assay reads a table as whole documents although some of its columns may locate parts of them."""
    if columns.spans:
        return
    by_name = {comparable_name(name): name for name in columns.names}
    for name, start in by_name.items():
        pairs = ((begin, end) for begin, end in STARTS_AND_ENDS if begin in name)
        ends = [by_name[other] for begin, end in pairs if (other := name.replace(begin, end)) in by_name]
        if ends and not TIMES.search(name):
            what = f"{WHOLE}, because it does not know columns {shorten(start)} and {shorten(ends[0])}"
            hint = f"if they are offsets in characters, pass columns=, for example start={start} and end={ends[0]}"
            yield f"{what}; {hint}"
            return
    if not of_parts or columns.text:
        return
    for name in (name for key, name in by_name.items() if key in PART_NUMBERS and name not in columns.fields.values()):
        what = f"{WHOLE}, because column {shorten(name)} alone does not locate a part of a document"
        yield f"{what}; to count parts, add start and end, or a text"
        return
    known = {*KNOWN, *NO_TEXTS}
    unknown = (name for name in columns.names if usual_name(name)[1] not in known)
    for name in filter(is_text, islice(unknown, FEW)):
        what = f"{WHOLE}, because it does not know column {shorten(name)}"
        yield f"{what}; if it is the text of a part, pass columns=, for example text={name}"
        return


def choices(columns: Schema, chosen: dict[str, str], is_text: Callable[[str], bool]) -> Iterator[str]:
    """Note for each field which column was taken if another one could be meant."""
    for field, name in chosen.items():
        if others := list(columns.others(field)):
            texts = [other for other in others if is_text(other)]
            why = f"; column {shorten(texts[0])} looks like text" if texts else f", not {list_names(others)}"
            yield f"Assay reads the {field}s from column {shorten(name)}{why}"


def several_runs(columns: Schema, kind: FileKind, values: Callable[[str], list[str]]) -> Iterator[str]:
    """Note that Assay reads the rows as one run although a column names several runs.

    `values` returns the distinct values of a column; a blank one names no run.
    """
    for name in unused_columns(columns, "run") if kind == "run" else []:
        if comparable_name(name) in RUN_NAMES and len(runs := list(filter(is_there, values(name)))) > 1:
            yield f"column {shorten(name)} names several runs, {list_names(runs)}; Assay reads all rows as one run"


def page_notes(columns: Schema, rows: Callable[[str], Iterable[tuple[Any, Any, Any]]]) -> Iterator[str]:
    """Note that offsets may count from the page: starts on later pages are lower than starts on earlier ones.

    That cannot be if they count from the start of the document; a few rows may have a wrong page. `rows` returns the
    document, the start and the value of a column in some rows.
    """
    start, used = columns.column("start"), columns.fields.values()
    # tables do not look for a page inside a column if the start is not there
    depth = usual_name(start)[0] if start else None
    pages = (name for name in columns.names if usual_name(name)[0] == depth and usual_name(name)[1] in PAGES)
    name = next((name for name in pages if name not in used), None)
    if name is None:
        return
    starts: dict[str, dict[int, list[int]]] = {}
    for document, start, page in islice(rows(name), FIRST_ROWS):
        if (number := whole(page)) is not None and (place := whole(start)) is not None:
            starts.setdefault(id_of(document), {}).setdefault(number, []).append(place)
    pairs = [
        (document, page, max(pages[page]), later, min(pages[later]))
        for document, pages in starts.items()
        for page, later in pairwise(sorted(pages))
    ]
    lower = [pair for pair in pairs if pair[4] < pair[2]]
    if lower and 3 * len(lower) >= len(pairs):
        document, page, high, later, low = lower[0]
        what = f"document {shorten(document)} has a start of {high:,} on page {page}, but {low:,} on page {later}"
        remedy = "if these count from the page, add the offset of the page to each"
        yield f"{what}; Assay counts offsets from the start of the document; {remedy}"


def refuse_scored_spans(have_wrong_scores: bool, label: str) -> None:
    """Raise an error if judgments are spans whose scores are not grades: they are probably a run."""
    if have_wrong_scores:
        what = "this looks like a run, because it has a score for each span"
        raise InputError(f"{what}; expected judgments: {ORDER_OF_INPUTS}", label)


def unused_columns(columns: Schema, kind: FileKind) -> list[str]:
    """Return the columns that no field uses. A text counts as used, because it is compared with the documents."""
    used = {name for field, name in columns.fields.items() if field in fields_of(kind)} | {columns.text}
    # a text gives the end of a start
    used |= {columns.column("start")} if columns.text else set()
    # the file name may give the document of a text
    used |= {columns.whole_document} if columns.text and "document" not in columns.fields else set()
    # these columns say which questions have no answer
    used |= words.NO_ANSWER.keys() if kind == "judgments" else set()
    return [name for name in columns.names if name not in used]


def refuse_lacking(
    columns: Schema, chosen: dict[str, str], kind: FileKind, label: str, is_text: Callable[[str], bool]
) -> None:
    """Raise an error if a table lacks a column that it needs, or looks like one of the other kind."""
    there = columns.fields
    optional = {"score", "rank"} | ({"grade"} if "start" in there else set())
    if lacking := [field for field in FIELDS[kind] if field not in chosen and field not in optional]:
        quotations = texts_named(columns, is_text) if kind == "judgments" and lacking[0] != "topic" else ""
        raise lacking_column(lacking[0], columns, label, quotations)
    if kind == "run" and not chosen.keys() & {"score", "rank"}:
        raise lacking_column("score or rank", columns, label)
    if kind == "judgments":
        refuse_ranks(columns, label)
    refuse_half_spans(columns, label)


def refuse_half_spans(columns: Schema, label: str) -> None:
    """Raise an error if there are starts without ends, or ends without starts: they would be read as whole documents.

    A text gives the end by its length, or the whole place.
    """
    if columns.spans or columns.text is not None:
        return
    if start := columns.column("start"):
        ends = ", ".join(name for field in ("end", "length") for group in words.NAMES[field] for name in group)
        raise InputError(f"a column {start} without a column for the end; expected one of {ends}", label)
    # a name such as `to`, or any name inside metadata, may mean anything
    further = (name for group in columns.among(words.NAMES["end"][:1]) for name in group)
    usual = (name for name in further if usual_name(name)[0] == 0)
    if end := columns.chosen_by_user.get("end") or next(usual, None):
        likely = (name for name in columns.names if STARTS.search(comparable_name(name)) and not TIMES.search(name))
        hint = f"pass columns=, for example start={next(likely, 'NAME')}"
        raise InputError(f"a column {end} without a column for the start; {its_columns(columns.names)}; {hint}", label)


def refuse_ranks(columns: Schema, label: str) -> None:
    """Raise an error if judgments have ranks, unless they also have grades that are not called scores."""
    there = columns.fields
    if "rank" in there and there.get("grade") == there.get("score"):
        what = f"this looks like a run, because it has a {'score and a rank' if 'score' in there else 'rank'}"
        raise InputError(f"{what}; expected judgments with a grade", label)


# How many columns with unknown names are checked for texts.
FEW = 20
# Column names for what a system returned or wrote; and for vectors, distances and internals of a database.
LIKE_TOPIC = re.compile(r"topic|query|question")
OF_SYSTEMS = re.compile(r"retrieved|response|answer|prediction|output")
NO_NAME_OR_TEXT = re.compile(r"vector|embed|distance|^_|dense|sparse")


def may_be_told(name: str) -> bool:
    """Return whether a hint may propose a column with an unknown name as one of ids or texts."""
    return NO_NAME_OR_TEXT.search(comparable_name(name)) is None


def texts_named(columns: Schema, is_text: Callable[[str], bool]) -> str:
    """Return a hint that an unknown column may hold the quotations of judgments; empty if no column may."""
    # what a system returned or wrote is not evidence
    others = [name for name in unused_columns(columns, "judgments") if not OF_SYSTEMS.search(comparable_name(name))]
    others = [name for name in others if may_be_told(name)]
    # a column that is not a text may be a list of texts
    only = others[:1] if len(others) == 1 or columns.chosen_by_user else []
    for name in [*filter(is_text, others[:FEW]), *only][:1]:
        return f"; if column {shorten(name)} has quotes, pass columns=, for example text={name}, and pass documents="
    return ""


# The hint about a missing column if no other column looks like it.
USUAL_COLUMN = {
    field: f"; expected a column such as {name}, or pass columns=, for example {field}=NAME"
    for field, name in (("topic", "query_id"), ("document", "doc_id"))
}


def lacking_column(field: str, columns: Schema, label: str, quotations: str = "") -> InputError:
    """Return the error about a missing column, with a hint what to do; `quotations` is the hint of `texts_named`."""
    hint = ""
    if field == "topic" and (alike := like_topic(columns.names)):
        hint = f"; {pass_column(field, alike)}"
    elif field == "score or rank" and columns.column("grade"):
        hint = f"; these look like judgments: {ORDER_OF_INPUTS}"
    elif field == "score or rank":
        judgments = f"; if these are judgments, {ORDER_OF_INPUTS}"
        hint = _without_order(columns) + (judgments if columns.kind == "judgments" else "")
    elif columns.text and (field == "document" or (field == "grade" and not columns.spans)):
        hint = f"; to locate the texts of column {shorten(columns.text)}, pass documents=" if columns.text else ""
    elif field == "document" and (lists := [name for name in columns.names if comparable_name(name) in words.LISTS]):
        write = "write one line per chunk, or one JSON object {topic: [chunks]}"
        hint = f"; if column {lists[0]} has all chunks of a topic, {write}"
    elif field == "topic" and columns.kind == "judgments" and columns.column("document"):
        chunks = "if these are all chunks of a corpus, write `assay ceiling JUDGMENTS CHUNKS RUN`"
        hint = f"; {chunks if columns.spans else 'if these are the documents, pass documents='}"
    elif field == "topic" and columns.text:
        hint = f"{USUAL_COLUMN[field]}, or pass the texts by question, {{question: [texts]}}"
    elif len(columns.names) > 1 and not columns.fields and not columns.chosen_by_user:
        # the id of a row is not the id of a topic
        of_rows = {name for group in words.DOCUMENT_ALONE for name in group} if field == "topic" else ()
        likely = [name for name in columns.names if may_be_told(name) and comparable_name(name) not in of_rows]
        likely = [name for name in likely if name != columns.text and not OF_SYSTEMS.search(comparable_name(name))]
        hint = f"; {pass_column(field, likely[0])}" if likely else ""
    else:
        hint = quotations
    hint = hint or USUAL_COLUMN.get(field, "")
    return InputError(f"no {field} column; {its_columns(columns.names)}{hint}", label)


def like_topic(names: list[str]) -> str:
    """Return the column, of several, whose name most resembles that of a topic's id; empty if none does."""
    if len(names) < 2:
        return ""
    alike = [name for name in names if LIKE_TOPIC.search(comparable_name(name)) and may_be_told(name)]
    alike = [name for name in alike if not OF_SYSTEMS.search(comparable_name(name))]
    return next((name for name in alike if comparable_name(name).endswith("id")), next(iter(alike), ""))


def pass_column(field: str, name: str) -> str:
    """Return the advice to pass the name of a column for a field."""
    import shlex

    return f"pass columns=, for example {field}={shlex.quote(shorten(name))}"


def _without_order(columns: Schema) -> str:
    """Return a hint for results that have neither scores nor ranks."""
    if distances := [name for name in columns.names if comparable_name(name) in DISTANCES]:
        return f"; if the lowest {distances[0]} is the best, add a column score with -{distances[0]}, or a column rank"
    if scores := [name for name in unused_columns(columns, "run") if "score" in comparable_name(name)]:
        return f"; if the highest {scores[0]} is the best, pass columns=, for example score={scores[0]}"
    return "; if the rows are sorted best first, add a column rank"


def its_columns(names: list[str]) -> str:
    """Return the part of an error that lists the columns of a table, and the known names inside them."""
    outer = [name for name in names if usual_name(name)[0] == 0]
    inner = [name for name in names if usual_name(name)[0] > 0]
    useful = {name.partition(".")[0] for name in inner if usual_name(name)[1] in KNOWN}
    listed = [name for name in outer if name not in useful]
    listed += [name if (first := name.partition(".")[0]) in useful else first for name in inner]
    return f"the columns are {list_names(list(dict.fromkeys(listed)), 12)}" if names else "there are no columns at all"


def without_others(schema: Schema) -> Schema:
    """Return a schema that takes its document column as chosen by the user, so that no note mentions another."""
    if (column := schema.fields.get("document")) is None:
        return schema
    return dataclasses.replace(schema, told={**schema.told, "document": column})


def may_carry_texts(schema: Schema) -> bool:
    """Return whether a column may hold texts, records with texts in them, or the chunk that a chunk was cut from."""
    # a path that the user named may lead into any column
    told = (comparable_name(name).partition(".")[0] for name in schema.told.values() if "." in name)
    texts = (*words.PART_TEXTS, *words.WHOLE_TEXTS, *words.EVIDENCE)
    held = {*words.METADATA, *words.INNER, *texts, *words.PARENTS, *told}
    return schema.text is not None or any(usual_name(name)[1] in held for name in schema.names)
