"""`assay inex_eval`: INEX's inex_eval 3.1 of 2010, its options, its output and its quirks.

    inex_eval  ─►  options  ─►  qrels  ─►  each run: results by topic  ─►  values  ─►  lines
                                           (or the line that refuses it)

This is a second implementation of what `measures/` has, on purpose. The original prints all digits of a double, so that
the order of every sum and quotient shows; and it follows rules that the library does not share, such as recall rounded
down and NaN for nothing of nothing. So nothing of `ranking/` or `measures/` is used here. A test holds the two together
where their rules agree: the library's measures against the same outputs of the original.

If we know what the original prints, we print it byte for byte. Known from its outputs: the ranking is the order of
the lines, recall is rounded down as a double, a short ranking of articles ends with its last value, nothing of nothing
is NaN, thorough counts text again in articles without relevant text. Known from its first version, and kept: topics
are in the order of their names as text; the tag is that of the last line whose topic is judged; a run without such
lines gives NaN; a blank line is one with fields missing; white space before the first field makes an empty one; of
several tasks the last counts; the file is named as it is given; what refuses a run is printed among the values, and the
next run is measured. Ours: options may also follow the files; files that cannot be read, lines that are not numbers and
numbers beyond 32 bits are reported on standard error, where the original ends in a trace or takes a missing file for an
empty one; whatever was refused, the exit status is 1. Sums over all topics are true, even beyond 32 bits.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter

from assay.compat import inex_runs
from assay.compat.printed import Printed
from assay.errors import InputError, UsageError
from assay.files.source import Source

# The values of inex_eval: of a topic, and of all topics, in the order in which they are printed.
#
# Sums go from one value to the next, and quotients are taken in the original's order, so that the last digit is its
# own.

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
    """A quotient as Java has it, where nothing of nothing is not a number."""
    return part / whole if whole else math.nan


def topic_counts(results: inex_runs.Results) -> dict[str, int]:
    """What is counted for a topic."""
    return {
        "num_ret": results.articles,
        "num_rel": results.topic.relevant,
        "num_rel_ret": results.relevant,
        "ret_size": results.size,
        "rel_size": results.topic.size,
        "rel_ret_size": results.found,
    }


def of_passages(results: inex_runs.Results) -> TopicValues:
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
    measures["AiP"] = summed_in_order(curve) / inex_runs.LEVELS
    return TopicValues(topic_counts(results), measures, curve)


def article_values(results: inex_runs.Results, options: inex_runs.InexOptions) -> TopicValues:
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


def score(article: inex_runs.Ranked, options: inex_runs.InexOptions) -> float:
    """How good what was returned of an article is, from 0 to 1."""
    judged = article.judged
    if judged is None:
        return 0.0
    if options.task == inex_runs.BEST:
        return closeness(judged, article.entry, options.distance)
    if options.task == inex_runs.IN_CONTEXT:
        return f_score(article.found, article.size, judged.highlighted, options.beta)
    return read_until_tired(judged, article.seen, options.irrelevant)


def f_score(relevant: int, size: int, highlighted: int, beta: float) -> float:
    """F of the text that was returned of an article."""
    if not relevant:
        return 0.0
    precision, recall = relevant / size, relevant / highlighted
    return (1 + beta * beta) * precision * recall / (beta * beta * precision + recall)


def closeness(judged: inex_runs.JudgedArticle, entry: int, most: int) -> float:
    """How near a place is to the best entry point."""
    distance = abs(judged.entry - entry)
    return 0.0 if judged.entry <= inex_runs.NO_ENTRY or distance > most else (most - distance) / most


def read_until_tired(judged: inex_runs.JudgedArticle, seen: inex_runs.SeenText, irrelevant: int) -> float:
    """How much is relevant of what is read until this many characters were not: what was returned first, then the rest.
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


