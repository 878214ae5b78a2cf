"""The ad hoc tasks of INEX: which measures are reported, and what a valid run keeps to.

Those of 2007 to 2010 count highlighted text; those of 2005 assessed elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.errors import UsageError
from assay.ranking.rules import Limits
from assay.vocabulary import letters


@dataclass(frozen=True)
class Task:
    """A task of highlighted text: its measures, and what its runs must keep to."""

    measures: tuple[str, ...]
    limits: Limits


def in_context(score: str) -> tuple[str, ...]:
    """The measures of the in-context tasks with a score of documents."""
    return (*(f"gP(score={score})@{rank}" for rank in (5, 10, 25, 50)), f"AgP(score={score})")


FOCUSED = ("iP@0", "iP@0.01", "iP@0.05", "iP@0.1", "AiP")
TASKS = {
    "focused": Task(FOCUSED, Limits()),
    "thorough": Task(FOCUSED, Limits(overlap="new")),
    "relevant-in-context": Task(in_context("F(beta=0.25)"), Limits(together=True)),
    "best-in-context": Task(in_context("Window(n=500)"), Limits(together=True, single=True)),
    "restricted-focused": Task(("P", "R", *FOCUSED), Limits(topic_chars=1000)),
    "restricted-relevant-in-context": Task(in_context("T2I"), Limits(together=True, document_chars=500)),
}


@dataclass(frozen=True)
class GradedTask:
    """A task of assessed elements, with overlap, without, or both; `fetch`: articles and their elements apart."""

    overlaps: tuple[str, ...]
    fetch: bool = False

    def measures(self, quants: Sequence[str], alpha: float) -> tuple[str, ...]:
        """The measures that are reported, by quantisation."""
        by_quant = (graded_measures(quant, self.overlaps, alpha, self.fetch) for quant in quants)
        return tuple(measure for measures in by_quant for measure in measures)


# The metrics of 2005, as EvalJ calls them, and the ranks at which nxCG is reported.
METRICS = ("nxCG", "ep/gr", "q")
RANKS = (10, 25, 50)


def graded_measures(
    quant: str,
    overlaps: Sequence[str],
    alpha: float,
    fetch: bool = False,
    metrics: Sequence[str] | None = None,
    ranks: Sequence[int] = RANKS,
) -> list[str]:
    """The measures of some metrics of 2005, by overlap; `fetch`: articles and their elements apart."""
    views = [f"quant={quant}, overlap={overlap}, alpha={alpha:g}" for overlap in overlaps]
    levels = [", level=article", ", level=element"] if fetch else [""]
    by_metric = {
        "nxCG": [f"{name}({{view}})@{rank}" for name in ("nxCG", "MAnxCG") for rank in ranks],
        "ep/gr": [f"{name}({{view}}{level})" for level in levels for name in ("Aep", "iAep")],
        "q": ["Q({view})", "Rmeasure({view})"],
    }
    chosen = usual_metrics(fetch) if metrics is None else metrics
    return [measure.format(view=view) for view in views for metric in chosen for measure in by_metric[metric]]


def usual_metrics(fetch: bool) -> tuple[str, ...]:
    """The metrics that are reported where none are asked for."""
    return ("ep/gr",) if fetch else METRICS


GRADED = {
    "CO.Focussed": GradedTask(("on",)),
    "COS.Focussed": GradedTask(("on",)),
    "CO.Thorough": GradedTask(("off",)),
    "COS.Thorough": GradedTask(("off",)),
    "CO.FetchBrowse": GradedTask(("on", "off"), fetch=True),
    "COS.FetchBrowse": GradedTask(("on", "off"), fetch=True),
    **{name: GradedTask(("off",)) for name in ("SSCAS", "SVCAS", "VSCAS", "VVCAS")},
}


def task_named(name: str) -> Task:
    """The task of a name, in any case of letters and with or without what stands between them: RelevantInContext."""
    spelt = {letters(known): task for known, task in TASKS.items()}
    if letters(name) not in spelt:
        raise UsageError(f"unknown task {name!r}; expected one of {', '.join([*TASKS, *GRADED])}")
    return spelt[letters(name)]


def graded_task(name: str) -> GradedTask | None:
    """The task of assessed elements of a name, if it is one."""
    return {letters(known): task for known, task in GRADED.items()}.get(letters(name))
