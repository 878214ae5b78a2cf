"""runs x judgments x measures -> Evaluation: the scores, and what was worked out for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.evaluation.asked import asked_for, refuse_without_copies
from assay.evaluation.grade_notes import notes_on_grades
from assay.evaluation.measuring import Keep, Measuring
from assay.evaluation.meeting import texts_as_ids_noted
from assay.evaluation.named_runs import empty_topics, opened_inputs, topics_told_from_names
from assay.evaluation.notes import notes_on, settled
from assay.evaluation.options import Options, refuse_unknown_policy
from assay.evaluation.origin import Origin
from assay.evaluation.outcomes import outcomes_of
from assay.evaluation.placing import Placing
from assay.evaluation.score_table import ScoreTable
from assay.evaluation.tallies import PoolTally, pool_tally, tally_of
from assay.files.source import Source
from assay.formats.format import Request
from assay.formats.reading import judgments_of, refuse_unknown_columns
from assay.measures.base import Measure
from assay.measures.notation import measures_of
from assay.ranking.kinds import Kind
from assay.ranking.pool import Pool
from assay.ranking.rules import Rules
from assay.tables.judgments import Judgments
from assay.vocabulary import Topics

if TYPE_CHECKING:
    from assay.evaluation.blanks_ignored import BlanksIgnored
    from assay.evaluation.provenance import Provenance
    from assay.ranking.gold_standards import GoldStandards

Progress = Callable[[int], None]
Further = Callable[[list[Measure], Rules], list[Measure]]


class Evaluation(NamedTuple):
    """What was worked out: judgments made ready, rules, the measures asked for, and the scores by all measures.

    `shown` is the kind in which results are listed. `kept` has for each run what was kept of its blocks, `missing` the
    topics that it lacks. `provenance` finds out, when it is asked, what the scores were made of.
    """

    pool: Pool
    rules: Rules
    measures: list[Measure]
    shown: Kind
    scores: ScoreTable
    kept: dict[str, list[Any]]
    missing: dict[str, list[str]]
    provenance: Callable[[], Provenance]


@dataclass(eq=False, repr=False)
class Prepared:
    """Judgments, measures and rules, made ready to measure any number of runs.

    `read` are the judgments as they were read, `everything` the measures with what is measured beside those asked for.
    `before` and `after` are notes that stand around those on the texts of runs.
    """

    pool: Pool
    rules: Rules
    measures: list[Measure]
    everything: list[Measure]
    topics: Topics
    read: Judgments
    placing: Placing
    without_blanks: BlanksIgnored | None
    standards: GoldStandards | None
    before: list[str]
    after: list[str]
    provenance: Callable[[], Provenance]

    @cached_property
    def _measuring(self) -> Measuring:
        """What is done to each run."""
        measuring = Measuring(self.pool, self.everything, self.rules, [], self.placing.format)
        measuring.prepared = self.without_blanks.run if self.without_blanks else None
        measuring.columns, measuring.standards = self.placing.columns, self.standards
        return measuring

    @cached_property
    def _tally(self) -> PoolTally:
        """What was noticed of the judgments."""
        return pool_tally(self.pool, self.standards)

    def evaluation(
        self, named: dict[str, Any], progress: Progress | None = None, keep: Keep | None = None
    ) -> Evaluation:
        """The evaluation of some runs, which have names, and whose files are opened."""
        placing = self.placing.anew()
        empty = {name: empty_topics(run) for name, run in named.items()}
        with topics_told_from_names(named, self.pool):
            named = {name: placing.run(run, name, self.read) for name, run in named.items()}
            sources = [source for source in named.values() if isinstance(source, Source)]
            watch = (lambda: progress(sum(source.done for source in sources))) if progress else None
            work = self._measuring.of_runs(list(named), empty, keep, watch)
            outcomes = outcomes_of(named, work)
        for outcome in outcomes:
            settled(outcome, self.pool, self.pool.barren, self.topics)
        judged = self.pool.judgments
        of_reading = [*self.before, *placing.notes, *self.after, *(f"{judged.name}: {note}" for note in judged.notes)]
        tallies = [tally_of(outcome, self.pool) for outcome in outcomes if not outcome.is_plain]
        notes = notes_on(tallies, self._tally, self.everything, self.topics, self.rules, of_reading)
        values = np.array([outcome.values for outcome in outcomes])
        scores = ScoreTable(list(named), self.everything, self.pool.topics, values, notes)
        kept = {outcome.name: outcome.kept for outcome in outcomes}
        # a topic with an empty list has no results either
        missing = {
            each.name: list(compress(self.pool.topics, (~each.in_run | each.empty).tolist())) for each in outcomes
        }
        return Evaluation(self.pool, self.rules, self.measures, work.shown, scores, kept, missing, self.provenance)


def evaluated(
    judgments: Any,
    runs: Any,
    measures: Any = None,
    *,
    progress: Progress | None = None,
    further: Further | None = None,
    keep: Keep | None = None,
    **rules: Any,
) -> Evaluation:
    """An evaluation of one or many runs; the rules are the options of `assay.evaluate`.

    further: measures that are computed beside those that are asked for, told from these. keep: makes of each block of
    a run what is kept of it; each run is read once, and nothing else of it is held.
    """
    judged, named = opened_inputs(judgments, runs)
    beside, is_shown = list(named.values()), keep is not None
    ready = prepared(judged, measures, Options(**rules), beside=beside, further=further, is_shown=is_shown)
    read = judged.done if isinstance(judged, Source) else 0
    watch = (lambda done: progress(read + done)) if progress else None
    return ready.evaluation(named, watch, keep)


def prepared(
    judgments: Any,
    measures: Any,
    options: Options,
    *,
    beside: Sequence[Any] = (),
    further: Further | None = None,
    is_shown: bool = False,
) -> Prepared:
    """What is made ready before runs are measured.

    beside: runs whose columns may be told of too. is_shown: whether what was returned is shown, and not only measured.
    """
    asked = asked_for(measures, options)
    rules, collection, annotators = asked.rules, options.collection, options.annotators
    refuse_unknown_policy(options.topics)
    told, format = options.told_columns, options.format
    refuse_unknown_columns([judgments, *beside], format, told)
    request = Request(collection, pools=options.pools, columns=told, every_column=False, **asked.of_judgments)
    placing = Placing(collection, format, options.texts, told)
    without_blanks = None
    if options.blanks != "count":
        from assay.evaluation.blanks_ignored import blanks_ignored

        without_blanks = blanks_ignored(options.blanks, collection, is_shown=is_shown)
    as_read = read = judgments_of(placing.judgments(judgments), format, request)
    after: list[str] = []
    if options.copies:
        from assay.evaluation.copies_counted import copies_counted

        read, note = copies_counted(read, collection, placing)
        as_read = read
        after.append(note)
    if without_blanks:
        read, note = without_blanks.judgments(read)
        after.append(note)
    if read.labels is not None or annotators is not None:
        from assay.ranking.gold_standards import of_annotators

        read = of_annotators(read, annotators)
    pool = Pool(read, collection, options.tokens)
    standards = several_standards(pool, annotators, options.topics, after, is_shown=is_shown)
    chosen = asked.measures_for(pool.judgments, collection, options.blanks, has_tokenizer=pool.tokens is not None)
    refuse_without_copies(chosen, options.copies)
    everything = measures_of([*chosen, *(further(chosen, rules) if further else ())])
    decisions = options.decisions(rules.overlap)

    def made_of() -> Provenance:
        from assay.evaluation.provenance import provenance_of

        return provenance_of(read, collection, everything, decisions)

    before, after = placing.notes, [
        *after,
        *notes_on_grades(chosen, pool.judgments),
        *texts_as_ids_noted(pool.judgments),
    ]
    return Prepared(
        pool, rules, chosen, everything, options.topics, as_read, placing, without_blanks, standards, before, after,
        Origin(made_of),
    )  # fmt: skip


def several_standards(
    pool: Pool, annotators: str | None, topics: Topics, notes: list[str], is_shown: bool
) -> GoldStandards | None:
    """The gold standards, where any topic has several; what is done with them is added to the notes."""
    if pool.judgments.labels is None:
        return None
    from assay.ranking.gold_standards import GoldStandards, notes_on_standards

    standards = GoldStandards(pool, best=annotators == "best", only_relevant=topics == "relevant")
    if standards.most < 2:
        return None
    notes += notes_on_standards(pool.judgments.name, len(pool.topics), *standards.several, annotators is not None)
    if is_shown:
        notes.append(
            f"{pool.judgments.name}: what is shown of the evidence, and drawn over budgets, is all of it together"
        )
    return standards
