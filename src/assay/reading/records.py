"""What is in memory -> Rows: results by topic, records, objects of frameworks and vector databases.

No framework is imported. LangChain's Document, LlamaIndex's nodes, Haystack's Document, Chonkie's Chunk, hits of vector
databases, named tuples, dataclasses and dicts differ in the names of a few values, which are in the object, in its
metadata, or in an object that it holds: `flat` brings them side by side, and the schema knows the names.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice, pairwise
from numbers import Real
from typing import Any, TypeGuard

import numpy as np

from assay.errors import InputError, count_noun, list_names, quote
from assay.reading.cells import plain_id, python_text, whole_fault, wrong_score
from assay.reading.lines import WHOLE, refused_grade
from assay.reading.numbers import is_number
from assay.reading.rows import OBJECTS, Rows, record_faults
from assay.reading.schema import MANY_WORDS, Schema, comparable_name, usual_name
from assay.reading.values import BLANKS, PLAIN, is_blank, is_empty, is_name, plain_value
from assay.tables.column_names import (
    ASKED,
    DOCUMENT_ALONE,
    EVIDENCE,
    FACT_FIELDS,
    INNER,
    LABEL_FIELDS,
    LISTS,
    LOG_IDS,
    LOG_NAMES,
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

# The names that a type may have a value under for its objects; no others are asked for.
CONTAINERS = (*METADATA, *INNER)
KNOWN = tuple(dict.fromkeys(chain(
    (name for groups in (*NAMES.values(), DOCUMENT_ALONE) for group in groups for name in group),
    EVIDENCE, CONTAINERS, PARENTS, LISTS, ASKED, NO_ANSWER, *LOG_TEXTS.values(), *LOG_IDS.values(),
)))  # fmt: skip
# What may be the words of a question.
QUESTIONS = ("query", "question", "user_input")
# Under what a judged item has the error that is raised unless it is a text: a number beside a document may be a grade.
IF_NO_TEXT = "if no text"
# What may order results.
ORDERS = ("score", "similarity", "sim", "rank")
NOTHING_TOLD: Mapping[str, str] = {}
# What may be written for true and for false.
TRUTHS = {"true": True, "yes": True, "1": True, "1.0": True, "false": False, "no": False, "0": False, "0.0": False}
# So many values are looked at to tell texts from ids.
SAMPLE = 20
# Fields that are taken over as they are.
VALUES: dict[FileKind, tuple[str, ...]] = {
    "run": ("score", "rank"),
    "judgments": ("grade", "bep", "document_length", *LABEL_FIELDS, *FACT_FIELDS, *SUBTOPIC_FIELDS, "stratum"),
}
# What a log has of each question.
EITHER: dict[FileKind, str] = {"run": "retrieved", "judgments": "expected"}
EXPECTED = {
    "run": "expected a list of chunks, best first",
    "judgments": "expected a list of chunks or quotes",
}
# What stands in a list of results or of judged spans.
LISTED = {
    "run": "(document, start, end), best first, or (document, start, end, score)",
    "judgments": "(document, start, end)",
}
RECORDS = {"run": ("topic", "document", "start", "end", "score"), "judgments": ("topic", "document", "start", "end")}

Flat = Mapping[str, Any]


# --- objects -------------------------------------------------------------------------------------------------------


def is_record(given: Any) -> bool:
    """Whether something may have values under names: a dict or an object, but no text, number, list or plain tuple."""
    if type(given) is dict:
        return True
    if given is None or isinstance(given, str | bytes | int | float | list | set | frozenset):
        return False
    if isinstance(given, tuple):
        return hasattr(given, "_asdict")
    return isinstance(given, Mapping) or not isinstance(given, Real)


def flat(given: Any) -> Flat:
    """The values of a record by their names, and those that it holds by their paths, as `metadata.source`."""
    if type(given) is not dict and not isinstance(given, Mapping):
        given = attributes(given)
    are_texts, containers = held_names(tuple(given))
    held = [name for name in containers if type(given[name]) is dict or is_container(given[name], name)]
    if not held:
        return given if are_texts else {name: value for name, value in given.items() if isinstance(name, str)}
    values = {name: value for name, value in given.items() if name not in held and isinstance(name, str)}
    for name in held:
        inner = flat(given[name])
        values.update(zip(paths_within(name, tuple(inner)), inner.values(), strict=True))
    return values


def flat_as_told(given: Any, told: Mapping[str, str]) -> Flat:
    """The same, and under each name that a user tells what is there, wherever that path leads: `metadata.window`."""
    record = flat(given)
    for name in told.values():
        if name not in record and (value := value_at_path(given, name)) is not None:
            record = {**record, name: value}
    return record


def value_at_path(given: Any, path: str) -> Any:
    """What an object has at a path of names between dots, itself or in what it holds beside a score; None if nothing.
    """
    if isinstance(given, Mapping) and path in given:
        return given[path]
    value = value_at(given, path)
    if value is None and "." in path:
        held = (value_at(given, name) for name in INNER)
        value = next((there for each in held if (there := value_at(each, path)) is not None), None)
    return value


def value_at(given: Any, path: str) -> Any:
    """What an object has at a path of names between dots; None if nothing."""
    for name in path.split("."):
        if isinstance(given, Mapping):
            given = given.get(name)
        elif given is None or isinstance(given, PLAIN):
            return None
        else:
            try:
                given = getattr(given, name, None)
            except Exception:
                # a property of another's object may fail as it likes
                return None
    return None if callable(given) else given


def refuse_missing_paths(rows: Rows, flats: Sequence[Flat], told: Mapping[str, str]) -> None:
    """Where a user tells a path, every record that has its beginning must have a value there.

    Judgments of which none has one are not what the user tells of.
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
    """Whether some paths begin with a name, themselves or in what holds a chunk beside its score."""
    parts = (name.split(".")[:2] for name in names)
    return any(each[0] == first or (comparable_name(each[0]) in INNER and each[-1] == first) for each in parts)


