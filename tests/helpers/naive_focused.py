"""Focused retrieval measured a second time, slowly: sets of characters and exact fractions, straight from the
definitions.

The tests compare Assay with this file, so it takes nothing from Assay. Judgments and runs are plain:

    judgments   {topic: {document: {"length": 40, "spans": [(start, end), ...], "bep": 7}}}
    run         {topic: [(document, start, end), ...]}, best first

A span is [start, end). Highlighted is the union of a document's spans; only the measures of TREC Genomics see them one
by one. A topic with nothing relevant and a topic that is not in the run score 0. All values are exact fractions, but
for `passage2`.
"""

from __future__ import annotations

import math
from collections import namedtuple
from fractions import Fraction

from hypothesis import strategies as st

NONE = Fraction(0)


class Overlap(Exception):
    """A result shares a character with an earlier one of the same document."""


def ratio(part, whole) -> Fraction:
    """part / whole, and 0 of nothing."""
    return Fraction(part) / whole if whole else NONE


def harmonic(precision, recall, beta) -> Fraction:
    """F = (1 + beta²) P R / (beta² P + R)."""
    square = Fraction(str(beta)) ** 2  # as it is written: 0.1 is a tenth
    return ratio((1 + square) * precision * recall, square * precision + recall)


# --- characters


def highlighted(judgments, topic, document) -> set[int]:
    """The highlighted positions of a document; none where it was not judged."""
    marked = judgments.get(topic, {}).get(document, {"spans": []})["spans"]
    return {position for start, end in marked for position in range(start, end)}


def relevant_documents(judgments, topic) -> set[str]:
    """The documents of a topic with highlighted text."""
    return {document for document in judgments.get(topic, {}) if highlighted(judgments, topic, document)}


def trel(judgments, topic) -> int:
    """The number of highlighted characters of a topic."""
    return sum(len(highlighted(judgments, topic, document)) for document in judgments.get(topic, {}))


def apply_policy(results, policy) -> list[tuple[str, list[int], tuple[int, int]]]:
    """What is kept of each result where results may overlap, as (document, positions, (start, end)).

    paid     all of each result: what an earlier one had is read again
    reject   raises Overlap at the first result that shares a character with an earlier one
    new      of each result the characters that no earlier one had, perhaps none
    drop     the results that share no character with an earlier one that was kept
    """
    if policy not in ("paid", "reject", "new", "drop"):
        raise ValueError(f"no policy: {policy}")
    kept, seen = [], {}
    for document, start, end in results:
        before = seen.setdefault(document, set())
        new = [position for position in range(start, end) if position not in before]
        overlaps = len(new) < len(range(start, end))
        if overlaps and policy == "reject":
            raise Overlap(f"{document} {start} {end}")
        if overlaps and policy == "drop":
            continue
        kept.append((document, list(range(start, end)) if policy == "paid" else new, (start, end)))
        before.update(new)
    return kept


# --- a ranking of text: INEX 2007, eq. 1-3


def curve(judgments, run, topic, policy, r=None, chars=None) -> list[tuple[int, Fraction, Fraction]]:
    """(rsize, P, R) at rank 0, 1 ... r, read until `chars` characters were read: the result that goes beyond is cut.

    A character is found when it is read first.
    """
    size = found = 0
    seen = set()
    base, points = trel(judgments, topic), [(0, NONE, NONE)]
    for document, positions, _ in apply_policy(run.get(topic, []), policy)[:r]:
        read = positions if chars is None else positions[: chars - size]
        relevant = {(document, at) for at in highlighted(judgments, topic, document).intersection(read)}
        rsize = len(relevant - seen)
        size, found = size + len(read), found + rsize
        seen |= relevant
        points.append((rsize, ratio(found, size), ratio(found, base)))
    return points


def precision_at(judgments, run, topic, r=None, *, chars=None, policy="reject") -> Fraction:
    """P[r] of eq. 1: the share of relevant characters in the first r results (in all, if None)."""
    return curve(judgments, run, topic, policy, r, chars)[-1][1]


def recall_at(judgments, run, topic, r=None, *, chars=None, policy="reject") -> Fraction:
    """R[r] of eq. 2: the share of the highlighted characters that the first r results have (that all have, if None)."""
    return curve(judgments, run, topic, policy, r, chars)[-1][2]


