"""Several gold standards for a topic: several annotators, each with one or more sets of evidence.

One set of an annotator is enough, so the best value over the annotator's sets counts. Each set of each annotator is an
ordinary table of judgments, and a ranking is measured against each of them, so measures need not know about sets. A
document that is judged in one set of an annotator is judged in all of them. A document that only another annotator
judged is in the pool but not judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from assay.errors import InputError, UsageError, list_names
from assay.ranking.pool import Pool
from assay.tables.ids import Bools, Floats, Ids, Ints, each_once
from assay.tables.judgments import HighlightJudgments, Highlights, Judgments, Labels
from assay.tables.notes import Notes
from assay.vocabulary import ANNOTATORS

# Lower than any grade.
NOT_TOLD = np.iinfo(np.int64).min


@dataclass(frozen=True, eq=False)
class Standard:
    """One set of evidence of one annotator for a topic: `rows` are the rows of the labels that belong to it.

    `seen` are all rows of the annotator; `annotator` is the annotator's number within the topic.
    """

    annotator: int
    name: str
    rows: list[int]
    seen: list[int]


# The gold standards of each topic.
ByTopic = dict[str, list[Standard]]


def standards_of(judgments: Judgments) -> ByTopic:
    """Return the gold standards of each topic; annotators and sets are sorted by name.

    A row without a label that is not evidence belongs to all sets or annotators of its topic.
    """
    labels = judgments.labels
    assert labels is not None
    is_evidence = (labels.grade > 0).tolist()
    by_topic: dict[str, dict[str, dict[str, list[int]]]] = {}
    topics, rows = judgments.topic.texts(), labels.row.tolist()
    named = zip(rows, row_names(labels.annotators, len(rows)), row_names(labels.sets, len(rows)), strict=True)
    for number, (row, annotator, of_set) in enumerate(named):
        by_topic.setdefault(topics[row], {}).setdefault(annotator, {}).setdefault(of_set, []).append(number)
    standards: ByTopic = {}
    for topic, by_annotator in by_topic.items():
        of_nobody = by_annotator.pop("") if "" in by_annotator and len(by_annotator) > 1 else {}
        shared = [*chain(*of_nobody.values())]
        refuse_evidence(shared, is_evidence, topic, "annotator", judgments)
        told = standards.setdefault(topic, [])
        for number, (name, by_set) in enumerate(sorted(by_annotator.items())):
            seen = [*shared, *chain(*by_set.values())]
            of_all = by_set.pop("") if "" in by_set and len(by_set) > 1 else []
            refuse_evidence(of_all, is_evidence, topic, "set", judgments)
            told += [Standard(number, name, [*in_set, *of_all, *shared], seen) for _, in_set in sorted(by_set.items())]
    return standards


def refuse_evidence(rows: list[int], is_evidence: list[bool], topic: str, label: str, judgments: Judgments) -> None:
    """Refuse evidence without a label if other evidence has one, because it could belong to any set or annotator."""
    if any(is_evidence[row] for row in rows):
        what = f"topic {topic} has evidence with {label} and evidence without it"
        raise InputError(f"{what}; expected {label} for all evidence, or for none", judgments.name)


def row_names(ids: Ids | None, rows: int) -> list[str]:
    """Return the labels of rows; empty strings if there is no such column."""
    return [""] * rows if ids is None else ids.texts()


def part_of(judgments: Judgments, standards: dict[str, Standard]) -> Judgments:
    """Return the judgments of some topics according to one gold standard each, with the labels of its rows."""
    labels = judgments.labels
    assert labels is not None
    kept = np.array([topic in standards for topic in judgments.topic.texts()], bool)
    place = np.cumsum(kept) - 1
    told = sorted_rows(row for standard in standards.values() for row in standard.rows)
    seen = sorted_rows(row for standard in standards.values() for row in standard.seen)
    is_seen = np.zeros(len(judgments), bool)
    is_seen[labels.row[seen]] = True
    grade = np.full(len(judgments), NOT_TOLD, labels.grade.dtype)
    is_text = isinstance(judgments, HighlightJudgments)
    np.maximum.at(grade, labels.row[told], (labels.span >= 0)[told] if is_text else labels.grade[told])
    grade = np.where(grade > NOT_TOLD, grade, np.where(is_seen, 0, -1))
    spans = labels.span[told][labels.span[told] >= 0]
    number = np.full(int(labels.span.max(initial=-1)) + 1, -1)
    number[spans] = np.arange(len(spans))
    renumbered = np.where(labels.span[told] >= 0, number[labels.span[told]], -1) if len(number) else labels.span[told]
    sets, annotators = (None if ids is None else ids[told] for ids in (labels.sets, labels.annotators))
    own = Labels(place[labels.row[told]], renumbered, labels.grade[told], sets, annotators)
    part = replace(
        judgments, topic=judgments.topic[kept], document=judgments.document[kept], grade=grade[kept], labels=own
    )
    if not isinstance(part, HighlightJudgments):
        return part
    row, start, end, *facts = part.highlights
    highlights = Highlights(place[row[spans]], start[spans], end[spans], *(fact[kept] for fact in facts))
    return replace(
        part,
        highlights=highlights,
        copies=None if part.copies is None else part.copies[spans],
        facts=None if part.facts is None else part.facts.at(spans),
    )


def sorted_rows(rows: Iterable[int]) -> Ints:
    """Return row numbers, each once and in order."""
    return each_once(np.fromiter(rows, np.int64))


def checked_standards(judgments: Judgments) -> ByTopic:
    """Return the gold standards of each topic; refuse two grades for a document in one of them.

    With highlighted text, a document may have any number of spans instead.
    """
    by_topic = standards_of(judgments)
    if not isinstance(judgments, HighlightJudgments):
        for topic, standards in by_topic.items():
            refuse_two_grades(judgments, topic, standards)
    return by_topic


def refuse_two_grades(judgments: Judgments, topic: str, standards: list[Standard]) -> None:
    """Refuse a gold standard in which a document has two grades."""
    assert judgments.labels is not None
    for standard in standards:
        rows = judgments.labels.row[standard.rows]
        if len(each_once(rows)) < len(rows):
            again = next(row for row in rows.tolist() if np.count_nonzero(rows == row) > 1)
            (document,) = judgments.document[again : again + 1].texts()
            by = f" by annotator {standard.name}" if standard.name else ""
            raise InputError(f"document {document} is judged twice for topic {topic}{by} in one set", judgments.name)


def refuse_unknown_annotators(annotators: str | None, known: list[str], name: str) -> None:
    """Refuse `annotators` if the judgments have no annotators, or none of that name."""
    if annotators is not None and not known:
        raise UsageError(f"annotators={annotators} requires judgments with annotators, but {name} has none")
    if annotators not in (None, *ANNOTATORS, *known):
        expected = f"choose from {', '.join(ANNOTATORS)} or {list_names(known, 12)}"
        raise UsageError(f"{name} has no annotator {annotators!r}; {expected}")


def of_annotators(judgments: Judgments, annotators: str | None) -> Judgments:
    """Return the judgments that `annotators` selects: of all annotators, all combined (union), or one by name."""
    refuse_unknown_annotators(annotators, annotators_of(judgments), judgments.name)
    return select_annotators(judgments, annotators)


def select_annotators(judgments: Judgments, annotators: str | None) -> Judgments:
    """Do what `of_annotators` does for a part of the judgments, in which a known annotator may have no rows."""
    labels = judgments.labels
    by_topic = checked_standards(judgments) if labels is not None else {}
    if annotators in (None, "mean", "best"):
        return judgments
    if labels is None:
        none = np.zeros(0, np.int64)
        unlabelled = Labels(none, none, none, None, None)
        return judgments if annotators == "union" else part_of(replace(judgments, labels=unlabelled), {})
    if annotators == "union":
        return replace(judgments, labels=labels._replace(annotators=None))
    own = {
        topic: replace(standard, rows=standard.seen)
        for topic, told in by_topic.items()
        for standard in told
        if standard.name == annotators
    }
    alone = part_of(judgments, own)
    assert alone.labels is not None
    return replace(alone, labels=alone.labels._replace(annotators=None))


def annotators_of(judgments: Judgments) -> list[str]:
    """Return the names of all annotators, sorted."""
    labels = judgments.labels
    return sorted(set(row_names(labels.annotators, len(labels.row))) - {""}) if labels is not None else []


def with_several_annotators(by_topic: ByTopic) -> int:
    """Return the number of topics that have several annotators."""
    return sum(len({each.annotator for each in told}) > 1 for told in by_topic.values())


def with_several_sets(by_topic: ByTopic) -> int:
    """Return the number of topics for which an annotator has several sets of evidence."""
    return sum(len(told) > len({each.annotator for each in told}) for told in by_topic.values())


class GoldStandards:
    """The gold standards of judgments as pools: the first of each topic, the second of those with two, and so on.

    `places` are the indices of each pool's topics among all topics. If `only_relevant`, a standard without evidence
    does not count. If `best`, the best value over annotators counts instead of the mean.
    """

    def __init__(self, pool: Pool, best: bool = False, only_relevant: bool = False):
        self.best = best
        self.by_topic = standards_of(pool.judgments)
        numbered = {topic: number for number, topic in enumerate(pool.topics)}
        self.pools: list[Pool] = []
        self.places: list[Ints] = []
        self._annotator = np.full((self.most, len(numbered)), -1)
        for number in range(self.most):
            standards = {topic: told[number] for topic, told in self.by_topic.items() if number < len(told)}
            part = part_of(pool.judgments, standards)
            own = Pool(part, pool.documents, pool.tokens, pool.top_grade, pool.has_whitespace)
            places = np.array([numbered[topic] for topic in own.topics])
            counts = ~own.topics_without_relevant if only_relevant else np.ones(len(places), bool)
            annotators = np.array([standards[topic].annotator for topic in own.topics])
            self._annotator[number, places] = np.where(counts, annotators, -1)
            self.pools.append(own)
            self.places.append(places)

    @property
    def most(self) -> int:
        """The greatest number of gold standards of a topic."""
        return max(map(len, self.by_topic.values()))

    def notes(self, annotators: str | None) -> Notes:
        """Return notes on topics with several sets of evidence or several annotators.

        Several annotators are noted only if the user did not choose `annotators`.
        """
        notes = Notes()
        if annotators is None:
            notes.add("annotated", with_several_annotators(self.by_topic))
        notes.add("alternatives", with_several_sets(self.by_topic))
        return notes

    def of_topic(self, topic: str) -> Iterator[tuple[Pool, str]]:
        """Yield the gold standards of a topic as pools, each with its annotator and set if there are several."""
        told = self.by_topic[topic]
        for number, (pool, standard) in enumerate(zip(self.pools, told, strict=False)):
            of_annotator = [each for each in told if each.annotator == standard.annotator]
            which = [f"set {of_annotator.index(standard) + 1}"] if len(of_annotator) > 1 else []
            who = [f"annotator {standard.name}"] if standard.name else []
            yield pool, ", ".join([*who, *which]) or (f"standard {number + 1}" if len(told) > 1 else "")

    def is_mean(self, topic: str) -> bool:
        """Return whether the value of a topic is a mean over annotators."""
        return not self.best and len({standard.annotator for standard in self.by_topic[topic]}) > 1

    def combine(self, values: Floats, less_is_better: Bools, mean_of_sets: Bools | None = None) -> Floats:
        """Combine values[standard, measure, topic] into values[measure, topic].

        Over the sets of an annotator, the best value counts, or the mean for measures in `mean_of_sets`. Over
        annotators, the mean counts, or the best if `best` is set. Values of standards that do not count for a topic are
        ignored.
        """
        sign = np.where(less_is_better, -1.0, 1.0)[:, None]
        told = []
        for annotator in range(int(self._annotator.max(initial=-1)) + 1):
            of_sets = np.where((self._annotator == annotator)[:, None, :], values * sign, np.nan)
            best = np.fmax.reduce(of_sets, axis=0)
            told.append(best if mean_of_sets is None else np.where(mean_of_sets[:, None], known_mean(of_sets), best))
        by_annotator = np.stack(told) if told else np.full((1, *values.shape[1:]), np.nan)
        if self.best:
            return np.asarray(np.fmax.reduce(by_annotator, axis=0) * sign)
        return known_mean(by_annotator) * sign


def known_mean(values: Floats) -> Floats:
    """Return the mean over the first axis, ignoring NaN; NaN if there is no value."""
    known = ~np.isnan(values)
    number = known.sum(axis=0)
    mean = np.where(known, values, 0).sum(axis=0) / np.maximum(number, 1)
    return np.where(number > 0, mean, np.nan)
