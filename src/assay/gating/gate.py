"""gate: pass or fail a run against thresholds or a saved baseline."""

from __future__ import annotations

import math
import operator
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from assay.api import evaluate, evaluate_beside, read_scores
from assay.comparing.comparison import TESTS, TOO_OFTEN
from assay.comparing.paired import ENOUGH_DRAWN, METHODS, Question, Sample, few, least_difference, topics_needed
from assay.comparing.significance import POWER, check_level, check_samples, chosen_test, drawn_best
from assay.errors import InputError, UsageError, count_noun, list_names, quote
from assay.evaluation.checked import Checked
from assay.evaluation.evaluate import Options, UnfitMeasureError
from assay.evaluation.given_scores import is_saved
from assay.evaluation.matching import refuse_other_titles
from assay.evaluation.provenance import MeasureFacts, Provenance
from assay.evaluation.score_files import GivenCost
from assay.evaluation.score_table import GivenInputs, ScoreTable
from assay.gating.changed_documents import lost_evidence, refuse_changed_evidence
from assay.gating.gate_result import WORST, Check, Gate, TopicChange
from assay.measures.base import Measure, MeasuresLike, is_mean
from assay.measures.notation import measures_of, one_measure
from assay.options import EvaluationOptions, shows
from assay.reading.given import is_file, source_of
from assay.reading.topics import TopicTexts, read_titles
from assay.scores import Scores
from assay.tables.ids import Floats
from assay.vocabulary import GATE_TESTS

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection
    from assay.reading.input_types import JudgmentsLike, RunLike

# What must be the same before two scores of a topic may be compared. If it is unknown, that is an error, never a pass.


def refuse_other_origins(now: Provenance, before: Provenance, label: str) -> None:
    """Refuse a baseline with other rules, or if Assay computed the values of only one of the two."""
    if bool(now.gold) != bool(before.gold):
        who = "Assay computed this baseline, but the values of the run were given"
        if not before.gold:
            who = "the values of this baseline were given, but Assay computed the values of the run"
        raise InputError(f"{who}; save a new baseline", label)
    # check the rules before the judgments, because a rule such as copies or whitespace changes the judgments too
    for name in sorted({*now.rules, *before.rules}):
        was, is_now = before.rules.get(name), now.rules.get(name)
        if was != is_now and name == "checked":
            raise InputError(other_checks(is_now, was), label)
        if was != is_now:
            can_be_given = isinstance(was, str) or was is True
            instead = f"pass {name}={was}" if can_be_given else "measure both alike"
            what = f"this baseline was measured with {name}={rule_shown(was)}, the run with {rule_shown(is_now)}"
            raise InputError(f"{what}; {instead}, or save a new baseline", label)


def other_checks(now: str | None, before: str | None) -> str:
    """Return the message if different judgments of people corrected the run and the baseline, or only one of them."""
    if before is None:
        return "people's judgments correct the run, but not this baseline; leave out checked=, or save a new baseline"
    if now is None:
        return "people's judgments corrected this baseline; pass checked="
    what = f"this baseline and the run were corrected by different judgments of people ({before[:8]} and {now[:8]})"
    return f"{what}; use the same judgments, or save a new baseline"


def rule_shown(value: object) -> str:
    """Return the value of a rule as messages show it."""
    return "none" if value is None else str(value)


def refuse_other_topics(now: Scores, before: Scores, label: str) -> None:
    """Refuse a baseline that does not have exactly the same topics."""
    instead = "use the same topics, or save a new baseline"
    if lacking := sorted(set(now.topics) - set(before.topics)):
        what = f"this baseline lacks {len(lacking):,} of the {count_noun(len(now.topics), 'topic')} judged here"
        raise InputError(f"{what}: {list_names(lacking)}; {instead}", label)
    if beyond := sorted(set(before.topics) - set(now.topics)):
        what = (
            f"no judgments here for {len(beyond):,} of the {count_noun(len(before.topics), 'topic')} in this baseline"
        )
        raise InputError(f"{what}: {list_names(beyond)}; {instead}", label)


