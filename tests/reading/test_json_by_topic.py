"""JSON files with the results or the evidence of each topic under its name."""

import json

import pytest

import assay
from assay.files.source import Source
from assay.reading.recognition import recognise
from helpers.commands import invoke
from helpers.files import written

TEXTS = {"a": "It has nine arches.", "b": "Soup of the day."}
SPAN = {"1": [("a", 0, 19)]}
RUNS = {
    "chunks with places": {"1": [{"doc_id": "a", "start": 0, "end": 19}]},
    "chunks with texts": {"1": [{"text": "It has nine arches."}]},
    "texts": {"1": ["It has nine arches.", "Soup of the day."]},
    "texts with scores": {"1": [["It has nine arches.", 0.5]]},
    "spans": {"1": [["a", 0, 19]]},
}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("what", RUNS)
def test_a_run_is_read_as_the_dict_that_it_would_be_in_python(what, indent, folder):
    path = written(json.dumps(RUNS[what], indent=indent), "run.json")
    assert recognise(Source(path), "run").name == "json"
    assert assay.evaluate(SPAN, path, ["R@1"], documents=TEXTS)["R@1"] == 1


@pytest.mark.parametrize("run", [{"1": {"b": 0.5, "a": 0.25}}, {"1": ["b", "a"]}, {"1": [["a", 1], ["b", 2]]}])
def test_a_run_of_documents_is_read_too(run, folder):
    path = written(json.dumps(run), "run.json")
    assert assay.evaluate({"1": {"a": 1}}, path, ["AP"])["AP"] == 0.5


@pytest.mark.parametrize("gold", [{"1": {"a": 1, "b": 0}}, {"1": ["a"]}])
def test_judgments_are_read_too(gold, folder):
    path = written(json.dumps(gold), "gold.json")
    assert assay.evaluate(path, {"1": ["b", "a"]}, ["AP"])["AP"] == 0.5


@pytest.mark.parametrize("as_written", [lambda rows: "".join(json.dumps(row) + "\n" for row in rows), json.dumps],
                         ids=["lines", "an array"])  # fmt: skip
@pytest.mark.parametrize("names", [("query_id", "results"), ("question", "chunks"), ("qid", "retrieved")])
@pytest.mark.parametrize("what", RUNS)
def test_a_log_with_the_list_of_a_topic_in_each_object_is_the_same(what, names, as_written, folder):
    topic, results = names
    second = [{topic: 2, "ms": 7.5, "answer": 'so "it" is', results: RUNS[what]["1"]}]
    rows = [{topic: "1", "ms": 7.5, "answer": None, results: RUNS[what]["1"]}, *second]
    path = written(as_written(rows), "log.jsonl")
    assert recognise(Source(path), "run").name == "json"
    scores = assay.evaluate({**SPAN, "2": [("b", 0, 16)]}, path, ["R@1"], documents=TEXTS)
    assert scores.per_topic["R@1"].to_list() == [1, 0]


@pytest.mark.parametrize("is_text", [False, True])
def test_objects_that_name_a_document_each_are_a_run_of_documents(is_text, folder):
    path = written(json.dumps({"1": [{"doc_id": "b", "score": 0.5}, {"doc_id": "a", "score": 0.25}]}), "run.json")
    scores = assay.evaluate(SPAN if is_text else {"1": {"a": 1}}, path, ["RR(unit=document)"], documents=TEXTS)
    assert scores["RR(unit=document)"] == 0.5
    assert invoke("check", path).exit_code == 0


