"""Agreement on grades: the worked examples of those who made the coefficients, and plain code over lists of pairs."""

import json
from itertools import combinations, permutations
from math import isnan, nan
from statistics import fmean

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.comparing.grade_agreement import cohen_kappa, fleiss_kappa, linear, nominal
from helpers.commands import invoke
from helpers.samples import sample

# Cohen, Psychological Bulletin 70, 1968, table 1: 200 cases, three diagnoses, and how grave each confusion is.
DIAGNOSES = np.array([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
GRAVITY = np.array([[0, 1, 3], [1, 0, 6], [3, 6, 0]])
# SAS/STAT User's Guide, the FREQ procedure, "Cohen's Kappa Coefficient": 88 patients by two dermatologists.
SKIN = np.array([[10, 4, 1, 0], [5, 10, 12, 2], [2, 4, 12, 5], [0, 2, 6, 13]])
# en.wikipedia.org/wiki/Fleiss'_kappa, worked example: 10 subjects, 14 raters, 5 categories.
SUBJECTS = np.array(
    [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]
)  # fmt: skip
# Krippendorff, Computing Krippendorff's Alpha-Reliability, University of Pennsylvania 2011, section D: 4 observers, 12
# units, values missing; what it prints for the nominal, ordinal and interval metric.
OBSERVERS = {
    "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    "C": [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
}
KRIPPENDORFF = {"alpha": 0.743, "ordinal": 0.815, "interval": 0.849}


def rows_of(observers):
    """Judgments of one topic with a column annotator."""
    return [
        {"query_id": "1", "doc_id": f"d{number}", "grade": value, "annotator": name}
        for name, values in observers.items()
        for number, value in enumerate(values)
        if value is not None
    ]


def test_cohens_kappa_is_that_of_its_paper_also_weighted():
    assert cohen_kappa(DIAGNOSES, nominal(np.arange(3))) == pytest.approx(0.492, abs=5e-4)
    assert cohen_kappa(DIAGNOSES, GRAVITY) == pytest.approx(0.348, abs=5e-4)


def test_weighted_kappa_is_that_of_the_manual_of_sas():
    assert cohen_kappa(SKIN, nominal(np.arange(4))) == pytest.approx(0.3449, abs=5e-5)
    assert cohen_kappa(SKIN, linear(np.arange(4))) == pytest.approx(0.5082, abs=5e-5)


def test_fleiss_kappa_is_that_of_the_worked_example():
    assert fleiss_kappa(SUBJECTS) == pytest.approx(0.210, abs=5e-4)


def test_krippendorffs_alpha_is_that_of_his_own_example():
    alike = assay.agreement(rows_of(OBSERVERS))
    for name, printed in KRIPPENDORFF.items():
        assert alike[name] == pytest.approx(printed, abs=5e-4), name
    # unit 12 has one value alone, which pairs with nothing
    assert alike["documents"] == 11


def naive(observers):
    """Each coefficient over all annotators, from lists of pairs of values of one unit."""
    units = [[value for value in column if value is not None] for column in zip(*observers.values(), strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    weighed = [(a, b, 1 / (len(unit) - 1)) for unit in units for a, b in permutations(unit, 2)]
    pool = [value for unit in units for value in unit]
    by_chance = [(a, b) for a, b in permutations(pool, 2)]

    def between(low, high):
        low, high = sorted((low, high))
        inner = sum(low <= value <= high for value in pool)
        return (inner - (pool.count(low) + pool.count(high)) / 2) ** 2 if low != high else 0

    def alpha(distance):
        observed = sum(weight * distance(a, b) for a, b, weight in weighed) / len(pool)
        expected = sum(distance(a, b) for a, b in by_chance) / len(by_chance)
        return 1 - observed / expected if expected else nan

    def kappa(first, second, distance):
        both = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
        expected = fmean(distance(a, b) for a, _ in both for _, b in both) if both else 0
        return 1 - fmean(distance(a, b) for a, b in both) / expected if expected else nan

    def over_pairs(distance):
        values = [kappa(a, b, distance) for a, b in combinations(observers.values(), 2)]
        known = [value for value in values if not isnan(value)]
        return fmean(known) if known else nan

    agreed = fmean(fmean(a == b for a, b in permutations(unit, 2)) for unit in units)
    same = sum((pool.count(value) / len(pool)) ** 2 for value in set(pool))
    return {
        "agreed": fmean(a == b for unit in units for a, b in combinations(unit, 2)),
        "kappa": over_pairs(lambda a, b: a != b),
        "linear": over_pairs(lambda a, b: abs(a - b)),
        "quadratic": over_pairs(lambda a, b: (a - b) ** 2),
        "Fleiss": (agreed - same) / (1 - same) if len(set(pool)) > 1 else nan,
        "alpha": alpha(lambda a, b: a != b),
        "ordinal": alpha(between),
        "interval": alpha(lambda a, b: (a - b) ** 2),
    }


GRADES = st.one_of(st.none(), st.sampled_from([0, 1, 2, 3.5]))


@settings(max_examples=sample(15, 500))
@given(columns=st.lists(st.tuples(GRADES, GRADES, GRADES), min_size=1, max_size=8))
def test_values_are_those_of_plain_lists_of_pairs(columns):
    observers = dict(zip("xyz", zip(*columns, strict=True), strict=True))
    observers = {name: values for name, values in observers.items() if any(value is not None for value in values)}
    if len(observers) < 2 or all(sum(value is not None for value in unit) < 2 for unit in columns):
        return
    alike = assay.agreement(rows_of(observers))
    for name, value in naive(observers).items():
        assert (alike[name] is None) == isnan(value), name
        assert alike[name] is None or alike[name] == pytest.approx(value, abs=1e-9), name


ANN = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 1, "b": 0}}
BOB = {"1": {"a": 1, "b": 1, "c": 0}, "2": {"a": 1, "b": 2, "z": 0}}


def test_files_frames_tables_and_a_column_give_the_same(tmp_path):
    paths = []
    for name, grades in {"ann": ANN, "bob": BOB}.items():
        paths.append(tmp_path / name)
        lines = [f"{topic} 0 {document} {grade}\n" for topic in grades for document, grade in grades[topic].items()]
        paths[-1].write_text("".join(lines))
    records = [
        {"topic": topic, "document": document, "grade": grade, "annotator": name}
        for name, grades in {"ann": ANN, "bob": BOB}.items()
        for topic in grades
        for document, grade in grades[topic].items()
    ]
    frames = [pl.DataFrame([row for row in records if row["annotator"] == name]) for name in ("ann", "bob")]
    every = [
        paths, {"ann": paths[0], "bob": str(paths[1])}, records, pl.DataFrame(records), {"ann": ANN, "bob": BOB},
        {"ann": assay.read_judgments(ANN), "bob": assay.read_judgments(BOB)},
        {name: frame.drop("annotator") for name, frame in zip(("ann", "bob"), frames, strict=True)},
    ]  # fmt: skip
    shown = [assay.agreement(each).show() for each in every]
    assert set(shown) == {shown[0]}
    assert assay.agreement([ANN, BOB]).pairs == [("judgments 1", "judgments 2")]


def test_it_shows_itself():
    # 3 of 5 agree; by chance 2/5·1/5 + 2/5·3/5 + 1/5·1/5 = 9/25
    assert repr(assay.agreement({"ann": ANN, "bob": BOB})) == (
        "annotator   other   documents   agreed    kappa   linear   quadratic   Fleiss    alpha   ordinal   interval\n"
        "───────────────────────────────────────────────────────────────────────────────────────────────────────────\n"
        "ann         bob             5   0.6000   0.3750   0.2105      0.0000   0.3548   0.4194    0.1193     0.0816\n"
        "all         all             5   0.6000   0.3750   0.2105      0.0000   0.3548   0.4194    0.1193     0.0816\n"
        "\n"
        "agreed: share with the same grade; kappa: Cohen's, unweighted, linear and quadratic (row all: mean over pairs); "
        "Fleiss: Fleiss' kappa; alpha: Krippendorff's, nominal, ordinal and interval"
    )


def test_the_confusion_table_counts_the_grades_that_met():
    alike = assay.agreement({"ann": ANN, "bob": BOB})
    assert alike.confusion("tsv") == (
        "annotator\tother\tgrade\t0\t1\t2\nann\tbob\t0\t1\t0\t1\nann\tbob\t1\t0\t2\t0\nann\tbob\t2\t0\t1\t0\n"
    )
    assert json.loads(alike.confusion("json"))[0]["counts"] == [[1, 0, 1], [0, 2, 0], [0, 1, 0]]


RUNS = {
    "good": {"1": {"a": 3, "b": 2, "c": 1}, "2": {"a": 2, "b": 1}, "3": {"a": 1}},
    "bad": {"1": {"c": 3, "x": 2, "b": 1}, "2": {"x": 2, "a": 1}},
    "worst": {"1": {"x": 1}, "2": {"x": 1}},
}


def test_tau_is_that_of_the_runs_under_two_annotators_over_their_common_topics():
    # eve finds relevant what no other does, and judged topic 3 alone
    eve = {"1": {"c": 1, "a": 0, "b": 0}, "2": {"b": 0, "x": 1}, "3": {"a": 1}}
    alike = assay.agreement({"ann": ANN, "bob": BOB, "eve": eve}, runs=RUNS)
    assert alike.header[-1] == "tau AP"
    # AP in topics 1 and 2 by ann: good 1, bad (1/3·1/2 + 1/2)/2, worst 0; by eve: bad 1, worst 1/2, good (1/3 + 0)/2
    taus = {tuple(row[:2]): row[-1] for row in alike.rows()}
    assert taus == {
        ("ann", "bob"): 1.0,
        ("ann", "eve"): pytest.approx(-1 / 3),
        ("bob", "eve"): pytest.approx(-1 / 3),
        ("all", "all"): pytest.approx(1 / 9),
    }
    assert assay.agreement({"ann": ANN, "bob": BOB}, runs=RUNS, measure="P@1").header[-1] == "tau P@1"
    assert alike.systems.frame().filter(run="good", annotator="ann", topic="1")["AP"].to_list() == [1.0]


def test_what_is_undefined_is_empty_and_said():
    alike = assay.agreement({"ann": {"1": {"a": 0, "b": 0}}, "bob": {"1": {"a": 0, "b": 0}}}, runs=RUNS)
    assert alike.rows()[0] == ["ann", "bob", 2, 1.0, *[None] * 8]
    assert "nan" not in alike.show() + alike.show("json")
    assert alike.notes == [
        "kappa and alpha are undefined if both annotators gave all documents the same grade: ann and bob",
        "tau is undefined if all runs have the same value, or if the annotators share no topic: ann and bob",
    ]


def test_negative_grades_are_not_judged():
    alike = assay.agreement({"ann": {"1": {"a": 1, "b": -1}}, "bob": {"1": {"a": 1, "b": 0, "c": -2}}})
    assert alike["documents"] == 1
    assert alike.notes[0] == "left out 2 judgments: a negative grade means that the document was not judged"
    assert "<small>left out 2 judgments: a negative grade means" in alike._repr_html_()


@pytest.mark.parametrize(
    ("given", "how", "what"),
    [
        ([ANN], {}, "agreement needs judgments by at least two annotators; found one"),
        (
            rows_of({"ann": [1, 2]}),
            {},
            "judgments: all judgments are by 'ann'; agreement needs two annotators or more",
        ),
        (
            {"ann": ANN, "bob": {"9": {"a": 1}}},
            {},
            "no two of ann, bob graded the same document of a topic; do their ids match?",
        ),
        (ANN, {}, "judgments: the judgments name no annotators; expected a column annotator, or one file per annotator"),
        (
            [*rows_of({"ann": [1], "bob": [1]}), {"query_id": "1", "doc_id": "d0", "grade": 2, "annotator": "ann"}],
            {},
            "judgments: document d0 is judged twice for topic 1 by annotator ann in one set",
        ),
        ({"ann": ANN, "bob": BOB}, {"measure": "AP"}, "a measure requires runs to rank; pass runs="),
        (
            {"ann": ANN, "bob": assay.read_judgments([{"topic": "1", "document": "a", "start": 0, "end": 5}])},
            {},
            "judgments: these judgments highlight text; expected the same of all annotators",
        ),
        (
            {"ann": {"1": {f"d{number}": number for number in range(300)}}, "bob": {"1": {"d1": 1}}},
            {},
            "300 different grades; agreement expects a scale of up to 256",
        ),
    ],
)
def test_what_has_no_agreement_is_refused(given, how, what):
    with pytest.raises(assay.AssayError) as error:
        assay.agreement(given, **how)
    assert str(error.value) == what


def test_the_command_takes_a_file_for_each_annotator(tmp_path):
    for name, grades in {"ann": ANN, "model": BOB}.items():
        lines = [f"{topic} 0 {document} {grade}\n" for topic in grades for document, grade in grades[topic].items()]
        (tmp_path / f"{name}.qrels").write_text("".join(lines))
    (tmp_path / "a.run").write_text("1 Q0 a 1 2 a\n2 Q0 a 1 2 a\n")
    (tmp_path / "b.run").write_text("1 Q0 c 1 2 b\n2 Q0 c 1 2 b\n")
    files = [tmp_path / "ann.qrels", tmp_path / "model.qrels"]
    runs = ["--run", tmp_path / "a.run", "--run", tmp_path / "b.run", "-m", "P@1"]
    printed = invoke("agreement", *files, *runs, "--as", "json").stdout
    assert json.loads(printed)[0]["tau P@1"] == 1.0
    assert invoke("agreement", *files, "--confusion").stdout.splitlines()[0] == "annotator\tother\tgrade\t0\t1\t2"
    alone = invoke("agreement", files[0])
    told = "the judgments name no annotators; expected a column annotator, or one file per annotator"
    assert (alone.exit_code, alone.stderr) == (1, f"{files[0]}: {told}\n")
