"""The drop-in for pytrec_eval: the same names, the same order, the same numbers to the last bit."""

from __future__ import annotations

import random

import pytest

import assay.compat.pytrec_eval as ours
from helpers.samples import sample

theirs = pytest.importorskip("pytrec_eval")

ASKED = {"all_trec", "P_1,3", "ndcg_cut.3", "iprec_at_recall_0.25", "success_2"}


def random_collection(rng: random.Random):
    """Judgments and a run with ties, scores that differ beyond single precision, negative grades, unjudged documents."""
    topics = [f"q{number}" for number in range(rng.choice([1, 2, 5]))]
    documents = [f"d{number}" for number in range(rng.choice([5, 30, 300]))]
    top = rng.choice([1, 2, 4])
    judgments = {
        topic: {
            name: rng.choice([0, 0, -1, rng.randint(0, top)])
            for name in rng.sample(documents, rng.randint(1, len(documents)))
        }
        for topic in topics
    }
    for judged in judgments.values():
        # of a topic with negative grades only, pytrec_eval never returns
        judged[documents[0]] = max(judged.get(documents[0], 0), 0)
    score = rng.choice(
        [lambda: rng.random() * 20, lambda: rng.randint(0, 5), lambda: 1 + rng.randint(0, 50) * 1e-8]
    )
    run = {
        topic: {name: score() for name in rng.sample(documents, rng.randint(1, len(documents)))}
        for topic in [*topics, "unjudged"]
        if rng.random() < 0.9
    }
    return judgments, run


@pytest.mark.parametrize("seed", range(sample(6, 200)))
def test_random_runs_have_the_same_numbers_to_the_bit(seed):
    rng = random.Random(seed)
    judgments, run = random_collection(rng)
    options = ASKED, rng.choice([1, 1, 2]), rng.random() < 0.3
    expected = theirs.RelevanceEvaluator(judgments, *options).evaluate(run)
    found = ours.RelevanceEvaluator(judgments, *options).evaluate(run)
    assert list(found) == list(expected)
    for topic, values in expected.items():
        assert list(found[topic]) == list(values)
        different = {name: (found[topic][name], value) for name, value in values.items() if found[topic][name] != value}
        assert {name: pair for name, pair in different.items() if pair[1] == pair[1]} == {}


@pytest.mark.parametrize("name", ["set_F", "set_F.2", "set_F.0.5", "11pt_avg.0.25,0.5", "P.5", "Rprec_mult.0.4", "iprec_at_recall.0.2"])
def test_values_have_the_same_keys(name):
    collection = {"1": {"a": 1, "b": 0, "c": 2, "e": 1}}
    expected, found = (lib.RelevanceEvaluator(collection, {name}).evaluate({"1": {"a": 1.0, "b": 2.0}}) for lib in (theirs, ours))
    assert found == expected


@pytest.mark.parametrize("seed", range(sample(6, 200)))
def test_infinite_scores_are_ordered_the_same(seed):
    rng = random.Random(seed)
    judgments, run = random_collection(rng)
    large = [float("inf"), float("-inf"), 1e300]
    run = {
        topic: {name: rng.choice([score, *large]) for name, score in scores.items()} for topic, scores in run.items()
    }
    options = {"map", "recip_rank", "P_1,3"}, 1, rng.random() < 0.3
    expected = theirs.RelevanceEvaluator(judgments, *options).evaluate(run)
    assert ours.RelevanceEvaluator(judgments, *options).evaluate(run) == expected


def test_masked_scores_come_last_and_scores_that_are_not_numbers_are_refused():
    evaluator = ours.RelevanceEvaluator({"q1": {"d1": 1, "d2": 0}}, {"map"})
    assert evaluator.evaluate({"q1": {"d1": 1.0, "d2": float("-inf")}}) == {"q1": {"map": 1.0}}
    with pytest.raises(TypeError, match="Unable to extract query/object scores"):
        evaluator.evaluate({"q1": {"d1": 1.0, "d2": float("nan")}})


SMALL = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}


@pytest.mark.parametrize("run", [{}, {"q1": {}}, {"q1": {"a": 1.0}, "q2": {}}, {"q9": {"a": 1.0}}])
def test_empty_runs_and_topics_are_taken_as_there(run):
    measures = {"map", "num_ret", "P_5"}
    expected = theirs.RelevanceEvaluator(SMALL, measures).evaluate(run)
    assert ours.RelevanceEvaluator(SMALL, measures).evaluate(run) == expected


def test_empty_judgments_give_nothing():
    for judgments in ({}, {"q1": {}}):
        assert ours.RelevanceEvaluator(judgments, {"map"}).evaluate({"q1": {"a": 1.0}}) == {}


@pytest.mark.parametrize("run", [{"q1": {"a": "1"}}, {"q1": {"a": None}}, {1: {"a": 1.0}}])
def test_what_is_no_run_is_a_type_error(run):
    for module in (ours, theirs):
        with pytest.raises(TypeError):
            module.RelevanceEvaluator(SMALL, {"map"}).evaluate(run)


def test_what_is_no_measure_is_a_value_error():
    for module in (ours, theirs):
        with pytest.raises(ValueError, match="unsupported measure foo"):
            module.RelevanceEvaluator(SMALL, {"foo"})
    # pytrec_eval crashes at this
    with pytest.raises(ValueError, match="unsupported measure ndcg_10"):
        ours.RelevanceEvaluator(SMALL, {"ndcg_10"})


def test_grades_are_whole_numbers():
    for module in (ours, theirs):
        with pytest.raises(TypeError, match="Expected relevance to be integer"):
            module.RelevanceEvaluator({"q1": {"a": 1.5}}, {"map"})


def test_names_are_those_of_pytrec_eval():
    assert ours.supported_measures == {name for name in theirs.supported_measures if not name.startswith("prefs")}
    for name, measures in ours.supported_nicknames.items():
        assert measures == theirs.supported_nicknames[name]


def test_files_and_means_are_read_and_made_as_there():
    run, qrels = ["q1 Q0 a 1 2.5 x\n", "q1 Q0 b 2 1 x\n"], ["q1 0 a 1\n", "q2 0 c 2\n"]
    assert ours.parse_run(run) == theirs.parse_run(run)
    assert ours.parse_qrel(qrels) == theirs.parse_qrel(qrels)
    for name in ("map", "num_ret", "gm_map"):
        values = [0.25, 0.5, 1.0]
        assert ours.compute_aggregated_measure(name, values) == theirs.compute_aggregated_measure(name, values)


@pytest.mark.parametrize("only_judged", [False, True])
@pytest.mark.parametrize("seed", range(sample(6, 200)))
def test_runs_of_one_topic_have_the_same_numbers_to_the_bit(seed, only_judged):
    rng = random.Random(seed)
    judgments, run = random_collection(rng)
    evaluators = [module.RelevanceEvaluator(judgments, ASKED, 1, only_judged) for module in (ours, theirs)]
    for topic, results in run.items():
        shuffled = dict(rng.sample(list(results.items()), len(results)))
        for alone in ({topic: results}, {topic: shuffled}):
            # what is no number there is none here
            assert repr(evaluators[0].evaluate(alone)) == repr(evaluators[1].evaluate(alone))
