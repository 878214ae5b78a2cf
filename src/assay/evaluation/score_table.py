"""ScoreTable: a value for every system, measure and topic; it computes means and makes tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress, groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from assay.errors import UsageError, list_names
from assay.measures.base import Count, Measure, MeasureLike, MeasuresLike
from assay.measures.notation import is_measure, one_measure
from assay.showing.shown import Shown
from assay.tables.ids import Floats

if TYPE_CHECKING:
    import polars as pl

    from assay.evaluation.checked import Checked, Correction
    from assay.evaluation.groups import Groups

ALL = "all"


class MeanTable(Shown):
    """Systems x measures: values over all topics, and over each group of topics if there are groups."""

    systems: list[str]
    measures: list[Measure]

    if TYPE_CHECKING:

        @property
        def notes(self) -> list[str]:
            """What Assay decided for the user."""

    @property
    def _group_label(self) -> str | None:
        """What the groups of topics are; None if there are no groups."""
        raise NotImplementedError

    @property
    def _group_names(self) -> list[str]:
        """The groups of topics, in order."""
        raise NotImplementedError

    def _over_topics(self, system: int, measure: int, group: str | None = None) -> float:
        """Return the value over all topics, or over the topics of a group."""
        raise NotImplementedError

    def _only_system(self) -> str:
        if len(self.systems) != 1:
            raise UsageError(f"several runs; name one of {list_names(self.systems)}")
        return self.systems[0]

    def _system(self, name: str) -> int:
        if name not in self._system_numbers:
            raise UsageError(f"no run {name!r}; choose from {list_names(self.systems)}")
        return self._system_numbers[name]

    def _measure(self, asked: MeasuresLike) -> int:
        is_name = isinstance(asked, str) and asked in self._measure_numbers
        name = asked if is_name else str(asked if isinstance(asked, Measure) else one_measure(asked))
        if name not in self._measure_numbers:
            raise UsageError(f"{name} was not measured; choose from {list_names(list(self._measure_numbers), 12)}")
        return self._measure_numbers[name]

    @cached_property
    def _system_numbers(self) -> dict[str, int]:
        return number_by_name(self.systems)

    @cached_property
    def _measure_numbers(self) -> dict[str, int]:
        return number_by_name(map(str, self.measures))

    def _plain(self, value: float, measure: int) -> float:
        return int(value) if isinstance(self.measures[measure], Count) and value.is_integer() else value

    @property
    def means(self) -> pl.DataFrame:
        """A polars frame of values over all topics: one row per system, one column per measure."""
        import polars as pl

        return pl.DataFrame(self._columns(self._mean_rows(), ["run"]), strict=False)

    @property
    def per_group(self) -> pl.DataFrame:
        """A polars frame: one row per system and group of topics, and one over all topics; one column per measure."""
        import polars as pl

        if self._group_label is None:
            raise UsageError("the topics have no groups; pass by= to evaluate")
        return pl.DataFrame(self._columns(self._group_rows(), ["run", self._group_label]), strict=False)

    def _columns(self, rows: list[list[Any]], labels: list[str]) -> dict[str, Any]:
        columns = [*labels, *map(str, self.measures)]
        values = zip(*rows, strict=True) if rows else [()] * len(columns)
        # numpy gives a column whole numbers only if all its values are whole
        return {name: list(np.array(column)) for name, column in zip(columns, values, strict=True)}

    def _mean_rows(self) -> list[list[Any]]:
        columns = range(len(self.measures))
        return [[system, *(self._over_topics(s, m) for m in columns)] for s, system in enumerate(self.systems)]

    def _group_rows(self) -> list[list[Any]]:
        columns, rows = range(len(self.measures)), []
        for s, system in enumerate(self.systems):
            rows += [[system, group, *(self._over_topics(s, m, group) for m in columns)] for group in self._group_names]
            rows.append([system, ALL, *(self._over_topics(s, m) for m in columns)])
        return rows

    def _records_of(self, system: int, measure: int) -> Iterator[dict[str, Any]]:
        told = {"run": self.systems[system], "measure": str(self.measures[measure])}
        for group in self._group_names:
            yield told | {"group": group, "topic": ALL, "value": self._over_topics(system, measure, group)}
        yield told | {"topic": ALL, "value": self._over_topics(system, measure)}

    def _shown_means(self, layout: str, digits: int) -> str:
        """Return the values over topics as text, tsv, csv, md, latex or html."""
        from assay.showing.layout import render

        names, legend = self._headings(layout)
        if self._group_label is not None:
            return render(layout, ["run", self._group_label, *names], self._group_rows(), 2, digits, legend)
        return render(layout, ["run", *names], self._mean_rows(), 1, digits, legend)

    def _headings(self, layout: str) -> tuple[list[str], str]:
        """Return the headings of the measures, and the legend of what they leave out."""
        names = [str(measure) for measure in self.measures]
        if layout != "text":
            return names, ""
        from assay.showing.layout import legend_of, shared_headings

        headings = shared_headings(names)
        return [headings[name] for name in names], legend_of(headings)

    def show(self, layout: str = "text") -> str:
        """Return the values as text, tsv, csv, json, md, latex or html."""
        raise NotImplementedError


def records_in_json(records: Iterable[dict[str, Any]]) -> str:
    """Return records as JSON."""
    import json

    written = [record | {"value": in_json(record["value"])} for record in records]
    return json.dumps(written, indent=1, ensure_ascii=False)


# JSON has no infinity; a missing value is null.
INFINITE = "infinite"


def in_json(value: float) -> float | str | None:
    """Return a value for JSON."""
    return None if math.isnan(value) else INFINITE if math.isinf(value) else value


def number_by_name(names: Iterable[str]) -> dict[str, int]:
    """Return the number of each name, from 0; a name that occurs twice has the number of the first."""
    numbered: dict[str, int] = {}
    for number, name in enumerate(names):
        numbered.setdefault(name, number)
    return numbered


Own = TypeVar("Own", bound="ScoreTable")


class GivenInputs(NamedTuple):
    """The judgments, the runs and the rules that scores were computed from.

    What scores do not contain, for example the results themselves, is computed from them again; files are read again.
    """

    judgments: Any
    runs: Any
    rules: Mapping[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable(MeanTable):
    """values[system, measure, topic]; NaN if a topic does not count for a system. `notes` say what Assay decided.

    If topics have `groups`, the tables have one row per group before the row over all topics. If people `checked` the
    judgments of a model, values over topics are corrected.
    """

    systems: list[str]
    measures: list[Measure]
    topics: list[str]
    values: Floats
    notes: list[str] = field(default_factory=list)
    groups: Groups | None = None
    checked: Checked | None = None

    def __getitem__(self, asked: Any) -> Any:
        """`scores["bm25", "AP"]` is the value over all topics, `scores["bm25", "AP", "301"]` that of one topic.

        If there is only one run its name may be left out.
        """
        if not isinstance(asked, tuple) or (len(asked) == 2 and self._is_of_the_only_run(*asked)):
            asked = (self._only_system(), *(asked if isinstance(asked, tuple) else [asked]))
        if not 2 <= len(asked) <= 3:
            raise UsageError("expected scores[run, measure] or scores[run, measure, topic]")
        system, measure, *topic = asked
        at = self._system(system), self._measure(measure)
        return float(self.values[(*at, self._topic(str(topic[0])))]) if topic else self._over_topics(*at)

    __iter__ = None  # what would it go through? records() is there for going through

    def _is_of_the_only_run(self, first: object, second: object) -> bool:
        """Return whether two names are a measure and a topic, not a run and a measure."""
        if len(self.systems) != 1 or first == self.systems[0]:
            return False
        is_run = isinstance(first, str) and first not in self._measure_numbers and not is_measure(first)
        return not is_run and (str(second) in self._topic_numbers or str(second) not in self._measure_numbers)

    def _topic(self, name: str) -> int:
        if name not in self._topic_numbers:
            raise UsageError(f"no topic {name!r}; choose from {list_names(self.topics)}")
        return self._topic_numbers[name]

    @cached_property
    def _topic_numbers(self) -> dict[str, int]:
        return number_by_name(self.topics)

    def of_group(self: Own, name: str) -> Own:
        """Return the scores of the topics of a group."""
        if self.groups is None or name not in self.groups.names:
            there = (
                "the topics have no groups" if self.groups is None else f"choose from {list_names(self.groups.names)}"
            )
            raise UsageError(f"no group {name!r}; {there}")
        kept = self.groups.topics(name)
        topics = list(compress(self.topics, kept))
        checked = self.checked and self.checked.of_topics(kept)
        return replace(self, topics=topics, values=self.values[:, :, kept], groups=None, checked=checked)

    @property
    def _group_label(self) -> str | None:
        return self.groups.name if self.groups else None

    @property
    def _group_names(self) -> list[str]:
        return self.groups.names if self.groups else []

    def _over_topics(self, system: int, measure: int, group: str | None = None) -> float:
        if (correction := self._correction(system, measure, group)) is not None:
            return correction.value
        values = self.values[system, measure]
        if self.groups is not None and group is not None:
            values = values[self.groups.topics(group)]
        return self._plain(self.measures[measure].over_topics(values[~np.isnan(values)]), measure)

    def _correction(self, system: int, measure: int, group: str | None = None) -> Correction | None:
        """Return the corrected value over topics; None if people checked nothing."""
        if self.checked is None or not self.checked.corrects(measure):
            return None
        among = self.groups.topics(group) if self.groups is not None and group is not None else None
        return self.checked.correction(system, measure, among=among)

    def correction(self, run: str, measure: MeasureLike) -> Correction:
        """Return the corrected value of a run, with its interval, and the values of people and of the model alone."""
        found = self._correction(self._system(run), self._measure(measure))
        if found is None:
            raise UsageError(f"{measure} has no values checked by people; pass checked= to evaluate")
        return found

    def corrected_difference(self, first: str, second: str, measure: MeasureLike) -> Correction | None:
        """Return the corrected difference of two runs, which has its own weight λ; None if people checked nothing."""
        at = self._measure(measure)
        if self.checked is None or not self.checked.corrects(at):
            return None
        return self.checked.correction(self._system(first), at, minus=self._system(second))

    @property
    def corrections(self) -> pl.DataFrame:
        """A polars frame: a row for each system and measure with its corrected value, its interval, and the model's and
        people's own values.
        """
        import polars as pl

        if self.checked is None:
            raise UsageError("these scores have no values checked by people; pass checked= to evaluate")
        return pl.DataFrame([each for each in self.records() if "model" in each], infer_schema_length=None)

    @property
    def per_topic(self) -> pl.DataFrame:
        """A polars frame: one row per system and topic, one column per measure."""
        import polars as pl

        return pl.DataFrame(self._columns(self._topic_rows(), ["run", "topic"]), strict=False)

    def curve(self, measure: MeasureLike) -> pl.DataFrame:
        """Return a polars frame of a measure at all points of its `assay.curve`: one row per system and point."""
        import polars as pl

        from assay.measures.curves import points

        curved = one_measure(measure)
        name, where = points(curved)
        places = [self._measure(curved @ point) for point in where]
        rows = [
            (system, point, self._over_topics(s, number))
            for s, system in enumerate(self.systems)
            for point, number in zip(where, places, strict=True)
        ]
        return pl.DataFrame(rows, schema=["run", name, str(curved @ where[0]).rpartition("@")[0]], orient="row")

    def to_pandas(self, per_topic: bool = False) -> Any:
        """Return the means, or the values of each topic, as a pandas frame."""
        try:
            import pandas as pd
        except ModuleNotFoundError:
            raise UsageError("to_pandas needs pandas: pip install pandas") from None

        rows = self._topic_rows() if per_topic else self._mean_rows()
        labels = ["run", "topic"] if per_topic else ["run"]
        return pd.DataFrame(rows, columns=[*labels, *map(str, self.measures)])

    def records(self, per_topic: bool = False) -> Iterator[dict[str, Any]]:
        """Return a record per value: run, measure, topic, value; means have the topic `all`, group means a `group`."""
        for s, system in enumerate(self.systems):
            for m, measure in enumerate(self.measures):
                topics = zip(self.topics, self.values[s, m].tolist(), strict=True) if per_topic else ()
                kept = [(topic, self._plain(value, m)) for topic, value in topics if value == value]
                told = {"run": system, "measure": str(measure)}
                yield from (told | {"topic": topic, "value": value} for topic, value in kept)
                yield from self._records_of(s, m)

    def _records_of(self, system: int, measure: int) -> Iterator[dict[str, Any]]:
        less = self.measures[measure].less_is_better
        for record in super()._records_of(system, measure):
            correction = self._correction(system, measure, record.get("group"))
            yield record if correction is None else record | correction.record(less)

    def _shown_means(self, layout: str, digits: int) -> str:
        """Return the values over topics; if people checked them, a row per value also has people's and the model's."""
        if self.checked is None:
            return super()._shown_means(layout, digits)
        from assay.evaluation.checked import shown_cells
        from assay.showing.layout import EXACT, render

        labels = ["run", "measure", *([] if self.groups is None else [self.groups.name])]
        names: list[str] = []
        rows: list[list[Any]] = []
        for record in self.records():
            told = [record["run"], record["measure"], *([] if self.groups is None else [record.get("group", ALL)])]
            cells = shown_cells(record, layout in EXACT, digits)
            names = list(cells)
            rows.append([*told, *cells.values()])
        noun = self.checked.noun
        legend = (
            f"value: corrected, {self.checked.about}; model, people: with the judgments of each alone; λ: weight of "
            f"the model; worth: how many more {noun}s people would have to judge without the model"
        )
        return render(layout, [*labels, *names], rows, len(labels), digits, legend)

    def _topic_rows(self) -> list[list[Any]]:
        rows = []
        for s, system in enumerate(self.systems):
            counted = ~np.isnan(self.values[s]).all(axis=0)
            for t in np.flatnonzero(counted):
                values = (self._plain(value, m) for m, value in enumerate(self.values[s, :, t].tolist()))
                rows.append([system, self.topics[t], *values])
        return rows

    def show(self, layout: str = "text", per_topic: bool = False, digits: int = 4) -> str:
        """Return the scores as text, tsv, csv, json, md, latex or html."""
        if layout == "json":
            return records_in_json(self.records(per_topic))
        if not per_topic:
            return self._shown_means(layout, digits)
        from assay.showing.layout import render

        names, legend = self._headings(layout)
        if self.checked is not None:
            of_topics = "topics: by people's judgments where they judged, and by the model's elsewhere"
            legend = "; ".join(filter(None, [legend, of_topics, f"{ALL}: corrected, {self.checked.about}"]))
        if self.groups is not None:
            rows = self._rows_by_group(self.groups)
            return render(layout, ["run", self.groups.name, "topic", *names], rows, 3, digits, legend)
        rows = []
        topics = {system: list(values) for system, values in groupby(self._topic_rows(), key=lambda row: row[0])}
        for system, *means in self._mean_rows():
            rows += [*topics.get(system, []), [system, ALL, *means]]
        return render(layout, ["run", "topic", *names], rows, 2, digits, legend)

    def _rows_by_group(self, groups: Groups) -> list[list[Any]]:
        """Return the rows of each system: the topics of each group, then its value; the overall value is last."""
        of_topic = dict(zip(self.topics, groups.of_topic, strict=True))
        by_group: dict[tuple[str, str], list[list[Any]]] = {}
        for system, topic, *values in self._topic_rows():
            by_group.setdefault((system, of_topic[topic]), []).append([system, of_topic[topic], topic, *values])
        rows = []
        for system, group, *values in self._group_rows():
            # topics without a group come just before the value over all topics
            rows += by_group.get((system, "" if group == ALL else group), [])
            rows.append([system, group, ALL, *values])
        return rows
