"""The nodes of a document and their offsets in its text, kept in few bytes."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from assay.errors import count_noun, list_names, quote
from assay.tables.ids import Bools, Ints
from assay.tables.sorting import ascending

if TYPE_CHECKING:
    from lxml.etree import XMLSyntaxError
    from numpy.typing import NDArray


# Errors of lxml, in our words.


class Unreadable(Exception):
    """What is wrong with an XML document and on which line; if it is malformed, also at which column and why."""

    def __init__(self, what: str, line: int, column: int | None = None, why: str = ""):
        super().__init__(what)
        self.what, self.line, self.column, self.why = what, line, column, why


def unreadable(error: XMLSyntaxError) -> Unreadable:
    """Return the error that describes an XMLSyntaxError."""
    from lxml.etree import ErrorTypes

    why = re.sub(r", line \d+, column \d+$", "", error.msg or "it ends too early")
    line, column = error.position
    if error.code == ErrorTypes.ERR_ENTITY_LOOP or "amplification" in why:
        return Unreadable("the XML entities expand to too much text; expected a document without nested entities", line)
    if why == "Document is empty":
        return Unreadable("the document is empty; expected XML", line)
    return Unreadable("not well-formed XML", line, column, re.sub(r",? (use|try) XML_PARSE_HUGE( option)?", "", why))


TEXT = "text()"
# The numbers of two names: the document itself, which has no name, and text nodes.
DOCUMENT_NAME, TEXT_NAME = 0, 1
HEAD = struct.Struct("<3I")


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """The nodes of a document in document order: the document itself, then its elements and text nodes.

    For each node: the number of its name, the number of the first node after it and its descendants (`behind`), and the
    offset at which its text begins (`at`). The last value of `at` is the length of the whole text.
    """

    names: list[str]
    name: Ints
    behind: Ints
    at: Ints

    @property
    def start(self) -> Ints:
        """The offset at which the text of each node begins."""
        return self.at[:-1]

    @property
    def end(self) -> Ints:
        """The offset at which the text of each node ends."""
        return self.at[self.behind]

    def packed(self) -> bytes:
        """Return the tree in few bytes, beginning with the length of its text."""
        names = "\n".join(self.names).encode()
        columns = self.name, self.behind - np.arange(len(self.name)), np.diff(self.at)
        data = names + b"".join(column.astype("<i4").tobytes() for column in columns)
        return HEAD.pack(self.at[-1], len(names), len(self.name)) + zlib.compress(data, 1)

    @classmethod
    def unpacked(cls, data: bytes) -> Tree:
        """Return the tree that was packed; raise a ValueError if the bytes are not a tree."""
        if len(data) == HEAD.size and HEAD.unpack(data)[1:] == (0, 0):
            return plain_tree(packed_length(data))
        try:
            length, names, nodes = HEAD.unpack_from(data)
            content = zlib.decompress(memoryview(data)[HEAD.size :])
            # unsigned, so a damaged negative number becomes too large and is refused below
            name, held, size = np.frombuffer(content, "<u4", offset=names).reshape(3, nodes)
        except (struct.error, zlib.error) as error:
            raise ValueError(str(error)) from None
        at = np.concatenate(([0], np.cumsum(size, dtype=np.int64)))
        tree = cls(content[:names].decode().split("\n"), name.astype(np.int64), held + np.arange(nodes), at)
        good = nodes and name.max() < len(tree.names) and held.all()
        if not (good and tree.behind.max() <= nodes and tree.behind[0] == nodes and tree.at[-1] == length):
            raise ValueError("not a document tree")
        return tree


def is_packed(data: bytes) -> bool:
    """Return whether some bytes may be a packed tree; only unpacking them shows that they are."""
    return len(data) >= HEAD.size


def packed_length(data: bytes) -> int:
    """Return the length of the text of a packed tree."""
    return int(HEAD.unpack_from(data)[0])


def packed_plain(length: int) -> bytes:
    """Return the packed tree of a document without elements: only the length of its text."""
    return HEAD.pack(length, 0, 0)


def plain_tree(length: int) -> Tree:
    """Return the tree of a document without elements."""
    nodes = 2 if length else 1
    name, behind, at = [DOCUMENT_NAME, TEXT_NAME][:nodes], [nodes] * nodes, [0] * nodes + [length]
    return Tree(["", TEXT], np.array(name), np.array(behind), np.array(at))


def text_tree(text: str) -> tuple[Tree, str]:
    """Return the tree of a document without elements, and its text."""
    return plain_tree(len(text)), text


# Paths of elements, for example `/article[1]/sec[2]`.

# Names are compared without their namespaces, so the prefix does not matter. A name may contain a dot.
STEP = r"/(?:[^][\s/()@*:]+:)?(text\(\)|\*|[^][\s/()@*:]+)(?:\[([0-9]{1,9})\])?"
PATH = re.compile(rf"((?:{STEP})+)/?(?:(?<=[\])])\.([0-9]{{1,9}}))?")
LIKE = "expected for example /article[1]/sec[2]"


class NoSuchPath(Exception):
    """A path that does not exist in a document; the message continues `document d1 has no`."""


class Path(NamedTuple):
    """A parsed path: the name and number of each step, and the number of characters to go on from there, or None."""

    steps: tuple[tuple[str, int], ...]
    offset: int | None


@lru_cache(1 << 16)
def parsed_path(path: str) -> Path:
    """Parse a path such as `/article[1]/sec[2]`.

    A name without a number means the first element of that name; `/` is the whole document.
    """
    if path == "/":
        return Path((), None)
    if "/@" in path:
        raise NoSuchPath(f"text at {shown_path(path)}: it is an attribute; expected an element")
    if not (matched := PATH.fullmatch(path)):
        raise NoSuchPath(f"{quote(path)}: it is not a path; {LIKE}")
    steps = tuple((name, int(number or 1)) for name, number in re.findall(STEP, matched[1]))
    if any(number == 0 for _, number in steps):
        raise NoSuchPath(f"{shown_path(path)}: numbers start at 1; {LIKE}")
    return Path(steps, int(matched[4]) if matched[4] else None)


# The most steps of a path: XML parsers refuse documents that are deeper.
DEEPEST = 256


def normal(path: str) -> str:
    """Return an element's path with all numbers and without prefixes; raise a ValueError if it is not one."""
    try:
        steps, offset = parsed_path(path)
    except NoSuchPath as error:
        raise ValueError(str(error)) from None
    is_element = offset is None and 0 < len(steps) <= DEEPEST
    if not is_element or any(name in (TEXT, "*") for name, _ in steps):
        raise ValueError(f"{quote(path)}, which is not an element path; {LIKE}")
    return "".join(f"/{name}[{number}]" for name, number in steps)


