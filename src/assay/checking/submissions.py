"""INEX's XML: the first thing that is wrong with it ends the check, as nobody knows what follows."""

from __future__ import annotations

import os
from collections import Counter

import numpy as np

from assay.checking.readable import Places, Readable
from assay.checking.summary import HighlightedSummary, Report
from assay.documents.documents import Documents
from assay.errors import InputError
from assay.files.source import Source
from assay.formats import assessments, inex, read_judgments, read_run
from assay.tables.judgments import Judgments
from assay.tables.run import Run


def readable_submission(source: Source) -> Readable[Run]:
    """A run."""
    run = read_run(source, form="inex")

    def find() -> list[int | None]:
        if run.unit != "line":
            return list(range(1, len(run) + 1))
        topics = inex.elements(source, "topic")
        return [inex.line_of(result) for topic in topics for result in topic.iterchildren("result")]

    return Readable(run, Places(source.label, find, run.unit), [])


def readable_assessments(source: Source, documents: Documents | None) -> Readable[Judgments] | None:
    """Assessments; None where their characters are known from the documents only, and these are not."""
    try:
        found = read_judgments(source, form="inex", documents=documents)
    except InputError as error:
        if error.what == assessments.GIVE_DOCUMENTS:
            return None
        raise
    spans = found.highlights.row if found.highlights is not None else None
    return Readable(found, Places(source.label, lambda: [None] * len(found)), [], np.arange(len(found)), spans)


def unresolved(report: Report, source: Source) -> Report | None:
    """The report of assessments without the documents: what is highlighted is counted, but not its characters; None without any."""
    found = assessments.Assessed()
    files = assessments.files_below(source.path) if os.path.isdir(source.path) else []
    for file in [Source(file) for file in files] or [source]:
        found.add_file(file, assessments.topic_of(file))
    if not found.passages.row:
        return None
    relevant = set(found.passages.row)
    report.sizes.update(found.topic)
    report.relevant.update(found.topic[row] for row in relevant)
    report.text = HighlightedSummary(
        judged=len(found.topic),
        relevant=len(relevant),
        spans=len(found.passages.row),
        characters=None,
        median=0.0,
        empty=0,
        overlapping=0,
        # which they are is not known, but that they are
        entries=Counter(row for row in found.entries.row if row in relevant),
        lengths=0,
    )
    return report
