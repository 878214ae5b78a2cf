"""What a worker does with the rows of a partition: for each block the same as a local evaluation."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from assay.errors import AssayError, InputError, list_names
from assay.evaluation.evaluate import Options
from assay.evaluation.groups import Grouping
from assay.evaluation.ignore_whitespace import WhitespaceIgnored
from assay.evaluation.measuring import Measuring, Outcome, least_grades, list_budgets
from assay.evaluation.notes import notes_on_pool
from assay.measures.base import Measure, adds_up, sum_in_parts
from assay.ranking.gold_standards import GoldStandards, select_annotators
from assay.ranking.order import Rules, order_of
from assay.ranking.pool import Pool, refuse_repeated_documents
from assay.reading import frames
from assay.reading.columns import with_characters
from assay.reading.format import Request
from assay.reading.schema import ChosenColumns
from assay.tables.ids import Bools, Floats
from assay.tables.judgments import ElementJudgments, HighlightJudgments, Judgments
from assay.tables.notes import Note, Notes
from assay.tables.places import Places
from assay.tables.run import DocumentRun, Run

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray

# The rows of all tables come in one table. PART is the table of a row, 0 for the judgments. PLACE is the order in which
# Assay read judgments, if it read them.
PART, PLACE = "part", "place"
# All rows already decided what the columns mean.
DECIDED = Request(decided=True)


@dataclass(frozen=True)
class TablePart:
    """What a worker must know about one of the tables: its name, its columns, and their names in the table of all rows.

    `by_rank` is that of a run, and `empty` are the topics to which a run in memory gives an empty list. `scale` is that
    of assessed elements. Judgments that a table cannot represent in full are in `held`; then their rows have only
    topics.
    """

    name: str
    chosen: ChosenColumns
    columns: dict[str, str]
    by_rank: bool = False
    empty: frozenset[str] = frozenset()
    scale: str = ""
    held: Judgments | None = None

    def rows(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return rows with the column names of this table."""
        return frame.select(**self.columns)

    def places(self, frame: pl.DataFrame) -> Places:
        """Return the places of rows, by topic and document, because rows come in any order and have no numbers."""
        topics, documents = (frame[self.chosen[field]] for field in ("topic", "document"))
        return Places(self.name, lambda row: None, "row", lambda row: f"topic {topics[row]}, document {documents[row]}")

    def run(self, frame: pl.DataFrame, ranks: bool) -> Run:
        """Make the run from its rows."""
        rows = self.rows(frame)
        return replace(frames.frame_run(rows, self.chosen, self.places(rows), ranks), by_rank=self.by_rank)

    def judgments(self, frame: pl.DataFrame) -> Judgments:
        """Make the judgments from their rows."""
        rows = self.rows(frame)
        if self.held is not None:
            return of_topics(self.held, set(rows[self.chosen["topic"]]))
        if PLACE in self.columns:
            rows = rows.sort(PLACE)
        elif "start" in self.chosen.fields:
            # rows come in any order, and some measures take the first passage that is touched
            order = [self.chosen.fields.get(field) for field in ("topic", "document", "start", "end", "length")]
            rows = rows.sort([name for name in order if name])
        if self.scale:
            return frames.assessed_judgments(rows, self.chosen, self.places(rows), self.scale)
        return frames.frame_judgments(rows, self.chosen, self.places(rows), DECIDED)


def of_topics(judgments: Judgments, topics: set[str]) -> Judgments:
    """Return the highlighted text and the assessed elements of some topics."""
    names, starts = judgments.topic.streaks()
    kept = np.repeat(np.array([name in topics for name in names], bool), np.diff(starts))
    place = np.cumsum(kept) - 1
    changed: dict[str, Any] = {name: getattr(judgments, name)[kept] for name in ("topic", "document", "grade")}
    if isinstance(judgments, HighlightJudgments):
        highlights = judgments.highlights
        spans = {name: getattr(highlights, name)[kept[highlights.row]] for name in ("row", "start", "end")}
        facts = {name: getattr(highlights, name)[kept] for name in ("length", "entry", "rsize")}
        changed["highlights"] = highlights._replace(**spans | {"row": place[spans["row"]]} | facts)
    if isinstance(judgments, ElementJudgments):
        elements = judgments.elements
        those = np.flatnonzero(kept[elements.row])
        grades = {name: getattr(elements, name)[those] for name in ("exhaustivity", "specificity", "size")}
        paths = [elements.path[at] for at in those.tolist()]
        changed["elements"] = elements._replace(row=place[elements.row[those]], path=paths, **grades)
    return replace(judgments, **changed)


# Cut the Arrow batches of a partition into blocks of whole topics.

# The column with a 64-bit hash of each topic; the rows of a partition are sorted by it.
TOPIC_KEY = "topic_key"


