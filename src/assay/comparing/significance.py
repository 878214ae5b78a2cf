"""Test which systems differ: paired tests over topics, for all pairs or against a baseline, with correction."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from assay.comparing.comparison import AT_ONCE, CORRECTIONS, SAMPLED, TESTS, Comparison, Pair
from assay.comparing.paired import METHODS, SAME, Question, Sample, bootstrap_means, check_tails, topics_needed
from assay.comparing.tables import BaselineTable, SignificanceTable
from assay.errors import InputError, UsageError, count_noun, list_names
from assay.evaluation.score_table import ALL, ScoreTable
from assay.measures.base import Measure, MeasuresLike, is_mean
from assay.measures.notation import measures_of
from assay.showing.layout import html_with_notes, render
from assay.showing.shown import Shown
from assay.tables.ids import Bools, Floats, Ints

# Pairs with different sets of topics share one Sample until it has more rows than this.
ROWS = 400


def compare(
    scores: ScoreTable,
    measure: MeasuresLike,
    *,
    baseline: str | None = None,
    systems: Sequence[str] | None = None,
    test: str | None = None,
    correct: str = "holm",
    tails: int = 2,
    samples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Comparison:
    """Compare systems by a measure, all pairs or each with the baseline, over the topics that both of a pair have.

    The first of a pair is the one with the better mean; with a baseline, the second is the baseline. With one tail
    the question is whether the first is better. Tukey's tests take the topics that all systems have a value for, and
    need no correction. If people checked a model's judgments, corrected differences are tested by their own t.
    """
    at = measure_at(scores, measure)
    is_checked = scores.checked is not None and scores.checked.corrects(at)
    test = chosen_test(test, is_checked)
    _check(test, correct, tails, samples, seed, confidence)
    names = compared_systems(scores, systems, baseline)
    question = Question(tails, samples, seed, confidence)
    if is_checked:
        pairs = corrected_pairs(scores, at, names, baseline, question)
    else:
        pairs = list(_values(scores, at, names, test in AT_ONCE).test_pairs(baseline, test, question))
    correction = "none" if test in AT_ONCE else correct
    ps = correct_p_values(np.array([pair.p for pair in pairs]), correction).tolist()
    return Comparison(
        measure=scores.measures[at],
        test=test,
        correction=correction,
        tails=tails,
        seed=seed,
        samples=samples if test in SAMPLED else 0,
        confidence=confidence,
        baseline=baseline,
        of=len(scores.topics),
        systems=names,
        means=[scores[name, scores.measures[at]] for name in names],
        pairs=[replace(pair, corrected=p) for pair, p in zip(pairs, ps, strict=True)],
        notes=list(scores.notes),
        checked=scores.checked.about if is_checked and scores.checked else "",
        shared={} if is_checked or baseline is None else _shared_means(scores, at, names, baseline, test in AT_ONCE),
    )


def chosen_test(test: str | None, is_checked: bool) -> str:
    """Return the test to use; if people checked a model's judgments, only the t-test of corrected differences works."""
    if is_checked and test not in (None, "t"):
        what = "differences corrected by people's judgments have their own t-test"
        raise UsageError(f"{what}; leave out test={test}")
    return test or ("t" if is_checked else "randomisation")


def corrected_pairs(
    scores: ScoreTable, at: int, names: list[str], baseline: str | None, question: Question
) -> list[Pair]:
    """Compare each pair by its corrected difference, best systems first.

    The correction is that of a single value, on the differences by topic. p is that of θ / se with its degrees of
    freedom. Wins and losses count topics, by people's judgments if they judged the topic. The effect size is in
    standard deviations of people's differences.
    """
    assert scores.checked is not None
    # flip the sign if less is better, so that a gain is always above 0
    sign = -1.0 if scores.measures[at].less_is_better else 1.0
    ranked = sorted(names, key=lambda name: (-sign * round(scores[name, scores.measures[at]], 12), name))
    compared = [(a, b) for number, a in enumerate(ranked) for b in ranked[number + 1 :]]
    if baseline is not None:
        compared = [(name, baseline) for name in ranked if name != baseline]
    pairs = []
    for first, second in compared:
        a, b = scores.systems.index(first), scores.systems.index(second)
        correction = scores.checked.correction(a, at, minus=b)
        if baseline is None and sign * round(correction.value, 12) < 0:
            first, second, a, b = second, first, b, a
            correction = scores.checked.correction(a, at, minus=b)
        apart = np.round(sign * (scores.values[a, at] - scores.values[b, at]), 12)
        apart = apart[~np.isnan(apart)]
        won, lost = int((apart > 0).sum()), int((apart < 0).sum())
        value, sd = correction.value, correction.people.error * np.sqrt(correction.checked)
        gain = correction.corrected._replace(value=sign * value)
        p, way = gain.p(question.tails), round(gain.value, 12)
        better = first if way > 0 else second if way < 0 else ""
        effect = value / sd if sd else np.inf * np.sign(value) if way else 0.0
        low, high = correction.corrected.interval(question.confidence)
        pairs.append(
            Pair(first, second, len(apart), value, low, high, float(effect), won, len(apart) - won - lost, lost, p, p,
                 better, float(sd))
        )  # fmt: skip
    return pairs


