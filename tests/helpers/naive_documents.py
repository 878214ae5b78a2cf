"""Runs of whole documents evaluated a second time, naively: topic by topic, rank by rank, as the definitions read.

It shares nothing with Assay but the names of the measures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

Grades = dict[str, int]


class Refused(Exception):
    """A file that must be refused, and what a message about it begins with."""


@dataclass(frozen=True)
class Result:
    """A line of a run."""

    document: str
    rank: int
    score: float
    line: int


def rows_of(text: str, name: str, width: int) -> list[tuple[int, list[str]]]:
    """The fields of each line that is not empty, with its number."""
    rows = [(number, line.split()) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not rows:
        raise Refused(f"{name}: the input is empty")
    for number, fields in rows:
        if len(fields) < width:
            raise Refused(f"{name}:{number}: expected {width} fields")
    return rows


def read(text: str, name: str, is_run: bool) -> dict[str, dict[str, Result]]:
    """What stands in a file for each topic and document; of judgments the grade is the score."""
    topics: dict[str, dict[str, Result]] = {}
    twice = []
    for number, fields in rows_of(text, name, 6 if is_run else 4):
        topic, _, document, fourth = fields[:4]
        here = topics.setdefault(topic, {})
        if document in here:
            verb, first = "retrieved" if is_run else "judged", here[document].line
            twice.append(
                f"{name}:{number}: document {document} is {verb} twice for topic {topic} (first on line {first})"
            )
            continue
        here[document] = Result(document, int(fourth), float(fields[4] if is_run else fourth), number)
    if twice:
        raise Refused(twice[0])
    return topics


def order(results: list[Result], ties: str) -> list[str]:
    """The documents, best first: of equal scores the greater id, the smaller rank, or what stands first."""
    if ties == "docno":
        results = sorted(results, key=lambda result: result.document.encode(), reverse=True)
    elif ties == "rank":
        results = sorted(results, key=lambda result: result.rank)
    return [result.document for result in sorted(results, key=lambda result: -result.score)]


def values(ranking: list[str], grades: Grades) -> dict[str, float]:
    """The measures of a topic."""
    gains = [max(grades.get(document, 0), 0) for document in ranking]
    hits = [gain > 0 for gain in gains]
    relevant = sum(grade > 0 for grade in grades.values())
    nonrelevant = sum(grade == 0 for grade in grades.values())
    first = hits.index(True) + 1 if any(hits) else 0

    def precision(k: int) -> float:
        return sum(hits[:k]) / k

    def dcg(amounts: list[int]) -> float:
        return sum(amount / math.log2(rank + 1) for rank, amount in enumerate(amounts, 1))

    def share(part: float, whole: float) -> float:
        return part / whole if whole else 0.0

    preferred, wrong = 0.0, 0
    for document in ranking:
        grade = grades.get(document, -1)
        if grade > 0:
            preferred += 1 - min(wrong, relevant) / min(relevant, nonrelevant) if wrong else 1
        wrong += grade == 0
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    return {
        "AP": share(sum(precision(rank) for rank, hit in enumerate(hits, 1) if hit), relevant),
        "RR": 1 / first if first else 0.0,
        "P@3": precision(3),
        "R@3": share(sum(hits[:3]), relevant),
        "Rprec": share(sum(hits[:relevant]), relevant),
        "Success@2": float(any(hits[:2])),
        "nDCG": share(dcg(gains), dcg(ideal)),
        "nDCG@5": share(dcg(gains[:5]), dcg(ideal[:5])),
        "bpref": share(preferred, relevant),
        "Judged@4": share(
            sum(document in grades and grades[document] >= 0 for document in ranking[:4]), min(4, len(ranking))
        ),
        "NumRet": len(ranking),
        "NumRelRet": sum(hits),
        "NumRel": relevant,
    }


def evaluated(
    judgments: str, run: str, *, ties: str, topics: str, depth: int | None, judged_only: bool
) -> dict[str, dict[str, float]]:
    """The measures of each topic that counts."""
    judged = read(judgments, "judgments", is_run=False)
    returned = read(run, "run", is_run=True)
    if not judged.keys() & returned.keys():
        raise Refused("run and judgments share no topic")
    if topics == "error" and judged.keys() != returned.keys():
        raise Refused("the topics of run and judgments differ: ")
    scored: dict[str, dict[str, float]] = {}
    for topic, there in judged.items():
        grades = {document: int(result.score) for document, result in there.items()}
        if (topics == "common" and topic not in returned) or (topics == "relevant" and max(grades.values()) <= 0):
            continue
        ranking = order(list(returned.get(topic, {}).values()), ties)[:depth]
        if judged_only:
            ranking = [document for document in ranking if grades.get(document, -1) >= 0]
        scored[topic] = values(ranking, grades)
    return scored
