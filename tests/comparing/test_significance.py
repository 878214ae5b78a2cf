"""Comparing systems: each test against figures in print, against scipy, and against all that chance could have done."""

import itertools
import json
import math
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from assay.comparing.comparison import TESTS, letter
from assay.comparing.paired import Sample, critical_range, residual_variance, studentised_range, topics_needed
from assay.comparing.significance import beside_baseline, compare, correct_p_values, with_letters
from assay.errors import InputError, UsageError
from assay.measures.base import Count
from assay.measures.notation import measures_of
from assay.scores import Scores

APART = ["randomisation", "bootstrap", "t", "wilcoxon", "sign"]
NAN = math.nan


def scores_of(table, measures=("AP",), topics=None):
    """Scores of {system: values of topics}, the same for each measure."""
    values = np.array([[row] * len(measures) for row in table.values()], float)
    return Scores(list(table), measures_of(measures), topics or [str(n + 1) for n in range(values.shape[2])], values)


def one_pair(a, b, **how):
    """The pair a − b, whichever is better."""
    return compare(scores_of({"a": a, "b": b}), "AP", baseline="b", **how).pairs[0]


def random_scores(seed, systems=5, topics=30, gaps=0.0):
    rng = np.random.default_rng(seed)
    quality, difficulty = np.linspace(0, 1, systems)[:, None], rng.normal(0, 1, topics)
    values = 1 / (1 + np.exp(-(quality + difficulty + rng.normal(0, 0.6, (systems, topics)))))
    values[rng.random(values.shape) < gaps] = np.nan
    return scores_of(dict(zip("abcdefghijklmnopqrstuvwxyz", values, strict=False)))


def close(value, digits=1e-9):
    return pytest.approx(value, rel=digits, abs=1e-12)


def test_differences_are_those_of_all_digits():
    # to 12 decimals each difference would be 0.000000000001 or 0.000000000002
    a, b = np.array([1.4e-12, 1.6e-12, 1.4e-12, 2.4e-12]), np.zeros(4)
    pair = one_pair(a, b, test="t")
    assert pair.difference == close(a.mean(), 1e-15) and pair.difference == a.mean()
    assert pair.sd == pytest.approx(a.std(ddof=1), rel=1e-12, abs=0)
    assert pair.p == close(scipy.stats.ttest_rel(a, b).pvalue)


def test_differences_by_rounding_alone_are_none():
    third = [1 / 3, 0.1 + 0.2, 0.7]
    pair = one_pair(third, [1 - 2 / 3, 0.3, 0.7000000000000001], test="t")
    assert (pair.difference, pair.wins, pair.ties, pair.losses, pair.p, pair.better) == (0, 0, 3, 0, 1, "")
    # what differs, and cancels out but for rounding
    pair = one_pair([0.4, 0.1, 0.6], [0.1, 0.2, 0.8], test="t")
    assert (pair.difference, pair.effect, pair.better) == (0, 0, "")


# Figures in print.

