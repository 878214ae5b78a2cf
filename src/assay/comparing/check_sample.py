"""Draw a sample of topics or pairs that people should judge to check a model, and estimate the interval to expect."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.comparing.grade_agreement import TopicDocument
from assay.errors import UsageError, count_noun
from assay.evaluation.check_by_people import deepest, in_drawn_order, ranks_within
from assay.evaluation.checked import LEAST, quantile_of_t, refuse_other_means, variance
from assay.evaluation.evaluate import evaluate_runs
from assay.measures.base import Measure, MeasuresLike
from assay.reading.format import refuse_in_lines
from assay.reading.topics import read_titles
from assay.showing.layout import render
from assay.showing.shown import Shown
from assay.tables.judgments import DocumentJudgments, Judgments, written_grade
from assay.vocabulary import TO_JUDGE

if TYPE_CHECKING:
    from assay.evaluation.score_table import ScoreTable
    from assay.reading.input_types import JudgmentsLike, RunsLike

# The numbers of checked topics to estimate the interval for, and assumed correlations of the model with people.
NUMBERS = (10, 20, 40, 80)
CORRELATIONS = (0.5, 0.7, 0.9)
# How many results of a topic people judge if no measure has a cut-off.
DEPTH = 10
CONFIDENCE = 0.95
# The grade of a pair that was not drawn.
NOT_DRAWN = "-1"


class Stratum(NamedTuple):
    """A stratum of topics, or of pairs of a topic and a document; each member has the same chance to be drawn."""

    name: str
    of: str
    size: int
    drawn: int

    @property
    def chance(self) -> float:
        """The chance of each member to be drawn."""
        return self.drawn / self.size


class ExpectedInterval(NamedTuple):
    """Half the width of the 95% interval to expect for a measure if people judge this many topics.

    `alone`: without a model. `with_model`: with a model, by the correlation of its values with people's.
    """

    measure: str
    topics: int
    alone: float
    with_model: Mapping[float, float]


@dataclass(frozen=True, eq=False, repr=False)
class CheckSample(Shown):
    """What people should judge: the `lines` of a file, and how it was drawn.

    `strata` have the chances, `documents` is how many documents people judge. If documents have grades, people put
    theirs into the file. If topics were drawn, it is plain qrels for these topics. If pairs were drawn, it has the
    format sampled, with -1 for the pairs that were not drawn. For highlighted text and elements, it has the drawn
    topics with their titles, for `assay pool --topics-file`.
    """

    lines: list[str]
    strata: list[Stratum]
    noun: str
    seed: int
    documents: int
    expected: list[ExpectedInterval] = field(default_factory=list)

    @property
    def content(self) -> bytes:
        """The file that people fill in; it has a ? for each grade that they must give."""
        return "".join(f"{line}\n" for line in self.lines).encode()

    @property
    def about(self) -> str:
        """What was drawn, with which chances, in one line."""
        nouns = [f"{self.noun}s of {each.of}" if each.of else f"{self.noun}s" for each in self.strata]
        parts = [
            f"{each.drawn:,} of {each.size:,} {noun} (chance {each.chance:.4g})"
            for each, noun in zip(self.strata, nouns, strict=True)
        ]
        work = f"; {count_noun(self.documents, 'document')} to judge" if self.noun == "topic" else ""
        return f"drew {', '.join(parts)}{work}; seed {self.seed}"

    def show(self, layout: str = "text", digits: int = 4) -> str:
        """Return the expected intervals, or the strata of pairs, as text, tsv, csv, json, md, latex or html."""
        header = ["measure", "topics", "people alone", *(f"model with r = {r:g}" for r in CORRELATIONS)]
        rows: list[list[Any]] = [
            [each.measure, each.topics, each.alone, *each.with_model.values()] for each in self.expected
        ]
        about = (
            "expected half-width of the 95% confidence interval: people alone, and people with a model whose values "
            "correlate with theirs by r; people's values are assumed to vary over topics as the model's do"
        )
        if self.noun == "pair":
            header = ["stratum", "of", "pairs", "drawn", "chance"]
            rows = [[*each, each.chance] for each in self.strata]
        if layout == "json":
            records = [dict(zip(header, row, strict=True)) for row in rows]
            return json.dumps(records, indent=1, ensure_ascii=False) + "\n"
        if self.noun == "pair":
            return render(layout, header, rows, 2, digits, self.about)
        return render(layout, header, rows, 1, digits, f"{about}. {self.about}")


def check_sample(
    judgments: JudgmentsLike,
    runs: RunsLike,
    measures: MeasuresLike | None = None,
    *,
    topics: int | None = None,
    pairs: int | None = None,
    depth: int | None = None,
    seed: int = 0,
    topics_file: str | os.PathLike[str] | None = None,
    **rules: Any,
) -> CheckSample:
    """Draw what people should judge to check a model's judgments, for `assay.evaluate(..., checked=)`.

    topics: how many topics to draw; people judge all their results within the depth. pairs: how many pairs of a topic
    and a document to draw instead, from strata by the model's grade, in proportion to their size. depth: default is the
    greatest cut-off of the measures, or 10. The draw depends only on the names and the seed: a longer one begins with
    a shorter one. topics_file: the titles of topics, for people who highlight text. rules: the options of
    `assay.evaluate`.
    """
    if (topics is None) == (pairs is None):
        raise UsageError("people check either topics or pairs; pass topics= or pairs=, not both")
    if seed < 0:
        raise UsageError(f"seed is {seed}; expected 0 or more")
    ranks = ranks_within(depth or cut_off(measures))
    evaluation = evaluate_runs(judgments, runs, measures, keep=ranks, **rules)
    scores = evaluation.scores
    retrieved = {pair for blocks in evaluation.kept.values() for block in blocks for pair in block}
    ids = {"topic": [topic for topic, _ in retrieved], "document": [document for _, document in retrieved]}
    refuse_in_lines(ids, "judgments of a sample", "the pool")
    known: dict[str, list[str]] = {topic: [] for topic in scores.topics}
    for topic, document in sorted(retrieved):
        known[topic].append(document)
    judged = evaluation.pool.judgments
    if topics is not None:
        refuse_other_numbers(topics, len(scores.topics), "topic")
        drawn = in_drawn_order(scores.topics, seed)[:topics]
        strata, expected = [Stratum("1", "", len(scores.topics), topics)], expected_intervals(scores)
        to_judge = {topic: known[topic] or documents_of(judged, topic) for topic in drawn}
        lines = topic_lines(drawn, topics_file)
        if isinstance(judged, DocumentJudgments):
            lines = [f"{topic} 0 {document} {TO_JUDGE}" for topic in drawn for document in to_judge[topic]]
        return CheckSample(lines, strata, "topic", seed, sum(map(len, to_judge.values())), expected)
    assert pairs is not None
    if not isinstance(judged, DocumentJudgments):
        raise UsageError("single pairs check grades of documents, but these judgments have none; draw whole topics")
    of_model = zip(judged.topic.texts(), judged.document.texts(), judged.grade.tolist(), strict=True)
    grades = {(topic, document): max(grade, -1) for topic, document, grade in of_model}
    strata, chosen = drawn_pairs({pair: grades.get(pair, -1) for pair in retrieved}, pairs, seed)
    lines = [
        f"{topic} 0 {document} {chosen[topic, document][0]} {chosen[topic, document][1]}"
        for topic, documents in known.items()
        for document in documents
    ]
    return CheckSample(lines, strata, "pair", seed, pairs)


def documents_of(judgments: Judgments, topic: str) -> list[str]:
    """Return the documents that are judged for a topic."""
    rows = zip(judgments.topic.texts(), judgments.document.texts(), strict=True)
    return sorted({document for of, document in rows if of == topic})


def topic_lines(topics: list[str], topics_file: str | os.PathLike[str] | None) -> list[str]:
    """Return the lines of a file of topics; a topic without a title has its id instead."""
    titles = None if topics_file is None else read_titles(topics_file)
    named = ((topic, (titles and titles.of(topic)) or topic) for topic in topics)
    return [f"{topic}\t{' '.join(title.split())}" for topic, title in named]


def cut_off(measures: MeasuresLike | None) -> int:
    """Return how many results the measures look at."""
    from assay.measures.notation import measures_of

    return (deepest(measures_of(measures)) if measures is not None else None) or DEPTH


def refuse_other_numbers(asked: int, there: int, noun: str) -> None:
    """Raise an error if a sample is too small, or larger than what there is."""
    if asked < LEAST:
        raise UsageError(f"{count_noun(asked, noun)} to check are too few; a corrected value needs {LEAST} or more")
    if asked > there:
        raise UsageError(f"cannot check {count_noun(asked, noun)}; there are only {there:,}")


def drawn_pairs(
    grades: Mapping[TopicDocument, float], number: int, seed: int
) -> tuple[list[Stratum], dict[TopicDocument, tuple[str, str]]]:
    """Draw pairs from strata by the model's grade; return the strata, and for each pair its stratum and grade column.

    The number is shared in proportion to the sizes of the strata, but each gives at least two pairs.
    """
    refuse_other_numbers(number, len(grades), "pair")
    by_grade: dict[float, dict[str, TopicDocument]] = {}
    for pair, grade in grades.items():
        by_grade.setdefault(grade, {})["\t".join(pair)] = pair
    of_grades = sorted(by_grade)
    shares = shared_out(number, [len(by_grade[grade]) for grade in of_grades])
    strata, chosen = [], {}
    for place, (grade, share) in enumerate(zip(of_grades, shares, strict=True), 1):
        names, of = by_grade[grade], "unjudged documents" if grade < 0 else f"grade {written_grade(grade)}"
        strata.append(Stratum(str(place), of, len(names), share))
        for rank, name in enumerate(in_drawn_order(names, seed)):
            chosen[names[name]] = str(place), TO_JUDGE if rank < share else NOT_DRAWN
    return strata, chosen


def shared_out(number: int, sizes: list[int]) -> list[int]:
    """Share a number in proportion to sizes, with at least two for each, or all that it has."""
    least = [min(2, size) for size in sizes]
    if sum(least) > number:
        what = f"{count_noun(number, 'pair')} to check are too few for {len(sizes)} strata"
        raise UsageError(f"{what}; expected {sum(least)} or more")
    shares = [max(low, math.floor(number * size / sum(sizes))) for low, size in zip(least, sizes, strict=True)]
    while sum(shares) != number:
        step = 1 if sum(shares) < number else -1
        # change the stratum that is farthest from its exact share and can give or take one
        able = [n for n in range(len(sizes)) if least[n] <= shares[n] + step <= sizes[n]]
        place = max(able, key=lambda n: step * (number * sizes[n] / sum(sizes) - shares[n]))
        shares[place] += step
    return shares


def expected_intervals(scores: ScoreTable) -> list[ExpectedInterval]:
    """Return the expected intervals of each measure, for the numbers of topics that are possible.

        half = t · sd · √((1 − r² · N/(n + N)) / n)

    This is the smallest standard error of a corrected mean, assuming that people's values vary over topics as the
    model's do. The variance is the mean over the runs.
    """
    refuse_other_means(scores.measures)
    total, told = len(scores.topics), []
    for number, measure in enumerate(scores.measures):
        spread = float(np.mean([variance(row[~np.isnan(row)]) for row in scores.values[:, number]]))
        for n in (each for each in NUMBERS if each <= total):
            told.append(expected_interval(measure, spread, n, total))
    return told


def expected_interval(measure: Measure, spread: float, n: int, total: int) -> ExpectedInterval:
    """Return the interval to expect if people judge n of all topics; spread: the variance of values over topics."""
    t = quantile_of_t((1 + CONFIDENCE) / 2, n - 1)

    def half(r: float) -> float:
        return t * math.sqrt(spread * (1 - r**2 * (total - n) / total) / n)

    return ExpectedInterval(str(measure), n, half(0), {r: half(r) for r in CORRELATIONS})
