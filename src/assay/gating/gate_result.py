"""Gate: the checks of a run, their results, and how they are shown."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from html import escape
from typing import Any
from xml.sax.saxutils import escape as escape_xml
from xml.sax.saxutils import quoteattr

from assay.comparing.comparison import interval_headings
from assay.comparing.significance import ChanceOfBest
from assay.errors import count_noun, shorten
from assay.evaluation.misses import Misses
from assay.measures.base import Measure
from assay.showing.layout import Probability, markdown_escaped, on_one_line, render
from assay.showing.shown import Shown

# How many topics to show for each failed check.
WORST = 5
# The maximum number of characters of a question in a table.
LONGEST = 80


@dataclass(frozen=True)
class TopicChange:
    """A topic with its question (empty if unknown), its value before (None if there is none), and its value now."""

    topic: str
    question: str
    before: float | None
    after: float


@dataclass(frozen=True)
class Check:
    """One check of a run: the value, and whether it passed.

    If the run was compared with a baseline: the baseline's value, the mean difference over topics with its interval, p
    if there was a test, and how it was decided (`about`). `worst` are the topics that lost most. `could_fail` is false
    if too few topics differ for any loss to fail, or if the margin is larger than any loss. `misses` says what the
    worst topics miss, for measures of text.
    """

    asked: str
    measure: Measure
    value: float
    passed: bool
    baseline: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    about: str = ""
    best: ChanceOfBest | None = None
    worst: list[TopicChange] = field(default_factory=list)
    could_fail: bool = True
    misses: Misses | None = None

    @property
    def result(self) -> str:
        """`passed` or `failed`."""
        return "passed" if self.passed else "failed"


@dataclass(frozen=True, repr=False)
class Gate(Shown):
    """The result of a gate; passed if all checks hold. `level` is that of the tests; `notes` say what was decided."""

    run: str
    checks: list[Check]
    level: float
    notes: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether all checks hold."""
        return all(check.passed for check in self.checks)

    @property
    def failures(self) -> list[Check]:
        """The checks that do not hold."""
        return [check for check in self.checks if not check.passed]

    @property
    def headline(self) -> str:
        """The result in one line."""
        count = len(self.failures) or len(self.checks)
        result = (
            f"{self.run} {'passed' if self.passed else 'failed'}: {count} of {count_noun(len(self.checks), 'check')}"
        )
        idle = sum(not check.could_fail for check in self.checks)
        return f"{result}; {idle:,} could not fail, for the reason below" if idle else result

    def show(self, layout: str = "text", digits: int = 4) -> str:
        """Return the gate as text, md or html, with the worst topics of each failure; or as tsv, csv, json or latex."""
        if layout == "json":
            return json.dumps(self.record(), indent=1, ensure_ascii=False) + "\n"
        table = render(layout, self.header(layout), [check_row(check, digits) for check in self.checks], 1, digits)
        if layout == "text":
            return with_empty_lines([self.headline, table, "\n".join(self.remarks()), *self._worst("text", digits)])
        if layout == "md":
            head = f"### {'✅' if self.passed else '❌'} {markdown_escaped(self.headline)}"
            remarks = [f"- {markdown_escaped(remark)}" for remark in self.remarks()]
            return with_empty_lines([head, table, "\n".join(remarks), *self._worst("md", digits)])
        if layout == "html":
            remarks = [f"<p>{escape(on_one_line(remark))}</p>" for remark in self.remarks()]
            return "\n".join(
                [f"<p><b>{escape(self.headline)}</b></p>", table, *remarks, *self._worst("html", digits)]
            )
        return table

    def header(self, layout: str) -> list[str]:
        """Return the headings of the table of checks; the interval matches a one-tailed test at the level."""
        interval = interval_headings(1 - 2 * self.level, layout)
        return ["check", "value", "baseline", "difference", *interval, "p", "result"]

    def remarks(self) -> list[str]:
        """Return how each comparison was decided, and the probability that either of the two is better."""
        remarks = []
        for check in self.checks:
            if check.about:
                remarks.append(f"{check.measure}: {check.about}")
            if check.best is not None:
                remarks.append(f"{check.measure}: {check.best.verdict(self.level)}")
        return remarks

    def _worst(self, layout: str, digits: int) -> list[str]:
        """Return for each failed check the topics that count most against the run."""
        parts = []
        for check in self.failures:
            against = check.baseline is not None
            what = f"{check.measure} failed against the baseline" if against else f"{check.asked} failed"
            if check.worst:
                caption = f"{what}; the topics that lost most:" if against else f"{what}; the worst topics:"
                above = {"md": f"**{markdown_escaped(caption)}**", "html": f"<p>{escape(caption)}</p>"}
                parts += [above.get(layout, caption), worst_topics(check.worst, layout, digits)]
            if check.misses is not None:
                caption = f"{what}; the evidence that these topics miss, and why:"
                above = {"md": f"**{markdown_escaped(caption)}**", "html": f"<p>{escape(caption)}</p>"}
                parts += [above.get(layout, caption), check.misses.table(layout, digits, without=("value", "question"))]
        return parts

    def record(self) -> dict[str, Any]:
        """Return everything as values for JSON."""
        checks = []
        for check in self.checks:
            told = {**vars(check), "measure": str(check.measure), "worst": [vars(each) for each in check.worst]}
            told["misses"] = [] if check.misses is None else check.misses.records()
            told["best"] = None if check.best is None else check.best.record(self.level)
            checks.append({name: finite(value) for name, value in told.items()})
        return {"run": self.run, "passed": self.passed, "level": self.level, "checks": checks, "notes": self.notes}


