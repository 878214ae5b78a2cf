"""Measure a run: read, align and measure it block by block. A block is some whole topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import compress, islice
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from assay.errors import AssayError, InputError, UsageError, count_noun, list_names
from assay.evaluation.matching import add_judged_sample, add_sample
from assay.evaluation.notes import refuse_apart
from assay.measures.base import Measure
from assay.ranking.align import Aligned, in_judged_topics
from assay.ranking.documents import Ranking
from assay.ranking.kinds import DOCUMENTS, ELEMENTS, SAMPLED, SUBTOPICS, TEXT, Kind, kinds_of
from assay.ranking.order import Rules
from assay.ranking.pool import Pool
from assay.reading.format import Block, Request
from assay.reading.given import Given
from assay.reading.read import run_blocks
from assay.tables.ids import Bools, Floats, Ints
from assay.tables.judgments import HighlightJudgments
from assay.tables.notes import Note, Notes
from assay.tables.run import DocumentRun, Run
from assay.vocabulary import Topics

if TYPE_CHECKING:
    from assay.ranking.gold_standards import GoldStandards
    from assay.ranking.text import TextRanking
    from assay.reading.spelling import Respelling

# The topics in the first block may be in this many pieces on average; with more, the run counts as scattered.
MOST_PIECES = 2
# Whole numbers below this may be grades.
MOST_GRADES = 10
# A function that returns what to keep of a block, given its kind and its alignment.
Keep = Callable[["Measuring", Kind, Aligned], Any]


class Unanswerable(NamedTuple):
    """The questions that have no answer.

    `first` has the score of the first result by run and topic, for runs given as lists of results.
    """

    topics: frozenset[str] = frozenset()
    first: Mapping[str, Mapping[str, float | None]] = {}

    def add_returned(self, notes: Notes, run: Run) -> None:
        """Note what a run returned for these topics: how many results, and the best score."""
        first, number = run.topic.number()
        for at, topic in enumerate(run.topic[first].texts()):
            if topic in self.topics:
                rows = np.flatnonzero(number == at)
                scores = -np.sort(-run.score[rows])
                # results without scores were given 0, -1, … in their order, or their negated ranks
                is_order = np.array_equal(np.diff(scores), np.full(len(scores) - 1, -1)) and scores[0] in (0, -1)
                best = self.first.get(run.name, {}).get(topic) if is_order else float(scores[0])
                notes.add("returned", 1, [(topic, len(rows), best)])


NONE_UNANSWERABLE = Unanswerable()


class Scattered(Exception):
    """Raised when the results of a topic are in several blocks of a file; the file is then read in another way."""


# Lists of results that end before the budget is used up.


class ListBudget(NamedTuple):
    """The budget of a measure: so many characters or tokens, and at most `k` results if that is set."""

    size: int
    in_tokens: bool
    k: int | None

    def __str__(self) -> str:
        results = "" if self.k is None else f" and {count_noun(self.k, 'result')}"
        return f"{count_noun(self.size, 'token' if self.in_tokens else 'character')}{results}"

    def add_ended(self, notes: Notes, ranking: TextRanking) -> None:
        """Note how many lists end before the budget is used up, and the lengths of the shortest and longest of them."""
        length = ranking.list_length(self.in_tokens)
        ended = length < self.size if self.k is None else (length < self.size) & (ranking.retrieved < self.k)
        if ended.any():
            low, high = int(length[ended].min()), int(length[ended].max())
            notes.add(f"ended {self}", np.count_nonzero(ended), low=low, high=high)


def list_budgets(measures: Iterable[Measure]) -> list[ListBudget]:
    """Return the budgets of measures of text, each once."""
    budgets = [
        ListBudget(size, unit == "tokens", getattr(measure, "k", None))
        for measure in measures
        for unit in ("chars", "tokens")
        if isinstance(size := getattr(measure, unit, None), int)
    ]
    return list(dict.fromkeys(budgets))


class MeasuredBlock(NamedTuple):
    """A measured block: values[measure, topic] and notes.

    `topics` are the numbers of its topics in the pool, `unjudged` the ids of its topics without judgments. `kept` is
    what `Measuring.keep` returned for it.
    """

    topics: Ints
    unjudged: list[str]
    notes: Notes
    values: Floats
    kept: Any = None


@dataclass(eq=False, repr=False)
class Outcome:
    """What one run scored: values[measure, topic] with the topics in the order of the pool, and the notes.

    `in_run` marks the topics that the run has, `empty` the topics that it has without any result. `unjudged` are the
    ids of its topics without judgments. `kept` has what `Measuring.keep` returned for each block.
    """

    name: str
    values: Floats
    in_run: Bools
    empty: Bools
    unjudged: list[str] = field(default_factory=list)
    notes: Notes = field(default_factory=Notes)
    kept: list[Any] = field(default_factory=list)

    @classmethod
    def begun(cls, name: str, measures: int, pool: Pool, empty: Iterable[str] = ()) -> Outcome:
        """Return the outcome of a run before any block is added; `empty` are the topics without any result."""
        topics, without = len(pool.topics), set(empty)
        is_empty = np.array([topic in without for topic in pool.topics], bool) if without else np.zeros(topics, bool)
        return cls(name, np.full((measures, topics), np.nan), np.zeros(topics, bool), is_empty)

    def has_any(self, block: MeasuredBlock) -> bool:
        """Return whether an earlier block had a topic of this block."""
        return bool(self.in_run[block.topics].any()) or not set(self.unjudged).isdisjoint(block.unjudged)

    def add(self, block: MeasuredBlock) -> None:
        """Add the values and notes of a block."""
        self.values[:, block.topics] = block.values
        self.in_run[block.topics] = True
        self.unjudged += block.unjudged
        self.notes.merge(block.notes)

    def drop_topics(self, pool: Pool, topics: Topics) -> None:
        """Set the values of topics that do not count to NaN.

        With the policy `error`, raise an error if the run and the judgments have different topics.
        """
        missing = ~self.in_run
        if topics == "error" and (missing.any() or self.unjudged):
            lacking = list(compress(pool.topics, missing))
            which = f"lacks {list_names(lacking)}" if lacking else f"has unjudged topics {list_names(self.unjudged)}"
            raise InputError(f"the topics of {self.name} and {pool.judgments.name} differ: the run {which}")
        if topics == "common":
            self.values[:, missing] = np.nan
        if topics == "relevant":
            self.values[:, pool.topics_without_relevant] = np.nan

    def all_notes(self, measures: list[Measure], pool: Pool) -> Notes:
        """Return the notes of the blocks, and those on the topics and values of the whole run."""
        notes = Notes(self.notes)
        in_run = int(np.count_nonzero(self.in_run))
        notes.add("in_run", in_run)
        if in_run < len(pool.topics):
            notes.add("missing", len(pool.topics) - in_run, compress(pool.topics, ~self.in_run))
        if empty := np.count_nonzero(self.empty):
            notes.add("empty", empty, compress(pool.topics, self.empty))
        notes.add("unjudged", len(self.unjudged), self.unjudged)
        notes.add("counted", len(pool.topics))
        if measures and np.count_nonzero(np.isfinite(self.values)) < self.values.size:
            notes["counted"] = Note("counted", int(np.count_nonzero(~np.isnan(self.values[0]))))
            for measure, is_infinite in zip(measures, np.isinf(self.values), strict=True):
                notes.add(f"infinite {measure}", np.count_nonzero(is_infinite), compress(pool.topics, is_infinite))
        for kind in map("ended {}".format, list_budgets(measures)):
            # sort these notes by measure; blocks may have added them in another order
            if (note := notes.pop(kind, None)) is not None:
                notes[kind] = note
        if "sample" in notes:
            add_judged_sample(notes, pool)
        return notes


@dataclass(eq=False, repr=False)
class Measuring:
    """Measures runs, block by block; `systems` are their names.

    For each block `keep` is called to return what is kept beside the values, and then `watch`. `prepared`, if set,
    turns the run into the one to measure, for example without whitespace. `columns` are the columns that the user
    named, by field. `empty` has, by run, the topics without any result. If there are several gold `standards`, each
    block is measured against each of them; notes and what is kept concern all judgments together.
    """

    pool: Pool
    measures: list[Measure]
    rules: Rules
    systems: list[str]
    keep: Keep | None = None
    watch: Callable[[], None] | None = None
    prepared: Callable[[Run], Run] | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    empty: Mapping[str, set[str]] = field(default_factory=dict)
    standards: GoldStandards | None = None
    unanswerable: Unanswerable = NONE_UNANSWERABLE
    _of_nothing: list[Floats] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.judged = kinds_of(self.pool.judgments)
        self.kinds = self._kinds()
        self.budgets = list_budgets(each for each in self.measures if counted_kind(each, self.judged) is TEXT)

    @cached_property
    def _have_scores_as_grades(self) -> bool:
        """Whether grades look like scores: some are fractions above 1."""
        grade = self.pool.judgments.grade
        return bool(np.any((grade > 1) & (grade != np.trunc(grade))))

    @cached_property
    def _respelling(self) -> Respelling | None:
        """Replaces document ids of runs by the spelling in the judgments; None without documents or highlights."""
        if self.pool.documents is None or not isinstance(self.pool.judgments, HighlightJudgments):
            return None
        from assay.reading.spelling import Respelling

        return Respelling(self.pool.judgments, self.pool.documents)

    def _kinds(self) -> dict[Kind, list[int]]:
        """Return the kinds of rankings to make, and the numbers of the measures that are computed on each.

        If some measure counts text, the ranking of text also serves measures of documents, because it knows the
        document of each span. In the same way a ranking with subtopics or strata serves them.
        """
        kinds = [counted_kind(measure, self.judged) for measure in self.measures]
        of_others = next((kind for kind in (TEXT, SUBTOPICS, SAMPLED) if kind in kinds), DOCUMENTS)
        numbers: dict[Kind, list[int]] = {}
        for number, kind in enumerate(kinds):
            numbers.setdefault(ELEMENTS if kind is ELEMENTS else of_others, []).append(number)
        return numbers

    def of_runs(
        self,
        systems: list[str],
        empty: Mapping[str, set[str]],
        keep: Keep | None,
        watch: Callable[[], None] | None,
        unanswerable: Unanswerable = NONE_UNANSWERABLE,
    ) -> Measuring:
        """Return a copy for other runs, without computing again what depends only on judgments and measures."""
        work = object.__new__(Measuring)
        given = {"systems": systems, "empty": empty, "keep": keep, "watch": watch, "unanswerable": unanswerable}
        work.__dict__ = {**self.__dict__, "_respelling": self._respelling, **given}
        return work

    def by_other_rules(self, measures: list[Measure], rules: Rules) -> Measuring:
        """Return a copy with other measures and rules, for blocks of runs that are prepared already."""
        work = object.__new__(Measuring)
        given = {"measures": measures, "rules": rules, "keep": None, "watch": None, "prepared": None}
        work.__dict__ = {**self.__dict__, **given, "_respelling": None, "_of_nothing": [], "budgets": []}
        work.kinds = work._kinds()
        return work

    @property
    def shown(self) -> Kind:
        """The kind in which results are listed: elements if they are measured, else text if it is judged."""
        return ELEMENTS if ELEMENTS in self.kinds else TEXT if TEXT in self.judged else DOCUMENTS

    def outcome(self, name: str, run: Given, mapped: Callable[..., Iterator[Any]]) -> Outcome:
        """Measure a run. `mapped` is `map`, or a version of it that shares the blocks among threads."""
        try:
            return self._outcome(name, run, mapped, scattered=False)
        except Scattered:
            return self._outcome(name, run, mapped, scattered=True)

    def _outcome(self, name: str, run: Given, mapped: Callable[..., Iterator[Any]], scattered: bool) -> Outcome:
        outcome = Outcome.begun(name, len(self.measures), self.pool, self.empty.get(name, ()))
        if TEXT in self.judged:
            run.refuse_more_fields()
        request = Request(
            self.pool.documents,
            self.rules.ties == "rank",
            scattered=scattered,
            columns=self.columns,
            every_column=False,
            of_parts=TEXT in self.judged,
            of_elements=ELEMENTS in self.judged,
        )
        blocks = run_blocks(run, request)
        whole = blocks if scattered else unless_scattered(blocks)
        for number, measured_block in enumerate(filter(None, mapped(self._block, whole))):
            if number and outcome.has_any(measured_block):
                raise Scattered
            self.add(outcome, measured_block)
            if self.watch:
                self.watch()
        if scattered:
            # blocks of a scattered run come in the order of hashes
            outcome.unjudged.sort()
        if "judged" not in outcome.notes:
            notes = outcome.all_notes([], self.pool)
            judgments = self.pool.judgments
            refuse_apart(run.label, notes, judgments.name, self.pool.topics, judgments.document)
        self.complete(outcome)
        return outcome

    def add(self, outcome: Outcome, block: MeasuredBlock) -> None:
        """Add a measured block to the outcome of its run."""
        outcome.add(block)
        if self.keep:
            outcome.kept.append(block.kept)

    def complete(self, outcome: Outcome) -> None:
        """Fill in the values of topics that the run lacks, after all its blocks were added."""
        outcome.notes.add("unanswerable", len(self.unanswerable.topics))
        if outcome.in_run.all():
            return
        missing = np.flatnonzero(~outcome.in_run)
        outcome.values[:, missing] = self._values_of_missing(missing)
        outcome.in_run |= outcome.empty

    def _block(self, block: Block) -> MeasuredBlock | None:
        run = block()
        return None if run is None else self.measured_block(run)

    def measured_block(self, run: Run) -> MeasuredBlock:
        """Align and measure some whole topics of a run. This is the unit of work, here and on a cluster."""
        if self.pool.documents is None:
            return self._measured(run)
        from assay.documents.names import AmbiguousDocument

        try:
            return self._measured(run)
        except AmbiguousDocument as error:
            raise error.in_table(run, error.document) from None

    def _measured(self, run: Run) -> MeasuredBlock:
        absent = 0
        if self._respelling:
            run, is_absent = self._respelling.respell(run)
            absent = 0 if is_absent is None else in_judged_topics(run, is_absent, self.pool)
        if self.prepared:
            run = self.prepared(run)
        kinds = [self.kind_for(run, kind) for kind in self.kinds]
        aligned = [kind.align(run, self.pool, self.rules) for kind in kinds]
        kept = None
        if self.keep:
            at = kinds.index(ELEMENTS) if ELEMENTS in kinds else 0
            kept = self.keep(self, kinds[at], aligned[at])
        values = (
            self._by_standards(run, kinds, aligned[0])
            if self.standards
            else self._values([each.ranking for each in aligned])
        )
        topics, unjudged, notes, *_ = aligned[0]
        notes.add("strange", absent)
        for budget in self.budgets:
            budget.add_ended(notes, cast("TextRanking", aligned[kinds.index(TEXT)].ranking))
        add_sample(notes, run, topics, self.pool)
        if self._have_scores_as_grades:
            are_grades = (run.score == np.trunc(run.score)) & (run.score < MOST_GRADES)
            notes.add("graded", int(np.sum(are_grades & (run.score > 0))))
            notes.add("scored", int(np.sum(~are_grades)))
        if self.unanswerable.topics:
            self.unanswerable.add_returned(notes, run)
            unjudged = [topic for topic in unjudged if topic not in self.unanswerable.topics]
        return MeasuredBlock(topics, unjudged, notes, values, kept)

    def kind_for(self, run: Run, kind: Kind) -> Kind:
        """Return the kind of ranking to make of a run: parts of documents count as text if text is judged."""
        return TEXT if kind is DOCUMENTS and not isinstance(run, DocumentRun) and TEXT in self.judged else kind

    def _by_standards(self, run: Run, kinds: list[Kind], aligned: Aligned) -> Floats:
        """Return the values of a block's topics, combined over several gold standards."""
        assert self.standards is not None
        values = self._unknown()
        for number, (pool, places) in enumerate(zip(self.standards.pools, self.standards.places, strict=True)):
            against = [kind.align(run, pool, self.rules) for kind in kinds]
            values[number][:, places[against[0].topics]] = self._values([each.ranking for each in against])
        return self._combined(values)[:, aligned.topics]

    def _values_of_missing(self, topics: Ints) -> Floats:
        """Return the values of topics that a run lacks.

        If many runs are measured, those of all topics are computed once.
        """
        if not self.pool.is_for_many_runs:
            return self._values_of_nothing(topics)
        if not self._of_nothing:
            self._of_nothing.append(self._values_of_nothing(np.arange(len(self.pool.topics))))
        return self._of_nothing[0][:, topics]

    def _values_of_nothing(self, topics: Ints) -> Floats:
        """Return the values of topics when nothing is retrieved."""
        if self.standards is None:
            return self._values([kind.nothing(self.pool, topics) for kind in self.kinds])
        values = self._unknown()
        for number, (pool, places) in enumerate(zip(self.standards.pools, self.standards.places, strict=True)):
            own = np.flatnonzero(np.isin(places, topics))
            values[number][:, places[own]] = self._values([kind.nothing(pool, own) for kind in self.kinds])
        return self._combined(values)[:, topics]

    def _unknown(self) -> Floats:
        """Return values[standard, measure, topic], all NaN."""
        assert self.standards is not None
        return np.full((len(self.standards.pools), len(self.measures), len(self.pool.topics)), np.nan)

    def _combined(self, values: Floats) -> Floats:
        assert self.standards is not None
        less_is_better = np.array([measure.less_is_better for measure in self.measures])
        mean_of_sets = np.array([measure.mean_of_sets for measure in self.measures])
        return self.standards.combine(values, less_is_better, mean_of_sets)

    def _values(self, rankings: list[Ranking]) -> Floats:
        """Return the values of all measures, each on the ranking of its kind."""
        if len(rankings) == 1:
            return measure_ranking(rankings[0], self.measures, self.rules)
        values = np.empty((len(self.measures), len(rankings[0])))
        for ranking, numbers in zip(rankings, self.kinds.values(), strict=True):
            values[numbers] = measure_ranking(ranking, [self.measures[number] for number in numbers], self.rules)
        return values


