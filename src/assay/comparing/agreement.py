"""Agreement of annotators: on the grades of the same documents, or on highlighted text, character by character."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, compress, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.comparing import grade_agreement
from assay.errors import InputError, UsageError, count_noun, list_names
from assay.evaluation.check_by_people import ranks_within
from assay.evaluation.evaluate import evaluate_runs
from assay.measures.base import MeasuresLike
from assay.measures.best_entry_point import BEP
from assay.measures.notation import measures_of
from assay.ranking.gold_standards import of_annotators
from assay.reading.format import Request
from assay.reading.given import given_runs, is_file, source_of
from assay.reading.read import opened_documents, read_judgments, whole_run
from assay.reading.values import is_frame
from assay.showing.layout import render
from assay.showing.shown import Shown
from assay.tables.ids import Bools, Floats, Grades, Ints
from assay.tables.intervals import Marks, Spans
from assay.tables.judgments import DocumentJudgments, HighlightJudgments, Highlights, Judgments, Labels, SampleJudgments

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection
    from assay.reading.input_types import DocumentsLike, JudgmentsLike, RunsLike

# The documents that an annotator graded, each with its topic, and their grades.
Graded = tuple[list[tuple[str, str]], Grades]
# The default measures of systems, for grades and for highlighted text.
OF_GRADES, OF_TEXT = "AP", "AiP"
ALL = "all"
# The legend of the table, with and without the lengths of documents.
CAPTION = (
    "means over pairs; unmarked text inflates kappa per character; "
    "alpha (per character) and u-alpha (per passage, by the formulas of 2016 and of 2004) "
    "are over all documents together"
)
WITHOUT_LENGTHS = "means over pairs"
OF_ENTRIES = "entry distance is in characters"
OF_NEARNESS = "s(x,b) = 0.1 L / (0.1 L + distance), L the length of the document"
WITH_SUGGESTIONS, WITHOUT_SUGGESTIONS = "with suggestions", "without suggestions"


@dataclass(frozen=True, eq=False, repr=False)
class Pairs:
    """Pairs of annotators of a document: how many characters each marked, and how many both marked.

    `length` is that of the document, -1 if unknown; `annotators` is the number of all annotators of the document.
    `units` is the sum of the squared lengths of the passages that the first marked. `entry` is the entry point that
    each set, -1 if none; `assisted` says whether either saw suggestions of a program. `passages` are those that each
    marked.
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
    units: Floats
    units_of_other: Floats
    entry: Ints
    entry_of_other: Ints
    assisted: Bools
    passages: list[tuple[Spans, Spans]]

    def __len__(self) -> int:
        return len(self.topic)

    def of(self, kept: Bools) -> Pairs:
        """Return some of the pairs, as if no other annotators had judged."""
        topic, document, first, second = (
            list(compress(column, kept)) for column in (self.topic, self.document, self.first, self.second)
        )
        return replace(
            self, topic=topic, document=document, first=first, second=second, marked=self.marked[kept],
            marked_by_other=self.marked_by_other[kept], shared=self.shared[kept], length=self.length[kept],
            annotators=np.full(len(topic), 2), units=self.units[kept], units_of_other=self.units_of_other[kept],
            entry=self.entry[kept], entry_of_other=self.entry_of_other[kept], assisted=self.assisted[kept],
            passages=list(compress(self.passages, kept)),
        )  # fmt: skip

    @property
    def union(self) -> Ints:
        """How many characters at least one of them marked."""
        return self.marked + self.marked_by_other - self.shared

    @property
    def f1(self) -> Floats:
        """The character F1 of each pair; NaN if neither marked anything."""
        return quotient(2 * self.shared, self.marked + self.marked_by_other)

    @property
    def jaccard(self) -> Floats:
        """The shared text of each pair as a share of what either marked; NaN if neither marked anything."""
        return quotient(self.shared, self.union)

    @property
    def overlap(self) -> Floats:
        """Whether each pair shares any text; NaN if neither marked anything."""
        return np.where(self.union > 0, self.shared > 0, np.nan)

    @property
    def entry_distance(self) -> Floats:
        """The characters between the entry points of each pair; NaN if one has none."""
        has_both = (self.entry >= 0) & (self.entry_of_other >= 0)
        return np.where(has_both, np.abs(self.entry - self.entry_of_other), np.nan)

    @property
    def entry_nearness(self) -> Floats:
        """How near the entry points of each pair are, relative to the document's length; NaN if one has none.

            s(x,b) = A L / (A L + d(x,b)),  A = 0.1

        Pehcevski et al., INEX 2007, eq. 8, as in the measure BEP.
        """
        near = BEP().A * self.length.astype(np.float64)
        return quotient(near, near + self.entry_distance)

    @property
    def kappa(self) -> Floats:
        """Cohen's kappa of each pair over the characters of the document; NaN if chance alone would always agree."""
        length = self.length.astype(np.float64)
        agreed = 1 - (self.union - self.shared) / length
        first, second = self.marked / length, self.marked_by_other / length
        by_chance = first * second + (1 - first) * (1 - second)
        return quotient(agreed - by_chance, 1 - by_chance)

    @property
    def alpha(self) -> float:
        """Krippendorff's alpha, nominal, over the characters of all documents; NaN if nothing or all was marked."""
        # each pair weighs 1 / (annotators - 1), because an annotator is in that many pairs
        weight = 1 / (self.annotators - 1)
        disagreed = float(((self.union - self.shared) * weight).sum())
        marked = float(((self.marked + self.marked_by_other) * weight).sum())
        unmarked = float((2 * self.length * weight).sum()) - marked
        if not marked or not unmarked:
            return float("nan")
        return 1 - (marked + unmarked - 1) * disagreed / (marked * unmarked)


    @property
    def unitizing_alpha(self) -> float:
        """Krippendorff's alpha for unitizing over the text of all documents; NaN if nothing or everything was marked.

            α = 1 − (l − Σ o_cc) / (l − Σ e_cc),  e_cc = l (l_c² − q_c) / (l² − Σ q)

        o_cc is the text that both of a pair mark (c: marked) or leave (c: a gap), l_c all text of c and l that of both;
        q is length² of each marked passage, and the length of gaps. Krippendorff, Mathet, Bouvry and Widlöcher, On the
        reliability of unitizing textual continua, Quality & Quantity 50(6), 2016.
        """
        # each pair weighs 1 / (annotators - 1), and counts in both directions
        weight = 1 / (self.annotators - 1)
        marked = float(((self.marked + self.marked_by_other) * weight).sum())
        gaps = float((2 * self.length * weight).sum()) - marked
        both = float((2 * (self.shared + self.length - self.union) * weight).sum())
        squares = float(((self.units + self.units_of_other) * weight).sum())
        total = marked + gaps
        if not marked or not gaps:
            return float("nan")
        by_chance = total * (marked**2 - squares + gaps**2 - gaps) / (total**2 - squares - gaps)
        return 1 - (total - both) / (total - by_chance)

    @property
    def alpha_of_2004(self) -> float:
        """Krippendorff's first alpha for unitizing, of squared lengths; NaN if nothing was marked.

            α = 1 − Σ D_o / Σ D_e, over all topics and documents

        Krippendorff, Measuring the reliability of qualitative text analysis data, Quality & Quantity 38, 2004.
        """
        together: dict[object, dict[str, Spans]] = {}
        lengths: dict[object, int] = {}
        for at, (first, second) in enumerate(self.passages):
            # two annotators who alone judged a document, or who were selected, are a pair; three or more are a group
            group = (self.topic[at], self.document[at], at if self.annotators[at] == 2 else -1)
            together.setdefault(group, {}).update({self.first[at]: first, self.second[at]: second})
            lengths[group] = int(self.length[at])
        both = [unitizing_disagreement([*of.values()], lengths[group]) for group, of in together.items()]
        observed, by_chance = np.array(both, np.float64).reshape(-1, 2).sum(axis=0)
        return float(1 - observed / by_chance) if by_chance else float("nan")

    @property
    def document_kappa(self) -> float:
        """Cohen's kappa of whether a document has anything relevant; NaN if chance alone would always agree."""
        first, second = self.marked > 0, self.marked_by_other > 0
        agreed, a, b = float((first == second).mean()), float(first.mean()), float(second.mean())
        by_chance = a * b + (1 - a) * (1 - b)
        return (agreed - by_chance) / (1 - by_chance) if by_chance < 1 else float("nan")


