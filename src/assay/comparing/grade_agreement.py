"""Agreement of annotators who graded the same documents: Cohen's kappa, Fleiss' kappa and Krippendorff's alpha.

Every coefficient is 1 − observed/expected disagreement; the expected disagreement is that of chance. A distance says
how far apart two grades are. If chance would never disagree, for example with one grade for all documents, the
coefficient is undefined: NaN here, and a message for the user.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from assay.comparing.correlation import tau_b
from assay.errors import InputError, count_noun, list_names
from assay.measures.base import Measure
from assay.showing.layout import EXACT, Signed, render
from assay.showing.shown import Shown
from assay.tables.ids import Bools, Floats, Grades, Ints
from assay.tables.judgments import written_grade

# Where two annotators disagree: by grade, by rank in the runs, by system, and by length of the text. One annotator may
# be a model. A model that is generous to the documents of one system shows here.

# The ends of the groups of ranks, and how many results of a system are looked at.
RANKS = (1, 5, 10, 20, 50, 100)
TOP = 10
# Documents are split by length into this many groups of the same size.
LENGTHS = 4

# A topic and a document.
TopicDocument = tuple[str, str]


class RanksAndLengths(NamedTuple):
    """The ranks of documents in each run, and the lengths of their texts."""

    ranks: Mapping[str, Mapping[TopicDocument, int]] = {}
    lengths: Mapping[str, int] = {}


class DocumentKind(NamedTuple):
    """Documents of one kind that both annotators graded.

    `agreed` is the share with the same grade, `difference` the mean of the annotator's grade − the other's.
    """

    by: str
    of: str
    documents: int
    agreed: float
    difference: float


def parts(documents: list[TopicDocument], first: Floats, second: Floats, places: RanksAndLengths) -> list[DocumentKind]:
    """Return where the grades of two annotators differ; kinds without documents are left out."""
    apart = first - second
    return [
        DocumentKind(by, of, int(kept.sum()), float((apart[kept] == 0).mean()), float(apart[kept].mean()))
        for by, of, kept in kinds(documents, second, places)
        if kept.any()
    ]


def kinds(documents: list[TopicDocument], other: Floats, places: RanksAndLengths) -> Iterator[tuple[str, str, Bools]]:
    """Yield the kinds of documents, and which documents are of each."""
    yield "all", "", np.ones(len(documents), bool)
    for grade in np.unique(other).tolist():
        yield "grade of other", written_grade(grade), other == grade
    if places.ranks:
        none = RANKS[-1] + 1
        best = np.array([min(of.get(each, none) for of in places.ranks.values()) for each in documents])
        for low, high in zip((0, *RANKS), RANKS, strict=False):
            yield "rank", str(high) if low + 1 == high else f"{low + 1} to {high}", (best > low) & (best <= high)
        yield "rank", f"beyond {RANKS[-1]}, or not retrieved", best > RANKS[-1]
    for system, ranks in places.ranks.items():
        yield f"first {TOP} of", system, np.array([ranks.get(each, TOP + 1) <= TOP for each in documents])
    length = np.array([places.lengths.get(document, -1) for _, document in documents])
    yield from lengths(length)


def lengths(length: Ints) -> Iterator[tuple[str, str, Bools]]:
    """Yield groups of documents by the length of their text; -1 means unknown."""
    known = np.sort(length[length >= 0])
    if not len(known):
        return
    ends = [int(known[(len(known) * part - 1) // LENGTHS]) for part in range(1, LENGTHS + 1)]
    for low, high in zip((-1, *ends), ends, strict=False):
        yield "length", f"{low + 1:,} to {high:,}", (length > low) & (length <= high)


ALL = "all"
# More different grades than this are not a scale.
MOST_GRADES = 256

# The distances between grades. `grades` are the different grades in ascending order.


def nominal(grades: Floats) -> Floats:
    """Return distances of 1 between any two different grades."""
    return (grades[:, None] != grades).astype(np.float64)


def linear(grades: Floats) -> Floats:
    """Return the distances |c − k|."""
    return np.abs(grades[:, None] - grades)


def squared_distance(grades: Floats) -> Floats:
    """Return the distances (c − k)²."""
    return linear(grades) ** 2


def ordinal(frequency: Floats) -> Floats:
    """Return distances that grow with the frequency of the grades in between.

        δ²_ck = ( Σ_{g=c…k} n_g − (n_c + n_k)/2 )²
    """
    middle = np.cumsum(frequency) - frequency / 2
    return squared_distance(middle)


# The coefficients.


def chance_corrected(observed: float, expected: float) -> float:
    """Return 1 − observed/expected disagreement; NaN if chance would never disagree."""
    return 1 - observed / expected if expected > 0 else math.nan


def cohen_kappa(table: Floats | Ints, distance: Floats) -> float:
    """Cohen's kappa of two annotators; table[c, k] documents have grade c by the first and k by the second.

        kappa = 1 − Σ_ck δ_ck · n_ck/n / Σ_ck δ_ck · n_c·/n · n_·k/n

    With the nominal distance it is that of Cohen, Educational and Psychological Measurement 20, 1960; with others it is
    weighted: Cohen, Psychological Bulletin 70, 1968.
    """
    share = table / table.sum()
    by_chance = np.outer(share.sum(axis=1), share.sum(axis=0))
    return chance_corrected(float((distance * share).sum()), float((distance * by_chance).sum()))


def fleiss_kappa(counts: Floats | Ints) -> float:
    """Fleiss' kappa of any number of annotators; counts[document, grade] of them gave this grade.

        kappa = (P − P_e) / (1 − P_e),   P = mean_i Σ_c n_ic (n_ic − 1) / m_i (m_i − 1),   P_e = Σ_c (n_c / n)²

    m_i annotators graded document i, two or more; they may be others for each document. Fleiss, Psychological Bulletin
    76, 1971, where m_i is the same for all documents; here a document counts the same, however many graded it.
    """
    graded = counts.sum(axis=1)
    agreed = float(((counts * (counts - 1)).sum(axis=1) / (graded * (graded - 1))).mean())
    share = counts.sum(axis=0) / counts.sum()
    return chance_corrected(1 - agreed, 1 - float((share**2).sum())) if (share > 0).sum() > 1 else math.nan


def krippendorff_alpha(coincidences: Floats, distance: Floats) -> float:
    """Krippendorff's alpha; coincidences[c, k] is how often the grades c and k are paired within a document.

        alpha = 1 − (n − 1) · Σ_ck δ²_ck o_ck / Σ_ck δ²_ck n_c n_k

    distance: δ² of the nominal, ordinal or interval metric. Krippendorff, Content Analysis, Sage 2004, ch. 11.
    """
    frequency = coincidences.sum(axis=1)
    total = float(frequency.sum())
    expected = float((distance * np.outer(frequency, frequency)).sum()) / (total - 1)
    return chance_corrected(float((distance * coincidences).sum()), expected)


def coincidences_of(counts: Floats | Ints) -> Floats:
    """Return how often two annotators gave each pair of grades to the same document.

        o_ck = Σ_i n_ic (n_ik − [c = k]) / (m_i − 1)
    """
    weighed = counts / (counts.sum(axis=1, keepdims=True) - 1)
    together: Floats = weighed.T @ counts - np.diag(weighed.sum(axis=0))
    return together


# The grades of annotators.


@dataclass(frozen=True, eq=False)
class GradedDocuments:
    """The grades of each annotator: `document` has numbers in `documents`, `grade` numbers in `grades`.

    Each annotator has a document at most once, in ascending order. `documents` has the topic and the id of each.
    """

    names: list[str]
    grades: Floats
    document: list[Ints]
    grade: list[Ints]
    documents: list[tuple[str, str]]

    def alike(self, first: int, second: int) -> tuple[list[tuple[str, str]], Floats, Floats]:
        """Return the documents that both annotators graded, each with its topic, and the grades of each annotator."""
        both, a, b = np.intersect1d(
            self.document[first], self.document[second], assume_unique=True, return_indices=True
        )
        ids = [self.documents[number] for number in both.tolist()]
        return ids, self.grades[self.grade[first][a]], self.grades[self.grade[second][b]]

    def both(self, first: int, second: int) -> Ints:
        """Return the confusion table of two annotators, over the documents that both graded."""
        _, a, b = np.intersect1d(
            self.document[first], self.document[second], assume_unique=True, return_indices=True
        )
        size = len(self.grades)
        cell = self.grade[first][a] * size + self.grade[second][b]
        return np.bincount(cell, minlength=size * size).reshape(size, size)

    def counts(self) -> Ints:
        """Return how many annotators gave each grade, for each document that two or more graded."""
        size = len(self.grades)
        cell = np.concatenate(self.document) * size + np.concatenate(self.grade)
        counts = np.bincount(cell, minlength=len(self.documents) * size).reshape(-1, size)
        kept: Ints = counts[counts.sum(axis=1) > 1]
        return kept


def graded_documents(graded: Mapping[str, tuple[list[tuple[str, str]], Grades]]) -> GradedDocuments:
    """Return the grades of annotators, given by name as pairs of a topic and a document, and grades."""
    known: dict[tuple[str, str], int] = {}
    numbers = [np.array([known.setdefault(each, len(known)) for each in ids], np.int64) for ids, _ in graded.values()]
    grades, place = np.unique(np.concatenate([values for _, values in graded.values()]), return_inverse=True)
    if len(grades) > MOST_GRADES:
        raise InputError(f"{len(grades):,} different grades; agreement expects a scale of up to {MOST_GRADES}")
    ends = np.cumsum([len(each) for each in numbers])[:-1]
    parts = np.split(place.ravel(), ends)
    orders = [np.argsort(each) for each in numbers]
    return GradedDocuments(
        list(graded),
        grades.astype(np.float64),
        [each[order] for each, order in zip(numbers, orders, strict=True)],
        [each[order] for each, order in zip(parts, orders, strict=True)],
        list(known),
    )


# The result.

HEADER = ["documents", "agreed", "kappa", "linear", "quadratic", "Fleiss", "alpha", "ordinal", "interval"]
CAPTION = (
    "agreed: share with the same grade; kappa: Cohen's, unweighted, linear and quadratic (row all: mean over pairs); "
    "Fleiss: Fleiss' kappa; alpha: Krippendorff's, nominal, ordinal and interval"
)


@dataclass(frozen=True, eq=False)
class SystemValues:
    """values[run, topic] by a measure under the judgments of each annotator; NaN if a topic does not count."""

    measure: Measure
    runs: list[str]
    topics: dict[str, list[str]]
    values: dict[str, Floats]

    def tau(self, first: str, second: str) -> float:
        """Return Kendall's tau-b of the runs over the topics that both judged; NaN if either ties all runs."""
        common = sorted(set(self.topics[first]) & set(self.topics[second]))
        means = [self._means(name, common) for name in (first, second)]
        return tau_b(*means) if all(np.isfinite(each).all() for each in means) else math.nan

    def _means(self, name: str, topics: list[str]) -> list[float]:
        places = {topic: place for place, topic in enumerate(self.topics[name])}
        values = self.values[name][:, [places[topic] for topic in topics]]
        known = [each[~np.isnan(each)] for each in values]
        # round, so that values that differ only by rounding are tied
        return [round(self.measure.over_topics(each), 12) if len(each) else math.nan for each in known]

    def frame(self) -> Any:
        """Return a polars frame: one row per run, annotator and topic."""
        import polars as pl

        rows = [
            (run, name, topic, float(value))
            for name, values in self.values.items()
            for run, of_run in zip(self.runs, values, strict=True)
            for topic, value in zip(self.topics[name], of_run, strict=True)
        ]
        return pl.DataFrame(rows, schema=["run", "annotator", "topic", str(self.measure)], orient="row")


