"""Read lists of results by topic, and logs, into Rows.

A list of results under a topic is a ranking, whatever scores its items carry. Each item is a record, or the id of a
document, a text, (document, score), or (document, start, end).
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from numbers import Real
from typing import Any

import numpy as np

from assay.errors import InputError, count_noun, quote
from assay.reading.faults import is_plain_number, plain_id, python_text, whole_fault, wrong_score
from assay.reading.lines import WHOLE
from assay.reading.numbers import is_number
from assay.reading.records import (
    SAMPLE,
    Flat,
    are_texts,
    bare,
    flat,
    flat_as_told,
    is_record,
    is_scored,
    quotations_of,
    read_flat,
    refuse_missing_paths,
    refuse_two_answers,
)
from assay.reading.rows import OBJECTS, Rows
from assay.reading.schema import schema_of, usual_name
from assay.reading.values import BLANKS, NO_NAMES, id_of, is_empty, is_frame, is_missing, is_there, plain_value
from assay.tables.column_names import ASKED, LISTS, LOG_IDS, LOG_NAMES, LOG_TEXTS
from assay.tables.places import Place
from assay.vocabulary import FileKind

# Columns that may hold the words of a question.
QUESTIONS = ("query", "question", "user_input")
# The key under which a judged item carries an error. It is raised unless the item is a text: the number next to a
# document may be meant as a grade.
IF_NO_TEXT = "if no text"
# The lists of texts in a log: those of ragas before version 0.2 have a name that is too common to recognise a log by.
CONTEXTS: dict[FileKind, tuple[str, ...]] = {**LOG_TEXTS, "run": (*LOG_TEXTS["run"], "contexts")}
# What a log lists for each question, in words.
EITHER: dict[FileKind, str] = {"run": "retrieved", "judgments": "expected"}
EXPECTED = {
    "run": "expected a list of chunks, best first",
    "judgments": "expected a list of chunks or quotes",
}
# What an error says a list of results or judged spans should contain.
LISTED = {
    "run": "chunks, ids, (id, score), (id, start, end) or (id, start, end, score); the id comes first in a tuple",
    "judgments": "(document, start, end)",
}


def named_topic(given: Any) -> str:
    """Return the topic that a record of a whole run names; empty if an object is a result in the list of a topic.

    The topic is at the top of a record, because the metadata of a chunk may name anything.
    """
    if not is_record(given):
        is_row = isinstance(given, list | tuple) and len(given) > 2 and not is_span(given)
        return id_of(given[0]) if is_row else ""
    record = flat(given)
    if is_named_log(record, "run"):
        return question_of(record)
    column = schema_of(record).own_topic
    return id_of(record[column]) if column else ""


def is_span(given: Sequence[Any]) -> bool:
    """Return whether a tuple, or a list from JSON, is a document with a start and an end.

    It could also be a record (topic, document, score), so both numbers must be whole.
    """
    if len(given) < 3 or not isinstance(given[0], str | int):
        return False
    start, end = map(plain_value, given[1:3])
    if isinstance(start, float) and isinstance(end, float) and isinstance(given[0], str):
        return start.is_integer() and end.is_integer() and start <= end
    return isinstance(start, int) and isinstance(end, int)


def are_by_topic(lists: Mapping[Any, Sequence[Any]]) -> bool:
    """Return whether lists are the results of topics, not runs by name, whose records name their topics.

    Results may name the topic under which they are listed, or its question.
    """
    if not all(named_topic(first_object(results)) for results in lists.values()):
        return True
    first = {key: first_object(results) for key, results in lists.items()}
    return all(is_record(each) and named_topic(each) == id_of(key) for key, each in first.items()) or are_queries(lists)


def first_object(results: Sequence[Any]) -> Any:
    """Return the first result that is not an id, a text, a pair or a span, else the first: a list may mix them."""
    return next((each for each in results if is_record(each) or named_topic(each)), results[0])


def are_queries(lists: Mapping[Any, Sequence[Any]]) -> bool:
    """Return whether the chunks of each list carry the question of their topic under a key such as `query`.

    No list may have two questions. The questions must have several words, or all differ.
    """
    asked: list[str] = []
    for results in lists.values():
        record = flat(first) if is_record(first := first_object(results)) else NO_NAMES
        column = schema_of(record).own_topic
        if column is None or usual_name(column)[1] not in QUESTIONS or is_named_log(record, "run"):
            return False
        topics = set(map(named_topic, results)) - {""}
        if len(topics) > 1:
            return False
        asked += topics
    are_words = bool(asked) and all(len(question.split()) > 1 for question in asked)
    return are_words or (len(asked) > 1 and len(set(asked)) == len(asked))


# --- results by topic ----------------------------------------------------------------------------------------------


def rows_by_topic(
    given: Mapping[Any, Any],
    kind: FileKind,
    label: str,
    collection: Any = None,
    told: Mapping[str, str] = NO_NAMES,
    whole: bool = False,
) -> Rows:
    """Return Rows from a dict by topic: {topic: [results, best first]}, {topic: {document: score}}, or judgments.

    A list of results under a topic is a ranking, whatever scores its items carry. `whole`: texts are not read if all
    results name their documents.
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
    are_records = True
    for topic, place, item, values in items:
        if (what := values.pop(IF_NO_TEXT, None)) and not (are_of_text and isinstance(item, str)):
            raise InputError(what, label)
        if isinstance(item, str) and are_of_text:
            # texts are ranked by the order of the list
            record: Flat = {"text": item}
            values = {"score": 1 - place} if kind == "run" else values
        elif is_record(item):
            record = record_in(item, topic, place, rows, told)
            if kind == "run" and (what := order_fault(record, told)):
                values = {**values, "order_fault": what}
        else:
            record, values = NO_NAMES, {**values, "document": item}
        are_records = are_records and bool(record) and not isinstance(item, str)
        flats.append(record)
        numbers.append(place)
        fixed.append({"topic": topic, **values})
    if kind == "judgments":
        topics = [each["topic"] for each in fixed]
        placed = [f"topic {topic}, {rows.noun} {number}" for topic, number in zip(topics, numbers, strict=True)]
        parts = list(quotations_of(rows, flats, told, lambda at: Place(label, key=placed[at]), topics))
        flats = [part for _, part in parts]
        numbers, fixed = [numbers[at] for at, _ in parts], [fixed[at] for at, _ in parts]
    taker, rows.records = read_flat(flats, kind, told, collection, whole, fixed)
    taker.refuse_equals(label, ("score", "rank") if kind == "run" else ())
    rows.schema, rows.unused, rows.given = taker.schema, taker.unused, flats
    rows.numbers = numbers
    refuse_other_topics(rows)
    refuse_missing_paths(rows, flats, told)
    refuse_two_answers(rows)
    rows.empty_topics += [str(topic) for topic, results in given.items() if is_empty(results)]
    if kind == "judgments":
        if not are_records:
            with_grades(rows)
        rows.without_gold(rows.empty_topics)
    else:
        scored = [each for each in given.values() if isinstance(each, list | tuple) and any(map(is_scored, each))]
        if are_of_text or scored or any(usual_name(name)[1] in ("score", "rank") for name in taker.schema.names):
            rows.notes += order_notes(given, flats, label, are_of_text)
    return rows


