"""Trees of assessed elements, and which of them make up a recall-base.

/article[1]              e 2, s .2     parent: none
/article[1]/sec[1]       e 2, s .5     parent: /article[1]
/article[1]/sec[1]/p[2]  e 1, s 1      parent: /article[1]/sec[1], the nearest assessed ancestor
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np

from assay.errors import InputError, UsageError, quote
from assay.files.source import Source
from assay.tables.ids import Bools, Floats, Ints
from assay.tables.judgments import AssessedElements

# Quantisations: the score of an assessed element by its exhaustivity and specificity.

Quantisation: TypeAlias = "str | Callable[[float, float], float]"
GEN = {
    (3, 3): 1.0, (2, 3): 0.75, (3, 2): 0.75, (3, 1): 0.75,
    (1, 3): 0.5, (2, 2): 0.5, (2, 1): 0.5, (1, 2): 0.25, (1, 1): 0.25,
}  # fmt: skip
SOG = {
    (3, 3): 1.0, (2, 3): 0.9, (1, 3): 0.75, (3, 2): 0.75,
    (2, 2): 0.5, (1, 2): 0.25, (3, 1): 0.25, (2, 1): 0.1, (1, 1): 0.1,
}  # fmt: skip
# By scale and name: functions from arrays of exhaustivity (-1 is `?`, too small) and specificity to scores.
QUANTISATIONS: dict[str, dict[str, Callable[[Ints, Floats], Floats]]] = {
    "2003": {
        "strict": lambda e, s: ((e == 3) & (s == 3)).astype(np.float64),
        "gen": lambda e, s: looked_up(GEN, e, s),
        "sog": lambda e, s: looked_up(SOG, e, s),
    },
    "2005": {
        "strict": lambda e, s: ((e == 2) & (s == 1)).astype(np.float64),
        "gen": lambda e, s: np.maximum(e, 0) * s,
        "genLifted": lambda e, s: np.where((e != 0) & (s > 0), (np.maximum(e, 0) + 1) * s, 0.0),
    },
}
# inex-2003 quantises exhaustivity and specificity separately, as shares of the highest grade.
APART: dict[str, Callable[[Floats, float], Floats]] = {
    "strict": lambda grade, highest: (grade == highest).astype(np.float64),
    "gen": lambda grade, highest: np.maximum(grade, 0) / highest,
}
HIGHEST = {"2003": (3, 3), "2005": (2, 1)}


def looked_up(table: dict[tuple[int, int], float], e: Ints, s: Floats) -> Floats:
    """Return the value of each pair of grades; 0 if it is not in the table."""
    pairs = zip(e.tolist(), s.tolist(), strict=True)
    return np.array([table.get(pair, 0.0) for pair in pairs], np.float64)


# The user's own quantisation as a file with lines of e, s and value, for example 3,3,1.

TABLES = {".csv": ",", ".tsv": "\t"}
TABLE_HEADER = ["e", "s", "value"]
TOO_SMALL = "?"


def is_table(quant: str) -> bool:
    """Return whether a quantisation is a file name."""
    return quant[-4:].lower() in TABLES


def read_values(path: str) -> dict[tuple[float, float], float]:
    """Read the value of each pair of exhaustivity (-1 is `?`) and specificity from a file."""
    source = Source(path)
    try:
        lines = source.whole().decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise source.fault("the file is not UTF-8; expected rows of e, s and value") from None
    values: dict[tuple[float, float], float] = {}
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.split(TABLES[path[-4:].lower()])]
        if not line.strip() or (number == 1 and cells == TABLE_HEADER):
            continue
        try:
            e, s, value = (-1.0 if cell == TOO_SMALL and not place else float(cell) for place, cell in enumerate(cells))
        except ValueError:
            raise source.fault(f"{quote(line)} is not e, s and value; expected for example 3,3,1", number) from None
        if not 0 <= value < np.inf:
            raise source.fault(f"the value is {value:g}; expected a number, at least 0", number)
        if (e, s) in values:
            raise source.fault(f"({cells[0]}, {cells[1]}) already has a value; expected each pair once", number)
        values[e, s] = value
    return values


def from_table(path: str, elements: AssessedElements) -> Floats:
    """Return the scores of elements by a file, which must have each pair of grades above 0 that occurs."""
    values = read_values(path)
    pairs = list(zip(elements.exhaustivity.tolist(), elements.specificity.tolist(), strict=True))
    if lacking := sorted({(e, s) for e, s in pairs if e > 0 and s > 0 and (e, s) not in values}):
        e, s = lacking[0]
        others = f" and {len(lacking) - 1} more pairs" if len(lacking) > 1 else ""
        what = f"no value for ({e}, {s:g}){others}, which the assessments contain"
        raise InputError(f"{what}; add a row for each pair, with 0 if it is worth nothing", path)
    return np.array([values.get(pair, values.get((max(pair[0], 0), pair[1]), 0.0)) for pair in pairs], np.float64)


def quantise(quant: Quantisation, elements: AssessedElements) -> Floats:
    """Return the scores of elements by a quantisation: a name, a file, or a function of both grades.

    The function takes exhaustivity and specificity.
    """
    if callable(quant):
        pairs = zip(np.maximum(elements.exhaustivity, 0).tolist(), elements.specificity.tolist(), strict=True)
        worth = np.array([quant(e, s) for e, s in pairs], np.float64)
        if not (np.isfinite(worth).all() and np.all(worth >= 0)):
            raise UsageError("a quantisation must return a number, at least 0, for each exhaustivity and specificity")
        return worth
    if is_table(quant):
        return from_table(quant, elements)
    known = QUANTISATIONS[elements.scale]
    if quant not in known:
        names = ", ".join(known)
        unknown = f"unknown quantisation {quant!r} for assessments on the scale of {elements.scale}"
        raise UsageError(f"{unknown}; choose from {names}")
    return known[quant](elements.exhaustivity, elements.specificity)


@lru_cache(maxsize=1 << 18)
def ancestors(path: str) -> tuple[str, ...]:
    """Return the paths of an element's ancestors, nearest first."""
    around = []
    while (cut := path.rfind("/")) > 0:
        path = path[:cut]
        around.append(path)
    return tuple(around)


