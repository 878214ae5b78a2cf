"""Correct scores by a model's judgments with people's judgments, and draw the topics that people should judge."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import InputError, UsageError, count_noun, list_names
from assay.evaluation.checked import (
    LEAST,
    CheckedPairs,
    CheckedTopics,
    Correction,
    chance_of_t,
    refuse_other_means,
    variance,
)
from assay.evaluation.evaluate import Evaluation, Options, Origin, Prepared, prepare
from assay.evaluation.measuring import Measuring, counted_kind
from assay.evaluation.notes import OF_CHECKS, sentences
from assay.evaluation.provenance import Provenance, fingerprint, judgment_lines
from assay.evaluation.score_table import ScoreTable
from assay.measures.base import Measure
from assay.measures.graded import DCG, RBP
from assay.measures.sets import P
from assay.ranking.align import Aligned
from assay.ranking.documents import Ranking
from assay.ranking.kinds import Kind, kinds_of
from assay.reading.format import Head
from assay.reading.formats.sampled import FIELDS as FIELDS_OF_SAMPLE
from assay.reading.formats.sampled import FORMAT as SAMPLED
from assay.reading.given import (
    Given,
    GivenFile,
    GivenFrame,
    GivenObjects,
    given_judgments,
    given_runs,
    refuse_two_streams,
)
from assay.tables.ids import Floats, Grades, Ints
from assay.tables.judgments import HighlightJudgments, Judgments, SampleJudgments
from assay.tables.notes import Notes

if TYPE_CHECKING:
    from assay.reading.input_types import JudgmentsLike, RunsLike

# Below this p, after Holm's correction, Assay notes that people may not have judged a random sample.
UNLIKELY = 0.01
# `was_drawn` tries this many seeds of `assay pool --check`. It tries fewer if so few samples are possible that any
# sample would match one of the seeds by chance more often than once in this many times.
SEEDS, RARELY = 20_000, 100


# The name of people's judgments in messages if they are not a file.
CHECKED = "checked"

# The draw: the first topics in an order that depends only on their ids and a seed, so that more can be drawn later.


def in_drawn_order(names: Iterable[str], seed: int) -> list[str]:
    """Sort names in a random order that depends only on the seed; the first n are a random sample."""
    return sorted(names, key=lambda name: place_in_draw(name, seed))


def place_in_draw(name: str, seed: int) -> tuple[bytes, str]:
    """Return the sort key of a name in the draw of a seed."""
    return blake2b(f"{seed}\0{name}".encode(), digest_size=16).digest(), name


def was_drawn(checked: Sequence[str], topics: Sequence[str]) -> bool:
    """Return whether `assay pool --check` draws these topics with one of the first seeds."""
    asked = set(checked)
    others = [topic for topic in topics if topic not in asked]
    seeds = min(SEEDS, max(1, math.comb(len(topics), len(asked)) // RARELY))

    def come_first(number: int, seed: int) -> bool:
        last = max((place_in_draw(name, seed) for name in checked[:number]), default=None)
        first = min((place_in_draw(name, seed) for name in others[:number]), default=None)
        return last is None or first is None or last < first

    # a few names are nearly always enough to rule out a seed
    return any(all(come_first(number, seed) for number in (1, 4, len(topics))) for seed in range(seeds))


# The evaluation.


class CheckedScores(NamedTuple):
    """Corrected scores, and the fingerprint of people's judgments."""

    scores: ScoreTable
    gold: str


