"""ElementRanking: a ranking of elements, and the gains of its results for elements and articles."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from assay.errors import InputError, UsageError
from assay.ranking.documents import Ranking, Trace, Values, ratio
from assay.ranking.element_trees import RULES, Base, Quantisation, ancestors
from assay.tables.ids import Bools, Floats, Ints, each_once

# The value of an assessed element after others were seen.


class SeenElements:
    """The elements of a document that were returned so far, which the reader has seen."""

    def __init__(self) -> None:
        self.returned: set[str] = set()
        self.inside: dict[str, int] = {}
        self.vague: set[str] = set()

    def whole(self, path: str, size: int) -> bool:
        """Return whether all of an element was seen: it or an ancestor was returned, or parts that make up its size."""
        if path in self.returned or any(around in self.returned for around in ancestors(path)):
            return True
        return 0 <= size <= self.inside.get(path, -1)

    def part(self, path: str) -> bool:
        """Return whether something within an element was seen."""
        return path in self.inside

    def share(self, path: str, size: int) -> float:
        """Return the share of an element that was seen; NaN if its size or that of a part is unknown."""
        if self.whole(path, size):
            return 1.0
        if path in self.vague:
            return math.nan
        return self.inside.get(path, 0) / size if size > 0 else math.nan if self.part(path) else 0.0

    def unseen(self, path: str, size: int) -> int:
        """Return how many characters of an element were not seen."""
        return 0 if self.whole(path, size) else size - self.inside.get(path, 0)

    def add(self, path: str, size: int) -> None:
        """Record that an element is returned.

        If its size is unknown, it is also unknown how much of its ancestors was seen.
        """
        if path in self.returned:
            return
        new = max(self.unseen(path, size), 0) if size >= 0 else 0
        for around in ancestors(path):
            self.inside[around] = self.inside.get(around, 0) + new
        if size < 0:
            self.vague.update(ancestors(path))
        self.returned.add(path)


@dataclass(frozen=True)
class Independent:
    """An element is worth its quantised score, whatever was seen before (SIGIR 2004, eq. 6)."""

    def __call__(self, base: Base, value: list[float], at: int, seen: SeenElements, rank: int) -> float:
        """Return the value of an element at a rank, after others were seen."""
        return value[at]


@dataclass(frozen=True)
class UnseenSize:
    """An element is worth its quantised score times the share of its text that is new (SIGIR 2004, eq. 8)."""

    def __call__(self, base: Base, value: list[float], at: int, seen: SeenElements, rank: int) -> float:
        """Return the value of an element at a rank, after others were seen."""
        size, path = known_size(base, at), base.elements.path[at]
        if path in seen.vague:
            what = f"the size of an element in {path} is unknown, so Assay cannot tell how much of it was seen"
            raise InputError(f"{what}; pass documents=", base.name)
        return value[at] * seen.unseen(path, size) / size if size else value[at]


@dataclass(frozen=True)
class Recursive:
    """An element seen in part is worth what its parts are worth that were not seen (INEX 2005, eq. 7).

        rv(c) = alpha · new(c) + (1 − alpha) · quant(c)
        new(c) = quant(c) if nothing of c was seen, 0 if all was, else Σ new(child) · |child| / |c|

    alpha is how little someone likes to see the same text again: at 1 it is worth nothing, at 0 as much as before.
    Parts that were seen are worth nothing in the sum: so the papers' own .025 comes out.
    """

    alpha: float = 1.0

    def __call__(self, base: Base, value: list[float], at: int, seen: SeenElements, rank: int) -> float:
        """Return the value of an element at a rank, after others were seen."""
        if value[at] == 0 or self.alpha == 0:
            return value[at]
        return self.alpha * self.new(base, value, at, seen) + (1 - self.alpha) * value[at]

    def new(self, base: Base, value: list[float], at: int, seen: SeenElements) -> float:
        """Return how much of an element's value was not seen."""
        path = base.elements.path[at]
        if seen.whole(path, int(base.size[at])):
            return 0.0
        if value[at] == 0 or not seen.part(path):
            return value[at]
        parts = sum(self.new(base, value, child, seen) * known_size(base, child) for child in base.children[at])
        return parts / known_size(base, at)


