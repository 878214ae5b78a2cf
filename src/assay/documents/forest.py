"""Many paths followed in many documents at once: all trees stand in a few columns, and one step of all paths is one
search.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from assay.documents.xml_paths import NoSuchPath, Path, parsed_path
from assay.documents.xml_tree import Tree
from assay.tables.ids import Bools, Ints
from assay.tables.sorting import ascending

if TYPE_CHECKING:
    from numpy.typing import NDArray

# whole numbers, of any length
Numbers: TypeAlias = "NDArray[Any]"

NAME_BITS = 20
NONE = -1


class Nodes(NamedTuple):
    """The nodes of some trees: where the text of each begins and ends; and all but the documents themselves, by parent,
    name and order: the parent and the name as one key, and the number of the node. They are many, and so most columns
    have numbers of 32 bits, as packed trees have."""

    start: Numbers
    end: Numbers
    key: Numbers
    node: Numbers

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return len(self.start)

    def and_then(self, others: Nodes) -> Nodes:
        """These nodes and others behind them."""
        base = self.size
        moved = others._replace(key=others.key + (base << NAME_BITS), node=others.node + np.uint32(base))
        return Nodes(*(np.concatenate(columns) for columns in zip(self, moved, strict=True)))

    def below(self, parent: Ints, name: Ints, number: Ints) -> Ints:
        """Of each parent the node below it that is the so-and-so-many-th of a name; NONE where there is none."""
        wanted = parent << NAME_BITS | name
        place = np.searchsorted(self.key, wanted) + number - 1
        there = np.flatnonzero(place < len(self.key))
        there = there[self.key[place[there]] == wanted[there]]
        nodes = np.full(len(wanted), NONE)
        nodes[there] = self.node[place[there]]
        return nodes


class Steps(NamedTuple):
    """Paths in columns: a row a path, a column a step, with the name and the number of each; how many steps, how many
    characters to go on from there or NONE; and whether it is a path that can be followed like this."""

    name: Ints
    number: Ints
    depth: Ints
    offset: Ints
    is_plain: Bools


class Forest:
    """The trees of documents, and where in it each document is."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._place: dict[str, tuple[int, int]] = {}
        self._parts: list[Nodes] = []

    def __contains__(self, document: str) -> bool:
        return document in self._place

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return sum(part.size for part in self._parts)

    @property
    def has_too_many_names(self) -> bool:
        """Whether not every name has a number of its own in a key."""
        return len(self._names) > 1 << NAME_BITS

    def add(self, trees: Iterable[tuple[str, Tree]]) -> None:
        """Some more documents."""
        documents, added = zip(*trees, strict=True)
        sizes = [len(tree.name) for tree in added]
        bases = np.cumsum([0, *sizes[:-1]])
        self._place |= {
            document: (len(self._parts), base) for document, base in zip(documents, bases.tolist(), strict=True)
        }
        self._parts.append(self._nodes(added, np.repeat(bases, sizes)))
        # so that there are few parts, and none is copied often
        while len(self._parts) > 1 and self._parts[-2].size <= 2 * self._parts[-1].size:
            self._join_last()

    def _join_last(self) -> None:
        last, before = self._parts.pop(), self._parts.pop()
        number, base = len(self._parts) + 1, before.size
        moved = {document: (number - 1, base + at) for document, (part, at) in self._place.items() if part == number}
        self._place |= moved
        self._parts.append(before.and_then(last))

    def _nodes(self, trees: Sequence[Tree], base: Ints) -> Nodes:
        name = np.concatenate([self._codes(tree.names)[tree.name] for tree in trees])
        behind = np.concatenate([tree.behind for tree in trees]) + base
        parent = parents(behind)
        below = np.flatnonzero(parent != NONE)
        parent, name = parent[below], name[below]
        order = ascending(parent, name)
        key = parent << NAME_BITS | name
        start, end = (np.concatenate([getattr(tree, side) for tree in trees]) for side in ("start", "end"))
        return Nodes(start.astype(np.uint32), end.astype(np.uint32), key[order], below[order].astype(np.uint32))

    def _codes(self, names: list[str]) -> Ints:
        return np.array([self._names.setdefault(name, len(self._names)) for name in names], np.int64)

    def spans(self, documents: Sequence[str], paths: Sequence[str]) -> tuple[Ints, Ints]:
        """Where the text of each path begins and ends in its document; NONE where it leads nowhere, or not simply."""
        different, row = numbered(paths)
        steps = self._steps(different)
        different, which = numbered(documents)
        part, base = np.array([self._place[document] for document in different], np.int64).reshape(-1, 2)[which].T
        start, end = np.full(len(paths), NONE), np.full(len(paths), NONE)
        for number_of_part, nodes in enumerate(self._parts):
            here = np.flatnonzero((part == number_of_part) & steps.is_plain[row])
            start[here], end[here] = _followed(nodes, base[here], steps, row[here])
        return start, end

    def _steps(self, paths: list[str]) -> Steps:
        in_steps = [_parsed(path) for path in paths]
        longest = max((len(path.steps) for path in in_steps if path), default=0)
        name, number = np.full((len(paths), longest), NONE), np.ones((len(paths), longest), np.int64)
        depth, offset = np.zeros(len(paths), np.int64), np.full(len(paths), NONE)
        is_plain = np.ones(len(paths), np.bool_)
        for row, path in enumerate(in_steps):
            if path is None or any(step not in self._names for step, _ in path.steps):
                is_plain[row] = False
                continue
            depth[row], offset[row] = len(path.steps), NONE if path.offset is None else path.offset
            for column, (step, which) in enumerate(path.steps):
                name[row, column], number[row, column] = self._names[step], which
        return Steps(name, number, depth, offset, is_plain)


def numbered(texts: Sequence[str]) -> tuple[list[str], Ints]:
    """The different ones of some texts, and which of them each is."""
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    return list(numbers), np.fromiter(map(numbers.__getitem__, texts), np.int64, len(texts))


def _parsed(path: str) -> Path | None:
    try:
        return parsed_path(path)
    except NoSuchPath:
        return None


def _followed(nodes: Nodes, node: Ints, steps: Steps, row: Ints) -> tuple[Ints, Ints]:
    """Where the paths of some rows lead from their documents."""
    for column in range(steps.name.shape[1]):
        on = np.flatnonzero((steps.depth[row] > column) & (node != NONE))
        node[on] = nodes.below(node[on], steps.name[row[on], column], steps.number[row[on], column])
    start, end = nodes.start[node], nodes.end[node]
    offset = steps.offset[row]
    is_point = offset != NONE
    lost = (node == NONE) | (is_point & (offset > end - start))
    start, end = np.where(is_point, start + offset, start), np.where(is_point, start + offset, end)
    return np.where(lost, NONE, start), np.where(lost, NONE, end)


def parents(behind: Ints) -> Ints:
    """The parent of each node, of which is known the first node behind it and all that it holds; NONE of a node that
    has none.
    """
    count = len(behind)
    depth = np.arange(1, count + 1) - np.cumsum(np.bincount(behind, minlength=count + 1)[:count])
    # all nodes by depth and then in order: a parent is the last node before its child that is one less deep
    key = depth * count + np.arange(count)
    order = np.argsort(depth.astype(np.int16) if depth.max(initial=0) < 1 << 15 else depth, kind="stable")
    place = np.searchsorted(key[order], key - count) - 1
    return np.where(depth > 1, order[np.maximum(place, 0)], NONE)
