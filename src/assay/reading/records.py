"""Read records that name their topics, and objects of frameworks and vector databases, into Rows.

No framework is imported. LangChain's Document, LlamaIndex's nodes, Haystack's Document, Chonkie's Chunk, hits of vector
databases, named tuples, dataclasses and dicts differ in the names of a few values. A value may be in the object, in its
metadata, or in an object that it holds. `flat` brings all values to one level, and the schema knows their names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from numbers import Real
from types import NoneType
from typing import Any, TypeGuard

from assay.errors import InputError, list_names, quote, shorten
from assay.reading.faults import id_fault, place_fault, plain_id, python_text
from assay.reading.lines import refused_grade
from assay.reading.numbers import is_number
from assay.reading.rows import Rows
from assay.reading.schema import MANY_WORDS, Schema, comparable_name, schema_of, usual_name
from assay.reading.values import (
    BLANKS,
    NO_NAMES,
    PLAIN,
    denies,
    id_of,
    is_blank,
    is_empty,
    is_missing,
    is_there,
    plain_value,
)
from assay.tables.column_names import (
    ASKED,
    CLASSES,
    DOCUMENT_ALONE,
    EVIDENCE,
    FACT_FIELDS,
    INNER,
    LABEL_FIELDS,
    LISTS,
    LOG_IDS,
    LOG_TEXTS,
    METADATA,
    NAMES,
    NO_ANSWER,
    OWN_IDS,
    PARENTS,
    PART_IDS,
    SUBTOPIC_FIELDS,
)
from assay.tables.places import Place
from assay.vocabulary import FileKind

# Scores and distances of hits, which errors propose as scores.
OF_HITS = ("_score", "_distance")
# The attribute names that Assay asks an object's type for; it asks for no others.
CONTAINERS = (*METADATA, *INNER)
KNOWN = tuple(dict.fromkeys(chain(
    (name for groups in (*NAMES.values(), DOCUMENT_ALONE) for group in groups for name in group),
    EVIDENCE, CONTAINERS, PARENTS, OF_HITS, LISTS, ASKED, NO_ANSWER, *LOG_TEXTS.values(), *LOG_IDS.values(),
)))  # fmt: skip
# Spellings of true and false.
TRUTHS = {"true": True, "yes": True, "1": True, "1.0": True, "false": False, "no": False, "0": False, "0.0": False}
# How many values are checked to tell texts from ids.
SAMPLE = 20
# How alike two names are if one is a misspelling of the other: one letter in eight differs. 1 means equal.
ALIKE = 0.85
# Fields whose values are copied unchanged.
VALUES: dict[FileKind, tuple[str, ...]] = {
    "run": ("score", "rank"),
    "judgments": ("grade", "bep", "document_length", *LABEL_FIELDS, *FACT_FIELDS, *SUBTOPIC_FIELDS, "stratum"),
}
RECORDS = {"run": ("topic", "document", "start", "end", "score"), "judgments": ("topic", "document", "start", "end")}

# NaN in these fields is a wrong number; in all others it is a missing value.
NUMBERS = ("score", "rank", "grade")

Flat = Mapping[str, Any]


# --- objects -------------------------------------------------------------------------------------------------------


def is_record(given: Any) -> bool:
    """Return whether something may have named values: a dict or an object; not a string, number, list or tuple.

    A named tuple is a record, a plain tuple is not.
    """
    return is_type_of_records(type(given))  # type: ignore[arg-type]


@lru_cache(maxsize=1000)
def is_type_of_records(kind: type) -> bool:
    """Return whether the objects of a type may have named values; most inputs have few types."""
    if issubclass(kind, str | bytes | int | float | list | set | frozenset | NoneType):
        return False
    if issubclass(kind, tuple):
        return hasattr(kind, "_asdict")
    return issubclass(kind, Mapping) or not issubclass(kind, Real)


@lru_cache(maxsize=1000)
def is_type_of_named_tuples(kind: type) -> bool:
    """Return whether the objects of a type are named tuples, or rows of a database that are like them."""
    return hasattr(kind, "_asdict")


@lru_cache(maxsize=1000)
def is_type_of_dicts(kind: type) -> bool:
    """Return whether the objects of a type are dicts, or like them."""
    return issubclass(kind, Mapping)


def flat(given: Any) -> Flat:
    """Return the values of a record by name, and those inside it by path, such as `metadata.source`."""
    is_dict = is_type_of_dicts(type(given))  # type: ignore[arg-type]
    own = given if is_dict else attributes(given)
    are_texts, containers = held_names(tuple(own))
    held = [name for name in containers if type(own[name]) is dict or is_container(own[name], name)]
    if not are_texts:
        own = {name: value for name, value in own.items() if isinstance(name, str)}
    elif held and is_dict:
        own = dict(own)
    for name in held:
        inner = flat(own.pop(name))
        own.update(zip(paths_within(name, tuple(inner)), inner.values(), strict=True))
    return own


def flat_as_told(given: Any, told: Mapping[str, str]) -> Flat:
    """Return the record as `flat` does, plus the value at each path that the user named, such as `metadata.window`."""
    record = flat(given)
    for name in told.values():
        if name not in record and (value := value_at_path(given, name)) is not None:
            record = {**record, name: value}
    return record


def value_at_path(given: Any, path: str) -> Any:
    """Return the value at a dotted path in an object, or in the chunk that it holds; None if there is none.

    Some frameworks hold the chunk inside an object that has its score.
    """
    if isinstance(given, Mapping) and path in given:
        return given[path]
    value = value_at(given, path)
    if value is None and "." in path:
        held = (value_at(given, name) for name in INNER)
        value = next((there for each in held if (there := value_at(each, path)) is not None), None)
    return value


def value_at(given: Any, path: str) -> Any:
    """Return the value at a dotted path in an object; None if there is none."""
    for name in path.split("."):
        if isinstance(given, Mapping):
            given = given.get(name)
        elif given is None or isinstance(given, PLAIN):
            return None
        else:
            try:
                given = getattr(given, name, None)
            except Exception:
                # a property of a foreign object may raise anything
                return None
    return None if callable(given) else given


def refuse_missing_paths(rows: Rows, flats: Sequence[Flat], told: Mapping[str, str]) -> None:
    """Raise an error if the user named a path and a record has its first name, but no value at the path.

    Judgments without a single value there are accepted: the path is probably meant for the runs.
    """
    for field, name in told.items():
        first, dot, _ = name.partition(".")
        if not dot:
            continue
        begun = [row for row, record in enumerate(flats) if has_beginning(tuple(record), first)]
        lacking = [row for row in begun if flats[row].get(name) is None]
        if lacking and (rows.kind == "run" or len(lacking) < len(begun)):
            keys = list_names(list(flats[lacking[0]]), 12)
            what = f"no value at {quote(name)}, which you named for the {field}"
            raise rows.places[lacking[0]].fault(f"{what}; the keys are {keys}")


@lru_cache(maxsize=1000)
def has_beginning(names: tuple[str, ...], first: str) -> bool:
    """Return whether a path begins with this name, at the top or in the chunk that is held next to its score."""
    parts = (name.split(".")[:2] for name in names)
    return any(each[0] == first or (comparable_name(each[0]) in INNER and each[-1] == first) for each in parts)


@lru_cache(maxsize=1000)
def held_names(names: tuple[Any, ...]) -> tuple[bool, tuple[str, ...]]:
    """Return whether all names are strings, and which of them may hold values of the record.

    This is cached because most records have the same names.
    """
    texts = [name for name in names if type(name) is str]
    held = tuple(name for name in texts if comparable_name(name) in CONTAINERS)
    return len(texts) == len(names), tuple(sorted(held, key=lambda name: CONTAINERS.index(comparable_name(name))))


@lru_cache(maxsize=1000)
def paths_within(name: str, inner: tuple[str, ...]) -> tuple[str, ...]:
    """Return the paths of values inside a named container."""
    return tuple(f"{name}.{each}" for each in inner)


def names_within(names: Iterable[str], records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the names of all values inside the containers of a table; the records are read only if it has containers.

    If the first rows have strings there, all of them are strings, as in CSV.
    """
    containers = [name for name in names if comparable_name(name) in CONTAINERS]
    seen: set[tuple[str, ...]] = set()
    for row, record in enumerate(records if containers else ()):
        held = {name: value for name in containers if (value := record.get(name)) is not None}
        if row < SAMPLE:
            containers = [name for name in containers if not isinstance(held.get(name), str)]
            if not containers:
                return
        inner = flat(held)
        if (found := tuple(inner)) not in seen:
            seen.add(found)
            yield from (name for name in found if name not in held)


