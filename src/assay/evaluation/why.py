"""Where a value comes from: the ranking of one topic, one row per result, and the formula with the numbers filled in.

Assay computes the formula as in any evaluation, but on rankings with a trace. The trace records what the formula names:
columns, and values of the topic. So what is shown is what was computed. Sums without a name are shown, too, so that a
measure that names nothing still has rows, sums and a value.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import InputError, UsageError, count_noun, list_names, quote
from assay.evaluation.evaluate import Options, prepare
from assay.evaluation.measuring import Measuring, counted_in
from assay.measures.base import Measure, MeasuresLike
from assay.measures.ragas_contexts import similarity
from assay.ranking.align import Aligned, Returned
from assay.ranking.documents import Named, Ranking, Trace, Values, ratio
from assay.ranking.elements import ElementRanking
from assay.ranking.kinds import Kind
from assay.ranking.pool import Pool
from assay.ranking.text import TextRanking
from assay.reading.given import given_inputs
from assay.showing.layout import EXACT, escape_text, render
from assay.tables.run import Run

if TYPE_CHECKING:
    from assay.reading.input_types import JudgmentsLike, RunsLike

# A quantity in a formula; and a formula whose first sum or maximum is over rows, so that each row has its share of it.
NAME = re.compile(r"\{([^{}]+)\}")
OF_ROWS = re.compile(r"\{(Σ|max) ([^{}]+)\}(?: [·/] (?:(?!\{\1 \2\}).)*)?")
# The column that is also shown for the ideal ranking, beside the columns that are summed.
GAIN = "gain"
# How many topics with similar ids an error names.
NEAR = 5

Cells = dict[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class WorkedValue:
    """The value of a measure for a topic, and how it is computed.

    `rows` has the cells of each result by column; `columns` is the order, and a missing cell is None. `quantities` are
    the values that the formula names, `formula` is written with them. `against` names the gold standard if there are
    several.
    """

    measure: Measure
    value: float
    columns: list[str]
    rows: list[Cells]
    quantities: dict[str, float]
    formula: str = ""
    against: str = ""

    @property
    def names(self) -> int:
        """How many columns at the left identify the result: rank, document and path."""
        return 1 + sum(name in ("document", "path") for name in self.columns)

    def sides(self, digits: int) -> list[str]:
        """Return the formula, and the formula with the numbers filled in; nothing if there is no formula to show."""
        known = {**vars(self.measure), **self.quantities}
        as_name, as_number = lambda name: name[1], lambda name: in_digits(known[name[1]], digits)
        return [NAME.sub(put, self.formula) for put in (as_name, as_number)] if self.formula else []

    def equation(self, digits: int) -> str:
        """Return the formula, the formula with the numbers filled in, and the value, joined by `=`."""
        sides = [str(self.measure), *self.sides(digits)]
        value = in_digits(self.value, digits)
        return " = ".join([*sides, *([] if sides[-1] == value else [value])])

    def record(self) -> dict[str, Any]:
        """Return everything in full precision, for JSON, which has no infinity."""
        told = {"measure": str(self.measure)} | ({"against": self.against} if self.against else {})
        formula = {"formula": NAME.sub(lambda name: name[1], self.formula)} if self.formula else {}
        rows = [{name: finite(row.get(name)) for name in self.columns} for row in self.rows]
        quantities = {name: finite(value) for name, value in self.quantities.items()}
        return told | {"rows": rows, "quantities": quantities} | formula | {"value": finite(self.value)}


@dataclass(frozen=True, eq=False, repr=False)
class Why:
    """How the values of a topic are computed; `parts` has one item per measure, in order."""

    run: str
    topic: str
    parts: list[WorkedValue]
    notes: list[str] = field(default_factory=list)

    @property
    def values(self) -> dict[str, float]:
        """The value of each measure by name, the same as in `assay.evaluate`."""
        return {str(part.measure): part.value for part in self.parts}

    def show(self, layout: str = "text", digits: int = 4) -> str:
        """Return everything as text, tsv, csv, json, md, latex or html."""
        if layout == "json":
            import json

            told = {"run": self.run, "topic": self.topic, "measures": [part.record() for part in self.parts]}
            return json.dumps(told, indent=1, ensure_ascii=False) + "\n"
        return self._flat(layout) if layout in EXACT else "\n".join(self._pages(layout, digits))

    def _pages(self, layout: str, digits: int) -> Iterator[str]:
        """Yield a table and a few lines for each measure; the last line is its value."""
        line = {"html": "<p>{}</p>\n", "md": "{}\n\n", "latex": "{}\n\n"}.get(layout, "{}\n").format
        for part in self.parts:
            against = f" against {part.against}" if part.against else ""
            title = line(escape_text(layout, f"{part.measure} of topic {self.topic} in {self.run}{against}"))
            rows = [["" if (cell := row.get(name)) is None else cell for name in part.columns] for row in part.rows]
            table = render(layout, part.columns, rows, part.names, digits) + "\n" if part.columns else ""
            formula = [] if part.formula else formulas(type(part.measure))
            known = [f"{name} = {in_digits(value, digits)}" for name, value in part.quantities.items()]
            below = [line(escape_text(layout, text)) for text in (*formula, *known, part.equation(digits))]
            yield f"{title}\n{table}{''.join(below)}"

    def _flat(self, layout: str) -> str:
        """Return the rows of all measures; the quantities and the value of each measure follow its rows."""
        columns = list(dict.fromkeys(name for part in self.parts for name in part.columns))
        rows = []
        for part in self.parts:
            told = [self.run, self.topic, str(part.measure), *([part.against] if self._has_standards else [])]
            rows += [[*told, *(row.get(name) for name in columns), None, None] for row in part.rows]
            below = {**part.quantities, str(part.measure): part.value}
            rows += [[*told, *[None] * len(columns), name, value] for name, value in below.items()]
        label = ["against"] if self._has_standards else []
        return render(layout, ["run", "topic", "measure", *label, *columns, "quantity", "value"], rows, 0)

    @property
    def _has_standards(self) -> bool:
        return any(part.against for part in self.parts)

    def __repr__(self) -> str:
        return self.show().rstrip()

    def _repr_html_(self) -> str:
        return self.show("html")


def in_digits(value: Any, digits: int) -> str:
    """Format a number for people; whole numbers have no decimals."""
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def finite(value: Any) -> Any:
    """Return a value for JSON; None if it is infinite or NaN."""
    return None if isinstance(value, float) and not np.isfinite(value) else value


def formulas(cls: type[Measure]) -> list[str]:
    """Return the lines of the formula in a measure's docstring."""
    _, _, body = (inspect.getdoc(cls) or "").partition("\n\n")
    first = body.split("\n\n")[0].split("\n")
    return [line.strip() for line in first if line.startswith("    ")]


