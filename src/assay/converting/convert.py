"""Convert runs and judgments from one format to another. Assay never silently drops what a format cannot represent."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from assay.documents.location import id_or_name
from assay.errors import InputError, UsageError, count_noun
from assay.evaluation.notes import OF_RUNS, Choices, sentences_on_counts
from assay.files.source import Source
from assay.ranking.align import duplicates_in, without_repeats
from assay.ranking.gold_standards import of_annotators
from assay.ranking.order import OrderedResults, Rules, order_run
from assay.ranking.pool import CHOOSE_ONE, numbered_topics, refuse_repeated_documents
from assay.reading import read
from assay.reading.columns import GIVE_DOCUMENTS, nothing_relevant
from assay.reading.format import Columns, Format, Request, Unit
from assay.reading.formats.inex import FORMAT as INEX
from assay.reading.given import kind_of
from assay.reading.lines import WHOLE
from assay.reading.recognition import every_format, format_named
from assay.reading.schema import told_columns
from assay.tables.ids import Ids, Ints, each_once
from assay.tables.judgments import ElementJudgments, HighlightJudgments, Judgments, SampleJudgments, SubtopicJudgments
from assay.tables.run import (
    DocumentRun,
    ElementRun,
    PlacedElementRun,
    Run,
    SpanRun,
    SurroundedSpanRun,
    Table,
    make_run,
    no_ids,
)
from assay.vocabulary import Duplicates, FileKind

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection
    from assay.reading.input_types import DocumentsLike, JudgmentsLike, RunLike


def convert(
    given: RunLike | JudgmentsLike,
    to: str,
    *,
    documents: DocumentsLike | None = None,
    kind: FileKind | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    duplicates: Duplicates = "refuse",
    depth: int | None = None,
    annotators: str | None = None,
    pseudonyms: bool = False,
    notes: list[str] | None = None,
) -> bytes:
    """Return a run or judgments as the content of a file in the format `to`.

    The input may be a file, a table or an object in memory. Results are written best first, with ranks from 1.
    documents: needed if characters, elements or lengths have to be looked up. kind: "run" or "judgments", if the
    content does not show it. format: the format of the input, instead of recognising it. columns: which column of a
    table means what, for example {"document": "chunk_id"}, if the usual names do not say. duplicates: what to do if a
    run has a document twice in a topic: refuse it, write the "first" row, or the row with the "best" score. depth:
    write only this number of results per topic, the best ones. annotators: for a study, whose judgments to write: main
    (one assessor per document), majority, union, or the name of an assessor. pseudonyms: write assessor-1, assessor-2
    and so on instead of names. notes: a list to which Assay appends one sentence per decision.
    """
    target = format_named(to)
    documents = read.opened_documents(documents)
    notes = [] if notes is None else notes
    kind = kind or kind_of(given, format, Request(columns=told_columns(columns)))
    if kind == "run":
        run = read.read_run(given, format=format, documents=documents, columns=columns, notes=notes)
        notes += reading_notes(run)
        if isinstance(run, DocumentRun):
            run = each_document_once(run, duplicates, notes)
        return written_run(run, target, documents, notes, check_depth(depth))
    if depth is not None:
        raise UsageError("these are judgments; depth= works only with a run")
    judgments = judgments_by(given, annotators, format, documents, columns, notes, target)
    judgments = with_pseudonyms(judgments) if pseudonyms else judgments
    notes += reading_notes(judgments)
    refuse_repeated_documents(judgments, "judged")
    return written_judgments(judgments, target, documents, notes)


def convert_to_assessments(
    given: JudgmentsLike,
    *,
    documents: DocumentsLike | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    annotators: str | None = None,
    notes: list[str] | None = None,
) -> dict[str, bytes]:
    """Return the content of a file of INEX's assessments for each topic; the parameters are those of `convert`."""
    collection, notes = read.opened_documents(documents), [] if notes is None else notes
    judgments = judgments_by(given, annotators, format, collection, columns, notes, INEX)
    refuse_repeated_documents(judgments, "judged")
    return INEX.assessment_files(judgments, collection)