def checked_scores(
    evaluation: Evaluation,
    scores: ScoreTable,
    people: JudgmentsLike | Given,
    runs: RunsLike | Mapping[str, Given],
    rules: Mapping[str, Any],
) -> CheckedScores:
    """Correct the scores by a model's judgments with people's judgments of some topics or pairs.

    scores: the scores of the evaluation, with only the measures that the user asked for. runs, rules: those of the
    evaluation, because the runs are measured again with people's judgments.
    """
    refuse_other_means(scores.measures)
    refuse_infinite(scores)
    if rules.get("topics") == "relevant":
        what = "people and the model may disagree on which topics have anything relevant"
        raise UsageError(f"{what}; leave out topics=relevant or checked=")
    judged, named = people_given(people, rules.get("format")), given_runs(runs, rules.get("format"))
    # the runs are read a second time, which is impossible for standard input
    refuse_two_streams([path for run in named.values() for path in (run.path, run.path)])
    # a task of assessed elements allows no measures but its own
    asked = None if rules.get("task") else scores.measures
    topics = "common" if rules.get("topics") == "common" else "judged"
    # reuse the opened documents
    options = Options(**{**rules, "topics": topics, "documents": evaluation.pool.documents})
    ready = prepare(judged, asked, options, beside=list(named.values()), by_people=True)
    by_model, by_people = evaluation.pool.judgments, ready.pool.judgments
    gold = fingerprint(judgment_lines(by_people, with_facts=True))
    refuse_unlike(by_model, by_people, gold, scores.measures)
    refuse_apart(evaluation.pool.topics, ready.pool.topics, by_model.name, by_people.name)
    refuse_swapped(by_model, by_people)
    if isinstance(by_people, SampleJudgments):
        refuse_undrawn_topics(evaluation.missing, scores.topics, ready.pool.topics, by_people.name)
        return CheckedScores(scores_of_pairs(scores, by_model, by_people, ready, named), gold)
    return CheckedScores(scores_of_topics(scores, by_model, ready, named), gold)


def checked_evaluation(
    evaluation: Evaluation, people: JudgmentsLike, runs: RunsLike, rules: Mapping[str, Any]
) -> Evaluation:
    """Return the evaluation with corrected scores, and with people's judgments in its provenance."""
    scores, gold = checked_scores(evaluation, evaluation.scores, people, runs, rules)

    def made_of() -> Provenance:
        made = evaluation.provenance()
        return replace(made, rules={**made.rules, "checked": gold})

    return evaluation._replace(scores=scores, provenance=Origin(made_of))


def people_given(people: JudgmentsLike | Given, format: str | None) -> Given:
    """Return people's judgments; lines of five fields are always a sample of pairs, whatever strata they have."""
    given = given_judgments(people, format)
    if isinstance(given, GivenFile):
        is_lines = given.folder is None and given.format.name == "trec"
        has_strata = is_lines and len(Head(given.source.head()).fields) == len(FIELDS_OF_SAMPLE)
        return replace(given, asked=SAMPLED) if has_strata else given
    # name them in messages, because the model's judgments may have no name either
    return replace(given, label=CHECKED) if isinstance(given, GivenObjects | GivenFrame) else given


def refuse_infinite(scores: ScoreTable) -> None:
    """Raise an error for measures with infinite values, because their mean cannot be corrected."""
    for number, measure in enumerate(scores.measures):
        if infinite := int(np.isinf(scores.values[:, number]).any(axis=0).sum()):
            what = f"{measure} is infinite for {count_noun(infinite, 'topic')}"
            raise UsageError(f"{what}; people's judgments can correct only finite means; leave out checked=")


def refuse_unlike(by_model: Judgments, by_people: Judgments, gold: str, measures: list[Measure]) -> None:
    """Raise an error if both judgments are the same, or judge different kinds of things."""
    if fingerprint(judgment_lines(by_model, with_facts=True)) == gold:
        what = f"these judgments are the same as {by_model.name}"
        raise InputError(f"{what}; pass checked= with the judgments of people, not of the model", by_people.name)
    for measure in measures:
        units = [counted_kind(measure, kinds_of(judgments)).unit for judgments in (by_model, by_people)]
        if units[0] != units[1]:
            what = f"{measure} counts {units[1]} with these judgments but {units[0]} with {by_model.name}"
            raise InputError(f"{what}; expected judgments of the same kind", by_people.name)


