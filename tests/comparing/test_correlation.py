"""Rankings of systems compared: coefficients against figures in print, other programs and their definitions; then the
tables."""

import itertools
import json
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from assay.comparing.correlation import COEFFICIENTS, correlate, ordinal, pearson, rbo, spearman, tau_ap, tau_b
from assay.errors import UsageError
from assay.measures.notation import measures_of
from assay.scores import Scores

SCORES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=7)


def scores_of(table, measures):
    """Scores of {system: a value for each measure}, over one topic."""
    values = np.array(list(table.values()), float)[:, :, None]
    return Scores(list(table), measures_of(measures), ["1"], values)


# Kendall's tau-b.


@given(SCORES)
def test_tau_b_is_scipys(pairs):
    a, b = zip(*pairs, strict=True)
    assert tau_b(a, b) == pytest.approx(scipy.stats.kendalltau(a, b).statistic, abs=1e-12, nan_ok=True)


@given(SCORES)
def test_pearson_and_spearman_are_scipys(pairs):
    a, b = zip(*pairs, strict=True)
    alone = len(set(a)) == 1 or len(set(b)) == 1
    for ours, theirs in ((pearson, scipy.stats.pearsonr), (spearman, scipy.stats.spearmanr)):
        expected = math.nan if alone else theirs(a, b).statistic
        assert ours(a, b) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_pearson_is_of_all_digits():
    # to 12 decimals these values would be 0.500000000001, 0.500000000002 and 0.500000000004
    values = {"a": [0.5 + 1.4e-12, 0.4], "b": [0.5 + 1.6e-12, 0.9], "c": [0.5 + 4.4e-12, 0.1]}
    expected = scipy.stats.pearsonr(*zip(*values.values(), strict=True)).statistic
    assert correlate(scores_of(values, ["AP", "P@5"]), coefficient="pearson")["AP", "P@5"] == pytest.approx(expected, rel=1e-9)


def test_values_that_differ_by_rounding_alone_have_no_correlation():
    values = {"a": [0.3, 0.4], "b": [0.1 + 0.2, 0.9], "c": [0.3, 0.1]}
    found = correlate(scores_of(values, ["AP", "P@5"]), coefficient="pearson")
    assert math.isnan(found["AP", "P@5"])
    assert "AP gives all systems the same value, so pearson with it is undefined (nan)" in found.notes



def test_scores_of_any_size_have_a_correlation():
    assert pearson([1e-200, 2e-200, 3e-200], [1e200, 3e200, 2e200]) == pytest.approx(0.5)
    assert math.isnan(pearson([0.1, 0.1, 0.1], [1, 2, 3]))


def test_tau_b_worked_by_hand():
    # of six pairs one is in the opposite order: (5 − 1)/6
    assert tau_b([4, 3, 2, 1], [4, 3, 1, 2]) == pytest.approx(4 / 6)
    # with the last two tied in b: 5 in order, of 6 untied in a and 5 in b
    assert tau_b([4, 3, 2, 1], [4, 3, 1, 1]) == pytest.approx(5 / math.sqrt(6 * 5))
    assert tau_b([1, 2, 3], [3, 2, 1]) == -1


# tau_ap. The scores and the coefficients are those with which ircor 1.0, the R package of Urbano and Marrero, is tested.

IRCOR = [
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        [0.8519, 0.7454, 0.8333, 0.7321],
    ),
    (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        [0.2504, 0.2692, 0.2880, 0.2970],
    ),
    (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        [-0.6971, -0.5558, -0.668, -0.7047],
    ),
]


@pytest.mark.parametrize(("a", "b", "expected"), IRCOR)
def test_tau_ap_is_that_of_ircor(a, b, expected):
    tied_a, tied_b = ([round(value, 1) for value in scores] for scores in (a, b))
    found = [tau_ap(a, b), tau_ap(a, tied_b), tau_ap(a, b, symmetric=True), tau_ap(tied_a, tied_b, symmetric=True)]
    assert [round(one, 4) for one in found] == expected