def whole_topics(batches: Iterator[pa.RecordBatch], rows: int = frames.ROWS) -> Iterator[pa.Table]:
    """Yield tables of whole topics with about this many rows; a topic that spans batches stays together.

    Batches are cut where the key changes, not where the topic does: two topics with the same key have their rows in any
    order, so they stay in one block.
    """
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    number, last = 0, None
    for batch in batches:
        if not batch.num_rows:
            continue
        keys = batch.column(TOPIC_KEY).to_numpy()
        if np.any(keys[1:] < keys[:-1]) or (last is not None and keys[0] < last):
            raise AssayError("the rows of a partition are not sorted by topic; please report this")
        cut = int(np.searchsorted(keys, keys[-1])) if number + batch.num_rows >= rows else 0
        if cut:
            yield pa.Table.from_batches([*held, batch.slice(0, cut)])
            held, number = [], 0
        elif held and number >= rows and keys[0] != last:
            yield pa.Table.from_batches(held)
            held, number = [], 0
        held.append(batch.slice(cut))
        number += batch.num_rows - cut
        last = keys[-1]
    if held:
        yield pa.Table.from_batches(held)


# The column that says whether a run lacks a topic, and the column with the summary of a partition, which is null in the
# rows of topics.
LACKED, SUMMARY = "lacked", "summary"
# How many names, and pairs of a topic and a document, to keep per partition.
KEPT = 100


@dataclass(eq=False)
class Sums:
    """For each measure, how many topics count, and the exact sum of their values, in parts."""

    counted: list[int]
    parts: list[list[float]]

    @classmethod
    def begun(cls, measures: int) -> Sums:
        """Return the sums of no topics."""
        return cls([0] * measures, [[] for _ in range(measures)])

    def add(self, other: Sums) -> None:
        """Add the sums of other topics."""
        self.counted = [ours + theirs for ours, theirs in zip(self.counted, other.counted, strict=True)]
        self.parts = [sum_in_parts([*ours, *theirs]) for ours, theirs in zip(self.parts, other.parts, strict=True)]


@dataclass(eq=False)
class Summary:
    """What is known of one or more partitions: the notes on the judgments and on each run, and the sums of each run.

    There are sums for each group of topics; those over all topics have an empty name. `faults` are the errors for bad
    input, which workers return as data: a task that fails would be tried again.
    """

    judged: Notes
    runs: list[Notes]
    sums: list[dict[str, Sums]]
    faults: list[AssayError] = field(default_factory=list)

    def add(self, other: Summary, most: int) -> None:
        """Add what is known of other topics."""
        self.faults += other.faults
        self.judged.merge(other.judged, most)
        for ours, theirs in zip(self.runs, other.runs, strict=True):
            ours.merge(theirs, most)
        for our_sums, their_sums in zip(self.sums, other.sums, strict=True):
            for group, sums in their_sums.items():
                our_sums.setdefault(group, Sums.begun(len(sums.counted))).add(sums)