def refuse_apart(model: list[str], people: list[str], model_name: str, people_name: str) -> None:
    """Raise an error if people judged no topic that the model judged."""
    if not set(model) & set(people):
        raise InputError(
            f"{people_name} and {model_name} share no topic: {list_names(people, 2)} vs {list_names(model, 2)}"
        )


def refuse_swapped(by_model: Judgments, by_people: Judgments) -> None:
    """Raise an error if people judged more topics than the model, or more documents of the same topics."""
    (model, of_model), (people, of_people) = map(judged_pairs, (by_model, by_people))
    more = len(people) > len(model) and ("topic", len(people), len(model))
    if model == people and of_model < of_people and tells_not_relevant(by_people):
        more = "document", len(of_people), len(of_model)
    if more:
        noun, number, fewer = more
        what = f"{count_noun(number, noun)} judged here, but only {fewer:,} in {by_model.name}; are the two swapped?"
        raise InputError(f"{what} pass the model's judgments first, and those of people as checked=", by_people.name)


def judged_pairs(judgments: Judgments) -> tuple[set[str], set[tuple[str, str]]]:
    """Return the topics that were judged, and the pairs of topic and document; a negative grade means unjudged."""
    is_judged = judgments.grade >= 0
    topics = judgments.topic[is_judged].texts()
    return set(topics), set(zip(topics, judgments.document[is_judged].texts(), strict=True))


# People judged whole topics.


def scores_of_topics(
    scores: ScoreTable, by_model: Judgments, ready: Prepared, named: dict[str, Given]
) -> ScoreTable:
    """Correct the scores with people's judgments of some topics."""
    label, depth = ready.pool.judgments.name, deepest(scores.measures)
    evaluation = ready.evaluation(dict(named), keep=unjudged_within(depth))
    places = [(scores._topic_numbers[topic], number) for number, topic in enumerate(ready.pool.topics)
              if topic in scores._topic_numbers]  # fmt: skip
    if len(places) < LEAST:
        what = f"people judged {count_noun(len(places), 'topic')} that the model judged too"
        raise InputError(f"{what}; a corrected value needs at least {LEAST}", label)
    people = np.full(scores.values.shape, np.nan)
    at, of = np.array(places).T
    people[:, :, at] = evaluation.scores.values[:, : len(scores.measures), of]
    # with topics=common, a run has no values for topics that it lacks
    people[np.isnan(scores.values)] = np.nan
    checked = CheckedTopics(scores.values, people)
    for number in range(len(scores.systems)):
        for measure in range(len(scores.measures)):
            checked.correction(number, measure)
    notes = Notes()
    beyond = [topic for topic in ready.pool.topics if topic not in scores._topic_numbers]
    notes.add("beyond", len(beyond), beyond)
    own = {*judgment_lines(ready.pool.judgments, with_facts=True)}
    own.difference_update(judgment_lines(by_model, with_facts=True))
    notes.add(f"copied {by_model.name}", int(not own))
    if tells_not_relevant(ready.pool.judgments):
        add_unjudged(notes, evaluation.kept, depth)
    add_unlike_sample(notes, checked, scores)
    told = [*scores.notes, *of_people(ready, ready._of_judgments, scores.notes)]
    told += sentences(OF_CHECKS, [(label, notes)])
    return replace(scores, values=checked.values, checked=checked, notes=told)


def of_people(ready: Prepared, noticed: list[str], told: list[str]) -> list[str]:
    """Return the notes on people's judgments that do not repeat notes on the model's judgments."""
    judgments = ready.pool.judgments
    of_table = (f"{judgments.name}: {note}" for note in judgments.notes)
    known = {note.partition(": ")[2] for note in told}
    notes = dict.fromkeys([*ready.before, *ready.after, *of_table, *noticed])
    return [note for note in notes if note.partition(": ")[2] not in known]


