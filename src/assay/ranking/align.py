"""Align a run with judgments: Run + Pool -> Ranking.

Unjudged documents, duplicates and missing topics are handled here and nowhere else. order.py decides the order of
results, including ties.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.ranking.documents import Ranking, Values
from assay.ranking.order import Order, OrderedResults, Rules, in_single_precision, order_of, places_in_ties
from assay.ranking.pool import CHOOSE_ONE, Pool, refuse_duplicates
from assay.tables.ids import Bools, Grades, Ids, Ints, ScoredIds, pair_keys, repeated_rows
from assay.tables.notes import Notes
from assay.tables.run import ChunkRun, Run, SpanRun
from assay.vocabulary import Duplicates

# Do the scores of a run rise from result to result? Then they may be distances, of which the smallest is best.

# Topics with fewer results than this prove nothing.
MANY = 5
# How many of the topics in which no result is judged are named.
FEW = 20


def rising_topics(run: Run, code: Ints) -> tuple[int, int]:
    """Return in how many topics the scores rise in row order, and whether they fall in any (0 or 1); then it stops.

    `code` is the number of each row's topic. If the run has ranks, the result is 0, 0, because another check compares
    ranks with scores.
    """
    if run.rank is not None:
        return 0, 0
    rising, new = 0, np.flatnonzero(code[1:] != code[:-1]) + 1
    for start, end in pairwise([0, *new.tolist(), len(code)]):
        if end - start < MANY:
            continue
        # compare instead of subtracting, because a difference may overflow
        before, after = run.score[start : end - 1], run.score[start + 1 : end]
        if np.any(after < before):
            return 0, 1
        rising += bool(np.any(after > before))
    return rising, 0


class Returned(NamedTuple):
    """The results of a run that count, best first; those of the n-th topic start at `starts[n]`.

    `row` is the row of each result in the run, `judged` the row of its document's judgment, or -1.
    """

    run: Run
    starts: Ints
    row: Ints
    judged: Ints

    def keep(self, kept: Bools) -> Returned:
        """Return some of the results."""
        return Returned(self.run, np.append(0, np.cumsum(kept))[self.starts], self.row[kept], self.judged[kept])


class Aligned(NamedTuple):
    """The ranking of some of the pool's topics, the names of the topics without judgments, and notes.

    `returned` is a function that returns all results that were ranked, because the ranking of documents has rows only
    for judged ones.
    """

    topics: Ints
    unjudged: list[str]
    notes: Notes
    ranking: Ranking
    returned: Callable[[], Returned]


def align(run: Run, pool: Pool, rules: Rules) -> Aligned:
    """Return the ranking of a run of whole documents, for its topics that have judgments."""
    alone = aligned_alone(run, run.document.scores, pool, rules) if isinstance(run.document, ScoredIds) else None
    return alone or aligned_topics(run, pool, rules)


def aligned_topics(run: Run, pool: Pool, rules: Rules) -> Aligned:
    """Do what `align` does, for any run."""
    names, number, topics = topics_of(run, pool)
    repeats = 0
    duplicates = duplicates_in(run, rules.duplicates)
    if duplicates != "refuse":
        run, number, repeats = without_repeats(run, number, topics, duplicates)
    order = order_of(run, number, rules.ties, rules.single_precision)
    place, judged = judged_places(run, number, topics, order, pool)
    code = order.code
    grade = pool.grades(judged)
    bounds = np.searchsorted(code, np.arange(len(names) + 1))
    first, last = order.tie_around(place)
    tied = 0
    if order.has_ties:
        in_depth = first - bounds[code[place]] < (rules.depth or len(code))
        tied = len(tied_topics(code[place], first, last, grade, in_depth, rules))
    if rules.ties == "docno" and order.has_ties:
        place = order.break_ties(place, first, last)
        by_place = np.argsort(place)
        place, first, last, grade = place[by_place], first[by_place], last[by_place], grade[by_place]
        judged = judged[by_place] if pool.has_more else judged

    # scores that are in order already fall
    rising, falling = (0, 1) if order.origin is None else rising_topics(run, number)
    known = topics < len(pool.topics)
    results = (bounds[1:] - bounds[:-1])[known]
    of_place = code[place]
    begin = bounds[of_place] - 1
    ranking = Ranking(
        starts=np.searchsorted(of_place, np.append(np.flatnonzero(known), len(names))),
        rank=np.full(len(place), np.nan) if rules.ties == "expected" else place - begin,
        grade=grade,
        retrieved=results,
        top_grade=pool.top_grade,
        first=first - begin if rules.ties == "expected" else None,
        last=last - begin if rules.ties == "expected" else None,
        ideal=pool.ideal(topics[known]),
        judgment=judged if pool.has_more else None,
    ).top(rules.depth)
    apart = topics[known][(results > 0) & (np.bincount(of_place, minlength=len(names))[known] == 0)]
    possible = pool.most_judged(topics[known], results)
    notes = notes_on_block(run, pool, topics[known], int(results.sum()), len(place), possible, apart)
    notes.add("tied", tied)
    misranked, agreeing = order.misranked_topics()
    notes.add("misranked", misranked)
    notes.add("agreeing", agreeing)
    notes.add("repeats", repeats)
    notes.add("rising", rising)
    notes.add("falling", falling)
    return Aligned(
        topics[known],
        [] if known.all() else names[~known].texts(),
        notes,
        ranking.condensed() if rules.judged_only else ranking,
        lambda: returned_documents(
            order.results(pair_keys(topics, number, run.document)).of_topics(known), topics[known], pool, rules
        ),
    )


def aligned_alone(run: Run, scores: dict[str, Any], pool: Pool, rules: Rules) -> Aligned | None:
    """Do what `align` does for a single topic whose scores are in a dict, in few steps.

    It is for users who evaluate one topic at a time in a loop. Returns None if this is not enough: ties are left open
    or broken by rank, the pool is not for many runs, or the topic has no judgments.
    """
    topic = pool.place_of(run.topic.known_streaks[0].texts()[0]) if run.topic.known_streaks else None
    if topic is None or not pool.is_for_many_runs or rules.ties not in ("docno", "input"):
        return None
    judged = pool.rows_by_name[topic]
    both = list(judged.keys() & scores.keys())
    falling, own = -run.score, -np.fromiter(map(scores.__getitem__, both), np.float64, len(both))
    if rules.single_precision:
        falling, own = in_single_precision(falling), in_single_precision(own)
    ordered = np.sort(falling) if np.count_nonzero(falling[1:] < falling[:-1]) else falling
    has_falls = np.count_nonzero(falling[1:] > falling[:-1]) > 0
    rising, falls = (0, 1) if has_falls else rising_topics(run, np.zeros(len(run), np.int64))
    place = ordered.searchsorted(own)
    last = ordered.searchsorted(own, "right") - 1
    by_place = place.argsort()
    row = np.fromiter(map(judged.__getitem__, both), np.int64, len(both))[by_place]
    has_ties, place = np.count_nonzero(last > place), place[by_place]
    grade, topics = pool.grades(row), np.array([topic])
    tied = 0
    if has_ties:
        last, in_depth = last[by_place], place < (rules.depth or len(falling))
        tied = len(tied_topics(np.zeros(len(both), np.int64), place, last, grade, in_depth, rules))
        asked = [both[at] for at in by_place.tolist()]
        place = places_in_ties(run.document.texts(), falling, asked, place, last, rules.ties)
        by_place = place.argsort()
        place, row, grade = place[by_place], row[by_place], grade[by_place]
    ranking = Ranking(
        starts=np.array([0, len(both)]),
        rank=place + 1,
        grade=grade,
        retrieved=np.array([len(falling)]),
        top_grade=pool.top_grade,
        ideal=pool.ideal_of_topic(topic),
        judgment=row if pool.has_more else None,
    ).top(rules.depth)
    possible, apart = min(len(falling), len(judged)), topics[:0] if both else topics
    notes = notes_on_block(run, pool, topics, len(falling), len(both), possible, apart)
    notes.add("tied", tied)
    notes.add("rising", rising)
    notes.add("falling", falls)
    return Aligned(
        topics,
        [],
        notes,
        ranking.condensed() if rules.judged_only else ranking,
        lambda: aligned_topics(run, pool, rules).returned(),
    )


def notes_on_block(
    run: Run, pool: Pool, topics: Ints, results: int, judged: int, possible: int, apart: Ints
) -> Notes:
    """Return the notes from reading the run, and the counts of topics, results and judged results.

    `possible` is how many results could be judged at most; `apart` are the topics in which no result is judged.
    """
    notes = Notes()
    for note in run.notes:
        notes.add(f"read {note}")
    notes.add("ranked", len(topics))
    notes.add("results", results)
    notes.add("judged", judged)
    notes.add("possible", possible)
    if len(apart):
        notes.add("apart", len(apart), [pool.topics[number] for number in apart[:FEW].tolist()])
    return notes


def duplicates_in(run: Run, duplicates: Duplicates) -> Duplicates:
    """Return what to do if a topic has a document twice, where the user chose nothing else.

    Several chunks of a document are no mistake: the best one counts.
    """
    return "best" if isinstance(run, ChunkRun) and duplicates == "refuse" else duplicates


def without_repeats(run: Run, number: Ints, topics: Ints, duplicates: Duplicates) -> tuple[Run, Ints, int]:
    """Return a run in which a topic has each document once, the topic of each row, and how many rows were left out.

    Of a run of spans, a topic has each span of a document once. It keeps the first row of a document or, if
    `duplicates` is best, the row with the best score (the best rank, if ranks give the order), and the first of equal
    ones.
    """
    pairs = pair_keys(topics, number, run.document)
    suspects = repeated_rows(pairs)
    if not len(suspects):
        return run, number, 0
    best: list[Values] = []
    if duplicates == "best":
        best = [-run.score, run.rank] if run.by_rank and run.rank is not None else [-run.score]
    places = [run.start, run.end, pairs] if isinstance(run, SpanRun) else [pairs]
    order = suspects[np.lexsort((suspects, *(key[suspects] for key in [*best, *places])))]
    again = np.append(False, np.all([key[order[1:]] == key[order[:-1]] for key in places], axis=0))
    first = order[~again][np.cumsum(~again) - 1]
    if not np.all(run.document[order].same(run.document[first]) & (number[order] == number[first])):
        raise AssayError("two different documents share a 64-bit key; please report this")
    kept = np.ones(len(run), bool)
    kept[order[again]] = False
    fewer: dict[str, Any] = {name: column[kept] for name, column in run.columns_by_name().items()}
    return replace(run, **fewer), number[kept], int(again.sum())


def judged_places(run: Run, number: Ints, topics: Ints, order: Order, pool: Pool) -> tuple[Ints, Ints]:
    """Return which places of an ordered run are judged, and the rows of the judgments.

    Raises an error if a topic has a document twice.
    """
    pairs = pair_keys(topics, number, run.document)
    # the notes show which column was read; perhaps the user meant another one
    refuse_duplicates(run, pairs, "retrieved", "; ".join([CHOOSE_ONE, *run.notes]))
    pairs = pairs if order.origin is None else pairs[order.origin]
    return pool.judged(pairs, topics, order.code, run.document, order.origin)


def returned_documents(results: OrderedResults, topics: Ints, pool: Pool, rules: Rules) -> Returned:
    """Return the documents that were ranked: those within the depth and, if only judged ones count, only these."""
    starts = np.searchsorted(results.code, np.arange(len(topics) + 1))
    judged = pool.judged_documents(results, topics)
    returned = Returned(results.run, starts, results.origin, judged)
    if rules.depth:
        rank = np.arange(len(judged)) - np.repeat(starts[:-1], np.diff(starts)) + 1
        returned = returned.keep(rank <= rules.depth)
    return returned.keep(pool.is_graded(returned.judged)) if rules.judged_only else returned


def topics_of(run: Run, pool: Pool) -> tuple[Ids, Ints, Ints]:
    """Return the topics of a run as they first appear, the number of each row's topic, and their indices in the pool.

    Topics without judgments have indices above all others.
    """
    streaks, starts = run.topic.streak_ids()
    first, number = streaks.number()
    names = streaks if len(first) == len(streaks) else streaks[first]
    return names, np.repeat(number, starts[1:] - starts[:-1]), pool.places(names)


def in_judged_topics(run: Run, which: Bools, pool: Pool) -> int:
    """Return how many of the results in `which` belong to topics that have judgments."""
    _, code, topics = topics_of(run, pool)
    return int(np.count_nonzero(which & (topics < len(pool.topics))[code]))


def tied_topics(code: Ints, first: Ints, last: Ints, grade: Grades, counts: Bools, rules: Rules) -> Ints:
    """Return the topics in which a relevant document is tied with one of another grade, so that the order could matter.

    Only ties that begin within the depth count and, if only judged results count, only judged ones.
    """
    counts = counts & (grade >= 0) if rules.judged_only else counts
    code, first, last, grade = code[counts], first[counts], last[counts], grade[counts]
    starts = np.flatnonzero(np.concatenate(([True], first[1:] != first[:-1]))) if len(first) else np.zeros(0, np.int64)
    if not len(starts):
        return starts
    highest = np.maximum.reduceat(grade, starts)
    lowest = np.minimum.reduceat(grade, starts)
    rows = np.diff(np.append(starts, len(first)))
    lacking = rows < last[starts] - first[starts] + 1
    unequal = (lacking & (not rules.judged_only)) | (np.maximum(lowest, 0) != highest)
    return np.flatnonzero(np.bincount(code[starts[(highest > 0) & unequal]]))