@dataclass(frozen=True)
class Discounted:
    """An element is worth its quantised score over log_b of its rank, from rank b on (SIGIR 2004, 5.2)."""

    b: float = 2.0

    def __call__(self, base: Base, value: list[float], at: int, seen: SeenElements, rank: int) -> float:
        """Return the value of an element at a rank, after others were seen."""
        return value[at] * self.discount(rank)

    def discount(self, rank: int) -> float:
        """Return the factor for a score at a rank."""
        return 1.0 if rank < self.b else 1 / math.log(rank, self.b)


def known_size(base: Base, at: int) -> int:
    """Return the size of an assessed element, or raise an InputError if it is unknown."""
    size = int(base.size[at])
    if size < 0:
        document = base.names[int(base.elements.row[at])]
        what = f"the size of {base.elements.path[at]} of document {document} is unknown"
        raise InputError(f"{what}, and overlap needs it; pass documents=", base.name)
    return size


# ElementGains: the gains of a ranking of elements, and of the ideal ranking. View: how elements are valued.

Value = Callable[[Base, list[float], int, SeenElements, int], float]


@dataclass(frozen=True)
class View:
    """How elements are valued: the quantisation, whether overlap counts, and the relevance value function.

    If `bound`, the gains from an ideal element never exceed its own score, and a run never gains more than the ideal.
    """

    quant: Quantisation = "gen"
    overlap: str = "on"
    alpha: float = 1.0
    rv: Any = "recursive"
    rule: str = "2005"
    bound: bool = True

    def __post_init__(self) -> None:
        if self.overlap not in ("on", "off"):
            raise UsageError(f"unknown overlap {self.overlap!r}; choose from on, off")
        if not 0 <= self.alpha <= 1:
            raise UsageError(f"alpha={self.alpha:g} is out of range; expected a number from 0 to 1")
        if self.rule not in RULES:
            raise UsageError(f"unknown rule {self.rule!r}; choose from {', '.join(RULES)}")
        if isinstance(self.rv, str) and self.rv not in VALUES:
            raise UsageError(f"unknown rv {self.rv!r}; choose from {', '.join(VALUES)}")

    @property
    def value(self) -> Value:
        """The relevance value function."""
        return VALUES[self.rv](self.alpha) if isinstance(self.rv, str) else self.rv


