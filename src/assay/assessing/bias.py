"""How far a pool favours the runs from which it was made.

Assay removes the judgments that only one run, or one group of runs, contributed to the pool: how much does it lose, and
how many places? A new system, which contributed nothing, would lose as much (Zobel, How reliable are the results of
large-scale information retrieval experiments?, SIGIR 1998).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from assay.assessing.pool import TopicList, topic_lists
from assay.comparing.correlation import tau_b
from assay.errors import InputError, UsageError, count_noun, list_names
from assay.evaluation.evaluate import evaluate_runs
from assay.measures.base import Measure, MeasuresLike
from assay.measures.notation import one_measure
from assay.reading.given import given_runs
from assay.reading.read import opened_documents, read_judgments, whole_runs
from assay.showing.layout import render

if TYPE_CHECKING:
    import altair as alt

    from assay.charts import style
    from assay.reading.input_types import DocumentsLike, JudgmentsLike, RunsLike

Qrels = dict[str, dict[str, int]]
# The share of the first results that is judged, and how much higher RBP could be if all unjudged results were relevant.
JUDGED, RESIDUAL = one_measure("Judged@10"), one_measure("RBPresidual")


@dataclass(frozen=True)
class LeftOut:
    """A run, or a group of runs, without the judgments that only it contributed.

    `unique` is the number of relevant documents that only it contributed. `judged` and `residual` are Judged@10 and
    RBPresidual with all judgments; for a group, the means over its runs. `value` and `place` are those of the run, or
    of the best run of a group; `without` and `place_without` are the same without these judgments. `tau` compares the
    two orders of runs.
    """

    name: str
    group: bool
    unique: int
    judged: float
    residual: float
    value: float
    without: float
    place: int
    place_without: int
    tau: float

    @property
    def change(self) -> float:
        """How much the value changes."""
        return self.without - self.value


@dataclass(frozen=True, repr=False)
class PoolBias:
    """How much a pool owes to each run; `new_relevant` has the number of relevant documents that each depth adds."""

    measure: Measure
    depth: int
    left_out: list[LeftOut]
    new_relevant: list[int]
    notes: list[str] = field(default_factory=list)

    header = (
        "left out", "is", "unique relevant", "Judged@10", "RBPresidual", "value", "without", "change", "place",
        "place without", "tau",
    )  # fmt: skip

    def rows(self) -> list[list[Any]]:
        """Return a row for each run and each group."""
        return [
            [each.name, "group" if each.group else "run", each.unique, each.judged, each.residual, each.value,
             each.without, each.change, each.place, each.place_without, each.tau]
            for each in self.left_out
        ]  # fmt: skip

    def show(self, layout: str = "text", digits: int = 4) -> str:
        """Return the table as text, tsv, csv, json, md, latex or html."""
        if layout == "json":
            told = [dict(zip(self.header, row, strict=True)) for row in self.rows()]
            return json.dumps({"measure": str(self.measure), "depth": self.depth, "left out": told,
                               "new relevant by depth": self.new_relevant}, indent=1)  # fmt: skip
        worst = max((each for each in self.left_out), key=lambda each: abs(each.change))
        caption = (
            f"{self.measure} of each run or group, with all judgments and without those of documents that only it has "
            f"in its top {self.depth}; the largest change is {worst.change:+.4f} ({worst.name}). The deepest tenth of "
            f"the ranks found {share_of_last(self.new_relevant):.1%} of the relevant documents."
        )
        return render(layout, list(self.header), self.rows(), 2, digits, caption)

    def chart(self, **asked: Unpack[style.LookAsked]) -> alt.LayerChart:
        """Return a chart of the relevant documents that are found down to each depth."""
        import altair as alt

        from assay.charts import style

        look = style.look_of(asked)
        found = np.cumsum(self.new_relevant).tolist()
        rows = [{"depth": depth, "relevant": count} for depth, count in enumerate(found, 1)]
        line = alt.Chart().mark_line().encode(
            x=alt.X("depth:Q", title="depth of the pool"),
            y=alt.Y("relevant:Q", title="relevant documents found"),
            tooltip=[alt.Tooltip("depth:Q"), alt.Tooltip("relevant:Q")],
        )  # fmt: skip
        title = ["Relevant documents by depth", f"{found[-1] if found else 0:,} relevant documents in the pool"]
        return style.layered_chart({"line": line}, "pool_depth", title, look, style.inline(rows))

    def __repr__(self) -> str:
        return "\n".join([self.show().rstrip(), *self.notes])


def share_of_last(new: Sequence[int]) -> float:
    """Return the share of the relevant documents that the deepest tenth of the ranks contributed."""
    last = max(1, len(new) // 10)
    return sum(new[-last:]) / sum(new) if sum(new) else 0.0


def pool_bias(
    judgments: JudgmentsLike,
    runs: RunsLike,
    measure: MeasuresLike = "AP",
    *,
    depth: int = 100,
    groups: Mapping[str, str] | None = None,
    documents: DocumentsLike | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> PoolBias:
    """Measure how far judgments favour the runs that were pooled.

    measure: of whole documents. depth: how deep each run was pooled. groups: the group of each run, for example of the
    same team; each group is left out too.
    """
    asked = one_measure(measure)
    if depth < 1:
        raise UsageError(f"depth is {depth}; expected 1 or more")
    collection = opened_documents(documents)
    named = given_runs(runs, format)
    if len(named) < 2:
        raise UsageError("the bias of a pool needs two runs or more")
    read = whole_runs(named, collection, columns)
    lists = {name: topic_lists(run) for name, run in read.items()}
    judged = read_judgments(judgments, format, collection, columns=columns)
    qrels: Qrels = {}
    rows = zip(judged.topic.texts(), judged.document.texts(), judged.grade.tolist(), strict=True)
    for topic, document, grade in rows:
        qrels.setdefault(topic, {})[document] = grade
    teams = {} if groups is None else {group: [run for run in read if groups.get(run) == group] for group in
                                      dict.fromkeys(groups[run] for run in read if run in groups)}  # fmt: skip
    if groups is not None and (unknown := [run for run in groups if run not in read]):
        raise UsageError(f"unknown run {unknown[0]!r} in groups; choose from {list_names(list(read))}")
    if not any(grade > 0 for topic in qrels.values() for grade in topic.values()):
        raise InputError("the judgments have no relevant document", judged.name)
    bias = Bias(asked, depth, qrels, whole_documents(lists), lists)
    left_out = [bias.without([name], name, False) for name in read]
    left_out += [bias.without(members, group, True) for group, members in teams.items()]
    return PoolBias(asked, depth, left_out, bias.new_relevant(), notes_on(bias))


def whole_documents(lists: Mapping[str, Mapping[str, TopicList]]) -> dict[str, dict[str, dict[str, float]]]:
    """Return runs as dicts of documents, each scored by its first rank."""

    def ranked(documents: Sequence[str]) -> dict[str, float]:
        return {document: -float(rank) for rank, document in enumerate(documents)}

    return {name: {topic: ranked(one.documents) for topic, one in each.items()} for name, each in lists.items()}


def notes_on(bias: Bias) -> list[str]:
    """Return a note if runs have unjudged documents within the depth of the pool."""
    unjudged = sum(
        document not in bias.qrels.get(topic, {})
        for lists in bias.lists.values()
        for topic, each in lists.items()
        if topic in bias.qrels
        for document in each.documents[: bias.depth]
    )
    what = f"{count_noun(unjudged, 'document')} within the first {bias.depth} ranks of the runs are not judged"
    return [f"{what}; were the runs pooled that deep?"] if unjudged else []


class Bias:
    """The values of all runs with all judgments, and without some of them."""

    def __init__(
        self,
        measure: Measure,
        depth: int,
        qrels: Qrels,
        runs: dict[str, dict[str, dict[str, float]]],
        lists: dict[str, dict[str, TopicList]],
    ):
        self.measure, self.depth, self.qrels, self.runs, self.lists = measure, depth, qrels, runs, lists
        self.values, self.judged, self.residual = self._values(qrels, measure, JUDGED, RESIDUAL)

    def _values(self, qrels: Qrels, *measures: Measure) -> list[dict[str, float]]:
        """Return the value of each run by each measure."""
        scores = evaluate_runs(qrels, self.runs, list(measures)).scores
        return [{name: float(scores[name, measure]) for name in self.runs} for measure in measures]

    def pooled_by(self, runs: Sequence[str]) -> set[tuple[str, str]]:
        """Return the pairs of topic and document that runs have within the depth."""
        return {
            (topic, document)
            for run in runs
            for topic, each in self.lists[run].items()
            for document in each.documents[: self.depth]
        }

    def without(self, runs: Sequence[str], name: str, is_group: bool) -> LeftOut:
        """Return the effect of removing the judgments that only these runs contributed."""
        own = self.pooled_by(runs) - self.pooled_by([run for run in self.runs if run not in runs])
        # keep every topic, even if no judgment of it is left
        fewer = {
            topic: {document: grade for document, grade in grades.items() if (topic, document) not in own}
            or {next(iter(grades)): 0}
            for topic, grades in self.qrels.items()
        }
        unique = sum(self.qrels.get(topic, {}).get(document, 0) > 0 for topic, document in own)
        (less,) = self._values(fewer, self.measure)
        sign = -1 if self.measure.less_is_better else 1
        best = max(runs, key=lambda run: sign * self.values[run])
        order = [[values[run] for run in self.runs] for values in (self.values, less)]
        judged, residual = (float(np.mean([values[run] for run in runs])) for values in (self.judged, self.residual))
        return LeftOut(
            name, is_group, unique, judged, residual, self.values[best], less[best],
            place_of(best, self.values, sign), place_of(best, less, sign), tau_b(*order),
        )  # fmt: skip

    def new_relevant(self) -> list[int]:
        """Return, for each depth, how many relevant documents the runs add to those above."""
        first: dict[tuple[str, str], int] = {}
        for lists in self.lists.values():
            for topic, each in lists.items():
                for rank, document in enumerate(each.documents[: self.depth], 1):
                    if self.qrels.get(topic, {}).get(document, 0) > 0:
                        first[topic, document] = min(rank, first.get((topic, document), rank))
        counts = np.bincount(list(first.values()), minlength=self.depth + 1)[1:]
        return [int(count) for count in counts]


def place_of(run: str, values: Mapping[str, float], sign: int) -> int:
    """Return the place of a run among all; equal values have the same place. The sign is -1 if less is better."""
    return 1 + sum(sign * value > sign * values[run] for value in values.values())
