"""The text of a document, and where in it its elements are.

The text is what an XML parser hands over between the tags, from the start of the root element: every blank counts, a
line end is one character, a CDATA section is text as any other, and so are the characters that references stand for.
Tags, attributes, comments and processing instructions are no text. An entity is one character: the one that it stands
for, or U+FFFD where that is more than one; where the document does not define it itself, because its DTD does, the one
of that name in HTML. No DTD, and no other file that a document names, is ever opened.

Text nodes are those of XPath: between two tags, comments or processing instructions all characters are one node.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from html.entities import html5
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np

from assay.errors import counted, listed, quoted
from assay.files.xml_faults import Unreadable, unreadable
from assay.tables.ids import Ints

TEXT = "text()"
# Numbers of names: that of the document itself, which has none, and that of text nodes.
DOCUMENT_NAME, TEXT_NAME = 0, 1
UNKNOWN = "\ufffd"
# A prefix says nothing: names are compared without their namespaces. What follows a point may belong to a name.
STEP = r"/(?:[^][\s/()@*:]+:)?(text\(\)|\*|[^][\s/()@*:]+)(?:\[([0-9]{1,9})\])?"
PATH = re.compile(rf"((?:{STEP})+)/?(?:(?<=[\])])\.([0-9]{{1,9}}))?")
LIKE = "expected one like /article[1]/sec[2]"
HEAD = struct.Struct("<3I")


class NoSuchPath(Exception):
    """A path that leads to nothing in a document; the text goes on after `document d1 has no`."""


class Path(NamedTuple):
    """A path in its steps, each a name and which of that name, and how many characters it goes on from there."""

    steps: tuple[tuple[str, int], ...]
    offset: int | None


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """The nodes of a document in their order: the document itself, then its elements and text nodes.

    Of each: the number of its name, the number of the first node behind it and all that it holds, and where its text
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
            name, held, size = np.frombuffer(content, "<i4", offset=names).astype(np.int64).reshape(3, nodes)
        except (struct.error, zlib.error) as error:
            raise ValueError(str(error)) from None
        tree = cls(
            content[:names].decode().split("\n"), name, held + np.arange(nodes), np.concatenate(([0], np.cumsum(size)))
        )
        good = nodes and name.min() >= 0 and name.max() < len(tree.names) and held.min() > 0 and size.min() >= 0
        if not (good and tree.behind.max() <= nodes and tree.behind[0] == nodes and tree.at[-1] == length):
            raise ValueError("no tree of a document")
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


def read_xml(content: bytes | str) -> tuple[Tree, str]:
    """An XML document, and its text."""
    from lxml import etree

    # entities are left as they stand: whatever they are defined as, nothing is opened and nothing grows
    secure = {"resolve_entities": False, "load_dtd": False, "no_network": True, "huge_tree": False}
    if isinstance(content, str):
        parser, content = etree.XMLParser(encoding="utf-8", **secure), content.encode("utf-8", "surrogatepass")
    else:
        parser = etree.XMLParser(**secure)
    try:
        return _walked(etree.fromstring(content, parser), etree)
    except etree.XMLSyntaxError as error:
        raise unreadable(error) from None