# Darwin's maize, cross- less self-fertilised, in eighths of an inch: Fisher, The Design of Experiments, 1935, ch. III.
MAIZE = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
# Hours of sleep gained with two drugs: Student, The probable error of a mean, Biometrika 6, 1908.
SLEEP = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4], [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
# Three therapies in five blocks: Larsen and Marx, Mathematical Statistics, case study 13.2.1, where the mean square error is 8.55.
THERAPIES = {"cd": [8, 11, 9, 16, 24], "dp": [2, 1, 12, 11, 19], "lm": [-2, 0, 6, 2, 11]}


def test_randomisation_of_darwins_maize_counts_the_863_ways_that_fisher_counted():
    one = one_pair(MAIZE, [0] * 15, tails=1, samples=2**15)
    both = one_pair(MAIZE, [0] * 15, samples=2**15)
    assert one.p == 863 / 2**15
    assert both.p == 2 * 863 / 2**15


def test_t_of_darwins_maize_is_fishers():
    # t = 2.148 with 14 degrees of freedom, which is beyond the 5 per cent point by a hair
    pair = one_pair(MAIZE, [0] * 15, test="t")
    assert pair.difference / pair.sd * math.sqrt(15) == pytest.approx(2.148, abs=5e-4)
    assert pair.p == pytest.approx(0.0497, abs=5e-5)


def test_t_of_students_sleep_data():
    # as R prints it: t = 4.0621, df = 9, p-value = 0.002833, 0.7001142 to 2.4598858, mean of the differences 1.58
    pair = one_pair(*SLEEP, test="t")
    assert (round(pair.p, 6), round(pair.difference, 2)) == (0.002833, 1.58)
    assert (round(pair.low, 7), round(pair.high, 7)) == (0.7001142, 2.4598858)
    assert round(pair.effect * math.sqrt(10), 4) == 4.0621
    assert (pair.wins, pair.ties, pair.losses) == (9, 1, 0)


def test_wilcoxon_where_all_differences_but_a_zero_are_above_0():
    # one of the 2^9 ways to set the signs is as great
    assert one_pair(*SLEEP, test="wilcoxon").p == 2 / 2**9
    assert one_pair(*SLEEP, test="wilcoxon", tails=1).p == 1 / 2**9
    assert one_pair(*SLEEP[::-1], test="wilcoxon", tails=1).p == 1


@pytest.mark.parametrize(("wins", "ties", "losses", "p"), [(29, 0, 21, 0.3222), (25, 7, 18, 0.3604)])
def test_sign_test_of_two_systems_of_trec_3(wins, ties, losses, p):
    # Smucker, Allan and Carterette, A comparison of statistical significance tests, CIKM 2007, section 2.3
    pair = one_pair([1] * wins + [0] * ties + [-1] * losses, [0] * 50, test="sign")
    assert round(pair.p, 4) == p


def test_residual_variance_is_that_of_a_textbook():
    assert residual_variance(np.array(list(THERAPIES.values()), float)) == close(8.55)


@pytest.mark.parametrize(
    ("q", "systems", "free"), [(4.04, 3, 8), (4.20, 4, 12), (3.88, 3, 10), (3.58, 3, 20), (4.56, 10, 120)]
)
def test_studentised_range_is_that_of_the_printed_tables(q, systems, free):
    # upper 5 per cent points, to the two decimals that tables have
    below, above = studentised_range(np.array([q - 0.005, q + 0.005]), systems, free)
    assert above < 0.05 < below


def test_tukey_of_a_textbook_worked_by_hand():
    # means 13.6, 9.0 and 3.4; standard error √(8.55/5) = 1.3077; q = 7.80, 3.52 and 4.28 against the tables' 4.04
    found = compare(scores_of(THERAPIES), "AP", test="tukey")
    pairs = {(pair.first, pair.second): pair for pair in found.pairs}
    assert {names: round(pair.difference, 10) for names, pair in pairs.items()} == {
        ("cd", "dp"): 4.6, ("cd", "lm"): 10.2, ("dp", "lm"): 5.6
    }  # fmt: skip
    half = 4.041 * math.sqrt(8.55 / 5)
    assert [(pair.low, pair.high) for pair in found.pairs] == [
        (pytest.approx(pair.difference - half, abs=2e-3), pytest.approx(pair.difference + half, abs=2e-3))
        for pair in found.pairs
    ]
    assert [pair.effect for pair in found.pairs] == [close(pair.difference / math.sqrt(8.55)) for pair in found.pairs]
    assert {(pair.first, pair.second) for pair in found.significant()} == {("cd", "lm"), ("dp", "lm")}


@pytest.mark.parametrize(
    ("effect", "tails", "topics"),
    [(0.2, 2, 199), (0.5, 2, 34), (0.8, 2, 15), (1.0, 2, 10), (0.2, 1, 156), (0.5, 1, 27), (0.8, 1, 12)],
)
def test_topics_needed_are_those_of_gpower(effect, tails, topics):
    # G*Power 3.1, difference between two dependent means, alpha .05, power .8
    assert topics_needed(effect * 3, 3, tails=tails) == topics


@given(
    st.floats(0.02, 3), st.sampled_from([0.01, 0.05, 0.1]), st.sampled_from([0.5, 0.8, 0.95]), st.sampled_from([1, 2])
)
def test_topics_needed_is_the_first_number_with_that_power(effect, alpha, power, tails):
    def power_of(n):
        critical = scipy.stats.t.isf(alpha / tails, n - 1)
        # a normal of mean √n · effect against the critical value times a chi, integrated over the chi
        chi, shift = scipy.stats.chi(n - 1, scale=1 / math.sqrt(n - 1)), effect * math.sqrt(n)
        normal = scipy.stats.norm.cdf
        return chi.expect(lambda x: normal(shift - critical * x) + (tails - 1) * normal(-shift - critical * x))

    topics = topics_needed(-effect, 1, alpha, power, tails)
    assert power_of(topics) >= power - 1e-7
    assert topics == 2 or power_of(topics - 1) < power + 1e-7


def test_topics_needed_of_a_pair_take_its_difference_as_the_true_one():
    pair = one_pair(MAIZE, [0] * 15)
    assert pair.topics_needed() == topics_needed(np.mean(MAIZE), np.std(MAIZE, ddof=1)) == 28
    assert one_pair([1, 2, 3], [1, 2, 3]).topics_needed() is None
    assert one_pair([2, 3, 4], [1, 2, 3]).topics_needed() == 2


# Against scipy.

ROUNDED = st.lists(st.integers(-20, 20).map(lambda n: n / 10), min_size=3, max_size=12)


@pytest.mark.parametrize(("tails", "alternative"), [(2, "two-sided"), (1, "greater")])
@pytest.mark.parametrize("seed", range(5))
def test_t_is_scipys(seed, tails, alternative):
    a, b = np.random.default_rng(seed).random((2, 20))
    theirs = scipy.stats.ttest_rel(a, b, alternative=alternative)
    ours = one_pair(a, b, test="t", tails=tails, confidence=0.9)
    assert ours.p == close(theirs.pvalue)
    assert (ours.low, ours.high) == close(tuple(scipy.stats.ttest_rel(a, b).confidence_interval(0.9)))


@pytest.mark.parametrize(("tails", "alternative"), [(2, "two-sided"), (1, "greater")])
@pytest.mark.parametrize(("topics", "method"), [(7, "exact"), (51, "exact"), (200, "exact"), (201, "asymptotic")])
def test_wilcoxon_without_ties_is_scipys(topics, method, tails, alternative):
    a, b = np.random.default_rng(topics).random((2, topics))
    theirs = scipy.stats.wilcoxon(a, b, alternative=alternative, method=method, correction=False)
    assert one_pair(a, b, test="wilcoxon", tails=tails).p == close(theirs.pvalue)


def test_wilcoxon_of_many_topics_with_ties_and_zeros_is_scipys():
    differences = np.random.default_rng(5).integers(-3, 5, 250) / 10
    assert np.count_nonzero(differences) > 200
    theirs = scipy.stats.wilcoxon(differences, method="asymptotic", correction=False)
    assert one_pair(differences, np.zeros(250), test="wilcoxon").p == close(theirs.pvalue)


# twenty differences, as docs/statistics.md has them, and about a hundred
@pytest.mark.parametrize(
    ("differences", "p"),
    [
        (np.array([1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 5, 5, -1, -1, -2, -2, -3, -4, -4, -5]) / 10, 0.5189),
        (np.random.default_rng(5).integers(-3, 5, 110) / 10, None),
    ],
)
def test_wilcoxon_with_ties_counts_out_the_signs_of_many_topics(differences, p):
    some = differences[differences != 0]
    ranks = (2 * scipy.stats.rankdata(np.abs(some))).astype(int).tolist()
    ways = Counter({0: 1})
    for rank in ranks:
        ways += Counter({total + rank: number for total, number in ways.items()})
    found = sum(rank for rank, difference in zip(ranks, some, strict=True) if difference > 0)
    tails = [sum(n for total, n in ways.items() if sign * total >= sign * found) for sign in (1, -1)]
    exact = float(Fraction(2 * min(tails), 2 ** len(some)))
    assert one_pair(differences, np.zeros(len(differences)), test="wilcoxon").p == close(exact)
    assert p is None or round(exact, 4) == p


@given(ROUNDED, st.sampled_from([1, 2]))
def test_wilcoxon_with_ties_counts_out_all_signs(differences, tails):
    some = np.array([d for d in differences if d])
    ranks = scipy.stats.rankdata(np.abs(some)) if len(some) else some
    ways = [
        ranks[np.array(signs, bool)].sum() if len(some) else 0 for signs in itertools.product([0, 1], repeat=len(some))
    ]
    found = ranks[some > 0].sum() if len(some) else 0
    above, below = np.mean([way >= found for way in ways]), np.mean([way <= found for way in ways])
    p = min(1, 2 * min(above, below)) if tails == 2 else above
    assert one_pair(differences, [0] * len(differences), test="wilcoxon", tails=tails).p == close(p)


@given(ROUNDED, st.sampled_from([(2, "two-sided"), (1, "greater")]))
def test_sign_test_is_scipys(differences, how):
    tails, alternative = how
    wins, losses = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    p = scipy.stats.binomtest(wins, wins + losses, alternative=alternative).pvalue if wins + losses else 1
    assert one_pair(differences, [0] * len(differences), test="sign", tails=tails).p == close(p)


@pytest.mark.parametrize(("tails", "alternative"), [(2, "two-sided"), (1, "greater")])
def test_randomisation_is_scipys_permutation_test(tails, alternative):
    a, b = np.random.default_rng(1).random((2, 9))
    theirs = scipy.stats.permutation_test(
        (a, b),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        alternative=alternative,
    )
    assert one_pair(a, b, tails=tails).p == close(theirs.pvalue)


# Against all that chance could have done.


@given(ROUNDED, st.sampled_from([1, 2]))
def test_randomisation_of_few_topics_takes_all_changes_of_signs(differences, tails):
    # in tenths, so that equal sums are equal
    tenths = [round(10 * d) for d in differences]
    sums = [
        sum(s * d for s, d in zip(signs, tenths, strict=True))
        for signs in itertools.product([-1, 1], repeat=len(tenths))
    ]
    found = sum(tenths)
    reached = [abs(one) >= abs(found) if tails == 2 else one >= found for one in sums]
    # the other system is not 0: 0.1 + 0.2 is not 0.3 to a computer
    assert one_pair([0.1 + d for d in differences], [0.1] * len(tenths), tails=tails).p == close(np.mean(reached))


def test_exact_randomisation_errs_as_often_as_it_says_and_not_more():
    sizes = [1, 2, 3, 5, 8, 13]
    patterns = list(itertools.product([-1, 1], repeat=6))
    ps = np.array([one_pair(np.multiply(signs, sizes), [0] * 6).p for signs in patterns])
    for alpha in np.unique(ps):
        assert np.mean(ps <= alpha) == close(alpha)


@pytest.mark.parametrize("tails", [1, 2])
def test_randomisation_of_many_topics_is_near_the_exact_p(tails):
    a, b = np.random.default_rng(8).random((2, 15)) + np.array([[0.15], [0]])
    exact, drawn = one_pair(a, b, tails=tails, samples=2**15).p, one_pair(a, b, tails=tails, samples=30_000).p
    assert exact != drawn
    assert drawn == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 30_000))


