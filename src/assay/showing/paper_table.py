"""The table of a paper in LaTeX: rules of booktabs, points under one another, and raised marks outside the numbers.

A column of numbers is two, to the point and from it on, so that bold digits and raised marks move nothing.
"""

from __future__ import annotations

import re
from collections import Counter

from assay.errors import UsageError
from assay.showing.layout import EXACT, LATEX, Cell, Cells, Rows, as_cell, fit_on_page, tabular

NEEDS = r"% needs \usepackage{booktabs} and \usepackage{amssymb}"
# What raised marks are in LaTeX's mathematics.
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
    """A table in LaTeX. Its first `labels` columns are names; in the others numbers have so many digits.

    The note stands below the table, in smaller letters. wide: over both columns of a page (`table*`), by default where
    it does not fit into one.
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
    """A label is for LaTeX, which must not take it for anything else."""
    if label and layout != "latex":
        raise UsageError(f"label works only with latex, not with {layout}")
    if label and not LABEL.fullmatch(label):
        raise UsageError(f"unusable label {label!r}; use letters, digits and :_.+/-, for example tab:results")


def refuse_caption(caption: str, layout: str) -> None:
    """A caption is for people: files of rows have no place for it."""
    if caption and layout in (*EXACT, "json"):
        raise UsageError(f"caption works only with text, md, latex and html, not with {layout}")


def with_caption(caption: str, about: str) -> str:
    """A caption as a sentence of its own before what a table is about."""
    ended = caption if re.search(r"[.:;!?]$", caption.strip()) else f"{caption.strip()}."
    return f"{ended.strip()} {about}" if caption.strip() else about


def in_words(text: str) -> str:
    """A caption or a note; marks and signs in it are those of mathematics."""
    return re.sub("[" + "".join(SYMBOLS) + "]", lambda mark: f"${SYMBOLS[mark[0]]}$", LATEX.escaped(text))


def is_parted(cells: Cells, number: int) -> bool:
    """Whether a column has numbers with a point, or raised marks."""
    return any(isinstance(row[number].value, float) or row[number].raised for row in cells)


def in_parts(cell: Cell) -> list[str]:
    """A number to the point, and from it on with what is raised."""
    whole, point, fraction = cell.text().partition(".")
    return [set_apart(in_mathematics(whole), cell.bold), set_apart(point + fraction, cell.bold) + superscript(cell)]


def in_one(cell: Cell) -> str:
    """A cell that is not parted."""
    return set_apart(LATEX.escaped(cell.text()), cell.bold) + superscript(cell)


def set_apart(text: str, bold: bool) -> str:
    """The text, in bold where it should be and there is any."""
    return text.join(LATEX.bold) if bold and text else text


def in_mathematics(whole: str) -> str:
    """What stands before the point; signs are those of mathematics."""
    return re.sub(r"^[-+<]", lambda sign: f"${sign[0]}$", whole)


def superscript(cell: Cell) -> str:
    """Raised letters or marks."""
    if not cell.raised:
        return ""
    marks = [SYMBOLS.get(mark) or LATEX.escaped(mark) for mark in cell.raised]
    return "".join(marks).join(LATEX.raised)


# Short headings for columns, where measures have long names, and the legend that tells their parameters.

# Names up to so many characters stand as they are.
LONGEST = 16
# A name, its parameters in brackets, and what stands behind them: nxCG(quant=gen)@10.
IN_FULL = re.compile(r"(\w+)\((.*)\)(.*)")


def short_names(names: list[str]) -> dict[str, str]:
    """A heading for each name: a long one without its parameters, but for the values in which it differs from others of
    the same heading.
    """
    parts = {name: IN_FULL.fullmatch(name) for name in names if len(name) > LONGEST}
    without = {name: part[1] + part[3] for name, part in parts.items() if part}
    short = {}
    for name, heading in without.items():
        # those of one kind, short ones too
        alike = [other for other in names if without.get(other, other) == heading]
        own = _parameters(name)
        shared = set(own).intersection(*(_parameters(other) for other in alike))
        differing = [each.partition("=")[2] for each in own if each not in shared]
        short[name] = " ".join([heading, *differing])
    headings = {name: short.get(name, name) for name in names}
    used = list(headings.values())
    return {name: name if used.count(heading) > 1 else heading for name, heading in headings.items()}


def shared_headings(names: list[str]) -> dict[str, str]:
    """A heading for each name: the parameters of a task, which several names share, are left to `legend_of`.

    If names differ in a parameter, its value stays.
    """
    own = {name: tuple(_parameters(name)) for name in names}
    groups = Counter(parameters for parameters in own.values() if parameters)
    is_wide = max(map(len, names), default=0) >= LONGEST
    if is_wide and groups.total() > 2 and min(groups.values()) > 1:
        for shared in (set.intersection(*map(set, groups)), set[str]()):
            headings = {name: _heading(name, shared) for name in names}
            # a bare number says nothing: nDCG@2 9
            are_words = not any(re.search(r" [\d.]+( |$)", heading) for heading in headings.values())
            if are_words and len(set(headings.values())) == len(names):
                return headings
    return dict(zip(names, names, strict=True))


def _heading(name: str, shared: set[str]) -> str:
    """A name without its parameters, but with the values of those that are not shared."""
    values = [each.partition("=")[2] for each in _parameters(name) if each not in shared]
    return " ".join([IN_FULL.sub(r"\1\3", name), *values])


def _parameters(name: str) -> list[str]:
    """The parameters of a name, as `quant=gen`; brackets within them are theirs."""
    part = IN_FULL.fullmatch(name)
    return re.split(r", (?![^(]*\))", part[2]) if part else []


def legend_of(headings: dict[str, str]) -> str:
    """The parameters of what has a short heading, each once; nothing where there is none."""
    by_parameters: dict[str, list[str]] = {}
    for name, heading in headings.items():
        if heading != name:
            by_parameters.setdefault(", ".join(_parameters(name)), []).append(heading)
    return "; ".join(f"{', '.join(short)}: {parameters}" for parameters, short in by_parameters.items())
