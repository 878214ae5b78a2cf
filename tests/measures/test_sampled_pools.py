"""Inferred measures: what TREC's program printed, a plain computation, and how judgments of a sample are read."""

from random import Random

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from helpers import naive_sampled as naive
from helpers.commands import invoke
from helpers.places import DATA

OFFICIAL = {"xinfAP": "infAP", "infNDCG": "infNDCG", "infP@10": "iP10", "infP@50": "iP50", "infP@1000": "iP1000"}
TEXT = "1 0 a 1 2\n1 0 b 1 0\n1 0 c 2 1\n1 0 d 2 -1\n1 0 e 2 -1\n2 0 a 1 1\n"
RUN = {"1": ["d", "a", "c", "x"], "2": ["b"]}


@pytest.mark.shared("sampled")
@pytest.mark.parametrize("number", ["1", "2", "3", "4"])
def test_values_are_those_that_the_program_of_trec_printed(number):
    folder = DATA / "sampled" / number
    scores = assay.evaluate(folder / "sampled.qrels", folder / "run.txt", list(OFFICIAL), topics="common")
    printed = [line.split() for line in (folder / "expected.txt").read_text().splitlines()]
    expected = {(name, topic): value for name, topic, value in printed}
    for measure, name in OFFICIAL.items():
        assert f"{scores[measure]:.4f}" == expected[name, "all"]
        topics = [topic for theirs, topic in expected if theirs == name and topic != "all"]
        assert len(topics) > 5
        assert {topic: f"{scores[measure, topic]:.4f}" for topic in topics} == {t: expected[name, t] for t in topics}


# a stratum of which nothing was judged is not there to be estimated
judgments = st.dictionaries(
    st.tuples(st.sampled_from("12"), st.sampled_from("abcdefgh")),
    st.tuples(st.sampled_from("uvw"), st.sampled_from([-1, -1, 0, 1, 2])),
    min_size=1,
)
runs = st.dictionaries(st.sampled_from("12"), st.permutations("abcdefghxyz").map(lambda order: order[:7]), min_size=1)


@given(judgments, runs, st.sampled_from([None, 1, 3, 20]))
def test_values_are_those_of_a_plain_computation(judged, run, k):
    rows = [
        {"topic": topic, "document": document, "stratum": stratum, "grade": grade}
        for (topic, document), (stratum, grade) in judged.items()
    ]
    if not run.keys() & {topic for topic, _ in judged}:
        return
    cut = f"@{k}" if k else ""
    scores = assay.evaluate(rows, run, ["xinfAP", "xinfAP(rel=2)", "statAP", "statAP(rel=2)", f"infNDCG{cut}", f"infP{cut}"])
    for topic in scores.topics:
        known = {document: told for (of_topic, document), told in judged.items() if of_topic == topic}
        ranking = run.get(topic, [])
        expected = [
            naive.inferred_ap(ranking, known),
            naive.inferred_ap(ranking, known, 2),
            naive.statistical_ap(ranking, known),
            naive.statistical_ap(ranking, known, 2),
            naive.inferred_ndcg(ranking, known, k),
            naive.inferred_precision(ranking, known, k),
        ]
        assert scores.values[0, :, scores.topics.index(topic)] == pytest.approx(expected, abs=1e-12), topic


@given(judgments, runs)
def test_neither_the_order_of_rows_nor_other_topics_matter(judged, run):
    rows = [
        {"topic": topic, "document": document, "stratum": stratum, "grade": grade}
        for (topic, document), (stratum, grade) in judged.items()
    ]
    measures = ["xinfAP", "statAP", "infNDCG", "infNDCG@3", "infP", "infP@3"]
    for topic in run.keys() & {row["topic"] for row in rows}:
        whole = assay.evaluate(rows, run, measures)
        backwards = assay.evaluate(rows[::-1], run, measures)
        assert whole.values.tobytes() == backwards.values.tobytes()
        alone = assay.evaluate([row for row in rows if row["topic"] == topic], run, measures)
        number = whole.topics.index(topic)
        assert whole.values[:, :, number].tobytes() == alone.values[:, :, 0].tobytes()


