"""The statistics of a recall-base are those of SIGIR 2004, table 1; and the ideal run made from one scores 1."""

import json
from pathlib import Path

import pytest

import assay
from assay.converting.elements import RecallBase, ideal_run, recall_base
from assay.ranking.element_trees import QUANTISATIONS
from helpers.commands import invoke
from helpers.graded_tables import judgments_of
from helpers.places import EXAMPLES

EXAMPLE = str(EXAMPLES / "graded/assessments")

# SIGIR 2004, table 1: grades, elements, and how many there are of them in a relevant article, as it is printed
TABLE_1 = {
    "(3, 3)": (1487, "0.88"), "(3, 2)": (723, "0.43"), "(3, 1)": (782, "0.46"), "(2, 3)": (2176, "1.28"), "(2, 2)": (1880, "1.11"),
    "(2, 1)": (1570, "0.92"), "(1, 3)": (5001, "2.95"), "(1, 2)": (3795, "2.24"), "(1, 1)": (8425, "4.97"),
    "(0, 0)": (49576, "29.23"),
}  # fmt: skip
RELEVANT, ARTICLES, PATHS = 25_839, 1_696, 14_189


def of_2003() -> RecallBase:
    return RecallBase(
        "INEX'03", {pair: number for pair, (number, _) in TABLE_1.items()}, {}, RELEVANT, ARTICLES, PATHS, 0
    )


# Table 1


def test_the_third_column_of_table_1_follows_from_its_counts():
    *rows, everything = of_2003().rows()
    expected = {pair: printed for pair, (_, printed) in TABLE_1.items()}
    # 1570 / 1696 is 0.9257: the paper prints 0.92, by which its column adds up to the 15.24 below
    expected["(2, 1)"] = "0.93"
    assert {pair: f"{each:.2f}" for pair, _, each, _ in rows} == expected
    assert [everything[0], everything[1], f"{everything[2]:.2f}"] == ["(> 0, > 0)", RELEVANT, "15.24"]


def test_the_counts_of_table_1_add_up():
    assert sum(number for pair, (number, _) in TABLE_1.items() if pair != "(0, 0)") == RELEVANT


def test_growth_and_the_propagated_share_are_those_of_section_2():
    base = of_2003()
    assert f"{base.growth:.0%}" == "182%"
    assert f"{base.propagated:.0%}" == "45%"


def test_the_share_of_strict_elements_is_that_of_section_3_2():
    assert f"{TABLE_1['(3, 3)'][0] / RELEVANT:.2%}" == "5.75%"
    # of over 8.2 million elements
    assert f"{TABLE_1['(3, 3)'][0] / 8_200_000:.3%}" == "0.018%"


def test_all_on_a_relevant_path_is_the_sum_of_its_grades():
    printed = {
        "(3, 3)": 0.45, "(3, 2)": 0.45, "(3, 1)": 0.37, "(2, 3)": 0.31, "(2, 2)": 0.46, "(2, 1)": 0.46, "(1, 3)": 0.44,
        "(1, 2)": 0.51, "(1, 1)": 1.22,
    }  # fmt: skip
    on_paths = {pair: round(each * PATHS) for pair, each in printed.items()}
    *rows, everything = RecallBase("", of_2003().counts, on_paths, RELEVANT, ARTICLES, PATHS, 0).rows()
    assert {pair: round(each, 2) for pair, *_, each in rows if pair != "(0, 0)"} == printed
    assert round(everything[3], 2) == 4.67


# A tree such as that of figure 1: seven relevant nodes, three relevant paths, a-b-f, a-c-g-m and a-c-i

NODES = ["/a", "/a/b", "/a/b/f", "/a/c", "/a/c/g", "/a/c/g/m", "/a/c/i", "/a/b/e", "/a/d", "/a/c/h"]
GRADES = [(3, 1), (2, 2), (2, 3), (3, 3), (2, 3), (1, 3), (3, 3), (0, 0), (0, 0), (0, 0)]
FIGURE_1 = {
    f"{node}[1]".replace("/", "[1]/").removeprefix("[1]"): (*pair, 10) for node, pair in zip(NODES, GRADES, strict=True)
}


def figure_1():
    return judgments_of({"t": {"d": FIGURE_1}}, "2003")


