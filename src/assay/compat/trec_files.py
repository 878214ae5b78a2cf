"""Read files as trec_eval does: whitespace is C's, and numbers are what C's atof and atol make of any text.

Ids are the bytes of the file, one letter per byte (Latin-1), so any encoding is kept and strings compare like bytes. A
run is read in blocks of whole topics, as `evaluate` reads it. The second half of this file has what trec_eval computes
differently from our measures.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np

from assay.errors import AssayError, InputError, quote
from assay.files.source import MARK, Source
from assay.measures.counts import NumRelRet, Unjudged
from assay.measures.graded import DCG, RBP, RBPresidual, RnDCG, gains, nDCG
from assay.measures.levels import COUNTS, IPrec
from assay.measures.ranked import Rprec
from assay.measures.sets import SetP, SetR, Utility
from assay.ranking.documents import Ranking, Values, ratio
from assay.reading.lines import PAD, column_at, field_ends, pad, read_joined, topic_blocks
from assay.reading.numbers import numbers
from assay.tables.ids import Floats, Ids, Ints

LARGEST = 2**63 - 1
MINUS, ZERO = b"-0"
# Fields that trec_eval ignores.
IGNORED = ("Q0", "0", "rank")
# The field of which only the last line counts.
TAG = "tag"
FLOAT = re.compile(
    rb"[+-]?(?:0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?\d+)?|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|nan)", re.I
)
WHOLE = re.compile(rb"([+-]?)0*(\d*)")


def latin(data: bytes) -> str:
    """Decode bytes as Latin-1, one letter per byte."""
    return data.decode("latin-1")


def decoded_for_message(text: str) -> str:
    """Decode such a string for a message, into the letters that its bytes stand for."""
    return os.fsdecode(text.encode("latin-1"))


def atof(text: bytes) -> float:
    """Return the number that a text begins with, or 0 if there is none: C's atof."""
    matched = FLOAT.match(text)
    if not matched:
        return 0.0
    number = matched.group().decode()
    try:
        return float.fromhex(number) if "x" in number.lower() else float(number)
    except OverflowError:
        return float("-inf") if number.startswith("-") else float("inf")


def atol(text: bytes) -> int:
    """Return the whole number that a text begins with, or 0 if there is none: C's atol."""
    sign, digits = WHOLE.match(text).groups()  # type: ignore[union-attr]
    size = int(digits or b"0") if len(digits) < 20 else LARGEST
    return min(size, LARGEST) * (-1 if sign == b"-" else 1)


def scores(column: Ids) -> Floats:
    """Convert a column as C's atof does; only values that the normal reader cannot read take the slow way."""
    values = numbers(column)
    odd = np.flatnonzero(np.isnan(values))
    values[odd] = [atof(text.encode()) for text in column[odd].texts()]
    return values


def grades(column: Ids) -> Ints:
    """Convert a column as C's atol does; most values are one digit, some with a minus."""
    characters = np.frombuffer(column.buffer, np.uint8)
    negative = characters[column.start] == MINUS
    digit = characters[column.start + negative] - np.uint8(ZERO)
    values = np.where(negative, -1, 1) * digit
    odd = np.flatnonzero((digit > 9) | (column.length != 1 + negative))
    values[odd] = [atol(text.encode()) for text in column[odd].texts()]
    return values


@dataclass(frozen=True)
class Layout:
    """The fields of a line in order, the name of the field that is a number, and the function that converts it.

    A lenient layout accepts empty lines, and lines with more fields than it names.
    """

    fields: tuple[str, ...]
    number: str
    values: Callable[[Ids], Any]
    lenient: bool = False

    def fitting(self, line: bytes) -> list[bytes] | None:
        """Return the fields of a line; None if there are too few or too many."""
        fields = line.split()
        if len(fields) < len(self.fields) or (len(fields) > len(self.fields) and not self.lenient):
            return None
        return fields[: len(self.fields)]


