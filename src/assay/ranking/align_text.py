"""Align runs of spans or elements with judgments, and apply the rules for overlap and the limits of a task."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from assay.documents.xml import DEEPEST, normal
from assay.errors import PASS_CHUNKS, InputError, quote
from assay.ranking.align import Aligned, Returned, notes_on_block, rising_topics, topics_of, without_repeats
from assay.ranking.order import Limits, OrderedResults, Rules, in_order
from assay.ranking.pool import Pool, refuse_duplicates
from assay.ranking.text import SpanTexts, TextRanking, TokenCounts, with_surroundings
from assay.tables.ids import Bools, Ids, Ints, Keys, pair_keys, repeated_rows, scramble
from assay.tables.intervals import Line, Spans, first_disjoint, in_pieces, overlapping, seen_first
from assay.tables.judgments import HighlightJudgments
from assay.tables.notes import Notes
from assay.tables.run import DocumentRun, ElementRun, PlacedElementRun, Run, SpanRun, SurroundedSpanRun
from assay.tables.sorting import ascending, number_values

if TYPE_CHECKING:
    from assay.ranking.elements import ElementRanking

# The hint for a document that a topic has twice in a run of whole documents: the results may be chunks.
NO_OFFSETS = (
    "; without start and end each result counts as the whole document; add the offsets or texts of the chunks, "
    "pass chunks=, or pass duplicates=first to count each document once"
)


# The ways in which a run may break the limits of a task.


def violations(results: OrderedResults, limits: Limits, lengths: Ints | None = None) -> Iterator[InputError]:
    """Yield an error for everything in which a run breaks the limits.

    `lengths` is the length of each result's document, -1 if unknown.
    """
    if limits.most_results is not None:
        yield from too_many(results, limits.most_results)
    yield from mixed_results(results)
    if limits.overlap == "reject":
        yield from overlaps(results)
    if limits.single:
        yield from repetitions(results)
    elif limits.together:
        yield from interleaved_results(results)
    yield from too_much_text(results, limits)
    if lengths is not None:
        for row in np.flatnonzero(past_the_end(results, lengths)).tolist():
            what = (
                f"result {span_in_words(results, row)} of document {{document}} in topic {{topic}} extends past its end"
            )
            yield results.fault(f"{what}; the document has {lengths[row]:,} characters", row)


def past_the_end(results: OrderedResults, lengths: Ints) -> Bools:
    """Return which results extend past the end of their document, if its length is known."""
    return (lengths >= 0) & (results.end > lengths)


def too_many(results: OrderedResults, most: int) -> Iterator[InputError]:
    """Yield an error for each topic with more than `most` results."""
    counts = np.bincount(results.code)
    for topic in np.flatnonzero(counts > most).tolist():
        row = int(np.searchsorted(results.code, topic)) + most
        yield results.fault(f"topic {{topic}} has {counts[topic]:,} results; at most {most:,} are allowed", row)


def mixed_results(results: OrderedResults) -> Iterator[InputError]:
    """Yield an error for each passage among elements, or element among passages."""
    run = results.run
    if not isinstance(run, ElementRun) or not len(results.code):
        return
    passage = run.last.length[results.origin] > 0
    kinds = ("an element", "a passage")
    for row in np.flatnonzero(passage != passage[0]).tolist():
        what = f"{kinds[int(passage[row])]} in a run that begins with {kinds[int(passage[0])]}"
        yield results.fault(f"{what}; expected only one of these in a run", row)


def overlaps(results: OrderedResults) -> Iterator[InputError]:
    """Yield an error for each result that overlaps a result at an earlier rank."""
    for row, earlier in zip(*returned_before(results), strict=True):
        yield overlap_fault(results, row, earlier)


def returned_before(results: OrderedResults) -> tuple[list[int], list[int]]:
    """Return the results that overlap one at an earlier rank, and for each the result that first returned such text."""
    inside = overlapping(results.shared, results.documents)[results.shared.document]
    rows, spans = results.again[inside], results.shared[inside]
    owner, pieces = seen_first(spans, rows, results.documents)
    late = np.flatnonzero(np.bincount(owner, pieces.size, minlength=len(rows)) < spans.size)
    line = Line(spans.document, spans.end, results.documents)
    # the last piece over the result that is not its own; two pieces of one result never touch
    last = np.searchsorted(line.place(pieces.document, pieces.start), line.place(spans.document, spans.end)[late]) - 1
    last -= owner[last] == late
    in_order = np.argsort(rows[late])
    late, last = late[in_order], last[in_order]
    return rows[late].tolist(), rows[owner[last]].tolist()


def overlap_fault(results: OrderedResults, row: int, earlier: int) -> InputError:
    """Return the error about a result that overlaps one at an earlier rank."""
    what = f"result {span_in_words(results, row)} of document {{document}} in topic {{topic}}"
    return results.fault(
        f"{what} overlaps {span_in_words(results, earlier)} {{other}}; text may be returned only once", row, earlier
    )


def repetitions(results: OrderedResults) -> Iterator[InputError]:
    """Yield an error for each result after the first of its document."""
    for row in np.flatnonzero(~results.first_of).tolist():
        what = "document {document} is returned again in topic {topic}; only one result per document is allowed"
        yield results.fault(what, row)


def interleaved_results(results: OrderedResults) -> Iterator[InputError]:
    """Yield an error for each result that is separated from the other results of its document."""
    for row, before in zip(*standing_apart(results), strict=True):
        what = "document {document} is returned again in topic {topic} after others {other}"
        yield results.fault(f"{what}; the results of a document must be consecutive", row, before)


def standing_apart(results: OrderedResults) -> tuple[list[int], list[int]]:
    """Return the results that do not directly follow the one before of the same document, and for each that one."""
    document, rows = results.shared.document, results.again
    apart = np.flatnonzero((document[1:] == document[:-1]) & (rows[1:] > rows[:-1] + 1))
    apart = apart[np.argsort(rows[apart + 1])]
    return rows[apart + 1].tolist(), rows[apart].tolist()


def too_much_text(results: OrderedResults, limits: Limits) -> Iterator[InputError]:
    """Yield an error for each topic or document with more returned characters than allowed."""
    size = results.end - results.start
    if limits.topic_chars is not None:
        for row, total in beyond(results.code, size, limits.topic_chars):
            what = f"topic {{topic}} has {total:,} characters"
            yield results.fault(f"{what}; at most {limits.topic_chars:,} are allowed", row)
    if limits.document_chars is not None:
        document = np.unique(results.pairs, return_inverse=True)[1]
        for row, total in beyond(document, size, limits.document_chars):
            what = f"document {{document}} has {total:,} characters in topic {{topic}}"
            yield results.fault(f"{what}; at most {limits.document_chars:,} are allowed", row)


def beyond(group: Ints, size: Ints, most: int) -> Iterator[tuple[int, int]]:
    """Yield for each group with more than `most` characters the first result that exceeds it, and the group's total."""
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group))
    upto = np.append(0, np.cumsum(size[order]))
    before = upto[np.append(0, ends[:-1])]
    totals = upto[ends] - before
    first = np.searchsorted(upto, before + most, side="right") - 1
    for number in np.flatnonzero(totals > most).tolist():
        yield int(order[first[number]]), int(totals[number])


