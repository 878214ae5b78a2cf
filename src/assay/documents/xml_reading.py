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
from collections.abc import Callable
from html.entities import html5
from itertools import chain
from typing import Any

import numpy as np

from assay.documents.xml_tree import DOCUMENT_NAME, TEXT, TEXT_NAME, Tree
from assay.files.xml_faults import Unreadable, unreadable

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