@dataclass
class Work:
    """What to do with every block; it is sent to the workers.

    The first of `parts` is the judgments. `top_grade` is the highest grade of all judgments. Each worker opens the
    documents itself and must find them under the same path. `rows` is roughly the size of a block.
    """

    parts: list[TablePart]
    measures: list[Measure]
    rules: Rules
    options: Options
    top_grade: float
    grouping: Grouping | None = None
    rows: int = frames.ROWS

    @cached_property
    def without_whitespace(self) -> WhitespaceIgnored | None:
        """Removes whitespace from offsets, if the user asked for that."""
        return WhitespaceIgnored(self.options.collection) if self.options.whitespace == "ignore" else None

    @property
    def names(self) -> list[str]:
        """The columns of the values: run, topic, measures, whether the run lacks the topic, and the summary."""
        return ["run", "topic", *map(str, self.measures), LACKED, SUMMARY]

    def partition(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the values of all topics of a partition, block by block, and finally its summary."""
        summary = self.nothing_noticed()
        for block in whole_topics(batches, self.rows):
            if summary.faults:
                # Spark expects that all rows are read
                continue
            try:
                values, noticed = self.block(block)
            except AssayError as fault:
                summary.faults.append(fault)
            else:
                summary.add(noticed, KEPT)
                yield from values
        nothing = np.full((len(self.measures), 1), np.nan)
        yield self.batch([""], [""], nothing, np.zeros(1, bool), [pickle.dumps(summary)])

    def nothing_noticed(self) -> Summary:
        """Return an empty summary."""
        # keeps the notes on measures in the order of the measures, wherever they come from
        kinds = [*map("infinite {}".format, self.measures), *map("ended {}".format, list_budgets(self.measures))]
        runs = [Notes({kind: Note(kind, 0) for kind in kinds}) for _ in self.parts[1:]]
        return Summary(Notes(), runs, [{"": Sums.begun(len(self.measures))} for _ in runs])

    def block(self, block: pa.Table) -> tuple[list[pa.RecordBatch], Summary]:
        """Return the values of a block of whole topics, run by run, and its summary."""
        import polars as pl

        frame = cast("pl.DataFrame", pl.from_arrow(block))
        by_part = [frame.filter(pl.col(PART) == number) for number in range(len(self.parts))]
        judgments = self.judgments(by_part[0])
        runs = [self.run(rows, part) for rows, part in zip(by_part[1:], self.parts[1:], strict=True)]
        summary = self.nothing_noticed()
        if judgments is None:
            summary.runs = [self.unjudged(run, part.name) for run, part in zip(runs, self.parts[1:], strict=True)]
            return [], summary
        has_whitespace = self.without_whitespace is None
        pool = Pool(judgments, self.options.collection, self.options.tokens, self.top_grade, has_whitespace)
        standards = self.standards(pool)
        prepared = self.without_whitespace.run if self.without_whitespace else None
        systems = [part.name for part in self.parts[1:]]
        work = Measuring(pool, self.measures, self.rules, systems, prepared=prepared, standards=standards)
        summary.judged = notes_on_pool(pool, standards, least_grades(self.measures, work.judged), self.measures)
        if standards:
            summary.judged.merge(standards.notes(self.options.annotators))
        groups = self.grouping.of_topics(pool.topics) if self.grouping else [""] * len(pool.topics)
        if self.grouping:
            self.grouping.add_ungrouped(summary.judged, pool.topics, groups)
        batches = []
        for number, (run, part) in enumerate(zip(runs, self.parts[1:], strict=True)):
            outcome = Outcome.begun(part.name, len(self.measures), pool, part.empty)
            if run is not None:
                work.add(outcome, work.measured_block(run))
            work.complete(outcome)
            outcome.drop_topics(pool, self.options.topics)
            summary.runs[number] = outcome.all_notes(self.measures, pool)
            summary.sums[number] = self.sums(outcome.values, np.array(groups))
            topics, lacked = len(pool.topics), ~outcome.in_run | outcome.empty
            batches.append(self.batch([part.name] * topics, pool.topics, outcome.values, lacked, [None] * topics))
        return batches, summary

    def run(self, rows: pl.DataFrame, part: TablePart) -> Run | None:
        """Return the run of some rows; None if there are none."""
        if not len(rows):
            return None
        return with_characters(part.run(rows, self.rules.ties == "rank"), self.options.collection)

    def judgments(self, rows: pl.DataFrame) -> Judgments | None:
        """Return the judgments of some rows that count; None if there are none."""
        if not len(rows):
            return None
        judgments = self.parts[0].judgments(rows)
        if self.without_whitespace:
            judgments, _ = self.without_whitespace.judgments(judgments)
        judgments = select_annotators(judgments, self.options.annotators)
        return judgments if len(judgments) else None

    def standards(self, pool: Pool) -> GoldStandards | None:
        """Return the gold standards if any topic has several, else None."""
        if pool.judgments.labels is None:
            return None
        best, only_relevant = self.options.annotators == "best", self.options.topics == "relevant"
        standards = GoldStandards(pool, best, only_relevant)
        return standards if standards.most > 1 else None

    def unjudged(self, run: Run | None, name: str) -> Notes:
        """Return the notes on a run in a block without judgments."""
        notes = Notes()
        if run is None:
            return notes
        if isinstance(run, DocumentRun):
            refuse_repeated_documents(run, "retrieved")
            starts = run.topic.breaks()
            _, number = run.topic[starts[:-1]].number()
            order = order_of(run, np.repeat(number, np.diff(starts)), self.rules.ties)
            misranked, agreeing = order.misranked_topics()
            notes.add("misranked", misranked)
            notes.add("agreeing", agreeing)
        unjudged = list(dict.fromkeys(run.topic.streaks()[0]))
        notes.add("unjudged", len(unjudged), unjudged)
        for note in run.notes:
            notes.add(f"read {note}")
        if self.options.topics == "error":
            judged = self.parts[0].name
            which = f"has unjudged topics {list_names(unjudged)}"
            raise InputError(f"the topics of {name} and {judged} differ: the run {which}")
        return notes

    def sums(self, values: Floats, groups: NDArray[np.str_]) -> dict[str, Sums]:
        """Return the sums over the topics that count: all of them, and each group."""
        named = {group: self.sums_over(values[:, groups == group]) for group in np.unique(groups).tolist() if group}
        return {"": self.sums_over(values), **named}

    def sums_over(self, values: Floats) -> Sums:
        """Return the exact sum of each measure over the topics that count; empty for a measure that is not a sum."""
        counting = [row[~np.isnan(row)] for row in values]
        rows = zip(self.measures, counting, strict=True)
        parts = [sum_in_parts(each.added(row)) if adds_up(each) else [] for each, row in rows]
        return Sums([len(row) for row in counting], parts)

    def batch(
        self, runs: list[str], topics: list[str], values: Floats, lacked: Bools, summary: list[bytes | None]
    ) -> pa.RecordBatch:
        """Return rows of the table of values."""
        import pyarrow as pa

        columns = [pa.array(runs, pa.string()), pa.array(topics, pa.string()), *(pa.array(row) for row in values)]
        return pa.RecordBatch.from_arrays(
            [*columns, pa.array(lacked), pa.array(summary, pa.binary())], names=self.names
        )