@pytest.mark.parametrize("tails", [1, 2])
@pytest.mark.parametrize(
    "differences", [[0.3, -0.1, 0.4, 0.2, 0.0, 0.1], [0.25, -0.5, 0.75, 0.5, 0.0, 0.3], [0.1, 0.1, -0.2, 0.5, 0.3, 0.1]]
)
def test_bootstrap_is_near_the_exact_p_of_all_resamples(differences, tails):
    d = np.round(np.multiply(differences, 100))
    draws = np.array(list(itertools.product(d, repeat=len(d)))).sum(axis=1) - d.sum()
    exact = np.mean(np.abs(draws) >= abs(d.sum())) if tails == 2 else np.mean(draws >= d.sum())
    drawn = one_pair(differences, [0] * len(d), test="bootstrap", tails=tails, samples=40_000).p
    assert drawn == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 40_000) + 1e-4)


def test_the_interval_of_the_bootstrap_is_the_middle_of_all_resamples():
    d = np.array([0.3, -0.1, 0.4, 0.2, 0.7, 0.1])
    means = np.array(list(itertools.product(d, repeat=6))).mean(axis=1)
    pair = one_pair(d, [0] * 6, test="bootstrap", samples=40_000, confidence=0.8)
    assert (pair.low, pair.high) == pytest.approx(tuple(np.quantile(means, [0.1, 0.9])), abs=0.01)


@pytest.mark.parametrize("topics", [2, 3, 5])
def test_a_bootstrap_over_so_few_topics_that_chance_favours_one_system_in_all_of_them_is_refused(topics):
    """With n topics that is so with a probability of 2^(1 - n): 0.5, 0.25, …, 0.0625; p would be 0.0001 each time."""
    a, b = np.arange(1, topics + 1) / 10, np.zeros(topics)
    with pytest.raises(InputError) as refused:
        one_pair(a, b, test="bootstrap")
    assert str(refused.value) == (
        f"a bootstrap test needs 6 topics or more, found {topics}: all {topics} favour one system by chance "
        f"with probability {2 ** (1 - topics):.3g}, and then p is near 0; use randomisation"
    )
    assert one_pair(a, b, test="randomisation").p == 2 ** (1 - topics)
    pair = one_pair([0.1] * 6, [0] * 6, test="bootstrap")
    assert 2 ** (1 - 6) <= 0.05 and pair.p < 0.05


def test_a_bootstrap_over_few_topics_says_that_it_errs_too_often():
    few, many = (compare(random_scores(1, systems=2, topics=topics), "AP", test="bootstrap") for topics in (49, 50))
    too_often = "with fewer than 50 topics its p-values are too small: use randomisation"
    assert too_often in few.about() and too_often not in many.about()
    assert too_often not in compare(random_scores(1, systems=2, topics=49), "AP").about()


