"""The table of a paper in LaTeX: points under one another, marks outside the numbers, and a file that compiles."""

import shutil
import subprocess

import numpy as np
import pytest

import assay
from assay.errors import UsageError
from assay.measures.notation import measures_of
from assay.scores import Scores
from assay.showing.layout import (
    Cell,
    Probability,
    Signed,
    legend_of,
    paper_table,
    refuse_label,
    render,
    shared_headings,
    short_names,
)
from helpers.commands import invoke
from helpers.measures import OURS
from helpers.places import EXAMPLES

ROWS = [
    ["bm25", Cell(0.5, 3), "", "", ""],
    ["100% x_y", Cell(12.25, 3, bold=True, raised="▲"), Signed(-3.14, 1), "3/1", Probability(0.00001, 4)],
    ["é & ~^\\", Cell(0.25, 3, raised="†‡△▽▼"), Signed(0.01, 1), "0/4", Probability(1.0, 4)],
]
HEADER = ["run", "P(rel=2)@5 #", "%", "W/L", "p"]
SHOWN = r"""% needs \usepackage{booktabs} and \usepackage{amssymb}
\begin{table}
\centering
\small
\setlength{\tabcolsep}{4pt}
\caption{50\% \& more}
\label{tab:one_1}
\smallskip
\begin{tabular}{@{}lr@{}lr@{}lrr@{}l@{}}
\toprule
run & \multicolumn{2}{c}{P(rel=2)@5 \#} & \multicolumn{2}{c}{\%} & W/L & \multicolumn{2}{c}{p} \\
\midrule
bm25 & 0 & .500 &  &  &  &  &  \\
100\% x\_y & \textbf{12} & \textbf{.250}$^{\blacktriangle}$ & $-$3 & .1 & 3/1 & $<$0 & .0001 \\
é \& \textasciitilde{}\textasciicircum{}\textbackslash{} & 0 & .250$^{\dagger\ddagger\vartriangle\triangledown\blacktriangledown}$ & 0 & .0 & 0/4 & 1 & .0000 \\
\bottomrule
\end{tabular}
\par\smallskip
{\footnotesize $\blacktriangle$ p $\leq$ 0.01\par}
\end{table}
"""


def test_a_number_is_parted_at_its_point_and_marks_stand_behind_it():
    assert paper_table(HEADER, ROWS, 1, 4, "50% & more", "tab:one_1", "▲ p ≤ 0.01") == SHOWN


