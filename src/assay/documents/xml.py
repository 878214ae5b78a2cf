"""The nodes of a document, and where in its text they are; they are kept in few bytes."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from assay.errors import count_noun, list_names, quote
from assay.tables.ids import Bools, Ints
from assay.tables.sorting import ascending

if TYPE_CHECKING:
    from lxml.etree import XMLSyntaxError
    from numpy.typing import NDArray


# What lxml says of XML that it cannot read, in our words.


class Unreadable(Exception):
    """What is wrong with an XML document, on which line, and of malformed ones at which column and why."""

    def __init__(self, what: str, line: int, column: int | None = None, why: str = ""):
        super().__init__(what)
        self.what, self.line, self.column, self.why = what, line, column, why


def unreadable(error: XMLSyntaxError) -> Unreadable:
    """The fault that an XMLSyntaxError tells."""
    from lxml.etree import ErrorTypes

    why = re.sub(r", line \d+, column \d+$", "", error.msg or "it ends too early")
    line, column = error.position
    if error.code == ErrorTypes.ERR_ENTITY_LOOP or "amplification" in why:
        return Unreadable("the XML entities expand to too much text; expected a document without nested entities", line)
    if why == "Document is empty":
        return Unreadable("the document is empty; expected XML", line)
    return Unreadable("not well-formed XML", line, column, re.sub(r",? (use|try) XML_PARSE_HUGE( option)?", "", why))


TEXT = "text()"
# Numbers of names: that of the document itself, which has none, and that of text nodes.
DOCUMENT_NAME, TEXT_NAME = 0, 1
HEAD = struct.Struct("<3I")


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """The nodes of a document in their order: the document itself, then its elements and text nodes.

    Of each: the number of its name, the number of the first node after it and all that it holds, and where its text
    begins; at the end of `at` stands the length of the whole text.
    """

    names: list[str]
    name: Ints
    behind: Ints
    at: Ints

    @property
    def start(self) -> Ints:
        """Where the text of each node begins."""
        return self.at[:-1]

    @property
    def end(self) -> Ints:
        """Where the text of each node ends."""
        return self.at[self.behind]

    def packed(self) -> bytes:
        """The tree in few bytes, the length of its text first."""
        names = "\n".join(self.names).encode()
        columns = self.name, self.behind - np.arange(len(self.name)), np.diff(self.at)
        data = names + b"".join(column.astype("<i4").tobytes() for column in columns)
        return HEAD.pack(self.at[-1], len(names), len(self.name)) + zlib.compress(data, 1)

    @classmethod
    def unpacked(cls, data: bytes) -> Tree:
        """The tree that was packed; a ValueError where the bytes are none."""
        if len(data) == HEAD.size and HEAD.unpack(data)[1:] == (0, 0):
            return plain_tree(packed_length(data))
        try:
            length, names, nodes = HEAD.unpack_from(data)
            content = zlib.decompress(memoryview(data)[HEAD.size :])
            # a number below 0 would be too great a one
            name, held, size = np.frombuffer(content, "<u4", offset=names).astype(np.int64).reshape(3, nodes)
        except (struct.error, zlib.error) as error:
            raise ValueError(str(error)) from None
        tree = cls(
            content[:names].decode().split("\n"), name, held + np.arange(nodes), np.concatenate(([0], np.cumsum(size)))
        )
        good = nodes and name.max() < len(tree.names) and held.all()
        if not (good and tree.behind.max() <= nodes and tree.behind[0] == nodes and tree.at[-1] == length):
            raise ValueError("not a document tree")
        return tree


def is_packed(data: bytes) -> bool:
    """Whether some bytes may be a packed tree; that they are is seen when they are unpacked."""
    return len(data) >= HEAD.size


def packed_length(data: bytes) -> int:
    """The length of the text of a packed tree."""
    return int(HEAD.unpack_from(data)[0])


def packed_plain(length: int) -> bytes:
    """The tree of a document without elements, packed: the length of its text tells it all."""
    return HEAD.pack(length, 0, 0)


def plain_tree(length: int) -> Tree:
    """The tree of a document without elements."""
    nodes = 2 if length else 1
    name, behind, at = [DOCUMENT_NAME, TEXT_NAME][:nodes], [nodes] * nodes, [0] * nodes + [length]
    return Tree(["", TEXT], np.array(name), np.array(behind), np.array(at))


def text_tree(text: str) -> tuple[Tree, str]:
    """A document without elements, and its text."""
    return plain_tree(len(text)), text


# Paths of elements, as `/article[1]/sec[2]`, and how they are written.

# A prefix says nothing: names are compared without their namespaces. What follows a point may belong to a name.
STEP = r"/(?:[^][\s/()@*:]+:)?(text\(\)|\*|[^][\s/()@*:]+)(?:\[([0-9]{1,9})\])?"
PATH = re.compile(rf"((?:{STEP})+)/?(?:(?<=[\])])\.([0-9]{{1,9}}))?")
LIKE = "expected for example /article[1]/sec[2]"


class NoSuchPath(Exception):
    """A path that leads to nothing in a document; the text goes on after `document d1 has no`."""


class Path(NamedTuple):
    """A path in its steps, each a name and which of that name, and how many characters it goes on from there."""

    steps: tuple[tuple[str, int], ...]
    offset: int | None


@lru_cache(1 << 16)
def parsed_path(path: str) -> Path:
    """A path in its steps: `/article[1]/sec[2]`, where a name alone is the first of its name; `/` is the whole
    document.
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


