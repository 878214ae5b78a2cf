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
        "run: the offsets of 1 of 1 text are wrong (0 exact, 0 moved, 0 ambiguous, 1 not found); 1 row ends beyond the "
        "document; topic who sat?, result 1: 'The cat sat on the mat. The dog slept.x…' is not what document d1 has at 0-88; "
        "it has 38 characters; it was not found there; run `assay locate` to see the nearest passages, or give texts=drop to leave out what is not found, or texts=ignore to "
        "count what the offsets say",
    ),
    "a chunk longer than its document, without a place": (
        QUOTES, {"who sat?": [chunk(LONG)]},
        "run: 1 of 1 text were not found in documents (0 exact, 0 normalized, 0 ambiguous): topic who sat?, result 1: 'The cat "
        "sat on the mat. The dog slept.x…'; run `assay locate` to see the nearest passages, or give texts=drop to leave out what is not found",
    ),
    "a quotation of a document that does not exist": (
        [{"query_id": "1", "doc_id": "d9", "text": CAT}], {"1": [("d1", 0, 5)]},
        "judgments: 1 of 1 text were not found in documents (0 exact, 0 normalized, 0 ambiguous): record 1: 'The cat sat on the "
        "mat.' (there is no document d9); run `assay locate` to see the nearest passages, or give texts=drop to leave out what is not found",
    ),
    "a quotation at a place of a document that does not exist": (
        [{"query_id": "1", "doc_id": "d9", "start": 0, "end": 23, "text": CAT}], {"1": [("d1", 0, 5)]},
        "judgments: the offsets of 1 of 1 text are wrong (0 exact, 0 moved, 0 ambiguous, 1 not found); 1 document is not "
        "there; record 1: 'The cat sat on the mat.': there is no document d9; run `assay locate` to see the nearest passages, or give texts=drop to leave out what is not "
        "found, or texts=ignore to count what the offsets say",
    ),
    "an empty chunk": (QUOTES, {"who sat?": [chunk("")]}, "run: topic who sat?, result 1: column text has no text here; expected one, or a list of them"),
    "a chunk of blanks": (
        QUOTES, {"who sat?": [chunk(CAT), chunk(" \n")]},
        "run: topic who sat?, result 2: the text is empty; expected some",
    ),
    "an empty quotation": (
        {"who sat?": [chunk("")]}, {"who sat?": [chunk(CAT)]},
        "judgments: topic who sat?, quote 1: column text has no text here; expected one, or a list of them",
    ),
    "a score beside a chunk that is no number": (
        QUOTES, {"who sat?": [chunk(DOG), (chunk(CAT), float("nan"))]},
        "run: topic who sat?, result 2: score 'nan' is not a finite number",
    ),
    "a score of a chunk that is no number": (
        QUOTES, {"who sat?": [chunk(CAT, score=float("inf"))]},
        "run: topic who sat?, result 1: score inf is not a finite number",
    ),
    "a topic as a number and as a text": (
        GOLD, {1: [chunk(CAT)], "1": [chunk(DOG)]}, "run: topics 1 and '1' are one topic; expected each once",
    ),
    "gold of a topic as a number and as a text": (
        {1: [("d1", 0, 5)], "1": [("d1", 5, 8)]}, {"1": [("d1", 0, 5)]},
        "judgments: topics 1 and '1' are one topic; expected each once",
    ),
    "two gold files": (
        ["a.jsonl", "b.jsonl"], {"1": ["d1"]}, "judgments are 2 files; expected one, as topics may be in several",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_right_is_refused(what):
    gold, run, message = REFUSED[what]
    with pytest.raises(AssayError) as error:
        assay.evaluate(gold, run, "R", documents=DOCUMENTS)
    assert str(error.value) == message


def test_documents_in_a_dict_are_some_and_different():
    refused = {
        "documents: has no documents; expected a dict from ids to texts": {},
        "documents: has document '1' twice, as a number and as a text": {1: CAT, "1": DOG},
    }
    for message, documents in refused.items():
        with pytest.raises(AssayError) as error:
            assay.evaluate(QUOTES, QUOTES, "R", documents=documents)
        assert str(error.value) == message


RUN_ROW = {"query_id": "1", "doc_id": "d1", "start": 0, "end": 23, "score": 0.5}
GIVEN_TO_COMMANDS = {
    "quotations without documents": (
        {"query_id": "1", "doc_id": "d1", "quote": CAT}, RUN_ROW, [],
        "gold.jsonl: has no column grade; its columns are query_id, doc_id, quote; to have the texts of column quote found, "
        "give --documents",
    ),
    "texts of a run without documents": (
        GOLD[0], {"query_id": "1", "text": CAT, "score": 1}, [],
        "run.jsonl: the places of 1 of 1 result are not known (1 with no start, or -1), the first is line 1: "
        "'The cat sat on the mat.'; give --documents to have them found",
    ),
    "judgments and run in each other's place": (
        RUN_ROW, GOLD[0], [],
        "gold.jsonl: this looks like a run, with a score for each span; expected judgments, which are given first, the runs "
        "after them",
    ),
    "texts of judgments and run in each other's place": (
        {"query_id": "1", "doc_id": "d1", "text": CAT, "score": 0.5}, GOLD[0], ["--documents", "corpus.jsonl"],
        "gold.jsonl: this looks like a run, with a score for each span; expected judgments, which are given first, the runs "
        "after them",
    ),
    "judgments in the place of the run": (
        RUN_ROW | {"score": 1}, GOLD[0], [],
        "run.jsonl: has no column score or rank; its columns are query_id, doc_id, start, end"
        "; where the rows stand best first, give each its rank; if these are judgments, they "
        "are given first, the runs after them",
    ),
    "chunks of the corpus in the place of a run": (
        GOLD[0], {"doc_id": "d1", "start": 0, "end": 23}, [],
        "run.jsonl: has no column topic; its columns are doc_id, start, end; chunks of a corpus that nobody returned are for "
        "`assay ceiling`",
    ),
    "documents in the place of a run": (
        GOLD[0], {"doc_id": "d1", "text": CAT}, [],
        "run.jsonl: has no column topic; its columns are doc_id, text; if these are the documents, give --documents",
    ),
    "distances": (
        GOLD[0], {"query_id": "1", "doc_id": "d1", "start": 0, "end": 23, "distance": 0.1}, [],
        "run.jsonl: has no column score or rank; its columns are query_id, doc_id, start, end, distance; where the lowest "
        "distance is the best, write it with a minus as the score, or a rank; if these are judgments, they are given first, "
        "the runs after them",
    ),
    "distances of texts": (
        GOLD[0], {"query_id": "1", "doc_id": "d1", "text": CAT, "distance": 0.1}, ["--documents", "corpus.jsonl"],
        "run.jsonl: has no column score or rank; its columns are query_id, doc_id, text, distance; where the lowest "
        "distance is the best, write it with a minus as the score, or a rank; if these are judgments, they are given first, "
        "the runs after them",
    ),
    "scores of texts under another name": (
        GOLD[0], {"query_id": "1", "doc_id": "d1", "text": CAT, "relevance_score": 0.1}, ["--documents", "corpus.jsonl"],
        "run.jsonl: has no column score or rank; its columns are query_id, doc_id, text, relevance_score; if the highest "
        "relevance_score is the best, give --column, as in score=relevance_score; if these are judgments, they are given "
        "first, the runs after them",
    ),
    "an empty folder of documents": (
        GOLD[0], RUN_ROW, ["--documents", "empty"], "empty: has no documents; expected files of text or XML",
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
            "mine: has no column score or rank; its columns are query_id, doc_id, text, Distance; where the lowest Distance"
        )


def test_quotations_without_documents_are_refused_where_a_run_has_ids():
    with pytest.raises(assay.InputError) as error:
        assay.evaluate(QUOTES, {"who sat?": [("d1", 0, 23)]}, "R")
    assert str(error.value) == (
        "judgments judges no document of run: 'd1' vs 'The cat sat on the mat.'; "
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
        "run.jsonl: has no column document; its columns are results, query_id; if column results has all chunks of a topic, "
        "write a line for each, or one JSON object of all topics, as {topic: [chunks]}"
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
            "judgments: 1 question without gold, left out: 'who ran?'",
            "judgments: 1 text found in documents: 1 exact, 0 normalized, 0 ambiguous",
            "run: 2 texts found in documents: 2 exact, 0 normalized, 0 ambiguous",
            "run: 1 topic of the run has no judgments and is left out: who ran?",
        ],
    ),
    "an empty result": (
        GOLD, {"1": [("d1", 5, 5)]},
        [
            "run: 1 result comes from the right documents but misses the evidence; if that is unexpected, check its offsets"
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", NOTED)
def test_what_only_looks_wrong_is_noted(what):
    gold, run, notes = NOTED[what]
    assert assay.evaluate(gold, run, "R", documents=DOCUMENTS).notes == notes


LOGGED = {"user_input": "who sat?", "retrieved_contexts": [CAT], "reference_contexts": [CAT]}
TWICE = {
    "ragas": (lines(LOGGED, LOGGED), "gold: line 2: question 'who sat?' comes again (first in line 1)"),
    "bioasq": (
        json.dumps({"questions": [{"id": "1", "body": "?", "snippets": []}] * 2}), "gold: question 1 comes again",
    ),
    "kilt": (
        lines(*[{"id": "1", "output": [{"provenance": [{"wikipedia_id": "d1"}]}]}] * 2),
        "gold:2: question 1 comes again (first on line 1)",
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
    assert str(error.value) == "run: line 2: query 1 comes again"


def test_snippets_of_a_query_that_comes_again_count_together(folder):
    tests = [{"query": "1", "snippets": [{"file_path": "d1", "span": span}]} for span in ([0, 23], [24, 38])]
    scores = assay.evaluate(written(json.dumps({"tests": tests}), "gold"), {"1": [("d1", 0, 23)]}, "R")
    assert scores["R"] == pytest.approx(23 / 37)
    assert scores.notes == ["gold: 1 test with a query told before; their snippets count together"]


def test_a_row_of_quotations_that_lacks_a_value_is_named(folder):
    written("query_id,doc_id,quote\n1,d1,The cat\n1,d1\n", "gold.csv")
    with pytest.raises(assay.InputError) as error:
        assay.evaluate("gold.csv", {"1": [("d1", 0, 7)]}, "R", documents=DOCUMENTS)
    assert str(error.value) == "gold.csv:3: has 2 values; expected 3: query_id, doc_id, quote"
