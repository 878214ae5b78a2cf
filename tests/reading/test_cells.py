"""What stands in the cells of records and lists in memory: texts, numbers, and whatever else other packages have.

Each kind of object in each place is taken for a value or refused in one line, which names the place.
"""

import dataclasses
import datetime
import decimal
import enum
import fractions

import numpy as np
import pandas as pd
import polars as pl
import pytest

import assay
from assay.reading import cells
from helpers.fuzzing import is_one_line
from helpers.samples import ASKED

NAN = float("nan")
MISSING = [None, NAN, np.float64("nan"), np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), decimal.Decimal("nan")]
SPANS = {"1": [("a", 0, 5)], "2": [("b", 0, 5)]}
DOCUMENTS = {"a": "It has nine arches.", "b": "Soup of the day."}


def span(**changed):
    """A record of a run of spans."""
    return {"query_id": "1", "doc_id": "a", "start": 0, "end": 5, "score": 1.0} | changed


def whole(**changed):
    """A record of a run of whole documents."""
    return {"query_id": "1", "doc_id": "a", "score": 1.0} | changed


def message_of(judgments, run, **options):
    """What is said where an evaluation is refused."""
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate(judgments, run, "R@5", **options)
    return str(refused.value)


# What is missing


@pytest.mark.parametrize("missing", MISSING, ids=repr)
@pytest.mark.parametrize(("name", "field"), [("query_id", "topic"), ("doc_id", "document")])
def test_an_id_that_is_missing_is_no_id(missing, name, field):
    others = [span(query_id="2", doc_id="b"), whole(query_id="2", doc_id="b")]
    for record, other in zip((span(), whole()), others, strict=True):
        assert message_of(SPANS, [other, record | {name: missing}]) == f"run: record 2: {field} is missing"
        assert message_of(SPANS, [record | {name: missing}]) == f"run: record 1: {field} is missing"


@pytest.mark.parametrize("missing", MISSING, ids=repr)
def test_a_judged_document_that_is_missing_is_no_document(missing):
    spans = [{"query_id": "1", "doc_id": missing, "start": 0, "end": 5}, {"query_id": "2", "doc_id": "b", "start": 0, "end": 5}]
    grades = [{"query_id": "1", "doc_id": missing, "grade": 1}, {"query_id": "2", "doc_id": "b", "grade": 1}]
    for judgments in (spans, grades):
        assert message_of(judgments, {"2": ["b"]}) == "judgments: record 1: document is missing"


def test_an_id_may_be_the_text_nan():
    run = [span(doc_id="nan"), span(query_id="2", doc_id=7)]
    assert assay.evaluate({"1": [("nan", 0, 5)], "2": [("7", 0, 5)]}, run, "R@5")["R@5"] == 1


@pytest.mark.parametrize("few", [0, 100])
def test_a_few_ids_are_packed_as_many_are(few, monkeypatch):
    monkeypatch.setattr(cells, "FEW", few)
    texts = ["d", "", None, "é", "a\0b", "🦊", " ", "x" * 70]
    packed = cells.pack_ids(pl.Series("id", texts, pl.String))
    assert packed.texts() == [text or "" for text in texts]
    assert packed.length.tolist() == [len((text or "").encode()) for text in texts]


# What other packages have for a number, and what is none


@pytest.mark.parametrize("number", [np.array(3), np.squeeze(np.array([[3]])), np.int8(3)], ids=repr)
def test_an_array_without_dimensions_is_the_number_it_holds(number):
    low, ranked = 0.5, {"query_id": "1", "start": 0, "end": 5}
    by_text = {"query_id": "1", "source": "a", "text": "It has nine arches."}
    for runs in (
        [span(score=number), span(doc_id="b", score=low)],
        [{**ranked, "doc_id": "b", "rank": 9}, {**ranked, "doc_id": "a", "rank": number}],
        {"1": [("a", number - 3, number + 2)]},
        [by_text | {"score": number}, by_text | {"source": "b", "text": "Soup of the day.", "score": low}],
    ):
        assert assay.evaluate({"1": [("a", 0, 5)]}, runs, "R@1", documents=DOCUMENTS)["R@1"] == 1
    for judged in ([number], {"3": number}, {number.item(): 1}):
        for runs in ([whole(doc_id=number)], {"1": {"3": number}}, {"1": [("3", number)]}, {"1": [number]}):
            assert assay.evaluate({"1": judged}, runs, "R@1")["R@1"] == 1


