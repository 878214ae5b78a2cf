"""Which name in the input means what, for every door: files with named columns, frames, records and objects.

A name may be a path into a record, `metadata.source`. Names higher up win over those within, ids win over texts; what
was taken is noted where another column could be meant, and two that are equally good are refused.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

from assay.errors import InputError, UsageError, list_names, quote, shorten
from assay.tables import column_names as words
from assay.vocabulary import FileKind

# What a table of each kind may have, beside spans.
FIELDS = {"run": ("topic", "document", "score", "rank"), "judgments": ("topic", "document", "grade")}
# What is the better the lower it is.
DISTANCES = ("distance", "_distance", "dist", "cosine_distance", "l2_distance")
# What a column is called that numbers parts of documents.
PART_NUMBERS = (
    "chunk", "chunk_index", "chunk_idx", "chunk_no", "chunk_number", "chunk_num", "page", "page_index", "page_number",
    "page_no", "passage_index", "paragraph_index", "segment_index", "span", "spans", "char_span", "char_range",
    "offsets", "position",
)  # fmt: skip
# What has words, and is no text of a part.
NO_TEXTS = ("title", "name", "url", "uri", "link", "summary", "description", "answer", "response")
# What a column is called that tells the run of each row.
RUN_NAMES = ("run", "run_id", "runid", "run_name", "system", "system_id", "tag")
# How names of columns may say where something starts and ends; and that it is not a text.
STARTS_AND_ENDS = (("start", "end"), ("begin", "end"), ("start", "stop"), ("from", "to"))
TIMES = re.compile("time|date|year|day")
SPANS = {
    "run": ("start", "end", "length"),
    "judgments": (*words.SPAN_FIELDS, *words.LABEL_FIELDS, *words.FACT_FIELDS, *words.SUBTOPIC_FIELDS, "stratum"),
}
# What a row of an assessed element has beside its topic and its document, and what it may have.
ASSESSED, SIZE = ("path", "exhaustivity", "specificity"), "size"
# What a result has that is an element: its path, and where it is a range of elements that of the last.
RETURNED = ("path", "last")
# A title with this many words is not the id of a document.
MANY_WORDS = 12
WHOLE = "Assay reads whole documents"


@dataclass(eq=False, repr=False)
class Schema:
    """The names in some input, and which of them hold what: as the user has `told`, field by field, or by their usual
    names.

    What was told of a name that is not there counts for other inputs. `of_objects`: the names are attributes of
    objects of a framework, which may name a document in several ways.
    """

    names: list[str]
    told: Mapping[str, str] = dataclasses.field(default_factory=dict)
    of_objects: bool = False

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
        """How deep the names are, the outermost first."""
        return sorted({depth for found in self._by_name.values() for depth, _ in found})

    @cached_property
    def chosen_by_user(self) -> dict[str, str]:
        """The columns that were told and are there, by field."""
        known = {comparable_name(name): name for name in reversed(self.names)}
        there = {
            what: name if name in self.names else known.get(comparable_name(name)) for what, name in self.told.items()
        }
        return {what: name for what, name in there.items() if name is not None}

    def among(self, groups: words.Groups) -> list[list[str]]:
        """The columns that some groups name, the best first; those in one group are equally good."""
        taken = set(self.chosen_by_user.values())
        there = [[place for usual in group for place in self._by_name.get(usual, ())] for group in groups]
        columns = (
            [name for at, name in group if at == depth and name not in taken]
            for depth in self.depths
            for group in there
        )
        return [in_order(group, self.names) for group in columns if group]

    def candidates(self, what: str) -> list[list[str]]:
        """The columns that may hold a field, the best first; those in one group are equally good."""
        if what in self.chosen_by_user:
            return [[self.chosen_by_user[what]]]
        if what == "start" and not (self.column("end") or self.column("length") or self.column("text")):
            # alone, `offset` and the like may be anything
            return self.among(words.NAMES["start"][:1])
        # those of an element have no other names
        return self.among(
            words.DOCUMENT_OF_SPANS if what == "document" and self.spans else words.NAMES.get(what, ((what,),))
        )

    def column(self, what: str) -> str | None:
        """Which column holds a field, whatever its usual name there."""
        return next((group[0] for group in self.candidates(what)), None)

    @cached_property
    def text(self) -> str | None:
        """The column that holds texts, where the user tells it or one is called so."""
        return self.column("text") or self._evidence

    @property
    def _evidence(self) -> str | None:
        """The column that holds quotations, where nothing else says what is judged or returned."""
        has_values = any(map(self.column, ("score", "rank"))) or all(map(self.column, ("document", "grade")))
        if has_values or self.spans:
            return None
        return next((name for name in self.names if comparable_name(name) in words.EVIDENCE), None)

    def text_by_values(self, has_words: Callable[[str, int], bool]) -> str | None:
        """The column that holds texts: one that is called so; or one that may hold ids as well, as `chunk` does, if its
        values have words. `has_words` says whether most values of a column have this many.
        """
        if self.text is not None:
            return self.text
        ids = [name for group in self.among(words.WHOLE_DOCUMENTS) for name in group]
        for name in (name for group in self.among((words.PART_TEXTS, words.WHOLE_TEXTS)) for name in group):
            is_named_otherwise = "document" in self.chosen_by_user or any(other != name for other in ids)
            # beside the id of a chunk, a chunk is its text
            has_id = bool(self.among((*words.PART_IDS, *words.OWN_IDS)))
            if has_words(name, 2 if is_named_otherwise or has_id else MANY_WORDS):
                return name
        return None

    @cached_property
    def documents(self) -> list[str]:
        """The columns that may name the document of a part or of a text, the best first."""
        if "document" in self.chosen_by_user:
            return [self.chosen_by_user["document"]]
        return [
            name
            for group in self.among(words.DOCUMENT_OF_SPANS if self.spans else words.WHOLE_DOCUMENTS)
            for name in group
        ]

    @property
    def whole_document(self) -> str | None:
        """The column that gives the document of which a row has a part."""
        return next((name for group in self.among(words.WHOLE_DOCUMENTS) for name in group), None)

    @cached_property
    def spans(self) -> dict[str, str]:
        """The columns of spans by field: start and end, or start and length; nothing if the table has no spans."""
        start, end, length = (self.column(what) for what in ("start", "end", "length"))
        if not start or not (end or length):
            return {}
        return {"start": start, **({"end": end} if end else {"length": str(length)})}

    @cached_property
    def fields(self) -> dict[str, str]:
        """The columns that may be used, by field."""
        used = {
            what: name
            for what in words.NAMES
            if what not in (*words.SPAN_FIELDS, "text") and (name := self.column(what))
        }
        if not self.spans and "document" not in used and used:
            # files and the ids of hits name whole documents if nothing else does
            for group in self.among(words.DOCUMENT_ALONE)[:1]:
                used["document"] = group[0]
        if self.assessed:
            return {what: used[what] for what in ("topic", "document") if what in used} | self.assessed
        if not self.spans:
            return used
        further = {what: name for what in ("document_length", "bep") if (name := self.column(what))}
        return used | self.spans | further

    @property
    def used(self) -> list[str]:
        """The columns that may be used."""
        return list(dict.fromkeys(self.fields.values()))

    @property
    def assessed(self) -> dict[str, str]:
        """The columns of assessed elements by field; nothing if the table has none."""
        there = self._named((*ASSESSED, SIZE))
        return there if there.keys() >= {*ASSESSED} else {}

    @property
    def returned(self) -> dict[str, str]:
        """The columns of the paths of elements by field, where they are elements that a run returns."""
        there = self._named(RETURNED)
        return there if "path" in there and there["path"] != self.fields.get("document") else {}

    def _named(self, fields: Iterable[str]) -> dict[str, str]:
        """The columns that have the very names of some fields."""
        known = {comparable_name(name): name for name in reversed(self.names)}
        return {what: known[what] for what in fields if what in known}

    @property
    def kind(self) -> FileKind:
        """Whether a table holds a run or judgments: by its columns, a grade
        under any name but score, assessed elements, or spans or texts with neither.
        """
        if self.assessed:
            return "judgments"
        grade, score = self.column("grade"), self.column("score")
        if grade and grade != score:
            return "judgments"
        is_evidence = bool(self.spans) or self.text is not None
        return "judgments" if is_evidence and not (score or self.column("rank")) else "run"

    def equals(self, what: str) -> list[str]:
        """The columns of which any could hold a field, if there are several that are equally good."""
        best = next(iter(self.candidates(what)), [])
        # frameworks name a document in several ways, which are looked up one after the other
        is_lenient = what == "document" and (self.of_objects or (best and usual_name(best[0])[0] > 0))
        return best if len(best) > 1 and not is_lenient else []

    def refuse_equals(
        self, fields: Iterable[str], label: str, are_alike: Callable[[list[str]], bool], anywhere: bool = False
    ) -> None:
        """No field may have two columns that are equally good; those within metadata may, or `anywhere`, if no row has
        different values there.
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
        """The columns that could hold a field too, but were not chosen, and are not used for another field.

        Those within another column are not rivals of one that is not.
        """
        used, groups = self.fields.values(), self.candidates(what)
        depth = usual_name(groups[0][0])[0] if groups else 0
        others = (name for group in groups[1:] for name in group if usual_name(name)[0] == depth)
        yield from (name for name in others if name not in used)


