"""Writing a file, whole or not at all."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from assay.errors import InputError
from assay.files.source import zstandard


def refuse_unwritable(path: str | os.PathLike[str]) -> None:
    """Refuse a path that is a folder, or that lies in a folder that does not exist."""
    label = os.fspath(path)
    target = os.path.realpath(label)
    if os.path.isdir(target):
        raise InputError("is a folder; expected a file", label)
    if not os.path.isdir(os.path.dirname(target)):
        raise InputError(f"cannot be written: there is no folder {os.path.dirname(label)}", label)


def refuse_input_as_output(output: str | os.PathLike[str], *inputs: object) -> None:
    """Refuse to write over a file that is read, or over one in a folder that is read, whatever way its path is written.

    `inputs` that are no paths are passed over.
    """
    if not os.path.exists(output):
        return
    label = os.fspath(output)
    for path in (os.fspath(given) for given in inputs if isinstance(given, str | os.PathLike)):
        if os.path.exists(path) and os.path.samefile(output, path):
            raise InputError(f"is read as {path}; expected another file to write", label)
        if os.path.isdir(path) and Path(os.path.realpath(output)).is_relative_to(os.path.realpath(path)):
            raise InputError(f"is one of the files of {path}, which is read; expected another file to write", label)


def write(path: str | os.PathLike[str], content: bytes | Iterable[bytes]) -> None:
    """Write a file, whole or not at all: who reads it sees the old content or the new one, never a part.

    What is long may be given in pieces. A file whose name ends in .gz, .bz2, .xz or .zst is compressed so.
    """
    refuse_unwritable(path)
    label = os.fspath(path)
    pieces = compressed(label, [content] if isinstance(content, bytes) else content)
    target = os.path.realpath(label)
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            with open(target, "wb") as device:
                device.writelines(pieces)
        else:
            _replace(target, pieces)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", label) from None


def compressed(name: str, pieces: Iterable[bytes]) -> Iterable[bytes]:
    """Pieces of a file as its name asks for; the same content makes the same bytes."""
    make = COMPRESSORS.get(os.path.splitext(name)[1].lower())
    return pieces if make is None else _through(make(), pieces)


class Compressor(Protocol):
    """What the packages for compression have in common."""

    def compress(self, piece: bytes, /) -> bytes:
        """What can be written so far."""

    def flush(self) -> bytes:
        """What is left."""


def _through(compressor: Compressor, pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        yield compressor.compress(piece)
    yield compressor.flush()


def _gzip() -> Compressor:
    import zlib

    # 16 beyond the size of the window makes it a gzip file, without a name and a time
    return zlib.compressobj(wbits=16 + zlib.MAX_WBITS)


def _bz2() -> Compressor:
    import bz2

    return bz2.BZ2Compressor()


def _xz() -> Compressor:
    import lzma

    return lzma.LZMACompressor()


def _zstd() -> Compressor:
    return zstandard().ZstdCompressor()


COMPRESSORS: dict[str, Callable[[], Compressor]] = {".gz": _gzip, ".bz2": _bz2, ".xz": _xz, ".zst": _zstd}


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


# The user's cache folder, where what takes long to make is kept for the next time.
#
# It is the folder that the platform has for such things (~/.cache/assay on Linux), or the one that ASSAY_CACHE names;
# where that is set but empty nothing is kept. All of its files may be deleted at any time.

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