class Colour(enum.Enum):
    RED = 1


class Named(str, enum.Enum):  # noqa: UP042, as a StrEnum is written otherwise
    RED = "a"


@dataclasses.dataclass
class Evidence:
    passage_text: str
    where: str


class Unspeakable:
    """An object of another package with a fault of its own."""

    def __repr__(self):
        raise RuntimeError("no words")


STRANGE = {
    "a list": [1],
    "an array": np.array([0.5, 1]),
    "an array of one": np.array([0.5]),
    "a Series": pd.Series([1, 2]),
    "a column": pl.Series([1, 2]),
    "a range": range(3),
    "an Enum": Colour.RED,
    "a dict": {"a": 1},
    "a set": {1},
    "a tuple": (1, "a"),
    "a dataclass": Evidence("It has", "a"),
    "a date": datetime.date(2020, 1, 1),
    "a time": pd.Timestamp("2020-01-01"),
    "bytes": b"a",
    "a type": int,
    "a complex number": 1j,
    "a fraction": fractions.Fraction(1, 3),
    "half of a character": "\ud800",
    "a Boolean": True,
    "something unspeakable": Unspeakable(),
}


@pytest.mark.parametrize("what", STRANGE)
@pytest.mark.parametrize("name", ["start", "end", "score", "rank"])
def test_what_is_no_number_is_refused_with_its_record_and_its_field(what, name):
    message = message_of(SPANS, [span(), span(query_id="2") | {name: STRANGE[what]}])
    assert message.startswith(f"run: record 2: {name} ")
    assert message_of(SPANS, [span() | {name: STRANGE[what]}]).startswith(f"run: record 1: {name} ")


def test_the_words_for_what_is_no_value():
    assert message_of(SPANS, [span(rank=Colour.RED)]) == (
        "run: record 1: rank <Colour.RED: 1> is neither text nor a number"
    )
    assert message_of(SPANS, [span(score="\ud800")]) == (
        "run: record 1: score '\\ud800' is not a number"
    )
    record = {"query_id": "1", "source": "a", "text": "It has nine arches.", "score": [1]}
    assert message_of(SPANS, [record], documents=DOCUMENTS) == (
        "run: record 1: score [1] is neither text nor a number"
    )
    assert message_of(SPANS, [whole(doc_id=(1, 2))]) == (
        "run: record 1: document (1, 2) is neither text nor a whole number"
    )


def test_a_column_of_judgments_in_a_run_may_hold_anything():
    assert assay.evaluate(SPANS, [span(label=[1]), span(label=Colour.RED, query_id="2", doc_id="b")], "R@5")["R@5"] == 1


# Any object in any place

OBJECTS = STRANGE | {
    "an empty text": "",
    "a text": "x",
    "a text with a number": " 7 ",
    "a text that is an Enum": Named.RED,
    "a number": 7,
    "a negative number": -1,
    "no finite number": np.inf,
    "a decimal number": 1.5,
    "a Decimal": decimal.Decimal("1.5"),
    "no Decimal": decimal.Decimal("sNaN"),
    "a large number": 10**20,
    "a number of many digits": 10**400,
    "a number of too many digits": 10**5000,
    "a large float": 1e300,
    "an array in no dimension": np.array(0.5),
    "a text in no dimension": np.array("a"),
    "an object in no dimension": np.array(Colour.RED, object),
    "an empty array": np.array([]),
    "an empty list": [],
    "a generator": (each for each in ("a", "b")),
    **{f"missing {number}": missing for number, missing in enumerate(MISSING)},
}
RECORDS = {
    "spans": span(rank=1),
    "documents": whole(rank=1),
    "texts": {"query_id": "1", "source": "a", "text": "It has nine arches.", "score": 1.0, "rank": 1},
    "texts with places": span(text="It ha", rank=1),
    "judged spans": span(grade=1, set="x", annotator="y", bep=0, document_length=19),
    "judged documents": whole(grade=1, iteration="0", subtopic="1"),
    "judged texts": {"query_id": "1", "doc_id": "a", "text": "It has", "grade": 1, "set": "x"},
}


