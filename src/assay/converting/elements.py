"""Assessed elements: the relevance of every element, the statistics of a recall-base, and its ideal run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, UsageError
from assay.ranking.element_trees import RULES, Base, Quantisation, relevant_paths
from assay.ranking.pool import Pool
from assay.reading.read import opened_documents, read_judgments
from assay.showing.layout import render
from assay.tables.ids import Ids, Ints
from assay.tables.intervals import Marks, Spans
from assay.tables.judgments import ElementJudgments, HighlightJudgments
from assay.tables.run import Run, make_run

if TYPE_CHECKING:
    from assay.reading.input_types import DocumentsLike, JudgmentsLike


# The relevance of every element of the judged documents: how much of its text is highlighted (INEX 2007, section 3).

RELEVANCE_HEADER = ["topic", "document", "path", "size", "rsize", "relevance"]


@dataclass(frozen=True, eq=False, repr=False)
class Relevance:
    """One row per element: its topic, document and path, its number of characters, and how many are highlighted."""

    topic: list[str]
    document: list[str]
    path: list[str]
    size: Ints
    rsize: Ints

    def rows(self) -> list[list[Any]]:
        """Return each element with its relevance, highlighted divided by all text; 0 for an element without text."""
        ratio = np.divide(self.rsize, self.size, out=np.zeros(len(self.size)), where=self.size > 0)
        columns = self.topic, self.document, self.path, self.size.tolist(), self.rsize.tolist(), ratio.tolist()
        return [list(row) for row in zip(*columns, strict=True)]

    def show(self, layout: str = "text", digits: int = 4) -> str:
        """Return the rows as text, tsv, csv, json, md, latex or html."""
        if layout == "json":
            records = [dict(zip(RELEVANCE_HEADER, row, strict=True)) for row in self.rows()]
            return json.dumps(records, indent=1, ensure_ascii=False) + "\n"
        return render(layout, RELEVANCE_HEADER, self.rows(), 3, digits)

    def frame(self) -> Any:
        """Return the rows as a polars frame."""
        import polars as pl

        return pl.DataFrame(self.rows(), schema=RELEVANCE_HEADER, orient="row")

    def __repr__(self) -> str:
        return repr(self.frame())

    def _repr_html_(self) -> str:
        return self.frame()._repr_html_()


def relevance(
    judgments: JudgmentsLike,
    documents: DocumentsLike,
    *,
    everything: bool = False,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Relevance:
    """Return the relevance of elements of judged documents: highlighted characters divided by all characters.

    everything: return all elements of all judged documents, not only elements with highlighted text.
    """
    collection = opened_documents(documents)
    assert collection is not None
    judged = read_judgments(judgments, format, documents=collection, columns=columns)
    if not isinstance(judged, HighlightJudgments):
        of_what = "elements" if isinstance(judged, ElementJudgments) else "whole documents"
        raise InputError(f"these judgments are grades of {of_what}; expected highlighted text", judged.name)
    marks = Marks(judged.highlights, len(judged))
    topics, names = judged.topic.texts(), judged.document.texts()
    rows = [row for row in range(len(judged)) if everything or marks.size[row] > 0]
    lengths = collection.lengths([names[row] for row in rows])
    for row, length in zip(rows, lengths.tolist(), strict=True):
        told = int(judged.highlights.length[row])
        if told not in (-1, length):
            what = (
                f"document {names[row]} has {told:,} characters in the judgments but {length:,} in {collection.label}"
            )
            raise InputError(f"{what}; were the texts extracted in another way?", judged.name)
    trees = [collection.elements(names[row]) for row in rows]
    counts = [len(tree.paths) for tree in trees]
    none = np.zeros(0, np.int64)
    starts, ends = (np.concatenate([none, *(getattr(tree, end) for tree in trees)]) for end in ("start", "end"))
    spans = Spans(np.repeat(np.array(rows, np.int64), counts), starts, ends)
    rsize = marks.within(spans)
    kept = np.flatnonzero(rsize > 0) if not everything else np.arange(len(spans))
    paths = [path for tree in trees for path in tree.paths]
    document = spans.document[kept].tolist()
    return Relevance(
        [topics[row] for row in document],
        [names[row] for row in document],
        [paths[place] for place in kept.tolist()],
        spans.size[kept],
        rsize[kept],
    )


# The statistics of a recall-base of assessed elements (SIGIR 2004, table 1), and the ideal run constructed from it.

GRADES_HEADER = ["(e, s)", "elements", "per relevant article", "per relevant path"]


@dataclass(frozen=True, eq=False)
class RecallBase:
    """Counts of the assessed elements for each pair of grades, and of those on the relevant paths of articles.

    `files` counts the assessed articles, each for one topic, and `whole` the assessed elements that are whole articles.
    `pools` has the number of assessed elements of each topic. `highest` has for each topic how many elements have the
    highest grades, and how many of these overlap another.
    """

    name: str
    counts: dict[str, int]
    on_paths: dict[str, int]
    relevant: int
    articles: int
    paths: int
    ideal: int
    files: int = 0
    whole: int = 0
    pools: tuple[int, ...] = ()
    highest: tuple[tuple[int, int], ...] = ()
    highest_grades: str = "(3, 3)"

    @property
    def overlapping(self) -> float | None:
        """The share of the elements with the highest grades that overlap another; None if no element has them."""
        elements = sum(number for number, _ in self.highest)
        return sum(overlap for _, overlap in self.highest) / elements if elements else None

    @property
    def overlapping_a_topic(self) -> float | None:
        """The same share per topic, averaged over the topics with such elements."""
        shares = [overlap / number for number, overlap in self.highest if number]
        return sum(shares) / len(shares) if shares else None

    @property
    def growth(self) -> float:
        """How many times as large the recall-base is as it would be with one element per relevant path."""
        return self.relevant / self.paths if self.paths else 0.0

    @property
    def propagated(self) -> float:
        """The share of relevant elements that are not the end of a relevant path."""
        return (self.relevant - self.paths) / self.relevant if self.relevant else 0.0

    def rows(self) -> list[list[Any]]:
        """Return a row for each pair of grades, and one for all relevant elements."""
        articles, paths = max(self.articles, 1), max(self.paths, 1)
        rows = [
            [pair, number, number / articles, self.on_paths.get(pair, 0) / paths]
            for pair, number in self.counts.items()
        ]
        return [*rows, ["(> 0, > 0)", self.relevant, self.relevant / articles, sum(self.on_paths.values()) / paths]]

    def facts(self) -> dict[str, Any]:
        """Return the numbers of the whole recall-base."""
        pools = self.pools or (0,)
        return {
            "topics": len(self.pools),
            "files": self.files,
            "assessed elements": sum(self.pools),
            "assessed articles": self.whole,
            "per topic, mean": sum(pools) / len(pools),
            "per topic, lowest": min(pools),
            "per topic, highest": max(pools),
            "relevant elements": self.relevant,
            "relevant articles": self.articles,
            "relevant paths": self.paths,
            "growth": self.growth,
            "propagated": self.propagated,
            "ideal elements": self.ideal,
            f"{self.highest_grades} that overlap another": self.overlapping,
            "the same, mean over topics": self.overlapping_a_topic,
        }

    def show(self, layout: str = "text", digits: int = 2) -> str:
        """Return the statistics as text, tsv, csv, json, md, latex or html."""
        if layout == "json":
            statistics = {"grades": [dict(zip(GRADES_HEADER, row, strict=True)) for row in self.rows()], **self.facts()}
            return json.dumps(statistics, indent=1, ensure_ascii=False) + "\n"
        facts = [[name, "" if value is None else value] for name, value in self.facts().items()]
        whole = render(layout, ["recall-base", self.name], facts, 1, digits)
        return render(layout, GRADES_HEADER, self.rows(), 1, digits) + "\n" + whole

    def __repr__(self) -> str:
        return self.show()

    def _repr_html_(self) -> str:
        return self.show("html")


def assessed_elements(
    judgments: JudgmentsLike, format: str | None = None, pools: Collection[str] | None = None
) -> Pool:
    """Return the assessed elements of a file or a folder of files."""
    pool = Pool(read_judgments(judgments, format, pools=pools))
    if not isinstance(pool.judgments, ElementJudgments):
        what = "these judgments have no assessed elements"
        raise InputError(f"{what}; expected INEX assessments of elements", pool.judgments.name)
    return pool


def recall_base(
    judgments: JudgmentsLike,
    *,
    quant: Quantisation = "gen",
    rule: str = "2005",
    format: str | None = None,
    pools: Collection[str] | None = None,
) -> RecallBase:
    """Return statistics of assessed elements; an element is relevant if the quantisation gives it a value above 0."""
    pool = assessed_elements(judgments, format, pools)
    base = pool.base
    chosen = base.ideal(quant, checked_rule(rule))
    pairs = [pair(base, at) for at in range(len(base))]
    on_paths = Counter(pairs[at] for path in relevant_paths(base, quant) for at in path)
    relevant = base.full(quant)
    order = sorted(set(pairs), key=lambda grades: [by_size(grade) for grade in grades.strip("()").split(", ")])
    counts = Counter(pairs)
    return RecallBase(
        pool.judgments.name,
        {grades: counts[grades] for grades in order},
        dict(on_paths),
        int(relevant.sum()),
        len(np.unique(base.elements.row[relevant])),
        len(base.leaves(quant)),
        int(chosen.sum()),
        len(pool.judgments),
        len(base.roots),
        tuple(np.bincount(base.topic, minlength=base.topics).tolist()),
        overlaps_of_highest(base),
        HIGHEST[base.elements.scale],
    )


# The highest grades of each scale.
HIGHEST = {"2003": "(3, 3)", "2005": "(2, 1)"}


def overlaps_of_highest(base: Base) -> tuple[tuple[int, int], ...]:
    """Count per topic the elements with the highest grades, and how many overlap another (SIGIR 2004, 3.2)."""
    highest = base.quantised("strict") > 0
    overlaps = np.zeros(len(base), bool)
    for at in np.flatnonzero(highest).tolist():
        above = int(base.parent[at])
        while above >= 0:
            if highest[above]:
                overlaps[[at, above]] = True
            above = int(base.parent[above])
    numbers = (np.bincount(base.topic[which], minlength=base.topics).tolist() for which in (highest, overlaps))
    return tuple(zip(*numbers, strict=True))


def pair(base: Base, at: int) -> str:
    """Return the grades of an element in words; a specificity that is a share is rounded down to a tenth."""
    e, s = int(base.elements.exhaustivity[at]), float(base.elements.specificity[at])
    share = f"{s:g}" if base.elements.scale == "2003" else "<0.1" if 0 < s < 0.1 else f"{int(s * 10) / 10:g}"
    return f"({'?' if e < 0 else e}, {share})"


def by_size(grade: str) -> float:
    """Return the sort key of a written grade: the highest first, "too small" last."""
    return {"?": 1.0, "<0.1": -0.05}.get(grade) or -float(grade)


def checked_rule(rule: str) -> str:
    """Return the rule that chooses ideal elements; raise an error if it is unknown."""
    if rule not in RULES:
        raise UsageError(f"unknown rule {rule!r}; choose from {', '.join(RULES)}")
    return rule


def ideal_run(
    judgments: JudgmentsLike,
    *,
    quant: Quantisation = "gen",
    rule: str = "2005",
    overlap: str = "on",
    format: str | None = None,
    pools: Collection[str] | None = None,
    documents: DocumentsLike | None = None,
) -> Run:
    """Return the run that the INEX papers construct: elements of the ideal or full recall-base, highest score first.

    With documents the run also has the offsets of the elements.
    """
    pool = assessed_elements(judgments, format, pools)
    base = pool.base
    value = base.quantised(quant)
    rows = np.flatnonzero(base.behind(quant, overlap, checked_rule(rule)))
    rows = rows[np.lexsort((-value[rows], base.topic[rows]))]
    if not len(rows):
        raise InputError("no element is relevant in these judgments; expected at least one", pool.judgments.name)
    paths = [base.elements.path[row] for row in rows.tolist()]
    document = pool.judgments.document[base.elements.row[rows]]
    topic = Ids.of(pool.topics[number] for number in base.topic[rows].tolist())
    starts = np.flatnonzero(np.append(True, np.diff(base.topic[rows]) > 0))
    rank = np.arange(len(rows)) - np.repeat(starts, np.diff(np.append(starts, len(rows)))) + 1
    start = end = None
    if (collection := opened_documents(documents)) is not None:
        start, end = collection.spans(document.texts(), paths)
    return make_run(
        "ideal",
        topic,
        document,
        score=value[rows],
        rank=rank,
        start=start,
        end=end,
        path=Ids.of(paths),
        by_rank=True,
    )
