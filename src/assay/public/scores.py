"""Scores: what an evaluation gives to the user."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError
from assay.evaluation.origin import Origin
from assay.evaluation.score_table import ScoreTable
from assay.measures.notation import measures_of

if TYPE_CHECKING:
    import altair as alt

    from assay.comparing.comparison import Comparison
    from assay.comparing.correlation import Correlation
    from assay.comparing.grouped import GroupedComparison
    from assay.comparing.letters import SignificanceTable


@dataclass(frozen=True, eq=False, repr=False)
class Scores(ScoreTable):
    """values[system, measure, topic]; NaN where a topic does not count for a system. `notes` say what was decided.

    `compare`, `table`, `correlate`, `chart` and `report` ask more of them. `origin` is what they were made of.
    """

    origin: Origin | None = None

    def compare(
        self, first: str | None = None, second: str | None = None, measure: Any = None, **how: Any
    ) -> Comparison:
        """Which systems are better by a measure, the first that was measured if none is named.

        `scores.compare()` compares all pairs, with baseline= each system with one; two names compare those two, the
        difference is first − second. how: baseline, systems, test, correct, tails, samples, seed and confidence, as of
        `assay.compare`.
        """
        from assay.comparing.significance import compare

        by = self.measures[0] if measure is None else measure
        if first is None and second is None:
            return compare(self, by, **how)
        if first is None or second is None:
            raise UsageError("one run cannot be compared; name two, or give baseline= to compare each with that one")
        return compare(self, by, systems=[first, second], baseline=second, **how)

    def compare_groups(self, measure: Any = None, **how: Any) -> GroupedComparison:
        """The systems compared in each group of topics, and over all topics; `how` is that of `compare`."""
        from assay.comparing.grouped import compared_by_group

        return compared_by_group(self, self.measures[0] if measure is None else measure, **how)

    def table(self, measures: Any = None, **how: Any) -> SignificanceTable:
        """The table of a paper: systems x measures, with the letters of systems that are significantly worse.

        measures: those that were measured, if none are named. how: as of `compare`.
        """
        from assay.comparing.significance import with_letters

        return with_letters(self, measures, **how)

    def correlate(self, measures: Any = None, **how: Any) -> Correlation:
        """How far measures agree on the order of the systems; how: as of `assay.correlate`."""
        from assay.comparing.correlation import correlate

        return correlate(self, measures, **how)

    def chart(self, kind: str | None = None, measures: Any = (), *, theme: str = "light") -> alt.LayerChart:
        """A chart of the systems; kind and measures as of `assay.chart`.

        Where it shows more than these scores, as a curve does, the runs are evaluated again.
        """
        from assay.charts.drawing import chart_of_scores

        return chart_of_scores(self, self.origin, kind, measures_of(measures) if measures else (), theme)

    def report(self, output: str | os.PathLike[str], **options: Any) -> str:
        """Write an HTML page about the systems, and return its path; options: as of `assay.report`.

        The page shows the results themselves, for which the runs are evaluated again.
        """
        from assay.reporting.report import report

        if self.origin is None:
            raise UsageError("these scores do not know what they were made of; give report the judgments and the runs")
        rules = {name: value for name, value in self.origin.rules.items() if name != "progress"}
        return report(self.origin.judgments, self.origin.runs, output, self.measures, **rules | options)


def are_scores(given: Any) -> bool:
    """Whether scores are given, or several, in a list or by name, and not judgments."""
    if isinstance(given, Sequence):
        return bool(given) and all(isinstance(each, ScoreTable) for each in given)
    if isinstance(given, dict):
        return bool(given) and all(isinstance(each, ScoreTable) for each in given.values())
    return isinstance(given, ScoreTable)
