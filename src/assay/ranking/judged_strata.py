"""The strata of a sample: how many documents each has, and how many of them were judged."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from assay.ranking.places_by_name import places_by_name
from assay.tables.ids import Bools, Floats, Grades, Ids, Ints


class JudgedStrata:
    """The strata of all topics. Of each judged document there is `place`, the number of its stratum among those of its
    topic, and `weight`, for how many of the stratum a judged one stands: all of them by those that were judged.
    """

    def __init__(self, stratum: Ids, grade: Grades, topic: Ints, topics: int):
        strata, place = places_by_name(stratum)
        pairs, self._stratum = np.unique(topic * max(strata, 1) + place, return_inverse=True)
        self._topic_of = pairs // max(strata, 1)
        self.place = self._stratum - np.searchsorted(self._topic_of, np.arange(topics))[topic]
        self.most = int(self.place.max(initial=-1)) + 1
        self._grade, self._topics = grade, topics
        self._worth = self._count(grade >= -1) / np.maximum(self._count(grade >= 0), 1)
        self.weight = np.where(grade >= 0, self._worth[self._stratum], 0.0)
        self.relevant = lru_cache(self._relevant)

    def _count(self, which: Bools) -> Ints:
        """How many documents of a sort each stratum has."""
        return np.bincount(self._stratum[which], minlength=len(self._topic_of))

    def _relevant(self, rel: float) -> Floats:
        """How many relevant documents each topic is estimated to have."""
        return self.estimated(self._grade >= rel)

    def estimated(self, which: Bools) -> Floats:
        """How many documents of a sort each topic is estimated to have, told by which judged ones are of it."""
        by_stratum = self._worth * self._count(which & (self._grade >= 0))
        return np.bincount(self._topic_of, by_stratum, minlength=self._topics).astype(np.float64)

    def by_grade(self) -> list[tuple[float, Ints]]:
        """How many documents of each grade above 0 each topic is estimated to have, rounded; the highest first."""
        grades = np.unique(self._grade[self._grade > 0])[::-1].tolist()
        return [(grade, np.floor(self.estimated(self._grade == grade) + 0.5).astype(np.int64)) for grade in grades]
