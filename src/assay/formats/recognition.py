"""What a file is, told from its first bytes."""

from __future__ import annotations

import os

from assay.files.source import STDIN, Source
from assay.formats.format import Format
from assay.formats.heads import Head
from assay.formats.registry import every_format
from assay.vocabulary import FileKind


def recognise(source: Source, kind: FileKind | None = None) -> Format:
    """The format of a file, from its first bytes, or of a folder; `kind` tells what is expected there."""
    if in_folder := recognise_folder(source.path, kind):
        return in_folder
    head = Head(source.head())
    formats = list(every_format())
    return next((each for each in reversed(formats) if each.recognises(head, kind)), formats[0])


def recognise_folder(path: str, kind: FileKind | None = None) -> Format | None:
    """The format of the files in a folder; None where the path is none of a folder, or nothing in it is known."""
    if path == STDIN or not os.path.isdir(path):
        return None
    known = (each for each in every_format() if kind is None or kind in each.folders_hold)
    return next((each for each in known if each.is_folder(path)), None)
