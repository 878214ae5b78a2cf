"""The three kinds of judgments, and everything in which their evaluation differs, in one table."""

from __future__ import annotations

from dataclasses import dataclass

from assay.tables.judgments import Judgments


@dataclass(frozen=True)
class Kind:
    """What is judged, and counted: whole documents, highlighted text, or assessed elements.

    `unit` is what a report counts in, `default_measures` those that are reported where none are asked for.
    """

    name: str
    unit: str
    default_measures: tuple[str, ...]


DOCUMENTS = Kind("documents", "documents", ("AP", "nDCG@10", "P@10", "RR", "R@100"))
# The document may be found, and the text in it not.
TEXT = Kind("text", "characters", ("AiP", "iP@0.01", "P@5", "R@5", "F@5", "Success(unit=document)@5"))
ELEMENTS = Kind("elements", "elements", ("nxCG@10", "nxCG@25", "nxCG@50", "Aep", "iAep", "Q"))


def kinds_of(judgments: Judgments) -> tuple[Kind, ...]:
    """The kinds that judgments are of: a document is always judged, and text or elements of it may be too."""
    kinds = [DOCUMENTS]
    kinds += [TEXT] if judgments.highlights is not None else []
    kinds += [ELEMENTS] if judgments.elements is not None else []
    return tuple(kinds)