def test_random_tukey_is_near_the_exact_p_of_all_shuffles():
    values = np.array([[5, 7, 6, 9], [4, 3, 6, 5], [2, 4, 1, 4]])
    orders = [list(itertools.permutations(column)) for column in values.T]
    ranges = np.array([np.ptp(np.sum(columns, axis=0)) for columns in itertools.product(*orders)])
    found = compare(scores_of(dict(zip("abc", values, strict=True))), "AP", test="random-tukey", samples=30_000)
    for pair in found.pairs:
        exact = np.mean(ranges >= round(4 * pair.difference))
        assert pair.p == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 30_000) + 1e-4)
    assert found.pairs[0].high - found.pairs[0].difference == pytest.approx(np.quantile(ranges / 4, 0.95), abs=0.3)


def test_tukey_of_two_systems_is_the_paired_t_test():
    a, b = np.random.default_rng(3).random((2, 12))
    assert one_pair(a, b, test="tukey").p == close(one_pair(a, b, test="t").p, 1e-7)


@pytest.mark.parametrize(("systems", "free"), [(2, 1), (3, 2), (5, 4), (10, 90), (50, 49), (50, 48951)])
def test_the_studentised_range_is_that_of_scipy(systems, free):
    q = np.array([0.3, 1, 2.5, 4, 6])
    exact = scipy.stats.studentized_range
    assert studentised_range(q, systems, free) == pytest.approx(exact.sf(q, systems, free), rel=1e-8, abs=1e-10)
    assert critical_range(0.95, systems, free) == pytest.approx(exact.isf(0.05, systems, free), rel=1e-8)


def test_the_studentised_range_of_two_means_is_the_t_distribution_far_out_too():
    q = np.array([0, 1e-9, 1, 5, 9, 11])
    of_t = 2 * scipy.stats.t.sf(q / math.sqrt(2), 40)
    ours = studentised_range(q, 2, 40)
    assert of_t[-1] < 1e-8
    assert ours == pytest.approx(of_t, rel=1e-9, abs=0)
    assert ours[0] == 1


def test_the_studentised_range_of_many_pairs_is_interpolated_to_six_digits():
    q = np.linspace(0.01, 8, 3000)
    ours = studentised_range(q, 50, 2000)
    some = slice(5, None, 600)
    assert ours[some] == pytest.approx(scipy.stats.studentized_range.sf(q[some], 50, 2000), rel=1e-6)


# Corrections.


def test_corrections_worked_by_hand():
    p = np.array([0.01, 0.02, 0.03, 0.005])
    assert correct_p_values(p, "none").tolist() == p.tolist()
    assert correct_p_values(p, "bonferroni") == close(np.array([0.04, 0.08, 0.12, 0.02]))
    # in ascending order: 4 · .005, 3 · .01, 2 · .02, 1 · .03 but not less than the one before
    assert correct_p_values(p, "holm") == close(np.array([0.03, 0.04, 0.04, 0.02]))
    # from the greatest: 4/4 · .03, 4/3 · .02, 4/2 · .01, 4/1 · .005
    assert correct_p_values(p, "bh") == close(np.array([0.02, 0.02 * 4 / 3, 0.03, 0.02]))
    assert correct_p_values(np.array([0.5, 0.9]), "bonferroni").tolist() == [1, 1]
    assert correct_p_values(np.array([0.6, 0.9]), "holm").tolist() == [1, 1]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_benjamini_and_hochberg_is_scipys(p):
    assert correct_p_values(np.array(p), "bh") == close(scipy.stats.false_discovery_control(p))


def test_holm_finds_all_that_bonferroni_finds():
    p = np.random.default_rng(2).random(40) ** 3
    assert np.all(correct_p_values(p, "holm") <= correct_p_values(p, "bonferroni"))
    assert np.all(correct_p_values(p, "bh") <= correct_p_values(p, "holm"))


# What holds for every test.


@pytest.mark.parametrize("test", TESTS)
def test_swapping_two_systems_changes_signs_only(test):
    a, b = random_scores(4, systems=2).values[:, 0]
    one, other = one_pair(a, b, test=test, samples=500), one_pair(b, a, test=test, samples=500)
    assert (one.p, one.sd) == close((other.p, other.sd))
    assert (one.difference, one.effect) == close((-other.difference, -other.effect))
    assert (one.low, one.high) == close((-other.high, -other.low))
    assert (one.wins, one.ties, one.losses) == (other.losses, other.ties, other.wins)
    assert (one.better, other.better) == ("b", "a")


@pytest.mark.parametrize("test", TESTS)
def test_a_topic_that_is_easier_for_all_changes_nothing(test):
    scores = random_scores(5)
    easier = Scores(scores.systems, scores.measures, scores.topics, scores.values + np.arange(30) / 8)
    for one, other in zip(
        *(compare(both, "AP", test=test, samples=500).pairs for both in (scores, easier)), strict=True
    ):
        assert (one.first, one.second, one.wins, one.better) == (other.first, other.second, other.wins, other.better)
        assert (one.p, one.difference, one.low, one.high) == close(
            (other.p, other.difference, other.low, other.high), 1e-6
        )


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("gaps", [0, 0.1])
def test_the_order_of_systems_and_topics_does_not_matter(test, gaps):
    scores, rng = random_scores(6, topics=40, gaps=gaps), np.random.default_rng(1)
    systems, topics = rng.permutation(5), rng.permutation(40)
    values = scores.values[systems][:, :, topics]
    other = Scores([scores.systems[s] for s in systems], scores.measures, [scores.topics[t] for t in topics], values)
    assert compare(scores, "AP", test=test, samples=300).pairs == compare(other, "AP", test=test, samples=300).pairs


@pytest.mark.parametrize("test", APART)
def test_a_further_system_changes_no_p_but_the_corrected_one(test):
    scores = random_scores(7, topics=20)
    all_of_them = {(pair.first, pair.second): pair.p for pair in compare(scores, "AP", test=test, samples=300).pairs}
    for one, other in itertools.combinations("abcde", 2):
        (pair,) = compare(scores, "AP", systems=[one, other], test=test, samples=300).pairs
        assert pair.p == pair.corrected == all_of_them[pair.first, pair.second]


