"""Facts: how many facts of a question are in the text that is read."""

from __future__ import annotations

from dataclasses import dataclass

from assay.measures.base import Measure, budget, cut, fit, parameter, token_budget
from assay.ranking.documents import Ranking, Values, ratio
from assay.ranking.kinds import TEXT
from assay.ranking.text import of_text
from assay.vocabulary import Fit


@dataclass(frozen=True, kw_only=True)
class FactRecall(Measure):
    """Fact recall: the share of a question's facts that the retrieved text contains.

        FactRecall@k = |{f : max_a |a ∩ (p_1 ∪ … ∪ p_k)| / |a| ≥ cover}| / |facts|        a: the alternatives of f

    Excerpts with the same value in the column `fact` are alternatives: one of them is enough. An excerpt without a
    fact is its own fact, so without the column it is the share of the excerpts. A quote with an ellipsis is one
    alternative. A fact is found if the results together contain at least the share `cover` of an alternative. If
    documents are given, whitespace does not count, because splitters strip it. After nugget recall: Voorhees, Overview
    of the TREC 2003 question answering track, TREC 2003.
    """

    kinds = (TEXT,)
    counts_facts = True
    worked = "{Σ facts} / {|facts|}"
    cover: float = parameter(
        1.0, "share of an alternative's characters that must be retrieved", above=0, most=1, must="expected a share"
    )
    k: int | None = cut()
    chars: int | None = budget()
    tokens: int | None = token_budget()
    fit: Fit = fit()

    def __call__(self, ranking: Ranking) -> Values:
        text = of_text(ranking, self)
        top = text.top(self.k).within(self.chars, self.tokens, self.fit)
        known = top.facts_known(self.cover)
        if top.trace is not None:
            known = top.total(top.facts_completed(self.cover), "facts")
        return ratio(known, text.quantity("|facts|", text.judgments.facts.number[text.topics]))