def in_order(names: list[str], every: list[str]) -> list[str]:
    """Some names in the order of all."""
    return names if len(names) < 2 else [name for name in every if name in names]


@lru_cache(maxsize=1000)
def comparable_name(name: str) -> str:
    """A name of a column as it is compared."""
    return name.lower().strip()


@lru_cache(maxsize=1000)
def usual_name(name: str) -> tuple[int, str]:
    """How deep a name is within a record, and what it is called there: `metadata.source` is (1, `source`)."""
    first, dot, rest = name.partition(".")
    if not dot or comparable_name(first) not in (*words.METADATA, *words.INNER):
        return 0, comparable_name(name)
    depth, usual = usual_name(rest)
    return depth + 1, usual


def told_columns(given: Mapping[str, str] | None) -> dict[str, str]:
    """The columns that a user names for some of the fields."""
    told: dict[Any, Any] = dict(given or {})
    for what, name in told.items():
        if what not in TOLD:
            raise UsageError(f"unknown field {quote(str(what))} in columns; choose from {', '.join(TOLD)}")
        if not isinstance(name, str) or not name:
            raise UsageError(f"columns names {name!r} for the {what}; expected the name of a column")
    return told


# What a user may tell the column of.
TOLD = (*(what for what in words.NAMES if what != "text"), "text", "chunk")