def shown_path(path: str) -> str:
    """Return a path short enough for a message."""
    return path if len(path) <= 200 else path[:199] + "…"


# Find the place of a path in a document, and the path of a place.


class Finder:
    """Finds paths in a document."""

    def __init__(self, tree: Tree):
        self.tree = tree
        # memoryviews, because numbers are read one by one and most are never read
        self.name, self.behind, self.at = tree.name.data, tree.behind.data, tree.at.data
        self._held: dict[int, dict[str, list[int]]] = {}

    def children_by_name(self, node: int) -> dict[str, list[int]]:
        """Return the children of a node by name; all elements under `*`."""
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
        """Return the number of the node that a path leads to."""
        node, held = 0, self._held
        for name, number in parsed_path(path).steps:
            there = (held[node] if node in held else self.children_by_name(node)).get(name, ())
            if number > len(there):
                raise NoSuchPath(f"{shown_path(path)}; {self._instead(node, name, len(there))}")
            node = there[number - 1]
        return node

    def _instead(self, node: int, name: str, number: int) -> str:
        where = shown_path(self.path(node))
        if number:
            return f"it has {count_noun(number, 'element') if name == '*' else f'{number:,} {name}'} in {where}"
        others = [name for name, nodes in self.children_by_name(node).items() if nodes and name != "*"]
        return f"it has {f'only {list_names(others)}' if others else 'nothing'} in {where}"

    def span(self, path: str, last: str = "") -> tuple[int, int]:
        """Return the start and end of the text of a path, or of the text from one path to the end of another.

        A point starts and ends at the same offset.
        """
        node, offset = self.node(path), parsed_path(path).offset
        start, end = self.at[node], self.at[self.behind[node]]
        if offset is not None:
            if offset > end - start:
                raise NoSuchPath(f"{shown_path(path)}; it has {count_noun(end - start, 'character')} there")
            start = end = start + offset
        if last:
            end = self.span(last)[1]
            # an element ends at the offset where its next sibling begins
            if end < start or (end == start and self._is_before(last, path)):
                why = (
                    f"it ends at {end}, before it begins at {start}"
                    if end < start
                    else "the last element is before the first"
                )
                raise NoSuchPath(f"text from {shown_path(path)} to {shown_path(last)}: {why}")
        return start, end

    def _is_before(self, path: str, other: str) -> bool:
        """Return whether an element ends before another begins; for points, the offsets alone decide."""
        if parsed_path(path).offset is not None or parsed_path(other).offset is not None:
            return False
        return bool(self.behind[self.node(path)] <= self.node(other))

    def path(self, node: int) -> str:
        """Return the path of a node."""
        above = np.flatnonzero(self.tree.behind[: node + 1] > node).tolist()
        steps = []
        for parent, child in pairwise(above):
            name = self.tree.names[self.name[child]]
            steps.append(f"/{name}[{self.children_by_name(parent)[name].index(child) + 1}]")
        return "".join(steps) or "/"

    def holding(self, start: int, end: int) -> str:
        """Return the path of the smallest element that contains a span.

        Of several of the same size it is the innermost, or the one that begins there.
        """
        tree = self.tree
        around = np.flatnonzero((tree.start <= start) & (tree.end >= end) & (tree.name != TEXT_NAME))
        size = tree.end[around] - tree.start[around]
        return self.path(int(around[size == size.min()][-1]))

    def point(self, offset: int) -> str:
        """Return the path of the place before a character, or of the end of the text."""
        before = np.flatnonzero((self.tree.start <= offset) & (self.tree.name == TEXT_NAME))
        if not len(before):
            return self.holding(0, 0)
        return f"{self.path(int(before[-1]))}.{offset - self.at[before[-1]]}"

    def paths(self) -> list[str]:
        """Return the paths of all nodes."""
        paths, above = ["/"], [0]
        seen: dict[tuple[int, int], int] = {}
        for node, code in enumerate(self.tree.name[1:].tolist(), 1):
            while self.behind[above[-1]] <= node:
                above.pop()
            number = seen[above[-1], code] = seen.get((above[-1], code), 0) + 1
            paths.append(f"{paths[above[-1]].rstrip('/')}/{self.tree.names[code]}[{number}]")
            above.append(node)
        return paths


