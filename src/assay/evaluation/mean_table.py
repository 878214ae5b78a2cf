"""MeanTable: a value over topics for every system and measure, whether the values of topics are at hand or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import UsageError, listed
from assay.measures.base import Count, Measure
from assay.measures.notation import measures_of

if TYPE_CHECKING:
    import polars as pl

ALL = "all"


class MeanTable:
    """Systems x measures: values over all topics, and over each group of them where topics have groups."""

    systems: list[str]
    measures: list[Measure]

    if TYPE_CHECKING:

        @property
        def notes(self) -> list[str]:
            """What was decided on the user's behalf."""

    @property
    def _group_label(self) -> str | None:
        """What the groups of topics are; None where there are none."""
        raise NotImplementedError

    @property
    def _group_names(self) -> list[str]:
        """The groups of topics, in order."""
        raise NotImplementedError

    def _over_topics(self, system: int, measure: int, group: str | None = None) -> float:
        """The value over all topics, or over those of a group."""
        raise NotImplementedError

    def _only_system(self) -> str:
        if len(self.systems) != 1:
            raise UsageError(f"which run? there are {listed(self.systems)}")
        return self.systems[0]

    def _system(self, name: str) -> int:
        if name not in self._system_numbers:
            raise UsageError(f"no run {name!r}; there are {listed(self.systems)}")
        return self._system_numbers[name]

    def _measure(self, asked: Any) -> int:
        is_name = isinstance(asked, str) and asked in self._measure_numbers
        name = asked if is_name else str(asked if isinstance(asked, Measure) else measures_of(asked)[0])
        if name not in self._measure_numbers:
            raise UsageError(f"{name} was not measured; there are {listed(list(self._measure_numbers), 12)}")
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
        """A polars frame: a row a system, a column a measure, over all topics."""
        import polars as pl

        return pl.DataFrame(self._columns(self._mean_rows(), ["run"]), strict=False)

    @property
    def per_group(self) -> pl.DataFrame:
        """A polars frame: a row for each system and group of topics, and one over all topics, a column a measure."""
        import polars as pl

        if self._group_label is None:
            raise UsageError("the topics have no groups; give by= to evaluate")
        return pl.DataFrame(self._columns(self._group_rows(), ["run", self._group_label]), strict=False)

    def _columns(self, rows: list[list[Any]], labels: list[str]) -> dict[str, Any]:
        columns = [*labels, *map(str, self.measures)]
        values = zip(*rows, strict=True) if rows else [()] * len(columns)
        # a column of counts holds whole numbers only if all of them are
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
        """The values over topics as text, tsv, csv, md, latex or html."""
        from assay.showing.layout import render

        names = [str(measure) for measure in self.measures]
        if self._group_label is not None:
            return render(layout, ["run", self._group_label, *names], self._group_rows(), 2, digits)
        return render(layout, ["run", *names], self._mean_rows(), 1, digits)

    def show(self, layout: str = "text") -> str:
        """The values as text, tsv, csv, json, md, latex or html."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n".join([self.show("text").rstrip(), *self.notes])

    def _repr_html_(self) -> str:
        from html import escape

        return self.show("html") + "".join(f"<p><small>{escape(note)}</small></p>" for note in self.notes)


def records_in_json(records: Iterable[dict[str, Any]]) -> str:
    """Values as a list of records in JSON, which has no infinity."""
    import json

    finite = [record | ({"value": None} if np.isinf(record["value"]) else {}) for record in records]
    return json.dumps(finite, indent=1, ensure_ascii=False)


def number_by_name(names: Iterable[str]) -> dict[str, int]:
    """The number of each name, from 0; of one that comes again that of the first."""
    numbered: dict[str, int] = {}
    for number, name in enumerate(names):
        numbered.setdefault(name, number)
    return numbered
