"""What is done to each run: it is read, aligned and measured block by block; a block is some whole topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
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
    from assay.reading.respelling import Respelling

# In this many pieces topics may be, on average, in the first block of a run that is not taken to be scattered.
MOST_PIECES = 2
# What is kept of a block: made of its kind and its alignment, while both are at hand.
Keep = Callable[["Measuring", Kind, Aligned], Any]


class Unanswerable(NamedTuple):
    """The topics that have no answer, and the scores of their first results by run and topic, where runs are lists."""

    topics: frozenset[str] = frozenset()
    first: Mapping[str, Mapping[str, float | None]] = {}

    def add_returned(self, notes: Notes, run: Run) -> None:
        """Note what a run returned for these topics: how many results, and the best score."""
        first, number = run.topic.number()
        for at, topic in enumerate(run.topic[first].texts()):
            if topic in self.topics:
                rows = np.flatnonzero(number == at)
                scores = -np.sort(-run.score[rows])
                # results without scores got 0, -1, … by their order, or their negative ranks
                is_order = np.array_equal(np.diff(scores), np.full(len(scores) - 1, -1)) and scores[0] in (0, -1)
                best = self.first.get(run.name, {}).get(topic) if is_order else float(scores[0])
                notes.add("returned", 1, [(topic, len(rows), best)])


NONE_UNANSWERABLE = Unanswerable()


class Scattered(Exception):
    """A topic's results are in several blocks of a file, which must then be read as one."""


# Where lists end before a budget is read.


class ListBudget(NamedTuple):
    """The cut-off of a measure of what is read: this many characters or tokens, and perhaps this many results."""

    size: int
    in_tokens: bool
    k: int | None

    def __str__(self) -> str:
        results = "" if self.k is None else f" and {count_noun(self.k, 'result')}"
        return f"{count_noun(self.size, 'token' if self.in_tokens else 'character')}{results}"

    def add_ended(self, notes: Notes, ranking: TextRanking) -> None:
        """Note how many lists end before it, and how much the shortest and the longest of these have."""
        length = ranking.list_length(self.in_tokens)
        ended = length < self.size if self.k is None else (length < self.size) & (ranking.retrieved < self.k)
        if ended.any():
            low, high = int(length[ended].min()), int(length[ended].max())
            notes.add(f"ended {self}", np.count_nonzero(ended), low=low, high=high)


def list_budgets(measures: Iterable[Measure]) -> list[ListBudget]:
    """The budgets of some measures of text, each once."""
    budgets = [
        ListBudget(size, unit == "tokens", getattr(measure, "k", None))
        for measure in measures
        for unit in ("chars", "tokens")
        if isinstance(size := getattr(measure, unit, None), int)
    ]
    return list(dict.fromkeys(budgets))


class MeasuredBlock(NamedTuple):
    """What is known of some whole topics of a run: which of the pool's topics they are, the names of those without
    judgments, the notes, values[measure, topic], and what is kept of it.
    """

    topics: Ints
    unjudged: list[str]
    notes: Notes
    values: Floats
    kept: Any = None


@dataclass(eq=False, repr=False)
class Outcome:
    """What one run scored: values[measure, topic] in the pool's order of topics, and what was noticed.

    `in_run` are the topics that the run has, `empty` those of them for which it has no results, `kept` is what was kept
    of each of its blocks.
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
        """The outcome of a run of which nothing is known yet but the topics for which it has no results."""
        topics, without = len(pool.topics), set(empty)
        is_empty = np.array([topic in without for topic in pool.topics], bool) if without else np.zeros(topics, bool)
        return cls(name, np.full((measures, topics), np.nan), np.zeros(topics, bool), is_empty)

    def has_any(self, block: MeasuredBlock) -> bool:
        """Whether a topic of a block has been met before."""
        return bool(self.in_run[block.topics].any()) or not set(self.unjudged).isdisjoint(block.unjudged)

    def add(self, block: MeasuredBlock) -> None:
        """The values of a block's topics, and what was noticed in it."""
        self.values[:, block.topics] = block.values
        self.in_run[block.topics] = True
        self.unjudged += block.unjudged
        self.notes.merge(block.notes)

    def drop_topics(self, pool: Pool, topics: Topics) -> None:
        """Take the values from topics that do not count."""
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
        """The notes of the blocks, and those on topics and values of the run."""
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
            # in the order of the measures, whichever block had some first
            if (note := notes.pop(kind, None)) is not None:
                notes[kind] = note
        if "sample" in notes:
            add_judged_sample(notes, pool)
        return notes


