"""What evaluators and clients have in memory: samples of ragas, DeepEval and LlamaIndex, frames, groups of Qdrant."""

import json
from dataclasses import dataclass, field

import pandas as pd
import polars as pl
import pytest

import assay

DOCUMENTS = {
    "ferry": "The ferry leaves the old pier at seven, and in winter at eight.",
    "oven": "An oven of clay holds its heat for nine hours. Bread goes in first.",
}
FOUND = {"q1": [DOCUMENTS["ferry"][20:60], DOCUMENTS["oven"][:10]], "q2": [DOCUMENTS["oven"][15:45]]}
GOLD = {"q1": [DOCUMENTS["ferry"][:40]], "q2": [DOCUMENTS["oven"][10:30]]}
SPANS = {"q1": {"ferry": [(0, 40)]}, "q2": {"oven": [(10, 30)]}}
RECALL = [0.5, 0.75]
IDS = {"q1": (["c1", "c2"], ["c1"]), "q2": (["c3"], ["c2"])}
CHUNKS = {"c1": ("ferry", 20, 60), "c2": ("oven", 0, 10), "c3": ("oven", 15, 45)}


@dataclass
class SingleTurnSample:
    user_input: str
    retrieved_contexts: list
    reference_contexts: list
    reference: str = "an answer in words"


@dataclass
class LLMTestCase:
    input: str
    retrieval_context: list
    context: list
    actual_output: str = "an answer in words"


@dataclass
class RetrievalEvalResult:
    query: str
    retrieved_ids: list
    expected_ids: list


@dataclass
class Document:
    page_content: str
    metadata: dict = field(default_factory=dict)


@dataclass
class Point:
    id: object
    score: float
    payload: dict


@dataclass
class PointGroup:
    id: str
    hits: list


@dataclass
class GroupsResult:
    groups: list


def recall(gold, run, **options):
    return assay.evaluate(gold, run, "R@1", **options).values[0, 0].tolist()


RAGAS = [SingleTurnSample(topic, FOUND[topic], GOLD[topic]) for topic in FOUND]
DEEPEVAL = [LLMTestCase(topic, FOUND[topic], GOLD[topic]) for topic in FOUND]
LLAMA = [RetrievalEvalResult(topic, *IDS[topic]) for topic in IDS]
LOGS = {"ragas": RAGAS, "DeepEval": DEEPEVAL}


def dicts(objects):
    return [dict(vars(each)) for each in objects]


@pytest.mark.parametrize("log", LOGS)
def test_a_log_is_a_run_and_judgments_as_objects_dicts_or_frame(log):
    objects = LOGS[log]
    for given in (objects, dicts(objects), pd.DataFrame(dicts(objects)), pl.DataFrame(dicts(objects))):
        assert recall(given, given, documents=DOCUMENTS) == RECALL


def test_runs_may_be_logs_by_name():
    scores = assay.evaluate(DEEPEVAL, {"a": DEEPEVAL, "b": DEEPEVAL}, "R@1", documents=DOCUMENTS)
    assert scores.systems == ["a", "b"]
    assert scores.values[:, 0].tolist() == [RECALL, RECALL]


def test_lists_of_ids_are_retrieved_and_expected(tmp_path):
    names = {"query": "user_input", "retrieved_ids": "retrieved_context_ids", "expected_ids": "reference_context_ids"}
    ragas = [{names[name]: value for name, value in each.items()} for each in dicts(LLAMA)]
    path = tmp_path / "log.jsonl"
    for log in (dicts(LLAMA), ragas):
        path.write_text("".join(json.dumps(each) + "\n" for each in log))
        for given in (log, pd.DataFrame(log), pl.DataFrame(log), str(path)):
            # of q1 the first is expected, of q2 it is not
            assert assay.evaluate(given, given, "P@1").values[0, 0].tolist() == [1.0, 0.0]
            assert recall(SPANS, given, chunks=CHUNKS) == RECALL
    assert assay.evaluate(LLAMA, LLAMA, "P@1").values[0, 0].tolist() == [1.0, 0.0]
    assert not assay.check(str(path)).faults


def test_texts_beside_ids_are_found_without_chunks_and_looked_up_with_them():
    log = [{"user_input": topic, "retrieved_contexts": FOUND[topic], "retrieved_context_ids": IDS[topic][0]} for topic in IDS]
    assert recall(SPANS, log, documents=DOCUMENTS) == RECALL
    assert recall(SPANS, log, chunks=CHUNKS) == RECALL


REFUSED = {
    "no list": (
        [*dicts(DEEPEVAL), {"input": "q3"}],
        "run: record 3: nothing was retrieved here; expected a list under one of retrieved_contexts, retrieval_context, "
        "contexts, retrieved_context_ids, retrieved_ids",
    ),
    "no question": (
        [*dicts(RAGAS), {"retrieved_contexts": ["a text"]}],
        "run: record 3: no question; expected one of user_input, question, input, query",
    ),
    "a question twice": ([*RAGAS, RAGAS[0]], "run: record 3: question 'q1' appears twice (first in record 1)"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_log_with_a_fault_is_refused_with_its_place(case):
    log, told = REFUSED[case]
    with pytest.raises(assay.AssayError) as refused:
        recall(SPANS, log, documents=DOCUMENTS)
    assert str(refused.value) == told


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_each_question_may_have_a_frame(frame):
    run = {topic: frame({"text": texts, "_distance": [0.1] * len(texts)}) for topic, texts in FOUND.items()}
    assert recall(SPANS, run, documents=DOCUMENTS) == RECALL
    ids = {topic: frame({"id": found, "score": [1.0] * len(found)}) for topic, (found, _) in IDS.items()}
    assert recall(SPANS, ids, chunks=CHUNKS) == RECALL


def test_frames_with_topics_are_runs_by_name():
    rows = [{"query_id": "q1", "doc_id": "ferry", "start": 20, "end": 60, "score": 1}]
    scores = assay.evaluate(SPANS, {"a": pl.DataFrame(rows), "b": pl.DataFrame(rows)}, "R@1")
    assert scores.systems == ["a", "b"]


def test_a_frame_may_have_a_list_in_each_row():
    frame = pl.DataFrame({"question": list(FOUND), "contexts": list(FOUND.values())})
    assert recall(SPANS, frame, documents=DOCUMENTS) == RECALL
    assert recall(SPANS, pd.DataFrame(frame.to_dicts()), documents=DOCUMENTS) == RECALL


def test_texts_and_objects_may_stand_in_one_list():
    first, second = FOUND["q1"]
    for mixed in ([first, Document(second)], [Document(first), second]):
        assert recall(SPANS, {"q1": mixed, "q2": FOUND["q2"]}, documents=DOCUMENTS) == RECALL


def test_groups_of_qdrant_are_read_group_by_group():
    def group(document, *ids):
        return PointGroup(document, [Point(name, 0.5, {}) for name in ids])

    run = {"q1": GroupsResult([group("ferry", "c1"), group("oven", "c2")]), "q2": GroupsResult([group("oven", "c3")])}
    assert recall(SPANS, run, chunks=CHUNKS) == RECALL
    assert assay.evaluate(SPANS, run, "P@2", chunks=CHUNKS).values[0, 0].tolist() == [0.4, 0.5]