def judgments_by(
    given: RunLike | JudgmentsLike,
    annotators: str | None,
    format: str | None,
    documents: DocumentCollection | None,
    columns: Mapping[str, str] | None,
    notes: list[str],
    target: Format,
) -> Judgments:
    """Return the judgments to write: from a study those of the requested assessors, from other input all."""
    from assay.studies.export import EVERYONE, MAIN, MAJORITY, question_records, study_judgments
    from assay.studies.study import is_study, open_study

    path = given.path if isinstance(given, Source) else given
    if isinstance(path, str | os.PathLike) and is_study(path):
        with open_study(path) as study:
            if study.settings.mode != "questions":
                # a format without annotators has one judgment per document, as INEX had
                by = annotators or (EVERYONE if target.writes_labels else MAIN)
                as_sample = target.only_documents and target.writes_strata
                return study_judgments(study, by, documents, target.only_documents, as_sample)
            if annotators == MAJORITY:
                raise UsageError("annotators=majority does not apply to questions; choose from main, union and a name")
            if annotators == MAIN:
                given, annotators = question_records(study, only_main=True), None
    judgments = read.read_judgments(given, format, documents, columns=columns, notes=notes)
    return judgments if annotators is None else of_annotators(judgments, annotators)


def with_pseudonyms(judgments: Judgments) -> Judgments:
    """Return judgments whose annotators are called assessor-1, assessor-2 and so on, in the order of their names."""
    labels = judgments.labels
    if labels is None or labels.annotators is None:
        return judgments
    names = labels.annotators.texts()
    called = {name: f"assessor-{number}" for number, name in enumerate(sorted(set(names) - {""}), 1)} | {"": ""}
    return replace(judgments, labels=labels._replace(annotators=Ids.of([called[name] for name in names])))


def each_document_once(run: Run, duplicates: Duplicates, notes: list[str]) -> Run:
    """Return a run that has each document once per topic; add a note if that leaves rows out."""
    policy = duplicates_in(run, duplicates)
    if policy == "refuse":
        refuse_repeated_documents(run, "retrieved", CHOOSE_ONE)
        return run
    topics, topic_of = numbered_topics(run)
    fewer, _, number = without_repeats(run, topic_of, topics, policy)
    choices = Choices(rules=Rules(duplicates=duplicates))
    notes += sentences_on_counts(OF_RUNS["repeats"], [(run.name, number)], choices)
    return fewer


def reading_notes(table: Table) -> list[str]:
    """Return the notes that Assay made while it read a table."""
    return [f"{table.name}: {note}" for note in table.notes]


# Runs


def check_depth(depth: int | None) -> int | None:
    """Return the number of results to write per topic; raise an error if it is less than 1."""
    if depth is not None and depth < 1:
        raise UsageError(f"depth is {depth}; expected 1 or more")
    return depth


def written_run(
    run: Run, target: Format, documents: DocumentCollection | None, notes: list[str], depth: int | None = None
) -> bytes:
    """Return a run as the content of a file; `depth` is how many results to write per topic, None for all."""
    if not target.writes_runs_of:
        raise cannot_be_written("a run", target, [each.name for each in every_format() if each.writes_runs_of])
    if isinstance(run, SurroundedSpanRun) and (documents is None or not target.may_have_texts):
        run = without_surroundings(run, target, notes)
    run = run_for(run, target, documents, notes)
    if isinstance(run, SpanRun):
        refuse_far_ends(run.end, run.name)
    if run.by_rank and not target.by_rank:
        run = scored_by_rank(run, notes)
    results = order_run(run)[1]
    notes += tie_notes(run, results)
    place = np.arange(len(run)) - np.searchsorted(results.code, results.code)
    kept = results.origin if depth is None else results.origin[place < depth]
    columns = run_columns(run, kept)
    if isinstance(run, SurroundedSpanRun) and documents is not None:
        columns["text"] = surrounded_texts(run, kept, documents)
    return target.run_content(columns, run.name, tag_of(run.name))


def tie_notes(run: Run, results: OrderedResults) -> list[str]:
    """Return a note if tied results are written in another order than the ranks or lines of the input have."""
    as_told = np.arange(len(run)) if run.rank is None else run.rank
    told = as_told[results.origin]
    moved = results.tied[1:] & (told[1:] < told[:-1])
    topics = len(each_once(results.code[1:][moved]))
    if not topics:
        return []
    another = "lines of the file" if run.rank is None else "ranks"
    written = "are broken by document id, as in an evaluation"
    return [f"{run.name}: tied scores in {count_noun(topics, 'topic')} {written}; the {another} have another order"]


