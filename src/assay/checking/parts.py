"""Check parts of documents: the text of a run, the rules of a task, and whether highlighted text is consistent."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from assay.checking.summary import HighlightedSummary, Parts, Report
from assay.documents.lookup import BadPath
from assay.documents.names import AmbiguousDocument
from assay.documents.xml import NoSuchPath, Path, parsed_path
from assay.errors import InputError, count_noun, list_names
from assay.evaluation.tasks import TASKS, limits_of
from assay.ranking.align_text import past_the_end, returned_before, standing_apart, violations
from assay.ranking.order import Limits, OrderedResults, order_run
from assay.reading.format import Readable, Request, Unresolved
from assay.tables.ids import Bools, Ids, Ints
from assay.tables.intervals import Line, Marks
from assay.tables.judgments import HighlightJudgments, Highlights, Judgments, by_document, group_keys
from assay.tables.places import Places
from assay.tables.run import ElementRun, PlacedElementRun, Run, SpanRun, Table

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection


# Which elements overlap, by their paths alone: an element contains the text of the elements below it, and no other
# text. All paths are put on one line in the order of the tree, each followed by the paths below it, so that an element
# is a span of that line. A range of elements contains at least what lies between two siblings of one name; of other
# ranges, and of points, nothing is known.

ANY = "*"
Steps: TypeAlias = "tuple[tuple[str, int], ...]"
Rows = TypeVar("Rows", bound=Run)


def unreadable_paths(run: ElementRun) -> dict[int, str]:
    """Return the rows with an invalid path, and what is wrong with each."""
    wrong: dict[int, str] = {}
    for paths in (run.path, run.last):
        texts = texts_of(paths)
        why = {text: why_no_path(text) for text in set(texts)}
        for row in (row for row, text in enumerate(texts) if why[text]):
            (document,) = run.document[row : row + 1].texts()
            wrong.setdefault(row, f"document {document} has no {why[texts[row]]}")
    return wrong


def why_no_path(path: str) -> str | None:
    """Return why a text is not a path; None if it is one."""
    try:
        parsed_path(path or "/")
    except NoSuchPath as error:
        return str(error)
    return None


def in_tree_order(run: ElementRun) -> tuple[Ints, Ints, Bools]:
    """Return the start and end of each result on the line of all paths, and which of them are uncertain."""
    pairs = list(zip(texts_of(run.path), texts_of(run.last), strict=True))
    steps = sorted({parsed_path(path).steps for pair in set(pairs) for path in pair if path})
    begin = {path_steps: at for at, path_steps in enumerate(steps)}
    end: dict[Steps, int] = {}
    above: list[Steps] = []
    for at, path_steps in enumerate([*steps, None]):
        while above and (path_steps is None or path_steps[: len(above[-1])] != above[-1]):
            end[above.pop()] = at
        above += [path_steps] if path_steps is not None else []
    spans = {
        pair: place_on_line(parsed_path(pair[0]), parsed_path(pair[1]) if pair[1] else None, begin, end)
        for pair in set(pairs)
    }
    start, stop, known = np.array([spans[pair] for pair in pairs], np.int64).reshape(-1, 3).T
    return start, stop, known == 0


def place_on_line(
    first: Path, last: Path | None, begin: dict[Steps, int], end: dict[Steps, int]
) -> tuple[int, int, bool]:
    """Return the start and end of a result on the line, and whether they are certain."""
    at = begin[first.steps]
    if first.offset is not None or (last and last.offset is not None):
        return at, at, False
    if last is None:
        return at, end[first.steps], all(name != ANY for name, _ in first.steps)
    alike = first.steps[:-1] == last.steps[:-1] and first.steps[-1:] <= last.steps[-1:] and bool(first.steps)
    if alike and first.steps[-1][0] == last.steps[-1][0]:
        return at, end[last.steps], False
    return at, at, False


def texts_of(ids: Ids) -> list[str]:
    """Return the texts of a column; it decodes each distinct id once, because many are the same."""
    first, number = group_keys(ids.keys())
    texts = ids[first].texts()
    return [texts[at] for at in number.tolist()]


def places_in_documents(run: ElementRun, documents: DocumentCollection) -> tuple[Bools, Ints, Ints, dict[int, str]]:
    """Return the places of elements in the documents.

    These are: which results are of known documents, the start and end of each, and the rows whose paths do not exist,
    with the reason.
    """
    names, paths, lasts = texts_of(run.document), texts_of(run.path), texts_of(run.last)
    known = dict(
        zip(
            distinct := list(dict.fromkeys(names)), documents.lengths(distinct, missing="unknown").tolist(), strict=True
        )
    )
    there = np.array([known[name] >= 0 for name in names])
    start, end = np.zeros(len(names), np.int64), np.zeros(len(names), np.int64)
    wrong: dict[int, str] = {}

    def find(rows: list[int]) -> str | None:
        try:
            start[rows], end[rows] = documents.spans(
                *([column[row] for row in rows] for column in (names, paths, lasts))
            )
        except BadPath as error:
            return error.what
        return None

    rows = np.flatnonzero(there).tolist()
    if find(rows):
        of_document = defaultdict(list)
        for row in rows:
            of_document[names[row]].append(row)
        for several in (several for several in of_document.values() if find(several)):
            wrong |= {row: what for row in several if (what := find([row]))}
    return there, start, end, wrong


GIVE = "pass documents=, or pass the judgments before the run"


@dataclass(frozen=True, eq=False)
class CheckRequest:
    """What the user gives to a check: a task whose rules apply, documents, lengths of documents by id, and columns."""

    task: str | None = None
    documents: DocumentCollection | None = None
    lengths: Mapping[str, int] | None = None
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def request(self) -> Request:
        """The request for a reader."""
        return Request(self.documents, columns=self.columns)

    def lengths_of(self, table: Table, report: Report) -> Ints:
        """Return the length of the document of each row; -1 if unknown."""
        first, number = group_keys(table.document.keys())
        names = table.document[first].texts()
        told = np.array([(self.lengths or {}).get(name, -1) for name in names], np.int64)
        if self.documents is not None:
            try:
                known = self.documents.lengths(names, missing="unknown")
                told = np.where(known >= 0, known, told)
            except AmbiguousDocument as error:
                report.faults.append(error.in_table(table, error.document))
            except InputError as error:
                report.faults.append(error)
        return told[number]


@dataclass(frozen=True, eq=False)
class Placed:
    """A run whose results have places in their documents, and the places of its rows in the file.

    `known` marks results with character offsets. Elements may be known only by their paths: then Assay knows which of
    them overlap, but not their sizes. For `vague` results even overlap is uncertain.
    """

    run: SpanRun
    places: Places
    known: Bools
    vague: Bools

    @property
    def with_sizes(self) -> bool:
        """Whether the sizes of all results are known."""
        return bool(self.known.all())


def check_parts(report: Report, readable: Readable[Run], asked: CheckRequest) -> Report:
    """Fill the report of a run of parts of documents, with violations of the rules of a task."""
    report.add_faults(readable.faults)
    if not isinstance(readable.table, SpanRun | ElementRun):
        return report
    placed = in_documents(report, readable.table, readable.places, asked)
    if not len(placed.run):
        return report
    names, results = rank_results(placed.run, placed.places)
    # elements always end within their documents
    ask = CheckRequest() if isinstance(placed.run, ElementRun) else asked
    lengths = ask.lengths_of(placed.run, report)[results.origin]
    report.sizes.update(dict(zip(names, np.bincount(results.code).tolist(), strict=True)))
    tied = results.tied | np.append(results.tied[1:], False)
    report.ties.update(
        {names[code]: number for code, number in enumerate(np.bincount(results.code[tied]).tolist()) if number}
    )
    report.duplicates = duplicates(results)
    report.text = parts = parts_of(results, names, lengths, placed.with_sizes)
    if asked.task is None:
        report.notes.append(f"follows the rules of: {', '.join(kept_tasks(results, parts)) or 'no task'}")
    else:
        check_task(report, results, lengths, asked.task, placed.with_sizes)
    report.notes += not_checked(placed, results, lengths, asked)
    return report


def rank_results(run: Run, places: Places) -> tuple[list[str], OrderedResults]:
    """Return the topics of a run, and its results in order with the places of all rows."""
    names, results = order_run(run)
    return names, replace(results, places=places)


def in_documents(report: Report, run: SpanRun | ElementRun, places: Places, asked: CheckRequest) -> Placed:
    """Return the run with the places of its results; elements with wrong paths are faults, and left out."""
    everything = np.ones(len(run), bool)
    if not isinstance(run, ElementRun):
        return Placed(run, places, everything, ~everything)
    elements, places = without_rows(report, run, places, unreadable_paths(run))
    begin, behind, vague = in_tree_order(elements)
    placed = PlacedElementRun(**vars(elements) | {"start": begin, "end": behind})
    known = ~everything[: len(placed)]
    if asked.documents is None or not len(placed):
        return Placed(placed, places, known, vague)
    try:
        known, start, end, wrong = places_in_documents(elements, asked.documents)
    except InputError as error:
        report.faults.append(error)
        return Placed(placed, places, known, vague)
    placed = replace(placed, start=np.where(known, start, begin), end=np.where(known, end, behind))
    kept = np.delete(np.arange(len(placed)), list(wrong))
    placed, places = without_rows(report, placed, places, wrong)
    return Placed(placed, places, known[kept], vague[kept] & ~known[kept])


def without_rows(report: Report, run: Rows, places: Places, wrong: dict[int, str]) -> tuple[Rows, Places]:
    """Return the run without some rows, and add them to the faults."""
    if not wrong:
        return run, places
    report.add_faults(places[row].fault(what) for row, what in wrong.items())
    rows = np.delete(np.arange(len(run)), list(wrong))
    taken: dict[str, Any] = {name: column[rows] for name, column in run.columns_by_name().items()}
    return replace(run, **taken), places.of(rows)


def parts_of(results: OrderedResults, names: list[str], lengths: Ints, with_sizes: bool) -> Parts:
    """Return the numbers about a run of parts."""
    size = results.end - results.start
    apart = np.unique(results.code[standing_apart(results)[0]])
    back = (np.diff(results.origin) < 0) & (np.diff(results.code) == 0) & results.run.by_rank
    return Parts(
        documents=len(np.unique(results.run.document.keys())),
        by_topic=int(np.count_nonzero(results.first_of)),
        elements=isinstance(results.run, ElementRun),
        characters=int(size.sum()) if with_sizes else None,
        median=float(np.median(size)),
        empty=int(np.count_nonzero(size == 0)) if with_sizes else 0,
        overlapping=len(returned_before(results)[0]),
        apart=[names[code] for code in apart.tolist()],
        single=bool(results.first_of.all()),
        beyond=int(np.count_nonzero(past_the_end(results, lengths))) if np.any(lengths >= 0) else None,
        by_rank=results.run.by_rank,
        reordered=[names[code] for code in np.unique(results.code[1:][back]).tolist()],
    )


def duplicates(results: OrderedResults) -> int:
    """Return how many results have exactly the same place as an earlier one of the topic."""
    shared, run = results.shared, results.run
    columns = [shared.document, shared.start, shared.end]
    if isinstance(run, ElementRun):
        paths = (path[results.origin[results.again]].keys() for path in (run.path, run.last))
        columns = [shared.document, *(keys.view(np.int64) for keys in paths)]
    order = np.lexsort(columns)
    return int(np.count_nonzero(np.logical_and.reduce([column[order][1:] == column[order][:-1] for column in columns])))


def kept_tasks(results: OrderedResults, parts: Parts) -> Iterator[str]:
    """Yield the tasks whose rules a run follows; a task with a limit of characters only if sizes are known."""
    for name, task in TASKS.items():
        limits = task.limits
        apart = (limits.single and not parts.single) or (limits.together and parts.apart)
        unknown = parts.characters is None and limits != without_limits(limits)
        if apart or unknown or (limits.overlap == "reject" and parts.overlapping):
            continue
        # skip the rules that were checked above
        rest = limits._replace(overlap="new", together=False, single=False)
        if next(violations(results, rest), None) is None:
            yield name


def without_limits(limits: Limits) -> Limits:
    """Return the limits without those on the number of characters."""
    return limits._replace(topic_chars=None, document_chars=None)


def check_task(report: Report, results: OrderedResults, lengths: Ints, name: str, with_sizes: bool) -> None:
    """Add the violations of the rules of a task."""
    limits = limits_of(name)
    broken = list(violations(results, limits if with_sizes else without_limits(limits), lengths))
    report.add_faults(broken)
    report.notes.append(f"task {name}: {count_noun(len(broken), 'violation') if broken else 'no violations'}")


def not_checked(placed: Placed, results: OrderedResults, lengths: Ints, asked: CheckRequest) -> Iterator[str]:
    """Yield a note on what could not be checked, and what to pass for it."""
    if not isinstance(placed.run, ElementRun):
        yield from unchecked_ends(results, lengths) if asked.task else ()
        return
    open_questions = []
    if asked.task and not placed.with_sizes:
        open_questions.append("whether the elements exist")
        if (limits := limits_of(asked.task)) != without_limits(limits):
            open_questions.append("how many characters they have")
    if placed.vague.any():
        open_questions.append(f"the overlap of {count_noun(int(np.count_nonzero(placed.vague)), 'range')}")
    if open_questions:
        yield f"not checked: {', '.join(open_questions)}; {lacking(placed, asked)}"


def lacking(placed: Placed, asked: CheckRequest) -> str:
    """Return why places are unknown."""
    if asked.documents is None:
        return "pass documents="
    names = list(dict.fromkeys(texts_of(placed.run.document[np.flatnonzero(~placed.known)])))
    return f"{asked.documents.label} has no {list_names(names)}"


def unchecked_ends(results: OrderedResults, lengths: Ints) -> Iterator[str]:
    """Yield a note if the ends of some results could not be checked."""
    document = results.run.document.keys()[results.origin]
    unknown, everything = len(np.unique(document[lengths < 0])), len(np.unique(document))
    if unknown:
        which = "" if unknown == everything else f" of {unknown:,} of {count_noun(everything, 'document')}"
        yield f"not checked: whether results end within their documents, because the lengths{which} are unknown; {GIVE}"


def check_whole(report: Report, readable: Readable[Run], asked: CheckRequest) -> Report:
    """Add violations of the rules of a task to the report of a run of whole documents.

    Duplicate documents are faults already.
    """
    if readable.table is None or asked.task is None:
        return report
    lengths = asked.lengths_of(readable.table, report)
    run = SpanRun(**vars(readable.table), start=np.zeros(len(lengths), np.int64), end=np.maximum(lengths, 0))
    _, results = rank_results(run, readable.places)
    limits = limits_of(asked.task)._replace(overlap="new", together=False, single=False)
    known = bool(np.all(lengths >= 0))
    report.notes.append("whole documents: each counts from offset 0 to its length")
    if not known and limits != without_limits(limits):
        report.notes.append(
            f"not checked: how many characters are returned, because the lengths of documents are unknown; {GIVE}"
        )
    broken = list(violations(results, limits if known else without_limits(limits)))
    report.add_faults(broken)
    number = len(broken) + report.duplicates
    report.notes.append(f"task {asked.task}: {count_noun(number, 'violation') if number else 'no violations'}")
    return report


# Judgments with highlighted text: whether what they say about a document is consistent.

# The row of a judgment, the row of the file with the fault, and what is wrong.
Wrong = tuple[int, int, str]


def check_highlights(report: Report, readable: Readable[Judgments], asked: CheckRequest) -> Report:
    """Fill the report of judgments with highlighted text, with what is inconsistent."""
    report.add_faults(readable.faults)
    judgments, rows, span_rows = readable.table, readable.rows, readable.span_rows
    assert isinstance(judgments, HighlightJudgments) and rows is not None and span_rows is not None
    told = judgments.highlights.length
    length = np.where(told >= 0, told, asked.lengths_of(judgments, report))
    first, group = by_document(judgments.topic, judgments.document)
    if readable.once:
        add_duplicates(report, judgments, readable.places.of(rows), first, group)
    else:
        report.duplicates = repeated_spans(judgments.highlights)
    wrong = [
        *check_sizes(judgments.highlights, length, rows),
        *ends(judgments.highlights, length, span_rows, readable.once),
    ]
    wrong += check_lengths(judgments, rows, readable.places, asked)
    wrong += check_overlaps(judgments.highlights, span_rows) if readable.once else ()
    report.add_faults(faults_of(wrong, judgments, readable.places))
    summed_up(report, judgments, length, first)
    return report


def count_unresolved(report: Report, unresolved: Unresolved) -> Report:
    """Fill the report of judgments whose offsets are unknown, by counting what is highlighted."""
    topics, relevant = unresolved.topics, set(unresolved.passages)
    report.sizes.update(topics)
    report.relevant.update(topics[row] for row in relevant)
    report.text = HighlightedSummary(
        judged=len(topics),
        documents=len({unresolved.documents[row] for row in relevant}),
        relevant=len(relevant),
        spans=len(unresolved.passages),
        characters=None,
        median=0.0,
        empty=0,
        overlapping=0,
        # only the number of entry points is known, not their offsets
        entries=Counter(row for row in unresolved.entries if row in relevant),
        lengths=0,
    )
    return report


def faults_of(wrong: list[Wrong], judgments: Judgments, places: Places) -> Iterator[InputError]:
    """Yield the errors about judgments; `{document}` and `{topic}` in a text are replaced by the ids."""
    row = np.array([row for row, _, _ in wrong], np.int64)
    named = zip(wrong, judgments.topic[row].texts(), judgments.document[row].texts(), strict=True)
    for (_, place, what), topic, document in named:
        yield places[place].fault(what.replace("{topic}", topic).replace("{document}", document))


def add_duplicates(report: Report, judgments: Judgments, places: Places, first: Ints, group: Ints) -> None:
    """Add documents that are judged twice for a topic."""
    again = np.delete(np.arange(len(judgments)), first)
    names = zip(judgments.topic[again].texts(), judgments.document[again].texts(), strict=True)
    report.add_duplicates(
        (*pair, places[int(first[group[row]])], places[row]) for row, pair in zip(again.tolist(), names, strict=True)
    )


def repeated_spans(highlights: Highlights) -> int:
    """Return how many spans repeat another one, for example because several people highlighted the same."""
    columns = highlights.row, highlights.start, highlights.end
    order = np.lexsort(columns)
    return int(np.count_nonzero(np.logical_and.reduce([column[order][1:] == column[order][:-1] for column in columns])))


def check_sizes(highlights: Highlights, length: Ints, rows: Ints) -> Iterator[Wrong]:
    """Yield wrong sizes: rsize is not the sum of the passages, or is too large; or the entry is after the end."""
    rsize, entry = highlights.rsize, highlights.entry
    sums = np.bincount(highlights.row, highlights.end - highlights.start, minlength=len(rsize)).astype(np.int64)
    for row in np.flatnonzero((rsize >= 0) & (rsize != sums)).tolist():
        what = f"rsize {rsize[row]} of document {{document}} in topic {{topic}} is not the sum of its passages"
        yield row, int(rows[row]), f"{what}; expected {sums[row]}"
    for row in np.flatnonzero((length >= 0) & (rsize > length)).tolist():
        what = f"rsize {rsize[row]} of document {{document}} in topic {{topic}} is more than its length"
        yield row, int(rows[row]), f"{what}; expected at most {length[row]}"
    for row in np.flatnonzero((length >= 0) & (entry >= length)).tolist():
        what = f"best entry point {entry[row]} of document {{document}} in topic {{topic}} is after its end"
        yield row, int(rows[row]), f"{what}; the document has {length[row]:,} characters"


def ends(highlights: Highlights, length: Ints, span_rows: Ints, by_length: bool) -> Iterator[Wrong]:
    """Yield spans that end after their document."""
    limit = length[highlights.row]
    for at in np.flatnonzero((limit >= 0) & (highlights.end > limit)).tolist():
        start, end = int(highlights.start[at]), int(highlights.end[at])
        which = f"passage {start}:{end - start}" if by_length else f"span {start}-{end}"
        what = f"{which} of document {{document}} in topic {{topic}} goes beyond its end"
        yield int(highlights.row[at]), int(span_rows[at]), f"{what}; the document has {limit[at]:,} characters"


def check_overlaps(highlights: Highlights, span_rows: Ints) -> Iterator[Wrong]:
    """Yield passages of a document that overlap."""
    later, earlier = clashes(highlights)
    shown = [
        f"{start}:{end - start}" for start, end in zip(highlights.start.tolist(), highlights.end.tolist(), strict=True)
    ]
    for at, other in zip(later.tolist(), earlier.tolist(), strict=True):
        what = f"passage {shown[at]} of document {{document}} in topic {{topic}} overlaps {shown[other]}"
        yield int(highlights.row[at]), int(span_rows[at]), f"{what}; expected passages that do not overlap"


def clashes(highlights: Highlights) -> tuple[Ints, Ints]:
    """Return spans that overlap an earlier span of their document, and for each the earlier one that ends last."""
    filled = np.flatnonzero(highlights.end > highlights.start)
    order = filled[np.lexsort((highlights.start[filled], highlights.row[filled]))]
    start, end, row = highlights.start[order], highlights.end[order], highlights.row[order]
    begin = Line(row, end, int(row.max(initial=-1)) + 1).begin[row]
    reach = np.maximum.accumulate(end + begin)
    farthest = np.maximum.accumulate(np.where(end + begin == reach, np.arange(len(order)), 0))
    later = np.flatnonzero((start + begin)[1:] < reach[:-1]) + 1
    return order[later], order[farthest[later - 1]]


def check_lengths(judgments: HighlightJudgments, rows: Ints, places: Places, asked: CheckRequest) -> Iterator[Wrong]:
    """Yield documents with different lengths in different topics, or another length than the given documents have."""
    told = judgments.highlights.length
    known = np.flatnonzero(told >= 0)
    first, group = group_keys(judgments.document[known].keys())
    first_told = known[first[group]]
    for row, other in zip(known.tolist(), first_told.tolist(), strict=True):
        if told[row] != told[other]:
            elsewhere = f"{told[other]} {places[int(rows[other])].elsewhere}"
            what = f"the length of document {{document}} is {told[row]} here and {elsewhere}"
            yield row, int(rows[row]), f"{what}; expected one length"
    if asked.documents is None:
        return
    there = CheckRequest(documents=asked.documents).lengths_of(judgments, Report("", "judgments", ""))
    for row in np.flatnonzero((told >= 0) & (there >= 0) & (told != there)).tolist():
        what = f"the length of document {{document}} is {told[row]} here and {there[row]} in {asked.documents.label}"
        yield row, int(rows[row]), f"{what}; expected the same text"


def summed_up(report: Report, judgments: HighlightJudgments, length: Ints, first: Ints) -> None:
    """Add the numbers about the judged documents, each counted once."""
    highlights = judgments.highlights
    counts = np.zeros(len(judgments), bool)
    counts[first] = True
    names = judgments.topic[first].texts()
    relevant = judgments.grade[first] > 0
    report.sizes.update(names)
    report.relevant.update(name for name, good in zip(names, relevant.tolist(), strict=True) if good)
    spans = kept_spans(highlights, counts)
    marked = Marks(spans, len(judgments)).size[first]
    entries = highlights.entry[first][relevant]
    report.text = HighlightedSummary(
        judged=len(first),
        documents=len(np.unique(judgments.document[first[relevant]].keys())),
        relevant=int(np.count_nonzero(relevant)),
        spans=len(spans.row),
        characters=int(marked.sum()),
        median=float(np.median(marked[relevant])) if relevant.any() else 0.0,
        empty=int(np.count_nonzero(spans.start == spans.end)),
        overlapping=len(clashes(spans)[0]),
        entries=Counter(entries[entries >= 0].tolist()),
        lengths=int(np.count_nonzero(length[first] >= 0)),
    )
    known = first[highlights.length[first] >= 0]
    for name, number in zip(judgments.document[known].texts(), highlights.length[known].tolist(), strict=True):
        report.lengths[name] = max(number, report.lengths.get(name, 0))


def kept_spans(highlights: Highlights, counts: Bools) -> Highlights:
    """Return the spans of the judgments that count."""
    kept = counts[highlights.row]
    return Highlights(
        highlights.row[kept],
        highlights.start[kept],
        highlights.end[kept],
        highlights.length,
        highlights.entry,
        highlights.rsize,
    )