# Follow many paths in many documents at once: all trees are in a few columns, and one search takes one step of all
# paths.

# integers of any width
Numbers: TypeAlias = "NDArray[Any]"

NAME_BITS = 20
NONE = -1


class Nodes(NamedTuple):
    """The nodes of some trees: where the text of each begins and ends, and an index of children.

    `key` combines the parent and the name of each node and `node` is its number. They are sorted by parent, name and
    document order, and leave out the documents themselves. There are many nodes, so most columns have 32 bits, as
    packed trees do.
    """

    start: Numbers
    end: Numbers
    key: Numbers
    node: Numbers

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.start)

    def and_then(self, others: Nodes) -> Nodes:
        """Return these nodes followed by others."""
        base = self.size
        moved = others._replace(key=others.key + (base << NAME_BITS), node=others.node + np.uint32(base))
        return Nodes(*(np.concatenate(columns) for columns in zip(self, moved, strict=True)))

    def below(self, parent: Ints, name: Ints, number: Ints) -> Ints:
        """Return for each parent its child with this name and number; NONE if there is none."""
        wanted = parent << NAME_BITS | name
        place = np.searchsorted(self.key, wanted) + number - 1
        there = np.flatnonzero(place < len(self.key))
        there = there[self.key[place[there]] == wanted[there]]
        nodes = np.full(len(wanted), NONE)
        nodes[there] = self.node[place[there]]
        return nodes


class Steps(NamedTuple):
    """Paths in columns: one row per path, and one column per step for its name and its number.

    `depth` is the number of steps. `offset` is the number of characters after the start of the node, or NONE if the
    path is not a point. `is_plain` is false if the path must be followed by a Finder.
    """

    name: Ints
    number: Ints
    depth: Ints
    offset: Ints
    is_plain: Bools


