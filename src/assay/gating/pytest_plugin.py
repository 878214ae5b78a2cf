"""The pytest fixture `assay`: a test fails if a run got worse, and shows the worst topics.

Nothing is loaded until a test uses the fixture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from assay.gating.gate_result import Gate
    from assay.measures.base import MeasuresLike
    from assay.reading.input_types import JudgmentsLike, RunLike


class AssayInTests:
    """What `assay` is in a test: the functions of the package, and `assert_gate`."""

    def __getattr__(self, name: str) -> Any:
        import assay

        return getattr(assay, name)

    def assert_gate(
        self, judgments: JudgmentsLike, run: RunLike, measures: MeasuresLike | None = None, **asked: Any
    ) -> Gate:
        """Fail the test if the run does not pass; takes the arguments of `assay.gate` and returns its result."""
        __tracebackhide__ = True
        from assay.gating.gate import gate

        outcome = gate(judgments, run, measures, **asked)
        if not outcome.passed:
            raise AssertionError(outcome.show().rstrip())
        return outcome


@pytest.fixture
def assay() -> AssayInTests:
    """Return the package assay, with `assay.assert_gate(judgments, run, require=..., not_worse_than=...)`."""
    return AssayInTests()