def with_letters(
    scores: ScoreTable, measures: MeasuresLike | None = None, *, sort: bool = False, **how: Any
) -> SignificanceTable:
    """Return the table for a paper, systems x measures with letters; `how` are the options of `compare`.

    The correction is for the pairs of one measure, not for all measures together. sort: the best system by the first
    measure comes first.
    """
    asked = scores.measures if measures is None else measures_of(measures, scores.measures)
    comparisons = [compare(scores, measure, **how) for measure in asked]
    best_first = comparisons[0].best_first
    return SignificanceTable([each.in_order(best_first) for each in comparisons] if sort else comparisons)


def beside_baseline(
    scores: ScoreTable, baseline: str, measures: MeasuresLike | None = None, *, sort: bool = False, **how: Any
) -> BaselineTable:
    """Return the table for a paper that compares each system with the baseline; `how` are the options of `compare`.

    It has the value of each system and measure, the difference in percent, a mark if that is significant, wins and
    losses over topics, and p. The correction is for the systems by one measure, not for all measures together. sort:
    the best system by the first measure comes first, else the baseline.
    """
    asked = scores.measures if measures is None else measures_of(measures, scores.measures)
    return BaselineTable([compare(scores, measure, baseline=baseline, **how) for measure in asked], sort)


def correct_p_values(p: Floats, correction: str) -> Floats:
    """Return p-values that hold for all pairs together: a pair is significant if its corrected p is at most alpha.

        bonferroni  m · p
        holm        max over i ≤ j of (m − i + 1) · p_(i), of p in ascending order
        bh          min over i ≥ j of (m / i) · p_(i)

    Holm, Scandinavian J. of Statistics 6, 1979; Benjamini and Hochberg, J. Royal Statistical Society B 57, 1995.
    """
    if correction == "none":
        return p
    number, order = len(p), np.argsort(p, kind="stable")
    if correction == "bonferroni":
        return np.minimum(1, number * p)
    after = np.empty(number)
    if correction == "holm":
        after[order] = np.maximum.accumulate(p[order] * np.arange(number, 0, -1))
    else:
        after[order] = np.minimum.accumulate((p[order] * number / np.arange(1, number + 1))[::-1])[::-1]
    return np.minimum(1, after)


def _check(test: str, correct: str, tails: int, samples: int, seed: int, confidence: float) -> None:
    if test not in TESTS:
        raise UsageError(f"unknown test {test!r}; choose from {', '.join(TESTS)}")
    if correct not in CORRECTIONS:
        raise UsageError(f"unknown correction {correct!r}; choose from {', '.join(CORRECTIONS)}")
    check_tails(tails)
    if tails == 1 and test in AT_ONCE:
        raise UsageError(f"{test} is always two-tailed; for one tail choose from {', '.join(pairwise_tests())}")
    check_samples(samples, seed)
    if not 0 < confidence < 1:
        raise UsageError(f"confidence is {confidence:g}; expected a number between 0 and 1")


def check_samples(samples: int, seed: int) -> None:
    """Raise an error for an impossible number of samples or seed."""
    if samples < 1:
        raise UsageError(f"samples is {samples}; expected 1 or more")
    if seed < 0:
        raise UsageError(f"seed is {seed}; expected 0 or more")


def pairwise_tests() -> list[str]:
    """Return the tests that look at each pair by itself."""
    return [test for test in TESTS if test not in AT_ONCE]


