"""Judgments (qrels): one row for each judged document. Their type says what was judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.tables.ids import Bools, Floats, Grades, Ids, Ints, Keys, scramble
from assay.tables.run import Table
from assay.tables.sorting import number_values
from assay.vocabulary import UNSCORED


class Highlights(NamedTuple):
    """The highlighted text of judged documents: spans in any order, each with the row of its judgment.

    `length`, `entry` and `rsize` have one value for each judged document: its length, its best entry point, and the
    number of highlighted characters according to the file. -1 means unknown.
    """

    row: Ints
    start: Ints
    end: Ints
    length: Ints
    entry: Ints
    rsize: Ints


class AssessedElements(NamedTuple):
    """The assessed elements of judged documents, each with the row of its judgment and its full path.

    An exhaustivity of -1 is `?`, too small; a size of -1 is unknown. `scale` is that of 2003, in which both grades go
    from 0 to 3, or that of 2005, in which exhaustivity goes from 0 to 2 and specificity is a share of the text.
    """

    row: Ints
    path: list[str]
    exhaustivity: Ints
    specificity: Floats
    size: Ints
    scale: str


class Labels(NamedTuple):
    """The rows as they were read, with their annotators and sets of evidence; several rows may be about one document.

    Each row has the row of its judgment in the table, the number of its highlighted span (-1 if it highlights nothing),
    its grade, the set of evidence that it belongs to, and its annotator. An empty name means that there is none; a
    column that the input lacks is None. Rows from a study also have the entry point that the annotator set (-1 if
    none), and whether the annotator saw a program's suggestions.
    """

    row: Ints
    span: Ints
    grade: Grades
    sets: Ids | None
    annotators: Ids | None
    entry: Ints | None = None
    assisted: Bools | None = None


class Facts(NamedTuple):
    """The fact that each highlighted span states, and the quotation that it is part of.

    The quotations of a fact are alternatives: one is enough. A span whose name is empty is a fact, or a quotation, of
    its own. A column that the input lacks is None.
    """

    fact: Ids | None
    quotation: Ids | None

    def at(self, spans: Ints) -> Facts:
        """Return the facts and quotations of some spans."""
        return Facts(*(None if ids is None else ids[spans] for ids in self))


class Subtopics(NamedTuple):
    """The rows as they were read, with the subtopic that each was judged for; several rows may be about one document.

    Each row has the row of its judgment in the table, the number of its highlighted span (-1 if it highlights nothing),
    its grade, and its subtopic. An empty subtopic means none, for example if a document is not relevant to any.
    """

    row: Ints
    span: Ints
    grade: Grades
    subtopic: Ids


@dataclass(eq=False, repr=False, kw_only=True)
class Judgments(Table):
    """The judged documents, one row each, with a grade. A negative grade means in the pool but not judged.

    If there are `labels`, the table combines all annotators and all sets of evidence: it has all spans, and for each
    document the highest grade. `unanswerable` are questions that are marked as having no answer; they have no row.
    """

    printed_as = "Judgments"

    grade: Grades
    labels: Labels | None = None
    unanswerable: tuple[str, ...] = ()


class DocumentJudgments(Judgments):
    """Judgments of whole documents: grades."""


@dataclass(eq=False, repr=False, kw_only=True)
class HighlightJudgments(Judgments):
    """Judgments of highlighted text. The grade of a document is 1 if it has highlighted text, else 0.

    If copies of the evidence count as evidence, they are highlighted too, and `copies` has a number for each span:
    spans of a topic with the same number have the same text, and one of them is enough. `facts` says which spans are
    alternatives, if the input says so.
    """

    highlights: Highlights
    copies: Ints | None = None
    facts: Facts | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class ElementJudgments(Judgments):
    """Judgments of elements. The grade of a document is 1 if it has a relevant element, else 0."""

    elements: AssessedElements


@dataclass(eq=False, repr=False, kw_only=True)
class SubtopicJudgments(Judgments):
    """Judgments for subtopics. The grade of a document is its highest grade for any subtopic."""

    subtopics: Subtopics


@dataclass(eq=False, repr=False, kw_only=True)
class SampleJudgments(Judgments):
    """Judgments of a sample, with the stratum of each document. A negative grade means that it was not sampled."""

    strata: Ids


@dataclass(eq=False, repr=False, kw_only=True)
class HighlightElementJudgments(HighlightJudgments, ElementJudgments):
    """Judgments of both highlighted text and elements, such as INEX's assessments since 2005."""


@dataclass(eq=False, repr=False, kw_only=True)
class HighlightSubtopicJudgments(HighlightJudgments, SubtopicJudgments):
    """Judgments of highlighted text that is relevant to subtopics."""


JUDGMENTS = {
    (): DocumentJudgments,
    ("highlights",): HighlightJudgments,
    ("elements",): ElementJudgments,
    ("subtopics",): SubtopicJudgments,
    ("strata",): SampleJudgments,
    ("highlights", "elements"): HighlightElementJudgments,
    ("highlights", "subtopics"): HighlightSubtopicJudgments,
}


def make_judgments(*table: Any, **columns: Any) -> Judgments:
    """Make judgments of the type that has these columns. Columns that are None are left out."""
    columns = {name: column for name, column in columns.items() if column is not None}
    parts = tuple(name for name in ("highlights", "elements", "subtopics", "strata") if name in columns)
    return JUDGMENTS[parts](*table, **columns)


def by_document(topic: Ids, document: Ids) -> tuple[Ints, Ints]:
    """Return the first row of each document of a topic, in order, and for each row the number of its document.

    Several rows may be about the same document.
    """
    keys = scramble(document.keys() + scramble(topic.keys()))
    first, group = group_keys(keys)
    again = np.delete(np.arange(len(keys)), first)
    told = first[group[again]]
    if not np.all(topic[again].same(topic[told]) & document[again].same(document[told])):
        raise AssayError("two different documents have the same 64-bit hash; please report this")
    return first, group


def group_keys(keys: Keys) -> tuple[Ints, Ints]:
    """Return the first row of each key, in order, and for each row the number of its key.

    It is fast if equal keys are next to each other.
    """
    new = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
    streak = np.flatnonzero(new)
    first, number = number_values(keys[streak])
    is_first = np.zeros(len(streak), bool)
    is_first[first] = True
    place = np.cumsum(is_first)[first] - 1
    return streak[is_first], place[number][np.cumsum(new) - 1]


def whole_if_all(values: Floats) -> Grades:
    """Return grades as integers if all of them are whole numbers."""
    return values.astype(np.int64) if np.all(np.rint(values) == values) else values


def written_grade(grade: float) -> str:
    """Return a grade as it is printed: 2, not 2.0, and "unscored" if nobody could grade the document."""
    if grade == UNSCORED:
        return "unscored"
    return str(int(grade) if float(grade).is_integer() else grade)
