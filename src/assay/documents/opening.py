"""Which kind of collection is at a path."""

from __future__ import annotations

import os

from assay.documents.archives import Tar, Zip
from assay.documents.collection import Collection, Folder
from assay.documents.json_documents import JsonLines
from assay.files.source import Source, archive_of


def opened(path: str) -> Collection:
    """The collection that is at a path, recognised by its content."""
    if os.path.isdir(path):
        return Folder(path)
    source = Source(path)
    if not os.path.exists(path):
        raise source.fault("no such file or folder; expected documents")
    head = source.head()
    if archive := archive_of(head):
        return Zip(path) if archive == "ZIP" else Tar(path)
    if head.lstrip().startswith(b"{"):
        return JsonLines(path)
    raise source.fault("is no collection of documents; expected a folder, a .zip or .tar archive, or JSONL")
