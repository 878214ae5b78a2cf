"""The passage measures of TREC Genomics 2006 and 2007, which count text that was retrieved before in their own ways."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import UsageError
from assay.measures.base import Measure
from assay.ranking.documents import Ranking, Values, ratio
from assay.ranking.kinds import DOCUMENTS, TEXT
from assay.ranking.text import TextRanking, of_text
from assay.tables.ids import Ints


@dataclass(frozen=True, kw_only=True)
class PASSAGE(Measure):
    """Passage average precision of TREC Genomics 2006: character precision at each result that touches a passage.

        PASSAGE = Σ_r [p_r touches] · (Σ_{i≤r} overlap_i / Σ_{i≤r} size_i) / (|touching results| + |passages untouched|)

    A result is compared with the first listed passage that it touches. Text retrieved twice counts twice.
    Hersh, Cohen, Roberts and Rekapalli, TREC 2006 Genomics track overview.
    """

    kinds = (DOCUMENTS, TEXT)
    knows_copies = False
    worked = "{Σ touches · precision} / ({Σ touches} + {untouched passages})"

    def __call__(self, ranking: Ranking) -> Values:
        ranking = of_text(ranking, self)
        passage, overlap = first_touched(ranking)
        touches = passage >= 0
        precision = ratio(ranking.running(overlap), ranking.running(ranking.end - ranking.start))
        topic = ranking.each(np.arange(len(ranking)))
        matched = np.unique(np.stack((topic[touches], passage[touches])), axis=1)[0]
        missed = ranking.judgments.number[ranking.topics] - np.bincount(matched, minlength=len(ranking))
        found = ranking.total(touches * ranking.column("precision", precision), "touches · precision")
        return ratio(found, ranking.total(touches, "touches") + ranking.quantity("untouched passages", missed))


@dataclass(frozen=True, kw_only=True)
class PASSAGE2(Measure):
    """Character average precision of TREC Genomics 2007: every character is a document, ranked as it is read.

        PASSAGE2 = (1/Trel) Σ_c P@c over the relevant characters c that were not read before

    Relevant characters that were read before are skipped; others count each time. Hersh, Cohen, Ruslen and Roberts,
    TREC 2007 Genomics track overview.
    """

    kinds = (DOCUMENTS, TEXT)
    knows_copies = False

    def __call__(self, ranking: Ranking) -> Values:
        ranking = of_text(ranking, self)
        piece, start, end = ranking.first_shown
        row = ranking.pieces.document[piece]
        vain = vain_before(ranking, np.arange(len(ranking.rank)), ranking.end)
        before = ranking.above(vain)[row] + vain_before(ranking, row, start)
        # for each new relevant character: how many relevant ones were read by then, and how many characters in all
        topic = ranking.each(np.arange(len(ranking)))[row]
        size = end - start
        stretch = np.repeat(np.arange(len(row)), size)
        starts = np.searchsorted(topic[stretch], np.arange(len(ranking) + 1))
        relevant = np.arange(len(stretch)) - np.repeat(starts[:-1], np.diff(starts)) + 1
        precision = relevant / (relevant + before[stretch])
        sums = np.bincount(topic[stretch], precision, minlength=len(ranking))
        return ratio(sums, ranking.recall_base(1))


@dataclass(frozen=True, kw_only=True)
class ASPECT(Measure):
    """Aspect average precision of TREC Genomics 2007: precision at each result with an aspect that no earlier one has.

        ASPECT = (1/|aspects|) Σ_r new_r · h_r / (h_r + n_r)

    Result r has new_r aspects that no earlier result has. Among the first r results, h_r have a new aspect, and n_r
    touch no relevant passage. Results with nothing new are skipped. The aspects of a result are the subtopics of the
    judged passages that it touches. Hersh, Cohen, Ruslen and Roberts, TREC 2007 Genomics track overview.
    """

    kinds = (DOCUMENTS, TEXT)
    knows_copies = False
    worked = "{Σ new aspects · precision} / {|aspects|}"

    def __call__(self, ranking: Ranking) -> Values:
        ranking = of_text(ranking, self)
        subtopics = ranking.judgments.subtopics
        if subtopics is None:
            raise UsageError(f"{self} needs passages with aspects, but {ranking.judgments.name} has none")
        row, passage, _ = touched_passages(ranking)
        place, _, before = subtopics.hits(passage, 1)
        new = np.bincount(row[place[before == 0]], minlength=len(ranking.rank))
        vain = np.bincount(row, minlength=len(ranking.rank)) == 0
        useful = ranking.running(new > 0)
        precision = ratio(useful, useful + ranking.running(vain))
        aspects = ranking.quantity("|aspects|", subtopics.number(1)[ranking.topics])
        ranking.column("new aspects", new)
        return ratio(ranking.total(new * ranking.column("precision", precision), "new aspects · precision"), aspects)


def first_touched(ranking: TextRanking) -> tuple[Ints, Ints]:
    """Return the first listed passage that each result touches (-1: none), and how many characters they share."""
    touching, passage, shared = touched_passages(ranking)
    row, first = np.unique(touching, return_index=True)
    first_passage, overlap = np.full(len(ranking.rank), -1), np.zeros(len(ranking.rank), np.int64)
    first_passage[row], overlap[row] = passage[first], shared[first]
    return first_passage, overlap


def touched_passages(ranking: TextRanking) -> tuple[Ints, Ints, Ints]:
    """Return rows and the passages that they touch, with the number of shared characters.

    They are sorted by row; the passages of a row are in the order in which they are listed.
    """
    passages = ranking.judgments.passages
    by_document = np.argsort(passages.document, kind="stable")
    document = passages.document[by_document]
    begin = np.searchsorted(document, ranking.document)
    number = np.where(ranking.document >= 0, np.searchsorted(document, ranking.document, side="right") - begin, 0)
    row = np.repeat(np.arange(len(number)), number)
    passage = by_document[np.arange(len(row)) + np.repeat(begin - np.cumsum(number) + number, number)]
    shared = np.minimum(ranking.end[row], passages.end[passage]) - np.maximum(
        ranking.start[row], passages.start[passage]
    )
    touching = np.flatnonzero(shared > 0)
    return row[touching], passage[touching], shared[touching]


def vain_before(ranking: TextRanking, row: Ints, offset: Ints) -> Ints:
    """Return how many characters of some results, before an offset, are not highlighted."""
    document, start = ranking.document[row], ranking.start[row]
    judged = np.flatnonzero(document >= 0)
    vain = offset - start
    marks = ranking.judgments.marks
    vain[judged] -= marks.upto(document[judged], offset[judged]) - marks.upto(document[judged], start[judged])
    return vain
