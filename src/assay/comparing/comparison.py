"""The result of a comparison: pairs of systems, and the tables that show them.

The tests need no threshold: `significant(alpha)` and the tables apply it afterwards.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from typing import Any

from assay.comparing.paired import ENOUGH_DRAWN, few, topics_needed
from assay.errors import UsageError, count_noun, list_names
from assay.measures.base import Measure
from assay.showing.layout import EXACT, Probability, render
from assay.showing.shown import Shown

CORRECTIONS = {
    "none": "no correction",
    "bonferroni": "Bonferroni's correction",
    "holm": "Holm's correction",
    "bh": "Benjamini and Hochberg's correction",
}
TESTS = {
    "randomisation": "randomisation test",
    "bootstrap": "bootstrap test",
    "t": "paired t-test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "sign": "sign test",
    "tukey": "Tukey's HSD test",
    "random-tukey": "randomised Tukey HSD test",
}
# The note on a bootstrap test over few topics.
TOO_OFTEN = f"with fewer than {ENOUGH_DRAWN} topics its p-values are too small: use randomisation"
SAMPLED = ("randomisation", "bootstrap", "random-tukey")
# Tests of all systems at once. Their p-values hold for all pairs together, so they need no correction.
AT_ONCE = ("tukey", "random-tukey")


@dataclass(frozen=True)
class Pair:
    """Two systems over the topics that both have a value for: `difference` is the mean of first − second.

    `low` and `high` are its confidence interval, `effect` the difference in standard deviations, `wins` the topics on
    which the first is better, `better` the system that the test's own statistic favours (empty if it favours
    neither), `sd` the standard deviation of the differences over topics. If less is better, better is the one with
    less, and a difference below 0 is an improvement.
    """

    first: str
    second: str
    topics: int
    difference: float
    low: float
    high: float
    effect: float
    wins: int
    ties: int
    losses: int
    p: float
    corrected: float
    better: str
    sd: float

    @property
    def worse(self) -> str:
        """The system that the test's own statistic does not favour; `second` if it favours neither."""
        return self.first if self.better == self.second else self.second

    def topics_needed(self, alpha: float = 0.05, power: float = 0.8, tails: int = 2) -> int | None:
        """Return how many topics a test needs to detect this difference, if it is the true one; None if it is 0."""
        return topics_needed(self.difference, self.sd, alpha, power, tails) if self.difference else None


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
    """Systems compared pair by pair by one measure.

    `systems` and `means` are in the order of the scores; `of` is the number of all topics. A one-tailed test asks
    whether `first` of a pair is better than `second`. `notes` are the notes of the scores. `checked` says what people
    judged if their judgments corrected the values of a model. `shared` has the baseline's mean over the topics on which
    it is compared with a system, for systems whose mean is over other topics than the baseline's.
    """

    measure: Measure
    test: str
    correction: str
    tails: int
    seed: int
    samples: int
    confidence: float
    baseline: str | None
    of: int
    systems: list[str]
    means: list[float]
    pairs: list[Pair]
    notes: list[str] = field(default_factory=list)
    checked: str = ""
    shared: dict[str, float] = field(default_factory=dict)

    @property
    def topics(self) -> tuple[int, int]:
        """The fewest and the most topics of a pair."""
        numbers = [pair.topics for pair in self.pairs]
        return min(numbers), max(numbers)

    @property
    def ranked(self) -> list[str]:
        """The systems by mean, highest first; equal ones by name."""
        return self._sorted_by(-1)

    @property
    def best_first(self) -> list[str]:
        """The systems, best first; if less is better, the lowest value comes first. Equal ones are sorted by name."""
        return self._sorted_by(1 if self.measure.less_is_better else -1)

    def _sorted_by(self, sign: int) -> list[str]:
        pairs = zip(self.means, self.systems, strict=True)
        return [name for _, name in sorted((sign * mean, name) for mean, name in pairs)]

    def in_order(self, systems: list[str]) -> Comparison:
        """Return the same comparison with the systems in another order, which also changes their letters."""
        means = dict(zip(self.systems, self.means, strict=True))
        return replace(self, systems=systems, means=[means[system] for system in systems])

    def significant(self, alpha: float = 0.05) -> list[Pair]:
        """Return the pairs with a significant difference: the corrected p is at most alpha."""
        if not 0 < alpha < 1:
            raise UsageError(f"alpha is {alpha:g}; expected a number between 0 and 1")
        return [pair for pair in self.pairs if pair.corrected <= alpha and pair.better]

    def winners(self, alpha: float = 0.05) -> set[tuple[str, str]]:
        """Return the better and the worse system of each significant pair."""
        return {(pair.better, pair.worse) for pair in self.significant(alpha)}

    def names(self) -> dict[str, str]:
        """Return the letter of each system: a to z, then aa, ab and so on."""
        return {name: letter(number) for number, name in enumerate(self.systems)}

    def letters(self, alpha: float = 0.05) -> dict[str, str]:
        """Return for each system the letters of the systems that it significantly outperforms.

        With more than 26 systems some have two letters, and commas separate them.
        """
        names = self.names()
        better = self.winners(alpha)
        comma = "," if len(self.systems) > 26 else ""
        return {
            system: comma.join(names[other] for other in self.systems if (system, other) in better)
            for system in self.systems
        }

    def about(self, alpha: float | None = None) -> str:
        """Return how the systems were tested, in one line."""
        fewest, most = self.topics
        over = f"over {count_noun(most, 'topic')}"
        if most < self.of or fewest < most:
            over = f"over {f'{fewest} to {most}' if fewest < most else most} of {count_noun(self.of, 'topic')}"
        named = "t-test of corrected differences, each with its own weight λ" if self.checked else TESTS[self.test]
        parts = [f"{named}, {'two-tailed' if self.tails == 2 else 'one-tailed'}", self.checked or over]
        if self.test in SAMPLED:
            samples = f"{count_noun(self.samples, 'sample')}, seed {self.seed}"
            parts.append(samples if self.least else "exact, all sign permutations")
        if self.test == "bootstrap" and fewest < ENOUGH_DRAWN:
            parts.append(TOO_OFTEN)
        if self.test in AT_ONCE:
            parts.append(f"for all pairs of {count_noun(len(self.systems), 'system')} together")
        else:
            parts.append(f"{CORRECTIONS[self.correction]} for {count_noun(len(self.pairs), 'pair')}")
        if alpha is not None:
            parts.append(f"significant at {alpha:g}")
            if self.least > alpha:
                enough = math.ceil(round(self.least * (self.samples + 1)) / alpha)
                parts.append(
                    f"with {count_noun(self.samples, 'sample')} no corrected p can be below {min(1, self.least):.4g}, "
                    f"so nothing is significant: use {enough:,} samples or more, or the test tukey"
                )
        return "; ".join(parts)

    @property
    def least(self) -> float:
        """The smallest corrected p that the number of samples allows; 0 if the test draws no samples."""
        drawn = self.test in SAMPLED and not (self.test == "randomisation" and few(self.topics[1], self.samples))
        pairs = len(self.pairs) if self.correction in ("bonferroni", "holm") else 1
        return pairs / (self.samples + 1) if drawn else 0.0

    def show(self, layout: str = "text", alpha: float = 0.05, digits: int = 4) -> str:
        """Return all pairs as text, tsv, csv, json, md, latex or html; a star marks a significant difference."""
        if layout == "json":
            return json.dumps(self.record(alpha), indent=1, ensure_ascii=False)
        header, caption = self.header(layout), f"{self.measure}: {self.about(alpha)}"
        return render(layout, header, self.rows(alpha, digits), 2, digits, caption)

    def header(self, layout: str) -> list[str]:
        """Return the headings of the table of pairs."""
        header = ["run", "against", "topics", "difference", *interval_headings(self.confidence, layout), "effect"]
        return [*header, "wins", "ties", "losses", "p", "corrected p", "significant"]

    def rows(self, alpha: float = 0.05, digits: int = 4) -> list[list[Any]]:
        """Return a row for each pair; a star marks a significant difference."""
        stars = {(pair.first, pair.second) for pair in self.significant(alpha)}
        rows: list[list[Any]] = []
        for pair in self.pairs:
            numbers = [pair.topics, pair.difference, pair.low, pair.high, pair.effect]
            numbers += [pair.wins, pair.ties, pair.losses]
            ps = [Probability(p, digits) for p in (pair.p, pair.corrected)]
            star = "*" if (pair.first, pair.second) in stars else ""
            rows.append([pair.first, pair.second, *numbers, *ps, star])
        return rows

    def needed(self, layout: str = "text", alpha: float = 0.05, power: float = 0.8, digits: int = 4) -> str:
        """Return how many topics a test needs to detect each difference, if it is the true one, and how many more."""
        if self.checked:
            what = "the number of topics needed is unknown if people's judgments correct the differences"
            raise UsageError(f"{what}; leave out checked=, or see the interval to expect with `assay pool`")
        header = ["run", "against", "topics", "difference", "sd", "topics needed", "more"]
        rows: list[list[Any]] = []
        for pair in self.pairs:
            topics = pair.topics_needed(alpha, power, self.tails)
            more = ["", ""] if topics is None else [topics, max(topics - pair.topics, 0)]
            rows.append([pair.first, pair.second, pair.topics, pair.difference, pair.sd, *map(str, more)])
        about = f"topics that a paired t-test at {alpha:g} needs to detect the difference with {100 * power:g}% power"
        if layout == "json":
            return json.dumps([dict(zip(header, row, strict=True)) for row in rows], indent=1, ensure_ascii=False)
        return render(layout, header, rows, 2, digits, f"{self.measure}: {about}")

    def record(self, alpha: float = 0.05) -> dict[str, Any]:
        """Return everything about the pairs as values for JSON."""
        stars = {(pair.first, pair.second) for pair in self.significant(alpha)}
        asked = ("test", "correction", "tails", "seed", "samples", "confidence", "baseline")
        about = {name: getattr(self, name) for name in asked} | ({"checked": self.checked} if self.checked else {})
        pairs = [{**vars(pair), "significant": (pair.first, pair.second) in stars} for pair in self.pairs]
        return {"measure": str(self.measure), **about, "alpha": alpha, "pairs": [_finite(pair) for pair in pairs]}

    def stars(self, alpha: float = 0.05, layout: str = "text", numbered_by: Comparison | None = None) -> str:
        """Return a triangle of systems, best first, with a star if the upper one significantly outperforms the other.

        A dash means not significant, an empty cell not compared. numbered_by: a comparison of the same systems by
        another measure, whose ranks become the numbers of the systems. Kamps, Lalmas and Pehcevski, Evaluating
        relevant in context: document retrieval with a twist, SIGIR 2007, tables 1 and 2.
        """
        other = self if numbered_by is None else numbered_by
        if {*other.systems} != {*self.systems}:
            raise UsageError(f"{other.measure} compares other systems; expected {list_names(self.systems)}")
        number = {system: str(rank) for rank, system in enumerate(other.best_first, 1)}
        compared = {frozenset((pair.first, pair.second)) for pair in self.pairs}
        better = self.winners(alpha)
        ranked, rows, stars = self.best_first, [], []
        for rank, system in enumerate(ranked, 1):
            cells = [""] * rank
            for lower in ranked[rank:]:
                both = frozenset((system, lower))
                cells.append(("*" if (system, lower) in better else "-") if both in compared else "")
            worse = [lower for lower, cell in zip(ranked, cells, strict=True) if cell == "*"]
            stars += [{"better": system, "than": lower} for lower in worse]
            rows.append([f"{number[system]} {system}", *cells])
        if layout == "json":
            return json.dumps(stars, indent=1, ensure_ascii=False)
        header = [str(self.measure), *(number[system] for system in ranked)]
        told = "" if numbered_by is None else f"numbers are ranks by {other.measure}; "
        are = "is" if len(stars) == 1 else "are"
        significant = f"{told}{len(stars)} of {count_noun(len(self.pairs), 'pair')} {are} significant"
        return render(layout, header, rows, 1, caption=f"{significant}; {self.about(alpha)}")


def interval_headings(confidence: float, layout: str) -> list[str]:
    """Return the headings of the two ends of an interval; in files of rows they have no comma."""
    comma = "" if layout in EXACT else ","
    return [f"{confidence * 100:g}% CI{comma} {end}" for end in ("low", "high")]


def letter(number: int) -> str:
    """Return a to z for 0 to 25, then aa, ab and so on."""
    before, place = divmod(number, 26)
    return (letter(before - 1) if before else "") + chr(ord("a") + place)


def _finite(record: dict[str, Any]) -> dict[str, Any]:
    infinite = {key for key, value in record.items() if isinstance(value, float) and not math.isfinite(value)}
    return {key: None if key in infinite else value for key, value in record.items()}
