"""Measures whose values Assay did not compute: latencies, user studies, verdicts, and what other programs printed."""

from __future__ import annotations

from dataclasses import dataclass

from assay.errors import UsageError
from assay.measures.base import Measure
from assay.measures.notation import parse


@dataclass(frozen=True, kw_only=True)
class GivenMeasure(Measure):
    """Values that were given. They are compared as those of any measure, and their mean is over topics."""

    kinds = ()
    name: str = ""

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__


@dataclass(frozen=True, kw_only=True)
class GivenCost(GivenMeasure):
    """Values that were given, of which lower ones are better."""

    less_is_better = True

    __repr__ = GivenMeasure.__str__


def given_measure(name: str) -> Measure:
    """The measure of given values: ours if the name is written as Assay prints it, else a new one."""
    try:
        measure = parse(name)
    except UsageError:
        return GivenMeasure(name=name)
    return measure if str(measure) == name else GivenMeasure(name=name)
