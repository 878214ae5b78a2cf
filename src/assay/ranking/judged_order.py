"""The order of judged topics, and of the judgments of a topic."""

from __future__ import annotations

import numpy as np

from assay.tables.ids import Grades, Ids, Ints
from assay.tables.sorting import ascending


def highest_first(topic: Ints, grade: Grades) -> Ints:
    """The order of judgments by topic, and within it by grade; equal ones stay as they stand."""
    if grade.dtype == np.int64:
        return ascending(topic, grade.max() - grade)
    return np.lexsort((-grade, topic))


def natural_order(topics: Ids, names: list[str]) -> Ints:
    """The order of topics that people expect: by number where all are numbers, else by their text."""
    if not all(name.isdecimal() for name in names):
        return topics.ascending()
    if any(name[0] == "0" or not name.isascii() for name in names):
        digits = [name.lstrip("0") for name in names]
        by_number = sorted(range(len(names)), key=lambda at: (len(digits[at]), digits[at], names[at]))
        return np.array(by_number, np.int64)
    return topics.ascending(topics.length)