def refuse_missing_topics(scores: Scores, system: str, label: str) -> None:
    """Refuse a run without results for a topic that counts."""
    values = scores.values[scores.systems.index(system)]
    missing = set(scores.missing.get(system, ()))
    leaves_out = scores.made_of().rules.get("topics") == "relevant"
    lacking = [
        topic
        for number, topic in enumerate(scores.topics)
        if topic in missing and not (leaves_out and np.isnan(values[:, number]).all())
    ]
    if lacking:
        what = f"no results for {len(lacking):,} of {count_noun(len(scores.topics), 'topic')}: {list_names(lacking)}"
        # otherwise a run could pass by leaving out the topics that it is bad at
        leaving = ", which topics=common would leave out, but a gate does not"
        common = leaving if scores.made_of().rules.get("topics") == "common" else ""
        also = "pass topics=judged and allow_missing=" if common else "pass allow_missing="
        raise InputError(f"{what}{common}; {also} to score them 0", label)


def refuse_other_measure(measure: Measure, now: MeasureFacts, baseline: Scores, label: str) -> None:
    """Refuse a baseline that lacks a measure, or has it in another unit, version or with other parameters."""
    told = {each.name: each for each in baseline.made_of().measures}
    if str(measure) not in told:
        raise InputError(f"this baseline has no {measure}; choose from {list_names(list(told), 12)}", label)
    before = told[str(measure)]
    if before.unit != now.unit:
        what = f"this baseline counts {measure} in {before.unit}, the run in {now.unit}"
        raise InputError(f"{what}; save a new baseline", label)
    if before.version != now.version:
        what = f"this baseline has version {before.version} of {measure}, the run version {now.version}"
        raise InputError(f"{what}; save a new baseline", label)
    for name in sorted({*before.parameters, *now.parameters}):
        was, is_now = before.parameters.get(name, "none"), now.parameters.get(name, "none")
        if was != is_now:
            raise InputError(
                f"this baseline has {measure} with {name}={was}, the run with {is_now}; save a new baseline", label
            )


def pair_of_values(
    measure: Measure, now: Scores, run: str, before: Scores, baseline: str, label: str
) -> tuple[list[str], Floats, Floats]:
    """Return the topics that count, and for each the values of the baseline and of the run."""
    places = {topic: number for number, topic in enumerate(before.topics)}
    order = [places[topic] for topic in now.topics]
    after_all = now.values[now.systems.index(run), [str(each) for each in now.measures].index(str(measure))]
    rows = [str(each) for each in before.measures]
    before_all = before.values[before.systems.index(baseline), rows.index(str(measure))][order]
    told, missing = ~np.isnan(after_all), np.isnan(before_all)
    for lacks, where in ((told & missing, label), (~told & ~missing, run)):
        if lacks.any():
            names = [topic for topic, without in zip(now.topics, lacks, strict=True) if without]
            raise InputError(f"no value of {measure} for {count_noun(len(names), 'topic')}: {list_names(names)}", where)
    if not told.any():
        raise InputError(f"no value of {measure} for any topic", run)
    topics = [topic for topic, counts in zip(now.topics, told, strict=True) if counts]
    return topics, before_all[told], after_all[told]


def chosen_baseline(before: Scores, asked: str | None, label: str) -> str:
    """Return the name of the run in the baseline to compare with."""
    if asked is None and len(before.systems) == 1:
        return before.systems[0]
    if asked is None:
        what = f"this baseline has {len(before.systems)} runs: {list_names(before.systems)}"
        raise InputError(f"{what}; pass baseline= to choose one", label)
    if asked not in before.systems:
        raise UsageError(f"{label} has no run {asked!r}; choose from {list_names(before.systems)}")
    return asked


# Thresholds: `R(chars=2000) >= 0.70`.

