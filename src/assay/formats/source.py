"""Where bytes come from: a file, compressed or not, or standard input. Compression is recognised by content."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from assay.errors import InputError, quoted

BLOCK = 4 << 20
STDIN = "-"


def _zstd(stream: BinaryIO) -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd.ZstdFile(stream)


def _gzip(stream: BinaryIO) -> Any:
    import gzip

    return gzip.GzipFile(fileobj=stream)


def _bz2(stream: BinaryIO) -> Any:
    import bz2

    return bz2.BZ2File(stream)


def _xz(stream: BinaryIO) -> Any:
    import lzma

    return lzma.LZMAFile(stream)


COMPRESSIONS: dict[bytes, tuple[str, Callable[[BinaryIO], Any]]] = {
    b"\x1f\x8b": ("gzip", _gzip),
    b"BZh": ("bzip2", _bz2),
    b"\xfd7zXZ\0": ("xz", _xz),
    b"\x28\xb5\x2f\xfd": ("zstd", _zstd),
}


class Source:
    """A named stream of bytes that can be read from the start as often as needed."""

    def __init__(self, path: str | os.PathLike[str]):
        self.path = os.fspath(path)
        self._pipe: bytes | None = None
        self.done = 0

    @property
    def label(self) -> str:
        """How messages name it."""
        return "standard input" if self.path == STDIN else self.path

    @property
    def stem(self) -> str:
        """The file's name without folders and usual endings, for naming a run."""
        name = os.path.basename(self.label)
        for endings in ((".gz", ".bz2", ".xz", ".zst"), (".run", ".txt", ".csv", ".tsv", ".jsonl", ".parquet")):
            name = next((name[: -len(ending)] for ending in endings if name.endswith(ending)), name)
        return name or self.label

    @property
    def size(self) -> int:
        """Bytes on disk; 0 where that is not known."""
        return os.path.getsize(self.path) if os.path.isfile(self.path) else 0

    def fault(self, what: str, line: int | None = None) -> InputError:
        """The error that says what is wrong at this place of the source."""
        return InputError(what, self.label, line)

    def _raw(self) -> BinaryIO:
        try:
            if self.path == STDIN or (os.path.exists(self.path) and not os.path.isfile(self.path)):
                return io.BytesIO(self._kept())
            return open(self.path, "rb", buffering=0)
        except FileNotFoundError:
            raise self.fault("no such file") from None
        except IsADirectoryError:
            raise self.fault("is a folder; expected a file") from None
        except OSError as error:
            raise self.fault(f"cannot be read: {error.strerror}") from None

    def _kept(self) -> bytes:
        # what comes through a pipe comes once, and may be asked for again
        if self._pipe is None:
            if self.path == STDIN:
                self._pipe = sys.stdin.buffer.read()
            else:
                with open(self.path, "rb") as pipe:
                    self._pipe = pipe.read()
        return self._pipe

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """The uncompressed bytes, `size` at a time, without a byte order mark."""
        with self._raw() as raw:
            start = raw.read(6)
            raw.seek(0)
            name, opened = next(
                ((name, opener(raw)) for magic, (name, opener) in COMPRESSIONS.items() if start.startswith(magic)),
                ("", raw),
            )
            try:
                block = opened.read(size).removeprefix(b"\xef\xbb\xbf")
                while block:
                    self.done = raw.tell()
                    yield block
                    block = opened.read(size)
            except InputError:
                raise
            except Exception as error:
                damage = f"damaged {name} data" if name else "cannot be read"
                raise self.fault(f"{damage}: {quoted(str(error))}") from None

    def head(self, size: int = 1 << 16) -> bytes:
        """The first bytes, uncompressed."""
        return next(self.blocks(size), b"")

    def whole(self) -> bytes:
        """All bytes, uncompressed."""
        return b"".join(self.blocks())