class Base:
    """The assessed elements of all topics: the tree of each document, and which elements make up a recall-base."""

    def __init__(self, name: str, elements: AssessedElements, topic: Ints, topics: int, documents: Sequence[str] = ()):
        self.name, self.elements = name, elements
        self.names = documents or [f"number {row}" for row in range(len(topic))]
        self.topic_of_document, self.topics, self.documents = topic, topics, len(topic)
        self.topic = topic[elements.row]
        self.size = elements.size
        self.number = {pair: at for at, pair in enumerate(zip(elements.row.tolist(), elements.path, strict=True))}
        self.parent = np.array([self._around(at) for at in range(len(elements.path))], np.int64)
        self._found: dict[Any, Any] = {}

    def _around(self, at: int) -> int:
        row = int(self.elements.row[at])
        around = ((row, path) for path in ancestors(self.elements.path[at]))
        return next((self.number[pair] for pair in around if pair in self.number), -1)

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def _path_number(self) -> dict[str, int]:
        """A number for each different path."""
        return {path: number for number, path in enumerate(dict.fromkeys(self.elements.path))}

    @cached_property
    def _keys(self) -> tuple[Ints, Ints]:
        """The document and path of each element as one number, sorted, and the elements in this order."""
        path = np.array([self._path_number[path] for path in self.elements.path], np.int64)
        keys = self.elements.row * len(self._path_number) + path
        order = np.argsort(keys)
        return keys[order], order

    def elements_at(self, document: Ints, paths: list[str], which_path: Ints) -> Ints:
        """Return the assessed element for each document and path, or -1 if there is none.

        `document` is the row of the judgment, or -1; `which_path` is an index in `paths`.
        """
        element = np.full(len(document), -1)
        keys, order = self._keys
        path = np.array([self._path_number.get(path, -1) for path in paths], np.int64)[which_path]
        known = np.flatnonzero((document >= 0) & (path >= 0))
        wanted = document[known] * len(self._path_number) + path[known]
        place = np.searchsorted(keys, wanted)
        there = np.flatnonzero(np.append(keys, -1)[place] == wanted)
        element[known[there]] = order[place[there]]
        return element

    @cached_property
    def children(self) -> list[list[int]]:
        """The assessed children of each element: those whose parent it is."""
        children: list[list[int]] = [[] for _ in range(len(self))]
        for child, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                children[parent].append(child)
        return children

    @cached_property
    def roots(self) -> Ints:
        """The elements that are whole documents."""
        return np.array([at for at, path in enumerate(self.elements.path) if path.count("/") == 1], np.int64)

    @cached_property
    def downward(self) -> list[int]:
        """All elements, each after its ancestors."""
        return sorted(range(len(self)), key=lambda at: self.elements.path[at].count("/"))

    def quantised(self, quant: Quantisation) -> Floats:
        """Return the quantised score of each element."""
        if quant not in self._found:
            self._found[quant] = quantise(quant, self.elements)
        return self._found[quant]

    def full(self, quant: Quantisation) -> Bools:
        """Return which elements are in the full recall-base."""
        return self.quantised(quant) > 0

    def leaves(self, quant: Quantisation) -> list[int]:
        """Return the relevant elements without relevant descendants: each is the end of a relevant path."""
        relevant = self.full(quant)
        above = np.zeros(len(self), bool)
        for at in reversed(self.downward):
            parent = self.parent[at]
            if parent >= 0 and (relevant[at] or above[at]):
                above[parent] = True
        return np.flatnonzero(relevant & ~above).tolist()

    def ideal(self, quant: Quantisation, rule: str) -> Bools:
        """Return which elements are in the ideal recall-base: the best of each relevant path.

        Of two that overlap, it has the upper one.
        """
        key = (quant, rule)
        if key not in self._found:
            self._found[key] = self._ideal(quant, rule)
        return self._found[key]

    def _ideal(self, quant: Quantisation, rule: str) -> Bools:
        value, relevant = self.quantised(quant), self.full(quant)
        better = RULES[rule](self.elements, value)
        best = np.full(len(self), -1)
        for at in self.downward:
            parent = self.parent[at]
            above = best[parent] if parent >= 0 else -1
            best[at] = at if relevant[at] and (above < 0 or better(at, int(above))) else above
        chosen = np.zeros(len(self), bool)
        chosen[best[self.leaves(quant)]] = True
        covered = np.zeros(len(self), bool)
        for at in self.downward:
            parent = self.parent[at]
            covered[at] = parent >= 0 and (covered[parent] or chosen[parent])
        return chosen & ~covered

    def behind(self, quant: Quantisation, overlap: str, rule: str) -> Bools:
        """Return the recall-base that the ideal vector is made from: the ideal one if overlap counts, or the full one.
        """
        return self.ideal(quant, rule) if overlap == "on" else self.full(quant)

    def near(self, quant: Quantisation, rule: str) -> list[list[int]]:
        """Return for each element the ideal elements on the same relevant paths.

        These are the element itself or its ideal ancestor, or else the ideal elements within it.
        """
        key = (quant, rule, "near")
        if key not in self._found:
            self._found[key] = self._near(quant, rule)
        return self._found[key]

    def _near(self, quant: Quantisation, rule: str) -> list[list[int]]:
        ideal = self.ideal(quant, rule)
        around = np.full(len(self), -1)
        within: list[list[int]] = [[] for _ in range(len(self))]
        for at in self.downward:
            parent = int(self.parent[at])
            around[at] = at if ideal[at] else around[parent] if parent >= 0 else -1
            while ideal[at] and parent >= 0:
                within[parent].append(at)
                parent = int(self.parent[parent])
        return [[ideal] if ideal >= 0 else inside for ideal, inside in zip(around.tolist(), within, strict=True)]


def _rule_2005(elements: AssessedElements, value: Floats) -> Callable[[int, int], bool]:
    # ties go to the ancestor, even if rounding hides them: 3 times 0.1 is 2 times 0.15
    return lambda at, above: bool(value[at] > value[above] * (1 + 1e-12))


def _rule_2004(elements: AssessedElements, value: Floats) -> Callable[[int, int], bool]:
    e, s = elements.exhaustivity, elements.specificity
    # ties go to the descendant
    return lambda at, above: bool((s[at], e[at]) >= (s[above], e[above]))


RULES = {"2005": _rule_2005, "2004": _rule_2004}


def relevant_paths(base: Base, quant: Quantisation) -> Iterator[list[int]]:
    """Yield the relevant paths, each from its end to the root: the relevant elements on it."""
    relevant = base.full(quant)
    for at in base.leaves(quant):
        path = []
        while at >= 0:
            if relevant[at]:
                path.append(at)
            at = int(base.parent[at])
        yield path
