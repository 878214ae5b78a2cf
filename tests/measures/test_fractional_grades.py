"""Grades that are not whole: gains are the grades themselves, and what is relevant is told by any threshold."""

import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from helpers.commands import invoke

GRADES = {"a": 0.5, "b": 1.75, "c": 0, "d": -0.5, "e": 3}
RUN = {"1": ["c", "a", "e", "x", "b"]}


def discounted(gains):
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def test_gains_are_the_grades():
    measures = ["DCG", "nDCG", "DCG(dcg=exp)", "ERR", "RBP(graded=True, p=0.5)", "nDCG(gains=0.5:4;1.75:0)"]
    scores = assay.evaluate({"1": GRADES}, RUN, measures)
    gains = [0, 0.5, 3, 0, 1.75]
    assert scores["DCG"] == pytest.approx(discounted(gains))
    assert scores["nDCG"] == pytest.approx(discounted(gains) / discounted([3, 1.75, 0.5]))
    assert scores["DCG(dcg=exp)"] == pytest.approx(discounted([2**gain - 1 for gain in gains]))
    stops = [(2**gain - 1) / 8 for gain in gains]
    goes_on = [math.prod(1 - stop for stop in stops[:rank]) for rank in range(5)]
    assert scores["ERR"] == pytest.approx(sum(stops[i] * goes_on[i] / (i + 1) for i in range(5)))
    assert scores["RBP(graded=True, p=0.5)"] == pytest.approx(sum(g / 3 * 0.5 ** (i + 1) for i, g in enumerate(gains)))
    assert scores["nDCG(gains=0.5:4;1.75:0)"] == pytest.approx(discounted([0, 4, 3]) / discounted([4, 3]))


def test_a_topic_whose_highest_grade_is_a_fraction_has_it_for_its_best():
    measures = ["RBP(graded=True, p=0.5)", "Compatibility"]
    scores = assay.evaluate({"1": {"a": 0.5, "b": 0.25}}, {"1": ["b", "a"]}, measures)
    assert scores["RBP(graded=True, p=0.5)"] == pytest.approx(0.5 * 0.5 + 1 * 0.25)
    assert 0 < scores["Compatibility"] < 1
    assert scores.notes == []


@pytest.mark.parametrize(("rel", "relevant"), [(0.5, "abe"), (0.6, "be"), (1, "be"), (1.75, "be"), (2, "e"), (3.5, "")])
def test_the_threshold_may_be_any_number(rel, relevant):
    whole = {document: int(document in relevant) for document in "abce"}
    names = ("AP", "P@3", "R@3", "RR", "Rprec", "Success@2", "bpref", "F", "NumRel")
    typed = [name.replace("@", f"(rel={rel})@") if "@" in name else f"{name}(rel={rel})" for name in names]
    scores = assay.evaluate({"1": GRADES}, RUN, typed)
    assert scores.values.tolist() == assay.evaluate({"1": whole | {"d": -1}}, RUN, list(names)).values.tolist()


@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(-1, 3), min_size=1), st.permutations("abcdefxy"))
def test_grades_times_a_fraction_change_no_share(judged, order):
    """Half of all gains is half of the best; and with half the threshold the same documents are relevant."""
    halved = {document: grade / 2 for document, grade in judged.items()}
    names = ["nDCG", "nDCG@3", "nDCGrel", "RnDCG", "Compatibility", "RBP(graded=True)"]
    thresholds = ["AP", "infAP", "bpref", "binG", "Judged"]
    half = [f"{name}(rel=0.5)" for name in thresholds[:-1]] + ["Judged", "RnDCG(rel=0.5)"]
    ours = assay.evaluate({"1": halved}, {"1": list(order)}, [*names, *half])
    whole = assay.evaluate({"1": judged}, {"1": list(order)}, [*names, *thresholds])
    for name, same in (*zip(names, names, strict=True), *zip(thresholds, half, strict=False)):
        if name != "RnDCG":
            assert ours[same] == pytest.approx(whole[name], abs=1e-12), name
    assert ours["RnDCG(rel=0.5)"] == pytest.approx(whole["RnDCG"], abs=1e-12)


