"""Scores: the result of an evaluation."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Unpack

from assay.errors import UsageError, quote
from assay.evaluation.evaluate import Evaluation, Origin
from assay.evaluation.score_table import GivenInputs, ScoreTable
from assay.measures.notation import measures_of

if TYPE_CHECKING:
    import altair as alt

    from assay.charts.style import LookAsked
    from assay.comparing.comparison import Comparison
    from assay.comparing.correlation import Correlation
    from assay.comparing.significance import GroupedComparison
    from assay.comparing.tables import SignificanceTable
    from assay.evaluation.groups import Groups
    from assay.evaluation.provenance import Provenance
    from assay.measures.base import MeasuresLike


@dataclass(frozen=True, eq=False, repr=False)
class Scores(ScoreTable):
    """The value of each system, measure and topic, with notes on what Assay decided.

    values[system, measure, topic] is NaN if a topic does not count for a system. `missing` has, for each system, the
    judged topics that its run lacks; topics= of the evaluation decides how they count.
    `provenance` computes fingerprints of the input; `given` is the input itself, for charts and reports that evaluate
    the runs again. `beside` are scores that were joined to these.
    """

    missing: Mapping[str, list[str]] = field(default_factory=dict)
    provenance: Callable[[], Provenance] | None = None
    given: GivenInputs | None = None
    beside: Scores | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the scores without their input, because other processes do not need the runs."""
        return {**self.__dict__, "given": None}

    def compare(
        self, first: str | None = None, second: str | None = None, measure: MeasuresLike | None = None, **how: Any
    ) -> Comparison:
        """Compare systems by a measure with paired significance tests; by default the first measure.

        `scores.compare()` compares all pairs, with baseline= each system with the baseline; two names compare these
        two, and the difference is first − second. how: baseline, systems, test, correct, tails, samples, seed and
        confidence, as for `assay.compare`.
        """
        from assay.comparing.significance import compare

        by = self.measures[0] if measure is None else measure
        if first is None and second is None:
            return compare(self, by, **how)
        if first is None or second is None:
            if first is not None and first not in self.systems:
                named = quote(str(getattr(first, "__name__", first)))
                raise UsageError(f"{named} is not a run; name two runs, or pass measure=")
            raise UsageError("cannot compare one run; name two runs, or pass baseline= to compare all runs with it")
        return compare(self, by, systems=[first, second], baseline=second, **how)

    def compare_groups(self, measure: MeasuresLike | None = None, **how: Any) -> GroupedComparison:
        """Compare systems in each group of topics, and over all topics; how: as for `compare`."""
        from assay.comparing.significance import compared_by_group

        return compared_by_group(self, self.measures[0] if measure is None else measure, **how)

    def table(self, measures: MeasuresLike | None = None, **how: Any) -> SignificanceTable:
        """Return a table for a paper: systems x measures, with a letter for each system that is significantly worse.

        measures: by default all that were measured. how: as for `compare`.
        """
        from assay.comparing.significance import with_letters

        return with_letters(self, measures, **how)

    def correlate(self, measures: MeasuresLike | None = None, **how: Any) -> Correlation:
        """Correlate system rankings across measures; how: as for `assay.correlate`."""
        from assay.comparing.correlation import correlate

        return correlate(self, measures, **how)

    def chart(
        self,
        what: str | None = None,
        measures: MeasuresLike | None = (),
        *,
        baseline: str | None = None,
        **look: Unpack[LookAsked],
    ) -> alt.LayerChart:
        """Draw a chart of the systems; what, measures, baseline, theme, width and so on: as for `assay.chart`.

        If it needs more than these scores, for example a curve, the runs are evaluated again.
        """
        from assay.charts.drawing import ChartOptions, chart_of_scores

        wishes = ChartOptions(look, baseline)
        return chart_of_scores(self, self.given, what, measures_of(measures, self.measures) if measures else (), wishes)

    def report(self, output: str | os.PathLike[str], **options: Any) -> str:
        """Write an HTML report on the systems, and return its path; options: as for `assay.report`.

        The page shows the results themselves, so the runs are evaluated again.
        """
        from assay.reporting.report import report

        if self.given is None:
            raise UsageError("these scores lack their judgments and runs; use assay.report(judgments, runs, output)")
        joined_to_them = {} if self.beside is None else {"scores": self.beside}
        asked = {**self.given.rules, **joined_to_them, **options}
        return report(self.given.judgments, self.given.runs, output, self.measures, **asked)

    def only(self, measures: MeasuresLike) -> Scores:
        """Return the scores of some measures, in this order."""
        places = [self._measure(measure) for measure in measures_of(measures, self.measures)]
        chosen = [self.measures[place] for place in places]
        names = {str(measure) for measure in chosen}
        made_of = None
        if self.provenance is not None:
            made_of = Origin(lambda: facts_of(self.made_of(), names))
        checked = self.checked and self.checked.only(places)
        return replace(self, measures=chosen, values=self.values[:, places], provenance=made_of, checked=checked)

    def join(self, others: Scores) -> Scores:
        """Add the measures of other scores: `scores.join(assay.read_scores("latency.csv"))`.

        Systems and topics stay the same. The other scores must have all systems; notes name the values that they lack,
        and the systems and topics that only they have.
        """
        from assay.evaluation.given_scores import join_scores

        table = join_scores(self, others)
        made_of = None
        if self.provenance is not None and others.provenance is not None:
            made_of = Origin(lambda: facts_together(self.made_of(), others.made_of()))
        joined_to = replace(self, measures=table.measures, values=table.values, notes=table.notes, provenance=made_of)
        joined_to = replace(joined_to, checked=table.checked)
        return replace(joined_to, beside=others if self.beside is None else self.beside.join(others))

    def made_of(self) -> Provenance:
        """Return fingerprints of judgments and documents, the measures and the rules."""
        if self.provenance is None:
            raise UsageError("these scores lack their judgments and runs; expected scores from assay.evaluate")
        return self.provenance()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the values of every topic, and fingerprints of the input: a baseline for `assay.gate`.

        `assay.read_scores` reads them again. The fingerprints are computed from the judgments and documents, which
        must not have changed since the evaluation.
        """
        from assay.evaluation.score_files import written_scores
        from assay.files.writing import write

        write(path, written_scores(self, self.missing, self.made_of()))

    def to_dict(self) -> dict[str, float]:
        """Return the values over all topics as a flat dict, for MLflow or Weights & Biases.

        Names have letters, digits, points and underscores, as MLflow requires: `R(chars=2000)` becomes `R_chars_2000`,
        `nDCG@10` becomes `nDCG_at_10`. If there are several runs, the name of the run and a slash come first.
        """
        flat: dict[str, float] = {}
        for record in replace(self, groups=None).records():
            run = f"{flat_name(record['run'])}/" if len(self.systems) > 1 else ""
            name = run + flat_name(record["measure"])
            if name in flat:
                raise UsageError(f"two values would both get the name {name}; use letters and digits in names of runs")
            flat[name] = record["value"]
        return flat


def facts_of(made_of: Provenance, names: Collection[str]) -> Provenance:
    """Return the provenance of scores that keep only the measures with these names."""
    return replace(made_of, measures=[each for each in made_of.measures if each.name in names])


def facts_together(made_of: Provenance, others: Provenance) -> Provenance:
    """Return the provenance of scores to which the measures of others were joined."""
    return replace(made_of, measures=[*made_of.measures, *others.measures])


def are_scores(given: object) -> bool:
    """Tell whether the input is scores, or a list or dict of scores, rather than judgments."""
    if isinstance(given, Sequence):
        return bool(given) and all(isinstance(each, ScoreTable) for each in given)
    if isinstance(given, dict):
        return bool(given) and all(isinstance(each, ScoreTable) for each in given.values())
    return isinstance(given, ScoreTable)


def flat_name(name: str) -> str:
    """Replace everything in a name but letters, digits, points, hyphens and underscores."""
    return re.sub(r"[^\w.-]+", "_", name.replace(")@", "_at_").replace("@", "_at_")).strip("_")


def scores_of_evaluation(
    evaluation: Evaluation,
    groups: Groups | None = None,
    notes: Sequence[str] = (),
    given: GivenInputs | None = None,
) -> Scores:
    """Make Scores from an evaluation; `given` is the input, which charts and reports evaluate again."""
    table = evaluation.scores
    told = [*table.notes, *notes]
    further = evaluation.missing, evaluation.provenance, given
    return Scores(table.systems, table.measures, table.topics, table.values, told, groups, table.checked, *further)
