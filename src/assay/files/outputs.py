"""Paths of files that are to be written, refused before the work of making them is done."""

from __future__ import annotations

import os

from assay.errors import InputError


def refuse_unwritable(path: str | os.PathLike[str]) -> None:
    """Refuses a path that is a folder, or that lies in a folder that does not exist."""
    label = os.fspath(path)
    target = os.path.realpath(label)
    if os.path.isdir(target):
        raise InputError("is a folder; expected a file", label)
    if not os.path.isdir(os.path.dirname(target)):
        raise InputError(f"cannot be written: there is no folder {os.path.dirname(label)}", label)
