"""Lay out tables: aligned text, Markdown, LaTeX and HTML with a few digits, TSV and CSV with all digits.

Each layout has its own way to write bold and superscript text and captions. Values can be plain Python values; only one
that is bold, has a superscript or has its own number of digits must be a Cell.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from assay.errors import UsageError


class Cell(NamedTuple):
    """A name, a count or a number. It may be bold, as the best of its column, and have a superscript.

    `digits` is the number of decimals. TSV and CSV contain `value` itself, in full precision.
    """

    value: Any
    digits: int = 4
    bold: bool = False
    raised: str = ""

    def text(self) -> str:
        """Return the value as people read it: a number with `digits` decimals, a count or a name unchanged."""
        return str(self.value) if isinstance(self.value, int | str) else f"{self.value:.{self.digits}f}"


class Probability(Cell):
    """A p-value."""

    def text(self) -> str:
        """Return the p-value with its decimals, but `<0.0001` if it is not 0 and would round to 0."""
        smallest: float = 10**-self.digits
        return f"<{smallest:.{self.digits}f}" if 0 < self.value < smallest / 2 else f"{self.value:.{self.digits}f}"


class Signed(Cell):
    """A difference, whose sign is always shown."""

    def text(self) -> str:
        """Return the difference with its sign; one that rounds to 0 has no sign."""
        text = f"{self.value:+.{self.digits}f}"
        return text if text.strip("+-0.") else text[1:]


Rows = Sequence[Sequence[Any]]
Cells = list[list[Cell]]
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


def render(layout: str, header: list[str], rows: Rows, labels: int, digits: int = 4, caption: str = "") -> str:
    """Return a table in one of the layouts of NAMED.

    The first `labels` columns are names; numbers in the others have `digits` decimals. The caption says what the table
    shows. TSV and CSV have no caption.
    """
    if layout not in NAMED:
        raise UsageError(f"unknown layout {layout!r}; choose from {', '.join([*NAMED, 'json'])}")
    if layout in EXACT:
        return _separated(header, rows, EXACT[layout])
    cells = [[as_cell(value, digits, number < labels) for number, value in enumerate(row)] for row in rows]
    return LAYOUTS[layout](header, cells, labels, caption)


def as_cell(value: object, digits: int, label: bool) -> Cell:
    """Return a value as a cell; a label is written unchanged, even if it is a number."""
    if isinstance(value, Cell):
        return value
    return Cell(str(value) if label else value, digits)


def _separated(header: list[str], rows: Rows, separator: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([value.value if isinstance(value, Cell) else value for value in row] for row in rows)
    return out.getvalue()


def _text(header: list[str], rows: Cells, labels: int, caption: str) -> str:
    from rich.cells import cell_len

    columns = [[without_controls(name) for name in header]]
    raised = [max((len(row[number].raised) for row in rows), default=0) for number in range(len(header))]
    columns += [[_beside(cell, width) for cell, width in zip(row, raised, strict=True)] for row in rows]
    widths = [max(cell_len(row[number]) for row in columns) for number in range(len(header))]
    lines = []
    for row in columns:
        blanks = [" " * (width - cell_len(text)) for text, width in zip(row, widths, strict=True)]
        aligned = [
            text + blank if number < labels else blank + text
            for number, (text, blank) in enumerate(zip(row, blanks, strict=True))
        ]
        lines.append((" " * GAP).join(aligned).rstrip())
    lines.insert(1, "─" * (sum(widths) + GAP * (len(widths) - 1)))
    return "".join(line + "\n" for line in lines) + (f"\n{caption}\n" if caption else "")


def _beside(cell: Cell, width: int) -> str:
    """Return a cell's text, then a space and its superscript; `width` is the longest superscript of the column."""
    return without_controls(cell.text()) + (f" {cell.raised:<{width}}" if width else "")