def scored_by_rank(run: Run, notes: list[str]) -> Run:
    """Return a run whose scores give the order that its ranks gave.

    In topics where scores and ranks disagree, the scores become -1, -2 and so on.
    """
    (_, results), (_, by_score) = order_run(run), order_run(replace(run, by_rank=False))
    topics = np.unique(results.code[results.origin != by_score.origin])
    if not len(topics):
        return replace(run, by_rank=False)
    what = f"scores and ranks disagree in {count_noun(len(topics), 'topic')}"
    notes.append(f"{run.name}: {what}; Assay wrote scores that follow the ranks")
    place = np.arange(len(run)) - np.searchsorted(results.code, results.code)
    score = run.score[results.origin]
    score = np.where(np.isin(results.code, topics), -1.0 - place, score)
    return replace(run, score=score[np.argsort(results.origin)], by_rank=False)


def cannot_be_written(what: str, target: Format, others: list[str]) -> UsageError:
    """Return the error that a format cannot represent something."""
    return UsageError(f"{what} cannot be written as {target.name}; choose from {', '.join(others)}")


def run_for(run: Run, target: Format, documents: DocumentCollection | None, notes: list[str]) -> Run:
    """Return the run with the columns that a format needs."""
    units = target.writes_runs_of
    if unit_of(run) in units:
        return run
    if units == ("documents",):
        return ranked_documents(run, notes)
    spans = with_spans(run, target, documents)
    return spans if "spans" in units else with_paths(spans, documents, notes)


def unit_of(run: Run) -> Unit:
    """Return whether the results of a run are elements, spans or documents."""
    return "elements" if isinstance(run, ElementRun) else "spans" if isinstance(run, SpanRun) else "documents"


def ranked_documents(run: Run, notes: list[str]) -> Run:
    """Return a run of whole documents, ranked by the first result of each.

    If the run was ordered by rank, the new scores follow the ranks.
    """
    results = order_run(run)[1]
    rows = results.origin[results.first_of]
    score = -np.arange(1.0, len(rows) + 1) if run.by_rank else run.score[rows]
    notes.append(
        f"{run.name}: {len(run):,} parts of documents became {len(rows):,} documents, ranked by their first result"
    )
    return DocumentRun(run.name, run.topic[rows], run.document[rows], score=score)


def with_spans(run: Run, target: Format, documents: DocumentCollection | None) -> SpanRun:
    """Return the run with the offsets of its results; a whole document is [0, length)."""
    if isinstance(run, SpanRun):
        return run
    if isinstance(run, ElementRun):
        raise InputError(f"the run returns elements, and {target.name} needs their offsets; {GIVE_DOCUMENTS}", run.name)
    if documents is None:
        raise InputError(
            f"the run returns whole documents, and {target.name} needs their lengths; {GIVE_DOCUMENTS}", run.name
        )
    return whole_spans(run, documents)


def whole_spans(run: Run, documents: DocumentCollection) -> SpanRun:
    """Return a run of whole documents as a run of spans."""
    return SpanRun(**vars(run), start=np.zeros(len(run), np.int64), end=documents.lengths(run.document.texts()))


def with_paths(run: SpanRun, documents: DocumentCollection | None, notes: list[str]) -> PlacedElementRun:
    """Return the run with the smallest element around each span, which may be larger than the span."""
    if documents is None:
        raise InputError(f"the run returns spans, and Assay needs the elements around them; {GIVE_DOCUMENTS}", run.name)
    names = run.document.texts()
    paths = [documents.path(*row) for row in zip(names, run.start.tolist(), run.end.tolist(), strict=True)]
    start, end = documents.spans(names, paths)
    if larger := int(np.count_nonzero((start != run.start) | (end != run.end))):
        notes.append(
            f"{run.name}: {larger:,} of {len(run):,} results are not elements; "
            "Assay wrote the smallest element around each"
        )
    return PlacedElementRun(**vars(run), path=Ids.of(paths), last=no_ids(len(paths)))


def run_columns(run: Run, order: Ints) -> Columns:
    """Return the columns of a run with its rows in this order."""
    names, starts = run.topic[order].streaks()
    rows = np.diff(starts)
    columns: Columns = {
        "topic": [name for name, number in zip(names, rows.tolist(), strict=True) for _ in range(number)],
        "document": run.document[order].texts(),
        "rank": (np.arange(len(order)) - np.repeat(starts[:-1], rows) + 1).tolist(),
        "score": run.score[order].tolist(),
    }
    if isinstance(run, SpanRun):
        columns |= {"start": run.start[order].tolist(), "end": run.end[order].tolist()}
        columns["length"] = (run.end - run.start)[order].tolist()
    if isinstance(run, ElementRun):
        columns |= {"path": run.path[order].texts(), "last": run.last[order].texts()}
    return columns


