"""`assay trec_eval`: NIST's trec_eval, its options, its output and its exit status, of version 9.0.8 or 10.

    trec_eval  ─►  options  ─►  files  ─►  topics to evaluate  ─►  values of each line  ─►  rows and summary
                                           (stops at the first that cannot be)

What it computes differently from our measures is in trec_columns; what is different about topics is here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from math import exp, log

import numpy as np

from assay.compat.printed import Printed
from assay.compat.trec_columns import Column, Refused
from assay.compat.trec_files import QRELS, RUN, Columns, read, readable
from assay.compat.trec_measures import OutputLine
from assay.compat.trec_options import Options, Reply, parse
from assay.errors import AssayError, InputError
from assay.measures.base import LOWEST
from assay.ranking.align import align
from assay.ranking.document_ranking import Ranking, Values
from assay.ranking.pool import Pool
from assay.ranking.rules import Rules
from assay.tables.judgments import Judgments
from assay.tables.run import Run

ALL = "all"
# What version 10 sets back to nothing for a topic that is missing from the run: these names and no others.
SET_BACK = {"num_ret": 0.0, "utility": 0.0, "rbp_resid": 0.0, "relstring": "''"}


@dataclass(frozen=True)
class Plan:
    """The topics to evaluate, in order, and what stops the evaluation after them."""

    topics: list[str]
    stop: Refused | None = None

    def until(self, bad: dict[str, str]) -> Plan:
        """The plan that stops at the first of some topics, with what is wrong with it."""
        place = next((place for place, topic in enumerate(self.topics) if topic in bad), None)
        return self if place is None else Plan(self.topics[:place], Refused(4, bad[self.topics[place]]))


@dataclass(frozen=True)
class Whole:
    """What the summary says beside the values: the run's tag, how many topics count, and with -c how many documents."""

    tag: str
    topics: int
    relevant: int | None


class InTurn(Ranking):
    """A ranking that adds fractions row after row, as C does: in another order the last digit may be another."""

    @classmethod
    def of(cls, ranking: Ranking) -> InTurn:
        """The ranking, and its ideal one, as such."""
        columns = {one.name: getattr(ranking, one.name) for one in fields(ranking)}
        return cls(**columns | {"ideal": None if ranking.ideal is None else cls.of(ranking.ideal)})

    def total(self, x: Values) -> Values:
        """x summed over each topic."""
        if x.dtype.kind != "f":
            return super().total(x)
        return np.append(self.running(x), 0.0)[np.where(self.rows > 0, self.starts[1:] - 1, -1)]


@dataclass(frozen=True)
class Part:
    """Some topics and their ranking: those of the run, or those that the run lacks."""

    topics: list[str]
    ranking: Ranking
    missing: bool = False

    def values(self, name: str, column: Column) -> Values:
        """The values of a line, set back where version 10 does so."""
        values = column(self.ranking)
        if self.missing and (name in SET_BACK or name.startswith("unj")):
            values = np.full(len(values), SET_BACK.get(name, 0.0), values.dtype)
        return values


def trec_eval(arguments: list[str]) -> Printed:
    """What trec_eval prints when it is called with these arguments."""
    try:
        options = parse(arguments)
        # Numbers that are not, or beyond those of single precision, are no fault here.
        with np.errstate(all="ignore"):
            return evaluated(options)
    except Reply as reply:
        return Printed(reply.out.encode("latin-1", "replace"), reply.err, reply.status)
    except InputError as error:
        return Printed(err=complaint(error), status=2)
    except AssayError as error:
        return Printed(err=complaint(error), status=error.status if isinstance(error, Refused) else 1)


def complaint(error: AssayError) -> str:
    """A line on standard error."""
    return f"trec_eval: {error}\n"


def evaluated(options: Options) -> Printed:
    """Read the files, evaluate the topics, print."""
    comments = options.version >= 10
    judgments = read(options.judgments, QRELS, comments)
    run = read(options.run, RUN, comments)
    run.numbers[np.isnan(run.numbers)] = -np.inf
    plan = planned(judgments, run, options)
    lines = options.lines()
    if any(line.column for line in lines):
        plan = plan.until(never_judged(judgments))
        values, plan = measured(judgments, run, plan, lines, options)
    else:
        values = [np.zeros(0)] * len(lines)
    out = "".join(rows(lines, values, plan.topics)) if options.per_topic else ""
    if plan.stop:
        return Printed(out.encode("latin-1"), complaint(plan.stop), plan.stop.status)
    if options.summary:
        out += "".join(summary(lines, values, whole(judgments, run, plan, options)))
    return Printed(out.encode("latin-1"))


def planned(judgments: Columns, run: Columns, options: Options) -> Plan:
    """Which topics are evaluated: version 9 takes those that both files have, version 10 all that are judged."""
    judged, found = sorted(judgments.names), run.names
    if options.version >= 10:
        missing = set() if options.complete else set(judged) - found
        return Plan(judged).until({topic: f"result qid '{readable(topic)}' not found in qrels" for topic in missing})
    common = [topic for topic in judged if topic in found]
    if not common:
        raise Refused(7, f"{run.name} and {judgments.name} have no topic in common")
    return Plan(common)


def never_judged(judgments: Columns) -> dict[str, str]:
    """The topics whose judgments are all negative."""
    judged = {judgments.topics[row] for row in np.flatnonzero(judgments.numbers >= 0)}
    return {topic: f"topic {readable(topic)}: all judgments are negative" for topic in judgments.names - judged}


