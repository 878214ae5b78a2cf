"""Worked examples from the sources, with the place each is printed."""

from __future__ import annotations

import math
from itertools import permutations

import pytest

import assay
from assay import AP, DCG, ERR, RBP, RR, Accuracy, Compatibility, F, P, Q, R, RBPresidual, Success, nDCG
from assay.measures.notation import measures_of

LECTURE = "Magdy, IR Evaluation, TTDS 2017"


def ranked(grades, missing=(), unjudged=()):
    """Judgments and a run of one topic: grades of the documents by rank; `unjudged` ranks have no judgment."""
    judgments = {f"d{i:02}": grade for i, grade in enumerate(grades, 1) if i not in unjudged}
    judgments |= {f"missing{i}": grade for i, grade in enumerate(missing)}
    return {"t": judgments}, {"t": {f"d{i:02}": -float(i) for i in range(1, len(grades) + 1)}}


def value(measure, grades, missing=(), unjudged=()):
    judgments, run = ranked(grades, missing, unjudged)
    return assay.evaluate(judgments, run, measure)[measure]


def binary(*ranks, length):
    return [int(rank in ranks) for rank in range(1, length + 1)]


@pytest.mark.parametrize(
    ("hits", "length", "relevant", "terms", "printed"),
    [
        ((1, 2, 5, 9), 10, 4, (1.00, 1.00, 0.60, 0.44), 0.76),
        ((3, 7), 8, 3, (0.33, 0.29), 0.207),
        ((2, 5, 8), 9, 7, (0.50, 0.40, 0.375), 0.182),
    ],
)
def test_ap_of_the_lecture(hits, length, relevant, terms, printed):
    found = value(AP(), binary(*hits, length=length), missing=[1] * (relevant - len(hits)))
    assert found == pytest.approx(sum(i / hit for i, hit in enumerate(hits, 1)) / relevant, abs=1e-15)
    # the lecture adds up precisions that it has rounded to the digits shown
    assert round(sum(terms) / relevant, len(str(printed)) - 2) == printed
    for i, (hit, term) in enumerate(zip(hits, terms, strict=True), 1):
        assert round(i / hit, 3 if term == 0.375 else 2) == term


def test_map_of_the_lecture():
    topics = [((1, 2, 5, 9), 10, 4), ((3, 7), 8, 3), ((2, 5, 8), 9, 7)]
    judgments, run = {}, {}
    for number, (hits, length, relevant) in enumerate(topics):
        one, other = ranked(binary(*hits, length=length), [1] * (relevant - len(hits)))
        judgments[number], run[number] = one["t"], other["t"]
    assert round(assay.evaluate(judgments, run, "MAP")["MAP"], 3) == 0.383


GAINS = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
DCG_PRINTED = [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]
NDCG_PRINTED = [1.00, 0.83, 0.87, 0.78, 0.71, 0.69, 0.73, 0.80, 0.88, 0.88]


@pytest.mark.parametrize("k", range(1, 11))
def test_dcg_and_ndcg_of_the_lecture(k):
    assert round(value(DCG(dcg="jk", k=k), GAINS), 2) == DCG_PRINTED[k - 1]
    # the lecture's table rounds its terms before it sums and divides them: 9.61 / 10.88
    assert value(nDCG(dcg="jk", k=k), GAINS) == pytest.approx(NDCG_PRINTED[k - 1], abs=0.0051)


@pytest.mark.parametrize(
    ("variant", "dcg", "ideal", "ndcg"),
    [("log2", 6.8611, 7.1410, 0.9608), ("jk", 8.0972, 8.6925, 0.9315), ("exp", 13.8483, 14.5954, 0.9488)],
)
def test_three_dcgs(variant, dcg, ideal, ndcg):
    gains = [3, 2, 3, 0, 1, 2]
    assert round(value(DCG(dcg=variant), gains), 4) == dcg
    assert round(value(DCG(dcg=variant), sorted(gains, reverse=True)), 4) == ideal
    assert round(value(nDCG(dcg=variant), gains), 4) == ndcg


def test_jk_does_not_discount_ranks_below_its_base():
    assert value(DCG(dcg="jk", b=10), [1] * 10) == pytest.approx(9 + 1)
    assert value(DCG(dcg="jk", b=10), [1] * 100) == pytest.approx(9 + sum(1 / math.log10(i) for i in range(10, 101)))


