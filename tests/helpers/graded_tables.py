"""Assessed elements and runs of elements written by hand, as tables."""

import numpy as np

from assay.tables.ids import Ids
from assay.tables.judgments import AssessedElements, ElementJudgments
from assay.tables.run import ElementRun


def judgments_of(assessed, scale="2005"):
    """{topic: {document: {path: (e, s, size)}}} as judgments."""
    rows = [(topic, document, found) for topic, documents in assessed.items() for document, found in documents.items()]
    elements = [(row, path, *grades) for row, (*_, found) in enumerate(rows) for path, grades in found.items()]
    row, e, size = (np.array([one[at] for one in elements], np.int64) for at in (0, 2, 4))
    s = np.array([one[3] for one in elements], np.float64)
    grade = np.array([int(any(e != 0 and s > 0 for e, s, _ in found.values())) for *_, found in rows], np.int64)
    return ElementJudgments(
        "assessments", Ids.of(topic for topic, *_ in rows), Ids.of(document for _, document, _ in rows), grade=grade,
        elements=AssessedElements(row, [one[1] for one in elements], e, s, size, scale),
    )


def run_of(run):
    """{topic: [(document, path), …]}, best first, as a run; a third value is the score."""
    rows = [(topic, -rank, *result) for topic, results in run.items() for rank, result in enumerate(results)]
    score = np.array([row[4] if len(row) > 4 else row[1] for row in rows], np.float64)
    topic, document, path = ([row[at] for row in rows] for at in (0, 2, 3))
    return ElementRun("run", Ids.of(topic), Ids.of(document), score=score, path=Ids.of(path), last=Ids.of("" for _ in rows))