def fields_of(kind: FileKind) -> tuple[str, ...]:
    """What a table of a run or of judgments may have."""
    return (*FIELDS[kind], *SPANS[kind])


@dataclass(eq=False, repr=False)
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
    columns: Schema,
    kind: FileKind,
    label: str,
    is_text: Callable[[str], bool],
    every_column: bool = True,
    of_parts: bool = False,
    of_elements: bool = False,
) -> ChosenColumns:
    """The columns of a run or of judgments; `is_text` says whether the values of a column look like texts.

    Columns that the user tells must be there if that is asked of `every_column`; else what is taken instead is noted.
    `of_parts`: parts of documents are judged, so that it matters whether the table gives them. `of_elements`: elements
    are, so that the path of a result is taken.
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
    return ChosenColumns(kind, chosen | elements, tuple(notes))


def assessed_columns(columns: Schema, label: str) -> ChosenColumns:
    """The columns of a table of assessed elements."""
    ids = {field: column for field in ("topic", "document") if (column := columns.column(field))}
    for field in ("topic", "document"):
        if field not in ids:
            raise InputError(f"no {field} column; {its_columns(columns.names)}", label)
    columns.refuse_equals(ids, label, lambda names: True)
    return ChosenColumns("judgments", ids | columns.assessed)


def whole_document_notes(columns: Schema, of_parts: bool, is_text: Callable[[str], bool]) -> Iterator[str]:
    """That a table is taken to be of whole documents, where some of its columns may tell parts of them."""
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
    known = {name for groups in (*words.NAMES.values(), words.DOCUMENT_ALONE) for group in groups for name in group} | {
        *NO_TEXTS
    }
    unknown = (name for name in columns.names if usual_name(name)[1] not in known)
    for name in filter(is_text, islice(unknown, FEW)):
        what = f"{WHOLE}, because it does not know column {shorten(name)}"
        yield f"{what}; if it is the text of a part, pass columns=, for example text={name}"
        return


def choices(columns: Schema, chosen: dict[str, str], is_text: Callable[[str], bool]) -> Iterator[str]:
    """What is to be said of columns that were taken where others could be meant."""
    for field, name in chosen.items():
        if others := list(columns.others(field)):
            texts = [other for other in others if is_text(other)]
            why = f"; column {shorten(texts[0])} looks like text" if texts else f", not {list_names(others)}"
            yield f"Assay reads the {field}s from column {shorten(name)}{why}"


def several_runs(columns: Schema, kind: FileKind, values: Callable[[str], list[str]]) -> Iterator[str]:
    """That the rows of several runs are taken for one, where a column, whose different `values` can be asked, names
    several.
    """
    for name in unused_columns(columns, "run") if kind == "run" else []:
        if comparable_name(name) in RUN_NAMES and len(runs := values(name)) > 1:
            yield f"column {shorten(name)} names several runs, {list_names(runs)}; Assay reads all rows as one run"


def refuse_scored_spans(chosen: ChosenColumns, has_wrong_grades: bool, label: str) -> None:
    """Spans with a score that is not a grade are a run, which was given in the place of judgments."""
    if "start" in chosen.fields and comparable_name(chosen.fields.get("grade", "")) == "score" and has_wrong_grades:
        what = "this looks like a run, because it has a score for each span"
        raise InputError(f"{what}; expected judgments: pass judgments first, then the runs", label)


def unused_columns(columns: Schema, kind: FileKind) -> list[str]:
    """The columns of a run or of judgments from which nothing is taken; a text is compared with the documents."""
    used = {name for field, name in columns.fields.items() if field in fields_of(kind)} | {columns.text}
    # the document of a text may be told by its file
    used |= {columns.whole_document} if columns.text and "document" not in columns.fields else set()
    # which questions have no answer
    used |= words.NO_ANSWER.keys() if kind == "judgments" else set()
    return [name for name in columns.names if name not in used]


def refuse_lacking(
    columns: Schema, chosen: dict[str, str], kind: FileKind, label: str, is_text: Callable[[str], bool]
) -> None:
    """A table must have all that is needed, and must not be one of the other kind."""
    there = columns.fields
    optional = {"score", "rank"} | ({"grade"} if "start" in there else set())
    if lacking := [field for field in FIELDS[kind] if field not in chosen and field not in optional]:
        quotations = texts_named(columns, is_text) if kind == "judgments" and lacking[0] != "topic" else ""
        raise lacking_column(lacking[0], columns, label, quotations)
    if kind == "run" and not chosen.keys() & {"score", "rank"}:
        raise lacking_column("score or rank", columns, label)
    if kind == "judgments":
        refuse_ranks(columns, label)
    start = columns.column("start")
    # it would be read as whole documents; a text tells the end
    if start and not columns.spans and columns.text is None:
        ends = ", ".join(name for field in ("end", "length") for group in words.NAMES[field] for name in group)
        raise InputError(f"a column {start} without a column for the end; expected one of {ends}", label)


def refuse_ranks(columns: Schema, label: str) -> None:
    """Judgments have no ranks, unless they have grades too, and not under the name of scores."""
    there = columns.fields
    if "rank" in there and there.get("grade") == there.get("score"):
        what = f"this looks like a run, because it has a {'score and a rank' if 'score' in there else 'rank'}"
        raise InputError(f"{what}; expected judgments with a grade", label)


# How many columns that nobody knows are looked at.
FEW = 20
# What a system returned or wrote, by the name of its column; and what has numbers alone, or is of a database itself.
OF_SYSTEMS = re.compile(r"retrieved|response|answer|prediction|output")
NO_NAME_OR_TEXT = re.compile(r"vector|embed|distance|^_|dense|sparse")


def may_be_told(name: str) -> bool:
    """Whether a column that nobody knows may be proposed as one with ids or texts."""
    return NO_NAME_OR_TEXT.search(comparable_name(name)) is None


def texts_named(columns: Schema, is_text: Callable[[str], bool]) -> str:
    """What to do where a column that nobody knows may have the quotations of judgments; nothing if none has."""
    # what a system returned or wrote is no evidence
    others = [name for name in unused_columns(columns, "judgments") if not OF_SYSTEMS.search(comparable_name(name))]
    others = [name for name in others if may_be_told(name)]
    # what is not a text may be a list of texts
    only = others[:1] if len(others) == 1 or columns.chosen_by_user else []
    for name in [*filter(is_text, others[:FEW]), *only][:1]:
        return f"; if column {shorten(name)} has quotes, pass columns=, for example text={name}, and pass documents="
    return ""


def texts_to_find(columns: Schema) -> str:
    """What to do where a column has texts; nothing if none is called so."""
    return f"; to locate the texts of column {shorten(columns.text)}, pass documents=" if columns.text else ""


# What to do about a table without a column, if nothing in it looks like one.
USUAL_COLUMN = {
    field: f"; expected a column such as {name}, or pass columns=, for example {field}=NAME"
    for field, name in (("topic", "query_id"), ("document", "doc_id"))
}


def lacking_column(field: str, columns: Schema, label: str, quotations: str = "") -> InputError:
    """The error about a table that lacks a column, with what may be done about it; of `quotations` as above."""
    hint = ""
    if field == "score or rank" and columns.column("grade"):
        hint = "; these look like judgments: pass judgments first, then the runs"
    elif field == "score or rank":
        judgments = "; if these are judgments, pass them first, then the runs"
        hint = _without_order(columns) + (judgments if columns.kind == "judgments" else "")
    elif field in ("grade", "document") and columns.text and not columns.spans:
        hint = texts_to_find(columns)
    elif field == "document" and (lists := [name for name in columns.names if comparable_name(name) in words.LISTS]):
        write = "write one line per chunk, or one JSON object {topic: [chunks]}"
        hint = f"; if column {lists[0]} has all chunks of a topic, {write}"
    elif field == "topic" and columns.kind == "judgments" and columns.column("document"):
        chunks = "if these are all chunks of a corpus, pass them to `assay ceiling`"
        hint = f"; {chunks if columns.spans else 'if these are the documents, pass documents='}"
    elif len(columns.names) > 1 and not columns.fields and not columns.chosen_by_user:
        # the id of a row is none of a topic
        of_rows = {name for group in words.DOCUMENT_ALONE for name in group} if field == "topic" else ()
        likely = [name for name in columns.names if may_be_told(name) and comparable_name(name) not in of_rows]
        likely = [name for name in likely if name != columns.text and not OF_SYSTEMS.search(comparable_name(name))]
        hint = f"; pass columns=, for example {field}={likely[0]}" if likely else ""
    else:
        hint = quotations
    hint = hint or USUAL_COLUMN.get(field, "")
    return InputError(f"no {field} column; {its_columns(columns.names)}{hint}", label)


def _without_order(columns: Schema) -> str:
    """What to do where neither scores nor ranks give the order of results."""
    if distances := [name for name in columns.names if comparable_name(name) in DISTANCES]:
        return f"; if the lowest {distances[0]} is the best, add a column score with -{distances[0]}, or a column rank"
    if scores := [name for name in unused_columns(columns, "run") if "score" in comparable_name(name)]:
        return f"; if the highest {scores[0]} is the best, pass columns=, for example score={scores[0]}"
    return "; if the rows are sorted best first, add a column rank"


def its_columns(names: list[str]) -> str:
    """What an error says of the columns that a table has."""
    return f"the columns are {list_names(names, 12)}" if names else "there are no columns at all"


def may_carry_texts(schema: Schema) -> bool:
    """Whether a column may hold texts, or records that hold some."""
    # a path may lead into any column
    told = (comparable_name(name).partition(".")[0] for name in schema.told.values() if "." in name)
    held = {*words.METADATA, *words.INNER, *words.PART_TEXTS, *words.WHOLE_TEXTS, *told}
    return schema.text is not None or any(usual_name(name)[1] in held for name in schema.names)
