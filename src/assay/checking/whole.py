"""Files of whole documents: every row is looked at one by one, slowly and
without mercy, unless nothing is wrong with any.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.checking.summary import Report
from assay.errors import InputError
from assay.files.source import Source
from assay.formats.format import Format, Request
from assay.formats.readable import Readable
from assay.tables.ids import Floats, Ints, pair_keys, repeated
from assay.tables.judgments import Judgments, grouped
from assay.tables.places import Place
from assay.tables.run import Run


def summed(report: Report, source: Source, format: Format, names: set[str] | None = None) -> Report | None:
    """The report of a file of whole documents without faults, a block at a time.

    It is None where every row has to be looked at. The names of the documents are added to `names`, where these are
    wanted.
    """
    try:
        for table in tables_of(source, report, format):
            if isinstance(table, Judgments) and (table.subtopics is not None or table.strata is not None):
                return None
            topics, starts = table.topic.streaks()
            topic = np.repeat(np.arange(len(topics)), np.diff(starts))
            scattered = len(set(topics)) < len(topics) or not report.sizes.keys().isdisjoint(topics)
            if scattered or len(repeated(pair_keys(np.arange(len(topics)), topic, table.document))):
                return None
            report.sizes.update(dict(zip(topics, np.diff(starts).tolist(), strict=True)))
            if names is not None:
                names |= names_in(table)
            if isinstance(table, Run):
                tied = zip(topics, ties(topic, table.score), strict=True)
                report.ties.update({name: number for name, number in tied if number})
            else:
                report.notes += table.notes
                report.grades.update(table.grade.tolist())
                good = np.bincount(topic, table.grade > 0)
                report.relevant.update(name for name, number in zip(topics, good, strict=True) if number)
    except InputError:
        return None
    return report


def tables_of(source: Source, report: Report, format: Format) -> Iterator[Run | Judgments]:
    """A file of whole documents, some whole topics at a time if it is a run."""
    if report.kind == "judgments":
        yield format.judgments(source)
        return
    for block in format.run_blocks(source, Request(ranks=True)):
        if run := block():
            yield run


def names_in(table: Run | Judgments) -> set[str]:
    """The documents of a table."""
    return set(table.document[grouped(table.document.keys())[0]].texts())


def ties(topic: Ints, score: Floats) -> list[int]:
    """How many results of each topic have a score that another one has too."""
    order = np.lexsort((score, topic))
    topic, score = topic[order], score[order]
    same = (topic[1:] == topic[:-1]) & (score[1:] == score[:-1])
    tied = np.append(same, False) | np.append(False, same)
    return np.bincount(topic[tied], minlength=int(topic.max(initial=-1)) + 1).tolist()


def judged(report: Report, readable: Readable[Any]) -> Report:
    """The report with what the rows hold that can be read: those of a run, or of judgments with grades."""
    report.add_faults(readable.faults)
    table: Run | Judgments | None = readable.table
    if table is None:
        return report
    values = (table.score if isinstance(table, Run) else table.grade).tolist()
    seen: dict[tuple[str, str], int] = {}
    duplicates: list[tuple[str, str, Place, Place]] = []
    scores: defaultdict[str, Counter[float]] = defaultdict(Counter)
    for row, pair in enumerate(zip(table.topic.texts(), table.document.texts(), strict=True)):
        if pair in seen:
            duplicates.append((*pair, readable.places[seen[pair]], readable.places[row]))
            continue
        seen[pair] = row
        topic, value = pair[0], values[row]
        report.sizes[topic] += 1
        if report.kind == "run":
            scores[topic][value] += 1
        else:
            report.grades[value] += 1
            if value > 0:
                report.relevant.add(topic)
    report.add_duplicates(duplicates)
    for topic, counts in scores.items():
        if tied := sum(times for times in counts.values() if times > 1):
            report.ties[topic] = tied
    return report
