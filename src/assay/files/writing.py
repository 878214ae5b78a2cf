"""Writing a file, whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

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


def _through(compressor: Any, pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        yield compressor.compress(piece)
    yield compressor.flush()


def _gzip() -> Any:
    import zlib

    # 16 beyond the size of the window makes it a gzip file, without a name and a time
    return zlib.compressobj(wbits=16 + zlib.MAX_WBITS)


def _bz2() -> Any:
    import bz2

    return bz2.BZ2Compressor()


def _xz() -> Any:
    import lzma

    return lzma.LZMACompressor()


def _zstd() -> Any:
    return zstandard().ZstdCompressor()


COMPRESSORS: dict[str, Callable[[], Any]] = {".gz": _gzip, ".bz2": _bz2, ".xz": _xz, ".zst": _zstd}


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