def f_at(judgments, run, topic, r=None, beta=1, *, chars=None, policy="reject") -> Fraction:
    """The harmonic mean of P[r] and R[r]."""
    return harmonic(*curve(judgments, run, topic, policy, r, chars)[-1][1:], beta)


def average_precision(judgments, run, topic, r=None, *, chars=None, policy="reject") -> Fraction:
    """AP of eq. 3: the mean of P at the ranks with highlighted text, times the recall at the end."""
    points = curve(judgments, run, topic, policy, r, chars)
    precisions = [precision for rsize, precision, _ in points if rsize > 0]
    return ratio(sum(precisions), len(precisions)) * points[-1][2]


def best_beyond(points, x) -> Fraction:
    """The best precision of a curve at recall x or more, 0 if it does not go there."""
    return max((precision for _, precision, recall in points if recall >= x), default=NONE)


def interpolated_precision(judgments, run, topic, x, *, policy="reject") -> Fraction:
    """iP[x]: the best P at a rank with recall x or more."""
    return best_beyond(curve(judgments, run, topic, policy), x)


def average_interpolated_precision(judgments, run, topic, *, policy="reject") -> Fraction:
    """AiP: the mean of iP at recall 0, 0.01 ... 1."""
    points = curve(judgments, run, topic, policy)
    return sum(best_beyond(points, Fraction(hundredth, 100)) for hundredth in range(101)) / 101


# --- what it costs to read


def reading(judgments, run, topic, policy, r=None, chars=None) -> list[tuple[bool, bool, bool]]:
    """The characters of the first r results as a reader meets them, as (read, new, highlighted and new), until `chars`
    are read.

    Where text that was seen before is passed over, it is met, and not read.
    """
    met, seen, read = [], set(), 0
    for document, _, (start, end) in apply_policy(run.get(topic, []), policy)[:r]:
        marked = highlighted(judgments, topic, document)
        for at in range(start, end):
            if chars is not None and read == chars:
                return met
            new = (document, at) not in seen
            seen.add((document, at))
            met.append((new or policy == "paid", new, new and at in marked))
            read += met[-1][0]
    return met


def iou_at(judgments, run, topic, r=None, *, chars=None, policy="reject") -> Fraction:
    """What is both read and highlighted, over what is either."""
    met = reading(judgments, run, topic, policy, r, chars)
    found = sum(gained for *_, gained in met)
    return ratio(found, sum(read for read, *_ in met) + trel(judgments, topic) - found)


def size_at(judgments, run, topic, r=None, *, chars=None, policy="reject") -> int:
    """The characters that are read."""
    return sum(read for read, *_ in reading(judgments, run, topic, policy, r, chars))


def redundancy_at(judgments, run, topic, r=None, *, chars=None, policy="reject") -> Fraction:
    """The share of the characters that were returned before."""
    met = reading(judgments, run, topic, policy, r, chars)
    return ratio(sum(not new for _, new, _ in met), len(met))


def budget_for(judgments, run, topic, x, *, policy="reject") -> float:
    """The smallest number of characters whose reading gives a recall of x; infinity where none does."""
    base, found, budget = trel(judgments, topic), 0, 0
    for read, _, gained in [(0, 0, 0), *reading(judgments, run, topic, policy)]:
        found, budget = found + gained, budget + read
        if base and found >= x * base:
            return budget
    return math.inf


def recall_area(judgments, run, topic, chars, weight, *, policy="reject") -> Fraction:
    """The mean recall within 1, 2 ... so many characters, each budget with a weight of its own."""
    weights = [weight(budget) for budget in range(1, chars + 1)]
    recalls = [recall_at(judgments, run, topic, chars=budget, policy=policy) for budget in range(1, chars + 1)]
    return sum((share * recall for share, recall in zip(weights, recalls, strict=True)), NONE) / sum(weights)


# --- others' formulas, of spans as they are listed; the results of a topic are those of its run, whatever overlaps


def chunks_and_gold(judgments, run, topic, r):
    """The first r results, and the listed spans, both as (document, start, end)."""
    gold = [(document, *span) for document, judged in judgments.get(topic, {}).items() for span in judged["spans"]]
    return run.get(topic, [])[:r], gold


