"""The values of inex_eval: of a topic, and of all topics, in the order in which they are printed.

Sums go from one value to the next, and quotients are taken in the original's order, so that the last digit is its own.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter

from assay.compat.inex_options import BEST, IN_CONTEXT, InexOptions
from assay.compat.inex_qrels import NO_ENTRY, JudgedArticle, Topic
from assay.compat.inex_runs import LEVELS, Ranked, Results, SeenText

RECALL_LEVELS = (0, 1, 5, 10)
RANKS = (1, 2, 3, 5, 10, 25, 50)
TENTHS = 11


@dataclass
class TopicValues:
    """Counts, which are added up over topics; measures and the points of a curve, which are averaged."""

    counts: dict[str, int]
    measures: dict[str, float]
    curve: list[float]


def java_ratio(part: float, whole: float) -> float:
    """A quotient as Java has it, where nothing of nothing is no number."""
    return part / whole if whole else math.nan


def topic_counts(results: Results) -> dict[str, int]:
    """What is counted for a topic."""
    return {
        "num_ret": results.articles,
        "num_rel": results.topic.relevant,
        "num_rel_ret": results.relevant,
        "ret_size": results.size,
        "rel_size": results.topic.size,
        "rel_ret_size": results.found,
    }


def of_passages(results: Results) -> TopicValues:
    """The values of a topic in the thorough and focused tasks."""
    topic = results.topic
    measures: dict[str, float] = {}
    for unit, hits, returned, relevant in (
        ("art", results.relevant, results.articles, topic.relevant),
        ("char", results.found, results.size, topic.size),
    ):
        precision, recall = hits / returned if returned else 0.0, java_ratio(hits, relevant)
        both = precision + recall
        measures |= {
            f"{unit}_prec": precision,
            f"{unit}_rec": recall,
            f"{unit}_f1": 2 * precision * recall / both if both > 0 else 0.0,
        }
    curve = highest_from(results.precision)
    measures |= {f"iP[{level / 100:.2f}]": curve[level] for level in RECALL_LEVELS}
    measures["AiP"] = summed_in_order(curve) / LEVELS
    return TopicValues(topic_counts(results), measures, curve)


def article_values(results: Results, options: InexOptions) -> TopicValues:
    """The values of a topic in the tasks that rank articles."""
    relevant = results.topic.relevant
    best = [0.0] * TENTHS
    precisions, recalls = [0.0], [0.0]
    scores = average = 0.0
    for rank, article in enumerate(results.ranking, 1):
        scores += score(article, options)
        precision, recall = scores / rank, java_ratio(article.relevant_so_far, relevant)
        precisions.append(precision)
        recalls.append(recall)
        if article.judged:
            average += precision
        level = int(10 * recall) if relevant else 0
        if level < TENTHS:
            best[level] = max(best[level], precision)
    measures: dict[str, float] = {}
    for rank in RANKS:
        # a ranking that is shorter ends with its last value
        place = min(rank, len(results.ranking))
        measures |= {f"gP[{rank}]": precisions[place], f"gR[{rank}]": recalls[place]}
    measures["AgP"] = java_ratio(average, relevant)
    return TopicValues(topic_counts(results), measures, highest_from(best))


def score(article: Ranked, options: InexOptions) -> float:
    """How good what was returned of an article is, from 0 to 1."""
    judged = article.judged
    if judged is None:
        return 0.0
    if options.task == BEST:
        return closeness(judged, article.entry, options.distance)
    if options.task == IN_CONTEXT:
        return f_score(article.found, article.size, judged.highlighted, options.beta)
    return read_until_tired(judged, article.seen, options.irrelevant)


def f_score(relevant: int, size: int, highlighted: int, beta: float) -> float:
    """F of the text that was returned of an article."""
    if not relevant:
        return 0.0
    precision, recall = relevant / size, relevant / highlighted
    return (1 + beta * beta) * precision * recall / (beta * beta * precision + recall)


def closeness(judged: JudgedArticle, entry: int, most: int) -> float:
    """How near a place is to the best entry point."""
    distance = abs(judged.entry - entry)
    return 0.0 if judged.entry <= NO_ENTRY or distance > most else (most - distance) / most


def read_until_tired(judged: JudgedArticle, seen: SeenText, irrelevant: int) -> float:
    """How much is relevant of what is read until so many characters were not: what was returned first, then the rest.
    """
    good = bad = 0
    for size, highlighted in stretches(judged, seen):
        if highlighted:
            good += size
        else:
            bad += size
            if bad >= irrelevant:
                bad = irrelevant
                break
    return good / (good + bad) if good else 0.0


def stretches(judged: JudgedArticle, seen: SeenText) -> Iterator[tuple[int, bool]]:
    """The text in the order of reading, cut where highlighting begins or ends: sizes, and whether it is highlighted."""
    returned = zip(seen.starts, seen.ends, strict=True)
    rest = zip([0, *seen.ends], [*seen.starts, judged.length], strict=True)
    for start, end in chain(returned, ((start, min(end, judged.length)) for start, end in rest)):
        if start >= end:
            continue
        for first, last in judged.text[bisect_right(judged.text, start, key=itemgetter(1)) :]:
            if first >= end:
                break
            if start < first:
                yield first - start, False
            yield min(last, end) - max(first, start), True
            start = last
        if start < end:
            yield end - start, False


def highest_from(curve: list[float]) -> list[float]:
    """At each point the highest value there or further on."""
    highest, points = 0.0, []
    for value in reversed(curve):
        highest = max(highest, value)
        points.append(highest)
    return points[::-1]


def summed_in_order(values: list[float]) -> float:
    """The sum, from the first value to the last."""
    total = 0.0
    for value in values:
        total += value
    return total


def values_by_topic(
    topics: dict[bytes, Topic], returned: dict[bytes, Results], options: InexOptions
) -> dict[bytes, TopicValues]:
    """The values of every judged topic."""
    every = {name: returned.get(name) or Results(topic) for name, topic in topics.items()}
    return {
        name: article_values(results, options) if options.articles else of_passages(results)
        for name, results in every.items()
    }


def means_over_topics(
    every: dict[bytes, TopicValues], averaged: list[TopicValues], options: InexOptions
) -> TopicValues:
    """The means over some topics. Where articles are ranked, what is relevant is counted in every topic all the same.
    """
    first = next(iter(every.values()))
    counting = list(every.values()) if options.articles else averaged
    counts = {name: sum(values.counts[name] for values in counting) for name in first.counts}
    measures = {
        name: java_ratio(summed_in_order([values.measures[name] for values in averaged]), len(averaged))
        for name in first.measures
    }
    points = [
        java_ratio(summed_in_order([values.curve[place] for values in averaged]), len(averaged))
        for place in range(len(first.curve))
    ]
    return TopicValues(counts, measures, points)
