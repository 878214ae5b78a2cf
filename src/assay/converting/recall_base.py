"""The statistics of a recall-base of assessed elements (SIGIR 2004, table 1), and the ideal run constructed from it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, UsageError
from assay.ranking.element_trees import RULES, Base, Quantisation, relevant_paths
from assay.ranking.pool import Pool
from assay.reading.read import opened_documents, read_judgments
from assay.showing.layout import render
from assay.tables.ids import Ids
from assay.tables.judgments import ElementJudgments
from assay.tables.run import Run, make_run

if TYPE_CHECKING:
    from assay.reading.input_types import DocumentsLike, JudgmentsLike

HEADER = ["(e, s)", "elements", "a relevant article", "a relevant path"]


@dataclass(frozen=True, eq=False)
class RecallBase:
    """How many elements were assessed with each pair of grades, and how
    they lie on the relevant paths of the articles.
    """

    name: str
    counts: dict[str, int]
    on_paths: dict[str, int]
    relevant: int
    articles: int
    paths: int
    ideal: int

    @property
    def growth(self) -> float:
        """How many times as large the recall-base is as it would be with one element a relevant path."""
        return self.relevant / self.paths if self.paths else 0.0

    @property
    def propagated(self) -> float:
        """The share of relevant elements that are not the end of a relevant path."""
        return (self.relevant - self.paths) / self.relevant if self.relevant else 0.0

    def rows(self) -> list[list[Any]]:
        """A row for each pair of grades, and one for all relevant elements."""
        articles, paths = max(self.articles, 1), max(self.paths, 1)
        rows = [
            [pair, number, number / articles, self.on_paths.get(pair, 0) / paths]
            for pair, number in self.counts.items()
        ]
        return [*rows, ["(> 0, > 0)", self.relevant, self.relevant / articles, sum(self.on_paths.values()) / paths]]

    def facts(self) -> dict[str, Any]:
        """The numbers of the whole recall-base."""
        return {
            "relevant elements": self.relevant,
            "relevant articles": self.articles,
            "relevant paths": self.paths,
            "growth": self.growth,
            "propagated": self.propagated,
            "ideal elements": self.ideal,
        }

    def show(self, layout: str = "text", digits: int = 2) -> str:
        """The statistics as text, tsv, csv, json, md, latex or html."""
        if layout == "json":
            statistics = {"grades": [dict(zip(HEADER, row, strict=True)) for row in self.rows()], **self.facts()}
            return json.dumps(statistics, indent=1, ensure_ascii=False) + "\n"
        whole = render(
            layout, ["recall-base", self.name], [[name, value] for name, value in self.facts().items()], 1, digits
        )
        return render(layout, HEADER, self.rows(), 1, digits) + "\n" + whole

    def __repr__(self) -> str:
        return self.show()

    def _repr_html_(self) -> str:
        return self.show("html")


def assessed(judgments: JudgmentsLike, format: str | None = None, pools: Collection[str] | None = None) -> Pool:
    """The assessed elements of a file or a tree of files."""
    pool = Pool(read_judgments(judgments, format, pools=pools))
    if not isinstance(pool.judgments, ElementJudgments):
        raise InputError("has no assessed elements", pool.judgments.name)
    return pool


def recall_base(
    judgments: JudgmentsLike,
    *,
    quant: Quantisation = "gen",
    rule: str = "2005",
    format: str | None = None,
    pools: Collection[str] | None = None,
) -> RecallBase:
    """The statistics of the recall-base of assessed elements: relevant are those that a quantisation values above 0."""
    pool = assessed(judgments, format, pools)
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
    )


def pair(base: Base, at: int) -> str:
    """The grades of an element as they are written; a specificity that is a share is rounded down to a tenth."""
    e, s = int(base.elements.exhaustivity[at]), float(base.elements.specificity[at])
    share = f"{s:g}" if base.elements.scale == "2003" else "<0.1" if 0 < s < 0.1 else f"{int(s * 10) / 10:g}"
    return f"({'?' if e < 0 else e}, {share})"


def by_size(grade: str) -> float:
    """The place of a grade as it is written: the highest first, too small last."""
    return {"?": 1.0, "<0.1": -0.05}.get(grade) or -float(grade)


def checked_rule(rule: str) -> str:
    """The rule by which ideal elements are chosen, if it is one."""
    if rule not in RULES:
        raise UsageError(f"unknown rule {rule!r}; expected one of {', '.join(RULES)}")
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
    """The run that the papers construct: the elements of the ideal
    recall-base, or of the full one, highest score first.

    Where the documents are given it has the characters of the elements too.
    """
    pool = assessed(judgments, format, pools)
    base = pool.base
    value = base.quantised(quant)
    rows = np.flatnonzero(base.behind(quant, overlap, checked_rule(rule)))
    rows = rows[np.lexsort((-value[rows], base.topic[rows]))]
    if not len(rows):
        raise InputError("has no relevant element", pool.judgments.name)
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