def positions_of(spans) -> set[tuple[str, int]]:
    """The characters that are in any of the spans."""
    return {(document, at) for document, start, end in spans for at in range(start, end)}


def sizes(spans) -> int:
    """The characters of the spans, added up."""
    return sum(end - start for _, start, end in spans)


def chroma_recall(judgments, run, topic, r=None) -> Fraction:
    """What is found, over all spans of the gold."""
    chunks, gold = chunks_and_gold(judgments, run, topic, r)
    return ratio(len(positions_of(chunks) & positions_of(gold)), sizes(gold))


def chroma_precision(judgments, run, topic, r=None) -> Fraction:
    """What is found, over all chunks."""
    chunks, gold = chunks_and_gold(judgments, run, topic, r)
    return ratio(len(positions_of(chunks) & positions_of(gold)), sizes(chunks))


def chroma_iou(judgments, run, topic, r=None) -> Fraction:
    """What is found, over all chunks and what is left of each span of the gold."""
    chunks, gold = chunks_and_gold(judgments, run, topic, r)
    unused = sum(len(positions_of([span]) - positions_of(chunks)) for span in gold)
    return ratio(len(positions_of(chunks) & positions_of(gold)), sizes(chunks) + unused)


def every_overlap(chunks, gold) -> int:
    """What each chunk shares with each span of the gold."""
    return sum(len(positions_of([chunk]) & positions_of([span])) for chunk in chunks for span in gold)


def legalbench_precision(judgments, run, topic, r=None) -> Fraction:
    """The sum of all overlaps, over all chunks."""
    chunks, gold = chunks_and_gold(judgments, run, topic, r)
    return ratio(every_overlap(chunks, gold), sizes(chunks))


def legalbench_recall(judgments, run, topic, r=None) -> Fraction:
    """The sum of all overlaps, over all spans of the gold."""
    chunks, gold = chunks_and_gold(judgments, run, topic, r)
    return ratio(every_overlap(chunks, gold), sizes(gold))


def chroma_omega(judgments, run, topic) -> Fraction:
    """All chunks that share a character or a boundary with a span of the gold, over these chunks and the gold."""
    chunks, gold = chunks_and_gold(judgments, run, topic, None)
    touching = [
        chunk for chunk in chunks if any(chunk[0] == span[0] and chunk[1] <= span[2] and span[1] <= chunk[2] for span in gold)
    ]
    union = positions_of(touching)
    return ratio(len(union & positions_of(gold)), len(union | positions_of(gold)))


def merged_snippets(snippets, is_merged=lambda snippet: True):
    """Snippets that share a character become one, which stands where the first of them stood."""
    merged = []
    for snippet in snippets:
        together = positions_of([snippet])
        if is_merged(snippet) and together:
            others = [number for number, (_, places) in enumerate(merged) if places & together]
            if others:
                for number in others[1:]:
                    together |= merged[number][1]
                merged[others[0]] = (merged[others[0]][0], merged[others[0]][1] | together)
                merged = [each for number, each in enumerate(merged) if number not in others[1:]]
                continue
        elif together:
            together -= set().union(*(places for _, places in merged))
        merged.append((snippet[0], together))
    return merged


def bioasq(judgments, run, topic, r=None) -> tuple[Fraction, Fraction, Fraction]:
    """Precision, recall and F1 of snippets."""
    chunks, gold = chunks_and_gold(judgments, run, topic, r)
    hits = len(positions_of(chunks) & positions_of(gold))
    precision, recall = ratio(hits, len(positions_of(chunks))), ratio(hits, len(positions_of(gold)))
    return precision, recall, harmonic(precision, recall, 1)


def bioasq_ap(judgments, run, topic, r=None, edition=8, overlap=False) -> Fraction:
    """Average precision of snippets, with what BioASQ divides by in an edition."""
    chunks, gold = chunks_and_gold(judgments, run, topic, r)
    merged_gold = [each for each in merged_snippets(gold) if each[1]]
    wanted, documents = positions_of(gold), {document for document, places in merged_gold}
    read, total = set(), NONE
    for document, places in merged_snippets(chunks, lambda snippet: snippet[0] in judgments.get(topic, {})):
        read |= places
        relevant = bool(places & wanted) if overlap else document in documents
        total += relevant * ratio(len(read & wanted), len(read))
    return ratio(total, {2: len(merged_gold), 5: 10, 8: min(10, len(merged_gold))}[edition])


