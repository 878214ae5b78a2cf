"""fuse: several runs -> one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.converting.convert import reading_notes, scored_by_rank
from assay.errors import InputError, UsageError, counted, listed
from assay.evaluation.named_runs import named_runs
from assay.evaluation.notes import DUPLICATES, REPEATED, TIES, Remark, merged_remarks
from assay.files.threads import in_threads
from assay.formats.reading import is_file, opened_documents, read_run
from assay.fusing.candidates import NOWHERE, Candidates, pieces, uncut
from assay.fusing.methods import METHODS, Method, method_named, parameters_of
from assay.fusing.normalisations import EQUAL_SCORES, Lists, normalisation_named
from assay.fusing.ranked_lists import NO_KEY, RankedLists, ranked_lists
from assay.fusing.votes import Votes
from assay.ranking.align import without_repeats
from assay.ranking.order import order_of, within_document
from assay.ranking.repeated_documents import CHOOSE_ONE, numbered_topics, refuse_repeated_documents
from assay.ranking.rules import check_duplicates
from assay.tables.ids import Floats, Ints
from assay.tables.intervals import Spans
from assay.tables.run import Run
from assay.vocabulary import Duplicates, Fusion, Normalisation

if TYPE_CHECKING:
    from assay.documents.lookup import Documents


def fuse(
    runs: Any,
    method: Fusion = "rrf",
    *,
    normalise: Normalisation | None = None,
    k: float | None = None,
    p: float | None = None,
    duplicates: Duplicates = "refuse",
    documents: Any = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Run:
    """One run made of several, which are given as to `assay.evaluate`.

    method: by ranks rrf, isr, rbc, borda or condorcet; by scores combsum, combmnz, combanz or combmed. normalise, of
    scores, within each run and topic: min-max (default), z, sum, rank, or none. k of rrf, 60 by default; p of rbc, 0.9
    by default. duplicates, where a run has a document twice in a topic: refused (refuse), or its first row or its best
    score counts (first, best). documents: where runs of documents, elements and spans are fused with one another, and
    have to be looked up. format: the files' format, where it should not be recognised. columns: which column of a table
    holds what.

    Results are in the order in which they are measured. What a run lacks adds nothing; Borda shares the points that are
    left among what a run lacks, and Condorcet takes it as last. Documents of one id are one, and elements of one path.
    Spans are fused character by character: a character has the rank and the score of the first result with it, and
    text that stands in the same results of all runs stays together as one result. So the fused results never overlap.
    The notes of the run tell what was decided.
    """
    chosen, parameters = method_named(method), parameters_of(method, k, p)
    if normalise is not None and not chosen.by_score:
        by_score = [name for name, each in METHODS.items() if each.by_score]
        raise UsageError(f"{method} goes by ranks; scores are normalised for {', '.join(by_score)}")
    normalised = normalisation_named(normalise or "min-max")
    notes: list[str] = []
    check_duplicates(duplicates)
    lists = ranked_lists(read_runs(runs, opened_documents(documents), format, columns, duplicates, notes))
    notes += lacking_topics(lists, chosen)
    score = None
    if chosen.by_score:
        lists_of_scores = Lists(lists.run.score[lists.origin], lists.starts)
        with np.errstate(over="ignore", invalid="ignore"):
            score = normalised(lists_of_scores)
        notes += score_notes(lists, lists_of_scores, score, method, normalise or "min-max")
    else:
        notes += said_of_systems(TIED, "topic", lists.systems_with(lists.tied))
    fusion = Fusing(lists, score, partial(chosen.formula, **parameters), chosen.by_document)
    parts = list(in_threads(fusion.block, lists.blocks()))
    if lists.unit == "documents" and any(len(part.again) for part in parts):
        for table in lists.tables():
            refuse_repeated_documents(table, "retrieved", CHOOSE_ONE)
    fused = joined_blocks(lists, parts, method)
    return replace(fused, notes=(*notes, *repeated_results(lists, parts)))


TIED = "tied scores in {}; " + TIES["docno"]


def read_runs(
    runs: Any,
    documents: Documents | None,
    format: str | None,
    columns: Mapping[str, str] | None,
    duplicates: Duplicates,
    notes: list[str],
) -> list[Run]:
    """The runs that were given, under their names and with scores that tell their order; a line in `notes` for each
    thing that was decided.
    """

    def read(item: tuple[str, Any]) -> Run:
        name, given = item
        return read_run(given, None if is_file(given) else name, format, documents, columns).named(name)

    tables = list(in_threads(read, named_runs(runs).items()))
    notes += [note for run in tables for note in reading_notes(run)]
    if duplicates != "refuse":
        tables = once_each(tables, duplicates, notes)
    if len(tables) == 1:
        notes.append(f"{tables[0].name}: only one run was given, and its order stays")
    if documents is not None and len({run.has_parts for run in tables}) > 1:
        tables = [run if run.has_parts else as_whole_spans(run, documents) for run in tables]
    return [scored_by_rank(run, notes) if run.by_rank else run for run in tables]


def once_each(runs: list[Run], duplicates: Duplicates, notes: list[str]) -> list[Run]:
    """Runs in which each whole document stands once in a topic; a line in `notes` tells how many results that left out.
    """
    tables, left_out = [], []
    for run in runs:
        fewer, number = run, 0
        if not run.has_parts:
            topics, topic_of = numbered_topics(run)
            fewer, _, number = without_repeats(run, topic_of, topics, duplicates)
        tables.append(fewer)
        left_out.append((run.name, number))
    notes += said_of_systems(REPEATED + DUPLICATES[duplicates], "result", left_out)
    return tables


def as_whole_spans(run: Run, documents: Documents) -> Run:
    """A run of whole documents as one of spans."""
    refuse_repeated_documents(run, "retrieved", CHOOSE_ONE)
    return replace(run, start=np.zeros(len(run), np.int64), end=documents.lengths(run.document.texts()))


@dataclass(frozen=True, eq=False, repr=False)
class FusedBlock:
    """The fused results of some topics, in order: the row that tells the document of each, the number of its topic, and
    its score; of text its start and end. `again` are the rows with something that an earlier result of their run has,
    and `cut` is the number of fused results that no run has so.
    """

    row: Ints
    topic: Ints
    score: Floats
    start: Ints | None
    end: Ints | None
    again: Ints
    cut: int


@dataclass(frozen=True, eq=False, repr=False)
class Fusing:
    """What is done to each block of topics; `score` has that of each result, made comparable, for methods by scores."""

    lists: RankedLists
    score: Floats | None
    formula: Callable[[Votes], Floats]
    by_document: bool

    def block(self, numbers: Ints) -> FusedBlock:
        """The fused results of the topics of some lists."""
        lists, sizes = self.lists, np.diff(self.lists.starts)[numbers]
        begin = np.append(0, np.cumsum(sizes))
        place = np.arange(begin[-1]) + np.repeat(lists.starts[numbers] - begin[:-1], sizes)
        rank = np.arange(begin[-1]) - np.repeat(begin[:-1], sizes) + 1
        topic = np.repeat(np.unique(lists.topic[numbers], return_inverse=True)[1], sizes)
        candidates = self._candidates(lists.origin[place], topic, np.repeat(lists.system[numbers], sizes))
        by_topic = self._by_topic(candidates, topic, lists.origin[place])
        result, example = candidates.result[by_topic], candidates.example[by_topic]
        lacking = result == NOWHERE
        votes = Votes(
            topic[example],
            np.where(lacking, np.nan, rank[result]),
            None if self.score is None else np.where(lacking, np.nan, self.score[place[result]]),
        )
        row = lists.origin[place[example]]
        start, end = (None if at is None else at[by_topic] for at in (candidates.start, candidates.end))
        again = lists.origin[place[candidates.again]]
        # what is too large is refused below
        with np.errstate(over="ignore", invalid="ignore"):
            score = self.formula(votes)
        cut = self._cut(np.where(lacking, NOWHERE, lists.origin[place[result]]), start, end)
        part = FusedBlock(row, np.repeat(lists.topic[numbers], sizes)[example], score, start, end, again, cut)
        if not np.isfinite(part.score).all():
            raise InputError("scores are too large to be added; normalise them by rank")
        return self._in_order(part, votes.topic)

    def _candidates(self, row: Ints, topic: Ints, system: Ints) -> Candidates:
        """The candidates among some results."""
        run, systems = self.lists.run, len(self.lists.names)
        keys = self.lists.keys(row, topic)
        if self.lists.unit == "spans":
            assert run.start is not None and run.end is not None
            spans = Spans(system, run.start[row], run.end[row])
            return pieces(keys, run.document[row], spans, system, systems)
        ids = [column[row] for column in (run.document, run.path, run.last) if column is not None]
        return uncut(keys, ids, system, systems)

    def _by_topic(self, candidates: Candidates, topic: Ints, row: Ints) -> Ints:
        """An order of candidates topic by topic, within it by document id where that is needed; `topic` and `row` are
        those of the results.
        """
        of_topic = topic[candidates.example]
        if not self.by_document:
            return np.argsort(of_topic, kind="stable")
        rows, then = row[candidates.example], (candidates.start, candidates.end)
        behind = within_document(self.lists.run, rows) if then[0] is None else [at for at in then if at is not None]
        return self.lists.run.document[rows].descending(of_topic, *behind)

    def _cut(self, row: Ints, start: Ints | None, end: Ints | None) -> int:
        """How many fused results no run has so; row[result, run] is the row with each, or NOWHERE."""
        run = self.lists.run
        if start is None or end is None or run.start is None or run.end is None:
            return 0
        is_whole = (row != NOWHERE) & (run.start[row] == start[:, None]) & (run.end[row] == end[:, None])
        return int(np.count_nonzero(~is_whole.any(axis=1)))

    def _in_order(self, part: FusedBlock, topic: Ints) -> FusedBlock:
        """The results of a part as they are measured: best first, with ties broken; `topic` numbers their topics."""
        fused = fused_run(self.lists, part, "")
        order = order_of(fused, topic, "docno").results(np.broadcast_to(NO_KEY, len(fused))).origin
        start, end = (None if at is None else at[order] for at in (part.start, part.end))
        row, topic, score = part.row[order], part.topic[order], part.score[order]
        return replace(part, row=row, topic=topic, score=score, start=start, end=end)


def fused_run(lists: RankedLists, part: FusedBlock, name: str) -> Run:
    """The run that a part of the results of some lists is."""
    run, row, topic = lists.run, part.row, lists.topic_ids[part.topic]
    start, end = part.start, part.end
    if start is None and run.start is not None and run.end is not None:
        start, end = run.start[row], run.end[row]
    path, last = (None if column is None else column[row] for column in (run.path, run.last))
    return Run(name, topic, run.document[row], score=part.score, start=start, end=end, path=path, last=last)


def joined_blocks(lists: RankedLists, parts: list[FusedBlock], name: str) -> Run:
    """All parts as one run, with ranks."""
    columns: dict[str, Any] = {
        field: np.concatenate([getattr(part, field) for part in parts])
        for field in ("row", "topic", "score", "start", "end")
        if getattr(parts[0], field) is not None
    }
    every = fused_run(lists, replace(parts[0], **columns), name)
    starts = every.topic.breaks()
    rank = np.arange(len(every)) - np.repeat(starts[:-1], np.diff(starts)) + 1
    return replace(every, rank=rank)


# What was decided


def said_of_systems(what: str, noun: str, numbers: Iterable[tuple[str, int]]) -> list[str]:
    """What is to be said of runs that have a number of things, `{}` in it; those that have none are passed over."""
    return merged_remarks((name, Remark(what, number, noun)) for name, number in numbers if number)


def lacking_topics(lists: RankedLists, method: Method) -> list[str]:
    """The topics that some runs lack."""
    remarks = []
    adds = "which places all results there equal" if method.places_all else "which adds nothing there"
    for number, name in enumerate(lists.names):
        has = np.isin(np.arange(len(lists.topics)), lists.topic[lists.system == number])
        if not has.all():
            lacking = [lists.topics[topic] for topic in np.flatnonzero(~has)]
            what = f"{len(lacking):,} of {len(lists.topics):,} topics not in the run, {adds}"
            remarks.append((name, Remark(f"{what}: {listed(lacking)}")))
    return merged_remarks(remarks)


def score_notes(lists: RankedLists, given: Lists, score: Floats, method: str, normalise: str) -> Iterator[str]:
    """What is to be known of scores before they are added."""
    constant = np.bincount(lists.system[given.constant], minlength=len(lists.names)).tolist()
    if normalise in EQUAL_SCORES:
        what = "all scores are equal in {}; " + EQUAL_SCORES[normalise]
        yield from said_of_systems(what, "topic", zip(lists.names, constant, strict=True))
    if METHODS[method].rewards_many:
        many = ", and of a sum below 0 more runs make less" if method == "combmnz" else ""
        what = f"scores below 0 in {{}}; what a run lacks counts 0, which is more{many}"
        yield from said_of_systems(what, "topic", lists.systems_with(score < 0))


def repeated_results(lists: RankedLists, parts: list[FusedBlock]) -> Iterator[str]:
    """What became of results that repeat or overlap others."""
    again = np.searchsorted(lists.begin, np.concatenate([part.again for part in parts]), side="right") - 1
    number = np.bincount(again, minlength=len(lists.names)).tolist()
    of_text = "{} overlapping an earlier one; text counts where it comes first"
    what = of_text if lists.unit == "spans" else "{} returned before for the topic; the first counts"
    yield from said_of_systems(what, "result", zip(lists.names, number, strict=True))
    if cut := sum(part.cut for part in parts):
        fused = sum(len(part.row) for part in parts)
        became = f"{counted(len(lists.origin), 'result')} became {counted(fused, 'result')} that do not overlap"
        yield f"{became}, {cut:,} of them a part of one"