# Values that differ by less than this are equal; the difference is rounding.
ROUNDING = 1e-12
RELATIONS: dict[str, Callable[[float, float], bool]] = {
    ">=": lambda value, bound: value >= bound - ROUNDING,
    "<=": lambda value, bound: value <= bound + ROUNDING,
    ">": operator.gt,
    "<": operator.lt,
}
WRITTEN = re.compile(r"\s*(?P<measure>.+?)\s*(?P<relation>[<>=≥≤!]+)\s*(?P<bound>[^\s<>=≥≤!]+)\s*")
# What people write between conditions in one string; not within brackets.
BETWEEN_CONDITIONS = re.compile(r"[,;](?![^(]*\))")
SIGNS = {"≥": ">=", "≤": "<="}


@dataclass(frozen=True)
class Requirement:
    """A threshold for a value over all topics: the measure, the relation and the number."""

    measure: Measure
    relation: str
    bound: str

    def __str__(self) -> str:
        return f"{self.measure} {self.relation} {self.bound}"

    def holds(self, value: float) -> bool:
        """Return whether a value satisfies the threshold; >= and <= ignore rounding."""
        return RELATIONS[self.relation](value, float(self.bound))


def requirement(asked: str, known: Sequence[Measure] = ()) -> Requirement:
    """Parse a threshold. `known` are the measures of given scores."""
    several = BETWEEN_CONDITIONS.split(asked)
    if len(several) > 1 and all(map(WRITTEN.fullmatch, several)):
        raise UsageError(f"{quote(asked)} has {len(several)} conditions; pass each as a require= of its own")
    parts = WRITTEN.fullmatch(asked)
    if parts is None or not is_finite_number(parts["bound"]):
        expected = "expected a measure, a relation and a number, for example 'R@5 >= 0.7'"
        raise UsageError(f"{quote(asked)} is not a requirement; {expected}")
    relation = SIGNS.get(parts["relation"], parts["relation"])
    measure = one_measure(parts["measure"], known)
    if relation not in RELATIONS:
        meant = Requirement(measure, "<=" if "<" in relation else ">=", parts["bound"])
        raise UsageError(f"{relation!r} is not a relation; write '{meant}'")
    return Requirement(measure, relation, parts["bound"])


