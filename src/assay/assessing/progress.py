"""What organisers see: progress, time, where people disagree, and who may still judge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from assay.comparing.agreement import agreement
from assay.errors import InputError
from assay.studies.export import study_judgments
from assay.studies.strokes import Passage
from assay.studies.study import JudgedDocument, Study


def progress(study: Study) -> list[dict[str, Any]]:
    """How far each person is: documents done of all, relevant ones, and time."""
    found: dict[str, dict[str, Any]] = {
        one.name: {
            "name": one.name, "role": one.role, "revoked": one.revoked, "expires": one.expires,
            "documents": 0, "done": 0, "begun": 0, "relevant": 0, "seconds": 0.0,
        }
        for one in study.assessors()
    }  # fmt: skip
    for one in study.assignments():
        if one.document is not None:
            person = found[one.assessor]
            person["documents"] += 1
            person["done"] += one.state == "done"
            person["begun"] += one.state in ("highlighting", "assessing")
            person["relevant"] += one.relevant
            person["seconds"] += one.seconds
    return list(found.values())


def disagreements(study: Study) -> list[dict[str, Any]]:
    """Documents that several people have done and do not agree on, the least agreement first."""
    by_task: defaultdict[int, list[JudgedDocument]] = defaultdict(list)
    for judged in study.judgments():
        if judged.state == "done" and judged.role == "assessor" and judged.document is not None:
            by_task[judged.task].append(judged)
    decided = {one.task for one in study.assignments() if one.role == "organiser" and one.main and one.state == "done"}
    rows = []
    for task, several in by_task.items():
        pairs = [
            shared_f1(one.judgment.passages, other.judgment.passages) for one, other in combinations(several, 2)
        ]
        same_grades = len({judged.judgment.grade for judged in several}) == 1
        if pairs and (min(pairs) < 1 or not same_grades):
            people = [
                {"name": one.assessor, "grade": one.judgment.grade, "passages": len(one.judgment.passages)}
                for one in several
            ]
            row = {"topic": several[0].topic, "document": several[0].document, "people": people}
            rows.append(row | {"f1": sum(pairs) / len(pairs), "decided": task in decided})
    return sorted(rows, key=lambda row: (row["decided"], row["f1"], row["topic"], row["document"]))


def shared_f1(one: Sequence[Passage], other: Sequence[Passage]) -> float:
    """F1 of the characters that two people highlighted; 1 if neither highlighted any."""
    sizes = [sum(passage.end - passage.start for passage in passages) for passages in (one, other)]
    shared = sum(max(0, min(a.end, b.end) - max(a.start, b.start)) for a in one for b in other)
    return 2 * shared / sum(sizes) if sum(sizes) else 1.0


def agreement_figures(study: Study) -> list[dict[str, Any]]:
    """Figures of agreement for the organiser's page, over all pairs of assessors; none if nobody judged the same."""
    try:
        judged = study_judgments(study)
        if judged.labels is None:
            return []
        alike = agreement(judged)
    except InputError:
        return []
    figures = zip(alike.header[2:], alike.rows()[-1][2:], strict=True)
    return [{"name": name, "value": round(value, 4)} for name, value in figures if value is not None and value == value]