def without_controls(text: str) -> str:
    """Return the text with a replacement for each character that could break a line or move the cursor."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def on_one_line(text: str) -> str:
    """Return the text with a space for each tab and line break, and ? for each other control character."""
    visible = "".join(c if c.isprintable() or not c.isspace() else " " for c in text)
    return CONTROL.sub("?", visible)


# Characters that Markdown reads as markup, including _ at the edge of a word, and < and & before what could be a tag or
# an entity.
MARKDOWN_SIGNS = re.compile(r"[\\`*\[\]|~]|(?<![^\W_])_|_(?![^\W_])|<(?![\d\s=])|&(?=[#\w])")
ENTITIES = {"<": "&lt;", "&": "&amp;"}


def markdown_escaped(text: str) -> str:
    """Return text that Markdown shows literally, also within a table cell."""
    return MARKDOWN_SIGNS.sub(lambda sign: ENTITIES.get(sign[0]) or f"\\{sign[0]}", on_one_line(text))


def latex_escaped(text: str) -> str:
    """Return text that LaTeX prints literally."""
    return on_one_line(text).translate(TEX_ESCAPES)


def html_escaped(text: str) -> str:
    """Return text that HTML shows literally."""
    from html import escape

    return escape(text)


class Markup(NamedTuple):
    """How a markup language escapes literal text, and what it writes around bold and superscript text."""

    escaped: Callable[[str], str]
    bold: tuple[str, str]
    raised: tuple[str, str]

    def of(self, cell: Cell) -> str:
        """Return a cell with its markup."""
        text = self.escaped(cell.text())
        if cell.bold:
            text = text.join(self.bold)
        return text + (self.escaped(cell.raised).join(self.raised) if cell.raised else "")


NEEDS_BOOKTABS = r"% needs \usepackage{booktabs}"
# Characters that LaTeX has only in math mode.
TEX_MATHEMATICS = {
    "−": "-", "≤": r"\leq", "≥": r"\geq", "≠": r"\neq", "∞": r"\infty", "→": r"\rightarrow", "√": r"\surd",
    "∩": r"\cap", "∪": r"\cup", "∈": r"\in", "∝": r"\propto", "∫": r"\int",
    "⌊": r"\lfloor", "⌋": r"\rfloor", "⌈": r"\lceil", "⌉": r"\rceil",
    "Δ": r"\Delta", "Π": r"\Pi", "Σ": r"\Sigma", "Φ": r"\Phi", "α": r"\alpha", "β": r"\beta", "δ": r"\delta",
    "ε": r"\varepsilon", "θ": r"\theta", "λ": r"\lambda", "π": r"\pi", "ρ": r"\rho", "τ": r"\tau",
}  # fmt: skip
TEX_ESCAPES = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
    | {sign: f"${command}$" for sign, command in TEX_MATHEMATICS.items()}
)
# Font sizes for tables, each with the space beside a column and the average width of a letter, in points.
TEX_SIZES = [(r"\small", 4, 4.7), (r"\footnotesize", 3, 4.2), (r"\scriptsize", 2, 3.7)]
# The width of one column of a two-column page, and that of the page, in points.
TEX_COLUMN, TEX_PAGE = 225, 450
MARKDOWN = Markup(markdown_escaped, ("**", "**"), ("<sup>", "</sup>"))
LATEX = Markup(latex_escaped, (r"\textbf{", "}"), ("$^{", "}$"))
HTML = Markup(html_escaped, ("<b>", "</b>"), ("<sup>", "</sup>"))


def escape_text(layout: str, text: str) -> str:
    """Return text that is outside a table, escaped for a layout."""
    return {"md": markdown_escaped, "latex": latex_escaped, "html": html_escaped}.get(layout, on_one_line)(text)


def _markdown(header: list[str], rows: Cells, labels: int, caption: str) -> str:
    rule = ["---"] * labels + ["---:"] * (len(header) - labels)
    lines = [[MARKDOWN.escaped(name) for name in header], rule, *([MARKDOWN.of(cell) for cell in row] for row in rows)]
    below = f"\n{MARKDOWN.escaped(caption)}\n" if caption else ""
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + below


def _latex(header: list[str], rows: Cells, labels: int, caption: str) -> str:
    lines = [[LATEX.escaped(name) for name in header], *([LATEX.of(cell) for cell in row] for row in rows)]
    table = tabular("l" * labels + "r" * (len(header) - labels), lines)
    place, size = fit_on_page(header, rows)
    if not caption:
        return "\n".join([NEEDS_BOOKTABS, rf"{{\noindent{''.join(size)}%", *table]) + "}\n"
    about = rf"\caption{{{LATEX.escaped(caption)}}}", r"\smallskip"
    lines_above = rf"\begin{{{place}}}", r"\centering", *size, *about
    return "\n".join([NEEDS_BOOKTABS, *lines_above, *table, rf"\end{{{place}}}"]) + "\n"


def tabular(columns: str, lines: list[list[str]]) -> list[str]:
    """Return the lines of a LaTeX table with booktabs rules; the first line is the header."""
    head, *body = [" & ".join(line) + r" \\" for line in lines]
    rules = r"\toprule", head, r"\midrule", *body, r"\bottomrule"
    return [rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}", *rules, r"\end{tabular}"]


def fit_on_page(header: list[str], rows: Cells, wide: bool | None = None) -> tuple[str, list[str]]:
    """Return the LaTeX environment of a table, and the commands for font size and column space with which it fits.

    wide: use both columns of a page (`table*`); by default only if it does not fit into one.
    """
    letters = sum(
        max([len(name), *(len(row[number].text()) + len(row[number].raised) for row in rows)])
        for number, name in enumerate(header)
    )
    widths = [letters * letter + (len(header) - 1) * 2 * space for _, space, letter in TEX_SIZES]
    wide = widths[0] > TEX_COLUMN if wide is None else wide
    room = TEX_PAGE if wide else TEX_COLUMN
    fits = next((number for number, width in enumerate(widths) if width <= room), -1)
    size, space, _ = TEX_SIZES[fits]
    return "table*" if wide else "table", [size, rf"\setlength{{\tabcolsep}}{{{space}pt}}"]


def _html(header: list[str], rows: Cells, labels: int, caption: str) -> str:
    above = f"<caption>{html_escaped(caption)}</caption>\n" if caption else ""
    head = "".join(f"<th>{html_escaped(name)}</th>" for name in header)
    starts = ["<td>"] * labels + ['<td style="text-align: right">'] * (len(header) - labels)
    lines = ["".join(f"{start}{HTML.of(cell)}</td>" for start, cell in zip(starts, row, strict=True)) for row in rows]
    body = "".join(f"<tr>{line}</tr>\n" for line in lines)
    return f"<table>\n{above}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"


def html_with_notes(table: str, notes: Iterable[str]) -> str:
    """Return a table in HTML with its notes below it, for a notebook."""
    return table + "".join(f"<p><small>{html_escaped(note)}</small></p>" for note in notes)


# Spaces between the columns of aligned text.
GAP = 3
# File layouts and their separators: they contain all digits, and nothing but rows.
EXACT = {"tsv": "\t", "csv": ","}
LAYOUTS: dict[str, Callable[[list[str], Cells, int, str], str]] = {
    "text": _text,
    "md": _markdown,
    "latex": _latex,
    "html": _html,
}
NAMED = ["text", "tsv", "csv", "md", "latex", "html"]


# Tables for papers in LaTeX: booktabs rules, aligned decimal points, and superscripts outside the numbers.
#
# A column of numbers becomes two LaTeX columns, before the point and from the point on, so that bold digits and
# superscripts do not shift the numbers.

NEEDS = r"% needs \usepackage{booktabs} and \usepackage{amssymb}"
# Superscript marks in LaTeX's math mode.
SYMBOLS = {
    "▲": r"\blacktriangle", "▼": r"\blacktriangledown", "△": r"\vartriangle", "▽": r"\triangledown",
    "†": r"\dagger", "‡": r"\ddagger",
}  # fmt: skip
LABEL = re.compile(r"[\w:.+/-]+", re.ASCII)


def paper_table(
    header: list[str],
    rows: Rows,
    labels: int,
    digits: int,
    caption: str,
    label: str = "",
    note: str = "",
    wide: bool | None = None,
) -> str:
    """Return a LaTeX table.

    The first `labels` columns are names; numbers in the others have `digits` decimals. The note is below the table, in
    smaller letters. wide: use both columns of a page (`table*`); by default only if it does not fit into one.
    """
    cells = [[as_cell(value, digits, number < labels) for number, value in enumerate(row)] for row in rows]
    place, size = fit_on_page(header, cells, wide)
    parted = [is_parted(cells, number) for number in range(len(header))]
    head = [
        rf"\multicolumn{{2}}{{c}}{{{LATEX.escaped(name)}}}" if parted[number] else LATEX.escaped(name)
        for number, name in enumerate(header)
    ]
    body = [
        [part for number, cell in enumerate(row) for part in (in_parts(cell) if parted[number] else [in_one(cell)])]
        for row in cells
    ]
    columns = "".join("r@{}l" if parted[number] else "l" if number < labels else "r" for number in range(len(header)))
    about = [rf"\caption{{{in_words(caption)}}}", *([rf"\label{{{label}}}"] if label else []), r"\smallskip"]
    below = [r"\par\smallskip", rf"{{\footnotesize {in_words(note)}\par}}"] if note else []
    table = tabular(columns, [head, *body])
    lines = [NEEDS, rf"\begin{{{place}}}", r"\centering", *size, *about, *table, *below, rf"\end{{{place}}}"]
    return "\n".join(lines) + "\n"


def refuse_label(label: str, layout: str) -> None:
    """Refuse a label for a layout other than LaTeX, or with characters that LaTeX would not accept."""
    if label and layout != "latex":
        raise UsageError(f"label works only with latex, not with {layout}")
    if label and not LABEL.fullmatch(label):
        raise UsageError(f"unusable label {label!r}; use letters, digits and :_.+/-, for example tab:results")


def refuse_caption(caption: str, layout: str) -> None:
    """Refuse a caption for TSV, CSV and JSON, which have no place for it."""
    if caption and layout in (*EXACT, "json"):
        raise UsageError(f"caption works only with text, md, latex and html, not with {layout}")


def with_caption(caption: str, about: str) -> str:
    """Return a caption as a sentence of its own before what a table is about."""
    ended = caption if re.search(r"[.:;!?]$", caption.strip()) else f"{caption.strip()}."
    return f"{ended.strip()} {about}" if caption.strip() else about


def in_words(text: str) -> str:
    """Return a caption or a note for LaTeX, with marks in math mode."""
    return re.sub("[" + "".join(SYMBOLS) + "]", lambda mark: f"${SYMBOLS[mark[0]]}$", LATEX.escaped(text))


def is_parted(cells: Cells, number: int) -> bool:
    """Return whether a column has numbers with a decimal point, or superscripts."""
    return any(isinstance(row[number].value, float) or row[number].raised for row in cells)


def in_parts(cell: Cell) -> list[str]:
    """Return a number in two parts: up to the point, and from the point on with its superscript."""
    whole, point, fraction = cell.text().partition(".")
    return [set_apart(in_mathematics(whole), cell.bold), set_apart(point + fraction, cell.bold) + superscript(cell)]


def in_one(cell: Cell) -> str:
    """Return a cell that is not split."""
    return set_apart(LATEX.escaped(cell.text()), cell.bold) + superscript(cell)


def set_apart(text: str, bold: bool) -> str:
    """Return the text in bold, if it should be and is not empty."""
    return text.join(LATEX.bold) if bold and text else text


def in_mathematics(whole: str) -> str:
    """Return the digits before the point, with their sign in math mode."""
    return re.sub(r"^[-+<]", lambda sign: f"${sign[0]}$", whole)


def superscript(cell: Cell) -> str:
    """Return the superscript of a cell."""
    if not cell.raised:
        return ""
    marks = [SYMBOLS.get(mark) or LATEX.escaped(mark) for mark in cell.raised]
    return "".join(marks).join(LATEX.raised)


# Short column headings for measures with long names, and a legend with their parameters.

# Names of up to this many characters stay as they are.
LONGEST = 16
# A name, its parameters in brackets, and the rest: nxCG(quant=gen)@10.
IN_FULL = re.compile(r"(\w+)\((.*)\)(.*)")


def short_names(names: list[str]) -> dict[str, str]:
    """Return a heading for each name; a long name loses its parameters, except values that tell it from others."""
    parts = {name: IN_FULL.fullmatch(name) for name in names if len(name) > LONGEST}
    without = {name: part[1] + part[3] for name, part in parts.items() if part}
    short = {}
    for name, heading in without.items():
        # names with the same heading, including short ones
        alike = [other for other in names if without.get(other, other) == heading]
        own = _parameters(name)
        shared = set(own).intersection(*(_parameters(other) for other in alike))
        differing = [each.partition("=")[2] for each in own if each not in shared]
        short[name] = " ".join([heading, *differing])
    headings = {name: short.get(name, name) for name in names}
    used = list(headings.values())
    return {name: name if used.count(heading) > 1 else heading for name, heading in headings.items()}


def shared_headings(names: list[str]) -> dict[str, str]:
    """Return a heading for each name, without the parameters that `legend_of` explains.

    If names differ in a parameter, its value stays in the heading.
    """
    own = {name: tuple(_parameters(name)) for name in names}
    groups = Counter(parameters for parameters in own.values() if parameters)
    is_wide = max(map(len, names), default=0) >= LONGEST
    if is_wide and groups.total() > 2 and min(groups.values()) > 1:
        for shared in (set.intersection(*map(set, groups)), set[str]()):
            headings = {name: _heading(name, shared) for name in names}
            # a bare number in a heading says nothing: nDCG@2 9
            are_words = not any(re.search(r" [\d.]+( |$)", heading) for heading in headings.values())
            if are_words and len(set(headings.values())) == len(names):
                return headings
    return dict(zip(names, names, strict=True))


def _heading(name: str, shared: set[str]) -> str:
    """Return a name without its parameters, but with the values of those that are not shared."""
    values = [each.partition("=")[2] for each in _parameters(name) if each not in shared]
    return " ".join([IN_FULL.sub(r"\1\3", name), *values])


def _parameters(name: str) -> list[str]:
    """Return the parameters of a name, for example `quant=gen`; a parameter may contain brackets."""
    part = IN_FULL.fullmatch(name)
    return re.split(r", (?![^(]*\))", part[2]) if part else []


def legend_of(headings: dict[str, str]) -> str:
    """Return the parameters of the names with short headings, each set once; empty if there are none."""
    by_parameters: dict[str, list[str]] = {}
    for name, heading in headings.items():
        if heading != name:
            by_parameters.setdefault(", ".join(_parameters(name)), []).append(heading)
    return "; ".join(f"{', '.join(short)}: {parameters}" for parameters, short in by_parameters.items())
