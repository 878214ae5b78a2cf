"""Ragas' context precision and recall without a language model, by ids and by texts, to see why numbers differ."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from assay.measures.base import Measure, cut, parameter, rel
from assay.ranking.documents import Ranking, Values, ratio
from assay.ranking.kinds import DOCUMENTS, TEXT
from assay.ranking.text import TextRanking, of_text
from assay.tables.ids import Floats

# The similarity of two texts, by the number of characters to change.


@lru_cache(20_000)
def similarity(text: str, other: str) -> float:
    """Return 1 − d/n, where d is the Levenshtein distance and n the length of the longer text; 1 if both are empty."""
    longest = max(len(text), len(other))
    return 1 - edit_distance(text, other) / longest if longest else 1.0


def greatest_similarity(text: str, other: str) -> float:
    """Return an upper bound of the similarity, from the lengths of the texts alone."""
    shortest, longest = sorted((len(text), len(other)))
    return shortest / longest if longest else 1.0


def edit_distance(text: str, other: str) -> int:
    """Return the Levenshtein distance: the fewest insertions, deletions and replacements of characters.

    A column of the table of distances is two numbers, whose bits say where it grows by 1 down the column and where it
    falls. Myers, Journal of the ACM 46, 1999; Hyyrö, A bit-vector algorithm for computing Levenshtein and Damerau edit
    distances, Nordic Journal of Computing 10, 2003.
    """
    if not text or not other:
        return len(text) + len(other)
    everything, last = (1 << len(text)) - 1, 1 << (len(text) - 1)
    places: dict[str, int] = {}
    for place, letter in enumerate(text):
        places[letter] = places.get(letter, 0) | 1 << place
    rises, falls, distance = everything, 0, len(text)
    for letter in other:
        same = places.get(letter, 0)
        diagonal = (((same & rises) + rises) ^ rises) | same | falls
        right_rises = falls | (everything & ~(diagonal | rises))
        right_falls = diagonal & rises
        distance += bool(right_rises & last) - bool(right_falls & last)
        right_rises = right_rises << 1 | 1
        rises = (right_falls << 1 | ~(diagonal | right_rises)) & everything
        falls = right_rises & diagonal & everything
    return distance


def alike() -> Any:
    """Declare the similarity from which two texts count as the same."""
    must = "expected a similarity between 0 and 1"
    return parameter(0.5, "required similarity of two texts, from 0 to 1", least=0, most=1, must=must)


@dataclass(frozen=True, kw_only=True)
class RagasPrecision(Measure):
    """ID-based context precision of ragas: the share of the retrieved ids that are among the reference ids.

        RagasPrecision = |relevant retrieved| / |retrieved|

    It is P of the whole list, not average precision like ragas' other context precisions. Chunk ids, and with them
    what is relevant, change with the splitter: do not use it to compare two chunkers. ragas 0.4,
    IDBasedContextPrecision; Es et al., Ragas, EACL 2024.
    """

    kinds = (DOCUMENTS,)
    worked = "{Σ relevant} / {|retrieved|}"
    rel: float = rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k)
        return ratio(top.total(top.relevant(self.rel), "relevant"), top.quantity("|retrieved|", top.retrieved))


@dataclass(frozen=True, kw_only=True)
class RagasRecall(Measure):
    """ID-based context recall of ragas: the share of the reference ids that were retrieved.

        RagasRecall = |relevant retrieved| / |relevant|

    It is R. Chunk ids, and with them what is relevant, change with the splitter: do not use it to compare two
    chunkers. ragas 0.4, IDBasedContextRecall; Es et al., Ragas, EACL 2024.
    """

    kinds = (DOCUMENTS,)
    worked = "{Σ relevant} / {|relevant|}"
    rel: float = rel()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = ranking.top(self.k)
        return ratio(top.total(top.relevant(self.rel), "relevant"), ranking.recall_base(self.rel))


@dataclass(frozen=True, kw_only=True)
class RagasTextPrecision(Measure):
    """Context precision of ragas without a language model: average precision of chunks similar to an excerpt.

        RagasTextPrecision = Σ_i [p_i is alike] · (alike among the first i) / i / |alike|

    A chunk p is alike if 1 − d/max(|p|, |g|) reaches the threshold for an excerpt g, where d is the Levenshtein
    distance. So a chunk that contains the excerpt verbatim and as much other text may not be alike. The sum is divided
    by the number found, so a single similar chunk at rank 1 scores 1 whatever was missed. It needs documents. ragas
    0.4, NonLLMContextPrecisionWithReference; Es et al., Ragas, EACL 2024.
    """

    kinds = (TEXT,)
    knows_copies = False
    compares_texts = True
    worked = "{Σ alike · P@i} / {Σ alike}"
    threshold: float = alike()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = of_text(ranking, self).top(self.k)
        hit = most_alike(top, self.threshold)[0] >= self.threshold
        return ratio(top.total(hit * top.running(hit) / top.rank, "alike · P@i"), top.total(hit, "alike"))


@dataclass(frozen=True, kw_only=True)
class RagasTextRecall(Measure):
    """Context recall of ragas without a language model: the share of the excerpts that are similar to a chunk.

        RagasTextRecall = |excerpts g with a p_i for which 1 − d/max(|p_i|, |g|) > threshold| / |excerpts|

    d is the Levenshtein distance. An excerpt that occurs verbatim in a chunk of twice its length is not recalled: the
    value says more about the sizes of chunks and excerpts than about what was found. It needs documents. ragas 0.4,
    NonLLMContextRecall; Es et al., Ragas, EACL 2024.
    """

    kinds = (TEXT,)
    knows_copies = False
    compares_texts = True
    threshold: float = alike()
    k: int | None = cut()

    def __call__(self, ranking: Ranking) -> Values:
        top = of_text(ranking, self).top(self.k)
        passages = top.judgments.passages
        of_topic = top.judgments.topic[passages.document]
        number = len(top.judgments.total)
        recalled = np.bincount(of_topic, most_alike(top, self.threshold)[1] > self.threshold, minlength=number)
        return ratio(recalled[top.topics], np.bincount(of_topic, minlength=number)[top.topics])


def most_alike(ranking: TextRanking, threshold: float) -> tuple[Floats, Floats]:
    """Return the highest similarity of each result to an excerpt, and of each excerpt to a result.

    It is 0 if the lengths alone show that it is below the threshold.
    """
    excerpts, chunks = ranking.judgments.passage_texts(), ranking.texts()
    of_topic = ranking.judgments.topic[ranking.judgments.passages.document]
    by_chunk, by_excerpt = np.zeros(len(chunks)), np.zeros(len(excerpts))
    for number, topic in enumerate(ranking.topics.tolist()):
        for excerpt in np.flatnonzero(of_topic == topic).tolist():
            for row in range(ranking.starts[number], ranking.starts[number + 1]):
                pair = chunks[row], excerpts[excerpt]
                alike = similarity(*pair) if greatest_similarity(*pair) >= threshold else 0.0
                by_chunk[row], by_excerpt[excerpt] = max(by_chunk[row], alike), max(by_excerpt[excerpt], alike)
    return by_chunk, by_excerpt
