"""What is done to some whole topics at a time: their candidates, the votes on each, and the order that these give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.fusing.candidates import NOWHERE, Candidates, pieces, uncut
from assay.fusing.ranked_lists import NO_KEY, RankedLists, TopicResults
from assay.fusing.votes import Votes
from assay.ranking.order import order_of, within_document
from assay.tables.ids import Floats, Ints
from assay.tables.intervals import Spans
from assay.tables.run import COLUMNS, Run, closed_up, joined_columns


@dataclass(frozen=True, eq=False, repr=False)
class FusedBlock:
    """The fused results of some topics, in order, as a table without topics, and the number of the topic of each.

    `again` has for each run the number of results with something that an earlier result of the run has, and `cut` is
    the number of fused results that no run has so.
    """

    table: Run
    topic: Ints
    again: Ints
    cut: int


@dataclass(frozen=True, eq=False, repr=False)
class Fusing:
    """What is done to each block of topics."""

    lists: RankedLists
    formula: Callable[[Votes], Floats]
    by_document: bool

    def block(self, numbers: Ints) -> FusedBlock:
        """The fused results of the topics of some lists."""
        results = self.lists.results(numbers)
        candidates = self._candidates(results)
        by_topic = self._by_topic(candidates, results)
        result, example = candidates.result[by_topic], candidates.example[by_topic]
        lacking = result == NOWHERE
        votes = Votes(
            results.topic[example],
            np.where(lacking, np.nan, results.rank[result]),
            None if results.score is None else np.where(lacking, np.nan, results.score[result]),
        )
        start, end = (None if at is None else at[by_topic] for at in (candidates.start, candidates.end))
        # what is too large is refused below
        with np.errstate(over="ignore", invalid="ignore"):
            score = self.formula(votes)
        if not np.isfinite(score).all():
            raise InputError("scores are too large to be added; normalise them by rank")
        cut = number_cut(results.table, result, start, end)
        again = np.bincount(results.system[candidates.again], minlength=len(self.lists.runs))
        order = in_order(fused_table(results.table, example, score, start, end), votes.topic)
        start, end = (None if at is None else at[order] for at in (start, end))
        table = fused_table(results.table, example[order], score[order], start, end)
        topics = np.sort(self.lists.topic[numbers])
        names = topics[np.append(True, topics[1:] != topics[:-1])]
        return FusedBlock(closed_up_table(table), names[votes.topic[order]], again, cut)

    def _candidates(self, results: TopicResults) -> Candidates:
        """The candidates among some results."""
        table, systems = results.table, len(self.lists.runs)
        keys = results.keys(self.lists.unit)
        if self.lists.unit == "spans":
            assert table.start is not None and table.end is not None
            spans = Spans(results.system, table.start, table.end)
            return pieces(keys, table.document, spans, results.system, systems)
        ids = [column for column in (table.document, table.path, table.last) if column is not None]
        return uncut(keys, ids, results.system, systems)

    def _by_topic(self, candidates: Candidates, results: TopicResults) -> Ints:
        """An order of candidates topic by topic, within it by document id where that is needed."""
        of_topic = results.topic[candidates.example]
        if not self.by_document:
            return np.argsort(of_topic, kind="stable")
        rows, then = candidates.example, (candidates.start, candidates.end)
        behind = within_document(results.table, rows) if then[0] is None else [at for at in then if at is not None]
        return results.table.document[rows].descending(of_topic, *behind)


def number_cut(table: Run, result: Ints, start: Ints | None, end: Ints | None) -> int:
    """How many fused results no run has so; result[candidate, run] is the result with each, or NOWHERE."""
    if start is None or end is None or table.start is None or table.end is None:
        return 0
    is_whole = (result != NOWHERE) & (table.start[result] == start[:, None]) & (table.end[result] == end[:, None])
    return int(np.count_nonzero(~is_whole.any(axis=1)))


def in_order(fused: Run, topic: Ints) -> Ints:
    """The order in which fused results are measured: best first, with ties broken; `topic` numbers their topics."""
    return order_of(fused, topic, "docno").results(np.broadcast_to(NO_KEY, len(fused))).origin


def fused_table(table: Run, example: Ints, score: Floats, start: Ints | None, end: Ints | None) -> Run:
    """The candidates of which some results are examples, with their scores; of text with its start and end."""
    if start is None and table.start is not None and table.end is not None:
        start, end = table.start[example], table.end[example]
    path, last = (None if column is None else column[example] for column in (table.path, table.last))
    return replace(table, document=table.document[example], score=score, start=start, end=end, path=path, last=last)


def closed_up_table(table: Run) -> Run:
    """The same table, with nothing in the buffers of its ids that is not one of them."""
    ids: dict[str, Any] = {
        name: closed_up(column)
        for name in ("document", "path", "last")
        if (column := getattr(table, name)) is not None
    }
    return replace(table, **ids)


def joined_blocks(lists: RankedLists, parts: list[FusedBlock], name: str) -> Run:
    """All parts as one run, with ranks."""
    columns = joined_columns([part.table for part in parts], COLUMNS[1:])
    topic = np.concatenate([part.topic for part in parts])
    starts = np.append(0, np.flatnonzero(topic[1:] != topic[:-1]) + 1)
    rank = np.arange(len(topic)) - np.repeat(starts, np.diff(np.append(starts, len(topic)))) + 1
    return replace(parts[0].table, **columns, name=name, topic=lists.topic_ids[topic], rank=rank)