def tells_not_relevant(judgments: Judgments) -> bool:
    """Return whether judgments include documents that are not relevant; gold evidence lists only relevant ones."""
    return not isinstance(judgments, HighlightJudgments) or bool((judgments.grade <= 0).any())


def deepest(measures: list[Measure]) -> int | None:
    """Return how many results the measures look at; None if a measure looks at all of them."""
    cuts: list[Any] = [getattr(measure, "k", None) for measure in measures]
    return None if None in cuts else max(cuts)


def unjudged_within(depth: int | None) -> Callable[[Measuring, Kind, Aligned], tuple[int, int]]:
    """Return a function that counts the results of a block within a depth, and the unjudged ones among them."""

    def counts(work: Measuring, kind: Kind, aligned: Aligned) -> tuple[int, int]:
        rank, judged, *_ = ranked_results(aligned)
        seen = judged if depth is None else judged[rank <= depth]
        return len(seen), int(np.count_nonzero(~work.pool.is_graded(seen)))

    return counts


def ranked_results(aligned: Aligned) -> tuple[Ints, Ints, list[str]]:
    """Return the results of a block: rank, number of the judgment (-1 if unjudged), and document of each."""
    returned = aligned.returned()
    starts = returned.starts
    rank = np.arange(len(returned.row)) - np.repeat(starts[:-1], np.diff(starts)) + 1
    return rank, returned.judged, returned.run.document[returned.row].texts()


def ranks_within(depth: int) -> Callable[[Measuring, Kind, Aligned], dict[tuple[str, str], int]]:
    """Return a function that finds, in a block, the rank of each document of each topic within a depth."""

    def ranks(work: Measuring, kind: Kind, aligned: Aligned) -> dict[tuple[str, str], int]:
        rank, _, documents = ranked_results(aligned)
        topics = [work.pool.topics[topic] for topic in aligned.topics.tolist()]
        of_topic = np.repeat(np.arange(len(topics)), np.diff(aligned.returned().starts)).tolist()
        return {
            (topics[topic], document): place
            for topic, document, place in zip(of_topic, documents, rank.tolist(), strict=True)
            if place <= depth
        }

    return ranks


def add_unjudged(notes: Notes, kept: Mapping[str, list[tuple[int, int]]], depth: int | None) -> None:
    """Note the results in people's topics that people did not judge."""
    by_run = {name: sum(unjudged for _, unjudged in blocks) for name, blocks in kept.items()}
    results = sum(seen for blocks in kept.values() for seen, _ in blocks)
    within = "" if depth is None else f" within rank {depth:,}"
    names = [f"{count:,} of {name}" for name, count in by_run.items() if count]
    notes.add(f"unchecked {count_noun(results, 'result')}{within}", sum(by_run.values()), names)


def add_unlike_sample(notes: Notes, checked: CheckedTopics, scores: ScoreTable) -> None:
    """Note if the model finds the checked topics easier or harder than the others, unless Assay drew them.

    Uses Welch's t on the model's values for checked and for other topics, for each system and measure. The smallest p
    after Holm's correction is the smallest p times the number of tests.
    """
    differing: list[tuple[float, str, float, float]] = []
    for s, system in enumerate(scores.systems):
        for number, measure in enumerate(scores.measures):
            values, is_checked = checked.model[s, number], ~np.isnan(checked.people[s, number])
            m, u = values[is_checked], values[~is_checked & ~np.isnan(values)]
            if len(u) > 1:
                differing.append((welch_p(m, u), f"{measure} of {system}", float(m.mean()), float(u.mean())))
    if not differing or len(differing) * min(differing)[0] >= UNLIKELY:
        return
    if was_drawn(list(compress(scores.topics, checked.is_checked)), scores.topics):
        return
    _, what, there, elsewhere = min(differing)
    notes.add(f"unlike {what} by the model is {there:.4f} on checked topics, {elsewhere:.4f} on the others")


