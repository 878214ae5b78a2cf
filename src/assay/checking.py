"""What is wrong with a file, all of it, and what is in it: every row is looked at one by one, slowly and without mercy."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Literal

import numpy as np

from assay.errors import InputError, counted, listed
from assay.formats import TREC, Source, column, known, lines, read_frame, recognise, trec
from assay.ids import Floats, Ids, Ints, pair_keys, repeated
from assay.tables import Judgments, Run, Table

Kind = Literal["run", "judgments"]
Row = tuple[int, str, str, float] | InputError


@dataclass
class Report:
    """What was found in a file: its faults, and the numbers of what is right."""

    path: str
    kind: Kind
    form: str
    faults: list[InputError] = field(default_factory=list)
    sizes: Counter[str] = field(default_factory=Counter)
    grades: Counter[int] = field(default_factory=Counter)
    relevant: set[str] = field(default_factory=set)
    ties: Counter[str] = field(default_factory=Counter)
    duplicates: int = 0
    unit: str = "line"

    def __str__(self) -> str:
        head = f"{self.path}: {'a run' if self.kind == 'run' else 'judgments'} ({self.form})"
        faults = counted(len(self.faults), "fault") if self.faults else "no faults"
        return "\n".join([*map(str, self.faults), head, *("  " + line for line in self._summary()), f"  {faults}"])

    def _summary(self) -> Iterator[str]:
        if not self.sizes:
            yield "nothing that could be read"
            return
        sizes = sorted(self.sizes.values())
        rows = counted(sum(sizes), "result" if self.kind == "run" else "judged document")
        spread = f"{sizes[0]:,}" if sizes[0] == sizes[-1] else f"{sizes[0]:,} to {sizes[-1]:,}"
        yield f"{counted(len(sizes), 'topic')}, {rows}, {spread} a topic (median {median(sizes):,.10g})"
        if self.kind == "run":
            tied = f"{counted(len(self.ties), 'topic')} with tied scores ({counted(self.ties.total(), 'result')})"
            yield f"ties: {tied if self.ties else 'none'}"
        else:
            yield "grades: " + ", ".join(f"{grade}: {number:,}" for grade, number in sorted(self.grades.items()))
            barren = sorted(set(self.sizes) - self.relevant)
            if barren:
                yield f"nothing relevant: {counted(len(barren), 'topic')} ({listed(barren)})"
        yield f"duplicates: {self.duplicates or 'none'}"

    def add_duplicate(self, topic: str, document: str, first: int, again: int) -> None:
        """A document that stands in a topic twice, as the evaluation would refuse it."""
        self.duplicates += 1
        table = Table(self.path, Ids.of([topic]), Ids.of([document]), lambda *_: [first, again], self.unit)
        self.faults.append(table.twice(topic, document, "retrieved" if self.kind == "run" else "judged"))


def check(path: Any, kind: Kind | None = None, form: str | None = None) -> Report:
    """Every fault of a run or of judgments, and a summary of what is in it.

    A file of which nothing can be read, as it is not there, empty or no text, is an InputError.
    """
    source = Source(path)
    if not any(block.strip() for block in source.blocks()):
        raise source.fault("is empty; expected a run or judgments")
    form = known(form) or recognise(source)
    if form == TREC:
        refuse_other_than_text(source)
        kind = kind or trec_kind(source)
        at_once = summed(Report(source.label, kind, form), source)
        return at_once or judged(Report(source.label, kind, form), trec_rows(source, kind))
    from assay.formats.frames import unit

    broken: list[InputError] = []
    frame, _, line = read_frame(source, form, broken)
    if broken and not len(frame):
        raise broken[0]
    kind = kind or frame_kind(frame.columns)
    report = judged(Report(source.label, kind, form, unit=unit(line)), frame_rows(frame, kind, line, source.label))
    report.faults = sorted([*broken, *report.faults], key=lambda fault: fault.line or 0)
    return report


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


def refuse_other_than_text(source: Source) -> None:
    """A file of lines has no NUL in it."""
    if any(b"\0" in block for block in source.blocks()):
        raise source.fault("is not text; expected a run or judgments")


def trec_kind(source: Source) -> Kind:
    """Whether a TREC file is a run or judgments: by the fields of its first line."""
    for _, fields in lines.walk(source):
        return "run" if trec.is_like_a_run(fields) else "judgments"
    raise source.fault("is empty; expected a run or judgments")


def frame_kind(columns: list[str]) -> Kind:
    """Whether a table is a run or judgments: by its columns, a grade under any name but score."""
    grade = column(columns, "grade")
    return "judgments" if grade and grade != column(columns, "score") else "run"


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
