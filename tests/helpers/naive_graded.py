"""Graded elements measured a second time, slowly: sets of paths, recursion and exact fractions, straight from the
definitions.

The tests compare Assay with this file, so it takes nothing from Assay. All is of one topic:

    assessed    {document: {path: (e, s, size)}}, e = -1 for `?`
    results     [(document, path), …], best first

Exhaustivity, specificity and sizes may be whole numbers or fractions. An element contains another if the steps of its
path begin the other's. What is known of the text is the sizes of assessed elements, so an element that was not assessed
stands for the assessed ones within it.

SIGIR 2004: Kazai, Lalmas and de Vries, The overlap problem in content-oriented XML retrieval evaluation.
INEX 2005: Kazai and Lalmas, INEX 2005 Evaluation Measures.
"""

from __future__ import annotations

import math
from collections import namedtuple
from fractions import Fraction
from functools import cache

NONE, ONE = Fraction(0), Fraction(1)
HUNDREDTHS = [Fraction(at, 100) for at in range(1, 101)]


def ratio(part, whole) -> Fraction:
    """part / whole, and 0 of nothing."""
    return Fraction(part) / whole if whole else NONE


# --- quantisations: SIGIR 2004, eq. 2, 3 and 7; INEX 2005, eq. 1-3

# the values of (e, s), s from 1 to 3 in each row
GEN = {1: (".25", ".25", ".5"), 2: (".5", ".5", ".75"), 3: (".75", ".75", "1")}
SOG = {1: (".1", ".25", ".75"), 2: (".1", ".5", ".9"), 3: (".25", ".75", "1")}
QUANTISATIONS = {
    "2003": {
        "strict": lambda e, s: ONE if (e, s) == (3, 3) else NONE,
        "gen": lambda e, s: Fraction(GEN[e][s - 1]) if e and s else NONE,
        "sog": lambda e, s: Fraction(SOG[e][s - 1]) if e and s else NONE,
    },
    "2005": {
        "strict": lambda e, s: ONE if (e, s) == (2, 1) else NONE,
        "gen": lambda e, s: max(e, 0) * Fraction(s),
        # what is too small counts as 0 and is lifted; what is not relevant is not
        "genLifted": lambda e, s: NONE if e == 0 else (max(e, 0) + 1) * Fraction(s),
    },
}
# inex-2003 quantises e and s apart
APART = {
    "2003": {
        "strict": lambda e, s: (Fraction(e == 3), Fraction(s == 3)),
        "gen": lambda e, s: (Fraction(e, 3), Fraction(s, 3)),
    },
    "2005": {
        "strict": lambda e, s: (Fraction(e == 2), Fraction(s == 1)),
        "gen": lambda e, s: (Fraction(max(e, 0), 2), s),
    },
}


# --- trees


@cache
def steps(path) -> list[str]:
    """The steps of a path: /a[1]/b[2] has two."""
    return path.strip("/").split("/")


def contains(outer, inner) -> bool:
    """Whether one path is the other or leads to it."""
    return steps(inner)[: len(steps(outer))] == steps(outer)


def related(one, other) -> bool:
    """Whether two elements overlap."""
    return contains(one, other) or contains(other, one)


def parent(document, path):
    """The nearest assessed ancestor of an element, None if there is none."""
    return max(
        (other for other in document if other != path and contains(other, path)),
        key=lambda p: len(steps(p)),
        default=None,
    )


def children(document, path) -> list[str]:
    """The assessed elements whose nearest assessed ancestor it is."""
    return [other for other in document if parent(document, other) == path]


def seen_size(document, path, seen) -> Fraction:
    """How much of an assessed element is in what was seen."""
    if any(contains(earlier, path) for earlier in seen):
        return Fraction(document[path][2])
    return sum((seen_size(document, child, seen) for child in children(document, path)), NONE)


# --- recall-bases: SIGIR 2004, sec. 4.1; INEX 2005, sec. 2


def quantised(document, quant) -> dict[str, Fraction]:
    """The full recall-base of a document: its relevant elements and their scores."""
    scores = {path: quant(e, s) for path, (e, s, _) in document.items()}
    return {path: score for path, score in scores.items() if score > 0}


def relevant_paths(full) -> list[list[str]]:
    """For each relevant element without relevant descendants the relevant elements on the way to it, from the top."""
    leaves = [path for path in full if not any(other != path and contains(path, other) for other in full)]
    return [
        sorted((path for path in full if contains(path, leaf)), key=lambda path: len(steps(path))) for leaf in leaves
    ]


def ideal_base(document, quant, rule) -> dict[str, Fraction]:
    """The ideal recall-base of a document: the best of each relevant path, and of two that overlap the shorter path."""
    full, chosen = quantised(document, quant), set()
    for path in relevant_paths(full):
        best = path[0]
        for candidate in path[1:]:
            if rule == "2005":
                better = full[candidate] > full[best]
            else:
                e, s, _ = document[candidate]
                best_e, best_s, _ = document[best]
                better = (s, max(e, 0)) >= (best_s, max(best_e, 0))
            best = candidate if better else best
        chosen.add(best)
    return {path: full[path] for path in chosen if not any(other != path and contains(other, path) for other in chosen)}