@dataclass(eq=False, repr=False)
class Measuring:
    """What is done to each run, whichever of the `systems` it is of.

    `keep` is called for each block and makes of it what is kept beside the values, `watch` after each block. `prepared`
    makes of a run what is measured, if that is not the run as it is. `columns` are those that the user tells of
    tables, by field. `empty` are the topics that runs have with no results, by the name of the run. If there are
    several gold `standards` each block is measured against each of them, and what is noticed and kept is of all
    judgments together.
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
        # the kinds that are judged
        self.judged = kinds_of(self.pool.judgments)
        self.kinds = self._kinds()
        self.budgets = list_budgets(each for each in self.measures if counted_kind(each, self.judged) is TEXT)

    @cached_property
    def _respelling(self) -> Respelling | None:
        """What gives documents the names that the judgments have for them, where documents are given."""
        if self.pool.documents is None or not isinstance(self.pool.judgments, HighlightJudgments):
            return None
        from assay.reading.respelling import Respelling

        return Respelling(self.pool.judgments, self.pool.documents)

    def _kinds(self) -> dict[Kind, list[int]]:
        """The kinds of rankings that are needed, and the numbers of the measures that are computed on each.

        Where text is counted, documents are counted on the ranking of text, which knows in which documents it is; and
        where subtopics or strata are, on that of documents with these.
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
        """The same done to other runs; what depends on judgments and measures alone is not worked out again."""
        work = object.__new__(Measuring)
        given = {"systems": systems, "empty": empty, "keep": keep, "watch": watch, "unanswerable": unanswerable}
        work.__dict__ = {**self.__dict__, "_respelling": self._respelling, **given}
        return work

    def by_other_rules(self, measures: list[Measure], rules: Rules) -> Measuring:
        """The same by other measures and rules, done to blocks of runs that were measured, and so are prepared."""
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
        """What a run scores; `mapped` is map, or what lets the cores share its blocks."""
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
            # they came by their hashes
            outcome.unjudged.sort()
        if "judged" not in outcome.notes:
            notes = outcome.all_notes([], self.pool)
            refuse_apart(run.label, notes, self.pool.judgments.name, self.pool.topics)
        self.complete(outcome)
        return outcome

    def add(self, outcome: Outcome, block: MeasuredBlock) -> None:
        """What a block scored, to what the run scored so far."""
        outcome.add(block)
        if self.keep:
            outcome.kept.append(block.kept)

    def complete(self, outcome: Outcome) -> None:
        """What a run scores in topics for which it has nothing, when all its blocks were added."""
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
        """Some whole topics of a run, aligned and measured: the unit of work, here and on a cluster."""
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
        if self.unanswerable.topics:
            self.unanswerable.add_returned(notes, run)
            unjudged = [topic for topic in unjudged if topic not in self.unanswerable.topics]
        return MeasuredBlock(topics, unjudged, notes, values, kept)

    def kind_for(self, run: Run, kind: Kind) -> Kind:
        """The kind of ranking that is made of a run: parts of documents are text wherever that is judged."""
        return TEXT if kind is DOCUMENTS and not isinstance(run, DocumentRun) and TEXT in self.judged else kind

    def _by_standards(self, run: Run, kinds: list[Kind], aligned: Aligned) -> Floats:
        """The values of a block's topics against several gold standards."""
        assert self.standards is not None
        values = self._unknown()
        for number, (pool, places) in enumerate(zip(self.standards.pools, self.standards.places, strict=True)):
            against = [kind.align(run, pool, self.rules) for kind in kinds]
            values[number][:, places[against[0].topics]] = self._values([each.ranking for each in against])
        return self._combined(values)[:, aligned.topics]

    def _values_of_missing(self, topics: Ints) -> Floats:
        """The values of topics that a run lacks; where many runs are measured, those of all topics are computed once.
        """
        if not self.pool.is_for_many_runs:
            return self._values_of_nothing(topics)
        if not self._of_nothing:
            self._of_nothing.append(self._values_of_nothing(np.arange(len(self.pool.topics))))
        return self._of_nothing[0][:, topics]

    def _values_of_nothing(self, topics: Ints) -> Floats:
        """The values of topics for which a run has nothing."""
        if self.standards is None:
            return self._values([kind.nothing(self.pool, topics) for kind in self.kinds])
        values = self._unknown()
        for number, (pool, places) in enumerate(zip(self.standards.pools, self.standards.places, strict=True)):
            own = np.flatnonzero(np.isin(places, topics))
            values[number][:, places[own]] = self._values([kind.nothing(pool, own) for kind in self.kinds])
        return self._combined(values)[:, topics]

    def _unknown(self) -> Floats:
        """values[standard, measure, topic], of which none is known yet."""
        assert self.standards is not None
        return np.full((len(self.standards.pools), len(self.measures), len(self.pool.topics)), np.nan)

    def _combined(self, values: Floats) -> Floats:
        assert self.standards is not None
        less_is_better = np.array([measure.less_is_better for measure in self.measures])
        mean_of_sets = np.array([measure.mean_of_sets for measure in self.measures])
        return self.standards.combine(values, less_is_better, mean_of_sets)

    def _values(self, rankings: list[Ranking]) -> Floats:
        """The values of all measures, each of the ranking of its kind."""
        if len(rankings) == 1:
            return measure_ranking(rankings[0], self.measures, self.rules)
        values = np.empty((len(self.measures), len(rankings[0])))
        for ranking, numbers in zip(rankings, self.kinds.values(), strict=True):
            values[numbers] = measure_ranking(ranking, [self.measures[number] for number in numbers], self.rules)
        return values