RUN = Layout(("topic", "Q0", "document", "rank", "score", "tag"), "score", scores, lenient=True)
QRELS = Layout(("topic", "0", "document", "grade"), "grade", grades)
GROUPED_QRELS = Layout(("topic", "group", "document", "grade"), "grade", grades)
GRADED_PREFERENCES = Layout(("topic", "group", "document", "level"), "level", scores)
PREFERENCES = Layout(("topic", "group", "subgroup", "document", "level"), "level", scores)
Z_SCORES = Layout(("topic", "measure", "mean", "deviation"), "deviation", scores)


@dataclass
class Columns:
    """The rows of a file: their ids, their numbers, and the last field of the last line."""

    name: str
    ids: dict[str, Ids]
    numbers: Any
    tag: str

    @property
    def topic(self) -> Ids:
        """The topic of each row."""
        return self.ids["topic"]

    @property
    def document(self) -> Ids:
        """The document of each row."""
        return self.ids["document"]

    @cached_property
    def names(self) -> set[str]:
        """The topics, each once."""
        streaks = self.topic[self.topic.breaks()[:-1]]
        return set(streaks[streaks.number()[0]].texts())

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield the ids and the number of each row, in the order of the fields."""
        return zip(*(column.texts() for column in self.ids.values()), self.numbers.tolist(), strict=True)

    def only(self, kept: Iterable[int]) -> Columns:
        """Return some of the rows."""
        rows = np.array(list(kept), np.int64)
        ids = {name: column[rows] for name, column in self.ids.items()}
        return Columns(self.name, ids, self.numbers[rows], self.tag)

    def without(self, topics: Iterable[str]) -> Columns:
        """Return the rows of all other topics."""
        left_out = set(topics)
        return self.only(row for row, topic in enumerate(self.topic.texts()) if topic not in left_out)

    def doubled(self) -> dict[str, str]:
        """Return the topics that have a document twice, with the first such document of each."""
        seen: set[tuple[str, str]] = set()
        again: dict[str, str] = {}
        for pair in zip(self.topic.texts(), self.document.texts(), strict=True):
            if pair in seen:
                again.setdefault(*pair)
            seen.add(pair)
        return again


class RawSource(Source):
    """A file whose byte order mark is part of the first line, as it is for a program that compares bytes."""

    passed_over = b""

    @property
    def begins_with_mark(self) -> bool:
        """Whether the file begins with a byte order mark."""
        return self.head(len(MARK)) == MARK


def read_rows(path: str, layout: Layout, comments: bool) -> Columns:
    """Read the rows of a file; if `comments`, lines that begin with # are skipped."""
    source = RawSource(path)
    return block_rows(pad(source.whole()), layout, comments, source) or _refused_as_empty(source, layout)


def trec_blocks(source: Source, comments: bool, gather: bool) -> Iterator[Callable[[], Columns | None]]:
    """Yield functions that each read a block of whole topics of a run; they return None if a block has no lines."""
    read = partial(block_rows, layout=RUN, comments=comments, source=source)
    for parts in topic_blocks(source, gather):
        yield partial(read_joined, read, parts)


def refuse_empty_run(source: Source, comments: bool) -> None:
    """Refuse a run without lines; version 10 accepts one with only comments."""
    if not (comments and any(is_comment(line, RUN) for line in source.whole().split(b"\n"))):
        _refused_as_empty(source, RUN)


def _refused_as_empty(source: Source, layout: Layout) -> Any:
    raise source.fault(f"the file has no lines; expected {' '.join(layout.fields)}")


def block_rows(block: bytes, layout: Layout, comments: bool, source: Source) -> Columns | None:
    """Return the rows of a padded block; None if it has no lines."""
    block = block if block.isascii() else block.decode("latin-1").encode()
    table = None if comments and b"#" in block and b"\n#" in block else regular(block.replace(b"\t", b" "), layout)
    if table is None:
        tidied = pad(tidy(block, layout, comments, source))
        if len(tidied) == 2 * len(PAD):
            return None
        table = regular(tidied, layout, exactly=True)
    if table is None:
        raise source.fault("the file changed while Assay read it")
    tag = table[layout.fields[-1]][-1:].texts()[0]
    values = layout.values(table.pop(layout.number))
    ids = {name: column for name, column in table.items() if name != TAG}
    ids["topic"] = ids["topic"].in_streaks()
    return Columns(source.label, ids, values, tag)