def test_tau_ap_is_that_of_the_example_of_ircor():
    a = [0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54]
    b = [0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84]
    assert round(tau_ap(a, b), 7) == 0.3928571
    assert round(tau_ap(a, [round(value, 1) for value in b]), 5) == 0.39903
    assert round(tau_ap(a, [round(value, 1) for value in b], symmetric=True), 7) == 0.3317019


def test_tau_ap_worked_by_hand():
    # b puts the second system first: above rank 2 none is right (0/1), above rank 3 both (2/2), above rank 4 all (3/3)
    assert tau_ap([4, 3, 2, 1], [3, 4, 2, 1]) == pytest.approx(2 / 3 * (0 + 1 + 1) - 1)
    # b swaps the last two: 1/1, 2/2, 2/3; the same tau, but the error is at the bottom
    assert tau_ap([4, 3, 2, 1], [4, 3, 1, 2]) == pytest.approx(2 / 3 * (1 + 1 + 2 / 3) - 1)
    # all errors at the top of b, half of them from the other side: 0/1, 1/2 against 1/1, 0/2
    assert tau_ap([3, 2, 1], [2, 1, 3]) == pytest.approx(2 / 2 * (0 / 1 + 1 / 2) - 1)
    assert tau_ap([2, 1, 3], [3, 2, 1]) == pytest.approx(2 / 2 * (1 / 1 + 0 / 2) - 1)
    assert tau_ap([3, 2, 1], [2, 1, 3], symmetric=True) == pytest.approx((-0.5 + 0) / 2)


def untied(a, b):
    """The definition of Yilmaz, Aslam and Robertson: C(i) counts who is above rank i and should be."""
    down = sorted(range(len(b)), key=lambda system: -b[system])
    right = [sum(a[above] > a[one] for above in down[:rank]) / rank for rank, one in enumerate(down) if rank]
    return 2 * sum(right) / len(right) - 1


def orders(scores):
    """All rankings without ties that are made of one with ties, as scores."""
    groups = [[s for s, score in enumerate(scores) if score == value] for value in sorted(set(scores), reverse=True)]
    for parts in itertools.product(*map(itertools.permutations, groups)):
        ranked = [system for part in parts for system in part]
        yield [-ranked.index(system) for system in range(len(scores))]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=4))
def test_tau_ap_is_the_mean_over_all_orders_of_ties(pairs):
    a, b = zip(*pairs, strict=True)
    expected = np.mean([untied(x, y) for x in orders(a) for y in orders(b)])
    assert tau_ap(a, b) == pytest.approx(expected, abs=1e-12)


@given(SCORES)
def test_a_ranking_agrees_with_itself_and_the_symmetric_form_with_the_other_direction(pairs):
    a, b = zip(*pairs, strict=True)
    assert tau_ap(a, b, symmetric=True) == pytest.approx(tau_ap(b, a, symmetric=True), nan_ok=True)
    if len(set(a)) > 1:
        assert tau_ap(a, a, symmetric=True) == tau_b(a, a) == pytest.approx(1)
    if len(set(a)) == len(a) > 1:
        assert (tau_ap(a, a), tau_ap(a, [-x for x in a])) == (1, -1)


# RBO. The values of the alphabet were printed by Webber's own program; they come with the crate rbo of Petri.

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


@pytest.mark.parametrize(
    ("other", "p", "expected"),
    [
        ("f", 0.9, 0.053090), ("zclx", 0.9, 0.233312), ("nxqyk", 0.9, 0.049050), ("karfvodcjmwgzlypebunq", 0.9, 0.468431),
        ("zhatsimjpnkvcfxwqgoeryubd", 0.9, 0.364444), ("bcxhkur", 0.4, 0.212763), ("ma", 0.4, 0.200001), ("av", 0.2, 0.9),
        ("afcmleivjhs", 0.1, 0.951493), ("pmyq", 0.4, 0.000001),
    ],
)  # fmt: skip
def test_rbo_of_the_alphabet_is_that_of_webbers_program(other, p, expected):
    assert rbo(ALPHABET, other, p) == pytest.approx(expected, abs=1e-6)
    assert rbo(other, ALPHABET, p) == rbo(ALPHABET, other, p)


