"""Cells and the layouts that write them: digits, bold and raised letters, in each layout in its own way."""

import pytest

from assay.errors import UsageError
from assay.showing.layout import NAMED, Cell, Probability, render

HEADER = ["run", "AP", "won"]
ROWS = [
    ["a|b", Cell(0.123456, 2, bold=True, raised="bc"), 3],
    ["x_y & <z>", Cell(0.1, 2), ""],
]
SHOWN = {
    "text": """\
run              AP   won
─────────────────────────
a|b         0.12 bc     3
x_y & <z>   0.10

how
""",
    "tsv": """\
run	AP	won
a|b	0.123456	3
x_y & <z>	0.1	\n""",
    "csv": """\
run,AP,won
a|b,0.123456,3
x_y & <z>,0.1,
""",
    "md": """\
| run | AP | won |
| --- | ---: | ---: |
| a\\|b | **0.12**<sup>bc</sup> | 3 |
| x_y & &lt;z> | 0.10 |  |

how
""",
    "latex": """\
% needs \\usepackage{booktabs}
\\begin{table}
\\centering
\\small
\\setlength{\\tabcolsep}{4pt}
\\caption{how}
\\smallskip
\\begin{tabular}{@{}lrr@{}}
\\toprule
run & AP & won \\\\
\\midrule
a\\textbar{}b & \\textbf{0.12}$^{bc}$ & 3 \\\\
x\\_y \\& \\textless{}z\\textgreater{} & 0.10 &  \\\\
\\bottomrule
\\end{tabular}
\\end{table}
""",
    "html": """\
<table>
<caption>how</caption>
<thead><tr><th>run</th><th>AP</th><th>won</th></tr></thead>
<tbody>
<tr><td>a|b</td><td style="text-align: right"><b>0.12</b><sup>bc</sup></td><td style="text-align: right">3</td></tr>
<tr><td>x_y &amp; &lt;z&gt;</td><td style="text-align: right">0.10</td><td style="text-align: right"></td></tr>
</tbody>
</table>
""",
}


@pytest.mark.parametrize("form", NAMED)
def test_each_layout_writes_bold_and_raised_text_in_its_own_way(form):
    assert render(form, HEADER, ROWS, 1, caption="how") == SHOWN[form]


@pytest.mark.parametrize("form", NAMED)
def test_a_character_of_no_script_is_only_a_character(form):
    name = "\ue000a\ue001"
    table = render(form, ["run", "AP"], [[name, Cell(1.0, bold=True)]], 1)
    assert (name if form != "text" else "\ufffda\ufffd") in table


def test_text_is_aligned_by_the_width_of_its_characters_and_has_none_that_move_the_cursor():
    table = render("text", ["run", "P"], [["日本", 0.5], ["e\u0301", 0.25], ["a\nb\t", 12]], 1, 1)
    assert table == "run      P\n──────────\n日本   0.5\ne\u0301      0.2\na�b�    12\n"


def test_a_value_has_the_digits_of_the_table_and_a_cell_its_own():
    rows = [["a", 0.123456, Cell(0.123456, 1), 7]]
    assert render("csv", list("rxyz"), rows, 1, 3) == "r,x,y,z\na,0.123456,0.123456,7\n"
    assert render("md", list("rxyz"), rows, 1, 3).splitlines()[-1] == "| a | 0.123 | 0.1 | 7 |"


def test_a_small_p_is_not_written_as_0():
    shown = [Probability(p, 4).text() for p in (0, 0.00004, 0.00005, 0.05, 1)]
    assert shown == ["0.0000", "<0.0001", "0.0001", "0.0500", "1.0000"]
    assert Probability(0.004, 2).text() == "<0.01"
    assert render("tsv", ["run", "p"], [["a", Probability(0.00004, 4)]], 1) == "run\tp\na\t4e-05\n"


def test_an_unknown_form_is_refused():
    with pytest.raises(UsageError) as refused:
        render("pdf", ["run"], [], 1)
    assert str(refused.value) == "unknown layout 'pdf'; choose from text, tsv, csv, md, latex, html, json"


HARD = ["a\nb", "a\r\n\n b", "a\tb", "a|b", "a\\|b", "a\u2028b", "a\x07b"]


def test_no_name_breaks_a_table_of_markdown():
    lines = render("md", ["run|s\n", "AP"], [[name, 0.5] for name in HARD], 1, caption="first\nsecond").splitlines()
    assert lines == [
        "| run\\|s  | AP |", "| --- | ---: |", "| a b | 0.5000 |", "| a    b | 0.5000 |", "| a b | 0.5000 |", "| a\\|b | 0.5000 |",
        "| a\\\\\\|b | 0.5000 |", "| a b | 0.5000 |", "| a?b | 0.5000 |", "", "first second",
    ]  # fmt: skip


def test_no_name_breaks_a_table_of_latex():
    lines = render("latex", ["run\n\n", "AP"], [[name, 0.5] for name in HARD], 1).splitlines()
    assert lines[4] == r"run   & AP \\"
    assert lines[6:-2] == [
        rf"{name} & 0.5000 \\" for name in ("a b", "a    b", "a b", r"a\textbar{}b", r"a\textbackslash{}\textbar{}b", "a b", "a?b")
    ]


def test_a_caption_of_latex_is_escaped_as_cells_are():
    special = r"50 % of a_b & {c} ~ ^ \ # $"
    lines = render("latex", ["run"], [[special]], 1, caption=special).splitlines()
    escaped = r"50 \% of a\_b \& \{c\} \textasciitilde{} \textasciicircum{} \textbackslash{} \# \$"
    assert lines[5] == rf"\caption{{{escaped}}}"
    assert lines[11] == rf"{escaped} \\"
