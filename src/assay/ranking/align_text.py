"""Parts of documents + judgments -> TextRanking: the judged documents they are in, and what overlap leaves of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from assay.errors import InputError, quote
from assay.ranking.align import Aligned, Returned, notes_on_block, rising_topics, topics_of
from assay.ranking.order import OrderedResults, in_order
from assay.ranking.pool import Pool
from assay.ranking.rules import Rules
from assay.ranking.text import SpanTexts, TextRanking, TokenCounts, with_surroundings
from assay.ranking.violations import overlap_fault, violations
from assay.tables.ids import Bools, Ints, Keys, pair_keys, repeated_rows, scramble
from assay.tables.intervals import Spans, first_disjoint, in_pieces, overlapping
from assay.tables.judgments import HighlightJudgments
from assay.tables.notes import Notes
from assay.tables.run import DocumentRun, ElementRun, PlacedElementRun, Run, SpanRun, SurroundedSpanRun
from assay.tables.sorting import ascending


def align_text(run: Run, pool: Pool, rules: Rules) -> Aligned:
    """The ranking of the text that was returned for a run's topics that have judgments."""
    aligned, _ = text_ranking(run, pool, rules)
    return aligned


def align_parts(run: Run, pool: Pool, rules: Rules) -> Aligned:
    """The ranking of the documents whose parts were returned, in order of first appearance."""
    aligned, ranking = text_ranking(run, pool, rules)
    parts, notes = aligned.returned, aligned.notes
    # text is not counted, so that it does not matter where it overlaps
    notes.pop("overlapping", None)
    notes.pop("same", None)
    notes.add("repeats", np.count_nonzero(~ranking.first_of))
    return aligned._replace(ranking=ranking.documents, returned=lambda: parts().keep(ranking.first_of))


def text_ranking(run: Run, pool: Pool, rules: Rules) -> tuple[Aligned, TextRanking]:
    """The ranking of the text that was returned, alone and with what was noticed."""
    rules.refuse_open_ties()
    names, code, topics = topics_of(run, pool)
    pairs = pair_keys(topics, code, run.document)
    has_parts = not isinstance(run, DocumentRun)
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
    notes.add("tied", len(results.tied_topics(relevant)))
    notes.add("overlapping", overlaps)
    notes.add("same", same_spans(results.shared) if overlaps else 0)
    if rules.limits is not None:
        notes.add("too_long", np.count_nonzero(counts > (rules.limits.most_results or np.inf)))
    notes.add("beyond", beyond_the_end(results, document, pool))
    notes.add("disputed", results.disputed_topics())
    notes.add("misranked", results.misranked_topics(rules.ties))
    rising, falling = rising_topics(run, code)
    notes.add("rising", rising)
    notes.add("falling", falling)
    returned = partial(Returned, run, ranking.starts, ranking.row, ranking.document)
    return Aligned(known, unjudged, notes, ranking, returned), ranking


def notes_on_parts(results: OrderedResults, document: Ints, known: Ints, pool: Pool) -> Notes:
    """The notes of a block of parts of documents; `document` has the judgment of each result, -1 is none."""
    number = np.bincount(results.code, minlength=len(known))
    judged = np.bincount(results.code[document >= 0], minlength=len(known))
    apart, possible = known[(number > 0) & (judged == 0)], pool.most_judged(known, number)
    return notes_on_block(results.run, pool, known, len(document), int(judged.sum()), possible, apart)


def with_spans(run: Run, pairs: Keys, topics: Ints, code: Ints, pool: Pool) -> SpanRun:
    """The run with its results as spans: a whole document is [0, length)."""
    if isinstance(run, SpanRun):
        return run
    start = np.zeros(len(run), np.int64)
    if isinstance(run, ElementRun):
        if isinstance(pool.judgments, HighlightJudgments):
            what = "the run returns elements; pass documents= to locate them in the text"
            raise InputError(what, run.name)
        # only the documents are asked for
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
            "or count documents, for example AP(unit=document)",
            run.name,
        )
    return SpanRun(**vars(run), start=start, end=length)


def beyond_the_end(results: OrderedResults, document: Ints, pool: Pool) -> int:
    """How many results go beyond the end of a document whose length is known, be it from judgments of another topic."""
    length = np.where(document >= 0, pool.text.length[np.maximum(document, 0)], -1)
    others = np.flatnonzero((length < 0) & (results.end > pool.shortest))
    length[others] = pool.lengths(results.run.document[results.origin[others]])
    return int(np.count_nonzero((length >= 0) & (results.end > length)))


def what_overlap_leaves(results: OrderedResults, rules: Rules) -> tuple[Ints, Spans, Bools, int]:
    """The results that are kept, their text in pieces, which of these were not seen before, and how many results
    overlap.
    """
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
        # those of one result stand by their start already
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
    """How many spans are the same as another, the first of each not counted."""
    document, start, end = (column.view(np.uint64) for column in (shared.document, shared.start, shared.end))
    # mostly none has the key of another, and nothing is sorted
    rows = repeated_rows(scramble(scramble(scramble(document) + start) + end))
    shared = shared[rows[np.lexsort((shared.end[rows], shared.start[rows], shared.document[rows]))]]
    columns = shared.document, shared.start, shared.end
    return int(np.count_nonzero(np.all([column[1:] == column[:-1] for column in columns], axis=0)))


def nothing_of_text(pool: Pool, topics: Ints) -> TextRanking:
    """The ranking of topics for which nothing was retrieved, where text is counted."""
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
    """The list without the results of unjudged documents, ranked anew."""
    kept = ranking.keep(ranking.judged())
    begin = kept.each(kept.starts[:-1]) - 1
    return replace(kept, rank=np.arange(len(kept.rank)) - begin, retrieved=kept.rows)