def welch_p(first: Floats, second: Floats) -> float:
    """Return the two-tailed p of Welch's t for two means. Welch, Biometrika 34, 1947."""
    parts = [variance(values) / len(values) for values in (first, second)]
    apart = float(first.mean() - second.mean())
    if not sum(parts):
        return float(abs(apart) <= 1e-12)
    free = sum(parts) ** 2 / sum(part**2 / (len(of) - 1) for part, of in zip(parts, (first, second), strict=True))
    return 2 * chance_of_t(-abs(apart) / float(np.sqrt(sum(parts))), free)  # type: ignore[arg-type]


# People judged pairs of a topic and a document.


def scores_of_pairs(
    scores: ScoreTable, by_model: Judgments, by_people: SampleJudgments, ready: Prepared, named: dict[str, Given]
) -> ScoreTable:
    """Correct the scores with people's judgments of sampled pairs."""
    refuse_other_sums(scores.measures)
    if ready.rules.ties == "expected" or ready.rules.judged_only or ready.topics != "judged":
        what = "correction by checked pairs needs the rank of each result"
        raise UsageError(f"{what}; leave out ties=expected, judged_only= and topics=")
    if beyond := [topic for topic in ready.pool.topics if topic not in scores._topic_numbers]:
        what = count_noun(len(beyond), "topic")
        raise InputError(f"{what} not in {by_model.name}: {list_names(beyond)}", by_people.name)
    sampled, stratum, sizes = strata_of(by_people)
    topics, documents = by_people.topic.texts(), by_people.document.texts()
    pairs = list(zip(by_model.topic.texts(), by_model.document.texts(), strict=True))
    grades = dict(zip(pairs, np.maximum(by_model.grade, 0).tolist(), strict=True))
    by_machine = np.array([grades.get((topics[row], documents[row]), 0) for row in sampled], np.float64)
    by_human = by_people.grade[sampled].astype(np.float64)
    place = np.array([scores._topic_numbers[topics[row]] for row in sampled])
    kept = ready.evaluation(dict(named), keep=ranks_of_pairs(scores.measures)).kept
    shape = len(scores.systems), len(scores.measures), len(sampled)
    human, machine, values = np.zeros(shape), np.zeros(shape), scores.values.copy()
    for s, system in enumerate(scores.systems):
        rank = np.zeros(len(topics), np.int64)
        for block in kept[system]:
            rank[block.judgment] = block.rank
        retrieved = rank[sampled] > 0
        at = rank[sampled][retrieved]
        for number, measure in enumerate(scores.measures):
            human[s, number, retrieved] = terms(measure, at, by_human[retrieved])
            machine[s, number, retrieved] = terms(measure, at, by_machine[retrieved])
            np.add.at(values[s, number], place, human[s, number] - machine[s, number])
    checked = CheckedPairs(scores.values, values, human, machine, stratum, sizes)
    notes = Notes()
    certain = [
        f"{measure} of {system}"
        for s, system in enumerate(scores.systems)
        for number, measure in enumerate(scores.measures)
        if has_no_width(checked.correction(s, number))
    ]
    notes.add("certain", len(certain), certain)
    # notes on judged topics, for example that nothing is relevant, do not apply to a sample of pairs
    told = [*scores.notes, *of_people(ready, [], scores.notes), *sentences(OF_CHECKS, [(by_people.name, notes)])]
    return replace(scores, values=values, checked=checked, notes=told)


def has_no_width(correction: Correction) -> bool:
    """Return whether an interval has no width although people judged only some of the pairs."""
    return not correction.corrected.error and correction.checked < correction.total


