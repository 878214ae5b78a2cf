"""CeilingTable: what the best ranking of some chunks reaches, and what a run lost against it, as tables."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import UsageError, counted, listed
from assay.evaluation.ceilings import Ceilings
from assay.evaluation.score_table import ScoreTable
from assay.measures.base import Measure
from assay.measures.exact_sums import exact_sum
from assay.measures.notation import measures_of
from assay.ranking.chunked_corpus import ChunkSizes, GoldInChunks
from assay.tables.ids import Bools

if TYPE_CHECKING:
    import polars as pl

EXACT, BOUND = "exact", "at most"
LOSSES = ("retriever", "chunker", "budget")
LEGEND = "ceiling: the best that any ranking of these chunks could reach, mean over topics"
OF_RUNS = (
    "lost by the retriever: ceiling - value; by the chunker: what other chunks could have; "
    "by the budget: what none could"
)


@dataclass(frozen=True, eq=False, repr=False)
class CeilingTable:
    """What no ranking of the chunks surpasses, by measure and topic, and what runs have of it.

    `ceilings` tell which values a ranking is known to reach. `sizes` and `gold` tell of the chunks and of what they
    hold, `scores` are those of the runs, if there are any. `counts` are the topics that count where there is no run.
    """

    measures: list[Measure]
    topics: list[str]
    ceilings: Ceilings
    sizes: ChunkSizes
    gold: GoldInChunks
    counts: Bools
    scores: ScoreTable | None = None
    notes: list[str] = field(default_factory=list)

    def __getitem__(self, asked: Any) -> float:
        """`ceiling["R@5"]` is the mean over topics, `ceiling["R@5", "301"]` that of a topic."""
        measure, *topic = asked if isinstance(asked, tuple) else (asked,)
        names = [str(each) for each in self.measures]
        name = str(measure if isinstance(measure, Measure) else measures_of(measure)[0])
        if name not in names:
            raise UsageError(f"{name} has no ceiling here; there are {listed(names, 12)}")
        row = self.ceilings.values[names.index(name)]
        if not topic:
            return over_topics(row[self.counts])
        if str(topic[0]) not in self.topics:
            raise UsageError(f"no topic {str(topic[0])!r}; there are {listed(self.topics)}")
        return float(row[self.topics.index(str(topic[0]))])

    def records(self) -> list[dict[str, Any]]:
        """A record for each measure, or for each run and measure, over the topics that count."""
        if self.scores is None:
            named = enumerate(map(str, self.measures))
            return [{"measure": name, **self._ceiling(number, self.counts)} for number, name in named]
        return [
            {"run": run, "measure": str(measure), **self._lost(s, m)}
            for s, run in enumerate(self.scores.systems)
            for m, measure in enumerate(self.measures)
        ]

    def _ceiling(self, measure: int, counts: Bools) -> dict[str, Any]:
        is_exact = bool(self.ceilings.exact[measure][counts].all())
        return {"is": EXACT if is_exact else BOUND, "ceiling": over_topics(self.ceilings.values[measure][counts])}

    def _lost(self, system: int, measure: int) -> dict[str, Any]:
        assert self.scores is not None
        values = self.scores.values[system, measure]
        counts = ~np.isnan(values)
        ceiling, value = self._ceiling(measure, counts), over_topics(values[counts])
        possible = over_topics(self.ceilings.possible[measure][counts])
        lost = ceiling["ceiling"] - value, possible - ceiling["ceiling"], 1 - possible
        return {**ceiling, "value": value, **dict(zip(LOSSES, lost, strict=True))}

    def frame(self) -> pl.DataFrame:
        """A polars frame: a row for each topic and measure, and for each run with its value, where there are runs."""
        import polars as pl

        rows: list[dict[str, Any]] = []
        systems = [None] if self.scores is None else range(len(self.scores.systems))
        for s in systems:
            for m, measure in enumerate(self.measures):
                for t, topic in enumerate(self.topics):
                    row: dict[str, Any] = {"topic": topic, "measure": str(measure)}
                    row |= {"ceiling": self.ceilings.values[m, t], "exact": bool(self.ceilings.exact[m, t])}
                    if s is not None and self.scores is not None:
                        row = {"run": self.scores.systems[s], **row, "value": self.scores.values[s, m, t]}
                    rows.append(row)
        return pl.DataFrame(rows)

    def facts(self) -> list[tuple[str, str]]:
        """What there is to say of the chunks, of the excerpts and of the gold, a line each."""
        sizes, gold = self.sizes, self.gold
        repeated = f"{in_percent(sizes.repeated, sizes.characters)} of their text stands in an earlier one too"
        overlap = repeated if sizes.repeated else "no text stands in two of them"
        lengths = f"{sizes.least:,} to {sizes.most:,} characters (median {sizes.median:,.15g}, mean {sizes.mean:,.1f})"
        pieces = f"{gold.in_pieces:,} ({in_percent(gold.in_pieces, gold.excerpts)}) only in pieces of several"
        return [
            ("chunks", f"{sizes.chunks:,} of {counted(sizes.documents, 'document')}, {lengths}; {overlap}"),
            ("excerpts", f"{gold.excerpts:,}: {gold.whole:,} whole in a chunk, {pieces}, {gold.nowhere:,} in no chunk"),
            (
                "gold",
                f"{counted(gold.characters, 'character')}, {gold.in_no_chunk:,} of them "
                f"({in_percent(gold.in_no_chunk, gold.characters)}) in no chunk; "
                f"excerpts that no chunk holds have {in_percent(gold.cut, gold.listed)} of the text",
            ),
        ]

    def show(self, layout: str = "text", digits: int = 4) -> str:
        """The table as text, tsv, csv, json, md, latex or html. Files of rows (tsv, csv) have no more than the rows."""
        records = self.records()
        if layout == "json":
            whole = {"chunks": asdict(self.sizes), "gold": asdict(self.gold), "ceilings": records}
            return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"
        from assay.showing.layout import render

        header = list(records[0])
        labels = header.index("ceiling")
        told = [f"{what:<8}  {facts}" for what, facts in self.facts()]
        caption = LEGEND if self.scores is None else f"{LEGEND}\n{OF_RUNS}"
        rows = [list(record.values()) for record in records]
        if layout == "text":
            return "\n".join([*told, "", render(layout, header, rows, labels, digits, caption)])
        facts = "; ".join([f"{what}: {facts}" for what, facts in self.facts()])
        return render(layout, header, rows, labels, digits, f"{facts}; {caption}".replace("\n", "; "))

    def __repr__(self) -> str:
        return "\n".join([self.show("text").rstrip(), *self.notes])

    def _repr_html_(self) -> str:
        from html import escape

        return self.show("html") + "".join(f"<p><small>{escape(note)}</small></p>" for note in self.notes)


def over_topics(values: Any) -> float:
    """The mean over topics; 0 of none."""
    return exact_sum(values) / len(values) if len(values) else 0.0


def in_percent(part: int, whole: int) -> str:
    """A part in percent."""
    return f"{100 * part / whole:.1f} %" if whole else "0 %"
