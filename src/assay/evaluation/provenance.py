"""The provenance of scores: fingerprints of the judgments and the documents, the measures, and the rules.

Two sets of scores can be compared topic by topic only if all of these are the same.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.documents.location import id_or_name
from assay.evaluation.measuring import counted_kind
from assay.measures.base import Measure, as_typed, takes_tokens
from assay.ranking.kinds import Kind, kinds_of
from assay.tables import judgments as tables

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection


# The unit of values that Assay did not compute.
GIVEN = "given values"


# Parameters that were added to measures later. They are saved only if they are set, so that scores saved earlier stay
# comparable.
LATER = ("fit",)


@dataclass(frozen=True)
class MeasureFacts:
    """What distinguishes measures with the same name: what they count, all parameters, and the version."""

    name: str
    unit: str
    version: str
    parameters: dict[str, str]


# The most documents without evidence whose fingerprints are saved by name; more would make the file large.
MOST_OTHERS = 10_000
# The most characters of evidence that are saved, to tell whether evidence moved, was edited or is gone.
MOST_CHARACTERS = 2_000_000


class Quote(NamedTuple):
    """A piece of evidence: its document, its start, and its text."""

    document: str
    start: int
    text: str


@dataclass(frozen=True)
class SavedEvidence:
    """The evidence as text, so that scores stay comparable when a document changes elsewhere.

    `gold` is a fingerprint of the judgments by the text of their spans, not by offsets. `documents` has a fingerprint
    of each document with evidence, `others` of each other document. `others` and `quotes` are None if there are too
    many to save.
    """

    gold: str
    documents: dict[str, str]
    others: dict[str, str] | None
    quotes: list[Quote] | None


@dataclass(frozen=True)
class Provenance:
    """What scores were made of.

    `documents` is a fingerprint of all documents. It is None without documents, and so is `evidence`, which is also
    None in files that were saved before Assay kept it.
    """

    program: str
    gold: str
    documents: str | None
    rules: dict[str, Any]
    measures: list[MeasureFacts]
    evidence: SavedEvidence | None = None


def measure_facts(measure: Measure, judged: tuple[Kind, ...]) -> MeasureFacts:
    """Return what distinguishes a measure from others, if these kinds are judged."""
    unit = "tokens" if takes_tokens(measure) else counted_kind(measure, judged).unit
    known = {name: default for name, (default, _) in type(measure).parameters().items()}
    saved = (name for name in known if name not in LATER or getattr(measure, name) != known[name])
    values = {name: as_typed(getattr(measure, name)) for name in saved}
    return MeasureFacts(str(measure), unit, version_of(measure), values)


def version_of(measure: Measure) -> str:
    """Return the version of a measure, and of the measures among its parameters."""
    inner = [getattr(measure, each.name) for each in dataclasses.fields(measure)]
    versions = [version_of(value) for value in inner if isinstance(value, Measure)]
    return "+".join([str(measure.version), *versions])


def provenance_of(
    judgments: tables.Judgments,
    as_read: tables.Judgments,
    documents: DocumentCollection | None,
    measures: list[Measure],
    rules: dict[str, Any],
) -> Provenance:
    """Return the provenance of scores; as_read: the judgments with offsets into the texts of the documents."""
    from assay import __version__

    judged = kinds_of(judgments)
    with_facts = any(measure.counts_facts for measure in measures)
    prints = {} if documents is None else {name: fingerprint([text]) for name, text in documents.texts()}
    return Provenance(
        program=__version__,
        gold=fingerprint(judgment_lines(judgments, with_facts)),
        documents=None if documents is None else fingerprint(f"{name}\t{each}" for name, each in prints.items()),
        rules=rules,
        measures=[measure_facts(measure, judged) for measure in measures],
        evidence=None if documents is None else evidence_of(as_read, documents, prints, with_facts),
    )


def evidence_of(
    judgments: tables.Judgments, documents: DocumentCollection, prints: dict[str, str], with_facts: bool
) -> SavedEvidence:
    """Return the evidence that judgments have in documents; prints: a fingerprint of each document."""
    # use one id for a document, however the judgments spell it; a document that is not in the collection cannot change
    judged = judgments.document.texts()
    own_ids = {name: id_or_name(name, documents) for name in judged}
    names = [own_ids[name] for name in judged]
    relevant = {name for name, grade in zip(names, judgments.grade.tolist(), strict=True) if grade > 0} & prints.keys()
    holding = {name: prints[name] for name in sorted(relevant)}
    others = {name: each for name, each in prints.items() if name not in relevant}
    quotes: list[Quote] = []
    if isinstance(judgments, tables.HighlightJudgments):
        spans, texts = judgments.highlights, dict(documents.texts(holding))
        for row, start, end in zip(spans.row.tolist(), spans.start.tolist(), spans.end.tolist(), strict=True):
            name = names[row]
            quotes.append(Quote(name, start, texts[name][start:end] if name in texts else f"{start}-{end}"))
        lines = judgment_lines(judgments, with_facts, [quote.text for quote in quotes])
    else:
        lines = [*judgment_lines(judgments, with_facts), *(f"whole\t{name}\t{each}" for name, each in holding.items())]
    is_small = sum(len(quote.text) for quote in quotes) <= MOST_CHARACTERS
    return SavedEvidence(
        gold=fingerprint(lines),
        documents=holding,
        others=others if len(others) <= MOST_OTHERS else None,
        quotes=sorted({quote for quote in quotes if quote.document in holding}) if is_small else None,
    )


def fingerprint(lines: Iterable[str]) -> str:
    """Return a fingerprint of lines in any order; it changes if any line changes."""
    from hashlib import blake2b

    digest = blake2b(digest_size=16)
    for line in sorted(lines):
        digest.update(line.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


def judgment_lines(judgments: tables.Judgments, with_facts: bool, quotes: list[str] | None = None) -> list[str]:
    """Return everything that judgments say as lines, whatever their format and order; facts only if they are counted.

    quotes: the text of each highlighted span; the lines then have it instead of offsets.
    """
    topics, documents = judgments.topic.texts(), judgments.document.texts()
    rows = [f"{topic}\t{document}" for topic, document in zip(topics, documents, strict=True)]
    lines = [f"grade\t{row}\t{grade}" for row, grade in zip(rows, judgments.grade.tolist(), strict=True)]
    if isinstance(judgments, tables.HighlightJudgments):
        text = judgments.highlights
        where = bounds_of(range(len(text.row)), judgments, quotes)
        lines += lines_of_rows("text", rows, text.row, *where)
        if quotes is None:
            lines += lines_of_rows("document", rows, range(len(rows)), text.length, text.entry)
        else:
            lines += lines_of_rows("entry", rows, range(len(rows)), entries_from_text(text))
        for name, ids in (judgments.facts or tables.Facts(None, None))._asdict().items() if with_facts else ():
            lines += [] if ids is None else lines_of_rows(name, rows, text.row, *where, ids.texts())
    if isinstance(judgments, tables.ElementJudgments):
        elements = judgments.elements
        grades = elements.exhaustivity, elements.specificity, elements.size
        lines += lines_of_rows(f"element {elements.scale}", rows, elements.row, elements.path, *grades)
    if (labels := judgments.labels) is not None:
        names = [[""] * len(labels.row) if ids is None else ids.texts() for ids in (labels.sets, labels.annotators)]
        where = bounds_of(labels.span.tolist(), judgments, quotes)
        lines += lines_of_rows("label", rows, labels.row, *where, labels.grade, *names)
    if isinstance(judgments, tables.SubtopicJudgments):
        subtopics = judgments.subtopics
        told = (*bounds_of(subtopics.span.tolist(), judgments, quotes), subtopics.grade, subtopics.subtopic.texts())
        lines += lines_of_rows("subtopic", rows, subtopics.row, *told)
    if isinstance(judgments, tables.SampleJudgments):
        lines += lines_of_rows("stratum", rows, range(len(rows)), judgments.strata.texts())
    return lines


def entries_from_text(text: tables.Highlights) -> list[int | None]:
    """Return how far each best entry point is from the first highlight of its document; None if it has none."""
    first: dict[int, int] = {}
    for row, start in zip(text.row.tolist(), text.start.tolist(), strict=True):
        first[row] = min(start, first.get(row, start))
    return [None if entry < 0 else entry - first.get(row, 0) for row, entry in enumerate(text.entry.tolist())]


def bounds_of(spans: Iterable[int], judgments: tables.Judgments, quotes: list[str] | None) -> tuple[list[Any], ...]:
    """Return the starts and ends of highlighted spans, given by number, or their quotes; -1 for no span."""
    spans = list(spans)
    if not isinstance(judgments, tables.HighlightJudgments):
        return [-1] * len(spans), [-1] * len(spans)
    if quotes is not None:
        return ([quotes[span] if span >= 0 else -1 for span in spans],)
    starts, ends = judgments.highlights.start.tolist(), judgments.highlights.end.tolist()
    return [starts[span] if span >= 0 else -1 for span in spans], [ends[span] if span >= 0 else -1 for span in spans]


def lines_of_rows(what: str, rows: list[str], numbers: Iterable[object], *columns: Any) -> list[str]:
    """Return a line for each value about judgments; `numbers` has the row of each."""
    return [
        "\t".join([what, rows[number], *map(str, values)])
        for number, *values in zip(values_in(numbers), *map(values_in, columns), strict=True)
    ]


def values_in(column: Iterable[object]) -> list[Any]:
    """Return a column as a list of Python values."""
    return column.tolist() if hasattr(column, "tolist") else list(column)