def regular(block: bytes, layout: Layout, exactly: bool = False) -> dict[str, Ids] | None:
    """Return the fields of a padded block with exactly one space between fields; None for any other block.

    Of the tags, this is only the last one, because those of all lines would take much memory.
    """
    ends = field_ends(block, exactly)
    width = len(layout.fields)
    if ends is None or ends.shape[1] < width or (ends.shape[1] > width and not layout.lenient):
        return None
    wanted = [(place, name) for place, name in enumerate(layout.fields) if name not in IGNORED]
    return {name: column_at(block, ends[-1:] if name == TAG else ends, place) for place, name in wanted}


def tidy(block: bytes, layout: Layout, comments: bool, source: Source) -> bytes:
    """Return the lines that count, with one space between their fields."""
    kept = []
    for _, line in counting_lines(block[len(PAD) : -len(PAD)], layout, comments):
        fields = layout.fitting(line)
        if fields is None:
            raise first_misfit(source, layout, comments)
        kept.append(b" ".join(fields) + b"\n")
    return b"".join(kept)


def counting_lines(data: bytes, layout: Layout, comments: bool) -> Iterator[tuple[int, bytes]]:
    """Yield each line that counts, with its number: not a comment, and not empty if the layout is lenient.

    In judgments, version 10 skips only one comment in a row: the line after a comment is data, whatever it begins with.
    """
    after_comment = False
    for number, line in enumerate(data.removesuffix(b"\n").split(b"\n") if data else [], 1):
        if comments and is_comment(line, layout) and not (after_comment and not layout.lenient):
            after_comment = True
            continue
        after_comment = False
        if line.strip() or not layout.lenient:
            yield number, line


def is_comment(line: bytes, layout: Layout) -> bool:
    """Return whether version 10 takes a line as a comment; in a run, whitespace may come before the #."""
    return (line.lstrip() if layout.lenient else line).startswith(b"#")


def first_misfit(source: Source, layout: Layout, comments: bool) -> InputError:
    """Return the error for the first line of a file that has too few or too many fields."""
    for number, line in counting_lines(source.whole(), layout, comments):
        if layout.fitting(line) is None:
            expected = f"expected {len(layout.fields)} fields ({' '.join(layout.fields)}), found {len(line.split())}"
            return source.fault(f"{expected}: {quote(os.fsdecode(line))}", number)
    return source.fault("the file changed while Assay read it")


# What trec_eval computes differently from our measures: its quirks, each on top of our measure.

Column: TypeAlias = "Callable[[Ranking], Values]"
Numbers: TypeAlias = "tuple[float, ...]"
Pairs: TypeAlias = "tuple[tuple[str, float], ...]"

# In C, 0/0 prints as -nan; a nan from a file prints as nan.
NOT_A_NUMBER = -np.nan


class Refused(AssayError):
    """An error at which trec_eval stops, with its exit status."""

    def __init__(self, status: int, what: str):
        super().__init__(what)
        self.status = status


@dataclass(frozen=True)
class Settings:
    """The options for all measures: the version to follow, -l and -N."""

    version: int = 9
    rel: int = 1
    collection: int = 0

    @property
    def count(self) -> str:
        """How to round the number of relevant documents that a recall level needs."""
        return f"trec{self.version}"


def interpolated_at(level: float, settings: Settings) -> Column:
    """Return interpolated precision at a recall level, which may be below 0 or above 1.

    It is NaN if nothing was retrieved and the level needs no relevant document, because the original divides 0 by 0.
    """
    measure = IPrec(recall=min(max(level, 0.0), 1.0), rel=settings.rel, count=settings.count)

    def column(ranking: Ranking) -> Values:
        base = ranking.recall_base(settings.rel)
        needed = COUNTS[settings.count](level, base)
        values = np.where(needed > base, 0.0, measure(ranking))
        return np.where((needed <= 0) & (ranking.retrieved == 0), NOT_A_NUMBER, values)

    return column


