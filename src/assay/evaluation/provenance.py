"""What scores were made of: fingerprints of the judgments and the documents, the measures, and the rules.

Two sets of scores can be compared topic by topic only where all of it is the same.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.evaluation.measuring import counted_kind
from assay.measures.base import Measure, as_typed, takes_tokens
from assay.ranking.kinds import Kind, kinds_of
from assay.tables.ids import Ints
from assay.tables.judgments import (
    ElementJudgments,
    Facts,
    HighlightJudgments,
    Judgments,
    SampleJudgments,
    SubtopicJudgments,
)

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection


# The unit of values that Assay did not compute.
GIVEN = "given values"


# Parameters that measures did not always have: saved only if they are set, so that earlier scores can be compared.
LATER = ("fit",)


@dataclass(frozen=True)
class MeasureFacts:
    """What tells a measure from another of the same name: what it counts, all its parameters, and its version."""

    name: str
    unit: str
    version: str
    parameters: dict[str, str]


@dataclass(frozen=True)
class Provenance:
    """What scores were made of; the fingerprint of documents is None where none were given."""

    program: str
    gold: str
    documents: str | None
    rules: dict[str, Any]
    measures: list[MeasureFacts]


def measure_facts(measure: Measure, judged: tuple[Kind, ...]) -> MeasureFacts:
    """What tells a measure from others, where these kinds are judged."""
    unit = "tokens" if takes_tokens(measure) else counted_kind(measure, judged).unit
    known = {name: default for name, (default, _) in type(measure).parameters().items()}
    saved = (name for name in known if name not in LATER or getattr(measure, name) != known[name])
    values = {name: as_typed(getattr(measure, name)) for name in saved}
    return MeasureFacts(str(measure), unit, version_of(measure), values)


def version_of(measure: Measure) -> str:
    """The version of a measure, and of those that are its parameters."""
    inner = [getattr(measure, each.name) for each in dataclasses.fields(measure)]
    versions = [version_of(value) for value in inner if isinstance(value, Measure)]
    return "+".join([str(measure.version), *versions])


def provenance_of(
    judgments: Judgments, documents: DocumentCollection | None, measures: list[Measure], rules: dict[str, Any]
) -> Provenance:
    """What scores are made of, where it was all at hand: judgments and documents are gone through once."""
    from assay import __version__

    judged = kinds_of(judgments)
    return Provenance(
        program=__version__,
        gold=fingerprint(judgment_lines(judgments, any(measure.counts_facts for measure in measures))),
        documents=None if documents is None else fingerprint(document_lines(documents)),
        rules=rules,
        measures=[measure_facts(measure, judged) for measure in measures],
    )


def fingerprint(lines: Iterable[str]) -> str:
    """A fingerprint of lines in any order: where a line differs, so does the fingerprint."""
    from hashlib import blake2b

    digest = blake2b(digest_size=16)
    for line in sorted(lines):
        digest.update(line.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


def judgment_lines(judgments: Judgments, with_facts: bool) -> list[str]:
    """All that judgments tell, a line each, whatever their format and order; facts only where they are counted."""
    topics, documents = judgments.topic.texts(), judgments.document.texts()
    rows = [f"{topic}\t{document}" for topic, document in zip(topics, documents, strict=True)]
    lines = [f"grade\t{row}\t{grade}" for row, grade in zip(rows, judgments.grade.tolist(), strict=True)]
    if isinstance(judgments, HighlightJudgments):
        text = judgments.highlights
        lines += lines_told("text", rows, text.row, text.start, text.end)
        lines += lines_told("document", rows, range(len(rows)), text.length, text.entry)
        for name, ids in (judgments.facts or Facts(None, None))._asdict().items() if with_facts else ():
            lines += [] if ids is None else lines_told(name, rows, text.row, text.start, text.end, ids.texts())
    if isinstance(judgments, ElementJudgments):
        elements = judgments.elements
        grades = elements.exhaustivity, elements.specificity, elements.size
        lines += lines_told(f"element {elements.scale}", rows, elements.row, elements.path, *grades)
    if (labels := judgments.labels) is not None:
        names = [[""] * len(labels.row) if ids is None else ids.texts() for ids in (labels.sets, labels.annotators)]
        lines += lines_told("label", rows, labels.row, *bounds_of(labels.span, judgments), labels.grade, *names)
    if isinstance(judgments, SubtopicJudgments):
        subtopics = judgments.subtopics
        told = (*bounds_of(subtopics.span, judgments), subtopics.grade, subtopics.subtopic.texts())
        lines += lines_told("subtopic", rows, subtopics.row, *told)
    if isinstance(judgments, SampleJudgments):
        lines += lines_told("stratum", rows, range(len(rows)), judgments.strata.texts())
    return lines


def bounds_of(spans: Ints, judgments: Judgments) -> tuple[list[int], list[int]]:
    """The start and the end of highlighted spans, which have these numbers; -1 where there is none."""
    none = [-1] * len(spans)
    if not isinstance(judgments, HighlightJudgments):
        return none, none
    starts, ends = judgments.highlights.start.tolist(), judgments.highlights.end.tolist()
    pairs = [(starts[span], ends[span]) if span >= 0 else (-1, -1) for span in spans.tolist()]
    return [start for start, _ in pairs], [end for _, end in pairs]


def lines_told(what: str, rows: list[str], numbers: Iterable[object], *columns: Any) -> list[str]:
    """A line for each thing that is told of rows of judgments, which have these numbers."""
    return [
        "\t".join([what, rows[number], *map(str, values)])
        for number, *values in zip(values_in(numbers), *map(values_in, columns), strict=True)
    ]


def values_in(column: Iterable[object]) -> list[Any]:
    """A column as a list of Python's own values."""
    return column.tolist() if hasattr(column, "tolist") else list(column)


def document_lines(documents: DocumentCollection) -> Iterable[str]:
    """The ids of all documents, each with a fingerprint of its text."""
    return (f"{name}\t{fingerprint([text])}" for name, text in documents.texts())