def unless_scattered(blocks: Iterator[Block]) -> Iterator[Block]:
    """Yield the blocks of a run; the first one raises Scattered if its topics are in many pieces.

    A run with only one block is never scattered.
    """
    begun = list(islice(blocks, 2))
    if len(begun) == 2:
        # a block is large, so nothing here holds it after it was read
        yield partial(read_unless_in_pieces, begun.pop(0))
    while begun:
        yield begun.pop(0)
    yield from blocks


def read_unless_in_pieces(block: Block) -> Run | None:
    """Read a block of a run; raise Scattered if its topics are in many pieces."""
    run = block()
    if run is not None and is_in_pieces(run):
        raise Scattered
    return run


def is_in_pieces(run: Run) -> bool:
    """Return whether the topics are in many pieces on average."""
    streaks, _ = run.topic.streak_ids()
    return len(streaks) > MOST_PIECES * len(streaks.number()[0])


def counts_elements(measure: Measure) -> bool:
    """Return whether the user set the unit of a measure to elements."""
    return measure.unit.startswith("element")


def counted_kind(measure: Measure, judged: tuple[Kind, ...]) -> Kind:
    """Return what a measure counts: the unit that the user set, else text or elements if they are judged."""
    if counts_elements(measure):
        return ELEMENTS
    finer: dict[str, tuple[Kind, ...]] = {"": (ELEMENTS, TEXT, SUBTOPICS, SAMPLED), "token": (TEXT,), "document": ()}
    return next((kind for kind in finer[measure.unit] if kind in measure.kinds and kind in judged), DOCUMENTS)


