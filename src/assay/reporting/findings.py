"""What was found, as the browser gets it: the values, what they amount to, and which differences are significant."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.comparing.significance import compare
from assay.errors import InputError
from assay.evaluation.score_table import ScoreTable
from assay.measures.base import Count, Measure

ALPHA = 0.05


def short(value: float) -> float | int | None:
    """A number to six significant digits, a whole one without a point; None where there is none, or no finite one."""
    if not np.isfinite(value):
        return None
    digits = float(f"{value:.6g}")
    return int(digits) if digits.is_integer() else digits


def table_of(scores: ScoreTable) -> dict[str, Any]:
    """Systems, measures and topics with their values, and those over all topics."""
    return {
        "systems": scores.systems,
        "measures": [{"name": str(one), "about": one.sentence(), "count": isinstance(one, Count)} for one in scores.measures],
        "topics": scores.topics,
        "means": overall(scores),
        "values": [[[short(value) for value in row] for row in system] for system in scores.values.tolist()],
    }


def overall(scores: ScoreTable) -> list[list[float | int | None]]:
    """The value of each system and measure over the topics that count."""
    known = ~np.isnan(scores.values)
    pairs = [list(zip(rows, which, strict=True)) for rows, which in zip(scores.values, known, strict=True)]
    return [[short(one.over_topics(row[which])) for one, (row, which) in zip(scores.measures, rows, strict=True)] for rows in pairs]


def significance_of(scores: ScoreTable, **how: Any) -> tuple[dict[str, Any] | None, list[str]]:
    """The letters of systems that each value is significantly better than, what they mean, and what could not be tested.

    `beats` has a list for each system and measure, of the numbers of systems.
    """
    if len(scores.systems) < 2:
        return None, []
    beats: list[list[list[int] | None]] = [[None] * len(scores.measures) for _ in scores.systems]
    about: dict[str, list[str]] = {}
    notes, names = [], {}
    for number, measure in enumerate(scores.measures):
        if not is_mean(measure):
            notes.append(f"{measure} is no mean over topics; its differences were not tested")
            continue
        try:
            found = compare(scores, measure, **how)
        except InputError as error:
            notes.append(f"differences of {measure} were not tested: {error}")
            continue
        names = found.names()
        about.setdefault(found.about(ALPHA), []).append(str(measure))
        for pair in found.significant(ALPHA):
            loser = pair.second if pair.better == pair.first else pair.first
            cell = scores.systems.index(pair.better), number
            beats[cell[0]][cell[1]] = sorted([*(beats[cell[0]][cell[1]] or []), scores.systems.index(loser)])
    if not about:
        return None, notes
    lines = [f"{', '.join(measures)}: {line}" if len(about) > 1 else line[0].upper() + line[1:] for line, measures in about.items()]
    return {"letters": [names[system] for system in scores.systems], "beats": beats, "about": lines}, notes


def is_mean(measure: Measure) -> bool:
    """Whether the value over all topics is a mean or a sum of theirs, which is what tests compare."""
    return isinstance(measure, Count) or type(measure).over_topics is Measure.over_topics


def some(scores: ScoreTable, measures: list[Measure]) -> ScoreTable:
    """The scores by some of the measures."""
    names = [str(one) for one in scores.measures]
    places = [names.index(str(one)) for one in measures]
    return ScoreTable(scores.systems, measures, scores.topics, scores.values[:, places], scores.notes)


def counted_topics(scores: ScoreTable) -> int:
    """How many topics count for any system."""
    return int(np.count_nonzero(~np.isnan(scores.values).all(axis=(0, 1))))
