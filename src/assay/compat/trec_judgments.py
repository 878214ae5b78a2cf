"""The judgments of trec_eval in each of its formats; they turn topics of a run into what the measures take."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from assay.compat import trec_files
from assay.compat.trec_measures import Preferred, TopicPreferences, TrecOptions
from assay.errors import InputError
from assay.ranking.align import align
from assay.ranking.documents import Ranking, Values
from assay.ranking.order import Rules, in_single_precision
from assay.ranking.pool import Pool
from assay.tables.ids import Ints
from assay.tables.judgments import DocumentJudgments
from assay.tables.run import DocumentRun


class SequentialSums(Ranking):
    """A ranking that adds fractions in row order, as C does, because another order may change the last digit."""

    @classmethod
    def of(cls, ranking: Ranking) -> SequentialSums:
        """Convert a ranking and its ideal ranking."""
        columns = {column.name: getattr(ranking, column.name) for column in fields(ranking)}
        ideal = ranking.ideal
        return cls(**columns | {"ideal": None if ideal is None else ideal.once("in turn", lambda: cls.of(ideal))})

    def total(self, x: Values, name: str = "") -> Values:
        """Return the sum of x over each topic."""
        if x.dtype.kind != "f":
            return super().total(x, name)
        return np.append(self.running(x), 0.0)[np.where(self.rows > 0, self.starts[1:] - 1, -1)]


@dataclass(frozen=True)
class Part:
    """Some topics, what the measures take for them, and the topics that cannot be evaluated with the reason."""

    topics: list[str]
    seen: Any
    faults: dict[str, trec_files.Refused] = field(default_factory=dict)


class Evidence(ABC):
    """Judgments in one of the formats; `needed_by` is the `needs` of the measures that work with them."""

    needed_by = ""

    def __init__(self, judgments: trec_files.Columns, options: TrecOptions):
        self.name, self.options = judgments.name, options
        self.topics = sorted(judgments.names)

    @property
    def relevant(self) -> int:
        """The number of relevant documents of all topics, for -c; it ignores -l, so a grade above 0 is relevant."""
        return 0

    def refuses_first(self, topic: str) -> trec_files.Refused | None:
        """Return the error if this topic cannot be the first one to evaluate, or None."""
        return None

    @abstractmethod
    def of_run(self, run: trec_files.Columns) -> Part:
        """Return the judged topics of a part of a run."""

    @abstractmethod
    def of_missing(self, topics: list[str]) -> Part:
        """Return topics that the run lacks; version 10 gives each of them one unjudged result."""


class DocumentPool:
    """Judged documents, prepared for lookups."""

    def __init__(self, judgments: trec_files.Columns, options: TrecOptions):
        self.options = options
        judged = DocumentJudgments(judgments.name, judgments.topic, judgments.document, grade=judgments.numbers)
        self.pool = Pool(judged)
        self.rules = Rules("docno", options.depth or None, options.judged_only, single_precision=options.version < 10)
        self._numbers = {topic: number for number, topic in enumerate(self.pool.topics)}

    def of_run(self, run: trec_files.Columns) -> tuple[list[str], Ranking]:
        """Return the judged topics of a part of a run, and their ranking."""
        if self.options.depth == 0:
            return self._without_judged(run.names, retrieved=0)
        aligned = align(DocumentRun(run.name, run.topic, run.document, score=run.numbers), self.pool, self.rules)
        return [self.pool.topics[number] for number in aligned.topics.tolist()], SequentialSums.of(aligned.ranking)

    def of_missing(self, topics: list[str]) -> tuple[list[str], Ranking]:
        """Return the judged ones among some topics, and their ranking with one unjudged document retrieved."""
        return self._without_judged(topics, 0 if self.options.judged_only or self.options.depth == 0 else 1)

    def _without_judged(self, topics: Iterable[str], retrieved: int) -> tuple[list[str], Ranking]:
        names = [topic for topic in topics if topic in self._numbers]
        numbers = np.array([self._numbers[topic] for topic in names], np.int64)
        nothing = replace(self.pool.nothing_for(numbers), retrieved=np.full(len(numbers), retrieved))
        return names, SequentialSums.of(nothing)


class QrelsEvidence(Evidence):
    """Grades of documents."""

    needed_by = "qrels"

    def __init__(self, judgments: trec_files.Columns, options: TrecOptions):
        super().__init__(judgments, options)
        self._grades = judgments.numbers
        self._never_judged = set(self.topics) - set(judgments.topic[_judged_rows(judgments)].texts())
        self._faults: dict[str, trec_files.Refused] = {}
        try:
            self._pool: DocumentPool | None = DocumentPool(judgments, options)
        except InputError:
            self._faults = standing_twice(judgments)
            judgments = judgments.without(self._faults)
            self._pool = DocumentPool(judgments, options) if len(judgments.topic) else None

    @property
    def relevant(self) -> int:
        """The number of documents with a grade above 0."""
        return int(np.count_nonzero(self._grades > 0))

    def refuses_first(self, topic: str) -> trec_files.Refused | None:
        """Return an error if nothing was judged for the topic: such a topic scores 0, but cannot be the first."""
        return (
            trec_files.Refused(4, f"topic {trec_files.decoded_for_message(topic)}: all judgments are negative")
            if topic in self._never_judged
            else None
        )

    def of_run(self, run: trec_files.Columns) -> Part:
        """Return the ranking of the judged topics of a part of a run."""
        faults = self._faults
        if self._pool is None:
            return Part([], None, faults)
        try:
            return Part(*self._pool.of_run(run), faults)
        except InputError:
            run, doubled = without_duplicates(run, self.options)
            return (
                Part(*self._pool.of_run(run), faults | doubled) if len(run.topic) else Part([], None, faults | doubled)
            )

    def of_missing(self, topics: list[str]) -> Part:
        """Return the ranking of topics that the run lacks."""
        return Part(*self._pool.of_missing(topics), self._faults) if self._pool else Part([], None, self._faults)


class GroupedEvidence(Evidence):
    """Grades of documents by several groups of assessors."""

    needed_by = "qrels_jg"

    def __init__(self, judgments: trec_files.Columns, options: TrecOptions):
        super().__init__(judgments, options)
        rows = defaultdict(list)
        for row, group in enumerate(judgments.ids["group"].texts()):
            rows[group].append(row)
        self._pools = [DocumentPool(judgments.only(rows[group]), options) for group in sorted(rows)]

    def of_run(self, run: trec_files.Columns) -> Part:
        """Return the rankings of the judged topics of a part of a run, group by group."""
        try:
            return self._gathered((pool.of_run(run) for pool in self._pools), {})
        except InputError:
            run, doubled = without_duplicates(run, self.options)
            return self._gathered((pool.of_run(run) for pool in self._pools if len(run.topic)), doubled)

    def of_missing(self, topics: list[str]) -> Part:
        """Return the rankings of topics that the run lacks."""
        return self._gathered((pool.of_missing(topics) for pool in self._pools), {})

    def _gathered(self, parts: Iterable[tuple[list[str], Ranking]], faults: dict[str, trec_files.Refused]) -> Part:
        judged = [(topics, ranking) for topics, ranking in parts if topics]
        names = sorted({topic for topics, _ in judged for topic in topics})
        number = {topic: place for place, topic in enumerate(names)}
        groups = [(np.array([number[topic] for topic in topics]), ranking) for topics, ranking in judged]
        return Part(names, trec_files.GroupedRankings(len(names), groups), faults)


class PreferenceEvidence(Evidence):
    """Preferences between documents. Ties are broken by document id, the smaller first; -J has no effect."""

    needed_by = "prefs"

    def __init__(self, judgments: trec_files.Columns, options: TrecOptions):
        super().__init__(judgments, options)
        self._lines: dict[str, list[Preferred]] = defaultdict(list)
        for topic, group, *subgroup, document, level in judgments.rows():
            self._lines[topic].append(Preferred(group, subgroup[0] if subgroup else "0", document, level))

    def of_run(self, run: trec_files.Columns) -> Part:
        """Return the preferences of the judged topics of a part of a run."""
        scores = -compared_scores(run, self.options)
        order = run.document.ascending(scores)
        ranked: dict[str, list[str]] = defaultdict(list)
        for topic, document in zip(run.topic[order].texts(), run.document[order].texts(), strict=True):
            if topic in self._lines and len(ranked[topic]) < (
                len(order) if self.options.depth is None else self.options.depth
            ):
                ranked[topic].append(document)
        return self._part(ranked)

    def of_missing(self, topics: list[str]) -> Part:
        """Return the preferences of topics for which no judged document was retrieved."""
        return self._part({topic: [] for topic in topics})

    def _part(self, ranked: dict[str, list[str]]) -> Part:
        preferences, faults = {}, {}
        for topic, documents in ranked.items():
            try:
                refuse_repeated(documents)
                preferences[topic] = TopicPreferences.of(self._lines[topic], documents)
            except trec_files.Refused as refused:
                faults[topic] = trec_files.Refused(
                    refused.status, f"topic {trec_files.decoded_for_message(topic)}: {refused}"
                )
        return Part(list(preferences), list(preferences.values()), faults)


FORMATS = {
    "qrels": (trec_files.QRELS, QrelsEvidence),
    "qrels_jg": (trec_files.GROUPED_QRELS, GroupedEvidence),
    "prefs": (trec_files.PREFERENCES, PreferenceEvidence),
    "qrels_prefs": (trec_files.GRADED_PREFERENCES, PreferenceEvidence),
}


def read_evidence(options: TrecOptions) -> Evidence:
    """Read the judgments that the options name."""
    layout, kind = FORMATS[options.format]
    evidence: Evidence = kind(trec_files.read_rows(options.judgments, layout, comments=options.version >= 10), options)
    return evidence


def _judged_rows(judgments: trec_files.Columns) -> Ints:
    """Return one row with a grade of 0 or more from each streak of rows of a topic that has one."""
    starts = judgments.topic.breaks()
    judged = np.append(np.flatnonzero(judgments.numbers >= 0), len(judgments.topic))
    first = judged[np.searchsorted(judged, starts[:-1])]
    return first[first < starts[1:]]


def compared_scores(run: trec_files.Columns, options: TrecOptions) -> Values:
    """Return the scores that decide the order: version 9 rounds them to single precision."""
    return run.numbers if options.version >= 10 else in_single_precision(run.numbers)


def without_duplicates(
    run: trec_files.Columns, options: TrecOptions
) -> tuple[trec_files.Columns, dict[str, trec_files.Refused]]:
    """Return the run without the topics that have a document twice, and errors for those topics.

    Results beyond -M may repeat a document.
    """
    run = cut_to_most(run, set(run.doubled()), options)
    faults = standing_twice(run)
    return run.without(faults), faults


def standing_twice(rows: trec_files.Columns) -> dict[str, trec_files.Refused]:
    """Return the topics that have a document twice, with an error for each."""
    text = trec_files.decoded_for_message
    return {
        topic: trec_files.Refused(4, f"topic {text(topic)}: document {text(document)} appears twice")
        for topic, document in rows.doubled().items()
    }


def refuse_repeated(documents: list[str]) -> None:
    """Raise an error if a document appears twice in a topic."""
    if len(set(documents)) < len(documents):
        document = next(document for place, document in enumerate(documents) if document in documents[:place])
        raise trec_files.Refused(4, f"document {trec_files.decoded_for_message(document)} appears twice")


def cut_to_most(run: trec_files.Columns, topics: set[str], options: TrecOptions) -> trec_files.Columns:
    """Drop the results of some topics that are beyond -M."""
    if options.depth is None:
        return run
    scores, names, documents = compared_scores(run, options), run.topic.texts(), run.document.texts()
    rows = [row for row, topic in enumerate(names) if topic in topics]
    rows.sort(key=lambda row: (scores[row], documents[row]), reverse=True)
    length: dict[str, int] = defaultdict(int)
    beyond = set()
    for row in rows:
        length[names[row]] += 1
        if length[names[row]] > options.depth:
            beyond.add(row)
    return run.only(row for row in range(len(names)) if row not in beyond)