def averaged_points(levels: Numbers, settings: Settings) -> Column:
    """Return the mean over recall levels, which the original walks from last to first and expects to ascend.

    If a level is above one that was already passed, the original never reaches it: that level and all levels before it
    get the highest precision of all.
    """

    def column(ranking: Ranking) -> Values:
        base, retrieved = ranking.recall_base(settings.rel), NumRelRet(rel=settings.rel)(ranking)
        highest = interpolated_at(0.0, settings)(ranking)
        bound = np.full(len(ranking), np.iinfo(np.int64).max)
        beyond, lost, total = bound > 0, bound < 0, np.zeros(len(ranking))
        for level in reversed(levels):
            needed = COUNTS[settings.count](level, base)
            beyond = beyond & (needed > retrieved)
            lost = lost | (~beyond & (needed > bound))
            bound = np.where(beyond, bound, needed)
            total = total + np.where(beyond, 0.0, np.where(lost, highest, interpolated_at(level, settings)(ranking)))
        return total / len(levels)

    return column


def utility(coefficients: Numbers, settings: Settings) -> Column:
    """Return utility; raise an error unless there are four coefficients."""

    def column(ranking: Ranking) -> Values:
        if len(coefficients) != 4:
            raise Refused(4, f"utility has {len(coefficients)} coefficients; expected 4, for example utility.1,-1,0,0")
        a, b, c, d = coefficients
        utility = Utility(a=a, b=b, c=c, d=d, collection=settings.collection, rel=settings.rel)
        return utility.of_any_collection(ranking)

    return column


def relevance_string(lengths: Numbers, settings: Settings) -> Column:
    """Return the grades of the first results as a string with one character each."""
    length = max(int(lengths[0]), 0)

    def letter(grade: int) -> str:
        return ">" if grade > 9 else "." if grade < 0 else str(grade)

    def column(ranking: Ranking) -> Values:
        strings = np.empty(len(ranking), object)
        for topic, (begin, end) in enumerate(zip(ranking.starts[:-1], ranking.starts[1:], strict=True)):
            letters = ["-"] * min(length, int(ranking.retrieved[topic]))
            for rank, grade in zip(ranking.rank[begin:end].tolist(), ranking.grade[begin:end].tolist(), strict=True):
                if rank > len(letters):
                    break
                letters[rank - 1] = letter(grade)
            strings[topic] = f"'{''.join(letters)}'"
        return strings

    return column


def r_precision(multiple: float, settings: Settings) -> Column:
    """Return R-precision at a multiple of R; a negative multiple counts as 0."""
    return Rprec(rel=settings.rel, mult=max(multiple, 0.0))


@dataclass(frozen=True)
class ChosenGains:
    """The gains of `level=gain` pairs.

    If a level is given twice, a result gets the lower gain, and the ideal ranking the first. Gains that differ by less
    than 1 count as equal, and then the first is the lower.
    """

    results: tuple[tuple[int, float], ...]
    ideal: tuple[tuple[int, float], ...]

    @classmethod
    def of(cls, pairs: Pairs, settings: Settings) -> ChosenGains:
        """Parse the pairs: version 9 converts any level to a number, version 10 skips levels that are not numbers."""
        kept = [pair for pair in pairs if settings.version == 9 or re.fullmatch(r"[+-]?\d+", pair[0])]
        results: dict[int, float] = {}
        ideal: dict[int, float] = {}
        for level, gain in ((atol(level.encode("latin-1")), gain) for level, gain in kept):
            if level < 0:
                raise Refused(1, "gains of levels below 0 are not supported")
            ideal.setdefault(level, gain)
            results[level] = gain if results.get(level, gain) - gain >= 1 else results.get(level, gain)
        return cls(tuple(results.items()), tuple(ideal.items()))

    @property
    def all(self) -> list[float]:
        """The gains of all levels."""
        return [gain for _, gain in self.results + self.ideal]


