"""The table of a paper: systems x measures, and behind each value the letters of the systems that it is better than."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from assay.comparing.comparison import Comparison, Written, captioned
from assay.showing.layout import EXACT, render, rounded

# Where bold and raised letters begin and end: characters of no script, which no form escapes, until the table is made.
MARKS = BOLD, END, UP, DOWN = ("\ue000", "\ue001", "\ue002", "\ue003")
# A blank that is not cut off at the end of a cell, so that numbers stand below each other whatever letters follow them.
BLANK = "\N{BRAILLE PATTERN BLANK}"
MARKUP = {
    "md": ["**", "**", "<sup>", "</sup>"],
    "html": ["<b>", "</b>", "<sup>", "</sup>"],
    "latex": [r"\textbf{", "}", "$^{", "}$"],
}


@dataclass(frozen=True, repr=False)
class SignificanceTable:
    """Systems x measures for a paper: behind each value the letters of the systems that it is significantly better than."""

    comparisons: list[Comparison]

    def about(self, alpha: float = 0.05) -> str:
        """What the letters mean, in one line; where the number of topics differs from measure to measure, of each measure."""
        by_measure: dict[str, list[str]] = {}
        for one in self.comparisons:
            by_measure.setdefault(one.about(alpha), []).append(str(one.measure))
        parts = [f"{', '.join(names)}: {about}" if len(by_measure) > 1 else about for about, names in by_measure.items()]
        return "A letter names a system that the value is significantly better than. " + ". ".join(parts)

    def show(self, form: str = "text", alpha: float = 0.05, digits: int = 4) -> str:
        """The table as text, tsv, csv, json, md, latex or html, the best values in bold where the form has it."""
        letters = [one.letters(alpha) for one in self.comparisons]
        first = self.comparisons[0]
        names = first.names()
        if form == "json":
            cells = [
                {"run": name, "letter": names[name], "measure": str(one.measure), "value": mean, "better_than": found[name]}
                for one, found in zip(self.comparisons, letters, strict=True)
                for name, mean in zip(one.systems, one.means, strict=True)
            ]
            return json.dumps(cells, indent=1, ensure_ascii=False)
        header = ["", "run", *(str(one.measure) for one in self.comparisons)]
        rows: list[list[Any]] = [[names[name], name] for name in first.systems]
        for number, (one, found) in enumerate(zip(self.comparisons, letters, strict=True)):
            width = max(map(len, found.values()))
            if form in EXACT:
                header.insert(2 * number + 3, f"{one.measure} better than")
            for row, name, mean in zip(rows, one.systems, one.means, strict=True):
                best = abs(mean - max(one.means)) <= 1e-12
                row += [mean, found[name]] if form in EXACT else [_marked(form, rounded(mean, digits), found[name], best, width)]
        table = render(form, header, rows, 2, digits)
        for mark, markup in zip(MARKS, MARKUP.get(form, [""] * 4), strict=True):
            table = table.replace(mark, markup)
        if form == "text":
            table = "".join(line.replace(BLANK, " ").rstrip() + "\n" for line in table.splitlines())
        return captioned(form, table, self.about(alpha))

    def __repr__(self) -> str:
        return self.show().rstrip()

    def _repr_html_(self) -> str:
        return self.show("html")


def _marked(form: str, value: str, letters: str, best: bool, width: int) -> Written:
    if form == "text":
        return Written(f"{value} {letters:{BLANK}<{width}}" if width else value)
    return Written((f"{BOLD}{value}{END}" if best else value) + (f"{UP}{letters}{DOWN}" if letters else ""))
