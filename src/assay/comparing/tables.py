"""Tables for a paper: systems x measures, with letters for significant differences or compared with a baseline."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.comparing.comparison import TESTS, Comparison, Pair
from assay.errors import UsageError, count_noun
from assay.showing import layout as layouts
from assay.showing.shown import Shown
from assay.vocabulary import PAPER_COLUMNS, PaperColumn

# Means that differ by no more than this differ only by rounding, so all of them are the best.
SAME = 1e-12


@dataclass(frozen=True, repr=False)
class SignificanceTable(Shown):
    """Systems x measures for a paper; letters after a value mark the systems that this one significantly outperforms.

    The letters follow the order of the rows.
    """

    comparisons: list[Comparison]

    def about(self, alpha: float = 0.05) -> str:
        """Return what the letters mean, in one line; for each measure separately if the tests differ."""
        by_measure: dict[str, list[str]] = {}
        for comparison in self.comparisons:
            by_measure.setdefault(comparison.about(alpha), []).append(str(comparison.measure))
        parts = list(by_measure)
        if len(parts) > 1:
            parts = [f"{', '.join(names)}: {about}" for about, names in by_measure.items()]
        return "A letter marks each system that this one significantly outperforms. " + ". ".join(parts)

    def show(
        self,
        layout: str = "text",
        alpha: float = 0.05,
        digits: int = 4,
        *,
        caption: str = "",
        label: str = "",
        wide: bool | None = None,
    ) -> str:
        """Return the table as text, tsv, csv, json, md, latex or html, the best values in bold if the layout can.

        caption: plain text. It is above a LaTeX table, where `\\` and `$` are printed as they are; in other layouts it
        is below the table, before the explanation. label, wide: for LaTeX; wide spans both columns of a page, by
        default if needed.
        """
        layouts.refuse_label(label, layout)
        layouts.refuse_caption(caption, layout)
        if layout == "json":
            return json.dumps(self._records(alpha), indent=1, ensure_ascii=False)
        names = self.comparisons[0].names()
        measures = [str(comparison.measure) for comparison in self.comparisons]
        headings = layouts.short_names(measures) if layout == "latex" else dict(zip(measures, measures, strict=True))
        header = ["", "run"]
        rows: list[list[Any]] = [[names[name], name] for name in self.comparisons[0].systems]
        for comparison in self.comparisons:
            header += [headings[str(comparison.measure)]]
            # in TSV and CSV the letters have their own column
            header += [f"{comparison.measure} better than"] if layout in layouts.EXACT else []
            for row, cell in zip(rows, self._column(comparison, alpha, digits), strict=True):
                row += [cell, cell.raised] if layout in layouts.EXACT else [cell]
        about = ". ".join(filter(None, [self.about(alpha), layouts.legend_of(headings)]))
        if layout == "latex":
            about = in_sentences(about)
            standing = f"{values_of(self.comparisons)}. {about}"
            return layouts.paper_table(
                header, rows, 2, digits, caption or standing, label, about if caption else "", wide
            )
        return layouts.render(layout, header, rows, 2, digits, layouts.with_caption(caption, about))

    def _column(self, comparison: Comparison, alpha: float, digits: int) -> list[layouts.Cell]:
        best = (min if comparison.measure.less_is_better else max)(comparison.means)
        letters = comparison.letters(alpha)
        return [
            layouts.Cell(mean, digits, bold=abs(mean - best) <= SAME, raised=letters[system])
            for system, mean in zip(comparison.systems, comparison.means, strict=True)
        ]

    def _records(self, alpha: float) -> list[dict[str, Any]]:
        names, records = self.comparisons[0].names(), []
        for comparison in self.comparisons:
            measure, letters = str(comparison.measure), comparison.letters(alpha)
            for system, mean in zip(comparison.systems, comparison.means, strict=True):
                record = {"run": system, "letter": names[system], "measure": measure, "value": mean}
                records.append({**record, "better_than": letters[system]})
        return records


# A table that compares each system with a baseline: values, differences, marks, wins, losses, p.

# The marks of a significant difference, above and below the baseline: at alpha, and at a fifth of alpha.
MARKS = {"arrows": (("△", "▽"), ("▲", "▼")), "daggers": (("†", "†"), ("‡", "‡"))}
STRICTER = 5
# How many decimals a difference in percent has.
PERCENT_DIGITS = 1


@dataclass(frozen=True, repr=False)
class BaselineTable(Shown):
    """Systems x measures, each system compared with the baseline; one comparison per measure.

    sort: the best system by the first measure comes first. Else the baseline comes first, then the others in their
    order.
    """

    comparisons: list[Comparison]
    sort: bool = False

    @property
    def baseline(self) -> str:
        """The system that the others are compared with."""
        name = self.comparisons[0].baseline
        assert name is not None
        return name

    @property
    def systems(self) -> list[str]:
        """The systems, in the order of the rows."""
        first = self.comparisons[0]
        if self.sort:
            return first.best_first
        return [self.baseline, *(name for name in first.systems if name != self.baseline)]

    @property
    def called_p(self) -> str:
        """The heading of the p-values: `p`, or `corrected p` if they are corrected for many systems."""
        return "p" if self.comparisons[0].correction == "none" else "corrected p"

    def about(self, alpha: float = 0.05, marks: str = "arrows", columns: Sequence[PaperColumn] = PAPER_COLUMNS) -> str:
        """Return what the columns and the marks mean."""
        by_measure: dict[str, list[str]] = {}
        for comparison in self.comparisons:
            by_measure.setdefault(comparison.about(), []).append(str(comparison.measure))
        tests = list(by_measure)
        if len(tests) > 1:
            tests = [f"{', '.join(names)}: {about}" for about, names in by_measure.items()]
        weak, strong = (signs if signs[0] != signs[1] else signs[:1] for signs in checked_marks(marks))
        levels = f"{''.join(weak)} p ≤ {alpha:g}, {''.join(strong)} p ≤ {alpha / STRICTER:g}"
        differ = any(comparison.shared for comparison in self.comparisons)
        over = " over the topics that both have (values are over each run's own topics)" if differ else ""
        shown = {
            "percent": f"difference from {self.baseline} in percent{over}",
            "wins": "wins/losses over topics",
            "p": self.called_p,
        }
        parts = [words for column, words in shown.items() if column in columns]
        beside = [", ".join([*parts[:-1], f"and {parts[-1]}"] if len(parts) > 1 else parts)] if parts else []
        if "mark" in columns:
            beside.append(levels if "percent" in columns else f"{levels} for the difference from {self.baseline}")
        meaning = "; ".join(beside)
        return ". ".join([meaning[:1].upper() + meaning[1:], *tests] if meaning else tests)

    def show(
        self,
        layout: str = "text",
        alpha: float = 0.05,
        digits: int = 4,
        *,
        marks: str = "arrows",
        caption: str = "",
        label: str = "",
        columns: Sequence[PaperColumn] | None = None,
        wide: bool | None = None,
    ) -> str:
        """Return the table as text, tsv, csv, json, md, latex or html, the best values in bold if the layout can.

        columns: value, mark, percent, wins and p of each measure; by default value and mark in LaTeX, all elsewhere.
        marks: arrows (△▽ at alpha, ▲▼ at a fifth of it) or daggers († and ‡). caption: plain text. It is above a LaTeX
        table, where `\\` and `$` are printed as they are; in other layouts it is below the table, before the
        explanation. label, wide: for LaTeX; wide spans both columns of a page (`table*`), by default if the table does
        not fit into one.
        """
        checked_marks(marks)
        layouts.refuse_label(label, layout)
        layouts.refuse_caption(caption, layout)
        if layout == "json":
            return json.dumps(self._records(alpha, marks), indent=1, ensure_ascii=False)
        names = [str(comparison.measure) for comparison in self.comparisons]
        chosen = chosen_columns(columns, IN_LATEX if layout == "latex" else PAPER_COLUMNS)
        if layout in layouts.EXACT:
            exact = [(f"{name}{column}", of) for name in names for of, column in EXACT_COLUMNS]
            kept = [0, *(number for number, (_, of) in enumerate(exact, 1) if of in chosen)]
            rows = [[row[number] for number in kept] for row in self._exact_rows(alpha, marks)]
            return layouts.render(layout, [["run", *(name for name, _ in exact)][number] for number in kept], rows, 1)
        headings = layouts.short_names(names)
        # a LaTeX column has room for one letter only; the note below the table says what p is
        p = "p" if layout == "latex" else self.called_p
        titles = {"percent": "%", "wins": "W/L", "p": p}
        own = [column for column in PAPER_COLUMNS if column in chosen and column in titles]
        header = ["run", *(title for name in names for title in (headings[name], *(titles[each] for each in own)))]
        about = ". ".join(filter(None, [self.about(alpha, marks, chosen), layouts.legend_of(headings)]))
        rows = self._rows(alpha, marks, digits, chosen)
        if layout == "latex":
            about = in_sentences(about)
            standing = f"{values_of(self.comparisons)}. {about}"
            return layouts.paper_table(
                header, rows, 1, digits, caption or standing, label, about if caption else "", wide
            )
        return layouts.render(layout, header, rows, 1, digits, layouts.with_caption(caption, about))

    def _rows(self, alpha: float, marks: str, digits: int, columns: Sequence[PaperColumn]) -> list[list[Any]]:
        rows: list[list[Any]] = [[name] for name in self.systems]
        for comparison in self.comparisons:
            less = comparison.measure.less_is_better
            best = (min if less else max)(comparison.means)
            pairs = {pair.first: pair for pair in comparison.pairs}
            for row in rows:
                mean, pair = mean_of(comparison, row[0]), pairs.get(row[0])
                mark = mark_beside(pair, alpha, marks, less) if pair and "mark" in columns else ""
                percent = self._percent(comparison, row[0])
                cells = {
                    "value": layouts.Cell(mean, digits, bold=abs(mean - best) <= SAME, raised=mark),
                    "percent": "" if percent is None else layouts.Signed(percent, PERCENT_DIGITS),
                    "wins": f"{pair.wins}/{pair.losses}" if pair else "",
                    "p": layouts.Probability(pair.corrected, digits) if pair else "",
                }
                row += [cell for column, cell in cells.items() if column in columns]
        return rows

    def _exact_rows(self, alpha: float, marks: str) -> list[list[Any]]:
        rows: list[list[Any]] = [[name] for name in self.systems]
        for comparison in self.comparisons:
            pairs, less = {pair.first: pair for pair in comparison.pairs}, comparison.measure.less_is_better
            for row in rows:
                pair = pairs.get(row[0])
                row += [mean_of(comparison, row[0]), self._percent(comparison, row[0])]
                mark = mark_beside(pair, alpha, marks, less) if pair else None
                row += [pair.wins, pair.losses, pair.corrected, mark] if pair else [None] * 4
        return rows

    def _records(self, alpha: float, marks: str) -> list[dict[str, Any]]:
        records = []
        for comparison in self.comparisons:
            pairs = {pair.first: pair for pair in comparison.pairs}
            for name in self.systems:
                pair = pairs.get(name)
                record = {"run": name, "measure": str(comparison.measure), "value": mean_of(comparison, name)}
                record["percent"] = self._percent(comparison, name)
                for field in ("wins", "ties", "losses", "p", "corrected"):
                    record[field] = getattr(pair, field) if pair else None
                less = comparison.measure.less_is_better
                records.append(record | {"mark": mark_beside(pair, alpha, marks, less) if pair else ""})
        return records

    def _percent(self, comparison: Comparison, system: str) -> float | None:
        """Return the difference from the baseline in percent, over the topics of both.

        None for the baseline itself, and if its value is 0.
        """
        base = comparison.shared.get(system, mean_of(comparison, self.baseline))
        if system == self.baseline or not base:
            return None
        apart = mean_of(comparison, system) - base
        if system in comparison.shared:
            apart = next(pair.difference for pair in comparison.pairs if pair.first == system)
        return 100 * apart / abs(base)


# What follows the name of a measure in the headings of TSV and CSV.
EXACT_COLUMNS = (
    ("value", ""), ("percent", " %"), ("wins", " wins"), ("wins", " losses"), ("p", " corrected p"), ("mark", " mark"),
)  # fmt: skip
# The default columns in LaTeX: few, so that several measures fit into a column of a page.
IN_LATEX: tuple[PaperColumn, ...] = ("value", "mark")


def chosen_columns(asked: Sequence[PaperColumn] | None, otherwise: Sequence[PaperColumn]) -> Sequence[PaperColumn]:
    """Return the columns to show for each measure; the user's choice must include the value."""
    if asked is None:
        return otherwise
    if unknown := next((column for column in asked if column not in PAPER_COLUMNS), None):
        raise UsageError(f"unknown column {unknown!r}; choose from {', '.join(PAPER_COLUMNS)}")
    if "value" not in asked:
        raise UsageError("the columns lack value, which the other columns belong to; add value")
    return asked