def square_of(names: list[str], values: Mapping[tuple[str, str], float | None]) -> Floats:
    """Return the values of pairs as a symmetric matrix with ones on the diagonal; NaN for missing pairs."""
    square = np.eye(len(names))
    for (row, first), (column, second) in combinations(enumerate(names), 2):
        value = values.get((first, second), values.get((second, first)))
        square[row, column] = square[column, row] = np.nan if value is None else value
    return square


@dataclass(frozen=True, eq=False, repr=False)
class GradeAgreement(Shown):
    """Agreement on grades: for any two annotators, and over all.

    `systems` has the values of runs under the judgments of each annotator, if runs were given. `notes` say what Assay
    decided. `places` are ranks and lengths of documents, by which `disagreement` groups them.
    """

    graded: GradedDocuments
    systems: SystemValues | None = None
    notes: list[str] = field(default_factory=list)
    places: RanksAndLengths = field(default_factory=RanksAndLengths)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of annotators who both graded some document of a topic."""
        return [tuple(self.graded.names[each] for each in pair) for pair in self._tables]  # type: ignore[misc]

    @property
    def _tables(self) -> dict[tuple[int, int], Ints]:
        every = combinations(range(len(self.graded.names)), 2)
        tables = ((pair, self.graded.both(*pair)) for pair in every)
        return {pair: table for pair, table in tables if table.any()}

    @property
    def header(self) -> list[str]:
        """The columns of the table."""
        return ["annotator", "other", *HEADER, *([f"tau {self.systems.measure}"] if self.systems else [])]

    def rows(self) -> list[list[Any]]:
        """Return a row per pair of annotators with a common document, and one for all; None if a value is undefined."""
        names = self.graded.names
        rows: list[list[Any]] = []
        for (first, second), table in self._tables.items():
            kappas = [
                cohen_kappa(table, distance(self.graded.grades)) for distance in (nominal, linear, squared_distance)
            ]
            number = int(table.sum())
            agreed = float(np.trace(table)) / number
            # for two annotators, the counts are the table plus its transpose
            fleiss = chance_corrected(1 - agreed, 1 - float((shares(table + table.T) ** 2).sum()))
            tau = [self.systems.tau(names[first], names[second])] if self.systems else []
            alphas = self._alphas((table + table.T).astype(np.float64))
            rows.append([names[first], names[second], number, agreed, *kappas, fleiss, *alphas, *tau])
        counts = self.graded.counts()
        coincidences = coincidences_of(counts)
        graded = counts.sum(axis=1)
        agreed = float((counts * (counts - 1)).sum() / (graded * (graded - 1)).sum())
        kappas = [mean_of_known([row[4 + at] for row in rows]) for at in range(3)]
        tau = [mean_of_known([row[-1] for row in rows])] if self.systems else []
        over_all = [len(counts), agreed, *kappas, fleiss_kappa(counts), *self._alphas(coincidences), *tau]
        rows.append([ALL, ALL, *over_all])
        return [[None if value != value else value for value in row] for row in rows]

    def _alphas(self, coincidences: Floats) -> list[float]:
        grades = self.graded.grades
        distances = nominal(grades), ordinal(coincidences.sum(axis=1)), squared_distance(grades)
        return [krippendorff_alpha(coincidences, distance) for distance in distances]

    def __getitem__(self, name: str) -> float | None:
        """`agreement["alpha"]` is the value over all annotators; None if it is undefined."""
        value: float | None = dict(zip(self.header, self.rows()[-1], strict=True))[name]
        return value

    def matrix(self) -> tuple[list[str], Floats]:
        """Return the annotators, and Cohen's kappa of each pair; NaN if it is undefined."""
        at = self.header.index("kappa")
        return self.graded.names, square_of(self.graded.names, {(row[0], row[1]): row[at] for row in self.rows()})

    def confusion(self, layout: str = "text") -> str:
        """Return how often each two grades were paired, as text, tsv, csv, json, md, latex or html.

        It has one row per pair of annotators and grade of the first, and one column per grade of the other.
        """
        written = [written_grade(grade) for grade in self.graded.grades.tolist()]
        names = self.graded.names
        if layout == "json":
            tables = [
                {"annotator": names[first], "other": names[second], "grades": written, "counts": table.tolist()}
                for (first, second), table in self._tables.items()
            ]
            return json.dumps(tables, indent=1, ensure_ascii=False) + "\n"
        rows = [
            [names[first], names[second], grade, *row]
            for (first, second), table in self._tables.items()
            for grade, row in zip(written, table.tolist(), strict=True)
        ]
        about = "number of documents; row: grade by the annotator, column: grade by the other"
        return render(layout, ["annotator", "other", "grade", *written], rows, 3, caption=about)

    def disagreement(self, layout: str = "text", digits: int = 4) -> str:
        """Return where each pair of annotators disagrees, as text, tsv, csv, json, md, latex or html.

        Documents are grouped by the grade of the other, by their best rank in the runs, by system, and by length of
        their text.
        """
        names, rows = self.graded.names, []
        for first, second in self._tables:
            of_pair = parts(*self.graded.alike(first, second), self.places)
            rows += [[names[first], names[second], *part] for part in of_pair]
        header = ["annotator", "other", *DocumentKind._fields]
        if layout == "json":
            records = [dict(zip(header, row, strict=True)) for row in rows]
            return json.dumps(records, indent=1, ensure_ascii=False) + "\n"
        signed = [[*row[:-1], row[-1] if layout in EXACT else Signed(row[-1], digits)] for row in rows]
        about = "agreed: share with the same grade; difference: mean grade of the annotator − mean grade of the other"
        return render(layout, header, signed, 4, digits, about)

    def frame(self) -> Any:
        """Return a polars frame with a row per pair of annotators, and one for all."""
        import polars as pl

        return pl.DataFrame(self.rows(), schema=self.header, orient="row")

    def show(self, layout: str = "text", digits: int = 4) -> str:
        """Return the table as text, tsv, csv, json, md, latex or html; undefined values are empty."""
        if layout == "json":
            records = [dict(zip(self.header, row, strict=True)) for row in self.rows()]
            return json.dumps(records, indent=1, ensure_ascii=False) + "\n"
        rows = [["" if value is None else value for value in row] for row in self.rows()]
        return render(layout, self.header, rows, 2, digits, CAPTION + self._about_tau())

    def _about_tau(self) -> str:
        return f"; tau: Kendall's tau-b of {count_noun(len(self.systems.runs), 'run')}" if self.systems else ""


def shares(table: Floats | Ints) -> Floats:
    """Return the share of each grade in a symmetric table."""
    frequency: Floats = table.sum(axis=0) / table.sum()
    return frequency


def mean_of_known(values: list[float]) -> float:
    """Return the mean of the defined values; NaN if there are none."""
    known = [value for value in values if value == value]
    return sum(known) / len(known) if known else math.nan


def notes_on_undefined(alike: GradeAgreement) -> list[str]:
    """Return notes on which pairs have no kappa or tau, and why."""
    notes, rows = [], alike.rows()[:-1]
    at = alike.header.index
    if constant := [row for row in rows if row[at("kappa")] is None]:
        names = list_names([f"{row[0]} and {row[1]}" for row in constant])
        notes.append(f"kappa and alpha are undefined if both annotators gave all documents the same grade: {names}")
    if alike.systems and (tied := [row for row in rows if row[-1] is None]):
        names = list_names([f"{row[0]} and {row[1]}" for row in tied])
        why = "all runs have the same value, or if the annotators share no topic"
        notes.append(f"tau is undefined if {why}: {names}")
    return notes