def is_container(value: Any, name: str) -> bool:
    """Return whether a value holds other values that belong to the record."""
    return (
        type(value) is dict
        or isinstance(value, Mapping)
        or (comparable_name(name) in INNER and is_record(value) and not attributes(value).keys().isdisjoint(KNOWN))
    )


def attributes(given: Any) -> dict[str, Any]:
    """Return the values of an object by name: its own attributes, and known names that its type defines."""
    if is_type_of_named_tuples(type(given)):  # type: ignore[arg-type]
        return dict(given._asdict())
    own = getattr(given, "__dict__", {})
    if (extra := getattr(given, "__pydantic_extra__", None)) and isinstance(extra, dict):
        own = {**own, **extra}
    public, of_type = attribute_names(type(given), tuple(own))  # type: ignore[arg-type]
    values = {name: value for name in public if not callable(value := own[name])}
    for name in of_type:
        try:
            value = getattr(given, name, None)
        except Exception:
            # a property of a foreign object may raise anything
            continue
        if value is not None and not callable(value):
            values[name] = value
    return values


@lru_cache(maxsize=1000)
def attribute_names(kind: type, own: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return an object's public attribute names, and the known names that its type defines besides them.

    A type with `__getattr__` may answer to any name, so all known names are asked for. But models of pydantic, which
    also have it, answer only to their own attributes, and to ask them is slow.
    """
    public = tuple(name for name in own if name in KNOWN or not name.startswith("_"))
    may_answer = hasattr(kind, "__getattr__") and not hasattr(kind, "__pydantic_fields__")
    of_type = KNOWN if may_answer else [name for name in dir(kind) if comparable_name(name) in KNOWN]
    return public, tuple(name for name in of_type if name not in own)


def is_scored(given: Any) -> TypeGuard[Sequence[Any]]:
    """Return whether an object is a pair of anything and its score."""
    if not isinstance(given, tuple | list) or len(given) != 2 or hasattr(given, "_asdict"):
        return False
    score = plain_value(given[1])
    # other questions take longer
    return type(score) in (float, int) or (isinstance(score, Real) and not isinstance(score, bool))


def bare(given: Any) -> Any:
    """Return an object without the score that is paired with it."""
    return given[0] if is_scored(given) else given


# --- flat records -> rows ------------------------------------------------------------------------------------------


class RecordReader:
    """Takes the values of the fields out of flat records, with one schema for the names of all of them."""

    def __init__(
        self,
        flats: Sequence[Flat],
        kind: FileKind,
        told: Mapping[str, str],
        collection: Any,
        known: Iterable[str] = (),
        whole: bool = False,
    ):
        names = dict.fromkeys(name for names in dict.fromkeys(map(tuple, flats)) for name in names)
        self.schema = schema_of(names, told)
        self.flats, self.collection, self.of_gold = flats, collection, kind == "judgments"
        schema = self.schema
        # if whole documents count, texts are not read, unless a text is needed for the end of a span
        is_unread = whole and (schema.column("start") is None or bool(schema.spans))
        self.text = None if is_unread else schema.text_by_values(self.has_words)
        self.known = set(known)
        # if the user named a text by its path, the offsets belong to the object's own text, not to this one
        of_another = "." in schema.chosen_by_user.get("text", "") and "start" not in schema.chosen_by_user
        self.has_place = schema.column("start") is not None and not of_another
        # rows may have their texts in different columns
        in_rows = [] if is_unread else schema.texts
        self.texts = list(dict.fromkeys(filter(None, [self.text, *in_rows])))
        self.documents = [name for name in schema.documents if name != self.text]
        # items of a list under a topic need no other value
        document = schema.fields.get("document", schema.record_id if self.known else None)
        if not self.has_place and not self.text and document is not None:
            others = (name for group in schema.candidates("document") for name in group)
            self.documents = [document, *others, *self.documents]
        if collection is None or not self.text:
            # only texts that are searched in documents try one name after the other; else take the best of each depth
            best: dict[int, str] = {}
            for name in self.documents:
                best.setdefault(usual_name(name)[0], name)
            self.documents = list(best.values())
        # ids that LlamaIndex and Haystack make up if the user gives none
        self.made_up = {name for name in self.documents if usual_name(name)[1] in ("ref_doc_id", "source_id")}
        # ids of the chunk itself, not of its document
        told_id = schema.chosen_by_user.get("chunk")
        self.own = [told_id] if told_id else [name for group in schema.among((*PART_IDS, *OWN_IDS)) for name in group]
        span = (*(schema.spans or ("start",)),) if self.has_place else ()
        fields = [name for name in (*VALUES[kind], *span, "topic") if name not in self.known]
        if not self.has_place and not self.text:
            fields = [name for name in fields if name not in ("bep", "document_length")]
        self.fields = {name: found for name in fields if (found := self.by_depth(name))}
        if kind == "judgments":
            self.fields |= {name: [column] for name, column in schema.assessed.items()}
        # the columns of a field, best first
        self.columns = [(what, name) for what, names in self.fields.items() for name in names]
        used = {name for _, name in self.columns} | {*self.documents, *self.texts}
        self.parents = [name for name in names if name.rpartition(".")[2] in PARENTS]
        self.levels = [name for name in names if name.rpartition(".")[2] == "__level"]
        self.unused = [name for name in names if name not in used]

    def by_depth(self, what: str) -> list[str]:
        """Return the columns of a field, the best of each depth: an inner value is used if the outer one is missing."""
        best: dict[int, list[str]] = {}
        for group in self.schema.candidates(what):
            # the scores of retrieved items in a list are not grades
            if what != "grade" or "score" not in self.known or usual_name(group[0])[1] != "score":
                best.setdefault(usual_name(group[0])[0], group)
        names = [name for group in best.values() for name in group]
        if what == "grade" and (self.text or self.has_place) and names and self.is_class(names[0]):
            return []
        return names

    def is_class(self, name: str) -> bool:
        """Return whether the labels of texts or spans are class names, not grades; empty ones are neither."""
        if usual_name(name)[1] not in CLASSES:
            return False
        given = (plain_value(each.get(name)) for each in self.flats)
        values = [value for value in given if not is_missing(value) and not is_blank(value)]
        # a span is highlighted or not, so a word such as "vital" is not a grade for it
        is_grade = is_number if self.has_place else lambda text: not refused_grade(text)
        return all(isinstance(each, str) and not is_grade(each.strip(BLANKS)) and not denies(each) for each in values)

    def has_words(self, name: str, words: int) -> bool:
        """Return whether half of the first values of a column have this many words, and none is the id of a document.

        If there are documents to compare with, two words are enough for a text.
        """
        words = 2 if self.collection is not None else words
        values = (value for each in self.flats if isinstance(value := each.get(name), str) and not is_blank(value))
        strings = list(islice(values, SAMPLE))
        return bool(strings) and are_texts(strings, self.collection, words)

    def refuse_equals(self, label: str, further: Sequence[str] = ()) -> None:
        """Raise an error if a field, or one of `further`, has two columns that are equally good."""
        # two columns of labels are refused even if neither has grades
        others = (("document", self.documents), ("grade", self.of_gold))
        fields = [*self.fields, *further, *(what for what, is_read in others if is_read)]
        self.schema.refuse_equals(fields, label, self.are_alike)

    def are_alike(self, names: list[str]) -> bool:
        """Return whether these columns never have different values in the same record."""
        return all(
            len({python_text(value).strip("'") for name in names if is_there(value := each.get(name))}) < 2
            for each in self.flats
        )

    def take(self, record: Flat) -> dict[str, Any]:
        """Return the values of a record by field."""
        values: dict[str, Any] = {}
        for what, name in self.columns:
            value = record.get(name)
            if value is None or what in values or (type(value) is float and value != value and what not in NUMBERS):
                continue
            if type(value) is not str or value.strip(BLANKS):
                values[what] = value
        for name in self.texts:
            text = record.get(name)
            if isinstance(text, str) or isinstance(text := text_of(text), str):
                if text:
                    values["text"] = text
                    break
                continue
            if not is_missing(plain_value(text)):
                values["text_fault"] = f"{name} {python_text(text)} is not a text; expected a string"
        named, documents = [], []
        for name in self.documents:
            value = record.get(name)
            if not is_missing(value) and (type(value) is not str or value.strip(BLANKS)):
                named.append(name)
                documents.append(value)
        if documents and type(documents[0]) is not str:
            documents = document_names(documents, named, "text" in values)
        if self.parents and is_in_parent(record, self.parents, self.levels):
            values["in_parent"] = True
            documents = without_parents(record, documents)
        if documents:
            values["document"] = documents[0]
            if self.made_up and self.made_up.issuperset(named):
                values["made_up"] = True
            if len(documents) > 1:
                values["documents"] = tuple(filter(None, map(id_of, documents)))
        if self.own:
            own = [value for name in self.own if (value := record.get(name)) is not None]
            if own and (ids := tuple(filter(None, map(id_of, own)))):
                values["own"] = ids
        return values


def record_of(given: Any) -> dict[str, Any]:
    """Return the values of one chunk by field; empty if it is not a record."""
    given = bare(given)
    record = flat(given) if is_record(given) else {}
    values = RecordReader([record], "run", NO_NAMES, None).take(record)
    # this converts the ids and numbers in place, and sets the end from the text
    id_fault(values)
    place_fault(values)
    return values


def document_names(values: list[Any], names: list[str], has_text: bool) -> list[Any]:
    """Return the values that may name a document.

    If there is a text to search for, lists and other objects inside metadata are ignored; at the top they are faults.
    """
    plain = map(plain_value, values)
    may_be_ignored = [has_text and usual_name(name)[0] > 0 for name in names]
    return [
        value
        for value, is_ignored in zip(plain, may_be_ignored, strict=True)
        if isinstance(value, str | Real) or not is_ignored
    ]


def text_of(value: Any) -> Any:
    """Return a text; if it comes as a list of parts, as from OpenAI's search, join them."""
    if not isinstance(value, list) or not value or not all(map(is_record, value)):
        return value
    texts = [flat(part).get("text") for part in value]
    return "".join(map(str, texts)) if all(isinstance(each, str) for each in texts) else None


def is_in_parent(record: Flat, parents: list[str], levels: list[str]) -> bool:
    """Return whether a chunk was cut from another chunk, so that its offsets count from there."""
    if not any(is_there(record.get(name)) for name in parents):
        return False
    level = next((record[name] for name in levels if isinstance(record.get(name), int)), 2)
    return level > 1


def without_parents(record: Flat, documents: list[Any]) -> list[Any]:
    """Return the names of the document of a chunk that was cut from another chunk.

    Its source id names that other chunk, unless LlamaIndex's `ref_doc_id` gives the document.
    """
    by_name = {name.rpartition(".")[2]: value for name, value in record.items()}
    if isinstance(by_name.get("ref_doc_id"), str):
        return documents
    return [each for each in documents if each not in (by_name.get("source_id"), by_name.get("__parent_id"))]


def are_texts(strings: list[str], collection: Any, words: int | None = None) -> bool:
    """Return whether strings are texts, not ids: at least half have this many words, and none is a document's id.

    By default a text has two words if there are documents to compare with, and many words if there are none.
    """
    least = words or (2 if collection is not None else MANY_WORDS)
    if 2 * sum(len(string.split()) >= least for string in strings) < len(strings):
        return False
    return collection is None or not any(collection.own_id(string) is not None for string in strings)


def quotations_in(record: Flat, schema: Schema) -> list[Flat]:
    """Return a judged record once for each quotation in its list; other records unchanged, in a list of one.

    `schema` is that of all records, because a value that a record lacks may be in others. A quotation may be a dict
    that also names a document. A question whose evidence is missing, or an empty list without a place beside it, gives
    no records; nor does one without a document among quotations that have neither grades nor places.
    """
    start = schema.column("start")
    has_place = start is not None and is_there(record.get(start))
    texts = [name for name in schema.texts if not is_missing(plain_value(record.get(name)))]
    if not texts and not has_place:
        # quotations with places of their own beside spans in other records
        own = schema_of([name for name, value in record.items() if is_there(value)], schema.told)
        texts = [name for name in own.texts if has_records(record[name])]
    if not texts:
        has_values = any(map(schema.column, ("start", "grade")))
        has_more = has_values or any(is_there(record.get(name)) for name in schema.documents)
        is_evidence = schema.text is not None and (comparable_name(schema.text) in EVIDENCE or not has_more)
        return [] if record and is_evidence and not has_place else [record]
    # an empty text is a fault, unless there is another one
    name = next((name for name in texts if is_there(record[name])), texts[0])
    if isinstance(record[name], str):
        return [record]
    quotes = record[name]
    quotes = quotes.tolist() if hasattr(quotes, "tolist") else quotes
    quotes = list(quotes) if isinstance(quotes, list | tuple) else [quotes]
    is_one_text = comparable_name(name) == "content" and not all(isinstance(each, str) for each in quotes)
    if is_one_text or not all(isinstance(each, str | Mapping) for each in quotes):
        return [record]
    rest = {other: value for other, value in record.items() if other != name}
    if not quotes and has_place:
        return [rest]
    return [{**rest, **flat(each)} if isinstance(each, Mapping) else {**record, name: each} for each in quotes]


def has_records(value: Any) -> bool:
    """Return whether a value is a list of records, such as quotations with their places."""
    values = value.tolist() if hasattr(value, "tolist") else value
    return isinstance(values, list | tuple) and any(isinstance(each, Mapping) for each in values)


def quotations_of(
    rows: Rows, records: Sequence[Flat], told: Mapping[str, str], place: Callable[[int], Place], topics: Sequence[Any]
) -> Iterator[tuple[int, Flat]]:
    """Yield each record of judgments once for each of its quotations, with its index.

    Questions without an answer, and those without gold, are added to the rows. `topics` is empty if the records name
    their topics; `place` returns where a record is.
    """
    schema = schema_of(dict.fromkeys(chain.from_iterable(dict.fromkeys(map(tuple, records)))), told)
    for at, record in enumerate(records):
        parts = quotations_in(record, schema)
        is_answerable = NO_ANSWER.keys().isdisjoint(record) or not says_no_answer(record, place(at))
        if parts and is_answerable:
            yield from ((at, part) for part in parts)
            continue
        taken = [RecordReader([part], "judgments", told, None).take(part) for part in parts or [record]]
        named = topics[at] if topics else next((each["topic"] for each in taken if "topic" in each), None)
        topic, what = plain_id(named, "topic")
        if what or topic is None:
            raise place(at).fault(what or "topic is missing")
        if is_answerable:
            if schema.text and (name := misspelled_name(record, schema.text)):
                what = f"{schema.text} is missing, but there is a value under {shorten(name)}"
                raise place(at).fault(f"{what}; did you mean {schema.text}?")
            rows.empty_topics.append(topic)
            continue
        if any(each.keys() & {"text", "start", "document"} for each in taken):
            what = f"question {quote(topic)} is marked as having no answer, but has evidence"
            raise place(at).fault(f"{what}; remove one of these")
        rows.unanswerable.append(topic)


def misspelled_name(record: Flat, right: str) -> str | None:
    """Return the name of a value that looks like a misspelling of another name; None if there is none."""
    from difflib import get_close_matches

    others = ((name, value) for name, value in record.items() if name != right and is_there(value))
    there = [name for name, value in others if not (is_missing(value) or is_empty(value))]
    near = get_close_matches(right, there, 1, ALIKE)
    return near[0] if near else None


def says_no_answer(record: Flat, place: Place) -> bool:
    """Return whether a record of gold says that its question has no answer."""
    for name, value in NO_ANSWER.items():
        told = plain_value(record.get(name))
        if is_missing(told) or is_blank(told):
            continue
        word = str(told).strip(BLANKS).lower()
        if word not in TRUTHS:
            raise place.fault(f"{name} is {quote(str(told))}; expected true or false")
        if TRUTHS[word] == value:
            return True
    return False


def refuse_two_answers(rows: Rows) -> None:
    """Raise an error if a question is marked as having no answer, but other rows have evidence for it."""
    judged = {id_of(record.get("topic")) for record in rows.records} if rows.unanswerable else set()
    if both := next((topic for topic in rows.unanswerable if topic in judged), None):
        what = f"question {quote(both)} is marked as having no answer, but has evidence in other rows"
        raise InputError(f"{what}; remove one of these", rows.label)


def rows_of_records(
    numbered: Iterable[tuple[int, Any]],
    kind: FileKind,
    label: str,
    noun: str = "record",
    collection: Any = None,
    told: Mapping[str, str] = NO_NAMES,
    whole: bool = False,
) -> Rows:
    """Return Rows from records that name their topic, each with its number or line; `whole`: texts are not read."""
    rows = Rows(kind, label, noun)
    numbers: list[int] = []
    flats: list[Flat] = []
    are_tuples = False
    for number, each in numbered:
        # most records are dicts, and other questions take longer
        is_dict = type(each) is dict
        record = each if is_dict or not isinstance(each, tuple | list) else record_in_tuple(each, kind, number, rows)
        is_object = not is_dict and not isinstance(record, Mapping)
        each_flat = flat_as_told(record, told) if is_record(record) else {}
        if is_object and not each_flat:
            value = "score" if kind == "run" else "grade"
            what = f"expected topic, document and {value}, found {python_text(each)}"
            raise Place(label, number, noun).fault(what)
        if numbers and (record is each) is are_tuples:
            what = f"found {python_text(each)} after {noun}s of another kind"
            raise Place(label, number, noun).fault(f"{what}; write all of them as dicts, or all as tuples")
        are_tuples = record is not each
        numbers.append(number)
        flats.append(each_flat)
    if kind == "judgments":
        parts = list(quotations_of(rows, flats, told, lambda at: Place(label, numbers[at], noun), []))
        numbers, flats = [numbers[at] for at, _ in parts], [part for _, part in parts]
    reader, rows.records = read_flat(flats, kind, told, collection, whole)
    reader.refuse_equals(label)
    rows.schema, rows.given, rows.numbers = reader.schema, flats, numbers
    refuse_missing_paths(rows, flats, told)
    refuse_two_answers(rows)
    rows.without_gold(rows.empty_topics)
    return rows


def read_flat(
    flats: Sequence[Flat],
    kind: FileKind,
    told: Mapping[str, str],
    collection: Any,
    whole: bool,
    listed: Sequence[Mapping[str, Any]] | None = None,
) -> tuple[RecordReader, list[dict[str, Any]]]:
    """Return the reader of flat records, and their values by field; `listed` are the values that their lists tell.

    If `whole`, texts are not read, unless a text is all that tells a document.
    """
    ordered = () if listed is None else ("topic", "rank") if kind == "judgments" else ("topic", "score", "rank")

    def read(whole: bool) -> tuple[RecordReader, list[dict[str, Any]]]:
        reader = RecordReader(flats, kind, told, collection, ordered, whole)
        taken = list(map(reader.take, flats))
        if listed is None:
            return reader, taken
        return reader, [{**record, **values} for record, values in zip(taken, listed, strict=True)]

    reader, records = read(whole)
    # without documents, a list of nothing but texts is refused for that, and not for a missing id
    may_search = collection is not None or (listed is not None and "document" not in reader.schema.fields)
    if whole and may_search and not all("document" in record for record in records):
        return read(whole=False)
    return reader, records


def record_in_tuple(given: Sequence[Any], kind: FileKind, number: int, rows: Rows) -> Any:
    """Return a tuple as a record, by the order of its values."""
    if hasattr(given, "_asdict"):
        return given
    value = "score" if kind == "run" else "grade"
    if len(given) == 3:
        return dict(zip(("topic", "document", value), given, strict=True))
    if len(given) == len(RECORDS[kind]):
        return dict(zip(RECORDS[kind], given, strict=True))
    what = f"expected topic, document and {value}, found {python_text(given)}"
    raise Place(rows.label, number, rows.noun).fault(what)