@pytest.mark.parametrize("test", APART)
def test_topics_that_one_of_a_pair_lacks_are_left_out(test):
    scores = random_scores(8, topics=25, gaps=0.15)
    found = compare(scores, "AP", test=test, samples=300)
    assert len({pair.topics for pair in found.pairs}) > 1
    for pair in found.pairs:
        rows = scores.values[[scores.systems.index(pair.first), scores.systems.index(pair.second)], 0]
        both = ~np.isnan(rows).any(axis=0)
        a, b = rows[:, both]
        topics = list(itertools.compress(scores.topics, both))
        alone = compare(scores_of({pair.first: a, pair.second: b}, topics=topics), "AP", test=test, samples=300).pairs[
            0
        ]
        assert (pair.topics, pair.p) == (len(a), alone.p)
        assert pair.difference == close(float(np.mean(a) - np.mean(b)))


@pytest.mark.parametrize("test", ["tukey", "random-tukey"])
def test_tukey_takes_the_topics_that_all_have(test):
    scores = random_scores(9, gaps=0.05)
    whole = ~np.isnan(scores.values).any(axis=(0, 1))
    topics = list(itertools.compress(scores.topics, whole))
    kept = Scores(scores.systems, scores.measures, topics, scores.values[:, :, whole])
    found = compare(scores, "AP", test=test, samples=300)
    assert found.pairs == compare(kept, "AP", test=test, samples=300).pairs
    assert found.topics == (whole.sum(), whole.sum())
    assert f"over {whole.sum()} of 30 topics" in found.about()


@pytest.mark.parametrize("test", TESTS)
def test_equal_systems_do_not_differ(test):
    pair = one_pair([0.1, 0.5, 0.7] * 2, [0.1, 0.5, 0.7] * 2, test=test, samples=100)
    assert (pair.p, pair.corrected, pair.difference, pair.effect, pair.low, pair.high) == (1, 1, 0, 0, 0, 0)
    assert (pair.wins, pair.ties, pair.losses, pair.better) == (0, 6, 0, "")


@pytest.mark.parametrize("test", APART)
def test_equal_systems_are_not_better_with_one_tail(test):
    assert one_pair([0.1, 0.5, 0.7] * 2, [0.1, 0.5, 0.7] * 2, test=test, tails=1, samples=100).p == 1


@pytest.mark.parametrize("test", TESTS)
def test_values_that_differ_by_rounding_alone_are_equal(test):
    pair = one_pair([0.1 + 0.2, 0.3, 0.7 + 0.1] * 2, [0.3, 0.1 + 0.2, 0.8] * 2, test=test, samples=100)
    assert (pair.p, pair.ties, pair.better) == (1, 6, "")


@pytest.mark.parametrize(
    ("test", "p"), [("t", 0), ("tukey", 0), ("sign", 2**-7), ("wilcoxon", 2**-7), ("randomisation", 2**-7)]
)
def test_the_same_difference_on_every_topic(test, p):
    pair = one_pair([n / 10 + 0.1 for n in range(8)], [n / 10 for n in range(8)], test=test)
    assert pair.p == p
    assert pair.effect == math.inf
    assert json.loads(compare(scores_of({"a": [2, 3], "b": [1, 2]}), "AP").show("json"))["pairs"][0]["effect"] is None


@pytest.mark.parametrize("test", ["randomisation", "bootstrap", "random-tukey"])
def test_a_seed_repeats_the_samples_and_another_does_not(test):
    scores = random_scores(10, systems=3, topics=15)
    ps = [[pair.p for pair in compare(scores, "AP", test=test, samples=999, seed=seed).pairs] for seed in (1, 1, 2)]
    assert ps[0] == ps[1] != ps[2]
    assert np.array(ps[0]) == pytest.approx(ps[2], abs=0.1)


def test_no_sampled_p_is_0():
    assert one_pair(np.arange(1, 40), np.zeros(39), samples=999).p == 1 / 1000
    assert one_pair(np.arange(1, 40), np.zeros(39), samples=999, test="bootstrap").p == 1 / 1000


# What a comparison tells.


def test_the_first_of_a_pair_is_better_and_the_baseline_is_the_second():
    scores = scores_of({"low": [1, 2, 3], "high": [7, 9, 8], "mid": [4, 4, 6], "also mid": [4, 6, 4]})
    every = [
        ("high", "also mid"),
        ("high", "mid"),
        ("high", "low"),
        ("also mid", "mid"),
        ("also mid", "low"),
        ("mid", "low"),
    ]
    assert [(pair.first, pair.second) for pair in compare(scores, "AP").pairs] == every
    with_one = compare(scores, "AP", baseline="mid")
    assert [(pair.first, pair.second) for pair in with_one.pairs] == [
        ("high", "mid"),
        ("also mid", "mid"),
        ("low", "mid"),
    ]
    assert [round(pair.difference, 4) for pair in with_one.pairs] == [3.3333, 0, -2.6667]
    assert [(p.first, p.second) for p in compare(scores, "AP", baseline="mid", systems=["low"]).pairs] == [
        ("low", "mid")
    ]
    assert compare(scores, "AP", systems=["low", "high"]).systems == ["low", "high"]


def test_one_tail_asks_whether_the_first_is_better():
    differences = [0.3, 0.2, 0.4, -0.1, 0.5, 0.6, 0.1, 0.2]
    zeros = [0] * 8
    assert one_pair(differences, zeros, tails=1, test="t").p == close(one_pair(differences, zeros, test="t").p / 2)
    assert one_pair(zeros, differences, tails=1, test="t").p == close(1 - one_pair(differences, zeros, test="t").p / 2)


def test_the_better_system_is_the_one_that_the_test_favours():
    # nine small wins and one great loss: the mean is below 0, the signs are not
    pair = one_pair([0.1] * 9 + [-5], [0] * 10, test="sign")
    assert (pair.difference < 0, pair.better, round(pair.p, 4)) == (True, "a", 0.0215)
    assert one_pair([0.1] * 9 + [-5], [0] * 10, test="t").better == "b"


def test_a_p_of_just_alpha_is_significant():
    found = compare(scores_of({"a": [1] * 5, "b": [0] * 5}), "AP", test="sign")
    assert found.pairs[0].p == 2 / 32
    assert len(found.significant(2 / 32)) == 1
    assert found.significant(0.06) == []


