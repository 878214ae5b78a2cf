"""Tables as people read and paste them: aligned text, Markdown, LaTeX and HTML to a few digits, TSV and CSV in full precision."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from html import escape
from typing import Any

from assay.errors import UsageError

Rows = list[list[Any]]


def render(form: str, header: list[str], rows: Rows, labels: int, digits: int = 4) -> str:
    """A table in one of FORMS; its first `labels` columns are names, the others numbers."""
    if form not in FORMS:
        raise UsageError(f"unknown form {form!r}; expected one of {', '.join([*FORMS, 'json'])}")
    if form not in EXACT:
        rows = [[*row[:labels], *(rounded(value, digits) for value in row[labels:])] for row in rows]
    return FORMS[form](header, rows, labels)


def rounded(value: Any, digits: int) -> str:
    """A number to so many digits, a count as it is."""
    return str(value) if isinstance(value, int) else f"{value:.{digits}f}"


def _text(header: list[str], rows: Rows, labels: int) -> str:
    from rich import box
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for number, name in enumerate(header):
        table.add_column(_plain(name), justify="left" if number < labels else "right", no_wrap=True)
    for row in rows:
        table.add_row(*map(_plain, row))
    out = io.StringIO()
    widest = sum(max(cell_len(_plain(row[i])) for row in [header, *rows]) + 4 for i in range(len(header)))
    Console(file=out, width=widest, color_system=None, markup=False, highlight=False, emoji=False).print(table)
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())


def _plain(cell: Any) -> str:
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(cell))


def _separated(separator: str) -> Callable[[list[str], Rows, int], str]:
    def write(header: list[str], rows: Rows, labels: int) -> str:
        out = io.StringIO()
        csv.writer(out, delimiter=separator, lineterminator="\n").writerows([header, *rows])
        return out.getvalue()

    return write


def _markdown(header: list[str], rows: Rows, labels: int) -> str:
    rule = ["---"] * labels + ["---:"] * (len(header) - labels)
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in [header, rule, *rows]]
    return "".join(f"| {' | '.join(row)} |\n" for row in cells)


_TEX = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"} | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


def _latex(header: list[str], rows: Rows, labels: int) -> str:
    head, *body = [" & ".join(str(cell).translate(_TEX) for cell in row) + r" \\" for row in [header, *rows]]
    columns = "l" * labels + "r" * (len(header) - labels)
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\hline", head, r"\hline", *body, r"\hline", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def _html(header: list[str], rows: Rows, labels: int) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(_cell(cell, i < labels) for i, cell in enumerate(row)) + "</tr>\n" for row in rows)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"


def _cell(cell: Any, label: bool) -> str:
    return f"<td>{escape(str(cell))}</td>" if label else f'<td style="text-align: right">{escape(str(cell))}</td>'


FORMS: dict[str, Callable[[list[str], Rows, int], str]] = {
    "text": _text,
    "tsv": _separated("\t"),
    "csv": _separated(","),
    "md": _markdown,
    "latex": _latex,
    "html": _html,
}
EXACT = ("tsv", "csv")
