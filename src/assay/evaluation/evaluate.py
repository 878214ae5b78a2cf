"""Evaluate runs: judgments, runs and measures in, scores and what they were computed from out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from assay.errors import InputError, UsageError
from assay.evaluation import notes
from assay.evaluation.matching import add_texts_as_ids
from assay.evaluation.measuring import (
    Keep,
    Measuring,
    Outcome,
    Unanswerable,
    counted_kind,
    counts_elements,
    least_grades,
)
from assay.evaluation.score_table import ScoreTable
from assay.files.memory import reuse_freed_memory
from assay.files.source import Source
from assay.files.threads import in_threads
from assay.measures.base import Measure, MeasuresLike, takes_tokens
from assay.measures.notation import HOLDS_FOR_TEXT, is_own, measures_of
from assay.options import OF_EVALUATION, EvaluationOptions, complete
from assay.ranking.kinds import DOCUMENTS, ELEMENTS, SAMPLED, SUBTOPICS, TEXT, Kind, kinds_of
from assay.ranking.order import Rules
from assay.ranking.pool import Pool
from assay.reading.format import Request
from assay.reading.given import Given, GivenFrame, GivenObjects, given_inputs, refuse_unknown_columns
from assay.reading.read import opened_documents
from assay.reading.schema import told_columns
from assay.reading.text_locator import TextLocator
from assay.tables.judgments import Judgments
from assay.vocabulary import TOPICS, Topics, Whitespace

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection
    from assay.documents.tokens import TokenEnds
    from assay.evaluation.ignore_whitespace import WhitespaceIgnored
    from assay.evaluation.provenance import Provenance
    from assay.evaluation.tasks import Task
    from assay.ranking.gold_standards import GoldStandards
    from assay.reading.chunk_ids import ChunkTables
    from assay.reading.input_types import JudgmentsLike, RunsLike


class Origin:
    """The provenance of scores, computed at the first call, because it reads all documents.

    Pickling computes it, so a copy in another process has it already.
    """

    def __init__(self, find: Callable[[], Provenance]):
        self._find: Callable[[], Provenance] | None = find
        self._known: Provenance | None = None

    def __call__(self) -> Provenance:
        """Return what the scores were made of."""
        if self._find is not None:
            self._known, self._find = self._find(), None
        assert self._known is not None
        return self._known

    def __getstate__(self) -> dict[str, Any]:
        return {"_known": self(), "_find": None}


def fingerprint_of(content: bytes) -> str:
    """Return a name for a tokenizer from a hash of its content."""
    from hashlib import blake2b

    return f"tokenizer of {blake2b(content, digest_size=16).hexdigest()}"


def tokenizer_named(tokenizer: object) -> str | None:
    """Return the name under which saved scores remember a tokenizer.

    A tokenizer in a file or from Hugging Face is named by a hash of its content, because its name may stay when it
    changes.
    """
    if tokenizer is None or (isinstance(tokenizer, str) and not os.path.isfile(tokenizer)):
        return tokenizer
    from assay.documents.tokens import encoder_of

    if isinstance(tokenizer, str):
        return fingerprint_of(Source(tokenizer).whole())
    if (encoder := encoder_of(tokenizer)) is not None:
        return fingerprint_of(encoder.to_str().encode())
    kind = tokenizer if hasattr(tokenizer, "__qualname__") else type(tokenizer)
    # some built-in functions have no module, for example str.split
    return f"{getattr(kind, '__module__', None) or 'builtins'}.{kind.__qualname__}"


class Options:
    """The options that `assay.options` declares, as attributes; options that are not given have their defaults.

    What derives from them, for example the opened documents, is made at first use.
    """

    def __init__(self, **given: Unpack[EvaluationOptions]):
        self.__dict__.update(complete(given))

    if TYPE_CHECKING:
        # mypy cannot derive the type of each attribute from its declaration
        def __getattr__(self, name: str) -> Any: ...

    @property
    def all(self) -> dict[str, Any]:
        """All options, by name."""
        return {name: self.__dict__[name] for name in OF_EVALUATION}

    @cached_property
    def collection(self) -> DocumentCollection | None:
        """The opened documents; None without documents."""
        return opened_documents(self.documents)

    @cached_property
    def chunk_tables(self) -> ChunkTables | None:
        """The chunk tables for runs that return chunk ids; None without chunks."""
        if self.chunks is None:
            return None
        from assay.reading.chunk_ids import ChunkTables

        return ChunkTables.of(self.chunks)

    @cached_property
    def told_columns(self) -> Mapping[str, str]:
        """The columns that the user named, by field."""
        return told_columns(self.columns)

    @cached_property
    def tokens(self) -> TokenEnds | None:
        """Where the tokens of each document end; None without a tokenizer."""
        if self.tokenizer is None:
            return None
        if self.whitespace == "ignore":
            what = "tokens are counted in texts with their whitespace"
            raise UsageError(f"{what}; leave out whitespace=ignore or the tokenizer")
        if self.collection is None:
            raise UsageError("a tokenizer needs the texts; pass documents=")
        from assay.documents.tokens import TokenEnds, tokenizer_of

        return TokenEnds(self.collection, tokenizer_of(self.tokenizer))

    def decisions(self, overlap: str) -> dict[str, Any]:
        """Return the options that must be the same before values are compared.

        overlap: the rule that was used, because a task may set it.
        """
        told = self.all | {"overlap": overlap, "tokenizer": tokenizer_named(self.tokenizer)}
        deciding = {name: option for name, option in OF_EVALUATION.items() if option.changes_values}
        always = [name for name, option in deciding.items() if option.always_saved]
        where_set = [name for name in sorted(deciding) if name not in always and deciding[name].is_set(told[name])]
        return {name: told[name] for name in [*always, *where_set]}


def refuse_unknown_policy(topics: str) -> None:
    """Raise an error if `topics` is not one of the known words."""
    if topics not in TOPICS:
        raise UsageError(f"unknown value {topics!r} of topics; choose from {', '.join(TOPICS)}")


# The measures, rules and task that the user asks for, and whether the judgments allow them.

# Where subtopics and strata come from, for error messages.
COME_FROM = {
    SUBTOPICS: "subtopics come from the second field of TREC qrels, or from a column subtopic",
    SAMPLED: (
        "strata come from the fourth of five fields (topic 0 document stratum grade) if you pass format=sampled, "
        "or from a column stratum"
    ),
}


class AskedMeasures(NamedTuple):
    """The measures and rules that the user asked for; `measures` is None if the user named none.

    `task` is the name of a task of highlighted text. `with_overlap` says that the user gave a rule for overlap or for
    unjudged results. `note` says which year the measures of the task come from, if the user gave no year.
    """

    measures: list[Measure] | None
    rules: Rules
    task: str | None
    with_overlap: bool
    note: str = ""

    @property
    def of_judgments(self) -> dict[str, bool]:
        """What the measures need from the judgments: subtopics, or strata of a sample."""
        needed = {measure.kinds for measure in self.measures or ()}
        return {"subtopics": (SUBTOPICS,) in needed, "strata": (SAMPLED,) in needed}

    def measures_for(
        self, judgments: Judgments, documents: DocumentCollection | None, whitespace: Whitespace, has_tokenizer: bool
    ) -> list[Measure]:
        """Return the measures, or the defaults for these judgments; refuse measures that the judgments do not allow."""
        chosen = self.measures or measures_of(kinds_of(judgments)[0].default_measures)
        refuse_other_kinds(chosen, judgments)
        if self.with_overlap:
            refuse_elements_only(chosen, judgments)
        if self.task is not None:
            refuse_without_text(self.task, judgments)
        refuse_without_tokenizer(chosen, documents, has_tokenizer)
        refuse_without_texts(chosen, documents, whitespace)
        return chosen


def resolve_measures(measures: MeasuresLike | None, options: Options) -> AskedMeasures:
    """Resolve the options `measures`, `task`, `overlap` and the rules for the order of results."""
    task, overlap = options.task, options.overlap
    given, reported = of_task(task, options.quant, options.alpha, options.year)
    if measures is not None and task is not None and given is None:
        instead = "write a measure with its parameters, for example nxCG(quant=strict, overlap=off)@10"
        raise UsageError(f"task {task} has its own measures; leave out the task, or {instead}")
    note = ""
    if measures is None and given is not None and options.year is None:
        from assay.evaluation.tasks import year_note

        note = year_note(task)
    measures = reported if measures is None else measures
    limits = given.limits if given else None
    overlapping = overlap or (limits.overlap if limits else "paid")
    order = options.ties, options.depth, options.judged_only
    rules = Rules(*order, overlap=overlapping, limits=limits, duplicates=options.duplicates)
    named = None if measures is None else measures_of(measures)
    return AskedMeasures(named, rules, task if given else None, bool(overlap or options.judged_only), note)


def of_task(
    name: str | None, quant: str | Sequence[str] | None, alpha: float | None, year: int | None = None
) -> tuple[Task | None, Sequence[str] | None]:
    """Return a task of highlighted text, if it is one, and the measures that are reported for any task."""
    graded = None
    if name is not None:
        from assay.evaluation.tasks import graded_task, task_named

        graded = graded_task(name)
    if year is not None and (graded is not None or name is None):
        what = "year requires a task with highlighted text, for example relevant-in-context"
        raise UsageError(what if graded is None else f"{what}; {name} is a task of 2005")
    if graded is not None:
        quants = [quant] if isinstance(quant, str) else quant or ["gen"]
        return None, graded.measures(quants, 1.0 if alpha is None else alpha)
    if quant or alpha is not None:
        what = "quant and alpha require a task such as CO.Focussed"
        raise UsageError(f"{what}; in a measure write nxCG(quant=strict)")
    if name is None:
        return None, None
    task = task_named(name, year)
    return task, task.measures


def refuse_without_tokenizer(
    measures: list[Measure], documents: DocumentCollection | None, has_tokenizer: bool
) -> None:
    """Raise an error if a measure counts tokens and there is no tokenizer."""
    for measure in measures:
        if takes_tokens(measure) and not has_tokenizer:
            texts = ", and pass documents=" if documents is None else ""
            raise UsageError(f"{measure} counts tokens; pass tokenizer=, for example words{texts}")


def refuse_without_texts(measures: list[Measure], documents: DocumentCollection | None, whitespace: Whitespace) -> None:
    """Raise an error if a measure compares texts that are not at hand: it needs documents, with their whitespace."""
    for measure in measures:
        if measure.compares_texts and (documents is None or whitespace == "ignore" or measure.unit):
            only = "" if documents is None else ", with their whitespace and in no other unit"
            raise UsageError(f"{measure} compares texts{only or '; pass documents='}")


def refuse_without_copies(measures: list[Measure], copies: bool) -> None:
    """Raise an error if copies count and a measure cannot count them."""
    for measure in measures:
        if copies and (measure.unit == "token" or (not measure.unit and not measure.knows_copies)):
            what = "choose from R, P, F, IoU, AiP (in characters), or leave out copies="
            raise UsageError(f"{measure} cannot count copies; {what}")


class UnfitMeasureError(UsageError):
    """A measure does not fit the judgments: `what` says why, without the remedy; `judgments` is their name."""

    def __init__(self, measure: Measure, why: str, judgments: str, remedy: str = ""):
        self.measure, self.judgments, self.what = measure, judgments, f"{measure} {why}"
        super().__init__(f"{self.what}; {remedy}" if remedy else self.what)


class NotJudgedError(UnfitMeasureError):
    """A measure counts something that was not judged."""


def refuse_other_kinds(measures: list[Measure], judgments: Judgments) -> None:
    """Raise an error if a measure counts something that is not judged.

    If text is judged, a measure of documents needs `unit=document`: without it, the user may believe that it counts
    text.
    """
    judged = kinds_of(judgments)
    for measure in measures:
        needed = (TEXT,) if takes_tokens(measure) else (ELEMENTS,) if counts_elements(measure) else measure.kinds
        if not needed:
            raise UsageError(f"{measure} has only given values, so Assay cannot compute it")
        if not set(needed) & set(judged):
            why = f"needs {needed[0].name}, but {judgments.name} has none"
            raise NotJudgedError(measure, why, judgments.name, COME_FROM.get(needed[0], ""))
        if TEXT in judged and not measure.unit and counted_kind(measure, judged) is DOCUMENTS:
            instead = replace(measure, unit="document")
            or_else = f", or {HOLDS_FOR_TEXT}" if is_own(type(measure)) else ""
            why = f"counts documents, but {judgments.name} has highlighted text"
            raise UnfitMeasureError(measure, why, judgments.name, f"write {instead}{or_else}")


def refuse_elements_only(measures: list[Measure], judgments: Judgments) -> None:
    """Raise an error if all measures count elements: rules for overlap and unjudged results do not apply to them."""
    judged = kinds_of(judgments)
    if all(counted_kind(measure, judged) is ELEMENTS for measure in measures):
        what = "overlap and judged-only do not apply to assessed elements"
        raise UsageError(f"{what}; set overlap in the measure, for example nxCG(overlap=off)@10")


def refuse_without_text(task: str, judgments: Judgments) -> None:
    """Raise an error if a task of highlighted text has judgments without it."""
    judged = kinds_of(judgments)
    if TEXT not in judged:
        what = "elements; pass documents= to locate them in the text" if ELEMENTS in judged else "whole documents"
        raise InputError(f"task {task} needs highlighted text, but these judgments are of {what}", judgments.name)


# Measuring runs: threads share the blocks of one run, or several runs.


@contextmanager
def explain_topics_as_names(named: Mapping[str, Given], pool: Pool) -> Iterator[None]:
    """Explain, in an error about runs whose names are topics, how Assay read them.

    A dict of results by topic may have been read as a dict of runs by name. Raise an error if such a run has only
    results of another topic.
    """
    of_topics = [name for name in set(pool.topics).intersection(named) if named[name].path is None]
    if not of_topics:
        yield
        return
    from assay.reading.lists import LISTED
    from assay.reading.other_packages import only_topic

    expected = f"a list of {LISTED['run']}"
    for name in sorted(of_topics):
        run = named[name]
        given = run.frame if isinstance(run, GivenFrame) else run.objects if isinstance(run, GivenObjects) else None
        if (topic := only_topic(given)) not in ("", name):
            what = f"topic {name} has only records of topic {topic}"
            raise InputError(f"{what}; expected records of topic {name}, or {expected}", "run")
    try:
        yield
    except InputError as error:
        if len(of_topics) < len(named):
            raise
        name = error.path or next(iter(named))
        what = f"{error.what}; if {name} is a topic, expected {expected}"
        raise InputError(what, error.path, error.line, error.at, error.number) from None


def outcomes_of(named: dict[str, Given], work: Measuring) -> list[Outcome]:
    """Measure runs. Threads share the blocks of a single run; of several runs, each thread takes whole ones."""
    if len(named) == 1:
        return [work.outcome(name, run, in_threads) for name, run in named.items()]
    return list(in_threads(lambda item: work.outcome(item[0], item[1], map), named.items()))


Progress = Callable[[int], None]
Further = Callable[[list[Measure], Rules], list[Measure]]


class Evaluation(NamedTuple):
    """The scores of some runs, with the judgments, rules and measures that they were computed with.

    `scores` has all measures, `measures` only those that the user asked for. `shown` is the kind in which results are
    listed. By run, `kept` has what `keep` returned for each block, and `missing` the topics without results.
    `provenance` computes what the scores were made of when it is called.
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
    """Judgments, measures and rules, ready to measure any number of runs.

    `read` are the judgments as they were read. `everything` has all measures, `measures` only those that the user asked
    for. `before` and `after` are notes: they come before and after the notes on locating the texts of runs.
    """

    pool: Pool
    rules: Rules
    measures: list[Measure]
    everything: list[Measure]
    topics: Topics
    read: Judgments
    placing: TextLocator
    without_whitespace: WhitespaceIgnored | None
    standards: GoldStandards | None
    before: list[str]
    after: list[str]
    provenance: Callable[[], Provenance]

    @cached_property
    def measuring(self) -> Measuring:
        """The Measuring for these judgments, measures and rules, before the runs are known."""
        measuring = Measuring(self.pool, self.everything, self.rules, [])
        measuring.prepared = self.without_whitespace.run if self.without_whitespace else None
        measuring.columns, measuring.standards = self.placing.columns, self.standards
        return measuring

    @cached_property
    def _choices(self) -> notes.Choices:
        """The choices that the sentences of notes depend on."""
        return notes.Choices(self.pool.judgments.name, len(self.pool.topics), self.topics, self.rules, self.measures)

    @cached_property
    def _of_judgments(self) -> list[str]:
        """The notes on the judgments, as sentences."""
        noticed = notes.notes_on_pool(
            self.pool, self.standards, least_grades(self.measures, kinds_of(self.pool.judgments)), self.measures
        )
        return notes.sentences(notes.OF_JUDGMENTS, [(self.pool.judgments.name, noticed)], self._choices)

    def evaluation(
        self, named: dict[str, Given], progress: Progress | None = None, keep: Keep | None = None
    ) -> Evaluation:
        """Evaluate runs, given by name.

        progress: called after each block with the number of bytes read so far. keep: called for each block.
        """
        placing = self.placing.anew(list(named))
        with explain_topics_as_names(named, self.pool):
            placed = {name: placing.run(run, name, self.read) for name, run in named.items()}
            empty = {name: run.empty_topics for name, run in placed.items()}
            watch = (lambda: progress(sum(run.done for run in placed.values()))) if progress else None
            unanswerable = Unanswerable(placing.unanswerable, placing.first_scores)
            work = self.measuring.of_runs(list(named), empty, keep, watch, unanswerable)
            outcomes = outcomes_of(placed, work)
        for outcome in outcomes:
            outcome.drop_topics(self.pool, self.topics)
        judged = self.pool.judgments
        of_reading = [*self.before, *placing.notes, *self.after, *(f"{judged.name}: {note}" for note in judged.notes)]
        noticed = [(outcome.name, outcome.all_notes(self.everything, self.pool)) for outcome in outcomes]
        told = notes.notes_on(noticed, self._of_judgments, self._choices, of_reading)
        values = np.array([outcome.values for outcome in outcomes])
        scores = ScoreTable(list(named), self.everything, self.pool.topics, values, told)
        kept = {outcome.name: outcome.kept for outcome in outcomes}
        # a topic whose list of results is empty counts as missing, too
        missing = {
            each.name: list(compress(self.pool.topics, (~each.in_run | each.empty).tolist())) for each in outcomes
        }
        return Evaluation(self.pool, self.rules, self.measures, work.shown, scores, kept, missing, self.provenance)