def measure_at(scores: ScoreTable, asked: MeasuresLike) -> int:
    """Return the number of a measure in the scores; raise an error if systems cannot be compared by it."""
    names, (measure, *more) = [str(measure) for measure in scores.measures], measures_of(asked, scores.measures)
    if more:
        several = list_names([str(measure), *map(str, more)])
        raise UsageError(f"a comparison takes one measure at a time, found {several}")
    if str(measure) not in names:
        raise UsageError(f"{measure} was not measured; choose from {list_names(names, 12)}")
    at = names.index(str(measure))
    if not is_mean(scores.measures[at]):
        what = "significance tests compare arithmetic means over topics"
        raise UsageError(f"{what}; {measure} is not one, so choose another measure")
    return at


def compared_systems(scores: ScoreTable, systems: Sequence[str] | None, baseline: str | None = None) -> list[str]:
    """Return the systems to compare, at least two, in the order of the scores; all if none are named."""
    asked = [*(scores.systems if systems is None else systems), *([] if baseline is None else [baseline])]
    for name in asked:
        if name not in scores.systems:
            raise UsageError(f"no run {name!r}; choose from {list_names(scores.systems)}")
    names = [name for name in scores.systems if name in asked]
    if len(names) < 2:
        raise UsageError(f"a comparison needs at least two runs; found {f'only {names[0]}' if names else 'none'}")
    return names


@dataclass(frozen=True, eq=False)
class Values:
    """values[system, topic] of the systems to compare, NaN if a system has no value for a topic.

    If less is better, the signs are flipped, so that more is better for all tests. Systems and topics are sorted by
    name, so that the order of files and lines does not change a result. With `at_once` all systems have the same
    topics.
    """

    measure: Measure
    systems: list[str]
    values: Floats
    at_once: bool

    def test_pairs(self, baseline: str | None, test: str, question: Question) -> Iterator[Pair]:
        """Return each pair, best systems first, with p not corrected yet."""
        first, second = self._pairs(baseline)
        by_number: dict[int, Pair] = {}
        for numbers, systems, sample in self._samples(first, second):
            if baseline is None:
                sample = sample.better_first()
            names = [self.systems[system] for system in systems]
            less = self.measure.less_is_better
            by_number.update(zip(numbers, _pairs(names, sample, test, question, less), strict=True))
        return (by_number[number] for number in range(len(first)))

    def _pairs(self, baseline: str | None) -> tuple[Ints, Ints]:
        known = ~np.isnan(self.values)
        means = np.round(np.where(known, self.values, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1), 12).tolist()
        ranked = np.array(sorted(range(len(means)), key=lambda system: (-means[system], self.systems[system])))
        if baseline is None:
            first, second = np.triu_indices(len(ranked), 1)
            return ranked[first], ranked[second]
        against = self.systems.index(baseline)
        first = ranked[ranked != against]
        return first, np.full(len(first), against)

    def _samples(self, first: Ints, second: Ints) -> Iterator[tuple[list[int], list[int], Sample]]:
        """Yield pairs with the same number of common topics: which pairs, the system of each row, and the Sample."""
        groups = sorted(self._by_topics(first, second), key=lambda group: int(group[1].sum()))
        numbers: list[int] = []
        systems: list[int] = []
        rows: list[Floats] = []
        places: list[Ints] = []
        for group, (pairs, topics) in enumerate(groups):
            used, place = np.unique([first[pairs], second[pairs]], return_inverse=True)
            places.append(place.reshape(2, -1) + len(systems))
            numbers += pairs.tolist()
            systems += used.tolist()
            rows.append(self.values[np.ix_(used, topics)])
            if group + 1 == len(groups) or len(systems) > ROWS or groups[group + 1][1].sum() != topics.sum():
                yield numbers, systems, Sample(np.concatenate(rows), *np.concatenate(places, axis=1))
                numbers, systems, rows, places = [], [], [], []

    def _by_topics(self, first: Ints, second: Ints) -> Iterator[tuple[Ints, Bools]]:
        """Yield pairs that have the same topics in common, and these topics."""
        kinds, kind = np.unique(~np.isnan(self.values), axis=0, return_inverse=True)
        both = np.sort(kind.ravel()[np.array([first, second])], axis=0)
        code, order = both[0] * len(kinds) + both[1], np.lexsort(both)
        for pairs in np.split(order, np.flatnonzero(np.diff(code[order])) + 1):
            topics = kinds[both[0, pairs[0]]] & kinds[both[1, pairs[0]]]
            if topics.sum() < 2:
                raise self._too_few(self.systems[first[pairs[0]]], self.systems[second[pairs[0]]], int(topics.sum()))
            yield pairs, topics

    def _too_few(self, first: str, second: str, topics: int) -> InputError:
        who = f"the {len(self.systems)} runs" if self.at_once else " and ".join(sorted([first, second]))
        common = f"{count_noun(topics, 'topic')} with {self.measure} in common"
        return InputError(f"{who} have {common}; a comparison needs 2 or more")


