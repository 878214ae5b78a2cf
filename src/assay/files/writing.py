"""Writing a file, whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from contextlib import suppress

from assay.errors import InputError


def refuse_unwritable(path: str | os.PathLike[str]) -> None:
    """Refuse a path that is a folder, or that lies in a folder that does not exist."""
    label = os.fspath(path)
    target = os.path.realpath(label)
    if os.path.isdir(target):
        raise InputError("is a folder; expected a file", label)
    if not os.path.isdir(os.path.dirname(target)):
        raise InputError(f"cannot be written: there is no folder {os.path.dirname(label)}", label)


def write(path: str | os.PathLike[str], content: bytes | Iterable[bytes]) -> None:
    """Write a file, whole or not at all: who reads it sees the old content or the new one, never a part.

    What is long may be given in pieces.
    """
    pieces = [content] if isinstance(content, bytes) else content
    refuse_unwritable(path)
    label = os.fspath(path)
    target = os.path.realpath(label)
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            with open(target, "wb") as device:
                device.writelines(pieces)
        else:
            _replace(target, pieces)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", label) from None


def _replace(target: str, pieces: Iterable[bytes]) -> None:
    draft = os.path.join(os.path.dirname(target), f".{secrets.token_hex(8)}.part")
    try:
        with open(draft, "xb") as file:
            file.writelines(pieces)
        if os.path.exists(target):
            os.chmod(draft, os.stat(target).st_mode & 0o7777)
        os.replace(draft, target)
    finally:
        with suppress(OSError):
            os.unlink(draft)
