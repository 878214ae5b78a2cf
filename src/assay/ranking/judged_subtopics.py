"""The subtopics of judged documents: which document is relevant to which, and the ideal order for them."""

from functools import cached_property, lru_cache

import numpy as np

from assay.errors import InputError
from assay.tables.ids import Bools, Floats, Grades, Ids, Ints
from assay.tables.judgments import HighlightJudgments, Judgments, SubtopicJudgments, Subtopics

# Names are numbered in the order of the names, so that sums over them do not depend on the order of the rows.


def places_by_name(names: Ids) -> tuple[int, Ints]:
    """Return the number of different names, and for each row the place of its name in byte order."""
    first, number = names.number()
    place = np.empty(len(first), np.int64)
    place[names[first].ascending()] = np.arange(len(first))
    return len(first), place[number]


# Gains whose relative difference is at most this are equal; the difference is rounding.
EQUAL = 1e-12


class JudgedSubtopics:
    """The subtopics of all topics, numbered across topics, and the grades of what was judged for them.

    What was judged are whole documents or passages. `holder` is the number of the document or passage of each row of
    `told`; `topic` and `document` are the topic and the document of each holder. A subtopic that nothing is relevant to
    does not count, as in ndeval.
    """

    def __init__(self, told: Subtopics, holder: Ints, topic: Ints, topics: int, document: Ids):
        named = np.flatnonzero((told.subtopic.length > 0) & (holder >= 0))
        names, place = places_by_name(told.subtopic[named])
        by_name = np.lexsort((place, holder[named]))
        order = named[by_name]
        self._holder, self._grade = holder[order], told.grade[order]
        self._starts = np.searchsorted(self._holder, np.arange(len(topic) + 1))
        pairs = topic[self._holder] * max(names, 1) + place[by_name]
        _, first, self._subtopic = np.unique(pairs, return_index=True, return_inverse=True)
        self._topic_of = topic[self._holder[first]]
        self._document, self._topic, self._topics = document, topic, topics
        self.relevant = lru_cache(self._relevant)
        self.number = lru_cache(self._number)
        self.ideal = lru_cache(maxsize=None)(self._ideal)

    def hits(self, holder: Ints, rel: float) -> tuple[Ints, Ints, Ints]:
        """Return each subtopic that some judged documents or passages are relevant to, in their order.

        Each hit is the index in `holder`, the subtopic, and how often that subtopic occurred at an earlier index.
        """
        begin, number = self._starts[holder], self._starts[holder + 1] - self._starts[holder]
        place = np.repeat(np.arange(len(holder)), number)
        entry = np.arange(len(place)) - np.repeat(np.cumsum(number) - number - begin, number)
        good = self._grade[entry] >= rel
        subtopic = self._subtopic[entry[good]]
        order = np.argsort(subtopic, kind="stable")
        ordered = subtopic[order]
        before = np.empty(len(subtopic), np.int64)
        before[order] = np.arange(len(subtopic)) - np.searchsorted(ordered, ordered)
        return place[good], subtopic, before

    def _relevant(self, rel: float) -> Ints:
        """Return how many documents or passages are relevant to each subtopic."""
        return np.bincount(self._subtopic[self._grade >= rel], minlength=len(self._topic_of))

    def _number(self, rel: float) -> Ints:
        """Return how many subtopics of each topic have anything relevant."""
        return np.bincount(self._topic_of[self.relevant(rel) > 0], minlength=self._topics)

    @cached_property
    def _by_topic(self) -> tuple[Ints, Ints]:
        """The judgments by topic, and where those of each topic begin."""
        order = np.argsort(self._topic, kind="stable")
        return order, np.searchsorted(self._topic[order], np.arange(self._topics + 1))

    @cached_property
    def _document_order(self) -> Ints:
        """The place of each judged document if all are sorted by id."""
        place = np.empty(len(self._document), np.int64)
        place[self._document.ascending()] = np.arange(len(place))
        return place

    def _alike(self, topic: int, rel: float) -> dict[tuple[int, ...], list[int]]:
        """Return the judgments of a topic's relevant documents by their set of subtopics, each list in order of ids."""
        order, starts = self._by_topic
        rows = order[starts[topic] : starts[topic + 1]]
        rows = rows[np.argsort(self._document_order[rows])]
        place, subtopic, _ = self.hits(rows, rel)
        alike: dict[tuple[int, ...], list[int]] = {}
        by_row = np.split(subtopic, np.searchsorted(place, np.arange(1, len(rows))))
        for row, its_own in zip(rows.tolist(), by_row, strict=True):
            if len(its_own):
                alike.setdefault(tuple(sorted(its_own.tolist())), []).append(row)
        return alike

    def _ideal(self, topic: int, alpha: float, rel: float, most: int | None) -> Ints:
        """Return the judgments of a topic's relevant documents in greedy order: next always the one that adds most.

        Finding the best order would take too long. ndeval is greedy too, and breaks equal gains by document id, the
        last id first, as here. Documents with the same subtopics are equally good, so they are compared as one. `most`
        limits the number of documents.
        """
        alike = self._alike(topic, rel)
        known = sorted({subtopic for subtopics in alike for subtopic in subtopics})
        holds = np.array([np.isin(known, subtopics) for subtopics in alike], bool).reshape(len(alike), len(known))
        worth, waiting, chosen_rows = np.ones(len(known)), list(alike.values()), list[int]()
        while any(waiting) and (most is None or len(chosen_rows) < most):
            gain = np.where([bool(same) for same in waiting], holds @ worth, -1.0)
            best = np.flatnonzero(gain >= gain.max() * (1 - EQUAL)).tolist()
            last = {self._document_order[waiting[number][-1]]: number for number in best if waiting[number]}
            chosen = last[max(last)]
            chosen_rows.append(waiting[chosen].pop())
            worth[holds[chosen]] *= 1 - alpha
        return np.array(chosen_rows, np.int64)


