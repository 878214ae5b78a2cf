"""The ad hoc tasks of INEX: which measures are reported for each, and the rules for a valid run.

The tasks of 2007 to 2010 count highlighted text, those of 2005 assessed elements.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.errors import UsageError
from assay.ranking.order import Limits
from assay.vocabulary import letters


@dataclass(frozen=True)
class Task:
    """A task of highlighted text: its measures, and the limits for its runs."""

    measures: tuple[str, ...]
    limits: Limits


def in_context(score: str) -> tuple[str, ...]:
    """Return the measures of an in-context task, with the given score of each document."""
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

# The measures of the tasks of each year. The paper of 2007 has two scores for Best in Context: the distance as a share
# of the document (eq. 8, A = 0.1), and as the alternative a window of 1,000 characters (eq. 9).
OF_2008 = {task: TASKS[task].measures for task in ("focused", "relevant-in-context", "best-in-context")}
BY_YEAR = {
    2007: {
        "focused": FOCUSED,
        "relevant-in-context": in_context("F"),
        "best-in-context": (*in_context("BEP"), *in_context("Window(n=1000)")),
    },
    2008: OF_2008,
    2009: OF_2008 | {"thorough": FOCUSED},
    2010: {
        "thorough": FOCUSED,
        "relevant-in-context": in_context("T2I"),
        "restricted-focused": TASKS["restricted-focused"].measures,
        "restricted-relevant-in-context": TASKS["restricted-relevant-in-context"].measures,
    },
}


@dataclass(frozen=True)
class GradedTask:
    """A task of assessed elements, measured with overlap on, off, or both.

    fetch: whether articles and their elements are measured separately.
    """

    overlaps: tuple[str, ...]
    fetch: bool = False

    @property
    def limits(self) -> Limits:
        """The limits for its runs: Focussed allows no overlap, FetchBrowse lists elements of an article together."""
        return Limits(overlap="reject" if self.overlaps == ("on",) else "new", together=self.fetch)

    def measures(self, quants: Sequence[str], alpha: float) -> tuple[str, ...]:
        """Return the measures that are reported, by quantisation."""
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
    """Return the measures of some metrics of 2005, by overlap; fetch: measure articles and elements separately."""
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
    """Return the metrics that are reported if the user names none."""
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


def task_named(name: str, year: int | None = None) -> Task:
    """Return the task with a name, in any case and with or without hyphens, for example RelevantInContext.

    year: use the measures of that year.
    """
    spelt = next((known for known in TASKS if letters(known) == letters(name)), None)
    if spelt is None:
        raise UsageError(f"unknown task {name!r}; choose from {', '.join([*TASKS, *GRADED])}")
    if year is None:
        return TASKS[spelt]
    if year not in BY_YEAR:
        raise UsageError(f"unknown year {year}; choose from {', '.join(map(str, BY_YEAR))}")
    if spelt not in BY_YEAR[year]:
        raise UsageError(f"INEX {year} has no task {spelt}; choose from {', '.join(BY_YEAR[year])}")
    return replace(TASKS[spelt], measures=BY_YEAR[year][spelt])


def year_note(name: str) -> str:
    """Say which year the measures of a task come from if no year is given; nothing if all years have the same."""
    task = task_named(name)
    spelt = next(known for known in TASKS if TASKS[known] is task)
    measures = {year: tasks[spelt] for year, tasks in BY_YEAR.items() if spelt in tasks}
    others = [str(year) for year, reported in measures.items() if reported != task.measures]
    if not others:
        return ""
    same = " and ".join(str(year) for year, reported in measures.items() if reported == task.measures)
    return f"task {spelt} has the measures of INEX {same}; for the measures of {' or '.join(others)} pass year="


def limits_of(name: str) -> Limits:
    """Return the limits for the runs of a task."""
    graded = graded_task(name)
    return task_named(name).limits if graded is None else graded.limits


def graded_task(name: str) -> GradedTask | None:
    """Return the task of assessed elements with a name; None if the name is of another task."""
    return {letters(known): task for known, task in GRADED.items()}.get(letters(name))
