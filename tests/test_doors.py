"""The same rows give the same values, notes and errors, whatever they are handed over as.

One difference is intended: a list of results under a topic is a ranking, whatever scores its items carry.
"""

import csv
import decimal
import functools
import itertools
import json
import math
import os
import random
import re
import uuid
import warnings
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.files import source
from helpers.samples import ASKED

REFUSED = "refused"
# Places that differ for good reasons: a line in a file, a record in a list, a position under a topic.
ROW = r"(?:topic [^,:;]+, (?:document [^,:;]+|(?:result|quote|item) \d+)|(?:record|row|line|result|quote) \d+)"
BY_TOPIC = ("dict by topic", "objects by topic", "JSON by topic")
JSON_DOORS = ("JSONL", "JSON by topic", "JSON array")

DOCUMENTS = {
    "ferry": "The ferry leaves the old pier at seven, and in winter at eight. Bicycles travel free of charge on weekdays only.",
    "oven": "An oven of clay holds its heat for nine hours. Bread goes in first, then beans, and last of all the meringue.",
}
# 20 of 40 relevant characters are in the first result of q1, 15 of 20 in the only result of q2.
GOLD = {"q1": {"ferry": [(0, 40)]}, "q2": {"oven": [(10, 30)]}}
RUN = {"q1": [("ferry", 20, 60), ("oven", 0, 10)], "q2": [("oven", 15, 45)]}
TEXT = {
    "q1": {"R@1": 0.5, "P@2": 0.4, "R(chars=30)": 0.5},
    "q2": {"R@1": 0.75, "P@2": 0.5, "R(chars=30)": 0.75},
}
GRADES = {"q1": {"d2": 1}, "q2": {"d3": 2, "d9": 1}}
RANKED = {"q1": {"d1": 3, "d2": 2}, "q2": {"d3": 2, "d1": 1}}
WHOLE = {"q1": {"AP": 0.5, "P@1": 0.0, "R@2": 1.0}, "q2": {"AP": 0.5, "P@1": 1.0, "R@2": 0.5}}


@dataclass(frozen=True)
class Shape:
    """Rows as somebody may have them, and what should become of them.

    `right`: REFUSED, the values of each topic, or None where only agreement is asked for. `listed`: the same for lists
    under a topic, where that differs. `skip`: doors that cannot carry such rows. `twice`: names that are written as
    another, so that this stands twice. `columns`: as the user names them. `chunks`: the table of the ids that rows have.
    """

    name: str
    rows: list
    kind: str = "run"
    documents: bool = False
    right: object = None
    listed: object = None
    whole: bool = False
    topic: str = "query_id"
    skip: tuple = ()
    empty: tuple = ()
    twice: dict = field(default_factory=dict)
    columns: dict | None = None
    chunks: object = None

    def __repr__(self):
        return self.name


# -- doors


def doors(rows, folder, topic="query_id", skip=(), empty=(), twice=None, only=()):
    """The same rows through each door, or those of some names, as (name, what is given)."""
    # what a frame of polars cannot carry, one of Arrow and a file of Parquet cannot
    skip = (*skip, "Arrow", "Parquet") if "polars" in skip else skip
    for name, door in DOORS.items():
        if name not in skip and (name in only or not only) and (given := door(rows, folder, topic, empty, twice or {})) is not None:
            yield name, given


def by_topic(rows, topic, empty):
    """{topic: [items]}; None where a row has no topic, which no list can be under."""
    lists = {}
    for row in rows:
        if row.get(topic) in (None, "") or row[topic] != row[topic]:
            return None
        lists.setdefault(row[topic], []).append({name: value for name, value in row.items() if name != topic})
    return lists | {each: [] for each in empty}


def in_dict(rows, folder, topic, empty, twice):
    return None if twice else by_topic(rows, topic, empty)


def in_records(rows, folder, topic, empty, twice):
    return None if twice else [dict(row) for row in rows]


def in_objects(rows, folder, topic, empty, twice):
    """Objects whose attributes are the values; None where a name cannot be that of an attribute."""
    return None if twice else [SimpleNamespace(**row) for row in rows]


def in_objects_by_topic(rows, folder, topic, empty, twice):
    lists = None if twice else by_topic(rows, topic, empty)
    return lists and {each: [SimpleNamespace(**item) for item in items] for each, items in lists.items()}


def in_polars(rows, folder, topic, empty, twice):
    """A frame; None where a column cannot hold what the rows have."""
    if twice:
        return None
    columns = {name: [row.get(name) for row in rows] for name in names_of(rows)}
    if any(has_strange_values(values) for values in columns.values()):
        return None
    columns = {
        name: as_texts(values) if any(isinstance(each, str) for each in values) else values
        for name, values in columns.items()
    }
    return pl.DataFrame([pl.Series(name, values, strict=False) for name, values in columns.items()])


def in_arrow(rows, folder, topic, empty, twice):
    frame = in_polars(rows, folder, topic, empty, twice)
    return None if frame is None else frame.to_arrow()


def in_parquet(rows, folder, topic, empty, twice):
    frame = in_polars(rows, folder, topic, empty, twice)
    # a file has at least the names of its columns
    if frame is None or not frame.width:
        return None
    path = f"{folder}/run.parquet"
    frame.write_parquet(path)
    return path


def has_strange_values(values):
    """Whether True or NaN stands among other values, which would become another value in a column of one type."""
    others = {type(value) for value in values} - {bool, type(None)}
    is_mixed = any(isinstance(value, bool) for value in values) and others
    return is_mixed or (str in others and any(value != value for value in values))


def as_texts(values):
    return [None if value is None else str(value) for value in values]


def in_pandas(rows, folder, topic, empty, twice):
    return pd.DataFrame(rows).rename(columns=twice)


def in_jsonl(rows, folder, topic, empty, twice):
    return written(folder, "jsonl", "".join(f"{as_json(row, twice)}\n" for row in rows))


def in_csv(rows, folder, topic, empty, twice):
    """A file; None where it would hold other values than the rows have."""
    names = names_of(rows)
    if any(has_strange_values([row.get(name) for row in rows]) for name in names):
        return None
    path = os.path.join(folder, "run.csv")
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([twice.get(name, name) for name in names] if names else [])
        writer.writerows(
            [["" if isinstance(row.get(name), list | dict) else row.get(name) for name in names] for row in rows]
        )
    return path


def in_json_by_topic(rows, folder, topic, empty, twice):
    lists = by_topic(rows, topic, empty)
    return None if lists is None else written(folder, "by_topic.json", as_json(lists, twice))


def in_json_array(rows, folder, topic, empty, twice):
    return written(folder, "json", as_json(rows, twice))


DOORS = {
    "dict by topic": in_dict,
    "records": in_records,
    "objects": in_objects,
    "objects by topic": in_objects_by_topic,
    "polars": in_polars,
    "pandas": in_pandas,
    "Arrow": in_arrow,
    "Parquet": in_parquet,
    "JSONL": in_jsonl,
    "CSV": in_csv,
    "JSON by topic": in_json_by_topic,
    "JSON array": in_json_array,
}


def names_of(rows):
    return list(dict.fromkeys(name for row in rows for name in row))


def as_json(value, twice):
    text = json.dumps(value)
    for name, other in twice.items():
        text = text.replace(f'"{name}":', f'"{other}":')
    return text