VALUES: dict[str, Callable[[float], Value]] = {
    "recursive": lambda alpha: Recursive(alpha),
    "size": lambda alpha: UnseenSize(),
    "independent": lambda alpha: Independent(),
    "discounted": lambda alpha: Discounted(),
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ElementGains(Ranking):
    """The results that gain something, at their ranks, with their gains; `ideal` is the same for the ideal ranking.

    `missed` is how many elements of the recall-base that the ideal vector is made from were never returned.
    """

    xG: Floats
    missed: Ints | None = None
    cluster: Ints | None = None
    topics: int = 0
    bound: bool = True

    def keep(self, kept: Bools) -> ElementGains:
        """Return the gains of some rows."""
        return replace(super().keep(kept), xG=self.xG[kept])  # type: ignore[call-arg, return-value]

    def over_clusters(self, values: Values) -> Values:
        """Return the mean over the articles of each topic, if each article was a topic of its own."""
        if self.cluster is None:
            return values
        sums = np.bincount(self.cluster, values, minlength=self.topics)
        return ratio(sums, np.bincount(self.cluster, minlength=self.topics))

    @property
    def to_find(self) -> Ints:
        """How many elements of the recall-base that the ideal vector is made from were never returned."""
        assert self.missed is not None
        return self.missed

    @property
    def xCG(self) -> Floats:
        """The gain down to each row, but no more than can be gained in the topic."""
        return self.bounded(self.running(self.xG), self.each(self.xCI))

    @property
    def xCI(self) -> Floats:
        """All that can be gained in each topic."""
        return self.ideal.total(self._ideal_gain)

    @property
    def _ideal_gain(self) -> Floats:
        assert isinstance(self.ideal, ElementGains)
        return self.ideal.xG

    def gained(self, k: int | None) -> Floats:
        """Return the gain of the first k results of each topic."""
        total = self.total(self.xG if k is None else np.where(self.rank <= k, self.xG, 0.0))
        return self.quantity("CG", self.bounded(total, self.xCI))

    def bounded(self, gained: Floats, gainable: Floats) -> Floats:
        """Return the gain, but no more than can be gained if gains have a bound."""
        return np.minimum(gained, gainable) if self.bound else gained

    def gainable(self, k: int | None) -> Floats:
        """Return what can be gained in the first k results of each topic."""
        ideal = self._ideal_gain
        total = self.ideal.total(ideal if k is None else np.where(self.ideal.rank <= k, ideal, 0.0))
        return self.quantity("ideal CG", total)


def sorted_gains(group: Ints, value: Floats, groups: int, view: View | None = None) -> ElementGains:
    """Return the ideal ranking of some elements: the highest score first."""
    order = np.lexsort((-value, group))
    starts = np.searchsorted(group[order], np.arange(groups + 1))
    rows = np.diff(starts)
    rank = np.arange(len(order)) - np.repeat(starts[:-1], rows) + 1
    gain = value[order] * (discount(view, rank) if view else 1.0)
    return ElementGains(starts, rank, np.zeros(len(rank), np.int64), rows, xG=gain)


def discount(view: View, rank: Values) -> Values:
    """Return the factor for a score at each rank: 1 unless the view discounts."""
    value = view.value
    if not isinstance(value, Discounted):
        return np.ones(len(rank))
    return np.array([value.discount(int(place)) for place in rank])


def with_gain(ranking: Ranking, gain: Floats, ideal: ElementGains, missed: Ints) -> ElementGains:
    """Return the rows of a ranking that gain something."""
    kept = gain > 0
    starts = np.append(0, np.cumsum(kept))[ranking.starts]
    none = np.zeros(int(kept.sum()), np.int64)
    rank, gains = ranking.rank[kept], gain[kept]
    gained = ElementGains(starts, rank, none, ranking.retrieved, xG=gains, ideal=ideal, missed=missed)
    return gained if ranking.trace is None else replace(gained, trace=ranking.trace)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ElementRanking(Ranking):
    """The results of some topics, elements of documents, best first: one row per result.

    `row` is the row of each result in the run, `element` its number among the assessed elements, and `document` the
    judgment of its document (-1 if none). `group` is the same number for the results of one document in one topic.
    `which_path` is the index of its path in `paths`, and `size` its characters (-1 if unknown). `first_of` marks the
    first result of each document, `tied` the results with the same score as the one above.
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
    by_view: dict[Any, ElementGains] = field(default_factory=dict)

    @cached_property
    def path(self) -> list[str]:
        """The path of each row."""
        return [self.paths[number] for number in self.which_path.tolist()]

    def gains(self, view: View, level: str = "") -> ElementGains:
        """Return the gains of the results by a view; `level` is "", "article" or "element" (within each article)."""
        key = (view, level)
        if key not in self.by_view:
            self.by_view[key] = LEVELS[level](self, view)
        return self.by_view[key]

    def worth(self, quant: Quantisation) -> Floats:
        """Return the quantised score of each row."""
        value = self.base.quantised(quant)
        return np.where(self.element >= 0, value[self.element], 0.0) if len(value) else np.zeros(len(self.element))

    def top(self, k: Ints | int | None) -> ElementRanking:
        """Return the first k results."""
        return super().top(k)  # type: ignore[return-value]

    def keep(self, kept: Bools) -> ElementRanking:
        """Return the ranking with only these rows."""
        rows = np.flatnonzero(kept)
        names = "rank", "grade", "row", "element", "document", "group", "which_path", "size", "first_of", "tied"
        columns = {name: getattr(self, name)[rows] for name in names}
        starts = np.append(0, np.cumsum(kept))[self.starts]
        return replace(self, starts=starts, by_view={}, **columns)

    def each_element(self, unit: str) -> GradedElements:
        """Return the elements ranked as if they were documents, graded by their quantised score.

        The words of the unit after `element` say which elements are relevant: of the full or of the ideal recall-base,
        by which quantisation, and by which rule.
        """
        view, is_ideal = elements_meant(unit)
        base = self.base
        value = base.quantised(view.quant)
        value = np.where(base.ideal(view.quant, view.rule), value, 0.0) if is_ideal else value
        place = self.places[base.topic]
        order = np.lexsort((-value, place))
        order = order[place[order] < len(self)]
        starts = np.searchsorted(place[order], np.arange(len(self) + 1))
        rows = np.diff(starts)
        rank = np.arange(len(order)) - np.repeat(starts[:-1], rows) + 1
        top_grade = float(value.max(initial=1.0))
        kept = self.element >= 0
        return GradedElements(
            np.append(0, np.cumsum(kept))[self.starts],
            self.rank[kept],
            value[self.element[kept]],
            self.retrieved,
            top_grade,
            ideal=GradedElements(
                starts, rank, value[order], rows, top_grade, trace=self.trace and replace(self.trace, rows="ideal")
            ),
            cut=self.cut,
            trace=self.trace,
        )

    @cached_property
    def places(self) -> Ints:
        """The index in this ranking of each of all topics; topics that are not in it have an index after all others."""
        places = np.full(self.base.topics, len(self))
        places[self.topics] = np.arange(len(self))
        return places

    def traced(self, trace: Trace | None) -> ElementRanking:
        """Return the ranking with a trace; gains are computed again, so that they are traced."""
        return replace(self, trace=trace, by_view={})

    def gain(self, view: View) -> Floats:  # type: ignore[override]
        """Return the gain of each row."""
        worth = self.column("quant", self.worth(view.quant))
        gain = self.overlap_gain(view) if view.overlap == "on" else worth * discount(view, self.rank)
        return self.column("gain", gain)

    def unseen(self) -> Ints:
        """Return how many characters of each row are in no row above."""
        if np.any(self.size < 0):
            at = int(np.flatnonzero(self.size < 0)[0])
            what = f"the size of {self.path[at]}, at rank {self.rank[at]}, is unknown"
            raise InputError(f"{what}; pass documents=", self.name)
        unseen = np.zeros(len(self.size), np.int64)
        for rows in self._by_document():
            seen = SeenElements()
            for row in rows:
                unseen[row] = seen.unseen(self.path[row], int(self.size[row]))
                seen.add(self.path[row], int(self.size[row]))
        return unseen

    def _by_document(self) -> list[list[int]]:
        """Return the rows of each document of each topic."""
        order = np.argsort(self.group, kind="stable")
        bounds = np.flatnonzero(np.diff(self.group[order])) + 1
        return [rows.tolist() for rows in np.split(order, bounds)] if len(order) else []

    def overlap_gain(self, view: View) -> Floats:
        """Return the gain of each row if overlap counts.

        It is the row's relevance value, but at most what is left of the ideal elements near it if the view has a bound.
        """
        value = self.base.quantised(view.quant).tolist()
        near = self.base.near(view.quant, view.rule)
        relevant = set(each_once(self.base.elements.row[self.base.full(view.quant)]).tolist())
        worth, (gain, own, bounds, before) = view.value, np.zeros((4, len(self.rank)))
        element, rank, size = self.element.tolist(), self.rank.tolist(), self.size.tolist()
        for rows in self._by_document():
            if self.document[rows[0]] not in relevant:
                continue
            seen = SeenElements()
            left: dict[int, float] = {}
            for row in rows:
                at = element[row]
                if self.trace is not None:
                    before[row] = seen.share(self.path[row], size[row])
                if at >= 0 and value[at] > 0:
                    ideals = near[at]
                    bounds[row] = sum(left.setdefault(ideal, value[ideal]) for ideal in ideals)
                    own[row] = relevance_value(worth(self.base, value, at, seen, rank[row]))
                    gain[row] = min(own[row], bounds[row]) if view.bound else own[row]
                    # what an ancestor of an ideal element gains does not use up the ideal element
                    if len(ideals) == 1 and not self._is_above(at, ideals[0]):
                        rest = left[ideals[0]] - gain[row]
                        # a remainder that is only rounding must not be gained by a later element
                        left[ideals[0]] = rest if rest > 1e-12 * value[ideals[0]] else 0.0
                seen.add(self.path[row], size[row])
        for name, column in (("seen", before), ("rv", own), ("bound", bounds)):
            self.column(name, column)
        return gain

    def _is_above(self, at: int, other: int) -> bool:
        path = self.base.elements.path
        return at != other and path[other].startswith(path[at] + "/")


class GradedElements(Ranking):
    """The assessed elements among the results, each by itself: relevant if it is worth anything (SIGIR 2004, 4.1)."""

    def relevant(self, rel: float) -> Bools:
        """Return whether each row has a quantised score above 0."""
        if rel != 1:
            raise UsageError(f"rel={rel} does not apply: an element is relevant if its quantised score is above 0")
        return self.grade > 0


def elements_meant(unit: str) -> tuple[View, bool]:
    """Parse a unit, for example element:ideal:sog:2004, into a view and whether only ideal elements are relevant."""
    words = unit.split(":")[1:]
    bases, rules = ([word for word in words if word in known] for known in (("full", "ideal"), RULES))
    quants = [word for word in words if word not in (*bases, *rules)]
    if max(len(bases), len(rules), len(quants)) > 1:
        raise UsageError(f"unknown unit {unit!r}; expected for example element or element:ideal:sog:2004")
    return View((quants or ["gen"])[0], rule=(rules or ["2005"])[0]), bases == ["ideal"]


def relevance_value(value: float) -> float:
    """Return a relevance value, or raise a UsageError if it is negative, infinite or NaN."""
    if not 0 <= value < np.inf:
        raise UsageError(f"a relevance value must be a number, at least 0; found {value!r}")
    return value


def of_elements(ranking: ElementRanking, view: View) -> ElementGains:
    """Return the gains of elements against the recall-base of their topic."""
    behind = ranking.base.behind(view.quant, view.overlap, view.rule)
    ideal, missed = best(behind, ranking.places[ranking.base.topic], ranking, view)
    gain = ranking.gain(view)
    gained = with_gain(ranking, gain, ideal, missed)
    gained = gained if view.bound else replace(gained, bound=False)
    if ranking.trace is not None:
        so_far, at_best = (curve.down_to(curve.xG, ranking.rank, ranking.rows) for curve in (gained, ideal))
        so_far = ranking.column("xCG", gained.bounded(so_far, ranking.each(gained.xCI)))
        ranking.column("nxCG", ratio(so_far, ranking.column("xCI", at_best)))
    return gained


def of_articles(ranking: ElementRanking, view: View) -> ElementGains:
    """Return the gains of articles, at their first results, against the articles with a relevant element.

    An article gains the quantised score of its root, which may be 0.
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
    articles = replace(ranking, rank=ranking.running(first), retrieved=ranking.total(first), trace=None)
    return with_gain(articles, gain, ideal, np.bincount(place[missed & here], minlength=len(ranking)))


def of_clusters(ranking: ElementRanking, view: View) -> ElementGains:
    """Return the gains of the elements of each relevant article, as if each article were a topic."""
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
    gain = replace(ranking, rank=within, trace=None).gain(view)[rows]
    return replace(with_gain(clusters, gain, ideal, missed), cluster=of_topic, topics=len(ranking))


def best(
    behind: Bools, group: Ints, ranking: ElementRanking, view: View, groups: int | None = None
) -> tuple[ElementGains, Ints]:
    """Return the ideal ranking of each group, and how many elements of its recall-base were never returned.

    `behind` is the recall-base that the ideal vector is made from.
    """
    groups = len(ranking) if groups is None else groups
    here = behind & (group < groups)
    missed = here.copy()
    missed[ranking.element[ranking.element >= 0]] = False
    ideal = sorted_gains(group[here], ranking.base.quantised(view.quant)[here], groups, view)
    return ideal, np.bincount(group[missed], minlength=groups)


LEVELS: dict[str, Callable[[ElementRanking, View], ElementGains]] = {
    "": of_elements,
    "article": of_articles,
    "element": of_clusters,
}
