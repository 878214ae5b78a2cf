"""Where a row stands, as errors tell it."""

import numpy as np
import pytest

from assay.errors import InputError
from assay.tables.ids import Ids
from assay.tables.places import Place, Places, twice


@pytest.mark.parametrize(
    ("place", "message", "line", "number"),
    [
        (Place("r"), "r: is wrong", None, None),
        (Place("r", 3), "r:3: is wrong", 3, None),
        (Place("r", 3, "row"), "r: row 3: is wrong", None, 3),
        (Place("r", None, "result"), "r: is wrong", None, None),
        (Place("r", 3, "result", "topic 1, document d"), "r: topic 1, document d: is wrong", None, 3),
    ],
)
def test_an_error_is_told_with_its_place_and_keeps_its_number(place, message, line, number):
    error = place.fault("is wrong")
    assert (str(error), error.what, error.path, error.line, error.number) == (message, "is wrong", "r", line, number)


@pytest.mark.parametrize(
    ("first", "again", "message"),
    [
        (Place("r", 1), Place("r", 4), "r:4: document d is judged twice for topic 1 (first on line 1)"),
        (
            Place("r", 1, "row"),
            Place("r", 4, "row"),
            "r: row 4: document d is judged twice for topic 1 (first in row 1)",
        ),
        (Place("r"), Place("r"), "r: document d is judged twice for topic 1"),
    ],
)
def test_a_document_that_stands_there_twice(first, again, message):
    assert str(twice("1", "d", "judged", first, again)) == message


def test_places_of_some_rows():
    lines = Places("r", [2, 3, 5, 8].__getitem__)
    assert [lines[row].number for row in range(4)] == [2, 3, 5, 8]
    assert [lines.of(np.array([3, 0]))[row].number for row in range(2)] == [8, 2]
    assert lines.behind(2)[1] == Place("r", 8)
    assert Places("r")[0] == Place("r", 1, "row")
    assert Places("r", noun="record").behind(4)[0] == Place("r", 5, "record")


def test_a_topic_and_a_document_are_found_without_the_keys_of_a_dict():
    places = Places("r", noun="result", key=lambda row: f"key {row}")
    find = places.finder(Ids.of(["1", "1", "2"]), Ids.of(["d", "e", "d"]))
    assert list(find("1", "e")) == [Place("r", 2, "result")] and not list(find("3", "d"))
    assert places[1].key == places.of(np.array([1]))[0].key == "key 1"


def test_an_error_without_a_place():
    assert str(InputError("is wrong")) == "is wrong"
