"""Scores: what an evaluation gives to the user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.evaluation.score_table import ScoreTable

if TYPE_CHECKING:
    from assay.comparing.comparison import Comparison


@dataclass(frozen=True, eq=False, repr=False)
class Scores(ScoreTable):
    """values[system, measure, topic]; NaN where a topic does not count for a system. `notes` say what was decided."""

    def compare(self, first: str, second: str, measure: Any = None, **how: Any) -> Comparison:
        """Whether one system is better than another by a measure, the first that was measured if none is named.

        The difference is first − second. how: test, tails, samples, seed and confidence, as of `assay.compare`, which
        compares all pairs.
        """
        from assay.comparing.significance import compare

        by = self.measures[0] if measure is None else measure
        return compare(self, by, systems=[first, second], baseline=second, **how)
