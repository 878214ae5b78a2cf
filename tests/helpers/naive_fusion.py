"""Fusion by dicts and loops: runs are {topic: {result: score}}, a result a document or (document, start, end)."""

import math
import statistics

METHODS = ("rrf", "combsum", "combmnz", "combanz", "combmed", "isr", "rbc", "borda", "condorcet")
NORMALISATIONS = ("min-max", "z", "sum", "rank", "none")
LACKING = math.inf


def in_order(results):
    """Results best first; equal scores by document id, greatest first, and within a document by place."""
    by_place = sorted(results, key=lambda result: () if isinstance(result, str) else result[1:])
    by_document = sorted(by_place, key=lambda result: document(result).encode(), reverse=True)
    return sorted(by_document, key=lambda result: -results[result])


def document(result):
    return result if isinstance(result, str) else result[0]


def normalised(results, how):
    """{result: score} with scores made comparable."""
    scores = list(results.values())
    least, most, number = min(scores), max(scores), len(scores)
    if how == "none":
        return dict(results)
    if how == "rank":
        return {result: 1 - place / number for place, result in enumerate(in_order(results))}
    if how == "min-max":
        return {result: (score - least) / (most - least) if most > least else 1.0 for result, score in results.items()}
    if how == "sum":
        whole = math.fsum(score - least for score in scores)
        return {result: (score - least) / whole if most > least else 1 / number for result, score in results.items()}
    mean, deviation = statistics.fmean(scores), statistics.pstdev(scores)
    return {result: (score - mean) / deviation if most > least else 0.0 for result, score in results.items()}


def fused(runs, method, normalise="min-max", k=60, p=0.9):
    """{topic: {candidate: score}}."""
    topics = {topic for run in runs for topic in run}
    return {topic: fused_topic([run.get(topic, {}) for run in runs], method, normalise, k, p) for topic in topics}


def fused_topic(lists, method, normalise, k, p):
    ranks = [{result: place for place, result in enumerate(in_order(results), 1)} for results in lists]
    scores = [normalised(results, normalise) if results else {} for results in lists]
    shown = candidates(ranks)
    votes = {
        candidate: [(ranks[run][result], scores[run][result]) for run, result in enumerate(where) if result is not None]
        for candidate, where in shown.items()
    }
    places = {
        candidate: [LACKING if result is None else ranks[run][result] for run, result in enumerate(where)]
        for candidate, where in shown.items()
    }
    if method == "borda":
        return borda(places)
    if method == "condorcet":
        return condorcet(places)
    formulas = {
        "rrf": lambda given: math.fsum(1 / (k + rank) for rank, _ in given),
        "isr": lambda given: len(given) * math.fsum(1 / rank**2 for rank, _ in given),
        "rbc": lambda given: math.fsum((1 - p) * p ** (rank - 1) for rank, _ in given),
        "combsum": lambda given: math.fsum(score for _, score in given),
        "combmnz": lambda given: len(given) * math.fsum(score for _, score in given),
        "combanz": lambda given: math.fsum(score for _, score in given) / len(given),
        "combmed": lambda given: statistics.median(score for _, score in given),
    }
    return {candidate: formulas[method](given) for candidate, given in votes.items()}


def candidates(ranks):
    """{candidate: the result of each run with it, or None}."""
    results = {result for of_run in ranks for result in of_run}
    if all(isinstance(result, str) for result in results):
        return {result: [result if result in of_run else None for of_run in ranks] for result in results}
    shown = {}
    for result in results:
        if result[1] == result[2]:
            shown[result] = [result if result in of_run else None for of_run in ranks]
    for name in {result[0] for result in results}:
        shown |= stretches(name, [[each for each in of_run if each[0] == name] for of_run in ranks])
    return shown


def stretches(name, lists):
    """The text of a document, character by character; `lists` are the results of each run, best first."""
    last = max(end for results in lists for _, _, end in results)
    first = [
        tuple(next((each for each in results if each[1] <= at < each[2]), None) for results in lists)
        for at in range(last)
    ]
    shown, begin = {}, 0
    for at in range(1, last + 1):
        if at == last or first[at] != first[begin]:
            if any(first[begin]):
                shown[name, begin, at] = list(first[begin])
            begin = at
    return shown


def borda(places):
    """A point for oneself, one for each that a run puts behind, half of one for each that it puts equal."""
    points = {}
    for candidate, own in places.items():
        others = [other for each, other in places.items() if each != candidate]
        points[candidate] = sum(
            1 + sum(other[run] > place for other in others) + sum(other[run] == place for other in others) / 2
            for run, place in enumerate(own)
        )
    return points


def condorcet(places):
    """Lists of one are merged two by two, in the order of Borda, by who is preferred by more runs."""
    lists = [[candidate] for candidate in in_order(borda(places))]
    while len(lists) > 1:
        pairs = [lists[at : at + 2] for at in range(0, len(lists), 2)]
        lists = [merged(*pair, places) if len(pair) == 2 else pair[0] for pair in pairs]
    return {candidate: len(places) - at for at, candidate in enumerate(lists[0])}


def merged(first, second, places):
    out = []
    while first and second:
        out.append((second if loses(first[0], second[0], places) else first).pop(0))
    return out + first + second


def loses(candidate, other, places):
    """Whether more runs put the other before the candidate than behind it."""
    pairs = list(zip(places[candidate], places[other], strict=True))
    return sum(a > b for a, b in pairs) > sum(a < b for a, b in pairs)
