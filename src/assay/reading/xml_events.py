"""Read XML files element by element. The parser opens no other file and leaves entities unresolved."""

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

# The highest line number that older versions of libxml2 report; the element may be on any later line.
LAST_LINE = 65535
# The outermost element mostly begins within this many bytes.
FEW = 1 << 12


def events(source: Source, event: str, tag: str | None = None, size: int | None = None) -> Iterator[Any]:
    """Yield every element, or every one with this tag, when it starts or ends; `size` bytes are read at a time.

    The parser opens no other file and leaves entities unresolved.
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
    """Turn an error of the parser into a fault of the file."""
    from lxml import etree

    try:
        yield
    except etree.XMLSyntaxError as error:
        fault = unreadable(error)
        what = fault.what if fault.column is None else f"{fault.what} (column {fault.column}): {fault.why}"
        raise source.fault(what, fault.line or None) from None


def root(source: Source) -> tuple[str, dict[str, str]]:
    """Return the name and the attributes of the outermost element."""
    element = next(events(source, "start", size=FEW))
    return str(element.tag), dict(element.attrib)


def elements(source: Source, tag: str) -> Iterator[Any]:
    """Yield every element with this tag as soon as it is read; free it when the next one is requested."""
    for element in events(source, "end", tag):
        yield element
        forget(element)


def forget(element: etree._Element) -> None:
    """Free an element and its earlier siblings."""
    element.clear()
    above = element.getparent()
    while above is not None and element.getprevious() is not None:
        del above[0]


def line_of_element(element: etree._Element) -> int | None:
    """Return the line on which an element begins; None if it is not known."""
    line: int = element.sourceline
    return line if line != LAST_LINE or lines_go_on() else None


@cache
def lines_go_on() -> bool:
    """Return whether libxml2 counts more than 65535 lines, which depends on its version."""
    from lxml import etree

    return bool(etree.fromstring(b"<a>" + b"\n" * LAST_LINE + b"<b/></a>")[0].sourceline > LAST_LINE)


def place_of_element(element: etree._Element, source: Source) -> Place:
    """Return where an element begins."""
    return Place(source.label, line_of_element(element))


def stripped_text(element: etree._Element) -> str:
    """Return the text of an element without whitespace around it."""
    return (element.text or "").strip()


def document_id(name: str) -> str:
    """Return the id of a document: the name of its file without the ending .xml."""
    return name.strip().removesuffix(".xml")
