"""Every number of the two papers on overlap that can be recomputed, with the place where it is printed.

SIGIR 2004: Kazai, Lalmas and de Vries, The overlap problem in content-oriented XML retrieval evaluation.
INEX 2005: Kazai and Lalmas, INEX 2005 Evaluation Measures.
"""

import numpy as np
import pytest

from assay import InputError, UsageError, evaluate
from assay.ranking.element_trees import QUANTISATIONS, Base
from assay.ranking.elements import SeenElements, UnseenSize, View
from helpers.graded_tables import judgments_of, run_of

A, B, C = "/a[1]", "/a[1]/b[1]", "/a[1]/c[1]"
SMALL = {"t": {"d": {A: (3, 1, 500), B: (3, 3, 100)}}}
EXTENDED = {"t": {"d": {A: (3, 1, 500), B: (3, 3, 100), C: (3, 3, 100)}}}
# SIGIR 2004, table 2; elsewhere are elements that are not relevant
SYSTEMS = {
    "Sys1": [B, None, None], "Sys2": [B, A, None], "Sys3": [B, None, A], "Sys4": [A, B, None], "Sys5": [A, None, B],
    "Sys6": [A, None, None], "Sys7": [None, None, None],
}


def systems():
    return {
        name: run_of(
            {"t": [("d", path) if path else ("elsewhere", f"/a[{rank}]") for rank, path in enumerate(paths, 1)]}
        )
        for name, paths in SYSTEMS.items()
    }


def gain_vectors(assessed, **view):
    """G of each system, from the cumulated gain at ranks 1, 2 and 3."""
    given = ", ".join(f"{name}={value}" for name, value in view.items())
    scores = evaluate(judgments_of(assessed, "2003"), systems(), [f"CG({given})@{rank}" for rank in (1, 2, 3)])
    return {name: np.diff(scores.values[at, :, 0], prepend=0).tolist() for at, name in enumerate(SYSTEMS)}


@pytest.mark.parametrize(
    ("assessed", "expected"),
    [
        (SMALL, [[1, 0, 0]] * 3 + [[0.25, 0, 0]] * 3 + [[0, 0, 0]]),
        (EXTENDED, [[1, 0, 0], [1, 0.2, 0], [1, 0, 0.2]] + [[0.25, 0, 0]] * 3 + [[0, 0, 0]]),
    ],
    ids=["two elements", "three elements"],
)
def test_the_gains_of_the_seven_systems_are_those_of_section_5_3(assessed, expected):
    found = gain_vectors(assessed, quant="sog", rule="2004")
    assert [found[name] for name in SYSTEMS] == [pytest.approx(vector, abs=1e-15) for vector in expected]


def test_the_order_of_the_systems_is_that_of_section_5_3():
    measures = [f"nxCG(quant=sog, rule=2004)@{rank}" for rank in (1, 2, 3)]
    small = evaluate(judgments_of(SMALL, "2003"), systems(), measures).values[:, :, 0].tolist()
    assert small[0] == small[1] == small[2] > small[3] == small[4] == small[5] > small[6]
    extended = evaluate(judgments_of(EXTENDED, "2003"), systems(), measures).values[:, :, 0].tolist()
    # CG of the ideal vector is <1, 2, 2>
    assert extended[1] == [1, 0.6, 0.6] and extended[2] == [1, 0.5, 0.6]
    assert extended[1] > extended[2] > extended[0] > extended[3] == extended[4] == extended[5] > extended[6]


def average(*precisions, of):
    return pytest.approx(sum(precisions) / of)


# By hand from table 2: on the full recall-base, which has a and b, the run that returns both is the best; on the ideal
# one, which has b alone, those that begin with b are.
FULL = {"Sys1": (1 / 3, 0.5, 0.5), "Sys2": (2 / 3, 1.0, 1.0), "Sys3": (2 / 3, 1.0, average(1, 2 / 3, of=2))}
FULL |= {"Sys4": (2 / 3, 1.0, 1.0), "Sys5": (2 / 3, 1.0, average(1, 2 / 3, of=2)), "Sys6": (1 / 3, 0.5, 0.5), "Sys7": (0, 0, 0)}
IDEAL = {"Sys1": (1 / 3, 1.0, 1.0), "Sys2": (1 / 3, 1.0, 1.0), "Sys3": (1 / 3, 1.0, 1.0)}
IDEAL |= {"Sys4": (1 / 3, 1.0, 1 / 2), "Sys5": (1 / 3, 1.0, 1 / 3), "Sys6": (0, 0, 0), "Sys7": (0, 0, 0)}


