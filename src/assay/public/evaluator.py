"""Evaluator: judgments and measures, made ready once, for runs that come one after the other."""

from __future__ import annotations

from typing import Any

from assay.evaluation.evaluated import prepared
from assay.evaluation.given_inputs import GivenInputs
from assay.evaluation.named_runs import named_runs, opened_file
from assay.evaluation.options import Options
from assay.formats.foreign import held, judgments_given
from assay.measures.base import Measure
from assay.public.scores import Scores, scores_of_evaluation


class Evaluator:
    """Judgments and measures, made ready once: `Evaluator(judgments, measures)(run)` are the Scores of a run.

    For loops, as over the steps of a training or the settings of a system: what depends on the judgments alone is done
    once. judgments, measures and rules are those of `assay.evaluate`, and so are the values.
    """

    def __init__(self, judgments: Any, measures: Any = None, **rules: Any):
        self._given, self._rules = held(judgments), rules
        self._prepared = prepared(opened_file(judgments_given(self._given)), measures, Options(**rules))
        self._prepared.pool.is_for_many_runs = True

    @property
    def measures(self) -> list[Measure]:
        """The measures."""
        return self._prepared.everything

    @property
    def topics(self) -> list[str]:
        """The topics that are judged."""
        return self._prepared.pool.topics

    def __call__(self, runs: Any) -> Scores:
        """The scores of a run, or of several in a list, or in a dict that names them."""
        runs = held(runs)
        named = {name: opened_file(run) for name, run in named_runs(runs).items()}
        given = GivenInputs(self._given, runs, self._rules)
        return scores_of_evaluation(self._prepared.evaluation(named), given=given)

    def __repr__(self) -> str:
        return f"<Evaluator of {self._prepared.pool.judgments!r} by {', '.join(map(str, self.measures))}>"