def _walked(root: Any, etree: Any) -> tuple[Tree, str]:
    names = {"": DOCUMENT_NAME, TEXT: TEXT_NAME}
    codes = {etree.Comment: -1, etree.ProcessingInstruction: -1, etree.Entity: -2}
    name, behind, at, pieces = [DOCUMENT_NAME], [0], [0], [""]
    # the elements that are not closed yet, and their numbers
    opened: list[Any] = []
    numbers: list[int] = []
    # whether text goes on in the text node before it
    joined = False
    entities: Callable[[Any], str] | None = None
    for node in chain(root.iter(), (None,)):
        parent = None if node is None else node.getparent()
        while opened and opened[-1] is not parent:
            behind[numbers.pop()] = len(name)
            joined = False
            if text := opened.pop().tail:
                name.append(TEXT_NAME)
                at.append(len(pieces))
                behind.append(len(name))
                pieces.append(text)
                joined = True
        if node is None:
            break
        code = codes.get(tag := node.tag)
        if code is None:
            code = codes[tag] = names.setdefault(tag.rpartition("}")[2], len(names))
        if code > 0:
            joined = False
            opened.append(node)
            numbers.append(len(name))
            name.append(code)
            at.append(len(pieces))
            behind.append(0)
            text = node.text
        elif code == -1:
            joined = False
            text = node.tail
        else:
            entities = entities or _entities(root)
            text = entities(node) + (node.tail or "")
        if text:
            if not joined:
                name.append(TEXT_NAME)
                at.append(len(pieces))
                behind.append(len(name))
                joined = True
            pieces.append(text)
    behind[0] = len(name)
    at.append(len(pieces))
    lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
    places = np.concatenate(([0], np.cumsum(lengths)))[np.array(at)]
    return Tree(list(names), np.array(name), np.array(behind), places), "".join(pieces)


def _entities(root: Any) -> Callable[[Any], str]:
    """A function from a reference to the text that it stands for."""
    dtd = root.getroottree().docinfo.internalDTD
    defined = {} if dtd is None else {entity.name: entity.content for entity in dtd.iterentities()}

    def text(name: str, line: int) -> str:
        if name.startswith("#"):
            return chr(int(name[2:], 16) if name[1] == "x" else int(name[1:]))
        if name not in defined:
            known = html5.get(name + ";", UNKNOWN)
            return known if len(known) == 1 else UNKNOWN
        content = defined[name]
        if content is None:
            raise Unreadable(
                f"its entity &{name}; is another file, which is not opened; expected the whole text in this one", line
            )
        if "<" in content:
            raise Unreadable(f"its entity &{name}; holds elements; expected it to stand for characters only", line)
        # the parser has refused those that stand for themselves, or for a lot
        resolved = re.sub("&([^;]+);", lambda reference: text(reference[1], line), content)
        return resolved if len(resolved) == 1 else UNKNOWN

    return lambda node: text(node.name, node.getparent().sourceline)


@lru_cache(1 << 16)
def parsed_path(path: str) -> Path:
    """A path in its steps: `/article[1]/sec[2]`, where a name alone is the first of its name; `/` is the whole
    document.
    """
    if path == "/":
        return Path((), None)
    if "/@" in path:
        raise NoSuchPath(f"text at {_shown(path)}, which is an attribute; expected an element")
    if not (matched := PATH.fullmatch(path)):
        raise NoSuchPath(f"{quoted(path)}, which is no path; {LIKE}")
    steps = tuple((name, int(number or 1)) for name, number in re.findall(STEP, matched[1]))
    if any(number == 0 for _, number in steps):
        raise NoSuchPath(f"{_shown(path)}, as the first of a name is 1; {LIKE}")
    return Path(steps, int(matched[4]) if matched[4] else None)


def normal(path: str) -> str:
    """The path of an element with the number of each of its steps, and without prefixes; a ValueError where it is none.
    """
    try:
        steps, offset = parsed_path(path)
    except NoSuchPath as error:
        raise ValueError(str(error)) from None
    if offset is not None or not steps or any(name in (TEXT, "*") for name, _ in steps):
        raise ValueError(f"{quoted(path)}, which is no path of an element; {LIKE}")
    return "".join(f"/{name}[{number}]" for name, number in steps)


def _shown(path: str) -> str:
    return path if len(path) <= 200 else path[:199] + "…"


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
                raise NoSuchPath(f"{_shown(path)}; {self._instead(node, name, len(there))}")
            node = there[number - 1]
        return node

    def _instead(self, node: int, name: str, number: int) -> str:
        where = _shown(self.path(node))
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
                raise NoSuchPath(f"{_shown(path)}; it has {counted(end - start, 'character')} there")
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
                raise NoSuchPath(f"text from {_shown(path)} to {_shown(last)}: {why}")
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