BREAD = {
    "bm25": [0.5, 0.4, 0.6, 0.3, 0.5, 0.4, 0.2, 0.6],
    "dense": [0.6, 0.5, 0.7, 0.5, 0.7, 0.5, 0.4, 0.7],
    "x_y": [0.55, 0.35, 0.65, 0.25, 0.55, 0.35, 0.25, 0.6],
}


HOW = "randomisation test, two-tailed; over 8 topics; exact, all sign permutations; Holm's correction for 3 pairs; significant at 0.05"


def test_a_comparison_is_shown_with_what_was_done():
    # dense − x_y: the mean of .05 .15 .05 .25 .15 .15 .15 .1 is .13125, their sd √(.0296875/7) = .06512, t of 7 at .975 is 2.3646;
    # x_y − bm25 are seven times ±.05, whose sum is never 0, and 0; .13125 of such numbers is a little less in binary
    assert re.sub(" {2,}", "  ", compare(scores_of(BREAD), "AP").show()).splitlines() == [
        "run  against  topics  difference  95% CI, low  95% CI, high  effect  wins  ties  losses  p  corrected p  significant",
        "─" * 135,
        "dense  x_y  8  0.1312  0.0768  0.1857  2.0154  8  0  0  0.0078  0.0234  *",
        "dense  bm25  8  0.1375  0.0942  0.1808  2.6568  8  0  0  0.0078  0.0234  *",
        "x_y  bm25  8  0.0063  -0.0352  0.0477  0.1261  4  1  3  1.0000  1.0000",
        "",
        f"AP: {HOW}",
    ]


def test_a_comparison_is_written_in_full_precision_for_programs():
    found = compare(scores_of(BREAD), "AP", test="bootstrap", samples=100, seed=3)
    header, *rows = [line.split("\t") for line in found.show("tsv").splitlines()]
    assert header == [
        "run", "against", "topics", "difference", "95% CI low", "95% CI high", "effect", "wins", "ties", "losses", "p",
        "corrected p", "significant",
    ]  # fmt: skip
    assert found.show("csv").splitlines()[0] == ",".join(header)
    assert [(row[0], row[1], float(row[3]), float(row[10])) for row in rows] == [
        (pair.first, pair.second, pair.difference, pair.p) for pair in found.pairs
    ]
    told = json.loads(found.show("json", alpha=0.2))
    how = {
        "test": "bootstrap",
        "correction": "holm",
        "tails": 2,
        "seed": 3,
        "samples": 100,
        "alpha": 0.2,
        "baseline": None,
    }
    assert told.items() >= {"measure": "AP", "confidence": 0.95, **how}.items()
    assert [pair["significant"] for pair in told["pairs"]] == [pair in found.significant(0.2) for pair in found.pairs]


@pytest.mark.parametrize("form", ["text", "tsv", "csv", "json", "md", "latex", "html"])
def test_every_form_names_every_system(form):
    found = compare(scores_of(BREAD), "AP")
    for shown in (found.show(form), with_letters(scores_of(BREAD)).show(form), found.stars(layout=form)):
        assert all(name in shown.replace("\\_", "_") for name in BREAD)
    assert "dense" in found._repr_html_()
    assert repr(found) == found.show().rstrip()


def test_the_stars_of_sigir_2007():
    assert compare(scores_of(BREAD), "AP").stars() == (
        "AP        1   2   3\n"
        "───────────────────\n"
        "1 dense       *   *\n"
        "2 x_y             -\n"
        "3 bm25\n"
        "\n"
        f"2 of 3 pairs are significant; {HOW}\n"
    )
    assert (
        compare(scores_of(BREAD), "AP", baseline="x_y").stars(layout="csv")
        == "AP,1,2,3\n1 dense,,*,\n2 x_y,,,-\n3 bm25,,,\n"
    )
    assert json.loads(compare(scores_of(BREAD), "AP").stars(layout="json")) == [
        {"better": "dense", "than": "x_y"}, {"better": "dense", "than": "bm25"}
    ]  # fmt: skip


def test_twenty_systems_have_190_pairs():
    found = compare(
        random_scores(1, systems=20, topics=111), "AP", test="bootstrap", tails=1, samples=1000, correct="none"
    )
    stars = len(found.significant(0.05))
    assert 0 < stars < 190
    how = "bootstrap test, one-tailed; over 111 topics; 1,000 samples, seed 0; no correction for 190 pairs; significant at 0.05"
    assert found.stars().splitlines()[-1] == f"{stars} of 190 pairs are significant; {how}"


def test_too_few_samples_for_so_many_pairs_are_told():
    found = compare(random_scores(1, systems=20), "AP", samples=999)
    assert found.least == 190 / 1000
    assert found.about(0.05).endswith(
        "significant at 0.05; with 999 samples no corrected p can be below 0.19, so nothing is significant: "
        "use 3,800 samples or more, or the test tukey"
    )
    # 190 pairs of 3,800 samples are just enough: 190/3801 < 0.05
    assert compare(random_scores(1, systems=20), "AP", samples=3800).about(0.05).endswith("significant at 0.05")
    assert (
        compare(random_scores(1, systems=20), "AP", samples=999, correct="bh")
        .about(0.05)
        .endswith("significant at 0.05")
    )


# The table of a paper.

TABLE = scores_of(BREAD, ("AP", "nDCG@10"))
ABOUT = f"A letter marks each system that this one significantly outperforms. {HOW}"


def test_the_table_of_a_paper_as_text():
    assert with_letters(TABLE).show() == (
        "    run            AP     nDCG@10\n"
        "─────────────────────────────────\n"
        "a   bm25    0.4375      0.4375\n"
        "b   dense   0.5750 ac   0.5750 ac\n"
        "c   x_y     0.4437      0.4437\n"
        "\n" + ABOUT + "\n"
    )