# --- a ranking of documents with a score each: INEX 2007, eq. 4-13, and T2I of INEX 2010

# What a document score S(d) sees: length and best entry point, highlighted and returned positions, start of the first result,
# and how many characters were read of it, some perhaps twice.
Found = namedtuple("Found", "length bep relevant returned x read")


def f_score(beta=1):
    """S(d) = F(d), eq. 4-7, where P(d) and R(d) are the share of what is both in what was read, and in what is
    highlighted."""
    return lambda d: harmonic(
        *(ratio(len(d.relevant & d.returned), whole) for whole in (d.read, len(d.relevant))), beta
    )


def bep_score(a=0.1):
    """S(d) = A L / (A L + |x - b|), eq. 8."""
    return lambda d: Fraction(str(a)) * d.length / (Fraction(str(a)) * d.length + abs(d.x - d.bep))


def window_score(n=1000):
    """S(d) = (n - |x - b|) / n, and 0 where |x - b| is more than n, eq. 9."""
    return lambda d: Fraction(n - abs(d.x - d.bep), n) if abs(d.x - d.bep) <= n else NONE


def t2i_score(irr=300):
    """S(d) = relevant / all read: what was returned, in document order, then the rest, until `irr` characters were not
    relevant."""

    def score(d):
        good = bad = 0
        for position in sorted(d.returned) + sorted(set(range(d.length)) - d.returned):
            if bad < irr:
                good, bad = (good + 1, bad) if position in d.relevant else (good, bad + 1)
        return ratio(good, good + bad)

    return score


def document_scores(judgments, run, topic, score, *, policy="reject") -> list[tuple[str, Fraction]]:
    """(document, S(d)) in the order of first appearance; S(d) = 0 without highlighted text."""
    kept, scores = apply_policy(run.get(topic, []), policy), {}
    for document, relevant in document_ranking(judgments, run, topic):
        scores[document] = NONE
        if relevant:
            judged, own = judgments[topic][document], [result for result in kept if result[0] == document]
            returned = {position for _, positions, _ in own for position in positions}
            x, read = own[0][2][0], sum(len(positions) for _, positions, _ in own)
            marked = highlighted(judgments, topic, document)
            scores[document] = score(Found(judged["length"], judged["bep"], marked, returned, x, read))
    return list(scores.items())


def gp_at(judgments, run, topic, r, score, *, policy="reject") -> Fraction:
    """gP[r] of eq. 11: the sum of the first r document scores, divided by r."""
    return sum((s for _, s in document_scores(judgments, run, topic, score, policy=policy)[:r]), NONE) / r


def agp(judgments, run, topic, score, *, policy="reject") -> Fraction:
    """AgP of eq. 13: gP at the ranks of relevant documents, summed and divided by the number of relevant documents."""
    scores, relevant = (
        document_scores(judgments, run, topic, score, policy=policy),
        relevant_documents(judgments, topic),
    )
    at = [
        sum(s for _, s in scores[:rank]) / rank for rank, (document, _) in enumerate(scores, 1) if document in relevant
    ]
    return ratio(sum(at), len(relevant))


# --- documents, found or not


def document_ranking(judgments, run, topic) -> list[tuple[str, bool]]:
    """(document, relevant) in the order of first appearance; an empty result, too, names its document."""
    relevant = relevant_documents(judgments, topic)
    return [(document, document in relevant) for document in dict.fromkeys(name for name, _, _ in run.get(topic, []))]


def document_precision_at(judgments, run, topic, k) -> Fraction:
    """P@k: relevant documents among the first k, divided by k."""
    return Fraction(sum(hit for _, hit in document_ranking(judgments, run, topic)[:k]), k)


def document_recall_at(judgments, run, topic, k) -> Fraction:
    """R@k: relevant documents among the first k, divided by all that are relevant."""
    return ratio(
        sum(hit for _, hit in document_ranking(judgments, run, topic)[:k]), len(relevant_documents(judgments, topic))
    )


gr_at = document_recall_at  # gR[r] of eq. 12 is just that