@pytest.mark.parametrize(("unit", "expected"), [("element", FULL), ("element:ideal", IDEAL), ("element:strict", IDEAL), ("element:sog:ideal:2004", IDEAL)])
def test_the_seven_systems_by_precision_recall_and_average_precision_of_elements(unit, expected):
    measures = [f"P(unit={unit})@3", f"R(unit={unit})", f"AP(unit={unit})"]
    scores = evaluate(judgments_of(SMALL, "2003"), systems(), measures)
    assert {name: tuple(scores.values[at, :, 0].tolist()) for at, name in enumerate(SYSTEMS)} == expected


def test_elements_are_counted_where_elements_are_assessed():
    with pytest.raises(UsageError, match=r"^AP\(unit=element\) needs assessed elements, but judgments has none$"):
        evaluate({"t": {"d": 1}}, {"t": {"d": 1.0}}, "AP(unit=element)")
    with pytest.raises(UsageError, match=r"^unknown unit 'element:sog:gen'; expected for example element or element:ideal:sog:2004$"):
        evaluate(judgments_of(SMALL, "2003"), systems(), "AP(unit=element:sog:gen)")
    with pytest.raises(UsageError, match=r"^unknown quantisation 'loud' for assessments on the scale of 2003; choose from strict, gen, sog$"):
        evaluate(judgments_of(SMALL, "2003"), systems(), "AP(unit=element:loud)")


SECTION = {"/s[1]": (3, 1, 1000), "/s[1]/p[1]": (3, 3, 100)}


@pytest.mark.parametrize(("alpha", "expected"), [(0.9, 0.025), (1, 0.0)])
def test_a_section_after_its_only_relevant_paragraph_is_worth_what_section_5_1_says(alpha, expected):
    judged = judgments_of({"t": {"d": SECTION}}, "2003")
    # the value itself, without the normalisation that came in 2005: of the ideal paragraph nothing is left
    base = Base("assessments", judged.elements, np.zeros(1, np.int64), 1)
    seen = SeenElements()
    seen.add("/s[1]/p[1]", 100)
    value = base.quantised("sog").tolist()
    assert View(alpha=alpha).value(base, value, 0, seen, 2) == pytest.approx(expected, abs=1e-15)


def test_by_unseen_size_the_section_is_worth_0_27():
    # section 5.1: 1 for p1 and then 0.3 times 90 % for s1, by a quantisation worth 0.3 for (3, 1)
    judged = judgments_of({"t": {"d": SECTION}}, "2003")
    base = Base("assessments", judged.elements, np.zeros(1, np.int64), 1)
    seen = SeenElements()
    seen.add("/s[1]/p[1]", 100)
    assert UnseenSize()(base, [0.3, 1.0], 0, seen, 2) == pytest.approx(0.27)


def test_cumulated_gain_of_section_5_2():
    gains = [3, 2, 3, 0, 1, 2]
    paths = [f"/a[1]/x[{at}]" for at in range(1, 7)]
    judged = judgments_of({"t": {"d": {path: (gain, 1, 10) for path, gain in zip(paths, gains, strict=True)}}})
    scores = evaluate(
        judged, run_of({"t": [("d", path) for path in paths]}), [f"CG(overlap=off)@{rank}" for rank in range(1, 7)]
    )
    assert scores.values[0, :, 0].tolist() == [3, 5, 8, 8, 9, 11]


def test_cumulated_gain_of_graded_documents_is_that_of_section_5_2():
    judged = {"t": {f"d{rank}": gain for rank, gain in enumerate([3, 2, 3, 0, 1, 2], 1)}}
    run = {"t": {f"d{rank}": -float(rank) for rank in range(1, 7)}}
    scores = evaluate(judged, run, [f"{name}@{rank}" for name in ("CG", "nCG") for rank in range(1, 7)])
    # the ideal ranking 3, 3, 2, 2, 1, 0
    expected = [3, 5, 8, 8, 9, 11, 3 / 3, 5 / 6, 8 / 8, 8 / 10, 9 / 11, 11 / 11]
    assert scores.values[0, :, 0].tolist() == expected
    tied = evaluate(judged, {"t": dict.fromkeys(judged["t"], 1.0)}, ["CG@3", "nCG@3"], ties="expected")
    assert tied.values[0, :, 0].tolist() == [pytest.approx(3 * 11 / 6), pytest.approx(3 * 11 / 6 / 8)]


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("strict", {(3, 3): 1}),
        (
            "gen",
            {
                (3, 3): 1,
                (2, 3): 0.75,
                (3, 2): 0.75,
                (3, 1): 0.75,
                (1, 3): 0.5,
                (2, 2): 0.5,
                (2, 1): 0.5,
                (1, 2): 0.25,
                (1, 1): 0.25,
            },
        ),
        (
            "sog",
            {
                (3, 3): 1,
                (2, 3): 0.9,
                (1, 3): 0.75,
                (3, 2): 0.75,
                (2, 2): 0.5,
                (1, 2): 0.25,
                (3, 1): 0.25,
                (2, 1): 0.1,
                (1, 1): 0.1,
            },
        ),
    ],
)
def test_quantisations_of_sigir_2004_equations_2_3_and_7(name, printed):
    pairs = [(0, 0), *((e, s) for e in (1, 2, 3) for s in (1, 2, 3))]
    e, s = np.array([pair[0] for pair in pairs]), np.array([float(pair[1]) for pair in pairs])
    assert QUANTISATIONS["2003"][name](e, s).tolist() == [printed.get(pair, 0) for pair in pairs]


