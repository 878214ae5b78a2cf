"""What scores were made of, so that more can be asked of them than values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class GivenInputs(NamedTuple):
    """The judgments and runs of some scores as they were given, and the rules by which they were evaluated.

    What scores do not hold, as the results themselves, is evaluated anew; files are read again for it.
    """

    judgments: Any
    runs: Any
    rules: Mapping[str, Any]
