"""Gold that has all quotations of a question in one record, or calls them evidence."""

import json

import pandas as pd
import polars as pl
import pytest

import assay
from helpers.commands import invoke
from helpers.files import written

TEXT = "Paris is the capital. It takes 14 days."
DOCUMENTS = {"a": TEXT}
QUOTES = ["Paris is the", "14 days"]
RUN = {"q1": [("a", 0, 21)]}
# Of the 12 and the 7 characters of the quotations the first were returned.
RECALL = 12 / 19


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def files(folder):
    written(lines({"id": "a", "text": TEXT}), "documents.jsonl")
    written(lines({"query_id": "q1", "doc_id": "a", "start": 0, "end": 21, "score": 1}), "run.jsonl")


def refused(gold, **options):
    with pytest.raises(assay.AssayError) as error:
        assay.evaluate(gold, RUN, "R", **options)
    return str(error.value)


@pytest.mark.parametrize("name", ["evidence", "quotes", "excerpts", "references", "reference", "quote", "text"])
@pytest.mark.parametrize("beside", [{}, {"doc_id": "a"}])
@pytest.mark.parametrize("made", [
    lambda row: [row], lambda row: pl.DataFrame([row]), lambda row: pd.DataFrame([row]),
    lambda row: written(lines(row), "gold.jsonl"), lambda row: written(json.dumps([row], indent=1), "gold.json"),
    lambda row: {"q1": [row]},
], ids=["records", "polars", "pandas", "lines", "array", "chunks by topic"])  # fmt: skip
def test_a_list_of_quotations_is_as_many_records(made, beside, name, folder):
    gold = made({"query_id": "q1", **beside, name: QUOTES})
    scores = assay.evaluate(gold, RUN, "R", documents=DOCUMENTS)
    assert scores["R"] == RECALL
    assert "located 2 texts in documents: 2 verbatim, 0 after normalizing whitespace or case, 0 in several places" in scores.notes[0]


def test_a_quotation_may_be_called_evidence(folder):
    row = {"query_id": "q1", "doc_id": "a", "evidence": "14 days"}
    for gold in ([row], {"q1": [row]}, pl.DataFrame([row]), written(lines(row), "gold.jsonl")):
        assert assay.evaluate(gold, {"q1": [("a", 31, 39)]}, "P", documents=DOCUMENTS)["P"] == 7 / 8


def test_quotations_in_a_list_may_tell_their_document(folder):
    row = {"query_id": "q1", "evidence": [{"quote": "14 days", "doc_id": "b"}]}
    documents = {**DOCUMENTS, "b": "After 14 days."}
    for gold in ([row], written(lines(row), "gold.jsonl")):
        assert assay.evaluate(gold, {"q1": [("b", 6, 13)]}, ["R", "P"], documents=documents)["R"] == 1


def test_the_column_of_quotations_is_told(folder):
    row = {"query_id": "q1", "gold": QUOTES}
    for gold in ([row], pl.DataFrame([row]), written(lines(row), "gold.jsonl"), {"q1": [{"gold": QUOTES}]}):
        assert assay.evaluate(gold, RUN, "R", documents=DOCUMENTS, columns={"text": "gold"})["R"] == RECALL


def test_a_column_that_is_told_of_the_gold_changes_nothing_in_the_run():
    run = {"q1": [{"text": TEXT[:21], "start_index": 0, "source": "a"}]}
    gold = [{"query_id": "q1", "gold": QUOTES, "from": 0}]
    told = {"text": "gold", "start": "from"}
    assert assay.evaluate(gold, run, "R", documents=DOCUMENTS, columns=told, texts="locate")["R"] == RECALL


