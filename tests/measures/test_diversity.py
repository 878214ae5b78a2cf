"""Measures of novelty and diversity: against a plain computation, against ndeval, and by hand."""

import math
from collections import defaultdict
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from helpers import naive_diversity as naive

CUT = ("alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "P_IA", "StRecall")
WHOLE = ("NRBP", "nNRBP", "AP_IA")
TAKES = {"alpha": ("alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP"), "beta": ("NRBP", "nNRBP")}


@st.composite
def collections(draw):
    """Judgments by subtopic, (topic, document, subtopic) -> grade, and a run: documents that nobody judged, topics that
    only one of the two has, subtopics without anything relevant, documents in several, and equal scores.
    """
    topics, subtopics = st.sampled_from(["1", "2", "10"]), st.sampled_from(["s", "t", "u", "7"])
    pairs = st.tuples(topics, st.sampled_from("abcdefg"), subtopics)
    judged = draw(st.dictionaries(pairs, st.integers(-1, 3), min_size=1, max_size=25))
    results = st.dictionaries(st.sampled_from("abcdefgxyz"), st.sampled_from([0.5, 1.0, 2.0, 3.0]), min_size=1)
    run = draw(st.dictionaries(st.sampled_from(["1", "2", "10", "only in the run"]), results, min_size=1))
    if not run.keys() & {topic for topic, _, _ in judged}:
        run[next(iter(judged))[0]] = draw(results)
    return judged, run


def records(judged):
    return [
        {"topic": topic, "subtopic": subtopic, "document": document, "grade": grade}
        for (topic, document, subtopic), grade in judged.items()
    ]


def by_topic(judged):
    rows = defaultdict(list)
    for (topic, document, subtopic), grade in judged.items():
        rows[topic].append((document, subtopic, grade))
    return rows


def ranking(results):
    return sorted(results, key=lambda document: (results[document], document), reverse=True)


def written(name, rel, alpha, beta, k):
    given = {"rel": rel, "alpha": alpha, "beta": beta}
    kept = [f"{each}={given[each]}" for each in given if each == "rel" or name in TAKES[each]]
    return f"{name}({', '.join(kept)})" + (f"@{k}" if k else "")


@given(collections(), st.integers(1, 2), st.sampled_from([0, 0.25, 0.5, 1]), st.sampled_from([None, 1, 2, 5, 20]))
def test_values_are_those_of_a_plain_computation(collection, rel, alpha, k):
    judged, run = collection
    rows = by_topic(judged)
    names = {written(name, rel, alpha, 0.75, k if name in CUT else None): name for name in (*CUT, *WHOLE)}
    scores = assay.evaluate(records(judged), run, list(names))
    for typed, name in names.items():
        for topic in scores.topics:
            order = ranking(run.get(topic, {}))
            expected = naive.value(name, order, rows[topic], rel, alpha, 0.75, k)
            assert scores[typed, topic] == pytest.approx(expected, abs=1e-12), (typed, topic)


@given(collections(), st.integers(1, 2), st.sampled_from([0.25, 0.5, 0.75]), st.sampled_from([0.25, 0.5, 0.9]))
def test_values_are_those_of_ndeval(collection, rel, alpha, beta):
    pyndeval = pytest.importorskip("pyndeval")
    judged, run = collection
    ndeval = {"alpha_nDCG": "alpha-nDCG", "alpha_DCG": "alpha-DCG", "ERR_IA": "ERR-IA", "nERR_IA": "nERR-IA"}
    ndeval |= {"P_IA": "P-IA", "StRecall": "strec", "NRBP": "NRBP", "nNRBP": "nNRBP", "AP_IA": "MAP-IA"}
    names = {
        written(name, rel, alpha, beta, k): ndeval[name] + (f"@{k}" if k else "")
        for name in ndeval
        for k in ((2, 5, 20) if name in CUT else (None,))
    }
    rows = [(topic, subtopic, document, grade) for (topic, document, subtopic), grade in judged.items()]
    # equal scores are broken the other way there
    ranks = [(topic, each, -rank) for topic in run for rank, each in enumerate(ranking(run[topic]))]
    options = {"relevance_level": rel, "alpha": alpha, "beta": beta}
    theirs = pyndeval.RelevanceEvaluator(rows, list(names.values()), **options).evaluate(ranks)
    scores = assay.evaluate(records(judged), run, list(names))
    for typed, name in names.items():
        for topic in scores.topics:
            expected = theirs[topic][name] if topic in theirs else 0
            # where nothing is relevant there it is 0 / 0
            expected = 0 if math.isnan(expected) else expected
            assert scores[typed, topic] == pytest.approx(expected, abs=1e-9), (typed, topic)


def test_a_subtopic_loses_its_worth_each_time_it_is_met():
    judged = {"a": "25", "b": "2", "c": "4", "e": "123456", "f": "1234", "h": "4", "j": "6"}
    grades = {document: dict.fromkeys(subtopics, 1) for document, subtopics in judged.items()}
    measures = ["alpha_DCG@6", "alpha_DCG@1", "StRecall@3", "P_IA@2"]
    scores = assay.evaluate({"1": grades}, {"1": list("abcdef")}, measures)
    gain = [2, 0.5, 1, 0, 0.25 + 0.5 + 0.5 + 3, 0.125 + 0.25 + 0.5 + 0.5]
    best = sum(6 * 0.5**i / math.log2(i + 2) for i in range(6))
    assert scores["alpha_DCG@6"] == pytest.approx(sum(g / math.log2(i + 2) for i, g in enumerate(gain)) / best)
    assert scores["alpha_DCG@1"] == pytest.approx(2 / 6)
    assert scores["StRecall@3"] == pytest.approx(3 / 6)
    assert scores["P_IA@2"] == pytest.approx(3 / 12)


@given(collections())
def test_neither_the_order_of_rows_nor_other_topics_matter(collection):
    judged, run = collection
    measures = [*WHOLE, *CUT, *(f"{name}@3" for name in CUT)]
    before = assay.evaluate(records(judged), run, measures)
    backwards = assay.evaluate(records(judged)[::-1], {t: dict([*run[t].items()][::-1]) for t in run}, measures)
    assert before.values.tobytes() == backwards.values.tobytes()
    for number, topic in enumerate(before.topics):
        alone = [row for row in records(judged) if row["topic"] == topic]
        if topic in run:
            assert assay.evaluate(alone, run, measures).values.tobytes() == before.values[:, :, number].tobytes()
    assert (before.values >= 0).all() and (before.values[0, measures.index("AP_IA")] <= 1).all()


def test_parameters_out_of_range_are_refused():
    for typed, what in {
        "alpha_nDCG(alpha=2)@5": "alpha_nDCG(alpha=2): expected a number from 0 to 1",
        "NRBP(beta=1)": "NRBP(beta=1): expected a probability between 0 and 1, both excluded",
        "P_IA(unit=document)": "'P_IA(unit=document)': P_IA has no parameter 'unit'; it takes rel, k",
    }.items():
        with pytest.raises(assay.UsageError) as refused:
            assay.parse(typed)
        assert str(refused.value) == what


def test_a_cut_off_that_is_too_deep_to_be_normalised_is_refused():
    with pytest.raises(assay.UsageError) as refused:
        assay.evaluate({"1": {"a": {"x": 1}}}, {"1": ["a"]}, ["ERR_IA@2000000"])
    assert str(refused.value) == "ERR_IA@2000000: expected a cut-off of at most 1,000,000"
    assert assay.evaluate({"1": {"a": {"x": 1}}}, {"1": ["a"]}, ["alpha_nDCG@2000000"])["alpha_nDCG@2000000"] == 1


def test_expected_values_over_ties_are_not_known():
    judged = {"1": {"a": {"x": 1}}}
    with pytest.raises(assay.UsageError) as refused:
        assay.evaluate(judged, {"1": {"a": 1, "b": 1}}, ["AP_IA"], ties="expected")
    what = "AP_IA has no closed form for the expected value over ties; pass ties=docno or ties=input or ties=rank"
    assert str(refused.value) == what


def test_sums_over_subtopics_are_the_same_bits_in_whichever_order_the_rows_stand():
    rng = Random(3)
    rows = [
        {"topic": str(topic), "document": document, "subtopic": subtopic, "grade": 1}
        for topic in range(40)
        for document in "abcdefgh"
        for subtopic in rng.sample("stuvwxyz", 6)
    ]
    run = {str(topic): list("hgfedcba") for topic in range(40)}
    # 0.7, 0.49 and so on are not told exactly by a number, so that sums depend on their order
    measures = ["alpha_DCG(alpha=0.3)@8", "alpha_nDCG(alpha=0.3)@8", "AP_IA", "NRBP(alpha=0.3)", "nNRBP(alpha=0.3)"]
    before = assay.evaluate(rows, run, measures)
    rng.shuffle(rows)
    assert assay.evaluate(rows, run, measures).values.tobytes() == before.values.tobytes()
