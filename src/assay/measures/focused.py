"""Measures of highlighted text: interpolated precision, and generalised precision of documents by their parts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from assay.measures.base import Measure, cut, parameter, recall_level
from assay.measures.sets import F
from assay.ranking.documents import Ranking, Values, ratio
from assay.ranking.kinds import DOCUMENTS, TEXT
from assay.ranking.text import of_text

LEVELS = 100


@dataclass(frozen=True, kw_only=True)
class iP(Measure):
    """Interpolated precision at a recall level: the highest precision of text at that recall or any higher one.

        iP@x = max{ P@r : R@r ≥ x },  0 if recall x is never reached

    iP@0 is the best precision anywhere. Recall is compared exactly, in whole numbers. Pehcevski et al., INEX 2007, sec.
    4.2.
    """

    kinds = (DOCUMENTS, TEXT)
    cutoff = "recall"
    worked = "{max P@i where R@i ≥ x}"
    recall: float = recall_level()

    def __call__(self, ranking: Ranking) -> Values:
        seen = ranking.running(ranking.gain(1))
        level = Fraction(str(self.recall))
        reached = seen * level.denominator >= level.numerator * ranking.each(ranking.recall_base(1))
        return ranking.highest(np.where(reached, ratio(seen, ranking.read), 0.0), "P@i where R@i ≥ x")


@dataclass(frozen=True, kw_only=True)
class AiP(Measure):
    """Average interpolated precision: the mean of iP at 101 levels of recall. Its mean is MAiP (in 2007: iMAP).

        AiP = (1/101) Σ_x iP@x,  x = 0, 0.01 … 1

    Assay sums it over results: for every recall level that a result is the first to reach, it adds the highest
    precision at that rank or below. Pehcevski et al., INEX 2007, sec. 4.2; Kamps et al., INEX 2007 Evaluation
    Measures, 2008.
    """

    kinds = (DOCUMENTS, TEXT)
    worked = "{Σ levels · best P} / 101"

    def __call__(self, ranking: Ranking) -> Values:
        seen = ranking.running(ranking.gain(1))
        precision = ratio(seen, ranking.read)
        best = ranking.best_from(precision)
        reached = LEVELS * seen // np.maximum(ranking.each(ranking.recall_base(1)), 1) + 1
        first = np.zeros(len(reached), bool)
        first[ranking.starts[:-1][ranking.rows > 0]] = True
        newly = np.where(first, reached, np.diff(reached, prepend=0))
        if ranking.trace is not None:
            ranking.column("levels", newly)
            ranking.column("best P", best)
            ranking.column("best at", best_at(ranking, precision, best))
        return ranking.total(newly * best, "levels · best P") / (LEVELS + 1)


def best_at(ranking: Ranking, precision: Values, best: Values) -> Values:
    """Return for each row the first rank, from there on, that has the best precision from there on."""
    is_best = precision == best
    later = np.where(is_best, np.arange(len(best)), len(best))
    return ranking.rank[np.minimum.accumulate(later[::-1])[::-1]]


@dataclass(frozen=True, kw_only=True)
class gP(Measure):
    """Generalised precision: the mean score of the first r documents, each scored by its returned parts.

        gP@r = (1/r) Σ S(d_i), i = 1 … r

    Documents are ranked by their first result; S(d) is 0 without highlighted text. It divides by r even if fewer
    documents were returned. Pehcevski et al., INEX 2007, eq. 11; Kamps, Lalmas and Pehcevski, SIGIR 2007.
    """

    kinds = (DOCUMENTS, TEXT)
    knows_copies = False
    worked = "{Σ S(d)} / {|retrieved|}"
    score: Measure = parameter(F(), "the score of a document: F(beta=1), BEP(A=0.1), Window(n=1000) or T2I(irr=300)")
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        documents, score = ranking.documents, self.score(of_text(ranking, self).by_document)
        if self.k is not None:
            score = np.where(documents.rank <= self.k, score, 0.0)
        return ratio(documents.total(score, "S(d)"), documents.extent(self.k))


@dataclass(frozen=True, kw_only=True)
class gR(Measure):
    """Generalised recall: the share of the relevant documents that are among the first r.

        gR@r = |relevant among the first r documents| / Nrel

    A document is relevant if it has highlighted text, whether or not the results contain that text. Pehcevski et al.,
    INEX 2007, eq. 12.
    """

    kinds = (DOCUMENTS, TEXT)
    worked = "{Σ relevant} / {|relevant|}"
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.documents.top(self.k)
        return ratio(top.total(top.relevant(1), "relevant"), ranking.documents.recall_base(1))


@dataclass(frozen=True, kw_only=True)
class AgP(Measure):
    """Average generalised precision: gP at the rank of each relevant document, averaged over all. Its mean is MAgP.

        AgP = (1/Nrel) Σ_r rel(d_r) · gP@r

    INEX used F(beta=1) in 2007, F(beta=0.25) from 2008 and T2I(irr=300) in 2010 for Relevant in Context, Window(n=500)
    from 2008 for Best in Context. Pehcevski et al., INEX 2007, eq. 13; Kamps, Lalmas and Pehcevski, SIGIR 2007.
    """

    kinds = (DOCUMENTS, TEXT)
    knows_copies = False
    worked = "{Σ relevant · gP@i} / {|relevant|}"
    score: Measure = parameter(F(), "the score of a document: F(beta=1), BEP(A=0.1), Window(n=1000) or T2I(irr=300)")

    def __call__(self, ranking: Ranking) -> Values:
        documents, score = ranking.documents, self.score(of_text(ranking, self).by_document)
        precision = documents.running(documents.column("S(d)", score)) / documents.rank
        hit = documents.column("relevant", documents.relevant(1))
        total = documents.total(hit * documents.column("gP@i", precision), "relevant · gP@i")
        return ratio(total, documents.recall_base(1))