@pytest.mark.parametrize(("p", "expected"), [(0.1, 0.951509), (0.5, 0.774012), (0.9, 0.640332), (0.99, 0.919628)])
def test_rbo_of_a_permutation_is_that_of_webbers_program(p, expected):
    assert rbo(ALPHABET.replace("p", ""), "achudyxfktsrzwbgqjenolivm", p) == pytest.approx(expected, abs=1e-6)


def test_rbo_with_ties_is_that_of_corsi_and_urbano():
    # the example of their program (SIGIR 2024), variant w
    a = ["red", {"blue", "green"}, "yellow", "pink"]
    b = [{"blue", "red"}, "white", {"yellow", "black", "purple"}, "green"]
    assert rbo(a, b, 0.95) == pytest.approx(0.7068257, abs=5e-8)


def test_rbo_worked_by_hand():
    # agreement 0/1, 2/2 and 2/3; the rest of all ranks agrees as the last: (1 − p) (A1 + A2 p + A3 p²) + A3 p³
    p = 0.8
    assert rbo(["a", "b", "c"], ["b", "a", "d"], p) == pytest.approx((1 - p) * (0 + p + p * p * 2 / 3) + 2 / 3 * p**3)
    # figure 5 of the paper, whose column of agreement is 0, 0, .667, .5, .4, .333, .286
    agreement = [0, 0, 2 / 3, 2 / 4, 2 / 5, 2 / 6, 2 / 7]
    expected = sum(0.1 * a * 0.9**d for d, a in enumerate(agreement)) + 2 / 7 * 0.9**7
    assert rbo("abcdefg", "zcavwxy") == pytest.approx(expected)
    # all of a is tied at rank 1: the agreement is 2 · 1/(3 + 1), 2 · 2/(3 + 2) and 1
    assert rbo([{"a", "b", "c"}], ["a", "b", "c"], p) == pytest.approx((1 - p) * (1 / 2 + p * 4 / 5 + p * p) + p**3)


@given(st.permutations("abcdef"), st.integers(1, 6), st.floats(0.05, 0.95))
def test_rbo_of_a_ranking_and_its_beginning_is_1(ranking, length, p):
    assert rbo(ranking, ranking[:length], p) == pytest.approx(1)
    assert rbo(ranking, [*"uvwxyz"], p) == 0


# Tables.

MEASURES = ["AP", "nDCG@10", "P@5"]
RUNS = {"a": [0.9, 0.9, 0.1], "b": [0.8, 0.7, 0.2], "c": [0.7, 0.8, 0.3], "d": [0.6, 0.6, 0.4]}


def test_measures_are_correlated_pair_by_pair():
    found = correlate(scores_of(RUNS, MEASURES))
    assert found.ways == MEASURES
    assert found["AP", "nDCG@10"] == found["nDCG@10", "AP"] == pytest.approx(4 / 6)
    assert found["P@5", "AP"] == -1
    assert found["AP", "AP"] == 1


def test_a_correlation_is_shown_as_a_triangle_and_the_upsets_are_notes():
    correlation = correlate(scores_of(RUNS, MEASURES))
    assert correlation.show(digits=2) == (
        "tau-b        AP   nDCG@10\n"
        "─────────────────────────\n"
        "nDCG@10    0.67\n"
        "P@5       -1.00     -0.67\n"
        "\n"
        "tau-b between rankings of 4 systems\n"
    )
    assert correlation.notes == [
        "a: 1st by AP, 4th by P@5",
        "a: 1st by nDCG@10, 4th by P@5",
        "d: 4th by AP, 1st by P@5",
        "d: 4th by nDCG@10, 1st by P@5",
        "b: 2nd by AP, 3rd by nDCG@10",
    ]


