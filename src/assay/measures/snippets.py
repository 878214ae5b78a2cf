"""The snippet measures of BioASQ, which first merge overlapping snippets of the answer and of the gold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.measures.base import Measure, cut, parameter
from assay.ranking.documents import Ranking, Values, ratio
from assay.ranking.kinds import TEXT
from assay.ranking.text import TextRanking, of_text
from assay.tables.ids import Bools, Ints
from assay.tables.intervals import Line, Spans

# BioASQ 3 to 7 divide AP by this number; later editions divide at most by it.
SNIPPETS = 10


@dataclass(frozen=True, kw_only=True)
class BioASQPrecision(Measure):
    """Snippet precision of BioASQ: the share of the returned characters that are in the gold, each counted once.

        BioASQPrecision = |(p_1 ∪ … ∪ p_k) ∩ gold| / |p_1 ∪ … ∪ p_k|

    It is P with overlap=new. Balikas et al., Evaluation framework specifications, BioASQ deliverable D4.1, 2013.
    """

    kinds = (TEXT,)
    knows_copies = False
    worked = "{Σ found} / {Σ new}"
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = of_text(ranking, self).top(self.k)
        return ratio(top.total(top.found, "found"), top.total(top.returned - top.repeated, "new"))


@dataclass(frozen=True, kw_only=True)
class BioASQRecall(Measure):
    """Snippet recall of BioASQ: the share of the gold's characters that were returned.

        BioASQRecall = |(p_1 ∪ … ∪ p_k) ∩ gold| / |gold|

    It is R. Balikas et al., Evaluation framework specifications, BioASQ deliverable D4.1, 2013.
    """

    kinds = (TEXT,)
    knows_copies = False
    worked = "{Σ found} / {|gold|}"
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = of_text(ranking, self).top(self.k)
        return ratio(top.total(top.found, "found"), top.quantity("|gold|", top.base))


@dataclass(frozen=True, kw_only=True)
class BioASQF1(Measure):
    """Snippet F1 of BioASQ: the harmonic mean of its precision and recall.

        BioASQF1 = 2 P R / (P + R)

    Balikas et al., Evaluation framework specifications, BioASQ deliverable D4.1, 2013.
    """

    kinds = (TEXT,)
    knows_copies = False
    worked = "2 · {Σ found} / ({Σ new} + {|gold|})"
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = of_text(ranking, self).top(self.k)
        read = top.total(top.returned - top.repeated, "new")
        return ratio(2 * top.total(top.found, "found"), read + top.quantity("|gold|", top.base))


@dataclass(frozen=True, kw_only=True)
class BioASQAP(Measure):
    """Snippet average precision of BioASQ, in characters; it may exceed 1.

        BioASQAP = Σ_r P@r · [snippet r is relevant] / N

    P@r is the precision of the first r snippets in characters, after overlapping snippets were merged into the first
    of them. N is min(10, gold snippets) since BioASQ 8 (edition=8), 10 in 3 to 7 (edition=5), the number of gold
    snippets before (edition=2). In the official program a semicolon after an `if` makes every snippet of a gold
    document relevant (relevant=document); as intended, a snippet must share a character with the gold
    (relevant=overlap). N counts gold snippets but the sum is over returned snippets: many short snippets of one long
    gold snippet exceed 1. Snippets of documents without judgments are not merged. Balikas et al., BioASQ deliverable
    D4.1, 2013, and the program of BioASQ/Evaluation-Measures.
    """

    kinds = (TEXT,)
    knows_copies = False
    worked = "{Σ relevant · precision} / {N}"
    edition: str = parameter("8", "divisor: of BioASQ 8 (and later), 5 (3 to 7) or 2 (before)", choices=("2", "5", "8"))
    relevant: str = parameter(
        "document",
        "relevant snippets: document (all of a gold document, as officially) or overlap (only if they overlap gold)",
        choices=("document", "overlap"),
    )
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = of_text(ranking, self).top(self.k)
        first, size, hit = merged_results(top)
        of_gold = (top.document >= 0) & (top.judgments.marks.size[np.maximum(top.document, 0)] > 0)
        counts = first & (of_gold if self.relevant == "document" else hit > 0)
        precision = ratio(top.running(hit), top.running(size))
        found = top.total(counts * top.column("precision", precision), "relevant · precision")
        return ratio(found, top.quantity("N", self._divisor(top)))

    def _divisor(self, top: TextRanking) -> Values:
        passages = top.judgments.passages
        _, merged = components(passages[passages.size > 0], len(top.judgments.topic))
        number = np.bincount(top.judgments.topic[merged.document], minlength=len(top.judgments.total))[top.topics]
        return {"2": number, "5": np.full(len(number), SNIPPETS), "8": np.minimum(number, SNIPPETS)}[self.edition]


def merged_results(ranking: TextRanking) -> tuple[Bools, Ints, Ints]:
    """Merge results that overlap into the first of them.

    Return for each row whether it is the first, and for the first rows the characters and the relevant characters of
    all that were merged.
    """
    judged = np.flatnonzero((ranking.document >= 0) & (ranking.end > ranking.start))
    spans = Spans(ranking.document[judged], ranking.start[judged], ranking.end[judged])
    number, merged = components(spans, len(ranking.judgments.topic))
    first_row = np.full(len(merged), len(ranking.rank))
    np.minimum.at(first_row, number, judged)
    size, hit = ranking.returned - ranking.repeated, np.zeros(len(ranking.rank), np.int64)
    size[judged] = 0
    size[first_row], hit[first_row] = merged.size, ranking.judgments.marks.within(merged)
    is_first = np.ones(len(ranking.rank), bool)
    is_first[judged] = False
    is_first[first_row] = True
    return is_first, size, hit


def components(spans: Spans, documents: int) -> tuple[Ints, Spans]:
    """Merge spans that share characters, directly or through others.

    Return for each span the number of the merged span it is part of, and the merged spans. No span may be empty.
    """
    order = np.lexsort((spans.start, spans.document))
    begin = Line(spans.document, spans.end, documents).begin[spans.document[order]]
    reach = np.maximum.accumulate(spans.end[order] + begin)
    new = np.append(True, (spans.start[order] + begin)[1:] >= reach[:-1])[: len(order)]
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(new) - 1
    first = np.flatnonzero(new)
    last = np.append(first[1:], len(order))[: len(first)] - 1
    return number, Spans(spans.document[order[first]], spans.start[order[first]], (reach - begin)[last])
