"""Scores of a document, for gP and AgP: where the first result begins, or what is read. For example AgP(score=BEP)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.errors import UsageError
from assay.measures.base import Measure, parameter
from assay.ranking.documents import Ranking, Values, ratio
from assay.ranking.kinds import DOCUMENTS, TEXT
from assay.ranking.text import TextRanking
from assay.tables.intervals import Spans, gaps

# A reader who begins with the results of a document and stops after too much irrelevant text.


def read_on(ranking: TextRanking, irrelevant: int) -> Values:
    """Return the share of highlighted text in what is read until this many irrelevant characters have been read.

    The reader sees the results first, in document order, and then the rest from the beginning of the document.
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


@dataclass(frozen=True, kw_only=True)
class BEP(Measure):
    """How close the first result begins to the best entry point, relative to the document's length.

        S(d) = A L / (A L + |x − b|)

    x is where the first result begins, b the best entry point, L the length of the document; the score is 0 without
    highlighted text. A large A tolerates distance. Pehcevski et al., INEX 2007, eq. 8.
    """

    kinds = (DOCUMENTS, TEXT)
    A: float = parameter(
        0.1,
        "tolerance of distance from the best entry point; above 0",
        above=0,
        below=np.inf,
        must="expected a number above 0",
    )

    def __call__(self, ranking: Ranking) -> Values:
        document = one_document_each(ranking, self)
        near = self.A * document.length
        score = ratio(near, near + np.abs(document.entered - document.entry))
        return np.where(document.recall_base(1) > 0, score, 0.0)


@dataclass(frozen=True, kw_only=True)
class Window(Measure):
    """How close the first result begins to the best entry point, within a window of n characters.

        S(d) = (n − |x − b|) / n,  0 beyond n

    x is where the first result begins, b the best entry point; the score is 0 without highlighted text. INEX used n =
    500 from 2008. Pehcevski et al., INEX 2007, eq. 9.
    """

    kinds = (DOCUMENTS, TEXT)
    n: int = parameter(
        1000, "size of the window in characters", least=1, must="expected a number of characters, at least 1"
    )

    def __call__(self, ranking: Ranking) -> Values:
        document = one_document_each(ranking, self)
        away = np.abs(document.entered - document.entry)
        return np.where(document.recall_base(1) > 0, np.maximum(self.n - away, 0) / self.n, 0.0)


@dataclass(frozen=True, kw_only=True)
class T2I(Measure):
    """Tolerance to irrelevance: the share of highlighted text in what is read until irr characters are irrelevant.

        S(d) = relevant characters read / characters read

    The reader takes the results in the order of the document, then the rest from its beginning, and stops once irr
    characters that are not highlighted have been read; 0 without highlighted text. Even perfect results score below 1,
    because the reader goes on. Arvola, Geva, Kamps, Schenkel, Trotman and Vainio, Overview of the INEX 2010 Ad Hoc
    Track.
    """

    kinds = (DOCUMENTS, TEXT)
    irr: int = parameter(
        300, "irrelevant characters read before the reader stops", least=1,
        must="expected a number of characters, at least 1",
    )

    def __call__(self, ranking: Ranking) -> Values:
        document = one_document_each(ranking, self)
        return np.where(document.recall_base(1) > 0, read_on(document, self.irr), 0.0)


def one_document_each(ranking: Ranking, score: Measure) -> TextRanking:
    """Return the ranking; raise an error unless each of its topics is a single document with its results."""
    if not isinstance(ranking, TextRanking) or not ranking.of_documents:
        raise UsageError(f"{score} is the score of a document; use it in a measure, for example AgP(score={score})")
    return ranking
