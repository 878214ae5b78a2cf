"""Gates: demands, and a run that must not be worse, against tests written out in full."""

from itertools import product

import numpy as np
import pytest
from scipy import optimize, stats

import assay
from assay.errors import InputError, UsageError
from helpers.files import written

MEASURE = "R@10"
BEFORE = [6, 7, 5, 8, 9, 4, 6, 7, 5, 8]
WORSE = [5, 6, 5, 6, 9, 3, 5, 6, 4, 7]


def gold(topics=10):
    """So many topics, with ten relevant documents each."""
    return {f"q{topic}": {f"d{number}": 1 for number in range(10)} for topic in range(topics)}


def run(tenths):
    """A run that retrieves so many tenths of the relevant documents of each topic."""
    return {f"q{topic}": {f"d{number}": 10 - number for number in range(some)} for topic, some in enumerate(tenths)}


def saved(tenths=BEFORE, measures=MEASURE, **rules):
    """The scores of before."""
    return assay.evaluate(gold(len(tenths)), {"before": run(tenths)}, measures, **rules)


def gated(tenths, before=BEFORE, **asked):
    return assay.gate(gold(len(tenths)), {"now": run(tenths)}, not_worse_than=saved(before), **asked)


def p_of_all_signs(differences) -> float:
    """How often a mean is as great when each difference has either sign."""
    means = [np.dot(signs, differences) for signs in product((-1, 1), repeat=len(differences))]
    return float(np.mean(np.array(means) >= sum(differences) - 1e-9))


def test_without_a_margin_a_significant_loss_fails():
    check = gated(WORSE).checks[0]
    differences = (np.array(BEFORE) - np.array(WORSE)) / 10
    assert check.p == pytest.approx(p_of_all_signs(differences))
    assert check.p < 0.05
    assert not check.passed
    assert (check.value, check.baseline) == (pytest.approx(0.56), pytest.approx(0.65))
    assert check.difference == pytest.approx(-0.09)


@pytest.mark.parametrize("how, of", [({}, "highest value is 0.9000"), ({"means_only": True}, "mean is 0.6500")], ids=["tested", "means"])
def test_a_margin_that_allows_to_lose_everything_is_told(how, of):
    nothing = [1] * len(BEFORE)
    gate = gated(nothing, margin=5, **how)
    assert gate.passed and not gate.checks[0].could_fail
    why = f"this check could not fail: the baseline's {of}, and the margin of 5 allows to lose all of it; "
    assert gate.checks[0].about.startswith(why)
    assert gated(nothing, margin=0.2, **how).checks[0].could_fail
    # with few topics a test may not rule out even a loss that is too large to happen
    few = gated([1, 1, 1], before=[9, 9, 9], margin=1)
    assert not few.passed and few.checks[0].could_fail


def test_without_a_margin_a_loss_that_may_be_chance_passes():
    gate = gated([5, *BEFORE[1:]])
    assert gate.passed
    assert gate.checks[0].p == 0.5
    few = (
        "this check could not fail: only 1 topic differs, and no loss can be significant at 0.05 unless at least 5 differ; "
        "set a margin to rule out a loss; randomisation test, one-tailed at 0.05, "
    )
    assert gate.checks[0].about.startswith(few)
    assert not gate.checks[0].could_fail
    assert gate.show().startswith("now passed: 1 of 1 check; 1 could not fail, for the reason below\n")
    assert gated(WORSE).headline == "now failed: 1 of 1 check"
    of_three = gated([5, 5, 5, 5, *BEFORE[4:]], level=0.04).checks[0].about
    assert of_three.startswith("this check could not fail: only 3 topics differ, and no loss can be significant at 0.04 unless at least 5 differ")
    assert gated(BEFORE).checks[0].about.startswith("no significant loss; no topic differs; ")
    mixed = [7, 5, 7, 7, 5, 7, *BEFORE[6:]]
    assert gated(mixed).checks[0].about.startswith("no significant loss; this test can detect a loss of 0.")


