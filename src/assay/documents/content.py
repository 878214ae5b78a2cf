"""A document as it is found, before it is read: XML or text."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from html.entities import html5
from itertools import chain
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.documents import xml as xml_tree
from assay.documents.names import TEXT_ENDINGS, XML_ENDINGS
from assay.documents.xml import DOCUMENT_NAME, TEXT, TEXT_NAME, Tree
from assay.errors import InputError
from assay.files.line_blocks import LARGEST
from assay.files.source import MARK, not_utf8
from assay.files.xml_faults import Unreadable, unreadable

if TYPE_CHECKING:
    from lxml import etree

# The text of a document, and where in it its elements are.
#
# The text is what an XML parser hands over between the tags, from the start of the root element: every blank counts, a
# line end is one character, a CDATA section is text as any other, and so are the characters that references stand for.
# Tags, attributes, comments and processing instructions are no text. An entity is one character: the one that it stands
# for, or U+FFFD if that is more than one; where the document does not define it itself, because its DTD does, the
# one of that name in HTML. No DTD, and no other file that a document names, is ever opened.
#
# Text nodes are those of XPath: between two tags, comments or processing instructions all characters are one node.

UNKNOWN = "\ufffd"


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
        return _build_tree(etree.fromstring(content, parser), etree)
    except etree.XMLSyntaxError as error:
        raise unreadable(error) from None


def _build_tree(root: etree._Element, etree: ModuleType) -> tuple[Tree, str]:
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


def _entities(root: etree._Element) -> Callable[[Any], str]:
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
            what = f"the entity &{name}; refers to another file, which Assay does not open"
            raise Unreadable(f"{what}; expected all of the text in this file", line)
        if "<" in content:
            raise Unreadable(f"the entity &{name}; contains XML elements; expected only characters", line)
        # the parser has refused those that are for themselves, or for a lot
        resolved = re.sub("&([^;]+);", lambda reference: text(reference[1], line), content)
        return resolved if len(resolved) == 1 else UNKNOWN

    return lambda node: text(node.name, node.getparent().sourceline)


XML_STARTS = (b"<?xml", MARK + b"<?xml", "\ufeff<?xml".encode("utf-16-le"), "\ufeff<?xml".encode("utf-16-be"))


class Content(NamedTuple):
    """A document as it was found: how messages name the place, the line in a file of many, and what is there."""

    label: str
    data: bytes | str
    is_xml: bool
    line: int | None = None

    def read(self) -> tuple[xml_tree.Tree, str]:
        """Its nodes and its text."""
        try:
            return read_xml(self.data) if self.is_xml else xml_tree.text_tree(self._decode())
        except Unreadable as error:
            what = error.what
            if error.column is not None:
                line = f"line {error.line}, " if self.line else ""
                what += f" at {line}column {error.column}: {error.why}"
            raise InputError(what, self.label, self.line or error.line) from None

    def packed(self) -> bytes:
        """What there is to know of it, in few bytes."""
        return self.read()[0].packed() if self.is_xml else xml_tree.packed_plain(len(self._decode()))

    def _decode(self) -> str:
        if isinstance(self.data, str):
            return self.data
        data = self.data.removeprefix(MARK)
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            what = not_utf8(data[error.start])
            raise InputError(what, self.label, line) from None


def content_of(label: str, name: str, data: bytes) -> Content:
    """The content of a file: XML by its ending or, where that may be of anything, by its first bytes; else text."""
    if len(data) > LARGEST:
        raise InputError(f"more than {LARGEST >> 20} MB; expected one document per file", label)
    ending = os.path.splitext(name)[1].lower()
    return Content(
        label, data, ending in XML_ENDINGS or (ending not in TEXT_ENDINGS[:3] and data.startswith(XML_STARTS))
    )