def why(
    judgments: JudgmentsLike,
    run: RunsLike,
    measures: MeasuresLike | None = None,
    *,
    topic: str | int | None = None,
    **rules: Any,
) -> Why:
    """Show how the values of a topic are computed; `rules` are the options of `assay.evaluate`."""
    judged, named = given_inputs(judgments, run, rules.get("format"))
    if len(named) != 1:
        raise UsageError(f"why shows one run at a time; found {len(named)}: {list_names(list(named))}")
    ready = prepare(judged, measures, Options(**rules), beside=list(named.values()))
    chosen = chosen_topic(None if topic is None else str(topic), ready.pool)
    evaluation = ready.evaluation(named, keep=lambda work, kind, aligned: worked_out(work, aligned, chosen))
    (name,) = named
    kept = next((parts for parts in evaluation.kept[name] if parts is not None), None)
    parts = worked_out(ready.measuring, None, chosen) if kept is None else kept
    assert parts is not None
    values = evaluation.scores.values[0, :, chosen].tolist()
    together = [
        whole for number, each in enumerate(parts) for whole in with_whole(ready.measures[number], each, values[number])
    ]
    return Why(name, ready.pool.topics[chosen], together, evaluation.scores.notes)


def chosen_topic(topic: str | None, pool: Pool) -> int:
    """Return the number of the topic that the user asks for; the user must name it if there are several."""
    if topic is None and len(pool.topics) == 1:
        return 0
    if topic is None:
        number = count_noun(len(pool.topics), "topic")
        raise UsageError(f"{pool.judgments.name} has {number}; pass topic=, one of {list_names(pool.topics, NEAR)}")
    if topic in pool.judgments.unanswerable:
        what = f"topic {quote(topic)} is marked as having no answer, so it has no value"
        raise InputError(f"{what}; choose another topic", pool.judgments.name)
    if topic not in pool.topics:
        near = sorted(pool.topics, key=lambda other: -similarity(topic, other))[:NEAR]
        raise InputError(f"no topic {quote(topic)}; expected a topic such as {', '.join(near)}", pool.judgments.name)
    return pool.topics.index(topic)


