"""XML files read element by element. No other file is opened, and entities are left as they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from assay.documents.xml import unreadable
from assay.files.source import Source
from assay.tables.places import Place

if TYPE_CHECKING:
    from lxml import etree

# The line of an element that may be this or any later one.
LAST_LINE = 65535
# The outermost element begins within this many bytes, mostly.
FEW = 1 << 12


def events(source: Source, event: str, tag: str | None = None, size: int | None = None) -> Iterator[Any]:
    """Every element, or every one of a name, that starts or ends; this many bytes are read at a time. No other file is
    opened, and entities are left as they are.
    """
    from lxml import etree

    reader = etree.XMLPullParser(
        (event,), tag=tag, resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False
    )
    with refusing_xml(source):
        for block in source.blocks(size):
            reader.feed(block)
            yield from (element for _, element in reader.read_events())
        reader.close()
        yield from (element for _, element in reader.read_events())


@contextmanager
def refusing_xml(source: Source) -> Iterator[None]:
    """What the parser refuses is a fault of the file."""
    from lxml import etree

    try:
        yield
    except etree.XMLSyntaxError as error:
        fault = unreadable(error)
        what = fault.what if fault.column is None else f"{fault.what} (column {fault.column}): {fault.why}"
        raise source.fault(what, fault.line or None) from None


def root(source: Source) -> tuple[str, dict[str, str]]:
    """The name and the attributes of the outermost element."""
    element = next(events(source, "start", size=FEW))
    return str(element.tag), dict(element.attrib)


def elements(source: Source, tag: str) -> Iterator[Any]:
    """Every element of a name, as soon as it is read; it is forgotten when the next one is asked for."""
    for element in events(source, "end", tag):
        yield element
        forget(element)


def forget(element: etree._Element) -> None:
    """Free an element, and what is before it."""
    element.clear()
    above = element.getparent()
    while above is not None and element.getprevious() is not None:
        del above[0]


def line_of_element(element: etree._Element) -> int | None:
    """The line on which an element begins, if that is known."""
    line: int = element.sourceline
    return line if line != LAST_LINE or lines_go_on() else None


@cache
def lines_go_on() -> bool:
    """Whether the library counts more lines than a number of two bytes can; it depends on its version."""
    from lxml import etree

    return bool(etree.fromstring(b"<a>" + b"\n" * LAST_LINE + b"<b/></a>")[0].sourceline > LAST_LINE)


def place_of_element(element: etree._Element, source: Source) -> Place:
    """Where an element begins."""
    return Place(source.label, line_of_element(element))


def stripped_text(element: etree._Element) -> str:
    """The text of an element, without blanks around it."""
    return (element.text or "").strip()


def document_id(name: str) -> str:
    """A document's id: the name of its file, with or without its ending."""
    return name.strip().removesuffix(".xml")
