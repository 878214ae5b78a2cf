"""What is decided on the way from a run to its ranking: ties, overlap, depth, unjudged results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from assay.errors import UsageError
from assay.vocabulary import DUPLICATES, OVERLAPS, TIES, Duplicates, Overlap, Ties

DEEPEST = 10**9


class Limits(NamedTuple):
    """What a valid run of a task keeps to: whether results may overlap, how much may be returned, and in which order.

    together: the results of a document are together. single: one result a document. topic_chars, document_chars: how
    many characters may be returned for a topic, of a document. most_results: how many results a topic may have.
    """

    overlap: Overlap = "reject"
    together: bool = False
    single: bool = False
    topic_chars: int | None = None
    document_chars: int | None = None
    most_results: int | None = 1500


@dataclass(eq=False, repr=False)
class Rules:
    """What is decided on the way from a run to its ranking.

    ties: docno = as trec_eval, by document id, descending bytes; input = as in the file; rank = by the rank column;
    expected = left open: measures give their mean over all orders of the tied results.
    overlap, of parts of documents: paid = text that was seen at an earlier rank is read again, and gains nothing; new =
    it is skipped; drop = a result that overlaps an earlier one is left out; reject = refused.
    limits: those of a task, where runs must keep to one.
    duplicates, of whole documents: refuse = no document may be twice in a topic; first = its first row in the run
    counts; best = the one with the best score.
    """

    ties: Ties = "docno"
    depth: int | None = None
    judged_only: bool = False
    single_precision: bool = False
    overlap: Overlap = "paid"
    limits: Limits | None = None
    duplicates: Duplicates = "refuse"

    def refuse_open_ties(self) -> None:
        """Parts of documents have no expected value over ties."""
        if self.ties == "expected":
            what = "expected values over ties are possible only for whole documents"
            raise UsageError(f"{what}; pass ties=docno or ties=input or ties=rank")

    def __post_init__(self) -> None:
        if self.ties not in TIES:
            raise UsageError(f"unknown value {self.ties!r} of ties; choose from {', '.join(TIES)}")
        if self.overlap not in OVERLAPS:
            raise UsageError(f"unknown value {self.overlap!r} of overlap; choose from {', '.join(OVERLAPS)}")
        check_duplicates(self.duplicates)
        if self.depth is not None and not (isinstance(self.depth, int) and 1 <= self.depth <= DEEPEST):
            raise UsageError(f"depth is {self.depth}; expected a rank from 1 to {DEEPEST:,}")
        if self.ties == "expected" and self.depth and self.judged_only:
            raise UsageError("ties=expected does not work with judged_only= and depth= together; leave out one of them")


def check_duplicates(duplicates: str) -> None:
    """Refuse a word that is not a policy for documents that are in a topic again."""
    if duplicates not in DUPLICATES:
        expected = ", ".join(DUPLICATES)
        raise UsageError(f"unknown value {duplicates!r} of duplicates; choose from {expected}")