@pytest.mark.parametrize("nothing", [[], None])
def test_a_question_without_evidence_is_left_out(nothing, folder):
    rows = [{"query_id": "q1", "evidence": QUOTES}, {"query_id": "q2", "evidence": nothing}]
    for gold, label in ((rows, "judgments"), (written(lines(*rows), "gold.jsonl"), "gold.jsonl")):
        scores = assay.evaluate(gold, RUN, "R", documents=DOCUMENTS)
        assert (scores["R"], scores.notes[0]) == (RECALL, f"{label}: left out 1 question without gold: 'q2'")


def test_evidence_beside_grades_or_places_is_no_quotation(folder):
    graded = {"query_id": "q1", "doc_id": "a", "grade": 1, "evidence": "not in the text"}
    placed = {"query_id": "q1", "doc_id": "a", "start": 0, "end": 12, "reference": "an answer"}
    for row in (graded, placed):
        for gold in ([row], pl.DataFrame([row]), written(lines(row), "gold.jsonl")):
            assert assay.evaluate(gold, RUN, "R", documents=DOCUMENTS)["R"] == 1


def test_a_line_in_which_evidence_is_no_text_is_named(folder):
    gold = written(lines({"query_id": "q1", "evidence": QUOTES}, {"query_id": "q2", "evidence": [1, 2]}), "gold.jsonl")
    assert refused(gold, documents=DOCUMENTS) == (
        "gold.jsonl:2: evidence [1, 2] is not a text; expected a string"
    )


@pytest.mark.parametrize(
    ("row", "lacking", "what"),
    [
        ({"query_id": "q1", "evidence": QUOTES}, "document", "to locate the texts of column evidence, pass documents="),
        ({"query_id": "q1", "doc_id": "a", "evidence": "x y"}, "grade",
         "to locate the texts of column evidence, pass documents="),
        ({"query_id": "q1", "gold": QUOTES}, "document",
         "if column gold has quotes, pass columns=, for example text=gold, and pass documents="),
        ({"query_id": "q1", "doc_id": "a", "by": "me", "zitat": "x y"}, "grade",
         "if column zitat has quotes, pass columns=, for example text=zitat, and pass documents="),
    ],
)  # fmt: skip
def test_the_column_that_may_have_quotations_is_named(row, lacking, what, folder):
    columns = ", ".join(row)
    gold = written(lines(row), "gold.jsonl")
    assert refused(gold) == f"gold.jsonl: no {lacking} column; the columns are {columns}; {what}"
    assert refused([row]) == f"judgments: no {lacking} column; the columns are {columns}; {what}"


def test_texts_are_located_in_lists_and_where_there_are_none_a_column_is_named(files):
    gold = written(lines({"query_id": "q1", "evidence": QUOTES}), "gold.jsonl")
    rows = [json.loads(line) for line in invoke("locate", gold, "--documents", "documents.jsonl").stdout.splitlines()]
    assert [(row["evidence"], row["start"], row["end"]) for row in rows] == [(QUOTES[0], 0, 12), (QUOTES[1], 31, 38)]
    gold = written(lines({"query_id": "q1", "source": "a", "passend": QUOTES[0]}), "gold.jsonl")
    assert invoke("locate", gold, "--documents", "documents.jsonl").stderr == (
        "gold.jsonl: no text column; expected one of page_content, text, content, quote, excerpt, snippet, chunk_text, passage_text; "
        "the columns are query_id, source, passend; pass --column, for example text=passend\n"
    )


def test_a_check_and_a_conversion_find_lists_of_quotations(files):
    gold = written(lines({"query_id": "q1", "evidence": QUOTES}), "gold.jsonl")
    checked = invoke("check", gold, "--documents", "documents.jsonl").stdout.splitlines()
    assert checked[-2:] == [
        "  texts: located 2 texts in documents.jsonl: 2 verbatim, 0 after normalizing whitespace or case, 0 in several places", "  no faults",
    ]  # fmt: skip
    done = invoke("convert", gold, "--to", "csv", "--documents", "documents.jsonl")
    assert done.stdout == "topic,document,start,end,grade\nq1,a,0,12,1\nq1,a,31,38,1\n"