def in_sentences(about: str) -> str:
    """Return the explanation as sentences: each test starts with a capital letter, and a period ends the last one."""
    for test in TESTS.values():
        about = about.replace(f". {test}", f". {test[:1].upper()}{test[1:]}")
    return f"{about}."


def values_of(comparisons: list[Comparison]) -> str:
    """Return the default caption: the measures, and the numbers of runs and topics."""
    measures = [str(comparison.measure) for comparison in comparisons]
    names = " and ".join(filter(None, [", ".join(measures[:-1]), measures[-1]]))
    return f"{names} of {count_noun(len(comparisons[0].systems), 'run')} over {count_noun(comparisons[0].of, 'topic')}"


def checked_marks(marks: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the marks at alpha and at a fifth of alpha."""
    if marks not in MARKS:
        raise UsageError(f"unknown marks {marks!r}; choose from {', '.join(MARKS)}")
    return MARKS[marks]


def mean_of(comparison: Comparison, system: str) -> float:
    """Return the mean of a system."""
    return comparison.means[comparison.systems.index(system)]


def mark_beside(pair: Pair, alpha: float, marks: str, less_is_better: bool) -> str:
    """Return the mark of a difference from the baseline, which is `second`; empty if it is not significant.

    The mark says whether the system is above or below the baseline, whichever of these is better.
    """
    if pair.corrected > alpha or not pair.better:
        return ""
    signs = checked_marks(marks)[int(pair.corrected <= alpha / STRICTER)]
    return signs[0] if (pair.better == pair.first) != less_is_better else signs[1]