def refuse_quotations_as_ids(strings: list[str], collection: Any, label: str) -> None:
    """Raise an error if judged single words are not ids of documents but all occur in the documents' texts."""
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


def record_in(item: Any, topic: Any, place: int, rows: Rows, told: Mapping[str, str]) -> Flat:
    """Return the record of a result."""
    record = flat_as_told(item, told)
    if not record and not isinstance(item, Mapping):
        what = f"topic {topic}, {rows.noun} {place} is {python_text(item)}; {EXPECTED[rows.kind]}"
        raise InputError(what, rows.label)
    return record


def refuse_other_topics(rows: Rows) -> None:
    """Raise an error if an item names another topic than that of its list. The words of a question may differ."""
    column = rows.schema.own_topic if rows.schema else None
    if column is None or usual_name(column)[1] in QUESTIONS:
        return
    for row, (given, record) in enumerate(zip(rows.given, rows.records, strict=True)):
        named, topic = given.get(column), record["topic"]
        if is_there(named) and not is_missing(named) and id_of(named) != id_of(topic):
            what = f"{column} is {quote(str(named))}, but the list is that of topic {topic}"
            raise rows.places[row].fault(f"{what}; expected {topic} or no {column}")


def refuse_same_topics(topics: Iterable[Any], label: str) -> None:
    """Raise an error if two keys of a dict are the same topic, such as 1 and "1"."""
    topics = list(topics)
    texts = {topic for topic in topics if isinstance(topic, str)}
    # longer numbers are refused later, as ids
    numbers = [topic for topic in topics if isinstance(topic, int | np.integer) and abs(int(topic)) < WHOLE]
    if same := next((number for number in numbers if str(number) in texts), None):
        what = f"topics {same} (a number) and '{same}' (a string) are the same topic"
        raise InputError(f"{what}; expected it once", label)


