"""The nodes of a document, and where in its text they are; they are kept in few bytes."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

import numpy as np

from assay.tables.ids import Ints

TEXT = "text()"
# Numbers of names: that of the document itself, which has none, and that of text nodes.
DOCUMENT_NAME, TEXT_NAME = 0, 1
HEAD = struct.Struct("<3I")


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
            # a number below 0 would be too great a one
            name, held, size = np.frombuffer(content, "<u4", offset=names).astype(np.int64).reshape(3, nodes)
        except (struct.error, zlib.error) as error:
            raise ValueError(str(error)) from None
        tree = cls(
            content[:names].decode().split("\n"), name, held + np.arange(nodes), np.concatenate(([0], np.cumsum(size)))
        )
        good = nodes and name.max() < len(tree.names) and held.all()
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