def test_the_tree_of_figure_1_has_three_relevant_paths():
    base = recall_base(figure_1(), quant="sog", rule="2004")
    assert (base.relevant, base.articles, base.paths) == (7, 1, 3)
    # a is on all three, c on two of them
    assert base.on_paths == {"(3, 1)": 3, "(2, 2)": 1, "(2, 3)": 2, "(3, 3)": 3, "(1, 3)": 1}
    assert base.counts == {"(3, 3)": 2, "(3, 1)": 1, "(2, 3)": 2, "(2, 2)": 1, "(1, 3)": 1, "(0, 0)": 3}


def test_the_ideal_elements_of_figure_1_are_f_and_c():
    # i is as good as c, and as the one below the better; but then it overlaps c, which has the shorter path
    run = ideal_run(figure_1(), quant="sog", rule="2004")
    assert sorted(run.path.texts()) == ["/a[1]/b[1]/f[1]", "/a[1]/c[1]"]


def test_of_equal_scores_the_rules_choose_differently():
    judged = judgments_of(
        {"t": {"d": {"/a[1]": (3, 3, 10), "/a[1]/b[1]": (3, 3, 10), "/a[1]/b[1]/c[1]": (0, 0, 5)}}}, "2003"
    )
    assert ideal_run(judged, rule="2005").path.texts() == ["/a[1]"]
    assert ideal_run(judged, rule="2004").path.texts() == ["/a[1]/b[1]"]


def test_a_path_goes_on_over_elements_that_were_not_assessed():
    judged = judgments_of({"t": {"d": {"/a[1]": (1, 0.5, 10), "/a[1]/b[1]/c[1]/d[1]": (1, 1.0, 5)}}})
    base = recall_base(judged)
    assert (base.relevant, base.paths, base.ideal) == (2, 1, 1)
    assert ideal_run(judged).path.texts() == ["/a[1]/b[1]/c[1]/d[1]"]


def test_paths_with_one_beginning_are_two_paths():
    # b[1] is not around b[11]
    judged = judgments_of(
        {"t": {"d": {"/a[1]/b[1]": (1, 1.0, 5), "/a[1]/b[11]": (1, 1.0, 5), "/a[1]/b[11]/c[1]": (1, 1.0, 5)}}}
    )
    assert (recall_base(judged).paths, recall_base(judged).ideal) == (2, 2)


def test_documents_of_two_topics_are_counted_twice():
    one = {"d": {"/a[1]": (2, 1.0, 5)}}
    base = recall_base(judgments_of({"1": one, "2": one}))
    assert (base.relevant, base.articles, base.paths, base.ideal) == (2, 2, 2, 2)


def test_what_is_too_small_is_relevant_where_it_is_lifted():
    judged = judgments_of(
        {"t": {"d": {"/a[1]": (1, 0.25, 20), "/a[1]/b[1]": (-1, 1.0, 5), "/a[1]/b[2]": (-1, 0.0, 5)}}}
    )
    assert recall_base(judged).relevant == 1
    base = recall_base(judged, quant="genLifted")
    assert (base.relevant, base.paths, base.ideal) == (2, 1, 1)
    assert list(base.counts.items()) == [("(1, 0.2)", 1), ("(?, 1)", 1), ("(?, 0)", 1)]


def test_specificities_are_counted_by_tenths_rounded_down():
    shares = [0.0, 0.05, 0.1, 0.19, 0.3, 0.7, 0.99, 1.0]
    judged = judgments_of({"t": {"d": {f"/a[{at}]": (1, share, 100) for at, share in enumerate(shares, 1)}}})
    expected = {"(1, 1)": 1, "(1, 0.9)": 1, "(1, 0.7)": 1, "(1, 0.3)": 1, "(1, 0.1)": 2, "(1, <0.1)": 1, "(1, 0)": 1}
    assert recall_base(judged).counts == expected


def test_a_quantisation_may_be_a_function():
    assert recall_base(figure_1(), quant=lambda e, s: float(e == 3)).relevant == 3


# What is printed