def test_other_forms():
    found = correlate(scores_of(RUNS, MEASURES))
    assert (
        found.show("tsv")
        == f"tau-b\tAP\tnDCG@10\nnDCG@10\t{found['AP', 'nDCG@10']}\t\nP@5\t-1.0\t{found['P@5', 'nDCG@10']}\n"
    )
    assert found.show("md", digits=1).startswith(
        "| tau-b | AP | nDCG@10 |\n| --- | ---: | ---: |\n| nDCG@10 | 0.7 |  |\n"
    )
    assert [(one["first"], one["second"], round(one["tau-b"], 4)) for one in json.loads(found.show("json"))] == [
        ("nDCG@10", "AP", 0.6667), ("P@5", "AP", -1), ("P@5", "nDCG@10", -0.6667)
    ]  # fmt: skip
    assert "\\begin{table}" in found.show("latex")
    assert found._repr_html_().startswith(found.show("html") + "<p><small>a: 1st by AP, 4th by P@5</small></p>")
    assert repr(found) == "\n".join([found.show().rstrip(), *found.notes])


def test_the_upset_of_sigir_2007_is_named():
    # a system that is 5th of 20 by one measure and 1st by another, and one that is 20th and 6th
    by_agp = [f"s{rank:02}" for rank in range(1, 21)]
    by_ap = ["s05", "s01", "s02", "s03", "s04", "s20", *by_agp[5:19]]
    table = {name: [1 - by_agp.index(name) / 20, 1 - by_ap.index(name) / 20] for name in by_agp}
    first, second, *_ = correlate(scores_of(table, ["AgP", "AP"])).upsets()
    assert str(first) == "s20: 20th by AgP, 6th by AP"
    assert str(second) == "s05: 5th by AgP, 1st by AP"
    assert correlate(scores_of({"a": [1, 1], "b": [0, 0]}, ["AgP", "AP"])).upsets() == []


def test_tied_systems_have_the_first_of_their_ranks():
    (ranked,) = correlate(scores_of({"a": [0.1 + 0.2, 1], "b": [0.3, 2], "c": [0.2, 3]}, ["AP", "P@5"])).rankings
    assert ranked.ranks().tolist() == [[1, 1, 3], [3, 2, 1]]


def test_the_mean_is_taken_over_tasks():
    other = {"x": [1, 1, 1], "y": [0, 0, 0]}
    found = correlate([scores_of(RUNS, MEASURES), scores_of(other, MEASURES)])
    assert found["AP", "nDCG@10"] == pytest.approx((4 / 6 + 1) / 2)
    assert found["AP", "P@5"] == pytest.approx(0)
    assert found.about() == "tau-b between rankings of 2 to 4 systems, mean of 2"
    named = correlate({"CO": scores_of(RUNS, MEASURES), "CAS": scores_of(other, MEASURES)})
    assert str(named.upsets()[0]) == "a: 1st by AP, 4th by P@5 (CO)"


QUANTISED = ["nxCG@10", "nxCG(quant=strict)@10", "Aep", "Aep(quant=strict)"]
ELEMENTS = {"a": [3, 1, 3, 1], "b": [2, 2, 2, 3], "c": [1, 3, 1, 2]}


def test_measures_are_compared_over_quantisations_as_in_table_1_of_inex_2005():
    found = correlate(scores_of(ELEMENTS, QUANTISED), over="quant")
    assert found.ways == ["nxCG@10", "Aep"]
    # gen: 3 2 1 against 3 2 1; strict: 1 2 3 against 1 3 2
    assert found["nxCG@10", "Aep"] == pytest.approx((1 + 1 / 3) / 2)
    assert found.about() == "tau-b between rankings of 3 systems, mean of 2"
    assert [one.task for one in found.rankings] == ["gen", "strict"]


def test_quantisations_are_compared_over_measures_as_in_table_2_of_inex_2005():
    found = correlate([scores_of(ELEMENTS, QUANTISED)] * 2, by="quant")
    assert found.ways == ["gen", "strict"]
    # nxCG: 3 2 1 against 1 2 3; Aep: 3 2 1 against 1 3 2
    assert found["gen", "strict"] == pytest.approx((-1 + -1 / 3) / 2)
    assert found.about() == "tau-b between rankings of 3 systems, mean of 4"


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_every_coefficient_is_1_for_the_same_ranking_and_less_for_another(coefficient):
    table = {"a": [4, 40, 1], "b": [3, 30, 2], "c": [3, 30, 3], "d": [1, 10, 4]}
    found = correlate(scores_of(table, MEASURES), coefficient=coefficient)
    assert found["AP", "nDCG@10"] == pytest.approx(1)
    assert found["AP", "P@5"] < 0.9
    assert found.show().startswith(coefficient)