# --- what a result gives: INEX 2005, eq. 7-10; SIGIR 2004, eq. 6 and 8

View = namedtuple("View", "scale quant overlap alpha rv rule", defaults=("on", ONE, "recursive", "2005"))


def quantisation(view):
    """The function of (e, s) that a view names."""
    return QUANTISATIONS[view.scale][view.quant]


def new_value(document, full, path, seen) -> Fraction:
    """What an element that was seen in part is still worth: the sum of what its children are, by their shares of its
    text."""
    if path not in full:
        return NONE
    if not any(related(path, earlier) for earlier in seen):
        return full[path]
    size = document[path][2]
    if seen_size(document, path, seen) == size:
        return NONE
    return sum(
        (new_value(document, full, child, seen) * document[child][2] / size for child in children(document, path)), NONE
    )


def relevance_value(document, full, path, seen, view) -> Fraction:
    """rv(c) of an element of the full recall-base, given what of its document was seen before; only `recursive` knows
    alpha."""
    if view.rv == "recursive":
        return view.alpha * new_value(document, full, path, seen) + (1 - view.alpha) * full[path]
    if view.rv == "size":
        return full[path] * (1 - seen_size(document, path, seen) / document[path][2])
    return full[path]


def discount(view, rank) -> Fraction:
    """What is left of a score at a rank: 1 / log2(rank) where a view discounts, and all of it at rank 1."""
    return 1 / Fraction(math.log2(rank)) if view.rv == "discounted" and rank > 1 else ONE


def gains(assessed, results, view) -> list[Fraction]:
    """xG, the gain at each rank."""
    quant, found = quantisation(view), []  # found: (document, path, gain)
    for rank, (document, path) in enumerate(results, 1):
        elements = assessed.get(document, {})
        full, gain = quantised(elements, quant), NONE
        if path in full and view.overlap == "off":
            gain = full[path] * discount(view, rank)
        elif path in full:
            seen = {earlier for where, earlier, _ in found if where == document}
            left = NONE
            for ideal, most in ideal_base(elements, quant, view.rule).items():
                if related(ideal, path):
                    left += most - sum(
                        g for where, earlier, g in found if where == document and contains(ideal, earlier)
                    )
            gain = min(relevance_value(elements, full, path, seen, view) * discount(view, rank), left)
        found.append((document, path, gain))
    return [gain for *_, gain in found]


# What the measures see: the gains of a run, those of the ideal one, and how many of the recall-base were never retrieved.
Curve = namedtuple("Curve", "gains ideal missed once", defaults=[False])


def curve(assessed, results, view) -> Curve:
    """A topic's run against its recall-base: the ideal one where overlap is on, the full one where it is off."""
    quant = quantisation(view)
    base = {}
    for document, elements in assessed.items():
        of_document = quantised(elements, quant) if view.overlap == "off" else ideal_base(elements, quant, view.rule)
        base.update({(document, path): score for path, score in of_document.items()})
    ideal = [score * discount(view, rank) for rank, score in enumerate(sorted(base.values(), reverse=True), 1)]
    once = view.overlap == "on" and view.rv == "recursive" and view.alpha == 1
    return Curve(gains(assessed, results, view), ideal, len(base.keys() - set(results)), once)


# --- nxCG, ep/gr, Q and R: INEX 2005, eq. 4-6 and 11-14


def cumulated(curve, i) -> Fraction:
    """xCG[i], never more than there is to be gained."""
    return min(sum(curve.gains[:i], NONE), sum(curve.ideal, NONE))


def nxcg(curve, i) -> Fraction:
    """xCG[i] / xCI[i]; where text counts once, at most 1."""
    found = ratio(cumulated(curve, i), sum(curve.ideal[:i], NONE))
    return min(found, Fraction(1)) if curve.once else found


def manxcg(curve, i) -> Fraction:
    """The mean of nxCG over the first i ranks."""
    return sum((nxcg(curve, j) for j in range(1, i + 1)), NONE) / i


def gr(curve, i) -> Fraction:
    """xCG[i] / xCI[n]."""
    return ratio(cumulated(curve, i), sum(curve.ideal, NONE))


def ideal_rank(ideal, gain) -> Fraction:
    """The rank at which the ideal curve, which begins at (0, 0), reaches a gain."""
    before = NONE
    for rank, more in enumerate(ideal, 1):
        if before + more >= gain:
            return rank - 1 + (gain - before) / more
        before += more
    raise AssertionError("more was gained than there is")


def natural_points(curve) -> list[tuple[Fraction, Fraction]]:
    """(gain-recall, effort-precision) at the ranks that give something."""
    ranks = [rank for rank, gain in enumerate(curve.gains, 1) if gain > 0]
    return [(gr(curve, rank), ideal_rank(curve.ideal, cumulated(curve, rank)) / rank) for rank in ranks]


