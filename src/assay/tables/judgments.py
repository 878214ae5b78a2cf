"""Judgments: what is relevant, a row a judged document. Their type tells what was judged."""

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
    """The highlighted text of judged documents: spans, each with the row of
    the judgment that it belongs to, in any order.

    Of each judged document: its length, its best entry point, and what the file
    says of how much is highlighted; -1 is not known.
    """

    row: Ints
    start: Ints
    end: Ints
    length: Ints
    entry: Ints
    rsize: Ints


class AssessedElements(NamedTuple):
    """Assessed elements of judged documents: each with the row of the
    judgment that it belongs to, and its path in full.

    Exhaustivity -1 is `?`, too small; a size of -1 is not known. The scale is that of 2003, both grades from 0 to 3, or
    of 2005, exhaustivity from 0 to 2 and specificity a share of the text.
    """

    row: Ints
    path: list[str]
    exhaustivity: Ints
    specificity: Floats
    size: Ints
    scale: str


class Labels(NamedTuple):
    """Whose judgments they are, and of which alternative: the rows as they were told, of which several may be of one
    document.

    Of each: the row of the judgment that it belongs to, the number of its highlighted span (-1 where it highlights
    nothing), its grade, the set of evidence that it belongs to, and its annotator. An empty name is none; a column that
    is not there is None. Of a study also the entry point that the annotator set (-1 if none), and whether the annotator
    saw suggestions of a program.
    """

    row: Ints
    span: Ints
    grade: Grades
    sets: Ids | None
    annotators: Ids | None
    entry: Ints | None = None
    assisted: Bools | None = None


class Facts(NamedTuple):
    """What highlighted spans tell: of each the fact, and the quotation that it is a part of.

    The quotations of a fact are alternatives, of which one is enough. An empty name is none: such a span is a fact, or
    a quotation, of its own. A column that is not there is None.
    """

    fact: Ids | None
    quotation: Ids | None

    def at(self, spans: Ints) -> Facts:
        """Those of some spans."""
        return Facts(*(None if ids is None else ids[spans] for ids in self))


class Subtopics(NamedTuple):
    """The subtopics for which documents were judged: the rows as they were told, of which several may be of one
    document.

    Of each: the row of the judgment that it belongs to, the number of its highlighted span (-1 where it highlights
    nothing), its grade, and its subtopic; an empty one is none, as of a document that is of no use for any.
    """

    row: Ints
    span: Ints
    grade: Grades
    subtopic: Ids


@dataclass(eq=False, repr=False, kw_only=True)
class Judgments(Table):
    """The judged documents, one row each, with a grade; a negative grade means in the pool but not judged.

    If there are `labels`, the table combines all annotators and all sets of evidence: all spans, and the highest
    grades.
    """

    printed_as = "Judgments"

    grade: Grades
    labels: Labels | None = None


class DocumentJudgments(Judgments):
    """Judgments of whole documents: their grades."""


@dataclass(eq=False, repr=False, kw_only=True)
class HighlightJudgments(Judgments):
    """Judgments of highlighted text; the grade is 1 of the documents that have any, and 0 of the others.

    If copies of the evidence count as it does, they are highlighted too, and `copies` has a number for each span: spans
    of a topic with the same number have the same text, of which one is enough. `facts` tells which spans are
    alternatives, if that was told.
    """

    highlights: Highlights
    copies: Ints | None = None
    facts: Facts | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class ElementJudgments(Judgments):
    """Judgments of elements; the grade is 1 of the documents with a relevant one, and 0 of the others."""

    elements: AssessedElements


@dataclass(eq=False, repr=False, kw_only=True)
class SubtopicJudgments(Judgments):
    """Judgments for subtopics; the grade of a document is the highest that it has for any of them."""

    subtopics: Subtopics


@dataclass(eq=False, repr=False, kw_only=True)
class SampleJudgments(Judgments):
    """Judgments of a sample, with the stratum of each document; a negative grade says that it was not sampled."""

    strata: Ids


@dataclass(eq=False, repr=False, kw_only=True)
class HighlightElementJudgments(HighlightJudgments, ElementJudgments):
    """Judgments of highlighted text and of elements, as INEX's assessments are from 2005 on."""


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
    """Make judgments of the type that has these columns; those that are None are left out."""
    columns = {name: column for name, column in columns.items() if column is not None}
    parts = tuple(name for name in ("highlights", "elements", "subtopics", "strata") if name in columns)
    return JUDGMENTS[parts](*table, **columns)


def by_document(topic: Ids, document: Ids) -> tuple[Ints, Ints]:
    """Rows that may tell of one document several times: the first row of each document of a topic, in
    order, and for each row the number of its document.
    """
    keys = scramble(document.keys() + scramble(topic.keys()))
    first, group = group_keys(keys)
    again = np.delete(np.arange(len(keys)), first)
    told = first[group[again]]
    if not np.all(topic[again].same(topic[told]) & document[again].same(document[told])):
        raise AssayError("two different documents have the same 64-bit hash; please report this")
    return first, group


def group_keys(keys: Keys) -> tuple[Ints, Ints]:
    """The first row of each key, in order, and for each row the number of its key; equal neighbours cost little."""
    new = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
    streak = np.flatnonzero(new)
    first, number = number_values(keys[streak])
    is_first = np.zeros(len(streak), bool)
    is_first[first] = True
    place = np.cumsum(is_first)[first] - 1
    return streak[is_first], place[number][np.cumsum(new) - 1]


def whole_if_all(values: Floats) -> Grades:
    """Grades as whole numbers, unless one is not whole."""
    return values.astype(np.int64) if np.all(np.rint(values) == values) else values


def written_grade(grade: float) -> str:
    """A grade as it is printed: 2, not 2.0; unscored where nobody could tell."""
    if grade == UNSCORED:
        return "unscored"
    return str(int(grade) if float(grade).is_integer() else grade)
