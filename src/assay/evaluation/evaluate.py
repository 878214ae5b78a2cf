"""runs x judgments x measures -> Scores, block by block: a block is some whole topics of one run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, get_args

import numpy as np

from assay.errors import AssayError, InputError, UsageError, listed
from assay.evaluation.notes import Outcome, Topics, decided
from assay.evaluation.scores import Scores
from assay.files.source import Source
from assay.files.threads import in_threads
from assay.formats import Block, is_file, opened_documents, read_judgments, refuse_more_fields, run_blocks
from assay.measures.base import Measure
from assay.measures.notation import DEFAULT, DEFAULT_OF_ELEMENTS, DEFAULT_OF_TEXT, measures_of
from assay.ranking.align import Aligned, align
from assay.ranking.pool import Pool
from assay.ranking.ranking import Ranking
from assay.ranking.rules import Overlap, Rules, Ties
from assay.tables.ids import Floats, Ints
from assay.tables.run import Run

if TYPE_CHECKING:
    from assay.ranking.tasks import Task

Progress = Callable[[int], None]


class Scattered(Exception):
    """A topic's results stand in several blocks of a file, which must then be read as one."""


def evaluate(
    judgments: Any,
    runs: Any,
    measures: Any = None,
    *,
    documents: Any = None,
    ties: Ties = "docno",
    overlap: Overlap | None = None,
    task: str | None = None,
    quant: str | Sequence[str] | None = None,
    alpha: float | None = None,
    pools: Collection[str] | None = None,
    topics: Topics = "judged",
    depth: int | None = None,
    judged_only: bool = False,
    form: str | None = None,
    progress: Progress | None = None,
) -> Scores:
    """Scores of one or many runs.

    judgments, runs: paths (`-` is standard input), dicts of dicts, pandas, polars or Arrow frames, or records; several runs as a
    list, or as a dict that names them. measures: names such as "nDCG@10", measures, or classes of measures.
    documents: a folder, an archive or a JSONL file, where element paths or lengths have to be looked up.
    ties: docno (as trec_eval), input, rank, or expected (the mean over all orders of tied results).
    overlap of parts of documents: new (text seen at an earlier rank does not count again), drop, or reject.
    task: one of INEX: its measures, if none are given, and its rules, which runs must keep to. quant, alpha: of the tasks of 2005,
    the quantisations to report, and how little text is worth that was seen before. pools: of a folder of assessments, the pools
    that count.
    topics: which count: judged (all with judgments, missing from the run = 0), relevant (those with anything relevant), common
    (those that the run has too), or error (refuse a run whose topics differ). depth: how many results of a topic count.
    judged_only: leave out unjudged results. form: the files' format, where it should not be recognised from their content.
    """
    given, reported = of_task(task, quant, alpha)
    if measures is not None and task is not None and given is None:
        raise UsageError(f"task {task} has its own measures; without it, write a measure as in nxCG(quant=strict, overlap=off)@10")
    measures = reported if measures is None else measures
    chosen = None if measures is None else measures_of(measures)
    rules = Rules(ties, depth, judged_only, overlap=overlap or (given.overlap if given else "new"), task=given)
    collection = opened_documents(documents)
    if topics not in get_args(Topics):
        raise UsageError(f"unknown policy for topics {topics!r}; expected one of {', '.join(get_args(Topics))}")
    named = {name: _opened(run) for name, run in named_runs(runs).items()}
    judged = _opened(judgments)
    sources = [one for one in (judged, *named.values()) if isinstance(one, Source)]
    if len([one for one in sources if one.path == "-"]) > 1:
        raise UsageError("standard input can be read only once")
    pool = Pool(read_judgments(judged, form, collection, pools), collection)
    chosen = chosen or measures_of(default_for(pool))
    refuse_unit(chosen, pool)
    if (overlap or judged_only) and pool.judgments.elements is not None and all(one.of_elements and not one.unit for one in chosen):
        raise UsageError("overlap and judged-only are not for assessed elements; their overlap is as nxCG(overlap=off)@10 says")
    if given and not pool.has_text:
        what = "elements; their passages need documents=" if pool.judgments.elements is not None else "whole documents"
        raise InputError(f"task {task} needs highlighted text, and these judgments are of {what}", pool.judgments.name)
    work = Work(pool, chosen, rules, form, (lambda: progress(sum(one.done for one in sources))) if progress else None)
    if len(named) == 1:
        outcomes = [work.outcome(name, run, in_threads) for name, run in named.items()]
    else:
        outcomes = list(in_threads(lambda item: work.outcome(item[0], item[1], map), named.items()))
    values, notes = decided(outcomes, pool, topics, rules)
    return Scores(list(named), chosen, pool.topics, values, notes)


