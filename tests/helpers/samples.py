"""How large the random samples are: small ones by default, so that the tests end soon; some times as large where
ASSAY_TESTS=more is set, and as large as they may be where ASSAY_TESTS=full is."""

import os

ASKED = os.environ.get("ASSAY_TESTS")
FULL = ASKED == "full"
TIMES = 5


def sample(quick: int, full: int) -> int:
    """The size of a sample that is drawn in this run of the tests."""
    return {"more": min(TIMES * quick, full), "full": full}.get(ASKED, quick)
