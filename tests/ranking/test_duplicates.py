"""A document that stands in a topic of a run again: refused, or once, by its first row or by its best score."""

from __future__ import annotations

import json
import random

import pytest

import assay
from helpers.commands import invoke

RUN = "1 Q0 a 1 3 x\n1 Q0 b 2 2.5 x\n1 Q0 c 3 2 x\n1 Q0 a 4 1 x\n1 Q0 c 5 9 x\n2 Q0 a 1 1 x\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "chunks.run").write_text(RUN)
    (tmp_path / "judgments.qrels").write_text("1 0 c 1\n1 0 b 0\n2 0 a 1\n")
    return tmp_path / "judgments.qrels", tmp_path / "chunks.run"


def test_a_document_that_stands_twice_is_refused(files):
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate(*files, ["RR"])
    where = f"{files[1]}:4: document a is retrieved twice for topic 1 (first on line 1)"
    assert str(refused.value) == f"{where}; pass duplicates=first or duplicates=best to keep one"
    done = invoke("evaluate", *map(str, files), "-m", "RR")
    assert done.stderr == f"{where}; pass --duplicates first or --duplicates best to keep one\n"


@pytest.mark.parametrize(("duplicates", "rank"), [("first", 3), ("best", 1)])
def test_its_first_row_or_its_best_score_counts(files, duplicates, rank):
    scores = assay.evaluate(*files, ["RR", "NumRet"], duplicates=duplicates)
    assert (scores["RR", "1"], scores["NumRet"]) == (1 / rank, 4)
    which = {"first": "Assay keeps the first", "best": "Assay keeps the one with the best score"}[duplicates]
    assert scores.notes == [f"chunks: 2 results repeat a document of the same topic; {which}"]


def test_it_is_an_option_of_the_command_line(files):
    done = invoke("evaluate", *map(str, files), "-m", "RR", "--duplicates", "best")
    assert done.stdout == "run\tRR\nchunks\t1.0\n"


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("duplicates", ["first", "best"])
def test_the_values_are_those_of_a_run_rolled_up_by_hand(seed, duplicates):
    rng = random.Random(seed)
    rows = [(rng.choice("12"), rng.choice("abcdef"), float(rng.randint(0, 5))) for _ in range(30)]
    judgments = {topic: {name: rng.randint(0, 2) for name in "abcdef"} for topic in "12"}
    by_hand: dict[str, dict[str, float]] = {}
    for topic, name, score in rows:
        scores = by_hand.setdefault(topic, {})
        scores[name] = scores.setdefault(name, score) if duplicates == "first" else max(scores.get(name, score), score)
    rolled_up = assay.evaluate(judgments, rows, ["AP", "nDCG", "RR"], duplicates=duplicates)
    assert rolled_up.values.tolist() == assay.evaluate(judgments, by_hand, ["AP", "nDCG", "RR"]).values.tolist()


def test_another_word_is_refused(files):
    with pytest.raises(assay.UsageError) as refused:
        assay.evaluate(*files, ["RR"], duplicates="last")
    assert str(refused.value) == "unknown value 'last' of duplicates; choose from refuse, first, best"


LISTS = {
    "a list of documents": {"1": ["b", "b", "c", "b"], "2": ["a"]},
    "a tuple of documents": {"1": ("b", "b", "c", "b"), "2": ("a",)},
    "documents with scores": {"1": [("b", 0.9), ("c", 0.7), ("b", 0.8)], "2": [("a", 0.1)]},
    "a tuple of documents with scores": {"1": (("b", 0.9), ("c", 0.7), ("b", 0.8)), "2": (("a", 0.1),)},
    "numbers and texts": {"1": ["b", "b", "c", 7, "7"], "2": ["a"]},
}
JUDGED = {"1": {"c": 1, "b": 0}, "2": {"a": 1}}


@pytest.mark.parametrize("what", LISTS)
@pytest.mark.parametrize("duplicates", ["first", "best"])
def test_lists_may_have_a_document_twice(what, duplicates, tmp_path):
    run, log = tmp_path / "run.json", tmp_path / "log.jsonl"
    run.write_text(json.dumps(LISTS[what]))
    log.write_text("".join(json.dumps({"qid": topic, "hits": hits}) + "\n" for topic, hits in LISTS[what].items()))
    for given in (LISTS[what], run, log):
        assert assay.evaluate(JUDGED, given, "RR", duplicates=duplicates).values.tolist() == [[[0.5, 1]]]


def test_the_best_score_of_a_list_may_come_last():
    run = {"1": [("c", 0.1), ("b", 0.5), ("c", 0.9)]}
    assert assay.evaluate({"1": ["c"]}, run, "RR", duplicates="best")["RR"] == 1
    assert assay.evaluate({"1": ["c"]}, run, "RR", duplicates="first")["RR"] == 0.5


@pytest.mark.parametrize("what", LISTS)
def test_lists_that_have_a_document_twice_are_refused_as_rows_are(what):
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate(JUDGED, LISTS[what], "RR")
    again = 3 if "scores" in what else 2
    words = "document b is retrieved twice for topic 1 (first in result 1)"
    assert str(refused.value) == f"run: result {again}: {words}; pass duplicates=first or duplicates=best to keep one"


def test_judgments_that_have_a_document_twice_are_refused():
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate({"1": ["a", "b", "a"]}, {"1": ["a"]}, "RR", duplicates="first")
    assert str(refused.value) == "judgments: quote 3: document a is judged twice for topic 1 (first in quote 1)"
