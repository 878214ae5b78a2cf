"""fuse: several runs -> one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.converting.convert import reading_notes, scored_by_rank
from assay.errors import InputError, UsageError, counted, listed
from assay.evaluation.named_runs import named_runs
from assay.evaluation.notes import DUPLICATES, REPEATED, TIES, Remark, merged_remarks
from assay.files.threads import in_threads
from assay.formats.format import Request
from assay.formats.reading import is_file, opened_documents, whole_run
from assay.fusing.fused_blocks import FusedBlock, Fusing, joined_blocks
from assay.fusing.methods import METHODS, Method, method_named, parameters_of
from assay.fusing.normalisations import EQUAL_SCORES, Lists, normalisation_named
from assay.fusing.ranked_lists import RankedLists, ranked_lists
from assay.ranking.align import without_repeats
from assay.ranking.repeated_documents import CHOOSE_ONE, numbered_topics, refuse_repeated_documents
from assay.ranking.rules import check_duplicates
from assay.tables.column_names import told_columns
from assay.tables.ids import Floats
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
    normalisation = normalise or "min-max"
    normalised = normalisation_named(normalisation)
    notes: list[str] = []
    check_duplicates(duplicates)
    lists = ranked_lists(read_runs(runs, opened_documents(documents), format, columns, duplicates, notes))
    notes += lacking_topics(lists, chosen)
    if chosen.by_score:
        lists = replace(lists, score=comparable_scores(lists, normalised, normalisation))
        notes += score_notes(lists, method, normalisation)
    else:
        notes += said_of_systems(TIED, "topic", zip(lists.names, (each.tied for each in lists.runs), strict=True))
    fusion = Fusing(lists, partial(chosen.formula, **parameters), chosen.by_document)
    parts = list(in_threads(fusion.block, lists.blocks()))
    if lists.unit == "documents" and any(part.again.any() for part in parts):
        for each in lists.runs:
            refuse_repeated_documents(each.run, "retrieved", CHOOSE_ONE)
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

    request = Request(documents, gather=True, columns=told_columns(columns))

    def read(item: tuple[str, Any]) -> Run:
        name, given = item
        return whole_run(given, None if is_file(given) else name, format, request).named(name)

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


def comparable_scores(
    lists: RankedLists, normalised: Callable[[Lists], Floats], normalisation: str
) -> list[Floats]:
    """The normalised scores of each run."""
    with np.errstate(over="ignore", invalid="ignore"):
        scores = [normalised(each.scores()) for each in lists.runs]
    if not all(np.isfinite(score).all() for score in scores):
        raise InputError(f"scores are too large to be normalised by {normalisation}; normalise them by rank")
    return scores


def score_notes(lists: RankedLists, method: str, normalise: str) -> Iterator[str]:
    """What is to be known of scores before they are added."""
    assert lists.score is not None
    if normalise in EQUAL_SCORES:
        what = "all scores are equal in {}; " + EQUAL_SCORES[normalise]
        constant = (len(each.scores().constant) for each in lists.runs)
        yield from said_of_systems(what, "topic", zip(lists.names, constant, strict=True))
    if METHODS[method].rewards_many:
        many = ", and of a sum below 0 more runs make less" if method == "combmnz" else ""
        what = f"scores below 0 in {{}}; what a run lacks counts 0, which is more{many}"
        below = (
            np.count_nonzero(np.logical_or.reduceat(score < 0, each.starts[:-1]))
            for score, each in zip(lists.score, lists.runs, strict=True)
        )
        yield from said_of_systems(what, "topic", zip(lists.names, map(int, below), strict=True))


def repeated_results(lists: RankedLists, parts: list[FusedBlock]) -> Iterator[str]:
    """What became of results that repeat or overlap others."""
    number = np.sum([part.again for part in parts], axis=0).tolist()
    of_text = "{} overlapping an earlier one; text counts where it comes first"
    what = of_text if lists.unit == "spans" else "{} returned before for the topic; the first counts"
    yield from said_of_systems(what, "result", zip(lists.names, number, strict=True))
    if cut := sum(part.cut for part in parts):
        fused = sum(len(part.topic) for part in parts)
        became = f"{counted(int(lists.sizes.sum()), 'result')} became {counted(fused, 'result')} that do not overlap"
        yield f"{became}, {cut:,} of them a part of one"
