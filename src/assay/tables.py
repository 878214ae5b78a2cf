"""The tables that carry everything: Run and Judgments, columns of equal length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from assay.errors import InputError, counted
from assay.ids import Floats, Ids, Ints

Places: TypeAlias = "Callable[[str, str], list[int]]"


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """What runs and judgments share: a name, a topic and a document for each row, and a way to say where a row is."""

    name: str
    topic: Ids
    document: Ids
    places: Places | None = None
    unit: str = "line"

    def __len__(self) -> int:
        return len(self.document)

    def __repr__(self) -> str:
        topics = len(set(self.topic.streaks()[0]))
        return f"<{type(self).__name__} {self.name}: {counted(topics, 'topic')}, {counted(len(self), 'row')}>"

    def twice(self, topic: str, document: str, verb: str) -> InputError:
        """The error about a document that stands in a topic twice."""
        what = f"document {document} is {verb} twice for topic {topic}"
        lines = self.places(topic, document) if self.places else []
        if len(lines) < 2:
            return InputError(what, self.name)
        if self.unit != "line":
            return InputError(f"{self.unit} {lines[1]}: {what} (first in {self.unit} {lines[0]})", self.name)
        return InputError(f"{what} (first on line {lines[0]})", self.name, lines[1])


@dataclass(frozen=True, eq=False, repr=False)
class Run(Table):
    """What a system returned: a row a result, with its score, and its rank where the file has one."""

    score: Floats = None  # type: ignore[assignment]
    rank: Ints | None = None

    def named(self, name: str) -> Run:
        """The same run under another name."""
        return replace(self, name=name)


@dataclass(frozen=True, eq=False, repr=False)
class Judgments(Table):
    """What is relevant: a row a judged document, with its grade; a negative grade is in the pool but not judged."""

    grade: Ints = None  # type: ignore[assignment]