def compile_page(folder, table, kind=r"\documentclass{article}"):
    """Has TeX make a page of a table, in which no box may be too full."""
    if not shutil.which("pdflatex"):
        pytest.skip("pdflatex is not installed, so that no table is compiled")
    page = "\n".join([kind, r"\usepackage{booktabs}", r"\usepackage{amssymb}", r"\begin{document}", table])
    (folder / "page.tex").write_text(page + "\\end{document}\n", "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    assert (folder / "page.pdf").stat().st_size > 0
    assert "Overfull" not in done.stdout, done.stdout


def test_latex_takes_the_table(tmp_path):
    compile_page(tmp_path, SHOWN)


# Ten runs by four measures, each run better than the next.
TOPICS = [str(number) for number in range(30)]
MEASURES = ["AP", "nDCG@10", "P@10", "R@100"]
VALUES = np.random.default_rng(1).uniform(0, 0.05, (10, 4, 30)) + np.linspace(0.9, 0.1, 10)[:, None, None]
RUNS = ["bm25", "bm25-rm3", "dense", "dense-large", "hybrid", "splade", "colbert", "mono-t5", "duo-t5", "random"]
TWO_COLUMNS = [r"\documentclass[twocolumn]{article}", r"\documentclass[twocolumn,10pt,a4paper]{article}"]


def scores(runs=RUNS):
    return Scores(runs, measures_of(MEASURES), TOPICS, VALUES[: len(runs)])


@pytest.mark.parametrize("kind", TWO_COLUMNS)
def test_ten_runs_by_four_measures_fit_into_one_of_two_columns(tmp_path, kind):
    shown = assay.baseline_table(scores(), baseline="bm25", test="t").show("latex")
    assert r"\begin{table}" in shown
    assert r"$^{\blacktriangledown}$" in shown
    compile_page(tmp_path, shown, kind)


def test_what_is_wider_than_a_column_is_over_both(tmp_path):
    letters = assay.significance_table(scores(), test="t").show("latex")
    assert r"\begin{table*}" in letters
    compile_page(tmp_path, letters, TWO_COLUMNS[0])
    beside = assay.baseline_table(scores(), baseline="bm25", test="t")
    shown = beside.show("latex", columns=["value", "mark", "p"])
    assert r"\begin{table*}" in shown
    compile_page(tmp_path, shown, TWO_COLUMNS[0])
    assert r"\begin{table}" in beside.show("latex", columns=["value", "mark", "p"], wide=False)
    assert r"\begin{table*}" in beside.show("latex", wide=True)


@pytest.mark.parametrize("layout", ["text", "latex"])
def test_columns_are_those_that_were_chosen_and_the_caption_tells_of_no_other(layout):
    table = assay.baseline_table(scores(["bm25", "dense"]), baseline="bm25", test="t")
    plain = table.show(layout, columns=["value", "mark"])
    assert "%" not in plain.replace("% needs", "")
    assert "W/L" not in plain
    assert "p ≤ 0.01 for the difference from bm25" in plain.replace(r"$\leq$", "≤")
    assert "percent" in table.show(layout, columns=["value", "percent"])
    assert "≤" not in table.show(layout, columns=["value", "percent"]).replace(r"$\leq$", "≤")
    rows = table.show("tsv", columns=["value", "wins"]).splitlines()[0].split("\t")
    assert rows[:4] == ["run", "AP", "AP wins", "AP losses"]


def test_a_caption_that_assay_writes_can_stand():
    shown = assay.baseline_table(scores(["bm25", "dense"]), baseline="bm25", test="t").show("latex")
    assert r"\caption{AP, nDCG@10, P@10 and R@100 of 2 runs over 30 topics. " in shown
    letters = assay.significance_table(scores(["bm25", "dense"]), test="t").show("latex")
    assert r"\caption{AP, nDCG@10, P@10 and R@100 of 2 runs over 30 topics. A letter marks" in letters


@pytest.mark.parametrize(
    ("columns", "what"),
    [
        (["value", "q"], "unknown column 'q'; choose from value, mark, percent, wins, p"),
        (["p"], "the columns lack value, which the other columns belong to; add value"),
    ],
)
def test_columns_that_mean_nothing_are_refused(columns, what):
    with pytest.raises(UsageError) as refused:
        assay.baseline_table(scores(), baseline="bm25", test="t").show("latex", columns=columns)
    assert str(refused.value) == what


def test_the_command_takes_columns_and_a_width(tmp_path):
    words = ["compare", EXAMPLES / "judgments.qrels", EXAMPLES / "bm25.run", EXAMPLES / "dense.run", "-m", "AP"]
    shown = invoke(*words, "--baseline", "bm25", "--as", "latex", "--columns", "value,p", "--wide", "--quiet").stdout
    assert r"\begin{table*}" in shown
    assert r"run & \multicolumn{2}{c}{AP} & \multicolumn{2}{c}{p} \\" in shown
    refused = invoke(*words, "--columns", "value", "--quiet")
    told = "--columns requires --show baseline, not pairs\n"
    assert (refused.exit_code, refused.stderr) == (2, told)


def test_every_table_in_latex_has_the_rules_of_booktabs(tmp_path):
    shown = scores().show("latex")
    assert [rule for rule in ("toprule", "midrule", "bottomrule", "hline") if rule in shown] == [
        "toprule",
        "midrule",
        "bottomrule",
    ]
    for kind in (r"\documentclass{article}", *TWO_COLUMNS):
        compile_page(tmp_path, shown, kind)


def test_a_table_that_is_too_wide_gets_smaller_letters(tmp_path):
    beside = assay.baseline_table(scores([f"{run}-of-a-lab" for run in RUNS]), baseline="bm25-of-a-lab", test="t")
    narrow = beside.show("latex", wide=False)
    assert r"\begin{table}" in narrow and r"\small" + "\n" not in narrow
    compile_page(tmp_path, narrow, TWO_COLUMNS[0])
    wide = beside.show("latex", columns=["value", "mark", "percent", "p"])
    assert r"\begin{table*}" in wide and r"\small" + "\n" not in wide
    compile_page(tmp_path, wide, TWO_COLUMNS[0])


def test_latex_takes_every_sign_that_assay_writes(tmp_path):
    formulas = [str(cls.__doc__).split("\n\n")[1] for cls in OURS if "\n\n" in str(cls.__doc__)]
    rows = [[text] for text in sorted({sign for text in formulas for sign in text if ord(sign) > 127})]
    assert {"Σ", "−", "≥"} <= {sign for (sign,) in rows}
    compile_page(tmp_path, render("latex", ["sign"], rows, 1))
    told = assay.why({"1": {"a": 1}}, {"1": {"a": 1.0}}, ["AP", "nDCG(dcg=exp)", "RBP", "bpref", "YAAP", "Compatibility"])
    compile_page(tmp_path, told.show("latex"), r"\documentclass{article}\textwidth=450pt")


@pytest.mark.parametrize(
    ("label", "layout", "what"),
    [
        ("tab:x", "md", "label works only with latex, not with md"),
        ("tab}x", "latex", "unusable label 'tab}x'; use letters, digits and :_.+/-, for example tab:results"),
    ],
)
def test_a_label_that_means_nothing_is_refused(label, layout, what):
    with pytest.raises(UsageError) as refused:
        refuse_label(label, layout)
    assert str(refused.value) == what


def test_the_names_of_tasks_are_short_where_they_are_long():
    names = ["gP(score=F(beta=0.25))@5", "gP(score=F(beta=0.25))@10", "AgP(score=F(beta=0.25))", "P(rel=2)@5"]
    headings = short_names(names)
    assert list(headings.values()) == ["gP@5", "gP@10", "AgP", "P(rel=2)@5"]
    assert legend_of(headings) == "gP@5, gP@10, AgP: score=F(beta=0.25)"
    assert legend_of(short_names(["AP"])) == ""


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["gP(score=T2I)@5", "gP(score=T2I)@50", "AgP(score=T2I)"], ["gP@5", "gP@50", "AgP"]),
        (
            ["gP(score=BEP)@5", "AgP(score=BEP)", "gP(score=Window)@5", "AgP(score=Window)"],
            ["gP@5 BEP", "AgP BEP", "gP@5 Window", "AgP Window"],
        ),
        (
            ["Aep(quant=strict)", "iAep(quant=strict)", "Q(quant=strict)", "Aep", "iAep", "Q"],
            ["Aep strict", "iAep strict", "Q strict", "Aep", "iAep", "Q"],
        ),
        (["P(rel=2)@5", "P(rel=2)@10", "AP"], ["P(rel=2)@5", "P(rel=2)@10", "AP"]),
        (["gP(score=Window)@5", "P(rel=2)@5", "AP"], ["gP(score=Window)@5", "P(rel=2)@5", "AP"]),
        (
            ["nDCG(dcg=jk, b=9)@2", "nDCG(dcg=jk, b=9)@3", "nDCG(dcg=jk)@6", "DCG(dcg=jk)@6"],
            ["nDCG(dcg=jk, b=9)@2", "nDCG(dcg=jk, b=9)@3", "nDCG(dcg=jk)@6", "DCG(dcg=jk)@6"],
        ),
    ],
    ids=["one score", "two scores", "some have none", "short names", "no task", "numbers"],
)
def test_the_columns_of_a_task_have_short_names(names, expected):
    assert list(shared_headings(names).values()) == expected


def test_short_names_differ_by_what_the_long_ones_differ_by():
    assert list(
        short_names(["Aep(overlap=on, quant=gen)", "Aep(overlap=on, quant=strict)", "Aep", "nxCG(quant=strict)@10"]).values()
    ) == ["Aep on gen", "Aep on strict", "Aep", "nxCG@10"]
    same = ["AAAA(x=1111111111111)", "AAAA(y=1111111111111)"]
    assert list(short_names(same).values()) == same