def refuse_infinite(score: Any, where: str, label: str) -> None:
    """Raise an error if a score is infinite or NaN. The list gives the ranking, but such a score is a mistake."""
    score = plain_value(score)
    if isinstance(score, float) and not math.isfinite(score):
        raise InputError(f"{where}: score {quote(str(score))} is not a finite number", label)


def told_number(value: Any) -> Any:
    """Return a string that is a number as a number, for files whose values are all strings; anything else unchanged."""
    if not isinstance(value, str) or not is_number(value.strip(BLANKS)):
        return value
    number = float(value.strip(BLANKS))
    return int(number) if number.is_integer() else number


def order_fault(record: Flat, told: Mapping[str, str]) -> str | None:
    """Return why the score of a result, or its rank if it has no score, is not a number; None if it is one.

    The list gives the ranking, but such a value is a mistake.
    """
    names = order_names(tuple(record), told.get("score"), told.get("rank"))
    if names.keys() == {"score"} and is_plain_number(record[names["score"]]):
        return None
    there = [(field, value) for field, name in names.items() if is_there(value := plain_value(record[name]))]
    for field, value in there:
        if field == "rank" and len(there) > 1 and isinstance(value, str | Real) and not isinstance(value, bool):
            # a rank is not used if there is a score
            continue
        if what := whole_fault("rank", value) if field == "rank" else wrong_score(value):
            return what
    return None


@lru_cache(maxsize=1000)
def order_names(names: tuple[str, ...], score: str | None = None, rank: str | None = None) -> dict[str, str]:
    """Return the names of the score and the rank, by field. `score` and `rank`: as the user named them."""
    told = {what: name for what, name in (("score", score), ("rank", rank)) if name is not None}
    schema = schema_of(names, told)
    return {what: name for what in ("score", "rank") if (name := schema.column(what))}


def with_grades(rows: Rows) -> None:
    """Give rows without a grade the grade 1 if other rows have grades."""
    if rows.has("grade"):
        for record in rows.records:
            record.setdefault("grade", 1)


Item = tuple[int, Any, dict[str, Any]]


def is_scored_id(given: Any) -> bool:
    """Return whether an object is a pair of an id or a text and its score."""
    return is_scored(given) and isinstance(plain_value(given[0]), str | int | float)


def items_of(topic: Any, results: Any, kind: FileKind, label: str) -> Iterator[Item]:
    """Yield the results of a topic: the position of each, the document or chunk, and the values known from the list."""
    if results is None:
        return
    if isinstance(results, str) and kind == "judgments":
        yield 1, results, {IF_NO_TEXT: f"topic {topic} has {python_text(results)}; expected a dict of document: grade"}
        return
    if isinstance(results, Mapping):
        yield from items_of_documents(topic, results, kind, label)
        return
    if isinstance(results, set | frozenset) and kind == "judgments":
        results = list(results)
    if is_frame(results):
        column = schema_of(list(map(str, getattr(results, "columns", ())))).column("topic")
        what = f"topic {topic} has a frame of its own, with topics in its column {column}"
        raise InputError(f"{what}; pass that frame alone, or leave out the column", label)
    if not isinstance(results, Sequence) or isinstance(results, str | bytes):
        value = "grade" if kind == "judgments" else "score"
        raise InputError(f"topic {topic} has {python_text(results)}; expected a dict of document: {value}", label)
    by_score = kind == "run" and all(map(is_scored_id, results))
    size = 0
    for place, given in enumerate(results):
        values: dict[str, Any] = {"score": -place} if kind == "run" else {}
        if type(given) is dict:
            # most items are dicts, and other questions take longer
            yield place + 1, given, values
            continue
        each = plain_value(given)
        if is_scored(each):
            if kind == "judgments" and not is_record(each[0]):
                values = {IF_NO_TEXT: f"topic {topic} has {python_text(each)}; expected a list of {LISTED[kind]}"}
            else:
                refuse_infinite(each[1], f"topic {topic}, {OBJECTS[kind]} {place + 1}", label)
            yield place + 1, each[0], {"score": each[1]} if by_score else values
        elif isinstance(each, list | tuple) and not hasattr(each, "_asdict"):
            if len(each) not in ((3, 4) if kind == "run" else (3,)) or size not in (0, len(each)):
                raise InputError(f"topic {topic} has {python_text(each)}; expected a list of {LISTED[kind]}", label)
            # tuples with and without a score must not mix, because they would have no common order
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
    """Yield what a dict has for each document of a topic: a score, a grade, spans, quotations, or subtopic grades."""
    for place, (document, value) in enumerate(results.items(), 1):
        known = {"document": document, "by_document": True}
        if kind == "run":
            yield place, {}, known | {"score": value}
        elif isinstance(value, Mapping) and value:
            for subtopic, grade in value.items():
                yield place, {}, known | {"subtopic": subtopic, "grade": grade}
        elif isinstance(value, str) and len(value.split()) > 1:
            yield place, {"text": value}, known
        elif isinstance(value, list | tuple):
            yield from items_in_document(topic, document, value, place, label)
        else:
            yield place, {}, known | {"grade": value}


