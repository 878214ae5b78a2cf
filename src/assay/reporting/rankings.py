"""What each run returned, topic by topic: its first results with what each gave, and where the relevant documents stand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from assay.evaluation.evaluate import Work
from assay.formats.reading import read_run
from assay.ranking.align import topics_of
from assay.ranking.align_elements import align_elements
from assay.ranking.align_text import align_text, what_overlap_leaves, with_whole_documents
from assay.ranking.document_ranking import Values
from assay.ranking.order import OrderedResults, in_order
from assay.ranking.pool import Pool
from assay.ranking.rules import Rules
from assay.ranking.text_ranking import TextRanking
from assay.tables.ids import Bools, Ids, Ints, pair_keys
from assay.tables.intervals import Spans
from assay.tables.run import Run


@dataclass(frozen=True, eq=False, repr=False)
class Listing:
    """The results of a run for the judged topics, best first: a row a result, those of the n-th of `topics` from `starts[n]` on.

    `judged` is the judgment of the document, -1 where there is none. What is not known of a run, or means nothing for it, is None:
    `gain` and `size` in characters, or for elements what they are worth; `pieces`, the text that counts.
    """

    topics: Ints
    starts: Ints
    document: Ids
    judged: Ints
    start: Ints | None = None
    end: Ints | None = None
    path: list[str] | None = None
    gain: Values | None = None
    size: Ints | None = None
    pieces: Spans | None = None

    @cached_property
    def rank(self) -> Ints:
        """The rank of each result."""
        return np.arange(self.starts[-1]) - np.repeat(self.starts[:-1], np.diff(self.starts)) + 1

    def found(self, documents: int) -> tuple[Ints, Values]:
        """Of each judged document its first rank, 0 where it was not returned, and what its results gave."""
        rows = np.flatnonzero(self.judged >= 0)
        first, gain = np.zeros(documents, np.int64), np.zeros(documents)
        first[self.judged[rows][::-1]] = self.rank[rows][::-1]
        if self.gain is not None:
            np.add.at(gain, self.judged[rows], self.gain[rows])
        return first, gain


def listing(run: Any, name: str, work: Work) -> Listing:
    """What was made of a run when it was measured."""
    table = read_run(run, name, work.form, work.pool.documents)
    if True in work.kinds:
        return of_elements(table, work.pool, work.rules)
    if work.of_text or (work.pool.has_text and (table.start is not None or table.path is not None)):
        return of_text(table, work.pool, work.rules)
    return of_documents(table, work.pool, work.rules)


def ordered(run: Run, pool: Pool, ties: str, whole: bool = False) -> tuple[Ints, OrderedResults]:
    """The topics of a run that have judgments, and its results for them, best first."""
    _, code, topics = topics_of(run, pool)
    pairs = pair_keys(topics, code, run.document)
    run = with_whole_documents(run, pairs, pool) if whole else run
    known = topics < len(pool.topics)
    return topics[known], in_order(run, code, pairs, ties).of_topics(known)


def of_documents(run: Run, pool: Pool, rules: Rules) -> Listing:
    """The results as documents. Where ties are left open the order shown is that of document ids."""
    parts = run.start is not None or run.path is not None
    topics, results = ordered(run if parts else replace(run, by_rank=False), pool, open_ties(rules.ties))
    return listed(results, topics, np.arange(len(results.code)), pool, rules)


def open_ties(ties: str) -> str:
    """The rule by which tied results are listed."""
    return "docno" if ties == "expected" else ties


def of_text(run: Run, pool: Pool, rules: Rules) -> Listing:
    """The results as text: the characters that count, and how many of them are highlighted, as the measures have them."""
    topics, results = ordered(run, pool, rules.ties, whole=True)
    kept = what_overlap_leaves(results, rules)[0]
    found = listed(results, topics, kept, pool, rules)
    ranking = align_text(run, pool, rules).ranking
    assert isinstance(ranking, TextRanking)
    return replace(found, gain=ranking.found, size=ranking.size, pieces=ranking.pieces)


def of_elements(run: Run, pool: Pool, rules: Rules) -> Listing:
    """The results as assessed elements: what each is worth by the general quantisation, and its size."""
    topics, results = ordered(run, pool, rules.ties)
    ranking: Any = align_elements(run, pool, rules).ranking
    found = listed(results, topics, np.arange(len(results.code)), pool, replace(rules, judged_only=False))
    return replace(found, gain=ranking.worth("gen"), size=ranking.size, path=ranking.path)


def listed(results: OrderedResults, topics: Ints, rows: Ints, pool: Pool, rules: Rules) -> Listing:
    """Some of the results, without those that are too deep or, where only judged ones count, not judged."""
    run, judged = results.run, pool.judged_documents(results.pairs, results.run.document, results.origin)
    code = results.code[rows]
    deep = np.arange(len(rows)) - np.searchsorted(code, code) >= (rules.depth or len(code))
    rows = rows[~deep]
    if rules.judged_only:
        rows = rows[known(judged[rows], pool)]
    starts = np.searchsorted(results.code[rows], np.arange(len(topics) + 1))
    origin = results.origin[rows]
    start, end = (None, None) if run.start is None or run.end is None else (run.start[origin], run.end[origin])
    return Listing(topics, starts, run.document[origin], judged[rows], start, end, paths(run, origin))


def known(judged: Ints, pool: Pool) -> Bools:
    """Which documents have a judgment that says whether they are relevant."""
    return (judged >= 0) & (pool.judgments.grade[np.maximum(judged, 0)] >= 0)


def paths(run: Run, origin: Ints) -> list[str] | None:
    """The paths of some results; a passage runs from one to another."""
    if run.path is None:
        return None
    found = run.path[origin].texts()
    if run.last is None:
        return found
    return [" to ".join(filter(None, ends)) for ends in zip(found, run.last[origin].texts(), strict=True)]