def test_a_log_of_documents_is_a_run_of_documents(folder):
    rows = [{"query_id": "1", "results": [{"doc_id": "b", "score": 2}, {"doc_id": "b", "score": 1}, {"doc_id": "a", "score": 0}]}]
    path = written(json.dumps(rows), "log.json")
    scores = assay.evaluate({"1": {"a": 1}}, path, ["RR"], duplicates="first")
    assert scores["RR"] == 0.5
    # chunks have a text or a place, and are ranked by the first result of their document
    chunks = [{**rows[0], "results": [{**each, "text": "of a document"} for each in rows[0]["results"]]}]
    scores = assay.evaluate({"1": {"a": 1}}, written(json.dumps(chunks), "chunks.json"), ["RR"])
    assert scores["RR"] == 0.5
    assert scores.notes == ["chunks: 1 result repeats a document of the same topic; Assay counts each document at its first result"]


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ({"query_id": "1", "results": []}, "log.jsonl:2: topic 1 appears twice; expected all its results in one list"),
        ({"results": []}, "log.jsonl:2: this object has no topic, but others do; expected one in each"),
        ({"query_id": "2"}, "log.jsonl:2: this object has no list of results, but others do; expected one in each"),
    ],
)
def test_what_is_wrong_with_a_log_is_told_with_its_line(second, said, folder):
    rows = [{"query_id": "1", "results": RUNS["spans"]["1"]}, second]
    path = written("".join(json.dumps(row) + "\n" for row in rows), "log.jsonl")
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate(SPAN, path, "R")
    assert str(refused.value) == said
    assert said in invoke("check", path).output.splitlines()


def test_a_row_with_a_document_and_a_list_is_no_log(folder):
    path = written(json.dumps({"query_id": "1", "doc_id": "a", "score": 1, "chunks": [1, 2]}) + "\n", "run.jsonl")
    assert recognise(Source(path), "run").name == "jsonl"


def test_quotations_are_judgments(folder):
    path = written(json.dumps({"1": ["It has nine arches."]}), "gold.json")
    assert assay.evaluate(path, SPAN, ["R"], documents=TEXTS)["R"] == 1


@pytest.mark.parametrize("indent", [None, 2])
def test_a_quote_for_each_question_is_gold(indent, folder):
    gold = {"How many arches?": "It has nine arches.", "2": "nine arches"}
    path = written(json.dumps(gold, indent=indent), "gold.json")
    assert assay.evaluate(path, dict.fromkeys(gold, SPAN["1"]), ["R"], documents=TEXTS)["R"] == 1
    report = assay.check(path, documents=TEXTS)
    assert (report.kind, report.format, report.faults) == ("judgments", "json", [])


def test_a_row_with_texts_is_no_json_by_topic(folder):
    for row in ({"title": "The old bridge", "body": "It has nine arches."}, {"text": "nine arches"}, {"ID": "a b", "x": "y z"}):
        assert recognise(Source(written(json.dumps(row), "rows.jsonl"))).name == "jsonl"


def test_a_record_a_line_is_no_json_by_topic(folder):
    rows = [{"metadata": {"source": "a"}, "query_id": "1"}, {"metadata": {"source": "b"}, "query_id": "1"}]
    path = written("".join(json.dumps(row) + "\n" for row in rows), "run.jsonl")
    assert recognise(Source(path), "run").name == "jsonl"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"1": {"a": 1}}, "run.json: judgments (json)"),
        ({"1": {"a": 0.5}}, "run.json: a run (json)"),
        ({"1": [["a", 0, 19]]}, "run.json: a run (json)"),
        # only gold has facts, labels, subtopics, and spans under documents
        ({"1": [{"doc_id": "a", "start": 0, "end": 5, "fact": "f0"}]}, "run.json: judgments (json)"),
        ({"1": [{"doc_id": "a", "start": 0, "end": 5, "annotator": "anna"}]}, "run.json: judgments (json)"),
        ({"1": [{"doc_id": "a", "start": 0, "end": 5, "bep": 2}]}, "run.json: judgments (json)"),
        ({"1": {"a": [[0, 5]], "b": []}}, "run.json: judgments (json)"),
        ({"1": {"a": {"s1": 1, "s2": 0}}}, "run.json: judgments (json)"),
        ({"1": [{"doc_id": "a", "start": 0, "end": 5, "set": "train", "score": 2.5}]}, "run.json: a run (json)"),
        ({"1": {"hits": {"total": 1, "hits": [{"_id": "x", "_source": {"doc_id": "a"}}]}, "took": 3}}, "run.json: a run (json)"),
    ],
)
def test_a_check_tells_what_is_in_it(content, said, folder):
    written(json.dumps(content), "run.json")
    done = invoke("check", "run.json")
    lines = done.stdout.splitlines()
    assert (lines[0], lines[-1], done.exit_code) == (said, "  no faults", 0)


