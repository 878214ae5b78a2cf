"""Make studies from runs and judgments: `assay pool`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from assay.assessing.pool import JudgingPool, PoolStratum, Recipe, make_pool, strata_of
from assay.errors import InputError, UsageError, count_noun, list_names
from assay.evaluation.matching import notes_on_forms
from assay.reading.given import given_runs
from assay.reading.read import opened_documents, read_judgments, whole_runs
from assay.reading.topics import read_details, read_titles
from assay.studies.strokes import Stroke, StudySettings
from assay.studies.study import Study, StudyTask, StudyTopic, Support, create_study, describe_document, new_file, new_id
from assay.tables.judgments import DocumentJudgments, HighlightJudgments, Judgments, SampleJudgments
from assay.vocabulary import STUDY_MODES

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection
    from assay.reading.input_types import DocumentsLike, JudgmentsLike, RunsLike

# The grades that people choose from by default.
GRADES = 0, 1, 2
# The assessor of judgments that a study starts from, and how many of these may wait to be written together.
BEFORE, MOST_WAITING = "before", 500


def pool(
    runs: RunsLike | None = None,
    output: str | os.PathLike[str] | None = None,
    *,
    depth: int | None = None,
    budget: int | None = None,
    fusion: str | None = None,
    size: int | None = None,
    strata: str | Sequence[tuple[int, int, float]] | None = None,
    live: str | None = None,
    seed: int = 0,
    topics_file: str | os.PathLike[str] | None = None,
    documents: DocumentsLike | None = None,
    judgments: JudgmentsLike | None = None,
    mode: str | None = None,
    grades: Sequence[int] = (),
    judges: int = 1,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> JudgingPool:
    """Choose which documents of some runs people should judge; with an output, write a study for `assay assess`.

    Without runs a study starts from judgments alone. With runs, pass one recipe. depth: pool the first documents of
    each run, up to this rank. budget: the number of documents per topic, taken from the runs in turn. fusion: rrf,
    combmnz or rbp; pool the first size= documents of the fused run. strata: ranks with the share to judge, for example
    "1-10:1,11-50:0.2,51-100:0.05"; the study keeps the probability of each document. live: mtf or mm-ns, with depth=:
    Assay chooses the next document from the judgments so far. seed: the random seed of the order and of the draws.
    topics_file: titles, descriptions and narratives of the topics. documents: the texts; a study needs them.
    judgments: judgments to start from, by an assessor named "before". mode: what assessors do: highlight, exhaustivity
    (INEX 2005), grades (TREC) or questions; by default highlight, or grades if the judgments are grades of documents.
    grades: the grades to choose from; by default 0, 1, 2 and those of the judgments. judges: how many people judge each
    document.
    """
    if mode not in (None, *STUDY_MODES):
        raise UsageError(f"unknown mode {mode!r}; choose from {', '.join(STUDY_MODES)}")
    if runs is None and (judgments is None or output is None):
        raise UsageError("a study without runs starts from judgments: pass judgments= and an output, or runs")
    chosen = strata_of(strata) if isinstance(strata, str) else [PoolStratum(*each) for each in strata or ()]
    recipe = None if runs is None else Recipe(depth, budget, fusion, size, tuple(chosen), live, seed)
    collection = opened_documents(documents)
    if output is not None:
        if collection is None:
            raise UsageError("a study shows the documents: pass documents=")
        if Path(output).exists():
            raise InputError("the file exists; choose another name for the study", os.fspath(output))
    named = {} if runs is None else given_runs(runs, format)
    read = whole_runs(named, collection, columns)
    titles = None if topics_file is None else read_titles(topics_file)
    pooled = make_pool(read, recipe, None if titles is None else titles.topics)
    if not pooled.topics and runs is not None:
        what = "the runs have no results for these topics; do the topic ids match?"
        raise InputError(what, os.fspath(topics_file or ""))
    pooled.notes[:0] = notes_on_forms(list(read.values()))
    if output is not None and collection is not None:
        start = None if judgments is None else read_judgments(judgments, format, collection, columns=columns)
        settings = settings_for(start, mode, grades, judges)
        if start is not None and mode is None and settings.mode == "grades":
            pooled.notes.append(f"{start.name} has grades of documents, so people will grade documents")
        write_study(output, pooled, settings, collection, topics_file, start)
    return pooled


def settings_for(
    judgments: Judgments | None, mode: str | None, grades: Sequence[int], judges: int
) -> StudySettings:
    """Return the settings of a study that may start from judgments; refuse a mode that cannot hold these."""
    if mode is None:
        mode = "grades" if isinstance(judgments, DocumentJudgments | SampleJudgments) else "highlight"
    if judgments is not None and mode != "grades" and not isinstance(judgments, HighlightJudgments):
        what = "these judgments have no highlighted text"
        raise InputError(f"{what}; pass mode=grades to start from their grades of documents", judgments.name)
    judged = [] if judgments is None or mode != "grades" else np.unique(judgments.grade).tolist()
    if judgments is not None and (fractions := [grade for grade in judged if grade % 1]):
        raise InputError(f"the grade {fractions[0]} is not a whole number, which a study needs", judgments.name)
    if mode == "grades" and not grades:
        grades = sorted({*GRADES, *(int(grade) for grade in judged if grade >= 0)})
    return StudySettings(mode, tuple(grades), judges)  # type: ignore[arg-type]


def write_study(
    output: str | os.PathLike[str],
    pooled: JudgingPool,
    settings: StudySettings,
    documents: DocumentCollection,
    topics_file: str | os.PathLike[str] | None,
    judgments: Judgments | None = None,
) -> None:
    """Write a study whole or not at all."""
    with new_file(output) as path, create_study(path, settings) as study:
        fill_study(study, pooled, documents, topics_file)
        if judgments is not None:
            start_from(study, judgments, documents, topics_file)


def fill_study(
    study: Study, pooled: JudgingPool, documents: DocumentCollection, topics_file: str | os.PathLike[str] | None
) -> None:
    """Add topics, documents, tasks, and the results of the runs."""
    add_topics(study, pooled.topics, topics_file)
    drawn = {topic: [each for each in pool if each.drawn] for topic, pool in pooled.topics.items()}
    add_documents(study, list(dict.fromkeys(each.document for pool in drawn.values() for each in pool)), documents)
    undrawn = [
        (topic, each.document, str(each.stratum))
        for topic, pool in pooled.topics.items()
        for each in pool
        if not each.drawn
    ]
    if pooled.recipe is None:
        return
    recipe = pooled.recipe.record() | ({"undrawn": undrawn} if undrawn else {})
    number = study.add_pool(recipe, pooled.recipe.seed, pooled.fingerprints)
    study.add_tasks(
        (
            StudyTask(topic, each.document, position, str(each.stratum), each.chance)
            for topic, pool in drawn.items()
            for position, each in enumerate(pool, 1)
        ),
        number,
    )
    study.add_support(
        Support(topic, each.document, run, part.rank, part.start, part.end)
        for topic, pool in drawn.items()
        for each in pool
        for run, lists in pooled.lists.items()
        if topic in lists
        for part in lists[topic].parts.get(each.document, ())
    )


def add_topics(study: Study, topics: Iterable[str], topics_file: str | os.PathLike[str] | None) -> None:
    """Add topics; a question is also a task of its own, without a document."""
    topics = list(topics)
    study.add_topics(described_topics(topics, topics_file))
    if study.settings.mode == "questions":
        study.add_tasks(StudyTask(topic, None) for topic in topics)


def described_topics(
    topics: Iterable[str], topics_file: str | os.PathLike[str] | None, untitled: str | None = None
) -> Iterator[StudyTopic]:
    """Yield topics with their titles, descriptions and narratives, as far as a file has them.

    untitled: the title of a topic without one; by default its id.
    """
    titles = None if topics_file is None else read_titles(topics_file)
    details = {} if topics_file is None else read_details(topics_file)
    for topic in topics:
        title = (titles.of(topic) if titles else None) or (topic if untitled is None else untitled)
        longer = [(details[name].of(topic) or "") if name in details else "" for name in ("description", "narrative")]
        yield StudyTopic(topic, title, *longer)


def add_documents(study: Study, names: list[str], documents: DocumentCollection) -> None:
    """Add documents with the hashes of their texts; refuse those that the collection lacks."""
    texts = {name: describe_document(name, text) for name, text in documents.texts(names)}
    if lacking := [name for name in names if name not in texts]:
        what = f"{count_noun(len(lacking), 'document')} of the pool not found: {list_names(lacking)}"
        raise InputError(f"{what}; do the ids of runs and documents match?", getattr(documents, "label", "documents"))
    study.add_documents(texts.values())


def start_from(
    study: Study,
    judgments: Judgments,
    documents: DocumentCollection,
    topics_file: str | os.PathLike[str] | None = None,
) -> None:
    """Add judgments as those of an assessor called "before"; documents outside the pool are marked as such."""
    # a negative grade means that nobody judged the document
    judged = np.flatnonzero(judgments.grade >= 0).tolist()
    topics, names = judgments.topic[judgments.grade >= 0].texts(), judgments.document[judgments.grade >= 0].texts()
    known = {each.name for each in study.topics()}
    new = [topic for topic in dict.fromkeys(topics) if topic not in known]
    add_topics(study, new, topics_file)
    add_documents(study, list(dict.fromkeys(names)), documents)
    study.add_tasks(StudyTask(topic, name, 0, in_pool=False) for topic, name in zip(topics, names, strict=True))
    study.add_assessor(BEFORE)
    # nobody can log in as this assessor, unless someone is invited by that name
    sql = "UPDATE assessor SET revoked = 1 WHERE name = ?"
    study.write(lambda connection: connection.execute(sql, [BEFORE]) and None)
    pairs = [(topic, name, BEFORE) for topic, name in zip(topics, names, strict=True)]
    study.assign(pairs, main=True)
    numbers = {(each.topic, each.document): each.id for each in study.assignments(BEFORE)}
    rows: dict[str, list[tuple[int, str]]] = {}
    for row, topic, name in zip(judged, topics, names, strict=True):
        rows.setdefault(name, []).append((row, topic))
    waiting = []
    for name, text in documents.texts(list(rows)):
        for row, topic in rows.pop(name, ()):
            strokes = strokes_of(judgments, row, study.settings)
            waiting.append(study.submit_strokes(numbers[topic, name], strokes, text))
        if len(waiting) > MOST_WAITING:
            finish(waiting)
    finish(waiting)


def finish(waiting: list[Future[list[Stroke]]]) -> None:
    """Wait until strokes are on disk."""
    for each in waiting:
        each.result()
    waiting.clear()


def strokes_of(judgments: Judgments, row: int, settings: StudySettings) -> list[Stroke]:
    """Return the strokes that add up to an existing judgment; evidence for questions is never done."""
    strokes = []
    if isinstance(judgments, HighlightJudgments) and settings.mode != "grades":
        text = judgments.highlights
        spans = np.flatnonzero(text.row == row).tolist()
        facts = facts_of(judgments, spans) if settings.mode == "questions" else [None] * len(spans)
        for span, fact in zip(spans, facts, strict=True):
            strokes.append(Stroke(new_id(), "highlight", int(text.start[span]), int(text.end[span]), fact))
        if settings.mode == "questions":
            return strokes
        if settings.entry_point and strokes:
            # INEX asks for one entry point if anything is highlighted
            entry = int(text.entry[row]) if text.entry[row] >= 0 else min(int(each.start or 0) for each in strokes)
            strokes.append(Stroke(new_id(), "entry", entry))
    if settings.grades:
        best = max((each for each in settings.grades if each <= judgments.grade[row]), default=min(settings.grades))
        strokes.append(Stroke(new_id(), "grade", value=str(best)))
    return [*strokes, Stroke(new_id(), "validate")]


def facts_of(judgments: HighlightJudgments, spans: list[int]) -> list[str]:
    """Return the facts of highlighted spans; a span without a fact becomes a fact with a number of its own."""
    told = None if judgments.facts is None else judgments.facts.fact
    names = [""] * len(spans) if told is None else told[np.array(spans, np.int64)].texts()
    own = "" if told is None else "span "
    return [name or f"{own}{span + 1}" for span, name in zip(spans, names, strict=True)]