def span_in_words(results: OrderedResults, row: int) -> str:
    """Return how messages name a result: an element by its path, other results by their offsets."""
    run, at = results.run, results.origin[[row]]
    if not isinstance(run, ElementRun):
        return f"{results.start[row]}-{results.end[row]}"
    return " to ".join(filter(None, (paths[at].texts()[0] for paths in (run.path, run.last))))


def align_text(run: Run, pool: Pool, rules: Rules) -> Aligned:
    """Return the ranking of the text that a run returned, for its topics that have judgments."""
    aligned, _ = text_ranking(run, pool, rules)
    return aligned


def align_parts(run: Run, pool: Pool, rules: Rules) -> Aligned:
    """Return the ranking of the documents whose parts a run returned, by first appearance."""
    aligned, ranking = text_ranking(run, pool, rules)
    parts, notes = aligned.returned, aligned.notes
    # only documents count, so overlap does not matter
    notes.pop("overlapping", None)
    notes.pop("same", None)
    again = notes.count("again")
    notes.pop("again", None)
    notes.add("repeats", again + np.count_nonzero(~ranking.first_of))
    return aligned._replace(ranking=ranking.documents, returned=lambda: parts().keep(ranking.first_of))


def text_ranking(run: Run, pool: Pool, rules: Rules) -> tuple[Aligned, TextRanking]:
    """Return the aligned run, and its ranking as a TextRanking."""
    rules.refuse_open_ties()
    names, code, topics = topics_of(run, pool)
    has_parts, repeats = not isinstance(run, DocumentRun), 0
    if rules.duplicates != "refuse":
        run, code, repeats = without_repeats(run, code, topics, rules.duplicates)
    pairs = pair_keys(topics, code, run.document)
    if not has_parts:
        refuse_duplicates(run, pairs, "retrieved", "; ".join([NO_OFFSETS, *run.notes]))
    has_spans = isinstance(run, SpanRun)
    run = with_spans(run, pairs, topics, code, pool)
    results = in_order(run, code, pairs, rules.ties).of_topics(topics < len(pool.topics))
    known = topics[topics < len(pool.topics)]
    if rules.limits is not None:
        for violation in violations(results, rules.limits._replace(overlap=rules.overlap, most_results=None)):
            raise violation
    kept, pieces, fresh, overlaps = what_overlap_leaves(results, rules)
    around = None
    if isinstance(run, SurroundedSpanRun):
        before, after = (column[results.origin[kept]].texts() for column in (run.before, run.after))
        whole = Spans(np.arange(len(kept)), results.start[kept], results.end[kept])
        pieces, fresh, around = with_surroundings(pieces, fresh, whole, before, after, pool.tokens)
    document = pool.judged_documents(results, known)
    counts = np.bincount(results.code[kept], minlength=len(known))
    marked = pool.text.newly_highlighted(pieces, fresh, document[kept])
    starts = np.append(0, np.cumsum(counts))
    ranking = TextRanking(
        starts=starts,
        rank=np.arange(len(kept)) - np.repeat(starts[:-1], counts) + 1,
        grade=np.zeros(len(kept), np.int64),
        retrieved=counts,
        top_grade=pool.top_grade,
        ideal=pool.ideal(known),
        row=results.origin[kept],
        document=document[kept],
        start=results.start[kept],
        end=results.end[kept],
        first_of=results.first_of[kept],
        pieces=pieces,
        fresh=fresh,
        marked=marked,
        base=pool.text.total[known],
        topics=known,
        names=run.document,
        paid=rules.overlap == "paid",
        tokens=None if pool.tokens is None else TokenCounts(pool.tokens, run.document, results.origin),
        source=None if pool.documents is None else SpanTexts(pool.documents, run.document),
        around=around,
        judgments=pool.text,
    ).top(rules.depth)
    ranking = condensed_text(ranking) if rules.judged_only else ranking
    unjudged = names[topics >= len(pool.topics)].texts()
    relevant = pool.is_relevant(document)
    notes = notes_on_parts(results, document, known, pool)
    notes.add("parts", has_parts)
    if text_topics := np.count_nonzero(pool.text.total[known]):
        notes.add("text_topics", text_topics)
        notes.add("in_highlighted", np.count_nonzero(relevant))
        notes.add("highlighted", np.count_nonzero(marked))
    if has_spans and rules.limits is None:
        # a task of INEX may ask for entry points, which have no length
        empty, examples = empty_spans(run, results, pool.has_whitespace)
        notes.add("hollow", empty if pool.has_whitespace else 0, examples)
        notes.add("only_whitespace", 0 if pool.has_whitespace else empty, examples)
    notes.add("tied", len(results.tied_topics(relevant)))
    notes.add("again", repeats if has_parts else 0)
    notes.add("repeats", 0 if has_parts else repeats)
    notes.add("overlapping", overlaps)
    notes.add("same", same_spans(results.shared) if overlaps else 0)
    if rules.limits is not None:
        notes.add("too_long", np.count_nonzero(counts > (rules.limits.most_results or np.inf)))
    notes.add("beyond", beyond_the_end(results, document, pool))
    notes.add("disputed", results.disputed_topics())
    misranked, agreeing = results.misranked_topics(rules.ties)
    notes.add("misranked", misranked)
    notes.add("agreeing", agreeing)
    rising, falling = rising_topics(run, code)
    notes.add("rising", rising)
    notes.add("falling", falling)
    returned = partial(Returned, run, ranking.starts, ranking.row, ranking.document)
    return Aligned(known, unjudged, notes, ranking, returned), ranking


