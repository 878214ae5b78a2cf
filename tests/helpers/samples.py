"""How large the random samples are: small ones by default, so that the tests end soon, large ones where
ASSAY_TESTS=full is set."""

import os

FULL = os.environ.get("ASSAY_TESTS") == "full"


def sample(quick: int, full: int) -> int:
    """The size of a sample that is drawn in this run of the tests."""
    return full if FULL else quick
