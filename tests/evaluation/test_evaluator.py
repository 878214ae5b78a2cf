"""Judgments and measures made ready once, for many runs."""

from __future__ import annotations

import random
import time
from dataclasses import replace

import numpy as np
import pytest

import assay
from helpers.places import EXAMPLES
from helpers.samples import sample

MEASURES = ["AP", "nDCG@10", "RR", "P@3", "NumRet", "Judged@5", "bpref"]


def collection(seed: int):
    """Random judgments, and runs with ties, missing topics, topics without judgments and unjudged documents."""
    rng = random.Random(seed)
    documents = [f"d{number}" for number in range(30)]
    topics = [f"q{number}" for number in range(5)]
    judgments = {topic: {name: rng.randint(0, 2) for name in rng.sample(documents, 12)} for topic in topics}
    scores = [float(number) for number in range(8)]
    runs = [
        {
            topic: {name: rng.choice(scores) for name in rng.sample(documents, rng.randint(1, 25))}
            for topic in rng.sample([*topics, "other"], rng.randint(2, 6))
        }
        for _ in range(3)
    ]
    return judgments, runs


@pytest.mark.parametrize("seed", range(sample(3, 8)))
@pytest.mark.parametrize("rules", [{}, {"ties": "input"}, {"ties": "expected"}, {"depth": 4}, {"judged_only": True}])
def test_the_values_and_notes_are_those_of_an_evaluation(seed, rules):
    judgments, runs = collection(seed)
    measures = [name for name in MEASURES if rules.get("ties") != "expected" or name != "bpref"]
    evaluator = assay.Evaluator(judgments, measures, **rules)
    for run in runs:
        ours, expected = evaluator(run), assay.evaluate(judgments, run, measures, **rules)
        assert np.array_equal(ours.values, expected.values)
        assert (ours.notes, ours.topics) == (expected.notes, expected.topics)


@pytest.mark.parametrize("seed", range(sample(3, 8)))
@pytest.mark.parametrize("rules", [{}, {"ties": "input"}, {"ties": "expected"}, {"depth": 4}, {"judged_only": True}])
def test_a_topic_alone_has_the_values_and_notes_that_it_has_beside_others(seed, rules):
    judgments, runs = collection(seed)
    measures = [name for name in MEASURES if rules.get("ties") != "expected" or name != "bpref"]
    evaluator = assay.Evaluator(judgments, measures, **rules)
    for topic, results in ((topic, results) for run in runs for topic, results in run.items() if topic != "other"):
        alone = evaluator({topic: results})
        # a topic that nobody judged makes it a run of two topics
        beside = assay.evaluate(judgments, {topic: results, "other": {"d1": 1.0}}, measures, **rules)
        assert np.array_equal(alone.values, beside.values)
        assert alone.notes == [note for note in beside.notes if "has no judgments" not in note]
        assert alone.missing == beside.missing


def test_a_tie_is_broken_by_the_bytes_of_ids():
    # as UTF-8 the last of these is the greatest
    judgments = {"1": {"\ud7ff": 0, "\uffff": 1, "\U00010000": 2, "a": 0}}
    run = {"1": dict.fromkeys(judgments["1"], 1.0)}
    assert assay.Evaluator(judgments, ["RR(rel=2)", "RR(rel=1)"])(run)["RR(rel=2)"] == 1
    assert assay.Evaluator(judgments, ["RR(rel=2)"], ties="input")(run)["RR(rel=2)"] == 1 / 3


def test_a_run_that_is_changed_in_a_loop_is_evaluated_anew():
    evaluator, run = assay.Evaluator({"1": {"a": 1, "b": 0}}, ["RR"]), {"1": {"a": 2.0, "b": 1.0}}
    first = evaluator(run)
    run["1"]["b"] = 3.0
    assert (first["RR"], evaluator(run)["RR"]) == (1, 0.5)


def test_a_run_that_was_read_is_ranked_by_the_scores_that_it_has_now():
    evaluator, read = assay.Evaluator({"1": {"a": 1, "b": 0}}, ["RR"]), assay.read_run({"1": {"a": 2.0, "b": 1.0}})
    assert evaluator(read)["RR"] == 1
    assert evaluator(replace(read, score=-read.score))["RR"] == 0.5
    read.score[0] = 0
    assert evaluator(read)["RR"] == 0.5


@pytest.mark.parametrize("ties", ["docno", "input"])
def test_ten_thousand_equal_scores_take_no_longer_than_others(ties):
    names = [f"d{number:05}" for number in range(10_000)]
    evaluator = assay.Evaluator({"1": dict.fromkeys(names, 1) | {"d04999": 2}}, ["RR(rel=2)"], ties=ties)
    begin = time.process_time()
    value = evaluator({"1": dict.fromkeys(names, 1.0)})["RR(rel=2)"]
    assert value == 1 / (5_001 if ties == "docno" else 5_000)
    assert time.process_time() - begin < 1


def test_topics_that_a_run_lacks_are_the_same_again_and_again():
    evaluator = assay.Evaluator({"1": {"a": 1}, "2": {"a": 0, "b": 1}}, ["AP", "NumRet", "NumRel"])
    for run, values in (({"1": {"a": 1.0}}, [[1, 0], [1, 0], [1, 1]]), ({"2": {"a": 1.0}}, [[0, 0], [0, 1], [1, 1]])):
        assert evaluator(run).values.tolist() == [values]


def test_files_and_several_runs_are_taken_too():
    evaluator = assay.Evaluator(EXAMPLES / "judgments.qrels", ["AP"])
    runs = [EXAMPLES / "bm25.run", EXAMPLES / "hybrid.run"]
    assert repr(evaluator(runs)) == repr(assay.evaluate(EXAMPLES / "judgments.qrels", runs, ["AP"]))
    assert [str(measure) for measure in evaluator.measures] == ["AP"]
    assert evaluator.topics == ["1", "2", "3", "4", "5", "10"]


def test_it_says_what_it_is():
    evaluator = assay.Evaluator({"1": {"a": 1}}, ["AP", "P@5"])
    assert repr(evaluator) == "<Evaluator of <Judgments judgments: 1 topic, 1 row> by AP, P@5>"


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({"1": {"a": "x"}}, "run: topic 1, document a: score 'x' is not a number"),
        ({"1": {"": 1.0}}, "run: topic 1, result 1: document is missing"),
        ({"1": {"a": float("nan")}}, "run: topic 1, document a: score 'nan' is not a finite number"),
        ({"9": {"a": 1.0}}, "run and judgments share no topic: 9 vs 1"),
        ({"1": {"a": True}}, "run: topic 1, document a: score True is neither text nor a number"),
    ],
)
def test_bad_runs_are_refused(run, message):
    with pytest.raises(assay.InputError) as refused:
        assay.Evaluator({"1": {"a": 1}}, ["AP"])(run)
    assert str(refused.value) == message


def test_ids_may_be_numbers_and_scores_those_of_numpy():
    evaluator = assay.Evaluator({1: {7: 1, 8: 0}}, ["RR"])
    assert evaluator({1: {7: np.float32(0.5), 8: np.float32(1)}})["RR"] == 0.5
    assert evaluator({"1": {"7": 2, "8": 1}})["RR"] == 1
