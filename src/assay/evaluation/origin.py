"""What finds out what scores were made of; how that is told is in provenance.py, which is loaded only then."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from assay.files.source import Source

if TYPE_CHECKING:
    from assay.evaluation.provenance import Provenance


class Origin:
    """What finds out what scores were made of, once, when it is asked. A copy for another process knows it already."""

    def __init__(self, find: Callable[[], Provenance]):
        self._find: Callable[[], Provenance] | None = find
        self._known: Provenance | None = None

    def __call__(self) -> Provenance:
        """What the scores were made of."""
        if self._find is not None:
            self._known, self._find = self._find(), None
        assert self._known is not None
        return self._known

    def __getstate__(self) -> dict[str, Any]:
        return {"_known": self(), "_find": None}


def tokenizer_named(tokenizer: Any) -> str | None:
    """What names a tokenizer; of one in a file, what is in it."""
    if tokenizer is None or (isinstance(tokenizer, str) and not os.path.isfile(tokenizer)):
        return tokenizer
    if isinstance(tokenizer, str):
        from hashlib import blake2b

        return f"tokenizer of {blake2b(Source(tokenizer).whole(), digest_size=16).hexdigest()}"
    kind = tokenizer if hasattr(tokenizer, "__qualname__") else type(tokenizer)
    # what is built into Python may tell no module, as str.split
    return f"{getattr(kind, '__module__', None) or 'builtins'}.{kind.__qualname__}"
