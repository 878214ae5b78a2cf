"""What may be asked of an evaluation beside judgments, runs and measures."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError
from assay.files.source import Source
from assay.reading.read import opened_documents
from assay.reading.schema import told_columns
from assay.vocabulary import TOPICS, Blanks, Duplicates, Overlap, Texts, Ties, Topics

if TYPE_CHECKING:
    from assay.documents.lookup import Documents
    from assay.documents.tokens import TokenEnds
    from assay.evaluation.provenance import Provenance


# What finds out what scores were made of; how that is told is in provenance.py, which is loaded only then.


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


@dataclass(eq=False, repr=False, kw_only=True)
class Options:
    """The parameters of `assay.evaluate`, which tells what they mean.

    What is made of them, as the documents that are opened, is made once, and when it is asked for.
    """

    documents: Any = None
    ties: Ties = "docno"
    overlap: Overlap | None = None
    task: str | None = None
    quant: str | Sequence[str] | None = None
    alpha: float | None = None
    pools: Collection[str] | None = None
    topics: Topics = "judged"
    depth: int | None = None
    judged_only: bool = False
    texts: Texts = "check"
    blanks: Blanks = "count"
    duplicates: Duplicates = "refuse"
    annotators: str | None = None
    copies: bool = False
    format: str | None = None
    columns: Mapping[str, str] | None = None
    tokenizer: str | Callable[[str], Sequence[tuple[int, int]]] | None = None

    @cached_property
    def collection(self) -> Documents | None:
        """The documents."""
        return opened_documents(self.documents)

    @cached_property
    def told_columns(self) -> Mapping[str, str]:
        """The columns of tables, by field."""
        return told_columns(self.columns)

    @cached_property
    def tokens(self) -> TokenEnds | None:
        """The tokens of the documents, where a tokenizer is given."""
        if self.tokenizer is None:
            return None
        if self.blanks == "ignore":
            what = "tokens have places in texts with their blanks"
            raise UsageError(f"{what}; give a tokenizer, or ignore blanks, not both")
        if self.collection is None:
            raise UsageError("a tokenizer needs the texts; give documents=")
        from assay.documents.tokens import TokenEnds, tokenizer_of

        return TokenEnds(self.collection, tokenizer_of(self.tokenizer))

    def decisions(self, overlap: str) -> dict[str, Any]:
        """What must be the same for values to be compared; `overlap` as it was in the end, perhaps by the task."""
        told = {"ties": self.ties, "overlap": overlap, "task": self.task, "topics": self.topics, "depth": self.depth}
        told |= {"judged_only": self.judged_only, "texts": self.texts, "blanks": self.blanks}
        told |= {"annotators": self.annotators, "tokenizer": tokenizer_named(self.tokenizer)}
        told |= {"copies": True} if self.copies else {}
        return told | ({"duplicates": self.duplicates} if self.duplicates != "refuse" else {})


def refuse_unknown_policy(topics: str) -> None:
    """Which topics count is told by one of some words."""
    if topics not in TOPICS:
        raise UsageError(f"unknown policy for topics {topics!r}; expected one of {', '.join(TOPICS)}")