def with_whole(measure: Measure, parts: list[WorkedValue], value: float) -> Iterator[WorkedValue]:
    """Yield the parts against each gold standard; if there are several, the combined value follows them."""
    if len(parts) == 1:
        # the value is NaN if the topic does not count
        yield replace(parts[0], value=parts[0].value if np.isnan(value) else value, against="")
    else:
        yield from parts
        against = {f"against {part.against}": part.value for part in parts}
        yield WorkedValue(measure, value, [], [], against, against="all gold standards")


def worked_out(work: Measuring, aligned: Aligned | None, topic: int) -> list[list[WorkedValue]] | None:
    """Work out a topic by each measure against each gold standard; None if the topic is not in the block.

    Without a block, work out the topic as if the run retrieved nothing.
    """
    if aligned is not None and topic not in aligned.topics.tolist():
        return None
    run = None if aligned is None else aligned.returned().run
    name = work.pool.topics[topic]
    pools = [(work.pool, "")] if work.standards is None else list(work.standards.of_topic(name))
    parts: list[list[WorkedValue]] = [[] for _ in work.measures]
    for pool, against in pools:
        for kind, numbers in work.kinds.items():
            listing = listing_of(work, kind, pool, run, pool.topics.index(name))
            for number in numbers:
                traced = TracedMeasure.of(work.measures[number], listing.ranking, work.rules.ties == "expected")
                parts[number].append(explain_topic(traced, listing, against))
    return parts


def first_rows(work: Measuring, kind: Kind, aligned: Aligned, shown: int, most: int) -> dict[int, list[WorkedValue]]:
    """Work out each topic of a block by the first `shown` measures, with `most` rows for each.

    Each formula is computed once for all topics of the block, against the block's own pool.
    """
    run, parts = aligned.returned().run, dict[int, dict[int, WorkedValue]]()
    for needed, numbers in work.kinds.items():
        numbers = [number for number in numbers if number < shown]
        if not numbers:
            continue
        is_same = work.kind_for(run, needed) is kind and work.rules.ties != "expected"
        topic = int(aligned.topics[0]) if len(aligned.topics) else 0
        listing = (
            TopicListing(aligned.ranking, 0, aligned.returned(), work.pool)
            if is_same
            else listing_of(work, needed, work.pool, run, topic)
        )
        for number in numbers:
            traced = TracedMeasure.of(work.measures[number], listing.ranking, work.rules.ties == "expected")
            for place, topic in enumerate(aligned.topics.tolist()):
                worked = explain_topic(traced, listing._replace(place=place), most=most)
                parts.setdefault(topic, {})[number] = worked
    return {topic: [of_topic[number] for number in sorted(of_topic)] for topic, of_topic in parts.items()}


class TopicListing(NamedTuple):
    """A ranking, the place of the topic in it, and what the run returned; `returned` is None without a run."""

    ranking: Ranking
    place: int
    returned: Returned | None
    pool: Pool


def listing_of(work: Measuring, kind: Kind, pool: Pool, run: Run | None, topic: int) -> TopicListing:
    """Return the ranking of one kind that contains the topic."""
    if run is None:
        return TopicListing(kind.nothing(pool, np.array([topic])), 0, None, pool)
    align, rules = work.kind_for(run, kind).align, work.rules
    aligned = align(run, pool, rules)
    # with ties=expected, a tie may reach beyond the depth
    whole = align(run, pool, replace(rules, depth=None)) if rules.ties == "expected" else aligned
    return TopicListing(aligned.ranking, aligned.topics.tolist().index(topic), whole.returned(), pool)


# From what a formula names to rows.


