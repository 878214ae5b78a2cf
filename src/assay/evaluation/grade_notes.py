"""What measures make of grades that can be taken in two ways: of those for subtopics, and of those between 0 and 1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from assay.errors import counted, listed
from assay.measures.base import Measure
from assay.ranking.kinds import SUBTOPICS, kinds_of
from assay.tables.judgments import Judgments


def notes_on_grades(measures: list[Measure], judgments: Judgments) -> list[str]:
    """A line for each thing that was decided about grades."""
    notes = *on_subtopics(measures, judgments), *on_fractions(measures, judgments)
    return [f"{judgments.name}: {note}" for note in notes]


def on_subtopics(measures: list[Measure], judgments: Judgments) -> Iterator[str]:
    """What measures of documents make of documents that are judged by subtopics."""
    others = [str(measure) for measure in measures if SUBTOPICS not in measure.kinds]
    if others and SUBTOPICS in kinds_of(judgments):
        takes = "takes" if len(others) == 1 else "take"
        yield f"{listed(others)} {takes} the highest of a document's grades for the subtopics"


def on_fractions(measures: list[Measure], judgments: Judgments) -> Iterator[str]:
    """What measures that know only relevant and not relevant make of grades between 0 and 1, where nobody said."""
    between = judgments.grade[(judgments.grade > 0) & (judgments.grade < 1)]
    if len(between):
        yield from between_0_and_1(measures, len(between), between.min().item())


def between_0_and_1(measures: list[Measure], number: int, lowest: float) -> Iterator[str]:
    """The same of so many documents with such grades, of which one is the lowest."""
    binary = (measure for measure in measures if not getattr(measure, "graded", False))
    usual: list[Any] = [measure for measure in binary if getattr(measure, "rel", None) == 1]
    if usual:
        have, them = ("has a grade", "it") if number == 1 else ("have grades", "them")
        named, instead = listed([str(measure) for measure in usual]), replace(usual[0], rel=lowest)
        what = f"{counted(number, 'document')} {have} between 0 and 1, not relevant to {named}"
        yield f"{what}; {instead} would count {them}"
