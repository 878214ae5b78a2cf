"""Rows of judgments that give a subtopic -> judgments, one row per document.

The second field of TREC's qrels is the subtopic in those of its diversity tasks, and in all others means nothing. So it
is taken for the subtopic where a document is in a topic with several, which is a fault in all other qrels, or where
a measure that needs subtopics is asked for; and that is noted. If it differs and is taken for nothing, that is noted
too: these may be the judgments of a diversity task in which every document has one subtopic.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.errors import count_noun
from assay.tables.ids import Grades, Ids
from assay.tables.judgments import DocumentJudgments, Judgments, SubtopicJudgments, Subtopics, by_document
from assay.tables.run import Table


def judged_by_subtopic(rows: Table, grade: Grades, subtopic: Ids) -> SubtopicJudgments:
    """Judgments of which each row gives the grade of a document for a subtopic; the highest is that of the document."""
    first, group = by_document(rows.topic, rows.document)
    highest = grade[first]
    np.maximum.at(highest, group, grade)
    told = Subtopics(group, np.full(len(rows), -1), grade, subtopic)
    topic, document = rows.topic[first], rows.document[first]
    return SubtopicJudgments(rows.name, topic, document, rows.places, rows.notes, grade=highest, subtopics=told)


def of_iterations(rows: Table, grade: Grades, iteration: Ids, asked: bool, field: str) -> Judgments:
    """Judgments with a field that may be the subtopic; `asked` says that a measure needs subtopics."""
    if are_alike(iteration):
        return DocumentJudgments(**vars(rows), grade=grade)
    first, group = by_document(rows.topic, rows.document)
    again = np.flatnonzero(~iteration.same(iteration[first[group]]))
    if not asked and not len(again):
        return DocumentJudgments(**vars(replace(rows, notes=(*rows.notes, left_out(field)))), grade=grade)
    note = taken_for_subtopic(field, len(np.unique(group[again])))
    return judged_by_subtopic(replace(rows, notes=(*rows.notes, note)), grade, iteration)


def taken_for_subtopic(field: str, several: int) -> str:
    """The note on a field that is taken for the subtopic, where this many documents are in a topic with several."""
    why = f", because {count_noun(several, 'document')} {'has' if several == 1 else 'have'} several of them in a topic"
    return f"Assay reads {field} as the subtopic{why if several else ''}"


def left_out(field: str) -> str:
    """The note on a field that could be the subtopic, and is not taken for it."""
    what = f"{field} has several values, which Assay ignores"
    return f"{what}; if it is the subtopic, choose a diversity measure such as alpha_nDCG"


def are_alike(ids: Ids) -> bool:
    """Whether all ids of a column are the same."""
    return len(ids.breaks()) <= 2
