"""Measures of novelty and diversity, computed one document after the other, from their formulas."""

import math
from collections import Counter


def log2(rank):
    return 1 / math.log2(rank + 1)


def reciprocal(rank):
    return 1 / rank


def subtopics_of(judged, rel):
    """{document: the subtopics it is relevant to} and the number of subtopics, of rows (document, subtopic, grade)."""
    relevant = {}
    for document, subtopic, grade in judged:
        if grade >= rel:
            relevant.setdefault(document, set()).add(subtopic)
    return relevant, len(set().union(*relevant.values())) if relevant else 0


def gains(ranking, relevant, alpha):
    """What each document of a ranking adds."""
    met, added = Counter(), []
    for document in ranking:
        own = relevant.get(document, ())
        added.append(sum((1 - alpha) ** met[subtopic] for subtopic in own))
        met.update(own)
    return added


def ideal(relevant, alpha):
    """The relevant documents, next always the one that adds the most, of equal ones the one with the last id."""
    order, left = [], set(relevant)
    while left:
        worth = {document: round(gains([*order, document], relevant, alpha)[-1], 10) for document in left}
        order.append(max(left, key=lambda document: (worth[document], document.encode())))
        left.remove(order[-1])
    return order


def cumulated(ranking, relevant, alpha, weight, k):
    added = gains(ranking, relevant, alpha)[:k]
    return sum(gain * weight(rank) for rank, gain in enumerate(added, 1))


def normalised(ranking, judged, rel, alpha, weight, k):
    relevant, number = subtopics_of(judged, rel)
    depth = len(ranking) if k is None else k
    best = number * sum((1 - alpha) ** (rank - 1) * weight(rank) for rank in range(1, depth + 1))
    return cumulated(ranking, relevant, alpha, weight, k) / best if best else 0


def share_of_ideal(ranking, judged, rel, alpha, weight, k):
    relevant, _ = subtopics_of(judged, rel)
    best = cumulated(ideal(relevant, alpha), relevant, alpha, weight, k)
    return cumulated(ranking, relevant, alpha, weight, k) / best if best else 0


def nrbp(ranking, judged, rel, alpha, beta):
    relevant, number = subtopics_of(judged, rel)
    gained = cumulated(ranking, relevant, alpha, lambda rank: beta ** (rank - 1), None)
    return (1 - (1 - alpha) * beta) * gained / number if number else 0


def for_each_subtopic(ranking, judged, rel, value):
    """The mean over subtopics of a function of the relevant documents and the ranking."""
    relevant, number = subtopics_of(judged, rel)
    names = set().union(*relevant.values()) if relevant else ()
    values = [value({each for each in relevant if name in relevant[each]}, ranking) for name in names]
    return sum(values) / number if number else 0


def average_precision(relevant, ranking):
    hits = [rank for rank, document in enumerate(ranking, 1) if document in relevant]
    return sum(number / rank for number, rank in enumerate(hits, 1)) / len(relevant)


def value(name, ranking, judged, rel=1, alpha=0.5, beta=0.5, k=None):
    """The value of a measure; `judged` are rows (document, subtopic, grade)."""
    if name in ("alpha_DCG", "ERR_IA"):
        return normalised(ranking, judged, rel, alpha, log2 if name == "alpha_DCG" else reciprocal, k)
    if name in ("alpha_nDCG", "nERR_IA"):
        return share_of_ideal(ranking, judged, rel, alpha, log2 if name == "alpha_nDCG" else reciprocal, k)
    if name == "NRBP":
        return nrbp(ranking, judged, rel, alpha, beta)
    if name == "nNRBP":
        return share_of_ideal(ranking, judged, rel, alpha, lambda rank: beta ** (rank - 1), None)
    if name == "AP_IA":
        return for_each_subtopic(ranking, judged, rel, average_precision)
    top = ranking[:k]
    if name == "P_IA":
        depth = len(ranking) if k is None else k
        return for_each_subtopic(top, judged, rel, lambda good, seen: len(good & set(seen)) / depth if depth else 0)
    return for_each_subtopic(top, judged, rel, lambda good, seen: bool(good & set(seen)))
