"""Export judgments from a study as a table: those of one assessor, of the majority, or of all together.

Only documents that are done count; for questions all evidence counts. A program never counts as a person.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import median_low
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, count_noun, list_names
from assay.studies.strokes import LEVELS, Element, Judgment, Passage, highlight
from assay.studies.study import JudgedDocument, Study
from assay.tables import judgments as tables
from assay.tables.ids import Ids

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

# Whose judgments count; any other word is the name of an assessor.
EVERYONE, MAIN, MAJORITY, UNION = "everyone", "main", "majority", "union"
# Words that only a study understands; its judgments then have this word as their only annotator.
DECIDED = (MAIN, MAJORITY)
# The number for an element that is too small, as in INEX 2005.
TOO_SMALL = -1
SEVERAL = "several people judged some documents; these are the judgments of the main assessor of each"


def study_judgments(
    study: Study,
    by: str = EVERYONE,
    documents: DocumentCollection | None = None,
    only_grades: bool = False,
    as_sample: bool = False,
    as_annotator: bool = False,
) -> tables.Judgments:
    """Return the judgments of a study.

    by: main (one assessor for each document, as in INEX), majority (a character counts if more than half of the
    assessors of the document marked it, a grade is their median), union, the name of an assessor, or everyone: then
    each assessor is an annotator with their own judgments. documents: needed to look up the elements of exhaustivity.
    only_grades: if people gave grades, return only these, also for a study with highlighted text. as_sample: for a pool
    with strata, return the grades with their strata; a document has only one judgment there, so everyone means main.
    as_annotator: make `by` the annotator of the judgments.
    """
    as_sample = as_sample and has_strata(study)
    settings = study.settings
    only_grades = settings.mode == "grades" or (bool(settings.grades) and (only_grades or as_sample))
    by = MAIN if as_sample and by == EVERYONE else by
    if documents is not None:
        study.elements_of = lambda document: text_elements(document, documents)
    finished = [each for each in study.judgments() if each.state == "done" and each.role != "program"]
    # in the order in which documents were added, so that judgments that a study started from keep their order
    done = sorted(finished, key=lambda each: (each.task, each.id))
    if not done:
        raise InputError("no finished judgments; a document counts once an assessor has marked it as done", study.path)
    by_document: dict[tuple[str, str], list[JudgedDocument]] = {}
    for each in done:
        if each.document is not None:
            by_document.setdefault((each.topic, each.document), []).append(each)
    several = any(len(judged) > 1 for judged in by_document.values())
    # only a table with annotators says who saw suggestions of a program
    if by == EVERYONE and (several or any(each.assisted for each in done)):
        elements_from = None if several else documents
        return with_notes(study, table_of(study, by_document, elements_from, only_grades, with_annotators=True))
    chosen = {pair: one for pair, judged in by_document.items() if (one := decide(judged, by, study.path))}
    if not chosen:
        names = list_names(sorted({each.assessor for each in done}))
        raise InputError(f"no finished judgments by {by!r}; choose from {names}", study.path)
    of_one = {pair: [replace(one, assessor=by) if as_annotator else one] for pair, one in chosen.items()}
    table = table_of(study, of_one, documents, only_grades, with_annotators=as_annotator, as_sample=as_sample)
    told = (SEVERAL,) if several and by == MAIN else ()
    return with_notes(study, table, told)


def has_strata(study: Study) -> bool:
    """Return whether the pool of a study is a sample of strata."""
    return any("strata" in pool for pool in study.pools())


def question_records(study: Study, only_main: bool = False) -> list[dict[str, Any]]:
    """Return what people found for questions, as records of gold.

    Each record is evidence with its fact, or a question without an answer: someone said so, and nobody found evidence.
    """
    evidence: list[dict[str, Any]] = []
    without: list[dict[str, Any]] = []
    for judged in study.judgments():
        if judged.role == "program" or (only_main and not judged.main):
            continue
        question, who = {"query_id": judged.topic}, {"annotator": judged.assessor}
        if judged.judgment.no_answer:
            without.append({**question, "no_answer": True, **who})
        for (start, end, fact), text in zip(judged.judgment.passages, study.passage_texts(judged), strict=True):
            passage = {"doc_id": judged.document, "start": start, "end": end, "text": text, "fact": fact}
            evidence.append({**question, **passage, **who, "assisted": judged.assisted})
    answered = {record["query_id"] for record in evidence}
    return [*evidence, *(record for record in without if record["query_id"] not in answered)]


def decide(judged: Sequence[JudgedDocument], by: str, path: str) -> JudgedDocument | None:
    """Return the judgment of a document that counts; None if it has none by that assessor."""
    if by in (MAJORITY, UNION):
        return JudgedDocument(**{**vars(judged[0]), "judgment": together([each.judgment for each in judged], by)})
    if by not in (MAIN, EVERYONE):
        return next((each for each in judged if each.assessor == by), None)
    main = [each for each in judged if each.main] or list(judged)
    if len(main) > 1:
        who = list_names([each.assessor for each in main])
        what = f"document {main[0].document} of topic {main[0].topic} has judgments by {who}, and no main assessor"
        raise InputError(f"{what}; choose from majority, union and a name", path)
    return main[0]


def together(judgments: Sequence[Judgment], by: str) -> Judgment:
    """Combine several judgments of a document by majority or union."""
    need = 1 if by == UNION else len(judgments) // 2 + 1
    facts = sorted({passage.fact for judgment in judgments for passage in judgment.passages})
    passages = [each for fact in facts for each in marked_by(judgments, fact, need)]
    entries = sorted(judgment.entry for judgment in judgments if judgment.entry is not None)
    grades = [judgment.grade for judgment in judgments if judgment.grade is not None]
    paths = sorted({path for judgment in judgments for path in judgment.exhaustivity})
    said = {path: [one.exhaustivity[path] for one in judgments if path in one.exhaustivity] for path in paths}
    levels = {path: LEVELS[median_low(map(LEVELS.index, each))] for path, each in said.items()}
    return Judgment(
        passages=tuple(passages),
        entry=(entries[0] if by == UNION else median_low(entries)) if entries and passages else None,
        grade=(max(grades) if by == UNION else median_low(grades)) if grades else None,
        exhaustivity=levels,
        no_answer=sum(judgment.no_answer for judgment in judgments) >= need,
        state="done",
    )


def marked_by(judgments: Sequence[Judgment], fact: str, need: int) -> Iterable[Passage]:
    """Return the passages of a fact that at least this many of the judgments mark."""
    steps: dict[int, int] = {}
    for judgment in judgments:
        for passage in judgment.passages:
            if passage.fact == fact:
                steps[passage.start] = steps.get(passage.start, 0) + 1
                steps[passage.end] = steps.get(passage.end, 0) - 1
    marks = begin = 0
    passages: tuple[Passage, ...] = ()
    for place in sorted(steps):
        before, marks = marks, marks + steps[place]
        if before < need <= marks:
            begin = place
        elif before >= need > marks:
            passages = highlight(passages, Passage(begin, place, fact))
    return passages


@dataclass
class JudgedColumns:
    """The columns of judgments while they are collected."""

    topic: list[str] = field(default_factory=list)
    document: list[str] = field(default_factory=list)
    grade: list[int] = field(default_factory=list)
    stratum: list[str] = field(default_factory=list)
    spans: list[tuple[int, int, int]] = field(default_factory=list)
    length: list[int] = field(default_factory=list)
    entry: list[int] = field(default_factory=list)
    labels: list[tuple[int, int, int, str, int, bool]] = field(default_factory=list)
    elements: list[tuple[int, str, int, float, int]] = field(default_factory=list)


def table_of(
    study: Study,
    by_document: dict[tuple[str, str], list[JudgedDocument]],
    documents: DocumentCollection | None,
    only_grades: bool,
    with_annotators: bool,
    as_sample: bool = False,
) -> tables.Judgments:
    """Return judged documents as a table."""
    columns = JudgedColumns()
    for (topic, document), judged in by_document.items():
        row = len(columns.topic)
        for each in judged:
            grade = grade_of(each.judgment, only_grades)
            # an annotator who marked nothing still gets a row, without a span
            passages = () if only_grades else each.judgment.passages
            spans = [(row, passage.start, passage.end) for passage in passages]
            numbers = [len(columns.spans) + number for number in range(len(spans))] or [-1]
            entry = -1 if each.judgment.entry is None else each.judgment.entry
            columns.labels += [(row, number, grade, each.assessor, entry, each.assisted) for number in numbers]
            columns.spans += spans
        first = judged[0]
        columns.topic.append(topic)
        columns.document.append(document)
        columns.grade.append(max(grade_of(each.judgment, only_grades) for each in judged))
        columns.stratum.append(first.stratum or "1")
        columns.length.append(first.length)
        columns.entry.append(next((each.judgment.entry for each in judged if each.judgment.entry is not None), -1))
        if study.settings.mode == "exhaustivity" and documents is not None:
            columns.elements += assessed_elements(row, first, documents)
    if as_sample or (study.settings.mode == "grades" and not with_annotators and has_strata(study)):
        return sampled_table(study, columns)
    return judgments_table(study, columns, only_grades, with_annotators)


def grade_of(judgment: Judgment, only_grades: bool) -> int:
    """Return the grade of a document: the one that was given, or with highlighted text 1 if there is any."""
    return judgment.grade or 0 if only_grades else int(bool(judgment.passages))


def judgments_table(study: Study, columns: JudgedColumns, only_grades: bool, with_annotators: bool) -> tables.Judgments:
    """Make the table from its columns."""
    names = study.path, Ids.of(columns.topic), Ids.of(columns.document)
    grade = np.array(columns.grade, np.int64)
    labels = None
    if with_annotators:
        row, span, grades, annotators, entries, assisted = zip(*columns.labels, strict=True)
        rows, spans_of, grades_of, entry_of = (np.array(each, np.int64) for each in (row, span, grades, entries))
        labels = tables.Labels(rows, spans_of, grades_of, None, Ids.of(annotators), entry_of, np.array(assisted, bool))
    if only_grades:
        return tables.DocumentJudgments(*names, grade=grade, labels=labels)
    spans = np.array(columns.spans, np.int64).reshape(-1, 3)
    length, entry = np.array(columns.length, np.int64), np.array(columns.entry, np.int64)
    highlights = tables.Highlights(spans[:, 0], spans[:, 1], spans[:, 2], length, entry, np.full(len(grade), -1))
    return tables.make_judgments(
        *names, grade=grade, labels=labels, highlights=highlights, elements=elements_table(columns.elements)
    )


def elements_table(assessed: list[tuple[int, str, int, float, int]]) -> tables.AssessedElements | None:
    """Return assessed elements as a table; None if there are none."""
    if not assessed:
        return None
    row, path, exhaustivity, specificity, size = zip(*assessed, strict=True)
    return tables.AssessedElements(
        np.array(row, np.int64), list(path), np.array(exhaustivity, np.int64), np.array(specificity, np.float64),
        np.array(size, np.int64), "2005",
    )  # fmt: skip


def assessed_elements(
    row: int, judged: JudgedDocument, documents: DocumentCollection
) -> Iterable[tuple[int, str, int, float, int]]:
    """Yield each element that overlaps a passage: row, path, exhaustivity, specificity (rsize / size) and size."""
    assert judged.document is not None
    spans = [(passage.start, passage.end) for passage in judged.judgment.passages]
    for path, size, rsize in touched_elements(judged.document, spans, documents):
        level = judged.judgment.exhaustivity.get(path, "2")
        yield row, path, TOO_SMALL if level == "?" else int(level), rsize / size, size


def text_elements(document: str, documents: DocumentCollection) -> list[Element]:
    """Return the elements of a document with text, in document order."""
    found = documents.elements(document)
    spans = zip(found.paths, found.start.tolist(), found.end.tolist(), strict=True)
    return [Element(path, start, end) for path, start, end in spans if end > start]


def touched_elements(
    document: str, spans: Sequence[tuple[int, int]], documents: DocumentCollection
) -> Iterable[tuple[str, int, int]]:
    """Yield the path, size and highlighted size of each element that overlaps a span, in document order."""
    for path, start, end in text_elements(document, documents):
        rsize = sum(max(0, min(end, last) - max(start, first)) for first, last in spans)
        if rsize:
            yield path, end - start, rsize


def sampled_table(study: Study, columns: JudgedColumns) -> tables.SampleJudgments:
    """Return grades with their strata; documents that were not drawn, or are not done, have grade -1."""
    judged = dict(zip(zip(columns.topic, columns.document, strict=True), columns.grade, strict=True))
    # documents that were judged outside the pool belong to no stratum
    rows = [
        (task.topic, task.document, task.stratum or "1", judged.get((task.topic, task.document), -1))
        for task in study.tasks()
        if task.in_pool and task.document is not None
    ]
    for pool in study.pools():
        rows += [(*row, -1) for row in pool.get("undrawn", ())]
    topics, documents, strata, grades = zip(*rows, strict=True)
    names = study.path, Ids.of(topics), Ids.of(documents)
    return tables.SampleJudgments(*names, grade=np.array(grades, np.int64), strata=Ids.of(strata))


def with_notes(study: Study, judgments: tables.Judgments, further: tuple[str, ...] = ()) -> tables.Judgments:
    """Add notes to judgments: documents that are not done yet, and what is left out."""
    states = [each.state for each in study.assignments() if each.role != "program"]
    notes = []
    if left := sum(state != "done" for state in states):
        notes.append(f"{left:,} of {count_noun(len(states), 'document')} not done yet; they do not count")
    if study.settings.grades and isinstance(judgments, tables.HighlightJudgments):
        remedy = "`assay convert --to trec` writes them"
        notes.append(f"the grades of documents do not count beside highlighted text; {remedy}")
    if has_strata(study) and not isinstance(judgments, tables.SampleJudgments):
        notes.append("only a sample of the pool was judged; xinfAP and infNDCG estimate their values from it")
    return replace(judgments, notes=(*notes, *further))
