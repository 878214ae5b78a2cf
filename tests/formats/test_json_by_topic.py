"""JSON by topic, as pytrec_eval takes it and ranx saves it."""

import json

import pytest

import assay
from helpers.commands import invoke

JUDGMENTS = {"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1, "é \"x\"": 1}}
RUN = {"q1": {"d2": 1.5, "d1": 1}, "q2": {"é \"x\"": 0.25}}


def file(tmp_path, content, name):
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


@pytest.mark.parametrize("indent", [None, 2])
def test_files_are_recognised_and_read_as_the_dicts_they_hold(tmp_path, indent):
    judged = file(tmp_path, json.dumps(JUDGMENTS, indent=indent), "qrels.json")
    run = file(tmp_path, json.dumps(RUN, indent=indent, ensure_ascii=False), "bm25.json")
    scores = assay.evaluate(judged, run, ["AP", "nDCG"])
    assert scores.systems == ["bm25"]
    assert scores.values.tolist() == assay.evaluate(JUDGMENTS, {"bm25": RUN}, ["AP", "nDCG"]).values.tolist()
    told = invoke("check", judged, run).stdout
    assert "qrels.json: judgments (json)\n" in told and "bm25.json: a run (json)\n" in told


def test_runs_and_judgments_are_written_so(tmp_path):
    assert json.loads(assay.convert(RUN, "json", kind="run")) == RUN
    assert json.loads(assay.convert(JUDGMENTS, "json", kind="judgments")) == JUDGMENTS
    assert b'"d1": 0.5' in assay.convert({"1": {"d1": 0.5}}, "json", kind="judgments")


def test_a_file_that_is_longer_than_what_is_looked_at_first_is_recognised(tmp_path):
    many = {"q1": {f"document {number}": number for number in range(100_000)}}
    assert assay.evaluate(file(tmp_path, JUDGMENTS, "q.json"), file(tmp_path, many, "r.json"), ["NumRet"])["NumRet"] == 100_000


def test_a_topic_without_documents_may_come_first(tmp_path):
    judged, run = file(tmp_path, JUDGMENTS, "q.json"), file(tmp_path, {"q1": {}, "q2": {"d1": 1.5}}, "r.json")
    assert assay.evaluate(judged, run, ["RR"])["RR"] == 0.5


def test_jsonl_whose_first_value_is_an_object_is_no_json_by_topic(tmp_path):
    run = file(tmp_path, '{"metadata": {"page": 3}, "topic": "q1", "document": "d1", "score": 2}\n', "r.jsonl")
    assert assay.evaluate(file(tmp_path, JUDGMENTS, "q.json"), run, ["RR"])["RR", "q1"] == 1


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ('{"q1": {"d1": 1, "d1": 0}}', "'d1' stands in an object twice"),
        ('{"q1": {"d1": 1}, "q1": {"d2": 0}}', "'q1' stands in an object twice"),
        ('{"q1": {"d1": true}}', "document 'd1' of topic 'q1' has 'true'; expected a number"),
        ('{"q1": [1]}', "topic 'q1' is '[1]'; expected an object of documents, each with a number"),
        ("[]", "is no object of topics; expected {topic: {document: number}}"),
        ('{"q1": {"d1": NaN}}', "topic q1, document d1: grade nan is not a finite number"),
    ],
)
def test_what_is_wrong_is_refused_and_the_check_shows_it(tmp_path, content, what):
    path = file(tmp_path, content, "q.json")
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate(path, RUN, format="json")
    assert str(refused.value) == f"{path}: {what}"
    assert invoke("check", "--format", "json", "--kind", "judgments", path).stdout.startswith(f"{path}: {what}\n")
