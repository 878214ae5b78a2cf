"""How alike annotators are: what two of them marked in the same document for the same topic, character by character."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import combinations, compress
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, counted
from assay.reading.read import opened_documents, read_judgments
from assay.showing.layout import render
from assay.tables.ids import Bools, Floats, Ints
from assay.tables.intervals import Marks, Spans
from assay.tables.judgments import HighlightJudgments, Highlights, Judgments, Labels

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection
    from assay.reading.input_types import DocumentsLike, JudgmentsLike

ALL = "all"
# What is said below the table, with the lengths of documents and without.
CAPTION = "means over pairs; kappa is inflated by unmarked text; alpha is over all characters together"
WITHOUT_LENGTHS = "means over pairs"


@dataclass(frozen=True, eq=False, repr=False)
class Pairs:
    """Pairs of annotators of a document: how much each marked, and how much both did.

    `length` is that of the document, -1 where it is not known; `annotators` is the number of all who judged the
    document.
    """

    topic: list[str]
    document: list[str]
    first: list[str]
    second: list[str]
    marked: Ints
    marked_by_other: Ints
    shared: Ints
    length: Ints
    annotators: Ints

    def __len__(self) -> int:
        return len(self.topic)

    def of(self, kept: Bools) -> Pairs:
        """Some of the pairs, as if no others had judged."""
        topic, document, first, second = (
            list(compress(column, kept)) for column in (self.topic, self.document, self.first, self.second)
        )
        marked, by_other, shared, length = (
            column[kept] for column in (self.marked, self.marked_by_other, self.shared, self.length)
        )
        return Pairs(topic, document, first, second, marked, by_other, shared, length, np.full(len(topic), 2))

    @property
    def union(self) -> Ints:
        """How much either marked."""
        return self.marked + self.marked_by_other - self.shared

    @property
    def f1(self) -> Floats:
        """The character F1 of each pair; NaN where neither marked anything."""
        return quotient(2 * self.shared, self.marked + self.marked_by_other)

    @property
    def jaccard(self) -> Floats:
        """The shared text of each pair as a part of what either marked; NaN where neither marked anything."""
        return quotient(self.shared, self.union)

    @property
    def overlap(self) -> Floats:
        """Whether each pair shares any text; NaN where neither marked anything."""
        return np.where(self.union > 0, self.shared > 0, np.nan)

    @property
    def kappa(self) -> Floats:
        """Cohen's kappa over the characters of the document of each pair; NaN where chance alone would agree on all."""
        length = self.length.astype(np.float64)
        agreed = 1 - (self.union - self.shared) / length
        first, second = self.marked / length, self.marked_by_other / length
        by_chance = first * second + (1 - first) * (1 - second)
        return quotient(agreed - by_chance, 1 - by_chance)

    @property
    def alpha(self) -> float:
        """Krippendorff's alpha, nominal, over the characters of all documents; NaN where nothing, or all, was marked.
        """
        # each pair stands for 1 / (annotators - 1) of the values of its two annotators
        weight = 1 / (self.annotators - 1)
        disagreed = float(((self.union - self.shared) * weight).sum())
        marked = float(((self.marked + self.marked_by_other) * weight).sum())
        unmarked = float((2 * self.length * weight).sum()) - marked
        if not marked or not unmarked:
            return float("nan")
        return 1 - (marked + unmarked - 1) * disagreed / (marked * unmarked)


def quotient(part: Floats | Ints, whole: Floats | Ints) -> Floats:
    """A ratio; NaN of nothing."""
    return np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)


@dataclass(frozen=True, eq=False, repr=False)
class Agreement:
    """How alike annotators are: for any two of them, and over all pairs.

    A pair is two annotators who judged the same document for the same topic. kappa and alpha are there where the
    lengths of the documents are known. `notes` say what was decided.
    """

    pairs: Pairs
    notes: list[str] = field(default_factory=list)

    @property
    def has_lengths(self) -> bool:
        """Whether the length of each document is known."""
        return bool((self.pairs.length >= 0).all())

    @property
    def header(self) -> list[str]:
        """The columns of the table."""
        return [
            "annotator",
            "other",
            "pairs",
            "F1",
            "Jaccard",
            "any overlap",
            *(["kappa", "alpha"] if self.has_lengths else []),
        ]

    def rows(self) -> list[list[Any]]:
        """A row for any two annotators who have a document in common, and one for all pairs."""
        who = list(zip(self.pairs.first, self.pairs.second, strict=True))
        parts = [(names, self.pairs.of(np.array([each == names for each in who], bool))) for names in sorted(set(who))]
        return [[*names, *self._values(part)] for names, part in [*parts, ((ALL, ALL), self.pairs)]]

    def _values(self, pairs: Pairs) -> list[Any]:
        means = [mean(values) for values in (pairs.f1, pairs.jaccard, pairs.overlap)]
        return [len(pairs), *means, *([mean(pairs.kappa), pairs.alpha] if self.has_lengths else [])]

    def __getitem__(self, name: str) -> float:
        """`agreement["F1"]` is the value over all pairs."""
        return float(dict(zip(self.header[2:], self._values(self.pairs), strict=True))[name])

    def frame(self) -> Any:
        """A polars frame with a row for each pair."""
        import polars as pl

        pairs = self.pairs
        columns: dict[str, Any] = {
            "topic": pairs.topic, "document": pairs.document, "annotator": pairs.first, "other": pairs.second,
            "marked": pairs.marked, "marked by other": pairs.marked_by_other, "shared": pairs.shared,
            "F1": pairs.f1, "Jaccard": pairs.jaccard,
        }  # fmt: skip
        return pl.DataFrame(columns | ({"kappa": pairs.kappa} if self.has_lengths else {}))

    def show(self, layout: str = "text", digits: int = 4) -> str:
        """The table as text, tsv, csv, json, md, latex or html."""
        if layout == "json":
            records = [dict(zip(self.header, row, strict=True)) for row in self.rows()]
            finite = [{name: None if value != value else value for name, value in record.items()} for record in records]
            return json.dumps(finite, indent=1, ensure_ascii=False) + "\n"
        return render(layout, self.header, self.rows(), 2, digits, CAPTION if self.has_lengths else WITHOUT_LENGTHS)

    def __repr__(self) -> str:
        return "\n".join([self.show().rstrip(), *self.notes])

    def _repr_html_(self) -> str:
        return self.show("html")


