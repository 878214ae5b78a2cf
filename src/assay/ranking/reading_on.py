"""Readers who read a document from its results on, until they have read too much in vain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.ranking.document_ranking import Values, ratio
from assay.ranking.text_ranking import TextRanking
from assay.tables.intervals import Spans, gaps


def read_on(ranking: TextRanking, irrelevant: int) -> Values:
    """The share of highlighted text in what is read of a document, until so many other characters have been read.

    The results are read first, in the order of the document, and then the rest from its beginning.
    """
    topic = np.repeat(np.arange(len(ranking)), np.diff(ranking.piece_starts))
    results = Spans(topic, ranking.pieces.start, ranking.pieces.end).union(len(ranking))
    rest = gaps(results, ranking.length)
    text = Spans(
        *(
            np.concatenate((a, b))
            for a, b in ((results.document, rest.document), (results.start, rest.start), (results.end, rest.end))
        )
    )
    is_rest = np.arange(len(text)) >= len(results)
    text = text[np.lexsort((text.start, is_rest, text.document))]
    inside = replace(text, document=ranking.first_document[text.document])
    relevant = ranking.judgments.marks.within(inside)
    starts = np.searchsorted(text.document, np.arange(len(ranking) + 1))
    reading = replace(ranking, starts=starts)
    vain = text.size - relevant
    left = irrelevant - reading.above(vain)
    last = (left > 0) & (vain >= left)
    inside = inside[last]
    stop = ranking.judgments.marks.passing(inside.document, inside.start, left[last])
    relevant[last] = ranking.judgments.marks.within(replace(inside, end=stop))
    read = np.where(left > 0, text.size, 0)
    read[last] = stop - inside.start
    return ratio(reading.total(np.where(left > 0, relevant, 0)), reading.total(read))