def refuse_faulty_subtopics(judgments: SubtopicJudgments) -> None:
    """Refuse documents with two grades for a subtopic, and relevant documents without a subtopic.

    Passages may have no subtopic.
    """
    if not isinstance(judgments, HighlightJudgments):
        refuse_nameless(judgments, judgments.subtopics)
        refuse_twice(judgments, judgments.subtopics)


def refuse_twice(judgments: Judgments, told: Subtopics) -> None:
    """Refuse a document that has two grades for a subtopic."""
    _, number = told.subtopic.number()
    order = np.lexsort((number, told.row))
    row, subtopic = told.row[order], number[order]
    again = order[1:][(row[1:] == row[:-1]) & (subtopic[1:] == subtopic[:-1])]
    if not len(again):
        return
    second = int(again.min())
    row_of = told.row[second]
    earlier = np.flatnonzero((told.row == row_of) & (number == number[second]))[0]
    ((topic,), (document,)) = (ids[row_of : row_of + 1].texts() for ids in (judgments.topic, judgments.document))
    (name,) = told.subtopic[second : second + 1].texts()
    what = f"document {document} is judged twice for subtopic {name} of topic {topic}"
    places = list(judgments.places(topic, document)) if judgments.places else []
    of_document = np.flatnonzero(told.row == row_of).tolist()
    if len(places) != len(of_document):
        raise InputError(what, judgments.name)
    first, last = places[of_document.index(int(earlier))], places[of_document.index(second)]
    raise last.fault(f"{what}{first.first}")


def refuse_nameless(judgments: Judgments, told: Subtopics) -> None:
    """Refuse a relevant document without a subtopic, if others have subtopics."""
    nameless = np.flatnonzero((told.subtopic.length == 0) & (told.grade > 0))
    if len(nameless):
        row = told.row[nameless[0]]
        ((topic,), (document,)) = (ids[row : row + 1].texts() for ids in (judgments.topic, judgments.document))
        what = f"document {document} is relevant to topic {topic} but has no subtopic"
        raise InputError(f"{what}; expected a subtopic for all relevant documents, or for none", judgments.name)


# The strata of a sample: how many documents each has, and how many of them were judged.


class JudgedStrata:
    """The strata of all topics.

    For each judged document, `place` is the number of its stratum within its topic, and `weight` is how many documents
    of the stratum it represents: the size of the stratum divided by the number of its judged documents.
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
        """Return how many of the documents in `which` each stratum has."""
        return np.bincount(self._stratum[which], minlength=len(self._topic_of))

    def _relevant(self, rel: float) -> Floats:
        """Return how many relevant documents each topic is estimated to have."""
        return self.estimate(self._grade >= rel)

    def estimate(self, which: Bools) -> Floats:
        """Return how many documents of a kind each topic is estimated to have.

        `which` are the judged documents of that kind.
        """
        by_stratum = self._worth * self._count(which & (self._grade >= 0))
        return np.bincount(self._topic_of, by_stratum, minlength=self._topics).astype(np.float64)

    def by_grade(self) -> list[tuple[float, Ints]]:
        """Return for each grade above 0 how many documents of it each topic is estimated to have, rounded.

        The highest grade comes first.
        """
        grades = np.unique(self._grade[self._grade > 0])[::-1].tolist()
        return [(grade, np.floor(self.estimate(self._grade == grade) + 0.5).astype(np.int64)) for grade in grades]
