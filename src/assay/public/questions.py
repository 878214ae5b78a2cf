"""What is asked of scores, or at once of judgments and runs: compare, significance_table, correlate and report.

Each takes scores first, or in their place judgments and runs, which are evaluated by the rules of `assay.evaluate`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError
from assay.public.evaluate import evaluate
from assay.public.scores import Scores, are_scores

if TYPE_CHECKING:
    from assay.comparing.against_baseline import BaselineTable
    from assay.comparing.best import ChanceOfBest
    from assay.comparing.comparison import Comparison
    from assay.comparing.correlation import Correlation
    from assay.comparing.grouped import GroupedComparison
    from assay.comparing.letters import SignificanceTable


def compare(
    judgments: Any,
    runs: Any = None,
    measure: Any = None,
    *,
    baseline: str | None = None,
    test: str = "randomisation",
    correct: str = "holm",
    tails: int = 2,
    samples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
    **rules: Any,
) -> Comparison:
    """Compares systems by a measure: `compare(judgments, runs, measure)`, or `compare(scores, measure)`.

    All pairs are compared, or each system with the baseline, over the topics that both of a pair have. The first of a
    pair is the one with the greater mean; with a baseline, the second is the baseline. With one tail the question is
    whether the first is better. Tukey's tests take the topics that all systems have a value for, and need no
    correction. Of scores, systems= names those that are compared.

    test: randomisation, bootstrap, t, wilcoxon, sign, tukey or random-tukey. correct: holm, bonferroni, bh or none.
    rules: as of `assay.evaluate`.
    """
    how: dict[str, Any] = {
        "baseline": baseline, "test": test, "correct": correct, "tails": tails, "samples": samples, "seed": seed,
        "confidence": confidence,
    }  # fmt: skip
    if "systems" in rules:
        how["systems"] = rules.pop("systems")
    scores, by = _scores(judgments, runs, measure, rules)
    from assay.comparing.significance import compare as compared

    return compared(scores, scores.measures[0] if by is None else by, **how)


def compare_groups(judgments: Any, runs: Any = None, measure: Any = None, **options: Any) -> GroupedComparison:
    """Compares systems in each group of topics, and over all topics, as `compare` does.

    `compare_groups(judgments, runs, measure, by=…)`, or `compare_groups(scores, measure)` with scores of
    `assay.evaluate(..., by=…)`. A group in which two systems have fewer than two topics in common is left
    out, and noted.
    """
    how, rules = _split(options)
    scores, by = _scores(judgments, runs, measure, rules)
    from assay.comparing.grouped import compared_by_group

    return compared_by_group(scores, scores.measures[0] if by is None else by, **how)


def significance_table(judgments: Any, runs: Any = None, measures: Any = None, **options: Any) -> SignificanceTable:
    """The table of a paper: systems x measures, with the letters of systems that are significantly worse.

    `significance_table(judgments, runs, measures)`, or `significance_table(scores, measures)`; options are those of
    `compare`. The correction is for the pairs of one measure, not for all measures together.
    """
    how, rules = _split(options)
    scores, asked = _scores(judgments, runs, measures, rules)
    from assay.comparing.significance import with_letters

    return with_letters(scores, asked, **how)


def baseline_table(
    judgments: Any, runs: Any = None, measures: Any = None, *, baseline: str, **options: Any
) -> BaselineTable:
    """The table of a paper: each system beside a baseline, with its value, the difference in per cent, a mark where
    that is significant, wins and losses over topics, and p.

    `baseline_table(judgments, runs, measures, baseline=…)`, or `baseline_table(scores, measures, baseline=…)`; options
    are those of `compare`, and sort=True puts the best system first. The correction is for the systems by one measure,
    not for all measures together.
    """
    how, rules = _split(options)
    scores, asked = _scores(judgments, runs, measures, rules)
    from assay.comparing.significance import beside_baseline

    return beside_baseline(scores, baseline, asked, **how)


def chance_of_best(judgments: Any, runs: Any = None, measure: Any = None, **options: Any) -> ChanceOfBest:
    """The chance of each system to be the best by a measure, and how many more topics would decide.

    `chance_of_best(judgments, runs, measure)`, or `chance_of_best(scores, measure)`; options are systems=, samples= and
    seed=, and the rules of `assay.evaluate`.
    """
    how, rules = _split(options)
    scores, by = _scores(judgments, runs, measure, rules)
    from assay.comparing.best import drawn_best

    return drawn_best(scores, scores.measures[0] if by is None else by, **how)


def correlate(
    judgments: Any,
    runs: Any = None,
    measures: Any = None,
    *,
    coefficient: str = "tau-b",
    by: str | None = None,
    over: str | None = None,
    p: float = 0.9,
    **rules: Any,
) -> Correlation:
    """How far measures agree on the order of systems.

    `correlate(judgments, runs, measures)`, or `correlate(scores, measures)`. Of several scores, one for each task, in a
    list or in a dict that names them, it is the mean over the tasks; a measure that counts overlap in one task and not
    in another is the same measure there. `over` names a parameter, such as quant, over whose values the mean is taken
    as well (INEX 2005, table 1). `by` names a parameter whose values are compared instead of measures; the mean is then
    taken over the measures (table 2). `p` is that of rbo. coefficient: tau-b, tau-ap or rbo.
    """
    scores, asked = _scores(judgments, runs, measures, rules)
    from assay.comparing.correlation import correlate as correlated

    return correlated(scores, asked, coefficient=coefficient, by=by, over=over, p=p)


def report(judgments: Any, runs: Any, output: Any = None, measures: Any = None, **options: Any) -> str:
    """Write an HTML page about runs, and return its path: values with significance, charts, rankings of every topic.

    `report(judgments, runs, "report.html", measures)`, or `report(scores, "report.html")`. All rules of
    `assay.evaluate` may be given. Where documents are given, the page shows the text itself: found, missed, and
    returned in vain. topics_file has the titles of topics, and with by= the groups, as in `assay.evaluate`.
    baseline, test, correct, seed: as in `assay.compare`. title, date and command are shown if they are given; without a
    date, the same input makes the same bytes.
    """
    if isinstance(judgments, Scores):
        return judgments.report(runs if output is None else output, **options)
    from assay.reporting.report import report as written

    if not isinstance(output, str | os.PathLike):
        raise UsageError("a report needs a file to be written to: report(judgments, runs, 'report.html')")
    return written(judgments, runs, output, measures, **options)


# What tells how systems are compared, and not how runs are evaluated.
HOW = ("baseline", "systems", "test", "correct", "tails", "samples", "seed", "confidence", "sort")


def _split(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of a comparison, and the rules of an evaluation."""
    how = {name: value for name, value in options.items() if name in HOW}
    return how, {name: value for name, value in options.items() if name not in HOW}


def _scores(judgments: Any, runs: Any, measures: Any, rules: dict[str, Any]) -> tuple[Any, Any]:
    """The scores that are asked about, and the measures that are named."""
    if not are_scores(judgments):
        return evaluate(judgments, runs, measures, **rules), None
    if rules:
        raise UsageError(f"scores are evaluated already; {next(iter(rules))}= goes with judgments and runs")
    if runs is not None and measures is not None:
        raise UsageError("expected scores and a measure, or judgments, runs and a measure")
    return judgments, measures if runs is None else runs
