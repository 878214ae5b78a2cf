"""How large samples are: small by default, so that the tests end soon; five times as large if ASSAY_TESTS=more is set, and
as large as they may be if ASSAY_TESTS=full is."""

import os
from collections.abc import Iterable
from typing import Any

ASKED = os.environ.get("ASSAY_TESTS")
FULL = ASKED == "full"
TIMES = 5


def sample(quick: int, full: int) -> int:
    """The size of a sample that is drawn in this run of the tests."""
    return {"more": min(TIMES * quick, full), "full": full}.get(ASKED, quick)


def in_turn(cases: Iterable[Any], always: Any, *others: Any) -> list[tuple[Any, Any]]:
    """Each case as always, and in one of the other ways, in turn; in a larger sample each in every way."""
    found = []
    for at, case in enumerate(cases):
        ways = others if ASKED else [others[at % len(others)]]
        found += [(case, way) for way in (always, *ways)]
    return found
