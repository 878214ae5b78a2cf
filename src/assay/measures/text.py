"""What the measures of highlighted text share."""

from __future__ import annotations

from assay.errors import UsageError
from assay.measures.base import Measure
from assay.ranking.documents import Ranking
from assay.ranking.text import TextRanking


def of_text(ranking: Ranking, measure: Measure) -> TextRanking:
    """The ranking, if it is one of parts of documents."""
    if not isinstance(ranking, TextRanking):
        raise UsageError(f"{measure} needs highlighted text, but the judgments or the run have only whole documents")
    return ranking