def test_coefficients_of_a_table_are_those_of_its_scores():
    scores = scores_of(RUNS, MEASURES)
    a, b = [row[0] for row in RUNS.values()], [row[1] for row in RUNS.values()]
    assert correlate(scores, coefficient="tau-ap")["AP", "nDCG@10"] == tau_ap(a, b, symmetric=True)
    found = correlate(scores, ["AP", "nDCG@10"], coefficient="rbo", p=0.7)
    assert found["AP", "nDCG@10"] == pytest.approx(rbo("abcd", "acbd", 0.7))
    assert correlate(scores, coefficient="rbo").about() == "rbo (p = 0.9) between rankings of 4 systems"


def test_a_measure_by_which_all_are_equal_has_no_correlation():
    found = correlate(scores_of({"a": [1, 1], "b": [2, 1]}, ["AP", "P@5"]))
    assert math.isnan(found["AP", "P@5"])
    assert json.loads(found.show("json"))[0]["tau-b"] is None


# What is refused.

HAS = ", ".join(measures_of("AP")[0].parameters())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tau_b([1, 2], [1, 2, 3]), "expected two scores for each system; found 2 and 3"),
        (lambda: tau_b([1], [2]), "a correlation needs at least two systems; found one"),
        (lambda: tau_ap([], []), "a correlation needs at least two systems; found none"),
        (lambda: tau_ap([1, math.nan], [1, 2]), "a score is not a number (NaN); expected a score for every system"),
        (lambda: rbo("abc", "abc", 1), "p is 1; expected a number between 0 and 1"),
        (lambda: rbo("abc", ""), "a ranking is empty; expected at least one item"),
        (lambda: rbo("abca", "abc"), "'a' is in a ranking twice"),
        (
            lambda: correlate(scores_of(RUNS, MEASURES), coefficient="r"),
            "unknown coefficient 'r'; choose from tau-b, tau-ap, rbo, pearson, spearman",
        ),
        (lambda: correlate(scores_of(RUNS, MEASURES), ["AP"]), "a correlation needs at least two measures; found AP"),
        (lambda: correlate(scores_of(RUNS, MEASURES), ["AP", "RR"]), "RR was not measured; there are AP, nDCG@10, P@5"),
        (
            lambda: correlate(scores_of({"a": [1, 2]}, ["AP", "RR"])),
            "a correlation needs at least two systems; found a",
        ),
        (
            lambda: correlate({"CO": scores_of({"a": [1, 2]}, ["AP", "RR"])}),
            "a correlation needs at least two systems; CO has a",
        ),
        (lambda: correlate([]), "no scores to correlate"),
        (lambda: correlate(scores_of(RUNS, MEASURES), by="quant"), f"AP has no parameter 'quant'; it has {HAS}"),
        (
            lambda: correlate(scores_of(RUNS, MEASURES), by="rel", over="unit"),
            "pass by= or over=, not both; the values of a parameter are either compared or averaged",
        ),
        (
            lambda: correlate(scores_of(ELEMENTS, QUANTISED), QUANTISED[::2], by="quant"),
            "a correlation needs at least two values of quant; found gen",
        ),
        (
            lambda: correlate(scores_of(RUNS, MEASURES))["AP", "RR"],
            "RR is not in the table; choose from AP, nDCG@10, P@5",
        ),
    ],
)
def test_what_means_nothing_is_refused(call, message):
    with pytest.raises(UsageError) as error:
        call()
    assert str(error.value) == message


def test_ordinals():
    assert [ordinal(number) for number in (1, 2, 3, 4, 11, 112, 21)] == [
        "1st",
        "2nd",
        "3rd",
        "4th",
        "11th",
        "112th",
        "21st",
    ]
