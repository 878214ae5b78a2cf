"""What was asked for: measures, rules and a task, and whether the judgments are such that it can be had."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.errors import InputError, UsageError
from assay.evaluation.measuring import counted_kind
from assay.evaluation.options import Options
from assay.measures.base import Measure, takes_tokens
from assay.measures.notation import HOLDS_FOR_TEXT, is_own, measures_of
from assay.ranking.kinds import DOCUMENTS, ELEMENTS, SAMPLED, SUBTOPICS, TEXT, kinds_of
from assay.ranking.rules import Rules
from assay.tables.judgments import Judgments
from assay.vocabulary import Blanks

if TYPE_CHECKING:
    from assay.evaluation.tasks import Task

# Where subtopics are looked for.
SUBTOPICS_ARE = "they are the second field of TREC qrels, where that is not always the same, or a column subtopic"


class AskedMeasures(NamedTuple):
    """The measures that were asked for, if any were, the rules, and the name of the task of text, if one was given.

    `with_overlap` tells that a rule for overlap or for unjudged results was given.
    """

    measures: list[Measure] | None
    rules: Rules
    task: str | None
    with_overlap: bool

    @property
    def of_judgments(self) -> dict[str, bool]:
        """What judgments must have for the measures that were asked for: subtopics, or strata of a sample."""
        needed = {measure.kinds for measure in self.measures or ()}
        return {"subtopics": (SUBTOPICS,) in needed, "strata": (SAMPLED,) in needed}

    def measures_for(self, judgments: Judgments, documents: Any, blanks: Blanks, has_tokenizer: bool) -> list[Measure]:
        """The measures, those by default where none were asked for; they must be of what is judged."""
        chosen = self.measures or measures_of(kinds_of(judgments)[0].default_measures)
        refuse_other_kinds(chosen, judgments)
        if self.with_overlap:
            refuse_elements_only(chosen, judgments)
        if self.task is not None:
            refuse_without_text(self.task, judgments)
        refuse_without_tokenizer(chosen, documents, has_tokenizer)
        refuse_without_texts(chosen, documents, blanks)
        return chosen


def asked_for(measures: Any, options: Options) -> AskedMeasures:
    """What was asked for."""
    task, overlap = options.task, options.overlap
    given, reported = of_task(task, options.quant, options.alpha)
    if measures is not None and task is not None and given is None:
        instead = "write a measure as in nxCG(quant=strict, overlap=off)@10"
        raise UsageError(f"task {task} has its own measures; without it, {instead}")
    measures = reported if measures is None else measures
    limits = given.limits if given else None
    overlapping = overlap or (limits.overlap if limits else "paid")
    order = options.ties, options.depth, options.judged_only
    rules = Rules(*order, overlap=overlapping, limits=limits, duplicates=options.duplicates)
    named = None if measures is None else measures_of(measures)
    return AskedMeasures(named, rules, task if given else None, bool(overlap or options.judged_only))


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


def refuse_without_tokenizer(measures: list[Measure], documents: Any, has_tokenizer: bool) -> None:
    """Tokens are what a tokenizer makes of a text."""
    for measure in measures:
        if takes_tokens(measure) and not has_tokenizer:
            texts = ", and give documents=" if documents is None else ""
            raise UsageError(f"{measure} counts tokens; give tokenizer={texts}")


def refuse_without_texts(measures: list[Measure], documents: Any, blanks: Blanks) -> None:
    """Texts are compared as they stand in the documents."""
    for measure in measures:
        if measure.compares_texts and (documents is None or blanks == "ignore" or measure.unit):
            only = "" if documents is None else ", with their blanks and in no other unit"
            raise UsageError(f"{measure} compares texts{only or '; give documents='}")


def refuse_without_copies(measures: list[Measure], copies: bool) -> None:
    """Measures that go through the evidence as it is listed know nothing of copies."""
    for measure in measures:
        if copies and (measure.unit == "token" or (not measure.unit and not measure.knows_copies)):
            raise UsageError(f"{measure} is not known where copies count; R, P, F, IoU and AiP are, in characters")


def refuse_other_kinds(measures: list[Measure], judgments: Judgments) -> None:
    """A measure must count what is judged; where that is text, a measure of documents must be told to count these."""
    judged = kinds_of(judgments)
    for measure in measures:
        needed = (TEXT,) if takes_tokens(measure) else measure.kinds
        if not set(needed) & set(judged):
            where = f"; {SUBTOPICS_ARE}" if needed[0] is SUBTOPICS else ""
            raise UsageError(f"{measure} needs {needed[0].name}, and {judgments.name} has none{where}")
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