def evaluate_runs(
    judgments: JudgmentsLike | Given,
    runs: RunsLike | Mapping[str, Given],
    measures: MeasuresLike | None = None,
    *,
    progress: Progress | None = None,
    further: Further | None = None,
    keep: Keep | None = None,
    **rules: Any,
) -> Evaluation:
    """Evaluate one or many runs; `rules` are the options of `assay.evaluate`.

    further: returns more measures to compute, given the measures that the user asked for. keep: called for each block
    of a run; `Evaluation.kept` has what it returns. Assay reads each run once and keeps nothing else of it.
    """
    judged, named = given_inputs(judgments, runs, rules.get("format"))
    beside, is_shown = list(named.values()), keep is not None
    ready = prepare(judged, measures, Options(**rules), beside=beside, further=further, is_shown=is_shown)
    read = judged.done
    watch = (lambda done: progress(read + done)) if progress else None
    return ready.evaluation(named, watch, keep)


def prepare(
    judgments: Given,
    measures: MeasuresLike | None,
    options: Options,
    *,
    beside: Sequence[Given] = (),
    further: Further | None = None,
    is_shown: bool = False,
    by_people: bool = False,
) -> Prepared:
    """Read the judgments and prepare everything that does not depend on the runs.

    beside: runs that may have the columns that the user named, too. is_shown: whether text of results is shown, and not
    only measured. by_people: whether the judgments check those of a model; then strata always mean a sample.
    """
    reuse_freed_memory()
    asked = resolve_measures(measures, options)
    rules, collection, annotators = asked.rules, options.collection, options.annotators
    refuse_unknown_policy(options.topics)
    told, tables = options.told_columns, options.chunk_tables
    refuse_unknown_columns([judgments, *beside], told, tables.column_names() if tables else ())
    request = Request(
        collection, pools=options.pools, columns=told, every_column=False, annotators=annotators, **asked.of_judgments
    )
    request = request._replace(strata=request.strata or by_people)
    placing = TextLocator(collection, options.texts, told, tables=tables)
    without_whitespace = None
    if options.whitespace != "count":
        from assay.evaluation.ignore_whitespace import whitespace_ignored

        without_whitespace = whitespace_ignored(options.whitespace, collection, is_shown=is_shown)
    as_read = read = placing.read_judgments(judgments, request)
    after: list[str] = [asked.note] if asked.note else []
    if options.copies:
        from assay.evaluation.copies import copies_counted

        read, note = copies_counted(read, collection, placing)
        as_read = read
        after.append(note)
    if without_whitespace:
        read, note = without_whitespace.judgments(read)
        after.append(note)
    if read.labels is not None or annotators is not None:
        from assay.ranking.gold_standards import of_annotators

        read = of_annotators(read, annotators)
    pool = Pool(read, collection, options.tokens, has_whitespace=without_whitespace is None)
    standards = several_standards(pool, annotators, options.topics, after, is_shown=is_shown)
    chosen = asked.measures_for(pool.judgments, collection, options.whitespace, has_tokenizer=pool.tokens is not None)
    refuse_without_copies(chosen, options.copies)
    everything = measures_of([*chosen, *(further(chosen, rules) if further else ())])
    decisions = options.decisions(rules.overlap)

    def made_of() -> Provenance:
        from assay.evaluation.provenance import provenance_of

        return provenance_of(read, as_read, collection, everything, decisions)

    noticed = notes.notes_on_grades(chosen, pool.judgments)
    notes.add_words(noticed, chosen, options.tokenizer)
    notes.add_whitespace(noticed, chosen, collection)
    add_texts_as_ids(noticed, pool.judgments)
    after += notes.sentences(notes.OF_GOLD, [(pool.judgments.name, noticed)], notes.Choices(measures=chosen))
    before = placing.notes
    return Prepared(
        pool, rules, chosen, everything, options.topics, as_read, placing, without_whitespace, standards, before, after,
        Origin(made_of),
    )  # fmt: skip


def several_standards(
    pool: Pool, annotators: str | None, topics: Topics, told: list[str], is_shown: bool
) -> GoldStandards | None:
    """Return the gold standards if any topic has several, and append notes on them to `told`."""
    if pool.judgments.labels is None:
        return None
    from assay.ranking.gold_standards import GoldStandards

    standards = GoldStandards(pool, best=annotators == "best", only_relevant=topics == "relevant")
    if standards.most < 2:
        return None
    noticed = standards.notes(annotators)
    noticed.add("together", is_shown)
    told += notes.sentences(notes.OF_GOLD, [(pool.judgments.name, noticed)], notes.Choices(judged=len(pool.topics)))
    return standards
