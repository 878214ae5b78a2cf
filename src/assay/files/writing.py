"""Write a file completely or not at all; the user's cache folder."""

import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from assay.errors import InputError
from assay.files.source import zstandard


def refuse_unwritable(path: str | os.PathLike[str]) -> None:
    """Refuse a path that is a folder, or whose folder does not exist."""
    label = os.fspath(path)
    target = os.path.realpath(label)
    if os.path.isdir(target):
        raise InputError("this is a folder; expected a file", label)
    if not os.path.isdir(os.path.dirname(target)):
        raise InputError(f"cannot write the file: there is no folder {os.path.dirname(label)}; create it first", label)


def refuse_input_as_output(output: str | os.PathLike[str], *inputs: object) -> None:
    """Refuse to overwrite an input file or a file in an input folder, even if the paths are written differently.

    `inputs` that are not paths are skipped.
    """
    if not os.path.exists(output):
        return
    label = os.fspath(output)
    for path in (os.fspath(given) for given in inputs if isinstance(given, str | os.PathLike)):
        if os.path.exists(path) and os.path.samefile(output, path):
            raise InputError(f"the output is the same file as the input {path}; choose another file", label)
        if os.path.isdir(path) and Path(os.path.realpath(output)).is_relative_to(os.path.realpath(path)):
            raise InputError(f"the output is inside the input folder {path}; choose another file", label)


def write(path: str | os.PathLike[str], content: bytes | Iterable[bytes]) -> None:
    """Write a file completely or not at all: readers see the old content or the new, never a part.

    Long content can be passed in pieces. A name that ends in .gz, .bz2, .xz or .zst compresses the file.
    """
    refuse_unwritable(path)
    label = os.fspath(path)
    pieces = compress(label, [content] if isinstance(content, bytes) else content)
    target = os.path.realpath(label)
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            with open(target, "wb") as device:
                device.writelines(pieces)
        else:
            _replace(target, pieces)
    except OSError as error:
        raise InputError(f"cannot write the file: {error.strerror or error}", label) from None


def compress(name: str, pieces: Iterable[bytes]) -> Iterable[bytes]:
    """Return the pieces of a file, compressed if its name says so; the same content always makes the same bytes."""
    make = COMPRESSORS.get(os.path.splitext(name)[1].lower())
    return pieces if make is None else _through(make(), pieces)


class Compressor(Protocol):
    """What compressors of all formats have in common."""

    def compress(self, piece: bytes, /) -> bytes:
        """Return the bytes that can be written so far."""

    def flush(self) -> bytes:
        """Return the remaining bytes."""


def _through(compressor: Compressor, pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        yield compressor.compress(piece)
    yield compressor.flush()


def _gzip() -> Compressor:
    import zlib

    # adding 16 to the window size makes a gzip file, without a name and a time
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


# The user's cache folder, which keeps what takes long to make.
#
# It is the platform's folder for caches (~/.cache/assay on Linux), or the one that ASSAY_CACHE names. If ASSAY_CACHE is
# set but empty, nothing is kept. All files in it may be deleted at any time. Assay does not use a folder that others
# may write to, and follows no link in it.

VARIABLE = "ASSAY_CACHE"


def cache_folder(below: str = "") -> str | None:
    """Return the cache folder or one below it; None if caching is off, or there is no safe place for it."""
    folder = _named_folder()
    if folder is None or not is_own_folder(folder):
        return None
    within = os.path.join(folder, below) if below else folder
    return within if within == folder or (is_own_folder(within) and not os.path.islink(within)) else None


def _named_folder() -> str | None:
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


def is_own_folder(folder: str) -> bool:
    """Return whether the user owns a folder, and any link to it, and nobody else may write there.

    True if it does not exist yet, because Assay will create it, and always on Windows, which does not report owners.
    """
    if not hasattr(os, "geteuid"):
        return True
    try:
        facts = os.stat(folder)
        return {facts.st_uid, os.lstat(folder).st_uid} == {os.geteuid()} and not facts.st_mode & OTHERS_WRITE
    except FileNotFoundError:
        return not os.path.islink(folder)
    except (OSError, ValueError):
        return False


OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def make_own_folder(folder: str) -> None:
    """Create the cache folder or one below it for the user alone; raise OSError if somebody else made it first."""
    os.makedirs(os.path.dirname(folder), 0o700, exist_ok=True)
    os.makedirs(folder, 0o700, exist_ok=True)
    if not is_own_folder(folder):
        raise PermissionError(folder)


def is_regular_file(path: str) -> bool:
    """Return whether a path in the cache folder is a regular file.

    A link leads elsewhere, and reading from a pipe would block.
    """
    return os.path.isfile(path) and not os.path.islink(path)


def read_or_make(name: str, checksum: str | None, make: Callable[[], str]) -> str:
    """Return a text from the cache if it has the expected SHA-256; otherwise make it.

    The checksum never comes from the cache folder. Without a checksum, nothing is kept.
    """
    folder = cache_folder() if checksum else None
    if folder is None:
        return make()
    path = os.path.join(folder, name)
    if is_regular_file(path):
        with suppress(OSError), open(path, "rb") as file:
            content = file.read()
            if sha256(content).hexdigest() == checksum:
                return content.decode()
    text = make()
    content = text.encode()
    # if there is no home, no space or no permission to write, nothing is kept
    if sha256(content).hexdigest() == checksum:
        with suppress(OSError):
            make_own_folder(folder)
            _replace(path, [content])
    return text
