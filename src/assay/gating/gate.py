"""gate: whether a run is good enough to go on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.comparing.best import drawn_best
from assay.errors import InputError, UsageError, listed
from assay.evaluation.meeting import refuse_other_titles
from assay.evaluation.score_table import ScoreTable
from assay.formats.reading import is_file, source_of
from assay.formats.titles import OfTopics, read_titles
from assay.gating.comparable import (
    chosen_baseline,
    pair_of_values,
    refuse_missing_topics,
    refuse_other_measure,
    refuse_other_origins,
    refuse_other_topics,
)
from assay.gating.gate_result import WORST, Check, Gate, TopicChange
from assay.gating.not_worse import Demand, compared_means, paired_loss
from assay.gating.requirement import Requirement, requirements
from assay.measures.base import Measure
from assay.measures.notation import measures_of
from assay.public.evaluate import evaluate
from assay.public.read_scores import read_scores
from assay.public.scores import Scores
from assay.tables.ids import Floats


def gate(
    judgments: Any,
    run: Any,
    measures: Any = None,
    *,
    require: str | Sequence[str] = (),
    not_worse_than: str | os.PathLike[str] | Scores | None = None,
    baseline: str | None = None,
    margin: float | None = None,
    level: float = 0.05,
    test: str = "randomisation",
    means_only: bool = False,
    allow_missing: bool = False,
    samples: int = 10_000,
    seed: int = 0,
    topics_file: str | os.PathLike[str] | None = None,
    **rules: Any,
) -> Gate:
    """Whether a run may pass: `gate(...).passed`. What cannot be compared is an error, never a pass.

    require: what its values over all topics must be, as "R(chars=2000) >= 0.70".
    not_worse_than: scores of before, or the file that `scores.save` wrote; baseline: which run of these, where there
    are several. measures: those that are compared with it; by default all that it has.
    margin: without one there must be no significant loss; with one a loss as great as the margin must be ruled out
    (non-inferiority). Both by a paired test over topics at the level: randomisation, bootstrap or t. means_only: no
    test; the mean may be lower by no more than the margin.
    allow_missing: judged topics without results in the run count 0, where else they are an error.
    topics_file: the questions of topics, to be shown. rules: as of `assay.evaluate`.
    """
    demand = Demand(margin, level, test, means_only, samples, seed)
    required = requirements(require)
    before = read_scores(not_worse_than) if isinstance(not_worse_than, str | os.PathLike) else not_worse_than
    label = os.fspath(not_worse_than) if isinstance(not_worse_than, str | os.PathLike) else "the baseline"
    if before is None and not required:
        raise UsageError("a gate asks something of a run: give require=, or not_worse_than=")
    if before is None and (measures is not None or margin is not None or baseline is not None or means_only):
        raise UsageError("measures, a margin and a run to compare with go with a baseline; give not_worse_than=")
    if allow_missing and rules.get("topics") == "common":
        what = "with allow_missing topics without results count 0, and topics=common leaves them out of account"
        raise UsageError(f"{what}; give topics=judged")
    compared = [] if before is None else before.measures if measures is None else measures_of(measures)
    now = evaluate(judgments, run, [*compared, *(each.measure for each in required)], **rules)
    if len(now.systems) != 1:
        raise UsageError(f"a gate takes one run, found {len(now.systems)}: {listed(now.systems)}")
    if not allow_missing:
        refuse_missing_topics(now, now.systems[0], source_of(run).label if is_file(run) else now.systems[0])
    titles = OfTopics({}) if topics_file is None else read_titles(topics_file)
    if topics_file is not None:
        judged = source_of(judgments).label if is_file(judgments) else "judgments"
        refuse_other_titles(os.fspath(topics_file), titles, judged, now.topics)
    gating = Gating(now, label, demand, titles)
    checks = [gating.required(each) for each in required]
    notes = list(now.notes)
    if before is not None:
        against = gating.comparable(before, baseline, compared, allow_missing)
        checks += [gating.compared(measure, before, against) for measure in compared]
        notes += other_program(now, before, label)
    return Gate(now.systems[0], checks, level, notes)


@dataclass(frozen=True)
class Gating:
    """What the checks of a run need: its scores, what the baseline is called, how both are compared, and questions."""

    now: Scores
    label: str
    demand: Demand
    titles: OfTopics

    @property
    def run(self) -> str:
        """The run that is checked."""
        return self.now.systems[0]

    def comparable(self, before: Scores, asked: str | None, measures: list[Measure], allow_missing: bool) -> str:
        """The run of the baseline to compare with, after everything was refused that makes values incomparable."""
        against = chosen_baseline(before, asked, self.label)
        refuse_other_topics(self.now, before, self.label)
        refuse_other_origins(self.now.made_of(), before.made_of(), self.label)
        if not allow_missing:
            refuse_missing_topics(before, against, self.label)
        facts = {each.name: each for each in self.now.made_of().measures}
        for measure in measures:
            refuse_other_measure(measure, facts[str(measure)], before, self.label)
        return against

    def required(self, requirement: Requirement) -> Check:
        """A value that is demanded."""
        value = float(self.now[self.run, requirement.measure])
        at = [str(measure) for measure in self.now.measures].index(str(requirement.measure))
        values = self.now.values[0, at]
        counts = np.flatnonzero(~np.isnan(values))
        if not len(counts):
            raise InputError(f"has no value of {requirement.measure} for any topic", self.run)
        order = counts[np.argsort(values[counts] * (1 if requirement.relation.startswith(">") else -1), kind="stable")]
        worst = [self._change(self.now.topics[number], None, float(values[number])) for number in order[:WORST]]
        return Check(str(requirement), requirement.measure, value, requirement.holds(value), worst=worst)

    def compared(self, measure: Measure, before: Scores, baseline: str) -> Check:
        """Whether a measure is not worse than in the baseline."""
        topics, old, new = pair_of_values(measure, self.now, self.run, before, baseline, self.label)
        was, is_now = float(before[baseline, measure]), float(self.now[self.run, measure])
        best = None
        if self.demand.means_only:
            loss = compared_means(measure, was, is_now, len(topics), self.demand)
        else:
            loss = paired_loss(measure, old, new, self.demand)
            both, drawn = two_systems(self.run, measure, topics, old, new), self.demand
            best = drawn_best(both, measure, samples=drawn.samples, seed=drawn.seed)
        tested = loss.difference, loss.low, loss.high, loss.p, loss.about
        worst = self._worst(measure, topics, old, new)
        asked = f"{measure}: {self.demand}"
        return Check(asked, measure, is_now, loss.passed, was, *tested, best, worst, loss.could_fail)

    def _worst(self, measure: Measure, topics: list[str], before: Floats, after: Floats) -> list[TopicChange]:
        """The topics with the greatest loss."""
        gains = (before - after if measure.less_is_better else after - before).round(12)
        order = [number for number in np.argsort(gains, kind="stable").tolist() if gains[number] < 0][:WORST]
        return [self._change(topics[number], float(before[number]), float(after[number])) for number in order]

    def _change(self, topic: str, before: float | None, after: float) -> TopicChange:
        return TopicChange(topic, self.titles.of(topic) or "", before, after)


def two_systems(run: str, measure: Measure, topics: list[str], before: Floats, after: Floats) -> ScoreTable:
    """The run and the baseline as two systems, whatever they are called."""
    name = "the baseline" if run != "the baseline" else "the baseline before"
    return ScoreTable([run, name], [measure], topics, np.array([after, before])[:, None])


def other_program(now: Scores, before: Scores, label: str) -> list[str]:
    """A note where another version of the program measured the baseline, by the same versions of the measures."""
    was, is_now = before.made_of().program, now.made_of().program
    return [f"{label}: was measured by Assay {was}, and this run by {is_now}"] if was != is_now else []