def test_accuracy_of_the_lecture():
    # 1M documents, 10 retrieved, 10 relevant, 5 both: 99.999 %
    grades = binary(1, 2, 3, 4, 5, length=10)
    assert value(Accuracy(collection=1_000_000), grades, missing=[1] * 5) == pytest.approx(0.99999, abs=1e-12)


def test_precision_divides_by_k_even_when_fewer_were_retrieved():
    assert value(P(k=10), [1, 1, 0]) == 0.2
    assert value(P(), [1, 1, 0]) == 2 / 3


def test_recall_f_success_and_reciprocal_rank():
    grades = [0, 0, 1, 0, 2]
    assert value(R(k=3), grades, missing=[1]) == 1 / 3
    assert value(R(rel=2), grades, missing=[1]) == 1
    assert value(F(k=5), grades, missing=[1]) == pytest.approx(2 * 0.4 * (2 / 3) / (0.4 + 2 / 3))
    assert value(F(beta=5, k=5), grades, missing=[1]) == pytest.approx(26 * 0.4 * (2 / 3) / (25 * 0.4 + 2 / 3))
    assert value(RR(), grades) == 1 / 3
    assert value(RR(rel=2), grades) == 1 / 5
    assert value(RR(k=2), grades) == 0
    assert (value(Success(k=2), grades), value(Success(k=3), grades)) == (0, 1)


def test_err_by_its_definition():
    # p = 7/8, 1/8, 3/8 on a scale to 3
    expected = 7 / 8 + (1 / 2) * (1 / 8) * (1 / 8) + (1 / 4) * (1 / 8) * (7 / 8) * (3 / 8)
    assert value(ERR(), [3, 1, 0, 2]) == pytest.approx(expected, abs=1e-15)
    assert value(ERR(max=4), [3, 1, 0, 2]) < expected
    # the highest grade may be less than 1
    assert value(ERR(), [0, 0.5]) == pytest.approx((2**0.5 - 1) / 2**0.5 / 2, abs=1e-15)


def test_a_scale_below_the_grades_is_refused():
    with pytest.raises(assay.UsageError, match=r"ERR\(max=2\): the judgments have grade 3, above the scale"):
        value(ERR(max=2), [3])


def test_rbp_and_its_residual():
    # Moffat and Zobel 2008: judged documents at ranks 1 (relevant) and 3 (not), unjudged at 2
    grades = [1, 0, 0]
    assert value(RBP(p=0.5), grades, unjudged=[2]) == 0.5
    assert value(RBPresidual(p=0.5), grades, unjudged=[2]) == pytest.approx(0.5 * 0.5 + 0.5**3)
    assert value(RBP(p=0.5, graded=True), [1, 0, 2]) == pytest.approx(0.5 * (0.5 + 0.25))


def test_rbp_and_residual_add_up_to_one_for_an_all_relevant_list():
    assert value(RBP(p=0.9), [1] * 7) + value(RBPresidual(p=0.9), [1] * 7) == pytest.approx(1)


def test_q_measure_by_hand():
    # gains 0, 2, 1 of an ideal 2, 1: (1 + 2)/(2 + 3) at rank 2, (2 + 3)/(3 + 3) at rank 3
    assert value(Q(), [0, 2, 1]) == pytest.approx((3 / 5 + 5 / 6) / 2)


def test_q_measure_with_beta_zero_is_average_precision():
    grades = [0, 2, 1, 0, 3, 0, 1]
    assert value(Q(beta=0), grades, missing=[2]) == pytest.approx(value(AP(), grades, missing=[2]))


def rbo(one, other, p, depth):
    weights = [p**i for i in range(depth)]
    overlap = [len(set(one[: i + 1]) & set(other[: i + 1])) / (i + 1) for i in range(depth)]
    return sum(w * o for w, o in zip(weights, overlap, strict=True)) / sum(weights)


