"""read_scores: what was saved of an evaluation."""

from __future__ import annotations

import os

from assay.evaluation.origin import Origin
from assay.evaluation.score_files import saved_scores
from assay.public.scores import Scores


def read_scores(path: str | os.PathLike[str]) -> Scores:
    """The scores that `scores.save(path)` wrote, with what they were made of."""
    table, missing, provenance = saved_scores(path)
    return Scores(
        table.systems, table.measures, table.topics, table.values, [], table.groups, missing, Origin(lambda: provenance)
    )
