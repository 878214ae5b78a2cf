"""A gate as JUnit XML, which the servers that run tests show."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from assay.gating.gate_result import Check, Gate

# Characters that XML cannot hold.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SUITE = "assay gate"


def junit(gate: Gate) -> bytes:
    """The checks of a gate as test cases; what failed has the worst topics in its text."""
    cases = [
        f"<testcase classname={attribute(SUITE)} name={attribute(check.asked)}{outcome(gate, check)}"
        for check in gate.checks
    ]
    return suite(cases, failures=len(gate.failures), errors=0)


def outcome(gate: Gate, check: Check) -> str:
    """The end of a test case: what went wrong, where something did."""
    if check.passed:
        return "/>"
    alone = Gate(gate.run, [check], gate.level)
    message = f"{check.measure} is {check.value:.4f}"
    if check.baseline is not None:
        message += f", and was {check.baseline:.4f}"
    return f"><failure message={attribute(message)}>{escape(plain_text(alone.show()))}</failure></testcase>"


def junit_of_error(message: str) -> bytes:
    """What is written where nothing could be decided: one test case with an error."""
    error = f"<error message={attribute(message)}/>"
    case = f"<testcase classname={attribute(SUITE)} name={attribute(SUITE)}>{error}</testcase>"
    return suite([case], failures=0, errors=1)


def suite(cases: list[str], failures: int, errors: int) -> bytes:
    """Test cases as a file."""
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}"'
    head = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {counts}>\n<testsuite name={attribute(SUITE)} {counts}>\n'
    )
    return (head + "\n".join(cases) + "\n</testsuite>\n</testsuites>\n").encode()


def plain_text(text: str) -> str:
    """A text without what XML cannot hold."""
    return FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def attribute(text: str) -> str:
    """A text as the value of an attribute, with its quotes."""
    return quoteattr(plain_text(text))