def _values(scores: ScoreTable, at: int, names: list[str], at_once: bool) -> Values:
    systems, measure = sorted(names), scores.measures[at]
    values = _finite_values(scores, at, systems)
    if at_once:
        values[:, np.isnan(values).any(axis=0)] = np.nan
    return Values(measure, systems, -values if measure.less_is_better else values, at_once)


def _shared_means(scores: ScoreTable, at: int, names: list[str], baseline: str, at_once: bool) -> dict[str, float]:
    """Return the baseline's mean over the topics compared with each system; only if one of them has other topics."""
    values = {name: scores.values[scores.systems.index(name), at] for name in names}
    has_value = {name: ~np.isnan(row) for name, row in values.items()}
    of_all = np.all(list(has_value.values()), axis=0)
    compared = {name: of_all if at_once else has_value[name] & has_value[baseline] for name in names}
    differ = [name for name in names if np.any(compared[name] < (has_value[name] | has_value[baseline]))]
    return {name: float(values[baseline][compared[name]].mean()) for name in differ}


def _finite_values(scores: ScoreTable, at: int, names: list[str]) -> Floats:
    """Return values[system, topic], sorted by topic id, NaN where a system has no value; refuse infinite values."""
    topics = sorted(range(len(scores.topics)), key=lambda topic: scores.topics[topic])
    values = scores.values[np.ix_([scores.systems.index(name) for name in names], [at], topics)][:, 0]
    if infinite := int(np.isinf(values).any(axis=0).sum()):
        what = f"{scores.measures[at]} is infinite for {count_noun(infinite, 'topic')}"
        raise UsageError(f"{what}; systems cannot be compared by their means")
    return values


def _pairs(names: list[str], sample: Sample, test: str, question: Question, less_is_better: bool) -> Iterator[Pair]:
    answer, topics = METHODS[test](sample, question), sample.topics
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = np.where(sample.mean == 0, 0, sample.mean / answer.unit)
    difference = [sample.mean, answer.low, answer.high, effect]
    if less_is_better:
        # 0 − x instead of −x, so that 0 does not become −0
        difference = [0 - x for x in (sample.mean, answer.high, answer.low, effect)]
    columns = [
        sample.first, sample.second, *difference, sample.wins, sample.losses, answer.p, answer.way, sample.sd,
    ]  # fmt: skip
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for first, second, mean, low, high, size, won, lost, p, way, sd in rows:
        a, b = names[first], names[second]
        better = a if way > 0 else b if way < 0 else ""
        yield Pair(a, b, topics, mean, low, high, size, won, topics - won - lost, lost, p, p, better, sd)


# Comparisons within each group of topics, and over all topics.


@dataclass(frozen=True, repr=False)
class GroupedComparison:
    """Systems compared by one measure in each group of topics; the last part is over all topics.

    The p-values of the groups are corrected for the pairs of all groups together, the p-values over all topics
    separately. `notes` say which groups were not compared.
    """

    name: str
    parts: dict[str, Comparison]
    notes: list[str] = field(default_factory=list)

    @property
    def measure(self) -> Measure:
        """The measure that systems are compared by."""
        return self.parts[ALL].measure

    def about(self, alpha: float | None = None) -> str:
        """Return how the systems were tested, in one line."""
        pairs = sum(len(part.pairs) for group, part in self.parts.items() if group != ALL)
        together = f"{count_noun(pairs, 'pair')} of {count_noun(len(self.parts) - 1, 'group')} corrected together"
        is_corrected = self.parts[ALL].correction != "none"
        return f"{self.parts[ALL].about(alpha)}" + (f"; {together}" if is_corrected else "")

    def show(self, layout: str = "text", alpha: float = 0.05, digits: int = 4) -> str:
        """Return all pairs of each group as text, tsv, csv, json, md, latex or html."""
        if layout == "json":
            records = [{"group": group, **part.record(alpha)} for group, part in self.parts.items()]
            return json.dumps(records, indent=1, ensure_ascii=False)
        header = [self.name, *self.parts[ALL].header(layout)]
        rows: list[list[Any]] = [
            [group, *row] for group, part in self.parts.items() for row in part.rows(alpha, digits)
        ]
        return render(layout, header, rows, 3, digits, f"{self.measure}: {self.about(alpha)}")

    def __repr__(self) -> str:
        return "\n".join([self.show().rstrip(), *self.parts[ALL].notes, *self.notes])

    def _repr_html_(self) -> str:
        return html_with_notes(self.show("html"), [*self.parts[ALL].notes, *self.notes])