SMALL = {"t": {"d": {"/a[1]": (3, 1, 10), "/a[1]/b[1]": (3, 3, 4), "/a[1]/c[1]": (0, 0, 4)}}}
PRINTED = {
    "text": (
        "(e, s)       elements   per relevant article   per relevant path\n"
        "────────────────────────────────────────────────────────────────\n"
        "(3, 3)              1                   1.00                1.00\n"
        "(3, 1)              1                   1.00                1.00\n"
        "(0, 0)              1                   1.00                0.00\n"
        "(> 0, > 0)          2                   2.00                2.00\n"
        "\n"
        "recall-base                   assessments\n"
        "─────────────────────────────────────────\n"
        "topics                                  1\n"
        "files                                   1\n"
        "assessed elements                       3\n"
        "assessed articles                       1\n"
        "per topic, mean                      3.00\n"
        "per topic, lowest                       3\n"
        "per topic, highest                      3\n"
        "relevant elements                       2\n"
        "relevant articles                       1\n"
        "relevant paths                          1\n"
        "growth                               2.00\n"
        "propagated                           0.50\n"
        "ideal elements                          1\n"
        "(3, 3) that overlap another          0.00\n"
        "the same, mean over topics           0.00\n"
    ),
    "tsv": (
        "(e, s)\telements\tper relevant article\tper relevant path\n"
        "(3, 3)\t1\t1.0\t1.0\n(3, 1)\t1\t1.0\t1.0\n(0, 0)\t1\t1.0\t0.0\n(> 0, > 0)\t2\t2.0\t2.0\n"
        "\n"
        "recall-base\tassessments\ntopics\t1\nfiles\t1\nassessed elements\t3\nassessed articles\t1\n"
        "per topic, mean\t3.0\nper topic, lowest\t3\nper topic, highest\t3\nrelevant elements\t2\nrelevant articles\t1\nrelevant paths\t1\n"
        "growth\t2.0\npropagated\t0.5\nideal elements\t1\n"
        "(3, 3) that overlap another\t0.0\nthe same, mean over topics\t0.0\n"
    ),
}


@pytest.mark.parametrize("form", PRINTED)
def test_a_recall_base_is_printed(form):
    base = recall_base(judgments_of(SMALL, "2003"))
    assert base.show(form) == PRINTED[form]
    if form == "text":
        assert repr(base) == PRINTED[form]


def test_a_recall_base_is_json():
    found = json.loads(recall_base(judgments_of(SMALL, "2003")).show("json"))
    assert found["grades"][0] == {"(e, s)": "(3, 3)", "elements": 1, "per relevant article": 1.0, "per relevant path": 1.0}
    assert {name: value for name, value in found.items() if name != "grades"} == {
        "topics": 1, "files": 1, "assessed elements": 3, "assessed articles": 1,
        "per topic, mean": 3.0, "per topic, lowest": 3, "per topic, highest": 3,
        "relevant elements": 2, "relevant articles": 1, "relevant paths": 1, "growth": 2.0, "propagated": 0.5, "ideal elements": 1,
        "(3, 3) that overlap another": 0.0, "the same, mean over topics": 0.0,
    }  # fmt: skip


def test_files_and_the_sizes_of_pools_are_counted_by_topic():
    one, two = {"/a[1]": (1, 1, 9), "/a[1]/b[1]": (1, 2, 4)}, {"/a[1]/b[1]": (0, 0, 4)}
    base = recall_base(judgments_of({"1": {"d": one, "e": two}, "2": {"d": one}}, "2003"))
    # e has no assessment of the whole article; d is two files, as two topics judged it
    assert (base.files, base.whole, base.pools) == (3, 2, (3, 2))
    assert base.facts()["per topic, mean"] == 2.5


def test_elements_with_the_highest_grades_overlap_what_is_around_them_or_within():
    tree = {"/a[1]": (3, 3, 9), "/a[1]/b[1]": (2, 3, 8), "/a[1]/b[1]/c[1]": (3, 3, 4), "/a[1]/d[1]": (3, 2, 1)}
    alone = {"/a[1]": (3, 1, 9), "/a[1]/b[1]": (3, 3, 4), "/a[1]/d[1]": (3, 3, 4)}
    base = recall_base(judgments_of({"1": {"d": tree, "e": alone}, "2": {"e": alone}, "3": {"e": {"/a[1]": (1, 1, 1)}}}, "2003"))
    # topic 1: a and c overlap over b, two others do not; topic 2: two do not; topic 3 has none
    assert base.highest == ((4, 2), (2, 0), (0, 0))
    assert (base.overlapping, base.overlapping_a_topic) == (2 / 6, 0.25)
    none = recall_base(judgments_of({"1": {"d": {"/a[1]": (1, 1, 1)}}}, "2003"))
    assert (none.overlapping, none.overlapping_a_topic) == (None, None)
    assert "(3, 3) that overlap another\t\n" in none.show("tsv")