@pytest.mark.parametrize("normalise", [True, False])
@pytest.mark.parametrize("depth", [50, 0])
@pytest.mark.parametrize(
    ("grades", "run"),
    [
        ({"a": 2, "b": 0, "c": 1, "d": 2, "e": 1, "x": 1}, "cbaed"),
        # more relevant documents than results, and more results that are not relevant than relevant documents
        ({"a": 1, "b": 1, "c": 0, "d": 0}, "cd"),
        ({"a": 1, "b": 1, "c": 0, "d": 0, "e": 0}, "cdeb"),
        ({"a": 0.5, "b": 0.5, "c": 0.5, "d": 0.5}, "az"),
        ({"a": 0.5, "b": 0.25, "c": 1, "d": -1}, "bda"),
        ({"a": 0, "b": -1}, "ab"),
    ],
)
def test_compatibility_is_the_overlap_with_the_nearest_ideal_ranking(grades, run, depth, normalise):
    good = [name for name in grades if grades[name] > 0]
    falling = sorted(map(grades.get, good), reverse=True)
    ideals = [list(order) for order in permutations(good) if [grades[name] for name in order] == falling]
    deep = depth or max(len(run), len(good))
    best = max(
        rbo(run, ideal, 0.8, deep) / (rbo(ideal, ideal, 0.8, deep) or 1 if normalise else 1) for ideal in ideals
    )
    measure = Compatibility(p=0.8, depth=depth, normalise=normalise)
    # a second topic, so that not all lists are as long
    judged, results = {"t": grades, "u": {"a": 1}}, {name: -i for i, name in enumerate(run)}
    scores = assay.evaluate(judged, {"t": results, "u": {"a": 1}}, measure)
    assert scores["run", measure, "t"] == pytest.approx(best, abs=1e-12)


def test_geometric_mean_and_sums_are_the_measures_own():
    judgments = {1: {"a": 1}, 2: {"a": 1}}
    run = {1: {"a": 1}, 2: {"b": 2, "a": 1}}
    scores = assay.evaluate(judgments, run, ["GMAP", "NumRet", "NumRel", "NumRelRet", "NumQ", "AP"])
    assert scores["GMAP"] == pytest.approx(math.sqrt(0.5))
    assert [scores[name] for name in ("NumRet", "NumRel", "NumRelRet", "NumQ")] == [3, 2, 2, 2]
    assert scores["AP"] == 0.75


@pytest.mark.parametrize(("count", "needed"), [("trec9", 2), ("trec10", 2), ("exact", 3)])
def test_recall_levels_are_counted_as_the_programs_count_them(count, needed):
    # 0.7 of 3 relevant documents: 2.1, which trec_eval 9 makes 2 by floating point and trec_eval 10 by rounding
    precision = {2: 1.0, 3: 0.75}[needed]
    assert value(f"IPrec(count={count})@0.7", [1, 1, 0, 1]) == precision


def test_chosen_gains_need_not_follow_the_grades():
    gains = {1: 9, 2: 3}
    found = value(nDCG(gains=gains), [2, 1])
    assert found == pytest.approx((3 + 9 / math.log2(3)) / (9 + 3 / math.log2(3)))
    assert str(nDCG(gains=gains) @ 5) == "nDCG(gains=1:9;2:3)@5"
    assert assay.parse("nDCG(gains=1:9;2:3)@5") == nDCG(gains=gains) @ 5


def test_a_short_list_whose_results_were_all_judged_is_judged():
    assert value("Judged@10", [1, 0, 1]) == 1
    assert value("Judged@2", [1, 0, 1], unjudged=[2]) == 1 / 2
    assert value("Unjudged@10", [1, 0, 1], unjudged=[2]) == 1 / 10


