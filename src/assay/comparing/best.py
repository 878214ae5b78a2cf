"""Which system is the best, how sure that is, and how many more topics would decide it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.comparing.paired import SAME, bootstrap_means, topics_needed
from assay.comparing.significance import check_samples, compared_systems, measure_at
from assay.errors import InputError, UsageError, count_noun, list_names
from assay.evaluation.score_table import ScoreTable
from assay.measures.base import Measure, MeasuresLike
from assay.showing.layout import render
from assay.tables.ids import Floats

POWER = 0.8


@dataclass(frozen=True)
class Contender:
    """A system: its value over all topics, the chance that it is the best, and how far it is after the leader.

    `behind` is the mean over topics of the leader's lead, and `sd` the standard deviation of that lead; both are 0 of
    the leader itself.
    """

    system: str
    value: float
    chance: float
    behind: float
    sd: float

    def topics_needed(self, level: float, power: float = POWER) -> int | None:
        """With how many topics the leader's lead would be told from chance, if it is the true one; None if it is 0."""
        return topics_needed(self.behind, self.sd, level, power, tails=1) if self.behind else None


@dataclass(frozen=True, repr=False)
class ChanceOfBest:
    """The chance of each system to be the best by a measure, if other topics of the same sort were asked.

    `contenders` stand by their means over `topics`, those for which all systems have a value; the first is the leader.
    """

    measure: Measure
    topics: int
    samples: int
    seed: int
    contenders: list[Contender]

    def winner(self, level: float = 0.05) -> str | None:
        """The system that is the best with a chance of at least 1 − level; None if there is no winner."""
        check_level(level)
        return next((each.system for each in self.contenders if each.chance >= 1 - level), None)

    def needed(self, system: Contender, level: float = 0.05) -> int | None:
        """With how many topics the leader would be told from a system; the level is shared among all others."""
        return system.topics_needed(level / (len(self.contenders) - 1))

    def more(self, level: float = 0.05) -> int | None:
        """How many more topics would decide if these leads are the true ones: 0 if it is decided.

        None if no number would, since the leader has no lead.
        """
        if self.winner(level) is not None:
            return 0
        needed = [self.needed(each, level) for each in self.contenders[1:]]
        most = None if None in needed else max(number for number in needed if number is not None)
        # where the draws are not yet sure, another topic is the least that could make them so
        return None if most is None else max(most - self.topics, 1)

    def verdict(self, level: float = 0.05) -> str:
        """Who has won, or that nobody has, in a few words."""
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
        """The verdict, and how it was reached."""
        topics = count_noun(self.topics, "topic")
        draws = f"{count_noun(self.samples, 'draw')} of {topics} with replacement, seed {self.seed}"
        what = f"{self.verdict(level)}; {draws}"
        return f"{what}; a winner needs probability {1 - level:g}, and topics needed are for {POWER:.0%} power"

    def show(self, layout: str = "text", level: float = 0.05, digits: int = 4) -> str:
        """All systems as text, tsv, csv, json, md, latex or html."""
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
        """All that is known, as JSON holds it."""
        about = {"measure": str(self.measure), "topics": self.topics, "samples": self.samples, "seed": self.seed}
        decision = {"level": level, "winner": self.winner(level), "more": self.more(level)}
        return about | decision | {"runs": [vars(each) for each in self.contenders]}

    def __repr__(self) -> str:
        return self.show().rstrip()

    def _repr_html_(self) -> str:
        return self.show("html")


def drawn_best(
    scores: ScoreTable,
    measure: MeasuresLike,
    *,
    systems: Sequence[str] | None = None,
    samples: int = 10_000,
    seed: int = 0,
) -> ChanceOfBest:
    """The chance of each system to be the best by a measure: how often it is, when topics are drawn with replacement.

    All systems are measured over the same draw, as many topics as there are; where several are the best, they share it.
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
    """values[system, topic] of the topics that all systems have, in the order of their names."""
    topics = sorted(range(len(scores.topics)), key=lambda topic: scores.topics[topic])
    values = scores.values[np.ix_([scores.systems.index(name) for name in names], [at], topics)][:, 0]
    values = values[:, ~np.isnan(values).any(axis=0)]
    if values.shape[1] < 2:
        common = f"{count_noun(values.shape[1], 'topic')} with {scores.measures[at]} in common"
        raise InputError(f"{list_names(names)} have {common}; a comparison needs 2 or more")
    if infinite := int(np.isinf(values).any(axis=0).sum()):
        what = f"{scores.measures[at]} is infinite for {count_noun(infinite, 'topic')}"
        raise UsageError(f"{what}; systems cannot be compared by their means")
    return values


def check_level(level: float) -> None:
    """Refuse a level that is not a probability."""
    if not 0 < level < 1:
        raise UsageError(f"level is {level:g}; expected a number between 0 and 1")