def empty_spans(run: SpanRun, results: OrderedResults, has_places: bool) -> tuple[int, list[str]]:
    """Return how many results have no characters, and an example; `has_places`: whether its offsets are the file's."""
    rows = results.origin[results.start == results.end]
    first = rows[:1]
    columns = run.start[first].tolist(), run.end[first].tolist(), run.document[first].texts()
    examples = zip(*columns, strict=True)
    return len(rows), [f"{start}-{end} of document {name}" if has_places else name for start, end, name in examples]


def notes_on_parts(results: OrderedResults, document: Ints, known: Ints, pool: Pool) -> Notes:
    """Return the notes on a block of parts of documents; `document` is the judgment of each result, -1 if none."""
    number = np.bincount(results.code, minlength=len(known))
    judged = np.bincount(results.code[document >= 0], minlength=len(known))
    apart, possible = known[(number > 0) & (judged == 0)], pool.most_judged(known, number)
    return notes_on_block(results.run, pool, known, len(document), int(judged.sum()), possible, apart)


def with_spans(run: Run, pairs: Keys, topics: Ints, code: Ints, pool: Pool) -> SpanRun:
    """Return the run with spans; a whole document is [0, length)."""
    if isinstance(run, SpanRun):
        return run
    start = np.zeros(len(run), np.int64)
    if isinstance(run, ElementRun):
        if isinstance(pool.judgments, HighlightJudgments):
            what = "the run returns elements; pass documents= to locate them in the text"
            raise InputError(what, run.name)
        # empty spans are enough, because only the documents count
        return PlacedElementRun(**vars(run), start=start, end=start)
    length = np.full(len(run), -1)
    place, judged = pool.judged(pairs, topics, code, run.document)
    length[place] = pool.text.length[judged]
    unknown = np.flatnonzero(length < 0)
    if len(unknown) and pool.documents is not None:
        length[unknown] = pool.documents.lengths(run.document[unknown].texts())
    elif len(unknown):
        which = quote(run.document[unknown[:1]].texts()[0])
        raise InputError(
            f"the run returns whole documents, and the length of document {which} is unknown; pass documents=, "
            f"or count documents, for example AP(unit=document); {PASS_CHUNKS}",
            run.name,
        )
    return SpanRun(**vars(run), start=start, end=length)


