"""Numbers of documents, and the share of the results that is judged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.measures.base import Count, Linear, budget, cut, fit, rel, token_budget
from assay.ranking.documents import Ranking, Values, ratio
from assay.ranking.kinds import DOCUMENTS, TEXT
from assay.vocabulary import Fit


@dataclass(frozen=True, kw_only=True)
class Judged(Linear):
    """Judged: the share of the first k results that are judged.

        Judged@k = |judged among the first k| / min(k, |retrieved|)

    A low value warns that other measures treat many unjudged documents as not relevant. A short list whose results are
    all judged scores 1, as in ir_measures; trec_eval 10 prints 1 − Judged@k as unj_k for full lists.
    """

    kinds = (DOCUMENTS, TEXT)
    worked = "{Σ judged} / {results}"
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k)
        return ratio(top.total(top.judged() * top.share, "judged"), top.quantity("results", top.retrieved))


@dataclass(frozen=True, kw_only=True)
class Unjudged(Linear):
    """Unjudged: the number of unjudged documents among the first k, as a share of k (trec_eval 10's unj).

        Unjudged@k = |unjudged among the first k| / k

    Ranks beyond the end of a short list do not count as unjudged. trec_eval 10.0.
    """

    kinds = (DOCUMENTS, TEXT)
    less_is_better = True
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k)
        unjudged = top.quantity("results", top.retrieved) - top.total(top.judged() * top.share, "judged")
        return ratio(unjudged, top.retrieved if self.k is None else self.k)


@dataclass(frozen=True, kw_only=True)
class NumQ(Count):
    """The number of topics.

        NumQ = 1 for each topic, summed

    trec_eval 9.0, measure num_q.
    """

    kinds = (DOCUMENTS, TEXT)

    def __call__(self, ranking: Ranking) -> Values:
        return np.ones(len(ranking))


@dataclass(frozen=True, kw_only=True)
class NumRet(Count):
    """The number of results retrieved, summed over topics; for text the number of characters.

        NumRet = |retrieved|        of text: Σ size(p_i)        NumRet@k: of the first k results

    For text it is the amount to read, and repeated text counts again; Redundancy is the share of repeated text.
    trec_eval 9.0, measure num_ret.
    """

    kinds = (DOCUMENTS, TEXT)
    k: int | None = cut()
    chars: int | None = budget()
    tokens: int | None = token_budget()
    fit: Fit = fit()

    def __call__(self, ranking: Ranking) -> Values:
        return ranking.top(self.k).within(self.chars, self.tokens, self.fit).extent(None)


@dataclass(frozen=True, kw_only=True)
class NumRel(Count):
    """The number of relevant documents, retrieved or not, summed over topics; for text the number of characters.

        NumRel = |relevant|        of text: Trel

    trec_eval 9.0, measure num_rel.
    """

    kinds = (DOCUMENTS, TEXT)
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        return ranking.recall_base(self.rel)


@dataclass(frozen=True, kw_only=True)
class NumRelRet(Count):
    """The number of relevant documents retrieved, summed over topics; for text the number of characters.

        NumRelRet = |relevant retrieved|        of text: Σ rsize(p_i)

    trec_eval 9.0, measure num_rel_ret.
    """

    kinds = (DOCUMENTS, TEXT)
    worked = "{Σ gain}"
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        return ranking.total(ranking.gain(self.rel), "gain")


@dataclass(frozen=True, kw_only=True)
class NumNonRelJudgedRet(Count):
    """The number of documents retrieved that were judged not relevant, summed over topics.

        NumNonRelJudgedRet = |judged retrieved| − |relevant retrieved|

    trec_eval 9.0, measure num_nonrel_judged_ret.
    """

    less_is_better = True
    worked = "{Σ judged non-relevant}"
    rel: float = rel()

    def __call__(self, ranking: Ranking) -> Values:
        return ranking.total((ranking.judged() & ~ranking.relevant(self.rel)) * ranking.share, "judged non-relevant")