def test_nothing_relevant_is_no_division_by_zero():
    base = recall_base(judgments_of({"t": {"d": {"/a[1]": (0, 0, 10)}}}, "2003"))
    assert (base.growth, base.propagated) == (0, 0)
    assert base.rows() == [["(0, 0)", 1, 1.0, 0.0], ["(> 0, > 0)", 0, 0.0, 0.0]]


# The command


def command(*words: str):
    return invoke("recall-base", *words)


def test_the_command_prints_what_the_library_says():
    assert command(EXAMPLE, "--as", "text").stdout == recall_base(EXAMPLE).show("text")
    strict = command(EXAMPLE, "--quant", "strict", "--rule", "2004", "--pools", "12", "--as", "json").stdout
    assert strict == recall_base(EXAMPLE, quant="strict", rule="2004", pools=["12"]).show("json")
    # freezing, whose article and second paragraph are strict; one of them is ideal
    assert json.loads(strict)["relevant elements"] == 2 and json.loads(strict)["ideal elements"] == 1


@pytest.mark.parametrize("form", ["inex", "elements"])
def test_the_command_writes_an_ideal_run_that_scores_1(form, tmp_path):
    file = str(tmp_path / "ideal.run")
    done = command(EXAMPLE, "--ideal-run", file, "--to", form, "--as", "tsv")
    assert done.exit_code == 0 and done.stdout == recall_base(EXAMPLE).show("tsv")
    scores = assay.evaluate(EXAMPLE, file, task="CO.Focussed")
    assert scores.values.min() == scores.values.max() == 1
    assert len(assay.read_run(file)) == recall_base(EXAMPLE).ideal


MEASURES = [
    "nxCG({})@1",
    "nxCG({})@2",
    "nxCG({})@99",
    "MAnxCG({})@10",
    "Aep({})",
    "iAep({})",
    "Q({})",
    "Rmeasure({})",
    "gr({})",
]


@pytest.mark.parametrize("rule", ["2005", "2004"])
@pytest.mark.parametrize("overlap", ["on", "off"])
@pytest.mark.parametrize("quant", QUANTISATIONS["2005"])
def test_an_ideal_run_scores_1_by_every_measure(quant, overlap, rule):
    run = ideal_run(EXAMPLE, quant=quant, overlap=overlap, rule=rule)
    scores = assay.evaluate(
        EXAMPLE, run, [name.format(f"quant={quant}, overlap={overlap}, rule={rule}") for name in MEASURES]
    )
    assert scores.values.ravel().tolist() == pytest.approx([1] * scores.values.size, abs=1e-15)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere"], "nowhere: no such file\n"),
        (["x.qrels"], "x.qrels: these judgments have no assessed elements; expected INEX assessments of elements\n"),
        (["x.xml", "--quant", "sog"],
         "unknown quantisation 'sog' for assessments on the scale of 2005; choose from strict, gen, genLifted\n"),
        (["x.xml", "--quant", "strict", "--ideal-run", "ideal.xml"], "x.xml: no element is relevant in these judgments; expected at least one\n"),
        ([EXAMPLE, "--pools", "7"], f"{EXAMPLE}: none of the 2 files has pool 7\n"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_makes_no_recall_base_is_refused(words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("x.qrels").write_text("1 0 d 1\n", "utf-8")
    element = '<element path="/a[1]" exhaustivity="1" size="9" rsize="5"/>'
    Path("x.xml").write_text(f'<assessments topic="1"><file name="d">{element}</file></assessments>', "utf-8")
    done = command(*words)
    assert done.stderr == message and done.exit_code == (2 if message.startswith("unknown") else 1)
    assert not Path("ideal.xml").exists()


def test_a_rule_has_a_year():
    with pytest.raises(assay.UsageError) as caught:
        recall_base(EXAMPLE, rule="1999")
    assert str(caught.value) == "unknown rule '1999'; choose from 2005, 2004"
