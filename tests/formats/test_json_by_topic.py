"""JSON files with the results or the evidence of each topic under its name."""

import json

import pytest

import assay
from assay.files.source import Source
from assay.formats.recognition import recognise
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


def test_quotations_are_judgments(folder):
    path = written(json.dumps({"1": ["It has nine arches."]}), "gold.json")
    assert assay.evaluate(path, SPAN, ["R"], documents=TEXTS)["R"] == 1


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
    ],
)
def test_a_check_tells_what_is_in_it(content, said, folder):
    written(json.dumps(content), "run.json")
    done = invoke("check", "run.json")
    lines = done.stdout.splitlines()
    assert (lines[0], lines[-1], done.exit_code) == (said, "  no faults", 0)


def test_a_fault_is_shown_by_the_check_and_refused(folder):
    written('{"1": {"a": "high"}}', "run.json")
    message = "run.json: topic 1, document a: score 'high' is not a number"
    assert message in invoke("check", "run.json").output.splitlines()
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate({"1": {"a": 1}}, "run.json", ["AP"])
    assert str(refused.value) == message