@dataclass(frozen=True, eq=False, repr=False)
class TracedMeasure:
    """A measure, computed for all topics of a ranking, and what its formula names.

    `ranking` is in the unit that the measure counts, `whole` the original ranking. `quantities` and `columns` have what
    the formula names, for all topics.
    """

    measure: Measure
    whole: Ranking
    ranking: Ranking
    values: Values
    quantities: dict[str, Values]
    columns: dict[str, Named]
    formula: str

    @classmethod
    def of(cls, measure: Measure, whole: Ranking, open_ties: bool) -> TracedMeasure:
        """Compute a measure on a ranking with a trace."""
        trace = Trace()
        ranking = counted_in(whole.traced(trace), measure.unit)
        values = np.asarray((measure.expected if open_ties else measure)(ranking), np.float64)
        named = [each for each in trace.named if len(each.ranking) == len(ranking)]
        quantities = dict(quantities_of(named, bool(measure.worked)))
        worked = (measure.worked_on_text if isinstance(ranking, TextRanking) else "") or measure.worked
        if not quantities.keys() | vars(measure).keys() >= set(NAME.findall(worked)):
            worked = ""
        return cls(measure, whole, ranking, values, quantities, columns_of(named, bool(worked)), worked)

    @cached_property
    def seen(self) -> Ranking:
        """The results that the formula used; all elements if it used only some of them."""
        seen = next((named.ranking for named in self.columns.values() if named.rows != "ideal"), self.ranking)
        is_part = isinstance(self.whole, ElementRanking) and not isinstance(seen, ElementRanking | TextRanking)
        return self.whole if is_part else seen

    @property
    def last_rank(self) -> int | None:
        """The last rank that counts; None without a cut-off, and with ties=expected: a tie may reach beyond it."""
        last: int | None = getattr(self.measure, "k", None)
        return last if self.ranking.first is None else None

    @cached_property
    def known(self) -> dict[str, Values]:
        """The columns that are known before anything is computed, if results are parts of documents."""
        if isinstance(self.seen, TextRanking):
            return text_columns(self.seen)
        return element_columns(self.seen) if isinstance(self.seen, ElementRanking) else {}

    def rows_of(self, listing: TopicListing, returned: Returned, most: int | None) -> dict[int, Cells]:
        """Return the first `most` results of a topic that the formula used, by rank, with the known columns."""
        if isinstance(self.seen, TextRanking | ElementRanking):
            return result_rows(self.seen, listing.place, returned.run, self.known, most)
        return document_rows(self.seen, listing, returned, most)


def explain_topic(
    traced: TracedMeasure, listing: TopicListing, against: str = "", most: int | None = None
) -> WorkedValue:
    """Return the value of a topic by a measure with everything that its formula names, and the first `most` rows."""
    place, value = listing.place, float(traced.values[listing.place])
    quantities = {name: plain(x[place]) for name, x in traced.quantities.items()}
    rows = {} if listing.returned is None else traced.rows_of(listing, listing.returned, most)
    for name, named in traced.columns.items():
        for rank, cell in by_rank(named, place, rows):
            rows.setdefault(rank, {"rank": rank})[name] = plain(cell)
    if traced.last_rank is not None:
        rows = {rank: row for rank, row in rows.items() if rank <= traced.last_rank}
    told = dict.fromkeys(name for row in rows.values() for name in row)
    if match := OF_ROWS.fullmatch(traced.formula):
        quantities |= add_parts(rows, match[1], match[2], value)
        told |= dict.fromkeys(("adds", "so far"))
    order = sorted(told, key=lambda name: name.startswith("ideal ")) if rows else []
    used = [rows[rank] for rank in sorted(rows)][:most]
    return WorkedValue(traced.measure, value, order, used, quantities, traced.formula, against)


def plain(value: Any) -> Any:
    """Convert a numpy value to Python: booleans become 1 or 0, NaN becomes None."""
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, float) and np.isnan(number):
        return None
    return int(number) if isinstance(number, bool) else number


def quantities_of(named: list[Named], has_formula: bool) -> Iterator[tuple[str, Values]]:
    """Yield the values of the topic, each name once; sums without a name only if the measure has no formula."""
    unnamed = 0
    for each in named:
        if each.is_column:
            continue
        name = each.name
        if name.endswith(" "):
            unnamed += 1
            if has_formula or each.rows == "ideal":
                continue
            name = f"{name}term {unnamed}"
        yield ("ideal " if each.rows == "ideal" else "") + name, each.x


def columns_of(named: list[Named], has_formula: bool) -> dict[str, Named]:
    """Return the columns, each name once; for the ideal ranking only its gain and what is summed."""
    summed = {each.name.partition(" ")[2] for each in named if not each.is_column}
    columns: dict[str, Named] = {}
    unnamed = 0
    for each in named:
        if not each.is_column:
            continue
        name = each.name
        if not name:
            unnamed += 1
            if has_formula or each.rows == "ideal":
                continue
            name = f"term {unnamed}"
        if each.rows == "ideal":
            if each.name in summed or each.name == GAIN:
                columns[f"ideal {name}"] = each
        else:
            columns[name] = each
    return columns


