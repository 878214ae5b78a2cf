"""The name of a document that could be several files: errors name the row that has it."""

import json

import pytest

import assay
from assay.errors import InputError
from helpers.files import written

WORDS = "document R.md could be 2 files of d: x/R.md, y/R.md; write the whole name, for example x/R.md"
GOLD = [{"query_id": "1", "doc_id": "x/R.md", "start": 0, "end": 3}, {"query_id": "2", "doc_id": "R.md", "start": 0, "end": 3}]
QUOTES = [{"query_id": "1", "quote": "two"}, {"query_id": "2", "doc_id": "R.md", "quote": "one"}]
RUN = {"1": [("x/R.md", 0, 3)]}


@pytest.fixture
def write(folder):
    """Write two documents with the same name, and return a function that writes records."""
    written("one", "d/x/R.md")
    written("two", "d/y/R.md")
    return lambda records: written("".join(json.dumps(each) + "\n" for each in records), "gold.jsonl")


@pytest.mark.parametrize("records", [GOLD, QUOTES])
def test_an_evaluation_and_a_check_name_the_row(records, write):
    path = write(records)
    with pytest.raises(InputError) as caught:
        assay.evaluate(path, RUN, ["R"], documents="d")
    assert str(caught.value) == f"gold.jsonl:2: {WORDS}"
    assert [str(fault) for fault in assay.check(path, documents="d").faults] == [f"gold.jsonl:2: {WORDS}"]
    with pytest.raises(InputError) as caught:
        assay.evaluate(records, RUN, ["R"], documents="d")
    assert str(caught.value) == f"judgments: record 2: {WORDS}"


def test_a_run_with_texts_names_the_row(write):
    run = write([{"query_id": "1", "doc_id": "R.md", "text": "one", "score": 1}])
    with pytest.raises(InputError) as caught:
        assay.evaluate(GOLD[:1], run, ["R"], documents="d")
    assert str(caught.value) == f"gold.jsonl:1: {WORDS}"


def test_locate_names_the_row(write):
    with pytest.raises(InputError) as caught:
        assay.locate(write(QUOTES), "d")
    assert str(caught.value) == f"gold.jsonl:2: {WORDS}"
    with pytest.raises(InputError) as caught:
        assay.locate(QUOTES, "d")
    assert str(caught.value) == f"texts: row 2: {WORDS}"