def is_value_or_refused(judgments, runs, **options):
    """Whether an evaluation has a value, or is refused by Assay itself in one line."""
    try:
        assay.evaluate(judgments, runs, "R@5", **options)
    except assay.AssayError as error:
        return is_one_line(str(error))
    return True


def in_order(kind, records, others):
    """Judgments and a run, whichever of them the records are."""
    return (records, others) if kind.startswith("judged") else (others, records)


# By default every second object in a place is tried in one of two ways, in turn; a larger sample tries each in both ways.
WAYS = 1 if ASKED else 4


@pytest.mark.parametrize("kind", RECORDS)
def test_anything_in_a_record_is_a_value_or_refused(kind):
    record, failed = RECORDS[kind], []
    # alone, and among others
    alone, among = (SPANS, {"1": ["a"]}) if kind.startswith("judged") else ({"1": {"a": 1}}, SPANS)
    for first, (what, given) in enumerate(OBJECTS.items()):
        for number, name in enumerate(record, first):
            changed = record | {name: given}
            if number % WAYS == 0 and not is_value_or_refused(*in_order(kind, [changed], alone)):
                failed.append(f"{what} as {name}, alone")
            both = in_order(kind, [changed, record | {"query_id": "2"}], among)
            if (number + 2) % WAYS == 0 and not is_value_or_refused(*both, documents=DOCUMENTS):
                failed.append(f"{what} as {name}, among others")
    assert failed == []


def hashable(given):
    """An object that can be a name in a dict."""
    try:
        hash(given)
    except TypeError:
        return "x"
    return given


def nestings(given):
    """Dicts that have an object in each place."""
    name = hashable(given)
    yield from ({"1": given}, {name: ["a"]}, {name: {"a": 1}}, {"1": {"a": given}}, {"1": {name: 1}}, {"1": [given]})
    yield from ({"1": ["a", given]}, {"1": [("a", given)]}, {"1": [(given, 0.5)]}, {"1": [given, given]})
    yield from ({"1": [("a", 0, 5), given]}, {"1": [("a", given, 5)]}, {"1": [("a", 0, given)]}, {"1": [(given, 0, 5)]})
    yield from ({"1": [("a", 0, 5, given)]}, {"1": {"a": [(0, given)]}}, {"1": {"a": [given]}}, {"1": {"a": {"s": given}}})
    yield from ({"1": [{"doc_id": "a", "start": given, "end": 5}]}, {"1": [{"doc_id": given, "start": 0, "end": 5}]})
    yield from ({"1": [{"doc_id": "a", "text": "It has", "score": given}]}, {"1": [{"text": given}]}, {"1": (given,)})
    yield from ([given], [given, given], [("1", "a", given)], [("1", given, 1)], [(given, "a", 1)], given)


@pytest.mark.parametrize("what", OBJECTS)
def test_anything_in_a_dict_or_a_list_is_a_value_or_refused(what):
    for number, nested in enumerate(nestings(OBJECTS[what]), list(OBJECTS).index(what)):
        # a run and judgments, in a way for one object and in another for the next; a larger sample tries each both ways
        if number % WAYS == 0:
            assert is_value_or_refused(SPANS, nested, documents=DOCUMENTS), nested
        if (number + 1) % WAYS == 0:
            assert is_value_or_refused(nested, {"1": ["a"]}), nested
        if (number + 2) % WAYS == 0:
            assert is_value_or_refused({"1": {"a": 1}}, nested), nested
        if (number + 3) % WAYS == 0:
            assert is_value_or_refused(nested, SPANS, documents=DOCUMENTS), nested
