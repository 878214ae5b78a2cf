"""ClusterScores: values that stay on the cluster, with the means, and what was decided."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from assay import errors
from assay.errors import AssayError, shortened
from assay.evaluation.groups import groups_in_order
from assay.evaluation.mean_table import MeanTable, records_in_json
from assay.evaluation.notes import notes_on, refuse_apart
from assay.evaluation.origin import Origin
from assay.evaluation.tallies import MOST
from assay.measures.combining import adds_up
from assay.measures.exact_sums import exact_sum
from assay.public.scores import Scores
from assay.ranking.gold_standards import notes_on_standards
from assay.ranking.judged_order import natural_order
from assay.spark.inputs import quoted_name
from assay.spark.worker import LACKED, SUMMARY, Summary, Work
from assay.tables.ids import Floats, Ids, Ints

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# How Spark tells what a worker refused.
REFUSED = re.compile(r"^assay\.errors\.(\w+): (.*)$", re.MULTILINE)


class ClusterScores(MeanTable):
    """Scores of runs whose values stay on the cluster; what is asked for is worked out then, and once.

    `systems` are the names of the runs. The values of all topics are kept by Spark, in memory or on disk, until
    `unpersist` is called.
    """

    def __init__(self, values: DataFrame, work: Work, in_reading: list[str], provenance: Origin):
        self._values, self._work, self._in_reading, self._provenance = values, work, in_reading, provenance
        self.systems = [part.name for part in work.parts[1:]]
        self.measures = work.measures
        self._known: dict[tuple[int, int, str | None], float] = {}

    @property
    def per_topic(self) -> DataFrame:
        """A Spark DataFrame: a row for each run and topic that counts, a column a measure. Nothing is collected."""
        from pyspark.sql import functions

        counts = ~functions.isnan(quoted_name(str(self.measures[0])))
        return self._topics.where(counts).drop(LACKED, SUMMARY)

    @property
    def _topics(self) -> DataFrame:
        """The rows of all topics; those that do not count have no numbers."""
        return self._values.where(f"{SUMMARY} is null")

    @cached_property
    def _summary(self) -> Summary:
        """What is known of all partitions; a run that cannot be measured is refused."""
        with plain_errors():
            rows = self._values.where(f"{SUMMARY} is not null").select(SUMMARY).collect()
        summary = self._work.nothing_noticed()
        for row in rows:
            summary.add(pickle.loads(row[0]), MOST)
        for run in summary.runs:
            refuse_apart(run.name, run, summary.judged)
        if self._work.grouping:
            # groups of no judged topic are refused
            self._work.grouping.notes(summary.ungrouped, summary.judged.topics)
        return summary

    @property
    def _group_label(self) -> str | None:
        return self._work.grouping.name if self._work.grouping else None

    @cached_property
    def _group_names(self) -> list[str]:
        names = {group for sums in self._summary.sums for group in sums} - {""}
        return groups_in_order(names)

    def _over_topics(self, system: int, measure: int, group: str | None = None) -> float:
        if (system, measure, group) not in self._known:
            self._known[system, measure, group] = self._plain(self._combined(system, measure, group), measure)
        return self._known[system, measure, group]

    def _combined(self, system: int, measure: int, group: str | None) -> float:
        asked, sums = self.measures[measure], self._summary.sums[system][group or ""]
        if not adds_up(asked):
            values = self._values_of(system, measure, group)
            return asked.over_topics(values[~np.isnan(values)])
        topics = sums.counted[measure]
        return asked.of_sum(exact_sum(sums.parts[measure]), topics) if topics else 0.0

    def _values_of(self, system: int, measure: int, group: str | None) -> Floats:
        """All values of a measure that is no sum, as a median: eight bytes a topic come to this machine, and the names
        of the topics where one group of them is asked for.
        """
        name, labels = quoted_name(str(self.measures[measure])), [] if group is None else ["topic"]
        with plain_errors():
            table = self._topics.where(self._topics["run"] == self.systems[system]).select(name, *labels).toArrow()
        values: Floats = table.column(0).to_numpy()
        if group is None or self._work.grouping is None:
            return values
        return values[np.array(self._work.grouping.of_topics(table.column("topic").to_pylist())) == group]

    @cached_property
    def notes(self) -> list[str]:
        """What was decided on the user's behalf."""
        work, judged = self._work, self._summary.judged
        several = judged.annotated, judged.alternatives
        in_reading = [
            *self._in_reading,
            *notes_on_standards(judged.name, judged.topics.number, *several, work.options.annotators is not None),
            *(f"{judged.name}: {note}" for note in work.parts[0].notes),
        ]
        notes = notes_on(self._summary.runs, judged, self.measures, work.options.topics, work.rules, in_reading)
        return notes + (work.grouping.notes(self._summary.ungrouped, judged.topics) if work.grouping else [])

    def __getitem__(self, asked: Any) -> float:
        """`scores["bm25", "AP"]` is the value over all topics; where there is only one run its name may be left out."""
        system, measure = asked if isinstance(asked, tuple) else (self._only_system(), asked)
        return self._over_topics(self._system(system), self._measure(measure))

    __iter__ = None

    def collect(self) -> Scores:
        """All values on this machine, where they fit: to compare runs, draw them, or show them topic by topic."""
        notes = self.notes
        with plain_errors():
            table = self._topics.drop(SUMMARY).toArrow()
        names = table.column("topic").unique().to_pylist()
        topics = [names[at] for at in natural_order(Ids.of(names), names).tolist()]
        topic, system = index(table.column("topic"), topics), index(table.column("run"), self.systems)
        values = np.full((len(self.systems), len(self.measures), len(topics)), np.nan)
        for number, measure in enumerate(self.measures):
            values[system, number, topic] = table.column(str(measure)).to_numpy()
        lacked = np.zeros((len(self.systems), len(topics)), bool)
        lacked[system, topic] = table.column(LACKED).to_numpy()
        missing = {name: list(compress(topics, row)) for name, row in zip(self.systems, lacked, strict=True)}
        groups = self._work.grouping.of(topics)[0] if self._work.grouping else None
        return Scores(self.systems, self.measures, topics, values, notes, groups, missing, self._provenance)

    def unpersist(self) -> None:
        """Lets Spark forget the values."""
        self._values.unpersist()

    def records(self) -> Iterator[dict[str, Any]]:
        """A `{"run", "measure", "topic", "value"}` a value; the topic is `all`, and that of a group has a `group`."""
        for system in range(len(self.systems)):
            for measure in range(len(self.measures)):
                yield from self._records_of(system, measure)

    def show(self, layout: str = "text", digits: int = 4) -> str:
        """The values over all topics, and over each group, as text, tsv, csv, json, md, latex or html."""
        return records_in_json(self.records()) if layout == "json" else self._shown_means(layout, digits)


def index(column: Any, names: list[str]) -> Ints:
    """The place of each value of a column among some names."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.index_in(column, pa.array(names)).to_numpy()


@contextmanager
def plain_errors() -> Iterator[None]:
    """What a worker refuses is refused here, in one line; and so is what Spark cannot do."""
    from pyspark.errors import PySparkException

    try:
        yield
    except AssayError:
        raise
    except PySparkException as error:
        refused = REFUSED.findall(str(error))
        if refused:
            name, what = refused[-1]
            raise getattr(errors, name)(what) from None
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise AssayError(f"Spark cannot do it: {shortened(why, 200)}") from error