def undecided_in_markdown(message: str) -> str:
    """Return what to show if an error prevented a decision."""
    head = "### ⚠️ assay gate decided nothing: the run neither passed nor failed"
    return with_empty_lines([head, markdown_escaped(message)])


def with_empty_lines(parts: list[str]) -> str:
    """Join the parts that are not empty with an empty line between them."""
    return "\n\n".join(part.rstrip() for part in parts if part) + "\n"


def worst_topics(worst: list[TopicChange], layout: str, digits: int) -> str:
    """Return a table of topics, with the columns that are known."""
    columns: dict[str, list[Any]] = {"topic": [each.topic for each in worst]}
    if any(each.question for each in worst):
        columns["question"] = [shorten(each.question, LONGEST) for each in worst]
    labels = len(columns)
    if any(each.before is not None for each in worst):
        columns["before"] = [number_shown(each.before) for each in worst]
    columns["after"] = [each.after for each in worst]
    return render(layout, list(columns), list(zip(*columns.values(), strict=True)), labels, digits)


def check_row(check: Check, digits: int) -> list[Any]:
    """Return a check as a row of a table."""
    numbers = [number_shown(number) for number in (check.baseline, check.difference, check.low, check.high)]
    p = "" if check.p is None else Probability(check.p, digits)
    return [check.asked, check.value, *numbers, p, check.result]


def number_shown(number: float | None) -> float | str:
    """Return a number for a cell of a table; the cell is empty if there is none."""
    return "" if number is None or math.isnan(number) else number


def finite(value: object) -> Any:
    """Return a value for JSON, which has no NaN and no infinity."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


# A gate as JUnit XML, which CI servers show.

# Characters that XML does not allow.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SUITE = "assay gate"


def junit(gate: Gate) -> bytes:
    """Return the checks of a gate as JUnit test cases; failed ones show the worst topics."""
    cases = [
        f"<testcase classname={attribute(SUITE)} name={attribute(check.asked)}{outcome(gate, check)}"
        for check in gate.checks
    ]
    return suite(cases, failures=len(gate.failures), errors=0)


def outcome(gate: Gate, check: Check) -> str:
    """Return the end of a test case, with the failure if there is one."""
    if check.passed:
        return "/>"
    alone = Gate(gate.run, [check], gate.level)
    message = f"{check.measure} is {check.value:.4f}"
    if check.baseline is not None:
        message += f" (baseline: {check.baseline:.4f})"
    return f"><failure message={attribute(message)}>{escape_xml(plain_text(alone.show()))}</failure></testcase>"


def junit_of_error(message: str) -> bytes:
    """Return a JUnit file with a single test case for an error that prevented a decision."""
    error = f"<error message={attribute(message)}/>"
    case = f"<testcase classname={attribute(SUITE)} name={attribute(SUITE)}>{error}</testcase>"
    return suite([case], failures=0, errors=1)


def suite(cases: list[str], failures: int, errors: int) -> bytes:
    """Return test cases as a JUnit file."""
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}"'
    head = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {counts}>\n<testsuite name={attribute(SUITE)} {counts}>\n'
    )
    return (head + "\n".join(cases) + "\n</testsuite>\n</testsuites>\n").encode()


def plain_text(text: str) -> str:
    """Return a text without characters that XML does not allow."""
    return FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def attribute(text: str) -> str:
    """Return a text as a quoted XML attribute value."""
    return quoteattr(plain_text(text))
