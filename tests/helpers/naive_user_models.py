"""C/W/L: the chance to go on from each rank, the weight of each rank, the gain per result, one rank after the other."""

import math

DEEP = 1000


def gains(ranking, grades, highest, others, deep):
    """The gain of each rank down to a depth; what is not judged, or not there, gains what `others` do."""
    judged = {document: grade for document, grade in grades.items() if grade >= 0}
    known = [judged[document] / highest if document in judged else others for document in ranking[:deep]]
    return known + [others] * (deep - len(known))


def rate(gained, goes_on):
    """The gain per result; `goes_on` is a function of the rank and of the gain so far."""
    reached, so_far, total, weights = 1.0, 0.0, 0.0, 0.0
    for rank, gain in enumerate(gained, 1):
        so_far += gain
        total += reached * gain
        weights += reached
        reached *= goes_on(rank, so_far)
    return total / weights


def chance(name, wanted, k):
    """The chance to go on of a model, as a function of the rank and of the gain so far."""
    if name == "INST":
        return lambda rank, gain: ((rank + 2 * wanted - gain - 1) / (rank + 2 * wanted - gain)) ** 2
    if name == "INSQ":
        return lambda rank, gain: ((rank + 2 * wanted - 1) / (rank + 2 * wanted)) ** 2
    if name == "BPM":
        return lambda rank, gain: float(gain < wanted and rank < k)
    return lambda rank, gain: math.log2(rank + 1) / math.log2(rank + 2)


def value(name, ranking, grades, highest, wanted=1.0, k=DEEP):
    """The value of a model, or of its residual."""
    model = name.removesuffix("residual")
    goes_on = chance(model, wanted, k)
    least = rate(gains(ranking, grades, highest, 0.0, k), goes_on)
    if model == name:
        return least
    return rate(gains(ranking, grades, highest, 1.0, k), goes_on) - least