def stretches(judged: inex_runs.JudgedArticle, seen: inex_runs.SeenText) -> Iterator[tuple[int, bool]]:
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
    topics: dict[bytes, inex_runs.Topic], returned: dict[bytes, inex_runs.Results], options: inex_runs.InexOptions
) -> dict[bytes, TopicValues]:
    """The values of every judged topic."""
    every = {name: returned.get(name) or inex_runs.Results(topic) for name, topic in topics.items()}
    return {
        name: article_values(results, options) if options.articles else of_passages(results)
        for name, results in every.items()
    }


def means_over_topics(
    every: dict[bytes, TopicValues], averaged: list[TopicValues], options: inex_runs.InexOptions
) -> TopicValues:
    """The means over some topics. If articles are ranked, what is relevant is counted in every topic all the same.
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


ALL = "all"
# the width of a tab stop: shorter names are followed by two
STOP = 8


def inex_eval(arguments: list[str]) -> Printed:
    """What inex_eval prints when it is called with these arguments."""
    try:
        options = inex_runs.parse_inex_options(arguments)
        topics = inex_runs.read_qrels(Source(options.files[0]))
    except inex_runs.Help:
        return Printed(inex_runs.HELP.encode())
    except UsageError as error:
        return Printed(err=f"inex_eval: {error}\n{inex_runs.USAGE}", status=error.status)
    except InputError as error:
        return Printed(err=inex_complaint(error), status=error.status)
    out, err, status = "", "", 0
    for path in options.files[1:]:
        run = inex_runs.Reading(Source(path), topics, options)
        try:
            run.read()
            out += run.printed + lines_of_run(run, topics, options)
            if not run.results:
                err += inex_complaint(run.source.fault("no result is for a judged topic"))
        except inex_runs.Rejected as refusal:
            out += f"{run.printed}{refusal}"
            status = 1
        except InputError as error:
            out += run.printed
            err += inex_complaint(error)
            status = error.status
    return Printed(out.encode("utf-8", "surrogateescape"), err, status)


def inex_complaint(error: InputError) -> str:
    """A line on standard error."""
    return f"inex_eval: {error}\n"


def lines_of_run(run: inex_runs.Reading, topics: dict[bytes, inex_runs.Topic], options: inex_runs.InexOptions) -> str:
    """All lines for a run."""
    every = values_by_topic(topics, run.results, options)
    averaged = {name: values for name, values in every.items() if options.complete or name in run.results}
    lines = [f'<eval run-id="{inex_runs.decoded_bytes(run.tag)}" file="{run.source.path}">\n']
    if options.per_topic:
        for name, values in averaged.items():
            lines += topic_lines(inex_runs.decoded_bytes(name), values.counts | values.measures)
    lines += overall_lines(means_over_topics(every, list(averaged.values()), options), len(averaged), options)
    return "".join([*lines, "</eval>\n"])


def overall_lines(values: TopicValues, topics: int, options: inex_runs.InexOptions) -> list[str]:
    """The lines for all topics: the mean of the last measure has a name of its own, and comes first where articles are
    ranked.
    """
    measures = dict(values.measures)
    name, mean = measures.popitem()
    measures = {f"M{name}": mean} | measures if options.articles else measures | {f"M{name}": mean}
    last = len(values.curve) - 1
    curve = {f"ircl_prn.{place / last:.2f}": value for place, value in enumerate(values.curve)}
    return topic_lines(ALL, {"num_q": topics} | values.counts | measures | curve)


def topic_lines(topic: str, values: dict[str, int | float]) -> list[str]:
    """The lines for a topic, or for all."""
    tabs = ("\t\t", "\t")
    return [f"{name}{tabs[len(name) >= STOP]}{topic}\t{java_number(value)}\n" for name, value in values.items()]


def java_number(value: int | float) -> str:
    """A number as Java writes it: the fewest digits that tell a double from the next, and with an E if large or small.
    """
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    texts = (f"{value:.{digits}e}" for digits in range(1, 17))
    mantissa, exponent = next(text for text in texts if float(text) == value).split("e")
    return f"{mantissa}E{int(exponent)}"
