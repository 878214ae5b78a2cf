"""Writing a file, whole or not at all."""

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
    """Refuse a path that is a folder, or that lies in a folder that does not exist."""
    label = os.fspath(path)
    target = os.path.realpath(label)
    if os.path.isdir(target):
        raise InputError("this is a folder; expected a file", label)
    if not os.path.isdir(os.path.dirname(target)):
        raise InputError(f"cannot write the file: there is no folder {os.path.dirname(label)}; create it first", label)


def refuse_input_as_output(output: str | os.PathLike[str], *inputs: object) -> None:
    """Refuse to write over a file that is read, or over one in a folder that is read, whatever way its path is written.

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
    """Write a file, whole or not at all: who reads it sees the old content or the new one, never a part.

    What is long may be given in pieces. A file whose name ends in .gz, .bz2, .xz or .zst is compressed so.
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
# where that is set but empty nothing is kept. All of its files may be deleted at any time. What others may write to is
# not used, and no link in it is followed.

VARIABLE = "ASSAY_CACHE"


def cache_folder(below: str = "") -> str | None:
    """The folder, or one below it; None if nothing shall be kept, there is no place for it, or others may write."""
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
    """Whether a folder, and a link that leads to it, are the user's own and nobody else may write there.

    One that is not there yet is to be made. Windows tells no owner.
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
    """Make the cache folder or one below it, for the user alone; an OSError where somebody else was quicker."""
    os.makedirs(os.path.dirname(folder), 0o700, exist_ok=True)
    os.makedirs(folder, 0o700, exist_ok=True)
    if not is_own_folder(folder):
        raise PermissionError(folder)


def is_regular_file(path: str) -> bool:
    """Whether a path of the cache folder is a file: a link leads elsewhere, a pipe would wait for somebody to write."""
    return os.path.isfile(path) and not os.path.islink(path)


def read_or_make(name: str, checksum: str | None, make: Callable[[], str]) -> str:
    """A text that takes long to make, as it was kept, if it has the SHA-256 that is expected of it; else it is made.

    The checksum is never taken from the cache folder. Nothing is kept if none is known.
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
    # no home, no room, no leave to write: then nothing is kept
    if sha256(content).hexdigest() == checksum:
        with suppress(OSError):
            make_own_folder(folder)
            _replace(path, [content])
    return text
