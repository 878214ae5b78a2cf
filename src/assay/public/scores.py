"""Scores: what an evaluation gives to the user."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError
from assay.evaluation.groups import Groups
from assay.evaluation.provenance import Provenance
from assay.evaluation.score_table import ScoreTable

if TYPE_CHECKING:
    from assay.comparing.comparison import Comparison
    from assay.evaluation.evaluated import Evaluation


@dataclass(frozen=True, eq=False, repr=False)
class Scores(ScoreTable):
    """values[system, measure, topic]; NaN where a topic does not count for a system. `notes` say what was decided.

    `missing` has for each system the judged topics that its run lacks, which count as the evaluation was told.
    `provenance` finds out what the scores were made of.
    """

    missing: Mapping[str, list[str]] = field(default_factory=dict)
    provenance: Callable[[], Provenance] | None = None

    def compare(self, first: str, second: str, measure: Any = None, **how: Any) -> Comparison:
        """Whether one system is better than another by a measure, the first that was measured if none is named.

        The difference is first − second. how: test, tails, samples, seed and confidence, as of `assay.compare`, which
        compares all pairs.
        """
        from assay.comparing.significance import compare

        by = self.measures[0] if measure is None else measure
        return compare(self, by, systems=[first, second], baseline=second, **how)

    def made_of(self) -> Provenance:
        """What the scores were made of: fingerprints of judgments and documents, measures and rules."""
        if self.provenance is None:
            raise UsageError("it is not known what these scores were made of; expected those of assay.evaluate")
        return self.provenance()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the values of every topic in full, and what they were made of: a baseline for `assay.gate`.

        `assay.read_scores` reads them again. Judgments and documents are gone through for their fingerprints, so they
        must still be as they were evaluated.
        """
        from assay.evaluation.score_files import written_scores
        from assay.files.writing import write

        write(path, written_scores(self, self.missing, self.made_of()))

    def to_dict(self) -> dict[str, float]:
        """The values over all topics by name, flat, as MLflow and Weights & Biases log them.

        Names have letters, digits, points and underscores, as MLflow asks: `R(chars=2000)` is `R_chars_2000`, `nDCG@10`
        is `nDCG_at_10`. Where there are several runs, the name of the run and a slash stand before it.
        """
        flat: dict[str, float] = {}
        for record in ScoreTable(self.systems, self.measures, self.topics, self.values).records():
            run = f"{flat_name(record['run'])}/" if len(self.systems) > 1 else ""
            name = run + flat_name(record["measure"])
            if name in flat:
                raise UsageError(f"two values would both be named {name}; name runs by letters and digits")
            flat[name] = record["value"]
        return flat


def flat_name(name: str) -> str:
    """A name of letters, digits, points, hyphens and underscores alone."""
    return re.sub(r"[^\w.-]+", "_", name.replace(")@", "_at_").replace("@", "_at_")).strip("_")


def scores_of_evaluation(evaluation: Evaluation, groups: Groups | None = None, notes: Sequence[str] = ()) -> Scores:
    """The scores of an evaluation, and what further questions of them need."""
    table = evaluation.scores
    told = [*table.notes, *notes]
    further = evaluation.missing, evaluation.provenance
    return Scores(table.systems, table.measures, table.topics, table.values, told, groups, *further)
