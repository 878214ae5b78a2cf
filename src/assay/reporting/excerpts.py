"""What a report keeps of a run while it is evaluated, and the pages of topics for the browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, pairwise, zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.charts.curves import BudgetReading, reading
from assay.checking.audit import AuditedBlock, audited_block
from assay.errors import count_noun
from assay.evaluation.evaluate import Evaluation
from assay.evaluation.measuring import Measuring
from assay.evaluation.misses import Reach, reach_of
from assay.evaluation.why import WorkedValue, first_rows, formulas, in_digits
from assay.measures.base import Measure
from assay.ranking.align import Aligned, Returned
from assay.ranking.documents import Values
from assay.ranking.kinds import DOCUMENTS, ELEMENTS, SAMPLED, SUBTOPICS, TEXT, Kind
from assay.ranking.pool import Pool
from assay.reporting.findings import as_written, valuations, worth
from assay.tables.ids import Bools, Floats, Ids, Ints
from assay.tables.intervals import Spans
from assay.tables.run import ElementRun, Run, SpanRun
from assay.vocabulary import Fit

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection
    from assay.ranking.text import TextRanking


# How the values of a topic are computed, for the browser: the first rows of each ranking, and the formula.

# How many rows of each system, topic and measure are shown: the most that fit, or none.
WORKED_STEPS = (20, 10, 5)
ROOM_FOR_WORKINGS = 15_000
# Fields that the page already has for each result.
KNOWN = ("document", "path", "start", "end")
DIGITS = 4

# The workings of a topic, one for each measure.
Workings = list[WorkedValue]


def worked_rows(systems: int, topics: int, measures: int) -> int:
    """Return how many rows of each value fit into the page; 0 if there are too many values."""
    return next((step for step in WORKED_STEPS if systems * topics * measures * step <= ROOM_FOR_WORKINGS), 0)


def workings(work: Measuring, kind: Kind, aligned: Aligned, shown: int) -> dict[int, Workings]:
    """Return how the values of a block are computed by the first `shown` measures, by topic.

    Empty if they do not fit, or if a value combines several gold standards.
    """
    most = worked_rows(len(work.systems), len(work.pool.topics), shown)
    return first_rows(work, kind, aligned, shown, most) if most and work.standards is None else {}


class WorkingsOfTopic:
    """How the values of a topic are computed, by system and measure; headings that repeat are stored once."""

    def __init__(self) -> None:
        self.heads: list[list[Any]] = []
        self.runs: list[list[list[Any]] | None] = []

    def add(self, parts: Workings | None, listed: list[str]) -> None:
        """Add one more system; `listed` are the documents that the page lists for it."""
        self.runs.append(None if parts is None else [self._part(part, listed) for part in parts])

    def _part(self, part: WorkedValue, listed: list[str]) -> list[Any]:
        """Return the number of the heading, the cells by column, the formula with numbers, and further quantities.

        The page counts ranks itself, unless results were skipped, and it already has the results that it lists.
        """
        names = [row["document"] for row in part.rows if "document" in row]
        has_gaps = [row["rank"] for row in part.rows] != list(range(1, len(part.rows) + 1))
        known = KNOWN if names == listed[: len(names)] and not has_gaps else ()
        columns = [name for name in part.columns if (name != "rank" or has_gaps) and name not in known]
        formula, numbers = part.sides(DIGITS) or ("; ".join(formulas(type(part.measure))), "")
        head = [columns, formula, int(bool(known))]
        if head not in self.heads:
            self.heads.append(head)
        beside = {name: value for name, value in part.quantities.items() if f"{{{name}}}" not in part.formula}
        told = [f"{name} = {in_digits(value, DIGITS)}" for name, value in beside.items()]
        cells = [column([row.get(name) for row in part.rows]) for name in columns]
        return [self.heads.index(head), cells, numbers, told]

    def json(self) -> dict[str, Any]:
        """Return the data for the browser."""
        return {"heads": self.heads, "runs": self.runs}


def column(cells: list[Any]) -> str | list[Any]:
    """Return the cells of a column; numbers become one short text, with the digits that are shown, and - for None."""
    if any(isinstance(cell, str) for cell in cells):
        return cells
    return " ".join(map(short, cells))


def short(number: float | None) -> str:
    """Write a number in the fewest characters that give the digits that are shown."""
    if number is None:
        return "-"
    if abs(number) == float("inf"):
        return "Infinity"
    text = f"{number:.{DIGITS}f}".rstrip("0").removesuffix(".") if isinstance(number, float) else str(number)
    return text.removeprefix("0") if text.startswith("0.") else text


# The results of a run, best first, with the columns that depend on the kind of its ranking.


@dataclass(frozen=True, eq=False, repr=False)
class Listing:
    """The results of some topics, best first, one row per result; the n-th of `topics` begins at `starts[n]`.

    `judged` is the row of the document's judgment, -1 if there is none. Columns that do not apply to a run are None:
    `gain` and `size` in characters; `pieces`, the text that was not seen before; for elements whether they are
    `relevant`, and `worth`, their gain for each way in which the measures value elements.
    """

    topics: Ints
    starts: Ints
    document: Ids
    judged: Ints
    start: Ints | None = None
    end: Ints | None = None
    path: list[str] | None = None
    gain: Values | None = None
    size: Ints | None = None
    pieces: Spans | None = None
    relevant: Bools | None = None
    worth: list[Floats] | None = None

    @cached_property
    def rank(self) -> Ints:
        """The rank of each result."""
        return np.arange(self.starts[-1]) - np.repeat(self.starts[:-1], np.diff(self.starts)) + 1


def listed_results(aligned: Aligned, kind: Kind, measures: list[Measure]) -> Listing:
    """Return the results that were measured, with the columns for their kind."""
    returned = aligned.returned()
    known = FACTS[kind](returned, aligned.ranking, measures)
    return Listing(aligned.topics, returned.starts, returned.run.document[returned.row], returned.judged, **known)


def of_documents(returned: Returned, ranking: Any, measures: list[Measure]) -> dict[str, Any]:
    """Return no further columns: documents have none."""
    return {}


def text_columns(returned: Returned, ranking: Any, measures: list[Measure]) -> dict[str, Any]:
    """Return the characters that count, and how many of them are highlighted, as the measures count them."""
    places = {"start": ranking.start, "end": ranking.end, "path": paths(returned.run, returned.row)}
    return places | {"gain": ranking.found, "size": ranking.size, "pieces": ranking.pieces[ranking.fresh]}


def element_columns(returned: Returned, ranking: Any, measures: list[Measure]) -> dict[str, Any]:
    """Return whether each element is relevant, its gain for the measures, and its offsets if they are known."""
    run, row = returned.run, returned.row
    start, end = (run.start[row], run.end[row]) if isinstance(run, SpanRun) else (None, None)
    gave = [worth(ranking, valuation) for valuation in valuations(measures)]
    known = {"path": ranking.path, "size": ranking.size, "relevant": ranking.worth("gen") > 0, "worth": gave}
    return {"start": start, "end": end, **known}


FACTS: dict[Kind, Callable[[Returned, Any, list[Measure]], dict[str, Any]]] = {
    DOCUMENTS: of_documents,
    SUBTOPICS: of_documents,
    SAMPLED: of_documents,
    TEXT: text_columns,
    ELEMENTS: element_columns,
}


def paths(run: Run, rows: Ints) -> list[str] | None:
    """Return the paths of results, for a passage its first and last path; None if the run has no elements."""
    if not isinstance(run, ElementRun):
        return None
    ends = zip(run.path[rows].texts(), run.last[rows].texts(), strict=True)
    return [" to ".join(filter(None, pair)) for pair in ends]


# What was found at the cut-offs of the measures, and what lost the rest: the budget, the rank, or the search.

# With more pairs of system and topic than this, the page has the losses only at the first cut-off.
MANY = 20_000
# The columns of losses, in characters: read up to the cut-off; relevant text found there, in the rest of the result
# that the budget cuts, and in results below the cut-off.
COLUMNS = ("read", "found", "cut", "low")


WHOLE: dict[Fit, list[str]] = {"cut": [], "stop": ["whole results"], "skip": ["results that fit"]}


@dataclass(frozen=True)
class CutOff:
    """Where a reader stops: after some results, characters or tokens, or at the end; and whether a result is cut."""

    k: int | None = None
    chars: int | None = None
    tokens: int | None = None
    fit: Fit = "cut"

    def words(self) -> str:
        """Return the cut-off as the page names it."""
        nouns = {"result": self.k, "character": self.chars, "token": self.tokens}
        limits = [count_noun(limit, noun) for noun, limit in nouns.items() if limit is not None]
        return ", ".join([*limits, *WHOLE[self.fit]]) or "all results"

    @property
    def is_budget(self) -> bool:
        """Whether a result may be cut."""
        return self.fit == "cut" and (self.chars is not None or self.tokens is not None)


def cut_off_of(measure: Measure) -> CutOff | None:
    """Return where a measure of text stops; None if the measure has no such parameters."""
    if measure.unit == "document" or not {"k", "chars"} <= type(measure).parameters().keys():
        return None
    k, chars, tokens = (getattr(measure, name, None) for name in ("k", "chars", "tokens"))
    return CutOff(k, chars, tokens, getattr(measure, "fit", "cut"))


def cut_offs(measures: Sequence[Measure], pairs: int) -> list[CutOff]:
    """Return the cut-offs of some measures in their order, and last the end; only the first if there are many pairs."""
    known = [cut for measure in measures if (cut := cut_off_of(measure)) and cut != CutOff()]
    every = list(dict.fromkeys([*known, CutOff()]))
    return every if pairs <= MANY else every[:1]


def losses(ranking: TextRanking, cut: CutOff) -> Ints:
    """Return what was read, found and lost in a ranking: one row per topic, one column for each of COLUMNS."""
    top = ranking.top(cut.k)
    within = top.within(cut.chars, cut.tokens, cut.fit)
    # if the budget cuts a result, the budget lost the rest of it, not the rank
    begun = top.top(np.diff(within.starts)) if cut.is_budget else within
    read, in_begun, in_all = (part.total(part.found) for part in (within, begun, ranking))
    return np.stack((within.total(within.size), read, in_begun - read, in_all - in_begun), axis=1)


# How many results of a ranking are shown: the most that fit, fewer with many systems and topics.
STEPS = (100, 50, 20, 10, 5)
ROOM = 75_000


def shown_results(systems: int, topics: int) -> int:
    """Return how many results of each ranking fit into the page."""
    return next((step for step in STEPS if systems * topics * step <= ROOM), STEPS[-1])


@dataclass(frozen=True, eq=False, repr=False)
class FirstResults:
    """The first results of a topic: their documents, the rows of their judgments or -1, and further columns."""

    documents: list[str]
    judged: list[int]
    columns: dict[str, Any]


@dataclass(eq=False, repr=False)
class Coverage:
    """How many results of a run are judged: of all results, and of the first ten of each topic."""

    topics: int = 0
    results: int = 0
    judged: int = 0
    first: int = 0
    first_judged: int = 0

    def __add__(self, other: Coverage) -> Coverage:
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Coverage(*(mine + theirs for mine, theirs in pairs))


@dataclass(frozen=True, eq=False, repr=False)
class Excerpt:
    """What is kept of a block of a run: the first results of each of its topics, by the number of the topic.

    `judged` are the rows of judgments whose documents were returned, `rank` is the first rank of each, and `gain` what
    its results gained, or None if that does not apply. For text, `losses` says what was found and lost at each cut-off,
    in the order of the topics in `numbers`; `reading` says when it was found, and `reach` how far each fact was
    reached. `workings` says how values are computed, and `audited` has what the audit of the test set needs from the
    block.
    """

    topics: dict[int, FirstResults]
    judged: Ints
    rank: Ints
    gain: Values | None
    coverage: Coverage
    numbers: Ints
    losses: list[Ints]
    reading: BudgetReading | None
    workings: dict[int, Workings]
    audited: AuditedBlock | None
    reach: Reach | None


def excerpt(measuring: Measuring, kind: Kind, aligned: Aligned, shown: int, audited_by: Measure | None) -> Excerpt:
    """Return what the report keeps of a block.

    The first `shown` measures are those of the page; `audited_by` is the measure of the audit.
    """
    most = shown_results(len(measuring.systems), len(measuring.pool.topics))
    results = listed_results(aligned, kind, measuring.measures)
    rows = np.flatnonzero(results.judged >= 0)
    judged, first, number = np.unique(results.judged[rows], return_index=True, return_inverse=True)
    gain = None if results.gain is None else np.bincount(number, results.gain[rows], minlength=len(judged))
    bounds = pairwise(results.starts.tolist())
    topics = {
        topic: first_results(results, begin, end, most)
        for topic, (begin, end) in zip(results.topics.tolist(), bounds, strict=True)
    }  # fmt: skip
    pairs = len(measuring.systems) * len(measuring.pool.topics)
    read = reading(measuring, kind, aligned)
    ranking: Any = aligned.ranking
    lost = [losses(ranking, cut) for cut in cut_offs(measuring.measures, pairs)] if read else []
    coverage = count_judged(results, measuring.pool)
    worked = workings(measuring, kind, aligned, shown)
    audited = None if audited_by is None else audited_block(measuring, kind, aligned, measure=audited_by)
    measure = misses_measure(measuring.measures)
    reach = reach_of(ranking, measure) if read and measure else None
    ranks = results.rank[rows[first]]
    return Excerpt(topics, judged, ranks, gain, coverage, aligned.topics, lost, read, worked, audited, reach)


def misses_measure(measures: Sequence[Measure]) -> Measure | None:
    """Return the measure that decides which questions lost most: the first of text that can have a cut-off."""
    of_text = (each for each in measures if cut_off_of(each) and TEXT in each.kinds)
    return next((each for each in of_text if not each.less_is_better), None)


def first_results(results: Listing, begin: int, end: int, most: int) -> FirstResults:
    """Return the first results of a topic, whose rows are those from `begin` to `end`."""
    top = slice(begin, min(end, begin + most))
    # documents get their numbers when the pages are made
    columns: dict[str, Any] = {"results": end - begin, "document": []}
    if results.start is not None and results.end is not None:
        columns |= {"start": results.start[top].tolist(), "length": (results.end - results.start)[top].tolist()}
    if results.path is not None:
        columns["path"] = results.path[top]
    if results.gain is not None:
        columns["gain"] = short_numbers(results.gain[top])
    if results.relevant is not None and results.worth is not None:
        columns["relevant"] = results.relevant[top].astype(int).tolist()
        columns["gave"] = [[as_written(value) for value in worth[top].tolist()] for worth in results.worth]
    if results.size is not None:
        size = results.size[top].tolist()
        columns |= {"size": size} if size != columns.get("length") else {}
    if results.pieces is not None:
        columns |= counted_pieces(results, top)
    return FirstResults(results.document[top].texts(), results.judged[top].tolist(), columns)


def counted_pieces(results: Listing, top: slice) -> dict[str, Any]:
    """Return the text that counts of results that count only in part.

    The text is given as starts and lengths in turn, by the number of the result.
    """
    assert results.pieces is not None and results.start is not None and results.end is not None
    first, last = np.searchsorted(results.pieces.document, [top.start, top.stop])
    pieces: dict[int, list[int]] = {}
    inside = results.pieces[first:last]
    for row, start, end in zip(inside.document.tolist(), inside.start.tolist(), inside.end.tolist(), strict=True):
        pieces.setdefault(row, []).extend((start, end - start))
    spans = zip(results.start[top].tolist(), (results.end - results.start)[top].tolist(), strict=True)
    rows = (row for row, span in enumerate(spans, top.start) if pieces.get(row) != [*span])
    cut = {row - top.start: pieces.get(row, []) for row in rows}
    return {"pieces": cut} if cut else {}


def count_judged(results: Listing, pool: Pool) -> Coverage:
    """Count the judged results of a block, and of the first ten results of each of its topics."""
    judged, first = pool.is_graded(results.judged), results.rank <= 10
    counts = (len(judged), judged.sum(), first.sum(), (judged & first).sum())
    return Coverage(int(np.count_nonzero(np.diff(results.starts))), *(int(count) for count in counts))


def short_numbers(values: Values) -> list[Any]:
    """Round numbers to six digits; whole ones have no point."""
    return [int(value) if value == int(value) else float(f"{value:.6g}") for value in values.tolist()]


# The pages of topics for the browser: documents, rankings, and highlighted text, in few numbers.

# The texts that fit into the page: whole documents, and of long ones the text around gold and results.

# In characters: the longest document that is shown whole, the pieces of longer ones, and the text on each side of a
# span that is needed.
LONGEST = 30_000
PIECE = 1_000
AROUND = 500
# In bytes: the size of the whole page if possible; the least and most that all texts may take.
WHOLE_PAGE = 4_700_000
LEAST, MOST = 500_000, 3_000_000
FIRST_LOOK = 200


@dataclass(frozen=True)
class Need:
    """Characters of a document that a reader may want to see; by default those at its beginning."""

    document: str
    start: int = 0
    end: int = LONGEST


@dataclass(frozen=True)
class Text:
    """The part of a document that the page has: the start and text of each window, and the document's length."""

    windows: list[tuple[int, str]]
    length: int

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the document is left out."""
        return sum(len(text) for _, text in self.windows) == self.length


def room_beside(others: int) -> int:
    """Return how many bytes of texts fit into a page beside this many other bytes."""
    return min(max(WHOLE_PAGE - others, LEAST), MOST)


def texts_for(documents: DocumentCollection, needs: list[list[Need]], room: int) -> tuple[dict[str, Text], int]:
    """Return the texts that fit, and how many documents were left out.

    `needs` has what each topic needs, most urgent first; the topics take turns.
    """
    there = {name: name in documents for name in dict.fromkeys(need.document for needed in needs for need in needed)}
    wanted = [need for need in dict.fromkeys(topics_in_turn(needs)) if there[need.document]]
    chosen = pieces_that_fit(documents, wanted, room)
    texts: dict[str, Text] = {}
    contents = dict(documents.texts(chosen))
    for name, pieces in chosen.items():
        if name not in contents:
            continue
        text = Text(windows(contents[name], pieces), len(contents[name]))
        room -= sum(len(part.encode("utf-8", "surrogatepass")) for _, part in text.windows)
        if room < 0:
            break
        texts[name] = text
    return texts, sum(there.values()) - len(texts)


def topics_in_turn(needs: list[list[Need]]) -> Iterator[Need]:
    """Yield the first need of each topic, then the second of each, and so on."""
    for turn in zip_longest(*needs):
        yield from (need for need in turn if need is not None)


def pieces_that_fit(documents: DocumentCollection, wanted: list[Need], room: int) -> dict[str, set[int]]:
    """Return the pieces of documents that may fit, by their numbers, in the order in which they are needed."""
    chosen: dict[str, set[int]] = {}
    for need, length in with_lengths(documents, wanted):
        pieces = needed_pieces(need, length) - chosen.get(need.document, set())
        room -= min(len(pieces) * PIECE, max(length, 0))
        if room < 0:
            break
        chosen.setdefault(need.document, set()).update(pieces)
    return chosen


def with_lengths(documents: DocumentCollection, wanted: list[Need]) -> Iterator[tuple[Need, int]]:
    """Yield needs with the lengths of their documents, which are looked up in growing batches."""
    names = list(dict.fromkeys(need.document for need in wanted))
    lengths: dict[str, int] = {}
    for need in wanted:
        if need.document not in lengths:
            some = names[len(lengths) : 2 * len(lengths) + FIRST_LOOK]
            lengths |= zip(some, documents.lengths(some, missing="unknown").tolist(), strict=True)
        yield need, lengths[need.document]


def needed_pieces(need: Need, length: int) -> set[int]:
    """Return the pieces that are needed: all of a short document, those around the span of a long one."""
    if length <= LONGEST:
        return set(range(-(-max(length, 1) // PIECE)))
    first, last = max(need.start - AROUND, 0), min(need.end + AROUND, length)
    return set(range(first // PIECE, -(-last // PIECE)))


def windows(text: str, pieces: set[int]) -> list[tuple[int, str]]:
    """Return the start and the text of each stretch of consecutive pieces."""
    stretches = []
    for _, stretch in groupby(enumerate(sorted(pieces)), key=lambda item: item[1] - item[0]):
        numbers = [number for _, number in stretch]
        start = numbers[0] * PIECE
        stretches.append((start, text[start : (numbers[-1] + 1) * PIECE]))
    return stretches


@dataclass(eq=False, repr=False)
class TopicPage:
    """The data of the page about a topic.

    `documents` are numbered as they are added. `worth` says how much of each is relevant: highlighted characters or a
    grade, -1 if the document was not judged. `split` has the passages that no single chunk contains, by run and
    document.
    """

    total: int
    relevant: int
    documents: dict[str, int] = field(default_factory=dict)
    worth: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    highlights: dict[int, list[int]] = field(default_factory=dict)
    ranks: list[list[int]] = field(default_factory=list)
    found: list[list[int]] = field(default_factory=list)
    runs: list[dict[str, Any] | None] = field(default_factory=list)
    best_rank: dict[int, int] = field(default_factory=dict)
    split: dict[int, dict[int, list[int]]] = field(default_factory=dict)
    workings: WorkingsOfTopic = field(default_factory=WorkingsOfTopic)

    def json(self) -> dict[str, Any]:
        """Return the data for the browser, without columns that are empty."""
        page = {
            "total": self.total, "documents": list(self.documents), "worth": self.worth, "lengths": self.lengths,
            "highlights": self.highlights, "relevant": self.relevant, "ranks": self.ranks, "runs": self.runs,
        }  # fmt: skip
        page |= {"found": self.found} if any(self.found) else {}
        page |= {"workings": self.workings.json()} if any(self.workings.runs) else {}
        return page | ({"split": self.split} if self.split else {})

    def needs(self) -> list[Need]:
        """Return what a reader may want to see, most urgent first: gold and results by rank, or whole documents."""
        hits = list(self._hits())
        gold = [
            Need(name, start, start + length)
            for name, number in self.documents.items()
            for start, length in zip(*[iter(self.highlights.get(number, []))] * 2, strict=True)
        ]
        return [*gold, *hits] if hits else self._documents_needed()

    def places_of(self, run: int) -> Iterator[tuple[str, int, int]]:
        """Yield the document, start and end of each listed result of a run, if it returned parts of documents."""
        listed, names = self.runs[run], list(self.documents)
        if listed and "start" in listed:
            columns = listed["document"], listed["start"], listed["length"]
            for number, start, length in zip(*columns, strict=True):
                yield names[number], start, start + length

    def _hits(self) -> Iterator[Need]:
        """Yield the parts of documents that were returned, by rank."""
        names = list(self.documents)
        columns = [(run["document"], run["start"], run["length"]) for run in self.runs if run and "start" in run]
        by_rank = zip_longest(*(list(zip(*column, strict=True)) for column in columns))
        for number, start, length in (part for parts in by_rank for part in parts if part is not None):
            yield Need(names[number], start, start + length)

    def _documents_needed(self) -> list[Need]:
        """Return relevant documents, and in turn with them returned documents that are not relevant."""
        names, listed = list(self.documents), len(self.ranks[0]) if self.ranks else 0
        vain = sorted((rank, number) for number, rank in self.best_rank.items() if self.worth[number] <= 0)
        others = [number for _, number in vain]
        turns = [number for pair in zip(range(listed), others, strict=False) for number in pair]
        rest = [*range(len(turns) // 2, listed), *others[len(turns) // 2 :]]
        return [Need(names[number]) for number in [*turns, *rest]]


class TopicPages:
    """The pages of all topics, filled run by run; `most` is how many results and relevant documents are shown.

    Relevant documents are in the order of the best rank at which a run has them; those that no run has come last. If
    text counts, `losses` has for each run and cut-off the columns of what was found and lost in each topic.
    """

    def __init__(self, evaluation: Evaluation, most: int):
        self.pool = evaluation.pool
        self.coverage: list[dict[str, Any]] = []
        self.losses: list[list[dict[str, list[int]]]] = []
        self._names = self.pool.judgments.document.texts()
        self._in_text = evaluation.shown is TEXT
        text, grade = self.pool.text, self.pool.judgments.grade
        worth = text.marks.size if self._in_text else np.maximum(grade, -1)
        self._worth = worth.tolist()
        relevant = np.flatnonzero(grade > 0)
        first = first_ranks(len(grade), evaluation.kept)[relevant]
        order = relevant[np.lexsort((relevant, -worth[relevant], first, text.topic[relevant]))]
        starts = np.searchsorted(text.topic[order], np.arange(len(self.pool.topics) + 1))
        self._relevant = [order[a:b][:most] for a, b in pairwise(starts.tolist())]
        number = np.diff(starts)
        totals = text.total if self._in_text else number
        self.pages = [TopicPage(*counts) for counts in zip(totals.tolist(), number.tolist(), strict=True)]
        for page, rows in zip(self.pages, self._relevant, strict=True):
            for row in rows.tolist():
                self._number(page, self._names[row], row)
        for name, excerpts in evaluation.kept.items():
            self._add(name, excerpts)

    def _number(self, page: TopicPage, name: str, judged: int) -> int:
        """Return the number of a document on a page; add it if it is new."""
        if name in page.documents:
            return page.documents[name]
        number = page.documents[name] = len(page.documents)
        page.worth.append(self._worth[judged] if judged >= 0 else -1)
        if self._in_text:
            page.lengths.append(int(self.pool.text.length[judged]) if judged >= 0 else -1)
            if judged >= 0 and self._worth[judged] > 0:
                page.highlights[number] = spans_of(self.pool, judged)
        return number

    def _add(self, name: str, excerpts: list[Excerpt]) -> None:
        """Add the results of one more run."""
        coverage = sum((excerpt.coverage for excerpt in excerpts), Coverage())
        self.coverage.append({"run": name, **vars(coverage)})
        self.losses.append(self._lost(excerpts))
        rank, gain = np.zeros(len(self._names), np.int64), np.zeros(len(self._names))
        topics: dict[int, FirstResults] = {}
        workings: dict[int, Workings] = {}
        for excerpt in excerpts:
            topics |= excerpt.topics
            workings |= excerpt.workings
            rank[excerpt.judged] = excerpt.rank
            if excerpt.gain is not None:
                gain[excerpt.judged] = excerpt.gain
        has_gain = any(excerpt.gain is not None for excerpt in excerpts)
        for topic, (page, rows) in enumerate(zip(self.pages, self._relevant, strict=True)):
            page.ranks.append(rank[rows].tolist())
            page.found.append(short_numbers(gain[rows]) if has_gain else [])
            page.runs.append(self._ranking(page, topics[topic]) if topic in topics else None)
            page.workings.add(workings.get(topic), topics[topic].documents if topic in topics else [])

    def _lost(self, excerpts: list[Excerpt]) -> list[dict[str, list[int]]]:
        """Return what was found and lost of each topic at each cut-off; 0 for topics that are not in the run."""
        at_cuts = []
        for cut in range(max((len(excerpt.losses) for excerpt in excerpts), default=0)):
            table = np.zeros((len(self.pages), len(COLUMNS)), np.int64)
            for excerpt in excerpts:
                if excerpt.losses:
                    table[excerpt.numbers] = excerpt.losses[cut]
            at_cuts.append({name: table[:, number].tolist() for number, name in enumerate(COLUMNS)})
        return at_cuts

    def _ranking(self, page: TopicPage, first: FirstResults) -> dict[str, Any]:
        numbers = [self._number(page, *document) for document in zip(first.documents, first.judged, strict=True)]
        for rank, number in enumerate(numbers, 1):
            page.best_rank[number] = min(rank, page.best_rank.get(number, rank))
        return first.columns | {"document": numbers}


def first_ranks(judged: int, kept: dict[str, list[Excerpt]]) -> Ints:
    """Return the best rank at which any run has each judged document; the largest number if none has it."""
    first = np.full(judged, np.iinfo(np.int64).max)
    for excerpt in (excerpt for excerpts in kept.values() for excerpt in excerpts):
        first[excerpt.judged] = np.minimum(first[excerpt.judged], excerpt.rank)
    return first


def spans_of(pool: Pool, judged: int) -> list[int]:
    """Return the highlighted text of a judged document: starts and lengths in turn."""
    spans = pool.text.marks.spans
    first, last = np.searchsorted(spans.document, [judged, judged + 1])
    return [int(x) for pair in zip(spans.start[first:last], spans.size[first:last], strict=True) for x in pair]
