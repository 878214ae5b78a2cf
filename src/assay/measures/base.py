"""The base class of measures: frozen dataclasses with parameters, a cut-off after @, and a formula on a Ranking."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, SupportsFloat, TypeAlias, TypeVar

import numpy as np

from assay.errors import UsageError
from assay.ranking.documents import Ranking, Values
from assay.ranking.kinds import DOCUMENTS, TEXT, Kind
from assay.tables.ids import Floats, Ints
from assay.vocabulary import FITS

# Sums that do not depend on the order of addition, so that one machine and many get the same bits.


def exact_sum(values: Floats | Iterable[float]) -> float:
    """Return the sum of all values, rounded only once; infinite if it is too large for a float."""
    numbers = values.tolist() if isinstance(values, np.ndarray) else list(values)
    try:
        return math.fsum(numbers)
    except (OverflowError, ValueError):
        # beyond the largest float, or infinities of both signs
        with np.errstate(all="ignore"):
            return float(np.sum(numbers))


def sum_in_parts(values: Floats | Iterable[float]) -> list[float]:
    """Return a few numbers whose sum is exactly that of all values: the rounded sum, the rounded rest, and so on.

    The parts of several sums, taken together, are again numbers with the exact sum of all of them.
    """
    numbers = values.tolist() if isinstance(values, np.ndarray) else list(values)
    parts: list[float] = []
    while part := exact_sum([*numbers, *(-part for part in parts)]):
        parts.append(part)
        if not math.isfinite(part):
            return [part]
    return parts


Own = TypeVar("Own", bound="Measure")
LOWEST = 1e-5
UNIT = "`document` counts documents at their first result, not text; `element` counts assessed elements"
TOKEN = "`token` counts tokens instead of characters"


class MeasureType(type):
    """Lets a measure be written without brackets: `nDCG@10` is `nDCG(k=10)`."""

    def __matmul__(cls, cut: float) -> Any:
        return cls() @ cut

    if not TYPE_CHECKING:

        def __call__(cls, *given, **named):
            """Make a measure; parameters must be named, because P(5) could mean a cut-off or a grade."""
            try:
                measure = super().__call__(*given, **named)
            except TypeError as error:
                names = ", ".join(cls.parameters())
                how = f"pass parameters by name ({names})" if names else "it has no parameters"
                what = f"{cls.__name__}: {str(error).split('() ')[-1]}"
                raise UsageError(f"{what}; {how}, and write a cut-off like P@5") from None
            check_allowed(measure)
            return measure


@dataclass(frozen=True)
class Measure(metaclass=MeasureType):
    """Base class of measures. To add a measure, subclass it with the parameters as fields, and define `__call__`.

    `__call__` takes a Ranking and returns one value per topic. The values are finite unless `may_be_infinite` is true.
    `kinds` are the kinds of judgments that the formula works on. For whole documents a row is relevant or not; for text
    a row has a number of relevant characters. So Assay applies a formula to text only if the class lists TEXT.
    `less_is_better`: lower values are better, so the best of several gold standards is the lowest value.
    `mean_of_sets`: the value is the mean over several sets of evidence, not the best. `compares_texts`: the measure
    compares the texts themselves and needs documents. `counts_facts`: it counts facts and knows which excerpts are
    alternatives. `knows_copies`: the formula holds if copies of the evidence count as the evidence. This is true if it
    uses only how much was found, how much was read, and how much there is to find.
    `worked` is the formula with the names that `__call__` gives to columns, for example "{Σ gain} / {|relevant|}";
    `assay.why` shows it with the numbers filled in. Σ sums what each row adds; max takes one row.
    Raise `version` if a change of the formula changes values, so that a gate does not compare old values with new ones.
    """

    cutoff: ClassVar[str] = "k"
    kinds: ClassVar[tuple[Kind, ...]] = (DOCUMENTS,)
    may_be_infinite: ClassVar[bool] = False
    less_is_better: ClassVar[bool] = False
    mean_of_sets: ClassVar[bool] = False
    compares_texts: ClassVar[bool] = False
    counts_facts: ClassVar[bool] = False
    knows_copies: ClassVar[bool] = True
    worked: ClassVar[str] = ""
    worked_on_text: ClassVar[str] = ""
    version: ClassVar[int] = 1
    unit: str = field(default="", kw_only=True, metadata={"help": f"{UNIT}; {TOKEN}"})

    def __call__(self, ranking: Ranking) -> Values:
        """Return the value of each topic."""
        raise TypeError(f"{type(self).__name__} has no formula; define a method __call__(self, ranking)")

    def expected(self, ranking: Ranking) -> Values:
        """Return the mean value of each topic over all orders of its tied results, if there is a closed form."""
        raise UsageError(
            f"{self} has no closed form for the expected value over ties; pass ties=docno or ties=input or ties=rank"
        )

    @property
    def inner(self) -> Measure:
        """The measure whose values are combined over topics: this one, unless it wraps another."""
        return self

    def over_topics(self, values: Floats) -> float:
        """Return one number for all topics: the mean, unless the measure defines another."""
        return self.of_sum(exact_sum(self.added(values)), len(values)) if len(values) else 0.0

    def added(self, values: Floats) -> Floats:
        """Return what is summed over topics: the values, unless the measure defines something else."""
        return values

    def of_sum(self, total: float, topics: int) -> float:
        """Return the number for all topics from the sum: the mean, unless the measure defines another."""
        return total / topics

    def __matmul__(self: Own, cut: float) -> Own:
        """Return the same measure with another cut-off."""
        if self.cutoff not in {f.name for f in dataclasses.fields(self)}:
            raise UsageError(f"{type(self).__name__} has no cut-off; write it without @{cut:g}")
        changed: Any = {self.cutoff: cut.item() if isinstance(cut, np.generic) else cut}
        return dataclasses.replace(self, **changed)

    def __str__(self) -> str:
        given = [
            (name, getattr(self, name))
            for name, (default, _) in self.parameters().items()
            if getattr(self, name) != default
        ]
        brackets = ", ".join(f"{name}={as_typed(value)}" for name, value in given if name != self.cutoff)
        # a cut-off that is never None, for example a recall level, is always written
        cut = getattr(self, self.cutoff, None)
        at = "" if cut is None else f"@{as_typed(cut)}"
        return f"{type(self).__name__}{f'({brackets})' if brackets else ''}{at}"

    __repr__ = __str__

    def __init_subclass__(cls) -> None:
        # a dataclass generates its own __repr__ unless the class itself has one
        cls.__repr__ = cls.__dict__.get("__repr__", Measure.__repr__)  # type: ignore[method-assign]
        # a new formula may hold only for documents, unlike that of its base class
        if "__call__" in cls.__dict__ and "kinds" not in cls.__dict__ and set(cls.kinds) == {DOCUMENTS, TEXT}:
            cls.kinds = (DOCUMENTS,)
        # and it names other columns
        if "__call__" in cls.__dict__ and "worked" not in cls.__dict__:
            cls.worked = cls.worked_on_text = ""

    @classmethod
    def sentence(cls) -> str:
        """Return the first sentence of the documentation."""
        return (inspect.getdoc(cls) or "").split("\n")[0]

    @classmethod
    @cache
    def parameters(cls) -> dict[str, tuple[Any, str]]:
        """Return the default and the meaning of each parameter, those of the class itself first."""
        fields = {f.name: (f.default, f.metadata.get("help", "")) for f in dataclasses.fields(cls)}
        default, _ = fields.pop("unit")
        meaning = "; ".join(what for what, kind in ((UNIT, DOCUMENTS), (TOKEN, TEXT)) if kind in cls.kinds)
        return {**fields, **({"unit": (default, meaning)} if meaning else {})}


class ForeignMeasure(Protocol):
    """A measure of ir_measures."""

    NAME: str
    params: dict[str, Any]


MeasureLike: TypeAlias = "str | Measure | type[Measure] | ForeignMeasure"
# One or several: to a type checker a list of names, measures and classes is a list of `object`.
MeasuresLike: TypeAlias = "MeasureLike | Iterable[object]"


class Linear(Measure):
    """A measure that sums what each row gives, weighted only by its rank.

    Its mean over all orders of tied results is the same sum with the mean weight of the tied ranks. A Ranking with
    ties=expected gives that weight, so one formula serves both, if it uses `gain`, `share` and `discount` and never
    `rank`.
    """

    def expected(self, ranking: Ranking) -> Values:
        """Return the value of the formula itself, which holds for ties too."""
        return self(ranking)


class Count(Linear):
    """A count, which is summed over topics."""

    def of_sum(self, total: float, topics: int) -> float:
        """Return the sum."""
        return total


@dataclass(eq=False, repr=False)
class Allowed:
    """The values that a parameter may have: one of some words, or a number within bounds.

    `must` is the end of the error message for any other value.
    """

    choices: tuple[str, ...] = ()
    above: float | None = None
    least: float | None = None
    most: float | None = None
    below: float | None = None
    must: str = ""

    def __contains__(self, value: Any) -> bool:
        if self.choices:
            return value in self.choices
        try:
            high_enough = (self.above is None or value > self.above) and (self.least is None or value >= self.least)
            low_enough = (self.below is None or value < self.below) and (self.most is None or value <= self.most)
            return high_enough and low_enough
        except TypeError:
            return False


def parameter(
    default: Any,
    help: str,
    *,
    choices: Iterable[str] = (),
    above: float | None = None,
    least: float | None = None,
    most: float | None = None,
    below: float | None = None,
    must: str = "",
) -> Any:
    """Declare a parameter of a measure with its default, its meaning, and its choices or bounds.

    `must` is what the error expects: `parameter(0.8, "probability to go on", above=0, below=1, must="expected a
    probability")`. A parameter whose default is None may always be None.
    """
    allowed = Allowed(tuple(choices), above, least, most, below, must)
    return field(default=default, metadata={"help": help, "allowed": allowed})


def number(given: SupportsFloat | str) -> float:
    """Convert to a number, to an int if it is whole: 2, 2.0 and "2" become 2."""
    value = float(given)
    return int(value) if value.is_integer() else value


def rel(default: float = 1) -> Any:
    """Declare the lowest grade that counts as relevant."""
    return parameter(default, "lowest grade that counts as relevant")


def cut() -> Any:
    """Declare the cut-off, a rank."""
    return parameter(None, "cut-off: only the first k results count; without it all results count")


def recall_level() -> Any:
    """Declare the cut-off, a recall level."""
    return parameter(0.0, "recall level, from 0 to 1", least=0, most=1, must="expected a recall level between 0 and 1")


def budget() -> Any:
    """Declare the cut-off in characters."""
    return parameter(None, "cut-off in characters of text")


def token_budget() -> Any:
    """Declare the cut-off in tokens."""
    return parameter(None, "cut-off in tokens of text; requires a tokenizer")


def fit() -> Any:
    """Declare how to treat a result that exceeds what is left of a budget."""
    what = "how to treat a result that exceeds the budget: cut it, stop before it, or skip it and go on"
    return parameter("cut", what, choices=FITS)


def as_typed(value: object) -> str:
    """Return a parameter's value as one types it in a measure's name."""
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, tuple):
        return ";".join(
            ":".join(as_typed(part) for part in entry) if isinstance(entry, tuple) else as_typed(entry)
            for entry in value
        )
    return (
        value.__name__
        if callable(value) and not isinstance(value, Measure) and hasattr(value, "__name__")
        else str(value)
    )


def check_allowed(measure: Measure) -> None:
    """Raise an error if a parameter has a value that is not allowed."""
    for each in dataclasses.fields(measure):
        value, allowed = getattr(measure, each.name), each.metadata.get("allowed", Allowed())
        left_open = value is None and each.default is None
        if not left_open and value not in allowed:
            shown = f"{value:g}" if isinstance(value, float) else value
            given = f"@{shown}" if each.name == measure.cutoff else f"({each.name}={shown})"
            must = allowed.must or f"choose from {', '.join(allowed.choices)}"
            raise UsageError(f"{type(measure).__name__}{given}: {must}")


def takes_tokens(measure: Measure) -> bool:
    """Return whether a measure counts tokens and needs a tokenizer."""
    score = getattr(measure, "score", None)
    of_score = isinstance(score, Measure) and takes_tokens(score)
    return measure.unit == "token" or getattr(measure, "tokens", None) is not None or of_score


def first_hit(top: Ranking, rel: float, value: Callable[[Ints, Floats], float]) -> Floats:
    """Apply `value` to the ranks that each topic's first relevant result may have, and their probabilities."""
    hit = top.relevant(rel)
    in_first = hit & (top.before_tie(hit) == 0)
    relevant = top.in_tie(hit)
    values = np.zeros(len(top))
    topics = top.each(np.arange(len(top)))
    for topic, row in dict(zip(topics[in_first], np.flatnonzero(in_first), strict=True)).items():
        first, last, until = (int(ends[row]) for ends in (top.first, top.last, top.until))  # type: ignore[index]
        size, good = last - first + 1, relevant[row]
        before = np.arange(until - first + 1)
        none_before = np.concatenate(([1.0], np.cumprod((size - good - before[:-1]) / (size - before[:-1]))))
        chance = none_before * good / (size - before)
        values[topic] = value(first + before, chance)
    return values


# How values are combined over topics if not by a plain mean, and how to tell.


class Geometric(Measure):
    """A measure whose values are combined over topics by the geometric mean, no value below 0.00001."""

    def added(self, values: Floats) -> Floats:
        """Return the logarithms of the values."""
        return np.log(np.maximum(values, LOWEST))

    def of_sum(self, total: float, topics: int) -> float:
        """Return the number whose logarithm is the mean of the logarithms."""
        return float(np.exp(total / topics))


def adds_up(measure: Measure) -> bool:
    """Return whether the number for all topics comes from a sum, so that sums over parts of the topics suffice."""
    return type(measure).over_topics is Measure.over_topics


def is_mean(measure: Measure) -> bool:
    """Return whether the number for all topics is a mean or a sum of their values, as significance tests require."""
    own = type(measure.inner)
    is_plain = (own.added, own.of_sum) == (Measure.added, Measure.of_sum)
    return adds_up(measure.inner) and (is_plain or issubclass(own, Count))
