"""Measures of user models: the example that cwl_eval prints, a plain computation, and cwl_eval itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.vocabulary import FAMILIES
from helpers import naive_user_models as naive

MODELS = [name for name in FAMILIES["user_models"] if not name.startswith("NERR")]
# Topic T1 of the sample output in the README of cwl_eval 1.0: its gains, and the expected utility of each model.
SAMPLE = {f"D{rank}": gain for rank, gain in enumerate([1.0, 0, 0.2, 0.6, 0, 0, 0.2, 0, 1.0, 0], 1)}
PRINTED = {
    "RBP(graded=True, p=0.5)": "0.566", "RBP(graded=True, p=0.9)": "0.214", "SDCG@10": "0.380", "SDCG@5": "0.461",
    "INST(T=2)": "0.401", "INST": "0.680", "INSQ(T=2)": "0.316", "INSQ": "0.465",
    "BPM@1000": "1.000", "BPM(T=1000)@10": "0.300", "BPM(T=1.2)@10": "0.400",
}  # fmt: skip


def test_the_sample_output_of_cwl_eval():
    scores = assay.evaluate({"T1": SAMPLE}, {"T1": list(SAMPLE)}, list(PRINTED))
    assert {name: f"{scores[name]:.3f}" for name in PRINTED} == PRINTED


grades = st.dictionaries(st.sampled_from("abcdefg"), st.sampled_from([-1, 0, 0.5, 1, 2, 3, 4]), min_size=1)
runs = st.lists(st.sampled_from("abcdefgxyz"), min_size=1, unique=True)


def typed(name, wanted, k):
    given = {"T": f"T={wanted}" if not name.startswith("SDCG") else "", "max_rel": "max_rel=4"}
    if name in ("INSQresidual", "SDCGresidual"):
        given["max_rel"] = ""
    brackets = ", ".join(filter(None, given.values()))
    return f"{name}({brackets})" + (f"@{k}" if k and name.startswith(("BPM", "SDCG")) else "")


@given(grades, runs, st.sampled_from([0.5, 1.0, 2.5]), st.sampled_from([None, 1, 3, 20]))
def test_values_are_those_of_a_plain_computation(judged, order, wanted, k):
    names = {typed(name, wanted, k): name for name in MODELS}
    scores = assay.evaluate({"1": judged, "2": judged}, {"1": order}, list(names))
    for measure, name in names.items():
        deep = (k or naive.DEEP) if name.startswith(("BPM", "SDCG")) else naive.DEEP
        for topic, ranking in (("1", order), ("2", [])):
            expected = naive.value(name, ranking, judged, 4, wanted, deep)
            assert scores[measure, topic] == pytest.approx(expected, abs=1e-11), (measure, topic)


@given(grades, runs, st.sampled_from([0.5, 1.0, 2.0]), st.sampled_from([2, 10]))
def test_values_are_those_of_cwl_eval(judged, order, wanted, k):
    cwl = pytest.importorskip("cwl.ruler.cwl_ruler")
    from cwl.ruler.ranking import Ranking

    gains = [judged[each] / 4 if judged.get(each, -1) >= 0 else float("nan") for each in order]
    theirs = {
        "INST": cwl.INSTCWLMetric(wanted), "INSQ": cwl.INSQCWLMetric(wanted), "BPM": cwl.BPMCWLMetric(wanted, k),
        "SDCG": cwl.NDCGCWLMetric(k),
    }  # fmt: skip
    names = {name: typed(name, wanted, k) for name in MODELS}
    scores = assay.evaluate({"1": judged}, {"1": order}, [*names.values(), "RBPresidual(p=0.7)"])
    for name, metric in theirs.items():
        metric.residuals = True
        assert scores[names[name]] == pytest.approx(metric.measure(Ranking("1", gains, [1.0] * len(gains))), abs=1e-9), name
        residual = metric.residual_expected_utility
        assert scores[names[f"{name}residual"]] == pytest.approx(residual, abs=1e-9), name
    rbp = cwl.RBPCWLMetric(0.7)
    rbp.residuals = True
    rbp.measure(Ranking("1", gains, [1.0] * len(gains)))
    assert scores["RBPresidual(p=0.7)"] == pytest.approx(rbp.residual_expected_utility, abs=1e-9)


def test_the_scale_of_grades_is_that_of_the_judgments_unless_it_is_told():
    judged, run = {"1": {"a": 2, "b": 0}, "2": {"a": 4}}, {"1": ["a"], "2": ["a"]}
    scores = assay.evaluate(judged, run, ["SDCG@1", "SDCG(max_rel=2)@1", "SDCG(min_rel=1, max_rel=3)@1"])
    assert scores.values[0].tolist() == [[0.5, 1.0], [1.0, 1.0], [0.5, 1.0]]


@pytest.mark.parametrize(
    ("measure", "what"),
    [
        ("INST(T=0.4)", "INST(T=0.4): expected a number from 0.5 to 100,000"),
        ("INSQ(T=0)", "INSQ(T=0): expected a number above 0, at most 100,000"),
        ("SDCG(min_rel=2, max_rel=2)@5", "SDCG(min_rel=2, max_rel=2)@5: max_rel is 2; expected a grade above min_rel"),
        ("BPM(max_rel=0)@5", "BPM(max_rel=0): expected a grade above 0"),
        ("BPM@100001", "BPM@100001: expected a cut-off of at most 100,000"),
        ("INST(depth=0)", "INST(depth=0): expected a rank from 1 to 100,000"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(measure, what):
    with pytest.raises(assay.UsageError) as refused:
        assay.evaluate({"1": {"a": 1}}, {"1": ["a"]}, [measure])
    assert str(refused.value) == what