def beyond_the_end(results: OrderedResults, document: Ints, pool: Pool) -> int:
    """Return how many results extend past the end of a document of known length.

    The length may come from the judgments of another topic.
    """
    length = np.where(document >= 0, pool.text.length[np.maximum(document, 0)], -1)
    others = np.flatnonzero((length < 0) & (results.end > pool.shortest))
    length[others] = pool.lengths(results.run.document[results.origin[others]])
    return int(np.count_nonzero((length >= 0) & (results.end > length)))


def what_overlap_leaves(results: OrderedResults, rules: Rules) -> tuple[Ints, Spans, Bools, int]:
    """Return the kept results, their text in pieces, which pieces are new, and how many results overlap."""
    everything, start, end = np.arange(len(results.code)), results.start, results.end
    shared = results.shared
    over = overlapping(shared, results.documents)
    if not over.any():
        return everything, Spans(everything, start, end), np.ones(len(everything), bool), 0
    inside = np.flatnonzero(over[shared.document])
    rows, shared = results.again[inside], shared[inside]
    if rules.overlap in ("paid", "new"):
        parts, fresh = in_pieces(shared, rows, results.documents)
        is_alone = np.ones(len(start), bool)
        is_alone[rows] = False
        alone = np.flatnonzero(is_alone)
        row = np.concatenate((alone, rows[parts.document]))
        pieces = Spans(row, np.concatenate((start[alone], parts.start)), np.concatenate((end[alone], parts.end)))
        fresh = np.concatenate((np.ones(len(alone), bool), fresh))
        # the pieces of one result are sorted by start already
        by_row = ascending(row)
        return everything, pieces[by_row], fresh[by_row], int(np.count_nonzero(np.bincount(row[~fresh])))
    apart = first_disjoint(shared, rows)
    if rules.overlap == "reject":
        late = np.flatnonzero(~apart)
        first = late[np.argmin(rows[late])]
        others = np.flatnonzero(shared.sharing_with(int(first)) & apart & (rows < rows[first]))
        raise overlap_fault(results, int(rows[first]), int(rows[others[np.argmax(shared.start[others])]]))
    left = np.ones(len(start), bool)
    left[rows[~apart]] = False
    kept = np.flatnonzero(left)
    return (
        kept,
        Spans(np.arange(len(kept)), start[kept], end[kept]),
        np.ones(len(kept), bool),
        int(np.count_nonzero(~apart)),
    )