@pytest.mark.parametrize("margin", [0.0, 0.02, 0.05, 0.2])
@pytest.mark.parametrize("tenths", [BEFORE, WORSE, [7, 6, 6, 8, 9, 5, 5, 7, 6, 8]])
def test_with_a_margin_a_loss_as_great_must_be_ruled_out(tenths, margin):
    check = gated(tenths, margin=margin).checks[0]
    expected = p_of_all_signs((np.array(tenths) - np.array(BEFORE)) / 10 + margin)
    assert check.p == pytest.approx(expected)
    assert check.passed == (expected <= 0.05)


def test_a_margin_of_0_asks_for_a_gain():
    check = gated(BEFORE, margin=0).checks[0]
    assert (check.asked, check.passed) == ("R@10: a gain", False)
    assert check.about.startswith("the observed loss (0.0000) is not below the margin of 0; ")
    assert gated([10] * 10, margin=0).checks[0].about.startswith("the gain is significant; ")


@pytest.mark.parametrize("margin", [None, 0.1])
def test_the_test_may_be_students(margin):
    differences = (np.array(WORSE) - np.array(BEFORE)) / 10
    check = gated(WORSE, margin=margin, test="t").checks[0]
    if margin is None:
        expected = stats.ttest_1samp(differences, 0, alternative="less")
    else:
        expected = stats.ttest_1samp(differences, -margin, alternative="greater")
    interval = stats.ttest_1samp(differences, 0).confidence_interval(0.9)
    assert check.p == pytest.approx(expected.pvalue)
    assert (check.low, check.high) == pytest.approx((interval.low, interval.high))


def test_means_are_compared_alone_only_where_that_is_asked():
    slightly = [5, *BEFORE[1:]]
    assert not gated(slightly, means_only=True).passed
    assert gated(slightly, means_only=True, margin=0.02).passed
    assert gated(BEFORE, means_only=True).passed
    assert gated(slightly, means_only=True).checks[0].p is None


def test_where_less_is_better_more_is_a_loss():
    texts = {"d": "x" * 2000}
    evidence = [{"topic": f"q{n}", "document": "d", "start": 0, "end": 100} for n in range(6)]
    # each chunk overlaps the one before by so much
    chunks = [
        [
            {"topic": f"q{n}", "document": "d", "start": at * step, "end": at * step + 100, "score": 9 - at}
            for n in range(6)
            for at in range(4)
        ]
        for step in (90, 50)
    ]
    how = {"measures": ["Redundancy"], "documents": texts}
    little, much = (assay.evaluate(evidence, {"a": rows}, **how) for rows in chunks)
    assert assay.gate(evidence, {"now": chunks[0]}, not_worse_than=much, documents=texts).passed
    assert not assay.gate(evidence, {"now": chunks[1]}, not_worse_than=little, documents=texts).passed


@pytest.mark.parametrize(
    ("asked", "passed"),
    [
        ("R@10 >= 0.65", True),
        ("R@10≥.65", True),
        ("R@10 > 0.65", False),
        ("R@10 <= 0.65", True),
        ("R@10 < 0.66", True),
        ("P(rel=1)@10 >= 0.66", False),
    ],
)
def test_a_value_must_be_as_required(asked, passed):
    gate = assay.gate(gold(), {"now": run(BEFORE)}, require=asked)
    assert gate.passed == passed
    assert len(gate.checks) == 1


def test_a_value_that_misses_by_rounding_alone_is_reached():
    thirds = {f"q{n}": {"d0": 3, "e1": 2, "e2": 1} for n in range(3)}
    assert assay.gate(gold(3), {"now": thirds}, require=f"P@3 >= {1 / 3 + 1e-15!r}").passed


