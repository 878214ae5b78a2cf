"""What a run returned, best first, with what is known of each result by the kind of its ranking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from assay.measures.base import Measure
from assay.ranking.align import Aligned, Returned
from assay.ranking.document_ranking import Values
from assay.ranking.kinds import DOCUMENTS, ELEMENTS, SAMPLED, SUBTOPICS, TEXT, Kind
from assay.reporting.element_worth import valuations, worth
from assay.tables.ids import Bools, Floats, Ids, Ints
from assay.tables.intervals import Spans
from assay.tables.run import Run


@dataclass(frozen=True, eq=False, repr=False)
class Listing:
    """The results of some topics, best first: a row a result, those of the n-th of `topics` from `starts[n]` on.

    `judged` is the judgment of the document, -1 where there is none. What is not known of a run, or means nothing for
    it, is None: `gain` and `size` in characters; `pieces`, the text that was not seen before; of elements whether they
    are `relevant`, and `worth`, what they gave in each way in which the measures value them.
    """

    topics: Ints
    starts: Ints
    document: Ids
    judged: Ints
    start: Ints | None = None
    end: Ints | None = None
    path: list[str] | None = None
    gain: Values | None = None
    size: Ints | None = None
    pieces: Spans | None = None
    relevant: Bools | None = None
    worth: list[Floats] | None = None

    @cached_property
    def rank(self) -> Ints:
        """The rank of each result."""
        return np.arange(self.starts[-1]) - np.repeat(self.starts[:-1], np.diff(self.starts)) + 1


def listed_results(aligned: Aligned, kind: Kind, measures: list[Measure]) -> Listing:
    """The results that were measured, with what is known of each by the ranking of its kind."""
    returned = aligned.returned()
    known = FACTS[kind](returned, aligned.ranking, measures)
    return Listing(aligned.topics, returned.starts, returned.run.document[returned.row], returned.judged, **known)


def of_documents(returned: Returned, ranking: Any, measures: list[Measure]) -> dict[str, Any]:
    """Of documents nothing more is known."""
    return {}


def text_columns(returned: Returned, ranking: Any, measures: list[Measure]) -> dict[str, Any]:
    """The characters that count, and how many of them are highlighted, as the measures have them."""
    places = {"start": ranking.start, "end": ranking.end, "path": paths(returned.run, returned.row)}
    return places | {"gain": ranking.found, "size": ranking.size, "pieces": ranking.pieces[ranking.fresh]}


def element_columns(returned: Returned, ranking: Any, measures: list[Measure]) -> dict[str, Any]:
    """Whether each element is relevant, what it gave to the measures, and its characters where they are known."""
    run, row = returned.run, returned.row
    start, end = (None, None) if run.start is None or run.end is None else (run.start[row], run.end[row])
    gave = [worth(ranking, valuation) for valuation in valuations(measures)]
    known = {"path": ranking.path, "size": ranking.size, "relevant": ranking.worth("gen") > 0, "worth": gave}
    return {"start": start, "end": end, **known}


FACTS: dict[Kind, Callable[[Returned, Any, list[Measure]], dict[str, Any]]] = {
    DOCUMENTS: of_documents,
    SUBTOPICS: of_documents,
    SAMPLED: of_documents,
    TEXT: text_columns,
    ELEMENTS: element_columns,
}


def paths(run: Run, rows: Ints) -> list[str] | None:
    """The paths of some results; a passage runs from one to another."""
    if run.path is None:
        return None
    begin = run.path[rows].texts()
    if run.last is None:
        return begin
    return [" to ".join(filter(None, ends)) for ends in zip(begin, run.last[rows].texts(), strict=True)]
