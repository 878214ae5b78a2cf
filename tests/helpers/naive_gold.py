"""Runs measured a second time against gold with sets and annotators: plain sets of characters, and nothing of Assay.

rows   [(topic, document, start, end, set, annotator), ...]
run    {topic: [(document, start, end), ...]}, best first
"""

from __future__ import annotations

import math
from statistics import fmean


def read_by(results, overlap, k=None, chars=None, fit="cut"):
    """The characters that a reader meets, as (document, position): all of each result, or only what is new."""
    met, seen = [], set()
    for document, start, end in results[:k]:
        more = [(document, at) for at in range(start, end) if overlap == "paid" or (document, at) not in seen]
        if fit != "cut" and len(met) + len(more) > chars:
            if fit == "stop":
                break
            continue
        met += more
        seen.update(met)
    return met[:chars]


def recall(results, gold, overlap, **until):
    return len(gold & set(read_by(results, overlap, **until))) / len(gold) if gold else 0.0


def precision(results, gold, overlap, **until):
    met = read_by(results, overlap, **until)
    return len(gold & set(met)) / len(met) if met else 0.0


def f(results, gold, overlap, **until):
    p, r = precision(results, gold, overlap, **until), recall(results, gold, overlap, **until)
    return 2 * p * r / (p + r) if p + r else 0.0


def budget(results, gold, overlap, share):
    """The number of characters that are read until a share of the gold was seen; infinite where it never is."""
    met = read_by(results, overlap)
    needed = math.ceil(share * len(gold) - 1e-9)
    seen = set()
    for number, character in enumerate(met, 1):
        seen |= {character} & gold
        if gold and len(seen) >= needed:
            return number
    return math.inf


def standards(rows, topic, annotators):
    """The gold of a topic: for each annotator a list of sets of characters, one for each set of evidence."""
    by_annotator = {}
    for own, document, start, end, of_set, annotator in rows:
        if own != topic or annotators not in ("mean", "best", "union", annotator):
            continue
        sets = by_annotator.setdefault("all" if annotators == "union" else annotator, {})
        sets.setdefault(of_set, set()).update((document, at) for at in range(start, end))
    return [list(sets.values()) for sets in by_annotator.values()]


def value(measure, rows, run, topic, annotators="mean", least=False, **options):
    """The value of a topic: of the sets of an annotator the best, of the annotators the mean or the best."""
    best = min if least else max
    told = standards(rows, topic, annotators)
    values = [best(measure(run.get(topic, []), gold, **options) for gold in sets) for sets in told]
    return (best if annotators == "best" else fmean)(values)
