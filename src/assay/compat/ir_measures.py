"""A provider for ir_measures; `import assay.compat.ir_measures` registers it.

    from assay.compat.ir_measures import provider
    provider.calc_aggregate([AP, nDCG @ 10], qrels, run)

It computes every measure that Assay can translate, in one pass over a run, and starts no other program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ir_measures import Metric, providers, util

from assay.errors import UsageError
from assay.evaluation.evaluate import Options, prepare
from assay.measures.from_ir_measures import from_ir_measures
from assay.measures.notation import find
from assay.reading.given import given_judgments, given_runs

if TYPE_CHECKING:
    from assay.measures.base import ForeignMeasure


class AssayEvaluator(providers.Evaluator):  # type: ignore[misc]
    """Judgments and measures, prepared for many runs."""

    def __init__(self, measures: Iterable[Any], judgments: dict[str, dict[str, int]]):
        asked = list(measures)
        super().__init__(asked, set(judgments))
        taken = [from_ir_measures(measure, find) for measure in asked]
        self._theirs: dict[str, list[Any]] = {}
        for ours, measure in zip(taken, asked, strict=True):
            self._theirs.setdefault(str(ours), []).append(measure)
        self._prepared = prepare(given_judgments(judgments), taken, Options())
        self._prepared.pool.is_for_many_runs = True

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        results = {topic: found for topic, found in util.RunConverter(run).as_dict_of_dict().items() if found}
        if results.keys().isdisjoint(self._prepared.pool.topics):
            return
        scores = self._prepared.evaluation(given_runs({"run": results})).scores
        for number, ours in enumerate(scores.measures):
            values = list(zip(scores.topics, scores.values[0, number].tolist(), strict=True))
            for measure in self._theirs[str(ours)]:
                yield from (Metric(topic, measure, value) for topic, value in values if topic in results)


class AssayProvider(providers.Provider):  # type: ignore[misc]
    """Assay as a provider, the interface through which ir_measures calls programs that compute its measures."""

    NAME = "assay"

    def supports(self, measure: ForeignMeasure) -> bool:
        """Return whether Assay computes a measure."""
        try:
            from_ir_measures(measure, find)
        except UsageError:
            return False
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> AssayEvaluator:
        return AssayEvaluator(measures, util.QrelsConverter(qrels).as_dict_of_dict())


provider: AssayProvider = providers.register(AssayProvider())
