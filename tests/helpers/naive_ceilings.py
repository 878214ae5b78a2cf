"""The best that any ranking of some chunks can reach, found by trying all of them: plain sets of characters, nothing of Assay.

chunks   [(document, start, end), ...]
gold     {(document, position), ...}
"""

from __future__ import annotations

from itertools import permutations

from helpers.naive_gold import f, precision, read_by, recall

MEASURES = {"R": recall, "P": precision, "F": f}


def iou(results, gold, overlap, **until):
    met = read_by(results, overlap, **until)
    hits = len(gold & set(met))
    return hits / (len(met) + len(gold) - hits) if met or gold else 0.0


MEASURES["IoU"] = iou


def best(name, chunks, gold, overlap, k=None, chars=None, fit="cut"):
    """The greatest value of a measure over all rankings of some or all of the chunks, in any order."""
    measure = MEASURES[name]
    rankings = (order for number in range(len(chunks) + 1) for order in permutations(chunks, number))
    until = {"k": k, "chars": chars} | ({} if chars is None else {"fit": fit})
    return max(measure(list(order), gold, overlap, **until) for order in rankings)