def by_rank(named: Named, place: int, rows: dict[int, Cells]) -> Iterator[tuple[int, Any]]:
    """Yield the cells of a column with their ranks.

    With ties=expected, results of the same grade in one tie have the same cell; it is put at any result of the tie with
    that grade.
    """
    ranking = named.ranking
    here = slice(ranking.starts[place], ranking.starts[place + 1])
    if ranking.first is None or ranking.last is None or named.rows == "ideal":
        yield from zip(ranking.rank[here].tolist(), named.x[here], strict=True)
        return
    free = {rank: row["grade"] for rank, row in rows.items() if row.get("grade") is not None}
    ties = zip(ranking.first[here].tolist(), ranking.last[here].tolist(), ranking.grade[here].tolist(), strict=True)
    for (first, last, grade), cell in zip(ties, named.x[here], strict=True):
        rank = next(rank for rank in range(first, last + 1) if rank in free and max(free[rank], -1) == grade)
        del free[rank]
        rows[rank]["tie"] = f"{first} to {last}" if first < last else ""
        yield rank, cell


def add_parts(rows: dict[int, Cells], sign: str, name: str, value: float) -> dict[str, int]:
    """Add to each row what it adds to the value, and the value so far.

    Of a maximum, the first row that reaches it adds all of it, and the result has its rank.
    """
    cells = {rank: row[name] for rank, row in rows.items() if row.get(name) is not None}
    best = None
    if sign == "max" and value:
        best = next((rank for rank, cell in cells.items() if cell == max(cells.values())), None)
        adds = {rank: value if rank == best else 0.0 for rank in cells}
    else:
        total = sum(cells.values())
        adds = {rank: cell * value / total if total else 0.0 for rank, cell in cells.items()}
    so_far = 0.0
    for rank in sorted(rows):
        so_far += adds.get(rank, 0.0)
        rows[rank] |= {"adds": adds.get(rank), "so far": so_far}
    return {} if best is None else {"at rank": best}


# The results of the topic with their judgments, by rank.


def document_rows(seen: Ranking, listing: TopicListing, returned: Returned, most: int | None) -> dict[int, Cells]:
    """Return documents with their grades; if the run returned parts of documents, in the order of first appearance."""
    place = listing.place
    here = slice(returned.starts[place], returned.starts[place + 1])
    row, judged = returned.row[here], returned.judged[here]
    if isinstance(listing.ranking, TextRanking):
        first = listing.ranking.first_of[here]
        row, judged = row[first], judged[first]
    if seen.first is None:
        # with ties=expected, any result of a tie may be above the cut-off
        last = min(int(seen.retrieved[place]), len(row) if most is None else most)
        row, judged = row[:last], judged[:last]
    grades = np.where(judged >= 0, listing.pool.judgments.grade[judged], 0).tolist() if len(judged) else []
    names = returned.run.document[row].texts()
    return {
        rank: {"rank": rank, "document": name, "grade": grade if number >= 0 else None}
        for rank, (name, grade, number) in enumerate(zip(names, grades, judged.tolist(), strict=True), 1)
    }


def text_columns(seen: TextRanking) -> dict[str, Values]:
    """Return the columns of spans: characters returned, paid, new and highlighted, with precision and recall so far."""
    found = seen.running(seen.found)
    return {
        "start": seen.start, "end": seen.end, "returned": seen.returned, "paid": seen.size,
        "new": seen.returned - seen.repeated, "highlighted": seen.found,
        "P@i": ratio(found, seen.read), "R@i": ratio(found, seen.each(seen.base)),
    }  # fmt: skip


def element_columns(seen: ElementRanking) -> dict[str, Values]:
    """Return the columns of elements: path, the two grades, and size."""
    elements = seen.base.elements
    pairs = [
        f"({'?' if elements.exhaustivity[at] < 0 else elements.exhaustivity[at]}, {elements.specificity[at]:.4g})"
        if at >= 0
        else ""
        for at in seen.element.tolist()
    ]
    size = np.where(seen.size < 0, np.nan, seen.size) if np.any(seen.size < 0) else seen.size
    return {"path": np.array(seen.path, object), "(e, s)": np.array(pairs, object), "size": size}


def result_rows(
    seen: TextRanking | ElementRanking, place: int, run: Run, columns: Mapping[str, Values], most: int | None
) -> dict[int, Cells]:
    """Return the first `most` rows of a ranking that has one row per result."""
    begin, end = int(seen.starts[place]), int(seen.starts[place + 1])
    here = slice(begin, end if most is None else min(end, begin + most))
    names = run.document[seen.row[here]].texts()
    cells = [[plain(cell) for cell in column[here]] for column in columns.values()]
    return {
        rank: {"rank": rank, "document": name, **dict(zip(columns, row, strict=True))}
        for rank, name, *row in zip(seen.rank[here].tolist(), names, *cells, strict=True)
    }
