"""The same content in any container: lists, generators, records with a list each, numbers that are floats."""

import json

import pyarrow as pa
import pytest

import assay

DOCUMENTS = {"a": "It has nine arches.", "b": "Soup of the day."}
GOLD = {"1": [("a", 0, 19)], "2": [("b", 0, 16)]}
GRADES = {"1": {"a": 1}, "2": {"b": 1}}
TEXTS = [
    {"query_id": "1", "source": "b", "text": "Soup of the day.", "score": 2},
    {"query_id": "1", "source": "a", "text": "It has nine arches.", "score": 1},
    {"query_id": "2", "source": "b", "text": "Soup of the day.", "score": 1},
]
SPANS = [("1", "b", 0, 16, 2.0), ("1", "a", 0, 19, 1.0), ("2", "b", 0, 16, 1.0)]
RANKINGS = {"1": ["b", "a"], "2": ["b"]}


def each_once(given):
    """A generator of what is given."""
    yield from given


def values(judgments, run):
    """The values of both topics."""
    return assay.evaluate(judgments, run, "R@2", documents=DOCUMENTS).values.tolist()


# Generators


@pytest.mark.parametrize("records", [TEXTS, SPANS], ids=["texts", "spans"])
def test_records_may_come_from_a_generator(records):
    assert values(GOLD, each_once(records)) == values(GOLD, records) == [[[1, 1]]]
    assert values(GOLD, {"bm25": each_once(records), "dense": each_once(records)}) == [[[1, 1]]] * 2


def test_judged_records_may_come_from_a_generator():
    quotations = [{"query_id": "1", "text": "nine arches"}, {"query_id": "2", "text": "Soup"}]
    assert values(each_once(quotations), TEXTS) == values(quotations, TEXTS) == [[[1, 1]]]


def test_the_results_of_a_topic_may_come_from_a_generator():
    rankings = {topic: each_once(documents) for topic, documents in RANKINGS.items()}
    assert values(GRADES, rankings) == [[[1, 1]]]
    assert values({topic: each_once(judged) for topic, judged in GRADES.items()}, RANKINGS) == [[[1, 1]]]
    named = {"bm25": {topic: each_once(documents) for topic, documents in RANKINGS.items()}, "dense": RANKINGS}
    assert values(GRADES, named) == [[[1, 1]]] * 2


def test_only_some_topics_may_have_a_generator():
    run = {"q": ["a", "b"], "r": iter(["b", "a"])}
    assert assay.evaluate({"q": ["a"], "r": ["a"]}, run, "RR").values.ravel().tolist() == [1, 1 / 2]


def test_runs_may_come_from_a_generator():
    assert values(GRADES, each_once([RANKINGS, RANKINGS])) == [[[1, 1]]] * 2


def test_what_comes_from_a_generator_can_be_asked_about_later(tmp_path):
    page = str(tmp_path / "report.html")
    scores = assay.evaluate(each_once([("1", "a", 1), ("2", "b", 1)]), each_once([("1", "a", 1.0)]), "AP")
    assert scores.report(page) == page
    scores = assay.Evaluator(each_once([("1", "a", 1)]), "AP")(each_once([("1", "a", 1.0)]))
    assert (scores.report(page), scores["AP"]) == (page, 1)


def test_a_stream_of_arrow_stays_a_table():
    table = pa.table({"topic": ["1", "1", "2"], "document": ["b", "a", "b"], "score": [2, 1, 1]})
    assert values(GRADES, table.to_reader()) == [[[1, 1]]]


# Records with a list each

LOGS = {
    "ids": (GRADES, [{"question": "1", "results": ["b", "a"]}, {"question": "2", "results": ["b"]}]),
    "documents": (GRADES, [{"qid": 1, "hits": [{"doc_id": "a", "score": 1}]}, {"qid": 2, "hits": [{"doc_id": "b"}]}]),
    "texts": (GOLD, [{"query_id": topic, "chunks": [each for each in TEXTS if each["query_id"] == topic]} for topic in "12"]),
}  # fmt: skip


@pytest.mark.parametrize("what", LOGS)
def test_a_log_in_memory_is_read_as_its_file_is(what, tmp_path):
    judgments, log = LOGS[what]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in log))
    assert values(judgments, log) == values(judgments, path) == [[[1, 1]]]
    assert values(judgments, {"bm25": log, "dense": tuple(log)}) == [[[1, 1]]] * 2
    assert values(judgments, each_once(log)) == [[[1, 1]]]


def test_judgments_may_be_a_log():
    log = [{"question": "1", "documents": ["a"]}, {"question": "2", "documents": ["b"]}]
    assert values(log, RANKINGS) == [[[1, 1]]]


@pytest.mark.parametrize(
    ("record", "what"),
    [
        ({"results": ["a"]}, "this object has no topic, but others do; expected one in each"),
        ({"question": "2"}, "this object has no list of results, but others do; expected one in each"),
        ("a", "this object has no topic, but others do; expected one in each"),
        ({"question": "1", "results": ["a"]}, "topic 1 appears twice; expected all its results in one list"),
    ],
)
def test_a_record_that_is_none_of_a_log_is_refused(record, what):
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate(GRADES, [{"question": "1", "results": ["a"]}, record], "AP")
    assert str(refused.value) == f"run: record 2: {what}"


# Offsets


def test_whole_floats_are_offsets():
    assert values(GOLD, {"1": [("a", 0.0, 19.0)], "2": [("b", 0.0, 16.0)]}) == [[[1, 1]]]
    # a record of topic, document and score is none, whatever pandas made of its ids
    assert values({"1": {"7": 1}}, {"bm25": [("1", 7.0, 12.5), ("1", 8.0, 3.0)]}) == [[[1]]]
    assert values({"1": {"7": 1}}, {"bm25": [("1", 7, 12.0), ("1", 8, 3.0)]}) == [[[1]]]


def test_other_floats_are_no_offsets():
    with pytest.raises(assay.InputError, match=r"run: topic 1 has only records of topic a; expected records of topic 1, or a list of"):
        values(GOLD, {"1": [("a", 1.5, 19.0)]})
    with pytest.raises(assay.InputError, match=r"run: topic 2, document b: start '1.5' is not a whole number"):
        values(GOLD, {"1": [("a", 0.0, 19.0)], "2": [("b", 1.5, 16.0)]})


# Tuples


@pytest.mark.parametrize("result", [(1, "a", 0.5), (0.9, "a"), ("a", (0, 5)), ("a", "b")])
@pytest.mark.parametrize("judgments", [{"q1": {"a": 1}}, {"q1": [("a", 0, 5)]}])
def test_a_tuple_that_does_not_begin_with_its_document_is_told(result, judgments):
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate(judgments, {"q1": [result]}, "R@5")
    lists = "a list of chunks, ids, (id, score), (id, start, end) or (id, start, end, score); the id comes first in a tuple"
    as_record = "topic q1 has only records of topic 1; expected records of topic q1, or"
    assert str(refused.value) == f"run: {as_record if result[0] == 1 else f'topic q1 has {result!r}; expected'} {lists}"
