"""runs x judgments x measures -> Evaluation: the scores, and what was worked out for them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, UsageError
from assay.evaluation.blanks_ignored import blanks_ignored
from assay.evaluation.grade_notes import notes_on_grades
from assay.evaluation.measuring import Keep, Measuring, counted_kind
from assay.evaluation.named_runs import empty_topics, opened_inputs
from assay.evaluation.notes import decided, never_reached
from assay.evaluation.placing import Placing
from assay.evaluation.provenance import Origin, Provenance, provenance_of, tokenizer_named
from assay.evaluation.score_table import ScoreTable
from assay.files.source import Source
from assay.files.threads import in_threads
from assay.formats.format import Request
from assay.formats.reading import judgments_of, opened_documents, refuse_unknown_columns
from assay.measures.base import Measure, takes_tokens
from assay.measures.notation import HOLDS_FOR_TEXT, is_own, measures_of
from assay.ranking.gold_standards import GoldStandards, of_annotators
from assay.ranking.kinds import DOCUMENTS, ELEMENTS, SAMPLED, SUBTOPICS, TEXT, Kind, kinds_of
from assay.ranking.pool import Pool
from assay.ranking.rules import Rules
from assay.tables.column_names import told_columns
from assay.tables.judgments import Judgments
from assay.vocabulary import TOPICS, Blanks, Overlap, Texts, Ties, Topics

if TYPE_CHECKING:
    from assay.documents.lookup import Documents
    from assay.documents.tokens import TokenEnds, Tokenizer
    from assay.evaluation.tasks import Task

Progress = Callable[[int], None]


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
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


def evaluated(
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
    texts: Texts = "check",
    blanks: Blanks = "count",
    annotators: str | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    tokenizer: str | Tokenizer | None = None,
    progress: Progress | None = None,
    further: Callable[[list[Measure], Rules], list[Measure]] | None = None,
    keep: Keep | None = None,
) -> Evaluation:
    """An evaluation of one or many runs; most parameters are those of `assay.evaluate`.

    further: measures that are computed beside those that are asked for, told from these. keep: makes of each block of
    a run what is kept of it; each run is read once, and nothing else of it is held.
    """
    given, reported = of_task(task, quant, alpha)
    if measures is not None and task is not None and given is None:
        instead = "write a measure as in nxCG(quant=strict, overlap=off)@10"
        raise UsageError(f"task {task} has its own measures; without it, {instead}")
    measures = reported if measures is None else measures
    asked = None if measures is None else measures_of(measures)
    limits = given.limits if given else None
    rules = Rules(ties, depth, judged_only, overlap=overlap or (limits.overlap if limits else "paid"), limits=limits)
    collection = opened_documents(documents)
    if topics not in TOPICS:
        raise UsageError(f"unknown policy for topics {topics!r}; expected one of {', '.join(TOPICS)}")
    judged, named = opened_inputs(judgments, runs)
    told = told_columns(columns)
    refuse_unknown_columns([judged, *named.values()], format, told)
    needed = {measure.kinds for measure in asked or ()}
    more = {"subtopics": (SUBTOPICS,) in needed, "strata": (SAMPLED,) in needed}
    request = Request(collection, pools=pools, columns=told, every_column=False, **more)
    placing = Placing(collection, format, texts, told)
    without_blanks = blanks_ignored(blanks, collection, is_shown=keep is not None)
    read = judgments_of(placing.judgments(judged), format, request)
    empty = {name: empty_topics(run) for name, run in named.items()}
    named = {name: placing.run(run, name, read) for name, run in named.items()}
    if without_blanks:
        read, note = without_blanks.judgments(read)
        placing.notes.append(note)
    read = of_annotators(read, annotators)
    tokens = tokens_of(collection, tokenizer, blanks)
    pool = Pool(read, collection, tokens)
    standards = several_standards(pool, annotators, topics, placing.notes, is_shown=keep is not None)
    chosen = asked or measures_of(kinds_of(pool.judgments)[0].default_measures)
    refuse_other_kinds(chosen, pool.judgments)
    placing.notes += notes_on_grades(chosen, pool.judgments)
    if overlap or judged_only:
        refuse_elements_only(chosen, pool.judgments)
    if given:
        refuse_without_text(str(task), pool.judgments)
    refuse_without_tokenizer(chosen, tokens)
    refuse_without_texts(chosen, collection, blanks)
    everything = measures_of([*chosen, *(further(chosen, rules) if further else ())])
    sources = [source for source in (judged, *named.values()) if isinstance(source, Source)]
    watch = (lambda: progress(sum(source.done for source in sources))) if progress else None
    prepared = without_blanks.run if without_blanks else None
    work = Measuring(pool, everything, rules, list(named), format, keep, watch, prepared, told, empty, standards)
    if len(named) == 1:
        outcomes = [work.outcome(name, run, in_threads) for name, run in named.items()]
    else:
        outcomes = list(in_threads(lambda item: work.outcome(item[0], item[1], map), named.items()))
    values, notes = decided(outcomes, pool, topics, rules, placing.notes, standards)
    notes += never_reached(list(named), everything, pool.topics, values)
    scores = ScoreTable(list(named), everything, pool.topics, values, notes)
    kept = {outcome.name: outcome.kept for outcome in outcomes}
    missing = {outcome.name: list(compress(pool.topics, ~outcome.in_run)) for outcome in outcomes}
    decisions = {"ties": ties, "overlap": rules.overlap, "task": task, "topics": topics, "depth": depth}
    decisions |= {"judged_only": judged_only, "texts": texts, "blanks": blanks, "annotators": annotators}
    decisions |= {"tokenizer": tokenizer_named(tokenizer)}
    provenance = Origin(lambda: provenance_of(read, collection, everything, decisions))
    return Evaluation(pool, rules, chosen, work.shown, scores, kept, missing, provenance)


def several_standards(
    pool: Pool, annotators: str | None, topics: Topics, notes: list[str], is_shown: bool
) -> GoldStandards | None:
    """The gold standards, where any topic has several; what is done with them is added to the notes."""
    if pool.judgments.labels is None:
        return None
    standards = GoldStandards(pool, best=annotators == "best", only_relevant=topics == "relevant")
    if standards.most < 2:
        return None
    notes += standards.notes(pool.judgments.name, annotators is not None)
    if is_shown:
        notes.append(
            f"{pool.judgments.name}: what is shown of the evidence, and drawn over budgets, is all of it together"
        )
    return standards


def of_task(
    name: str | None, quant: str | Sequence[str] | None, alpha: float | None
) -> tuple[Task | None, Sequence[str] | None]:
    """What a task asks of runs, and the measures that are reported for it."""
    graded = None
    if name is not None:
        from assay.evaluation.tasks import graded_task, task_named

        graded = graded_task(name)
    if graded is not None:
        quants = [quant] if isinstance(quant, str) else quant or ["gen"]
        return None, graded.measures(quants, 1.0 if alpha is None else alpha)
    if quant or alpha is not None:
        what = "quant and alpha go with a task such as CO.Focussed"
        raise UsageError(f"{what}; a measure has its own, as in nxCG(quant=strict)")
    if name is None:
        return None, None
    task = task_named(name)
    return task, task.measures


def tokens_of(documents: Documents | None, tokenizer: str | Tokenizer | None, blanks: Blanks) -> TokenEnds | None:
    """The tokens of the documents, where a tokenizer is given."""
    if tokenizer is None:
        return None
    if blanks == "ignore":
        raise UsageError("tokens have places in texts with their blanks; give a tokenizer, or ignore blanks, not both")
    if documents is None:
        raise UsageError("a tokenizer needs the texts; give documents=")
    from assay.documents.tokens import TokenEnds, tokenizer_of

    return TokenEnds(documents, tokenizer_of(tokenizer))


def refuse_without_tokenizer(measures: list[Measure], tokens: TokenEnds | None) -> None:
    """Tokens are what a tokenizer makes of a text."""
    for measure in measures:
        if takes_tokens(measure) and tokens is None:
            raise UsageError(f"{measure} counts tokens; give tokenizer=, and give documents=")


def refuse_without_texts(measures: list[Measure], documents: Documents | None, blanks: Blanks) -> None:
    """Texts are compared as they stand in the documents."""
    for measure in measures:
        if measure.compares_texts and (documents is None or blanks == "ignore" or measure.unit):
            only = "" if documents is None else ", with their blanks and in no other unit"
            raise UsageError(f"{measure} compares texts{only or '; give documents='}")


def refuse_other_kinds(measures: list[Measure], judgments: Judgments) -> None:
    """A measure must count what is judged; where that is text, a measure of documents must be told to count these."""
    judged = kinds_of(judgments)
    for measure in measures:
        needed = (TEXT,) if takes_tokens(measure) else measure.kinds
        if not set(needed) & set(judged):
            raise UsageError(f"{measure} needs {needed[0].name}, and {judgments.name} has none")
        if TEXT in judged and not measure.unit and counted_kind(measure, judged) is DOCUMENTS:
            instead = replace(measure, unit="document")
            or_else = f", or {HOLDS_FOR_TEXT}" if is_own(type(measure)) else ""
            what = f"{measure} counts documents, and text is highlighted in {judgments.name}"
            raise UsageError(f"{what}; write {instead}{or_else}")


def refuse_elements_only(measures: list[Measure], judgments: Judgments) -> None:
    """Rules for overlap and unjudged results must have something to be applied to."""
    judged = kinds_of(judgments)
    if all(counted_kind(measure, judged) is ELEMENTS for measure in measures):
        what = "overlap and judged-only are not for assessed elements"
        raise UsageError(f"{what}; their overlap is as nxCG(overlap=off)@10 says")


def refuse_without_text(task: str, judgments: Judgments) -> None:
    """A task of highlighted text needs judgments of it."""
    judged = kinds_of(judgments)
    if TEXT not in judged:
        what = "elements; their passages need documents=" if ELEMENTS in judged else "whole documents"
        raise InputError(f"task {task} needs highlighted text, and these judgments are of {what}", judgments.name)