def same_spans(shared: Spans) -> int:
    """Return how many spans equal an earlier one."""
    document, start, end = (column.view(np.uint64) for column in (shared.document, shared.start, shared.end))
    # usually no two spans have the same key, and nothing is sorted
    rows = repeated_rows(scramble(scramble(scramble(document) + start) + end))
    shared = shared[rows[np.lexsort((shared.end[rows], shared.start[rows], shared.document[rows]))]]
    columns = shared.document, shared.start, shared.end
    return int(np.count_nonzero(np.all([column[1:] == column[:-1] for column in columns], axis=0)))


def nothing_of_text(pool: Pool, topics: Ints) -> TextRanking:
    """Return the ranking of text for topics for which nothing was retrieved."""
    none = np.zeros(0, np.int64)
    return TextRanking(
        np.zeros(len(topics) + 1, np.int64),
        none,
        none,
        np.zeros(len(topics), np.int64),
        pool.top_grade,
        ideal=pool.ideal(topics),
        row=none,
        document=none,
        start=none,
        end=none,
        first_of=none.astype(bool),
        pieces=Spans(none, none, none),
        fresh=none.astype(bool),
        marked=none,
        judgments=pool.text,
        source=pool.text.source,
        base=pool.text.total[topics],
        topics=topics,
        names=pool.judgments.document,
        tokens=None if pool.tokens is None else TokenCounts(pool.tokens, pool.judgments.document, none),
    )


def condensed_text(ranking: TextRanking) -> TextRanking:
    """Return the ranking without the results of unjudged documents, with new ranks."""
    kept = ranking.keep(ranking.judged())
    begin = kept.each(kept.starts[:-1]) - 1
    return replace(kept, rank=np.arange(len(kept.rank)) - begin, retrieved=kept.rows)


# Align a run of elements with assessed elements: ElementRanking.
#
# Paths are compared by their meaning: `/article/bdy` is `/article[1]/bdy[1]`.

FULL = re.compile(r"(?:/[^/\[\]\s()*:@]+\[[1-9][0-9]*\])+")
WHOLE_DOCUMENT = "the run returns whole documents or passages; expected elements, each with its path"


