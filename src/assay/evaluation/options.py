"""What may be asked of an evaluation beside judgments, runs and measures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError
from assay.evaluation.origin import tokenizer_named
from assay.formats.reading import opened_documents
from assay.tables.column_names import told_columns
from assay.vocabulary import TOPICS, Blanks, Duplicates, Overlap, Texts, Ties, Topics

if TYPE_CHECKING:
    from assay.documents.lookup import Documents
    from assay.documents.tokens import TokenEnds


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
