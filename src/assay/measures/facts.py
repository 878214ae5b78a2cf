"""Facts: how many of those that a question needs are in what is read."""

from __future__ import annotations

from dataclasses import dataclass

from assay.measures.base import Measure, budget, cut, fit, parameter, token_budget
from assay.measures.text import of_text
from assay.ranking.documents import Ranking, Values, ratio
from assay.ranking.kinds import TEXT
from assay.vocabulary import Fit


@dataclass(frozen=True, kw_only=True)
class FactRecall(Measure):
    """Fact recall: the share of a question's facts that are in the text that is read.

        FactRecall@k = |{f : max_a |a ∩ (p_1 ∪ … ∪ p_k)| / |a| ≥ cover}| / |facts|        a: the alternatives of f

    Judgments with a column `fact` tell which excerpts are alternatives: one of them is enough. An excerpt without a
    fact is a fact of its own, so that without the column it is the share of the excerpts. A quotation with an ellipsis
    is one alternative. Characters are counted without whitespace, if documents are given, as splitters strip it; a fact
    is known if at least `cover` of an alternative is read, in whichever results. After nugget recall: Voorhees,
    Overview of the TREC 2003 question answering track, TREC 2003.
    """

    kinds = (TEXT,)
    counts_facts = True
    worked = "{Σ facts} / {|facts|}"
    cover: float = parameter(
        1.0, "share of an alternative's characters that must be read", above=0, most=1, must="cover is a share"
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