def items_in_document(topic: Any, document: Any, given: Sequence[Any], place: int, label: str) -> Iterator[Item]:
    """Yield the quotations or spans (start, end) that are judged in a document; an empty list gives it grade 0."""
    if given and all(isinstance(each, str) for each in given):
        yield from ((place, {"text": each}, {"document": document}) for each in given)
        return
    if not all(isinstance(each, list | tuple) and len(each) == 2 for each in given):
        what = f"expected a list of (start, end), found {python_text(given)}"
        raise InputError(what, label, at=f"topic {topic}, document {document}")
    for start, end in given or [(0, 0)]:
        known = {"document": document, "by_document": True}
        yield place, {}, known | {"start": start, "end": end, "grade": 1 if given else 0}


def order_notes(lists: Mapping[Any, Any], flats: Sequence[Flat], label: str, are_of_text: bool) -> list[str]:
    """Note if the scores or ranks of chunks contradict the order of the list, which is the one that counts.

    `flats` are the records of all results, in their order. Distances rise down the list in all topics, but so do scores
    if a list has its worst result first.
    """
    records = iter(flats)
    parts = [(each, list(islice(records, len(each)))) for each in lists.values() if each is not None]
    chunks = [part for part in parts if isinstance(part[0], list | tuple) and (are_of_text or any(part[1]))]
    scores, ranks = ([numbers_under(name, *part) for part in chunks] for name in ("score", "rank"))
    # equal scores neither rise nor fall
    rising = sum(rises(each) and not rises(each[::-1]) for each in scores)
    falling = sum(rises(each[::-1]) and not rises(each) for each in scores)
    torn = sum(not rises(each) and not rises(each[::-1]) for each in scores)
    misranked = sum(not rises(each) for each in ranks)
    only_rising = bool(rising) and not torn and not falling
    told = {
        f"the scores do not follow the order of the list in {count_noun(torn, 'topic')}": torn,
        f"the scores fall in {count_noun(falling, 'topic')} and rise in {rising:,}": not torn and falling and rising,
        f"the scores rise down the list in {count_noun(rising, 'topic')}": only_rising,
        f"the ranks do not follow the order of the list in {count_noun(misranked, 'topic')}": misranked,
    }
    if_similar = "; if the highest score is the best, reverse the lists" if only_rising else ""
    used = "Assay used the order of the list"
    return [f"{label}: {what}; {used}{if_similar}" for what, is_so in told.items() if is_so]


def numbers_under(name: str, chunks: Sequence[Any], records: Sequence[Flat]) -> list[Any]:
    """Return the scores or ranks of some chunks with their flat records; empty if one of them lacks a number."""
    pairs = zip(chunks, records, strict=True)
    values = [each[1] if name == "score" and is_scored(each) else value_under(name, record) for each, record in pairs]
    return values if all(type(value) in (float, int) or isinstance(value, Real) for value in values) else []


def value_under(name: str, record: Flat) -> Any:
    """Return the score or rank in a record, its own or that of an object it holds; None if there is none."""
    column = order_names(tuple(record)).get(name)
    return None if column is None else record[column]


def first_score(chunks: Sequence[Any]) -> Any:
    """Return the score of the first result in a list; None if it has none."""
    first = chunks[0]
    record = flat(bare(first)) if is_record(bare(first)) else {}
    return next(iter(numbers_under("score", [first], [record])), None)


def rises(values: Sequence[Any]) -> bool:
    """Return whether no value is lower than the one before it."""
    return all(before <= after for before, after in pairwise(values))


