"""Systems compared in each group of topics, beside all topics."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from assay.comparing.comparison import Comparison
from assay.comparing.significance import compare, corrected
from assay.errors import InputError, UsageError, counted
from assay.evaluation.mean_table import ALL
from assay.evaluation.score_table import ScoreTable
from assay.measures.base import Measure
from assay.showing.layout import render


@dataclass(frozen=True, repr=False)
class GroupedComparison:
    """Systems compared by one measure in each group of topics, the last over all topics.

    The p-values of the groups are corrected for the pairs of all groups together, those over all topics for their own.
    `notes` say which groups were not compared.
    """

    name: str
    parts: dict[str, Comparison]
    notes: list[str] = field(default_factory=list)

    @property
    def measure(self) -> Measure:
        """The measure that systems are compared by."""
        return self.parts[ALL].measure

    def about(self, alpha: float | None = None) -> str:
        """How the systems were tested, in one line."""
        pairs = sum(len(part.pairs) for group, part in self.parts.items() if group != ALL)
        together = f"{counted(pairs, 'pair')} of {counted(len(self.parts) - 1, 'group')} corrected together"
        is_corrected = self.parts[ALL].correction != "none"
        return f"{self.parts[ALL].about(alpha)}" + (f"; {together}" if is_corrected else "")

    def show(self, layout: str = "text", alpha: float = 0.05, digits: int = 4) -> str:
        """All pairs of each group as text, tsv, csv, json, md, latex or html."""
        if layout == "json":
            records = [{"group": group, **part.record(alpha)} for group, part in self.parts.items()]
            return json.dumps(records, indent=1, ensure_ascii=False)
        header = [self.name, *self.parts[ALL].header]
        rows: list[list[Any]] = [
            [group, *row] for group, part in self.parts.items() for row in part.rows(alpha, digits)
        ]
        return render(layout, header, rows, 3, digits, f"{self.measure}: {self.about(alpha)}")

    def __repr__(self) -> str:
        return "\n".join([self.show().rstrip(), *self.notes])

    def _repr_html_(self) -> str:
        return self.show("html")


def compared_by_group(scores: ScoreTable, measure: Any, **how: Any) -> GroupedComparison:
    """Compares systems by a measure in each group of topics, and over all topics; `how` is as of `assay.compare`.

    scores: of `assay.evaluate(..., by=)`. A group in which two systems have fewer than two topics in common is left
    out, and noted.
    """
    if scores.groups is None:
        raise UsageError("the topics of these scores have no groups; give by= to evaluate")
    over_all = compare(scores, measure, **how)
    parts: dict[str, Comparison] = {}
    notes = []
    for group in scores.groups.names:
        try:
            parts[group] = compare(scores.of_group(group), measure, **how)
        except InputError as error:
            notes.append(f"{group}: not compared; {error}")
    ps = np.array([pair.p for part in parts.values() for pair in part.pairs])
    together = iter(corrected(ps, over_all.correction).tolist() if len(ps) else [])
    for group, part in parts.items():
        parts[group] = replace(part, pairs=[replace(pair, corrected=next(together)) for pair in part.pairs])
    return GroupedComparison(scores.groups.name, parts | {ALL: over_all}, notes)