# The most steps of a path: no parser of XML reads a document that is deeper.
DEEPEST = 256


def normal(path: str) -> str:
    """The path of an element with the number of each of its steps, and without prefixes; a ValueError where it is none.
    """
    try:
        steps, offset = parsed_path(path)
    except NoSuchPath as error:
        raise ValueError(str(error)) from None
    is_element = offset is None and 0 < len(steps) <= DEEPEST
    if not is_element or any(name in (TEXT, "*") for name, _ in steps):
        raise ValueError(f"{quote(path)}, which is not an element path; {LIKE}")
    return "".join(f"/{name}[{number}]" for name, number in steps)


def shown_path(path: str) -> str:
    """A path as messages have it, which is not too long."""
    return path if len(path) <= 200 else path[:199] + "…"


# The way from the path of an element to its place in a document, and back.


class Finder:
    """Finds paths in a document."""

    def __init__(self, tree: Tree):
        self.tree = tree
        # numbers are taken one by one, and most never
        self.name, self.behind, self.at = tree.name.data, tree.behind.data, tree.at.data
        self._held: dict[int, dict[str, list[int]]] = {}

    def children_by_name(self, node: int) -> dict[str, list[int]]:
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
        """Where the text of a path begins and ends, or that from one path to the end of another; a point begins and
        ends there.
        """
        node, offset = self.node(path), parsed_path(path).offset
        start, end = self.at[node], self.at[self.behind[node]]
        if offset is not None:
            if offset > end - start:
                raise NoSuchPath(f"{shown_path(path)}; it has {count_noun(end - start, 'character')} there")
            start = end = start + offset
        if last:
            end = self.span(last)[1]
            # of neighbours the one ends where the other begins
            if end < start or (end == start and self._is_before(last, path)):
                why = (
                    f"it ends at {end}, before it begins at {start}"
                    if end < start
                    else "the last element is before the first"
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
            steps.append(f"/{name}[{self.children_by_name(parent)[name].index(child) + 1}]")
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


# Many paths followed in many documents at once: all trees are in a few columns, and one step of all paths is one
# search.

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
        """These nodes and others after them."""
        base = self.size
        moved = others._replace(key=others.key + (base << NAME_BITS), node=others.node + np.uint32(base))
        return Nodes(*(np.concatenate(columns) for columns in zip(self, moved, strict=True)))

    def below(self, parent: Ints, name: Ints, number: Ints) -> Ints:
        """Of each parent the node below it that is the so-and-so-many-th of a name; NONE if there is none."""
        wanted = parent << NAME_BITS | name
        place = np.searchsorted(self.key, wanted) + number - 1
        there = np.flatnonzero(place < len(self.key))
        there = there[self.key[place[there]] == wanted[there]]
        nodes = np.full(len(wanted), NONE)
        nodes[there] = self.node[place[there]]
        return nodes


class Steps(NamedTuple):
    """Paths in columns: one row per path, one column per step, with its name and number; how many steps, how many
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
    """The different ones of some texts, and which of them each is."""
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    return list(numbers), np.fromiter(map(numbers.__getitem__, texts), np.int64, len(texts))


def _parse_path(path: str) -> Path | None:
    try:
        return parsed_path(path)
    except NoSuchPath:
        return None


def _follow_paths(nodes: Nodes, node: Ints, steps: Steps, row: Ints) -> tuple[Ints, Ints]:
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
    """The parent of each node, of which is known the first node after it and all that it holds; NONE of a node that
    has none.
    """
    count = len(behind)
    depth = np.arange(1, count + 1) - np.cumsum(np.bincount(behind, minlength=count + 1)[:count])
    # all nodes by depth and then in order: a parent is the last node before its child that is one less deep
    key = depth * count + np.arange(count)
    order = np.argsort(depth.astype(np.int16) if depth.max(initial=0) < 1 << 15 else depth, kind="stable")
    place = np.searchsorted(key[order], key - count) - 1
    return np.where(depth > 1, order[np.maximum(place, 0)], NONE)
