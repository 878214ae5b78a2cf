"""What lxml says of XML that it cannot read, in our words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import XMLSyntaxError


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