def by_gain(measure: Column, pairs: Pairs, settings: Settings) -> Column:
    """Return a measure of the ranking in which each grade is replaced by its gain."""
    chosen = ChosenGains.of(pairs, settings)
    if any(gain < 0 for gain in chosen.all):
        raise Refused(1, "gains below 0 are supported for ndcg, dcg and ideal_dcg only")

    def column(ranking: Ranking) -> Values:
        ideal = ranking.ideal
        worth = gains(ideal, chosen.ideal)
        order = np.lexsort((-worth, ideal.each(np.arange(len(ideal)))))
        return measure(
            replace(ranking.with_grades(gains(ranking, chosen.results)), ideal=ideal.with_grades(worth[order]))
        )

    return column if chosen.results else measure


def dcg(pairs: Pairs, settings: Settings) -> Column:
    """Return the DCG of a ranking."""
    return DCG(gains=ChosenGains.of(pairs, settings).results)


def ideal_dcg(pairs: Pairs, settings: Settings) -> Column:
    """Return the DCG of the ideal ranking."""
    measure = nDCG(gains=ChosenGains.of(pairs, settings).ideal)
    return lambda ranking: DCG(gains=measure.gains)(measure.best(ranking.ideal))


def ndcg(pairs: Pairs, settings: Settings) -> Column:
    """Return DCG divided by the DCG of the ideal ranking."""
    part, whole = dcg(pairs, settings), ideal_dcg(pairs, settings)
    return lambda ranking: ratio(part(ranking), whole(ranking))


def r_ndcg(pairs: Pairs, settings: Settings) -> Column:
    """Return RnDCG; NaN if documents are relevant but none has a gain."""
    value = by_gain(RnDCG(rel=0), pairs, settings)
    best = by_gain(lambda ranking: ranking.ideal.highest(ranking.ideal.grade), pairs, settings)

    def column(ranking: Ranking) -> Values:
        values = np.where(best(ranking) > 0, value(ranking), NOT_A_NUMBER)
        return np.where(ranking.recall_base(settings.rel) > 0, values, 0.0)

    return column


def rbp_persistence(pairs: Pairs) -> float:
    """Return the persistence p of rank-biased precision."""
    return dict(pairs).get("p", 0.9)


def rbp(pairs: Pairs, settings: Settings) -> Column:
    """Return graded RBP; gains are divided by the highest gain, even by a given one that no document has."""
    measure = RBP(p=rbp_persistence(pairs), graded=True)
    highest = max(ChosenGains.of(pairs, settings).all, default=0.0)

    def column(ranking: Ranking) -> Values:
        own = np.maximum(ranking.ideal.highest(ranking.ideal.grade), 1)
        return measure(ranking) * own / np.maximum(own, highest)

    return by_gain(column, pairs, settings)


def rbp_residual(pairs: Pairs, settings: Settings) -> Column:
    """Return the residual of RBP, but 0 if no retrieved document is unjudged."""
    measure = RBPresidual(p=rbp_persistence(pairs))
    return lambda ranking: np.where(Unjudged()(ranking) > 0, measure(ranking), 0.0)


def set_f(weights: Numbers, settings: Settings) -> Column:
    """Return SetF; its parameter is beta squared, and a root squared again might differ in the last digit."""

    def column(ranking: Ranking) -> Values:
        precision, recall = SetP(rel=settings.rel)(ranking), SetR(rel=settings.rel)(ranking)
        return ratio((weights[0] + 1) * precision * recall, weights[0] * precision + recall)

    return column


# Qrels of several assessors: a measure is computed for the judgments of each group, then averaged over the groups of a
# topic.


@dataclass(frozen=True, eq=False, repr=False)
class GroupedRankings:
    """The rankings of some topics for each group of judgments: which topics the group judged, and their ranking."""

    topics: int
    groups: list[tuple[Ints, Ranking]]


GroupedColumn: TypeAlias = "Callable[[GroupedRankings], Values]"


def average_over_groups(column: Column) -> GroupedColumn:
    """Return the mean of a measure over the groups of each topic."""

    def mean(rankings: GroupedRankings) -> Values:
        total, count = np.zeros(rankings.topics), np.zeros(rankings.topics)
        for topics, ranking in rankings.groups:
            total[topics] += column(ranking)
            count[topics] += 1
        return total / count

    return mean
