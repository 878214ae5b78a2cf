"""ClusterScores: values that stay on the cluster, with the means, and what was decided."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from assay import errors
from assay.errors import AssayError, UsageError, listed, shortened
from assay.evaluation.notes import notes_on, refuse_apart
from assay.evaluation.tallies import MOST
from assay.measures.base import Count, Measure
from assay.measures.combining import adds_up
from assay.measures.exact_sums import exact_sum
from assay.measures.notation import measures_of
from assay.public.scores import Scores
from assay.ranking.gold_standards import notes_on_standards
from assay.ranking.pool import natural_order
from assay.spark.inputs import quoted_name
from assay.spark.worker import SUMMARY, Summary, Work
from assay.tables.ids import Floats, Ids, Ints

if TYPE_CHECKING:
    import polars as pl
    from pyspark.sql import DataFrame

# How Spark tells what a worker refused.
REFUSED = re.compile(r"^assay\.errors\.(\w+): (.*)$", re.MULTILINE)


class ClusterScores:
    """Scores of runs whose values stay on the cluster; what is asked for is worked out then, and once.

    `systems` are the names of the runs. The values of all topics are kept by Spark, in memory or on disk, until
    `unpersist` is called.
    """

    def __init__(self, values: DataFrame, work: Work, in_reading: list[str]):
        self._values, self._work, self._in_reading = values, work, in_reading
        self.systems = [part.name for part in work.parts[1:]]
        self.measures = work.measures

    @property
    def per_topic(self) -> DataFrame:
        """A Spark DataFrame: a row for each run and topic that counts, a column a measure. Nothing is collected."""
        from pyspark.sql import functions

        counts = ~functions.isnan(quoted_name(str(self.measures[0])))
        return self._topics.where(counts).drop(SUMMARY)

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
        return summary

    @cached_property
    def _means(self) -> list[list[float]]:
        rows = zip(self.systems, self._summary.runs, self._summary.sums, strict=True)
        return [
            [
                self._plain(self._mean(system, measure, parts, topics), measure)
                for measure, parts, topics in zip(self.measures, sums, run.counted, strict=True)
            ]
            for system, run, sums in rows
        ]

    def _mean(self, system: str, measure: Measure, parts: list[float], topics: int) -> float:
        if adds_up(measure):
            return measure.of_sum(exact_sum(parts), topics) if topics else 0.0
        # what is no sum, as a median, is made of all values: eight bytes a topic come to this machine
        with plain_errors():
            column = self._topics.where(self._topics["run"] == system).select(quoted_name(str(measure)))
            values: Floats = column.toArrow().column(0).to_numpy()
        return measure.over_topics(values[~np.isnan(values)])

    def _plain(self, value: float, measure: Measure) -> float:
        return int(value) if isinstance(measure, Count) and value.is_integer() else value

    @cached_property
    def notes(self) -> list[str]:
        """What was decided on the user's behalf."""
        work, judged = self._work, self._summary.judged
        several = judged.annotated, judged.alternatives
        in_reading = [
            *self._in_reading,
            *notes_on_standards(judged.name, judged.topics.number, *several, work.annotators is not None),
            *(f"{judged.name}: {note}" for note in work.parts[0].notes),
        ]
        return notes_on(self._summary.runs, judged, self.measures, work.topics, work.rules, in_reading)

    @property
    def means(self) -> pl.DataFrame:
        """A polars frame: a row a run, a column a measure, over all topics."""
        import polars as pl

        names = ["run", *map(str, self.measures)]
        columns = [list(np.array(column)) for column in zip(*self._rows(), strict=True)]
        return pl.DataFrame(dict(zip(names, columns, strict=True)), strict=False)

    def __getitem__(self, asked: Any) -> float:
        """`scores["bm25", "AP"]` is the value over all topics; where there is only one run its name may be left out."""
        system, measure = asked if isinstance(asked, tuple) else (self.systems[0], asked)
        names = [str(each) for each in self.measures]
        name = measure if measure in names else str(measures_of(measure)[0])
        for given, known in ((system, self.systems), (name, names)):
            if given not in known:
                raise UsageError(f"{given} was not measured; there are {listed(known, 12)}")
        return self._means[self.systems.index(system)][names.index(name)]

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
        return Scores(self.systems, self.measures, topics, values, notes)

    def unpersist(self) -> None:
        """Lets Spark forget the values."""
        self._values.unpersist()

    def _rows(self) -> list[list[Any]]:
        return [[system, *means] for system, means in zip(self.systems, self._means, strict=True)]

    def show(self, layout: str = "text", digits: int = 4) -> str:
        """The values over all topics as text, tsv, csv, json, md, latex or html."""
        from assay.showing.layout import render

        names = [str(measure) for measure in self.measures]
        if layout == "json":
            import json

            records = [
                {"run": system, "measure": name, "topic": "all", "value": None if np.isinf(value) else value}
                for system, *means in self._rows()
                for name, value in zip(names, means, strict=True)
            ]
            return json.dumps(records, indent=1, ensure_ascii=False)
        return render(layout, ["run", *names], self._rows(), 1, digits)

    def __repr__(self) -> str:
        return "\n".join([self.show("text").rstrip(), *self.notes])

    def _repr_html_(self) -> str:
        from html import escape

        return self.show("html") + "".join(f"<p><small>{escape(note)}</small></p>" for note in self.notes)


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