def of_task(
    name: str | None, quant: str | Sequence[str] | None, alpha: float | None
) -> tuple[Task | None, Sequence[str] | None]:
    """What a task asks of runs, and the measures that are reported for it."""
    graded = None
    if name is not None:
        from assay.ranking.tasks import graded_task, task_named

        graded = graded_task(name)
    if graded is not None:
        quants = [quant] if isinstance(quant, str) else quant or ["gen"]
        return None, graded.measures(quants, 1.0 if alpha is None else alpha)
    if quant or alpha is not None:
        raise UsageError("quant and alpha go with a task such as CO.Focussed; a measure has its own, as in nxCG(quant=strict)")
    if name is None:
        return None, None
    task = task_named(name)
    return task, task.measures


def default_for(pool: Pool) -> tuple[str, ...]:
    """The measures that are reported where none are asked for: as the judgments are."""
    if pool.has_text:
        return DEFAULT_OF_TEXT
    return DEFAULT_OF_ELEMENTS if pool.judgments.elements is not None else DEFAULT


def refuse_unit(measures: list[Measure], pool: Pool) -> None:
    """A measure that is defined for documents only must be told to count them where text is highlighted."""
    for measure in measures:
        if not measure.of_documents and pool.judgments.elements is None:
            raise UsageError(f"{measure} needs assessed elements, and {pool.judgments.name} has none")
        if pool.has_text and not measure.of_text and not measure.unit and measure.of_documents:
            instead = replace(measure, unit="document")
            raise UsageError(f"{measure} counts documents, and text is highlighted in {pool.judgments.name}; write {instead}")


def named_runs(runs: Any) -> dict[str, Any]:
    """Runs by name: what one, a list or a dict of them was given as; files are named after themselves."""
    if isinstance(runs, Mapping) and not _is_one_run(runs):
        if len({str(name) for name in runs}) < len(runs):
            raise UsageError("two runs have the same name")
        return {str(name): run for name, run in runs.items()}
    if isinstance(runs, list | tuple) and not runs:
        raise UsageError("no run was given")
    several = isinstance(runs, list | tuple) and all(is_file(one) or _is_table(one) for one in runs)
    listing = list(runs) if several else [runs]
    names = [_name_of(one, f"run {number}" if several else "run") for number, one in enumerate(listing, 1)]
    if len(set(names)) < len(names):
        names = [_opened(one).path if is_file(one) else name for one, name in zip(listing, names, strict=True)]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"run {repeated} was given twice")
    return dict(zip(names, listing, strict=True))


def _opened(given: Any) -> Any:
    return Source(given) if is_file(given) and not isinstance(given, Source) else given


def _name_of(run: Any, otherwise: str) -> str:
    return str(_opened(run).stem) if is_file(run) else run.name if isinstance(run, Run) else otherwise


def _is_one_run(runs: Mapping[Any, Any]) -> bool:
    inner: Any = next((found for found in runs.values() if not isinstance(found, Mapping) or found), {})
    if isinstance(inner, list | tuple):
        # a ranking of documents, or of (document, start, end)
        return all(isinstance(one, str | int) or (isinstance(one, tuple) and is_span(one)) for one in inner)
    return isinstance(inner, Mapping) and not any(isinstance(value, Mapping | list | tuple) for value in inner.values())


def is_span(one: tuple[Any, ...]) -> bool:
    """Whether a tuple is a document with a start and an end, and not a record of topic, document and score."""
    return len(one) > 2 and isinstance(one[0], str | int) and all(isinstance(place, int | np.integer) for place in one[1:3])


def _is_table(one: Any) -> bool:
    if isinstance(one, Mapping):
        # a record is a dict too, but of plain values
        return all(isinstance(value, Mapping | list | tuple) for value in one.values())
    return isinstance(one, Run) or hasattr(one, "columns") or hasattr(one, "__arrow_c_stream__")