def mean(values: Floats) -> float:
    """The mean of the values that there are."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def agreement(
    judgments: JudgmentsLike, *, documents: DocumentsLike | None = None, format: str | None = None
) -> Agreement:
    """How alike the annotators of judgments are, by what two of them marked in the same document for the same topic.

    judgments: with highlighted text and a column annotator. documents: a folder, an archive or a JSONL file, or a dict
    from ids to texts, that tell the lengths of documents, which kappa and alpha need, where the judgments do not.

    Character F1, whose mean over pairs is positive specific agreement (Hripcsak and Rothschild, JAMIA 12(3), 2005);
    Jaccard; Cohen's kappa per character, which unmarked text inflates; Krippendorff's alpha over the characters of all
    documents.
    """
    collection = opened_documents(documents)
    judged = read_judgments(judgments, format, documents=collection)
    if not isinstance(judged, HighlightJudgments):
        raise InputError("has grades; expected highlighted text, of which annotators tell where it is", judged.name)
    if (labels := judged.labels) is None or labels.annotators is None:
        raise InputError("has no annotators; expected a column annotator", judged.name)
    pairs = pairs_of(judged, labels, labels.annotators.texts(), known_lengths(judged, collection))
    if not len(pairs):
        raise InputError("has no document that two annotators judged for one topic", judged.name)
    refuse_beyond(judged, pairs)
    notes = []
    if unknown := int((pairs.length < 0).sum()):
        what = f"the lengths of the documents of {unknown:,} of {counted(len(pairs), 'pair')} are not known"
        notes.append(f"{judged.name}: {what}, which kappa and alpha need; give documents= to have them looked up")
    if nothing := int((pairs.union == 0).sum()):
        notes.append(f"{judged.name}: {counted(nothing, 'pair')} marked nothing, and count in alpha alone")
    return Agreement(pairs, notes)


def known_lengths(judged: HighlightJudgments, collection: DocumentCollection | None) -> Ints:
    """The length of each judged document; -1 where it is not known."""
    length = judged.highlights.length
    if collection is None or (length >= 0).all():
        return length
    return np.where(length < 0, collection.lengths(judged.document.texts(), missing="unknown"), length)


def pairs_of(judged: HighlightJudgments, labels: Labels, annotators: list[str], length: Ints) -> Pairs:
    """All pairs of annotators of each document, in the order of their names."""
    highlights = judged.highlights
    # what an annotator told of a document is numbered, by document and name
    told = list(zip(labels.row.tolist(), annotators, strict=True))
    numbers = {each: number for number, each in enumerate(sorted({(row, name) for row, name in told if name}))}
    teller = np.array([numbers.get(each, -1) for each in told], np.int64)
    is_span = (labels.span >= 0) & (teller >= 0)
    spans, none = labels.span[is_span], np.zeros(0, np.int64)
    marks = Marks(
        Highlights(teller[is_span], highlights.start[spans], highlights.end[spans], none, none, none), len(numbers)
    )
    by_row: dict[int, list[int]] = {}
    for (row, _), number in numbers.items():
        by_row.setdefault(row, []).append(number)
    of_pairs = [(row, *pair, len(group)) for row, group in by_row.items() for pair in combinations(group, 2)]
    row, first, second, in_all = np.array(of_pairs, np.int64).reshape(-1, 4).T
    names, topics, documents = [name for _, name in numbers], judged.topic.texts(), judged.document.texts()
    return Pairs(
        [topics[each] for each in row], [documents[each] for each in row],
        [names[each] for each in first], [names[each] for each in second],
        marks.size[first], marks.size[second], shared_text(marks, first, second), length[row], in_all,
    )  # fmt: skip


def shared_text(marks: Marks, first: Ints, second: Ints) -> Ints:
    """How many characters both of each pair have marked."""
    bounds = np.searchsorted(marks.spans.document, np.arange(len(marks.size) + 1))
    number = (bounds[1:] - bounds[:-1])[first]
    pair = np.repeat(np.arange(len(first)), number)
    span = np.arange(len(pair)) + np.repeat(bounds[first] - np.cumsum(number) + number, number)
    within = marks.within(Spans(second[pair], marks.spans.start[span], marks.spans.end[span]))
    return np.bincount(pair, within, minlength=len(first)).astype(np.int64)


def refuse_beyond(judged: Judgments, pairs: Pairs) -> None:
    """More text cannot be marked than a document has."""
    beyond = np.flatnonzero((pairs.length >= 0) & (pairs.union > pairs.length))
    if len(beyond):
        at = int(beyond[0])
        what = f"{pairs.union[at]:,} characters of document {pairs.document[at]} are marked for topic {pairs.topic[at]}"
        raise InputError(f"{what}, and it has {pairs.length[at]:,}; are the offsets of another text?", judged.name)