TEN_TO_ONE = {"t": {"d": {A: (2, 1, 500), B: (3, 3, 100), C: (0, 0, 100)}}}
FOR = run_of({"t": [("d", A), ("d", B), ("d", C)]})


@pytest.mark.parametrize(("name", "text"), [("t.csv", "e,s,value\n3,3,1\n2,1,0.1\n"), ("t.tsv", "3\t3\t1\n\n2\t1\t.1\n")])
def test_a_file_values_elements_ten_to_one_as_section_5_1_proposes(folder, name, text):
    folder.joinpath(name).write_text(text)
    judged = judgments_of(TEN_TO_ONE, "2003")
    measures = [f"CG(quant={name}, overlap=off)@{rank}" for rank in (1, 2, 3)]
    assert evaluate(judged, FOR, measures).values[0, :, 0].tolist() == [0.1, 1.1, 1.1]
    # the ideal element is b
    ideal = [f"AP(unit=element:{name}:ideal)", f"nxCG(quant={name}, overlap=off)@1"]
    assert evaluate(judged, FOR, ideal).values[0, :, 0].tolist() == [0.5, 0.1]


def test_an_element_that_is_too_small_may_have_a_value_of_its_own(folder):
    folder.joinpath("t.csv").write_text("2,1,1\n?,1,0.5\n")
    judged = judgments_of({"t": {"d": {A: (2, 1, 10), "/a[2]": (-1, 1, 10)}}})
    run = run_of({"t": [("d", "/a[2]"), ("d", A)]})
    measures = ["CG(quant=t.csv, overlap=off)@1", "CG(quant=t.csv, overlap=off)@2"]
    assert evaluate(judged, run, measures).values[0, :, 0].tolist() == [0.5, 1.5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3,3\n", "t.csv:1: '3,3' is not e, s and value; expected for example 3,3,1"),
        ("e,s,value\nhigh,3,1\n", "t.csv:2: 'high,3,1' is not e, s and value; expected for example 3,3,1"),
        ("3,3,-1\n", "t.csv:1: the value is -1; expected a number, at least 0"),
        ("3,3,nan\n", "t.csv:1: the value is nan; expected a number, at least 0"),
        ("3,3,1\n3,3,2\n", "t.csv:2: (3, 3) already has a value; expected each pair once"),
        ("3,3,1\n", "t.csv: no value for (2, 1), which the assessments contain; add a row for each pair, with 0 if it is worth nothing"),
        (b"\xe9,3,1\n", "t.csv: the file is not UTF-8; expected rows of e, s and value"),
        (None, "t.csv: no such file"),
    ],
)
def test_a_file_of_values_is_refused_where_it_is_wrong(folder, text, message):
    if text is not None:
        folder.joinpath("t.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as refused:
        evaluate(judgments_of(TEN_TO_ONE, "2003"), FOR, "nxCG(quant=t.csv)@1")
    assert str(refused.value) == message


def test_quantisations_of_inex_2005_equations_1_to_3():
    e, s = np.array([2, 2, 1, -1, 0]), np.array([1.0, 0.5, 1.0, 0.4, 0.0])
    assert QUANTISATIONS["2005"]["strict"](e, s).tolist() == [1, 0, 0, 0, 0]
    assert QUANTISATIONS["2005"]["gen"](e, s).tolist() == [2, 1, 1, 0, 0]
    assert QUANTISATIONS["2005"]["genLifted"](e, s).tolist() == [3, 1.5, 2, 0.4, 0]