def test_statap_weighs_a_relevant_result_and_those_above_it_by_their_chance_to_be_judged(tmp_path):
    scores = assay.evaluate(file(tmp_path, TEXT), RUN, ["statAP"])
    # a stands for itself at rank 2; c, judged as one of three, stands for 3 at rank 3, with a above it; R = 1 + 3
    assert scores["statAP", "1"] == pytest.approx((1 * 1 / 2 + 3 * (1 + 1) / 3) / 4)
    # an estimate may be above 1: c at rank 2 is estimated to have itself and three above it
    above = {"1": {"b": ("s", 1), "c": ("s", 1), "d": ("s", -1), "e": ("s", -1), "f": ("s", -1), "g": ("s", -1)}}
    rows = [{"topic": "1", "document": d, "stratum": s, "grade": g} for d, (s, g) in above["1"].items()]
    assert assay.evaluate(rows, {"1": ["b", "c"]}, ["statAP"])["statAP"] == pytest.approx((3 * 1 + 3 * (1 + 3) / 2) / 6)


def test_where_everything_was_judged_statap_is_ap():
    rows = [{"topic": "1", "document": d, "stratum": s, "grade": g} for d, s, g in zip("abcd", "xxyy", (1, 0, 2, 1), strict=True)]
    scores = assay.evaluate(rows, {"1": ["c", "q", "a", "b"]}, ["statAP", "AP", "statAP(rel=2)", "AP(rel=2)"])
    assert scores["statAP"] == pytest.approx(scores["AP"]) == pytest.approx((1 + 2 / 3) / 3)
    assert scores["statAP(rel=2)"] == scores["AP(rel=2)"] == 1