def compared_by_group(scores: ScoreTable, measure: MeasuresLike, **how: Any) -> GroupedComparison:
    """Compare systems by a measure in each group of topics, and over all topics; `how` are the options of `compare`.

    scores: those of `assay.evaluate(..., by=)`. If two systems have fewer than two topics of a group in common, the
    group is left out, with a note.
    """
    if scores.groups is None:
        raise UsageError("the topics of these scores have no groups; pass by= to evaluate")
    over_all = compare(scores, measure, **how)
    parts: dict[str, Comparison] = {}
    notes = []
    for group in scores.groups.names:
        try:
            parts[group] = compare(scores.of_group(group), measure, **how)
        except InputError as error:
            notes.append(f"{group}: not compared; {error}")
    ps = np.array([pair.p for part in parts.values() for pair in part.pairs])
    together = iter(correct_p_values(ps, over_all.correction).tolist() if len(ps) else [])
    for group, part in parts.items():
        parts[group] = replace(part, pairs=[replace(pair, corrected=next(together)) for pair in part.pairs])
    return GroupedComparison(scores.groups.name, parts | {ALL: over_all}, notes)


# The chance of each system to be the best, and how many more topics would decide it.

POWER = 0.8


@dataclass(frozen=True)
class Contender:
    """A system: its value over all topics, the chance that it is the best, and how far it is behind the leader.

    `behind` is the mean over topics of the leader's lead, and `sd` the standard deviation of that lead; both are 0 for
    the leader.
    """

    system: str
    value: float
    chance: float
    behind: float
    sd: float

    def topics_needed(self, level: float, power: float = POWER) -> int | None:
        """Return how many topics a test needs to detect the leader's lead, if it is the true one; None if it is 0."""
        return topics_needed(self.behind, self.sd, level, power, tails=1) if self.behind else None


@dataclass(frozen=True, repr=False)
class ChanceOfBest(Shown):
    """The chance of each system to be the best by a measure, if other topics of the same sort were asked.

    `topics` is the number of topics that all systems have a value for. `contenders` are sorted by their means over
    these, best first; the first is the leader.
    """

    measure: Measure
    topics: int
    samples: int
    seed: int
    contenders: list[Contender]

    def winner(self, level: float = 0.05) -> str | None:
        """Return the system that is the best with a chance of at least 1 − level; None if there is no winner."""
        check_level(level)
        return next((each.system for each in self.contenders if each.chance >= 1 - level), None)

    def needed(self, system: Contender, level: float = 0.05) -> int | None:
        """Return how many topics a test needs to detect the leader's lead; all other systems share the level."""
        return system.topics_needed(level / (len(self.contenders) - 1))

    def more(self, level: float = 0.05) -> int | None:
        """Return how many more topics would decide if these leads are the true ones; 0 if there is a winner.

        None if no number would decide, because the leader has no lead.
        """
        if self.winner(level) is not None:
            return 0
        needed = [self.needed(each, level) for each in self.contenders[1:]]
        most = None if None in needed else max(number for number in needed if number is not None)
        # the draws are not sure yet, so at least one more topic is needed
        return None if most is None else max(most - self.topics, 1)

    def verdict(self, level: float = 0.05) -> str:
        """Return the winner, or that there is none, in one line."""
        leader = self.contenders[0]
        if (winner := self.winner(level)) is not None:
            return f"{winner} is the best with probability {self._chance_of(winner):.2f}"
        if (more := self.more(level)) is None:
            equal = [each.system for each in self.contenders if not each.behind]
            return (
                f"no winner: {' and '.join(equal)} are equal, each the best with probability {leader.chance:.2f}"
            )
        no_winner = f"no winner: {leader.system} leads, and is the best with probability {leader.chance:.2f}"
        return f"{no_winner}; {count_noun(more, 'more topic')} would decide if these leads are the true ones"

    def _chance_of(self, system: str) -> float:
        return next(each.chance for each in self.contenders if each.system == system)

    def about(self, level: float = 0.05) -> str:
        """Return the verdict, and how it was reached."""
        topics = count_noun(self.topics, "topic")
        draws = f"{count_noun(self.samples, 'draw')} of {topics} with replacement, seed {self.seed}"
        what = f"{self.verdict(level)}; {draws}"
        return f"{what}; a winner needs probability {1 - level:g}, and topics needed are for {POWER:.0%} power"

    def show(self, layout: str = "text", level: float = 0.05, digits: int = 4) -> str:
        """Return all systems as text, tsv, csv, json, md, latex or html."""
        if layout == "json":
            return json.dumps(self.record(level), indent=1, ensure_ascii=False)
        header = ["run", str(self.measure), "topics", "chance of best", "behind", "sd", "topics needed"]
        rows: list[list[Any]] = []
        for rank, each in enumerate(self.contenders):
            behind: list[Any] = ["", "", ""]
            if rank:
                behind = [each.behind, each.sd, str(self.needed(each, level) or "")]
            rows.append([each.system, each.value, self.topics, each.chance, *behind])
        return render(layout, header, rows, 1, digits, f"{self.measure}: {self.about(level)}")

    def record(self, level: float = 0.05) -> dict[str, Any]:
        """Return everything as values for JSON."""
        about = {"measure": str(self.measure), "topics": self.topics, "samples": self.samples, "seed": self.seed}
        decision = {"level": level, "winner": self.winner(level), "more": self.more(level)}
        return about | decision | {"runs": [vars(each) for each in self.contenders]}