@lru_cache(maxsize=1000)
def held_names(names: tuple[Any, ...]) -> tuple[bool, tuple[str, ...]]:
    """Whether all names are texts, and which may hold values of a record. Most records have the names of another."""
    texts = [name for name in names if type(name) is str]
    held = tuple(name for name in texts if comparable_name(name) in CONTAINERS)
    return len(texts) == len(names), tuple(sorted(held, key=lambda name: CONTAINERS.index(comparable_name(name))))


@lru_cache(maxsize=1000)
def paths_within(name: str, inner: tuple[str, ...]) -> tuple[str, ...]:
    """The names of values within something that has a name."""
    return tuple(f"{name}.{each}" for each in inner)


def is_container(value: Any, name: str) -> bool:
    """Whether a value holds others that belong to the record."""
    return (
        type(value) is dict
        or isinstance(value, Mapping)
        or (comparable_name(name) in INNER and is_record(value) and not attributes(value).keys().isdisjoint(KNOWN))
    )


def attributes(given: Any) -> dict[str, Any]:
    """The values of an object by name: its own, and those with known names that its type has."""
    if hasattr(given, "_asdict"):
        return dict(given._asdict())
    own = getattr(given, "__dict__", {})
    public, of_type = attribute_names(type(given), tuple(own))  # type: ignore[arg-type]
    values = {name: value for name in public if not callable(value := own[name])}
    for name in of_type:
        try:
            value = getattr(given, name, None)
        except Exception:
            # a property of another's object may fail as it likes
            continue
        if value is not None and not callable(value):
            values[name] = value
    return values


