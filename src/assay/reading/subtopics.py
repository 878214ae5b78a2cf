"""Turn rows of judgments that give a subtopic into judgments with one row per document.

In the qrels of TREC's diversity tasks the second field is the subtopic; in all other qrels it means nothing. Assay
reads it as the subtopic in two cases: if a document has several values within a topic, which is a fault in all other
qrels, or if the user asks for a measure that needs subtopics. A note says so. If Assay ignores a field that has several
values, a note says that too, because these may be the judgments of a diversity task in which every document has one
subtopic.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.errors import count_noun
from assay.tables.ids import Grades, Ids
from assay.tables.judgments import DocumentJudgments, Judgments, SubtopicJudgments, Subtopics, by_document
from assay.tables.run import Table


def judged_by_subtopic(rows: Table, grade: Grades, subtopic: Ids) -> SubtopicJudgments:
    """Return judgments whose rows grade a document for a subtopic; the document's own grade is the highest of them."""
    first, group = by_document(rows.topic, rows.document)
    highest = grade[first]
    np.maximum.at(highest, group, grade)
    told = Subtopics(group, np.full(len(rows), -1), grade, subtopic)
    topic, document = rows.topic[first], rows.document[first]
    return SubtopicJudgments(rows.name, topic, document, rows.places, rows.notes, grade=highest, subtopics=told)


def of_iterations(rows: Table, grade: Grades, iteration: Ids, asked: bool, field: str) -> Judgments:
    """Return judgments with a field that may be the subtopic; `asked`: a measure needs subtopics."""
    if are_alike(iteration):
        return DocumentJudgments(**vars(rows), grade=grade)
    first, group = by_document(rows.topic, rows.document)
    again = np.flatnonzero(~iteration.same(iteration[first[group]]))
    if not asked and not len(again):
        return DocumentJudgments(**vars(replace(rows, notes=(*rows.notes, left_out(field)))), grade=grade)
    note = taken_for_subtopic(field, len(np.unique(group[again])))
    return judged_by_subtopic(replace(rows, notes=(*rows.notes, note)), grade, iteration)


def taken_for_subtopic(field: str, several: int) -> str:
    """Return the note that a field is read as the subtopic; `several` documents have more than one in a topic."""
    why = f", because {count_noun(several, 'document')} {'has' if several == 1 else 'have'} several of them in a topic"
    return f"Assay reads {field} as the subtopic{why if several else ''}"


def left_out(field: str) -> str:
    """Return the note that a field which could be the subtopic is ignored."""
    what = f"{field} has several values, which Assay ignores"
    return f"{what}; if it is the subtopic, choose a diversity measure such as alpha_nDCG"


def are_alike(ids: Ids) -> bool:
    """Return whether all ids of a column are the same."""
    return len(ids.breaks()) <= 2