def test_err_takes_any_scale():
    assert value(ERR(), [60, 0]) == pytest.approx(1 - 2.0**-60)
    assert value(ERR(), [100, 50]) == pytest.approx(1)
    assert value(ERR(max=60), [1, 60]) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("level", "relevant", "needed"), [("0.035", 200, 7), ("0.7", 10, 7), ("0.29", 100, 29), ("0.001", 5, 1)]
)
def test_exact_recall_levels_are_exact(level, relevant, needed):
    # the first `needed - 1` are found at once, the next only after a long gap
    grades = [1] * (needed - 1) + [0] * 50 + [1]
    found = value(f"IPrec(count=exact)@{level}", grades, missing=[1] * (relevant - needed))
    assert found == pytest.approx(needed / (needed + 50))


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("P(k=5)@10", "'P(k=5)@10': a parameter is given twice"),
        ("P(rel=1,rel=2)", "'P(rel=1,rel=2)': a parameter is given twice"),
        ("P@99999999999999999999", "P@99999999999999999999: expected a rank, at least 1"),
        ("F(beta=-1)", "F(beta=-1): beta is out of range; expected a number of at least 0"),
        ("R(chars=0)", "R(chars=0): chars must be a number of characters, at least 1"),
        ("R(chars=1,000)", "'R(chars=1,000)': write 1000 without a comma"),
        ("R(rel=2, chars=12,345,678)@5", "'R(rel=2, chars=12,345,678)@5': write 12345678 without a comma"),
        ("P(2)", "'P(2)': P has no parameter '2'; it takes rel, k, chars, tokens, fit, unit"),
        ("Rprec(mult=nan)", "Rprec(mult=nan): mult is out of range; expected a number of at least 0, at most 1,000,000"),
        ("Compatibility(depth=-3)", "Compatibility(depth=-3): expected a rank from 1 to 1,000,000, or 0"),
        ("IPrec11(levels=1:3)", "IPrec11: expected recall levels, for example levels=0.25;0.5;0.75"),
        ("nDCG(gains=3)", "nDCG: expected a gain for each grade, for example gains=1:3;2:9"),
        ("nDCG(gains=-1:3)", "nDCG: a negative grade means unjudged and has no gain"),
        ("APP", "unknown measure 'APP'; did you mean AP? `assay measures` lists all"),
        ("nDGC@10", "unknown measure 'nDGC'; did you mean nDCG? `assay measures` lists all"),
        ("OBJECT", "unknown measure 'OBJECT'; `assay measures` lists all"),
    ],
)
def test_what_means_nothing_is_refused(typed, message):
    with pytest.raises(assay.UsageError) as caught:
        assay.parse(typed)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("typed", "meant"), [("ndcg@10", "nDCG@10"), ("map", "AP"), ("HitRate@5", "Success@5"), ("recall@3", "R@3")]
)
def test_usual_spellings_are_understood(typed, meant):
    assert str(assay.parse(typed)) == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ndcg10", "nDCG@10"),
        ("ndcg_10", "nDCG@10"),
        ("ndcg-20", "nDCG@20"),
        ("ndcg.20", "nDCG@20"),
        ("ndgc10", "nDCG@10"),
        ("ndcg_cut10", "nDCG@10"),
        ("map10", "AP@10"),
        ("mrr10", "RR@10"),
        ("recall100", "R@100"),
        ("precision_10", "P@10"),
        ("hit_rate5", "Success@5"),
        ("P5", "P@5"),
        ("RR10", "RR@10"),
        ("f1_10", "F@10"),
        # without a cut-off, or with a number that is not one
        ("rprec10", "Rprec"),
        ("inex2004", "inex2003"),
        ("F2", "F(beta=2)"),
        ("F0.5@10", "F(beta=0.5)@10"),
        ("F_0.5", "F(beta=0.5)"),
        ("P0", None),
    ],
)
def test_digits_at_the_end_of_an_unknown_name_are_a_cut_off(typed, meant):
    with pytest.raises(assay.UsageError) as caught:
        assay.parse(typed)
    hint = f"; did you mean {meant}?" if meant else ";"
    assert str(caught.value) == f"unknown measure {typed!r}{hint} `assay measures` lists all"


@pytest.mark.parametrize(
    ("typed", "listed"),
    [
        ("nDCG@10;AP", '2 measures; pass a list: ["nDCG@10", "AP"]'),
        ("nDCG@10, AP", '2 measures; pass a list: ["nDCG@10", "AP"]'),
        ("P@5 R@5\nmap", '3 measures; pass a list: ["P@5", "R@5", "map"]'),
        ("AP RBP(p=0.8, graded=True)", '2 measures; pass a list: ["AP", "RBP(p=0.8, graded=True)"]'),
    ],
)
def test_several_measures_in_one_string_are_refused_with_the_list_to_pass(typed, listed):
    for parse in (assay.parse, measures_of):
        with pytest.raises(assay.UsageError) as caught:
            parse(typed)
        assert str(caught.value) == f"{typed!r} names {listed}"


@pytest.mark.parametrize("typed", ["nDCG @10", "P (rel=2) @ 5", "nDCG(gains=1:3;2:9)@5", "RBP(p=0.9, graded=True) @5"])
def test_one_measure_may_contain_spaces_and_semicolons(typed):
    assert str(assay.parse(typed)) == typed.replace(" ", "").replace(",", ", ")


