"""Formulas of others, under their names, to repeat and explain published numbers; Assay's own are P, R, F and IoU.

Formulas for chunks use the evidence span by span, as it is listed. If a formula has a flaw, its description says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.measures.base import Measure, cut, parameter, rel
from assay.ranking.documents import Ranking, Values, ratio
from assay.ranking.kinds import DOCUMENTS, TEXT
from assay.ranking.text import TextRanking, of_text
from assay.tables.ids import Bools, Ints
from assay.tables.intervals import Line, Spans


def sets() -> Any:
    """Declare what a set of evidence is, if the judgments do not say."""
    meaning = "each: every relevant document is its own set of evidence; all: together they are one set"
    return parameter("each", meaning, choices=("each", "all"))


@dataclass(frozen=True, kw_only=True)
class ChromaRecall(Measure):
    """Recall of Chroma's chunking evaluation.

        ChromaRecall@k = |(p_1 ∪ … ∪ p_k) ∩ gold| / Σ |g_j|

    If excerpts g_j overlap, the denominator counts their common text twice, and a perfect list scores below 1.
    Otherwise it equals R@k. Smith and Troynikov, Evaluating Chunking Strategies for Retrieval, Chroma 2024.
    """

    kinds = (TEXT,)
    knows_copies = False
    worked = "{Σ found} / {evidence}"
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = of_text(ranking, self).top(self.k)
        return ratio(top.total(top.found, "found"), as_listed(top))


@dataclass(frozen=True, kw_only=True)
class ChromaPrecision(Measure):
    """Precision of Chroma's chunking evaluation.

        ChromaPrecision@k = |(p_1 ∪ … ∪ p_k) ∩ gold| / Σ |p_i|

    The numerator counts text once, the denominator as often as it is returned: it equals P@k with overlap=paid. Smith
    and Troynikov, Evaluating Chunking Strategies for Retrieval, Chroma 2024.
    """

    kinds = (TEXT,)
    knows_copies = False
    worked = "{Σ found} / {Σ returned}"
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = of_text(ranking, self).top(self.k)
        return ratio(top.total(top.found, "found"), top.total(top.returned, "returned"))


@dataclass(frozen=True, kw_only=True)
class ChromaIoU(Measure):
    """Intersection over union of Chroma's chunking evaluation.

        ChromaIoU@k = |(p_1 ∪ … ∪ p_k) ∩ gold| / (Σ |p_i| + Σ |g_j not retrieved|)

    The denominator is not a union if chunks or excerpts overlap: it counts their common text twice. If excerpts do not
    overlap, it equals IoU@k with overlap=paid. Smith and Troynikov, Evaluating Chunking Strategies for Retrieval,
    Chroma 2024.
    """

    kinds = (TEXT,)
    knows_copies = False
    worked = "{Σ found} / ({Σ returned} + {evidence} − {Σ evidence found})"
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = of_text(ranking, self).top(self.k)
        pieces = top.pieces[top.fresh]
        retrieved = np.bincount(pieces.document, top.judgments.as_listed(pieces, top.document), minlength=len(top.rank))
        missed = as_listed(top) - top.total(retrieved.astype(np.int64), "evidence found")
        return ratio(top.total(top.found, "found"), top.total(top.returned, "returned") + missed)


@dataclass(frozen=True, kw_only=True)
class ChromaOmega(Measure):
    """Precision_omega of Chroma's chunking evaluation: the IoU of all chunks that touch an excerpt.

        ChromaOmega = |C ∩ gold| / |C ∪ gold|,  C = ∪ {p_i that touch an excerpt}

    It measures the splitter, not a retriever: the run must list every chunk of the corpus, in any order. As in the
    original, a chunk that ends exactly where an excerpt begins also touches it, which lowers the value. Smith and
    Troynikov, Evaluating Chunking Strategies for Retrieval, Chroma 2024.
    """

    kinds = (TEXT,)
    knows_copies = False
    worked = "{|C ∩ gold|} / {|C ∪ gold|}"

    def __call__(self, ranking: Ranking) -> Values:
        text = of_text(ranking, self)
        documents = len(text.judgments.topic)
        judged = np.flatnonzero(text.document >= 0)
        chunks = Spans(text.document[judged], text.start[judged], text.end[judged])
        union = chunks[touching(chunks, text.judgments.passages, documents)].union(documents)
        sizes = [union.size, text.judgments.marks.within(union)]
        topics = text.judgments.topic[union.document]
        size, hit = (np.bincount(topics, x, minlength=len(text.judgments.total))[text.topics] for x in sizes)
        union_size = text.quantity("|C ∪ gold|", size + text.base - hit)
        return ratio(text.quantity("|C ∩ gold|", hit), union_size)


@dataclass(frozen=True, kw_only=True)
class LegalBenchPrecision(Measure):
    """Precision of LegalBench-RAG.

        LegalBenchPrecision@k = Σ_i Σ_j |p_i ∩ g_j| / Σ |p_i|

    Relevant text that is returned again counts as relevant again, so a list that repeats its best chunk keeps its
    precision. Pipitone and Houir Alami, LegalBench-RAG, arXiv 2408.10343, 2024.
    """

    kinds = (TEXT,)
    knows_copies = False
    worked = "{Σ overlap} / {Σ length}"
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = of_text(ranking, self).top(self.k)
        return ratio(top.total(every_overlap(top), "overlap"), top.total(top.end - top.start, "length"))


@dataclass(frozen=True, kw_only=True)
class LegalBenchRecall(Measure):
    """Recall of LegalBench-RAG, which may exceed 1.

        LegalBenchRecall@k = Σ_i Σ_j |p_i ∩ g_j| / Σ |g_j|

    Text that two chunks share counts twice: chunks that overlap by half can have a recall of nearly 2, and more
    overlap scores higher for the same evidence. Pipitone and Houir Alami, LegalBench-RAG, arXiv 2408.10343, 2024.
    """

    kinds = (TEXT,)
    knows_copies = False
    worked = "{Σ overlap} / {evidence}"
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = of_text(ranking, self).top(self.k)
        return ratio(top.total(every_overlap(top), "overlap"), as_listed(top))


@dataclass(frozen=True, kw_only=True)
class KILTRprec(Measure):
    """R-precision of KILT: precision at the rank that equals the size of a set of evidence, for the best set.

        KILTRprec = max_s |s among the first |s|| / |s|

    With sets=each, for questions with alternatives, it is 1 if the first document is relevant, however many there are;
    with sets=all it is Rprec. If judgments have a column set, sets=all uses these sets. Petroni et al., KILT: a
    benchmark for knowledge intensive language tasks, NAACL 2021.
    """

    kinds = (DOCUMENTS,)
    worked = "{Σ relevant} / {|s|}"
    sets: str = sets()
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        base = ranking.recall_base(self.rel)
        size = ranking.quantity("|s|", base if self.sets == "all" else np.minimum(base, 1))
        top = ranking.top(size)
        return ratio(top.total(top.relevant(self.rel), "relevant"), size)


@dataclass(frozen=True, kw_only=True)
class KILTRecall(Measure):
    """Recall of KILT: the share of the sets of evidence that are complete within the first k.

        KILTRecall@k = |sets whose last document has a place among the first k| / |sets|

    The documents of a set together take one place: with sets=all, n documents are complete at k if the last is at rank
    k + n − 1. With sets=each it is R@k. If judgments have a column set, sets=all takes the mean over these sets;
    documents of other sets take one place each, whereas KILT's program gives each of these sets one place. Petroni et
    al., KILT, NAACL 2021, and its program eval_retrieval.py.
    """

    kinds = (DOCUMENTS,)
    mean_of_sets = True
    worked = "{Σ relevant} / {|relevant|}"
    sets: str = sets()
    rel: float = rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        base, hit = ranking.recall_base(self.rel), ranking.relevant(self.rel)
        if self.sets == "each":
            top = ranking.top(self.k)
            return ratio(top.total(top.relevant(self.rel), "relevant"), base)
        place = ranking.highest(hit * ranking.rank, "rank of a relevant document") - base + 1
        complete = (base > 0) & (ranking.total(hit, "relevant in the list") == base)
        return (complete & (place <= (np.inf if self.k is None else self.k))).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class HotpotEM(Measure):
    """Exact match of HotpotQA's supporting facts (sp_em): whether exactly the relevant facts were retrieved.

        HotpotEM = 1 if retrieved = relevant, else 0

    The documents are the facts, for example `title#sentence`. The order of a ranking does not matter, but its length
    does: a ranking of ten scores 0 unless ten facts are relevant, so let the system decide where to cut. Yang et al.,
    HotpotQA, EMNLP 2018.
    """

    kinds = (DOCUMENTS,)
    rel: float = rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k)
        hits, base = top.total(top.relevant(self.rel), "relevant"), ranking.recall_base(self.rel)
        return ((hits == base) & (hits == top.quantity("|retrieved|", top.retrieved))).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class HotpotF1(Measure):
    """F1 of supporting facts of HotpotQA (sp_f1).

        HotpotF1 = 2 P R / (P + R) = 2 |relevant retrieved| / (|retrieved| + |relevant|)

    The documents are the facts, for example `title#sentence`. With a cut-off it divides by the number of results there
    are, whereas F@k divides by k. Yang et al., HotpotQA, EMNLP 2018.
    """

    kinds = (DOCUMENTS,)
    worked = "2 · {Σ relevant} / ({|retrieved|} + {|relevant|})"
    rel: float = rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k)
        retrieved = top.quantity("|retrieved|", top.retrieved)
        return ratio(2 * top.total(top.relevant(self.rel), "relevant"), retrieved + ranking.recall_base(self.rel))


@dataclass(frozen=True, kw_only=True)
class QASPERF1(Measure):
    """Evidence F1 of QASPER, over paragraphs: like HotpotF1, but 1 if nothing is relevant and nothing was retrieved.

        QASPERF1 = 2 |relevant retrieved| / (|retrieved| + |relevant|)

    The documents are paragraphs. QASPER takes the best of several annotators (annotators=best), so questions with more
    annotators look easier. Dasigi et al., A Dataset of Information-Seeking Questions, NAACL 2021.
    """

    kinds = (DOCUMENTS,)
    rel: float = rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k)
        nothing = (top.retrieved == 0) & (ranking.recall_base(self.rel) == 0)
        return np.where(nothing, 1.0, HotpotF1(rel=self.rel, k=self.k)(ranking))


def as_listed(ranking: TextRanking) -> Ints:
    """Return the characters of each topic's evidence, span by span: text that spans share counts twice."""
    return ranking.quantity("evidence", ranking.judgments.listed_total[ranking.topics])


def touching(spans: Spans, passages: Spans, documents: int) -> Bools:
    """Return which spans share a character or a boundary with a passage."""
    both = np.append(spans.document, passages.document), np.append(spans.end, passages.end)
    line = Line(*both, documents)
    begun = np.sort(line.begin[passages.document] + passages.start)
    ended = np.sort(line.begin[passages.document] + passages.end)
    begin = line.begin[spans.document]
    number_begun = np.searchsorted(begun, begin + spans.end, side="right")
    number_ended = np.searchsorted(ended, begin + spans.start, side="left")
    return number_begun > number_ended


def every_overlap(ranking: TextRanking) -> Ints:
    """Return the characters that each result shares with each span of the evidence, summed."""
    everything = Spans(np.arange(len(ranking.rank)), ranking.start, ranking.end)
    return ranking.judgments.as_listed(everything, ranking.document)