def align_elements(run: Run, pool: Pool, rules: Rules) -> Aligned:
    """Return the ranking of elements for a run's topics that have assessments."""
    from assay.ranking.elements import ElementRanking

    rules.refuse_open_ties()
    if not isinstance(run, ElementRun):
        raise InputError(WHOLE_DOCUMENT, run.name)
    names, code, topics = topics_of(run, pool)
    pairs = pair_keys(topics, code, run.document)
    results = in_order(run, code, pairs, rules.ties).of_topics(topics < len(pool.topics))
    known = topics[topics < len(pool.topics)]
    refuse_passages(run, results)
    paths, which_path = full_paths(run.path[results.origin], results)
    refuse_repeated_elements(results, paths, which_path)
    document = pool.judged_documents(results, known)
    base = pool.base
    element = base.elements_at(document, paths, which_path)
    starts = np.searchsorted(results.code, np.arange(len(known) + 1))
    retrieved = np.diff(starts)
    rank = np.arange(len(which_path)) - np.repeat(starts[:-1], retrieved) + 1
    ranking = ElementRanking(
        starts,
        rank,
        np.zeros(len(rank), np.int64),
        retrieved,
        row=results.origin,
        element=element,
        document=document,
        group=number_values(results.pairs)[1],
        paths=paths,
        which_path=which_path,
        size=result_sizes(results, element, pool),
        first_of=results.first_of,
        tied=results.tied,
        base=base,
        topics=known,
        name=run.name,
    ).top(rules.depth)
    unjudged = names[topics >= len(pool.topics)].texts()
    notes = notes_on_parts(results, document, known, pool)
    notes.add("parts")
    notes.add("tied", len(results.tied_topics(pool.is_relevant(document))))
    returned = partial(Returned, run, ranking.starts, ranking.row, ranking.document)
    return Aligned(known, unjudged, notes, ranking, returned)


def full_paths(given: Ids, results: OrderedResults) -> tuple[list[str], Ints]:
    """Return the different paths of the results with all step numbers, and for each result the index of its path."""
    first, number = given.number()
    paths = zip(first.tolist(), given[first].texts(), strict=True)
    return [full_path(path, results, row) for row, path in paths], number


def full_path(path: str, results: OrderedResults, row: int) -> str:
    """Return a path with the number of each of its steps."""
    if path.count("/") <= DEEPEST and FULL.fullmatch(path):
        return path
    try:
        return normal(path)
    except ValueError:
        what = f"{quote(path)} is not an element path; expected for example /article[1]/sec[2]"
        raise results.fault(what, row) from None


def refuse_passages(run: ElementRun, results: OrderedResults) -> None:
    """Refuse passages and ranges, because they are not elements."""
    if (passages := np.flatnonzero(run.last.length[results.origin] > 0)).size:
        what = "a result in document {document} of topic {topic} is a passage"
        raise results.fault(f"{what}; expected elements, for example /article[1]/sec[2]", int(passages[0]))


def refuse_repeated_elements(results: OrderedResults, paths: list[str], which_path: Ints) -> None:
    """Refuse a run in which a topic has an element twice."""
    keys = scramble(np.fromiter(map(hash, paths), np.int64, len(paths)).view(np.uint64))
    if not len(repeated_rows(scramble(results.pairs + keys[which_path]))):
        return
    seen: dict[tuple[int, str], int] = {}
    path_of = map(paths.__getitem__, which_path.tolist())
    for row, key in enumerate(zip(results.pairs.tolist(), path_of, strict=True)):
        if key in seen:
            what = f"element {key[1]} of document {{document}} is retrieved twice for topic {{topic}} {{other}}"
            raise results.fault(what, row, seen[key])
        seen[key] = row


def result_sizes(results: OrderedResults, element: Ints, pool: Pool) -> Ints:
    """Return the size of each result from the assessments, or else from the documents; -1 if unknown."""
    size = np.where(element >= 0, pool.base.size[element] if len(pool.base) else -1, -1)
    if isinstance(results.run, SpanRun):
        size = np.where(size < 0, results.end - results.start, size)
    return size


def nothing_of_elements(pool: Pool, topics: Ints) -> ElementRanking:
    """Return the ranking of elements for topics for which nothing was retrieved."""
    from assay.ranking.elements import ElementRanking

    none = np.zeros(0, np.int64)
    return ElementRanking(
        np.zeros(len(topics) + 1, np.int64),
        none,
        none,
        np.zeros(len(topics), np.int64),
        row=none,
        element=none,
        document=none,
        group=none,
        paths=[],
        which_path=none,
        size=none,
        first_of=none.astype(bool),
        tied=none.astype(bool),
        base=pool.base,
        topics=topics,
        name=pool.judgments.name,
    )