def document_average_precision(judgments, run, topic) -> Fraction:
    """AP: P at each relevant document, summed and divided by all that are relevant."""
    hits = [hit for _, hit in document_ranking(judgments, run, topic)]
    at = [Fraction(sum(hits[:rank]), rank) for rank, hit in enumerate(hits, 1) if hit]
    return ratio(sum(at), len(relevant_documents(judgments, topic)))


def document_reciprocal_rank(judgments, run, topic) -> Fraction:
    """RR: 1 / rank of the first relevant document."""
    hits = [hit for _, hit in document_ranking(judgments, run, topic)]
    return Fraction(1, hits.index(True) + 1) if True in hits else NONE


# --- TREC Genomics 2006 and 2007, which had no policy for overlapping results


def passage(judgments, run, topic) -> Fraction:
    """PASSAGE: gold passages, found by results that touch them.

    A result belongs to the first gold passage, in the order of the judgments, that it shares a character with.
    Precision is the characters shared with those, over the characters of all results so far. A gold passage that is
    listed twice is one.
    """
    gold = {(document, span) for document, judged in judgments.get(topic, {}).items() for span in judged["spans"]}
    read, shared, found, precisions = 0, 0, set(), []
    for document, start, end in run.get(topic, []):
        read += end - start
        passages = judgments.get(topic, {}).get(document, {"spans": []})["spans"]
        positions = set(range(start, end)) if passages else set()
        for span in passages:
            common = len(positions.intersection(range(*span)))
            if common:
                shared += common
                precisions.append(Fraction(shared, read))
                found.add((document, span))
                break
    return ratio(sum(precisions), len(precisions) + len(gold - found))


def passage2(judgments, run, topic) -> float:
    """PASSAGE2: average precision with every character a document; a relevant one counts when first read, others each
    time."""
    relevant = {document: highlighted(judgments, topic, document) for document in relevant_documents(judgments, topic)}
    unseen = {document: set(positions) for document, positions in relevant.items()}
    read, precisions = 0, []
    for document, start, end in run.get(topic, []):
        if document not in relevant:
            read += end - start
            continue
        for position in range(start, end):
            if position in unseen[document]:
                unseen[document].remove(position)
                read += 1
                precisions.append((len(precisions) + 1) / read)
            elif position not in relevant[document]:
                read += 1
    return math.fsum(precisions) / trel(judgments, topic) if precisions else 0.0


# --- random cases


def spans(length, shortest):
    """(start, end) within a text, at least so many characters apart."""
    starts = st.integers(0, length - shortest)
    return starts.flatmap(lambda start: st.tuples(st.just(start), st.integers(start + shortest, length)))


def disjoint(results) -> list[tuple[str, int, int]]:
    """The results without those that overlap an earlier one."""
    return [(document, *span) for document, _, span in apply_policy(results, "drop")]


@st.composite
def cases(draw, overlapping=True, overlapping_judgments=True):
    """(judgments, run): up to 3 topics, 4 documents of up to 40 characters, and 8 results a topic.

    Topics may have nothing relevant or be missing in the run; results may be empty, go 5 characters beyond the end, or
    be from documents that were not judged. Highlighted spans are never empty; where they may not overlap they may still
    touch.
    """
    lengths = {f"d{n}": draw(st.integers(1, 40)) for n in range(1, draw(st.integers(1, 4)) + 1)}
    judgments = {str(topic): {} for topic in range(1, draw(st.integers(1, 3)) + 1)}
    for judged in judgments.values():
        for document in draw(st.lists(st.sampled_from(list(lengths)), min_size=1, unique=True)):
            marked = [(document, *span) for span in draw(st.lists(spans(lengths[document], 1), max_size=3))]
            marked = [(start, end) for _, start, end in (marked if overlapping_judgments else disjoint(marked))]
            bep = draw(st.integers(0, lengths[document] - 1))
            judged[document] = {"length": lengths[document], "spans": marked, "bep": bep}
    any_length = {**lengths, "unknown": 40}
    result = st.sampled_from(list(any_length)).flatmap(
        lambda d: spans(any_length[d] + 5, 0).map(lambda span: (d, *span))
    )
    run = {}
    for topic in draw(st.lists(st.sampled_from(list(judgments)), min_size=1, unique=True)):
        results = draw(st.lists(result, min_size=1, max_size=8))
        run[topic] = results if overlapping else disjoint(results)
    return judgments, run
