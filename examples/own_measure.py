"""A measure of your own: `assay evaluate judgments.qrels *.run --define own_measure.py -m Complete@5`."""

from dataclasses import dataclass

from assay import DOCUMENTS, TEXT, Measure, Ranking


@dataclass(frozen=True)
class Complete(Measure):
    """Complete: whether everything relevant is among the first k results, so that who reads those misses nothing.

        Complete@k = 1 if |relevant among the first k| = |relevant|, else 0

    What a result gives, its gain, is 1 of a relevant document, and of highlighted text the number of its characters; so
    the formula holds for both.
    """

    kinds = (DOCUMENTS, TEXT)
    rel: int = 1
    k: int | None = None

    def __call__(self, ranking: Ranking):
        """1 or 0 for each topic."""
        top = ranking.top(self.k)
        return 1.0 * (top.total(top.gain(self.rel)) == ranking.recall_base(self.rel))
