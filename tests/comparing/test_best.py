"""Which system is the best: against all draws counted out, and a plain simulation."""

import random
from itertools import product
from statistics import fmean

import numpy as np
import pytest

from assay import AP, GMAP, P, Redundancy
from assay.comparing.paired import least_difference, topics_needed
from assay.comparing.significance import drawn_best
from assay.errors import InputError, UsageError
from assay.evaluation.score_table import ScoreTable
from helpers.samples import sample


def table(measure=None, topics=None, **values) -> ScoreTable:
    """Systems with some values, the same number each."""
    rows = np.array([list(map(float, row)) for row in values.values()])[:, None]
    names = topics or [f"q{number}" for number in range(rows.shape[2])]
    return ScoreTable(list(values), [measure or AP()], names, rows)


def chances(scores: ScoreTable, **how) -> dict[str, float]:
    return {each.system: each.chance for each in drawn_best(scores, scores.measures[0], **how).contenders}


def of_all_draws(values: dict[str, list[float]]) -> dict[str, float]:
    """The chance of each to be the best over every draw of as many topics as there are, counted out."""
    topics = len(next(iter(values.values())))
    shares = dict.fromkeys(values, 0.0)
    for draw in product(range(topics), repeat=topics):
        sums = {name: round(sum(row[topic] for topic in draw), 9) for name, row in values.items()}
        best = [name for name, total in sums.items() if total == max(sums.values())]
        for name in best:
            shares[name] += 1 / len(best) / topics**topics
    return shares


@pytest.mark.parametrize(
    "values",
    [
        {"a": [0.5, 0.2, 0.9, 0.4], "b": [0.4, 0.3, 0.7, 0.4]},
        {"a": [1, 0, 0, 1, 0], "b": [0, 1, 0, 0, 1], "c": [0.4, 0.4, 0.4, 0.4, 0.4]},
        {"a": [0.1, 0.2, 0.3], "b": [0.1, 0.2, 0.3], "c": [0, 0, 1]},
    ],
)
def test_the_chance_of_being_best_is_that_of_all_draws(values):
    expected = of_all_draws(values)
    assert chances(table(**values), samples=40_000) == pytest.approx(expected, abs=0.01)
    assert sum(chances(table(**values)).values()) == pytest.approx(1)


def test_the_chance_of_being_best_is_that_of_a_plain_simulation():
    rng = random.Random(5)
    ease = [rng.random() for _ in range(30)]
    better = {"a": 0, "b": 0.02, "c": 0.05, "d": 0.05}
    values = {name: [each + shift + rng.gauss(0, 0.2) for each in ease] for name, shift in better.items()}
    best = dict.fromkeys(values, 0)
    draws = 4000
    for _ in range(draws):
        drawn = rng.choices(range(30), k=30)
        best[max(values, key=lambda name: fmean(values[name][topic] for topic in drawn))] += 1 / draws
    assert chances(table(**values)) == pytest.approx(best, abs=0.03)


def test_where_less_is_better_the_least_is_the_best():
    values = {"a": [0.1, 0.2, 0.3, 0.1], "b": [0.5, 0.6, 0.5, 0.9]}
    best = drawn_best(table(Redundancy(), **values), Redundancy)
    assert best.winner() == "a"
    assert best.contenders[1].behind == pytest.approx(0.45)


@pytest.mark.parametrize(("lead", "sd", "level"), [(0.3, 1.0, 0.05), (0.05, 0.1, 0.1)])
def test_with_the_topics_needed_four_of_five_samples_decide(lead, sd, level):
    topics = topics_needed(lead, sd, level, 0.8, tails=1)
    rng, trials, draws = np.random.default_rng(11), sample(400, 4000), 800
    decided = 0
    for _ in range(trials):
        leads = rng.normal(lead, sd, topics)
        means = leads[rng.integers(0, topics, (draws, topics))].mean(axis=1)
        decided += (means > 0).mean() >= 1 - level
    assert decided / trials == pytest.approx(0.8, abs=0.07)


def test_the_least_difference_is_what_the_topics_needed_tell_the_other_way_round():
    for topics in (5, 20, 199):
        least = least_difference(topics, 2.0, 0.05, 0.8, tails=1)
        assert topics_needed(least * 1.0001, 2.0, 0.05, 0.8, tails=1) == topics
        assert topics_needed(least * 0.999, 2.0, 0.05, 0.8, tails=1) > topics


