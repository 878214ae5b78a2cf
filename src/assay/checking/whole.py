"""Files of whole documents: every row is looked at one by one, slowly and without mercy, unless nothing is wrong with any."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.checking.summary import Kind, Report
from assay.errors import InputError
from assay.files.source import Source
from assay.formats import lines, trec
from assay.tables.ids import Floats, Ints, pair_keys, repeated
from assay.tables.judgments import Judgments
from assay.tables.run import Run

Row = tuple[int, str, str, float] | InputError


def summed(report: Report, source: Source) -> Report | None:
    """The report of a TREC file without faults, a block at a time; None where every row has to be looked at."""
    try:
        for table in trec_tables(source, report.kind):
            names, starts = table.topic.streaks()
            topic = np.repeat(np.arange(len(names)), np.diff(starts))
            scattered = len(set(names)) < len(names) or not report.sizes.keys().isdisjoint(names)
            if scattered or len(repeated(pair_keys(np.arange(len(names)), topic, table.document))):
                return None
            report.sizes.update(dict(zip(names, np.diff(starts).tolist(), strict=True)))
            if isinstance(table, Run):
                report.ties.update({name: tied for name, tied in zip(names, ties(topic, table.score), strict=True) if tied})
            else:
                report.grades.update(table.grade.tolist())
                report.relevant.update(name for name, good in zip(names, np.bincount(topic, table.grade > 0), strict=True) if good)
    except InputError:
        return None
    return report


def trec_tables(source: Source, kind: Kind) -> Iterator[Run | Judgments]:
    """A TREC file, some whole topics at a time if it is a run."""
    if kind == "judgments":
        yield trec.judgments(source)
    else:
        for block in trec.run_blocks(source, ranks=True):
            if run := block():
                yield run


def ties(topic: Ints, score: Floats) -> list[int]:
    """How many results of each topic have a score that another one has too."""
    order = np.lexsort((score, topic))
    topic, score = topic[order], score[order]
    same = (topic[1:] == topic[:-1]) & (score[1:] == score[:-1])
    tied = np.append(same, False) | np.append(False, same)
    return np.bincount(topic[tied], minlength=int(topic.max(initial=-1)) + 1).tolist()


def trec_kind(source: Source) -> Kind:
    """Whether a TREC file is a run or judgments: by the fields of its first line."""
    for _, fields in lines.walk(source):
        return "run" if trec.is_like_a_run(fields) else "judgments"
    raise source.fault("is empty; expected a run or judgments")


def trec_rows(source: Source, kind: Kind) -> Iterator[Row]:
    """Topic, document and value of each line of a TREC file, or what is wrong with the line."""
    form, value = (trec.RUN, "score") if kind == "run" else (trec.QRELS, "grade")
    at = [form.fields.index(name) for name in ("topic", "document", value)]
    first = True
    for number, fields in lines.walk(source):
        wrong = form.misfit(fields, form.fields)
        if wrong:
            wrong += lines.look_alike(fields, form) if first else ""
            yield InputError(wrong, source.label, number)
        else:
            topic, document, number_text = (fields[i] for i in at)
            yield number, topic, document, float(number_text)
        first = False


def frame_rows(frame: Any, kind: Kind, line: Any, label: str) -> Iterator[Row]:
    """Topic, document and value of each row of a table, or what is wrong with the row."""
    from assay.formats import frames

    found = frames.columns(frame, kind, label, ranks=True)
    wrong = dict(frames.faults(found))
    value = next(name for name in ("grade", "score", "rank") if name in found)
    rows = zip(found["topic"].values.texts(), found["document"].values.texts(), found[value].values.tolist(), strict=True)
    for number, row in enumerate(rows):
        if number in wrong:
            yield frames.placed(wrong[number], label, number, line)
        else:
            yield line(number) if line else number + 1, *row


def judged(report: Report, rows: Iterator[Row]) -> Report:
    """The report with what its rows hold."""
    seen: dict[tuple[str, str], int] = {}
    scores: defaultdict[str, Counter[float]] = defaultdict(Counter)
    for row in rows:
        if isinstance(row, InputError):
            report.faults.append(row)
            continue
        place, topic, document, value = row
        if (topic, document) in seen:
            report.add_duplicate(topic, document, seen[topic, document], place)
            continue
        seen[topic, document] = place
        report.sizes[topic] += 1
        if report.kind == "run":
            scores[topic][value] += 1
        else:
            report.grades[int(value)] += 1
            if value > 0:
                report.relevant.add(topic)
    for topic, found in scores.items():
        if tied := sum(times for times in found.values() if times > 1):
            report.ties[topic] = tied
    return report
