"""The relevance of every element of judged documents: how much of its text is highlighted (INEX 2007, section 3)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError
from assay.reading.read import opened_documents, read_judgments
from assay.showing.layout import render
from assay.tables.ids import Ints
from assay.tables.intervals import Marks, Spans
from assay.tables.judgments import ElementJudgments, HighlightJudgments

if TYPE_CHECKING:
    from assay.reading.input_types import DocumentsLike, JudgmentsLike

HEADER = ["topic", "document", "path", "size", "rsize", "relevance"]


@dataclass(frozen=True, eq=False, repr=False)
class Relevance:
    """One row per element: its topic, document and path, its characters, and how many of them are highlighted."""

    topic: list[str]
    document: list[str]
    path: list[str]
    size: Ints
    rsize: Ints

    def rows(self) -> list[list[Any]]:
        """Each element with its relevance, the ratio of highlighted to all text; 0 of an element without text."""
        ratio = np.divide(self.rsize, self.size, out=np.zeros(len(self.size)), where=self.size > 0)
        columns = self.topic, self.document, self.path, self.size.tolist(), self.rsize.tolist(), ratio.tolist()
        return [list(row) for row in zip(*columns, strict=True)]

    def show(self, layout: str = "text", digits: int = 4) -> str:
        """The rows as text, tsv, csv, json, md, latex or html."""
        if layout == "json":
            return (
                json.dumps([dict(zip(HEADER, row, strict=True)) for row in self.rows()], indent=1, ensure_ascii=False)
                + "\n"
            )
        return render(layout, HEADER, self.rows(), 3, digits)

    def frame(self) -> Any:
        """The rows as a polars frame."""
        import polars as pl

        return pl.DataFrame(self.rows(), schema=HEADER, orient="row")

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
    """Return the relevance of elements of judged documents: their highlighted characters divided by all their
    characters.

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