def test_no_winner_is_an_answer_with_the_topics_that_would_decide():
    rng = np.random.default_rng(3)
    first = rng.normal(0.5, 0.1, 40)
    second = first - 0.02 - rng.normal(0, 0.08, 40)
    best = drawn_best(table(a=first, b=second), "AP")
    lead = first - second
    needed = topics_needed(lead.mean(), lead.std(ddof=1), 0.05, 0.8, 1)
    assert best.winner() is None
    assert best.more() == needed - 40 > 0
    chance = best.contenders[0].chance
    assert best.verdict() == (
        f"no winner: a leads, and is the best with probability {chance:.2f}; {needed - 40} more topics would decide "
        "if these leads are the true ones"
    )


def test_a_winner_needs_no_more_topics():
    best = drawn_best(table(a=[0.9, 0.8, 0.9], b=[0.1, 0.2, 0.1]), "AP")
    assert (best.winner(), best.more()) == ("a", 0)
    assert best.verdict() == "a is the best with probability 1.00"


def test_the_level_is_shared_among_all_others():
    first = [0.5, 0.6, 0.7, 0.5]
    best = drawn_best(table(a=first, b=[0.4, 0.7, 0.6, 0.5], c=[0.5, 0.5, 0.7, 0.5]), "AP")
    for other in best.contenders[1:]:
        assert best.needed(other, 0.1) == topics_needed(other.behind, other.sd, 0.05, 0.8, 1)
    assert best.more(0.1) == max(best.needed(other, 0.1) for other in best.contenders[1:]) - 4


def test_equal_systems_have_no_winner_and_no_number_of_topics_decides():
    best = drawn_best(table(a=[0.5, 0.6], b=[0.5, 0.6]), "AP")
    assert (best.winner(), best.more()) == (None, None)
    assert best.verdict() == "no winner: a and b are equal, each the best with probability 0.50"


def test_the_order_of_systems_and_topics_changes_nothing():
    forward = table(b=[0.1, 0.9, 0.4], a=[0.3, 0.5, 0.5])
    backward = table(topics=["q2", "q1", "q0"], a=[0.5, 0.5, 0.3], b=[0.4, 0.9, 0.1])
    assert chances(forward) == chances(backward)


def test_only_topics_that_all_have_count():
    nan = float("nan")
    assert drawn_best(table(a=[0.1, nan, 0.4, 0.2], b=[0.2, 0.5, 0.1, 0.1]), "AP").topics == 3


def test_it_shows_itself():
    best = drawn_best(table(a=[0.9, 0.8, 0.9], b=[0.1, 0.2, 0.1]), "AP")
    assert repr(best).splitlines() == [
        "run       AP   topics   chance of best   behind       sd   topics needed",
        "────────────────────────────────────────────────────────────────────────",
        "a     0.8667        3           1.0000",
        "b     0.1333        3           0.0000   0.7333   0.1155               2",
        "",
        "AP: a is the best with probability 1.00; 10,000 draws of 3 topics with replacement, seed 0; "
        "a winner needs probability 0.95, and topics needed are for 80% power",
    ]
    assert best.show("tsv").startswith("run\tAP\ttopics\tchance of best\tbehind\tsd\ttopics needed\n")
    assert best._repr_html_().startswith("<table>")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: drawn_best(table(a=[1, 2]), "AP"), "a comparison needs at least two runs; found only a"),
        (lambda: drawn_best(table(a=[1, 2], b=[1, 2]), "P@5"), "P@5 was not measured; choose from AP"),
        (
            lambda: drawn_best(table(GMAP(), a=[1, 2], b=[1, 2]), "GMAP"),
            "significance tests compare arithmetic means over topics; GMAP is not one, so choose another measure",
        ),
        (
            lambda: drawn_best(table(a=[1, np.inf], b=[1, 2]), "AP"),
            "AP is infinite for 1 topic; systems cannot be compared by their means",
        ),
        (lambda: drawn_best(table(a=[1, 2], b=[1, 2]), "AP", samples=0), "samples is 0; expected 1 or more"),
        (
            lambda: drawn_best(table(a=[1, 2], b=[1, 2]), "AP").winner(1),
            "level is 1; expected a number between 0 and 1",
        ),
    ],
)
def test_what_means_nothing_is_refused(call, message):
    with pytest.raises(UsageError) as error:
        call()
    assert str(error.value) == message


def test_fewer_than_two_topics_in_common_are_refused():
    nan = float("nan")
    with pytest.raises(InputError) as error:
        drawn_best(table(P() @ 5, a=[0.1, nan], b=[0.2, 0.5]), "P@5")
    assert str(error.value) == "a, b have 1 topic with P@5 in common; a comparison needs 2 or more"
