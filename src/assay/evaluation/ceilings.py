"""The best value of a measure that any ranking of the chunks of a corpus could have, topic by topic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import UsageError
from assay.measures.base import Measure, takes_tokens
from assay.measures.sets import F, IoU, P, R
from assay.ranking.best_chunks import BestChunks, Reached
from assay.ranking.chunked_corpus import ChunkedCorpus
from assay.ranking.gold_standards import GoldStandards
from assay.ranking.pool import Pool
from assay.tables.ids import Bools, Floats, Ints

# The measures of a table where none are asked for, by k and by characters.
RANKS, BUDGETS = (1, 5, 10, 20), (500, 1000, 2000, 4000)
MEASURES = tuple(
    [measure(k=k) for k in RANKS for measure in (R, P, F)]
    + [measure(chars=chars) for chars in BUDGETS for measure in (R, P, F)]
)


@dataclass(frozen=True, eq=False)
class Ceilings:
    """values[measure, topic] that no ranking of the chunks surpasses, and whether one is known to reach each.

    `possible` has what the cut-offs allow any chunks: the text of k documents, or as many characters as may be read.
    """

    values: Floats
    exact: Bools
    possible: Floats


def refuse_without_ceiling(measures: list[Measure]) -> None:
    """A ceiling is known of few measures."""
    for measure in measures:
        if takes_tokens(measure):
            raise UsageError(f"{measure} counts tokens; a ceiling is counted in characters, as of R(chars=2000)")
        if type(measure) not in (R, P, F, IoU) or measure.unit:
            raise UsageError(f"{measure} has no ceiling here; expected R, P, F or IoU of text, as R@5 or F(chars=2000)")


def ceilings(
    corpus: ChunkedCorpus, pool: Pool, measures: list[Measure], paid: bool, standards: GoldStandards | None = None
) -> Ceilings:
    """The ceilings of some measures.

    Of several gold standards of a topic the values are put together as those of a run are. Where that is a mean, one
    ranking need not be the best by each of them.
    """
    if standards is None:
        return of_pool(corpus, pool, measures, paid)
    shape = len(standards.pools), len(measures), len(pool.topics)
    values, possible, exact = np.full(shape, np.nan), np.full(shape, np.nan), np.ones(shape, bool)
    for number, (own, places) in enumerate(zip(standards.pools, standards.places, strict=True)):
        part = of_pool(corpus, own, measures, paid)
        values[number][:, places], possible[number][:, places] = part.values, part.possible
        exact[number][:, places] = part.exact
    more_is_better = np.zeros(len(measures), bool)
    is_mean = np.array([standards.is_mean(topic) for topic in pool.topics])
    return Ceilings(
        standards.combined(values, more_is_better),
        exact.all(axis=0) & ~is_mean,
        standards.combined(possible, more_is_better),
    )


def of_pool(corpus: ChunkedCorpus, pool: Pool, measures: list[Measure], paid: bool) -> Ceilings:
    """The ceilings against one gold standard."""
    values, possible = np.zeros((2, len(measures), len(pool.topics)))
    exact = np.ones(values.shape, bool)
    by_document = sizes_by_document(pool)
    for topic, base in enumerate(pool.text.total.tolist()):
        possible[:, topic] = [allowed_by_cut_off(measure, by_document[topic], base) for measure in measures]
    for topic, best in corpus.by_topic(pool, paid):
        base = int(pool.text.total[topic])
        has_copies = base < by_document[topic].sum()
        for number, measure in enumerate(measures):
            reached = ceiling_of(measure, best, base)
            # chunks may have copies of the same text, of which one gains
            values[number, topic] = min(reached.value, 1.0) if has_copies else reached.value
            exact[number, topic] = reached.exact and not has_copies
    return Ceilings(values, exact, np.maximum(possible, values))


def sizes_by_document(pool: Pool) -> list[Ints]:
    """The highlighted characters of each document of each topic, most first; copies of the evidence are some too."""
    size, topic = pool.text.marks.size, pool.text.topic
    order = np.lexsort((-size, topic))
    return np.split(size[order], np.searchsorted(topic[order], np.arange(1, len(pool.topics))))


def ceiling_of(measure: Measure, best: BestChunks, base: int) -> Reached:
    """The ceiling of a measure, where so many characters are highlighted."""
    assert isinstance(measure, R | P | F | IoU)
    k, chars = measure.k, measure.chars
    if isinstance(measure, R):
        most = best.most(k, chars)
        return Reached(most.value / base, most.exact)
    if isinstance(measure, P):
        return best.ratio(0, k, chars)
    if isinstance(measure, F):
        share = best.ratio(measure.beta**2 * base, k, chars)
        return Reached((1 + measure.beta**2) * share.value, share.exact)
    share = best.ratio(base, k, chars)
    return Reached(share.value / (1 - share.value), share.exact)


def allowed_by_cut_off(measure: Measure, documents: Ints, base: int) -> float:
    """What a cut-off allows any chunks, were they cut as it suits best: as much as k documents have, or may be read."""
    assert isinstance(measure, R | P | F | IoU)
    most = min(int(documents[: measure.k].sum()), base)
    most = most if measure.chars is None else min(most, measure.chars)
    if not most:
        return 0.0
    if isinstance(measure, P):
        return 1.0
    if isinstance(measure, F):
        return (1 + measure.beta**2) * most / (measure.beta**2 * base + most)
    return most / base