def file(tmp_path, text, name="sampled.qrels"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_judgments_of_a_sample_are_recognised_and_that_is_said(tmp_path):
    path = file(tmp_path, TEXT)
    scores = assay.evaluate(path, RUN)
    assert [str(measure) for measure in scores.measures] == ["xinfAP", "infNDCG", "infP@10"]
    assert scores.notes == [f"{path}: Assay reads the fourth field as the stratum of a sample and the fifth as the grade"]
    # a is relevant and second, and of the stratum of d above it nothing is judged; c stands for 3 documents
    above_a, above_c = 1e-5 / 3e-5, 1e-5 / 3e-5 + (1 + 1e-5) / (1 + 3e-5)
    assert scores["xinfAP", "1"] == pytest.approx(((1 + above_a) / 2 + 3 * (1 + above_c) / 3) / 4)
    assert scores["xinfAP", "2"] == 0


def test_other_measures_take_what_was_not_sampled_for_unjudged(tmp_path):
    whole = {"1": {"a": 2, "b": 0, "c": 1, "d": -1, "e": -1}, "2": {"a": 1}}
    measures = ["AP", "infAP", "nDCG", "Judged@4"]
    path = file(tmp_path, TEXT)
    assert assay.evaluate(path, RUN, measures).values.tolist() == assay.evaluate(whole, RUN, measures).values.tolist()


@pytest.mark.parametrize("text", ["1 0 a 1 1\n1 0 b 1 0\n", "1 0 a 0 -1\n1 0 b 1 1\n"])
def test_qrels_with_a_further_field_are_read_as_before_unless_the_format_is_told(tmp_path, text):
    path = file(tmp_path, text)
    assert [str(measure) for measure in assay.evaluate(path, RUN).measures] == [*assay.DOCUMENTS.default_measures]
    with pytest.raises(assay.UsageError) as refused:
        assay.evaluate(path, RUN, ["xinfAP"])
    where = "the fourth of five fields (topic 0 document stratum grade) if you pass format=sampled, or from a column stratum"
    assert str(refused.value) == f"xinfAP needs strata of a sample, but {path} has none; strata come from {where}"
    judged = assay.read_judgments(path, format="sampled")
    assert judged.strata.texts() == [line.split()[3] for line in text.splitlines()]


@pytest.mark.parametrize("target", ["sampled", "csv", "jsonl"])
def test_strata_are_written_and_read_again(tmp_path, target):
    path = file(tmp_path, TEXT)
    again = tmp_path / f"again.{target}"
    again.write_bytes(assay.convert(path, target))
    assert assay.convert(again, "sampled", kind="judgments") == TEXT.encode()
    assert assay.evaluate(again, RUN).values.tolist() == assay.evaluate(path, RUN).values.tolist()


def test_a_format_without_strata_says_that_they_are_left_out(tmp_path):
    notes = []
    assert assay.convert(file(tmp_path, TEXT), "trec", notes=notes).startswith(b"1 0 a 2\n1 0 b 0\n")
    assert notes[-1] == f"{tmp_path}/sampled.qrels: trec cannot represent the strata of a sample; Assay left them out"
    with pytest.raises(assay.InputError) as refused:
        assay.convert({"1": {"a": 1}}, "sampled", kind="judgments")
    assert str(refused.value) == "judgments: these judgments have no strata; sampled needs a sample with strata"


def test_a_column_stratum_counts_where_something_was_not_sampled_or_a_measure_needs_it():
    rows = pl.DataFrame({"topic": ["1", "1"], "document": ["a", "b"], "grade": [1, 0], "stratum": ["x", "x"]})
    assert [str(measure) for measure in assay.evaluate(rows, RUN).measures] == [*assay.DOCUMENTS.default_measures]
    scores = assay.evaluate(rows, {"1": ["a"]}, ["xinfAP"])
    assert scores["xinfAP"] == 1
    assert scores.notes == ["judgments: Assay reads the column stratum as the strata of a sample"]
    sampled = rows.with_columns(grade=pl.Series([1, -1]))
    assert [str(measure) for measure in assay.evaluate(sampled, RUN).measures] == ["xinfAP", "infNDCG", "infP@10"]
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate(sampled.with_columns(stratum=pl.Series(["x", None])), RUN)
    assert str(refused.value) == "judgments: document b has no stratum, but others do; expected a stratum for every document or for none"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (TEXT + "1 0 f 2 x\n", ":7: grade 'x' is not a number"),
        (TEXT + "1 0 a 2 1\n", ":7: document a is judged twice for topic 1 (first on line 1)"),
        (TEXT + "1 0 f 2\n", ":7: expected 5 fields (topic iteration document stratum grade), found 4: '1 0 f 2'"),
    ],
)
def test_a_file_with_faults_is_refused_and_the_check_tells_why(tmp_path, text, what):
    path = file(tmp_path, text)
    with pytest.raises(assay.InputError) as refused:
        assay.evaluate(path, RUN, format="sampled")
    assert str(refused.value) == f"{path}{what}"
    assert invoke("check", "--format", "sampled", path).stdout.startswith(f"{path}{what}\n")


def test_check_tells_of_the_strata(tmp_path):
    printed = invoke("check", file(tmp_path, TEXT)).stdout
    assert "  strata of a sample: 2; 4 of 6 documents were judged\n  no faults\n" in printed


def test_a_topic_alone_has_the_same_bits_as_among_others_however_many_strata_there_are():
    rng = Random(4)
    rows = [
        {"topic": str(topic), "document": f"d{number}", "stratum": f"s{number % 17}", "grade": rng.choice([-1, 0, 1, 3])}
        for topic in range(30)
        for number in range(60)
    ]
    run = {str(topic): [f"d{number}" for number in rng.sample(range(60), 50)] for topic in range(30)}
    measures = ["xinfAP", "infNDCG", "infNDCG@20", "infP@20", "infP@50"]
    together = assay.evaluate(rows, run, measures)
    for number, topic in enumerate(together.topics):
        own = [row for row in rows if row["topic"] == topic]
        alone = assay.evaluate(own, {topic: run[topic]}, measures)
        assert alone.values.tobytes() == together.values[:, :, number].tobytes()