@dataclass(eq=False, repr=False)
class Work:
    """What is done to each run, whichever it is."""

    pool: Pool
    measures: list[Measure]
    rules: Rules
    form: str | None
    watch: Callable[[], None] | None

    @cached_property
    def of_text(self) -> bool:
        """Whether text is highlighted and any of the measures counts it."""
        return self.pool.has_text and not all(measure.unit for measure in self.measures)

    @cached_property
    def kinds(self) -> dict[bool, list[int]]:
        """The numbers of the measures of elements, under True, and of the others; those only that there are."""
        elements = self.pool.judgments.elements is not None
        kinds: dict[bool, list[int]] = {}
        for number, measure in enumerate(self.measures):
            kinds.setdefault(elements and measure.of_elements and not measure.unit, []).append(number)
        return kinds

    def outcome(self, name: str, run: Any, mapped: Callable[..., Iterator[Any]]) -> Outcome:
        """What a run scores; `mapped` is map, or in_threads where its blocks are to share the cores."""
        try:
            return self._outcome(name, run, mapped, gather=False)
        except Scattered:
            return self._outcome(name, run, mapped, gather=True)

    def _outcome(self, name: str, run: Any, mapped: Callable[..., Iterator[Any]], gather: bool) -> Outcome:
        outcome = Outcome(name, np.full((len(self.measures), len(self.pool.topics)), np.nan), np.zeros(len(self.pool.topics), bool))
        if self.pool.has_text and isinstance(run, Source):
            refuse_more_fields(run, self.form)
        options = {"ranks": self.rules.ties == "rank", "gather": gather}
        blocks = run_blocks(run, None if is_file(run) else name, self.form, documents=self.pool.documents, **options)
        for aligned, values in filter(None, mapped(self._block, blocks)):
            if outcome.found[aligned.topics].any() or not set(outcome.unjudged).isdisjoint(aligned.unjudged):
                raise Scattered
            outcome.values[:, aligned.topics] = values
            outcome.found[aligned.topics] = True
            outcome.unjudged += aligned.unjudged
            outcome.tied += aligned.tied.tolist()
            outcome.overlapping += aligned.overlapping
            outcome.too_long += aligned.too_long
            outcome.beyond += aligned.beyond
            outcome.disputed += aligned.disputed
            if self.watch:
                self.watch()
        if not outcome.found.any():
            self._nothing_found(run.label if isinstance(run, Source) else name, outcome.unjudged)
        missing = np.flatnonzero(~outcome.found)
        outcome.values[:, missing] = self._values([self._nothing(missing, of_elements) for of_elements in self.kinds])
        return outcome

    def _block(self, block: Block) -> tuple[Aligned, Floats] | None:
        table = block()
        if table is None:
            return None
        parts = table.start is not None or table.path is not None or self.of_text
        found = [self._aligned(table, of_elements, parts) for of_elements in self.kinds]
        return found[0], self._values([one.ranking for one in found])

    def _aligned(self, table: Run, of_elements: bool, parts: bool) -> Aligned:
        if of_elements:
            from assay.ranking.align_elements import align_elements

            return align_elements(table, self.pool, self.rules)
        if parts:
            from assay.ranking.align_text import align_text

            return align_text(table, self.pool, self.rules)
        return align(table, self.pool, self.rules)

    def _nothing(self, missing: Ints, of_elements: bool) -> Ranking:
        if of_elements:
            from assay.ranking.align_elements import nothing_of_elements

            return nothing_of_elements(self.pool, missing)
        if self.of_text:
            from assay.ranking.align_text import nothing_of_text

            return nothing_of_text(self.pool, missing)
        return self.pool.nothing_for(missing)

    def _values(self, rankings: list[Ranking]) -> Floats:
        """The values of all measures, each of the ranking of its kind."""
        values = np.empty((len(self.measures), len(rankings[0])))
        for ranking, numbers in zip(rankings, self.kinds.values(), strict=True):
            values[numbers] = measured(ranking, [self.measures[number] for number in numbers], self.rules)
        return values

    def _nothing_found(self, label: str, topics: list[str]) -> NoReturn:
        if not topics:
            raise InputError("is empty; expected a run", label)
        ours, theirs = listed(topics, 2), listed(self.pool.topics, 2)
        raise InputError(f"{label} and {self.pool.judgments.name} have no topic in common ({ours} against {theirs})")


def measured(ranking: Ranking, measures: list[Measure], rules: Rules) -> Floats:
    """The values of some measures: values[measure, topic]."""
    values = np.empty((len(measures), len(ranking)))
    for number, measure in enumerate(measures):
        counted_in = ranking.documents if measure.unit == "document" else ranking
        found = np.asarray(_applied(measure.expected if rules.ties == "expected" else measure, measure, counted_in), np.float64)
        if found.shape != (len(ranking),) or not np.isfinite(found).all():
            hint = "; where ties are left open there is gain, share and discount, but no rank" if rules.ties == "expected" else ""
            raise UsageError(f"{measure} must give one finite number a topic; it gave {found!r}{hint}")
        values[number] = found
    return values


def _applied(formula: Callable[[Ranking], Any], measure: Measure, ranking: Ranking) -> Any:
    try:
        return formula(ranking)
    except AssayError:
        raise
    except Exception as error:
        raise UsageError(f"{measure} cannot be computed: {type(error).__name__}: {error}") from error
