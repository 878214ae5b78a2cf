"""The report of a check: what a file contains, its faults, and whether runs and judgments fit together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Literal

from assay.errors import InputError, count_noun, list_names, printable
from assay.evaluation.matching import add_sample, ids_fault, other_topics
from assay.evaluation.measuring import MeasuredBlock, Outcome
from assay.evaluation.notes import OF_MATCHING, OF_TOPICS, Choices, sentences
from assay.files.source import STDIN, Source
from assay.ranking.align import Aligned
from assay.ranking.kinds import DOCUMENTS, TEXT
from assay.ranking.order import Rules
from assay.ranking.pool import Pool
from assay.reading.format import Request
from assay.reading.given import given_run
from assay.reading.read import read_judgments, run_blocks
from assay.tables.judgments import DocumentJudgments, HighlightJudgments, written_grade
from assay.tables.notes import Notes
from assay.tables.places import Place, twice
from assay.tables.run import DocumentRun, ElementRun, Run, SpanRun
from assay.vocabulary import FileKind

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

NO_SIZES = "counting their characters needs the documents"
# If this many documents have the same entry point, assessors hardly chose it.
MANY = 10


@dataclass
class Parts:
    """Numbers about a run that returns parts of documents.

    `documents` is the number of different documents; `by_topic` counts a document once for each topic. `apart` are
    topics in which results of one document are not adjacent, `reordered` topics in which the ranks give another order
    than the file. None means unknown.
    """

    documents: int
    by_topic: int
    elements: bool
    characters: int | None
    median: float
    empty: int
    overlapping: int
    apart: list[str]
    single: bool
    beyond: int | None
    by_rank: bool
    reordered: list[str]

    def size(self) -> str:
        """Return how much text there is, in one line."""
        of = f"{'elements' if self.elements else 'parts'} of {distinct(self.documents, self.by_topic)}"
        if self.characters is None:
            return f"{of}; {NO_SIZES}"
        return f"{of}, {count_noun(self.characters, 'character')} (median {self.median:,.10g} per result)"

    def lines(self) -> Iterator[str]:
        """Yield the other lines of the summary."""
        if self.empty:
            yield f"empty: {count_noun(self.empty, 'result')} without text"
        yield "overlap: " + (
            f"{count_noun(self.overlapping, 'result')} with text of an earlier result" if self.overlapping else "none"
        )
        if self.apart:
            topics = f"{count_noun(len(self.apart), 'topic')} ({list_names(self.apart)})"
            yield f"documents: results of one document are apart in {topics}"
        else:
            yield "documents: " + ("one result of each" if self.single else "the results of each are adjacent")
        if self.beyond is not None:
            yield f"beyond the end of their document: {count_noun(self.beyond, 'result') if self.beyond else 'none'}"
        if self.reordered:
            topics = f"{count_noun(len(self.reordered), 'topic')} ({list_names(self.reordered)})"
            yield f"order: by rank; the file is in another order for {topics}"


@dataclass
class HighlightedSummary:
    """Numbers about judgments with highlighted text.

    `judged` and `relevant` are numbers of documents, counted once for each topic; `documents` is the number of
    different relevant documents. `entries` counts the known best entry points of relevant documents.
    """

    judged: int
    documents: int
    relevant: int
    spans: int
    characters: int | None
    median: float
    empty: int
    overlapping: int
    entries: Counter[int]
    lengths: int

    def size(self) -> str:
        """Return how much text there is, in one line."""
        of = f"highlighted: {distinct(self.documents, self.relevant)}, {count_noun(self.spans, 'span')}"
        if self.characters is None:
            return f"{of}; {NO_SIZES}"
        return f"{of}, {count_noun(self.characters, 'character')} (median {self.median:,.10g} per document)"

    def lines(self) -> Iterator[str]:
        """Yield the other lines of the summary."""
        if self.empty:
            yield f"empty: {count_noun(self.empty, 'span')} without text"
        if self.overlapping:
            yield f"overlap: {count_noun(self.overlapping, 'span')} with text that another span of the document has too"
        if self.relevant:
            same = f"; all are {next(iter(self.entries))}, which may be a default" if len(self.entries) == 1 else ""
            known = known_of(self.entries.total(), self.relevant, "relevant document")
            yield f"best entry points: {known}{same if self.entries.total() >= MANY else ''}"
        yield f"lengths: {known_of(self.lengths, self.judged, 'judged document')}"


def distinct(documents: int, by_topic: int) -> str:
    """Return a number of documents; if counting once for each topic gives another number, that one, too."""
    return count_noun(documents, "document") + (f" ({by_topic:,} by topic)" if by_topic != documents else "")


def known_of(known: int, number: int, noun: str) -> str:
    """Say for how many documents something is known."""
    if not known:
        return "unknown"
    return f"known for {known:,} of {count_noun(number, noun)}" if known < number else f"known for all {noun}s"


@dataclass(repr=False)
class Report:
    """What a check found in a file: its faults, and numbers about the rows without faults.

    `text` has numbers about parts of documents or highlighted text. `notes` has other lines, for example whether a run
    follows the rules of a task, and what could not be checked. `lengths` are those of documents, if judgments give
    them. `uncounted` is what to add to the length of `faults` to get their number: faults that are not listed, less the
    lines that only sum up. `caveat` is what may be wrong although it is not a fault.
    """

    path: str
    kind: FileKind | Literal["chunks"]
    format: str
    faults: list[InputError] = field(default_factory=list)
    sizes: Counter[str] = field(default_factory=Counter)
    grades: Counter[float] = field(default_factory=Counter)
    relevant: set[str] = field(default_factory=set)
    ties: Counter[str] = field(default_factory=Counter)
    duplicates: int = 0
    text: Parts | HighlightedSummary | None = None
    notes: list[str] = field(default_factory=list)
    lengths: dict[str, int] = field(default_factory=dict)
    uncounted: int = 0
    caveat: str = ""

    def __str__(self) -> str:
        head = f"{self.path}: {'a run' if self.kind == 'run' else self.kind} ({self.format})"
        faults = count_noun(len(self.faults) + self.uncounted, "fault") if self.faults else "no faults"
        faults += f", but {self.caveat}" if self.caveat and not self.faults else ""
        lines = [*map(str, self.faults), head, *("  " + line for line in self._summary()), f"  {faults}"]
        return "\n".join(map(printable, lines))

    __repr__ = __str__

    def _summary(self) -> Iterator[str]:
        if self.kind == "chunks":
            yield from self.notes
            return
        if not self.sizes:
            yield "nothing could be read"
            return
        sizes = sorted(self.sizes.values())
        rows = count_noun(sum(sizes), "result" if self.kind == "run" else "judged document")
        spread = f"{sizes[0]:,}" if sizes[0] == sizes[-1] else f"{sizes[0]:,} to {sizes[-1]:,}"
        yield f"{count_noun(len(sizes), 'topic')}, {rows}, {spread} per topic (median {median(sizes):,.10g})"
        if self.text:
            yield self.text.size()
        yield from self._ties() if self.kind == "run" else self._grades()
        if self.text:
            yield from self.text.lines()
        yield f"duplicates: {self.duplicates or 'none'}"
        yield from self.notes

    def _ties(self) -> Iterator[str]:
        of = "ranks" if isinstance(self.text, Parts) and self.text.by_rank else "scores"
        tied = f"{count_noun(len(self.ties), 'topic')} with tied {of} ({count_noun(self.ties.total(), 'result')})"
        yield f"ties: {tied if self.ties else 'none'}"

    def _grades(self) -> Iterator[str]:
        if not self.text:
            grades = sorted(self.grades.items())
            yield "grades: " + ", ".join(f"{written_grade(grade)}: {number:,}" for grade, number in grades)
        if barren := sorted(set(self.sizes) - self.relevant):
            yield f"nothing relevant: {count_noun(len(barren), 'topic')} ({list_names(barren)})"

    def add_duplicates(self, duplicates: Iterable[tuple[str, str, Place, Place]]) -> None:
        """Add documents that a topic has twice, with both places, as faults: an evaluation refuses them."""
        verb = "retrieved" if self.kind == "run" else "judged"
        faults = [twice(topic, document, verb, first, again) for topic, document, first, again in duplicates]
        self.duplicates += len(faults)
        self.add_faults(faults)

    def add_faults(self, faults: Iterable[InputError]) -> None:
        """Add faults. They are sorted by line; faults of other files come first."""
        self.faults = sorted(
            [*self.faults, *faults], key=lambda fault: fault.line or fault.number or 0 if fault.path == self.path else 0
        )

    def add_some_faults(self, listed: list[InputError], number: int, summary: str) -> None:
        """Add the first faults of `number` of one sort, and a line that sums them up, unless it is empty."""
        lines = [*listed, *([InputError(summary, self.path)] if summary else [])]
        self.uncounted += number - len(lines)
        self.add_faults(lines)


# Whether runs and judgments that are checked together have the same topics and documents.


def across(
    checked: Sequence[tuple[str, Report]], format: str | None = None, documents: DocumentCollection | None = None
) -> Iterator[InputError | str]:
    """Yield what is wrong between the checked runs and judgments: errors, and notes as strings.

    Files that cannot be read are left out, because their faults were reported. Standard input is left out, because it
    can be read only once.
    """
    files = [(path, report.kind) for path, report in checked if path != STDIN]
    judgments, runs = ([path for path, kind in files if kind == wanted] for wanted in ("judgments", "run"))
    for path in judgments if runs else ():
        try:
            pool = Pool(read_judgments(path, format, documents), documents)
        except InputError:
            continue
        named = []
        for run in runs:
            source = Source(run)
            notes = notes_beside(source, pool, format)
            if fault := notes and (
                fields_of_parts(source, pool, format)
                or fault_of(source.label, notes, pool)
                or unknown_lengths(source, pool, format)
            ):
                yield fault
            elif notes:
                named.append((source.label, notes))
        choices = Choices(pool.judgments.name, len(pool.topics))
        lines = sentences({**OF_MATCHING, **OF_TOPICS}, named, choices)
        yield from (f"{pool.judgments.name} and {line}" for line in lines)


def fields_of_parts(source: Source, pool: Pool, format: str | None) -> InputError | None:
    """Return the error about a run of whole documents that has more fields although text is judged."""
    if isinstance(pool.judgments, HighlightJudgments):
        try:
            given_run(source, format=format).refuse_more_fields()
        except InputError as error:
            return error
    return None


def fault_of(label: str, run: Notes, pool: Pool) -> InputError | None:
    """Return the error about a run that certainly does not fit the judgments."""
    if "in_run" not in run:
        return other_topics(label, run.examples("unjudged"), pool.judgments.name, pool.topics, pool.judgments.document)
    return ids_fault(run, label, pool.judgments.name)


def unknown_lengths(source: Source, pool: Pool, format: str | None) -> InputError | None:
    """Return the error about a run of whole documents if text is judged and the collection lacks some of them."""
    if isinstance(pool.judgments, HighlightJudgments) and pool.documents is not None:
        blocks = run_blocks(given_run(source, format=format), Request(pool.documents))
        for run in filter(None, (block() for block in blocks)):
            # a run of parts has offsets, in every block
            if not isinstance(run, DocumentRun):
                return None
            try:
                TEXT.align(run, pool, Rules())
            except InputError as error:
                return error
    return None


def notes_beside(source: Source, pool: Pool, format: str | None) -> Notes | None:
    """Return the notes on a run with these judgments, without measuring; None if the run cannot be read."""
    outcome = Outcome.begun(source.label, 0, pool)
    try:
        for block in run_blocks(given_run(source, format=format), Request(pool.documents)):
            if (run := block()) is not None:
                topics, unjudged, notes, *_ = aligned_with(run, pool)
                add_sample(notes, run, topics, pool)
                outcome.add(MeasuredBlock(topics, unjudged, notes, outcome.values[:, topics]))
    except InputError:
        return None
    # a topic may be in several blocks
    outcome.unjudged = list(dict.fromkeys(outcome.unjudged))
    return outcome.all_notes([], pool)


def aligned_with(run: Run, pool: Pool) -> Aligned:
    """Align a run with judgments: as text if both have offsets, else by documents."""
    judged = pool.judgments
    if isinstance(run, SpanRun) and isinstance(judged, HighlightJudgments):
        return TEXT.align(run, pool, Rules())
    if isinstance(run, ElementRun) and not isinstance(run, SpanRun):
        pool = Pool(DocumentJudgments(judged.name, judged.topic, judged.document, grade=judged.grade))
    return DOCUMENTS.align(run, pool, Rules())