def refuse_other_sums(measures: list[Measure]) -> None:
    """Raise an error for measures that are not a sum of w · gain with w depending only on the rank."""
    for measure in measures:
        is_sum = type(measure) in (P, DCG, RBP) and not measure.unit
        needs = "" if is_sum else "depends on the number of relevant documents or on several results at once"
        if isinstance(measure, P) and is_sum and (measure.k is None or measure.chars or measure.tokens):
            needs = "has no cut-off at a rank"
        if isinstance(measure, RBP) and measure.graded:
            needs = "divides by the highest grade of the topic"
        if needs:
            what = f"{measure} {needs}, so people must judge whole topics"
            raise UsageError(f"{what}; single checked pairs can correct only P@k, DCG and RBP")


def strata_of(judgments: SampleJudgments) -> tuple[Ints, Ints, Ints]:
    """Return the rows of the sampled pairs, the stratum of each by number, and the number of pairs in each stratum."""
    names, number = np.unique(np.array(judgments.strata.texts()), return_inverse=True)
    sizes, is_sampled = np.bincount(number), judgments.grade >= 0
    judged = np.bincount(number[is_sampled], minlength=len(names))
    for name, size, count in zip(names.tolist(), sizes.tolist(), judged.tolist(), strict=True):
        if count < min(2, size):
            what = f"stratum {name} has {count_noun(count, 'judged pair')} of {size:,}"
            raise InputError(f"{what}; a variance needs at least 2", judgments.name)
    if is_sampled.sum() < LEAST:
        what = f"people judged {count_noun(int(is_sampled.sum()), 'pair')}"
        raise InputError(f"{what}; a corrected value needs at least {LEAST}", judgments.name)
    # sort them, so that the scores of two evaluations can be compared pair by pair
    topics, documents = judgments.topic.texts(), judgments.document.texts()
    sampled = np.array(sorted(np.flatnonzero(is_sampled).tolist(), key=lambda row: (topics[row], documents[row])))
    return sampled, number[sampled], sizes


UNDRAWN = "expected all retrieved pairs, with grade -1 if people did not judge them"


def refuse_undrawn_topics(missing: Mapping[str, list[str]], topics: list[str], people: list[str], label: str) -> None:
    """Raise an error if a topic has results but no row: its pairs should have been in the draw.

    missing: the topics without results, by run.
    """
    without_rows = set(topics) - set(people)
    for run, lacking in missing.items():
        if topic := next((each for each in topics if each in without_rows.difference(lacking)), None):
            raise InputError(f"no row for any document of topic {topic}, which {run} has results for; {UNDRAWN}", label)


class RankedPairs(NamedTuple):
    """Results within the cut-off: the number of each one's judgment, and its rank."""

    judgment: Ints
    rank: Ints


def ranks_of_pairs(measures: list[Measure]) -> Callable[[Measuring, Kind, Aligned], RankedPairs]:
    """Return a function that finds the ranks of a block's results among the pairs that could be sampled.

    It raises an error if a result is not among them.
    """
    depth = deepest(measures)

    def ranks(work: Measuring, kind: Kind, aligned: Aligned) -> RankedPairs:
        rank, judgment, documents = ranked_results(aligned)
        counts = rank <= depth if depth is not None else np.ones(len(rank), bool)
        outside = np.flatnonzero(counts & (judgment < 0))
        if len(outside):
            starts = aligned.returned().starts
            topic = work.pool.topics[aligned.topics[int(np.searchsorted(starts, outside[0], "right")) - 1]]
            first = outside[0]
            what = f"no row for document {documents[first]} of topic {topic}, which a run has at rank {rank[first]}"
            raise InputError(f"{what}; {UNDRAWN}", work.pool.judgments.name)
        return RankedPairs(judgment[counts], rank[counts])

    return ranks


def terms(measure: Measure, rank: Ints, grade: Grades | Floats) -> Floats:
    """Return w · gain of results with these ranks and grades.

    It computes the measure for as many topics as there are results, each with one judged result.
    """
    each = np.arange(len(rank) + 1)
    alone = Ranking(each, rank, grade, np.asarray(rank), ideal=Ranking(each, np.ones_like(rank), grade, rank))
    return np.asarray(measure(alone), np.float64)