def is_finite_number(text: str) -> bool:
    """Return whether a text is a finite number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


@shows(EvaluationOptions)
def gate(
    judgments: JudgmentsLike | None,
    run: RunLike | None,
    measures: MeasuresLike | None = None,
    *,
    scores: Scores | None = None,
    require: str | Sequence[str] = (),
    not_worse_than: str | os.PathLike[str] | Scores | None = None,
    baseline: str | None = None,
    margin: float | None = None,
    level: float = 0.05,
    test: str | None = None,
    means_only: bool = False,
    allow_missing: bool = False,
    allow_changed_documents: bool = False,
    samples: int = 10_000,
    seed: int = 0,
    topics_file: str | os.PathLike[str] | None = None,
    checked: JudgmentsLike | None = None,
    **rules: Unpack[EvaluationOptions],
) -> Gate:
    """Pass or fail a run against thresholds or a saved baseline: `gate(...).passed`.

    If values cannot be compared, that is an error, never a pass.

    scores: values that Assay did not compute, for example from `assay.read_scores`; alone if judgments and run are
    None. require: thresholds for values over all topics, for example "R(chars=2000) >= 0.70".
    not_worse_than: earlier scores, or the file that `scores.save` wrote; baseline: which run of these, if there are
    several. measures: what to compare with the baseline, by default all measures that it has.
    margin: without one, the gate fails on a significant loss; with one, it passes only if the test rules out a loss of
    the margin or more (non-inferiority). The test is paired over topics at the level: randomisation (default),
    bootstrap or t. means_only: no test; the mean may be lower by no more than the margin.
    checked: people's judgments that correct those of a model, see `assay.evaluate`; the gate then checks corrected
    values, with a t-test of corrected differences. The same judgments must have corrected the baseline.
    allow_missing: score judged topics without results in the run 0; otherwise they are an error.
    allow_changed_documents: compare with the baseline even if documents with evidence changed since it was saved.
    topics_file: the questions of topics, to show them. rules: the options of `assay.evaluate`.
    """
    test = chosen_test(test, is_checked=checked is not None)
    demand = Demand(margin, level, test, means_only, samples, seed)
    given = [] if scores is None else scores.measures
    required = [requirement(each, given) for each in ([require] if isinstance(require, str) else require)]
    if isinstance(not_worse_than, str | os.PathLike):
        lower = [] if is_saved(not_worse_than) else [str(each) for each in given if isinstance(each, GivenCost)]
        before: Scores | None = read_scores(not_worse_than, lower_is_better=lower)
    else:
        before = not_worse_than
    label = os.fspath(not_worse_than) if isinstance(not_worse_than, str | os.PathLike) else "the baseline"
    if before is None and baseline is not None and os.path.isfile(baseline):
        what = f"baseline= names a run in saved scores; to compare with {baseline}"
        raise UsageError(f"{what}, pass the file as not_worse_than=")
    if before is None and not required:
        what = "pass require= with a condition, for example 'R@5 >= 0.7', or pass not_worse_than= with saved scores"
        raise UsageError(f"nothing to check; {what}")
    if before is None and (measures is not None or margin is not None or baseline is not None or means_only):
        raise UsageError("measures, margin, baseline and means_only require a saved baseline; pass not_worse_than=")
    if allow_missing and rules.get("topics") == "common":
        what = "allow_missing scores topics without results 0, but topics=common leaves them out"
        raise UsageError(f"{what}; pass topics=judged")
    compared = [] if before is None else before.measures if measures is None else measures_of(measures, given)
    asked = [*compared, *(each.measure for each in required)]
    judged = source_of(judgments).label if is_file(judgments) else ""
    collection = Options(**rules).collection
    try:
        now = scores_now(judgments, run, asked, scores, {**rules, **({} if checked is None else {"checked": checked})})
    except InputError as error:
        is_of_judgments = error.path == (judged or "judgments")
        lost = lost_evidence(before.made_of(), collection, label, judged) if before and is_of_judgments else None
        raise (lost or error) from None
    except UnfitMeasureError as error:
        if measures is not None or error.measure in [each.measure for each in required]:
            raise
        what = f"this baseline has other judgments: {error.what}"
        raise InputError(f"{what}; use the old judgments, or save a new baseline", label) from None
    if len(now.systems) != 1:
        raise UsageError(f"a gate takes one run, found {len(now.systems)}: {list_names(now.systems)}")
    if not allow_missing:
        refuse_missing_topics(now, now.systems[0], source_of(run).label if is_file(run) else now.systems[0])
    titles = TopicTexts({}) if topics_file is None else read_titles(topics_file)
    if topics_file is not None:
        refuse_other_titles(os.fspath(topics_file), titles, judged or "judgments", now.topics)
    gating = Gating(now, label, demand, titles, collection, judged)
    checks = [gating.check_threshold(each) for each in required]
    notes = list(now.notes)
    if before is not None:
        against, changes = gating.comparable(before, baseline, compared, allow_missing, allow_changed_documents)
        checks += [gating.compare_with_baseline(measure, before, against) for measure in compared]
        notes += [*other_program(now, before, label), *changes]
    checks = [with_misses(check, now.given) for check in checks]
    # the tables of misses need the notes that `misses` prints
    of_misses = (note for check in checks if check.misses is not None for note in check.misses.notes)
    return Gate(now.systems[0], checks, level, list(dict.fromkeys([*notes, *of_misses])))


def with_misses(check: Check, given: GivenInputs | None) -> Check:
    """Return a failed check with what its worst topics miss, if the inputs can be read again."""
    if check.passed or not check.worst or given is None or not all(map(can_be_read_again, given[:2])):
        return check
    from assay.evaluation.misses import misses_of_topics

    topics = [each.topic for each in check.worst]
    rules = {name: rule for name, rule in given.rules.items() if name != "checked"}
    return replace(check, misses=misses_of_topics(given.judgments, given.runs, check.measure, topics, rules))


def can_be_read_again(given: Any) -> bool:
    """Return whether an input is in memory or a file on disk, not a stream."""
    path = source_of(given).path if is_file(given) else None
    return path is None or os.path.isfile(path) or os.path.isdir(path)


def scores_now(
    judgments: JudgmentsLike | None,
    run: RunLike | None,
    measures: list[Measure],
    scores: Scores | None,
    rules: Mapping[str, Any],
) -> Scores:
    """Return the scores of the run that is checked; given scores must have a value for every topic."""
    if scores is None:
        if judgments is None or run is None:
            raise UsageError("a gate needs judgments and a run, or scores=")
        return evaluate(judgments, run, measures, **rules)
    now = evaluate_beside(scores, judgments, run, measures, **rules)
    given = {*map(str, scores.measures)} if len(now.systems) == 1 else {}
    for measure in (each for each in now.measures if str(each) in given):
        unscored = np.flatnonzero(np.isnan(now.values[0, now._measure(measure)]))
        lacking = [now.topics[number] for number in unscored]
        if lacking:
            what = f"no value of {measure} for {count_noun(len(lacking), 'topic')}: {list_names(lacking)}"
            raise InputError(f"{what}; a gate needs one for every topic", now.systems[0])
    return now


@dataclass(frozen=True)
class Gating:
    """What the checks of a run need.

    `now` are its scores, `label` is the name of the baseline in messages, `demand` how to compare with it, `titles` the
    questions of topics, and `judged` the file of the judgments, if they are a file.
    """

    now: Scores
    label: str
    demand: Demand
    titles: TopicTexts
    documents: DocumentCollection | None
    judged: str = ""

    @property
    def run(self) -> str:
        """The name of the run that is checked."""
        return self.now.systems[0]

    def comparable(
        self, before: Scores, asked: str | None, measures: list[Measure], allow_missing: bool, allow_changed: bool
    ) -> tuple[str, list[str]]:
        """Return the run of the baseline to compare with, and notes; refuse all that makes values incomparable."""
        against = chosen_baseline(before, asked, self.label)
        refuse_other_topics(self.now, before, self.label)
        made_of, was_made_of = self.now.made_of(), before.made_of()
        refuse_other_origins(made_of, was_made_of, self.label)
        notes = refuse_changed_evidence(made_of, was_made_of, self.documents, self.label, allow_changed, self.judged)
        if not allow_missing:
            refuse_missing_topics(before, against, self.label)
        facts = {each.name: each for each in made_of.measures}
        for measure in measures:
            refuse_other_measure(measure, facts[str(measure)], before, self.label)
        return against, notes

    def check_threshold(self, requirement: Requirement) -> Check:
        """Check a threshold."""
        value = float(self.now[self.run, requirement.measure])
        at = [str(measure) for measure in self.now.measures].index(str(requirement.measure))
        values = self.now.values[0, at]
        counts = np.flatnonzero(~np.isnan(values))
        if not len(counts):
            raise InputError(f"no value of {requirement.measure} for any topic", self.run)
        order = counts[np.argsort(values[counts] * (1 if requirement.relation.startswith(">") else -1), kind="stable")]
        worst = [self._change(self.now.topics[number], None, float(values[number])) for number in order[:WORST]]
        return Check(str(requirement), requirement.measure, value, requirement.holds(value), worst=worst)

    def compare_with_baseline(self, measure: Measure, before: Scores, baseline: str) -> Check:
        """Check that a measure is not worse than in the baseline."""
        topics, old, new = pair_of_values(measure, self.now, self.run, before, baseline, self.label)
        was, is_now = float(before[baseline, measure]), float(self.now[self.run, measure])
        best = None
        checked = both_checked(measure, self.now, self.run, before, baseline)
        if self.demand.means_only:
            loss = compared_means(measure, was, is_now, len(topics), self.demand)
        elif checked is not None:
            loss = corrected_loss(measure, checked, self.demand)
        else:
            loss = paired_loss(measure, old, new, self.demand)
            both, drawn = two_systems(self.run, measure, topics, old, new), self.demand
            best = drawn_best(both, measure, samples=drawn.samples, seed=drawn.seed)
        if loss.passed and loss.could_fail and (why := margin_out_of_reach(measure, old, new, was, self.demand)):
            loss = replace(loss, could_fail=False, about=f"{why}; {loss.about}")
        tested = loss.difference, loss.low, loss.high, loss.p, loss.about
        worst = self._worst(measure, topics, old, new)
        asked = f"{measure}: {self.demand}"
        return Check(asked, measure, is_now, loss.passed, was, *tested, best, worst, loss.could_fail)

    def _worst(self, measure: Measure, topics: list[str], before: Floats, after: Floats) -> list[TopicChange]:
        """Return the topics with the greatest loss."""
        gains = (before - after if measure.less_is_better else after - before).round(12)
        order = [number for number in np.argsort(gains, kind="stable").tolist() if gains[number] < 0][:WORST]
        return [self._change(topics[number], float(before[number]), float(after[number])) for number in order]

    def _change(self, topic: str, before: float | None, after: float) -> TopicChange:
        return TopicChange(topic, self.titles.of(topic) or "", before, after)


def both_checked(measure: Measure, now: Scores, run: str, before: Scores, baseline: str) -> Checked | None:
    """Return what people checked of the run and of the baseline, as two systems; None if they checked nothing."""
    if now.checked is None or before.checked is None or not now.checked.corrects(now._measure(measure)):
        return None
    order = [before._topic_numbers[topic] for topic in now.topics]
    places = now._measure(measure), before._measure(measure)
    return now.checked.and_another(
        now._system(run), before.checked.in_order(order), before._system(baseline), places
    )


def two_systems(run: str, measure: Measure, topics: list[str], before: Floats, after: Floats) -> ScoreTable:
    """Return the scores of the run and of the baseline as two systems with different names."""
    name = "the baseline" if run != "the baseline" else "the baseline before"
    return ScoreTable([run, name], [measure], topics, np.array([after, before])[:, None])


def other_program(now: Scores, before: Scores, label: str) -> list[str]:
    """Return a note if another version of Assay measured the baseline."""
    was, is_now = before.made_of().program, now.made_of().program
    return [f"{label}: Assay {was} measured this baseline, Assay {is_now} the run"] if was != is_now else []


# Is a run worse than the baseline? A paired test over topics decides; means alone decide only if the user asks for
# that.


@dataclass(frozen=True)
class Demand:
    """What "not worse" means. Without a margin: no significant loss. With one: a loss of the margin is ruled out.

    With `means_only` there is no test: the mean may be lower by no more than the margin.
    """

    margin: float | None = None
    level: float = 0.05
    test: str = "randomisation"
    means_only: bool = False
    samples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        check_level(self.level)
        check_samples(self.samples, self.seed)
        if self.test not in GATE_TESTS:
            raise UsageError(f"unknown test {self.test!r}; choose from {', '.join(GATE_TESTS)}")
        if self.margin is not None and not 0 <= self.margin < np.inf:
            raise UsageError(f"margin is {self.margin:g}; expected 0 or more, in the unit of the measure")
        if self.level >= 0.5:
            raise UsageError(f"level is {self.level:g}; expected less than 0.5, for example 0.05")

    def __str__(self) -> str:
        """Return in a few words what is demanded."""
        if self.means_only:
            return "mean not lower" + (f" by more than {self.margin:g}" if self.margin else "")
        if self.margin is None:
            return "no significant loss"
        return f"loss less than {self.margin:g}" if self.margin else "a gain"


@dataclass(frozen=True)
class PairedLoss:
    """The result of comparing a run with a baseline: `difference` is the mean of run − baseline.

    `low` and `high` are its confidence interval. `p` is None if there was no test. `about` says how it was decided.
    `could_fail` is false if so few topics differ that no loss could have been significant, or if the margin is larger
    than any loss.
    """

    topics: int
    difference: float
    low: float
    high: float
    p: float | None
    passed: bool
    about: str
    could_fail: bool = True


def paired_loss(measure: Measure, before: Floats, after: Floats, demand: Demand) -> PairedLoss:
    """Compare the values of a run with those of the baseline for the same topics."""
    refuse_what_has_no_mean(measure, before, after, demand)
    # make a gain positive for all measures
    sign = -1.0 if measure.less_is_better else 1.0
    question = Question(1, demand.samples, demand.seed, 1 - 2 * demand.level)
    observed = Sample(np.array([sign * after, sign * before]), np.array([0]), np.array([1]))
    difference, sd = float(observed.mean[0]), float(observed.sd[0])
    answer = METHODS[demand.test](observed, question)
    low, high = sorted((sign * float(answer.low[0]), sign * float(answer.high[0])))
    p: float
    could_fail = True
    if demand.margin is None:
        loss = Sample(observed.values, observed.second, observed.first)
        p = float(METHODS[demand.test](loss, question).p[0])
        passed = p > demand.level
        differing = int(np.count_nonzero(before != after))
        about = undecidable(differing, demand) if passed else ""
        could_fail = not about
        if could_fail:
            power = detectable_loss(len(after), differing, sd, demand)
            about = f"{'no' if passed else 'a'} significant loss; {power}"
    else:
        moved = Sample(observed.values + np.array([[demand.margin], [0]]), observed.first, observed.second)
        p = float(METHODS[demand.test](moved, question).p[0])
        passed = p <= demand.level
        about = ruled_out(passed, len(after), difference + demand.margin, sd, demand)
    about = f"{about}; {how(len(after), demand)}"
    return PairedLoss(len(after), sign * difference, low, high, p, passed, about, could_fail)


def corrected_loss(measure: Measure, checked: Checked, demand: Demand) -> PairedLoss:
    """Compare a run with the baseline by their corrected difference.

    The test is a one-tailed t-test with the degrees of freedom of the correction, after the margin is added.
    """
    sign = -1.0 if measure.less_is_better else 1.0
    correction = checked.correction(0, 0, minus=1)
    gain = correction.corrected._replace(value=sign * correction.value)
    low, high = correction.corrected.interval(1 - 2 * demand.level)
    test = "t-test of the corrected difference, which has its own weight λ"
    told = f"{test}, one-tailed at {demand.level:g}, {checked.about}"
    if demand.margin is None:
        p = gain._replace(value=-gain.value).p(tails=1)
        passed = p > demand.level
        # the power of a test over as many topics whose differences vary as much
        topics = gain.free + 1
        sd = gain.error * math.sqrt(topics)
        seen = detectable_loss(topics, topics, sd, demand) if gain.error else "no topic differs"
        about = f"{'no' if passed else 'a'} significant loss; {seen}"
    else:
        p = gain.p(tails=1, bound=-demand.margin)
        passed = p <= demand.level
        about = ruled_out_words(passed, demand.margin)
    return PairedLoss(correction.total, correction.value, low, high, p, passed, f"{about}; {told}")


def refuse_what_has_no_mean(measure: Measure, before: Floats, after: Floats, demand: Demand) -> None:
    """Refuse a measure that no test can compare, and topics that are so few that no loss could be significant."""
    if not is_mean(measure):
        what = "the test compares arithmetic means over topics"
        raise UsageError(f"{what}; {measure} is not one, so pass means_only= to compare it untested")
    if infinite := int((np.isinf(before) | np.isinf(after)).sum()):
        topics = count_noun(infinite, "topic")
        raise InputError(f"{measure} is infinite for {topics}; it has no mean that could be tested")
    if len(after) < 2:
        raise InputError(f"{measure} has {count_noun(len(after), 'topic')}; a test needs 2 or more")
    least = least_p(len(after), demand)
    if demand.margin is None and least > demand.level:
        what = f"with {count_noun(len(after), 'topic')} no loss can be significant at {demand.level:g}"
        by = f"by the {TESTS[demand.test]}, so nothing could fail"
        raise InputError(f"{what} {by}; pass margin=, or means_only=")


def least_p(topics: int, demand: Demand) -> float:
    """Return the smallest possible p-value."""
    if demand.test == "t":
        return 0.0
    every = demand.test == "randomisation" and few(topics, demand.samples)
    return 1 / 2**topics if every else 1 / (demand.samples + 1)


def undecidable(differing: int, demand: Demand) -> str:
    """Return why the check could not fail, if so few topics differ that no loss could be significant; otherwise "".

    A topic with the same value before and after adds no sign to permute.
    """
    if not differing or least_p(differing, demand) <= demand.level:
        return ""
    enough = next(number for number in range(differing, differing + 100) if least_p(number, demand) <= demand.level)
    differ = f"only {count_noun(differing, 'topic')} {'differs' if differing == 1 else 'differ'}"
    what = f"no loss can be significant at {demand.level:g} unless at least {enough} differ"
    return f"this check could not fail: {differ}, and {what}; set a margin to rule out a loss"


def margin_out_of_reach(measure: Measure, before: Floats, after: Floats, mean: float, demand: Demand) -> str:
    """Return why the check could not fail, if no loss can be as large as the margin; otherwise "".

    A value from 0 up can lose no more than itself.
    """
    if demand.margin is None or measure.less_is_better or min(before.min(), after.min()) < 0:
        return ""
    highest = mean if demand.means_only else float(before.max())
    if demand.margin < max(highest, ROUNDING):
        return ""
    of = "the baseline's mean is" if demand.means_only else "the baseline's highest value is"
    what = f"{of} {highest:.4f}, and the margin of {demand.margin:g} allows to lose all of it"
    return f"this check could not fail: {what}"


def detectable_loss(topics: int, differing: int, sd: float, demand: Demand) -> str:
    """Return in words how small a loss the test can detect."""
    if not differing:
        return "no topic differs"
    least = least_difference(topics, sd, demand.level, POWER, tails=1)
    return f"this test can detect a loss of {least:.4f} with {POWER:.0%} power"


def ruled_out(passed: bool, topics: int, above: float, sd: float, demand: Demand) -> str:
    """Return in words whether a loss of the margin is ruled out and, if not, how many more topics would decide.

    `above` is by how much the difference is better than a loss of the margin.
    """
    margin = demand.margin or 0.0
    shown = ruled_out_words(passed, margin)
    if passed:
        return shown
    if (least := least_p(topics, demand)) > demand.level:
        return f"{shown}; with {count_noun(topics, 'topic')} p cannot be below {least:.4g}"
    if above <= 0:
        return f"the observed loss ({margin - above:.4f}) is not below the margin of {margin:g}"
    more = max(topics_needed(above, sd, demand.level, POWER, tails=1) - topics, 1)
    return f"{shown}; {count_noun(more, 'more topic')} would decide if this difference is the true one"


def ruled_out_words(passed: bool, margin: float) -> str:
    """Return in words whether a loss of the margin is ruled out; if the margin is 0, whether there is a gain."""
    if not margin:
        return f"the gain is {'' if passed else 'not '}significant"
    return f"a loss of {margin:g} or more is {'' if passed else 'not '}ruled out"


def how(topics: int, demand: Demand) -> str:
    """Return in a few words which test was made."""
    parts = [f"{TESTS[demand.test]}, one-tailed at {demand.level:g}, over {count_noun(topics, 'topic')}"]
    if demand.test == "randomisation" and few(topics, demand.samples):
        parts.append("exact, all sign permutations")
    elif demand.test != "t":
        parts.append(f"{count_noun(demand.samples, 'sample')}, seed {demand.seed}")
    if demand.test == "bootstrap" and topics < ENOUGH_DRAWN:
        parts.append(TOO_OFTEN)
    return ", ".join(parts)


def compared_means(measure: Measure, before: float, after: float, topics: int, demand: Demand) -> PairedLoss:
    """Compare values over all topics without a test: the run may be lower by no more than the margin."""
    if not np.isfinite([before, after]).all():
        what = f"{measure} cannot be compared: {before:g} before, {after:g} now"
        raise InputError(f"{what}; a gate compares only finite values")
    sign = -1.0 if measure.less_is_better else 1.0
    lost = sign * (before - after) - (demand.margin or 0.0)
    about = f"means alone, over {count_noun(topics, 'topic')}; no significance test was made"
    return PairedLoss(topics, after - before, np.nan, np.nan, None, bool(lost <= 1e-12), about)
