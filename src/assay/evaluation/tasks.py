"""The ad hoc tasks of INEX: which measures are reported, and what a valid run keeps to.

Those of 2007 to 2010 count highlighted text; those of 2005 assessed elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.errors import UsageError
from assay.ranking.rules import Limits


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
        views = [f"quant={quant}, overlap={overlap}, alpha={alpha:g}" for quant in quants for overlap in self.overlaps]
        of_list = [f"{name}({{view}})@{rank}" for name in ("nxCG", "MAnxCG") for rank in (10, 25, 50)]
        of_list += ["Aep({view})", "iAep({view})", "Q({view})", "Rmeasure({view})"]
        levels = [(level, name) for level in ("article", "element") for name in ("Aep", "iAep")]
        of_levels = [f"{name}({{view}}, level={level})" for level, name in levels]
        return tuple(measure.format(view=view) for view in views for measure in (of_levels if self.fetch else of_list))


GRADED = {
    "CO.Focussed": GradedTask(("on",)), "COS.Focussed": GradedTask(("on",)),
    "CO.Thorough": GradedTask(("off",)), "COS.Thorough": GradedTask(("off",)),
    "CO.FetchBrowse": GradedTask(("on", "off"), fetch=True), "COS.FetchBrowse": GradedTask(("on", "off"), fetch=True),
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


def letters(name: str) -> str:
    """The letters of a name."""
    return "".join(letter for letter in name.lower() if letter.isalnum())