def unless_scattered(blocks: Iterator[Block]) -> Iterator[Block]:
    """The blocks of a run, unless the first of several has topics in many pieces, because then others have too."""
    begun = list(islice(blocks, 2))
    if len(begun) == 2 and (run := begun[0]()) is not None:
        if is_in_pieces(run):
            raise Scattered
        # it need not be read again, nor held for long
        begun[0] = partial(replace, run)
        del run
    while begun:
        yield begun.pop(0)
    yield from blocks


def is_in_pieces(run: Run) -> bool:
    """Whether topics are in many pieces, on average."""
    streaks, _ = run.topic.streak_ids()
    return len(streaks) > MOST_PIECES * len(streaks.number()[0])


def counts_elements(measure: Measure) -> bool:
    """Whether a measure of documents is told to count elements."""
    return measure.unit.startswith("element")


def counted_kind(measure: Measure, judged: tuple[Kind, ...]) -> Kind:
    """What a measure counts where some kinds are judged: text or elements if it can, unless it is told otherwise."""
    if counts_elements(measure):
        return ELEMENTS
    finer: dict[str, tuple[Kind, ...]] = {"": (ELEMENTS, TEXT, SUBTOPICS, SAMPLED), "token": (TEXT,), "document": ()}
    return next((kind for kind in finer[measure.unit] if kind in measure.kinds and kind in judged), DOCUMENTS)


def measure_ranking(ranking: Ranking, measures: list[Measure], rules: Rules) -> Floats:
    """The values of some measures: values[measure, topic]."""
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
    """The ranking as a measure sees it that counts in a unit."""
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
