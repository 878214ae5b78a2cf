"""What a file is, told from its first bytes."""

from __future__ import annotations

from assay.files.source import Source
from assay.formats.format import Format
from assay.formats.heads import Head
from assay.formats.registry import every_format
from assay.vocabulary import FileKind


def recognise(source: Source, kind: FileKind | None = None) -> Format:
    """The format of a file, from its first bytes; `kind` tells what is expected there."""
    head = Head(source.head())
    formats = list(every_format())
    return next((each for each in reversed(formats) if each.recognises(head, kind)), formats[0])
