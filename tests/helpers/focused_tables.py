"""Highlighted text and runs of passages written by hand, as tables."""

import numpy as np

from assay.tables.ids import Ids
from assay.tables.judgments import HighlightJudgments, Highlights
from assay.tables.run import SpanRun


def judgments_of(judged):
    """{topic: {document: {"spans": [(start, end), …], "length": …, "bep": …}}} as judgments."""
    rows = [(topic, document, facts) for topic, documents in judged.items() for document, facts in documents.items()]
    spans = [(row, *span) for row, (_, _, facts) in enumerate(rows) for span in facts["spans"]]
    row, start, end = (np.array([span[column] for span in spans], np.int64) for column in range(3))
    length, entry = (np.array([facts[name] for *_, facts in rows], np.int64) for name in ("length", "bep"))
    return HighlightJudgments(
        "judgments", Ids.of(topic for topic, *_ in rows), Ids.of(document for _, document, _ in rows),
        grade=np.array([int(bool(facts["spans"])) for *_, facts in rows], np.int64),
        highlights=Highlights(row, start, end, length, entry, np.full(len(rows), -1)),
    )


def run_of(run):
    """{topic: [(document, start, end), …]}, best first, as a run."""
    rows = [(topic, rank, *result) for topic, results in run.items() for rank, result in enumerate(results)]
    topic, rank, document, start, end = ([row[column] for row in rows] for column in range(5))
    return SpanRun(
        "run", Ids.of(topic), Ids.of(document), score=-np.array(rank, np.float64),
        start=np.array(start, np.int64), end=np.array(end, np.int64),
    )