def unitizing_disagreement(observers: list[Spans], length: int) -> tuple[float, float]:
    """Return the disagreement of annotators about the units of a text, and that of chance, by Krippendorff (2004)."""
    if not length or not any(len(each.start) for each in observers):
        return 0.0, 0.0
    m, sections = len(observers), [text_sections(each, length) for each in observers]
    observed = sum(section_differences(one, other) for one in sections for other in sections if one is not other)
    size, is_unit = (np.concatenate([each[at] for each in sections]) for at in (1, 2))
    units, gaps = size[is_unit == 1].astype(np.float64), size[is_unit == 0].astype(np.float64)
    room = np.maximum(gaps[None, :] - units[:, None] + 1, 0).sum(axis=1)
    chance = ((len(units) - 1) / 3 * (2 * units**3 - 3 * units**2 + units) + units**2 * room).sum()
    ways = m * length * (m * length - 1) - (units * (units - 1)).sum()
    return float(observed / (m * (m - 1) * length**2)), float(2 / length * chance / ways)


def text_sections(units: Spans, length: int) -> tuple[Ints, Ints, Ints]:
    """Return the units of a text and the gaps between them: start, length, and whether each is a unit."""
    edges = np.unique(np.concatenate((units.start, units.end, [0, length]))).astype(np.int64)
    return edges[:-1], np.diff(edges), np.isin(edges[:-1], units.start).astype(np.int64)


