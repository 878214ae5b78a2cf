"""What is wrong with a file, all of it, and what is in it: every row is looked at one by one, slowly and without mercy."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.errors import InputError, counted, listed, quoted
from assay.formats import TREC, Source, column, known, lines, read_frame, recognise, trec
from assay.formats.lines import whole, wrong_number

Kind = Literal["run", "judgments"]
Row = tuple[int | None, list[str] | str]


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
        yield f"{counted(len(sizes), 'topic')}, {rows}, {spread} a topic (median {sizes[len(sizes) // 2]:,})"
        if self.kind == "run":
            tied = f"{counted(len(self.ties), 'topic')} with tied scores ({counted(self.ties.total(), 'result')})"
            yield f"ties: {tied if self.ties else 'none'}"
        else:
            yield "grades: " + ", ".join(f"{grade}: {number:,}" for grade, number in sorted(self.grades.items()))
            barren = sorted(set(self.sizes) - self.relevant)
            if barren:
                yield f"nothing relevant: {counted(len(barren), 'topic')} ({listed(barren)})"
        yield f"duplicates: {self.duplicates or 'none'}"


def check(path: Any, kind: Kind | None = None, form: str | None = None) -> Report:
    """Every fault of a run or of judgments, and a summary of what is in it."""
    source = Source(path)
    if not source.head().strip():
        return Report(source.label, kind or "run", "empty", [source.fault("is empty")])
    form = known(form) or recognise(source)
    if form == TREC:
        if b"\0" in source.whole():
            return Report(source.label, kind or "run", form, [source.fault("is not text")])
        kind = kind or trec_kind(source)
        return judged(Report(source.label, kind, form), source, trec_rows(source, kind))
    try:
        frame, _, line = read_frame(source, form)
        kind = kind or frame_kind(frame.columns)
        return judged(Report(source.label, kind, form), source, frame_rows(frame, kind, line, source))
    except InputError as error:
        return Report(source.label, kind or "run", form, [error])


def trec_kind(source: Source) -> Kind:
    """Whether a TREC file is a run or judgments: by the number of fields of its first line."""
    for _, fields in lines.walk(source):
        return "run" if len(fields) > len(trec.QRELS.fields) + 1 else "judgments"
    raise source.fault("is empty")


def frame_kind(columns: list[str]) -> Kind:
    """Whether a table is a run or judgments: by its columns, a grade under any name but score."""
    grade = column(columns, "grade")
    return "judgments" if grade and grade != column(columns, "score") else "run"


def trec_rows(source: Source, kind: Kind) -> Iterator[Row]:
    """Topic, document and value of each line of a TREC file, or what is wrong with the line."""
    form, value, wanted = (
        (trec.RUN, "score", ("score", "rank")) if kind == "run" else (trec.QRELS, "grade", ("grade",))
    )
    at = [form.fields.index(name) for name in ("topic", "document", value)]
    first = True
    for number, fields in lines.walk(source):
        wrong = form.misfit(fields, wanted)
        yield number, wrong + (lines.look_alike(fields, form) if first else "") if wrong else [fields[i] for i in at]
        first = False


def frame_rows(frame: Any, kind: Kind, line: Any, source: Source) -> Iterator[Row]:
    """Topic, document and value of each row of a table, or what is wrong with the row."""
    fields = ["topic", "document", "grade" if kind == "judgments" else "score"]
    if kind == "run" and not column(frame.columns, "score"):
        fields[2] = "rank"
    names = [column(frame.columns, name) for name in fields]
    if lacking := [name for name, found in zip(fields, names, strict=True) if not found]:
        raise source.fault(f"has no column {lacking[0]}; its columns are {listed(frame.columns, 12)}")
    check_number = wrong_number if fields[2] == "score" else wrong_whole
    for number, row in enumerate(frame.select(names).iter_rows()):
        place = line(number) if line else None
        prefix = "" if line else f"row {number + 1}: "
        missing = [name for name, value in zip(fields, row, strict=True) if value is None or value == ""]
        wrong = f"{missing[0]} is missing" if missing else None
        if not wrong and (why := check_number(str(row[2]))):
            wrong = f"{fields[2]} {quoted(str(row[2]))} is {why}"
        yield place, prefix + wrong if wrong else [str(value) for value in row]


def wrong_whole(value: str) -> str | None:
    """Why a text is no whole number, if it is none."""
    return None if whole(value) is not None else "not a whole number"


def judged(report: Report, source: Source, rows: Iterator[Row]) -> Report:
    """The report with what its rows hold."""
    seen: dict[tuple[str, str], int | None] = {}
    scores: defaultdict[str, Counter[float]] = defaultdict(Counter)
    verb = "retrieved" if report.kind == "run" else "judged"
    for place, row in rows:
        if isinstance(row, str):
            report.faults.append(source.fault(row, place))
            continue
        topic, document, value = row
        if (topic, document) in seen:
            first = seen[topic, document]
            where = f" (first on line {first})" if first else ""
            report.duplicates += 1
            report.faults.append(source.fault(f"document {document} is {verb} twice for topic {topic}{where}", place))
            continue
        seen[topic, document] = place
        report.sizes[topic] += 1
        if report.kind == "run":
            scores[topic][float(value)] += 1
        else:
            grade = int(float(value))
            report.grades[grade] += 1
            if grade > 0:
                report.relevant.add(topic)
    for topic, found in scores.items():
        tied = sum(times for times in found.values() if times > 1)
        report.ties += Counter({topic: tied})
    return report

