"""Inferred measures of a stratified sample, one result after the other."""

import math
from collections import Counter

TINY = 1e-5


def strata_of(judged):
    """The number of documents of each stratum, and of those judged; `judged` has (stratum, grade) by document."""
    return Counter(stratum for stratum, _ in judged.values()), Counter(s for s, grade in judged.values() if grade >= 0)


def counts(results, judged, rel):
    """Of some results the number in each stratum, of those judged, and of those relevant."""
    inside = [judged[document] for document in results if document in judged]
    known = [(stratum, grade) for stratum, grade in inside if grade >= 0]
    return (
        Counter(stratum for stratum, _ in inside),
        Counter(stratum for stratum, _ in known),
        Counter(stratum for stratum, grade in known if grade >= rel),
    )


def relevant_number(results, judged, rel):
    """How many of some results are relevant, estimated stratum by stratum."""
    inside, known, good = counts(results, judged, rel)
    return sum(number * (good[s] + TINY) / (known[s] + 3 * TINY) for s, number in inside.items())


def inferred_precision(ranking, judged, k=None, rel=1):
    depth = len(ranking) if k is None else k
    return relevant_number(ranking[:k], judged, rel) / depth if depth else 0


def inferred_ap(ranking, judged, rel=1):
    size, known = strata_of(judged)
    good = Counter(stratum for stratum, grade in judged.values() if grade >= rel)
    estimate = {stratum: good[stratum] * size[stratum] / known[stratum] for stratum in good}
    total = sum(estimate.values())
    value = 0
    for rank, document in enumerate(ranking, 1):
        stratum, grade = judged.get(document, ("", -1))
        if grade >= rel:
            precision = (1 + relevant_number(ranking[: rank - 1], judged, rel)) / rank
            value += estimate[stratum] / total * precision / good[stratum]
    return value


def statistical_ap(ranking, judged, rel=1):
    size, known = strata_of(judged)
    chance = {document: known[s] / size[s] for document, (s, grade) in judged.items() if grade >= rel}
    relevant = sum(1 / pi for pi in chance.values())
    seen = gained = 0
    for rank, document in enumerate(ranking, 1):
        if document in chance:
            gained += (1 + seen) / rank / chance[document]
            seen += 1 / chance[document]
    return gained / relevant if relevant else 0


def inferred_ndcg(ranking, judged, k=None):
    size, known = strata_of(judged)
    inside, seen, _ = counts(ranking[:k], judged, 1)
    gained = Counter()
    for rank, document in enumerate(ranking[:k], 1):
        stratum, grade = judged.get(document, ("", -1))
        gained[stratum] += max(grade, 0) / math.log2(rank + 1)
    dcg = sum(inside[stratum] * gained[stratum] / seen[stratum] for stratum in seen)
    by_grade = Counter()
    for stratum, grade in judged.values():
        by_grade[grade] += size[stratum] / known[stratum] if grade > 0 else 0
    ideal = [grade for grade in sorted(by_grade, reverse=True) for _ in range(math.floor(by_grade[grade] + 0.5))]
    best = sum(grade / math.log2(rank + 1) for rank, grade in enumerate(ideal[:k], 1))
    return dcg / best if best else 0
