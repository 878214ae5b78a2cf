"""How the values of a topic come about, as the browser gets it: the first rows of each ranking, and the formula."""

from __future__ import annotations

from typing import Any

from assay.evaluation.measuring import Measuring
from assay.evaluation.why import WorkedValue, first_rows, formulas, in_digits
from assay.ranking.align import Aligned
from assay.ranking.kinds import Kind

# How many rows of each system, topic and measure are worked out if there is room for them, else fewer or none.
STEPS = (20, 10, 5)
ROOM = 15_000
# What the page knows of a result already.
KNOWN = ("document", "path", "start", "end")
DIGITS = 4

# The parts of a topic, by the number of the measure.
Workings = list[WorkedValue]


def worked_rows(systems: int, topics: int, measures: int) -> int:
    """How many rows of each value the page has room for; 0 if there are too many values."""
    return next((step for step in STEPS if systems * topics * measures * step <= ROOM), 0)


def workings(work: Measuring, kind: Kind, aligned: Aligned, shown: int) -> dict[int, Workings]:
    """How the values of a block come about by the first `shown` measures, by topic.

    Nothing if there is no room for it, or where a value combines several gold standards.
    """
    most = worked_rows(len(work.systems), len(work.pool.topics), shown)
    return first_rows(work, kind, aligned, shown, most) if most and work.standards is None else {}


class WorkingsOfTopic:
    """How the values of a topic come about, by system and measure; headings that recur are kept once."""

    def __init__(self) -> None:
        self.heads: list[list[Any]] = []
        self.runs: list[list[list[Any]] | None] = []

    def add(self, parts: Workings | None, listed: list[str]) -> None:
        """What one more system has; `listed` are the documents that the page lists for it."""
        self.runs.append(None if parts is None else [self._part(part, listed) for part in parts])

    def _part(self, part: WorkedValue, listed: list[str]) -> list[Any]:
        """The number of the heading, the cells by column, the formula with numbers, and quantities beside it.

        The page counts ranks itself, unless results were skipped between them, and knows the results that it lists.
        """
        names = [row["document"] for row in part.rows if "document" in row]
        has_gaps = [row["rank"] for row in part.rows] != list(range(1, len(part.rows) + 1))
        known = KNOWN if names == listed[: len(names)] and not has_gaps else ()
        columns = [name for name in part.columns if (name != "rank" or has_gaps) and name not in known]
        formula, numbers = part.sides(DIGITS) or ("; ".join(formulas(type(part.measure))), "")
        head = [columns, formula, int(bool(known))]
        if head not in self.heads:
            self.heads.append(head)
        beside = {name: value for name, value in part.quantities.items() if f"{{{name}}}" not in part.formula}
        told = [f"{name} = {in_digits(value, DIGITS)}" for name, value in beside.items()]
        cells = [column([row.get(name) for row in part.rows]) for name in columns]
        return [self.heads.index(head), cells, numbers, told]

    def json(self) -> dict[str, Any]:
        """All of it."""
        return {"heads": self.heads, "runs": self.runs}


def column(cells: list[Any]) -> str | list[Any]:
    """The cells of a column: numbers, with the digits that are shown, as one short text, with - for none."""
    if any(isinstance(cell, str) for cell in cells):
        return cells
    return " ".join(map(short, cells))


def short(number: float | None) -> str:
    """A number in the fewest letters that the browser reads as the digits that are shown."""
    if number is None:
        return "-"
    if abs(number) == float("inf"):
        return "Infinity"
    text = f"{number:.{DIGITS}f}".rstrip("0").removesuffix(".") if isinstance(number, float) else str(number)
    return text.removeprefix("0") if text.startswith("0.") else text