def test_the_table_of_a_paper_as_markdown_html_and_latex():
    table = with_letters(TABLE, ["AP"])
    assert table.show("md") == (
        "|  | run | AP |\n| --- | --- | ---: |\n| a | bm25 | 0.4375 |\n| b | dense | **0.5750**<sup>ac</sup> |\n"
        f"| c | x_y | 0.4437 |\n\n{ABOUT}\n"
    )
    html = table.show("html")
    assert html.startswith(f"<table>\n<caption>{ABOUT.replace(chr(39), '&#x27;')}</caption>\n<thead>")
    assert '<td>b</td><td>dense</td><td style="text-align: right"><b>0.5750</b><sup>ac</sup></td>' in html
    assert table.show("latex", digits=3) == (
        "% needs \\usepackage{booktabs} and \\usepackage{amssymb}\n"
        f"\\begin{{table}}\n\\centering\n\\small\n\\setlength{{\\tabcolsep}}{{4pt}}\n"
        f"\\caption{{AP of 3 runs over 8 topics. {ABOUT.replace('. rand', '. Rand')}.}}\n\\smallskip\n\\begin{{tabular}}{{@{{}}llr@{{}}l@{{}}}}\n\\toprule\n"
        " & run & \\multicolumn{2}{c}{AP} \\\\\n\\midrule\n"
        "a & bm25 & 0 & .438 \\\\\nb & dense & \\textbf{0} & \\textbf{.575}$^{ac}$ \\\\\nc & x\\_y & 0 & .444 \\\\\n"
        "\\bottomrule\n\\end{tabular}\n\\end{table}\n"
    )


def test_the_table_of_a_paper_for_programs():
    assert with_letters(TABLE).show("csv") == (
        ",run,AP,AP better than,nDCG@10,nDCG@10 better than\na,bm25,0.4375,,0.4375,\n"
        "b,dense,0.575,ac,0.575,ac\nc,x_y,0.44375,,0.44375,\n"
    )
    assert json.loads(with_letters(TABLE, "AP", baseline="bm25").show("json")) == [
        {"run": "bm25", "letter": "a", "measure": "AP", "value": 0.4375, "better_than": ""},
        {"run": "dense", "letter": "b", "measure": "AP", "value": 0.575, "better_than": "a"},
        {"run": "x_y", "letter": "c", "measure": "AP", "value": 0.44375, "better_than": ""},
    ]


def test_the_threshold_is_asked_afterwards():
    table = with_letters(TABLE, ["AP"], correct="none")
    assert table.comparisons[0].letters(0.05) == {"bm25": "", "dense": "ac", "x_y": ""}
    assert table.comparisons[0].letters(0.001) == {"bm25": "", "dense": "", "x_y": ""}
    assert "significant at 0.001" in table.show(alpha=0.001)


def test_measures_over_different_topics_are_told_apart():
    scores = Scores(TABLE.systems, TABLE.measures, TABLE.topics, TABLE.values.copy())
    scores.values[0, 1, 0] = NAN
    about = with_letters(scores).about(0.05)
    assert "AP: randomisation test, two-tailed; over 8 topics" in about
    assert "nDCG@10: randomisation test, two-tailed; over 7 to 8 of 8 topics" in about


def test_where_less_is_better_the_one_with_less_has_the_letters_and_is_the_best():
    rising = {"much": [0.5, 0.6, 0.7, 0.8, 0.9], "little": [0.1, 0.2, 0.3, 0.4, 0.55]}
    table = with_letters(scores_of(rising, ["Redundancy"]), test="t")
    assert table.comparisons[0].letters() == {"much": "", "little": "a"}
    assert [line for line in table.show("md").splitlines() if "**" in line] == ["| b | little | **0.3100**<sup>a</sup> |"]
    assert table.comparisons[0].stars().splitlines()[2].split() == ["1", "little", "*"]


def test_where_less_is_better_so_are_wins_one_tail_and_the_first_of_a_pair():
    values = {"slow": [50.0, 60, 70, 80, 95], "fast": [10.0, 20, 30, 90, 55]}
    scores, opposite = scores_of(values, ["Redundancy"]), scores_of({k: [-x for x in v] for k, v in values.items()})
    [pair] = compare(scores, "Redundancy", test="t").pairs
    assert (pair.first, pair.better, pair.wins, pair.losses, pair.difference) == ("fast", "fast", 4, 1, -30)
    for tails in (1, 2):
        [less] = compare(scores, "Redundancy", test="t", baseline="slow", tails=tails).pairs
        [more] = compare(opposite, "AP", test="t", baseline="slow", tails=tails).pairs
        assert (less.p, less.better, less.wins) == (more.p, more.better, more.wins)
        assert (less.difference, less.low, less.high, less.effect) == (
            -more.difference, -more.high, -more.low, -more.effect,
        )  # fmt: skip


def test_equal_systems_are_sorted_by_name_whether_more_or_less_is_better():
    equal = {"b": [0.1, 0.2], "a": [0.1, 0.2], "c": [0.3, 0.4]}
    assert compare(scores_of(equal), "AP", test="t").best_first == ["c", "a", "b"]
    assert compare(scores_of(equal, ["Redundancy"]), "Redundancy", test="t").best_first == ["a", "b", "c"]


def test_systems_with_an_infinite_value_are_not_compared():
    with pytest.raises(UsageError) as refused:
        compare(scores_of({"a": [0.1, math.inf], "b": [0.1, 0.2]}), "AP", test="t")
    assert str(refused.value) == "AP is infinite for 1 topic; systems cannot be compared by their means"


def test_an_arrow_says_whether_a_system_is_above_the_baseline_or_below_it():
    values = {"slow": [50.0, 60, 70, 80, 95], "fast": [10.0, 20, 30, 40, 55]}
    table = beside_baseline(scores_of(values, ["Redundancy"]), "slow", test="t")
    assert [(row["run"], row["wins"], row["mark"]) for row in json.loads(table.show("json"))] == [
        ("slow", None, ""), ("fast", 5, "▼"),
    ]  # fmt: skip


def test_letters_go_on_behind_z():
    assert [letter(number) for number in (0, 25, 26, 27, 51, 52, 701, 702)] == [
        "a",
        "z",
        "aa",
        "ab",
        "az",
        "ba",
        "zz",
        "aaa",
    ]


