"""What chunks alone lose in a report: relevant text that is in none of them, and passages that none holds whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, UsageError, listed
from assay.evaluation.ceilings import none_of_the_chunks
from assay.evaluation.evaluate import Evaluation
from assay.evaluation.named_runs import opened_file
from assay.evaluation.placing import Placing
from assay.ranking.chunks import ChunkedCorpus
from assay.ranking.kinds import TEXT
from assay.reading.read import is_file
from assay.reading.schema import told_columns
from assay.reporting.listings import TopicPage, TopicPages
from assay.tables.intervals import Spans

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection
    from assay.reading.input_types import ChunksLike


@dataclass(frozen=True, eq=False)
class ChunksOfRuns:
    """All chunks that some runs could return, by the name of the run, and what was noticed when they were read."""

    corpora: dict[str, ChunkedCorpus]
    notes: list[str]


def chunks_of_runs(
    chunks: ChunksLike | None,
    evaluation: Evaluation,
    runs: list[str],
    collection: DocumentCollection | None,
    rules: Mapping[str, Any],
) -> ChunksOfRuns:
    """The chunks that were given: of all runs, or of each by its name."""
    given = by_run(chunks, runs)
    if given and evaluation.shown is not TEXT:
        raise UsageError("chunks= goes with judgments of text, as of spans with start and end")
    columns = told_columns(rules.get("columns"))
    placing = Placing(collection, rules.get("format"), rules.get("texts", "check"), columns)
    read: dict[int, ChunkedCorpus] = {}
    for each in given.values():
        # one list for all runs is read once
        if id(each) not in read:
            read[id(each)] = ChunkedCorpus(placing.chunks(opened_file(each), evaluation.pool.judgments))
    return ChunksOfRuns({run: read[id(each)] for run, each in given.items()}, placing.notes)


def by_run(chunks: ChunksLike | None, runs: list[str]) -> dict[str, Any]:
    """The chunks of each run; a dict whose keys are runs has those of each, and anything else is for all of them."""
    if chunks is None:
        return {}
    files = isinstance(chunks, Mapping) and any(map(is_file, chunks.values()))
    if not isinstance(chunks, Mapping) or not (files or set(chunks) & set(runs)):
        return dict.fromkeys(runs, chunks)
    if unknown := [str(name) for name in chunks if name not in runs]:
        raise UsageError(f"there is no run {unknown[0]!r} for which chunks are given; there are {listed(runs)}")
    return dict(chunks)


def notes_on_others(
    chunks: ChunksOfRuns, systems: list[str], pages: list[TopicPage], collection: DocumentCollection | None
) -> list[str]:
    """Results that are none of the chunks of their run: a few are noted, and with many the chunks are of another run.
    """
    known = {id(corpus): corpus.places() for corpus in chunks.corpora.values()}
    notes = []
    for number, system in enumerate(systems):
        if (corpus := chunks.corpora.get(system)) is not None:
            results = [place for page in pages for place in page.places_of(number)]
            notes.append(none_of_the_chunks(system, results, known[id(corpus)], corpus.name, collection))
    return list(filter(None, notes))


def in_no_chunk(chunks: ChunksOfRuns, evaluation: Evaluation, pages: TopicPages) -> list[list[int] | None]:
    """For each run the relevant characters of each topic that no chunk has; None where its chunks are not known."""
    lost: list[list[int] | None] = []
    for run, at_cuts in zip(evaluation.scores.systems, pages.losses, strict=True):
        corpus = chunks.corpora.get(run)
        if corpus is None:
            lost.append(None)
            continue
        nowhere, total = corpus.in_no_chunk(evaluation.pool), evaluation.pool.text.total
        returned = sum(np.array(at_cuts[0][name]) for name in ("found", "cut", "low")) if at_cuts else np.zeros(1)
        if np.any(returned + nowhere > total):
            topic = evaluation.pool.topics[int(np.argmax(returned + nowhere > total))]
            what = f"returned relevant text of topic {topic} that is in no chunk of {corpus.name}"
            raise InputError(f"{what}; expected all chunks that the run could return", run)
        lost.append(nowhere.tolist())
    return lost


def mark_pieces(chunks: ChunksOfRuns, systems: list[str], pages: list[TopicPage]) -> None:
    """Tell each page the passages that no single chunk of a run holds, by the numbers of run, document and passage."""
    for number, system in enumerate(systems):
        if system not in chunks.corpora:
            continue
        corpus = chunks.corpora[system]
        for page in pages:
            names = list(page.documents)
            placed = [
                (document, passage, corpus.number(names[document]), start, start + length)
                for document, flat in page.highlights.items()
                for passage, (start, length) in enumerate(zip(*[iter(flat)] * 2, strict=True))
            ]
            columns = np.array([each[2:] for each in placed], np.int64).reshape(-1, 3).T
            split: dict[int, list[int]] = {}
            for row in np.flatnonzero(~corpus.held(Spans(*columns))).tolist():
                split.setdefault(placed[row][0], []).append(placed[row][1])
            if split:
                page.split[number] = split