@pytest.mark.parametrize("content", [{"1": {"a": ["nine arches"]}}, {"1": {"a": "nine arches"}}])
def test_quotes_under_documents_are_judgments(content, folder):
    path = written(json.dumps(content), "gold.json")
    report = assay.check(path, documents=TEXTS)
    assert (report.kind, report.faults) == ("judgments", [])


def test_a_check_says_that_spans_may_be_judgments(folder):
    note = "kind: nothing shows whether these spans are results or evidence; if they are evidence, pass kind=judgments"
    for spans in ([["a", 0, 19]], [{"doc_id": "a", "start": 0, "end": 19}]):
        path = written(json.dumps({"1": spans}), "run.json")
        assert note in assay.check(path).notes
        assert note not in assay.check(path, "run").notes
    assert f"  {note.replace('kind=', '--kind ')}" in invoke("check", path).output.splitlines()
    for spans in ([["a", 0, 19, 0.5]], [{"doc_id": "a", "start": 0, "end": 19, "score": 1}]):
        assert note not in assay.check(written(json.dumps({"1": spans}), "run.json")).notes


def test_a_list_that_is_not_understood_is_a_fault_in_a_check(folder):
    path = written(json.dumps({"1": {"a": [{"start": 0}]}}), "gold.json")
    (fault,) = assay.check(path, "judgments").faults
    assert str(fault) == "gold.json: topic 1, document a: expected a list of (start, end), found [{'start': 0}]"


def test_a_fault_is_shown_by_the_check_and_refused(folder):
    written('{"1": {"a": "high"}}', "run.json")
    message = "run.json: topic 1, document a: score 'high' is not a number"
    assert message in invoke("check", "run.json").output.splitlines()
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate({"1": {"a": 1}}, "run.json", ["AP"])
    assert str(refused.value) == message


# Nothing, and next to nothing


def test_a_document_with_an_empty_dict_is_refused(folder):
    for judgments in ({"1": {"d": {}}}, {"1": {"d": {}, "e": 1}}):
        path = written(json.dumps(judgments), "q.json")
        for given in (path, judgments):
            with pytest.raises(assay.InputError, match=r": topic 1, document d: grade \{\} is neither text nor a number$"):
                assay.evaluate(given, {"1": {"d": 1}}, "AP")


@pytest.mark.parametrize("content", ['{"1": {}}', '{"1": []}', '{"1": {}, "2": []}'])
def test_no_judgment_at_all_is_refused_by_every_command(content, folder):
    written(content, "q.json")
    written("1 Q0 d 1 1 t\n", "r")
    message = "q.json: the input is empty; expected judgments\n"
    for words, status in ((["evaluate"], 1), (["report", "-o", "page.html"], 1), (["gate", "--require", "AP > 0"], 2)):
        done = invoke(words[0], "q.json", "r", *words[1:])
        assert (done.exit_code, done.stdout, done.stderr) == (status, "", message)
    assert invoke("check", "q.json", "--kind", "judgments").stdout.startswith(message)
    done = invoke("convert", "q.json", "--kind", "judgments", "--to", "trec")
    assert (done.exit_code, done.stderr) == (1, message)


@pytest.mark.parametrize("empty", ["{}", "[]"])
def test_a_topic_without_judgments_beside_others_is_noted_by_every_command(empty, folder):
    written(f'{{"1": {empty}, "2": {{"d": 1}}}}', "q.json")
    written("2 Q0 d 1 1 t\n", "r")
    note = "left out 1 question without gold: '1'"
    assert invoke("evaluate", "q.json", "r").stderr == f"note: q.json: {note}\n"
    done = invoke("convert", "q.json", "--to", "trec")
    assert (done.stdout, done.stderr) == ("2 0 d 1\n", f"note: q.json: {note}\n")
    assert f"\n  {note}\n" in invoke("check", "q.json").stdout
