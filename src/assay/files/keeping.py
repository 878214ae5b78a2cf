"""The user's cache folder, where what takes long to make is kept for the next time.

It is the folder that the platform has for such things (~/.cache/assay on Linux), or the one that ASSAY_CACHE names;
where that is set but empty nothing is kept. All of its files may be deleted at any time.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256

from assay.errors import InputError
from assay.files.writing import write

VARIABLE = "ASSAY_CACHE"


def cache_folder() -> str | None:
    """The folder; None where nothing shall be kept, or there is no place for it."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return os.path.abspath(named) if named else None
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return os.path.join(local, "assay", "Cache") if local else None
    given = os.environ.get("XDG_CACHE_HOME", "")
    if sys.platform != "darwin" and os.path.isabs(given):
        return os.path.join(given, "assay")
    home = os.path.expanduser("~")
    if not os.path.isdir(home):
        return None
    return os.path.join(home, *(("Library", "Caches") if sys.platform == "darwin" else (".cache",)), "assay")


def kept(name: str, version: str, make: Callable[[], str]) -> str:
    """A text that takes long to make, as it was kept; it is made, and kept, where another version is there or none.

    A file that is damaged is as good as none.
    """
    folder = cache_folder()
    if folder is None:
        return make()
    path = os.path.join(folder, name)
    # a pipe would wait for somebody to write
    if os.path.isfile(path):
        with suppress(OSError), open(path, "rb") as file:
            head, content = file.readline(), file.read()
            if head == _head(version, content):
                return content.decode()
    text = make()
    content = text.encode()
    # no home, no room, no leave to write: then nothing is kept
    with suppress(OSError, InputError):
        os.makedirs(folder, 0o700, exist_ok=True)
        write(path, [_head(version, content), content])
    return text


def _head(version: str, content: bytes) -> bytes:
    """The first line of a kept file, by which it is known as whole and as the version that is wanted."""
    return f"Assay {version} {sha256(content).hexdigest()}\n".encode()
