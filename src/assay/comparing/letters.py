"""The table of a paper: systems x measures, and behind each value the letters of systems that it is better than."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from assay.comparing.comparison import Comparison
from assay.showing.cell import Cell
from assay.showing.layout import EXACT, render
from assay.showing.paper_table import paper_table, refuse_caption, refuse_label, with_caption
from assay.showing.short_names import legend_of, short_names

# Means that differ by no more than this differ by rounding alone, and are all the best.
SAME = 1e-12


@dataclass(frozen=True, repr=False)
class SignificanceTable:
    """Systems x measures for a paper: behind each value the letters of systems that are significantly worse.

    The systems of all comparisons are in the order of the rows, by which letters are given.
    """

    comparisons: list[Comparison]

    def about(self, alpha: float = 0.05) -> str:
        """What the letters mean, in one line; for each measure by itself where the number of topics differs."""
        by_measure: dict[str, list[str]] = {}
        for comparison in self.comparisons:
            by_measure.setdefault(comparison.about(alpha), []).append(str(comparison.measure))
        parts = list(by_measure)
        if len(parts) > 1:
            parts = [f"{', '.join(names)}: {about}" for about, names in by_measure.items()]
        return "A letter names a system that the value is significantly better than. " + ". ".join(parts)

    def show(
        self, layout: str = "text", alpha: float = 0.05, digits: int = 4, *, caption: str = "", label: str = ""
    ) -> str:
        """The table as text, tsv, csv, json, md, latex or html, the best values in bold where the layout has it.

        caption: plain text that stands above a LaTeX table, where `\\` and `$` are printed as they are, and below
        others, before what the table is about; label: of LaTeX.
        """
        refuse_label(label, layout)
        refuse_caption(caption, layout)
        if layout == "json":
            return json.dumps(self._records(alpha), indent=1, ensure_ascii=False)
        names = self.comparisons[0].names()
        measures = [str(comparison.measure) for comparison in self.comparisons]
        headings = short_names(measures) if layout == "latex" else dict(zip(measures, measures, strict=True))
        header = ["", "run"]
        rows: list[list[Any]] = [[names[name], name] for name in self.comparisons[0].systems]
        for comparison in self.comparisons:
            header += [headings[str(comparison.measure)]]
            # in a file of rows the letters have a column of their own
            header += [f"{comparison.measure} better than"] if layout in EXACT else []
            for row, cell in zip(rows, self._column(comparison, alpha, digits), strict=True):
                row += [cell, cell.raised] if layout in EXACT else [cell]
        about = ". ".join(filter(None, [self.about(alpha), legend_of(headings)]))
        if layout == "latex":
            return paper_table(header, rows, 2, digits, caption or about, label, about if caption else "")
        return render(layout, header, rows, 2, digits, with_caption(caption, about))

    def _column(self, comparison: Comparison, alpha: float, digits: int) -> list[Cell]:
        best = (min if comparison.measure.less_is_better else max)(comparison.means)
        letters = comparison.letters(alpha)
        return [
            Cell(mean, digits, bold=abs(mean - best) <= SAME, raised=letters[system])
            for system, mean in zip(comparison.systems, comparison.means, strict=True)
        ]

    def _records(self, alpha: float) -> list[dict[str, Any]]:
        names, records = self.comparisons[0].names(), []
        for comparison in self.comparisons:
            measure, letters = str(comparison.measure), comparison.letters(alpha)
            for system, mean in zip(comparison.systems, comparison.means, strict=True):
                record = {"run": system, "letter": names[system], "measure": measure, "value": mean}
                records.append({**record, "better_than": letters[system]})
        return records

    def __repr__(self) -> str:
        return self.show().rstrip()

    def _repr_html_(self) -> str:
        return self.show("html")
