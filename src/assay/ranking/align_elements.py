"""A run of elements + assessed elements -> ElementRanking.

Paths are compared by their meaning: `/article/bdy` is `/article[1]/bdy[1]`.
"""

from __future__ import annotations

import re
from functools import partial

import numpy as np

from assay.documents.xml import DEEPEST, normal
from assay.errors import InputError, quote
from assay.ranking.align import Aligned, Returned, topics_of
from assay.ranking.align_text import notes_on_parts
from assay.ranking.elements import ElementRanking
from assay.ranking.order import OrderedResults, in_order
from assay.ranking.pool import Pool
from assay.ranking.rules import Rules
from assay.tables.ids import Ids, Ints, pair_keys, repeated_rows, scramble
from assay.tables.run import ElementRun, Run, SpanRun
from assay.tables.sorting import number_values

FULL = re.compile(r"(?:/[^/\[\]\s()*:@]+\[[1-9][0-9]*\])+")
WHOLE_DOCUMENT = "the run returns whole documents or passages; expected elements, each with its path"


def align_elements(run: Run, pool: Pool, rules: Rules) -> Aligned:
    """The ranking of a run's topics that have assessments."""
    rules.refuse_open_ties()
    if not isinstance(run, ElementRun):
        raise InputError(WHOLE_DOCUMENT, run.name)
    names, code, topics = topics_of(run, pool)
    pairs = pair_keys(topics, code, run.document)
    results = in_order(run, code, pairs, rules.ties).of_topics(topics < len(pool.topics))
    known = topics[topics < len(pool.topics)]
    refuse_passages(run, results)
    paths, which_path = full_paths(run.path[results.origin], results)
    refuse_repeated_elements(results, paths, which_path)
    document = pool.judged_documents(results, known)
    base = pool.base
    element = base.elements_at(document, paths, which_path)
    starts = np.searchsorted(results.code, np.arange(len(known) + 1))
    retrieved = np.diff(starts)
    rank = np.arange(len(which_path)) - np.repeat(starts[:-1], retrieved) + 1
    ranking = ElementRanking(
        starts,
        rank,
        np.zeros(len(rank), np.int64),
        retrieved,
        row=results.origin,
        element=element,
        document=document,
        group=number_values(results.pairs)[1],
        paths=paths,
        which_path=which_path,
        size=result_sizes(results, element, pool),
        first_of=results.first_of,
        tied=results.tied,
        base=base,
        topics=known,
        name=run.name,
    ).top(rules.depth)
    unjudged = names[topics >= len(pool.topics)].texts()
    notes = notes_on_parts(results, document, known, pool)
    notes.add("parts")
    notes.add("tied", len(results.tied_topics(pool.is_relevant(document))))
    returned = partial(Returned, run, ranking.starts, ranking.row, ranking.document)
    return Aligned(known, unjudged, notes, ranking, returned)


def full_paths(given: Ids, results: OrderedResults) -> tuple[list[str], Ints]:
    """The paths of all results, with the number of each of their steps, and which of them each result has: most are
    those of many results.
    """
    first, number = given.number()
    paths = zip(first.tolist(), given[first].texts(), strict=True)
    return [full_path(path, results, row) for row, path in paths], number


def full_path(path: str, results: OrderedResults, row: int) -> str:
    """A path with the number of each of its steps."""
    if path.count("/") <= DEEPEST and FULL.fullmatch(path):
        return path
    try:
        return normal(path)
    except ValueError:
        what = f"{quote(path)} is not an element path; expected for example /article[1]/sec[2]"
        raise results.fault(what, row) from None


def refuse_passages(run: ElementRun, results: OrderedResults) -> None:
    """A passage or a range is not an element."""
    if (passages := np.flatnonzero(run.last.length[results.origin] > 0)).size:
        what = "a result in document {document} of topic {topic} is a passage"
        raise results.fault(f"{what}; expected elements, for example /article[1]/sec[2]", int(passages[0]))


def refuse_repeated_elements(results: OrderedResults, paths: list[str], which_path: Ints) -> None:
    """No element may be twice in a topic."""
    keys = scramble(np.fromiter(map(hash, paths), np.int64, len(paths)).view(np.uint64))
    if not len(repeated_rows(scramble(results.pairs + keys[which_path]))):
        return
    seen: dict[tuple[int, str], int] = {}
    path_of = map(paths.__getitem__, which_path.tolist())
    for row, key in enumerate(zip(results.pairs.tolist(), path_of, strict=True)):
        if key in seen:
            what = f"element {key[1]} of document {{document}} is retrieved twice for topic {{topic}} {{other}}"
            raise results.fault(what, row, seen[key])
        seen[key] = row


def result_sizes(results: OrderedResults, element: Ints, pool: Pool) -> Ints:
    """The size of each result: as it was assessed, or as the documents have it; -1 if neither is known."""
    size = np.where(element >= 0, pool.base.size[element] if len(pool.base) else -1, -1)
    if isinstance(results.run, SpanRun):
        size = np.where(size < 0, results.end - results.start, size)
    return size


def nothing_of_elements(pool: Pool, topics: Ints) -> ElementRanking:
    """The ranking of topics for which nothing was retrieved."""
    none = np.zeros(0, np.int64)
    return ElementRanking(
        np.zeros(len(topics) + 1, np.int64),
        none,
        none,
        np.zeros(len(topics), np.int64),
        row=none,
        element=none,
        document=none,
        group=none,
        paths=[],
        which_path=none,
        size=none,
        first_of=none.astype(bool),
        tied=none.astype(bool),
        base=pool.base,
        topics=topics,
        name=pool.judgments.name,
    )