def written(folder, ending, text):
    # the name of a file is that of its run
    below = os.path.join(folder, ending)
    os.makedirs(below, exist_ok=True)
    path = os.path.join(below, "run.json" if "json" in ending else f"run.{ending}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


# -- outcomes


@dataclass(frozen=True)
class Outcome:
    """What became of rows: the values of each topic and notes, or an error; both without places."""

    values: object
    words: tuple

    @property
    def refused(self):
        return self.values == REFUSED


def outcome(rows, kind="run", documents=False, whole=False, columns=None, chunks=None):
    """What Assay makes of rows that were handed over: against fixed judgments, or by a fixed run."""
    gold, run, measures = fixed(whole)
    judged, runs = (rows, run) if kind == "judgments" else (gold, rows)
    path = rows if isinstance(rows, str) else ""
    try:
        scores = assay.evaluate(
            judged, runs, list(measures.values()), documents=DOCUMENTS if documents else None, columns=columns, chunks=chunks
        )
    except assay.AssayError as error:
        return Outcome(REFUSED, (without_place(str(error), kind, path),))
    except Exception as error:
        return Outcome(f"crash: {type(error).__name__}", (str(error),))
    values = {row["topic"]: {name: round(row[name], 9) for name in measures} for row in scores.per_topic.to_dicts()}
    return Outcome(values, tuple(sorted(without_place(note, kind, path) for note in scores.notes)))


@functools.cache
def fixed(whole):
    """The fixed judgments and the fixed run, read once, and the measures by name."""
    gold, run, values = (GRADES, RANKED, WHOLE) if whole else (GOLD, RUN, TEXT)
    measures = {name: assay.parse(name) for name in next(iter(values.values()))}
    return assay.read_judgments(gold), assay.read_run(run), measures


def without_place(message, label, path):
    """A message without the number of the row, and with the name that a run or judgments in memory have."""
    message = message.replace(path, label) if path else message
    message = re.sub(rf"^{label}(?::\d+)?: ", "", message)
    message = re.sub(rf"^{ROW}(: | )", "", message)
    return re.sub(rf"{label}:\d+|(?:on |in )?{ROW}", "<place>", message)


# What became of shapes, by their names: a test that asks again need not evaluate again.
FOUND = {}
# Doors that Assay reads each in a way of its own. Behind a further door is another one: frames of pandas, tables of Arrow and
# files of Parquet become frames of polars, an array in JSON and objects become records.
MEMORY = ("records", "polars")
FILES = ("JSONL", "CSV")
FURTHER = ("pandas", "Arrow", "Parquet", "JSON array", "objects")


def outcomes(shape, folder):
    """What becomes of the rows of a shape, by door."""
    if shape.name not in FOUND:
        told = shape.kind, shape.documents, shape.whole, shape.columns, shape.chunks
        FOUND[shape.name] = {door: outcome(given, *told) for door, given in doors_of(shape, str(folder))}
    return FOUND[shape.name]


def doors_of(shape, folder):
    """The rows of a shape through three doors that its name draws, always the same: one of memory, one of files, and a
    further one or lists by topic, or others if these cannot carry the rows. A larger sample: through all doors.
    """
    if ASKED:
        return through(shape, folder)
    draw = random.Random(shape.name)
    memory, files, further, listed = (draw.sample(names, len(names)) for names in (MEMORY, FILES, FURTHER, BY_TOPIC))
    # what a list under a topic means shows only there
    last = [*listed, *further] if shape.listed is not None or draw.random() < 0.5 else [*further, *listed]
    drawn = [memory[0], files[0], *last, files[1], memory[1]]
    given = (each for name in drawn for each in through(shape, folder, [name]))
    return itertools.islice(given, 3)


def through(shape, folder, only=()):
    """The rows of a shape through each door, or those of some names."""
    return doors(shape.rows, folder, shape.topic, shape.skip, shape.empty, shape.twice, only)


def asked(shape, found):
    """The doors that are to agree: all, or lists by topic and others, each for themselves."""
    if shape.listed is None:
        return [found]
    return [
        {door: each for door, each in found.items() if (door in BY_TOPIC) is by_topic} for by_topic in (True, False)
    ]


# -- shapes


def spans(rows=None, **names):
    """The rows of the run, under other names of columns; a name of None leaves the value out."""
    return renamed(rows or SPANS, names)


def renamed(rows, names):
    return [{names.get(name, name): value for name, value in row.items() if names.get(name, name)} for row in rows]


def but(rows, row, **values):
    """Rows, of which one has other values; a value of ... leaves it out."""
    changed = {name: value for name, value in (rows[row] | values).items() if value is not ...}
    return [*rows[:row], changed, *rows[row + 1 :]]


def every(rows, **values):
    """Rows, with the same values, or functions of the row, in each; a value of ... leaves it out."""
    told = [{name: value(row) if callable(value) else value for name, value in values.items()} for row in rows]
    return [
        {name: value for name, value in (row | more).items() if value is not ...}
        for row, more in zip(rows, told, strict=True)
    ]


def text_of(row):
    return DOCUMENTS[row["doc_id"]][int(row["start"]) : int(row["end"])]


SPANS = [
    {"query_id": "q1", "doc_id": "ferry", "start": 20, "end": 60, "score": 3},
    {"query_id": "q1", "doc_id": "oven", "start": 0, "end": 10, "score": 2},
    {"query_id": "q2", "doc_id": "oven", "start": 15, "end": 45, "score": 1.5},
]
GOLD_SPANS = [
    {"query_id": "q1", "doc_id": "ferry", "start": 0, "end": 40},
    {"query_id": "q2", "doc_id": "oven", "start": 10, "end": 30},
]
RESULTS = [
    {"query_id": "q1", "doc_id": "d1", "score": 3},
    {"query_id": "q1", "doc_id": "d2", "score": 2},
    {"query_id": "q2", "doc_id": "d3", "score": 2},
    {"query_id": "q2", "doc_id": "d1", "score": 1},
]
JUDGED = [
    {"query_id": "q1", "doc_id": "d2", "grade": 1},
    {"query_id": "q1", "doc_id": "d1", "grade": 0},
    {"query_id": "q2", "doc_id": "d3", "grade": 2},
    {"query_id": "q2", "doc_id": "d9", "grade": 1},
]
# the same by the ids of the chunks
CHUNKS = {f"c{number}": (row["doc_id"], row["start"], row["end"]) for number, row in enumerate(SPANS, 1)}
CHUNK_IDS = [
    {"query_id": row["query_id"], "chunk_id": f"c{number}", "score": row["score"]} for number, row in enumerate(SPANS, 1)
]
# with a text, and all that tells where it stands
TOLD = every(SPANS, text=text_of)
# with a text alone, and its document
TEXTS = every(TOLD, start=..., end=...)
QUOTES = every(every(GOLD_SPANS, text=text_of), start=..., end=...)
LANGCHAIN = [
    {
        "query_id": row["query_id"],
        "page_content": row["text"],
        "metadata": {"source": row["doc_id"], "start_index": row["start"]},
        "score": row["score"],
    }
    for row in TOLD
]
TOPIC_NAMES = (
    "query_id", "query-id", "qid", "q_id", "topic_id", "topic-id", "topic", "question_id", "query", "question", "Query_ID",
)  # fmt: skip
DOCUMENT_NAMES = (
    "document_id",
    "doc_id",
    "docno",
    "corpus_id",
    "corpus-id",
    "ref_doc_id",
    "did",
    "docid",
    "document",
    "doc",
)
FILE_NAMES = ("source", "file_path", "file_name", "filename", "file", "path", "source_id")
PART_NAMES = ("passage_id", "chunk_id", "pid", "passage", "chunk")
START_NAMES = (
    "start", "start_char", "char_start", "start_index", "start_char_idx", "span_start", "begin", "offset", "from",
    "start_offset", "split_idx_start",
)  # fmt: skip
END_NAMES = ("end", "end_char", "char_end", "end_index", "end_char_idx", "span_end", "to", "end_offset")
TEXT_NAMES = (
    "text",
    "content",
    "page_content",
    "quote",
    "excerpt",
    "snippet",
    "chunk_text",
    "passage_text",
    "chunk",
    "passage",
)
SCORE_NAMES = ("score", "similarity", "sim")
GRADE_NAMES = ("grade", "relevance", "rel", "label", "judgment", "score")
NO_CSV = ("CSV",)


def names_in_spans():
    for name in TOPIC_NAMES:
        yield Shape(f"topic named {name}", spans(query_id=name), right=TEXT, topic=name)
    for name in (*DOCUMENT_NAMES, *FILE_NAMES, *PART_NAMES):
        yield Shape(f"document of spans named {name}", spans(doc_id=name), right=TEXT)
    for name in START_NAMES:
        yield Shape(f"start named {name}", spans(start=name), right=TEXT)
    for name in END_NAMES:
        yield Shape(f"end named {name}", spans(end=name), right=TEXT)
    for start, length in itertools.product(("start", "offset", "start_index"), ("length", "span_length")):
        rows = every(SPANS, end=..., **{length: lambda row: row["end"] - row["start"]})
        yield Shape(f"{start} and {length}", spans(rows, start=start), right=TEXT)
    for name in SCORE_NAMES:
        yield Shape(f"score of spans named {name}", spans(score=name), right=TEXT)
    # with documents, what is not known as a span is a whole document
    for name in ("source_id", "start_offset", "split_idx_start"):
        other = {"source_id": "doc_id"}.get(name, "start")
        yield Shape(f"{other} of spans named {name}, documents", spans(**{other: name}), documents=True, right=TEXT)
    yield Shape("end of spans named end_offset, documents", spans(end="end_offset"), documents=True, right=TEXT)
    yield Shape(
        "start_offset and end_offset, documents",
        spans(start="start_offset", end="end_offset"),
        documents=True,
        right=TEXT,
    )
    yield Shape("topic named user_input", spans(query_id="user_input"), topic="user_input")
    yield Shape(
        "Doc_ID and Start in capitals", spans(doc_id="Doc_ID", start="Start", end="END", score="Score"), right=TEXT
    )
    capitals = [{name.upper(): value for name, value in row.items()} for row in SPANS]
    yield Shape("all names in capitals", capitals, right=TEXT, topic="QUERY_ID")
    yield Shape("docId", spans(doc_id="docId"), right=TEXT)
    yield Shape("names with blanks around them", spans(doc_id=" doc_id ", start="start "), right=TEXT)


def names_of_whole_documents():
    for name in TOPIC_NAMES:
        yield Shape(f"whole: topic named {name}", spans(RESULTS, query_id=name), right=WHOLE, whole=True, topic=name)
    for name in (*DOCUMENT_NAMES, *PART_NAMES):
        yield Shape(f"whole: document named {name}", spans(RESULTS, doc_id=name), right=WHOLE, whole=True)
    for name in ("source", "file_path", "id"):
        yield Shape(f"whole: document named {name}", spans(RESULTS, doc_id=name), whole=True)
    for name in SCORE_NAMES:
        yield Shape(f"whole: score named {name}", spans(RESULTS, score=name), right=WHOLE, whole=True)
    for name in GRADE_NAMES:
        yield Shape(f"whole: grade named {name}", spans(JUDGED, grade=name), "judgments", right=WHOLE, whole=True)
    for name in DOCUMENT_NAMES:
        yield Shape(
            f"whole: judged document named {name}", spans(JUDGED, doc_id=name), "judgments", right=WHOLE, whole=True
        )


def names_in_gold():
    for name in TOPIC_NAMES:
        yield Shape(f"gold: topic named {name}", spans(GOLD_SPANS, query_id=name), "judgments", right=TEXT, topic=name)
    for name in (*DOCUMENT_NAMES, *FILE_NAMES):
        yield Shape(f"gold: document named {name}", spans(GOLD_SPANS, doc_id=name), "judgments", right=TEXT)
    for name in START_NAMES:
        yield Shape(f"gold: start named {name}", spans(GOLD_SPANS, start=name), "judgments", right=TEXT)
    for name in GRADE_NAMES[:-1]:
        yield Shape(f"gold: grade of spans named {name}", every(GOLD_SPANS, **{name: 1}), "judgments", right=TEXT)


def texts():
    for name in TEXT_NAMES:
        yield Shape(f"text named {name}, documents", spans(TEXTS, text=name), documents=True, right=TEXT)
        yield Shape(
            f"gold: text named {name}, documents", spans(QUOTES, text=name), "judgments", documents=True, right=TEXT
        )
    for name in (*DOCUMENT_NAMES, *FILE_NAMES):
        yield Shape(
            f"document of a text named {name}, documents", spans(TEXTS, doc_id=name), documents=True, right=TEXT
        )
    for name in TOPIC_NAMES:
        yield Shape(
            f"topic of a text named {name}, documents",
            spans(TEXTS, query_id=name),
            documents=True,
            right=TEXT,
            topic=name,
        )
    yield Shape(
        "topic of a text named user_input, documents",
        spans(TEXTS, query_id="user_input"),
        documents=True,
        right=TEXT,
        topic="user_input",
    )
    for name in ("Text", "Page_Content"):
        yield Shape(f"text named {name}, documents", spans(TEXTS, text=name), documents=True, right=TEXT)
    yield Shape("document of a text named Doc_ID, documents", spans(TEXTS, doc_id="Doc_ID"), documents=True, right=TEXT)
    yield Shape(
        "gold: document of a text named Doc_ID, documents",
        spans(QUOTES, doc_id="Doc_ID"),
        "judgments",
        documents=True,
        right=TEXT,
    )
    yield Shape("score of a text named Score, documents", spans(TEXTS, score="Score"), documents=True, right=TEXT)
    yield Shape("text without documents", TEXTS, right=REFUSED)
    yield Shape("whole: with texts", every(RESULTS, text=lambda row: f"some words of {row['doc_id']}"), right=WHOLE, whole=True)
    again = [{**row, "score": row["score"] / 2, "text": "other words"} for row in RESULTS]
    yield Shape("whole: two chunks of each document", [*every(RESULTS, text="some words"), *again], right=WHOLE, whole=True)
    yield Shape("text and place", TOLD, right=TEXT)
    yield Shape("text and place, documents", TOLD, documents=True, right=TEXT)
    yield Shape("text without a document, documents", every(TEXTS, doc_id=...), documents=True, right=TEXT)
    for kind, rows in {"run": TOLD, "judgments": every(GOLD_SPANS, text=text_of)}.items():
        nameless = every(rows, doc_id=...)
        yield Shape(f"text and place without a document, documents, {kind}", nameless, kind, documents=True, right=TEXT)
        yield Shape(f"text and place without a document, {kind}", nameless, kind, right=REFUSED)
    yield Shape("text without a document and documents", every(TEXTS, doc_id=...), right=REFUSED)
    yield Shape(
        "text with other characters than the document has there, documents",
        every(TOLD, start=lambda row: row["start"] + 3, end=lambda row: row["end"] + 3),
        documents=True,
        right=TEXT,
    )
    with_length = [{**SPANS[0]}, *({**row, "end": None, "length": row["end"] - row["start"]} for row in SPANS[1:])]
    yield Shape("an end here and lengths there", with_length, right=TEXT)
    both = every(SPANS, length=lambda row: row["end"] - row["start"])
    yield Shape("a length that agrees with the end", both, right=TEXT)
    yield Shape("neither an end nor a length in one row", but(both, 1, end=None, length=None), right=REFUSED)
    for more, documents in (("", False), (", documents", True)):
        yield Shape(f"a length that contradicts the end{more}", but(both, 1, length=9), documents=documents, right=REFUSED)
        texts = but(every(both, text=text_of), 1, length=9)
        yield Shape(f"a length that contradicts the end, beside a text{more}", texts, documents=documents, right=REFUSED)
    yield Shape("a length in metadata beside an end", every(SPANS, metadata={"length": 2000}), right=TEXT, skip=NO_CSV)
    yield Shape("a negative start and an end of letters", but(every(SPANS, end=lambda row: str(row["end"])), 0, start=-5, end="x"), right=REFUSED)
    yield Shape("text of another length than its place", every(TOLD, end=lambda row: row["end"] + 3), right=REFUSED)
    yield Shape(
        "text that is not there, documents", but(TEXTS, 0, text="nobody ever wrote this"), documents=True, right=REFUSED
    )
    yield Shape("empty text, documents", but(TEXTS, 0, text=""), documents=True, right=REFUSED)
    yield Shape("text None, documents", but(TEXTS, 0, text=None), documents=True, right=REFUSED)
    yield Shape(
        "one text without a start among others, documents",
        but(TOLD, 0, start=None, end=None),
        documents=True,
        right=TEXT,
    )
    yield Shape("one text without a start among others", but(TOLD, 0, start=None, end=None), right=REFUSED)
    yield Shape("start without an end beside a text, documents", every(TOLD, end=...), documents=True, right=TEXT)
    yield Shape("start without an end beside a text", every(TOLD, end=...), right=TEXT)
    for words, missing in {"one end left out": but(TOLD, 0, end=...), "one end None": but(TOLD, 0, end=None)}.items():
        yield Shape(f"{words} beside a text, documents", missing, documents=True, right=TEXT)
        yield Shape(f"{words} beside a text", missing, right=TEXT)
    yield Shape("no end but a column for it beside a text", every(TOLD, end=None), right=TEXT)
    yield Shape(
        "start_index, source, text and rank, documents",
        every(
            spans(every(TOLD, end=...), doc_id="source", start="start_index", score=None),
            rank=lambda row: 1 if row["text"] != text_of(SPANS[1]) else 2,
        ),
        documents=True,
        right=TEXT,
    )
    yield Shape("start -1 beside a text, documents", but(TOLD, 0, start=-1), documents=True, right=TEXT)
    yield Shape(
        "start -1 without an end beside a text, documents", every(TOLD, end=..., start=-1), documents=True, right=TEXT
    )
    yield Shape("start and end -1 beside a text, documents", every(TOLD, start=-1, end=-1), documents=True, right=TEXT)
    yield Shape("start and end -1 beside a text", every(TOLD, start=-1, end=-1), right=REFUSED)
    yield Shape("end -1 beside a text", every(TOLD, end=-1), documents=True, right=REFUSED)
    yield Shape("start -1 beside a text", but(TOLD, 0, start=-1), right=REFUSED)
    yield Shape("start -1 without an end beside a text", every(TOLD, end=..., start=-1), right=REFUSED)
    yield Shape("start -5 beside a text, documents", but(TOLD, 0, start=-5), documents=True, right=REFUSED)
    yield Shape("start 3.5 beside a text, documents", but(TOLD, 0, start=3.5), documents=True, right=REFUSED)
    floats = every(TOLD, start=lambda row: float(row["start"]), end=lambda row: float(row["end"]))
    yield Shape("text and whole floats, documents", floats, documents=True, right=TEXT)
    yield Shape("text and whole floats, one wrong, documents", but(floats, 0, end=20.0), documents=True, right=TEXT)
    yield Shape(
        "offset without an end beside a text, documents",
        spans(every(TOLD, end=...), start="offset"),
        documents=True,
        right=TEXT,
    )
    yield Shape(
        "gold: offset without an end beside a text, documents",
        spans(every(every(GOLD_SPANS, text=text_of), end=...), start="offset"),
        "judgments",
        documents=True,
        right=TEXT,
    )
    yield Shape("LangChain's dicts", LANGCHAIN, right=TEXT, skip=NO_CSV)
    yield Shape("LangChain's dicts, documents", LANGCHAIN, documents=True, right=TEXT, skip=NO_CSV)
    unknown = [row | {"metadata": row["metadata"] | {"start_index": -1}} for row in LANGCHAIN]
    yield Shape("LangChain's dicts with start -1, documents", unknown, documents=True, right=TEXT, skip=NO_CSV)
    yield Shape("LangChain's dicts with start -1", unknown, right=REFUSED, skip=NO_CSV)
    for words, start in {"": 3, ", one with start -1": -1}.items():
        flat = but(every(RESULTS, text="some words of it", start=3), 1, start=start)
        yield Shape(f"whole: a text and a start without an end{words}", flat, right=WHOLE, whole=True)
        nested = [
            {"query_id": row["query_id"], "page_content": row["text"], "score": row["score"],
             "metadata": {"source": row["doc_id"], "start_index": row["start"]}}
            for row in flat
        ]  # fmt: skip
        yield Shape(f"whole: LangChain's dicts{words}", nested, right=WHOLE, whole=True, skip=NO_CSV)
    yield Shape("one document left out beside a text and a place", but(TOLD, 1, doc_id=...), right=REFUSED)
    yield Shape("a passage beside a text and a place", every(TOLD, passage="p"), right=TEXT)
    yield Shape("a passage beside a text and a place, documents", every(TOLD, passage="p"), documents=True, right=TEXT)
    ranked = every(GOLD_SPANS, text=text_of, rank=1)
    yield Shape("gold: a rank beside a text and a place", ranked, "judgments", right=REFUSED)
    yield Shape("gold: a rank beside a place", every(GOLD_SPANS, rank=1), "judgments", right=REFUSED)
    yield Shape("gold: a rank beside a text, documents", every(QUOTES, rank=1), "judgments", documents=True, right=REFUSED)
    yield Shape("quotes as gold, one topic left out", but(QUOTES, 1, query_id=...), "judgments", right=REFUSED)
    for words, within in {
        "their documents": every(QUOTES, doc_id=..., metadata=lambda row: {"doc_id": row["doc_id"]}),
        "their texts": every(QUOTES, text=..., node=lambda row: {"text": row["text"]}),
    }.items():
        yield Shape(f"quotes as gold, with {words} within a column", within, "judgments", right=REFUSED, skip=NO_CSV)
    yield Shape("quotes as gold, documents", QUOTES, "judgments", documents=True, right=TEXT)
    yield Shape("quotes as gold", QUOTES, "judgments", right=REFUSED)
    for documents in (False, True):
        empty_list = every(GOLD_SPANS, text=[])
        yield Shape(f"gold: an empty list of texts beside a place, {documents=}", empty_list, "judgments", documents,
                    right=TEXT, skip=NO_CSV)  # fmt: skip
    nameless = spans(every(GOLD_SPANS, text="a text"), query_id="id")
    yield Shape("gold: texts and places without a topic column", nameless, "judgments", right=REFUSED, skip=BY_TOPIC)
    yield Shape("a question that is NaN", every(SPANS, question=math.nan), right=TEXT)
    missing = {"query_id": "q3", "doc_id": None, "text": None}
    for words, row in {"is missing": missing, "is missing in a document": missing | {"doc_id": "oven"}}.items():
        right = TEXT if row is missing else REFUSED
        yield Shape(f"gold: a quote that {words}, documents", [*QUOTES, row], "judgments", documents=True, right=right)
        yield Shape(f"gold: a quote that {words}", [*QUOTES, row], "judgments", right=REFUSED)
        for more, rows in {"places": every(GOLD_SPANS, text=text_of), "grades": every(QUOTES, grade=1)}.items():
            for documents in (False, True):
                yield Shape(f"gold: a quote that {words} among {more}, {documents=}", [*rows, row], "judgments",
                            documents=documents, right=REFUSED)  # fmt: skip
    yield Shape(
        "quotes as gold with a grade of 0, documents",
        [*every(QUOTES, grade=1), {"query_id": "q1", "doc_id": "oven", "text": DOCUMENTS["oven"][:10], "grade": 0}],
        "judgments",
        documents=True,
        right=TEXT,
    )
    yield Shape(
        "quotes in a list as gold, documents",
        every(QUOTES, text=..., quotes=lambda row: [row["text"]]),
        "judgments",
        documents=True,
        right=TEXT,
        skip=NO_CSV,
    )
    yield Shape(
        "gold: start -1 beside a text, documents",
        but(every(GOLD_SPANS, text=text_of), 0, start=-1),
        "judgments",
        documents=True,
        right=TEXT,
    )


def offsets():
    for documents in (False, True):
        more = ", documents" if documents else ""
        for words, values in {
            "start -1": {"start": -1},
            "start -7": {"start": -7},
            "end -1": {"end": -1},
            "start 20.5": {"start": 20.5},
            "end 60.5": {"end": 60.5},
            "start 'x'": {"start": "x"},
            "start None": {"start": None},
            "start NaN": {"start": math.nan},
            "start inf": {"start": math.inf},
            "start left out": {"start": ...},
            "end left out": {"end": ...},
            "end None": {"end": None},
            "end before start": {"end": 19},
            "start True": {"start": True},
            "start too large": {"start": 10**16, "end": 10**16 + 40},
        }.items():
            yield Shape(f"one {words}{more}", but(SPANS, 0, **values), documents=documents, right=REFUSED)
        yield Shape(
            f"start -1 in the only row{more}",
            [{"query_id": "q1", "doc_id": "ferry", "start": -1, "end": 40, "score": 3}],
            documents=documents,
            right=REFUSED,
        )
        yield Shape(
            f"offsets that are whole floats{more}",
            every(SPANS, start=lambda row: float(row["start"]), end=lambda row: float(row["end"])),
            documents=documents,
            right=TEXT,
        )
        yield Shape(
            f"offsets that are texts{more}",
            every(SPANS, start=lambda row: str(row["start"]), end=lambda row: str(row["end"])),
            documents=documents,
            right=TEXT,
        )
        yield Shape(f"end equal to start{more}", but(SPANS, 1, end=0), documents=documents)
        yield Shape(f"offsets after the end of the document{more}", but(SPANS, 1, start=5000, end=5010), documents=documents)
        yield Shape(f"a document that is not there{more}", but(SPANS, 1, doc_id="tram"), documents=documents)
    for kind, rows in {"run": RESULTS, "judgments": JUDGED}.items():
        yield Shape(f"whole: no start and no end at all, {kind}", every(rows, start=None, end=None), kind, right=REFUSED, whole=True)
    yield Shape("no start and no end at all", every(SPANS, start=None, end=None), right=REFUSED)
    for words, values in {
        "start -1": {"start": -1},
        "start 0.5": {"start": 0.5},
        "end before start": {"start": 50},
        "end equal to start": {"start": 40},
        "start None": {"start": None},
        "end left out": {"end": ...},
    }.items():
        yield Shape(f"gold: one {words}", but(GOLD_SPANS, 0, **values), "judgments", right=REFUSED)
    # what is wrong first is told first: row by row, and in a row ids before the score, and this before the place
    no_number = but(SPANS, 1, score="x")
    for words, rows in {
        "neither document nor end": but(SPANS, 0, doc_id=None, end=None),
        "neither document nor score": but(SPANS, 0, doc_id=None, score="x"),
        "a start that is not a number": but(SPANS, 0, start=math.nan),
        "an end that is not a number": but(SPANS, 0, end=math.nan),
        "a start and a score that are wrong": but(SPANS, 0, start=-1, score="x"),
        "a wrong score before a wrong start": but(no_number, 2, start=-1),
        "a wrong start before a wrong score": but(no_number, 0, start=-1),
        "a wrong score before a missing topic": but(no_number, 2, doc_id=None),
        "a score that is missing before a wrong start": but(but(SPANS, 0, score=None), 1, start=-1),
        "a wrong rank before a wrong start": but(but(every(SPANS, score=..., rank=1), 0, rank=1.5), 1, start=-1),
    }.items():
        yield Shape(words, rows, right=REFUSED)
    graded = every(GOLD_SPANS, grade=1)
    for words, rows in {
        "neither document nor end": but(GOLD_SPANS, 0, doc_id=None, end=None),
        "a wrong grade before a wrong start": but(but(graded, 0, grade="x"), 1, start=-1),
        "a wrong start before a wrong grade": but(but(graded, 1, grade=0.5), 0, start=-1),
        "a missing grade before a wrong start": but(but(graded, 0, grade=None), 1, start=-1),
        "a score that is not a grade, and a wrong start": but(every(GOLD_SPANS, score=0.5), 0, start=-1),
    }.items():
        yield Shape(f"gold: {words}", rows, "judgments", right=REFUSED)
    yield Shape("neither start nor a whole end", but(SPANS, 0, start=None, end=60.5), right=REFUSED)
    lengths = every(SPANS, end=..., length=lambda row: row["end"] - row["start"])
    yield Shape("a length that is missing", but(lengths, 0, length=None), right=REFUSED)
    within = but(every(SPANS, metadata=lambda row: {"start_index": row["start"]}), 0, start=math.nan)
    yield Shape("a start that is not a number, and one in metadata", within, right=TEXT, skip=NO_CSV)
    for kind, rows in {"run": RESULTS, "judgments": JUDGED}.items():
        alone = every(rows, start_index=None)
        yield Shape(f"whole: an empty start without an end, {kind}", alone, kind, right=REFUSED, whole=True)
    # an unknown name for the start: not whole documents
    for words, name in {"unknown": "begin_pos", "left out": ...}.items():
        for kind, rows in {"run": SPANS, "judgments": GOLD_SPANS}.items():
            ends = renamed(rows, {"start": name}) if name is not ... else every(rows, start=...)
            yield Shape(f"ends alone, start {words}, {kind}", ends, kind, right=REFUSED)
            yield Shape(f"ends alone, start {words}, {kind}, documents", ends, kind, right=REFUSED, documents=True)
    misplaced = but(every(GOLD_SPANS, text=text_of), 1, start=3)
    # what is missing is told before texts are compared with their places, and a column before any row
    wrong = every(TOLD, end=lambda row: row["end"] + 3)
    for words, values in {"no score": {"score": ...}, "neither score nor document": {"score": ..., "doc_id": ...}}.items():
        yield Shape(f"{words}, and texts of another length", every(wrong, **values), right=REFUSED, listed=REFUSED)
    for documents in (False, True):
        yield Shape(f"no score, and a wrong start beside a text, {documents=}", but(every(TOLD, score=...), 0, start="x"),
                    documents=documents, right=REFUSED, listed=REFUSED)  # fmt: skip
    yield Shape("no start in one row, and texts of another length", but(wrong, 2, start=None, end=None), right=REFUSED)
    ranked = every(GOLD_SPANS, text="short", rank=1)
    yield Shape("gold: ranks, and texts of another length", ranked, "judgments", right=REFUSED)
    yield Shape("gold: a missing document before a text that is not as long as its place", but(misplaced, 0, doc_id=...),
                "judgments", right=REFUSED)  # fmt: skip
    unknown = every(GOLD_SPANS, text=text_of, start=-1, grade=1)
    yield Shape("gold: texts with unknown starts and grades", unknown, "judgments", right=REFUSED)
    for words, value in {"a document": {"doc_id": None}, "a document and an empty text": {"doc_id": "", "text": " "}}.items():
        rows = but(every(JUDGED, text="some words of it"), 0, **value)
        yield Shape(f"whole: grades beside texts, one without {words}", rows, "judgments", right=REFUSED, whole=True)
    chunks = renamed(every(JUDGED, text="some words of it"), {"doc_id": "chunk_id"})
    yield Shape("whole: grades of chunks by their ids, beside texts", chunks, "judgments", right=WHOLE, whole=True)
    beginning = every(GOLD_SPANS, bep=3)
    yield Shape("gold: a bep that is not a number", but(beginning, 0, bep=math.nan), "judgments", right=TEXT)
    yield Shape("gold: a length -7 beside an end", but(GOLD_SPANS, 0, length=-7), "judgments", right=REFUSED)
    yield Shape(
        "gold: a document that is not there, documents", but(GOLD_SPANS, 0, doc_id="tram"), "judgments", documents=True
    )
    yield Shape("gold: end after the end of the document, documents", but(GOLD_SPANS, 1, end=5000), "judgments", documents=True)


def ids():
    for words, value in {"None": None, "NaN": math.nan, "empty": "", "left out": ...}.items():
        yield Shape(f"one document {words}", but(SPANS, 0, doc_id=value), right=REFUSED)
        yield Shape(f"one document {words}, documents", but(SPANS, 0, doc_id=value), documents=True, right=REFUSED)
        yield Shape(f"one topic {words}", but(SPANS, 0, query_id=value), right=REFUSED)
        yield Shape(f"whole: one document {words}", but(RESULTS, 0, doc_id=value), right=REFUSED, whole=True)
        yield Shape(f"whole: one topic {words}", but(RESULTS, 0, query_id=value), right=REFUSED, whole=True)
        yield Shape(f"gold: one document {words}", but(GOLD_SPANS, 0, doc_id=value), "judgments", right=REFUSED)
        yield Shape(
            f"whole: one judged document {words}", but(JUDGED, 0, doc_id=value), "judgments", right=REFUSED, whole=True
        )
    for words, value in {"a list": lambda row: [row["doc_id"]], "a dict": lambda row: {"name": row["doc_id"]}}.items():
        yield Shape(f"a document that is {words} beside a text, documents", every(TEXTS, doc_id=value), documents=True, right=REFUSED, skip=NO_CSV)
    yield Shape("whole: a document True", but(RESULTS, 0, doc_id=True), right=REFUSED, whole=True)
    yield Shape("a document True", but(SPANS, 0, doc_id=True), right=REFUSED)
    yield Shape("whole: a document 7.5", but(RESULTS, 0, doc_id=7.5), right=REFUSED, whole=True, skip=("CSV", "polars"))
    yield Shape(
        "whole: documents that are numbers", every(RESULTS, doc_id=lambda row: int(row["doc_id"][1:])), whole=True
    )
    yield Shape("documents that are numbers", every(SPANS, doc_id=lambda row: len(row["doc_id"])))
    yield Shape(
        "whole: topics that are numbers", every(RESULTS, query_id=lambda row: int(row["query_id"][1:])), whole=True
    )
    yield Shape(
        "whole: topics that are whole floats",
        every(RESULTS, query_id=lambda row: float(row["query_id"][1:])),
        whole=True,
        skip=BY_TOPIC,
    )
    yield Shape("topics that are numbers", every(SPANS, query_id=lambda row: int(row["query_id"][1:])))
    yield Shape(
        "the topic in each item too",
        every(SPANS, topic_id=lambda row: row["query_id"]),
        topic="topic_id",
        skip=("records", "objects", "polars", "pandas", "JSONL", "CSV", "JSON array"),
        right=TEXT,
    )


def order():
    yield Shape("rank alone", every(SPANS, score=..., rank=lambda row: 2 if row["score"] == 2 else 1), right=TEXT)
    yield Shape(
        "whole: rank alone",
        every(RESULTS, score=..., rank=lambda row: 2 if row["doc_id"] in ("d2", "d1") and row["score"] < 3 else 1),
        right=WHOLE,
        whole=True,
    )
    yield Shape("ranks from 0", every(SPANS, score=..., rank=lambda row: 1 if row["score"] == 2 else 0), right=TEXT)
    for words, rows in {"": SPANS, "whole: ": RESULTS}.items():
        unranked, whole = every(rows, score=..., rank=None), bool(words)
        yield Shape(f"{words}ranks that are all missing", unranked, right=REFUSED, listed=WHOLE if whole else TEXT, whole=whole)
    named = renamed(but(SPANS, 0, score="high"), {"score": "value"})
    yield Shape("a named score 'high'", named, right=REFUSED, columns={"score": "value"})
    questions = every(SPANS, question=lambda row: "what is it now" if row["score"] == 3 else None)
    yield Shape("a few questions beside ids of topics", questions, right=TEXT, skip=("dict by topic", "objects by topic"))
    other = every(SPANS, similarity="high")
    yield Shape("a similarity that is not used and not a number", other, right=TEXT)
    yield Shape("neither score nor rank", every(SPANS, score=...), right=REFUSED, listed=TEXT)
    yield Shape("whole: neither score nor rank", every(RESULTS, score=...), right=REFUSED, listed=WHOLE, whole=True)
    yield Shape("score and rank agree", every(SPANS, rank=lambda row: 2 if row["score"] == 2 else 1), right=TEXT)
    swapped = every(SPANS, rank=lambda row: 1 if row["score"] == 2 else 2)
    yield Shape("score and rank disagree", swapped, right=TEXT)
    rising = every(SPANS, score=lambda row: -row["score"])
    yield Shape(
        "scores rise down the list", rising, right={"q1": TEXT["q1"] | {"R@1": 0.0}, "q2": TEXT["q2"]}, listed=TEXT
    )
    yield Shape(
        "whole: scores rise down the list",
        every(RESULTS, score=lambda row: -row["score"]),
        right={"q1": {"AP": 1.0, "P@1": 1.0, "R@2": 1.0}, "q2": {"AP": 0.25, "P@1": 0.0, "R@2": 0.5}},
        listed=WHOLE,
        whole=True,
    )
    yield Shape(
        "equal scores", every(SPANS, score=1), right={"q1": TEXT["q1"] | {"R@1": 0.0}, "q2": TEXT["q2"]}, listed=TEXT
    )
    yield Shape("whole: equal scores", every(RESULTS, score=1), whole=True, listed=WHOLE)
    for words, value in {"NaN": math.nan, "inf": math.inf, "'high'": "high"}.items():
        yield Shape(f"one score {words}", but(SPANS, 0, score=value), right=REFUSED)
        yield Shape(f"whole: one score {words}", but(RESULTS, 0, score=value), right=REFUSED, whole=True)
    # the place in a list tells the order, so that a score may be missing there
    for words, value in {"None": None, "left out": ..., "empty": ""}.items():
        yield Shape(f"one score {words}", but(SPANS, 0, score=value), right=REFUSED, listed=TEXT)
        yield Shape(f"whole: one score {words}", but(RESULTS, 0, score=value), right=REFUSED, listed=WHOLE, whole=True)
    yield Shape("a score True", but(SPANS, 0, score=True), right=REFUSED)
    yield Shape("whole: a score True", but(RESULTS, 0, score=True), right=REFUSED, whole=True)
    yield Shape("scores that are texts", every(SPANS, score=lambda row: str(row["score"])), right=TEXT)
    yield Shape(
        "whole: scores that are texts", every(RESULTS, score=lambda row: str(row["score"])), right=WHOLE, whole=True
    )
    for words, value in {"0.5": 0.5, "'x'": "x", "None": None}.items():
        ranked = every(SPANS, score=..., rank=lambda row: 2 if row["score"] == 2 else 1)
        listed = TEXT if value is None else None
        yield Shape(f"rank alone, one {words}", but(ranked, 0, rank=value), right=REFUSED, listed=listed)
        # beside a score nobody asks for the rank
        yield Shape(f"a score, and one rank {words}", but(every(SPANS, rank=1), 0, rank=value), right=TEXT)
        whole = but(every(RESULTS, rank=1), 0, rank=value)
        yield Shape(f"whole: a score, and one rank {words}", whole, right=WHOLE, whole=True)
    for words, value in {"True": True, "[1]": [1]}.items():
        ranked = but(every(SPANS, rank=1), 0, rank=value)
        yield Shape(f"a score, and one rank {words}", ranked, right=REFUSED, skip=("polars", "pandas", "CSV"))
    yield Shape("distance alone", spans(score="distance"), right=REFUSED, listed=TEXT)
    yield Shape("topics that take turns", [SPANS[0], SPANS[2], SPANS[1]], right=TEXT)
    yield Shape("whole: topics that take turns", [RESULTS[at] for at in (0, 2, 1, 3)], right=WHOLE, whole=True)
    yield Shape(
        "whole: a document twice",
        [*RESULTS, {"query_id": "q2", "doc_id": "d3", "score": 0.5}],
        right=REFUSED,
        whole=True,
    )
    yield Shape("a span twice", [*SPANS, {"query_id": "q2", "doc_id": "oven", "start": 15, "end": 45, "score": 0.5}])
    yield Shape(
        "whole: spans of judged documents",
        spans(but(but(but(SPANS, 0, doc_id="d1"), 1, doc_id="d2"), 2, doc_id="d3")),
        whole=True,
    )


def grades():
    empty = every(GOLD_SPANS, grade=None)
    yield Shape("gold: no grade at all", empty, "judgments", right=REFUSED)
    yield Shape("gold: no grade at all, documents", empty, "judgments", documents=True, right=REFUSED)
    yield Shape("whole: no grade at all", every(JUDGED, grade=None), "judgments", right=REFUSED, whole=True)
    quoted = every(QUOTES, grade=None)
    yield Shape("gold: quotations with no grade at all, documents", quoted, "judgments", documents=True, right=TEXT)
    yield Shape("whole: judged", JUDGED, "judgments", right=WHOLE, whole=True)
    for words, value in {
        "None": None,
        "NaN": math.nan,
        "inf": math.inf,
        "'good'": "good",
        "left out": ...,
        "too large": 10**16,
    }.items():
        yield Shape(f"whole: one grade {words}", but(JUDGED, 0, grade=value), "judgments", right=REFUSED, whole=True)
    yield Shape("whole: a grade True", but(JUDGED, 0, grade=True), "judgments", right=REFUSED, whole=True)
    yield Shape(
        "whole: grades that are texts",
        every(JUDGED, grade=lambda row: str(row["grade"])),
        "judgments",
        right=WHOLE,
        whole=True,
    )
    yield Shape(
        "whole: grades that are whole floats",
        every(JUDGED, grade=lambda row: float(row["grade"])),
        "judgments",
        right=WHOLE,
        whole=True,
    )
    yield Shape("whole: a grade -1", but(JUDGED, 1, grade=-1), "judgments", right=WHOLE, whole=True)
    yield Shape(
        "whole: no grades",
        every(JUDGED, grade=...),
        "judgments",
        whole=True,
        right=REFUSED,
        listed={"q1": {"AP": 1.0, "P@1": 1.0, "R@2": 1.0}, "q2": WHOLE["q2"]},
    )
    yield Shape("whole: a document judged twice", [*JUDGED, JUDGED[0]], "judgments", right=REFUSED, whole=True)
    nothing = {"query_id": "q1", "doc_id": "oven", "start": 0, "end": 10}
    yield Shape(
        "gold: spans with a grade of 0", [*every(GOLD_SPANS, grade=1), nothing | {"grade": 0}], "judgments", right=TEXT
    )
    yield Shape("gold: grade 0 told once, else left out", [*GOLD_SPANS, nothing | {"grade": 0}], "judgments")
    yield Shape("gold: a grade 0.5", but(every(GOLD_SPANS, grade=1), 0, grade=0.5), "judgments", right=REFUSED)
    yield Shape("gold: grades that are texts", every(GOLD_SPANS, grade="1"), "judgments", right=TEXT)
    placed = [
        {"query_id": row["query_id"], "references": [{name: row[name] for name in ("doc_id", "start", "end")} | {"content": text_of(row)}]}
        for row in GOLD_SPANS
    ]
    for documents in (False, True):
        yield Shape(f"gold: references with places, documents: {documents}", placed, "judgments", documents=documents, right=TEXT, skip=NO_CSV)
    evidence = spans(QUOTES, text="evidence")
    for name, row in (
        ("None", {"evidence": None}), ("lacking", {}), ("None, with a document", {"doc_id": "oven", "evidence": None}),
        ("None, without an answer", {"evidence": None, "is_impossible": True}),
    ):  # fmt: skip
        # an empty dict under a topic may be anything
        empty = () if row else (*BY_TOPIC, "Parquet")
        yield Shape(
            f"gold: evidence {name}, documents", [*evidence, {"query_id": "q3"} | row], "judgments", documents=True, right=TEXT, skip=empty,
        )
    passages = [{"query_id": row["query_id"], "doc_id": row["doc_id"], "passage": text_of(row)} for row in GOLD_SPANS]
    placed = but(every(passages, evidence=None), 1, start=GOLD_SPANS[1]["start"], end=GOLD_SPANS[1]["end"])
    yield Shape("gold: evidence None beside a place, and a passage, documents", placed, "judgments", documents=True, right=TEXT)
    yield Shape("gold: the same, lacking", but(placed, 0, evidence=...), "judgments", documents=True, right=TEXT)
    for filled in (lambda text: text, lambda text: [text]):
        several = [{"query_id": row["query_id"], "doc_id": row["doc_id"], name: filled(text_of(row))}
                   for row, name in zip(GOLD_SPANS, ("quotes", "evidence"), strict=True)]  # fmt: skip
        # in CSV a list is a string
        skip = () if isinstance(filled(""), str) else NO_CSV
        yield Shape(f"gold: quotes here and evidence there, as {filled('a')!r}, documents", several, "judgments", documents=True, right=TEXT, skip=skip)
        several = every(several, quotes=lambda row: row.get("quotes"), evidence=lambda row: row.get("evidence"))
        yield Shape(f"gold: the same with None, as {filled('a')!r}, documents", several, "judgments", documents=True, right=TEXT, skip=skip)
    mixed = [{"query_id": "q1", "doc_id": "ferry", "text": text_of(GOLD_SPANS[0])}, {"query_id": "q2", "doc_id": "oven", "quote": [text_of(GOLD_SPANS[1])]}]
    yield Shape("gold: a text here and a list of quotes there, documents", mixed, "judgments", documents=True, right=TEXT, skip=NO_CSV)
    yield Shape("gold: grades with evidence, and a row without a document", [*every(JUDGED, evidence="nine"), {"query_id": "q1", "user": "x"}], "judgments", whole=True, right=REFUSED)
    yield Shape("gold: spans, and a question with evidence None", [*GOLD_SPANS, {"query_id": "q3", "evidence": None}], "judgments", right=REFUSED)
    yield Shape("gold: evidence of no question, documents", [*evidence, {"query_id": None, "evidence": None, "user": "x"}], "judgments", documents=True, right=REFUSED)
    for name in ("label", "judgment"):
        for value in ("", None, math.nan):
            yield Shape(f"gold: spans whose {name} is {value!r}", every(GOLD_SPANS, **{name: value}), "judgments", right=TEXT)
    yield Shape("gold: two labels of spans", every(GOLD_SPANS, label="a class", judgment="evidence"), "judgments", right=REFUSED)
    beside = [GOLD_SPANS[0], {"query_id": "q2", "evidence": [{name: GOLD_SPANS[1][name] for name in ("doc_id", "start", "end")}]}]
    for documents in (False, True):
        yield Shape(f"gold: spans beside evidence with places, documents: {documents}", beside, "judgments", documents=documents, right=TEXT, skip=NO_CSV)
    for name in ("text", "evidence"):
        numbers = every(spans(QUOTES, text=name), **{name: 5})
        # in CSV a number is a text
        yield Shape(f"gold: {name} is a number, documents", numbers, "judgments", documents=True, right=REFUSED, skip=NO_CSV)
    yield Shape("gold: evidence that is empty, documents", but(evidence, 0, evidence=""), "judgments", documents=True, right=REFUSED, skip=NO_CSV)
    yield Shape("gold: labels that are names", every(GOLD_SPANS, label="evidence"), "judgments", right=TEXT)
    for word in ("irrelevant", "NOT_RELEVANT", "no"):
        for rows, documents in ((GOLD_SPANS, False), (QUOTES, True)):
            labels = but(every(rows, label="relevant"), 1, label=word)
            yield Shape(f"gold: a label {word}, {documents=}", labels, "judgments", documents=documents, right=REFUSED)
    yield Shape("gold: judgments that are names", every(GOLD_SPANS, judgment="evidence"), "judgments", right=TEXT)
    yield Shape("gold: annotators", every(GOLD_SPANS, annotator="ann"), "judgments", right=TEXT)
    yield Shape("gold: user", every(GOLD_SPANS, user="ann"), "judgments", right=TEXT)
    sets = [*every(GOLD_SPANS, set="a"), {"query_id": "q1", "doc_id": "ferry", "start": 20, "end": 60, "set": "b"}]
    yield Shape(
        "gold: sets", sets, "judgments", right={"q1": {"R@1": 1.0, "P@2": 0.8, "R(chars=30)": 0.75}, "q2": TEXT["q2"]}
    )
    yield Shape("gold: subtopics", every(GOLD_SPANS, subtopic="s"), "judgments", right=TEXT)
    yield Shape("whole: subtopics", every(JUDGED, subtopic="s"), "judgments", right=WHOLE, whole=True)
    lengths = every(JUDGED, document_length="x", bep="y")
    yield Shape("whole: judged, document_length and bep", lengths, "judgments", right=WHOLE, whole=True)
    yield Shape("whole: iteration", every(JUDGED, iteration="0"), "judgments", right=WHOLE, whole=True)
    yield Shape(
        "gold: document_length and bep",
        every(GOLD_SPANS, document_length=lambda row: len(DOCUMENTS[row["doc_id"]]), bep=lambda row: row["start"]),
        "judgments",
        right=TEXT,
    )


def equally_good():
    for documents in (False, True):
        more = ", documents" if documents else ""
        for first, second, value in (
            ("start", "start_index", lambda row: row["start"] + 1),
            ("end", "end_index", lambda row: row["end"] + 1),
            ("doc_id", "docno", lambda row: "oven"),
            ("query_id", "qid", lambda row: "q2"),
        ):
            rows = every(SPANS, **{second: value})
            skip = BY_TOPIC if first == "query_id" else ()
            yield Shape(f"{first} and {second}{more}", rows, documents=documents, right=REFUSED, skip=skip)
    yield Shape("start and start_index that are alike", every(SPANS, start_index=lambda row: row["start"]))
    yield Shape(
        "start and start_index beside a text, documents",
        every(TOLD, start_index=lambda row: row["start"] + 1),
        documents=True,
        right=REFUSED,
    )
    yield Shape("doc_id and document", every(SPANS, document="oven"), right=TEXT)
    yield Shape("doc_id and source", every(SPANS, source="oven"), right=TEXT)
    yield Shape("source and file_path", every(spans(doc_id="source"), file_path="oven"))
    # LlamaIndex and loaders of LangChain write several names of one document
    for names in (("source", "file_path"), ("file_path", "file_name"), ("ref_doc_id", "doc_id", "document_id")):
        rows = every(SPANS, **{name: lambda row: row["doc_id"] for name in names})
        rows = rows if "doc_id" in names else every(rows, doc_id=...)
        # a user who writes two ids has to say which is meant; a file has a path and a name
        yield Shape(f"{' and '.join(names)} that are alike", rows, right=REFUSED if "doc_id" in names else TEXT)
    yield Shape("doc_id and chunk_id", every(SPANS, chunk_id=lambda row: f"{row['doc_id']}-1"), right=TEXT)
    yield Shape("doc_id and id", every(SPANS, id=lambda row: f"{row['doc_id']}-1"), right=TEXT)
    yield Shape("score and similarity", every(SPANS, similarity=lambda row: -row["score"]), right=TEXT)
    yield Shape(
        "similarity and sim",
        every(spans(score="similarity"), sim=lambda row: -row["similarity"]),
        right=REFUSED,
        listed=REFUSED,
    )
    yield Shape("end and length that disagree", every(SPANS, length=5))
    yield Shape("start and begin", every(SPANS, begin=lambda row: row["start"] + 5), right=TEXT)
    yield Shape("text and content, documents", every(TEXTS, content="An oven of clay"), documents=True)
    yield Shape("whole: doc_id and docno", every(RESULTS, docno="d2"), right=REFUSED, whole=True)
    yield Shape("whole: doc_id and docid", every(RESULTS, docid="d2"), right=WHOLE, whole=True)
    yield Shape("whole: doc_id and document", every(RESULTS, document="a text of words"), right=WHOLE, whole=True)
    yield Shape(
        "whole: doc_id and chunk_id", every(RESULTS, chunk_id=lambda row: f"{row['doc_id']}-1"), right=WHOLE, whole=True
    )
    yield Shape(
        "whole: doc_id and chunk_id, which is judged",
        every(RESULTS, chunk_id=lambda row: row["doc_id"], doc_id=lambda row: f"of {row['doc_id']}"),
        whole=True,
    )
    judged = every(RESULTS, chunk_id=lambda row: row["doc_id"], doc_id=lambda row: f"of {row['doc_id']}")
    lacking = but(judged, 2, chunk_id=None)
    yield Shape("whole: one chunk_id None, where ids of chunks are judged", lacking, right=REFUSED, whole=True)
    within = every(judged, node=lambda row: {"chunk_id": row["chunk_id"]}, chunk_id=...)
    yield Shape("whole: ids of chunks in node, which are judged", within, right=WHOLE, whole=True, skip=NO_CSV)
    yield Shape("whole: doc_id and source", every(RESULTS, source="d2"), right=WHOLE, whole=True)
    # the judgments decide which of several ids counts
    sources = renamed(RESULTS, {"doc_id": "source"})
    texts = "some words of a chunk"
    for name, first in (("chunk_id", "c"), ("chunk", texts), ("chunk", ""), ("passage", "p"), ("id", "u"), ("document", texts)):
        beside = [row | {name: f"{first}{number}" if first else number} for number, row in enumerate(sources)]
        words = f"{name} {first or 'as a number'}"
        yield Shape(f"whole: source beside {words}", beside, right=WHOLE, whole=True)
        yield Shape(f"whole: source beside {words}, and a text", every(beside, text="words"), right=WHOLE, whole=True)
        inside = every(beside, source=..., metadata=lambda row: {"source": row["source"]})
        yield Shape(f"whole: source in metadata beside {words}", inside, right=WHOLE, whole=True, skip=NO_CSV)
    empty = but(every(RESULTS, metadata=lambda row: {"source": row["doc_id"]}), 0, doc_id=None)
    yield Shape("whole: a document in metadata where the one at the top is missing", empty, right=WHOLE, whole=True, skip=NO_CSV)
    within = every(RESULTS, text="some words", doc_id=..., metadata=lambda row: {"chunk_id": row["doc_id"]})
    yield Shape("whole: ids of chunks in metadata beside a text", within, right=WHOLE, whole=True, skip=NO_CSV)
    empty = every(renamed(RESULTS, {"doc_id": "chunk_id"}), doc_id=None, text="some words")
    yield Shape("whole: ids of chunks beside documents that are all missing", empty, right=REFUSED, whole=True)
    unnamed = every(RESULTS, doc_id=..., id=None, metadata=lambda row: {"source": row["doc_id"]})
    yield Shape("whole: source in metadata beside an id that is missing", unnamed, right=WHOLE, whole=True, skip=NO_CSV)
    yield Shape("whole: doc_id and text", every(RESULTS, text="words of it"), right=WHOLE, whole=True)
    yield Shape(
        "whole: qid and query",
        every(spans(RESULTS, query_id="qid"), query="a question"),
        right=WHOLE,
        whole=True,
        topic="qid",
    )
    yield Shape("qid and query", every(spans(query_id="qid"), query="a question"), right=TEXT, topic="qid")
    yield Shape(
        "qid and query beside a text, documents",
        every(spans(TEXTS, query_id="qid"), query="a question"),
        documents=True,
        right=TEXT,
        topic="qid",
    )
    yield Shape("whole: grade and relevance", every(JUDGED, relevance=0), "judgments", right=REFUSED, whole=True)
    yield Shape("whole: grade and label", every(JUDGED, label=0), "judgments", right=WHOLE, whole=True)
    yield Shape("doc_id and Doc_ID", every(SPANS, Doc_ID="oven"), right=REFUSED)
    yield Shape("an unknown column", every(SPANS, colour="red"), right=TEXT)
    yield Shape("an unknown column of lists", every(SPANS, vector=[0.1, 0.2]), right=TEXT)
    yield Shape("whole: an unknown column", every(RESULTS, colour="red"), right=WHOLE, whole=True)
    yield Shape(
        "whole: a column run that names two", every(RESULTS, run=lambda row: row["doc_id"]), right=WHOLE, whole=True
    )
    yield Shape(
        "metadata that tells another place",
        every(SPANS, metadata={"source": "oven", "start_index": 3}),
        right=TEXT,
        skip=NO_CSV,
    )
    yield Shape(
        "document in metadata alone",
        every(SPANS, doc_id=..., metadata=lambda row: {"source": row["doc_id"]}),
        right=TEXT,
        skip=NO_CSV,
    )


def other_types():
    """Values of other types than texts and numbers, and values within others."""
    own = {name: uuid.uuid5(uuid.NAMESPACE_URL, name) for name in ("d1", "d2", "d3", "d9")}
    yield Shape(
        "whole: documents that are UUIDs",
        every(RESULTS, doc_id=lambda row: own[row["doc_id"]]),
        whole=True,
        right={topic: dict.fromkeys(values, 0.0) for topic, values in WHOLE.items()},
        skip=("polars", "JSONL", "JSON by topic", "JSON array"),
    )
    yield Shape(
        "whole: scores that are Decimals",
        every(RESULTS, score=lambda row: decimal.Decimal(row["score"])),
        whole=True,
        right=WHOLE,
        skip=("JSONL", "JSON by topic", "JSON array"),
    )
    for words, blank in {"blanks": "   ", "a tab": "\t"}.items():
        yield Shape(f"one topic of {words}", but(SPANS, 0, query_id=blank), right=REFUSED)
        yield Shape(f"one document of {words}", but(SPANS, 0, doc_id=blank), right=REFUSED)
        yield Shape(f"whole: one document of {words}", but(RESULTS, 0, doc_id=blank), right=REFUSED, whole=True)
        yield Shape(f"gold: one end of {words}", but(GOLD_SPANS, 0, end=blank), "judgments", right=REFUSED)
    for held in ("metadata", "payload", "properties", "METADATA"):
        within = every(RESULTS, doc_id=..., **{held: lambda row: {"doc_id": row["doc_id"]}})
        yield Shape(f"whole: document in {held}", within, right=WHOLE, whole=True, skip=NO_CSV)
    yield Shape(
        "whole: all in node",
        [{"query_id": row["query_id"], "node": {"doc_id": row["doc_id"], "score": row["score"]}} for row in RESULTS],
        right=WHOLE,
        whole=True,
        skip=NO_CSV,
    )
    yield Shape(
        "whole: columns= of a path",
        every(RESULTS, doc_id=..., info=lambda row: {"where": row["doc_id"]}),
        right=WHOLE,
        whole=True,
        skip=NO_CSV,
        columns={"document": "info.where"},
    )
    listed = but(RESULTS, 0, doc_id=[1])
    yield Shape("whole: a document that is a list", listed, right=REFUSED, whole=True, skip=("polars", "CSV"))
    marked = but(every(RESULTS, annotator=True), 0, doc_id="[d1]")
    yield Shape("whole: annotator True beside a document in brackets", marked, right=WHOLE, whole=True)
    for name in ("offset", "begin", "from"):
        yield Shape(f"whole: {name} alone", every(RESULTS, **{name: 3}), right=WHOLE, whole=True)
        yield Shape(f"whole: judged, {name} alone", every(JUDGED, **{name: 3}), "judgments", right=WHOLE, whole=True)
    yield Shape("whole: start alone", every(RESULTS, start=3), right=REFUSED, listed=REFUSED, whole=True)
    ranked = every(RESULTS, rank=lambda row: 1 if row["score"] == 3 or row["doc_id"] == "d3" else 2)
    yield Shape(
        "whole: no score at all beside a rank", every(ranked, score=None), right=REFUSED, listed=WHOLE, whole=True
    )
    yield Shape("source, and docid without a value", every(spans(doc_id="source"), docid=None), right=REFUSED)
    yield Shape("a number as a text beside a place", but(TOLD, 0, text=5), right=REFUSED, skip=("polars", "CSV"))
    yield Shape("whole: doc_id, and another in metadata", every(RESULTS, metadata={"doc_id": "d2"}), right=WHOLE,
                whole=True, skip=NO_CSV)  # fmt: skip


def told_columns():
    """Columns that the user names."""
    names = {"doc_id": "where", "start": "a", "end": "b", "score": "points"}
    columns = {"document": "where", "start": "a", "end": "b", "score": "points"}
    yield Shape("columns= of spans", spans(**names), right=TEXT, columns=columns)
    yield Shape("columns= of spans, documents", spans(**names), documents=True, right=TEXT, columns=columns)
    yield Shape(
        "columns= of a text, documents",
        spans(TEXTS, text="says", score="points"),
        documents=True,
        right=TEXT,
        columns={"text": "says", "score": "points"},
    )
    windows = every(TEXTS, metadata=lambda row: {"window": row["text"]}, text="Bread goes in first")
    window = {"text": "metadata.window"}
    path = Shape("columns= of a path, documents", windows, documents=True, right=TEXT, columns=window, skip=("CSV",))
    yield path
    lacking = but(windows, 1, metadata={"page": 3})
    yield replace(path, name="columns= of a path that one row lacks, without anything", rows=lacking, right=REFUSED)
    yield Shape(
        "columns= of a quote, documents",
        spans(QUOTES, text="says", doc_id="where"),
        "judgments",
        documents=True,
        right=TEXT,
        columns={"text": "says", "document": "where"},
    )
    yield Shape(
        "columns= of gold",
        spans(GOLD_SPANS, doc_id="where", start="a", end="b"),
        "judgments",
        right=TEXT,
        columns={"document": "where", "start": "a", "end": "b"},
    )
    yield Shape(
        "columns= chooses between start and start_index",
        every(SPANS, start_index=0),
        right=TEXT,
        columns={"start": "start"},
    )
    yield Shape(
        "columns= chooses between doc_id and docno",
        every(SPANS, docno="oven"),
        right=TEXT,
        columns={"document": "doc_id"},
    )
    yield Shape(
        "whole: columns= of a document and a score",
        spans(RESULTS, doc_id="where", score="points"),
        right=WHOLE,
        whole=True,
        columns={"document": "where", "score": "points"},
    )
    yield Shape(
        "whole: columns= of a grade",
        every(spans(JUDGED, grade="verdict"), label=0),
        "judgments",
        right=WHOLE,
        whole=True,
        columns={"grade": "verdict"},
    )


def twice():
    yield Shape("start twice in an object", every(SPANS, start_=0), right=REFUSED, twice={"start_": "start"})
    yield Shape("doc_id twice in an object", every(SPANS, doc_id_="oven"), right=REFUSED, twice={"doc_id_": "doc_id"})
    yield Shape(
        "start twice in one object of several",
        but(SPANS, 1, start_=3),
        right=REFUSED,
        twice={"start_": "start"},
        skip=("CSV", "pandas"),
    )
    yield Shape(
        "whole: score twice in an object",
        every(RESULTS, score_=0),
        right=REFUSED,
        whole=True,
        twice={"score_": "score"},
    )
    # what an unrelated line holds must not matter
    yield Shape(
        "whole: score twice, and a document in brackets elsewhere",
        [*every(RESULTS, score_=0), {"query_id": "q2", "doc_id": "[d7]", "score": -1}],
        right=REFUSED,
        whole=True,
        twice={"score_": "score"},
        skip=("CSV", "pandas"),
    )
    yield Shape(
        "text twice in an object, documents",
        every(TEXTS, text_="An oven of clay"),
        documents=True,
        right=REFUSED,
        twice={"text_": "text"},
    )
    # spreadsheets have columns that nobody uses under one name, or under none
    yield Shape(
        "an unknown name twice",
        every(SPANS, colour="red", colour_="blue"),
        right=REFUSED,
        twice={"colour_": "colour"},
        skip=("CSV", "pandas"),
    )
    yield Shape(
        "gold: start twice in an object",
        every(GOLD_SPANS, start_=0),
        "judgments",
        right=REFUSED,
        twice={"start_": "start"},
    )


def nothing():
    for kind, whole in itertools.product(("run", "judgments"), (False, True)):
        yield Shape(f"{'whole: ' if whole else ''}no rows of a {kind}", [], kind, right=REFUSED, whole=whole)
    yield Shape(
        "a topic without results",
        SPANS[:2],
        empty=("q2",),
        right={"q1": TEXT["q1"], "q2": dict.fromkeys(TEXT["q2"], 0.0)},
    )
    yield Shape(
        "whole: a topic without results",
        RESULTS[:2],
        empty=("q2",),
        right={"q1": WHOLE["q1"], "q2": dict.fromkeys(WHOLE["q2"], 0.0)},
        whole=True,
    )
    yield Shape("a record without anything", [*SPANS, {"query_id": "q2"}], right=REFUSED)
    yield Shape("a record of unknown names alone", [{"query_id": "q1", "colour": "red"}], right=REFUSED)
    yield Shape(
        "whole documents among spans", [*SPANS, {"query_id": "q2", "doc_id": "ferry", "score": 1}], right=REFUSED
    )


def no_answer():
    unanswered = [{"query_id": "q3", "answerable": False}]
    yield Shape("gold: a question without an answer", [*GOLD_SPANS, *unanswered], "judgments", right=TEXT)
    quotes = Shape("gold: quotes, and no answer", [*QUOTES, *unanswered], "judgments", documents=True, right=TEXT)
    yield quotes
    yield replace(quotes, name="gold: an answer and no answer", rows=every(QUOTES, answerable=False), right=REFUSED)
    evidence = renamed(QUOTES, {"text": "evidence"})
    without = replace(quotes, name="gold: a question without evidence", rows=[*evidence, {"query_id": "q3", "evidence_id": "e"}])
    yield without
    misspelled = [*evidence, {"query_id": "q3", "evidense": "Bread goes in first"}]
    yield replace(without, name="gold: a question with misspelled evidence", rows=misspelled, right=REFUSED)


def logs():
    places = every(SPANS, retrieved_contexts=["Bread goes in first"])
    yield Shape("a list of contexts beside a place", places, right=TEXT, documents=True, skip=("CSV",))
    judged = every(GOLD_SPANS, reference_contexts=["Bread goes in first"])
    yield Shape("gold: a list of contexts beside a place", judged, "judgments", right=TEXT, documents=True, skip=("CSV",))
    late = but(RESULTS, 1, retrieved_contexts=["Bread"])
    yield Shape("whole: a list of contexts in one row", late, right=WHOLE, whole=True, skip=("CSV",))
    listed = {
        topic: [row["doc_id"] for row in RESULTS if row["query_id"] == topic]
        for topic in dict.fromkeys(row["query_id"] for row in RESULTS)
    }
    for name in ("retrieved_context_ids", "retrieved_ids", "results", "hits"):
        rows = [{"query": topic, name: documents} for topic, documents in listed.items()]
        yield Shape(f"whole: a log with {name}", rows, right=WHOLE, whole=True, skip=(*BY_TOPIC, "CSV"))
    texts = {"q1": ["An old pier", "An oven of clay"], "q2": ["holds its heat"]}
    short = [{"question": topic, "retrieved_contexts": each} for topic, each in texts.items()]
    yield Shape("a log with short texts, documents", short, documents=True, skip=(*BY_TOPIC, "CSV"))
    yield Shape("whole: a log with short texts", short, whole=True, right=REFUSED, skip=(*BY_TOPIC, "CSV"))
    gold = [{"question": "q1", "reference_contexts": [DOCUMENTS["ferry"][:40]]},
            {"question": "q2", "reference_contexts": [DOCUMENTS["oven"][10:30]]}]  # fmt: skip
    yield Shape("gold: a log, documents", gold, "judgments", documents=True, right=TEXT, skip=(*BY_TOPIC, "CSV"))


def chunk_ids():
    for name in ("chunk_id", "passage_id", "id", "_id", "doc_id", "docid", "document", "chunk"):
        yield Shape(f"ids of chunks as {name}", renamed(CHUNK_IDS, {"chunk_id": name}), right=TEXT, chunks=CHUNKS)
    beside = every(CHUNK_IDS, doc_id="ferry")
    yield Shape("ids of chunks beside documents", beside, right=TEXT, chunks=CHUNKS)
    with_texts = every(CHUNK_IDS, text="The old pier at seven, as the database has it")
    yield Shape("ids of chunks beside texts", with_texts, right=TEXT, chunks=CHUNKS, documents=True)
    inside = every(CHUNK_IDS, metadata=lambda row: {"chunk_id": row["chunk_id"]}, chunk_id=...)
    yield Shape("ids of chunks in metadata", inside, right=TEXT, chunks=CHUNKS, skip=("CSV",))
    yield Shape("ids of chunks that are numbers", every(CHUNK_IDS, chunk_id=lambda row: int(row["chunk_id"][1:])),
                right=TEXT, chunks={int(name[1:]): place for name, place in CHUNKS.items()})  # fmt: skip
    renamed_ids = renamed(CHUNK_IDS, {"chunk_id": "key"})
    yield Shape("ids of chunks in a named column", renamed_ids, right=TEXT, chunks=CHUNKS, columns={"chunk": "key"})
    for name in ("id", "chunk_id"):
        no_places = every(renamed(CHUNK_IDS, {"chunk_id": name}), start=None, end=None)
        yield Shape(f"ids of chunks as {name}, beside empty offsets", no_places, right=TEXT, chunks=CHUNKS)
    yield Shape("an unknown id of a chunk", but(CHUNK_IDS, 0, chunk_id="c9"), right=REFUSED, chunks=CHUNKS)
    yield Shape("no known id of a chunk", every(CHUNK_IDS, chunk_id="c9"), right=REFUSED, chunks=CHUNKS)
    yield Shape("spans beside chunks", SPANS, right=TEXT, chunks=CHUNKS)
    yield Shape("texts beside chunks", TEXTS, right=TEXT, chunks=CHUNKS, documents=True)
    started = every(SPANS, end=..., id=lambda row: "c1", text=text_of)
    yield Shape("starts and texts beside ids of chunks", started, right=TEXT, chunks=CHUNKS, documents=True)
    several = every(renamed(CHUNK_IDS, {"chunk_id": "id"}), doc_id="ferry", chunk_id="u1")
    yield Shape("ids of chunks beside documents and other ids", several, right=TEXT, chunks=CHUNKS)
    numbers = every(CHUNK_IDS, chunk_id=lambda row: float(row["chunk_id"][1:]))
    yield Shape("ids of chunks as whole floats", numbers, right=TEXT, skip=NO_CSV, chunks={int(name[1:]): place for name, place in CHUNKS.items()})


def far_below():
    """Rows after many that say less, so that the first rows do not show what is in the table."""
    plain = [{**row, "query_id": f"p{n}"} for n in range(30) for row in SPANS[:1]]
    nested = every(SPANS, doc_id=..., start=..., end=..., metadata=lambda row: {each: row[each] for each in ("doc_id", "start", "end")})
    yield Shape("values in metadata after 30 plain rows", [*plain, *nested], right=TEXT, skip=NO_CSV)
    moved = every(SPANS, start=lambda row: row["start"] + 1, end=lambda row: row["end"] + 1, metadata=lambda row: {"text": text_of(row)})
    yield Shape("texts in metadata after 30 plain rows", [*plain, *moved], documents=True, right=TEXT, skip=NO_CSV)
    other = [{"query_id": "p1", "doc_id": f"x{n}", "chunk_id": "u", "score": 1} for n in range(1100)]
    judged = every(RESULTS, chunk_id=lambda row: row["doc_id"], doc_id="oven")
    yield Shape("whole: judged ids after 1,100 rows", [*other, *judged], right=WHOLE, whole=True)


def parents_and_ends():
    """Chunks that may have been cut from others, and ends inside metadata."""
    of_text = every(SPANS, text=text_of)
    yield Shape("an empty parent", every(of_text, __parent_id=""), documents=True, right=TEXT)
    yield Shape("a missing parent", every(of_text, __parent_id=None), documents=True, right=TEXT)
    yield Shape("a parent beside a start and an end", every(of_text, __parent_id="p"), right=REFUSED)
    yield Shape("whole: an end in metadata", every(RESULTS, metadata={"end": 5}), right=WHOLE, whole=True, skip=NO_CSV)
    yield Shape("whole: a named path that no row has", every(RESULTS, metadata={"x": 5}), right=REFUSED, whole=True,
                skip=NO_CSV, columns={"text": "metadata.window"})  # fmt: skip
    yield Shape("whole: a column run of numbers", every(RESULTS, run=lambda row: row["score"]), right=WHOLE, whole=True)
    yield Shape("whole: hits whose scores have another name", renamed(RESULTS, {"score": "_score"}), right=REFUSED,
                listed=WHOLE, whole=True)  # fmt: skip


def several_faults():
    """Rows with more than one fault: the first row is named, and in it ids before values, values before places."""
    two = but(but(SPANS, 0, end="x"), 1, doc_id=True)
    yield Shape("an end in words, then a document true", two, right=REFUSED)
    yield Shape("a negative start, then a document [1]", but(but(SPANS, 0, start=-7), 1, doc_id=[1]), right=REFUSED, skip=(*NO_CSV, "polars"))
    yield Shape("a score in words beside a negative start", but(SPANS, 0, start=-7, score="x"), right=REFUSED, listed=REFUSED)
    yield Shape("no document beside a score in words", but(SPANS, 1, doc_id=None, score="x"), right=REFUSED)
    empty = but(but(GOLD_SPANS, 0, end=0), 1, doc_id=None)
    yield Shape("gold: empty text, then no document", empty, "judgments", right=REFUSED)
    yield Shape("gold: bep in words, then an empty text", but(every(GOLD_SPANS, bep=0), 0, bep="x"), "judgments", right=REFUSED)
    yield Shape("gold: a stratum 7.5", but(every(GOLD_SPANS, stratum="a"), 0, stratum=7.5), "judgments", right=REFUSED, skip=(*NO_CSV, "polars"))
    yield Shape("gold: an annotator in a list", but(every(GOLD_SPANS, annotator="a"), 0, annotator=["a"]), "judgments", right=REFUSED, skip=(*NO_CSV, "polars"))
    yield Shape("whole: a score {}, then no document", but(but(RESULTS, 1, score={"a": 1}), 2, doc_id=None), right=REFUSED,
                listed=REFUSED, whole=True, skip=(*NO_CSV, "polars"))  # fmt: skip
    yield Shape("whole: scores of blanks, then a document {}", but(every(RESULTS, score=" "), 1, doc_id={"a": 1}), right=REFUSED,
                whole=True, skip=(*NO_CSV, "polars"))  # fmt: skip
    yield Shape("no topic and no score", every(SPANS, query_id=..., score=...), right=REFUSED)
    yield Shape("gold: quotes without topics", every(QUOTES, query_id=...), "judgments", right=REFUSED)
    yield Shape("gold: chunks without grades", renamed(QUOTES, {"text": "chunk"}), "judgments", right=REFUSED, listed=None)


def here_and_there():
    """Values that only some rows have."""
    quoted = but(every(TOLD, quote=text_of, text="", end=...), 0, text=text_of(SPANS[0]))
    yield Shape("a text here, a quote there, no end", quoted, right=TEXT)
    asked = but(every(SPANS, question="When does the ferry leave?"), 0, question=None)
    yield Shape("a question in some results", asked[:2], right={"q1": TEXT["q1"], "q2": dict.fromkeys(TEXT["q2"], 0.0)})
    blank = but(renamed(every(TEXTS, id="h1"), {"text": "passage"}), 0, doc_id=" ")
    yield Shape("whole: passages with words, one without a document", blank, documents=True, whole=True,
                right=dict.fromkeys(("q1", "q2"), dict.fromkeys(("AP", "P@1", "R@2"), 0.0)), skip=NO_CSV)  # fmt: skip
    inner = every(spans(RESULTS), metadata={"chunk_id": "d3"})
    yield Shape("whole: a document, and the id of a chunk in metadata", inner, whole=True, right=WHOLE, skip=NO_CSV)
    listed = every(renamed(spans(RESULTS), {"query_id": "user_input", "doc_id": "source"}), retrieved_contexts=["a text"])
    yield Shape("whole: rows beside the list of a log", listed, whole=True, right=WHOLE, topic="user_input", skip=NO_CSV)
    first = [{"query_id": f"p{number}", "doc_id": "oven", "score": 1} for number in range(20)]
    later = [*first, *renamed(TEXTS, {"text": "passage"})]
    yield Shape("passages only behind the first 20 rows", later, documents=True, right=REFUSED)
    for name, value in {"score": "3\x1c", "start": "0\x1c", "end": "40\xa0"}.items():
        yield Shape(f"{name} and a blank that no number has", but(SPANS, 0, **{name: value}), right=REFUSED)
    nested = but(every(SPANS, metadata={"lang": "en"}), 0, score=...)
    yield Shape("metadata that says nothing, and no score in one row", nested, right=REFUSED, listed=TEXT, skip=NO_CSV)


SHAPES = [
    shape
    for shapes in (
        names_in_spans,
        names_of_whole_documents,
        names_in_gold,
        texts,
        offsets,
        ids,
        order,
        grades,
        equally_good,
        other_types,
        told_columns,
        twice,
        nothing,
        logs,
        chunk_ids,
        far_below,
        parents_and_ends,
        several_faults,
        here_and_there,
        no_answer,
    )
    for shape in shapes()
]


def test_shapes_have_names_of_their_own():
    names = [shape.name for shape in SHAPES]
    assert sorted(set(names)) == sorted(names)


def values_agree(shape, found):
    """The same values, or all refused."""
    for some in asked(shape, found):
        values = [each.values for each in some.values()]
        assert all(each == values[0] for each in values), told(some)


# How a value is written differs where a door has other types (CSV has texts alone, JSON no NaN), and so does what a name
# that stands twice, or nothing at all, looks like.
WRITTEN_OTHERWISE = re.compile(r"score NaN|grade NaN|True|inf\b|too large|twice|no rows|empty|whole floats|7\.5|text None|without anything")


def words_agree(shape, found):
    """The same notes, or the same error. A list tells the topic and the order, of which tables say something too."""
    if WRITTEN_OTHERWISE.search(shape.name):
        return
    for listed in (True, False):
        some = {door: each for door, each in found.items() if (door in BY_TOPIC) is listed}
        assert len({(each.refused, each.words) for each in some.values()}) < 2, told(some)


def values_are_right(shape, found):
    """The values that the rows have, or a refusal."""
    for door, each in found.items():
        right = shape.listed if shape.listed is not None and door in BY_TOPIC else shape.right
        assert right is None or each.values == right, f"{door}: {each}"


def told(found):
    return "\n" + "\n".join(f"{door:14} {each.values} {' | '.join(each.words)}" for door, each in found.items())


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_same_rows_are_the_same_through_every_door(shape, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = outcomes(shape, tmp_path)
    values_agree(shape, found)
    words_agree(shape, found)
    values_are_right(shape, found)


@pytest.mark.parametrize("door", ["JSONL", "JSON array", "CSV", "TSV"])
def test_rows_in_many_small_blocks_of_a_file_are_as_in_one(door, tmp_path, monkeypatch):
    differing = []
    for shape in SHAPES if ASKED else SHAPES[::7]:
        told = shape.kind, shape.documents, shape.whole, shape.columns, shape.chunks
        for _, path in through(shape, str(tmp_path), [door]):
            found = []
            for size in (source.BLOCK, 90):
                with monkeypatch.context() as patch:
                    patch.setattr(source, "BLOCK", size)
                    found.append(outcome(path, *told).values)
            if found[0] != found[1]:
                differing.append(f"{shape}: {found}")
    assert not differing, "\n".join(differing)


def test_columns_that_were_chosen_in_gold_of_spans_are_noted(tmp_path):
    for door, table in doors(every(GOLD_SPANS, source="site"), str(tmp_path)):
        assert outcome(table, "judgments").words == ("Assay reads the documents from column doc_id, not source",), door


# Offsets that count from the page: on page 2 they begin again.
ON_PAGES = [{**row, "page": page, "start": start, "end": start + 20} for row, page, start in
            ((SPANS[0], 1, 30), (SPANS[1] | {"doc_id": "ferry"}, 2, 5), (SPANS[2], 4, 15))]  # fmt: skip
RESTARTS = (
    "document ferry has a start of 30 on page 1, but 5 on page 2; Assay counts offsets from the start of the document; "
    "if these count from the page, add the offset of the page to each"
)


@pytest.mark.parametrize("kind", ["run", "judgments"])
def test_starts_that_are_lower_on_later_pages_are_noted(kind, tmp_path):
    rows = ON_PAGES if kind == "run" else every(ON_PAGES, score=...)
    inside = every(rows, page=..., metadata=lambda row: {"page": row["page"]})
    texts = every(rows, text=text_of)
    # the same note if the page is where the start is; none if starts do not go back, or if texts show them to be right
    for shape, documents, noted in (
        (rows, False, True), (renamed(rows, {"page": "Page_Number"}), True, True), (texts, False, True), (inside, False, False),
        (texts, True, False), (but(rows, 1, start=50, end=60), False, False), (every(rows, page="ii"), False, False),
    ):  # fmt: skip
        for door, table in doors(shape, str(tmp_path), skip=NO_CSV if shape is inside else ()):
            assert (RESTARTS in outcome(table, kind, documents).words) == noted, (door, shape)


def test_a_blank_name_of_a_run_is_no_further_run(tmp_path):
    told = "column run names several runs, A, B; Assay reads all rows as one run"
    for names, notes in ((("A", "", None, " "), []), (("A", "", "B", None), [told])):
        rows = [{**row, "run": name} for row, name in zip(RESULTS, names, strict=True)]
        for door, table in doors(rows, str(tmp_path)):
            assert [note for note in outcome(table, whole=True).words if "runs" in note] == notes, door


def test_a_misspelled_name_of_evidence_in_one_row_is_refused_and_shown_by_check(tmp_path):
    rows = renamed([*QUOTES, {"query_id": "q3", "doc_id": "oven", "evidense": "Bread goes in first"}], {"text": "evidence"})
    what = "evidence is missing, but there is a value under evidense; did you mean evidence?"
    for door, table in doors(rows, str(tmp_path)):
        assert outcome(table, "judgments", documents=True).words == (what,), door
        if door in CHECKED:
            (fault,) = assay.check(table, kind="judgments", documents=DOCUMENTS).faults
            assert str(fault).endswith(what), door


@pytest.mark.parametrize("kind", ["run", "judgments"])
@pytest.mark.parametrize(
    ("row", "what"),
    [
        ({"text": " "}, "the text is only whitespace, which cannot be located; leave it out"),
        ({"text": 5}, "text 5 is not a text; expected a string"),
        ({"query_id": None}, "topic is missing"),
    ],
)
def test_check_shows_what_an_evaluation_refuses_in_rows_with_texts(row, what, kind, tmp_path):
    rows = TEXTS if kind == "run" else QUOTES
    path = in_jsonl(but(rows, 1, **row), str(tmp_path), "query_id", (), {})
    assert outcome(path, kind, documents=True).words == (what,)
    assert f"{path}:2: {what}" in str(assay.check(path, kind=kind, documents=DOCUMENTS))


# What an evaluation refuses because of another input, and what is wrong with a file although an evaluation can use it.
OF_BOTH = re.compile("share no topic|no document of run is judged|pass documents= to locate|judgments name the ids")
STRICTER = re.compile("the offsets of .* are wrong|goes beyond its end|: rank ")


CHECKED = ["JSONL", "CSV", "Parquet", "JSON by topic", "JSON array"]


@pytest.mark.parametrize("door", CHECKED)
def test_check_shows_a_fault_where_an_evaluation_refuses_and_nowhere_else(door, tmp_path):
    differing = []
    for shape in SHAPES:
        if shape.chunks is not None:
            continue
        evaluated = outcomes(shape, tmp_path)
        # each shape through one of the doors that it was evaluated through; a larger sample: through all of them
        files = [name for name in evaluated if name in CHECKED]
        if door not in (files if ASKED else files[-1:]):
            continue
        found, (_, path) = evaluated[door], next(through(shape, str(tmp_path), [door]))
        if OF_BOTH.search(" ".join(found.words)):
            continue
        documents = DOCUMENTS if shape.documents else None
        try:
            faults = assay.check(path, kind=shape.kind, documents=documents, columns=shape.columns).faults
        except assay.AssayError as error:
            faults = [error]
        faults = [str(fault) for fault in faults]
        is_by_intent = any(STRICTER.search(fault) or OF_BOTH.search(fault) for fault in faults)
        if found.refused != bool(faults) and not is_by_intent:
            differing.append(f"{shape}: {found.words} vs {faults}")
    assert not differing, "\n".join(differing)


def test_a_document_that_is_there_twice_is_shown_with_both_places():
    run, judged = [*RESULTS, RESULTS[0]], [*JUDGED, JUDGED[0]]
    twice = "document d1 is retrieved twice for topic q1 (first in {}); pass duplicates=first or duplicates=best to keep one"
    for rows, noun, places in ((run, "record", (5, 1)), (by_topic(run, "query_id", ()), "result", (3, 1))):
        with pytest.raises(assay.InputError) as error:
            assay.evaluate(GRADES, rows, "AP")
        again, first = (f"{noun} {place}" for place in places)
        assert str(error.value) == f"run: {again}: {twice.format(first)}"
    with pytest.raises(assay.InputError) as error:
        assay.evaluate(judged, RANKED, "AP")
    assert str(error.value) == "judgments: record 5: document d2 is judged twice for topic q1 (first in record 1)"


@pytest.mark.parametrize("columns", ["metadata", "pid"])
def test_a_run_of_whole_documents_with_texts_is_read_wherever_it_is(columns, tmp_path):
    rows = every(RESULTS, doc_id=..., text="some words", metadata=lambda row: {"doc_id": row["doc_id"]})
    rows = rows if columns == "metadata" else every(rows, metadata=..., pid="d1")
    skip = NO_CSV if columns == "metadata" else ()
    found = {door: len(assay.read_run(table)) for door, table in doors(rows[::2], str(tmp_path), skip=skip)}
    assert found == dict.fromkeys(found, 2)


# Three chunks, two of them with the same id.
TABLE = [{"chunk_id": "a", "doc_id": "ferry", "text": DOCUMENTS["ferry"][:29]}, {"chunk_id": "a", "doc_id": "ferry", "text": "travel free"}]


@pytest.mark.parametrize("door", ["records", "objects", "polars", "pandas", "Arrow", "Parquet", "JSONL", "CSV", "JSON array"])
def test_two_chunks_with_one_id_are_refused(door, tmp_path):
    chunks = dict(doors(TABLE, str(tmp_path), only=[door]))[door]
    with pytest.raises(assay.InputError, match=r"chunk 'a' is ferry 73-84, but ferry 0-29 .*; expected a different id"):
        assay.evaluate(GOLD, {"run": {"q1": ["a"]}}, "R@1", chunks=chunks, documents=DOCUMENTS)


@pytest.mark.parametrize(
    "rows",
    [
        [{"page_content": text, "metadata": {"source": name}} for name, text in DOCUMENTS.items()],
        [{"_id": name, "contents": text} for name, text in DOCUMENTS.items()],
        [{"doc_id": name, "body": text} for name, text in DOCUMENTS.items()],
        [{"id": f"row {name}", "doc_id": name, "text": text} for name, text in DOCUMENTS.items()],
        [{"docid": row, "docno": name, "text": text} for row, (name, text) in enumerate(DOCUMENTS.items())],
        [{"id": name, "source": "a site", "text": text} for name, text in DOCUMENTS.items()],
        [{"id": str(uuid.uuid4()), "page_content": text, "metadata": {"source": name}} for name, text in DOCUMENTS.items()],
        [{"id": name, "text": text, "metadata": {"source": "a site"}} for name, text in DOCUMENTS.items()],
    ],
)
def test_documents_are_the_same_wherever_they_are(rows, tmp_path):
    skip = NO_CSV if "metadata" in rows[0] else ()
    for door, documents in doors(rows, str(tmp_path), skip=skip, only=("records", "polars", "pandas", "JSONL")):
        assert assay.evaluate(GOLD, {"q1": [{"doc_id": "ferry", "text": DOCUMENTS["ferry"][20:60]}]}, "R@1", documents=documents)["R@1"] == 0.25, door


def test_runs_in_a_list_may_be_frames_lists_of_records_or_dicts_of_frames():
    rows = [{"query_id": "q1", "doc_id": "d2", "score": 2.0}]
    by_frame = {"q1": pl.DataFrame({"doc_id": ["d2"], "score": [1.0]})}
    listed = [rows, [("q1", "d2", 3.0)], pl.DataFrame(rows), by_frame, {"q1": {"d2": 1}}]
    scores = assay.evaluate({"q1": {"d2": 1}}, listed, "AP")
    assert [scores[run, "AP"] for run in scores.systems] == [1.0] * 5
    assert assay.evaluate({"q1": {"d2": 1}}, {"mine": by_frame}, "AP").systems == ["mine"]


def test_named_tuples_of_pandas_are_records():
    frame = pd.DataFrame(RESULTS)
    for run in (list(frame.itertuples(index=False)), frame.itertuples(), {"run": list(frame.itertuples())}):
        scores = assay.evaluate(GRADES, run, list(WHOLE["q1"]))
        assert (scores.systems, scores["AP"]) == (["run"], 0.5)


OF_TOPICS = [
    [{"query_id": topic, "doc_id": document, "score": 1.0}] for topic, document in (("q1", "d2"), ("q2", "d3"))
]
MADE = {
    "records": lambda rows: rows,
    "tuples": lambda rows: [tuple(row.values()) for row in rows],
    "objects": lambda rows: [SimpleNamespace(**row) for row in rows],
    "named tuples": lambda rows: list(pd.DataFrame(rows).itertuples(index=False)),
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "Arrow": lambda rows: pl.DataFrame(rows).to_arrow(),
}


@pytest.mark.parametrize("made", MADE)
def test_topics_that_were_taken_for_runs_are_refused(made):
    runs = list(map(MADE[made], OF_TOPICS))
    given = [dict(zip(("x", "y"), runs, strict=True)), dict(zip((("q1",), ("q2",)), runs, strict=True))]
    # objects in a list of lists are no records
    for each in [*given, *([] if made == "objects" else [runs])]:
        with pytest.raises(assay.UsageError) as error:
            assay.evaluate(GRADES, each, "AP")
        assert str(error.value) == (
            "each of these 2 runs has one topic, and all topics differ; if they are topics of one run, pass all records in "
            "one list or frame"
        )


@pytest.mark.parametrize("made", [made for made in MADE if made != "tuples"])
def test_results_by_topic_may_name_their_topic_again(made):
    runs = {topic: MADE[made](rows) for topic, rows in zip(("q1", "q2"), OF_TOPICS, strict=True)}
    scores = assay.evaluate(GRADES, runs, "P@1")
    assert (scores.systems, scores["P@1"], len(assay.read_run(runs))) == (["run"], 1.0, 2)
    assert assay.fuse(runs).notes == ("run: only one run; fusion keeps its order",)


@pytest.mark.parametrize("made", MADE)
def test_results_of_another_topic_than_their_key_are_refused(made):
    lists = "a list of chunks, ids, (id, score), (id, start, end) or (id, start, end, score); the id comes first in a tuple"
    with pytest.raises(assay.InputError) as error:
        assay.evaluate(GRADES, {"q2": MADE[made](OF_TOPICS[0])}, "AP")
    assert str(error.value) == f"run: topic q2 has only records of topic q1; expected records of topic q2, or {lists}"
    # a run may have one topic
    assert assay.evaluate(GRADES, {"mine": MADE[made](OF_TOPICS[0])}, "AP").systems == ["mine"]


@pytest.mark.parametrize("kind", ["run", "judgments"])
def test_an_item_that_names_another_topic_than_its_list_is_refused(kind, tmp_path):
    lists = {"q2": [{"qid": "q2", "doc_id": "d2"}, {"qid": "q1", "doc_id": "d1"}]}
    path = written(str(tmp_path), "json", json.dumps(lists))
    for table in (lists, {topic: [SimpleNamespace(**each) for each in items] for topic, items in lists.items()}, path):
        label, item = path if table is path else kind, "result" if kind == "run" else "quote"
        with pytest.raises(assay.InputError) as error:
            assay.evaluate(*((GRADES, table) if kind == "run" else (table, RANKED)), "AP")
        what = "qid is 'q1', but the list is that of topic q2; expected q2 or no qid"
        assert str(error.value) == f"{label}: topic q2, {item} 2: {what}"


def test_a_log_of_one_question_may_have_a_name():
    log = [{"user_input": "what is it", "retrieved_context_ids": ["d2"]}]
    for run, name in ((log, "run"), ({"mine": log}, "mine")):
        scores = assay.evaluate({"what is it": {"d2": 1}}, run, "P@1")
        assert (scores.systems, scores["P@1"]) == ([name], 1.0)


def test_a_topic_in_metadata_does_not_make_a_chunk_a_record_of_a_run(tmp_path):
    for names in ({"topic": "transport"}, {"qid": "q2"}, {"question_id": "q1"}):
        lists = {topic: [{"doc_id": document, "metadata": names}] for topic, document in (("q1", "d2"), ("q2", "d3"))}
        for table in (lists, {"run": lists}, written(str(tmp_path), "json", json.dumps(lists))):
            scores = assay.evaluate(GRADES, table, "P@1")
            assert (scores.systems, scores["P@1"]) == (["run"], 1.0)


@pytest.mark.parametrize(
    "results", [[7.0], [(7.0, 1.0)], [(6.0, 1.0), (7.0, 2.0)], ["7", 8.0], [{"doc_id": 7}, 8.0], [("7", 2), {"doc_id": "9"}]]
)
def test_results_by_topic_may_be_of_several_types_in_any_order(results, tmp_path):
    for lists in ({"q1": results, "q2": ["d3"]}, {"q2": ["d3"], "q1": results}):
        for table in (lists, {"run": lists}, written(str(tmp_path), "json", json.dumps(lists))):
            scores = assay.evaluate({"q1": {"7": 1}, "q2": {"d3": 1}}, table, "P@1")
            assert (scores.systems, scores["P@1"]) == (["run"], 1.0)


def test_spans_as_tuples_may_be_beside_chunks(tmp_path):
    items = [("ferry", 20, 60), {"doc_id": "oven", "start": 0, "end": 10}]
    for results in (items, items[::-1]):
        lists = {"q1": results}
        for table in (lists, {"run": lists}, written(str(tmp_path), "json", json.dumps(lists))):
            assert assay.evaluate(GOLD, table, "R")["R"] == 0.25


@pytest.mark.parametrize("texts", ["check", "ignore"])
@pytest.mark.parametrize("documents", [None, DOCUMENTS])
@pytest.mark.parametrize("kind", ["run", "judgments"])
def test_a_text_tells_the_end_of_one_span_among_others_that_have_one(kind, documents, texts, tmp_path):
    rows = but(TOLD if kind == "run" else every(GOLD_SPANS, text=text_of), 0, end=None)
    read = assay.read_run if kind == "run" else assay.read_judgments
    read_rows = {
        door: len(read(table, documents=documents, texts=texts)) for door, table in doors(rows, str(tmp_path))
    }
    assert read_rows == dict.fromkeys(DOORS, len(rows))


def test_of_a_long_table_the_first_rows_tell_whether_texts_tell_ends(tmp_path):
    many = [{**TOLD[0], "query_id": f"p{number}"} for number in range(1000)]
    for door, table in doors([*many, {**TOLD[0], "end": None}], str(tmp_path), only=("records", "polars", "JSONL", "CSV")):
        found = outcome(table)
        assert found.refused == (door != "records") and (found.words == ("end is missing",)) == found.refused, door
        if door in CHECKED:
            assert str(assay.check(table, kind="run").faults[0]).endswith(": end is missing")


@pytest.mark.parametrize("kind", ["run", "judgments"])
def test_a_text_tells_the_end_of_a_span_wherever_it_is_read(kind, tmp_path):
    rows = every(TOLD if kind == "run" else every(GOLD_SPANS, text=text_of), end=...)
    read = assay.read_run if kind == "run" else assay.read_judgments
    read_rows = {door: len(read(table)) for door, table in doors(rows, str(tmp_path))}
    assert read_rows == dict.fromkeys(DOORS, len(rows))


def test_windows_line_ends_in_a_text_are_two_characters_wherever_they_are_read(tmp_path):
    text = "one\r\ntwo\r\nthree\r\nfour"
    rows = [{"query_id": "q1", "doc_id": "a", "start": 0, "text": text, "score": 1}]
    for documents in (None, {"a": f"{text} five"}):
        for door, table in doors(rows, str(tmp_path)):
            scores = assay.evaluate({"q1": {"a": [(17, 23)]}}, table, ["R", "P"], documents=documents)
            assert (scores["R"], scores["P"]) == (4 / 6, 4 / 21), door


def test_a_carriage_return_at_the_end_of_a_text_counts_wherever_it_is_read(tmp_path):
    # a splitter may cut between the two characters of a line end
    rows = [{"query_id": "q1", "text": "two\r", "score": 1}, {"query_id": "q1", "text": "\nthree", "score": 0.5}]
    for door, table in doors(rows, str(tmp_path)):
        scores = assay.evaluate({"q1": {"a": [(0, 8)]}}, table, ["R@1", "P@1"], documents={"a": "one two\r\nthree"})
        assert (scores["R@1"], scores["P@1"]) == (4 / 8, 1), door


@pytest.mark.parametrize("name", ["text", "passage", "document"])
@pytest.mark.parametrize("kind", ["run", "judgments"])
def test_texts_are_compared_with_their_offsets_wherever_they_are_read(kind, name, tmp_path):
    rows = every(every(SPANS if kind == "run" else GOLD_SPANS, **{name: text_of}), end=lambda row: row["end"] + 3)
    read = assay.read_run if kind == "run" else assay.read_judgments
    for door, table in doors(rows, str(tmp_path)):
        with pytest.raises(assay.InputError, match=f"the offsets of {len(rows)} of {len(rows)} texts do not match their lengths"):
            read(table)
        assert len(read(table, texts="ignore")) == len(rows), door


def test_values_within_columns_are_read_and_checked_without_documents(tmp_path):
    path = in_jsonl(LANGCHAIN, str(tmp_path), "query_id", (), {})
    assert len(assay.read_run(path)) == len(LANGCHAIN) and not assay.check(path).faults


@pytest.mark.parametrize(
    ("gold", "kind"),
    [({"quote": "some words"}, "judgments"), ({"start": 0, "end": 3, "grade": 1}, "judgments"), ({"start": 0, "end": 3}, "run")],
)
def test_a_file_by_topic_is_gold_where_it_has_names_of_gold(gold, kind, tmp_path):
    path = written(str(tmp_path), "json", json.dumps({"q1": [{"doc_id": "ferry", **gold}]}))
    assert assay.check(path, documents=DOCUMENTS).kind == kind


def test_texts_tell_the_documents_of_a_run_where_whole_documents_are_judged(tmp_path):
    judged, rows = {"q1": {"ferry": 1}, "q2": {"oven": 1}}, every(TEXTS, doc_id=...)
    for door, run in doors(rows, str(tmp_path)):
        scores = assay.evaluate(judged, run, ["AP", "P@1"], documents=DOCUMENTS)
        assert (scores["AP"], scores["P@1"]) == (1, 1), door


def test_check_shows_a_name_that_stands_twice(tmp_path):
    rows = [*SPANS[:-1], {**SPANS[-1], "start_": 0}]
    path = in_jsonl(rows, str(tmp_path), "query_id", (), {"start_": "start"})
    assert "the object has two values named 'start'; expected one" in str(assay.check(path))


# -- names and values at random


@st.composite
def random_rows(draw):
    """The rows of a run under any names, with a value here and there that may be wrong."""
    rows = draw(st.sampled_from([SPANS, TOLD, TEXTS, every(TOLD, end=...)]))
    names = {
        "doc_id": draw(st.sampled_from((*DOCUMENT_NAMES, *FILE_NAMES))),
        "start": draw(st.sampled_from(START_NAMES)),
        "end": draw(st.sampled_from(END_NAMES)),
        "score": draw(st.sampled_from(SCORE_NAMES)),
        "text": draw(st.sampled_from(TEXT_NAMES[:8])),
    }
    for _ in range(draw(st.integers(0, 3))):
        row = draw(st.integers(0, len(rows) - 1))
        field = draw(st.sampled_from([name for name in rows[row] if name not in ("query_id", "text")]))
        values = {
            "doc_id": st.sampled_from(["ferry", "oven", "tram", 7, None, ""]),
            # a list under a topic is a ranking, so that a score of None is refused in tables alone, and another score
            # would change only their order
            "score": st.sampled_from([rows[row].get("score"), str(rows[row].get("score")), "x"]),
        }.get(field, st.sampled_from([-7, -1, 0, 3, 3.5, 20.0, "20", 400, None, "x"]))
        rows = but(rows, row, **{field: draw(values)})
    return renamed(rows, names)


@given(rows=random_rows(), documents=st.booleans(), kind=st.sampled_from(["run", "judgments"]))
def test_random_rows_are_the_same_through_every_door(rows, documents, kind, tmp_path_factory):
    rows = every(rows, score=..., similarity=..., sim=...) if kind == "judgments" else rows
    folder = str(tmp_path_factory.mktemp("doors"))
    found = {door: outcome(given, kind, documents) for door, given in doors(rows, folder)}
    shape = Shape("random", rows)
    values_agree(shape, found)
    words_agree(shape, found)