def drawn_best(
    scores: ScoreTable,
    measure: MeasuresLike,
    *,
    systems: Sequence[str] | None = None,
    samples: int = 10_000,
    seed: int = 0,
) -> ChanceOfBest:
    """Return the chance of each system to be the best: how often it is when topics are drawn with replacement.

    Each draw has as many topics as there are, the same for all systems; systems that tie for the best share the draw.
    Koehn, Statistical Significance Tests for Machine Translation Evaluation, EMNLP 2004; Hall and Miller, Using the
    bootstrap to quantify the authority of an empirical ranking, Annals of Statistics 37, 2009.
    """
    check_samples(samples, seed)
    at = measure_at(scores, measure)
    if scores.checked is not None and scores.checked.corrects(at):
        what = "the chance of being the best comes from resampling topics, but people's judgments correct only means"
        raise UsageError(f"{what}; leave out checked=, or compare the runs pair by pair")
    names = sorted(compared_systems(scores, systems))
    values = _common_values(scores, at, names)
    sign = -1.0 if scores.measures[at].less_is_better else 1.0
    means = bootstrap_means(sign * values, samples, seed)
    is_best = means >= means.max(axis=0) - SAME * np.abs(values).max(initial=0)
    chances = (is_best / is_best.sum(axis=0)).mean(axis=1).tolist()
    overall = np.round(sign * values.mean(axis=1), 12).tolist()
    ranked = sorted(range(len(names)), key=lambda number: (-overall[number], names[number]))
    leads = sign * (values[ranked[0]] - values)
    leads[(np.round(leads, 12) == 0).all(axis=1)] = 0
    contenders = []
    for number in ranked:
        value, lead = scores[names[number], scores.measures[at]], leads[number]
        contenders.append(Contender(names[number], value, chances[number], float(lead.mean()), float(lead.std(ddof=1))))
    return ChanceOfBest(scores.measures[at], values.shape[1], samples, seed, contenders)


def _common_values(scores: ScoreTable, at: int, names: list[str]) -> Floats:
    """Return values[system, topic] for the topics that all systems have, sorted by topic id."""
    values = _finite_values(scores, at, names)
    values = values[:, ~np.isnan(values).any(axis=0)]
    if values.shape[1] < 2:
        common = f"{count_noun(values.shape[1], 'topic')} with {scores.measures[at]} in common"
        raise InputError(f"{list_names(names)} have {common}; a comparison needs 2 or more")
    return values


def check_level(level: float) -> None:
    """Raise an error unless the level is between 0 and 1."""
    if not 0 < level < 1:
        raise UsageError(f"level is {level:g}; expected a number between 0 and 1")
