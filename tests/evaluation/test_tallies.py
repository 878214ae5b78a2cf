"""What is noticed of parts of an evaluation adds up to what is noticed of all of it."""

import numpy as np
import pytest

import assay
from assay.evaluation.tallies import MOST, Outcome, SomeNames
from assay.ranking.align import Counts


def test_names_of_parts_add_up_and_the_first_are_kept_in_their_order():
    names = SomeNames.of(["10", "9"])
    names.add(SomeNames.of(["2", "x", "a"]))
    assert (names.number, names.kept, str(names)) == (5, ["2", "9", "10", "a", "x"], "2, 9, 10, a, x")


def test_of_many_names_only_the_first_are_kept():
    names = SomeNames()
    for part in range(3):
        names.add(SomeNames.of([str(number) for number in range(part, 3 * MOST, 3)]))
    assert (names.number, names.kept[-1], str(names)) == (3 * MOST, str(MOST - 1), "0, 1, 2, 3, 4, …")


def test_err_takes_the_highest_grade_of_all_judgments_whoever_gave_it():
    """(2^1 − 1) / 2^3 for each annotator of topic 2, and (2^3 − 1) / 2^3 for topic 1."""
    judgments = [
        {"topic": "1", "document": "a", "grade": 3, "annotator": "al"},
        {"topic": "2", "document": "a", "grade": 1, "annotator": "al"},
        {"topic": "2", "document": "a", "grade": 1, "annotator": "bo"},
    ]
    scores = assay.evaluate(judgments, {"1": {"a": 1.0}, "2": {"a": 1.0}}, "ERR")
    assert scores.values[0, 0].tolist() == [7 / 8, 1 / 8]


def outcome_of_two_topics() -> Outcome:
    """What a run scored that has both judged topics, half of whose documents are judged."""
    outcome = Outcome("run", np.ones((1, 2)), np.ones(2, bool), np.zeros(2, bool))
    outcome.meeting.results, outcome.meeting.judged, outcome.meeting.possible = 10, 5, 10
    return outcome


NOTICED = [
    *({"counts": Counts(**{name: 1})} for name in Counts._fields if name != "falling"),
    {"unjudged": ["3"]},
    {"notes": {"a column was taken for another": None}},
    {"in_run": np.array([True, False])},
    {"empty": np.array([True, False])},
    {"values": np.array([[1.0, np.inf]])},
]


@pytest.mark.parametrize("noticed", NOTICED, ids=str)
def test_a_run_of_which_anything_was_noticed_is_not_plain(noticed):
    outcome = outcome_of_two_topics()
    assert outcome.is_plain
    vars(outcome).update(noticed)
    assert not outcome.is_plain


@pytest.mark.parametrize("noticed", [{"judged": 0}, {"of_text": True}, {"sample": [("1", "a")]}], ids=str)
def test_a_run_of_which_little_may_be_judged_is_not_plain(noticed):
    outcome = outcome_of_two_topics()
    vars(outcome.meeting).update(noticed)
    assert not outcome.is_plain
