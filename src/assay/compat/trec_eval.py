"""`assay trec_eval`: the options, output and exit status of NIST's trec_eval, version 9.0.8 or 10.

    trec_eval  ─►  options  ─►  judgments  ─►  run, block by block  ─►  topics to evaluate  ─►  rows and summary
                                               values of each line      (stops at the first that cannot be)

trec_files.py has what trec_eval computes differently from our measures; this file has what it does differently with
topics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import copysign, exp, log

import numpy as np

from assay.compat import trec_files
from assay.compat.printed import Printed
from assay.compat.trec_judgments import Evidence, Part, read_evidence
from assay.compat.trec_measures import OutputLine, TextAsked, TrecOptions, parse_trec_options
from assay.errors import AssayError, InputError
from assay.files.source import Source
from assay.files.threads import in_threads
from assay.measures.base import LOWEST
from assay.ranking.documents import Values

# trec_eval's z-scores: how many standard deviations a value is above the mean of some other runs.

UNKNOWN = -1_000_000.0


@dataclass(frozen=True)
class ZScores:
    """The mean and standard deviation of each measure and topic."""

    reference: dict[tuple[str, str], tuple[float, float]]

    @classmethod
    def read(cls, path: str) -> ZScores:
        """Read them from a file."""
        try:
            rows = trec_files.read_rows(path, trec_files.Z_SCORES, comments=False).rows()
        except InputError as error:
            raise trec_files.Refused(255, str(error)) from None
        return cls(
            {(measure, topic): (trec_files.atof(mean.encode()), deviation) for topic, measure, mean, deviation in rows}
        )

    def of(self, measure: str, topics: list[str], values: Values) -> Values:
        """Return (value - mean) / deviation for each topic.

        If the topic is unknown, or the deviation is 0 and the value is not the mean, it is -1000000.
        """
        return np.array([self._of(measure, topic, value) for topic, value in zip(topics, values.tolist(), strict=True)])

    def _of(self, measure: str, topic: str, value: float) -> float:
        mean, deviation = self.reference.get((measure, topic), (np.nan, 0.0))
        if deviation:
            return (value - mean) / deviation
        return 0.0 if value == mean else UNKNOWN


ALL = "all"
# What a C program prints for a string that is missing.
NO_TAG = "(null)"
# What version 10 resets for a topic that is missing from the run: these lines, and all that begin with unj.
SET_BACK = {"num_ret": 0.0, "utility": 0.0, "rbp_resid": 0.0, "relstring": "''"}


@dataclass(frozen=True)
class Plan:
    """The topics to evaluate, in order, and the error that stops the evaluation after them."""

    topics: list[str]
    stop: trec_files.Refused | None = None

    def until(self, reason: Callable[[str], trec_files.Refused | None]) -> Plan:
        """Return the plan that stops at the first topic for which `reason` returns an error."""
        for place, topic in enumerate(self.topics):
            if stop := reason(topic):
                return Plan(self.topics[:place], stop)
        return self


@dataclass
class RunValues:
    """The values of a run: its judged topics, their values by line, topics that cannot be evaluated, and its tag."""

    lines: list[OutputLine]
    present: set[str] = field(default_factory=set)
    values: list[dict[str, object]] = field(default_factory=list)
    faults: dict[str, trec_files.Refused] = field(default_factory=dict)
    tag: str = NO_TAG

    def __post_init__(self) -> None:
        self.values = [{} for _ in self.lines]

    def add(self, part: Part, values: list[Values]) -> None:
        """Add the values of some topics."""
        self.faults |= part.faults
        for of_topics, column in zip(self.values, values, strict=True):
            of_topics.update(zip(part.topics, column.tolist(), strict=True))

    def column(self, number: int, topics: list[str]) -> Values:
        """Return the values of a line for some topics."""
        line, of_topics = self.lines[number], self.values[number]
        if line.column is None or not of_topics:
            return np.zeros(len(topics))
        values = np.array([of_topics[topic] for topic in topics], object if line.over == "none" else np.float64)
        return np.log(np.maximum(values, LOWEST)) if line.over == "geometric" else values


class ScatteredTopic(Exception):
    """The results of a topic are in several blocks of the run, so it must be read again as one block."""


def trec_eval(arguments: list[str]) -> Printed:
    """Return what trec_eval prints when it is called with these arguments."""
    try:
        options = parse_trec_options(arguments)
        # NaN and numbers beyond single precision are not errors here.
        with np.errstate(all="ignore"):
            return printed_evaluation(options)
    except TextAsked as answer:
        return Printed(answer.out.encode("latin-1", "replace"), answer.err, answer.status)
    except InputError as error:
        return Printed(err=trec_complaint(error), status=2)
    except AssayError as error:
        return Printed(err=trec_complaint(error), status=error.status if isinstance(error, trec_files.Refused) else 1)


def trec_complaint(error: AssayError) -> str:
    """Return an error as a line for standard error."""
    return f"trec_eval: {error}\n"


def printed_evaluation(options: TrecOptions) -> Printed:
    """Read the files, evaluate the topics and return what to print."""
    evidence = read_evidence(options)
    lines = options.lines()
    run = trec_files.RawSource(options.run)
    outcome = outcome_of(run, evidence, lines, options)
    z_scores = ZScores.read(options.z_scores) if options.z_scores is not None else None
    plan = topics_to_evaluate(outcome, evidence, options)
    columns = [outcome.column(number, plan.topics) for number in range(len(lines))]
    if z_scores:
        named = zip(lines, columns, strict=True)
        columns = [
            z_scores.of(line.name, plan.topics, column) if line.over != "none" else column for line, column in named
        ]
    form = z_score if z_scores else row
    out = "".join(lines_by_topic(lines, columns, plan.topics, form)) if options.per_topic else ""
    if plan.stop:
        return Printed(out.encode("latin-1"), trec_complaint(plan.stop), plan.stop.status)
    if options.summary:
        counted = evidence.topics if options.complete else plan.topics
        whole = Whole(outcome.tag, len(counted), evidence.relevant if options.complete else None)
        out += "".join(lines_for_all(lines, columns, whole, form))
    return Printed(out.encode("latin-1"), marks_noted(trec_files.RawSource(options.judgments), run))


def marks_noted(*files: trec_files.RawSource) -> str:
    """Return a note for each file that begins with a byte order mark; trec_eval itself says nothing."""
    what = "the file begins with a byte order mark; like trec_eval, Assay reads it as part of the first topic id"
    return "".join(f"note: {file.label}: {what}\n" for file in files if file.begins_with_mark)


def outcome_of(source: Source, evidence: Evidence, lines: list[OutputLine], options: TrecOptions) -> RunValues:
    """Return the values of a run, which is read as one block only if its topics are scattered."""
    try:
        outcome = _outcome(source, evidence, lines, options, gather=False)
    except ScatteredTopic:
        outcome = _outcome(source, evidence, lines, options, gather=True)
    missing = [topic for topic in evidence.topics if topic not in outcome.present]
    if missing and options.complete and options.version >= 10:
        part = evidence.of_missing(missing)
        outcome.add(part, [set_back(line, line_values(line, part, evidence)) for line in lines])
    return outcome


def _outcome(
    source: Source, evidence: Evidence, lines: list[OutputLine], options: TrecOptions, gather: bool
) -> RunValues:
    judged = set(evidence.topics)
    outcome, empty = RunValues(lines), True
    comments = options.version >= 10

    def work(block: Callable[[], trec_files.Columns | None]) -> tuple[set[str], str, Part, list[Values]] | None:
        # numpy's error settings are per thread
        with np.errstate(all="ignore"):
            run = block()
            if run is None:
                return None
            run.numbers[np.isnan(run.numbers)] = -np.inf
            part = evidence.of_run(run)
            values = [line_values(line, part, evidence) for line in lines]
            present = run.names & judged if part.faults else set(part.topics)
            # what the measures saw takes much memory and is no longer needed
            return present, run.tag, replace(part, seen=None), values

    for present, tag, part, values in filter(None, in_threads(work, trec_files.trec_blocks(source, comments, gather))):
        if not outcome.present.isdisjoint(present):
            raise ScatteredTopic
        outcome.present |= present
        outcome.add(part, values)
        outcome.tag, empty = tag, False
    if empty:
        trec_files.refuse_empty_run(source, comments)
    return outcome


def line_values(line: OutputLine, part: Part, evidence: Evidence) -> Values:
    """Return the values of a line for the topics of a part."""
    if line.column is None or line.needs != evidence.needed_by or not part.topics:
        return np.zeros(len(part.topics))
    return line.column(part.seen)


def set_back(line: OutputLine, values: Values) -> Values:
    """Reset the values of topics that are missing from the run, for the lines where version 10 does so."""
    if line.name in SET_BACK or line.name.startswith("unj"):
        return np.full(len(values), SET_BACK.get(line.name, 0.0), values.dtype)
    return values


def topics_to_evaluate(outcome: RunValues, evidence: Evidence, options: TrecOptions) -> Plan:
    """Return the topics to evaluate: in version 9 those that both files have, in version 10 all judged topics."""
    if options.version >= 10:
        missing = set() if options.complete else set(evidence.topics) - outcome.present
        plan = Plan(evidence.topics).until(
            lambda topic: (
                trec_files.Refused(4, f"result qid '{trec_files.decoded_for_message(topic)}' not found in qrels")
                if topic in missing
                else None
            )
        )
    else:
        plan = Plan([topic for topic in evidence.topics if topic in outcome.present])
        if not plan.topics:
            raise trec_files.Refused(7, f"{Source(options.run).label} and {evidence.name} have no topic in common")
    computed = [line for line in outcome.lines if line.column]
    unfit = next((line for line in computed if line.needs != evidence.needed_by), None)
    if unfit and plan.topics:
        what = f"measure {unfit.name} does not work with judgments of -R {options.format}"
        return Plan([], trec_files.Refused(4, what))
    if computed and plan.topics and (first := evidence.refuses_first(plan.topics[0])):
        return Plan([], first)
    return plan.until(outcome.faults.get) if computed else plan


Form = Callable[[OutputLine, str, "str | float"], str]


def lines_by_topic(lines: list[OutputLine], values: list[Values], topics: list[str], form: Form) -> Iterator[str]:
    """Yield the lines of each topic."""
    shown = [(line, column.tolist()) for line, column in zip(lines, values, strict=True) if line.shown != "summary"]
    for number, topic in enumerate(topics):
        for line, column in shown:
            yield form(line, topic, column[number])


def row(line: OutputLine, topic: str, value: str | float) -> str:
    """Return a line of the output."""
    if isinstance(value, float) and line.over not in ("sum", "number"):
        value = decimal(value)
    return f"{line.name:<22}\t{topic}\t{value if isinstance(value, str) else int(value)}\n"


def z_score(line: OutputLine, topic: str, value: str | float) -> str:
    """Return a line of z-scores: all numbers have decimals, and the names begin with Z."""
    return row(line, topic, value) if isinstance(value, str) else f"Z{line.name:<22}\t{topic}\t{decimal(value)}\n"


def decimal(value: float) -> str:
    """Format a number as C does, which also prints the sign of NaN."""
    if value != value:
        return "  -nan" if copysign(1, value) < 0 else "   nan"
    return f"{value:6.4f}"


@dataclass(frozen=True)
class Whole:
    """What the summary adds: the run's tag, the number of topics, and with -c the number of relevant documents."""

    tag: str
    topics: int
    relevant: int | None = None


def lines_for_all(lines: list[OutputLine], values: list[Values], whole: Whole, form: Form) -> Iterator[str]:
    """Yield the summary lines for all topics."""
    for line, column in zip(lines, values, strict=True):
        if line.over == "tag":
            yield form(line, ALL, whole.tag)
        elif line.name == "num_rel" and whole.relevant is not None:
            yield form(line, ALL, whole.relevant)
        elif line.shown != "topics":
            yield form(line, ALL, one_number(line, column, whole.topics))


def one_number(line: OutputLine, values: Values, topics: int) -> float:
    """Combine the values of all topics; missing ones count as 0, or in a geometric mean as the lowest value."""
    if line.over == "number":
        return topics
    if line.over == "geometric":
        missing = (topics - len(values)) * log(LOWEST)
        return exp((added_in_turn(values) + missing) / topics)
    return added_in_turn(values) / (topics if line.over == "mean" else 1)


def added_in_turn(values: Values) -> float:
    """Return the sum, added in order, because another order may change the last digit."""
    return float(np.cumsum(values)[-1])