@lru_cache(maxsize=1000)
def attribute_names(kind: type, own: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which of an object's own names are for others, and the known names that its type has beside them; all of these
    where it answers to any.
    """
    public = tuple(name for name in own if name in KNOWN or not name.startswith("_"))
    of_type = KNOWN if hasattr(kind, "__getattr__") else [name for name in dir(kind) if comparable_name(name) in KNOWN]
    return public, tuple(name for name in of_type if name not in own)


def is_scored(given: Any) -> TypeGuard[Sequence[Any]]:
    """Whether an object is a pair of something and its score."""
    is_pair = isinstance(given, tuple | list) and len(given) == 2 and not hasattr(given, "_asdict")
    return is_pair and isinstance(score := plain_value(given[1]), Real) and not isinstance(score, bool)


def is_scored_id(given: Any) -> bool:
    """Whether an object is a pair of an id, or of a text, and its score."""
    return is_scored(given) and isinstance(plain_value(given[0]), str | int)


def bare(given: Any) -> Any:
    """An object without the score that stands beside it."""
    return given[0] if is_scored(given) else given


def is_chunk(given: Any, topic: Any) -> bool:
    """Whether an object is a chunk or another part of a document, and no record of a whole run.

    A record that tells a topic is one of a run, unless that is the topic under which it stands.
    """
    given = bare(given)
    if isinstance(given, str):
        return True
    if not is_record(given):
        return False
    record = flat(given)
    if is_named_log(record, "run"):
        return False
    column = Schema(list(record)).column("topic")
    return column is None or record[column] is None or str(record[column]) == str(topic)


def first_object(chunks: Sequence[Any]) -> Any:
    """The first of some results that is no text or id, as texts and objects may stand in one list; else the first."""
    return next((each for each in chunks if not isinstance(plain_value(each), str | int)), chunks[0])


def are_queries(lists: Mapping[Any, Sequence[Any]]) -> bool:
    """Whether chunks tell the question of the topic under which they stand: one for each list, in words, or each
    another.
    """
    asked: list[str] = []
    for chunks in lists.values():
        records = [flat(bare(each)) if is_record(bare(each)) else {} for each in chunks]
        columns = [Schema(list(record)).column("topic") for record in records]
        if any(column is None or usual_name(column)[1] not in QUESTIONS for column in columns):
            return False
        topics = {str(record[column]) for record, column in zip(records, columns, strict=True) if column}
        if len(topics) != 1:
            return False
        asked += topics
    are_words = all(len(question.split()) > 1 for question in asked)
    return are_words or (len(asked) > 1 and len(set(asked)) == len(asked))


# --- flat records -> rows ------------------------------------------------------------------------------------------


class Taker:
    """Takes the values of the fields out of flat records, by the names that all of them have together."""

    def __init__(
        self,
        flats: Sequence[Flat],
        kind: FileKind,
        told: Mapping[str, str],
        collection: Any,
        known: Iterable[str] = (),
        of_objects: bool = False,
        whole: bool = False,
    ):
        names = dict.fromkeys(name for names in dict.fromkeys(map(tuple, flats)) for name in names)
        self.schema = Schema(list(names), told, of_objects)
        self.flats, self.collection = flats, collection
        self.text = None if whole else self.schema.text_by_values(self.has_words)
        self.known = set(known)
        schema = self.schema
        # offsets are those of the text that is searched, and not of another that the user names by its path
        of_another = "." in schema.chosen_by_user.get("text", "") and "start" not in schema.chosen_by_user
        self.has_place = schema.column("start") is not None and not of_another
        # a text column may hold the text of one row and the parts of another
        others = [] if whole else [name for group in schema.candidates("text") for name in group]
        self.texts = list(dict.fromkeys(filter(None, [self.text, *others])))
        self.documents = [name for name in schema.documents if name != self.text]
        if not self.has_place and not self.text and "document" in schema.fields:
            self.documents = [schema.fields["document"]]
        elif not of_objects and (collection is None or not self.text):
            # nobody looks up one name after the other
            self.documents = list({usual_name(name)[0]: name for name in reversed(self.documents)}.values())[::-1]
        # ids that LlamaIndex and Haystack make up where they are given none
        self.made_up = {name for name in self.documents if usual_name(name)[1] in ("ref_doc_id", "source_id")}
        # ids of the chunk itself
        told_id = schema.chosen_by_user.get("chunk")
        self.own = [told_id] if told_id else [name for group in schema.among((*PART_IDS, *OWN_IDS)) for name in group]
        fields = [*VALUES[kind], *(("start", "end", "length") if self.has_place else ()), "topic"]
        self.fields = {name: found for name in fields if name not in self.known and (found := self.by_depth(name))}
        if kind == "judgments":
            self.fields |= {name: [column] for name, column in schema.assessed.items()}
        used = {name for names in self.fields.values() for name in names} | {*self.documents, *self.texts}
        self.parents = [name for name in names if name.rpartition(".")[2] in PARENTS]
        self.levels = [name for name in names if name.rpartition(".")[2] == "__level"]
        self.unused = [name for name in names if name not in used]

    def by_depth(self, what: str) -> list[str]:
        """The columns of a field, the best one of each depth: an inner value counts where an outer one is missing."""
        best: dict[int, list[str]] = {}
        for group in self.schema.candidates(what):
            # the scores of a list are no grades
            if what != "grade" or "score" not in self.known or usual_name(group[0])[1] != "score":
                best.setdefault(usual_name(group[0])[0], group)
        names = [name for group in best.values() for name in group]
        if what == "grade" and (self.text or self.has_place) and names and self.is_class(names[0]):
            return []
        return names

    def is_class(self, name: str) -> bool:
        """Whether the labels of texts and spans are no grades but words for something."""
        if usual_name(name)[1] not in ("label", "judgment"):
            return False
        values = [value for each in self.flats if (value := each.get(name)) is not None]
        # a span is highlighted or not, and has no grade in words
        is_grade = is_number if self.has_place else lambda text: not refused_grade(text)
        return all(isinstance(value, str) and not is_grade(value.strip()) for value in values)

    def has_words(self, name: str, words: int) -> bool:
        """Whether half of the first values of a column have so many words, and none is the id of a document.

        Where there are documents to ask, two words are a text.
        """
        words = 2 if self.collection is not None else words
        values = (value for each in self.flats if isinstance(value := each.get(name), str))
        strings = list(islice(values, SAMPLE))
        return bool(strings) and are_texts(strings, self.collection, words)

    def refuse_equals(self, label: str, further: Sequence[str] = ()) -> None:
        """No field, nor any of some further ones, may have two columns that are equally good."""
        fields = [name for name in self.fields if name != "length" or "end" not in self.fields]
        documents = ["document"] if self.documents else []
        self.schema.refuse_equals([*fields, *further, *documents], label, self.are_alike)

    def are_alike(self, names: list[str]) -> bool:
        """Whether some columns have the same values wherever they have any."""
        return all(
            len({python_text(value).strip("'") for name in names if is_there(value := each.get(name))}) < 2
            for each in self.flats
        )

    def take(self, record: Flat) -> dict[str, Any]:
        """The values of a record by field."""
        values: dict[str, Any] = {}
        for what, names in self.fields.items():
            for name in names:
                if (value := record.get(name)) is not None and (type(value) is not str or value.strip(BLANKS)):
                    values[what] = value
                    break
        for name in self.texts:
            text = record.get(name)
            if isinstance(text, str) or isinstance(text := text_of(text), str):
                if text:
                    values["text"] = text
                break
            if text is not None:
                values["text_fault"] = f"{name} {python_text(text)} is not a text; expected a string"
        named, documents = [], []
        for name in self.documents:
            value = record.get(name)
            if value is not None and (type(value) is not str or value.strip(BLANKS)):
                named.append(name)
                documents.append(value)
        if documents and type(documents[0]) is not str:
            documents = document_names(documents, "text" in values)
        if self.parents and is_in_parent(record, self.parents, self.levels):
            values["in_parent"] = True
            documents = without_parents(record, documents)
        if documents:
            values["document"] = documents[0]
            if self.made_up and self.made_up.issuperset(named):
                values["made_up"] = True
            if len(documents) > 1:
                values["documents"] = tuple([str(each) for each in documents if is_name(each)])
        if self.own:
            own = [value for name in self.own if (value := record.get(name)) is not None]
            if own and (ids := tuple([str(value) for value in map(plain_value, own) if is_name(value)])):
                values["own"] = ids
        return values


def record_of(given: Any) -> dict[str, Any]:
    """What one chunk tells, by field; nothing where it is no record."""
    given = bare(given)
    record = flat(given) if is_record(given) else {}
    values = Taker([record], "run", NOTHING_TOLD, None, of_objects=True).take(record)
    # its numbers are read, and its end is told by the text
    list(record_faults(values))
    return values


def document_names(values: list[Any], has_text: bool) -> list[Any]:
    """What may be names of a document; beside a text, which can be found, nothing else."""
    plain = list(map(plain_value, values))
    return [value for value in plain if not has_text or isinstance(value, str | Real)]


def is_there(value: Any) -> bool:
    """Whether a value is not missing."""
    return value is not None and not is_blank(value)


def text_of(value: Any) -> Any:
    """A text; one that comes in parts, as OpenAI's search returns it, as one."""
    if not isinstance(value, list) or not value or not all(map(is_record, value)):
        return value
    texts = [flat(part).get("text") for part in value]
    return "".join(map(str, texts)) if all(isinstance(each, str) for each in texts) else None


def is_in_parent(record: Flat, parents: list[str], levels: list[str]) -> bool:
    """Whether a chunk was cut from another chunk, and its offsets count from there."""
    if all(record.get(name) is None for name in parents):
        return False
    level = next((record[name] for name in levels if isinstance(record.get(name), int)), 2)
    return level > 1


def without_parents(record: Flat, documents: list[Any]) -> list[Any]:
    """The names of the document of a chunk of a chunk: its source is that chunk, unless a framework says otherwise."""
    by_name = {name.rpartition(".")[2]: value for name, value in record.items()}
    if isinstance(by_name.get("ref_doc_id"), str):
        return documents
    return [each for each in documents if each not in (by_name.get("source_id"), by_name.get("__parent_id"))]


def are_texts(strings: list[str], collection: Any, words: int | None = None) -> bool:
    """Whether strings are texts and not ids: half of them or more have so many words, and none is a document's id.

    Without documents to ask, a text has many words.
    """
    least = words or (2 if collection is not None else MANY_WORDS)
    if 2 * sum(len(string.split()) >= least for string in strings) < len(strings):
        return False
    return collection is None or not any(collection.own_id(string) is not None for string in strings)


def refuse_quotations_as_ids(strings: list[str], collection: Any, label: str) -> None:
    """Single words that are judged must not be words of the documents, if none of them is the id of a document."""
    if not all(strings) or any(collection.own_id(string) is not None for string in strings):
        return
    words = {string: re.compile(rf"\b{re.escape(string)}\b") for string in strings}
    places: dict[str, str] = {}
    for document, text in collection.readable_texts({}):
        places |= {word: document for word in words.keys() - places.keys() if words[word].search(text)}
        if len(places) == len(words):
            where = f"the text of {places[strings[0]]}"
            what = f"{quote(strings[0])} is not a document in {collection.label}, but occurs in {where}"
            raise InputError(f'{what}; write quotes as {{"quote": {json.dumps(strings[0])}}}', label)


@lru_cache(maxsize=1000)
def text_name(names: tuple[str, ...], told: tuple[tuple[str, str], ...]) -> str | None:
    """Which of some names has the text."""
    return Schema(list(names), dict(told)).text


def quotations_in(record: Flat, told: Mapping[str, str]) -> list[Flat]:
    """A record of judgments once for each quotation that it has; others as they are.

    Quotations may be dicts that tell a document too. A question without evidence has none of it.
    """
    name = text_name(tuple(record), tuple(told.items()))
    if name is None or isinstance(record[name], str):
        return [record]
    quotes = record[name]
    if quotes is None:
        return [] if comparable_name(name) in EVIDENCE else [record]
    quotes = quotes.tolist() if hasattr(quotes, "tolist") else quotes
    quotes = list(quotes) if isinstance(quotes, list | tuple) else [quotes]
    is_one_text = comparable_name(name) == "content" and not all(isinstance(each, str) for each in quotes)
    if is_one_text or not all(isinstance(each, str | Mapping) for each in quotes):
        return [record]
    rest = {other: value for other, value in record.items() if other != name}
    return [{**rest, **(flat(each) if isinstance(each, Mapping) else {name: each})} for each in quotes]


def says_no_answer(record: Flat, place: Place) -> bool:
    """Whether a record of gold says that its question has no answer."""
    for name, value in NO_ANSWER.items():
        told = plain_value(record.get(name)) if name in record else None
        if not is_there(told):
            continue
        word = str(told).strip().lower()
        if word not in TRUTHS:
            raise place.fault(f"{name} is {quote(str(told))}; expected true or false")
        if TRUTHS[word] == value:
            return True
    return False


def unanswerable_topic(record: Flat, told: Mapping[str, str], place: Place, topic: Any = None) -> str:
    """The topic of a record that says that its question has no answer; it must have no evidence."""
    parts = quotations_in(record, told) or [record]
    taken = [Taker([part], "judgments", told, None).take(part) for part in parts]
    topic = next((each["topic"] for each in taken if "topic" in each), None) if topic is None else topic
    if not is_name(plain_value(topic)):
        raise place.fault("topic is missing")
    if any(each.keys() & {"text", "start", "document"} for each in taken):
        what = f"question {quote(str(topic))} is marked as having no answer, but has evidence"
        raise place.fault(f"{what}; remove one of these")
    return str(topic)


def refuse_two_answers(rows: Rows) -> None:
    """A question that has no answer must have no evidence in other rows."""
    judged = {str(record.get("topic")) for record in rows.records} if rows.unanswerable else set()
    if both := next((topic for topic in rows.unanswerable if topic in judged), None):
        what = f"question {quote(both)} is marked as having no answer, but has evidence in other rows"
        raise InputError(f"{what}; remove one of these", rows.label)


def rows_of_records(
    numbered: Iterable[tuple[int, Any]],
    kind: FileKind,
    label: str,
    noun: str = "record",
    collection: Any = None,
    told: Mapping[str, str] = NOTHING_TOLD,
    whole: bool = False,
) -> Rows:
    """Rows from records that name their topic, each with its number or its line; `whole`: texts are not looked at."""
    rows = Rows(kind, label, noun)
    numbers, flats, of_objects, topics = [], [], False, []
    for number, each in numbered:
        record = record_in_tuple(each, kind, number, rows) if isinstance(each, tuple | list) else each
        is_object = not isinstance(record, Mapping)
        each_flat = flat_as_told(record, told) if is_record(record) else {}
        if is_object and not each_flat:
            value = "score" if kind == "run" else "grade"
            what = f"expected topic, document and {value}, found {python_text(each)}"
            raise Place(label, number, noun).fault(what)
        of_objects = of_objects or is_object
        if kind == "judgments" and not NO_ANSWER.keys().isdisjoint(each_flat):
            place = Place(label, number, noun)
            if says_no_answer(each_flat, place):
                rows.unanswerable.append(unanswerable_topic(each_flat, told, place))
                continue
        parts = quotations_in(each_flat, told) if kind == "judgments" else [each_flat]
        topics.append(each_flat if not parts else None)
        numbers += [number] * len(parts)
        flats += parts
    taker = Taker(flats, kind, told, collection, of_objects=of_objects, whole=whole)
    taker.refuse_equals(label)
    rows.schema, rows.given = taker.schema, flats
    rows.records, rows.numbers = list(map(taker.take, flats)), numbers
    refuse_missing_paths(rows, flats, told)
    refuse_two_answers(rows)
    lacking = [each for each in topics if each is not None]
    if lacking:
        names = Taker(lacking, kind, told, None)
        rows.without_gold(str(names.take(each).get("topic")) for each in lacking)
    return rows


def record_in_tuple(given: Sequence[Any], kind: FileKind, number: int, rows: Rows) -> Any:
    """A tuple with its values in order as a record."""
    if hasattr(given, "_asdict"):
        return given
    value = "score" if kind == "run" else "grade"
    if len(given) == 3:
        return dict(zip(("topic", "document", value), given, strict=True))
    if len(given) == len(RECORDS[kind]):
        return dict(zip(RECORDS[kind], given, strict=True))
    what = f"expected topic, document and {value}, found {python_text(given)}"
    raise Place(rows.label, number, rows.noun).fault(what)


# --- results by topic -> rows --------------------------------------------------------------------------------------


def rows_by_topic(
    given: Mapping[Any, Any],
    kind: FileKind,
    label: str,
    collection: Any = None,
    told: Mapping[str, str] = NOTHING_TOLD,
) -> Rows:
    """Rows from a dict: {topic: [results, best first]}, {topic: {document: score}}, and what judgments have there.

    A list of results under a topic is a ranking, whatever scores its items carry.
    """
    refuse_same_topics(given, label)
    for topic in given:
        value, what = plain_id(topic, "topic")
        if what or value is None:
            raise InputError(what or "topic is missing", label)
    rows = Rows(kind, label, OBJECTS[kind], by_topic=True)
    items = [(topic, *item) for topic, results in given.items() for item in items_of(topic, results, kind, label)]
    strings = [item[2] for item in islice((item for item in items if isinstance(item[2], str)), SAMPLE)]
    are_of_text = bool(strings) and are_texts(strings, collection)
    if strings and not are_of_text and kind == "judgments" and collection is not None:
        refuse_quotations_as_ids(strings, collection, label)
    flats: list[Flat] = []
    fixed: list[dict[str, Any]] = []
    numbers: list[int] = []
    of_objects, are_records = False, True
    for topic, place, item, values in items:
        if (what := values.pop(IF_NO_TEXT, None)) and not (are_of_text and isinstance(item, str)):
            raise InputError(what, label)
        if isinstance(item, str) and are_of_text:
            # the order of texts is that of the list
            parts: list[Flat] = [{"text": item}]
            values = {"score": 1 - place} if kind == "run" else values
        elif is_record(item):
            parts = records_in(item, topic, place, rows, told)
            if kind == "judgments" and not NO_ANSWER.keys().isdisjoint(parts[0] if parts else ()):
                at = Place(label, key=f"topic {topic}, {rows.noun} {place}")
                if says_no_answer(parts[0], at):
                    rows.unanswerable.append(unanswerable_topic(parts[0], told, at, topic))
                    continue
            of_objects = of_objects or not isinstance(item, Mapping)
        else:
            parts, values = [NOTHING_TOLD], {**values, "document": item}
        are_records = are_records and bool(parts and parts[0]) and not isinstance(item, str)
        flats += parts
        numbers += [place] * len(parts)
        fixed += [{"topic": topic, **values}] * len(parts)
    # the scores of objects that are judged are those with which they were found
    known = ("topic", "rank") if kind == "judgments" and not of_objects else ("topic", "score", "rank")
    taker = Taker(flats, kind, told, collection, known=known, of_objects=of_objects)
    taker.refuse_equals(label, ("score", "rank") if kind == "run" else ())
    rows.schema, rows.unused, rows.given = taker.schema, taker.unused, flats
    taken = map(taker.take, flats)
    rows.records = [{**record, **values} for record, values in zip(taken, fixed, strict=True)]
    rows.numbers = numbers
    refuse_missing_paths(rows, flats, told)
    refuse_two_answers(rows)
    rows.empty_topics = [str(topic) for topic, results in given.items() if is_empty(results)]
    if kind == "judgments":
        if not are_records:
            with_grades(rows)
        rows.without_gold(rows.empty_topics)
    else:
        scored = [each for each in given.values() if isinstance(each, list | tuple) and any(map(is_scored, each))]
        if are_of_text or scored or any(usual_name(name)[1] in ("score", "rank") for name in taker.schema.names):
            rows.notes += order_notes(given, label, are_of_text)
    return rows


def records_in(item: Any, topic: Any, place: int, rows: Rows, told: Mapping[str, str]) -> list[Flat]:
    """What a result of a topic tells; a judged one once for each of its quotations."""
    record = flat_as_told(item, told)
    if not record and not isinstance(item, Mapping):
        what = f"topic {topic}, {rows.noun} {place} is {python_text(item)}; {EXPECTED[rows.kind]}"
        raise InputError(what, rows.label)
    if rows.kind == "judgments":
        return quotations_in(record, told)
    refuse_no_order(record, topic, place, rows)
    return [record]


def refuse_same_topics(topics: Iterable[Any], label: str) -> None:
    """Keys of a dict must be different topics, which 1 and "1" are not."""
    topics = list(topics)
    texts = {topic for topic in topics if isinstance(topic, str)}
    # numbers with more digits are refused as ids
    numbers = [topic for topic in topics if isinstance(topic, int | np.integer) and abs(int(topic)) < WHOLE]
    if same := next((number for number in numbers if str(number) in texts), None):
        what = f"topics {same} (a number) and '{same}' (a string) are the same topic"
        raise InputError(f"{what}; expected it once", label)


def refuse_infinite(score: Any, where: str, label: str) -> None:
    """A score is a finite number, though the order of a list tells the ranking: another one is a mistake."""
    score = plain_value(score)
    if isinstance(score, float) and not math.isfinite(score):
        raise InputError(f"{where}: score {quote(str(score))} is not a finite number", label)


def told_number(value: Any) -> Any:
    """A number where a text tells one, as it does in a file whose values are all texts."""
    if not isinstance(value, str) or not is_number(value.strip()):
        return value
    number = float(value)
    return int(number) if number.is_integer() else number


def refuse_no_order(record: Flat, topic: Any, place: int, rows: Rows) -> None:
    """The score of a result, or else its rank, is a number, though the order of its list tells the ranking."""
    told = [(usual, plain_value(record[name])) for name, usual in order_names(tuple(record))]
    there = [(usual, value) for usual, value in told if is_there(value)]
    has_score = any(usual != "rank" for usual, _ in there)
    for usual, value in there:
        if usual == "rank" and has_score and isinstance(value, str | Real) and not isinstance(value, bool):
            # beside a score nobody asks for it
            continue
        what = whole_fault("rank", value) if usual == "rank" else wrong_score(told_number(value))
        if what:
            raise Place(rows.label, key=f"topic {topic}, {rows.noun} {place}").fault(what)


@lru_cache(maxsize=1000)
def order_names(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Those of some names that tell the order of results, and their usual names."""
    usual = ((name, usual_name(name)[1]) for name in names)
    return tuple(pair for pair in usual if pair[1] in ORDERS)


def with_grades(rows: Rows) -> None:
    """Where some rows have a grade, what has none is relevant."""
    if rows.has("grade"):
        for record in rows.records:
            record.setdefault("grade", 1)


Item = tuple[int, Any, dict[str, Any]]


def items_of(topic: Any, results: Any, kind: FileKind, label: str) -> Iterator[Item]:
    """The results of a topic: the place of each, the document or the chunk, and what is known beside it."""
    if isinstance(results, str) and kind == "judgments":
        yield 1, results, {IF_NO_TEXT: f"topic {topic} has {python_text(results)}; expected a dict of document: grade"}
        return
    if isinstance(results, Mapping):
        yield from items_of_documents(topic, results, kind, label)
        return
    if isinstance(results, set | frozenset) and kind == "judgments":
        results = list(results)
    if not isinstance(results, Sequence) or isinstance(results, str | bytes):
        value = "grade" if kind == "judgments" else "score"
        raise InputError(f"topic {topic} has {python_text(results)}; expected a dict of document: {value}", label)
    by_score = kind == "run" and all(map(is_scored_id, results))
    size = 0
    for place, each in enumerate(map(plain_value, results)):
        values: dict[str, Any] = {"score": -place} if kind == "run" else {}
        if is_scored(each):
            refuse_infinite(each[1], f"topic {topic}, {OBJECTS[kind]} {place + 1}", label)
            if kind == "judgments" and not is_record(each[0]):
                values = {IF_NO_TEXT: f"topic {topic} has {python_text(each)}; expected a list of {LISTED[kind]}"}
            yield place + 1, each[0], {"score": each[1]} if by_score else values
        elif isinstance(each, list | tuple) and not hasattr(each, "_asdict"):
            if len(each) not in ((3, 4) if kind == "run" else (3,)) or size not in (0, len(each)):
                raise InputError(f"topic {topic} has {python_text(each)}; expected a list of {LISTED[kind]}", label)
            # some with a score and others without would have no order
            size = len(each)
            document, start, end, *score = each
            values = {"score": score[0]} if score else values
            known = {"document": document, "start": start, "end": end, "by_document": True}
            yield place + 1, {}, known | values
        elif each is None or isinstance(each, bool | bytes):
            raise InputError(f"topic {topic}, {OBJECTS[kind]} {place + 1} is {python_text(each)}; {EXPECTED[kind]}",
                             label)  # fmt: skip
        else:
            yield place + 1, each, values


def items_of_documents(topic: Any, results: Mapping[Any, Any], kind: FileKind, label: str) -> Iterator[Item]:
    """What a dict has for each document of a topic: a score or a grade; spans, quotations, or grades by subtopic."""
    for place, (document, value) in enumerate(results.items(), 1):
        known = {"document": document, "by_document": True}
        if kind == "run":
            yield place, {}, known | {"score": value}
        elif isinstance(value, Mapping):
            for subtopic, grade in value.items():
                yield place, {}, known | {"subtopic": subtopic, "grade": grade}
        elif isinstance(value, str) and len(value.split()) > 1:
            yield place, {"text": value}, known
        elif isinstance(value, list | tuple):
            yield from items_in_document(topic, document, value, place, label)
        else:
            yield place, {}, known | {"grade": value}


def items_in_document(topic: Any, document: Any, given: Sequence[Any], place: int, label: str) -> Iterator[Item]:
    """The quotations or the spans (start, end) that are judged in a document; without any it is not relevant."""
    if given and all(isinstance(each, str) for each in given):
        yield from ((place, {"text": each}, {"document": document}) for each in given)
        return
    if not all(isinstance(each, list | tuple) and len(each) == 2 for each in given):
        what = f"expected a list of (start, end), found {python_text(given)}"
        raise InputError(what, label, at=f"topic {topic}, document {document}")
    for start, end in given or [(0, 0)]:
        known = {"document": document, "by_document": True}
        yield place, {}, known | {"start": start, "end": end, "grade": 1 if given else 0}


def order_notes(lists: Mapping[Any, Any], label: str, are_of_text: bool) -> list[str]:
    """That the order of the list counts, where scores or ranks of chunks tell another: of scores it may be either way
    round, as those of distances rise.
    """
    listed = [each for each in lists.values() if isinstance(each, list | tuple)]
    chunks = [each for each in listed if are_of_text or any(map(is_ranked_record, each))]
    scores, ranks = ([numbers_under(name, each) for each in chunks] for name in ("score", "rank"))
    # those that are all alike do neither
    rising = sum(rises(each) and not rises(each[::-1]) for each in scores)
    falling = sum(rises(each[::-1]) and not rises(each) for each in scores)
    torn = sum(not rises(each) and not rises(each[::-1]) for each in scores)
    misranked = sum(not rises(each) for each in ranks)
    told = {
        f"the scores do not follow the order of the list in {count_noun(torn, 'topic')}": torn,
        f"the scores fall in {count_noun(falling, 'topic')} and rise in {rising:,}": not torn and falling and rising,
        f"the ranks do not follow the order of the list in {count_noun(misranked, 'topic')}": misranked,
    }
    return [f"{label}: {what}; Assay used the order of the list" for what, is_so in told.items() if is_so]


def is_ranked_record(given: Any) -> bool:
    """Whether a result is a chunk, which may have a score of its own."""
    return is_record(bare(given))


def numbers_under(name: str, chunks: Sequence[Any]) -> list[Any]:
    """The scores or ranks of some chunks; none where any has none."""
    values = [each[1] if name == "score" and is_scored(each) else value_under(name, each) for each in chunks]
    return values if all(isinstance(value, Real) for value in values) else []


def value_under(name: str, given: Any) -> Any:
    """What a chunk has under a name, itself or in what it holds."""
    given = bare(given)
    if not is_record(given):
        return None
    record = flat(given)
    return next((record[each] for each, usual in order_names(tuple(record)) if usual == name), None)


def rises(values: Sequence[Any]) -> bool:
    """Whether no value is lower than the one before it."""
    return all(before <= after for before, after in pairwise(values))


def names_in_lists(given: Mapping[Any, Any]) -> list[str]:
    """The names that the results of topics have."""
    lists = (results for results in given.values() if isinstance(results, list | tuple))
    records = (flat(bare(each)) for results in lists for each in results if is_record(bare(each)))
    return list(dict.fromkeys(name for names in dict.fromkeys(map(tuple, records)) for name in names))


# --- logs ----------------------------------------------------------------------------------------------------------


def is_log_record(record: Any) -> bool:
    """Whether an object has a topic and a list of what was returned for it, and is no row with one document or text."""
    if not isinstance(record, Mapping) or not any(isinstance(record.get(name), list) for name in LISTS):
        return False
    schema = Schema([name for name in record if isinstance(name, str)])
    return schema.column("topic") is not None and schema.column("document") is None and schema.text is None


def lists_by_topic(records: Iterable[tuple[Place, Any]]) -> dict[str, Any]:
    """The lists of a log, whose records stand at some places, by topic."""
    lists: dict[str, Any] = {}
    for place, given in records:
        record = given if isinstance(given, Mapping) else {}
        column = Schema([name for name in record if isinstance(name, str)]).column("topic")
        topic = record[column] if column and is_name(record[column]) else None
        results = next((value for name in LISTS if isinstance(value := record.get(name), list)), None)
        if topic is None or results is None:
            lacking = "topic" if topic is None else "list of results"
            raise place.fault(f"this object has no {lacking}, but others do; expected one in each")
        if str(topic) in lists:
            raise place.fault(f"topic {topic} appears twice; expected all its results in one list")
        lists[str(topic)] = results
    return lists


def is_named_log(record: Mapping[Any, Any], kind: FileKind) -> bool:
    """Whether a record has lists as the logs of ragas, DeepEval and LlamaIndex call them: of texts or of ids that were
    retrieved, or should have been.
    """
    is_known = "input" in record or not LOG_NAMES.isdisjoint(record)
    names = (*LOG_TEXTS[kind], *LOG_IDS[kind])
    return is_known and any(name in record and is_sequence(record[name]) for name in names)


def is_sequence(value: Any) -> bool:
    """Whether a value is a list, also where a frame holds it."""
    return isinstance(value, list | tuple) or (getattr(value, "ndim", None) == 1 and hasattr(value, "tolist"))


def named_lists_by_topic(records: Iterable[tuple[Place, Any]], kind: FileKind) -> dict[str, Any]:
    """The lists of such logs by question: what was retrieved, or what should have been. Where they have texts and ids,
    both are told of each result.
    """
    lists: dict[str, Any] = {}
    for place, given in records:
        record = flat(given) if is_record(given) else {}
        topic = next((value for name in ASKED if is_name(value := record.get(name))), None)
        if topic is None:
            raise place.fault(f"no question; expected one of {', '.join(ASKED)}")
        if str(topic) in lists:
            raise place.fault(f"question {quote(str(topic))} appears twice; expected each once")
        texts, ids = (next((list(record[name]) for name in names[kind] if is_sequence(record.get(name))), None)
                      for names in (LOG_TEXTS, LOG_IDS))  # fmt: skip
        if texts is None and ids is None:
            names = ", ".join((*LOG_TEXTS[kind], *LOG_IDS[kind]))
            raise place.fault(f"nothing was {EITHER[kind]} here; expected a list under one of {names}")
        are_both = texts is not None and ids is not None and len(texts) == len(ids) and all(map(is_text, texts))
        both = [{"id": own, "text": text} for own, text in zip(ids or (), texts or (), strict=False)]
        lists[str(topic)] = both if are_both else ids if texts is None else texts
    return lists


def is_text(given: Any) -> bool:
    """Whether something is a text."""
    return isinstance(given, str)