def between(points, x) -> Fraction:
    """Effort-precision at a gain-recall: linear between natural points, flat before the first, 0 after the last."""
    beyond = [at for at, (recall, _) in enumerate(points) if recall >= x]
    if not beyond:
        return NONE
    right, effort = points[beyond[0]]
    if beyond[0] == 0:
        return effort
    left, before = points[beyond[0] - 1]
    return before + (effort - before) * (x - left) / (right - left)


def ep(curve, x) -> Fraction:
    """Effort-precision at a gain-recall."""
    return between(natural_points(curve), x)


def aep(curve) -> Fraction:
    """ep at the natural points, summed, over their number and that of the elements never retrieved."""
    points = natural_points(curve)
    return ratio(sum(effort for _, effort in points), len(points) + curve.missed)


def iaep(curve) -> Fraction:
    """The mean of ep at gain-recall 0.01, 0.02 … 1."""
    points = natural_points(curve)
    return sum(between(points, x) for x in HUNDREDTHS) / 100


def with_bonus(gains) -> list[Fraction]:
    """1 more for each that gives something."""
    return [gain + 1 if gain > 0 else NONE for gain in gains]


def q(curve, as_printed=False) -> Fraction:
    """1/R Σ isrel(j) cbg(j) / (cig(j) + j)."""
    ideal, bonus = with_bonus(curve.ideal) if as_printed else curve.ideal, with_bonus(curve.gains)
    at = [sum(bonus[:j]) / (sum(ideal[:j]) + j) for j, gain in enumerate(curve.gains, 1) if gain > 0]
    return ratio(sum(at), len(curve.ideal))


def r_measure(curve, as_printed=False) -> Fraction:
    """cbg(R) / (cig(R) + R), with cbg for cig as it is printed."""
    size = len(curve.ideal)
    bonus = sum(with_bonus(curve.gains)[:size])
    return ratio(bonus, (bonus if as_printed else sum(curve.ideal)) + size)


# --- FetchBrowse: INEX 2005, sec. 6.3


def article_curve(assessed, results, view) -> Curve:
    """Articles by first appearance, against those with a relevant element; each gives the score of its own element."""
    quant, values = quantisation(view), {}
    for document, elements in assessed.items():
        full = quantised(elements, quant)
        if full:
            values[document] = sum((score for path, score in full.items() if len(steps(path)) == 1), NONE)
    retrieved = list(dict.fromkeys(document for document, _ in results))
    ideal = sorted(values.values(), reverse=True)
    return Curve([values.get(document, NONE) for document in retrieved], ideal, len(values.keys() - set(retrieved)))


def by_article(measure, assessed, results, view) -> Fraction:
    """The mean of a measure over the articles of the run that have relevant elements, each against its own base."""
    relevant = {document for document, elements in assessed.items() if quantised(elements, quantisation(view))}
    values = [
        measure(curve({document: assessed[document]}, [result for result in results if result[0] == document], view))
        for document in relevant & {document for document, _ in results}
    ]
    return ratio(sum(values), len(values))


# --- the metrics of 2002 and 2003: SIGIR 2004, eq. 1, 4 and 5


def inex2002(assessed, results, scale, quant, x, collection=0) -> Fraction:
    """P = NR / (NR + esl) at recall x; results are (document, path, score), those with one score are one level."""
    quant = QUANTISATIONS[scale][quant]
    full = {
        (document, path): v for document, elements in assessed.items() for path, v in quantised(elements, quant).items()
    }
    wanted = x * sum(full.values())
    scores = sorted({score for *_, score in results}, reverse=True)
    levels = [
        [full.get((document, path), NONE) for document, path, score in results if score == level] for level in scores
    ]
    parts = [(sum(level), sum(1 - value for value in level)) for level in levels]
    if collection:
        r = sum(full.values()) - sum(relevant for relevant, _ in parts)
        parts.append((r, collection - len(results) - r))
    found = waste = NONE
    for relevant, not_relevant in parts:
        if found + relevant >= wanted:
            return ratio(wanted, wanted + waste + (wanted - found) * not_relevant / (relevant + 1))
        found, waste = found + relevant, waste + not_relevant
    return NONE


def recall_and_precision(assessed, results, scale, quant) -> list[tuple[Fraction, Fraction]]:
    """Both at each rank, by what was not seen before; all results are assessed."""
    apart = APART[scale][quant]
    base = sum(apart(e, s)[0] for elements in assessed.values() for e, s, _ in elements.values())
    exhaustive = specific = read = NONE
    points = []
    for rank, (document, path) in enumerate(results):
        e, s, size = assessed[document][path]
        new = size - seen_size(assessed[document], path, {p for d, p in results[:rank] if d == document})
        exhaustive += apart(e, s)[0] * new / size
        specific += apart(e, s)[1] * new
        read += new
        points.append((ratio(exhaustive, base), ratio(specific, read)))
    return points


def inex2003(points, x) -> Fraction:
    """The best precision at recall x or more."""
    return max((precision for recall, precision in points if recall >= x), default=NONE)


def mean_of_levels(metric, *arguments, **options) -> Fraction:
    """The mean of one of them at recall 0.01, 0.02 … 1."""
    return sum(metric(*arguments, x, **options) for x in HUNDREDTHS) / 100