def test_whole_grades_are_the_same_however_they_are_written(tmp_path):
    names = ["AP", "nDCG", "ERR", "P@2"]
    values = []
    for number, grades in enumerate((["2", "1", "0"], ["2.0", "1e0", "-0"])):
        path = tmp_path / f"{number}.qrels"
        path.write_text("".join(f"1 0 {d} {g}\n" for d, g in zip("abc", grades, strict=True)))
        values.append(assay.evaluate(path, {"1": ["b", "a"]}, names).values.tobytes())
        assert assay.convert(path, "trec", kind="judgments") == b"1 0 a 2\n1 0 b 1\n1 0 c 0\n"
    assert values[0] == values[1]


@pytest.mark.parametrize("target", ["trec", "csv", "jsonl", "parquet"])
def test_they_are_read_from_files_and_written(tmp_path, target):
    text = "".join(f"1 0 {document} {grade}\n" for document, grade in GRADES.items())
    path = tmp_path / "a.qrels"
    path.write_text(text)
    again = tmp_path / f"again.{target}"
    again.write_bytes(assay.convert(path, target, kind="judgments"))
    assert assay.convert(again, "trec", kind="judgments") == text.encode()
    expected = assay.evaluate({"1": GRADES}, RUN).values.tolist()
    assert assay.evaluate(again, RUN).values.tolist() == expected
    rows = {"topic": ["1"] * 5, "document": list(GRADES), "grade": [float(grade) for grade in GRADES.values()]}
    assert assay.evaluate(pl.DataFrame(rows), RUN).values.tolist() == expected


def test_annotators_and_subtopics_may_have_them():
    rows = [("a", 0.5, "x"), ("b", 2, "x"), ("a", 1.5, "y")]
    by = {name: [dict(zip(("document", "grade", name), row, strict=True), topic="1") for row in rows]
          for name in ("annotator", "subtopic")}  # fmt: skip
    run = {"1": ["a", "b"]}
    # x: (.5 + 2 / log2 3) of (2 + .5 / log2 3); y: all
    of_x = (0.5 + 2 / math.log2(3)) / (2 + 0.5 / math.log2(3))
    assert assay.evaluate(by["annotator"], run, ["nDCG"])["nDCG"] == pytest.approx((of_x + 1) / 2)
    of_subtopics = assay.evaluate(by["subtopic"], run, ["StRecall(rel=0.5)@1", "StRecall(rel=1.6)@1"])
    assert of_subtopics.values.tolist() == [[[1], [0]]]


def test_what_is_not_counted_by_the_usual_threshold_is_said():
    scores = assay.evaluate({"1": {"a": 0.5, "b": 0.75, "c": 1}}, {"1": ["a", "b"]}, ["nDCG", "AP", "P@1"])
    what = "2 documents have grades between 0 and 1; AP, P@1 treat them as not relevant (AP(rel=0.5) counts them)"
    assert scores.notes == [f"judgments: {what}"]
    assert assay.evaluate({"1": {"a": 0.5, "b": 0.75, "c": 1}}, {"1": ["a", "b"]}, ["nDCG", "AP(rel=0.5)"]).notes == []


@pytest.mark.parametrize(
    ("typed", "what"),
    [
        ("AP(rel=x)", "'AP(rel=x)': rel=x; expected a number"),
        ("AP(rel=nan)", "AP(rel=nan): rel must be a grade, a number"),
        ("AP(rel=inf)", "AP(rel=inf): rel must be a grade, a number"),
    ],
)
def test_a_threshold_that_is_no_number_is_refused(typed, what):
    with pytest.raises(assay.UsageError) as refused:
        assay.parse(typed)
    assert str(refused.value) == what
    with pytest.raises(assay.UsageError) as refused:
        assay.evaluate({"1": {"a": 1}}, {"1": ["a"]}, [assay.AP(rel=float("nan"))])
    assert str(refused.value) == "AP(rel=nan): rel must be a grade, a number"


@pytest.mark.parametrize("version", ["9", "10"])
def test_trec_eval_reads_the_whole_part_as_the_original_does(tmp_path, version):
    """What trec_eval 9.0.8 printed: it neither refuses such grades nor rounds them."""
    qrels, run = tmp_path / "q", tmp_path / "r"
    qrels.write_text("1 0 a 0.5\n1 0 b 1.9\n1 0 c 2\n1 0 d -0.5\n")
    run.write_text("1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n1 Q0 c 3 1 x\n")
    printed = invoke("trec_eval", "--like", version, "-m", "ndcg", "-m", "map", "-m", "num_rel", qrels, run).stdout
    values = {line.split()[0]: line.split()[2] for line in printed.splitlines()}
    assert values == {"num_rel": "2", "map": "0.5833", "ndcg": "0.6199"}
