"""Lists of chunks whose order is not that of their scores."""

import numpy as np
import pytest

import assay

DOCUMENTS = {"a": "Alpha beta gamma.", "b": "Delta epsilon.", "c": "Zeta eta theta."}
GOLD = {"1": [("a", 0, 5)], "2": [("b", 0, 5)]}


def chunks(*scores, key="score"):
    return [{"text": text, "source": name, key: score} for (name, text), score in zip(DOCUMENTS.items(), scores, strict=True)]


def noted(first, second):
    scores = assay.evaluate(GOLD, {"1": first, "2": second}, "RR", documents=DOCUMENTS)
    # whatever the scores are, the lists tell the order
    assert [scores["RR", "1"], scores["RR", "2"]] == [1, 1 / 2]
    return [note for note in scores.notes if "order of the list" in note]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (chunks(0.9, 0.5, 0.1), chunks(0.7, 0.7, 0.2)),
        (chunks(0.1, 0.1, 0.1), chunks(0.1, 0.1, 0.1)),
        (chunks(1, 2, 3, key="rank"), chunks(1, 1, 2, key="rank")),
        (chunks(0.9, 0.1, None), chunks(0.9, 0.1, None)),
        (list(DOCUMENTS.values()), list(DOCUMENTS.values())),
    ],
    ids=["similarities", "equal scores", "ranks", "some are no numbers", "none"],
)
def test_nothing_is_said_of_lists_that_agree_with_their_scores(first, second):
    assert noted(first, second) == []


@pytest.mark.parametrize(
    ("first", "second", "what"),
    [
        (chunks(0.5, 0.9, 0.1), chunks(0.9, 0.5, 0.1), "the scores do not follow the order of the list in 1 topic"),
        (chunks(np.float32(0.5), 0.9, 0), chunks(3, 4, 1), "the scores do not follow the order of the list in 2 topics"),
        (chunks(0.1, 0.5, 0.9), chunks(0.9, 0.5, 0.1), "the scores fall in 1 topic and rise in 1"),
        (chunks(2, 1, 3, key="rank"), chunks(1, 2, 3, key="rank"), "the ranks do not follow the order of the list in 1 topic"),
        ([(DOCUMENTS["a"], 1.0), (DOCUMENTS["b"], 3.0), (DOCUMENTS["c"], 2.0)], chunks(3, 2, 1), "the scores do not follow the order of the list in 1 topic"),
    ],
)
def test_where_the_scores_tell_another_order_that_is_said(first, second, what):
    assert noted(first, second) == [f"run: {what}; Assay used the order of the list"]


@pytest.mark.parametrize("second", [chunks(0.1, 0.1, 0.1), chunks(0.2, 0.3, 0.4)], ids=["one topic", "two topics"])
def test_scores_that_rise_in_every_list_are_noted_because_they_may_be_distances_or_lists_that_are_worst_first(second):
    number = "1 topic" if second == chunks(0.1, 0.1, 0.1) else "2 topics"
    hint = "if the highest score is the best, reverse the lists"
    assert noted(chunks(0.1, 0.5, 0.9), second) == [f"run: the scores rise down the list in {number}; Assay used the order of the list; {hint}"]


@pytest.mark.parametrize("item", [{"id": "a"}, {"id": "a", "x": 1}, {"source": "a"}, {"metadata": {"source": "a"}}])
def test_an_item_of_a_list_may_have_nothing_but_an_id(item):
    judgments = {"1": {"a": 1, "b": 1}}
    assert assay.evaluate(judgments, {"1": [item]}, "AP")["AP"] == 0.5
    assert assay.evaluate(judgments, {"1": [{**item, "score": 1}]}, "AP")["AP"] == 0.5
