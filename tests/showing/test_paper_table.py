"""The table of a paper in LaTeX: points under one another, marks outside the numbers, and a file that compiles."""

import shutil
import subprocess

import pytest

from assay.errors import UsageError
from assay.showing.layout import Cell, Probability, Signed
from assay.showing.paper_table import legend_of, paper_table, refuse_label, short_names

ROWS = [
    ["bm25", Cell(0.5, 3), "", "", ""],
    ["100% x_y", Cell(12.25, 3, bold=True, raised="▲"), Signed(-3.14, 1), "3/1", Probability(0.00001, 4)],
    ["é & ~^\\", Cell(0.25, 3, raised="†‡△▽▼"), Signed(0.01, 1), "0/4", Probability(1.0, 4)],
]
HEADER = ["run", "P(rel=2)@5 #", "%", "W/L", "p"]
SHOWN = r"""% needs \usepackage{booktabs} and \usepackage{amssymb}
\begin{table}
\centering
\setlength{\tabcolsep}{4pt}
\caption{50\% \& more}
\label{tab:one_1}
\begin{tabular}{lr@{}lr@{}lrr@{}l}
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


def test_latex_takes_the_table(tmp_path):
    if not shutil.which("pdflatex"):
        pytest.skip("pdflatex is not installed, so that no table is compiled")
    page = "\n".join(
        [r"\documentclass{article}", r"\usepackage{booktabs}", r"\usepackage{amssymb}", r"\begin{document}", SHOWN]
    )
    (tmp_path / "page.tex").write_text(page + "\\end{document}\n", "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "page.pdf").stat().st_size > 0
    assert "Overfull" not in done.stdout


@pytest.mark.parametrize(
    ("label", "layout", "what"),
    [
        ("tab:x", "md", "a label is for latex, and not for md"),
        ("tab}x", "latex", "label 'tab}x' is wrong; expected letters, digits and :_.+/- as in tab:results"),
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


def test_short_names_differ_by_what_the_long_ones_differ_by():
    assert list(
        short_names(["Aep(overlap=on, quant=gen)", "Aep(overlap=on, quant=strict)", "Aep", "nxCG(quant=strict)@10"]).values()
    ) == ["Aep on gen", "Aep on strict", "Aep", "nxCG@10"]
    same = ["AAAA(x=1111111111111)", "AAAA(y=1111111111111)"]
    assert list(short_names(same).values()) == same
