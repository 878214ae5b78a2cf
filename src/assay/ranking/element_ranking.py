"""ElementRanking: the ranking of elements, and what its results give at each level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from assay.errors import InputError, UsageError
from assay.ranking.document_ranking import Ranking
from assay.ranking.element_gains import Gained, View, discount, sorted_gains, with_gain
from assay.ranking.element_trees import Base
from assay.ranking.element_values import SeenElements
from assay.ranking.quantisations import Quantisation
from assay.tables.ids import Bools, Floats, Ints, each_once


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ElementRanking(Ranking):
    """The results of some topics, elements of documents, best first: a row a result.

    `row` is the row of the run that it is, `element` its number among the assessed ones, `document` the judgment of
    its document (-1 is none), `group` tells the results of one document in one topic, `which_path` which of the `paths`
    it has, `size` its characters (-1 is not known). `first_of` are the first rows of their documents, `tied` those
    whose score is that of the row above.
    """

    row: Ints
    element: Ints
    document: Ints
    group: Ints
    paths: list[str]
    which_path: Ints
    size: Ints
    first_of: Bools
    tied: Bools
    base: Base
    topics: Ints
    name: str
    by_view: dict[Any, Gained] = field(default_factory=dict)

    @cached_property
    def path(self) -> list[str]:
        """The path of each row."""
        return [self.paths[number] for number in self.which_path.tolist()]

    def gains(self, view: View, level: str = "") -> Gained:
        """What the results give by a view; the level may be that of articles, or of the elements of each article."""
        key = (view, level)
        if key not in self.by_view:
            self.by_view[key] = LEVELS[level](self, view)
        return self.by_view[key]

    def worth(self, quant: Quantisation) -> Floats:
        """The quantised score of each row."""
        value = self.base.quantised(quant)
        return np.where(self.element >= 0, value[self.element], 0.0) if len(value) else np.zeros(len(self.element))

    def top(self, k: Ints | int | None) -> ElementRanking:
        """The first k results."""
        return super().top(k)  # type: ignore[return-value]

    def keep(self, kept: Bools) -> ElementRanking:
        """The ranking with only some of its rows."""
        rows = np.flatnonzero(kept)
        names = "rank", "grade", "row", "element", "document", "group", "which_path", "size", "first_of", "tied"
        columns = {name: getattr(self, name)[rows] for name in names}
        starts = np.append(0, np.cumsum(kept))[self.starts]
        return replace(self, starts=starts, by_view={}, **columns)

    @cached_property
    def places(self) -> Ints:
        """The place in this ranking of each of all topics; of those that are not in it a place behind all others."""
        places = np.full(self.base.topics, len(self))
        places[self.topics] = np.arange(len(self))
        return places

    def gain(self, view: View) -> Floats:  # type: ignore[override]
        """What each row gives."""
        if view.overlap == "on":
            return self.granted(view)
        return self.worth(view.quant) * discount(view, self.rank)

    def unseen(self) -> Ints:
        """The characters of each row that no row above it has."""
        if np.any(self.size < 0):
            at = int(np.flatnonzero(self.size < 0)[0])
            what = f"the size of {self.path[at]}, at rank {self.rank[at]}, is not known"
            raise InputError(f"{what}; give documents=", self.name)
        unseen = np.zeros(len(self.size), np.int64)
        for rows in self._by_document():
            seen = SeenElements()
            for row in rows:
                unseen[row] = seen.unseen(self.path[row], int(self.size[row]))
                seen.add(self.path[row], int(self.size[row]))
        return unseen

    def _by_document(self) -> list[list[int]]:
        """The rows of each document of each topic."""
        order = np.argsort(self.group, kind="stable")
        fences = np.flatnonzero(np.diff(self.group[order])) + 1
        return [rows.tolist() for rows in np.split(order, fences)] if len(order) else []

    def granted(self, view: View) -> Floats:
        """What each row gives where overlap counts: its relevance value, or what ideal elements near it have left."""
        value = self.base.quantised(view.quant).tolist()
        near = self.base.near(view.quant, view.rule)
        relevant = set(each_once(self.base.elements.row[self.base.full(view.quant)]).tolist())
        worth, gain = view.value, np.zeros(len(self.rank))
        element, rank, size = self.element.tolist(), self.rank.tolist(), self.size.tolist()
        for rows in self._by_document():
            if self.document[rows[0]] not in relevant:
                continue
            seen = SeenElements()
            left: dict[int, float] = {}
            for row in rows:
                at = element[row]
                if at >= 0 and value[at] > 0:
                    ideals = near[at]
                    bound = sum(left.setdefault(ideal, value[ideal]) for ideal in ideals)
                    gain[row] = min(relevance_value(worth(self.base, value, at, seen, rank[row])), bound)
                    # what is granted above an ideal element does not count as granted within it
                    if len(ideals) == 1 and not self._is_above(at, ideals[0]):
                        rest = left[ideals[0]] - gain[row]
                        # what rounding leaves over is nothing that a later element could give
                        left[ideals[0]] = rest if rest > 1e-12 * value[ideals[0]] else 0.0
                seen.add(self.path[row], size[row])
        return gain

    def _is_above(self, at: int, other: int) -> bool:
        path = self.base.elements.path
        return at != other and path[other].startswith(path[at] + "/")


def relevance_value(value: float) -> float:
    """A relevance value, if it is one."""
    if not 0 <= value < np.inf:
        raise UsageError(f"a relevance value must be a number of at least 0; it was {value!r}")
    return value


def of_elements(ranking: ElementRanking, view: View) -> Gained:
    """What each element gives, against the recall-base of its topic."""
    behind = ranking.base.behind(view.quant, view.overlap, view.rule)
    ideal, missed = best(behind, ranking.places[ranking.base.topic], ranking, view)
    return with_gain(ranking, ranking.gain(view), ideal, missed)


def of_articles(ranking: ElementRanking, view: View) -> Gained:
    """What the article of each result gives, at its first result, against the articles with a relevant element.

    An article gives the quantised score of its root, and so perhaps nothing.
    """
    base, value = ranking.base, ranking.base.quantised(view.quant)
    relevant, own = np.zeros(base.documents + 1, bool), np.zeros(base.documents + 1)
    relevant[base.elements.row[value > 0]] = True
    own[base.elements.row[base.roots]] = value[base.roots]
    first, document = ranking.first_of, ranking.document
    gain = np.where(first & relevant[document], own[document], 0.0)
    missed = relevant.copy()
    missed[document] = False
    place = np.append(ranking.places[base.topic_of_document], len(ranking))
    here = relevant & (place < len(ranking))
    ideal = sorted_gains(place[here], own[here], len(ranking))
    articles = replace(ranking, rank=ranking.running(first), retrieved=ranking.total(first))
    return with_gain(articles, gain, ideal, np.bincount(place[missed & here], minlength=len(ranking)))


def of_clusters(ranking: ElementRanking, view: View) -> Gained:
    """What the elements of each article with relevant ones give, as if it were a topic of its own."""
    base = ranking.base
    behind = base.behind(view.quant, view.overlap, view.rule)
    relevant = np.zeros(base.documents + 1, bool)
    relevant[base.elements.row[behind]] = True
    rows = np.flatnonzero(relevant[ranking.document])
    documents = each_once(ranking.document[rows])
    rows = rows[np.lexsort((ranking.rank[rows], ranking.document[rows]))]
    starts = np.searchsorted(ranking.document[rows], np.append(documents, base.documents + 1))
    lengths = np.diff(starts)
    rank = np.arange(len(rows)) - np.repeat(starts[:-1], lengths) + 1
    clusters = Ranking(starts, rank, np.zeros(len(rows), np.int64), lengths)
    within = np.ones(len(ranking.rank), np.int64)
    within[rows] = rank
    place = np.full(base.documents + 1, len(documents))
    place[documents] = np.arange(len(documents))
    ideal, missed = best(behind, place[base.elements.row], ranking, view, len(documents))
    of_topic = ranking.each(np.arange(len(ranking)))[rows[starts[:-1]]] if len(rows) else rows
    gain = replace(ranking, rank=within).gain(view)[rows]
    return replace(with_gain(clusters, gain, ideal, missed), cluster=of_topic, topics=len(ranking))


def best(
    behind: Bools, group: Ints, ranking: ElementRanking, view: View, groups: int | None = None
) -> tuple[Gained, Ints]:
    """The best ranking of the elements behind the ideal vector, by group, and how many of them were never returned."""
    groups = len(ranking) if groups is None else groups
    here = behind & (group < groups)
    missed = here.copy()
    missed[ranking.element[ranking.element >= 0]] = False
    ideal = sorted_gains(group[here], ranking.base.quantised(view.quant)[here], groups, view)
    return ideal, np.bincount(group[missed], minlength=groups)


LEVELS: dict[str, Callable[[ElementRanking, View], Gained]] = {
    "": of_elements,
    "article": of_articles,
    "element": of_clusters,
}
