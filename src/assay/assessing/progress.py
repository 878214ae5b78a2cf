"""The progress of a study as organisers see it, disagreements and agreement; and the gold file of questions."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import combinations
from typing import Any

from assay.assessing.search import RANKING
from assay.comparing.agreement import agreement
from assay.documents.lookup import Documents
from assay.errors import InputError
from assay.files.writing import refuse_unwritable, write
from assay.studies.export import question_records, study_judgments
from assay.studies.strokes import Passage
from assay.studies.study import JudgedDocument, Study


def progress(study: Study) -> list[dict[str, Any]]:
    """Return the progress of each person: how many documents they have, how many are done or relevant, and the time."""
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
    """Return documents that several people have done and do not agree on, least agreement first."""
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
    """Return F1 of the characters that two people highlighted; 1 if neither highlighted any."""
    sizes = [sum(passage.end - passage.start for passage in passages) for passages in (one, other)]
    shared = sum(max(0, min(a.end, b.end) - max(a.start, b.start)) for a in one for b in other)
    return 2 * shared / sum(sizes) if sum(sizes) else 1.0


def agreement_figures(study: Study) -> list[dict[str, Any]]:
    """Return the agreement over all pairs of assessors, for the organiser's page; empty if nobody judged the same."""
    try:
        judged = study_judgments(study)
        if judged.labels is None:
            return []
        alike = agreement(judged)
    except InputError:
        return []
    figures = zip(alike.header[2:], alike.rows()[-1][2:], strict=True)
    return [{"name": name, "value": round(value, 4)} for name, value in figures if value is not None and value == value]


# The gold of a study of questions: a JSON line for each piece of evidence, written again after every stroke.


def gold_rows(study: Study, documents: Documents, names: bool = True) -> Iterator[dict[str, Any]]:
    """Yield the evidence that people found for all questions, then the questions that have no answer.

    Evidence is in the order of questions, documents and offsets. Without `names` people are called assessor-1,
    assessor-2 and so on.
    """
    called = {one.name: one.name if names else f"assessor-{n}" for n, one in enumerate(study.assessors(), 1)}
    for record in question_records(study):
        record["annotator"] = called[record["annotator"]]
        if "text" in record:
            # a study that an older Assay made may not have the text
            text = record["text"] or documents.text(record["doc_id"])[record["start"] : record["end"]]
            record |= {"text": text, "search": RANKING}
        yield record


class GoldFile:
    """The gold file of a study; it never overwrites a file that this study did not write."""

    def __init__(self, study: Study, documents: Documents, path: str):
        self.study, self.documents, self.path = study, documents, path
        refuse_unwritable(path)
        # digests of the last two versions: if the process ends while it writes, the file may still be the older one
        self._digests: list[str] = json.loads(study.setting("gold") or "[]")
        if os.path.exists(path) and self._digest_of_file() not in self._digests:
            what = "this study did not write the file, or someone changed it since"
            raise InputError(f"{what}; choose another output", path)

    def _digest_of_file(self) -> str:
        with open(self.path, "rb") as file:
            return sha256(file.read()).hexdigest()

    def write(self) -> None:
        """Write the present gold, whole or not at all."""
        rows = gold_rows(self.study, self.documents)
        content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
        digest = sha256(content).hexdigest()
        if digest not in self._digests[-1:] or not os.path.exists(self.path):
            self._digests = [*self._digests[-1:], digest]
            self.study.set("gold", json.dumps(self._digests))
            write(self.path, content)