def names_in_lists(given: Mapping[Any, Any]) -> list[str]:
    """Return the names that the results of all topics have."""
    lists = (results for results in given.values() if isinstance(results, list | tuple))
    records = (flat(bare(each)) for results in lists for each in results if is_record(bare(each)))
    return list(dict.fromkeys(name for names in dict.fromkeys(map(tuple, records)) for name in names))


# --- logs ----------------------------------------------------------------------------------------------------------


def is_log_record(record: Any) -> bool:
    """Return whether an object has a topic and a list of its results, and is not a row with one document or text."""
    record = flat(record) if is_record(record) else {}
    schema = schema_of(record)
    has_list = any(isinstance(record.get(name), list) for name in LISTS)
    return has_list and schema.column("topic") is not None and schema.column("document") is None and schema.text is None


def lists_by_topic(records: Iterable[tuple[Place, Any]]) -> dict[str, Any]:
    """Return the lists of a log by topic. Each record comes with its place, for errors."""
    lists: dict[str, Any] = {}
    for place, given in records:
        record = flat(given) if is_record(given) else {}
        column = schema_of(record).column("topic")
        topic, wrong = plain_id(record[column], "topic") if column else (None, None)
        if wrong:
            raise place.fault(wrong)
        results = next((value for name in LISTS if isinstance(value := record.get(name), list)), None)
        if results is None and any(name in record and record[name] is None for name in LISTS):
            results = []
        if topic is None or results is None:
            lacking = "topic" if topic is None else "list of results"
            raise place.fault(f"this object has no {lacking}, but others do; expected one in each")
        if topic in lists:
            raise place.fault(f"topic {topic} appears twice; expected all its results in one list")
        lists[topic] = results
    return lists


def is_named_log(record: Mapping[Any, Any], kind: FileKind) -> bool:
    """Return whether a record has the lists that ragas, DeepEval and LlamaIndex log, and is not a row with a document.

    They hold texts or ids that were retrieved (a run), or that should have been (judgments).
    """
    is_known = "input" in record or not LOG_NAMES.isdisjoint(record)
    names = (*LOG_TEXTS[kind], *LOG_IDS[kind])
    if not is_known or not any(name in record and is_sequence(record[name]) for name in names):
        return False
    return not is_row(record)


def is_row(record: Mapping[Any, Any]) -> bool:
    """Return whether a record is one result or one judgment: it names a document, or its file and a score or place."""
    schema = schema_of(record)
    has_value = any(map(schema.column, ("score", "rank", "grade", "start")))
    return schema.column("document") is not None or (has_value and bool(schema.documents))


def is_sequence(value: Any) -> bool:
    """Return whether a value is a list or tuple, or an array in the cell of a frame."""
    return isinstance(value, list | tuple) or (getattr(value, "ndim", None) == 1 and hasattr(value, "tolist"))


def question_of(record: Flat) -> str:
    """Return the question of a record of a log; empty if it has none."""
    return next(filter(None, (id_of(record.get(name)) for name in ASKED)), "")


def named_lists_by_topic(records: Iterable[tuple[Place, Any]], kind: FileKind) -> dict[str, Any]:
    """Return the lists of logs of ragas, DeepEval or LlamaIndex by question: what was, or should have been, retrieved.

    If a record has both texts and ids, each result gets both.
    """
    lists: dict[str, Any] = {}
    first: dict[str, Place] = {}
    for place, given in records:
        record = flat(given) if is_record(given) else {}
        if not (topic := question_of(record)):
            raise place.fault(f"no question; expected one of {', '.join(ASKED)}")
        if topic in lists:
            raise place.fault(f"question {quote(topic)} appears twice{first[topic].first}")
        first[topic] = place
        texts, ids = (next((list(record[name]) for name in names if is_sequence(record.get(name))), None)
                      for names in (CONTEXTS[kind], LOG_IDS[kind]))  # fmt: skip
        if texts is None and ids is None:
            names = ", ".join((*CONTEXTS[kind], *LOG_IDS[kind]))
            raise place.fault(f"nothing was {EITHER[kind]} here; expected a list under one of {names}")
        are_both = texts is not None and ids is not None and len(texts) == len(ids) and all(map(is_text, texts))
        both = [{"id": own, "text": text} for own, text in zip(ids or (), texts or (), strict=False)]
        # a short text would look like an id
        alone = [{"text": each} if is_text(each) else each for each in texts or ()]
        lists[topic] = both if are_both else ids if texts is None else alone
    return lists


def is_text(given: Any) -> bool:
    """Return whether something is a string."""
    return isinstance(given, str)