def test_more_than_26_systems_have_their_letters_apart():
    values = np.linspace(0, 1, 30)[:, None] + np.random.default_rng(1).random((30, 50)) / 10
    found = compare(scores_of({f"s{n:02}": row for n, row in enumerate(values)}), "AP", test="t")
    assert found.letters()["s29"].startswith("a,b,c,")
    assert found.letters()["s29"].split(",")[25:27] == ["z", "aa"]
    assert found.names()["s29"] == "ad"


def test_counts_are_compared_by_their_means():
    class Found(Count):
        """How many were found."""

        def __call__(self, ranking):
            raise NotImplementedError

    scores = Scores(["a", "b"], [Found()], ["1", "2", "3"], np.array([[[3.0, 4, 5]], [[1.0, 1, 1]]]))
    found = compare(scores, scores.measures[0], test="t")
    assert (found.means, found.pairs[0].difference) == ([12, 3], 3)
    assert "12" in with_letters(scores, scores.measures).show().split()


# What is refused.

TWO = scores_of({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.2, 0.5]}, ("AP", "GMAP"))


@pytest.mark.parametrize(
    ("how", "message"),
    [
        (
            {"test": "anova"},
            "unknown test 'anova'; choose from randomisation, bootstrap, t, wilcoxon, sign, tukey, random-tukey",
        ),
        ({"correct": "fdr"}, "unknown correction 'fdr'; choose from none, bonferroni, holm, bh"),
        ({"baseline": "c"}, "no run 'c'; choose from a, b"),
        ({"systems": ["a", "c"]}, "no run 'c'; choose from a, b"),
        ({"systems": ["a"]}, "a comparison needs at least two runs; found only a"),
        ({"systems": ["a"], "baseline": "a"}, "a comparison needs at least two runs; found only a"),
        ({"systems": []}, "a comparison needs at least two runs; found none"),
        ({"measure": "P@5"}, "P@5 was not measured; choose from AP, GMAP"),
        ({"measure": ["AP", "GMAP"]}, "a comparison takes one measure at a time, found AP, GMAP"),
        ({"measure": "GMAP"}, "significance tests compare arithmetic means over topics; GMAP is not one, so choose another measure"),
        ({"tails": 3}, "tails is 3; expected 1 (is the first better?) or 2 (do they differ?)"),
        (
            {"test": "tukey", "tails": 1},
            "tukey is always two-tailed; for one tail choose from randomisation, bootstrap, t, wilcoxon, sign",
        ),
        ({"samples": 0}, "samples is 0; expected 1 or more"),
        ({"seed": -1}, "seed is -1; expected 0 or more"),
        ({"confidence": 95}, "confidence is 95; expected a number between 0 and 1"),
    ],
)
def test_what_means_nothing_is_refused(how, message):
    with pytest.raises(UsageError) as error:
        compare(TWO, **{"measure": "AP", **how})
    assert str(error.value) == message


@pytest.mark.parametrize("test", APART)
def test_a_pair_with_one_topic_is_refused(test):
    more = 5 if test == "bootstrap" else 1
    scores = scores_of({"a": [*[0.1] * more, 0.2, *[NAN] * more], "b": [*[NAN] * more, 0.2, *[0.5] * more],
                        "c": [*[0.1] * more, 0.2, *[0.3] * more]})  # fmt: skip
    with pytest.raises(InputError) as error:
        compare(scores, "AP", test=test)
    assert str(error.value) == "a and b have 1 topic with AP in common; a comparison needs 2 or more"
    assert len(compare(scores, "AP", test=test, baseline="c").pairs) == 2


@pytest.mark.parametrize("test", ["tukey", "random-tukey"])
def test_systems_with_no_topic_in_common_are_refused(test):
    with pytest.raises(InputError) as error:
        compare(scores_of({"a": [0.1, 0.2, NAN], "b": [NAN, 0.2, 0.5], "c": [0.1, NAN, 0.3]}), "AP", test=test)
    assert str(error.value) == "the 3 runs have 0 topics with AP in common; a comparison needs 2 or more"


def test_one_topic_and_none_are_refused():
    with pytest.raises(InputError, match=r"^a and b have 1 topic with AP in common; a comparison needs 2 or more$"):
        compare(scores_of({"a": [0.1], "b": [0.2]}), "AP")
    with pytest.raises(InputError, match=r"^a and b have 0 topics with AP in common; a comparison needs 2 or more$"):
        compare(scores_of({"a": [NAN, NAN], "b": [0.2, 0.3]}), "AP", systems=["a", "b"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: topics_needed(0, 1),
            "no number of topics can detect a difference of 0 with standard deviation 1; "
            "expected a difference other than 0, and a standard deviation of 0 or more",
        ),
        (
            lambda: topics_needed(1, -1),
            "no number of topics can detect a difference of 1 with standard deviation -1; "
            "expected a difference other than 0, and a standard deviation of 0 or more",
        ),
        (lambda: topics_needed(1, 1, alpha=5), "alpha is 5; expected a number between 0 and 1"),
        (lambda: topics_needed(1, 1, power=1), "power is 1; expected a number between 0 and 1"),
        (lambda: compare(TWO, "AP").significant(5), "alpha is 5; expected a number between 0 and 1"),
        (
            lambda: compare(TWO, "AP").show("pdf"),
            "unknown layout 'pdf'; choose from text, tsv, csv, md, latex, html, json",
        ),
    ],
)
def test_other_arguments_that_mean_nothing(call, message):
    with pytest.raises(UsageError) as error:
        call()
    assert str(error.value) == message


def test_scipy_is_loaded_when_it_is_used_and_asked_for_where_it_is_missing():
    code = (
        "import sys; from assay.comparing.significance import compare; from assay.comparing.paired import topics_needed\n"
        "print('scipy' in sys.modules)\n"
        "sys.modules['scipy'] = None\n"
        "try:\n    topics_needed(1, 1)\nexcept Exception as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["False", "comparing systems needs scipy: pip install scipy"]


def test_a_sample_goes_through_all_pairs_some_at_a_time():
    values = np.random.default_rng(1).random((60, 3000))
    first, second = np.triu_indices(60, 1)
    sample = Sample(values, first, second)
    assert len(list(sample.differences())) > 1
    assert sample.mean == pytest.approx(values.mean(axis=1)[first] - values.mean(axis=1)[second], abs=1e-9)
