"""The way from the path of an element to its place in a document, and back."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from assay.documents.xml_paths import NoSuchPath, parsed_path, shown_path
from assay.documents.xml_tree import TEXT_NAME, Tree
from assay.errors import counted, listed


class Finder:
    """Finds paths in a document."""

    def __init__(self, tree: Tree):
        self.tree = tree
        # numbers are taken one by one, and most never
        self.name, self.behind, self.at = tree.name.data, tree.behind.data, tree.at.data
        self._held: dict[int, dict[str, list[int]]] = {}

    def held(self, node: int) -> dict[str, list[int]]:
        """The nodes right below a node, by name; under `*` all elements."""
        if node not in self._held:
            held: dict[str, list[int]] = {"*": []}
            below = node + 1
            while below < self.behind[node]:
                held.setdefault(self.tree.names[self.name[below]], []).append(below)
                if self.name[below] != TEXT_NAME:
                    held["*"].append(below)
                below = self.behind[below]
            self._held[node] = held
        return self._held[node]

    def node(self, path: str) -> int:
        """The number of the node that a path leads to."""
        node, held = 0, self._held
        for name, number in parsed_path(path).steps:
            there = (held[node] if node in held else self.held(node)).get(name, ())
            if number > len(there):
                raise NoSuchPath(f"{shown_path(path)}; {self._instead(node, name, len(there))}")
            node = there[number - 1]
        return node

    def _instead(self, node: int, name: str, number: int) -> str:
        where = shown_path(self.path(node))
        if number:
            return f"it has {counted(number, 'element') if name == '*' else f'{number:,} {name}'} in {where}"
        others = [name for name, nodes in self.held(node).items() if nodes and name != "*"]
        return f"it has {f'only {listed(others)}' if others else 'nothing'} in {where}"

    def span(self, path: str, last: str = "") -> tuple[int, int]:
        """Where the text of a path begins and ends, or that from one path to the end of another; a point begins and
        ends there.
        """
        node, offset = self.node(path), parsed_path(path).offset
        start, end = self.at[node], self.at[self.behind[node]]
        if offset is not None:
            if offset > end - start:
                raise NoSuchPath(f"{shown_path(path)}; it has {counted(end - start, 'character')} there")
            start = end = start + offset
        if last:
            end = self.span(last)[1]
            # of neighbours the one ends where the other begins
            if end < start or (end == start and self._is_before(last, path)):
                why = (
                    f"that ends at {end}, before it begins at {start}"
                    if end < start
                    else "the last stands before the first"
                )
                raise NoSuchPath(f"text from {shown_path(path)} to {shown_path(last)}: {why}")
        return start, end

    def _is_before(self, path: str, other: str) -> bool:
        """Whether an element ends before another begins; points are told apart by their characters alone."""
        if parsed_path(path).offset is not None or parsed_path(other).offset is not None:
            return False
        return bool(self.behind[self.node(path)] <= self.node(other))

    def path(self, node: int) -> str:
        """The path of a node."""
        above = np.flatnonzero(self.tree.behind[: node + 1] > node).tolist()
        steps = []
        for parent, child in pairwise(above):
            name = self.tree.names[self.name[child]]
            steps.append(f"/{name}[{self.held(parent)[name].index(child) + 1}]")
        return "".join(steps) or "/"

    def holding(self, start: int, end: int) -> str:
        """The path of the smallest element that holds a span; of several the innermost, and the one that begins there.
        """
        tree = self.tree
        around = np.flatnonzero((tree.start <= start) & (tree.end >= end) & (tree.name != TEXT_NAME))
        size = tree.end[around] - tree.start[around]
        return self.path(int(around[size == size.min()][-1]))

    def point(self, offset: int) -> str:
        """The path of the place before a character, or of the end of the text."""
        before = np.flatnonzero((self.tree.start <= offset) & (self.tree.name == TEXT_NAME))
        if not len(before):
            return self.holding(0, 0)
        return f"{self.path(int(before[-1]))}.{offset - self.at[before[-1]]}"

    def paths(self) -> list[str]:
        """The paths of all nodes."""
        paths, above = ["/"], [0]
        seen: dict[tuple[int, int], int] = {}
        for node, code in enumerate(self.tree.name[1:].tolist(), 1):
            while self.behind[above[-1]] <= node:
                above.pop()
            number = seen[above[-1], code] = seen.get((above[-1], code), 0) + 1
            paths.append(f"{paths[above[-1]].rstrip('/')}/{self.tree.names[code]}[{number}]")
            above.append(node)
        return paths