class Forest:
    """The trees of many documents in a few tables, and the table and first node of each document."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._place: dict[str, tuple[int, int]] = {}
        self._parts: list[Nodes] = []

    def __contains__(self, document: str) -> bool:
        return document in self._place

    @property
    def size(self) -> int:
        """The number of nodes."""
        return sum(part.size for part in self._parts)

    @property
    def has_too_many_names(self) -> bool:
        """Whether there are more names than a key has numbers for."""
        return len(self._names) > 1 << NAME_BITS

    def add(self, trees: Iterable[tuple[str, Tree]]) -> None:
        """Add the trees of some documents."""
        documents, added = zip(*trees, strict=True)
        sizes = [len(tree.name) for tree in added]
        bases = [0, *accumulate(sizes[:-1])]
        self._place |= {document: (len(self._parts), base) for document, base in zip(documents, bases, strict=True)}
        self._parts.append(self._nodes(added, bases))
        # merge small parts, so that there are few and none is copied often
        while len(self._parts) > 1 and self._parts[-2].size <= 2 * self._parts[-1].size:
            self._join_last()

    def _join_last(self) -> None:
        last, before = self._parts.pop(), self._parts.pop()
        number, base = len(self._parts) + 1, before.size
        moved = {document: (number - 1, base + at) for document, (part, at) in self._place.items() if part == number}
        self._place |= moved
        self._parts.append(before.and_then(last))

    def _nodes(self, trees: Sequence[Tree], bases: list[int]) -> Nodes:
        parent = parents(np.concatenate([tree.behind + base for tree, base in zip(trees, bases, strict=True)]))
        name = np.concatenate([self._codes(tree.names)[tree.name] for tree in trees])
        below = np.flatnonzero(parent != NONE)
        parent, name = parent[below], name[below]
        order = ascending(parent, name)
        key = parent << NAME_BITS | name
        start = np.concatenate([tree.start.astype(np.uint32) for tree in trees])
        end = np.concatenate([tree.end.astype(np.uint32) for tree in trees])
        return Nodes(start, end, key[order], below[order].astype(np.uint32))

    def _codes(self, names: list[str]) -> Ints:
        return np.array([self._names.setdefault(name, len(self._names)) for name in names], np.int64)

    def spans(self, documents: Sequence[str], paths: Sequence[str]) -> tuple[Ints, Ints]:
        """Return the start and end of each path's text; NONE if there is no such path or it needs a Finder."""
        different, row = number_texts(paths)
        steps = self._steps(different)
        different, which = number_texts(documents)
        part, base = np.array([self._place[document] for document in different], np.int64).reshape(-1, 2)[which].T
        start, end = np.full(len(paths), NONE), np.full(len(paths), NONE)
        for number_of_part, nodes in enumerate(self._parts):
            here = np.flatnonzero((part == number_of_part) & steps.is_plain[row])
            start[here], end[here] = _follow_paths(nodes, base[here], steps, row[here])
        return start, end

    def _steps(self, paths: list[str]) -> Steps:
        in_steps = [_parse_path(path) for path in paths]
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


def number_texts(texts: Sequence[str]) -> tuple[list[str], Ints]:
    """Return the distinct texts, and for each text which of them it is."""
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    return list(numbers), np.fromiter(map(numbers.__getitem__, texts), np.int64, len(texts))


def _parse_path(path: str) -> Path | None:
    try:
        return parsed_path(path)
    except NoSuchPath:
        return None


def _follow_paths(nodes: Nodes, node: Ints, steps: Steps, row: Ints) -> tuple[Ints, Ints]:
    """Follow the paths of some rows from the roots of their documents; return the start and end of each."""
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
    """Return the parent of each node; NONE for a root. `behind` is the first node after a node and its descendants."""
    count = len(behind)
    depth = np.arange(1, count + 1) - np.cumsum(np.bincount(behind, minlength=count + 1)[:count])
    # Sort the nodes by depth, then by number: a parent is the last node before its child that is one level higher.
    key = depth * count + np.arange(count)
    order = np.argsort(depth.astype(np.int16) if depth.max(initial=0) < 1 << 15 else depth, kind="stable")
    above = order[np.maximum(np.searchsorted(key[order], key - count) - 1, 0)]
    return np.where(depth > 1, above, NONE)
