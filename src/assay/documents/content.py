"""A document as it is found, before it is read: XML or text."""

from __future__ import annotations

import os
from typing import NamedTuple

from assay.documents import xml_reading, xml_tree
from assay.documents.names import TEXT_ENDINGS, XML_ENDINGS
from assay.errors import InputError
from assay.files.source import MARK
from assay.files.xml_faults import Unreadable

XML_STARTS = (b"<?xml", MARK + b"<?xml", "\ufeff<?xml".encode("utf-16-le"), "\ufeff<?xml".encode("utf-16-be"))
LARGEST = 256 << 20


class Content(NamedTuple):
    """A document as it was found: how messages name the place, the line in a file of many, and what stands there."""

    label: str
    data: bytes | str
    is_xml: bool
    line: int | None = None

    def read(self) -> tuple[xml_tree.Tree, str]:
        """Its nodes and its text."""
        try:
            return xml_reading.read_xml(self.data) if self.is_xml else xml_tree.text_tree(self._decoded())
        except Unreadable as error:
            what = error.what
            if error.column is not None:
                line = f"line {error.line}, " if self.line else ""
                what += f" at {line}column {error.column}: {error.why}"
            raise InputError(what, self.label, self.line or error.line) from None

    def packed(self) -> bytes:
        """What there is to know of it, in few bytes."""
        return self.read()[0].packed() if self.is_xml else xml_tree.packed_plain(len(self._decoded()))

    def _decoded(self) -> str:
        if isinstance(self.data, str):
            return self.data
        data = self.data.removeprefix(MARK)
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            what = f"is not UTF-8 text, which has no byte {data[error.start]:#x} here"
            raise InputError(what, self.label, line) from None


def content_of(label: str, name: str, data: bytes) -> Content:
    """The content of a file: XML by its ending or, where that may be of anything, by its first bytes; else text."""
    if len(data) > LARGEST:
        raise InputError(f"has more than {LARGEST >> 20} MB; expected one document", label)
    ending = os.path.splitext(name)[1].lower()
    return Content(
        label, data, ending in XML_ENDINGS or (ending not in TEXT_ENDINGS[:3] and data.startswith(XML_STARTS))
    )