def section_differences(one: tuple[Ints, Ints, Ints], other: tuple[Ints, Ints, Ints]) -> float:
    """Return the sum of the squared differences between the sections of two annotators."""
    begin, size, is_unit = (column[:, None].astype(np.float64) for column in one)
    begin_of_other, size_of_other, is_unit_of_other = (column[None, :].astype(np.float64) for column in other)
    early, late = begin - begin_of_other, begin + size - begin_of_other - size_of_other
    overlap = (-size < early) & (early < size_of_other)
    both = (is_unit == 1) & (is_unit_of_other == 1) & overlap
    alone = (is_unit == 1) & (is_unit_of_other == 0) & (early >= 0) & (late <= 0)
    alone_of_other = (is_unit == 0) & (is_unit_of_other == 1) & (early <= 0) & (late >= 0)
    return float((both * (early**2 + late**2) + alone * size**2 + alone_of_other * size_of_other**2).sum())


def quotient(part: Floats | Ints, whole: Floats | Ints) -> Floats:
    """Return part / whole; NaN if the whole is 0."""
    return np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Shown):
    """Agreement on highlighted text: for each pair of annotators, and over all pairs.

    A pair is two annotators who judged the same document for the same topic. kappa and alpha need the lengths of all
    documents. `notes` say what Assay decided.
    """

    pairs: Pairs
    notes: list[str] = field(default_factory=list)
    systems: grade_agreement.SystemValues | None = None

    @property
    def has_lengths(self) -> bool:
        """Whether the length of each document is known."""
        return bool((self.pairs.length >= 0).all())

    @property
    def has_entries(self) -> bool:
        """Whether two annotators set an entry point in the same document."""
        return bool(np.isfinite(self.pairs.entry_distance).any())

    @property
    def has_unmarked(self) -> bool:
        """Whether an annotator found nothing relevant in a document that another judged, too."""
        return bool((np.minimum(self.pairs.marked, self.pairs.marked_by_other) == 0).any())

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
            *(["document kappa"] if self.has_unmarked else []),
            *(["kappa", "alpha", "u-alpha", "u-alpha 2004"] if self.has_lengths else []),
            *(["entry distance"] if self.has_entries else []),
            *(["s(x,b)"] if self.has_entries and self.has_lengths else []),
            *([f"tau {self.systems.measure}"] if self.systems else []),
        ]

    def rows(self) -> list[list[Any]]:
        """Return a row per pair of annotators with a common document, and one for all pairs."""
        who = list(zip(self.pairs.first, self.pairs.second, strict=True))
        parts = [(names, self.pairs.of(np.array([each == names for each in who], bool))) for names in sorted(set(who))]
        rows = [[*names, *self._values(part), *self._tau([names])] for names, part in parts]
        assisted = self.pairs.assisted
        if assisted.any() and not assisted.all():
            for name, kept in ((WITH_SUGGESTIONS, assisted), (WITHOUT_SUGGESTIONS, ~assisted)):
                part = self.pairs.of(kept)
                own = sorted({*zip(part.first, part.second, strict=True)})
                rows.append([ALL, name, *self._values(part), *self._tau(own)])
        return [*rows, [ALL, ALL, *self._values(self.pairs), *self._tau([names for names, _ in parts])]]

    def _values(self, pairs: Pairs) -> list[Any]:
        means = [mean(values) for values in (pairs.f1, pairs.jaccard, pairs.overlap)]
        alphas = [pairs.alpha, pairs.unitizing_alpha, pairs.alpha_of_2004] if self.has_lengths else []
        whole = [mean(pairs.kappa), *alphas] if self.has_lengths else []
        entries = [mean(pairs.entry_distance)] if self.has_entries else []
        entries += [mean(pairs.entry_nearness)] if self.has_entries and self.has_lengths else []
        return [len(pairs), *means, *([pairs.document_kappa] if self.has_unmarked else []), *whole, *entries]

    def _tau(self, pairs: list[tuple[str, str]]) -> list[float]:
        """Return the mean tau of the runs over pairs of annotators; nothing without runs."""
        return [mean(np.array([self.systems.tau(*pair) for pair in pairs]))] if self.systems else []

    def __getitem__(self, name: str) -> float:
        """`agreement["F1"]` is the value over all pairs."""
        return float(dict(zip(self.header[2:], self.rows()[-1][2:], strict=True))[name])

    def frame(self) -> Any:
        """Return a polars frame: one row per document and pair of annotators."""
        import polars as pl

        pairs = self.pairs
        columns: dict[str, Any] = {
            "topic": pairs.topic, "document": pairs.document, "annotator": pairs.first, "other": pairs.second,
            "marked": pairs.marked, "marked by other": pairs.marked_by_other, "shared": pairs.shared,
            "F1": pairs.f1, "Jaccard": pairs.jaccard,
        }  # fmt: skip
        columns |= {"kappa": pairs.kappa} if self.has_lengths else {}
        columns |= {"entry distance": pairs.entry_distance} if self.has_entries else {}
        return pl.DataFrame(columns)

    def matrix(self) -> tuple[list[str], Floats]:
        """Return the annotators, and the mean F1 of each pair; NaN if a pair has no document in common."""
        names = sorted({*self.pairs.first, *self.pairs.second})
        return names, grade_agreement.square_of(
            names, {(row[0], row[1]): row[self.header.index("F1")] for row in self.rows()}
        )

    def show(self, layout: str = "text", digits: int = 4) -> str:
        """Return the table as text, tsv, csv, json, md, latex or html."""
        if layout == "json":
            records = [dict(zip(self.header, row, strict=True)) for row in self.rows()]
            finite = [{name: None if value != value else value for name, value in record.items()} for record in records]
            return json.dumps(finite, indent=1, ensure_ascii=False) + "\n"
        caption = [CAPTION if self.has_lengths else WITHOUT_LENGTHS, *([OF_ENTRIES] if self.has_entries else [])]
        caption += [OF_NEARNESS] if self.has_entries and self.has_lengths else []
        return render(layout, self.header, self.rows(), 2, digits, "; ".join(caption))


