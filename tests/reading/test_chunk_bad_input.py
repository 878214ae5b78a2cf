"""What is wrong with chunks and with gold evidence, and what is said of it."""

import json

import polars as pl
import pytest

import assay
from assay.errors import AssayError
from helpers.commands import invoke
from helpers.files import written

CAT, DOG = "The cat sat on the mat.", "The dog slept."
DOCUMENTS = {"d1": f"{CAT} {DOG}", "d2": "Nothing."}
GOLD = [{"query_id": "1", "doc_id": "d1", "start": 0, "end": 23}]
QUOTES = {"who sat?": [CAT]}


def chunk(text, document="d1", **place):
    return {"text": text, "doc_id": document, **place}


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


LONG = DOCUMENTS["d1"] + "x" * 50
REFUSED = {
    "a chunk longer than its document": (
        QUOTES, {"who sat?": [chunk(LONG, start=0, end=88)]},
        "run: the offsets of 1 of 1 text are wrong (0 exact, 0 moved, 0 in several places, 1 not found); 1 row ends after the end of the "
        "document; topic who sat?, result 1: document d1 does not have 'The cat sat on the mat. The dog slept.x…' at 0-88 "
        "(it has 38 characters), nor anywhere else; run `assay locate` to see the nearest passages, or pass texts=drop to leave out texts that are not found, or texts=ignore to trust the offsets",
    ),
    "a chunk longer than its document, without a place": (
        QUOTES, {"who sat?": [chunk(LONG)]},
        "run: could not find 1 of 1 text in documents (found 0 verbatim, 0 after normalizing whitespace or case, 0 in several places): topic who sat?, result 1: 'The cat "
        "sat on the mat. The dog slept.x…'; run `assay locate` to see the nearest passages, or pass texts=drop to leave out texts that are not found",
    ),
    "a quotation of a document that does not exist": (
        [{"query_id": "1", "doc_id": "d9", "text": CAT}], {"1": [("d1", 0, 5)]},
        "judgments: could not find 1 of 1 text in documents (found 0 verbatim, 0 after normalizing whitespace or case, 0 in several places): record 1: 'The cat sat on the "
        "mat.' (there is no document d9); run `assay locate` to see the nearest passages, or pass texts=drop to leave out texts that are not found",
    ),
    "a quotation at a place of a document that does not exist": (
        [{"query_id": "1", "doc_id": "d9", "start": 0, "end": 23, "text": CAT}], {"1": [("d1", 0, 5)]},
        "judgments: 1 of 1 text names a document that is not in documents: d9; its ids are like 'd1'; "
        "add these documents, or rename the ids",
    ),
    "an empty chunk": (QUOTES, {"who sat?": [chunk("")]}, "run: topic who sat?, result 1: column text has no text here; expected a text or a list of texts"),
    "a chunk of blanks": (
        QUOTES, {"who sat?": [chunk(CAT), chunk(" \n")]},
        "run: topic who sat?, result 2: the text is only whitespace, which cannot be located; leave it out",
    ),
    "an empty quotation": (
        {"who sat?": [chunk("")]}, {"who sat?": [chunk(CAT)]},
        "judgments: topic who sat?, quote 1: column text has no text here; expected a text or a list of texts",
    ),
    "a score beside a chunk that is no number": (
        QUOTES, {"who sat?": [chunk(DOG), (chunk(CAT), float("nan"))]},
        "run: topic who sat?, result 2: score 'nan' is not a finite number",
    ),
    "a score of a chunk that is no number": (
        QUOTES, {"who sat?": [chunk(CAT, score=float("inf"))]},
        "run: topic who sat?, result 1: score 'inf' is not a finite number",
    ),
    "a topic as a number and as a text": (
        GOLD, {1: [chunk(CAT)], "1": [chunk(DOG)]}, "run: topics 1 (a number) and '1' (a string) are the same topic; expected it once",
    ),
    "gold of a topic as a number and as a text": (
        {1: [("d1", 0, 5)], "1": [("d1", 5, 8)]}, {"1": [("d1", 0, 5)]},
        "judgments: topics 1 (a number) and '1' (a string) are the same topic; expected it once",
    ),
    "two gold files": (
        ["a.jsonl", "b.jsonl"], {"1": ["d1"]}, "judgments= has 2 files; expected one, because a topic may be in several of them",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_right_is_refused(what):
    gold, run, message = REFUSED[what]
    with pytest.raises(AssayError) as error:
        assay.evaluate(gold, run, "R", documents=DOCUMENTS)
    assert str(error.value) == message


def test_documents_in_a_dict_are_some_and_different():
    none = "documents: there are none; expected a dict from ids to texts, or objects with an id and a text"
    for documents, message in (
        ({}, none),
        ([], none),
        ((each for each in [CAT]), "documents= has type generator; Assay may read it several times; pass a list"),
        ({1: CAT, "1": DOG}, "documents: document '1' appears twice, as a number and as a string; expected it once"),
    ):
        with pytest.raises(AssayError) as error:
            assay.evaluate(QUOTES, QUOTES, "R", documents=documents)
        assert str(error.value) == message


RUN_ROW = {"query_id": "1", "doc_id": "d1", "start": 0, "end": 23, "score": 0.5}
GIVEN_TO_COMMANDS = {
    "quotations without documents": (
        {"query_id": "1", "doc_id": "d1", "quote": CAT}, RUN_ROW, [],
        "gold.jsonl: no grade column; the columns are query_id, doc_id, quote; to locate the texts of column quote, pass --documents",
    ),
    "texts of a run without documents": (
        GOLD[0], {"query_id": "1", "text": CAT, "score": 1}, [],
        "run.jsonl: no usable offsets for 1 of 1 result (1 without a start), first in line 1: "
        "'The cat sat on the mat.'; pass --documents to locate their texts",
    ),
    "judgments and run in each other's place": (
        RUN_ROW, GOLD[0], [],
        "gold.jsonl: this looks like a run, because it has a score for each span; expected judgments: pass judgments first, then the runs\ndid you mean: assay evaluate run.jsonl gold.jsonl -m R",
    ),
    "texts of judgments and run in each other's place": (
        {"query_id": "1", "doc_id": "d1", "text": CAT, "score": 0.5}, GOLD[0], ["--documents", "corpus.jsonl"],
        "gold.jsonl: this looks like a run, because it has a score for each span; expected judgments: pass judgments first, then the runs\ndid you mean: assay evaluate run.jsonl gold.jsonl -m R --documents corpus.jsonl",
    ),
    "judgments in the place of the run": (
        RUN_ROW | {"score": 1}, GOLD[0], [],
        "run.jsonl: no score or rank column; the columns are query_id, doc_id, start, end"
        "; if the rows are sorted best first, add a column rank; if these are judgments, pass judgments first, then the runs\ndid you mean: assay evaluate run.jsonl gold.jsonl -m R",
    ),
    "chunks of the corpus in the place of a run": (
        GOLD[0], {"doc_id": "d1", "start": 0, "end": 23}, [],
        "run.jsonl: no topic column; the columns are doc_id, start, end; if these are all chunks of a corpus, write `assay ceiling JUDGMENTS CHUNKS RUN`",
    ),
    "documents in the place of a run": (
        GOLD[0], {"doc_id": "d1", "text": CAT}, [],
        "run.jsonl: no topic column; the columns are doc_id, text; if these are the documents, pass --documents",
    ),
    "distances": (
        GOLD[0], {"query_id": "1", "doc_id": "d1", "start": 0, "end": 23, "distance": 0.1}, [],
        "run.jsonl: no score or rank column; the columns are query_id, doc_id, start, end, distance; if the lowest distance is the best, add a column score with -distance, or a column rank; if these are judgments, pass judgments first, then the runs",
    ),
    "distances of texts": (
        GOLD[0], {"query_id": "1", "doc_id": "d1", "text": CAT, "distance": 0.1}, ["--documents", "corpus.jsonl"],
        "run.jsonl: no score or rank column; the columns are query_id, doc_id, text, distance; if the lowest distance is the best, add a column score with -distance, or a column rank; if these are judgments, pass judgments first, then the runs",
    ),
    "scores of texts under another name": (
        GOLD[0], {"query_id": "1", "doc_id": "d1", "text": CAT, "relevance_score": 0.1}, ["--documents", "corpus.jsonl"],
        "run.jsonl: no score or rank column; the columns are query_id, doc_id, text, relevance_score; if the highest "
        "relevance_score is the best, pass --column, for example score=relevance_score; if these are judgments, pass judgments first, then the runs",
    ),
    "an empty folder of documents": (
        GOLD[0], RUN_ROW, ["--documents", "empty"], "empty: there are no documents here; expected text or XML files",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", GIVEN_TO_COMMANDS)
def test_a_command_says_what_to_do_instead(what, folder):
    gold, run, options, message = GIVEN_TO_COMMANDS[what]
    (folder / "empty").mkdir()
    written(lines({"doc_id": "d1", "text": DOCUMENTS["d1"]}), "corpus.jsonl")
    written(lines(gold), "gold.jsonl")
    written(lines(run), "run.jsonl")
    done = invoke("evaluate", "gold.jsonl", "run.jsonl", "-m", "R", *options)
    assert (done.output, done.exit_code) == (message + "\n", 1)


def test_records_and_frames_of_texts_without_scores_are_refused_by_their_own_columns():
    row = {"query_id": "1", "doc_id": "d1", "text": CAT, "Distance": 0.1}
    for run in ([row], pl.DataFrame([row])):
        with pytest.raises(assay.InputError) as error:
            assay.evaluate(GOLD, {"mine": run}, "R", documents=DOCUMENTS)
        assert str(error.value).startswith(
            "mine: no score or rank column; the columns are query_id, doc_id, text, Distance; if the lowest Distance"
        )


def test_quotations_without_documents_are_refused_where_a_run_has_ids():
    with pytest.raises(assay.InputError) as error:
        assay.evaluate(QUOTES, {"who sat?": [("d1", 0, 23)]}, "R")
    assert str(error.value) == (
        "no document of run is judged in judgments: 'd1' vs 'The cat sat on the mat.'; "
        "the judgments look like quotes; pass documents= to locate them"
    )


def test_titles_that_are_ids_of_both_sides_are_no_quotations():
    judgments, run = {"1": {"The war of the worlds"}}, {"1": ["The man in the moon"]}
    assert assay.evaluate(judgments, run, "R")["R"] == 0


def test_a_log_whose_lists_stand_before_the_topics_is_refused_with_what_to_write(folder):
    chunk = {"doc_id": "d1", "start": 0, "end": 9}
    written(json.dumps({"results": [chunk], "query_id": "1"}) + "\n", "run.jsonl")
    with pytest.raises(assay.InputError) as error:
        assay.evaluate({"1": [("d1", 0, 9)]}, "run.jsonl", "R")
    assert str(error.value) == (
        "run.jsonl: no document column; the columns are results, query_id; if column results has all chunks of a topic, "
        "write one line per chunk, or one JSON object {topic: [chunks]}"
    )
    written(json.dumps({"1": [chunk]}), "run.json")
    assert assay.evaluate({"1": [("d1", 0, 9)]}, "run.json", "R")["R"] == 1


NOTED = {
    "a chunk longer than its document, without a text": (
        GOLD, {"1": [("d1", 0, 999)]}, ["run: 1 result extends past the end of the document; Assay counts the length anyway; "
        "do the offsets count characters from 0, in the same text?"],
    ),
    "gold longer than its document, without a text": (
        [GOLD[0] | {"end": 999}], {"1": [("d1", 0, 23)]},
        ["judgments: highlighted text extends past the end of 1 judged document; Assay counts it anyway"],
    ),
    "gold of a document that does not exist": (
        [*GOLD, GOLD[0] | {"doc_id": "d9"}], {"1": [("d1", 0, 23)]},
        ["judgments: 1 of 2 documents with highlighted text is not in documents: d9"],
    ),
    "a question without gold in the run": (
        GOLD, {"1": [("d1", 0, 23)], "2": [("d1", 0, 23)]}, ["run: 1 topic of the run has no judgments and is left out: 2"],
    ),
    "a question with no quotations": (
        QUOTES | {"who ran?": []}, {"who sat?": [chunk(CAT)], "who ran?": [chunk(DOG)]},
        [
            "judgments: left out 1 question without gold: 'who ran?'",
            "judgments: located 1 text in documents: 1 verbatim, 0 after normalizing whitespace or case, 0 in several places",
            "run: located 2 texts in documents: 2 verbatim, 0 after normalizing whitespace or case, 0 in several places",
            "run: 1 topic of the run has no judgments and is left out: who ran?",
        ],
    ),
    "an empty result": (
        GOLD, {"1": [("d1", 5, 5)]},
        [
            "run: 1 result is empty, for example 5-5 of document d1; expected an end after the start"
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", NOTED)
def test_what_only_looks_wrong_is_noted(what):
    gold, run, notes = NOTED[what]
    assert assay.evaluate(gold, run, "R", documents=DOCUMENTS).notes == notes


LOGGED = {"user_input": "who sat?", "retrieved_contexts": [CAT], "reference_contexts": [CAT]}
TWICE = {
    "ragas": (lines(LOGGED, LOGGED), "gold:2: question 'who sat?' appears twice (first on line 1)"),
    "bioasq": (
        json.dumps({"questions": [{"id": "1", "body": "?", "snippets": []}] * 2}), "gold: question 1 appears twice; expected each once",
    ),
    "kilt": (
        lines(*[{"id": "1", "output": [{"provenance": [{"wikipedia_id": "d1"}]}]}] * 2),
        "gold:2: question 1 appears twice (first on line 1)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TWICE)
def test_the_same_question_twice_is_refused_where_it_has_all_of_its_gold_in_one_place(name, folder):
    content, message = TWICE[name]
    with pytest.raises(AssayError) as error:
        assay.evaluate(written(content, "gold"), {"1": [("d1", 0, 5)]}, "R", documents=DOCUMENTS)
    assert str(error.value) == message


def test_a_run_with_the_same_question_twice_is_refused(folder):
    candidates = [{"docid": "d1#0", "doc": {"start_char": 0, "end_char": 5}}]
    with pytest.raises(AssayError) as error:
        assay.evaluate(GOLD, written(lines(*[{"query": {"qid": "1"}, "candidates": candidates}] * 2), "run"), "R")
    assert str(error.value) == "run: line 2: query 1 appears twice; expected each once"


def test_snippets_of_a_query_that_comes_again_count_together(folder):
    tests = [{"query": "1", "snippets": [{"file_path": "d1", "span": span}]} for span in ([0, 23], [24, 38])]
    scores = assay.evaluate(written(json.dumps({"tests": tests}), "gold"), {"1": [("d1", 0, 23)]}, "R")
    assert scores["R"] == pytest.approx(23 / 37)
    assert scores.notes == ["gold: 1 test repeat the query of an earlier test; Assay counts their snippets together"]


def test_a_row_of_quotations_that_lacks_a_value_is_named(folder):
    written("query_id,doc_id,quote\n1,d1,The cat\n1,d1\n", "gold.csv")
    with pytest.raises(assay.InputError) as error:
        assay.evaluate("gold.csv", {"1": [("d1", 0, 7)]}, "R", documents=DOCUMENTS)
    assert str(error.value) == "gold.csv:3: expected 3 values (query_id, doc_id, quote), found 2"


@pytest.mark.parametrize("read, expected", [(assay.read_run, "a run"), (assay.read_judgments, "judgments")])
def test_a_table_of_texts_without_rows_is_empty(read, expected, folder):
    path = written("topic,document,text\n", "texts.csv")
    with pytest.raises(AssayError) as error:
        read(path, documents=DOCUMENTS)
    assert str(error.value) == f"{path}: the input is empty; expected {expected}"