def test_parameters_are_given_by_name():
    with pytest.raises(assay.UsageError) as caught:
        P(5)
    assert str(caught.value) == (
        "P: takes 1 positional argument but 2 were given; pass parameters by name (rel, k, chars, tokens, fit, unit), "
        "and write a cut-off like P@5"
    )


@pytest.mark.parametrize(
    ("collection", "outcome"),
    [
        (1, "a topic has 3 documents (2 retrieved and 2 relevant, 1 of them both), more than the collection"),
        (2, "a topic has 3 documents (2 retrieved and 2 relevant, 1 of them both), more than the collection"),
        (3, 1 / 3),
        (4, 0.5),
    ],
)
def test_a_collection_has_what_was_retrieved_and_what_is_relevant(collection, outcome):
    judgments, run, measure = {"1": {"a": 1, "b": 1}}, {"1": {"a": 2, "x": 1}}, f"Accuracy(collection={collection})"
    if isinstance(outcome, str):
        with pytest.raises(assay.UsageError) as caught:
            assay.evaluate(judgments, run, measure)
        assert str(caught.value) == f"{measure}: {outcome}"
    else:
        assert assay.evaluate(judgments, run, measure)[measure] == outcome


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("measure", "grade", "said"),
    [
        ("nDCG(dcg=exp)", 1024, "gains of up to 2^1024 − 1 are too large to be added; dcg=log2 takes 1024 itself"),
        ("DCG(dcg=exp)@1", 5000, "gains of up to 2^5000 − 1 are too large to be added; dcg=log2 takes 5000 itself"),
        (
            "nDCG(dcg=exp, gains=1:2000)",
            1,
            "gains of up to 2^2000 − 1 are too large to be added; dcg=log2 takes 2000 itself",
        ),
        ("nDCG(dcg=exp)", 1023, "gains of up to 2^1023 − 1 are too large to be added; dcg=log2 takes 1023 itself"),
    ],
)
def test_a_gain_beyond_all_numbers_is_refused_in_a_sentence(measure, grade, said):
    judgments = {"1": {"a": grade, "b": grade, "c": grade}}
    with pytest.raises(assay.UsageError) as caught:
        assay.evaluate(judgments, {"1": ["a", "b", "c"]}, measure)
    assert str(caught.value) == f"{measure}: {said}"
    assert assay.evaluate(judgments, {"1": ["a", "b", "c"]}, "nDCG")["nDCG"] == 1


@pytest.mark.filterwarnings("error")
def test_a_high_grade_is_no_problem_as_long_as_its_gain_is_a_number():
    assert assay.evaluate({"1": {"a": 1000, "b": 1000}}, {"1": ["a"]}, "nDCG(dcg=exp)@1")["nDCG(dcg=exp)@1"] == 1


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("Utility(d=1)", "Utility(d=1): d needs the size of the collection, for example Utility(d=1, collection=528155)"),
        (
            "Utility(d=1, collection=2)",
            "Utility(d=1, collection=2): a topic has 3 documents (2 retrieved and 2 relevant, 1 of them both), "
            "more than the collection",
        ),
    ],
)
def test_utility_of_documents_not_retrieved_needs_the_size_of_the_collection(measure, message):
    judged, run = {"1": {"a": 1, "b": 1}}, {"1": {"a": 2, "c": 1}}
    with pytest.raises(assay.UsageError) as caught:
        assay.evaluate(judged, run, measure)
    assert str(caught.value) == message
    # one is found, one retrieved in vain, one missed, and seven of ten documents are neither retrieved nor relevant
    assert assay.evaluate(judged, run, "Utility(d=1, collection=10)")["Utility(d=1, collection=10)"] == 1 - 1 + 7


@pytest.mark.parametrize("measure", ["AgP", "gP@3", "AgP(score=BEP)"])
def test_a_measure_of_parts_is_named_if_there_are_only_whole_documents(measure):
    with pytest.raises(assay.UsageError) as caught:
        assay.evaluate({"1": {"a": 1}}, {"1": ["a"]}, ["AP", measure])
    assert str(caught.value) == (
        f"{assay.parse(measure)} needs highlighted text, but the judgments or the run have only whole documents"
    )