def test_the_worst_topics_are_those_that_lost_most(folder):
    written("q0\thow to prove dough\nq3\thow to score a loaf\n", "topics.tsv")
    tenths = [3, 7, 6, 6, 9, 4, 5, 6, 4, 7]
    check = gated(tenths, topics_file="topics.tsv", margin=0.01).checks[0]
    changes = [(each.topic, each.question, each.before, each.after) for each in check.worst]
    assert changes == [
        ("q0", "how to prove dough", 0.6, 0.3),
        ("q3", "how to score a loaf", 0.8, 0.6),
        ("q6", "", 0.6, 0.5),
        ("q7", "", 0.7, 0.6),
        ("q8", "", 0.5, 0.4),
    ]


def test_a_gate_shows_what_failed_with_its_worst_topics():
    gate = assay.gate(
        gold(6),
        {"now": run([3, 7, 5, 6, 9, 4])},
        not_worse_than=saved([6, 7, 5, 8, 9, 4]),
        means_only=True,
        require="R@10>=.5",
    )
    assert repr(gate).splitlines() == [
        "now failed: 1 of 2 checks",
        "",
        "check                   value   baseline   difference   90% CI, low   90% CI, high   p   result",
        "───────────────────────────────────────────────────────────────────────────────────────────────",
        "R@10 >= .5             0.5667                                                            passed",
        "R@10: mean not lower   0.5667     0.6500      -0.0833                                    failed",
        "",
        "R@10: means alone, over 6 topics; no significance test was made",
        "",
        "R@10 failed against the baseline; the topics that lost most:",
        "",
        "topic   before    after",
        "───────────────────────",
        "q0      0.6000   0.3000",
        "q3      0.8000   0.6000",
    ]
    assert gate._repr_html_().startswith("<p><b>now failed: 1 of 2 checks</b></p>")


def test_a_gate_tells_who_is_better_and_how_many_topics_would_decide():
    after = [7, 5, 7, 7, 5, 7, *BEFORE[6:]]
    gate = gated(after)
    sd, critical = np.std((np.array(after) - np.array(BEFORE)) / 10, ddof=1), stats.t.ppf(0.95, 9)
    least = optimize.brentq(lambda loss: stats.nct.sf(critical, 9, loss / sd * np.sqrt(10)) - 0.8, 0.001, 1)
    assert gate.remarks() == [
        f"R@10: no significant loss; this test can detect a loss of {least:.4f} with 80% power; randomisation test, "
        "one-tailed at 0.05, over 10 topics, exact, all sign permutations",
        f"R@10: {gate.checks[0].best.verdict()}",
    ]
    assert {each.system for each in gate.checks[0].best.contenders} == {"now", "the baseline"}