def measured(
    judgments: Columns, run: Columns, plan: Plan, lines: list[OutputLine], options: Options
) -> tuple[list[Values], Plan]:
    """The values of each line for the topics of the plan, and the plan, shorter if a document stands twice in one."""
    try:
        parts = rankings(judgments, run, options)
    except InputError:
        judgments, run, plan = without_duplicates(judgments, run, plan, options)
        parts = rankings(judgments, run, options) if plan.topics else []
    place = {topic: number for number, topic in enumerate(topic for part in parts for topic in part.topics)}
    order = [place[topic] for topic in plan.topics]
    return [column(line, parts)[order] for line in lines], plan


def rankings(judgments: Columns, run: Columns, options: Options) -> list[Part]:
    """The rankings of all topics that may be evaluated."""
    pool = Pool(Judgments(judgments.name, judgments.topic, judgments.document, grade=judgments.numbers))
    everything = np.arange(len(pool.topics))
    if options.depth == 0:
        return [Part(pool.topics, InTurn.of(pool.nothing_for(everything)))]
    table = Run(run.name, run.topic, run.document, score=run.numbers)
    rules = Rules("docno", options.depth, options.judged_only, single_precision=options.version < 10)
    aligned = align(table, pool, rules)
    missing = np.setdiff1d(everything, aligned.topics)
    # Version 10 gives a missing topic one result that nobody judged.
    length = np.full(len(missing), 0 if options.judged_only else 1)
    bogus = replace(pool.nothing_for(missing), retrieved=length)
    found = Part([pool.topics[topic] for topic in aligned.topics], InTurn.of(aligned.ranking))
    lacking = Part([pool.topics[topic] for topic in missing], InTurn.of(bogus), missing=True)
    return [part for part in (found, lacking) if part.topics]


def column(line: OutputLine, parts: list[Part]) -> Values:
    """The values of a line for the topics of all parts."""
    if line.column is None or not parts:
        return np.zeros(sum(len(part.topics) for part in parts))
    return np.concatenate([part.values(line.name, line.column) for part in parts])


def without_duplicates(judgments: Columns, run: Columns, plan: Plan, options: Options) -> tuple[Columns, Columns, Plan]:
    """Only what the plan needs of the files, and the plan up to the first topic with a document that stands twice."""
    run = cut(run, set(run.doubled()), options)
    doubled = judgments.doubled() | run.doubled()
    faults = {one: f"topic {readable(one)}: document {readable(twice)} stands twice" for one, twice in doubled.items()}
    plan = plan.until(faults)
    needed = set(plan.topics)
    judgments, run = (
        one.only(row for row, topic in enumerate(one.topics) if topic in needed) for one in (judgments, run)
    )
    return judgments, run, plan


def cut(run: Columns, topics: set[str], options: Options) -> Columns:
    """The run with only as many results of some topics as -M lets count: what lies beyond may stand twice."""
    if options.depth is None:
        return run
    scores = run.numbers if options.version >= 10 else run.numbers.astype(np.float32)
    rows = [row for row, topic in enumerate(run.topics) if topic in topics]
    rows.sort(key=lambda row: (scores[row], run.documents[row]), reverse=True)
    length: Counter[str] = Counter()
    beyond = set()
    for row in rows:
        length[run.topics[row]] += 1
        if length[run.topics[row]] > options.depth:
            beyond.add(row)
    return run.only(row for row in range(len(run.topics)) if row not in beyond)


def rows(lines: list[OutputLine], values: list[Values], topics: list[str]) -> Iterator[str]:
    """The lines of each topic."""
    shown = [(line, column.tolist()) for line, column in zip(lines, values, strict=True) if line.shown != "summary"]
    for number, topic in enumerate(topics):
        for line, column in shown:
            yield row(line, topic, column[number])


def row(line: OutputLine, topic: str, value: str | float) -> str:
    """A printed line."""
    if isinstance(value, float) and line.over not in ("sum", "number"):
        # C writes what is not a number with the sign that 0/0 has.
        value = "  -nan" if value != value else f"{value:6.4f}"
    return f"{line.name:<22}\t{topic}\t{value if isinstance(value, str) else int(value)}\n"


def whole(judgments: Columns, run: Columns, plan: Plan, options: Options) -> Whole:
    """What the summary says of the files. With -c the number of relevant documents forgets -l: above 0 is relevant."""
    if not options.complete:
        return Whole(run.tag, len(plan.topics), None)
    return Whole(run.tag, len(judgments.names), int(np.count_nonzero(judgments.numbers > 0)))


def summary(lines: list[OutputLine], values: list[Values], whole: Whole) -> Iterator[str]:
    """The lines for all topics."""
    for line, column in zip(lines, values, strict=True):
        if line.over == "tag":
            yield row(line, ALL, whole.tag)
        elif line.name == "num_rel" and whole.relevant is not None:
            yield row(line, ALL, whole.relevant)
        elif line.shown != "topics":
            yield row(line, ALL, over_topics(line, column, whole.topics))


def over_topics(line: OutputLine, values: Values, topics: int) -> float:
    """One number for all topics; those without a value count as 0, in a geometric mean as the lowest value."""
    if line.over == "number":
        return topics
    if line.over == "geometric":
        missing = (topics - len(values)) * log(LOWEST)
        return exp((added(np.log(np.maximum(values, LOWEST))) + missing) / topics)
    return added(values) / (topics if line.over == "mean" else 1)


def added(values: Values) -> float:
    """The sum, one value after the other: in another order the last digit may be another."""
    return float(np.cumsum(values)[-1])
