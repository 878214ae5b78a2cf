"""Groups of topics, for example one for each corpus: values are shown for each group and over all topics."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, UsageError, list_names
from assay.evaluation.notes import OF_GROUPS, sentences
from assay.tables.ids import Bools
from assay.tables.notes import Notes, sort_names

if TYPE_CHECKING:
    from assay.reading.topics import TopicTexts


@dataclass(frozen=True)
class Groups:
    """The group of each topic, in the order of the topics; empty if it has none. `name` says what the groups are."""

    name: str
    of_topic: list[str]

    @property
    def names(self) -> list[str]:
        """The groups, by number if all are numbers, else by text."""
        return sort_names(set(self.of_topic) - {""})

    def topics(self, name: str) -> Bools:
        """Return which topics are in a group."""
        return np.array([group == name for group in self.of_topic], bool)


@dataclass(frozen=True, eq=False)
class Grouping:
    """How to group topics, before the topics are known. `origin` is the file or argument that says it."""

    name: str
    groups: TopicTexts
    origin: str

    def of(self, topics: list[str]) -> tuple[Groups, list[str]]:
        """Return the groups of some topics, and a note if some have none."""
        groups, notes = self.of_topics(topics), Notes()
        notes.add("topics", len(topics), topics)
        self.add_ungrouped(notes, topics, groups)
        return Groups(self.name, groups), self.sentences(notes)

    def of_topics(self, topics: list[str]) -> list[str]:
        """Return the group of each topic; empty if it has none."""
        return [self.groups.of(topic) or "" for topic in topics]

    def add_ungrouped(self, notes: Notes, topics: list[str], groups: list[str]) -> None:
        """Note the topics that have no group."""
        lacking = [topic for topic, group in zip(topics, groups, strict=True) if not group]
        notes.add(f"ungrouped {self.name}", len(lacking), lacking)

    def sentences(self, notes: Notes) -> list[str]:
        """Return a note if some topics have no group; raise an error if no topic has one."""
        if notes.count(f"ungrouped {self.name}") == notes.count("topics"):
            known = list_names(notes.examples("topics"), 2)
            raise InputError(f"no judged topic has a {self.name}; expected topics such as {known}", self.origin)
        return sentences(OF_GROUPS, [(self.origin, notes)])


def grouping_by(by: Mapping[Any, Any] | str | None, topics_file: str | os.PathLike[str] | None) -> Grouping:
    """Return how topics are grouped: by a dict of their groups, or by a column of a file of topics."""
    if by is None and topics_file is not None:
        raise UsageError("topics_file requires the column that groups topics; pass by=")
    from assay.reading.topics import TopicTexts, as_text, read_values

    if isinstance(by, Mapping):
        texts = {str(topic): as_text(group) for topic, group in by.items() if group is not None}
        return Grouping("group", TopicTexts(texts), "by")
    if not isinstance(by, str):
        raise UsageError(f"by is {by!r}; expected the name of a column, or a dict from topics to groups")
    if topics_file is None:
        raise UsageError(f"the {by} of each topic comes from a file of topics; pass topics_file=")
    return Grouping(by, read_values(topics_file, by), os.fspath(topics_file))