def least_grade(measure: Measure, judged: tuple[Kind, ...]) -> float | None:
    """Return the lowest grade that is relevant for a measure; None if it does not count documents by their grades."""
    if counted_kind(measure, judged) in (TEXT, ELEMENTS) or getattr(measure, "graded", False):
        return None
    return getattr(measure, "rel", None)


def least_grades(measures: Iterable[Measure], judged: tuple[Kind, ...]) -> dict[float, list[str]]:
    """Return the names of measures by the lowest grade that is relevant for them."""
    by_grade: dict[float, list[str]] = {}
    for measure in measures:
        if (grade := least_grade(measure, judged)) is not None:
            by_grade.setdefault(grade, []).append(str(measure))
    return by_grade


def measure_ranking(ranking: Ranking, measures: list[Measure], rules: Rules) -> Floats:
    """Return the values of some measures: values[measure, topic]."""
    values = np.empty((len(measures), len(ranking)))
    for number, measure in enumerate(measures):
        formula = measure.expected if rules.ties == "expected" else measure
        computed = _apply_measure(formula, measure, counted_in(ranking, measure.unit))
        if computed.shape != (len(ranking),):
            raise _no_values(measure, computed, rules)
        values[number] = computed
    if not np.isfinite(values).all():
        for measure, computed in zip(measures, values, strict=True):
            if np.isnan(computed).any() or (not measure.may_be_infinite and np.isinf(computed).any()):
                raise _no_values(measure, computed, rules)
    return values


def _no_values(measure: Measure, computed: Floats, rules: Rules) -> UsageError:
    open_ties = "; with ties=expected a measure can use gain, share and discount, but not rank"
    hint = open_ties if rules.ties == "expected" else ""
    return UsageError(f"{measure} must return one finite number for each topic; it returned {computed!r}{hint}")


def counted_in(ranking: Ranking, unit: str) -> Ranking:
    """Return the ranking in the unit that a measure counts."""
    if unit.startswith("element"):
        return ranking.each_element(unit)
    return ranking.documents if unit == "document" else ranking.in_tokens if unit == "token" else ranking


def _apply_measure(formula: Callable[[Ranking], Any], measure: Measure, ranking: Ranking) -> Floats:
    try:
        return np.asarray(formula(ranking), np.float64)
    except AssayError:
        raise
    except Exception as error:
        raise UsageError(f"{measure} cannot be computed: {type(error).__name__}: {error}") from error
