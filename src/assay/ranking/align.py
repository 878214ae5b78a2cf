"""Run + judgments -> Ranking. Ties, unjudged documents, duplicates and missing topics are decided here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.errors import InputError
from assay.ranking.document_ranking import Ranking
from assay.ranking.pool import Pool, refuse_duplicates
from assay.ranking.rules import Rules
from assay.tables.ids import Bools, Floats, Ids, Ints, pair_keys
from assay.tables.run import Run


@dataclass(eq=False, repr=False)
class Aligned:
    """The ranking of some topics, which of the pool's topics they are, and what was noticed on the way."""

    topics: Ints
    ranking: Ranking
    unjudged: list[str]
    tied: Ints
    overlapping: int = 0
    too_long: int = 0
    beyond: int = 0
    disputed: int = 0


def align(run: Run, pool: Pool, rules: Rules) -> Aligned:
    """The ranking of the topics of a run of whole documents that have judgments."""
    names, code, topics = topics_of(run, pool)
    pairs = pair_keys(topics, code, run.document)
    refuse_duplicates(run, pairs, "retrieved")

    score = run.score.astype(np.float32).astype(np.float64) if rules.single_precision else run.score
    origin = ranking_order(code, score, run, rules)
    if origin is not None:
        code, score, pairs = code[origin], score[origin], pairs[origin]
    place, grade = pool.find(pairs, run.document, origin)
    bounds = np.searchsorted(code, np.arange(len(names) + 1))
    first, last = tie_around(place, score, code)
    matters = tied_topics(code[place], first, last, grade, first - bounds[code[place]] < (rules.depth or len(code)), rules)
    if rules.ties == "docno":
        place = by_document(place, first, last, run.document, origin)
        order = np.argsort(place)
        place, first, last, grade = place[order], first[order], last[order], grade[order]

    known = np.flatnonzero(topics < len(pool.topics))
    begin = bounds[code[place]] - 1
    ranking = Ranking(
        starts=np.searchsorted(code[place], np.append(known, len(names))),
        rank=np.full(len(place), np.nan) if rules.ties == "expected" else place - begin,
        grade=grade,
        retrieved=np.diff(bounds)[known],
        top_grade=pool.top_grade,
        first=first - begin if rules.ties == "expected" else None,
        last=last - begin if rules.ties == "expected" else None,
        ideal=pool.ideal(topics[known]),
    ).top(rules.depth)
    unjudged = names[topics >= len(pool.topics)].texts()
    return Aligned(topics[known], condensed(ranking) if rules.judged_only else ranking, unjudged, topics[matters])


def topics_of(run: Run, pool: Pool) -> tuple[Ids, Ints, Ints]:
    """The topics of a run in order of appearance, the number of each row's, and the place of each among the pool's topics.

    Those without judgments have places behind all others.
    """
    starts = run.topic.breaks()
    streaks = run.topic[starts[:-1]]
    first, number = streaks.numbered()
    return streaks[first], np.repeat(number, np.diff(starts)), pool.places(streaks[first])


def ranking_order(code: Ints, score: Floats, run: Run, rules: Rules) -> Ints | None:
    """The rows in order of topic and descending score; None where they stand so already."""
    if rules.ties == "rank":
        if run.rank is None:
            raise InputError("has no rank column; ties cannot be broken by rank", run.name)
        return np.lexsort((run.rank, -score, code))
    step = np.diff(code)
    if np.all((step > 0) | ((step == 0) & (score[1:] <= score[:-1]))):
        return None
    return np.lexsort((-score, code))


def tie_around(place: Ints, score: Floats, code: Ints) -> tuple[Ints, Ints]:
    """The first and the last place with the same score in the same topic, for each of some places."""
    same = (score[1:] == score[:-1]) & (code[1:] == code[:-1])
    if not same.any():
        return place, place
    changes = np.flatnonzero(~same) + 1
    fences = np.concatenate(([0], changes, [len(score)]))
    after = np.searchsorted(fences, place, side="right")
    return fences[after - 1], fences[after] - 1


def tied_topics(code: Ints, first: Ints, last: Ints, grade: Ints, counts: Bools, rules: Rules) -> Ints:
    """The topics in which a tie holds a relevant document and one of another grade, so that its order could matter.

    Only ties that begin within the depth count, and of judged-only lists only what was judged.
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


def by_document(place: Ints, first: Ints, last: Ints, documents: Ids, origin: Ints | None) -> Ints:
    """The places after ties were broken as trec_eval does: the greater document id first, compared by bytes."""
    in_tie = first < last
    if not in_tie.any():
        return place
    starts, ends = (one[np.append(True, one[1:] != one[:-1])] for one in (first[in_tie], last[in_tie]))
    sizes = ends - starts + 1
    tie = np.repeat(np.arange(len(starts)), sizes)
    tied = np.arange(len(tie)) + np.repeat(starts - np.cumsum(sizes) + sizes, sizes)
    order = documents[tied if origin is None else origin[tied]].descending(tie)
    moved = np.empty(len(tied), np.int64)
    moved[order] = tied
    place = place.copy()
    place[in_tie] = moved[np.searchsorted(tied, place[in_tie])]
    return place


def condensed(ranking: Ranking) -> Ranking:
    """The list without its unjudged results, ranked anew."""
    kept = ranking.keep(ranking.judged())
    place = np.arange(len(kept.rank))
    begin = kept.each(kept.starts[:-1]) - 1
    if kept.first is None:
        return replace(kept, rank=place - begin, retrieved=kept.rows)
    tie = np.unique(kept.each(np.arange(len(kept))) * (place.size + kept.first.max(initial=0)) + kept.first, return_inverse=True)[1]
    first, last = np.searchsorted(tie, tie), np.searchsorted(tie, tie, side="right") - 1
    return replace(kept, first=first - begin, last=last - begin, retrieved=kept.rows)