def mean(values: Floats) -> float:
    """Return the mean of the values that are not NaN."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def agreement(
    judgments: JudgmentsLike | Sequence[JudgmentsLike] | Mapping[str, JudgmentsLike],
    *,
    documents: DocumentsLike | None = None,
    format: str | None = None,
    runs: RunsLike | None = None,
    measure: MeasuresLike | None = None,
) -> Agreement | grade_agreement.GradeAgreement:
    """Measure the agreement of annotators who judged the same documents for the same topics.

    judgments: one table with a column annotator; or one table per annotator, in a list of files, frames or tables, or
    in a dict that names the annotators. One annotator may be a model.

    For grades: the share of documents with the same grade; Cohen's kappa, also with linear and quadratic weights;
    Fleiss' kappa; Krippendorff's alpha, nominal, ordinal and interval. `.confusion()` is a table of the grades, and
    `.disagreement()` shows where they differ: by grade, with runs by rank and by system, with documents by length.

    For highlighted text: character F1, whose mean over pairs is positive specific agreement (Hripcsak and
    Rothschild, JAMIA 12(3), 2005); Jaccard; Cohen's kappa of whether documents are relevant, and per character, which
    unmarked text inflates; Krippendorff's alpha over the characters of all documents, and alpha for unitizing
    (u-alpha), which compares passages, by the formulas of 2016 and of 2004. documents: a folder, an archive or a JSONL
    file, or a dict from ids to texts. kappa and alpha need the lengths of documents, and take them from here if the
    judgments do not have them.

    For a study, the table also has the distance between the entry points of two assessors and its score s(x,b), and
    separate rows for documents judged with and without suggestions of a program. `assay.chart(agreement)` draws the
    agreement of each pair of annotators.

    runs: also compute Kendall's tau-b of these systems under the judgments of two annotators, by the measure (default:
    AP for grades, AiP for text).
    """
    collection = opened_documents(documents)
    several = judgments_by_name(judgments)
    if several is not None:
        tables = {name: read_judgments(each, format, documents=collection) for name, each in several.items()}
        if len(tables) > 1 and all(isinstance(table, HighlightJudgments) for table in tables.values()):
            return of_highlight_tables(tables, runs, measure, collection)
        graded, notes = grades_of_tables(tables)
        systems, ranks, found = system_values(tables, runs, measure)
        return of_grades(graded, notes + found, systems, ranks, collection)
    judged = read_judgments(judgments, format, documents=collection)
    if (labels := judged.labels) is None or labels.annotators is None:
        several_files = "expected a column annotator, or one file per annotator"
        raise InputError(f"the judgments name no annotators; {several_files}", judged.name)
    if isinstance(judged, HighlightJudgments):
        alike = of_highlights(judged, labels, labels.annotators.texts(), collection)
        names = sorted({*alike.pairs.first, *alike.pairs.second})
        tables = {name: of_annotators(judged, name) for name in names} if runs is not None else {}
        return with_systems(alike, tables, runs, measure, collection)
    graded, notes = grades_by_annotator(judged, labels, labels.annotators.texts())
    tables = {name: of_annotators(judged, name) for name in graded} if runs is not None else {}
    systems, ranks, found = system_values(tables, runs, measure)
    return of_grades(graded, notes + found, systems, ranks, collection)


# Grades: from several tables, or from one with a column annotator.


def judgments_by_name(given: Any) -> dict[str, Any] | None:
    """Return the judgments of each annotator by name; None if they are one table."""
    if isinstance(given, Mapping):
        each = list(given.values())
        if not each or not all(is_file(one) or isinstance(one, Judgments) or is_by_topic(one) for one in each):
            return None
        return {str(name): one for name, one in given.items()}
    if not isinstance(given, list | tuple) or not given:
        return None
    if not all(is_file(one) or isinstance(one, Judgments) or is_frame(one) or is_by_topic(one) for one in given):
        return None
    names = [name_of_judgments(one, number) for number, one in enumerate(given, 1)]
    if len(set(names)) < len(names):
        names = [source_of(one).path if is_file(one) else name for one, name in zip(given, names, strict=True)]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"judgments {repeated} were given twice")
    return dict(zip(names, given, strict=True))


def is_by_topic(given: object) -> bool:
    """Return whether these are judgments by topic and document, not those of a single topic."""
    return is_frame(given) or (
        isinstance(given, Mapping) and bool(given) and all(isinstance(each, Mapping) for each in given.values())
    )


def name_of_judgments(given: Any, number: int) -> str:
    """Return the name of an annotator: that of the file or table, else a number."""
    if is_file(given):
        return str(source_of(given).stem)
    return given.name if isinstance(given, Judgments) else f"judgments {number}"


def grades_of_tables(tables: dict[str, Judgments]) -> tuple[dict[str, Graded], list[str]]:
    """Return the grades of each annotator from one table per annotator, and notes."""
    if len(tables) < 2:
        raise UsageError("agreement needs judgments by at least two annotators; found one")
    graded = {}
    for name, table in tables.items():
        refuse_other_than_grades(table)
        refuse_annotators(table)
        graded[name] = list(zip(table.topic.texts(), table.document.texts(), strict=True)), table.grade
    return without_unjudged(graded)


def grades_by_annotator(judged: Judgments, labels: Labels, names: list[str]) -> tuple[dict[str, Graded], list[str]]:
    """Return the grades of each annotator from one table, and notes.

    If an annotator has several sets of evidence, the highest grade of a document counts.
    """
    refuse_other_than_grades(judged)
    # raises the errors of an evaluation: a row without an annotator, or a document that one judged twice
    of_annotators(judged, None)
    topics, documents = judged.topic.texts(), judged.document.texts()
    best: dict[str, dict[int, float]] = {name: {} for name in sorted(set(names))}
    for row, grade, name in zip(labels.row.tolist(), labels.grade.tolist(), names, strict=True):
        best[name][row] = max(grade, best[name].get(row, grade))
    if len(best) < 2:
        raise InputError(f"all judgments are by {names[0]!r}; agreement needs two annotators or more", judged.name)
    return without_unjudged(
        {
            name: ([(topics[row], documents[row]) for row in told], np.array([*told.values()]))
            for name, told in best.items()
        }
    )


def refuse_annotators(judged: Judgments) -> None:
    """Raise an error if one of several tables has a column annotator."""
    if judged.labels is not None and judged.labels.annotators is not None:
        what = "the file has a column annotator"
        raise InputError(f"{what}; expected one annotator per file if there are several files", judged.name)


def refuse_other_than_grades(judged: Judgments) -> None:
    """Raise an error if judgments are not grades of documents."""
    if isinstance(judged, HighlightJudgments):
        raise InputError("these judgments highlight text; expected the same of all annotators", judged.name)
    if not isinstance(judged, DocumentJudgments | SampleJudgments):
        expected = "expected grades of documents, or highlighted text with a column annotator"
        raise InputError(f"agreement cannot use these judgments; {expected}", judged.name)


def without_unjudged(graded: dict[str, Graded]) -> tuple[dict[str, Graded], list[str]]:
    """Drop negative grades, because they mean that a document was not judged; return a note on their number."""
    kept, left = {}, 0
    for name, (ids, grades) in graded.items():
        is_judged = grades >= 0
        left += int((~is_judged).sum())
        kept[name] = list(compress(ids, is_judged.tolist())), grades[is_judged]
    what = "a negative grade means that the document was not judged"
    return kept, [f"left out {count_noun(left, 'judgment')}: {what}"] if left else []


def of_grades(
    graded: dict[str, Graded],
    notes: list[str],
    systems: grade_agreement.SystemValues | None,
    ranks: dict[str, dict[grade_agreement.TopicDocument, int]],
    collection: DocumentCollection | None,
) -> grade_agreement.GradeAgreement:
    """Return the agreement on grades; raise an error if no two annotators graded the same document."""
    lengths: dict[str, int] = {}
    if collection is not None:
        ids = sorted({document for each, _ in graded.values() for _, document in each})
        lengths = dict(zip(ids, collection.lengths(ids, missing="unknown").tolist(), strict=True))
    alike = grade_agreement.GradeAgreement(
        grade_agreement.graded_documents(graded), systems, notes, grade_agreement.RanksAndLengths(ranks, lengths)
    )
    if not alike.pairs:
        raise InputError(
            f"no two of {list_names(list(graded))} graded the same document of a topic; do their ids match?"
        )
    notes += grade_agreement.notes_on_undefined(alike)
    return alike


def system_values(
    tables: dict[str, Judgments],
    runs: RunsLike | None,
    measure: MeasuresLike | None,
    default: str = OF_GRADES,
    documents: DocumentCollection | None = None,
) -> tuple[grade_agreement.SystemValues | None, dict[str, dict[grade_agreement.TopicDocument, int]], list[str]]:
    """Return the values of runs by the judgments of each annotator, the ranks of documents in each run, and notes."""
    if runs is None:
        if measure is not None:
            raise UsageError("a measure requires runs to rank; pass runs=")
        return None, {}, []
    (by, *more) = measures_of(default if measure is None else measure)
    if more:
        raise UsageError(f"tau takes one measure at a time, found {list_names([str(each) for each in [by, *more]])}")
    request = Request(documents, ranks=True, gather=True)
    named = {name: whole_run(run, request) for name, run in given_runs(runs).items()}
    keep = ranks_within(grade_agreement.RANKS[-1])
    evaluations = {name: evaluate_runs(table, named, [by], keep=keep) for name, table in tables.items()}
    ranks: dict[str, dict[grade_agreement.TopicDocument, int]] = {run: {} for run in named}
    for evaluation in evaluations.values():
        for run, blocks in evaluation.kept.items():
            for block in blocks:
                ranks[run].update(block)
    if len(named) < 2:
        return None, ranks, ["tau is left out because it needs at least two runs; found one"]
    if sampled := next((name for name, table in tables.items() if isinstance(table, SampleJudgments)), None):
        return None, ranks, [f"tau is left out because {sampled} judged only a sample of the documents"]
    scores = {name: evaluation.scores for name, evaluation in evaluations.items()}
    topics = {name: each.topics for name, each in scores.items()}
    values = {name: each.values[:, 0] for name, each in scores.items()}
    return grade_agreement.SystemValues(by, list(named), topics, values), ranks, []


# Highlighted text: from one table or from several.


def of_highlight_tables(
    tables: dict[str, Judgments],
    runs: RunsLike | None,
    measure: MeasuresLike | None,
    collection: DocumentCollection | None,
) -> Agreement:
    """Return the agreement on highlighted text from one table per annotator."""
    judged = in_one_table(tables)
    labels = judged.labels
    assert isinstance(judged, HighlightJudgments)
    assert labels is not None
    assert labels.annotators is not None
    alike = of_highlights(judged, labels, labels.annotators.texts(), collection)
    return with_systems(alike, tables, runs, measure, collection)


def with_systems(
    alike: Agreement,
    tables: dict[str, Judgments],
    runs: RunsLike | None,
    measure: MeasuresLike | None,
    collection: DocumentCollection | None,
) -> Agreement:
    """Add the agreement on the ranking of runs."""
    systems, _, notes = system_values(tables, runs, measure, OF_TEXT, collection)
    return replace(alike, systems=systems, notes=alike.notes + notes)


def in_one_table(tables: dict[str, Judgments]) -> Judgments:
    """Combine the highlighted text of several annotators into one table with a column annotator.

    An annotator who lists only documents with evidence is taken to have found none in the other documents of the same
    topics.
    """
    import polars as pl

    marked = {name: spans_by_document(table) for name, table in tables.items()}
    everything = {pair for spans in marked.values() for pair in spans}
    rows: list[tuple[str, str, int, int, int, str]] = []
    for name, spans in marked.items():
        topics = {topic for topic, _ in spans} if all(spans.values()) else set()
        spans |= {pair: [] for pair in everything if pair not in spans and pair[0] in topics}
        for (topic, document), found in sorted(spans.items()):
            rows += [(topic, document, start, end, 1, name) for start, end in found]
            rows += [] if found else [(topic, document, 0, 0, 0, name)]
    schema = ["topic", "document", "start", "end", "grade", "annotator"]
    return read_judgments(pl.DataFrame(rows, schema=schema, orient="row"))


def spans_by_document(judged: Judgments) -> dict[grade_agreement.TopicDocument, list[tuple[int, int]]]:
    """Return the highlighted spans of each judged document of a topic."""
    assert isinstance(judged, HighlightJudgments)
    refuse_annotators(judged)
    pairs = list(zip(judged.topic.texts(), judged.document.texts(), strict=True))
    spans: dict[grade_agreement.TopicDocument, list[tuple[int, int]]] = {pair: [] for pair in pairs}
    text = judged.highlights
    for row, start, end in zip(text.row.tolist(), text.start.tolist(), text.end.tolist(), strict=True):
        spans[pairs[row]].append((start, end))
    return spans


def of_highlights(
    judged: HighlightJudgments, labels: Labels, annotators: list[str], collection: DocumentCollection | None
) -> Agreement:
    """Return the agreement on highlighted text, character by character."""
    pairs = pairs_of(judged, labels, annotators, known_lengths(judged, collection))
    if not len(pairs):
        raise InputError("no document was judged by two annotators for the same topic", judged.name)
    refuse_beyond(judged, pairs)
    notes = []
    if unknown := int((pairs.length < 0).sum()):
        what = f"the document lengths of {unknown:,} of {count_noun(len(pairs), 'pair')} are unknown"
        notes.append(f"{judged.name}: {what}, so kappa and alpha are left out; pass documents= to look them up")
    if nothing := int((pairs.union == 0).sum()):
        what = f"{judged.name}: neither annotator marked anything in {count_noun(nothing, 'pair')}"
        notes.append(f"{what}; only alpha and document kappa count these")
    return Agreement(pairs, notes)


def known_lengths(judged: HighlightJudgments, collection: DocumentCollection | None) -> Ints:
    """Return the length of each judged document; -1 if unknown."""
    length = judged.highlights.length
    if collection is None or (length >= 0).all():
        return length
    return np.where(length < 0, collection.lengths(judged.document.texts(), missing="unknown"), length)


def pairs_of(judged: HighlightJudgments, labels: Labels, annotators: list[str], length: Ints) -> Pairs:
    """Return all pairs of annotators of each document, in the order of their names."""
    highlights = judged.highlights
    # number each pair of a document and an annotator, sorted by document and name
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
    entry, assisted = np.full(len(numbers), -1), np.zeros(len(numbers), bool)
    if labels.entry is not None:
        entry[teller[teller >= 0]] = labels.entry[teller >= 0]
    if labels.assisted is not None:
        assisted[teller[teller >= 0]] = labels.assisted[teller >= 0]
    squares = marks.spans.size.astype(np.float64) ** 2
    units: Floats = np.bincount(marks.spans.document, squares, minlength=len(numbers)).astype(np.float64)
    bounds = np.searchsorted(marks.spans.document, np.arange(len(numbers) + 1)).tolist()
    passages = [marks.spans[begin:end] for begin, end in pairwise(bounds)]
    names, topics, documents = [name for _, name in numbers], judged.topic.texts(), judged.document.texts()
    return Pairs(
        [topics[each] for each in row], [documents[each] for each in row],
        [names[each] for each in first], [names[each] for each in second],
        marks.size[first], marks.size[second], shared_text(marks, first, second), length[row], in_all,
        units[first], units[second], entry[first], entry[second], assisted[first] | assisted[second],
        [(passages[one], passages[other]) for one, other in zip(first.tolist(), second.tolist(), strict=True)],
    )  # fmt: skip


def shared_text(marks: Marks, first: Ints, second: Ints) -> Ints:
    """Return how many characters both of each pair marked."""
    bounds = np.searchsorted(marks.spans.document, np.arange(len(marks.size) + 1))
    number = (bounds[1:] - bounds[:-1])[first]
    pair = np.repeat(np.arange(len(first)), number)
    span = np.arange(len(pair)) + np.repeat(bounds[first] - np.cumsum(number) + number, number)
    within = marks.within(Spans(second[pair], marks.spans.start[span], marks.spans.end[span]))
    return np.bincount(pair, within, minlength=len(first)).astype(np.int64)


def refuse_beyond(judged: Judgments, pairs: Pairs) -> None:
    """Raise an error if more text is marked than a document has."""
    beyond = np.flatnonzero((pairs.length >= 0) & (pairs.union > pairs.length))
    if len(beyond):
        at = int(beyond[0])
        what = f"{pairs.union[at]:,} characters of document {pairs.document[at]} are marked for topic {pairs.topic[at]}"
        problem = f"{what}, but it has only {pairs.length[at]:,}"
        raise InputError(f"{problem}; do the offsets belong to another text?", judged.name)