def without_surroundings(run: SurroundedSpanRun, target: Format, notes: list[str]) -> Run:
    """Return the run without the text around its passages; a note says so, unless only documents are written."""
    if target.writes_runs_of != ("documents",):
        results = count_noun(int(np.count_nonzero(run.before.length + run.after.length)), "result")
        what = f"{target.name} cannot represent the text around a passage"
        notes.append(f"{run.name}: {what}; Assay left it out of {results}, which changes values")
    return make_run(**vars(run) | {"before": None, "after": None})


def surrounded_texts(run: SurroundedSpanRun, order: Ints, documents: DocumentCollection) -> list[str | None]:
    """Return the whole text of each result that has more text around its passage; the others have None."""
    before, after = run.before[order].texts(), run.after[order].texts()
    names, starts, ends = run.document[order].texts(), run.start[order].tolist(), run.end[order].tolist()
    by_document: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        if before[row] or after[row]:
            by_document.setdefault(id_or_name(name, documents), []).append(row)
    texts: list[str | None] = [None] * len(order)
    for name, text in documents.texts(by_document):
        for row in by_document[name]:
            texts[row] = before[row] + text[starts[row] : ends[row]] + after[row]
    return texts


def tag_of(name: str) -> str:
    """Return the tag of a run: its name, or that of its file without folder and ending."""
    return re.sub(r"\s+", "_", Source(name).stem) or "run"


def refuse_far_ends(ends: Ints, name: str) -> None:
    """Refuse an end with 16 digits, which no reader accepts; an offset and a length of 15 digits can add up to one."""
    if len(ends) and int(ends.max()) >= WHOLE:
        raise InputError(f"a text ends at offset {int(ends.max())}; expected at most 15 digits", name)


# Judgments


def written_judgments(
    judgments: Judgments, target: Format, documents: DocumentCollection | None, notes: list[str]
) -> bytes:
    """Return judgments as the content of a file."""
    if not target.writes_judgments:
        raise cannot_be_written("judgments", target, [each.name for each in every_format() if each.writes_judgments])
    if isinstance(judgments, ElementJudgments) and not isinstance(judgments, HighlightJudgments):
        what = f"these judgments are grades of elements, which {target.name} cannot represent"
        raise InputError(what, judgments.name)
    if judgments.labels is not None and not target.writes_labels:
        what = "cannot represent sets of evidence or annotators; Assay wrote all evidence as one set"
        notes.append(f"{judgments.name}: {target.name} {what}")
    if isinstance(judgments, HighlightJudgments):
        if judgments.facts is not None and not target.writes_labels:
            notes.append(f"{judgments.name}: {target.name} cannot represent facts; Assay left them out")
        if target.only_documents:
            without = "cannot represent highlighted text; Assay wrote the grades of documents"
            notes.append(f"{judgments.name}: {target.name} {without}")
        refuse_far_ends(judgments.highlights.end, judgments.name)
    if isinstance(judgments, SubtopicJudgments) and not target.writes_subtopics:
        notes.append(f"{judgments.name}: {target.name} cannot represent subtopics; Assay left them out")
    if isinstance(judgments, SampleJudgments) and not target.writes_strata:
        notes.append(f"{judgments.name}: {target.name} cannot represent the strata of a sample; Assay left them out")
    if judgments.unanswerable and not target.writes_unanswerable:
        questions = count_noun(len(judgments.unanswerable), "question")
        what = "cannot mark questions as having no answer"
        notes.append(f"{judgments.name}: {target.name} {what}; Assay left out {questions}")
    if isinstance(judgments, HighlightJudgments) and not target.writes_irrelevant:
        _, topics = judgments.topic.number()
        lost = len(np.unique(topics)) - len(np.unique(topics[judgments.grade >= 1]))
        if lost:
            what = "cannot represent topics with nothing relevant"
            left_out = f"Assay left out {count_noun(lost, 'topic')}, which changes means"
            notes.append(f"{judgments.name}: {target.name} {what}; {left_out}")
    content = target.judgments_content(judgments, documents)
    if not content:
        raise nothing_relevant(judgments.name, target.name)
    return content
