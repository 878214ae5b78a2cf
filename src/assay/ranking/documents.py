"""Ranking: what a measure sees. Columns of numbers, sorted by topic and rank; a measure never sees an id.

A row is a retrieved result that has a judgment. Results without a judgment have no row, but they count: `rank` is the
place in the whole ranking, and `retrieved` is the length of the whole ranking. `read` is how much was read down to and
including a row: the rank if results are whole documents, characters if they are parts of documents (text.py).

    topic            0                 1        2
    rank             1  2  4  9        3        (nothing judged was retrieved)
    grade            2  0  1  1        1
    retrieved        10                10       7
    ideal.grade      2  1  1  1  0     1  0     1
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from assay.errors import UsageError
from assay.tables.ids import Bools, Floats, Grades, Ints, each_once
from assay.vocabulary import Fit

if TYPE_CHECKING:
    from numpy.typing import NDArray

Values: TypeAlias = "NDArray[Any]"
# A ranking with at most this many rows is kept after it is cut, for other measures with the same cut-off.
SHARED = 1 << 10


# Trace: the columns and values that a formula names while it is computed, for `assay.why`.


class Named(NamedTuple):
    """A column of a ranking, or a value for each topic, under the name that the formula uses.

    `rows` says what the rows of the ranking are: results, documents by first appearance, or rows of the ideal ranking.
    """

    name: str
    ranking: Ranking
    x: Values
    is_column: bool
    rows: Literal["results", "documents", "ideal"]


@dataclass(eq=False, repr=False)
class Trace:
    """Records what a formula names; a ranking and the rankings made from it share one list."""

    named: list[Named] = field(default_factory=list)
    rows: Literal["results", "documents", "ideal"] = "results"

    def add(self, name: str, ranking: Ranking, x: Values, is_column: bool) -> None:
        """Keep a column, or a value of each topic."""
        self.named.append(Named(name, ranking, np.asarray(x), is_column, self.rows))


@dataclass(frozen=True, eq=False, repr=False)
class Ranking:
    """The results of some topics, best first, with their grades: what the formula of a measure works on.

    With ties=expected, `first` and `last` are given: a row has each rank from `first` to `last` with equal probability,
    and its `rank` is NaN. `judgment` is the index of each row's judgment, if judgments have more than a grade. A
    `trace` keeps the columns that a formula names.
    """

    starts: Ints
    rank: Ints
    grade: Grades
    retrieved: Ints
    top_grade: float = 1
    first: Ints | None = None
    last: Ints | None = None
    ideal: Ranking = field(default=None, repr=False)  # type: ignore[assignment]
    cut: Ints | int | None = None
    judgment: Ints | None = None
    trace: Trace | None = field(default=None, kw_only=True)

    def __len__(self) -> int:
        """Return the number of topics."""
        return len(self.starts) - 1

    @cached_property
    def rows(self) -> Ints:
        """The number of rows of each topic."""
        return self.starts[1:] - self.starts[:-1]

    @cached_property
    def _has_rows(self) -> Bools | None:
        """Which topics have rows; None if all have some."""
        filled = self.rows > 0
        return None if np.count_nonzero(filled) == len(filled) else filled

    @property
    def read(self) -> Ints:
        """How much was read down to each row, including the row itself."""
        return self.rank

    # What `assay.why` shows of a formula

    def column(self, name: str, x: Values) -> Values:
        """Return x, a value of each row; `assay.why` shows it under this name."""
        if self.trace is not None:
            self.trace.add(name, self, x, is_column=True)
        return x

    def quantity(self, name: str, x: Values) -> Values:
        """Return x, a value of each topic; `assay.why` shows it under this name."""
        if self.trace is not None:
            self.trace.add(name, self, x, is_column=False)
        return x

    def traced(self, trace: Trace | None) -> Ranking:
        """Return the ranking with a trace, which its ideal ranking shares."""
        ideal = self.ideal
        if ideal is not None:
            ideal = replace(ideal, trace=trace and replace(trace, rows="ideal"))
        return replace(self, trace=trace, ideal=ideal)

    # Sums

    def total(self, x: Values, name: str = "") -> Values:
        """Sum x over each topic; `assay.why` shows x under the name, and the sum as Σ."""
        return self._shown("Σ", name, x, self._reduced(np.add, x))

    def highest(self, x: Values, name: str = "") -> Values:
        """Return the highest x of each topic; 0 if a topic has no row. `assay.why` shows x under the name."""
        return self._shown("max", name, x, self._reduced(np.maximum, x))

    def _shown(self, sign: str, name: str, x: Values, value: Values) -> Values:
        if self.trace is not None:
            self.column(name, x)
            self.quantity(f"{sign} {name}", value)
        return value

    def running(self, x: Values) -> Values:
        """Sum x down each topic's ranking, including the row itself."""
        if len(self.starts) == 2:
            return x.cumsum(dtype=np.int64 if x.dtype.kind in "bi" else None)
        if x.dtype.kind in "bi":
            down = np.cumsum(x, dtype=np.int64)
            before = np.concatenate(([0], down))[self.starts[:-1]]
            return down - self.each(before)
        # Sums of fractions depend on where they begin, so each topic is summed from its own first row. Topics with the
        # same number of rows are summed together.
        down = np.empty_like(x)
        for length in each_once(self.rows):
            rows = self.starts[:-1][self.rows == length][:, None] + np.arange(length)
            down[rows] = np.cumsum(x[rows], axis=1)
        return down

    def best_from(self, x: Values) -> Values:
        """Return the highest x from each row down to the end of its topic."""
        best = np.empty_like(x)
        for length in each_once(self.rows):
            rows = self.starts[:-1][self.rows == length][:, None] + np.arange(length)[::-1]
            best[rows] = np.maximum.accumulate(x[rows], axis=1)
        return best

    def above(self, x: Values) -> Values:
        """Sum x down each topic's ranking, excluding the row itself."""
        return self.running(x) - x

    def each(self, x: Values) -> Values:
        """Repeat a value of each topic for each of its rows."""
        return np.repeat(x, self.rows)

    def ideally(self, x: Values) -> Values:
        """Sum x, a column of the ideal ranking, down the ideal ranking to the rank of each row."""
        return self.ideal.down_to(x, self.rank, self.rows)

    def down_to(self, x: Values, depth: Ints, times: Ints) -> Values:
        """Sum x down each topic's ranking to a depth; `depth` has `times` depths for each topic."""
        stride = max(self.rank.max(initial=0), depth.max(initial=0)) + 1
        here = self.each(np.arange(len(self))) * stride + self.rank
        asked = np.repeat(np.arange(len(self)), times) * stride + depth
        end = np.searchsorted(here, asked, side="right")
        sums = np.concatenate(([0], self.running(x)))[end]
        return np.where(end > np.repeat(self.starts[:-1], times), sums, 0)

    def _reduced(self, how: np.ufunc, x: Values) -> Values:
        if x.dtype == bool:
            x = x.astype(np.int64)
        if len(self.starts) == 2 and len(x):
            return how.reduceat(x, self.starts[:-1])
        filled = self._has_rows
        if filled is None and len(self):
            return how.reduceat(x, self.starts[:-1])
        totals = np.zeros(len(self), dtype=x.dtype)
        if filled is not None and filled.any():
            totals[filled] = how.reduceat(x, self.starts[:-1][filled])
        return totals

    # Parts

    def top(self, k: Ints | int | None) -> Ranking:
        """Return the first k results; k may differ from topic to topic.

        Measures with the same cut-off share them, unless there are many.
        """
        if k is None:
            return self
        is_shared = isinstance(k, int) and len(self.rank) <= SHARED
        return self.once(("top", k), lambda: self._top(k)) if is_shared else self._top(k)

    def _top(self, k: Ints | int) -> Ranking:
        cut = k if self.cut is None else np.minimum(k, self.cut)
        top = self.keep((self.rank if self.first is None else self.first) <= self._for_rows(cut))
        # nothing else refers to it yet, so it may be changed in place
        top.__dict__.update(retrieved=np.minimum(self.retrieved, cut), cut=cut)
        return top

    def keep(self, kept: Bools) -> Ranking:
        """Return the ranking with only these rows."""
        counted = len(self.starts) == 2
        starts = np.array([0, np.count_nonzero(kept)]) if counted else np.append(0, np.cumsum(kept))[self.starts]
        first, last = (None if ends is None else ends[kept] for ends in (self.first, self.last))
        judgment = None if self.judgment is None else self.judgment[kept]
        columns: dict[str, Any] = {"first": first, "last": last, "judgment": judgment}
        return replace(self, starts=starts, rank=self.rank[kept], grade=self.grade[kept], **columns)

    def condensed(self) -> Ranking:
        """Return the ranking without its unjudged results, with new ranks."""
        kept = self.keep(self.judged())
        place = np.arange(len(kept.rank))
        begin = kept.each(kept.starts[:-1]) - 1
        if kept.first is None:
            return replace(kept, rank=place - begin, retrieved=kept.rows)
        stride = place.size + kept.first.max(initial=0)
        tie = np.unique(kept.each(np.arange(len(kept))) * stride + kept.first, return_inverse=True)[1]
        first, last = np.searchsorted(tie, tie), np.searchsorted(tie, tie, side="right") - 1
        return replace(kept, first=first - begin, last=last - begin, retrieved=kept.rows)

    def with_grades(self, grade: Grades) -> Ranking:
        """Return the ranking with other grades."""
        return replace(self, grade=grade)

    def within(self, chars: int | None, tokens: int | None = None, fit: Fit = "cut") -> Ranking:
        """Return the results that fit into a budget of characters or tokens."""
        if chars is None and tokens is None:
            return self
        for name, budget, what in (("chars", chars, "characters"), ("tokens", tokens, "tokens")):
            if budget is not None:
                raise UsageError(f"{name}={budget} does not apply: these judgments count documents, not {what}")
        return self

    @property
    def in_tokens(self) -> Ranking:
        """The ranking counted in tokens."""
        raise UsageError("unit=token does not apply: these judgments count documents, not tokens")

    # Documents

    @property
    def documents(self) -> Ranking:
        """The ranking of documents."""
        return self

    @property
    def by_document(self) -> Ranking:
        """The results of each document, as if each document were a topic."""
        raise UsageError("the measure needs highlighted text, but the judgments or the run have only whole documents")

    def each_element(self, unit: str) -> Ranking:
        """Return the ranking of elements; each is relevant or not."""
        raise UsageError(f"unit={unit} does not apply: these judgments count documents, not elements")

    # Relevance

    def relevant(self, rel: float) -> Bools:
        """Return whether each row's grade is at least rel."""
        return self.grade >= rel

    def judged(self) -> Bools:
        """Return whether each row was judged; a negative grade means that it was only in the pool."""
        return self.grade >= 0

    def gain(self, rel: float) -> Values:
        """Return the gain of each row: 1 if it is relevant, or a share of 1 if the cut-off divides its tie."""
        return self.relevant(rel).astype(np.int64) if self.first is None else self.relevant(rel) * self.share

    def recall_base(self, rel: float) -> Ints:
        """Return the number of relevant documents of each topic, retrieved or not."""
        ideal = self.ideal
        number = ideal.once(("recall base", rel), lambda: ideal._reduced(np.add, ideal.relevant(rel)))
        return self.quantity("|relevant|", number.copy())

    def once(self, what: Hashable, made: Callable[[], Any]) -> Any:
        """Compute something about this ranking once, for example the ideal ranking, which serves many runs."""
        kept = self.__dict__.setdefault("_made", {})
        if what not in kept:
            kept[what] = made()
        return kept[what]

    def extent(self, k: int | None) -> Values:
        """Return how much was retrieved: k if the ranking has a cut-off, even if there are fewer results."""
        return self.quantity("|retrieved|", self.retrieved if k is None else np.full(len(self), k))

    # Ties

    @cached_property
    def until(self) -> Ints:
        """The last rank before the cut-off that each row of a tie may have."""
        assert self.last is not None
        return self.last if self.cut is None else np.minimum(self.last, self._for_rows(self.cut))

    def _for_rows(self, k: Ints | int) -> Ints | int:
        return self.each(k) if isinstance(k, np.ndarray) and k.ndim else k

    @cached_property
    def share(self) -> Values:
        """The probability that each row is before the cut: 1 unless ties=expected."""
        if self.first is None or self.last is None:
            return np.ones(len(self.rank), np.int64)
        return (self.until - self.first + 1) / (self.last - self.first + 1)

    def shared(self, x: Values) -> Values:
        """Multiply x by the probability that each row is before the cut-off."""
        return x if self.first is None else x * self.share

    def in_tie(self, x: Values) -> Values:
        """Sum x over the tie that each row is in."""
        down = np.concatenate(([0], np.cumsum(x)))
        begin, end = self._tie
        return down[end] - down[begin]

    def before_tie(self, x: Values) -> Values:
        """Sum x over the rows above the tie that each row is in."""
        down = np.concatenate(([0], np.cumsum(x)))
        return down[self._tie[0]] - down[self.each(self.starts[:-1])]

    @cached_property
    def _tie(self) -> tuple[Ints, Ints]:
        assert self.first is not None
        topic = self.each(np.arange(len(self)))
        changes = (topic[1:] != topic[:-1]) | (self.first[1:] != self.first[:-1])
        bounds = np.concatenate(([0], np.flatnonzero(changes) + 1, [len(topic)]))
        sizes = np.diff(bounds)
        return np.repeat(bounds[:-1], sizes)[: len(topic)], np.repeat(bounds[1:], sizes)[: len(topic)]

    def discount(self, weight: Callable[[Floats], Floats]) -> Floats:
        """Return the weight of each row's rank; in a tie, the mean over its possible ranks before the cut-off."""
        if self.first is None:
            return weight(self.rank.astype(np.float64))
        until = self.until
        down = np.concatenate(([0.0], np.cumsum(weight(np.arange(1.0, until.max(initial=0) + 1)))))
        return (down[until] - down[self.first - 1]) / (until - self.first + 1)

    def divided(self, x: Values, by: Callable[[Floats], Floats]) -> Floats:
        """Divide x by a function of each row's rank; in a tie, take the mean over the ranks before the cut-off."""
        if self.first is None:
            return x / by(self.rank.astype(np.float64))
        return x * self.discount(lambda rank: 1 / by(rank))

    def mean_over_tie(self, weight: Callable[[Floats, Ints], Floats]) -> Floats:
        """Return the mean weight of each row over its possible ranks before the cut-off."""
        assert self.first is not None
        width = self.until - self.first + 1
        row = np.repeat(np.arange(len(width)), width)
        rank = np.arange(width.sum()) - np.repeat(np.cumsum(width) - width - self.first, width)
        spread = replace(self, starts=np.concatenate(([0], np.cumsum(width))), trace=None)
        return spread.total(weight(rank.astype(np.float64), row)) / width


def ratio(part: Values, whole: Values | float) -> Floats:
    """Return part / whole, and 0 if the whole is 0."""
    whole = np.asarray(whole, np.float64)
    if np.count_nonzero(whole) == whole.size:
        return np.asarray(part / whole)
    whole = np.broadcast_to(whole, np.shape(part))
    return np.divide(part, whole, out=np.zeros(np.shape(part)), where=whole != 0)