def test_markdown_suits_a_pull_request():
    lines = gated(WORSE).show("md").splitlines()
    assert lines[0] == "### ❌ now failed: 1 of 1 check"
    assert lines[2] == "| check | value | baseline | difference | 90% CI, low | 90% CI, high | p | result |"
    header = "check,value,baseline,difference,90% CI low,90% CI high,p,result"
    assert gated(WORSE).show("csv").splitlines()[0] == header
    assert gated(WORSE).show("tsv").splitlines()[0] == header.replace(",", "\t")
    assert "**R@10 failed against the baseline; the topics that lost most:**" in lines
    assert "| q3 | 0.8000 | 0.6000 |" in lines


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "nothing to check; pass require= with a condition, for example 'R@5 >= 0.7', or pass not_worse_than= with saved scores"),
        (
            {"require": "P@5 >= 0.1, R(chars=9, fit=stop) >= .2"},
            "'P@5 >= 0.1, R(chars=9, fit=stop) >= .2' has 2 conditions; pass each as a require= of its own",
        ),
        ({"require": "R@10"}, "'R@10' is not a requirement; expected a measure, a relation and a number, for example 'R@5 >= 0.7'"),
        (
            {"require": "R@10 >= nan"},
            "'R@10 >= nan' is not a requirement; expected a measure, a relation and a number, for example 'R@5 >= 0.7'",
        ),
        ({"require": "p@5 => 0.7"}, "'=>' is not a relation; write 'P@5 >= 0.7'"),
        ({"require": "P(rel=2)@5=<0.7"}, "'=<' is not a relation; write 'P(rel=2)@5 <= 0.7'"),
        ({"require": "R@10 == 0.7"}, "'==' is not a relation; write 'R@10 >= 0.7'"),
        (
            {"require": "P(rel=2)"},
            "'P(rel=2)' is not a requirement; expected a measure, a relation and a number, for example 'R@5 >= 0.7'",
        ),
        ({"require": "RR@10 >= 0.1 >= 0.2"}, "'RR@10 >= 0.1': k=10 >= 0.1; expected a whole number"),
        (
            {"require": "R@10 >= 0.1", "margin": 0.1},
            "measures, margin, baseline and means_only require a saved baseline; pass not_worse_than=",
        ),
        ({"require": "R@10 >= 0.1", "level": 0.7}, "level is 0.7; expected less than 0.5, for example 0.05"),
        (
            {"require": "R@10 >= 0.1", "test": "sign"},
            "unknown test 'sign'; choose from randomisation, bootstrap, t",
        ),
        (
            {"require": "R@10 >= 0.1", "not_worse_than": "x", "margin": -1},
            "margin is -1; expected 0 or more, in the unit of the measure",
        ),
    ],
)
def test_what_means_nothing_is_refused(asked, message):
    with pytest.raises(UsageError) as error:
        assay.gate(gold(), {"now": run(BEFORE)}, **asked)
    assert str(error.value) == message


def test_a_gate_takes_one_run():
    with pytest.raises(UsageError) as error:
        assay.gate(gold(), {"a": run(BEFORE), "b": run(WORSE)}, require="R@10 >= 0.1")
    assert str(error.value) == "a gate takes one run, found 2: a, b"


def test_a_measure_without_a_mean_is_compared_by_its_value_where_that_is_asked():
    before = saved(measures="GMAP")
    with pytest.raises(UsageError) as error:
        assay.gate(gold(), {"now": run(WORSE)}, not_worse_than=before)
    assert str(error.value) == "the test compares arithmetic means over topics; GMAP is not one, so pass means_only= to compare it untested"
    assert not assay.gate(gold(), {"now": run(WORSE)}, not_worse_than=before, means_only=True).passed


def test_so_few_topics_that_nothing_could_fail_are_an_error():
    with pytest.raises(InputError) as error:
        gated([1, 1, 1], [9, 9, 9])
    assert str(error.value) == (
        "with 3 topics no loss can be significant at 0.05 by the randomisation test, so nothing could fail; "
        "pass margin=, or means_only="
    )
    gate = gated([9, 9, 9], [9, 9, 9], margin=0.1)
    assert not gate.passed
    assert gate.checks[0].about.startswith(
        "a loss of 0.1 or more is not ruled out; with 3 topics p cannot be below 0.125"
    )


def test_a_bootstrap_of_a_gate_needs_topics_too():
    gold = {str(topic): {"a": 1} for topic in range(12)}
    good, bad = ({topic: {"a": 1.0, "b": score} for topic in gold} for score in (0.5, 2.0))
    before = assay.evaluate(gold, {"run": good}, "AP")
    too_often = "with fewer than 50 topics its p-values are too small: use randomisation"
    lost = assay.gate(gold, {"run": bad}, not_worse_than=before, test="bootstrap")
    assert not lost.passed and lost.checks[0].about.endswith(too_often)
    few = {topic: gold[topic] for topic in "012"}
    with pytest.raises(InputError, match=r"^a bootstrap test needs 6 topics or more, found 3: "):
        before = assay.evaluate(few, {"run": good}, "AP")
        assay.gate(few, {"run": {topic: bad[topic] for topic in few}}, not_worse_than=before, test="bootstrap")
